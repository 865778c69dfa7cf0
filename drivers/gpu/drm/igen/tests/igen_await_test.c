// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of waits: for fences that are not the device's, of many requests for one, and for idle engines
 */
#include <linux/delay.h>
#include <linux/sched/signal.h>

#include "igen_mock.h"
#include "../submit/igen_reset.h"
#include "../submit/igen_retire.h"

/* Much longer than a test. */
#define LONG_MS		1000000
/* For what comes by itself: tries of a few ms each. */
#define TRIES		5000

static struct igen_request *submit_after(struct kunit *test, enum igen_engine_id id, struct dma_fence *fence)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *rq = igen_mock_request(test, ctx, id);

	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, fence));
	igen_request_add(rq);
	igen_context_put(ctx);
	return rq;
}

static struct igen_wait *wait_of(struct igen_request *rq)
{
	return list_first_entry(&rq->waits, struct igen_wait, link);
}

static bool has_timer(struct igen_request *rq)
{
	struct igen_wait *wait = wait_of(rq);

	return wait->foreign && timer_pending(&container_of(wait, struct igen_foreign_wait, base)->timer);
}

static bool comes_to_be_queued(struct igen_request *rq)
{
	unsigned int i;

	for (i = 0; i < TRIES && !READ_ONCE(rq->queued); i++)
		usleep_range(1000, 2000);
	return READ_ONCE(rq->queued);
}

/* The request runs in the end and reports the timeout; the fence that signals later finds no wait. */
static void waits_no_longer(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_mock_foreign foreign;
	struct dma_fence *fence = igen_mock_foreign_init(&foreign, dma_fence_context_alloc(1), 1);
	struct igen_request *rq, *failed;

	mock->igen->params.fence_timeout_ms = 1;
	rq = submit_after(test, IGEN_BCS0, fence);
	failed = submit_after(test, IGEN_BCS0, fence);
	KUNIT_EXPECT_TRUE(test, comes_to_be_queued(rq));
	KUNIT_EXPECT_TRUE(test, comes_to_be_queued(failed));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	KUNIT_EXPECT_EQ(test, rq->fence.error, -ETIMEDOUT);
	KUNIT_EXPECT_FALSE(test, igen_request_is_skipped(rq));

	/* A fatal error replaces the timeout. */
	igen_request_skip(failed, -EIO);
	KUNIT_EXPECT_EQ(test, failed->fence.error, -EIO);
	KUNIT_EXPECT_TRUE(test, igen_request_is_skipped(failed));

	igen_mock_complete(rq);
	igen_mock_complete(failed);
	igen_request_put(rq);
	igen_request_put(failed);
	igen_mock_settle(mock->igen);
	KUNIT_EXPECT_EQ(test, kref_read(&fence->refcount), 1u);
	KUNIT_EXPECT_TRUE(test, list_empty(&fence->cb_list));
	dma_fence_signal(fence);
}

/* The usual case: nothing is left of the timer. */
static void signals_in_time(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_mock_foreign foreign;
	struct dma_fence *fence = igen_mock_foreign_init(&foreign, dma_fence_context_alloc(1), 1);
	struct igen_request *rq;

	mock->igen->params.fence_timeout_ms = LONG_MS;
	rq = submit_after(test, IGEN_BCS0, fence);
	KUNIT_EXPECT_TRUE(test, has_timer(rq));
	KUNIT_EXPECT_FALSE(test, rq->queued);
	dma_fence_signal(fence);
	KUNIT_EXPECT_FALSE(test, has_timer(rq));
	KUNIT_EXPECT_TRUE(test, rq->queued);
	KUNIT_EXPECT_EQ(test, rq->fence.error, 0);

	igen_mock_complete(rq);
	igen_request_put(rq);
	igen_mock_settle(mock->igen);
	KUNIT_EXPECT_EQ(test, kref_read(&fence->refcount), 1u);
}

/* Not for the device's own, whose end the heartbeat sees to, and not if it is switched off. */
static void waits_for_ever(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_mock_foreign foreign;
	struct dma_fence *fence = igen_mock_foreign_init(&foreign, dma_fence_context_alloc(1), 1);
	struct igen_request *rq, *own, *patient;

	mock->igen->params.fence_timeout_ms = LONG_MS;
	rq = submit_after(test, IGEN_BCS0, fence);
	own = submit_after(test, IGEN_VECS0, &rq->fence);
	KUNIT_EXPECT_FALSE(test, wait_of(own)->foreign);
	mock->igen->params.fence_timeout_ms = 0;
	patient = submit_after(test, IGEN_RCS0, fence);
	KUNIT_EXPECT_TRUE(test, wait_of(patient)->foreign);
	KUNIT_EXPECT_FALSE(test, has_timer(patient));

	dma_fence_signal(fence);
	KUNIT_EXPECT_TRUE(test, patient->queued);
	igen_mock_complete(rq);
	igen_mock_complete(own);
	igen_mock_complete(patient);
	igen_request_put(rq);
	igen_request_put(own);
	igen_request_put(patient);
	igen_mock_settle(mock->igen);
	KUNIT_EXPECT_EQ(test, kref_read(&fence->refcount), 1u);
}

