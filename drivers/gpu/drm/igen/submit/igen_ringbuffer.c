// SPDX-License-Identifier: MIT
/**
 * DOC: Submission by ring buffers (Gen6, Gen7)
 *
 * An engine has one ring. The backend copies requests into it, behind the commands that change context and page
 * directory (igen_ringbuffer_emit.c), and moves the ring's tail. The engine executes what is in the ring in order, and
 * tells by each request's seqno, and its user interrupt, that the request has ended. ::
 *
 *   queue --ringbuffer_fill()--> ring: running | next --seqno--> (done)
 *     ^                                  |
 *     +------ igen_scheduler_unwind() <--+   (reset)
 *
 * What is in the ring cannot be taken back. So the ring has the request that runs and the next one, which the engine
 * finds without the driver's help, and no more: the queue decides on the third when the first has ended. A batch runs
 * until it ends by itself, unless the engine can be preempted (igen_uhptr.c). One that does not end is found by the
 * heartbeat, and costs a reset, as with stock i915.
 *
 * Nothing is assumed of the order of requests of different contexts: each context has its seqno in memory, and where
 * the engine is follows from the first request in the ring whose seqno is not there.
 *
 * The render engine has the state of a context in an image, which MI_SET_CONTEXT saves when the next one is loaded. A
 * context that has nothing more to do stays loaded until another one comes, or until something needs to know that its
 * image, its place in the GGTT or its address space are not used any more. Then the backend has the engine load an
 * image of its own (the rest). Before the GT is parked all engines rest. So sleep loses no state, nor does the reset of
 * an engine that has no work.
 *
 * Engines do not count the time of contexts. So the engine stores its clock in front of each request and behind it
 * (igen_engine_info.timed). The user interrupt is masked unless a fence has waiters, or the driver has more for the
 * engine than there is room for. While it is masked, the driver finds that requests have ended when it gives the engine
 * the next one, or when it retires them. The user interrupt of an engine without such a clock is never masked, and
 * contexts pay for the time from one interrupt to the next.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include <igen/regs/irq.h>

#include "../igen_trace.h"
#include "../mm/igen_vm.h"
#include "igen_reset.h"
#include "igen_ringbuffer.h"

#define RING_SIZE	SZ_64K

/* For how long an engine without work may take to save its context before a reset. */
#define REST_US		10000

/**
 * igen_ringbuffer_note_time - add the time since it was counted last to a context's, whose client pays
 * @rb: the backend
 * @rq: the context's request
 *
 * Context: group->lock held.
 */
void igen_ringbuffer_note_time(struct igen_ringbuffer *rb, struct igen_request *rq)
{
	u64 now = ktime_get_ns();

	rq->lrc->ticks += mul_u64_u32_div(now - rb->since_ns, rb->engine->igen->platform->timestamp_hz, NSEC_PER_SEC);
	rb->since_ns = now;
	rb->shown = 0;
	rb->last_end = 0;
	igen_lrc_note_runtime(rq->lrc);
	igen_queue_pay(rq);
}

static bool ringbuffer_has_begun(const struct igen_ringbuffer *rb, u32 serial)
{
	return (s32)(READ_ONCE(rb->told->begun) - serial) >= 0;
}

static bool ringbuffer_entry_is_over(const struct igen_ringbuffer *rb, const struct igen_ring_entry *entry)
{
	if (entry->arrival)
		return READ_ONCE(rb->told->arrived) == entry->serial;
	return entry->rq ? igen_request_completed(entry->rq) : ringbuffer_has_begun(rb, entry->serial);
}

/**
 * igen_ringbuffer_put_entry - drop the references of an entry
 * @entry: the entry, not in the ring any more
 *
 * Context: group->lock held.
 */
void igen_ringbuffer_put_entry(struct igen_ring_entry *entry)
{
	if (!entry->rq)
		return;
	igen_lrc_put(entry->rq->lrc);
	igen_request_put(entry->rq);
}

/*
 * Counts the time of a request that has ended, by the engine's own clock. The engine stores the end behind the seqno.
 * If the end is not in memory yet, the request has ended just now. The time from the end of the request before, if the
 * engine came from there, is what the switch to this one has taken.
 */
