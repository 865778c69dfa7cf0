// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of rings, requests and timelines
 *
 * The source is part of this file: the tests look at its ring arithmetic. Requests run on the mock's engines, which
 * complete nothing by themselves.
 */
#include "../submit/igen_request.c"

#include <linux/delay.h>
#include <linux/sizes.h>

#include <igen/regs/context.h>

#include "igen_mock.h"
#include "../igen_compat.h"
#include "../submit/igen_retire.h"

/* The mock has the commands of this platform. */
#define EMIT		(igen_platform_kbl_gt2.engines[0].emit)
#define DRIVER_DW	(EMIT->request_dw)
#define BASIC_BYTES	((2 + DRIVER_DW) * (u32)sizeof(u32))
#define ALL_BUT_END	((EMIT->semaphore_dw + EMIT->invalidate_dw + EMIT->batch_start_dw) * (u32)sizeof(u32))

/* So many requests are more than twice what a pool keeps of a client that takes none (FEW_KEPT). */
#define MANY		100

static void space_in_a_ring(struct kunit *test)
{
	static const struct {
		u32 size, head, tail, free;
	} cases[] = {
		/* Empty: all but the gap, wherever the tail is. */
		{ 4096, 0, 0, 4096 - 64 },
		{ 4096, 2048, 2048, 4096 - 64 },
		{ 4096, 4088, 4088, 4096 - 64 },
		{ 4096, 0, 1024, 3072 - 64 },
		{ 4096, 1024, 0, 1024 - 64 },
		/* The tail has wrapped and is behind the head. */
		{ 4096, 3072, 8, 3064 - 64 },
		{ 4096, 128, 0, 64 },
		{ 4096, 72, 0, 8 },
		{ 4096, 64, 0, 0 },
		{ 524288, 0, 0, 524288 - 64 },
		{ 524288, 524280, 8, 524272 - 64 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct igen_ring ring = {
			.size = cases[i].size, .head = cases[i].head, .tail = cases[i].tail,
		};

		KUNIT_EXPECT_EQ_MSG(test, igen_ring_free(&ring), cases[i].free, "case %u", i);
	}
}

static void space_for_a_wrap(struct kunit *test)
{
	struct igen_ring ring = { .size = 4096 };

	ring.tail = 0;
	KUNIT_EXPECT_EQ(test, igen_ring_bytes_with_wrap(&ring, 128), 128u);
	ring.tail = 4096 - 128;
	/* The request ends exactly at the ring's end. */
	KUNIT_EXPECT_EQ(test, igen_ring_bytes_with_wrap(&ring, 128), 128u);
	KUNIT_EXPECT_EQ(test, igen_ring_bytes_with_wrap(&ring, 136), 136u + 128u);
	ring.tail = 4096 - 8;
	KUNIT_EXPECT_EQ(test, igen_ring_bytes_with_wrap(&ring, 8), 8u);
	KUNIT_EXPECT_EQ(test, igen_ring_bytes_with_wrap(&ring, 16), 24u);
}

/* For all heads and tails: a request that fits leaves the gap, so the tail never reaches the head. */
static void tail_never_meets_head(struct kunit *test)
{
	unsigned int bad = 0, n = 0;
	u32 tail, used, bytes;

	for (tail = 0; tail < 4096; tail += 8) {
		for (used = 0; used <= 4096 - IGEN_RING_GAP; used += 56) {
			struct igen_ring ring = {
				.size = 4096, .tail = tail, .head = (tail - used) & 4095,
			};

			for (bytes = 8; bytes <= 1024; bytes += 200) {
				u32 need = igen_ring_bytes_with_wrap(&ring, bytes);

				if (igen_ring_free(&ring) < need)
					continue;
				n++;
				bad += used + need > 4096 - IGEN_RING_GAP;
			}
		}
	}
	KUNIT_EXPECT_EQ(test, 0u, bad);
	KUNIT_EXPECT_GT(test, n, 1000u);
}

static void emits_what_was_reserved(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_lrc *lrc = igen_mock_lrc(test, ctx, IGEN_BCS0);
	struct igen_request *rq = igen_request_create(lrc, 5, true);
	u32 *cs;

	KUNIT_ASSERT_FALSE(test, IS_ERR(rq));
	KUNIT_EXPECT_EQ(test, rq->reserved, (u32)(6 + DRIVER_DW) * 4);
	/* Odd numbers are made even by a NOOP. */
	lrc->ring.tail = 0x40;
	((u32 *)(lrc->ring.vaddr + 0x40))[3] = 0xffffffff;
	cs = igen_request_emit(rq, 3);
	KUNIT_ASSERT_PTR_EQ(test, (void *)cs, lrc->ring.vaddr + 0x40);
	KUNIT_EXPECT_EQ(test, cs[3], 0u);
	KUNIT_EXPECT_EQ(test, lrc->ring.tail, 0x50u);
	KUNIT_EXPECT_EQ(test, rq->reserved, (u32)(2 + DRIVER_DW) * 4);
	igen_request_add(rq);
	/* Tail and end are whole qwords, and the NOOPs behind the tail are not part of it. */
	KUNIT_EXPECT_EQ(test, rq->tail & 7, 0u);
	KUNIT_EXPECT_EQ(test, lrc->ring.tail, igen_request_end(rq));
	igen_mock_complete(rq);
	igen_request_put(rq);
	igen_context_put(ctx);
}

static void wraps_near_the_end(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_lrc *lrc = igen_mock_lrc(test, ctx, IGEN_BCS0);
	struct igen_request *rq;
	u32 *ring = lrc->ring.vaddr;
	unsigned int i, bad = 0;

	/* Fits exactly: no wrap, and the next one begins at 0. */
	lrc->ring.head = 4096 - BASIC_BYTES;
	lrc->ring.tail = 4096 - BASIC_BYTES;
	rq = igen_mock_request(test, ctx, IGEN_BCS0);
	KUNIT_EXPECT_EQ(test, rq->head, 4096 - BASIC_BYTES);
	memset(igen_request_emit(rq, 2), 0, 8);
	memset(igen_request_emit(rq, ALL_BUT_END / 4), 0, ALL_BUT_END);
	igen_request_add(rq);
	KUNIT_EXPECT_EQ(test, lrc->ring.tail, 0u);
	KUNIT_EXPECT_EQ(test, rq->tail, 4096 - rq->engine->emit->resubmit_dw * 4);
	igen_mock_complete(rq);
	igen_request_put(rq);

	/* With one qword less before the ring's end the request begins at 0, and NOOPs fill the ring to its end. */
	mutex_lock(&lrc->timeline.mutex);
	igen_lrc_retire(lrc);
	KUNIT_EXPECT_EQ(test, lrc->ring.head, 0u);
	lrc->ring.head = 4096 - BASIC_BYTES + 8;
	lrc->ring.tail = 4096 - BASIC_BYTES + 8;
	mutex_unlock(&lrc->timeline.mutex);
	memset(ring, 0xff, 4096);
	rq = igen_mock_request(test, ctx, IGEN_BCS0);
	KUNIT_EXPECT_EQ(test, rq->head, 0u);
	for (i = (4096 - BASIC_BYTES + 8) / 4; i < 1024; i++)
		bad += ring[i] != MI_NOOP;
	KUNIT_EXPECT_EQ(test, 0u, bad);
	/* And nothing else was touched. */
	KUNIT_EXPECT_EQ(test, ring[(4096 - BASIC_BYTES) / 4 + 1], 0xffffffffu);
	igen_request_add(rq);
	igen_mock_complete(rq);
	igen_request_put(rq);
	igen_context_put(ctx);
}

static void refuses_what_never_fits(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_lrc *lrc = igen_mock_lrc(test, ctx, IGEN_BCS0);
	unsigned int most = (4096 / 2 - IGEN_RING_GAP) / 4 - DRIVER_DW;
	struct igen_request *rq;

	rq = igen_request_create(lrc, most + 2, true);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(rq), -EINVAL);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&lrc->timeline.mutex));
	/* The most there can be, and it would wrap. */
	lrc->ring.tail = 2048 + IGEN_RING_GAP + 8;
	lrc->ring.head = lrc->ring.tail;
	rq = igen_request_create(lrc, most, true);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rq));
	KUNIT_EXPECT_EQ(test, rq->head, 0u);
	igen_request_cancel(rq, -ECANCELED);
	igen_mock_complete(rq);
	igen_request_put(rq);
	igen_context_put(ctx);
}

