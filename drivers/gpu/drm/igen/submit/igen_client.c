// SPDX-License-Identifier: MIT
/**
 * DOC: Clients: GPU time
 *
 * The engine counts each context's time in the context's image (CTX_TIMESTAMP, public Gen9 PRM Vol 2c), so measuring
 * costs nothing until somebody asks. The count has 32 bits of about 83 ns; the worker that retires requests looks at it
 * once a second, so it wraps unnoticed only in a context that runs alone for minutes. For a context that is running the
 * engine's register says what its image will.
 *
 * A client's time is that of its contexts, and of those that are gone, by class of engine.
 */
#include <linux/math64.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "igen_client.h"
#include "igen_submit.h"

/**
 * igen_client_create - for a new file
 *
 * Return: the client with one reference, or ERR_PTR(-ENOMEM).
 */
struct igen_client *igen_client_create(void)
{
	static atomic64_t last_client = ATOMIC64_INIT(0);
	struct igen_client *client;

	client = kzalloc(sizeof(*client), GFP_KERNEL);
	if (!client)
		return ERR_PTR(-ENOMEM);

	kref_init(&client->ref);
	client->id = atomic64_inc_return(&last_client);
	spin_lock_init(&client->lock);
	INIT_LIST_HEAD(&client->contexts);
	client->hang_jiffies = jiffies;
	return client;
}

/**
 * igen_client_release - the last reference is gone
 * @ref: igen_client.ref
 */
void igen_client_release(struct kref *ref)
{
	kfree(container_of(ref, struct igen_client, ref));
}

/**
 * igen_client_add_context - a client has made a context
 * @client: the client, which the context holds from now on
 * @ctx: the context, not yet used
 */
void igen_client_add_context(struct igen_client *client, struct igen_context *ctx)
{
	kref_get(&client->ref);
	ctx->client = client;
	spin_lock(&client->lock);
	list_add_tail(&ctx->client_link, &client->contexts);
	spin_unlock(&client->lock);
}

/**
 * igen_lrc_runtime - how long the engine has worked on an LRC
 * @lrc: the LRC
 * @live: up to the moment, if it is running; the device is there and forcewake of the engine held
 *
 * Return: timestamp ticks.
 * Context: any; takes group->lock.
 */
u64 igen_lrc_runtime(struct igen_lrc *lrc, bool live)
{
	const struct igen_submit_ops *ops = lrc->group->igen->platform->submit;
	unsigned long flags;
	u64 ticks;
	u32 count;

	spin_lock_irqsave(&lrc->group->lock, flags);
	igen_lrc_note_runtime(lrc);
	ticks = lrc->runtime;
	/* The register may be read just when the context leaves and its image is newer. */
	if (live && ops->running(lrc, &count) && (s32)(count - lrc->runtime_mark) > 0)
		ticks += count - lrc->runtime_mark;
	spin_unlock_irqrestore(&lrc->group->lock, flags);
	return ticks;
}

/* GPU time of a context on a class of engines, in ticks; client->lock held. */
static u64 context_ticks(struct igen_context *ctx, enum igen_engine_class class, bool live)
{
	struct igen_lrc *lrc;
	unsigned int slot;
	u64 ticks = 0;

	for (slot = 0; slot < ctx->num_engines; slot++) {
		/* Pairs with the release in igen_context_lrc(). */
		lrc = smp_load_acquire(&ctx->engines[slot].lrc);
		if (lrc && ctx->engines[slot].engine->info->class == class)
			ticks += igen_lrc_runtime(lrc, live);
	}
	return ticks;
}

/**
 * igen_client_remove_context - a context goes; its time remains the client's
 * @ctx: the context, which nobody uses any more; its LRCs are still there
 *
 * Does nothing for the driver's own.
 */
void igen_client_remove_context(struct igen_context *ctx)
{
	struct igen_client *client = ctx->client;
	unsigned int class;

	if (!client)
		return;
	spin_lock(&client->lock);
	for (class = 0; class < IGEN_NUM_CLASSES; class++)
		client->past[class] += context_ticks(ctx, class, false);
	list_del(&ctx->client_link);
	spin_unlock(&client->lock);
	ctx->client = NULL;
	igen_client_put(client);
}

/**
 * igen_client_busy_ns - how long engines have worked for a client
 * @client: the client
 * @igen: the device, which is there; forcewake of all domains held
 * @class: which engines
 *
 * Return: nanoseconds, never less than before.
 * Context: process; takes engines' locks.
 */
u64 igen_client_busy_ns(struct igen_client *client, struct igen_device *igen, enum igen_engine_class class)
{
	struct igen_context *ctx;
	u64 ticks, ns;

	spin_lock(&client->lock);
	ticks = client->past[class];
	list_for_each_entry(ctx, &client->contexts, client_link)
		ticks += context_ticks(ctx, class, true);
	ns = mul_u64_u32_div(ticks, NSEC_PER_SEC, igen->platform->timestamp_hz);
	/* What a reset took from a context was told already, perhaps. */
	ns = max(ns, client->shown[class]);
	client->shown[class] = ns;
	spin_unlock(&client->lock);
	return ns;
}

/**
 * igen_engine_busy_ns - how long an engine has worked, for whomever
 * @engine: the engine, of a device that is there
 *
 * Return: nanoseconds, never less than before.
 * Context: any; takes group->lock.
 */
u64 igen_engine_busy_ns(struct igen_engine *engine)
{
	const struct igen_platform *platform = engine->igen->platform;
	unsigned long flags;
	u64 ns;

	spin_lock_irqsave(&engine->group->lock, flags);
	ns = mul_u64_u32_div(platform->submit->runtime(engine), NSEC_PER_SEC, platform->timestamp_hz);
	/* What a reset took from a context was told already, perhaps. */
	ns = max(ns, engine->busy_shown);
	engine->busy_shown = ns;
	spin_unlock_irqrestore(&engine->group->lock, flags);
	return ns;
}
