// SPDX-License-Identifier: MIT
/*
 * DOC: Execbuf, in each of its forms
 *
 * Every attempt is a new file with new objects, so that the call also takes their pages and makes page tables; in some
 * forms it makes the context and its share of the engine, too, in others the very same call has been made before. A
 * call that failed has not run its batch, given out no fence, and left no object busy.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>
#include <linux/dma-buf.h>

#include "faults.h"

#define VALUE		0xbabe0000u
#define MANY		20	/* more than execbuf keeps on its stack, or searches one by one */
#define WAIT_MS		60000

enum {
	USED = 1 << 0,		/* the same call has been made before */
	ON_BLT = 1 << 1,	/* where batches are checked and copied */
	RELOCS = 1 << 2,	/* else softpin */
	RELOCS_AWAY = 1 << 3,	/* in memory that has to be faulted in, so that they are copied before */
	MANY_OBJECTS = 1 << 4,
	FENCE_ARRAY = 1 << 5,
	TIMELINES = 1 << 6,
	FENCE_IN = 1 << 7,
	FENCE_SUBMIT = 1 << 8,
	FENCE_OUT = 1 << 9,
	BUSY_OBJECT = 1 << 10,	/* it has a fence that is not signaled */
	USER_MEMORY = 1 << 11,	/* the target is a userptr object */
	IMPORTED = 1 << 12,	/* an object of vgem's is in the list */
	ONE_TIMELINE = 1 << 13,	/* of the context */
	LARGE = 1 << 14,	/* objects with pages of 2 MB and of 4 KB, of the latter few: each is a point */
	FRESH = 1 << 15,	/* the context has not run on the engine */
};

/* What a call points at. */
struct call {
	struct drm_i915_gem_execbuffer2 eb;
	struct drm_i915_gem_exec_object2 obj[MANY + 2];
	struct drm_i915_gem_relocation_entry reloc[MANY];
	struct drm_i915_gem_exec_fence fence[2];
	struct drm_i915_gem_execbuffer_ext_timeline_fences timelines;
	uint64_t point[2];
	uint32_t wait, signal;	/* syncobjs */
	uint32_t *page;		/* where the batch stores */
};

static bool is(const struct fx *fx, unsigned int form)
{
	return fx->path->arg & form;
}

static uint32_t syncobj(struct fx *fx)
{
	struct drm_syncobj_create create = { 0 };

	fault_must(fx, DRM_IOCTL_SYNCOBJ_CREATE, &create);
	return create.handle;
}

/* A syncobj that has to be waited for. */
static uint32_t waiting_syncobj(struct fx *fx, uint64_t point)
{
	uint32_t handle = syncobj(fx), other;
	struct drm_syncobj_handle import = {
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, .fd = fault_sync_file(fx),
	};
	struct drm_syncobj_transfer transfer = { .dst_point = point };

	if (!point) {
		import.handle = handle;
		fault_must(fx, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import);
		return handle;
	}
	other = syncobj(fx);
	import.handle = other;
	fault_must(fx, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import);
	transfer.src_handle = other;
	transfer.dst_handle = handle;
	fault_must(fx, DRM_IOCTL_SYNCOBJ_TRANSFER, &transfer);
	return handle;
}

static void add_fences(struct fx *fx, struct call *c)
{
	uint64_t point = is(fx, TIMELINES) ? 1 : 0;

	c->wait = waiting_syncobj(fx, point);
	c->signal = syncobj(fx);
	c->fence[0].handle = c->wait;
	c->fence[0].flags = I915_EXEC_FENCE_WAIT;
	c->fence[1].handle = c->signal;
	c->fence[1].flags = I915_EXEC_FENCE_SIGNAL;
	if (!point) {
		c->eb.flags |= I915_EXEC_FENCE_ARRAY;
		c->eb.num_cliprects = ARRAY_SIZE(c->fence);
		c->eb.cliprects_ptr = (uintptr_t)c->fence;
		return;
	}
	c->point[0] = 1;
	c->point[1] = 7;
	c->timelines.base.name = DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES;
	c->timelines.fence_count = ARRAY_SIZE(c->fence);
	c->timelines.handles_ptr = (uintptr_t)c->fence;
	c->timelines.values_ptr = (uintptr_t)c->point;
	c->eb.flags |= I915_EXEC_USE_EXTENSIONS;
	c->eb.cliprects_ptr = (uintptr_t)&c->timelines;
}

