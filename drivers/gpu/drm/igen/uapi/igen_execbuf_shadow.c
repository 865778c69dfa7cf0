// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf: shadow batches
 *
 * Where batches have to be checked by the CPU (igen_cmdparser.c) a context keeps a few objects for their copies, bound
 * read-only in its address space, so that nothing of the context can change what was checked. One is taken for
 * a call, off the list, and goes back with the call's fence in it; it is taken again when that has signaled. What
 * nobody has taken for a second is given up, and the shrinker may take the pages of what is idle.
 *
 * A call need not say how long its batch is. So a copy begins small, and when the batch turns out to be longer, a place
 * for a longer one is taken and the copy begins anew.
 */
#include <drm/drm_cache.h>
#include <linux/highmem.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../mm/igen_ggtt.h"
#include "igen_cmdparser.h"
#include "igen_execbuf.h"

/* What the copy takes at once: a batch is rarely longer. */
#define CHUNK_DWORDS	64

/* What a batch gets at first; when it is longer, so many times as much. */
#define FIRST_ROOM	SZ_64K
#define MORE_ROOM	4

/* Dwords are counted in 32 bits; no batch comes to an end that far behind its start. */
#define MAX_DWORDS	round_down(U32_MAX, CHUNK_DWORDS)

/* Jiffies after which an idle copy is given up. */
#define IDLE_TIME	HZ

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
	/** @returned: when it was given back, in jiffies */
	unsigned long returned;
	/** @used: dwords that may hold something */
	u32 used;
};

/* A batch that is being copied. */
struct copy_job {
	struct igen_batch_check check;
	struct igen_bo *bo;
	u64 offset;
	int err;
};

static void copy_part(struct copy_job *job, const void *from, u64 bytes)
{
	struct igen_batch_check *check = &job->check;

	/* The GPU, or the CPU past its caches, may have written what the caches do not know of. */
	if (job->bo->cache_level == IGEN_CACHE_NONE)
		drm_clflush_virt_range((void *)from, bytes);
	memcpy(check->shadow + check->copied, from, bytes);
	check->copied += bytes / sizeof(u32);
}

/* What has no pages of its own is read through the aperture; what could not be read is zeroes, and no batch. */
static void copy_foreign(struct copy_job *job, u64 from, u64 bytes)
{
	struct igen_batch_check *check = &job->check;
	int err = igen_ggtt_copy(job->bo, from, check->shadow + check->copied, bytes, false);

	if (err) {
		memset(check->shadow + check->copied, 0, bytes);
		job->err = err;
	}
	check->copied += bytes / sizeof(u32);
}

