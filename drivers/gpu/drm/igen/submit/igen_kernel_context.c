// SPDX-License-Identifier: MIT
/**
 * DOC: The driver's own contexts
 *
 * The first thing an engine runs is a context with nothing restored: it writes the context workarounds, on the render
 * engine the null state, and ends. The image that the engine then saves is the default state. All contexts start from
 * it, so no context sees state that another one or firmware has left (KBL Vol 3, "Register State Context"; stock i915
 * does so too). Video and blitter engines save little more than their registers, but are treated alike.
 *
 * The default state is recorded once: the driver keeps a copy in CPU memory, which neither a reset nor a sleep changes.
 *
 * A second context per engine stays: heartbeats run in it.
 */
#include <drm/drm_print.h>
#include <linux/align.h>
#include <linux/delay.h>
#include <linux/slab.h>

#include "../engine/igen_lrc.h"
#include "../engine/igen_workarounds.h"
#include "../igen_device.h"
#include "../mm/igen_vm.h"
#include "igen_submit.h"

/* A bound on a hang: an engine and a host that work take microseconds, or as long as a busy machine makes them wait. */
#define START_SECONDS	10
#define SWITCH_MS	1000
/* A request has at most half of the ring: 2020 dwords here, less what the driver has around it. */
#define FIRST_RING	SZ_16K

static struct igen_context *kernel_context_make(struct igen_engine *engine, u32 ring_size)
{
	struct igen_context *ctx;
	struct igen_lrc *lrc;

	ctx = igen_context_create(engine->igen, engine->igen->kernel_vm, 1);
	if (IS_ERR(ctx))
		return ctx;

	__set_bit(IGEN_CONTEXT_DRIVER, &ctx->flags);
	ctx->engines[0].engine = engine;
	ctx->ring_size = ring_size;
	lrc = igen_context_lrc(ctx, 0);
	if (IS_ERR(lrc)) {
		igen_context_put(ctx);
		return ERR_CAST(lrc);
	}

	return ctx;
}

/* The context is saved when the engine has become idle, which is after its last request has completed. */
static int kernel_context_wait_switched(struct igen_engine *engine, struct igen_lrc *lrc)
{
	unsigned int ms;
	bool left;

	for (ms = 0; ms < SWITCH_MS; ms++) {
		spin_lock_irq(&engine->group->lock);
		left = igen_lrc_has_left(lrc);
		spin_unlock_irq(&engine->group->lock);
		if (left && igen_engine_is_idle(engine))
			return 0;
		usleep_range(1000, 2000);
	}

	return -ETIME;
}

static int kernel_context_run_first(struct igen_engine *engine, struct igen_lrc *lrc, const u32 *state,
				    unsigned int state_dwords)
{
	const struct igen_device *igen = engine->igen;
	const struct igen_reg_write *rows = igen->platform->ctx_workarounds[engine->info->class];
	unsigned int dwords = igen_count_lri(igen, rows), second;
	struct igen_request *rq;
	long left = 0;
	u32 *cs;
	int err;

	rq = igen_request_create(lrc, ALIGN(dwords, 2) + state_dwords, false);
	if (IS_ERR(rq))
		return PTR_ERR(rq);

	if (dwords) {
		cs = igen_request_emit(rq, dwords);
		if (cs)
			igen_emit_lri(igen, rows, cs);
	}
	if (state_dwords) {
		cs = igen_request_emit(rq, state_dwords);
		if (cs)
			memcpy(cs, state, state_dwords * sizeof(*cs));
	}
	igen_request_add(rq);

	/* Second by second: when a virtual machine has stood still, with its GPU, that counts as one second at most. */
	for (second = 0; second < START_SECONDS && !left; second++)
		left = dma_fence_wait_timeout(&rq->fence, false, HZ);
	if (left > 0)
		err = rq->fence.error ?: kernel_context_wait_switched(engine, lrc);
	else
		err = left ?: -ETIME;
	igen_request_put(rq);
	return err;
}

static int kernel_context_record_default(struct igen_engine *engine)
{
	struct igen_context *ctx;
	unsigned int dwords;
	u32 *state;
	int err;

	state = igen_null_state_create(engine, &dwords);
	if (IS_ERR(state)) {
		drm_err(&engine->igen->drm, "%s: no null state: %ld\n", engine->info->name, PTR_ERR(state));
		return PTR_ERR(state);
	}

	ctx = kernel_context_make(engine, FIRST_RING);
	if (IS_ERR(ctx)) {
		kfree(state);
		return PTR_ERR(ctx);
	}

	err = kernel_context_run_first(engine, ctx->engines[0].lrc, state, dwords);
	kfree(state);
	if (err)
		drm_err(&engine->igen->drm, "%s: the first context does not complete: %d\n", engine->info->name, err);
	else
		err = igen_lrc_record_default(ctx->engines[0].lrc);

	igen_context_put(ctx);
	return err;
}

/**
 * igen_kernel_contexts_init - records each engine's default state and makes the driver's context for it
 * @igen: the device; its engines run
 *
 * May sleep.
 *
 * Return: 0; -ETIME or -EIO when an engine does not execute its first request; -ENOMEM, -ENOSPC. After an error
 * igen_kernel_contexts_fini() frees the contexts that were made until then.
 */
int igen_kernel_contexts_init(struct igen_device *igen)
{
	struct igen_engine *engine;
	struct igen_context *ctx;
	struct igen_vm *vm;
	unsigned int id;
	int err;

	vm = igen_ppgtt_create(igen, NULL);
	if (IS_ERR(vm))
		return PTR_ERR(vm);
	igen->kernel_vm = vm;

	for_each_engine(igen, id, engine) {
		err = kernel_context_record_default(engine);
		if (err)
			return err;

		err = igen_inject_probe_error(igen, "default state");
		if (err)
			return err;

		ctx = kernel_context_make(engine, SZ_4K);
		if (IS_ERR(ctx))
			return PTR_ERR(ctx);
		engine->kernel_context = ctx;

		err = igen_inject_probe_error(igen, "kernel context");
		if (err)
			return err;

		err = igen_eu_clear_create(engine);
		if (err)
			return err;
	}

	return 0;
}

/**
 * igen_kernel_contexts_fini - undoes igen_kernel_contexts_init(), as far as it came
 * @igen: the device; nothing is submitted any more
 */
void igen_kernel_contexts_fini(struct igen_device *igen)
{
	struct igen_engine *engine;
	struct igen_context *ctx;
	unsigned int id;

	for_each_engine(igen, id, engine) {
		/* A file that is being closed may be about to send a pulse in it. */
		mutex_lock(&engine->heartbeat_mutex);
		ctx = engine->kernel_context;
		engine->kernel_context = NULL;
		mutex_unlock(&engine->heartbeat_mutex);
		igen_context_put(ctx);
		igen_eu_clear_destroy(engine);
	}

	igen_vm_put(igen->kernel_vm);
	igen->kernel_vm = NULL;
}
