// SPDX-License-Identifier: MIT
/**
 * DOC: igen-bench
 *
 * What an operation of the uAPI costs, for tools/bench, on any driver with the i915 uAPI: igen-bench NAME [COUNT]
 * prepares, does the operation COUNT times, and prints "MICROSECONDS COUNT", the guest's time for one operation and how
 * many there were. Time is taken around the operations only. An error ends the program with a message and status 1.
 * "recovery" is root's, and its microseconds are the GPU's: from a hang to the first batch that completes after it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/it.h"

#define PAGE		4096ull
#define MB		(1ull << 20)
#define TABLE		(2 * MB)		/* what a page table of the processor's maps */
#define MAX_OBJECTS	1000
#define RELOCS		100
#define FAULT_PAGES	64
#define BIND_SIZE	(1024 * MB)
#define CLIENTS		8
#define BEHIND		8			/* batches that wait behind one that hangs */
#define BEAT_MS		"50"			/* of heartbeats, then */
#define PREEMPT_MS	"20"

/* Addresses of objects that have one of their own. */
#define FIRST_ADDRESS	(64 * MB)
#define STRIDE		(1 * MB)

static struct bench {
	int fd;
	uint32_t ctx;
	unsigned int engines;			/* of ctx's map, or 0 without one */
	struct drm_i915_gem_exec_object2 obj[MAX_OBJECTS];	/* the batch is the last of those in use */
	struct drm_i915_gem_relocation_entry relocs[RELOCS];
	uint32_t handle;
	void *at;				/* where it is mapped */
	int bar;				/* the file of the GPU's aperture */
	char page[PAGE];
	struct it_dev dev;			/* recovery's, like what follows */
	struct it_bo *times;
	struct it_batch hang, behind[BEHIND];
	uint64_t ticks;				/* of the GPU's clock */
} bench;

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "igen-bench: ");
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	exit(1);
}

static void call(unsigned long request, void *arg, const char *what)
{
	int ret = it_ioctl(bench.fd, request, arg);

	if (ret)
		die("%s: error %d", what, ret);
}

static uint32_t create(uint64_t size)
{
	struct drm_i915_gem_create arg = { .size = size };

	call(DRM_IOCTL_I915_GEM_CREATE, &arg, "GEM_CREATE");
	return arg.handle;
}

static void close_handle(uint32_t handle)
{
	struct drm_gem_close arg = { .handle = handle };

	call(DRM_IOCTL_GEM_CLOSE, &arg, "GEM_CLOSE");
}

static void put(uint32_t handle, uint64_t offset, const void *data, uint64_t size)
{
	struct drm_i915_gem_pwrite arg = {
		.handle = handle, .offset = offset, .size = size, .data_ptr = (uintptr_t)data,
	};

	call(DRM_IOCTL_I915_GEM_PWRITE, &arg, "GEM_PWRITE");
}

static void wait_for(uint32_t handle)
{
	struct drm_i915_gem_wait arg = { .bo_handle = handle, .timeout_ns = IT_WAIT_NS };

	call(DRM_IOCTL_I915_GEM_WAIT, &arg, "GEM_WAIT");
}

/* An empty batch with room for addresses behind its end. */
static uint32_t create_batch(void)
{
	static const uint32_t end[2] = { MI_BATCH_BUFFER_END };
	uint32_t handle = create(PAGE);

	put(handle, 0, end, sizeof(end));
	return handle;
}

/* The first count objects at their addresses, the last of them the batch. */
static void execute(unsigned int count, unsigned int engine, uint32_t ctx)
{
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)bench.obj, .buffer_count = count,
		.flags = engine | (bench.obj[count - 1].relocation_count ? 0 : I915_EXEC_NO_RELOC), .rsvd1 = ctx,
	};

	call(DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb, "GEM_EXECBUFFER2");
}

static void prepare_objects(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		bench.obj[i].handle = i == count - 1 ? create_batch() : create(PAGE);
		bench.obj[i].offset = FIRST_ADDRESS + i * STRIDE;
		bench.obj[i].flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	}
	bench.handle = bench.obj[count - 1].handle;
	/* Bound, and the context is there. */
	execute(count, 0, bench.ctx);
	wait_for(bench.handle);
}

static void create_close(unsigned int i)
{
	(void)i;
	close_handle(create(PAGE));
}

