// SPDX-License-Identifier: MIT
/**
 * DOC: igen-coherency
 *
 * A client that follows the rules of objects which the GPU does not snoop: SET_DOMAIN before it reads or writes a
 * cached mapping, or calls that copy. On a GPU without a cache that it shares with the CPU, the driver then flushes
 * lines of the CPU's caches. Each subtest needs the flush of one place of the driver, or a few. An emulated processor
 * has no caches, so that the results are right all the same; the model tells what was not flushed, or makes results
 * wrong ("coherency=check" and "coherency=stale").
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>

#include "lib/it.h"

#define PAGE		4096u
#define LINE		64u
#define VALUE		0x600dda7au
#define OTHER		0x0ddba110u
#define BASE		(1ull << 32)		/* of addresses, which are SPACE apart */
#define SPACE		(16ull << 20)
#define DROP_CACHES	"/sys/kernel/debug/dri/0/i915_gem_drop_caches"
#define DROP_BOUND_UNBOUND	"0x3"

struct object {
	struct it_dev *dev;
	uint32_t handle;
	uint64_t size, address;
};

/* Commands, in memory of the client's own. */
struct commands {
	uint32_t dw[64];
	unsigned int n;
};

static struct object object_at(struct it_dev *dev, uint64_t size, uint64_t address)
{
	struct object o = { .dev = dev, .size = size, .address = address };
	int ret = it_bo_create(dev->fd, size, &o.handle);

	it_expect(!ret, "creating an object: error %d", ret);
	return o;
}

static struct object object(struct it_dev *dev, unsigned int number)
{
	return object_at(dev, PAGE, BASE + number * SPACE);
}

static void emit(struct commands *c, uint32_t dw)
{
	c->dw[c->n++] = dw;
}

static void emit_address(struct commands *c, uint64_t address)
{
	emit(c, (uint32_t)address);
	emit(c, (uint32_t)(address >> 32));
}

static void emit_store(struct commands *c, uint64_t address, uint32_t value)
{
	emit(c, MI_STORE_DATA_IMM_DW);
	emit_address(c, address);
	emit(c, value);
}

static void emit_copy(struct commands *c, uint64_t to, uint64_t from)
{
	emit(c, MI_COPY_MEM_MEM);
	emit_address(c, to);
	emit_address(c, from);
}

static void emit_end(struct commands *c)
{
	emit(c, MI_BATCH_BUFFER_END);
	if (c->n & 1)
		emit(c, 0);
}

static void rw(const struct object *o, bool write, uint64_t offset, void *data, uint64_t size)
{
	struct drm_i915_gem_pwrite args = {
		.handle = o->handle, .offset = offset, .size = size, .data_ptr = (uintptr_t)data,
	};
	/* struct drm_i915_gem_pread has the same layout. */
	int ret = it_ioctl(o->dev->fd, write ? DRM_IOCTL_I915_GEM_PWRITE : DRM_IOCTL_I915_GEM_PREAD, &args);

	it_expect(!ret, "%s an object: error %d", write ? "writing" : "reading", ret);
}

static void write_dw(const struct object *o, uint64_t offset, uint32_t value)
{
	rw(o, true, offset, &value, sizeof(value));
}

static void expect_dw(const struct object *o, uint64_t offset, uint32_t value)
{
	uint32_t v = 0;

	rw(o, false, offset, &v, sizeof(v));
	it_expect(v == value, "at %#llx is %08x and not %08x", (unsigned long long)offset, v, value);
}

static void *map(const struct object *o, uint64_t flags)
{
	struct drm_i915_gem_mmap_offset args = { .handle = o->handle, .flags = flags };
	int ret = it_ioctl(o->dev->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &args);
	void *at;

	it_expect(!ret, "MMAP_OFFSET: error %d", ret);
	at = mmap(NULL, o->size, PROT_READ | PROT_WRITE, MAP_SHARED, o->dev->fd, args.offset);
	it_expect(at != MAP_FAILED, "mapping an object: error %d", errno);
	return at;
}

static void set_domain(const struct object *o, uint32_t domain, bool write)
{
	struct drm_i915_gem_set_domain args = {
		.handle = o->handle, .read_domains = domain, .write_domain = write ? domain : 0,
	};
	int ret = it_ioctl(o->dev->fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &args);

	it_expect(!ret, "SET_DOMAIN: error %d", ret);
}

