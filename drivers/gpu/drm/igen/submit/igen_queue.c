// SPDX-License-Identifier: MIT
/**
 * DOC: Queue of an engine
 *
 * The queue answers one question: which request runs next? It is a tree of shares (struct igen_share): the engine's
 * root, below it one share for each user, below a user one for each of the user's processes, below a process one for
 * each of its clients, and below a client its requests. At each level children are ordered by rank (priority, requests
 * of closed files below all others), then by turn, then by age. The next request is found by going to the first child
 * at each level. Requests without a client (the driver's own) have a share of their own below the root.
 *
 * Turns share the engine (start-time fair queueing, at each level). Each share has a turn: the virtual time at which
 * its next request begins. A request that is given to the hardware moves the turns of the shares above it forward by
 * the time that such a request takes. Unwinding the request moves them back. A share that had nothing queued
 * begins at the virtual time of its parent, so it saves up no time. Turns are compared in rounds of 0.7 ms, so that
 * requests of one context stay together. Therefore it does not matter how many files, contexts or requests a process
 * has: all of them move the same turn.
 *
 * What a request takes is estimated from earlier requests of its context. When the context leaves the engine its
 * image says how long it ran, and the shares pay for what the estimate did not cover.
 *
 * Shares that owe time for a hang are passed over for a while (igen_debt.c): igen_queue_first() gives the first of all
 * requests, igen_queue_ready() the first that may run.
 *
 * Every operation takes time in proportion to the logarithm of what is queued, or to the requests of one ring. None
 * walks over all that clients have queued, since interrupts are off meanwhile.
 *
 * A queued request may have completed, since the engine may still run a request that was unwound. Its context may be
 * freed by then. Therefore a request holds its client, and queued requests hold their LRC.
 */
#include <linux/list.h>
#include <linux/rbtree.h>

#include "../igen_device.h"
#include "igen_submit.h"

/* A round, in ticks: 0.7 ms on Gen9. */
#define ROUND_SHIFT	13
/* A request that takes longer is interrupted at the end of its timeslice, and pays for no more in advance. */
#define MOST_TICKS	(4u << ROUND_SHIFT)
/* Requests of one client that igen_queue_rival() looks at, and shares that owe time which are passed over. */
#define MOST_LOOKS	8

static struct igen_request *queue_request_at(struct rb_node *node)
{
	return rb_entry_safe(node, struct igen_request, queue_node);
}

static struct igen_share *queue_share_at(struct rb_node *node)
{
	return rb_entry_safe(node, struct igen_share, node);
}

static bool queue_request_before(struct rb_node *a, const struct rb_node *b)
{
	const struct igen_request *x = rb_entry(a, struct igen_request, queue_node);
	const struct igen_request *y = rb_entry(b, struct igen_request, queue_node);

	if (igen_request_rank(x) != igen_request_rank(y))
		return igen_request_rank(x) > igen_request_rank(y);
	return x->age < y->age;
}

static bool queue_share_before(struct rb_node *a, const struct rb_node *b)
{
	const struct igen_share *x = rb_entry(a, struct igen_share, node);
	const struct igen_share *y = rb_entry(b, struct igen_share, node);

	if (x->rank != y->rank)
		return x->rank > y->rank;
	if (x->turn >> ROUND_SHIFT != y->turn >> ROUND_SHIFT)
		return x->turn >> ROUND_SHIFT < y->turn >> ROUND_SHIFT;
	return x->age < y->age;
}

static bool queue_lrc_before(struct rb_node *a, const struct rb_node *b)
{
	const struct igen_lrc *x = rb_entry(a, struct igen_lrc, movable_node);
	const struct igen_lrc *y = rb_entry(b, struct igen_lrc, movable_node);

	if (x->movable_rank != y->movable_rank)
		return x->movable_rank > y->movable_rank;
	return x->movable_age < y->movable_age;
}

