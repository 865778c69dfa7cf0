// SPDX-License-Identifier: MIT
/**
 * DOC: Per-process GTTs of Gen8 and Gen9
 *
 * A PPGTT is a tree of four levels, 512 entries a table (include/igen/regs/gtt.h). Tables are made when something is
 * bound there and go when the last entry of them does; everything else leads to scratch.
 *
 * The memory of an object decides the size of its pages. 2 MB of contiguous, aligned memory at an aligned address is
 * one entry of a directory. A bit in the directory's entry (IPS) says that a table shows 64 KB pages; then only each
 * 16th entry of the table counts. The engine's paging caches may keep that bit for as long as a batch runs. If the
 * table then got the entry of a 4 KB page, the engine would take it for 64 KB of memory, most of it of other clients.
 * So the driver sets the bit only when one object fills the whole table with 64 KB pages, and does not change it while
 * the table is hooked: nothing else can be bound in that table.
 *
 * A table that was unhooked may still be in an engine's paging caches, so it goes to its address space's pool for
 * its own level: when it is used again, a stale walk finds pages of the same client, never a table in place of a
 * page. One that showed 64 KB pages is used again only after a TLB flush. The pool is given back to the system after
 * a TLB flush, when it has grown, or with the address space.
 *
 * On parts without a shared last level cache the engine walks tables in memory, past the CPU's caches. There the driver
 * writes back what it changed in a table before anything leads to the change.
 */
#include <drm/drm_cache.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "igen_budget.h"
#include "igen_pte_gen8.h"
#include "igen_vm.h"

/* The most tables that the pool may hold. When it holds more, all of them are freed. */
#define POOL_MAX 64

/**
 * struct igen_pt - a table of any level
 */
struct igen_pt {
	/** @entries: what the hardware reads */
	u64 *entries;
	/** @dma: its mapping */
	struct igen_dma dma;
	/** @used: entries that lead to something else than scratch */
	unsigned int used;
	/** @tlb_mark: in the pool: the TLB flush that must be over before it is used again, or 0 */
	u64 tlb_mark;
	/** @child: of higher levels: the tables below, by index; NULL is scratch or a 2 MB page */
	struct igen_pt **child;
	/** @link: in the pool */
	struct list_head link;
};

/**
 * struct igen_ppgtt - a per-process GTT
 */
struct igen_ppgtt {
	/** @vm: the address space */
	struct igen_vm vm;
	/** @top: its PML4 */
	struct igen_pt *top;
	/** @pool: empty tables by level, under vm.mutex */
	struct list_head pool[IGEN_PT_TOP];
	/** @pool_size: how many, under vm.mutex */
	unsigned int pool_size;
};

/* Where an insertion is in the object's memory. */
struct cursor {
	struct scatterlist *sg;
	u64 dma;
	/* bytes of this segment from dma on */
	u64 left;
	u32 flags;
	enum igen_cache_level cache;
};

static struct igen_ppgtt *to_ppgtt(struct igen_vm *vm)
{
	return container_of(vm, struct igen_ppgtt, vm);
}

static u64 ppgtt_scratch_entry(struct igen_vm *vm, unsigned int level)
{
	return igen_scratch_entry(&vm->igen->ggtt.scratch, level);
}

/* Above level 0 there is as much again for the pointers. */
static size_t pt_bytes(unsigned int level)
{
	return sizeof(struct igen_pt) + (level ? 2 : 1) * PAGE_SIZE;
}

/* The engine sees entries first to last of the table. */
static void pt_written(struct igen_vm *vm, struct igen_pt *pt, unsigned int first, unsigned int last)
{
	if (!vm->igen->platform->tables_snooped)
		drm_clflush_virt_range(&pt->entries[first], (last - first + 1) * sizeof(*pt->entries));
}

static void pt_free(struct igen_vm *vm, struct igen_pt *pt)
{
	igen_budget_uncharge(vm->budget, pt_bytes(pt->child ? 1 : 0));
	igen_dma_unmap(vm->igen, &pt->dma);
	free_page((unsigned long)pt->entries);
	kfree(pt->child);
	kfree(pt);
}