static void ringbuffer_count_time(struct igen_ringbuffer *rb, const struct igen_ring_entry *entry)
{
	const struct igen_ring_time *time = &rb->told->time[entry->serial % IGEN_RING_TIMES];
	u32 end = READ_ONCE(time->end), ticks;

	if (!end) {
		igen_ringbuffer_note_time(rb, entry->rq);
		return;
	}
	/* The begin was stored before the end. */
	rmb();
	/* Readers of the time so far must not see the context's time go back. */
	ticks = max(end - (rb->last_end ?: READ_ONCE(time->begin)), rb->shown);
	entry->rq->lrc->ticks += ticks;
	rb->shown = 0;
	rb->last_end = end;
	/* The engine has been in the next entry, if there is one, since then, however late the driver learns of it. */
	if (rb->count > 1) {
		rb->since_ns += mul_u64_u32_div(ticks, NSEC_PER_SEC, rb->engine->igen->platform->timestamp_hz);
		rb->since_ns = min(rb->since_ns, ktime_get_ns());
	}
	igen_lrc_note_runtime(entry->rq->lrc);
	igen_queue_pay(entry->rq);
}

/* Takes the first entry out, which the engine is through with. */
static void ringbuffer_pop(struct igen_ringbuffer *rb)
{
	struct igen_ring_entry entry = rb->entry[0];
	const struct igen_lrc *lrc = entry.rq ? entry.rq->lrc : NULL;

	if (entry.rq)
		ringbuffer_count_time(rb, &entry);
	/* All in front of the arrival has ended, so nothing is to be taken back. */
	if (entry.arrival)
		rb->armed = false;
	rb->engine->ring.head = entry.end;
	rb->count--;
	if (rb->count)
		memmove(rb->entry, rb->entry + 1, rb->count * sizeof(entry));
	if (!rb->count || !rb->entry[0].rq || rb->entry[0].rq->lrc != lrc) {
		rb->moves++;
		rb->since = jiffies;
	}
	igen_ringbuffer_put_entry(&entry);
}

/* Follows the engine by what it has written to memory. */
static void ringbuffer_process(struct igen_ringbuffer *rb)
{
	lockdep_assert_held(&rb->engine->group->lock);

	if (!rb->count || !ringbuffer_entry_is_over(rb, &rb->entry[0]))
		return;
	do {
		ringbuffer_pop(rb);
	} while (rb->count && ringbuffer_entry_is_over(rb, &rb->entry[0]));
	igen_scheduler_trim(rb->engine);
}

/* The request that the engine is in, or comes to next. */
static struct igen_request *ringbuffer_active(struct igen_ringbuffer *rb)
{
	ringbuffer_process(rb);
	return rb->count ? rb->entry[0].rq : NULL;
}

/**
 * igen_ringbuffer_push - the ring has one more entry
 * @rb: the backend, with room for it
 * @entry: the entry, with its references
 *
 * Context: group->lock held.
 */
void igen_ringbuffer_push(struct igen_ringbuffer *rb, const struct igen_ring_entry *entry)
{
	if (!rb->count) {
		rb->since_ns = ktime_get_ns();
		rb->shown = 0;
		rb->last_end = 0;
		rb->since = jiffies;
		rb->moves++;
	}
	rb->entry[rb->count++] = *entry;
}

/* Has the engine save the context that it has loaded, once it is through with the ring. */
static void ringbuffer_rest(struct igen_ringbuffer *rb)
{
	struct igen_ring_entry entry = {};

	if (!rb->lrc || rb->count == IGEN_RING_ENTRIES || !igen_ringbuffer_emit_rest(rb, &entry))
		return;
	igen_ringbuffer_push(rb, &entry);
	igen_ringbuffer_write_tail(rb);
}

static bool ringbuffer_has_entry_of(const struct igen_ringbuffer *rb, const struct igen_lrc *lrc)
{
	unsigned int n;

	for (n = 0; n < rb->count; n++)
		if (rb->entry[n].rq && rb->entry[n].rq->lrc == lrc)
			return true;
	return false;
}

