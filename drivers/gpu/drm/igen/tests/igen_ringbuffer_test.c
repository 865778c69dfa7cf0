// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of submission by ring buffers
 *
 * The device is an Ivy Bridge on memory in place of registers, with the real backend. A test is the engine: it reads
 * what is in the ring, and writes seqnos and serials.
 */
#include <igen/cmd/blt.h>
#include <igen/cmd/mi.h>
#include <igen/regs/engine.h>
#include <igen/regs/irq.h>
#include <igen/regs/workarounds.h>

#include "../submit/igen_reset.h"
#include "../submit/igen_retire.h"
#include "../submit/igen_ringbuffer.h"
#include "igen_mock.h"

/* Where the commands are that clear registers: an address that nothing else has. */
#define CLEAR_PAGE	0x5a5a5000u

/* What stores the clock behind a request. */
#define TIME_BYTES	(3 * sizeof(u32))

/** struct ring_test - an engine and contexts for it */
struct ring_test {
	struct igen_device *igen;
	struct igen_engine *engine;
	struct igen_ringbuffer *rb;
	enum igen_engine_id id;
	struct igen_context *ctx[3];
	/* Up to where the test has looked at the ring. */
	u32 seen;
};

static struct ring_test *start(struct kunit *test, enum igen_engine_id id)
{
	struct ring_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct igen_mock *mock = test->priv;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->igen = mock->igen;
	t->id = id;
	t->engine = mock->igen->engine[id];
	t->rb = to_ringbuffer(t->engine);
	for (i = 0; i < ARRAY_SIZE(t->ctx); i++)
		t->ctx[i] = igen_mock_context(test, 0);
	return t;
}

/* The engine has executed all that is in the ring. */
static void run_dry(struct ring_test *t)
{
	WRITE_ONCE(t->rb->told->begun, t->rb->serial);
}

static void end(struct ring_test *t)
{
	unsigned int i;

	run_dry(t);
	for (i = 0; i < ARRAY_SIZE(t->ctx); i++)
		igen_context_put(t->ctx[i]);
}

static struct igen_request *submit(struct kunit *test, struct ring_test *t, unsigned int ctx)
{
	return igen_mock_submit(test, t->ctx[ctx], t->id);
}

static void interrupt(struct ring_test *t)
{
	t->igen->platform->submit->irq(t->engine, GT_IRQ_USER);
}

/* The engine completes a request. */
static void finish(struct ring_test *t, struct igen_request *rq)
{
	igen_mock_complete(rq);
	interrupt(t);
}

static u32 tail_register(struct ring_test *t)
{
	return igen_read(t->igen, RING_TAIL(t->engine->info->base));
}

/* How many dwords with this value are in the ring since the last look; the ring has not wrapped meanwhile. */
static unsigned int count_new(struct kunit *test, struct ring_test *t, u32 value)
{
	const u32 *ring = t->engine->ring.vaddr;
	u32 i, tail = t->engine->ring.tail;
	unsigned int n = 0;

	KUNIT_EXPECT_LE(test, t->seen, tail);
	for (i = t->seen / sizeof(u32); i < tail / sizeof(u32); i++)
		n += ring[i] == value;
	return n;
}

static void look(struct ring_test *t)
{
	t->seen = t->engine->ring.tail;
}

/* An idle engine gets a request at once, behind what changes its context, and the tail register moves. */
static void request_on_idle_engine(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_RCS0);
	struct igen_request *rq = submit(test, t, 0);
	const void *ring = t->engine->ring.vaddr;
	u32 bytes = rq->tail - rq->head;

	KUNIT_EXPECT_TRUE(test, rq->submitted);
	KUNIT_EXPECT_EQ(test, t->rb->count, 1u);
	KUNIT_EXPECT_PTR_EQ(test, t->rb->lrc, rq->lrc);
	KUNIT_EXPECT_EQ(test, tail_register(t), t->engine->ring.tail);
	KUNIT_EXPECT_EQ(test, count_new(test, t, MI_SET_CONTEXT), 1u);
	KUNIT_EXPECT_EQ(test, count_new(test, t, lower_32_bits(rq->lrc->vm->pd_dma)), 1u);
	/* It ends with the request, as its context's ring has it, and the clock. */
	KUNIT_EXPECT_EQ(test, memcmp(ring + t->engine->ring.tail - TIME_BYTES - bytes,
				     rq->lrc->ring.vaddr + rq->head, bytes), 0);

	finish(t, rq);
	KUNIT_EXPECT_EQ(test, t->rb->count, 0u);
	KUNIT_EXPECT_EQ(test, t->engine->ring.head, t->engine->ring.tail);
	igen_request_put(rq);
	end(t);
}

