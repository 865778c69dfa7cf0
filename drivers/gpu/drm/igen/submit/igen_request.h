/* SPDX-License-Identifier: MIT */
/**
 * DOC: Requests
 *
 * One submission: a dma_fence, its space in a ring and its place in the scheduler. igen_request_create() takes the
 * timeline's mutex and ring space, the caller adds what it depends on and emits, igen_request_add() writes the
 * breadcrumb, gives it to the scheduler and drops the mutex; from then on the fence signals whatever happens.
 */
#ifndef _IGEN_REQUEST_H_
#define _IGEN_REQUEST_H_

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/kref.h>

#include "../engine/igen_lrc.h"
#include "igen_context.h"

#define IGEN_PRIORITY_MIN	(-1024)		/* below every user's */
#define IGEN_PRIORITY_NORMAL	0
#define IGEN_PRIORITY_MAX	1024		/* heartbeats and barriers */

/*
 * Behind its tail each request leaves two NOOPs, so that a resubmission of the same tail may move on (stock i915:
 * WaIdleLiteRestore); the next request starts behind them.
 */
#define IGEN_REQUEST_WA_BYTES	8

/* In fence.flags: somebody has waited for long (igen_governor.c). Set with the fence's lock held, before it signals. */
#define IGEN_REQUEST_BOOSTED	DMA_FENCE_FLAG_USER_BITS
/* Likewise: a walk that raises priorities (igen_inherit.c) has it on its list. */
#define IGEN_REQUEST_WANTED	(DMA_FENCE_FLAG_USER_BITS + 1)

/**
 * struct igen_request - one submission
 *
 * The engine lives as long as the device. LRC and context may be followed until the request is retired: with the
 * timeline's mutex held and the request in lrc->requests, or while it has not completed. They go after an RCU
 * grace period, so whoever has found one incomplete under group->lock may follow them until the unlock.
 */
