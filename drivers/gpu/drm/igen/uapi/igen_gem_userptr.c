// SPDX-License-Identifier: MIT
/*
 * DOC: Objects over user memory
 *
 * Not there yet: userspace is told so as i915 tells it without MMU notifiers, and does without.
 */
#include <drm/drm_device.h>

#include "igen_gem.h"
#include "igen_uapi.h"

bool igen_gem_is_userptr(const struct igen_bo *bo)
{
	return false;
}

int igen_gem_userptr_probe(struct igen_bo *bo)
{
	return -ENODEV;
}

/**
 * igen_gem_userptr_ioctl - DRM_IOCTL_I915_GEM_USERPTR
 * @drm: the DRM device
 * @data: struct drm_i915_gem_userptr
 * @file: the caller's file
 *
 * Return: -ENODEV, or -EINVAL for flags that do not exist.
 */
int igen_gem_userptr_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_userptr *args = data;

	if (args->flags & ~(I915_USERPTR_READ_ONLY | I915_USERPTR_PROBE | I915_USERPTR_UNSYNCHRONIZED))
		return -EINVAL;
	return -ENODEV;
}
