// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of what a reset and the end of the GPU leave
 *
 * The source is part of this file. The backend is the real one, on memory in place of registers. Where a context goes
 * on is the head in its image: what is before it does not run again. That memory does not answer to a reset; where a
 * test wants one that works the hardware is taken to have answered.
 */
#include "../engine/igen_engine.h"

static bool hardware_answers;

static int reset_or_answer(struct igen_device *igen, u32 domains)
{
	return hardware_answers ? 0 : igen_reset_hardware(igen, domains);
}

#define igen_reset_hardware reset_or_answer
#include "../submit/igen_reset.c"
#include "../submit/igen_suspect.c"
#include "../submit/igen_wedge.c"
#include "../submit/igen_capture.h"
#include "../submit/igen_execlists.h"
#include "../submit/igen_reset.h"
#include "../submit/igen_retire.h"

#include <igen/regs/context.h>
#include <igen/regs/engine.h>
#include <igen/regs/gt.h>
#include <igen/regs/gtt.h>
#include <igen/regs/irq.h>

#include "igen_mock.h"

#define COMPLETE_SWITCH	(CSB_CONTEXT_COMPLETE | CSB_ELEMENT_SWITCH)
#define COMPLETE_IDLE	(CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE)
#define LITE		(CSB_PREEMPTED | CSB_LITE_RESTORE)

/* What a context has in its image that is its client's. */
#define CLIENTS_OWN	0x5eedu
/* Where: the value of the first general purpose register. */
#define OWN_DW		0x69

static struct igen_engine *the_engine(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine = mock->igen->engine[IGEN_BCS0];

	spin_lock_irq(&engine->group->lock);
	igen_csb_reset(engine);
	spin_unlock_irq(&engine->group->lock);
	return engine;
}

static void event(struct igen_engine *engine, u32 status, u32 id)
{
	igen_mock_put_event(engine, status, id);
	igen_execlists_ops.irq(engine, GT_IRQ_CONTEXT_SWITCH);
}

/* What a reset of the hardware has the driver do; the registers, which are memory, would not answer. */
static void unwind_all(struct igen_device *igen, bool stalled)
{
	struct igen_engine *engine;
	unsigned int id;

	for_each_engine(igen, id, engine)
		reset_unwind_engine(engine, stalled);
	for_each_engine(igen, id, engine)
		igen->platform->submit->reset_finish(engine);
	WRITE_ONCE(igen->wedged, false);
	for_each_engine(igen, id, engine)
		wedge_submit_rest(engine);
}

/* The head that a context has in memory when it is given to the hardware. */
static u32 head_of(const struct igen_request *rq)
{
	return rq->lrc->image.regs[CTX_RING_HEAD];
}

/* The engine saves the context: it has come to here. */
static void save(struct igen_request *rq, u32 head)
{
	rq->lrc->image.regs[CTX_RING_HEAD] = head;
	/* The context has had the engine for some time. */
	rq->lrc->image.regs[CTX_TIMESTAMP] += 100;
}

/* Requests that failed when the GPU was wedged do not run after igen_unwedge(), whether or not they had begun. */
static void failed_requests_do_not_run_again(struct kunit *test)
{
	struct igen_engine *engine = the_engine(test);
	struct igen_context *ran = igen_mock_context(test, 0), *waited = igen_mock_context(test, 0);
	struct igen_context *between = igen_mock_context(test, 0);
	struct igen_request *a[2], *b, *other, *next[2];
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, igen_lrc_record_default(igen_mock_lrc(test, ran, IGEN_BCS0)));
	a[0] = igen_mock_submit(test, ran, IGEN_BCS0);
	a[1] = igen_mock_submit(test, ran, IGEN_BCS0);
	other = igen_mock_submit(test, between, IGEN_BCS0);
	b = igen_mock_submit(test, waited, IGEN_BCS0);
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	KUNIT_EXPECT_TRUE(test, b->queued && !b->started);
	/* a[0] was preempted within its batch once. */
	save(a[0], a[0]->head + 8);
	a[0]->lrc->image.regs[OWN_DW] = CLIENTS_OWN;
	b->lrc->image.regs[OWN_DW] = CLIENTS_OWN;

	igen_wedge(engine->igen, "a test");
	KUNIT_EXPECT_EQ(test, a[0]->fence.error, -EIO);
	KUNIT_EXPECT_EQ(test, a[1]->fence.error, -EIO);
	KUNIT_EXPECT_EQ(test, b->fence.error, -EIO);
	igen_request_put(other);
	igen_context_put(between);
	unwind_all(engine->igen, false);

	next[0] = igen_mock_submit(test, ran, IGEN_BCS0);
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	next[1] = igen_mock_submit(test, waited, IGEN_BCS0);
	for (i = 0; i < ARRAY_SIZE(next); i++) {
		KUNIT_EXPECT_NE(test, next[i]->head, 0u);
		KUNIT_EXPECT_EQ_MSG(test, head_of(next[i]), next[i]->head, "context %u", i);
		KUNIT_EXPECT_FALSE(test, next[i]->lrc->stale || next[i]->lrc->state_lost);
	}
	/* A context that had not begun keeps its registers. */
	KUNIT_EXPECT_NE(test, next[0]->lrc->image.regs[OWN_DW], CLIENTS_OWN);
	KUNIT_EXPECT_EQ(test, next[1]->lrc->image.regs[OWN_DW], CLIENTS_OWN);

	/* Once is enough: what is saved from now on counts. */
	event(engine, LITE, igen_mock_id_of(next[0]));
	igen_mock_complete(next[0]);
	save(next[0], next[0]->tail);
	event(engine, COMPLETE_SWITCH, igen_mock_id_of(next[0]));
	igen_request_put(a[0]);
	a[0] = igen_mock_submit(test, ran, IGEN_BCS0);
	KUNIT_EXPECT_TRUE(test, a[0]->submitted);
	KUNIT_EXPECT_EQ(test, head_of(next[0]), next[0]->tail);

	for (i = 0; i < ARRAY_SIZE(next); i++) {
		igen_request_put(a[i]);
		igen_request_put(next[i]);
	}
	igen_request_put(b);
	igen_context_put(ran);
	igen_context_put(waited);
}

