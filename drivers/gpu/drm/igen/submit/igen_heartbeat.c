// SPDX-License-Identifier: MIT
/**
 * DOC: Heartbeat
 *
 * Nothing waits for ever: while an engine has work, a request of the driver's own, of highest priority, is sent to it
 * every heartbeat interval. An engine at work comes to an arbitration point, lets the pulse pass and goes on, however
 * long its work takes. When a pulse has not completed after three further intervals, what runs does not yield, and the
 * engine is reset.
 *
 * A pulse can be sent at once, to make a context that is being killed yield; it then has the preempt timeout to pass.
 * What the engine said while the interrupt for it was lost is found by the next beat.
 *
 * An interval of 0 switches the heartbeat off at once: the next beat does not come, and nobody judges the pulse that is
 * under way, unless it is to end something. A preempt timeout of 0 leaves the judgement to the interval. Without a
 * heartbeat nobody finds out what hangs but its own client, so what is left of a closed context is not run then.
 */

#include <linux/delay.h>
#include <linux/workqueue.h>

#include "../igen_device.h"
#include "igen_submit.h"

static bool engine_has_work(struct igen_engine *engine)
{
	bool work;

	spin_lock_irq(&engine->group->lock);
	igen_scheduler_trim(engine);
	work = !list_empty(&engine->queue) || !list_empty(&engine->inflight);
	spin_unlock_irq(&engine->group->lock);
	return work;
}

static void schedule_beat(struct igen_engine *engine, unsigned int ms)
{
	if (ms)
		mod_delayed_work(engine->igen->wq, &engine->heartbeat, msecs_to_jiffies(ms) + 1);
}

/*
 * Beats that a pulse has to pass. As many as stock i915 takes to come to its most urgent pulse and from there to a
 * reset, so that a batch which cannot be preempted, and is in nobody's way, may take as long as userspace is used to.
 */
#define PATIENCE 3

/* For a pulse that is to end something, where userspace wants neither a preempt timeout nor a heartbeat. */
#define LAST_RESORT_MS 1000

/* engine->heartbeat_mutex held. */
static void forget_pulse(struct igen_engine *engine)
{
	lockdep_assert_held(&engine->heartbeat_mutex);

	if (engine->pulse)
		igen_request_put(engine->pulse);
	engine->pulse = NULL;
}

/* How long an urgent pulse has to pass. */
static unsigned int urgent_ms(struct igen_engine *engine)
{
	return READ_ONCE(engine->props.preempt_timeout_ms) ?: READ_ONCE(engine->props.heartbeat_interval_ms) ?:
	       LAST_RESORT_MS;
}

/* Sends a pulse unless one is under way. engine->heartbeat_mutex held. */
static int send_pulse(struct igen_engine *engine)
{
	struct igen_request *rq;
	struct igen_lrc *lrc;

	lockdep_assert_held(&engine->heartbeat_mutex);

	if (engine->pulse || !engine->kernel_context)
		return 0;
	lrc = igen_context_lrc(engine->kernel_context, 0);
	if (IS_ERR(lrc))
		return PTR_ERR(lrc);
	/* What is to recover the GPU waits for no memory: whoever frees it may be waiting for the GPU. */
	rq = igen_request_create_pulse(lrc);
	if (IS_ERR(rq))
		return PTR_ERR(rq);
	rq->priority = IGEN_PRIORITY_MAX;
	engine->pulse = rq;
	engine->pulse_patience = PATIENCE;
	engine->pulse_urgent = false;
	engine->pulse_resets = READ_ONCE(engine->resets);
	igen_request_add(rq);
	return 0;
}

/* Longer than an interrupt takes from the GPU to its handler. */
#define IRQ_LATENCY_US 2000

/* The engine has said something that we have not looked at. */
static bool unheard(struct igen_engine *engine)
{
	bool events;

	spin_lock_irq(&engine->group->lock);
	events = engine->igen->platform->submit->unheard(engine);
	spin_unlock_irq(&engine->group->lock);
	return events || igen_breadcrumbs_due(engine);
}

