// SPDX-License-Identifier: MIT
/**
 * DOC: Reset
 *
 * An engine that does not yield is reset alone: it is asked to get ready (RESET_CTL), its domain in GDRST is written,
 * and the bit clears when the hardware is done (public Gen9 PRM Vol 2c, RESET_CTL and GDRST). The request that hung
 * completes with -EIO, its batch blanked out; all others run as if nothing had happened. When that fails all engines
 * are reset together; when that fails too the GPU is given up ("wedged"): everything completes with -EIO until
 * somebody asks for another try.
 */

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/delay.h>
#include <linux/kobject.h>

#include <igen/regs/gtt.h>

#include "../igen_device.h"
#include "../mm/igen_fence_reg.h"
#include "igen_submit.h"

/* For so long an event may be on its way. */
#define EVENT_LATENCY_US	1000

/* For so many lost events somebody may seem to hang and is not to blame. */
#define MAX_SPARED	2

/**
 * igen_request_is_skipped - ask whether a request does nothing but complete
 * @rq: the request
 *
 * Return: true when it failed before it was done.
 * Context: any.
 */
bool igen_request_is_skipped(const struct igen_request *rq)
{
	int error = READ_ONCE(rq->fence.error);

	/* That it has waited in vain (igen_await.c) does not keep it from running. */
	return error && error != -ETIMEDOUT;
}

static void set_error(struct igen_request *rq, int error)
{
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags) && !igen_request_is_skipped(rq))
		dma_fence_set_error(&rq->fence, error);
}

/**
 * igen_request_verdict - ask whether a request is to run
 * @rq: the request, not completed
 * @engine: where
 *
 * Return: 0; -EIO when its context is banned, or closed where nobody would find out that it hangs; -EINTR when it has
 * run for too long.
 * Context: any.
 */
int igen_request_verdict(const struct igen_request *rq, const struct igen_engine *engine)
{
	unsigned long flags = READ_ONCE(rq->context->flags);

	if (unlikely(flags & BIT(IGEN_CONTEXT_BANNED)))
		return -EIO;
	if (unlikely(flags & BIT(IGEN_CONTEXT_CLOSED)) && !READ_ONCE(engine->props.heartbeat_interval_ms))
		return -EIO;
	return unlikely(rq->expired) ? -EINTR : 0;
}

/**
 * igen_request_skip - make a request do nothing but complete
 * @rq: the request; the engine does not have it, or is stopped
 * @error: what its fence reports
 *
 * Its batch and what else it was to do are overwritten by NOOPs. What comes before its infix stays, and so does the
 * driver's own end: it completes in its turn.
 *
 * Context: any; group->lock held once it was handed over.
 */
void igen_request_skip(struct igen_request *rq, int error)
{
	struct igen_lrc *lrc = rq->lrc;

	set_error(rq, error);

	if (rq->infix <= rq->postfix) {
		memset(lrc->ring_vaddr + rq->infix, 0, rq->postfix - rq->infix);
	} else {
		memset(lrc->ring_vaddr + rq->infix, 0, lrc->ring_size - rq->infix);
		memset(lrc->ring_vaddr, 0, rq->postfix);
	}
}

/* What whoever listens is told. As with stock i915 the reset of a single engine makes no event. */
enum uevent {
	UEVENT_HANG,
	UEVENT_RESET,
	UEVENT_WORKS,
};

static const char * const uevents[] = {
	[UEVENT_HANG] = "ERROR=1",
	[UEVENT_RESET] = "RESET=1",
	[UEVENT_WORKS] = "ERROR=0",
};

static void uevent_work(struct work_struct *work)
{
	struct igen_device *igen = container_of(work, struct igen_device, uevent_work);
	char *envp[2] = {};
	u8 what;
	int idx;

	while (kfifo_get(&igen->uevents, &what)) {
		envp[0] = (char *)uevents[what];
		if (!drm_dev_enter(&igen->drm, &idx))
			continue;
		kobject_uevent_env(&igen->drm.primary->kdev->kobj, KOBJ_CHANGE, envp);
		drm_dev_exit(idx);
	}
}

/* An event takes memory, and reclaim may be waiting for the very reset: somebody else sends it. reset_mutex held. */
static void note_uevent(struct igen_device *igen, enum uevent what)
{
	lockdep_assert_held(&igen->reset_mutex);

	/* A reset while the device is being probed interests nobody. */
	if (!igen->drm.registered)
		return;
	if (!kfifo_put(&igen->uevents, what))
		drm_notice(&igen->drm, "event %s is not sent, since others wait\n", uevents[what]);
	queue_work(system_unbound_wq, &igen->uevent_work);
}

