// SPDX-License-Identifier: MIT
/**
 * DOC: Domains and caching
 *
 * CPU and GPU share the last level cache, so with I915_CACHING_CACHED nothing needs flushing: SET_DOMAIN waits for the
 * GPU, and that is it. With I915_CACHING_NONE the GPU goes past the caches. What the CPU wrote through them is
 * flushed before the GPU looks (igen_bo.cpu_dirty), and lines that the CPU may hold from before are dropped
 * when it turns to the object again. The domains themselves are kept as i915 has them, since userspace asks to
 * move between them.
 */
#include <drm/drm_cache.h>

#include "../mm/igen_bo.h"
#include "igen_gem.h"
#include "igen_uapi.h"

static bool coherent(const struct igen_bo *bo)
{
	return bo->cache_level != IGEN_CACHE_NONE;
}

/**
 * igen_gem_prepare_cpu - an object is about to be used by the CPU through its caches
 * @bo: the object, locked, its pages pinned
 * @write: it will be written
 *
 * Waits for the GPU.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int igen_gem_prepare_cpu(struct igen_bo *bo, bool write)
{
	long left = igen_bo_wait(bo, write, true, MAX_SCHEDULE_TIMEOUT);

	if (left < 0)
		return left;

	if (!coherent(bo) && !(bo->read_domains & I915_GEM_DOMAIN_CPU))
		igen_bo_flush_cpu(bo);
	bo->read_domains |= I915_GEM_DOMAIN_CPU;
	bo->write_domain &= I915_GEM_DOMAIN_CPU;
	if (write) {
		bo->read_domains = I915_GEM_DOMAIN_CPU;
		bo->write_domain = I915_GEM_DOMAIN_CPU;
		bo->cpu_dirty = true;
	}
	return 0;
}

/* To be used past the CPU's caches: through the aperture or write-combining. */
static int prepare_uncached(struct igen_bo *bo, u32 domain, bool write)
{
	long left = igen_bo_wait(bo, write, true, MAX_SCHEDULE_TIMEOUT);

	if (left < 0)
		return left;

	igen_bo_prepare_gpu(bo);
	bo->read_domains |= domain;
	bo->write_domain &= domain;
	if (write) {
		bo->read_domains = domain;
		bo->write_domain = domain;
	}
	return 0;
}

static int set_domain(struct igen_bo *bo, u32 read_domains, bool write)
{
	int err;

	err = igen_bo_pin_pages(bo);
	if (err)
		return err;

	if (bo->write_domain == read_domains)
		err = 0;
	else if (read_domains & I915_GEM_DOMAIN_WC)
		err = prepare_uncached(bo, I915_GEM_DOMAIN_WC, write);
	else if (read_domains & I915_GEM_DOMAIN_GTT)
		err = prepare_uncached(bo, I915_GEM_DOMAIN_GTT, write);
	else
		err = igen_gem_prepare_cpu(bo, write);

	igen_bo_unpin_pages(bo);
	return err;
}

/**
 * igen_gem_set_domain_ioctl - DRM_IOCTL_I915_GEM_SET_DOMAIN
 * @drm: the DRM device
 * @data: struct drm_i915_gem_set_domain
 * @file: the caller's file
 *
 * Return: 0, -EINVAL for the GPU's domains or a contradiction, -ENOENT, -EFAULT, -ENOMEM,
 * -ERESTARTSYS.
 */
int igen_gem_set_domain_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_set_domain *args = data;
	struct igen_bo *bo;
	long err;

	/* Bits that name no domain are taken, as by i915: they stand for the CPU's. */
	if ((args->write_domain | args->read_domains) & IGEN_GPU_DOMAINS)
		return -EINVAL;
	/* What is written is read in the same domain, and only there. */
	if (args->write_domain && args->read_domains != args->write_domain)
		return -EINVAL;
	if (!args->read_domains)
		return 0;

	bo = igen_gem_lookup(file, args->handle);
	if (!bo)
		return -ENOENT;

	/* Waited for without the lock first, so that others get on. */
	err = igen_bo_wait(bo, args->write_domain, true, MAX_SCHEDULE_TIMEOUT);
	if (err < 0)
		goto out;

	if (igen_gem_is_userptr(bo)) {
		err = igen_gem_userptr_prepare(bo);
		goto out;
	}

	err = igen_gem_lock(bo);
	if (err)
		goto out;
	err = set_domain(bo, args->read_domains, args->write_domain);
	igen_bo_unlock(bo);
