// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of submission by execlists
 *
 * The source is part of this file. Event streams are played into the status page as the hardware writes them: the good
 * ones as they were recorded of the model's engines at work, the others as they must not come. Whatever comes, ports
 * stay consistent and references balance (the mock checks them at its end). An event that makes no sense is counted,
 * and the driver resets the engine.
 */
#include <linux/delay.h>

#include "../submit/igen_execlists.c"

#include "igen_mock_ports.h"

/* The low half of element 0, which is the last dword that a submission writes to the ELSP. */
static u32 last_elsp(struct igen_mock_ports *t)
{
	return igen_read(t->engine->igen, RING_ELSP(t->engine->info->base));
}

/* Recorded: one batch on an idle engine. */
static void stream_of_one_request(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq = submit(test, t, 0);

	expect_ports(test, t->el->pending, rq, NULL);
	expect_ports(test, t->el->active, NULL, NULL);
	KUNIT_EXPECT_EQ(test, last_elsp(t) & 0xfffff000, lower_32_bits(igen_vma_start(rq->lrc->image.vma)));
	KUNIT_EXPECT_EQ(test, rq->lrc->image.regs[CTX_RING_TAIL], rq->tail);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	expect_ports(test, t->el->pending, NULL, NULL);
	expect_ports(test, t->el->active, rq, NULL);

	igen_mock_complete(rq);
	event(t, COMPLETE_IDLE, igen_mock_id_of(rq));
	expect_ports(test, t->el->active, NULL, NULL);
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	igen_request_put(rq);
	end(t);
}

/* The interrupt comes before its event is visible. No other interrupt and no submission follows. */
static void stream_of_late_event(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq = submit(test, t, 0);
	unsigned int n;

	/* The timer is this processor's, and has to wait. */
	local_irq_disable();
	interrupt(t);
	igen_mock_put_event(t->engine, CSB_IDLE_TO_ACTIVE, 0);
	local_irq_enable();
	for (n = 0; n < 1000 && hrtimer_active(&t->el->late_timer); n++)
		usleep_range(100, 200);
	expect_ports(test, t->el->pending, NULL, NULL);
	expect_ports(test, t->el->active, rq, NULL);

	/* An event that was read before its interrupt is not looked for. */
	igen_mock_complete(rq);
	igen_mock_put_event(t->engine, COMPLETE_IDLE, igen_mock_id_of(rq));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	interrupt(t);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&t->el->late_timer));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	igen_request_put(rq);
	end(t);
}

static void late_event(struct igen_mock_ports *t, u32 status, u32 id)
{
	igen_mock_put_number(t->engine, status, id);
	interrupt(t);
	igen_mock_put_entry(t->engine, status, id);
}

/* The number of each event comes before its entry. No event of an earlier round is taken for it. */
static void stream_of_late_entries(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq;
	unsigned int i;

	for (i = 0; i < 2 * GEN9_CSB_ENTRIES; i++) {
		rq = submit(test, t, i % 2);
		late_event(t, CSB_IDLE_TO_ACTIVE, 0);
		expect_ports(test, t->el->active, rq, NULL);
		igen_mock_complete(rq);
		late_event(t, COMPLETE_IDLE, igen_mock_id_of(rq));
		KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
		igen_request_put(rq);
	}
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	KUNIT_EXPECT_EQ(test, t->el->forgeries, 0u);
	end(t);
}

/* Recorded: two contexts, then a third that comes while both ports are busy. */
static void stream_of_three_contexts(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b, *c;

	/* Nothing is written while a list is not acknowledged. */
	b = submit(test, t, 1);
	expect_ports(test, t->el->pending, a, NULL);
	KUNIT_EXPECT_TRUE(test, b->queued);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	expect_ports(test, t->el->active, a, NULL);
	expect_ports(test, t->el->pending, a, b);
	event(t, LITE, igen_mock_id_of(a));
	expect_ports(test, t->el->active, a, b);

	c = submit(test, t, 2);
	expect_ports(test, t->el->pending, NULL, NULL);
	KUNIT_EXPECT_TRUE(test, c->queued);
	igen_mock_complete(a);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(a));
	expect_ports(test, t->el->active, b, NULL);
	expect_ports(test, t->el->pending, b, c);
	event(t, LITE, igen_mock_id_of(b));
	igen_mock_complete(b);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(b));
	igen_mock_complete(c);
	event(t, COMPLETE_IDLE, igen_mock_id_of(c));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	igen_request_put(a);
	igen_request_put(b);
	igen_request_put(c);
	end(t);
}