/* A ring filled to the brim refuses more, and has room again as requests complete; over several laps. */
static void fills_and_empties(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_lrc *lrc = igen_mock_lrc(test, ctx, IGEN_BCS0);
	struct igen_request *rq, *held[128];
	unsigned int newest = 0, oldest = 0, full = 0;

	while (newest < 500) {
		rq = igen_request_create(lrc, 2, true);
		if (IS_ERR(rq)) {
			KUNIT_ASSERT_EQ(test, PTR_ERR(rq), -EWOULDBLOCK);
			KUNIT_EXPECT_FALSE(test, mutex_is_locked(&lrc->timeline.mutex));
			/* Each takes 64 bytes at least and 144 at first; a gap is kept, and some is lost at the end. */
			KUNIT_ASSERT_GE(test, newest - oldest, (4096u - 64 - 2 * 144) / 64);
			KUNIT_ASSERT_LE(test, newest - oldest, (4096u - 64) / 64);
			full++;
			while (newest - oldest > 55) {
				igen_mock_complete(held[oldest % ARRAY_SIZE(held)]);
				igen_request_put(held[oldest++ % ARRAY_SIZE(held)]);
			}
			continue;
		}
		igen_request_add(rq);
		KUNIT_EXPECT_NE(test, lrc->ring.tail, lrc->ring.head);
		held[newest++ % ARRAY_SIZE(held)] = rq;
	}
	KUNIT_EXPECT_GT(test, full, 20u);
	for (; oldest < newest; oldest++) {
		igen_mock_complete(held[oldest % ARRAY_SIZE(held)]);
		igen_request_put(held[oldest % ARRAY_SIZE(held)]);
	}
	igen_context_put(ctx);
}

