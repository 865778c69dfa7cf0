// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of contexts that give way because they only wait
 *
 * With the real backend, which writes into memory: the tests say what the hardware would, and what RING_CTL has.
 * Timeslices are longer than any test.
 */
#include <igen/regs/context.h>
#include <igen/regs/engine.h>

#include "igen_mock_ports.h"

/* Turns do not end by themselves. */
static struct igen_mock_ports *start_without_slices(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);

	t->engine->props.timeslice_duration_ms = MSEC_PER_SEC * 3600;
	return t;
}

static void end_idle(struct kunit *test, struct igen_mock_ports *t)
{
	KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	end(t);
}

/* The engine comes to wait for a semaphore, or has found what it waited for by the time that the driver looks. */
static void semaphore(struct igen_mock_ports *t, bool still_waits)
{
	igen_write(t->engine->igen, RING_CTL(t->engine->info->base), still_waits ? RING_CTL_WAIT_SEMAPHORE : 0);
	irq(t, GT_IRQ_WAIT_SEMAPHORE);
}

/* True if the interrupt for a semaphore wait is enabled. */
static bool listens(struct igen_mock_ports *t)
{
	const struct igen_engine_info *info = t->engine->info;

	return igen_read(t->engine->igen, GT_IER(info->irq_group)) & GT_IRQ_WAIT_SEMAPHORE << info->irq_shift;
}

static void end_two(struct igen_mock_ports *t, struct igen_request *first, struct igen_request *second)
{
	igen_mock_complete(first);
	event(t, CSB_CONTEXT_COMPLETE | CSB_ELEMENT_SWITCH, igen_mock_id_of(first));
	igen_mock_complete(second);
	event(t, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, igen_mock_id_of(second));
	igen_request_put(first);
	igen_request_put(second);
}

/* A context that only waits goes behind contexts of its priority, whether they come before or after it. */
static void semaphore_wait_gives_way(struct kunit *test)
{
	struct igen_mock_ports *t = start_without_slices(test);
	struct igen_request *a = submit(test, t, 0), *b;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	semaphore(t, true);
	expect_ports(test, t->el->pending, NULL, NULL);
	/* There is no other context to give way to. */
	KUNIT_EXPECT_FALSE(test, listens(t));

	b = submit(test, t, 1);
	expect_ports(test, t->el->pending, b, a);
	event(t, CSB_PREEMPTED, igen_mock_id_of(a));
	expect_ports(test, t->el->active, b, a);
	expect_ports(test, t->el->pending, NULL, NULL);
	KUNIT_EXPECT_TRUE(test, listens(t));

	/* That was another's wait, or it is over. */
	semaphore(t, false);
	expect_ports(test, t->el->pending, NULL, NULL);
	semaphore(t, true);
	expect_ports(test, t->el->pending, a, b);
	event(t, CSB_PREEMPTED, igen_mock_id_of(b));
	expect_ports(test, t->el->active, a, b);

	end_two(t, a, b);
	end_idle(test, t);
}

/*
 * A context in a semaphore wait does not give way to a less urgent context, nor when timeslices are off. The wait's
 * interrupt is off then.
 */
static void semaphore_wait_keeps_the_engine(struct kunit *test)
{
	struct igen_mock_ports *t = start_without_slices(test);
	struct igen_context *idler = igen_mock_context(test, -1);
	struct igen_request *a = submit(test, t, 0), *last, *b;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	last = igen_mock_submit(test, idler, IGEN_BCS0);
	event(t, CSB_PREEMPTED | CSB_LITE_RESTORE, igen_mock_id_of(a));
	KUNIT_EXPECT_FALSE(test, listens(t));
	semaphore(t, true);
	expect_ports(test, t->el->pending, NULL, NULL);
	expect_ports(test, t->el->active, a, last);

	t->engine->props.timeslice_duration_ms = 0;
	b = submit(test, t, 1);
	expect_ports(test, t->el->pending, NULL, NULL);
	semaphore(t, true);
	expect_ports(test, t->el->pending, NULL, NULL);
	KUNIT_EXPECT_FALSE(test, listens(t));

	/* With timeslices again, the wait that was told before counts. */
	t->engine->props.timeslice_duration_ms = MSEC_PER_SEC * 3600;
	irq(t, GT_IRQ_CONTEXT_SWITCH);
	expect_ports(test, t->el->pending, b, a);
	event(t, CSB_PREEMPTED, igen_mock_id_of(a));
	KUNIT_EXPECT_TRUE(test, listens(t));
	igen_mock_complete(b);
	event(t, CSB_CONTEXT_COMPLETE | CSB_ELEMENT_SWITCH, igen_mock_id_of(b));
	event(t, CSB_PREEMPTED | CSB_LITE_RESTORE, igen_mock_id_of(a));
	/* No context is left that could have the engine: the interrupt is off. */
	semaphore(t, true);
	KUNIT_EXPECT_FALSE(test, listens(t));
	igen_request_put(b);

	end_two(t, a, last);
	igen_context_put(idler);
	end_idle(test, t);
}