/* The context that the engine has is not loaded again; another one is. Without images, directories alone are loaded. */
static void contexts_change_when_they_have_to(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_RCS0), *video = start(test, IGEN_VCS0);
	struct igen_request *rq;
	unsigned int n;

	for (n = 0; n < 2; n++) {
		look(t);
		rq = submit(test, t, 0);
		KUNIT_EXPECT_EQ(test, count_new(test, t, MI_SET_CONTEXT), n ? 0u : 1u);
		finish(t, rq);
		igen_request_put(rq);
	}
	look(t);
	rq = submit(test, t, 1);
	KUNIT_EXPECT_EQ(test, count_new(test, t, MI_SET_CONTEXT), 1u);
	finish(t, rq);
	igen_request_put(rq);

	rq = submit(test, video, 0);
	KUNIT_EXPECT_EQ(test, count_new(test, video, MI_SET_CONTEXT), 0u);
	KUNIT_EXPECT_EQ(test, count_new(test, video, lower_32_bits(rq->lrc->vm->pd_dma)), 1u);
	finish(video, rq);
	igen_request_put(rq);
	end(video);
	end(t);
}

/* The ring has the running request and the next one. The third is chosen when the first has ended, by priority. */
static void third_request_waits(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	struct igen_request *a = submit(test, t, 0), *b = submit(test, t, 1), *c = submit(test, t, 0), *urgent;

	KUNIT_EXPECT_TRUE(test, a->submitted && b->submitted);
	KUNIT_EXPECT_TRUE(test, c->queued);
	t->ctx[2]->priority = 10;
	urgent = submit(test, t, 2);
	KUNIT_EXPECT_TRUE(test, urgent->queued);

	finish(t, a);
	KUNIT_EXPECT_TRUE(test, urgent->submitted);
	KUNIT_EXPECT_TRUE(test, c->queued);
	finish(t, b);
	KUNIT_EXPECT_TRUE(test, c->submitted);
	finish(t, urgent);
	finish(t, c);
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	igen_request_put(a);
	igen_request_put(b);
	igen_request_put(c);
	igen_request_put(urgent);
	end(t);
}

/* An entry lies in one piece. What is left before the ring's end are commands that do nothing. */
static void ring_wraps(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	struct igen_ring *ring = &t->engine->ring;
	u32 at, before, bytes = 0;
	struct igen_request *rq;
	unsigned int n, wraps = 0;
	bool whole = true;

	for (n = 0; n < 1000 && !wraps; n++) {
		before = ring->tail;
		rq = submit(test, t, n % 2);
		bytes = rq->tail - rq->head;
		whole &= !memcmp(ring->vaddr + ((ring->tail ?: ring->size) - TIME_BYTES - bytes),
				 rq->lrc->ring.vaddr + rq->head, bytes);
		if (ring->tail < before && ring->tail) {
			wraps++;
			for (at = before; at < ring->size; at += sizeof(u32))
				whole &= *(u32 *)(ring->vaddr + at) == MI_NOOP;
		}
		finish(t, rq);
		igen_request_put(rq);
		/* The context's ring has as many requests as this; retired ones make room. */
		igen_retire(t->igen);
	}
	KUNIT_EXPECT_EQ(test, wraps, 1u);
	KUNIT_EXPECT_TRUE(test, whole);
	end(t);
}

/*
 * The engine has left a context when it has come to what follows in the ring: another context, or the rest, which is
 * loaded when that is asked.
 */
