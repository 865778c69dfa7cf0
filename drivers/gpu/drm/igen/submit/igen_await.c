// SPDX-License-Identifier: MIT
/**
 * DOC: Dependencies of a request
 *
 * igen_request.pending counts what a request still waits for, plus one until the request is committed. When the count
 * reaches zero the scheduler takes the request. A wait (struct igen_wait) is freed when the waiting request is retired
 * and all its waits are over. It cannot be freed earlier: a wait ends in the signaling context with the fence's lock
 * held, where the reference to the fence must not be dropped.
 *
 * A request can wait for another request in three ways.
 *
 * *For its end, by the CPU*: a fence callback. This is how fences of other drivers are awaited, too.
 *
 * *For its end, by the engine*: the ring of the waiting request begins with MI_SEMAPHORE_WAIT (igen_semaphore.c). The
 * scheduler may take the waiting request as soon as the other request has been given to its own engine.
 *
 * *For its start* (I915_EXEC_FENCE_SUBMIT): the wait is over when the other request's engine works on that request. It
 * does not suffice that the other request is in a port. Two pairs of requests show why. A1 and A2 can finish only while
 * both run, and so can B1 and B2. A2 waits for the start of A1, and B2 for the start of B1::
 *
 *	rcs:  A1 B1	B1 is in the second port, behind A1. If that released B2, vcs might run B2 before A2:
 *	vcs:  B2 A2	B2 needs B1, B1 is behind A1, A1 needs A2, A2 is behind B2. Neither pair finishes.
 *
 * A context switch event tells that an engine has begun a request, with two exceptions. A request that follows another
 * one of its timeline begins without an event. A request that begins with MI_SEMAPHORE_WAIT has an event too early. In
 * both cases the request has really begun when an earlier request ends, so the wait for a start also waits for that
 * end (igen_wait.before).
 *
 * Clients decide how many requests wait for one fence, or for the start of one request. Interrupts are off where such
 * waits end. So only the first ENDS_AT_ONCE of them hand their requests to the scheduler at once. A worker queues the
 * requests of the others (igen_scheduler_ready_later()).
 *
 * Containers of fences (merged sync files, syncobj timelines) are taken apart. Fences that have signaled cost nothing.
 * Requests of the same device inherit the priority of the waiting request (igen_inherit.c).
 *
 * The fences of one timeline (fence context) signal in order, so one wait serves all of them. A request that already
 * waits for the same or a later fence of a timeline needs no other wait; a wait for a later fence replaces the one for
 * an earlier fence. Therefore a request has about as many waits as there are timelines, however many fences userspace
 * names. Waits are charged to the client (mm/igen_budget.c).
 *
 * Fences of this device always signal, since a hung engine is reset. A fence of another driver or device may never
 * signal. A request waits for it no longer than igen_params.fence_timeout_ms; then the request runs all the same, and
 * its own fence reports -ETIMEDOUT (stock i915 does so too).
 */
#include <linux/dma-fence-unwrap.h>
#include <linux/dma-resv.h>
#include <linux/rbtree.h>
#include <linux/slab.h>

#include "../igen_compat.h"
#include "../igen_device.h"
#include "../igen_killable.h"
#include "../mm/igen_budget.h"
#include "igen_submit.h"

/* Waits for one fence, or for the start of requests, that end at once. A worker queues the requests of the others. */
#define ENDS_AT_ONCE	16

/** struct await_ends - the fence that signaled last on a CPU */
struct await_ends {
	/** @context: its fence context, never 0 */
	u64 context;
	/** @seqno: its seqno */
	u64 seqno;
	/** @ended: waits for the fence that have ended on the CPU */
	unsigned int ended;
};

static DEFINE_PER_CPU(struct await_ends, await_ends);

/*
 * Counts a wait that ends with a fence. Returns true when ENDS_AT_ONCE waits have ended with the fence before. All
 * callbacks of a fence run on one CPU, with interrupts off, so the count needs neither a lock nor a reset.
 */
