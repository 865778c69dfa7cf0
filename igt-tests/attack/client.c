// SPDX-License-Identifier: MIT
/**
 * DOC: Helpers of attackers and victim
 *
 * Counting, rolling and submitting. The rest is the library's (lib/calls.c).
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <drm.h>

#include "attack.h"

const uint64_t attack_rings[ATTACK_RINGS] = {
	I915_EXEC_RENDER, I915_EXEC_BLT, I915_EXEC_BSD | I915_EXEC_BSD_RING1, I915_EXEC_VEBOX
};

uint32_t attack_ring_base(unsigned int ring)
{
	static const uint32_t bases[ATTACK_RINGS] = { RCS0_BASE, BCS0_BASE, VCS0_BASE, VECS0_BASE };

	return bases[ring];
}

void attack_broken(struct attacker *a, const char *fmt, ...)
{
	va_list ap;

	if (atomic_fetch_add(&a->told->broken, 1))
		return;
	va_start(ap, fmt);
	vsnprintf(a->told->why, sizeof(a->told->why), fmt, ap);
	va_end(ap);
}

void attack_absent(struct attacker *a, const char *what)
{
	snprintf(a->told->absent, sizeof(a->told->absent), "%s", what);
}

int attack_count(struct attacker *a, int ret)
{
	atomic_fetch_add(ret < 0 ? &a->told->refused : &a->told->done, 1);
	return ret;
}

unsigned int attack_roll(struct attacker *a, unsigned int sides)
{
	return rand_r(&a->seed) % sides;
}

int attack_empty_batch(int fd, uint64_t address, struct it_batch *b)
{
	int ret = it_batch_make(fd, ATTACK_PAGE, address, b);

	it_emit_end(b);
	return ret;
}

uint32_t attack_syncobj(int fd, uint32_t flags)
{
	struct drm_syncobj_create create = { .flags = flags };

	return it_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &create) ? 0 : create.handle;
}

void *attack_zeros(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int attack_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? -errno : 0;
}

int attack_submit(int fd, uint32_t ctx, uint64_t flags, const struct it_batch *b, const struct it_bo *more,
		  unsigned int num)
{
	struct drm_i915_gem_exec_object2 obj[16] = { 0 };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = num + 1, .batch_len = (b->n * 4 + 7) & ~7u,
		.flags = flags | I915_EXEC_NO_RELOC, .rsvd1 = ctx,
	};
	int ret;

	if (num >= ARRAY_SIZE(obj))
		return -E2BIG;
	for (unsigned int i = 0; i < num; i++)
		obj[i] = it_exec_object(&more[i], EXEC_OBJECT_ASYNC | EXEC_OBJECT_WRITE);
	obj[num] = it_exec_object(b->bo, 0);
	ret = attack_ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
	if (ret)
		return ret;
	return flags & I915_EXEC_FENCE_OUT ? (int)(eb.rsvd2 >> 32) : 0;
}
