// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf
 *
 * The steps of a call::
 *
 *	1. wait for ring space     before any lock that other clients need
 *	2. look up handles         the context's table turns each handle into a VMA
 *	3. lock objects            all reservations, in one acquire context
 *	4. place objects           bind objects that are not bound, or not where they have to be
 *	5. relocate                write addresses where userspace presumed wrong ones
 *	6. create a request        takes the timeline's mutex
 *	7. await                   fences of the objects, and the call's own fences
 *	8. emit the batch          invalidate caches and TLBs, jump into the batch
 *	9. add fences to objects   each object gets the request's fence
 *	10. commit the request     drops the timeline's mutex
 *	11. unlock objects
 *
 * Nothing is pinned. A call with few objects, all bound where they have to be, allocates nothing but its request and
 * waits. Each step up to the ninth may fail, and then leaves no trace. From the commit on nothing fails.
 */
#include <drm/drm_drv.h>
#include <linux/nospec.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../igen_compat.h"
#include "../igen_killable.h"
#include "../igen_trace.h"
#include "../mm/igen_budget.h"
#include "../mm/igen_mm.h"
#include "igen_execbuf.h"
#include "igen_gem.h"

/* Kernel clipping, constants and the resource streamer were removed from the ABI. */
#define ILLEGAL_FLAGS	(__I915_EXEC_UNKNOWN_FLAGS | I915_EXEC_CONSTANTS_MASK | I915_EXEC_RESOURCE_STREAMER)

/* How often to retry when locked objects are in the way. Another execbuf call holds such a lock until it ends. */
#define MAX_TRIES	1000

/* Bytes that a call may allocate without igen_make_room(). */
#define UNASKED_BYTES	SZ_64K

/* Where no object is: no multiple of a page. */
#define NO_OFFSET	(~0ull)

/**
 * igen_execbuf_alloc - allocate memory whose size the client decides
 * @eb: the call, with objects locked or not
 * @bytes: how much
 *
 * The OOM killer does not count such memory for any process, so igen_make_room() is asked for larger sizes.
 *
 * Return: memory for kvfree(), or NULL.
 * Context: may sleep, as igen_make_room().
 */
void *igen_execbuf_alloc(struct igen_execbuf *eb, u64 bytes)
{
	eb->allocated += bytes;
	if (eb->allocated > UNASKED_BYTES && !igen_make_room(eb->igen, PFN_UP(bytes), 0))
		return NULL;
	return kvmalloc(bytes, IGEN_GFP_CLIENT);
}

static int execbuf_check_args(struct drm_i915_gem_execbuffer2 *args)
{
	if (args->flags & ILLEGAL_FLAGS)
		return -EINVAL;
	/* Privileged batches would reach the global GTT: as i915 refuses them since Gen6, for userspace's fallback. */
	if (args->flags & I915_EXEC_SECURE)
		return -EPERM;
	/* Stream output offsets are reset by the batch itself on every platform that has them in the context. */
	if (args->flags & I915_EXEC_GEN7_SOL_RESET)
		return -EINVAL;
	if (!(args->flags & (I915_EXEC_FENCE_ARRAY | I915_EXEC_USE_EXTENSIONS)) &&
	    (args->num_cliprects || args->cliprects_ptr))
		return -EINVAL;
	/* Old X drivers left ~0 in DR4. */
	if (args->DR1 || (args->DR4 && args->DR4 != U32_MAX))
		return -EINVAL;
	if ((args->batch_start_offset | args->batch_len) & 7)
		return -EINVAL;
	if (args->buffer_count < 1 || args->buffer_count > INT_MAX)
		return -EINVAL;
	return 0;
}

/* Clients that do not care which of two BSD rings they get keep the first that was chosen for them. */
static unsigned int execbuf_default_bsd(struct igen_file *file)
{
	static atomic_t turn = ATOMIC_INIT(0);
	int bsd = atomic_read(&file->bsd_engine);

	if (bsd < 0) {
		bsd = (unsigned int)atomic_inc_return(&turn) & 1;
		if (atomic_cmpxchg(&file->bsd_engine, -1, bsd) != -1)
			bsd = atomic_read(&file->bsd_engine);
	}
	return bsd;
}

