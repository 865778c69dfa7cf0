// SPDX-License-Identifier: MIT
/**
 * DOC: The ioctl table
 *
 * Every i915 ioctl with the permissions that i915 gives it, in the order of their numbers. The ioctls of the time
 * before kernel mode setting are no-ops. Pinning from userspace is refused with -ENODEV. Ioctls that need a display or
 * the OA unit return -ENODEV, too. No entry silently does half of its work.
 *
 * DRM itself has ioctls that allocate as many bytes in one piece as a client states. For more than 4 MB the kernel
 * warns of that, with a backtrace, which stops a machine with panic_on_warn. So igen_ioctl() looks at such a count
 * first. A second thread can still change the count after that and before DRM reads it; only DRM can refuse that.
 */
#include <drm/drm_drv.h>
#include <drm/drm_ioctl.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "../mm/igen_budget.h"
#include "../submit/igen_client.h"
#include "../submit/igen_retire.h"
#include "igen_uapi.h"

static int igen_absent_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	drm_dbg(drm, "no display and no OA unit here\n");
	return -ENODEV;
}

/* PERF_OPEN and its configurations: -ENODEV is what userspace takes for "no OA unit". */
static int igen_perf_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	drm_dbg(drm, "the OA unit is not driven\n");
	return -ENODEV;
}

/* Pinning from userspace was for a display of the past. */
static int igen_reject_pin_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	return -ENODEV;
}

/**
 * igen_check_alive - ask whether the GPU takes work
 * @igen: the device
 *
 * Return: 0, or -EIO when the GPU is wedged.
 */
int igen_check_alive(struct igen_device *igen)
{
	if (unlikely(READ_ONCE(igen->wedged)))
		return -EIO;
	return 0;
}

#define LEGACY_ROOT	(DRM_AUTH | DRM_MASTER | DRM_ROOT_ONLY)

