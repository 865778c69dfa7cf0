// SPDX-License-Identifier: MIT
/**
 * DOC: Reset
 *
 * The driver resets an engine that does not yield by itself: it asks the engine to get ready (RESET_CTL) and writes the
 * engine's domain in GDRST, which the hardware clears when it is done (public Gen9 PRM Vol 2c, RESET_CTL and GDRST).
 * The request that hung completes with -EIO, its batch blanked out (igen_skip.c). All others run as if nothing had
 * happened.
 *
 * ::
 *
 *   hang found --> suspect noted --> error state --> engine reset --> requests submitted again
 *                  (igen_suspect.c)                      | fails
 *                                                        v
 *                                                    full reset ---> uevents (igen_uevent.c)
 *                                                        | fails
 *                                                        v
 *                                                  GPU wedged (igen_wedge.c)
 */
#include <linux/ratelimit.h>

#include "../igen_device.h"
#include "../igen_trace.h"
#include "../mm/igen_fence_reg.h"
#include "igen_reset.h"
#include "igen_submit.h"

/* A client can cause any number of resets, and each writes a line or two. */
static DEFINE_RATELIMIT_STATE(reset_messages, 5 * HZ, 40);

/*
 * Takes an engine's requests back after the hardware was reset. @stalled: the engine's suspect is guilty, or if there
 * is none the request that ran.
 */
static void reset_unwind_engine(struct igen_engine *engine, bool stalled)
{
	const struct igen_submit_ops *ops = engine->igen->platform->submit;
	struct igen_context *ctx = NULL;
	struct igen_engine_state state;
	struct igen_request *rq, *forger;
	bool again;

	spin_lock_irq(&engine->group->lock);
	ops->state(engine, false, &state);
	rq = state.active;
	/* A request that waits for another engine by semaphore has not begun. */
	if (rq && igen_semaphore_waits(rq))
		stalled = false;
	/* The suspect ended while the engine was being stopped. */
	if (engine->suspect && !igen_suspect_is_in(&state, engine->suspect))
		stalled = false;
	/* A batch that wrote the engine's events is guilty, whatever other request seemed to hang by these events. */
	forger = ops->forger ? ops->forger(engine) : NULL;
	if (forger) {
		rq = forger;
		stalled = true;
	}
	/* Without its batch the request only ends: the engine is slow, and the hang has been counted. */
	again = rq && !forger && igen_request_is_skipped(rq);
	if (rq)
		ctx = igen_context_tryget(rq->context);
	/* The context is freed already if its last request has just ended. */
	if (!ctx)
		stalled = false;
	if (stalled && __ratelimit(&reset_messages))
		drm_notice(&engine->igen->drm, "%s: request %llu of context %u (%s) %s\n", engine->info->name,
			   rq->fence.seqno, ctx->id, rq->driver ? "driver" : "client",
			   forger ? "has forged the engine's events" : "hung");
	if (stalled)
		igen_request_get(rq);
	trace_igen_engine_reset(engine, stalled ? rq : NULL);
	ops->reset(engine, stalled);
	if (stalled) {
		igen_queue_note_hang(engine, rq, state.since);
		igen_request_put(rq);
	}
	/* Failures that were found before the reset are over. */
	WRITE_ONCE(engine->resets, engine->resets + 1);
	xchg(&engine->failures, 0);
	spin_unlock_irq(&engine->group->lock);

	if (ctx && stalled && !again)
		igen_context_blame(ctx);
	else if (ctx && !stalled)
		atomic_inc(&ctx->active_count);
	igen_context_put(ctx);
}

/**
 * igen_reset_engines - reset some engines
 * @igen: the device
 * @engines: mask of engines, by enum igen_engine_id
 * @stalled: those of them whose suspect, or without one whose running request, is guilty
 * @domains: bits of GDRST
 * @full: the whole GPU is reset, so that registers outside of the engines have to be programmed again
 *
 * Return: 0, or why the hardware does not work.
 * Context: may sleep; reset_mutex held.
 */