/** struct end - the end of a request */
struct end {
	/** @cb: with its fence */
	struct dma_fence_cb cb;
	/** @gdrst: what the reset register had then */
	u32 gdrst;
};

static void note_end(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct end *end = container_of(cb, struct end, cb);

	end->gdrst = igen_raw_read(to_igen_request(fence)->group->igen, GDRST);
}

/* A client that hears of a failed request may free its memory, which the engine must not write any more. */
static void failed_requests_have_left_the_engine(struct kunit *test)
{
	struct igen_engine *engine = the_engine(test);
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *rq = igen_mock_submit(test, ctx, IGEN_BCS0);
	struct end end = {};

	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	KUNIT_ASSERT_EQ(test, dma_fence_add_callback(&rq->fence, &end.cb, note_end), 0);
	igen_wedge(engine->igen, "a test");
	KUNIT_EXPECT_EQ(test, rq->fence.error, -EIO);
	KUNIT_EXPECT_TRUE(test, dma_fence_is_signaled(&rq->fence));
	KUNIT_EXPECT_EQ(test, end.gdrst, GDRST_FULL);

	unwind_all(engine->igen, false);
	igen_request_put(rq);
	igen_context_put(ctx);
}

static const char *no_name(struct dma_fence *fence)
{
	return "a test";
}

static DEFINE_SPINLOCK(foreign_lock);

static const struct dma_fence_ops foreign_ops = {
	.get_driver_name = no_name,
	.get_timeline_name = no_name,
};

/* Requests that become ready while the GPU is wedged fail, even if it works again at their turn. Later requests run. */
static void ready_while_wedged_fails(struct kunit *test)
{
	struct igen_engine *engine = the_engine(test);
	struct igen_context *ctx = igen_mock_context(test, 0), *late = igen_mock_context(test, 0);
	struct igen_request *held = igen_mock_request(test, ctx, IGEN_BCS0), *next;
	struct igen_device *igen = engine->igen;
	struct dma_fence fence;

	dma_fence_init(&fence, &foreign_ops, &foreign_lock, dma_fence_context_alloc(1), 1);
	KUNIT_ASSERT_EQ(test, igen_request_await(held, &fence), 0);
	igen_request_add(held);
	igen_wedge(igen, "a test");
	KUNIT_EXPECT_FALSE(test, held->queued || held->fence.error);

	/* The worker that fails it waits for the mutex. */
	mutex_lock(&igen->reset_mutex);
	dma_fence_signal(&fence);
	engine->props.heartbeat_interval_ms = 100000;
	unwind_all(igen, false);
	mutex_unlock(&igen->reset_mutex);
	flush_work(&igen->wedged_work);
	KUNIT_EXPECT_EQ(test, held->fence.error, -EIO);
	KUNIT_EXPECT_TRUE(test, held->submitted);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&engine->heartbeat));

	igen_heartbeat_stop(engine);
	next = igen_mock_submit(test, late, IGEN_BCS0);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&engine->heartbeat));
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	KUNIT_EXPECT_EQ(test, next->fence.error, 0);
	KUNIT_EXPECT_TRUE(test, next->submitted);
	igen_heartbeat_stop(engine);
	engine->props.heartbeat_interval_ms = 0;

	igen_mock_complete(held);
	igen_mock_complete(next);
	igen_request_put(held);
	igen_request_put(next);
	igen_context_put(ctx);
	igen_context_put(late);
	igen_mock_settle(igen);
	KUNIT_EXPECT_EQ(test, kref_read(&fence.refcount), 1u);
}

