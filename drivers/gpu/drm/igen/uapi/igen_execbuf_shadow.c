// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf: shadow batches
 *
 * Where batches have to be checked by the CPU (igen_cmdparser.c) a context keeps a few objects for their copies, bound
 * read-only in its address space, so that nothing of the context can change what was checked. One is taken for
 * a call, off the list, and goes back with the call's fence in it; it is taken again when that has signaled.
 */
#include <linux/highmem.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "igen_cmdparser.h"
#include "igen_execbuf.h"

/* What the copy takes at once: a batch is rarely longer. */
#define CHUNK_DWORDS	64

/* Idle copies beyond this many are given up. */
#define MAX_SHADOWS	64

/**
 * struct igen_shadow - a place for a copy
 */
struct igen_shadow {
	/** @link: in igen_context.shadows, under igen_context.shadows_lock */
	struct list_head link;
	/** @vma: it in the context's address space, counted */
	struct igen_vma *vma;
	/** @vaddr: the kernel's mapping */
	u32 *vaddr;
	/** @used: dwords that may hold something */
	u32 used;
};

/* A batch that is being copied. */
struct copy_job {
	struct igen_batch_check check;
	struct igen_bo *bo;
	const void *vaddr;
	u64 offset;
};

static void copy_chunk(struct igen_batch_check *check, u32 upto)
{
	struct copy_job *job = container_of(check, struct copy_job, check);
	u64 from, bytes, left;
	unsigned long index;
	const void *page;

	upto = min(check->total, roundup(upto, CHUNK_DWORDS));
	left = (u64)(upto - check->copied) * sizeof(u32);
	while (left) {
		from = job->offset + (u64)check->copied * sizeof(u32);
		bytes = min_t(u64, left, PAGE_SIZE - offset_in_page(from));
		if (job->vaddr) {
			memcpy(check->shadow + check->copied, job->vaddr + from, bytes);
		} else {
			index = array_index_nospec(from >> PAGE_SHIFT, job->bo->base.size >> PAGE_SHIFT);
			page = kmap_local_page(job->bo->page_list[index]);
			memcpy(check->shadow + check->copied, page + offset_in_page(from), bytes);
			kunmap_local(page);
		}
		check->copied += bytes / sizeof(u32);
		left -= bytes;
	}
}

static void shadow_free(struct igen_shadow *shadow)
{
	struct igen_bo *bo = shadow->vma->bo;

	if (shadow->vaddr) {
		igen_bo_lock(bo);
		igen_bo_vunmap(bo);
		igen_bo_unlock(bo);
	}
	igen_vma_put(shadow->vma);
	kfree(shadow);
}

static struct igen_shadow *shadow_create(struct igen_execbuf *eb, u64 bytes)
{
	struct igen_shadow *shadow;
	struct igen_bo *bo;

	shadow = kzalloc(sizeof(*shadow), GFP_KERNEL);
	if (!shadow)
		return ERR_PTR(-ENOMEM);

	bo = igen_bo_create_internal(eb->igen, roundup_pow_of_two(max_t(u64, bytes, PAGE_SIZE)));
	if (IS_ERR(bo)) {
		kfree(shadow);
		return ERR_CAST(bo);
	}
	bo->read_only = true;

	/* The VMA holds the object from here on. */
	shadow->vma = igen_vma_lookup(bo, eb->ctx->vm);
	igen_bo_put(bo);
	if (IS_ERR(shadow->vma)) {
		struct igen_vma *vma = shadow->vma;

		kfree(shadow);
		return ERR_CAST(vma);
	}
	return shadow;
}

/*
 * Gives a place with its object locked. Nobody but eviction ever takes that lock, and not for long: a place that is
 * locked is passed over, so that the lock needs no part in the call's acquire context.
 */
static struct igen_shadow *shadow_take(struct igen_execbuf *eb, u64 bytes)
{
	struct igen_context *ctx = eb->ctx;
	struct igen_shadow *shadow, *found = NULL;

	spin_lock(&ctx->shadows_lock);
	list_for_each_entry(shadow, &ctx->shadows, link) {
		if (shadow->vma->bo->base.size < bytes)
			continue;
		/* Oldest use first: when this one is busy, so are the others. */
		if (dma_resv_test_signaled(shadow->vma->bo->base.resv, DMA_RESV_USAGE_BOOKKEEP) &&
		    dma_resv_trylock(shadow->vma->bo->base.resv)) {
			list_del(&shadow->link);
			ctx->num_shadows--;
			found = shadow;
		}
		break;
	}
	spin_unlock(&ctx->shadows_lock);

	if (found)
		return found;

	shadow = shadow_create(eb, bytes);
	/* Nobody else knows the new object. */
	if (!IS_ERR(shadow))
		drm_WARN_ON(&eb->igen->drm, !dma_resv_trylock(shadow->vma->bo->base.resv));
	return shadow;
}

/* Gives a copy's place back; the oldest idle one goes when there are many. */
static void shadow_return(struct igen_context *ctx, struct igen_shadow *shadow)
{
	struct igen_shadow *surplus = NULL;

	spin_lock(&ctx->shadows_lock);
	if (test_bit(IGEN_CONTEXT_CLOSED, &ctx->flags)) {
		surplus = shadow;
	} else {
		list_add_tail(&shadow->link, &ctx->shadows);
		if (++ctx->num_shadows > MAX_SHADOWS) {
			surplus = list_first_entry(&ctx->shadows, struct igen_shadow, link);
			list_del(&surplus->link);
			ctx->num_shadows--;
		}
	}
	spin_unlock(&ctx->shadows_lock);

	if (surplus)
		shadow_free(surplus);
}

