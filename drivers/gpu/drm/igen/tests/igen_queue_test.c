// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of the queue of an engine
 *
 * Shares are a user's, a process' and a client's, however many contexts these have. The mock's engines take nothing
 * unless told.
 */
#include <linux/cred.h>
#include <linux/sched/signal.h>

#include "igen_mock.h"

#define CONTEXTS	8

/* A process that no test runs in. */
static struct pid *other_process(void)
{
	return task_tgid(&init_task);
}

static struct igen_client *client_of(struct kunit *test, struct pid *pid, kuid_t uid)
{
	struct igen_mock *mock = test->priv;
	struct igen_client *client = igen_client_create(mock->igen, pid, uid);

	KUNIT_ASSERT_FALSE(test, IS_ERR(client));
	return client;
}

static struct igen_context *context_of(struct kunit *test, struct igen_client *client, int priority)
{
	struct igen_context *ctx = igen_mock_context(test, priority);

	igen_client_add_context(client, ctx);
	return ctx;
}

/* Takes the next request as a backend does and gives its client. */
static struct igen_client *run_one(struct igen_engine *engine)
{
	struct igen_request *rq;
	struct igen_client *client = NULL;

	spin_lock_irq(&engine->group->lock);
	rq = igen_queue_first(engine);
	if (rq) {
		client = rq->client;
		igen_scheduler_start(engine, rq);
	}
	spin_unlock_irq(&engine->group->lock);
	return client;
}

/* Half of the next requests are @client's, however many contexts, files or processes others have. */
static void expect_half(struct kunit *test, struct igen_engine *engine, struct igen_client *client)
{
	unsigned int n, mine = 0;

	for (n = 0; n < CONTEXTS; n++)
		mine += run_one(engine) == client;
	KUNIT_EXPECT_EQ(test, mine, CONTEXTS / 2);
}

struct requests {
	struct igen_context *ctx[2 * CONTEXTS];
	struct igen_request *rq[2 * CONTEXTS];
	unsigned int n;
};

static void send_urgent(struct kunit *test, struct requests *r, struct igen_client *client, int priority)
{
	r->ctx[r->n] = context_of(test, client, priority);
	r->rq[r->n] = igen_mock_submit(test, r->ctx[r->n], IGEN_BCS0);
	r->n++;
}

static void send(struct kunit *test, struct requests *r, struct igen_client *client)
{
	send_urgent(test, r, client, 0);
}

static void end(struct requests *r)
{
	unsigned int n;

	for (n = 0; n < r->n; n++) {
		igen_mock_complete(r->rq[n]);
		igen_request_put(r->rq[n]);
		igen_context_put(r->ctx[n]);
	}
}

static struct igen_engine *blitter(struct kunit *test)
{
	struct igen_mock *mock = test->priv;

	return mock->igen->engine[IGEN_BCS0];
}

/* One process has one file with many contexts, another has one context of which it sends as much. */
static void share_of_contexts(struct kunit *test)
{
	struct igen_client *greedy = igen_mock_client(test);
	struct igen_client *victim = client_of(test, other_process(), current_uid());
	struct requests r = {};
	unsigned int n;

	for (n = 0; n < CONTEXTS; n++)
		send(test, &r, greedy);
	for (n = 0; n < CONTEXTS; n++)
		send(test, &r, victim);
	expect_half(test, blitter(test), victim);
	end(&r);
	igen_client_put(greedy);
	igen_client_put(victim);
}

/* Each of the greedy process' contexts has a file of its own. */
static void share_of_files(struct kunit *test)
{
	struct igen_client *victim = client_of(test, other_process(), current_uid()), *greedy;
	struct requests r = {};
	unsigned int n;

	for (n = 0; n < CONTEXTS; n++) {
		greedy = igen_mock_client(test);
		send(test, &r, greedy);
		igen_client_put(greedy);
	}
	for (n = 0; n < CONTEXTS; n++)
		send(test, &r, victim);
	expect_half(test, blitter(test), victim);
	end(&r);
	igen_client_put(victim);
}

/* A user with two processes, and one with a single process. */
static void share_of_processes(struct kunit *test)
{
	kuid_t uid = KUIDT_INIT(4711);
	struct igen_client *first = client_of(test, task_tgid(current), uid);
	struct igen_client *second = client_of(test, other_process(), uid);
	struct igen_client *victim = client_of(test, other_process(), KUIDT_INIT(4712));
	struct requests r = {};
	unsigned int n;

	for (n = 0; n < CONTEXTS; n++)
		send(test, &r, n & 1 ? first : second);
	for (n = 0; n < CONTEXTS; n++)
		send(test, &r, victim);
	expect_half(test, blitter(test), victim);
	end(&r);
	igen_client_put(first);
	igen_client_put(second);
	igen_client_put(victim);
}

