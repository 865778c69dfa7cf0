// SPDX-License-Identifier: MIT
/**
 * DOC: Objects over user memory
 *
 * The object's pages are those that the calling process has at an address. They are pinned while the object has
 * them. When the process changes the range (munmap, madvise, mprotect), an MMU notifier counts that and waits until
 * the GPU has finished with the object. The next use finds the count changed and takes the present pages.
 *
 * The wait only keeps the order of the process's own work: the GPU's pages stay pinned, whatever the range maps
 * meanwhile. So only the process that owns the memory waits, in its own system calls. Memory reclaim, compaction, KSM
 * and writeback do not wait for its batches, nor does the process when it exits or is killed. A batch that does not end
 * costs a process ten seconds, and the process's other objects do not cost it ten more.
 *
 * Taking pages needs mmap_lock, which comes before an object's lock. So execbuf takes them before it locks anything
 * (igen_gem_userptr_prepare()), and checks that they are still right once it has added its fences. The
 * notifier counts before it looks for fences. So either it sees the fence and waits for it, or execbuf sees the count
 * and starts again; its first request is cancelled, and does nothing but signal that fence.
 */
#include <drm/drm_device.h>
#include <drm/drm_print.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../igen_killable.h"
#include "../mm/igen_budget.h"
#include "../mm/igen_mm.h"
#include "igen_gem.h"
#include "igen_uapi.h"

#define USERPTR_FLAGS (I915_USERPTR_READ_ONLY | I915_USERPTR_PROBE | I915_USERPTR_UNSYNCHRONIZED)

/* How long a process waits for its batches when it changes memory that they use. */
#define INVALIDATE_TIMEOUT (10 * HZ)

/* For so long afterwards it waits for none of its batches. */
#define INVALIDATE_REST (10 * HZ)

/* SIGKILL ends the wait within this time. */
#define INVALIDATE_SLICE (HZ / 10)

/* Pages that are pinned or unpinned at a time; while they are pinned interrupts may be off. */
#define PIN_BATCH 512u

/* Changes of the range while its pages are being taken, before the caller is told to try again. */
#define MAX_TRIES 10

/**
 * struct igen_userptr_mm - state that all objects over one process's memory share
 */
struct igen_userptr_mm {
	/** @link: in userptr_mms */
	struct list_head link;
	/** @mm: the process's memory; the notifiers of the objects keep it from being freed */
	struct mm_struct *mm;
	/** @objects: how many; under userptr_mms_lock */
	unsigned int objects;
	/** @gave_up: the last wait ended by its timeout */
	bool gave_up;
	/** @gave_up_at: when, in jiffies */
	unsigned long gave_up_at;
};

static LIST_HEAD(userptr_mms);
static DEFINE_MUTEX(userptr_mms_lock);

/**
 * struct igen_userptr - the provider's state
 */
struct igen_userptr {
	/** @notifier: told of changes of the range; not inserted while its mm is NULL */
	struct mmu_interval_notifier notifier;
	/** @bo: the object */
	struct igen_bo *bo;
	/** @shared: with the process's other objects, counted */
	struct igen_userptr_mm *shared;
	/** @start: address of the range */
	unsigned long start;
	/** @seq: the notifier's count when the pages were taken; under resv */
	unsigned long seq;
};

static unsigned int userptr_num_pages(const struct igen_bo *bo)
{
	return bo->base.size >> PAGE_SHIFT;
}

static struct igen_userptr_mm *userptr_mm_get(struct mm_struct *mm)
{
	struct igen_userptr_mm *shared;

	mutex_lock(&userptr_mms_lock);
	list_for_each_entry(shared, &userptr_mms, link) {
		if (shared->mm == mm)
			goto out;
	}
	shared = kzalloc(sizeof(*shared), GFP_KERNEL);
	if (!shared)
		goto out_unlock;
	shared->mm = mm;
	list_add(&shared->link, &userptr_mms);
out:
	shared->objects++;
out_unlock:
	mutex_unlock(&userptr_mms_lock);
	return shared;
}

static void userptr_mm_put(struct igen_userptr_mm *shared)
{
	mutex_lock(&userptr_mms_lock);
	if (!--shared->objects) {
		list_del(&shared->link);
		kfree(shared);
	}
	mutex_unlock(&userptr_mms_lock);
}