static bool await_is_crowded(const struct dma_fence *fence)
{
	struct await_ends *ends = get_cpu_ptr(&await_ends);
	bool crowded;

	if (ends->context != fence->context || ends->seqno != fence->seqno)
		*ends = (struct await_ends){ .context = fence->context, .seqno = fence->seqno };
	crowded = ends->ended >= ENDS_AT_ONCE;
	if (!crowded)
		ends->ended++;
	put_cpu_ptr(&await_ends);
	return crowded;
}

/* One wait of a request is over. The last one hands the request to the scheduler; @later: to the scheduler's worker. */
static void await_over(struct igen_request *rq, bool later)
{
	/* As soon as the count is zero, the request may run to its end and be retired. */
	rcu_read_lock();
	if (atomic_dec_and_test(&rq->pending)) {
		if (unlikely(later))
			igen_scheduler_ready_later(rq);
		else
			igen_scheduler_ready(rq);
	}
	rcu_read_unlock();
}

static void await_fence_signaled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct igen_wait *wait = container_of(cb, struct igen_wait, cb);
	struct igen_request *leader = igen_wait_leader(wait);
	bool later = await_is_crowded(fence);

	if (wait->before && later)
		igen_scheduler_look_later(wait->before);
	else if (wait->before)
		igen_scheduler_look(wait->before);
	await_over(wait->rq, later);
	/*
	 * The wait may have been freed by now. The count drops only after await_over(): code that finds it at zero with
	 * the engine's lock held finds the followers in the queue, or they come with the worker.
	 */
	if (leader)
		atomic_dec(&leader->followers);
}

static struct igen_foreign_wait *to_foreign_wait(struct igen_wait *wait)
{
	return container_of(wait, struct igen_foreign_wait, base);
}

static void await_foreign_signaled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct igen_foreign_wait *foreign = container_of(cb, struct igen_foreign_wait, base.cb);

	if (xchg(&foreign->over, true))
		return;
	igen_timer_delete(&foreign->timer);
	/* From here on the wait may have been freed. */
	await_over(foreign->base.rq, await_is_crowded(fence));
}

/* The fence has not signaled in time: the request runs without it. */
static void await_foreign_timeout(struct timer_list *timer)
{
	struct igen_foreign_wait *foreign = container_of(timer, struct igen_foreign_wait, timer);
	struct dma_fence *fence = foreign->base.fence;
	struct igen_request *rq = foreign->base.rq;

	if (xchg(&foreign->over, true))
		return;
	rcu_read_lock();
	drm_notice(&rq->group->igen->drm, "%s waits no longer for fence %s:%s:%llu, which does not signal\n",
		   rq->timeline, igen_fence_driver_name(fence), igen_fence_timeline_name(fence), fence->seqno);
	rcu_read_unlock();
	/* An earlier error of the request is kept. */
	cmpxchg(&rq->fence.error, 0, -ETIMEDOUT);
	await_over(rq, false);
}

/*
 * The request of a fence if that is a request of the same device and has not signaled; else NULL. The request may have
 * been retired by the time of the return.
 */
static struct igen_request *await_own_request(const struct igen_request *rq, struct dma_fence *fence)
{
	struct igen_request *other = NULL;

	if (!igen_fence_is_request(fence))
		return NULL;

	/* The group may be of another device. It lives for an RCU grace period after the fence has signaled. */
	rcu_read_lock();
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags) &&
	    to_igen_request(fence)->group->igen == rq->group->igen)
		other = to_igen_request(fence);
	rcu_read_unlock();
	return other;
}

/* The order of the tree igen_request.awaited: by fence context, then waits for the end before waits for the start. */
static bool await_is_before(u64 context, bool for_start, const struct igen_wait *wait)
{
	if (context != wait->fence->context)
		return context < wait->fence->context;
	return for_start < wait->for_start;
}

/* The wait of an uncommitted request for a fence context, for an end or for a start; NULL if there is none. */
static struct igen_wait *await_find(struct igen_request *rq, u64 context, bool for_start)
{
	struct rb_node *node = rq->awaited.rb_node;
	struct igen_wait *wait;

	while (node) {
		wait = rb_entry(node, struct igen_wait, node);
		if (context == wait->fence->context && for_start == wait->for_start)
			return wait;
		node = await_is_before(context, for_start, wait) ? node->rb_left : node->rb_right;
	}
	return NULL;
}