/* A request has completed and its context was not saved since, so the image would run it again. */
static void completed_requests_do_not_run_again(struct kunit *test)
{
	struct igen_engine *engine = the_engine(test);
	struct igen_context *first = igen_mock_context(test, 0), *second = igen_mock_context(test, 0);
	struct igen_request *a[2], *b, *more;
	struct igen_engine_state state;
	unsigned int stalled;

	for (stalled = 0; stalled < 2; stalled++) {
		a[0] = igen_mock_submit(test, first, IGEN_BCS0);
		a[1] = igen_mock_submit(test, first, IGEN_BCS0);
		b = igen_mock_submit(test, second, IGEN_BCS0);
		event(engine, CSB_IDLE_TO_ACTIVE, 0);
		event(engine, LITE, igen_mock_id_of(a[0]));
		/* The second context was preempted within its batch earlier. */
		save(b, b->head + 8);
		b->lrc->image.regs[OWN_DW] = CLIENTS_OWN;
		igen_mock_complete(a[0]);
		igen_mock_complete(a[1]);

		spin_lock_irq(&engine->group->lock);
		igen_execlists_ops.state(engine, false, &state);
		spin_unlock_irq(&engine->group->lock);
		KUNIT_EXPECT_NULL(test, state.active);
		igen_execlists_ops.reset_prepare(engine);
		reset_unwind_engine(engine, stalled);
		igen_execlists_ops.reset_finish(engine);

		/* b has not had the engine, so it goes on from its saved head and is not to blame. */
		KUNIT_EXPECT_EQ(test, b->fence.error, 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&second->guilty_count), 0);
		KUNIT_EXPECT_EQ(test, head_of(b), b->head + 8);
		KUNIT_EXPECT_EQ(test, b->lrc->image.regs[OWN_DW], CLIENTS_OWN);

		more = igen_mock_submit(test, first, IGEN_BCS0);
		event(engine, CSB_IDLE_TO_ACTIVE, 0);
		KUNIT_EXPECT_TRUE(test, more->submitted);
		KUNIT_EXPECT_EQ(test, head_of(more), more->head);
		event(engine, LITE, igen_mock_id_of(b));
		igen_mock_complete(b);
		event(engine, COMPLETE_SWITCH, igen_mock_id_of(b));
		save(more, more->tail);
		igen_mock_complete(more);
		event(engine, COMPLETE_IDLE, igen_mock_id_of(more));
		KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(engine));
		igen_request_put(a[0]);
		igen_request_put(a[1]);
		igen_request_put(b);
		igen_request_put(more);
	}
	igen_context_put(first);
	igen_context_put(second);
}

/* The completion event was lost: the request that the hardware went on to, and did not save, begins anew. */
static void unreported_requests_do_not_run_again(struct kunit *test)
{
	struct igen_engine *engine = the_engine(test);
	struct igen_context *first = igen_mock_context(test, 0), *second = igen_mock_context(test, 0);
	struct igen_request *a, *b[2];

	a = igen_mock_submit(test, first, IGEN_BCS0);
	b[0] = igen_mock_submit(test, second, IGEN_BCS0);
	b[1] = igen_mock_submit(test, second, IGEN_BCS0);
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	event(engine, LITE, igen_mock_id_of(a));
	igen_mock_complete(a);
	igen_mock_complete(b[0]);

	igen_execlists_ops.reset_prepare(engine);
	reset_unwind_engine(engine, false);
	igen_execlists_ops.reset_finish(engine);
	KUNIT_EXPECT_TRUE(test, b[1]->submitted);
	KUNIT_EXPECT_EQ(test, head_of(b[1]), b[1]->head);

	igen_request_put(a);
	igen_request_put(b[0]);
	igen_request_put(b[1]);
	igen_context_put(first);
	igen_context_put(second);
}

/* The hardware was reset: the suspect is guilty if the engine still was in it. */
static void reset_for(struct igen_engine *engine, const struct igen_suspect *suspect)
{
	igen_execlists_ops.reset_prepare(engine);
	engine->suspect = suspect;
	reset_unwind_engine(engine, true);
	engine->suspect = NULL;
	igen_execlists_ops.reset_finish(engine);
}

static void note(struct igen_engine *engine, struct igen_suspect *suspect)
{
	spin_lock_irq(&engine->group->lock);
	igen_suspect_note(engine, suspect);
	spin_unlock_irq(&engine->group->lock);
}