/* Recorded: a context that runs gets more; its tail goes forward, and no restore is forced. */
static void stream_of_lite_restores(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b;

	KUNIT_EXPECT_TRUE(test, last_elsp(t) & CTX_DESC_FORCE_RESTORE);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	b = submit(test, t, 0);
	expect_ports(test, t->el->pending, b, NULL);
	KUNIT_EXPECT_EQ(test, b->lrc->image.regs[CTX_RING_TAIL], b->tail);
	KUNIT_EXPECT_FALSE(test, last_elsp(t) & CTX_DESC_FORCE_RESTORE);
	event(t, LITE, igen_mock_id_of(a));
	expect_ports(test, t->el->active, b, NULL);
	igen_mock_complete(b);
	event(t, COMPLETE_IDLE, igen_mock_id_of(b));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	igen_request_put(a);
	igen_request_put(b);
	end(t);
}

/* Recorded: an urgent request preempts another one, which is submitted again with its tail moved on. */
static void stream_of_a_preemption(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *low = submit(test, t, 0), *high;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	t->ctx[1]->priority = 10;
	high = submit(test, t, 1);
	expect_ports(test, t->el->pending, high, low);
	/* The hardware would not see the same tail again, so the tail moves behind the spare commands. */
	KUNIT_EXPECT_EQ(test, low->lrc->image.regs[CTX_RING_TAIL], igen_request_end(low));
	event(t, CSB_PREEMPTED, igen_mock_id_of(low));
	expect_ports(test, t->el->active, high, low);
	igen_mock_complete(high);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(high));
	igen_mock_complete(low);
	event(t, COMPLETE_IDLE, igen_mock_id_of(low));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	igen_request_put(low);
	igen_request_put(high);
	end(t);
}

/* Several events at one interrupt, at each place of the buffer, across its end. */
static void streams_wrap(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a, *b;
	unsigned int i;

	for (i = 0; i < 5 * GEN9_CSB_ENTRIES; i++) {
		a = submit(test, t, 0);
		b = submit(test, t, 1);
		event(t, CSB_IDLE_TO_ACTIVE, 0);
		igen_mock_put_event(t->engine, LITE, igen_mock_id_of(a));
		igen_mock_complete(a);
		igen_mock_put_event(t->engine, COMPLETE_SWITCH, igen_mock_id_of(a));
		igen_mock_complete(b);
		igen_mock_put_event(t->engine, COMPLETE_IDLE, igen_mock_id_of(b));
		interrupt(t);
		KUNIT_ASSERT_TRUE(test, igen_engine_is_idle(t->engine));
		KUNIT_ASSERT_EQ(test, t->el->csb_read, t->engine->hwsp_vaddr[HWSP_CSB_WRITE_PTR_DW]);
		igen_request_put(a);
		igen_request_put(b);
		/* An odd number, so that each place is each event's once. */
		if (i % 5 == 4) {
			a = submit(test, t, 0);
			event(t, CSB_IDLE_TO_ACTIVE, 0);
			igen_mock_complete(a);
			event(t, COMPLETE_IDLE, igen_mock_id_of(a));
			igen_request_put(a);
		}
	}
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	end(t);
}

/* An interrupt without an event does nothing. */
static void no_event(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq = submit(test, t, 0);

	interrupt(t);
	interrupt(t);
	expect_ports(test, t->el->pending, rq, NULL);
	expect_ports(test, t->el->active, NULL, NULL);
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	igen_mock_complete(rq);
	igen_request_put(rq);
	end(t);
}

/* An event that comes twice: the second one concerns no list, and no port is freed for it. */
static void duplicate_events(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b = submit(test, t, 1);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, LITE, igen_mock_id_of(a));
	event(t, LITE, igen_mock_id_of(a));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 1u);
	expect_ports(test, t->el->active, a, b);

	igen_mock_complete(a);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(a));
	expect_ports(test, t->el->active, b, NULL);
	/* Were it believed, the engine would save b's context into freed memory. */
	event(t, COMPLETE_SWITCH, igen_mock_id_of(a));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 2u);
	expect_ports(test, t->el->active, b, NULL);

	igen_mock_complete(b);
	event(t, COMPLETE_IDLE, igen_mock_id_of(b));
	event(t, COMPLETE_IDLE, igen_mock_id_of(b));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 3u);
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	igen_request_put(a);
	igen_request_put(b);
	end(t);
}

