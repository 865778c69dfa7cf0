// SPDX-License-Identifier: MIT
/**
 * DOC: Per-process GTTs of Gen6 and Gen7
 *
 * An address space has 2 GB: a directory of 512 entries, each of which leads to a table of 1024 pages. The directory is
 * not a page of memory. It lies in the GGTT's table, where the entries for 2 MB of the GGTT would be, and engines are
 * told its place (PP_DIR_BASE). So an address space takes 2 MB of the GGTT while it is in use.
 *
 * A GGTT of 1 GB has room for 500 directories, and a client may have many more contexts that wait. So directories that
 * cannot be taken away are charged to their client (igen_budget.c).
 *
 * Entries cannot deny writes, so each address space has a scratch page of its own: no client finds there what another
 * client has written. Addresses without an object lead to it, by a table of scratch or by a table's own entries.
 *
 * Engines cache a directory's entries with the context, and there is no way to make them forget one (as stock i915 has
 * it). So a table stays where it is until the address space goes, and only its entries change. New tables are written
 * into the directory when a request is given to an engine (igen_vm_ops.load), which then loads the directory anew: the
 * device is awake then, as it need not be when an object is bound.
 */
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../igen_device.h"
#include "igen_budget.h"
#include "igen_pte_gen6.h"
#include "igen_vm.h"

/** struct ppgtt_page - a page of the driver's that the GPU reads */
struct ppgtt_page {
	/** @vaddr: what the CPU writes; NULL before it was made */
	u32 *vaddr;
	/** @dma: its mapping */
	struct igen_dma dma;
};

/**
 * struct igen_ppgtt_gen6 - a per-process GTT
 */
struct igen_ppgtt_gen6 {
	/** @vm: the address space; its pd_dma is the directory's address in the GGTT, while it is pinned */
	struct igen_vm vm;
	/** @scratch: what addresses without an object lead to */
	struct ppgtt_page scratch;
	/** @scratch_table: leads to @scratch alone */
	struct ppgtt_page scratch_table;
	/** @table: tables by index, under vm.mutex; scratch where there is none */
	struct ppgtt_page *table[GEN6_PD_ENTRIES];
	/** @directory: its place in the GGTT; pinned once for each LRC that is in the GGTT */
	struct igen_vma *directory;
	/** @pins: how many pins it has, also on their way: it is charged while there are any; under the GGTT's mutex */
	unsigned int pins;
	/** @pd_lock: guards what follows; irq-safe, a leaf */
	spinlock_t pd_lock;
	/** @entry: what the directory is to be */
	u32 entry[GEN6_PD_ENTRIES];
	/** @dirty: the entries that are not in the GGTT's table yet */
	DECLARE_BITMAP(dirty, GEN6_PD_ENTRIES);
	/** @is_dirty: there are such entries */
	bool is_dirty;
	/** @rewrites: igen_ggtt.rewrites when the directory was written last */
	unsigned int rewrites;
	/** @generation: how often it was written */
	u32 generation;
};

static struct igen_ppgtt_gen6 *to_ppgtt(struct igen_vm *vm)
{
	return container_of(vm, struct igen_ppgtt_gen6, vm);
}

static int page_alloc(struct igen_vm *vm, struct ppgtt_page *page)
{
	int err;

	if (igen_budget_charge(vm->budget, PAGE_SIZE))
		return -ENOMEM;
	err = -ENOMEM;
	if (!igen_make_room(vm->igen, 1, 0))
		goto fail;
	page->vaddr = (u32 *)__get_free_page(IGEN_GFP_CLIENT | __GFP_ZERO);
	if (!page->vaddr)
		goto fail;
	err = igen_dma_map_page(vm->igen, &page->dma, virt_to_page(page->vaddr), PAGE_SIZE);
	if (!err)
		return 0;
	free_page((unsigned long)page->vaddr);
	page->vaddr = NULL;
fail:
	igen_budget_uncharge(vm->budget, PAGE_SIZE);
	return err;
}

static void page_free(struct igen_vm *vm, struct ppgtt_page *page)
{
	if (!page->vaddr)
		return;
	igen_dma_unmap(vm->igen, &page->dma);
	free_page((unsigned long)page->vaddr);
	igen_budget_uncharge(vm->budget, PAGE_SIZE);
}

