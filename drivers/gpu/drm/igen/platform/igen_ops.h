/* SPDX-License-Identifier: MIT */
/**
 * DOC: Operations that differ between GPUs
 *
 * Small constant tables of operations, which the rows of the platforms point to. The floor that an operation belongs to
 * defines it, and every floor calls it through igen_device.platform; so no floor asks which generation it drives. An
 * operation that a GPU may lack is NULL, and its comment says what happens then.
 */
#ifndef _IGEN_OPS_H_
#define _IGEN_OPS_H_

#include <linux/irqreturn.h>
#include <linux/types.h>

struct igen_budget;
struct igen_device;
struct igen_engine;
struct igen_engine_info;
struct igen_lrc;
struct igen_power;
struct igen_request;
struct igen_scratch;
struct igen_topology;
struct igen_vm;

/* Contexts that an engine is given at a time. */
#define IGEN_MAX_GIVEN	2

/** struct igen_engine_state - what an engine does, as its backend knows */
struct igen_engine_state {
	/** @active: the request that the engine is in, not counted, or NULL */
	struct igen_request *active;
	/**
	 * @given: the last request of each context that the hardware has acknowledged, or was given if it has
	 * acknowledged none; not counted, the first to run first, NULL behind the last
	 */
	struct igen_request *given[IGEN_MAX_GIVEN];
	/** @moves: how often the engine has come to a context or left one; unchanged while it stays where it is */
	unsigned int moves;
	/** @since: when the engine came to @active, or had its client pay for a timeslice, in jiffies */
	unsigned long since;
	/**
	 * @certain: the engine, if it was asked, is where @active says. It is elsewhere for a moment while its report
	 * is on the way, and for longer when one was lost
	 */
	bool certain;
};

/** struct igen_submit_ops - a submission backend */
struct igen_submit_ops {
	/** @init: allocates its state for an engine */
	int (*init)(struct igen_engine *engine);
	/** @fini: frees it; the engine is idle */
	void (*fini)(struct igen_engine *engine);
	/** @resume: programs the engine's registers for submission */
	int (*resume)(struct igen_engine *engine);
	/** @submit: engine->queue changed; group->lock held, irqs off */
	void (*submit)(struct igen_engine *engine);
	/** @irq: the engine's 16 interrupt bits; hard interrupt */
	void (*irq)(struct igen_engine *engine, u32 bits);
	/** @idle: the hardware has switched away from all that it was given; group->lock held */
	bool (*idle)(struct igen_engine *engine);
	/** @unheard: the engine has reported what the backend has not read; group->lock held. NULL: by seqnos alone */
	bool (*unheard)(struct igen_engine *engine);
	/** @state: what the engine does; ask: have the engine, which is awake, confirm it; group->lock held */
	void (*state)(struct igen_engine *engine, bool ask, struct igen_engine_state *state);
	/** @running: how far an LRC's count of time is by now, if the engine is in it; group->lock, forcewake held */
	bool (*running)(struct igen_lrc *lrc, u32 *count);
	/** @has_left: see igen_lrc_has_left(); group->lock held; NULL: the engine has left what it was not given */
	bool (*has_left)(struct igen_lrc *lrc);
	/**
	 * @wait_left: waits until the engine has left an LRC that has no references; may sleep. NULL: the engine has
	 * left every LRC that it was not given
	 */
	void (*wait_left)(struct igen_lrc *lrc);
	/**
	 * @forger: a request of the context whose batch wrote the engine's reports, or NULL; group->lock held. NULL:
	 * no batch can
	 */
	struct igen_request *(*forger)(struct igen_engine *engine);
	/** @runtime: ticks that the engine has worked on contexts up to now; group->lock held, the device there */
	u64 (*runtime)(struct igen_engine *engine);
	/** @reset_prepare: stops submission and the engine */
	int (*reset_prepare)(struct igen_engine *engine);
	/** @reset: after the hardware was reset: unwinds what was in flight; stalled: it hung */
	void (*reset)(struct igen_engine *engine, bool stalled);
	/** @reset_finish: submission goes on */
	void (*reset_finish)(struct igen_engine *engine);
};

/**
 * struct igen_emit_ops - what the driver writes into a ring
 *
 * Sizes are in dwords, even, and the same for all engines, so that ring space is a constant. An operation writes as
 * many at cs and returns what lies behind them.
 */
