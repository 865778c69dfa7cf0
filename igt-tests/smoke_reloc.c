// SPDX-License-Identifier: MIT
/**
 * DOC: Relocations in a busy batch
 *
 * An execbuf relocates a batch that still waits to run for an earlier execbuf. The earlier run uses the old addresses,
 * the later run the new ones. On igen the later call does not wait for the earlier run, except where batches are
 * checked beforehand. The presumed offsets that the call returns are right whatever becomes of the later run. A call
 * that fails after it has written some addresses does not mislead the next call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "smoke.h"

#define COMMAND		4u			/* dwords of one store */
#define SIZE		(2 * 4096)		/* of an object that addresses are written to */
#define FILL		0x77
#define SOME		24u
#define MANY		300u			/* more than fit the ring's share of them */
#define VALUE		0x0ddba110u
#define WRONG		0xdead0000u		/* where no object is */
#define PATIENCE_MS	120000
#define SECRET_REG	0x22244u		/* no client's: what the engine saves of contexts */
#define DROP_CACHES	"/sys/kernel/debug/dri/0/i915_gem_drop_caches"

struct calls {
	struct it_dev *dev;
	uint32_t ctx, num;
	unsigned int engine;
	bool pinned;
	struct it_batch b;
	struct it_bo *target[2];
	struct drm_i915_gem_relocation_entry relocs[MANY];
	struct drm_i915_gem_exec_object2 obj[2];
	int ret;
	atomic_bool over;
};

