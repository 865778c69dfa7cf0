// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of placement among calls that lock each other's objects
 *
 * One call has locked the object that another call has to evict. The older acquire context waits. A call also waits for
 * the requests that use such an object, but not for other fences, and for no requests that come later. A call whose
 * search claims places keeps others from using them anew for some time.
 */
#include <linux/delay.h>
#include <linux/kthread.h>

#include <igen/cmd/mi.h>

#include "../mm/igen_mm.h"
#include "../uapi/igen_execbuf.h"
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

/* The first object of an address space is not at 0, unless a client wants it there. */
static void nothing_is_put_at_zero(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_bo *bo = igen_bo_create_internal(mock->igen, SZ_64K);
	struct igen_vma *vma;

	KUNIT_ASSERT_FALSE(test, IS_ERR(bo));
	vma = igen_vma_lookup(bo, mock->vm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(vma));
	igen_bo_lock(bo);
	KUNIT_EXPECT_EQ(test, igen_vma_pin(vma, 0, 0, 0), 0);
	KUNIT_EXPECT_NE(test, igen_vma_start(vma), 0ull);
	igen_vma_unpin(vma);
	KUNIT_EXPECT_EQ(test, igen_vma_pin(vma, 0, 0, IGEN_PIN_FIXED), 0);
	KUNIT_EXPECT_EQ(test, igen_vma_start(vma), 0ull);
	igen_vma_unpin(vma);
	igen_bo_unlock(bo);
	igen_vma_put(vma);
	igen_bo_put(bo);
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

/* Another client, which gives an object a further request before the first one completes. */
struct successor {
	struct igen_bo *bo;
	struct igen_request *first, *second;
	struct completion returned;
};

static int succeed_when_waited_for(void *data)
{
	struct successor *s = data;
	unsigned int i;

	for (i = 0; i < 3000 && !test_bit(DMA_FENCE_FLAG_ENABLE_SIGNAL_BIT, &s->first->fence.flags); i++)
		msleep(20);
	igen_bo_lock(s->bo);
	if (!dma_resv_reserve_fences(s->bo->base.resv, 1))
		dma_resv_add_fence(s->bo->base.resv, &s->second->fence, DMA_RESV_USAGE_READ);
	igen_bo_unlock(s->bo);
	igen_mock_complete(s->first);
	/* A bound on a wait that goes on. */
	wait_for_completion_timeout(&s->returned, 60 * HZ);
	igen_mock_complete(s->second);
	return 0;
}

/* A client that has always one more request for an object does not keep the call that wants its place waiting. */
static void later_requests_are_not_waited_for(struct kunit *test)
{
	struct igen_context *ctx[] = { igen_mock_context(test, 0), igen_mock_context(test, 0) };
	struct igen_mock *mock = test->priv;
	struct successor s = {
		.bo = igen_bo_create_internal(mock->igen, SZ_64K),
		.first = igen_mock_submit(test, ctx[0], IGEN_RCS0),
		.second = igen_mock_submit(test, ctx[1], IGEN_RCS0),
	};
	struct task_struct *thread;

	KUNIT_ASSERT_FALSE(test, IS_ERR(s.bo));
	init_completion(&s.returned);
	igen_bo_lock(s.bo);
	KUNIT_ASSERT_EQ(test, dma_resv_reserve_fences(s.bo->base.resv, 1), 0);
	dma_resv_add_fence(s.bo->base.resv, &s.first->fence, DMA_RESV_USAGE_READ);
	igen_bo_unlock(s.bo);
	thread = kthread_create(succeed_when_waited_for, &s, "igen-successor");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	get_task_struct(thread);
	wake_up_process(thread);

	KUNIT_EXPECT_EQ(test, igen_bo_wait_requests(s.bo), 0);
	KUNIT_EXPECT_TRUE(test, igen_request_completed(s.first));
	KUNIT_EXPECT_FALSE(test, igen_request_completed(s.second));
	KUNIT_EXPECT_TRUE(test, igen_bo_has_requests(s.bo));
	complete(&s.returned);

	kthread_stop(thread);
	put_task_struct(thread);
	KUNIT_EXPECT_FALSE(test, igen_bo_has_requests(s.bo));
	igen_request_put(s.first);
	igen_request_put(s.second);
	igen_bo_put(s.bo);
	igen_context_put(ctx[0]);
	igen_context_put(ctx[1]);
}

/* What becomes of a call that would use a claimed place. */
struct claim {
	struct igen_vma *vma;
	const struct igen_vma claimant;
};

static int unclaim(void *data)
{
	struct claim *claim = data;

	WRITE_ONCE(claim->vma->claimed_by, NULL);
	wake_up_all(&claim->vma->vm->unclaimed);
	return 0;
}

/* The time that a call waits for claims is bounded, however many there are. */
static void claims_stop_a_call_for_some_time(struct kunit *test)
{
	const unsigned long all = msecs_to_jiffies(IGEN_CLAIM_MS);
	struct igen_mock *mock = test->priv;
	struct igen_bo *bo = igen_bo_create_internal(mock->igen, SZ_64K);
	struct claim claim = {};
	struct task_struct *thread;
	unsigned long left = all, before;
	unsigned int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(bo));
	claim.vma = igen_vma_lookup(bo, mock->vm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(claim.vma));
	/* Claimed anew each time. */
	for (i = 0; left && i <= all; i++) {
		claim.vma->claimed_by = &claim.claimant;
		thread = kthread_create(unclaim, &claim, "igen-unclaim");
		KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
		get_task_struct(thread);
		wake_up_process(thread);
		before = left;
		KUNIT_EXPECT_EQ(test, igen_vma_await_unclaimed(claim.vma, &left), 0);
		KUNIT_EXPECT_LT(test, left, before);
		kthread_stop(thread);
		put_task_struct(thread);
	}
	KUNIT_EXPECT_EQ(test, left, 0ul);

	/* One that stays. */
	claim.vma->claimed_by = &claim.claimant;
	left = 2;
	KUNIT_EXPECT_EQ(test, igen_vma_await_unclaimed(claim.vma, &left), 0);
	KUNIT_EXPECT_EQ(test, left, 0ul);
	KUNIT_EXPECT_TRUE(test, igen_vma_is_claimed(claim.vma));
	claim.vma->claimed_by = NULL;
	igen_vma_put(claim.vma);
	igen_bo_put(bo);
	igen_mm_flush(mock->igen);
}

