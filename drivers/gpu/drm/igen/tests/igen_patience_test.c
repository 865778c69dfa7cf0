// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of timers and workers that watch engines
 *
 * Heartbeat and timers, and what they may still look at: a request that has completed may be in a queue or on a port
 * when its context is gone. With the real backend, which writes into memory. Whatever is waited for takes longer than
 * any test, or is said to have been.
 */
#include <linux/bits.h>
#include <linux/cred.h>
#include <linux/sched/signal.h>

#include <igen/regs/engine.h>

#include "../submit/igen_capture.h"
#include "../submit/igen_retire.h"
#include "igen_mock_ports.h"

/* A request completes, and there is no reference to its context any more. */
static void complete_for_good(struct igen_mock_ports *t, struct igen_request *rq, unsigned int ctx)
{
	igen_mock_complete(rq);
	igen_context_put(t->ctx[ctx]);
	t->ctx[ctx] = NULL;
	igen_mock_settle(t->igen);
}

/* Two contexts on the ports. */
static void run_both(struct kunit *test, struct igen_mock_ports *t, struct igen_request *rq[2])
{
	rq[0] = submit(test, t, 0);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	rq[1] = submit(test, t, 1);
	event(t, LITE, igen_mock_id_of(rq[0]));
	expect_ports(test, t->el->active, rq[0], rq[1]);
}

/* A request that was unwound and completes after all stays in the queue until a port is free. */
static void completed_while_queued(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq[2], *done;

	run_both(test, t, rq);
	done = submit(test, t, 2);
	complete_for_good(t, done, 2);
	KUNIT_EXPECT_TRUE(test, done->queued);

	igen_mock_complete(rq[0]);
	event(t, COMPLETE_SWITCH, igen_mock_id_of(rq[0]));
	KUNIT_EXPECT_FALSE(test, done->queued);
	expect_ports(test, t->el->pending, NULL, NULL);
	igen_request_put(done);
	igen_request_put(rq[0]);
	igen_request_put(rq[1]);
	end(t);
}

/* An engine with siblings does not look at such a request either. */
static void completed_while_queued_and_shared(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_engine_group *group = t->engine->group;
	/* Another engine of its class, of which Kaby Lake GT2 has none. */
	struct igen_engine *sibling = kunit_kzalloc(test, sizeof(*sibling), GFP_KERNEL);
	struct igen_request *rq[2], *done;

	KUNIT_ASSERT_NOT_NULL(test, sibling);
	run_both(test, t, rq);
	done = submit(test, t, 2);
	complete_for_good(t, done, 2);
	igen_heartbeat_off(t->engine);

	sibling->igen = t->igen;
	sibling->group = group;
	sibling->info = t->engine->info;
	igen_queue_init(sibling);
	INIT_LIST_HEAD(&sibling->inflight);
	spin_lock_irq(&group->lock);
	group->balanced++;
	igen_balance_pull(sibling, false);
	group->balanced--;
	spin_unlock_irq(&group->lock);
	KUNIT_EXPECT_TRUE(test, igen_queue_is_empty(sibling));
	KUNIT_EXPECT_TRUE(test, done->queued);

	igen_request_put(done);
	igen_request_put(rq[0]);
	igen_request_put(rq[1]);
	end(t);
}

static void nothing(struct work_struct *work)
{
}

static void begin_capture(struct igen_mock_ports *t)
{
	spin_lock_init(&t->igen->error.lock);
	INIT_WORK(&t->igen->error.work, nothing);
}

static void end_capture(struct igen_mock_ports *t)
{
	flush_work(&t->igen->error.work);
	igen_capture_clear(t->igen);
}

/* A context that has completed stays on its port until the engine leaves it, and is captured with it. */
static void completed_in_a_port(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	pid_t pid = t->ctx[0]->pid;
	struct igen_snapshot *snap;
	struct igen_request *rq[2];

	begin_capture(t);
	run_both(test, t, rq);
	complete_for_good(t, rq[0], 0);
	expect_ports(test, t->el->active, rq[0], rq[1]);

	mutex_lock(&t->igen->reset_mutex);
	igen_capture(t->igen, BIT(IGEN_BCS0), "a test");
	mutex_unlock(&t->igen->reset_mutex);
	snap = igen_capture_first(t->igen);
	KUNIT_ASSERT_NOT_NULL(test, snap);
	KUNIT_EXPECT_EQ(test, snap->engine[IGEN_BCS0].given[0].pid, pid);
	KUNIT_EXPECT_TRUE(test, snap->engine[IGEN_BCS0].given[0].completed);
	igen_snapshot_put(snap);
	end_capture(t);

	igen_request_put(rq[0]);
	igen_request_put(rq[1]);
	end(t);
}