/* See igen_lrc_has_left(). An engine that has the context loaded and no work is made to save it. */
static bool ringbuffer_has_left(struct igen_lrc *lrc)
{
	struct igen_ringbuffer *rb = to_ringbuffer(lrc->engine);

	if (!to_lrc_ringbuffer(lrc)->given)
		return true;
	ringbuffer_process(rb);
	if (ringbuffer_has_entry_of(rb, lrc))
		return false;
	if (rb->lrc == lrc) {
		if (rb->rest) {
			ringbuffer_rest(rb);
			return false;
		}
		/* Without an image there is nothing to be saved. */
		rb->lrc = NULL;
	} else if (rb->rest && !ringbuffer_has_begun(rb, to_lrc_ringbuffer(lrc)->left_serial)) {
		return false;
	}
	to_lrc_ringbuffer(lrc)->given = false;
	return true;
}

static void ringbuffer_wait_left(struct igen_lrc *lrc)
{
	bool left;

	do {
		spin_lock_irq(&lrc->group->lock);
		left = ringbuffer_has_left(lrc);
		spin_unlock_irq(&lrc->group->lock);
		if (!left)
			usleep_range(1000, 2000);
		/* An engine that hangs is reset, and has left all contexts then. */
	} while (!left && !READ_ONCE(lrc->group->igen->wedged));
}

/* A follower of the last request in the ring, which is queued when that has completed, is more urgent. */
static bool ringbuffer_is_for_follower(const struct igen_ringbuffer *rb, const struct igen_request *rq)
{
	const struct igen_request *last = rb->count ? rb->entry[rb->count - 1].rq : NULL;

	return last && rq->priority < READ_ONCE(last->follower_priority) && atomic_read(&last->followers);
}

/* Puts the request into the ring, or out of the way: true then. False: it has to wait. */
static bool ringbuffer_take(struct igen_ringbuffer *rb, struct igen_request *rq)
{
	struct igen_ring_entry entry = {};
	int verdict;

	/*
	 * The context of a completed request may be gone, so nothing else of the request may be read. A request that
	 * comes past the queue has not run yet.
	 */
	if (rq->queued && igen_request_completed(rq)) {
		igen_scheduler_drop(rq);
		return true;
	}
	if (ringbuffer_is_for_follower(rb, rq))
		return false;
	verdict = igen_request_check_run(rq, rb->engine);
	if (unlikely(verdict && !igen_request_is_skipped(rq)))
		igen_request_skip(rq, verdict);
	/* What is left of its walker, in the image, must not run either. */
	if (unlikely(igen_request_is_skipped(rq) && igen_request_is_preempted(rq)))
		igen_lrc_discard(rq->lrc, true);
	if (unlikely(rq->lrc->stale)) {
		/* The engine would save its own state over the driver's. */
		if (!ringbuffer_has_left(rq->lrc))
			return false;
		igen_lrc_reset(rq->lrc, rq->head, rq->lrc->state_lost);
		to_lrc_ringbuffer(rq->lrc)->resume = 0;
	}
	if (!igen_ringbuffer_emit_request(rb, rq, &entry))
		return false;
	entry.rq = igen_request_get(rq);
	igen_lrc_get(rq->lrc);
	igen_scheduler_start(rb->engine, rq);
	trace_i915_request_in(rq, rb->count);
	igen_ringbuffer_push(rb, &entry);
	if (unlikely(rq->circles))
		igen_circle_watch(rb);
	return true;
}

static unsigned int ringbuffer_requests(const struct igen_ringbuffer *rb)
{
	unsigned int n, requests = 0;

	for (n = 0; n < rb->count; n++)
		requests += !!rb->entry[n].rq;
	return requests;
}

/* Looks again when the first request of the queue need not wait any more for a debt to be paid. */
static void ringbuffer_arm_look(struct igen_ringbuffer *rb)
{
	unsigned long until, delay;

	if (likely(igen_queue_is_empty(rb->engine)) || !igen_debt_end(rb->engine, &until))
		return;
	delay = time_after(until, jiffies + 1) ? until - jiffies : 1;
	queue_delayed_work(rb->engine->igen->urgent_wq, &rb->look_work, delay);
}

/*
 * Takes the engine from the requests in the ring for one that is more urgent than all of them. The queue comes after
 * it, when the engine has told where it was.
 */
