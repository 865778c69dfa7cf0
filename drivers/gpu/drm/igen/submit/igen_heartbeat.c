// SPDX-License-Identifier: MIT
/**
 * DOC: Heartbeat
 *
 * The heartbeat finds engines that hang. While an engine has work, a worker runs every heartbeat interval (a beat) and
 * sends the engine a pulse: a request of the driver's own context, with the highest priority. An engine that works
 * reaches an arbitration point, switches to the pulse, completes it and returns to its work, however long that takes.
 * An engine that does not complete a pulse hangs, and is reset::
 *
 *	beat                 1      2      3      4
 *	beats left to pulse  3      2      1      0: the engine is reset
 *	                     sent
 *
 * An urgent pulse evicts a banned or closed context from the engine. The driver sends it at once. The pulse has to
 * complete within the preempt timeout, or within a heartbeat interval if the preempt timeout is 0. A virtual machine
 * may stand still for seconds, and its GPU with it; so if the beat comes late, the pulse gets its time once more.
 *
 * Each beat also looks for completed requests and context events whose interrupt was lost.
 *
 * An interval of 0 switches the heartbeat off at once: no further beat comes, and the driver watches no pulse that is
 * under way, except for an urgent pulse. Without a heartbeat the driver does not notice a hung batch. Therefore
 * requests of closed contexts, which no client watches any more, are skipped then.
 */

#include <linux/delay.h>
#include <linux/workqueue.h>

#include "../igen_device.h"
#include "igen_reset.h"
#include "igen_submit.h"

static bool heartbeat_has_work(struct igen_engine *engine)
{
	bool work;

	spin_lock_irq(&engine->group->lock);
	igen_scheduler_trim(engine);
	work = !igen_queue_is_empty(engine) || !list_empty(&engine->inflight);
	spin_unlock_irq(&engine->group->lock);
	return work;
}

/* Moves the next beat; 0 leaves it as it is. */
static void heartbeat_schedule(struct igen_engine *engine, unsigned int ms)
{
	if (ms)
		mod_delayed_work(engine->igen->wq, &engine->heartbeat, msecs_to_jiffies(ms) + 1);
}

/*
 * Beats that a pulse has to complete. Stock i915 takes as many beats to raise its pulse to the highest priority and
 * then to reset the engine. So a batch that cannot be preempted may run as long as userspace is used to.
 */
#define PATIENCE 3

/* Time for an urgent pulse where userspace has switched off both the preempt timeout and the heartbeat. */
#define LAST_RESORT_MS 1000

/* The beat of an urgent pulse comes late if it comes so many jiffies behind its time. */
#define BEAT_LATE (HZ / 10)

static void heartbeat_forget_pulse(struct igen_engine *engine)
{
	lockdep_assert_held(&engine->heartbeat_mutex);

	if (engine->pulse)
		igen_request_put(engine->pulse);
	engine->pulse = NULL;
}

/* How long an urgent pulse has to complete. */
static unsigned int heartbeat_urgent_ms(struct igen_engine *engine)
{
	return READ_ONCE(engine->props.preempt_timeout_ms) ?: READ_ONCE(engine->props.heartbeat_interval_ms) ?:
	       LAST_RESORT_MS;
}

/* The time of an urgent pulse begins. */
static void heartbeat_schedule_urgent(struct igen_engine *engine)
{
	unsigned int ms = heartbeat_urgent_ms(engine);

	lockdep_assert_held(&engine->heartbeat_mutex);

	engine->pulse_due = jiffies + msecs_to_jiffies(ms) + 1;
	heartbeat_schedule(engine, ms);
}

/* The beat that ends an urgent pulse's time has come late, for the first time. */
static bool heartbeat_gives_more_time(struct igen_engine *engine)
{
	lockdep_assert_held(&engine->heartbeat_mutex);

	if (!engine->pulse_urgent || engine->pulse_late || !time_after(jiffies, engine->pulse_due + BEAT_LATE))
		return false;
	engine->pulse_late = true;
	return true;
}