int igen_reset_engines(struct igen_device *igen, u32 engines, u32 stalled, u32 domains, bool full)
{
	const struct igen_submit_ops *ops = igen->platform->submit;
	struct igen_engine *engine;
	unsigned int id;
	int ret;

	ret = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	if (ret)
		return ret;
	for_each_engine(igen, id, engine) {
		if ((engines & BIT(id)) && ops->reset_prepare(engine))
			drm_dbg(&igen->drm, "%s: does not stop\n", engine->info->name);
	}
	/* An error state has the fault already. */
	igen->platform->error->clear_faults(igen);
	if (full)
		igen_fence_regs_revoke(&igen->ggtt);
	ret = igen_reset_hardware(igen, domains);
	if (full)
		igen_ggtt_restore(igen);
	if (!ret) {
		if (full)
			igen_gt_resume(igen);
		for_each_engine(igen, id, engine) {
			if (!(engines & BIT(id)))
				continue;
			reset_unwind_engine(engine, stalled & BIT(id));
			ret = ret ?: igen_engine_resume(engine);
		}
	}
	if (!ret) {
		for_each_engine(igen, id, engine) {
			if (engines & BIT(id))
				ops->reset_finish(engine);
		}
	}
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	return ret;
}

/**
 * igen_reset_kind - tell what a hang is answered with
 * @igen: the device
 *
 * Return: 0: the GPU is given up; 1: all of it is reset; 2: an engine alone, as root and the platform have it.
 * Context: any.
 */
unsigned int igen_reset_kind(const struct igen_device *igen)
{
	return min(READ_ONCE(igen->params.reset), igen->platform->reset->engines ? 2u : 1u);
}

/**
 * igen_reset_all - name all engines of a device
 * @igen: the device
 *
 * Return: mask of engines, by enum igen_engine_id.
 */
u32 igen_reset_all(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;
	u32 mask = 0;

	for_each_engine(igen, id, engine)
		mask |= BIT(id);
	return mask;
}

/* Resets all engines together, and wedges the GPU when that fails. reset_mutex held. */
static int reset_gpu_locked(struct igen_device *igen, u32 stalled, const char *reason)
{
	int ret;

	if (__ratelimit(&reset_messages))
		drm_notice(&igen->drm, "resetting the GPU: %s\n", reason);
	igen_uevent_note(igen, IGEN_UEVENT_HANG);
	igen_uevent_note(igen, IGEN_UEVENT_RESET);
	ret = igen_reset_kind(igen) ? 0 : -ENODEV;
	if (!ret) {
		trace_igen_gpu_reset(igen, stalled);
		ret = igen_reset_engines(igen, igen_reset_all(igen), stalled, ~0u, true);
	}
	if (ret) {
		drm_err(&igen->drm, "the GPU is wedged, since it cannot be reset: %d\n", ret);
		igen_wedge_locked(igen);
		return ret;
	}
	atomic_inc(&igen->reset_count);
	igen_uevent_note(igen, IGEN_UEVENT_WORKS);
	return 0;
}

/**
 * igen_gpu_reset - reset all engines together
 * @igen: the device, which a reference keeps awake
 * @reason: for the log
 *
 * Engines that have work are taken to hang.
 *
 * Return: 0, or the error for which the GPU was wedged.
 * Context: may sleep; takes the reset mutex.
 */
int igen_gpu_reset(struct igen_device *igen, const char *reason)
{
	struct igen_engine *engine;
	unsigned int id;
	u32 stalled = 0;
	int ret;

	mutex_lock(&igen->reset_mutex);
	for_each_engine(igen, id, engine) {
		spin_lock_irq(&engine->group->lock);
		if (igen_scheduler_active(engine))
			stalled |= BIT(id);
		spin_unlock_irq(&engine->group->lock);
	}
	ret = -EIO;
	if (!igen->wedged) {
		igen_capture(igen, stalled, reason);
		ret = reset_gpu_locked(igen, stalled, reason);
	}
	mutex_unlock(&igen->reset_mutex);
	return ret;
}

/*
 * Resets one engine, or all if that fails. @stalled: the suspect is guilty, or if there is none the request that runs.
 * @capture: make an error state, if there is none yet.
 */
