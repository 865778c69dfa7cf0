/* SPDX-License-Identifier: MIT */
/**
 * DOC: Contexts
 *
 * A client's context: an address space, a priority, a map of engines and for each of them an LRC made at first
 * use. The object lives on this floor since requests name it; its uAPI is uapi/igen_context.c.
 */
#ifndef _IGEN_CONTEXT_H_
#define _IGEN_CONTEXT_H_

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "../engine/igen_engine.h"
#include "igen_client.h"

struct drm_syncobj;
struct igen_lrc;
struct igen_vm;

/* "comm[pid]" as in i915, longer pids being cut. */
#define IGEN_CONTEXT_NAME	(TASK_COMM_LEN + 8)

/** struct igen_ctx_engine - one slot of a context's engine map */
struct igen_ctx_engine {
	/** @engine: what runs it, or NULL for an invalid slot; if it is balanced, where it begins */
	struct igen_engine *engine;
	/** @siblings: between which engines it is balanced, bits of enum igen_engine_id; 0: it is not */
	u32 siblings;
	/** @lrc: made at first use, under igen_context.mutex; then constant */
	struct igen_lrc *lrc;
};

/**
 * struct igen_context - a client's context
 */
struct igen_context {
	/** @ref: handle, requests */
	struct kref ref;
	/** @igen: the device */
	struct igen_device *igen;
	/** @id: its handle */
	u32 id;
	/** @pid: the process that made it */
	pid_t pid;
	/** @comm: its name then */
	char comm[TASK_COMM_LEN];
	/** @name: both, which its fences have as the name of their timeline */
	char name[IGEN_CONTEXT_NAME];
	/** @client: whose it is, counted, or NULL for the driver's own */
	struct igen_client *client;
	/** @client_link: in its contexts */
	struct list_head client_link;
	/** @busy_round: the client's round in which the context's time was added up last; under client->lock */
	u64 busy_round;
	/** @vm: its address space, counted */
	struct igen_vm *vm;
	/** @mutex: guards creation of LRCs and the parameters */
	struct mutex mutex;
	/** @engines: the map; constant after creation (or finalisation of a proto-context) */
	struct igen_ctx_engine *engines;
	/** @num_engines: slots in it */
	unsigned int num_engines;
	/** @user_engines: userspace gave the map; else legacy ring selection */
	bool user_engines;
	/** @priority: of its requests; READ_ONCE */
	int priority;
	/** @ring_size: of LRCs made from now on */
	u32 ring_size;
	/** @flags: IGEN_CONTEXT_* bits */
	unsigned long flags;
#define IGEN_CONTEXT_BANNABLE		0
#define IGEN_CONTEXT_RECOVERABLE	1
#define IGEN_CONTEXT_PERSISTENT		2
#define IGEN_CONTEXT_NO_ERROR_CAPTURE	3
#define IGEN_CONTEXT_BANNED		4
#define IGEN_CONTEXT_CLOSED		5
#define IGEN_CONTEXT_SINGLE_TIMELINE	6
#define IGEN_CONTEXT_DRIVER		7	/* the driver's own: never to blame */
	/** @closed_number: its number among the contexts that were closed; constant with IGEN_CONTEXT_CLOSED */
	u64 closed_number;
	/** @guilty_count: hangs it caused */
	atomic_t guilty_count;
	/** @hang_jiffies: when its last two hangs were, older first; under the device's reset mutex */
	unsigned long hang_jiffies[2];
	/** @active_count: hangs in which it ran innocently */
	atomic_t active_count;
	/** @handles: handle to VMA, for execbuf; its own lock is @handles_lock */
	struct xarray handles;
	/** @handles_lock: guards @handles against close */
	struct mutex handles_lock;
	/** @syncobj: with IGEN_CONTEXT_SINGLE_TIMELINE: the last request of any slot; put at release */
	struct drm_syncobj *syncobj;
	/** @shadows: places for checked copies of batches; under @shadows_lock, see uapi/igen_execbuf_shadow.c */
	struct list_head shadows;
	/** @num_shadows: how many; under @shadows_lock */
	unsigned int num_shadows;
	/** @shadows_work: frees idle shadows */
	struct delayed_work shadows_work;
	/** @shadows_lock: guards @shadows; only the device's shadow_owners.lock is taken with it held */
	spinlock_t shadows_lock;
	/** @shadows_listed: @shadows_link is in the device's list; under @shadows_lock */
	bool shadows_listed;
	/** @shadows_link: in the device's shadow_owners if there may be shadows; under shadow_owners.lock */
	struct list_head shadows_link;
	/** @release_work: the last put may come from an interrupt, and lookups are by RCU */
	struct rcu_work release_work;
};

struct igen_context *igen_context_create(struct igen_device *igen, struct igen_vm *vm, unsigned int num_engines);
void igen_context_release(struct kref *ref);

static inline struct igen_context *igen_context_get(struct igen_context *ctx)
{
	kref_get(&ctx->ref);
	return ctx;
}

/* For code that found it by a request under group->lock, until the unlock: NULL when its last reference is gone. */
static inline struct igen_context *igen_context_tryget(struct igen_context *ctx)
{
	return kref_get_unless_zero(&ctx->ref) ? ctx : NULL;
}

static inline void igen_context_put(struct igen_context *ctx)
{
	if (ctx)
		kref_put(&ctx->ref, igen_context_release);
}

void igen_context_kill(struct igen_context *ctx);
void igen_context_leave(struct igen_context *ctx);

/* igen_leftover.c */
void igen_context_note_closed(struct igen_context *ctx);

/* igen_ban.c */
void igen_context_blame(struct igen_context *ctx);

struct igen_lrc *igen_context_lrc(struct igen_context *ctx, unsigned int slot);

#endif