/* Sends a pulse unless one is under way. */
static int heartbeat_send_pulse(struct igen_engine *engine)
{
	struct igen_request *rq;
	struct igen_lrc *lrc;

	lockdep_assert_held(&engine->heartbeat_mutex);

	if (engine->pulse || !engine->kernel_context)
		return 0;
	lrc = igen_context_lrc(engine->kernel_context, 0);
	if (IS_ERR(lrc))
		return PTR_ERR(lrc);
	/* The pulse does not wait for memory: memory reclaim may itself be waiting for the GPU. */
	rq = igen_request_create_pulse(lrc);
	if (IS_ERR(rq))
		return PTR_ERR(rq);
	rq->priority = IGEN_PRIORITY_MAX;
	engine->pulse = rq;
	engine->pulse_patience = PATIENCE;
	engine->pulse_urgent = false;
	engine->pulse_late = false;
	engine->pulse_resets = READ_ONCE(engine->resets);
	igen_request_add(rq);
	return 0;
}

/* Longer than an interrupt takes from the GPU to its handler. */
#define IRQ_LATENCY_US 2000

/* The engine has reported an event or completed a request, and no interrupt handler has looked at it yet. */
static bool heartbeat_has_news(struct igen_engine *engine)
{
	const struct igen_submit_ops *ops = engine->igen->platform->submit;
	bool reports;

	spin_lock_irq(&engine->group->lock);
	reports = ops->has_unread_events && ops->has_unread_events(engine);
	spin_unlock_irq(&engine->group->lock);
	return reports || igen_breadcrumbs_due(engine);
}

/* Does what the engine's interrupt would do, in case one was lost. Two looks that find news mean that one was lost. */
static void heartbeat_find_lost_irq(struct igen_engine *engine)
{
	if (heartbeat_has_news(engine)) {
		usleep_range(IRQ_LATENCY_US, 2 * IRQ_LATENCY_US);
		if (heartbeat_has_news(engine))
			dev_notice_ratelimited(engine->igen->drm.dev, "%s: an interrupt was lost, or is very late\n",
					       engine->info->name);
	}
	igen_breadcrumbs_signal(engine);
	igen_engine_submit(engine);
}

/* Counts one beat of the pulse's time. True when the time is over and the pulse has not completed. */
static bool heartbeat_pulse_is_over(struct igen_engine *engine, unsigned int resets)
{
	lockdep_assert_held(&engine->heartbeat_mutex);

	if (!engine->pulse)
		return false;
	if (igen_request_completed(engine->pulse)) {
		heartbeat_forget_pulse(engine);
		return false;
	}
	if (engine->pulse_resets != resets) {
		/*
		 * The engine was reset meanwhile. The pulse was unwound and submitted again, so it gets its time again.
		 */
		engine->pulse_resets = resets;
		engine->pulse_patience = engine->pulse_urgent ? 1 : PATIENCE;
		return false;
	}
	if (engine->pulse_patience <= 1)
		return !heartbeat_gives_more_time(engine);
	engine->pulse_patience--;
	return false;
}

/* Notes what the engine runs, to blame it for the hang. False if the pulse has completed or a reset come just now. */
static bool heartbeat_note_stuck(struct igen_engine *engine, struct igen_suspect *suspect)
{
	bool stuck;

	spin_lock_irq(&engine->group->lock);
	igen_suspect_note(engine, suspect);
	stuck = !igen_request_completed(engine->pulse) && suspect->resets == engine->pulse_resets;
	spin_unlock_irq(&engine->group->lock);
	if (!stuck)
		igen_suspect_drop(suspect);
	return stuck;
}

static void heartbeat_work(struct work_struct *work)
{
	struct igen_engine *engine = container_of(work, struct igen_engine, heartbeat.work);
	unsigned int resets = READ_ONCE(engine->resets);
	struct igen_suspect suspect;
	unsigned int interval;
	bool stuck;

	heartbeat_find_lost_irq(engine);

	mutex_lock(&engine->heartbeat_mutex);
	/* A change of the interval takes the mutex after the write, so only this beat can still see the old value. */
	interval = READ_ONCE(engine->props.heartbeat_interval_ms);
	stuck = heartbeat_pulse_is_over(engine, resets) && heartbeat_note_stuck(engine, &suspect);
	if (!stuck && engine->pulse && engine->pulse_urgent) {
		heartbeat_schedule_urgent(engine);
	} else if (!stuck && heartbeat_has_work(engine) && interval) {
		/* Without ring space or memory the next beat tries again. */
		if (heartbeat_send_pulse(engine))
			drm_dbg(&engine->igen->drm, "%s: no pulse\n", engine->info->name);
		heartbeat_schedule(engine, interval);
	} else if (!stuck && igen_breadcrumbs_due(engine)) {
		/* The last request has just completed, and its interrupt may be lost. */
		heartbeat_schedule(engine, interval ?: 1);
	}
	mutex_unlock(&engine->heartbeat_mutex);

	if (stuck) {
		igen_engine_hung(engine, &suspect, "it does not yield");
		heartbeat_schedule(engine, max(interval, 100u));
	}
}