/* From its beginning to retirement: its references, when its fence signals, what it leaves. */
static void life_of_a_request(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_context *ctx = igen_mock_context(test, 7);
	struct igen_lrc *lrc = igen_mock_lrc(test, ctx, IGEN_RCS0);
	struct igen_engine *engine = lrc->engine;
	struct igen_device *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	unsigned int held = kref_read(&ctx->ref);
	struct igen_request *rq;

	KUNIT_ASSERT_NOT_NULL(test, other);
	igen_mock_engine(engine)->capacity = 1;
	rq = igen_mock_request(test, ctx, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, rq->priority, 7);
	KUNIT_EXPECT_EQ(test, 1, kref_read(&rq->fence.refcount));
	KUNIT_EXPECT_TRUE(test, mutex_is_locked(&lrc->timeline.mutex));
	KUNIT_EXPECT_TRUE(test, igen_fence_is_request(&rq->fence));
	KUNIT_EXPECT_TRUE(test, igen_fence_is_request_of(engine->igen, &rq->fence));
	KUNIT_EXPECT_FALSE(test, igen_fence_is_request_of(other, &rq->fence));

	igen_request_add(rq);
	/* The test's, the timeline's and the scheduler's. */
	KUNIT_EXPECT_EQ(test, 3, kref_read(&rq->fence.refcount));
	KUNIT_EXPECT_EQ(test, held + 1, kref_read(&ctx->ref));
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&lrc->timeline.mutex));
	KUNIT_EXPECT_PTR_EQ(test, igen_mock_engine(engine)->order[0], rq);
	KUNIT_EXPECT_TRUE(test, rq->submitted && rq->started && !rq->queued);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(&rq->fence));
	KUNIT_EXPECT_FALSE(test, list_empty(&lrc->active_link));
	KUNIT_EXPECT_EQ(test, atomic_read(&mock->igen->active_count), 1);

	/* Without a listener the driver finds by looking that it has completed. */
	igen_mock_complete(rq);
	KUNIT_EXPECT_FALSE(test, test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags));
	KUNIT_EXPECT_TRUE(test, igen_request_completed(rq));

	igen_retire(mock->igen);
	KUNIT_EXPECT_TRUE(test, test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags));
	KUNIT_EXPECT_TRUE(test, list_empty(&rq->timeline_link));
	KUNIT_EXPECT_TRUE(test, list_empty(&lrc->active_link));
	KUNIT_EXPECT_EQ(test, atomic_read(&mock->igen->active_count), 0);
	KUNIT_EXPECT_EQ(test, held, kref_read(&ctx->ref));
	KUNIT_EXPECT_EQ(test, lrc->ring.head, igen_request_end(rq));

	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(engine));
	KUNIT_EXPECT_EQ(test, 1, kref_read(&rq->fence.refcount));
	igen_request_put(rq);
	igen_context_put(ctx);
}

