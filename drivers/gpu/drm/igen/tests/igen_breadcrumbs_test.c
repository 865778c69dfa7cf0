// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of breadcrumbs
 *
 * An interrupt looks at no more than some of the requests that are waited for, and none is forgotten.
 */
#include "../submit/igen_submit.h"
#include "igen_mock.h"
#include "../igen_compat.h"

#define CONTEXTS	10
#define REQUESTS	10	/* of a context */
#define AT_ONCE		64

static void interrupts_are_short(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine = mock->igen->engine[IGEN_BCS0];
	struct igen_request *rq[CONTEXTS * REQUESTS];
	struct igen_context *ctx[CONTEXTS];
	unsigned int n, left, signaled = 0;

	for (n = 0; n < CONTEXTS; n++)
		ctx[n] = igen_mock_context(test, 0);
	for (n = 0; n < ARRAY_SIZE(rq); n++) {
		rq[n] = igen_mock_submit(test, ctx[n % CONTEXTS], IGEN_BCS0);
		igen_fence_enable_signaling(&rq[n]->fence);
	}
	KUNIT_EXPECT_EQ(test, engine->group->num_signalers, (unsigned int)ARRAY_SIZE(rq));

	/* Nothing has completed: all are looked at in the end, and stay. */
	igen_breadcrumbs_irq(engine);
	flush_work(&engine->signal_work);
	KUNIT_EXPECT_EQ(test, engine->group->num_signalers, (unsigned int)ARRAY_SIZE(rq));

	for (n = 0; n < CONTEXTS; n++)
		WRITE_ONCE(*(u32 *)rq[n]->hwsp_seqno,
			   lower_32_bits(rq[(REQUESTS - 1) * CONTEXTS + n]->fence.seqno));
	/* The worker is this processor's, and has to wait. */
	local_irq_disable();
	igen_breadcrumbs_irq(engine);
	left = engine->group->num_signalers;
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, left, (unsigned int)ARRAY_SIZE(rq) - AT_ONCE);
	flush_work(&engine->signal_work);
	for (n = 0; n < ARRAY_SIZE(rq); n++)
		signaled += test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq[n]->fence.flags);
	KUNIT_EXPECT_EQ(test, signaled, (unsigned int)ARRAY_SIZE(rq));
	KUNIT_EXPECT_EQ(test, engine->group->num_signalers, 0u);

	for (n = 0; n < ARRAY_SIZE(rq); n++) {
		igen_mock_complete(rq[n]);
		igen_request_put(rq[n]);
	}
	for (n = 0; n < CONTEXTS; n++)
		igen_context_put(ctx[n]);
}

/* A request ends while the mask that opens its interrupt is on its way: the interrupt is lost, the fence signals. */
static void a_late_mask_loses_nothing(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine = mock->igen->engine[IGEN_BCS0];
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *rq = igen_mock_submit(test, ctx, IGEN_BCS0);

	/* The irq_work is this processor's, and has to wait. */
	local_irq_disable();
	KUNIT_EXPECT_TRUE(test, igen_breadcrumbs_add(rq));
	WRITE_ONCE(*(u32 *)rq->hwsp_seqno, lower_32_bits(rq->fence.seqno));
	local_irq_enable();
	irq_work_sync(&engine->group->engine[0]->arm_work);
	KUNIT_EXPECT_TRUE(test, test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags));
	KUNIT_EXPECT_EQ(test, engine->group->num_signalers, 0u);

	igen_mock_complete(rq);
	igen_request_put(rq);
	igen_context_put(ctx);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_late_mask_loses_nothing),
	KUNIT_CASE(interrupts_are_short),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_breadcrumbs",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