static void wait_idle(const struct object *o)
{
	struct drm_i915_gem_wait args = { .bo_handle = o->handle, .timeout_ns = IT_WAIT_NS };
	int ret = it_ioctl(o->dev->fd, DRM_IOCTL_I915_GEM_WAIT, &args);

	it_expect(!ret, "waiting: error %d", ret);
}

static struct drm_i915_gem_exec_object2 entry(const struct object *o, uint64_t flags)
{
	return (struct drm_i915_gem_exec_object2){
		.handle = o->handle, .offset = o->address,
		.flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS | flags,
	};
}

/* Runs a batch with an object that it writes and one that it reads, if there are any. */
static void execute(const struct object *batch, uint64_t engine, const struct object *written,
		    const struct object *read)
{
	struct drm_i915_gem_exec_object2 objects[3];
	struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)objects, .flags = engine };
	int ret;

	if (written)
		objects[eb.buffer_count++] = entry(written, EXEC_OBJECT_WRITE);
	if (read)
		objects[eb.buffer_count++] = entry(read, 0);
	objects[eb.buffer_count++] = entry(batch, 0);
	ret = it_ioctl(batch->dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(!ret, "execbuf: error %d", ret);
}

static void run(struct it_dev *dev, struct commands *c, const struct object *written, const struct object *read)
{
	struct object batch = object(dev, 15);

	emit_end(c);
	rw(&batch, true, 0, c->dw, c->n * 4);
	execute(&batch, I915_EXEC_RENDER, written, read);
	wait_idle(&batch);
	it_handle_close(dev->fd, batch.handle);
}

static void store(const struct object *o, uint64_t offset, uint32_t value)
{
	struct commands c = { .n = 0 };

	emit_store(&c, o->address + offset, value);
	run(o->dev, &c, o, NULL);
}

static void copy(const struct object *to, uint64_t to_offset, const struct object *from, uint64_t from_offset)
{
	struct commands c = { .n = 0 };

	emit_copy(&c, to->address + to_offset, from->address + from_offset);
	run(to->dev, &c, to, from);
}

/* PWRITE of a batch and of data, PREAD of what the GPU wrote. */
static void pwrite_pread(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object from = object(dev, 0), to = object(dev, 1);

	(void)unused;
	for (unsigned int i = 0; i < 4; i++) {
		write_dw(&from, i * LINE, VALUE + i);
		copy(&to, 8, &from, i * LINE);
		expect_dw(&to, 8, VALUE + i);
	}
	it_close(dev);
}

/* PWRITE to a part of a line that the GPU has written. */
static void pwrite_line(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object from = object(dev, 0), to = object(dev, 1);

	(void)unused;
	expect_dw(&from, 0, 0);
	store(&from, 0, VALUE);
	write_dw(&from, 16, OTHER);
	copy(&to, 0, &from, 0);
	copy(&to, 4, &from, 16);
	expect_dw(&to, 0, VALUE);
	expect_dw(&to, 4, OTHER);
	expect_dw(&from, 0, VALUE);
	it_close(dev);
}

/* Memory that no CPU has written since the object was made: zeroes, also where other things stood before. */
static void fresh(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object to = object(dev, 1);

	(void)unused;
	store(&to, 0, VALUE);
	for (unsigned int i = 0; i < 4; i++) {
		struct object from = object(dev, 2 + i);

		copy(&to, 0, &from, i * 512);
		expect_dw(&to, 0, 0);
		store(&from, 512, VALUE);
		it_handle_close(dev->fd, from.handle);
	}
	it_close(dev);
}

/* A cached mapping, written and read again and again. */
static void mapped_cached(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object from = object(dev, 0), to = object(dev, 1);
	volatile uint32_t *in, *out;

	(void)unused;
	in = map(&from, I915_MMAP_OFFSET_WB);
	out = map(&to, I915_MMAP_OFFSET_WB);
	for (unsigned int i = 0; i < 4; i++) {
		set_domain(&from, I915_GEM_DOMAIN_CPU, true);
		in[i] = VALUE + i;
		copy(&to, 4 * i, &from, 4 * i);
		set_domain(&to, I915_GEM_DOMAIN_CPU, false);
		it_expect(out[i] == VALUE + i, "round %u: %08x", i, out[i]);
	}
	it_close(dev);
}

