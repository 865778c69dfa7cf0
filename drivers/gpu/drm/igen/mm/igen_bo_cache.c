// SPDX-License-Identifier: MIT
/**
 * DOC: Closed objects that serve again
 *
 * A new object in shared memory needs a file with inode and dentry, a page that is cleared twice, and a DMA mapping;
 * the end of an object undoes all of this. That took two thirds of the instructions of a client that makes a small
 * object, writes it, and closes it. So a client keeps some of the small objects that it has closed, with their pages
 * and mappings, and its next object of the same size is one of them.
 *
 * An object is kept only if nothing knows it but the handle that is being closed (cache_is_alone()): the memory of one
 * that has been exported, or whose file was mapped, may still be read or written by way of what is not the object's.
 * The pages are cleared before the client gets the object again (igen_shmem_renew()). They never serve another client:
 * the cache belongs to one open file.
 *
 * A kept object is one that the client does not need (I915_MADV_DONTNEED). So the shrinker takes its pages before it
 * takes any that are in use. The object stays charged to the client, and its pages count for the client. The cache
 * gives all objects back when the GPU has nothing to do, when a client was refused memory, and when the file is closed.
 */
#include <linux/kconfig.h>
#include <linux/sizes.h>
#include <uapi/drm/i915_drm.h>

#include "../igen_device.h"
#include "igen_bo.h"
#include "igen_bo_cache.h"
#include "igen_mm.h"

/* KASAN finds the use of a freed object only when its memory goes back to the slab. */
#define MOST_KEPT	(IS_ENABLED(CONFIG_KASAN) ? 0 : 32)
/* So a client keeps 2 MB at most. To clear a large object costs about as much as to make one. */
#define LARGEST_KEPT	SZ_64K

/**
 * igen_bo_cache_init - a cache without objects
 * @cache: the client's
 */
void igen_bo_cache_init(struct igen_bo_cache *cache)
{
	spin_lock_init(&cache->lock);
	INIT_LIST_HEAD(&cache->closed);
	cache->num = 0;
	cache->most = MOST_KEPT;
}

/*
 * Tells whether nothing but the handle that is being closed has the object. The handle has left the file's table and
 * its mapping offsets, so no new reference can come from there. Whatever makes a name, a dma-buf or another handle has
 * a reference meanwhile. These stay until the last handle is closed, so they can be seen once that reference is gone.
 */
static bool cache_is_alone(const struct igen_bo *bo)
{
	const struct drm_gem_object *obj = &bo->base;

	if (kref_read(&obj->refcount) != 1)
		return false;
	/* Pairs with the release in the kref_put() that ended another reference. */
	smp_rmb();
	return READ_ONCE(obj->handle_count) == 1 && !READ_ONCE(obj->name) && !READ_ONCE(obj->dma_buf) &&
	       !READ_ONCE(bo->file_mapped);
}

/* Does nothing but its pages and its mapping offsets make a locked object differ from a new one? */
static bool cache_may_keep(const struct igen_bo *bo)
{
	return !bo->ggtt_vmas && RB_EMPTY_ROOT(&bo->vmas) && list_empty(&bo->luts) &&
	       !bo->tail && !bo->pages_pin && dma_resv_test_signaled(bo->base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/**
 * igen_bo_cache_put - keeps an object whose handle is being closed, if that can be
 * @cache: the cache of the file whose handle it is
 * @bo: the object, whose handle has left the file's table, and which still has the handle's reference
 * @budget: the file's budget; an object that is charged to another one is not kept
 *
 * Context: may sleep.
 */
void igen_bo_cache_put(struct igen_bo_cache *cache, struct igen_bo *bo, const struct igen_budget *budget)
{
	struct igen_bo *dropped = NULL;
	bool keep;

	if (!READ_ONCE(cache->most) || !igen_bo_is_shmem(bo) || bo->base.size > LARGEST_KEPT || bo->budget != budget ||
	    !cache_is_alone(bo) || !dma_resv_trylock(bo->base.resv))
		return;
	keep = cache_may_keep(bo);
	if (keep) {
		bo->madv = I915_MADV_DONTNEED;
		igen_bo_update_shrink(bo);
		igen_bo_get(bo);
	}
	igen_bo_unlock(bo);
	if (!keep)
		return;

	spin_lock(&cache->lock);
	list_add(&bo->cache_link, &cache->closed);
	if (++cache->num > cache->most) {
		dropped = list_last_entry(&cache->closed, struct igen_bo, cache_link);
		list_del(&dropped->cache_link);
		cache->num--;
	}
	spin_unlock(&cache->lock);
	igen_bo_put(dropped);
}

/* Takes out an object whose pages no TLB knows any more: until then the client's batches may still write them. */
static struct igen_bo *cache_take(struct igen_bo_cache *cache, u64 size)
{
	struct igen_bo *bo;

	list_for_each_entry(bo, &cache->closed, cache_link) {
		if (bo->base.size == size && igen_tlb_passed(to_igen(bo->base.dev), READ_ONCE(bo->tlb_mark))) {
			list_del(&bo->cache_link);
			cache->num--;
			return bo;
		}
	}
	return NULL;
}

/**
 * igen_bo_cache_get - takes an object that is as new
 * @cache: the cache of the file that wants it
 * @size: bytes, exactly
 *
 * Return: the object with one reference, charged to the file's budget; or NULL.
 * Context: may sleep.
 */
struct igen_bo *igen_bo_cache_get(struct igen_bo_cache *cache, u64 size)
{
	struct igen_bo *bo;

	if (size > LARGEST_KEPT)
		return NULL;
	spin_lock(&cache->lock);
	bo = cache_take(cache, size);
	spin_unlock(&cache->lock);
	if (bo) {
		igen_bo_lock(bo);
		igen_shmem_renew(bo);
		igen_bo_unlock(bo);
	}
	return bo;
}

/**
 * igen_bo_cache_drain - free all objects of a cache
 * @cache: the cache of a client that the caller holds, or that is going
 *
 * Context: may sleep.
 */
void igen_bo_cache_drain(struct igen_bo_cache *cache)
{
	struct igen_bo *bo, *next;
	LIST_HEAD(unwanted);

	spin_lock(&cache->lock);
	list_splice_init(&cache->closed, &unwanted);
	cache->num = 0;
	spin_unlock(&cache->lock);
	list_for_each_entry_safe(bo, next, &unwanted, cache_link)
		igen_bo_put(bo);
}

/**
 * igen_bo_cache_close - have a cache keep nothing any more
 * @cache: the cache of a client whose file is closed
 *
 * Context: may sleep.
 */
void igen_bo_cache_close(struct igen_bo_cache *cache)
{
	spin_lock(&cache->lock);
	cache->most = 0;
	spin_unlock(&cache->lock);
	igen_bo_cache_drain(cache);
}
