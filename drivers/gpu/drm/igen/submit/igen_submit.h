/* SPDX-License-Identifier: MIT */
/**
 * DOC: Internal interfaces of submit/
 */
#ifndef _IGEN_SUBMIT_H_
#define _IGEN_SUBMIT_H_

#include <linux/rbtree.h>
#include <linux/timer.h>

#include "igen_context.h"
#include "igen_governor.h"
#include "igen_request.h"

struct igen_device;

/** struct igen_wait - a request waits for a fence (igen_await.c) */
struct igen_wait {
	/** @cb: the callback on @fence that ends the wait */
	struct dma_fence_cb cb;
	/** @rq: the waiting request; it lives at least until all its waits are over */
	struct igen_request *rq;
	/** @fence: the fence that @rq waits for, with a reference */
	struct dma_fence *fence;
	/** @request: the request of @fence if it is one of the same device, which may be raised; else NULL */
	struct igen_request *request;
	/** @for_start: the wait is over when @request has been given to its engine, or runs; not when it completes */
	bool for_start;
	/** @before: the request for whose start @rq waits, if @fence precedes that start; with a reference, or NULL */
	struct igen_request *before;
	/** @lrc: the LRC of @request, with a reference, if the engine waits by semaphore; else NULL */
	struct igen_lrc *lrc;
	/** @by_cpu: a fence callback replaces the engine's wait (igen_semaphore_give_up()); under group->lock */
	bool by_cpu;
	/** @foreign: @fence may never signal: the wait is a struct igen_foreign_wait */
	bool foreign;
	/** @link: in rq->waits */
	struct list_head link;
	/** @node: in rq->awaited until @rq is committed, unless the engine waits itself or @before is set */
	struct rb_node node;
	/** @exec_link: in exec_waits or begin_waits of @request, or in exec_waits of an engine; under group->lock */
	struct list_head exec_link;
};

/** struct igen_foreign_wait - a wait with a timeout, for a fence of another driver or device */
struct igen_foreign_wait {
	/** @base: the wait */
	struct igen_wait base;
	/** @timer: ends the wait after igen_params.fence_timeout_ms, if that is not 0 */
	struct timer_list timer;
	/** @over: the wait has ended, by the fence or by the timer; atomic */
	bool over;
};

/* The leader of a wait: the request whose end wait->rq waits for, if both are of the same group; or NULL. */
static inline struct igen_request *igen_wait_leader(const struct igen_wait *wait)
{
	struct igen_request *other = wait->request;

	return other && !wait->for_start && other->group == wait->rq->group ? other : NULL;
}

/* Scheduler (igen_scheduler.c). */

void igen_scheduler_add(struct igen_request *rq);
void igen_scheduler_ready(struct igen_request *rq);
void igen_scheduler_ready_later(struct igen_request *rq);
void igen_scheduler_start(struct igen_engine *engine, struct igen_request *rq);
void igen_scheduler_land(struct igen_request *rq);
void igen_scheduler_begin(struct igen_engine *engine, struct igen_request *rq);
void igen_scheduler_look(struct igen_request *rq);
void igen_scheduler_look_later(struct igen_request *rq);
void igen_scheduler_flush(struct igen_device *igen);
void igen_scheduler_init(struct igen_engine *engine);
void igen_scheduler_fini(struct igen_engine *engine);
void igen_scheduler_unwind(struct igen_engine *engine);
struct igen_request *igen_scheduler_rival(struct igen_engine *engine, bool busy);
bool igen_scheduler_take_turns(struct igen_engine *engine, struct igen_lrc *lrc, unsigned long *since);
void igen_scheduler_trim(struct igen_engine *engine);
bool igen_scheduler_raise(struct igen_request *rq, int priority);
void igen_scheduler_drop(struct igen_request *rq);
bool igen_engine_is_idle(struct igen_engine *engine);
void igen_engine_submit(struct igen_engine *engine);
struct igen_request *igen_scheduler_active(struct igen_engine *engine);

u64 igen_lrc_runtime(struct igen_lrc *lrc, bool live);

/* Queue of an engine (igen_queue.c): all with group->lock held. */