/* The suspect completes after all before the engine is stopped. The request that runs then is innocent. */
static void next_request_is_innocent(struct kunit *test)
{
	struct igen_engine *engine = the_engine(test);
	struct igen_context *slow = igen_mock_context(test, 0), *next = igen_mock_context(test, 0);
	struct igen_request *a[2], *b;
	struct igen_suspect suspect;

	a[0] = igen_mock_submit(test, slow, IGEN_BCS0);
	a[1] = igen_mock_submit(test, slow, IGEN_BCS0);
	b = igen_mock_submit(test, next, IGEN_BCS0);
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	event(engine, LITE, igen_mock_id_of(a[0]));

	/* The next of its own context. */
	note(engine, &suspect);
	KUNIT_EXPECT_PTR_EQ(test, suspect.rq, a[0]);
	KUNIT_EXPECT_FALSE(test, igen_suspect_is_over(engine, &suspect));
	igen_mock_complete(a[0]);
	KUNIT_EXPECT_TRUE(test, igen_suspect_is_over(engine, &suspect));
	reset_for(engine, &suspect);
	igen_suspect_drop(&suspect);
	KUNIT_EXPECT_EQ(test, a[1]->fence.error, 0);

	/* Another's. */
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	note(engine, &suspect);
	KUNIT_EXPECT_PTR_EQ(test, suspect.rq, a[1]);
	igen_mock_complete(a[1]);
	event(engine, COMPLETE_SWITCH, igen_mock_id_of(a[1]));
	KUNIT_EXPECT_TRUE(test, igen_suspect_is_over(engine, &suspect));
	reset_for(engine, &suspect);
	igen_suspect_drop(&suspect);
	KUNIT_EXPECT_EQ(test, b->fence.error, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&slow->guilty_count), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&next->guilty_count), 0);

	igen_request_put(a[0]);
	igen_request_put(a[1]);
	igen_request_put(b);
	igen_context_put(slow);
	igen_context_put(next);
}

/* A context that was preempted and came back does yield. A longer ring does not count as yielding. */
static void guilty_only_without_yielding(struct kunit *test)
{
	struct igen_engine *engine = the_engine(test);
	struct igen_context *ctx = igen_mock_context(test, 0), *urgent = igen_mock_context(test, 10);
	struct igen_request *rq = igen_mock_submit(test, ctx, IGEN_BCS0), *high, *more;
	struct igen_suspect suspect;
	int active;

	set_bit(IGEN_CONTEXT_RECOVERABLE, &ctx->flags);
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	note(engine, &suspect);
	high = igen_mock_submit(test, urgent, IGEN_BCS0);
	KUNIT_EXPECT_FALSE(test, igen_suspect_is_over(engine, &suspect));
	event(engine, CSB_PREEMPTED, igen_mock_id_of(rq));
	igen_mock_complete(high);
	event(engine, COMPLETE_SWITCH, igen_mock_id_of(high));
	KUNIT_EXPECT_TRUE(test, igen_suspect_is_over(engine, &suspect));
	reset_for(engine, &suspect);
	igen_suspect_drop(&suspect);
	KUNIT_EXPECT_EQ(test, rq->fence.error, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ctx->guilty_count), 0);

	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	note(engine, &suspect);
	more = igen_mock_submit(test, ctx, IGEN_BCS0);
	event(engine, LITE, igen_mock_id_of(rq));
	KUNIT_EXPECT_FALSE(test, igen_suspect_is_over(engine, &suspect));
	reset_for(engine, &suspect);
	/* Another finder's suspect: the engine was reset since. */
	KUNIT_EXPECT_TRUE(test, igen_suspect_is_over(engine, &suspect));
	igen_suspect_drop(&suspect);
	KUNIT_EXPECT_EQ(test, rq->fence.error, -EIO);
	KUNIT_EXPECT_EQ(test, more->fence.error, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ctx->guilty_count), 1);
	KUNIT_EXPECT_EQ(test, head_of(rq), rq->head);

	/* The engine is too slow even for what is left of the request. The batch has hung once all the same. */
	active = atomic_read(&ctx->active_count);
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	note(engine, &suspect);
	KUNIT_EXPECT_PTR_EQ(test, suspect.rq, rq);
	reset_for(engine, &suspect);
	igen_suspect_drop(&suspect);
	KUNIT_EXPECT_EQ(test, rq->fence.error, -EIO);
	KUNIT_EXPECT_EQ(test, more->fence.error, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ctx->guilty_count), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ctx->active_count), active);

	igen_request_put(rq);
	igen_request_put(high);
	igen_request_put(more);
	igen_context_put(ctx);
	igen_context_put(urgent);
}

static void no_text(struct work_struct *work)
{
}

/* Whether an error state that is made now has the request that runs. */
static bool is_captured(struct igen_engine *engine)
{
	struct igen_device *igen = engine->igen;
	struct igen_snapshot *snap;
	bool captured;

	mutex_lock(&igen->reset_mutex);
	igen_capture(igen, BIT(engine->info->id), "a test");
	mutex_unlock(&igen->reset_mutex);
	flush_work(&igen->error.work);
	snap = igen_capture_first(igen);
	captured = !IS_ERR_OR_NULL(snap) && snap->engine[engine->info->id].has_request;
	if (!IS_ERR_OR_NULL(snap))
		igen_snapshot_put(snap);
	igen_capture_clear(igen);
	return captured;
}

