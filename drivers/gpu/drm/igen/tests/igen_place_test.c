// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of placement among calls that lock each other's objects
 *
 * One call has locked the object that another call has to evict. The older acquire context waits. A call also waits for
 * the requests that use such an object, but not for other fences.
 */
#include <linux/delay.h>
#include <linux/kthread.h>

#include "../mm/igen_mm.h"
#include "igen_mock.h"
#include "../igen_compat.h"

#define PLACE	SZ_2M

/* The other call: locks one object. */
struct rival {
	struct igen_bo *bo;
	struct completion locked, unlock;
	/* until another task waits for the lock */
	bool until_waited_for;
	bool was_waited_for;
};

static bool lock_is_waited_for(const struct igen_bo *bo)
{
	return igen_mutex_is_waited_for(&bo->base.resv->lock.base);
}

static int rival_run(void *data)
{
	struct rival *rival = data;
	struct igen_ww ww = {};
	unsigned int i;

	ww_acquire_init(&ww.base, &reservation_ww_class);
	if (!dma_resv_lock(rival->bo->base.resv, &ww.base)) {
		complete(&rival->locked);
		if (rival->until_waited_for) {
			for (i = 0; i < 3000 && !lock_is_waited_for(rival->bo); i++)
				msleep(20);
			rival->was_waited_for = lock_is_waited_for(rival->bo);
		} else {
			wait_for_completion(&rival->unlock);
		}
		igen_bo_unlock(rival->bo);
	}
	ww_acquire_fini(&ww.base);
	return 0;
}

/* Two objects for one place, the first of which is there. */
struct pair {
	struct igen_bo *here, *next;
	struct igen_vma *there, *wanted;
	struct rival rival;
	struct task_struct *thread;
};

static void pair_init(struct kunit *test, struct pair *pair)
{
	struct igen_mock *mock = test->priv;

	pair->here = igen_bo_create_internal(mock->igen, SZ_64K);
	pair->next = igen_bo_create_internal(mock->igen, SZ_64K);
	KUNIT_ASSERT_FALSE(test, IS_ERR(pair->here) || IS_ERR(pair->next));
	pair->there = igen_vma_lookup(pair->here, mock->vm);
	pair->wanted = igen_vma_lookup(pair->next, mock->vm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(pair->there) || IS_ERR(pair->wanted));
	igen_bo_lock(pair->here);
	KUNIT_ASSERT_EQ(test, igen_vma_pin(pair->there, 0, 0, IGEN_PIN_FIXED | PLACE), 0);
	igen_vma_unpin(pair->there);
	igen_bo_unlock(pair->here);

	pair->rival.bo = pair->here;
	init_completion(&pair->rival.locked);
	init_completion(&pair->rival.unlock);
	pair->thread = kthread_create(rival_run, &pair->rival, "igen-rival");
	KUNIT_ASSERT_FALSE(test, IS_ERR(pair->thread));
	get_task_struct(pair->thread);
}

static void pair_fini(struct kunit *test, struct pair *pair)
{
	struct igen_mock *mock = test->priv;

	kthread_stop(pair->thread);
	put_task_struct(pair->thread);
	igen_vma_put(pair->there);
	igen_vma_put(pair->wanted);
	igen_bo_put(pair->here);
	igen_bo_put(pair->next);
	igen_mm_flush(mock->igen);
}

/* The younger call learns at once whose lock it has to wait for with its own objects unlocked. */
static void younger_call_backs_off(struct kunit *test)
{
	struct pair pair = {};
	struct igen_ww ww = {};

	pair_init(test, &pair);
	wake_up_process(pair.thread);
	wait_for_completion(&pair.rival.locked);

	ww_acquire_init(&ww.base, &reservation_ww_class);
	KUNIT_ASSERT_EQ(test, dma_resv_lock(pair.next->base.resv, &ww.base), 0);
	KUNIT_EXPECT_EQ(test, igen_vma_pin(pair.wanted, 0, 0, IGEN_PIN_FIXED | PLACE), -EAGAIN);
	KUNIT_EXPECT_PTR_EQ(test, ww.contended, pair.here);
	KUNIT_EXPECT_TRUE(test, pair.there->bound);
	igen_bo_unlock(pair.next);

	complete(&pair.rival.unlock);
	if (ww.contended) {
		dma_resv_lock_slow(pair.here->base.resv, &ww.base);
		igen_bo_unlock(pair.here);
		igen_bo_put(ww.contended);
	}
	KUNIT_ASSERT_EQ(test, dma_resv_lock(pair.next->base.resv, &ww.base), 0);
	KUNIT_EXPECT_EQ(test, igen_vma_pin(pair.wanted, 0, 0, IGEN_PIN_FIXED | PLACE), 0);
	KUNIT_EXPECT_FALSE(test, pair.there->bound);
	igen_vma_unpin(pair.wanted);
	igen_bo_unlock(pair.next);
	ww_acquire_fini(&ww.base);
	pair_fini(test, &pair);
}