static void ringbuffer_preempt(struct igen_ringbuffer *rb)
{
	struct igen_request *rq = igen_queue_ready(rb->engine);
	struct igen_engine *engine = rb->engine;
	u32 place, tail;

	if (!rq || igen_request_completed(rq) || !igen_uhptr_wants(rb, rq))
		return;
	if (rq->lrc->stale && !ringbuffer_has_left(rq->lrc))
		return;
	tail = engine->ring.tail;
	if (!igen_uhptr_begin(rb, &place))
		return;
	ringbuffer_take(rb, rq);
	/* The engine must not be sent to what is not in memory yet. */
	wmb();
	/*
	 * An engine that goes there before it gets the new tail finds its ring empty, if that is where its tail is. The
	 * tail is elsewhere when the place is at the ring's beginning: it is in front of the ring's end then.
	 */
	if (place != tail)
		rb->ops->tail(engine, place);
	rb->ops->preempt(engine, place);
}

/* Gives the engine what it has room for. True when the driver needs to know when there is more room. */
static bool ringbuffer_fill_once(struct igen_ringbuffer *rb)
{
	struct igen_engine *engine = rb->engine;
	u32 tail = engine->ring.tail;
	struct igen_request *rq;

	/* In this order: a request that the engine skipped must not pay for the one before it. */
	ringbuffer_process(rb);
	igen_uhptr_settle(rb);
	ringbuffer_process(rb);
	igen_scheduler_trim(engine);
	if (rb->ops->preempt && rb->count)
		ringbuffer_preempt(rb);
	while (!rb->armed && rb->count < IGEN_RING_ENTRIES && ringbuffer_requests(rb) < IGEN_RING_REQUESTS) {
		rq = igen_queue_ready(engine);
		if (!rq || !ringbuffer_take(rb, rq))
			break;
	}
	if (engine->ring.tail != tail)
		igen_ringbuffer_write_tail(rb);

	if (unlikely(engine->group->begins_awaited)) {
		rq = ringbuffer_active(rb);
		if (rq)
			igen_scheduler_begin(engine, rq);
	}
	return !engine->info->timed || rb->armed || !igen_queue_is_empty(engine) || engine->group->begins_awaited;
}

static void ringbuffer_fill(struct igen_ringbuffer *rb)
{
	lockdep_assert_held(&rb->engine->group->lock);

	if (rb->blocked)
		return;
	/* A second time at most. */
	while (igen_breadcrumbs_keep(rb->engine, ringbuffer_fill_once(rb)))
		;
	ringbuffer_arm_look(rb);
}

static void ringbuffer_submit(struct igen_engine *engine)
{
	ringbuffer_fill(to_ringbuffer(engine));
}

/* An engine with an empty ring need not look at the queue. */
static bool ringbuffer_take_at_once(struct igen_engine *engine, struct igen_request *rq)
{
	struct igen_ringbuffer *rb = to_ringbuffer(engine);

	lockdep_assert_held(&engine->group->lock);

	if (rb->blocked)
		return false;
	ringbuffer_process(rb);
	if (rb->count || !list_empty(&engine->inflight) || engine->group->begins_awaited)
		return false;
	if (igen_request_completed(rq) || !igen_queue_pass(engine, rq))
		return false;
	if (trace_i915_request_submit_enabled())
		trace_i915_request_submit(rq);
	if (!ringbuffer_take(rb, rq))
		return false;
	igen_ringbuffer_write_tail(rb);
	if (igen_breadcrumbs_keep(engine, !engine->info->timed))
		ringbuffer_fill(rb);
	return true;
}

static void ringbuffer_irq(struct igen_engine *engine, u32 bits)
{
	unsigned long flags;

	if (unlikely(bits & GT_IRQ_CS_ERROR))
		igen_command_error(engine);
	/* First, since requests that become ready now go along. */
	igen_breadcrumbs_irq(engine);
	spin_lock_irqsave(&engine->group->lock, flags);
	ringbuffer_fill(to_ringbuffer(engine));
	spin_unlock_irqrestore(&engine->group->lock, flags);
}