struct igen_emit_ops {
	/** @request_dw: all that the driver adds to a request: @semaphore, @invalidate, @batch_start and @finish */
	u8 request_dw;
	/** @semaphore_dw: of @semaphore */
	u8 semaphore_dw;
	/** @invalidate_dw: of @invalidate */
	u8 invalidate_dw;
	/** @address_dw: of @address */
	u8 address_dw;
	/** @batch_start_dw: of @batch_start */
	u8 batch_start_dw;
	/** @resubmit_dw: the last part of @finish, behind the request's tail: a second submission moves on over it */
	u8 resubmit_dw;
	/**
	 * @semaphore: has the engine look at the GGTT's address ggtt, a multiple of 4, again and again until there is
	 * no less than value, without sign. NULL: the CPU waits
	 */
	u32 *(*semaphore)(u32 *cs, u32 ggtt, u32 value);
	/** @invalidate: invalidates the engine's caches and TLBs before a batch */
	u32 *(*invalidate)(const struct igen_engine *engine, u32 *cs);
	/** @address: writes to at, a multiple of 4 in the context's address space; done when a later @invalidate is */
	u32 *(*address)(u32 *cs, u64 at, u64 value);
	/** @batch_start: jumps into a user's batch, at a multiple of 8: in the PPGTT, without privilege, preemptible */
	u32 *(*batch_start)(u32 *cs, u64 address);
	/**
	 * @finish: waits for what was before, flushes caches, writes the request's seqno to ggtt, a multiple of 8 with
	 * bit 5 clear where 8 bytes may be written, tells the driver, if it listens, and allows preemption
	 */
	u32 *(*finish)(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 seqno);
};

/**
 * struct igen_irq_ops - the registers that interrupts go through
 *
 * Which interrupts get through is kept in igen_device.irq_mask and irq_enable, words of the operations' own.
 */
struct igen_irq_ops {
	/** @handler: of the vector; data is the igen_device; hands each engine's bits to the backend */
	irqreturn_t (*handler)(int irq, void *data);
	/** @init: has all masked but what is always wanted; nothing is written; the engines are there */
	void (*init)(struct igen_device *igen);
	/** @quiesce: nothing interrupts any more; what was on its way has arrived */
	void (*quiesce)(struct igen_device *igen);
	/** @arrived: what was written for an engine's group has arrived; igen_device.irq_mask_lock held */
	void (*arrived)(struct igen_engine *engine);
	/** @restore: writes what is masked; igen_device.irq_mask_lock held */
	void (*restore)(struct igen_device *igen);
	/** @open: after @quiesce and @restore: interrupts come */
	void (*open)(struct igen_device *igen);
	/** @user: lets an engine's user interrupt through, or only notes it; igen_device.irq_mask_lock held */
	void (*user)(struct igen_engine *engine, bool open, bool write);
	/** @semaphore: the same for its coming to wait for a semaphore */
	void (*semaphore)(struct igen_engine *engine, bool open, bool write);
	/** @engine_resume: lets an engine that was reset send its interrupts; forcewake of its domain held */
	void (*engine_resume)(struct igen_engine *engine);
};

/** struct igen_gtt_ops - page tables: the GGTT's and those of address spaces, and what caches them */
struct igen_gtt_ops {
	/** @ptes_offset: where in BAR 0 the GGTT's entries begin, after so many bytes of registers */
	u32 ptes_offset;
	/** @pte_bytes: of one of its entries */
	u8 pte_bytes;
	/** @map_wc: they may be written through a write-combining mapping */
	bool map_wc;
	/** @scratch_tables: levels below the top of an address space that have a table of scratch */
	u8 scratch_tables;
	/** @ggtt_size: bytes of GGTT by GMCH_CTL; 0 when there is none */
	u64 (*ggtt_size)(u16 gmch_ctl);
	/** @ggtt_write: has the addresses from start to end show pages from dma on, each step bytes behind the last */
	void (*ggtt_write)(void __iomem *ptes, u64 start, u64 end, dma_addr_t dma, unsigned int step);
	/** @ggtt_invalidate: the GPU sees what was written into the GGTT's entries; the device is awake */
	void (*ggtt_invalidate)(struct igen_device *igen);
	/** @flush_writes: waits for the CPU's writes through the aperture; the device is awake. NULL: they need none */
	void (*flush_writes)(struct igen_device *igen);
	/** @restore: programs what a full reset loses, about how entries are read; forcewake of all domains held */
	void (*restore)(struct igen_device *igen);
	/**
	 * @tlb_flush: no TLB of the device has what was unbound before; 0, or -ETIMEDOUT; forcewake of all domains
	 * held; may sleep
	 */
	int (*tlb_flush)(struct igen_device *igen);
	/** @ppgtt_create: see igen_ppgtt_create() */
	struct igen_vm *(*ppgtt_create)(struct igen_device *igen, struct igen_budget *budget);
	/** @fill_scratch_table: has all entries of a table of this level, 0 the lowest, lead to scratch */
	void (*fill_scratch_table)(const struct igen_scratch *scratch, void *table, unsigned int level);
};

