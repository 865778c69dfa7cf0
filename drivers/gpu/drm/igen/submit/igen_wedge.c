// SPDX-License-Identifier: MIT
/**
 * DOC: Wedging the GPU
 *
 * When a full reset fails, the driver wedges the GPU: it stops the hardware as far as possible, and all requests
 * complete with -EIO, until userspace asks for another try (debugfs i915_wedged). Removal and suspend do the same.
 */
#include "../igen_device.h"
#include "../igen_trace.h"
#include "../mm/igen_fence_reg.h"
#include "igen_reset.h"
#include "igen_retire.h"
#include "igen_submit.h"

/* Takes up to IGEN_WEDGE_AT_ONCE requests off an engine, each timeline's oldest first. group->lock held. */
static void wedge_take_some(struct igen_engine *engine, struct list_head *some)
{
	struct igen_request *rq;
	unsigned int n;

	for (n = 0; n < IGEN_WEDGE_AT_ONCE; n++) {
		/* Requests in flight are older than queued requests of their timelines. */
		rq = list_first_entry_or_null(&engine->inflight, struct igen_request, link);
		if (rq) {
			igen_scheduler_land(rq);
		} else {
			rq = igen_queue_first(engine);
			if (!rq)
				break;
			igen_queue_remove(engine, rq);
		}
		list_add_tail(&rq->link, some);
	}
}

/*
 * Completes with -EIO up to IGEN_WEDGE_AT_ONCE requests that are queued or in flight on an engine. Returns false when
 * there were none.
 */
static bool wedge_fail_some(struct igen_engine *engine)
{
	struct igen_request *rq, *next;
	LIST_HEAD(waits);
	LIST_HEAD(some);

	spin_lock_irq(&engine->group->lock);
	wedge_take_some(engine, &some);
	list_for_each_entry(rq, &some, link) {
		if (rq->submitted)
			trace_i915_request_out(rq);
		/* A completed request keeps its success. Another CPU may be signaling its fence. */
		if (!igen_request_completed(rq)) {
			igen_request_set_error(rq, -EIO);
			/* After igen_unwedge() the context must not go on with this request. */
			igen_lrc_discard(rq->lrc, rq->started);
		}
		rq->started = true;
		list_splice_tail_init(&rq->exec_waits, &waits);
		igen_scheduler_begin(engine, rq);
	}
	/* From here on the requests count as completed, and may be retired. */
	list_for_each_entry(rq, &some, link) {
		if (!igen_request_completed(rq))
			WRITE_ONCE(*(u32 *)rq->hwsp_seqno, lower_32_bits(rq->fence.seqno));
	}
	spin_unlock_irq(&engine->group->lock);
	if (list_empty(&some))
		return false;

	igen_await_run_started(&waits);
	list_for_each_entry_safe(rq, next, &some, link) {
		list_del_init(&rq->link);
		dma_fence_signal(&rq->fence);
		igen_request_put(rq);
	}
	return true;
}

/*
 * Completes with -EIO all requests that are queued or in flight on an engine, each timeline's oldest first. The engine
 * is blocked, and the flag is set with which igen_request_create() refuses new requests. So meanwhile the queue only
 * gets the requests that exist already and become ready, and the loop ends. Interrupts are off for one piece at a time.
 */
static void wedge_fail_requests(struct igen_engine *engine)
{
	while (wedge_fail_some(engine))
		cond_resched();
	igen_breadcrumbs_signal(engine);
}

/*
 * Stops all engines, which may hang, so that the hardware writes no memory any more. Returns false if the hardware
 * can't be stopped. reset_mutex is held.
 */
static bool wedge_halt(struct igen_device *igen)
{
	int err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	struct igen_engine *engine;
	unsigned int id;

	/* Without forcewake the engines do not answer, but the backend still gives them nothing more. */
	for_each_engine(igen, id, engine)
		igen->platform->submit->reset_prepare(engine);
	if (!err) {
		igen_fence_regs_revoke(&igen->ggtt);
		err = igen_reset_hardware(igen, ~0u);
		/* Mappings through the aperture stay in use. */
		igen_ggtt_restore(igen);
		igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	}
	if (err)
		drm_err(&igen->drm, "the GPU can't be stopped: %d\n", err);
	return !err;
}

