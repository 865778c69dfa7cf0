// SPDX-License-Identifier: MIT
/**
 * DOC: Inheritance of priority
 *
 * Committing request R raises every request that R waits for, directly or through other requests, to at least R's
 * priority. Otherwise an urgent request would run no earlier than its least urgent dependency. Only requests of the
 * same device can be raised. A walk finds them::
 *
 *	timeline 1:  A  B        R is committed with priority 5 and waits for B.
 *	             |  ^        The walk raises B, since R waits for B;
 *	             |  +-- R    then A, since A precedes B on the same timeline;
 *	             v           then C, since A waits for C.
 *	timeline 2:  C  D        D keeps its priority.
 *
 * A raised request that is queued moves forward in its engine's queue. If a raised request is in flight behind a less
 * urgent one, the backend unwinds both and submits them again in the right order.
 *
 * The walk uses neither recursion nor allocations. It keeps a list of the requests that it has still to raise, linked
 * by igen_request.inherit_link. The bit IGEN_REQUEST_WANTED says that a request is on the list of some walk, and
 * igen_request.wanted_priority says how high to raise the request. A second walk that finds the bit set raises
 * wanted_priority and leaves the request to the first walk. Every walk ends, because priorities only rise. An earlier
 * request of a timeline never has a lower priority than a later one. Therefore the walk along a timeline ends at the
 * first request that is urgent enough.
 *
 * A walk can be long: a client may have as many requests and waits as its budget allows. If the committing thread is
 * killed, the thread stops and a worker goes on with the walk. Other walks rely on that: they end at a request that is
 * on this walk's list or that this walk has raised, and leave what that request waits for to this walk.
 *
 * A follower is a request that waits for the end of another request, its leader, on the same group of engines. The
 * scheduler queues a follower only after its leader has completed. By then the engine may already run the next request
 * that it was given. Therefore the leader carries the highest priority of its followers (follower_priority), and the
 * backend puts no less urgent request into the port behind the leader.
 *
 * igen_timeline.lock guards the order of one timeline and the waits of its requests. A walk holds one such lock at
 * a time and takes no lock of the whole device. A request is on its timeline until it is retired. Its LRC lives until
 * then, and for an RCU grace period after the request's fence has signaled.
 */
#include "../igen_device.h"
#include "../igen_killable.h"
#include "igen_submit.h"

/** struct inherit_walk - one walk, by the commit of one request */
struct inherit_walk {
	/** @client: the client of the committed request, or NULL */
	struct igen_client *client;
	/** @wanted: requests to raise; the walk holds a reference to each */
	struct list_head wanted;
	/** @engines: bits of the engines whose backend has to look at its queue again */
	u32 engines;
};

static bool inherit_is_lower(const struct igen_request *rq, int priority)
{
	return READ_ONCE(rq->priority) < priority && !igen_request_completed(rq);
}

/* Raises *number to at least @least. Atomic, since several walks may raise the same number at once. */
static void inherit_raise_number(int *number, int least)
{
	int old = READ_ONCE(*number);

	while (old < least && !try_cmpxchg(number, &old, least))
		;
}

/* Puts a request, whose fence the caller keeps, onto the walk's list, unless it is on a list or urgent enough. */
static void inherit_add(struct inherit_walk *walk, struct igen_request *rq, int priority)
{
	if (unlikely(rq->client != walk->client) && rq->client && !igen_request_completed(rq))
		igen_client_await(rq->group->igen, rq->client);
	if (!inherit_is_lower(rq, priority))
		return;

	inherit_raise_number(&rq->wanted_priority, priority);
	/*
	 * The atomic operation orders the two steps: the walk that has the request on its list reads wanted_priority
	 * again after it has cleared the bit.
	 */
	if (test_and_set_bit(IGEN_REQUEST_WANTED, &rq->fence.flags))
		return;
	igen_request_get(rq);
	list_add_tail(&rq->inherit_link, &walk->wanted);
}

/* Adds the requests that a request waits for. Its timeline's lock is held, or it is not on its timeline yet. */
static void inherit_add_waits(struct inherit_walk *walk, struct igen_request *rq, int priority)
{
	struct igen_wait *wait;

	list_for_each_entry(wait, &rq->waits, link) {
		/* The backend reads follower_priority whenever it fills a port behind the leader. */
		if (igen_wait_leader(wait))
			inherit_raise_number(&wait->request->follower_priority, priority);
		/* A wait for the start of a request is over once that request has started. */
		if (wait->request && (wait->lrc || !wait->for_start || !list_empty_careful(&wait->exec_link)))
			inherit_add(walk, wait->request, priority);
	}
}

/* Raises a request and those before it on its timeline, oldest first. The timeline's lock is held. */
static void inherit_raise_timeline(struct inherit_walk *walk, struct igen_request *rq, int priority)
{
	struct igen_engine_group *group = rq->group;
	struct igen_request *first = rq, *pos;
	unsigned long flags;

	if (!inherit_is_lower(rq, priority))
		return;

	while (!list_is_first(&first->timeline_link, &rq->lrc->timeline.requests)) {
		pos = list_prev_entry(first, timeline_link);
		if (!inherit_is_lower(pos, priority))
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
		inherit_add_waits(walk, pos, priority);
		if (pos == rq)
			break;
	}
}

/*
 * Takes a request off the walk's list and raises it. A second walk that wants the request meanwhile is not lost::
 *
 *	this walk                       second walk
 *	list_del_init(inherit_link)     raise wanted_priority
 *	clear IGEN_REQUEST_WANTED       test and set IGEN_REQUEST_WANTED
 *	read wanted_priority            was clear: list the request itself
 *
 * If the second walk finds the bit still set, this walk reads the raised wanted_priority.
 */