static int copy_chunk(struct igen_batch_check *check, u32 upto)
{
	struct copy_job *job = container_of(check, struct copy_job, check);
	u64 from, bytes, left;
	unsigned long index;
	const void *page;

	upto = min(check->room, roundup(upto, CHUNK_DWORDS));
	left = (u64)(upto - check->copied) * sizeof(u32);
	while (left) {
		from = job->offset + (u64)check->copied * sizeof(u32);
		bytes = min_t(u64, left, PAGE_SIZE - offset_in_page(from));
		if (!job->bo->page_list) {
			copy_foreign(job, from, bytes);
		} else {
			index = array_index_nospec(from >> PAGE_SHIFT, job->bo->base.size >> PAGE_SHIFT);
			page = kmap_local_page(job->bo->page_list[index]);
			copy_part(job, page + offset_in_page(from), bytes);
			kunmap_local(page);
		}
		left -= bytes;
	}
	/* There may be a million of these. */
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static void shadow_free(struct igen_shadow *shadow)
{
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

	bo = igen_bo_create_discardable(eb->igen, roundup_pow_of_two(max_t(u64, bytes, PAGE_SIZE)));
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
 * Gives a place with its object locked. Nobody but eviction and the shrinker ever takes that lock, and not for long: a
 * place that is locked is passed over, so that the lock needs no part in the call's acquire context.
 */
static struct igen_shadow *shadow_take(struct igen_execbuf *eb, u64 bytes)
{
	struct igen_context *ctx = eb->ctx;
	struct igen_shadow *shadow, *found = NULL;

	spin_lock(&ctx->shadows_lock);
	list_for_each_entry(shadow, &ctx->shadows, link) {
		/* Small copies do not keep large places from going. */
		if (shadow->vma->bo->base.size < bytes ||
		    shadow->vma->bo->base.size > max_t(u64, FIRST_ROOM, bytes * MORE_ROOM))
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

	shadow->returned = jiffies;
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
		/* With the lock held: who closes the context waits for the worker afterwards. */
		queue_delayed_work(ctx->igen->wq, &ctx->shadows_work, IDLE_TIME);
	}
	spin_unlock(&ctx->shadows_lock);

	if (surplus)
		shadow_free(surplus);
}

/* Gives up what nobody has taken for a while. */
static void free_idle(struct work_struct *work)
{
	struct igen_context *ctx = container_of(to_delayed_work(work), struct igen_context, shadows_work);
	struct igen_shadow *shadow, *next;
	LIST_HEAD(gone);

	spin_lock(&ctx->shadows_lock);
	list_for_each_entry_safe(shadow, next, &ctx->shadows, link) {
		if (time_before(jiffies, shadow->returned + IDLE_TIME))
			break;
		if (!dma_resv_test_signaled(shadow->vma->bo->base.resv, DMA_RESV_USAGE_BOOKKEEP))
			continue;
		list_move_tail(&shadow->link, &gone);
		ctx->num_shadows--;
	}
	if (!list_empty(&ctx->shadows))
		queue_delayed_work(ctx->igen->wq, &ctx->shadows_work, IDLE_TIME);
	spin_unlock(&ctx->shadows_lock);

	list_for_each_entry_safe(shadow, next, &gone, link)
		shadow_free(shadow);
}

/**
 * igen_shadows_init - for a context that can execute
 * @ctx: the context, not yet published; ended by igen_shadows_free() when it was
 */
void igen_shadows_init(struct igen_context *ctx)
{
	INIT_DELAYED_WORK(&ctx->shadows_work, free_idle);
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
	cancel_delayed_work_sync(&ctx->shadows_work);

	list_for_each_entry_safe(shadow, next, &gone, link)
		shadow_free(shadow);
}

/* How long the batch may be, in dwords. */
static u32 batch_dwords(const struct igen_execbuf *eb)
{
	const u64 size = eb->ev[eb->batch].vma->bo->base.size;
	const u64 bytes = eb->args->batch_len ?: size - eb->args->batch_start_offset;

	return min_t(u64, bytes / sizeof(u32), MAX_DWORDS);
}

static int check_and_copy(struct igen_execbuf *eb, struct igen_shadow *shadow, u32 *vaddr)
{
	struct igen_vma *batch = eb->ev[eb->batch].vma;
	const u64 start = eb->args->batch_start_offset;
	const u32 total = batch_dwords(eb);
	struct copy_job job = {
		.check = {
			.regs = READ_ONCE(eb->lrc->engine)->info->parsed_regs,
			.shadow = vaddr,
			.total = total,
			.room = min_t(u64, total, shadow->vma->bo->base.size / sizeof(u32)),
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

	err = igen_check_batch(&job.check);
	if (job.err)
		err = job.err;

	/* Nothing of a batch before this one is behind its end. */
	if (shadow->used > job.check.copied)
		memset32(vaddr + job.check.copied, 0, shadow->used - job.check.copied);
	shadow->used = job.check.copied;
	return err;
}

static int prepare(struct igen_execbuf *eb, struct igen_shadow *shadow)
{
	struct igen_vma *vma = shadow->vma;
	void *vaddr;
	int err;

	/* The shrinker has taken its pages: they come anew. */
	if (!vma->bo->pages)
		shadow->used = 0;
	err = igen_vma_pin(vma, 0, 0, IGEN_PIN_OFFSET_BIAS | IGEN_EXEC_BATCH_BIAS);
	/* The copy's lock is no part of the call's context, so that the call's own may be what is in the way. */
	if (err == -EAGAIN)
		err = -ENOSPC;
	if (err)
		return err;
	/* The object's lock holds it, and then the call's fence. */
	igen_vma_unpin(vma);

	err = dma_resv_reserve_fences(vma->bo->base.resv, 1);
	if (err)
		return err;
	/* Made once: it stays until the pages go. */
	vaddr = igen_bo_vmap(vma->bo);
	if (IS_ERR(vaddr))
		return PTR_ERR(vaddr);
	err = check_and_copy(eb, shadow, vaddr);
	igen_bo_vunmap(vma->bo);
	return err;
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
	const u64 most = batch_dwords(eb) * (u64)sizeof(u32);
	struct igen_shadow *shadow;
	u64 room;
	int err;

	if (!READ_ONCE(eb->lrc->engine)->info->parsed_regs)
		return 0;

	for (room = min_t(u64, most, FIRST_ROOM);; room = min(most, room * MORE_ROOM)) {
		shadow = shadow_take(eb, room);
		if (IS_ERR(shadow))
			return PTR_ERR(shadow);

		/* Also after a failure igen_execbuf_shadow_done() gives it back. */
		eb->shadow = shadow;
		err = prepare(eb, shadow);
		if (err != -ENOBUFS)
			return err;
		igen_execbuf_shadow_done(eb);
	}
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