static void engine_leaves_contexts(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_RCS0);
	struct igen_request *a = submit(test, t, 0), *b;
	struct igen_lrc *first = a->lrc, *second;

	spin_lock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_FALSE(test, igen_lrc_has_left(first));
	spin_unlock_irq(&t->engine->group->lock);
	WRITE_ONCE(t->rb->told->begun, t->rb->serial);
	finish(t, a);

	b = submit(test, t, 1);
	second = b->lrc;
	spin_lock_irq(&t->engine->group->lock);
	/* The other context is in the ring, and the engine has not come to it. */
	KUNIT_EXPECT_FALSE(test, igen_lrc_has_left(first));
	WRITE_ONCE(t->rb->told->begun, t->rb->serial);
	KUNIT_EXPECT_TRUE(test, igen_lrc_has_left(first));
	spin_unlock_irq(&t->engine->group->lock);
	finish(t, b);

	look(t);
	KUNIT_EXPECT_FALSE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, count_new(test, t, MI_SET_CONTEXT), 1u);
	KUNIT_EXPECT_EQ(test, tail_register(t), t->engine->ring.tail);
	/* Asked once. */
	look(t);
	KUNIT_EXPECT_FALSE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, count_new(test, t, MI_SET_CONTEXT), 0u);
	run_dry(t);
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	spin_lock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_TRUE(test, igen_lrc_has_left(second));
	spin_unlock_irq(&t->engine->group->lock);

	igen_request_put(a);
	igen_request_put(b);
	end(t);
}

/* After a reset the guilty request does nothing but end, and the innocent one comes again; both load their contexts. */
static void reset_replays_innocents(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_RCS0);
	const struct igen_submit_ops *ops = t->igen->platform->submit;
	struct igen_request *hung = submit(test, t, 0), *innocent = submit(test, t, 1);

	KUNIT_EXPECT_TRUE(test, hung->submitted && innocent->submitted);
	spin_lock_irq(&t->engine->group->lock);
	t->rb->blocked = true;
	ops->reset(t->engine, true);
	KUNIT_EXPECT_EQ(test, t->rb->count, 0u);
	KUNIT_EXPECT_TRUE(test, hung->queued && innocent->queued);
	KUNIT_EXPECT_TRUE(test, hung->lrc->stale);
	spin_unlock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_EQ(test, hung->fence.error, -EIO);
	KUNIT_EXPECT_EQ(test, innocent->fence.error, 0);

	look(t);
	ops->reset_finish(t->engine);
	KUNIT_EXPECT_TRUE(test, hung->submitted && innocent->submitted);
	KUNIT_EXPECT_FALSE(test, hung->lrc->stale);
	KUNIT_EXPECT_EQ(test, count_new(test, t, MI_SET_CONTEXT), 2u);
	finish(t, hung);
	finish(t, innocent);
	igen_request_put(hung);
	igen_request_put(innocent);
	end(t);
}

/* The time of a request is counted to its context and to the engine. */
static void time_is_counted(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	struct igen_request *rq = submit(test, t, 0);
	u64 before = t->engine->runtime;
	u32 count;

	spin_lock_irq(&t->engine->group->lock);
	/* A millisecond, at 12.5 MHz. */
	t->rb->since_ns -= NSEC_PER_MSEC;
	KUNIT_EXPECT_TRUE(test, t->igen->platform->submit->running(rq->lrc, &count));
	KUNIT_EXPECT_GE(test, count, 12500u);
	spin_unlock_irq(&t->engine->group->lock);
	finish(t, rq);
	KUNIT_EXPECT_GE(test, t->engine->runtime - before, 12500ull);
	KUNIT_EXPECT_EQ(test, rq->lrc->runtime, t->engine->runtime - before);
	igen_request_put(rq);
	end(t);
}