static void make_busy(struct fx *fx, uint32_t handle)
{
	struct drm_prime_handle prime = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	struct dma_buf_import_sync_file import = { .flags = DMA_BUF_SYNC_RW, .fd = fault_sync_file(fx) };

	fault_must(fx, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	fault_keep(fx, prime.fd, "exported");
	it_expect(!ioctl(prime.fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import),
		  "preparing: no fence for the object: error %d", errno);
}

static uint32_t user_memory(struct fx *fx)
{
	struct drm_i915_gem_userptr userptr = { .user_size = 4096 };

	fx->map_size = 4096;
	fx->memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	it_expect(fx->memory != MAP_FAILED, "preparing: no memory");
	userptr.user_ptr = (uintptr_t)fx->memory;
	fault_must(fx, DRM_IOCTL_I915_GEM_USERPTR, &userptr);
	return userptr.handle;
}

static void add_object(struct fx *fx, struct call *c, uint32_t handle, uint64_t size, uint64_t flags)
{
	struct drm_i915_gem_exec_object2 *obj = &c->obj[c->eb.buffer_count++];

	obj->handle = handle;
	obj->flags = flags | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	if (is(fx, RELOCS | RELOCS_AWAY))
		return;
	obj->offset = fx->dev->next_address;
	obj->flags |= EXEC_OBJECT_PINNED;
	/* Far apart: each has page tables of its own. */
	if (is(fx, LARGE))
		fx->dev->next_address += 1ull << 30;
	fx->dev->next_address += (size + 0xffff) & ~0xffffull;
}

static void add_relocs(struct fx *fx, struct call *c)
{
	struct drm_i915_gem_exec_object2 *batch = &c->obj[c->eb.buffer_count - 1];
	void *memory = c->reloc;
	char name[] = "/tmp/faults-XXXXXX";
	int fd;

	c->reloc[0].target_handle = c->obj[0].handle;
	c->reloc[0].offset = 4;
	c->reloc[0].presumed_offset = ~0ull;
	c->reloc[0].read_domains = I915_GEM_DOMAIN_RENDER;
	c->reloc[0].write_domain = I915_GEM_DOMAIN_RENDER;
	for (unsigned int i = 1; i < c->eb.buffer_count - 1; i++) {
		c->reloc[i] = c->reloc[0];
		c->reloc[i].target_handle = c->obj[i].handle;
		c->reloc[i].offset = 1024 + i * 8;
	}
	batch->relocation_count = c->eb.buffer_count - 1;
	if (is(fx, RELOCS_AWAY)) {
		fd = fault_keep(fx, mkstemp(name), name);
		unlink(name);
		fx->map_size = 8192;
		it_expect(pwrite(fd, c->reloc, sizeof(c->reloc), 0) == sizeof(c->reloc), "preparing: %s", name);
		memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		it_expect(memory != MAP_FAILED, "preparing: no memory");
		fx->memory = memory;
	}
	batch->relocs_ptr = (uintptr_t)memory;
}

static unsigned int engine_slot(struct fx *fx)
{
	unsigned int wanted = is(fx, ON_BLT) ? I915_ENGINE_CLASS_COPY : I915_ENGINE_CLASS_RENDER;

	for (unsigned int i = 0; i < fx->dev->num_engines; i++)
		if (fx->dev->engine[i].class == wanted)
			return i;
	it_skip("no such engine");
}

static void add_context(struct fx *fx, struct call *c)
{
	struct drm_i915_gem_context_create_ext create = { .flags = I915_CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE };

	if (!is(fx, ONE_TIMELINE)) {
		c->eb.rsvd1 = it_ctx_engines(fx->dev);
		c->eb.flags |= engine_slot(fx);
		return;
	}
	fault_must(fx, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create);
	c->eb.rsvd1 = create.ctx_id;
	c->eb.flags |= is(fx, ON_BLT) ? I915_EXEC_BLT : I915_EXEC_RENDER;
}

/* The context gets its share of the engine. */
static void use_context(struct fx *fx, struct call *c)
{
	struct it_batch batch = it_batch(fx->dev, 4096);
	int ret;

	it_emit_end(&batch);
	ret = it_run(fx->dev, c->eb.rsvd1, engine_slot(fx), &batch, NULL, 0, 0);
	ret = ret ?: it_bo_wait(batch.bo, IT_WAIT_NS);
	it_expect(!ret, "preparing: execbuf: error %d", ret);
}

static int op_exec(struct fx *fx);
static void check_exec(struct fx *fx);

static void prepare_exec(struct fx *fx)
{
	struct call *c = calloc(1, sizeof(*c));
	struct drm_i915_gem_create bare = { .size = is(fx, LARGE) ? (4 << 20) + (64 << 10) : 4096 };
	uint32_t handle;

	it_expect(c, "out of memory");
	fx->many = c;
	c->eb.buffers_ptr = (uintptr_t)c->obj;
	add_context(fx, c);
	if (!is(fx, FRESH | ONE_TIMELINE))
		use_context(fx, c);

	if (is(fx, USER_MEMORY)) {
		handle = user_memory(fx);
		c->page = fx->memory;
	} else {
		fx->bo = it_bo(fx->dev, 4096);
		handle = fx->bo->handle;
		c->page = fx->bo->map;
	}
	add_object(fx, c, handle, 4096, EXEC_OBJECT_WRITE);
	if (is(fx, BUSY_OBJECT))
		make_busy(fx, handle);
	for (unsigned int i = 1; i < (is(fx, MANY_OBJECTS) ? MANY : is(fx, LARGE) ? 2 : 1); i++) {
		fault_must(fx, DRM_IOCTL_I915_GEM_CREATE, &bare);
		add_object(fx, c, bare.handle, bare.size, 0);
	}
	if (is(fx, IMPORTED)) {
		struct drm_prime_handle prime = { .fd = fault_vgem_buffer(fx) };

		fault_must(fx, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
		add_object(fx, c, prime.handle, 16384, 0);
	}

	fx->batch = it_batch(fx->dev, 4096);
	it_emit_store(&fx->batch, c->obj[0].offset, VALUE);
	it_emit_end(&fx->batch);
	add_object(fx, c, fx->batch.bo->handle, 4096, 0);
	if (is(fx, RELOCS | RELOCS_AWAY))
		add_relocs(fx, c);
	else
		c->eb.flags |= I915_EXEC_NO_RELOC;

	if (is(fx, FENCE_ARRAY | TIMELINES))
		add_fences(fx, c);
	if (is(fx, FENCE_IN | FENCE_SUBMIT)) {
		c->eb.flags |= is(fx, FENCE_IN) ? I915_EXEC_FENCE_IN : I915_EXEC_FENCE_SUBMIT;
		c->eb.rsvd2 = fault_sync_file(fx);
	}
	if (is(fx, FENCE_OUT))
		c->eb.flags |= I915_EXEC_FENCE_OUT;

	if (is(fx, USED)) {
		it_expect(!op_exec(fx), "preparing: execbuf fails");
		check_exec(fx);
		*c->page = 0;
	}
}

static int op_exec(struct fx *fx)
{
	struct call *c = fx->many;
	struct drm_i915_gem_execbuffer2 *eb = FAULT_USED(fx, struct drm_i915_gem_execbuffer2);

	if (is(fx, RELOCS_AWAY))
		madvise(fx->memory, fx->map_size, MADV_DONTNEED);
	*eb = c->eb;
	if (ioctl(fx->fd, is(fx, FENCE_OUT) ? DRM_IOCTL_I915_GEM_EXECBUFFER2_WR : DRM_IOCTL_I915_GEM_EXECBUFFER2, eb))
		return -errno;
	return 0;
}

static bool syncobj_has_fence(struct fx *fx, uint32_t handle, uint64_t point)
{
	struct drm_syncobj_timeline_wait wait = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.count_handles = 1,
		.flags = 0,
	};
	int ret = it_ioctl(fx->fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &wait);

	return !ret || ret == -ETIME;
}

static void failed_exec(struct fx *fx)
{
	struct call *c = fx->many;
	struct drm_i915_gem_busy busy = { .handle = c->obj[0].handle };

	/* If only the result could not be copied out, the batch has been submitted all the same: see igen-faults.c. */
	if (fx->err == -EFAULT && fx->path->flags & FAULT_COPY_OUT)
		return;
	fault_must(fx, DRM_IOCTL_I915_GEM_BUSY, &busy);
	it_expect(!busy.busy, "after error %d an object is busy: %x", fx->err, busy.busy);
	it_expect(!*(volatile uint32_t *)c->page, "after error %d the batch has run", fx->err);
	if (c->signal)
		it_expect(!syncobj_has_fence(fx, c->signal, c->point[1]), "after error %d the syncobj has a fence",
			  fx->err);
}

static void check_exec(struct fx *fx)
{
	struct drm_i915_gem_execbuffer2 *eb = FAULT_USED(fx, struct drm_i915_gem_execbuffer2);
	struct call *c = fx->many;
	struct drm_i915_gem_wait wait = { .bo_handle = c->obj[0].handle, .timeout_ns = IT_WAIT_NS };
	struct pollfd out = { .fd = eb->rsvd2 >> 32, .events = POLLIN };
	int ret;

	if (c->signal)
		it_expect(syncobj_has_fence(fx, c->signal, c->point[1]), "the syncobj has no fence");
	fault_signal(fx);
	ret = it_ioctl(fx->fd, DRM_IOCTL_I915_GEM_WAIT, &wait);
	it_expect(!ret, "GEM_WAIT: error %d", ret);
	it_expect(*(volatile uint32_t *)c->page == VALUE, "the batch stored %x", *(volatile uint32_t *)c->page);
	if (is(fx, FENCE_OUT)) {
		it_expect(poll(&out, 1, WAIT_MS) == 1, "the fence that was given does not signal");
		close(out.fd);
	}
}

#define EXEC(name, form, ...) \
	FAULT("execbuf-" name, prepare_exec, op_exec, check_exec, .failed = failed_exec, .arg = form, ##__VA_ARGS__)

static const struct fault_path paths[] = {
	EXEC("softpin-fresh", FRESH),
	EXEC("softpin", 0),
	EXEC("softpin-again", USED),
	EXEC("blt-fresh", ON_BLT | FRESH),
	EXEC("blt", ON_BLT),
	EXEC("blt-again", ON_BLT | USED),
	EXEC("one-timeline", ONE_TIMELINE),
	EXEC("one-timeline-again", ONE_TIMELINE | USED),
	EXEC("relocs", RELOCS),
	EXEC("relocs-again", RELOCS | USED),
	EXEC("relocs-copied", RELOCS_AWAY | MANY_OBJECTS),
	EXEC("many", MANY_OBJECTS),
	EXEC("many-relocs", MANY_OBJECTS | RELOCS),
	EXEC("large", LARGE),
	EXEC("fence-array", FENCE_ARRAY),
	EXEC("timelines", TIMELINES),
	EXEC("fence-in", FENCE_IN),
	EXEC("fence-submit", FENCE_SUBMIT),
	EXEC("fence-out", FENCE_OUT | FENCE_ARRAY, .flags = FAULT_COPY_OUT),
	EXEC("busy-object", BUSY_OBJECT),
	EXEC("blt-busy-object", BUSY_OBJECT | ON_BLT | FENCE_ARRAY),
	EXEC("userptr", USER_MEMORY),
	EXEC("imported", IMPORTED),
	EXEC("imported-relocs", IMPORTED | RELOCS),
};

const struct fault_path *fault_page_path(void)
{
	return &paths[0];
}

void faults_exec(void)
{
	fault_run(paths, ARRAY_SIZE(paths));
}
