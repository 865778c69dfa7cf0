// SPDX-License-Identifier: MIT
/**
 * DOC: What a request waits for
 *
 * A request counts the fences that it waits for, and one more until it is committed; at zero the scheduler gets
 * it. Waits are kept until the request is retired, by when all have ended: a wait that ends runs in the signaling
 * context, with the fence's lock held, where nothing can be given up.
 *
 * A wait for the end of a request on another engine hangs on that request until its engine gets it, if the engine that
 * waits can see to the rest (igen_semaphore.c).
 *
 * A wait for the start of another request, rather than its end, hangs on it until its engine works on it: of two pairs
 * that need both of their halves at a time, on the same two engines, the second half of one would else come before that
 * of the other, whose first half is before its own, and none would end. That the engine comes to a request is an event,
 * unless that is behind another one of its timeline, or waits in its ring; so the ends of these are waited for as well.
 *
 * Containers of fences (merged sync files, timelines of syncobjs) are taken apart: what is already over costs nothing,
 * and requests among the rest inherit the priority of whoever waits (igen_inherit.c).
 *
 * Fences of this device signal, since it is reset when it hangs. For another's a request waits no longer than
 * igen_params.fence_timeout_ms; then it runs all the same, and its own fence reports -ETIMEDOUT (so does stock i915).
 */
#include <linux/dma-fence-unwrap.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "igen_submit.h"

static void wait_over(struct igen_request *rq)
{
	if (atomic_dec_and_test(&rq->pending))
		igen_scheduler_ready(rq);
}

static void fence_signaled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct igen_wait *wait = container_of(cb, struct igen_wait, cb);
	struct igen_request *leader = igen_wait_leader(wait);

	if (wait->before)
		igen_scheduler_look(wait->before);
	wait_over(wait->rq);
	/* The wait may be gone. Whoever sees this with the engine's lock held sees who follows in the queue. */
	if (leader)
		atomic_dec(&leader->followers);
}

static struct igen_foreign_wait *to_foreign(struct igen_wait *wait)
{
	return container_of(wait, struct igen_foreign_wait, base);
}

static void foreign_signaled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct igen_foreign_wait *foreign = container_of(cb, struct igen_foreign_wait, base.cb);

	if (xchg(&foreign->over, true))
		return;
	del_timer(&foreign->timer);
	/* The wait may be gone afterwards. */
	wait_over(foreign->base.rq);
}

static void give_up_waiting(struct timer_list *timer)
{
	struct igen_foreign_wait *foreign = from_timer(foreign, timer, timer);
	struct dma_fence *fence = foreign->base.fence;
	struct igen_request *rq = foreign->base.rq;

	if (xchg(&foreign->over, true))
		return;
	drm_notice(&rq->group->igen->drm, "%s waits no longer for fence %s:%s:%llu, which does not signal\n",
		   rq->timeline, fence->ops->get_driver_name(fence), fence->ops->get_timeline_name(fence),
		   fence->seqno);
	/* What went wrong with it before counts more. */
	cmpxchg(&rq->fence.error, 0, -ETIMEDOUT);
	wait_over(rq);
}

/*
 * The request behind a fence, if it is one of the same device and has not completed, or NULL. It may have been retired
 * by the time of the return, and its device gone if that is another one.
 */
static struct igen_request *to_own_request(const struct igen_request *rq, struct dma_fence *fence)
{
	struct igen_request *other = NULL;

	if (!igen_fence_is_request(fence))
		return NULL;

	/* Its LRC, and with it the engine, stays for a grace period once the fence has signaled. */
	rcu_read_lock();
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags) &&
	    to_igen_request(fence)->group->igen == rq->group->igen)
		other = to_igen_request(fence);
	rcu_read_unlock();
	return other;
}

static struct igen_wait *new_wait(struct igen_request *rq, struct dma_fence *fence)
{
	struct igen_request *other = to_own_request(rq, fence);
	struct igen_foreign_wait *foreign = NULL;
	struct igen_wait *wait;

	if (other) {
		wait = kmalloc(sizeof(*wait), GFP_KERNEL);
	} else {
		foreign = kmalloc(sizeof(*foreign), GFP_KERNEL);
		wait = foreign ? &foreign->base : NULL;
	}
	if (!wait)
		return NULL;