/* When the engine has stored its clock, that is what counts, but not less than what was told before. */
static void engine_tells_time(struct kunit *test)
{
	static const u32 runs[][2] = { { 1000, 4000 }, { U32_MAX - 99, 400 } };
	struct ring_test *t = start(test, IGEN_BCS0);
	struct igen_ring_time *time;
	struct igen_request *rq;
	unsigned int n;
	bool runs_now;
	u64 before;
	u32 count;

	for (n = 0; n < ARRAY_SIZE(runs); n++) {
		rq = submit(test, t, 0);
		before = t->engine->runtime;
		time = &t->rb->told->time[t->rb->serial % IGEN_RING_TIMES];
		KUNIT_EXPECT_EQ(test, time->end, 0u);
		time->begin = runs[n][0];
		time->end = runs[n][1];
		t->rb->since_ns -= NSEC_PER_SEC;
		finish(t, rq);
		KUNIT_EXPECT_EQ(test, t->engine->runtime - before, (u64)(runs[n][1] - runs[n][0]));
		igen_request_put(rq);
	}

	rq = submit(test, t, 0);
	before = t->engine->runtime;
	time = &t->rb->told->time[t->rb->serial % IGEN_RING_TIMES];
	spin_lock_irq(&t->engine->group->lock);
	t->rb->since_ns -= NSEC_PER_SEC;
	runs_now = t->igen->platform->submit->running(rq->lrc, &count);
	spin_unlock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_TRUE(test, runs_now);
	time->begin = 1;
	time->end = 2;
	finish(t, rq);
	KUNIT_EXPECT_GE(test, t->engine->runtime - before, (u64)t->igen->platform->timestamp_hz);
	igen_request_put(rq);
	end(t);
}

/* The driver learns late that the first request has ended: the second one's time counts from then on. */
static void time_counts_from_the_end_before(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	struct igen_request *a, *b;
	struct igen_ring_time *time;
	bool runs[2];
	u64 since;
	u32 count;

	a = submit(test, t, 0);
	time = &t->rb->told->time[t->rb->serial % IGEN_RING_TIMES];
	b = submit(test, t, 1);
	t->rb->since_ns -= 3 * NSEC_PER_SEC;
	since = t->rb->since_ns;
	time->begin = 500;
	time->end = 500 + t->igen->platform->timestamp_hz;
	igen_mock_complete(a);
	spin_lock_irq(&t->engine->group->lock);
	runs[0] = t->igen->platform->submit->running(a->lrc, &count);
	runs[1] = t->igen->platform->submit->running(b->lrc, &count);
	spin_unlock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_FALSE(test, runs[0]);
	KUNIT_EXPECT_TRUE(test, runs[1]);
	KUNIT_EXPECT_EQ(test, t->rb->since_ns, since + NSEC_PER_SEC);
	KUNIT_EXPECT_GE(test, count, 2 * t->igen->platform->timestamp_hz);
	/* The client is told of the request at once. */
	KUNIT_EXPECT_EQ(test, igen_lrc_runtime(a->lrc, true), (u64)t->igen->platform->timestamp_hz);

	finish(t, b);
	igen_request_put(a);
	igen_request_put(b);
	end(t);
}

/* What the switch to a context takes is paid by that context, which comes from the end of the one before. */
static void switch_is_paid(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	struct igen_request *a, *b;
	struct igen_ring_time *time;

	a = submit(test, t, 0);
	time = &t->rb->told->time[t->rb->serial % IGEN_RING_TIMES];
	time->begin = 500;
	time->end = 1500;
	b = submit(test, t, 1);
	time = &t->rb->told->time[t->rb->serial % IGEN_RING_TIMES];
	time->begin = 4500;
	time->end = 5500;
	igen_mock_complete(a);
	finish(t, b);
	KUNIT_EXPECT_EQ(test, a->lrc->runtime, 1000ull);
	KUNIT_EXPECT_EQ(test, b->lrc->runtime, 4000ull);
	igen_request_put(a);
	igen_request_put(b);
	end(t);
}

/* igen_lrc_runtime() has the time of a request of whose end no interrupt has told. */
static void time_is_told_at_once(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	struct igen_request *rq = submit(test, t, 0);
	struct igen_ring_time *time = &t->rb->told->time[t->rb->serial % IGEN_RING_TIMES];

	time->begin = 1;
	time->end = 1001;
	igen_mock_complete(rq);
	KUNIT_EXPECT_EQ(test, igen_lrc_runtime(rq->lrc, true), 1000ull);
	igen_request_put(rq);
	end(t);
}

