// SPDX-License-Identifier: MIT
/**
 * DOC: Bans
 *
 * A context that hangs again and again is banned: at the third hang within two minutes, or at the first when it said
 * that it cannot recover; never when it said that it is not to be. Its client gets three points for each ban, and one
 * for each hang within a minute of the last, or of the file's opening; with nine it makes no more contexts. Hangs of
 * contexts that are not to be banned don't count. These are stock i915's rules (its intel_reset.c and
 * i915_file_private.h), which userspace relies on.
 */
#include "../igen_device.h"
#include "igen_submit.h"

#define FAST_HANG_JIFFIES		(120 * HZ)
#define CLIENT_FAST_HANG_JIFFIES	(60 * HZ)
#define SCORE_HANG_FAST			1
#define SCORE_BAN			3
#define SCORE_CLIENT_BANNED		9

/* Notes a hang. Returns true if it is the third one within a short time. */
static bool ban_hangs_often(struct igen_context *ctx)
{
	unsigned long before = ctx->hang_jiffies[0];

	ctx->hang_jiffies[0] = ctx->hang_jiffies[1];
	ctx->hang_jiffies[1] = jiffies ?: 1;
	return before && time_before(jiffies, before + FAST_HANG_JIFFIES);
}

static void ban_blame_client(struct igen_client *client, bool banned)
{
	unsigned long before;

	/* Contexts of tests have no client. */
	if (!client)
		return;
	before = client->hang_jiffies;
	client->hang_jiffies = jiffies;
	if (time_before(jiffies, before + CLIENT_FAST_HANG_JIFFIES))
		atomic_add(SCORE_HANG_FAST, &client->ban_score);
	if (banned)
		atomic_add(SCORE_BAN, &client->ban_score);
}

/**
 * igen_context_blame - count a hang against its context
 * @ctx: the context
 *
 * Bans the context, or its client, when it hangs too often; the context at once when it is closed, so that its client
 * cannot end what is still behind the hang.
 *
 * Context: any; the device's reset mutex held.
 */
void igen_context_blame(struct igen_context *ctx)
{
	bool banned = true;

	if (test_bit(IGEN_CONTEXT_DRIVER, &ctx->flags))
		return;

	atomic_inc(&ctx->guilty_count);
	/* The requests of a banned context end by themselves, so a banned context is not counted here. */
	if (test_bit(IGEN_CONTEXT_CLOSED, &ctx->flags) && !test_bit(IGEN_CONTEXT_BANNED, &ctx->flags))
		igen_leftover_hung(ctx);
	if (!test_bit(IGEN_CONTEXT_CLOSED, &ctx->flags)) {
		if (!test_bit(IGEN_CONTEXT_BANNABLE, &ctx->flags))
			return;
		banned = ban_hangs_often(ctx) || !test_bit(IGEN_CONTEXT_RECOVERABLE, &ctx->flags);
		ban_blame_client(ctx->client, banned);
	}
	if (banned) {
		drm_dbg(&ctx->igen->drm, "context %u is banned\n", ctx->id);
		set_bit(IGEN_CONTEXT_BANNED, &ctx->flags);
	}
}

/**
 * igen_client_is_banned - ask whether a client's contexts have hung too often
 * @client: the client
 *
 * Return: true when it is to make no more of them.
 * Context: any.
 */
bool igen_client_is_banned(struct igen_client *client)
{
	return atomic_read(&client->ban_score) >= SCORE_CLIENT_BANNED;
}
