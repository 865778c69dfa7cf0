// SPDX-License-Identifier: MIT
/**
 * DOC: Requests
 *
 * A request is a piece of its LRC's ring and a fence. The life of a request::
 *
 *	igen_request_create()        takes the timeline's mutex and ring space
 *	igen_request_await()...      adds fences that the request waits for
 *	igen_request_emit_batch()... writes commands to the ring
 *	igen_request_add()           writes the breadcrumb, hands the request to the scheduler, drops the mutex
 *	(the engine runs it)         the engine writes the seqno
 *	retire                       frees the ring space (igen_retire.c)
 *
 * The requests of a timeline run in the order in which they are committed, because the timeline's mutex is held from
 * create to add. igen_request_create() takes ring space for the whole request in one piece, including the driver's own
 * commands. Therefore the commit cannot fail, and no request wraps around the end of the ring. Where commands lie::
 *
 *	head                infix                postfix           tail
 *	| semaphore, early  | invalidation of    | seqno,          | spare    |
 *	| relocations       | caches, the batch  | user interrupt  | commands |
 *	  always runs         blanked by           always runs
 *	                      igen_request_skip()
 *
 * The spare commands do nothing. Execlists move the tail behind them when they submit the same tail a second time.
 *
 * The fence signals after the engine has written the seqno: by interrupt if the fence has waiters (igen_breadcrumbs.c),
 * else when the request is retired.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/slab.h>

#include <igen/cmd/mi.h>

#include "../igen_compat.h"
#include "../igen_device.h"
#include "../igen_trace.h"
#include "../mm/igen_bo.h"
#include "../mm/igen_budget.h"
#include "igen_capture.h"
#include "igen_retire.h"
#include "igen_submit.h"

static struct kmem_cache *request_cache;

/* How many requests exist, summed over all processors. The count of one processor alone may be negative. */
static DEFINE_PER_CPU(long, live_requests);

static const char *request_driver_name(struct dma_fence *fence)
{
	return "igen";
}

static const char *request_timeline_name(struct dma_fence *fence)
{
	return to_igen_request(fence)->timeline;
}

static bool request_enable_signaling(struct dma_fence *fence)
{
	return igen_breadcrumbs_add(to_igen_request(fence));
}

static bool request_signaled(struct dma_fence *fence)
{
	return igen_request_completed(to_igen_request(fence));
}

/*
 * The nanoseconds for which a wait may spin. 0 unless the engine works on the request: the hardware has the request,
 * and the timeline's previous request has completed.
 */
static u64 request_busywait_ns(const struct igen_request *rq)
{
	u64 ns = 0;

	/* The device outlives a fence that has not signaled by an RCU grace period. */
	rcu_read_lock();
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags) && READ_ONCE(rq->submitted) &&
	    (s32)(READ_ONCE(*READ_ONCE(rq->hwsp_seqno)) - (lower_32_bits(rq->fence.seqno) - 1)) >= 0)
		ns = READ_ONCE(READ_ONCE(rq->engine)->props.max_busywait_duration_ns);
	rcu_read_unlock();
	return ns;
}

/*
 * Looks at the seqno for a moment. For a request that is about to complete, this costs less than to sleep and be
 * woken. Returns true when the fence has signaled.
 */
static bool request_spin(struct igen_request *rq, bool intr)
{
	u64 ns = request_busywait_ns(rq), end;

	if (!ns)
		return false;

	end = ktime_get_ns() + ns;
	do {
		if (dma_fence_is_signaled(&rq->fence))
			return true;
		if (signal_pending_state(intr ? TASK_INTERRUPTIBLE : TASK_UNINTERRUPTIBLE, current))
			return false;
		cpu_relax();
	} while (!need_resched() && ktime_get_ns() < end);
	return false;
}