/* Return: the slot of a context without an engine map, or -EINVAL. */
static int execbuf_legacy_slot(struct igen_execbuf *eb)
{
	static const enum igen_engine_id rings[] = {
		[I915_EXEC_DEFAULT] = IGEN_RCS0,
		[I915_EXEC_RENDER] = IGEN_RCS0,
		[I915_EXEC_BLT] = IGEN_BCS0,
		[I915_EXEC_BSD] = IGEN_VCS0,
		[I915_EXEC_VEBOX] = IGEN_VECS0,
	};
	const u64 ring = eb->args->flags & I915_EXEC_RING_MASK;
	const u64 bsd = eb->args->flags & I915_EXEC_BSD_MASK;

	if (ring >= ARRAY_SIZE(rings))
		return -EINVAL;
	if (ring != I915_EXEC_BSD)
		return bsd ? -EINVAL : rings[array_index_nospec(ring, ARRAY_SIZE(rings))];

	if (!eb->igen->engine[IGEN_VCS0] || !eb->igen->engine[IGEN_VCS1])
		return IGEN_VCS0;
	switch (bsd) {
	case I915_EXEC_BSD_DEFAULT:
		return execbuf_default_bsd(eb->file) ? IGEN_VCS1 : IGEN_VCS0;
	case I915_EXEC_BSD_RING1:
		return IGEN_VCS0;
	case I915_EXEC_BSD_RING2:
		return IGEN_VCS1;
	default:
		return -EINVAL;
	}
}

static int execbuf_select_engine(struct igen_execbuf *eb)
{
	int slot;

	if (eb->ctx->user_engines)
		slot = eb->args->flags & I915_EXEC_RING_MASK;
	else
		slot = execbuf_legacy_slot(eb);
	if (slot < 0)
		return slot;
	if (slot >= eb->ctx->num_engines)
		return -EINVAL;
	slot = array_index_nospec(slot, eb->ctx->num_engines);
	if (!eb->ctx->engines[slot].engine)
		return -EINVAL;

	eb->lrc = igen_context_lrc(eb->ctx, slot);
	return PTR_ERR_OR_ZERO(eb->lrc);
}

static int execbuf_check_object(struct igen_device *igen, struct drm_i915_gem_exec_object2 *entry)
{
	if (unlikely(entry->flags & __EXEC_OBJECT_UNKNOWN_FLAGS))
		return -EINVAL;
	/* All address spaces are full ones, so nothing else can ask for the GGTT. */
	if (unlikely(entry->flags & EXEC_OBJECT_NEEDS_GTT) && !igen->platform->global_stores)
		return -EINVAL;
	if (unlikely(entry->alignment && !is_power_of_2(entry->alignment)))
		return -EINVAL;
	/* Userspace's own addresses are whole pages in canonical form. */
	if (entry->flags & EXEC_OBJECT_PINNED && entry->offset != igen_canonical(entry->offset & PAGE_MASK))
		return -EINVAL;

	if (entry->flags & EXEC_OBJECT_PAD_TO_SIZE) {
		if (unlikely(offset_in_page(entry->pad_to_size)))
			return -EINVAL;
	} else {
		/* The field was reserved once and may hold anything. */
		entry->pad_to_size = 0;
	}

	entry->offset = igen_noncanonical(entry->offset);
	return 0;
}

static int execbuf_check_batch(struct igen_execbuf *eb)
{
	const struct drm_i915_gem_exec_object2 *entry = &eb->exec[eb->batch];
	struct igen_exec_vma *ev = &eb->ev[eb->batch];
	const u64 size = ev->vma->bo->base.size;

	if (ev->flags & EXEC_OBJECT_WRITE)
		return -EINVAL;
	if (eb->args->batch_start_offset >= size ||
	    eb->args->batch_len > size - eb->args->batch_start_offset)
		return -EINVAL;
	if (entry->relocation_count && !(ev->flags & EXEC_OBJECT_PINNED))
		ev->flags |= IGEN_EXEC_BIAS;
	return 0;
}

