/* SPDX-License-Identifier: MIT */
/**
 * DOC: Objects in the uAPI
 *
 * Functions that the files igen_gem_*.c call of each other, and callbacks for struct drm_driver.
 */
#ifndef _IGEN_GEM_H_
#define _IGEN_GEM_H_

#include <drm/drm_file.h>
#include <linux/mm_types.h>

#include "../mm/igen_bo.h"

struct dma_buf;
struct drm_mode_create_dumb;

struct igen_bo *igen_gem_lookup(struct drm_file *file, u32 handle);
int igen_gem_lock(struct igen_bo *bo);

bool igen_gem_is_userptr(const struct igen_bo *bo);
int igen_gem_userptr_prepare(struct igen_bo *bo);
bool igen_gem_userptr_is_fresh(struct igen_bo *bo);

int igen_gem_prepare_cpu(struct igen_bo *bo, bool write);

void igen_gem_mmap_revoke(struct igen_bo *bo, struct drm_file *file);
int igen_gem_mmap(struct file *filp, struct vm_area_struct *area);

int igen_gem_dumb_create(struct drm_file *file, struct drm_device *drm, struct drm_mode_create_dumb *args);
int igen_gem_dumb_mmap_offset(struct drm_file *file, struct drm_device *drm, u32 handle, u64 *offset);
int igen_gem_prime_fd_to_handle(struct drm_device *drm, struct drm_file *file, int fd, u32 *handle);
struct drm_gem_object *igen_gem_prime_import(struct drm_device *drm, struct dma_buf *buf);
void igen_gem_imports_init(struct igen_device *igen);
void igen_gem_imports_revoke(struct igen_device *igen);
struct dma_buf *igen_gem_prime_export(struct drm_gem_object *obj, int flags);

#endif
