// SPDX-License-Identifier: MIT
/**
 * DOC: Choosing the requests for the ELSP
 *
 * The head of igen_execlists.c has the rules. This file applies them to the queue: it fills the ports with requests and
 * writes the list to the hardware.
 */
#include <igen/regs/context.h>
#include <igen/regs/engine.h>

#include "../igen_trace.h"
#include "igen_execlists.h"

/* A list that is being filled. */
struct fill {
	/* The first request of the queue, if it is known. */
	struct igen_request *first;
	/* The last request of each port; NULL behind the last port. */
	struct igen_request *port[NUM_PORTS];
	/* The port that is filled. */
	unsigned int n;
	/* Contexts that were set aside, since their next request waits for another engine. */
	struct igen_lrc *passed[NUM_PORTS];
	unsigned int num_passed;
	/* The list has something that the hardware does not have yet. */
	bool submit;
};

/*
 * Moves the tail in the context's image behind @rq, and returns the context's descriptor. If the hardware has seen that
 * tail before, the tail moves on by the two spare commands behind it, once: the hardware may be there already.
 * group->lock held.
 */
static u64 dequeue_update_context(struct igen_request *rq)
{
	struct igen_lrc *lrc = rq->lrc;
	u64 desc = lrc->image.desc;
	u32 behind = igen_request_end(rq);
	u32 tail = lrc->image.hw_tail == rq->tail || lrc->image.hw_tail == behind ? behind : rq->tail;

	if (tail == lrc->image.hw_tail)
		desc |= CTX_DESC_FORCE_RESTORE;
	lrc->image.regs[CTX_RING_TAIL] = tail;
	lrc->image.hw_tail = tail;
	lrc->image.hw_seqno = lower_32_bits(rq->fence.seqno);
	/* One forced restore is enough: after that the engine knows the image by its address. */
	lrc->image.desc &= ~CTX_DESC_FORCE_RESTORE;
	return desc;
}

/* Writes the pending list to the hardware. group->lock held. */
static void dequeue_write_list(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	u32 elsp = RING_ELSP(engine->info->base);
	u64 desc[NUM_PORTS] = {};
	unsigned int n;

	for (n = 0; n < NUM_PORTS && el->pending[n]; n++)
		desc[n] = dequeue_update_context(el->pending[n]);
	igen_departure_note_list(el);

	/* Rings and images have to be in memory before the engine reads them. */
	wmb();
	for (n = NUM_PORTS; n--;) {
		igen_write(engine->igen, elsp, upper_32_bits(desc[n]));
		igen_write(engine->igen, elsp, lower_32_bits(desc[n]));
	}
}

/**
 * igen_dequeue_preempts - ask whether a request is more urgent than the context that runs
 * @engine: the engine
 *
 * That is the first request of the queue, or one in flight behind the running context whose priority was raised. Of the
 * running context the oldest request counts that has not completed.
 *
 * Return: true when the running context has to give way.
 * Context: group->lock held.
 */
bool igen_dequeue_preempts(struct igen_engine *engine)
{
	struct igen_request *rq, *running = NULL;
	int highest = INT_MIN;

	list_for_each_entry(rq, &engine->inflight, link) {
		if (igen_request_completed(rq))
			continue;
		if (!running)
			running = rq;
		else if (rq->lrc != running->lrc && igen_request_rank(rq) > igen_request_rank(running))
			return true;
		highest = max(highest, igen_request_rank(rq));
	}
	rq = igen_queue_ready(engine);
	return running && rq && igen_request_rank(rq) > highest;
}

/**
 * igen_dequeue_preempts_soon - ask whether the running context has to give way at the end of its oldest request
 * @engine: the engine
 *
 * So it is when less urgent requests of the same context follow the oldest one, and another context has a request that
 * is more urgent than these. The hardware sends no event at the end of the oldest request, so a timer has to look.
 *
 * Return: true when a timer has to look.
 * Context: group->lock held.
 */
bool igen_dequeue_preempts_soon(struct igen_engine *engine)
{
	struct igen_request *rq, *running = igen_scheduler_active(engine);
	int lowest;

	if (!running)
		return false;

	lowest = igen_request_rank(running);
	rq = running;
	list_for_each_entry_continue(rq, &engine->inflight, link) {
		if (rq->lrc != running->lrc)
			return igen_request_rank(rq) > lowest;
		lowest = min(lowest, igen_request_rank(rq));
	}
	rq = igen_queue_ready(engine);
	return rq && rq->lrc != running->lrc && igen_request_rank(rq) > lowest;
}

/*
 * Unwinds the requests in flight if the engine has to run another context now. Returns true if it did. A context whose
 * timeslice is over goes behind contexts of its priority. group->lock held.
 */
