/* SPDX-License-Identifier: MIT */
/**
 * DOC: The i915 uAPI
 *
 * The ioctl table (igen_ioctl.c) shows every i915 ioctl. An ioctl that igen does not have fails with the errno by which
 * userspace recognises that. Unknown flags and non-zero padding are refused; user counts are read once.
 */
#ifndef _IGEN_UAPI_H_
#define _IGEN_UAPI_H_

#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>

#include <linux/uaccess.h>
#include <linux/xarray.h>
#include <uapi/drm/i915_drm.h>

#include "../igen_device.h"
#include "../submit/igen_context.h"

/* The domains of I915_GEM_DOMAIN_* in which only the GPU reads and writes. */
#define IGEN_GPU_DOMAINS	(I915_GEM_DOMAIN_RENDER | I915_GEM_DOMAIN_SAMPLER | I915_GEM_DOMAIN_COMMAND | \
				 I915_GEM_DOMAIN_INSTRUCTION | I915_GEM_DOMAIN_VERTEX)

struct igen_proto_context;

/**
 * struct igen_file - one open file
 */
struct igen_file {
	/** @igen: the device */
	struct igen_device *igen;
	/** @drm: the DRM file */
	struct drm_file *drm;
	/** @client: it as its contexts see it, counted */
	struct igen_client *client;
	/** @contexts: handle to context, or to proto-context (see igen_entry_proto()); 0 is the default one */
	struct xarray contexts;
	/** @proto_lock: guards the proto-contexts of @contexts and the change from proto-context to context */
	struct mutex proto_lock;
	/** @vms: handle to address space */
	struct xarray vms;
	/** @mmap_file: what mappings of its objects belong to, or NULL before the first */
	struct file *mmap_file;
	/** @bsd_engine: instance that I915_EXEC_BSD_DEFAULT means for this file, or -1 before it was chosen */
	atomic_t bsd_engine;
};

static inline struct igen_file *to_igen_file(struct drm_file *file)
{
	return file->driver_priv;
}

extern const struct drm_ioctl_desc igen_ioctls[];
extern const int igen_num_ioctls;
long igen_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
#ifdef CONFIG_COMPAT
long igen_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
#else
#define igen_compat_ioctl NULL
#endif

int igen_file_open(struct drm_device *drm, struct drm_file *file);
void igen_file_postclose(struct drm_device *drm, struct drm_file *file);
void igen_show_fdinfo(struct seq_file *m, struct file *file);

struct igen_context *igen_context_lookup(struct igen_file *file, u32 id);
void igen_gem_close_object(struct drm_gem_object *obj, struct drm_file *file);

int igen_contexts_open(struct igen_file *file);
void igen_contexts_close(struct igen_file *file);

struct igen_vm *igen_vm_lookup(struct igen_file *file, u32 id);

/* Handle tables (igen_handles.c). */

/**
 * struct igen_lut - one entry of a context's handle table
 *
 * Linked to the object so that a closing handle finds the tables that name it.
 */
struct igen_lut {
	/** @obj_link: in igen_bo.luts, under its vma_lock */
	struct list_head obj_link;
	/** @ctx: whose table it is in; valid while linked, since tables empty themselves before their context goes */
	struct igen_context *ctx;
	/** @file: whose handle it is */
	struct drm_file *file;
	/** @vma: counted */
	struct igen_vma *vma;
	/** @handle: the handle */
	u32 handle;
};

struct igen_lut *igen_handles_lookup(struct igen_context *ctx, struct drm_file *file, u32 handle);
void igen_handles_close(struct igen_context *ctx);

/* igen_execbuf_shadow.c */
void igen_shadows_init(struct igen_context *ctx);
void igen_shadows_free(struct igen_context *ctx);
unsigned int igen_shadows_free_idle(struct igen_device *igen, const struct igen_budget *budget);
void igen_shadow_owners_init(struct igen_device *igen);

/* Extension chains (igen_extensions.c). */

typedef int (*igen_extension_fn)(struct i915_user_extension __user *ext, void *data);

int igen_user_extensions(struct i915_user_extension __user *ext, const igen_extension_fn *table,
			 unsigned int count, void *data);

/* 0 when the user's value is zero, -EINVAL when not, -EFAULT. */
#define igen_check_mbz(uptr) ({						\
	typeof(*(uptr)) mbz__;						\
	get_user(mbz__, (uptr)) ? -EFAULT : mbz__ ? -EINVAL : 0;	\
})

int igen_check_alive(struct igen_device *igen);

#define IGEN_IOCTL(name) int name(struct drm_device *drm, void *data, struct drm_file *file)

/* uapi/igen_gem_*.c */
IGEN_IOCTL(igen_gem_create_ioctl);
IGEN_IOCTL(igen_gem_create_ext_ioctl);
IGEN_IOCTL(igen_gem_mmap_ioctl);
IGEN_IOCTL(igen_gem_mmap_offset_ioctl);
IGEN_IOCTL(igen_gem_pread_ioctl);
IGEN_IOCTL(igen_gem_pwrite_ioctl);
IGEN_IOCTL(igen_gem_set_caching_ioctl);
IGEN_IOCTL(igen_gem_get_caching_ioctl);
IGEN_IOCTL(igen_gem_set_domain_ioctl);
IGEN_IOCTL(igen_gem_sw_finish_ioctl);
IGEN_IOCTL(igen_gem_madvise_ioctl);
IGEN_IOCTL(igen_gem_busy_ioctl);
IGEN_IOCTL(igen_gem_wait_ioctl);
IGEN_IOCTL(igen_gem_set_tiling_ioctl);
IGEN_IOCTL(igen_gem_get_tiling_ioctl);
IGEN_IOCTL(igen_gem_get_aperture_ioctl);
IGEN_IOCTL(igen_gem_userptr_ioctl);

IGEN_IOCTL(igen_context_create_ioctl);
IGEN_IOCTL(igen_context_destroy_ioctl);
IGEN_IOCTL(igen_context_getparam_ioctl);
IGEN_IOCTL(igen_context_setparam_ioctl);
IGEN_IOCTL(igen_vm_create_ioctl);
IGEN_IOCTL(igen_vm_destroy_ioctl);
IGEN_IOCTL(igen_execbuffer2_ioctl);
IGEN_IOCTL(igen_getparam_ioctl);
IGEN_IOCTL(igen_query_ioctl);
IGEN_IOCTL(igen_reg_read_ioctl);
IGEN_IOCTL(igen_reset_stats_ioctl);
IGEN_IOCTL(igen_throttle_ioctl);

#endif
