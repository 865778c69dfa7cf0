// SPDX-License-Identifier: MIT
/**
 * DOC: Retirement
 *
 * Retiring a completed request frees its ring space and its waits, and signals its fence if that has not signaled yet.
 * igen_request_create() retires the requests of its own timeline when it needs ring space. The retire worker retires
 * those of all timelines once a second while any exist, so that idle contexts can be freed. A timeline holds a
 * reference to its context while it has requests that are not retired.
 *
 * The worker does more once a second:
 *
 * * When all requests are retired and the engines have saved their last context, it parks the GT (engine/igen_power.c),
 *   and clients give back the memory that they keep for requests.
 * * Otherwise it runs the watchdog (igen_watchdog.c).
 * * If requests are left, it has each engine's backend look for events and queued requests. This finds a lost interrupt
 *   where the heartbeat is off.
 * * If none are left but an engine is not idle, it looks for a lost context event: an engine whose status register
 *   contradicts its events twice in a row is restarted.
 */
#include <linux/slab.h>

#include "../igen_device.h"
#include "../igen_trace.h"
#include "igen_client.h"
#include "igen_reset.h"
#include "igen_retire.h"
#include "igen_submit.h"

/* Has a request leave its engine before it is retired, even if the backend has not looked at the engine since. */
static void retire_trace_request(struct igen_request *rq)
{
	struct igen_engine_group *group = rq->group;
	unsigned int n;

	spin_lock_irq(&group->lock);
	for (n = 0; n < group->num_engines; n++)
		igen_scheduler_trim(group->engine[n]);
	spin_unlock_irq(&group->lock);
	trace_i915_request_retire(rq);
}

static void retire_request(struct igen_request *rq)
{
	struct igen_lrc *lrc = rq->lrc;
	LIST_HEAD(waits);

	if (trace_i915_request_retire_enabled())
		retire_trace_request(rq);
	/* The request reads its own seqno from now on and thus stays completed. The LRC's memory may be freed. */
	WRITE_ONCE(rq->hwsp_seqno, (const u32 *)&rq->fence.seqno);

	lrc->ring.head = igen_request_end(rq);
	if (rcu_access_pointer(lrc->timeline.last) == &rq->fence)
		RCU_INIT_POINTER(lrc->timeline.last, NULL);

	igen_inherit_retire(rq, &waits);
	dma_fence_signal(&rq->fence);
	igen_governor_retire(rq);
	igen_breadcrumbs_remove(rq);
	igen_await_forget(&waits);
	igen_request_put(rq);
}

/**
 * igen_lrc_retire - retire the completed requests of a timeline
 * @lrc: the LRC, of a context that the caller holds
 *
 * Context: process; the timeline's mutex is held.
 */
void igen_lrc_retire(struct igen_lrc *lrc)
{
	struct igen_engine_group *group = lrc->group;
	struct igen_device *igen = group->igen;
	struct igen_request *rq, *next;

	lockdep_assert_held(&lrc->timeline.mutex);

	list_for_each_entry_safe(rq, next, &lrc->timeline.requests, timeline_link) {
		if (!igen_request_completed(rq))
			return;
		retire_request(rq);
	}

	if (list_empty(&lrc->active_link))
		return;

	spin_lock(&group->lrcs_lock);
	list_del_init(&lrc->active_link);
	if (!list_empty(&lrc->pin_link))
		list_move_tail(&lrc->pin_link, &group->pinned_lrcs);
	spin_unlock(&group->lrcs_lock);
	if (atomic_dec_and_lock(&igen->active_count, &igen->active_lock)) {
		igen_note_awake(igen, false);
		spin_unlock(&igen->active_lock);
	}
	igen_context_put(lrc->context);
}

/**
 * igen_retire_let_go - have the backend drop the requests that have ended
 * @group: the engines
 *
 * An engine with one ring sends no interrupt when a request ends that nothing waits for. So its backend holds the
 * request and its LRC until it looks. Execlists look for events that have come.
 *
 * Context: takes group->lock.
 */
void igen_retire_let_go(struct igen_engine_group *group)
{
	const struct igen_submit_ops *ops = group->igen->platform->submit;
	struct igen_engine_state state;
	unsigned int n;

	spin_lock_irq(&group->lock);
	for (n = 0; n < group->num_engines; n++)
		ops->state(group->engine[n], false, &state);
	spin_unlock_irq(&group->lock);
}

/* Retires the completed requests of a group's timelines. True when a timeline still has requests. */
static bool retire_group(struct igen_engine_group *group)
{
	struct igen_context *ctx;
	struct igen_lrc *lrc;
	LIST_HEAD(seen);
	bool left;

	spin_lock(&group->lrcs_lock);
	list_splice_init(&group->active_lrcs, &seen);
	while (!list_empty(&seen)) {
		lrc = list_first_entry(&seen, struct igen_lrc, active_link);
		list_move_tail(&lrc->active_link, &group->active_lrcs);
		/* A timeline on the list holds a reference to its context. */
		ctx = igen_context_get(lrc->context);
		spin_unlock(&group->lrcs_lock);

		spin_lock_irq(&group->lock);
		igen_lrc_note_runtime(lrc);
		spin_unlock_irq(&group->lock);
		if (mutex_trylock(&lrc->timeline.mutex)) {
			igen_lrc_retire(lrc);
			mutex_unlock(&lrc->timeline.mutex);
		}
		igen_context_put(ctx);

		spin_lock(&group->lrcs_lock);
	}
	left = !list_empty(&group->active_lrcs);
	spin_unlock(&group->lrcs_lock);
	return left;
}

/* Retires the completed requests of all timelines. True when a timeline still has requests. */
static bool retire_all(struct igen_device *igen)
{
	struct igen_engine_group *group;
	bool left = false;

	for_each_group(igen, group)
		left |= retire_group(group);
	return left;
}

