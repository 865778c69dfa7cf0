// SPDX-License-Identifier: MIT
/**
 * DOC: The shrinker
 *
 * When memory is short the kernel asks the driver to give pages back. Objects with pages are on one of two lists:
 * purgeable objects, whose content userspace does not need (these go first), and objects whose content can go to swap,
 * if there is any. Objects that clients have closed and may get again are purgeable, and they go as a whole.
 *
 * Direct reclaim may run in a task that holds any lock of the driver. So the shrinker only tries objects' locks and
 * address spaces' mutexes, and passes over busy objects instead of waiting for the GPU. When an allocation of pages for
 * an object fails, the driver calls igen_shrink() itself, and that may wait.
 */
#include <linux/mm.h>
#include <linux/shrinker.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include "../igen_compat.h"
#include "../igen_device.h"
#include "../igen_trace.h"
#include "igen_bo.h"
#include "igen_bo_cache.h"
#include "igen_mm.h"
#include "igen_vm.h"

/* How many objects in a row one call may find unusable before it gives up. */
#define MAX_SKIPS 512

/* How long one call waits for the GPU at most, for all objects together: its caller has an object locked. */
#define MAX_WAIT HZ

/**
 * igen_bo_update_shrink - put an object on the shrinker's list where it belongs
 * @bo: the object, locked; its pages or its madvise state changed
 *
 * Bound objects are listed as well, since the shrinker unbinds them. The shrinker checks for pins by the CPU later.
 */
void igen_bo_update_shrink(struct igen_bo *bo)
{
	struct igen_mm *mm = &to_igen(bo->base.dev)->mm;
	unsigned long n = bo->base.size >> PAGE_SHIFT;
	bool on;

	if (!bo->ops->shrinkable)
		return;

	spin_lock(&mm->shrink_lock);
	on = !list_empty(&bo->shrink_link);
	if (bo->pages) {
		list_move_tail(&bo->shrink_link, bo->madv || bo->ops->discardable ? &mm->purge_list : &mm->shrink_list);
		if (!on)
			mm->shrink_pages += n;
	} else if (on) {
		list_del_init(&bo->shrink_link);
		mm->shrink_pages -= n;
	}
	spin_unlock(&mm->shrink_lock);
}

