// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of what is the shim's own
 *
 * Run under igen-shim. What a driver does as well is in igt-tests/igen-smoke, which runs under the shim, too. Here is
 * what programs see of a device that does not exist: descriptors, mappings, fork, faults, fences, and which batches the
 * command parser refuses.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/sync_file.h>

#include <drm.h>
#include <i915_drm.h>

#define STORE_DWORD	0x10000002u	/* MI_STORE_DATA_IMM: address, value */
#define LOAD_REGISTER	0x11000001u	/* MI_LOAD_REGISTER_IMM: register, value */
#define STORE_REGISTER	0x12000001u	/* MI_STORE_REGISTER_MEM of Gen6 and Gen7: register, address */
#define BATCH_END	0x05000000u
#define ARB_OFF		0x04000000u	/* MI_ARB_ON_OFF: no batch may use it */
#define BATCH_START	0x18800100u	/* in the process's space; with 1 more it has an address of two dwords */
#define TARGET		0x400000ull
#define BATCH		0x800000ull
#define NOWHERE		0x7000000ull
#define LARGE_AT	0x10000000ull	/* where objects that fill the global GTT are, one at a time */
#define LARGE_BYTES	(300ull << 20)
#define LARGE_OBJECTS	4		/* together more than the global GTT has */
#define LONG_DWORDS	40960u		/* a batch of whole pages that is longer than the first copy's room */
#define L3CNTLREG2	0xb020u
#define IA_VERTICES	0x2310u
#define HWS_PGA		0x4080u

static unsigned int passed, failed;
static bool old;		/* addresses have a dword, in front of which another is reserved */
static bool parsed;		/* Sandy Bridge: a batch that the command parser refuses does not run */

static void check(bool ok, const char *what)
{
	passed += ok;
	failed += !ok;
	printf("%s %s\n", ok ? "ok" : "not ok", what);
}

static int device(void)
{
	return open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
}

static int call(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? -errno : 0;
}

static uint32_t create(int fd, uint64_t size)
{
	struct drm_i915_gem_create c = { .size = size };

	return call(fd, DRM_IOCTL_I915_GEM_CREATE, &c) ? 0 : c.handle;
}

static void *map(int fd, uint32_t handle, uint64_t size)
{
	struct drm_i915_gem_mmap_offset m = { .handle = handle, .flags = I915_MMAP_OFFSET_WB };

	if (call(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &m))
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)m.offset);
}

static int destroy(int fd, uint32_t handle)
{
	struct drm_gem_close c = { .handle = handle };

	return call(fd, DRM_IOCTL_GEM_CLOSE, &c);
}

/* A batch that is pinned at BATCH. */
struct run {
	uint32_t ctx;
	uint32_t target;		/* an object that is pinned as well; 0: the batch alone */
	uint64_t at, target_flags;
	const uint32_t *dw;
	size_t bytes;
	bool unsaid;			/* the call does not say how long the batch is */
	uint64_t flags;
};

static int run(int fd, const struct run *r, int *fence)
{
	struct drm_i915_gem_exec_object2 objects[2] = {
		{ .handle = r->target, .offset = r->at, .flags = EXEC_OBJECT_PINNED | r->target_flags },
		{ .handle = create(fd, r->bytes), .offset = BATCH, .flags = EXEC_OBJECT_PINNED },
	};
	struct drm_i915_gem_execbuffer2 e = {
		.buffers_ptr = (uintptr_t)(r->target ? objects : objects + 1), .buffer_count = r->target ? 2 : 1,
		.batch_len = r->unsaid ? 0 : (uint32_t)r->bytes, .rsvd1 = r->ctx, .flags = r->flags,
	};
	struct drm_i915_gem_pwrite w = { .handle = objects[1].handle, .size = r->bytes, .data_ptr = (uintptr_t)r->dw };
	int err = call(fd, DRM_IOCTL_I915_GEM_PWRITE, &w);

	if (!err)
		err = call(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &e);
	if (fence)
		*fence = (int)(e.rsvd2 >> 32);
	destroy(fd, objects[1].handle);
	return err;
}

