/* SPDX-License-Identifier: MIT */
/**
 * DOC: The model's parts and who may call whom
 *
 * A transport (transport_*.c) carries PCI accesses from QEMU's process to pci.c, which owns config
 * space and BARs; mmio.c dispatches an offset of BAR 0 to the block that claimed it (block_*.c,
 * engine.c); a block keeps its own state. Engines run in threads of their own (engine.c,
 * execlists.c, cs*.c, blt.c) and reach memory only through gtt.c, which translates through TLBs
 * over guest memory (gmem.c).
 *
 * Locks, outer first: gpu->lock (register state of every block and engine; MMIO is dispatched under
 * it; an engine thread takes it for register accesses, CSB and interrupts, never while it executes
 * a command's memory accesses), then tlb->lock, then leaf locks (counters, log, MSI).
 */
#ifndef IGEN_MODEL_H
#define IGEN_MODEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct gpu;
struct engine;

enum engine_class {
	ENGINE_RENDER,
	ENGINE_COPY,
	ENGINE_VIDEO,
	ENGINE_VIDEO_ENHANCE,
	ENGINE_CLASSES
};
enum engine_id { RCS0, BCS0, VCS0, VCS1, VECS0, NUM_ENGINES };

/* One row an engine in a platform's table (platform_kbl.c). */
struct engine_info {
	const char *name;		/* "rcs0" */
	enum engine_id id;
	enum engine_class class;
	uint32_t base;			/* MMIO base */
	unsigned int irq_group;		/* GT interrupt group and shift in it */
	unsigned int irq_shift;
	uint32_t reset_domain;		/* bit in GDRST */
	uint32_t tlb_inv_reg;
};

struct platform {
	const char *name;		/* "kbl", "kbl-gt3" */
	uint16_t device_id;
	uint8_t revision;
	const struct engine_info *engines;
	unsigned int num_engines;
	unsigned int slices;		/* of three subslices each: 1 or 2 */
	uint32_t timestamp_hz;		/* 12,000,000 on Gen9 */
};

/*
 * config.c. Every key of --set KEY=VALUE and of a configuration file ("KEY = VALUE" lines, #
 * comments) is a row of one table with type, range, default and help; an unknown key or a bad value
 * is an error that names it. Faults are keys too (faults.c): "3" is the third occurrence, 0 is
 * never; "rcs0:3" the third of that engine; "3+10" the third and every tenth after it.
 */
enum fault {
	FAULT_HANG, FAULT_SPIN, FAULT_SEMAPHORE, FAULT_NO_PREEMPT, FAULT_PAGE_FAULT,
	FAULT_LOST_IRQ, FAULT_LOST_CSB, FAULT_LATE_CSB,
	FAULT_FORCEWAKE, FAULT_FORCEWAKE_DEAD,
	FAULT_RESET, FAULT_OFF_BUS, FAULT_DIE,
	NUM_FAULTS
};

#define FAULT_ANY_UNIT	~0u

struct fault_at {
	unsigned int unit;		/* enum engine_id, or a forcewake domain; FAULT_ANY_UNIT */
	unsigned int nth;		/* 0: never */
	unsigned int every;		/* 0: once */
};

struct fault_seen {
	uint64_t occurrences;
	unsigned int logged;
};

struct config {
	const char *platform;
	unsigned int device_id;
	unsigned int revision;
	unsigned int ggms_mb;		/* size of the GGTT's memory: 2, 4, 8 MB */
	unsigned int stolen_mb;
	unsigned int aperture_mb;
	unsigned int command_delay_ns;	/* slowdown: per command executed */
	unsigned int group_ns;		/* time of a thread group */
	unsigned int batch_delay_us;	/* slowdown: per batch started */
	bool sync;			/* an ELSP write returns when the engine is idle again */
	bool strict;			/* an unknown opcode stops the engine (default on) */
	bool validate;			/* what the manuals forbid is counted (default on) */
	unsigned int validate_log;	/* kinds of findings that are logged */
	bool d3_forgets;		/* registers are lost in D3hot */
	unsigned int late_csb_us;	/* how late an event is that FAULT_LATE_CSB happens to */
	struct fault_at fault[NUM_FAULTS];
};

/*
 * faults.c. Something that a fault may happen to: does it, now? gpu->lock held. And the device is
 * gone: reads give ones, nothing else happens, until a reset of the platform.
 */
