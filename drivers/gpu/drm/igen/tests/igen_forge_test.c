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

/* The engine's page is not believed, and no context is to blame. */
static void expect_no_forger(struct kunit *test, struct igen_mock_ports *t)
{
	KUNIT_EXPECT_EQ(test, t->el->forgeries, 1u);
	KUNIT_EXPECT_TRUE(test, t->el->distrusted);
	KUNIT_EXPECT_PTR_EQ(test, forger(t), (struct igen_request *)NULL);
}

/* The first context of the list runs, and the second one begins when the test says so. */
static void start_two(struct igen_mock_ports *t, struct igen_request *a)
{
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, LITE, igen_mock_id_of(a));
	set_status(t, 1, igen_mock_id_of(a), false);
}

static void switch_to_second(struct igen_mock_ports *t, struct igen_request *a, struct igen_request *b)
{
	save_image(a);
	set_status(t, 2, igen_mock_id_of(b), false);
	igen_mock_put_event(t->engine, COMPLETE_SWITCH, igen_mock_id_of(a));
}

/* The context that left forged its own departure, but the next one, which runs by now, could have done so, too. */
static void forger_has_left(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b = submit(test, t, 1);

	start_two(t, a);
	/* Believed, since its context was saved before for another reason. */
	save_image(a);
	igen_mock_forge_event(t->engine, COMPLETE_SWITCH, igen_mock_id_of(a));
	interrupt(t);
	expect_ports(test, t->el->active, b, NULL);
	set_status(t, 2, igen_mock_id_of(b), false);
	/* The engine's own: it left the context for another reason; then what it says makes no sense. */
	igen_mock_put_event(t->engine, CSB_PREEMPTED, igen_mock_id_of(a));
	event(t, COMPLETE_SWITCH, igen_mock_id_of(a));
	expect_no_forger(test, t);
	finish(t, a);
	finish(t, b);
	end(t);
}

/* The next context overwrites the event that its victim has left, before the driver reads the event. */
static void event_of_a_victim_is_overwritten(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *victim = submit(test, t, 0), *b = submit(test, t, 1);

	start_two(t, victim);
	switch_to_second(t, victim, b);
	igen_mock_put_entry(t->engine, CSB_WAIT_ON_SEMAPHORE, 0);
	interrupt(t);
	expect_no_forger(test, t);
	finish(t, victim);
	finish(t, b);
	end(t);
}

/* It writes an event's number that there is not, while the event that its victim has left is unread. */
static void number_behind_a_victims_event(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *victim = submit(test, t, 0), *b = submit(test, t, 1);

	start_two(t, victim);
	switch_to_second(t, victim, b);
	t->engine->hwsp_vaddr[HWSP_CSB_WRITE_PTR_DW] = GEN9_CSB_ENTRIES;
	interrupt(t);
	expect_no_forger(test, t);
	finish(t, victim);
	finish(t, b);
	end(t);
}

/* The forger has left the engine: the next context runs when the driver reads an event that was not. */
static void forger_leaves_before_the_look(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *victim = submit(test, t, 1);

	start_two(t, a);
	switch_to_second(t, a, victim);
	igen_mock_forge_event(t->engine, COMPLETE_IDLE, igen_mock_id_of(a));
	interrupt(t);
	expect_no_forger(test, t);
	finish(t, a);
	finish(t, victim);
	end(t);
}

/* A context forges where an event comes later whose number precedes it: the victim is on the engine by then. */
static void late_entry_of_a_victim_is_filled(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *victim = submit(test, t, 1);
	u32 *csb = t->el->csb;

	start_two(t, a);
	/* Two events later. */
	csb[2 * ((t->el->csb_read + 2) % GEN9_CSB_ENTRIES)] = CSB_WAIT_ON_SEMAPHORE;
	switch_to_second(t, a, victim);
	interrupt(t);
	expect_ports(test, t->el->active, victim, NULL);
	save_image(victim);
	set_status(t, 0, 0, false);
	igen_mock_put_number(t->engine, COMPLETE_IDLE, igen_mock_id_of(victim));
	interrupt(t);
	expect_no_forger(test, t);
	finish(t, a);
	finish(t, victim);
	end(t);
}

/* Stops the engine and resets it for what it hangs in; returns what that is. */
static struct igen_request *reset_for_hang(struct igen_mock_ports *t)
{
	struct igen_engine_state state;

	igen_execlists_ops.reset_prepare(t->engine);
	spin_lock_irq(&t->engine->group->lock);
	igen_execlists_ops.state(t->engine, false, &state);
	igen_execlists_ops.reset(t->engine, true);
	spin_unlock_irq(&t->engine->group->lock);
	igen_execlists_ops.reset_finish(t->engine);
	return state.active;
}

/*
 * A batch forges an event that fits the lists: its context has ended. Then the engine hangs in a context that no port
 * has. The next context, which has come to the first port, does not pay for it. Such an event is not believed again.
 */
