// SPDX-License-Identifier: MIT
/**
 * DOC: Objects under other names: flink and PRIME
 *
 * Both work within the process. A descriptor that comes from another process, or from another device, is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gpu.h"

static uint32_t last_name;

int ioctl_gem_flink(struct file *file, void *data)
{
	struct drm_gem_flink *args = data;
	struct bo *bo = bo_lookup(file, args->handle);

	if (!bo)
		return -ENOENT;
	if (!bo->name)
		bo->name = ++last_name;
	args->name = bo->name;
	return 0;
}

int ioctl_gem_open(struct file *file, void *data)
{
	struct drm_gem_open *args = data;

	for (struct bo *bo = shim.bos; bo; bo = bo->next)
		if (args->name && bo->name == args->name) {
			args->size = bo->size;
			return bo_handle(file, bo, &args->handle);
		}
	return -ENOENT;
}

int ioctl_prime_export(struct file *file, void *data)
{
	struct drm_prime_handle *args = data;
	struct bo *bo = bo_lookup(file, args->handle);
	int fd, err;

	if (args->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))
		return -EINVAL;
	if (!bo)
		return -ENOENT;
	/* A process could not map the memory of another. */
	if (!bo->arena)
		return -EINVAL;
	fd = memfd_create("igen-shim-dmabuf", args->flags & DRM_CLOEXEC ? MFD_CLOEXEC : 0);
	if (fd < 0)
		return -errno;
	/* The size is what lseek() is asked for; the bytes are the object's. */
	err = ftruncate(fd, (off_t)bo->size) ? -errno : fd_install(FD_BUFFER, bo, fd);
	if (err) {
		syscall(SYS_close, fd);
		return err;
	}
	bo_get(bo);
	args->fd = fd;
	return 0;
}

int ioctl_prime_import(struct file *file, void *data)
{
	struct drm_prime_handle *args = data;
	struct fd_entry e = fd_get(args->fd);

	if (e.kind != FD_BUFFER) {
		if (fcntl(args->fd, F_GETFD) < 0)
			return -EBADF;
		shim_say("descriptor %d is no object of this process: it cannot be imported", args->fd);
		return -EINVAL;
	}
	/* Importing twice gives the handle that is there. */
	for (uint32_t h = 1; h <= file->bos.room; h++)
		if (handle_get(&file->bos, h) == e.object) {
			args->handle = h;
			return 0;
		}
	return bo_handle(file, e.object, &args->handle);
}