/* What was written through the caches is read past them by a mapping. */
static void mapped_uncached(unsigned int domain)
{
	bool aperture = domain == I915_GEM_DOMAIN_GTT;
	struct drm_i915_gem_set_tiling tiling = { .tiling_mode = I915_TILING_X, .stride = 512 };
	struct it_dev *dev = it_open();
	struct object from = object_at(dev, 4 * PAGE, BASE), to = object(dev, 1);
	volatile uint32_t *cached, *uncached;
	int ret;

	/* Tiled objects are seen through the aperture. The first bytes of a tile are those of its first row. */
	tiling.handle = from.handle;
	ret = aperture ? it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &tiling) : 0;
	it_expect(!ret, "SET_TILING: error %d", ret);
	cached = map(&from, I915_MMAP_OFFSET_WB);
	uncached = map(&from, aperture ? I915_MMAP_OFFSET_GTT : I915_MMAP_OFFSET_WC);
	for (unsigned int i = 0; i < 2; i++) {
		set_domain(&from, I915_GEM_DOMAIN_CPU, true);
		cached[i] = VALUE + i;
		set_domain(&from, domain, true);
		it_expect(uncached[i] == VALUE + i, "the other mapping has %08x", uncached[i]);
		uncached[i] = OTHER + i;
		copy(&to, 0, &from, 4 * i);
		expect_dw(&to, 0, OTHER + i);
		set_domain(&from, I915_GEM_DOMAIN_CPU, false);
		it_expect(cached[i] == OTHER + i, "the cached mapping has %08x", cached[i]);
	}
	it_close(dev);
}

/* The client asks for snooping: it need not tell when it reads or writes. */
static void snooped(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object from = object(dev, 0), to = object(dev, 1);
	struct drm_i915_gem_caching caching = { .caching = I915_CACHING_CACHED };
	volatile uint32_t *in, *out;

	(void)unused;
	in = map(&from, I915_MMAP_OFFSET_WB);
	out = map(&to, I915_MMAP_OFFSET_WB);
	for (unsigned int i = 0; i < 2; i++) {
		int ret;

		caching.handle = i ? to.handle : from.handle;
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_CACHING, &caching);
		it_expect(!ret, "SET_CACHING: error %d", ret);
	}
	for (unsigned int i = 0; i < 2; i++) {
		in[i] = VALUE + i;
		copy(&to, 4 * i, &from, 4 * i);
		it_expect(out[i] == VALUE + i, "%08x", out[i]);
	}
	/* And takes that back. */
	in[8] = VALUE;
	caching.handle = from.handle;
	caching.caching = I915_CACHING_NONE;
	it_expect(!it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_CACHING, &caching), "SET_CACHING fails");
	copy(&to, 0, &from, 32);
	it_expect(out[0] == VALUE, "%08x", out[0]);
	it_close(dev);
}

/* The GPU has written an object past the caches that it snoops from now on. */
static void snooped_late(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object o = object(dev, 0), to = object(dev, 1);
	struct drm_i915_gem_caching caching = { .handle = o.handle, .caching = I915_CACHING_CACHED };

	(void)unused;
	if (!it_on_igen())
		it_skip("stock i915 flushes no snooped object, wherever its lines are");
	expect_dw(&o, 0, 0);
	store(&o, 0, VALUE);
	it_expect(!it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_CACHING, &caching), "SET_CACHING fails");
	expect_dw(&o, 0, VALUE);
	copy(&to, 0, &o, 0);
	expect_dw(&to, 0, VALUE);
	it_close(dev);
}

/* Memory of the client's own. The GPU snoops it, so the client says neither that it writes nor that it reads. */
static void user_memory(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object user = { .dev = dev, .size = PAGE, .address = BASE }, other = object(dev, 1);
	volatile uint32_t *dw = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_i915_gem_userptr args = { .user_ptr = (uintptr_t)dw, .user_size = PAGE };
	int ret;

	(void)unused;
	it_expect(dw != MAP_FAILED, "no memory: error %d", errno);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &args);
	it_expect(!ret, "userptr: error %d", ret);
	user.handle = args.handle;
	for (unsigned int i = 0; i < 4; i++) {
		dw[i * LINE / 4] = VALUE + i;
		copy(&other, 0, &user, i * LINE);
		expect_dw(&other, 0, VALUE + i);
		store(&user, i * LINE, OTHER + i);
		it_expect(dw[i * LINE / 4] == OTHER + i, "the client's memory has %08x", dw[i * LINE / 4]);
	}
	munmap((void *)dw, PAGE);
	it_close(dev);
}

