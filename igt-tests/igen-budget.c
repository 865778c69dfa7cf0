// SPDX-License-Identifier: MIT
/*
 * DOC: igen-budget
 *
 * A client that only states sizes and counts makes the driver allocate memory. When it has had its share, its calls
 * fail with ENOMEM or ENOSPC; no other process loses memory. Meant for a guest with little memory, in which nothing
 * else runs.
 *
 * igen-budget refused KIND: as many objects, contexts and so on as one client gets, each without pages of its own. A
 * bystander has half of the memory that is free, in one process, so that the OOM killer would choose that process.
 * The client is refused before the bystander is hurt; afterwards another client works, and the memory comes back.
 *
 * igen-budget chain: a timeline syncobj with many points of one fence, named many times by each of many execbufs. The
 * memory that this takes depends on the number of execbufs alone.
 *
 * igen-budget userptr: memory is mapped without any page, and an object over all of it is used.
 *
 * igen-budget offsets: empty objects as large as can be, mapped until the client gets no more offsets; another client
 * still maps as many objects as a program needs.
 *
 * igen-budget files: one process opens many files, and takes offsets and memory in each until it is refused. A second
 * process of the same user, and a process of another user, still get what a program needs.
 *
 * igen-budget processes: the same with many processes of one user.
 *
 * igen-budget pages: one process after the other fills memory with objects' pages, to the last page that it gets.
 * Others still get pages for what a small program needs.
 *
 * igen-budget dropped: a client that has used up its share destroys contexts that it has just used. It can use their
 * memory for new contexts at once.
 *
 * igen-budget reopened: a process leaves objects behind in mappings, closes its file and opens another one, again and
 * again. The objects of closed files still count.
 *
 * igen-budget charged KIND: memory.current of the memory cgroup that the caller is in grows with what is made.
 *
 * igen-budget limited KIND: as many as the limit of that cgroup allows. The client is refused, or killed by its cgroup.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm.h>
#include <limits.h>

#include "budget.h"

#define MOST		(4u << 20)		/* attempts to get refused */
#define MARGIN_KB	(24u << 10)		/* of memory that may be in use afterwards: caches that came to be */
#define SHARE		8			/* one process may have one in so many of all memory */
#define POINTS		1000u			/* of the timeline */
#define MENTIONS	40u			/* of the timeline in an execbuf */
#define EXECS		60u			/* with all of these */
#define OTHERS		1000u			/* objects that the other client maps */
#define HUGE_BYTES	(1ull << 36)
#define ALL_OFFSETS	(1ull << 40)		/* bytes of mapping offsets that the device has */
#define GREEDY		20u			/* files, or processes */
#define FILLERS		4u			/* processes that fill memory, the first one all but the reserve */
#define FEW		8u			/* objects of a small program, of 64 KB */
#define DROPS		20u			/* contexts, of a client at its limit */
#define USER		1000			/* whose processes are greedy; the next number is the other user's */

/* A process that has half of the free memory, and is the largest process by far. */
static pid_t bystander(void)
{
	size_t bytes = it_meminfo("MemAvailable") / 2 * 1024;
	int ready[2];
	pid_t pid;
	char byte = 0;

	it_expect(!pipe(ready), "pipe: error %d", errno);
	fflush(stdout);
	pid = fork();
	it_expect(pid >= 0, "fork: error %d", errno);
	if (!pid) {
		char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (map == MAP_FAILED)
			_exit(1);
		memset(map, 0x5a, bytes);
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	it_expect(read(ready[0], &byte, 1) == 1, "the bystander has not got its memory");
	close(ready[0]);
	return pid;
}

static bool is_there(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) == 0;
}

/* A client that wants little gets it. */
static void small_client(void)
{
	struct it_dev *dev = it_open();
	struct it_bo *out = it_bo(dev, PAGE);
	struct it_batch b = it_batch(dev, PAGE);

	it_emit_store(&b, out->address, 0x600d);
	it_emit_end(&b);
	it_run_wait(dev, it_ctx_engines(dev), 0, &b, &out, 1);
	it_expect(*(uint32_t *)out->map == 0x600d, "the batch of another client has not run");
	it_close(dev);
}

