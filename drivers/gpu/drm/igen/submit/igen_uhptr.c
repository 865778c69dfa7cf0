// SPDX-License-Identifier: MIT
/**
 * DOC: Preemption by UHPTR (Ivy Bridge's render engine)
 *
 * IVB Vol 2 Part 2, 1.3.5: when UHPTR is valid and the engine comes to MI_ARB_CHECK, in the ring or in a batch, it goes
 * on where UHPTR says. The driver writes an arrival and the urgent request to the ring's end and has UHPTR lead there::
 *
 *	| A: batch ... MI_ARB_CHECK | B | arrival | urgent request |
 *	                      |           ^
 *	                      +-----------+  skips what is left of A, and B
 *
 * The arrival stores where the engine was and interrupts. If A and B have completed by then, the engine has just come
 * there in order. Else they go back to the queue. A, which was left within its batch, goes on where it was: the engine
 * saves the rest of a walker in the context's image, and what has to follow is the rest of the batch and the request's
 * end. B, and a request that was left in front of its batch, start from their beginning.
 *
 * Nothing else is put into the ring before the arrival. A batch without MI_ARB_CHECK runs to its end first. There is no
 * timeout for that, since few batches have one, and since a batch that does not end is the heartbeat's business.
 *
 * Hardware that ignores UHPTR executes the ring in order, which is correct, too.
 */
#include <igen/regs/engine.h>

#include "../igen_trace.h"
#include "igen_ringbuffer.h"

/* How much of a ring an arrival and a request need at most, as a part of it. */
#define ROOM_PART	2

static bool uhptr_is_above(const struct igen_request *rq, const struct igen_request *other)
{
	if (rq->lrc == other->lrc || igen_request_rank(rq) <= igen_request_rank(other))
		return false;
	/* The queue does not have those that wait for the end of the other. */
	return !atomic_read(&other->followers) || rq->priority > READ_ONCE(other->follower_priority);
}

/**
 * igen_uhptr_wants - tell whether a request is to preempt what is in the ring
 * @rb: the backend of an engine that can be preempted
 * @rq: the first of the queue
 *
 * Return: true when it is more urgent than all in the ring, and there is room.
 * Context: group->lock held.
 */
bool igen_uhptr_wants(struct igen_ringbuffer *rb, const struct igen_request *rq)
{
	const struct igen_ring *ring = &rb->engine->ring;
	unsigned int n, requests = 0;

	if (rb->armed || rb->count + 2 > IGEN_RING_ENTRIES || igen_ring_free(ring) < ring->size / ROOM_PART)
		return false;
	for (n = 0; n < rb->count; n++) {
		if (!rb->entry[n].rq)
			continue;
		if (!uhptr_is_above(rq, rb->entry[n].rq))
			return false;
		requests++;
	}
	return requests;
}

/**
 * igen_uhptr_begin - write the arrival, which the urgent request follows
 * @rb: the backend, for which igen_uhptr_wants() was true
 * @place: set to where the engine has to be led when the request is there
 *
 * Return: false when there is no room.
 * Context: group->lock held.
 */
bool igen_uhptr_begin(struct igen_ringbuffer *rb, u32 *place)
{
	struct igen_ring_entry entry = {};

	if (!igen_ringbuffer_emit_arrival(rb, &entry, place))
		return false;
	/* No place that there could be. */
	rb->told->ring = IGEN_RING_NOWHERE;
	rb->told->batch = 0;
	igen_ringbuffer_push(rb, &entry);
	rb->armed = true;
	return true;
}

static unsigned int uhptr_arrival(const struct igen_ringbuffer *rb)
{
	unsigned int n;

	for (n = 0; n < rb->count && !rb->entry[n].arrival; n++)
		;
	return n;
}

