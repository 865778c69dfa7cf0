// SPDX-License-Identifier: MIT
/**
 * DOC: Submission by execlists (Gen8, Gen9)
 *
 * The hardware takes a list of two contexts at a time, by four writes to the ELSP: element 1 first, high dword first
 * (KBL Vol 3, "Logical Contexts"; public Gen9 PRM Vol 2c, EXECLIST_SUBMITPORT). It runs element 0 until its ring is
 * empty or a new list comes, then element 1, and says what it did in the context status buffer (igen_csb.c).
 *
 * What has been written and not yet acknowledged is "pending", what an event has acknowledged is "active". While a list
 * is pending nothing is written: the event that acknowledges it looks at the queue again.
 *
 * Neighbours of one context merge: the ring's tail in the context image covers them all. When the head of the queue
 * continues what runs, or port 1 is free, the running context is written again with the list (lite restore): the
 * hardware samples its tail anew. Such a tail must differ from the last one that it saw, or it may have gone idle for
 * good; each request therefore ends with two NOOPs that a second submission adds (stock i915 names this
 * WaIdleLiteRestore). A tail that does not advance asks for a full restore. Nor does it ever go back: what of a context
 * was given to the hardware once is given to it again as a whole, whatever the priorities, since a head that is ahead
 * of the tail would run all around the ring.
 *
 * A request of higher priority than all that is in flight preempts: what has not completed is taken back to
 * the queue and a new list is written; the hardware changes over at its next arbitration point. So it is when something
 * in flight was raised above what is before it.
 *
 * Equals take turns: while one runs and another waits who is as urgent, a timer looks whether what runs has had its
 * timeslice, and then it goes behind its equals. The timer is armed when somebody waits and never stopped, so it costs
 * nothing on the way of a submission but a look at whether it is armed.
 *
 * Who waits for a semaphore in his batch (MI_SEMAPHORE_WAIT) does nothing else, and mostly for what another context is
 * to store, so with that his time is over. The engine tells by an interrupt when it comes to wait, and not again for as
 * long as it does (stock i915 says so). The interrupt is let through when the timer is armed; until then it is found
 * with the others of its group (engine/igen_irq.c), so that who polls alone costs nothing. It is shut again when it
 * comes and nobody waits, or comes too often. Whose wait it was is not told, and it may be over: RING_CTL says whether
 * the engine waits now, and is asked when somebody else could have the engine.
 *
 * What waits for the end of a request on the same engine is queued when that has completed. If it is more urgent than
 * what would come next, the second port stays free for it.
 *
 * An engine that only waits for another engine (igen_semaphore.c) is there for whatever else it is needed for: what
 * waits on it is taken back, and is not given to it again while there is anything else. That it has come to wait the
 * same interrupt tells, or the timer looks.
 *
 * A list that is to replace what a client runs has the preempt timeout to be acknowledged; then what runs does not
 * yield, and the engine is reset. So it is when a client more urgent than what runs waits behind a pulse of the
 * heartbeat's. What nobody waits for may run as long as the heartbeat (igen_heartbeat.c) lets it.
 */

#include <linux/slab.h>

#include <igen/regs/context.h>
#include <igen/regs/engine.h>
#include <igen/regs/irq.h>

#include "igen_execlists.h"

/*
 * Updates the context's tail to cover @rq and gives its descriptor. group->lock held.
 * A resubmission of the very same tail moves on by the two dwords behind it, once: the hardware may have come to there.
 */
static u64 update_context(struct igen_request *rq)
{
	struct igen_lrc *lrc = rq->lrc;
	u64 desc = lrc->desc;
	u32 behind = (rq->tail + IGEN_REQUEST_WA_BYTES) & (lrc->ring_size - 1);
	u32 tail = lrc->hw_tail == rq->tail || lrc->hw_tail == behind ? behind : rq->tail;

	if (tail == lrc->hw_tail)
		desc |= CTX_DESC_FORCE_RESTORE;
	lrc->regs[CTX_RING_TAIL] = tail;
	lrc->hw_tail = tail;
	lrc->hw_seqno = lower_32_bits(rq->fence.seqno);
	/* A restore is forced once: after that the engine knows the image by its address. */
	lrc->desc &= ~CTX_DESC_FORCE_RESTORE;
	return desc;
}

