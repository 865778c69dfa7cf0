// SPDX-License-Identifier: MIT
/*
 * DOC: Events that a batch writes, and contexts that the engine has not left
 *
 * The test is the engine: it writes registers as the hardware would, and the status page as a batch can.
 */
#include <igen/regs/context.h>
#include <igen/regs/engine.h>

#include "../submit/igen_execlists.h"
#include "igen_mock.h"
#include "igen_mock_ports.h"

/* What EXECLIST_STATUS says: the element that is active, 1 or 2, of which context; 0: idle. */
static void set_status(struct igen_mock_ports *t, unsigned int element, u32 id, bool queued)
{
	u32 base = t->engine->info->base, status = 0;

	if (element)
		status = IGEN_PREP(EXECLIST_STATUS_ACTIVE_MASK, element) | EXECLIST_STATUS_0_VALID;
	if (queued)
		status |= EXECLIST_STATUS_QUEUE_FULL | EXECLIST_STATUS_1_VALID;
	igen_write(t->igen, RING_EXECLIST_STATUS_LO(base), status);
	igen_write(t->igen, RING_EXECLIST_STATUS_HI(base), id);
}

/* The engine saves a context, which has had it for some time. */
static void save_image(struct igen_request *rq)
{
	rq->lrc->image.regs[CTX_TIMESTAMP] += 100;
}

static bool has_left(struct igen_mock_ports *t, struct igen_lrc *lrc)
{
	bool left;

	spin_lock_irq(&t->engine->group->lock);
	left = igen_lrc_has_left(lrc);
	spin_unlock_irq(&t->engine->group->lock);
	return left;
}

static struct igen_request *forger(struct igen_mock_ports *t)
{
	struct igen_request *rq;

	spin_lock_irq(&t->engine->group->lock);
	rq = igen_csb_forger(t->engine);
	spin_unlock_irq(&t->engine->group->lock);
	return rq;
}

static void finish(struct igen_mock_ports *t, struct igen_request *rq)
{
	igen_mock_complete(rq);
	igen_request_put(rq);
}

/* The engine is in a context that an event of the batch's own says it has left. */
static void forged_end_is_not_believed(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b = submit(test, t, 1);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, LITE, igen_mock_id_of(a));
	set_status(t, 1, igen_mock_id_of(a), false);
	igen_mock_forge_event(t->engine, COMPLETE_SWITCH, igen_mock_id_of(a));
	interrupt(t);
	expect_ports(test, t->el->active, a, b);
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 1u);
	KUNIT_EXPECT_EQ(test, t->el->forgeries, 1u);
	KUNIT_EXPECT_PTR_EQ(test, forger(t), a);

	/* Until the time of distrust is over the driver reads the engine's events from registers. */
	save_image(a);
	igen_mock_complete(a);
	set_status(t, 2, igen_mock_id_of(b), false);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(a));
	expect_ports(test, t->el->active, b, NULL);
	igen_mock_forge_event(t->engine, COMPLETE_IDLE, igen_mock_id_of(b));
	interrupt(t);
	expect_ports(test, t->el->active, b, NULL);
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 1u);
	igen_request_put(a);
	finish(t, b);
	end(t);
}

/* An event that a list was taken, while it is queued. */
static void forged_preemption_is_not_believed(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *low = submit(test, t, 0), *high;

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	t->ctx[1]->priority = 10;
	high = submit(test, t, 1);
	set_status(t, 1, igen_mock_id_of(low), true);
	igen_mock_forge_event(t->engine, CSB_PREEMPTED, igen_mock_id_of(low));
	interrupt(t);
	expect_ports(test, t->el->active, low, NULL);
	expect_ports(test, t->el->pending, high, low);
	KUNIT_EXPECT_PTR_EQ(test, forger(t), low);
	finish(t, high);
	finish(t, low);
	end(t);
}

/* The true event has overwritten the forged one and names the forger's context; the engine runs another one by now. */
static void forger_is_the_context_that_left(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b = submit(test, t, 1);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, LITE, igen_mock_id_of(a));
	/* Believed, since its context was saved before for another reason. */
	save_image(a);
	igen_mock_forge_event(t->engine, COMPLETE_SWITCH, igen_mock_id_of(a));
	interrupt(t);
	expect_ports(test, t->el->active, b, NULL);
	set_status(t, 2, igen_mock_id_of(b), false);
	/* The engine's own: it left the context for another reason; then what it says makes no sense. */
	igen_mock_put_event(t->engine, CSB_PREEMPTED, igen_mock_id_of(a));
	event(t, COMPLETE_SWITCH, igen_mock_id_of(a));
	KUNIT_EXPECT_EQ(test, t->el->forgeries, 1u);
	KUNIT_EXPECT_PTR_EQ(test, forger(t), a);
	finish(t, a);
	finish(t, b);
	end(t);
}

/* An event that the hardware lost is in no register: no batch is guilty, and the driver goes on reading the page. */
static void lost_events_blame_no_context(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b = submit(test, t, 1);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, LITE, igen_mock_id_of(a));
	igen_mock_complete(a);
	set_status(t, 2, igen_mock_id_of(b), false);
	/* That the first was left was lost. */
	event(t, COMPLETE_IDLE, igen_mock_id_of(b));
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 1u);
	KUNIT_EXPECT_EQ(test, t->el->forgeries, 0u);
	KUNIT_EXPECT_FALSE(test, t->el->distrusted);
	KUNIT_EXPECT_PTR_EQ(test, forger(t), (struct igen_request *)NULL);
	igen_request_put(a);
	finish(t, b);
	end(t);
}