/* Spins; waits for a jiffy; then raises the GPU's clock if the request has not completed, and waits on. */
static signed long request_wait_and_boost(struct dma_fence *fence, bool intr, signed long timeout)
{
	unsigned long flags;
	signed long left;

	if (timeout && request_spin(to_igen_request(fence), intr))
		return timeout;

	left = dma_fence_default_wait(fence, intr, min(timeout, 1L));
	if (left || !timeout)
		return left > 0 ? max(timeout, 1L) : left;

	spin_lock_irqsave(igen_fence_spinlock(fence), flags);
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags))
		igen_governor_boost(to_igen_request(fence));
	spin_unlock_irqrestore(igen_fence_spinlock(fence), flags);

	if (timeout != MAX_SCHEDULE_TIMEOUT)
		timeout--;
	return dma_fence_default_wait(fence, intr, timeout);
}

/*
 * Tells the engine and the number of the device of a request whose fence has not signaled. False when it has: then the
 * device may be gone. The context keeps the device until then, and for an RCU grace period more.
 */
static bool request_locate(struct igen_request *rq, const struct igen_engine_info **info, u32 *dev)
{
	struct igen_engine *engine;
	bool waits;

	rcu_read_lock();
	waits = !test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags);
	if (waits) {
		engine = READ_ONCE(rq->engine);
		*info = engine->info;
		*dev = engine->igen->drm.primary->index;
	}
	rcu_read_unlock();
	return waits;
}

static signed long request_wait_traced(struct dma_fence *fence, bool intr, signed long timeout)
{
	struct igen_request *rq = to_igen_request(fence);
	const struct igen_engine_info *info;
	signed long left;
	u32 dev;

	if (!timeout || !request_locate(rq, &info, &dev))
		return request_wait_and_boost(fence, intr, timeout);

	trace_i915_request_wait_begin(rq, info, dev, intr);
	left = request_wait_and_boost(fence, intr, timeout);
	trace_i915_request_wait_end(rq, info, dev);
	return left;
}

static signed long request_wait(struct dma_fence *fence, bool intr, signed long timeout)
{
	if (trace_i915_request_wait_begin_enabled() || trace_i915_request_wait_end_enabled())
		return request_wait_traced(fence, intr, timeout);
	return request_wait_and_boost(fence, intr, timeout);
}

/**
 * igen_request_free_list - free the memory of requests
 * @rq: the requests, linked by next_free and charged to one budget, or NULL; no reader of their fences is left
 *
 * Context: any.
 */
void igen_request_free_list(struct igen_request *rq)
{
	struct igen_budget *budget = rq ? rq->budget : NULL;
	struct igen_request *next;
	size_t num;

	for (num = 0; rq; num++) {
		next = rq->next_free;
		kmem_cache_free(request_cache, rq);
		rq = next;
	}
	this_cpu_sub(live_requests, num);
	igen_budget_uncharge(budget, num * sizeof(*rq));
}

static void request_free(struct igen_request *rq)
{
	rq->next_free = NULL;
	igen_request_free_list(rq);
}

/**
 * igen_request_free_charges - free what a client pays for beside a request
 * @rq: the request; no reader of its fence is left
 *
 * Context: any.
 */
void igen_request_free_charges(struct igen_request *rq)
{
	if (unlikely(rq->capture)) {
		igen_budget_uncharge(rq->budget, igen_capture_list_bytes(rq->capture->room));
		kfree(rq->capture);
	}
	if (unlikely(rq->charged))
		igen_budget_uncharge(rq->budget, rq->charged);
}

static void request_free_rcu(struct rcu_head *rcu)
{
	struct igen_request *rq = container_of(rcu, struct igen_request, rcu);

	igen_request_free_charges(rq);
	igen_client_put(rq->client);
	request_free(rq);
}

static void request_release(struct dma_fence *fence)
{
	struct igen_request *rq = to_igen_request(fence);

	if (!igen_request_pool_put(rq))
		call_rcu(&rq->rcu, request_free_rcu);
}

static const struct dma_fence_ops request_fence_ops = {
	.get_driver_name = request_driver_name,
	.get_timeline_name = request_timeline_name,
	.enable_signaling = request_enable_signaling,
	.signaled = request_signaled,
	.wait = request_wait,
	.release = request_release,
};

