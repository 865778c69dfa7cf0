// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of preemption by UHPTR
 *
 * The device is an Ivy Bridge on memory in place of registers, with the real backend. A test is the render engine: it
 * goes where UHPTR says, and tells where it was.
 */
#include <linux/sizes.h>

#include <igen/cmd/mi.h>
#include <igen/regs/engine.h>
#include <igen/regs/irq.h>

#include "../submit/igen_ringbuffer.h"
#include "igen_mock.h"

#define BATCH_PLACE	0x123450u
/* Where the commands are that clear registers: an address that nothing else has. */
#define CLEAR_PAGE	0x5a5a5000u

/** struct uhptr_test - the engine and contexts for it, of which the last is urgent */
struct uhptr_test {
	struct igen_device *igen;
	struct igen_engine *engine;
	struct igen_ringbuffer *rb;
	struct igen_context *ctx[3];
	struct igen_request *low, *next, *urgent, *more;
};

static u32 uhptr(const struct uhptr_test *t)
{
	return igen_read(t->igen, RING_UHPTR(t->engine->info->base));
}

static struct uhptr_test *begin(struct kunit *test)
{
	struct uhptr_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct igen_mock *mock = test->priv;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->igen = mock->igen;
	t->engine = mock->igen->engine[IGEN_RCS0];
	t->rb = to_ringbuffer(t->engine);
	for (i = 0; i < ARRAY_SIZE(t->ctx); i++)
		t->ctx[i] = igen_mock_context(test, 0);
	t->ctx[2]->priority = 10;
	return t;
}

/* Two requests are in the ring, and a more urgent one comes, and one behind that. */
static void fill(struct kunit *test, struct uhptr_test *t)
{
	t->low = igen_mock_submit(test, t->ctx[0], IGEN_RCS0);
	t->next = igen_mock_submit(test, t->ctx[1], IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, uhptr(t), 0u);
	t->urgent = igen_mock_submit(test, t->ctx[2], IGEN_RCS0);
	t->more = igen_mock_submit(test, t->ctx[2], IGEN_RCS0);
}

static struct uhptr_test *start(struct kunit *test)
{
	struct uhptr_test *t = begin(test);

	fill(test, t);
	return t;
}

static void interrupt(struct uhptr_test *t)
{
	t->igen->platform->submit->irq(t->engine, GT_IRQ_USER);
}

static void finish(struct uhptr_test *t, struct igen_request *rq)
{
	if (!igen_request_completed(rq))
		igen_mock_complete(rq);
	interrupt(t);
}

static void end(struct uhptr_test *t)
{
	unsigned int i;

	finish(t, t->urgent);
	finish(t, t->more);
	finish(t, t->low);
	finish(t, t->next);
	WRITE_ONCE(t->rb->told->begun, t->rb->serial);
	igen_request_put(t->more);
	igen_request_put(t->low);
	igen_request_put(t->next);
	igen_request_put(t->urgent);
	for (i = 0; i < ARRAY_SIZE(t->ctx); i++)
		igen_context_put(t->ctx[i]);
}

/* How often an engine that goes to the arrival at once, before it gets the new tail, would not find its ring empty. */
static unsigned int early;

static void preempt_early(struct igen_engine *engine, u32 place)
{
	early += igen_read(engine->igen, RING_TAIL(engine->info->base)) != place;
}

/* The engine comes to the arrival, from a place in the ring and one in a batch. */
static void arrive(struct kunit *test, struct uhptr_test *t, u32 ring, u32 batch)
{
	unsigned int n;

	for (n = 0; n < t->rb->count && !t->rb->entry[n].arrival; n++)
		;
	KUNIT_ASSERT_LT(test, n, t->rb->count);
	WRITE_ONCE(t->rb->told->ring, ring);
	WRITE_ONCE(t->rb->told->batch, batch);
	WRITE_ONCE(t->rb->told->arrived, t->rb->entry[n].serial);
	interrupt(t);
}

