// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of the eviction of idle contexts
 *
 * The GGTT has room for about fifteen contexts, and the tests use more of them than that.
 */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/uidgid.h>

#include <igen/regs/context.h>
#include <igen/regs/engine.h>

#include "../engine/igen_lrc.h"
#include "../mm/igen_budget.h"
#include "igen_mock_ports.h"
#include "../submit/igen_retire.h"

#define NUM_CONTEXTS	40
#define TAKEN		(56 * SZ_1M)

struct evict_test {
	struct igen_mock_ports *t;
	struct igen_context *ctx[NUM_CONTEXTS];
	/* reserved nodes before and behind the driver's page of the aperture, which leave little room */
	struct drm_mm_node taken[2];
};

static void take(struct kunit *test, struct evict_test *s, unsigned int i, u64 from, u64 to)
{
	s->taken[i].start = from;
	s->taken[i].size = to - from;
	s->taken[i].color = IGEN_COLOR_RESERVED;
	KUNIT_EXPECT_EQ(test, 0, drm_mm_reserve_node(&s->t->igen->ggtt.vm.mm, &s->taken[i]));
}

static struct evict_test *start_small(struct kunit *test)
{
	struct evict_test *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct igen_ggtt *ggtt;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->t = start(test);
	ggtt = &s->t->igen->ggtt;
	mutex_lock(&ggtt->vm.mutex);
	take(test, s, 0, 0, ggtt->window.start);
	take(test, s, 1, ggtt->window.start + ggtt->window.size, TAKEN);
	mutex_unlock(&ggtt->vm.mutex);
	for (i = 0; i < NUM_CONTEXTS; i++) {
		s->ctx[i] = igen_mock_context(test, 0);
		s->ctx[i]->ring_size = SZ_512K;
	}
	return s;
}

static void end_small(struct evict_test *s)
{
	struct igen_vm *ggtt = &s->t->igen->ggtt.vm;
	unsigned int i;

	for (i = 0; i < NUM_CONTEXTS; i++)
		igen_context_put(s->ctx[i]);
	mutex_lock(&ggtt->mutex);
	for (i = 0; i < ARRAY_SIZE(s->taken); i++)
		drm_mm_remove_node(&s->taken[i]);
	mutex_unlock(&ggtt->mutex);
	end(s->t);
}

/* Runs a request of a context until it completes. The engine has not saved the context yet: see save(). */
static struct igen_request *run(struct kunit *test, struct evict_test *s, unsigned int i)
{
	struct igen_request *rq = igen_mock_submit(test, s->ctx[i], IGEN_BCS0);

	event(s->t, CSB_IDLE_TO_ACTIVE, 0);
	igen_mock_complete(rq);
	return rq;
}

static void save(struct evict_test *s, struct igen_request *rq)
{
	event(s->t, COMPLETE_IDLE, igen_mock_id_of(rq));
	igen_request_put(rq);
}

static void expect_in_ggtt(struct kunit *test, const struct igen_lrc *lrc, bool in)
{
	KUNIT_EXPECT_EQ(test, lrc->pinned, in);
	KUNIT_EXPECT_EQ(test, lrc->image.vma->bound, in);
	KUNIT_EXPECT_EQ(test, lrc->ring.vma->bound, in);
	KUNIT_EXPECT_EQ(test, lrc->image.vma->pin_count, (unsigned int)in);
	KUNIT_EXPECT_EQ(test, lrc->ring.vma->pin_count, (unsigned int)in);
}

/*
 * More contexts than the GGTT has room for: the least recently used context is evicted, but not one that the engine has
 * not saved yet.
 */
static void unused_ones_give_way(struct kunit *test)
{
	struct evict_test *s = start_small(test);
	struct igen_lrc *first, *second;
	struct igen_request *rq;
	unsigned int i;
	u64 place;

	save(s, run(test, s, 0));
	rq = run(test, s, 1);
	first = igen_mock_lrc(test, s->ctx[0], IGEN_BCS0);
	second = igen_mock_lrc(test, s->ctx[1], IGEN_BCS0);
	place = igen_vma_start(second->image.vma);
	for (i = 2; i < NUM_CONTEXTS; i++)
		igen_mock_lrc(test, s->ctx[i], IGEN_BCS0);

	expect_in_ggtt(test, first, false);
	expect_in_ggtt(test, second, true);
	KUNIT_EXPECT_EQ(test, igen_vma_start(second->image.vma), place);
	expect_in_ggtt(test, igen_mock_lrc(test, s->ctx[NUM_CONTEXTS - 1], IGEN_BCS0), true);

	/* The second context's image belongs to the engine until the engine has saved it. */
	igen_evict_contexts(s->t->igen);
	expect_in_ggtt(test, second, true);
	save(s, rq);
	igen_evict_contexts(s->t->igen);
	expect_in_ggtt(test, second, false);
	expect_in_ggtt(test, igen_mock_lrc(test, s->ctx[NUM_CONTEXTS - 1], IGEN_BCS0), false);
	end_small(s);
}