/**
 * igen_fence_is_request - tells this driver's requests from other fences
 * @fence: any fence
 *
 * Return: true for a request of this driver, of this or another device.
 */
bool igen_fence_is_request(const struct dma_fence *fence)
{
	return igen_fence_has_ops(fence, &request_fence_ops);
}

/**
 * igen_fence_is_request_of - tells a device's requests from other fences
 * @igen: the device
 * @fence: any fence
 *
 * Return: true for a request of this device; false for one of another device of this driver.
 */
bool igen_fence_is_request_of(const struct igen_device *igen, const struct dma_fence *fence)
{
	const struct igen_engine_group *group;

	if (!igen_fence_is_request(fence))
		return false;
	/* The other device may be gone, so nothing is read from the group. */
	group = container_of(fence, struct igen_request, fence)->group;
	return group >= igen->group && group < igen->group + IGEN_NUM_CLASSES;
}

/* Bytes that the driver adds to each request; the same on all engines. */
static u32 request_driver_bytes(const struct igen_lrc *lrc)
{
	return READ_ONCE(lrc->engine)->emit->request_dw * sizeof(u32);
}

/*
 * Waits for the oldest requests of the timeline and retires them, until the ring has room. Also binds a ring that was
 * evicted from the GGTT: such a ring looks full, so its next request comes here. The timeline's mutex is held.
 */
static int request_wait_for_space(struct igen_lrc *lrc, u32 bytes, bool nonblock)
{
	int err = igen_lrc_pin(lrc);

	if (err)
		return err;
	igen_lrc_retire(lrc);

	while (igen_ring_free(&lrc->ring) < bytes) {
		struct igen_request *rq;
		long left;

		if (drm_WARN_ON(&lrc->group->igen->drm, list_empty(&lrc->timeline.requests)))
			return -ENOSPC;
		if (nonblock)
			return -EWOULDBLOCK;

		rq = list_first_entry(&lrc->timeline.requests, struct igen_request, timeline_link);
		igen_request_get(rq);
		/*
		 * A request that waits for another driver's fence signals only after that fence, even when the device
		 * has gone. So the wait looks from time to time whether the device has gone.
		 */
		left = dma_fence_wait_timeout(&rq->fence, true, IGEN_UNPLUG_CHECK);
		igen_request_put(rq);
		if (left < 0)
			return left;
		if (!left && drm_dev_is_unplugged(&lrc->group->igen->drm))
			return -ENODEV;

		igen_lrc_retire(lrc);
	}

	return 0;
}

/**
 * igen_request_make_room - wait until the ring has room for a request without extra commands
 * @lrc: the LRC whose ring it is
 * @nonblock: fail instead of waiting
 *
 * A caller that is about to lock objects calls this first. Then a full ring delays only the client that fills it, not
 * other clients that wait for the objects' locks. Another thread of the context may take the room; then
 * igen_request_create() waits.
 *
 * Return: 0; -EWOULDBLOCK, -ERESTARTSYS, -ENODEV when the device has gone, or as igen_lrc_pin().
 * Context: may sleep; takes the timeline's mutex.
 */
int igen_request_make_room(struct igen_lrc *lrc, bool nonblock)
{
	const u32 bytes = request_driver_bytes(lrc);
	int err;

	/* Nearly always there is room. Without the mutex the check is only a guess, which does no harm. */
	if (likely(data_race(igen_ring_free(&lrc->ring) >= igen_ring_bytes_with_wrap(&lrc->ring, bytes))))
		return 0;

	if (mutex_lock_interruptible(&lrc->timeline.mutex))
		return -ERESTARTSYS;
	err = request_wait_for_space(lrc, igen_ring_bytes_with_wrap(&lrc->ring, bytes), nonblock);
	mutex_unlock(&lrc->timeline.mutex);
	return err;
}

