/* SPDX-License-Identifier: MIT */
/*
 * DOC: The i915 uAPI
 *
 * The ioctl table (igen_ioctl.c) shows every i915 ioctl and answers those that are not there with the errno that
 * userspace takes for it. Unknown flags and non-zero padding are refused; user counts are read once.
 */
#ifndef _IGEN_UAPI_H_
#define _IGEN_UAPI_H_

#include <drm/drm_file.h>
#include <linux/xarray.h>

#include "../igen_device.h"
#include "../submit/igen_context.h"

/**
 * struct igen_file - one open file
 */
struct igen_file {
	/** @igen: the device */
	struct igen_device *igen;
	/** @drm: the DRM file */
	struct drm_file *drm;
	/** @contexts: handle to context; 0 is the default one */
	struct xarray contexts;
	/** @vms: handle to address space */
	struct xarray vms;
	/** @ban_score: bans of its contexts */
	atomic_t ban_score;
};

extern const struct drm_ioctl_desc igen_ioctls[];
extern const int igen_num_ioctls;
extern const struct file_operations igen_fops;
extern const struct drm_gem_object_funcs igen_gem_funcs;

int igen_file_open(struct drm_device *drm, struct drm_file *file);
void igen_file_postclose(struct drm_device *drm, struct drm_file *file);

/* Counted context of a handle, or NULL. */
struct igen_context *igen_context_lookup(struct igen_file *file, u32 id);
/* A handle of this file is going away: handle tables forget it. */
void igen_gem_close_object(struct drm_gem_object *obj, struct drm_file *file);

#endif