/* Takes a node out of a tree, which often has no other: with few requests queued each share has one. */
static void queue_erase(struct rb_node *node, struct rb_root_cached *tree)
{
	if (tree->rb_root.rb_node == node && !node->rb_left && !node->rb_right)
		*tree = RB_ROOT_CACHED;
	else
		rb_erase_cached(node, tree);
}

/* Takes over rank and age of the first below; false when nothing is below. */
static bool queue_look_below(struct igen_share *share)
{
	struct rb_node *first = rb_first_cached(&share->below);

	if (!first)
		return false;
	if (share->is_client) {
		share->rank = igen_request_rank(queue_request_at(first));
		share->age = queue_request_at(first)->age;
	} else {
		share->rank = queue_share_at(first)->rank;
		share->age = queue_share_at(first)->age;
	}
	return true;
}

/* Is a share still at the place that its key demands? */
static bool queue_is_in_order(struct igen_share *share)
{
	struct rb_node *before = rb_prev(&share->node), *after = rb_next(&share->node);

	return (!before || queue_share_before(before, &share->node)) &&
	       (!after || queue_share_before(&share->node, after));
}

/*
 * Something has changed below a share, or its turn has: puts it and the shares above it to their places. begins: a
 * share that had nothing queued begins now.
 */
static void queue_update(struct igen_share *share, bool begins)
{
	struct igen_share *above;

	for (; (above = share->above); share = above) {
		bool linked = !RB_EMPTY_NODE(&share->node);

		if (!queue_look_below(share)) {
			if (linked) {
				queue_erase(&share->node, &above->below);
				RB_CLEAR_NODE(&share->node);
			}
			continue;
		}
		if (linked) {
			if (queue_is_in_order(share))
				continue;
			queue_erase(&share->node, &above->below);
		} else if (begins) {
			share->turn = max(share->turn, above->clock);
		}
		rb_add_cached(&share->node, &above->below, queue_share_before);
	}
}

/* All shares above a request pay for it. */
static void queue_charge(struct igen_share *share, u64 ticks)
{
	for (; share->above; share = share->above)
		share->turn += ticks;
}

/* Engines look for contexts that may move to them: keeps a balanced LRC in the order of its first request. */
static void queue_update_movable(struct igen_lrc *lrc)
{
	struct igen_engine *engine = lrc->engine;
	struct igen_request *rq;

	if (likely(!lrc->siblings))
		return;
	if (!RB_EMPTY_NODE(&lrc->movable_node)) {
		queue_erase(&lrc->movable_node, &engine->movable);
		RB_CLEAR_NODE(&lrc->movable_node);
	}
	rq = list_first_entry_or_null(&lrc->queued, struct igen_request, lrc_link);
	if (!rq)
		return;
	lrc->movable_rank = igen_request_rank(rq);
	lrc->movable_age = rq->age;
	rb_add_cached(&lrc->movable_node, &engine->movable, queue_lrc_before);
}

/* Puts a request into its client's share and the LRC's list, at its end or, front, its beginning. */
static void queue_link_request(struct igen_engine *engine, struct igen_request *rq, bool front)
{
	struct igen_lrc *lrc = rq->lrc;

	if (list_empty(&lrc->queued)) {
		igen_lrc_get(lrc);
		engine->queued_lrcs++;
	}
	if (front)
		list_add(&rq->lrc_link, &lrc->queued);
	else
		list_add_tail(&rq->lrc_link, &lrc->queued);
	rb_add_cached(&rq->queue_node, &rq->share->below, queue_request_before);
	rq->queued = true;
	queue_update(rq->share, !front);
	queue_update_movable(lrc);
}

static void queue_unlink_request(struct igen_engine *engine, struct igen_request *rq)
{
	struct igen_lrc *lrc = rq->lrc;

	queue_erase(&rq->queue_node, &rq->share->below);
	list_del_init(&rq->lrc_link);
	rq->queued = false;
	queue_update(rq->share, false);
	queue_update_movable(lrc);
	if (list_empty(&lrc->queued)) {
		engine->queued_lrcs--;
		igen_lrc_put(lrc);
	}
}