/**
 * igen_suspect_note - note what an engine is in, since it is found to hang
 * @engine: the engine
 * @suspect: to fill
 *
 * Context: group->lock held.
 */
void igen_suspect_note(struct igen_engine *engine, struct igen_suspect *suspect)
{
	const struct igen_submit_ops *ops = engine->igen->platform->submit;
	struct igen_request *rq = ops->active(engine);

	*suspect = (struct igen_suspect) {
		.rq = rq ? igen_request_get(rq) : NULL,
		.moves = ops->moves(engine),
		.resets = engine->resets,
	};
}

/**
 * igen_suspect_drop - nothing came of a suspicion
 * @suspect: what igen_suspect_note() filled
 *
 * Context: any.
 */
void igen_suspect_drop(struct igen_suspect *suspect)
{
	if (suspect->rq)
		igen_request_put(suspect->rq);
	suspect->rq = NULL;
}

/* Is the engine where it was, without having been anywhere else? group->lock held. */
static bool is_still_in(struct igen_engine *engine, const struct igen_suspect *suspect)
{
	const struct igen_submit_ops *ops = engine->igen->platform->submit;

	return ops->active(engine) == suspect->rq && ops->moves(engine) == suspect->moves;
}

/* Puts an engine's requests in order after the hardware was reset. stalled: what ran is to blame, or the suspect. */
static void unwind_engine(struct igen_engine *engine, bool stalled)
{
	struct igen_context *ctx = NULL;
	struct igen_request *rq;

	spin_lock_irq(&engine->group->lock);
	rq = engine->igen->platform->submit->active(engine);
	/* What waits for another engine has not begun. */
	if (rq && igen_semaphore_waits(rq))
		stalled = false;
	/* It ended while the engine was being stopped. */
	if (engine->suspect && !is_still_in(engine, engine->suspect))
		stalled = false;
	if (rq)
		ctx = igen_context_tryget(rq->context);
	/* A context is gone whose last request has just ended. */
	if (!ctx)
		stalled = false;
	if (stalled)
		drm_notice(&engine->igen->drm, "%s: request %llu of context %u (%s) hung\n", engine->info->name,
			   rq->fence.seqno, ctx->id, rq->driver ? "driver" : "client");
	engine->igen->platform->submit->reset(engine, stalled);
	/* What was found wrong with it before is over. */
	WRITE_ONCE(engine->resets, engine->resets + 1);
	xchg(&engine->failures, 0);
	spin_unlock_irq(&engine->group->lock);

	if (ctx && stalled)
		igen_context_blame(ctx);
	else if (ctx)
		atomic_inc(&ctx->active_count);
	igen_context_put(ctx);
}

/* The hardware keeps the first fault until it is told to look for another. Forcewake is held. */
static void clear_fault(struct igen_device *igen)
{
	u32 fault = igen_read(igen, RING_FAULT_REG);

	if (!(fault & RING_FAULT_VALID))
		return;
	drm_dbg(&igen->drm, "fault 0x%08x, data 0x%08x %08x\n", fault, igen_read(igen, FAULT_TLB_DATA1),
		igen_read(igen, FAULT_TLB_DATA0));
	igen_rmw(igen, RING_FAULT_REG, RING_FAULT_VALID, 0);
}

/* Resets the engines of a mask; stalled: those of them that hang. reset_mutex held. */
static int reset_engines(struct igen_device *igen, u32 engines, u32 stalled, u32 domains, bool full)
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
	/* It was captured, if it was to be. */
	clear_fault(igen);
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
			unwind_engine(engine, stalled & BIT(id));
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

static u32 all_engines(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;
	u32 mask = 0;

	for_each_engine(igen, id, engine)
		mask |= BIT(id);
	return mask;
}