/**
 * igen_lrc_newest - find the newest request of a timeline that has not completed and is old enough
 * @lrc: the LRC, of a context that the caller holds
 * @limit: in jiffies; later requests are passed over
 *
 * Does not take the timeline's mutex. Its holder may be waiting for ring space, which takes as long as a batch runs.
 *
 * Return: the request, with a reference, or NULL.
 * Context: any but interrupts; takes lrc->timeline.lock.
 */
struct igen_request *igen_lrc_newest(struct igen_lrc *lrc, unsigned long limit)
{
	struct igen_request *rq, *found = NULL;

	spin_lock(&lrc->timeline.lock);
	list_for_each_entry_reverse(rq, &lrc->timeline.requests, timeline_link) {
		if (igen_request_completed(rq))
			break;
		if (time_after(rq->emitted_jiffies, limit))
			continue;
		found = igen_request_get(rq);
		break;
	}
	spin_unlock(&lrc->timeline.lock);

	return found;
}

/*
 * Sets up all fields of a new request but the lock, and those that the scheduler sets before it reads them. The
 * timeline's mutex is held, and the ring has room.
 */
static void request_init(struct igen_request *rq, struct igen_lrc *lrc, struct igen_engine *engine, u32 bytes)
{
	/* The kernel's trace event of a new fence has the timeline's name. */
	memcpy(rq->timeline, lrc->context->name, sizeof(rq->timeline));
	dma_fence_init(&rq->fence, &request_fence_ops, &rq->fence_lock, lrc->timeline.fence_context,
		       igen_timeline_next_seqno(&lrc->timeline));
	rq->group = lrc->group;
	rq->engine = engine;
	rq->info = engine->info;
	rq->lrc = lrc;
	rq->context = lrc->context;
	rq->pid = lrc->context->pid;
	rq->driver = test_bit(IGEN_CONTEXT_DRIVER, &lrc->context->flags);
	rq->hwsp_seqno = lrc->timeline.hwsp_seqno;
	rq->head = lrc->ring.tail;
	rq->infix = lrc->ring.tail;
	rq->reserved = bytes;
	rq->priority = READ_ONCE(lrc->context->priority);
	atomic_set(&rq->followers, 0);
	rq->follower_priority = INT_MIN;
	rq->wanted_priority = INT_MIN;
	atomic_set(&rq->pending, 1);
	INIT_LIST_HEAD(&rq->waits);
	rq->awaited = RB_ROOT;
	rq->semaphore = NULL;
	rq->semaphore_place = NULL;
	rq->client = lrc->context->client;
	if (rq->client)
		kref_get(&rq->client->ref);
	rq->share = NULL;
	INIT_LIST_HEAD(&rq->link);
	INIT_LIST_HEAD(&rq->lrc_link);
	INIT_LIST_HEAD(&rq->run_link);
	INIT_LIST_HEAD(&rq->timeline_link);
	INIT_LIST_HEAD(&rq->inherit_link);
	INIT_LIST_HEAD(&rq->signal_link);
	rq->signal_listed = false;
	INIT_LIST_HEAD(&rq->exec_waits);
	INIT_LIST_HEAD(&rq->begin_waits);
	rq->batch_start = 0;
	rq->original = 0;
	rq->privileged = 0;
	rq->circles = false;
	rq->capture = NULL;
	rq->charged = 0;
	rq->queued = false;
	rq->submitted = false;
	rq->started = false;
	rq->expired = false;
	rq->hung = false;
	rq->seconds = 0;
}

/* Memory for a request, which its client pays for. A pulse must not wait for memory. NULL when there is none. */
static struct igen_request *request_alloc(struct igen_lrc *lrc, bool pulse)
{
	struct igen_client *client = lrc->context->client;
	struct igen_budget *budget = lrc->vm->budget;
	struct igen_request *rq = NULL;

	if (likely(client && client->budget == budget))
		rq = igen_request_pool_get(&client->pool);
	if (likely(rq))
		return rq;
	if (igen_budget_charge_request(budget, sizeof(*rq)))
		return NULL;
	rq = kmem_cache_alloc(request_cache, pulse ? GFP_ATOMIC | __GFP_NOWARN : IGEN_GFP_CLIENT);
	if (!rq) {
		igen_budget_uncharge(budget, sizeof(*rq));
		return NULL;
	}
	rq->budget = budget;
	this_cpu_inc(live_requests);
	return rq;
}