/* The owner drops its reference to a context with work: the context lives until the work ends, the fence longer. */
static void work_outlives_its_owner(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	unsigned int before = kref_read(&mock->igen->drm.ref);
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *rq;

	igen_mock_engine(mock->igen->engine[IGEN_BCS0])->capacity = 1;
	rq = igen_mock_submit(test, ctx, IGEN_BCS0);
	igen_context_put(ctx);
	igen_mock_settle(mock->igen);
	KUNIT_EXPECT_GT(test, kref_read(&mock->igen->drm.ref), before);
	KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(&rq->fence));

	igen_mock_complete(rq);
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(mock->igen->engine[IGEN_BCS0]));
	igen_mock_settle(mock->igen);
	KUNIT_EXPECT_EQ(test, kref_read(&mock->igen->drm.ref), before);
	/* Context, LRC and status page are gone; the fence answers by itself. */
	KUNIT_EXPECT_TRUE(test, igen_request_completed(rq));
	KUNIT_EXPECT_TRUE(test, dma_fence_is_signaled(&rq->fence));
	igen_request_put(rq);
}

static void wakes_listeners(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_engine *engine;
	struct igen_request *a, *b;

	a = igen_mock_submit(test, ctx, IGEN_VCS0);
	b = igen_mock_submit(test, ctx, IGEN_VCS0);
	engine = a->engine;
	igen_fence_enable_signaling(&b->fence);
	KUNIT_EXPECT_TRUE(test, b->signal_listed && !a->signal_listed);
	KUNIT_EXPECT_TRUE(test, engine->group->irq_armed);

	igen_mock_complete(a);
	KUNIT_EXPECT_FALSE(test, test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &b->fence.flags));
	igen_mock_complete(b);
	KUNIT_EXPECT_TRUE(test, test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &b->fence.flags));
	KUNIT_EXPECT_FALSE(test, b->signal_listed);
	/* The first interrupt without a listener masks it. */
	igen_breadcrumbs_signal(engine);
	KUNIT_EXPECT_FALSE(test, engine->group->irq_armed);

	/* Completed before there was a listener: nothing to wait for. */
	igen_fence_enable_signaling(&a->fence);
	KUNIT_EXPECT_TRUE(test, test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &a->fence.flags));
	KUNIT_EXPECT_TRUE(test, list_empty(&engine->group->signalers));
	igen_request_put(a);
	igen_request_put(b);
	igen_context_put(ctx);
}

