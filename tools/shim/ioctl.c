// SPDX-License-Identifier: MIT
/**
 * DOC: Ioctls
 *
 * From a number to a function. As in the kernel the size in the number is the program's: an argument is copied in, with
 * zeros for what an older program does not know, and copied out again if the number says so.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

#define MAX_ARGUMENT	256

#define NR(request)	_IOC_NR(request)
#define I915(nr)	(DRM_COMMAND_BASE + (nr))

struct entry {
	int (*run)(struct file *file, void *data);
	bool unlocked;			/* takes the locks itself */
	bool primary;			/* is for card0 alone */
};

/* What a program reads of the driver. */
static int version_string(char *to, __kernel_size_t *room, const char *text)
{
	size_t n = strlen(text), fits = *room < n ? *room : n;

	*room = n;
	return to && fits ? copy_out((uintptr_t)to, text, fits) : 0;
}

static int drm_version(struct file *file, void *data)
{
	struct drm_version *v = data;
	int err;

	(void)file;
	v->version_major = 1;
	v->version_minor = 6;
	v->version_patchlevel = 0;
	err = version_string(v->name, &v->name_len, "i915");
	if (!err)
		err = version_string(v->date, &v->date_len, "20201103");
	return err ? err : version_string(v->desc, &v->desc_len, "Intel Graphics");
}

static int drm_get_unique(struct file *file, void *data)
{
	struct drm_unique *u = data;

	(void)file;
	return version_string(u->unique, &u->unique_len, "0000:00:02.0");
}

static int drm_get_cap(struct file *file, void *data)
{
	struct drm_get_cap *cap = data;

	(void)file;
	switch (cap->capability) {
	case DRM_CAP_PRIME:
		cap->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
		return 0;
	case DRM_CAP_TIMESTAMP_MONOTONIC:
	case DRM_CAP_SYNCOBJ:
	case DRM_CAP_SYNCOBJ_TIMELINE:
		cap->value = 1;
		return 0;
	default:
		/* The others are a display's. */
		return -EOPNOTSUPP;
	}
}

static int drm_set_version(struct file *file, void *data)
{
	struct drm_set_version *v = data;

	(void)file;
	v->drm_di_major = 1;
	v->drm_di_minor = 4;
	v->drm_dd_major = 1;
	v->drm_dd_minor = 6;
	return 0;
}

static int drm_get_magic(struct file *file, void *data)
{
	struct drm_auth *auth = data;

	(void)file;
	auth->magic = 1;
	return 0;
}

static int drm_get_client(struct file *file, void *data)
{
	struct drm_client *client = data;

	(void)file;
	if (client->idx)
		return -EINVAL;
	client->auth = 1;
	return 0;
}

static int drm_nothing(struct file *file, void *data)
{
	(void)file;
	(void)data;
	return 0;
}

static int drm_no_display(struct file *file, void *data)
{
	(void)file;
	(void)data;
	return -EOPNOTSUPP;
}

static int drm_absent(struct file *file, void *data)
{
	(void)file;
	(void)data;
	return -ENODEV;
}