static int execbuf_lookup_objects(struct igen_execbuf *eb)
{
	struct igen_lut *lut;
	unsigned int i;
	int err = 0;

	err = mutex_lock_interruptible(&eb->ctx->handles_lock);
	if (err)
		return err;

	for (i = 0; i < eb->count; i++) {
		err = igen_check_killed_at(i);
		if (err)
			break;
		lut = igen_handles_lookup(eb->ctx, eb->file->drm, eb->exec[i].handle);
		if (IS_ERR(lut)) {
			err = PTR_ERR(lut);
			break;
		}
		/* The table keeps it while its lock is held, our reference from then on; and it keeps the object. */
		eb->ev[i].vma = igen_vma_get(lut->vma);
		eb->ev[i].global = NULL;
		eb->looked_up = i + 1;

		err = execbuf_check_object(eb->igen, &eb->exec[i]);
		if (err)
			break;
		eb->has_userptr |= igen_gem_is_userptr(lut->vma->bo);
		/* Tiled objects need no fence register since Gen4. */
		eb->ev[i].flags = eb->exec[i].flags & ~EXEC_OBJECT_NEEDS_FENCE;
		if (unlikely(eb->exec[i].flags & EXEC_OBJECT_NEEDS_GTT))
			eb->ev[i].flags |= IGEN_EXEC_GLOBAL;
		eb->has_relocs |= eb->exec[i].relocation_count;
		eb->has_capture |= eb->exec[i].flags & EXEC_OBJECT_CAPTURE;
		if (i == eb->batch) {
			err = execbuf_check_batch(eb);
			if (err)
				break;
		}
	}
	mutex_unlock(&eb->ctx->handles_lock);

	return err;
}

static struct dma_resv *execbuf_resv_of(const struct igen_exec_vma *ev)
{
	return ev->vma->bo->base.resv;
}

static void execbuf_unlock_objects(struct igen_execbuf *eb)
{
	unsigned int i;

	for (i = 0; i < eb->count; i++) {
		igen_check_killed_at(i);
		if (!(eb->ev[i].flags & IGEN_EXEC_LOCKED))
			continue;
		eb->ev[i].flags &= ~IGEN_EXEC_LOCKED;
		dma_resv_unlock(execbuf_resv_of(&eb->ev[i]));
	}
}

/* Locks all reservations or none. Entries may share a reservation; the first one, or the contended one, locks it. */
static int execbuf_lock_objects(struct igen_execbuf *eb)
{
	int contended = -1;
	unsigned int i;
	int err;

	do {
		if (contended >= 0) {
			err = dma_resv_lock_slow_interruptible(execbuf_resv_of(&eb->ev[contended]), &eb->ww.base);
			if (err)
				return err;
			eb->ev[contended].flags |= IGEN_EXEC_LOCKED;
		}

		err = 0;
		for (i = 0; i < eb->count; i++) {
			if (i == contended)
				continue;
			err = igen_check_killed_at(i);
			if (err)
				break;
			err = dma_resv_lock_interruptible(execbuf_resv_of(&eb->ev[i]), &eb->ww.base);
			if (err == -EALREADY) {
				err = 0;
				continue;
			}
			if (err)
				break;
			eb->ev[i].flags |= IGEN_EXEC_LOCKED;
		}
		if (err) {
			execbuf_unlock_objects(eb);
			contended = i;
		}
	} while (err == -EDEADLK);

	return err;
}

/*
 * Waits, with all objects unlocked, for what placement could not have: a lock, which an older call holds or did, or a
 * place in the GGTT that another call has claimed.
 */