static struct igen_request *forger_by_id(struct igen_mock_ports *t, u32 id)
{
	t->el->forger = id;
	return forger(t);
}

/* Only a context that the engine was given can have forged an event, and it is found wherever its requests are now. */
static void forger_is_of_the_last_lists(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b = submit(test, t, 1), *c = submit(test, t, 2);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, LITE, igen_mock_id_of(a));
	expect_ports(test, t->el->active, a, b);
	KUNIT_EXPECT_TRUE(test, c->queued);
	KUNIT_EXPECT_PTR_EQ(test, forger_by_id(t, igen_mock_id_of(a)), a);
	KUNIT_EXPECT_PTR_EQ(test, forger_by_id(t, igen_mock_id_of(b)), b);
	KUNIT_EXPECT_NULL(test, forger_by_id(t, igen_mock_id_of(c)));

	spin_lock_irq(&t->engine->group->lock);
	igen_scheduler_unwind(t->engine);
	spin_unlock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_TRUE(test, a->queued && b->queued);
	KUNIT_EXPECT_PTR_EQ(test, forger_by_id(t, igen_mock_id_of(a)), a);
	KUNIT_EXPECT_PTR_EQ(test, forger_by_id(t, igen_mock_id_of(b)), b);
	KUNIT_EXPECT_NULL(test, forger_by_id(t, igen_mock_id_of(c)));
	t->el->forger = 0;
	finish(t, a);
	finish(t, b);
	finish(t, c);
	end(t);
}

/* The lists that were written last hold no context: an LRC that is freed is no more in them. */
static void freed_context_is_forgotten(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_request *rq = igen_mock_submit(test, ctx, IGEN_BCS0);
	struct igen_lrc *const *kept = &t->el->kept[0][0];
	unsigned int n, before = 0, after = 0;
	const struct igen_lrc *lrc = rq->lrc;
	u32 id = igen_mock_id_of(rq);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	save_image(rq);
	igen_mock_complete(rq);
	event(t, COMPLETE_IDLE, id);
	set_status(t, 0, 0, false);
	igen_request_put(rq);
	for (n = 0; n < LISTS_KEPT * NUM_PORTS; n++)
		before += kept[n] == lrc;
	igen_context_put(ctx);
	igen_mock_settle(t->igen);
	for (n = 0; n < LISTS_KEPT * NUM_PORTS; n++)
		after += kept[n] == lrc;
	KUNIT_EXPECT_EQ(test, before, 1u);
	KUNIT_EXPECT_EQ(test, after, 0u);
	KUNIT_EXPECT_NULL(test, forger_by_id(t, id));
	t->el->forger = 0;
	end(t);
}

/* A context on no port was left when the engine says so, and one look serves for all that came before. */
static void departure_is_confirmed(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b, *c;
	struct igen_lrc *first = a->lrc, *second;

	KUNIT_EXPECT_FALSE(test, has_left(t, first));
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	KUNIT_EXPECT_FALSE(test, has_left(t, first));
	save_image(a);
	igen_mock_complete(a);
	event(t, COMPLETE_IDLE, igen_mock_id_of(a));
	set_status(t, 1, igen_mock_id_of(a), false);
	KUNIT_EXPECT_FALSE(test, has_left(t, first));
	set_status(t, 0, 0, false);
	KUNIT_EXPECT_TRUE(test, has_left(t, first));
	/* Once it is known, the engine is not asked. */
	set_status(t, 1, igen_mock_id_of(a), false);
	KUNIT_EXPECT_TRUE(test, has_left(t, first));
	igen_request_put(a);

	/* A list of two contexts: when the engine is in the second one it has left the first. */
	a = submit(test, t, 0);
	b = submit(test, t, 1);
	second = b->lrc;
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, LITE, igen_mock_id_of(a));
	save_image(a);
	igen_mock_complete(a);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(a));
	set_status(t, 1, igen_mock_id_of(a), false);
	KUNIT_EXPECT_FALSE(test, has_left(t, first));
	set_status(t, 2, igen_mock_id_of(b), true);
	KUNIT_EXPECT_FALSE(test, has_left(t, first));
	set_status(t, 2, igen_mock_id_of(b), false);
	KUNIT_EXPECT_TRUE(test, has_left(t, first));
	KUNIT_EXPECT_FALSE(test, has_left(t, second));
	save_image(b);
	igen_mock_complete(b);
	event(t, COMPLETE_IDLE, igen_mock_id_of(b));

	/* Another list runs: what is in none but earlier ones was left. */
	c = submit(test, t, 2);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	set_status(t, 1, igen_mock_id_of(c), false);
	KUNIT_EXPECT_TRUE(test, has_left(t, second));
	KUNIT_EXPECT_FALSE(test, has_left(t, c->lrc));
	set_status(t, 0, 0, false);
	igen_request_put(a);
	igen_request_put(b);
	finish(t, c);
	end(t);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(forged_end_is_not_believed),
	KUNIT_CASE(forged_preemption_is_not_believed),
	KUNIT_CASE(forger_is_the_context_that_left),
	KUNIT_CASE(lost_events_blame_no_context),
	KUNIT_CASE(forger_is_of_the_last_lists),
	KUNIT_CASE(freed_context_is_forgotten),
	KUNIT_CASE(departure_is_confirmed),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_forge",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_execlists,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