static void inherit_raise_wanted(struct inherit_walk *walk, struct igen_request *rq)
{
	list_del_init(&rq->inherit_link);
	/* Another walk that finds the bit clear may use the link. */
	smp_mb__before_atomic();
	clear_bit(IGEN_REQUEST_WANTED, &rq->fence.flags);
	/* wanted_priority is read after the bit was cleared. */
	smp_mb__after_atomic();

	rcu_read_lock();
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags)) {
		spin_lock(&rq->lrc->timeline.lock);
		/*
		 * A request off its timeline was retired, or is not committed yet. In the latter case its commit
		 * reads wanted_priority.
		 */
		if (!list_empty(&rq->timeline_link))
			inherit_raise_timeline(walk, rq, READ_ONCE(rq->wanted_priority));
		spin_unlock(&rq->lrc->timeline.lock);
	}
	rcu_read_unlock();
	igen_request_put(rq);
}

/* Raises the listed requests and what they wait for. Stops early when the thread of a client is killed. */
static void inherit_raise_list(struct inherit_walk *walk, struct igen_device *igen)
{
	struct igen_engine *engine;
	struct igen_request *rq;
	unsigned int id;
	u64 round = 0;

	while ((rq = list_first_entry_or_null(&walk->wanted, struct igen_request, inherit_link))) {
		inherit_raise_wanted(walk, rq);
		if (igen_check_killed_at(round++) && walk->client)
			break;
	}

	if (likely(!walk->engines))
		return;

	for_each_engine(igen, id, engine) {
		if (walk->engines & BIT(id))
			igen_engine_submit(engine);
	}
}

static void inherit_work(struct work_struct *work)
{
	struct igen_client *client = container_of(work, struct igen_client, inherit_work);
	struct inherit_walk walk = { .client = client, .wanted = LIST_HEAD_INIT(walk.wanted) };
	struct igen_request *rq;

	spin_lock(&client->lock);
	list_splice_init(&client->inherit_wanted, &walk.wanted);
	spin_unlock(&client->lock);
	rq = list_first_entry_or_null(&walk.wanted, struct igen_request, inherit_link);
	if (rq)
		inherit_raise_list(&walk, rq->group->igen);
	igen_client_put(client);
}

/* Leaves the rest of a walk to a worker. */
static void inherit_hand_over(struct inherit_walk *walk, struct igen_device *igen)
{
	struct igen_client *client = walk->client;

	spin_lock(&client->lock);
	list_splice_tail_init(&walk->wanted, &client->inherit_wanted);
	spin_unlock(&client->lock);
	kref_get(&client->ref);
	if (!queue_work(igen->wq, &client->inherit_work))
		igen_client_put(client);
}

/**
 * igen_inherit_init - prepare a client for walks that a worker ends
 * @client: the client, new
 */
void igen_inherit_init(struct igen_client *client)
{
	INIT_LIST_HEAD(&client->inherit_wanted);
	INIT_WORK(&client->inherit_work, inherit_work);
}

/**
 * igen_inherit_commit - put a request onto its timeline, and raise what it waits for to the request's priority
 * @rq: a request that is being committed
 *
 * Allocates nothing. The work is bounded by the requests that are not retired and by what they wait for, which their
 * clients' budgets limit. When the calling thread is killed, a worker does the rest.
 *
 * Context: may sleep; the timeline's mutex is held. Takes the lock of one timeline at a time and,
 * within it, the lock of one group of engines at a time.
 */
void igen_inherit_commit(struct igen_request *rq)
{
	struct inherit_walk walk = { .client = rq->client, .wanted = LIST_HEAD_INIT(walk.wanted) };
	struct igen_device *igen = rq->group->igen;
	struct igen_lrc *lrc = rq->lrc;

	lockdep_assert_held(&lrc->timeline.mutex);

	spin_lock(&lrc->timeline.lock);
	/* Other requests may wait for this one already: its fence is in its objects' reservations before the commit. */
	WRITE_ONCE(rq->priority, max(rq->priority, READ_ONCE(rq->wanted_priority)));
	if (!list_empty(&lrc->timeline.requests))
		inherit_raise_timeline(&walk,
				       list_last_entry(&lrc->timeline.requests, struct igen_request, timeline_link),
				       rq->priority);
	inherit_add_waits(&walk, rq, rq->priority);
	list_add_tail(&rq->timeline_link, &lrc->timeline.requests);
	spin_unlock(&lrc->timeline.lock);

	if (likely(!walk.engines && list_empty(&walk.wanted)))
		return;
	inherit_raise_list(&walk, igen);
	if (!list_empty(&walk.wanted))
		inherit_hand_over(&walk, igen);
}

/**
 * igen_inherit_retire - take a request off its timeline
 * @rq: a request that has completed
 * @waits: receives the request's waits, for igen_await_forget()
 *
 * Context: any but interrupts; the timeline's mutex is held, takes lrc->timeline.lock.
 */
void igen_inherit_retire(struct igen_request *rq, struct list_head *waits)
{
	struct igen_lrc *lrc = rq->lrc;

	lockdep_assert_held(&lrc->timeline.mutex);

	spin_lock(&lrc->timeline.lock);
	list_del_init(&rq->timeline_link);
	list_splice_tail_init(&rq->waits, waits);
	spin_unlock(&lrc->timeline.lock);
}