struct igen_request {
	/** @fence: signals when the breadcrumb was written */
	struct dma_fence fence;
	/** @fence_lock: the fence's lock */
	spinlock_t fence_lock;
	/**
	 * @group: the engines where it may run; gone with the device, which whoever keeps the fence does not
	 * hold
	 */
	struct igen_engine_group *group;
	/** @engine: where it runs; under group->lock once it is committed: until it starts it may move in the group */
	struct igen_engine *engine;
	/** @info: what the platform's table says of its first engine, there as long as the module is */
	const struct igen_engine_info *info;
	/** @lrc: the timeline it belongs to */
	struct igen_lrc *lrc;
	/** @context: whose it is, for bans and reset statistics */
	struct igen_context *context;
	/** @timeline: a copy of its context's name, since its fence may outlive the context */
	char timeline[IGEN_CONTEXT_NAME];
	/** @pid: who made its context, which may be gone while the request is on a port */
	pid_t pid;
	/** @driver: it is the driver's own, not a client's; for the same reason */
	bool driver;
	/** @hwsp_seqno: where its breadcrumb arrives; once retired its own seqno, so that it reads as completed; RCU */
	const u32 *hwsp_seqno;
	/** @head: ring offset of its first byte */
	u32 head;
	/**
	 * @infix: ring offset behind what is done in any case: the wait for another engine and, once the request
	 * can't be cancelled, the writing of addresses that userspace counts on; the user's batch comes next
	 */
	u32 infix;
	/**
	 * @postfix: ring offset where the driver's own end (flush, seqno, interrupt) starts; from infix to here it
	 * may be blanked
	 */
	u32 postfix;
	/** @tail: ring offset behind its last byte; what the engine gets. IGEN_REQUEST_WA_BYTES of NOOPs follow it */
	u32 tail;
	/** @reserved: bytes of ring space left to it; under the timeline's mutex */
	u32 reserved;
	/** @priority: raised by igen_inherit.c only; under group->lock and lrc->requests_lock, to read under either */
	int priority;
	/** @followers: requests on its engines that wait for its end and have not been told */
	atomic_t followers;
	/** @follower_priority: the highest priority of such requests, or INT_MIN; atomic */
	int follower_priority;
	/** @turn: where it begins in its engine's virtual time, in ticks; constant once queued but for a deferral */
	u64 turn;
	/** @has_turn: @turn says so, and its client has paid for it; under group->lock */
	bool has_turn;
	/** @pending: fences it waits for, and one for igen_request_add() */
	atomic_t pending;
	/**
	 * @waits: one igen_wait a fence it waits for; under the timeline's mutex, and lrc->requests_lock once it is
	 * committed
	 */
	struct list_head waits;
	/** @semaphore: the one of @waits that its engine does itself, or NULL; see igen_semaphore.c */
	struct igen_wait *semaphore;
	/** @semaphore_place: where the seqno arrives that it waits for so, or NULL; constant once committed; RCU */
	const u32 *semaphore_place;
	/** @semaphore_seqno: which seqno */
	u32 semaphore_seqno;
	/** @link: in lrc->held, engine->queue or engine->inflight, where it is counted; under group->lock */
	struct list_head link;
	/** @timeline_link: in lrc->requests, or empty; under the timeline's mutex and lrc->requests_lock */
	struct list_head timeline_link;
	/** @inherit_link: for the walk that is to raise it to @wanted_priority; of who has set IGEN_REQUEST_WANTED */
	struct list_head inherit_link;
	/** @wanted_priority: the highest that somebody has wanted for it, or INT_MIN; atomic */
	int wanted_priority;
	/** @signal_link: in group->signalers while @signal_listed, counted; under group->irq_lock */
	struct list_head signal_link;
	/** @signal_listed: see above */
	bool signal_listed;
	/** @emitted_jiffies: when it was committed; for throttling */
	unsigned long emitted_jiffies;
	/** @batch_start: PPGTT address of its batch, for error reports */
	u64 batch_start;
	/** @capture: what its client wants to see when it hangs, or NULL; constant, freed with it */
	struct igen_capture_list *capture;
	/** @queued: it is in engine->queue; under group->lock */
	bool queued;
	/** @submitted: it was given to the hardware; under group->lock */
	bool submitted;
	/** @started: it was given to the hardware at least once; under group->lock */
	bool started;
	/** @expired: it has run for too long and is to end; under group->lock */
	bool expired;
	/** @seconds: how often the watchdog found it running; under group->lock */
	unsigned int seconds;
	/** @exec_waits: those of other requests that wait for @started; under group->lock */
	struct list_head exec_waits;
	/** @begin_waits: those that wait until the engine works on this one; under group->lock */
	struct list_head begin_waits;
	/** @rcu: frees it */
	struct rcu_head rcu;
};

static inline struct igen_request *to_igen_request(struct dma_fence *fence)
{
	return container_of(fence, struct igen_request, fence);
}

/* igen_request.c */
bool igen_fence_is_request(const struct dma_fence *fence);
int igen_request_make_room(struct igen_lrc *lrc, bool nonblock);
struct igen_request *igen_request_create(struct igen_lrc *lrc, unsigned int dwords, bool nonblock);
struct igen_request *igen_request_create_pulse(struct igen_lrc *lrc);
int igen_request_emit_batch(struct igen_request *rq, u64 address, bool secure);
u32 *igen_request_emit(struct igen_request *rq, unsigned int dwords);
void igen_request_add(struct igen_request *rq);
void igen_request_cancel(struct igen_request *rq, int error);
/* The newest one of a timeline that has not completed and was committed by then, counted, or NULL. Does not sleep. */
struct igen_request *igen_lrc_newest(struct igen_lrc *lrc, unsigned long limit);
int igen_request_module_init(void);
void igen_request_module_exit(void);

static inline struct igen_request *igen_request_get(struct igen_request *rq)
{
	dma_fence_get(&rq->fence);
	return rq;
}

static inline void igen_request_put(struct igen_request *rq)
{
	dma_fence_put(&rq->fence);
}

/**
 * igen_request_completed - asks whether the breadcrumb was written, whether or not the fence was told yet
 * @rq: a request that the caller holds a reference to
 *
 * Return: true when the GPU is through with it.
 */
static inline bool igen_request_completed(const struct igen_request *rq)
{
	bool completed;

	if (test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags))
		return true;

	rcu_read_lock();
	completed = (s32)(READ_ONCE(*READ_ONCE(rq->hwsp_seqno)) - lower_32_bits(rq->fence.seqno)) >= 0;
	rcu_read_unlock();
	return completed;
}

