// SPDX-License-Identifier: MIT
/**
 * DOC: Creating and closing objects
 *
 * GEM_CREATE and its extensible form, dumb buffers, and the functions that DRM calls for an object. There is one kind
 * of memory, system memory. Protected content is refused, since it needs a unit (PXP) that igen does not drive.
 */
#include <drm/drm_fourcc.h>
#include <linux/nospec.h>

#include "../mm/igen_bo.h"
#include "../mm/igen_bo_cache.h"
#include "../submit/igen_client.h"
#include "igen_gem.h"
#include "igen_uapi.h"

static void object_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct igen_client *client = to_igen_file(file)->client;
	struct igen_bo *bo = to_igen_bo(obj);

	igen_gem_close_object(obj, file);
	igen_gem_mmap_revoke(bo, file);
	igen_bo_cache_put(&client->closed_bos, bo, client->budget);
}

const struct drm_gem_object_funcs igen_gem_funcs = {
	.free = igen_bo_free_object,
	.close = object_close,
	.export = igen_gem_prime_export,
};

/**
 * igen_gem_lookup - find the object of a handle
 * @file: the file with the handle
 * @handle: the handle
 *
 * Return: the object with a reference, or NULL.
 */
struct igen_bo *igen_gem_lookup(struct drm_file *file, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, handle);

	return obj ? to_igen_bo(obj) : NULL;
}

/**
 * igen_gem_lock - locks an object on behalf of userspace
 * @bo: the object
 *
 * Return: 0 or -ERESTARTSYS.
 */
int igen_gem_lock(struct igen_bo *bo)
{
	return dma_resv_lock_interruptible(bo->base.resv, NULL) ? -ERESTARTSYS : 0;
}

/* An object without a handle, charged to the client. */
static struct igen_bo *object_make(struct igen_device *igen, struct igen_client *client, u64 size)
{
	struct igen_bo *bo;
	int err;

	bo = igen_bo_cache_get(igen, &client->closed_bos, size);
	if (bo)
		return bo;
	bo = igen_bo_create_shmem(igen, size);
	if (IS_ERR(bo))
		return bo;
	err = igen_bo_charge(bo, client->budget);
	/* What the client has closed and may get again is charged, too. */
	if (err && igen_bo_cache_empty(igen, &client->closed_bos))
		err = igen_bo_charge(bo, client->budget);
	if (err) {
		drm_dbg(&igen->drm, "the client has too many objects\n");
		igen_bo_put(bo);
		return ERR_PTR(err);
	}
	return bo;
}

/* Creates an object and its handle. The handle is the last step: userspace may guess and use it at once. */
static int object_create(struct drm_device *drm, struct drm_file *file, u64 *size, u32 *handle)
{
	struct igen_bo *bo;
	int err;

	/* The sum overflows to 0 for a size that is too large. */
	*size = round_up(*size, PAGE_SIZE);
	bo = object_make(to_igen(drm), to_igen_file(file)->client, *size);
	if (IS_ERR(bo))
		return PTR_ERR(bo);

	err = drm_gem_handle_create(file, &bo->base, handle);
	igen_bo_put(bo);
	return err;
}

/**
 * igen_gem_create_ioctl - DRM_IOCTL_I915_GEM_CREATE
 * @drm: the DRM device
 * @data: struct drm_i915_gem_create
 * @file: the caller's file
 *
 * Return: 0, -EINVAL for no size, -E2BIG, -ENOMEM.
 */
int igen_gem_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_create *args = data;

	return object_create(drm, file, &args->size, &args->handle);
}

struct create_ext {
	struct drm_device *drm;
	unsigned int num_regions;
};

