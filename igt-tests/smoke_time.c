// SPDX-License-Identifier: MIT
/**
 * DOC: SIGKILL ends every call
 *
 * A child makes one call with sizes and counts that cost the kernel minutes. The child is killed in the midst, and the
 * CPU time that it takes from then on is judged. The limit is a fraction of what the whole call takes, and far more
 * than an orderly end takes under emulation. A call that is refused, or is quick, ends before the kill and passes too.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm.h>

#include "smoke.h"

#define CPU_LIMIT	3.0	/* seconds after SIGKILL */
#define WALL_LIMIT	180	/* seconds, for what sleeps */
#define CPU_WHOLE_CALL	30.0	/* seconds of a call that is left alone */
#define CPU_UNTIL_KILL	0.5	/* seconds in the call */
#define WALL_UNTIL_KILL	5	/* or as many seconds, if it sleeps */

#define DUPLICATES	200000u
#define RELOCS		30000000u	/* of an object, all on one page */
#define RELOC_OBJECTS	20u
#define CHAINED_FENCES	5000u
#define POINTS		130000u
#define BONDS		65535u
#define CONTEXTS	10000u
#define USERPTRS	16u
#define USERPTR_SIZE	(64ul << 10)

/* A call that the parent has prepared and the child makes. */
struct call {
	/* The child's function, if it does more than one ioctl; else NULL. */
	void (*run)(struct call *call);
	int fd;
	bool unmap;
	struct it_bo *stop;
	unsigned long request;
	union {
		struct drm_i915_gem_execbuffer2 eb;
		struct drm_i915_gem_context_create_ext create;
		struct drm_gem_close close;
	};
	struct drm_i915_gem_execbuffer_ext_timeline_fences timelines;
	struct drm_i915_gem_context_create_ext_setparam setparam;
	struct i915_context_engines_bond *bond;
	struct drm_i915_gem_relocation_entry reloc;
};

static void *anonymous(size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	it_expect(map != MAP_FAILED, "mmap of %zu bytes: error %d", size, errno);
	return map;
}

static struct it_batch empty_batch(struct it_dev *dev)
{
	struct it_batch b = it_batch(dev, 4096);

	it_emit_end(&b);
	return b;
}

static void fill_entry(struct drm_i915_gem_exec_object2 *entry, const struct it_bo *bo)
{
	*entry = (struct drm_i915_gem_exec_object2){ .handle = bo->handle, .offset = bo->address,
		.flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS };
}

static void fill_execbuf(struct call *call, struct drm_i915_gem_exec_object2 *entries, unsigned int count)
{
	call->request = DRM_IOCTL_I915_GEM_EXECBUFFER2;
	call->eb = (struct drm_i915_gem_execbuffer2){ .buffers_ptr = (uintptr_t)entries, .buffer_count = count };
}

/* One handle in all of a long list, and one relocation, so that handles are looked up by value. */
static void duplicates(struct it_dev *dev, struct call *call)
{
	struct drm_i915_gem_exec_object2 *entries = anonymous(DUPLICATES * sizeof(*entries));
	struct it_batch b = empty_batch(dev);

	for (unsigned int i = 0; i < DUPLICATES; i++)
		fill_entry(&entries[i], b.bo);
	call->reloc = (struct drm_i915_gem_relocation_entry){ .target_handle = b.bo->handle, .offset = 64 };
	entries[0].relocs_ptr = (uintptr_t)&call->reloc;
	entries[0].relocation_count = 1;
	fill_execbuf(call, entries, DUPLICATES);
}

/*
 * Relocations that are all zero are right: object 0, at address 0. Memory that was only read is one page of zeros,
 * however much of it there is.
 */
