// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of what closed files leave behind
 *
 * Requests of closed files come last unless a request waits for them, and closed contexts end with one of them that
 * hangs.
 */
#include <linux/cred.h>
#include <linux/sched/signal.h>

#include "igen_mock.h"

/* A context of a file of its own. */
struct opened {
	struct igen_client *client;
	struct igen_context *ctx;
	struct igen_request *rq;
};

static struct opened open_by(struct kunit *test, struct pid *pid, kuid_t uid, int priority)
{
	struct igen_mock *mock = test->priv;
	struct opened f = { .client = igen_client_create(mock->igen, pid, uid) };

	KUNIT_ASSERT_FALSE(test, IS_ERR(f.client));
	f.ctx = igen_mock_context(test, priority);
	igen_client_add_context(f.client, f.ctx);
	f.ctx->flags = BIT(IGEN_CONTEXT_BANNABLE) | BIT(IGEN_CONTEXT_RECOVERABLE) | BIT(IGEN_CONTEXT_PERSISTENT);
	f.rq = igen_mock_submit(test, f.ctx, IGEN_BCS0);
	return f;
}

static struct opened open_own(struct kunit *test, int priority)
{
	return open_by(test, task_tgid(current), current_uid(), priority);
}

static void close_context(struct opened *f)
{
	igen_context_note_closed(f->ctx);
	set_bit(IGEN_CONTEXT_CLOSED, &f->ctx->flags);
}

static void close_file(struct opened *f)
{
	close_context(f);
	igen_client_close(f->ctx->igen, f->client);
}

static void end(struct opened *f)
{
	igen_mock_complete(f->rq);
	igen_request_put(f->rq);
	igen_context_put(f->ctx);
	igen_client_put(f->client);
}

static struct igen_engine *blitter(struct kunit *test)
{
	struct igen_mock *mock = test->priv;

	return mock->igen->engine[IGEN_BCS0];
}

static struct igen_request *first(struct kunit *test)
{
	struct igen_engine *engine = blitter(test);
	struct igen_request *rq;

	spin_lock_irq(&engine->group->lock);
	rq = igen_queue_first(engine);
	spin_unlock_irq(&engine->group->lock);
	return rq;
}

/* Whatever its priority, a closed file's request comes behind an open one's. */
static void closed_files_come_last(struct kunit *test)
{
	struct opened left = open_own(test, 100), low = open_own(test, -100);

	KUNIT_EXPECT_PTR_EQ(test, first(test), left.rq);
	/* A context that is closed alone stays where it is. */
	close_context(&left);
	KUNIT_EXPECT_PTR_EQ(test, first(test), left.rq);
	close_file(&left);
	KUNIT_EXPECT_PTR_EQ(test, first(test), low.rq);
	end(&low);
	end(&left);
}

/* A request waits for one of a closed file, before it is closed or afterwards. */
static void awaited_files_come_back(struct kunit *test)
{
	struct opened left = open_own(test, 0), other = open_own(test, 0), waiter = open_own(test, 0);
	struct igen_request *rq;

	close_file(&left);
	KUNIT_EXPECT_PTR_EQ(test, first(test), other.rq);
	rq = igen_mock_request(test, waiter.ctx, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &left.rq->fence));
	igen_request_add(rq);
	KUNIT_EXPECT_PTR_EQ(test, first(test), left.rq);
	/* The rest of what waits does so for itself, and is awaited. */
	KUNIT_EXPECT_FALSE(test, waiter.client->awaited);

	end(&left);
	igen_mock_complete(rq);
	igen_request_put(rq);
	end(&other);
	end(&waiter);
}

static int verdict(struct opened *f)
{
	return igen_request_check_run(f->rq, f->rq->engine);
}

static void hang(struct opened *f)
{
	mutex_lock(&f->ctx->igen->reset_mutex);
	igen_context_blame(f->ctx);
	mutex_unlock(&f->ctx->igen->reset_mutex);
}

/* A hang of a closed context ends all closed contexts of its process, and nothing else. */
static void one_hang_ends_all(struct kunit *test)
{
	struct opened left[3], later = open_own(test, 0), live = open_own(test, 0);
	struct opened other = open_by(test, task_tgid(&init_task), current_uid(), 0);
	unsigned int n;

	/* Without a heartbeat nothing of a closed context runs. */
	blitter(test)->props.heartbeat_interval_ms = 600000;
	for (n = 0; n < ARRAY_SIZE(left); n++) {
		left[n] = open_own(test, 0);
		close_file(&left[n]);
		KUNIT_EXPECT_EQ(test, verdict(&left[n]), 0);
	}
	close_file(&other);
	hang(&left[1]);
	close_file(&later);
	for (n = 0; n < ARRAY_SIZE(left); n++)
		KUNIT_EXPECT_EQ(test, verdict(&left[n]), -EIO);
	KUNIT_EXPECT_EQ(test, verdict(&later), 0);
	KUNIT_EXPECT_EQ(test, verdict(&live), 0);
	KUNIT_EXPECT_EQ(test, verdict(&other), 0);

	blitter(test)->props.heartbeat_interval_ms = 0;
	cancel_delayed_work_sync(&blitter(test)->heartbeat);
	for (n = 0; n < ARRAY_SIZE(left); n++)
		end(&left[n]);
	end(&later);
	end(&live);
	end(&other);
}

/* The third hang ends what other processes of the user have left, except requests that are waited for. */
static void third_hang_ends_the_users(struct kunit *test)
{
	const kuid_t uid = KUIDT_INIT(4711);
	struct opened hung[3], left, awaited, alien;
	unsigned int n;

	blitter(test)->props.heartbeat_interval_ms = 600000;
	left = open_by(test, task_tgid(&init_task), uid, 0);
	awaited = open_by(test, task_tgid(&init_task), uid, 0);
	alien = open_own(test, 0);
	igen_client_await(awaited.ctx->igen, awaited.client);
	close_file(&left);
	close_file(&awaited);
	close_file(&alien);
	for (n = 0; n < ARRAY_SIZE(hung); n++) {
		KUNIT_EXPECT_EQ(test, verdict(&left), 0);
		hung[n] = open_by(test, task_tgid(current), uid, 0);
		close_file(&hung[n]);
		hang(&hung[n]);
	}
	KUNIT_EXPECT_EQ(test, verdict(&left), -EIO);
	KUNIT_EXPECT_EQ(test, verdict(&awaited), 0);
	KUNIT_EXPECT_EQ(test, verdict(&alien), 0);

	blitter(test)->props.heartbeat_interval_ms = 0;
	cancel_delayed_work_sync(&blitter(test)->heartbeat);
	for (n = 0; n < ARRAY_SIZE(hung); n++)
		end(&hung[n]);
	end(&left);
	end(&awaited);
	end(&alien);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(closed_files_come_last),
	KUNIT_CASE(awaited_files_come_back),
	KUNIT_CASE(one_hang_ends_all),
	KUNIT_CASE(third_hang_ends_the_users),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_leftover",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
