// SPDX-License-Identifier: MIT
/**
 * DOC: PREAD and PWRITE
 *
 * The driver pins the object's pages and copies page by page. The user's buffer may be a mapping of the same object,
 * and a fault there takes the object's lock. So the driver takes no faults while it holds that lock. It tries a copy
 * within one page with the lock held. If that would fault, or for larger copies, it copies without the lock. An object
 * without pages of its own (an import) is read and written through the aperture, by way of a kernel page. For an
 * uncached object the driver flushes the cache lines around each copy.
 */
#include <drm/drm_cache.h>
#include <linux/highmem.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../igen_device.h"
#include "../igen_trace.h"
#include "../mm/igen_bo.h"
#include "../mm/igen_ggtt.h"
#include "igen_gem.h"
#include "igen_uapi.h"

struct rw_copy {
	char __user *user;
	u64 offset;
	u64 size;
	bool write;
	bool flush;
};

/* One piece that does not cross a page. */
static int rw_copy_piece(const struct rw_copy *c, char *vaddr, char __user *user, size_t n)
{
	unsigned long left;

	/* A line that is written in part is read by the CPU before, and must not be stale. */
	if (c->flush)
		drm_clflush_virt_range(vaddr, n);
	left = c->write ? copy_from_user(vaddr, user, n) : copy_to_user(user, vaddr, n);
	if (c->flush && c->write)
		drm_clflush_virt_range(vaddr, n);
	return left ? -EFAULT : 0;
}

static struct page *rw_page_of(const struct igen_bo *bo, u64 at)
{
	return bo->page_list[array_index_nospec(at >> PAGE_SHIFT, bo->base.size >> PAGE_SHIFT)];
}

/* The whole copy, if it is short and meets no fault; bo locked, which does for a pin. */
static bool rw_copy_locked(struct igen_bo *bo, const struct rw_copy *c)
{
	const size_t in_page = offset_in_page(c->offset);
	unsigned long left;
	char *page;

	if (c->size > PAGE_SIZE - in_page || bo->ops->copy || !bo->pages || bo->madv || bo->purged || c->flush)
		return false;

	page = kmap_local_page(rw_page_of(bo, c->offset));
	pagefault_disable();
	left = c->write ? __copy_from_user_inatomic(page + in_page, c->user, c->size) :
			  __copy_to_user_inatomic(c->user, page + in_page, c->size);
	pagefault_enable();
	kunmap_local(page);
	return !left;
}

/* One piece by way of a page of the kernel's: the user's memory may be a mapping through the aperture itself. */
static int rw_copy_indirectly(struct igen_bo *bo, const struct rw_copy *c, u64 at, char __user *user, char *page,
			      size_t n)
{
	int err;

	if (c->write && copy_from_user(page, user, n))
		return -EFAULT;
	err = bo->ops->copy(bo, at, page, n, c->write);
	if (!err && !c->write && copy_to_user(user, page, n))
		return -EFAULT;
	return err;
}

/* With a page in between, or NULL for none. */
static int rw_copy_pages(struct igen_bo *bo, const struct rw_copy *c, char *between)
{
	u64 at = c->offset, end = c->offset + c->size;
	char __user *user = c->user;
	int err = 0;

	while (at < end && !err) {
		size_t n = min_t(u64, end - at, PAGE_SIZE - offset_in_page(at));

		if (between) {
			err = rw_copy_indirectly(bo, c, at, user, between, n);
		} else {
			char *page = kmap_local_page(rw_page_of(bo, at));

			err = rw_copy_piece(c, page + offset_in_page(at), user, n);
			kunmap_local(page);
		}
		at += n;
		user += n;
		cond_resched();
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
	}
	return err;
}

static int rw_copy(struct igen_bo *bo, struct rw_copy *c)
{
	char *between = NULL;
	int err;

	err = igen_gem_lock(bo);
	if (err)
		return err;
	c->flush = !igen_bo_is_coherent(bo);
	if (rw_copy_locked(bo, c))
		goto out_unlock;
	err = igen_bo_pin_pages(bo);
	if (err)
		goto out_unlock;
	if (bo->ops->copy) {
		between = kmalloc(PAGE_SIZE, GFP_KERNEL);
		if (!between) {
			err = -ENOMEM;
			goto out_unpin;
		}
	}
	igen_bo_unlock(bo);

	err = rw_copy_pages(bo, c, between);
	kfree(between);

	igen_bo_lock(bo);
out_unpin:
	igen_bo_unpin_pages(bo);
out_unlock:
	igen_bo_unlock(bo);
	return err;
}

static int rw_run(struct drm_file *file, u32 handle, struct rw_copy *c)
{
	struct igen_bo *bo;
	long err;
	u64 end;

	if (!c->size)
		return 0;
	if (!access_ok(c->user, c->size))
		return -EFAULT;

	bo = igen_gem_lookup(file, handle);
	if (!bo)
		return -ENOENT;

	err = -EINVAL;
	if (check_add_overflow(c->offset, c->size, &end) || end > bo->base.size)
		goto out;
	if ((c->write && bo->read_only) || igen_gem_is_userptr(bo))
		goto out;

	if (trace_i915_gem_object_pwrite_enabled() && c->write)
		trace_i915_gem_object_pwrite(bo, c->offset, c->size);
	if (trace_i915_gem_object_pread_enabled() && !c->write)
		trace_i915_gem_object_pread(bo, c->offset, c->size);
	err = igen_bo_wait(bo, c->write, true, MAX_SCHEDULE_TIMEOUT);
	if (err >= 0)
		err = rw_copy(bo, c);
out:
	igen_bo_put(bo);
	return err;
}

/**
 * igen_gem_pread_ioctl - DRM_IOCTL_I915_GEM_PREAD
 * @drm: the DRM device
 * @data: struct drm_i915_gem_pread
 * @file: the caller's file
 *
 * Return: 0, -ENOENT, -EINVAL for a range beyond the object, -EFAULT, -ENOMEM, -ERESTARTSYS.
 */
int igen_gem_pread_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_pread *args = data;
	struct rw_copy c = {
		.user = u64_to_user_ptr(args->data_ptr),
		.offset = args->offset,
		.size = args->size,
	};

	return rw_run(file, args->handle, &c);
}

/**
 * igen_gem_pwrite_ioctl - DRM_IOCTL_I915_GEM_PWRITE
 * @drm: the DRM device
 * @data: struct drm_i915_gem_pwrite
 * @file: the caller's file
 *
 * Return: 0, -ENOENT, -EINVAL for a range beyond the object or a read-only one, -EFAULT, -ENOMEM, -ERESTARTSYS.
 */
int igen_gem_pwrite_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_pwrite *args = data;
	struct rw_copy c = {
		.user = u64_to_user_ptr(args->data_ptr),
		.offset = args->offset,
		.size = args->size,
		.write = true,
	};

	return rw_run(file, args->handle, &c);
}
