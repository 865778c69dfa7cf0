// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of bans
 *
 * The numbers are stock i915's. What happened long ago is written into the context or the client.
 */
#include "../submit/igen_client.h"
#include "igen_mock.h"

#define MINUTE	(60 * HZ)

static struct igen_client *new_client(struct kunit *test)
{
	struct igen_client *client = igen_mock_client(test);

	/* The file was opened long ago. */
	client->hang_jiffies = jiffies - 2 * MINUTE;
	return client;
}

/* A context as clients make them. */
static struct igen_context *new_context(struct kunit *test, struct igen_client *client)
{
	struct igen_context *ctx = igen_mock_context(test, 0);

	ctx->flags = BIT(IGEN_CONTEXT_BANNABLE) | BIT(IGEN_CONTEXT_RECOVERABLE) | BIT(IGEN_CONTEXT_PERSISTENT);
	igen_client_add_context(client, ctx);
	return ctx;
}

static void hang(struct igen_context *ctx)
{
	mutex_lock(&ctx->igen->reset_mutex);
	igen_context_blame(ctx);
	mutex_unlock(&ctx->igen->reset_mutex);
}

static void expect(struct kunit *test, struct igen_context *ctx, unsigned int guilty, bool banned, int score)
{
	KUNIT_EXPECT_EQ(test, (unsigned int)atomic_read(&ctx->guilty_count), guilty);
	KUNIT_EXPECT_EQ(test, test_bit(IGEN_CONTEXT_BANNED, &ctx->flags), banned);
	KUNIT_EXPECT_EQ(test, atomic_read(&ctx->client->ban_score), score);
}

static void third_hang_bans(struct kunit *test)
{
	struct igen_client *client = new_client(test);
	struct igen_context *ctx = new_context(test, client), *slow = new_context(test, client);

	hang(ctx);
	expect(test, ctx, 1, false, 0);
	hang(ctx);
	expect(test, ctx, 2, false, 1);
	hang(ctx);
	expect(test, ctx, 3, true, 5);

	/* Two hangs of which one was long ago. */
	client->hang_jiffies = jiffies - 2 * MINUTE;
	slow->hang_jiffies[0] = jiffies - 3 * MINUTE;
	slow->hang_jiffies[1] = jiffies - 2 * MINUTE;
	hang(slow);
	expect(test, slow, 1, false, 5);

	igen_context_put(slow);
	igen_context_put(ctx);
	igen_client_put(client);
}

static void what_contexts_say_of_themselves(struct kunit *test)
{
	struct igen_client *client = new_client(test);
	struct igen_context *ctx = new_context(test, client), *proud = new_context(test, client);
	unsigned int i;

	/* A context that must not be banned is not, even if it cannot recover; and its client gets no points. */
	clear_bit(IGEN_CONTEXT_BANNABLE, &proud->flags);
	clear_bit(IGEN_CONTEXT_RECOVERABLE, &proud->flags);
	for (i = 1; i <= 4; i++) {
		hang(proud);
		expect(test, proud, i, false, 0);
	}
	/* Hangs from the time when a context was not bannable do not count once it is bannable. */
	set_bit(IGEN_CONTEXT_BANNABLE, &proud->flags);
	set_bit(IGEN_CONTEXT_RECOVERABLE, &proud->flags);
	hang(proud);
	expect(test, proud, 5, false, 0);

	client->hang_jiffies = jiffies - 2 * MINUTE;
	clear_bit(IGEN_CONTEXT_RECOVERABLE, &ctx->flags);
	hang(ctx);
	expect(test, ctx, 1, true, 3);

	igen_context_put(proud);
	igen_context_put(ctx);
	igen_client_put(client);
}

/* No client would end what a closed context does, or take the blame. */
static void closed_contexts(struct kunit *test)
{
	struct igen_client *client = new_client(test);
	struct igen_context *ctx = new_context(test, client);

	clear_bit(IGEN_CONTEXT_BANNABLE, &ctx->flags);
	set_bit(IGEN_CONTEXT_CLOSED, &ctx->flags);
	hang(ctx);
	expect(test, ctx, 1, true, 0);
	igen_context_put(ctx);
	igen_client_put(client);
}

static void nine_points(struct kunit *test)
{
	struct igen_client *client = new_client(test);
	struct igen_context *ctx[9];
	unsigned int i;

	/* One hang each, of contexts that are not banned for it. */
	for (i = 0; i < ARRAY_SIZE(ctx); i++) {
		ctx[i] = new_context(test, client);
		hang(ctx[i]);
		expect(test, ctx[i], 1, false, i);
	}
	KUNIT_EXPECT_FALSE(test, igen_client_is_banned(client));
	hang(ctx[0]);
	expect(test, ctx[0], 2, false, 9);
	KUNIT_EXPECT_TRUE(test, igen_client_is_banned(client));

	for (i = 0; i < ARRAY_SIZE(ctx); i++)
		igen_context_put(ctx[i]);
	igen_client_put(client);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(third_hang_bans),
	KUNIT_CASE(what_contexts_say_of_themselves),
	KUNIT_CASE(closed_contexts),
	KUNIT_CASE(nine_points),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_ban",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