/* Begins a request of a device that is awake. For a pulse it waits only for the timeline's mutex, uninterruptibly. */
static struct igen_request *request_create(struct igen_lrc *lrc, u32 bytes, bool nonblock, bool pulse)
{
	struct igen_engine *engine = READ_ONCE(lrc->engine);
	struct igen_request *rq = request_alloc(lrc, pulse);
	u32 need;
	int err;

	if (!rq)
		return ERR_PTR(-ENOMEM);
	if (pulse) {
		mutex_lock(&lrc->timeline.mutex);
	} else if (mutex_lock_interruptible(&lrc->timeline.mutex)) {
		request_free(rq);
		return ERR_PTR(-ERESTARTSYS);
	}

	need = igen_ring_bytes_with_wrap(&lrc->ring, bytes);
	if (igen_ring_free(&lrc->ring) < need) {
		err = request_wait_for_space(lrc, need, nonblock);
		if (err) {
			mutex_unlock(&lrc->timeline.mutex);
			request_free(rq);
			return ERR_PTR(err);
		}
	}

	if (need != bytes)
		igen_ring_wrap(&lrc->ring);
	request_init(rq, lrc, engine, bytes);
	return rq;
}

/**
 * igen_request_create - begin a request
 * @lrc: the LRC in which the request will run
 * @dwords: ring space for igen_request_emit(), in addition to the driver's own commands and one batch
 * @nonblock: fail instead of waiting for ring space
 *
 * Takes the timeline's mutex, and a reference that wakes the device and keeps it awake. igen_request_add() or
 * igen_request_cancel() has to follow, and drops both. The wait for ring space is interruptible. It is bounded, since
 * the heartbeat resets an engine that hangs.
 *
 * Return: the request, with a reference for the caller; ERR_PTR of -EIO (the GPU is wedged, or the context is banned),
 * -EINVAL (more than the ring can ever hold), -EWOULDBLOCK, -ENOMEM, -ENOSPC (as igen_lrc_pin()), -ERESTARTSYS,
 * -ENODEV, or the error of waking the device.
 * Context: may sleep.
 */
struct igen_request *igen_request_create(struct igen_lrc *lrc, unsigned int dwords, bool nonblock)
{
	u32 bytes = ALIGN(dwords, 2) * sizeof(u32) + request_driver_bytes(lrc);
	struct igen_device *igen = lrc->group->igen;
	struct igen_request *rq;
	int err;

	if (unlikely(READ_ONCE(igen->wedged) || test_bit(IGEN_CONTEXT_BANNED, &lrc->context->flags)))
		return ERR_PTR(-EIO);
	/* A request that wraps also takes the bytes before the ring's end, nearly as many as its own. */
	if (bytes > lrc->ring.size / 2 - IGEN_RING_GAP)
		return ERR_PTR(-EINVAL);

	/* Held until igen_request_add(). From then on the GT, which has work, keeps the device awake. */
	err = igen_rpm_get(igen);
	if (err)
		return ERR_PTR(err);
	rq = request_create(lrc, bytes, nonblock, false);
	if (IS_ERR(rq))
		igen_rpm_put(igen);
	return rq;
}

/**
 * igen_request_create_pulse - begin a request that memory reclaim may be waiting for
 * @lrc: the LRC of a context of the driver
 *
 * Like igen_request_create() without space for further commands, with three differences. It does not wake the device,
 * does not wait for memory, and does not wait for ring space.
 *
 * Return: as igen_request_create(), and ERR_PTR(-EAGAIN) when the device is asleep.
 * Context: may sleep; takes the timeline's mutex.
 */
struct igen_request *igen_request_create_pulse(struct igen_lrc *lrc)
{
	struct igen_device *igen = lrc->group->igen;
	struct igen_request *rq;

