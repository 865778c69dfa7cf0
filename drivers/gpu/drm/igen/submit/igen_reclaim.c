// SPDX-License-Identifier: MIT
/**
 * DOC: Waiting for memory that is on its way back
 *
 * What a client has dropped counts against the client's budget until it has been freed, and that takes time: a context
 * waits until its last requests are retired, for an RCU grace period, and until its engine has left it; so do the
 * context's LRCs and then its address space. A client at its limit that drops a context and makes another one would be
 * refused meanwhile, memory or a place in the GGTT. So igen_ioctl() calls igen_reclaim() when the budget was the reason
 * of the error, and repeats the ioctl.
 *
 * A worker does the work, because no grace period and no other worker can be waited for so that SIGKILL ends the wait.
 * One run of the worker serves all callers that came before it started. The runs are numbered, like TLB flushes.
 */
#include <drm/drm_drv.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../engine/igen_lrc.h"
#include "../igen_device.h"
#include "../mm/igen_bo_cache.h"
#include "igen_client.h"
#include "igen_retire.h"
#include "igen_submit.h"

/* How long one caller waits: an engine may hang in what it has to leave first, and a busy machine may be slow. */
#define RECLAIM_TIMEOUT (60 * HZ)

static void reclaim_work(struct work_struct *work)
{
	struct igen_device *igen = container_of(work, struct igen_device, reclaim.work);
	u64 number = atomic64_inc_return(&igen->reclaim.started);
	struct igen_engine_group *group;

	igen_retire(igen);
	/* Before requests, which these objects' reservations may hold. */
	igen_bo_caches_drain(igen, ULONG_MAX);
	/* Execlists tell of each context's end by themselves, and the engine may be in a reset now. */
	if (igen->platform->submit->copies_requests)
		for_each_group(igen, group)
			igen_retire_let_go(group);
	igen_release_drain();
	igen_clients_free_idle(igen);
	igen_mm_free_idle(igen);
	atomic64_set(&igen->reclaim.completed, number);
	wake_up_all(&igen->reclaim.wait);
}

/**
 * igen_reclaim - free what clients have dropped before the call
 * @igen: the device
 *
 * Retires completed requests, and waits until the contexts, address spaces and objects that nothing uses any more are
 * freed. Ends after a minute, or on SIGKILL. Does not wait for batches, unless one keeps an engine from leaving a
 * context.
 *
 * Return: false when not all of this is done, or the device has gone.
 * Context: may sleep; the caller holds no locks, and is in no drm_dev_enter() section.
 */
bool igen_reclaim(struct igen_device *igen)
{
	struct igen_reclaim *reclaim = &igen->reclaim;
	u64 number;
	int idx;

	/* The unbind waits for the worker, so no work may be queued after that wait. */
	if (!drm_dev_enter(&igen->drm, &idx))
		return false;
	number = atomic64_read(&reclaim->started) + 1;
	/* The worker may wait for memory and for other workers, which no work on the device's own queue may do. */
	queue_work(system_unbound_wq, &reclaim->work);
	drm_dev_exit(idx);

	return wait_event_killable_timeout(reclaim->wait, atomic64_read(&reclaim->completed) >= number,
					   RECLAIM_TIMEOUT) > 0;
}

/**
 * igen_reclaim_init - prepare for igen_reclaim()
 * @igen: the device
 */
void igen_reclaim_init(struct igen_device *igen)
{
	INIT_WORK(&igen->reclaim.work, reclaim_work);
	init_waitqueue_head(&igen->reclaim.wait);
}

/**
 * igen_reclaim_fini - wait for the worker
 * @igen: the device, unplugged and stopped
 *
 * Context: may sleep.
 */
void igen_reclaim_fini(struct igen_device *igen)
{
	flush_work(&igen->reclaim.work);
}