/* The urgent request is in the ring at once, behind an arrival that UHPTR leads to, and nothing follows it. */
static void urgent_request_arms(struct kunit *test)
{
	struct uhptr_test *t = start(test);
	const u32 *ring = t->engine->ring.vaddr;
	u32 place = uhptr(t) & UHPTR_HEAD_MASK;

	KUNIT_EXPECT_TRUE(test, t->urgent->submitted);
	KUNIT_EXPECT_TRUE(test, t->rb->armed);
	KUNIT_EXPECT_TRUE(test, uhptr(t) & UHPTR_VALID);
	KUNIT_EXPECT_EQ(test, place, t->rb->entry[1].end);
	/* It ends the request for preemption first of all. */
	KUNIT_EXPECT_EQ(test, ring[place / 4], (u32)MI_LOAD_REGISTER_IMM(1));
	KUNIT_EXPECT_EQ(test, ring[place / 4 + 1], (u32)RING_UHPTR(RCS0_BASE));
	KUNIT_EXPECT_EQ(test, ring[place / 4 + 2], 0u);

	KUNIT_EXPECT_TRUE(test, t->more->queued);
	arrive(test, t, t->rb->entry[0].check, 0);
	KUNIT_EXPECT_FALSE(test, t->rb->armed);
	KUNIT_EXPECT_TRUE(test, t->more->submitted);
	KUNIT_EXPECT_TRUE(test, t->low->queued && t->next->queued);
	KUNIT_EXPECT_FALSE(test, igen_request_is_preempted(t->low));
	end(t);
}

/* What was left within its batch goes on there, without its first part, and the next request from its beginning. */
static void batch_goes_on_where_it_was(struct kunit *test)
{
	struct uhptr_test *t = start(test);
	const struct igen_ring_entry *entry;
	const void *ring = t->engine->ring.vaddr;
	const u32 *cs;
	u32 bytes;

	arrive(test, t, t->rb->entry[0].batch, BATCH_PLACE);
	KUNIT_EXPECT_TRUE(test, t->low->queued && t->next->queued);
	KUNIT_EXPECT_TRUE(test, igen_request_is_preempted(t->low));
	KUNIT_EXPECT_FALSE(test, igen_request_is_preempted(t->next));
	KUNIT_EXPECT_EQ(test, t->rb->count, 2u);
	KUNIT_EXPECT_PTR_EQ(test, t->rb->entry[0].rq, t->urgent);
	KUNIT_EXPECT_PTR_EQ(test, t->rb->entry[1].rq, t->more);

	finish(t, t->urgent);
	finish(t, t->more);
	KUNIT_EXPECT_TRUE(test, t->low->submitted && t->next->submitted);
	entry = &t->rb->entry[0];
	KUNIT_ASSERT_PTR_EQ(test, entry->rq, t->low);
	cs = ring + entry->batch;
	KUNIT_EXPECT_EQ(test, cs[-1], BATCH_PLACE);
	KUNIT_EXPECT_EQ(test, cs[-2], (u32)(GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT));
	KUNIT_EXPECT_EQ(test, entry->check_again, entry->batch - 3 * (u32)sizeof(u32));
	bytes = t->low->tail - t->low->postfix;
	/* The clock is stored behind it. */
	KUNIT_EXPECT_EQ(test, entry->end - entry->batch, bytes + 3 * (u32)sizeof(u32));
	KUNIT_EXPECT_EQ(test, memcmp(cs, t->low->lrc->ring.vaddr + t->low->postfix, bytes), 0);
	end(t);
}

