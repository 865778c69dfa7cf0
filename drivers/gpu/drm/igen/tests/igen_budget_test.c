// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of budgets
 *
 * Processes of two users share the parts of the GGTT that copies of batches, page directories and contexts may have.
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

/* When the processes of a user have half together, the next one cannot begin; one of another user can. */
static void many_processes(struct kunit *test)
{
	static const enum igen_budget_ggtt uses[] = { IGEN_GGTT_COPIES, IGEN_GGTT_DIRECTORIES, IGEN_GGTT_CONTEXTS };
	const unsigned long pages = ALL_PAGES / 3 + 1;
	struct igen_mock *mock = test->priv;
	struct pid *pid = find_get_pid(2);
	struct igen_budget *second, *third;
	struct budgets b;
	unsigned int i;

	begin(test, &b);
	KUNIT_ASSERT_NOT_NULL(test, pid);
	second = igen_budget_open(mock->igen, b.init, KUIDT_INIT(1000));
	third = igen_budget_open(mock->igen, pid, KUIDT_INIT(1000));
	KUNIT_ASSERT_NOT_NULL(test, second);
	KUNIT_ASSERT_NOT_NULL(test, third);
	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.one, uses[i], pages, ALL_PAGES), 0);
		KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(second, uses[i], pages, ALL_PAGES), 0);
		KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(third, uses[i], pages, ALL_PAGES), -ENOSPC);
		KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.other, uses[i], pages, ALL_PAGES), 0);
		igen_budget_uncharge_ggtt(b.one, uses[i], pages);
		igen_budget_uncharge_ggtt(second, uses[i], pages);
		igen_budget_uncharge_ggtt(b.other, uses[i], pages);
	}
	igen_budget_put(second);
	igen_budget_put(third);
	put_pid(pid);
	end(&b);
}

/* A process whose contexts wait has half while a quarter is left, and its share when it is not. */
static void more_while_there_is_room(struct kunit *test)
{
	const enum igen_budget_ggtt use = IGEN_GGTT_CONTEXTS;
	struct budgets b;

	begin(test, &b);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.one, use, ALL_PAGES / 4, ALL_PAGES), 0);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.one, use, ALL_PAGES / 4, ALL_PAGES), 0);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.one, use, 1, ALL_PAGES), -ENOSPC);
	KUNIT_EXPECT_TRUE(test, igen_budget_exceeds_share_of_ggtt(b.one, use, 1, ALL_PAGES));
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.other, use, ALL_PAGES / 4, ALL_PAGES), 0);
	KUNIT_EXPECT_EQ(test, igen_budget_charge_ggtt(b.other, use, 1, ALL_PAGES), -ENOSPC);
	igen_budget_uncharge_ggtt(b.other, use, ALL_PAGES / 4);
	KUNIT_EXPECT_FALSE(test, igen_budget_exceeds_share_of_ggtt(b.other, use, ALONE_PAGES, ALL_PAGES));
	KUNIT_EXPECT_TRUE(test, igen_budget_exceeds_share_of_ggtt(b.other, use, ALONE_PAGES + 1, ALL_PAGES));
	igen_budget_uncharge_ggtt(b.one, use, ALL_PAGES / 2);
	end(&b);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(copies_are_shared),
	KUNIT_CASE(one_long_copy),
	KUNIT_CASE(many_processes),
	KUNIT_CASE(more_while_there_is_room),
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
