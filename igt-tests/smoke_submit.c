// SPDX-License-Identifier: MIT
/**
 * DOC: Submission
 *
 * The same batch, a store, handed over in each way that execbuf knows. The value differs each time,
 * and the rest of the page must stay as it was.
 */
#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "smoke.h"

#define VALUE		0xc0ffee00u
#define POLL_MS		60000		/* bound for a fence that must signal */
#define NOBODY		65534		/* a user without any rights */

enum {
	FORM_SOFTPIN = 1, /* else a relocation */
	FORM_LUT = 2,
	FORM_BATCH_FIRST = 4,
	FORM_LEGACY_RING = 8, /* the file's own context and a ring selector, else an engine map */
	FORM_NO_RELOC = 16, /* relocations that are right already */
};

static const struct {
	const char *name;
	unsigned int form;
} forms[] = {
	{ "softpin", FORM_SOFTPIN },
	{ "softpin-legacy-ring", FORM_SOFTPIN | FORM_LEGACY_RING },
	{ "softpin-batch-first", FORM_SOFTPIN | FORM_BATCH_FIRST },
	{ "softpin-lut", FORM_SOFTPIN | FORM_LUT },
	{ "reloc", 0 },
	{ "reloc-legacy-ring", FORM_LEGACY_RING },
	{ "reloc-lut", FORM_LUT },
	{ "reloc-batch-first", FORM_BATCH_FIRST },
	{ "reloc-lut-batch-first", FORM_LUT | FORM_BATCH_FIRST },
	{ "no-reloc", FORM_NO_RELOC | FORM_LUT },
};

static uint64_t legacy_ring(const struct it_engine *e)
{
	switch (e->class) {
	case I915_ENGINE_CLASS_RENDER:
		return I915_EXEC_RENDER;
	case I915_ENGINE_CLASS_COPY:
		return I915_EXEC_BLT;
	case I915_ENGINE_CLASS_VIDEO:
		return I915_EXEC_BSD | (e->instance ? I915_EXEC_BSD_RING2 : I915_EXEC_BSD_RING1);
	default:
		return I915_EXEC_VEBOX;
	}
}

static void store(unsigned int arg)
{
	unsigned int engine = arg & 0xff, form = forms[arg >> 8].form;
	struct it_dev *dev = it_open();
	struct it_bo *target = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);
	struct drm_i915_gem_relocation_entry reloc = {
		.offset = 4,
		.delta = 8,
		.presumed_offset = ~0ull,
		.read_domains = I915_GEM_DOMAIN_INSTRUCTION,
		.write_domain = I915_GEM_DOMAIN_INSTRUCTION,
	};
	struct drm_i915_gem_exec_object2 obj[2] = { 0 };
	struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)obj, .buffer_count = 2 };
	unsigned int first = form & FORM_BATCH_FIRST ? 1 : 0;
	struct drm_i915_gem_exec_object2 *t = &obj[first], *batch = &obj[1 - first];
	const uint32_t *page = target->map;
	uint32_t value = VALUE + arg;
	int rounds = form & FORM_NO_RELOC ? 2 : 1;

	t->handle = target->handle;
	batch->handle = b.bo->handle;
	if (form & FORM_SOFTPIN) {
		t->offset = target->address;
		t->flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS |
			   EXEC_OBJECT_WRITE;
		batch->offset = b.bo->address;
		batch->flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	} else {
		reloc.target_handle = form & FORM_LUT ? first : target->handle;
		batch->relocation_count = 1;
		batch->relocs_ptr = (uintptr_t)&reloc;
	}
	if (form & FORM_LEGACY_RING) {
		eb.flags = legacy_ring(&dev->engine[engine]);
	} else {
		eb.rsvd1 = it_ctx_engines(dev);
		eb.flags = engine;
	}
	eb.flags |= form & FORM_LUT ? I915_EXEC_HANDLE_LUT : 0;
	eb.flags |= form & FORM_BATCH_FIRST ? I915_EXEC_BATCH_FIRST : 0;
	it_emit_store(&b, form & FORM_SOFTPIN ? target->address + 8 : 0, value);
	it_emit_end(&b);
	eb.batch_len = b.n * 4;

	for (int round = 0; round < rounds; round++) {
		int ret;

		if (round) {
			/* The address in the batch and both offsets are what the kernel said. */
			((uint32_t *)target->map)[2] = 0;
			t->flags |= EXEC_OBJECT_WRITE;
			eb.flags |= I915_EXEC_NO_RELOC;
			it_expect(reloc.presumed_offset == t->offset,
				  "presumed offset %llx was not updated to %llx",
				  (unsigned long long)reloc.presumed_offset,
				  (unsigned long long)t->offset);
			it_expect(((uint64_t)b.dw[2] << 32 | b.dw[1]) == t->offset + 8,
				  "the relocation wrote %x%08x", b.dw[2], b.dw[1]);
		}
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
		it_expect(!ret, "execbuf: error %d", ret);
		ret = it_bo_wait(target, IT_WAIT_NS);
		it_expect(!ret, "GEM_WAIT: error %d", ret);
		it_expect(page[2] == value, "got %08x, expected %08x", page[2], value);
	}
	for (unsigned int i = 0; i < 1024; i++)
		it_expect(i == 2 || !page[i], "dword %u became %08x", i, page[i]);
}

