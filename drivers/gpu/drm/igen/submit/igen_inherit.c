// SPDX-License-Identifier: MIT
/*
 * DOC: Inheritance of priority
 *
 * A request that waits is as late as what it waits for. So when one is committed, everything of this device that it
 * waits for and that has a lower priority gets its own: requests behind fences, wherever these came from, on any
 * engine; what is before those on their timelines; and so on. What waits in a queue moves forward, and for what is in
 * flight behind something less urgent the backend puts the order right.
 *
 * The walk needs neither recursion nor memory: each request has a link for the list of those to be looked at, and
 * since a request is put there only when it is raised, always to the same priority, each is put there once. On a
 * timeline an earlier request never has a lower priority than a later one; the walk along it ends at the first that
 * need not be raised.
 *
 * Whoever waits for the end of a request on the same engine is queued when that has completed, and finds the engine at
 * whatever came behind it. So the request says how urgent its followers are, and the backend puts nothing less urgent
 * there.
 *
 * igen_device.inherit_lock guards what is walked: the order of timelines and the waits of what is on them. A request
 * leaves its timeline when it is retired; until then its LRC is there.
 */
#include "../igen_device.h"
#include "igen_submit.h"

/* A walk: to which priority, what was raised and not looked at yet, which engines have to look at their queues. */
struct walk {
	int priority;
	struct list_head raised;
	u32 engines;
};

static bool is_lower(const struct walk *walk, const struct igen_request *rq)
{
	return rq->priority < walk->priority && !igen_request_completed(rq);
}

/* Raises a request and what is before it on its timeline, oldest first. inherit_lock held. */
static void raise(struct walk *walk, struct igen_request *rq)
{
	struct igen_engine_group *group = rq->group;
	struct igen_request *pos = rq, *before;
	unsigned long flags;

	/* Retired, or not committed yet. */
	if (list_empty(&rq->timeline_link) || !is_lower(walk, rq))
		return;

	while (!list_is_first(&pos->timeline_link, &rq->lrc->requests)) {
		before = list_prev_entry(pos, timeline_link);
		if (!is_lower(walk, before))
			break;
		pos = before;
	}

	spin_lock_irqsave(&group->lock, flags);
	for (;; pos = list_next_entry(pos, timeline_link)) {
		if (igen_scheduler_raise(pos, walk->priority))
			walk->engines |= BIT(pos->engine->info->id);
		list_add_tail(&pos->inherit_link, &walk->raised);
		if (pos == rq)
			break;
	}
	spin_unlock_irqrestore(&group->lock, flags);
}

/* The backend reads it whenever it comes to the request. inherit_lock held. */
static void note_follower(const struct walk *walk, struct igen_request *rq)
{
	if (rq->follower_priority < walk->priority)
		WRITE_ONCE(rq->follower_priority, walk->priority);
}

static void raise_waits(struct walk *walk, struct igen_request *rq)
{
	struct igen_wait *wait;

	list_for_each_entry(wait, &rq->waits, link) {
		if (igen_wait_leader(wait))
			note_follower(walk, wait->request);
		/* Whoever waits for no more than the start of one that runs already waits no more. */
		if (wait->request && (wait->lrc || !wait->for_start || !READ_ONCE(wait->request->started)))
			raise(walk, wait->request);
	}
}

/**
 * igen_inherit_commit - puts a request onto its timeline, and raises what it waits for to its own priority
 * @rq: a request that is being committed; its timeline's mutex is held
 *
 * Allocates nothing; bounded by the number of requests that are not retired.
 *
 * Context: any but interrupts; takes inherit_lock and, one after the other, engines' locks.
 */
void igen_inherit_commit(struct igen_request *rq)
{
	struct igen_device *igen = rq->group->igen;
	struct walk walk = { .priority = rq->priority, .raised = LIST_HEAD_INIT(walk.raised) };
	struct igen_lrc *lrc = rq->lrc;
	struct igen_engine *engine;
	struct igen_request *pos;
	unsigned long flags;
	unsigned int id;

	lockdep_assert_held(&lrc->timeline_mutex);

	spin_lock(&igen->inherit_lock);
	if (!list_empty(&lrc->requests))
		raise(&walk, list_last_entry(&lrc->requests, struct igen_request, timeline_link));
	raise_waits(&walk, rq);
	while ((pos = list_first_entry_or_null(&walk.raised, struct igen_request, inherit_link))) {
		list_del_init(&pos->inherit_link);
		raise_waits(&walk, pos);
	}
	list_add_tail(&rq->timeline_link, &lrc->requests);
	spin_unlock(&igen->inherit_lock);

	if (likely(!walk.engines))
		return;

	for_each_engine(igen, id, engine) {
		if (!(walk.engines & BIT(id)))
			continue;
		spin_lock_irqsave(&engine->group->lock, flags);
		igen->platform->submit->submit(engine);
		spin_unlock_irqrestore(&engine->group->lock, flags);
	}
}

/**
 * igen_inherit_retire - takes a request off its timeline
 * @rq: a request that has completed; its timeline's mutex is held
 * @waits: gets what it has waited for
 */
void igen_inherit_retire(struct igen_request *rq, struct list_head *waits)
{
	struct igen_device *igen = rq->group->igen;

	lockdep_assert_held(&rq->lrc->timeline_mutex);

	spin_lock(&igen->inherit_lock);
	list_del_init(&rq->timeline_link);
	list_splice_tail_init(&rq->waits, waits);
	spin_unlock(&igen->inherit_lock);
}

/**
 * igen_inherit_init - once a device
 * @igen: the device
 */
void igen_inherit_init(struct igen_device *igen)
{
	spin_lock_init(&igen->inherit_lock);
}
