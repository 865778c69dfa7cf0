/* SPDX-License-Identifier: MIT */
/**
 * DOC: Memory
 *
 * Guest memory as QEMU shares it (gmem.c), the global GTT (gtt.c), translation for engines and the aperture with page
 * tables of each process (tlb.c), through views that keep translations (view.c), what the CPU sees through the aperture
 * and its fences (aperture.c), tiles (tiling.c), the registers that report a page fault (page_fault.c), and what memory
 * holds while the CPU's caches hold something else (coherency.c).
 */
#ifndef IGEN_MODEL_MEM_H
#define IGEN_MODEL_MEM_H

#include "base/base.h"

/*
 * gmem.c: guest physical memory, as mapped from QEMU's descriptors. Addresses that are no RAM give
 * NULL, and so does read-only memory for a write. The pointer is good until the access of the view ends
 * that the address comes from.
 */
void *gmem_ptr(struct gpu *gpu, uint64_t pa, uint64_t len, bool write);
/* Counts an access that gmem_ptr() gave NULL for. */
void gmem_count_miss(struct gpu *gpu, uint64_t pa, bool write);
/*
 * Tear-free single accesses; a miss reads all ones or drops the write, is counted and gives false.
 */
bool gmem_read32(struct gpu *gpu, uint64_t pa, uint32_t *v);
bool gmem_read64(struct gpu *gpu, uint64_t pa, uint64_t *v);
bool gmem_write32(struct gpu *gpu, uint64_t pa, uint32_t v);
bool gmem_write64(struct gpu *gpu, uint64_t pa, uint64_t v);

/*
 * gtt.c: translation. An address space is the GGTT or a PPGTT named by its PML4 (a physical
 * address), or the one whose directory the engine has loaded (PPGTT_LOADED). Each engine has a TLB per kind; entries
 * stay until invalidated, however the tables change.
 */
struct vm_ref {
	bool ggtt;
	uint64_t pml4;			/* when !ggtt */
};

#define PPGTT_LOADED	0x1000ull	/* in place of a PML4: tlb_load_directory() */

struct tlb;				/* one an engine, and one for the aperture */

/*
 * The name is the engine's (engine_info.name): TLB_INV_* registers find a TLB by it. Freed with the
 * gpu.
 */
struct tlb *tlb_new(struct gpu *gpu, const char *name);
/* Drops entries, after the accesses under way; ppgtt and ggtt say which. Counted. */
void tlb_invalidate(struct tlb *tlb, bool ggtt, bool ppgtt);

struct translation {
	uint64_t pa;
	uint64_t left;			/* bytes from there on that lie in the same page */
	bool writable;			/* of Gen9's pages that are not, writes are dropped */
	bool snooped;			/* accesses look at the CPU's caches, too */
};

/* An entry of a page table that leads to a page. */
struct page_entry {
	uint64_t pa;
	bool snooped;
};

struct tlb_entry;

/* tlb.c: the tables of a platform. */
struct page_tables {
	unsigned int entry_bytes;	/* of the GGTT's */
	/* Claims the registers that say how the tables are read, when the device is made; may be NULL. */
	void (*init)(struct gpu *gpu);
	/* The page of the GGTT's entry; false: it is not present. */
	bool (*global)(struct gpu *gpu, uint64_t entry, struct page_entry *page);
	/* The entry of the page that addr is in, and its level; NULL: it is not present. tlb->lock held. */
	struct tlb_entry *(*walk)(struct tlb *tlb, uint64_t space, uint64_t addr, unsigned int *level);
};

extern const struct page_tables page_tables_gen6, page_tables_gen8;

/*
 * The engine loads a page directory from the GGTT's entries: where its first entry is, in bytes of the table, and a bit
 * for each 16 entries that count. What the TLB holds stays.
 */
void tlb_load_directory(struct tlb *tlb, uint32_t byte, uint32_t valid);

/* What the TLB's engine is doing, for messages; @describe runs in the engine's thread. */
void tlb_describe_by(struct tlb *tlb, void (*describe)(void *opaque, char *text, size_t size), void *opaque);
void tlb_describe(struct tlb *tlb, char *text, size_t size);

/*
 * coherency.c: with the setting "coherency", on a GPU that does not look at the CPU's caches by itself, or with the
 * plugin. Otherwise gpu->coherency is NULL, and only coherency_init() and coherency_fini() may be called.
 */