/* Signals all that is queued or in flight on an engine, oldest first on each timeline. */
static void fail_engine(struct igen_engine *engine)
{
	struct igen_request *rq, *next;
	LIST_HEAD(waits);
	LIST_HEAD(all);

	spin_lock_irq(&engine->group->lock);
	list_splice_tail_init(&engine->inflight, &all);
	list_splice_tail_init(&engine->queue, &all);
	list_for_each_entry(rq, &all, link) {
		/* What has completed may be signaled by others at this moment, and has done its work. */
		if (!igen_request_completed(rq)) {
			set_error(rq, -EIO);
			/* Who makes the GPU work again does not want this to run then. */
			igen_lrc_discard(rq->lrc, rq->started);
		}
		rq->started = true;
		rq->queued = false;
		list_splice_tail_init(&rq->exec_waits, &waits);
		igen_scheduler_begin(engine, rq);
	}
	/* Only now: from here on they count as completed, and may be retired. */
	list_for_each_entry(rq, &all, link) {
		if (!igen_request_completed(rq))
			WRITE_ONCE(*(u32 *)rq->hwsp_seqno, lower_32_bits(rq->fence.seqno));
	}
	spin_unlock_irq(&engine->group->lock);

	igen_await_run_started(&waits);
	list_for_each_entry_safe(rq, next, &all, link) {
		list_del_init(&rq->link);
		dma_fence_signal(&rq->fence);
		igen_request_put(rq);
	}
	igen_breadcrumbs_signal(engine);
}

/* The hardware, which may be stuck, writes no memory from now on; false if it can't be stopped. reset_mutex held. */
static bool halt_hardware(struct igen_device *igen)
{
	int err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);

	if (!err) {
		igen_fence_regs_revoke(&igen->ggtt);
		err = igen_reset_hardware(igen, ~0u);
		/* Mappings through the aperture go on being used. */
		igen_ggtt_restore(igen);
		igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	}
	if (err)
		drm_err(&igen->drm, "the GPU can't be stopped: %d\n", err);
	return !err;
}

/* All engines are done with what they had, and rest. reset_mutex held. */
static void empty_ports(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	for_each_engine(igen, id, engine) {
		spin_lock_irq(&engine->group->lock);
		igen->platform->submit->reset(engine, false);
		spin_unlock_irq(&engine->group->lock);
	}
}

/* Gives up the GPU; false if it was already. reset_mutex held. */
static bool wedge_locked(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;
	bool halted;

	lockdep_assert_held(&igen->reset_mutex);
	if (READ_ONCE(igen->wedged))
		return false;

	WRITE_ONCE(igen->wedged, true);
	/* All of them, before one sees the end of what another has not done. */
	for_each_engine(igen, id, engine)
		igen->platform->submit->reset_prepare(engine);
	/* What is completed gives its memory back, in which an engine that does not stop would go on. */
	halted = halt_hardware(igen);
	/* Whoever did not see the flag is in the queue once the lock has been held. */
	for_each_engine(igen, id, engine)
		fail_engine(engine);
	/* What the hardware has forgotten does not keep the GT awake. */
	if (halted)
		empty_ports(igen);
	return true;
}

/**
 * igen_wedge - give up the GPU
 * @igen: the device, which is awake
 * @reason: for the log
 *
 * All that was submitted completes with -EIO, and so will all that comes.
 *
 * Context: may sleep; takes the reset mutex.
 */
void igen_wedge(struct igen_device *igen, const char *reason)
{
	drm_err(&igen->drm, "the GPU is given up (%s): all submissions fail from now on\n", reason);

	mutex_lock(&igen->reset_mutex);
	wedge_locked(igen);
	mutex_unlock(&igen->reset_mutex);
}

/**
 * igen_submit_stop - take everything off the hardware, for removal or suspend
 * @igen: the device, which a reference keeps awake
 *
 * What has not completed fails with -EIO, and so does all that comes until igen_unwedge(). Afterwards the hardware
 * is reset and knows no context.
 *
 * Context: may sleep; takes the reset mutex.
 */
void igen_submit_stop(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	mutex_lock(&igen->reset_mutex);
	/* What did not stop then may do so now. */
	if (!wedge_locked(igen))
		halt_hardware(igen);
	empty_ports(igen);
	mutex_unlock(&igen->reset_mutex);

	for_each_engine(igen, id, engine)
		igen_heartbeat_stop(engine);
	igen_retire(igen);
	igen_governor_stop(igen);
	igen_power_disable(igen);
}

/**
 * igen_submit_restart - programs engines that were idle and have lost their registers
 * @igen: the device, just being woken; what the GGTT shows is in place
 *
 * One that was given up stays so.
 *
 * Return: 0, or why the hardware does not work.
 * Context: may sleep; takes the reset mutex.
 */
int igen_submit_restart(struct igen_device *igen)
{
	int ret = 0;

	mutex_lock(&igen->reset_mutex);
	if (!igen->wedged) {
		ret = igen_reset_hardware(igen, ~0u);
		empty_ports(igen);
		igen_ggtt_restore(igen);
		ret = ret ?: igen_engines_resume(igen);
	}
	mutex_unlock(&igen->reset_mutex);
	return ret;
}

