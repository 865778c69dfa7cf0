// SPDX-License-Identifier: MIT
/**
 * DOC: Breadcrumbs
 *
 * A request ends with its breadcrumb: the engine writes the request's seqno to memory and raises the user interrupt.
 * The driver can read the seqno at any time, so it needs the interrupt only to signal a fence that has waiters. Each
 * group of engines lists the requests whose fences have waiters (igen_engine_group.signalers). The first request on the
 * list unmasks the user interrupts of the group's engines; the first interrupt that finds the list empty masks them
 * again, unless the backend needs them (igen_breadcrumbs_keep()). The list is the group's, since a request may move
 * between the group's engines.
 *
 * Unmasking is a posted write, so an interrupt can be lost::
 *
 *	CPU                             engine
 *	write the interrupt mask
 *	read the seqno: not there
 *	                                write the seqno
 *	                                raise the user interrupt: still masked
 *	the mask arrives
 *
 * So when the mask was written, an irq_work reads it back and then looks at the list once more. The caller does not
 * wait for that. A request that ends after the irq_work has looked finds its interrupt unmasked.
 */

#include <linux/dma-fence.h>
#include <linux/irq_work.h>

#include "../igen_device.h"
#include "igen_submit.h"

/* How many requests to look at with interrupts off. */
#define MOST_LOOKS	64

/* Unmasks or masks the user interrupts of the group's engines. */
static void breadcrumbs_arm(struct igen_engine_group *group, bool armed)
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
	group->num_signalers++;
	if (!group->irq_armed) {
		breadcrumbs_arm(group, true);
		irq_work_queue(&group->engine[0]->arm_work);
	}
	if (igen_request_completed(rq)) {
		list_del_init(&rq->signal_link);
		rq->signal_listed = false;
		group->num_signalers--;
		/* The caller holds another reference. */
		igen_request_put(rq);
		waits = false;
	}
unlock:
	spin_unlock(&group->irq_lock);
	return waits;
}

/**
 * igen_breadcrumbs_keep - have the user interrupts come, even if no fence has waiters
 * @engine: the engine, alone in its group
 * @keep: the backend needs them; false: no longer
 *
 * A request may end between the caller's look at its seqno and the unmasking. If the interrupts are masked so far, the
 * irq_work calls the backend once they are unmasked. If they are unmasked, perhaps only since that look, the caller
 * looks again.
 *
 * Return: true when the caller has to look again.
 * Context: group->lock held; takes group->irq_lock.
 */
bool igen_breadcrumbs_keep(struct igen_engine *engine, bool keep)
{
	struct igen_engine_group *group = engine->group;
	bool again;

	lockdep_assert_held(&group->lock);
	if (likely(group->irq_kept == keep))
		return false;
	spin_lock(&group->irq_lock);
	WRITE_ONCE(group->irq_kept, keep);
	again = keep && group->irq_armed;
	if (keep && !group->irq_armed) {
		breadcrumbs_arm(group, true);
		irq_work_queue(&group->engine[0]->arm_work);
	}
	spin_unlock(&group->irq_lock);
	return again;
}

/**
 * igen_breadcrumbs_remove - take a request off the list of requests with waiters
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
		group->num_signalers--;
	}
	spin_unlock_irqrestore(&group->irq_lock, flags);

	if (listed)
		igen_request_put(rq);
}

/*
 * Looks at up to MOST_LOOKS of the group's requests, those that were looked at longest ago first. Returns true when one
 * of them has completed.
 */
static bool breadcrumbs_some_due(struct igen_engine_group *group)
{
	unsigned int looks = MOST_LOOKS;
	struct igen_request *rq, *next;
	unsigned long flags;
	LIST_HEAD(seen);
	bool due = false;

	spin_lock_irqsave(&group->irq_lock, flags);
	list_for_each_entry_safe(rq, next, &group->signalers, signal_link) {
		due = igen_request_completed(rq);
		if (due || !looks--)
			break;
		list_move_tail(&rq->signal_link, &seen);
	}
	list_splice_tail(&seen, &group->signalers);
	spin_unlock_irqrestore(&group->irq_lock, flags);
	return due;
}

/**
 * igen_breadcrumbs_due - ask whether a completed request still has waiters
 * @engine: the engine; its siblings' requests are looked at too
 *
 * Interrupts are off for MOST_LOOKS requests at a time.
 *
 * Return: true between the write of a seqno and its user interrupt, and after that interrupt was lost.
 * Context: any; takes group->irq_lock.
 */