/* Puts a wait into the tree that await_find() searches. It replaces @old there unless that is NULL. */
static void await_publish(struct igen_request *rq, struct igen_wait *wait, struct igen_wait *old)
{
	struct rb_node **at = &rq->awaited.rb_node, *parent = NULL;

	if (old) {
		rb_replace_node(&old->node, &wait->node, &rq->awaited);
		return;
	}
	while (*at) {
		parent = *at;
		if (await_is_before(wait->fence->context, wait->for_start, rb_entry(parent, struct igen_wait, node)))
			at = &parent->rb_left;
		else
			at = &parent->rb_right;
	}
	rb_link_node(&wait->node, parent, at);
	rb_insert_color(&wait->node, &rq->awaited);
}

static size_t await_wait_size(bool foreign)
{
	return foreign ? sizeof(struct igen_foreign_wait) : sizeof(struct igen_wait);
}

static struct igen_wait *await_new(struct igen_request *rq, struct dma_fence *fence)
{
	struct igen_request *other = await_own_request(rq, fence);
	struct igen_foreign_wait *foreign = NULL;
	struct igen_wait *wait;

	if (igen_budget_charge_request(rq->budget, await_wait_size(!other)))
		return NULL;
	if (other) {
		wait = kmalloc(sizeof(*wait), IGEN_GFP_CLIENT);
	} else {
		foreign = kmalloc(sizeof(*foreign), IGEN_GFP_CLIENT);
		wait = foreign ? &foreign->base : NULL;
	}
	if (!wait) {
		igen_budget_uncharge(rq->budget, await_wait_size(!other));
		return NULL;
	}