/* Seqnos go round: one after the wrap is not taken for an old one, nor by engines, which know of no wrap. */
static void seqnos_wrap(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_lrc *lrc = igen_mock_lrc(test, ctx, IGEN_BCS0);
	const u32 *place = lrc->timeline.hwsp_seqno;
	struct igen_request *a, *b;

	lrc->timeline.seqno = 0xfffffffe;
	*lrc->timeline.hwsp_seqno = 0xfffffffe;
	a = igen_mock_submit(test, ctx, IGEN_BCS0);
	b = igen_mock_submit(test, ctx, IGEN_BCS0);
	KUNIT_EXPECT_EQ(test, lower_32_bits(b->fence.seqno), 1u);
	KUNIT_EXPECT_PTR_EQ(test, a->hwsp_seqno, place);
	KUNIT_EXPECT_PTR_NE(test, b->hwsp_seqno, place);
	KUNIT_EXPECT_EQ(test, *b->hwsp_seqno, 0u);
	KUNIT_EXPECT_EQ(test, igen_timeline_ggtt(&lrc->timeline, b->hwsp_seqno),
			lower_32_bits(igen_vma_start(lrc->image.vma)) + GEN9_LRC_XCS_PAGES * PAGE_SIZE + 8);
	KUNIT_EXPECT_FALSE(test, igen_request_completed(a));
	KUNIT_EXPECT_FALSE(test, igen_request_completed(b));
	igen_mock_complete(a);
	KUNIT_EXPECT_TRUE(test, igen_request_completed(a));
	KUNIT_EXPECT_FALSE(test, igen_request_completed(b));
	igen_mock_complete(b);
	KUNIT_EXPECT_TRUE(test, igen_request_completed(a));
	KUNIT_EXPECT_TRUE(test, igen_request_completed(b));
	KUNIT_EXPECT_EQ(test, *place, 0xffffffffu);
	igen_request_put(a);
	igen_request_put(b);

	/* And back. */
	lrc->timeline.seqno = 0xffffffff;
	*lrc->timeline.hwsp_seqno = 0xffffffff;
	a = igen_mock_submit(test, ctx, IGEN_BCS0);
	KUNIT_EXPECT_PTR_EQ(test, a->hwsp_seqno, place);
	KUNIT_EXPECT_FALSE(test, igen_request_completed(a));
	igen_mock_complete(a);
	igen_request_put(a);
	igen_context_put(ctx);
}

static void banned_or_wedged(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_lrc *lrc = igen_mock_lrc(test, ctx, IGEN_BCS0);

	set_bit(IGEN_CONTEXT_BANNED, &ctx->flags);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(igen_request_create(lrc, 2, true)), -EIO);
	clear_bit(IGEN_CONTEXT_BANNED, &ctx->flags);
	mock->igen->wedged = true;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(igen_request_create(lrc, 2, true)), -EIO);
	mock->igen->wedged = false;
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&lrc->timeline.mutex));
	igen_context_put(ctx);
}

/* What other code does while the test holds a timeline's mutex, as a wait for ring space does. */
struct errand {
	struct work_struct work;
	struct completion done;
	struct igen_context *ctx;
	struct igen_lrc *lrc;
	unsigned long before_all;
	struct igen_request *newest, *none;
};

static void look_and_leave(struct work_struct *work)
{
	struct errand *errand = container_of(work, struct errand, work);

	errand->newest = igen_lrc_newest(errand->lrc, jiffies);
	errand->none = igen_lrc_newest(errand->lrc, errand->before_all);
	/* No engine has what would have to go. */
	igen_context_leave(errand->ctx);
	complete(&errand->done);
}