/* Makes the checked copy as a call does, and gives it back. Tells its address. */
static int copy_batch(struct igen_execbuf *eb, u64 *place)
{
	int err;

	igen_bo_lock(eb->ev[0].vma->bo);
	err = igen_execbuf_shadow(eb);
	*place = err ? 0 : igen_execbuf_shadow_start(eb);
	igen_bo_unlock(eb->ev[0].vma->bo);
	if (!err)
		igen_execbuf_shadow_done(eb);
	return err;
}

/* A copy's place that another call waits for is not used again at once. */
static void claimed_copy_is_not_reused(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct drm_i915_gem_execbuffer2 args = {};
	struct igen_mock *mock = test->priv;
	struct igen_exec_vma ev = {};
	struct igen_execbuf eb = {
		.igen = mock->igen, .args = &args, .ev = &ev, .count = 1, .ctx = ctx,
		.lrc = igen_mock_lrc(test, ctx, IGEN_BCS0), .claim_left = 2,
	};
	struct igen_bo *bo = igen_bo_create_internal(mock->igen, SZ_4K);
	struct claim claim = {};
	u64 first, place;
	u32 *vaddr;

	KUNIT_ASSERT_FALSE(test, IS_ERR(bo));
	igen_shadow_owners_init(mock->igen);
	igen_shadows_init(ctx);
	ev.vma = igen_vma_lookup(bo, mock->vm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ev.vma));
	igen_bo_lock(bo);
	KUNIT_ASSERT_EQ(test, igen_vma_pin(ev.vma, 0, 0, IGEN_PIN_FIXED | PLACE), 0);
	vaddr = igen_bo_vmap(bo);
	KUNIT_ASSERT_FALSE(test, IS_ERR(vaddr));
	vaddr[0] = MI_BATCH_BUFFER_END;
	igen_bo_vunmap(bo);
	igen_bo_unlock(bo);

	KUNIT_ASSERT_EQ(test, copy_batch(&eb, &first), 0);
	KUNIT_ASSERT_NE(test, first, 0ull);
	KUNIT_EXPECT_EQ(test, copy_batch(&eb, &place), 0);
	KUNIT_EXPECT_EQ(test, place, first);

	/* The copy was bound last. */
	claim.vma = list_last_entry(&mock->vm->bound, struct igen_vma, vm_link);
	KUNIT_ASSERT_EQ(test, igen_vma_start(claim.vma), first);
	claim.vma->claimed_by = &claim.claimant;
	KUNIT_EXPECT_EQ(test, copy_batch(&eb, &place), -EAGAIN);
	KUNIT_ASSERT_PTR_EQ(test, eb.claimed, claim.vma);
	/* The claimant can take it meanwhile, and another call of the context can't. */
	KUNIT_EXPECT_EQ(test, ctx->num_shadows, 0u);
	KUNIT_EXPECT_EQ(test, igen_execbuf_shadow_yield(&eb), 0);
	KUNIT_EXPECT_PTR_EQ(test, eb.claimed, NULL);
	KUNIT_EXPECT_EQ(test, ctx->num_shadows, 1u);
	KUNIT_EXPECT_EQ(test, eb.claim_left, 0ul);

	/* The call has waited for long enough. */
	KUNIT_EXPECT_EQ(test, copy_batch(&eb, &place), 0);
	KUNIT_EXPECT_EQ(test, place, first);
	claim.vma->claimed_by = NULL;
	set_bit(IGEN_CONTEXT_CLOSED, &ctx->flags);
	igen_shadows_free(ctx);
	igen_bo_lock(bo);
	igen_vma_unpin(ev.vma);
	igen_bo_unlock(bo);
	igen_vma_put(ev.vma);
	igen_bo_put(bo);
	igen_context_put(ctx);
	igen_mm_flush(mock->igen);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(nothing_is_put_at_zero),
	KUNIT_CASE(younger_call_backs_off),
	KUNIT_CASE(older_call_waits),
	KUNIT_CASE(only_requests_are_waited_for),
	KUNIT_CASE(later_requests_are_not_waited_for),
	KUNIT_CASE(claims_stop_a_call_for_some_time),
	KUNIT_CASE(claimed_copy_is_not_reused),
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
