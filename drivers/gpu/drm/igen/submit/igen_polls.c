// SPDX-License-Identifier: MIT
/**
 * DOC: Contexts that poll
 *
 * A batch in MI_SEMAPHORE_WAIT makes no progress, and usually waits for a store of another context. So its timeslice
 * ends as soon as the driver knows that the engine waits. The engine raises an interrupt when it begins to wait, and
 * not again during that wait (stock i915 says so). The driver unmasks the interrupt when the timeslice timer is armed.
 * Until then it reads the interrupt's bit together with others of its group (engine/igen_irq.c), so that a context that
 * polls alone causes no interrupts. The driver masks the interrupt again when it comes while no other context could use
 * the engine, or when it comes too often. The interrupt does not name the context, and the wait may be over by then.
 * RING_CTL says whether the engine waits now; the driver reads it when another context could have the engine.
 *
 * A context polls when two visits in a row have ended at the same wait of the same request, and its process has got no
 * further since: no other request of the process has completed or has come to another wait. Such a context would most
 * likely only wait again. So the running context hands the engine to it only at the end of a timeslice. Otherwise
 * many contexts that poll would hand the engine to each other all the time, and a client with something to do would get
 * it between two of them, on a CPU that is busy with their interrupts. The first context that does not poll gets the
 * engine at once, if its turn has come.
 *
 * The shares of a context that gives the engine away pay for the visit, and for a round at least (igen_queue_defer()).
 */
#include <igen/regs/engine.h>

#include "igen_execlists.h"

/* The process's share, or that of requests without a client. */
static struct igen_share *polls_share(const struct igen_request *rq)
{
	return rq->client ? rq->share->above : rq->share;
}

/**
 * igen_request_note_progress - a request has got further, or has completed
 * @rq: the request, which was queued once
 *
 * Context: group->lock held.
 */
void igen_request_note_progress(const struct igen_request *rq)
{
	lockdep_assert_held(&rq->group->lock);

	polls_share(rq)->progress++;
}

/**
 * igen_request_polls - ask whether a request's context is known to poll
 * @rq: a request that is queued or in flight
 *
 * Return: true when the context would most likely only wait again.
 * Context: group->lock held.
 */
bool igen_request_polls(const struct igen_request *rq)
{
	const struct igen_lrc *lrc = rq->lrc;

	lockdep_assert_held(&rq->group->lock);

	return lrc->polls && lrc->polled_progress == polls_share(rq)->progress &&
	       (s32)(READ_ONCE(*READ_ONCE(lrc->timeline.hwsp_seqno)) - lrc->polled_seqno) < 0;
}

/**
 * igen_polls_in_the_way - ask whether a wait for another engine, now or soon, keeps this one from work
 * @engine: the engine
 *
 * Return: true when it does.
 * Context: group->lock held.
 */
bool igen_polls_in_the_way(struct igen_engine *engine)
{
	struct igen_request *rq;

	list_for_each_entry(rq, &engine->inflight, link) {
		/* If the first waiting request obstructs no other context, all requests are of its context. */
		if (unlikely(igen_semaphore_waits(rq)))
			return igen_semaphore_obstructs(engine, rq);
	}
	return false;
}

/**
 * igen_polls_rival - ask whether another context could have the engine instead of the running one
 * @engine: the engine
 * @busy: one that is not known to poll
 *
 * Return: true when there is one and there are timeslices.
 * Context: group->lock held.
 */
bool igen_polls_rival(struct igen_engine *engine, bool busy)
{
	return READ_ONCE(engine->props.timeslice_duration_ms) &&
	       (igen_scheduler_rival(engine, busy) || igen_balance_rival(engine, busy));
}

/**
 * igen_polls_heard_enough - ask whether the interrupt for semaphore waits came too often of late
 * @el: the backend
 *
 * Return: true when only the timeslice timer is to look for waits.
 * Context: group->lock held.
 */
bool igen_polls_heard_enough(const struct igen_execlists *el)
{
	return el->waits_heard > MOST_WAITS && time_before(jiffies, el->heard_until);
}

/**
 * igen_polls_listen - let the interrupt through that tells of a wait, or shut it
 * @engine: the engine
 * @listens: which
 *
 * Context: group->lock held.
 */
void igen_polls_listen(struct igen_engine *engine, bool listens)
{
	struct igen_execlists *el = to_execlists(engine);

	if (el->listens == listens)
		return;
	el->listens = listens;
	igen_irq_semaphore(engine, listens);
}

/**
 * igen_polls_note_wait - the engine has told that it waits for a semaphore
 * @engine: the engine
 *
 * Context: group->lock held.
 */
void igen_polls_note_wait(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	el->waited = el->active[0];
	if (!time_before(jiffies, el->heard_until)) {
		el->heard_until = jiffies + 1;
		el->waits_heard = 0;
	}
	el->waits_heard++;
	if (el->listens && (igen_polls_heard_enough(el) ||
			    (!igen_polls_rival(engine, true) && !igen_polls_in_the_way(engine))))
		igen_polls_listen(engine, false);
}

/* The running context waits: notes its progress since its last visit. group->lock and forcewake held. */
static void polls_note_place(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_request *rq = igen_scheduler_active(engine);
	u32 seqno, at = igen_read(engine->igen, RING_ACTHD(engine->info->base));
	struct igen_lrc *lrc;

	if (!rq || rq->lrc != el->active[0]->lrc)
		return;
	lrc = rq->lrc;
	seqno = lower_32_bits(rq->fence.seqno);
	if (lrc->polled_seqno == seqno && lrc->polled_at == at) {
		lrc->polls |= lrc->polled_visit != el->moves;
	} else {
		lrc->polls = false;
		igen_request_note_progress(rq);
	}
	lrc->polled_progress = polls_share(rq)->progress;
	lrc->polled_seqno = seqno;
	lrc->polled_at = at;
	lrc->polled_visit = el->moves;
}

/**
 * igen_polls_yield - ask whether the running context is to give the engine away since it only waits
 * @engine: the engine, whose first port runs
 *
 * Return: true when it waits in a batch, and a context that is not known to poll could have the engine.
 * Context: group->lock held.
 */
bool igen_polls_yield(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	if (likely(!el->waited) || igen_polls_heard_enough(el) || !igen_polls_rival(engine, false))
		return false;
	/* The wait may end at any time, the context with it, and an engine without a context sleeps. */
	if (igen_forcewake_get(engine->igen, engine->info->forcewake))
		return false;
	el->waited = igen_read(engine->igen, RING_CTL(engine->info->base)) & RING_CTL_WAIT_SEMAPHORE;
	if (el->waited)
		polls_note_place(engine);
	igen_forcewake_put(engine->igen, engine->info->forcewake);
	return el->waited && igen_polls_rival(engine, true);
}
