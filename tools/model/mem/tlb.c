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
 * What an engine or the CPU reads and writes goes through a view (view.c), which keeps translations of its own and
 * asks here for those that it lacks. An invalidation takes tlb->lock for as long as it drops entries, and then waits
 * for the accesses through views that may still use them.
 *
 * Where CPU and GPU share no cache, an entry of the GGTT acts as entry 0 of the private PAT, whatever its bits say, and
 * one of a PPGTT picks an entry by its bits PAT, PCD and PWT (as stock i915 relies on for Apollo Lake). The CPU's
 * accesses through the aperture are never snooped, nor are page walks. Which access is matters for coherency.c alone.
 *
 * Gen6 and Gen7 have one level of tables in memory, below a directory that the engine reads when its PP_DIR_BASE is
 * written (tlb_load_directory()); the driver cannot change what the engine has read. Entries of the TLB do not know
 * of which directory they are: without an invalidation the next directory's addresses lead to the pages of the one
 * before. Both are assumptions, the worse ones for a driver (stock i915 writes PP_DIR_BASE again for each request,
 * and invalidates).
 *
 * Not done: 1 GB pages, which no driver uses; other memory types than snooped and not snooped.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mem/mem.h"
#include "igen/regs/gtt.h"

#define WAYS		4
#define SPACE_GGTT	1ull			/* no PML4 has this address */

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
	uint64_t vintage;			/* of its kind when it was made; 0: there is no entry */
	bool writable;
	bool snooped;
	bool ips;				/* PDE: the table below maps 64 KB pages */
};

struct tlb {
	struct gpu *gpu;
	struct tlb *next;
	char name[16];
	pthread_mutex_t lock;			/* of the entries; held for a look-up or a walk */
	_Atomic uint64_t epoch;			/* counts what makes views drop their translations; from 1 */
	pthread_mutex_t views_lock;		/* outside of lock: of the list, and held while views are waited for */
	struct view *views;
	uint64_t vintage[2];			/* of PPGTTs' and the GGTT's entries, from 1; lock */
	struct tlb_entry entry[NUM_LEVELS][MAX_SETS][WAYS];
	unsigned int victim[NUM_LEVELS][MAX_SETS];
	void (*describe)(void *opaque, char *text, size_t size);	/* NULL: there is no engine */
	void *opaque;
	uint32_t directory[GEN6_PD_ENTRIES];	/* that the engine has loaded; lock */
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

	if (!tlb)
		return NULL;
	tlb->gpu = gpu;
	snprintf(tlb->name, sizeof(tlb->name), "%s", name);
	pthread_mutex_init(&tlb->lock, NULL);
	pthread_mutex_init(&tlb->views_lock, NULL);
	atomic_init(&tlb->epoch, 1);
	tlb->vintage[0] = 1;
	tlb->vintage[1] = 1;
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
		pthread_mutex_destroy(&tlb->views_lock);
		free(tlb);
	}
	pthread_mutex_destroy(&gtt->aperture_lock);
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

void tlb_describe_by(struct tlb *tlb, void (*describe)(void *opaque, char *text, size_t size), void *opaque)
{
	tlb->opaque = opaque;
	tlb->describe = describe;
}

void tlb_describe(struct tlb *tlb, char *text, size_t size)
{
	if (tlb->describe)
		tlb->describe(tlb->opaque, text, size);
	else
		snprintf(text, size, "the CPU");
}

