/* SPDX-License-Identifier: MIT */
/**
 * DOC: What the parts of submit/ offer each other
 */
#ifndef _IGEN_SUBMIT_H_
#define _IGEN_SUBMIT_H_

#include <linux/timer.h>

#include "igen_context.h"
#include "igen_governor.h"
#include "igen_request.h"

struct igen_device;

/** struct igen_wait - a request waits for a fence */
struct igen_wait {
	/** @cb: with the fence */
	struct dma_fence_cb cb;
	/** @rq: who waits; it is there at least until all its waits are over */
	struct igen_request *rq;
	/** @fence: for what, counted */
	struct dma_fence *fence;
	/** @request: the same, if it is a request of the same device, which may be raised; else NULL */
	struct igen_request *request;
	/** @for_start: @request need only start, or begin, before the engine gets @rq */
	bool for_start;
	/** @before: who may begin when @fence signals, which is why @rq waits for that; its fence counted, or NULL */
	struct igen_request *before;
	/** @lrc: @request's, counted, if @rq's engine looks for its seqno; else NULL */
	struct igen_lrc *lrc;
	/** @by_cpu: the engine was to do it and is needed for something else; under its group->lock */
	bool by_cpu;
	/** @foreign: for a fence of which we don't know whether it ever signals: a struct igen_foreign_wait */
	bool foreign;
	/** @link: in rq->waits */
	struct list_head link;
	/** @exec_link: in the other request's exec_waits or begin_waits or in an engine's, under the engine's lock */
	struct list_head exec_link;
};

/** struct igen_foreign_wait - a wait that ends in time though its fence may not signal */
struct igen_foreign_wait {
	/** @base: the wait */
	struct igen_wait base;
	/** @timer: ends it, if it has one */
	struct timer_list timer;
	/** @over: it has ended, one way or the other; atomic */
	bool over;
};

/* The request whose end @wait->rq waits for on the engines where it is to run itself, or NULL. */
static inline struct igen_request *igen_wait_leader(const struct igen_wait *wait)
{
	struct igen_request *other = wait->request;

	return other && !wait->for_start && other->group == wait->rq->group ? other : NULL;
}

/* Scheduler (igen_scheduler.c). */

/*
 * A request is committed; the reference of engine->queue and its like is taken here. Any context; takes group->lock.
 */
void igen_scheduler_add(struct igen_request *rq);
/* The last fence that rq waited for has signaled. Any context; takes group->lock. */
void igen_scheduler_ready(struct igen_request *rq);
/* As part of a backend: rq is given to the hardware. group->lock held. */
void igen_scheduler_start(struct igen_engine *engine, struct igen_request *rq);
/* As part of a backend: the engine works on rq, or has. group->lock held. */
void igen_scheduler_begin(struct igen_engine *engine, struct igen_request *rq);
/* Has the backend see whether rq has begun. Any context; takes group->lock. */
void igen_scheduler_look(struct igen_request *rq);
void igen_scheduler_init(struct igen_engine *engine);
void igen_scheduler_fini(struct igen_engine *engine);
/* rq is about to join engine's queue: when it is its turn. group->lock held. */
void igen_scheduler_set_turn(struct igen_engine *engine, struct igen_request *rq);
/* As part of a backend: puts rq by priority, behind (or, with front, before) its equals. group->lock held. */
void igen_scheduler_insert(struct igen_engine *engine, struct igen_request *rq, bool front);
/* Takes back what the hardware has been given and not completed, newest first. group->lock held. */
void igen_scheduler_unwind(struct igen_engine *engine);
/* Somebody else waits who is as urgent as what runs. group->lock held. */
bool igen_scheduler_rival(struct igen_engine *engine);
/* A context had its turn: its requests in the queue go behind their equals; none is in flight. group->lock held. */
void igen_scheduler_defer(struct igen_engine *engine, const struct igen_lrc *lrc);
/* Drops completed requests from the head of engine->inflight. group->lock held. */
void igen_scheduler_trim(struct igen_engine *engine);
/*
 * Raises rq, which was committed, to a priority above its own, and moves it forward if it is queued. True when the
 * backend has to look at the engine's requests again. group->lock and lrc->requests_lock held; earlier requests of
 * its timeline first.
 */
bool igen_scheduler_raise(struct igen_request *rq, int priority);
/* Takes a completed request out of the queue. group->lock held. */
void igen_scheduler_drop(struct igen_request *rq);
/* Nothing is queued, and nothing is on the hardware or on its way there. Any context; takes group->lock. */
bool igen_engine_is_idle(struct igen_engine *engine);
/* Has the backend look at the engine again. Any context; takes group->lock. */
void igen_engine_submit(struct igen_engine *engine);
/* The oldest request in flight that has not completed, or NULL. group->lock held. */
struct igen_request *igen_scheduler_active(struct igen_engine *engine);

/* Ticks that the engine has worked on lrc; live: up to the moment, forcewake held. Takes group->lock. */
u64 igen_lrc_runtime(struct igen_lrc *lrc, bool live);

/* Balanced contexts (igen_balance.c). */

/* engine takes over what waits elsewhere and would run at once; turn: in place of an equal too. group->lock held. */
void igen_balance_pull(struct igen_engine *engine, bool turn);
/* Somebody waits elsewhere who is as urgent as what engine runs. group->lock held. */
bool igen_balance_rival(struct igen_engine *engine);

/* What a request waits for (igen_await.c). */