static sigjmp_buf no_memory;

static void on_bus_error(int signal)
{
	siglongjmp(no_memory, signal);
}

/* The signal that a read of a mapping gets, or 0. */
static int touch(const volatile uint32_t *at)
{
	struct sigaction bus, action = { .sa_handler = on_bus_error };
	int got;

	sigaction(SIGBUS, &action, &bus);
	got = sigsetjmp(no_memory, 1);
	if (!got)
		(void)*at;
	sigaction(SIGBUS, &bus, NULL);
	return got;
}

/* An object that the GPU snoops has no mapping through the aperture, which does not snoop. */
static void snooped_aperture(unsigned int tiling_mode)
{
	struct drm_i915_gem_set_tiling tiling = { .tiling_mode = tiling_mode, .stride = tiling_mode ? 512 : 0 };
	struct drm_i915_gem_caching caching = { .caching = I915_CACHING_CACHED };
	struct it_dev *dev = it_open();
	struct object o = object_at(dev, 4 * PAGE, BASE);
	volatile uint32_t *dw = map(&o, I915_MMAP_OFFSET_GTT);

	caching.handle = o.handle;
	tiling.handle = o.handle;
	it_expect(!it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &tiling), "SET_TILING fails");
	it_expect(!touch(dw), "an object that is not snooped is not seen through the aperture");
	for (unsigned int i = 0; i < 2; i++) {
		caching.caching = I915_CACHING_CACHED;
		it_expect(!it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_CACHING, &caching), "SET_CACHING fails");
		it_expect(touch(dw) == SIGBUS, "round %u: the aperture shows an object that is snooped", i);
		caching.caching = I915_CACHING_NONE;
		it_expect(!it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_CACHING, &caching), "SET_CACHING fails");
		it_expect(!touch(dw), "round %u: an object that is not snooped any more is not seen", i);
		/* Stock i915's PREAD would take the object for written by the CPU, and not flush. */
		if (!it_on_igen())
			continue;
		set_domain(&o, I915_GEM_DOMAIN_GTT, true);
		dw[i] = VALUE + i;
		expect_dw(&o, 4 * i, VALUE + i);
	}
	it_close(dev);
}

/* An execbuf that fails leaves the object to the CPU, which goes on writing it. */
static void mapped_refused(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object from = object(dev, 0), to = object(dev, 1), batch = object(dev, 2);
	struct drm_i915_gem_exec_object2 objects[2] = { entry(&from, 0), entry(&batch, 0) };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)objects, .buffer_count = 2, .flags = I915_EXEC_BLT,
	};
	struct commands c = { .n = 0 };
	volatile uint32_t *in = map(&from, I915_MMAP_OFFSET_WB);

	(void)unused;
	if (!it_on_igen())
		it_skip("stock i915 takes the batch, and leaves it to the engine to refuse the store");
	emit(&c, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT);
	emit_address(&c, 0);
	emit(&c, 0);
	emit_end(&c);
	rw(&batch, true, 0, c.dw, c.n * 4);
	set_domain(&from, I915_GEM_DOMAIN_CPU, true);
	in[0] = VALUE;
	it_expect(it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb), "a batch that stores to the GGTT is taken");
	in[0] = OTHER;
	copy(&to, 0, &from, 0);
	expect_dw(&to, 0, OTHER);
	it_close(dev);
}

/* Addresses in a batch that the driver has to write. */
static void relocations(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct drm_i915_gem_relocation_entry reloc = {
		.offset = 4, .read_domains = I915_GEM_DOMAIN_RENDER, .write_domain = I915_GEM_DOMAIN_RENDER,
	};
	struct object batch = object(dev, 0);
	struct commands c = { .n = 0 };

	(void)unused;
	emit_store(&c, 0, VALUE);
	emit_end(&c);
	rw(&batch, true, 0, c.dw, c.n * 4);
	for (unsigned int i = 0; i < 3; i++) {
		struct object to = object(dev, 1);
		struct drm_i915_gem_exec_object2 objects[2] = {
			{ .handle = to.handle },
			{ .handle = batch.handle, .relocs_ptr = (uintptr_t)&reloc, .relocation_count = 1 },
		};
		struct drm_i915_gem_execbuffer2 eb = {
			.buffers_ptr = (uintptr_t)objects, .buffer_count = 2, .flags = I915_EXEC_RENDER,
		};
		int ret;

		reloc.target_handle = to.handle;
		reloc.delta = 64 * i;
		reloc.presumed_offset = ~0ull;
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
		it_expect(!ret, "execbuf: error %d", ret);
		expect_dw(&to, 64 * i, VALUE);
	}
	it_close(dev);
}