/* Between two looks at a view that is waited for: first for the end of a short access, then of a row of a blit. */
static void wait_a_little(unsigned int round)
{
	if (round < 64)
		return;
	if (round < 256)
		sched_yield();
	else
		nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

/*
 * Makes all views drop what they have kept, and waits until none is in an access that began with it. tlb->views_lock
 * is held, tlb->lock is not.
 */
static void expire_views(struct tlb *tlb)
{
	uint64_t epoch = atomic_fetch_add(&tlb->epoch, 1) + 1;

	for (struct view *v = tlb->views; v; v = v->next) {
		unsigned int round = 0;
		uint64_t inside;

		while ((inside = atomic_load(&v->inside)) && inside < epoch)
			wait_a_little(round++);
	}
}

/**
 * tlb_invalidate() - drops entries
 * @tlb: the TLB
 * @ggtt: those of the GGTT
 * @ppgtt: those of all PPGTTs
 *
 * Waits for the accesses under way, of a blit for the row under way; those that come later walk the tables. Any thread
 * that is not in an access of its own. Counted.
 */
void tlb_invalidate(struct tlb *tlb, bool ggtt, bool ppgtt)
{
	pthread_mutex_lock(&tlb->views_lock);
	pthread_mutex_lock(&tlb->lock);
	tlb->vintage[0] += ppgtt;
	tlb->vintage[1] += ggtt;
	pthread_mutex_unlock(&tlb->lock);
	expire_views(tlb);
	pthread_mutex_unlock(&tlb->views_lock);
	atomic_fetch_add_explicit(tlb->invalidations, 1, memory_order_relaxed);
}

void tlb_invalidate_all(struct gpu *gpu, bool ggtt, bool ppgtt)
{
	for (struct tlb *tlb = gpu->gtt->tlbs; tlb; tlb = tlb->next)
		tlb_invalidate(tlb, ggtt, ppgtt);
}

/**
 * tlb_wait_all() - waits for the accesses under way through all TLBs
 * @gpu: the device
 *
 * Afterwards no engine and no access of the CPU uses a pointer that gmem_ptr() gave before. Translations stay in the
 * TLBs, views ask for the memory again.
 */
void tlb_wait_all(struct gpu *gpu)
{
	for (struct tlb *tlb = gpu->gtt->tlbs; tlb; tlb = tlb->next) {
		pthread_mutex_lock(&tlb->views_lock);
		expire_views(tlb);
		pthread_mutex_unlock(&tlb->views_lock);
	}
}

/**
 * view_init() - makes a view of a TLB
 * @v: the view; only one thread at a time may use it
 * @tlb: the TLB that it asks for translations
 * @client: which unit of the engine accesses memory through it
 */
void view_init(struct view *v, struct tlb *tlb, enum mem_client client)
{
	static const char *const names[MEM_CLIENTS] = { "command streamer", "blitter", "cpu", "execution units" };

	*v = (struct view){ .gpu = tlb->gpu, .tlb = tlb, .now = &tlb->epoch, .client = client };
	v->coherency = coherency_judges(tlb->gpu) ? tlb->gpu->coherency : NULL;
	v->misses = counter_get("view_misses", names[client]);
	pthread_mutex_lock(&tlb->views_lock);
	v->next = tlb->views;
	tlb->views = v;
	pthread_mutex_unlock(&tlb->views_lock);
}

/**
 * view_fini() - ends a view
 * @v: the view, in no access; its TLB is still there
 */
void view_fini(struct view *v)
{
	struct view **at;

	if (!v->tlb)
		return;
	pthread_mutex_lock(&v->tlb->views_lock);
	for (at = &v->tlb->views; *at && *at != v; at = &(*at)->next)
		;
	if (*at)
		*at = v->next;
	pthread_mutex_unlock(&v->tlb->views_lock);
	v->tlb = NULL;
}

static unsigned int set_of(enum level l, uint64_t space, uint64_t page)
{
	return (unsigned int)((page ^ space >> 12) & (levels[l].sets - 1));
}

static bool valid(const struct tlb *tlb, const struct tlb_entry *e)
{
	return e->vintage == tlb->vintage[e->space == SPACE_GGTT];
}

static struct tlb_entry *lookup(struct tlb *tlb, enum level l, uint64_t space, uint64_t addr)
{
	uint64_t page = addr >> levels[l].shift;
	struct tlb_entry *set = tlb->entry[l][set_of(l, space, page)];

	for (unsigned int w = 0; w < WAYS; w++)
		if (set[w].page == page && set[w].space == space && valid(tlb, &set[w]))
			return &set[w];
	return NULL;
}

/* Does the entry of a page snoop? pat: the entry's bit PAT */
static bool snoops(const struct tlb *tlb, uint64_t entry, uint64_t pat)
{
	return gtt_pat_snoops(tlb->gpu, (entry & pat ? 4 : 0) + (entry & GEN8_PAGE_PCD ? 2 : 0) +
					(entry & GEN8_PAGE_PWT ? 1 : 0));
}

static struct tlb_entry *insert(struct tlb *tlb, enum level l, uint64_t space, uint64_t addr,
				uint64_t pa, bool writable, bool snooped)
{
	uint64_t page = addr >> levels[l].shift;
	unsigned int s = set_of(l, space, page);
	unsigned int w;

	for (w = 0; w < WAYS; w++)
		if (!valid(tlb, &tlb->entry[l][s][w]))
			break;
	if (w == WAYS)
		w = tlb->victim[l][s]++ % WAYS;
	tlb->entry[l][s][w] = (struct tlb_entry){
		.space = space,
		.page = page,
		.pa = pa,
		.vintage = tlb->vintage[space == SPACE_GGTT],
		.writable = writable,
		.snooped = snooped,
	};
	return &tlb->entry[l][s][w];
}

/* One entry of a table in memory, for addr; 0, not present, where there is no memory. */
static uint64_t table_entry(struct tlb *tlb, uint64_t space, uint64_t addr, uint64_t table, unsigned int i)
{
	const struct vm_ref vm = { .pml4 = space };
	uint64_t v;

	if (!gmem_read64(tlb->gpu, table + i * 8, &v))
		return 0;
	if (!coherency_judges(tlb->gpu) || !tlb->gpu->coherency)
		return v;
	return coherency_walk(tlb->gpu, tlb, &vm, addr, table + i * 8, v);
}

static unsigned int index_at(uint64_t addr, unsigned int shift)
{
	return (addr >> shift) & (GEN8_PT_ENTRIES - 1);
}

/* Only if the setting says so does the hardware look at an entry's R/W bit (cs/privilege.c). */
static bool allows_writes(const struct tlb *tlb, uint64_t entry)
{
	return entry & GEN8_PAGE_RW || !tlb->gpu->config.ppgtt_read_only;
}

/*
 * The entry of an upper level for addr: from the TLB, or from the table at the address that the
 * level above gave. A 2 MB page in a directory goes to its own array. NULL when not present.
 */
static struct tlb_entry *upper(struct tlb *tlb, enum level l, uint64_t space, uint64_t addr,
			       uint64_t table, bool writable)
{
	struct tlb_entry *e;
	uint64_t v = table_entry(tlb, space, addr, table, index_at(addr, levels[l].shift));

	if (!(v & GEN8_PAGE_PRESENT))
		return NULL;
	writable = writable && allows_writes(tlb, v);
	if (l == LEVEL_PDE && (v & GEN8_PDE_PS_2M))
		return insert(tlb, LEVEL_2M, space, addr, v & GEN8_PDE_2M_ADDR_MASK, writable,
			      snoops(tlb, v, GEN8_PDE_2M_PAT));
	e = insert(tlb, l, space, addr, v & GEN8_PTE_ADDR_MASK, writable, false);
	e->ips = l == LEVEL_PDE && (v & GEN8_PDE_IPS_64K) && gtt_ips_enabled(tlb->gpu);
	return e;
}

/* Walks from the lowest level that the TLB knows; gives the level of the page found. */
static struct tlb_entry *gen8_walk(struct tlb *tlb, uint64_t space, uint64_t addr, unsigned int *level)
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
		pte = table_entry(tlb, space, addr, e->pa, index_at(addr, 12) & ~15u);
		if (!(pte & GEN8_PAGE_PRESENT))
			return NULL;
		*level = LEVEL_64K;
		return insert(tlb, LEVEL_64K, space, addr, pte & GEN8_PTE_64K_ADDR_MASK,
			      e->writable && allows_writes(tlb, pte), snoops(tlb, pte, GEN8_PTE_PAT));
	}
	pte = table_entry(tlb, space, addr, e->pa, index_at(addr, 12));
	if (!(pte & GEN8_PAGE_PRESENT))
		return NULL;
	*level = LEVEL_4K;
	return insert(tlb, LEVEL_4K, space, addr, pte & GEN8_PTE_ADDR_MASK,
		      e->writable && allows_writes(tlb, pte), snoops(tlb, pte, GEN8_PTE_PAT));
}

