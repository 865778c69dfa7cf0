// SPDX-License-Identifier: MIT
/**
 * DOC: Semaphore waits between engines
 *
 * Request B waits for request A of another engine. The driver need not keep B back until an interrupt reports that A
 * has completed. It gives B to B's engine as soon as A has started. B's ring begins with MI_SEMAPHORE_WAIT, which polls
 * the memory of A's seqno until A has completed. A chain of requests across engines then runs from end to end without
 * the CPU.
 *
 * An engine waits in this way only while it has nothing else to do. Any other request for that engine, however little
 * urgent, preempts the waiting request; MI_SEMAPHORE_WAIT is an arbitration point. From then on the CPU waits for A's
 * fence on behalf of B. So a semaphore wait delays no other request: neither one that A's batch itself may wait for nor
 * a heartbeat. It is safe without timeslices. If two requests of an engine wait, one of them waits by the CPU. The
 * driver reads A's seqno from memory to know whether B still waits. The engine's interrupt for semaphore waits is used
 * only when another request is there.
 *
 * A request has at most one semaphore wait, for the last request of one timeline that it waits for. Engines with
 * siblings of their class use none, since a balanced context moves to an idle sibling instead of waiting.
 *
 * A's seqno always arrives: a skipped or cancelled request still executes its breadcrumb, and when the GPU is wedged
 * the CPU writes the seqno. When B is skipped its MI_SEMAPHORE_WAIT stays, so B does not complete before A. A request
 * that still waits in MI_SEMAPHORE_WAIT is not to blame for a hang. The LRC that has A's seqno in memory stays pinned
 * while an engine may poll it.
 */
#include <linux/irq_work.h>
#include <linux/list.h>

#include "../igen_device.h"
#include "igen_submit.h"

/**
 * igen_semaphore_possible - ask whether a request's engine may wait itself for another request
 * @rq: a request not committed
 * @other: one of the same device, perhaps completed
 *
 * Return: true when igen_semaphore_emit() may be called for it.
 * Context: the timeline's mutex is held.
 */
bool igen_semaphore_possible(const struct igen_request *rq, const struct igen_request *other)
{
	lockdep_assert_held(&rq->lrc->timeline.mutex);

	if (rq->group == other->group || rq->group->num_engines > 1)
		return false;
	if (rq->semaphore && rq->semaphore->fence->context != other->fence.context)
		return false;
	/* MI_SEMAPHORE_WAIT has to be the first command of the request. */
	return rq->lrc->ring.tail == rq->infix;
}

/**
 * igen_semaphore_covers - ask whether a request's engine waits already for what ends no earlier than a fence
 * @rq: a request not committed
 * @fence: any fence
 *
 * Return: true when the caller has to do nothing more for the fence.
 * Context: the timeline's mutex is held.
 */
bool igen_semaphore_covers(const struct igen_request *rq, const struct dma_fence *fence)
{
	const struct igen_wait *wait = rq->semaphore;

	lockdep_assert_held(&rq->lrc->timeline.mutex);

	return wait && wait->fence->context == fence->context &&
	       (s32)(lower_32_bits(wait->fence->seqno) - lower_32_bits(fence->seqno)) >= 0;
}

/**
 * igen_semaphore_place - where a request's seqno will arrive
 * @other: the request
 *
 * Return: the place, in its LRC, which lives at least until the unlock; NULL when the request has completed.
 * Context: its group->lock is held.
 */
const u32 *igen_semaphore_place(const struct igen_request *other)
{
	/* Read once, since retirement changes the pointer. */
	const u32 *place = READ_ONCE(other->hwsp_seqno);

	lockdep_assert_held(&other->group->lock);

	if (test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &other->fence.flags) ||
	    (s32)(READ_ONCE(*place) - lower_32_bits(other->fence.seqno)) >= 0)
		return NULL;
	return place;
}

/**
 * igen_semaphore_emit - has a request's engine wait for another request
 * @rq: a request not committed, for which this is possible
 * @wait: in its list, with the other one's LRC; it takes the place of a wait for an earlier request
 * @place: where the other one's seqno arrives
 *
 * Context: the timeline's mutex is held.
 */
void igen_semaphore_emit(struct igen_request *rq, struct igen_wait *wait, const u32 *place)
{
	u32 seqno = lower_32_bits(wait->fence->seqno);
	u32 *cs = rq->lrc->ring.vaddr + rq->head;

	lockdep_assert_held(&rq->lrc->timeline.mutex);

	if (!rq->semaphore)
		cs = igen_request_emit(rq, rq->engine->emit->semaphore_dw);
	rq->engine->emit->semaphore(cs, igen_timeline_ggtt(&wait->lrc->timeline, place), seqno);
	rq->infix = rq->lrc->ring.tail;
	rq->semaphore = wait;
	rq->semaphore_place = place;
	rq->semaphore_seqno = seqno;
}

/**
 * igen_semaphore_waits - ask whether a request's engine waits in it, or would as soon as it came to it
 * @rq: a committed request
 *
 * Return: false too when it has completed, or waits for nothing in this way.
 * Context: group->lock held; a request that is not completed keeps its semaphore while the lock is held.
 */
bool igen_semaphore_waits(const struct igen_request *rq)
{
	lockdep_assert_held(&rq->group->lock);

	return rq->semaphore_place && !igen_request_completed(rq) &&
	       (s32)(READ_ONCE(*rq->semaphore_place) - rq->semaphore_seqno) < 0;
}

static bool semaphore_blocks(const struct igen_request *rq, const struct igen_request *other)
{
	return other->lrc != rq->lrc && !igen_request_completed(other);
}

/**
 * igen_semaphore_blocks_others - ask whether a request with a semaphore would keep its engine from something else
 * @engine: the engine
 * @rq: a committed request of it that has or had a semaphore
 *
 * Requests of one timeline complete in order. So a run of one context's requests in flight has completed when its last
 * request has, and one look for each run suffices. Each list that the hardware is given adds two runs at most, and the
 * completed ones are dropped before.
 *
 * Return: true when the engine would wait in it, and another context has something queued or in flight.
 * Context: group->lock held.
 */
bool igen_semaphore_blocks_others(struct igen_engine *engine, const struct igen_request *rq)
{
	struct igen_request *other;

	if (!igen_semaphore_waits(rq))
		return false;

	list_for_each_entry(other, &engine->inflight_runs, run_link) {
		if (semaphore_blocks(rq, other))
			return true;
	}
	return engine->queued_lrcs > !list_empty(&rq->lrc->queued);
}

/**
 * igen_semaphore_give_up - have a request go on waiting by way of the CPU
 * @engine: the engine
 * @rq: a request that waits, in the engine's queue or the first that its timeline holds back
 *
 * Later requests of its timeline leave the queue with it. The hardware must have no way to reach the request, since it
 * could then complete the request before the wait is over.
 *
 * Context: group->lock held.
 */
void igen_semaphore_give_up(struct igen_engine *engine, struct igen_request *rq)
{
	struct igen_lrc *lrc = rq->lrc;
	struct igen_wait *wait = rq->semaphore;
	struct igen_request *last;

	lockdep_assert_held(&engine->group->lock);

	while (rq->queued) {
		last = list_last_entry(&lrc->queued, struct igen_request, lrc_link);
		igen_queue_remove(engine, last);
		list_add(&last->link, &lrc->held);
	}

	/* A fence callback cannot be added with an engine's lock held. */
	atomic_inc(&rq->pending);
	wait->by_cpu = true;
	list_add_tail(&wait->exec_link, &engine->exec_waits);
	irq_work_queue(&engine->exec_work);
}