/*
 * An address that the driver writes into lines that the GPU has written: what else the GPU wrote there stays. @at is
 * the place of the command whose address it is.
 */
static void relocations_line(unsigned int at)
{
	struct it_dev *dev = it_open();
	struct object to = object(dev, 1), batch = object_at(dev, 2 * PAGE, BASE);
	struct drm_i915_gem_relocation_entry reloc = {
		.offset = at + 4, .target_handle = to.handle, .presumed_offset = ~0ull,
		.read_domains = I915_GEM_DOMAIN_RENDER, .write_domain = I915_GEM_DOMAIN_RENDER,
	};
	struct drm_i915_gem_exec_object2 objects[2] = {
		{ .handle = to.handle },
		{ .handle = batch.handle, .relocs_ptr = (uintptr_t)&reloc, .relocation_count = 1 },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)objects, .buffer_count = 2, .batch_start_offset = at,
		.flags = I915_EXEC_RENDER,
	};
	/* In the line of the address' first dword; the command's value is in the line of the last one. */
	const uint64_t beside = (at + 4) / LINE * LINE + 32, value = at + 12;
	struct commands c = { .n = 0 }, writes = { .n = 0 };
	int ret;

	/* No object is there, so the driver's write changes the address, as the model has to see. */
	emit_store(&c, BASE - PAGE, VALUE);
	emit_end(&c);
	rw(&batch, true, at, c.dw, c.n * 4);
	/* The CPU's caches have the lines. */
	expect_dw(&batch, beside, 0);
	expect_dw(&batch, value, VALUE);
	emit_store(&writes, batch.address + beside, OTHER);
	emit_store(&writes, batch.address + value, OTHER + 1);
	run(dev, &writes, &batch, NULL);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(!ret, "execbuf: error %d", ret);
	expect_dw(&to, 0, OTHER + 1);
	expect_dw(&batch, beside, OTHER);
	it_close(dev);
}

/* Page tables: addresses far apart, one object after the other at an address, and address spaces of their own. */
static void tables(unsigned int unused)
{
	struct it_dev *dev = it_open();

	(void)unused;
	for (unsigned int i = 0; i < 8; i++) {
		struct object o = object_at(dev, PAGE * (1 + i % 3), BASE << i);

		store(&o, 4 * i, VALUE + i);
		expect_dw(&o, 4 * i, VALUE + i);
		it_handle_close(dev->fd, o.handle);
	}
	for (unsigned int i = 0; i < 4; i++) {
		struct object o = object(dev, 3), large = object_at(dev, 4 << 20, BASE + 64 * SPACE);

		store(&o, 0, VALUE + i);
		expect_dw(&o, 0, VALUE + i);
		store(&large, 3 << 20, VALUE + i);
		expect_dw(&large, 3 << 20, VALUE + i);
		it_handle_close(dev->fd, o.handle);
		it_handle_close(dev->fd, large.handle);
	}
	it_close(dev);
}

/* An address without an object: what stood there does not show. */
static void unbound(unsigned int unused)
{
	struct it_dev *dev = it_open();
	/* The first one leaves its table, the second one the directory above, the third one nothing of its address. */
	struct object gone[] = { object(dev, 0), object(dev, 1), object_at(dev, PAGE, BASE << 10) };
	struct object to = object_at(dev, PAGE, BASE + PAGE);
	struct commands c = { .n = 0 };

	(void)unused;
	if (!it_on_igen() && !getenv("IGEN_COHERENCY_ON_I915"))
		it_skip("stock i915 unbinds at some later time, and then does not flush the table");
	store(&to, 64, VALUE);
	for (unsigned int i = 0; i < ARRAY_SIZE(gone); i++)
		store(&gone[i], 0, VALUE);
	for (unsigned int i = 0; i < ARRAY_SIZE(gone); i++) {
		it_handle_close(dev->fd, gone[i].handle);
		emit_copy(&c, to.address + 4 * i, gone[i].address);
	}
	/* Here nothing ever stood. */
	emit_copy(&c, to.address + 4 * ARRAY_SIZE(gone), BASE << 11);
	run(dev, &c, &to, NULL);
	for (unsigned int i = 0; i <= ARRAY_SIZE(gone); i++)
		expect_dw(&to, 4 * i, 0);
	it_close(dev);
}

