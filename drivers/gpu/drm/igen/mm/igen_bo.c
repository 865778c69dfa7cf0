// SPDX-License-Identifier: MIT
/**
 * DOC: Buffer objects: pages, kernel mappings, freeing
 *
 * A page provider (igen_shmem.c, igen_internal.c, ...) knows where an object's pages come from. This file has what all
 * objects share.
 *
 * When an object's last reference goes, the driver frees the object at once if nothing of it can be in use. If the GPU
 * may still use the object, or a TLB may still hold translations to its pages, the object goes onto a list. A worker
 * frees the objects of that list, after one TLB flush for all of them. An object that is bound in a PPGTT does not get
 * here, since its VMA there holds a reference (igen_vma.c).
 */
#include <drm/drm_cache.h>
#include <drm/drm_drv.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../igen_device.h"
#include "../igen_trace.h"
#include "igen_bo.h"
#include "igen_budget.h"
#include "igen_ggtt.h"
#include "igen_tail.h"
#include "igen_vm.h"

/**
 * igen_bo_alloc - a bare object
 * @igen: the device
 * @ops: its page provider
 * @size: bytes, a multiple of 4096
 *
 * For page providers. The object has no file and no pages.
 *
 * Return: the object with one reference, or ERR_PTR(-EINVAL, -E2BIG, -ENOMEM).
 */
struct igen_bo *igen_bo_alloc(struct igen_device *igen, const struct igen_bo_ops *ops, u64 size)
{
	struct igen_bo *bo;

	if (!size || !PAGE_ALIGNED(size))
		return ERR_PTR(-EINVAL);
	/* Page counts are unsigned int in scatterlists, and no address space is larger. */
	if (size >> PAGE_SHIFT > INT_MAX)
		return ERR_PTR(-E2BIG);

	bo = kzalloc(sizeof(*bo), IGEN_GFP_CLIENT);
	if (!bo)
		return ERR_PTR(-ENOMEM);

	bo->base.funcs = &igen_gem_funcs;
	drm_gem_private_object_init(&igen->drm, &bo->base, size);
	bo->ops = ops;
	bo->vmas = RB_ROOT;
	INIT_LIST_HEAD(&bo->luts);
	INIT_LIST_HEAD(&bo->shrink_link);
	spin_lock_init(&bo->vma_lock);
	bo->cache_level = igen->platform->has_coherent_access ? IGEN_CACHE_COHERENT : IGEN_CACHE_NONE;
	atomic_inc(&igen->bo_count);

	trace_i915_gem_object_create(bo);
	return bo;
}

/*
 * Bytes of slab memory that an object has beside its structure: for its shmem file with inode and dentry, or for the
 * private data of its page provider. The figures are a little above the real ones.
 */
#define FILE_BYTES	(SZ_1K + SZ_512)
#define PROVIDER_BYTES	SZ_512

/**
 * igen_bo_charged_bytes - tell what is charged for an object
 * @has_file: the object has a shmem file
 *
 * Return: bytes.
 */
size_t igen_bo_charged_bytes(bool has_file)
{
	return kmalloc_size_roundup(sizeof(struct igen_bo)) + (has_file ? FILE_BYTES : PROVIDER_BYTES);
}

/**
 * igen_bo_charge - charges what an object takes without any pages to a client
 * @bo: the object, which has no handle yet and is charged to no client
 * @budget: the client's budget
 *
 * Undone when the object is freed. May sleep.
 *
 * Return: 0, or -ENOMEM when the client has used up its share, or memory is short.
 */
int igen_bo_charge(struct igen_bo *bo, struct igen_budget *budget)
{
	int err = igen_budget_charge_room(to_igen(bo->base.dev), budget, igen_bo_charged_bytes(bo->base.filp));

	if (!err)
		bo->budget = budget;
	return err;
}

