// SPDX-License-Identifier: MIT
/**
 * DOC: igen-trace
 *
 * Makes events for a trace. Each subtest writes to the trace when it begins ("step NAME") and what it has done
 * ("did WHAT KEY=VALUE..."). tools/vm/trace-check holds these lines against the events before the last of them. Needs
 * root. Stock i915 has tracepoints for the subtests whose names begin with "i915-".
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/it.h"

#define DEBUGFS		"/sys/kernel/debug/dri/0/"
#define PAGE		4096ull
/* Bits of i915_gem_drop_caches: retire, free, wait for idle, end RCU grace periods. */
#define SETTLE		"0x254"
#define RETIRE		"0x4"
#define SHRINK_ALL	"0x20"
#define BATCHES		3
#define LARGE		(64ull << 20)
/* Together more than an aperture of 256 MB. */
#define NUM_LARGE	5

/* What batches do with a page, in dwords. */
enum { STARTED, GATE, LATER };

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
	char text[256];
	va_list ap;
	int ret;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ret = it_write_file("/sys/kernel/tracing/trace_marker", text);
	it_expect(!ret, "trace_marker: error %d", ret);
}

static void drop_caches(const char *bits)
{
	int ret = it_write_file(DEBUGFS "i915_gem_drop_caches", bits);

	it_expect(!ret, "i915_gem_drop_caches %s: error %d", bits, ret);
}

static const char *engine_of(struct it_dev *dev, unsigned int engine)
{
	static char text[16];

	snprintf(text, sizeof(text), "%u:%u", dev->engine[engine].class, dev->engine[engine].instance);
	return text;
}

static void create_object(int fd, uint64_t size, uint32_t *handle)
{
	int ret = it_bo_create(fd, size, handle);

	it_expect(!ret, "an object of 0x%llx bytes: error %d", (unsigned long long)size, ret);
}

/* Through the aperture, or as if. */
static volatile uint32_t *map_gtt(int fd, uint32_t handle, uint64_t size)
{
	struct drm_i915_gem_mmap_gtt arg = { .handle = handle };
	int ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_MMAP_GTT, &arg);
	void *map;

	it_expect(!ret, "MMAP_GTT: error %d", ret);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, arg.offset);
	it_expect(map != MAP_FAILED, "mmap: error %d", errno);
	return map;
}

/* A batch that runs until the gate in the page is open. */
static struct it_batch submit_gated(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *page)
{
	struct it_batch b = it_batch(dev, PAGE);
	int ret;

	it_emit_store(&b, page->address + 4 * STARTED, 1);
	it_emit_circle(&b, page->address + 4 * GATE);
	ret = it_run(dev, ctx, engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf: error %d", ret);
	return b;
}

static void wait_started(struct it_bo *page)
{
	it_expect(it_poll(&page->dw[STARTED], 1), "the batch does not start");
}

/* A gated batch that is running when this returns. */
static struct it_batch run_gated(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *page)
{
	struct it_batch b = submit_gated(dev, ctx, engine, page);

	wait_started(page);
	return b;
}

static void end_gated(struct it_batch *b, struct it_bo *page)
{
	volatile uint32_t *dw = page->map;
	int ret;

	dw[GATE] = 1;
	ret = it_bo_wait(b->bo, IT_WAIT_NS);
	it_expect(!ret, "the batch does not end: error %d", ret);
}

/* flags: EXEC_OBJECT_ASYNC, or 0 to wait for what else uses the page. */
static struct it_batch run_store(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *page,
				 uint64_t flags)
{
	struct it_batch b = it_batch(dev, PAGE);
	int ret;

	it_emit_store(&b, page->address + 4 * LATER, 1);
	it_emit_end(&b);
	ret = it_run(dev, ctx, engine, &b, &page, 1, flags);
	it_expect(!ret, "execbuf: error %d", ret);
	return b;
}

/* One object: made, written, read, mapped, gone. */
static void object(unsigned int arg)
{
	const uint64_t size = 5 * PAGE;
	struct it_dev *dev = it_open();
	volatile uint32_t *map;
	char data[0x45] = "";
	uint32_t handle;
	int ret;

	(void)arg;
	say("step object");
	create_object(dev->fd, size, &handle);
	say("did object size=0x%llx", (unsigned long long)size);

	struct drm_i915_gem_pwrite write = {
		.handle = handle, .offset = 0x123, .size = sizeof(data), .data_ptr = (uintptr_t)data,
	};
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_PWRITE, &write);
	it_expect(!ret, "PWRITE: error %d", ret);
	say("did pwrite offset=0x%llx len=0x%zx", (unsigned long long)write.offset, sizeof(data));