	if (foreign) {
		timer_setup(&foreign->timer, await_foreign_timeout, 0);
		foreign->over = false;
	}
	wait->foreign = !!foreign;
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

static void await_free(struct igen_wait *wait)
{
	if (wait->foreign) {
		/* A wait that ended by its timer still has its callback on the fence. */
		dma_fence_remove_callback(wait->fence, &wait->cb);
		igen_timer_delete_sync(&to_foreign_wait(wait)->timer);
	}
	igen_lrc_put(wait->lrc);
	if (wait->before)
		igen_request_put(wait->before);
	dma_fence_put(wait->fence);
	igen_budget_uncharge(wait->rq->budget, await_wait_size(wait->foreign));
	kfree(wait);
}

/* Ends and frees a wait that await_signal() made for a request that is not committed yet. */
static void await_drop(struct igen_wait *wait)
{
	struct igen_request *leader = igen_wait_leader(wait);
	bool unfinished;

	if (wait->foreign)
		unfinished = !xchg(&to_foreign_wait(wait)->over, true);
	else
		unfinished = dma_fence_remove_callback(wait->fence, &wait->cb);
	if (unfinished) {
		/* Does not reach zero: igen_request_add() has not dropped its count yet. */
		atomic_dec(&wait->rq->pending);
		if (leader)
			atomic_dec(&leader->followers);
	}
	list_del(&wait->link);
	await_free(wait);
}

/* The fence is of the request's own timeline, whose requests run in order anyway. */
static bool await_is_in_order(const struct igen_request *rq, const struct dma_fence *fence)
{
	return fence->context == rq->fence.context;
}

/* Does the request already wait for this fence, or for a later one of the same timeline? */
static bool await_is_covered(struct igen_request *rq, struct dma_fence *fence, bool for_start)
{
	struct igen_wait *wait = await_find(rq, fence->context, for_start);

	return wait && !dma_fence_is_later(fence, wait->fence);
}

/*
 * Has a request wait for a fence by a callback. @before: the fence precedes the start of this request, for which @rq
 * waits; NULL for a wait for the fence itself, which await_is_covered() has not found to be needless.
 */
static int await_signal(struct igen_request *rq, struct dma_fence *fence, struct igen_request *before)
{
	unsigned int ms = READ_ONCE(rq->group->igen->params.fence_timeout_ms);
	struct igen_wait *wait, *old;
	struct igen_request *leader;

	wait = await_new(rq, fence);
	if (!wait)
		return -ENOMEM;

	if (before)
		wait->before = igen_request_get(before);
	leader = igen_wait_leader(wait);
	atomic_inc(&rq->pending);
	if (leader)
		atomic_inc(&leader->followers);
	if (dma_fence_add_callback(fence, &wait->cb, wait->foreign ? await_foreign_signaled : await_fence_signaled)) {
		/* The fence has signaled. The count does not reach zero: igen_request_add() has not dropped its own. */
		atomic_dec(&rq->pending);
		if (leader)
			atomic_dec(&leader->followers);
		await_free(wait);
		return 0;
	}

	list_add_tail(&wait->link, &rq->waits);
	/* If the wait is over by now the timer does nothing. */
	if (wait->foreign && ms)
		mod_timer(&to_foreign_wait(wait)->timer, jiffies + msecs_to_jiffies(ms) + 1);
	if (before)
		return 0;

	/* The callers have checked with await_is_covered(), so a wait that is found is for an earlier fence. */
	old = await_find(rq, fence->context, false);
	await_publish(rq, wait, old);
	if (old)
		await_drop(old);
	return 0;
}

/* The wait ends when the other request is given to its engine. The other request's group->lock is held. */
static void await_link_start(struct igen_wait *wait, struct igen_request *other)
{
	atomic_inc(&wait->rq->pending);
	list_add_tail(&wait->exec_link, &other->exec_waits);
}

/* The wait ends when the other request's engine works on that request. The other request's group->lock is held. */
static void await_link_begin(struct igen_wait *wait, struct igen_request *other)
{
	struct igen_engine_group *group = other->group;

	atomic_inc(&wait->rq->pending);
	if (list_empty(&other->begin_waits))
		group->begins_awaited++;
	list_add_tail(&wait->exec_link, &other->begin_waits);
	/* The other request may have begun already: the backend looks. */
	group->igen->platform->submit->submit(other->engine);
}

/* Has the request's engine wait for the end of another request. The CPU waits until the other has started. */
static int await_on_engine(struct igen_request *rq, struct igen_request *other)
{
	struct igen_wait *wait;
	unsigned long flags;
	const u32 *place;

	wait = await_new(rq, &other->fence);
	if (!wait)
		return -ENOMEM;

	wait->for_start = true;
	spin_lock_irqsave(&other->group->lock, flags);
	place = igen_semaphore_place(other);
	if (place) {
		wait->lrc = igen_lrc_get(other->lrc);
		if (!other->started)
			await_link_start(wait, other);
	}
	spin_unlock_irqrestore(&other->group->lock, flags);

	if (!place) {
		await_free(wait);
		return 0;
	}
	list_add_tail(&wait->link, &rq->waits);
	igen_semaphore_emit(rq, wait, place);
	return 0;
}

static int await_end(struct igen_request *rq, struct dma_fence *fence)
{
	struct igen_request *other;

	if (await_is_in_order(rq, fence) || dma_fence_is_signaled(fence) || igen_semaphore_covers(rq, fence) ||
	    await_is_covered(rq, fence, false))
		return 0;
	other = await_own_request(rq, fence);
	if (other && rq->engine->emit->semaphore && igen_semaphore_possible(rq, other))
		return await_on_engine(rq, other);
	return await_signal(rq, fence, NULL);
}

/*
 * Has a request wait for what precedes the start of another request and ends without a context switch event: the
 * previous request of the other's timeline, and the request that the other's engine waits for by semaphore.
 */
static int await_before(struct igen_request *rq, struct igen_request *other)
{
	struct dma_fence *fences[2] = {};
	unsigned int i;
	int err = 0;

	rcu_read_lock();
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &other->fence.flags)) {
		struct igen_lrc *lrc = other->lrc;

		spin_lock(&lrc->timeline.lock);
		/* A request off its timeline has been retired, and has thus begun. */
		if (!list_empty(&other->timeline_link)) {
			if (!list_is_first(&other->timeline_link, &lrc->timeline.requests))
				fences[0] = dma_fence_get(&list_prev_entry(other, timeline_link)->fence);
			if (other->semaphore)
				fences[1] = dma_fence_get(other->semaphore->fence);
		}
		spin_unlock(&lrc->timeline.lock);
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

	if (await_is_in_order(rq, fence) || dma_fence_is_signaled(fence) || await_is_covered(rq, fence, true))
		return 0;
	other = await_own_request(rq, fence);
	if (!other)
		return await_is_covered(rq, fence, false) ? 0 : await_signal(rq, fence, NULL);

	err = await_before(rq, other);
	if (err)
		return err;
	wait = await_new(rq, fence);
	if (!wait)
		return -ENOMEM;

	wait->for_start = true;
	spin_lock_irqsave(&other->group->lock, flags);
	waits = !igen_request_completed(other);
	if (waits)
		await_link_begin(wait, other);
	spin_unlock_irqrestore(&other->group->lock, flags);

	if (waits) {
		list_add_tail(&wait->link, &rq->waits);
		/*
		 * A wait for the start of an earlier request is not dropped. It is in a list of that request, whose
		 * engine may be ending it just now.
		 */
		await_publish(rq, wait, await_find(rq, fence->context, true));
	} else {
		await_free(wait);
	}
	return 0;
}

