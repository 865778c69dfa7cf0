// SPDX-License-Identifier: MIT
/**
 * DOC: Balanced contexts
 *
 * A slot of a context's engine map may name several engines of a class (a "virtual engine" in the uAPI). The LRC of
 * such a slot is balanced: it belongs to one of these engines (siblings) at a time. Its queued requests are all in that
 * engine's queue, so the scheduler and the backend need not know about balancing.
 *
 * A balanced LRC moves when another sibling can run it sooner. An engine looks at its siblings' queues before it fills
 * its ports. If a balanced LRC there has a more urgent request than any of the engine's own, the engine takes over the
 * LRC with all of its queued requests. This keeps the order of the timeline. Therefore a request runs on the sibling
 * that is idle, or becomes free first, or does the least urgent work.
 *
 * An LRC does not move while the hardware may use its image. The image is the engine's from the time that the LRC is
 * given to the hardware (igen_submit_ops.holds) until the context status buffer says that the image was saved and a
 * register has confirmed this (igen_departure.c). If two engines ran the same context, both would run its requests, and
 * one engine would signal requests that the other one has not finished. A balanced LRC is never put into the second
 * port either: behind another context it could not move to a sibling that becomes free earlier.
 *
 * An image of Gen9 names registers by their full offsets. So the move to another engine writes these offsets anew and
 * keeps the values (KBL Vol 3, "BSD Logical Render Context Address"; stock i915 does so too). The next submission
 * forces a restore, because the engine may still hold an old copy of this image from an earlier visit.
 *
 * The lock of the group of engines (struct igen_engine_group) guards all of this.
 */
#include <linux/list.h>

#include "../igen_device.h"
#include "igen_submit.h"

static bool balance_may_move(const struct igen_lrc *lrc, const struct igen_engine *to)
{
	const struct igen_submit_ops *ops = to->igen->platform->submit;

	return lrc->siblings & BIT(to->info->id) && !(ops->holds && ops->holds(lrc));
}

/* The request of highest rank, then age, in the siblings' queues that could move to an engine; or NULL. */
static struct igen_request *balance_candidate(struct igen_engine *to)
{
	struct igen_engine_group *group = to->group;
	struct igen_request *best = NULL, *rq;
	struct rb_node *node;
	unsigned int n;

	lockdep_assert_held(&group->lock);

	if (likely(!group->balanced))
		return NULL;
	for (n = 0; n < group->num_engines; n++) {
		if (group->engine[n] == to)
			continue;
		/* The walk is short: LRCs that may not move are on ports, and these are few. */
		for (node = rb_first_cached(&group->engine[n]->movable); node; node = rb_next(node)) {
			rq = list_first_entry(&rb_entry(node, struct igen_lrc, movable_node)->queued,
					      struct igen_request, lrc_link);
			if (best && igen_request_rank(rq) <= igen_request_rank(best))
				break;
			if (!igen_request_completed(rq) && balance_may_move(rq->lrc, to)) {
				best = rq;
				break;
			}
		}
	}
	return best;
}

/* The highest rank among an engine's own requests that have not completed, INT_MIN when there are none. */
static int balance_own_rank(struct igen_engine *engine)
{
	struct igen_request *rq;
	int highest = INT_MIN;

	list_for_each_entry(rq, &engine->inflight, link) {
		if (!igen_request_completed(rq))
			highest = max(highest, igen_request_rank(rq));
	}
	rq = igen_queue_ready(engine);
	return rq ? max(highest, igen_request_rank(rq)) : highest;
}

static void balance_move(struct igen_lrc *lrc, struct igen_engine *to)
{
	struct igen_request *rq, *next;
	LIST_HEAD(moved);

	/* Perhaps only its queued requests still hold the LRC. */
	igen_lrc_get(lrc);
	list_for_each_entry_safe(rq, next, &lrc->queued, lrc_link) {
		igen_queue_remove(lrc->engine, rq);
		list_add_tail(&rq->link, &moved);
	}
	igen_lrc_set_engine(lrc, to);
	igen_queue_note_begun(to);
	list_for_each_entry_safe(rq, next, &moved, link) {
		list_del_init(&rq->link);
		rq->engine = to;
		igen_queue_add(to, rq);
	}
	igen_lrc_put(lrc);
	igen_heartbeat_arm(to);
}

/**
 * igen_balance_pull - have an engine take over a balanced LRC that it would run at once
 * @engine: the engine, which has a free port
 * @turn: the running context has used up its timeslice, so a request of the same rank may take its place
 *
 * Moves at most one LRC into the engine's queue.
 *
 * Context: group->lock held.
 */
void igen_balance_pull(struct igen_engine *engine, bool turn)
{
	struct igen_request *rq = balance_candidate(engine);

	/* igen_lrc_has_left() comes last, since it may read a register. */
	if (rq && (s64)igen_request_rank(rq) + turn > balance_own_rank(engine) &&
	    !igen_debt_holds_client(rq->client, engine) && igen_lrc_has_left(rq->lrc))
		balance_move(rq->lrc, engine);
}

/**
 * igen_balance_rival - ask whether a sibling has queued a request that is as urgent as the one that an engine runs
 * @engine: the engine
 * @busy: with a context that is not known to poll
 *
 * Return: true when igen_balance_pull() at the end of the timeslice would find an LRC to run instead.
 * Context: group->lock held.
 */
bool igen_balance_rival(struct igen_engine *engine, bool busy)
{
	struct igen_request *rq = balance_candidate(engine), *running;

	if (likely(!rq) || (busy && igen_request_polls(rq)))
		return false;
	running = igen_scheduler_active(engine);
	return running && igen_request_rank(rq) >= igen_request_rank(running);
}
