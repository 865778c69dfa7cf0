// SPDX-License-Identifier: MIT
/*
 * DOC: Inheritance of priority
 *
 * A request that waits is as late as what it waits for. So when one is committed, everything of this device that it
 * waits for and that has a lower priority gets its own: requests behind fences, wherever these came from, on any
 * engine; what is before those on their timelines; and so on. What waits in a queue moves forward, and for what is in
 * flight behind something less urgent the backend puts the order right.
 *
 * The walk needs neither recursion nor memory: each request has a link for the list of those that a walk has still to
 * raise, with how high it is to be, and a bit that tells that it is on such a list. Whoever finds the bit set leaves
 * the request to the walk that has it. Priorities only rise, so all walks end. On a timeline an earlier request never
 * has a lower priority than a later one; the walk along it ends at the first that need not be raised.
 *
 * Whoever waits for the end of a request on the same engine is queued when that has completed, and finds the engine at
 * whatever came behind it. So the request says how urgent its followers are, and the backend puts nothing less urgent
 * there.
 *
 * No lock is the device's: igen_lrc.requests_lock guards the order of one timeline and the waits of what is on it, and
 * a walk holds one at a time. A request leaves its timeline when it is retired; until then, and for a grace period
 * after its fence has signaled, its LRC is there.
 */
#include "../igen_device.h"
#include "igen_submit.h"

/* A walk: what has to be raised and is on no other walk's list, counted; which engines have to look at their queues. */
struct walk {
	struct list_head wanted;
	u32 engines;
};

static bool is_lower(const struct igen_request *rq, int priority)
{
	return READ_ONCE(rq->priority) < priority && !igen_request_completed(rq);
}

/* Several walks may do so at once. */
static void raise_number(int *number, int least)
{
	int old = READ_ONCE(*number);

	while (old < least && !try_cmpxchg(number, &old, least))
		;
}

/* A request, whose fence the caller keeps, has to be raised. */
static void want(struct walk *walk, struct igen_request *rq, int priority)
{
	if (!is_lower(rq, priority))
		return;

	raise_number(&rq->wanted_priority, priority);
	/* Ordered: the walk that has it looks at the number once more when it has cleared the bit. */
	if (test_and_set_bit(IGEN_REQUEST_WANTED, &rq->fence.flags))
		return;
	igen_request_get(rq);
	list_add_tail(&rq->inherit_link, &walk->wanted);
}

/* What a request waits for becomes as urgent as it is. Its timeline's requests_lock is held, or it is on none yet. */
static void want_waits(struct walk *walk, struct igen_request *rq, int priority)
{
	struct igen_wait *wait;

	list_for_each_entry(wait, &rq->waits, link) {
		/* The backend reads it whenever it comes to the request. */
		if (igen_wait_leader(wait))
			raise_number(&wait->request->follower_priority, priority);
		/* Whoever waits for no more than the beginning of one that has begun waits no more. */
		if (wait->request && (wait->lrc || !wait->for_start || !list_empty_careful(&wait->exec_link)))
			want(walk, wait->request, priority);
	}
}

/* Raises a request and what is before it on its timeline, oldest first; the timeline's requests_lock is held. */
static void raise(struct walk *walk, struct igen_request *rq, int priority)
{
	struct igen_engine_group *group = rq->group;
	struct igen_request *first = rq, *pos;
	unsigned long flags;

	if (!is_lower(rq, priority))
		return;

	while (!list_is_first(&first->timeline_link, &rq->lrc->requests)) {
		pos = list_prev_entry(first, timeline_link);
		if (!is_lower(pos, priority))
			break;
		first = pos;
	}

	spin_lock_irqsave(&group->lock, flags);
	for (pos = first;; pos = list_next_entry(pos, timeline_link)) {
		if (igen_scheduler_raise(pos, priority))
			walk->engines |= BIT(pos->engine->info->id);
		if (pos == rq)
			break;
	}
	spin_unlock_irqrestore(&group->lock, flags);

	for (pos = first;; pos = list_next_entry(pos, timeline_link)) {
		want_waits(walk, pos, priority);
		if (pos == rq)
			break;
	}
}

/* Raises one that was on the walk's list. */
static void raise_wanted(struct walk *walk, struct igen_request *rq)
{
	list_del_init(&rq->inherit_link);
	/* From here on another walk may use the link, */
	smp_mb__before_atomic();
	clear_bit(IGEN_REQUEST_WANTED, &rq->fence.flags);
	/* and has to if what it wants comes too late to be seen below. */
	smp_mb__after_atomic();

	rcu_read_lock();
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags)) {
		spin_lock(&rq->lrc->requests_lock);
		/* Retired; or not committed, and then its commit looks at what is wanted. */
		if (!list_empty(&rq->timeline_link))
			raise(walk, rq, READ_ONCE(rq->wanted_priority));
		spin_unlock(&rq->lrc->requests_lock);
	}
	rcu_read_unlock();
	igen_request_put(rq);
}

/**
 * igen_inherit_commit - puts a request onto its timeline, and raises what it waits for to its own priority
 * @rq: a request that is being committed; its timeline's mutex is held
 *
 * Allocates nothing; bounded by the number of requests that are not retired.
 *
 * Context: any but interrupts; takes requests_locks and, within them, engines' locks, of each kind one after the other.
 */
void igen_inherit_commit(struct igen_request *rq)
{
	struct walk walk = { .wanted = LIST_HEAD_INIT(walk.wanted) };
	struct igen_device *igen = rq->group->igen;
	struct igen_lrc *lrc = rq->lrc;
	struct igen_engine *engine;
	struct igen_request *pos;
	unsigned int id;

	lockdep_assert_held(&lrc->timeline_mutex);

	spin_lock(&lrc->requests_lock);
	/* Its objects have its fence already, for which others may wait. */
	WRITE_ONCE(rq->priority, max(rq->priority, READ_ONCE(rq->wanted_priority)));
	if (!list_empty(&lrc->requests))
		raise(&walk, list_last_entry(&lrc->requests, struct igen_request, timeline_link), rq->priority);
	want_waits(&walk, rq, rq->priority);
	list_add_tail(&rq->timeline_link, &lrc->requests);
	spin_unlock(&lrc->requests_lock);

	while ((pos = list_first_entry_or_null(&walk.wanted, struct igen_request, inherit_link)))
		raise_wanted(&walk, pos);

	if (likely(!walk.engines))
		return;

	for_each_engine(igen, id, engine) {
		if (walk.engines & BIT(id))
			igen_engine_submit(engine);
	}
}

/**
 * igen_inherit_retire - takes a request off its timeline
 * @rq: a request that has completed; its timeline's mutex is held
 * @waits: gets what it has waited for
 */
void igen_inherit_retire(struct igen_request *rq, struct list_head *waits)
{
	struct igen_lrc *lrc = rq->lrc;

	lockdep_assert_held(&lrc->timeline_mutex);

	spin_lock(&lrc->requests_lock);
	list_del_init(&rq->timeline_link);
	list_splice_tail_init(&rq->waits, waits);
	spin_unlock(&lrc->requests_lock);
}