static void ringbuffer_look_work(struct work_struct *work)
{
	struct igen_ringbuffer *rb = container_of(work, struct igen_ringbuffer, look_work.work);

	struct igen_engine *engine = rb->engine;
	struct igen_suspect suspect;
	bool misread;

	spin_lock_irq(&engine->group->lock);
	misread = rb->misread;
	rb->misread = false;
	if (misread)
		igen_suspect_note(engine, &suspect);
	spin_unlock_irq(&engine->group->lock);
	if (misread)
		igen_engine_hung(engine, &suspect, "it was preempted where there is nothing");
	igen_engine_submit(engine);
}

/* Asked before the GT is parked, too: the engine has to have saved its last context then. */
static bool ringbuffer_idle(struct igen_engine *engine)
{
	struct igen_ringbuffer *rb = to_ringbuffer(engine);

	ringbuffer_process(rb);
	if (rb->count)
		return false;
	if (rb->rest)
		ringbuffer_rest(rb);
	return !rb->count;
}

static void ringbuffer_state(struct igen_engine *engine, bool ask, struct igen_engine_state *state)
{
	struct igen_ringbuffer *rb = to_ringbuffer(engine);
	unsigned int n, given = 0;
	struct igen_request *rq;

	*state = (struct igen_engine_state){
		.active = ringbuffer_active(rb), .moves = rb->moves, .since = rb->since, .certain = true,
	};
	for (n = 0; n < rb->count; n++) {
		rq = rb->entry[n].rq;
		if (!rq)
			continue;
		if (given && state->given[given - 1]->lrc == rq->lrc)
			state->given[given - 1] = rq;
		else if (given < IGEN_MAX_GIVEN)
			state->given[given++] = rq;
	}
}

static u32 ringbuffer_live_ticks(struct igen_ringbuffer *rb)
{
	rb->shown = mul_u64_u32_div(ktime_get_ns() - rb->since_ns, rb->engine->igen->platform->timestamp_hz,
				    NSEC_PER_SEC);
	return rb->shown;
}

static bool ringbuffer_running(struct igen_lrc *lrc, u32 *count)
{
	struct igen_ringbuffer *rb = to_ringbuffer(lrc->engine);
	struct igen_request *rq = ringbuffer_active(rb);

	if (!rq || rq->lrc != lrc)
		return false;
	*count = lrc->ticks + ringbuffer_live_ticks(rb);
	return true;
}

static u64 ringbuffer_runtime(struct igen_engine *engine)
{
	struct igen_ringbuffer *rb = to_ringbuffer(engine);

	return ringbuffer_active(rb) ? engine->runtime + ringbuffer_live_ticks(rb) : engine->runtime;
}

static void ringbuffer_free(struct igen_ringbuffer *rb)
{
	igen_ggtt_unpin_internal(rb->engine->ring.vma);
	igen_ggtt_unpin_internal(rb->rest);
	igen_ggtt_unpin_internal(rb->page);
	rb->engine->ring = (struct igen_ring){};
	kfree(rb);
}

static int ringbuffer_alloc(struct igen_ringbuffer *rb)
{
	struct igen_engine *engine = rb->engine;
	struct igen_ring *ring = &engine->ring;
	struct igen_device *igen = engine->igen;
	void *vaddr;

	rb->page = igen_ggtt_pin_internal(igen, PAGE_SIZE, 0, &vaddr);
	if (IS_ERR(rb->page))
		return PTR_ERR(rb->page);
	rb->told = vaddr;
	if (engine->info->context_pages) {
		rb->rest = igen_ggtt_pin_internal(igen, engine->info->context_pages * PAGE_SIZE, 0, NULL);
		if (IS_ERR(rb->rest))
			return PTR_ERR(rb->rest);
	}
	ring->vma = igen_ggtt_pin_internal(igen, RING_SIZE, 0, &ring->vaddr);
	if (IS_ERR(ring->vma))
		return PTR_ERR(ring->vma);
	ring->size = RING_SIZE;
	return 0;
}

static int ringbuffer_init(struct igen_engine *engine)
{
	struct igen_ringbuffer *rb;
	int err;

	rb = kzalloc(sizeof(*rb), GFP_KERNEL);
	if (!rb)
		return -ENOMEM;
	rb->engine = engine;
	rb->ops = engine->info->switch_ops;
	err = ringbuffer_alloc(rb);
	if (err) {
		ringbuffer_free(rb);
		return err;
	}
	igen_scheduler_init(engine);
	igen_heartbeat_init(engine);
	INIT_DELAYED_WORK(&rb->look_work, ringbuffer_look_work);
	igen_circle_init(rb);
	engine->backend = rb;
	return 0;
}

