// SPDX-License-Identifier: MIT
/**
 * DOC: Translation lookaside buffers and page walks
 *
 * A TLB has set-associative arrays, one a page size (4 KB, 64 KB, 2 MB), and one a level of the
 * page tables above, so that a table that was unhooked can be walked until it is invalidated, as on
 * silicon. An entry is found by address space and address. It leaves by being replaced or
 * invalidated, never because the tables changed; what is not present is not kept. The sizes are the
 * model's own; the manuals do not give them (layout: KBL Vol 3, "Memory Object Overview"; public
 * Gen9 PRM Vol 5, "Memory Views").
 *
 * tlb->lock is held over a translation and the access that it serves, so that an invalidation ends
 * after the accesses under way and before those that come.
 *
 * Not done: 1 GB pages, which no driver uses; memory types, as there are no caches.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "igen/regs/gtt.h"

#define WAYS		4
#define SPACE_GGTT	1ull			/* no PML4 has this address */
#define ADDR_BITS	48

enum level { LEVEL_4K, LEVEL_64K, LEVEL_2M, LEVEL_PDE, LEVEL_PDPE, LEVEL_PML4E, NUM_LEVELS };

static const struct {
	unsigned int shift;			/* of the address bits that an entry covers */
	unsigned int sets;			/* a power of two */
} levels[NUM_LEVELS] = {
	[LEVEL_4K] = { 12, 64 },
	[LEVEL_64K] = { 16, 16 },
	[LEVEL_2M] = { 21, 8 },
	[LEVEL_PDE] = { 21, 8 },
	[LEVEL_PDPE] = { 30, 2 },
	[LEVEL_PML4E] = { 39, 1 },
};

/* The levels that are pages come first. */
#define NUM_PAGE_SIZES	(LEVEL_2M + 1)
static const char *const page_names[NUM_PAGE_SIZES] = { "4k", "64k", "2m" };

#define MAX_SETS	64

struct tlb_entry {
	uint64_t space;
	uint64_t page;				/* address >> shift */
	uint64_t pa;				/* of the page, or of the next table */
	bool valid;
	bool writable;
	bool ips;				/* PDE: the table below maps 64 KB pages */
};

struct tlb {
	struct gpu *gpu;
	struct tlb *next;
	char name[16];
	pthread_mutex_t lock;
	struct tlb_entry entry[NUM_LEVELS][MAX_SETS][WAYS];
	unsigned int victim[NUM_LEVELS][MAX_SETS];
	atomic_uint_fast64_t *misses;
	atomic_uint_fast64_t *invalidations;
	atomic_uint_fast64_t *pages[NUM_PAGE_SIZES];	/* found by walks of per-process tables */
};

/**
 * tlb_new() - makes a TLB
 * @gpu: the device, whose GGTT exists
 * @name: the engine's name, by which the registers that invalidate find it
 *
 * Called while the device is made, before other threads are. gpu_free() frees it.
 *
 * Return: the TLB, empty, or NULL without memory.
 */
struct tlb *tlb_new(struct gpu *gpu, const char *name)
{
	struct tlb *tlb = calloc(1, sizeof(*tlb));
	pthread_mutexattr_t attr;

	if (!tlb)
		return NULL;
	tlb->gpu = gpu;
	snprintf(tlb->name, sizeof(tlb->name), "%s", name);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&tlb->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	tlb->misses = counter_get("tlb_misses", name);
	tlb->invalidations = counter_get("tlb_invalidations", name);
	for (unsigned int l = 0; l < NUM_PAGE_SIZES; l++)
		tlb->pages[l] = counter_get("pages_walked", page_names[l]);
	tlb->next = gpu->gtt->tlbs;
	gpu->gtt->tlbs = tlb;
	return tlb;
}

void gtt_fini(struct gpu *gpu)
{
	struct gtt *gtt = gpu->gtt;
	struct tlb *tlb, *next;

	if (!gtt)
		return;
	for (tlb = gtt->tlbs; tlb; tlb = next) {
		next = tlb->next;
		pthread_mutex_destroy(&tlb->lock);
		free(tlb);
	}
	free(gtt->pte);
	free(gtt);
	gpu->gtt = NULL;
}

struct tlb *tlb_find(struct gpu *gpu, const char *name)
{
	struct tlb *tlb;

	for (tlb = gpu->gtt->tlbs; tlb; tlb = tlb->next)
		if (!strcmp(tlb->name, name))
			return tlb;
	return NULL;
}

/**
 * tlb_invalidate() - drops entries
 * @tlb: the TLB
 * @ggtt: those of the GGTT
 * @ppgtt: those of all PPGTTs
 *
 * Waits for the access under way; those that come later walk the tables. Any thread; takes the TLB's
 * lock. Counted.
 */