/* target 0: the batch alone. */
static int execute(int fd, uint32_t ctx, uint32_t target, const uint32_t *dw, size_t bytes, uint64_t flags, int *fence)
{
	const struct run r = {
		.ctx = ctx, .target = target, .at = TARGET, .target_flags = EXEC_OBJECT_WRITE,
		.dw = dw, .bytes = bytes, .flags = flags,
	};

	return run(fd, &r, fence);
}

static int store(int fd, uint32_t ctx, uint32_t target, uint64_t addr, uint32_t value)
{
	const uint32_t batch[] = {
		STORE_DWORD, old ? 0 : (uint32_t)addr, old ? (uint32_t)addr : 0, value, BATCH_END, 0
	};

	return execute(fd, ctx, target, batch, sizeof(batch), 0, NULL);
}

static uint32_t context(int fd)
{
	struct drm_i915_gem_context_create c = { 0 };

	return call(fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &c) ? 0 : c.ctx_id;
}

static void test_nodes(void)
{
	char text[64] = "", link[64] = "", *real = realpath("/sys/dev/char/226:128/device", NULL);
	bool render = false;
	struct dirent *e;
	struct stat st;
	DIR *dir;
	FILE *f;

	check(!stat("/dev/dri/renderD128", &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(226, 128),
	      "nodes/stat");
	check(real && !strcmp(real, "/sys/devices/pci0000:00/0000:00:02.0"), "nodes/realpath");
	free(real);
	f = fopen("/sys/dev/char/226:128/device/vendor", "r");
	check(f && fgets(text, sizeof(text), f) && !strcmp(text, "0x8086\n"), "nodes/file");
	if (f)
		fclose(f);
	check(readlink("/sys/class/drm/renderD128/device/subsystem", link, sizeof(link) - 1) > 0 &&
	      strstr(link, "/bus/pci"), "nodes/link");
	dir = opendir("/dev/dri");
	while (dir && (e = readdir(dir)))
		render |= !strcmp(e->d_name, "renderD128");
	check(render && !closedir(dir), "nodes/folder");
	check(access("/dev/dri/renderD129", F_OK) && errno == ENOENT, "nodes/absent");
	check(!access("/dev/null", W_OK) && open("/dev/dri/card7", O_RDWR) < 0 && errno == ENOENT, "nodes/others");
}

static void test_descriptors(void)
{
	struct drm_version v = { 0 };
	int fd = device(), copy = dup(fd), null = open("/dev/null", O_RDWR);
	struct stat st;

	check(fd >= 0 && !fstat(fd, &st) && S_ISCHR(st.st_mode) && minor(st.st_rdev) == 128, "descriptors/fstat");
	close(fd);
	check(!call(copy, DRM_IOCTL_VERSION, &v), "descriptors/dup");
	check(dup2(null, copy) == copy && call(copy, DRM_IOCTL_VERSION, &v) == -ENOTTY, "descriptors/dup2-over");
	check(call(fd, DRM_IOCTL_VERSION, &v) == -EBADF, "descriptors/closed");
	close(copy);
	close(null);
}

static void test_ioctls(void)
{
	struct drm_i915_getparam bad = { .param = I915_PARAM_CHIPSET_ID, .value = (int *)8 };
	char zeros[64] = "";
	int fd = device();

	check(call(fd, DRM_IO(DRM_COMMAND_BASE + 0x3f), NULL) == -EINVAL, "ioctls/unknown");
	check(call(fd, DRM_IOCTL_VERSION, NULL) == -EFAULT, "ioctls/no-argument");
	check(call(fd, DRM_IOCTL_I915_GETPARAM, &bad) == -EFAULT, "ioctls/bad-pointer");
	check(call(fd, DRM_IOCTL_MODE_GETRESOURCES, zeros) == -EACCES, "ioctls/no-display");
	check(call(fd, TCGETS, zeros) == -ENOTTY, "ioctls/not-drm");
	close(fd);
}

static void test_mappings(void)
{
	int fd = device();
	uint32_t handle = create(fd, 8192), other;
	uint32_t *a = map(fd, handle, 8192), *b = map(fd, handle, 4096), *c;

	check(a != MAP_FAILED && b != MAP_FAILED && a != b, "mappings/two");
	a[7] = 77;
	check(b[7] == 77, "mappings/same-memory");
	destroy(fd, handle);
	other = create(fd, 8192);
	c = map(fd, other, 8192);
	a[8] = 88;
	check(a[7] == 77 && b[8] == 88 && c[7] == 0 && c[8] == 0, "mappings/outlive-the-handle");
	munmap(a, 4096);
	a[1025] = 99;
	munmap(a + 1024, 4096);
	munmap(b, 4096);
	handle = create(fd, 8192);
	a = map(fd, handle, 8192);
	check(a[7] == 0 && a[1025] == 0, "mappings/new-objects-are-zeros");
	close(fd);
}

static bool is_zero(const uint8_t *bytes, uint64_t size)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, size - 1);
}