static void write_ports(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	u32 elsp = RING_ELSP(engine->info->base);
	u64 desc[NUM_PORTS] = {};
	unsigned int n;

	for (n = 0; n < NUM_PORTS && el->pending[n]; n++)
		desc[n] = update_context(el->pending[n]);

	/* Rings and images are in memory before the engine looks at them. */
	wmb();
	for (n = NUM_PORTS; n--;) {
		igen_write(engine->igen, elsp, upper_32_bits(desc[n]));
		igen_write(engine->igen, elsp, lower_32_bits(desc[n]));
	}
}

/*
 * What runs has to give way: to the head of the queue, or to what is in flight behind it and was raised. Only what has
 * not completed counts, and of the context that runs first its oldest request.
 */
static bool needs_preemption(struct igen_engine *engine)
{
	struct igen_request *rq, *running = NULL;
	int highest = INT_MIN;

	list_for_each_entry(rq, &engine->inflight, link) {
		if (igen_request_completed(rq))
			continue;
		if (!running)
			running = rq;
		else if (rq->lrc != running->lrc && rq->priority > running->priority)
			return true;
		highest = max(highest, rq->priority);
	}
	rq = list_first_entry_or_null(&engine->queue, struct igen_request, link);
	return running && rq && rq->priority > highest;
}

/*
 * Behind the oldest request of the context that runs are less urgent ones of its own, and behind these is something
 * more urgent than they are: that is to run when the oldest has completed, which is no event.
 */
static bool needs_preemption_soon(struct igen_engine *engine)
{
	struct igen_request *rq, *running = igen_scheduler_active(engine);
	int lowest;

	if (!running)
		return false;

	lowest = running->priority;
	rq = running;
	list_for_each_entry_continue(rq, &engine->inflight, link) {
		if (rq->lrc != running->lrc)
			return rq->priority > lowest;
		lowest = min(lowest, rq->priority);
	}
	rq = list_first_entry_or_null(&engine->queue, struct igen_request, link);
	return rq && rq->lrc != running->lrc && rq->priority > lowest;
}

/* Something in flight keeps the engine from other work by waiting for another engine, or will. group->lock held. */
static bool waits_in_the_way(struct igen_engine *engine)
{
	struct igen_request *rq;

	list_for_each_entry(rq, &engine->inflight, link) {
		/* If the first that waits has no company, all are of its context. */
		if (unlikely(igen_semaphore_waits(rq)))
			return igen_semaphore_obstructs(engine, rq);
	}
	return false;
}

/* Somebody could have the engine instead of what runs. group->lock held. */
static bool has_rival(struct igen_engine *engine)
{
	return READ_ONCE(engine->props.timeslice_duration_ms) &&
	       (igen_scheduler_rival(engine) || igen_balance_rival(engine));
}

static bool heard_enough(const struct igen_execlists *el)
{
	return el->waits_heard > MOST_WAITS && time_before(jiffies, el->heard_until);
}

static void listen(struct igen_engine *engine, bool listens)
{
	struct igen_execlists *el = to_execlists(engine);

	if (el->listens == listens)
		return;
	el->listens = listens;
	igen_irq_semaphore(engine, listens);
}

/* The engine has come to wait for a semaphore. group->lock held. */
static void note_wait(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	el->waited = el->active[0];
	if (!time_before(jiffies, el->heard_until)) {
		el->heard_until = jiffies + 1;
		el->waits_heard = 0;
	}
	el->waits_heard++;
	if (el->listens && (heard_enough(el) || (!has_rival(engine) && !waits_in_the_way(engine))))
		listen(engine, false);
}