static void expect_back(unsigned long before)
{
	unsigned long after = 0;

	for (unsigned int i = 0; i < 600; i++) {
		after = it_meminfo("MemAvailable");
		if (after + MARGIN_KB > before)
			return;
		usleep(100 * 1000);
	}
	it_fail("%lu kB are free, before it were %lu kB", after, before);
}

static int map_offset(int fd, uint64_t size)
{
	struct drm_i915_gem_create create = { .size = size };
	struct drm_i915_gem_mmap_offset offset = { .flags = I915_MMAP_OFFSET_WB };
	int ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_CREATE, &create);

	offset.handle = create.handle;
	return ret ?: it_ioctl(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset);
}

/* A program begins: its objects, and contexts that it uses. */
static int begin_program(unsigned int objects, unsigned int contexts)
{
	struct drm_i915_gem_context_create create = { };
	struct maker m = maker_open();
	int ret = 0;

	for (unsigned int i = 0; !ret && i < objects; i++)
		ret = map_offset(m.dev->fd, 1u << 20);
	for (unsigned int i = 0; !ret && i < contexts; i++) {
		ret = it_ioctl(m.dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create);
		ret = ret ?: it_run(m.dev, create.ctx_id, I915_EXEC_RENDER, &m.batch, NULL, 0, 0);
	}
	if (!ret)
		small_client();
	return ret;
}

/* In a process of a user. */
static void expect_program(uid_t uid, unsigned int objects, unsigned int contexts, const char *whose)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	it_expect(pid >= 0, "fork: error %d", errno);
	if (!pid)
		_exit(setuid(uid) ? errno : -begin_program(objects, contexts));
	it_expect(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "a process of %s: status 0x%x", whose, status);
	it_expect(!WEXITSTATUS(status), "a process of %s: error %d", whose, WEXITSTATUS(status));
}

/* A client makes one kind of thing until it is refused. */
static void refused(unsigned int kind)
{
	unsigned long before = it_meminfo("MemAvailable"), available, taken;
	pid_t other = bystander();
	struct maker m = maker_open();
	unsigned int num;
	int ret = 0;

	/* The context that the client has beforehand goes on working. */
	ret = it_run(m.dev, 0, I915_EXEC_RENDER, &m.batch, NULL, 0, 0);
	it_expect(!ret, "the first batch: error %d", ret);
	available = it_meminfo("MemAvailable");
	for (num = 0; !ret && num < MOST; num++) {
		ret = budget_kinds[kind].make(&m);
		if (num % 1024 == 0 && !is_there(other))
			it_fail("the bystander was killed when a client had %u %s", num, budget_kinds[kind].name);
	}
	taken = available - it_meminfo("MemAvailable");
	it_note("a client had %u %s, in %ld kB of %lu kB", num - 1, budget_kinds[kind].name, (long)taken, available);
	it_expect(is_there(other), "the bystander was killed for %u %s", num, budget_kinds[kind].name);
	it_expect(ret == -ENOMEM, "after %u %s: error %d, expected ENOMEM", num, budget_kinds[kind].name, ret);
	taken -= (unsigned long)num * budget_kinds[kind].beside / 1024;
	it_expect((long)taken < (long)(it_meminfo("MemTotal") / SHARE + MARGIN_KB),
		  "%ld kB are more than one in %u of %lu kB", (long)taken, SHARE, it_meminfo("MemTotal"));
	if (!budget_kinds[kind].submits) {
		ret = it_run(m.dev, 0, I915_EXEC_RENDER, &m.batch, NULL, 0, 0);
		it_expect(!ret, "a batch of the client that was refused: error %d", ret);
	}
	expect_program(0, 1, 1, "the same user");
	maker_close(&m);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	expect_back(before);
}