/* igen_await.c: what a request waits for */
int igen_request_await(struct igen_request *rq, struct dma_fence *fence);
int igen_request_await_execution(struct igen_request *rq, struct dma_fence *fence);
int igen_request_await_resv(struct igen_request *rq, struct dma_resv *resv, bool write);

/* igen_retire.c */
void igen_lrc_retire(struct igen_lrc *lrc);
void igen_retire(struct igen_device *igen);
void igen_retire_now(struct igen_device *igen);
void igen_retire_init(struct igen_device *igen);
void igen_note_awake(struct igen_device *igen, bool awake);
bool igen_is_awake(struct igen_device *igen);
u64 igen_awake_ns(struct igen_device *igen);

/* igen_let_go.c */
void igen_let_go(struct igen_device *igen);
void igen_let_go_init(struct igen_device *igen);
void igen_retire_fini(struct igen_device *igen);

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
	/** @unheard: the hardware has said something that nobody has looked at; group->lock held */
	bool (*unheard)(struct igen_engine *engine);
	/** @active: the request that the hardware is in, not counted, or NULL; group->lock held */
	struct igen_request *(*active)(struct igen_engine *engine);
	/** @running: how far an LRC's count of time is by now, if the engine is in it; group->lock, forcewake held */
	bool (*running)(struct igen_lrc *lrc, u32 *count);
	/** @is_misread: the engine is elsewhere than @active says, for now at least; under group->lock; NULL: never */
	bool (*is_misread)(struct igen_engine *engine);
	/** @runtime: ticks that the engine has worked on contexts up to now; group->lock held, the device there */
	u64 (*runtime)(struct igen_engine *engine);
	/** @moves: how often the hardware has come to or left a context, as of the last @active; group->lock held */
	unsigned int (*moves)(struct igen_engine *engine);
	/** @ports: the requests on the hardware, not counted, oldest first, NULL behind the last; group->lock held */
	void (*ports)(struct igen_engine *engine, struct igen_request *ports[2]);
	/** @reset_prepare: stops submission and the engine */
	int (*reset_prepare)(struct igen_engine *engine);
	/** @reset: after the hardware was reset: unwinds what was in flight; stalled: it hung */
	void (*reset)(struct igen_engine *engine, bool stalled);
	/** @reset_finish: submission goes on */
	void (*reset_finish)(struct igen_engine *engine);
};

extern const struct igen_submit_ops igen_execlists_ops;

/* Idle: all requests of all engines completed, or -ETIME after timeout jiffies. */
int igen_wait_for_idle(struct igen_device *igen, long timeout);
/*
 * Engine stuck: reset it (full reset as the fallback, wedged as the last resort); capture: keep what it looked like, if
 * it is the first error. May sleep.
 */
int igen_engine_reset(struct igen_engine *engine, const char *reason, bool capture);
/**
 * struct igen_suspect - what an engine was in when it was found to hang
 *
 * From there to the reset it may take long, and what runs by then may be innocent.
 */
struct igen_suspect {
	/** @rq: the request, counted, or NULL when there was none */
	struct igen_request *rq;
	/** @moves: how often the engine had come to or left a context */
	unsigned int moves;
	/** @resets: how often the engine had been reset */
	unsigned int resets;
	/** @certain: the engine has to be reset even if it is over: it said so itself */
	bool certain;
};

/* Notes what engine is in, for igen_engine_hung(). group->lock held. */
void igen_suspect_note(struct igen_engine *engine, struct igen_suspect *suspect);
/* Nothing came of it. Any context. */
void igen_suspect_drop(struct igen_suspect *suspect);
/*
 * The same for who found it stuck in what suspect says, which is dropped: nothing happens if that is over, and nothing
 * else is to blame.
 */
int igen_engine_hung(struct igen_engine *engine, struct igen_suspect *suspect, const char *reason);
/* When engine->resets was resets and has not changed: as igen_engine_reset(), but nothing that runs is at fault. */
int igen_engine_restart(struct igen_engine *engine, unsigned int resets, const char *reason);

#endif
