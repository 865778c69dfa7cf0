// SPDX-License-Identifier: MIT
/*
 * DOC: igen-faults
 *
 * Every allocation and every user copy of every path fails once: /proc/thread-self/fail-nth makes the N-th faultable
 * call of the task fail, for N = 1, 2, ... until the path ends before its N-th. Needs a kernel with FAULT_INJECTION
 * (failslab, fail_page_alloc, fail_usercopy) and root.
 *
 * Each path is gone through twice: slab allocations and user copies, then page allocations (and copies again). The
 * slabs take pages themselves, now and then, which would move all later points of one attempt by one, so that a point
 * would be passed over; among pages each number is tried twice for that reason. The debugging aids' own caches, which
 * fill up now and then too, are left out by a flag that all others have: slub_debug=A;-,kmemleak_object,
 * kmemleak_scan_area,debug_objects_cache on the kernel's command line.
 *
 * After each failure: the errno is -ENOMEM or -EFAULT, or another that the path names as right, or the call succeeded
 * since the failure was absorbed, in which case its result is checked like any other; a failed call has left nothing
 * (descriptor, handle, fence, work on the GPU); the same call succeeds when nothing fails. After each path the
 * driver's objects are as many as before. At the end kmemleak finds nothing new.
 *
 * One kind of leftover is the DRM core's, not igen's. drm_ioctl() copies an ioctl's result to user memory after the
 * ioctl has succeeded, and returns -EFAULT if that copy fails. Then a handle, a descriptor or a submission exists that
 * userspace does not know of, until the file is closed. FAULT_COPY_OUT marks such paths.
 *
 * Work of the driver in worker threads is another task's: see faults_device.c for what of it allocates.
 *
 * Paths that unbind the device or unload the module take about a second for each point of failure in such a kernel.
 * FAULTS_STEP=N in the environment tries only each N-th point of these paths.
 *
 * igen-faults [NAME ...] runs the paths whose names begin with NAME. FAULTS_VERBOSE=1 in the environment prints each
 * point with its result, and the kernel log says where each failure was.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "faults.h"
#include "lib/sw_sync.h"

#define MAX_POINTS	20000
#define MAX_ROUNDS	6	/* through one path, for what it leaves behind */
#define MAX_LOST_KB	400	/* a list of pages lost at each of its points is more: see pages() */
#define MAX_RESCANS	3	/* by kmemleak, when it has found something */
#define DENSE_PAGES	64	/* points of pages, all of which are tried */
#define RETRY_EVERY	16	/* FAULT_REBINDS */
#define DEBUG		"/sys/kernel/debug/"
#define DRI		DEBUG "dri/0/"

/* Which allocations fail. */
enum kind { SLABS, PAGES, NUM_KINDS };

/* How often a point is tried: see above. */
static const unsigned int tries[NUM_KINDS] = { [SLABS] = 1, [PAGES] = 2 };

static struct {
	int nth;			/* /proc/thread-self/fail-nth */
	bool verbose;
	unsigned int step;		/* FAULT_REBINDS: each step-th point only */
	unsigned int points, failed, absorbed, paths;
	unsigned int objects;		/* that the driver has with no file open */
	const struct fault_path *table;	/* that is being run */
	struct fx fx;
} state;

/* What counts as a point, and may fail. User copies always do. */
static void set_kind(enum kind kind)
{
	/* No allocation is that large. */
	it_write_file(DEBUG "fail_page_alloc/min-order", kind == PAGES ? "0" : "30");
	/* Most allocations may wait. */
	it_write_file(DEBUG "failslab/ignore-gfp-wait", kind == PAGES ? "Y" : "N");
}

static bool set_up(void)
{
	static const char * const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	static const char * const settings[][2] = {
		{ "ignore-gfp-wait", "N" }, { "ignore-gfp-highmem", "N" }, { "cache-filter", "Y" },
		{ "task-filter", "N" }, { "probability", "0" }, { "times", "-1" },
	};
	char flagged = '0';
	int fd;
	char file[128];

	for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++) {
		snprintf(file, sizeof(file), DEBUG "%s/verbose", kinds[k]);
		if (it_write_file(file, state.verbose ? "2" : "0"))
			return false;
		for (unsigned int s = 0; s < ARRAY_SIZE(settings); s++) {
			/* Not each kind has all of them. */
			snprintf(file, sizeof(file), DEBUG "%s/%s", kinds[k], settings[s][0]);
			if (!access(file, W_OK) && it_write_file(file, settings[s][1]))
				return false;
		}
	}
	fd = open("/sys/kernel/slab/dentry/failslab", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &flagged, 1) != 1 || flagged != '1') {
		printf("# slab caches are not flagged: boot with slub_debug=A;...\n");
		return false;
	}
	close(fd);
	state.nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return state.nth >= 0;
}

