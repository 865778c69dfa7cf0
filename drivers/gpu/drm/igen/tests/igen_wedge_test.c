// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of many requests that fail when the GPU is wedged
 *
 * Requests that complete in one section with interrupts off have completed before the first of their fences signals.
 * So a fence's callback sees how many these are.
 */
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../submit/igen_reset.h"
#include "igen_mock.h"

#define CONTEXTS	3
#define EACH		(IGEN_WEDGE_AT_ONCE + 10)
#define ALL		(CONTEXTS * EACH)
/* Requests that the engine has when it is wedged: all of the first context and a few others. */
#define IN_FLIGHT	(EACH + 10)

struct many;

/** struct ending - a request that is to fail */
struct ending {
	/** @cb: the callback of its fence */
	struct dma_fence_cb cb;
	/** @many: all of them */
	struct many *many;
	/** @rq: the request, counted */
	struct igen_request *rq;
	/** @ends: how often its fence has signaled */
	unsigned int ends;
	/** @place: how many others had ended before */
	unsigned int place;
};

/** struct many - the requests of an engine */
struct many {
	/** @ctx: their contexts */
	struct igen_context *ctx[CONTEXTS];
	/** @of: the requests, those of one context after each other */
	struct ending of[ALL];
	/** @ended: how many fences have signaled */
	unsigned int ended;
	/** @most: the most that had completed and not signaled when one of them signaled */
	unsigned int most;
};

static void note_end(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct ending *ending = container_of(cb, struct ending, cb);
	struct many *many = ending->many;
	unsigned int n, completed = 1;

	ending->ends++;
	ending->place = many->ended++;
	for (n = 0; n < ALL; n++) {
		struct igen_request *rq = many->of[n].rq;

		completed += igen_request_completed(rq) && !test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags);
	}
	many->most = max(many->most, completed);
}

static struct many *submit_many(struct kunit *test)
{
	struct many *many = kunit_kzalloc(test, sizeof(*many), GFP_KERNEL);
	struct igen_mock *mock = test->priv;
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, many);
	for (n = 0; n < CONTEXTS; n++) {
		many->ctx[n] = igen_mock_context(test, 0);
		many->ctx[n]->ring_size = SZ_64K;
	}
	for (n = 0; n < ALL; n++) {
		struct ending *ending = &many->of[n];

		ending->many = many;
		ending->rq = igen_mock_submit(test, many->ctx[n / EACH], IGEN_BCS0);
		KUNIT_ASSERT_EQ(test, dma_fence_add_callback(&ending->rq->fence, &ending->cb, note_end), 0);
	}
	igen_mock_engine(mock->igen->engine[IGEN_BCS0])->capacity = IN_FLIGHT;
	igen_engine_submit(mock->igen->engine[IGEN_BCS0]);
	return many;
}

/* Each has failed once. Only the test and its timeline hold it, and the first is held by @waits waits, too. */
static void expect_all_failed(struct kunit *test, struct many *many, unsigned int waits)
{
	unsigned int n;

	KUNIT_EXPECT_EQ(test, many->ended, (unsigned int)ALL);
	for (n = 0; n < ALL; n++) {
		struct ending *ending = &many->of[n];

		KUNIT_EXPECT_EQ_MSG(test, ending->ends, 1u, "request %u", n);
		KUNIT_EXPECT_EQ_MSG(test, dma_fence_get_status(&ending->rq->fence), -EIO, "request %u", n);
		KUNIT_EXPECT_EQ_MSG(test, kref_read(&ending->rq->fence.refcount), 2 + (n ? 0 : waits), "request %u", n);
		KUNIT_EXPECT_FALSE_MSG(test, ending->rq->queued, "request %u", n);
		/* The oldest of a timeline first. */
		if (n % EACH)
			KUNIT_EXPECT_GT_MSG(test, ending->place, ending[-1].place, "request %u", n);
	}
}

static void leave(struct many *many)
{
	unsigned int n;

	for (n = 0; n < ALL; n++)
		igen_request_put(many->of[n].rq);
	for (n = 0; n < CONTEXTS; n++)
		igen_context_put(many->ctx[n]);
}

static void many_fail_in_pieces(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine = mock->igen->engine[IGEN_BCS0];
	struct many *many = submit_many(test);

	KUNIT_ASSERT_TRUE(test, many->of[0].rq->submitted);
	KUNIT_ASSERT_TRUE(test, many->of[ALL - 1].rq->queued);
	igen_wedge(mock->igen, "a test");
	expect_all_failed(test, many, 0);
	KUNIT_EXPECT_EQ(test, many->most, (unsigned int)IGEN_WEDGE_AT_ONCE);
	KUNIT_EXPECT_TRUE(test, list_empty(&engine->inflight));
	KUNIT_EXPECT_TRUE(test, igen_queue_is_empty(engine));
	leave(many);
}

/* Requests that become ready between two pieces, or are committed later, fail as well. New ones are refused. */
static void late_requests_fail(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_context *ctx[2] = { igen_mock_context(test, 0), igen_mock_context(test, 0) };
	struct many *many = submit_many(test);
	struct igen_request *ready = igen_mock_request(test, ctx[0], IGEN_BCS0), *late;
	struct igen_engine *engine = mock->igen->engine[IGEN_BCS0];
	struct igen_request *refused;
	unsigned int n;

	KUNIT_ASSERT_EQ(test, igen_request_await(ready, &many->of[0].rq->fence), 0);
	igen_request_add(ready);
	late = igen_mock_request(test, ctx[1], IGEN_BCS0);

	igen_wedge(mock->igen, "a test");
	expect_all_failed(test, many, 1);
	/* @ready was queued when the first piece of requests had failed, so it failed with a later piece. */
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(&ready->fence), -EIO);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(&late->fence), 0);
	igen_request_add(late);
	flush_work(&mock->igen->wedged_work);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(&late->fence), -EIO);
	KUNIT_EXPECT_TRUE(test, igen_queue_is_empty(engine));
	for (n = 0; n < ARRAY_SIZE(ctx); n++) {
		refused = igen_request_create(igen_mock_lrc(test, ctx[n], IGEN_BCS0), 2, true);
		KUNIT_EXPECT_PTR_EQ(test, refused, (struct igen_request *)ERR_PTR(-EIO));
	}

	igen_request_put(ready);
	igen_request_put(late);
	leave(many);
	for (n = 0; n < ARRAY_SIZE(ctx); n++)
		igen_context_put(ctx[n]);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(many_fail_in_pieces),
	KUNIT_CASE(late_requests_fail),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_wedge",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
