// SPDX-License-Identifier: MIT
/**
 * DOC: Objects over user memory
 *
 * The object's pages are those that the calling process has at an address. They are pinned while the object has
 * them. When the process changes the range (munmap, fork, migration), an MMU notifier counts that and waits until
 * the GPU has finished with the object (ten seconds at most); the next use finds the count changed and takes the
 * pages of the day.
 *
 * Taking them needs mmap_lock, which comes before an object's lock. So execbuf has them taken before it locks
 * anything (igen_gem_userptr_prepare()), and looks whether they still are right once it has added its fences. The
 * notifier counts before it looks for fences. So either it sees the fence and waits for it, or execbuf sees the count
 * and starts anew, with a request that does nothing but signal that fence.
 */
#include <drm/drm_device.h>
#include <drm/drm_print.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "igen_gem.h"
#include "igen_uapi.h"

#define USERPTR_FLAGS (I915_USERPTR_READ_ONLY | I915_USERPTR_PROBE | I915_USERPTR_UNSYNCHRONIZED)

/* How long a change of user memory waits for a batch that uses it. */
#define INVALIDATE_TIMEOUT (10 * HZ)

/* Changes of the range while its pages are being taken, before the caller is told to try again. */
#define MAX_TRIES 10

/**
 * struct igen_userptr - the provider's state
 */
struct igen_userptr {
	/** @notifier: told of changes of the range; not inserted while its mm is NULL */
	struct mmu_interval_notifier notifier;
	/** @bo: the object */
	struct igen_bo *bo;
	/** @start: address of the range */
	unsigned long start;
	/** @seq: the notifier's count when the pages were taken; under resv */
	unsigned long seq;
};

static unsigned int num_pages(const struct igen_bo *bo)
{
	return bo->base.size >> PAGE_SHIFT;
}

static bool invalidate(struct mmu_interval_notifier *notifier, const struct mmu_notifier_range *range,
		       unsigned long seq)
{
	struct igen_userptr *up = container_of(notifier, struct igen_userptr, notifier);

	if (!mmu_notifier_range_blockable(range))
		return false;

	mmu_interval_set_seq(notifier, seq);
	/* Paired with igen_gem_userptr_is_fresh(): either execbuf sees the count, or what follows sees its fence. */
	smp_mb();

	/*
	 * A batch may run as long as it likes when it lets others run. The pages are pinned, so that giving up costs
	 * nobody but its owner: what it writes from now on is not seen by the process.
	 */
	if (!dma_resv_wait_timeout(up->bo->base.resv, DMA_RESV_USAGE_BOOKKEEP, false, INVALIDATE_TIMEOUT))
		drm_dbg(up->bo->base.dev, "user memory at 0x%lx changed under a batch that does not end\n", up->start);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = invalidate,
};

static void unpin_pages(struct page **list, unsigned int n, bool dirty)
{
	unpin_user_pages_dirty_lock(list, n, dirty);
	kvfree(list);
}

/* Pages come by igen_gem_userptr_prepare() only: mmap_lock can't be taken here. */
static int userptr_get_pages(struct igen_bo *bo)
{
	return -EAGAIN;
}

static void userptr_put_pages(struct igen_bo *bo)
{
	struct page **list = bo->page_list;

	igen_bo_unmap_pages(bo);
	unpin_pages(list, num_pages(bo), !bo->read_only);
}

static void userptr_release(struct igen_bo *bo)
{
	struct igen_userptr *up = bo->provider;

	if (!up)
		return;
	if (up->notifier.mm)
		mmu_interval_notifier_remove(&up->notifier);
	kfree(up);
}

static const struct igen_bo_ops userptr_ops = {
	.name = "userptr",
	.get_pages = userptr_get_pages,
	.put_pages = userptr_put_pages,
	.release = userptr_release,
};

/**
 * igen_gem_is_userptr - an object is over user memory
 * @bo: the object
 */
bool igen_gem_is_userptr(const struct igen_bo *bo)
{
	return bo->ops == &userptr_ops;
}

/* The range's pages, pinned; no object is locked. */
static struct page **pin_pages(struct igen_bo *bo)
{
	struct igen_userptr *up = bo->provider;
	unsigned int flags = bo->read_only ? 0 : FOLL_WRITE;
	unsigned int done = 0, n = num_pages(bo);
	struct page **list;
	int ret = 0;

	list = kvmalloc_array(n, sizeof(*list), GFP_KERNEL | __GFP_NOWARN);
	if (!list)
		return ERR_PTR(-ENOMEM);

	while (done < n) {
		ret = pin_user_pages_fast(up->start + (unsigned long)done * PAGE_SIZE, n - done, flags, list + done);
		if (ret <= 0)
			break;
		done += ret;
	}
	if (done < n) {
		unpin_pages(list, done, false);
		return ERR_PTR(ret ?: -EFAULT);
	}
	return list;
}

/* Gives back pages that are not the process's any more; bo locked. */
static int drop_stale(struct igen_bo *bo)
{
	int err;

	if (!bo->pages)
		return 0;
	err = igen_bo_unbind_all(bo, true);
	if (!err && bo->pages_pin)
		err = -EBUSY;
	if (!err)
		igen_bo_put_pages(bo);
	/* Whoever holds them does so for the moment of one call. */
	return err == -EBUSY ? -EAGAIN : err;
}