/* The memory of a freed object has nothing of it for the next one, to the last byte; small and large ones differ. */
static void test_reuse(void)
{
	static const uint64_t sizes[] = { 4096, 256 << 10, (256 << 10) + 4096, 4 << 20 };
	int fd = device();
	bool all = true;
	unsigned int i;

	for (i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t size = sizes[i / 2];
		uint32_t handle = create(fd, size);
		uint8_t *bytes = map(fd, handle, size);

		all = all && bytes != MAP_FAILED && is_zero(bytes, size);
		if (!all)
			break;
		memset(bytes, 0xa5, size);
		munmap(bytes, size);
		destroy(fd, handle);
	}
	check(all, "mappings/freed-memory-is-cleared");
	close(fd);
}

static void test_userptr(void)
{
	static uint32_t memory[2048] __attribute__((aligned(4096)));
	struct drm_i915_gem_userptr u = { .user_ptr = (uintptr_t)memory, .user_size = 4096 };
	void *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = device();

	check(!call(fd, DRM_IOCTL_I915_GEM_USERPTR, &u) && !store(fd, 0, u.handle, TARGET + 12, 0x1234) &&
	      memory[3] == 0x1234, "userptr/store");
	u.user_ptr = (uintptr_t)gone;
	check(!call(fd, DRM_IOCTL_I915_GEM_USERPTR, &u) && !munmap(gone, 4096) &&
	      store(fd, 0, u.handle, TARGET, 1) == -EFAULT, "userptr/unmapped");
	close(fd);
}

static void test_prime(void)
{
	int fd = device(), other = device();
	uint32_t handle = create(fd, 8192), *cpu;
	struct drm_prime_handle p = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };

	check(!call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p) && lseek(p.fd, 0, SEEK_END) == 8192, "prime/export");
	cpu = mmap(NULL, 8192, PROT_READ, MAP_SHARED, p.fd, 0);
	check(!call(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p) && !store(other, 0, p.handle, TARGET + 4, 0xabc),
	      "prime/import");
	destroy(fd, handle);
	check(cpu != MAP_FAILED && cpu[1] == 0xabc, "prime/mapping");
	p.fd = 0;
	check(call(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p) == -EINVAL, "prime/foreign");
	close(fd);
	close(other);
}