out:
	igen_bo_put(bo);
	return err;
}

/**
 * igen_gem_sw_finish_ioctl - DRM_IOCTL_I915_GEM_SW_FINISH
 * @drm: the DRM device
 * @data: struct drm_i915_gem_sw_finish
 * @file: the caller's file
 *
 * It is for what a display shows, so there is nothing to do.
 *
 * Return: 0 or -ENOENT.
 */
int igen_gem_sw_finish_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_sw_finish *args = data;
	struct igen_bo *bo = igen_gem_lookup(file, args->handle);

	if (!bo)
		return -ENOENT;
	igen_bo_put(bo);
	return 0;
}

/**
 * igen_gem_get_caching_ioctl - DRM_IOCTL_I915_GEM_GET_CACHING
 * @drm: the DRM device
 * @data: struct drm_i915_gem_caching
 * @file: the caller's file
 *
 * Return: 0 or -ENOENT.
 */
int igen_gem_get_caching_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_caching *args = data;
	struct igen_bo *bo = igen_gem_lookup(file, args->handle);

	if (!bo)
		return -ENOENT;
	switch (READ_ONCE(bo->cache_level)) {
	case IGEN_CACHE_LLC:
		args->caching = I915_CACHING_CACHED;
		break;
	case IGEN_CACHE_DISPLAY:
		args->caching = I915_CACHING_DISPLAY;
		break;
	case IGEN_CACHE_NONE:
		args->caching = I915_CACHING_NONE;
		break;
	}
	igen_bo_put(bo);
	return 0;
}

static int set_caching(struct igen_bo *bo, enum igen_cache_level level)
{
	int err;

	if (bo->cache_level == level)
		return 0;

	/* Entries say how a page is cached, so the object is bound anew. */
	err = igen_bo_unbind_all(bo, true);
	if (err)
		return err;

	/* Lines may be anywhere now. */
	bo->cache_level = level;
	bo->cpu_dirty = true;
	bo->read_domains = 0;
	bo->write_domain = 0;
	return 0;
}

/**
 * igen_gem_set_caching_ioctl - DRM_IOCTL_I915_GEM_SET_CACHING
 * @drm: the DRM device
 * @data: struct drm_i915_gem_caching
 * @file: the caller's file
 *
 * Caching for a display is none, since nothing here writes through.
 *
 * Return: 0, -EINVAL, -ENOENT, -ENXIO for user memory, -ENODEV for cached without a shared cache, -EBUSY, -ERESTARTSYS.
 */
int igen_gem_set_caching_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_caching *args = data;
	enum igen_cache_level level;
	struct igen_bo *bo;
	int err = 0;

	switch (args->caching) {
	case I915_CACHING_NONE:
	case I915_CACHING_DISPLAY:
		level = IGEN_CACHE_NONE;
		break;
	case I915_CACHING_CACHED:
		if (!to_igen(drm)->platform->has_llc)
			return -ENODEV;
		level = IGEN_CACHE_LLC;
		break;
	default:
		return -EINVAL;
	}

	bo = igen_gem_lookup(file, args->handle);
	if (!bo)
		return -ENOENT;

	if (igen_gem_is_userptr(bo)) {
		/* It is cached whatever userspace says, and some say so. */
		if (level != IGEN_CACHE_LLC)
			err = -ENXIO;
		goto out;
	}

	err = igen_gem_lock(bo);
	if (err)
		goto out;
	err = set_caching(bo, level);
	igen_bo_unlock(bo);
out:
	igen_bo_put(bo);
	return err;
}