/* Tells the backend that no engine holds a context any more. reset_mutex held. */
static void wedge_empty_ports(struct igen_device *igen)
{
	/* If the wells do not answer, what the backend writes is lost; all of it is written again with a resume. */
	int err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	struct igen_engine *engine;
	unsigned int id;

	for_each_engine(igen, id, engine) {
		spin_lock_irq(&engine->group->lock);
		igen->platform->submit->reset(engine, false);
		spin_unlock_irq(&engine->group->lock);
	}
	if (!err)
		igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
}

/**
 * igen_wedge_locked - wedge the GPU
 * @igen: the device, which is awake
 *
 * Return: true, or false when the GPU had been wedged before.
 * Context: may sleep; reset_mutex held.
 */
bool igen_wedge_locked(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;
	bool halted;

	lockdep_assert_held(&igen->reset_mutex);
	if (READ_ONCE(igen->wedged))
		return false;

	WRITE_ONCE(igen->wedged, true);
	/*
	 * All engines stop before the first fence signals: a request on another engine may wait for it. Completed
	 * requests give their memory back, and an engine that has not stopped would go on in it.
	 */
	halted = wedge_halt(igen);
	/* A request whose submitter did not see the flag is in the queue once group->lock has been held. */
	for_each_engine(igen, id, engine)
		wedge_fail_requests(engine);
	/* Contexts that the hardware has forgotten do not keep the GT awake. */
	if (halted)
		wedge_empty_ports(igen);
	return true;
}

/**
 * igen_wedge - wedge the GPU
 * @igen: the device, which is awake
 * @reason: for the log
 *
 * All requests complete with -EIO, also those that are still to come, until igen_unwedge().
 *
 * Context: may sleep; takes the reset mutex.
 */
void igen_wedge(struct igen_device *igen, const char *reason)
{
	drm_err(&igen->drm, "the GPU is wedged (%s): all submissions fail from now on\n", reason);

	mutex_lock(&igen->reset_mutex);
	igen_wedge_locked(igen);
	mutex_unlock(&igen->reset_mutex);
}

/**
 * igen_submit_stop - take all contexts off the hardware, for removal or suspend
 * @igen: the device, which a reference keeps awake
 *
 * Requests that have not completed fail with -EIO, and so do all that come until igen_unwedge(). Afterwards the
 * hardware is reset and holds no context.
 *
 * Context: may sleep; takes the reset mutex.
 */
void igen_submit_stop(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;

	mutex_lock(&igen->reset_mutex);
	/* If the hardware did not stop when the GPU was wedged, it may stop now. */
	if (!igen_wedge_locked(igen))
		wedge_halt(igen);
	wedge_empty_ports(igen);
	mutex_unlock(&igen->reset_mutex);

	for_each_engine(igen, id, engine)
		igen_heartbeat_stop(engine);
	igen_retire(igen);
	igen_governor_stop(igen);
	igen_power_disable(igen);
}

/**
 * igen_submit_restart - program engines that were idle and have lost their registers
 * @igen: the device, which is being resumed; its GGTT is restored here
 *
 * A wedged GPU stays wedged.
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
		wedge_empty_ports(igen);
		igen_ggtt_restore(igen);
		ret = ret ?: igen_engines_resume(igen);
	}
	mutex_unlock(&igen->reset_mutex);
	return ret;
}

/* Submits the requests that became ready while the GPU was wedged: they fail and complete. reset_mutex held. */
static void wedge_submit_rest(struct igen_engine *engine)
{
	spin_lock_irq(&engine->group->lock);
	if (!igen_queue_is_empty(engine) || !list_empty(&engine->inflight)) {
		igen_heartbeat_arm(engine);
		engine->igen->platform->submit->submit(engine);
	}
	spin_unlock_irq(&engine->group->lock);
	igen_breadcrumbs_signal(engine);
}