/**
 * igen_gem_userptr_prepare - makes an object have the pages of the day
 * @bo: the object over user memory; nothing is locked
 *
 * May sleep.
 *
 * Return: 0, -EFAULT when there is no such memory or it is another process's, -ENOMEM, -EAGAIN, -ERESTARTSYS.
 */
int igen_gem_userptr_prepare(struct igen_bo *bo)
{
	struct igen_userptr *up = bo->provider;
	struct page **list;
	unsigned long seq;
	unsigned int try;
	bool fresh;
	int err;

	if (up->notifier.mm != current->mm)
		return -EFAULT;

	for (try = 0; try < MAX_TRIES; try++) {
		seq = mmu_interval_read_begin(&up->notifier);

		err = igen_gem_lock(bo);
		if (err)
			return err;
		fresh = bo->pages && up->seq == seq;
		if (!fresh)
			err = drop_stale(bo);
		igen_bo_unlock(bo);
		if (fresh || err)
			return err;

		list = pin_pages(bo);
		if (IS_ERR(list))
			return PTR_ERR(list);

		igen_bo_lock(bo);
		err = -EAGAIN;
		if (!bo->pages && !mmu_interval_read_retry(&up->notifier, seq)) {
			err = igen_bo_map_pages(bo, list);
			if (!err)
				up->seq = seq;
		}
		igen_bo_unlock(bo);
		if (!err)
			return 0;

		unpin_pages(list, num_pages(bo), false);
		if (err != -EAGAIN)
			return err;
	}
	return -EAGAIN;
}

/**
 * igen_gem_userptr_is_fresh - an object's pages still are the process's
 * @bo: the object over user memory, locked
 *
 * Return: false when they are not; when true, whoever changes them waits for the fences that the object has by now.
 */
bool igen_gem_userptr_is_fresh(struct igen_bo *bo)
{
	struct igen_userptr *up = bo->provider;

	/* Paired with invalidate(). */
	smp_mb();
	return bo->pages && !mmu_interval_check_retry(&up->notifier, up->seq);
}

/* All of the range is mapped, and by memory that has pages. */
static int probe_range(struct mm_struct *mm, unsigned long addr, unsigned long end)
{
	struct vm_area_struct *area;
	int err = 0;

	mmap_read_lock(mm);
	while (addr < end) {
		area = find_vma(mm, addr);
		if (!area || area->vm_start > addr || area->vm_flags & (VM_PFNMAP | VM_MIXEDMAP)) {
			err = -EFAULT;
			break;
		}
		addr = area->vm_end;
	}
	mmap_read_unlock(mm);
	return err;
}

static struct igen_bo *create(struct igen_device *igen, const struct drm_i915_gem_userptr *args)
{
	struct igen_userptr *up;
	struct igen_bo *bo;
	int err;

	bo = igen_bo_alloc(igen, &userptr_ops, args->user_size);
	if (IS_ERR(bo))
		return bo;

	up = kzalloc(sizeof(*up), GFP_KERNEL);
	if (!up) {
		igen_bo_put(bo);
		return ERR_PTR(-ENOMEM);
	}
	up->bo = bo;
	up->start = args->user_ptr;
	bo->provider = up;
	bo->read_only = args->flags & I915_USERPTR_READ_ONLY;
	bo->read_domains = I915_GEM_DOMAIN_CPU;
	bo->write_domain = I915_GEM_DOMAIN_CPU;

	err = mmu_interval_notifier_insert(&up->notifier, current->mm, up->start, args->user_size, &notifier_ops);
	if (err) {
		up->notifier.mm = NULL;
		igen_bo_put(bo);
		return ERR_PTR(err);
	}
	return bo;
}

/**
 * igen_gem_userptr_ioctl - DRM_IOCTL_I915_GEM_USERPTR
 * @drm: the DRM device
 * @data: struct drm_i915_gem_userptr
 * @file: the caller's file
 *
 * Pages are taken at first use, unless I915_USERPTR_PROBE asks to look first whether there are any.
 *
 * Return: 0, -EINVAL for unknown flags or a range that is empty or not of whole pages, -E2BIG, -EFAULT, -ENOMEM,
 * -ENODEV for memory whose changes nobody is told of.
 */
int igen_gem_userptr_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_userptr *args = data;
	struct igen_bo *bo;
	u64 end;
	int err;

	if (args->flags & ~USERPTR_FLAGS)
		return -EINVAL;
	if (args->user_size >> PAGE_SHIFT > INT_MAX)
		return -E2BIG;
	if (!args->user_size || offset_in_page(args->user_ptr | args->user_size))
		return -EINVAL;
	/* ABI: a range that wraps is no memory; so userspace asks whether there are such objects. */
	if (check_add_overflow(args->user_ptr, args->user_size, &end) ||
	    !access_ok(u64_to_user_ptr(args->user_ptr), args->user_size))
		return -EFAULT;
	if (args->flags & I915_USERPTR_UNSYNCHRONIZED)
		return -ENODEV;

	if (args->flags & I915_USERPTR_PROBE) {
		err = probe_range(current->mm, args->user_ptr, end);
		if (err)
			return err;
	}

	bo = create(to_igen(drm), args);
	if (IS_ERR(bo))
		return PTR_ERR(bo);

	err = drm_gem_handle_create(file, &bo->base, &args->handle);
	igen_bo_put(bo);
	return err;
}