/* A batch that waits until the dword at address is not 0. */
static void emit_wait(struct it_batch *b, uint64_t address)
{
	it_emit_gate(b, address);
}

/*
 * A wait that begins before its batch can end, while no client submits. The interrupt ends it, or the driver's look at
 * an engine whose interrupts are lost.
 */
static void waits(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);
	volatile uint32_t *dw = page->map;
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .handle = page->handle, .offset = page->address,
		  .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS | EXEC_OBJECT_ASYNC |
			   EXEC_OBJECT_WRITE },
		{ .handle = b.bo->handle, .offset = b.bo->address,
		  .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 2, .rsvd1 = it_ctx_engines(dev),
		.flags = engine | I915_EXEC_NO_RELOC | I915_EXEC_FENCE_OUT,
	};
	struct pollfd p = { .events = POLLIN };
	int ret, early;

	emit_wait(&b, page->address);
	it_emit_store(&b, page->address + 64, 5);
	it_emit_end(&b);
	eb.batch_len = b.n * 4;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
	it_expect(!ret, "execbuf with an out-fence: error %d", ret);
	p.fd = eb.rsvd2 >> 32;

	/* From now on the file wants to be told of the fence. */
	early = poll(&p, 1, 0);
	dw[0] = 1;
	it_expect(!early, "the fence signalled before the batch could end");
	ret = poll(&p, 1, POLL_MS);
	it_expect(ret == 1, "the fence does not signal");
	it_expect(dw[16] == 5, "the batch stored %u", dw[16]);
	close(p.fd);
}

/*
 * A wait for the first of two requests in a context, of which the second one runs on. So the engine sends no interrupt
 * but that of the first request's end. It has to be unmasked when the wait begins, and not only soon afterwards.
 */
