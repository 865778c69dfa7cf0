// SPDX-License-Identifier: MIT
/**
 * DOC: Clients: GPU time
 *
 * The engine counts each context's time in the context's image (CTX_TIMESTAMP, public Gen9 PRM Vol 2c), so measuring
 * costs nothing until fdinfo is read. The count has 32 bits of about 83 ns; the worker that retires requests looks at
 * it once a second, so it wraps unnoticed only in a context that runs alone for minutes. For a context that is running
 * the engine's register says what its image will.
 *
 * A client's time is the sum of the times of its contexts, freed ones included, by class of engine.
 */
#include <linux/math64.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "../igen_killable.h"
#include "../mm/igen_budget.h"
#include "igen_client.h"
#include "igen_owner.h"
#include "igen_submit.h"

/* Contexts whose times are added up before the client's lock is dropped. */
#define MOST_CONTEXTS	16

/**
 * igen_client_create - for a new file
 * @igen: the device, with its engines
 * @pid: the process (thread group) that opens the file
 * @uid: the user that the process belongs to
 *
 * Return: the client with one reference, or ERR_PTR(-ENOMEM).
 */
struct igen_client *igen_client_create(struct igen_device *igen, struct pid *pid, kuid_t uid)
{
	static atomic64_t last_client = ATOMIC64_INIT(0);
	struct igen_client *client;
	struct igen_engine *engine;
	unsigned int id;

	client = kzalloc(sizeof(*client), IGEN_GFP_CLIENT);
	if (!client)
		return ERR_PTR(-ENOMEM);
	client->budget = igen_budget_open(igen, pid, uid);
	if (!client->budget)
		goto fail_client;
	client->process = igen_owner_get(igen, pid, uid);
	if (!client->process)
		goto fail_budget;
	for_each_engine(igen, id, engine)
		igen_share_init(&client->share[id], &client->process->share[id], true);

	kref_init(&client->ref);
	client->id = atomic64_inc_return(&last_client);
	mutex_init(&client->busy_mutex);
	spin_lock_init(&client->lock);
	INIT_LIST_HEAD(&client->contexts);
	INIT_LIST_HEAD(&client->link);
	igen_bo_cache_init(&client->closed_bos);
	igen_request_pool_init(&client->pool);
	igen_inherit_init(client);
	client->hang_jiffies = jiffies;
	return client;

fail_budget:
	igen_budget_put(client->budget);
fail_client:
	kfree(client);
	return ERR_PTR(-ENOMEM);
}

/**
 * igen_client_open - a client's file is open
 * @igen: the device
 * @client: the client; igen_client_close() has to follow
 *
 * Context: may sleep.
 */
void igen_client_open(struct igen_device *igen, struct igen_client *client)
{
	mutex_lock(&igen->clients_mutex);
	list_add_tail(&client->link, &igen->clients);
	mutex_unlock(&igen->clients_mutex);
}

/**
 * igen_clients_free_idle - free what clients keep and do not use now
 * @igen: the device
 *
 * That is memory of requests. A client whose file is closed keeps none.
 *
 * Context: may sleep.
 */
void igen_clients_free_idle(struct igen_device *igen)
{
	struct igen_client *client;

	mutex_lock(&igen->clients_mutex);
	list_for_each_entry(client, &igen->clients, link) {
		igen_request_pool_drain(&client->pool);
		cond_resched();
	}
	mutex_unlock(&igen->clients_mutex);
}

/**
 * igen_client_release - the last reference is gone
 * @ref: igen_client.ref
 *
 * Context: any.
 */
void igen_client_release(struct kref *ref)
{
	struct igen_client *client = container_of(ref, struct igen_client, ref);

	WARN_ON(!list_empty(&client->closed_bos.link));
	igen_request_pool_drain(&client->pool);
	igen_owner_put(client->process);
	igen_budget_put(client->budget);
	kfree(client);
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
	bool running;
	u64 ticks;
	u32 count;

	spin_lock_irqsave(&lrc->group->lock, flags);
	/* The backend may learn only now that a request has ended. */
	running = live && ops->running(lrc, &count);
	igen_lrc_note_runtime(lrc);
	ticks = lrc->runtime;
	/* The register may be read just when the context leaves and its image is newer. */
	if (running && (s32)(count - lrc->runtime_mark) > 0)
		ticks += count - lrc->runtime_mark;
	spin_unlock_irqrestore(&lrc->group->lock, flags);
	return ticks;
}

/* GPU time of a context on a class of engines, in ticks; client->lock held. */
static u64 client_context_ticks(struct igen_context *ctx, enum igen_engine_class class, bool live)
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
 * @ctx: the context, no longer used; its LRCs are still there
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
		client->past[class] += client_context_ticks(ctx, class, false);
	list_del(&ctx->client_link);
	spin_unlock(&client->lock);
	ctx->client = NULL;
	igen_client_put(client);
}

/*
 * Adds the times of up to MOST_CONTEXTS contexts to *ticks and moves these contexts to the end of the client's list.
 * Returns true when the first context of the list has not been counted in this round. client->lock is held.
 */
static bool client_add_some(struct igen_client *client, enum igen_engine_class class, u64 *ticks)
{
	struct igen_context *ctx;
	unsigned int n;

	for (n = 0;; n++) {
		ctx = list_first_entry_or_null(&client->contexts, struct igen_context, client_link);
		if (!ctx || ctx->busy_round == client->busy_round)
			return false;
		if (n == MOST_CONTEXTS)
			return true;
		*ticks += client_context_ticks(ctx, class, true);
		ctx->busy_round = client->busy_round;
		list_move_tail(&ctx->client_link, &client->contexts);
	}
}

/*
 * GPU time of a client on a class of engines, in ticks. A context that is created or released meanwhile may be missing,
 * but no context counts twice. When the caller is being killed, contexts are missing as well.
 */
static u64 client_ticks(struct igen_client *client, enum igen_engine_class class)
{
	bool killed = false;
	u64 ticks;

	/* Another reader's round would mix with this one. */
	if (mutex_lock_killable(&client->busy_mutex))
		return 0;
	spin_lock(&client->lock);
	client->busy_round++;
	ticks = client->past[class];
	while (!killed && client_add_some(client, class, &ticks)) {
		spin_unlock(&client->lock);
		killed = igen_check_killed();
		spin_lock(&client->lock);
	}
	spin_unlock(&client->lock);
	mutex_unlock(&client->busy_mutex);
	return ticks;
}

/**
 * igen_client_busy_ns - how long engines have worked for a client
 * @client: the client
 * @igen: the device, which is there; forcewake of all domains held
 * @class: which engines
 *
 * A client has as many contexts as it likes. Other threads get the CPU and the client's lock in between, and SIGKILL
 * ends the count early.
 *
 * Return: nanoseconds, never less than before.
 * Context: may sleep; takes the client's lock and engines' locks.
 */
u64 igen_client_busy_ns(struct igen_client *client, struct igen_device *igen, enum igen_engine_class class)
{
	u64 ticks = client_ticks(client, class), ns;

	spin_lock(&client->lock);
	ns = mul_u64_u32_div(ticks, NSEC_PER_SEC, igen->platform->timestamp_hz);
	/* A reset may have taken time that was told already, and the count may be incomplete. */
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
	/* A reset may lower the runtime below a value that this function has returned already. */
	ns = max(ns, engine->busy_shown);
	engine->busy_shown = ns;
	spin_unlock_irqrestore(&engine->group->lock, flags);
	return ns;
}
