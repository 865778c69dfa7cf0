/* SPDX-License-Identifier: MIT */
/**
 * DOC: Registers
 *
 * A block claims its registers from the dispatcher, mmio.c, and keeps their state. Here are the
 * blocks of the GT that lean on no other unit; engines, memory and the PCI function claim theirs.
 */
#ifndef IGEN_MODEL_REGS_H
#define IGEN_MODEL_REGS_H

#include "base/base.h"
#include "igen_reg.h"

/*
 * mmio.c: register dispatch. A block claims ranges at start; what no block claims is counted as
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
 * When two blocks claim a register, the one with the smaller range has it. Equal ranges are a bug.
 */
/* A register of the database that only stores: it gets its reset value. */
void mmio_claim_plain(struct gpu *gpu, const struct igen_reg *reg);

/* An engine's bit in the database's masks. */
static inline unsigned int reg_engine(enum engine_class class)
{
	static const uint8_t engine[ENGINE_CLASSES] = {
		[ENGINE_RENDER] = IGEN_CMD_RENDER,
		[ENGINE_COPY] = IGEN_CMD_BLITTER,
		[ENGINE_VIDEO] = IGEN_CMD_VIDEO,
		[ENGINE_VIDEO_ENHANCE] = IGEN_CMD_VIDEOENHANCE,
	};

	return 1u << engine[class];
}

/* The interrupt registers of a platform. */
struct irq_ops {
	/* Claims the registers; 0, or -1 without memory. */
	int (*init)(struct gpu *gpu);
	void (*fini)(struct gpu *gpu);
	/* Forgets all interrupts. gpu->lock held. */
	void (*reset)(struct gpu *gpu);
	/* An engine has an event, one of GT_IRQ_*; masked ones are forgotten. gpu->lock held. */
	void (*raise)(struct gpu *gpu, const struct engine_info *engine, uint32_t bit);
};

/* irq.c: GT and display groups below a master, as on Gen8 and Gen9 */
extern const struct irq_ops irq_groups;
/* irq_gen6.c: three banks and the south bridge's, below a bit of the display's */
extern const struct irq_ops irq_banks;

/* irq.c: for a device that was used before. gpu->lock held. */
void irq_leave_pending(struct gpu *gpu, uint32_t isr, uint32_t bits);

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

/* Each claims its registers. */
void block_forcewake_init(struct gpu *gpu);
void block_gt_init(struct gpu *gpu);
void block_pcode_init(struct gpu *gpu);
void block_rps_init(struct gpu *gpu);
void block_stored_init(struct gpu *gpu);
void block_display_init(struct gpu *gpu);
void block_phy_init(struct gpu *gpu);
void block_fifo_init(struct gpu *gpu);
/* Is a forcewake domain held? gpu->lock held. */
bool forcewake_any(struct gpu *gpu);
void rc6_update(struct gpu *gpu);
bool forcewake_check(struct gpu *gpu, uint32_t offset, bool write);
/* fifo.c. gpu->lock held. */
bool fifo_takes(struct gpu *gpu);
void fifo_empty(struct gpu *gpu);
/* Reset values. gpu->lock held. */
void forcewake_reset(struct gpu *gpu);
void rps_reset(struct gpu *gpu);
void display_reset(struct gpu *gpu);

/* Registers of a pipe's cursor and planes, from the cursor's on. */
#define PLANE_BLOCKS		3
#define PLANE_BLOCK_BYTES	0x380

/* State of the small blocks; gpu->lock guards what is not atomic. */
struct gt {
	uint32_t fw_request[NUM_DOMAINS];
	uint32_t fw_ack[NUM_DOMAINS];
	bool fw_dead[NUM_DOMAINS];	/* acknowledges nothing any more */
	unsigned int fifo_free;		/* writes that the FIFO takes (fifo.c) */
	uint32_t fifo_debug;
	uint32_t pcode_data[2];
	uint32_t pcode_mailbox;
	uint32_t gdrst;			/* domains whose reset is under way */
	uint32_t tlb_inv;		/* engines whose TLB's invalidation is, a bit each */
	pthread_mutex_t fault_lock;	/* a leaf: engines report faults without gpu->lock */
	uint32_t fault_reg;
	uint32_t fault_data[2];
	uint32_t engine_fault[4];	/* of Gen6 and Gen7, by fault_id */
	uint64_t fault_logged_ns;
	uint32_t rpnswreq;
	uint32_t rc_control;
	uint64_t rc6_ns;		/* residency up to rc6_since */
	uint64_t rc6_since;		/* 0: not in RC6 */
	uint32_t pwr_well[4];
	uint32_t plane[PLANE_BLOCKS][PLANE_BLOCK_BYTES / 4];
};

#endif
