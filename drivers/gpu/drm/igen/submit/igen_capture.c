// SPDX-License-Identifier: MIT
/**
 * DOC: Capture of a hang
 *
 * Before a reset touches the hardware what explains the hang is copied: registers, the request, its ring, batch,
 * context image and status page, and the objects that its client marked with EXEC_OBJECT_CAPTURE. Only the first error
 * is kept until root has cleared it: later ones are mostly its consequence. Contexts may ask to be left out.
 *
 * Everything that waits for the GPU waits for the reset, memory reclaim perhaps too. So nothing here waits for memory
 * or for a lock whose holder could be in reclaim: allocations are GFP_NOWAIT, an address space's mutex is only tried,
 * and what cannot be had is named as missing. The sum of the copies is bounded; the first reader compresses
 * them.
 */
#include <drm/drm_cache.h>
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include <igen/regs/engine.h>
#include <igen/regs/gtt.h>

#include "../igen_device.h"
#include "../mm/igen_vm.h"
#include "igen_capture.h"
#include "igen_submit.h"

#define GFP_CAPTURE	(GFP_NOWAIT | __GFP_NOWARN)

/* All copies of a snapshot together. */
#define MAX_PAGES	(SZ_16M >> PAGE_SHIFT)

/* Objects of a client that a snapshot copies or names as missing. */
#define MAX_BOS		(2 * MAX_PAGES)

/* An address space's mutex is held for a moment at a time, so a few tries are enough. */
#define VM_TRIES	20

/* group->lock held. A request on a port may have completed, and its context may have been freed. */
static void capture_note_request(const struct igen_request *rq, struct igen_capture_request *note)
{
	note->context = rq->fence.context;
	note->seqno = rq->fence.seqno;
	note->pid = rq->pid;
	note->priority = rq->priority;
	note->head = rq->head;
	note->tail = rq->tail;
	note->completed = igen_request_completed(rq);
}

static void capture_free_pages_of(struct igen_capture_bo *copy)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &copy->pages, lru) {
		list_del(&page->lru);
		__free_page(page);
	}
}

/* Copies all of an object, or notes why not. Its pages are pinned. */
static void capture_pages(struct igen_snapshot *snap, struct igen_capture_bo *copy, const struct igen_bo *bo)
{
	const bool flush = !igen_bo_is_coherent(bo);
	unsigned int i, n = bo->base.size >> PAGE_SHIFT;
	struct page *page;
	void *src;

	if (bo->ops->not_captured) {
		copy->missing = bo->ops->not_captured;
		return;
	}
	if (n > snap->pages_left) {
		copy->missing = "it is too large for what may still be copied";
		return;
	}
	for (i = 0; i < n; i++) {
		page = alloc_page(GFP_CAPTURE);
		if (!page) {
			copy->missing = "there is no memory";
			capture_free_pages_of(copy);
			return;
		}
		src = kmap_local_page(bo->page_list[i]);
		/* The GPU writes such an object past the CPU's caches, which may hold stale lines of it. */
		if (flush)
			drm_clflush_virt_range(src, PAGE_SIZE);
		memcpy(page_address(page), src, PAGE_SIZE);
		kunmap_local(src);
		list_add_tail(&page->lru, &copy->pages);
	}
	snap->pages_left -= n;
}

/* Notes that an object is missing, and why. */
static void capture_bo(struct igen_snapshot *snap, struct igen_capture_engine *eng, const char *name, u64 address,
		       const struct igen_bo *bo, const char *missing)
{
	struct igen_capture_bo *copy = kzalloc(sizeof(*copy), GFP_CAPTURE);

	if (!copy) {
		eng->lost++;
		return;
	}
	copy->name = name;
	copy->address = address;
	copy->missing = missing;
	INIT_LIST_HEAD(&copy->pages);
	if (bo) {
		copy->size = bo->base.size;
		capture_pages(snap, copy, bo);
	}
	list_add_tail(&copy->link, &eng->bos);
}

