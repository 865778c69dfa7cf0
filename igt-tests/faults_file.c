// SPDX-License-Identifier: MIT
/*
 * DOC: Opening and closing the device
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "faults.h"

static const char * const nodes[] = { "/dev/dri/renderD128", "/dev/dri/card0" };

static int op_open(struct fx *fx)
{
	int fd = open(nodes[fx->path->arg], O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	fx->fd = fd;
	return 0;
}

static void check_open(struct fx *fx)
{
	struct drm_i915_gem_create create = { .size = 4096 };

	fault_keep(fx, fx->fd, "opened");
	fault_must(fx, DRM_IOCTL_I915_GEM_CREATE, &create);
}

/* A file with one of everything, whose last batch may still be on the GPU. */
static void prepare_close(struct fx *fx)
{
	struct drm_i915_gem_vm_control vm = { 0 };
	struct it_bo *page = it_bo(fx->dev, 4096);

	fx->batch = it_batch(fx->dev, 4096);
	it_emit_store(&fx->batch, page->address, 1);
	it_emit_end(&fx->batch);
	fault_must(fx, DRM_IOCTL_I915_GEM_VM_CREATE, &vm);
	it_ctx(fx->dev);
	it_expect(!it_run(fx->dev, it_ctx_engines(fx->dev), fx->path->arg, &fx->batch, &page, 1, 0),
		  "preparing: execbuf fails");
	/* Nothing is mapped, so that all goes with the file. */
	munmap(page->map, page->size);
	munmap(fx->batch.bo->map, fx->batch.bo->size);
	page->map = NULL;
	fx->batch.bo->map = NULL;
	/* The path closes this duplicate, which then is the file's last descriptor. */
	fx->fds[0] = dup(fx->fd);
	close(fx->fd);
	fx->dev->fd = -1;
	fx->fd = -1;
}

static int op_close(struct fx *fx)
{
	int fd = fx->fds[0];

	fx->fds[0] = 0;
	return close(fd) ? -errno : 0;
}

static const struct fault_path paths[] = {
	FAULT("open-render", NULL, op_open, check_open, .flags = FAULT_NO_DEVICE, .arg = 0),
	FAULT("open-primary", NULL, op_open, check_open, .flags = FAULT_NO_DEVICE, .arg = 1),
	FAULT("close-rcs", prepare_close, op_close, NULL, .flags = FAULT_NO_FAIL, .arg = 0),
	FAULT("close-bcs", prepare_close, op_close, NULL, .flags = FAULT_NO_FAIL, .arg = 1),
};

void faults_file(void)
{
	fault_run(paths, ARRAY_SIZE(paths));
}