#define HOUR_MS	(3600 * MSEC_PER_SEC)

/* The driver's own context, which pulses run in; the caller takes it away. */
static void make_pulses(struct kunit *test, struct igen_mock_ports *t)
{
	struct igen_context *ctx = igen_mock_context(test, IGEN_PRIORITY_MAX);

	ctx->engines[0] = ctx->engines[IGEN_BCS0];
	__set_bit(IGEN_CONTEXT_DRIVER, &ctx->flags);
	igen_mock_lrc(test, ctx, 0);
	t->engine->kernel_context = ctx;
}

static void end_pulses(struct igen_mock_ports *t)
{
	igen_heartbeat_stop(t->engine);
	igen_context_put(t->engine->kernel_context);
	t->engine->kernel_context = NULL;
}

static void run_now(struct workqueue_struct *wq, struct delayed_work *work)
{
	mod_delayed_work(wq, work, 0);
	/* Not flush_delayed_work(): once it has run, that would have what it arms run as well. */
	flush_work(&work->work);
}

static void beat(struct igen_mock_ports *t)
{
	run_now(t->igen->wq, &t->engine->heartbeat);
}

/* The preempt timer fires, whenever it was to do so. */
static void fire(struct igen_mock_ports *t)
{
	run_now(t->igen->urgent_wq, &t->el->preempt_work);
}

/* A second context to evict is served together with the first, and does not delay the first one. */
static void second_eviction_delays_nothing(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq = submit(test, t, 0), *first, *second;
	unsigned long due;

	make_pulses(test, t);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	t->engine->props.preempt_timeout_ms = HOUR_MS;
	igen_heartbeat_evict(t->engine);
	KUNIT_ASSERT_NOT_NULL(test, t->engine->pulse);
	first = igen_request_get(t->engine->pulse);
	expect_ports(test, t->el->pending, first, rq);

	/* A second pulse, since the request that has to yield may have come behind the first one. */
	igen_heartbeat_evict(t->engine);
	second = igen_request_get(t->engine->pulse);
	KUNIT_EXPECT_PTR_NE(test, first, second);
	due = t->engine->heartbeat.timer.expires;
	/* A later request would have a later time. */
	t->engine->props.preempt_timeout_ms = 2 * HOUR_MS;
	igen_heartbeat_evict(t->engine);
	KUNIT_EXPECT_PTR_EQ(test, t->engine->pulse, second);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&t->engine->heartbeat));
	KUNIT_EXPECT_EQ(test, t->engine->heartbeat.timer.expires, due);

	igen_mock_complete(first);
	igen_mock_complete(second);
	end_pulses(t);
	igen_request_put(first);
	igen_request_put(second);
	igen_request_put(rq);
	end(t);
}

/* A reset gives the eviction its full timeout once more, whatever the heartbeat interval. */
static void eviction_survives_a_reset(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq = submit(test, t, 0);

	make_pulses(test, t);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	t->engine->props.preempt_timeout_ms = HOUR_MS;
	igen_heartbeat_evict(t->engine);
	KUNIT_ASSERT_NOT_NULL(test, t->engine->pulse);
	t->engine->resets++;
	beat(t);
	KUNIT_EXPECT_FALSE(test, t->igen->wedged);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&t->engine->heartbeat));

	/* This mock can't be reset. */
	begin_capture(t);
	beat(t);
	KUNIT_EXPECT_TRUE(test, t->igen->wedged);
	end_capture(t);
	end_pulses(t);
	igen_request_put(rq);
	end(t);
}

/* A beat that comes an hour late gives the eviction its full timeout once more. The next one does not. */
static void late_beat_gives_more_time(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	const unsigned long hour = msecs_to_jiffies(HOUR_MS);
	struct igen_request *rq = submit(test, t, 0);

	make_pulses(test, t);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	t->engine->props.preempt_timeout_ms = HOUR_MS;
	igen_heartbeat_evict(t->engine);
	KUNIT_ASSERT_NOT_NULL(test, t->engine->pulse);
	t->engine->pulse_due -= 2 * hour;
	beat(t);
	KUNIT_EXPECT_FALSE(test, t->igen->wedged);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&t->engine->heartbeat));
	KUNIT_EXPECT_TRUE(test, time_after(t->engine->pulse_due, jiffies + hour / 2));

	/* This mock can't be reset. */
	t->engine->pulse_due -= 2 * hour;
	begin_capture(t);
	beat(t);
	KUNIT_EXPECT_TRUE(test, t->igen->wedged);
	end_capture(t);
	end_pulses(t);
	igen_request_put(rq);
	end(t);
}

