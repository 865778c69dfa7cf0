// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf
 *
 * The way of a batch through the uAPI: handles become VMAs through the context's table, all objects are locked,
 * each is placed, relocations are written where userspace was wrong, a request is made, waits for what the objects and
 * the call's fences say, jumps into the batch, and leaves its fence in every object. Nothing is pinned and, for a call
 * with a few objects that are where they were, nothing is allocated. Every step before the request is committed can
 * fail and leaves no trace; afterwards nothing fails.
 *
 * Whoever has filled his ring waits for room before he locks anything that others need. Lock order: objects'
 * reservations (one acquire context), the timeline's mutex from igen_request_create() to igen_request_add(). The
 * context's handle table is locked only while the handles are looked up.
 */
#include <linux/nospec.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../mm/igen_mm.h"
#include "igen_execbuf.h"
#include "igen_gem.h"

/* Kernel clipping, constants and the resource streamer are gone from the ABI. */
#define ILLEGAL_FLAGS	(__I915_EXEC_UNKNOWN_FLAGS | I915_EXEC_CONSTANTS_MASK | I915_EXEC_RESOURCE_STREAMER)

/* All address spaces are full ones, so nothing can ask for the global GTT. */
#define ILLEGAL_OBJECT_FLAGS	(__EXEC_OBJECT_UNKNOWN_FLAGS | EXEC_OBJECT_NEEDS_GTT)

/* Attempts to get a place that others' locks keep us from; they hold them for one such call as this. */
#define MAX_TRIES	1000

/* What a call may take of the kernel's memory without asking whether there is any to spare. */
#define UNASKED_BYTES	SZ_64K

/* Where no object is: no multiple of a page. */
#define NO_OFFSET	(~0ull)

/**
 * igen_execbuf_alloc - allocates memory of which the client says how much it is
 * @eb: the call, with nothing locked
 * @bytes: how much
 *
 * It is nobody's memory in the OOM killer's eyes. May sleep, as igen_make_room().
 *
 * Return: memory for kvfree(), or NULL.
 */
void *igen_execbuf_alloc(struct igen_execbuf *eb, u64 bytes)
{
	eb->allocated += bytes;
	if (eb->allocated > UNASKED_BYTES && !igen_make_room(eb->igen, PFN_UP(bytes), 0))
		return NULL;
	return kvmalloc(bytes, GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
}

static int check_args(struct drm_i915_gem_execbuffer2 *args)
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
static unsigned int default_bsd(struct igen_file *file)
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
static int legacy_slot(struct igen_execbuf *eb)
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
		return default_bsd(eb->file) ? IGEN_VCS1 : IGEN_VCS0;
	case I915_EXEC_BSD_RING1:
		return IGEN_VCS0;
	case I915_EXEC_BSD_RING2:
		return IGEN_VCS1;
	default:
		return -EINVAL;
	}
}

