// SPDX-License-Identifier: MIT
/**
 * DOC: Watchdog
 *
 * A batch that lets itself be preempted may run for ever and no heartbeat minds; which is as it should be, unless root
 * sets a request timeout (debugfs, i915_params). Then once a second the worker that retires requests looks what each
 * engine runs. Whoever was found there for longer than that ends: a pulse makes it yield, and its batch is skipped
 * with -EINTR. It is the engine's time that counts: who is kept waiting by others does not grow old. Stock i915 has
 * such a limit of 20 s by default, and counts from when a request could have run.
 */
#include <linux/jiffies.h>

#include "../igen_device.h"
#include "igen_submit.h"

/* Notes what an engine runs, and has it end when that has run for too long. */
static void look(struct igen_engine *engine, unsigned int timeout_ms)
{
	struct igen_request *rq;

	spin_lock_irq(&engine->group->lock);
	rq = engine->igen->platform->submit->active(engine);
	/* What waits for another engine has not begun. */
	if (rq && !rq->expired && !igen_request_is_skipped(rq) && !igen_semaphore_waits(rq) &&
	    !test_bit(IGEN_CONTEXT_DRIVER, &rq->context->flags) &&
	    rq->seconds++ >= DIV_ROUND_UP(timeout_ms, MSEC_PER_SEC)) {
		drm_notice(&engine->igen->drm, "%s: request %llu of context %u runs for too long\n",
			   engine->info->name, rq->fence.seqno, rq->context->id);
		rq->expired = true;
		igen_heartbeat_fail(engine, IGEN_ENGINE_OVERDUE);
	}
	spin_unlock_irq(&engine->group->lock);
}

/**
 * igen_watchdog - look for batches that run for too long
 * @igen: the device, which requests keep awake; of its retire worker
 *
 * Context: process; takes engines' locks.
 */
void igen_watchdog(struct igen_device *igen)
{
	unsigned int timeout_ms = READ_ONCE(igen->params.request_timeout_ms);
	struct igen_engine *engine;
	unsigned int id;

	/* The worker comes sooner when somebody calls it. */
	if (!timeout_ms || time_before(jiffies, igen->watched_jiffies + HZ))
		return;
	igen->watched_jiffies = jiffies;
	for_each_engine(igen, id, engine)
		look(engine, timeout_ms);
}