/* A request, and its context, may be freed right after it was found to run: no reference can be taken any more. */
static void retired_suspect_is_left_alone(struct kunit *test)
{
	struct igen_engine *engine = the_engine(test);
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *rq = igen_mock_submit(test, ctx, IGEN_BCS0);
	unsigned int count = kref_read(&ctx->ref);

	spin_lock_init(&engine->igen->error.lock);
	INIT_WORK(&engine->igen->error.work, no_text);
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	KUNIT_EXPECT_TRUE(test, is_captured(engine));

	refcount_set(&ctx->ref.refcount, 0);
	KUNIT_EXPECT_FALSE(test, is_captured(engine));
	KUNIT_EXPECT_EQ(test, kref_read(&ctx->ref), 0u);
	igen_execlists_ops.reset_prepare(engine);
	reset_unwind_engine(engine, true);
	KUNIT_EXPECT_EQ(test, kref_read(&ctx->ref), 0u);
	KUNIT_EXPECT_EQ(test, atomic_read(&ctx->guilty_count), 0);
	refcount_set(&ctx->ref.refcount, count);
	igen_execlists_ops.reset_finish(engine);
	KUNIT_EXPECT_EQ(test, rq->fence.error, 0);

	igen_request_put(rq);
	igen_context_put(ctx);
}

/* Each reset, also one that fails, clears fault registers: the next error state must not show an old fault. */
static void reset_clears_faults(struct kunit *test)
{
	const u32 fault = RING_FAULT_VALID | IGEN_PREP(RING_FAULT_SRCID_MASK, 5);
	struct igen_engine *engine = the_engine(test);
	struct igen_device *igen = engine->igen;

	igen_write(igen, RING_FAULT_REG, fault);
	mutex_lock(&igen->reset_mutex);
	/* Memory in place of registers gives no answer. */
	KUNIT_EXPECT_NE(test, igen_reset_engines(igen, BIT(IGEN_BCS0), 0, engine->info->reset_domain, false), 0);
	mutex_unlock(&igen->reset_mutex);
	KUNIT_EXPECT_EQ(test, igen_read(igen, RING_FAULT_REG), fault & ~RING_FAULT_VALID);
	igen_execlists_ops.reset_finish(engine);
}

static void no_event(struct work_struct *work)
{
}

/* Under the mutex uevents are only noted, in stock i915's order. No uevent says that the GPU works if it does not. */
static void uevents_follow_the_reset(struct kunit *test)
{
	static const u8 expected[] = { IGEN_UEVENT_HANG, IGEN_UEVENT_RESET };
	struct igen_device *igen = the_engine(test)->igen;
	unsigned int i;
	u8 what;

	INIT_WORK(&igen->uevent_work, no_event);
	mutex_lock(&igen->reset_mutex);
	KUNIT_EXPECT_NE(test, reset_gpu_locked(igen, 0, "a test"), 0);
	KUNIT_EXPECT_TRUE(test, kfifo_is_empty(&igen->uevents));
	unwind_all(igen, false);

	igen->drm.registered = true;
	KUNIT_EXPECT_NE(test, reset_gpu_locked(igen, 0, "a test"), 0);
	igen->drm.registered = false;
	mutex_unlock(&igen->reset_mutex);
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		what = U8_MAX;
		KUNIT_EXPECT_EQ(test, kfifo_get(&igen->uevents, &what), 1);
		KUNIT_EXPECT_EQ(test, what, expected[i]);
	}
	KUNIT_EXPECT_TRUE(test, kfifo_is_empty(&igen->uevents));
	unwind_all(igen, false);
}

static void say_where(struct igen_engine *engine, u32 status, u32 id)
{
	igen_write(engine->igen, RING_EXECLIST_STATUS_LO(engine->info->base), status);
	igen_write(engine->igen, RING_EXECLIST_STATUS_HI(engine->info->base), id);
}

static bool spares(struct igen_engine *engine, const struct igen_suspect *suspect)
{
	bool innocent;

	mutex_lock(&engine->igen->reset_mutex);
	innocent = igen_suspect_is_innocent(engine, suspect);
	mutex_unlock(&engine->igen->reset_mutex);
	return innocent;
}

