// SPDX-License-Identifier: MIT
/**
 * DOC: Address spaces
 *
 * An address space has page tables in the model's memory, in the platform's format (include/igen/regs/pte.h), which
 * the engines walk as they do a driver's. Gen8 and Gen9 have four levels; Gen6 and Gen7 a directory of 512 entries
 * within the GGTT.
 *
 * An address where no object is bound is not present: an access of it is a page fault, which ends the context. Under a
 * kernel's driver it finds a page of zeros, and a mistake of the program goes unnoticed; IGEN_SHIM_SCRATCH=1 does that.
 *
 * Objects stay bound until they are freed or an object that a program has pinned needs the place. Since nothing runs
 * between two submissions, the place can be given at once; the next submission invalidates the TLBs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "igen/regs/pte.h"
#include "mem/mem.h"

#define POOL_PAGES	256u
#define LEVELS		4		/* the highest that a format has */
#define GEN6_SPACE	(2ull << 30)
#define LOWEST		(256ull << 10)	/* where objects without a place of their own begin */

struct format {
	uint64_t size;			/* of the space */
	unsigned int levels;
	unsigned int bits[LEVELS];	/* of an index, by level; 0 has the pages */
	unsigned int entry_bytes;
	uint64_t (*table)(uint64_t pa);
	uint64_t (*page)(uint64_t pa, bool read_only);
	uint64_t (*address)(uint64_t entry);
	bool directory_in_ggtt;
};

static uint64_t gen8_table(uint64_t pa)
{
	return pa | GEN8_PAGE_PRESENT | GEN8_PAGE_RW;
}

static uint64_t gen8_page(uint64_t pa, bool read_only)
{
	return pa | GEN8_PAGE_PRESENT | (read_only ? 0 : GEN8_PAGE_RW);
}

static uint64_t gen8_address(uint64_t entry)
{
	return entry & GEN8_PTE_ADDR_MASK;
}

static uint64_t gen6_entry(uint64_t pa)
{
	return (pa & GEN6_PTE_ADDR_LOW_MASK) | IGEN_PREP(GEN6_PTE_ADDR_HIGH_MASK, (uint32_t)(pa >> 32)) |
	       GEN6_PTE_VALID;
}

static uint64_t gen6_page(uint64_t pa, bool read_only)
{
	(void)read_only;		/* there is no such page */
	return gen6_entry(pa) | IGEN_PREP(GEN6_PTE_CACHE_MASK, GEN6_PTE_CACHE_LLC);
}

static uint64_t gen6_address(uint64_t entry)
{
	return (entry & GEN6_PTE_ADDR_LOW_MASK) | (uint64_t)IGEN_GET(GEN6_PTE_ADDR_HIGH_MASK, (uint32_t)entry) << 32;
}

static const struct format format_gen8 = {
	.size = 1ull << 48,
	.levels = 4,
	.bits = { 9, 9, 9, 9 },
	.entry_bytes = 8,
	.table = gen8_table,
	.page = gen8_page,
	.address = gen8_address,
};

static const struct format format_gen6 = {
	.size = GEN6_SPACE,
	.levels = 2,
	.bits = { 10, 9 },
	.entry_bytes = 4,
	.table = gen6_entry,
	.page = gen6_page,
	.address = gen6_address,
	.directory_in_ggtt = true,
};

static const struct format *format;
static uint64_t empty[LEVELS];		/* an entry with nothing behind it, by level */

/* Pages of tables, taken from the system many at a time. */
static uint64_t *pool;
static unsigned int pool_n, pool_room;

static bool pool_add(uint64_t pa)
{
	if (pool_n == pool_room) {
		unsigned int room = pool_room ? 2 * pool_room : 2 * POOL_PAGES;
		uint64_t *more = realloc(pool, room * sizeof(*more));

		if (!more)
			return false;
		pool = more;
		pool_room = room;
	}
	pool[pool_n++] = pa;
	return true;
}

static uint64_t entry_get(const void *table, unsigned int i)
{
	return format->entry_bytes == 8 ? ((const uint64_t *)table)[i] : ((const uint32_t *)table)[i];
}

static void entry_set(void *table, unsigned int i, uint64_t v)
{
	if (format->entry_bytes == 8)
		__atomic_store_n((uint64_t *)table + i, v, __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint32_t *)table + i, (uint32_t)v, __ATOMIC_RELEASE);
}