/* A batch for an engine whose batches are checked, in a copy; the GPU has written it. */
static void checked_batch(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object batch = object(dev, 0), to = object(dev, 1), from = object(dev, 2);
	struct commands c = { .n = 0 }, writes = { .n = 0 };

	(void)unused;
	emit_store(&c, to.address, VALUE);
	emit_end(&c);
	rw(&batch, true, 0, c.dw, c.n * 4);
	execute(&batch, I915_EXEC_BLT, &to, NULL);
	expect_dw(&to, 0, VALUE);
	write_dw(&from, 0, OTHER);
	emit_copy(&writes, batch.address + 12, from.address);
	run(dev, &writes, &batch, &from);
	execute(&batch, I915_EXEC_BLT, &to, NULL);
	expect_dw(&to, 0, OTHER);
	it_close(dev);
}

/* The CPU's accesses through a dma-buf. */
static void exported(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object from = object(dev, 0), to = object(dev, 1);
	struct drm_prime_handle prime = { .handle = from.handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	struct dma_buf_sync sync;
	volatile uint32_t *dw;

	(void)unused;
	it_expect(!it_ioctl(dev->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), "the object is not exported");
	dw = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, prime.fd, 0);
	it_expect(dw != MAP_FAILED, "no mapping of the dma-buf: error %d", errno);
	for (unsigned int i = 0; i < 3; i++) {
		sync.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW;
		it_expect(!it_ioctl(prime.fd, DMA_BUF_IOCTL_SYNC, &sync), "the access does not begin");
		it_expect(!i || dw[32] == OTHER + i - 1, "round %u: %08x", i, dw[32]);
		dw[i] = VALUE + i;
		sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW;
		it_expect(!it_ioctl(prime.fd, DMA_BUF_IOCTL_SYNC, &sync), "the access does not end");
		copy(&to, 0, &from, 4 * i);
		expect_dw(&to, 0, VALUE + i);
		store(&from, 128, OTHER + i);
	}
	munmap((void *)dw, PAGE);
	close(prime.fd);
	it_close(dev);
}

/* An access through a dma-buf ends; then the CPU writes a mapping of the object itself. */
static void exported_mapped(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object from = object(dev, 0), to = object(dev, 1);
	struct drm_prime_handle prime = { .handle = from.handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW };
	volatile uint32_t *in = map(&from, I915_MMAP_OFFSET_WB);

	(void)unused;
	in[0] = VALUE;
	it_expect(!it_ioctl(dev->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), "the object is not exported");
	it_expect(!it_ioctl(prime.fd, DMA_BUF_IOCTL_SYNC, &sync), "the access does not begin");
	sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW;
	it_expect(!it_ioctl(prime.fd, DMA_BUF_IOCTL_SYNC, &sync), "the access does not end");
	set_domain(&from, I915_GEM_DOMAIN_CPU, true);
	in[0] = OTHER;
	copy(&to, 0, &from, 0);
	expect_dw(&to, 0, OTHER);
	close(prime.fd);
	it_close(dev);
}

/* A dma-buf of memory that a program has written through the caches. */
static int cached_buffer(volatile uint32_t **dw)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = 2 * PAGE };
	int driver = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), memory, fd;

	if (driver < 0)
		it_skip("the kernel has no udmabuf to import from");
	memory = memfd_create("igen-coherency", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	it_expect(memory >= 0 && !ftruncate(memory, create.size) && !fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK),
		  "no memory file: error %d", errno);
	*dw = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	it_expect(*dw != MAP_FAILED, "mapping a memory file: error %d", errno);
	for (unsigned int i = 0; i < create.size / 4; i++)
		(*dw)[i] = VALUE + i;
	create.memfd = memory;
	fd = ioctl(driver, UDMABUF_CREATE, &create);
	it_expect(fd >= 0, "udmabuf makes no buffer: error %d", errno);
	close(memory);
	close(driver);
	return fd;
}