/* Regions that userspace may name: system memory, once. */
static int object_ext_regions(struct i915_user_extension __user *base, void *data)
{
	struct drm_i915_gem_create_ext_memory_regions ext;
	struct drm_i915_gem_memory_class_instance region;
	struct create_ext *create_ext = data;

	if (copy_from_user(&ext, base, sizeof(ext)))
		return -EFAULT;
	if (ext.pad || ext.num_regions != 1 || create_ext->num_regions) {
		drm_dbg(create_ext->drm, "there is one memory region, to be named once\n");
		return -EINVAL;
	}
	if (copy_from_user(&region, u64_to_user_ptr(ext.regions), sizeof(region)))
		return -EFAULT;
	if (region.memory_class != I915_MEMORY_CLASS_SYSTEM || region.memory_instance) {
		drm_dbg(create_ext->drm, "no memory region of class %u, instance %u\n", region.memory_class,
			region.memory_instance);
		return -EINVAL;
	}
	create_ext->num_regions = ext.num_regions;
	return 0;
}

static int object_ext_protected(struct i915_user_extension __user *base, void *data)
{
	struct drm_i915_gem_create_ext_protected_content ext;

	if (copy_from_user(&ext, base, sizeof(ext)))
		return -EFAULT;
	return ext.flags ? -EINVAL : -ENODEV;
}

static const igen_extension_fn create_extensions[] = {
	[I915_GEM_CREATE_EXT_MEMORY_REGIONS] = object_ext_regions,
	[I915_GEM_CREATE_EXT_PROTECTED_CONTENT] = object_ext_protected,
};

/**
 * igen_gem_create_ext_ioctl - DRM_IOCTL_I915_GEM_CREATE_EXT
 * @drm: the DRM device
 * @data: struct drm_i915_gem_create_ext
 * @file: the caller's file
 *
 * Return: 0, -EINVAL, -E2BIG, -ENOMEM, -EFAULT, -ENODEV for protected content.
 */
int igen_gem_create_ext_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_create_ext *args = data;
	struct create_ext create_ext = { .drm = drm };
	int err;

	/* I915_GEM_CREATE_EXT_FLAG_NEEDS_CPU_ACCESS chooses among several regions, which are never given. */
	if (args->flags)
		return -EINVAL;

	err = igen_user_extensions(u64_to_user_ptr(args->extensions), create_extensions,
				   ARRAY_SIZE(create_extensions), &create_ext);
	if (err)
		return err;

	return object_create(drm, file, &args->size, &args->handle);
}

/**
 * igen_gem_dumb_create - drm_driver.dumb_create
 * @file: the caller's file
 * @drm: the DRM device
 * @args: size and format; receives the handle, pitch and size
 *
 * Rows are multiples of 64 bytes.
 *
 * Return: 0, -EINVAL, -E2BIG, -ENOMEM.
 */
int igen_gem_dumb_create(struct drm_file *file, struct drm_device *drm, struct drm_mode_create_dumb *args)
{
	u64 pitch, size;
	int err;

	switch (DIV_ROUND_UP(args->bpp, 8)) {
	case 1:
	case 2:
	case 4:
		break;
	default:
		return -EINVAL;
	}

	pitch = ALIGN((u64)args->width * DIV_ROUND_UP(args->bpp, 8), 64);
	if (pitch > U32_MAX)
		return -EINVAL;
	size = pitch * args->height;
	err = object_create(drm, file, &size, &args->handle);
	if (err)
		return err;

	args->pitch = pitch;
	args->size = size;
	return 0;
}

/**
 * igen_gem_get_aperture_ioctl - DRM_IOCTL_I915_GEM_GET_APERTURE
 * @drm: the DRM device
 * @data: struct drm_i915_gem_get_aperture
 * @file: the caller's file
 *
 * The sizes are those of the whole GGTT, as on i915.
 *
 * Return: 0 or -EINTR.
 */
int igen_gem_get_aperture_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_get_aperture *args = data;
	struct igen_vm *vm = &to_igen(drm)->ggtt.vm;
	struct igen_vma *vma;
	u64 pinned = 0;

	if (mutex_lock_interruptible(&vm->mutex))
		return -EINTR;
	list_for_each_entry(vma, &vm->bound, vm_link)
		if (vma->pin_count)
			pinned += vma->node.size;
	mutex_unlock(&vm->mutex);

	args->aper_size = vm->total;
	args->aper_available_size = vm->total - pinned;
	return 0;
}
