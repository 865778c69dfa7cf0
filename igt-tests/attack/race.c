// SPDX-License-Identifier: MIT
/**
 * DOC: Calls that meet
 *
 * Threads of one process use the same file, context, address space and memory while others of them change, close and
 * unmap these. Nothing in particular has to come of it but errors; the kernel's reports tell what went wrong.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#define AT		(256ull << 20)
#define THREADS		4
#define CONTEXTS	4u
#define SPAN		(16 * ATTACK_PAGE)

struct shared {
	struct attacker *a;
	_Atomic int fd;
	_Atomic uint32_t ctx[CONTEXTS], vm[CONTEXTS], object[CONTEXTS];
	void *memory;
	void (*act)(struct shared *s, struct attacker *own);
};

static void *thread(void *arg)
{
	struct shared *s = arg;
	static atomic_uint number;
	struct attacker own = *s->a;

	own.seed += 7919 * ++number;
	for (;;)
		s->act(s, &own);
	return NULL;
}

static void side_by_side(struct attacker *a, struct shared *s)
{
	pthread_t id;

	s->a = a;
	s->fd = it_open_fd();
	for (unsigned int i = 1; i < THREADS; i++)
		pthread_create(&id, NULL, thread, s);
	thread(s);
}

static int set_map(int fd, uint32_t ctx, struct attacker *a)
{
	I915_DEFINE_CONTEXT_PARAM_ENGINES(map, 64) = { 0 };
	static const uint16_t classes[] = { 0, 1, 2, 3, 2, 7, (uint16_t)I915_ENGINE_CLASS_INVALID };
	unsigned int n = attack_roll(a, 5) ? attack_roll(a, 5) : attack_roll(a, 66);
	struct drm_i915_gem_context_param p = {
		.ctx_id = ctx, .param = I915_CONTEXT_PARAM_ENGINES, .value = (uintptr_t)&map,
		.size = sizeof(uint64_t) + n * sizeof(map.engines[0]),
	};

	for (unsigned int i = 0; i < 64; i++) {
		map.engines[i].engine_class = classes[attack_roll(a, attack_roll(a, 4) ? 4 : 7)];
		map.engines[i].engine_instance = attack_roll(a, 8) ? 0 : attack_roll(a, 3);
		if (map.engines[i].engine_class == (uint16_t)I915_ENGINE_CLASS_INVALID)
			map.engines[i].engine_instance = (uint16_t)I915_ENGINE_CLASS_INVALID_NONE;
	}
	return attack_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p);
}

static int random_param(int fd, uint32_t ctx, struct attacker *a)
{
	struct drm_i915_gem_context_param p = {
		.ctx_id = ctx, .param = attack_roll(a, 16),
		.value = attack_roll(a, 4) ? attack_roll(a, 3) : (unsigned int)rand_r(&a->seed),
	};

	if (attack_roll(a, 2))
		return attack_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p);
	p.value = 0;
	return attack_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &p);
}

static int set_space(int fd, uint32_t ctx, uint32_t vm)
{
	struct drm_i915_gem_context_param p = { .ctx_id = ctx, .param = I915_CONTEXT_PARAM_VM, .value = vm };

	return attack_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p);
}

static int short_batch(int fd, uint32_t ctx, uint64_t flags, struct attacker *a)
{
	struct it_batch b;
	int ret = it_batch_make(fd, ATTACK_PAGE, AT + attack_roll(a, 64) * ATTACK_PAGE, &b);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < attack_roll(a, 100); i++)
		it_emit(&b, MI_ARB_CHECK);
	it_emit_end(&b);
	ret = attack_submit(fd, ctx, flags, &b, NULL, 0);
	it_batch_drop(&b);
	return ret;
}

/* Contexts, their parameters, maps of engines and address spaces, made, used and destroyed by all threads. */
static void act_context(struct shared *s, struct attacker *own)
{
	unsigned int at = attack_roll(own, CONTEXTS);
	struct drm_i915_gem_vm_control vm = { 0 };
	int fd = s->fd, ret;
	uint32_t id;

	switch (attack_roll(own, 16)) {
	case 0:
		ret = it_ctx_make(fd, &id);
		if (!ret) {
			id = atomic_exchange(&s->ctx[at], id);
			if (id)
				it_ctx_drop(fd, id);
		}
		break;
	case 1:
		ret = attack_ioctl(fd, DRM_IOCTL_I915_GEM_VM_CREATE, &vm);
		if (!ret) {
			vm.vm_id = atomic_exchange(&s->vm[at], vm.vm_id);
			if (vm.vm_id)
				attack_ioctl(fd, DRM_IOCTL_I915_GEM_VM_DESTROY, &vm);
		}
		break;
	case 2:
		ret = set_space(fd, s->ctx[at], s->vm[attack_roll(own, CONTEXTS)]);
		break;
	case 3:
	case 4:
		ret = set_map(fd, s->ctx[at], own);
		break;
	case 5:
	case 6:
		ret = random_param(fd, s->ctx[at], own);
		break;
	default:
		ret = short_batch(fd, s->ctx[at], attack_roll(own, 5), own);
		break;
	}
	attack_count(own, ret);
}

static void race_context(struct attacker *a)
{
	static struct shared s = { .act = act_context };

	side_by_side(a, &s);
}

