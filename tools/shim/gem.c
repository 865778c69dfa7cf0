// SPDX-License-Identifier: MIT
/**
 * DOC: Objects
 *
 * An object is a range of the memory file, or with USERPTR the program's own memory. Nothing is busy between two
 * submissions, CPU and engines see the same bytes, and memory is never taken away: so waits, domains, caching and
 * madvise are checked and have no other effect.
 *
 * Error numbers are those of stock i915 for the same mistake.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu.h"
#include "mem/mem.h"

struct bo *bo_new(uint64_t size)
{
	struct bo *bo = calloc(1, sizeof(*bo));

	if (!bo)
		return NULL;
	bo->refs = 1;
	bo->size = size;
	bo->caching = gpu_device()->platform->no_llc ? I915_CACHING_NONE : I915_CACHING_CACHED;
	bo->madv = I915_MADV_WILLNEED;
	return bo;
}

/* Once it has memory. */
static void bo_publish(struct bo *bo)
{
	bo->next = shim.bos;
	bo->link = &shim.bos;
	if (shim.bos)
		shim.bos->link = &bo->next;
	shim.bos = bo;
}

struct bo *bo_get(struct bo *bo)
{
	bo->refs++;
	return bo;
}

void bo_unbind_global(struct bo *bo)
{
	if (bo->global)
		ggtt_unmap(bo->global, bo->size);
	bo->global = 0;
}

void bo_put(struct bo *bo)
{
	if (--bo->refs)
		return;
	while (bo->vmas)
		vma_unbind(bo->vmas);
	bo_unbind_global(bo);
	*bo->link = bo->next;
	if (bo->next)
		bo->next->link = bo->link;
	memory_release(bo);
	free(bo);
}

struct bo *bo_lookup(struct file *file, uint32_t handle)
{
	return handle_get(&file->bos, handle);
}

/* A handle has a reference of its own. */
int bo_handle(struct file *file, struct bo *bo, uint32_t *handle)
{
	int err = handle_add(&file->bos, bo, handle);

	if (err)
		return err;
	bo_get(bo);
	bo->handles++;
	return 0;
}

void bo_handle_closed(struct bo *bo)
{
	/* A name ends with the last handle. */
	if (!--bo->handles)
		bo->name = 0;
	bo_put(bo);
}

static int create(struct file *file, uint64_t *size, uint32_t *handle)
{
	struct bo *bo;
	int err;

	if (!*size)
		return -EINVAL;
	if (*size > INT64_MAX - PAGE)
		return -E2BIG;
	bo = bo_new(round_up(*size, PAGE));
	if (!bo)
		return -ENOMEM;
	err = memory_alloc(bo);
	if (err) {
		free(bo);
		return err;
	}
	bo_publish(bo);
	err = bo_handle(file, bo, handle);
	*size = bo->size;
	bo_put(bo);
	return err;
}

int ioctl_gem_create(struct file *file, void *data)
{
	struct drm_i915_gem_create *args = data;
	uint64_t size = args->size;
	int err = create(file, &size, &args->handle);

	if (!err)
		args->size = size;
	return err;
}

/* Where it may be: there is system memory and nothing else. */
static int create_regions(uint64_t addr, void *data)
{
	struct drm_i915_gem_create_ext_memory_regions ext;
	struct drm_i915_gem_memory_class_instance region;
	bool *seen = data;

	if (copy_in(&ext, addr, sizeof(ext)))
		return -EFAULT;
	if (*seen || ext.pad || !ext.num_regions || ext.num_regions > 1)
		return -EINVAL;
	if (copy_in(&region, ext.regions, sizeof(region)))
		return -EFAULT;
	if (region.memory_class != I915_MEMORY_CLASS_SYSTEM || region.memory_instance)
		return -EINVAL;
	*seen = true;
	return 0;
}

static int create_protected(uint64_t addr, void *data)
{
	(void)addr;
	(void)data;
	return -ENODEV;
}