	if (READ_ONCE(igen->wedged))
		return ERR_PTR(-EIO);
	if (!igen_rpm_get_if_awake(igen))
		return ERR_PTR(-EAGAIN);
	rq = request_create(lrc, request_driver_bytes(lrc), true, true);
	if (IS_ERR(rq))
		igen_rpm_put(igen);
	return rq;
}

/**
 * igen_request_emit - take ring space of a request
 * @rq: a request not committed
 * @dwords: how many, rounded up to an even number
 *
 * Return: a pointer to the space; the caller writes all @dwords. NULL, with a warning, if the request has less ring
 * space left.
 */
u32 *igen_request_emit(struct igen_request *rq, unsigned int dwords)
{
	u32 bytes = ALIGN(dwords, 2) * sizeof(u32);
	u32 *cs;

	lockdep_assert_held(&rq->lrc->timeline.mutex);
	if (drm_WARN_ON(&rq->group->igen->drm, bytes > rq->reserved))
		return NULL;

	rq->reserved -= bytes;
	cs = igen_ring_advance(&rq->lrc->ring, bytes);
	if (dwords & 1)
		cs[dwords] = MI_NOOP;
	return cs;
}

/**
 * igen_request_emit_batch - emit the invalidation of caches and TLBs and the jump into a user's batch
 * @rq: a request not committed
 * @address: address of the batch in the context's address space, a multiple of 8
 * @privileged: bytes of a checked copy, which runs with privilege and in the GGTT, where @address is then; 0: none
 *
 * Return: 0; -EINVAL when @privileged on an engine that runs no such batches; -ENOSPC when the request has a batch
 * already.
 */
int igen_request_emit_batch(struct igen_request *rq, u64 address, u32 privileged)
{
	const struct igen_emit_ops *emit = rq->engine->emit;
	u32 *cs;

	if (privileged && !emit->privileged_start)
		return -EINVAL;

	cs = igen_request_emit(rq, emit->invalidate_dw + emit->batch_start_dw);
	if (!cs)
		return -ENOSPC;

	cs = emit->invalidate(rq->engine, cs);
	if (privileged)
		emit->privileged_start(cs, address);
	else
		emit->batch_start(cs, address);
	rq->batch_start = address;
	rq->privileged = privileged;
	return 0;
}

/* Counts a timeline with requests. The first one wakes the GT. */
static void request_wake_gt(struct igen_device *igen)
{
	bool first;

	spin_lock(&igen->active_lock);
	first = !atomic_read(&igen->active_count);
	if (first) {
		igen_power_unpark(igen);
		igen_note_awake(igen, true);
	}
	/*
	 * Counted after the GT is awake: request_activate_timeline() relies on that when it finds a count above zero.
	 */
	atomic_inc_return(&igen->active_count);
	spin_unlock(&igen->active_lock);
	if (first)
		igen_governor_start(igen);
}

/* A timeline gets its first request: it takes a reference to its context, and the retire worker looks after it. */
static void request_activate_timeline(struct igen_lrc *lrc)
{
	struct igen_engine_group *group = lrc->group;
	struct igen_device *igen = group->igen;

	igen_context_get(lrc->context);
	spin_lock(&group->lrcs_lock);
	list_add_tail(&lrc->active_link, &group->active_lrcs);
	spin_unlock(&group->lrcs_lock);
	if (!atomic_inc_not_zero(&igen->active_count))
		request_wake_gt(igen);
	/* Most of the time the work is queued already, and this does nothing. */
	queue_delayed_work(igen->wq, &igen->retire_work, HZ);
}

/**
 * igen_request_charge - charge a client for memory that lasts as long as a request
 * @rq: a request not committed
 * @bytes: how much
 *
 * Return: 0, or -ENOMEM when the client would have more than its share.
 */
int igen_request_charge(struct igen_request *rq, size_t bytes)
{
	if (igen_budget_charge_request(rq->budget, bytes))
		return -ENOMEM;
	rq->charged += bytes;
	return 0;
}