/* Does what runs only wait, in a batch, while somebody else could have the engine? group->lock held. */
static bool yields(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	if (likely(!el->waited) || heard_enough(el) || !has_rival(engine))
		return false;
	/* What runs is awake. */
	el->waited = igen_read(engine->igen, RING_CTL(engine->info->base)) & RING_CTL_WAIT_SEMAPHORE;
	return el->waited;
}

/*
 * Takes back what is in flight when something else is to run: true then. Whose time is over goes behind its equals.
 * group->lock held.
 */
static bool take_back(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	bool slice_over = el->slice_over;
	struct igen_request *running;

	el->slice_over = false;
	if (!el->active[0])
		return false;
	igen_ports_note_followed(el);
	running = igen_scheduler_active(engine);
	if (needs_preemption(engine) || (running && igen_semaphore_obstructs(engine, running))) {
		igen_scheduler_unwind(engine);
		return true;
	}
	slice_over |= yields(engine);
	if (slice_over && !igen_scheduler_rival(engine))
		igen_balance_pull(engine, true);
	if (slice_over && igen_scheduler_rival(engine)) {
		const struct igen_lrc *lrc = igen_scheduler_active(engine)->lrc;

		/* It may have run dry meanwhile. */
		if (lrc != el->active[0]->lrc)
			return false;
		igen_scheduler_unwind(engine);
		igen_scheduler_defer(engine, lrc);
		return true;
	}
	return false;
}

/* Was it given to the hardware, which has not left its context yet? Then nobody knows whether it will complete. */
static bool may_be_reached(const struct igen_execlists *el, const struct igen_request *rq)
{
	return rq->started && lrc_is_active(el, rq->lrc);
}

/* Who waits for another engine, while there is something else to do, is not the next to run. group->lock held. */
static void give_up_first(struct igen_engine *engine)
{
	struct igen_request *rq;

	while ((rq = list_first_entry_or_null(&engine->queue, struct igen_request, link)) &&
	       unlikely(igen_semaphore_obstructs(engine, rq)) && !may_be_reached(to_execlists(engine), rq))
		igen_semaphore_give_up(engine, rq);
}

/* Was the hardware given more of the context than up to this request's end? */
static bool tail_goes_back(const struct igen_request *rq)
{
	return (s32)(lower_32_bits(rq->fence.seqno) - rq->lrc->hw_seqno) < 0;
}

/*
 * Takes a request from the queue, and with it what of its context the hardware may have come to, unless the context is
 * over. group->lock held. Returns the last that was taken.
 */
static struct igen_request *start_reached(struct igen_engine *engine, struct igen_request *rq, bool over)
{
	struct igen_request *last = rq, *next = list_next_entry(rq, link);

	if (unlikely(rq->lrc->stale))
		igen_lrc_reset(rq->lrc, rq->head, rq->lrc->spoilt);
	igen_scheduler_start(engine, rq);
	/* What is over begins anew, with its batches blanked one by one. */
	if (likely(!tail_goes_back(last)) || over)
		return last;

	rq = next;
	list_for_each_entry_safe_from(rq, next, &engine->queue, link) {
		if (rq->lrc != last->lrc || !rq->started)
			continue;
		igen_scheduler_start(engine, rq);
		last = rq;
		if (!tail_goes_back(last))
			break;
	}
	return last;
}

/* Is somebody more urgent than @rq to be queued as soon as @last is known to have completed? */
static bool is_for_follower(const struct igen_request *last, const struct igen_request *rq)
{
	return rq->priority < READ_ONCE(last->follower_priority) && atomic_read(&last->followers);
}

