/* SPDX-License-Identifier: MIT */
/**
 * DOC: Clients
 *
 * An open file as the contexts see it that it made, which may outlive it.
 */
#ifndef _IGEN_CLIENT_H_
#define _IGEN_CLIENT_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "../platform/igen_platform.h"

#define IGEN_NUM_CLASSES	(IGEN_CLASS_VIDEO_ENHANCE + 1)

struct igen_context;
struct igen_engine;

/** struct igen_client - who uses the GPU */
struct igen_client {
	/** @ref: the file and its contexts */
	struct kref ref;
	/** @id: its number, for fdinfo */
	u64 id;
	/** @lock: guards what follows; engines' locks are taken inside */
	spinlock_t lock;
	/** @contexts: those that are there */
	struct list_head contexts;
	/** @past: GPU time of those that are gone, in timestamp ticks */
	u64 past[IGEN_NUM_CLASSES];
	/** @shown: nanoseconds as last told, which never decrease */
	u64 shown[IGEN_NUM_CLASSES];
	/** @turn: where its next request begins in each engine's virtual time, in ticks; under the engine's lock */
	u64 turn[IGEN_NUM_ENGINES];
	/** @hang_jiffies: when one of its contexts has hung last, or the file was opened; under the reset mutex */
	unsigned long hang_jiffies;
	/** @ban_score: points for hangs and bans (igen_ban.c) */
	atomic_t ban_score;
};

struct igen_client *igen_client_create(void);
void igen_client_release(struct kref *ref);
void igen_client_add_context(struct igen_client *client, struct igen_context *ctx);
void igen_client_remove_context(struct igen_context *ctx);
u64 igen_client_busy_ns(struct igen_client *client, struct igen_device *igen, enum igen_engine_class class);
u64 igen_engine_busy_ns(struct igen_engine *engine);
bool igen_client_is_banned(struct igen_client *client);

static inline void igen_client_put(struct igen_client *client)
{
	if (client)
		kref_put(&client->ref, igen_client_release);
}

#endif
