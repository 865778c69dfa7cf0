// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of waits for fences that are not the device's
 */
#include <linux/delay.h>

#include "igen_mock.h"

/* Much longer than a test. */
#define LONG_MS		1000000
/* For what comes by itself: tries of a few ms each. */
#define TRIES		5000

static const char *no_name(struct dma_fence *fence)
{
	return "a test";
}

static const struct dma_fence_ops foreign_ops = {
	.get_driver_name = no_name,
	.get_timeline_name = no_name,
};

/** struct foreign - a fence of nobody's device */
struct foreign {
	/** @fence: the fence, which is never freed */
	struct dma_fence fence;
	/** @lock: its lock */
	spinlock_t lock;
};

static struct dma_fence *foreign_init(struct foreign *foreign)
{
	spin_lock_init(&foreign->lock);
	dma_fence_init(&foreign->fence, &foreign_ops, &foreign->lock, dma_fence_context_alloc(1), 1);
	return &foreign->fence;
}

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

/* It runs in the end, and says that it has waited in vain; the fence that comes after all finds nobody. */
static void waits_no_longer(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct foreign foreign;
	struct dma_fence *fence = foreign_init(&foreign);
	struct igen_request *rq, *failed;

	mock->igen->params.fence_timeout_ms = 1;
	rq = submit_after(test, IGEN_BCS0, fence);
	failed = submit_after(test, IGEN_BCS0, fence);
	KUNIT_EXPECT_TRUE(test, comes_to_be_queued(rq));
	KUNIT_EXPECT_TRUE(test, comes_to_be_queued(failed));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(fence));
	KUNIT_EXPECT_EQ(test, rq->fence.error, -ETIMEDOUT);
	KUNIT_EXPECT_FALSE(test, igen_request_is_skipped(rq));

	/* What is worse replaces that. */
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
	struct foreign foreign;
	struct dma_fence *fence = foreign_init(&foreign);
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
	struct foreign foreign;
	struct dma_fence *fence = foreign_init(&foreign);
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

static struct kunit_case cases[] = {
	KUNIT_CASE(waits_no_longer),
	KUNIT_CASE(signals_in_time),
	KUNIT_CASE(waits_for_ever),
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