static u32 ppgtt_scratch_pte(const struct igen_ppgtt_gen6 *ppgtt)
{
	return igen_gen6_pte(ppgtt->scratch.dma.addr, IGEN_CACHE_COHERENT);
}

/* The whole directory has to be written, since its place is new or the GGTT's table was. */
static void ppgtt_dirty_all(struct igen_ppgtt_gen6 *ppgtt)
{
	lockdep_assert_held(&ppgtt->pd_lock);

	bitmap_fill(ppgtt->dirty, GEN6_PD_ENTRIES);
	ppgtt->is_dirty = true;
}

static void ppgtt_set_entry(struct igen_ppgtt_gen6 *ppgtt, unsigned int i, const struct ppgtt_page *table)
{
	unsigned long flags;

	spin_lock_irqsave(&ppgtt->pd_lock, flags);
	ppgtt->entry[i] = igen_gen6_entry(table->dma.addr);
	__set_bit(i, ppgtt->dirty);
	ppgtt->is_dirty = true;
	spin_unlock_irqrestore(&ppgtt->pd_lock, flags);
}

/* The table for an address, made if there is none: ERR_PTR of -ENOMEM, or of -ENODEV when the device has gone. */
static struct ppgtt_page *ppgtt_table(struct igen_ppgtt_gen6 *ppgtt, u64 addr)
{
	unsigned int i = addr / IGEN_GEN6_PT_BYTES;
	struct ppgtt_page *table = ppgtt->table[i];
	int err;

	if (table)
		return table;
	if (igen_budget_charge(ppgtt->vm.budget, sizeof(*table)))
		return ERR_PTR(-ENOMEM);
	err = -ENOMEM;
	table = kzalloc(sizeof(*table), IGEN_GFP_CLIENT);
	if (table)
		err = page_alloc(&ppgtt->vm, table);
	if (err) {
		kfree(table);
		igen_budget_uncharge(ppgtt->vm.budget, sizeof(*table));
		return ERR_PTR(err);
	}
	memset32(table->vaddr, ppgtt_scratch_pte(ppgtt), GEN6_PT_ENTRIES);
	ppgtt->table[i] = table;
	ppgtt_set_entry(ppgtt, i, table);
	return table;
}

static unsigned int ppgtt_index(u64 addr)
{
	return addr % IGEN_GEN6_PT_BYTES >> PAGE_SHIFT;
}

static void ppgtt_clear(struct igen_vm *vm, u64 start, u64 size)
{
	struct igen_ppgtt_gen6 *ppgtt = to_ppgtt(vm);
	u64 end = start + size, next;

	lockdep_assert_held(&vm->mutex);

	for (; start < end; start = next) {
		const struct ppgtt_page *table = ppgtt->table[start / IGEN_GEN6_PT_BYTES];

		next = min(end, round_down(start, IGEN_GEN6_PT_BYTES) + IGEN_GEN6_PT_BYTES);
		if (table)
			memset32(table->vaddr + ppgtt_index(start), ppgtt_scratch_pte(ppgtt),
				 (next - start) >> PAGE_SHIFT);
	}
}

static int ppgtt_insert(struct igen_vm *vm, struct igen_vma *vma, u32 flags)
{
	struct igen_ppgtt_gen6 *ppgtt = to_ppgtt(vm);
	u64 start = vma->node.start, addr = start;
	const struct igen_bo *bo = vma->bo;
	struct sg_dma_page_iter iter;
	struct ppgtt_page *table;

	lockdep_assert_held(&vm->mutex);

	for_each_sgtable_dma_page(bo->pages, &iter, 0) {
		table = ppgtt_table(ppgtt, addr);
		if (IS_ERR(table)) {
			ppgtt_clear(vm, start, addr - start);
			return PTR_ERR(table);
		}
		WRITE_ONCE(table->vaddr[ppgtt_index(addr)],
			   igen_gen6_pte(sg_page_iter_dma_address(&iter), bo->cache_level));
		addr += PAGE_SIZE;
	}
	return 0;
}

/*
 * The place of the directory is an object of one page in the GGTT, with addresses behind it. A GGTT that has written
 * its entries anew has written over the directory.
 */
