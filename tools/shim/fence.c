// SPDX-License-Identifier: MIT
/**
 * DOC: Fences of a submission
 *
 * Syncobjs come in an array, or with points of timelines in an extension. A fence that a submission waits for is there
 * and signalled, or the submission is refused, as in the kernel: programs that submit in threads wait for a fence to be
 * there by themselves.
 */
#include <errno.h>
#include <stdlib.h>

#include "exec.h"

#define MAX_FENCES	16384u

static int fence_add(struct exec *x, uint32_t handle, uint32_t flags, uint64_t point)
{
	struct syncobj *s;

	if (flags & ~(uint32_t)(I915_EXEC_FENCE_WAIT | I915_EXEC_FENCE_SIGNAL))
		return -EINVAL;
	s = syncobj_lookup(x->file, handle);
	if (!s)
		return -ENOENT;
	s->refs++;
	x->fence[x->fences++] = (struct exec_fence){
		.syncobj = s, .point = point,
		.wait = flags & I915_EXEC_FENCE_WAIT, .signal = flags & I915_EXEC_FENCE_SIGNAL,
	};
	return 0;
}

static int fences_alloc(struct exec *x, uint64_t n)
{
	if (x->fence)
		return -EINVAL;
	if (n > MAX_FENCES)
		return -ENOMEM;
	x->fence = calloc(n + 1, sizeof(*x->fence));
	return x->fence ? 0 : -ENOMEM;
}

static int read_array(struct exec *x)
{
	int err = fences_alloc(x, x->args->num_cliprects);

	for (uint32_t i = 0; !err && i < x->args->num_cliprects; i++) {
		struct drm_i915_gem_exec_fence f;

		err = copy_in(&f, x->args->cliprects_ptr + i * sizeof(f), sizeof(f));
		if (!err)
			err = fence_add(x, f.handle, f.flags, 0);
	}
	return err;
}

static int read_timeline(uint64_t addr, void *data)
{
	struct drm_i915_gem_execbuffer_ext_timeline_fences ext;
	struct exec *x = data;
	int err;

	if (copy_in(&ext, addr, sizeof(ext)))
		return -EFAULT;
	err = fences_alloc(x, ext.fence_count);
	for (uint64_t i = 0; !err && i < ext.fence_count; i++) {
		struct drm_i915_gem_exec_fence f;
		uint64_t point;

		err = copy_in(&f, ext.handles_ptr + i * sizeof(f), sizeof(f));
		if (!err)
			err = copy_in(&point, ext.values_ptr + i * sizeof(point), sizeof(point));
		if (!err)
			err = fence_add(x, f.handle, f.flags, point);
	}
	return err;
}

int exec_fences_read(struct exec *x)
{
	static const extension_fn extensions[] = {
		[DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES] = read_timeline,
	};

	if (x->args->flags & I915_EXEC_FENCE_ARRAY)
		return read_array(x);
	if (!(x->args->flags & I915_EXEC_USE_EXTENSIONS))
		return x->args->num_cliprects || x->args->cliprects_ptr ? -EINVAL : 0;
	if (x->args->num_cliprects)
		return -EINVAL;
	return user_extensions(x->args->cliprects_ptr, extensions, ARRAY_SIZE(extensions), x);
}

int exec_fences_check(const struct exec *x)
{
	for (unsigned int i = 0; i < x->fences; i++) {
		const struct exec_fence *f = &x->fence[i];

		if (f->wait && (!f->syncobj->fence || f->syncobj->point < f->point))
			return -EINVAL;
	}
	return 0;
}

void exec_fences_signal(struct exec *x)
{
	for (unsigned int i = 0; i < x->fences; i++)
		if (x->fence[i].signal)
			syncobj_signal(x->fence[i].syncobj, x->fence[i].point);
}

void exec_fences_free(struct exec *x)
{
	for (unsigned int i = 0; i < x->fences; i++)
		syncobj_put(x->fence[i].syncobj);
	free(x->fence);
}