static void no_wait_for_a_full_ring(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct errand errand = { .ctx = ctx };
	struct igen_request *a, *b;
	bool done;

	mock->igen->engine[IGEN_BCS0]->props.heartbeat_interval_ms = 60 * MSEC_PER_SEC;
	errand.lrc = igen_mock_lrc(test, ctx, IGEN_BCS0);
	a = igen_mock_submit(test, ctx, IGEN_BCS0);
	b = igen_mock_submit(test, ctx, IGEN_BCS0);
	errand.before_all = a->emitted_jiffies - 1;
	init_completion(&errand.done);
	INIT_WORK_ONSTACK(&errand.work, look_and_leave);

	mutex_lock(&errand.lrc->timeline.mutex);
	schedule_work(&errand.work);
	done = wait_for_completion_timeout(&errand.done, 300 * HZ);
	mutex_unlock(&errand.lrc->timeline.mutex);
	flush_work(&errand.work);
	destroy_work_on_stack(&errand.work);

	KUNIT_EXPECT_TRUE(test, done);
	KUNIT_EXPECT_PTR_EQ(test, errand.newest, b);
	KUNIT_EXPECT_NULL(test, errand.none);
	if (errand.newest)
		igen_request_put(errand.newest);
	igen_mock_complete(a);
	igen_mock_complete(b);
	KUNIT_EXPECT_NULL(test, igen_lrc_newest(errand.lrc, jiffies));
	igen_request_put(a);
	igen_request_put(b);
	igen_context_put(ctx);
}

/* An engine that writes a request's seqno a moment later, and raises no interrupt. */
struct writer {
	struct timer_list timer;
	struct igen_request *rq;
};

static void writer_writes(struct timer_list *timer)
{
	struct igen_request *rq = container_of(timer, struct writer, timer)->rq;

	WRITE_ONCE(*(u32 *)rq->hwsp_seqno, lower_32_bits(rq->fence.seqno));
}

static void waits_spin_for_what_runs(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine = mock->igen->engine[IGEN_BCS0];
	struct igen_context *ctx = igen_mock_context(test, 0);
	unsigned int tries, spun = 0;
	struct igen_request *a, *b;
	struct writer writer;
	signed long left;

	/* Not in the queue, and not behind another of its timeline. */
	igen_mock_engine(engine)->capacity = 0;
	a = igen_mock_submit(test, ctx, IGEN_BCS0);
	b = igen_mock_submit(test, ctx, IGEN_BCS0);
	engine->props.max_busywait_duration_ns = 1234;
	KUNIT_EXPECT_EQ(test, request_busywait_ns(a), 0ull);
	igen_mock_engine(engine)->capacity = IGEN_MOCK_ORDER;
	igen_scheduler_look(a);
	KUNIT_EXPECT_EQ(test, request_busywait_ns(a), 1234ull);
	KUNIT_EXPECT_EQ(test, request_busywait_ns(b), 0ull);
	engine->props.max_busywait_duration_ns = 0;
	KUNIT_EXPECT_EQ(test, request_busywait_ns(a), 0ull);
	KUNIT_EXPECT_FALSE(test, request_spin(a, true));
	engine->props.max_busywait_duration_ns = 1000;
	KUNIT_EXPECT_FALSE(test, request_spin(a, true));
	igen_mock_complete(a);
	KUNIT_EXPECT_TRUE(test, request_spin(a, true));
	KUNIT_EXPECT_EQ(test, request_busywait_ns(a), 0ull);
	KUNIT_EXPECT_EQ(test, request_busywait_ns(b), 1000ull);
	igen_mock_complete(b);
	igen_request_put(a);
	igen_request_put(b);

	/* No interrupt ends a wait here. A spin does, unless another task wants the CPU. */
	engine->props.max_busywait_duration_ns = UINT_MAX;
	for (tries = 0; tries < 20 && !spun; tries++) {
		writer.rq = igen_mock_submit(test, ctx, IGEN_BCS0);
		timer_setup_on_stack(&writer.timer, writer_writes, 0);
		mod_timer(&writer.timer, jiffies + 2);
		left = dma_fence_wait_timeout(&writer.rq->fence, false, HZ);
		igen_timer_delete_sync(&writer.timer);
		destroy_timer_on_stack(&writer.timer);
		spun = left > 0;
		igen_mock_complete(writer.rq);
		igen_request_put(writer.rq);
	}
	KUNIT_EXPECT_TRUE(test, spun);
	igen_context_put(ctx);
}