static void prepare_page(unsigned int unused)
{
	(void)unused;
	bench.handle = create(PAGE);
	put(bench.handle, 0, bench.page, PAGE);
}

static void pwrite_page(unsigned int i)
{
	(void)i;
	put(bench.handle, 0, bench.page, PAGE);
}

static void pread_page(unsigned int i)
{
	struct drm_i915_gem_pread arg = {
		.handle = bench.handle, .size = PAGE, .data_ptr = (uintptr_t)bench.page,
	};

	(void)i;
	call(DRM_IOCTL_I915_GEM_PREAD, &arg, "GEM_PREAD");
}

/* Addresses are random, and a second page table costs more than what is compared: the mapping lies below one. */
static void prepare_fault(unsigned int unused)
{
	char *room = mmap(NULL, 2 * TABLE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)unused;
	if (room == MAP_FAILED)
		die("mmap: error %d", errno);
	munmap(room, 2 * TABLE);
	bench.at = room + (-(uintptr_t)room & (TABLE - 1));
	bench.handle = create(FAULT_PAGES * PAGE);
	for (unsigned int i = 0; i < FAULT_PAGES; i++)
		put(bench.handle, i * PAGE, bench.page, PAGE);
}

/* A mapping of an object whose pages are there, each page touched, and the end of the mapping. */
static void fault(unsigned int n)
{
	struct drm_i915_gem_mmap_offset arg = { .handle = bench.handle, .flags = I915_MMAP_OFFSET_WB };
	volatile char *map;

	call(DRM_IOCTL_I915_GEM_MMAP_OFFSET, &arg, "GEM_MMAP_OFFSET");
	map = mmap(bench.at, FAULT_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, bench.fd,
		   arg.offset);
	if (map == MAP_FAILED)
		die("mmap: error %d", errno);
	for (unsigned int i = 0; i < FAULT_PAGES; i++)
		map[i * PAGE] = n;
	munmap((void *)map, FAULT_PAGES * PAGE);
}

/* The GPU's aperture as a file of the PCI core's; the mapping lies where prepare_fault() has it. */
static void prepare_bar(unsigned int unused)
{
	char path[96];
	struct stat st;

	prepare_fault(unused);
	if (fstat(bench.fd, &st))
		die("fstat: error %d", errno);
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/resource2_wc", major(st.st_rdev), minor(st.st_rdev));
	bench.bar = open(path, O_RDWR);
	if (bench.bar < 0)
		die("%s: error %d", path, errno);
}

/*
 * As many pages mapped by the kernel alone, all at once (remap_pfn_range()) and without a fault, and the end of the
 * mapping. No function of the driver runs.
 */
static void map_bar(unsigned int n)
{
	void *map = mmap(bench.at, FAULT_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
			 bench.bar, 0);

	(void)n;
	if (map == MAP_FAILED)
		die("mmap: error %d", errno);
	munmap(map, FAULT_PAGES * PAGE);
}

static void exec_1(unsigned int i)
{
	(void)i;
	execute(1, 0, 0);
}

static void exec_100(unsigned int i)
{
	(void)i;
	execute(100, 0, 0);
}

static void exec_1000(unsigned int i)
{
	(void)i;
	execute(1000, 0, 0);
}

/* The batch and one object that all its addresses are of. */
static void prepare_relocs(unsigned int unused)
{
	(void)unused;
	prepare_objects(2);
	for (unsigned int i = 0; i < RELOCS; i++) {
		bench.relocs[i].target_handle = bench.obj[0].handle;
		bench.relocs[i].offset = 64 + i * 8;
		bench.relocs[i].read_domains = I915_GEM_DOMAIN_RENDER;
	}
	bench.obj[1].relocs_ptr = (uintptr_t)bench.relocs;
	bench.obj[1].relocation_count = RELOCS;
}

static void exec_relocs(unsigned int n)
{
	(void)n;
	/* All are believed to be somewhere else, so all are written. */
	for (unsigned int i = 0; i < RELOCS; i++)
		bench.relocs[i].presumed_offset = -1;
	execute(2, 0, 0);
}

static uint32_t ctx_create(void)
{
	struct drm_i915_gem_context_create arg = { 0 };

	call(DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &arg, "GEM_CONTEXT_CREATE");
	return arg.ctx_id;
}