/* A heartbeat neither wakes the device nor waits for memory. */
static void no_pulse_for_a_sleeping_device(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq;

	make_pulses(test, t);
	t->igen->rpm.asleep = true;
	rq = igen_request_create_pulse(t->engine->kernel_context->engines[0].lrc);
	t->igen->rpm.asleep = false;
	KUNIT_EXPECT_PTR_EQ(test, rq, ERR_PTR(-EAGAIN));
	if (!IS_ERR(rq)) {
		igen_request_cancel(rq, -EIO);
		igen_request_put(rq);
	}
	end_pulses(t);
	end(t);
}

/* A client more urgent than the running request waits no longer behind a pulse than without one. */
static void waits_behind_a_pulse(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq = submit(test, t, 0), *equal, *urgent;

	make_pulses(test, t);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	t->engine->props.preempt_timeout_ms = HOUR_MS;
	t->engine->props.heartbeat_interval_ms = HOUR_MS;
	beat(t);
	KUNIT_ASSERT_NOT_NULL(test, t->engine->pulse);
	expect_ports(test, t->el->pending, t->engine->pulse, rq);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&t->el->preempt_work));
	equal = submit(test, t, 1);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&t->el->preempt_work));
	t->ctx[2]->priority = 1;
	urgent = submit(test, t, 2);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&t->el->preempt_work));
	KUNIT_EXPECT_EQ(test, t->el->preempt_changes, t->el->changes);

	t->engine->props.heartbeat_interval_ms = 0;
	cancel_delayed_work_sync(&t->el->preempt_work);
	igen_mock_complete(t->engine->pulse);
	end_pulses(t);
	igen_request_put(rq);
	igen_request_put(equal);
	igen_request_put(urgent);
	end(t);
}

/* A context that must yield has a whole preempt timeout, not the rest of an earlier context's. */
static void each_context_has_its_timeout(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	const unsigned long hour = msecs_to_jiffies(HOUR_MS);
	struct igen_request *rq[3];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rq); i++)
		t->ctx[i]->priority = i;
	t->engine->props.preempt_timeout_ms = HOUR_MS;
	rq[0] = submit(test, t, 0);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	rq[1] = submit(test, t, 1);
	expect_ports(test, t->el->pending, rq[1], rq[0]);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&t->el->preempt_work));
	/* An hour ago, nearly. */
	t->el->preempt_since -= hour - HZ;
	event(t, CSB_PREEMPTED, igen_mock_id_of(rq[0]));
	rq[2] = submit(test, t, 2);
	expect_ports(test, t->el->pending, rq[2], rq[1]);

	fire(t);
	KUNIT_EXPECT_FALSE(test, t->igen->wedged);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&t->el->preempt_work));
	KUNIT_EXPECT_EQ(test, t->el->preempt_due, t->el->preempt_since + hour);

	t->engine->props.preempt_timeout_ms = HOUR_MS / 2;
	interrupt(t);
	KUNIT_EXPECT_EQ(test, t->el->preempt_due, t->el->preempt_since + hour / 2);
	t->engine->props.preempt_timeout_ms = 0;
	t->el->preempt_since -= hour;
	fire(t);
	KUNIT_EXPECT_FALSE(test, t->igen->wedged);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&t->el->preempt_work));
	t->engine->props.preempt_timeout_ms = HOUR_MS;
	/* This mock can't be reset. */
	begin_capture(t);
	fire(t);
	KUNIT_EXPECT_TRUE(test, t->igen->wedged);
	end_capture(t);

	cancel_delayed_work_sync(&t->el->preempt_work);
	for (i = 0; i < ARRAY_SIZE(rq); i++)
		igen_request_put(rq[i]);
	end(t);
}

/* A timer that comes an hour late, as in a virtual machine that stood still, is no sign of a hang. The next one is. */
static void late_timer_gives_more_time(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	const unsigned long hour = msecs_to_jiffies(HOUR_MS);
	struct igen_request *rq, *urgent;

	t->ctx[1]->priority = 1;
	t->engine->props.preempt_timeout_ms = HOUR_MS;
	rq = submit(test, t, 0);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	urgent = submit(test, t, 1);
	expect_ports(test, t->el->pending, urgent, rq);
	t->el->preempt_since -= 2 * hour;
	t->el->preempt_due -= 2 * hour;
	fire(t);
	KUNIT_EXPECT_FALSE(test, t->igen->wedged);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&t->el->preempt_work));
	KUNIT_EXPECT_TRUE(test, time_before_eq(t->el->preempt_due, jiffies + hour / 2));

	/* This mock can't be reset. */
	t->el->preempt_since -= 2 * hour;
	t->el->preempt_due -= 2 * hour;
	begin_capture(t);
	fire(t);
	KUNIT_EXPECT_TRUE(test, t->igen->wedged);
	end_capture(t);

	cancel_delayed_work_sync(&t->el->preempt_work);
	igen_request_put(rq);
	igen_request_put(urgent);
	end(t);
}

