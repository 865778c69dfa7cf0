/* SPDX-License-Identifier: MIT */
/*
 * DOC: Buffer objects
 *
 * A GEM object with a page provider. Pages come lazily as an sg_table and stay while pinned or bound; the
 * object's reservation lock guards them, its list of VMAs and its tiling. Activity is what the reservation object's
 * fences say: unbinding and freeing wait for them, so a request holds no references to objects.
 */
#ifndef _IGEN_BO_H_
#define _IGEN_BO_H_

#include <drm/drm_gem.h>
#include <linux/dma-resv.h>
#include <linux/scatterlist.h>

struct igen_bo;
struct igen_device;
struct igen_vm;
struct igen_vma;

/** struct igen_bo_ops - a page provider */
struct igen_bo_ops {
	/** @name: "shmem", "userptr", "dmabuf", "stolen", "internal" */
	const char *name;
	/** @get_pages: fills bo->pages with DMA-mapped pages; bo locked; may sleep; -errno */
	int (*get_pages)(struct igen_bo *bo);
	/** @put_pages: gives them back; nothing maps them any more */
	void (*put_pages)(struct igen_bo *bo);
	/** @release: last reference gone; may be NULL */
	void (*release)(struct igen_bo *bo);
};

/** enum igen_cache_level - I915_CACHING_* */
enum igen_cache_level {
	IGEN_CACHE_NONE,
	IGEN_CACHE_LLC,
	IGEN_CACHE_DISPLAY,
};

/**
 * struct igen_bo - buffer object
 */
struct igen_bo {
	/** @base: the GEM object; its resv is the object's lock */
	struct drm_gem_object base;
	/** @ops: where pages come from */
	const struct igen_bo_ops *ops;
	/** @pages: DMA-mapped pages or NULL; under resv */
	struct sg_table *pages;
	/** @pages_pin: users of @pages (VMAs bound, CPU maps, PRIME); under resv */
	unsigned int pages_pin;
	/** @vaddr: kernel mapping or NULL, under resv; see igen_bo_vmap() */
	void *vaddr;
	/** @vmap_count: users of @vaddr, under resv */
	unsigned int vmap_count;
	/** @vmas: all VMAs of the object, under @vma_lock */
	struct list_head vmas;
	/** @luts: handle table entries of contexts that name a VMA of this object, under @vma_lock */
	struct list_head luts;
	/** @vma_lock: guards @vmas and @luts; a leaf */
	spinlock_t vma_lock;
	/** @cache_level: how the GPU caches it, under resv */
	enum igen_cache_level cache_level;
	/** @tiling: I915_TILING_*, under resv */
	u8 tiling;
	/** @stride: bytes a row when tiled, under resv */
	u32 stride;
	/** @madv: I915_MADV_*, under resv */
	u8 madv;
	/** @purged: its pages were taken after DONTNEED, under resv */
	bool purged;
	/** @read_only: the GPU may not write it (userptr) */
	bool read_only;
	/** @read_domains: as set_domain left them, under resv */
	u32 read_domains;
	/** @write_domain: likewise */
	u32 write_domain;
	/** @mmap: the mmap_offset nodes by type, under resv; see igen_mman.c */
	struct igen_mmap_offset *mmap[5];
	/** @free_node: link in igen_device.free_list */
	struct llist_node free_node;
	/** @provider: private to @ops */
	void *provider;
};

static inline struct igen_bo *to_igen_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct igen_bo, base);
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

/* size: bytes, a multiple of 4096, > 0. ERR_PTR(-E2BIG, -EINVAL, -ENOMEM). Zero-filled when first used. */
struct igen_bo *igen_bo_create_shmem(struct igen_device *igen, u64 size);
/* For the driver's own use (rings, context images, HWSP): unswappable pages, zeroed, never given to userspace. */
struct igen_bo *igen_bo_create_internal(struct igen_device *igen, u64 size);

static inline int igen_bo_lock(struct igen_bo *bo)
{
	return dma_resv_lock(bo->base.resv, NULL);
}

static inline void igen_bo_unlock(struct igen_bo *bo)
{
	dma_resv_unlock(bo->base.resv);
}

/* bo locked; may sleep. Each successful pin needs an unpin. -EFAULT when purged. */
int igen_bo_pin_pages(struct igen_bo *bo);
void igen_bo_unpin_pages(struct igen_bo *bo);
/* bo locked. A write-back kernel mapping of the whole object; ERR_PTR. */
void *igen_bo_vmap(struct igen_bo *bo);
void igen_bo_vunmap(struct igen_bo *bo);
/* Waits for all fences (write: only when !all readers too); timeout in jiffies; >= 0 remaining, -ETIME, -ERESTARTSYS. */
long igen_bo_wait(struct igen_bo *bo, bool all, bool intr, long timeout);
/* bo locked: unbinds from every address space, waiting for activity; -ERESTARTSYS, -EBUSY when pinned. */
int igen_bo_unbind_all(struct igen_bo *bo, bool intr);

/* Called once from the driver's init and exit. */
void igen_bo_init_device(struct igen_device *igen);
void igen_bo_fini_device(struct igen_device *igen);	/* drains the free list */
void igen_bo_free_object(struct drm_gem_object *obj);	/* drm_gem_object_funcs.free */

#endif
