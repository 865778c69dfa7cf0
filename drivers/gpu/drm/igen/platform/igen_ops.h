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

struct igen_bringup;
struct igen_budget;
struct igen_capture_regs;
struct igen_device;
struct igen_engine;
struct igen_engine_info;
struct igen_lrc;
struct igen_power;
struct igen_request;
struct igen_scratch;
struct igen_snapshot;
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
	/**
	 * @copies_requests: an engine has one ring, into which the backend copies requests; else it executes the rings
	 * of contexts, which are in the GGTT then
	 */
	bool copies_requests;
	/** @preempts: every engine gives a batch up for a more urgent one, at an arbitration point */
	bool preempts;
	/** @lrc_bytes: size of igen_lrc.backend */
	size_t lrc_bytes;
	/** @init: allocates its state for an engine */
	int (*init)(struct igen_engine *engine);
	/** @fini: frees it; the engine is idle */
	void (*fini)(struct igen_engine *engine);
	/** @resume: programs the engine's registers for submission */
	int (*resume)(struct igen_engine *engine);
	/** @submit: engine->queue changed; group->lock held, irqs off */
	void (*submit)(struct igen_engine *engine);
	/**
	 * @take: give the engine a request past the queue, which is empty; group->lock held. False: the request has to
	 * go through the queue, since the engine has work or the request must wait. NULL: all go through the queue
	 */
	bool (*take)(struct igen_engine *engine, struct igen_request *rq);
	/** @irq: the engine's 16 interrupt bits; hard interrupt */
	void (*irq)(struct igen_engine *engine, u32 bits);
	/** @idle: the hardware has switched away from all that it was given; group->lock held */
	bool (*idle)(struct igen_engine *engine);
	/** @has_unread_events: events wait to be read; group->lock held. NULL: the engine writes seqnos only */
	bool (*has_unread_events)(struct igen_engine *engine);
	/** @state: what the engine does; ask: have the engine, which is awake, confirm it; group->lock held */
	void (*state)(struct igen_engine *engine, bool ask, struct igen_engine_state *state);
	/** @running: how far an LRC's count of time is by now, if the engine is in it; group->lock, forcewake held */
	bool (*running)(struct igen_lrc *lrc, u32 *count);
	/**
	 * @holds: the hardware has an LRC, or is on the way to it, as the backend knows; group->lock held. NULL: the
	 * engine has left what it was not given
	 */
	bool (*holds)(const struct igen_lrc *lrc);
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
	/**
	 * @tlb_flush: the engine's TLBs have nothing that was unbound before; 0, or -ETIMEDOUT; forcewake of all
	 * domains held; may sleep. NULL: igen_gtt_ops.tlb_flush does it
	 */
	int (*tlb_flush)(struct igen_engine *engine);
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
	/**
	 * @address: writes igen_platform.address_bytes to at, a multiple of 4 in the context's address space; done when
	 * a later @invalidate is; NULL: the CPU does
	 */
	u32 *(*address)(u32 *cs, u64 at, u64 value);
	/** @batch_start: jumps into a user's batch, at a multiple of 8: in the PPGTT, without privilege, preemptible */
	u32 *(*batch_start)(u32 *cs, u64 address);
	/** @privileged_start: the same with privilege, in the GGTT, for copies that were checked; NULL: none run so */
	u32 *(*privileged_start)(u32 *cs, u64 address);
	/**
	 * @finish: waits for what was before, flushes caches, writes the request's seqno to ggtt, a multiple of 8 with
	 * bit 5 clear where 8 bytes may be written, tells the driver, if it listens, and allows preemption
	 */
	u32 *(*finish)(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 seqno);
};

/**
 * struct igen_switch_ops - what changes the context of an engine with one ring
 *
 * Sizes are in dwords, and even. An operation writes as many at cs and returns what lies behind them.
 */