static void waits_alone(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch first = it_batch(dev, 4096), second = it_batch(dev, 4096), before = it_batch(dev, 4096);
	volatile uint32_t *dw = page->map;
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .handle = page->handle, .offset = page->address,
		  .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS | EXEC_OBJECT_ASYNC |
			   EXEC_OBJECT_WRITE },
		{ .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 2, .rsvd1 = it_ctx_engines(dev),
		.flags = engine | I915_EXEC_NO_RELOC | I915_EXEC_FENCE_OUT,
	};
	const char *name = dev->engine[engine].name;
	struct pollfd p = { .events = POLLIN };
	int ret, early, end;

	/* A heartbeat would look for requests that have ended. */
	if (!it_engine_set(name, "heartbeat_interval_ms", "0"))
		it_skip("no heartbeat that could be switched off");
	/* Interrupts that no wait asks for: the driver masks them. */
	it_emit_store(&before, page->address + 128, 1);
	it_emit_end(&before);
	obj[1].handle = before.bo->handle;
	obj[1].offset = before.bo->address;
	eb.batch_len = before.n * 4;
	for (unsigned int i = 0; i < 3; i++) {
		dw[32] = 0;
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
		it_expect(!ret, "an execbuf before: error %d", ret);
		close(eb.rsvd2 >> 32);
		eb.rsvd2 = 0;
		it_expect(it_poll(dw + 32, 1), "a batch before does not run");
	}
	it_emit_store(&first, page->address + 64, 1);
	emit_wait(&first, page->address);
	it_emit_end(&first);
	emit_wait(&second, page->address + 4);
	it_emit_end(&second);
	obj[1].handle = first.bo->handle;
	obj[1].offset = first.bo->address;
	eb.batch_len = first.n * 4;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
	it_expect(!ret, "the first execbuf: error %d", ret);
	p.fd = eb.rsvd2 >> 32;
	obj[1].handle = second.bo->handle;
	obj[1].offset = second.bo->address;
	eb.batch_len = second.n * 4;
	eb.rsvd2 = 0;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
	it_expect(!ret, "the second execbuf: error %d", ret);
	it_expect(it_poll(dw + 16, 1), "the first batch does not run");

	early = poll(&p, 1, 0);
	dw[0] = 1;
	ret = poll(&p, 1, POLL_MS);
	close(p.fd);
	dw[1] = 1;
	p.fd = eb.rsvd2 >> 32;
	end = poll(&p, 1, POLL_MS);
	close(p.fd);
	it_engine_set(name, "heartbeat_interval_ms", NULL);
	it_expect(!early, "the fence signalled before the batch could end");
	it_expect(ret == 1, "the fence does not signal");
	it_expect(end == 1, "the second fence does not signal");
}

/* The second batch, on the next engine, adds to what the first one stores when the CPU lets it. */
static void fences(unsigned int engine)
{
	struct it_dev *dev = it_open();
	unsigned int other = (engine + 1) % dev->num_engines;
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch first = it_batch(dev, 4096), second = it_batch(dev, 4096);
	volatile uint32_t *dw = page->map;
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .handle = page->handle,
		  .offset = page->address,
		  .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS |
			   EXEC_OBJECT_ASYNC | EXEC_OBJECT_WRITE },
		{ .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS },
	};
	struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)obj,
					       .buffer_count = 2,
					       .rsvd1 = it_ctx_engines(dev) };
	struct pollfd p = { .events = POLLIN };
	int out1, out2, ret;

	emit_wait(&first, page->address);
	it_emit_store(&first, page->address + 64, 5);
	it_emit_end(&first);
	it_emit(&second, MI_ATOMIC_INLINE | MI_ATOMIC_DWORD | MI_ATOMIC_CS_STALL |
				 IGEN_PREP(MI_ATOMIC_OPCODE_MASK, MI_ATOMIC_ADD));
	it_emit_address(&second, page->address + 64);
	it_emit(&second, 10);
	for (int i = 0; i < 7; i++)
		it_emit(&second, 0);
	it_emit_end(&second);

	obj[1].handle = first.bo->handle;
	obj[1].offset = first.bo->address;
	eb.batch_len = first.n * 4;
	eb.flags = engine | I915_EXEC_NO_RELOC | I915_EXEC_FENCE_OUT;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
	it_expect(!ret, "execbuf with an out-fence: error %d", ret);
	out1 = eb.rsvd2 >> 32;

	obj[1].handle = second.bo->handle;
	obj[1].offset = second.bo->address;
	eb.batch_len = second.n * 4;
	eb.flags = other | I915_EXEC_NO_RELOC | I915_EXEC_FENCE_OUT | I915_EXEC_FENCE_IN;
	eb.rsvd2 = out1;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
	if (ret) {
		dw[0] = 1;
		it_fail("execbuf with an in-fence: error %d", ret);
	}
	out2 = eb.rsvd2 >> 32;

	p.fd = out2;
	ret = poll(&p, 1, 0);
	dw[0] = 1;
	it_expect(!ret, "the second fence signalled before the first batch could end");
	ret = poll(&p, 1, POLL_MS);
	it_expect(ret == 1, "the second fence does not signal");
	p.fd = out1;
	it_expect(poll(&p, 1, 0) == 1, "the first fence is not signalled when the second one is");
	it_expect(dw[16] == 15, "the batches ran in the wrong order: %u", dw[16]);
	close(out1);
	close(out2);
}