/* A request of a closed file comes behind all requests of open files, whatever its priority. */
#define IGEN_RANK_LEFT	(4 * IGEN_PRIORITY_MAX)

/* The rank of a request: of two requests of an engine the one with the higher rank runs first. group->lock held. */
static inline int igen_request_rank(const struct igen_request *rq)
{
	/* Nothing is left to do for it but its end, which others may wait for. */
	if (unlikely(rq->hung))
		return IGEN_PRIORITY_MAX - 1;
	return rq->share && rq->share->left ? rq->priority - IGEN_RANK_LEFT : rq->priority;
}

static inline bool igen_queue_is_empty(const struct igen_engine *engine)
{
	return !engine->queued_lrcs;
}

void igen_share_init(struct igen_share *share, struct igen_share *above, bool is_client);
void igen_queue_init(struct igen_engine *engine);
void igen_queue_add(struct igen_engine *engine, struct igen_request *rq);
bool igen_queue_pass(struct igen_engine *engine, struct igen_request *rq);
void igen_queue_remove(struct igen_engine *engine, struct igen_request *rq);
void igen_queue_take(struct igen_engine *engine, struct igen_request *rq);
void igen_queue_give_back(struct igen_engine *engine, struct igen_request *rq);
void igen_queue_raise(struct igen_engine *engine, struct igen_request *rq, int priority);
void igen_queue_defer(struct igen_engine *engine, struct igen_lrc *lrc, u64 ticks);
bool igen_queue_leave(struct igen_engine *engine, struct igen_share *share, bool left);
void igen_queue_charge(struct igen_request *rq, u64 ticks);
void igen_queue_pay(struct igen_request *rq);
void igen_queue_note_begin(struct igen_request *rq);
void igen_queue_note_begun(struct igen_engine *engine);
void igen_queue_note_hang(struct igen_engine *engine, struct igen_request *rq, unsigned long since);
struct igen_request *igen_queue_first(struct igen_engine *engine);
struct igen_request *igen_queue_ready(struct igen_engine *engine);
struct igen_request *igen_queue_first_client(struct igen_engine *engine);
struct igen_request *igen_queue_next(struct igen_request *rq);
struct igen_request *igen_queue_rival(struct igen_engine *engine, const struct igen_lrc *lrc, bool busy);
void igen_queue_set_aside(struct igen_engine *engine, struct igen_lrc *lrc);
void igen_queue_return(struct igen_engine *engine, struct igen_lrc *lrc);
bool igen_queue_would_run(struct igen_engine *engine, const struct igen_request *running, u64 ticks,
			  const struct igen_request *rq);

/* Debts of shares for hangs (igen_debt.c): with group->lock held, or the lock of all owners. */

bool igen_debt_is_called(const struct igen_share *share);
bool igen_debt_holds_client(const struct igen_client *client, const struct igen_engine *engine);
void igen_debt_note_use_now(struct igen_request *rq);
u64 igen_debt_incur(const struct igen_request *rq, unsigned long since);
bool igen_debt_end(struct igen_engine *engine, unsigned long *until);
void igen_debt_remember(const struct igen_owner *owner, enum igen_engine_id id);
void igen_debt_inherit(const struct igen_device *igen, struct igen_owner *owner);

/**
 * igen_debt_note_use - a request wants or uses its engine, or has
 * @rq: the request, with its share
 *
 * A second note in the same jiffy would change nothing. A parent keeps the two shares that came last, and any share
 * that came after this one has the same time. The driver's own requests owe nothing.
 *
 * Context: group->lock held.
 */
static inline void igen_debt_note_use(struct igen_request *rq)
{
	if (rq->client && time_after(jiffies, rq->use_noted))
		igen_debt_note_use_now(rq);
}

/**
 * igen_debt_holds - ask whether what is below a share waits since the share owes time
 * @share: the share, not an engine's root
 *
 * Return: true when it waits.
 * Context: group->lock held.
 */
static inline bool igen_debt_holds(const struct igen_share *share)
{
	return unlikely(share->owes) && igen_debt_is_called(share);
}

/* Contexts that poll (igen_polls.c): all with group->lock held. */

void igen_request_note_progress(const struct igen_request *rq);
bool igen_request_polls(const struct igen_request *rq);