/* GEM_CREATE and its extended form have numbers of their own; those of two sizes are told apart by their flags. */
static const struct entry table[256] = {
	[NR(DRM_IOCTL_VERSION)] = { drm_version },
	[NR(DRM_IOCTL_GET_UNIQUE)] = { drm_get_unique },
	[NR(DRM_IOCTL_GET_MAGIC)] = { drm_get_magic, .primary = true },
	[NR(DRM_IOCTL_AUTH_MAGIC)] = { drm_nothing, .primary = true },
	[NR(DRM_IOCTL_GET_CLIENT)] = { drm_get_client },
	[NR(DRM_IOCTL_SET_VERSION)] = { drm_set_version, .primary = true },
	[NR(DRM_IOCTL_SET_MASTER)] = { drm_nothing, .primary = true },
	[NR(DRM_IOCTL_DROP_MASTER)] = { drm_nothing, .primary = true },
	[NR(DRM_IOCTL_GET_CAP)] = { drm_get_cap },
	[NR(DRM_IOCTL_SET_CLIENT_CAP)] = { drm_no_display },
	[NR(DRM_IOCTL_GEM_CLOSE)] = { ioctl_gem_close },
	[NR(DRM_IOCTL_GEM_FLINK)] = { ioctl_gem_flink },
	[NR(DRM_IOCTL_GEM_OPEN)] = { ioctl_gem_open },
	[NR(DRM_IOCTL_PRIME_HANDLE_TO_FD)] = { ioctl_prime_export },
	[NR(DRM_IOCTL_PRIME_FD_TO_HANDLE)] = { ioctl_prime_import },
	[NR(DRM_IOCTL_SYNCOBJ_CREATE)] = { ioctl_syncobj_create },
	[NR(DRM_IOCTL_SYNCOBJ_DESTROY)] = { ioctl_syncobj_destroy },
	[NR(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD)] = { ioctl_syncobj_to_fd },
	[NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE)] = { ioctl_syncobj_from_fd },
	[NR(DRM_IOCTL_SYNCOBJ_WAIT)] = { ioctl_syncobj_wait },
	[NR(DRM_IOCTL_SYNCOBJ_RESET)] = { ioctl_syncobj_reset },
	[NR(DRM_IOCTL_SYNCOBJ_SIGNAL)] = { ioctl_syncobj_signal },
	[NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT)] = { ioctl_syncobj_timeline_wait },
	[NR(DRM_IOCTL_SYNCOBJ_QUERY)] = { ioctl_syncobj_query },
	[NR(DRM_IOCTL_SYNCOBJ_TRANSFER)] = { ioctl_syncobj_transfer },
	[NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL)] = { ioctl_syncobj_timeline_signal },
	[I915(DRM_I915_GETPARAM)] = { ioctl_getparam },
	[I915(DRM_I915_QUERY)] = { ioctl_query },
	[I915(DRM_I915_REG_READ)] = { ioctl_reg_read },
	[I915(DRM_I915_GEM_CREATE)] = { ioctl_gem_create },
	[I915(DRM_I915_GEM_CREATE_EXT)] = { ioctl_gem_create_ext },
	[I915(DRM_I915_GEM_MMAP)] = { ioctl_gem_mmap },
	[I915(DRM_I915_GEM_MMAP_GTT)] = { ioctl_gem_mmap_offset },
	[I915(DRM_I915_GEM_PREAD)] = { ioctl_gem_pread },
	[I915(DRM_I915_GEM_PWRITE)] = { ioctl_gem_pwrite },
	[I915(DRM_I915_GEM_USERPTR)] = { ioctl_gem_userptr },
	[I915(DRM_I915_GEM_SET_TILING)] = { ioctl_gem_set_tiling },
	[I915(DRM_I915_GEM_GET_TILING)] = { ioctl_gem_get_tiling },
	[I915(DRM_I915_GEM_SET_CACHING)] = { ioctl_gem_set_caching },
	[I915(DRM_I915_GEM_GET_CACHING)] = { ioctl_gem_get_caching },
	[I915(DRM_I915_GEM_SET_DOMAIN)] = { ioctl_gem_set_domain },
	[I915(DRM_I915_GEM_SW_FINISH)] = { ioctl_gem_sw_finish },
	[I915(DRM_I915_GEM_BUSY)] = { ioctl_gem_busy },
	[I915(DRM_I915_GEM_WAIT)] = { ioctl_gem_wait },
	[I915(DRM_I915_GEM_MADVISE)] = { ioctl_gem_madvise },
	[I915(DRM_I915_GEM_THROTTLE)] = { ioctl_gem_throttle },
	[I915(DRM_I915_GEM_GET_APERTURE)] = { ioctl_gem_aperture },
	[I915(DRM_I915_GEM_CONTEXT_CREATE)] = { ioctl_context_create },
	[I915(DRM_I915_GEM_CONTEXT_DESTROY)] = { ioctl_context_destroy },
	[I915(DRM_I915_GEM_CONTEXT_GETPARAM)] = { ioctl_context_getparam },
	[I915(DRM_I915_GEM_CONTEXT_SETPARAM)] = { ioctl_context_setparam },
	[I915(DRM_I915_GEM_VM_CREATE)] = { ioctl_vm_create },
	[I915(DRM_I915_GEM_VM_DESTROY)] = { ioctl_vm_destroy },
	[I915(DRM_I915_GET_RESET_STATS)] = { ioctl_reset_stats },
	[I915(DRM_I915_GEM_EXECBUFFER2)] = { ioctl_execbuffer2, .unlocked = true },
	[I915(DRM_I915_GET_PIPE_FROM_CRTC_ID)] = { drm_absent },
	/* There is no unit that observes. */
	[I915(DRM_I915_PERF_OPEN)] = { drm_absent },
	[I915(DRM_I915_PERF_ADD_CONFIG)] = { drm_absent },
	[I915(DRM_I915_PERF_REMOVE_CONFIG)] = { drm_absent },
};

