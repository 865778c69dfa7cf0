/* SPDX-License-Identifier: MIT */
/**
 * DOC: Buffer objects
 *
 * A GEM object with a page provider. Pages come lazily, DMA-mapped, and stay until the object goes, is purged or is
 * shrunk away; nothing takes them while they are pinned (bound, read or written by the CPU in the kernel, exported).
 * The object's reservation lock guards its pages, its bindings and its tiling. An object is busy until the fences in
 * its reservation object have signaled. Unbinding and freeing wait for these fences, so a request holds no references
 * to objects.
 *
 * Each VMA in a PPGTT holds its object. The one in the GGTT belongs to the object and goes with it: its users
 * hold the object.
 */
#ifndef _IGEN_BO_H_
#define _IGEN_BO_H_

#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>
#include <linux/dma-resv.h>
#include <linux/rbtree.h>
#include <linux/scatterlist.h>

#include "igen_dma.h"

/* How often a wait looks whether there still is a device, in jiffies. */
#define IGEN_UNPLUG_CHECK	(HZ / 4)

struct igen_bo;
struct igen_budget;
struct igen_device;
struct igen_tail;
struct igen_vm;
struct igen_vma;

/** enum igen_mmap_type - I915_MMAP_OFFSET_* */
enum igen_mmap_type {
	IGEN_MMAP_GTT,
	IGEN_MMAP_WC,
	IGEN_MMAP_WB,
	IGEN_MMAP_UC,
	IGEN_MMAP_FIXED,
	IGEN_NUM_MMAP_TYPES
};

/* The types for system memory. FIXED is for memory whose caching can't be chosen: a discrete GPU's own. */
#define IGEN_MMAP_SYSTEM	(BIT(IGEN_MMAP_GTT) | BIT(IGEN_MMAP_WC) | BIT(IGEN_MMAP_WB) | BIT(IGEN_MMAP_UC))

/** struct igen_bo_ops - a page provider */
struct igen_bo_ops {
	/** @name: "shmem", "userptr", "dmabuf", "stolen", "internal" */
	const char *name;
	/** @shrinkable: its pages can be taken and come back with their content, or purged */
	bool shrinkable;
	/** @discardable: idle and unlocked it needs no content; mapping and pages stay until the shrinker comes */
	bool discardable;
	/** @get_pages: fills bo->pages (mapped if there is a device) and bo->page_list; bo locked; may sleep; -errno */
	int (*get_pages)(struct igen_bo *bo);
	/** @put_pages: gives them back; bo locked; nothing maps them any more, no TLB knows them */
	void (*put_pages)(struct igen_bo *bo);
	/** @truncate: forgets the content, @put_pages was called; bo locked; NULL when it cannot be purged */
	void (*truncate)(struct igen_bo *bo);
	/** @foreign_mapping: another driver has mapped the pages for DMA; igen_bo.dma is not used */
	bool foreign_mapping;
	/** @flush_foreign: igen_bo_flush_cpu() for such pages, before the first access past the CPU's caches */
	void (*flush_foreign)(struct igen_bo *bo);
	/**
	 * @copy: reads or writes bytes of an object whose pages the CPU can't map, as igen_ggtt_copy(); NULL when
	 * igen_bo.page_list names the pages, once they are there
	 */
	int (*copy)(struct igen_bo *bo, u64 offset, void *data, size_t size, bool write);
	/** @mmap_types: how userspace may map the object: bits of enum igen_mmap_type */
	unsigned int mmap_types;
	/** @not_captured: why an error state does not have the content; NULL when it can have it */
	const char *not_captured;
	/** @release: last reference gone, pages put; waits for no lock of an object; may be NULL */
	void (*release)(struct igen_bo *bo);
};

/** enum igen_cache_level - I915_CACHING_* */
enum igen_cache_level {
	/** @IGEN_CACHE_NONE: the GPU may access memory past the CPU's caches */
	IGEN_CACHE_NONE,
	/** @IGEN_CACHE_COHERENT: the GPU shares a cache with the CPU, or snoops those of the CPU */
	IGEN_CACHE_COHERENT,
	/** @IGEN_CACHE_DISPLAY: coherent for the CPU, and in eDRAM as a display reads it; only where there is eDRAM */
	IGEN_CACHE_DISPLAY,
};

