// SPDX-License-Identifier: MIT
/**
 * DOC: Watchdog
 *
 * The heartbeat finds batches that cannot be preempted. A batch that can be preempted may run for ever, unless root
 * sets a request timeout (debugfs, i915_params). Then the retire worker looks once a second at what each engine runs.
 * It ends a request that was running for longer than the timeout: an urgent heartbeat pulse preempts the request, and
 * the driver skips its batch with -EINTR. Only time on the engine counts, not the time that a request waits for others.
 * Stock i915 has such a limit of 20 s by default, and counts from when a request could have run.
 */
#include <linux/jiffies.h>

#include "../igen_device.h"
#include "igen_submit.h"

/* Counts one more second for the request that an engine runs, and ends the request when it has run for too long. */
static void watchdog_check_engine(struct igen_engine *engine, unsigned int timeout_ms)
{
	struct igen_engine_state state;
	struct igen_request *rq;

	spin_lock_irq(&engine->group->lock);
	engine->igen->platform->submit->state(engine, false, &state);
	rq = state.active;
	/* A request whose engine waits for a semaphore has not begun. */
	if (rq && !rq->expired && !igen_request_is_skipped(rq) && !igen_semaphore_waits(rq) &&
	    !test_bit(IGEN_CONTEXT_DRIVER, &rq->context->flags) &&
	    rq->seconds++ >= DIV_ROUND_UP(timeout_ms, MSEC_PER_SEC)) {
		dev_notice_ratelimited(engine->igen->drm.dev, "%s: request %llu of context %u runs for too long\n",
				       engine->info->name, rq->fence.seqno, rq->context->id);
		rq->expired = true;
		igen_heartbeat_fail(engine, IGEN_ENGINE_OVERDUE);
	}
	spin_unlock_irq(&engine->group->lock);
}

/**
 * igen_watchdog - look for batches that run for too long
 * @igen: the device
 *
 * The retire worker calls it while requests keep the device awake. Calls within one second of the last check do
 * nothing.
 *
 * Context: process; takes engines' locks.
 */
void igen_watchdog(struct igen_device *igen)
{
	unsigned int timeout_ms = READ_ONCE(igen->params.request_timeout_ms);
	struct igen_engine *engine;
	unsigned int id;

	/* igen_retire_now() runs the worker between its seconds. */
	if (!timeout_ms || time_before(jiffies, igen->watched_jiffies + HZ))
		return;
	igen->watched_jiffies = jiffies;
	for_each_engine(igen, id, engine)
		watchdog_check_engine(engine, timeout_ms);
}