/* EXECLIST_STATUS names another context: an event was lost. A suspect that stays so for ever is guilty all the same. */
static void suspect_elsewhere_is_innocent(struct kunit *test)
{
	const u32 runs = IGEN_PREP(EXECLIST_STATUS_ACTIVE_MASK, 1), full = EXECLIST_STATUS_QUEUE_FULL;
	struct igen_engine *engine = the_engine(test);
	struct igen_context *low = igen_mock_context(test, 0), *high = igen_mock_context(test, 100);
	struct igen_request *a = igen_mock_submit(test, low, IGEN_BCS0), *b;
	struct igen_suspect suspect;
	unsigned int i;

	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	b = igen_mock_submit(test, high, IGEN_BCS0);
	note(engine, &suspect);
	KUNIT_EXPECT_PTR_EQ(test, suspect.rq, a);

	/* The engine is in the context that its events say, and the new list waits. */
	say_where(engine, runs | full, igen_mock_id_of(a));
	KUNIT_EXPECT_FALSE(test, spares(engine, &suspect));
	/* The engine has taken the new list, is in the other context, or is in none. */
	say_where(engine, runs, igen_mock_id_of(a));
	KUNIT_EXPECT_TRUE(test, spares(engine, &suspect));
	say_where(engine, runs | full, igen_mock_id_of(b));
	for (i = 1; i < MAX_INNOCENT; i++)
		KUNIT_EXPECT_TRUE(test, spares(engine, &suspect));
	KUNIT_EXPECT_FALSE(test, spares(engine, &suspect));
	igen_suspect_drop(&suspect);

	/* Another suspect is another matter. */
	say_where(engine, runs, igen_mock_id_of(b));
	event(engine, CSB_PREEMPTED, igen_mock_id_of(a));
	note(engine, &suspect);
	KUNIT_EXPECT_PTR_EQ(test, suspect.rq, b);
	say_where(engine, 0, 0);
	KUNIT_EXPECT_TRUE(test, spares(engine, &suspect));
	say_where(engine, runs, igen_mock_id_of(b));
	KUNIT_EXPECT_FALSE(test, spares(engine, &suspect));
	igen_suspect_drop(&suspect);

	/* Nor is the error state for a context that is through, which the engine was not heard to leave. */
	igen_mock_complete(b);
	note(engine, &suspect);
	KUNIT_EXPECT_NULL(test, suspect.rq);
	say_where(engine, runs, igen_mock_id_of(b));
	KUNIT_EXPECT_FALSE(test, spares(engine, &suspect));
	say_where(engine, 0, 0);
	for (i = 0; i < MAX_INNOCENT; i++)
		KUNIT_EXPECT_TRUE(test, spares(engine, &suspect));
	KUNIT_EXPECT_FALSE(test, spares(engine, &suspect));

	igen_mock_complete(a);
	unwind_all(engine->igen, false);
	igen_request_put(a);
	igen_request_put(b);
	igen_context_put(low);
	igen_context_put(high);
}

/*
 * An event was lost. EXECLIST_STATUS names the context that the stopped engine is in: the context that it has left goes
 * on where it was saved, and the context that it is in begins anew and has the hang.
 */
static void status_register_decides(struct kunit *test)
{
	const u32 runs = IGEN_PREP(EXECLIST_STATUS_ACTIVE_MASK, 1);
	struct igen_engine *engine = the_engine(test);
	struct igen_context *low = igen_mock_context(test, 0), *high = igen_mock_context(test, 100);
	struct igen_request *a = igen_mock_submit(test, low, IGEN_BCS0), *b;
	struct igen_suspect suspect;

	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	b = igen_mock_submit(test, high, IGEN_BCS0);
	save(a, a->head + 8);
	save(b, b->head + 8);
	say_where(engine, runs, igen_mock_id_of(b));
	note(engine, &suspect);
	KUNIT_EXPECT_PTR_EQ(test, suspect.rq, a);
	reset_for(engine, &suspect);
	igen_suspect_drop(&suspect);
	KUNIT_EXPECT_EQ(test, head_of(a), a->head + 8);
	KUNIT_EXPECT_EQ(test, head_of(b), b->head);
	KUNIT_EXPECT_EQ(test, a->fence.error, 0);
	KUNIT_EXPECT_EQ(test, b->fence.error, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&low->active_count), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&high->active_count), 1);

	/* The engine is in the second context of its list, so the first one is over. */
	igen_mock_complete(b);
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	say_where(engine, runs, igen_mock_id_of(a));
	igen_execlists_ops.reset_prepare(engine);
	reset_unwind_engine(engine, false);
	igen_execlists_ops.reset_finish(engine);
	KUNIT_EXPECT_EQ(test, head_of(a), a->head);
	KUNIT_EXPECT_EQ(test, atomic_read(&low->active_count), 1);

	/* That it has begun was never told. This is no way out for a context that hangs. */
	set_bit(IGEN_CONTEXT_RECOVERABLE, &low->flags);
	note(engine, &suspect);
	KUNIT_EXPECT_PTR_EQ(test, suspect.rq, a);
	reset_for(engine, &suspect);
	igen_suspect_drop(&suspect);
	KUNIT_EXPECT_EQ(test, a->fence.error, -EIO);
	KUNIT_EXPECT_EQ(test, atomic_read(&low->guilty_count), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&high->guilty_count), 0);

	igen_mock_complete(a);
	unwind_all(engine->igen, false);
	igen_request_put(a);
	igen_request_put(b);
	igen_context_put(low);
	igen_context_put(high);
}