/* Does the process change its own memory, in a system call after which it goes on? */
static bool userptr_owner_changes(const struct igen_userptr *up, const struct mmu_notifier_range *range)
{
	return range->event != MMU_NOTIFY_RELEASE && current->mm == up->notifier.mm &&
	       !(current->flags & (PF_EXITING | PF_KTHREAD | PF_MEMALLOC));
}

static void userptr_wait_for_batches(struct igen_userptr *up)
{
	struct igen_userptr_mm *shared = up->shared;
	const unsigned long end = jiffies + INVALIDATE_TIMEOUT;
	struct dma_resv *resv = up->bo->base.resv;

	if (dma_resv_test_signaled(resv, DMA_RESV_USAGE_BOOKKEEP))
		return;
	if (READ_ONCE(shared->gave_up) && time_before(jiffies, READ_ONCE(shared->gave_up_at) + INVALIDATE_REST))
		return;

	while (!fatal_signal_pending(current)) {
		if (dma_resv_wait_timeout(resv, DMA_RESV_USAGE_BOOKKEEP, false, INVALIDATE_SLICE)) {
			WRITE_ONCE(shared->gave_up, false);
			return;
		}
		if (time_after(jiffies, end)) {
			drm_dbg(up->bo->base.dev, "user memory at 0x%lx changed under a batch that does not end\n",
				up->start);
			WRITE_ONCE(shared->gave_up_at, jiffies);
			WRITE_ONCE(shared->gave_up, true);
			return;
		}
	}
}

static bool userptr_invalidate(struct mmu_interval_notifier *notifier, const struct mmu_notifier_range *range,
			       unsigned long seq)
{
	struct igen_userptr *up = container_of(notifier, struct igen_userptr, notifier);

	if (!mmu_notifier_range_blockable(range))
		return false;

	mmu_interval_set_seq(notifier, seq);
	/* Paired with igen_gem_userptr_is_fresh(): either execbuf sees the count, or what follows sees its fence. */
	smp_mb();

	if (userptr_owner_changes(up, range))
		userptr_wait_for_batches(up);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = userptr_invalidate,
};

/*
 * Bytes that an object has for its pages beside them: the list and the table of segments, at its largest. The range may
 * be one page that is mapped all over, so this is not small beside the process's own memory.
 */
static size_t userptr_list_bytes(const struct igen_bo *bo)
{
	return userptr_num_pages(bo) * (sizeof(struct page *) + sizeof(struct scatterlist));
}

/* Frees an object's list, of which the first @n pages are pinned. */
static void userptr_unpin_pages(struct igen_bo *bo, struct page **list, unsigned int n, bool dirty)
{
	unsigned int done, batch;

	for (done = 0; done < n; done += batch) {
		batch = min(n - done, PIN_BATCH);
		unpin_user_pages_dirty_lock(list + done, batch, dirty);
		cond_resched();
	}
	kvfree(list);
	igen_budget_uncharge(bo->budget, userptr_list_bytes(bo));
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
	userptr_unpin_pages(bo, list, userptr_num_pages(bo), !bo->read_only);
}

