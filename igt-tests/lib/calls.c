// SPDX-License-Identifier: MIT
/**
 * DOC: Calls that return their errors
 *
 * The uAPI's calls as thin wrappers for clients that go on after an error: attackers and their victim. The functions of
 * it.c that end a subtest at the first error are made of these.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>
#include <drm_mode.h>

#include "it.h"

int it_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret && (errno == EINTR || errno == EAGAIN));
	return ret ? -errno : 0;
}

int it_bo_create(int fd, uint64_t size, uint32_t *handle)
{
	struct drm_i915_gem_create create = { .size = size };
	int ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_CREATE, &create);

	*handle = ret ? 0 : create.handle;
	return ret;
}

/* Sets an object's caching where CPU and GPU share no cache. All GPUs of a machine are alike. */
static int set_caching_without_llc(int fd, uint32_t handle, uint32_t level)
{
	static _Atomic int known = -1;
	struct drm_i915_gem_caching caching = { .handle = handle, .caching = level };
	int llc = known, ret = 0;

	if (llc < 0) {
		ret = it_getparam(fd, I915_PARAM_HAS_LLC, &llc);
		if (ret)
			return ret;
		known = llc;
	}
	return llc ? 0 : it_ioctl(fd, DRM_IOCTL_I915_GEM_SET_CACHING, &caching);
}

/* The GPU looks at the CPU's caches: the tests read and write cached mappings and do not call SET_DOMAIN. */
static int make_coherent(int fd, uint32_t handle)
{
	return set_caching_without_llc(fd, handle, I915_CACHING_CACHED);
}

int it_bo_unsnoop(int fd, uint32_t handle)
{
	return set_caching_without_llc(fd, handle, I915_CACHING_NONE);
}

int it_bo_make(int fd, uint64_t size, uint64_t address, struct it_bo *bo)
{
	struct drm_i915_gem_mmap_offset offset = { .flags = I915_MMAP_OFFSET_WB };
	int ret;

	*bo = (struct it_bo){ .fd = fd, .size = size, .address = address };
	ret = it_bo_create(fd, size, &bo->handle);
	if (ret)
		return ret;
	offset.handle = bo->handle;
	ret = make_coherent(fd, bo->handle);
	if (!ret)
		ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset);
	if (!ret) {
		bo->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset.offset);
		if (bo->map == MAP_FAILED) {
			ret = -errno;
			bo->map = NULL;
		}
	}
	if (ret)
		it_bo_drop(bo);
	return ret;
}

void it_handle_close(int fd, uint32_t handle)
{
	struct drm_gem_close close_arg = { .handle = handle };

	it_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &close_arg);
}

void it_bo_drop(struct it_bo *bo)
{
	if (bo->map)
		munmap(bo->map, bo->size);
	if (bo->handle)
		it_handle_close(bo->fd, bo->handle);
	bo->map = NULL;
	bo->handle = 0;
}

int it_bo_wait(const struct it_bo *bo, int64_t timeout_ns)
{
	struct drm_i915_gem_wait wait = { .bo_handle = bo->handle, .timeout_ns = timeout_ns };

	return it_ioctl(bo->fd, DRM_IOCTL_I915_GEM_WAIT, &wait);
}

int it_ctx_make(int fd, uint32_t *ctx)
{
	struct drm_i915_gem_context_create create = { 0 };
	int ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create);

	*ctx = ret ? 0 : create.ctx_id;
	return ret;
}

int it_ctx_drop(int fd, uint32_t ctx)
{
	struct drm_i915_gem_context_destroy destroy = { .ctx_id = ctx };

	return it_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy);
}

int it_ctx_param(int fd, uint32_t ctx, uint64_t param, uint64_t value)
{
	struct drm_i915_gem_context_param p = { .ctx_id = ctx, .param = param, .value = value };

	return it_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p);
}

int it_batch_make(int fd, uint64_t size, uint64_t address, struct it_batch *b)
{
	struct it_bo *bo = calloc(1, sizeof(*bo));
	int ret = bo ? it_bo_make(fd, size, address, bo) : -ENOMEM;

	*b = (struct it_batch){ .clip = true };
	if (ret) {
		free(bo);
		return ret;
	}
	b->bo = bo;
	b->dw = bo->dw;
	return 0;
}

void it_batch_drop(struct it_batch *b)
{
	if (b->bo)
		it_bo_drop(b->bo);
	free(b->bo);
	*b = (struct it_batch){ .clip = true };
}

struct drm_i915_gem_exec_object2 it_exec_object(const struct it_bo *bo, uint64_t flags)
{
	return (struct drm_i915_gem_exec_object2){
		.handle = bo->handle, .offset = bo->address,
		.flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS | flags,
	};
}

int it_vgem_open(void)
{
	int fd = it_open_driver("vgem", 0);

	if (fd < 0 && !getuid() && !system("/sbin/modprobe -q vgem"))
		fd = it_open_driver("vgem", 0);
	return fd;
}

int it_vgem_buffer(int vgem, uint32_t size, uint32_t *handle)
{
	struct drm_mode_create_dumb dumb = { .width = size / 256, .height = 64, .bpp = 32 };
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret = it_ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);

	if (ret)
		return ret;
	*handle = dumb.handle;
	prime.handle = dumb.handle;
	ret = it_ioctl(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	return ret ?: prime.fd;
}
