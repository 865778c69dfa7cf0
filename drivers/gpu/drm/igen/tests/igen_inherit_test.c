// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of walks that raise priorities, and are cut short
 *
 * What walks raise is tested in igen_scheduler_test.c.
 */
#include <linux/completion.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>

#include "../igen_killable.h"
#include "igen_mock.h"

/** struct blocker - keeps a workqueue that runs one work at a time from the others */
struct blocker {
	/** @work: waits for @go */
	struct work_struct work;
	/** @go: the end */
	struct completion go;
};

static void block(struct work_struct *work)
{
	wait_for_completion(&container_of(work, struct blocker, work)->go);
}

static unsigned int raised(struct igen_request * const *rq, unsigned int n, int priority)
{
	unsigned int sum = 0;

	while (n--)
		sum += READ_ONCE(rq[n]->priority) == priority;
	return sum;
}

#define LEADERS		(IGEN_KILL_CHECK_ROUNDS + 10)
#define ENGINES		3

/* The walk of a thread that is killed stops early, and a worker raises the rest. */
static void a_killed_walk_goes_on(struct kunit *test)
{
	static const enum igen_engine_id ids[ENGINES] = { IGEN_BCS0, IGEN_VCS0, IGEN_VECS0 };
	struct igen_context *urgent = igen_mock_context(test, 10), *ctx[DIV_ROUND_UP(LEADERS, ENGINES)];
	struct igen_client *client = igen_mock_client(test);
	struct igen_mock *mock = test->priv;
	struct igen_request *rq, **leader;
	struct blocker blocker;
	unsigned int n;

	leader = kunit_kcalloc(test, LEADERS, sizeof(*leader), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, leader);
	for (n = 0; n < ARRAY_SIZE(ctx); n++)
		ctx[n] = igen_mock_context(test, 0);
	igen_client_add_context(client, urgent);
	for (n = 0; n < LEADERS; n++)
		leader[n] = igen_mock_submit(test, ctx[n / ENGINES], ids[n % ENGINES]);
	rq = igen_mock_request(test, urgent, IGEN_RCS0);
	for (n = 0; n < LEADERS; n++)
		KUNIT_EXPECT_EQ(test, 0, igen_request_await(rq, &leader[n]->fence));

	init_completion(&blocker.go);
	INIT_WORK_ONSTACK(&blocker.work, block);
	workqueue_set_max_active(mock->igen->wq, 1);
	queue_work(mock->igen->wq, &blocker.work);
	allow_signal(SIGKILL);
	send_sig(SIGKILL, current, 1);
	igen_request_add(rq);
	flush_signals(current);
	disallow_signal(SIGKILL);
	KUNIT_EXPECT_EQ(test, raised(leader, LEADERS, 10), (unsigned int)IGEN_KILL_CHECK_ROUNDS);

	complete(&blocker.go);
	flush_workqueue(mock->igen->wq);
	destroy_work_on_stack(&blocker.work);
	workqueue_set_max_active(mock->igen->wq, WQ_DFL_ACTIVE);
	KUNIT_EXPECT_EQ(test, raised(leader, LEADERS, 10), (unsigned int)LEADERS);

	for (n = 0; n < LEADERS; n++) {
		igen_mock_complete(leader[n]);
		igen_request_put(leader[n]);
	}
	igen_mock_complete(rq);
	igen_request_put(rq);
	for (n = 0; n < ARRAY_SIZE(ctx); n++)
		igen_context_put(ctx[n]);
	igen_context_put(urgent);
	igen_client_put(client);
	igen_mock_settle(mock->igen);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_killed_walk_goes_on),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_inherit",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