static void capture_vma(struct igen_snapshot *snap, struct igen_capture_engine *eng, const char *name,
			const struct igen_vma *vma)
{
	if (vma)
		capture_bo(snap, eng, name, igen_vma_start(vma), vma->bo, NULL);
}

static bool capture_try_lock_vm(struct igen_vm *vm)
{
	unsigned int i;

	for (i = 0; i < VM_TRIES; i++) {
		if (mutex_trylock(&vm->mutex))
			return true;
		usleep_range(100, 200);
	}
	return false;
}

static void capture_client(struct igen_snapshot *snap, struct igen_capture_engine *eng, const char *name,
			   struct igen_vm *vm, u64 address)
{
	struct igen_vma *vma = igen_vm_find_bound(vm, address);

	if (vma)
		capture_vma(snap, eng, name, vma);
	else
		capture_bo(snap, eng, name, address, NULL, "nothing is bound there");
}

/*
 * Captures @count objects of the request, at these addresses. The request's objects are bound as long as the request
 * has not completed. While vm->mutex is held they stay bound even if it completes.
 */
static void capture_bound(struct igen_snapshot *snap, struct igen_capture_engine *eng, const char *name,
			  struct igen_request *rq, struct igen_vm *vm, const u64 *address, unsigned int count)
{
	unsigned int i;

	if (!capture_try_lock_vm(vm)) {
		capture_bo(snap, eng, name, address[0], NULL, "its address space is in use");
		return;
	}
	for (i = 0; i < count && !igen_request_completed(rq); i++)
		capture_client(snap, eng, name, vm, address[i]);
	mutex_unlock(&vm->mutex);
}

/*
 * Captures the request's batch, the copy of it that runs if there is one, and the objects that the client wants:
 * EXEC_OBJECT_CAPTURE. The client knows the address of its own batch, the registers have that of the copy.
 */
static void capture_clients(struct igen_snapshot *snap, struct igen_capture_engine *eng, struct igen_request *rq,
			    struct igen_vm *vm)
{
	const struct igen_capture_list *list = rq->capture;
	struct igen_vm *place = rq->privileged ? &rq->engine->igen->ggtt.vm : vm;

	if (rq->original)
		capture_bound(snap, eng, "batch", rq, vm, &rq->original, 1);
	if (rq->batch_start)
		capture_bound(snap, eng, "batch", rq, place, &rq->batch_start, 1);
	if (!list || !list->count)
		return;
	capture_bound(snap, eng, "user", rq, vm, list->address, min(list->count, MAX_BOS));
	if (list->count > MAX_BOS)
		eng->lost += list->count - MAX_BOS;
}

/* The registers of an engine. All generations have these; the platform's operation reads the others. */
static void capture_engine_regs(struct igen_engine *engine, struct igen_capture_regs *regs)
{
	struct igen_device *igen = engine->igen;
	const u32 base = engine->info->base;

	regs->ccid = igen_read(igen, RING_CCID(base));
	regs->start = igen_read(igen, RING_START(base));
	regs->head = igen_read(igen, RING_HEAD(base));
	regs->tail = igen_read(igen, RING_TAIL(base));
	regs->ctl = igen_read(igen, RING_CTL(base));
	regs->mode = igen_read(igen, RING_MI_MODE(base));
	regs->hws = igen_read(igen, engine->info->hws_pga);
	regs->ipeir = igen_read(igen, RING_IPEIR(base));
	regs->ipehr = igen_read(igen, RING_IPEHR(base));
	regs->esr = igen_read(igen, RING_ESR(base));
	regs->eir = igen_read(igen, RING_EIR(base));
	regs->emr = igen_read(igen, RING_EMR(base));
	regs->instdone = igen_read(igen, RING_INSTDONE(base));
	regs->bb_state = igen_read(igen, RING_BB_STATE(base));
	regs->instps = igen_read(igen, RING_INSTPS(base));
	regs->instpm = igen_read(igen, RING_INSTPM(base));
	regs->rc_psmi = igen_read(igen, RING_RC_PSMI_CONTROL(base));
	igen->platform->error->capture_engine(engine, regs);
}