/* Are accesses to be judged if gpu->coherency is there? */
static inline bool coherency_judges(const struct gpu *gpu)
{
	return gpu->platform->no_llc;
}

int coherency_init(struct gpu *gpu);
void coherency_fini(struct gpu *gpu);
/* From the test module in the guest: the page of its events, and that so many events stand in it. */
void coherency_use_page(struct gpu *gpu, uint32_t number);
void coherency_take_events(struct gpu *gpu, uint32_t n);
/* What the module reads there. */
uint32_t coherency_magic(struct gpu *gpu);
/* How many findings there were, and one more. */
uint32_t coherency_findings(struct gpu *gpu);
void coherency_add_finding(struct gpu *gpu);
/* The plugin's state is there. */
int coherency_use_state(struct gpu *gpu);

/* An access of bytes that lie in one page. */
struct mem_access {
	struct tlb *tlb;
	struct vm_ref vm;
	uint64_t addr;			/* graphics address */
	uint64_t pa;
	bool snooped;
};

/* Where to read or write: ram, where the memory is mapped, or what is beneath the caches. Good as long as ram is. */
uint8_t *coherency_read(struct gpu *gpu, const struct mem_access *a, uint8_t *ram, size_t len);
uint8_t *coherency_will_write(struct gpu *gpu, const struct mem_access *a, uint8_t *ram, size_t len);
/* After the write. */
void coherency_wrote(struct gpu *gpu, const struct mem_access *a, const uint8_t *ram, size_t len);
/* Returns where to access a whole page, without judging the access. */
uint8_t *coherency_page(struct gpu *gpu, const struct mem_access *a, uint8_t *ram);
/* The entry of a page table at pa, as a walk for addr reads it. */
uint64_t coherency_walk(struct gpu *gpu, struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, uint64_t pa,
			uint64_t entry);

/* coherency_plugin.c: what a plugin of QEMU's tells. Also where gpu->coherency is NULL. */
struct coherency_state;
struct coherency_found;
int coherency_share(struct gpu *gpu);
void coherency_unshare(struct gpu *gpu);
bool coherency_take_found(struct coherency_state *state, struct coherency_found *found);
void coherency_doorbell(struct gpu *gpu, const char *engine, uint64_t desc);
void coherency_count(struct gpu *gpu);

#define VM_ADDR_MASK	((1ull << 48) - 1)	/* of a graphics address */

/* False when not present. For views; what else is accessed goes through one of them. */
bool tlb_translate(struct tlb *tlb, const struct vm_ref *vm, uint64_t addr, struct translation *t);

/* The units that access memory, each through a view of its own. */
enum mem_client { MEM_CS, MEM_BLT, MEM_CPU, MEM_EU, MEM_CLIENTS };

#define VIEW_ENTRIES	256		/* a power of two */
#define VIEW_PAGE	4096ull

/* A page that a view has found. */
struct view_entry {
	uint64_t space, page;		/* of which addresses */
	uint64_t epoch;			/* when */
	uint8_t *ptr;			/* its memory */
	bool writable;
};

/* Why the last access through a view failed. */
enum view_error { VIEW_NOT_PRESENT, VIEW_READ_ONLY, VIEW_NO_MEMORY };

/* view.c has the idea. Its thread's own, but for inside. */
struct view {
	struct gpu *gpu;
	struct tlb *tlb;		/* whose list it is in */
	struct view *next;
	const _Atomic uint64_t *now;	/* the TLB's epoch */
	enum mem_client client;
	_Atomic uint64_t inside;	/* epoch that the access under way knows of; 0: there is none */
	uint64_t epoch;			/* the thread's copy of it, and of the last access's */
	unsigned int depth;		/* of accesses within accesses */
	enum view_error error;
	struct coherency *coherency;	/* the GPU's: no page is kept, each access is judged; NULL: none is */
	struct mem_access writing;	/* with coherency: the write that the last pointer was given out for */
	const uint8_t *writing_ram;
	size_t writing_len;		/* 0: none */
	_Atomic uint64_t *misses;	/* pages that were asked for */
	struct view_entry entry[VIEW_ENTRIES];
};

void view_init(struct view *v, struct tlb *tlb, enum mem_client client);
void view_fini(struct view *v);
/*
 * Around accesses through pointers: an invalidation of another thread waits for view_leave(). In between no lock may be
 * waited for that a thread which invalidates holds: not gpu->lock. Both nest.
 */