static bool shrinker_bo_is_idle(struct igen_bo *bo)
{
	return dma_resv_test_signaled(bo->base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/* Unbinds a VMA without waiting for any lock. */
static bool shrinker_try_unbind(struct igen_vma *vma)
{
	struct igen_vm *vm = vma->vm;
	bool done;

	if (!vma->bound)
		return true;
	/* Entries of such a GGTT are written with the lock of CPU hotplug held, whose holders may wait for memory. */
	if (vm->is_ggtt && vm->igen->ggtt.exclusive && current->flags & PF_MEMALLOC)
		return false;
	if (!mutex_trylock(&vm->mutex))
		return false;
	done = !vma->pin_count;
	if (done)
		igen_vma_unbind_locked(vma);
	mutex_unlock(&vm->mutex);
	return done;
}

/* bo locked and idle. */
static bool shrinker_try_unbind_all(struct igen_bo *bo)
{
	struct igen_vma *vma;

	igen_for_each_ggtt_vma(vma, bo)
		if (!shrinker_try_unbind(vma))
			return false;
	for (vma = igen_bo_next_bound(bo, NULL); vma; vma = igen_bo_next_bound(bo, vma))
		if (!shrinker_try_unbind(vma))
			return false;
	return true;
}

/* Takes an object's pages: bo locked. */
static bool shrinker_take_pages(struct igen_bo *bo)
{
	if (!bo->pages || !shrinker_bo_is_idle(bo) || bo->vmap_count || !shrinker_try_unbind_all(bo) || bo->pages_pin)
		return false;

	igen_bo_put_pages(bo);
	if (bo->madv && bo->ops->truncate) {
		bo->ops->truncate(bo);
		bo->purged = true;
	}
	return true;
}

/*
 * Walks a list at most once. The walk moves each object to the list's end before it looks at the object, so that
 * several walks can run at the same time.
 */
static unsigned long shrinker_walk_list(struct igen_device *igen, struct list_head *list, unsigned long target,
					bool wait)
{
	struct igen_mm *mm = &igen->mm;
	struct igen_bo *bo, *first = NULL;
	unsigned long end = jiffies + MAX_WAIT;
	unsigned long freed = 0;
	unsigned int skips = 0;
	long left;

	while (freed < target && skips < MAX_SKIPS) {
		spin_lock(&mm->shrink_lock);
		bo = list_first_entry_or_null(list, struct igen_bo, shrink_link);
		if (bo && bo != first) {
			list_move_tail(&bo->shrink_link, list);
			if (!first)
				first = bo;
			if (!kref_get_unless_zero(&bo->base.refcount)) {
				spin_unlock(&mm->shrink_lock);
				skips++;
				continue;
			}
		} else {
			bo = NULL;
		}
		spin_unlock(&mm->shrink_lock);
		if (!bo)
			break;

		left = (long)(end - jiffies);
		if (wait && left > 0 && !shrinker_bo_is_idle(bo))
			dma_resv_wait_timeout(bo->base.resv, DMA_RESV_USAGE_BOOKKEEP, true, left);
		if (dma_resv_trylock(bo->base.resv)) {
			if (shrinker_take_pages(bo)) {
				freed += bo->base.size >> PAGE_SHIFT;
				if (first == bo)
					first = NULL;
			} else {
				skips++;
			}
			igen_bo_unlock(bo);
		} else {
			skips++;
		}
		igen_bo_put(bo);
		if (wait && signal_pending(current))
			break;
		cond_resched();
	}
	return freed;
}

/* Content that userspace still needs can only go to swap. Without swap the pages would stay in shared memory. */
static bool shrinker_can_swap(void)
{
	return get_nr_swap_pages() > 0;
}

/**
 * igen_shrink - gives pages back
 * @igen: the device
 * @pages: how many are wanted
 * @flags: IGEN_SHRINK_ACTIVE, IGEN_SHRINK_UNSWAPPABLE
 *
 * May be called with an object locked, and from reclaim without IGEN_SHRINK_ACTIVE. May sleep.
 *
 * Takes closed objects first, and then the pages of idle objects.
 *
 * Return: how many were given back.
 */
unsigned long igen_shrink(struct igen_device *igen, unsigned long pages, unsigned int flags)
{
	unsigned long freed;

	trace_i915_gem_shrink(igen, pages, flags);
	freed = igen_bo_caches_drain(igen, pages);
	if (freed < pages)
		freed += shrinker_walk_list(igen, &igen->mm.purge_list, pages - freed, false);
	if (!shrinker_can_swap() && !(flags & IGEN_SHRINK_UNSWAPPABLE))
		return freed;
	if (freed < pages)
		freed += shrinker_walk_list(igen, &igen->mm.shrink_list, pages - freed, false);
	if (freed < pages && flags & IGEN_SHRINK_ACTIVE)
		freed += shrinker_walk_list(igen, &igen->mm.shrink_list, pages - freed, true);
	return freed;
}

/**
 * igen_reserve - tell how much of memory and swap the objects of clients may not use
 *
 * Return: pages of 4 KB.
 */
unsigned long igen_reserve(void)
{
	return min(totalram_pages() / 16, (unsigned long)SZ_256M >> PAGE_SHIFT);
}

/*
 * How many pages are missing for an allocation that can't be swapped out. Swap helps only as far as other pages can
 * move there. Such allocations may use half of the reserve: a client that has filled memory with objects still gets
 * page tables for them.
 */
static long shrinker_lacking_pages(unsigned long pages)
{
	long anon = global_node_page_state(NR_ACTIVE_ANON) + global_node_page_state(NR_INACTIVE_ANON);

	return (long)(pages + igen_reserve() / 2) - si_mem_available() - min(get_nr_swap_pages(), anon);
}

/**
 * igen_make_room - make room before the driver allocates pages for itself
 * @igen: the device
 * @pages: how many, of 4 KB
 * @flags: as for igen_shrink()
 *
 * Such pages belong to no process, so the OOM killer could not get them back. The shrinker runs if memory is short.
 *
 * Return: false when too little memory would be left.
 * Context: may sleep, as igen_shrink().
 */
bool igen_make_room(struct igen_device *igen, unsigned long pages, unsigned int flags)
{
	long lack = shrinker_lacking_pages(pages);

	if (likely(lack <= 0))
		return true;
	igen_shrink(igen, lack, flags);
	return shrinker_lacking_pages(pages) <= 0;
}

static struct igen_device *shrinker_device(struct shrinker *shrinker)
{
	return igen_compat_shrinker_data(shrinker);
}

static unsigned long shrinker_count_objects(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct igen_mm *mm = &shrinker_device(shrinker)->mm;

	if (!shrinker_can_swap() && list_empty(&mm->purge_list))
		return SHRINK_EMPTY;
	return READ_ONCE(mm->shrink_pages) ?: SHRINK_EMPTY;
}

static unsigned long shrinker_scan_objects(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long freed = igen_shrink(shrinker_device(shrinker), sc->nr_to_scan, 0);

	sc->nr_scanned = max(freed, sc->nr_to_scan);
	return freed ?: SHRINK_STOP;
}

/**
 * igen_shrinker_fini - unregister the shrinker
 * @igen: the device
 */
void igen_shrinker_fini(struct igen_device *igen)
{
	if (!igen->mm.shrinker)
		return;
	igen_compat_shrinker_free(igen->mm.shrinker);
	igen->mm.shrinker = NULL;
}

/**
 * igen_shrinker_init - the kernel may ask from now on
 * @igen: the device
 *
 * Return: 0 or -ENOMEM.
 */
int igen_shrinker_init(struct igen_device *igen)
{
	struct shrinker *shrinker = igen_compat_shrinker_alloc(igen);
	int err;

	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = shrinker_count_objects;
	shrinker->scan_objects = shrinker_scan_objects;
	shrinker->seeks = DEFAULT_SEEKS;
	igen->mm.shrinker = shrinker;

	err = igen_compat_shrinker_register(shrinker);
	if (err)
		igen_shrinker_fini(igen);
	return err;
}