static void userptr_release(struct igen_bo *bo)
{
	struct igen_userptr *up = bo->provider;

	if (!up)
		return;
	if (up->notifier.mm)
		mmu_interval_notifier_remove(&up->notifier);
	if (up->shared)
		userptr_mm_put(up->shared);
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
static struct page **userptr_pin_pages(struct igen_bo *bo)
{
	struct igen_userptr *up = bo->provider;
	unsigned int flags = bo->read_only ? 0 : FOLL_WRITE;
	unsigned int done = 0, n = userptr_num_pages(bo);
	struct page **list;
	int ret = 0;

	/* The size is the client's word; the range may be one page that is mapped all over. */
	if (n > totalram_pages())
		return ERR_PTR(-ENOMEM);
	if (igen_budget_charge(bo->budget, userptr_list_bytes(bo)))
		return ERR_PTR(-ENOMEM);
	if (!igen_make_room(to_igen(bo->base.dev), PFN_UP(userptr_list_bytes(bo)), 0))
		goto err_uncharge;
	list = kvmalloc_array(n, sizeof(*list), IGEN_GFP_CLIENT);
	if (!list)
		goto err_uncharge;

	while (done < n) {
		ret = igen_check_killed() ?: pin_user_pages_fast(up->start + (unsigned long)done * PAGE_SIZE,
								 min(n - done, PIN_BATCH), flags, list + done);
		if (ret <= 0)
			break;
		done += ret;
	}
	if (done < n) {
		userptr_unpin_pages(bo, list, done, false);
		return ERR_PTR(ret ?: -EFAULT);
	}
	return list;

err_uncharge:
	igen_budget_uncharge(bo->budget, userptr_list_bytes(bo));
	return ERR_PTR(-ENOMEM);
}

/* Unpins pages that the process does not have at its address any more. The object is locked. */
static int userptr_drop_stale(struct igen_bo *bo)
{
	int err;

	if (!bo->pages)
		return 0;
	err = igen_bo_unbind_all(bo, true);
	if (!err && bo->pages_pin)
		err = -EBUSY;
	if (!err)
		igen_bo_put_pages(bo);
	/* Other pins of the pages last only for the time of one call. */
	return err == -EBUSY ? -EAGAIN : err;
}

/**
 * igen_gem_userptr_prepare - take the present pages of the user memory
 * @bo: the object over user memory; the caller holds no locks
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
			err = userptr_drop_stale(bo);
		igen_bo_unlock(bo);
		if (fresh || err)
			return err;

		list = userptr_pin_pages(bo);
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

		userptr_unpin_pages(bo, list, userptr_num_pages(bo), false);
		if (err != -EAGAIN)
			return err;
	}
	return -EAGAIN;
}

/**
 * igen_gem_userptr_is_fresh - ask whether an object's pages still are those of the process
 * @bo: the object over user memory, locked
 *
 * Called when the request's fence is in the object's reservation.
 *
 * Return: false when they are not. When true, a later change of the range waits for the fences that the object has now.
 */
bool igen_gem_userptr_is_fresh(struct igen_bo *bo)
{
	struct igen_userptr *up = bo->provider;

	/* Paired with userptr_invalidate(). */
	smp_mb();
	return bo->pages && !mmu_interval_check_retry(&up->notifier, up->seq);
}

/* All of the range is mapped, and by memory that has pages. */
static int userptr_probe_range(struct mm_struct *mm, unsigned long addr, unsigned long end)
{
	struct vm_area_struct *area;
	int err = 0;

	mmap_read_lock(mm);
	while (addr < end) {
		err = igen_check_killed();
		if (err)
			break;
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

static struct igen_bo *userptr_create(struct igen_device *igen, const struct drm_i915_gem_userptr *args)
{
	struct igen_userptr *up;
	struct igen_bo *bo;
	int err;

	bo = igen_bo_alloc(igen, &userptr_ops, args->user_size);
	if (IS_ERR(bo))
		return bo;

	up = kzalloc(sizeof(*up), IGEN_GFP_CLIENT);
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

	up->shared = userptr_mm_get(current->mm);
	err = up->shared ? 0 : -ENOMEM;
	if (!err)
		err = mmu_interval_notifier_insert(&up->notifier, current->mm, up->start, args->user_size,
						   &notifier_ops);
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
 * -ENODEV for I915_USERPTR_UNSYNCHRONIZED, and for I915_USERPTR_READ_ONLY where page tables cannot deny writes.
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
	/* ABI: -EFAULT for a range that wraps. Userspace tests with such a range whether userptr exists. */
	if (check_add_overflow(args->user_ptr, args->user_size, &end) ||
	    !access_ok(u64_to_user_ptr(args->user_ptr), args->user_size))
		return -EFAULT;
	if (args->flags & I915_USERPTR_UNSYNCHRONIZED)
		return -ENODEV;
	/* The GPU's page tables have to keep the promise. */
	if (args->flags & I915_USERPTR_READ_ONLY && !to_igen(drm)->platform->gtt->read_only)
		return -ENODEV;

	if (args->flags & I915_USERPTR_PROBE) {
		err = userptr_probe_range(current->mm, args->user_ptr, end);
		if (err)
			return err;
	}

	bo = userptr_create(to_igen(drm), args);
	if (IS_ERR(bo))
		return PTR_ERR(bo);

	err = igen_bo_charge(bo, to_igen_file(file)->client->budget);
	if (!err)
		err = drm_gem_handle_create(file, &bo->base, &args->handle);
	igen_bo_put(bo);
	return err;
}