static void relocations(struct it_dev *dev, struct call *call)
{
	struct drm_i915_gem_exec_object2 *entries = anonymous((RELOC_OBJECTS + 1) * sizeof(*entries));
	struct drm_i915_gem_relocation_entry *relocs = anonymous(RELOCS * sizeof(*relocs));
	struct it_batch b = empty_batch(dev);
	uint64_t sum = 0;

	madvise(relocs, RELOCS * sizeof(*relocs), MADV_HUGEPAGE);
	for (size_t i = 0; i < RELOCS * sizeof(*relocs); i += 4096)
		sum += *((volatile uint8_t *)relocs + i);
	it_expect(!sum, "fresh memory is not zero");

	for (unsigned int i = 0; i < RELOC_OBJECTS; i++) {
		fill_entry(&entries[i], it_bo(dev, 4096));
		entries[i].relocs_ptr = (uintptr_t)relocs;
		entries[i].relocation_count = RELOCS;
	}
	entries[0].offset = 0;
	fill_entry(&entries[RELOC_OBJECTS], b.bo);
	fill_execbuf(call, entries, RELOC_OBJECTS + 1);
	call->eb.flags = I915_EXEC_HANDLE_LUT;
}

/* A batch that runs until stop is written. */
static void start_circle(struct it_dev *dev, struct it_bo *stop)
{
	struct it_batch b = it_batch(dev, 4096);
	int ret;

	it_emit_circle(&b, stop->address);
	ret = it_run(dev, it_ctx_engines(dev), 0, &b, &stop, 1, 0);
	it_expect(!ret, "a batch without end: error %d", ret);
}

/* Syncobjs by the timeline extension. */
static void fill_timelines(struct it_dev *dev, struct call *call, unsigned int count, bool points)
{
	struct drm_i915_gem_exec_object2 *entry = anonymous(sizeof(*entry));
	struct drm_i915_gem_exec_fence *fences = anonymous(count * sizeof(*fences));
	uint64_t *values = anonymous(count * sizeof(*values));
	struct drm_syncobj_create create = { .flags = DRM_SYNCOBJ_CREATE_SIGNALED };
	struct it_batch b = empty_batch(dev);
	int ret = it_ioctl(dev->fd, DRM_IOCTL_SYNCOBJ_CREATE, &create);

	it_expect(!ret, "SYNCOBJ_CREATE: error %d", ret);
	for (unsigned int i = 0; i < count; i++) {
		fences[i].handle = create.handle;
		fences[i].flags = I915_EXEC_FENCE_SIGNAL;
		values[i] = points ? i + 1 : 0;
	}
	fill_entry(entry, b.bo);
	fill_execbuf(call, entry, 1);
	call->timelines = (struct drm_i915_gem_execbuffer_ext_timeline_fences){
		.base.name = DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES, .fence_count = count,
		.handles_ptr = (uintptr_t)fences, .values_ptr = (uintptr_t)values,
	};
	call->eb.cliprects_ptr = (uintptr_t)&call->timelines;
	call->eb.flags = I915_EXEC_USE_EXTENSIONS | I915_EXEC_NO_RELOC;
}

/* An extension that is its own successor comes 512 times. */
static void fence_chain(struct it_dev *dev, struct call *call)
{
	fill_timelines(dev, call, CHAINED_FENCES, false);
	call->timelines.base.next_extension = (uintptr_t)&call->timelines;
}

/* So many points of one timeline, each of which costs a walk over those before, as long as none has signaled. */
static void timeline_points(struct it_dev *dev, struct call *call)
{
	start_circle(dev, it_bo(dev, 4096));
	fill_timelines(dev, call, POINTS, true);
	call->eb.rsvd1 = it_ctx_engines(dev);
}