void tlb_invalidate(struct tlb *tlb, bool ggtt, bool ppgtt)
{
	pthread_mutex_lock(&tlb->lock);
	for (unsigned int l = 0; l < NUM_LEVELS; l++) {
		for (unsigned int s = 0; s < levels[l].sets; s++) {
			for (unsigned int w = 0; w < WAYS; w++) {
				struct tlb_entry *e = &tlb->entry[l][s][w];

				if (e->space == SPACE_GGTT ? ggtt : ppgtt)
					e->valid = false;
			}
		}
	}
	pthread_mutex_unlock(&tlb->lock);
	atomic_fetch_add_explicit(tlb->invalidations, 1, memory_order_relaxed);
}

void tlb_invalidate_all(struct gpu *gpu, bool ggtt, bool ppgtt)
{
	for (struct tlb *tlb = gpu->gtt->tlbs; tlb; tlb = tlb->next)
		tlb_invalidate(tlb, ggtt, ppgtt);
}

static unsigned int set_of(enum level l, uint64_t space, uint64_t page)
{
	return (unsigned int)((page ^ space >> 12) & (levels[l].sets - 1));
}

static struct tlb_entry *lookup(struct tlb *tlb, enum level l, uint64_t space, uint64_t addr)
{
	uint64_t page = addr >> levels[l].shift;
	struct tlb_entry *set = tlb->entry[l][set_of(l, space, page)];

	for (unsigned int w = 0; w < WAYS; w++)
		if (set[w].valid && set[w].page == page && set[w].space == space)
			return &set[w];
	return NULL;
}

static struct tlb_entry *insert(struct tlb *tlb, enum level l, uint64_t space, uint64_t addr,
				uint64_t pa, bool writable)
{
	uint64_t page = addr >> levels[l].shift;
	unsigned int s = set_of(l, space, page);
	unsigned int w;

	for (w = 0; w < WAYS; w++)
		if (!tlb->entry[l][s][w].valid)
			break;
	if (w == WAYS)
		w = tlb->victim[l][s]++ % WAYS;
	tlb->entry[l][s][w] = (struct tlb_entry){
		.space = space,
		.page = page,
		.pa = pa,
		.valid = true,
		.writable = writable,
	};
	return &tlb->entry[l][s][w];
}

/* One entry of a table in memory; 0, not present, where there is no memory. */
static uint64_t table_entry(struct tlb *tlb, uint64_t table, unsigned int i)
{
	uint64_t v;

	return gmem_read64(tlb->gpu, table + i * 8, &v) ? v : 0;
}

static unsigned int index_at(uint64_t addr, unsigned int shift)
{
	return (addr >> shift) & (GEN8_PT_ENTRIES - 1);
}

/*
 * The entry of an upper level for addr: from the TLB, or from the table at the address that the
 * level above gave. A 2 MB page in a directory goes to its own array. NULL when not present.
 */
static struct tlb_entry *upper(struct tlb *tlb, enum level l, uint64_t space, uint64_t addr,
			       uint64_t table, bool writable)
{
	struct tlb_entry *e;
	uint64_t v = table_entry(tlb, table, index_at(addr, levels[l].shift));

	if (!(v & GEN8_PAGE_PRESENT))
		return NULL;
	writable = writable && (v & GEN8_PAGE_RW);
	if (l == LEVEL_PDE && (v & GEN8_PDE_PS_2M))
		return insert(tlb, LEVEL_2M, space, addr, v & GEN8_PDE_2M_ADDR_MASK, writable);
	e = insert(tlb, l, space, addr, v & GEN8_PTE_ADDR_MASK, writable);
	e->ips = l == LEVEL_PDE && (v & GEN8_PDE_IPS_64K);
	return e;
}

/* Walks from the lowest level that the TLB knows; gives the level of the page found. */
static struct tlb_entry *walk(struct tlb *tlb, uint64_t space, uint64_t addr, enum level *level)
{
	struct tlb_entry *e = lookup(tlb, LEVEL_PDE, space, addr);
	uint64_t pte;

