// SPDX-License-Identifier: MIT
/**
 * DOC: Clearing the registers of the execution units
 *
 * On Ivy Bridge a thread finds in its registers what the thread before it has left there, and a thread group finds in
 * its shared local memory what the group before it has left. The hardware clears nothing when contexts change. So the
 * driver has a program overwrite both before a context of another client comes onto the render engine
 * (igen/batch/clear.h has the program; stock i915 clears the registers on these parts, by a program of its own, for
 * CVE-2019-14615).
 *
 * Program and commands are in two pages of the driver's own address space, which is no client's. The backend jumps to
 * the commands from the ring (submit/igen_ringbuffer_emit.c). They run without privilege. The pages are made once.
 *
 * Shared local memory is a part of the L3, and is there only if the L3 is divided so. Clients divide the L3 by
 * registers, in batches with privilege. So in front of the commands the ring stores these registers and has the L3
 * divided for the program, and behind them it loads what was there (igen_switch_ops.divide_l3, restore_l3).
 */
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include <igen/batch/clear.h>

#include "../igen_device.h"
#include "../mm/igen_vm.h"
#include "igen_lrc.h"

#define EU_CLEAR_BYTES		(2 * PAGE_SIZE)

static_assert(IGEN_EU_CLEAR_START == IGEN_CLEAR_STATE && IGEN_CLEAR_STATE < EU_CLEAR_BYTES);

static bool clear_eus = true;
module_param(clear_eus, bool, 0600);
MODULE_PARM_DESC(clear_eus, "Clear registers of execution units and shared local memory between clients, where hardware does not (default true)");

static int eu_clear_write(const struct igen_platform *platform, struct igen_address page, void *vaddr)
{
	const struct igen_clear clear = { platform->eu_clear_threads, platform->eu_clear_groups };
	struct igen_batch *b;
	int err;

	/* Too large for the stack. */
	b = kmalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	igen_batch_init(b, platform->gen, IGEN_BATCH_MEMORY, vaddr, IGEN_CLEAR_STATE);
	igen_clear_state(b, &clear);
	err = b->error;
	if (!err) {
		igen_batch_init(b, platform->gen, IGEN_BATCH_RENDER, vaddr + IGEN_CLEAR_STATE,
				EU_CLEAR_BYTES - IGEN_CLEAR_STATE);
		igen_clear(b, page, &clear);
		err = igen_batch_end(b);
	}
	kfree(b);
	return err;
}

static int eu_clear_pin(struct igen_device *igen, struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;
	void *vaddr;
	int err;

	igen_bo_lock(bo);
	vaddr = igen_bo_vmap(bo);
	err = PTR_ERR_OR_ZERO(vaddr);
	if (!err) {
		err = igen_vma_pin(vma, 0, 0, 0);
		if (!err) {
			struct igen_address page = { .presumed = igen_vma_start(vma), .size = EU_CLEAR_BYTES };

			err = eu_clear_write(igen->platform, page, vaddr);
			if (err)
				igen_vma_unpin(vma);
		}
		igen_bo_vunmap(bo);
	}
	igen_bo_unlock(bo);
	return err;
}

static void eu_clear_unpin(struct igen_vma *vma)
{
	igen_bo_lock(vma->bo);
	igen_vma_unpin(vma);
	igen_bo_unlock(vma->bo);
	igen_vma_put(vma);
}

/**
 * igen_eu_clear_create - makes the commands that clear what threads leave in an engine's execution units
 * @engine: the engine; the driver's own address space is there
 *
 * May sleep.
 *
 * Return: 0, also when nothing is to be cleared: igen_engine.eu_clear is NULL then; -ENOMEM, -ENOSPC.
 */
int igen_eu_clear_create(struct igen_engine *engine)
{
	struct igen_device *igen = engine->igen;
	struct igen_vm *vm = igen->kernel_vm;
	struct igen_vma *vma;
	struct igen_bo *bo;
	int err;

	if (engine->info->class != IGEN_CLASS_RENDER || !igen->platform->eu_clear_threads)
		return 0;
	bo = igen_bo_create_internal(igen, EU_CLEAR_BYTES);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	vma = igen_vma_lookup(bo, vm);
	/* The VMA holds the object. */
	igen_bo_put(bo);
	if (IS_ERR(vma))
		return PTR_ERR(vma);

	err = eu_clear_pin(igen, vma);
	if (err) {
		igen_vma_put(vma);
		return err;
	}
	/* The address space's directory stays in the GGTT, as for a context that is always in use. */
	err = vm->ops->pin ? vm->ops->pin(vm) : 0;
	if (err) {
		eu_clear_unpin(vma);
		return err;
	}
	engine->eu_clear = vma;
	return 0;
}

/**
 * igen_eu_clear_is_on - tell whether registers and shared local memory are to be cleared
 *
 * The parameter may change at any time. What a client leaves while it is off, the next clients may find.
 *
 * Return: false if the administrator has switched that off.
 */
bool igen_eu_clear_is_on(void)
{
	return READ_ONCE(clear_eus);
}

/**
 * igen_eu_clear_destroy - undoes igen_eu_clear_create()
 * @engine: the engine, which executes nothing any more
 */
void igen_eu_clear_destroy(struct igen_engine *engine)
{
	struct igen_vma *vma = engine->eu_clear;
	struct igen_vm *vm = engine->igen->kernel_vm;

	if (!vma)
		return;
	engine->eu_clear = NULL;
	if (vm->ops->unpin) {
		mutex_lock(&engine->igen->ggtt.vm.mutex);
		vm->ops->unpin(vm);
		mutex_unlock(&engine->igen->ggtt.vm.mutex);
	}
	eu_clear_unpin(vma);
}