static bool gen8_global(struct gpu *gpu, uint64_t entry, struct page_entry *page)
{
	*page = (struct page_entry){ .pa = entry & GEN8_PTE_ADDR_MASK, .snooped = gtt_pat_snoops(gpu, 0) };
	return entry & GEN8_PAGE_PRESENT;
}

const struct page_tables page_tables_gen8 = {
	.entry_bytes = 8,
	.init = gtt_claim_gen8,
	.global = gen8_global,
	.walk = gen8_walk,
};

/* The address of a page or a table: entries of both kinds look the same. */
static uint64_t gen6_address(uint32_t entry)
{
	return (entry & GEN6_PTE_ADDR_LOW_MASK) | (uint64_t)IGEN_GET(GEN6_PTE_ADDR_HIGH_MASK, entry) << 32;
}

/* CPU and GPU share the LLC, whatever an entry says of caches. */
static bool gen6_global(struct gpu *gpu, uint64_t entry, struct page_entry *page)
{
	(void)gpu;
	*page = (struct page_entry){ .pa = gen6_address((uint32_t)entry), .snooped = true };
	return entry & GEN6_PTE_VALID;
}

static struct tlb_entry *gen6_walk(struct tlb *tlb, uint64_t space, uint64_t addr, unsigned int *level)
{
	uint64_t table = addr / (GEN6_PT_ENTRIES * VIEW_PAGE);
	uint32_t pde, pte;

