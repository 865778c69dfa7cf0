/* SPDX-License-Identifier: MIT */
/**
 * DOC: What the parts of the model's core share among themselves
 *
 * model.h is what an engine or a register block sees; here are the calls between main.c, pci.c, the
 * transports, memory and translation, and the blocks that are not engines.
 */
#ifndef IGEN_MODEL_CORE_H
#define IGEN_MODEL_CORE_H

#include "model.h"

#define BAR0_SIZE	(16u << 20)
#define BAR4_SIZE	64u
#define CFG_SIZE	256u
#define MMIO_SIZE	(2u << 20)		/* where registers can be */

enum pci_bar { PCI_BAR0 = 0, PCI_BAR2 = 2, PCI_BAR4 = 4 };

/* config.c */
void config_init(struct config *cfg);
/* 0, or -1 with one line in err, which names the key. */
int config_set(struct config *cfg, const char *assignment, char *err, size_t err_size);
int config_load(struct config *cfg, const char *path, char *err, size_t err_size);
int config_check(const struct config *cfg, char *err, size_t err_size);
void config_help(FILE *out);

/* counters.c */
int counters_write(FILE *out);
void counters_reset(void);
uint64_t counter_value(const char *group, const char *name);
extern const char *counters_platform;

/* distribution.c */
void distributions_to_counters(void);
void distributions_reset(void);

/* log.c */
int log_open(const char *path);
int trace_open(const char *path);
void log_close(void);

/* clock.c */
void clock_start(struct gpu *gpu);

/* gpu.c: everything but the engines' threads and the transport. */
struct gpu *gpu_new(const struct config *cfg);
void gpu_free(struct gpu *gpu);
/* All that a reset of the PCI function takes back; the engines too. */
void gpu_reset(struct gpu *gpu);

/* mmio.c */
int mmio_init(struct gpu *gpu);
void mmio_fini(struct gpu *gpu);
/*
 * Plain registers of the GDRST domains in the mask, or all for ~0, take their reset values.
 * gpu->lock held.
 */
void mmio_reset_domains(struct gpu *gpu, uint32_t domains);
/*
 * Value of a register without counting it; for blocks that look at another block's. gpu->lock held.
 */
uint32_t mmio_peek(struct gpu *gpu, uint32_t offset);
bool mmio_look(struct gpu *gpu, uint32_t offset, const char **name, uint32_t *value);

/* state.c */
void state_snapshot(struct gpu *gpu, unsigned int number);

/* gmem.c */
struct gmem_region {
	uint64_t gpa;
	uint64_t size;
	uint64_t offset;		/* in the file */
	int fd;				/* the callee closes it */
};

int gmem_init(struct gpu *gpu);
void gmem_fini(struct gpu *gpu);
/* Replaces the whole map (proxy); 0 or -1, then the old one stays. */
int gmem_set(struct gpu *gpu, const struct gmem_region *regions, unsigned int n);
/* Adds or drops one region (vfio-user). */
int gmem_map(struct gpu *gpu, const struct gmem_region *region);
int gmem_unmap(struct gpu *gpu, uint64_t gpa, uint64_t size, bool all);
/* Copies that other threads and the guest may race with, a word at a time. */
void gmem_copy_from(void *dst, const void *src, size_t len);
void gmem_copy_to(void *dst, const void *src, size_t len);

/* gtt.c */
int gtt_init(struct gpu *gpu);
void gtt_fini(struct gpu *gpu);
uint64_t gtt_pte_read(struct gpu *gpu, uint32_t byte, unsigned int size);
void gtt_pte_write(struct gpu *gpu, uint32_t byte, unsigned int size, uint64_t value);
/* The entry for a GGTT address; 0, which is not present, beyond the table. */
uint64_t gtt_entry(struct gpu *gpu, uint64_t addr);
void tlb_invalidate_all(struct gpu *gpu, bool ggtt, bool ppgtt);
struct tlb *tlb_find(struct gpu *gpu, const char *name);
/* tlb.c's list of TLBs hangs here. */
struct gtt {
	atomic_uint_fast64_t *pte;
	uint32_t entries;
	struct tlb *tlbs;
	struct tlb *aperture;
	/* What the CPU does often: accesses of the aperture and of entries. */
	atomic_uint_fast64_t *aperture_count[2];	/* reads, writes */
	atomic_uint_fast64_t *pte_count[2];
};

