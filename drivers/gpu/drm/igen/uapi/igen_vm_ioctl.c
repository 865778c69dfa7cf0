// SPDX-License-Identifier: MIT
/**
 * DOC: Handles of address spaces
 *
 * VM_CREATE makes a PPGTT that several contexts of the file may share; the handle is one of its references.
 */
#include "../mm/igen_budget.h"
#include "../mm/igen_vm.h"
#include "igen_uapi.h"

/**
 * igen_vm_lookup - the address space of a handle
 * @file: the file
 * @id: the handle
 *
 * Return: the address space, counted, or NULL.
 */
struct igen_vm *igen_vm_lookup(struct igen_file *file, u32 id)
{
	struct igen_vm *vm;

	xa_lock(&file->vms);
	vm = xa_load(&file->vms, id);
	if (vm)
		igen_vm_get(vm);
	xa_unlock(&file->vms);

	return vm;
}

/**
 * igen_vm_create_ioctl - DRM_IOCTL_I915_GEM_VM_CREATE
 * @drm: the DRM device
 * @data: receives the handle
 * @drm_file: the caller's file
 *
 * Return: 0, -EINVAL for flags or an extension, -ENODEV when the device has gone, -ENOMEM, -EFAULT.
 */
int igen_vm_create_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct igen_file *file = to_igen_file(drm_file);
	struct drm_i915_gem_vm_control *args = data;
	struct igen_vm *vm;
	u32 id;
	int err;

	if (args->flags)
		return -EINVAL;

	/* No extension is known, so any is refused. */
	err = igen_user_extensions(u64_to_user_ptr(args->extensions), NULL, 0, NULL);
	if (err)
		return err;

	vm = igen_ppgtt_create(file->igen, file->client->budget);
	if (IS_ERR(vm))
		return PTR_ERR(vm);

	err = xa_alloc(&file->vms, &id, vm, xa_limit_32b, IGEN_GFP_CLIENT);
	if (err) {
		igen_vm_put(vm);
		return err;
	}

	args->vm_id = id;
	return 0;
}

/**
 * igen_vm_destroy_ioctl - DRM_IOCTL_I915_GEM_VM_DESTROY
 * @drm: the DRM device
 * @data: the handle
 * @drm_file: the caller's file
 *
 * Contexts that use the address space keep it.
 *
 * Return: 0, -EINVAL for flags or an extension, -ENOENT.
 */
int igen_vm_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct igen_file *file = to_igen_file(drm_file);
	const struct drm_i915_gem_vm_control *args = data;
	struct igen_vm *vm;

	if (args->flags || args->extensions)
		return -EINVAL;

	vm = xa_erase(&file->vms, args->vm_id);
	if (!vm)
		return -ENOENT;
	igen_vm_put(vm);
	return 0;
}