static int execbuf_wait_for_contended(struct igen_execbuf *eb)
{
	struct igen_bo *bo = eb->ww.contended;
	int err;

	if (unlikely(eb->claimed)) {
		err = igen_execbuf_await_claimed(eb);
		if (err)
			return err;
	}
	if (!bo)
		return igen_check_killed();
	eb->ww.contended = NULL;
	err = dma_resv_lock_slow_interruptible(bo->base.resv, &eb->ww.base);
	if (!err)
		dma_resv_unlock(bo->base.resv);
	igen_bo_put(bo);
	return err;
}

/* Locks, places, relocates; on success everything is locked and in place. */
static int execbuf_reserve_objects(struct igen_execbuf *eb)
{
	unsigned int tries = 0;
	unsigned int i;
	int err;

retry:
	err = execbuf_lock_objects(eb);
	if (err)
		return err;

	err = igen_execbuf_place(eb);
	if (err == -EAGAIN && tries++ < MAX_TRIES) {
		/*
		 * Another task has locked an object that is in the way, and may be waiting for one of ours: unlock all.
		 */
		execbuf_unlock_objects(eb);
		err = execbuf_wait_for_contended(eb);
		if (err)
			return err;
		goto retry;
	}
	if (err)
		goto err_unlock;

	if (eb->relocate && eb->has_relocs) {
		eb->relocated = true;
		err = igen_execbuf_relocate(eb);
		/* A page fault can't be served while objects are locked, so execbuf_run() starts over with copies. */
		eb->needs_copies = err == -EFAULT && !eb->copies;
		if (err)
			goto err_unlock;
	}

	for (i = 0; i < eb->count; i++) {
		err = igen_check_killed_at(i);
		if (err)
			goto err_unlock;
		/* A reservation that several entries share may get one fence as a reader and one as a writer. */
		err = dma_resv_reserve_fences(execbuf_resv_of(&eb->ev[i]), eb->ev[i].flags & IGEN_EXEC_LOCKED ? 1 : 2);
		if (err)
			goto err_unlock;
	}
	return 0;

err_unlock:
	execbuf_unlock_objects(eb);
	if (eb->ww.contended)
		igen_bo_put(eb->ww.contended);
	eb->ww.contended = NULL;
	return err;
}

/* Reserves the objects and makes the checked copy of the batch. On success everything is locked. */
static int execbuf_reserve_checked(struct igen_execbuf *eb)
{
	bool again;
	int err;

	do {
		err = execbuf_reserve_objects(eb);
		if (err)
			return err;
		err = igen_execbuf_shadow(eb);
		/*
		 * The batch stores to objects that have no place in the GGTT. They are marked now and get one by the
		 * next reservation, which takes other objects' locks, as may not be done with the copy locked.
		 */
		again = err == -EAGAIN && eb->unplaced_stores;
		if (err)
			execbuf_unlock_objects(eb);
		if (err == -EAGAIN && eb->claimed) {
			err = igen_execbuf_shadow_yield(eb);
			again = !err;
		} else if (err) {
			igen_execbuf_shadow_done(eb);
		}
	} while (again);

	return err;
}

static int execbuf_await_objects(struct igen_execbuf *eb, struct igen_request *rq)
{
	unsigned int i;
	int err;

	for (i = 0; i < eb->count; i++) {
		err = igen_check_killed_at(i);
		if (!err && !(eb->ev[i].flags & EXEC_OBJECT_ASYNC))
			err = igen_request_await_resv(rq, execbuf_resv_of(&eb->ev[i]),
						      eb->ev[i].flags & EXEC_OBJECT_WRITE);
		if (err)
			return err;
	}
	return 0;
}

/* Has the request wait for what the call waits for. */
static int execbuf_await(struct igen_execbuf *eb, struct igen_request *rq)
{
	int err = 0;

	if (test_bit(IGEN_CONTEXT_CLOSED, &eb->ctx->flags))
		return -ENOENT;
	if (unlikely(igen_execbuf_has_fences(eb)))
		err = igen_execbuf_await_fences(eb, rq);
	return err ?: execbuf_await_objects(eb, rq);
}

