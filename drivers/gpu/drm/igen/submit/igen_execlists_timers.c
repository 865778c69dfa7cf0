// SPDX-License-Identifier: MIT
/**
 * DOC: Timers of the execlists
 *
 * Two timers watch the context that runs:
 *
 * * The timeslice's timer lets equals take turns. It also looks where the hardware sends no event: at the end of a
 *   request behind which a more urgent one waits, at contexts that poll (igen_polls.c), and at the end of a debt
 *   (igen_debt.c).
 * * The preempt timer resets the engine if the running context does not yield to a client in time. A virtual machine
 *   may stand still for seconds, and its GPU with it; so a timer that comes late gives the context some more time.
 *
 * The driver arms them when another request waits, and never stops them. So a submission costs no more than a look at
 * whether they are armed.
 */
#include "../igen_compat.h"
#include "igen_execlists.h"
#include "igen_reset.h"

/* When the driver looks again for a missing event: after so long, twice as long, and so on, 2.5 ms in all. */
#define LATE_NS		(10 * NSEC_PER_USEC)
#define LATE_LOOKS	8

/* A preempt timer comes late if it comes so many jiffies behind its time. */
#define PREEMPT_LATE	(HZ / 10)

/* Arms the timeslice's timer if a request waits for what the timer will find. group->lock held. */
static void timers_arm_slice(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	unsigned int ms = READ_ONCE(engine->props.timeslice_duration_ms);
	unsigned long due, debt_end;
	bool waits, soon, owes, listens;

	/* Nothing waits, as nearly always; or an event or the end of a reset leads here again. */
	if (el->pending[0] || el->blocked ||
	    (igen_queue_is_empty(engine) && !el->active[1] && !engine->group->balanced))
		return;
	if (delayed_work_pending(&el->slice_work) && time_before_eq(el->slice_due, jiffies + 1))
		return;
	waits = igen_polls_in_the_way(engine);
	soon = waits || igen_dequeue_preempts_soon(engine) || el->followed;
	listens = waits || igen_polls_rival(engine, true);
	waits |= listens || igen_polls_rival(engine, false);
	owes = igen_debt_end(engine, &debt_end);
	if (!waits && !soon && !owes)
		return;
	if (listens && !igen_polls_heard_enough(el))
		igen_polls_listen(engine, true);
	due = el->since + msecs_to_jiffies(soon || igen_polls_heard_enough(el) ? 1 : ms);
	if (owes && ((!waits && !soon) || time_before(debt_end, due)))
		due = debt_end;
	if (time_before(due, jiffies + 1))
		due = jiffies + 1;
	if (delayed_work_pending(&el->slice_work) && time_before_eq(el->slice_due, due))
		return;
	el->slice_due = due;
	mod_delayed_work(engine->igen->urgent_wq, &el->slice_work, due - jiffies);
}

static bool timers_is_client_above(const struct igen_request *rq, const struct igen_request *running)
{
	return rq->lrc != running->lrc && !rq->driver && igen_request_rank(rq) > igen_request_rank(running) &&
	       !igen_request_completed(rq);
}

/* A more urgent request of a client waits behind the heartbeat's pulse. group->lock held. */
static bool timers_client_waits(struct igen_engine *engine)
{
	const struct igen_request *second = to_execlists(engine)->pending[1];
	const struct igen_request *running = igen_dequeue_running(engine), *rq;

	if (!running)
		return false;
	if (second && timers_is_client_above(second, running))
		return true;
	rq = igen_queue_first_client(engine);
	return rq && timers_is_client_above(rq, running);
}

/* The running context keeps the engine from a client whose turn it is. group->lock held. */
static bool timers_has_to_yield(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	if (!el->pending[0] || !el->active[0])
		return false;
	if (igen_dequeue_preempts(engine))
		return true;
	if (el->pending[0]->lrc == el->active[0]->lrc)
		return false;
	/* A pulse that no client waits behind is the heartbeat's business. */
	return !el->pending[0]->driver || timers_client_waits(engine);
}

/*
 * Arms the preempt timer if the running context has to yield. Its time begins when the first request wants the engine
 * of it. group->lock held.
 */
static void timers_arm_preempt(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	unsigned int ms = READ_ONCE(engine->props.preempt_timeout_ms);
	unsigned long due;

	if (!ms || !timers_has_to_yield(engine))
		return;
	if (el->preempt_changes != el->changes) {
		el->preempt_changes = el->changes;
		el->preempt_since = jiffies;
	}
	due = el->preempt_since + msecs_to_jiffies(ms);
	if (time_before(due, jiffies + 1))
		due = jiffies + 1;
	if (delayed_work_pending(&el->preempt_work) && time_before_eq(el->preempt_due, due))
		return;
	el->preempt_due = due;
	mod_delayed_work(engine->igen->urgent_wq, &el->preempt_work, due - jiffies);
}

/**
 * igen_execlists_arm_timers - arm the timers that the ports and the queue of an engine need
 * @engine: the engine
 *
 * Context: group->lock held.
 */