/* Runs the batch with the addresses of a target. */
static int run_at(struct calls *c, struct it_bo *target)
{
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)c->obj, .buffer_count = 2, .flags = c->engine, .rsvd1 = c->ctx,
	};

	c->obj[0] = (struct drm_i915_gem_exec_object2){ .handle = target->handle, .flags = EXEC_OBJECT_WRITE };
	if (c->pinned) {
		c->obj[0].offset = target->address;
		c->obj[0].flags |= EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	}
	c->obj[1].handle = c->b.bo->handle;
	c->obj[1].relocation_count = c->num;
	c->obj[1].relocs_ptr = (uintptr_t)c->relocs;
	for (unsigned int i = 0; i < c->num; i++)
		c->relocs[i].target_handle = target->handle;
	return it_ioctl(c->dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

static void *execute(void *data)
{
	struct calls *c = data;

	c->ret = run_at(c, c->target[0]);
	for (unsigned int i = 0; i < c->num && !c->ret; i++)
		if (c->relocs[i].presumed_offset != c->obj[0].offset)
			c->ret = -1;
	c->ret = c->ret ?: run_at(c, c->target[1]);
	atomic_store(&c->over, true);
	return NULL;
}

static void expect_stored(struct calls *c, unsigned int which)
{
	volatile uint32_t *dw = c->target[which]->map;

	for (unsigned int i = 0; i < c->num; i++)
		it_expect(dw[i] == VALUE + i, "target %u: store %u of %u left 0x%x", which, i, c->num, dw[i]);
}

/* A batch of stores to wrong addresses until it is relocated, two targets for them, and a context. */
static void prepare(struct calls *c)
{
	c->ctx = it_ctx_engines(c->dev);
	c->b = it_batch(c->dev, 8192);
	for (unsigned int i = 0; i < c->num; i++) {
		it_emit_store(&c->b, WRONG, VALUE + i);
		/* Every other one is no multiple of 8. */
		if (i % 2)
			it_emit(&c->b, MI_NOOP);
		c->relocs[i].offset = 4 * (c->b.n - 3 - i % 2);
		c->relocs[i].delta = 4 * i;
		c->relocs[i].presumed_offset = ~0ull;
		c->relocs[i].read_domains = I915_GEM_DOMAIN_RENDER;
	}
	it_emit_end(&c->b);
	for (unsigned int i = 0; i < 2; i++)
		c->target[i] = it_bo(c->dev, 4096);
}

/* Another context has the batch, until 1 is written to the gate. */
static struct it_bo *hold_batch(struct calls *c)
{
	struct it_bo *gate = it_bo(c->dev, 4096), *held[2] = { gate, c->b.bo };
	struct it_batch hold = it_batch(c->dev, 4096);
	int ret;

	it_emit_gate(&hold, gate->address);
	it_emit_end(&hold);
	ret = it_run(c->dev, it_ctx_engines(c->dev), c->engine, &hold, held, 2, 0);
	it_expect(!ret, "execbuf of the context that has the batch: error %d", ret);
	return gate;
}

/* Calls do not wait for the busy batch: on igen, where no batch is checked and the ring has room for all addresses. */
static bool calls_may_not_wait(const struct calls *c)
{
	return it_on_igen() && c->num == SOME && c->dev->engine[c->engine].class != I915_ENGINE_CLASS_COPY;
}

/* Tells whether the calls return while the batch is busy. */
static bool calls_return(struct calls *c)
{
	unsigned int most = calls_may_not_wait(c) ? PATIENCE_MS : 100;

	for (unsigned int ms = 0; !atomic_load(&c->over) && ms < most; ms++)
		usleep(1000);
	return atomic_load(&c->over);
}

static void relocate(unsigned int arg)
{
	static struct calls c;
	struct it_bo *gate;
	bool returned;
	pthread_t thread;
	int ret;

	c = (struct calls){ .dev = it_open(), .engine = arg & 0xff, .num = arg & 0x100 ? MANY : SOME };
	prepare(&c);
	gate = hold_batch(&c);

	it_expect(!pthread_create(&thread, NULL, execute, &c), "no thread");
	returned = calls_return(&c);
	*(volatile uint32_t *)gate->map = 1;
	pthread_join(thread, NULL);
	it_expect(!c.ret, "relocating: error %d", c.ret);
	ret = it_bo_wait(c.b.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch does not end: error %d", ret);
	expect_stored(&c, 0);
	expect_stored(&c, 1);
	if (calls_may_not_wait(&c))
		it_expect(returned, "the call waits for a busy object");
}

static void *execute_once(void *data)
{
	struct calls *c = data;

	c->ret = run_at(c, c->target[0]);
	atomic_store(&c->over, true);
	return NULL;
}

/* The context ends with its work before it gets the batch: the next one runs with the addresses told to the first. */
static void relocate_in_vain(unsigned int engine)
{
	struct drm_i915_gem_context_param p = { .param = I915_CONTEXT_PARAM_PERSISTENCE };
	static struct calls c;
	struct it_bo *gate;
	bool returned;
	pthread_t thread;
	int ret;

	c = (struct calls){ .dev = it_open(), .engine = engine, .num = SOME, .pinned = true };
	prepare(&c);
	p.ctx_id = c.ctx;
	ret = it_ioctl(c.dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p);
	it_expect(!ret, "a context whose work ends with it: error %d", ret);
	gate = hold_batch(&c);

	it_expect(!pthread_create(&thread, NULL, execute_once, &c), "no thread");
	returned = calls_return(&c);
	it_ctx_destroy(c.dev, c.ctx);
	*(volatile uint32_t *)gate->map = 1;
	pthread_join(thread, NULL);
	/* Where the call waits it may find its context gone or killed. */
	it_expect(!c.ret || (!returned && (c.ret == -ENOENT || c.ret == -EIO)), "relocating: error %d", c.ret);
	ret = it_bo_wait(c.b.bo, IT_WAIT_NS);
	it_expect(!ret, "what is left of the context does not end: error %d", ret);
	for (unsigned int i = 0; i < c.num; i++)
		it_expect(!((volatile uint32_t *)c.target[0]->map)[i], "the batch has run in a context that is gone");

	c.ctx = it_ctx_engines(c.dev);
	ret = run_at(&c, c.target[0]);
	it_expect(!ret, "execbuf with the addresses returned: error %d", ret);
	ret = it_bo_wait(c.b.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch does not end: error %d", ret);
	expect_stored(&c, 0);
}

/* A page of a file that the kernel has and the process does not: reading it takes a page fault. */
static void *absent_page(const void *data, size_t size)
{
	int fd = memfd_create("relocations", MFD_CLOEXEC);
	void *map;

	it_expect(fd >= 0 && write(fd, data, size) == (ssize_t)size && !ftruncate(fd, 4096), "no file");
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	it_expect(map != MAP_FAILED, "no mapping");
	close(fd);
	return map;
}

/*
 * A blitter batch that is refused after its address was written, since the target was not where the client thought.
 * Then the target comes to be there, and the batch is mended.
 */
static void refused(unsigned int arg)
{
	struct it_dev *dev = it_open();
	const uint32_t ctx = it_ctx_engines(dev);
	const bool absent = arg & 0x100;
	struct it_bo *other = it_bo(dev, 4096), *target = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);
	const uint64_t there = target->address, flags = EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	struct drm_i915_gem_relocation_entry reloc = {
		.target_handle = target->handle, .offset = 128, .presumed_offset = there,
		.read_domains = I915_GEM_DOMAIN_RENDER,
	}, *relocs = absent ? absent_page(&reloc, sizeof(reloc)) : &reloc;
	struct drm_i915_gem_exec_object2 obj[3] = {
		{ .handle = other->handle, .offset = there, .flags = flags | EXEC_OBJECT_PINNED },
		{ .handle = target->handle, .offset = there, .flags = flags },
		{ .handle = b.bo->handle, .relocation_count = 1, .relocs_ptr = (uintptr_t)relocs,
		  .offset = b.bo->address, .flags = flags | EXEC_OBJECT_PINNED },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 3, .flags = arg & 0xff, .rsvd1 = ctx,
	};
	volatile uint64_t *address = (void *)((char *)b.bo->map + 128);
	volatile uint32_t *command = b.bo->map;
	int ret;

	it_emit_load_reg(&b, SECRET_REG, 0);
	it_emit_end(&b);
	*address = there;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(ret == -EACCES || ret == -EINVAL, "a batch that may not run: error %d", ret);
	it_bo_close(other);
	it_expect(!it_write_file(DROP_CACHES, "0xe"), "%s cannot be written", DROP_CACHES);

	for (unsigned int i = 0; i < 3; i++)
		command[i] = MI_NOOP;
	eb.buffers_ptr = (uintptr_t)&obj[1];
	eb.buffer_count = 2;
	if (!absent)
		eb.flags |= I915_EXEC_NO_RELOC;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(!ret, "the mended batch: error %d", ret);
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch does not end: error %d", ret);
	it_expect(*address == obj[1].offset, "it has 0x%llx, and the target is at 0x%llx", (unsigned long long)*address,
		  (unsigned long long)obj[1].offset);
	it_close(dev);
}

/*
 * An address is written at any multiple of four within the object that has room for all of it, and nowhere else. A call
 * that is refused changes nothing.
 */
static void bounds(unsigned int arg)
{
	static const struct {
		uint64_t offset;
		bool good;
	} tries[] = {
		{ 0, true }, { SIZE - 8, true }, { SIZE - 4096 - 4, true }, { SIZE - 12, true },
		{ SIZE - 7, false }, { SIZE - 4, false }, { SIZE - 1, false }, { SIZE, false }, { SIZE + 4, false },
		{ SIZE + 4096, false }, { 2, false }, { 1ull << 32, false }, { ~0ull - 3, false }, { ~0ull - 7, false },
	};
	struct it_dev *dev = it_open();
	const bool busy = arg & 0x100;
	const unsigned int engine = arg & 0xff;
	const uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, SIZE), *gate = it_bo(dev, 4096), *held[] = { gate, bo };
	struct it_batch b = it_batch(dev, 4096);
	struct drm_i915_gem_relocation_entry reloc = { .read_domains = I915_GEM_DOMAIN_RENDER };
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .handle = bo->handle, .relocation_count = 1, .relocs_ptr = (uintptr_t)&reloc },
		{ .handle = b.bo->handle },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 2, .flags = engine, .rsvd1 = ctx,
	};

	reloc.target_handle = b.bo->handle;
	it_emit_end(&b);
	eb.batch_len = b.n * 4;
	for (unsigned int i = 0; i < ARRAY_SIZE(tries); i++) {
		struct it_batch hold = it_batch(dev, 4096);
		unsigned int wrong = 0;
		uint64_t address;
		int ret;

		memset(bo->map, FILL, SIZE);
		gate->dw[0] = 0;
		if (busy) {
			it_emit_gate(&hold, gate->address);
			it_emit_end(&hold);
			ret = it_run(dev, it_ctx_engines(dev), engine, &hold, held, 2, 0);
			it_expect(!ret, "execbuf of the batch that holds the object: error %d", ret);
		}
		reloc.offset = tries[i].offset;
		reloc.presumed_offset = ~0ull;
		/* Where the call waits for the object, the object must not wait for the call. */
		if (!it_on_igen() || dev->engine[engine].class == I915_ENGINE_CLASS_COPY)
			gate->dw[0] = 1;
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
		*(volatile uint32_t *)gate->map = 1;
		it_expect(ret == (tries[i].good ? 0 : -EINVAL), "an address at 0x%llx of 0x%x: error %d",
			  (unsigned long long)tries[i].offset, SIZE, ret);
		ret = it_bo_wait(bo, IT_WAIT_NS);
		it_expect(!ret, "GEM_WAIT: error %d", ret);
		if (tries[i].good) {
			memcpy(&address, (char *)bo->map + tries[i].offset, sizeof(address));
			it_expect(address == obj[1].offset, "0x%llx was written at 0x%llx, not 0x%llx",
				  (unsigned long long)address, (unsigned long long)tries[i].offset,
				  (unsigned long long)obj[1].offset);
			memset((char *)bo->map + tries[i].offset, FILL, sizeof(address));
		}
		for (unsigned int at = 0; at < SIZE; at++)
			wrong += ((uint8_t *)bo->map)[at] != FILL;
		it_expect(!wrong, "an address at 0x%llx has changed %u other bytes",
			  (unsigned long long)tries[i].offset, wrong);
	}
}

void smoke_reloc(const struct it_engine *engines, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		if (engines[i].class != I915_ENGINE_CLASS_COPY)
			continue;
		it_subtest(refused, i, "reloc-refused-%s", engines[i].name);
		it_subtest(refused, i | 0x100, "reloc-refused-absent-%s", engines[i].name);
	}
	for (unsigned int i = 0; i < n; i++)
		it_subtest(relocate, i, "reloc-busy-%s", engines[i].name);
	for (unsigned int i = 0; i < n; i++) {
		it_subtest(bounds, i, "reloc-bounds-%s", engines[i].name);
		it_subtest(bounds, i | 0x100, "reloc-bounds-busy-%s", engines[i].name);
	}
	for (unsigned int i = 0; i < n; i++)
		it_subtest(relocate, i | 0x100, "reloc-many-%s", engines[i].name);
	for (unsigned int i = 0; i < n; i++)
		it_subtest(relocate_in_vain, i, "reloc-skipped-%s", engines[i].name);
}