/* Runs what waits for requests to start. No lock held. */
void igen_await_run_started(struct list_head *waits);
/* Forgets what a retired request waited for. No spinlock held. */
void igen_await_forget(struct list_head *waits);

/* Waits that engines do themselves (igen_semaphore.c). */

/* May rq's engine wait itself for other, of the same device? Timeline's mutex held. */
bool igen_semaphore_possible(const struct igen_request *rq, const struct igen_request *other);
/* Where other's seqno will arrive, in its LRC, or NULL when it has. other's group->lock held. */
const u32 *igen_semaphore_place(const struct igen_request *other);
/* rq waits so already for fence or for what comes after it. Timeline's mutex held. */
bool igen_semaphore_covers(const struct igen_request *rq, const struct dma_fence *fence);
/* Has rq's engine wait for the seqno of wait->fence, to arrive at place, in wait->lrc. Timeline's mutex held. */
void igen_semaphore_emit(struct igen_request *rq, struct igen_wait *wait, const u32 *place);
/* An engine that had rq would wait now. group->lock held. */
bool igen_semaphore_waits(const struct igen_request *rq);
/* The same, and there is something else for the engine to do. group->lock held. */
bool igen_semaphore_obstructs(struct igen_engine *engine, const struct igen_request *rq);
/* rq, of which the engine has nothing any more, goes on waiting by way of the CPU. group->lock held. */
void igen_semaphore_give_up(struct igen_engine *engine, struct igen_request *rq);

/* Inheritance of priority (igen_inherit.c). */

/* rq is committed, and joins its timeline. Timeline's mutex held. */
void igen_inherit_commit(struct igen_request *rq);
/* rq is retired, and leaves it. Timeline's mutex held. */
void igen_inherit_retire(struct igen_request *rq, struct list_head *waits);

/* Breadcrumbs (igen_breadcrumbs.c). */

/* Somebody waits for rq: false when it has completed already. rq's fence lock held, interrupts off. */
bool igen_breadcrumbs_add(struct igen_request *rq);
/* rq's fence has signaled: it need not be looked at any more. Any context. */
void igen_breadcrumbs_remove(struct igen_request *rq);
/* Something has completed, and who waits for it was not told yet. Any context. */
bool igen_breadcrumbs_due(struct igen_engine *engine);
/* Signals what has completed on this engine; called by the user interrupt and by whoever suspects a lost one. */
void igen_breadcrumbs_signal(struct igen_engine *engine);

/* Heartbeat (igen_heartbeat.c). */

void igen_heartbeat_init(struct igen_engine *engine);
void igen_heartbeat_fini(struct igen_engine *engine);
void igen_heartbeat_stop(struct igen_engine *engine);
/* The engine reported an error itself, we lost track of it, or a batch is overdue: has that end. Any context. */
void igen_heartbeat_fail(struct igen_engine *engine, enum igen_engine_failure failure);
/* The engine got work: makes sure that somebody looks after it. group->lock may be held. */
void igen_heartbeat_arm(struct igen_engine *engine);
/* The interval has changed: the next beat comes no later than it says. May sleep. */
void igen_heartbeat_hasten(struct igen_engine *engine);
/* The interval is 0 now: what closed contexts have there ends. May sleep; takes the reset mutex. */
void igen_heartbeat_off(struct igen_engine *engine);
/* Sends a request of highest priority at once, so that what runs has to yield or be reset. As igen_heartbeat_off(). */
void igen_heartbeat_evict(struct igen_engine *engine);

/* Watchdog (igen_watchdog.c). */

/* Looks, once a second, for batches that run for too long. Process context; takes engines' locks. */
void igen_watchdog(struct igen_device *igen);

/* Reset (igen_reset.c). */

/*
 * Turns a request that has not completed into one that does nothing but complete, with error. group->lock held
 * or the request not yet submitted.
 */
void igen_request_skip(struct igen_request *rq, int error);
bool igen_request_is_skipped(const struct igen_request *rq);
/* 0 if rq, not completed, may run on engine; else the error with which it is to be skipped. Any context. */
int igen_request_verdict(const struct igen_request *rq, const struct igen_engine *engine);
/* Gives up the GPU: everything queued, in flight or to come fails with -EIO. May sleep. */
void igen_wedge(struct igen_device *igen, const char *reason);
/* Takes everything off the hardware, for removal or suspend; igen_unwedge() brings it back. May sleep. */
void igen_submit_stop(struct igen_device *igen);
/* Requests came after the GPU was given up: has them fail. Any context. */
void igen_wedged_kick(struct igen_device *igen);
/* Tries to bring a wedged GPU back (debugfs i915_wedged). True when it works again. May sleep. */
bool igen_unwedge(struct igen_device *igen);
/* After runtime suspend: programs engines that had nothing to do. 0, or why it does not work. */
int igen_submit_restart(struct igen_device *igen);
/* Full reset: all engines, with the registers outside of them programmed again. May sleep. */
int igen_gpu_reset(struct igen_device *igen, const char *reason);
void igen_reset_init(struct igen_device *igen);
void igen_reset_fini(struct igen_device *igen);

/* The driver's own contexts (igen_kernel_context.c). */

/* Records each engine's default state and makes the driver's context for it; the GPU runs already. May sleep. */
int igen_kernel_contexts_init(struct igen_device *igen);
void igen_kernel_contexts_fini(struct igen_device *igen);

#endif
