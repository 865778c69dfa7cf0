// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of clients' GPU time
 */
#include <igen/regs/image.h>

#include "../engine/igen_lrc.h"
#include "../submit/igen_client.h"
#include "igen_mock.h"

/* Many times as many as are counted with the client's lock held. */
#define CONTEXTS	100
/* CTX_TIMESTAMP in each context's image, above its mark: one second at 12 MHz. */
#define TICKS		12000000u

/* Makes contexts of a client that have each been on the engine for a second. */
static void make_contexts(struct kunit *test, struct igen_client *client, struct igen_context **ctx)
{
	struct igen_lrc *lrc;
	unsigned int n;

	for (n = 0; n < CONTEXTS; n++) {
		ctx[n] = igen_mock_context(test, 0);
		lrc = igen_mock_lrc(test, ctx[n], IGEN_BCS0);
		lrc->image.regs[CTX_TIMESTAMP] = lrc->runtime_mark + TICKS;
		igen_client_add_context(client, ctx[n]);
	}
}

static void drop_contexts(struct igen_device *igen, struct igen_client *client, struct igen_context **ctx)
{
	unsigned int n;

	for (n = 0; n < CONTEXTS; n++)
		igen_context_put(ctx[n]);
	igen_client_put(client);
	igen_mock_settle(igen);
}

static u64 seconds(struct igen_client *client, struct igen_device *igen)
{
	return div_u64(igen_client_busy_ns(client, igen, IGEN_CLASS_COPY), NSEC_PER_SEC);
}

/* Contexts come and go between two readings, and each counts once. */
static void every_context_counts_once(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_client *client = igen_mock_client(test);
	struct igen_context *ctx[CONTEXTS], *late;
	struct igen_lrc *lrc;

	KUNIT_ASSERT_EQ(test, mock->platform.timestamp_hz, TICKS);
	make_contexts(test, client, ctx);
	KUNIT_EXPECT_EQ(test, seconds(client, mock->igen), (u64)CONTEXTS);
	KUNIT_EXPECT_EQ(test, seconds(client, mock->igen), (u64)CONTEXTS);
	KUNIT_EXPECT_EQ(test, igen_client_busy_ns(client, mock->igen, IGEN_CLASS_RENDER), 0ull);

	late = igen_mock_context(test, 0);
	lrc = igen_mock_lrc(test, late, IGEN_BCS0);
	lrc->image.regs[CTX_TIMESTAMP] = lrc->runtime_mark + TICKS;
	igen_client_add_context(client, late);
	KUNIT_EXPECT_EQ(test, seconds(client, mock->igen), CONTEXTS + 1ull);
	igen_client_remove_context(late);
	KUNIT_EXPECT_EQ(test, seconds(client, mock->igen), CONTEXTS + 1ull);

	igen_context_put(late);
	drop_contexts(mock->igen, client, ctx);
}

/* A reader that is being killed does not come to the end of the contexts, and does not spoil the next reading. */
static void sigkill_ends_the_count(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_client *client = igen_mock_client(test);
	struct igen_context *ctx[CONTEXTS];
	unsigned int n, counted = 0;

	make_contexts(test, client, ctx);
	igen_mock_set_killed(true);
	igen_client_busy_ns(client, mock->igen, IGEN_CLASS_COPY);
	igen_mock_set_killed(false);
	for (n = 0; n < CONTEXTS; n++)
		counted += ctx[n]->busy_round == client->busy_round;
	KUNIT_EXPECT_GT(test, counted, 0u);
	KUNIT_EXPECT_LT(test, counted, CONTEXTS / 2u);
	KUNIT_EXPECT_EQ(test, seconds(client, mock->igen), (u64)CONTEXTS);

	igen_mock_set_killed(true);
	KUNIT_EXPECT_EQ(test, seconds(client, mock->igen), (u64)CONTEXTS);
	igen_mock_set_killed(false);
	drop_contexts(mock->igen, client, ctx);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(every_context_counts_once),
	KUNIT_CASE(sigkill_ends_the_count),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_client",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_execlists,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