	struct drm_i915_gem_pread read = {
		.handle = handle, .offset = 0x1234, .size = 0x33, .data_ptr = (uintptr_t)data,
	};
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_PREAD, &read);
	it_expect(!ret, "PREAD: error %d", ret);
	say("did pread offset=0x%llx len=0x%llx", (unsigned long long)read.offset, (unsigned long long)read.size);

	map = map_gtt(dev->fd, handle, size);
	map[2 * PAGE / 4] = 1;
	say("did fault index=2");
	munmap((void *)map, size);

	it_handle_close(dev->fd, handle);
	drop_caches(SETTLE);
	usleep(500000);
	say("did destroy");
}

/* The same number of batches on each engine, one after the other, with objects of a known size. */
static void batches(unsigned int arg)
{
	const uint64_t size = 11 * PAGE;
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, PAGE);

	(void)arg;
	say("step batches");
	for (unsigned int engine = 0; engine < dev->num_engines; engine++) {
		for (unsigned int n = 0; n < BATCHES; n++) {
			struct it_batch b = it_batch(dev, size);

			it_emit_store(&b, page->address + 4 * LATER, n);
			it_emit_end(&b);
			it_run_wait(dev, ctx, engine, &b, &page, 1);
			it_bo_close(b.bo);
		}
		say("did batches engine=%s count=%u size=0x%llx", engine_of(dev, engine), BATCHES,
		    (unsigned long long)size);
	}
	drop_caches(SETTLE);
	say("did retire");
}

/* Objects of the driver that exist. Both drivers begin the file with their number. */
static unsigned long objects(void)
{
	char text[4096];

	return it_read_file(DEBUGFS "i915_gem_objects", text, sizeof(text)) ? 0 : strtoul(text, NULL, 0);
}

/* A file's own context and another one, each with an address space, and one more of these. */
static void contexts(unsigned int arg)
{
	struct drm_i915_gem_vm_control vm = { 0 };
	struct drm_i915_reset_stats stats = { 0 };
	unsigned long before = objects();
	struct it_dev *dev;
	int ret;

	(void)arg;
	say("step contexts");
	dev = it_open();
	stats.ctx_id = it_ctx(dev);
	/* The driver creates the context at its first use. */
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats) ?:
	      it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_VM_CREATE, &vm);
	it_expect(!ret, "a context and an address space: error %d", ret);
	it_close(dev);
	drop_caches(SETTLE);
	/* Workers free what is left, on a slow machine later. */
	for (unsigned int ms = 0; objects() > before && ms < 30000; ms += 10)
		usleep(10000);
	usleep(500000);
	say("did contexts contexts=2 vms=3");
}

/* A wait that ends before the batch does. */
static void waits(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, PAGE);
	struct it_batch b;
	int ret;

	(void)arg;
	say("step wait");
	b = run_gated(dev, ctx, 0, page);
	ret = it_bo_wait(b.bo, 50 * 1000000);
	it_expect(ret == -ETIME, "a wait for a batch that does not end: error %d", ret);
	end_gated(&b, page);
	drop_caches(SETTLE);
	say("did wait engine=%s", engine_of(dev, 0));
}