static int select_engine(struct igen_execbuf *eb)
{
	int slot;

	if (eb->ctx->user_engines)
		slot = eb->args->flags & I915_EXEC_RING_MASK;
	else
		slot = legacy_slot(eb);
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

static int check_object(struct drm_i915_gem_exec_object2 *entry)
{
	if (unlikely(entry->flags & ILLEGAL_OBJECT_FLAGS))
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

static int check_batch(struct igen_execbuf *eb)
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

static int lookup_objects(struct igen_execbuf *eb)
{
	struct igen_lut *lut;
	unsigned int i;
	int err = 0;

	err = mutex_lock_interruptible(&eb->ctx->handles_lock);
	if (err)
		return err;

	for (i = 0; i < eb->count; i++) {
		lut = igen_handles_lookup(eb->ctx, eb->file->drm, eb->exec[i].handle);
		if (IS_ERR(lut)) {
			err = PTR_ERR(lut);
			break;
		}
		/* The table keeps it while its lock is held, our reference from then on; and it keeps the object. */
		eb->ev[i].vma = igen_vma_get(lut->vma);
		eb->looked_up = i + 1;

		err = check_object(&eb->exec[i]);
		if (err)
			break;
		eb->has_userptr |= igen_gem_is_userptr(lut->vma->bo);
		/* Tiled objects need no fence register since Gen4. */
		eb->ev[i].flags = eb->exec[i].flags & ~EXEC_OBJECT_NEEDS_FENCE;
		eb->has_relocs |= eb->exec[i].relocation_count;
		eb->has_capture |= eb->exec[i].flags & EXEC_OBJECT_CAPTURE;
		if (i == eb->batch) {
			err = check_batch(eb);
			if (err)
				break;
		}
	}
	mutex_unlock(&eb->ctx->handles_lock);

	return err;
}

static struct dma_resv *resv_of(const struct igen_exec_vma *ev)
{
	return ev->vma->bo->base.resv;
}

static void unlock_objects(struct igen_execbuf *eb)
{
	unsigned int i;

	for (i = 0; i < eb->count; i++) {
		if (!(eb->ev[i].flags & IGEN_EXEC_LOCKED))
			continue;
		eb->ev[i].flags &= ~IGEN_EXEC_LOCKED;
		dma_resv_unlock(resv_of(&eb->ev[i]));
	}
}

/* All or none. Each reservation is locked once, by the first entry (or the contended one) that has it. */
static int lock_objects(struct igen_execbuf *eb)
{
	int contended = -1;
	unsigned int i;
	int err;

	do {
		if (contended >= 0) {
			err = dma_resv_lock_slow_interruptible(resv_of(&eb->ev[contended]), &eb->ww);
			if (err)
				return err;
			eb->ev[contended].flags |= IGEN_EXEC_LOCKED;
		}

		err = 0;
		for (i = 0; i < eb->count; i++) {
			if (i == contended)
				continue;
			err = dma_resv_lock_interruptible(resv_of(&eb->ev[i]), &eb->ww);
			if (err == -EALREADY) {
				err = 0;
				continue;
			}
			if (err)
				break;
			eb->ev[i].flags |= IGEN_EXEC_LOCKED;
		}
		if (err) {
			unlock_objects(eb);
			contended = i;
		}
	} while (err == -EDEADLK);

	return err;
}

/* Locks, places, relocates; on success everything is locked and in place. */
static int reserve_objects(struct igen_execbuf *eb)
{
	unsigned int tries = 0;
	unsigned int i;
	int err;

retry:
	err = lock_objects(eb);
	if (err)
		return err;

	err = igen_execbuf_place(eb);
	if (err == -EAGAIN && tries++ < MAX_TRIES) {
		/* What is in the way is locked by somebody who may want what we have locked. */
		unlock_objects(eb);
		cond_resched();
		goto retry;
	}
	if (err)
		goto err_unlock;

	if (eb->relocate && eb->has_relocs) {
		eb->relocated = true;
		err = igen_execbuf_relocate(eb);
		if (err == -EFAULT && !eb->copies) {
			/* Page faults come before any locking of objects, so that starts over as well. */
			unlock_objects(eb);
			ww_acquire_fini(&eb->ww);
			err = igen_execbuf_copy_relocs(eb);
			ww_acquire_init(&eb->ww, &reservation_ww_class);
			if (err)
				return err;
			goto retry;
		}
		if (err)
			goto err_unlock;
	}

	for (i = 0; i < eb->count; i++) {
		igen_bo_prepare_gpu(eb->ev[i].vma->bo);
		/* A reservation that several entries share may get one fence as a reader and one as a writer. */
		err = dma_resv_reserve_fences(resv_of(&eb->ev[i]), eb->ev[i].flags & IGEN_EXEC_LOCKED ? 1 : 2);
		if (err)
			goto err_unlock;
	}
	return 0;

err_unlock:
	unlock_objects(eb);
	return err;
}

static int await_objects(struct igen_execbuf *eb, struct igen_request *rq)
{
	unsigned int i;
	int err;

	for (i = 0; i < eb->count; i++) {
		if (eb->ev[i].flags & EXEC_OBJECT_ASYNC)
			continue;
		err = igen_request_await_resv(rq, resv_of(&eb->ev[i]), eb->ev[i].flags & EXEC_OBJECT_WRITE);
		if (err)
			return err;
	}
	return 0;
}

static int emit_batch(struct igen_execbuf *eb, struct igen_request *rq)
{
	u64 start = igen_vma_start(eb->ev[eb->batch].vma) + eb->args->batch_start_offset;

	return igen_request_emit_batch(rq, igen_execbuf_shadow_start(eb) ?: start, false);
}

static void activate_objects(struct igen_execbuf *eb, struct igen_request *rq)
{
	unsigned int i;

	for (i = 0; i < eb->count; i++) {
		const bool write = eb->ev[i].flags & EXEC_OBJECT_WRITE;
		struct igen_bo *bo = eb->ev[i].vma->bo;

		dma_resv_add_fence(bo->base.resv, &rq->fence, write ? DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ);
		if (write) {
			bo->read_domains = IGEN_GPU_DOMAINS;
			bo->write_domain = I915_GEM_DOMAIN_RENDER;
		} else {
			bo->read_domains |= IGEN_GPU_DOMAINS;
			bo->write_domain = 0;
		}
	}
}

/* User memory's pages are taken before anything is locked, since that needs mmap_lock. */
static int prepare_userptrs(struct igen_execbuf *eb)
{
	unsigned int i;
	int err;

	for (i = 0; eb->has_userptr && i < eb->count; i++) {
		if (!igen_gem_is_userptr(eb->ev[i].vma->bo))
			continue;
		err = igen_gem_userptr_prepare(eb->ev[i].vma->bo);
		if (err)
			return err;
	}
	return 0;
}

/* Adds the fences; if user memory has changed since its pages were taken the call begins anew. */
static int activate(struct igen_execbuf *eb, struct igen_request *rq)
{
	unsigned int i;

	activate_objects(eb, rq);
	for (i = 0; eb->has_userptr && i < eb->count; i++) {
		struct igen_bo *bo = eb->ev[i].vma->bo;

		if (igen_gem_is_userptr(bo) && !igen_gem_userptr_is_fresh(bo))
			return -EAGAIN;
	}
	return 0;
}

/* Where the objects are that an error report is to show. */
static struct igen_capture_list *list_captures(struct igen_execbuf *eb)
{
	struct igen_capture_list *list;
	unsigned int i, count = 0;

	for (i = 0; i < eb->count; i++)
		count += !!(eb->ev[i].flags & EXEC_OBJECT_CAPTURE);
	list = kmalloc(struct_size(list, address, count), GFP_KERNEL | __GFP_NOWARN);
	if (!list)
		return NULL;

	list->count = 0;
	for (i = 0; i < eb->count; i++)
		if (eb->ev[i].flags & EXEC_OBJECT_CAPTURE)
			list->address[list->count++] = igen_vma_start(eb->ev[i].vma);
	return list;
}

static bool may_not_block(const struct igen_execbuf *eb)
{
	return eb->file->drm->filp->f_flags & O_NONBLOCK;
}

static int submit(struct igen_execbuf *eb)
{
	struct igen_capture_list *capture = NULL;
	struct igen_request *rq;
	u32 relocated = 0;
	int err;

	if (unlikely(eb->has_capture)) {
		capture = list_captures(eb);
		if (!capture)
			return -ENOMEM;
	}

	rq = igen_request_create(eb->lrc, igen_execbuf_reloc_dwords(eb), may_not_block(eb));
	if (IS_ERR(rq)) {
		kfree(capture);
		return PTR_ERR(rq);
	}
	rq->capture = capture;

	err = test_bit(IGEN_CONTEXT_CLOSED, &eb->ctx->flags) ? -ENOENT : 0;
	if (!err)
		err = igen_execbuf_await_fences(eb, rq);
	if (!err)
		err = await_objects(eb, rq);
	if (!err) {
		igen_execbuf_emit_relocs(eb, rq);
		relocated = rq->lrc->ring_tail;
		err = emit_batch(eb, rq);
	}
	if (!err)
		err = activate(eb, rq);
	if (err) {
		igen_request_cancel(rq, err);
		igen_request_put(rq);
		return err;
	}

	/*
	 * Userspace is told that the addresses are written, and others run with them: the engine writes them even if
	 * the request is skipped. Nothing is run any more once the GPU is given up: memory is then as it was.
	 */
	rq->infix = relocated;
	igen_execbuf_shadow_activate(eb, rq);
	rq->emitted_jiffies = jiffies;
	igen_request_add(rq);

	igen_execbuf_signal_fences(eb, rq);
	igen_request_put(rq);
	return 0;
}

static int do_execbuf(struct igen_execbuf *eb)
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

	/* ABI: -EIO once the GPU has been given up. */
	err = igen_check_alive(eb->igen);
	if (!err)
		err = select_engine(eb);
	if (!err)
		err = igen_request_make_room(eb->lrc, may_not_block(eb));
	if (err)
		goto out_context;

	err = lookup_objects(eb);
	if (!err)
		err = prepare_userptrs(eb);
	if (err)
		goto out_objects;

	ww_acquire_init(&eb->ww, &reservation_ww_class);
	err = reserve_objects(eb);
	if (!err) {
		err = igen_execbuf_shadow(eb);
		ww_acquire_done(&eb->ww);
		if (!err)
			err = submit(eb);
		unlock_objects(eb);
	}
	ww_acquire_fini(&eb->ww);
	igen_execbuf_shadow_done(eb);

	if (!err)
		igen_execbuf_return_relocs(eb);
	igen_execbuf_free_relocs(eb);

out_objects:
	for (i = 0; i < eb->looked_up; i++)
		igen_vma_put(eb->ev[i].vma);
out_context:
	igen_context_put(eb->ctx);
out_fences:
	igen_execbuf_free_fences(eb);
	return err;
}

/*
 * Tells userspace where its objects are, if they are not where it thought. Of a call that has failed only some
 * addresses may have been written: it thinks of none then, so that the next one looks at all relocations.
 */
static void return_offsets(struct igen_execbuf *eb, bool failed)
{
	struct drm_i915_gem_exec_object2 __user *user = u64_to_user_ptr(eb->args->buffers_ptr);
	unsigned int i;
	u64 offset;

	for (i = 0; i < eb->count; i++) {
		if (!(eb->ev[i].flags & IGEN_EXEC_UPDATED))
			continue;
		offset = failed ? NO_OFFSET : igen_canonical(eb->exec[i].offset);
		/* A list that is not writable is userspace's loss only. */
		if (put_user(offset, &user[i].offset))
			return;
	}
}

int igen_execbuffer2_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct drm_i915_gem_exec_object2 inline_exec[IGEN_EXEC_INLINE];
	struct igen_exec_vma inline_ev[IGEN_EXEC_INLINE];
	struct drm_i915_gem_execbuffer2 *args = data;
	struct igen_execbuf eb = {};
	int err;

	err = check_args(args);
	if (err)
		return err;

	eb.file = to_igen_file(drm_file);
	eb.igen = eb.file->igen;
	eb.args = args;
	eb.out_fd = -1;
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
	if (copy_from_user(eb.exec, u64_to_user_ptr(args->buffers_ptr), eb.count * sizeof(*eb.exec))) {
		err = -EFAULT;
		goto out_free;
	}

	err = do_execbuf(&eb);
	if (!err || eb.relocated)
		return_offsets(&eb, err);

out_free:
	if (eb.exec != inline_exec)
		kvfree(eb.exec);
	return err;
}