/* Looks whether the interrupt for what the engine said was lost, and acts as if it had come. */
static void look_for_lost_irq(struct igen_engine *engine)
{
	if (unheard(engine)) {
		usleep_range(IRQ_LATENCY_US, 2 * IRQ_LATENCY_US);
		if (unheard(engine))
			drm_notice(&engine->igen->drm, "%s: an interrupt was lost, or is very late\n",
				   engine->info->name);
	}
	igen_breadcrumbs_signal(engine);
	igen_engine_submit(engine);
}

/* Has the pulse had its time in vain? engine->heartbeat_mutex held. */
static bool pulse_is_over(struct igen_engine *engine, unsigned int resets)
{
	if (!engine->pulse)
		return false;
	if (igen_request_completed(engine->pulse)) {
		forget_pulse(engine);
		return false;
	}
	if (engine->pulse_resets != resets) {
		/* It was taken off the engine, whose work it has to get through once more. */
		engine->pulse_resets = resets;
		engine->pulse_patience = engine->pulse_urgent ? 1 : PATIENCE;
		return false;
	}
	if (engine->pulse_patience <= 1)
		return true;
	engine->pulse_patience--;
	return false;
}

/* The pulse did not pass in its time: what the engine is in, unless it has passed just now. */
static bool note_stuck(struct igen_engine *engine, struct igen_suspect *suspect)
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

static void heartbeat(struct work_struct *work)
{
	struct igen_engine *engine = container_of(work, struct igen_engine, heartbeat.work);
	unsigned int resets = READ_ONCE(engine->resets);
	struct igen_suspect suspect;
	unsigned int interval;
	bool stuck;

	look_for_lost_irq(engine);

	mutex_lock(&engine->heartbeat_mutex);
	/* Whoever changes it takes the mutex afterwards: this beat is the last by what was before. */
	interval = READ_ONCE(engine->props.heartbeat_interval_ms);
	stuck = pulse_is_over(engine, resets) && note_stuck(engine, &suspect);
	if (!stuck && engine->pulse && engine->pulse_urgent) {
		schedule_beat(engine, urgent_ms(engine));
	} else if (!stuck && engine_has_work(engine) && interval) {
		/* No ring space or memory just now: the next beat tries again. */
		if (send_pulse(engine))
			drm_dbg(&engine->igen->drm, "%s: no pulse\n", engine->info->name);
		schedule_beat(engine, interval);
	} else if (!stuck && igen_breadcrumbs_due(engine)) {
		/* The last work has just ended: its interrupt may be lost, too. */
		schedule_beat(engine, interval ?: 1);
	}
	mutex_unlock(&engine->heartbeat_mutex);

	if (stuck) {
		igen_engine_hung(engine, &suspect, "it does not yield");
		schedule_beat(engine, max(interval, 100u));
	}
}

/**
 * igen_heartbeat_arm - make sure that the engine is looked after
 * @engine: the engine; it has just got work
 *
 * Does nothing when the next beat is scheduled already, which is the common case.
 *
 * Context: any.
 */
void igen_heartbeat_arm(struct igen_engine *engine)
{
	unsigned int interval = READ_ONCE(engine->props.heartbeat_interval_ms);

	if (interval && !delayed_work_pending(&engine->heartbeat))
		queue_delayed_work(engine->igen->wq, &engine->heartbeat, msecs_to_jiffies(interval) + 1);
}

/**
 * igen_heartbeat_hasten - follow a change of the heartbeat interval
 * @engine: the engine
 *
 * The next beat of an engine that is at work comes in an interval at the latest, also when it was to be much later, or
 * never.
 *
 * Context: may sleep; takes engine->heartbeat_mutex.
 */
void igen_heartbeat_hasten(struct igen_engine *engine)
{
	unsigned int interval;
	unsigned long next;

	mutex_lock(&engine->heartbeat_mutex);
	interval = READ_ONCE(engine->props.heartbeat_interval_ms);
	next = jiffies + msecs_to_jiffies(interval) + 1;
	/* A beat that comes sooner stays: it may be the end of the time that a pulse was given. */
	if (delayed_work_pending(&engine->heartbeat) ?
	    time_after(READ_ONCE(engine->heartbeat.timer.expires), next) : engine_has_work(engine))
		schedule_beat(engine, interval);
	mutex_unlock(&engine->heartbeat_mutex);
}

