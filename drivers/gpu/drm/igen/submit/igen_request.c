// SPDX-License-Identifier: MIT
/**
 * DOC: Requests
 *
 * A request is a piece of its LRC's ring and a fence. While it is being written the timeline's mutex is held, so
 * requests of a timeline are made and committed one after the other, which is also the order in which they run. Ring
 * space for all of it, the driver's part included, is taken at the start, in one piece: committing cannot fail,
 * and a request never wraps around the end of the ring.
 *
 * The fence signals when the breadcrumb is found in the status page: by an interrupt if somebody waits
 * (igen_breadcrumbs.c), else when it is retired.
 */
#include <linux/slab.h>

#include <igen/cmd/mi.h>

#include "../engine/igen_emit.h"
#include "../igen_device.h"
#include "igen_submit.h"

#define DRIVER_DW	(IGEN_EMIT_SEMAPHORE_DW + IGEN_EMIT_INVALIDATE_DW + IGEN_EMIT_BATCH_DW + IGEN_EMIT_SEQNO_DW + \
			 IGEN_EMIT_END_DW + IGEN_EMIT_WA_TAIL_DW)
#define END_BYTES	((IGEN_EMIT_SEQNO_DW + IGEN_EMIT_END_DW + IGEN_EMIT_WA_TAIL_DW) * sizeof(u32))

static struct kmem_cache *request_cache;

/* Requests that are not freed; only the sum over all processors means anything. */
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

/* Whoever has waited for a jiffy in vain has the clock raised, and waits on. */
static signed long request_wait(struct dma_fence *fence, bool intr, signed long timeout)
{
	signed long left = dma_fence_default_wait(fence, intr, min(timeout, 1L));
	unsigned long flags;

	if (left || !timeout)
		return left > 0 ? max(timeout, 1L) : left;

	spin_lock_irqsave(fence->lock, flags);
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags))
		igen_governor_boost(to_igen_request(fence));
	spin_unlock_irqrestore(fence->lock, flags);

	if (timeout != MAX_SCHEDULE_TIMEOUT)
		timeout--;
	return dma_fence_default_wait(fence, intr, timeout);
}

static void free_request(struct igen_request *rq)
{
	kmem_cache_free(request_cache, rq);
	this_cpu_dec(live_requests);
}

static void request_free(struct rcu_head *rcu)
{
	struct igen_request *rq = container_of(rcu, struct igen_request, rcu);

	kfree(rq->capture);
	free_request(rq);
}

static void request_release(struct dma_fence *fence)
{
	call_rcu(&to_igen_request(fence)->rcu, request_free);
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
	return fence->ops == &request_fence_ops;
}

static u32 ring_free(const struct igen_lrc *lrc)
{
	return (lrc->ring_head - lrc->ring_tail - IGEN_RING_GAP) & (lrc->ring_size - 1);
}

/*
 * Bytes that a request of this size takes at the ring's tail: more than its own when it has to start at the
 * beginning.
 */
static u32 bytes_with_wrap(const struct igen_lrc *lrc, u32 bytes)
{
	u32 to_end = lrc->ring_size - lrc->ring_tail;

	return bytes <= to_end ? bytes : bytes + to_end;
}

/*
 * Waits until there is room; the timeline's mutex is held, and its oldest requests are waited for and retired. A ring
 * that is not in the GGTT looks full, so that it comes back here.
 */
static int wait_for_space(struct igen_lrc *lrc, u32 bytes, bool nonblock)
{
	int err = igen_lrc_pin(lrc);

	if (err)
		return err;
	igen_lrc_retire(lrc);

	while (ring_free(lrc) < bytes) {
		struct igen_request *rq;
		long left;

		if (drm_WARN_ON(&lrc->group->igen->drm, list_empty(&lrc->requests)))
			return -ENOSPC;
		if (nonblock)
			return -EWOULDBLOCK;

		rq = list_first_entry(&lrc->requests, struct igen_request, timeline_link);
		igen_request_get(rq);
		left = dma_fence_wait(&rq->fence, true);
		igen_request_put(rq);
		if (left < 0)
			return left;

		igen_lrc_retire(lrc);
	}

	return 0;
}

/**
 * igen_request_make_room - waits until there is room in the ring for a request of nothing but the driver's part
 * @lrc: where it will run
 * @nonblock: don't wait
 *
 * For callers that take locks which others need, before they do: a full ring holds up nobody then but who fills it.
 * Another thread of the context may take the room; then igen_request_create() waits.
 *
 * Return: 0; -EWOULDBLOCK, -ERESTARTSYS.
 * Context: may sleep; takes the timeline's mutex.
 */