static int execbuf_emit_batch(struct igen_execbuf *eb, struct igen_request *rq)
{
	u64 start = igen_vma_start(eb->ev[eb->batch].vma) + eb->args->batch_start_offset;
	u64 copy = igen_execbuf_shadow_start(eb);

	rq->original = copy ? start : 0;
	return igen_request_emit_batch(rq, copy ?: start, igen_execbuf_shadow_privileged(eb));
}

static int execbuf_add_fences(struct igen_execbuf *eb, struct igen_request *rq)
{
	unsigned int i;
	int err;

	for (i = 0; i < eb->count; i++) {
		err = igen_check_killed_at(i);
		if (err)
			return err;
		dma_resv_add_fence(eb->ev[i].vma->bo->base.resv, &rq->fence,
				   eb->ev[i].flags & EXEC_OBJECT_WRITE ? DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ);
	}
	return 0;
}

/* The objects become the GPU's. Before the call can fail no more they are the CPU's, which may go on writing them. */
static void execbuf_hand_over(struct igen_execbuf *eb)
{
	unsigned int i;

	for (i = 0; i < eb->count; i++) {
		struct igen_bo *bo = eb->ev[i].vma->bo;

		igen_bo_prepare_gpu(bo);
		if (eb->ev[i].flags & EXEC_OBJECT_WRITE) {
			bo->read_domains = IGEN_GPU_DOMAINS;
			bo->write_domain = I915_GEM_DOMAIN_RENDER;
		} else {
			bo->read_domains |= IGEN_GPU_DOMAINS;
			bo->write_domain = 0;
		}
	}
}