/* A context whose request has ended without an interrupt can be evicted. */
static void ended_context_is_evicted(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	struct igen_request *rq = submit(test, t, 0);
	struct igen_lrc *lrc = rq->lrc;

	KUNIT_EXPECT_TRUE(test, lrc->pinned);
	igen_evict_contexts(t->igen);
	KUNIT_EXPECT_TRUE(test, lrc->pinned);
	igen_mock_complete(rq);
	igen_evict_contexts(t->igen);
	KUNIT_EXPECT_FALSE(test, lrc->pinned);
	igen_request_put(rq);
	end(t);
}

/* As probing does. */
static void mask_user_interrupts(struct ring_test *t)
{
	t->igen->platform->irq->init(t->igen);
	igen_irq_restore(t->igen);
}

static bool keep(struct ring_test *t, bool wanted)
{
	bool again;

	spin_lock_irq(&t->engine->group->lock);
	again = igen_breadcrumbs_keep(t->engine, wanted);
	spin_unlock_irq(&t->engine->group->lock);
	return again;
}

/* Masked interrupts are unmasked, and the backend called then. If they are unmasked already the caller looks again. */
static void unmasked_interrupts_need_a_look(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	u32 bit = GT_IRQ_USER << t->engine->info->irq_shift;
	struct igen_request *rq = submit(test, t, 0);

	mask_user_interrupts(t);
	KUNIT_EXPECT_EQ(test, igen_read(t->igen, GTIMR) & bit, bit);
	KUNIT_EXPECT_FALSE(test, keep(t, true));
	KUNIT_EXPECT_EQ(test, igen_read(t->igen, GTIMR) & bit, 0u);
	/* The irq_work has called the backend, which needs none: its queue is empty. */
	irq_work_sync(&t->engine->arm_work);
	KUNIT_EXPECT_FALSE(test, t->engine->group->irq_kept);
	KUNIT_EXPECT_EQ(test, igen_read(t->igen, GTIMR) & bit, 0u);
	KUNIT_EXPECT_TRUE(test, keep(t, true));
	KUNIT_EXPECT_FALSE(test, keep(t, true));
	finish(t, rq);
	igen_request_put(rq);
	end(t);
}

/* The user interrupt is unmasked while a request waits for room, and masked by the first one that nothing waits for. */
static void interrupts_come_when_needed(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	u32 bit = GT_IRQ_USER << t->engine->info->irq_shift;
	struct igen_request *a, *b, *c;

	mask_user_interrupts(t);
	KUNIT_EXPECT_EQ(test, igen_read(t->igen, GTIMR) & bit, bit);
	a = submit(test, t, 0);
	b = submit(test, t, 1);
	KUNIT_EXPECT_EQ(test, igen_read(t->igen, GTIMR) & bit, bit);
	c = submit(test, t, 0);
	KUNIT_EXPECT_EQ(test, igen_read(t->igen, GTIMR) & bit, 0u);
	/* The third goes into the ring, and nothing waits any more. */
	finish(t, a);
	KUNIT_EXPECT_TRUE(test, c->submitted);
	KUNIT_EXPECT_EQ(test, igen_read(t->igen, GTIMR) & bit, 0u);
	finish(t, b);
	KUNIT_EXPECT_EQ(test, igen_read(t->igen, GTIMR) & bit, bit);
	finish(t, c);
	igen_request_put(a);
	igen_request_put(b);
	igen_request_put(c);
	end(t);
}

/* Contexts 0 and 1 are one client's, context 2 is another's. Registers are cleared when the client changes. */
static void registers_are_cleared_between_clients(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_RCS0);
	struct igen_client *client[2] = { igen_mock_client(test), igen_mock_client(test) };
	struct igen_vma page = { .vm = igen_mock_lrc(test, t->ctx[0], IGEN_RCS0)->vm, .node.start = CLEAR_PAGE };
	/* Also when the first one is the very first: what there was before is not known. */
	static const struct {
		unsigned int ctx, clears;
	} steps[] = { { 0, 1 }, { 0, 0 }, { 1, 0 }, { 2, 1 }, { 2, 0 }, { 1, 1 }, { 0, 0 } };
	struct igen_request *rq;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(t->ctx); n++)
		igen_client_add_context(client[n / 2], t->ctx[n]);
	t->engine->eu_clear = &page;
	for (n = 0; n < ARRAY_SIZE(steps); n++) {
		look(t);
		rq = submit(test, t, steps[n].ctx);
		KUNIT_EXPECT_EQ_MSG(test, count_new(test, t, CLEAR_PAGE + IGEN_EU_CLEAR_START), steps[n].clears,
				    "step %u", n);
		finish(t, rq);
		igen_request_put(rq);
	}
	t->engine->eu_clear = NULL;
	end(t);
	igen_client_put(client[0]);
	igen_client_put(client[1]);
}