/**
 * igen_queue_note_begin - the engine works on a request, or has
 * @rq: the request, which was taken from the queue
 *
 * Virtual time has come to where the request began.
 *
 * Context: group->lock held.
 */
void igen_queue_note_begin(struct igen_request *rq)
{
	const struct igen_share *share = rq->share;
	unsigned int n;

	lockdep_assert_held(&rq->group->lock);

	for (n = 0; share->above; n++, share = share->above)
		share->above->clock = max(share->above->clock, rq->start[n]);
	igen_debt_note_use(rq);
}

/**
 * igen_queue_note_begun - bring virtual time to where the engine is
 * @engine: the engine
 *
 * Costs the time of the requests in flight that have completed. So it is called once before several requests are added.
 *
 * Context: group->lock held.
 */
void igen_queue_note_begun(struct igen_engine *engine)
{
	struct igen_request *rq;

	lockdep_assert_held(&engine->group->lock);

	list_for_each_entry(rq, &engine->inflight, link) {
		igen_queue_note_begin(rq);
		if (!igen_request_completed(rq))
			break;
	}
}

/* What a request is to its queue, from when it comes to its engine. */
static void queue_admit(struct igen_engine *engine, struct igen_request *rq)
{
	rq->share = rq->client ? &rq->client->share[engine->info->id] : &engine->own;
	rq->age = ++engine->age;
	rq->cost = min(rq->lrc->request_ticks ?: BIT(ROUND_SHIFT), MOST_TICKS);
	/* Its share may be another engine's now. */
	rq->use_noted = jiffies - 1;
	igen_debt_note_use(rq);
}

/**
 * igen_queue_add - put a request into its engine's queue
 * @engine: the engine
 * @rq: the request, behind all of its LRC that is queued; the queue takes over the caller's reference
 *
 * Context: group->lock held, and igen_queue_note_begun() was called since it was taken.
 */
void igen_queue_add(struct igen_engine *engine, struct igen_request *rq)
{
	lockdep_assert_held(&engine->group->lock);

	queue_admit(engine, rq);
	queue_link_request(engine, rq, false);
}

/**
 * igen_queue_pass - have a request come to the head of an empty queue at once
 * @engine: the engine, whose queue is empty, and which has completed all that it was given
 * @rq: the request, not in the queue; igen_queue_take() is next, or igen_queue_add()
 *
 * As igen_queue_add() for igen_queue_take(), without the trees of the queue. A request that has to wait is as before.
 *
 * Return: false when the request has to wait in the queue, since its shares owe time.
 * Context: group->lock held, and igen_queue_note_begun() was called since it was taken.
 */
bool igen_queue_pass(struct igen_engine *engine, struct igen_request *rq)
{
	struct igen_share *share;

	lockdep_assert_held(&engine->group->lock);

	queue_admit(engine, rq);
	for (share = rq->share; share->above; share = share->above) {
		if (igen_debt_holds(share)) {
			rq->share = NULL;
			return false;
		}
		share->turn = max(share->turn, share->above->clock);
	}
	return true;
}

/**
 * igen_queue_remove - take a request out of the queue that does not run now
 * @engine: the engine
 * @rq: a queued request; the caller takes over the queue's reference
 *
 * Context: group->lock held.
 */
void igen_queue_remove(struct igen_engine *engine, struct igen_request *rq)
{
	lockdep_assert_held(&engine->group->lock);

	queue_unlink_request(engine, rq);
}

/**
 * igen_queue_take - take a request out of the queue to run it
 * @engine: the engine
 * @rq: a queued request, or one for which igen_queue_pass() was true; the caller takes over the queue's reference
 *
 * The shares above the request pay for it.
 *
 * Context: group->lock held.
 */
