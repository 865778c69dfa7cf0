// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of waits that engines do themselves
 *
 * With the real backend, which writes into memory: the tests say what the hardware would. The blitter has what is
 * waited for, the render engine waits.
 */
#include <igen/cmd/mi.h>
#include <igen/regs/context.h>
#include <igen/regs/engine.h>
#include <igen/regs/irq.h>

#include "../submit/igen_execlists.h"
#include "../submit/igen_retire.h"
#include "igen_mock.h"

#define WAIT_COMMAND	(MI_SEMAPHORE_WAIT | MI_SEMAPHORE_GGTT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GTE_SDD)

/* What tests of this file share. */
struct sema_test {
	struct igen_engine *rcs, *bcs;
	/* The signaler's context, the waiter's, and another one. */
	struct igen_context *signals, *waits, *other;
	/* The signaler, which the blitter runs. */
	struct igen_request *from;
};

static void event(struct igen_engine *engine, u32 status, u32 id)
{
	igen_mock_put_event(engine, status, id);
	engine->igen->platform->submit->irq(engine, GT_IRQ_CONTEXT_SWITCH);
}

static void completes(struct igen_request *rq)
{
	WRITE_ONCE(*(u32 *)rq->hwsp_seqno, lower_32_bits(rq->fence.seqno));
}

/* The request completes, and its engine interrupts if there is a listener. */
static void completes_and_tells(struct igen_request *rq)
{
	completes(rq);
	igen_breadcrumbs_signal(rq->engine);
}

static void settle(struct sema_test *t)
{
	irq_work_sync(&t->rcs->exec_work);
	irq_work_sync(&t->bcs->exec_work);
}

static struct sema_test *start(struct kunit *test)
{
	struct sema_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine;
	unsigned int id;

	KUNIT_ASSERT_NOT_NULL(test, t);
	for_each_engine(mock->igen, id, engine)
		KUNIT_ASSERT_EQ(test, 0, mock->platform.submit->resume(engine));
	t->rcs = mock->igen->engine[IGEN_RCS0];
	t->bcs = mock->igen->engine[IGEN_BCS0];
	t->signals = igen_mock_context(test, 0);
	t->waits = igen_mock_context(test, 0);
	t->other = igen_mock_context(test, -5);
	t->from = igen_mock_submit(test, t->signals, IGEN_BCS0);
	event(t->bcs, CSB_IDLE_TO_ACTIVE, 0);
	KUNIT_EXPECT_TRUE(test, t->from->submitted);
	return t;
}

static void end(struct kunit *test, struct sema_test *t)
{
	settle(t);
	igen_request_put(t->from);
	igen_context_put(t->signals);
	igen_context_put(t->waits);
	igen_context_put(t->other);
}

static struct igen_request *submit_after(struct kunit *test, struct igen_context *ctx, struct igen_request *from)
{
	struct igen_request *rq = igen_mock_request(test, ctx, IGEN_RCS0);

	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &from->fence));
	igen_request_add(rq);
	return rq;
}

static void expect_wait(struct kunit *test, const struct igen_request *rq, const struct igen_request *from)
{
	const u32 *cs = rq->lrc->ring.vaddr + rq->head;

	KUNIT_EXPECT_EQ(test, cs[0], WAIT_COMMAND);
	KUNIT_EXPECT_EQ(test, cs[1], lower_32_bits(from->fence.seqno));
	KUNIT_EXPECT_EQ(test, cs[2], lower_32_bits(igen_vma_start(from->lrc->image.vma)) +
				     from->lrc->engine->info->context_pages * 4096u);
	KUNIT_EXPECT_EQ(test, cs[3], 0u);
	KUNIT_EXPECT_EQ(test, rq->infix, rq->head + 4 * rq->engine->emit->semaphore_dw);
}

static bool waits(struct igen_request *rq)
{
	bool yes;

	spin_lock_irq(&rq->group->lock);
	yes = igen_semaphore_waits(rq);
	spin_unlock_irq(&rq->group->lock);
	return yes;
}

/* The engine gets the request before its dependency has completed, and no interrupt is enabled. */
static void engine_waits(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *rq = submit_after(test, t->waits, t->from);

	KUNIT_EXPECT_TRUE(test, rq->submitted);
	KUNIT_EXPECT_TRUE(test, waits(rq));
	expect_wait(test, rq, t->from);
	KUNIT_EXPECT_FALSE(test, t->from->signal_listed);
	KUNIT_EXPECT_FALSE(test, t->bcs->group->irq_armed);
	event(t->rcs, CSB_IDLE_TO_ACTIVE, 0);

	completes(t->from);
	KUNIT_EXPECT_FALSE(test, waits(rq));
	KUNIT_EXPECT_TRUE(test, rq->submitted);
	completes(rq);
	event(t->rcs, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, igen_mock_id_of(rq));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->rcs));
	igen_request_put(rq);
	end(test, t);
}