/* The place of the first such dword from i on in the ring, or its tail. */
static u32 find(const struct ring_test *t, u32 i, u32 value)
{
	const u32 *ring = t->engine->ring.vaddr;
	u32 tail = t->engine->ring.tail / sizeof(u32);

	while (i < tail && ring[i] != value)
		i++;
	return i;
}

/*
 * The L3 is divided for the commands that clear shared local memory, and then again as it was: each of its registers is
 * stored, written, and loaded from the same place when these commands have been executed.
 */
static void l3_is_divided_for_clearing_alone(struct kunit *test)
{
	static const u32 regs[] = { L3SQCREG1_GEN7, L3CNTLREG2_GEN7, L3CNTLREG3_GEN7 };
	struct ring_test *t = start(test, IGEN_RCS0);
	struct igen_client *client = igen_mock_client(test);
	struct igen_vma page = { .vm = igen_mock_lrc(test, t->ctx[0], IGEN_RCS0)->vm, .node.start = CLEAR_PAGE };
	const u32 *ring = t->engine->ring.vaddr;
	u32 i, jump, store, write, load;
	struct igen_request *rq;

	igen_client_add_context(client, t->ctx[0]);
	t->engine->eu_clear = &page;
	rq = submit(test, t, 0);
	jump = find(t, 0, CLEAR_PAGE + IGEN_EU_CLEAR_START);
	write = find(t, 0, MI_LOAD_REGISTER_IMM(ARRAY_SIZE(regs)));
	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		store = find(t, 0, regs[i]);
		load = find(t, jump, regs[i]);
		KUNIT_EXPECT_LT(test, find(t, 0, MI_SET_CONTEXT), store);
		KUNIT_EXPECT_LT(test, store, write);
		KUNIT_EXPECT_EQ(test, ring[store - 1], GEN7_MI_STORE_REGISTER_MEM | MI_MEM_GGTT);
		KUNIT_EXPECT_EQ(test, find(t, write, regs[i]), write + 1 + 2 * i);
		KUNIT_EXPECT_LT(test, write, jump);
		KUNIT_EXPECT_EQ(test, ring[load - 1], GEN7_MI_LOAD_REGISTER_MEM | MI_MEM_GGTT);
		KUNIT_EXPECT_EQ(test, ring[load + 1], ring[store + 1]);
		KUNIT_EXPECT_LT(test, load, find(t, jump, MI_SET_CONTEXT));
	}
	finish(t, rq);
	igen_request_put(rq);
	/* The same client's next request leaves the L3 alone. */
	look(t);
	rq = submit(test, t, 0);
	KUNIT_EXPECT_EQ(test, count_new(test, t, L3CNTLREG2_GEN7), 0u);
	finish(t, rq);
	igen_request_put(rq);
	t->engine->eu_clear = NULL;
	end(t);
	igen_client_put(client);
}

/*
 * What no image holds is put back when the context changes: the number of MI_NOOP on each engine, and tiling and setup
 * on the blitter, where the setup is all zeroes. A context that goes on keeps what its own batches have left.
 */