/* A new table, or ERR_PTR of -ENOMEM, or of -ENODEV when the device has gone. */
static struct igen_pt *pt_alloc(struct igen_vm *vm, unsigned int level)
{
	struct igen_pt *pt;
	int err = -ENOMEM;

	if (igen_budget_charge(vm->budget, pt_bytes(level)))
		return ERR_PTR(-ENOMEM);
	if (!igen_make_room(vm->igen, level ? 2 : 1, 0))
		goto err_uncharge;
	pt = kzalloc(sizeof(*pt), IGEN_GFP_CLIENT);
	if (!pt)
		goto err_uncharge;
	if (level) {
		pt->child = kcalloc(GEN8_PT_ENTRIES, sizeof(*pt->child), IGEN_GFP_CLIENT);
		if (!pt->child)
			goto err_pt;
	}
	pt->entries = (u64 *)__get_free_page(IGEN_GFP_CLIENT);
	if (!pt->entries)
		goto err_child;
	err = igen_dma_map_page(vm->igen, &pt->dma, virt_to_page(pt->entries), PAGE_SIZE);
	if (err)
		goto err_page;
	memset64(pt->entries, ppgtt_scratch_entry(vm, level), GEN8_PT_ENTRIES);
	pt_written(vm, pt, 0, GEN8_PT_ENTRIES - 1);
	return pt;

err_page:
	free_page((unsigned long)pt->entries);
err_child:
	kfree(pt->child);
err_pt:
	kfree(pt);
err_uncharge:
	igen_budget_uncharge(vm->budget, pt_bytes(level));
	return ERR_PTR(err);
}

/* An empty table: from the pool, or a new one. */
static struct igen_pt *pt_get(struct igen_vm *vm, unsigned int level)
{
	struct igen_ppgtt *ppgtt = to_ppgtt(vm);
	struct igen_pt *pt;

	list_for_each_entry(pt, &ppgtt->pool[level], link) {
		if (!igen_tlb_passed(vm->igen, pt->tlb_mark))
			continue;
		list_del(&pt->link);
		ppgtt->pool_size--;
		return pt;
	}
	return pt_alloc(vm, level);
}

/* Puts an empty table that was unhooked into the pool; @entry is the directory's entry that led to it. */
static void pt_put(struct igen_vm *vm, struct igen_pt *pt, unsigned int level, u64 entry)
{
	struct igen_ppgtt *ppgtt = to_ppgtt(vm);

	pt->tlb_mark = !level && (entry & GEN8_PDE_IPS_64K) ? igen_tlb_mark(vm->igen) : 0;
	list_add(&pt->link, &ppgtt->pool[level]);
	ppgtt->pool_size++;
}

static void ppgtt_pool_free(struct igen_ppgtt *ppgtt)
{
	struct igen_pt *pt, *next;
	unsigned int level;

	for (level = 0; level < ARRAY_SIZE(ppgtt->pool); level++) {
		list_for_each_entry_safe(pt, next, &ppgtt->pool[level], link) {
			list_del(&pt->link);
			pt_free(&ppgtt->vm, pt);
		}
	}
	ppgtt->pool_size = 0;
}

static void ppgtt_advance(struct cursor *at, u64 bytes)
{
	at->dma += bytes;
	at->left -= bytes;
	if (!at->left) {
		at->sg = sg_next(at->sg);
		if (at->sg && sg_dma_len(at->sg)) {
			at->dma = sg_dma_address(at->sg);
			at->left = sg_dma_len(at->sg);
		}
	}
}

/*
 * Fills a part of a table of pages, a run of contiguous memory at a time; says whether all of it is 64 KB pages. The
 * memory is as large as the part.
 */
static bool pt_insert_pages(struct igen_vm *vm, struct igen_pt *pt, u64 addr, u64 end, struct cursor *at)
{
	unsigned int first = igen_pt_index(addr, 0), last = igen_pt_index(end - 1, 0), i = first;
	bool large = true;

	while (addr < end && !WARN_ON_ONCE(!at->left)) {
		u64 bytes = min(end - addr, at->left), pte = igen_ppgtt_pte(at->dma, at->cache, at->flags);
		unsigned int stop = i + (bytes >> PAGE_SHIFT);

		large = large && IS_ALIGNED(addr | at->dma | bytes, SZ_64K);
		pt->used += stop - i;
		for (; i < stop; i++, pte += SZ_4K)
			WRITE_ONCE(pt->entries[i], pte);
		addr += bytes;
		ppgtt_advance(at, bytes);
	}
	pt_written(vm, pt, first, last);
	return large && addr == end;
}