/* User memory's pages are taken before anything is locked, since that needs mmap_lock. */
static int execbuf_prepare_userptrs(struct igen_execbuf *eb)
{
	unsigned int i;
	int err;

	for (i = 0; eb->has_userptr && i < eb->count; i++) {
		if (!igen_gem_is_userptr(eb->ev[i].vma->bo))
			continue;
		err = igen_check_killed();
		if (err)
			return err;
		err = igen_gem_userptr_prepare(eb->ev[i].vma->bo);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Adds the request's fence to all objects. Returns -EAGAIN if user memory has changed since its pages were taken; then
 * the call starts again. After a failure the added fences signal with the cancelled request.
 */
static int execbuf_activate(struct igen_execbuf *eb, struct igen_request *rq)
{
	unsigned int i;
	int err;

	err = execbuf_add_fences(eb, rq);
	for (i = 0; eb->has_userptr && i < eb->count && !err; i++) {
		struct igen_bo *bo = eb->ev[i].vma->bo;

		err = igen_check_killed_at(i);
		if (igen_gem_is_userptr(bo) && !igen_gem_userptr_is_fresh(bo))
			return -EAGAIN;
	}
	if (!err)
		execbuf_hand_over(eb);
	return err;
}

/* The addresses of the objects that an error state has to show (EXEC_OBJECT_CAPTURE). */
static struct igen_capture_list *execbuf_list_captures(struct igen_execbuf *eb)
{
	struct igen_capture_list *list;
	unsigned int i, count = 0;

	for (i = 0; i < eb->count; i++)
		count += !!(eb->ev[i].flags & EXEC_OBJECT_CAPTURE);
	if (igen_budget_charge_request(eb->lrc->vm->budget, igen_capture_list_bytes(count)))
		return NULL;
	list = kmalloc(igen_capture_list_bytes(count), IGEN_GFP_CLIENT);
	if (!list) {
		igen_budget_uncharge(eb->lrc->vm->budget, igen_capture_list_bytes(count));
		return NULL;
	}
	list->room = count;

	list->count = 0;
	for (i = 0; i < eb->count; i++)
		if (eb->ev[i].flags & EXEC_OBJECT_CAPTURE)
			list->address[list->count++] = igen_vma_start(eb->ev[i].vma);
	return list;
}

static bool execbuf_may_not_block(const struct igen_execbuf *eb)
{
	return eb->file->drm->filp->f_flags & O_NONBLOCK;
}

static int execbuf_submit(struct igen_execbuf *eb)
{
	struct igen_capture_list *capture = NULL;
	struct igen_request *rq;
	u32 relocated = 0;
	int err;

	if (unlikely(eb->has_capture)) {
		capture = execbuf_list_captures(eb);
		if (!capture)
			return -ENOMEM;
	}

	rq = igen_request_create(eb->lrc, igen_execbuf_reloc_dwords(eb), execbuf_may_not_block(eb));
	if (IS_ERR(rq)) {
		if (capture)
			igen_budget_uncharge(eb->lrc->vm->budget, igen_capture_list_bytes(capture->room));
		kfree(capture);
		return PTR_ERR(rq);
	}
	rq->capture = capture;
	trace_i915_request_queue(rq);

	err = execbuf_await(eb, rq);
	if (!err) {
		igen_execbuf_emit_relocs(eb, rq);
		relocated = rq->lrc->ring.tail;
		err = execbuf_emit_batch(eb, rq);
	}
	if (!err)
		err = execbuf_activate(eb, rq);
	if (err) {
		igen_request_cancel(rq, err);
		igen_request_put(rq);
		return err;
	}

	/*
	 * Userspace and later requests rely on the relocations that the engine writes. So they come before the infix,
	 * and the engine writes them even if the request is skipped. Only a wedged GPU writes nothing.
	 */
	rq->infix = relocated;
	if (eb->shadow)
		igen_execbuf_shadow_activate(eb, rq);
	igen_request_add(rq);

	if (unlikely(igen_execbuf_has_fences(eb)))
		igen_execbuf_signal_fences(eb, rq);
	igen_request_put(rq);
	return 0;
}

/* The part of a call that needs the device. It accesses user memory only without page faults. */
static int execbuf_lock_and_submit(struct igen_execbuf *eb)
{
	int err, idx;

	if (!drm_dev_enter(&eb->igen->drm, &idx))
		return -ENODEV;
	ww_acquire_init(&eb->ww.base, &reservation_ww_class);
	err = execbuf_reserve_checked(eb);
	if (!err) {
		ww_acquire_done(&eb->ww.base);
		err = execbuf_submit(eb);
		execbuf_unlock_objects(eb);
	}
	ww_acquire_fini(&eb->ww.base);
	igen_execbuf_shadow_done(eb);
	drm_dev_exit(idx);
	return err;
}

/* Submits the call. If relocations can't be read with objects locked, copies them and tries again. */
static int execbuf_submit_with_copies(struct igen_execbuf *eb)
{
	bool copy;
	int err;

	do {
		err = execbuf_lock_and_submit(eb);
		copy = eb->needs_copies;
		eb->needs_copies = false;
		if (copy)
			err = igen_execbuf_copy_relocs(eb);
	} while (copy && !err);

	return err;
}

static int execbuf_run(struct igen_execbuf *eb)
{
	unsigned int i;
	int err;

	err = igen_execbuf_parse_fences(eb);
	if (err)
		goto out_fences;

	eb->ctx = igen_context_lookup(eb->file, eb->args->rsvd1);
	if (IS_ERR(eb->ctx)) {
		err = PTR_ERR(eb->ctx);
		goto out_fences;
	}

	/* ABI: -EIO once the GPU is wedged. */
	err = igen_check_alive(eb->igen);
	if (!err)
		err = execbuf_select_engine(eb);
	if (!err)
		err = igen_request_make_room(eb->lrc, execbuf_may_not_block(eb));
	if (err)
		goto out_context;

	err = execbuf_lookup_objects(eb);
	if (!err)
		err = igen_execbuf_index_handles(eb);
	if (!err)
		err = execbuf_prepare_userptrs(eb);
	if (err)
		goto out_relocs;

	err = execbuf_submit_with_copies(eb);
	if (!err && eb->has_relocs)
		igen_execbuf_return_relocs(eb);
out_relocs:
	if (eb->has_relocs)
		igen_execbuf_free_relocs(eb);
	for (i = 0; i < eb->looked_up; i++) {
		igen_check_killed_at(i);
		igen_vma_put(eb->ev[i].vma);
	}
out_context:
	igen_context_put(eb->ctx);
out_fences:
	if (unlikely(eb->has_fences))
		igen_execbuf_free_fences(eb);
	return err;
}

/*
 * Writes the objects' addresses to user memory where they differ from the presumed ones. If the call has failed, only
 * some relocations may have been written. Then userspace gets no address, so that the next call looks at all of them.
 */
static void execbuf_return_offsets(struct igen_execbuf *eb, bool failed)
{
	struct drm_i915_gem_exec_object2 __user *user = u64_to_user_ptr(eb->args->buffers_ptr);
	unsigned int i;
	u64 offset;

	for (i = 0; i < eb->count; i++) {
		if (igen_check_killed_at(i))
			return;
		if (!(eb->ev[i].flags & IGEN_EXEC_UPDATED))
			continue;
		offset = failed ? NO_OFFSET : igen_canonical(eb->exec[i].offset);
		/* A list that is not writable is userspace's loss only. */
		if (put_user(offset, &user[i].offset))
			return;
	}
}

/**
 * igen_execbuffer2_ioctl - DRM_IOCTL_I915_GEM_EXECBUFFER2_WR
 * @drm: the DRM device
 * @data: the batch, its objects and fences; receives the out-fence's file descriptor
 * @drm_file: the caller's file
 *
 * May sleep, and wait for ring space and for objects to leave an address space.
 *
 * Return: 0; -EINVAL for arguments that contradict each other; -ENOENT for an unknown handle; -EIO when the GPU is
 * wedged or the context is banned; -ENOSPC when the objects do not fit; -EACCES for a batch that is not allowed;
 * -EFAULT, -ENOMEM, -ENODEV, -EINTR, -ERESTARTSYS.
 */
int igen_execbuffer2_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	/* Only entries that were copied and looked up are read. So the kernel need not clear the arrays. */
	struct drm_i915_gem_exec_object2 inline_exec[IGEN_EXEC_INLINE] __uninitialized;
	struct igen_exec_vma inline_ev[IGEN_EXEC_INLINE] __uninitialized;
	struct drm_i915_gem_execbuffer2 *args = data;
	struct igen_execbuf eb = {};
	int err;

	err = execbuf_check_args(args);
	if (err)
		return err;

	eb.file = to_igen_file(drm_file);
	eb.igen = eb.file->igen;
	eb.args = args;
	eb.out_fd = -1;
	eb.claim_left = msecs_to_jiffies(IGEN_CLAIM_MS);
	eb.count = args->buffer_count;
	eb.batch = args->flags & I915_EXEC_BATCH_FIRST ? 0 : eb.count - 1;
	eb.relocate = !(args->flags & I915_EXEC_NO_RELOC);

	if (likely(eb.count <= IGEN_EXEC_INLINE)) {
		eb.exec = inline_exec;
		eb.ev = inline_ev;
	} else {
		eb.exec = igen_execbuf_alloc(&eb, (u64)eb.count * (sizeof(*eb.exec) + sizeof(*eb.ev)));
		if (!eb.exec)
			return -ENOMEM;
		eb.ev = (struct igen_exec_vma *)(eb.exec + eb.count);
	}
	err = igen_copy_from_user_killable(eb.exec, u64_to_user_ptr(args->buffers_ptr),
					   (u64)eb.count * sizeof(*eb.exec));
	if (err)
		goto out_free;

	err = execbuf_run(&eb);
	if (!err || eb.relocated)
		execbuf_return_offsets(&eb, err);

out_free:
	if (eb.exec != inline_exec)
		kvfree(eb.exec);
	return err;
}
