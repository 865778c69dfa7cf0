// SPDX-License-Identifier: MIT
/**
 * DOC: Tiling
 *
 * Userspace sets how an object is tiled. Other clients that share the object can ask for it, and fence registers detile
 * mappings through the aperture by it. On older parts the memory controller may swizzle address bits in tiled memory,
 * which userspace is told (igen_gtt_ops.swizzles). No engine uses this tiling.
 */
#include "../mm/igen_bo.h"
#include "../mm/igen_fence_reg.h"
#include "igen_gem.h"
#include "igen_uapi.h"

/* Fence registers have the pitch in units of 128 bytes less one (public Gen9 PRM Vol 2c, "FENCE"). */
static bool tiling_ok(const struct igen_device *igen, u32 tiling, u32 stride)
{
	const u32 most = igen->platform->fence_pitch;

	switch (tiling) {
	case I915_TILING_NONE:
		return true;
	case I915_TILING_X:
		return stride && stride <= most && IS_ALIGNED(stride, 512);
	case I915_TILING_Y:
		return stride && stride <= most && IS_ALIGNED(stride, 128);
	default:
		return false;
	}
}

/* What userspace that has mapped the object's own pages has to do itself. */
static u32 tiling_swizzle(const struct igen_device *igen, u32 tiling)
{
	if (!igen->ggtt.swizzled || tiling == I915_TILING_NONE)
		return I915_BIT_6_SWIZZLE_NONE;
	return tiling == I915_TILING_X ? I915_BIT_6_SWIZZLE_9_10 : I915_BIT_6_SWIZZLE_9;
}

static void tiling_set(struct igen_device *igen, struct igen_bo *bo, u32 tiling, u32 stride)
{
	struct igen_vma *vma;

	if (bo->tiling == tiling && bo->stride == stride)
		return;

	bo->tiling = tiling;
	bo->stride = stride;

	/* Mappings through the aperture fault again, and find the new tiling. */
	mutex_lock(&igen->ggtt.vm.mutex);
	igen_bo_zap_aperture(bo);
	igen_for_each_ggtt_vma(vma, bo)
		igen_fence_reg_release(vma);
	mutex_unlock(&igen->ggtt.vm.mutex);
}

/**
 * igen_gem_set_tiling_ioctl - DRM_IOCTL_I915_GEM_SET_TILING
 * @drm: the DRM device
 * @data: struct drm_i915_gem_set_tiling
 * @file: the caller's file
 *
 * Return: 0, -ENOENT, -EINVAL, -ENXIO for user memory, -ERESTARTSYS.
 */
int igen_gem_set_tiling_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_set_tiling *args = data;
	struct igen_bo *bo;
	int err;

	bo = igen_gem_lookup(file, args->handle);
	if (!bo)
		return -ENOENT;

	err = -ENXIO;
	if (igen_gem_is_userptr(bo))
		goto out;
	err = -EINVAL;
	if (!tiling_ok(to_igen(drm), args->tiling_mode, args->stride))
		goto out;

	args->swizzle_mode = tiling_swizzle(to_igen(drm), args->tiling_mode);
	if (args->tiling_mode == I915_TILING_NONE)
		args->stride = 0;

	err = igen_gem_lock(bo);
	if (err)
		goto out;
	tiling_set(to_igen(drm), bo, args->tiling_mode, args->stride);
	igen_bo_unlock(bo);
out:
	igen_bo_put(bo);
	return err;
}

/**
 * igen_gem_get_tiling_ioctl - DRM_IOCTL_I915_GEM_GET_TILING
 * @drm: the DRM device
 * @data: struct drm_i915_gem_get_tiling
 * @file: the caller's file
 *
 * Return: 0 or -ENOENT.
 */
int igen_gem_get_tiling_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_get_tiling *args = data;
	struct igen_bo *bo = igen_gem_lookup(file, args->handle);

	if (!bo)
		return -ENOENT;
	args->tiling_mode = READ_ONCE(bo->tiling);
	args->swizzle_mode = tiling_swizzle(to_igen(drm), args->tiling_mode);
	args->phys_swizzle_mode = args->swizzle_mode;
	igen_bo_put(bo);
	return 0;
}
