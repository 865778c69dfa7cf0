// SPDX-License-Identifier: MIT
/**
 * DOC: Small ioctls: REG_READ and THROTTLE
 *
 * REG_READ gives the render engine's timestamp and nothing else. THROTTLE makes a client wait for what it submitted
 * more than 20 ms ago, which keeps it from running far ahead of the GPU.
 */
#include <drm/drm_drv.h>
#include <linux/jiffies.h>

#include <igen/regs/engine.h>

#include "../engine/igen_lrc.h"
#include "../igen_killable.h"
#include "../submit/igen_request.h"
#include "igen_context.h"
#include "igen_uapi.h"

#define THROTTLE_MS 20

/* The upper half may carry between the reads; a few tries always find a quiet moment. */
#define TIMESTAMP_TRIES 4

static u64 reg_read_timestamp(struct igen_device *igen, u32 base)
{
	unsigned int tries;
	u32 upper, lower, again;

	upper = igen_read(igen, RING_TIMESTAMP_UDW(base));
	for (tries = 0; tries < TIMESTAMP_TRIES; tries++) {
		lower = igen_read(igen, RING_TIMESTAMP(base));
		again = igen_read(igen, RING_TIMESTAMP_UDW(base));
		if (again == upper)
			break;
		upper = again;
	}
	return (u64)upper << 32 | lower;
}

/**
 * igen_reg_read_ioctl - DRM_IOCTL_I915_REG_READ
 * @drm: the DRM device
 * @data: the register; receives its value
 * @file: the caller's file
 *
 * Only the timestamp of the render engine may be read.
 *
 * Return: 0, -EINVAL for any other register, -ENODEV when the device has gone, or what waking it fails with.
 */
int igen_reg_read_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct igen_device *igen = to_igen(drm);
	struct igen_engine *rcs = igen->engine[IGEN_RCS0];
	struct drm_i915_reg_read *args = data;
	bool two_reads = args->offset & I915_REG_READ_8B_WA;
	u32 base;
	int idx, err;

	if (!rcs)
		return -EINVAL;
	base = rcs->info->base;
	if ((args->offset & ~(u64)I915_REG_READ_8B_WA) != RING_TIMESTAMP(base))
		return -EINVAL;

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	err = igen_rpm_get(igen);
	if (err)
		goto out_exit;
	err = igen_forcewake_get(igen, rcs->info->forcewake);
	if (!err) {
		/*
		 * Without the flag i915 does one 64-bit read, which Gen9 answers with the lower half shifted into the
		 * upper one; userspace corrects that by what it probed, so it must see the same.
		 */
		args->val = two_reads ? reg_read_timestamp(igen, base) :
					readq(igen->mmio.regs + RING_TIMESTAMP(base));
		igen_forcewake_put(igen, rcs->info->forcewake);
	}
	igen_rpm_put(igen);
out_exit:
	drm_dev_exit(idx);

	return err;
}

static int throttle_context(struct igen_context *ctx, unsigned long limit)
{
	struct igen_request *rq;
	struct igen_lrc *lrc;
	unsigned int slot;
	long ret = 0;

	for (slot = 0; slot < ctx->num_engines && ret >= 0; slot++) {
		/* Pairs with the release that publishes the LRC. */
		lrc = smp_load_acquire(&ctx->engines[slot].lrc);
		if (!lrc)
			continue;
		rq = igen_lrc_newest(lrc, limit);
		if (!rq)
			continue;
		/* Bounded by the engine's hang detection. */
		ret = dma_fence_wait(&rq->fence, true);
		igen_request_put(rq);
	}
	return min(ret, 0L);
}

/**
 * igen_throttle_ioctl - DRM_IOCTL_I915_GEM_THROTTLE
 * @drm: the DRM device
 * @data: not used
 * @drm_file: the caller's file
 *
 * Waits for the requests of the file that are older than 20 ms.
 *
 * Return: 0, -EIO when the GPU is wedged, -EINTR, -ERESTARTSYS.
 */
int igen_throttle_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	const unsigned long limit = jiffies - msecs_to_jiffies(THROTTLE_MS);
	struct igen_file *file = to_igen_file(drm_file);
	struct igen_context *ctx;
	unsigned long id;
	void *entry;
	int err;

	/* ABI: -EIO tells clients that the GPU is wedged. */
	err = igen_check_alive(file->igen);
	if (err)
		return err;

	rcu_read_lock();
	xa_for_each(&file->contexts, id, entry) {
		ctx = igen_entry_context(entry);
		if (!ctx || !kref_get_unless_zero(&ctx->ref))
			continue;
		rcu_read_unlock();
		err = throttle_context(ctx, limit) ?: igen_check_killed();
		igen_context_put(ctx);
		rcu_read_lock();
		if (err)
			break;
	}
	rcu_read_unlock();

	return err;
}