/* aperture.c */
uint64_t aperture_read(struct gpu *gpu, uint64_t offset, unsigned int size);
void aperture_write(struct gpu *gpu, uint64_t offset, unsigned int size, uint64_t value);
void fence_init(struct gpu *gpu);
void fence_reset(struct gpu *gpu);

/* block_*.c: each claims its registers. */
void block_forcewake_init(struct gpu *gpu);
void block_gt_init(struct gpu *gpu);
void block_pcode_init(struct gpu *gpu);
void block_rps_init(struct gpu *gpu);
void block_reset_init(struct gpu *gpu);
void block_fault_init(struct gpu *gpu);
void block_fault_reset(struct gpu *gpu);
void block_plain_init(struct gpu *gpu);
void block_display_init(struct gpu *gpu);
int block_irq_init(struct gpu *gpu);
void block_irq_fini(struct gpu *gpu);
/* Is a forcewake domain held? gpu->lock held. */
bool forcewake_any(struct gpu *gpu);
void rc6_update(struct gpu *gpu);
void forcewake_check(struct gpu *gpu, uint32_t offset, bool write);
/* Forgets all interrupts. gpu->lock held. */
void irq_reset(struct gpu *gpu);

struct fence {
	atomic_uint_fast64_t reg[32];
	atomic_uint valid;		/* mask of fences with the valid bit */
};

/* faults.c: of forcewake, as keys name them. */
#define NUM_DOMAINS	3
extern const char *const fault_domains[NUM_DOMAINS];

/* State of the small blocks; gpu->lock guards what is not atomic. */
struct gt {
	uint32_t fw_request[NUM_DOMAINS];
	uint32_t fw_ack[NUM_DOMAINS];
	bool fw_dead[NUM_DOMAINS];	/* acknowledges nothing any more */
	uint32_t pcode_data[2];
	uint32_t pcode_mailbox;
	pthread_mutex_t fault_lock;	/* a leaf: engines report faults without gpu->lock */
	uint32_t fault_reg;
	uint32_t fault_data[2];
	uint64_t fault_logged_ns;
	uint32_t rpnswreq;
	uint32_t rc_control;
	uint64_t rc6_ns;		/* residency up to rc6_since */
	uint64_t rc6_since;		/* 0: not in RC6 */
	uint32_t pwr_well[4];
	struct fence fence;
};

/* pci.c */
int pci_init(struct gpu *gpu);
void pci_fini(struct gpu *gpu);
/* A config access; beyond 256 bytes reads give ones and writes are dropped. len is 1 to 4. */
uint32_t pci_cfg_read(struct gpu *gpu, uint32_t offset, unsigned int len);
void pci_cfg_write(struct gpu *gpu, uint32_t offset, unsigned int len, uint32_t value);
/* size is 1 to 8; what lies outside reads ones. */
uint64_t pci_bar_read(struct gpu *gpu, enum pci_bar bar, uint64_t offset, unsigned int size);
void pci_bar_write(struct gpu *gpu, enum pci_bar bar, uint64_t offset, unsigned int size,
		   uint64_t value);
/* The BAR that decodes an absolute address, or -1. */
int pci_decode(struct gpu *gpu, bool memory, uint64_t addr, uint64_t *offset);
uint64_t pci_bar_size(struct gpu *gpu, enum pci_bar bar);
void pci_reset(struct gpu *gpu);
/* BARs as 32-bit ones, each with a dead dword behind it: what x-pci-proxy-dev needs. */
void pci_show_bars_32(struct gpu *gpu, bool on);
uint64_t pci_stolen_base(struct gpu *gpu);
uint64_t config_stolen_bytes(const struct config *cfg);

#endif