/* Reads the registers that engines share. */
static void capture_gt(struct igen_device *igen, struct igen_snapshot *snap)
{
	unsigned int i;

	snap->pgtbl_er = igen_read(igen, PGTBL_ER);
	for (i = 0; i < igen->platform->num_fences; i++)
		snap->fences[i] = igen_read(igen, FENCE_REG(i)) | (u64)igen_read(igen, FENCE_REG(i) + 4) << 32;
	igen->platform->error->capture_gt(igen, snap);
}

/* Captures a counted request of a counted context, with the objects of both. */
static void capture_request(struct igen_engine *engine, struct igen_snapshot *snap, struct igen_request *rq,
			    struct igen_context *ctx)
{
	struct igen_capture_engine *eng = &snap->engine[engine->info->id];

	eng->info = engine->info;
	eng->has_request = true;
	eng->rq_postfix = rq->postfix;
	eng->batch_start = rq->batch_start;
	eng->guilty = atomic_read(&ctx->guilty_count);
	eng->active = atomic_read(&ctx->active_count);
	strscpy(eng->comm, ctx->comm, sizeof(eng->comm));

	capture_vma(snap, eng, "ring", rq->lrc->ring.vma ?: engine->ring.vma);
	capture_vma(snap, eng, "HW context", rq->lrc->image.vma);
	capture_vma(snap, eng, "HW Status", engine->hwsp);
	capture_vma(snap, eng, "WA context", engine->ctx_wa);
	capture_clients(snap, eng, rq, rq->lrc->vm);
}

/* Returns false when the hung context has switched error capture off. Forcewake is held. */
static bool capture_engine(struct igen_engine *engine, struct igen_snapshot *snap, bool hung)
{
	struct igen_capture_engine *eng = &snap->engine[engine->info->id];
	const struct igen_submit_ops *ops = engine->igen->platform->submit;
	struct igen_engine_state state;
	struct igen_context *ctx = NULL;
	struct igen_request *rq;
	bool wanted = true;
	unsigned int i;

	capture_engine_regs(engine, &eng->regs);

	spin_lock_irq(&engine->group->lock);
	ops->state(engine, false, &state);
	rq = state.active;
	if (rq)
		ctx = igen_context_tryget(rq->context);
	/* The request may complete at any time, and the last reference to its context may go with it. */
	if (!ctx)
		rq = NULL;
	if (rq) {
		wanted = !test_bit(IGEN_CONTEXT_NO_ERROR_CAPTURE, &ctx->flags);
		igen_request_get(rq);
		igen_lrc_get(rq->lrc);
		capture_note_request(rq, &eng->rq);
	}
	for (i = 0; i < ARRAY_SIZE(state.given) && state.given[i]; i++)
		capture_note_request(state.given[i], &eng->given[i]);
	spin_unlock_irq(&engine->group->lock);

	if (rq && wanted)
		capture_request(engine, snap, rq, ctx);
	else if (hung && !rq)
		eng->info = engine->info;
	eng->hung = hung;

	if (rq) {
		igen_lrc_put(rq->lrc);
		igen_context_put(ctx);
		igen_request_put(rq);
	}
	return wanted || !hung;
}

static struct igen_snapshot *capture_take_snapshot(struct igen_device *igen, u32 hung, const char *reason)
{
	struct igen_snapshot *snap;
	struct igen_engine *engine;
	bool wanted = true;
	unsigned int id;

	snap = kzalloc(sizeof(*snap), GFP_CAPTURE);
	if (!snap)
		return ERR_PTR(-ENOMEM);