void igen_queue_take(struct igen_engine *engine, struct igen_request *rq)
{
	struct igen_share *share = rq->share;
	unsigned int n;

	lockdep_assert_held(&engine->group->lock);

	for (n = 0; share->above; n++, share = share->above) {
		rq->start[n] = share->turn;
		share->turn += rq->cost;
	}
	rq->lrc->paid_ticks += rq->cost;
	igen_debt_note_use(rq);
	if (rq->queued)
		queue_unlink_request(engine, rq);
}

/**
 * igen_queue_give_back - put a request back that igen_queue_take() took
 * @engine: the engine
 * @rq: the request, not completed; later requests of its LRC were put back before. The queue takes over the caller's
 *	reference
 *
 * The request comes to where it was in the order, and the shares above it get back what they paid.
 *
 * Context: group->lock held.
 */
void igen_queue_give_back(struct igen_engine *engine, struct igen_request *rq)
{
	struct igen_share *share = rq->share;
	unsigned int n;

	lockdep_assert_held(&engine->group->lock);

	for (n = 0; share->above; n++, share = share->above)
		share->turn = max(share->turn - rq->cost, rq->start[n]);
	rq->lrc->paid_ticks -= min_t(u64, rq->lrc->paid_ticks, rq->cost);
	queue_link_request(engine, rq, true);
}

/**
 * igen_queue_raise - a queued request has become more urgent
 * @engine: the engine
 * @rq: a queued request; earlier ones of its LRC have at least that priority
 * @priority: above its own
 *
 * The request moves forward, behind its equals of the same client.
 *
 * Context: group->lock and the timeline's lock held.
 */
void igen_queue_raise(struct igen_engine *engine, struct igen_request *rq, int priority)
{
	lockdep_assert_held(&engine->group->lock);

	queue_erase(&rq->queue_node, &rq->share->below);
	WRITE_ONCE(rq->priority, priority);
	rq->age = ++engine->age;
	rb_add_cached(&rq->queue_node, &rq->share->below, queue_request_before);
	queue_update(rq->share, false);
	queue_update_movable(rq->lrc);
}

/**
 * igen_queue_defer - charge a context for its visit, and move it behind its client's other contexts
 * @engine: the engine
 * @lrc: the context, of which nothing is in flight and something is queued
 * @ticks: how long it had the engine
 *
 * The shares above the context pay for that, and for a round at least. Among requests of the same client the
 * context's come last. Costs the time of a ring's requests.
 *
 * Context: group->lock held.
 */
void igen_queue_defer(struct igen_engine *engine, struct igen_lrc *lrc, u64 ticks)
{
	struct igen_request *rq, *first = list_first_entry(&lrc->queued, struct igen_request, lrc_link);
	struct igen_share *share = first->share;

	lockdep_assert_held(&engine->group->lock);

	list_for_each_entry(rq, &lrc->queued, lrc_link) {
		if (rq->priority != first->priority)
			break;
		queue_erase(&rq->queue_node, &share->below);
		rq->age = ++engine->age;
		rb_add_cached(&rq->queue_node, &share->below, queue_request_before);
	}
	ticks = max_t(u64, ticks, BIT(ROUND_SHIFT));
	queue_charge(share, ticks);
	lrc->paid_ticks += ticks;
	queue_update(share, false);
	queue_update_movable(lrc);
}

/**
 * igen_queue_leave - have a client's requests come behind those of all open files, or no longer
 * @engine: the engine
 * @share: the client's share
 * @left: which
 *
 * Return: true when that has changed and the client has requests queued or others have.
 * Context: group->lock held.
 */
bool igen_queue_leave(struct igen_engine *engine, struct igen_share *share, bool left)
{
	lockdep_assert_held(&engine->group->lock);

	if (share->left == left)
		return false;
	share->left = left;
	queue_update(share, false);
	return !igen_queue_is_empty(engine);
}

/**
 * igen_queue_charge - have a context that goes on running pay for its time
 * @rq: a request of the context
 * @ticks: the time
 *
 * Context: group->lock held.
 */