/* The page sizes that a translation of these segments could use. */
static unsigned long bo_page_sizes(struct sg_table *pages)
{
	static const u32 sizes[] = { SZ_2M, SZ_64K };
	unsigned long found = SZ_4K;
	struct scatterlist *sg;
	unsigned int i, n;

	for_each_sgtable_dma_sg(pages, sg, i) {
		dma_addr_t start = sg_dma_address(sg);
		dma_addr_t end = start + sg_dma_len(sg);

		for (n = 0; n < ARRAY_SIZE(sizes); n++)
			if (ALIGN(start, sizes[n]) + sizes[n] <= end)
				found |= sizes[n];
	}
	return found;
}

/**
 * igen_bo_set_pages - gives an object the pages of a mapped table
 * @bo: the object, locked
 * @pages: DMA-mapped scatterlist; stays the provider's to free
 */
void igen_bo_set_pages(struct igen_bo *bo, struct sg_table *pages)
{
	bo->pages = pages;
	bo->page_sizes = bo_page_sizes(pages) & to_igen(bo->base.dev)->mm.page_sizes;
}

/**
 * igen_bo_map_pages - gives an object its pages
 * @bo: the object, locked
 * @page_list: all its pages; the object points at them on success
 *
 * For page providers. Neighbours are joined, so that large pages are seen as such. When the device has gone, they are
 * pages for the CPU alone: what userspace has mapped stays memory.
 *
 * Return: 0, -ENOMEM, or what the DMA API says; then the pages remain the caller's.
 */
int igen_bo_map_pages(struct igen_bo *bo, struct page **page_list)
{
	struct igen_device *igen = to_igen(bo->base.dev);
	size_t max_segment = min_t(size_t, dma_max_mapping_size(igen->drm.dev), rounddown(UINT_MAX, SZ_2M));
	struct sg_table *pages;
	int err, idx;

	pages = kmalloc(sizeof(*pages), IGEN_GFP_CLIENT);
	if (!pages)
		return -ENOMEM;

	err = sg_alloc_table_from_pages_segment(pages, page_list, bo->base.size >> PAGE_SHIFT, 0, bo->base.size,
						max_segment, IGEN_GFP_CLIENT);
	if (err)
		goto err_free;

	if (drm_dev_enter(&igen->drm, &idx)) {
		err = igen_dma_map_pages(igen, &bo->dma, pages);
		drm_dev_exit(idx);
		if (err)
			goto err_table;
	}

	igen_bo_set_pages(bo, pages);
	bo->page_list = page_list;
	return 0;

err_table:
	sg_free_table(pages);
err_free:
	kfree(pages);
	return err;
}

/**
 * igen_bo_unmap_pages - undoes igen_bo_map_pages()
 * @bo: the object, locked
 *
 * For page providers. Unmaps and frees igen_bo.pages. The page list is the caller's again.
 */
void igen_bo_unmap_pages(struct igen_bo *bo)
{
	igen_dma_unmap(to_igen(bo->base.dev), &bo->dma);
	sg_free_table(bo->pages);
	kfree(bo->pages);
	bo->pages = NULL;
	bo->page_list = NULL;
}

/**
 * igen_bo_pin_pages - makes an object's pages be there and stay
 * @bo: the object, locked
 *
 * May sleep and allocate. Each success needs an igen_bo_unpin_pages().
 *
 * Return: 0, -EFAULT when its content was purged or may be (MADV_DONTNEED), -ENOMEM, or the provider's error.
 */
int igen_bo_pin_pages(struct igen_bo *bo)
{
	int err;

	dma_resv_assert_held(bo->base.resv);

	/* The shrinker may take purgeable pages at any time. So no new use of the object begins; present pins go on. */
	if (!bo->pages_pin && (bo->purged || bo->madv))
		return -EFAULT;
	if (!bo->pages) {
		err = bo->ops->get_pages(bo);
		if (err)
			return err;
		bo->tlb_mark = 0;
	}
	if (!bo->pages_pin++)
		igen_bo_update_shrink(bo);
	return 0;
}

/**
 * igen_bo_unpin_pages - the pages may go
 * @bo: the object, locked
 */
void igen_bo_unpin_pages(struct igen_bo *bo)
{
	dma_resv_assert_held(bo->base.resv);

	if (WARN_ON(!bo->pages_pin))
		return;
	if (!--bo->pages_pin)
		igen_bo_update_shrink(bo);
}

