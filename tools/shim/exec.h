/* SPDX-License-Identifier: MIT */
/**
 * DOC: igen-shim: a submission on its way through EXECBUFFER2
 */
#ifndef IGEN_SHIM_EXEC_H
#define IGEN_SHIM_EXEC_H

#include "gpu.h"

struct exec_object {
	struct drm_i915_gem_exec_object2 user;
	struct bo *bo;			/* with a reference */
	struct vma *vma;
};

/* A syncobj that is waited for, or signalled, with a reference. */
struct exec_fence {
	struct syncobj *syncobj;
	uint64_t point;
	bool wait, signal;
};

struct exec {
	struct drm_i915_gem_execbuffer2 *args;
	struct file *file;
	struct context *ctx;		/* with a reference */
	struct slot *slot;
	struct exec_object *object;
	unsigned int n;
	struct exec_fence *fence;
	unsigned int fences;
	uint64_t number;
};

/* exec.c: by handle, or by index with I915_EXEC_HANDLE_LUT. */
const struct exec_object *exec_object_by(const struct exec *x, uint32_t name);
uint64_t exec_canonical(uint64_t addr);

/* reloc.c */
int exec_relocate(struct exec *x);

/* parser.c */
int exec_check_batch(const struct exec *x, const struct exec_object *o, uint64_t start, struct batch *batch);

/* fence.c */
int exec_fences_read(struct exec *x);
/* Those that must be there are; shim.lock held, and not dropped. */
int exec_fences_check(const struct exec *x);
void exec_fences_signal(struct exec *x);
void exec_fences_free(struct exec *x);

#endif