static bool dequeue_unwind(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	bool slice_over = el->slice_over;
	struct igen_request *running;

	el->slice_over = false;
	if (!el->active[0])
		return false;
	igen_ports_note_followed(el);
	running = igen_scheduler_active(engine);
	if (igen_dequeue_preempts(engine) || (running && igen_semaphore_obstructs(engine, running))) {
		igen_scheduler_unwind(engine);
		return true;
	}
	slice_over |= igen_polls_yield(engine);
	if (slice_over && !igen_scheduler_rival(engine, false))
		igen_balance_pull(engine, true);
	return slice_over && igen_scheduler_take_turns(engine, el->active[0]->lrc, &el->since);
}

/* The hardware was given the request and has not left its context yet, so it may still come to the request. */
static bool dequeue_may_be_reached(const struct igen_execlists *el, const struct igen_request *rq)
{
	return rq->started && lrc_is_active(el, rq->lrc);
}

/*
 * The first request of the queue waits for another engine, while this engine has other work: a CPU's wait takes the
 * place of the semaphore, and the request leaves the queue. Returns the one that is the first then. group->lock held.
 */
static struct igen_request *dequeue_give_up_first(struct igen_engine *engine)
{
	struct igen_request *rq;

	while ((rq = igen_queue_ready(engine)) && unlikely(igen_semaphore_obstructs(engine, rq)) &&
	       !dequeue_may_be_reached(to_execlists(engine), rq))
		igen_semaphore_give_up(engine, rq);
	return rq;
}

/* The hardware was given later requests of the context, too. */
static bool dequeue_tail_goes_back(const struct igen_request *rq)
{
	return (s32)(lower_32_bits(rq->fence.seqno) - rq->lrc->image.hw_seqno) < 0;
}

/* Takes a request from the queue for a port. group->lock held. */
static void dequeue_start_request(struct igen_engine *engine, struct igen_request *rq, unsigned int port)
{
	igen_scheduler_start(engine, rq);
	trace_i915_request_in(rq, port);
}

/*
 * Takes a request from the queue for a port, and with it the later requests of its context that the hardware was given
 * before, unless the context is @over (banned or closed). Returns the last request that was taken. group->lock held.
 */
static struct igen_request *dequeue_start(struct igen_engine *engine, struct igen_request *rq, unsigned int port,
					  bool over)
{
	struct igen_request *last = rq, *next = list_next_entry(rq, lrc_link);
	struct igen_lrc *lrc = rq->lrc;

	if (unlikely(rq->lrc->stale))
		igen_lrc_reset(rq->lrc, rq->head, rq->lrc->state_lost);
	dequeue_start_request(engine, rq, port);
	/* A banned or closed context is restored in full, and the driver skips its batches one by one. */
	if (likely(!dequeue_tail_goes_back(last)) || over)
		return last;

	rq = next;
	list_for_each_entry_safe_from(rq, next, &lrc->queued, lrc_link) {
		if (!rq->started)
			break;
		dequeue_start_request(engine, rq, port);
		last = rq;
		if (!dequeue_tail_goes_back(last))
			break;
	}
	return last;
}

/* A follower of @last, which is queued when @last has completed, is more urgent than @rq. */
static bool dequeue_is_for_follower(const struct igen_request *last, const struct igen_request *rq)
{
	return rq->priority < READ_ONCE(last->follower_priority) && atomic_read(&last->followers);
}

/* Begins a list with the running context, or an empty list. False when there is nothing to do. group->lock held. */
static bool dequeue_begin(struct igen_engine *engine, struct fill *fill)
{
	struct igen_execlists *el = to_execlists(engine);

	if (el->blocked || el->pending[0])
		return false;

	if (unlikely(el->followed) && !atomic_read(&el->followed->followers))
		igen_ports_forget_followed(el);
	igen_scheduler_trim(engine);
	if (unlikely(engine->group->balanced))
		igen_balance_pull(engine, false);
	fill->first = dequeue_give_up_first(engine);
	/* What a running context gives way to may come to the queue only now. */
	if (el->active[0])
		fill->first = NULL;
	if (dequeue_unwind(engine))
		return true;
	/* With both ports busy the next event leads here again. */
	if (igen_queue_is_empty(engine) || el->active[1])
		return false;
	fill->port[0] = el->active[0];
	return true;
}

static bool dequeue_continues_port(const struct fill *fill, const struct igen_request *rq)
{
	return fill->port[fill->n] && fill->port[fill->n]->lrc == rq->lrc;
}

/*
 * A request waits for another engine, while this engine has other work. It leaves the queue, or while the hardware may
 * still come to it, its context is set aside. False when neither is possible: the hardware goes on with earlier
 * requests of the same context, and a tail before the head would send it all around the ring.
 */
static bool dequeue_pass_over(struct igen_engine *engine, struct fill *fill, struct igen_request *rq)
{
	if (!dequeue_may_be_reached(to_execlists(engine), rq)) {
		igen_semaphore_give_up(engine, rq);
		return true;
	}
	if (dequeue_continues_port(fill, rq))
		return false;
	igen_queue_set_aside(engine, rq->lrc);
	fill->passed[fill->num_passed++] = rq->lrc;
	return true;
}