/**
 * igen_bo_pin_pages_unlocked - igen_bo_pin_pages() with the lock taken inside
 * @bo: the object
 *
 * Return: as igen_bo_pin_pages(), or -ERESTARTSYS.
 */
int igen_bo_pin_pages_unlocked(struct igen_bo *bo)
{
	int err = dma_resv_lock_interruptible(bo->base.resv, NULL);

	if (err)
		return err == -EINTR ? -ERESTARTSYS : err;
	err = igen_bo_pin_pages(bo);
	igen_bo_unlock(bo);
	return err;
}

/**
 * igen_bo_unpin_pages_unlocked - igen_bo_unpin_pages() with the lock taken inside
 * @bo: the object
 */
void igen_bo_unpin_pages_unlocked(struct igen_bo *bo)
{
	igen_bo_lock(bo);
	igen_bo_unpin_pages(bo);
	igen_bo_unlock(bo);
}

/**
 * igen_bo_put_pages - gives an object's pages back
 * @bo: the object, locked; its pages are not pinned
 *
 * Userspace's mappings fault from now on; the TLBs are flushed when they may know the pages. May sleep.
 */
void igen_bo_put_pages(struct igen_bo *bo)
{
	struct igen_device *igen = to_igen(bo->base.dev);

	dma_resv_assert_held(bo->base.resv);

	if (!bo->pages || WARN_ON(bo->pages_pin))
		return;
	igen_bo_zap_mmaps(bo);
	igen_tlb_flush_to(igen, bo->tlb_mark);
	bo->ops->put_pages(bo);
	igen_bo_update_shrink(bo);
}

/**
 * igen_bo_vmap - maps an object for the kernel
 * @bo: the object, locked
 *
 * The mapping is write-back and covers all of it. May sleep. Each success needs an igen_bo_vunmap().
 *
 * Return: its address, or ERR_PTR; -EINVAL for pages that the CPU can't map: see igen_bo_ops.copy.
 */
void *igen_bo_vmap(struct igen_bo *bo)
{
	unsigned int n = bo->base.size >> PAGE_SHIFT;
	void *vaddr;
	int err;

	err = igen_bo_pin_pages(bo);
	if (err)
		return ERR_PTR(err);

	if (!bo->vaddr) {
		if (bo->ops->copy)
			vaddr = ERR_PTR(-EINVAL);
		else if (n == 1 && !PageHighMem(bo->page_list[0]))
			vaddr = page_address(bo->page_list[0]);
		else
			vaddr = vmap(bo->page_list, n, VM_MAP, PAGE_KERNEL) ?: ERR_PTR(-ENOMEM);
		if (IS_ERR(vaddr)) {
			igen_bo_unpin_pages(bo);
			return vaddr;
		}
		bo->vaddr = vaddr;
	}
	bo->vmap_count++;
	return bo->vaddr;
}

/**
 * igen_bo_vunmap - undoes igen_bo_vmap()
 * @bo: the object, locked
 */
void igen_bo_vunmap(struct igen_bo *bo)
{
	if (WARN_ON(!bo->vmap_count))
		return;
	if (!--bo->vmap_count && !bo->ops->discardable) {
		if (is_vmalloc_addr(bo->vaddr))
			vunmap(bo->vaddr);
		bo->vaddr = NULL;
	}
	igen_bo_unpin_pages(bo);
}

/**
 * igen_wait_resv - waits for fences, other drivers' among them, as long as the device is there
 * @igen: the device
 * @resv: the reservation; need not be locked
 * @usage: which of its fences
 * @intr: signals end the wait, and so does the removal of the device
 * @timeout: jiffies
 *
 * The fences of this device signal when it is removed, but a fence of another driver may take as long as its owner
 * likes. The caller may be in a drm_dev_enter() section, for which the removal waits, or have a lock that it needs. So
 * the wait looks every quarter of a second whether there still is a device.
 *
 * Return: jiffies left (1 or more), 0 after the timeout, -ERESTARTSYS, or -ENODEV when the device has gone.
 */