void view_enter(struct view *v);
void view_leave(struct view *v);
/* In between, for long ones: lets invalidations pass. True when one did; pointers from before are not good any more. */
bool view_renew(struct view *v);
/* In between: the memory of the whole page at an address, a multiple of VIEW_PAGE, or NULL. */
uint8_t *view_page(struct view *v, const struct vm_ref *vm, uint64_t addr, bool write);
/*
 * In between: the memory at an address, up to the end of its page, if the view has that page from an earlier access.
 * NULL: it has not, and always with coherency.
 */
uint8_t *view_kept(struct view *v, const struct vm_ref *vm, uint64_t addr, bool write);
/* Has view_kept() find the page of an address from now on, if there is one, and memory for it. Outside as well. */
void view_ask(struct view *v, const struct vm_ref *vm, uint64_t addr);
/*
 * In between, of a view with coherency: what of a page from view_page() is accessed, len bytes that lie in it. Before a
 * read, and before and after a write.
 */
enum view_step { VIEW_READS, VIEW_WILL_WRITE, VIEW_WROTE };
void view_touch(struct view *v, const struct vm_ref *vm, uint64_t addr, size_t len, enum view_step step);
/*
 * Single accesses and copies; on a fault false, the caller reports it with gpu_page_fault(). Addresses of dwords and
 * qwords are rounded down to dwords.
 */
bool vm_read32(struct view *v, const struct vm_ref *vm, uint64_t addr, uint32_t *value);
bool vm_write32(struct view *v, const struct vm_ref *vm, uint64_t addr, uint32_t value);
bool vm_read64(struct view *v, const struct vm_ref *vm, uint64_t addr, uint64_t *value);
bool vm_write64(struct view *v, const struct vm_ref *vm, uint64_t addr, uint64_t value);
bool vm_read(struct view *v, const struct vm_ref *vm, uint64_t addr, void *buf, size_t len);
bool vm_write(struct view *v, const struct vm_ref *vm, uint64_t addr, const void *buf, size_t len);
/*
 * Replaces what is at addr, aligned to its size of 4, 8 or 16 bytes, if it still is *old; swapped
 * says whether. Atomic against everyone (16 bytes: against other engines). False on a fault.
 */
bool vm_compare_exchange(struct view *v, const struct vm_ref *vm, uint64_t addr, unsigned int size,
			 const void *old, const void *to, bool *swapped);

/* The kind of an access that faulted. */
enum page_fault {
	PAGE_FAULT_READ,		/* of a page that is not present */
	PAGE_FAULT_WRITE,		/* to a page that is not present */
	PAGE_FAULT_READ_ONLY,		/* a write to a page that denies it */
};

/* The fault of the access through this view that just failed. */
static inline enum page_fault view_page_fault(const struct view *v, bool write)
{
	if (!write)
		return PAGE_FAULT_READ;
	return v->error == VIEW_READ_ONLY ? PAGE_FAULT_READ_ONLY : PAGE_FAULT_WRITE;
}

/* page_fault.c: the registers of a platform that keep the first fault. The lock of faults is held. */
struct fault_ops {
	/* Claims them, when the device is made. */
	void (*init)(struct gpu *gpu);
	void (*note)(struct gt *gt, const struct engine_info *engine, const struct vm_ref *vm, uint64_t addr,
		     enum page_fault fault);
};

extern const struct fault_ops fault_ops_gen6, fault_ops_gen8;

/* Fills the fault registers, counts, logs once a second. Takes a leaf lock only. */
void gpu_page_fault(struct gpu *gpu, const struct engine_info *engine, const struct vm_ref *vm,
		    uint64_t addr, enum page_fault fault);

/*
 * tiling.c: byte offset of a byte in a tiled surface (x and pitch in bytes). A Yf tile is as many bytes across as its
 * name says, which depends on the size of an element.
 */
enum tiling { TILING_LINEAR, TILING_X, TILING_Y, TILING_YF_64, TILING_YF_128, TILING_YF_256 };
uint64_t tiled_offset(enum tiling tiling, uint32_t x, uint32_t y, uint32_t pitch);
/* The address of a byte where the memory controller swizzles bit 6. */
uint64_t swizzled(enum tiling tiling, uint64_t addr);