static void test_fences(void)
{
	const uint32_t batch[] = { BATCH_END, 0 };
	struct sync_file_info info = { 0 };
	struct drm_syncobj_create c = { 0 };
	struct drm_syncobj_handle h = { .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE };
	struct drm_syncobj_wait w = { .handles = (uintptr_t)&c.handle, .count_handles = 1 };
	struct sync_merge_data merge = { .name = "both" };
	int fd = device(), fence = -1;
	struct pollfd p;

	check(!execute(fd, 0, 0, batch, sizeof(batch), I915_EXEC_FENCE_OUT, &fence) && fence > 0, "fences/out");
	p = (struct pollfd){ .fd = fence, .events = POLLIN };
	check(poll(&p, 1, 0) == 1 && p.revents == POLLIN, "fences/poll");
	check(!call(fence, SYNC_IOC_FILE_INFO, &info) && info.status == 1, "fences/info");
	merge.fd2 = fence;
	check(!call(fence, SYNC_IOC_MERGE, &merge) && merge.fence >= 0, "fences/merge");
	check(!call(fd, DRM_IOCTL_SYNCOBJ_CREATE, &c) && call(fd, DRM_IOCTL_SYNCOBJ_WAIT, &w) == -EINVAL,
	      "fences/none-yet");
	w.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
	check(call(fd, DRM_IOCTL_SYNCOBJ_WAIT, &w) == -ETIME, "fences/time-over");
	h.handle = c.handle;
	h.fd = merge.fence;
	check(!call(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h) && !call(fd, DRM_IOCTL_SYNCOBJ_WAIT, &w), "fences/import");
	close(merge.fence);
	close(fence);
	close(fd);
}

/* The command parser lets no store lead there: the blitter fills 16 bytes. */
static int store_nowhere(int fd, uint32_t ctx, uint32_t target)
{
	const uint32_t fill[] = {
		0x54300004u, 0xf0u << 16 | 3u << 24 | 16, 0, 1u << 16 | 4, (uint32_t)NOWHERE, 1, BATCH_END, 0
	};

	return parsed ? execute(fd, ctx, target, fill, sizeof(fill), I915_EXEC_BLT, NULL) :
			store(fd, ctx, target, NOWHERE, 1);
}

static void test_faults(void)
{
	const uint32_t bad[] = { 0xc0000000u, BATCH_END };
	struct drm_i915_reset_stats stats = { 0 };
	int fd = device();
	uint32_t target = create(fd, 4096);
	const struct run unknown = { .ctx = context(fd), .dw = bad, .bytes = sizeof(bad), .unsaid = true };

	stats.ctx_id = context(fd);
	check(store_nowhere(fd, stats.ctx_id, target) == -EIO, "faults/unbound-address");
	check(store(fd, stats.ctx_id, target, TARGET, 1) == -EIO, "faults/context-is-lost");
	check(!call(fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats) && stats.batch_active == 1, "faults/reset-stats");
	check(run(fd, &unknown, NULL) == (parsed ? -EINVAL : -EIO), "faults/unknown-command");
	check(!store(fd, 0, target, TARGET, 1), "faults/others-go-on");
	close(fd);
}

static int get_param(int fd, int param)
{
	int value = -1;
	struct drm_i915_getparam gp = { .param = param, .value = &value };

	return call(fd, DRM_IOCTL_I915_GETPARAM, &gp) ? -1 : value;
}

/* Writes a register, and stores what is in it then at TARGET; @also is a register that no batch may write, or 0. */
static int load_register(int fd, uint32_t target, uint32_t value, uint32_t also, bool unsaid)
{
	uint32_t reg = parsed ? IA_VERTICES : L3CNTLREG2;
	const uint32_t batch[] = {
		LOAD_REGISTER, reg, value, also ? LOAD_REGISTER : 0, also, 0, STORE_REGISTER, reg, (uint32_t)TARGET,
		BATCH_END,
	};
	const struct run r = {
		.target = target, .at = TARGET, .target_flags = EXEC_OBJECT_WRITE, .dw = batch, .bytes = sizeof(batch),
		.unsaid = unsaid,
	};

	return run(fd, &r, NULL);
}

/*
 * Ivy Bridge runs without privilege what it may not check, or what the parser does not allow. On Sandy Bridge the copy
 * lacks what accesses a register that is not allowed.
 */
static void test_privilege(int fd, uint32_t target, const uint32_t *cpu)
{
	check(!load_register(fd, target, 0x40, 0, false) && cpu[0] == 0x40, "parser/register");
	check(!load_register(fd, target, 0x80, 0, true) && cpu[0] == (parsed ? 0x80 : 0x40), "parser/length-unsaid");
	check(!load_register(fd, target, 0x40, 0, false) && cpu[0] == 0x40, "parser/register-again");
	check(!load_register(fd, target, 0x80, HWS_PGA, false) && cpu[0] == (parsed ? 0x80 : 0x40),
	      "parser/forbidden-register");
	check(!load_register(fd, target, 0x80, 0, false) && cpu[0] == 0x80, "parser/register-behind-forbidden");
}

