// SPDX-License-Identifier: MIT
/**
 * DOC: BUSY, WAIT and MADVISE
 *
 * BUSY looks at those fences of an object that are requests of this driver, and tells on which classes of engines they
 * run. WAIT waits for all fences of an object. MADVISE says whether userspace needs the object's content. The driver
 * may purge content that is not needed when memory is short. A later MADVISE tells userspace whether that has happened.
 */
#include <linux/dma-fence-array.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "../mm/igen_bo.h"
#include "../submit/igen_request.h"
#include "igen_gem.h"
#include "igen_uapi.h"

static u32 busy_reader(const struct igen_request *rq)
{
	return 0x10000u << rq->info->class;
}

/* A writer is also among the readers. */
static u32 busy_writer(const struct igen_request *rq)
{
	return (rq->info->class + 1) | busy_reader(rq);
}

static u32 busy_of(struct dma_fence *fence, bool write)
{
	struct igen_request *rq;

	if (!igen_fence_is_request(fence))
		return 0;
	rq = to_igen_request(fence);
	if (dma_fence_is_signaled(fence) || igen_request_completed(rq))
		return 0;
	return write ? busy_writer(rq) : busy_reader(rq);
}

/**
 * igen_gem_busy_ioctl - DRM_IOCTL_I915_GEM_BUSY
 * @drm: the DRM device
 * @data: struct drm_i915_gem_busy
 * @file: the caller's file
 *
 * Return: 0 or -ENOENT.
 */
int igen_gem_busy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_busy *args = data;
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	struct igen_bo *bo;

	bo = igen_gem_lookup(file, args->handle);
	if (!bo)
		return -ENOENT;

	args->busy = 0;
	dma_resv_iter_begin(&cursor, bo->base.resv, DMA_RESV_USAGE_READ);
	dma_resv_for_each_fence_unlocked(&cursor, fence) {
		if (dma_resv_iter_is_restarted(&cursor))
			args->busy = 0;
		args->busy |= busy_of(fence, dma_resv_iter_usage(&cursor) <= DMA_RESV_USAGE_WRITE);
	}
	dma_resv_iter_end(&cursor);

	igen_bo_put(bo);
	return 0;
}

/* Nanoseconds as userspace gives them; negative is for ever. */
static long wait_jiffies(s64 ns)
{
	if (ns < 0)
		return MAX_SCHEDULE_TIMEOUT;
	if (!ns)
		return 0;
	return min_t(u64, MAX_SCHEDULE_TIMEOUT - 1, nsecs_to_jiffies64(ns) + 1);
}

/**
 * igen_gem_wait_ioctl - DRM_IOCTL_I915_GEM_WAIT
 * @drm: the DRM device
 * @data: struct drm_i915_gem_wait; its timeout is reduced to the time that is left
 * @file: the caller's file
 *
 * Return: 0 when idle, -ETIME, -EINVAL, -ENOENT, -ERESTARTSYS.
 */
int igen_gem_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_wait *args = data;
	struct igen_bo *bo;
	ktime_t start;
	long ret;

	if (args->flags)
		return -EINVAL;

	bo = igen_gem_lookup(file, args->bo_handle);
	if (!bo)
		return -ENOENT;

	start = ktime_get();
	ret = igen_bo_wait(bo, true, true, wait_jiffies(args->timeout_ns));
	if (ret > 0)
		ret = 0;

	if (args->timeout_ns > 0) {
		args->timeout_ns = max_t(s64, args->timeout_ns - ktime_to_ns(ktime_sub(ktime_get(), start)), 0);
		/* The wait counts in jiffies. A rest of less than one jiffy counts as none. */
		if (ret == -ETIME && !nsecs_to_jiffies64(args->timeout_ns))
			args->timeout_ns = 0;
		/* ABI: with more than a jiffy left the caller calls again with the rest. */
		if (ret == -ETIME && args->timeout_ns)
			ret = -EAGAIN;
	}

	igen_bo_put(bo);
	return ret;
}

/**
 * igen_gem_madvise_ioctl - DRM_IOCTL_I915_GEM_MADVISE
 * @drm: the DRM device
 * @data: struct drm_i915_gem_madvise
 * @file: the caller's file
 *
 * Return: 0, -EINVAL, -ENOENT, -ERESTARTSYS.
 */
int igen_gem_madvise_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_madvise *args = data;
	struct igen_bo *bo;
	int err;

	if (args->madv != I915_MADV_WILLNEED && args->madv != I915_MADV_DONTNEED)
		return -EINVAL;

	bo = igen_gem_lookup(file, args->handle);
	if (!bo)
		return -ENOENT;

	err = igen_gem_lock(bo);
	if (err)
		goto out;

	if (!bo->purged)
		bo->madv = args->madv;
	igen_bo_update_shrink(bo);

	/* Without pages it is in shmem or swap: let that go now. */
	if (bo->madv == I915_MADV_DONTNEED && !bo->pages && !bo->purged && bo->ops->truncate) {
		bo->ops->truncate(bo);
		bo->purged = true;
	}
	args->retained = !bo->purged;
	igen_bo_unlock(bo);
out:
	igen_bo_put(bo);
	return err;
}