static int ppgtt_pin_directory(struct igen_vm *vm)
{
	struct igen_ppgtt_gen6 *ppgtt = to_ppgtt(vm);
	struct igen_vma *directory = ppgtt->directory;
	bool fresh;
	int err;

	err = igen_ggtt_lock_internal(directory);
	if (err)
		return err;
	fresh = !directory->bound;
	err = igen_vma_pin(directory, IGEN_GEN6_PD_BYTES, IGEN_GEN6_PD_ALIGN, IGEN_PIN_HIGH);
	if (!err && fresh) {
		spin_lock_irq(&ppgtt->pd_lock);
		vm->pd_dma = igen_vma_start(directory);
		ppgtt_dirty_all(ppgtt);
		spin_unlock_irq(&ppgtt->pd_lock);
	}
	igen_bo_unlock(directory->bo);
	return err;
}

/* One pin less, which has ended or was refused. The GGTT's mutex is held. */
static void ppgtt_uncharge(struct igen_ppgtt_gen6 *ppgtt)
{
	if (!--ppgtt->pins)
		igen_ggtt_uncharge_place(&ppgtt->vm, IGEN_GGTT_DIRECTORIES, IGEN_GEN6_PD_BYTES);
}

/* One pin more. The first is charged, and the others with it. */
static int ppgtt_charge(struct igen_ppgtt_gen6 *ppgtt)
{
	struct igen_vm *ggtt = &ppgtt->vm.igen->ggtt.vm;
	bool first;
	int err = 0;

	mutex_lock(&ggtt->mutex);
	first = !ppgtt->pins;
	ppgtt->pins += !first;
	mutex_unlock(&ggtt->mutex);
	if (!first)
		return 0;

	err = igen_ggtt_charge_place(&ppgtt->vm, IGEN_GGTT_DIRECTORIES, IGEN_GEN6_PD_BYTES, ggtt->total);
	mutex_lock(&ggtt->mutex);
	/* Another engine's context may have been charged meanwhile. */
	if (ppgtt->pins && !err)
		igen_ggtt_uncharge_place(&ppgtt->vm, IGEN_GGTT_DIRECTORIES, IGEN_GEN6_PD_BYTES);
	if (ppgtt->pins && err == -ENOSPC)
		err = 0;
	ppgtt->pins += !err;
	mutex_unlock(&ggtt->mutex);
	return err;
}

static int ppgtt_pin(struct igen_vm *vm)
{
	struct igen_ppgtt_gen6 *ppgtt = to_ppgtt(vm);
	struct igen_vm *ggtt = &vm->igen->ggtt.vm;
	int err = ppgtt_charge(ppgtt);

	if (err)
		return err;
	err = ppgtt_pin_directory(vm);
	if (err) {
		mutex_lock(&ggtt->mutex);
		ppgtt_uncharge(ppgtt);
		mutex_unlock(&ggtt->mutex);
	}
	return err;
}

static void ppgtt_unpin(struct igen_vm *vm)
{
	struct igen_ppgtt_gen6 *ppgtt = to_ppgtt(vm);
	struct igen_vma *directory = ppgtt->directory;

	lockdep_assert_held(&directory->vm->mutex);

	if (WARN_ON(!directory->pin_count))
		return;
	directory->pin_count--;
	ppgtt_uncharge(ppgtt);
}

static u32 ppgtt_load(struct igen_vm *vm)
{
	struct igen_ppgtt_gen6 *ppgtt = to_ppgtt(vm);
	struct igen_ggtt *ggtt = &vm->igen->ggtt;
	unsigned int i, rewrites = READ_ONCE(ggtt->rewrites);
	u32 __iomem *entries;
	unsigned long flags;
	u32 generation;

	spin_lock_irqsave(&ppgtt->pd_lock, flags);
	if (ppgtt->rewrites != rewrites)
		ppgtt_dirty_all(ppgtt);
	ppgtt->rewrites = rewrites;
	if (ppgtt->is_dirty) {
		entries = ggtt->ptes + (vm->pd_dma >> PAGE_SHIFT) * sizeof(u32);
		for_each_set_bit(i, ppgtt->dirty, GEN6_PD_ENTRIES)
			writel(ppgtt->entry[i], entries + i);
		bitmap_zero(ppgtt->dirty, GEN6_PD_ENTRIES);
		ppgtt->is_dirty = false;
		vm->igen->platform->gtt->ggtt_invalidate(vm->igen);
		ppgtt->generation++;
	}
	generation = ppgtt->generation;
	spin_unlock_irqrestore(&ppgtt->pd_lock, flags);
	return generation;
}