/* The first access to an import. */
enum { BY_PREAD, BY_APERTURE, BY_GPU };

/* A buffer of another driver's that still is in the CPU's caches. */
static void imported(unsigned int by)
{
	struct it_dev *dev = it_open();
	struct object from = { .dev = dev, .size = 2 * PAGE, .address = BASE }, to = object(dev, 1);
	volatile uint32_t *dw, *seen;
	struct drm_prime_handle prime = { .fd = cached_buffer(&dw) };

	it_expect(!it_ioctl(dev->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime), "the buffer is not imported");
	from.handle = prime.handle;
	switch (by) {
	case BY_PREAD:
		expect_dw(&from, PAGE, VALUE + PAGE / 4);
		break;
	case BY_APERTURE:
		seen = map(&from, I915_MMAP_OFFSET_GTT);
		set_domain(&from, I915_GEM_DOMAIN_GTT, false);
		it_expect(seen[PAGE / 4] == VALUE + PAGE / 4, "the aperture has %08x", seen[PAGE / 4]);
		munmap((void *)seen, from.size);
		break;
	case BY_GPU:
		copy(&to, 0, &from, PAGE);
		expect_dw(&to, 0, VALUE + PAGE / 4);
		break;
	}
	munmap((void *)dw, from.size);
	close(prime.fd);
	it_close(dev);
}

/*
 * The object's pages are taken and given back while the CPU accesses it through a dma-buf. A mapping of the dma-buf is
 * one of the object's file, so the driver sees no fault.
 */
static void exported_shrunk(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object from = object(dev, 0), to = object(dev, 1);
	struct drm_prime_handle prime = { .handle = from.handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW };
	volatile uint32_t *dw;

	(void)unused;
	it_expect(!it_ioctl(dev->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), "the object is not exported");
	dw = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, prime.fd, 0);
	it_expect(dw != MAP_FAILED, "no mapping of the dma-buf: error %d", errno);
	store(&from, 128, OTHER);
	it_expect(!it_ioctl(prime.fd, DMA_BUF_IOCTL_SYNC, &sync), "the access does not begin");
	it_expect(!it_write_file(DROP_CACHES, DROP_BOUND_UNBOUND), "nothing is shrunk");
	expect_dw(&from, 128, OTHER);
	dw[0] = VALUE;
	sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW;
	it_expect(!it_ioctl(prime.fd, DMA_BUF_IOCTL_SYNC, &sync), "the access does not end");
	copy(&to, 0, &from, 0);
	expect_dw(&to, 0, VALUE);
	munmap((void *)dw, PAGE);
	close(prime.fd);
	it_close(dev);
}

/*
 * The driver's part of a hibernation, in which the CPU copies all memory. The client stands for that copy: it reads
 * what the GPU wrote and sets no domain.
 */
static void hibernated(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object o = object(dev, 0);
	volatile uint32_t *dw = map(&o, I915_MMAP_OFFSET_WB);
	char states[64];

	(void)unused;
	if (!it_on_igen())
		it_skip("stock i915 flushes later than a test goes that ends with the devices");
	if (it_read_file("/sys/power/state", states, sizeof(states)) || !strstr(states, "disk") ||
	    it_write_file("/sys/power/pm_test", "devices"))
		it_skip("the kernel has no hibernation that ends with the devices");
	it_expect(!dw[0], "%08x", dw[0]);
	store(&o, 0, VALUE);
	it_expect(!it_write_file("/sys/power/state", "disk"), "no hibernation: error %d", errno);
	it_write_file("/sys/power/pm_test", "none");
	it_expect(dw[0] == VALUE, "%08x", dw[0]);
	it_close(dev);
}

/* Accesses of a debugger to a mapping. */
static void debugged(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct object from = object(dev, 0), to = object(dev, 1);
	uint32_t value = VALUE, *dw = map(&from, I915_MMAP_OFFSET_WB);
	int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	(void)unused;
	it_expect(memory >= 0, "/proc/self/mem: error %d", errno);
	store(&from, 64, OTHER);
	it_expect(pwrite(memory, &value, 4, (off_t)(uintptr_t)dw) == 4, "writing: error %d", errno);
	copy(&to, 0, &from, 0);
	expect_dw(&to, 0, VALUE);
	store(&from, 64, VALUE);
	it_expect(pread(memory, &value, 4, (off_t)(uintptr_t)(dw + 16)) == 4, "reading: error %d", errno);
	it_expect(value == VALUE, "the debugger reads %08x", value);
	close(memory);
	it_close(dev);
}

