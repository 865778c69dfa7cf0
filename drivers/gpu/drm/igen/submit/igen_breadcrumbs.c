// SPDX-License-Identifier: MIT
/**
 * DOC: Breadcrumbs
 *
 * A request ends by writing its seqno to memory and raising the user interrupt. Whether it has completed is
 * read from memory at any time; the interrupt is needed only to wake somebody. So each group of engines keeps the list
 * of requests that somebody waits for, unmasks their interrupts when the first one comes, and masks them again on the
 * first interrupt that finds nobody waiting. It is the group's, since a request may move between its engines.
 *
 * Unmasking is a posted write: the engine may finish and raise its interrupt before it lands, and after the seqno was
 * looked at once more. Nothing is read back for that: behind a request comes either another one, whose interrupt gets
 * through, or a context switch, whose interrupt is never masked; both lead here.
 */

#include <linux/dma-fence.h>

#include "../igen_device.h"
#include "igen_submit.h"

static void arm(struct igen_engine_group *group, bool armed)
{
	unsigned int n;

	lockdep_assert_held(&group->irq_lock);

	group->irq_armed = armed;
	for (n = 0; n < group->num_engines; n++)
		igen_irq_user(group->engine[n], armed);
}

/**
 * igen_breadcrumbs_add - have a request's fence signaled by interrupt
 * @rq: the request
 *
 * Return: true when the interrupt will signal it, false when it has completed already.
 * Context: the fence's lock is held and interrupts are off (dma_fence_ops.enable_signaling).
 */
bool igen_breadcrumbs_add(struct igen_request *rq)
{
	struct igen_engine_group *group = rq->group;
	bool waits = true;

	spin_lock(&group->irq_lock);
	if (igen_request_completed(rq)) {
		waits = false;
		goto unlock;
	}
	igen_request_get(rq);
	list_add_tail(&rq->signal_link, &group->signalers);
	rq->signal_listed = true;
	if (!group->irq_armed)
		arm(group, true);
	if (igen_request_completed(rq)) {
		list_del_init(&rq->signal_link);
		rq->signal_listed = false;
		/* Not the last reference: the caller holds one. */
		igen_request_put(rq);
		waits = false;
	}
unlock:
	spin_unlock(&group->irq_lock);
	return waits;
}

/**
 * igen_breadcrumbs_remove - nobody needs to be told about a request any more
 * @rq: a request whose fence has signaled
 *
 * Context: any; takes group->irq_lock.
 */
void igen_breadcrumbs_remove(struct igen_request *rq)
{
	struct igen_engine_group *group = rq->group;
	unsigned long flags;
	bool listed;

	spin_lock_irqsave(&group->irq_lock, flags);
	listed = rq->signal_listed;
	if (listed) {
		list_del_init(&rq->signal_link);
		rq->signal_listed = false;
	}
	spin_unlock_irqrestore(&group->irq_lock, flags);

	if (listed)
		igen_request_put(rq);
}

/**
 * igen_breadcrumbs_due - ask whether somebody waits for what has completed
 * @engine: the engine; its siblings' requests are looked at too
 *
 * Return: true between the write of a seqno and the interrupt that makes it known, or after that was lost.
 * Context: any.
 */
bool igen_breadcrumbs_due(struct igen_engine *engine)
{
	struct igen_engine_group *group = engine->group;
	struct igen_request *rq;
	unsigned long flags;
	bool due = false;

	spin_lock_irqsave(&group->irq_lock, flags);
	list_for_each_entry(rq, &group->signalers, signal_link)
		due |= igen_request_completed(rq);
	spin_unlock_irqrestore(&group->irq_lock, flags);
	return due;
}

/**
 * igen_breadcrumbs_signal - signal all fences whose requests have completed
 * @engine: the engine; its siblings' requests are looked at too
 *
 * The fences' locks are taken outside of group->irq_lock, which nests inside them.
 *
 * Context: any, also hard interrupts.
 */
void igen_breadcrumbs_signal(struct igen_engine *engine)
{
	struct igen_engine_group *group = engine->group;
	struct igen_request *rq, *next;
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&group->irq_lock, flags);
	list_for_each_entry_safe(rq, next, &group->signalers, signal_link) {
		if (igen_request_completed(rq)) {
			list_move_tail(&rq->signal_link, &done);
			rq->signal_listed = false;
		}
	}
	if (list_empty(&done) && list_empty(&group->signalers) && group->irq_armed)
		arm(group, false);
	spin_unlock_irqrestore(&group->irq_lock, flags);

	list_for_each_entry_safe(rq, next, &done, signal_link) {
		list_del_init(&rq->signal_link);
		dma_fence_signal(&rq->fence);
		igen_request_put(rq);
	}
}