static void unsaved_state_is_put_back(struct kunit *test)
{
	static const enum igen_engine_id ids[] = { IGEN_RCS0, IGEN_BCS0, IGEN_VCS0 };
	static const unsigned int steps[] = { 0, 0, 1 };
	struct igen_request *rq;
	unsigned int i, n, k;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		struct ring_test *t = start(test, ids[i]);
		const u32 *ring = t->engine->ring.vaddr;
		bool blitter = ids[i] == IGEN_BCS0;

		memset(t->engine->ring.vaddr, 0xa5, t->engine->ring.size);
		for (n = 0; n < ARRAY_SIZE(steps); n++) {
			bool changes = n != 1;
			u32 at = t->engine->ring.tail / sizeof(u32), setup;

			look(t);
			rq = submit(test, t, steps[n]);
			KUNIT_EXPECT_EQ_MSG(test, count_new(test, t, MI_NOOP | MI_NOOP_WRITE_NOPID), (u32)changes,
					    "engine %u, step %u", ids[i], n);
			KUNIT_EXPECT_EQ(test, count_new(test, t, BCS_SWCTRL), (u32)(changes && blitter));
			KUNIT_EXPECT_EQ(test, count_new(test, t, GEN7_XY_SETUP_BLT), (u32)(changes && blitter));
			if (changes && blitter) {
				setup = find(t, at, BCS_SWCTRL);
				KUNIT_EXPECT_EQ(test, ring[setup + 1],
						IGEN_MASKED_DISABLE(BCS_SWCTRL_SRC_Y | BCS_SWCTRL_DST_Y));
				setup = find(t, at, GEN7_XY_SETUP_BLT);
				for (k = 1; k < 8; k++)
					KUNIT_EXPECT_EQ(test, ring[setup + k], 0u);
			}
			finish(t, rq);
			igen_request_put(rq);
		}
		end(t);
	}
}

/* Before the commands that clear, INSTPM is put back in the driver's own context: a client may have set bits of it. */
static void instpm_is_put_back_for_clearing(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_RCS0);
	struct igen_client *client = igen_mock_client(test);
	struct igen_vma page = { .vm = igen_mock_lrc(test, t->ctx[0], IGEN_RCS0)->vm, .node.start = CLEAR_PAGE };
	u32 value = IGEN_MASKED_FIELD(INSTPM_MASK & ~(INSTPM_TLB_INVALIDATE | INSTPM_SYNC_FLUSH),
				      INSTPM_FORCE_ORDERING);
	struct igen_request *rq;
	u32 at;

	igen_client_add_context(client, t->ctx[0]);
	t->engine->eu_clear = &page;
	rq = submit(test, t, 0);
	at = find(t, 0, value);
	KUNIT_EXPECT_EQ(test, count_new(test, t, value), 1u);
	KUNIT_EXPECT_EQ(test, ((const u32 *)t->engine->ring.vaddr)[at - 1], RING_INSTPM(RCS0_BASE));
	KUNIT_EXPECT_LT(test, find(t, 0, MI_SET_CONTEXT), at);
	KUNIT_EXPECT_LT(test, at, find(t, 0, CLEAR_PAGE + IGEN_EU_CLEAR_START));
	finish(t, rq);
	igen_request_put(rq);
	t->engine->eu_clear = NULL;
	end(t);
	igen_client_put(client);
}

/* The FIFO's register is read when as many writes were made as it had room for, and not before. */
static void fifo_is_read_when_used_up(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_device *igen = mock->igen;
	u32 fifo = igen->platform->fifo;
	unsigned int n;

	atomic_set(&igen->mmio.fifo_left, 0);
	/* 20 entries are the hardware's own. */
	igen_write(igen, fifo, 23);
	igen_fifo_wait(igen);
	igen_write(igen, fifo, 30);
	for (n = 0; n < 2; n++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&igen->mmio.fifo_left), 2 - (int)n);
		igen_fifo_wait(igen);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->mmio.fifo_left), 0);
	igen_fifo_wait(igen);
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->mmio.fifo_left), 9);

	/* Writes with forcewake held may fill the FIFO, too. */
	igen_write(igen, fifo, 25);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_GT);
	/* The tests' device stays awake. */
	igen->mmio.fw_count[IGEN_FORCEWAKE_GT] = 1;
	igen_fifo_wait(igen);
	KUNIT_EXPECT_EQ(test, atomic_read(&igen->mmio.fifo_left), 4);
	igen_write(igen, fifo, igen->platform->fifo_mask);
}