/* Fills the ports from the queue and writes them if there is anything new. group->lock held. */
static void fill_ports(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_request *port[NUM_PORTS] = {};
	struct igen_request *rq, *next;
	unsigned int n = 0, i, passed = 0;
	bool submit = false;

	if (el->blocked || el->pending[0])
		return;

	if (unlikely(el->followed) && !atomic_read(&el->followed->followers))
		igen_ports_forget_followed(el);
	igen_scheduler_trim(engine);
	igen_balance_pull(engine, false);
	give_up_first(engine);
	if (!take_back(engine)) {
		/* With both ports busy the next event brings us back. */
		if (list_empty(&engine->queue) || el->active[1])
			return;
		port[0] = el->active[0];
	}

again:
	list_for_each_entry_safe(rq, next, &engine->queue, link) {
		unsigned int running = active_port(el, rq->lrc);
		int verdict;

		/* Before anything of its context is looked at, which may be gone then. */
		if (igen_request_completed(rq)) {
			igen_scheduler_drop(rq);
			continue;
		}
		/* May change at any time. */
		verdict = igen_request_verdict(rq, engine);
		if (unlikely(el->followed) && is_for_follower(el->followed, rq))
			break;
		if (unlikely(passed & BIT(running)))
			continue;
		if (unlikely(igen_semaphore_obstructs(engine, rq))) {
			if (!may_be_reached(el, rq)) {
				igen_semaphore_give_up(engine, rq);
				goto again;
			}
			/*
			 * It is passed over until the hardware has left its context; but not when that goes on with
			 * what is before it: a tail that is behind the head would send it all around the ring.
			 */
			if (!port[n] || port[n]->lrc != rq->lrc) {
				passed |= BIT(running);
				continue;
			}
		}
		/* What may go elsewhere, or comes before what is passed over, does not wait behind another context. */
		if (port[n] && port[n]->lrc != rq->lrc &&
		    (n + 1 == NUM_PORTS || rq->lrc->siblings || passed || is_for_follower(port[n], rq)))
			break;
		if (unlikely(verdict && !igen_request_is_skipped(rq))) {
			/* The hardware would save its state over ours: wait until it has left the context. */
			if (lrc_is_active(el, rq->lrc))
				break;
			igen_request_skip(rq, verdict);
			/* It may have been preempted within its batch, to which it must not return. */
			if (!port[n] || port[n]->lrc != rq->lrc)
				igen_lrc_reset(rq->lrc, rq->head, true);
		}
		if (port[n] && port[n]->lrc != rq->lrc)
			n++;
		port[n] = start_reached(engine, rq, verdict == -EIO);
		submit = true;
		if (unlikely(port[n] != rq))
			goto again;
	}
	if (!submit)
		return;

	for (i = 0; i < NUM_PORTS && port[i]; i++) {
		igen_lrc_get(port[i]->lrc)->ports++;
		el->pending[i] = igen_request_get(port[i]);
	}
	write_ports(engine);
}

/* Has somebody look at the end of the timeslice, should anybody wait for it. group->lock held. */
static void arm_slice(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	unsigned int ms = READ_ONCE(engine->props.timeslice_duration_ms);
	bool waits, soon;
	unsigned long due;

	/* Alone, as nearly always; or nothing may be written, until an event or the end of a reset brings us back. */
	if ((list_empty(&engine->queue) && !el->active[1] && !engine->group->balanced) || el->pending[0] || el->blocked)
		return;
	if (delayed_work_pending(&el->slice_work) && time_before_eq(el->slice_due, jiffies + 1))
		return;
	waits = waits_in_the_way(engine);
	soon = waits || needs_preemption_soon(engine) || el->followed;
	waits |= has_rival(engine);
	if (!waits && !soon)
		return;
	if (waits && !heard_enough(el))
		listen(engine, true);
	due = el->since + msecs_to_jiffies(soon || heard_enough(el) ? 1 : ms);
	if (time_before(due, jiffies + 1))
		due = jiffies + 1;
	if (delayed_work_pending(&el->slice_work) && time_before_eq(el->slice_due, due))
		return;
	el->slice_due = due;
	mod_delayed_work(system_highpri_wq, &el->slice_work, due - jiffies);
}

/* The oldest request of a context in a list that has not completed, or NULL. */
static struct igen_request *oldest_of(struct list_head *list, const struct igen_lrc *lrc)
{
	struct igen_request *rq;