long igen_wait_resv(struct igen_device *igen, struct dma_resv *resv, enum dma_resv_usage usage, bool intr, long timeout)
{
	long slice, left;

	if (!intr)
		return dma_resv_wait_timeout(resv, usage, false, timeout);
	for (;;) {
		slice = min_t(long, timeout, IGEN_UNPLUG_CHECK);
		left = dma_resv_wait_timeout(resv, usage, true, slice);
		if (left < 0)
			return left;
		if (timeout != MAX_SCHEDULE_TIMEOUT)
			timeout -= slice - left;
		if (left || !timeout)
			return timeout;
		if (drm_dev_is_unplugged(&igen->drm))
			return -ENODEV;
	}
}

/**
 * igen_bo_wait - waits for an object's activity
 * @bo: the object; need not be locked
 * @all: for readers too, not only for writers
 * @intr: signals end the wait, and so does the removal of the device
 * @timeout: jiffies; 0 only asks
 *
 * Return: jiffies left (1 or more), -ETIME, -ERESTARTSYS, or -ENODEV when the device has gone.
 */
long igen_bo_wait(struct igen_bo *bo, bool all, bool intr, long timeout)
{
	enum dma_resv_usage usage = dma_resv_usage_rw(all);
	long left;

	if (dma_resv_test_signaled(bo->base.resv, usage))
		return max(timeout, 1L);
	if (!timeout)
		return -ETIME;
	left = igen_wait_resv(to_igen(bo->base.dev), bo->base.resv, usage, intr, timeout);
	return left ?: -ETIME;
}

/**
 * igen_bo_next_bound - the next VMA of an object that is bound in a PPGTT
 * @bo: the object, locked
 * @vma: where the walk stands, which may have been unbound; NULL: before the first
 *
 * A VMA leaves the object's tree only with the object's lock held (igen_vma.c, vma_destroy()). So a walk with the lock
 * held goes on behind the VMA at which it stands, and takes time in proportion to the number of VMAs.
 *
 * Return: the VMA, not counted, or NULL.
 */
struct igen_vma *igen_bo_next_bound(struct igen_bo *bo, struct igen_vma *vma)
{
	struct rb_node *node;

	dma_resv_assert_held(bo->base.resv);

	spin_lock(&bo->vma_lock);
	for (node = vma ? rb_next(&vma->bo_node) : rb_first(&bo->vmas); node; node = rb_next(node))
		if (rb_entry(node, struct igen_vma, bo_node)->bound)
			break;
	spin_unlock(&bo->vma_lock);
	return rb_entry_safe(node, struct igen_vma, bo_node);
}

/**
 * igen_bo_unbind_all - takes an object out of every address space
 * @bo: the object, locked
 * @intr: signals end the wait for its activity
 *
 * May sleep.
 *
 * Return: 0, -EBUSY when it is pinned somewhere (it is out of the others then), -ERESTARTSYS, or -ENODEV.
 */
int igen_bo_unbind_all(struct igen_bo *bo, bool intr)
{
	struct igen_vma *vma;
	int err = 0, ret;

	dma_resv_assert_held(bo->base.resv);

	if (!bo->pages_pin)
		return 0;

	for (vma = igen_bo_next_bound(bo, NULL); vma; vma = igen_bo_next_bound(bo, vma)) {
		if (READ_ONCE(vma->pin_count)) {
			err = -EBUSY;
			continue;
		}
		ret = igen_vma_unbind(vma, intr);
		if (ret)
			return ret;
	}

	igen_for_each_ggtt_vma(vma, bo) {
		ret = igen_vma_unbind(vma, intr);
		if (ret)
			return ret;
	}
	return err;
}

/**
 * igen_bo_flush_cpu - write back and invalidate the CPU's cache lines of an object
 * @bo: the object, locked or with pinned pages
 *
 * Makes memory and the caches agree for a GPU that does not snoop them.
 */
void igen_bo_flush_cpu(struct igen_bo *bo)
{
	if (!bo->pages)
		return;
	if (bo->ops->flush_foreign) {
		bo->ops->flush_foreign(bo);
		return;
	}
	trace_i915_gem_object_clflush(bo);
	drm_clflush_sg(bo->pages);
}