int igen_request_make_room(struct igen_lrc *lrc, bool nonblock)
{
	const u32 bytes = DRIVER_DW * sizeof(u32);
	int err;

	/* Nearly always; without the mutex it is a guess. */
	if (likely(data_race(ring_free(lrc) >= bytes_with_wrap(lrc, bytes))))
		return 0;

	if (mutex_lock_interruptible(&lrc->timeline_mutex))
		return -ERESTARTSYS;
	err = wait_for_space(lrc, bytes_with_wrap(lrc, bytes), nonblock);
	mutex_unlock(&lrc->timeline_mutex);
	return err;
}

/**
 * igen_lrc_newest - the newest request of a timeline that has not completed
 * @lrc: the LRC, of a context that the caller holds
 * @limit: it was committed by then, in jiffies
 *
 * Without the timeline's mutex, which somebody may hold who waits for ring space: that takes as long as what runs.
 *
 * Return: the request, counted, or NULL.
 * Context: any but interrupts; takes lrc->requests_lock.
 */
struct igen_request *igen_lrc_newest(struct igen_lrc *lrc, unsigned long limit)
{
	struct igen_request *rq, *found = NULL;

	spin_lock(&lrc->requests_lock);
	list_for_each_entry_reverse(rq, &lrc->requests, timeline_link) {
		if (igen_request_completed(rq))
			break;
		if (time_after(rq->emitted_jiffies, limit))
			continue;
		found = igen_request_get(rq);
		break;
	}
	spin_unlock(&lrc->requests_lock);

	return found;
}

/* What a request is before anything is emitted. Its timeline's mutex is held, and there is room. */
static void init_request(struct igen_request *rq, struct igen_lrc *lrc, struct igen_engine *engine, u32 bytes)
{
	spin_lock_init(&rq->fence_lock);
	dma_fence_init(&rq->fence, &request_fence_ops, &rq->fence_lock, lrc->fence_context,
		       igen_lrc_next_seqno(lrc));
	rq->group = lrc->group;
	rq->engine = engine;
	rq->info = engine->info;
	rq->lrc = lrc;
	rq->context = lrc->context;
	memcpy(rq->timeline, lrc->context->name, sizeof(rq->timeline));
	rq->pid = lrc->context->pid;
	rq->driver = test_bit(IGEN_CONTEXT_DRIVER, &lrc->context->flags);
	rq->hwsp_seqno = lrc->hwsp_seqno;
	rq->head = lrc->ring_tail;
	rq->infix = lrc->ring_tail;
	rq->reserved = bytes;
	rq->priority = READ_ONCE(lrc->context->priority);
	atomic_set(&rq->followers, 0);
	rq->follower_priority = INT_MIN;
	rq->wanted_priority = INT_MIN;
	atomic_set(&rq->pending, 1);
	INIT_LIST_HEAD(&rq->waits);
	rq->semaphore = NULL;
	rq->semaphore_place = NULL;
	rq->has_turn = false;
	INIT_LIST_HEAD(&rq->link);
	INIT_LIST_HEAD(&rq->timeline_link);
	INIT_LIST_HEAD(&rq->inherit_link);
	INIT_LIST_HEAD(&rq->signal_link);
	rq->signal_listed = false;
	INIT_LIST_HEAD(&rq->exec_waits);
	INIT_LIST_HEAD(&rq->begin_waits);
	rq->batch_start = 0;
	rq->capture = NULL;
	rq->queued = false;
	rq->submitted = false;
	rq->started = false;
	rq->expired = false;
	rq->seconds = 0;
}

/* Begins a request of a device that is awake. A pulse waits for nothing but the timeline's mutex, and for no signal. */
static struct igen_request *create(struct igen_lrc *lrc, u32 bytes, bool nonblock, bool pulse)
{
	struct igen_engine *engine = READ_ONCE(lrc->engine);
	struct igen_request *rq;
	u32 need;
	int err;

	rq = kmem_cache_alloc(request_cache, pulse ? GFP_ATOMIC | __GFP_NOWARN : GFP_KERNEL);
	if (!rq)
		return ERR_PTR(-ENOMEM);
	this_cpu_inc(live_requests);

	if (pulse) {
		mutex_lock(&lrc->timeline_mutex);
	} else if (mutex_lock_interruptible(&lrc->timeline_mutex)) {
		free_request(rq);
		return ERR_PTR(-ERESTARTSYS);
	}