	if (!e) {
		struct tlb_entry *dir = lookup(tlb, LEVEL_PDPE, space, addr);

		if (!dir) {
			struct tlb_entry *top = lookup(tlb, LEVEL_PML4E, space, addr);

			if (!top)
				top = upper(tlb, LEVEL_PML4E, space, addr, space, true);
			if (!top)
				return NULL;
			dir = upper(tlb, LEVEL_PDPE, space, addr, top->pa, top->writable);
			if (!dir)
				return NULL;
		}
		e = upper(tlb, LEVEL_PDE, space, addr, dir->pa, dir->writable);
		if (!e)
			return NULL;
		/* A 2 MB page is known by where it was put. */
		if (e == lookup(tlb, LEVEL_2M, space, addr)) {
			*level = LEVEL_2M;
			return e;
		}
	}
	if (e->ips) {
		/* The first of sixteen entries stands for all. */
		pte = table_entry(tlb, e->pa, index_at(addr, 12) & ~15u);
		if (!(pte & GEN8_PAGE_PRESENT))
			return NULL;
		*level = LEVEL_64K;
		return insert(tlb, LEVEL_64K, space, addr, pte & GEN8_PTE_64K_ADDR_MASK,
			      e->writable && (pte & GEN8_PAGE_RW));
	}
	pte = table_entry(tlb, e->pa, index_at(addr, 12));
	if (!(pte & GEN8_PAGE_PRESENT))
		return NULL;
	*level = LEVEL_4K;
	return insert(tlb, LEVEL_4K, space, addr, pte & GEN8_PTE_ADDR_MASK,
		      e->writable && (pte & GEN8_PAGE_RW));
}

/* tlb->lock held. */
static bool translate(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, bool write,
		      uint64_t *pa, uint64_t *left)
{
	uint64_t space = vm->ggtt ? SPACE_GGTT : vm->pml4 & GEN8_PTE_ADDR_MASK;
	struct tlb_entry *e;
	enum level l;
	uint64_t size;

	addr &= (1ull << ADDR_BITS) - 1;
	for (l = LEVEL_4K; l <= LEVEL_2M; l++) {
		e = lookup(tlb, l, space, addr);
		if (e)
			break;
	}
	if (!e) {
		atomic_fetch_add_explicit(tlb->misses, 1, memory_order_relaxed);
		if (vm->ggtt) {
			uint64_t pte = gtt_entry(tlb->gpu, addr);

			if (!(pte & GEN8_PAGE_PRESENT))
				return false;
			l = LEVEL_4K;
			/* A GGTT entry has no write permission to deny (public Gen9 PRM Vol 5). */
			e = insert(tlb, l, space, addr, pte & GEN8_PTE_ADDR_MASK, true);
		} else {
			e = walk(tlb, space, addr, &l);
			if (e)
				atomic_fetch_add_explicit(tlb->pages[l], 1, memory_order_relaxed);
		}
	}
	if (!e || (write && !e->writable))
		return false;
	size = 1ull << levels[l].shift;
	*pa = e->pa + (addr & (size - 1));
	if (left)
		*left = size - (addr & (size - 1));
	return true;
}

void tlb_access_begin(struct tlb *tlb)
{
	pthread_mutex_lock(&tlb->lock);
}

void tlb_access_end(struct tlb *tlb)
{
	pthread_mutex_unlock(&tlb->lock);
}

/**
 * tlb_translate() - translates an address
 * @tlb: the TLB
 * @vm: the address space
 * @addr: graphics address; bits above 47 are ignored
 * @write: whether it is for a write
 * @pa: the guest physical address
 * @left: how many bytes from there on lie in the same page, or NULL
 *
 * The answer is good until the next invalidation: use it between tlb_access_begin() and
 * tlb_access_end(). Takes the TLB's lock.
 *
 * Return: false for what is not present, or a write to a page that is read-only.
 */
bool tlb_translate(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, bool write,
		   uint64_t *pa, uint64_t *left)
{
	bool ok;

	pthread_mutex_lock(&tlb->lock);
	ok = translate(tlb, vm, addr, write, pa, left);
	pthread_mutex_unlock(&tlb->lock);
	return ok;
}

/**
 * vm_read32() - reads a dword at a graphics address
 * @tlb: the TLB
 * @vm: the address space
 * @addr: graphics address; the low two bits are ignored
 * @v: what was read
 *
 * One access. Takes the TLB's lock, so that an invalidation waits for it.
 *
 * Return: false for a fault, which the caller reports with gpu_page_fault().
 */
bool vm_read32(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, uint32_t *v)
{
	uint64_t pa;
	bool ok;

	pthread_mutex_lock(&tlb->lock);
	ok = translate(tlb, vm, addr & ~3ull, false, &pa, NULL) && gmem_read32(tlb->gpu, pa, v);
	pthread_mutex_unlock(&tlb->lock);
	return ok;
}

/**
 * vm_write32() - writes a dword at a graphics address
 * @tlb: the TLB
 * @vm: the address space
 * @addr: graphics address; the low two bits are ignored
 * @v: what to write
 *
 * As vm_read32().
 *
 * Return: false for a fault; nothing was written.
 */