/* Objects by handles that other threads close, in batches, waits and mappings. */
static void act_object(struct shared *s, struct attacker *own)
{
	struct drm_i915_gem_set_tiling tiling = { .tiling_mode = attack_roll(own, 3), .stride = 512 };
	struct drm_i915_gem_busy busy = { 0 };
	struct drm_i915_gem_mmap_offset offset = { .flags = attack_roll(own, 4) };
	struct it_bo o = { .fd = s->fd, .size = SPAN };
	unsigned int at = attack_roll(own, CONTEXTS);
	uint32_t handle = s->object[at];
	struct it_batch b;
	void *map;
	int ret;

	switch (attack_roll(own, 8)) {
	case 0:
		ret = it_bo_create(s->fd, SPAN, &handle);
		if (!ret) {
			handle = atomic_exchange(&s->object[at], handle);
			if (handle)
				it_handle_close(s->fd, handle);
		}
		break;
	case 1:
		tiling.handle = handle;
		ret = attack_ioctl(s->fd, DRM_IOCTL_I915_GEM_SET_TILING, &tiling);
		break;
	case 2:
		busy.handle = handle;
		ret = attack_ioctl(s->fd, DRM_IOCTL_I915_GEM_BUSY, &busy);
		break;
	case 3:
		offset.handle = handle;
		ret = attack_ioctl(s->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset);
		map = ret ? MAP_FAILED : mmap(NULL, SPAN, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, offset.offset);
		if (map != MAP_FAILED) {
			memset(map, 1, ATTACK_PAGE);
			munmap(map, SPAN);
		}
		break;
	default:
		o.handle = handle;
		o.address = AT + attack_roll(own, 8) * SPAN;
		ret = it_batch_make(s->fd, ATTACK_PAGE, AT / 2 + attack_roll(own, 64) * ATTACK_PAGE, &b);
		if (ret)
			break;
		it_emit_store(&b, o.address, 1);
		it_emit_end(&b);
		ret = attack_submit(s->fd, 0, attack_roll(own, 5), &b, &o, 1);
		if (!attack_roll(own, 4))
			it_bo_wait(b.bo, 100000000);
		it_batch_drop(&b);
		break;
	}
	attack_count(own, ret);
}

static void race_object(struct attacker *a)
{
	static struct shared s = { .act = act_object };

	side_by_side(a, &s);
}

/* User memory that is unmapped, moved, protected, forked and discarded while batches use it. */
static void act_userptr(struct shared *s, struct attacker *own)
{
	struct drm_i915_gem_userptr user = { .user_size = SPAN };
	uint8_t *at = (uint8_t *)s->memory + attack_roll(own, 8) * SPAN / 2;
	struct it_bo o = { .fd = s->fd, .size = SPAN };
	struct it_batch b;
	int ret = 0;
	void *p;

	switch (attack_roll(own, 10)) {
	case 0:
		munmap(at, SPAN);
		break;
	case 1:
		mprotect(at, ATTACK_PAGE, attack_roll(own, 2) ? PROT_READ : PROT_READ | PROT_WRITE);
		break;
	case 2:
		madvise(at, SPAN, attack_roll(own, 2) ? MADV_DONTNEED : MADV_HUGEPAGE);
		break;
	case 3:
		p = mremap(at, ATTACK_PAGE, ATTACK_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
			   (uint8_t *)s->memory + attack_roll(own, 64) * ATTACK_PAGE);
		ret = p == MAP_FAILED ? -1 : 0;
		break;
	case 4: {
		pid_t pid = attack_roll(own, 4) ? -1 : fork();

		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		break;
	}
	case 5:
	case 6:
		mmap(at, SPAN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	default:
		user.user_ptr = (uintptr_t)at;
		ret = attack_ioctl(s->fd, DRM_IOCTL_I915_GEM_USERPTR, &user);
		if (ret)
			break;
		o.handle = user.handle;
		o.address = AT + attack_roll(own, 64) * SPAN;
		ret = it_batch_make(s->fd, ATTACK_PAGE, AT / 2 + attack_roll(own, 64) * ATTACK_PAGE, &b);
		if (!ret) {
			it_emit_store(&b, o.address, 1);
			it_emit_end(&b);
			ret = attack_submit(s->fd, 0, attack_roll(own, 5), &b, &o, 1);
			it_batch_drop(&b);
		}
		it_handle_close(s->fd, user.handle);
		break;
	}
	attack_count(own, ret);
}

static void race_userptr(struct attacker *a)
{
	static struct shared s = { .act = act_userptr };

	s.memory = mmap(NULL, 64 * SPAN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s.memory != MAP_FAILED)
		side_by_side(a, &s);
}

/* Files that close under calls of other threads. */
static void act_file(struct shared *s, struct attacker *own)
{
	int fd;

	if (attack_roll(own, 8)) {
		attack_count(own, short_batch(s->fd, 0, attack_roll(own, 5), own));
		return;
	}
	fd = it_open_fd();
	if (fd < 0)
		return;
	fd = atomic_exchange(&s->fd, fd);
	if (fd >= 0)
		close(fd);
}

static void race_file(struct attacker *a)
{
	static struct shared s = { .act = act_file };

	side_by_side(a, &s);
}

const struct attack attacks_race[] = {
	{ "race-context", THREADS, 0, race_context },
	{ "race-object", THREADS, 0, race_object },
	{ "race-userptr", THREADS, 0, race_userptr },
	{ "race-file", THREADS, 0, race_file },
	{ 0 }
};