bool igen_breadcrumbs_due(struct igen_engine *engine)
{
	struct igen_engine_group *group = engine->group;
	unsigned int rounds = READ_ONCE(group->num_signalers) / MOST_LOOKS + 1;

	while (rounds--)
		if (breadcrumbs_some_due(group))
			return true;
	return false;
}

/*
 * Looks at up to @looks of the group's requests and signals those that have completed. Requests that were looked at
 * longest ago come first. Fences are signaled after group->irq_lock is dropped, because that lock nests inside the
 * fences' locks. Returns true when requests are left that were not looked at.
 */
static bool breadcrumbs_signal_some(struct igen_engine_group *group, unsigned int looks)
{
	struct igen_request *rq, *next;
	unsigned long flags;
	LIST_HEAD(done);
	LIST_HEAD(seen);
	bool more;

	spin_lock_irqsave(&group->irq_lock, flags);
	list_for_each_entry_safe(rq, next, &group->signalers, signal_link) {
		if (!looks--)
			break;
		if (igen_request_completed(rq)) {
			list_move_tail(&rq->signal_link, &done);
			rq->signal_listed = false;
			group->num_signalers--;
		} else {
			list_move_tail(&rq->signal_link, &seen);
		}
	}
	more = !list_empty(&group->signalers);
	list_splice_tail(&seen, &group->signalers);
	if (list_empty(&done) && list_empty(&group->signalers) && group->irq_armed && !group->irq_kept)
		breadcrumbs_arm(group, false);
	spin_unlock_irqrestore(&group->irq_lock, flags);

	list_for_each_entry_safe(rq, next, &done, signal_link) {
		list_del_init(&rq->signal_link);
		dma_fence_signal(&rq->fence);
		igen_request_put(rq);
	}
	return more;
}

/**
 * igen_breadcrumbs_signal - signal all fences whose requests have completed
 * @engine: the engine; its siblings' requests are looked at too
 *
 * Interrupts are off for MOST_LOOKS requests at a time.
 *
 * Context: any; interrupt handlers call igen_breadcrumbs_irq() instead.
 */
void igen_breadcrumbs_signal(struct igen_engine *engine)
{
	struct igen_engine_group *group = engine->group;
	unsigned int looks = READ_ONCE(group->num_signalers) / MOST_LOOKS + 1;

	/* The loop ends, since requests that are listed meanwhile have an interrupt of their own. */
	while (looks-- && breadcrumbs_signal_some(group, MOST_LOOKS))
		;
}

/**
 * igen_breadcrumbs_irq - signal fences whose requests have completed, in the engine's interrupt
 * @engine: the engine; its siblings' requests are looked at too
 *
 * Clients decide how many requests have waiters, and interrupts are off here. So this looks at MOST_LOOKS requests, and
 * a worker looks at the others.
 *
 * Context: any.
 */
void igen_breadcrumbs_irq(struct igen_engine *engine)
{
	if (unlikely(breadcrumbs_signal_some(engine->group, MOST_LOOKS)))
		queue_work(engine->igen->urgent_wq, &engine->signal_work);
}

static void breadcrumbs_signal_work(struct work_struct *work)
{
	igen_breadcrumbs_signal(container_of(work, struct igen_engine, signal_work));
}

/* The user interrupts of an engine's group were unmasked. */
static void breadcrumbs_arm_work(struct irq_work *work)
{
	struct igen_engine *engine = container_of(work, struct igen_engine, arm_work);
	struct igen_engine_group *group = engine->group;
	unsigned long flags;
	unsigned int n;

	local_irq_save(flags);
	for (n = 0; n < group->num_engines; n++)
		igen_irq_user_arrived(group->engine[n]);
	igen_breadcrumbs_irq(engine);
	/* The read follows group->irq_lock: a backend that sets it later finds the interrupts unmasked, and looks. */
	if (READ_ONCE(group->irq_kept))
		igen_engine_submit(engine);
	local_irq_restore(flags);
}

/**
 * igen_breadcrumbs_init - prepare an engine's breadcrumbs
 * @engine: the engine
 */
void igen_breadcrumbs_init(struct igen_engine *engine)
{
	INIT_WORK(&engine->signal_work, breadcrumbs_signal_work);
	init_irq_work(&engine->arm_work, breadcrumbs_arm_work);
}

/**
 * igen_breadcrumbs_fini - end an engine's breadcrumbs
 * @engine: the engine, which raises no more interrupts
 *
 * Context: may sleep.
 */
void igen_breadcrumbs_fini(struct igen_engine *engine)
{
	irq_work_sync(&engine->arm_work);
	cancel_work_sync(&engine->signal_work);
}
