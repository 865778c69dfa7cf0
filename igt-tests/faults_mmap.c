// SPDX-License-Identifier: MIT
/*
 * DOC: Mapping objects, and the page faults of mappings
 *
 * The kernel repeats a page fault whose allocation failed. The process must notice nothing of that: a signal would be
 * wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm.h>

#include "faults.h"

#define SIZE		(64u << 10)
#define VALUE		0x5eed

/* Types of mapping beside those of the uAPI. */
#define MAP_TILED	100	/* through the aperture, detiled */
#define MAP_DMABUF	101	/* an exported buffer's own */

static uint32_t object(struct fx *fx)
{
	struct drm_i915_gem_create create = { .size = SIZE };

	fault_must(fx, DRM_IOCTL_I915_GEM_CREATE, &create);
	return create.handle;
}

/* The old ioctl that maps at once; arg: flags */

static void prepare_old(struct fx *fx)
{
	struct drm_i915_gem_mmap *arg = FAULT_ARG(fx, struct drm_i915_gem_mmap);

	arg->handle = object(fx);
	arg->size = SIZE;
	arg->flags = fx->path->arg;
	fx->request = DRM_IOCTL_I915_GEM_MMAP;
}

static void check_old(struct fx *fx)
{
	fx->map = (void *)(uintptr_t)FAULT_USED(fx, struct drm_i915_gem_mmap)->addr_ptr;
	fx->map_size = SIZE;
	it_expect(!*(volatile uint32_t *)fx->map, "a fresh object is not zero");
}

/* Offsets; arg: I915_MMAP_OFFSET_* */

static void prepare_offset(struct fx *fx)
{
	struct drm_i915_gem_mmap_offset *arg = FAULT_ARG(fx, struct drm_i915_gem_mmap_offset);

	arg->handle = object(fx);
	arg->flags = fx->path->arg;
	fx->request = DRM_IOCTL_I915_GEM_MMAP_OFFSET;
}

static void check_offset(struct fx *fx)
{
	it_expect(FAULT_USED(fx, struct drm_i915_gem_mmap_offset)->offset, "no offset");
}

/* mmap() and touching; data[0]: offset, fds[0] when not the device: the descriptor */

static void prepare_map(struct fx *fx)
{
	struct drm_i915_gem_mmap_offset offset = { .handle = object(fx), .flags = fx->path->arg };
	struct drm_i915_gem_set_tiling tiling = {
		.handle = offset.handle, .tiling_mode = I915_TILING_X, .stride = 512,
	};
	struct drm_prime_handle prime = { .handle = offset.handle, .flags = DRM_CLOEXEC | DRM_RDWR };

	fx->map_size = SIZE;
	if (fx->path->arg == MAP_DMABUF) {
		fault_must(fx, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
		fx->fd = fault_keep(fx, prime.fd, "exported");
		return;
	}
	if (fx->path->arg == MAP_TILED) {
		fault_must(fx, DRM_IOCTL_I915_GEM_SET_TILING, &tiling);
		offset.flags = I915_MMAP_OFFSET_GTT;
	}
	fault_must(fx, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset);
	fx->data[0] = offset.offset;
}

static int op_map(struct fx *fx)
{
	void *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fx->fd, fx->data[0]);

	if (map == MAP_FAILED)
		return -errno;
	fx->map = map;
	return 0;
}

static void check_map(struct fx *fx)
{
	volatile uint32_t *dw = fx->map;

	dw[0] = VALUE;
	it_expect(dw[0] == VALUE && !dw[SIZE / 4 - 1], "the mapping shows %x %x", dw[0], dw[SIZE / 4 - 1]);
}

static void prepare_touch(struct fx *fx)
{
	prepare_map(fx);
	it_expect(!op_map(fx), "preparing: mmap: error %d", errno);
}

static sigjmp_buf bus_error;
static volatile sig_atomic_t touching;

/* A signal at any other place ends the program, as it would without a handler. */
static void caught(int sig)
{
	if (touching)
		siglongjmp(bus_error, sig);
	signal(sig, SIG_DFL);
	raise(sig);
}