/* Sends a pulse that has the preempt timeout to pass. */
static int send_urgent_pulse(struct igen_engine *engine)
{
	int ret = 0;

	mutex_lock(&engine->heartbeat_mutex);
	/* Behind one that the engine has already there may be what is to yield, so another is needed. */
	if (engine->pulse && READ_ONCE(engine->pulse->started))
		forget_pulse(engine);
	/* Whoever comes next waits with the first, and does not put off the end of his time. */
	if (engine->pulse && engine->pulse_urgent && delayed_work_pending(&engine->heartbeat))
		goto unlock;
	ret = send_pulse(engine);
	/* None at all is needed once the device has gone. */
	if (ret || !engine->pulse)
		goto unlock;
	engine->pulse_patience = 1;
	engine->pulse_urgent = true;
	schedule_beat(engine, urgent_ms(engine));
unlock:
	mutex_unlock(&engine->heartbeat_mutex);
	return ret;
}

/**
 * igen_heartbeat_evict - make what runs yield, so that what is over is found out and skipped
 * @engine: the engine
 *
 * By a pulse; by a reset when what runs does not let it pass, or when none can be sent. In the latter case nobody is to
 * blame: who is not to run any more is found out when it is to go on.
 *
 * Context: may sleep; takes the reset mutex, engine->heartbeat_mutex and the kernel context's timeline.
 */
void igen_heartbeat_evict(struct igen_engine *engine)
{
	unsigned int resets = READ_ONCE(engine->resets);

	if (send_urgent_pulse(engine))
		igen_engine_restart(engine, resets, "a context is to end, and no pulse can be sent");
}

static bool has_closed_context(struct igen_engine *engine)
{
	struct list_head *lists[] = { &engine->inflight, &engine->queue };
	struct igen_request *rq;
	bool found = false;
	unsigned int n;

	spin_lock_irq(&engine->group->lock);
	for (n = 0; n < ARRAY_SIZE(lists); n++) {
		list_for_each_entry(rq, lists[n], link) {
			/* In this order: the context of one that has completed may be gone. */
			if (!igen_request_completed(rq) && test_bit(IGEN_CONTEXT_CLOSED, &rq->context->flags))
				found = true;
		}
	}
	spin_unlock_irq(&engine->group->lock);
	return found;
}

/**
 * igen_heartbeat_off - follow a change of the heartbeat interval to 0
 * @engine: the engine
 *
 * The next beat does not come, but for one that ends the time of an urgent pulse. What persists there of contexts that
 * are closed ends, since nobody would find out that it hangs.
 *
 * Context: as igen_heartbeat_evict().
 */
void igen_heartbeat_off(struct igen_engine *engine)
{
	mutex_lock(&engine->heartbeat_mutex);
	if (!engine->pulse || !engine->pulse_urgent || igen_request_completed(engine->pulse)) {
		cancel_delayed_work(&engine->heartbeat);
		forget_pulse(engine);
	}
	mutex_unlock(&engine->heartbeat_mutex);

	if (has_closed_context(engine))
		igen_heartbeat_evict(engine);
}

static void fail_work(struct work_struct *work)
{
	struct igen_engine *engine = container_of(work, struct igen_engine, fail_work);
	/* Before the bits, which a reset clears. */
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

	/* Without engine resets the heartbeat finds out in its own time. */
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
 * igen_heartbeat_fail - the engine says itself that it can't go on, or we can't go on with it or with what it runs
 * @engine: the engine
 * @failure: which
 *
 * Has it reset, or yield. Context: any.
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
	INIT_DELAYED_WORK(&engine->heartbeat, heartbeat);
	INIT_WORK(&engine->fail_work, fail_work);
}

/**
 * igen_heartbeat_stop - end it until the engine gets work again; the engine is idle or given up
 * @engine: the engine
 *
 * Context: may sleep.
 */
void igen_heartbeat_stop(struct igen_engine *engine)
{
	cancel_delayed_work_sync(&engine->heartbeat);
	cancel_work_sync(&engine->fail_work);

	mutex_lock(&engine->heartbeat_mutex);
	forget_pulse(engine);
	mutex_unlock(&engine->heartbeat_mutex);
}

/**
 * igen_heartbeat_fini - end it for good
 * @engine: the engine
 *
 * Context: may sleep.
 */
void igen_heartbeat_fini(struct igen_engine *engine)
{
	igen_heartbeat_stop(engine);
	mutex_destroy(&engine->heartbeat_mutex);
}