const struct drm_ioctl_desc igen_ioctls[] = {
	DRM_IOCTL_DEF_DRV(I915_INIT, drm_noop, LEGACY_ROOT),
	DRM_IOCTL_DEF_DRV(I915_FLUSH, drm_noop, DRM_AUTH),
	DRM_IOCTL_DEF_DRV(I915_FLIP, drm_noop, DRM_AUTH),
	DRM_IOCTL_DEF_DRV(I915_BATCHBUFFER, drm_noop, DRM_AUTH),
	DRM_IOCTL_DEF_DRV(I915_IRQ_EMIT, drm_noop, DRM_AUTH),
	DRM_IOCTL_DEF_DRV(I915_IRQ_WAIT, drm_noop, DRM_AUTH),
	DRM_IOCTL_DEF_DRV(I915_GETPARAM, igen_getparam_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_SETPARAM, drm_noop, LEGACY_ROOT),
	DRM_IOCTL_DEF_DRV(I915_ALLOC, drm_noop, DRM_AUTH),
	DRM_IOCTL_DEF_DRV(I915_FREE, drm_noop, DRM_AUTH),
	DRM_IOCTL_DEF_DRV(I915_INIT_HEAP, drm_noop, LEGACY_ROOT),
	DRM_IOCTL_DEF_DRV(I915_CMDBUFFER, drm_noop, DRM_AUTH),
	DRM_IOCTL_DEF_DRV(I915_DESTROY_HEAP, drm_noop, LEGACY_ROOT),
	DRM_IOCTL_DEF_DRV(I915_SET_VBLANK_PIPE, drm_noop, LEGACY_ROOT),
	DRM_IOCTL_DEF_DRV(I915_GET_VBLANK_PIPE, drm_noop, DRM_AUTH),
	DRM_IOCTL_DEF_DRV(I915_VBLANK_SWAP, drm_noop, DRM_AUTH),
	DRM_IOCTL_DEF_DRV(I915_HWS_ADDR, drm_noop, LEGACY_ROOT),
	DRM_IOCTL_DEF_DRV(I915_GEM_INIT, drm_noop, LEGACY_ROOT),
	DRM_IOCTL_DEF_DRV(I915_GEM_EXECBUFFER, drm_invalid_op, DRM_AUTH),
	DRM_IOCTL_DEF_DRV(I915_GEM_PIN, igen_reject_pin_ioctl, DRM_AUTH | DRM_ROOT_ONLY),
	DRM_IOCTL_DEF_DRV(I915_GEM_UNPIN, igen_reject_pin_ioctl, DRM_AUTH | DRM_ROOT_ONLY),
	DRM_IOCTL_DEF_DRV(I915_GEM_BUSY, igen_gem_busy_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_THROTTLE, igen_throttle_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_ENTERVT, drm_noop, LEGACY_ROOT),
	DRM_IOCTL_DEF_DRV(I915_GEM_LEAVEVT, drm_noop, LEGACY_ROOT),
	DRM_IOCTL_DEF_DRV(I915_GEM_CREATE, igen_gem_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_PREAD, igen_gem_pread_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_PWRITE, igen_gem_pwrite_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_MMAP, igen_gem_mmap_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_SET_DOMAIN, igen_gem_set_domain_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_SW_FINISH, igen_gem_sw_finish_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_SET_TILING, igen_gem_set_tiling_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_GET_TILING, igen_gem_get_tiling_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_GET_APERTURE, igen_gem_get_aperture_ioctl, DRM_RENDER_ALLOW),
	/* MMAP_GTT and MMAP_OFFSET share a number; the size of the argument tells them apart. */
	DRM_IOCTL_DEF_DRV(I915_GEM_MMAP_OFFSET, igen_gem_mmap_offset_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GET_PIPE_FROM_CRTC_ID, igen_absent_ioctl, 0),
	DRM_IOCTL_DEF_DRV(I915_GEM_MADVISE, igen_gem_madvise_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_OVERLAY_PUT_IMAGE, igen_absent_ioctl, DRM_MASTER),
	DRM_IOCTL_DEF_DRV(I915_OVERLAY_ATTRS, igen_absent_ioctl, DRM_MASTER),
	DRM_IOCTL_DEF_DRV(I915_GEM_EXECBUFFER2_WR, igen_execbuffer2_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GET_SPRITE_COLORKEY, drm_noop, DRM_MASTER),
	DRM_IOCTL_DEF_DRV(I915_SET_SPRITE_COLORKEY, igen_absent_ioctl, DRM_MASTER),
	DRM_IOCTL_DEF_DRV(I915_GEM_WAIT, igen_gem_wait_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_CONTEXT_CREATE_EXT, igen_context_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_CONTEXT_DESTROY, igen_context_destroy_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_SET_CACHING, igen_gem_set_caching_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_GET_CACHING, igen_gem_get_caching_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_REG_READ, igen_reg_read_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GET_RESET_STATS, igen_reset_stats_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_USERPTR, igen_gem_userptr_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_CONTEXT_GETPARAM, igen_context_getparam_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_CONTEXT_SETPARAM, igen_context_setparam_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_PERF_OPEN, igen_perf_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_PERF_ADD_CONFIG, igen_perf_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_PERF_REMOVE_CONFIG, igen_perf_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_QUERY, igen_query_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_VM_CREATE, igen_vm_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_VM_DESTROY, igen_vm_destroy_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(I915_GEM_CREATE_EXT, igen_gem_create_ext_ioctl, DRM_RENDER_ALLOW),
};

const int igen_num_ioctls = ARRAY_SIZE(igen_ioctls);

/* Syncobjs that one ioctl may name. What DRM allocates for each is less than 128 bytes. */
#define MAX_SYNCOBJS	SZ_16K

/* Where the argument of one of DRM's ioctls has the number of syncobjs. */
static const struct {
	unsigned int nr;
	size_t offset;
} syncobj_counts[] = {
	{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_WAIT), offsetof(struct drm_syncobj_wait, count_handles) },
	{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_RESET), offsetof(struct drm_syncobj_array, count_handles) },
	{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_SIGNAL), offsetof(struct drm_syncobj_array, count_handles) },
	{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT), offsetof(struct drm_syncobj_timeline_wait, count_handles) },
	{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_QUERY), offsetof(struct drm_syncobj_timeline_array, count_handles) },
	{ DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL), offsetof(struct drm_syncobj_timeline_array, count_handles) },
};