/* Calls @await for each fence in a container, or for the fence itself. */
static int await_each(struct igen_request *rq, struct dma_fence *fence,
		      int (*await)(struct igen_request *rq, struct dma_fence *fence))
{
	struct dma_fence_unwrap cursor;
	struct dma_fence *one;
	u64 round = 0;
	int err = 0;

	if (!dma_fence_is_container(fence))
		return await(rq, fence);

	/* Userspace decides how many fences a container has, so the loop looks for SIGKILL. */
	dma_fence_unwrap_for_each(one, &cursor, fence) {
		err = igen_check_killed_at(round++);
		if (!err)
			err = await(rq, one);
		if (err) {
			/* The iterator drops its reference only when it comes to its end. */
			dma_fence_put(cursor.chain);
			break;
		}
	}
	return err;
}

/**
 * igen_request_await - have a request run only after a fence has signaled
 * @rq: a request not committed
 * @fence: any fence
 *
 * The request does not inherit an error of the fence.
 *
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 * Context: may sleep; the timeline's mutex is held.
 */
int igen_request_await(struct igen_request *rq, struct dma_fence *fence)
{
	return await_each(rq, fence, await_end);
}

/**
 * igen_request_await_execution - have a request run only when another request's engine works on that
 * @rq: a request not committed
 * @fence: the other request's fence. If it is not a request of this device, @rq waits until the fence signals
 *
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 * Context: may sleep; the timeline's mutex is held.
 */
int igen_request_await_execution(struct igen_request *rq, struct dma_fence *fence)
{
	return await_each(rq, fence, await_start);
}

/**
 * igen_request_await_resv - have a request wait for conflicting uses of an object
 * @rq: a request not committed
 * @resv: the object's reservation, locked
 * @write: the request writes the object, so it waits for readers as well as for writers
 *
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 * Context: may sleep; the timeline's mutex is held.
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
 * igen_await_run_started - end waits for the start of requests
 * @waits: waits of two kinds, linked by exec_link. Waits taken from requests that have started or begun are over.
 *	Waits that igen_semaphore_give_up() took from an engine go on by a fence callback.
 *
 * Context: any; no engine's lock is held.
 */
void igen_await_run_started(struct list_head *waits)
{
	struct igen_wait *wait, *next;
	unsigned int ended = 0;

	/* As soon as a wait is over its request may be retired, which frees the wait. */
	list_for_each_entry_safe(wait, next, waits, exec_link) {
		list_del_init(&wait->exec_link);
		if (!wait->by_cpu || dma_fence_add_callback(wait->fence, &wait->cb, await_fence_signaled))
			await_over(wait->rq, ended++ >= ENDS_AT_ONCE);
	}
}

/**
 * igen_await_forget - free the waits of a request
 * @waits: the waits of a request that is being retired
 *
 * Context: process; no spinlock is held.
 */
void igen_await_forget(struct list_head *waits)
{
	struct igen_wait *wait, *next;

	list_for_each_entry_safe(wait, next, waits, link)
		await_free(wait);
}