	kref_init(&snap->ref);
	xa_init(&snap->text);
	for (id = 0; id < IGEN_NUM_ENGINES; id++)
		INIT_LIST_HEAD(&snap->engine[id].bos);
	snap->pages_left = MAX_PAGES;
	strscpy(snap->reason, reason, sizeof(snap->reason));
	snap->time = ktime_get_real();
	snap->boottime = ktime_get_boottime();
	snap->jiffies = jiffies;
	snap->reset_count = atomic_read(&igen->reset_count);

	if (igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL)) {
		igen_snapshot_put(snap);
		return ERR_PTR(-EIO);
	}
	capture_gt(igen, snap);
	for_each_engine(igen, id, engine)
		wanted &= capture_engine(engine, snap, hung & BIT(id));
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);

	if (!wanted) {
		igen_snapshot_put(snap);
		return NULL;
	}
	return snap;
}

/**
 * igen_capture - takes a snapshot of a hang, if no earlier snapshot is kept
 * @igen: the device, before it is reset
 * @hung: the engines that hang
 * @reason: what they are accused of
 *
 * Context: may sleep, not for long and not for memory; reset_mutex held.
 */
void igen_capture(struct igen_device *igen, u32 hung, const char *reason)
{
	struct igen_error *error = &igen->error;
	struct igen_snapshot *snap;

	lockdep_assert_held(&igen->reset_mutex);

	if (READ_ONCE(error->first))
		return;

	snap = capture_take_snapshot(igen, hung, reason);
	if (!snap)
		return;

	/* There is no other writer, since resets come one by one. */
	spin_lock(&error->lock);
	if (IS_ERR(snap))
		error->lost = true;
	else
		error->first = snap;
	spin_unlock(&error->lock);

	if (IS_ERR(snap))
		drm_notice(&igen->drm, "the error could not be captured: %ld\n", PTR_ERR(snap));
	else
		/* The worker may wait for memory, which no work on the device's own queue may do. */
		queue_work(system_unbound_wq, &error->work);
}

/**
 * igen_capture_first - the first error
 * @igen: the device
 *
 * Return: the snapshot, counted; NULL when there is none; ERR_PTR(-ENOMEM) when there was no memory to keep it.
 * Context: any but interrupts.
 */
struct igen_snapshot *igen_capture_first(struct igen_device *igen)
{
	struct igen_error *error = &igen->error;
	struct igen_snapshot *snap;

	spin_lock(&error->lock);
	snap = error->first;
	if (snap)
		kref_get(&snap->ref);
	else if (error->lost)
		snap = ERR_PTR(-ENOMEM);
	spin_unlock(&error->lock);
	return snap;
}

/**
 * igen_capture_clear - forgets the first error, so that the next is kept
 * @igen: the device
 *
 * Context: any but interrupts.
 */
void igen_capture_clear(struct igen_device *igen)
{
	struct igen_error *error = &igen->error;
	struct igen_snapshot *snap;

	spin_lock(&error->lock);
	snap = error->first;
	error->first = NULL;
	error->lost = false;
	spin_unlock(&error->lock);
	igen_snapshot_put(snap);
}

/**
 * igen_snapshot_release - the last reference is gone
 * @ref: igen_snapshot.ref
 */
void igen_snapshot_release(struct kref *ref)
{
	struct igen_snapshot *snap = container_of(ref, struct igen_snapshot, ref);
	struct igen_capture_bo *copy, *next;
	unsigned long index;
	struct page *page;
	unsigned int id;

	for (id = 0; id < IGEN_NUM_ENGINES; id++) {
		list_for_each_entry_safe(copy, next, &snap->engine[id].bos, link) {
			capture_free_pages_of(copy);
			kfree(copy);
		}
	}
	xa_for_each(&snap->text, index, page)
		__free_page(page);
	xa_destroy(&snap->text);
	kfree(snap);
}