/* A context that has used its timeslice defers its process, so that the next context is one of another process. */
static void deferral_covers_the_process(struct kunit *test)
{
	struct igen_engine *engine = blitter(test);
	struct igen_client *greedy = igen_mock_client(test);
	struct igen_client *victim = client_of(test, other_process(), current_uid());
	struct requests r = {};
	unsigned int n;

	for (n = 0; n < CONTEXTS; n++)
		send(test, &r, greedy);
	KUNIT_EXPECT_PTR_EQ(test, run_one(engine), greedy);
	send(test, &r, victim);

	spin_lock_irq(&engine->group->lock);
	igen_scheduler_unwind(engine);
	KUNIT_EXPECT_PTR_EQ(test, igen_queue_first(engine), r.rq[0]);
	igen_queue_defer(engine, r.rq[0]->lrc, 0);
	KUNIT_EXPECT_PTR_EQ(test, igen_queue_first(engine), r.rq[CONTEXTS]);
	spin_unlock_irq(&engine->group->lock);
	/* The next of the process is another context. */
	KUNIT_EXPECT_PTR_EQ(test, run_one(engine), victim);
	KUNIT_EXPECT_PTR_EQ(test, run_one(engine), greedy);
	KUNIT_EXPECT_TRUE(test, r.rq[1]->submitted);
	end(&r);
	igen_client_put(greedy);
	igen_client_put(victim);
}

/* Run time in a context's image beyond the estimate is charged once. */
static void long_runs_are_paid_for(struct kunit *test)
{
	struct igen_engine *engine = blitter(test);
	struct igen_client *client = igen_mock_client(test);
	struct igen_share *share = &client->share[IGEN_BCS0];
	struct requests r = {};
	u64 before, advance;

	send(test, &r, client);
	before = share->turn;
	run_one(engine);
	advance = share->turn - before;
	KUNIT_EXPECT_GT(test, advance, 0ull);

	spin_lock_irq(&engine->group->lock);
	r.rq[0]->lrc->runtime += 1000000;
	igen_queue_pay(r.rq[0]);
	KUNIT_EXPECT_EQ(test, share->turn - before, 1000000ull);
	igen_queue_pay(r.rq[0]);
	KUNIT_EXPECT_EQ(test, share->turn - before, 1000000ull);
	KUNIT_EXPECT_EQ(test, share->above->turn, share->turn);
	/* Less than was paid costs nothing more. */
	r.rq[0]->lrc->paid_ticks = 10;
	r.rq[0]->lrc->runtime += 10;
	igen_queue_pay(r.rq[0]);
	KUNIT_EXPECT_EQ(test, share->turn - before, 1000000ull);
	spin_unlock_irq(&engine->group->lock);
	end(&r);
	igen_client_put(client);
}

/* A process has one share, however it opens files, and its share goes with the last of them. */
static void process_has_one_share(struct kunit *test)
{
	struct igen_client *a = igen_mock_client(test), *b = igen_mock_client(test);
	struct igen_client *other = client_of(test, other_process(), current_uid());
	struct igen_client *alien = client_of(test, task_tgid(current), KUIDT_INIT(4711));

	KUNIT_EXPECT_PTR_EQ(test, a->process, b->process);
	KUNIT_EXPECT_PTR_NE(test, a->process, other->process);
	KUNIT_EXPECT_PTR_NE(test, a->process, alien->process);
	KUNIT_EXPECT_PTR_EQ(test, a->share[IGEN_BCS0].above->above, other->share[IGEN_BCS0].above->above);
	KUNIT_EXPECT_PTR_NE(test, a->share[IGEN_BCS0].above->above, alien->share[IGEN_BCS0].above->above);
	igen_client_put(a);
	igen_client_put(b);
	igen_client_put(other);
	igen_client_put(alien);
}

/* Among processes, too, the most urgent request is first, and the shares count among requests of one priority. */
static void priority_before_shares(struct kunit *test)
{
	struct igen_client *patient = igen_mock_client(test);
	struct igen_client *hasty = client_of(test, other_process(), current_uid());
	struct requests r = {};

	send_urgent(test, &r, patient, -1);
	send_urgent(test, &r, patient, 0);
	send_urgent(test, &r, hasty, 1);
	send_urgent(test, &r, hasty, 2);
	KUNIT_EXPECT_PTR_EQ(test, run_one(blitter(test)), hasty);
	KUNIT_EXPECT_PTR_EQ(test, run_one(blitter(test)), hasty);
	KUNIT_EXPECT_PTR_EQ(test, run_one(blitter(test)), patient);
	KUNIT_EXPECT_TRUE(test, r.rq[0]->queued);
	KUNIT_EXPECT_PTR_EQ(test, run_one(blitter(test)), patient);
	end(&r);
	igen_client_put(patient);
	igen_client_put(hasty);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(priority_before_shares),
	KUNIT_CASE(share_of_contexts),
	KUNIT_CASE(share_of_files),
	KUNIT_CASE(share_of_processes),
	KUNIT_CASE(deferral_covers_the_process),
	KUNIT_CASE(long_runs_are_paid_for),
	KUNIT_CASE(process_has_one_share),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_queue",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