/* The older call waits for as long as the younger one has the lock. */
static void older_call_waits(struct kunit *test)
{
	struct pair pair = { .rival.until_waited_for = true };
	struct igen_ww ww = {};

	pair_init(test, &pair);
	ww_acquire_init(&ww.base, &reservation_ww_class);
	KUNIT_ASSERT_EQ(test, dma_resv_lock(pair.next->base.resv, &ww.base), 0);
	wake_up_process(pair.thread);
	wait_for_completion(&pair.rival.locked);

	KUNIT_EXPECT_EQ(test, igen_vma_pin(pair.wanted, 0, 0, IGEN_PIN_FIXED | PLACE), 0);
	KUNIT_EXPECT_TRUE(test, pair.rival.was_waited_for);
	KUNIT_EXPECT_PTR_EQ(test, ww.contended, NULL);
	KUNIT_EXPECT_FALSE(test, pair.there->bound);
	if (pair.wanted->bound)
		igen_vma_unpin(pair.wanted);
	igen_bo_unlock(pair.next);
	ww_acquire_fini(&ww.base);
	pair_fini(test, &pair);
}

static int complete_when_waited_for(void *data)
{
	struct igen_request *rq = data;
	unsigned int i;

	for (i = 0; i < 3000 && !test_bit(DMA_FENCE_FLAG_ENABLE_SIGNAL_BIT, &rq->fence.flags); i++)
		msleep(20);
	igen_mock_complete(rq);
	return 0;
}

/* The object in the way is in use by a request, and has a fence of another driver, which is not signaled. */
static void only_requests_are_waited_for(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_mock_foreign foreign;
	struct pair pair = {};
	struct task_struct *thread;
	struct igen_request *rq;

	pair_init(test, &pair);
	igen_mock_foreign_init(&foreign, dma_fence_context_alloc(1), 1);
	rq = igen_mock_submit(test, ctx, IGEN_RCS0);
	igen_bo_lock(pair.here);
	KUNIT_ASSERT_EQ(test, dma_resv_reserve_fences(pair.here->base.resv, 2), 0);
	dma_resv_add_fence(pair.here->base.resv, &foreign.fence, DMA_RESV_USAGE_WRITE);
	dma_resv_add_fence(pair.here->base.resv, &rq->fence, DMA_RESV_USAGE_READ);
	igen_bo_unlock(pair.here);
	KUNIT_EXPECT_TRUE(test, igen_bo_has_requests(pair.here));

	thread = kthread_create(complete_when_waited_for, rq, "igen-complete");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	get_task_struct(thread);
	wake_up_process(thread);
	igen_bo_lock(pair.next);
	KUNIT_EXPECT_EQ(test, igen_vma_pin(pair.wanted, 0, 0, IGEN_PIN_FIXED | PLACE), 0);
	KUNIT_EXPECT_TRUE(test, igen_request_completed(rq));
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(&foreign.fence));
	KUNIT_EXPECT_FALSE(test, igen_bo_has_requests(pair.here));
	KUNIT_EXPECT_FALSE(test, pair.there->bound);
	if (pair.wanted->bound)
		igen_vma_unpin(pair.wanted);
	igen_bo_unlock(pair.next);

	kthread_stop(thread);
	put_task_struct(thread);
	pair_fini(test, &pair);
	dma_fence_signal(&foreign.fence);
	igen_request_put(rq);
	igen_context_put(ctx);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(younger_call_backs_off),
	KUNIT_CASE(older_call_waits),
	KUNIT_CASE(only_requests_are_waited_for),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_place",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