static unsigned int num_waits(struct igen_request *rq)
{
	struct list_head *pos;
	unsigned int n = 0;

	list_for_each(pos, &rq->waits)
		n++;
	return n;
}

/* Fences of one timeline signal in order; the request awaits them in any order, several times. */
static void one_wait_for_a_timeline(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *rq = igen_mock_request(test, ctx, IGEN_BCS0);
	struct igen_mock_foreign foreign[3], other;
	struct dma_fence *fence[ARRAY_SIZE(foreign)];
	u64 context = dma_fence_context_alloc(1);
	unsigned int i, round;

	mock->igen->params.fence_timeout_ms = LONG_MS;
	for (i = 0; i < ARRAY_SIZE(foreign); i++)
		fence[i] = igen_mock_foreign_init(&foreign[i], context, i + 1);
	igen_mock_foreign_init(&other, dma_fence_context_alloc(1), 1);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < ARRAY_SIZE(foreign); i++)
			KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, fence[i]));
		KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &other.fence));
	}
	KUNIT_EXPECT_EQ(test, num_waits(rq), 2u);
	KUNIT_EXPECT_EQ(test, atomic_read(&rq->pending), 3);
	/* Only the latest is listened to. */
	KUNIT_EXPECT_TRUE(test, list_empty(&fence[0]->cb_list));
	KUNIT_EXPECT_TRUE(test, list_empty(&fence[1]->cb_list));
	KUNIT_EXPECT_FALSE(test, list_empty(&fence[2]->cb_list));
	igen_request_add(rq);

	dma_fence_signal(fence[0]);
	dma_fence_signal(fence[1]);
	dma_fence_signal(&other.fence);
	KUNIT_EXPECT_FALSE(test, rq->queued);
	dma_fence_signal(fence[2]);
	KUNIT_EXPECT_TRUE(test, rq->queued);

	igen_mock_complete(rq);
	igen_request_put(rq);
	igen_context_put(ctx);
	igen_mock_settle(mock->igen);
	for (i = 0; i < ARRAY_SIZE(foreign); i++)
		KUNIT_EXPECT_EQ(test, kref_read(&fence[i]->refcount), 1u);
}

/*
 * A request that waits for several of this device's requests of one context waits for the latest only. One of them is
 * over before a later one replaces it.
 */
static void a_later_request_replaces_an_earlier(struct kunit *test)
{
	struct igen_context *first = igen_mock_context(test, 0), *second = igen_mock_context(test, 0);
	struct igen_request *leader[3], *rq;
	struct igen_mock *mock = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(leader); i++) {
		leader[i] = igen_mock_request(test, first, IGEN_RCS0);
		igen_request_add(leader[i]);
	}
	rq = igen_mock_request(test, second, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &leader[0]->fence));
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &leader[1]->fence));
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &leader[0]->fence));
	KUNIT_EXPECT_EQ(test, atomic_read(&leader[0]->followers), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&leader[1]->followers), 1);
	igen_mock_complete(leader[0]);
	igen_mock_complete(leader[1]);
	dma_fence_signal(&leader[1]->fence);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &leader[2]->fence));
	KUNIT_EXPECT_EQ(test, num_waits(rq), 1u);
	KUNIT_EXPECT_EQ(test, atomic_read(&rq->pending), 2);
	igen_request_add(rq);
	KUNIT_EXPECT_FALSE(test, rq->queued);
	igen_mock_complete(leader[2]);
	dma_fence_signal(&leader[2]->fence);
	KUNIT_EXPECT_TRUE(test, rq->queued);
	igen_mock_complete(rq);

	for (i = 0; i < ARRAY_SIZE(leader); i++)
		igen_request_put(leader[i]);
	igen_request_put(rq);
	igen_context_put(first);
	igen_context_put(second);
	igen_mock_settle(mock->igen);
}

/* Requests that wait for one, two on each of many timelines. */
#define TIMELINES	100
#define CROWD		(2 * TIMELINES)
/* Waits that end at once, and requests that the worker queues before it turns interrupts on again. */
#define ENDS_AT_ONCE	16
#define READY_AT_ONCE	64

/** struct crowd - many requests that wait for one request of the same engine */
struct crowd {
	/** @leader: that request */
	struct igen_request *leader;
	/** @rq: the others, the first of each timeline first */
	struct igen_request *rq[CROWD];
	/** @ctx: their contexts */
	struct igen_context *ctx[TIMELINES];
	/** @mock: the engine */
	struct igen_mock_engine *mock;
	/** @group: the engine's group */
	struct igen_engine_group *group;
};