/* The copy of the number may be what fails. */
static void set_nth(unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	for (int try = 0; try < 3; try++)
		if (pwrite(state.nth, text, length, 0) == length)
			return;
	perror("fail-nth");
	exit(2);
}

/* Return: the failure took place. Reading the counter copies to user memory, and so uses up a failure that is left. */
static bool disarm(void)
{
	char text[16] = "";
	ssize_t n = pread(state.nth, text, sizeof(text) - 1, 0);
	bool injected = n > 0 && !strtoul(text, NULL, 0);

	set_nth(0);
	return injected;
}

static int lowest_fd(void)
{
	int fd = dup(0);

	if (fd >= 0)
		close(fd);
	return fd;
}

static unsigned int objects(void)
{
	char text[64] = "";
	int fd = open(DRI "i915_gem_objects", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? strtoul(text, NULL, 0) : 0;
}

/*
 * Objects that the driver has when all that waits for being freed is freed: as many as expected, or the same again and
 * again; what holds an object may itself wait for a worker.
 */
static unsigned int settled_objects(unsigned int expected)
{
	unsigned int n = 0, same = 0, last, often = expected ? 200 : 10;

	for (int try = 0; try < 5000 && same < often; try++) {
		it_write_file(DRI "i915_gem_drop_caches", "0x3ff");
		last = n;
		n = objects();
		if (n <= expected)
			break;
		same = n == last ? same + 1 : 0;
		usleep(20000);
	}
	return n;
}

int fault_ioctl(struct fx *fx)
{
	fx->used = fx->arg;
	return ioctl(fx->fd, fx->request, &fx->used) ? -errno : 0;
}

void fault_must(struct fx *fx, unsigned long request, void *arg)
{
	int ret = it_ioctl(fx->fd, request, arg);

	it_expect(!ret, "preparing: ioctl %lx: error %d", request, ret);
}

void fault_expect_handle(struct fx *fx, uint32_t handle)
{
	/* A handle that was made before its number could not be copied out stays until the file is closed. */
	it_expect(handle == fx->first || (fx->err == -EFAULT && handle == fx->first + 1),
		  "after error %d the next handle is %u instead of %u", fx->err, handle, fx->first);
}

int fault_keep(struct fx *fx, int fd, const char *what)
{
	it_expect(fd >= 0, "preparing: %s: error %d", what, errno);
	for (unsigned int i = 0; i < ARRAY_SIZE(fx->fds); i++) {
		if (!fx->fds[i]) {
			fx->fds[i] = fd;
			return fd;
		}
	}
	it_fail("preparing: too many descriptors");
}

int fault_sync_file(struct fx *fx)
{
	struct sw_sync_create create = { .value = 1, .name = "igen-faults" };

	if (!fx->timeline)
		fx->timeline = fault_keep(fx, open(SW_SYNC_FILE, O_RDWR | O_CLOEXEC), "sw_sync");
	it_expect(!ioctl(fx->timeline, SW_SYNC_CREATE, &create), "preparing: sw_sync fence: error %d", errno);
	return fault_keep(fx, create.fence, "sw_sync fence");
}

void fault_signal(struct fx *fx)
{
	uint32_t one = 1;

	if (fx->timeline)
		ioctl(fx->timeline, SW_SYNC_INC, &one);
	fx->timeline = 0;
}

static void release(struct fx *fx)
{
	fault_signal(fx);
	if (fx->map)
		munmap(fx->map, fx->map_size);
	if (fx->memory)
		munmap(fx->memory, fx->map_size);
	free(fx->many);
	for (unsigned int i = 0; i < ARRAY_SIZE(fx->fds); i++)
		if (fx->fds[i] > 0)
			close(fx->fds[i]);
}

static void end_attempt(struct fx *fx)
{
	release(fx);
	if (fx->dev)
		it_close(fx->dev);
	memset(fx, 0, sizeof(*fx));
}

static bool right_error(const struct fault_path *p, int err)
{
	return !(p->flags & FAULT_NO_FAIL) && (err == -ENOMEM || err == -EFAULT || (p->also && err == -p->also));
}

/* The call with its N-th point failing. Return: there was an N-th point. */
static bool attempt(const struct fault_path *p, unsigned int n, struct fx *fx)
{
	bool injected;
	int ret, free_fd;

	memset(fx, 0, sizeof(*fx));
	fx->path = p;
	fx->fd = -1;
	fx->first = 1;
	if (!(p->flags & FAULT_NO_DEVICE)) {
		fx->dev = it_open();
		fx->fd = fx->dev->fd;
	}
	if (p->prepare)
		p->prepare(fx);

	free_fd = lowest_fd();
	set_nth(n);
	ret = p->op(fx);
	injected = disarm();

	if (state.verbose && injected)
		it_note("%s point %u: %d", p->name, n, ret);
	if (!injected) {
		it_expect(!ret, "without a failure: error %d", ret);
		fx->injected = false;
		if (p->check)
			p->check(fx);
		end_attempt(fx);
		return false;
	}

	state.points++;
	fx->injected = true;
	fx->err = ret;
	if (ret) {
		state.failed++;
		it_expect(right_error(p, ret), "point %u: error %d is not right for a failed allocation or copy", n,
			  ret);
		if (lowest_fd() != free_fd) {
			it_expect(ret == -EFAULT && p->flags & FAULT_COPY_OUT,
				  "point %u: error %d left a descriptor", n, ret);
			close(free_fd);
		}
		if (p->failed)
			p->failed(fx);
		if (p->flags & FAULT_REBINDS && n / state.step % RETRY_EVERY) {
			end_attempt(fx);
			return true;
		}
		fx->injected = false;
		ret = p->op(fx);
		if (p->again && ret == -p->again && fx->err == -EFAULT)
			ret = 0;
		it_expect(!ret, "point %u: after error %d the same call fails with %d", n, fx->err, ret);
	} else {
		state.absorbed++;
	}
	if (p->check)
		p->check(fx);
	end_attempt(fx);
	return true;
}

/*
 * An object whose memory has no huge page takes a page of 4 KB a thousand times, from one line of the kernel's: behind
 * the first points of pages the distance grows with them.
 */
static unsigned int next_point(unsigned int n, unsigned int step, enum kind kind)
{
	unsigned int far = kind == PAGES && n > DENSE_PAGES ? n / 16 : 1;

	return n + (step > far ? step : far);
}

/* Return: how many points the path has; beyond the dense ones up to a sixteenth too many. */
static unsigned int enumerate(const struct fault_path *p, enum kind kind)
{
	unsigned int n, again, step = p->flags & FAULT_REBINDS ? state.step : 1;

	set_kind(kind);
	for (n = 1; attempt(p, n, &state.fx); n = next_point(n, step, kind)) {
		it_expect(n < MAX_POINTS, "more than %u points", n);
		for (again = 1; again < tries[kind] && step == 1; again++)
			attempt(p, n, &state.fx);
	}
	return n - 1;
}

static void subtest(unsigned int arg)
{
	unsigned int slabs, pages, now, failed = state.failed;
	const struct fault_path *p = &state.table[arg];

	slabs = enumerate(p, SLABS);
	pages = enumerate(p, PAGES);
	state.paths++;
	it_note("points %s: %u of slabs and copies, %u of pages; the call failed %u times", p->name, slabs, pages,
		state.failed - failed);
	if (p->flags & FAULT_REBINDS && state.step > 1)
		it_note("points %s: each %uth of them was tried", p->name, state.step);
	it_expect(slabs || p->flags & FAULT_NO_FAIL, "nothing to fail: the injection does not work");
	if (!(p->flags & FAULT_REBINDS)) {
		now = settled_objects(state.objects);
		it_expect(now <= state.objects, "%u objects more than before", now - state.objects);
	}
}

void fault_run(const struct fault_path *paths, unsigned int n)
{
	state.table = paths;
	for (unsigned int i = 0; i < n; i++) {
		it_subtest(subtest, i, "%s", paths[i].name);
		set_nth(0);
		if (state.fx.path) {
			/* The previous path failed midway; its file is closed already. */
			release(&state.fx);
			memset(&state.fx, 0, sizeof(state.fx));
			state.objects = settled_objects(0);
		}
	}
}

/* Kilobytes of memory that are free or of a use that the kernel accounts for. The rest are pages of drivers. */
static long accounted(void)
{
	static const char * const uses[] = {
		"MemFree", "Active", "Inactive", "Unevictable", "Slab", "KernelStack", "PageTables", "VmallocUsed",
		"Percpu",
	};
	char line[128], name[64];
	long sum = 0, kb;
	FILE *file;

	settled_objects(0);
	it_write_file("/proc/sys/vm/drop_caches", "3");
	/* Gives back what each processor keeps of free pages. */
	it_write_file("/proc/sys/vm/compact_memory", "1");
	file = fopen("/proc/meminfo", "re");
	it_expect(file, "no /proc/meminfo");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63[^:]: %ld", name, &kb) != 2)
			continue;
		for (unsigned int i = 0; i < ARRAY_SIZE(uses); i++)
			if (!strcmp(name, uses[i]))
				sum += kb;
	}
	fclose(file);
	return sum;
}