bool vm_write32(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, uint32_t v)
{
	uint64_t pa;
	bool ok;

	pthread_mutex_lock(&tlb->lock);
	ok = translate(tlb, vm, addr & ~3ull, true, &pa, NULL) && gmem_write32(tlb->gpu, pa, v);
	pthread_mutex_unlock(&tlb->lock);
	return ok;
}

bool vm_read64(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, uint64_t *v)
{
	if (addr & 7)
		return vm_read(tlb, vm, addr & ~3ull, v, 8);
	return vm_read(tlb, vm, addr, v, 8);
}

bool vm_write64(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, uint64_t v)
{
	return vm_write(tlb, vm, addr & ~3ull, &v, 8);
}

/**
 * vm_read() - copies from graphics addresses
 * @tlb: the TLB
 * @vm: the address space
 * @addr: first graphics address, any alignment
 * @buf: where to
 * @len: bytes
 *
 * Aligned dwords and qwords do not tear. Takes the TLB's lock for all of it.
 *
 * Return: false for a fault; what lies before it was copied.
 */
bool vm_read(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, void *buf, size_t len)
{
	uint8_t *to = buf;
	bool ok = true;

	pthread_mutex_lock(&tlb->lock);
	while (ok && len) {
		uint64_t pa, left;
		size_t n;
		void *p;

		ok = translate(tlb, vm, addr, false, &pa, &left);
		if (!ok)
			break;
		n = left < len ? (size_t)left : len;
		p = gmem_ptr(tlb->gpu, pa, n);
		if (!p) {
			count("memory_misses", "reads", 1);
			ok = false;
			break;
		}
		gmem_copy_from(to, p, n);
		to += n;
		addr += n;
		len -= n;
	}
	pthread_mutex_unlock(&tlb->lock);
	return ok;
}

/**
 * vm_write() - copies to graphics addresses
 * @tlb: the TLB
 * @vm: the address space
 * @addr: first graphics address, any alignment
 * @buf: where from
 * @len: bytes
 *
 * As vm_read().
 *
 * Return: false for a fault; what lies before it was written.
 */
bool vm_write(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, const void *buf, size_t len)
{
	const uint8_t *from = buf;
	bool ok = true;

	pthread_mutex_lock(&tlb->lock);
	while (ok && len) {
		uint64_t pa, left;
		size_t n;
		void *p;

		ok = translate(tlb, vm, addr, true, &pa, &left);
		if (!ok)
			break;
		n = left < len ? (size_t)left : len;
		p = gmem_ptr(tlb->gpu, pa, n);
		if (!p) {
			count("memory_misses", "writes", 1);
			ok = false;
			break;
		}
		gmem_copy_to(p, from, n);
		from += n;
		addr += n;
		len -= n;
	}
	pthread_mutex_unlock(&tlb->lock);
	return ok;
}

/* Two words, one after the other; only engines do that, and they take turns. */
static bool exchange_16(uint64_t *p, const uint64_t *old, const uint64_t *to)
{
	static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
	bool same;

	pthread_mutex_lock(&turn);
	same = __atomic_load_n(p, __ATOMIC_ACQUIRE) == old[0] &&
	       __atomic_load_n(p + 1, __ATOMIC_ACQUIRE) == old[1];
	if (same) {
		__atomic_store_n(p, to[0], __ATOMIC_RELEASE);
		__atomic_store_n(p + 1, to[1], __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&turn);
	return same;
}

bool vm_compare_exchange(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, unsigned int size,
			 const void *old, const void *to, bool *swapped)
{
	uint64_t pa, was[2] = { 0 }, now[2] = { 0 };
	uint32_t was32, now32;
	void *p = NULL;

	memcpy(was, old, size);
	memcpy(now, to, size);
	pthread_mutex_lock(&tlb->lock);
	if (translate(tlb, vm, addr & ~(size - 1ull), true, &pa, NULL))
		p = gmem_ptr(tlb->gpu, pa, size);
	switch (p ? size : 0) {
	case 4:
		was32 = (uint32_t)was[0];
		now32 = (uint32_t)now[0];
		*swapped = __atomic_compare_exchange_n((uint32_t *)p, &was32, now32, false,
						       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
		break;
	case 8:
		*swapped = __atomic_compare_exchange_n((uint64_t *)p, &was[0], now[0], false,
						       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
		break;
	case 16:
		*swapped = exchange_16(p, was, now);
		break;
	default:
		break;
	}
	pthread_mutex_unlock(&tlb->lock);
	return p;
}