static void forged_end_blames_no_other(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *victim = submit(test, t, 1), *hung;
	unsigned int again;

	for (again = 0; again < 2; again++) {
		event(t, CSB_IDLE_TO_ACTIVE, 0);
		if (t->el->pending[0])
			event(t, LITE, igen_mock_id_of(a));
		expect_ports(test, t->el->active, a, victim);
		/* The engine has saved it before, for another reason. */
		save_image(a);
		a->lrc->image.regs[CTX_RING_HEAD] = a->head + 8;
		set_status(t, 1, igen_mock_id_of(a), false);
		igen_mock_forge_event(t->engine, COMPLETE_SWITCH, igen_mock_id_of(a));
		interrupt(t);
		KUNIT_EXPECT_PTR_EQ(test, t->el->active[0], again ? a : victim);

		hung = reset_for_hang(t);
		KUNIT_EXPECT_PTR_EQ(test, hung, again ? a : NULL);
		KUNIT_EXPECT_EQ(test, a->fence.error, again ? -EIO : 0);
		KUNIT_EXPECT_EQ(test, victim->fence.error, 0);
		KUNIT_EXPECT_TRUE(test, t->el->distrusted);
		KUNIT_EXPECT_EQ(test, t->el->forgeries, 1u);
		/* The engine was in it, and has not saved it. */
		KUNIT_EXPECT_EQ(test, a->lrc->image.regs[CTX_RING_HEAD], a->head);
		expect_ports(test, t->el->pending, a, victim);
	}
	finish(t, a);
	finish(t, victim);
	end(t);
}

/* Events that were read from registers were not forged, so they tell what hangs even if EXECLIST_STATUS contradicts. */
static void registers_tell_what_hangs(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0);

	t->el->distrusted = true;
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	expect_ports(test, t->el->active, a, NULL);
	set_status(t, 1, igen_mock_id_of(a) + 1, false);
	KUNIT_EXPECT_PTR_EQ(test, reset_for_hang(t), a);
	KUNIT_EXPECT_EQ(test, a->fence.error, -EIO);
	finish(t, a);
	end(t);
}

/* Only one context was on the engine for as long as the registers know: it is guilty, whatever it wrote when. */
static void only_one_can_have_forged(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b = submit(test, t, 1);
	struct igen_kept_element *other = &t->el->kept[0][0];

	start_two(t, a);
	igen_mock_put_event(t->engine, LITE, igen_mock_id_of(a));
	igen_mock_put_entry(t->engine, CSB_WAIT_ON_SEMAPHORE, 0);
	interrupt(t);
	KUNIT_EXPECT_EQ(test, t->el->forgeries, 1u);
	KUNIT_EXPECT_PTR_EQ(test, forger(t), a);

	/* Its id may have been another context's, which was freed. */
	KUNIT_ASSERT_NULL(test, other->lrc);
	other->id = igen_mock_id_of(a);
	t->el->distrusted = false;
	spin_lock_irq(&t->engine->group->lock);
	igen_csb_judge(t->engine, false);
	spin_unlock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_EQ(test, t->el->forgeries, 2u);
	KUNIT_EXPECT_PTR_EQ(test, forger(t), (struct igen_request *)NULL);

	/* The driver's own contexts forge nothing: they may have run in between. */
	igen_write(t->igen, RING_CTX_STATUS_BUF_HI(t->engine->info->base, 5), 1234);
	other->lrc = b->lrc;
	other->id = 1234;
	other->driver = true;
	t->el->distrusted = false;
	spin_lock_irq(&t->engine->group->lock);
	igen_csb_judge(t->engine, false);
	spin_unlock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_PTR_EQ(test, forger(t), a);
	finish(t, a);
	finish(t, b);
	end(t);
}

/* A client that forges again and again, and is never caught: each time the page is not believed for twice as long. */
static void distrust_grows(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	unsigned long now, distrust;
	struct igen_request *rq;
	unsigned int i;

	for (i = 0; i < 12; i++) {
		rq = submit(test, t, i % 2);
		/* No longer than 43 minutes. */
		distrust = min(10ul << i, 2560ul) * HZ;
		t->engine->hwsp_vaddr[HWSP_CSB_WRITE_PTR_DW] = GEN9_CSB_ENTRIES;
		now = jiffies;
		interrupt(t);
		KUNIT_EXPECT_EQ(test, t->el->forgeries, i + 1);
		KUNIT_EXPECT_TRUE(test, time_after_eq(t->el->distrust_until, now + distrust));
		KUNIT_EXPECT_TRUE(test, time_before_eq(t->el->distrust_until, jiffies + distrust));
		/* What the hardware does is followed. */
		event(t, CSB_IDLE_TO_ACTIVE, 0);
		expect_ports(test, t->el->active, rq, NULL);
		igen_mock_complete(rq);
		event(t, COMPLETE_IDLE, igen_mock_id_of(rq));
		KUNIT_EXPECT_TRUE(test, igen_engine_is_idle(t->engine));
		t->el->distrust_until = jiffies - 1;
		interrupt(t);
		KUNIT_EXPECT_FALSE(test, t->el->distrusted);
		t->el->judged = false;
		igen_request_put(rq);
	}
	end(t);
}