/* All of a long batch is checked and runs; and a short one behind it ends where it ends. */
static void test_long_batch(int fd, uint32_t target, uint32_t *cpu)
{
	uint32_t *dw = calloc(LONG_DWORDS, sizeof(*dw)), *end = dw + LONG_DWORDS - 8;
	const uint32_t reg = parsed ? IA_VERTICES : L3CNTLREG2;
	const uint32_t tail[] = { LOAD_REGISTER, reg, 0xc0, STORE_REGISTER, reg, (uint32_t)TARGET, BATCH_END, 0 };
	const uint32_t arbitration[] = { ARB_OFF, 0, 0 };

	memcpy(end, tail, sizeof(tail));
	cpu[0] = 0;
	check(!execute(fd, 0, target, dw, LONG_DWORDS * sizeof(*dw), 0, NULL) && cpu[0] == 0xc0, "parser/long-batch");
	if (parsed)
		memcpy(end, arbitration, sizeof(arbitration));
	else
		end[1] = HWS_PGA;
	cpu[0] = 0;
	check(execute(fd, 0, target, dw, LONG_DWORDS * sizeof(*dw), 0, NULL) == (parsed ? -EACCES : 0) &&
	      cpu[0] == (parsed ? 0 : 0xc0), "parser/long-batch-is-checked-to-its-end");
	check(!load_register(fd, target, 0x40, 0, false) && cpu[0] == 0x40, "parser/short-batch-behind-long");
	free(dw);
}

/* Objects that are stored to are in the global GTT of Sandy Bridge: these are more than it has room for. */
static void test_large_objects(int fd)
{
	uint32_t bos[LARGE_OBJECTS], *cpu[LARGE_OBJECTS];
	const uint32_t batch[] = { STORE_DWORD, 0, (uint32_t)LARGE_AT + 8, 7, BATCH_END, 0 };
	struct run r = { .at = LARGE_AT, .target_flags = EXEC_OBJECT_WRITE, .dw = batch, .bytes = sizeof(batch) };
	unsigned int good = 0;

	for (unsigned int i = 0; i < 2 * LARGE_OBJECTS; i++) {
		unsigned int k = i % LARGE_OBJECTS;

		if (i == k) {
			bos[k] = create(fd, LARGE_BYTES);
			cpu[k] = map(fd, bos[k], 4096);
		}
		r.target = bos[k];
		cpu[k][2] = 0;
		good += !run(fd, &r, NULL) && cpu[k][2] == 7;
	}
	check(good == 2 * LARGE_OBJECTS, "parser/objects-leave-the-gtt");
	for (unsigned int k = 0; k < LARGE_OBJECTS; k++)
		destroy(fd, bos[k]);
}

/* An object of another submission is bound, and still no store of this batch leads there. */
static void test_foreign_store(int fd, uint32_t target)
{
	const uint32_t batch[] = { STORE_DWORD, 0, (uint32_t)LARGE_AT, 7, BATCH_END, 0 };
	uint32_t other = create(fd, 4096), *cpu = map(fd, other, 4096);
	const struct run r = {
		.target = other, .at = LARGE_AT, .target_flags = EXEC_OBJECT_WRITE, .dw = batch, .bytes = sizeof(batch),
	};

	check(!run(fd, &r, NULL) && cpu[0] == 7, "parser/own-store");
	cpu[0] = 0;
	check(execute(fd, 0, target, batch, sizeof(batch), 0, NULL) == -EACCES && !cpu[0], "parser/foreign-store");
}