struct igen_switch_ops {
	/** @mm_dw: of @mm */
	u8 mm_dw;
	/** @clean_dw: of @clean */
	u8 clean_dw;
	/** @context_dw: of @context */
	u8 context_dw;
	/** @mark_dw: of @mark */
	u8 mark_dw;
	/** @mm: loads the page directory that is at pd in the GGTT */
	u32 *(*mm)(const struct igen_engine *engine, u32 *cs, u32 pd);
	/**
	 * @clean: puts back what a batch may have written and no image may hold, behind @mm. On an engine with images
	 * it runs while none of a client's is loaded. NULL: there is nothing that another batch could find
	 */
	u32 *(*clean)(const struct igen_engine *engine, u32 *cs);
	/**
	 * @context: saves the engine's state into the image that it has, and restores it from the one at ggtt, or if
	 * inhibited leaves it as it is. NULL: the engine has no images
	 */
	u32 *(*context)(u32 *cs, u32 ggtt, bool inhibit);
	/** @jump_dw: of @jump */
	u8 jump_dw;
	/** @jump: executes a batch without privilege, at an address in the address space that is loaded; or NULL */
	u32 *(*jump)(u32 *cs, u64 address);
	/** @divide_l3_dw: of @divide_l3 */
	u8 divide_l3_dw;
	/**
	 * @divide_l3: stores the registers that divide the L3 to struct igen_ring_page at ggtt, and has the L3 divided
	 * as the commands that clear execution units need it; NULL like @jump
	 */
	u32 *(*divide_l3)(const struct igen_engine *engine, u32 *cs, u32 ggtt);
	/** @restore_l3_dw: of @restore_l3 */
	u8 restore_l3_dw;
	/** @restore_l3: loads these registers from there again */
	u32 *(*restore_l3)(const struct igen_engine *engine, u32 *cs, u32 ggtt);
	/** @mark: stores a value to the GGTT's address ggtt, a multiple of 4, when what was before is executed */
	u32 *(*mark)(u32 *cs, u32 ggtt, u32 value);
	/** @tail: has the engine execute its ring up to tail; group->lock held, the device awake */
	void (*tail)(struct igen_engine *engine, u32 tail);
	/**
	 * @preempt: has the engine go on at a place in its ring as soon as it comes to MI_ARB_CHECK; NULL, like the
	 * following: it cannot. group->lock held, the device awake
	 */
	void (*preempt)(struct igen_engine *engine, u32 place);
	/** @arrive_dw: of @arrive */
	u8 arrive_dw;
	/**
	 * @arrive: stands at that place: ends the request for preemption, stores where the engine was and then value
	 * into struct igen_ring_page at ggtt, and interrupts
	 */
	u32 *(*arrive)(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 value);
	/** @resume_dw: of @resume */
	u8 resume_dw;
	/**
	 * @resume: goes on in a batch where it was preempted, when its walker has ended; may be preempted itself behind
	 * IGEN_RESUME_CHECK_DW dwords
	 */
	u32 *(*resume)(u32 *cs, u32 address, bool privileged);
};

/* See igen_switch_ops.resume. */
#define IGEN_RESUME_CHECK_DW	3

#define IGEN_L3_REGS		3

/* Requests of a ring, and more, whose times are kept. */
#define IGEN_RING_TIMES		8

/** struct igen_ring_time - when an engine with one ring began a request and ended it, by its TIMESTAMP */
struct igen_ring_time {
	/** @begin: in front of the request */
	u32 begin;
	/** @end: behind it; 0: not stored yet */
	u32 end;
};

/**
 * struct igen_ring_page - what an engine with one ring tells in memory that no batch can write
 */