/* Contexts that only wait do not hand the engine to each other at every interrupt: a timer looks again. */
static void semaphore_interrupt_is_limited(struct kunit *test)
{
	struct igen_mock_ports *t = start_without_slices(test);
	struct igen_request *a = submit(test, t, 0), *b;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	b = submit(test, t, 1);
	event(t, CSB_PREEMPTED | CSB_LITE_RESTORE, igen_mock_id_of(a));
	KUNIT_EXPECT_TRUE(test, listens(t));

	/* However long this takes, it is the same jiffy. */
	t->el->heard_until = jiffies + 3600 * HZ;
	t->el->waits_heard = MOST_WAITS - 1;
	semaphore(t, true);
	expect_ports(test, t->el->pending, b, a);
	event(t, CSB_PREEMPTED, igen_mock_id_of(a));
	KUNIT_EXPECT_TRUE(test, listens(t));
	semaphore(t, true);
	expect_ports(test, t->el->pending, NULL, NULL);
	expect_ports(test, t->el->active, b, a);
	KUNIT_EXPECT_FALSE(test, listens(t));
	KUNIT_EXPECT_TRUE(test, time_before_eq(t->el->slice_due, jiffies + 1));

	/* The timeslice worker preempts the waiting context only once heard_until has passed. */
	cancel_delayed_work_sync(&t->el->slice_work);
	t->el->heard_until = jiffies;
	t->el->slice_work.work.func(&t->el->slice_work.work);
	expect_ports(test, t->el->pending, a, b);
	event(t, CSB_PREEMPTED, igen_mock_id_of(b));
	KUNIT_EXPECT_TRUE(test, listens(t));

	end_two(t, a, b);
	end_idle(test, t);
}

/* The engine goes from one to the other, which was given to it with the first. */
static void change(struct igen_mock_ports *t, struct igen_request *from)
{
	event(t, CSB_PREEMPTED, igen_mock_id_of(from));
}

/* Not heard too often, however long the test takes. */
static void comes_to_wait(struct igen_mock_ports *t)
{
	t->el->heard_until = jiffies;
	semaphore(t, true);
}

static bool polls(struct igen_mock_ports *t, const struct igen_request *rq)
{
	bool polls;

	spin_lock_irq(&t->engine->group->lock);
	polls = igen_request_polls(rq);
	spin_unlock_irq(&t->engine->group->lock);
	return polls;
}

/*
 * Two contexts that poll, each of which has come to the same wait twice, do not hand the engine to each other at once.
 * Any other context gets the engine at once, and so does a polling context that has got further.
 */
static void polling_contexts_keep_their_turns(struct kunit *test)
{
	struct igen_mock_ports *t = start_without_slices(test);
	struct igen_request *a = submit(test, t, 0), *b, *c;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	b = submit(test, t, 1);
	event(t, CSB_PREEMPTED | CSB_LITE_RESTORE, igen_mock_id_of(a));
	comes_to_wait(t);
	expect_ports(test, t->el->pending, b, a);
	change(t, a);
	comes_to_wait(t);
	expect_ports(test, t->el->pending, a, b);
	change(t, b);
	KUNIT_EXPECT_FALSE(test, a->lrc->polls || b->lrc->polls);
	comes_to_wait(t);
	KUNIT_EXPECT_TRUE(test, a->lrc->polls);
	expect_ports(test, t->el->pending, b, a);
	change(t, a);
	comes_to_wait(t);
	KUNIT_EXPECT_TRUE(test, polls(t, a) && polls(t, b));
	expect_ports(test, t->el->pending, NULL, NULL);
	KUNIT_EXPECT_FALSE(test, listens(t));

	/* With a context that works, each goes on at once, in their order. */
	c = submit(test, t, 2);
	expect_ports(test, t->el->pending, a, c);
	change(t, b);
	/* This one is at another wait by now. */
	igen_write(t->engine->igen, RING_ACTHD(t->engine->info->base), 0x1000);
	comes_to_wait(t);
	KUNIT_EXPECT_FALSE(test, a->lrc->polls);
	/* b may have waited for the progress of a, so b does not count as polling either. */
	KUNIT_EXPECT_FALSE(test, polls(t, b));
	expect_ports(test, t->el->pending, c, b);
	change(t, a);
	igen_mock_complete(c);
	event(t, CSB_CONTEXT_COMPLETE | CSB_ELEMENT_SWITCH, igen_mock_id_of(c));
	igen_request_put(c);
	expect_ports(test, t->el->pending, b, a);
	event(t, CSB_PREEMPTED | CSB_LITE_RESTORE, igen_mock_id_of(b));
	end_two(t, b, a);
	end_idle(test, t);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(semaphore_wait_gives_way),
	KUNIT_CASE(semaphore_wait_keeps_the_engine),
	KUNIT_CASE(semaphore_interrupt_is_limited),
	KUNIT_CASE(polling_contexts_keep_their_turns),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_yield",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_execlists,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