bool fault_hits(struct gpu *gpu, enum fault fault, unsigned int unit, const char *what);
void gpu_off_bus(struct gpu *gpu);

/* counters.c. Named counters for the JSON dump; thread-safe; names are created at first use. */
void count(const char *group, const char *name, uint64_t n);	/* "commands", "MI_NOOP", 1 */
/* distribution.c: a figure of which each matters; "preemption_ns", "rcs0". Thread-safe. */
void sample(const char *what, const char *name, uint64_t value);
/*
 * The counter itself, for paths that count often: look it up once, then add with a relaxed atomic.
 */
_Atomic uint64_t *counter_get(const char *group, const char *name);
void count_mmio(uint32_t offset, bool write, bool implemented);
int counters_dump(const char *path);

/* log.c */
void model_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void model_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* One line of --trace; cheap when that is off. */
extern bool trace_enabled;
void trace_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define trace(...)	do { if (trace_enabled) trace_line(__VA_ARGS__); } while (0)

/*
 * gmem.c: guest physical memory, as mapped from QEMU's descriptors. Addresses that are no RAM give
 * NULL.
 */
void *gmem_ptr(struct gpu *gpu, uint64_t pa, uint64_t len);
/*
 * Tear-free single accesses; a miss reads all ones or drops the write, is counted and gives false.
 */
bool gmem_read32(struct gpu *gpu, uint64_t pa, uint32_t *v);
bool gmem_read64(struct gpu *gpu, uint64_t pa, uint64_t *v);
bool gmem_write32(struct gpu *gpu, uint64_t pa, uint32_t v);
bool gmem_write64(struct gpu *gpu, uint64_t pa, uint64_t v);

/*
 * gtt.c: translation. An address space is the GGTT or a PPGTT named by its PML4 (a physical
 * address). Each engine has a TLB per kind; entries stay until invalidated, however the tables
 * change.
 */
struct vm_ref {
	bool ggtt;
	uint64_t pml4;			/* when !ggtt */
};

struct tlb;				/* one an engine, and one for the aperture */

/*
 * The name is the engine's (engine_info.name): TLB_INV_* registers find a TLB by it. Freed with the
 * gpu.
 */
struct tlb *tlb_new(struct gpu *gpu, const char *name);
/* Drops entries, after the access that is under way; ppgtt and ggtt say which. Counted. */
void tlb_invalidate(struct tlb *tlb, bool ggtt, bool ppgtt);
/*
 * Translates addr for an access; false on a fault (not present, or a write to a read-only page: on
 * Gen9 the write is dropped). Gives the physical address and, when left is not NULL, how many bytes
 * from there on lie in the same page. The address is good until the next invalidation and no
 * longer: memory is accessed through vm_read() and vm_write(), which an invalidation waits for, or
 * between tlb_access_begin() and tlb_access_end(), which nest.
 */
bool tlb_translate(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, bool write,
		   uint64_t *pa, uint64_t *left);
/* Holds invalidations of this TLB off; gpu->lock must not be taken in between. */
void tlb_access_begin(struct tlb *tlb);
void tlb_access_end(struct tlb *tlb);
/* As above plus the access; on a fault false, the caller reports it with gpu_page_fault(). */
bool vm_read32(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, uint32_t *v);
bool vm_write32(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, uint32_t v);
bool vm_read64(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, uint64_t *v);
bool vm_write64(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, uint64_t v);
bool vm_read(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, void *buf, size_t len);
bool vm_write(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, const void *buf, size_t len);
/*
 * Replaces what is at addr, aligned to its size of 4, 8 or 16 bytes, if it still is *old; swapped
 * says whether. Atomic against everyone (16 bytes: against other engines). False on a fault.
 */
bool vm_compare_exchange(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, unsigned int size,
			 const void *old, const void *to, bool *swapped);
/*
 * Fills RING_FAULT_REG and the fault data registers, counts, logs once a second. Takes a leaf lock
 * only.
 */
void gpu_page_fault(struct gpu *gpu, const struct engine_info *engine, const struct vm_ref *vm,
		    uint64_t addr, bool write);

/*
 * mmio.c: register dispatch. A block claims ranges at start; what nobody claimed is counted as
 * unimplemented.
 */