/* memory.current of the cgroup that we are in. */
static unsigned long charged_kb(void)
{
	char text[256], path[512], *end;

	it_expect(!it_read_file("/proc/self/cgroup", text, sizeof(text)) && !strncmp(text, "0::", 3),
		  "there is no cgroup of version 2: %s", text);
	text[strcspn(text, "\n")] = 0;
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.current", text + 3);
	it_expect(!it_read_file(path, text, sizeof(text)), "no %s", path);
	return strtoul(text, &end, 10) / 1024;
}

/* What a client makes is charged to the memory cgroup that it is in. */
static void charged(unsigned int kind)
{
	struct maker m = maker_open();
	unsigned int num = (8u << 20) / budget_kinds[kind].least;
	unsigned long before, after;
	int ret = 0;

	if (num > 4096)
		num = 4096;
	ret = budget_kinds[kind].make(&m);
	it_expect(!ret, "the first of %s: error %d", budget_kinds[kind].name, ret);
	before = charged_kb();
	for (unsigned int i = 0; !ret && i < num; i++)
		ret = budget_kinds[kind].make(&m);
	after = charged_kb();
	it_note("%u %s: %lu kB are charged to the cgroup, expected %lu kB or more", num, budget_kinds[kind].name,
		after - before, (unsigned long)num * budget_kinds[kind].least / 1024);
	it_expect(!ret, "%u %s: error %d", num, budget_kinds[kind].name, ret);
	it_expect(after >= before + (unsigned long)num * budget_kinds[kind].least / 1024,
		  "%ld kB were charged for %u %s", (long)(after - before), num, budget_kinds[kind].name);
}

/* Until it is refused, or killed: by the limit of the cgroup that it is in. */
static void limited(unsigned int kind)
{
	struct maker m = maker_open();
	unsigned int num;
	int ret = 0;

	for (num = 0; !ret && num < MOST; num++)
		ret = budget_kinds[kind].make(&m);
	it_note("%u %s within the cgroup's limit", num - 1, budget_kinds[kind].name);
	it_expect(ret == -ENOMEM, "after %u %s: error %d, expected ENOMEM", num, budget_kinds[kind].name, ret);
}

static uint32_t syncobj(struct it_dev *dev)
{
	struct drm_syncobj_create create = { };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_SYNCOBJ_CREATE, &create);

	it_expect(!ret, "a syncobj: error %d", ret);
	return create.handle;
}

/* An execbuf with fences; target: what the batch reads, or NULL. */
static int execute(struct it_dev *dev, uint32_t ctx, struct it_batch *b, struct it_bo *target,
		   struct drm_i915_gem_exec_fence *fences, unsigned int count)
{
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .handle = target ? target->handle : 0, .offset = target ? target->address : 0,
		  .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS | EXEC_OBJECT_ASYNC },
		{ .handle = b->bo->handle, .offset = b->bo->address,
		  .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS | EXEC_OBJECT_ASYNC },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)(target ? &obj[0] : &obj[1]),
		.buffer_count = target ? 2 : 1,
		.flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC | I915_EXEC_FENCE_ARRAY,
		.cliprects_ptr = (uintptr_t)fences,
		.num_cliprects = count,
		.rsvd1 = ctx,
	};

	return it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

/* A batch that runs until the dword is set, and whose fence is in the syncobj. */
static struct it_bo *start_gate(struct it_dev *dev, struct drm_i915_gem_exec_fence *fence)
{
	struct it_batch gate = it_batch(dev, PAGE);
	struct it_bo *bo = it_bo(dev, PAGE);
	int ret;

	*(uint32_t *)bo->map = 0;
	it_emit_gate(&gate, bo->address);
	it_emit_end(&gate);
	fence->handle = syncobj(dev);
	fence->flags = I915_EXEC_FENCE_SIGNAL;
	ret = execute(dev, it_ctx(dev), &gate, bo, fence, 1);
	it_expect(!ret, "a batch that waits: error %d", ret);
	return bo;
}

