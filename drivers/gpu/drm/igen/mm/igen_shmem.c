// SPDX-License-Identifier: MIT
/**
 * DOC: Objects in shared memory
 *
 * An object that userspace creates has a shmem file. The object holds the file's pages until the shrinker gives them
 * back; then the kernel may swap them out. Allocation of pages tries hard, but does not wake the OOM killer. It also
 * leaves enough memory that no other allocation has to wake it. A client that asks for too much gets -ENOMEM. The first
 * half of what is left (igen_reserve()) is for processes that have few pages: one that fills memory must not keep
 * others from making small objects.
 *
 * Where huge pages pay (igen_page_sizes.c), the files lie in a tmpfs of the device's own. It is mounted so that large
 * files get huge pages, whatever the system's setting for shared memory is. Otherwise the files lie in the kernel's own
 * mount.
 */
#include <drm/drm_print.h>
#include <linux/blk_types.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/swap.h>

#include "../igen_compat.h"
#include "../igen_device.h"
#include "../igen_trace.h"
#include "igen_bo.h"
#include "igen_bo_cache.h"
#include "igen_budget.h"

/* Is enough left when an object takes so many new pages? Its client has to leave more, the more it has. */
static bool shmem_can_spare(const struct igen_bo *bo, unsigned long pages)
{
	unsigned long wanted = igen_budget_wanted_left(bo->budget, bo->counted ? 0 : pages), reserve = igen_reserve();
	long left = si_mem_available() + get_nr_swap_pages() - pages;

	return left >= (long)min(reserve, reserve / 2 + wanted);
}

/*
 * Is there enough memory and swap that an object may take new pages? The pages belong to no process. If objects took
 * the last memory, the next page fault of any process would wake the OOM killer, and it could only kill processes that
 * have little. Pages that the object already has, in memory or in swap, are not counted.
 */
static bool shmem_leaves_enough(struct igen_bo *bo)
{
	unsigned long there = file_inode(bo->base.filp)->i_blocks >> (PAGE_SHIFT - SECTOR_SHIFT);
	unsigned long all = bo->base.size >> PAGE_SHIFT;

	return there >= all || shmem_can_spare(bo, all - there);
}

/* Some pages may stay in the file when others cannot be had. So the object counts from the first attempt on. */
static void shmem_count(struct igen_bo *bo)
{
	if (!bo->counted)
		igen_budget_add_pages(bo->budget, bo->base.size >> PAGE_SHIFT);
	bo->counted = true;
}

static void shmem_uncount(struct igen_bo *bo)
{
	if (bo->counted)
		igen_budget_add_pages(bo->budget, -(long)(bo->base.size >> PAGE_SHIFT));
	bo->counted = false;
}

/* The object counts before the driver looks, so that what comes at the same time in other objects counts, too. */
static struct page **shmem_read_pages(struct igen_bo *bo)
{
	bool counted = bo->counted;

	shmem_count(bo);
	if (shmem_leaves_enough(bo))
		return drm_gem_get_pages(&bo->base);
	if (!counted)
		shmem_uncount(bo);
	return ERR_PTR(-ENOMEM);
}

/* The pages were zeroed through the CPU's caches. */
static void shmem_flush_zeroes(struct igen_bo *bo)
{
	bo->cpu_dirty = true;
	if (!igen_bo_is_coherent(bo)) {
		igen_bo_flush_cpu(bo);
		/* A client may be writing through a mapping of a dma-buf, which outlives the object's pages. */
		bo->cpu_dirty = bo->write_domain == I915_GEM_DOMAIN_CPU;
	}
}

static int shmem_get_pages(struct igen_bo *bo)
{
	struct igen_device *igen = to_igen(bo->base.dev);
	unsigned long n = bo->base.size >> PAGE_SHIFT;
	struct page **list;
	int err;

	/* Fail at once if the object can't fit into memory, instead of swapping out everything else first. */
	if (n > totalram_pages())
		return -ENOMEM;

	list = shmem_read_pages(bo);
	if (list == ERR_PTR(-ENOMEM) && igen_bo_caches_drain(igen, ULONG_MAX))
		list = shmem_read_pages(bo);
	if (list == ERR_PTR(-ENOMEM)) {
		igen_shrink(igen, n, IGEN_SHRINK_ACTIVE);
		list = shmem_read_pages(bo);
	}
	if (IS_ERR(list))
		return PTR_ERR(list);

	err = igen_bo_map_pages(bo, list);
	if (err) {
		drm_gem_put_pages(&bo->base, list, false, false);
		return err;
	}

	shmem_flush_zeroes(bo);
	return 0;
}

static void shmem_put_pages(struct igen_bo *bo)
{
	struct page **list = bo->page_list;

	/* The GPU has written past the CPU's caches. Stale lines must not hide this from the page's next user. */
	if (!igen_bo_is_coherent(bo))
		igen_bo_flush_cpu(bo);
	igen_bo_unmap_pages(bo);
	drm_gem_put_pages(&bo->base, list, !bo->madv, !bo->madv);
}

static void shmem_truncate(struct igen_bo *bo)
{
	shmem_truncate_range(file_inode(bo->base.filp), 0, (loff_t)-1);
	shmem_uncount(bo);
}

static const struct igen_bo_ops shmem_ops = {
	.name = "shmem",
	.release = shmem_uncount,
	.shrinkable = true,
	.mmap_types = IGEN_MMAP_SYSTEM,
	.get_pages = shmem_get_pages,
	.put_pages = shmem_put_pages,
	.truncate = shmem_truncate,
};