struct mmio_block {
	const char *name;
	uint32_t start, end;		/* byte offsets, end exclusive */
	uint32_t (*read)(struct gpu *gpu, void *opaque, uint32_t offset);
	void (*write)(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value);
	void *opaque;
};

void mmio_claim(struct gpu *gpu, const struct mmio_block *block);
/*
 * 32-bit accesses, gpu->lock held; from_cpu tells a CPU access (counted by register) from an
 * engine's.
 */
uint32_t mmio_read(struct gpu *gpu, uint32_t offset, bool from_cpu);
void mmio_write(struct gpu *gpu, uint32_t offset, uint32_t value, bool from_cpu);
/*
 * A block's callback says that it does not know the register after all: it is counted as
 * unimplemented.
 */
void mmio_unimplemented(struct gpu *gpu);
/*
 * Of two blocks that claim a register the one with the smaller range has it; equal ranges are a
 * bug.
 */
/*
 * A register that is plain storage: reset value, writable bits; masked ones take the high half as
 * mask.
 */
struct plain_reg {
	uint32_t offset;
	uint32_t reset;
	uint32_t writable;
	bool masked;
	const char *name;
	unsigned int count;		/* of registers, four bytes apart; 0 means 1 */
	uint32_t domains;		/* GDRST bits that bring the reset value back */
};

void mmio_claim_plain(struct gpu *gpu, const struct plain_reg *regs, size_t n);

/* block_irq.c. gpu->lock held. bit is one of GT_IRQ_*. */
void gt_irq_raise(struct gpu *gpu, const struct engine_info *engine, uint32_t bit);

/* pci.c / transport: sends the MSI if enabled. */
void msi_raise(struct gpu *gpu);

/* platform_kbl.c: a platform by name, or NULL. */
const struct platform *platform_find(const char *name);

/*
 * engine.c, called by block_reset.c and main. gpu->lock held for reset; it returns when the engine
 * stopped.
 */
int engines_start(struct gpu *gpu);
void engine_reset(struct gpu *gpu, enum engine_id id);
void engines_stop(struct gpu *gpu);
bool engine_ready_to_reset(struct gpu *gpu, enum engine_id id);

/* The GT clock: ticks of platform->timestamp_hz since start. */
uint64_t gpu_timestamp(struct gpu *gpu);
uint64_t now_ns(void);

/*
 * blt.c: executes one blitter command (dw[0..len-1]); NULL or an error text for a bad one. It looks
 * pages up once a command, so the caller puts tlb_access_begin() and tlb_access_end() around it.
 */
struct blt_ctx {
	struct gpu *gpu;
	const struct engine_info *engine;
	struct tlb *tlb;
	struct vm_ref vm;
	uint32_t swctrl;		/* BCS_SWCTRL */
	uint32_t setup[10];		/* what XY_SETUP_BLT left for XY_PIXEL and friends */
};

const char *blt_execute(struct blt_ctx *ctx, const uint32_t *dw, unsigned int len);

/* tiling.c: byte offset of a byte in a tiled surface (x and pitch in bytes). */
enum tiling { TILING_LINEAR, TILING_X, TILING_Y };
uint64_t tiled_offset(enum tiling tiling, uint32_t x, uint32_t y, uint32_t pitch);

/*
 * cs_decode.c: total dwords of the command that starts with this dword, 0 for an unknown one; and
 * its name.
 */
unsigned int command_length(enum engine_class class, uint32_t header);
const char *command_name(enum engine_class class, uint32_t header);

struct gpu {
	const struct platform *platform;
	struct config config;
	pthread_mutex_t lock;
	struct engine *engine[NUM_ENGINES];	/* engine.c */
	struct pci *pci;			/* pci.c */
	struct transport *transport;
	struct gmem *gmem;
	struct gtt *gtt;
	struct mmio *mmio;
	struct irq *irq;			/* block_irq.c */
	struct gt *gt;				/* block_gt.c and its neighbours */
	const char *counters_path;
	const char *registers_path;		/* of snapshots, NULL: none are made */
	uint64_t start_ns;			/* of the GT clock */
	struct fault_seen fault_seen[NUM_FAULTS];	/* faults.c; lock */
	_Atomic bool off_bus;			/* changed under the lock */
	_Atomic bool asleep;			/* in D3hot; pci.c, its lock */
};

#endif