static void chain(unsigned int arg)
{
	struct drm_i915_gem_exec_fence gate_fence, mentions[MENTIONS];
	struct drm_syncobj_transfer transfer = { };
	unsigned long before, slab;
	struct it_dev *dev = it_open();
	struct it_batch b = it_batch(dev, PAGE);
	struct it_bo *gate;
	uint32_t timeline;
	int ret = 0;

	(void)arg;
	it_emit_end(&b);
	gate = start_gate(dev, &gate_fence);
	timeline = syncobj(dev);
	for (unsigned int i = 0; !ret && i < POINTS; i++) {
		transfer.src_handle = gate_fence.handle;
		transfer.dst_handle = timeline;
		transfer.dst_point = i + 1;
		ret = it_ioctl(dev->fd, DRM_IOCTL_SYNCOBJ_TRANSFER, &transfer);
	}
	it_expect(!ret, "a timeline with %u points: error %d", POINTS, ret);
	for (unsigned int i = 0; i < MENTIONS; i++) {
		mentions[i].handle = timeline;
		mentions[i].flags = I915_EXEC_FENCE_WAIT;
	}
	before = it_meminfo("SUnreclaim");
	for (unsigned int i = 0; !ret && i < EXECS; i++)
		ret = execute(dev, it_ctx(dev), &b, NULL, mentions, MENTIONS);
	slab = it_meminfo("SUnreclaim") - before;
	*(uint32_t *)gate->map = 1;
	it_expect(!ret, "a batch that waits for a timeline: error %d", ret);
	/* A wait for each point and each mention would take 300 MB. */
	it_note("%u execbufs, each with %u mentions of %u points: %ld kB of slabs", EXECS, MENTIONS, POINTS,
		(long)slab);
	it_expect((long)slab < (16 << 10), "%u execbufs that wait for one fence take %ld kB", EXECS, (long)slab);
	it_expect(!it_bo_wait(b.bo, IT_WAIT_NS), "a batch that waits for a timeline does not end");
	it_close(dev);
}

static void userptr(unsigned int arg)
{
	pid_t other = bystander();
	struct it_dev *dev = it_open();
	struct drm_i915_gem_userptr userptr = { };
	struct drm_i915_gem_exec_object2 obj[2] = { };
	struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)obj, .buffer_count = 2 };
	struct it_batch b = it_batch(dev, PAGE);
	/* The list of its pages would take nine tenths of the memory. */
	uint64_t bytes = (uint64_t)it_meminfo("MemTotal") * 1024 * 460 & -(1ull << 30);
	void *map = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int ret;

	(void)arg;
	it_expect(map != MAP_FAILED, "no room for a mapping of %llu bytes", (unsigned long long)bytes);
	it_emit_end(&b);
	userptr.user_ptr = (uintptr_t)map;
	userptr.user_size = bytes;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &userptr);
	it_expect(!ret, "an object over %llu bytes: error %d", (unsigned long long)bytes, ret);
	obj[0].handle = userptr.handle;
	obj[1].handle = b.bo->handle;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(ret == -ENOMEM || ret == -EFAULT, "an object over memory that is not there: error %d", ret);
	it_expect(is_there(other), "the bystander was killed");
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	it_close(dev);
	small_client();
}

/* From the largest size down to a page: nothing is left of a share. Bytes; the last error is at ret. */
static unsigned long long take_offsets(int fd, int *ret)
{
	unsigned long long taken = 0;

	*ret = -ENOSPC;
	for (uint64_t size = ALL_OFFSETS; size >= PAGE && *ret == -ENOSPC; size >>= 1) {
		for (*ret = 0; !*ret;) {
			*ret = map_offset(fd, size);
			if (!*ret)
				taken += size;
		}
	}
	return taken;
}

/* What greedy clients have together, in memory that they share with the test. */
struct greed {
	unsigned long long offsets;		/* bytes of mapping offsets */
	unsigned int spaces;			/* address spaces */
	unsigned long long pages;		/* bytes of objects' pages */
	int error;				/* the first one that is not a refusal */
};