static void bond_chain(struct it_dev *dev, struct call *call)
{
	const struct i915_engine_class_instance rcs = { .engine_class = I915_ENGINE_CLASS_RENDER };
	struct i915_context_param_engines *map = anonymous(4096);
	struct i915_context_engines_bond *bond = anonymous(sizeof(*bond) + BONDS * sizeof(bond->engines[0]));

	(void)dev;
	*bond = (struct i915_context_engines_bond){
		.base.name = I915_CONTEXT_ENGINES_EXT_BOND, .base.next_extension = (uintptr_t)bond,
		.num_bonds = BONDS, .master = rcs,
	};
	for (unsigned int i = 0; i < BONDS; i++)
		bond->engines[i] = rcs;
	map->extensions = (uintptr_t)bond;
	map->engines[0] = rcs;
	call->setparam = (struct drm_i915_gem_context_create_ext_setparam){
		.base.name = I915_CONTEXT_CREATE_EXT_SETPARAM,
		.param = { .param = I915_CONTEXT_PARAM_ENGINES, .value = (uintptr_t)map,
			   .size = sizeof(*map) + sizeof(map->engines[0]) },
	};
	call->request = DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT;
	call->create = (struct drm_i915_gem_context_create_ext){
		.flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS, .extensions = (uintptr_t)&call->setparam,
	};
}

/* A batch that does not end uses the child's memory, in many objects, and the child exits or takes the memory away. */
static void use_own_memory(struct call *call)
{
	struct drm_i915_gem_exec_object2 *entries = (void *)(uintptr_t)call->eb.buffers_ptr;
	char *memory = mmap(NULL, USERPTRS * USERPTR_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(2);
	for (unsigned int i = 0; i < USERPTRS; i++) {
		struct drm_i915_gem_userptr arg = {
			.user_ptr = (uintptr_t)memory + i * USERPTR_SIZE, .user_size = USERPTR_SIZE,
		};

		if (it_ioctl(call->fd, DRM_IOCTL_I915_GEM_USERPTR, &arg))
			_exit(2);
		entries[i].handle = arg.handle;
	}
	if (it_ioctl(call->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call->eb))
		_exit(2);
	if (call->unmap)
		munmap(memory, USERPTRS * USERPTR_SIZE);
	else
		pause();
}

static void own_memory(struct it_dev *dev, struct call *call)
{
	struct drm_i915_gem_exec_object2 *entries = anonymous((USERPTRS + 2) * sizeof(*entries));
	struct it_batch b = it_batch(dev, 4096);

	call->stop = it_bo(dev, 4096);
	it_emit_circle(&b, call->stop->address);
	fill_entry(&entries[USERPTRS], call->stop);
	fill_entry(&entries[USERPTRS + 1], b.bo);
	fill_execbuf(call, entries, USERPTRS + 2);
	call->run = use_own_memory;
}

static void own_memory_unmapped(struct it_dev *dev, struct call *call)
{
	own_memory(dev, call);
	call->unmap = true;
}

/* Many contexts have the object in their tables, and its handle is closed. */
static void named_by_many(struct it_dev *dev, struct call *call)
{
	struct drm_i915_gem_context_param space = { .param = I915_CONTEXT_PARAM_VM };
	struct it_bo *bo = it_bo(dev, 4096);
	struct it_batch b = empty_batch(dev);
	unsigned int num = 0;
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &space);

	it_expect(!ret, "GETPARAM of the address space: error %d", ret);
	for (; !ret && num < CONTEXTS; num++) {
		struct drm_i915_gem_context_create_ext_setparam setparam = {
			.base.name = I915_CONTEXT_CREATE_EXT_SETPARAM, .param = space,
		};
		struct drm_i915_gem_context_create_ext create = {
			.flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS, .extensions = (uintptr_t)&setparam,
		};

		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create);
		ret = ret ?: it_run(dev, create.ctx_id, I915_EXEC_VEBOX, &b, &bo, 1, 0);
	}
	it_expect(num > 1000, "after %u contexts: error %d", num, ret);
	it_note("%u contexts", num);
	call->request = DRM_IOCTL_GEM_CLOSE;
	call->close.handle = bo->handle;
}