/* A seqno that an engine may still poll stays in the GGTT, however long ago it was written. */
static void awaited_seqno_stays_mapped(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *rq = submit_after(test, t->waits, t->from);
	struct igen_lrc *lrc = t->from->lrc;

	completes(t->from);
	event(t->bcs, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, igen_mock_id_of(t->from));
	igen_evict_contexts(t->bcs->igen);
	KUNIT_EXPECT_TRUE(test, list_empty(&lrc->timeline.requests));
	KUNIT_EXPECT_TRUE(test, lrc->pinned);

	event(t->rcs, CSB_IDLE_TO_ACTIVE, 0);
	completes(rq);
	event(t->rcs, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, igen_mock_id_of(rq));
	/* What it has waited for is forgotten when it is retired. */
	igen_retire(t->bcs->igen);
	igen_evict_contexts(t->bcs->igen);
	KUNIT_EXPECT_FALSE(test, lrc->pinned);
	igen_request_put(rq);
	end(test, t);
}

/* Later requests of its context follow it, and so does a second wait for the signaler's context. */
static void later_requests_of_the_context_follow(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *rq = submit_after(test, t->waits, t->from), *behind, *later, *last;

	behind = igen_mock_submit(test, t->waits, IGEN_RCS0);
	event(t->rcs, CSB_IDLE_TO_ACTIVE, 0);
	KUNIT_EXPECT_TRUE(test, behind->submitted);
	later = igen_mock_submit(test, t->signals, IGEN_BCS0);
	event(t->bcs, CSB_PREEMPTED | CSB_LITE_RESTORE, igen_mock_id_of(later));
	event(t->rcs, CSB_PREEMPTED | CSB_LITE_RESTORE, igen_mock_id_of(rq));
	last = submit_after(test, t->waits, later);
	settle(t);
	KUNIT_EXPECT_TRUE(test, last->submitted && waits(last));
	expect_wait(test, last, later);

	igen_request_put(rq);
	igen_request_put(behind);
	igen_request_put(later);
	igen_request_put(last);
	end(test, t);
}

/* While the signaler has not started, the scheduler alone holds its waiters back. */
static void no_semaphore_before_the_start(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *busy = igen_mock_submit(test, t->other, IGEN_BCS0), *late, *rq;

	/* The list of these two is not acknowledged, so the third one stays in the queue. */
	late = igen_mock_submit(test, t->waits, IGEN_BCS0);
	KUNIT_EXPECT_FALSE(test, late->started);
	rq = igen_mock_request(test, t->signals, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &late->fence));
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&rq->pending));
	igen_request_add(rq);
	KUNIT_EXPECT_FALSE(test, rq->queued || rq->submitted);

	completes(t->from);
	event(t->bcs, CSB_PREEMPTED | CSB_LITE_RESTORE, igen_mock_id_of(t->from));
	event(t->bcs, CSB_CONTEXT_COMPLETE | CSB_ELEMENT_SWITCH, igen_mock_id_of(t->from));
	settle(t);
	KUNIT_EXPECT_TRUE(test, late->started);
	KUNIT_EXPECT_TRUE(test, rq->submitted);
	KUNIT_EXPECT_TRUE(test, waits(rq));

	igen_request_put(busy);
	igen_request_put(late);
	igen_request_put(rq);
	end(test, t);
}

/*
 * A ring has one MI_SEMAPHORE_WAIT, for the last awaited request of one timeline. The CPU waits for requests of other
 * timelines.
 */
static void one_wait_for_the_last(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *last, *third, *rq;

	last = igen_mock_submit(test, t->signals, IGEN_BCS0);
	third = igen_mock_submit(test, t->other, IGEN_VECS0);
	rq = igen_mock_request(test, t->waits, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &t->from->fence));
	expect_wait(test, rq, t->from);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &last->fence));
	expect_wait(test, rq, last);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &t->from->fence));
	expect_wait(test, rq, last);
	KUNIT_EXPECT_FALSE(test, third->signal_listed);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &third->fence));
	KUNIT_EXPECT_TRUE(test, third->signal_listed);
	expect_wait(test, rq, last);
	igen_request_add(rq);
	KUNIT_EXPECT_FALSE(test, rq->queued || rq->submitted);
	completes_and_tells(third);
	settle(t);

	igen_request_put(last);
	igen_request_put(third);
	igen_request_put(rq);
	end(test, t);
}