typedef int (*await_fn)(struct igen_request *rq, struct dma_fence *fence);

/* A crowd of @timelines times two requests. The crowd's engine takes nothing, and counts how often it is to look. */
static struct crowd *crowd_gather(struct kunit *test, unsigned int timelines, await_fn await)
{
	struct igen_mock *mock = test->priv;
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct crowd *crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, crowd);
	crowd->leader = igen_mock_submit(test, ctx, IGEN_BCS0);
	igen_context_put(ctx);
	for (n = 0; n < timelines; n++)
		crowd->ctx[n] = igen_mock_context(test, 0);
	for (n = 0; n < 2 * timelines; n++) {
		crowd->rq[n] = igen_mock_request(test, crowd->ctx[n % timelines], IGEN_BCS0);
		KUNIT_EXPECT_EQ(test, 0, await(crowd->rq[n], &crowd->leader->fence));
		igen_request_add(crowd->rq[n]);
	}
	crowd->mock = igen_mock_engine(mock->igen->engine[IGEN_BCS0]);
	crowd->mock->submits = 0;
	crowd->group = mock->igen->engine[IGEN_BCS0]->group;
	return crowd;
}

static unsigned int crowd_queued(const struct crowd *crowd)
{
	unsigned int n, queued = 0;

	for (n = 0; n < CROWD && crowd->rq[n]; n++)
		queued += READ_ONCE(crowd->rq[n]->queued);
	return queued;
}

static void crowd_leave(struct kunit *test, struct crowd *crowd)
{
	struct igen_mock *mock = test->priv;
	unsigned int n;

	for (n = 0; n < CROWD && crowd->rq[n]; n++) {
		igen_mock_complete(crowd->rq[n]);
		igen_request_put(crowd->rq[n]);
	}
	for (n = 0; n < TIMELINES; n++)
		igen_context_put(crowd->ctx[n]);
	igen_request_put(crowd->leader);
	igen_mock_settle(mock->igen);
}

/* Has the request that the crowd waits for end, and returns how many are queued before the worker runs. */
static unsigned int crowd_release(struct crowd *crowd)
{
	unsigned long flags;
	unsigned int queued;

	WRITE_ONCE(*(u32 *)crowd->leader->hwsp_seqno, lower_32_bits(crowd->leader->fence.seqno));
	/* The guest has one processor: with interrupts off the worker cannot run. */
	local_irq_save(flags);
	dma_fence_signal(&crowd->leader->fence);
	queued = crowd_queued(crowd);
	local_irq_restore(flags);
	return queued;
}

static void few_are_queued_at_once(struct kunit *test)
{
	struct crowd *crowd = crowd_gather(test, 2, igen_request_await);

	KUNIT_EXPECT_EQ(test, crowd_release(crowd), 4u);
	KUNIT_EXPECT_FALSE(test, work_busy(&crowd->group->ready_work));
	crowd_leave(test, crowd);
}

/*
 * With interrupts off, the signal queues some requests alone. The worker queues the others in pieces, and the backend
 * looks once for each.
 */
static void a_crowd_is_queued_in_pieces(struct kunit *test)
{
	struct crowd *crowd = crowd_gather(test, TIMELINES, igen_request_await);
	struct igen_mock *mock = test->priv;

	KUNIT_EXPECT_EQ(test, crowd_release(crowd), (unsigned int)ENDS_AT_ONCE);
	igen_scheduler_flush(mock->igen);
	KUNIT_EXPECT_EQ(test, crowd_queued(crowd), (unsigned int)CROWD);
	KUNIT_EXPECT_EQ(test, crowd->mock->submits,
			(unsigned int)(ENDS_AT_ONCE + DIV_ROUND_UP(CROWD - ENDS_AT_ONCE, READY_AT_ONCE)));
	KUNIT_EXPECT_TRUE(test, llist_empty(&crowd->group->ready));
	crowd_leave(test, crowd);
}

/* Requests that wait for the start of a request are released in the same way. */
static void a_crowd_of_starters_is_queued_in_pieces(struct kunit *test)
{
	struct crowd *crowd = crowd_gather(test, TIMELINES, igen_request_await_execution);
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine = crowd->leader->engine;
	unsigned int queued;

	KUNIT_EXPECT_EQ(test, crowd_queued(crowd), 0u);
	local_irq_disable();
	spin_lock(&engine->group->lock);
	igen_scheduler_begin(engine, crowd->leader);
	spin_unlock(&engine->group->lock);
	local_irq_enable();
	irq_work_sync(&engine->exec_work);
	queued = crowd->mock->submits;
	igen_scheduler_flush(mock->igen);
	KUNIT_EXPECT_EQ(test, crowd_queued(crowd), (unsigned int)CROWD);
	KUNIT_EXPECT_GE(test, queued, (unsigned int)ENDS_AT_ONCE);
	KUNIT_EXPECT_LT(test, crowd->mock->submits, 2u * ENDS_AT_ONCE);
	igen_mock_complete(crowd->leader);
	crowd_leave(test, crowd);
}

