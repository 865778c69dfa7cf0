// SPDX-License-Identifier: MIT
/**
 * DOC: More memory than there is
 *
 * Sizes that are only stated, and things that cost the kernel memory, by count. The attacker gets ENOMEM; no other
 * process may be killed for it, and the victim goes on making objects.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>

#include "attack.h"

#define AT	(256ull << 20)

/* Slows the attacker down after a refusal; the next call may succeed. */
static void rest_if(int ret)
{
	if (ret)
		usleep(2000);
}

static void objects(struct attacker *a)
{
	int fd = it_open_fd();
	uint32_t handle;

	for (;;)
		rest_if(attack_count(a, it_bo_create(fd, ATTACK_PAGE, &handle)));
}

static void contexts(struct attacker *a)
{
	int fd = it_open_fd();
	uint32_t ctx;

	for (;;)
		rest_if(attack_count(a, it_ctx_make(fd, &ctx)));
}

/* Contexts that have run have images and rings. */
static void used_contexts(struct attacker *a)
{
	int fd = it_open_fd(), ret;
	struct it_batch b;
	uint32_t ctx;

	if (attack_empty_batch(fd, AT, &b))
		return;
	for (;;) {
		ret = it_ctx_make(fd, &ctx);
		if (!ret)
			ret = attack_submit(fd, ctx, attack_rings[attack_roll(a, ATTACK_RINGS)], &b, NULL, 0);
		rest_if(attack_count(a, ret));
	}
}

static void spaces(struct attacker *a)
{
	int fd = it_open_fd();

	for (;;) {
		struct drm_i915_gem_vm_control vm = { 0 };

		rest_if(attack_count(a, it_ioctl(fd, DRM_IOCTL_I915_GEM_VM_CREATE, &vm)));
	}
}

/* One page of an object at places that want tables of their own each. */
static void tables(struct attacker *a)
{
	int fd = it_open_fd();
	struct it_bo o;
	struct it_batch b;

	if (attack_empty_batch(fd, AT, &b))
		return;
	for (uint64_t n = 1; ; n++) {
		int ret = it_bo_make(fd, ATTACK_PAGE, (n << 30) % (1ull << 46), &o);

		if (!ret)
			ret = attack_submit(fd, 0, I915_EXEC_RENDER, &b, &o, 1);
		rest_if(attack_count(a, ret));
	}
}

/* Real pages. */
static void pages(struct attacker *a)
{
	int fd = it_open_fd();
	uint32_t handle;

	for (;;) {
		struct drm_i915_gem_set_domain domain = {
			.read_domains = I915_GEM_DOMAIN_CPU, .write_domain = I915_GEM_DOMAIN_CPU,
		};
		int ret = it_bo_create(fd, 1 << 20, &handle);

		domain.handle = handle;
		if (!ret)
			ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &domain);
		if (ret)
			it_handle_close(fd, handle);
		rest_if(attack_count(a, ret));
	}
}

/* The device's space of mapping offsets, by objects without a page. */
static void offsets(struct attacker *a)
{
	int fd = it_open_fd();
	uint64_t size = 1ull << 42;
	uint32_t handle;

	for (;;) {
		struct drm_i915_gem_mmap_offset offset = { .flags = I915_MMAP_OFFSET_WB };
		int ret = it_bo_create(fd, size, &handle);

		offset.handle = handle;
		if (!ret)
			ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset);
		attack_count(a, ret);
		if (!ret)
			continue;
		if (handle)
			it_handle_close(fd, handle);
		if (size > ATTACK_PAGE)
			size /= 2;
		else
			usleep(10000);
	}
}

/* Lists that a call states the size of; there is nothing behind them. */
static void lists(struct attacker *a)
{
	struct drm_i915_gem_exec_object2 obj = { 0 };
	int fd = it_open_fd();
	struct it_batch b;

	if (attack_empty_batch(fd, AT, &b))
		return;
	obj.handle = b.bo->handle;
	for (;;) {
		uint64_t count = 1ull << (20 + attack_roll(a, 8));
		size_t size = count * sizeof(struct drm_i915_gem_exec_fence);
		void *fences = attack_zeros(size);
		struct drm_i915_gem_execbuffer2 eb = {
			.buffers_ptr = (uintptr_t)&obj, .buffer_count = 1, .flags = I915_EXEC_FENCE_ARRAY,
			.num_cliprects = count, .cliprects_ptr = (uintptr_t)fences,
		};

		if (attack_roll(a, 3) == 0) {
			eb.flags = 0;
			eb.num_cliprects = 0;
			eb.buffer_count = count;
			eb.buffers_ptr = (uintptr_t)fences;
		}
		attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb));
		if (fences)
			munmap(fences, size);
	}
}