/* An event that arrives after EXECLIST_STATUS was read counts more than the register. */
static void late_events_count(struct kunit *test)
{
	const u32 runs = IGEN_PREP(EXECLIST_STATUS_ACTIVE_MASK, 1);
	struct igen_engine *engine = the_engine(test);
	struct igen_context *low = igen_mock_context(test, 0), *high = igen_mock_context(test, 100);
	struct igen_request *a = igen_mock_submit(test, low, IGEN_BCS0), *b;

	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	b = igen_mock_submit(test, high, IGEN_BCS0);
	save(a, a->head + 8);
	/* The engine does not stop: behind the more urgent one, where it is when reset, it would be in this. */
	say_where(engine, runs | EXECLIST_STATUS_QUEUE_FULL, igen_mock_id_of(a));
	igen_execlists_ops.reset_prepare(engine);
	event(engine, CSB_PREEMPTED, igen_mock_id_of(a));
	reset_unwind_engine(engine, false);
	igen_execlists_ops.reset_finish(engine);
	KUNIT_EXPECT_EQ(test, atomic_read(&low->active_count), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&high->active_count), 1);
	KUNIT_EXPECT_EQ(test, head_of(a), a->head + 8);

	igen_mock_complete(b);
	igen_mock_complete(a);
	say_where(engine, 0, 0);
	unwind_all(engine->igen, false);
	igen_request_put(a);
	igen_request_put(b);
	igen_context_put(low);
	igen_context_put(high);
}

static bool is_at_rest(struct igen_engine *engine)
{
	bool idle;

	spin_lock_irq(&engine->group->lock);
	idle = igen_execlists_ops.idle(engine);
	spin_unlock_irq(&engine->group->lock);
	return idle;
}

/* Wedging empties the ports, so contexts keep neither memory nor the GT awake; unless the engines do not stop. */
static void wedging_empties_the_ports(struct kunit *test)
{
	struct igen_engine *engine = the_engine(test);
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *rq;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		rq = igen_mock_submit(test, ctx, IGEN_BCS0);
		event(engine, CSB_IDLE_TO_ACTIVE, 0);
		hardware_answers = i;
		igen_wedge(engine->igen, "a test");
		hardware_answers = false;
		KUNIT_EXPECT_EQ(test, rq->fence.error, -EIO);
		KUNIT_EXPECT_EQ(test, is_at_rest(engine), i == 1);
		unwind_all(engine->igen, false);
		KUNIT_EXPECT_TRUE(test, is_at_rest(engine));
		igen_request_put(rq);
	}
	igen_context_put(ctx);
}

static void nothing(struct work_struct *work)
{
}

/* Runs the worker here: queued, it might run a second time before it is cancelled, if the machine is slow. */
static void retire_once(struct igen_device *igen)
{
	igen->retire_work.work.func(&igen->retire_work.work);
	cancel_delayed_work_sync(&igen->retire_work);
}

/* A reset waits for an engine that still runs, not for the lost event that says it is idle. */
static void lost_idle_event_is_found(struct kunit *test)
{
	const u32 runs = IGEN_PREP(EXECLIST_STATUS_ACTIVE_MASK, 1);
	struct igen_engine *engine = the_engine(test);
	struct igen_device *igen = engine->igen;
	struct igen_context *ctx = igen_mock_context(test, 0);
	unsigned int resets = engine->resets, i;
	struct igen_request *rq;

	igen_retire_init(igen);
	rq = igen_mock_submit(test, ctx, IGEN_BCS0);
	cancel_delayed_work_sync(&igen->retire_work);
	igen->params.reset = 2;
	hardware_answers = true;
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	igen_mock_complete(rq);
	/* The engine is still saving the context, however long that takes. */
	say_where(engine, runs, igen_mock_id_of(rq));
	for (i = 0; i < 3; i++)
		retire_once(igen);
	KUNIT_EXPECT_EQ(test, engine->resets, resets);
	KUNIT_EXPECT_FALSE(test, is_at_rest(engine));

	say_where(engine, 0, 0);
	retire_once(igen);
	KUNIT_EXPECT_EQ(test, engine->resets, resets);
	retire_once(igen);
	KUNIT_EXPECT_EQ(test, engine->resets, resets + 1);
	KUNIT_EXPECT_TRUE(test, is_at_rest(engine));
	retire_once(igen);
	KUNIT_EXPECT_EQ(test, engine->resets, resets + 1);
	KUNIT_EXPECT_EQ(test, rq->fence.error, 0);

	/* The mock's end retires by itself. */
	INIT_DELAYED_WORK(&igen->retire_work, nothing);
	hardware_answers = false;
	igen->params.reset = 0;
	igen_request_put(rq);
	igen_context_put(ctx);
}

