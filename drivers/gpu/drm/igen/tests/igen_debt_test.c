// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of what clients owe for hangs
 *
 * The tests report hangs by igen_queue_note_hang(). They make debts that last longer than any test, and end them by
 * hand. igen_patience_test.c tests debts with the real backend, igen_reset_test.c tests resets.
 */
#include <linux/cred.h>
#include <linux/sched/signal.h>

#include "../submit/igen_owner.h"
#include "igen_mock.h"

#define USER		4711
#define OTHER_USER	4712
#define LONG		(3600 * HZ)
/* MOST_DEBT_MS of igen_debt.c */
#define MOST		(4 * HZ)

/* A file with a context. */
struct opened {
	struct igen_client *client;
	struct igen_context *ctx;
	struct igen_request *rq;
};

static struct pid *own_process(void)
{
	return task_tgid(current);
}

static struct pid *other_process(void)
{
	return task_tgid(&init_task);
}

static struct igen_engine *blitter(struct kunit *test)
{
	struct igen_mock *mock = test->priv;

	return mock->igen->engine[IGEN_BCS0];
}

static struct opened open_by(struct kunit *test, struct pid *pid, unsigned int uid)
{
	struct igen_mock *mock = test->priv;
	struct opened f = { .client = igen_client_create(mock->igen, pid, KUIDT_INIT(uid)) };

	KUNIT_ASSERT_FALSE(test, IS_ERR(f.client));
	f.ctx = igen_mock_context(test, 0);
	igen_client_add_context(f.client, f.ctx);
	return f;
}

static void send(struct kunit *test, struct opened *f)
{
	f->rq = igen_mock_submit(test, f->ctx, IGEN_BCS0);
}

static struct igen_request *ready(struct kunit *test)
{
	struct igen_engine *engine = blitter(test);
	struct igen_request *rq;

	spin_lock_irq(&engine->group->lock);
	rq = igen_queue_ready(engine);
	spin_unlock_irq(&engine->group->lock);
	return rq;
}

/* The request runs from its beginning to its end. */
static void run(struct kunit *test, struct opened *f)
{
	struct igen_engine *engine = blitter(test);

	spin_lock_irq(&engine->group->lock);
	igen_scheduler_start(engine, f->rq);
	spin_unlock_irq(&engine->group->lock);
	igen_mock_complete(f->rq);
	spin_lock_irq(&engine->group->lock);
	igen_scheduler_trim(engine);
	spin_unlock_irq(&engine->group->lock);
	igen_request_put(f->rq);
	f->rq = NULL;
}

/* The request is submitted, hangs for some time, and is unwound by the reset. */
static void hang(struct kunit *test, struct opened *f, unsigned long time)
{
	struct igen_engine *engine = blitter(test);

	spin_lock_irq(&engine->group->lock);
	igen_scheduler_start(engine, f->rq);
	igen_scheduler_unwind(engine);
	igen_queue_note_hang(engine, f->rq, jiffies - time);
	spin_unlock_irq(&engine->group->lock);
	KUNIT_EXPECT_TRUE(test, f->rq->hung);
	KUNIT_EXPECT_PTR_EQ(test, ready(test), f->rq);
	run(test, f);
}

static void close(struct kunit *test, struct opened *f)
{
	struct igen_mock *mock = test->priv;

	igen_context_put(f->ctx);
	igen_client_put(f->client);
	igen_mock_settle(mock->igen);
}

/* What a client's process and user owe is not paid before the test is over. */
static void prolong(struct opened *f)
{
	struct igen_share *share;

	spin_lock_irq(&f->ctx->igen->engine[IGEN_BCS0]->group->lock);
	for (share = f->client->share[IGEN_BCS0].above; share->above; share = share->above)
		share->owes_until += LONG;
	igen_owner_remember_debt(f->client->process, IGEN_BCS0);
	spin_unlock_irq(&f->ctx->igen->engine[IGEN_BCS0]->group->lock);
}

static bool owes(const struct igen_share *share)
{
	return share->owes && time_before(jiffies, share->owes_until);
}

/* The debt is paid. */
static void forgive(struct igen_share *share)
{
	share->owes_until = jiffies;
}

/* A client that has hung waits for rivals on an idle engine, until the debt is paid; without rivals it does not. */
static void a_hang_is_owed(struct kunit *test)
{
	struct opened hog = open_by(test, own_process(), USER), victim = open_by(test, other_process(), USER);
	struct igen_engine *engine = blitter(test);
	struct igen_share *share = &hog.client->share[IGEN_BCS0];
	unsigned long until = 0, before = jiffies;
	u64 turn;

	send(test, &hog);
	turn = share->turn;
	hang(test, &hog, HZ);
	KUNIT_EXPECT_GE(test, share->turn - turn, (u64)engine->igen->platform->timestamp_hz);
	KUNIT_EXPECT_TRUE(test, time_after_eq(share->above->owes_until, before + HZ));
	KUNIT_EXPECT_TRUE(test, time_before_eq(share->above->owes_until, jiffies + HZ + 1));
	prolong(&hog);

	send(test, &hog);
	KUNIT_EXPECT_PTR_EQ(test, ready(test), hog.rq);
	send(test, &victim);
	KUNIT_EXPECT_PTR_EQ(test, ready(test), victim.rq);
	run(test, &victim);

	/* The victim is about to send the next one. */
	KUNIT_EXPECT_NULL(test, ready(test));
	spin_lock_irq(&engine->group->lock);
	KUNIT_EXPECT_PTR_EQ(test, igen_queue_first(engine), hog.rq);
	KUNIT_EXPECT_TRUE(test, igen_debt_end(engine, &until));
	KUNIT_EXPECT_EQ(test, until, share->above->owes_until);
	KUNIT_EXPECT_NULL(test, igen_queue_rival(engine, victim.ctx->engines[IGEN_BCS0].lrc, false));
	spin_unlock_irq(&engine->group->lock);

	forgive(share->above);
	KUNIT_EXPECT_PTR_EQ(test, ready(test), hog.rq);
	run(test, &hog);
	close(test, &hog);
	close(test, &victim);
}