#define FIRST_WRITES	0x100
#define SECOND_WRITES	0x200
#define SAME_ENGINE	0x400

/* A batch that names two objects: one that it only uses apart from others, and one that it may write. */
static void run_with(struct it_dev *dev, unsigned int engine, struct it_batch *b, const struct it_bo *apart,
		     const struct it_bo *bo, bool write)
{
	struct drm_i915_gem_exec_object2 obj[3] = {
		it_exec_object(apart, EXEC_OBJECT_ASYNC | EXEC_OBJECT_WRITE),
		it_exec_object(bo, write ? EXEC_OBJECT_WRITE : 0),
		it_exec_object(b->bo, 0),
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 3, .batch_len = b->n * 4,
		.flags = engine | I915_EXEC_NO_RELOC, .rsvd1 = it_ctx_engines(dev),
	};
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);

	it_expect(!ret, "execbuf: error %d", ret);
}

/*
 * The first batch holds an object, as a reader or as a writer, until the CPU lets it go on. Two readers hold the object
 * together. Any other second batch starts only when the first one has ended.
 */
static void order(unsigned int arg)
{
	struct it_dev *dev = it_open();
	unsigned int engine = arg & 0xff;
	unsigned int other = arg & SAME_ENGINE ? engine : (engine + 1) % dev->num_engines;
	bool together = !(arg & (FIRST_WRITES | SECOND_WRITES));
	struct it_bo *page = it_bo(dev, 4096), *bo = it_bo(dev, 4096);
	struct it_batch first = it_batch(dev, 4096), second = it_batch(dev, 4096);
	volatile uint32_t *dw = page->map;
	bool early = false;
	int ret;

	it_emit_gate(&first, page->address);
	it_emit_store(&first, page->address + 64, 1);
	it_emit_end(&first);
	it_emit(&second, MI_COPY_MEM_MEM);
	it_emit_address(&second, page->address + 128);
	it_emit_address(&second, page->address + 64);
	it_emit_store(&second, page->address + 192, 1);
	it_emit_end(&second);

	run_with(dev, engine, &first, page, bo, arg & FIRST_WRITES);
	run_with(dev, other, &second, page, bo, arg & SECOND_WRITES);
	/* A batch that does not wait starts at once. */
	for (unsigned int ms = 0; !early && ms < (together ? POLL_MS : 200); ms++) {
		early = dw[48];
		usleep(1000);
	}
	dw[0] = 1;
	ret = it_bo_wait(second.bo, IT_WAIT_NS);
	it_expect(!ret, "the second batch does not end: error %d", ret);
	it_expect(early == together, "the second batch %s", early ? "did not wait" : "waited for another reader");
	it_expect(dw[32] == !together, "the second batch found 0x%x", dw[32]);
}

