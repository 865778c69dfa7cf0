// SPDX-License-Identifier: MIT
/*
 * DOC: Kinds of things of which a client can have many, and which cost it no page
 *
 * Each function makes one more of its kind, or returns the error with which the client was refused.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>

#include "budget.h"

#define TIMELINE	25u			/* points */
#define NUM_POINTS	(800 * TIMELINE)	/* of an execbuf */
#define BUFFERS		256u			/* of another driver, which each of many files imports */
#define VMAS		1000u			/* of objects in the address space of one context */
#define LISTED		(64u << 20)		/* bytes of user memory whose pages are listed for an object */
#define MAPPED		(1u << 20)		/* of these are there, mapped again and again */

static int make_object(struct maker *m)
{
	struct drm_i915_gem_create create = { .size = PAGE };
	int ret = it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_CREATE, &create);

	m->handle = create.handle;
	return ret;
}

static int make_userptr(struct maker *m)
{
	struct drm_i915_gem_userptr userptr = { .user_ptr = (uintptr_t)m->batch.dw & -PAGE, .user_size = PAGE };

	return it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &userptr);
}

static int make_context(struct maker *m)
{
	struct drm_i915_gem_context_create create = { };

	return it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create);
}

static int make_used_context(struct maker *m)
{
	struct drm_i915_gem_context_create create = { };
	int ret = it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create);

	return ret ?: it_run(m->dev, create.ctx_id, I915_EXEC_RENDER, &m->batch, NULL, 0, 0);
}

static int make_space(struct maker *m)
{
	struct drm_i915_gem_vm_control vm = { };

	return it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_VM_CREATE, &vm);
}

/* A request, and a syncobj that keeps it. */
static int make_request(struct maker *m)
{
	struct drm_syncobj_create create = { };
	struct drm_i915_gem_exec_fence fence = { .flags = I915_EXEC_FENCE_SIGNAL };
	struct drm_i915_gem_exec_object2 obj = { .handle = m->batch.bo->handle };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)&obj,
		.buffer_count = 1,
		.flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC | I915_EXEC_FENCE_ARRAY,
		.cliprects_ptr = (uintptr_t)&fence,
		.num_cliprects = 1,
	};
	int ret = it_ioctl(m->dev->fd, DRM_IOCTL_SYNCOBJ_CREATE, &create);

	fence.handle = create.handle;
	return ret ?: it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

/* Points of new timelines, by one execbuf behind a batch that does not end. */
static int make_points(struct maker *m)
{
	static struct drm_i915_gem_exec_fence fences[NUM_POINTS];
	static uint64_t values[NUM_POINTS];
	static bool busy;
	struct drm_i915_gem_execbuffer_ext_timeline_fences ext = {
		.base.name = DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES, .fence_count = NUM_POINTS,
		.handles_ptr = (uintptr_t)fences, .values_ptr = (uintptr_t)values,
	};
	struct drm_i915_gem_exec_object2 obj = { .handle = m->batch.bo->handle };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)&obj,
		.buffer_count = 1,
		.flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC | I915_EXEC_USE_EXTENSIONS,
		.cliprects_ptr = (uintptr_t)&ext,
	};
	struct drm_syncobj_create create = { };
	int ret = 0;

	if (!busy) {
		struct it_bo *gate = it_bo(m->dev, PAGE);
		struct it_batch b = it_batch(m->dev, PAGE);

		it_emit_circle(&b, gate->address);
		ret = it_run(m->dev, 0, I915_EXEC_RENDER, &b, &gate, 1, 0);
		/* A full ring is an error, which it_ioctl() would repeat, and not a wait for that batch. */
		fcntl(m->dev->fd, F_SETFL, O_NONBLOCK);
		busy = true;
	}
	/* A point costs a walk along its timeline: short ones. */
	for (unsigned int i = 0; !ret && i < NUM_POINTS; i++) {
		if (i % TIMELINE == 0)
			ret = it_ioctl(m->dev->fd, DRM_IOCTL_SYNCOBJ_CREATE, &create);
		fences[i].handle = create.handle;
		fences[i].flags = I915_EXEC_FENCE_SIGNAL;
		values[i] = i % TIMELINE + 1;
	}
	if (!ret && ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb))
		ret = -errno;
	return ret;
}

/* An object, and the tables that lead to it alone, in the default context's address space. */
static int make_tables(struct maker *m)
{
	static uint64_t address = 1ull << 40;
	int ret = make_object(m);
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .handle = m->handle, .offset = address,
		  .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS },
		{ .handle = m->batch.bo->handle },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 2, .flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC,
	};

	address += 1ull << 30;
	return ret ?: it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

