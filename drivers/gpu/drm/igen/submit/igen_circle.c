// SPDX-License-Identifier: MIT
/**
 * DOC: Batches that run in a circle (Gen6)
 *
 * A batch may end with a jump back to one of its own commands. A client stops it by writing MI_BATCH_BUFFER_END
 * over that command, or over the jump, with the CPU or by another batch (IGT's spinners; prime_vgem). On Gen6 the
 * engine runs a checked copy of the batch (uapi/igen_execbuf_shadow.c), and does not see that. So while such a
 * batch is in the ring, a worker looks at these two commands in the client's batch. When one has become
 * MI_BATCH_BUFFER_END, the worker writes that into the copy.
 *
 * Nothing else that the client writes comes into the copy. An end of the batch is harmless wherever a command begins.
 *
 * The worker comes at each tick at first, and then less often. A batch that is stopped ends some milliseconds later.
 */
#include <linux/highmem.h>
#include <linux/jiffies.h>
#include <linux/nospec.h>

#include <drm/drm_cache.h>

#include <igen/cmd/mi.h>

#include "../mm/igen_bo.h"
#include "../mm/igen_vm.h"
#include "igen_ringbuffer.h"

/* Looks after which the time to the next one grows by a tick, and milliseconds that it grows to. */
#define LOOKS_PER_TICK	16
#define MOST_MS		20

static u32 circle_read(const struct igen_vma *vma, u64 address)
{
	const struct igen_bo *bo = vma->bo;
	u64 offset = address - igen_vma_start(vma);
	u32 *dw, value;

	/* Memory of other devices has no list of pages. */
	if (!bo->page_list || offset >= bo->base.size)
		return MI_NOOP;
	dw = kmap_local_page(bo->page_list[array_index_nospec(offset >> PAGE_SHIFT, bo->base.size >> PAGE_SHIFT)]) +
	     offset_in_page(offset);
	/* The CPU's caches may hold a stale line, since the GPU writes such memory past them. */
	if (!igen_bo_is_coherent(bo))
		drm_clflush_virt_range(dw, sizeof(*dw));
	value = READ_ONCE(*dw);
	kunmap_local(dw);
	return value;
}

static void circle_write(const struct igen_vma *vma, u64 address, u32 value)
{
	u64 offset = address - igen_vma_start(vma);
	u32 *dw;

	if (!vma->bo->vaddr || offset >= vma->bo->base.size)
		return;
	dw = vma->bo->vaddr + offset;
	WRITE_ONCE(*dw, value);
	if (!igen_bo_is_coherent(vma->bo))
		drm_clflush_virt_range(dw, sizeof(*dw));
}

/*
 * Has the client written an end? @at gets how far behind the target of the jump. The batch stays bound while the mutex
 * is held, if the request has not completed. The holder of the mutex may wait for memory. The worker must not, as the
 * heartbeat may be behind it.
 */
static bool circle_is_stopped(struct igen_request *rq, struct igen_vm *vm, u32 *at)
{
	struct igen_vma *batch = NULL;
	bool stopped;

	if (!mutex_trylock(&vm->mutex))
		return false;
	if (!igen_request_completed(rq))
		batch = igen_vm_find_bound(vm, rq->circle);
	*at = 0;
	stopped = batch && circle_read(batch, rq->circle) == MI_BATCH_BUFFER_END;
	if (batch && !stopped) {
		*at = rq->circle_bytes;
		stopped = circle_read(batch, rq->circle + rq->circle_bytes) == MI_BATCH_BUFFER_END;
	}
	mutex_unlock(&vm->mutex);
	return stopped;
}

/*
 * Stops the copy @at bytes behind the target of the jump, unless a lock is held. As long as its object is locked, no
 * other batch is copied there.
 */
static void circle_stop(struct igen_request *rq, struct igen_vm *ggtt, u32 at)
{
	const u64 address = rq->batch_start + rq->circle_offset + at;
	struct igen_vma *copy = NULL;

	if (rq->circle_offset + at >= rq->privileged || !mutex_trylock(&ggtt->mutex))
		return;
	if (!igen_request_completed(rq))
		copy = igen_vm_find_bound(ggtt, address);
	if (copy && dma_resv_trylock(copy->bo->base.resv)) {
		if (!igen_request_completed(rq))
			circle_write(copy, address, MI_BATCH_BUFFER_END);
		dma_resv_unlock(copy->bo->base.resv);
	}
	mutex_unlock(&ggtt->mutex);
}

/* The oldest request in the ring behind @serial that runs in a circle; its address space is counted, too. */
static struct igen_request *circle_next(struct igen_ringbuffer *rb, bool first, u32 *serial, struct igen_vm **vm)
{
	struct igen_request *found = NULL;
	unsigned int n;

	spin_lock_irq(&rb->engine->group->lock);
	for (n = 0; n < rb->count; n++) {
		const struct igen_ring_entry *entry = &rb->entry[n];

		if (!entry->rq || !entry->rq->circles || igen_request_completed(entry->rq))
			continue;
		if (!first && (s32)(entry->serial - *serial) <= 0)
			continue;
		*serial = entry->serial;
		found = igen_request_get(entry->rq);
		*vm = igen_vm_get(entry->rq->lrc->vm);
		break;
	}
	spin_unlock_irq(&rb->engine->group->lock);
	return found;
}

static void circle_work(struct work_struct *work)
{
	struct igen_ringbuffer *rb = container_of(work, struct igen_ringbuffer, circle_work.work);
	unsigned int looks = READ_ONCE(rb->circle_looks);
	struct igen_device *igen = rb->engine->igen;
	struct igen_request *rq;
	struct igen_vm *vm;
	u32 serial = 0, at;
	unsigned int n;

	for (n = 0; n < IGEN_RING_REQUESTS && (rq = circle_next(rb, !n, &serial, &vm)); n++) {
		if (circle_is_stopped(rq, vm, &at))
			circle_stop(rq, &igen->ggtt.vm, at);
		igen_vm_put(vm);
		igen_request_put(rq);
	}
	/* A batch that has come meanwhile has begun the count anew. */
	cmpxchg(&rb->circle_looks, looks, looks + 1);
	/* Until the ring has none of them. */
	if (n)
		queue_delayed_work(igen->wq, &rb->circle_work,
				   min_t(unsigned long, 1 + looks / LOOKS_PER_TICK, msecs_to_jiffies(MOST_MS)));
}

/**
 * igen_circle_watch - a request comes into the ring whose batch runs in a circle
 * @rb: the backend
 *
 * Context: group->lock held.
 */
void igen_circle_watch(struct igen_ringbuffer *rb)
{
	WRITE_ONCE(rb->circle_looks, 0);
	mod_delayed_work(rb->engine->igen->wq, &rb->circle_work, 1);
}

/**
 * igen_circle_init - before the first request
 * @rb: the backend
 */
void igen_circle_init(struct igen_ringbuffer *rb)
{
	INIT_DELAYED_WORK(&rb->circle_work, circle_work);
}