	need = bytes_with_wrap(lrc, bytes);
	if (ring_free(lrc) < need) {
		err = wait_for_space(lrc, need, nonblock);
		if (err) {
			mutex_unlock(&lrc->timeline_mutex);
			free_request(rq);
			return ERR_PTR(err);
		}
	}

	if (need != bytes) {
		memset(lrc->ring_vaddr + lrc->ring_tail, 0, lrc->ring_size - lrc->ring_tail);
		lrc->ring_tail = 0;
	}
	init_request(rq, lrc, engine, bytes);
	return rq;
}

/**
 * igen_request_create - begins a request
 * @lrc: where it will run
 * @dwords: that the caller will emit, beside the driver's part; even
 * @nonblock: don't wait for ring space
 *
 * Wakes the device, and takes the timeline's mutex, which igen_request_add() or igen_request_cancel() drops; one of
 * them has to follow. May sleep; the wait for ring space is interruptible, and bounded by the heartbeat, which resets
 * an engine that hangs.
 *
 * Return: the request, with a reference for the caller; ERR_PTR of -EIO (GPU given up, context banned),
 * -EINVAL (more than the ring can ever hold), -EWOULDBLOCK, -ENOMEM, -ERESTARTSYS, or why the device can't be woken.
 */
struct igen_request *igen_request_create(struct igen_lrc *lrc, unsigned int dwords, bool nonblock)
{
	u32 bytes = (ALIGN(dwords, 2) + DRIVER_DW) * sizeof(u32);
	struct igen_device *igen = lrc->group->igen;
	struct igen_request *rq;
	int err;

	if (unlikely(READ_ONCE(igen->wedged) || test_bit(IGEN_CONTEXT_BANNED, &lrc->context->flags)))
		return ERR_PTR(-EIO);
	/* What is left over at the end of the ring may be as long as the request. */
	if (bytes > lrc->ring_size / 2 - IGEN_RING_GAP)
		return ERR_PTR(-EINVAL);

	/* Until it is added, when the GT keeps the device awake. */
	err = igen_rpm_get(igen);
	if (err)
		return ERR_PTR(err);
	rq = create(lrc, bytes, nonblock, false);
	if (IS_ERR(rq))
		igen_rpm_put(igen);
	return rq;
}

/**
 * igen_request_create_pulse - begins a request that memory reclaim may be waiting for
 * @lrc: where it will run, a context of the driver's
 *
 * As igen_request_create(), with nothing to emit; but the device is not woken, and neither memory nor ring space are
 * waited for.
 *
 * Return: as there, and ERR_PTR(-EAGAIN) when the device is asleep.
 */
struct igen_request *igen_request_create_pulse(struct igen_lrc *lrc)
{
	struct igen_device *igen = lrc->group->igen;
	struct igen_request *rq;

	if (READ_ONCE(igen->wedged))
		return ERR_PTR(-EIO);
	if (!igen_rpm_get_if_awake(igen))
		return ERR_PTR(-EAGAIN);
	rq = create(lrc, DRIVER_DW * sizeof(u32), true, true);
	if (IS_ERR(rq))
		igen_rpm_put(igen);
	return rq;
}

/**
 * igen_request_emit - takes ring space of a request
 * @rq: a request not committed
 * @dwords: how many; rounded up to even. In all no more than igen_request_create() was told
 *
 * Return: where to write them, all of them; NULL, with a warning, when there are not that many left.
 */
u32 *igen_request_emit(struct igen_request *rq, unsigned int dwords)
{
	struct igen_lrc *lrc = rq->lrc;
	u32 bytes = ALIGN(dwords, 2) * sizeof(u32);
	u32 *cs = lrc->ring_vaddr + lrc->ring_tail;

	lockdep_assert_held(&lrc->timeline_mutex);
	if (drm_WARN_ON(&rq->group->igen->drm, bytes > rq->reserved))
		return NULL;

	if (dwords & 1)
		cs[dwords] = MI_NOOP;
	rq->reserved -= bytes;
	lrc->ring_tail = (lrc->ring_tail + bytes) & (lrc->ring_size - 1);
	return cs;
}

/**
 * igen_request_emit_batch - emits the invalidation of caches and TLBs and the jump into a user's batch
 * @rq: a request not committed
 * @address: of the batch in the context's address space, a multiple of 8
 * @secure: asks for a privileged batch, which there is not
 *
 * Return: 0; -EINVAL when @secure, or -ENOSPC when it was emitted already.
 */