/* Without a heartbeat the worker that retires requests processes the engine's events. */
static void retirement_processes_events(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_request *rq[2], *queued;

	igen_retire_init(t->igen);
	run_both(test, t, rq);
	queued = submit(test, t, 2);
	igen_mock_complete(rq[0]);
	igen_mock_put_event(t->engine, COMPLETE_SWITCH, igen_mock_id_of(rq[0]));
	igen_retire_now(t->igen);
	expect_ports(test, t->el->pending, rq[1], queued);

	cancel_delayed_work_sync(&t->igen->retire_work);
	/* The mock's end retires by itself. */
	INIT_DELAYED_WORK(&t->igen->retire_work, nothing);
	igen_request_put(rq[0]);
	igen_request_put(rq[1]);
	igen_request_put(queued);
	end(t);
}

/* The interrupt comes when a reset has cleared the error: what runs then has done nothing wrong. */
static void late_command_error(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	u32 base = t->engine->info->base;
	struct igen_request *rq = submit(test, t, 0);

	event(t, CSB_IDLE_TO_ACTIVE, 0);
	igen_write(t->igen, RING_EIR(base), 0);
	t->igen->platform->submit->irq(t->engine, GT_IRQ_CS_ERROR);
	KUNIT_EXPECT_EQ(test, igen_read(t->igen, RING_EMR(base)), ~EIR_INSTRUCTION_ERROR);
	KUNIT_EXPECT_EQ(test, t->engine->failures, 0ul);
	igen_mock_complete(rq);
	igen_request_put(rq);
	end(t);
}

/* The engine stays idle while the owners of all queued requests owe time, and looks at its queue when that is paid. */
static void idles_for_a_debt(struct kunit *test)
{
	struct igen_mock_ports *t = start(test);
	struct igen_client *victim = igen_mock_client(test);
	struct igen_client *hog = igen_client_create(t->igen, task_tgid(&init_task), current_uid());
	struct igen_request *a, *b;
	struct igen_share *share;

	KUNIT_ASSERT_FALSE(test, IS_ERR(hog));
	igen_client_add_context(victim, t->ctx[0]);
	igen_client_add_context(hog, t->ctx[1]);
	share = hog->share[IGEN_BCS0].above;
	share->owes = true;
	share->owes_since = jiffies;
	share->owes_until = jiffies + msecs_to_jiffies(HOUR_MS);

	a = submit(test, t, 0);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	b = submit(test, t, 1);
	/* Not in the second port either. */
	expect_ports(test, t->el->active, a, NULL);
	expect_ports(test, t->el->pending, NULL, NULL);
	igen_mock_complete(a);
	event(t, COMPLETE_IDLE, igen_mock_id_of(a));
	expect_ports(test, t->el->active, NULL, NULL);
	expect_ports(test, t->el->pending, NULL, NULL);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&t->el->slice_work));
	KUNIT_EXPECT_EQ(test, t->el->slice_due, share->owes_until);

	share->owes_until = jiffies;
	cancel_delayed_work_sync(&t->el->slice_work);
	t->el->slice_work.work.func(&t->el->slice_work.work);
	expect_ports(test, t->el->pending, b, NULL);
	event(t, CSB_IDLE_TO_ACTIVE, 0);
	igen_mock_complete(b);
	event(t, COMPLETE_IDLE, igen_mock_id_of(b));
	igen_request_put(a);
	igen_request_put(b);
	end(t);
	igen_client_put(victim);
	igen_client_put(hog);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(completed_while_queued),
	KUNIT_CASE(completed_while_queued_and_shared),
	KUNIT_CASE(completed_in_a_port),
	KUNIT_CASE(second_eviction_delays_nothing),
	KUNIT_CASE(eviction_survives_a_reset),
	KUNIT_CASE(late_beat_gives_more_time),
	KUNIT_CASE(no_pulse_for_a_sleeping_device),
	KUNIT_CASE(waits_behind_a_pulse),
	KUNIT_CASE(each_context_has_its_timeout),
	KUNIT_CASE(late_timer_gives_more_time),
	KUNIT_CASE(retirement_processes_events),
	KUNIT_CASE(late_command_error),
	KUNIT_CASE(idles_for_a_debt),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_patience",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_execlists,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