/* Events that the state does not allow, each on its own. */
static void unexpected_events(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq;
	unsigned int strange = 0, i;

	/* Idle: nothing was written, nothing runs. */
	static const u32 idle[] = {
		CSB_IDLE_TO_ACTIVE, CSB_PREEMPTED, LITE, COMPLETE_IDLE, COMPLETE_SWITCH, CSB_CONTEXT_COMPLETE,
		CSB_ACTIVE_TO_IDLE, CSB_ELEMENT_SWITCH,
	};
	for (i = 0; i < ARRAY_SIZE(idle); i++) {
		event(t, idle[i], 0);
		KUNIT_EXPECT_EQ_MSG(test, t->el->strange_events, ++strange, "event %u when idle", i);
	}

	/* Written, not acknowledged: nothing can be preempted or complete yet. */
	rq = submit(test, t, 0);
	event(t, COMPLETE_IDLE, igen_mock_id_of(rq));
	event(t, CSB_PREEMPTED, igen_mock_id_of(rq));
	strange += 2;
	KUNIT_EXPECT_EQ(test, t->el->strange_events, strange);
	expect_ports(test, t->el->pending, rq, NULL);

	/* Running: it neither starts again nor stops without a reason. */
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, CSB_ACTIVE_TO_IDLE, igen_mock_id_of(rq));
	event(t, CSB_WAIT_ON_SEMAPHORE | CSB_ELEMENT_SWITCH, igen_mock_id_of(rq));
	event(t, COMPLETE_IDLE, igen_mock_id_of(rq) + 1);
	strange += 4;
	KUNIT_EXPECT_EQ(test, t->el->strange_events, strange);
	expect_ports(test, t->el->active, rq, NULL);
	igen_mock_complete(rq);
	igen_request_put(rq);
	end(t);
}

static void garbage_events(struct kunit *test)
{
	static const u32 garbage[] = { 0, 0xffffffff, 0xffff0000, 0x80000000, 0x00010010, 0xdeadbeef, 0x8000, 0x7fe0 };
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq = submit(test, t, 0);
	unsigned int i;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	for (i = 0; i < ARRAY_SIZE(garbage); i++) {
		event(t, garbage[i], igen_mock_id_of(rq));
		KUNIT_EXPECT_EQ_MSG(test, t->el->strange_events, i + 1, "0x%x", garbage[i]);
		expect_ports(test, t->el->active, rq, NULL);
	}
	igen_mock_complete(rq);
	igen_request_put(rq);
	end(t);
}

/* Numbers of events that there are not: a batch wrote them, and from then on registers tell what happens. */
static void garbage_write_pointers(struct kunit *test)
{
	static const u32 garbage[] = { 6, 7, 0xff, 0x80000000, 0xffffffff };
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(garbage); i++) {
		rq = submit(test, t, 0);
		t->engine->hwsp_vaddr[HWSP_CSB_WRITE_PTR_DW] = garbage[i];
		interrupt(t);
		KUNIT_EXPECT_EQ(test, t->el->strange_events, i + 1);
		KUNIT_EXPECT_EQ(test, t->el->forgeries, i + 1);
		interrupt(t);
		KUNIT_EXPECT_EQ(test, t->el->strange_events, i + 1);
		expect_ports(test, t->el->pending, rq, NULL);
		event(t, CSB_IDLE_TO_ACTIVE, 0);
		expect_ports(test, t->el->active, rq, NULL);
		igen_mock_complete(rq);
		event(t, COMPLETE_IDLE, igen_mock_id_of(rq));
		KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
		/* The time of distrust is over: the driver reads events from the status page again. */
		t->el->distrust_until = jiffies - 1;
		interrupt(t);
		KUNIT_EXPECT_FALSE(test, t->el->distrusted);
		t->el->judged = false;
		igen_request_put(rq);
	}
	end(t);
}