int ioctl_gem_create_ext(struct file *file, void *data)
{
	static const extension_fn extensions[] = {
		[I915_GEM_CREATE_EXT_MEMORY_REGIONS] = create_regions,
		[I915_GEM_CREATE_EXT_PROTECTED_CONTENT] = create_protected,
	};
	struct drm_i915_gem_create_ext *args = data;
	bool regions = false;
	uint64_t size = args->size;
	int err;

	if (args->flags)
		return -EINVAL;
	err = user_extensions(args->extensions, extensions, ARRAY_SIZE(extensions), &regions);
	if (!err)
		err = create(file, &size, &args->handle);
	if (!err)
		args->size = size;
	return err;
}

/* Is all of it there, as the kernel would find when it takes its pages? */
static int userptr_pages(const struct bo *bo)
{
	int advice = bo->read_only ? MADV_POPULATE_READ : MADV_POPULATE_WRITE;

	if (!madvise(bo->cpu, bo->size, advice))
		return 0;
	/* An older kernel tells at least whether there is a mapping. */
	if (errno == EINVAL && !msync(bo->cpu, bo->size, MS_ASYNC))
		return 0;
	return -EFAULT;
}

int ioctl_gem_userptr(struct file *file, void *data)
{
	struct drm_i915_gem_userptr *args = data;
	struct bo *bo;
	int err;

	if (args->flags & ~(I915_USERPTR_READ_ONLY | I915_USERPTR_UNSYNCHRONIZED | I915_USERPTR_PROBE))
		return -EINVAL;
	if (!args->user_size || args->user_ptr % PAGE || args->user_size % PAGE || args->user_size > INT64_MAX)
		return -EINVAL;
	/* Tables of Gen6 and Gen7 have no such pages. */
	if (args->flags & I915_USERPTR_READ_ONLY && gpu_device()->platform->tables != &page_tables_gen8)
		return -ENODEV;
	if (args->user_ptr >> 47 || args->user_size > (1ull << 47) - args->user_ptr)
		return -EFAULT;
	bo = bo_new(args->user_size);
	if (!bo)
		return -ENOMEM;
	bo->read_only = args->flags & I915_USERPTR_READ_ONLY;
	bo->caching = I915_CACHING_CACHED;
	err = memory_borrow(bo, (void *)(uintptr_t)args->user_ptr);
	if (err) {
		free(bo);
		return err;
	}
	bo_publish(bo);
	if (args->flags & I915_USERPTR_PROBE)
		err = userptr_pages(bo);
	if (!err)
		err = bo_handle(file, bo, &args->handle);
	bo_put(bo);
	return err;
}

/**
 * bo_prepare() - has an object be there for a submission
 * @bo: the object
 *
 * Return: 0; -EFAULT when the program has unmapped the memory that it gave.
 */
int bo_prepare(const struct bo *bo)
{
	return bo->arena ? 0 : userptr_pages(bo);
}

static int transfer_check(const struct bo *bo, uint64_t offset, uint64_t size)
{
	if (!bo)
		return -ENOENT;
	if (offset > bo->size || size > bo->size - offset)
		return -EINVAL;
	return bo->arena ? 0 : -EINVAL;
}

int ioctl_gem_pread(struct file *file, void *data)
{
	struct drm_i915_gem_pread *args = data;
	struct bo *bo = bo_lookup(file, args->handle);
	int err = transfer_check(bo, args->offset, args->size);

	return err ? err : copy_out(args->data_ptr, bo->cpu + args->offset, args->size);
}

int ioctl_gem_pwrite(struct file *file, void *data)
{
	struct drm_i915_gem_pwrite *args = data;
	struct bo *bo = bo_lookup(file, args->handle);
	int err = transfer_check(bo, args->offset, args->size);

	return err ? err : copy_in(bo->cpu + args->offset, args->data_ptr, args->size);
}

/* A stride that a fence register could hold. */
static bool stride_fits(uint32_t tiling, uint32_t stride)
{
	uint32_t tile = tiling == I915_TILING_X ? 512 : 128;

	return stride && stride % tile == 0 && stride <= 256 * 1024;
}