/* A request that is ready does not come before one of its context that is not, though the engine has nothing to do. */
static void order_of_a_context_is_kept(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	struct igen_mock_foreign *foreign = kunit_kzalloc(test, sizeof(*foreign), GFP_KERNEL);
	struct dma_fence *fence;
	struct igen_request *rq[2];

	KUNIT_ASSERT_NOT_NULL(test, foreign);
	fence = igen_mock_foreign_init(foreign, 1, 1);
	rq[0] = igen_mock_request(test, t->ctx[0], t->id);
	KUNIT_ASSERT_EQ(test, igen_request_await(rq[0], fence), 0);
	igen_request_add(rq[0]);
	rq[1] = submit(test, t, 0);
	KUNIT_EXPECT_FALSE(test, rq[0]->submitted || rq[1]->submitted);
	dma_fence_signal(fence);
	igen_scheduler_flush(t->igen);
	KUNIT_EXPECT_TRUE(test, rq[0]->submitted && rq[1]->submitted);
	KUNIT_EXPECT_PTR_EQ(test, t->rb->entry[0].rq, rq[0]);
	finish(t, rq[0]);
	finish(t, rq[1]);
	igen_request_put(rq[0]);
	igen_request_put(rq[1]);
	end(t);
}

/* An idle engine takes a request past the queue, and its shares pay for it as for one that was queued. */
static void idle_engine_is_paid_for(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	struct igen_client *client = igen_mock_client(test);
	struct igen_share *share = &client->share[IGEN_BCS0], *above;
	struct igen_request *rq;

	igen_client_add_context(client, t->ctx[0]);
	/* What has had nothing to run has saved up no time. */
	for (above = share->above; above; above = above->above)
		above->clock = 1000000;
	rq = submit(test, t, 0);
	KUNIT_EXPECT_TRUE(test, rq->submitted && !rq->queued);
	KUNIT_EXPECT_GT(test, rq->cost, 0u);
	for (above = share; above->above; above = above->above)
		KUNIT_EXPECT_EQ(test, above->turn, 1000000ull + rq->cost);
	finish(t, rq);
	igen_request_put(rq);
	igen_client_put(client);
	end(t);
}

/* A request whose process owes time to another one waits, though the engine has nothing to do. */
static void idle_engine_waits_for_debts(struct kunit *test)
{
	struct ring_test *t = start(test, IGEN_BCS0);
	struct igen_client *client = igen_mock_client(test);
	struct igen_share *process = client->share[IGEN_BCS0].above, rival;
	struct igen_request *rq;

	igen_client_add_context(client, t->ctx[0]);
	process->owes = true;
	process->owes_since = jiffies - 1;
	process->owes_until = jiffies + HZ * 3600;
	process->above->users[0] = (struct igen_share_use){ .share = &rival, .when = jiffies };
	rq = submit(test, t, 0);
	KUNIT_EXPECT_FALSE(test, rq->submitted);
	KUNIT_EXPECT_TRUE(test, rq->queued);
	process->owes = false;
	process->above->users[0] = (struct igen_share_use){};
	igen_engine_submit(t->engine);
	KUNIT_EXPECT_TRUE(test, rq->submitted);
	finish(t, rq);
	igen_request_put(rq);
	igen_client_put(client);
	end(t);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(registers_are_cleared_between_clients),
	KUNIT_CASE(l3_is_divided_for_clearing_alone),
	KUNIT_CASE(unsaved_state_is_put_back),
	KUNIT_CASE(instpm_is_put_back_for_clearing),
	KUNIT_CASE(request_on_idle_engine),
	KUNIT_CASE(order_of_a_context_is_kept),
	KUNIT_CASE(idle_engine_is_paid_for),
	KUNIT_CASE(idle_engine_waits_for_debts),
	KUNIT_CASE(contexts_change_when_they_have_to),
	KUNIT_CASE(third_request_waits),
	KUNIT_CASE(ring_wraps),
	KUNIT_CASE(engine_leaves_contexts),
	KUNIT_CASE(reset_replays_innocents),
	KUNIT_CASE(time_is_counted),
	KUNIT_CASE(engine_tells_time),
	KUNIT_CASE(time_counts_from_the_end_before),
	KUNIT_CASE(switch_is_paid),
	KUNIT_CASE(time_is_told_at_once),
	KUNIT_CASE(ended_context_is_evicted),
	KUNIT_CASE(unmasked_interrupts_need_a_look),
	KUNIT_CASE(interrupts_come_when_needed),
	KUNIT_CASE(fifo_is_read_when_used_up),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_ringbuffer",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_ringbuffer,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