/**
 * igen_shmem_has_room - ask whether memory has room for an object's pages
 * @bo: any object
 *
 * Return: false when the object is in shared memory and memory and swap have no room for its pages.
 */
bool igen_shmem_has_room(struct igen_bo *bo)
{
	return bo->ops != &shmem_ops || (bo->base.size >> PAGE_SHIFT <= totalram_pages() && shmem_leaves_enough(bo));
}

/**
 * igen_bo_is_shmem - tell whether an object is in shared memory
 * @bo: the object
 *
 * Return: true for what igen_bo_create_shmem() has made.
 */
bool igen_bo_is_shmem(const struct igen_bo *bo)
{
	return bo->ops == &shmem_ops;
}

/* Snooping costs time where no cache is shared, so a client has to ask for it (I915_CACHING_CACHED). */
static enum igen_cache_level shmem_cache_level(const struct igen_device *igen)
{
	return igen->platform->objects_snooped ? IGEN_CACHE_COHERENT : IGEN_CACHE_NONE;
}

/**
 * igen_shmem_set_aside - has an object be kept for igen_shmem_renew()
 * @bo: an object in shared memory that no client knows, locked
 *
 * Its pages do not count for the client, and the shrinker may take them.
 */
void igen_shmem_set_aside(struct igen_bo *bo)
{
	shmem_uncount(bo);
	bo->madv = I915_MADV_DONTNEED;
	igen_bo_update_shrink(bo);
}

/* Clears the pages; or gives them back, as new ones would be refused. */
static void shmem_renew_pages(struct igen_bo *bo)
{
	unsigned long n;

	shmem_count(bo);
	if (!shmem_can_spare(bo, 0)) {
		igen_bo_put_pages(bo);
		shmem_truncate(bo);
		return;
	}
	for (n = 0; n < bo->base.size >> PAGE_SHIFT; n++)
		clear_highpage(bo->page_list[n]);
	shmem_flush_zeroes(bo);
}

/**
 * igen_shmem_renew - makes an object such as igen_bo_create_shmem() returns
 * @bo: an object of igen_shmem_set_aside() that no address space has, locked
 *
 * Its pages, if it still has them, are cleared and stay, unless the client may not have so many now. The object's place
 * in the device file's offsets stays, too.
 */
void igen_shmem_renew(struct igen_bo *bo)
{
	trace_i915_gem_object_destroy(bo);
	bo->cache_level = shmem_cache_level(to_igen(bo->base.dev));
	bo->read_domains = 0;
	bo->write_domain = 0;
	bo->tiling = I915_TILING_NONE;
	bo->stride = 0;
	if (bo->pages)
		shmem_renew_pages(bo);
	bo->madv = I915_MADV_WILLNEED;
	bo->purged = false;
	igen_bo_update_shrink(bo);
	trace_i915_gem_object_create(bo);
}

/**
 * igen_shmem_init - mount a tmpfs with huge pages for the device's objects, if huge pages pay
 * @igen: the device
 *
 * Undone by igen_shmem_fini(). A kernel without huge pages in tmpfs is no error.
 */
void igen_shmem_init(struct igen_device *igen)
{
	/* The parser of mount options writes into it. */
	char options[] = "huge=within_size";
	struct file_system_type *type;
	struct vfsmount *mount;

	if (!igen_page_sizes_want_huge(igen))
		return;
	type = get_fs_type("tmpfs");
	if (!type)
		return;
	mount = vfs_kern_mount(type, SB_KERNMOUNT, type->name, options);
	if (IS_ERR(mount))
		drm_dbg(&igen->drm, "no huge pages for objects: tmpfs says %pe\n", mount);
	else
		igen->mm.shmem_mount = mount;
}

/**
 * igen_shmem_fini - undoes igen_shmem_init()
 * @igen: the device; files that are still open keep the mount
 */
void igen_shmem_fini(struct igen_device *igen)
{
	if (igen->mm.shmem_mount)
		kern_unmount(igen->mm.shmem_mount);
	igen->mm.shmem_mount = NULL;
}

/**
 * igen_bo_create_shmem - an object for userspace
 * @igen: the device
 * @size: bytes, a multiple of 4096, not 0
 *
 * Its pages come when they are first needed, zeroed.
 *
 * Return: the object with one reference, or ERR_PTR(-EINVAL, -E2BIG, -ENOMEM).
 */
struct igen_bo *igen_bo_create_shmem(struct igen_device *igen, u64 size)
{
	struct igen_bo *bo;
	struct file *filp;

	bo = igen_bo_alloc(igen, &shmem_ops, size);
	if (IS_ERR(bo))
		return bo;
	bo->cache_level = shmem_cache_level(igen);

	if (igen->mm.shmem_mount)
		filp = shmem_file_setup_with_mnt(igen->mm.shmem_mount, "igen", size, IGEN_SHMEM_NORESERVE);
	else
		filp = shmem_file_setup("igen", size, IGEN_SHMEM_NORESERVE);
	if (IS_ERR(filp)) {
		igen_bo_put(bo);
		/* shmem of 6.1 says -ENOSPC when there is no memory for the inode. Nothing else is limited here. */
		return filp == ERR_PTR(-ENOSPC) ? ERR_PTR(-ENOMEM) : ERR_CAST(filp);
	}
	mapping_set_gfp_mask(filp->f_mapping, GFP_HIGHUSER | __GFP_RECLAIMABLE | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	bo->base.filp = filp;

	return bo;
}