int ioctl_gem_set_tiling(struct file *file, void *data)
{
	struct drm_i915_gem_set_tiling *args = data;
	struct bo *bo = bo_lookup(file, args->handle);

	if (!bo)
		return -ENOENT;
	if (args->tiling_mode > I915_TILING_Y || !bo->arena)
		return bo->arena ? -EINVAL : -ENXIO;
	if (args->tiling_mode != I915_TILING_NONE && !stride_fits(args->tiling_mode, args->stride))
		return -EINVAL;
	bo->tiling = args->tiling_mode;
	bo->stride = args->tiling_mode ? args->stride : 0;
	args->stride = bo->stride;
	args->swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
	return 0;
}

int ioctl_gem_get_tiling(struct file *file, void *data)
{
	struct drm_i915_gem_get_tiling *args = data;
	struct bo *bo = bo_lookup(file, args->handle);

	if (!bo)
		return -ENOENT;
	args->tiling_mode = bo->tiling;
	args->swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
	args->phys_swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
	return 0;
}

int ioctl_gem_set_caching(struct file *file, void *data)
{
	struct drm_i915_gem_caching *args = data;
	struct bo *bo = bo_lookup(file, args->handle);

	if (args->caching > I915_CACHING_DISPLAY)
		return -EINVAL;
	if (!bo)
		return -ENOENT;
	if (!bo->arena)
		return -ENXIO;
	/* Writing through is what displays of parts with eDRAM want. */
	bo->caching = args->caching == I915_CACHING_DISPLAY ? I915_CACHING_NONE : args->caching;
	return 0;
}

int ioctl_gem_get_caching(struct file *file, void *data)
{
	struct drm_i915_gem_caching *args = data;
	struct bo *bo = bo_lookup(file, args->handle);

	if (!bo)
		return -ENOENT;
	args->caching = bo->caching;
	return 0;
}

int ioctl_gem_set_domain(struct file *file, void *data)
{
	struct drm_i915_gem_set_domain *args = data;

	if ((args->read_domains | args->write_domain) & ~(uint32_t)(I915_GEM_DOMAIN_CPU | I915_GEM_DOMAIN_GTT |
								    I915_GEM_DOMAIN_WC))
		return -EINVAL;
	if (args->write_domain && args->read_domains != args->write_domain)
		return -EINVAL;
	return bo_lookup(file, args->handle) || !args->read_domains ? 0 : -ENOENT;
}

int ioctl_gem_sw_finish(struct file *file, void *data)
{
	struct drm_i915_gem_sw_finish *args = data;

	return bo_lookup(file, args->handle) ? 0 : -ENOENT;
}

int ioctl_gem_busy(struct file *file, void *data)
{
	struct drm_i915_gem_busy *args = data;

	if (!bo_lookup(file, args->handle))
		return -ENOENT;
	args->busy = 0;
	return 0;
}

int ioctl_gem_wait(struct file *file, void *data)
{
	struct drm_i915_gem_wait *args = data;

	if (args->flags)
		return -EINVAL;
	return bo_lookup(file, args->bo_handle) ? 0 : -ENOENT;
}

int ioctl_gem_madvise(struct file *file, void *data)
{
	struct drm_i915_gem_madvise *args = data;
	struct bo *bo = bo_lookup(file, args->handle);

	if (args->madv != I915_MADV_WILLNEED && args->madv != I915_MADV_DONTNEED)
		return -EINVAL;
	if (!bo)
		return -ENOENT;
	bo->madv = args->madv;
	args->retained = 1;
	return 0;
}

int ioctl_gem_throttle(struct file *file, void *data)
{
	(void)file;
	(void)data;
	return 0;
}

int ioctl_gem_aperture(struct file *file, void *data)
{
	struct drm_i915_gem_get_aperture *args = data;

	(void)file;
	args->aper_size = (uint64_t)gpu_device()->gtt->entries * PAGE;
	args->aper_available_size = args->aper_size;
	return 0;
}

int ioctl_gem_close(struct file *file, void *data)
{
	struct drm_gem_close *args = data;
	struct bo *bo = handle_remove(&file->bos, args->handle);

	if (!bo)
		return -EINVAL;
	bo_handle_closed(bo);
	return 0;
}