/**
 * igen_request_add - commit a request
 * @rq: the request; the caller keeps its reference
 *
 * Writes the breadcrumb, hands the request to the scheduler and drops the timeline's mutex. From here on the request's
 * fence signals, whatever happens.
 */
void igen_request_add(struct igen_request *rq)
{
	const struct igen_emit_ops *emit = rq->engine->emit;
	struct igen_device *igen = rq->group->igen;
	struct igen_lrc *lrc = rq->lrc;
	bool cookie;
	u32 *cs;

	lockdep_assert_held(&lrc->timeline.mutex);

	/*
	 * The breadcrumb follows the commands that were emitted. Reserved ring space that is left over is given back.
	 */
	cs = lrc->ring.vaddr + lrc->ring.tail;
	rq->postfix = lrc->ring.tail;
	cs = emit->finish(rq->engine, cs, igen_timeline_ggtt(&lrc->timeline, rq->hwsp_seqno),
			  lower_32_bits(rq->fence.seqno));
	rq->tail = igen_ring_offset(&lrc->ring, (void *)(cs - emit->resubmit_dw) - lrc->ring.vaddr);
	lrc->ring.tail = igen_ring_offset(&lrc->ring, (void *)cs - lrc->ring.vaddr);

	rq->emitted_jiffies = jiffies;
	if (list_empty(&lrc->timeline.requests))
		request_activate_timeline(lrc);
	igen_request_get(rq);
	rcu_assign_pointer(lrc->timeline.last, &rq->fence);
	trace_i915_request_add(rq);

	cookie = dma_fence_begin_signalling();
	igen_inherit_commit(rq);
	igen_scheduler_add(rq);
	dma_fence_end_signalling(cookie);

	mutex_unlock(&lrc->timeline.mutex);
	igen_rpm_put(igen);
}

/**
 * igen_request_cancel - commit a request without its batch
 * @rq: a request not committed
 * @error: the error of its fence, negative
 *
 * The request runs in its turn, and does nothing but complete.
 */
void igen_request_cancel(struct igen_request *rq, int error)
{
	struct igen_lrc *lrc = rq->lrc;

	lockdep_assert_held(&lrc->timeline.mutex);

	/* Commands after the semaphore are dropped. The request still waits for the fences that it was given. */
	lrc->ring.tail = rq->infix;
	rq->batch_start = 0;
	rq->original = 0;
	rq->privileged = 0;
	rq->circles = false;
	dma_fence_set_error(&rq->fence, error);
	igen_request_add(rq);
}

/*
 * Sets up the lock, once for all requests that have the same memory: each leaves it unlocked. Caches with a constructor
 * are not zeroed by kernels that otherwise zero what they allocate (init_on_alloc). Requests do not need that, since
 * request_init() sets their fields.
 */
static void request_construct(void *object)
{
	struct igen_request *rq = object;

	spin_lock_init(&rq->fence_lock);
}

/**
 * igen_request_module_init - prepare requests, once per module
 *
 * Return: 0 or -ENOMEM.
 */
int igen_request_module_init(void)
{
	request_cache = kmem_cache_create("igen_request", sizeof(struct igen_request), __alignof__(struct igen_request),
					  SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT, request_construct);
	return request_cache ? 0 : -ENOMEM;
}

static bool request_any_alive(void)
{
	long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&live_requests, cpu));
	return sum;
}

/**
 * igen_request_module_exit - wait until all requests are freed
 *
 * A sync file or another driver's object may hold a fence for longer than its device exists. The fence's functions are
 * in this module. So unloading waits until the last fence is freed. No device is left that could make new ones.
 *
 * Context: may sleep.
 */
void igen_request_module_exit(void)
{
	bool told = false;

	rcu_barrier();
	while (request_any_alive()) {
		if (!told)
			pr_notice("igen: unloading waits for fences that are still held by files\n");
		told = true;
		schedule_timeout_idle(HZ / 20);
		rcu_barrier();
	}
	kmem_cache_destroy(request_cache);
}