/* For a process that has its share contexts of others stay. */
static void others_stay(struct kunit *test)
{
	struct evict_test *s = start_small(test);
	struct igen_vm *ggtt = &s->t->igen->ggtt.vm;
	struct igen_mock *mock = test->priv;
	struct pid *init = find_get_pid(1);
	struct igen_budget *one = igen_budget_open(s->t->igen, task_tgid(current), KUIDT_INIT(1000));
	struct igen_budget *other = igen_budget_open(s->t->igen, init, KUIDT_INIT(1000));
	struct igen_lrc *lrc;

	KUNIT_ASSERT_NOT_NULL(test, one);
	KUNIT_ASSERT_NOT_NULL(test, other);
	mock->vm->budget = one;
	save(s, run(test, s, 0));
	lrc = igen_mock_lrc(test, s->ctx[0], IGEN_BCS0);
	mutex_lock(&ggtt->mutex);
	KUNIT_EXPECT_EQ(test, ggtt->evict_contexts(ggtt, other, ggtt->total, 1), 0u);
	expect_in_ggtt(test, lrc, true);
	KUNIT_EXPECT_EQ(test, ggtt->evict_contexts(ggtt, one, ggtt->total, 1), 1u);
	expect_in_ggtt(test, lrc, false);
	mutex_unlock(&ggtt->mutex);
	end_small(s);
	igen_release_drain();
	mock->vm->budget = NULL;
	igen_budget_put(one);
	igen_budget_put(other);
	put_pid(init);
}

/* A request that has not completed keeps its context in the GGTT, and so does an uncommitted request. */
static void used_ones_stay(struct kunit *test)
{
	struct evict_test *s = start_small(test);
	struct igen_request *rq = igen_mock_submit(test, s->ctx[0], IGEN_BCS0), *open;
	struct igen_lrc *lrc = rq->lrc;
	u64 place = igen_vma_start(lrc->image.vma);
	unsigned int i;

	open = igen_mock_request(test, s->ctx[1], IGEN_BCS0);
	igen_evict_contexts(s->t->igen);
	expect_in_ggtt(test, lrc, true);
	expect_in_ggtt(test, open->lrc, true);
	igen_request_add(open);
	for (i = 2; i < NUM_CONTEXTS; i++)
		igen_mock_lrc(test, s->ctx[i], IGEN_BCS0);
	expect_in_ggtt(test, lrc, true);
	expect_in_ggtt(test, open->lrc, true);
	KUNIT_EXPECT_EQ(test, igen_vma_start(lrc->image.vma), place);
	igen_request_put(open);
	igen_request_put(rq);
	end_small(s);
}

/*
 * An evicted context comes back at another address: image, ring and descriptor name it, and the image's content stays.
 */
static void comes_back_elsewhere(struct kunit *test)
{
	struct evict_test *s = start_small(test);
	struct igen_request *rq;
	struct igen_lrc *lrc;
	u64 before, place;
	u32 tail, elsp;

	save(s, run(test, s, 0));
	lrc = igen_mock_lrc(test, s->ctx[0], IGEN_BCS0);
	before = igen_vma_start(lrc->image.vma);
	tail = lrc->ring.tail;
	lrc->image.regs[CTX_TIMESTAMP] = 0xbeef;
	igen_evict_contexts(s->t->igen);
	expect_in_ggtt(test, lrc, false);
	/* The second context takes the first one's place. */
	save(s, run(test, s, 1));

	rq = igen_mock_submit(test, s->ctx[0], IGEN_BCS0);
	KUNIT_EXPECT_PTR_EQ(test, rq->lrc, lrc);
	expect_in_ggtt(test, lrc, true);
	place = igen_vma_start(lrc->image.vma);
	KUNIT_EXPECT_NE(test, place, before);
	KUNIT_EXPECT_EQ(test, lrc->image.desc & 0xfffff000, place);
	KUNIT_EXPECT_EQ(test, upper_32_bits(lrc->image.desc), lower_32_bits(place >> PAGE_SHIFT));
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_RING_START], lower_32_bits(igen_vma_start(lrc->ring.vma)));
	KUNIT_EXPECT_EQ(test, igen_timeline_ggtt(&lrc->timeline, lrc->timeline.hwsp_seqno),
			lower_32_bits(place) + GEN9_LRC_XCS_PAGES * 4096);
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_TIMESTAMP], 0xbeefu);
	/* The engine may still hold another image that had this address. */
	elsp = igen_read(s->t->igen, RING_ELSP(s->t->engine->info->base));
	KUNIT_EXPECT_EQ(test, elsp & 0xfffff000, lower_32_bits(place));
	KUNIT_EXPECT_TRUE(test, elsp & CTX_DESC_FORCE_RESTORE);
	/* The ring goes on where it was. */
	KUNIT_EXPECT_EQ(test, rq->head, tail);
	KUNIT_EXPECT_EQ(test, lower_32_bits(rq->fence.seqno), 2u);
	igen_request_put(rq);
	end_small(s);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(unused_ones_give_way),
	KUNIT_CASE(others_stay),
	KUNIT_CASE(used_ones_stay),
	KUNIT_CASE(comes_back_elsewhere),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_evict_contexts",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_execlists,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