/* Five events come at once, as many as the lists allow, and each number comes before its entry. */
static void many_late_entries(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b = submit(test, t, 1), *c;

	start_two(t, a);
	t->ctx[2]->priority = 10;
	c = submit(test, t, 2);
	expect_ports(test, t->el->active, a, b);
	expect_ports(test, t->el->pending, c, a);
	save_image(a);
	save_image(b);
	save_image(c);
	igen_mock_complete(a);
	igen_mock_complete(b);
	igen_mock_complete(c);
	set_status(t, 0, 0, false);
	igen_mock_put_number(t->engine, COMPLETE_SWITCH, igen_mock_id_of(a));
	igen_mock_put_number(t->engine, COMPLETE_IDLE, igen_mock_id_of(b));
	igen_mock_put_number(t->engine, CSB_IDLE_TO_ACTIVE, 0);
	igen_mock_put_number(t->engine, COMPLETE_SWITCH, igen_mock_id_of(c));
	igen_mock_put_number(t->engine, COMPLETE_IDLE, igen_mock_id_of(a));
	interrupt(t);
	KUNIT_EXPECT_EQ(test, t->el->strange_events, 0u);
	KUNIT_EXPECT_EQ(test, t->el->forgeries, 0u);
	expect_ports(test, t->el->active, NULL, NULL);
	expect_ports(test, t->el->pending, NULL, NULL);
	igen_request_put(a);
	igen_request_put(b);
	igen_request_put(c);
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

static struct igen_request *forger_by_lrc(struct igen_mock_ports *t, const struct igen_request *rq)
{
	t->el->forger = rq->lrc;
	return forger(t);
}

/* The request to blame is found wherever the context's requests are now. */
static void forger_is_found_in_queues(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *a = submit(test, t, 0), *b = submit(test, t, 1), *c = submit(test, t, 2);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	event(t, LITE, igen_mock_id_of(a));
	expect_ports(test, t->el->active, a, b);
	KUNIT_EXPECT_TRUE(test, c->queued);
	KUNIT_EXPECT_PTR_EQ(test, forger_by_lrc(t, a), a);
	KUNIT_EXPECT_PTR_EQ(test, forger_by_lrc(t, b), b);

	spin_lock_irq(&t->engine->group->lock);
	igen_scheduler_unwind(t->engine);
	spin_unlock_irq(&t->engine->group->lock);
	KUNIT_EXPECT_TRUE(test, a->queued && b->queued);
	KUNIT_EXPECT_PTR_EQ(test, forger_by_lrc(t, a), a);
	KUNIT_EXPECT_PTR_EQ(test, forger_by_lrc(t, b), b);
	t->el->forger = NULL;
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
	const struct igen_kept_element *kept = &t->el->kept[0][0];
	unsigned int n, before = 0, after = 0;
	const struct igen_lrc *lrc = rq->lrc;
	u32 id = igen_mock_id_of(rq);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	save_image(rq);
	igen_mock_complete(rq);
	event(t, COMPLETE_IDLE, id);
	set_status(t, 0, 0, false);
	t->el->forger = rq->lrc;
	igen_request_put(rq);
	for (n = 0; n < LISTS_KEPT * NUM_PORTS; n++)
		before += kept[n].lrc == lrc;
	igen_context_put(ctx);
	igen_mock_settle(t->igen);
	for (n = 0; n < LISTS_KEPT * NUM_PORTS; n++)
		after += kept[n].lrc == lrc;
	KUNIT_EXPECT_EQ(test, before, 1u);
	KUNIT_EXPECT_EQ(test, after, 0u);
	KUNIT_EXPECT_NULL(test, t->el->forger);
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
	KUNIT_CASE(forger_has_left),
	KUNIT_CASE(event_of_a_victim_is_overwritten),
	KUNIT_CASE(number_behind_a_victims_event),
	KUNIT_CASE(forger_leaves_before_the_look),
	KUNIT_CASE(late_entry_of_a_victim_is_filled),
	KUNIT_CASE(forged_end_blames_no_other),
	KUNIT_CASE(registers_tell_what_hangs),
	KUNIT_CASE(only_one_can_have_forged),
	KUNIT_CASE(distrust_grows),
	KUNIT_CASE(many_late_entries),
	KUNIT_CASE(lost_events_blame_no_context),
	KUNIT_CASE(forger_is_found_in_queues),
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