static void ctx_destroy(uint32_t id)
{
	struct drm_i915_gem_context_destroy arg = { .ctx_id = id };

	call(DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &arg, "GEM_CONTEXT_DESTROY");
}

static void create_destroy(unsigned int i)
{
	(void)i;
	ctx_destroy(ctx_create());
}

static void prepare_bind(unsigned int unused)
{
	(void)unused;
	prepare_objects(2);
	close_handle(bench.obj[0].handle);
	bench.obj[0].handle = create(BIND_SIZE);
	bench.obj[0].offset = BIND_SIZE;
	execute(2, 0, 0);
	wait_for(bench.handle);
}

/* From one place to another: one unbinding, one binding. */
static void bind(unsigned int n)
{
	bench.obj[0].offset = BIND_SIZE * (n & 1 ? 1 : 4);
	execute(2, 0, 0);
	wait_for(bench.handle);
}

/* A context with all engines, each of which has had a batch. */
static void prepare_engines(unsigned int unused)
{
	struct it_dev dev = { .fd = bench.fd };
	struct it_engine engine[IT_MAX_ENGINES];

	(void)unused;
	bench.engines = it_engines(engine, IT_MAX_ENGINES);
	dev.num_engines = bench.engines;
	memcpy(dev.engine, engine, sizeof(engine));
	bench.ctx = it_ctx_engines(&dev);
	prepare_objects(1);
	for (unsigned int i = 0; i < bench.engines; i++)
		execute(1, i, bench.ctx);
	wait_for(bench.handle);
}

static void exec_engines(unsigned int n)
{
	execute(1, n % bench.engines, bench.ctx);
}