/* Without room for a pulse the running context may be innocent. A context that must end is ended all the same. */
static void no_blame_without_a_pulse(struct kunit *test)
{
	struct igen_engine *engine = the_engine(test);
	struct igen_context *good = igen_mock_context(test, 0), *over = igen_mock_context(test, 0);
	struct igen_context *pulses = igen_mock_context(test, 0);
	struct igen_request *a = igen_mock_submit(test, good, IGEN_BCS0), *b, *pulse;
	unsigned int n;

	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	b = igen_mock_submit(test, over, IGEN_BCS0);
	event(engine, LITE, igen_mock_id_of(a));
	set_bit(IGEN_CONTEXT_BANNED, &over->flags);

	pulses->engines[0] = pulses->engines[IGEN_BCS0];
	__set_bit(IGEN_CONTEXT_DRIVER, &pulses->flags);
	igen_mock_lrc(test, pulses, 0);
	for (n = 0; n < 1000; n++) {
		pulse = igen_request_create_pulse(pulses->engines[0].lrc);
		if (IS_ERR(pulse))
			break;
		igen_request_add(pulse);
		igen_request_put(pulse);
	}
	KUNIT_ASSERT_LT(test, n, 1000u);
	engine->kernel_context = pulses;
	engine->igen->params.reset = 2;
	hardware_answers = true;
	igen_heartbeat_evict(engine);
	hardware_answers = false;
	engine->igen->params.reset = 0;
	engine->kernel_context = NULL;

	KUNIT_EXPECT_EQ(test, a->fence.error, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&good->guilty_count), 0);
	KUNIT_EXPECT_EQ(test, head_of(a), a->head);
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	igen_mock_complete(a);
	event(engine, COMPLETE_SWITCH, igen_mock_id_of(a));
	KUNIT_EXPECT_EQ(test, b->fence.error, -EIO);

	igen_request_put(a);
	igen_request_put(b);
	igen_context_put(good);
	igen_context_put(over);
	igen_context_put(pulses);
}

/* The process and the user owe the time since the engine came to the request that hung; for an innocent one nothing. */
static void a_hang_costs_its_process(struct kunit *test)
{
	struct igen_engine *engine = the_engine(test);
	struct igen_client *client = igen_mock_client(test);
	struct igen_share *share = client->share[IGEN_BCS0].above;
	struct igen_context *ctx = igen_mock_context(test, 0);
	unsigned long before = jiffies;
	struct igen_request *rq;

	KUNIT_ASSERT_EQ(test, 0, igen_lrc_record_default(igen_mock_lrc(test, ctx, IGEN_BCS0)));
	igen_client_add_context(client, ctx);
	rq = igen_mock_submit(test, ctx, IGEN_BCS0);
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	to_execlists(engine)->since = jiffies - HZ;
	unwind_all(engine->igen, false);
	KUNIT_EXPECT_FALSE(test, rq->hung || share->owes);

	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	to_execlists(engine)->since = jiffies - HZ;
	unwind_all(engine->igen, true);
	KUNIT_EXPECT_TRUE(test, rq->hung);
	for (; share->above; share = share->above) {
		KUNIT_EXPECT_TRUE(test, share->owes);
		KUNIT_EXPECT_TRUE(test, time_after_eq(share->owes_until, before + HZ));
	}
	event(engine, CSB_IDLE_TO_ACTIVE, 0);
	igen_mock_complete(rq);
	event(engine, COMPLETE_IDLE, igen_mock_id_of(rq));
	igen_request_put(rq);
	igen_context_put(ctx);
	igen_client_put(client);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(failed_requests_do_not_run_again),
	KUNIT_CASE(failed_requests_have_left_the_engine),
	KUNIT_CASE(ready_while_wedged_fails),
	KUNIT_CASE(completed_requests_do_not_run_again),
	KUNIT_CASE(unreported_requests_do_not_run_again),
	KUNIT_CASE(next_request_is_innocent),
	KUNIT_CASE(guilty_only_without_yielding),
	KUNIT_CASE(retired_suspect_is_left_alone),
	KUNIT_CASE(suspect_elsewhere_is_innocent),
	KUNIT_CASE(status_register_decides),
	KUNIT_CASE(late_events_count),
	KUNIT_CASE(wedging_empties_the_ports),
	KUNIT_CASE(lost_idle_event_is_found),
	KUNIT_CASE(no_blame_without_a_pulse),
	KUNIT_CASE(reset_clears_faults),
	KUNIT_CASE(uevents_follow_the_reset),
	KUNIT_CASE(a_hang_costs_its_process),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_reset",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_execlists,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