/* A table whose entries lead nowhere; NULL without memory. */
static void *table_new(unsigned int level, uint64_t *pa)
{
	void *table;

	if (!pool_n) {
		uint64_t first;

		if (!memory_internal(POOL_PAGES * PAGE, &first))
			return NULL;
		for (unsigned int i = POOL_PAGES; i--; )
			if (!pool_add(first + i * PAGE))
				return NULL;
	}
	*pa = pool[--pool_n];
	table = memory_at(*pa);
	for (unsigned int i = 0; i < 1u << format->bits[level]; i++)
		entry_set(table, i, empty[level]);
	return table;
}

/**
 * vm_init() - chooses the format of page tables
 *
 * The platform is known, and no address space is there. Return: 0 or -ENOMEM.
 */
int vm_init(void)
{
	uint64_t pa;

	format = gpu_device()->platform->tables == &page_tables_gen8 ? &format_gen8 : &format_gen6;
	if (!shim.settings.scratch)
		return 0;
	if (!memory_internal(PAGE, &pa))
		return -ENOMEM;
	empty[0] = format->page(pa, false);
	for (unsigned int i = 1; i < format->levels; i++) {
		if (!table_new(i - 1, &pa))
			return -ENOMEM;
		empty[i] = format->table(pa);
	}
	return 0;
}

uint64_t vm_size(void)
{
	return format->size;
}

struct vm *vm_new(void)
{
	struct vm *vm = calloc(1, sizeof(*vm));

	if (!vm)
		return NULL;
	vm->refs = 1;
	vm->size = format->size;
	vm->stale = true;
	if (format->directory_in_ggtt) {
		vm->directory = calloc(1u << format->bits[1], sizeof(uint32_t));
		for (unsigned int i = 0; vm->directory && i < 1u << format->bits[1]; i++)
			entry_set(vm->directory, i, empty[1]);
	} else {
		vm->directory = table_new(format->levels - 1, &vm->root);
	}
	if (vm->directory && (!format->directory_in_ggtt || !gpu_directory_new(vm)))
		return vm;
	if (format->directory_in_ggtt)
		free(vm->directory);
	free(vm);
	return NULL;
}

static void table_free(unsigned int level, void *table, uint64_t pa)
{
	for (unsigned int i = 0; level && i < 1u << format->bits[level]; i++) {
		uint64_t e = entry_get(table, i);

		if (e != empty[level])
			table_free(level - 1, memory_at(format->address(e)), format->address(e));
	}
	/* The memory of a directory in the GGTT is the caller's. */
	if (pa)
		pool_add(pa);
}

void vm_put(struct vm *vm)
{
	if (--vm->refs)
		return;
	while (vm->n)
		vma_unbind(vm->vma[vm->n - 1]);
	table_free(format->levels - 1, vm->directory, vm->root);
	if (format->directory_in_ggtt) {
		gpu_directory_free(vm);
		free(vm->directory);
	}
	free(vm->vma);
	free(vm);
}

/* The table of pages for an address, made if it is to be; NULL when it is not there. */
static void *leaf_table(struct vm *vm, uint64_t addr, bool make)
{
	void *table = vm->directory;

	for (unsigned int level = format->levels - 1; level; level--) {
		unsigned int shift = 12, i;
		uint64_t e, pa;

		for (unsigned int l = 0; l < level; l++)
			shift += format->bits[l];
		i = (unsigned int)(addr >> shift) & ((1u << format->bits[level]) - 1);
		e = entry_get(table, i);
		if (e == empty[level]) {
			void *next = make ? table_new(level - 1, &pa) : NULL;

			if (!next)
				return NULL;
			entry_set(table, i, format->table(pa));
			if (format->directory_in_ggtt)
				gpu_directory_set(vm, i);
			table = next;
		} else {
			table = memory_at(format->address(e));
		}
	}
	return table;
}

/* Maps pages of an object, or with NULL nothing. */
static int set_pages(struct vm *vm, uint64_t addr, uint64_t size, const struct bo *bo)
{
	unsigned int in_table = 1u << format->bits[0];
	void *table = NULL;

	for (uint64_t at = 0; at < size; at += PAGE) {
		unsigned int i = (unsigned int)((addr + at) / PAGE) & (in_table - 1);

		if (!at || !i)
			table = leaf_table(vm, addr + at, bo);
		if (!table && bo)
			return -ENOMEM;
		if (table)
			entry_set(table, i, bo && at < bo->size ? format->page(bo->pa + at, bo->read_only) : empty[0]);
	}
	return 0;
}