/**
 * struct igen_context_ops - the image of a context
 *
 * It is in the GGTT, of igen_engine_info.context_pages; the state is what the engine restores and saves.
 */
struct igen_context_ops {
	/** @state_offset: where in the image the state begins, in bytes */
	u32 state_offset;
	/** @ticks_dw: the dword of the state that counts the time of the engine on the context */
	u32 ticks_dw;
	/** @engine_init: makes what images of an engine refer to: igen_engine.ctx_wa. NULL: nothing */
	int (*engine_init)(struct igen_engine *engine);
	/** @init: writes the skeleton of a state into zeroed memory, for an engine without a default state */
	void (*init)(const struct igen_engine *engine, u32 *state);
	/**
	 * @update: writes what is the driver's: control, ring with its head and tail, page tables; the engine restores
	 * all of it next time
	 */
	void (*update)(struct igen_lrc *lrc, u32 head, u32 tail);
	/** @set_addresses: writes where the ring is, and makes the descriptor; image and ring are pinned */
	void (*set_addresses)(struct igen_lrc *lrc);
	/** @set_engine: makes a state that of lrc->engine, another one of its class; values stay */
	void (*set_engine)(struct igen_lrc *lrc);
};

/** struct igen_reset_ops - how the hardware is reset: by bits of GDRST */
struct igen_reset_ops {
	/** @full: the bit that resets the whole GT; igen_engine_info.reset_domain has the engines' */
	u32 full;
	/** @request: has an engine get ready; -ETIMEDOUT if it does not. NULL: it need not */
	int (*request)(struct igen_device *igen, const struct igen_engine_info *info);
	/** @cancel: takes @request back. NULL: @request needs no undoing */
	void (*cancel)(struct igen_device *igen, const struct igen_engine_info *info);
};

/** struct igen_power_ops - the GT's clock and its sleep */
struct igen_power_ops {
	/** @residency_reg: counts the time in RC6 */
	u32 residency_reg;
	/** @residency_hz: at which it counts */
	u32 residency_hz;
	/** @read_range: sets rp0, rp1 and rpn to what the part can; 0 when it does not say */
	void (*read_range)(struct igen_device *igen, struct igen_power *power);
	/** @setup: programs the units, with RC6 left; active_lock and forcewake of all domains held */
	void (*setup)(struct igen_device *igen);
	/** @request: asks for a clock; active_lock and forcewake of the GT held */
	void (*request)(struct igen_device *igen, u32 mhz);
	/** @actual_mhz: reads the clock; 0 while the register sleeps */
	u32 (*actual_mhz)(struct igen_device *igen);
	/** @ring_clocks: tells the firmware the ring's clock for each of the GT's; may sleep; NULL: no need */
	int (*ring_clocks)(struct igen_device *igen);
	/** @rc6_works: RC6 has a place for the GT's state, and nothing in it is corrupt; forcewake of the GT held */
	bool (*rc6_works)(struct igen_device *igen);
	/** @rc6_enter: lets the GT go to RC6; active_lock and forcewake of the GT held */
	void (*rc6_enter)(struct igen_device *igen);
	/** @rc6_leave: keeps the GT out of RC6; active_lock and forcewake of the GT held */
	void (*rc6_leave)(struct igen_device *igen);
	/** @disable: keeps the GT and its wells awake until @setup; active_lock and forcewake of the GT held */
	void (*disable)(struct igen_device *igen);
};

/* The tables that there are. */
extern const struct igen_power_ops igen_power_gen9_ops;
extern const struct igen_power_ops igen_power_gen9lp_ops;
extern const struct igen_reset_ops igen_reset_gen8_ops;
extern const struct igen_context_ops igen_context_gen9_ops;
extern const struct igen_gtt_ops igen_gtt_gen8_ops;
extern const struct igen_gtt_ops igen_gtt_gen9lp_ops;
extern const struct igen_irq_ops igen_irq_gen8_ops;
extern const struct igen_emit_ops igen_emit_gen8_ops;
extern const struct igen_submit_ops igen_execlists_ops;

/* And single operations of rows. */
void igen_topology_gen9(struct igen_device *igen, struct igen_topology *topo);
void igen_mocs_gen9(struct igen_engine *engine);

#endif