/**
 * igen_shadows_free - a context that is closing gives up its copies' places
 * @ctx: the context, with IGEN_CONTEXT_CLOSED set
 *
 * May sleep.
 */
void igen_shadows_free(struct igen_context *ctx)
{
	struct igen_shadow *shadow, *next;
	LIST_HEAD(gone);

	spin_lock(&ctx->shadows_lock);
	list_splice_init(&ctx->shadows, &gone);
	ctx->num_shadows = 0;
	spin_unlock(&ctx->shadows_lock);

	list_for_each_entry_safe(shadow, next, &gone, link)
		shadow_free(shadow);
}

static int check_and_copy(struct igen_execbuf *eb, struct igen_shadow *shadow)
{
	struct igen_vma *batch = eb->ev[eb->batch].vma;
	const u64 start = eb->args->batch_start_offset;
	const u64 bytes = eb->args->batch_len ?: batch->bo->base.size - start;
	struct copy_job job = {
		.check = {
			.regs = READ_ONCE(eb->lrc->engine)->info->parsed_regs,
			.shadow = shadow->vaddr,
			.total = bytes / sizeof(u32),
			.batch_addr = igen_canonical(igen_vma_start(batch) + start),
			.shadow_addr = igen_canonical(igen_vma_start(shadow->vma)),
			.copy = copy_chunk,
		},
		.bo = batch->bo,
		.offset = start,
	};
	long left;
	int err;

	/* What the GPU still writes into it is what it will read. */
	left = igen_bo_wait(job.bo, false, true, MAX_SCHEDULE_TIMEOUT);
	if (left < 0)
		return left;

	if (!job.bo->page_list) {
		job.vaddr = igen_bo_vmap(job.bo);
		if (IS_ERR(job.vaddr))
			return PTR_ERR(job.vaddr);
	}
	err = igen_check_batch(&job.check);
	if (job.vaddr)
		igen_bo_vunmap(job.bo);

	/* Nothing of a batch before this one is behind its end. */
	if (shadow->used > job.check.copied)
		memset32(shadow->vaddr + job.check.copied, 0, shadow->used - job.check.copied);
	shadow->used = job.check.copied;
	return err;
}

static int prepare(struct igen_execbuf *eb, struct igen_shadow *shadow)
{
	struct igen_vma *vma = shadow->vma;
	void *vaddr;
	int err;

	err = igen_vma_pin(vma, 0, 0, IGEN_PIN_OFFSET_BIAS | IGEN_EXEC_BATCH_BIAS);
	if (err)
		return err;
	/* The object's lock holds it, and then the call's fence. */
	igen_vma_unpin(vma);

	if (!shadow->vaddr) {
		vaddr = igen_bo_vmap(vma->bo);
		if (IS_ERR(vaddr))
			return PTR_ERR(vaddr);
		shadow->vaddr = vaddr;
	}
	err = dma_resv_reserve_fences(vma->bo->base.resv, 1);
	if (err)
		return err;
	return check_and_copy(eb, shadow);
}

/**
 * igen_execbuf_shadow - makes the checked copy of the batch that will run in its place
 * @eb: the call, with all objects locked and placed
 *
 * The copy is locked until igen_execbuf_shadow_done(). May sleep.
 *
 * Return: 0; -EACCES or -EINVAL for a batch that may not run; -ENOMEM, -ENOSPC, -EINTR.
 */
int igen_execbuf_shadow(struct igen_execbuf *eb)
{
	struct igen_shadow *shadow;

	if (!READ_ONCE(eb->lrc->engine)->info->parsed_regs)
		return 0;

	shadow = shadow_take(eb, eb->args->batch_len ?:
				 eb->ev[eb->batch].vma->bo->base.size - eb->args->batch_start_offset);
	if (IS_ERR(shadow))
		return PTR_ERR(shadow);

	/* Also after a failure igen_execbuf_shadow_done() gives it back. */
	eb->shadow = shadow;
	return prepare(eb, shadow);
}

/**
 * igen_execbuf_shadow_start - where the copy runs
 * @eb: the call
 *
 * Return: the address, or 0 when there is no copy (a copy is never there).
 */
u64 igen_execbuf_shadow_start(const struct igen_execbuf *eb)
{
	return eb->shadow ? igen_vma_start(eb->shadow->vma) : 0;
}

/**
 * igen_execbuf_shadow_activate - the copy is in use until a request has run
 * @eb: the call
 * @rq: its request
 */
void igen_execbuf_shadow_activate(struct igen_execbuf *eb, struct igen_request *rq)
{
	if (eb->shadow)
		dma_resv_add_fence(eb->shadow->vma->bo->base.resv, &rq->fence, DMA_RESV_USAGE_READ);
}

/**
 * igen_execbuf_shadow_done - gives the copy's place back, submitted or not
 * @eb: the call
 */
void igen_execbuf_shadow_done(struct igen_execbuf *eb)
{
	if (!eb->shadow)
		return;
	dma_resv_unlock(eb->shadow->vma->bo->base.resv);
	shadow_return(eb->ctx, eb->shadow);
	eb->shadow = NULL;
}
