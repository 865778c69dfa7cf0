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
 * What is kept is little, and not for long: 64 KB for each open file, and no longer than two seconds after the client
 * has closed or made such an object (cache_age()). It does not count when the driver compares what processes have
 * (igen_shmem.c). It goes first when memory is short, all of it when an object would get no pages or a client was
 * refused memory, and with the file.
 */
#include <linux/kconfig.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <uapi/drm/i915_drm.h>

#include "../igen_device.h"
#include "igen_bo.h"
#include "igen_bo_cache.h"
#include "igen_mm.h"

/* Pages of a client. KASAN finds the use of a freed object only when its memory goes back to the slab. */
#define MOST_PAGES	(IS_ENABLED(CONFIG_KASAN) ? 0 : 16)
/* To clear a larger object costs about as much as to make one. */
#define LARGEST_KEPT	SZ_16K

/**
 * igen_bo_cache_init - a cache without objects
 * @cache: the client's
 */
void igen_bo_cache_init(struct igen_bo_cache *cache)
{
	INIT_LIST_HEAD(&cache->link);
	INIT_LIST_HEAD(&cache->closed);
	cache->pages = 0;
	cache->most = MOST_PAGES;
	cache->used = false;
}

/*
 * Tells whether nothing but the handle that is being closed has the object. The handle has left the file's table, and
 * the file may not map the object any more, so no new reference comes from there but one that is dropped unused
 * (mmap_lookup() in uapi/igen_gem_mman.c). Whatever makes a name, a dma-buf or another handle has
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

/*
 * Does nothing but its pages and its mapping offsets make a locked object differ from a new one? One whose pages the
 * shrinker has taken has its content in the file, perhaps in swap.
 */