void igen_queue_charge(struct igen_request *rq, u64 ticks)
{
	lockdep_assert_held(&rq->group->lock);

	queue_charge(rq->share, ticks);
	rq->lrc->paid_ticks += ticks;
	queue_update(rq->share, false);
}

/**
 * igen_queue_pay - have a context pay for the time that it had the engine
 * @rq: a request of the context, which has left the engine and whose runtime was noted
 *
 * The context's prepaid time (igen_lrc.paid_ticks) is used up first. If some of it remains, at most MOST_TICKS of it
 * are kept, the price of a long request.
 *
 * Context: group->lock held.
 */
void igen_queue_pay(struct igen_request *rq)
{
	struct igen_lrc *lrc = rq->lrc;
	u64 ticks = lrc->runtime - lrc->settled_ticks;

	lockdep_assert_held(&lrc->group->lock);

	lrc->settled_ticks = lrc->runtime;
	if (ticks <= lrc->paid_ticks) {
		lrc->paid_ticks = min_t(u64, lrc->paid_ticks - ticks, MOST_TICKS);
		return;
	}
	ticks -= lrc->paid_ticks;
	lrc->paid_ticks = 0;
	queue_charge(rq->share, ticks);
	queue_update(rq->share, false);
}

/**
 * igen_queue_note_hang - the engine was reset for a request
 * @engine: the engine
 * @rq: the request, given back, perhaps completed and gone from the queue
 * @since: when the engine began to be lost to it, in jiffies
 *
 * The shares above the request pay for the time, and owe it (igen_debt.c). The request itself comes before all that
 * clients have queued, since it only ends.
 *
 * Context: group->lock held.
 */
void igen_queue_note_hang(struct igen_engine *engine, struct igen_request *rq, unsigned long since)
{
	lockdep_assert_held(&engine->group->lock);

	queue_charge(rq->share, igen_debt_incur(rq, since));
	if (rq->queued) {
		queue_erase(&rq->queue_node, &rq->share->below);
		rq->hung = true;
		rb_add_cached(&rq->queue_node, &rq->share->below, queue_request_before);
		queue_update_movable(rq->lrc);
	}
	queue_update(rq->share, false);
}

/* The first request at or below a node of a tree of shares, or NULL. */
static struct igen_request *queue_first_below(const struct igen_share *share)
{
	struct rb_node *node = rb_first_cached(&share->below);

	while (node && !share->is_client) {
		share = queue_share_at(node);
		node = rb_first_cached(&share->below);
	}
	return queue_request_at(node);
}

/**
 * igen_queue_first - the request that runs next
 * @engine: the engine
 *
 * Return: the request, not counted, which may have completed; NULL when none is queued.
 * Context: group->lock held.
 */
struct igen_request *igen_queue_first(struct igen_engine *engine)
{
	lockdep_assert_held(&engine->group->lock);

	return queue_first_below(&engine->queue);
}

/* The first request that may run now, below a node of a tree of shares or behind it; top: the share above the tree. */
static struct igen_request *queue_ready_from(struct rb_node *node, const struct igen_share *top)
{
	unsigned int looks = 0;

	while (node) {
		const struct igen_share *share = queue_share_at(node);
		struct igen_request *rq = queue_first_below(share);

		if (looks >= MOST_LOOKS || !igen_debt_holds(share) || rq->hung || igen_request_completed(rq)) {
			if (share->is_client)
				return rq;
			node = rb_first_cached(&share->below);
			continue;
		}
		looks++;
		node = rb_next(node);
		/* All shares of a parent may owe time. */
		for (; !node && share->above != top; node = rb_next(&share->node))
			share = share->above;
	}
	return NULL;
}

/**
 * igen_queue_ready - the request that runs next, of those that may run now
 * @engine: the engine
 *
 * As igen_queue_first(), but passes over requests that wait since their shares owe time (igen_debt.c). It passes over
 * at most MOST_LOOKS such shares, so that its own time is bounded. The turns of further ones bring them behind others.
 *
 * Return: the request, not counted, which may have completed; NULL when there is none.
 * Context: group->lock held.
 */