static void waits_by_the_cpu(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *rq;

	/* On the same engine. */
	rq = igen_mock_request(test, t->waits, IGEN_BCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &t->from->fence));
	KUNIT_EXPECT_NULL(test, rq->semaphore);
	igen_request_cancel(rq, -EINTR);
	igen_request_put(rq);

	/* Once the batch is there. */
	rq = igen_mock_request(test, t->waits, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_emit_batch(rq, 0x1000, 0));
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &t->from->fence));
	KUNIT_EXPECT_NULL(test, rq->semaphore);
	igen_request_cancel(rq, -EINTR);
	igen_request_put(rq);

	/* Where others of the class may want the engine. */
	rq = igen_mock_request(test, t->waits, IGEN_RCS0);
	t->rcs->group->num_engines = 2;
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &t->from->fence));
	t->rcs->group->num_engines = 1;
	KUNIT_EXPECT_NULL(test, rq->semaphore);
	igen_request_cancel(rq, -EINTR);
	igen_request_put(rq);

	completes_and_tells(t->from);
	/* Awaiting a completed request adds neither a semaphore wait nor a fence callback. */
	rq = igen_mock_request(test, t->waits, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &t->from->fence));
	KUNIT_EXPECT_NULL(test, rq->semaphore);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&rq->pending));
	igen_request_cancel(rq, -EINTR);
	igen_request_put(rq);
	end(test, t);
}

/* On a busy engine the request is held back until the CPU sees the signaler's end. */
static void no_semaphore_on_a_busy_engine(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *busy = igen_mock_submit(test, t->other, IGEN_RCS0), *rq;

	event(t->rcs, CSB_IDLE_TO_ACTIVE, 0);
	rq = submit_after(test, t->waits, t->from);
	settle(t);
	KUNIT_EXPECT_FALSE(test, rq->queued || rq->submitted);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&rq->pending));
	KUNIT_EXPECT_TRUE(test, t->from->signal_listed);
	KUNIT_EXPECT_TRUE(test, busy->submitted);

	completes_and_tells(t->from);
	/* rq is more urgent than busy, so it is submitted at once. */
	KUNIT_EXPECT_TRUE(test, rq->submitted);
	event(t->rcs, CSB_PREEMPTED, igen_mock_id_of(busy));
	KUNIT_EXPECT_TRUE(test, rq->submitted && busy->submitted);

	igen_request_put(busy);
	igen_request_put(rq);
	end(test, t);
}

/* Another request, even a less urgent one, gets the engine. The waiting request comes back when the CPU queues it. */
static void semaphore_yields_to_others(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *rq = submit_after(test, t->waits, t->from), *behind, *comes;

	behind = igen_mock_submit(test, t->waits, IGEN_RCS0);
	event(t->rcs, CSB_IDLE_TO_ACTIVE, 0);
	KUNIT_EXPECT_TRUE(test, behind->submitted);
	event(t->rcs, CSB_PREEMPTED | CSB_LITE_RESTORE, igen_mock_id_of(rq));
	comes = igen_mock_submit(test, t->other, IGEN_RCS0);
	KUNIT_EXPECT_TRUE(test, comes->submitted);
	/* The hardware may still go on with it. */
	KUNIT_EXPECT_TRUE(test, rq->queued && behind->queued);
	event(t->rcs, CSB_PREEMPTED, igen_mock_id_of(rq));
	/* Now it can't. */
	KUNIT_EXPECT_FALSE(test, rq->queued || rq->submitted || behind->queued || behind->submitted);
	KUNIT_EXPECT_PTR_EQ(test, list_first_entry(&rq->lrc->held, struct igen_request, link), rq);
	KUNIT_EXPECT_PTR_EQ(test, list_last_entry(&rq->lrc->held, struct igen_request, link), behind);
	settle(t);
	KUNIT_EXPECT_TRUE(test, t->from->signal_listed);

	completes_and_tells(t->from);
	KUNIT_EXPECT_TRUE(test, rq->submitted && behind->submitted);
	event(t->rcs, CSB_PREEMPTED, igen_mock_id_of(comes));
	completes(rq);
	completes(behind);
	event(t->rcs, CSB_CONTEXT_COMPLETE | CSB_ELEMENT_SWITCH, igen_mock_id_of(rq));
	completes(comes);
	event(t->rcs, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, igen_mock_id_of(comes));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->rcs));

	igen_request_put(rq);
	igen_request_put(behind);
	igen_request_put(comes);
	end(test, t);
}