/* Waiting until the engines are idle includes what the worker has still to queue. */
static void idle_means_that_the_crowd_is_gone(struct kunit *test)
{
	struct crowd *crowd = crowd_gather(test, TIMELINES, igen_request_await);
	struct igen_mock *mock = test->priv;
	unsigned int n, queued;
	unsigned long flags;

	local_irq_save(flags);
	queued = crowd_release(crowd);
	for (n = 0; n < ENDS_AT_ONCE; n++)
		WRITE_ONCE(*(u32 *)crowd->rq[n]->hwsp_seqno, lower_32_bits(crowd->rq[n]->fence.seqno));
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, queued, (unsigned int)ENDS_AT_ONCE);
	KUNIT_EXPECT_EQ(test, igen_wait_for_idle(mock->igen, 1), -ETIME);
	crowd_leave(test, crowd);
}

/* Requests that became ready while the GPU was wedged have failed when it works again. */
static void crowd_fails_when_wedged(struct kunit *test)
{
	struct crowd *crowd = crowd_gather(test, TIMELINES, igen_request_await);
	struct igen_mock *mock = test->priv;
	unsigned int n, failed = 0;

	mock->igen->wedged = true;
	crowd_release(crowd);
	igen_scheduler_flush(mock->igen);
	flush_work(&mock->igen->wedged_work);
	for (n = 0; n < CROWD; n++)
		failed += dma_fence_get_status(&crowd->rq[n]->fence) == -EIO;
	KUNIT_EXPECT_EQ(test, failed, (unsigned int)CROWD);
	mock->igen->wedged = false;
	crowd_leave(test, crowd);
}

/* Requests that are ready but not queued when the GPU is made to work again fail as well. */
static void crowd_fails_before_it_works_again(struct kunit *test)
{
	static const struct igen_reset_ops answers = {};
	struct crowd *crowd = crowd_gather(test, TIMELINES, igen_request_await);
	struct igen_mock *mock = test->priv;
	unsigned int n, failed = 0;

	/* Without a bit that asks for a reset there is none to wait for: the registers, which are memory, keep it. */
	mock->platform.reset = &answers;
	mock->igen->topology.slice_mask = BIT(0);
	mock->igen->topology.subslice_mask[0] = BIT(0);
	mock->igen->wedged = true;
	crowd_release(crowd);
	KUNIT_EXPECT_TRUE(test, igen_unwedge(mock->igen));
	for (n = 0; n < CROWD; n++)
		failed += dma_fence_get_status(&crowd->rq[n]->fence) == -EIO;
	KUNIT_EXPECT_EQ(test, failed, (unsigned int)CROWD);
	crowd_leave(test, crowd);
}

/*
 * A batch that does not end costs the patience alone: with the whole timeout this test would not end. A signal does not
 * end the wait early.
 */
static void draining_ends_without_progress(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *rq = igen_mock_submit(test, ctx, IGEN_BCS0);
	struct igen_mock *mock = test->priv;

	KUNIT_EXPECT_EQ(test, igen_drain(mock->igen, 1, LONG_MAX / 2), -ETIME);
	allow_signal(SIGTERM);
	send_sig(SIGTERM, current, 1);
	KUNIT_EXPECT_EQ(test, igen_wait_for_idle(mock->igen, 1), -ERESTARTSYS);
	KUNIT_EXPECT_EQ(test, igen_drain(mock->igen, 1, LONG_MAX / 2), -ETIME);
	flush_signals(current);
	disallow_signal(SIGTERM);
	igen_mock_complete(rq);
	KUNIT_EXPECT_EQ(test, igen_drain(mock->igen, 1, LONG_MAX / 2), 0);
	igen_request_put(rq);
	igen_context_put(ctx);
	igen_mock_settle(mock->igen);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(waits_no_longer),
	KUNIT_CASE(signals_in_time),
	KUNIT_CASE(waits_for_ever),
	KUNIT_CASE(one_wait_for_a_timeline),
	KUNIT_CASE(a_later_request_replaces_an_earlier),
	KUNIT_CASE(few_are_queued_at_once),
	KUNIT_CASE(a_crowd_is_queued_in_pieces),
	KUNIT_CASE(a_crowd_of_starters_is_queued_in_pieces),
	KUNIT_CASE(idle_means_that_the_crowd_is_gone),
	KUNIT_CASE(crowd_fails_when_wedged),
	KUNIT_CASE(crowd_fails_before_it_works_again),
	KUNIT_CASE(draining_ends_without_progress),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_await",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