	pde = table < GEN6_PD_ENTRIES ? tlb->directory[table] : 0;
	if (!(pde & GEN6_PDE_VALID) ||
	    !gmem_read32(tlb->gpu, gen6_address(pde) + addr / VIEW_PAGE % GEN6_PT_ENTRIES * 4, &pte) ||
	    !(pte & GEN6_PTE_VALID))
		return NULL;
	*level = LEVEL_4K;
	return insert(tlb, LEVEL_4K, space, addr, gen6_address(pte), true, true);
}

void tlb_load_directory(struct tlb *tlb, uint32_t byte, uint32_t valid)
{
	pthread_mutex_lock(&tlb->lock);
	for (uint32_t i = 0; i < GEN6_PD_ENTRIES; i++)
		tlb->directory[i] = valid >> i / GEN6_PD_ALIGN & 1 ?
				    (uint32_t)gtt_raw_entry(tlb->gpu, byte / 4 + i) : 0;
	pthread_mutex_unlock(&tlb->lock);
}

const struct page_tables page_tables_gen6 = {
	.entry_bytes = 4,
	.init = gtt_claim_gen6,
	.global = gen6_global,
	.walk = gen6_walk,
};

/* The entry of the page that addr is in, and its level; NULL when there is none. tlb->lock held. */
static struct tlb_entry *translate(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, unsigned int *level)
{
	const struct page_tables *tables = tlb->gpu->platform->tables;
	uint64_t space = vm->ggtt ? SPACE_GGTT : vm->pml4 & GEN8_PTE_ADDR_MASK;
	struct tlb_entry *e;
	struct page_entry page;

	for (*level = LEVEL_4K; *level <= LEVEL_2M; ++*level) {
		e = lookup(tlb, *level, space, addr);
		if (e)
			return e;
	}
	atomic_fetch_add_explicit(tlb->misses, 1, memory_order_relaxed);
	if (vm->ggtt) {
		if (!tables->global(tlb->gpu, gtt_entry(tlb->gpu, addr), &page))
			return NULL;
		*level = LEVEL_4K;
		/* A GGTT entry has no write permission to deny (public Gen9 PRM Vol 5). */
		return insert(tlb, LEVEL_4K, space, addr, page.pa, true,
			      tlb != tlb->gpu->gtt->aperture && page.snooped);
	}
	e = tables->walk(tlb, space, addr, level);
	if (e)
		atomic_fetch_add_explicit(tlb->pages[*level], 1, memory_order_relaxed);
	return e;
}

/**
 * tlb_translate() - translates an address
 * @tlb: the TLB
 * @vm: the address space
 * @addr: graphics address; bits above 47 are ignored
 * @t: the answer
 *
 * For a view that is in an access, or a test; the answer is good until the access ends or an invalidation of another
 * thread begins that waits for it. Takes the TLB's lock.
 *
 * Return: false for what is not present.
 */
bool tlb_translate(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, struct translation *t)
{
	const struct tlb_entry *e;
	unsigned int level;
	uint64_t size, in_page;

	addr &= VM_ADDR_MASK;
	pthread_mutex_lock(&tlb->lock);
	e = translate(tlb, vm, addr, &level);
	if (e) {
		size = 1ull << levels[level].shift;
		in_page = addr & (size - 1);
		*t = (struct translation){
			.pa = e->pa + in_page,
			.left = size - in_page,
			.writable = e->writable,
			.snooped = e->snooped,
		};
	}
	pthread_mutex_unlock(&tlb->lock);
	return e;
}