/* A copy with privilege goes on with privilege, where it was. */
static void copy_goes_on_with_privilege(struct kunit *test)
{
	struct uhptr_test *t = start(test);
	const void *ring = t->engine->ring.vaddr;
	const u32 *cs;

	t->low->batch_start = BATCH_PLACE - SZ_4K;
	t->low->privileged = SZ_4K + sizeof(u32);
	arrive(test, t, t->rb->entry[0].batch, BATCH_PLACE);
	KUNIT_EXPECT_TRUE(test, igen_request_is_preempted(t->low));
	finish(t, t->urgent);
	finish(t, t->more);
	KUNIT_ASSERT_PTR_EQ(test, t->rb->entry[0].rq, t->low);
	cs = ring + t->rb->entry[0].batch;
	KUNIT_EXPECT_EQ(test, cs[-1], BATCH_PLACE);
	KUNIT_EXPECT_EQ(test, cs[-2], (u32)GEN7_MI_BATCH_BUFFER_START);
	end(t);
}

/* Places in front of such a copy and behind it are none where the engine can have been. */
static void copy_is_not_left(struct kunit *test)
{
	struct uhptr_test *t = start(test);

	KUNIT_EXPECT_TRUE(test, igen_uhptr_possible(t->low, BATCH_PLACE));
	KUNIT_EXPECT_FALSE(test, igen_uhptr_possible(t->low, 0));
	KUNIT_EXPECT_FALSE(test, igen_uhptr_possible(t->low, BATCH_PLACE + 2));
	t->low->batch_start = BATCH_PLACE;
	t->low->privileged = SZ_4K;
	KUNIT_EXPECT_TRUE(test, igen_uhptr_possible(t->low, BATCH_PLACE + SZ_4K - sizeof(u32)));
	KUNIT_EXPECT_FALSE(test, igen_uhptr_possible(t->low, BATCH_PLACE + SZ_4K));
	KUNIT_EXPECT_FALSE(test, igen_uhptr_possible(t->low, BATCH_PLACE - sizeof(u32)));
	end(t);
}

/* Preempted again before it came to its batch, it still goes on where it was. */
static void preempted_twice(struct kunit *test)
{
	struct uhptr_test *t = start(test);
	struct igen_request *again;

	arrive(test, t, t->rb->entry[0].batch, BATCH_PLACE);
	finish(t, t->urgent);
	finish(t, t->more);
	KUNIT_ASSERT_PTR_EQ(test, t->rb->entry[0].rq, t->low);
	again = igen_mock_submit(test, t->ctx[2], IGEN_RCS0);
	KUNIT_EXPECT_TRUE(test, again->submitted);
	arrive(test, t, t->rb->entry[0].check_again, 0);
	KUNIT_EXPECT_PTR_EQ(test, t->rb->entry[0].rq, again);
	KUNIT_EXPECT_PTR_EQ(test, t->rb->entry[1].rq, t->low);
	KUNIT_EXPECT_EQ(test, to_lrc_ringbuffer(t->low->lrc)->resume, BATCH_PLACE);
	finish(t, again);
	igen_request_put(again);
	end(t);
}

/* The engine ends both requests, and comes to the arrival in order. */
static void arrival_in_order(struct kunit *test)
{
	struct uhptr_test *t = start(test);

	finish(t, t->low);
	finish(t, t->next);
	KUNIT_EXPECT_TRUE(test, t->rb->armed);
	arrive(test, t, IGEN_RING_NOWHERE, 0);
	KUNIT_EXPECT_FALSE(test, t->rb->armed || t->rb->misread);
	KUNIT_EXPECT_EQ(test, t->rb->count, 2u);
	KUNIT_EXPECT_PTR_EQ(test, t->rb->entry[0].rq, t->urgent);
	KUNIT_EXPECT_FALSE(test, igen_request_is_preempted(t->low));
	end(t);
}