	if (foreign) {
		timer_setup(&foreign->timer, give_up_waiting, 0);
		foreign->over = false;
	}
	wait->foreign = foreign;
	wait->rq = rq;
	wait->fence = dma_fence_get(fence);
	wait->request = other;
	wait->for_start = false;
	wait->before = NULL;
	wait->lrc = NULL;
	wait->by_cpu = false;
	INIT_LIST_HEAD(&wait->cb.node);
	INIT_LIST_HEAD(&wait->exec_link);
	return wait;
}

static void free_wait(struct igen_wait *wait)
{
	if (wait->foreign) {
		/* It may have ended without the fence. */
		dma_fence_remove_callback(wait->fence, &wait->cb);
		del_timer_sync(&to_foreign(wait)->timer);
	}
	igen_lrc_put(wait->lrc);
	if (wait->before)
		igen_request_put(wait->before);
	dma_fence_put(wait->fence);
	kfree(wait);
}

/* Earlier ones of the same timeline run earlier anyway. */
static bool in_order(const struct igen_request *rq, const struct dma_fence *fence)
{
	return fence->context == rq->fence.context;
}

/* With the signal @before may begin, or NULL. */
static int await_signal(struct igen_request *rq, struct dma_fence *fence, struct igen_request *before)
{
	unsigned int ms = READ_ONCE(rq->group->igen->params.fence_timeout_ms);
	struct igen_request *leader;
	struct igen_wait *wait;

	wait = new_wait(rq, fence);
	if (!wait)
		return -ENOMEM;

	if (before)
		wait->before = igen_request_get(before);
	leader = igen_wait_leader(wait);
	atomic_inc(&rq->pending);
	if (leader)
		atomic_inc(&leader->followers);
	if (dma_fence_add_callback(fence, &wait->cb, wait->foreign ? foreign_signaled : fence_signaled)) {
		/* It has signaled meanwhile; the creator's count keeps pending from zero. */
		atomic_dec(&rq->pending);
		if (leader)
			atomic_dec(&leader->followers);
		free_wait(wait);
		return 0;
	}

	list_add_tail(&wait->link, &rq->waits);
	/* It may be over by now: then the timer does nothing. */
	if (wait->foreign && ms)
		mod_timer(&to_foreign(wait)->timer, jiffies + msecs_to_jiffies(ms) + 1);
	return 0;
}

/* The other one's group->lock is held. */
static void hang_on_start(struct igen_wait *wait, struct igen_request *other)
{
	atomic_inc(&wait->rq->pending);
	list_add_tail(&wait->exec_link, &other->exec_waits);
}

/* Likewise. Perhaps it has begun, and the wait is over soon. */
static void hang_on_begin(struct igen_wait *wait, struct igen_request *other)
{
	struct igen_engine_group *group = other->group;

	atomic_inc(&wait->rq->pending);
	if (list_empty(&other->begin_waits))
		group->begins_awaited++;
	list_add_tail(&wait->exec_link, &other->begin_waits);
	group->igen->platform->submit->submit(other->engine);
}

/* The engine gets the request once the other one has started, and waits for its end. */
static int await_on_engine(struct igen_request *rq, struct igen_request *other)
{
	struct igen_wait *wait;
	unsigned long flags;
	const u32 *place;

	wait = new_wait(rq, &other->fence);
	if (!wait)
		return -ENOMEM;

	wait->for_start = true;
	spin_lock_irqsave(&other->group->lock, flags);
	place = igen_semaphore_place(other);
	if (place) {
		wait->lrc = igen_lrc_get(other->lrc);
		if (!other->started)
			hang_on_start(wait, other);
	}
	spin_unlock_irqrestore(&other->group->lock, flags);

	if (!place) {
		free_wait(wait);
		return 0;
	}
	list_add_tail(&wait->link, &rq->waits);
	igen_semaphore_emit(rq, wait, place);
	return 0;
}

static int await_end(struct igen_request *rq, struct dma_fence *fence)
{
	struct igen_request *other;

	if (in_order(rq, fence) || dma_fence_is_signaled(fence) || igen_semaphore_covers(rq, fence))
		return 0;
	other = to_own_request(rq, fence);
	if (other && igen_semaphore_possible(rq, other))
		return await_on_engine(rq, other);
	return await_signal(rq, fence, NULL);
}

