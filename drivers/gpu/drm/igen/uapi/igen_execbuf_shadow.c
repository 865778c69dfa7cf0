// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf: shadow batches
 *
 * The CPU checks batches of some engines before they run (igen_cmdparser.c). It checks a copy, and the engine runs that
 * copy. A context keeps a few shadow objects for such copies. They are bound read-only in the context's address space,
 * so no batch of the context can change a copy after the check.
 *
 * Gen7 is another case (igen_engine_info.privileged_copies). A batch with privilege runs from the GGTT there, so that
 * is where its copies are, and only there, which no client reaches. A batch runs with privilege when it needs that, to
 * access registers, and the check allows all of it. Any other one runs itself, without a copy, and the hardware judges
 * it. A call that does not say how long its batch is has not been written with the check in mind, and its batch is not
 * looked at.
 *
 * On Gen6, where the hardware judges too little, every batch runs from a copy with privilege, or not at all
 * (igen_platform.global_stores). Its stores lead through the GGTT (igen_execbuf_stores.c). A batch that ends with a
 * jump back runs in a circle, which its client can still stop (submit/igen_circle.c).
 *
 * A call takes a shadow off the context's list, and puts it back with the fence of its request in it. The shadow can
 * be used again when that fence has signaled, and when no other call waits for its place in the GGTT, as for objects
 * that batches store to (mm/igen_vm.c). A shadow that was not used for a second is freed, and all idle ones of
 * a process are when the process has used up its share. The shrinker may take the pages of an idle shadow. Its pages
 * are charged to the client's budget, and in the GGTT its place as well: half of the GGTT is for the copies of all
 * clients.
 *
 * A call need not say how long its batch is. So the driver begins with a small shadow. If the batch turns out to be
 * longer, the driver takes a larger shadow and starts the copy again.
 *
 * Behind the last checked command of the batch a shadow holds only MI_BATCH_BUFFER_END. The last page, the guard page,
 * never holds anything else. So the engine prefetches only dwords of the driver past the end of a batch.
 *
 * Clients have the whole address space: the OpenCL driver finds no device where I915_CONTEXT_PARAM_GTT_SIZE is no power
 * of two. Userspace drivers choose addresses from both ends of it, or the CPU's, so that copies lie in between
 * (QUIET_EIGHTHS). An object that a client wants where a copy lies takes that place when the copy is idle. A call that
 * leaves no room loses the padding of its objects (EXEC_OBJECT_PAD_TO_SIZE), and the copy lies there.
 */
#include <drm/drm_cache.h>
#include <linux/highmem.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../igen_killable.h"
#include "../mm/igen_budget.h"
#include "../mm/igen_ggtt.h"
#include "igen_cmdparser.h"
#include "igen_execbuf.h"

/* The copy proceeds in chunks of this size. Few batches are longer. */
#define CHUNK_DWORDS	64

/* The size of the first shadow for a batch, and the factor to the next larger one. */
#define FIRST_ROOM	SZ_64K
#define MORE_ROOM	4

/* Bytes behind the room for a copy, more than the engine prefetches. */
#define GUARD_SIZE	PAGE_SIZE

/* Dwords are counted in 32 bits; no batch comes to an end that far behind its start. */
#define MAX_DWORDS	round_down(U32_MAX, CHUNK_DWORDS)

/* Dwords that are sealed at a time. */
#define SEAL_DWORDS	SZ_256K

/* Eighths of the address space below which no copy lies: at 96 TB of 256, between Linux' heaps and its mappings. */
#define QUIET_EIGHTHS	3

/* Jiffies after which an idle shadow is freed. */
#define IDLE_TIME	HZ

/* Idle shadows beyond this many are freed. */
#define MAX_SHADOWS	64

/**
 * struct igen_shadow - a place for a copy
 */