/* 0, -EFAULT, or -ENOMEM, which DRM would say as well. */
static int ioctl_check_syncobjs(unsigned int cmd, unsigned long arg)
{
	size_t size = _IOC_SIZE(cmd);
	unsigned int i;
	u32 count = 0;

	/* The driver's own ioctls, execbufs above all. */
	if (likely(DRM_IOCTL_NR(cmd) < DRM_COMMAND_END))
		return 0;
	for (i = 0; i < ARRAY_SIZE(syncobj_counts); i++) {
		if (syncobj_counts[i].nr != DRM_IOCTL_NR(cmd))
			continue;
		/* DRM takes the rest of a shorter argument for zeroes. */
		size = size > syncobj_counts[i].offset ? min(size - syncobj_counts[i].offset, sizeof(count)) : 0;
		if (copy_from_user(&count, (void __user *)(arg + syncobj_counts[i].offset), size))
			return -EFAULT;
		return count > MAX_SYNCOBJS ? -ENOMEM : 0;
	}
	return 0;
}

/*
 * Ioctls for which a client may have to wait until what it has dropped was freed. An ioctl that fails with -ENOMEM or
 * -ENOSPC has changed nothing, and can be repeated like one that a signal has interrupted.
 */
static const unsigned int reclaiming_ioctls[] = {
	DRM_IOCTL_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE),
	DRM_IOCTL_NR(DRM_IOCTL_I915_GEM_CREATE),
	DRM_IOCTL_NR(DRM_IOCTL_I915_GEM_CREATE_EXT),
	DRM_IOCTL_NR(DRM_IOCTL_I915_GEM_USERPTR),
	DRM_IOCTL_NR(DRM_IOCTL_I915_GEM_MMAP_OFFSET),
	DRM_IOCTL_NR(DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT),
	DRM_IOCTL_NR(DRM_IOCTL_I915_GEM_VM_CREATE),
	DRM_IOCTL_NR(DRM_IOCTL_I915_GEM_EXECBUFFER2_WR),
};

static struct igen_budget *ioctl_budget(struct file *filp)
{
	struct drm_file *file = filp->private_data;

	return to_igen_file(file)->client->budget;
}

/* Whether an ioctl that failed is worth a second try: the client's budget refused something since @refused was read. */
static bool ioctl_reclaim(struct file *filp, unsigned int cmd, long err, int refused)
{
	struct drm_file *file = filp->private_data;
	unsigned int i;

	if (likely(err != -ENOMEM && err != -ENOSPC) || atomic_read(&ioctl_budget(filp)->refused) == refused)
		return false;
	for (i = 0; i < ARRAY_SIZE(reclaiming_ioctls); i++)
		if (reclaiming_ioctls[i] == DRM_IOCTL_NR(cmd)) {
			igen_shadows_free_idle(to_igen(file->minor->dev), ioctl_budget(filp));
			return igen_reclaim(to_igen(file->minor->dev));
		}
	return false;
}

/**
 * igen_ioctl - file_operations.unlocked_ioctl
 * @filp: the file
 * @cmd: the ioctl
 * @arg: its argument
 *
 * Return: what drm_ioctl() says, or -ENOMEM for more syncobjs than DRM allocates quietly.
 */
long igen_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	int refused = atomic_read(&ioctl_budget(filp)->refused);
	long err = ioctl_check_syncobjs(cmd, arg) ?: drm_ioctl(filp, cmd, arg);

	return ioctl_reclaim(filp, cmd, err, refused) ? drm_ioctl(filp, cmd, arg) : err;
}

#ifdef CONFIG_COMPAT
/**
 * igen_compat_ioctl - file_operations.compat_ioctl
 * @filp: the file
 * @cmd: the ioctl
 * @arg: its argument, whose counts of syncobjs are where a 64-bit process has them
 *
 * Return: what drm_compat_ioctl() says, or -ENOMEM as igen_ioctl().
 */
long igen_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	int refused = atomic_read(&ioctl_budget(filp)->refused);
	long err = ioctl_check_syncobjs(cmd, arg) ?: drm_compat_ioctl(filp, cmd, arg);

	return ioctl_reclaim(filp, cmd, err, refused) ? drm_compat_ioctl(filp, cmd, arg) : err;
}
#endif