static const struct attack {
	const char *name;
	void (*prepare)(struct it_dev *dev, struct call *call);
	bool quick;			/* ends soon by itself as well */
} attacks[] = {
	{ "duplicates", duplicates, .quick = true },
	{ "relocations", relocations, .quick = false },
	{ "fence-chain", fence_chain, .quick = false },
	{ "timeline-points", timeline_points, .quick = false },
	{ "bond-chain", bond_chain, .quick = false },
	{ "named-by-many", named_by_many, .quick = false },
	{ "userptr-exit", own_memory, .quick = false },
	{ "userptr-munmap", own_memory_unmapped, .quick = true },
};

/* CPU seconds of a process so far, or -1 when there is none. */
static double cpu_seconds(pid_t pid)
{
	unsigned long user, kernel;
	char path[64], text[1024], *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (it_read_file(path, text, sizeof(text)))
		return -1;
	end = strrchr(text, ')');
	if (!end || sscanf(end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel) != 2)
		return -1;
	return (double)(user + kernel) / sysconf(_SC_CLK_TCK);
}

static bool is_over(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/* Until the child is in the midst of its call, or has ended. */
static void wait_busy(pid_t pid)
{
	const double before = cpu_seconds(pid);

	for (int ms = 0; ms < WALL_UNTIL_KILL * 1000 && !is_over(pid); ms += 10) {
		if (cpu_seconds(pid) - before > CPU_UNTIL_KILL)
			return;
		usleep(10000);
	}
}

/* The child is killed in its call, or may go on to the end of the call. */
static void attack(unsigned int which, bool to_the_end)
{
	const double limit = to_the_end ? CPU_WHOLE_CALL : CPU_LIMIT;
	struct call *call;
	struct it_dev *dev;
	double before, after;
	pid_t pid;
	int ms, ready[2], status;
	bool over;
	char byte;

	if (!it_on_igen())
		it_skip("what stock i915 does then is not asked");
	dev = it_open();
	call = anonymous(sizeof(*call));
	call->fd = dev->fd;
	attacks[which].prepare(dev, call);

	it_expect(!pipe(ready), "pipe: error %d", errno);
	pid = fork();
	it_expect(pid >= 0, "fork: error %d", errno);
	if (!pid) {
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		if (call->run)
			call->run(call);
		else
			ioctl(call->fd, call->request, (char *)call + offsetof(struct call, eb));
		_exit(0);
	}
	it_expect(read(ready[0], &byte, 1) == 1, "the child does not start");
	close(ready[0]);
	close(ready[1]);

	if (!to_the_end)
		wait_busy(pid);
	before = cpu_seconds(pid);
	if (!to_the_end)
		kill(pid, SIGKILL);
	for (ms = 0; ms < WALL_LIMIT * 1000 && !is_over(pid); ms += 10) {
		after = cpu_seconds(pid);
		it_expect(after - before < limit, "%.1f s of CPU, and not gone", after - before);
		usleep(10000);
	}
	over = is_over(pid);
	if (call->stop)
		*(volatile uint32_t *)call->stop->map = 1;
	it_expect(over, "asleep after %d s", WALL_LIMIT);
	/* All of the time of a process that is over counts until the process is waited for. */
	after = cpu_seconds(pid);
	waitpid(pid, &status, 0);
	it_expect(!WIFEXITED(status) || !WEXITSTATUS(status), "the child could not prepare its call");
	it_note("%.2f s of CPU, and %.2f s that are judged", before, after - before);
	it_expect(after - before < limit, "%.1f s of CPU", after - before);
	it_close(dev);
}

static void killed(unsigned int which)
{
	attack(which, false);
}

static void finishes(unsigned int which)
{
	attack(which, true);
}

void smoke_time(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(attacks); i++)
		it_subtest(killed, i, "time-%s", attacks[i].name);
	for (unsigned int i = 0; i < ARRAY_SIZE(attacks); i++)
		if (attacks[i].quick)
			it_subtest(finishes, i, "time-%s-whole", attacks[i].name);
}