/*
 * A semaphore wait that is fulfilled while the request is preempted: the request becomes like any other and goes on
 * behind the requests that came.
 */
static void released_while_it_yields(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *rq = submit_after(test, t->waits, t->from), *comes;

	event(t->rcs, CSB_IDLE_TO_ACTIVE, 0);
	comes = igen_mock_submit(test, t->other, IGEN_RCS0);
	completes(t->from);
	event(t->rcs, CSB_PREEMPTED, igen_mock_id_of(rq));
	KUNIT_EXPECT_TRUE(test, rq->submitted && comes->submitted);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&rq->pending));
	KUNIT_EXPECT_FALSE(test, t->from->signal_listed);

	igen_request_put(rq);
	igen_request_put(comes);
	end(test, t);
}

/* The request completes while it is being preempted, so it is not submitted again. */
static void completes_while_it_yields(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *rq = submit_after(test, t->waits, t->from), *comes;

	event(t->rcs, CSB_IDLE_TO_ACTIVE, 0);
	comes = igen_mock_submit(test, t->other, IGEN_RCS0);
	KUNIT_EXPECT_TRUE(test, rq->queued);
	completes(t->from);
	completes(rq);
	event(t->rcs, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, igen_mock_id_of(rq));
	event(t->rcs, CSB_IDLE_TO_ACTIVE, 0);
	completes(comes);
	event(t->rcs, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, igen_mock_id_of(comes));
	spin_lock_irq(&t->rcs->group->lock);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->rcs->inflight));
	spin_unlock_irq(&t->rcs->group->lock);

	igen_request_put(rq);
	igen_request_put(comes);
	end(test, t);
}

/* Earlier requests of its context go on, and the other request runs once the engine has come to the wait. */
static void earlier_requests_go_on(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *before = igen_mock_submit(test, t->waits, IGEN_RCS0), *rq, *comes;
	struct igen_device *igen = t->rcs->igen;

	t->rcs->props.timeslice_duration_ms = MSEC_PER_SEC * 3600;
	event(t->rcs, CSB_IDLE_TO_ACTIVE, 0);
	rq = submit_after(test, t->waits, t->from);
	KUNIT_EXPECT_TRUE(test, rq->submitted);
	event(t->rcs, CSB_PREEMPTED | CSB_LITE_RESTORE, igen_mock_id_of(rq));
	KUNIT_EXPECT_FALSE(test, igen_read(igen, GT_IER(0)) & GT_IRQ_WAIT_SEMAPHORE);
	comes = igen_mock_submit(test, t->other, IGEN_RCS0);
	/* The tail does not go back under the hardware. */
	KUNIT_EXPECT_TRUE(test, before->submitted && rq->submitted && comes->submitted);
	event(t->rcs, CSB_PREEMPTED | CSB_LITE_RESTORE, igen_mock_id_of(before));
	KUNIT_EXPECT_TRUE(test, before->submitted && rq->submitted && comes->submitted);
	completes(before);
	/* The engine tells that it waits now; should that get lost, the timer looks soon, however long slices are. */
	KUNIT_EXPECT_TRUE(test, igen_read(igen, GT_IER(0)) & GT_IRQ_WAIT_SEMAPHORE);
	KUNIT_EXPECT_TRUE(test, time_before_eq(to_execlists(t->rcs)->slice_due, jiffies + 1));
	igen->platform->submit->irq(t->rcs, GT_IRQ_WAIT_SEMAPHORE);
	KUNIT_EXPECT_TRUE(test, rq->queued && comes->submitted);
	event(t->rcs, CSB_PREEMPTED, igen_mock_id_of(rq));
	KUNIT_EXPECT_FALSE(test, rq->queued || rq->submitted);
	settle(t);
	completes_and_tells(t->from);
	KUNIT_EXPECT_TRUE(test, rq->submitted);

	igen_request_put(before);
	igen_request_put(rq);
	igen_request_put(comes);
	end(test, t);
}