struct igen_shadow {
	/** @link: in igen_context.shadows, under igen_context.shadows_lock */
	struct list_head link;
	/** @vma: it in the context's address space, or in the GGTT; counted, and its object, too */
	struct igen_vma *vma;
	/** @returned: when it was given back, in jiffies */
	unsigned long returned;
	/** @registers: the batch accesses registers, which takes privilege on some platforms */
	bool registers;
	/** @circles: the batch ends with a jump */
	bool circles;
	/** @circle: where to, in bytes from its start */
	u32 circle;
	/** @jump: where the jump is, in bytes from its start */
	u32 jump;
	/** @used: dwords that may hold something else than MI_BATCH_BUFFER_END */
	u64 used;
};

/* Bytes of a batch that there is room for. */
static u64 shadow_room(const struct igen_shadow *shadow)
{
	return shadow->vma->bo->base.size - GUARD_SIZE;
}

/* A batch that is being copied. */
struct copy_job {
	struct igen_batch_check check;
	struct igen_execbuf *eb;
	struct igen_bo *bo;
	u64 offset;
	int err;
};

static void shadow_copy_part(struct copy_job *job, const void *from, u64 bytes)
{
	struct igen_batch_check *check = &job->check;

	/* The CPU's caches may hold stale lines, since the GPU writes such memory past them. */
	if (!igen_bo_is_coherent(job->bo))
		drm_clflush_virt_range((void *)from, bytes);
	memcpy(check->shadow + check->copied, from, bytes);
	check->copied += bytes / sizeof(u32);
}

/* Copies from an object without pages of its own, through the aperture. After an error the copy has zeroes. */
static void shadow_copy_foreign(struct copy_job *job, u64 from, u64 bytes)
{
	struct igen_batch_check *check = &job->check;
	int err = job->bo->ops->copy(job->bo, from, check->shadow + check->copied, bytes, false);

	if (err) {
		memset(check->shadow + check->copied, 0, bytes);
		job->err = err;
	}
	check->copied += bytes / sizeof(u32);
}

static int shadow_copy_chunk(struct igen_batch_check *check, u32 upto)
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
		if (job->bo->ops->copy) {
			shadow_copy_foreign(job, from, bytes);
		} else {
			index = array_index_nospec(from >> PAGE_SHIFT, job->bo->base.size >> PAGE_SHIFT);
			page = kmap_local_page(job->bo->page_list[index]);
			shadow_copy_part(job, page + offset_in_page(from), bytes);
			kunmap_local(page);
		}
		left -= bytes;
	}
	/* There may be a million of these. */
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int shadow_place_store(struct igen_batch_check *check, u32 address, u32 *ggtt)
{
	return igen_execbuf_store(container_of(check, struct copy_job, check)->eb, address, ggtt);
}

static const struct igen_engine_info *shadow_info(const struct igen_execbuf *eb)
{
	return READ_ONCE(eb->lrc->engine)->info;
}