/* A flagged event asks for a restart without blame; after a reset events begin anew, and work goes on. */
static void goes_on_after_a_restart(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b = submit(test, t, 1);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	/* Written first: the worker, which these parameters keep from resetting, clears it. */
	cancel_work_sync(&t->engine->fail_work);
	t->engine->failures = 0;
	spin_lock_irq(&t->engine->group->lock);
	igen_mock_put_event(t->engine, 0xffffffff, 0);
	igen_csb_process(t->engine);
	spin_unlock_irq(&t->engine->group->lock);
	flush_work(&t->engine->fail_work);
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 1u);

	execlists_reset_prepare(t->engine);
	spin_lock_irq(&t->engine->group->lock);
	execlists_reset(t->engine, false);
	spin_unlock_irq(&t->engine->group->lock);
	expect_ports(test, t->el->active, NULL, NULL);
	expect_ports(test, t->el->pending, NULL, NULL);
	KUNIT_EXPECT_EQ(test, a->fence.error, 0);
	execlists_reset_finish(t->engine);
	expect_ports(test, t->el->pending, a, b);
	KUNIT_EXPECT_EQ(test, a->lrc->image.regs[CTX_RING_HEAD], a->head);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	igen_mock_complete(a);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(a));
	igen_mock_complete(b);
	event(t, COMPLETE_IDLE, igen_mock_id_of(b));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 1u);
	igen_request_put(a);
	igen_request_put(b);
	end(t);
}

/*
 * After any sequence of events: ports fill from the first, no request is on a list twice, and a reset brings all
 * requests back.
 */
static void random_streams(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq[3];
	unsigned int i, bad = 0;
	u32 seed = 0x12345678;

	for (i = 0; i < ARRAY_SIZE(rq); i++)
		rq[i] = submit(test, t, i);
	for (i = 0; i < 2000; i++) {
		u32 id;

		/* A generator of Marsaglia's: the same stream each time. */
		seed ^= seed << 13;
		seed ^= seed >> 17;
		seed ^= seed << 5;
		id = seed & 0x100 ? igen_mock_id_of(rq[(seed >> 9) % 3]) : seed;
		igen_mock_put_event(t->engine, seed & 0x200 ? seed & 0x801f : seed, id);
		if (seed & 0xc00)
			interrupt(t);
		bad += !t->el->active[0] && t->el->active[1];
		bad += !t->el->pending[0] && t->el->pending[1];
		bad += t->el->active[0] && t->el->active[1] && t->el->active[0]->lrc == t->el->active[1]->lrc;
		bad += t->el->csb_read >= GEN9_CSB_ENTRIES;
	}
	KUNIT_EXPECT_EQ(test, 0u, bad);
	KUNIT_EXPECT_GT(test, t->el->strange_events, 100u);

	spin_lock_irq(&t->engine->group->lock);
	execlists_reset(t->engine, false);
	spin_unlock_irq(&t->engine->group->lock);
	for (i = 0; i < ARRAY_SIZE(rq); i++) {
		KUNIT_EXPECT_TRUE(test, rq[i]->queued);
		KUNIT_EXPECT_EQ(test, rq[i]->fence.error, 0);
		igen_mock_complete(rq[i]);
		igen_request_put(rq[i]);
	}
	end(t);
}

/* Raised in the second port, behind something less urgent: the order is put right at once. */
static void preempts_for_what_was_raised_in_flight(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_context *urgent = igen_mock_context(test, 10);
	struct igen_request *a = submit(test, t, 0), *b, *high;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	b = submit(test, t, 1);
	event(t, LITE, igen_mock_id_of(a));
	expect_ports(test, t->el->active, a, b);

	high = igen_mock_request(test, urgent, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(high, &b->fence));
	expect_ports(test, t->el->pending, NULL, NULL);
	igen_request_add(high);
	expect_ports(test, t->el->pending, b, a);
	event(t, CSB_PREEMPTED, igen_mock_id_of(a));
	expect_ports(test, t->el->active, b, a);
	/* Once is enough. */
	interrupt(t);
	expect_ports(test, t->el->pending, NULL, NULL);

	/* Raising the running request changes nothing. */
	igen_request_put(high);
	igen_mock_complete(high);
	igen_mock_complete(b);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(b));
	igen_mock_complete(a);
	event(t, COMPLETE_IDLE, igen_mock_id_of(a));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	igen_request_put(a);
	igen_request_put(b);
	igen_context_put(urgent);
	end(t);
}

