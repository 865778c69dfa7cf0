// SPDX-License-Identifier: MIT
/**
 * DOC: Contexts: life and death
 *
 * A context makes the LRC of a slot when it is first used and keeps it. The last reference may be dropped where one
 * cannot sleep; an RCU grace period and a worker later the LRCs and the address space go. Killing a context bans it, so
 * that nothing of it starts any more, and takes off the engines what is there: a pulse of highest priority makes what
 * runs yield, and where it does not yield the engine is reset.
 */
#include <drm/drm_drv.h>
#include <drm/drm_syncobj.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "../igen_trace.h"
#include "../mm/igen_budget.h"
#include "../mm/igen_vm.h"
#include "igen_submit.h"

static size_t context_bytes(unsigned int num_engines)
{
	return sizeof(struct igen_context) + num_engines * sizeof(struct igen_ctx_engine);
}

static void release_work(struct work_struct *work)
{
	struct igen_context *ctx = container_of(to_rcu_work(work), struct igen_context, release_work);
	unsigned int slot;

	trace_i915_context_free(ctx);
	igen_client_remove_context(ctx);
	for (slot = 0; slot < ctx->num_engines; slot++) {
		struct igen_lrc *lrc = ctx->engines[slot].lrc;

		if (lrc) {
			igen_lrc_untrack(lrc);
			igen_lrc_put(lrc);
		}
	}
	if (ctx->syncobj)
		drm_syncobj_put(ctx->syncobj);
	if (ctx->vm)
		igen_budget_uncharge(ctx->vm->budget, context_bytes(ctx->num_engines));
	igen_vm_put(ctx->vm);

	xa_destroy(&ctx->handles);
	mutex_destroy(&ctx->handles_lock);
	mutex_destroy(&ctx->mutex);
	kfree(ctx->engines);
	drm_dev_put(&ctx->igen->drm);
	kfree(ctx);
}

/**
 * igen_context_create - a bare context
 * @igen: the device
 * @vm: its address space, or NULL for the driver's own contexts that have none; counted here
 * @num_engines: slots in its map; all are invalid until the caller fills them in, before it publishes the context
 *
 * Return: the context with one reference, or ERR_PTR(-ENOMEM). May sleep.
 */
struct igen_context *igen_context_create(struct igen_device *igen, struct igen_vm *vm, unsigned int num_engines)
{
	struct igen_context *ctx;

	if (vm && igen_budget_charge_room(igen, vm->budget, context_bytes(num_engines)))
		return ERR_PTR(-ENOMEM);
	ctx = kzalloc(sizeof(*ctx), IGEN_GFP_CLIENT);
	if (!ctx)
		goto err_uncharge;
	/* A map may be empty. */
	ctx->engines = kcalloc(num_engines, sizeof(*ctx->engines), IGEN_GFP_CLIENT);
	if (!ctx->engines)
		goto err_free;

	kref_init(&ctx->ref);
	ctx->igen = igen;
	ctx->pid = task_pid_nr(current);
	get_task_comm(ctx->comm, current);
	snprintf(ctx->name, sizeof(ctx->name), "%s[%d]", ctx->comm, ctx->pid);
	ctx->vm = vm ? igen_vm_get(vm) : NULL;
	ctx->num_engines = num_engines;
	ctx->priority = IGEN_PRIORITY_NORMAL;
	ctx->ring_size = SZ_16K;
	mutex_init(&ctx->mutex);
	mutex_init(&ctx->handles_lock);
	xa_init_flags(&ctx->handles, XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&ctx->shadows);
	spin_lock_init(&ctx->shadows_lock);
	INIT_RCU_WORK(&ctx->release_work, release_work);
	drm_dev_get(&igen->drm);
	trace_i915_context_create(ctx);
	return ctx;

err_free:
	kfree(ctx);
err_uncharge:
	if (vm)
		igen_budget_uncharge(vm->budget, context_bytes(num_engines));
	return ERR_PTR(-ENOMEM);
}

/**
 * igen_context_release - the last reference is gone
 * @ref: igen_context.ref
 *
 * Any context.
 */
void igen_context_release(struct kref *ref)
{
	struct igen_context *ctx = container_of(ref, struct igen_context, ref);

	queue_rcu_work(igen_release_wq, &ctx->release_work);
}

/**
 * igen_context_lrc - the LRC of a slot
 * @ctx: the context
 * @slot: one of its slots, with an engine
 *
 * Makes it at first use. May sleep; takes ctx->mutex.
 *
 * Return: the LRC, held by the context; ERR_PTR.
 */
struct igen_lrc *igen_context_lrc(struct igen_context *ctx, unsigned int slot)
{
	struct igen_ctx_engine *ce = &ctx->engines[slot];
	struct igen_lrc *lrc;

	/* Pairs with the release below: with the pointer comes what it points at. */
	lrc = smp_load_acquire(&ce->lrc);
	if (likely(lrc))
		return lrc;

	mutex_lock(&ctx->mutex);
	lrc = ce->lrc;
	if (!lrc) {
		lrc = igen_lrc_create(ce->engine, ctx, ctx->vm, ctx->ring_size);
		if (!IS_ERR(lrc)) {
			if (ce->siblings)
				igen_lrc_balance(lrc, ce->siblings);
			/* The driver's own contexts are used where the code cannot wait. */
			if (!test_bit(IGEN_CONTEXT_DRIVER, &ctx->flags))
				igen_lrc_track(lrc);
			smp_store_release(&ce->lrc, lrc);	/* pairs with the acquires of its users */
		}
	}
	mutex_unlock(&ctx->mutex);

	return lrc;
}

/* Moves an LRC to an engine. From then on the backend checks anew what that engine has of the LRC. */
static struct igen_engine *engine_of(struct igen_lrc *lrc)
{
	struct igen_engine *engine;

	spin_lock_irq(&lrc->group->lock);
	engine = lrc->engine;
	spin_unlock_irq(&lrc->group->lock);
	return engine;
}

/* Has the heartbeat's worker evict a closed or banned context: from all engines, or from those without a heartbeat. */
static void evict(struct igen_context *ctx, bool everywhere)
{
	struct igen_request *rq;
	struct igen_engine *engine;
	struct igen_lrc *lrc;
	unsigned int slot;

	for (slot = 0; slot < ctx->num_engines; slot++) {
		/* Pairs with the release in igen_context_lrc(). */
		lrc = smp_load_acquire(&ctx->engines[slot].lrc);
		rq = lrc ? igen_lrc_newest(lrc, jiffies) : NULL;
		if (!rq)
			continue;
		igen_request_put(rq);
		engine = engine_of(lrc);
		if (everywhere || !READ_ONCE(engine->props.heartbeat_interval_ms))
			igen_heartbeat_evict(engine);
	}
}

/**
 * igen_context_kill - ends all that a context has on the GPU, and lets nothing follow
 * @ctx: the context
 *
 * From now on igen_request_create() fails with -EIO, and igen_request_add() skips the batch. The engine is preempted,
 * or reset if the context does not yield. Does not wait for the end. May sleep.
 */
void igen_context_kill(struct igen_context *ctx)
{
	set_bit(IGEN_CONTEXT_BANNED, &ctx->flags);
	evict(ctx, true);
}

/**
 * igen_context_leave - end a context's requests on engines without heartbeats, which would not find a hang
 * @ctx: the context, just closed
 *
 * Does not wait for the end. May sleep.
 */
void igen_context_leave(struct igen_context *ctx)
{
	evict(ctx, false);
}