static void ppgtt_free(struct igen_ppgtt_gen6 *ppgtt)
{
	struct igen_vm *vm = &ppgtt->vm;
	struct igen_bo *bo;
	unsigned int i;

	if (ppgtt->directory) {
		bo = ppgtt->directory->bo;
		igen_vma_put(ppgtt->directory);
		igen_bo_put(bo);
	}
	for (i = 0; i < GEN6_PD_ENTRIES; i++) {
		if (!ppgtt->table[i])
			continue;
		page_free(vm, ppgtt->table[i]);
		kfree(ppgtt->table[i]);
		igen_budget_uncharge(vm->budget, sizeof(*ppgtt->table[i]));
	}
	page_free(vm, &ppgtt->scratch_table);
	page_free(vm, &ppgtt->scratch);
	igen_vm_fini(vm);
	/* Last, since this charge is what keeps the budget. */
	igen_budget_uncharge(vm->budget, sizeof(*ppgtt));
	kfree(ppgtt);
}

static void ppgtt_cleanup(struct igen_vm *vm)
{
	igen_tlb_flush_to(vm->igen, vm->tlb_mark);
	ppgtt_free(to_ppgtt(vm));
}

static const struct igen_vm_ops ppgtt_ops = {
	.insert = ppgtt_insert,
	.clear = ppgtt_clear,
	.pin = ppgtt_pin,
	.unpin = ppgtt_unpin,
	.load = ppgtt_load,
	.cleanup = ppgtt_cleanup,
};

static int ppgtt_init_directory(struct igen_ppgtt_gen6 *ppgtt)
{
	struct igen_device *igen = ppgtt->vm.igen;
	struct igen_bo *bo = igen_bo_create_internal(igen, PAGE_SIZE);
	struct igen_vma *vma;
	unsigned int i;

	if (IS_ERR(bo))
		return PTR_ERR(bo);
	vma = igen_vma_lookup(bo, &igen->ggtt.vm);
	if (IS_ERR(vma)) {
		igen_bo_put(bo);
		return PTR_ERR(vma);
	}
	ppgtt->directory = vma;
	vma->owns_rest = true;
	for (i = 0; i < GEN6_PD_ENTRIES; i++)
		ppgtt_set_entry(ppgtt, i, &ppgtt->scratch_table);
	return 0;
}

/**
 * igen_ppgtt_gen6_create - igen_gtt_ops.ppgtt_create for directories in the GGTT
 * @igen: the device
 * @budget: of the client whose memory it will be, or NULL for the driver's own
 *
 * Return: as igen_ppgtt_create().
 */
struct igen_vm *igen_ppgtt_gen6_create(struct igen_device *igen, struct igen_budget *budget)
{
	struct igen_ppgtt_gen6 *ppgtt;
	int err;

	if (igen_budget_charge(budget, sizeof(*ppgtt)))
		return ERR_PTR(-ENOMEM);
	ppgtt = kzalloc(sizeof(*ppgtt), IGEN_GFP_CLIENT);
	if (!ppgtt) {
		igen_budget_uncharge(budget, sizeof(*ppgtt));
		return ERR_PTR(-ENOMEM);
	}

	spin_lock_init(&ppgtt->pd_lock);
	igen_vm_init(&ppgtt->vm, igen, &ppgtt_ops, BIT_ULL(igen->platform->ppgtt_bits));
	ppgtt->vm.budget = budget;
	err = page_alloc(&ppgtt->vm, &ppgtt->scratch);
	if (!err)
		err = page_alloc(&ppgtt->vm, &ppgtt->scratch_table);
	if (!err) {
		memset32(ppgtt->scratch_table.vaddr, ppgtt_scratch_pte(ppgtt), GEN6_PT_ENTRIES);
		err = ppgtt_init_directory(ppgtt);
	}
	if (err) {
		ppgtt_free(ppgtt);
		return ERR_PTR(err);
	}
	return &ppgtt->vm;
}