/* The first before the arrival that has not ended, or the arrival. */
static unsigned int uhptr_first_left(const struct igen_ringbuffer *rb, unsigned int arrival)
{
	unsigned int n;

	for (n = 0; n < arrival && (!rb->entry[n].rq || igen_request_completed(rb->entry[n].rq)); n++)
		;
	return n;
}

/**
 * igen_uhptr_possible - tell whether the engine can have left a request's batch at an address
 * @rq: the request
 * @batch: the address
 *
 * A batch without privilege may jump to where it wants. One with privilege does not leave its copy in the GGTT, and
 * must not be resumed elsewhere.
 *
 * Return: true if it can.
 */
bool igen_uhptr_possible(const struct igen_request *rq, u32 batch)
{
	if (!batch || batch & 3)
		return false;
	return !rq->privileged || (batch >= rq->batch_start && batch - rq->batch_start < rq->privileged);
}

/* Notes where the request was left: false if the engine cannot have been there. */
static bool uhptr_note_place(struct igen_ringbuffer *rb, const struct igen_ring_entry *entry)
{
	u32 ring = READ_ONCE(rb->told->ring), batch = READ_ONCE(rb->told->batch);
	struct igen_request *rq = entry->rq;

	if (ring == IGEN_RING_NOWHERE)
		return false;
	ring &= RING_HEAD_MASK;
	if (ring == entry->check || ring == entry->check_again)
		return true;
	if (ring != entry->batch || !igen_uhptr_possible(rq, batch))
		return false;
	to_lrc_ringbuffer(rq->lrc)->resume = batch;
	to_lrc_ringbuffer(rq->lrc)->resume_seqno = (u32)rq->fence.seqno;
	return true;
}

/* Takes the entries from @first to the arrival out, whose requests are queued again. */
static void uhptr_unwind(struct igen_ringbuffer *rb, unsigned int first, unsigned int arrival)
{
	struct igen_engine *engine = rb->engine;
	struct igen_ring_entry gone[IGEN_RING_ENTRIES];
	unsigned int n, num = arrival + 1 - first;

	igen_ringbuffer_note_time(rb, rb->entry[first].rq);
	igen_scheduler_unwind(engine);
	engine->ring.head = rb->entry[arrival].end;
	memcpy(gone, rb->entry + first, num * sizeof(gone[0]));
	rb->count -= num;
	memmove(rb->entry + first, rb->entry + arrival + 1, (rb->count - first) * sizeof(gone[0]));
	for (n = 0; n < num; n++)
		igen_ringbuffer_put_entry(&gone[n]);
	/* What follows the arrival is in the ring as it was. */
	for (n = first; n < rb->count; n++)
		if (rb->entry[n].rq && rb->entry[n].rq->queued)
			igen_scheduler_start(engine, rb->entry[n].rq);
	rb->moves++;
	rb->since = jiffies;
}

/**
 * igen_uhptr_settle - find out what became of a preemption
 * @rb: the backend
 *
 * Requests that the engine has skipped go back to the queue.
 *
 * Context: group->lock held.
 */
void igen_uhptr_settle(struct igen_ringbuffer *rb)
{
	unsigned int arrival = uhptr_arrival(rb), first;
	const struct igen_request *rq;

	if (!rb->armed || READ_ONCE(rb->told->arrived) != rb->entry[arrival].serial)
		return;
	/* The places and the seqnos were written before. */
	rmb();
	rb->armed = false;
	first = uhptr_first_left(rb, arrival);
	if (first == arrival)
		return;
	rq = rb->entry[first].rq;
	if (!uhptr_note_place(rb, &rb->entry[first])) {
		rb->misread = true;
		mod_delayed_work(rb->engine->igen->urgent_wq, &rb->look_work, 0);
		return;
	}
	trace_igen_request_preempted(rq, READ_ONCE(rb->told->ring) & RING_HEAD_MASK,
				     igen_request_is_preempted(rq) ? to_lrc_ringbuffer(rq->lrc)->resume : 0);
	uhptr_unwind(rb, first, arrival);
}