static bool ppgtt_fits_2m(struct igen_vm *vm, const struct igen_pt *pt, unsigned int i, u64 addr, u64 end,
			  const struct cursor *at)
{
	return vm->igen->mm.page_sizes & SZ_2M && !pt->child[i] &&
	       IS_ALIGNED(addr | at->dma, SZ_2M) && end - addr >= SZ_2M && at->left >= SZ_2M;
}

/* Fills the part of [addr, end) that a table of this level covers, which is all of it. */
static int pt_insert(struct igen_vm *vm, struct igen_pt *pt, unsigned int level, u64 addr, u64 end,
		     struct cursor *at)
{
	unsigned int first = igen_pt_index(addr, level), last = igen_pt_index(end - 1, level);
	int err = 0;
	u64 next;

	for (; addr < end && !err; addr = next) {
		unsigned int i = igen_pt_index(addr, level);
		struct igen_pt *child = pt->child[i];
		u64 entry = pt->entries[i];

		next = igen_pt_addr_end(addr, end, level);
		if (level == 1 && ppgtt_fits_2m(vm, pt, i, addr, next, at)) {
			WRITE_ONCE(pt->entries[i], igen_ppgtt_pde_2m(at->dma, at->cache, at->flags));
			pt->used++;
			ppgtt_advance(at, SZ_2M);
			continue;
		}

		if (!child) {
			child = pt_get(vm, level - 1);
			if (IS_ERR(child)) {
				err = PTR_ERR(child);
				break;
			}
			pt->child[i] = child;
			pt->used++;
			entry = igen_ppgtt_pde(child->dma.addr);
		}
		if (level > 1)
			err = pt_insert(vm, child, level - 1, addr, next, at);
		else if (pt_insert_pages(vm, child, addr, next, at) && next - addr == SZ_2M &&
			 vm->igen->mm.page_sizes & SZ_64K)
			entry |= GEN8_PDE_IPS_64K;

		/* The table is complete before a page walk can find it. */
		dma_wmb();
		WRITE_ONCE(pt->entries[i], entry);
	}
	pt_written(vm, pt, first, last);
	return err;
}

static void pt_clear_pages(struct igen_vm *vm, struct igen_pt *pt, u64 addr, u64 end)
{
	unsigned int first = igen_pt_index(addr, 0), last = first + ((end - addr) >> PAGE_SHIFT) - 1;
	u64 scratch = ppgtt_scratch_entry(vm, 0);
	unsigned int i;

	for (i = first; i <= last; i++) {
		if (pt->entries[i] == scratch)
			continue;
		WRITE_ONCE(pt->entries[i], scratch);
		pt->used--;
	}
	pt_written(vm, pt, first, last);
}

static void pt_clear(struct igen_vm *vm, struct igen_pt *pt, unsigned int level, u64 addr, u64 end)
{
	unsigned int first = igen_pt_index(addr, level), last = igen_pt_index(end - 1, level);
	u64 scratch = ppgtt_scratch_entry(vm, level);
	u64 next;

	for (; addr < end; addr = next) {
		unsigned int i = igen_pt_index(addr, level);
		struct igen_pt *child = pt->child[i];
		u64 entry = pt->entries[i];

		next = igen_pt_addr_end(addr, end, level);
		if (!child) {
			if (entry != scratch) {
				WRITE_ONCE(pt->entries[i], scratch);
				pt->used--;
			}
			continue;
		}

		if (level == 1)
			pt_clear_pages(vm, child, addr, next);
		else
			pt_clear(vm, child, level - 1, addr, next);

		if (child->used)
			continue;
		WRITE_ONCE(pt->entries[i], scratch);
		pt->child[i] = NULL;
		pt->used--;
		pt_put(vm, child, level - 1, entry);
	}
	pt_written(vm, pt, first, last);
}