void igen_execlists_arm_timers(struct igen_engine *engine)
{
	timers_arm_slice(engine);
	timers_arm_preempt(engine);
}

static void timers_slice_work(struct work_struct *work)
{
	struct igen_execlists *el = container_of(work, struct igen_execlists, slice_work.work);
	struct igen_engine *engine = el->engine;
	unsigned int ms = READ_ONCE(engine->props.timeslice_duration_ms);

	spin_lock_irq(&engine->group->lock);
	igen_csb_process(engine);
	el->slice_over = ms && time_after_eq(jiffies, el->since + msecs_to_jiffies(ms));
	igen_dequeue(engine);
	spin_unlock_irq(&engine->group->lock);
}

/* The running context has had the preempt timeout, as it is set now, and has not yielded. group->lock held. */
static bool timers_has_not_yielded(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	unsigned int ms = READ_ONCE(engine->props.preempt_timeout_ms);

	return ms && !el->blocked && el->changes == el->preempt_changes &&
	       time_after_eq(jiffies, el->preempt_since + msecs_to_jiffies(ms)) && timers_has_to_yield(engine);
}

/*
 * The timer has come late, for the first time since the running context has to yield. Then half of the preempt timeout
 * begins anew. group->lock held.
 */
static bool timers_gives_more_time(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	unsigned int ms = READ_ONCE(engine->props.preempt_timeout_ms);

	if (!time_after(jiffies, el->preempt_due + PREEMPT_LATE) || el->preempt_late == el->changes)
		return false;
	el->preempt_late = el->changes;
	el->preempt_since = jiffies - msecs_to_jiffies(ms) / 2;
	return true;
}

static void timers_preempt_work(struct work_struct *work)
{
	struct igen_execlists *el = container_of(work, struct igen_execlists, preempt_work.work);
	struct igen_engine *engine = el->engine;
	struct igen_suspect suspect;
	bool stuck;

	spin_lock_irq(&engine->group->lock);
	igen_csb_process(engine);
	stuck = timers_has_not_yielded(engine) && !timers_gives_more_time(engine);
	if (stuck) {
		igen_suspect_note(engine, &suspect);
		/* If the context survives, its time begins anew. */
		el->preempt_since = jiffies;
	}
	/* Arms the timer again if another context has to yield by now. */
	igen_dequeue(engine);
	spin_unlock_irq(&engine->group->lock);

	if (stuck)
		igen_engine_hung(engine, &suspect, "it does not let itself be preempted");
}

static ktime_t timers_late_delay(const struct igen_execlists *el)
{
	return ns_to_ktime((u64)LATE_NS << el->late_looks);
}

static enum hrtimer_restart timers_late(struct hrtimer *timer)
{
	struct igen_execlists *el = container_of(timer, struct igen_execlists, late_timer);
	struct igen_engine *engine = el->engine;
	bool again = false;
	unsigned long flags;

	igen_breadcrumbs_irq(engine);
	spin_lock_irqsave(&engine->group->lock, flags);
	if (igen_csb_process(engine)) {
		/* This was the event of the earlier interrupt. */
		el->heard = false;
		igen_scheduler_trim(engine);
		igen_dequeue(engine);
	} else {
		again = !el->heard && ++el->late_looks < LATE_LOOKS && (el->active[0] || el->pending[0]);
	}
	if (again)
		hrtimer_forward_now(timer, timers_late_delay(el));
	spin_unlock_irqrestore(&engine->group->lock, flags);
	return again ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/**
 * igen_execlists_arm_late - look again soon, since an interrupt for a context switch came without an event
 * @engine: the engine
 *
 * The event may be on its way to memory, or was read before its interrupt came. Without this the driver would look with
 * the next submission, or when the requests are retired, up to a second later.
 *
 * Context: group->lock held.
 */
void igen_execlists_arm_late(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	lockdep_assert_held(&engine->group->lock);

	if ((!el->active[0] && !el->pending[0]) || el->blocked || hrtimer_active(&el->late_timer))
		return;
	el->late_looks = 0;
	hrtimer_start(&el->late_timer, timers_late_delay(el), HRTIMER_MODE_REL);
}

/**
 * igen_execlists_timers_init - prepare an engine's timers
 * @el: the engine's execlists
 */
void igen_execlists_timers_init(struct igen_execlists *el)
{
	INIT_DELAYED_WORK(&el->slice_work, timers_slice_work);
	INIT_DELAYED_WORK(&el->preempt_work, timers_preempt_work);
	igen_hrtimer_setup(&el->late_timer, timers_late, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	/* No context has to yield yet. */
	el->preempt_changes = el->changes - 1;
	el->preempt_late = el->changes - 1;
}

/**
 * igen_execlists_timers_fini - stop an engine's timers
 * @el: the engine's execlists, to which nothing is submitted any more
 *
 * Context: may sleep.
 */
void igen_execlists_timers_fini(struct igen_execlists *el)
{
	hrtimer_cancel(&el->late_timer);
	cancel_delayed_work_sync(&el->preempt_work);
	cancel_delayed_work_sync(&el->slice_work);
}