/* Waits for what comes before another request without an event when that is over. */
static int await_before(struct igen_request *rq, struct igen_request *other)
{
	struct dma_fence *fences[2] = {};
	unsigned int i;
	int err = 0;

	rcu_read_lock();
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &other->fence.flags)) {
		struct igen_lrc *lrc = other->lrc;

		spin_lock(&lrc->requests_lock);
		/* Else it is being retired. */
		if (!list_empty(&other->timeline_link)) {
			if (!list_is_first(&other->timeline_link, &lrc->requests))
				fences[0] = dma_fence_get(&list_prev_entry(other, timeline_link)->fence);
			if (other->semaphore)
				fences[1] = dma_fence_get(other->semaphore->fence);
		}
		spin_unlock(&lrc->requests_lock);
	}
	rcu_read_unlock();

	for (i = 0; i < ARRAY_SIZE(fences); i++) {
		if (fences[i] && !err)
			err = await_signal(rq, fences[i], other);
		dma_fence_put(fences[i]);
	}
	return err;
}

static int await_start(struct igen_request *rq, struct dma_fence *fence)
{
	struct igen_request *other;
	struct igen_wait *wait;
	unsigned long flags;
	bool waits;
	int err;

	if (in_order(rq, fence) || dma_fence_is_signaled(fence))
		return 0;
	other = to_own_request(rq, fence);
	if (!other)
		return await_signal(rq, fence, NULL);

	err = await_before(rq, other);
	if (err)
		return err;
	wait = new_wait(rq, fence);
	if (!wait)
		return -ENOMEM;

	wait->for_start = true;
	spin_lock_irqsave(&other->group->lock, flags);
	waits = !igen_request_completed(other);
	if (waits)
		hang_on_begin(wait, other);
	spin_unlock_irqrestore(&other->group->lock, flags);

	if (waits)
		list_add_tail(&wait->link, &rq->waits);
	else
		free_wait(wait);
	return 0;
}

/* Applies a kind of wait to each fence in a container. */
static int await_each(struct igen_request *rq, struct dma_fence *fence,
		      int (*await)(struct igen_request *rq, struct dma_fence *fence))
{
	struct dma_fence_unwrap cursor;
	struct dma_fence *one;
	int err = 0;

	if (!dma_fence_is_container(fence))
		return await(rq, fence);

	dma_fence_unwrap_for_each(one, &cursor, fence) {
		/* Only at its end the walk drops what it holds. */
		if (!err)
			err = await(rq, one);
	}
	return err;
}

/**
 * igen_request_await - makes a request start only after a fence has signaled
 * @rq: a request not committed
 * @fence: any fence
 *
 * Errors of the fence are not taken over. May sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int igen_request_await(struct igen_request *rq, struct dma_fence *fence)
{
	return await_each(rq, fence, await_end);
}

/**
 * igen_request_await_execution - makes a request start only when the engine of another one works on that
 * @rq: a request not committed
 * @fence: the other one's; a fence that is not a request of this device is waited for until it signals
 *
 * May sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int igen_request_await_execution(struct igen_request *rq, struct dma_fence *fence)
{
	return await_each(rq, fence, await_start);
}

/**
 * igen_request_await_resv - makes a request wait for the uses of an object that it conflicts with
 * @rq: a request not committed
 * @resv: the object's reservation, locked
 * @write: the request writes: reads are waited for too
 *
 * May sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int igen_request_await_resv(struct igen_request *rq, struct dma_resv *resv, bool write)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	int err;

	dma_resv_for_each_fence(&cursor, resv, dma_resv_usage_rw(write), fence) {
		err = igen_request_await(rq, fence);
		if (err)
			return err;
	}

	return 0;
}

/**
 * igen_await_run_started - ends waits for requests that have started or begun
 * @waits: waits taken from those requests, or given up by engines, which go on until their fences signal
 *
 * Any context; no engine's lock held.
 */
void igen_await_run_started(struct list_head *waits)
{
	struct igen_wait *wait, *next;

	/* The waiting request may be retired, and the wait freed, as soon as it is over. */
	list_for_each_entry_safe(wait, next, waits, exec_link) {
		list_del_init(&wait->exec_link);
		if (!wait->by_cpu || dma_fence_add_callback(wait->fence, &wait->cb, fence_signaled))
			wait_over(wait->rq);
	}
}

/**
 * igen_await_forget - frees what a request has waited for
 * @waits: of a request that is being retired
 */
void igen_await_forget(struct list_head *waits)
{
	struct igen_wait *wait, *next;

	list_for_each_entry_safe(wait, next, waits, link)
		free_wait(wait);
}