/**
 * igen_unwedge - try to use a wedged GPU again
 * @igen: the device, which a reference keeps awake
 *
 * Return: whether the GPU works again.
 * Context: may sleep; takes the reset mutex.
 */
bool igen_unwedge(struct igen_device *igen)
{
	struct igen_engine *engine;
	bool works = true;
	unsigned int id;

	/* Requests that became ready when others failed are to fail as well, and have to be queued for that. */
	igen_scheduler_flush(igen);
	mutex_lock(&igen->reset_mutex);
	if (igen->wedged) {
		/* Requests that came while the GPU was wedged. */
		for_each_engine(igen, id, engine)
			wedge_fail_requests(engine);
		works = !igen_reset_engines(igen, igen_reset_all(igen), 0, ~0u, true);
		if (works) {
			WRITE_ONCE(igen->wedged, false);
			/* Interrupts that were asked for while there was no GPU. */
			igen_irq_restore(igen);
			for_each_engine(igen, id, engine)
				wedge_submit_rest(engine);
		}
	}
	mutex_unlock(&igen->reset_mutex);
	return works;
}

/* Fails the requests that came after the GPU was wedged. */
static void wedge_work(struct work_struct *work)
{
	struct igen_device *igen = container_of(work, struct igen_device, wedged_work);
	struct igen_engine *engine;
	unsigned int id;

	mutex_lock(&igen->reset_mutex);
	if (igen->wedged) {
		for_each_engine(igen, id, engine)
			wedge_fail_requests(engine);
	}
	mutex_unlock(&igen->reset_mutex);
}

/* Wedges the GPU if its TLBs kept unbound translations. */
static void wedge_tlb_work(struct work_struct *work)
{
	struct igen_device *igen = container_of(work, struct igen_device, tlb_failed_work);

	/* A sleeping device was reset, so its TLBs are empty. */
	if (!igen_rpm_get_if_awake(igen))
		return;
	igen_wedge(igen, "its TLBs can't be emptied");
	igen_rpm_put(igen);
}

/*
 * igen_tlb.failed. When this returns the pages go, so the hardware is reset here and now, whatever the engines do: the
 * caller may hold locks that come after the reset mutex. A worker tells the rest of the driver.
 */
static void wedge_tlb_failed(struct igen_device *igen)
{
	int err;

	/* Wedging has reset the hardware, which has run nothing since. */
	if (READ_ONCE(igen->wedged))
		return;
	err = igen_reset_hardware(igen, ~0u);
	if (err)
		drm_err(&igen->drm, "nor can the GPU be reset: %d\n", err);
	queue_work(igen->wq, &igen->tlb_failed_work);
}

/**
 * igen_wedged_kick - have requests fail that came after the GPU was wedged
 * @igen: the device
 *
 * A worker signals their fences, since the caller may hold the lock of another fence.
 *
 * Context: any.
 */
void igen_wedged_kick(struct igen_device *igen)
{
	queue_work(igen->wq, &igen->wedged_work);
}

/**
 * igen_wedge_init - prepare for the end of the GPU
 * @igen: the device
 */
void igen_wedge_init(struct igen_device *igen)
{
	INIT_WORK(&igen->wedged_work, wedge_work);
	INIT_WORK(&igen->tlb_failed_work, wedge_tlb_work);
	igen->mm.tlb.failed = wedge_tlb_failed;
}

/**
 * igen_wedge_fini - wait for the workers that fail requests and give the GPU up
 * @igen: the device, to which nothing is submitted any more
 *
 * Context: may sleep.
 */
void igen_wedge_fini(struct igen_device *igen)
{
	mutex_lock(&igen->mm.tlb.mutex);
	igen->mm.tlb.failed = NULL;
	mutex_unlock(&igen->mm.tlb.mutex);
	flush_work(&igen->tlb_failed_work);
	flush_work(&igen->wedged_work);
}