/**
 * struct igen_mmap_offset - a place in the device file's offsets where an object can be mapped
 *
 * Made at the first request for its type, freed with the object.
 */
struct igen_mmap_offset {
	/** @node: the offsets, and which files may use them */
	struct drm_vma_offset_node node;
	/** @bo: the object; no reference */
	struct igen_bo *bo;
	/** @type: how it is mapped */
	enum igen_mmap_type type;
	/** @budget: of the client that has asked first, to which the offsets are charged */
	struct igen_budget *budget;
};

/**
 * struct igen_bo - buffer object
 */
struct igen_bo {
	/** @base: the GEM object; its resv is the object's lock */
	struct drm_gem_object base;
	/** @ops: where pages come from */
	const struct igen_bo_ops *ops;
	/** @pages: its pages or NULL; under resv */
	struct sg_table *pages;
	/** @dma: the mapping of @pages, unless that is the provider's; under resv */
	struct igen_dma dma;
	/** @page_list: the same as an array, or NULL when they have no struct page; under resv or a pin */
	struct page **page_list;
	/** @page_sizes: sizes of pages, ORed, that its page table entries may have; under resv */
	unsigned long page_sizes;
	/** @pages_pin: users of @pages (VMAs bound, CPU access, PRIME); under resv */
	unsigned int pages_pin;
	/** @vaddr: kernel mapping or NULL, under resv; see igen_bo_vmap() */
	void *vaddr;
	/** @vmap_count: users of @vaddr, under resv */
	unsigned int vmap_count;
	/** @tlb_mark: the TLB flush that must be over before @pages go, see igen_tlb_mark(); under resv */
	u64 tlb_mark;
	/** @vmas: VMAs in PPGTTs by address space, under @vma_lock */
	struct rb_root vmas;
	/** @ggtt_vmas: VMAs in the GGTT, by ggtt_next; added in front under @vma_lock, stay with the object */
	struct igen_vma *ggtt_vmas;
	/** @luts: handle table entries of contexts that name a VMA of this object, under @vma_lock */
	struct list_head luts;
	/** @vma_lock: guards @vmas and @luts; a leaf */
	spinlock_t vma_lock;
	/** @cache_level: how the GPU caches it, under resv */
	enum igen_cache_level cache_level;
	/** @cpu_dirty: CPU caches may hold writes that an uncached GPU access would miss, under resv */
	bool cpu_dirty;
	/** @tiling: I915_TILING_*, under resv */
	u8 tiling;
	/** @stride: bytes a row when tiled, under resv */
	u32 stride;
	/** @tail: what lies behind it in the aperture, or NULL; set once, under resv */
	struct igen_tail *tail;
	/** @madv: I915_MADV_*, under resv */
	u8 madv;
	/** @purged: its pages were taken after DONTNEED, under resv */
	bool purged;
	/** @file_mapped: userspace has got its file into a process (I915_GEM_MMAP); set once */
	bool file_mapped;
	/** @read_only: the GPU may not write it (userptr) */
	bool read_only;
	/** @read_domains: as set_domain left them, under resv */
	u32 read_domains;
	/** @write_domain: as set_domain left it, under resv */
	u32 write_domain;
	/** @mmap: where it can be mapped, by type; set once, under @vma_lock */
	struct igen_mmap_offset *mmap[IGEN_NUM_MMAP_TYPES];
	union {
		/** @free_node: link in igen_mm.free_bos, without references */
		struct llist_node free_node;
		/** @cache_link: link in igen_bo_cache.closed, under igen_mm.closed_lock */
		struct list_head cache_link;
	};
	/** @shrink_link: in igen_mm.shrink_list or purge_list, under its shrink_lock */
	struct list_head shrink_link;
	/** @provider: private to @ops */
	void *provider;
	/** @budget: of the client that has made or imported it, or NULL; does not change once it is set */
	struct igen_budget *budget;
	/** @charged_copy: its place in the GGTT is charged to @budget */
	bool charged_copy;
	/** @counted: its pages, in memory or in swap, count for @budget; under resv */
	bool counted;
};