/* Only one of two requests that wait on semaphores has the engine. */
static void one_semaphore_wait_at_a_time(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *more = igen_mock_submit(test, t->waits, IGEN_VECS0), *one, *two;

	one = submit_after(test, t->waits, t->from);
	two = submit_after(test, t->other, more);
	settle(t);
	KUNIT_EXPECT_TRUE(test, one->submitted);
	KUNIT_EXPECT_FALSE(test, two->queued || two->submitted);
	event(t->rcs, CSB_IDLE_TO_ACTIVE, 0);
	/* The wait of @two ends first, so @two gets the engine. */
	completes_and_tells(more);
	KUNIT_EXPECT_TRUE(test, two->submitted);
	KUNIT_EXPECT_FALSE(test, one->submitted);

	igen_request_put(more);
	igen_request_put(one);
	igen_request_put(two);
	end(test, t);
}

/* A raised request raises the request that it waits for, even if that has started. */
static void started_dependency_is_raised(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_context *urgent = igen_mock_context(test, 10);
	struct igen_request *rq = submit_after(test, t->waits, t->from), *high;

	KUNIT_EXPECT_EQ(test, t->from->priority, 0);
	high = igen_mock_request(test, urgent, IGEN_VCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(high, &rq->fence));
	igen_request_add(high);
	KUNIT_EXPECT_EQ(test, rq->priority, 10);
	KUNIT_EXPECT_EQ(test, t->from->priority, 10);

	igen_request_put(rq);
	igen_request_put(high);
	igen_context_put(urgent);
	end(test, t);
}

/* A skipped or cancelled request still waits, so that it does not complete too early. */
static void skipped_request_waits(struct kunit *test)
{
	struct sema_test *t = start(test);
	struct igen_request *rq = igen_mock_request(test, t->waits, IGEN_RCS0);
	const u32 *ring = rq->lrc->ring.vaddr;
	u32 n, left = 0;

	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &t->from->fence));
	KUNIT_EXPECT_EQ(test, 0, igen_request_emit_batch(rq, 0x1000, 0));
	igen_request_add(rq);
	spin_lock_irq(&t->rcs->group->lock);
	igen_request_skip(rq, -EIO);
	spin_unlock_irq(&t->rcs->group->lock);
	expect_wait(test, rq, t->from);
	for (n = rq->infix; n < rq->postfix; n += 4)
		left += ring[n / 4];
	KUNIT_EXPECT_EQ(test, left, 0u);
	KUNIT_EXPECT_GT(test, rq->postfix, rq->infix);
	igen_request_put(rq);

	rq = igen_mock_request(test, t->waits, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &t->from->fence));
	KUNIT_EXPECT_EQ(test, 0, igen_request_emit_batch(rq, 0x1000, 0));
	igen_request_cancel(rq, -EINTR);
	expect_wait(test, rq, t->from);
	KUNIT_EXPECT_EQ(test, rq->postfix, rq->infix);
	igen_request_put(rq);
	end(test, t);
}

/* A seqno that an engine may still poll stays mapped, even when all references to its request are gone. */
static void seqno_of_a_signaler_stays(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct sema_test *t = start(test);
	struct igen_lrc *lrc = t->from->lrc;
	struct igen_request *rq;

	rq = submit_after(test, t->waits, t->from);
	igen_lrc_get(lrc);
	completes(t->from);
	event(t->bcs, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, igen_mock_id_of(t->from));
	igen_context_put(t->signals);
	t->signals = NULL;
	igen_mock_settle(mock->igen);
	KUNIT_EXPECT_EQ(test, kref_read(&lrc->ref), 2u);

	event(t->rcs, CSB_IDLE_TO_ACTIVE, 0);
	completes(rq);
	event(t->rcs, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, igen_mock_id_of(rq));
	igen_mock_settle(mock->igen);
	KUNIT_EXPECT_EQ(test, kref_read(&lrc->ref), 1u);
	igen_lrc_put(lrc);
	igen_request_put(rq);
	end(test, t);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(engine_waits),
	KUNIT_CASE(awaited_seqno_stays_mapped),
	KUNIT_CASE(later_requests_of_the_context_follow),
	KUNIT_CASE(no_semaphore_before_the_start),
	KUNIT_CASE(one_wait_for_the_last),
	KUNIT_CASE(waits_by_the_cpu),
	KUNIT_CASE(no_semaphore_on_a_busy_engine),
	KUNIT_CASE(semaphore_yields_to_others),
	KUNIT_CASE(released_while_it_yields),
	KUNIT_CASE(completes_while_it_yields),
	KUNIT_CASE(earlier_requests_go_on),
	KUNIT_CASE(one_semaphore_wait_at_a_time),
	KUNIT_CASE(started_dependency_is_raised),
	KUNIT_CASE(skipped_request_waits),
	KUNIT_CASE(seqno_of_a_signaler_stays),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_semaphore",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_execlists,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