/* The error state's section of an object that the GPU may have written before the hang; to be freed. */
static char *capture(bool written)
{
	struct it_dev *dev = it_open();
	struct object o = object(dev, 0), batch = object(dev, 1);
	struct drm_i915_gem_exec_object2 objects[2] = {
		entry(&o, EXEC_OBJECT_WRITE | EXEC_OBJECT_CAPTURE), entry(&batch, 0),
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)objects, .buffer_count = 2, .flags = I915_EXEC_RENDER,
	};
	struct commands c = { .n = 0 };
	unsigned int behind;
	char *text, *begin, *end;
	size_t size;
	int ret;

	it_error_clear(dev);
	expect_dw(&o, 0, 0);
	emit_store(&c, o.address, written ? VALUE : 0);
	/* Not the store again: the GPU would write while the driver copies. */
	behind = c.n;
	emit(&c, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	emit_address(&c, batch.address + behind * 4);
	emit_end(&c);
	rw(&batch, true, 0, c.dw, c.n * 4);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(!ret, "execbuf: error %d", ret);
	wait_idle(&batch);
	text = it_error_read(dev, &size);
	/* From behind the object's title to the next one. */
	begin = strstr(text, " --- user = ");
	it_expect(begin, "the error state does not have the object: %.60s", text);
	begin = strchr(begin, '\n') + 1;
	end = strstr(begin, " --- ");
	if (end)
		*end = 0;
	begin = strdup(begin);
	it_expect(begin, "no memory");
	free(text);
	it_close(dev);
	return begin;
}

static void captured(unsigned int unused)
{
	char *with, *without;

	(void)unused;
	/* Stock i915 then ends batches without an error state. */
	if (it_on_igen())
		it_engine_set("rcs0", "heartbeat_interval_ms", "200");
	with = capture(true);
	without = capture(false);
	it_engine_set("rcs0", "heartbeat_interval_ms", NULL);
	it_expect(strcmp(with, without), "the error state does not have what the GPU wrote");
	free(with);
	free(without);
}

int main(int argc, char **argv)
{
	it_init(argc, argv);
	it_subtest(pwrite_pread, 0, "pwrite-pread");
	it_subtest(pwrite_line, 0, "pwrite-line");
	it_subtest(fresh, 0, "fresh");
	it_subtest(mapped_cached, 0, "mapped-cached");
	it_subtest(mapped_uncached, I915_GEM_DOMAIN_WC, "mapped-wc");
	it_subtest(mapped_uncached, I915_GEM_DOMAIN_GTT, "mapped-aperture");
	it_subtest(mapped_refused, 0, "mapped-refused");
	it_subtest(snooped, 0, "snooped");
	it_subtest(snooped_late, 0, "late-snooped");
	it_subtest(snooped_aperture, I915_TILING_NONE, "snooped-aperture");
	it_subtest(snooped_aperture, I915_TILING_X, "snooped-tiled");
	it_subtest(user_memory, 0, "user-memory");
	it_subtest(relocations, 0, "relocations");
	it_subtest(relocations_line, 0, "reloc-line");
	it_subtest(relocations_line, LINE - 8, "reloc-two-lines");
	it_subtest(relocations_line, PAGE - 8, "reloc-two-pages");
	it_subtest(tables, 0, "tables");
	it_subtest(unbound, 0, "unbound");
	it_subtest(checked_batch, 0, "checked-batch");
	it_subtest(exported, 0, "exported");
	it_subtest(exported_mapped, 0, "buffer-mapped");
	it_subtest(exported_shrunk, 0, "buffer-shrunk");
	it_subtest(imported, BY_PREAD, "imported-pread");
	it_subtest(imported, BY_APERTURE, "imported-aperture");
	it_subtest(imported, BY_GPU, "imported-gpu");
	it_subtest(debugged, 0, "debugged");
	it_subtest(hibernated, 0, "hibernated");
	it_subtest(captured, 0, "captured");
	return it_exit();
}