/**
 * igen_heartbeat_arm - start the heartbeat of an engine
 * @engine: the engine, which has just got work
 *
 * Does nothing when the next beat is scheduled already, which is the common case.
 *
 * Context: any; group->lock may be held.
 */
void igen_heartbeat_arm(struct igen_engine *engine)
{
	unsigned int interval = READ_ONCE(engine->props.heartbeat_interval_ms);

	if (interval && !delayed_work_pending(&engine->heartbeat))
		queue_delayed_work(engine->igen->wq, &engine->heartbeat, msecs_to_jiffies(interval) + 1);
}

/**
 * igen_heartbeat_apply_interval - follow a change of the heartbeat interval
 * @engine: the engine
 *
 * The next beat of an engine that has work comes no later than one new interval from now. Before, it may have been
 * scheduled for much later, or not at all.
 *
 * Context: may sleep; takes engine->heartbeat_mutex.
 */
void igen_heartbeat_apply_interval(struct igen_engine *engine)
{
	unsigned int interval;
	unsigned long next;

	mutex_lock(&engine->heartbeat_mutex);
	interval = READ_ONCE(engine->props.heartbeat_interval_ms);
	next = jiffies + msecs_to_jiffies(interval) + 1;
	/* A beat that comes sooner stays: it may end the time of an urgent pulse. */
	if (delayed_work_pending(&engine->heartbeat) ?
	    time_after(READ_ONCE(engine->heartbeat.timer.expires), next) : heartbeat_has_work(engine))
		heartbeat_schedule(engine, interval);
	mutex_unlock(&engine->heartbeat_mutex);
}

/* Sends a pulse that has the preempt timeout to complete. */
static int heartbeat_send_urgent_pulse(struct igen_engine *engine)
{
	int ret = 0;

	mutex_lock(&engine->heartbeat_mutex);
	/*
	 * The engine may run the context that is to yield after a pulse that it already has, so it needs another one.
	 */
	if (engine->pulse && READ_ONCE(engine->pulse->started))
		heartbeat_forget_pulse(engine);
	/* A second caller shares the urgent pulse of the first, and does not extend its time. */
	if (engine->pulse && engine->pulse_urgent && delayed_work_pending(&engine->heartbeat))
		goto unlock;
	ret = heartbeat_send_pulse(engine);
	/* send_pulse() sends none when the kernel context is gone, since then the device is gone. */
	if (ret || !engine->pulse)
		goto unlock;
	engine->pulse_patience = 1;
	engine->pulse_urgent = true;
	heartbeat_schedule_urgent(engine);
unlock:
	mutex_unlock(&engine->heartbeat_mutex);
	return ret;
}

/**
 * igen_heartbeat_evict - make the running request yield, so that the driver skips it if it may not go on
 * @engine: the engine
 *
 * Sends an urgent pulse. If the running request does not yield to the pulse, the engine is reset. If no pulse can be
 * sent, the engine is reset at once; then no request is guilty of the reset. In all cases the driver decides whether a
 * request may run when it is submitted again (igen_request_check_run()).
 *
 * Context: may sleep; takes the reset mutex, engine->heartbeat_mutex and the kernel context's timeline.
 */
void igen_heartbeat_evict(struct igen_engine *engine)
{
	unsigned int resets = READ_ONCE(engine->resets);

	if (heartbeat_send_urgent_pulse(engine))
		igen_engine_restart(engine, resets, "a context is to end, and no pulse can be sent");
}

static bool heartbeat_is_of_closed_context(const struct igen_request *rq)
{
	/* In this order: the context of a completed request may be gone. */
	return !igen_request_completed(rq) && test_bit(IGEN_CONTEXT_CLOSED, &rq->context->flags);
}

