// SPDX-License-Identifier: MIT
/**
 * DOC: The first batches of a bring-up
 *
 * When the engines' first contexts have run, a batch in an address space of its own stores a number on each engine in
 * use, through the driver's own requests. When a first context does not complete, the platform's operations find out
 * why (struct igen_bringup_ops).
 */
#include <linux/dma-resv.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include <igen/batch/mi.h>
#include "engine/igen_lrc.h"
#include "igen_bringup.h"
#include "igen_device.h"
#include "mm/igen_vm.h"
#include "submit/igen_submit.h"

/* Short, since most of this file are messages. */
#define OK	IGEN_BRINGUP_OK
#define NOTE	IGEN_BRINGUP_NOTE
#define BAD	IGEN_BRINGUP_BAD
#define say	igen_bringup_say

/* What the batch stores, and where in its page. */
#define BATCH_VALUE	0x1de6a11u
#define BATCH_RESULT	0x800
#define BATCH_TIMEOUT	(10 * HZ)

static void bringup_explain(struct igen_bringup *b)
{
	struct igen_device *igen = b->igen;
	struct igen_engine *engine;
	unsigned int id;

	if (igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL)) {
		say(b, BAD, "the power wells do not wake any more");
		return;
	}
	for_each_engine(igen, id, engine) {
		/* Contexts are made in this order, so this is the first engine that did not get its own. */
		if (engine->kernel_context)
			continue;
		igen->platform->bringup->explain_engine(b, engine);
		break;
	}
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
}

/* A page in the driver's own address space, mapped for the CPU. */
static struct igen_vma *batch_page(struct igen_device *igen, void **page)
{
	struct igen_bo *bo = igen_bo_create_internal(igen, SZ_4K);
	struct igen_vma *vma;
	int err;

	if (IS_ERR(bo))
		return ERR_CAST(bo);
	vma = igen_vma_lookup(bo, igen->kernel_vm);
	if (IS_ERR(vma))
		goto out;

	igen_bo_lock(bo);
	*page = igen_bo_vmap(bo);
	err = PTR_ERR_OR_ZERO(*page);
	if (!err) {
		err = igen_vma_pin(vma, 0, 0, 0);
		if (err)
			igen_bo_vunmap(bo);
	}
	igen_bo_unlock(bo);
	if (err) {
		igen_vma_put(vma);
		vma = ERR_PTR(err);
	}
out:
	/* The VMA holds the object. */
	igen_bo_put(bo);
	return vma;
}

static void batch_page_free(struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;

	igen_bo_lock(bo);
	igen_vma_unpin(vma);
	igen_bo_vunmap(bo);
	igen_bo_unlock(bo);
	igen_vma_put(vma);
}

static int batch_write(struct igen_device *igen, struct igen_vma *vma, void *page)
{
	struct igen_address to = { .presumed = igen_vma_start(vma), .offset = BATCH_RESULT, .size = SZ_4K };
	struct igen_batch *batch;
	int err;

	/* Too large for the stack. */
	batch = kmalloc(sizeof(*batch), GFP_KERNEL);
	if (!batch)
		return -ENOMEM;
	igen_batch_init(batch, igen->platform->gen, IGEN_BATCH_COPY, page, BATCH_RESULT);
	igen_mi_store_dword(batch, to, BATCH_VALUE);
	err = igen_batch_end(batch);
	kfree(batch);
	/* Memory before the engine looks at it. */
	wmb();
	return err;
}

/* Runs the batch in the driver's context of an engine, and waits until its fence has signaled. */
static int batch_run(struct igen_engine *engine, struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;
	struct igen_request *rq;
	long left;
	int err;

	rq = igen_request_create(engine->kernel_context->engines[0].lrc, 0, false);
	if (IS_ERR(rq))
		return PTR_ERR(rq);
	err = igen_request_emit_batch(rq, igen_vma_start(vma), 0);
	igen_request_add(rq);

	/* The page stays until the engine is done with it, even if this code does not wait so long. */
	igen_bo_lock(bo);
	if (!err)
		err = dma_resv_reserve_fences(bo->base.resv, 1);
	if (!err)
		dma_resv_add_fence(bo->base.resv, &rq->fence, DMA_RESV_USAGE_WRITE);
	igen_bo_unlock(bo);

	left = dma_fence_wait_timeout(&rq->fence, false, BATCH_TIMEOUT);
	if (!err)
		err = left > 0 ? rq->fence.error : -ETIME;
	igen_request_put(rq);
	return err;
}

static void contexts_check_batch(struct igen_bringup *b, struct igen_engine *engine)
{
	struct igen_device *igen = b->igen;
	const char *name = engine->info->name;
	struct igen_vma *vma;
	void *page;
	u32 stored;
	int err;

	vma = batch_page(igen, &page);
	if (IS_ERR(vma)) {
		say(b, BAD, "%s: no memory for a batch: %ld", name, PTR_ERR(vma));
		return;
	}
	err = batch_write(igen, vma, page);
	if (!err)
		err = batch_run(engine, vma);
	stored = READ_ONCE(*(u32 *)(page + BATCH_RESULT));
	if (err)
		say(b, BAD, "%s: a batch does not complete: %d", name, err);
	else if (stored != BATCH_VALUE)
		say(b, BAD, "%s: a batch has completed, but stored 0x%x, not 0x%x: its addresses lead elsewhere", name,
		    stored, BATCH_VALUE);
	else
		say(b, OK, "%s: a batch in an address space of its own has stored 0x%x [MI_STORE_DATA_IMM]", name,
		    stored);
	batch_page_free(vma);
}

/**
 * igen_bringup_check_contexts - run a batch on each engine in use, or find out why the first contexts did not run
 * @b: the bring-up
 * @err: what the step failed with
 */
void igen_bringup_check_contexts(struct igen_bringup *b, int err)
{
	struct igen_device *igen = b->igen;
	struct igen_engine *engine;
	unsigned int id;

	if (err) {
		bringup_explain(b);
		return;
	}
	for_each_engine(igen, id, engine) {
		contexts_check_batch(b, engine);
		igen->platform->bringup->check_engine(b, engine);
	}
	if (b->stage >= IGEN_BRINGUP_IRQ) {
		for_each_engine(igen, id, engine)
			break;
		if (!READ_ONCE(igen->irq_count))
			igen->platform->bringup->explain_irq(b, engine);
		else
			say(b, OK, "%lu interrupts have arrived", READ_ONCE(igen->irq_count));
	}
	igen_bringup_check_rows(b, 0);
}