/* Between users the whole user waits, between the processes of a user only the one that has hung. */
static void debts_are_of_their_level(struct kunit *test)
{
	struct opened hog = open_by(test, own_process(), USER), innocent = open_by(test, other_process(), USER);
	struct opened victim = open_by(test, own_process(), OTHER_USER);

	send(test, &hog);
	hang(test, &hog, HZ);
	prolong(&hog);
	send(test, &innocent);
	KUNIT_EXPECT_PTR_EQ(test, ready(test), innocent.rq);
	send(test, &hog);
	KUNIT_EXPECT_PTR_EQ(test, ready(test), innocent.rq);
	send(test, &victim);
	run(test, &victim);
	KUNIT_EXPECT_NULL(test, ready(test));
	forgive(&innocent.client->process->user->share[IGEN_BCS0]);
	KUNIT_EXPECT_PTR_EQ(test, ready(test), innocent.rq);
	run(test, &innocent);
	KUNIT_EXPECT_NULL(test, ready(test));
	forgive(&hog.client->process->share[IGEN_BCS0]);
	KUNIT_EXPECT_PTR_EQ(test, ready(test), hog.rq);
	run(test, &hog);
	close(test, &hog);
	close(test, &innocent);
	close(test, &victim);
}

/* A file, a process or a user that is opened anew has the debt of what is gone, and another user has not. */
static void debts_outlive_their_files(struct kunit *test)
{
	struct opened hog = open_by(test, own_process(), USER), victim = open_by(test, own_process(), OTHER_USER);
	struct opened again;

	send(test, &hog);
	hang(test, &hog, HZ);
	prolong(&hog);
	close(test, &hog);
	send(test, &victim);
	run(test, &victim);

	again = open_by(test, other_process(), USER);
	KUNIT_EXPECT_TRUE(test, owes(&again.client->process->share[IGEN_BCS0]));
	KUNIT_EXPECT_TRUE(test, owes(&again.client->process->user->share[IGEN_BCS0]));
	KUNIT_EXPECT_FALSE(test, owes(&again.client->process->share[IGEN_RCS0]));
	send(test, &again);
	KUNIT_EXPECT_NULL(test, ready(test));
	hog = open_by(test, own_process(), OTHER_USER);
	KUNIT_EXPECT_FALSE(test, owes(&hog.client->process->share[IGEN_BCS0]));
	KUNIT_EXPECT_FALSE(test, owes(&hog.client->process->user->share[IGEN_BCS0]));

	forgive(&again.client->process->user->share[IGEN_BCS0]);
	KUNIT_EXPECT_PTR_EQ(test, ready(test), again.rq);
	run(test, &again);
	close(test, &again);
	close(test, &hog);
	close(test, &victim);
}

/* Between the files of a process nothing waits: the file that has hung runs on, also beside one that is in use. */
static void files_owe_each_other_nothing(struct kunit *test)
{
	struct opened hog = open_by(test, own_process(), USER), other = open_by(test, own_process(), USER);
	struct opened rival = open_by(test, other_process(), USER);

	send(test, &hog);
	hang(test, &hog, HZ);
	prolong(&hog);
	send(test, &other);
	run(test, &other);
	send(test, &hog);
	KUNIT_EXPECT_PTR_EQ(test, ready(test), hog.rq);
	/* Until another process wants the engine. */
	send(test, &rival);
	run(test, &rival);
	KUNIT_EXPECT_NULL(test, ready(test));
	forgive(&hog.client->process->share[IGEN_BCS0]);
	KUNIT_EXPECT_PTR_EQ(test, ready(test), hog.rq);
	run(test, &hog);
	close(test, &hog);
	close(test, &other);
	close(test, &rival);
}

/* However long and often a client hangs, it waits for seconds. */
static void debts_are_bounded(struct kunit *test)
{
	struct opened hog = open_by(test, own_process(), USER);
	struct igen_share *share = &hog.client->share[IGEN_BCS0];
	u64 most = (u64)MOST / HZ * blitter(test)->igen->platform->timestamp_hz, turn;
	unsigned int n;

	for (n = 0; n < 3; n++) {
		unsigned long before = jiffies;

		send(test, &hog);
		turn = share->turn;
		hang(test, &hog, LONG);
		KUNIT_EXPECT_GE(test, share->turn - turn, most);
		/* And what the request takes. */
		KUNIT_EXPECT_LE(test, share->turn - turn, most + (4 << 13));
		for (share = share->above; share->above; share = share->above) {
			KUNIT_EXPECT_TRUE(test, time_after_eq(share->owes_until, before + MOST));
			KUNIT_EXPECT_TRUE(test, time_before_eq(share->owes_until, jiffies + MOST));
		}
		share = &hog.client->share[IGEN_BCS0];
	}
	close(test, &hog);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_hang_is_owed),
	KUNIT_CASE(debts_are_of_their_level),
	KUNIT_CASE(files_owe_each_other_nothing),
	KUNIT_CASE(debts_outlive_their_files),
	KUNIT_CASE(debts_are_bounded),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_debt",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