/* Two objects that want overlapping addresses. */
static void overlap(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, PAGE), *first = it_bo(dev, 4 * PAGE), *second = it_bo(dev, 2 * PAGE);
	struct it_batch b = it_batch(dev, PAGE);
	struct it_bo *bos[2] = { page, first };

	(void)arg;
	second->address = first->address + 3 * PAGE;
	it_emit_store(&b, page->address + 4 * LATER, 1);
	it_emit_end(&b);
	say("step overlap");
	it_run_wait(dev, ctx, 0, &b, bos, 2);
	bos[1] = second;
	it_run_wait(dev, ctx, 0, &b, bos, 2);
	say("did overlap start=0x%llx size=0x%llx evicted=0x%llx evicted_size=0x%llx",
	    (unsigned long long)second->address, (unsigned long long)second->size,
	    (unsigned long long)first->address, (unsigned long long)first->size);
}

static void shrink(unsigned int arg)
{
	(void)arg;
	it_close(it_open());
	say("step shrink");
	drop_caches(SHRINK_ALL);
	say("did shrink target=%lu", ~0ul);
}

/* A context waits behind another one on the same engine, in the second port. */
static void ports(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev), other = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, PAGE);
	struct it_batch b, second;
	int ret;

	(void)arg;
	say("step ports");
	b = run_gated(dev, ctx, 0, page);
	second = run_store(dev, other, 0, page, EXEC_OBJECT_ASYNC);
	end_gated(&b, page);
	ret = it_bo_wait(second.bo, IT_WAIT_NS);
	it_expect(!ret, "the second batch does not end: error %d", ret);
	say("did ports engine=%s", engine_of(dev, 0));
}

/* Requests complete one after the other while their context stays on its engine, and retire meanwhile. */
static void merged(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *first_page = it_bo(dev, PAGE), *last_page = it_bo(dev, PAGE);
	struct it_batch first, last;

	(void)arg;
	say("step merged");
	first = run_gated(dev, ctx, 0, first_page);
	for (unsigned int n = 0; n < BATCHES; n++)
		run_store(dev, ctx, 0, first_page, EXEC_OBJECT_ASYNC);
	last = submit_gated(dev, ctx, 0, last_page);
	end_gated(&first, first_page);
	wait_started(last_page);
	drop_caches(RETIRE);
	say("did merged engine=%s retired=%u", engine_of(dev, 0), BATCHES + 1);
	end_gated(&last, last_page);
}

/* A request is taken off its engine for one that is more urgent, and comes back. */
static void preemption(unsigned int arg)
{
	const int low = -7, high = 9;
	struct it_dev *dev = it_open();
	uint32_t patient = it_ctx_priority(dev, low), urgent = it_ctx_priority(dev, high);
	struct it_bo *page = it_bo(dev, PAGE);
	struct it_batch b, second;
	int ret;

	(void)arg;
	say("step preemption");
	b = run_gated(dev, patient, 0, page);
	second = run_store(dev, urgent, 0, page, EXEC_OBJECT_ASYNC);
	ret = it_bo_wait(second.bo, IT_WAIT_NS);
	it_expect(!ret, "the urgent batch does not end: error %d", ret);
	end_gated(&b, page);
	drop_caches(SETTLE);
	say("did preemption engine=%s low=%d high=%d", engine_of(dev, 0), low, high);
}

/* An engine waits for another one, and gives that up for other work. */
static void semaphore(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev), other = it_ctx_engines(dev), third = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, PAGE), *other_page = it_bo(dev, PAGE);
	struct it_batch b, waiter, work;
	unsigned int engine = 1;
	int ret;

	(void)arg;
	/* Batches of the copy engine may not run in circles. */
	while (engine + 1 < dev->num_engines && dev->engine[engine].class == I915_ENGINE_CLASS_COPY)
		engine++;
	say("step semaphore");
	b = run_gated(dev, ctx, 0, page);
	waiter = run_store(dev, ctx, engine, page, 0);
	usleep(20000);
	work = run_gated(dev, other, engine, other_page);
	/* The driver looks at the queue again, and the engine has left the request that waits. */
	run_store(dev, third, engine, other_page, EXEC_OBJECT_ASYNC);
	end_gated(&work, other_page);
	end_gated(&b, page);
	ret = it_bo_wait(waiter.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch that waits does not end: error %d", ret);
	drop_caches(SETTLE);
	say("did semaphore engine=%s", engine_of(dev, engine));
}

