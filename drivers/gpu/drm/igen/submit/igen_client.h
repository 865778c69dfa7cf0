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
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include "../engine/igen_share.h"
#include "../mm/igen_bo_cache.h"
#include "../platform/igen_platform.h"

struct igen_budget;
struct igen_context;
struct igen_device;
struct igen_engine;
struct igen_owner;
struct igen_request;
struct pid;

/** struct igen_request_pool - memory of a client's freed requests, for its next ones (igen_request_pool.c) */
struct igen_request_pool {
	/** @lock: guards what follows; no lock is taken inside */
	spinlock_t lock;
	/** @ready: requests that may be used again */
	struct igen_request *ready;
	/** @resting: requests that wait for the end of an RCU grace period; if there are any, @rcu is queued */
	struct igen_request *resting;
	/** @released: requests that were released since that began */
	struct igen_request *released;
	/** @num: how many there are of all these */
	unsigned int num;
	/** @num_ready: how many there are of @ready */
	unsigned int num_ready;
	/** @most: how many there may be; 0 once the file is closed */
	unsigned int most;
	/** @taken: how many were taken from @ready until the last two grace periods ended, and since then */
	unsigned int taken[2];
	/** @rcu: tells that the grace period is over */
	struct rcu_head rcu;
};

/** struct igen_client - an open file and its use of the GPU */
struct igen_client {
	/** @ref: the file, its contexts and their requests */
	struct kref ref;
	/** @id: its number, for fdinfo */
	u64 id;
	/** @budget: its share of kernel memory and mapping offsets */
	struct igen_budget *budget;
	/** @link: in igen_device.clients while the file is open */
	struct list_head link;
	/** @closed_bos: objects that it has closed and may get again */
	struct igen_bo_cache closed_bos;
	/** @pool: memory for its requests */
	struct igen_request_pool pool;
	/** @busy_mutex: one reader of the GPU time at a time; @lock is taken inside */
	struct mutex busy_mutex;
	/** @lock: guards what follows; engines' locks are taken inside */
	spinlock_t lock;
	/** @contexts: those that are there */
	struct list_head contexts;
	/** @busy_round: how often the times of @contexts were added up; under @busy_mutex too */
	u64 busy_round;
	/** @past: GPU time of those that are gone, in timestamp ticks */
	u64 past[IGEN_NUM_CLASSES];
	/** @shown: nanoseconds as last told, which never decrease */
	u64 shown[IGEN_NUM_CLASSES];
	/** @process: the process that opened the file, counted; constant */
	struct igen_owner *process;
	/** @closed: the file is closed; set once */
	bool closed;
	/** @awaited: a request of another file has waited for one of this file's; set once */
	bool awaited;
	/** @share: what the file has of each engine; under the engines' locks */
	struct igen_share share[IGEN_NUM_ENGINES];
	/** @hang_jiffies: when one of its contexts has hung last, or the file was opened; under the reset mutex */
	unsigned long hang_jiffies;
	/** @ban_score: points for hangs and bans (igen_ban.c) */
	atomic_t ban_score;
	/** @inherit_wanted: requests that the walks of killed threads have still to raise (igen_inherit.c) */
	struct list_head inherit_wanted;
	/** @inherit_work: goes on with these walks; queued with a reference to the client */
	struct work_struct inherit_work;
};

struct igen_client *igen_client_create(struct igen_device *igen, struct pid *pid, kuid_t uid);
void igen_client_release(struct kref *ref);
void igen_client_close(struct igen_device *igen, struct igen_client *client);
void igen_client_await(struct igen_device *igen, struct igen_client *client);
void igen_client_open(struct igen_device *igen, struct igen_client *client);
void igen_clients_free_idle(struct igen_device *igen);
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