/**
 * igen_retire - retire the completed requests of all timelines
 * @igen: the device
 *
 * Passes over timelines whose mutex is taken. The walk hides the list of timelines from a worker that runs at the same
 * time. That worker would find nothing left and not queue itself again, so this function queues it.
 *
 * Context: may sleep.
 */
void igen_retire(struct igen_device *igen)
{
	if (retire_all(igen))
		queue_delayed_work(igen->wq, &igen->retire_work, HZ);
}

/* Parks the GT if all requests are retired and all engines idle. An engine may still be saving the last context. */
static bool retire_park_gt(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;
	bool idle;

	spin_lock(&igen->active_lock);
	idle = !atomic_read(&igen->active_count);
	for_each_engine(igen, id, engine)
		idle = idle && igen_engine_is_idle(engine);
	if (idle)
		igen_power_park(igen);
	spin_unlock(&igen->active_lock);
	return idle;
}

/* Has the backend look at all engines again, in case an interrupt was lost. */
static void retire_resubmit(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	for_each_engine(igen, id, engine)
		igen_engine_submit(engine);
}

/*
 * All requests are retired. Restarts an engine whose status register contradicts its events now and did so in the last
 * round, without an event in between.
 */
static void retire_find_lost_event(struct igen_engine *engine)
{
	const struct igen_submit_ops *ops = engine->igen->platform->submit;
	struct igen_engine_state state = { .certain = true };
	unsigned int resets;

	spin_lock_irq(&engine->group->lock);
	if (!ops->idle(engine))
		ops->state(engine, true, &state);
	resets = engine->resets;
	spin_unlock_irq(&engine->group->lock);

	if (!state.certain && engine->csb_mismatch && engine->csb_mismatch_moves == state.moves)
		igen_engine_restart(engine, resets, "it is through, and the event was lost");
	engine->csb_mismatch = !state.certain;
	engine->csb_mismatch_moves = state.moves;
}

static void retire_find_lost_events(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	/* A sleeping device has lost its engines' state. This does not wake it. */
	if (!igen_rpm_get_if_awake(igen))
		return;
	for_each_engine(igen, id, engine)
		retire_find_lost_event(engine);
	igen_rpm_put(igen);
}

static void retire_work(struct work_struct *work)
{
	struct igen_device *igen = container_of(to_delayed_work(work), struct igen_device, retire_work);
	bool left = retire_all(igen);

	if (left)
		retire_resubmit(igen);
	if (left || !retire_park_gt(igen)) {
		if (!left)
			retire_find_lost_events(igen);
		igen_watchdog(igen);
		queue_delayed_work(igen->wq, &igen->retire_work, HZ);
	} else {
		igen_clients_free_idle(igen);
	}
}

/**
 * igen_retire_now - run the retire worker at once
 * @igen: the device
 *
 * Retires completed requests, and parks the GT if none are left.
 *
 * Context: may sleep.
 */
void igen_retire_now(struct igen_device *igen)
{
	mod_delayed_work(igen->wq, &igen->retire_work, 0);
	flush_delayed_work(&igen->retire_work);
}

/**
 * igen_retire_init - prepare retirement, once per device
 * @igen: the device
 */
void igen_retire_init(struct igen_device *igen)
{
	spin_lock_init(&igen->active_lock);
	spin_lock_init(&igen->awake_lock);
	atomic_set(&igen->active_count, 0);
	mutex_init(&igen->clients_mutex);
	INIT_LIST_HEAD(&igen->clients);
	INIT_DELAYED_WORK(&igen->retire_work, retire_work);
	igen->mm.is_request = igen_fence_is_request_of;
	igen_evict_contexts_init(igen);
}

/**
 * igen_retire_fini - stop the retire worker
 * @igen: the device, to which nothing is submitted any more
 */
void igen_retire_fini(struct igen_device *igen)
{
	cancel_delayed_work_sync(&igen->retire_work);
	retire_all(igen);
}

/**
 * igen_note_awake - count the time in which the GPU has work
 * @igen: the device
 * @awake: the first request has come; false: the last one was retired
 *
 * Context: any; active_lock held.
 */
void igen_note_awake(struct igen_device *igen, bool awake)
{
	ktime_t now = ktime_get();
	unsigned long flags;

	lockdep_assert_held(&igen->active_lock);

	spin_lock_irqsave(&igen->awake_lock, flags);
	if (!awake)
		igen->awake_ns += ktime_to_ns(ktime_sub(now, igen->awake_since));
	igen->awake_since = awake ? now : 0;
	spin_unlock_irqrestore(&igen->awake_lock, flags);
}

/**
 * igen_is_awake - ask whether the device has requests that are not retired
 * @igen: the device
 *
 * Return: true when it has.
 * Context: any.
 */
bool igen_is_awake(struct igen_device *igen)
{
	unsigned long flags;
	bool awake;

	spin_lock_irqsave(&igen->awake_lock, flags);
	awake = igen->awake_since;
	spin_unlock_irqrestore(&igen->awake_lock, flags);
	return awake;
}

/**
 * igen_awake_ns - tell for how long the device has had requests that were not retired
 * @igen: the device
 *
 * Return: nanoseconds.
 * Context: any.
 */
u64 igen_awake_ns(struct igen_device *igen)
{
	unsigned long flags;
	u64 ns;

	spin_lock_irqsave(&igen->awake_lock, flags);
	ns = igen->awake_ns;
	if (igen->awake_since)
		ns += ktime_to_ns(ktime_sub(ktime_get(), igen->awake_since));
	spin_unlock_irqrestore(&igen->awake_lock, flags);
	return ns;
}