static int op_touch(struct fx *fx)
{
	volatile int ret = -EIO;

	touching = 1;
	if (!sigsetjmp(bus_error, 1)) {
		*(volatile uint32_t *)fx->map = VALUE;
		ret = 0;
	}
	touching = 0;
	return ret;
}

static int op_unmap(struct fx *fx)
{
	/* Splitting a mapping is what needs memory. */
	if (fx->data[1] || !munmap((char *)fx->map + 4096, 4096)) {
		fx->data[1] = 1;
		return munmap(fx->map, 4096) ? -errno : 0;
	}
	return -errno;
}

static void prepare_unmap(struct fx *fx)
{
	prepare_touch(fx);
	check_map(fx);
}

/* A child that fork() makes shares the mapping: the object is counted for it. */
static int op_fork(struct fx *fx)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	if (child < 0)
		return -errno;
	fx->data[2] = child;
	return 0;
}

static void check_fork(struct fx *fx)
{
	int status;

	it_expect(waitpid(fx->data[2], &status, 0) == (pid_t)fx->data[2], "no child");
	check_map(fx);
}

static const struct fault_path paths[] = {
	FAULT("mmap-old", prepare_old, fault_ioctl, check_old),
	FAULT("mmap-old-wc", prepare_old, fault_ioctl, check_old, .arg = I915_MMAP_WC),
	FAULT("mmap-offset-gtt", prepare_offset, fault_ioctl, check_offset, .arg = I915_MMAP_OFFSET_GTT),
	FAULT("mmap-offset-wc", prepare_offset, fault_ioctl, check_offset, .arg = I915_MMAP_OFFSET_WC),
	FAULT("mmap-offset-wb", prepare_offset, fault_ioctl, check_offset, .arg = I915_MMAP_OFFSET_WB),
	FAULT("mmap-offset-uc", prepare_offset, fault_ioctl, check_offset, .arg = I915_MMAP_OFFSET_UC),
	FAULT("mmap-wb", prepare_map, op_map, check_map, .arg = I915_MMAP_OFFSET_WB),
	FAULT("mmap-gtt", prepare_map, op_map, check_map, .arg = I915_MMAP_OFFSET_GTT),
	FAULT("mmap-dmabuf", prepare_map, op_map, check_map, .arg = MAP_DMABUF),
	FAULT("fault-wb", prepare_touch, op_touch, check_map, .arg = I915_MMAP_OFFSET_WB, .flags = FAULT_NO_FAIL),
	FAULT("fault-wc", prepare_touch, op_touch, check_map, .arg = I915_MMAP_OFFSET_WC, .flags = FAULT_NO_FAIL),
	FAULT("fault-uc", prepare_touch, op_touch, check_map, .arg = I915_MMAP_OFFSET_UC, .flags = FAULT_NO_FAIL),
	FAULT("fault-gtt", prepare_touch, op_touch, check_map, .arg = I915_MMAP_OFFSET_GTT, .flags = FAULT_NO_FAIL),
	FAULT("fault-gtt-tiled", prepare_touch, op_touch, check_map, .arg = MAP_TILED, .flags = FAULT_NO_FAIL),
	FAULT("fault-dmabuf", prepare_touch, op_touch, check_map, .arg = MAP_DMABUF, .flags = FAULT_NO_FAIL),
	FAULT("munmap-part", prepare_unmap, op_unmap, NULL, .arg = I915_MMAP_OFFSET_WB),
	FAULT("fork-mapped", prepare_unmap, op_fork, check_fork, .arg = I915_MMAP_OFFSET_WB),
};

void faults_mmap(void)
{
	struct sigaction action = { .sa_handler = caught }, bus, segv;

	sigaction(SIGBUS, &action, &bus);
	sigaction(SIGSEGV, &action, &segv);
	fault_run(paths, ARRAY_SIZE(paths));
	sigaction(SIGBUS, &bus, NULL);
	sigaction(SIGSEGV, &segv, NULL);
}