/* Puts the request into the list, or out of the way: true then. False: the list ends before it. group->lock held. */
static bool dequeue_next(struct igen_engine *engine, struct fill *fill, struct igen_request *rq)
{
	struct igen_execlists *el = to_execlists(engine);
	bool continues;
	int err;

	/* The context of a completed request may be gone, so nothing else of the request may be read. */
	if (igen_request_completed(rq)) {
		igen_scheduler_drop(rq);
		return true;
	}
	/* Read once, since the answer may change at any time. */
	err = igen_request_check_run(rq, engine);
	if (unlikely(el->followed) && dequeue_is_for_follower(el->followed, rq))
		return false;
	if (unlikely(igen_semaphore_obstructs(engine, rq)) && dequeue_pass_over(engine, fill, rq))
		return true;
	continues = dequeue_continues_port(fill, rq);
	/* The second port is not for a context that another engine may run, or that comes behind one set aside. */
	if (fill->port[fill->n] && !continues &&
	    (fill->n + 1 == NUM_PORTS || rq->lrc->siblings || fill->num_passed ||
	     dequeue_is_for_follower(fill->port[fill->n], rq)))
		return false;
	if (unlikely(err && !igen_request_is_skipped(rq))) {
		/* Until the hardware has left the context, it would save its own state over the driver's. */
		if (lrc_is_active(el, rq->lrc) || !igen_departure_confirm(rq->lrc))
			return false;
		igen_request_skip(rq, err);
		/* The request may have been preempted within its batch, to which the context must not return. */
		if (!continues)
			igen_lrc_reset(rq->lrc, rq->head, true);
	}
	if (fill->port[fill->n] && !continues)
		fill->n++;
	fill->port[fill->n] = dequeue_start(engine, rq, fill->n, err == -EIO);
	fill->submit = true;
	return true;
}

/* Fills the ports from the queue, and writes the list if it has anything new. group->lock held. */
static void dequeue_fill(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_request *rq;
	struct fill fill = {};
	unsigned int i;

	if (!dequeue_begin(engine, &fill))
		return;
	rq = fill.first ?: igen_queue_ready(engine);
	while (rq && dequeue_next(engine, &fill, rq))
		rq = igen_queue_ready(engine);
	while (unlikely(fill.num_passed))
		igen_queue_return(engine, fill.passed[--fill.num_passed]);
	if (!fill.submit)
		return;

	for (i = 0; i < NUM_PORTS && fill.port[i]; i++) {
		to_lrc_execlists(igen_lrc_get(fill.port[i]->lrc))->ports++;
		el->pending[i] = igen_request_get(fill.port[i]);
	}
	dequeue_write_list(engine);
}

/**
 * igen_dequeue_oldest_of - the oldest request of a context that has not completed
 * @engine: the engine
 * @lrc: the context's LRC
 *
 * Return: the request, not counted, in flight or in the queue; or NULL.
 * Context: group->lock held.
 */
struct igen_request *igen_dequeue_oldest_of(struct igen_engine *engine, const struct igen_lrc *lrc)
{
	struct igen_request *rq;

	list_for_each_entry(rq, &engine->inflight, link) {
		if (rq->lrc == lrc && !igen_request_completed(rq))
			return rq;
	}
	list_for_each_entry(rq, &lrc->queued, lrc_link) {
		if (!igen_request_completed(rq))
			return rq;
	}
	return NULL;
}

/**
 * igen_dequeue_running - the request that the hardware runs, as far as its events have told
 * @engine: the engine
 *
 * As long as the hardware has not acknowledged a list, it is in a context of the list before.
 *
 * Return: the request, not counted, or NULL.
 * Context: group->lock held.
 */
struct igen_request *igen_dequeue_running(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_request *rq = NULL;

	if (el->pending[0] && el->active[0])
		rq = igen_dequeue_oldest_of(engine, el->active[0]->lrc);
	return rq ?: igen_scheduler_active(engine);
}

/* Ends the waits for the start of the request that runs. group->lock held. */
static void dequeue_note_begin(struct igen_engine *engine)
{
	struct igen_request *rq;

	if (likely(!engine->group->begins_awaited))
		return;
	rq = igen_dequeue_running(engine);
	if (rq && !igen_semaphore_waits(rq))
		igen_scheduler_begin(engine, rq);
}

static void dequeue_one(struct igen_engine *engine)
{
	dequeue_fill(engine);
	dequeue_note_begin(engine);
	igen_execlists_arm_timers(engine);
}

static bool dequeue_is_busy(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	return el->active[0] || el->pending[0];
}

/**
 * igen_dequeue - give an engine its next requests
 * @engine: the engine, whose queue or ports have changed
 *
 * Requests of balanced contexts go to an idle engine of the group, if there is one, before they preempt others.
 *
 * Context: group->lock held.
 */
void igen_dequeue(struct igen_engine *engine)
{
	struct igen_engine_group *group = engine->group;
	bool busy = dequeue_is_busy(engine);
	unsigned int n;

	if (unlikely(group->balanced && busy)) {
		for (n = 0; n < group->num_engines; n++) {
			if (!dequeue_is_busy(group->engine[n]))
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