/* Drops what is in the ring, of which the engine knows nothing any more. */
static void ringbuffer_release(struct igen_ringbuffer *rb)
{
	unsigned int n;

	for (n = 0; n < rb->count; n++)
		igen_ringbuffer_put_entry(&rb->entry[n]);
	rb->count = 0;
	rb->armed = false;
	rb->lrc = NULL;
	/* It may have left the last one anywhere. Registers of execution units stay as they are. */
	rb->owner = 0;
	rb->moves++;
	rb->since = jiffies;
	/* The engine has left all contexts. */
	WRITE_ONCE(rb->told->begun, rb->serial);
}

static void ringbuffer_fini(struct igen_engine *engine)
{
	struct igen_ringbuffer *rb = to_ringbuffer(engine);

	igen_heartbeat_fini(engine);
	cancel_delayed_work_sync(&rb->look_work);
	cancel_delayed_work_sync(&rb->circle_work);
	igen_scheduler_fini(engine);
	ringbuffer_release(rb);
	engine->backend = NULL;
	ringbuffer_free(rb);
}

/* An engine without work saves its context first. */
static void ringbuffer_save(struct igen_engine *engine)
{
	struct igen_ringbuffer *rb = to_ringbuffer(engine);
	unsigned int us;
	bool idle;

	for (us = 0; us < REST_US; us += 100) {
		spin_lock_irq(&engine->group->lock);
		idle = ringbuffer_active(rb) || ringbuffer_idle(engine);
		spin_unlock_irq(&engine->group->lock);
		if (idle)
			return;
		usleep_range(100, 200);
	}
}

static int ringbuffer_reset_prepare(struct igen_engine *engine)
{
	struct igen_ringbuffer *rb = to_ringbuffer(engine);

	spin_lock_irq(&engine->group->lock);
	rb->blocked = true;
	spin_unlock_irq(&engine->group->lock);
	ringbuffer_save(engine);
	/* An engine that hangs within a command does not stop. */
	return igen_engine_stop(engine);
}

/*
 * The context of the request that hung starts from the default state again, since its registers cannot be trusted. An
 * innocent request starts again from its beginning, in the state in which its context was saved last.
 */
static void ringbuffer_reset(struct igen_engine *engine, bool stalled)
{
	struct igen_ringbuffer *rb = to_ringbuffer(engine);
	struct igen_request *rq;

	lockdep_assert_held(&engine->group->lock);

	ringbuffer_process(rb);
	igen_uhptr_settle(rb);
	rq = ringbuffer_active(rb);
	if (rq && stalled) {
		igen_request_skip(rq, -EIO);
		igen_lrc_discard(rq->lrc, true);
	}
	igen_scheduler_unwind(engine);
	ringbuffer_release(rb);
}

static void ringbuffer_reset_finish(struct igen_engine *engine)
{
	struct igen_ringbuffer *rb = to_ringbuffer(engine);

	spin_lock_irq(&engine->group->lock);
	rb->blocked = false;
	ringbuffer_fill(rb);
	spin_unlock_irq(&engine->group->lock);
	/* Requests that completed just before the reset may have lost their interrupt. */
	igen_breadcrumbs_signal(engine);
}

const struct igen_submit_ops igen_ringbuffer_ops = {
	.copies_requests = true,
	.lrc_bytes = sizeof(struct igen_lrc_ringbuffer),
	.init = ringbuffer_init,
	.fini = ringbuffer_fini,
	.resume = igen_ringbuffer_resume,
	.submit = ringbuffer_submit,
	.take = ringbuffer_take_at_once,
	.irq = ringbuffer_irq,
	.idle = ringbuffer_idle,
	.state = ringbuffer_state,
	.running = ringbuffer_running,
	.has_left = ringbuffer_has_left,
	.wait_left = ringbuffer_wait_left,
	.runtime = ringbuffer_runtime,
	.tlb_flush = igen_ringbuffer_tlb_flush,
	.reset_prepare = ringbuffer_reset_prepare,
	.reset = ringbuffer_reset,
	.reset_finish = ringbuffer_reset_finish,
};