	list_for_each_entry(rq, list, link) {
		if (rq->lrc == lrc && !igen_request_completed(rq))
			return rq;
	}
	return NULL;
}

/* What of a context has not completed, the oldest, or NULL. It may have been taken back. */
static struct igen_request *oldest_in(struct igen_engine *engine, const struct igen_lrc *lrc)
{
	return oldest_of(&engine->inflight, lrc) ?: oldest_of(&engine->queue, lrc);
}

/* As long as a list is not acknowledged the hardware is in a context of the one before. group->lock held. */
static struct igen_request *running_request(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_request *rq = NULL;

	if (el->pending[0] && el->active[0])
		rq = oldest_in(engine, el->active[0]->lrc);
	return rq ?: igen_scheduler_active(engine);
}

static bool is_client_above(const struct igen_request *rq, const struct igen_request *running)
{
	return rq->lrc != running->lrc && !rq->driver && rq->priority > running->priority &&
	       !igen_request_completed(rq);
}

/* Somebody more urgent than what runs waits behind a pulse that is not acknowledged. group->lock held. */
static bool client_waits(struct igen_engine *engine)
{
	const struct igen_request *second = to_execlists(engine)->pending[1], *running = running_request(engine), *rq;

	if (!running)
		return false;
	if (second && is_client_above(second, running))
		return true;
	list_for_each_entry(rq, &engine->queue, link) {
		if (rq->priority <= running->priority)
			break;
		if (is_client_above(rq, running))
			return true;
	}
	return false;
}

/* Does what runs keep a client waiting, who is to have the engine instead? group->lock held. */
static bool has_to_yield(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	if (!el->pending[0] || !el->active[0])
		return false;
	if (needs_preemption(engine))
		return true;
	if (el->pending[0]->lrc == el->active[0]->lrc)
		return false;
	/* A pulse by itself is the heartbeat's to judge. */
	return !el->pending[0]->driver || client_waits(engine);
}

/*
 * Has somebody look whether what runs yields, should it have to. The time for that begins with the first who wants it
 * of what runs now. group->lock held.
 */
static void arm_preempt(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	unsigned int ms = READ_ONCE(engine->props.preempt_timeout_ms);
	unsigned long due;

	if (!ms || !has_to_yield(engine))
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
	mod_delayed_work(system_highpri_wq, &el->preempt_work, due - jiffies);
}

/* Those who wait for what runs to begin wait no more. group->lock held. */
static void note_begin(struct igen_engine *engine)
{
	struct igen_request *rq;

	if (likely(!engine->group->begins_awaited))
		return;
	rq = running_request(engine);
	if (rq && !igen_semaphore_waits(rq))
		igen_scheduler_begin(engine, rq);
}

static void dequeue_one(struct igen_engine *engine)
{
	fill_ports(engine);
	note_begin(engine);
	arm_slice(engine);
	arm_preempt(engine);
}

static bool is_busy(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	return el->active[0] || el->pending[0];
}

/* Balanced requests run on an idle engine if there is one, before they put off less urgent ones. group->lock held. */
static void dequeue(struct igen_engine *engine)
{
	struct igen_engine_group *group = engine->group;
	bool busy = is_busy(engine);
	unsigned int n;

	if (unlikely(group->balanced && busy)) {
		for (n = 0; n < group->num_engines; n++) {
			if (!is_busy(group->engine[n]))
				dequeue_one(group->engine[n]);
		}
	}
	dequeue_one(engine);
	if (unlikely(group->balanced)) {
		for (n = 0; n < group->num_engines; n++) {
			if (group->engine[n] != engine)
				dequeue_one(group->engine[n]);
		}
	}
}

static void slice_work(struct work_struct *work)
{
	struct igen_execlists *el = container_of(work, struct igen_execlists, slice_work.work);
	struct igen_engine *engine = el->engine;
	unsigned int ms = READ_ONCE(engine->props.timeslice_duration_ms);

	spin_lock_irq(&engine->group->lock);
	igen_csb_process(engine);
	el->slice_over = ms && time_after_eq(jiffies, el->since + msecs_to_jiffies(ms));
	dequeue(engine);
	spin_unlock_irq(&engine->group->lock);
}