static struct greed *greed_create(void)
{
	struct greed *greed = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	it_expect(greed != MAP_FAILED, "mmap: error %d", errno);
	return greed;
}

/* Takes all that a file gets; a file that was not opened for want of memory gets nothing. */
static void be_greedy(struct greed *greed, int fd)
{
	struct drm_i915_gem_vm_control vm = { };
	int ret;

	if (fd < 0)
		return;
	greed->offsets += take_offsets(fd, &ret);
	/* The objects count as memory, too. */
	if (ret != -ENOSPC && ret != -ENOMEM)
		greed->error = ret;
	for (ret = 0; !ret; greed->spaces += !ret)
		ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_VM_CREATE, &vm);
	if (ret != -ENOMEM)
		greed->error = ret;
}

static void offsets(unsigned int arg)
{
	struct it_dev *dev = it_open();
	unsigned long long taken;
	int ret;

	(void)arg;
	taken = take_offsets(dev->fd, &ret);
	it_expect(ret == -ENOSPC, "after %llu bytes of offsets: error %d, expected ENOSPC", taken, ret);
	it_note("the client has offsets for %llu GB", taken >> 30);
	it_expect(taken >= HUGE_BYTES, "a client gets offsets for %llu bytes only", taken);
	expect_program(0, OTHERS, 1, "the same user");
	it_close(dev);
	/* Closing the file gives its mmap offsets back. */
	dev = it_open();
	ret = map_offset(dev->fd, HUGE_BYTES);
	it_expect(!ret, "offsets for an object of %llu bytes once the first client has gone: error %d",
		  (unsigned long long)HUGE_BYTES, ret);
}