struct igen_ring_page {
	/** @begun: serial of the part of the ring that it came to last */
	u32 begun;
	/** @pad: stores may be of eight bytes */
	u32 pad;
	/** @arrived: serial of the last place of igen_switch_ops.arrive that it came to */
	u32 arrived;
	/** @pad2: as @pad */
	u32 pad2;
	/** @ring: the ring offset at which it was preempted */
	u32 ring;
	/** @batch: the address in a batch at which it was, if it was in one */
	u32 batch;
	/** @l3: registers that divide the L3, while execution units are cleared */
	u32 l3[IGEN_L3_REGS];
	/** @time: of requests, by the serials of their entries */
	struct igen_ring_time time[IGEN_RING_TIMES];
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
	/** @arrived: what @user wrote for an engine's group has arrived; igen_device.irq_mask_lock held */
	void (*arrived)(struct igen_engine *engine);
	/** @restore: writes what is masked; igen_device.irq_mask_lock held */
	void (*restore)(struct igen_device *igen);
	/** @open: after @quiesce and @restore: interrupts come */
	void (*open)(struct igen_device *igen);
	/** @user: lets an engine's user interrupt through, or only notes it; igen_device.irq_mask_lock held */
	void (*user)(struct igen_engine *engine, bool open, bool write);
	/** @semaphore: the same for its coming to wait for a semaphore. NULL: where igen_emit_ops.semaphore is */
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
	/** @read_only: entries of address spaces can deny writes */
	bool read_only;
	/**
	 * @scratch_tables: levels below the top of an address space that have a table of scratch, which all address
	 * spaces share; 0: each address space has scratch of its own
	 */
	u8 scratch_tables;
	/** @gms_mask: the bits of GMCH_CTL that tell of stolen memory */
	u16 gms_mask;
	/** @ggtt_size: bytes of GGTT by GMCH_CTL; 0 when there is none */
	u64 (*ggtt_size)(u16 gmch_ctl);
	/** @ggtt_write: has the addresses from start to end show pages from dma on, each step bytes behind the last */
	void (*ggtt_write)(void __iomem *ptes, u64 start, u64 end, dma_addr_t dma, unsigned int step);
	/** @ggtt_invalidate: the GPU sees what was written into the GGTT's entries; the device is awake */
	void (*ggtt_invalidate)(struct igen_device *igen);
	/** @flush_writes: waits for the CPU's writes through the aperture; the device is awake. NULL: they need none */
	void (*flush_writes)(struct igen_device *igen);
	/**
	 * @swizzles: the memory controller swizzles bit 6 of addresses in tiled memory, by bits 9 and 10 in X tiles and
	 * by bit 9 in Y tiles. NULL: it does not
	 */
	bool (*swizzles)(struct igen_device *igen);
	/** @restore: programs what a full reset loses, about how entries are read; forcewake of all domains held */
	void (*restore)(struct igen_device *igen);
	/**
	 * @tlb_flush: no TLB of the device has what was unbound before; 0, or -ETIMEDOUT; forcewake of all domains
	 * held; may sleep
	 */
	int (*tlb_flush)(struct igen_device *igen);
	/** @ppgtt_create: see igen_ppgtt_create() */
	struct igen_vm *(*ppgtt_create)(struct igen_device *igen, struct igen_budget *budget);
	/**
	 * @fill_scratch_table: has all entries of a table of this level, 0 the lowest, lead to scratch; where there are
	 * @scratch_tables
	 */
	void (*fill_scratch_table)(const struct igen_scratch *scratch, void *table, unsigned int level);
};

/**
 * struct igen_context_ops - the image of a context
 *
 * It is in the GGTT, of igen_engine_info.context_pages; the state is what the engine restores and saves. Engines
 * without pages have no images.
 */
struct igen_context_ops {
	/** @state_offset: where in the image the state begins, in bytes */
	u32 state_offset;
	/** @ticks_dw: the dword of the state that counts the engine's time on the context; 0: the backend counts */
	u32 ticks_dw;
	/** @engine_init: makes what images of an engine refer to: igen_engine.ctx_wa. NULL: nothing */
	int (*engine_init)(struct igen_engine *engine);
	/** @init: writes the skeleton of a state into zeroed memory, for an engine without a default state; or NULL */
	void (*init)(const struct igen_engine *engine, u32 *state);
	/**
	 * @update: writes what is the driver's: control, ring with its head and tail, page tables; the engine restores
	 * all of it next time. NULL: nothing is, and so for the next
	 */
	void (*update)(struct igen_lrc *lrc, u32 head, u32 tail);
	/** @set_addresses: writes where the ring is, and makes the descriptor; image and ring are pinned */
	void (*set_addresses)(struct igen_lrc *lrc);
	/** @set_engine: makes a state that of lrc->engine, another one of its class; values stay. NULL: as it is */
	void (*set_engine)(struct igen_lrc *lrc);
};

/** struct igen_reset_ops - how the hardware is reset: by bits of GDRST */
struct igen_reset_ops {
	/** @engines: engines can be reset one by one */
	bool engines;
	/** @full: the bit that resets the whole GT; igen_engine_info.reset_domain has the engines' */
	u32 full;
	/** @request: has an engine get ready; -ETIMEDOUT if it does not. NULL: it need not */
	int (*request)(struct igen_device *igen, const struct igen_engine_info *info);
	/** @cancel: takes @request back. NULL: @request needs no undoing */
	void (*cancel)(struct igen_device *igen, const struct igen_engine_info *info);
};

/** struct igen_error_ops - what the hardware tells of errors; forcewake of all domains held */
struct igen_error_ops {
	/** @acthd: where an engine is in memory; forcewake of its domain suffices */
	u64 (*acthd)(struct igen_engine *engine);
	/** @clear_faults: has the hardware record the next page fault: it keeps the first until then */
	void (*clear_faults)(struct igen_device *igen);
	/** @capture_engine: reads what an error state has of an engine, besides the registers of all generations */
	void (*capture_engine)(struct igen_engine *engine, struct igen_capture_regs *regs);
	/** @capture_gt: the same of what engines share */
	void (*capture_gt)(struct igen_device *igen, struct igen_snapshot *snap);
};