struct igen_request *igen_queue_ready(struct igen_engine *engine)
{
	lockdep_assert_held(&engine->group->lock);

	return queue_ready_from(rb_first_cached(&engine->queue.below), &engine->queue);
}

/* The first of a client's requests that is neither the driver's nor has completed, not looking at many. */
static struct igen_request *queue_first_live(const struct igen_share *share)
{
	struct rb_node *node = rb_first_cached(&share->below);
	unsigned int looks;

	for (looks = 0; node && looks < MOST_LOOKS; looks++, node = rb_next(node)) {
		struct igen_request *rq = queue_request_at(node);

		if (!rq->driver && !igen_request_completed(rq))
			return rq;
	}
	return NULL;
}

/**
 * igen_queue_first_client - the most urgent request that is not the driver's
 * @engine: the engine
 *
 * Return: the request, not counted, not completed; NULL when there is none.
 * Context: group->lock held.
 */
struct igen_request *igen_queue_first_client(struct igen_engine *engine)
{
	struct igen_request *rq, *best = queue_first_live(&engine->own);
	struct rb_node *node = rb_first_cached(&engine->queue.below);

	lockdep_assert_held(&engine->group->lock);

	if (node && queue_share_at(node) == &engine->own)
		node = rb_next(node);
	if (!node)
		return best;
	rq = queue_first_below(queue_share_at(node));
	rq = queue_first_live(rq->share);
	return !best || (rq && igen_request_rank(rq) > igen_request_rank(best)) ? rq : best;
}

/**
 * igen_queue_next - the request behind another, as the tree has them
 * @rq: a queued request
 *
 * All requests of a client come together, and what they will pay is not looked at, so this is not the order in which
 * requests run. For code that has to see all of them.
 *
 * Return: the request, not counted; NULL behind the last.
 * Context: group->lock held.
 */
struct igen_request *igen_queue_next(struct igen_request *rq)
{
	struct rb_node *node = rb_next(&rq->queue_node);
	struct igen_share *share = rq->share;

	lockdep_assert_held(&rq->group->lock);

	if (node)
		return queue_request_at(node);
	for (; share->above; share = share->above) {
		node = rb_next(&share->node);
		if (node)
			return queue_first_below(queue_share_at(node));
	}
	return NULL;
}

static bool queue_is_rival(const struct igen_request *rq, const struct igen_lrc *lrc, bool busy)
{
	return rq->lrc != lrc && !(busy && igen_request_polls(rq));
}

/**
 * igen_queue_rival - the most urgent request of another context
 * @engine: the engine
 * @lrc: the context
 * @busy: of one that is not known to poll
 *
 * Of one client no more than some requests are looked at, and of each other share no more than the first.
 *
 * Return: the request, not counted, which may have completed; NULL when there is none.
 * Context: group->lock held.
 */
struct igen_request *igen_queue_rival(struct igen_engine *engine, const struct igen_lrc *lrc, bool busy)
{
	struct igen_request *rq = igen_queue_ready(engine), *best = NULL, *pos;
	struct igen_share *share;
	unsigned int looks;

	if (!rq || queue_is_rival(rq, lrc, busy))
		return rq;
	for (pos = rq, looks = 0; pos && looks < MOST_LOOKS; looks++) {
		if (queue_is_rival(pos, lrc, busy)) {
			best = pos;
			break;
		}
		pos = queue_request_at(rb_next(&pos->queue_node));
	}
	for (share = rq->share; share->above; share = share->above) {
		pos = queue_ready_from(rb_next(&share->node), share->above);
		if (pos && queue_is_rival(pos, lrc, busy) &&
		    (!best || igen_request_rank(pos) > igen_request_rank(best)))
			best = pos;
	}
	return best;
}

/**
 * igen_queue_set_aside - have the queue pass over a context
 * @engine: the engine
 * @lrc: the context, with requests queued
 *
 * Until igen_queue_return() its requests are not found in the queue, though they count as queued. Both cost the time
 * of a ring's requests.
 *
 * Context: group->lock held until then.
 */