int igen_request_emit_batch(struct igen_request *rq, u64 address, bool secure)
{
	u32 *cs;

	if (secure)
		return -EINVAL;

	cs = igen_request_emit(rq, IGEN_EMIT_INVALIDATE_DW + IGEN_EMIT_BATCH_DW);
	if (!cs)
		return -ENOSPC;

	cs = igen_emit_invalidate(rq->engine, cs);
	igen_emit_batch_start(cs, address);
	rq->batch_start = address;
	return 0;
}

/* There is work, perhaps for the first time since there was none. */
static void wake(struct igen_device *igen)
{
	bool first;

	spin_lock(&igen->active_lock);
	first = !atomic_read(&igen->active_count);
	if (first) {
		igen_power_unpark(igen);
		igen_note_awake(igen, true);
	}
	/* Who finds it counted finds the GT awake. */
	atomic_inc_return(&igen->active_count);
	spin_unlock(&igen->active_lock);
	if (first)
		igen_governor_start(igen);
}

/* The first request that is not retired keeps the context, and has the device look after the timeline. */
static void activate(struct igen_lrc *lrc)
{
	struct igen_engine_group *group = lrc->group;
	struct igen_device *igen = group->igen;

	igen_context_get(lrc->context);
	spin_lock(&group->lrcs_lock);
	list_add_tail(&lrc->active_link, &group->active_lrcs);
	spin_unlock(&group->lrcs_lock);
	if (!atomic_inc_not_zero(&igen->active_count))
		wake(igen);
	/* Queued already, most of the time. */
	queue_delayed_work(igen->wq, &igen->retire_work, HZ);
}

/**
 * igen_request_add - commits a request
 * @rq: the request
 *
 * Writes the breadcrumb, hands the request to the scheduler and drops the timeline's mutex. From here on its fence
 * signals, whatever happens. The caller still has its reference.
 */
void igen_request_add(struct igen_request *rq)
{
	struct igen_device *igen = rq->group->igen;
	struct igen_lrc *lrc = rq->lrc;
	bool cookie;
	u32 *cs;

	lockdep_assert_held(&lrc->timeline_mutex);

	/* The driver's end lies behind what was emitted; what was reserved and not needed is given back. */
	cs = lrc->ring_vaddr + lrc->ring_tail;
	rq->postfix = lrc->ring_tail;
	cs = igen_emit_seqno(rq->engine, cs, lrc->hwsp_ggtt, lower_32_bits(rq->fence.seqno));
	cs = igen_emit_end(cs);
	rq->tail = ((void *)cs - lrc->ring_vaddr) & (lrc->ring_size - 1);
	igen_emit_wa_tail(cs);
	lrc->ring_tail = (rq->postfix + END_BYTES) & (lrc->ring_size - 1);

	rq->emitted_jiffies = jiffies;
	if (list_empty(&lrc->requests))
		activate(lrc);
	igen_request_get(rq);
	rcu_assign_pointer(lrc->last, &rq->fence);

	cookie = dma_fence_begin_signalling();
	igen_inherit_commit(rq);
	igen_scheduler_add(rq);
	dma_fence_end_signalling(cookie);

	mutex_unlock(&lrc->timeline_mutex);
	igen_rpm_put(igen);
}

/**
 * igen_request_cancel - commits a request that came to nothing
 * @rq: a request not committed
 * @error: what its fence reports, negative
 *
 * It does nothing but complete, in its turn.
 */
void igen_request_cancel(struct igen_request *rq, int error)
{
	struct igen_lrc *lrc = rq->lrc;

	lockdep_assert_held(&lrc->timeline_mutex);

	/* Its dependencies went with what it was to do, but for those that count already. */
	lrc->ring_tail = rq->infix;
	rq->batch_start = 0;
	dma_fence_set_error(&rq->fence, error);
	igen_request_add(rq);
}

/**
 * igen_request_module_init - once a module
 *
 * Return: 0 or -ENOMEM.
 */
int igen_request_module_init(void)
{
	request_cache = KMEM_CACHE(igen_request, SLAB_HWCACHE_ALIGN);
	return request_cache ? 0 : -ENOMEM;
}

static bool requests_alive(void)
{
	long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&live_requests, cpu));
	return sum;
}

/**
 * igen_request_module_exit - waits until all requests are freed
 *
 * A fence outlives its device in a sync file or in another driver's object, and its functions are this module's:
 * unloading takes until the last one is closed. There is no device left that could make new ones.
 */
void igen_request_module_exit(void)
{
	bool told = false;

	rcu_barrier();
	while (requests_alive()) {
		if (!told)
			pr_notice("igen: unloading waits for fences that are still held by files\n");
		told = true;
		schedule_timeout_idle(HZ / 20);
		rcu_barrier();
	}
	kmem_cache_destroy(request_cache);
}