/* An engine that goes to the arrival at once finds its ring empty, also with the arrival at the ring's beginning. */
static void arrival_at_the_ring_s_beginning(struct kunit *test)
{
	struct uhptr_test *t = start(test);
	const struct igen_switch_ops *real = t->rb->ops;
	struct igen_switch_ops ops = *real;
	struct igen_request *rq[2];
	unsigned int n;
	u32 before, bytes = 0;

	arrive(test, t, t->rb->entry[0].check, 0);
	finish(t, t->urgent);
	finish(t, t->more);
	finish(t, t->low);
	finish(t, t->next);
	ops.preempt = preempt_early;
	t->rb->ops = &ops;
	early = 0;
	for (n = 0; n < 2; n++) {
		if (n) {
			/* An idle ring, with room for the first request alone in front of its end. */
			t->engine->ring.tail = t->engine->ring.size - bytes - 32;
			t->engine->ring.head = t->engine->ring.tail;
		}
		before = t->engine->ring.tail;
		rq[0] = igen_mock_submit(test, t->ctx[0], IGEN_RCS0);
		bytes = t->rb->entry[0].end - before;
		rq[1] = igen_mock_submit(test, t->ctx[2], IGEN_RCS0);
		KUNIT_ASSERT_TRUE(test, t->rb->armed);
		KUNIT_EXPECT_EQ(test, early, 0u);
		if (n)
			KUNIT_EXPECT_LT(test, t->rb->entry[1].end, t->rb->entry[0].end);
		finish(t, rq[0]);
		arrive(test, t, IGEN_RING_NOWHERE, 0);
		finish(t, rq[1]);
		igen_request_put(rq[0]);
		igen_request_put(rq[1]);
	}
	t->rb->ops = real;
	end(t);
}

/* Code other than the interrupt's handler finds that the engine has arrived. The next urgent request preempts again. */
static void arrival_found_by_others(struct kunit *test)
{
	struct uhptr_test *t = start(test);
	struct igen_engine_state state;

	igen_mock_complete(t->low);
	igen_mock_complete(t->next);
	WRITE_ONCE(t->rb->told->arrived, t->rb->entry[2].serial);
	KUNIT_ASSERT_TRUE(test, t->rb->entry[2].arrival);
	spin_lock_irq(&t->engine->group->lock);
	t->igen->platform->submit->state(t->engine, false, &state);
	spin_unlock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_PTR_EQ(test, state.active, t->urgent);
	KUNIT_EXPECT_FALSE(test, t->rb->armed);
	interrupt(t);
	KUNIT_EXPECT_TRUE(test, t->more->submitted);
	end(t);
}

/* The first request has ended, and the second is left before its batch. */
static void second_request_is_skipped(struct kunit *test)
{
	struct uhptr_test *t = start(test);

	finish(t, t->low);
	arrive(test, t, t->rb->entry[0].check, 0);
	KUNIT_EXPECT_TRUE(test, t->next->queued);
	KUNIT_EXPECT_FALSE(test, igen_request_is_preempted(t->next));
	finish(t, t->urgent);
	finish(t, t->more);
	KUNIT_EXPECT_TRUE(test, t->next->submitted);
	end(t);
}

/* The driver hears of the first one's end with the arrival: the second one, which was skipped, pays nothing for it. */
static void skipped_request_pays_nothing(struct kunit *test)
{
	struct uhptr_test *t = start(test);
	struct igen_ring_time *time = &t->rb->told->time[t->rb->entry[0].serial % IGEN_RING_TIMES];
	u64 all = t->engine->runtime;

	time->begin = 1;
	time->end = 1 + 100 * t->igen->platform->timestamp_hz;
	t->rb->since_ns -= 100 * NSEC_PER_SEC;
	igen_mock_complete(t->low);
	arrive(test, t, t->rb->entry[1].check, 0);
	KUNIT_EXPECT_TRUE(test, t->next->queued);
	KUNIT_EXPECT_EQ(test, t->low->lrc->runtime, 100ull * t->igen->platform->timestamp_hz);
	KUNIT_EXPECT_LT(test, t->next->lrc->runtime, 50ull * t->igen->platform->timestamp_hz);
	KUNIT_EXPECT_EQ(test, t->engine->runtime - all, t->low->lrc->runtime + t->next->lrc->runtime);
	end(t);
}