/** struct igen_bringup_ops - what a bring-up in stages asks of engines */
struct igen_bringup_ops {
	/** @explain_irq: why the interrupt handler has not run, although the engine has had something to tell */
	void (*explain_irq)(struct igen_bringup *b, struct igen_engine *engine);
	/** @explain_engine: why the engine has not completed its first context; forcewake of all domains held */
	void (*explain_engine)(struct igen_bringup *b, struct igen_engine *engine);
	/** @check_engine: the engine has run its first contexts and a batch: has it told all that the driver needs? */
	void (*check_engine)(struct igen_bringup *b, struct igen_engine *engine);
};

/** struct igen_power_ops - the GT's clock and its sleep */
struct igen_power_ops {
	/** @residency_reg: counts the time in RC6 */
	u32 residency_reg;
	/** @residency_hz: at which it counts */
	u32 residency_hz;
	/** @wake_rate_limit: for RC6_WAKE_RATE_LIMIT, set by @setup */
	u32 wake_rate_limit;
	/** @rc6_more: bits for RC_CONTROL beside RC6's own: deeper states, set by @rc6_enter */
	u32 rc6_more;
	/** @gates: GT_PG_*: units that may lose power on their own while RC6 is in use, set by @setup */
	u32 gates;
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
	/** @rc6_prepared: the firmware has set up RC6; asked before @setup, forcewake of the GT held; NULL: no need */
	bool (*rc6_prepared)(struct igen_device *igen);
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
extern const struct igen_power_ops igen_power_gen6_ops;
extern const struct igen_power_ops igen_power_gen7_ops;
extern const struct igen_power_ops igen_power_gen9_ops;
extern const struct igen_power_ops igen_power_skl_ops;
extern const struct igen_power_ops igen_power_skl_gt3_ops;	/* and GT4 */
extern const struct igen_power_ops igen_power_gen9lp_ops;
extern const struct igen_reset_ops igen_reset_gen6_ops;
extern const struct igen_reset_ops igen_reset_gen7_ops;
extern const struct igen_reset_ops igen_reset_gen8_ops;
extern const struct igen_error_ops igen_error_gen6_ops;
extern const struct igen_error_ops igen_error_gen8_ops;
extern const struct igen_bringup_ops igen_bringup_gen6_ops;
extern const struct igen_bringup_ops igen_bringup_gen8_ops;
extern const struct igen_context_ops igen_context_gen6_ops;
extern const struct igen_context_ops igen_context_gen9_ops;
extern const struct igen_gtt_ops igen_gtt_gen6_ops;
extern const struct igen_gtt_ops igen_gtt_gen7_ops;
extern const struct igen_gtt_ops igen_gtt_gen8_ops;
extern const struct igen_gtt_ops igen_gtt_gen9lp_ops;
extern const struct igen_irq_ops igen_irq_gen6_ops;
extern const struct igen_irq_ops igen_irq_gen8_ops;
extern const struct igen_emit_ops igen_emit_gen6_rcs_ops;
extern const struct igen_emit_ops igen_emit_gen6_vcs_ops;
extern const struct igen_emit_ops igen_emit_gen6_xcs_ops;
extern const struct igen_emit_ops igen_emit_gen7_rcs_ops;
extern const struct igen_emit_ops igen_emit_gen7_xcs_ops;
extern const struct igen_emit_ops igen_emit_gen8_ops;
extern const struct igen_emit_ops igen_emit_gen8_dc_flush_ops;	/* with WaForGAMHang */
extern const struct igen_switch_ops igen_switch_gen6_rcs_ops;
extern const struct igen_switch_ops igen_switch_gen6_vcs_ops;
extern const struct igen_switch_ops igen_switch_gen6_bcs_ops;
extern const struct igen_switch_ops igen_switch_gen6_xcs_ops;
extern const struct igen_switch_ops igen_switch_gen7_rcs_ops;
extern const struct igen_submit_ops igen_execlists_ops;
extern const struct igen_submit_ops igen_ringbuffer_ops;

void igen_topology_gen9(struct igen_device *igen, struct igen_topology *topo);
void igen_mocs_gen9(struct igen_engine *engine);
void igen_steer_gen9(struct igen_device *igen);

#endif