static int reset_one(struct igen_engine *engine, const struct igen_suspect *suspect, bool stalled, const char *reason,
		     bool capture)
{
	struct igen_device *igen = engine->igen;
	u32 mask = BIT(engine->info->id);
	int ret = -EIO;

	/* A device that sleeps does not hang. It is not woken, since waking may allocate memory. */
	if (!igen_rpm_get_if_awake(igen))
		return READ_ONCE(igen->wedged) ? -EIO : 0;

	mutex_lock(&igen->reset_mutex);
	if (igen->wedged)
		goto unlock;
	ret = 0;
	if (suspect && igen_suspect_is_over(engine, suspect))
		goto unlock;
	if (suspect && stalled && igen_suspect_is_innocent(engine, suspect)) {
		reason = "an event of it was lost";
		stalled = false;
		capture = false;
	}
	if (capture)
		igen_capture(igen, mask, reason);
	/* The hang may have ended during the capture. */
	if (suspect && igen_suspect_is_over(engine, suspect))
		goto unlock;
	engine->suspect = suspect;
	ret = -EIO;
	if (igen_reset_kind(igen) > 1) {
		if (__ratelimit(&reset_messages))
			drm_notice(&igen->drm, "resetting %s: %s\n", engine->info->name, reason);
		ret = igen_reset_engines(igen, mask, stalled ? mask : 0, engine->info->reset_domain, false);
	}
	if (ret)
		ret = reset_gpu_locked(igen, stalled ? mask : 0, reason);
	engine->suspect = NULL;
unlock:
	mutex_unlock(&igen->reset_mutex);
	igen_rpm_put(igen);
	return ret;
}

/**
 * igen_engine_reset - reset an engine that hangs
 * @engine: the engine
 * @reason: for the log
 * @capture: make an error state, if there is none yet
 *
 * Falls back to a full reset, and wedges the GPU when that fails.
 *
 * Return: 0, or the error for which the GPU was wedged.
 * Context: may sleep; takes the reset mutex.
 */
int igen_engine_reset(struct igen_engine *engine, const char *reason, bool capture)
{
	return reset_one(engine, NULL, true, reason, capture);
}

/**
 * igen_engine_hung - reset an engine that was found to hang
 * @engine: the engine
 * @suspect: what the engine hung in; dropped here
 * @reason: for the log
 *
 * As igen_engine_reset(), but does nothing if the engine was reset meanwhile or has left the suspect by itself.
 *
 * Return: 0, or the error for which the GPU was wedged.
 * Context: may sleep; takes the reset mutex.
 */
int igen_engine_hung(struct igen_engine *engine, struct igen_suspect *suspect, const char *reason)
{
	int ret = reset_one(engine, suspect, true, reason, true);

	igen_suspect_drop(suspect);
	return ret;
}

/**
 * igen_engine_restart - reset an engine whose state the driver has lost track of
 * @engine: the engine
 * @resets: engine->resets at the moment when the driver noticed
 * @reason: for the log
 *
 * As igen_engine_reset(), but the request that runs is innocent, and starts again. Does nothing if the engine was reset
 * meanwhile.
 *
 * Return: 0, or the error for which the GPU was wedged.
 * Context: may sleep; takes the reset mutex.
 */
int igen_engine_restart(struct igen_engine *engine, unsigned int resets, const char *reason)
{
	const struct igen_suspect none = { .resets = resets, .certain = true };

	return reset_one(engine, &none, false, reason, false);
}

/**
 * igen_reset_init - prepare for resets
 * @igen: the device
 */
void igen_reset_init(struct igen_device *igen)
{
	mutex_init(&igen->reset_mutex);
	igen_wedge_init(igen);
	igen_uevent_init(igen);
}

/**
 * igen_reset_fini - wait for the workers of resets
 * @igen: the device, to which nothing is submitted any more
 *
 * Context: may sleep.
 */
void igen_reset_fini(struct igen_device *igen)
{
	igen_wedge_fini(igen);
	igen_uevent_flush(igen);
	mutex_destroy(&igen->reset_mutex);
}