/* What runs has had its time to yield, by what the timeout is now. group->lock held. */
static bool has_not_yielded(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	unsigned int ms = READ_ONCE(engine->props.preempt_timeout_ms);

	return ms && !el->blocked && el->changes == el->preempt_changes &&
	       time_after_eq(jiffies, el->preempt_since + msecs_to_jiffies(ms)) && has_to_yield(engine);
}

static void preempt_work(struct work_struct *work)
{
	struct igen_execlists *el = container_of(work, struct igen_execlists, preempt_work.work);
	struct igen_engine *engine = el->engine;
	struct igen_suspect suspect;
	bool stuck;

	spin_lock_irq(&engine->group->lock);
	igen_csb_process(engine);
	stuck = has_not_yielded(engine);
	if (stuck) {
		igen_suspect_note(engine, &suspect);
		/* If it survives, its time begins anew. */
		el->preempt_since = jiffies;
	}
	/* Which arms for the rest, if somebody else has to yield by now. */
	dequeue(engine);
	spin_unlock_irq(&engine->group->lock);

	if (stuck)
		igen_engine_hung(engine, &suspect, "it does not let itself be preempted");
}

static void execlists_submit(struct igen_engine *engine)
{
	lockdep_assert_held(&engine->group->lock);

	igen_csb_process(engine);
	dequeue(engine);
}

static bool execlists_idle(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	igen_csb_process(engine);
	return !el->active[0] && !el->pending[0];
}

static bool execlists_unheard(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	return el->csb_read != READ_ONCE(*el->csb_write);
}

/* The upper half is not for errors of what runs. */
#define EIR_ERRORS	GENMASK(15, 0)

/* An instruction that the engine does not know, or the like: masked, so that it comes once, until the reset. */
static void command_error(struct igen_engine *engine)
{
	u32 base = engine->info->base;
	u32 errors;

	if (igen_forcewake_get(engine->igen, engine->info->forcewake))
		return;
	/* None any more: the interrupt is late, and whoever runs since the reset is not to blame. */
	errors = igen_read(engine->igen, RING_EIR(base)) & EIR_ERRORS;
	if (errors)
		igen_write(engine->igen, RING_EMR(base), ~0u);
	igen_forcewake_put(engine->igen, engine->info->forcewake);
	if (errors)
		igen_heartbeat_fail(engine, IGEN_ENGINE_COMMAND_ERROR);
}

static void execlists_irq(struct igen_engine *engine, u32 bits)
{
	unsigned long flags;

	if (unlikely(bits & GT_IRQ_CS_ERROR))
		command_error(engine);

	/* After a context switch too: see igen_breadcrumbs.c. What becomes ready is there when the ports are filled. */
	igen_breadcrumbs_signal(engine);

	if (bits & (GT_IRQ_CONTEXT_SWITCH | GT_IRQ_WAIT_SEMAPHORE)) {
		spin_lock_irqsave(&engine->group->lock, flags);
		igen_csb_process(engine);
		if (unlikely(bits & GT_IRQ_WAIT_SEMAPHORE))
			note_wait(engine);
		igen_scheduler_trim(engine);
		dequeue(engine);
		spin_unlock_irqrestore(&engine->group->lock, flags);
	}
}

static int execlists_init(struct igen_engine *engine)
{
	struct igen_execlists *el;

	el = kzalloc(sizeof(*el), GFP_KERNEL);
	if (!el)
		return -ENOMEM;
	igen_scheduler_init(engine);
	igen_heartbeat_init(engine);

	el->engine = engine;
	INIT_DELAYED_WORK(&el->slice_work, slice_work);
	INIT_DELAYED_WORK(&el->preempt_work, preempt_work);
	el->csb = engine->hwsp_vaddr + HWSP_CSB_DW;
	el->csb_write = engine->hwsp_vaddr + HWSP_CSB_WRITE_PTR_DW;
	el->csb_read = GEN9_CSB_RESET_PTR;
	/* Of nothing that has run. */
	el->preempt_changes = el->changes - 1;
	engine->backend = el;
	return 0;
}

