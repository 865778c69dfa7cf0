// SPDX-License-Identifier: MIT
/**
 * DOC: Retirement
 *
 * A request that has completed is retired: its ring space is free, what it waited for is forgotten, and its fence is
 * signaled if nobody listened. Whoever needs ring space does so for its own timeline; a worker does it for all once
 * a second, as long as there is something, so that contexts which are used no more let go of their memory.
 *
 * While a timeline has requests that are not retired, it keeps its context. When none has, and the engines have saved
 * the last context, the worker parks the GT (engine/igen_power.c). Else it has the watchdog look at what runs, and the
 * engines at what is queued, which is what finds a lost interrupt where there is no heartbeat. An engine that says that
 * it is through, and was never heard to be, is restarted: the event was lost, and nobody else waits for it.
 */
#include <linux/slab.h>

#include "../igen_device.h"
#include "igen_submit.h"

static void retire(struct igen_request *rq)
{
	struct igen_lrc *lrc = rq->lrc;
	LIST_HEAD(waits);

	/* Whoever looks at this request later finds it completed in itself: the status page may go. */
	WRITE_ONCE(rq->hwsp_seqno, (const u32 *)&rq->fence.seqno);

	lrc->ring_head = (rq->tail + IGEN_REQUEST_WA_BYTES) & (lrc->ring_size - 1);
	if (rcu_access_pointer(lrc->last) == &rq->fence)
		RCU_INIT_POINTER(lrc->last, NULL);

	igen_inherit_retire(rq, &waits);
	dma_fence_signal(&rq->fence);
	igen_governor_retire(rq);
	igen_breadcrumbs_remove(rq);
	igen_await_forget(&waits);
	igen_request_put(rq);
}

/**
 * igen_lrc_retire - retires what has completed of a timeline
 * @lrc: the LRC; its timeline's mutex is held, and the caller holds its context
 */
void igen_lrc_retire(struct igen_lrc *lrc)
{
	struct igen_engine_group *group = lrc->group;
	struct igen_device *igen = group->igen;
	struct igen_request *rq, *next;

	lockdep_assert_held(&lrc->timeline_mutex);

	list_for_each_entry_safe(rq, next, &lrc->requests, timeline_link) {
		if (!igen_request_completed(rq))
			return;
		retire(rq);
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

/* Retires what has completed of a class's timelines; whether one is left that has requests. */
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
		/* Being on the list holds a reference to the context. */
		ctx = igen_context_get(lrc->context);
		spin_unlock(&group->lrcs_lock);

		spin_lock_irq(&group->lock);
		igen_lrc_note_runtime(lrc);
		spin_unlock_irq(&group->lock);
		if (mutex_trylock(&lrc->timeline_mutex)) {
			igen_lrc_retire(lrc);
			mutex_unlock(&lrc->timeline_mutex);
		}
		igen_context_put(ctx);

		spin_lock(&group->lrcs_lock);
	}
	left = !list_empty(&group->active_lrcs);
	spin_unlock(&group->lrcs_lock);
	return left;
}

/* The same for all engines. */
static bool retire_all(struct igen_device *igen)
{
	struct igen_engine_group *group;
	bool left = false;

	for_each_group(igen, group)
		left |= retire_group(group);
	return left;
}

/**
 * igen_retire - retires what has completed of all timelines
 * @igen: the device
 *
 * A timeline that is being written just now is left out. As long as there are any, the worker comes again: whoever goes
 * through the list hides it from others, the worker too, and therefore sees to it. May sleep.
 */
void igen_retire(struct igen_device *igen)
{
	if (retire_all(igen))
		queue_delayed_work(igen->wq, &igen->retire_work, HZ);
}

/* Parks the GT if there is nothing to do; an engine may be busy with the end of what was. Whether it is parked. */
static bool park(struct igen_device *igen)
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

/* Has all engines go on with what they have, should an interrupt that was to do so be lost. */
static void resubmit(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	for_each_engine(igen, id, engine)
		igen_engine_submit(engine);
}

/* Nothing is left to do. Has an engine been elsewhere than its events say, now and a round ago? */
static void look_for_lost_end(struct igen_engine *engine)
{
	const struct igen_submit_ops *ops = engine->igen->platform->submit;
	unsigned int resets, moves;
	bool lost;

	if (!ops->is_misread)
		return;
	spin_lock_irq(&engine->group->lock);
	lost = !ops->idle(engine) && ops->is_misread(engine);
	resets = engine->resets;
	moves = ops->moves(engine);
	spin_unlock_irq(&engine->group->lock);

	if (lost && engine->restless && engine->restless_moves == moves)
		igen_engine_restart(engine, resets, "it is through, and the event was lost");
	engine->restless = lost;
	engine->restless_moves = moves;
}

static void look_for_lost_ends(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	/* Who sleeps has forgotten it, and is not asked. */
	if (!igen_rpm_get_if_awake(igen))
		return;
	for_each_engine(igen, id, engine)
		look_for_lost_end(engine);
	igen_rpm_put(igen);
}

static void retire_work(struct work_struct *work)
{
	struct igen_device *igen = container_of(to_delayed_work(work), struct igen_device, retire_work);
	bool left = retire_all(igen);

	if (left)
		resubmit(igen);
	if (left || !park(igen)) {
		if (!left)
			look_for_lost_ends(igen);
		igen_watchdog(igen);
		queue_delayed_work(igen->wq, &igen->retire_work, HZ);
	}
}

/**
 * igen_retire_now - retires what has completed, and parks the GT if that was all, without waiting for the worker's time
 * @igen: the device
 *
 * May sleep.
 */
void igen_retire_now(struct igen_device *igen)
{
	mod_delayed_work(igen->wq, &igen->retire_work, 0);
	flush_delayed_work(&igen->retire_work);
}

/**
 * igen_retire_init - once a device
 * @igen: the device
 */
void igen_retire_init(struct igen_device *igen)
{
	spin_lock_init(&igen->active_lock);
	spin_lock_init(&igen->awake_lock);
	atomic_set(&igen->active_count, 0);
	INIT_DELAYED_WORK(&igen->retire_work, retire_work);
	igen_let_go_init(igen);
}

/**
 * igen_retire_fini - ends the worker
 * @igen: the device; nothing is submitted any more
 */
void igen_retire_fini(struct igen_device *igen)
{
	cancel_delayed_work_sync(&igen->retire_work);
	retire_all(igen);
}

/**
 * igen_note_awake - the GPU has work, or none any more
 * @igen: the device; active_lock held
 * @awake: which
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
 * igen_is_awake - whether there are requests that have not been retired
 * @igen: the device
 *
 * Return: whether it is so. Context: any.
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
 * igen_awake_ns - how long there were requests that had not been retired
 * @igen: the device
 *
 * Return: nanoseconds. Context: any.
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