/* Balanced contexts (igen_balance.c). */

void igen_balance_pull(struct igen_engine *engine, bool turn);
bool igen_balance_rival(struct igen_engine *engine, bool busy);

/* Dependencies of requests (igen_await.c). */
void igen_await_run_started(struct list_head *waits);
void igen_await_forget(struct list_head *waits);

/* Semaphore waits between engines (igen_semaphore.c). */
bool igen_semaphore_possible(const struct igen_request *rq, const struct igen_request *other);
const u32 *igen_semaphore_place(const struct igen_request *other);
bool igen_semaphore_covers(const struct igen_request *rq, const struct dma_fence *fence);
void igen_semaphore_emit(struct igen_request *rq, struct igen_wait *wait, const u32 *place);
bool igen_semaphore_waits(const struct igen_request *rq);
bool igen_semaphore_blocks_others(struct igen_engine *engine, const struct igen_request *rq);
void igen_semaphore_give_up(struct igen_engine *engine, struct igen_request *rq);

/**
 * igen_semaphore_obstructs - ask whether a request that waits would keep its engine from something else
 * @engine: the engine
 * @rq: a committed request of it
 *
 * Return: true when the engine would wait in it, and another context has something queued or in flight.
 * Context: group->lock held.
 */
static inline bool igen_semaphore_obstructs(struct igen_engine *engine, const struct igen_request *rq)
{
	return unlikely(rq->semaphore_place) && igen_semaphore_blocks_others(engine, rq);
}

/* Inheritance of priority (igen_inherit.c). */
void igen_inherit_init(struct igen_client *client);
void igen_inherit_commit(struct igen_request *rq);
void igen_inherit_retire(struct igen_request *rq, struct list_head *waits);

/* Breadcrumbs (igen_breadcrumbs.c). */
bool igen_breadcrumbs_add(struct igen_request *rq);
bool igen_breadcrumbs_keep(struct igen_engine *engine, bool keep);
void igen_breadcrumbs_remove(struct igen_request *rq);
bool igen_breadcrumbs_due(struct igen_engine *engine);
void igen_breadcrumbs_signal(struct igen_engine *engine);
void igen_breadcrumbs_irq(struct igen_engine *engine);
void igen_breadcrumbs_init(struct igen_engine *engine);
void igen_breadcrumbs_fini(struct igen_engine *engine);

/* Requests of closed files (igen_leftover.c). */
void igen_leftover_hung(struct igen_context *ctx);
bool igen_leftover_is_doomed(const struct igen_request *rq);

/* Heartbeat (igen_heartbeat.c). */
void igen_heartbeat_init(struct igen_engine *engine);
void igen_heartbeat_fini(struct igen_engine *engine);
void igen_heartbeat_stop(struct igen_engine *engine);
void igen_heartbeat_fail(struct igen_engine *engine, enum igen_engine_failure failure);
void igen_heartbeat_arm(struct igen_engine *engine);
void igen_heartbeat_apply_interval(struct igen_engine *engine);
void igen_heartbeat_off(struct igen_engine *engine);
void igen_heartbeat_evict(struct igen_engine *engine);

/* Command errors (igen_command_error.c). */
void igen_command_error(struct igen_engine *engine);

/* Watchdog (igen_watchdog.c). */
void igen_watchdog(struct igen_device *igen);

/* Reset (igen_reset.c). */

void igen_request_skip(struct igen_request *rq, int error);
bool igen_request_is_skipped(const struct igen_request *rq);
int igen_request_check_run(const struct igen_request *rq, const struct igen_engine *engine);
void igen_wedge(struct igen_device *igen, const char *reason);
void igen_submit_stop(struct igen_device *igen);
void igen_wedged_kick(struct igen_device *igen);
bool igen_unwedge(struct igen_device *igen);
int igen_submit_restart(struct igen_device *igen);
int igen_gpu_reset(struct igen_device *igen, const char *reason);
void igen_reset_init(struct igen_device *igen);
void igen_reset_fini(struct igen_device *igen);

/* The driver's own contexts (igen_kernel_context.c). */

int igen_kernel_contexts_init(struct igen_device *igen);
void igen_kernel_contexts_fini(struct igen_device *igen);

#endif