/* Runs greedy() in a process, which keeps what it has got until it is killed. */
static pid_t start_greedy(void (*greedy)(struct greed *greed, unsigned int number), struct greed *greed,
			  unsigned int number)
{
	int ready[2];
	pid_t pid;
	char byte = 0;

	it_expect(!pipe(ready), "pipe: error %d", errno);
	fflush(stdout);
	pid = fork();
	it_expect(pid >= 0, "fork: error %d", errno);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		greedy(greed, number);
		/* Setting the user ID has cleared it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	it_expect(read(ready[0], &byte, 1) == 1, "greedy process %u has ended", number);
	close(ready[0]);
	return pid;
}

static void greedy_files(struct greed *greed, unsigned int number)
{
	(void)number;
	if (setuid(USER))
		_exit(1);
	for (unsigned int i = 0; i < GREEDY; i++)
		be_greedy(greed, it_open_fd());
}

static void greedy_process(struct greed *greed, unsigned int number)
{
	(void)number;
	if (setuid(USER))
		_exit(1);
	be_greedy(greed, it_open_fd());
}

/* The most that a case of greed may take, and the least that another process of the same user still gets. */
struct limits {
	void (*greedy)(struct greed *greed, unsigned int number);
	unsigned int processes;			/* that do it, one after the other */
	unsigned int eighths;			/* of all, which these may have together */
	unsigned int objects, contexts;		/* of the other process, at least */
};

static const struct limits limits_of_files = { greedy_files, 1, 1, OTHERS, 64 };
/* Half, and what small processes may have beyond that. */
static const struct limits limits_of_processes = { greedy_process, GREEDY, 5, 64, 1 };

static void expect_rest(const struct limits *limits)
{
	unsigned long before = it_meminfo("MemAvailable"), available, taken;
	struct greed *greed = greed_create();
	pid_t pid[GREEDY];

	small_client();
	available = it_meminfo("MemAvailable");
	for (unsigned int i = 0; i < limits->processes; i++)
		pid[i] = start_greedy(limits->greedy, greed, i);
	taken = available - it_meminfo("MemAvailable");
	it_note("a user has offsets for %llu GB, %u address spaces, %ld kB of %lu kB", greed->offsets >> 30,
		greed->spaces, (long)taken, available);
	it_expect(!greed->error, "a greedy client: error %d", greed->error);
	expect_program(USER, limits->objects, limits->contexts, "the same user");
	expect_program(USER + 1, OTHERS, 64, "another user");
	it_expect(greed->offsets <= ALL_OFFSETS / 8 * limits->eighths, "offsets for %llu bytes", greed->offsets);
	it_expect((long)taken < (long)(it_meminfo("MemTotal") / 8 * limits->eighths + MARGIN_KB), "%ld kB of %lu kB",
		  (long)taken, it_meminfo("MemTotal"));
	for (unsigned int i = 0; i < limits->processes; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	expect_back(before);
}

static void files(unsigned int arg)
{
	(void)arg;
	expect_rest(&limits_of_files);
}

static void processes(unsigned int arg)
{
	(void)arg;
	expect_rest(&limits_of_processes);
}

/* Objects with pages, from the largest size down, until not one page more is to be had. Bytes. */
static unsigned long long fill_pages(int fd)
{
	unsigned long long taken = 0;

	for (uint64_t size = 1u << 20; size >= PAGE; size >>= 1) {
		for (int ret = 0; !ret;) {
			struct drm_i915_gem_create create = { .size = size };
			struct drm_i915_gem_set_domain domain = {
				.read_domains = I915_GEM_DOMAIN_CPU, .write_domain = I915_GEM_DOMAIN_CPU,
			};

			ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_CREATE, &create);
			domain.handle = create.handle;
			ret = ret ?: it_ioctl(fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &domain);
			if (!ret)
				taken += size;
		}
	}
	return taken;
}

static void greedy_filler(struct greed *greed, unsigned int number)
{
	unsigned long long taken = fill_pages(it_open_fd());

	it_note("filler %u has %llu kB of pages", number, taken >> 10);
	greed->pages += taken;
}

/* Writes all of its objects through mappings: what is missing is a SIGBUS. */
static void touch_pages(void)
{
	struct it_dev *dev = it_open();

	for (unsigned int i = 0; i < FEW; i++) {
		struct it_bo *bo = it_bo(dev, 64 << 10);

		memset(bo->map, 0x5a, 64 << 10);
	}
	small_client();
	it_close(dev);
}

static void pages(unsigned int arg)
{
	unsigned long before = it_meminfo("MemAvailable");
	struct greed *greed = greed_create();
	pid_t pid[FILLERS];
	int status;

	(void)arg;
	for (unsigned int i = 0; i < FILLERS; i++) {
		pid_t small;

		pid[i] = start_greedy(greedy_filler, greed, i);
		fflush(stdout);
		small = fork();
		it_expect(small >= 0, "fork: error %d", errno);
		if (!small) {
			touch_pages();
			_exit(0);
		}
		it_expect(waitpid(small, &status, 0) == small && !status,
			  "a small program behind %u fillers: status 0x%x", i + 1, status);
	}
	it_expect(greed->pages / 1024 > before / 2, "the fillers have %llu kB of %lu kB only", greed->pages / 1024,
		  before);
	for (unsigned int i = 0; i < FILLERS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	expect_back(before);
}

static void dropped(unsigned int arg)
{
	struct drm_i915_gem_context_create create = { };
	struct drm_i915_gem_context_destroy destroy = { };
	static uint32_t ids[DROPS + 1];
	struct maker m = maker_open();
	unsigned int num = 0;
	int ret = 0;

	(void)arg;
	while (!ret) {
		ret = it_ioctl(m.dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create);
		if (!ret) {
			ids[num++ % ARRAY_SIZE(ids)] = create.ctx_id;
			ret = it_run(m.dev, create.ctx_id, I915_EXEC_RENDER, &m.batch, NULL, 0, 0);
		}
	}
	it_note("a client had %u contexts", num);
	it_expect(ret == -ENOMEM && num > 2 * DROPS, "after %u contexts: error %d, expected ENOMEM", num, ret);
	/* The last one may have been refused half way, so it takes two to have the memory of one. */
	for (unsigned int i = 0; i < DROPS; i++) {
		uint32_t *id = &ids[(num - 1 - i) % ARRAY_SIZE(ids)];

		ret = 0;
		for (unsigned int twice = 0; !ret && twice < 2; twice++) {
			destroy.ctx_id = twice ? ids[(num - 2 - i) % ARRAY_SIZE(ids)] : *id;
			ret = it_ioctl(m.dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy);
		}
		it_expect(!ret, "destroying context %u: error %d", destroy.ctx_id, ret);
		ret = it_ioctl(m.dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create);
		it_expect(!ret, "a context in place of two, round %u: error %d", i, ret);
		ids[(num - 2 - i) % ARRAY_SIZE(ids)] = create.ctx_id;
		ret = it_run(m.dev, create.ctx_id, I915_EXEC_RENDER, &m.batch, NULL, 0, 0);
		it_expect(!ret, "the batch of a context in place of two, round %u: error %d", i, ret);
	}
	maker_close(&m);
}

/* The offsets are those of an object that a mapping keeps. */
static void reopened(unsigned int arg)
{
	const uint64_t size = ALL_OFFSETS / 32;
	unsigned int mapped;
	int ret = 0;

	(void)arg;
	for (mapped = 0; !ret && mapped < 32; mapped++) {
		struct drm_i915_gem_create create = { .size = size };
		struct drm_i915_gem_mmap_offset offset = { .flags = I915_MMAP_OFFSET_WB };
		int fd = it_open_fd();

		it_expect(fd >= 0, "open: error %d", errno);
		ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_CREATE, &create);
		it_expect(!ret, "object %u: error %d", mapped, ret);
		offset.handle = create.handle;
		ret = it_ioctl(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset);
		if (!ret)
			it_expect(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, offset.offset) != MAP_FAILED,
				  "mmap: error %d", errno);
		close(fd);
	}
	it_note("%u objects of %llu GB were mapped by one process, each by another file", mapped - 1,
		(unsigned long long)size >> 30);
	it_expect(ret == -ENOSPC, "object %u: error %d, expected ENOSPC", mapped, ret);
	it_expect(mapped - 1 <= 32 / SHARE, "%u objects of %llu bytes are more than the share of a process", mapped - 1,
		  (unsigned long long)size);
	expect_program(0, OTHERS, 8, "the same user");
}