static void execlists_fini(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	igen_heartbeat_fini(engine);
	cancel_delayed_work_sync(&el->preempt_work);
	cancel_delayed_work_sync(&el->slice_work);
	igen_scheduler_fini(engine);
	igen_ports_release(el);
	engine->backend = NULL;
	kfree(el);
}

static int execlists_resume(struct igen_engine *engine)
{
	struct igen_device *igen = engine->igen;
	u32 base = engine->info->base;

	/* The status page gets the CSB whatever this says; nothing else is to be written there unasked. */
	igen_write(igen, RING_HWSTAM(base), ~0u);
	igen_write(igen, RING_MODE(base), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
	igen_write(igen, RING_MI_MODE(base), IGEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	igen_write(igen, RING_HWS_PGA(base), lower_32_bits(igen_vma_start(engine->hwsp)));

	/* An invalid instruction interrupts; a refused register write, which does no harm, does not. */
	igen_write(igen, RING_EMR(base), ~0u);
	igen_write(igen, RING_EIR(base), ~0u);
	igen_write(igen, RING_EMR(base), ~EIR_INSTRUCTION_ERROR);

	igen_csb_reset(engine);
	igen_irq_engine_resume(engine);
	return 0;
}

static int execlists_reset_prepare(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	int err;

	spin_lock_irq(&engine->group->lock);
	el->blocked = true;
	spin_unlock_irq(&engine->group->lock);

	/* Best effort: an engine that hangs in a command does not stop. */
	err = igen_engine_stop(engine);
	spin_lock_irq(&engine->group->lock);
	igen_csb_note_stop(engine);
	spin_unlock_irq(&engine->group->lock);
	return err;
}

/*
 * What does not let itself be preempted is to blame, not what was to preempt it. Nor is what comes behind a context
 * that has completed and was not left: the hardware has not come to it.
 */
static struct igen_request *port_request(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	return el->active[0] ? oldest_in(engine, el->active[0]->lrc) : igen_scheduler_active(engine);
}

static struct igen_request *execlists_active(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_request *before, *rq;
	unsigned int moves;

	lockdep_assert_held(&engine->group->lock);

	igen_csb_process(engine);
	before = port_request(engine);
	rq = before;
	if (unlikely(el->stopped)) {
		moves = el->moves;
		igen_csb_catch_up(engine);
		rq = port_request(engine);
		/* It is in what it was thought to be in: that has not moved. */
		if (rq == before)
			el->moves = moves;
	}
	return rq;
}

static unsigned int execlists_moves(struct igen_engine *engine)
{
	return to_execlists(engine)->moves;
}

/* The engine's own word for it, before and after, since it may switch at any time. */
static bool execlists_running(struct igen_lrc *lrc, u32 *count)
{
	struct igen_device *igen = lrc->group->igen;
	struct igen_execlists *el = to_execlists(lrc->engine);
	u32 base = lrc->engine->info->base, id = upper_32_bits(lrc->desc);

	if (!lrc_is_active(el, lrc) && !(el->pending[0] && el->pending[0]->lrc == lrc))
		return false;
	if (!(igen_read(igen, RING_EXECLIST_STATUS_LO(base)) & EXECLIST_STATUS_ACTIVE_MASK) ||
	    igen_read(igen, RING_EXECLIST_STATUS_HI(base)) != id)
		return false;
	*count = igen_read(igen, RING_CTX_TIMESTAMP(base));
	return igen_read(igen, RING_EXECLIST_STATUS_LO(base)) & EXECLIST_STATUS_ACTIVE_MASK &&
	       igen_read(igen, RING_EXECLIST_STATUS_HI(base)) == id;
}

/* Both lists count: the newer one may run and not be acknowledged. */
static u64 execlists_runtime(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_request *const ports[] = { el->active[0], el->active[1], el->pending[0], el->pending[1] };
	unsigned int n;
	u32 count, live = 0;

	lockdep_assert_held(&engine->group->lock);
	igen_ports_note_runtimes(el->active);
	igen_ports_note_runtimes(el->pending);
	/* What rests is not woken up to be asked. */
	if ((!el->active[0] && !el->pending[0]) || igen_forcewake_get(engine->igen, engine->info->forcewake))
		return engine->runtime;
	for (n = 0; n < ARRAY_SIZE(ports); n++) {
		if (!ports[n] || !execlists_running(ports[n]->lrc, &count))
			continue;
		/* The register may be read just when the context leaves and its image is newer. */
		live = max((s32)(count - ports[n]->lrc->runtime_mark), 0);
		break;
	}
	igen_forcewake_put(engine->igen, engine->info->forcewake);
	return engine->runtime + live;
}

/* What the hardware runs, or was given when it has acknowledged nothing yet. */
static void execlists_ports(struct igen_engine *engine, struct igen_request *ports[NUM_PORTS])
{
	struct igen_execlists *el = to_execlists(engine);

	lockdep_assert_held(&engine->group->lock);
	memcpy(ports, el->active[0] ? el->active : el->pending, sizeof(el->active));
}

/* Was the context saved within this request? */
static bool is_saved_within(const struct igen_request *rq)
{
	const struct igen_lrc *lrc = rq->lrc;
	u32 mask = lrc->ring_size - 1;

	return ((lrc->regs[CTX_RING_HEAD] - rq->head) & mask) < ((rq->tail - rq->head) & mask);
}

/*
 * The image of a context that was in a port is as old as its last visit, which may be before what has completed, and
 * would run again. It goes on with what has not, also if that is still to come. What the hardware was not in as far as
 * we know keeps its place within a batch.
 */
static void rewind_port(struct igen_engine *engine, const struct igen_request *port, bool was_in)
{
	struct igen_request *rq = oldest_in(engine, port->lrc);

	if (was_in || !rq || !is_saved_within(rq))
		igen_lrc_discard(port->lrc, false);
}

/*
 * The hardware has forgotten both ports, and has saved none of them. The register state of what hung is not trusted and
 * starts from the default again.
 */
static void execlists_reset(struct igen_engine *engine, bool stalled)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_request *rq;
	unsigned int n;

	lockdep_assert_held(&engine->group->lock);

	rq = execlists_active(engine);
	if (rq && stalled) {
		igen_request_skip(rq, -EIO);
		igen_lrc_discard(rq->lrc, true);
	}
	for (n = 0; n < NUM_PORTS; n++) {
		if (el->active[n])
			rewind_port(engine, el->active[n], !n);
		if (el->pending[n])
			rewind_port(engine, el->pending[n], false);
	}
	igen_scheduler_unwind(engine);
	igen_ports_release(el);
	igen_csb_reset(engine);
}

static void execlists_reset_finish(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	spin_lock_irq(&engine->group->lock);
	el->blocked = false;
	dequeue(engine);
	spin_unlock_irq(&engine->group->lock);
	/* What completed just before the reset may have lost its interrupt. */
	igen_breadcrumbs_signal(engine);
}

const struct igen_submit_ops igen_execlists_ops = {
	.init = execlists_init,
	.fini = execlists_fini,
	.resume = execlists_resume,
	.submit = execlists_submit,
	.irq = execlists_irq,
	.idle = execlists_idle,
	.unheard = execlists_unheard,
	.active = execlists_active,
	.moves = execlists_moves,
	.ports = execlists_ports,
	.running = execlists_running,
	.is_misread = igen_csb_is_misread,
	.runtime = execlists_runtime,
	.reset_prepare = execlists_reset_prepare,
	.reset = execlists_reset,
	.reset_finish = execlists_reset_finish,
};