/* A client that keeps memory, with KASAN, too. */
static struct igen_client *keeping_client(struct kunit *test)
{
	struct igen_client *client = igen_mock_client(test);

	client->pool.most = 1000;
	return client;
}

/* A request of a client's, as when its last reference goes. */
static struct igen_request *released(struct kunit *test, struct igen_client *client)
{
	struct igen_request *rq = kmem_cache_alloc(request_cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rq);
	KUNIT_ASSERT_EQ(test, igen_budget_charge_request(client->budget, sizeof(*rq)), 0);
	this_cpu_inc(live_requests);
	rq->budget = client->budget;
	kref_get(&client->ref);
	rq->client = client;
	rq->capture = NULL;
	rq->charged = 0;
	return rq;
}

/* Until the end of a second grace period, which begins with the first one's end. */
static void wait_for_rest(void)
{
	rcu_barrier();
	rcu_barrier();
}

/* Requests that there are, without those that earlier tests have released. */
static long live(void)
{
	long sum = 0;
	int cpu;

	wait_for_rest();
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&live_requests, cpu));
	return sum;
}

/* As long as a reader may look at a fence, its memory is that of no other request. */
static void memory_rests(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	struct igen_request *a, *b, *early, *got[2];
	unsigned int refs;
	long before = live();

	a = released(test, client);
	b = released(test, client);
	rcu_read_lock();
	KUNIT_EXPECT_TRUE(test, igen_request_pool_put(a));
	/* Its grace period has to begin later. */
	KUNIT_EXPECT_TRUE(test, igen_request_pool_put(b));
	mdelay(100);
	early = igen_request_pool_get(&client->pool);
	refs = kref_read(&client->ref);
	rcu_read_unlock();
	KUNIT_EXPECT_NULL(test, early);
	KUNIT_EXPECT_EQ(test, refs, 3u);

	wait_for_rest();
	KUNIT_EXPECT_EQ(test, kref_read(&client->ref), 1u);
	got[0] = igen_request_pool_get(&client->pool);
	got[1] = igen_request_pool_get(&client->pool);
	KUNIT_EXPECT_TRUE(test, (got[0] == a && got[1] == b) || (got[0] == b && got[1] == a));
	KUNIT_EXPECT_NULL(test, igen_request_pool_get(&client->pool));

	kref_get(&client->ref);
	KUNIT_EXPECT_TRUE(test, igen_request_pool_put(a));
	KUNIT_EXPECT_EQ(test, live(), before + 2);
	request_free(b);
	/* What is left goes with the client. */
	igen_client_put(client);
	KUNIT_EXPECT_EQ(test, live(), before);
}

/* Releases MANY requests within one grace period. */
static void release_many(struct kunit *test, struct igen_client *client)
{
	struct igen_request *rq[MANY];
	unsigned int i;

	for (i = 0; i < MANY; i++)
		rq[i] = released(test, client);
	rcu_read_lock();
	for (i = 0; i < MANY; i++)
		KUNIT_EXPECT_TRUE(test, igen_request_pool_put(rq[i]));
	rcu_read_unlock();
}

/* A client that has needed many requests at once, and needs few by now, gives their memory back. */
static void few_are_kept(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);

	client->pool.taken[1] = MANY / 2;
	release_many(test, client);
	wait_for_rest();
	KUNIT_EXPECT_EQ(test, client->pool.num, (unsigned int)MANY);
	KUNIT_EXPECT_EQ(test, client->pool.num_ready, (unsigned int)MANY);
	release_many(test, client);
	wait_for_rest();
	KUNIT_EXPECT_GT(test, client->pool.num, 0u);
	KUNIT_EXPECT_LT(test, client->pool.num, MANY / 2u);
	KUNIT_EXPECT_EQ(test, client->pool.num_ready, client->pool.num);
	igen_client_put(client);
}

