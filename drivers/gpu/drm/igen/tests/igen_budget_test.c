// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of budgets
 *
 * Two processes of two users share the part of the GGTT that copies of batches may have.
 */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uidgid.h>

#include "../mm/igen_budget.h"
#include "igen_mock.h"

#define ALL_PAGES	4096
/* What a process that is alone may have. */
#define ALONE_PAGES	(ALL_PAGES / 8)

struct budgets {
	struct pid *init;
	struct igen_budget *one, *other;
};

static void begin(struct kunit *test, struct budgets *b)
{
	struct igen_mock *mock = test->priv;

	b->init = find_get_pid(1);
	KUNIT_ASSERT_NOT_NULL(test, b->init);
	b->one = igen_budget_open(mock->igen, task_tgid(current), KUIDT_INIT(1000));
	b->other = igen_budget_open(mock->igen, b->init, KUIDT_INIT(1001));
	KUNIT_ASSERT_NOT_NULL(test, b->one);
	KUNIT_ASSERT_NOT_NULL(test, b->other);
}

static void end(struct budgets *b)
{
	igen_budget_put(b->one);
	igen_budget_put(b->other);
	put_pid(b->init);
}

/* A process has no more than its share, and the other one has a place then. */
static void copies_are_shared(struct kunit *test)
{
	struct budgets b;

	begin(test, &b);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.one, IGEN_GGTT_COPIES, ALONE_PAGES / 2, ALL_PAGES), 0);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.one, IGEN_GGTT_COPIES, ALONE_PAGES / 2, ALL_PAGES), 0);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.one, IGEN_GGTT_COPIES, 1, ALL_PAGES), -ENOSPC);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.other, IGEN_GGTT_COPIES, ALONE_PAGES / 2, ALL_PAGES), 0);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.other, IGEN_GGTT_COPIES, 1, ALL_PAGES), 0);
	igen_budget_uncharge_ggtt(b.one, IGEN_GGTT_COPIES, ALONE_PAGES);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.one, IGEN_GGTT_COPIES, 1, ALL_PAGES), 0);
	igen_budget_uncharge_ggtt(b.one, IGEN_GGTT_COPIES, 1);
	igen_budget_uncharge_ggtt(b.other, IGEN_GGTT_COPIES, ALONE_PAGES / 2 + 1);
	end(&b);
}

/* The first copy of a process may be as long as it wants, and none beside it. */
static void one_long_copy(struct kunit *test)
{
	struct budgets b;

	begin(test, &b);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.one, IGEN_GGTT_COPIES, ALL_PAGES, ALL_PAGES), 0);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.one, IGEN_GGTT_COPIES, ALONE_PAGES, ALL_PAGES), -ENOSPC);
	igen_budget_uncharge_ggtt(b.one, IGEN_GGTT_COPIES, ALL_PAGES);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.one, IGEN_GGTT_COPIES, ALONE_PAGES, ALL_PAGES), 0);
	igen_budget_uncharge_ggtt(b.one, IGEN_GGTT_COPIES, ALONE_PAGES);
	end(&b);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(copies_are_shared),
	KUNIT_CASE(one_long_copy),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_budget",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_ringbuffer,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