/* What waits for the end of another on the same engine comes next when it is more urgent than the others. */
static void second_port_is_for_followers(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_context *urgent = igen_mock_context(test, 10), *idler = igen_mock_context(test, -10);
	struct igen_request *a = submit(test, t, 0), *low, *high;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	low = igen_mock_submit(test, idler, IGEN_BCS0);
	event(t, LITE, igen_mock_id_of(a));
	expect_ports(test, t->el->active, a, low);

	high = igen_mock_request(test, urgent, IGEN_BCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(high, &low->fence));
	igen_request_add(high);
	expect_ports(test, t->el->pending, low, NULL);
	KUNIT_EXPECT_TRUE(test, a->queued);
	event(t, CSB_PREEMPTED, igen_mock_id_of(a));
	interrupt(t);
	expect_ports(test, t->el->pending, NULL, NULL);

	igen_mock_complete(low);
	expect_ports(test, t->el->pending, low, high);
	event(t, LITE, igen_mock_id_of(low));
	event(t, COMPLETE_SWITCH, igen_mock_id_of(low));
	expect_ports(test, t->el->pending, high, a);
	event(t, LITE, igen_mock_id_of(high));
	igen_mock_complete(high);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(high));
	igen_mock_complete(a);
	event(t, COMPLETE_IDLE, igen_mock_id_of(a));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	igen_request_put(a);
	igen_request_put(low);
	igen_request_put(high);
	igen_context_put(urgent);
	igen_context_put(idler);
	end(t);
}

/* But not for a follower that has something else to wait for, too. */
static void second_port_is_free_again(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_context *urgent = igen_mock_context(test, 10), *idler = igen_mock_context(test, -10);
	struct igen_request *a = submit(test, t, 0), *low, *high, *other;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	low = igen_mock_submit(test, idler, IGEN_BCS0);
	event(t, LITE, igen_mock_id_of(a));
	other = igen_mock_submit(test, urgent, IGEN_RCS0);
	high = igen_mock_request(test, t->ctx[1], IGEN_BCS0);
	high->priority = 10;
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(high, &low->fence));
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(high, &other->fence));
	igen_request_add(high);
	expect_ports(test, t->el->pending, low, NULL);
	event(t, CSB_PREEMPTED, igen_mock_id_of(a));
	KUNIT_EXPECT_EQ(test, atomic_read(&low->followers), 1);

	igen_mock_complete(low);
	KUNIT_EXPECT_EQ(test, atomic_read(&low->followers), 0);
	event(t, COMPLETE_IDLE, igen_mock_id_of(low));
	expect_ports(test, t->el->pending, a, NULL);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	igen_mock_complete(a);
	event(t, COMPLETE_IDLE, igen_mock_id_of(a));
	igen_mock_complete(other);
	expect_ports(test, t->el->pending, high, NULL);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	igen_mock_complete(high);
	event(t, COMPLETE_IDLE, igen_mock_id_of(high));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	igen_request_put(a);
	igen_request_put(low);
	igen_request_put(high);
	igen_request_put(other);
	igen_context_put(urgent);
	igen_context_put(idler);
	end(t);
}

/* The hardware may be done before the followers are told: until then nothing less urgent starts. */
static void followers_are_waited_for(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_context *urgent = igen_mock_context(test, 10), *idler = igen_mock_context(test, -10);
	struct igen_request *a = submit(test, t, 0), *low, *high;
	bool looks_again;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	low = igen_mock_submit(test, idler, IGEN_BCS0);
	event(t, LITE, igen_mock_id_of(a));
	high = igen_mock_request(test, urgent, IGEN_BCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(high, &low->fence));
	igen_request_add(high);
	event(t, CSB_PREEMPTED, igen_mock_id_of(a));

	WRITE_ONCE(*(u32 *)low->hwsp_seqno, lower_32_bits(low->fence.seqno));
	igen_mock_put_event(t->engine, COMPLETE_IDLE, igen_mock_id_of(low));
	spin_lock_irq(&t->engine->group->lock);
	execlists_submit(t->engine);
	/* Before it runs, a jiffy later. */
	looks_again = delayed_work_pending(&t->el->slice_work);
	spin_unlock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_PTR_EQ(test, t->el->followed, low);
	expect_ports(test, t->el->active, NULL, NULL);
	expect_ports(test, t->el->pending, NULL, NULL);
	KUNIT_EXPECT_TRUE(test, a->queued);
	KUNIT_EXPECT_TRUE(test, looks_again);

	interrupt(t);
	expect_ports(test, t->el->pending, high, NULL);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	KUNIT_EXPECT_PTR_EQ(test, t->el->followed, NULL);
	expect_ports(test, t->el->pending, high, a);
	event(t, LITE, igen_mock_id_of(high));
	igen_mock_complete(high);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(high));
	igen_mock_complete(a);
	event(t, COMPLETE_IDLE, igen_mock_id_of(a));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	igen_request_put(a);
	igen_request_put(low);
	igen_request_put(high);
	igen_context_put(urgent);
	igen_context_put(idler);
	end(t);
}