static void bo_zap(struct igen_bo *bo, enum igen_mmap_type type)
{
	struct igen_mmap_offset *mmo = READ_ONCE(bo->mmap[type]);

	if (mmo)
		drm_vma_node_unmap(&mmo->node, bo->base.dev->anon_inode->i_mapping);
}

/**
 * igen_bo_zap_mmaps - all userspace mappings of an object fault from now on
 * @bo: the object, locked, so that no fault maps it again
 */
void igen_bo_zap_mmaps(struct igen_bo *bo)
{
	enum igen_mmap_type type;

	for (type = 0; type < IGEN_NUM_MMAP_TYPES; type++)
		bo_zap(bo, type);
}

/**
 * igen_bo_zap_aperture - userspace mappings that may go through the aperture fault from now on
 * @bo: the object, locked, so that no fault maps it again
 *
 * What a client has written through them is in memory. The caller may change GGTT entries and fence registers, which
 * writes that are still on their way could otherwise meet: both go to the same device, and PCI keeps posted writes in
 * their order, but on some parts the device does not (igen_gtt_ops.flush_writes, as stock i915 has it in
 * __i915_vma_evict()).
 */
void igen_bo_zap_aperture(struct igen_bo *bo)
{
	int idx;

	if (!READ_ONCE(bo->mmap[IGEN_MMAP_GTT]))
		return;
	bo_zap(bo, IGEN_MMAP_GTT);
	if (drm_dev_enter(bo->base.dev, &idx)) {
		igen_ggtt_flush_writes(to_igen(bo->base.dev));
		drm_dev_exit(idx);
	}
}

/* Frees an object that is locked and idle, and the lock with it. */
static void bo_destroy(struct igen_bo *bo)
{
	struct igen_device *igen = to_igen(bo->base.dev);
	enum igen_mmap_type type;

	trace_i915_gem_object_destroy(bo);
	igen_vma_destroy_ggtt(bo);
	WARN_ON(!RB_EMPTY_ROOT(&bo->vmas));
	WARN_ON(!list_empty(&bo->luts));
	igen_bo_put_pages(bo);
	igen_tail_free(bo);
	igen_bo_unlock(bo);
	if (bo->ops->release)
		bo->ops->release(bo);

	for (type = 0; type < IGEN_NUM_MMAP_TYPES; type++) {
		if (!bo->mmap[type])
			continue;
		drm_vma_offset_remove(bo->base.dev->vma_offset_manager, &bo->mmap[type]->node);
		igen_budget_uncharge_offsets(bo->mmap[type]->budget, bo->base.size >> PAGE_SHIFT);
		igen_budget_uncharge(bo->mmap[type]->budget, sizeof(*bo->mmap[type]));
		kfree(bo->mmap[type]);
	}

	igen_budget_uncharge(bo->budget, igen_bo_charged_bytes(bo->base.filp));
	drm_gem_object_release(&bo->base);
	atomic_dec(&igen->bo_count);
	kfree(bo);
}

static bool bo_is_request(struct igen_bo *bo, struct dma_fence *fence)
{
	struct igen_device *igen = to_igen(bo->base.dev);

	return !igen->mm.is_request || igen->mm.is_request(igen, fence);
}

/*
 * The first request that uses an object on this GPU and has not completed, with a reference; or NULL.
 *
 * Fences of other drivers do not count, and may never be signaled. Neither do requests of other GPUs, which may take as
 * long as their clients like. A driver that works with the object's memory has a reference to the object's dma-buf,
 * whatever its fences say.
 */
static struct dma_fence *bo_first_request(struct igen_bo *bo)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	/* Passes over signaled fences. */
	dma_resv_iter_begin(&cursor, bo->base.resv, DMA_RESV_USAGE_BOOKKEEP);
	dma_resv_for_each_fence_unlocked(&cursor, fence) {
		if (bo_is_request(bo, fence)) {
			dma_fence_get(fence);
			break;
		}
	}
	dma_resv_iter_end(&cursor);
	return fence;
}

