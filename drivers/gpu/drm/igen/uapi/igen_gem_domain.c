// SPDX-License-Identifier: MIT
/**
 * DOC: Domains and caching
 *
 * The GPU shares the last-level cache with the CPU, or snoops the CPU's caches, when it accesses an object with
 * I915_CACHING_CACHED. Such an object needs no flushes, and SET_DOMAIN only waits for the GPU. With I915_CACHING_NONE
 * the GPU accesses memory past the caches. Then the driver writes back what the CPU wrote before the GPU uses the
 * object (igen_bo.cpu_dirty), and invalidates the CPU's lines before the CPU uses the object again. The driver keeps
 * domains as i915 does, since userspace moves objects between them.
 */
#include <drm/drm_cache.h>

#include "../mm/igen_bo.h"
#include "../mm/igen_ggtt.h"
#include "igen_gem.h"
#include "igen_uapi.h"

/**
 * igen_gem_prepare_cpu - prepare an object for the CPU's use through its caches
 * @bo: the object, locked, its pages pinned
 * @write: the CPU will write
 *
 * Waits for the GPU. The CPU's caches then show what the GPU has written.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int igen_gem_prepare_cpu(struct igen_bo *bo, bool write)
{
	long left = igen_bo_wait(bo, write, true, MAX_SCHEDULE_TIMEOUT);

	if (left < 0)
		return left;

	if (!igen_bo_is_coherent(bo) && !(bo->read_domains & I915_GEM_DOMAIN_CPU))
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

/* Prepares an object for use past the CPU's caches: through the aperture or a write-combining mapping. */
static int domain_prepare_uncached(struct igen_bo *bo, u32 domain, bool write)
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

static int domain_set(struct igen_bo *bo, u32 read_domains, bool write)
{
	int err;

	err = igen_bo_pin_pages(bo);
	if (err)
		return err;

	if (bo->write_domain == I915_GEM_DOMAIN_GTT && read_domains != I915_GEM_DOMAIN_GTT)
		igen_ggtt_flush_writes(to_igen(bo->base.dev));
	if (bo->write_domain == read_domains)
		err = 0;
	else if (read_domains & I915_GEM_DOMAIN_WC)
		err = domain_prepare_uncached(bo, I915_GEM_DOMAIN_WC, write);
	else if (read_domains & I915_GEM_DOMAIN_GTT)
		err = domain_prepare_uncached(bo, I915_GEM_DOMAIN_GTT, write);
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
	/* ABI: a write domain has to be the only read domain, too. */
	if (args->write_domain && args->read_domains != args->write_domain)
		return -EINVAL;
	if (!args->read_domains)
		return 0;

	bo = igen_gem_lookup(file, args->handle);
	if (!bo)
		return -ENOENT;

	/* The first wait is without the lock, so that other tasks can use the object meanwhile. */
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
	err = domain_set(bo, args->read_domains, args->write_domain);
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
 * The ioctl flushes objects for a display. igen has none, so there is nothing to do.
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
	case IGEN_CACHE_COHERENT:
		args->caching = I915_CACHING_CACHED;
		break;
	case IGEN_CACHE_NONE:
		args->caching = I915_CACHING_NONE;
		break;
	case IGEN_CACHE_DISPLAY:
		args->caching = I915_CACHING_DISPLAY;
		break;
	}
	igen_bo_put(bo);
	return 0;
}

static int caching_set(struct igen_bo *bo, enum igen_cache_level level)
{
	int err;

	if (bo->cache_level == level)
		return 0;

	/* Page table entries contain the caching, so the object is unbound and gets new ones. */
	err = igen_bo_unbind_all(bo, true);
	if (err)
		return err;

	/* The GPU has written past the CPU's caches. It must not find stale lines there if it snoops from now on. */
	if (bo->pages && !igen_bo_is_coherent(bo))
		igen_bo_flush_cpu(bo);
	/* A mapping "as through the aperture" is not for each caching. */
	igen_bo_zap_aperture(bo);
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
 * Caching for a display is none on parts without eDRAM, which alone could hold what a display reads.
 *
 * Return: 0, -EINVAL, -ENOENT, -ENXIO for user memory, -ENODEV for cached when the GPU cannot snoop, -EBUSY,
 * -ERESTARTSYS.
 */
int igen_gem_set_caching_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_caching *args = data;
	enum igen_cache_level level;
	struct igen_bo *bo;
	int err = 0;

	switch (args->caching) {
	case I915_CACHING_NONE:
		level = IGEN_CACHE_NONE;
		break;
	case I915_CACHING_DISPLAY:
		level = to_igen(drm)->topology.edram_mb ? IGEN_CACHE_DISPLAY : IGEN_CACHE_NONE;
		break;
	case I915_CACHING_CACHED:
		if (!to_igen(drm)->platform->has_coherent_access)
			return -ENODEV;
		level = IGEN_CACHE_COHERENT;
		break;
	default:
		return -EINVAL;
	}

	bo = igen_gem_lookup(file, args->handle);
	if (!bo)
		return -ENOENT;

	if (igen_gem_is_userptr(bo)) {
		/* A userptr object is always cached. Some userspace asks for that explicitly, so it is no error. */
		if (level != IGEN_CACHE_COHERENT)
			err = -ENXIO;
		goto out;
	}

	err = igen_gem_lock(bo);
	if (err)
		goto out;
	err = caching_set(bo, level);
	igen_bo_unlock(bo);
out:
	igen_bo_put(bo);
	return err;
}