/* A context whose timeslice is over goes behind contexts of its priority, but not behind less urgent ones. */
static void takes_turns(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_context *idler = igen_mock_context(test, -1);
	struct igen_request *a = submit(test, t, 0), *b, *c, *last;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	/* A context that is alone goes on. */
	t->el->slice_over = true;
	interrupt(t);
	expect_ports(test, t->el->pending, NULL, NULL);

	last = igen_mock_submit(test, idler, IGEN_BCS0);
	event(t, LITE, igen_mock_id_of(a));
	expect_ports(test, t->el->active, a, last);
	/* A context beside less urgent ones goes on, too. */
	t->el->slice_over = true;
	interrupt(t);
	expect_ports(test, t->el->pending, NULL, NULL);

	b = submit(test, t, 1);
	c = submit(test, t, 2);
	expect_ports(test, t->el->pending, NULL, NULL);
	t->el->slice_over = true;
	interrupt(t);
	KUNIT_EXPECT_FALSE(test, t->el->slice_over);
	expect_ports(test, t->el->pending, b, c);
	KUNIT_EXPECT_TRUE(test, a->queued && last->queued);
	spin_lock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_PTR_EQ(test, igen_queue_first(t->engine), a);
	KUNIT_EXPECT_PTR_EQ(test, igen_queue_next(a), last);
	KUNIT_EXPECT_NULL(test, igen_queue_next(last));
	spin_unlock_irq(&t->engine->group->lock);

	event(t, CSB_PREEMPTED, igen_mock_id_of(a));
	expect_ports(test, t->el->active, b, c);
	igen_mock_complete(b);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(b));
	igen_mock_complete(c);
	event(t, LITE, igen_mock_id_of(c));
	event(t, COMPLETE_SWITCH, igen_mock_id_of(c));
	igen_mock_complete(a);
	event(t, LITE, igen_mock_id_of(a));
	event(t, COMPLETE_SWITCH, igen_mock_id_of(a));
	igen_mock_complete(last);
	event(t, COMPLETE_IDLE, igen_mock_id_of(last));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	igen_request_put(a);
	igen_request_put(b);
	igen_request_put(c);
	igen_request_put(last);
	igen_context_put(idler);
	end(t);
}

/* The engine may have reached every tail that it was given, so the tail never goes back. */
static void tail_never_goes_back(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b, *c;
	struct igen_lrc *lrc = a->lrc;

	KUNIT_EXPECT_EQ(test, lrc->image.hw_tail, a->tail);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	b = submit(test, t, 1);
	KUNIT_EXPECT_EQ(test, lrc->image.hw_tail, igen_request_end(a));
	event(t, LITE, igen_mock_id_of(a));
	t->ctx[2]->priority = 10;
	c = submit(test, t, 2);
	expect_ports(test, t->el->pending, c, a);
	KUNIT_EXPECT_EQ(test, lrc->image.hw_tail, igen_request_end(a));
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_RING_TAIL], igen_request_end(a));

	igen_request_put(a);
	igen_request_put(b);
	igen_request_put(c);
	end(t);
}

/*
 * The engine may have reached the requests of a context when a request of another context comes between them by
 * priority. The requests are submitted again with that one, and then give way.
 */