/* One that says when it ran, and hangs; and those that are behind it, which say when they ran. */
static void prepare_recovery(unsigned int unused)
{
	struct it_dev *dev = &bench.dev;
	uint64_t address;

	(void)unused;
	dev->fd = bench.fd;
	dev->num_engines = it_engines(dev->engine, IT_MAX_ENGINES);
	if (!it_engine_set(dev->engine[0].name, "heartbeat_interval_ms", BEAT_MS) ||
	    !it_engine_set(dev->engine[0].name, "preempt_timeout_ms", PREEMPT_MS))
		die("%s's heartbeat cannot be set: error %d", dev->engine[0].name, errno);
	bench.ctx = it_ctx_engines(dev);
	bench.times = it_bo(dev, PAGE);
	for (unsigned int i = 0; i < BEHIND; i++) {
		bench.behind[i] = it_batch(dev, PAGE);
		it_emit_store_reg(&bench.behind[i], bench.times->address + 4 + i * 4,
				  RING_TIMESTAMP(dev->engine[0].base));
		it_emit_end(&bench.behind[i]);
	}
	bench.hang = it_batch(dev, PAGE);
	it_emit_store_reg(&bench.hang, bench.times->address, RING_TIMESTAMP(dev->engine[0].base));
	address = bench.hang.bo->address + bench.hang.n * 4;
	it_emit(&bench.hang, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(&bench.hang, address);
}

static void recover(unsigned int n)
{
	struct drm_i915_gem_context_param unbannable = { .param = I915_CONTEXT_PARAM_BANNABLE };
	struct it_dev *dev = &bench.dev;
	uint32_t ctx = it_ctx_engines(dev), *times = bench.times->map;
	int ret;

	unbannable.ctx_id = ctx;
	call(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &unbannable, "CONTEXT_SETPARAM");
	memset(times, 0, (1 + BEHIND) * sizeof(*times));
	ret = it_run(dev, ctx, 0, &bench.hang, &bench.times, 1, EXEC_OBJECT_ASYNC);
	for (unsigned int i = 0; i < BEHIND && !ret; i++)
		ret = it_run(dev, bench.ctx, 0, &bench.behind[i], &bench.times, 1, EXEC_OBJECT_ASYNC);
	ret = ret ?: it_bo_wait(bench.behind[BEHIND - 1].bo, IT_WAIT_NS);
	if (ret)
		die("hang %u: error %d", n, ret);
	for (unsigned int i = 0; i <= BEHIND; i++)
		if (!times[i])
			die("hang %u: batch %u did not run", n, i);
	bench.ticks += times[1] - times[0];
	it_ctx_destroy(dev, ctx);
}

static const struct {
	const char *name;
	unsigned int count;			/* of operations, unless the command line says otherwise */
	void (*prepare)(unsigned int arg);
	unsigned int arg;
	void (*operation)(unsigned int n);
	unsigned int clients;			/* processes that do it, each with a file of its own; 0 is this one */
} benchmarks[] = {
	{ "create-close", 2000, NULL, 0, create_close, 0 },
	{ "fault", 300, prepare_fault, 0, fault, 0 },
	{ "map-bar", 300, prepare_bar, 0, map_bar, 0 },
	{ "pwrite", 3000, prepare_page, 0, pwrite_page, 0 },
	{ "pread", 3000, prepare_page, 0, pread_page, 0 },
	{ "exec-1", 3000, prepare_objects, 1, exec_1, 0 },
	{ "exec-100", 300, prepare_objects, 100, exec_100, 0 },
	{ "exec-1000", 200, prepare_objects, 1000, exec_1000, 0 },
	{ "exec-relocs", 500, prepare_relocs, 0, exec_relocs, 0 },
	{ "create-context", 1000, NULL, 0, create_destroy, 0 },
	{ "bind", 40, prepare_bind, 0, bind, 0 },
	{ "engines", 4000, prepare_engines, 0, exec_engines, 0 },
	{ "clients", 500, prepare_objects, 1, exec_1, CLIENTS },
	{ "recovery", 20, prepare_recovery, 0, recover, 0 },
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void open_device(void)
{
	bench.fd = it_open_fd();
	if (bench.fd < 0)
		die("no GPU with an i915 uAPI");
}

static void operate(unsigned int which, unsigned int count)
{
	for (unsigned int n = 0; n < count; n++)
		benchmarks[which].operation(n);
}

/* The clients are ready before the clock runs: each tells so, and all begin when the pipe's other end is closed. */
static uint64_t run_clients(unsigned int which, unsigned int count)
{
	int ready[2], go[2];
	uint64_t start, end;
	int status;
	char c;

	if (pipe(ready) || pipe(go))
		die("pipe: error %d", errno);
	for (unsigned int i = 0; i < benchmarks[which].clients; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork: error %d", errno);
		if (pid)
			continue;
		close(go[1]);
		open_device();
		benchmarks[which].prepare(benchmarks[which].arg);
		if (write(ready[1], "", 1) != 1 || read(go[0], &c, 1))
			die("pipe: error %d", errno);
		operate(which, count);
		wait_for(bench.handle);
		exit(0);
	}
	for (unsigned int i = 0; i < benchmarks[which].clients; i++)
		if (read(ready[0], &c, 1) != 1)
			die("a client did not start");
	start = now();
	close(go[1]);
	for (unsigned int i = 0; i < benchmarks[which].clients; i++)
		if (wait(&status) < 0 || status)
			die("a client ended with status %d", status);
	end = now();
	return end - start;
}

int main(int argc, char **argv)
{
	unsigned int which, count, all;
	uint64_t start, ns;
	int hz;

	for (which = 0; which < ARRAY_SIZE(benchmarks); which++)
		if (argc > 1 && !strcmp(argv[1], benchmarks[which].name))
			break;
	if (which == ARRAY_SIZE(benchmarks)) {
		fprintf(stderr, "usage: igen-bench NAME [COUNT]; there are:");
		for (which = 0; which < ARRAY_SIZE(benchmarks); which++)
			fprintf(stderr, " %s", benchmarks[which].name);
		fprintf(stderr, "\n");
		return 2;
	}
	count = argc > 2 ? it_number("COUNT", argv[2], 1, UINT_MAX) : benchmarks[which].count;

	if (benchmarks[which].clients) {
		all = count * benchmarks[which].clients;
		ns = run_clients(which, count);
	} else {
		open_device();
		if (benchmarks[which].prepare)
			benchmarks[which].prepare(benchmarks[which].arg);
		all = count;
		start = now();
		operate(which, count);
		ns = now() - start;
	}
	if (bench.ticks) {
		if (it_getparam(bench.fd, I915_PARAM_CS_TIMESTAMP_FREQUENCY, &hz) || hz <= 0)
			die("the frequency of the GPU's clock is not known");
		ns = bench.ticks * 1000000000ull / hz;
	}
	printf("%.4f %u\n", ns / 1e3 / all, all);
	return 0;
}