/*
 * Pages are nothing that kmemleak looks at. A path that takes many of them is gone through again and again: what each
 * of its failures left behind would sum up, each time. The debugging aids keep memory as well, for each way to an
 * allocation that they have not seen before, less from time to time: in the first rounds that is far more than what is
 * looked for.
 */
static void pages(unsigned int limit_kb)
{
	long before, lost = 0;

	enumerate(fault_page_path(), PAGES);
	before = accounted();
	for (unsigned int round = 0; round < MAX_ROUNDS; round++) {
		unsigned int n = enumerate(fault_page_path(), PAGES);
		long after = accounted();

		lost = before - after;
		before = after;
		it_note("%ld kB less memory after %u points", lost, n);
		if (lost < (long)limit_kb)
			break;
	}
	it_expect(lost < (long)limit_kb, "%ld kB of memory are lost", lost);
}

static void scan_for_leaks(void)
{
	sleep(6);
	it_expect(!it_write_file(DEBUG "kmemleak", "scan"), "kmemleak does not scan: error %d", errno);
}

/* What nothing pointed at in the last scan; the length of the text. */
static size_t read_leaks(char *text, size_t size)
{
	int fd = open(DEBUG "kmemleak", O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t n;

	it_expect(fd >= 0, "no kmemleak: error %d", errno);
	while (length < size - 1 && (n = read(fd, text + length, size - 1 - length)) > 0)
		length += n;
	close(fd);
	text[length] = 0;
	return length;
}

/*
 * kmemleak tells of objects when nothing has pointed at them in a scan, and they are some seconds old. A scan can miss
 * a pointer that moves meanwhile. A leak is there in later scans, too.
 */
static void leaks(unsigned int scans)
{
	static char text[65536];
	size_t length;

	for (unsigned int scan = 0; scan < scans; scan++)
		scan_for_leaks();
	length = read_leaks(text, sizeof(text));
	for (unsigned int again = 0; length && again < MAX_RESCANS; again++) {
		scan_for_leaks();
		length = read_leaks(text, sizeof(text));
	}
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		it_note("%s", line);
	it_expect(!length, "kmemleak has found something");
}

/*
 * The C library registers rseq, into which the kernel writes whenever it has preempted the program. After a fork() that
 * write takes a page: where it fails the program gets a SIGSEGV, for a point that is none of the path's. There is no
 * such area in a program that is started with the tunable.
 */
static void without_rseq(char **argv)
{
	static const char tunable[] = "glibc.pthread.rseq=0";

	if (getenv("GLIBC_TUNABLES") && strstr(getenv("GLIBC_TUNABLES"), tunable))
		return;
	setenv("GLIBC_TUNABLES", tunable, 1);
	execv("/proc/self/exe", argv);
	perror("/proc/self/exe");
}

int main(int argc, char **argv)
{
	without_rseq(argv);
	state.verbose = getenv("FAULTS_VERBOSE");
	state.step = getenv("FAULTS_STEP") ? it_number("FAULTS_STEP", getenv("FAULTS_STEP"), 1, UINT_MAX) : 1;
	it_init(argc, argv);
	if (!set_up()) {
		printf("skip everything: this kernel injects no failures (FAULT_INJECTION), or this is not root\n");
		return IT_SKIPPED;
	}
	/* A page fault of the program itself is no point of any path. */
	if (mlockall(MCL_CURRENT))
		perror("mlockall");
	it_write_file(DEBUG "kmemleak", "clear");
	state.objects = settled_objects(0);

	faults_file();
	faults_mem();
	faults_mmap();
	faults_context();
	faults_exec();
	it_subtest(pages, MAX_LOST_KB, "no-pages-lost");
	it_subtest(leaks, 2, "no-leaks");
	faults_device();
	it_subtest(leaks, 2, "no-leaks-of-devices");

	it_note("attempts in total: %u in %u paths, the call failed %u times, the failure was absorbed %u times",
		state.points, state.paths, state.failed, state.absorbed);
	return it_exit();
}