/* A range of user memory without any memory. */
static void user_range(struct attacker *a)
{
	size_t size = 800ull << 30;
	void *range = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int fd = it_open_fd();
	struct it_batch b;

	if (range == MAP_FAILED || attack_empty_batch(fd, AT, &b))
		return;
	for (;;) {
		struct drm_i915_gem_userptr user = { .user_ptr = (uintptr_t)range, .user_size = size };
		struct it_bo o = { .fd = fd, .address = 1ull << 40 };
		int ret = attack_ioctl(fd, DRM_IOCTL_I915_GEM_USERPTR, &user);

		o.handle = user.handle;
		if (!ret) {
			ret = attack_submit(fd, 0, I915_EXEC_RENDER, &b, &o, 1);
			it_handle_close(fd, user.handle);
		}
		rest_if(attack_count(a, ret));
	}
}

#define POINTS		3000
#define MENTIONS	40

/* A timeline of many points, all of them one fence, named again and again: each execbuf waits for that fence. */
static void waits(struct attacker *a)
{
	static struct drm_i915_gem_exec_fence fences[MENTIONS];
	static uint64_t values[MENTIONS];
	struct drm_i915_gem_execbuffer_ext_timeline_fences ext = {
		.base.name = DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES,
		.fence_count = MENTIONS, .handles_ptr = (uintptr_t)fences, .values_ptr = (uintptr_t)values,
	};
	struct drm_i915_gem_exec_fence out;
	struct drm_i915_gem_exec_object2 obj[1] = { 0 };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 1, .flags = I915_EXEC_FENCE_ARRAY | I915_EXEC_RENDER,
		.num_cliprects = 1, .cliprects_ptr = (uintptr_t)&out,
	};
	struct it_batch loop, b;
	int fd = it_open_fd();
	uint32_t line = attack_syncobj(fd, 0), one = attack_syncobj(fd, 0);

	if (it_batch_make(fd, ATTACK_PAGE, AT, &loop) || attack_empty_batch(fd, 2 * AT, &b) || !line || !one)
		return;
	it_emit_loop(&loop);
	obj[0].handle = loop.bo->handle;
	out = (struct drm_i915_gem_exec_fence){ one, I915_EXEC_FENCE_SIGNAL };
	attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb));
	for (unsigned int i = 0; i < POINTS; i++) {
		struct drm_syncobj_transfer transfer = {
			.src_handle = one, .dst_handle = line, .dst_point = i + 1,
		};

		attack_count(a, it_ioctl(fd, DRM_IOCTL_SYNCOBJ_TRANSFER, &transfer));
	}
	for (unsigned int i = 0; i < MENTIONS; i++) {
		fences[i] = (struct drm_i915_gem_exec_fence){ line, I915_EXEC_FENCE_WAIT };
		values[i] = POINTS;
	}
	obj[0].handle = b.bo->handle;
	for (;;) {
		eb.flags = I915_EXEC_USE_EXTENSIONS | I915_EXEC_VEBOX;
		eb.num_cliprects = 0;
		eb.cliprects_ptr = (uintptr_t)&ext;
		rest_if(attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb)));
	}
}

const struct attack attacks_memory[] = {
	{ "memory-objects", 1, 0, objects },
	{ "memory-contexts", 1, 0, contexts },
	{ "memory-used-contexts", 1, 0, used_contexts },
	{ "memory-spaces", 1, 0, spaces },
	{ "memory-tables", 1, 0, tables },
	{ "memory-pages", 1, 0, pages },
	{ "memory-offsets", 1, 0, offsets },
	{ "memory-lists", 1, 0, lists },
	{ "memory-user-range", 1, 0, user_range },
	{ "memory-waits", 1, 0, waits },
	{ 0 }
};