/**
 * igen_bo_has_requests - tells whether the GPU may still use an object
 * @bo: the object; need not be locked
 *
 * Return: true when a request that uses the object on this GPU has not completed.
 */
bool igen_bo_has_requests(struct igen_bo *bo)
{
	struct dma_fence *fence = bo_first_request(bo);
	bool found = fence;

	dma_fence_put(fence);
	return found;
}

/*
 * A request that waits for another driver's fence is there even after the device. So the wait looks for the device, as
 * igen_wait_resv() does.
 */
static int bo_wait_fence(struct igen_bo *bo, struct dma_fence *fence)
{
	long left;

	do {
		left = dma_fence_wait_timeout(fence, true, IGEN_UNPLUG_CHECK);
		if (!left && drm_dev_is_unplugged(bo->base.dev))
			return -ENODEV;
	} while (!left);
	return min(left, 0l);
}

/**
 * igen_bo_wait_requests - waits for the requests that use an object now
 * @bo: the object; need not be locked
 *
 * Requests that come later are not waited for: clients may add one after the other.
 *
 * Return: 0, -ERESTARTSYS, -ENOMEM, or -ENODEV when the device has gone.
 * Context: may sleep.
 */
int igen_bo_wait_requests(struct igen_bo *bo)
{
	struct dma_fence **fences;
	unsigned int num, n;
	int err;

	err = dma_resv_get_fences(bo->base.resv, DMA_RESV_USAGE_BOOKKEEP, &num, &fences);
	if (err)
		return err;
	for (n = 0; n < num; n++) {
		if (!err && bo_is_request(bo, fences[n]))
			err = bo_wait_fence(bo, fences[n]);
		dma_fence_put(fences[n]);
	}
	kfree(fences);
	return err;
}

/*
 * Locks an object without references if the GPU has finished with it, so that it can be freed now. Objects that import
 * the same buffer share one lock and its fences, and the caller may hold that lock. The worker that ends batches in a
 * circle may hold that of a copy (igen_circle.c). So the lock is only tried. When the device has gone, the GPU runs
 * nothing of what is left in the fences: a request may wait there for another driver.
 */
static bool bo_lock_idle(struct igen_bo *bo)
{
	if (igen_bo_has_requests(bo) && !drm_dev_is_unplugged(bo->base.dev))
		return false;
	return dma_resv_trylock(bo->base.resv);
}

/**
 * igen_bo_free_object - drm_gem_object_funcs.free
 * @obj: the object, without references
 *
 * The caller may hold locks of other objects and the mutex of an address space. So the worker frees objects that are
 * bound in the GGTT or locked.
 */
void igen_bo_free_object(struct drm_gem_object *obj)
{
	struct igen_bo *bo = to_igen_bo(obj);
	struct igen_device *igen = to_igen(obj->dev);

	if (!bo->ggtt_vmas && (!bo->pages || igen_tlb_passed(igen, bo->tlb_mark)) && bo_lock_idle(bo)) {
		bo_destroy(bo);
		return;
	}

	if (llist_add(&bo->free_node, &igen->mm.free_bos))
		queue_delayed_work(igen->wq, &igen->mm.free_work, IGEN_FREE_DELAY);
}

/**
 * igen_bo_free_list - frees the idle objects of the list
 * @igen: the device
 *
 * Called by the worker only.
 *
 * Return: true when none is left.
 */
bool igen_bo_free_list(struct igen_device *igen)
{
	struct llist_node *list = llist_del_all(&igen->mm.free_bos);
	struct igen_bo *bo, *next;
	bool all = true;

	/* All leave the GGTT before the first one's pages go: then one flush of the TLBs serves them all. */
	llist_for_each_entry_safe(bo, next, list, free_node) {
		if (!bo_lock_idle(bo))
			continue;
		igen_vma_unbind_ggtt(bo);
		igen_bo_unlock(bo);
	}

	llist_for_each_entry_safe(bo, next, list, free_node) {
		if (bo_lock_idle(bo)) {
			bo_destroy(bo);
			cond_resched();
		} else {
			llist_add(&bo->free_node, &igen->mm.free_bos);
			all = false;
		}
	}
	return all;
}
