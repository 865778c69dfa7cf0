// SPDX-License-Identifier: MIT
/**
 * DOC: Balanced contexts
 *
 * A slot of a context's engine map may name several engines of a class ("virtual engine" in the uAPI). Its LRC is
 * that of one of them at a time, and all of its requests that wait are in that one's queue, so that nothing of the
 * scheduler or the backend need know of it. What waits may move: an engine that has nothing as urgent itself takes
 * from its siblings' queues whatever may run on it, with all that follows on the same timeline, whose order thereby
 * stays. So a request runs on whichever of its engines is idle, or becomes free first, or does the least urgent work.
 *
 * The image belongs to an engine while it is on one of its ports (lrc->ports), until the context status buffer says
 * that it was saved; it does not move before. Nor is it put behind another context, where it would be kept from an
 * engine that becomes free earlier.
 *
 * Gen9's images name registers by their full offsets, so on the way to another engine these are written anew; the
 * values stay (KBL Vol 3, "BSD Logical Render Context Address"; stock i915 does it likewise). The next submission
 * forces a restore, since the engine may still know this image's address from an earlier visit.
 *
 * All of this is under the lock of the group of engines (struct igen_engine_group).
 */
#include <linux/list.h>

#include "../igen_device.h"
#include "igen_submit.h"

static bool may_move(const struct igen_lrc *lrc, const struct igen_engine *to)
{
	return lrc->siblings & BIT(to->info->id) && !lrc->ports;
}

/* The most urgent request in its siblings' queues that an engine could run, of equals the older; or NULL. */
static struct igen_request *candidate(struct igen_engine *to)
{
	struct igen_engine_group *group = to->group;
	struct igen_request *best = NULL, *rq;
	unsigned int n;

	lockdep_assert_held(&group->lock);

	if (likely(!group->balanced))
		return NULL;
	for (n = 0; n < group->num_engines; n++) {
		if (group->engine[n] == to)
			continue;
		list_for_each_entry(rq, &group->engine[n]->queue, link) {
			if (best && rq->priority <= best->priority)
				break;
			/* In this order: the LRC of one that has completed may be gone. */
			if (!igen_request_completed(rq) && may_move(rq->lrc, to)) {
				best = rq;
				break;
			}
		}
	}
	return best;
}

/* The highest priority of what an engine has and has not completed; INT_MIN when there is nothing. */
static int urgency(struct igen_engine *engine)
{
	struct igen_request *rq;
	int highest = INT_MIN;

	list_for_each_entry(rq, &engine->inflight, link) {
		if (!igen_request_completed(rq))
			highest = max(highest, rq->priority);
	}
	list_for_each_entry(rq, &engine->queue, link) {
		if (!igen_request_completed(rq)) {
			highest = max(highest, rq->priority);
			break;
		}
	}
	return highest;
}

static void move(struct igen_lrc *lrc, struct igen_engine *to)
{
	struct igen_request *rq, *next;
	LIST_HEAD(moved);

	list_for_each_entry_safe(rq, next, &lrc->engine->queue, link) {
		if (rq->lrc == lrc)
			list_move_tail(&rq->link, &moved);
	}
	igen_lrc_set_engine(lrc, to);
	list_for_each_entry_safe(rq, next, &moved, link) {
		list_del(&rq->link);
		rq->engine = to;
		igen_scheduler_set_turn(to, rq);
		igen_scheduler_insert(to, rq, false);
	}
	igen_heartbeat_arm(to);
}

/**
 * igen_balance_pull - have an engine take over what waits elsewhere and would run at once on it
 * @engine: an engine that can be given work
 * @turn: what it runs has had its time, so equals may take over
 *
 * Moves one context at most into its queue.
 *
 * Context: group->lock held.
 */
void igen_balance_pull(struct igen_engine *engine, bool turn)
{
	struct igen_request *rq = candidate(engine);

	if (rq && (s64)rq->priority + turn > urgency(engine))
		move(rq->lrc, engine);
}

/**
 * igen_balance_rival - ask whether somebody waits elsewhere who is as urgent as what an engine runs
 * @engine: the engine
 *
 * Return: true when igen_balance_pull() would find somebody to take turns with igen_scheduler_active().
 * Context: group->lock held.
 */
bool igen_balance_rival(struct igen_engine *engine)
{
	struct igen_request *rq = candidate(engine), *running;

	if (likely(!rq))
		return false;
	running = igen_scheduler_active(engine);
	return running && rq->priority >= running->priority;
}