static bool is_display(unsigned int nr)
{
	return nr >= NR(DRM_IOCTL_MODE_GETRESOURCES) && nr < DRM_COMMAND_END + 0x30 && !table[nr].run;
}

static int unknown(const struct file *file, unsigned long request)
{
	static bool said[256];
	unsigned int nr = _IOC_NR(request);

	if (is_display(nr))
		return file->primary ? -EOPNOTSUPP : -EACCES;
	if (!said[nr])
		shim_say("ioctl %#lx (number %#x) is not known", request, nr);
	said[nr] = true;
	return -EINVAL;
}

static int run(struct file *file, const struct entry *e, void *data)
{
	int err;

	if (e->primary && !file->primary)
		return -EACCES;
	if (e->unlocked)
		return e->run(file, data);
	pthread_mutex_lock(&shim.lock);
	err = e->run(file, data);
	pthread_mutex_unlock(&shim.lock);
	return err;
}

/**
 * shim_ioctl() - an ioctl of a file of the device
 * @file: the file, on which the caller has a reference
 * @request: the ioctl
 * @arg: its argument in the program
 *
 * Return: 0 or a negative error number.
 */
int shim_ioctl(struct file *file, unsigned long request, void *arg)
{
	uint64_t data[MAX_ARGUMENT / 8] = { 0 };
	const struct entry *e = &table[_IOC_NR(request)];
	size_t size = _IOC_SIZE(request);
	int err;

	if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
		return -ENOTTY;
	if (!e->run)
		return unknown(file, request);
	if (size > sizeof(data))
		return -EINVAL;
	if (_IOC_DIR(request) & _IOC_WRITE && copy_in(data, (uintptr_t)arg, size))
		return -EFAULT;
	err = run(file, e, data);
	/* As in the kernel, also after an error: some tell more in the argument. */
	if (_IOC_DIR(request) & _IOC_READ && copy_out((uintptr_t)arg, data, size))
		return -EFAULT;
	return err;
}

struct file *file_open(bool primary)
{
	struct file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->refs = 1;
	file->primary = primary;
	if (context_new(file))
		return file;
	free(file->contexts.entry);
	free(file);
	return NULL;
}

static void put_context(void *object)
{
	context_put(object);
}

static void put_vm(void *object)
{
	vm_put(object);
}

static void put_bo(void *object)
{
	bo_handle_closed(object);
}

static void put_syncobj(void *object)
{
	syncobj_put(object);
}

/* shim.exec and shim.lock held when it may be the last reference. */
void file_close(struct file *file)
{
	if (--file->refs)
		return;
	handles_end(&file->contexts, put_context);
	handles_end(&file->vms, put_vm);
	handles_end(&file->bos, put_bo);
	handles_end(&file->syncobjs, put_syncobj);
	free(file);
}

#define MAX_EXTENSIONS	512		/* as the kernel: a chain may be a circle */

int user_extensions(uint64_t addr, const extension_fn *fns, unsigned int n, void *data)
{
	for (unsigned int count = 0; addr; count++) {
		struct i915_user_extension ext;
		int err;

		if (count == MAX_EXTENSIONS)
			return -E2BIG;
		if (copy_in(&ext, addr, sizeof(ext)))
			return -EFAULT;
		if (ext.flags || ext.rsvd[0] || ext.rsvd[1] || ext.rsvd[2] || ext.rsvd[3])
			return -EINVAL;
		if (ext.name >= n || !fns[ext.name])
			return -EINVAL;
		err = fns[ext.name](addr, data);
		if (err)
			return err;
		addr = ext.next_extension;
	}
	return 0;
}