static void test_parser(void)
{
	int fd = device();
	uint32_t target = create(fd, 4096), *cpu = map(fd, target, 4096);
	const uint32_t nothing[] = { BATCH_END, 0 };
	const struct run global = {
		.target = target, .at = TARGET, .target_flags = EXEC_OBJECT_NEEDS_GTT, .dw = nothing,
		.bytes = sizeof(nothing),
	};

	check(run(fd, &global, NULL) == (parsed ? 0 : -EINVAL), "parser/object-in-gtt");
	check(get_param(fd, I915_PARAM_CMD_PARSER_VERSION) == (parsed ? 0 : 10), "parser/version");
	check(get_param(fd, I915_PARAM_HAS_ALIASING_PPGTT) == (parsed ? 1 : 2), "parser/page-tables");
	if (old) {
		test_privilege(fd, target, cpu);
		test_long_batch(fd, target, cpu);
		test_large_objects(fd);
	}
	if (parsed)
		test_foreign_store(fd, target);
	close(fd);
}

/* By itself, with a short time for a batch: other batches may take longer than that on a busy host. */
static void test_endless(void)
{
	const uint32_t endless[] = { BATCH_START + !old, (uint32_t)BATCH, 0, BATCH_END };
	int fd = device();
	uint32_t target = create(fd, 4096), *cpu = map(fd, target, 4096);
	unsigned int tries = 0;

	check(execute(fd, context(fd), 0, endless, sizeof(endless), 0, NULL) == -EIO, "faults/endless");
	while (store(fd, context(fd), target, TARGET, 1) && tries++ < 20)
		;
	check(cpu[0] == 1, "faults/others-go-on-behind-endless");
	close(fd);
}

/* The child has the device as the parent had it, and what it does there is its own. */
static void test_fork(void)
{
	int fd = device(), status = -1;
	uint32_t target = create(fd, 4096), *cpu = map(fd, target, 4096);
	pid_t child;

	check(!store(fd, 0, target, TARGET, 1) && cpu[0] == 1, "fork/before");
	fflush(stdout);
	child = fork();
	if (!child) {
		uint32_t own = create(fd, 4096), *mine = map(fd, own, 4096);

		_exit(store(fd, 0, target, TARGET + 4, 2) || store(fd, 0, own, TARGET, 3) || mine[0] != 3);
	}
	check(child > 0 && waitpid(child, &status, 0) == child && !status, "fork/child-executes");
	check(cpu[1] == 2, "fork/objects-are-shared");
	check(!store(fd, 0, target, TARGET + 8, 4) && cpu[2] == 4, "fork/parent-goes-on");
	close(fd);
}

static void learn_generation(void)
{
	int id = 0, fd = device();
	struct drm_i915_getparam gp = { .param = I915_PARAM_CHIPSET_ID, .value = &id };

	check(!call(fd, DRM_IOCTL_I915_GETPARAM, &gp) && id, "device");
	/* Ivy Bridge and Sandy Bridge. */
	old = id < 0x200;
	parsed = id < 0x130;
	close(fd);
}

/* With an argument: the test of a batch that does not end, alone. */
/* With a memory that is not the machine's, all ways to ask for it give that. */
static void test_memory_size(void)
{
	const char *mb = getenv("IGEN_SHIM_MEMORY_MB");
	uint64_t bytes = mb ? strtoull(mb, NULL, 10) << 20 : 0;
	struct sysinfo info;

	if (!mb)
		return;
	check((uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) == bytes, "memory-size/sysconf");
	check(!sysinfo(&info) && (uint64_t)info.totalram * info.mem_unit == bytes && info.freeram <= info.totalram,
	      "memory-size/sysinfo");
}

int main(int argc, char **argv)
{
	(void)argv;
	learn_generation();
	if (argc > 1) {
		test_endless();
		printf("%u passed, %u failed, 0 skipped\n", passed, failed);
		return failed != 0;
	}
	test_memory_size();
	test_nodes();
	test_descriptors();
	test_ioctls();
	test_mappings();
	test_reuse();
	test_userptr();
	test_prime();
	test_fences();
	test_faults();
	test_parser();
	test_fork();
	printf("%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