/* A batch that hangs; whole: all engines are reset for it. */
static void hang(unsigned int whole)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_batch b = it_spinner(dev);
	const char *name = dev->engine[0].name;
	char before[32] = "";
	int ret, end;

	ret = it_read_file(DEBUGFS "i915_params/reset", before, sizeof(before)) ?:
	      it_write_file(DEBUGFS "i915_params/reset", whole ? "1" : "2");
	it_expect(!ret, "i915_params/reset: error %d", ret);
	it_engine_set(name, "heartbeat_interval_ms", "200");
	say("step %s", whole ? "gpu-hang" : "hang");
	ret = it_run(dev, ctx, 0, &b, NULL, 0, 0);
	end = ret ?: it_bo_wait(b.bo, IT_WAIT_NS);
	it_engine_set(name, "heartbeat_interval_ms", NULL);
	it_write_file(DEBUGFS "i915_params/reset", before);
	it_expect(!ret && !end, "execbuf: error %d, the batch's end: error %d", ret, end);
	drop_caches(SETTLE);
	say("did hang engine=%s engines=%u stalled=0x1", engine_of(dev, 0), whole ? dev->num_engines : 1);
}

/* More objects than the aperture has room for. */
static void aperture(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t handle;

	(void)arg;
	say("step aperture");
	for (unsigned int n = 0; n < NUM_LARGE; n++) {
		volatile uint32_t *map;

		create_object(dev->fd, LARGE, &handle);
		struct drm_i915_gem_set_tiling tiling = {
			.handle = handle, .tiling_mode = I915_TILING_X, .stride = 4096,
		};
		/* Only the aperture detiles for the CPU, so touching the mapping binds the object there. */
		int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &tiling);

		it_expect(!ret, "SET_TILING: error %d", ret);
		map = map_gtt(dev->fd, handle, LARGE);
		map[0] = n;
	}
	say("did aperture size=0x%llx", LARGE);
}

/* An object that the GPU reads past the CPU's caches, written by the CPU. */
static void flush(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, PAGE), *written;
	struct drm_i915_gem_caching caching = { .caching = I915_CACHING_NONE };
	struct it_batch b = it_batch(dev, PAGE);
	struct it_bo *bos[2] = { page };
	int ret;

	(void)arg;
	it_emit_store(&b, page->address + 4 * LATER, 1);
	it_emit_end(&b);
	say("step flush");
	written = it_bo(dev, 7 * PAGE);
	caching.handle = written->handle;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_CACHING, &caching);
	it_expect(!ret, "SET_CACHING: error %d", ret);
	written->dw[0] = 1;
	bos[1] = written;
	it_run_wait(dev, ctx, 0, &b, bos, 2);
	say("did flush size=0x%llx", (unsigned long long)written->size);
}

int main(int argc, char **argv)
{
	it_init(argc, argv);
	it_subtest(object, 0, "i915-object");
	it_subtest(batches, 0, "i915-batches");
	it_subtest(contexts, 0, "i915-contexts");
	it_subtest(waits, 0, "i915-wait");
	it_subtest(overlap, 0, "i915-overlap");
	it_subtest(shrink, 0, "i915-shrink");
	it_subtest(ports, 0, "ports");
	it_subtest(merged, 0, "merged");
	it_subtest(preemption, 0, "preemption");
	it_subtest(semaphore, 0, "semaphore");
	it_subtest(hang, 0, "hang");
	it_subtest(hang, 1, "gpu-hang");
	it_subtest(aperture, 0, "aperture");
	it_subtest(flush, 0, "flush");
	return it_exit();
}