/* A preempted request that is cancelled does not go on in its batch, nor does its context in its state. */
static void cancelled_while_preempted(struct kunit *test)
{
	struct uhptr_test *t = start(test);

	arrive(test, t, t->rb->entry[0].batch, BATCH_PLACE);
	spin_lock_irq(&t->engine->group->lock);
	igen_request_skip(t->low, -EIO);
	spin_unlock_irq(&t->engine->group->lock);
	/* The engine has saved the context, which gets the default state. */
	WRITE_ONCE(t->rb->told->begun, t->rb->serial);
	finish(t, t->urgent);
	KUNIT_EXPECT_TRUE(test, t->low->submitted);
	KUNIT_EXPECT_FALSE(test, igen_request_is_preempted(t->low));
	KUNIT_EXPECT_EQ(test, t->rb->entry[t->rb->count - 1].check_again, IGEN_RING_NOWHERE);
	end(t);
}

/* Equals, the same context and engines that cannot be preempted are left alone. */
static void nothing_to_preempt_for(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *video = mock->igen->engine[IGEN_VCS0];
	struct uhptr_test *t = start(test);
	struct igen_request *rq[3];
	unsigned int i;

	arrive(test, t, t->rb->entry[0].check, 0);
	finish(t, t->urgent);
	finish(t, t->more);
	igen_write(t->igen, RING_UHPTR(RCS0_BASE), 0);
	t->ctx[2]->priority = 0;
	rq[0] = igen_mock_submit(test, t->ctx[2], IGEN_RCS0);
	KUNIT_EXPECT_FALSE(test, t->rb->armed);
	KUNIT_EXPECT_EQ(test, uhptr(t), 0u);

	rq[1] = igen_mock_submit(test, t->ctx[0], IGEN_VCS0);
	t->ctx[2]->priority = 10;
	rq[2] = igen_mock_submit(test, t->ctx[2], IGEN_VCS0);
	KUNIT_EXPECT_FALSE(test, to_ringbuffer(video)->armed);
	for (i = 1; i < 3; i++) {
		igen_mock_complete(rq[i]);
		t->igen->platform->submit->irq(video, GT_IRQ_USER);
	}
	finish(t, t->low);
	finish(t, t->next);
	finish(t, rq[0]);
	for (i = 0; i < 3; i++)
		igen_request_put(rq[i]);
	WRITE_ONCE(to_ringbuffer(video)->told->begun, to_ringbuffer(video)->serial);
	end(t);
}

/* Each operation writes as much as its size says. */
static void sizes(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine;
	unsigned int id;
	u32 *cs;

	cs = kunit_kzalloc(test, SZ_4K, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cs);
	for_each_engine(mock->igen, id, engine) {
		const struct igen_switch_ops *s = engine->info->switch_ops;
		const struct igen_emit_ops *e = engine->emit;
		long finish = e->finish(engine, cs, 0, 1) - cs;

		KUNIT_EXPECT_EQ(test, e->invalidate(engine, cs) - cs, (long)e->invalidate_dw);
		KUNIT_EXPECT_EQ(test, e->batch_start(cs, 0) - cs, (long)e->batch_start_dw);
		if (e->privileged_start)
			KUNIT_EXPECT_EQ(test, e->privileged_start(cs, 0) - cs, (long)e->batch_start_dw);
		if (e->address)
			KUNIT_EXPECT_EQ(test, e->address(cs, 0, 0) - cs, (long)e->address_dw);
		KUNIT_EXPECT_EQ(test, e->invalidate_dw + e->batch_start_dw + finish, (long)e->request_dw);
		KUNIT_EXPECT_EQ(test, s->mm(engine, cs, 0) - cs, (long)s->mm_dw);
		KUNIT_EXPECT_EQ(test, s->mark(cs, 0, 0) - cs, (long)s->mark_dw);
		if (s->context)
			KUNIT_EXPECT_EQ(test, s->context(cs, 0, true) - cs, (long)s->context_dw);
		KUNIT_EXPECT_EQ(test, (s->mm_dw | s->mark_dw | s->context_dw | s->arrive_dw | s->resume_dw) & 1, 0);
		KUNIT_EXPECT_TRUE(test, !s->jump == !s->divide_l3 && !s->divide_l3 == !s->restore_l3);
		if (s->jump) {
			KUNIT_EXPECT_EQ(test, s->jump(cs, 0) - cs, (long)s->jump_dw);
			KUNIT_EXPECT_EQ(test, s->divide_l3(engine, cs, 0) - cs, (long)s->divide_l3_dw);
			KUNIT_EXPECT_EQ(test, s->restore_l3(engine, cs, 0) - cs, (long)s->restore_l3_dw);
			KUNIT_EXPECT_EQ(test, (s->jump_dw | s->divide_l3_dw | s->restore_l3_dw) & 1, 0);
		}
		KUNIT_EXPECT_TRUE(test, !s->preempt == !s->arrive && !s->arrive == !s->resume);
		if (!s->preempt)
			continue;
		KUNIT_EXPECT_EQ(test, s->arrive(engine, cs, 0, 1) - cs, (long)s->arrive_dw);
		KUNIT_EXPECT_EQ(test, s->resume(cs, 0, false) - cs, (long)s->resume_dw);
		KUNIT_EXPECT_EQ(test, cs[IGEN_RESUME_CHECK_DW - 1], (u32)MI_ARB_CHECK);
	}
}