/* An object, and an offset to map it by. */
static int make_mapping(struct maker *m)
{
	struct drm_i915_gem_mmap_offset offset = { .flags = I915_MMAP_OFFSET_WB };
	int ret = make_object(m);

	offset.handle = m->handle;
	return ret ?: it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset);
}

/* A buffer of another driver. So that it is an object as often as possible, many files import the same buffers. */
static int make_import(struct maker *m)
{
	struct drm_prime_handle prime = { };
	uint32_t handle;
	char node[32];
	int vgem;

	if (!m->num_kept) {
		vgem = it_vgem_open();
		it_expect(vgem >= 0, "no vgem to import from");
		for (unsigned int i = 0; i < BUFFERS; i++) {
			m->kept[i] = it_vgem_buffer(vgem, 4 * PAGE, &handle);
			it_expect(m->kept[i] >= 0, "buffer %u: error %d", i, m->kept[i]);
		}
		m->num_kept = BUFFERS;
		close(vgem);
	}
	if (!(m->num_imports % BUFFERS)) {
		it_expect(m->num_kept < ARRAY_SIZE(m->kept), "%u imports, and no refusal", m->num_imports);
		snprintf(node, sizeof(node), "/proc/self/fd/%d", m->dev->fd);
		m->kept[m->num_kept] = open(node, O_RDWR | O_CLOEXEC);
		if (m->kept[m->num_kept] < 0)
			return -errno;
		m->num_kept++;
	}
	prime.fd = m->kept[m->num_imports++ % BUFFERS];
	return it_ioctl(m->kept[m->num_kept - 1], DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
}

/* The objects get one more VMA each, in the address space of a new context. */
static int make_vmas(struct maker *m)
{
	static struct drm_i915_gem_exec_object2 obj[VMAS + 1];
	struct drm_i915_gem_context_create create = { };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = VMAS + 1, .flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC,
	};
	int ret = 0;

	for (unsigned int i = 0; !ret && i < VMAS && !obj[i].handle; i++) {
		ret = make_object(m);
		obj[i].handle = m->handle;
		obj[i].offset = (1ull << 40) + i * PAGE;
		obj[i].flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	}
	obj[VMAS].handle = m->batch.bo->handle;
	ret = ret ?: it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create);
	eb.rsvd1 = create.ctx_id;
	return ret ?: it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

/* An object over a range of which the process itself has little memory, mapped all over; its pages are listed. */
static int make_list(struct maker *m)
{
	static uint64_t address = 1ull << 41;
	static char *range;
	struct drm_i915_gem_userptr userptr = { .user_size = LISTED };
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .offset = address, .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS },
		{ .handle = m->batch.bo->handle },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 2, .flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC,
	};
	int ret;

	if (!range) {
		int memory = memfd_create("igen-budget", 0);

		it_expect(memory >= 0 && !ftruncate(memory, MAPPED), "memfd: error %d", errno);
		range = mmap(NULL, LISTED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		it_expect(range != MAP_FAILED, "mmap: error %d", errno);
		for (unsigned int at = 0; at < LISTED; at += MAPPED)
			it_expect(mmap(range + at, MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0) !=
				  MAP_FAILED, "mmap: error %d", errno);
		close(memory);
	}
	userptr.user_ptr = (uintptr_t)range;
	ret = it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &userptr);
	obj[0].handle = userptr.handle;
	address += LISTED;
	return ret ?: it_ioctl(m->dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

const struct kind budget_kinds[] = {
	{ "objects", make_object, 1024, 0, false },
	{ "userptrs", make_userptr, 512, 0, false },
	{ "contexts", make_context, 64, 0, false },
	{ "used-contexts", make_used_context, 64 << 10, 0, false },
	{ "spaces", make_space, 8192, 0, false },
	{ "tables", make_tables, 3 * PAGE, PAGE + 1024, false },	/* beside: the object's page, and its file */
	{ "mappings", make_mapping, 1024 + 128, 0, false },
	{ "imports", make_import, 1024, 0, false },
	{ "vmas", make_vmas, 256 << 10, 0, false },
	{ "lists", make_list, 192 << 10, 0, false },
	{ "requests", make_request, 384, 128, true },
	{ "points", make_points, 64 * NUM_POINTS, 0, true },
};

const unsigned int budget_num_kinds = ARRAY_SIZE(budget_kinds);

struct maker maker_open(void)
{
	struct maker m = { .dev = it_open() };

	m.batch = it_batch(m.dev, PAGE);
	it_emit_end(&m.batch);
	return m;
}

void maker_close(struct maker *m)
{
	for (unsigned int i = 0; i < m->num_kept; i++)
		close(m->kept[i]);
	it_close(m->dev);
}