static inline struct igen_bo *to_igen_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct igen_bo, base);
}

/*
 * True if CPU and GPU see each other's writes to the object without cache flushes. Exact with bo locked; without the
 * lock the answer may be out of date.
 */
static inline bool igen_bo_is_coherent(const struct igen_bo *bo)
{
	return READ_ONCE(bo->cache_level) != IGEN_CACHE_NONE;
}

static inline struct igen_bo *igen_bo_get(struct igen_bo *bo)
{
	drm_gem_object_get(&bo->base);
	return bo;
}

static inline void igen_bo_put(struct igen_bo *bo)
{
	if (bo)
		drm_gem_object_put(&bo->base);
}

/* The DRM core's callbacks for objects of this driver (uapi/igen_gem_object.c). */
extern const struct drm_gem_object_funcs igen_gem_funcs;

struct igen_bo *igen_bo_create_shmem(struct igen_device *igen, u64 size);
bool igen_bo_is_shmem(const struct igen_bo *bo);
void igen_shmem_set_aside(struct igen_bo *bo);
void igen_shmem_renew(struct igen_bo *bo);
struct igen_bo *igen_bo_create_internal(struct igen_device *igen, u64 size);
struct igen_bo *igen_bo_create_discardable(struct igen_device *igen, u64 size, struct igen_budget *budget);
struct igen_bo *igen_bo_alloc(struct igen_device *igen, const struct igen_bo_ops *ops, u64 size);
size_t igen_bo_charged_bytes(bool has_file);
int igen_bo_charge(struct igen_bo *bo, struct igen_budget *budget);
int igen_bo_charge_copy(struct igen_bo *bo, u64 all);
void igen_bo_uncharge_copy(struct igen_bo *bo);
int igen_bo_map_pages(struct igen_bo *bo, struct page **page_list);
void igen_bo_set_pages(struct igen_bo *bo, struct sg_table *pages);
void igen_bo_unmap_pages(struct igen_bo *bo);

static inline int igen_bo_lock(struct igen_bo *bo)
{
	return dma_resv_lock(bo->base.resv, NULL);
}

static inline void igen_bo_unlock(struct igen_bo *bo)
{
	dma_resv_unlock(bo->base.resv);
}

int igen_bo_pin_pages(struct igen_bo *bo);
void igen_bo_unpin_pages(struct igen_bo *bo);
int igen_bo_pin_pages_unlocked(struct igen_bo *bo);
void igen_bo_unpin_pages_unlocked(struct igen_bo *bo);
void igen_bo_put_pages(struct igen_bo *bo);
void *igen_bo_vmap(struct igen_bo *bo);
void igen_bo_vunmap(struct igen_bo *bo);
long igen_wait_resv(struct igen_device *igen, struct dma_resv *resv, enum dma_resv_usage usage, bool intr,
		    long timeout);
long igen_bo_wait(struct igen_bo *bo, bool all, bool intr, long timeout);
struct igen_vma *igen_bo_next_bound(struct igen_bo *bo, struct igen_vma *vma);
int igen_bo_unbind_all(struct igen_bo *bo, bool intr);
void igen_bo_zap_mmaps(struct igen_bo *bo);
void igen_bo_zap_aperture(struct igen_bo *bo);
void igen_bo_flush_cpu(struct igen_bo *bo);

/* bo locked, pages pinned: what the CPU wrote is seen by the GPU. */
static inline void igen_bo_prepare_gpu(struct igen_bo *bo)
{
	if (unlikely(bo->cpu_dirty && !igen_bo_is_coherent(bo))) {
		igen_bo_flush_cpu(bo);
		bo->cpu_dirty = false;
	}
}

bool igen_bo_has_requests(struct igen_bo *bo);
int igen_bo_wait_requests(struct igen_bo *bo);
void igen_bo_free_object(struct drm_gem_object *obj);	/* drm_gem_object_funcs.free */
bool igen_bo_free_list(struct igen_device *igen);

void igen_bo_update_shrink(struct igen_bo *bo);

#endif