static bool heartbeat_has_closed_context(struct igen_engine *engine)
{
	struct igen_request *rq;
	bool found = false;

	spin_lock_irq(&engine->group->lock);
	list_for_each_entry(rq, &engine->inflight, link)
		found |= heartbeat_is_of_closed_context(rq);
	for (rq = igen_queue_first(engine); rq && !found; rq = igen_queue_next(rq))
		found = heartbeat_is_of_closed_context(rq);
	spin_unlock_irq(&engine->group->lock);
	return found;
}

/**
 * igen_heartbeat_off - follow a change of the heartbeat interval to 0
 * @engine: the engine
 *
 * Cancels the next beat, unless it ends the time of an urgent pulse. Requests of closed contexts on this engine end,
 * since neither the driver nor a client would notice that they hang.
 *
 * Context: as igen_heartbeat_evict().
 */
void igen_heartbeat_off(struct igen_engine *engine)
{
	mutex_lock(&engine->heartbeat_mutex);
	if (!engine->pulse || !engine->pulse_urgent || igen_request_completed(engine->pulse)) {
		cancel_delayed_work(&engine->heartbeat);
		heartbeat_forget_pulse(engine);
	}
	mutex_unlock(&engine->heartbeat_mutex);

	if (heartbeat_has_closed_context(engine))
		igen_heartbeat_evict(engine);
}

static void heartbeat_fail_work(struct work_struct *work)
{
	struct igen_engine *engine = container_of(work, struct igen_engine, fail_work);
	/* Read before the bits: a reset clears them and counts itself. */
	unsigned int resets = READ_ONCE(engine->resets);
	bool command_error = test_and_clear_bit(IGEN_ENGINE_COMMAND_ERROR, &engine->failures);
	bool lost_track = test_and_clear_bit(IGEN_ENGINE_LOST_TRACK, &engine->failures);
	bool overdue = test_and_clear_bit(IGEN_ENGINE_OVERDUE, &engine->failures);
	struct igen_suspect suspect;

	if (command_error) {
		spin_lock_irq(&engine->group->lock);
		igen_suspect_note(engine, &suspect);
		spin_unlock_irq(&engine->group->lock);
		suspect.resets = resets;
		suspect.certain = true;
	}
	if (overdue)
		igen_heartbeat_evict(engine);

	/* With engine resets disabled the heartbeat notices the failure in its own time. */
	if (READ_ONCE(engine->igen->params.reset) <= 1) {
		if (command_error)
			igen_suspect_drop(&suspect);
		return;
	}
	if (command_error)
		igen_engine_hung(engine, &suspect, "command streamer error");
	else if (lost_track)
		igen_engine_restart(engine, resets, "its events make no sense");
}

/**
 * igen_heartbeat_fail - report a failure of an engine
 * @engine: the engine
 * @failure: what has failed
 *
 * A worker resets the engine, or makes the running request yield if that is overdue.
 *
 * Context: any.
 */
void igen_heartbeat_fail(struct igen_engine *engine, enum igen_engine_failure failure)
{
	set_bit(failure, &engine->failures);
	queue_work(engine->igen->wq, &engine->fail_work);
}

/**
 * igen_heartbeat_init - prepare an engine's heartbeat
 * @engine: the engine
 */
void igen_heartbeat_init(struct igen_engine *engine)
{
	mutex_init(&engine->heartbeat_mutex);
	INIT_DELAYED_WORK(&engine->heartbeat, heartbeat_work);
	INIT_WORK(&engine->fail_work, heartbeat_fail_work);
}

/**
 * igen_heartbeat_stop - stop the heartbeat until the engine gets work again
 * @engine: the engine, which is idle or wedged
 *
 * Context: may sleep.
 */
void igen_heartbeat_stop(struct igen_engine *engine)
{
	cancel_delayed_work_sync(&engine->heartbeat);
	cancel_work_sync(&engine->fail_work);

	mutex_lock(&engine->heartbeat_mutex);
	heartbeat_forget_pulse(engine);
	mutex_unlock(&engine->heartbeat_mutex);
}

/**
 * igen_heartbeat_fini - stop the heartbeat for good
 * @engine: the engine
 *
 * Context: may sleep.
 */
void igen_heartbeat_fini(struct igen_engine *engine)
{
	igen_heartbeat_stop(engine);
	mutex_destroy(&engine->heartbeat_mutex);
}