static unsigned int count(const struct uhptr_test *t, u32 from, u32 value)
{
	const u32 *ring = t->engine->ring.vaddr;
	unsigned int n = 0;

	for (; from < t->engine->ring.tail; from += sizeof(u32))
		n += ring[from / sizeof(u32)] == value;
	return n;
}

/* Contexts of the second client from one on; returns how often registers are cleared, in all and behind the arrival. */
static void count_clears(struct kunit *test, unsigned int second, unsigned int all, unsigned int behind)
{
	struct igen_client *client[2] = { igen_mock_client(test), igen_mock_client(test) };
	struct igen_vma page = { .node.start = CLEAR_PAGE };
	struct uhptr_test *t = begin(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(t->ctx); i++)
		igen_client_add_context(client[i >= second], t->ctx[i]);
	page.vm = igen_mock_lrc(test, t->ctx[0], IGEN_RCS0)->vm;
	t->engine->eu_clear = &page;
	t->rb->owner = client[0]->id;
	fill(test, t);
	KUNIT_EXPECT_EQ(test, count(t, 0, CLEAR_PAGE + IGEN_EU_CLEAR_START), all);
	KUNIT_EXPECT_EQ(test, count(t, uhptr(t) & UHPTR_HEAD_MASK, CLEAR_PAGE + IGEN_EU_CLEAR_START), behind);
	end(t);
	t->engine->eu_clear = NULL;
	for (i = 0; i < ARRAY_SIZE(client); i++)
		igen_client_put(client[i]);
}

/* The second request is of the urgent one's client. Its clearing is skipped with it, so the urgent one has its own. */
static void skipped_clearing_is_done_again(struct kunit *test)
{
	count_clears(test, 1, 2, 1);
}

/* Wherever the engine is preempted, its registers have what the same client has left. */
static void one_client_needs_no_clearing(struct kunit *test)
{
	count_clears(test, 3, 0, 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(skipped_clearing_is_done_again),
	KUNIT_CASE(one_client_needs_no_clearing),
	KUNIT_CASE(urgent_request_arms),
	KUNIT_CASE(batch_goes_on_where_it_was),
	KUNIT_CASE(copy_goes_on_with_privilege),
	KUNIT_CASE(copy_is_not_left),
	KUNIT_CASE(preempted_twice),
	KUNIT_CASE(arrival_in_order),
	KUNIT_CASE(arrival_at_the_ring_s_beginning),
	KUNIT_CASE(arrival_found_by_others),
	KUNIT_CASE(second_request_is_skipped),
	KUNIT_CASE(skipped_request_pays_nothing),
	KUNIT_CASE(cancelled_while_preempted),
	KUNIT_CASE(nothing_to_preempt_for),
	KUNIT_CASE(sizes),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_uhptr",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_ringbuffer,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