/* A client whose file is closed keeps nothing, also of what is released later. */
static void closed_client_keeps_nothing(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	struct igen_mock *mock = test->priv;
	struct igen_request *rq;
	long before = live();

	igen_client_open(mock->igen, client);
	release_many(test, client);
	igen_client_close(mock->igen, client);
	KUNIT_EXPECT_EQ(test, live(), before);
	rq = released(test, client);
	KUNIT_EXPECT_FALSE(test, igen_request_pool_put(rq));
	igen_client_put(client);
	request_free(rq);
	igen_client_put(client);
}

static void nothing(struct work_struct *work)
{
}

/* When the GPU has nothing to do, or a client was refused memory, clients of open files keep nothing. */
static void idle_clients_keep_nothing(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	struct igen_mock *mock = test->priv;
	long before = live();
	unsigned int i;

	/* The mock's worker does nothing. */
	igen_retire_init(mock->igen);
	igen_client_open(mock->igen, client);
	/* What rests meanwhile, too, but for a few. */
	client->pool.taken[1] = MANY;
	release_many(test, client);
	igen_clients_free_idle(mock->igen);
	wait_for_rest();
	KUNIT_EXPECT_LT(test, client->pool.num, MANY / 2u);
	igen_clients_free_idle(mock->igen);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_TRUE(test, igen_request_pool_put(released(test, client)));
		KUNIT_EXPECT_EQ(test, live(), before + 1);
		if (i)
			igen_clients_free_idle(mock->igen);
		else
			igen_retire_now(mock->igen);
		KUNIT_EXPECT_EQ(test, live(), before);
	}
	igen_client_close(mock->igen, client);
	igen_client_put(client);
	cancel_delayed_work_sync(&mock->igen->retire_work);
	INIT_DELAYED_WORK(&mock->igen->retire_work, nothing);
}

/* However many requests a client releases at once, the pool has so many and no more; the driver's own are not kept. */
static void pool_is_bounded(struct kunit *test)
{
	struct igen_client *client = keeping_client(test);
	struct igen_request **rq, own = {};
	unsigned int kept = 0, i;
	long before = live();

	KUNIT_EXPECT_FALSE(test, igen_request_pool_put(&own));
	rq = kunit_kcalloc(test, 1001, sizeof(*rq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (i = 0; i < 1001; i++)
		rq[i] = released(test, client);
	/* Nothing is given back meanwhile. */
	rcu_read_lock();
	while (kept < 1001 && igen_request_pool_put(rq[kept]))
		kept++;
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, kept, 1000u);
	for (i = kept; i < 1001; i++) {
		igen_client_put(client);
		request_free(rq[i]);
	}
	igen_client_put(client);
	KUNIT_EXPECT_EQ(test, live(), before);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(space_in_a_ring),
	KUNIT_CASE(space_for_a_wrap),
	KUNIT_CASE(tail_never_meets_head),
	KUNIT_CASE(emits_what_was_reserved),
	KUNIT_CASE(wraps_near_the_end),
	KUNIT_CASE(refuses_what_never_fits),
	KUNIT_CASE(fills_and_empties),
	KUNIT_CASE(life_of_a_request),
	KUNIT_CASE(work_outlives_its_owner),
	KUNIT_CASE(wakes_listeners),
	KUNIT_CASE(seqnos_wrap),
	KUNIT_CASE(banned_or_wedged),
	KUNIT_CASE(no_wait_for_a_full_ring),
	KUNIT_CASE(waits_spin_for_what_runs),
	KUNIT_CASE(memory_rests),
	KUNIT_CASE(few_are_kept),
	KUNIT_CASE(closed_client_keeps_nothing),
	KUNIT_CASE(idle_clients_keep_nothing),
	KUNIT_CASE(pool_is_bounded),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_request",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