static void ppgtt_clear(struct igen_vm *vm, u64 start, u64 size)
{
	struct igen_ppgtt *ppgtt = to_ppgtt(vm);

	lockdep_assert_held(&vm->mutex);

	pt_clear(vm, ppgtt->top, IGEN_PT_TOP, start, start + size);
	if (ppgtt->pool_size > POOL_MAX) {
		igen_tlb_flush(vm->igen);
		ppgtt_pool_free(ppgtt);
	}
}

static int ppgtt_insert(struct igen_vm *vm, struct igen_vma *vma, u32 flags)
{
	struct igen_bo *bo = vma->bo;
	struct cursor at = {
		.sg = bo->pages->sgl,
		.dma = sg_dma_address(bo->pages->sgl),
		.left = sg_dma_len(bo->pages->sgl),
		.flags = flags,
		.cache = bo->cache_level,
	};
	u64 start = vma->node.start;
	int err;

	lockdep_assert_held(&vm->mutex);

	/* The node may be larger than the object. Entries behind the object's end already lead to scratch. */
	err = pt_insert(vm, to_ppgtt(vm)->top, IGEN_PT_TOP, start, start + bo->base.size, &at);
	if (err)
		ppgtt_clear(vm, start, bo->base.size);
	return err;
}

/* The table and all below it. */
static void ppgtt_tables_free(struct igen_vm *vm, struct igen_pt *pt, unsigned int level)
{
	unsigned int i;

	for (i = 0; level && pt->used && i < GEN8_PT_ENTRIES; i++)
		if (pt->child[i])
			ppgtt_tables_free(vm, pt->child[i], level - 1);
	pt_free(vm, pt);
}

static void ppgtt_cleanup(struct igen_vm *vm)
{
	struct igen_ppgtt *ppgtt = to_ppgtt(vm);

	WARN_ON(ppgtt->top->used);
	igen_tlb_flush_to(vm->igen, vm->tlb_mark);
	ppgtt_pool_free(ppgtt);
	ppgtt_tables_free(vm, ppgtt->top, IGEN_PT_TOP);
	igen_vm_fini(vm);
	/* Last, since this charge is what keeps the budget. */
	igen_budget_uncharge(vm->budget, sizeof(*ppgtt));
	kfree(ppgtt);
}

static const struct igen_vm_ops ppgtt_ops = {
	.insert = ppgtt_insert,
	.clear = ppgtt_clear,
	.cleanup = ppgtt_cleanup,
};

/**
 * igen_ppgtt_gen8_create - igen_gtt_ops.ppgtt_create for tables of four levels
 * @igen: the device
 * @budget: of the client whose memory it will be, or NULL for the driver's own
 *
 * Return: as igen_ppgtt_create().
 */
struct igen_vm *igen_ppgtt_gen8_create(struct igen_device *igen, struct igen_budget *budget)
{
	struct igen_ppgtt *ppgtt;
	unsigned int level;
	struct igen_pt *top;

	if (igen_budget_charge(budget, sizeof(*ppgtt)))
		return ERR_PTR(-ENOMEM);
	ppgtt = kzalloc(sizeof(*ppgtt), IGEN_GFP_CLIENT);
	if (!ppgtt) {
		igen_budget_uncharge(budget, sizeof(*ppgtt));
		return ERR_PTR(-ENOMEM);
	}

	for (level = 0; level < ARRAY_SIZE(ppgtt->pool); level++)
		INIT_LIST_HEAD(&ppgtt->pool[level]);
	igen_vm_init(&ppgtt->vm, igen, &ppgtt_ops, BIT_ULL(igen->platform->ppgtt_bits));

	ppgtt->vm.budget = budget;
	top = pt_alloc(&ppgtt->vm, IGEN_PT_TOP);
	if (IS_ERR(top)) {
		igen_vm_fini(&ppgtt->vm);
		igen_budget_uncharge(budget, sizeof(*ppgtt));
		kfree(ppgtt);
		return ERR_CAST(top);
	}
	ppgtt->top = top;
	ppgtt->vm.pd_dma = ppgtt->top->dma.addr;

	return &ppgtt->vm;
}