/* What became ready just when the GPU was taken into use again, and fails, comes to its end. reset_mutex held. */
static void look_after(struct igen_engine *engine)
{
	spin_lock_irq(&engine->group->lock);
	if (!list_empty(&engine->queue) || !list_empty(&engine->inflight)) {
		igen_heartbeat_arm(engine);
		engine->igen->platform->submit->submit(engine);
	}
	spin_unlock_irq(&engine->group->lock);
	igen_breadcrumbs_signal(engine);
}

/**
 * igen_unwedge - try once more
 * @igen: the device, which a reference keeps awake
 *
 * Return: whether the GPU works again.
 * Context: may sleep; takes the reset mutex.
 */
bool igen_unwedge(struct igen_device *igen)
{
	u32 all = all_engines(igen);
	struct igen_engine *engine;
	bool works = true;
	unsigned int id;

	mutex_lock(&igen->reset_mutex);
	if (igen->wedged) {
		/* That was still to be done. */
		for_each_engine(igen, id, engine)
			fail_engine(engine);
		works = !reset_engines(igen, all, 0, ~0u, true);
		if (works) {
			WRITE_ONCE(igen->wedged, false);
			/* With what was asked for while there was no GPU. */
			igen_irq_restore(igen);
			for_each_engine(igen, id, engine)
				look_after(engine);
		}
	}
	mutex_unlock(&igen->reset_mutex);
	return works;
}

/* Full reset; wedged when that fails. reset_mutex held. */
static int gpu_reset_locked(struct igen_device *igen, u32 stalled, const char *reason)
{
	int ret;

	drm_notice(&igen->drm, "resetting the GPU: %s\n", reason);
	note_uevent(igen, UEVENT_HANG);
	note_uevent(igen, UEVENT_RESET);
	ret = READ_ONCE(igen->params.reset) ? 0 : -ENODEV;
	if (!ret)
		ret = reset_engines(igen, all_engines(igen), stalled, ~0u, true);
	if (ret) {
		drm_err(&igen->drm, "the GPU is given up, since it cannot be reset: %d\n", ret);
		wedge_locked(igen);
		return ret;
	}
	atomic_inc(&igen->reset_count);
	note_uevent(igen, UEVENT_WORKS);
	return 0;
}

/**
 * igen_gpu_reset - reset all engines together
 * @igen: the device, which a reference keeps awake
 * @reason: for the log
 *
 * Engines that have work are taken to hang.
 *
 * Return: 0, or the error for which the GPU was given up.
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
		ret = gpu_reset_locked(igen, stalled, reason);
	}
	mutex_unlock(&igen->reset_mutex);
	return ret;
}

/* Whoever comes late must not hit what runs now. reset_mutex held. */
static bool is_over(struct igen_engine *engine, const struct igen_suspect *suspect)
{
	bool over;

	if (suspect->certain)
		return suspect->resets != engine->resets;
	spin_lock_irq(&engine->group->lock);
	over = suspect->resets != engine->resets || !is_still_in(engine, suspect);
	spin_unlock_irq(&engine->group->lock);
	return over;
}

/*
 * Has an event been lost, so that the suspect is not what the engine is in? One that is on its way comes meanwhile. Who
 * is found like that again and again is to blame after all: perhaps it keeps the engine from telling. reset_mutex held.
 */
static bool is_spared(struct igen_engine *engine, const struct igen_suspect *suspect)
{
	const struct igen_submit_ops *ops = engine->igen->platform->submit;
	u64 context = 0, seqno = 0;
	unsigned int look;
	bool spared;

	if (suspect->certain || !ops->is_misread)
		return false;
	for (look = 0; look < 2; look++) {
		if (look)
			usleep_range(EVENT_LATENCY_US, 2 * EVENT_LATENCY_US);
		spin_lock_irq(&engine->group->lock);
		spared = is_still_in(engine, suspect) && ops->is_misread(engine);
		spin_unlock_irq(&engine->group->lock);
		if (!spared)
			return false;
	}

	/* It may seem to be in a context that is through. */
	if (suspect->rq) {
		context = suspect->rq->fence.context;
		seqno = suspect->rq->fence.seqno;
	}
	if (engine->spared_context != context || engine->spared_seqno != seqno)
		engine->times_spared = 0;
	engine->spared_context = context;
	engine->spared_seqno = seqno;
	return engine->times_spared++ < MAX_SPARED;
}

/*
 * Resets one engine, all if that fails; stalled: what it runs is to blame, or the suspect if there is one; capture:
 * keep what it looks like.
 */