/* gmem.c */
struct gmem_region {
	uint64_t gpa;
	uint64_t size;
	uint64_t offset;		/* in the file */
	int fd;				/* the callee closes it */
	bool read_only;			/* for the device */
};

int gmem_init(struct gpu *gpu);
void gmem_fini(struct gpu *gpu);
/* Replaces the whole map (proxy); 0 or -1, then the old one stays. */
int gmem_set(struct gpu *gpu, const struct gmem_region *regions, unsigned int n);
/* Adds or drops one region (vfio-user). */
int gmem_map(struct gpu *gpu, const struct gmem_region *region);
int gmem_unmap(struct gpu *gpu, uint64_t gpa, uint64_t size, bool all);
/* Copies that other threads and the guest may race with, a word at a time. */
void gmem_copy_from(void *dst, const void *src, size_t len);
void gmem_copy_to(void *dst, const void *src, size_t len);

/* gtt.c */
int gtt_init(struct gpu *gpu);
void gtt_fini(struct gpu *gpu);
/* Registers take their reset values. gpu->lock held. */
void gtt_reset(struct gpu *gpu);
/* Does the IPS bit of a directory's entry count? */
bool gtt_ips_enabled(struct gpu *gpu);
/* Do accesses by this entry of the private PAT look at the CPU's caches? */
bool gtt_pat_snoops(struct gpu *gpu, unsigned int index);
uint64_t gtt_pte_read(struct gpu *gpu, uint32_t byte, unsigned int size);
void gtt_pte_write(struct gpu *gpu, uint32_t byte, unsigned int size, uint64_t value);
/* The entry for a GGTT address; 0, which is not present, beyond the table. */
uint64_t gtt_entry(struct gpu *gpu, uint64_t addr);
/* An entry as it stands; 0 beyond the table. */
uint64_t gtt_raw_entry(struct gpu *gpu, uint32_t i);
void gtt_write_entry(struct gpu *gpu, uint32_t i, uint64_t value);
void gtt_claim_gen8(struct gpu *gpu);

/* gtt_gen6.c */
void gtt_claim_gen6(struct gpu *gpu);
/* Is bit 6 of addresses in tiled surfaces swizzled, by the aperture and by engines? */
bool gtt_aperture_swizzles(struct gpu *gpu);
bool gtt_engines_swizzle(struct gpu *gpu);
void tlb_invalidate_all(struct gpu *gpu, bool ggtt, bool ppgtt);
void tlb_wait_all(struct gpu *gpu);
struct tlb *tlb_find(struct gpu *gpu, const char *name);
struct fence {
	atomic_uint_fast64_t reg[32];
	atomic_uint valid;		/* mask of fences with the valid bit */
};

/* tlb.c's list of TLBs hangs here. */
struct gtt {
	atomic_uint_fast64_t *pte;
	uint32_t entries;
	struct tlb *tlbs;
	struct tlb *aperture;
	pthread_mutex_t aperture_lock;	/* of the view, outside of all that a view takes */
	struct view aperture_view;
	struct fence fence;
	uint64_t inherited_base;	/* of the framebuffer that inherit.c shows */
	atomic_uint gamw_eco;		/* GAMW_ECO_DEV_RW_IA; written under gpu->lock */
	atomic_uint tilectl, arb_mode;	/* of Gen6 and Gen7 (gtt_gen6.c); written under gpu->lock */
	atomic_bool unflushed;		/* entries were written, and no register of the GAM was read since */
	atomic_uint pat[2];		/* PRIVATE_PAT_LO, _HI; written under gpu->lock */
	/* Counters of the CPU's frequent accesses: of the aperture and of GGTT entries. */
	atomic_uint_fast64_t *aperture_count[2];	/* reads, writes */
	atomic_uint_fast64_t *pte_count[2];
};

/* aperture.c */
uint64_t aperture_read(struct gpu *gpu, uint64_t offset, unsigned int size);
void aperture_write(struct gpu *gpu, uint64_t offset, unsigned int size, uint64_t value);
void fence_init(struct gpu *gpu);
void fence_reset(struct gpu *gpu);

/* inherit.c: what a predecessor left */
void inherit_leave(struct gpu *gpu, uint64_t stolen);
void inherit_note_entry(struct gpu *gpu, uint32_t i, uint64_t old, uint64_t new);

/* page_fault.c */
void block_fault_init(struct gpu *gpu);
void block_fault_reset(struct gpu *gpu);

#endif