/* What execbuf must refuse, with the errno that i915 gives; and nothing runs. */
static void refused(unsigned int engine)
{
	static const struct {
		const char *what;
		uint64_t flags;		/* of execbuf */
		uint64_t obj_flags;
		uint64_t address;
		uint32_t handle, ctx, batch_start;
		uid_t user;
		int expected;
	} bad[] = {
		{ "an unknown flag", 1ull << 40, .expected = -EINVAL },
		{ "an engine that the map does not have", 40, .expected = -EINVAL },
		{ "an unknown object flag", 0, .obj_flags = 1u << 31, .expected = -EINVAL },
		{ "an unknown handle", 0, .handle = 0x7fffff00, .expected = -ENOENT },
		{ "an unknown context", 0, .ctx = 0x7fffff00, .expected = -ENOENT },
		{ "an address off a page", 0, .address = 0x10000100, .expected = -EINVAL },
		{ "an address that is not canonical", 0, .address = 1ull << 47,
		  .expected = -EINVAL },
		{ "an odd batch start", 0, .batch_start = 4, .expected = -EINVAL },
		{ "a privileged batch", I915_EXEC_SECURE, .expected = -EPERM },
		{ "a privileged batch without privileges", I915_EXEC_SECURE, .user = NOBODY, .expected = -EPERM },
	};
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		struct it_bo *target = it_bo(dev, 4096);
		struct it_batch b = it_batch(dev, 4096);
		struct drm_i915_gem_exec_object2 obj[2] = {
			{ .handle = bad[i].handle ? bad[i].handle : target->handle,
			  .offset = bad[i].address ? bad[i].address : target->address,
			  .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS |
				   EXEC_OBJECT_WRITE | bad[i].obj_flags },
			{ .handle = b.bo->handle,
			  .offset = b.bo->address,
			  .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS },
		};
		struct drm_i915_gem_execbuffer2 eb = {
			.buffers_ptr = (uintptr_t)obj,
			.buffer_count = 2,
			.rsvd1 = bad[i].ctx ? bad[i].ctx : ctx,
			.flags = engine + bad[i].flags,
			.batch_start_offset = bad[i].batch_start,
		};
		int ret;

		it_emit_store(&b, target->address, 1);
		it_emit_end(&b);
		eb.batch_len = b.n * 4;
		it_expect(!seteuid(bad[i].user), "seteuid: error %d", errno);
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
		it_expect(!seteuid(0), "seteuid: error %d", errno);
		it_expect(ret == bad[i].expected, "%s: error %d, expected %d", bad[i].what, ret,
			  bad[i].expected);
		it_bo_wait(b.bo, IT_WAIT_NS);
		it_expect(!*(uint32_t *)target->map, "%s: the batch ran nevertheless", bad[i].what);
	}
}

void smoke_submit(const struct it_engine *engines, unsigned int n)
{
	for (unsigned int f = 0; f < ARRAY_SIZE(forms); f++)
		for (unsigned int e = 0; e < n; e++)
			it_subtest(store, e | f << 8, "store-%s-%s", forms[f].name,
				   engines[e].name);
	for (unsigned int e = 0; e < n; e++)
		it_subtest(waits, e, "waits-%s", engines[e].name);
	for (unsigned int e = 0; e < n; e++)
		it_subtest(waits_alone, e, "waits-alone-%s", engines[e].name);
	for (unsigned int e = 0; e < n; e++)
		it_subtest(fences, e, "fences-%s", engines[e].name);
	for (unsigned int e = 0; e < n; e++) {
		for (unsigned int same = 0; same <= SAME_ENGINE; same += SAME_ENGINE) {
			const char *where = same ? "same-" : "";

			it_subtest(order, e | same, "order-readers-%s%s", where, engines[e].name);
			it_subtest(order, e | same | SECOND_WRITES, "order-writer-waits-%s%s", where, engines[e].name);
			it_subtest(order, e | same | FIRST_WRITES, "order-reader-waits-%s%s", where, engines[e].name);
			it_subtest(order, e | same | FIRST_WRITES | SECOND_WRITES, "order-writers-%s%s", where,
				   engines[e].name);
		}
	}
	it_subtest(refused, 0, "refused");
}