static int usage(void)
{
	fprintf(stderr, "usage: igen-budget chain|userptr|offsets|files|processes|reopened|dropped|pages,\n"
		"       igen-budget refused|charged|limited KIND; kinds:");
	for (unsigned int i = 0; i < budget_num_kinds; i++)
		fprintf(stderr, " %s", budget_kinds[i].name);
	fprintf(stderr, "\n");
	return 2;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(unsigned int arg);
		bool takes_kind;
	} tests[] = {
		{ "chain", chain, false },
		{ "userptr", userptr, false },
		{ "offsets", offsets, false },
		{ "files", files, false },
		{ "processes", processes, false },
		{ "reopened", reopened, false },
		{ "dropped", dropped, false },
		{ "pages", pages, false },
		{ "refused", refused, true },
		{ "charged", charged, true },
		{ "limited", limited, true },
	};
	unsigned int test, kind = 0;

	if (argc < 2)
		return usage();
	for (test = 0; test < ARRAY_SIZE(tests) && strcmp(tests[test].name, argv[1]); test++)
		;
	if (test == ARRAY_SIZE(tests) || argc != 2 + tests[test].takes_kind)
		return usage();
	while (tests[test].takes_kind && kind < budget_num_kinds && strcmp(budget_kinds[kind].name, argv[2]))
		kind++;
	if (kind == budget_num_kinds)
		return usage();
	it_init(1, argv);
	if (tests[test].takes_kind)
		it_subtest(tests[test].run, kind, "%s-%s", argv[1], argv[2]);
	else
		it_subtest(tests[test].run, 0, "%s", argv[1]);
	return it_exit();
}