void igen_queue_set_aside(struct igen_engine *engine, struct igen_lrc *lrc)
{
	struct igen_share *share = NULL;
	struct igen_request *rq;

	lockdep_assert_held(&engine->group->lock);

	list_for_each_entry(rq, &lrc->queued, lrc_link) {
		share = rq->share;
		queue_erase(&rq->queue_node, &share->below);
	}
	if (share)
		queue_update(share, false);
}

/**
 * igen_queue_return - end what igen_queue_set_aside() began
 * @engine: the engine
 * @lrc: the context
 *
 * Context: group->lock held.
 */
void igen_queue_return(struct igen_engine *engine, struct igen_lrc *lrc)
{
	struct igen_share *share = NULL;
	struct igen_request *rq;

	lockdep_assert_held(&engine->group->lock);

	list_for_each_entry(rq, &lrc->queued, lrc_link) {
		share = rq->share;
		rb_add_cached(&rq->queue_node, &share->below, queue_request_before);
	}
	if (share)
		queue_update(share, false);
}

/* The turn that a share would have after an unwind of all requests in flight that have not completed. */
static u64 queue_turn_without(struct igen_engine *engine, const struct igen_share *share)
{
	const struct igen_share *pos;
	struct igen_request *rq;
	u64 ticks = 0;

	list_for_each_entry(rq, &engine->inflight, link) {
		if (igen_request_completed(rq))
			continue;
		for (pos = rq->share; pos && pos != share; pos = pos->above)
			;
		if (pos)
			ticks += rq->cost;
	}
	return share->turn - min(share->turn, ticks);
}

static unsigned int queue_depth_of(const struct igen_share *share)
{
	unsigned int depth = 0;

	for (; share->above; share = share->above)
		depth++;
	return depth;
}

/**
 * igen_queue_would_run - ask whether a queued request would run in place of the running context
 * @engine: the engine
 * @running: a request in flight, not completed
 * @ticks: how long its context has had the engine
 * @rq: a request of another context, queued or in flight, with at least its rank
 *
 * Return: true when @rq would come first after an unwind of all requests in flight and igen_queue_defer() of @running.
 * Context: group->lock held.
 */
bool igen_queue_would_run(struct igen_engine *engine, const struct igen_request *running, u64 ticks,
			  const struct igen_request *rq)
{
	const struct igen_share *a = running->share, *b = rq->share;
	unsigned int depth_a = queue_depth_of(a), depth_b = queue_depth_of(b);
	u64 turn;

	lockdep_assert_held(&engine->group->lock);

	if (igen_request_rank(rq) > igen_request_rank(running))
		return true;
	/* To the two shares that have the same one above them. */
	for (; depth_a > depth_b; depth_a--)
		a = a->above;
	for (; depth_b > depth_a; depth_b--)
		b = b->above;
	if (a == b)
		return true;
	for (; a->above != b->above; a = a->above)
		b = b->above;
	turn = queue_turn_without(engine, a) + max_t(u64, ticks, BIT(ROUND_SHIFT));
	return queue_turn_without(engine, b) >> ROUND_SHIFT <= turn >> ROUND_SHIFT;
}

/**
 * igen_share_init - a share that nothing is below
 * @share: the share, zeroed
 * @above: what it is a part of, or NULL for an engine's root
 * @is_client: requests will be below it, not shares
 */
void igen_share_init(struct igen_share *share, struct igen_share *above, bool is_client)
{
	RB_CLEAR_NODE(&share->node);
	share->below = RB_ROOT_CACHED;
	share->above = above;
	share->is_client = is_client;
}

/**
 * igen_queue_init - an empty queue
 * @engine: the engine
 */
void igen_queue_init(struct igen_engine *engine)
{
	igen_share_init(&engine->queue, NULL, false);
	igen_share_init(&engine->own, &engine->queue, true);
	engine->movable = RB_ROOT_CACHED;
}