static bool shadow_is_idle(const struct igen_shadow *shadow)
{
	return dma_resv_test_signaled(shadow->vma->bo->base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

static void shadow_free(struct igen_shadow *shadow)
{
	struct igen_bo *bo = shadow->vma->bo;

	/* Nothing runs there any more, so its place can be taken although it may be bound for a while. */
	if (shadow_is_idle(shadow))
		igen_bo_uncharge_copy(bo);
	igen_vma_put(shadow->vma);
	igen_bo_put(bo);
	kfree(shadow);
}

static struct igen_shadow *shadow_create(struct igen_execbuf *eb, u64 bytes)
{
	struct igen_shadow *shadow;
	struct igen_bo *bo;

	shadow = kzalloc(sizeof(*shadow), IGEN_GFP_CLIENT);
	if (!shadow)
		return ERR_PTR(-ENOMEM);

	bo = igen_bo_create_discardable(eb->igen, roundup_pow_of_two(max_t(u64, bytes, PAGE_SIZE)) + GUARD_SIZE,
					eb->lrc->vm->budget);
	if (IS_ERR(bo)) {
		kfree(shadow);
		return ERR_CAST(bo);
	}
	bo->read_only = true;

	/* The other half of the GGTT is for rings, images and page directories. */
	if (shadow_info(eb)->privileged_copies) {
		int err = igen_bo_charge_copy(bo, eb->igen->ggtt.vm.total / 2);

		if (err) {
			igen_bo_put(bo);
			kfree(shadow);
			return ERR_PTR(err);
		}
	}

	shadow->vma = igen_vma_lookup(bo, shadow_info(eb)->privileged_copies ? &eb->igen->ggtt.vm : eb->ctx->vm);
	if (IS_ERR(shadow->vma)) {
		struct igen_vma *vma = shadow->vma;

		igen_bo_put(bo);
		kfree(shadow);
		return ERR_CAST(vma);
	}
	return shadow;
}

/*
 * Lists a context that has shadows, and takes one off the list that has none. ctx->shadows_lock held. The device's lock
 * is taken only when that changes: clients that share nothing must not meet there at each call.
 */
static void shadow_note_owner(struct igen_context *ctx)
{
	struct igen_shadow_owners *owners = &ctx->igen->shadow_owners;
	bool lists = !list_empty(&ctx->shadows);

	lockdep_assert_held(&ctx->shadows_lock);

	if (lists == ctx->shadows_listed)
		return;
	ctx->shadows_listed = lists;
	spin_lock(&owners->lock);
	if (lists) {
		list_add_tail(&ctx->shadows_link, &owners->contexts);
		owners->num++;
	} else {
		list_del(&ctx->shadows_link);
		owners->num--;
	}
	spin_unlock(&owners->lock);
}

/* Frees the context's shadows that no request uses and that were not used for @age jiffies; tells how many. */
static unsigned int shadow_free_idle_of(struct igen_context *ctx, unsigned long age)
{
	struct igen_shadow *shadow, *next;
	unsigned int num = 0;
	LIST_HEAD(gone);

	spin_lock(&ctx->shadows_lock);
	list_for_each_entry_safe(shadow, next, &ctx->shadows, link) {
		if (time_before(jiffies, shadow->returned + age))
			break;
		if (!shadow_is_idle(shadow))
			continue;
		list_move_tail(&shadow->link, &gone);
		ctx->num_shadows--;
		num++;
	}
	shadow_note_owner(ctx);
	spin_unlock(&ctx->shadows_lock);

	list_for_each_entry_safe(shadow, next, &gone, link)
		shadow_free(shadow);
	return num;
}

/**
 * igen_shadows_free_idle - frees the shadows that no request uses, of all contexts of a process
 * @igen: the device
 * @budget: of one of the process's files
 *
 * Their memory goes back in igen_mm_free_idle(). Ends early on SIGKILL.
 *
 * Return: how many it has freed.
 * Context: may sleep.
 */
unsigned int igen_shadows_free_idle(struct igen_device *igen, const struct igen_budget *budget)
{
	struct igen_shadow_owners *owners = &igen->shadow_owners;
	struct igen_context *ctx;
	unsigned int left, num = 0;

	spin_lock(&owners->lock);
	/* Contexts that are listed meanwhile are not visited. */
	for (left = owners->num; left && !list_empty(&owners->contexts) && !fatal_signal_pending(current); left--) {
		ctx = list_first_entry(&owners->contexts, struct igen_context, shadows_link);
		list_move_tail(&ctx->shadows_link, &owners->contexts);
		if (igen_budget_same_process(ctx->vm->budget, budget)) {
			/* A context is taken off the list before its handle drops it. */
			igen_context_get(ctx);
			spin_unlock(&owners->lock);
			num += shadow_free_idle_of(ctx, 0);
			igen_context_put(ctx);
			spin_lock(&owners->lock);
		}
		cond_resched_lock(&owners->lock);
	}
	spin_unlock(&owners->lock);
	return num;
}

/**
 * igen_shadow_owners_init - before the first context
 * @igen: the device
 */
void igen_shadow_owners_init(struct igen_device *igen)
{
	spin_lock_init(&igen->shadow_owners.lock);
	INIT_LIST_HEAD(&igen->shadow_owners.contexts);
}

/*
 * Takes a shadow off the list, with its object locked. Only eviction and the shrinker take that lock otherwise, and for
 * a short time only. A locked shadow is passed over. So the lock need not be part of the call's acquire context.
 */
static struct igen_shadow *shadow_take(struct igen_execbuf *eb, u64 bytes)
{
	struct igen_context *ctx = eb->ctx;
	struct igen_shadow *shadow, *found = NULL;

	spin_lock(&ctx->shadows_lock);
	list_for_each_entry(shadow, &ctx->shadows, link) {
		/* Small copies do not keep large places from going. */
		if (shadow_room(shadow) < bytes || shadow_room(shadow) > max_t(u64, FIRST_ROOM, bytes * MORE_ROOM))
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
	/* Copies that have run may still be charged. */
	if (shadow == ERR_PTR(-ENOSPC) && igen_shadows_free_idle(eb->igen, eb->lrc->vm->budget))
		shadow = shadow_create(eb, bytes);
	/* The new object is not on a list yet, so this can't fail. */
	if (!IS_ERR(shadow))
		drm_WARN_ON(&eb->igen->drm, !dma_resv_trylock(shadow->vma->bo->base.resv));
	return shadow;
}

/* Puts a shadow back onto the list. If the list is long, the shadow that was unused for the longest time is freed. */
static void shadow_return(struct igen_context *ctx, struct igen_shadow *shadow)
{
	struct igen_shadow *surplus = NULL;

	shadow->returned = jiffies;
	spin_lock(&ctx->shadows_lock);
	if (test_bit(IGEN_CONTEXT_CLOSED, &ctx->flags)) {
		surplus = shadow;
	} else {
		list_add_tail(&shadow->link, &ctx->shadows);
		shadow_note_owner(ctx);
		if (++ctx->num_shadows > MAX_SHADOWS) {
			surplus = list_first_entry(&ctx->shadows, struct igen_shadow, link);
			list_del(&surplus->link);
			ctx->num_shadows--;
		}
		/* Queued with the lock held: closing the context sets CLOSED first, and then waits for the worker. */
		queue_delayed_work(ctx->igen->wq, &ctx->shadows_work, IDLE_TIME);
	}
	spin_unlock(&ctx->shadows_lock);

	if (surplus)
		shadow_free(surplus);
}

/* Frees shadows that were not used for a while. */
static void shadows_work(struct work_struct *work)
{
	struct igen_context *ctx = container_of(to_delayed_work(work), struct igen_context, shadows_work);

	shadow_free_idle_of(ctx, IDLE_TIME);
	spin_lock(&ctx->shadows_lock);
	if (!list_empty(&ctx->shadows))
		queue_delayed_work(ctx->igen->wq, &ctx->shadows_work, IDLE_TIME);
	spin_unlock(&ctx->shadows_lock);
}

/**
 * igen_shadows_init - for a context that can execute
 * @ctx: the context, not yet published; ended by igen_shadows_free() when it was
 */
void igen_shadows_init(struct igen_context *ctx)
{
	INIT_DELAYED_WORK(&ctx->shadows_work, shadows_work);
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
	shadow_note_owner(ctx);
	spin_unlock(&ctx->shadows_lock);
	cancel_delayed_work_sync(&ctx->shadows_work);

	list_for_each_entry_safe(shadow, next, &gone, link)
		shadow_free(shadow);
}

/* How long the batch may be, in dwords. */
static u32 shadow_batch_dwords(const struct igen_execbuf *eb)
{
	const u64 size = eb->ev[eb->batch].vma->bo->base.size;
	const u64 bytes = eb->args->batch_len ?: size - eb->args->batch_start_offset;

	return min_t(u64, bytes / sizeof(u32), MAX_DWORDS);
}

/* Makes every dword from @end on an end of the batch. */
static void shadow_seal(struct igen_shadow *shadow, u32 *vaddr, u64 end)
{
	u64 at, part;

	for (at = end; at < shadow->used; at += part) {
		part = min_t(u64, shadow->used - at, SEAL_DWORDS);
		igen_seal_batch(vaddr + at, part);
		cond_resched();
	}
	shadow->used = end;
}

static void shadow_note(struct igen_shadow *shadow, const struct igen_batch_check *check)
{
	shadow->registers = check->registers;
	shadow->circles = check->circles;
	shadow->circle = check->circle * sizeof(u32);
	shadow->jump = check->jump * sizeof(u32);
	/* Whole chunks were copied, and behind them the shadow holds dwords of earlier batches. */
	shadow->used = max_t(u64, shadow->used, check->copied);
}

static int shadow_check_and_copy(struct igen_execbuf *eb, struct igen_shadow *shadow, u32 *vaddr)
{
	const struct igen_engine_info *info = shadow_info(eb);
	struct igen_vma *batch = eb->ev[eb->batch].vma;
	const u64 start = eb->args->batch_start_offset;
	const u32 total = shadow_batch_dwords(eb);
	struct copy_job job = {
		.check = {
			.cmds = info->parsed_cmds,
			.gfx = info->parsed_gfx,
			.num_gfx = info->num_parsed_gfx,
			.regs = info->parsed_regs,
			.privilege = info->privileged_copies,
			.skips = eb->igen->platform->global_stores,
			.shadow = vaddr,
			.total = total,
			.room = min_t(u64, total, shadow_room(shadow) / sizeof(u32)),
			.batch_addr = igen_canonical(igen_vma_start(batch) + start),
			.shadow_addr = igen_canonical(igen_vma_start(shadow->vma)),
			.copy = shadow_copy_chunk,
			.place_store = shadow_place_store,
			.killed = igen_check_killed,
		},
		.eb = eb,
		.bo = batch->bo,
		.offset = start,
	};
	long left;
	int err;

	/* The copy has to contain what earlier requests still write into the batch. */
	left = igen_bo_wait(job.bo, false, true, MAX_SCHEDULE_TIMEOUT);
	if (left < 0)
		return left;

	if (eb->igen->platform->global_stores) {
		err = igen_execbuf_sort_stores(eb);
		if (err)
			return err;
	}
	err = igen_check_batch(&job.check);
	if (!err && eb->unplaced_stores)
		err = -EAGAIN;
	if (job.err)
		err = job.err;

	shadow_note(shadow, &job.check);
	if (!err)
		shadow_seal(shadow, vaddr, job.check.end);
	return err;
}

/* Whether the call's objects had addresses that they do not need. */
static bool shadow_drop_padding(struct igen_execbuf *eb)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < eb->count; i++)
		any |= igen_vma_give_up_padding(eb->ev[i].vma);
	return any;
}

static int shadow_prepare(struct igen_execbuf *eb, struct igen_shadow *shadow)
{
	struct igen_vma *vma = shadow->vma;
	const u64 quiet = vma->vm->total / 8 * QUIET_EIGHTHS & IGEN_PIN_OFFSET_MASK;
	void *vaddr;
	int err;

	/* A new shadow, and one whose pages the shrinker has taken, gets zeroed pages: all of it has to be sealed. */
	if (!vma->bo->pages)
		shadow->used = vma->bo->base.size / sizeof(u32);
	err = igen_vma_pin(vma, 0, 0, IGEN_PIN_OFFSET_BIAS | quiet);
	/* -EAGAIN: an object in the way is locked, by this call or by another task. */
	if ((err == -ENOSPC || err == -EAGAIN) && shadow_drop_padding(eb))
		err = igen_vma_pin(vma, 0, 0, IGEN_PIN_OFFSET_BIAS | quiet);
	/* The shadow's lock is not in the call's acquire context, so a retry could wait for another call's shadow. */
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
	err = shadow_check_and_copy(eb, shadow, vaddr);
	igen_bo_vunmap(vma->bo);
	return err;
}

/**
 * igen_execbuf_shadow - makes the checked copy of the batch that will run in its place
 * @eb: the call, with all objects locked and placed
 *
 * The copy is locked until igen_execbuf_shadow_done(). May sleep.
 *
 * Return: 0; -EACCES or -EINVAL for a batch that may not run; -EAGAIN when objects have to be placed anew, in the GGTT,
 * where the batch stores to, or with eb->claimed set when another call waits for the copy's place; -ENOMEM, -ENOSPC,
 * -EINTR.
 */
int igen_execbuf_shadow(struct igen_execbuf *eb)
{
	const u64 most = shadow_batch_dwords(eb) * (u64)sizeof(u32);
	const struct igen_engine_info *info = shadow_info(eb);
	const bool unchecked = info->privileged_copies && !eb->igen->platform->global_stores;
	struct igen_shadow *shadow;
	u64 room;
	int err;

	/* A call that does not say how long its batch is has its batch judged by the hardware alone. */
	if (!info->parsed_cmds || (unchecked && !eb->args->batch_len))
		return 0;

	for (room = min_t(u64, most, FIRST_ROOM);; room = min(most, room * MORE_ROOM)) {
		shadow = shadow_take(eb, room);
		if (IS_ERR(shadow))
			return PTR_ERR(shadow);

		/* Also after a failure igen_execbuf_shadow_done() gives it back. */
		eb->shadow = shadow;
		if (igen_execbuf_heeds_claim(eb, shadow->vma)) {
			eb->claimed = shadow->vma;
			return -EAGAIN;
		}
		err = shadow_prepare(eb, shadow);
		if (unchecked && (err == -EACCES || (!err && !shadow->registers))) {
			igen_execbuf_shadow_done(eb);
			return 0;
		}
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
 * igen_execbuf_shadow_privileged - the part of the GGTT in which the copy runs with privilege
 * @eb: the call
 *
 * Return: bytes from igen_execbuf_shadow_start() on; 0 when no copy runs with privilege.
 */
u32 igen_execbuf_shadow_privileged(const struct igen_execbuf *eb)
{
	return eb->shadow && shadow_info(eb)->privileged_copies ? shadow_room(eb->shadow) : 0;
}

/**
 * igen_execbuf_shadow_activate - the copy is in use until a request has run
 * @eb: the call
 * @rq: its request
 */
void igen_execbuf_shadow_activate(struct igen_execbuf *eb, struct igen_request *rq)
{
	const struct igen_shadow *shadow = eb->shadow;

	dma_resv_add_fence(shadow->vma->bo->base.resv, &rq->fence, DMA_RESV_USAGE_READ);
	/* On other platforms clients can write batches that look whether they are to end. */
	if (eb->igen->platform->global_stores && shadow->circles) {
		rq->circle = igen_vma_start(eb->ev[eb->batch].vma) + eb->args->batch_start_offset + shadow->circle;
		rq->circle_offset = shadow->circle;
		rq->circle_bytes = shadow->jump - shadow->circle;
		rq->circles = true;
	}
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
	igen_execbuf_free_stores(eb);
}

/**
 * igen_execbuf_shadow_yield - wait while another call waits for the copy's place, and give the copy back
 * @eb: the call, with nothing locked but the copy, for which igen_execbuf_shadow() has set eb->claimed
 *
 * The copy is on no list meanwhile, so the context does not use it, nor free it.
 *
 * Return: 0, or -EINTR.
 * Context: may sleep.
 */
int igen_execbuf_shadow_yield(struct igen_execbuf *eb)
{
	struct igen_shadow *shadow = eb->shadow;
	int err;

	eb->shadow = NULL;
	dma_resv_unlock(shadow->vma->bo->base.resv);
	err = igen_execbuf_await_claimed(eb);
	shadow_return(eb->ctx, shadow);
	return err;
}