static int reset_one(struct igen_engine *engine, const struct igen_suspect *suspect, bool stalled, const char *reason,
		     bool capture)
{
	struct igen_device *igen = engine->igen;
	u32 mask = BIT(engine->info->id);
	int ret = -EIO;

	/* What sleeps does not hang, and nobody is woken for it: a reset allocates no memory. */
	if (!igen_rpm_get_if_awake(igen))
		return READ_ONCE(igen->wedged) ? -EIO : 0;

	mutex_lock(&igen->reset_mutex);
	if (igen->wedged)
		goto unlock;
	ret = 0;
	if (suspect && is_over(engine, suspect))
		goto unlock;
	if (suspect && stalled && is_spared(engine, suspect)) {
		reason = "an event of it was lost";
		stalled = false;
		capture = false;
	}
	if (capture)
		igen_capture(igen, mask, reason);
	/* That takes its time. */
	if (suspect && is_over(engine, suspect))
		goto unlock;
	engine->suspect = suspect;
	ret = -EIO;
	if (READ_ONCE(igen->params.reset) > 1) {
		drm_notice(&igen->drm, "resetting %s: %s\n", engine->info->name, reason);
		ret = reset_engines(igen, mask, stalled ? mask : 0, engine->info->reset_domain, false);
	}
	if (ret)
		ret = gpu_reset_locked(igen, stalled ? mask : 0, reason);
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
 * @capture: keep what it looked like, if it is the first error
 *
 * Falls back to a full reset, and gives up the GPU when that fails.
 *
 * Return: 0, or the error for which the GPU was given up.
 * Context: may sleep; takes the reset mutex.
 */
int igen_engine_reset(struct igen_engine *engine, const char *reason, bool capture)
{
	return reset_one(engine, NULL, true, reason, capture);
}

/**
 * igen_engine_hung - reset an engine that was found to hang
 * @engine: the engine
 * @suspect: what it was in then; dropped
 * @reason: for the log
 *
 * As igen_engine_reset(), but does nothing if the engine was reset meanwhile or got out of it by itself: several may
 * find the same hang, and what runs afterwards has done nothing wrong.
 *
 * Return: 0, or the error for which the GPU was given up.
 * Context: may sleep; takes the reset mutex.
 */
int igen_engine_hung(struct igen_engine *engine, struct igen_suspect *suspect, const char *reason)
{
	int ret = reset_one(engine, suspect, true, reason, true);

	igen_suspect_drop(suspect);
	return ret;
}

/**
 * igen_engine_restart - reset an engine of which we don't know what it does
 * @engine: the engine
 * @resets: engine->resets when that was found
 * @reason: for the log
 *
 * As igen_engine_reset(), but what it runs is not to blame, and starts again. Does nothing if it was reset meanwhile.
 *
 * Return: 0, or the error for which the GPU was given up.
 * Context: may sleep; takes the reset mutex.
 */
int igen_engine_restart(struct igen_engine *engine, unsigned int resets, const char *reason)
{
	const struct igen_suspect nobody = { .resets = resets, .certain = true };

	return reset_one(engine, &nobody, false, reason, false);
}

/* Fails what came after the GPU was given up. */
static void wedged_work(struct work_struct *work)
{
	struct igen_device *igen = container_of(work, struct igen_device, wedged_work);
	struct igen_engine *engine;
	unsigned int id;

	mutex_lock(&igen->reset_mutex);
	if (igen->wedged) {
		for_each_engine(igen, id, engine)
			fail_engine(engine);
	}
	mutex_unlock(&igen->reset_mutex);
}

/**
 * igen_wedged_kick - requests came after the GPU was given up
 * @igen: the device
 *
 * Has what is queued fail. Their fences may be signaled only where no other fence's lock is held.
 *
 * Context: any.
 */
void igen_wedged_kick(struct igen_device *igen)
{
	queue_work(igen->wq, &igen->wedged_work);
}

/**
 * igen_reset_init - prepare for resets
 * @igen: the device
 */
void igen_reset_init(struct igen_device *igen)
{
	mutex_init(&igen->reset_mutex);
	INIT_WORK(&igen->wedged_work, wedged_work);
	INIT_KFIFO(igen->uevents);
	INIT_WORK(&igen->uevent_work, uevent_work);
}

/**
 * igen_reset_fini - end it
 * @igen: the device, to which nothing is submitted any more
 *
 * Context: may sleep.
 */
void igen_reset_fini(struct igen_device *igen)
{
	flush_work(&igen->wedged_work);
	flush_work(&igen->uevent_work);
	mutex_destroy(&igen->reset_mutex);
}