/* The first one that ends behind an address. */
static unsigned int position(const struct vm *vm, uint64_t addr)
{
	unsigned int low = 0, high = vm->n;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (vm->vma[mid]->addr + vm->vma[mid]->size <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct vma *vm_find(struct vm *vm, struct bo *bo)
{
	for (struct vma *v = bo->vmas; v; v = v->next)
		if (v->vm == vm)
			return v;
	return NULL;
}

struct vma *vm_at(const struct vm *vm, uint64_t addr)
{
	unsigned int i = position(vm, addr);

	return i < vm->n && vm->vma[i]->addr <= addr ? vm->vma[i] : NULL;
}

void vma_unbind(struct vma *vma)
{
	struct vm *vm = vma->vm;
	unsigned int i = position(vm, vma->addr);

	set_pages(vm, vma->addr, vma->size, NULL);
	vm->stale = true;
	memmove(&vm->vma[i], &vm->vma[i + 1], (vm->n - i - 1) * sizeof(vm->vma[0]));
	vm->n--;
	for (struct vma **link = &vma->bo->vmas; *link; link = &(*link)->next)
		if (*link == vma) {
			*link = vma->next;
			break;
		}
	free(vma);
}

static bool find_gap(const struct vm *vm, const struct place *p, uint64_t limit, uint64_t *addr)
{
	uint64_t at = round_up(LOWEST, p->align);

	for (unsigned int i = 0; ; i++) {
		if (at + p->size > limit || at + p->size < at)
			return false;
		if (i == vm->n || (vm->vma[i]->addr >= at && vm->vma[i]->addr - at >= p->size))
			break;
		if (vm->vma[i]->addr + vm->vma[i]->size > at)
			at = round_up(vm->vma[i]->addr + vm->vma[i]->size, p->align);
	}
	*addr = at;
	return true;
}

/* Takes the place away from those that are there, if none is of the submission @seen. */
static int clear_place(struct vm *vm, uint64_t addr, uint64_t size, uint64_t seen)
{
	unsigned int i = position(vm, addr);

	for (unsigned int k = i; k < vm->n && vm->vma[k]->addr < addr + size; k++)
		if (vm->vma[k]->seen == seen)
			return -ENOSPC;
	while (i < vm->n && vm->vma[i]->addr < addr + size)
		vma_unbind(vm->vma[i]);
	return 0;
}

/* Those that the submission @seen does not use leave, so that there is room. */
static void clear_unseen(struct vm *vm, uint64_t seen)
{
	for (unsigned int i = vm->n; i--; )
		if (vm->vma[i]->seen != seen)
			vma_unbind(vm->vma[i]);
}

/**
 * vm_bind() - binds an object that is not bound in this address space
 * @vm: the address space
 * @bo: the object
 * @place: where
 * @seen: the submission; objects of others leave for it
 * @out: gets the binding
 *
 * shim.lock held.
 *
 * Return: 0, -EINVAL for a place outside, -ENOSPC or -ENOMEM.
 */
int vm_bind(struct vm *vm, struct bo *bo, const struct place *place, uint64_t seen, struct vma **out)
{
	uint64_t limit = place->limit < vm->size ? place->limit : vm->size, addr = place->addr;
	struct vma *vma;
	unsigned int i;
	int err;

	if (addr == VM_ANYWHERE) {
		if (!find_gap(vm, place, limit, &addr)) {
			clear_unseen(vm, seen);
			if (!find_gap(vm, place, limit, &addr))
				return -ENOSPC;
		}
	} else {
		if (addr > vm->size || place->size > vm->size - addr)
			return -EINVAL;
		err = clear_place(vm, addr, place->size, seen);
		if (err)
			return err;
	}
	if (vm->n == vm->room) {
		unsigned int room = vm->room ? 2 * vm->room : 64;
		struct vma **more = realloc(vm->vma, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		vm->vma = more;
		vm->room = room;
	}
	vma = calloc(1, sizeof(*vma));
	if (!vma)
		return -ENOMEM;
	*vma = (struct vma){
		.vm = vm, .bo = bo, .addr = addr, .size = place->size, .seen = seen, .next = bo->vmas,
	};
	bo->vmas = vma;
	i = position(vm, addr);
	memmove(&vm->vma[i + 1], &vm->vma[i], (vm->n - i) * sizeof(vm->vma[0]));
	vm->vma[i] = vma;
	vm->n++;
	/* A scratch page that a TLB holds is not what is there now. */
	if (shim.settings.scratch)
		vm->stale = true;
	if (set_pages(vm, addr, vma->size, bo)) {
		vma_unbind(vma);
		return -ENOMEM;
	}
	*out = vma;
	return 0;
}