static void reached_requests_are_resubmitted(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a[2], *b, *c;
	unsigned int i;

	a[0] = submit(test, t, 0);
	a[1] = submit(test, t, 0);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, LITE, igen_mock_id_of(a[0]));
	expect_ports(test, t->el->active, a[1], NULL);
	spin_lock(&a[0]->lrc->timeline.lock);
	spin_lock_irq(&t->engine->group->lock);
	igen_scheduler_raise(a[0], 5);
	spin_unlock_irq(&t->engine->group->lock);
	spin_unlock(&a[0]->lrc->timeline.lock);

	t->ctx[1]->priority = 3;
	b = submit(test, t, 1);
	expect_ports(test, t->el->pending, a[1], b);
	event(t, LITE, igen_mock_id_of(a[0]));
	/* b is to run before a[1], but only after a[0] has completed. */
	interrupt(t);
	expect_ports(test, t->el->pending, NULL, NULL);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&t->el->slice_work));

	t->ctx[2]->priority = 6;
	c = submit(test, t, 2);
	expect_ports(test, t->el->pending, c, a[1]);
	KUNIT_EXPECT_EQ(test, a[1]->lrc->image.regs[CTX_RING_TAIL], igen_request_end(a[1]));
	KUNIT_EXPECT_TRUE(test, b->queued);
	event(t, CSB_PREEMPTED, igen_mock_id_of(a[0]));
	igen_mock_complete(c);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(c));
	expect_ports(test, t->el->pending, a[1], b);
	event(t, LITE, igen_mock_id_of(a[0]));

	igen_mock_complete(a[0]);
	t->el->slice_work.work.func(&t->el->slice_work.work);
	expect_ports(test, t->el->pending, b, a[1]);
	event(t, CSB_PREEMPTED, igen_mock_id_of(a[0]));
	igen_mock_complete(b);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(b));
	igen_mock_complete(a[1]);
	event(t, COMPLETE_IDLE, igen_mock_id_of(a[1]));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	for (i = 0; i < ARRAY_SIZE(a); i++)
		igen_request_put(a[i]);
	igen_request_put(b);
	igen_request_put(c);
	end(t);
}

/* A full ring of requests that the engine may have reached is submitted again. */
static void full_ring_is_resubmitted(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *first = submit(test, t, 0), *last = igen_request_get(first), *b, *c;
	const struct igen_lrc *lrc = first->lrc;

	while (lrc->ring.tail < lrc->ring.size / 4 * 3) {
		igen_request_put(last);
		last = submit(test, t, 0);
	}
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, LITE, igen_mock_id_of(first));
	expect_ports(test, t->el->active, last, NULL);
	spin_lock(&first->lrc->timeline.lock);
	spin_lock_irq(&t->engine->group->lock);
	igen_scheduler_raise(first, 5);
	spin_unlock_irq(&t->engine->group->lock);
	spin_unlock(&first->lrc->timeline.lock);

	t->ctx[1]->priority = 3;
	b = submit(test, t, 1);
	expect_ports(test, t->el->pending, last, b);
	event(t, LITE, igen_mock_id_of(first));
	t->ctx[2]->priority = 6;
	c = submit(test, t, 2);
	expect_ports(test, t->el->pending, c, last);
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_RING_TAIL], igen_request_end(last));

	event(t, CSB_PREEMPTED, igen_mock_id_of(first));
	igen_mock_complete(c);
	igen_mock_complete(last);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(c));
	event(t, LITE, igen_mock_id_of(last));
	event(t, COMPLETE_SWITCH, igen_mock_id_of(last));
	igen_mock_complete(b);
	event(t, COMPLETE_IDLE, igen_mock_id_of(b));
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	igen_request_put(first);
	igen_request_put(last);
	igen_request_put(b);
	igen_request_put(c);
	end(t);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(stream_of_one_request),
	KUNIT_CASE(stream_of_late_event),
	KUNIT_CASE(stream_of_late_entries),
	KUNIT_CASE(stream_of_three_contexts),
	KUNIT_CASE(stream_of_lite_restores),
	KUNIT_CASE(stream_of_a_preemption),
	KUNIT_CASE(streams_wrap),
	KUNIT_CASE(no_event),
	KUNIT_CASE(duplicate_events),
	KUNIT_CASE(unexpected_events),
	KUNIT_CASE(garbage_events),
	KUNIT_CASE(garbage_write_pointers),
	KUNIT_CASE(goes_on_after_a_restart),
	KUNIT_CASE(random_streams),
	KUNIT_CASE(preempts_for_what_was_raised_in_flight),
	KUNIT_CASE(second_port_is_for_followers),
	KUNIT_CASE(second_port_is_free_again),
	KUNIT_CASE(followers_are_waited_for),
	KUNIT_CASE(takes_turns),
	KUNIT_CASE(tail_never_goes_back),
	KUNIT_CASE(reached_requests_are_resubmitted),
	KUNIT_CASE(full_ring_is_resubmitted),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_execlists",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_execlists,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