static bool cache_may_keep(const struct igen_bo *bo)
{
	return !bo->ggtt_vmas && RB_EMPTY_ROOT(&bo->vmas) && list_empty(&bo->luts) && !bo->tail && !bo->pages_pin &&
	       (bo->pages || !bo->counted) && dma_resv_test_signaled(bo->base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/* Moves an object to another list. closed_lock is held. */
static void cache_remove(struct igen_bo_cache *cache, struct igen_bo *bo, struct list_head *to)
{
	list_move(&bo->cache_link, to);
	cache->pages -= bo->base.size >> PAGE_SHIFT;
	if (list_empty(&cache->closed))
		list_del_init(&cache->link);
}

/* Moves all objects to another list. closed_lock is held. */
static void cache_move_all(struct igen_bo_cache *cache, struct list_head *to)
{
	list_splice_init(&cache->closed, to);
	cache->pages = 0;
	list_del_init(&cache->link);
}

/* Ends objects that have left their cache. */
static void cache_put_all(struct list_head *unwanted)
{
	struct igen_bo *bo, *next;

	list_for_each_entry_safe(bo, next, unwanted, cache_link) {
		igen_bo_put(bo);
		cond_resched();
	}
	INIT_LIST_HEAD(unwanted);
}

/* Readies an object to be kept, with a reference. An object that is locked, if only by the shrinker, is not kept. */
static bool cache_set_aside(struct igen_bo *bo)
{
	bool keep;

	if (!dma_resv_trylock(bo->base.resv))
		return false;
	keep = cache_may_keep(bo);
	if (keep) {
		igen_shmem_set_aside(bo);
		igen_bo_get(bo);
	}
	igen_bo_unlock(bo);
	return keep;
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
	struct igen_device *igen = to_igen(bo->base.dev);
	struct igen_mm *mm = &igen->mm;
	LIST_HEAD(unwanted);

	if (!READ_ONCE(cache->most) || !igen_bo_is_shmem(bo) || bo->base.size > LARGEST_KEPT || bo->budget != budget ||
	    !cache_is_alone(bo) || !cache_set_aside(bo))
		return;

	spin_lock(&mm->closed_lock);
	list_add(&bo->cache_link, &cache->closed);
	cache->pages += bo->base.size >> PAGE_SHIFT;
	cache->used = true;
	if (list_empty(&mm->closed_caches))
		queue_delayed_work(igen->wq, &mm->closed_work, HZ);
	if (list_empty(&cache->link))
		list_add_tail(&cache->link, &mm->closed_caches);
	while (cache->pages > cache->most)
		cache_remove(cache, list_last_entry(&cache->closed, struct igen_bo, cache_link), &unwanted);
	spin_unlock(&mm->closed_lock);
	cache_put_all(&unwanted);
}

/* Takes out an object whose pages no TLB knows any more: until then the client's batches may still write them. */
static struct igen_bo *cache_take(struct igen_device *igen, struct igen_bo_cache *cache, u64 size)
{
	LIST_HEAD(taken);
	struct igen_bo *bo;

	list_for_each_entry(bo, &cache->closed, cache_link) {
		if (bo->base.size == size && igen_tlb_passed(igen, READ_ONCE(bo->tlb_mark))) {
			cache_remove(cache, bo, &taken);
			list_del(&bo->cache_link);
			cache->used = true;
			return bo;
		}
	}
	return NULL;
}

/**
 * igen_bo_cache_get - takes an object that is as new
 * @igen: the device
 * @cache: the cache of the file that wants it
 * @size: bytes, exactly
 *
 * Return: the object with one reference, charged to the file's budget; or NULL.
 * Context: may sleep.
 */
struct igen_bo *igen_bo_cache_get(struct igen_device *igen, struct igen_bo_cache *cache, u64 size)
{
	struct igen_bo *bo;

	if (size > LARGEST_KEPT)
		return NULL;
	spin_lock(&igen->mm.closed_lock);
	bo = cache_take(igen, cache, size);
	spin_unlock(&igen->mm.closed_lock);
	if (bo) {
		igen_bo_lock(bo);
		igen_shmem_renew(bo);
		igen_bo_unlock(bo);
	}
	return bo;
}

/**
 * igen_bo_cache_empty - free the objects of a client
 * @igen: the device
 * @cache: the client's
 *
 * Return: false when there were none.
 * Context: may sleep.
 */
bool igen_bo_cache_empty(struct igen_device *igen, struct igen_bo_cache *cache)
{
	LIST_HEAD(unwanted);
	bool any;

	spin_lock(&igen->mm.closed_lock);
	cache_move_all(cache, &unwanted);
	spin_unlock(&igen->mm.closed_lock);
	any = !list_empty(&unwanted);
	cache_put_all(&unwanted);
	return any;
}

/**
 * igen_bo_cache_close - have a cache keep nothing any more
 * @igen: the device
 * @cache: the cache of a client whose file is closed
 *
 * Context: may sleep.
 */
void igen_bo_cache_close(struct igen_device *igen, struct igen_bo_cache *cache)
{
	spin_lock(&igen->mm.closed_lock);
	WRITE_ONCE(cache->most, 0);
	spin_unlock(&igen->mm.closed_lock);
	igen_bo_cache_empty(igen, cache);
}

/*
 * What a client has not needed since the last time goes. There may be as many caches as open files, so others get the
 * lock in between.
 */
static void cache_age(struct work_struct *work)
{
	struct igen_mm *mm = container_of(to_delayed_work(work), struct igen_mm, closed_work);
	struct igen_device *igen = container_of(mm, struct igen_device, mm);
	struct igen_bo_cache *cache;
	LIST_HEAD(unwanted);
	LIST_HEAD(caches);

	spin_lock(&mm->closed_lock);
	list_splice_init(&mm->closed_caches, &caches);
	while (!list_empty(&caches)) {
		cache = list_first_entry(&caches, struct igen_bo_cache, link);
		if (cache->used)
			list_move_tail(&cache->link, &mm->closed_caches);
		else
			cache_move_all(cache, &unwanted);
		cache->used = false;
		cond_resched_lock(&mm->closed_lock);
	}
	if (!list_empty(&mm->closed_caches))
		queue_delayed_work(igen->wq, &mm->closed_work, HZ);
	spin_unlock(&mm->closed_lock);
	cache_put_all(&unwanted);
}

/* The last fput() of an object's file comes later, and the file has the pages until then. */
static unsigned long cache_take_pages(struct igen_bo *bo)
{
	unsigned long pages = 0;

	if (!dma_resv_trylock(bo->base.resv))
		return 0;
	if (bo->pages) {
		igen_bo_put_pages(bo);
		bo->ops->truncate(bo);
		pages = bo->base.size >> PAGE_SHIFT;
	}
	igen_bo_unlock(bo);
	return pages;
}

/**
 * igen_bo_caches_drain - free objects that clients have closed
 * @igen: the device
 * @pages: how many pages are wanted, ULONG_MAX for all; whole caches are emptied until there are as many
 *
 * What clients close meanwhile stays.
 *
 * Return: how many pages were freed: fewer than wanted where objects have none, or the shrinker has them.
 * Context: may sleep; may be called from reclaim, and with other objects locked.
 */
unsigned long igen_bo_caches_drain(struct igen_device *igen, unsigned long pages)
{
	struct igen_mm *mm = &igen->mm;
	unsigned long found = 0, freed = 0;
	struct igen_bo_cache *cache;
	LIST_HEAD(unwanted);
	LIST_HEAD(caches);
	struct igen_bo *bo;

	spin_lock(&mm->closed_lock);
	list_splice_init(&mm->closed_caches, &caches);
	while (!list_empty(&caches) && found < pages) {
		cache = list_first_entry(&caches, struct igen_bo_cache, link);
		found += cache->pages;
		cache_move_all(cache, &unwanted);
		cond_resched_lock(&mm->closed_lock);
	}
	list_splice(&caches, &mm->closed_caches);
	spin_unlock(&mm->closed_lock);
	list_for_each_entry(bo, &unwanted, cache_link) {
		freed += cache_take_pages(bo);
		cond_resched();
	}
	cache_put_all(&unwanted);
	return freed;
}

/**
 * igen_bo_caches_init - there are no closed objects
 * @igen: the device
 */
void igen_bo_caches_init(struct igen_device *igen)
{
	spin_lock_init(&igen->mm.closed_lock);
	INIT_LIST_HEAD(&igen->mm.closed_caches);
	INIT_DELAYED_WORK(&igen->mm.closed_work, cache_age);
}
