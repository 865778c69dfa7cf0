// SPDX-License-Identifier: MIT
/*
 * DOC: igen-unbind
 *
 * A client that has one of everything when its device goes: contexts and address spaces, objects bound, mapped and
 * shared both ways, user memory, a batch that does not end, and one that waits for others. It unbinds the device
 * itself, which therefore has to return while all that is open. Then batches have failed, calls say that there is no
 * device, memory is memory, also where it had no page yet, and the device comes back while the old one is held;
 * closing leaves the new one alone. In a kernel with DMA-API debugging it is the kernel that tells whether anything
 * stayed mapped for the device: "device driver has pending DMA allocations".
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <linux/userfaultfd.h>

#include "lib/call.h"
#include "lib/it.h"
#include "lib/sw_sync.h"

#define DEVICE		"0000:00:02.0"
#define DRIVER		"/sys/bus/pci/drivers/igen/"
#define FENCE_TIMEOUT	"/sys/kernel/debug/dri/0/i915_params/fence_timeout_ms"
#define SIZE		(64u << 10)
#define MAGIC		0x6f70656e
#define MAX_TRIES	40
#define NODES		64		/* minor numbers of a kind of nodes */
#define SOON_MS		30000		/* a hundred times what an unbind takes */

static sigjmp_buf bus_error;

struct held {
	struct it_dev *dev;
	uint32_t ctx;
	struct it_bo *bo;		/* bound and written by the GPU */
	struct it_bo *fresh;		/* mapped, without a page */
	uint32_t *aperture;		/* a tiled object's mapping */
	uint32_t *user;			/* memory below a userptr */
	struct it_bo user_bo;
	int vgem;			/* the other driver */
	uint32_t *vgem_map;		/* its buffer, of which we have an import */
	struct it_bo import;
	uint32_t *import_map;
	int other;			/* a file that has imported the buffer, too */
	uint32_t other_import;
	int exported;			/* bo as a dma-buf, which vgem has */
	int spinning, waiting;		/* fences of the batches */
	int timeline;
};

static void on_sigbus(int number)
{
	siglongjmp(bus_error, number);
}

static void must(int fd, unsigned long request, void *arg, const char *what)
{
	int ret = it_ioctl(fd, request, arg);

	it_expect(!ret, "%s: error %d", what, ret);
}

static void *map_at(int fd, uint64_t offset, const char *what)
{
	void *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	it_expect(map != MAP_FAILED, "mapping %s: error %d", what, errno);
	return map;
}

static void *map_object(struct it_dev *dev, uint32_t handle, uint64_t flags, const char *what)
{
	struct drm_i915_gem_mmap_offset arg = { .handle = handle, .flags = flags };

	must(dev->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &arg, what);
	return map_at(dev->fd, arg.offset, what);
}

/* Has the GPU write to an object in the file's own context, and waits. */
static void store(struct held *h, struct it_bo *bo)
{
	struct it_batch b = it_batch(h->dev, 4096);

	it_emit_store(&b, bo->address, MAGIC);
	it_emit_end(&b);
	it_run_wait(h->dev, h->ctx, 0, &b, &bo, 1);
}

/* A batch that names an object of ours, too. */
static int submit(struct held *h, unsigned int engine, struct it_batch *b, const struct it_bo *bo, int after)
{
	struct drm_i915_gem_exec_object2 obj[] = { it_exec_object(bo, 0), it_exec_object(b->bo, 0) };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 2, .rsvd1 = h->ctx,
		.flags = engine | I915_EXEC_NO_RELOC | I915_EXEC_FENCE_OUT | (after < 0 ? 0 : I915_EXEC_FENCE_IN),
		.rsvd2 = after < 0 ? 0 : after,
	};

	must(h->dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb, "execbuf");
	return eb.rsvd2 >> 32;
}

/* A buffer of vgem's that the GPU has written, and one of ours that vgem has. */
static void hold_shared(struct held *h)
{
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR }, other = { 0 };
	struct drm_mode_map_dumb map = { 0 };

	h->vgem = it_vgem_open();
	it_expect(h->vgem >= 0, "no vgem to share with");

	prime.fd = it_vgem_buffer(h->vgem, SIZE, &map.handle);
	it_expect(prime.fd >= 0, "vgem's buffer: error %d", prime.fd);
	must(h->vgem, DRM_IOCTL_MODE_MAP_DUMB, &map, "mapping vgem's buffer");
	h->vgem_map = map_at(h->vgem, map.offset, "vgem's buffer");
	must(h->dev->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime, "importing vgem's buffer");
	other.fd = prime.fd;
	h->other = it_open_fd();
	it_expect(h->other >= 0, "no second file: error %d", errno);
	must(h->other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &other, "importing vgem's buffer in another file");
	h->other_import = other.handle;
	close(prime.fd);
	h->import = (struct it_bo){ .handle = prime.handle, .size = SIZE, .address = 1ull << 33 };
	store(h, &h->import);
	it_expect(h->vgem_map[0] == MAGIC, "the GPU did not write vgem's buffer");
	h->import_map = map_object(h->dev, prime.handle, I915_MMAP_OFFSET_GTT, "the import");
	it_expect(h->import_map[0] == MAGIC, "the import shows %x", h->import_map[0]);

	prime.handle = h->bo->handle;
	must(h->dev->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, "exporting");
	h->exported = prime.fd;
	must(h->vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime, "vgem's import");
}

static void hold_memory(struct held *h)
{
	struct drm_i915_gem_set_tiling tiling = { .tiling_mode = I915_TILING_X, .stride = 512 };
	struct drm_i915_gem_create create = { .size = SIZE };
	struct drm_i915_gem_userptr userptr = { .user_size = SIZE };

	h->bo = it_bo(h->dev, SIZE);
	store(h, h->bo);
	h->fresh = it_bo(h->dev, SIZE);

	must(h->dev->fd, DRM_IOCTL_I915_GEM_CREATE, &create, "GEM_CREATE");
	tiling.handle = create.handle;
	must(h->dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &tiling, "SET_TILING");
	h->aperture = map_object(h->dev, create.handle, I915_MMAP_OFFSET_GTT, "a tiled object");
	h->aperture[5] = MAGIC;

	h->user = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	it_expect(h->user != MAP_FAILED, "mmap: error %d", errno);
	userptr.user_ptr = (uintptr_t)h->user;
	must(h->dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &userptr, "USERPTR");
	h->user_bo = (struct it_bo){ .handle = userptr.handle, .size = SIZE, .address = 1ull << 34 };
	store(h, &h->user_bo);
	it_expect(h->user[0] == MAGIC, "the GPU did not write user memory");
}

/*
 * On one engine a batch that does not end, on another one that waits for a fence that does not come. The latter uses an
 * import, so the other file's import of the same buffer, which is closed then, seems to be in use.
 */
static void hold_requests(struct held *h)
{
	struct sw_sync_create fence = { .value = 1, .name = "igen-unbind" };
	struct it_batch spin = it_batch(h->dev, 4096), b = it_batch(h->dev, 4096);
	int ret;

	it_emit_store(&spin, spin.bo->address + 2048, MAGIC);
	it_emit(&spin, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(&spin, spin.bo->address);
	it_emit_end(&spin);
	h->spinning = submit(h, 0, &spin, h->bo, -1);
	it_expect(it_poll(&spin.bo->dw[512], MAGIC), "the batch does not start");

	h->waiting = -1;
	ret = it_write_file(FENCE_TIMEOUT, "0");
	it_expect(!ret, "waits for fences without a limit: error %d", ret);
	h->timeline = open(SW_SYNC_FILE, O_RDWR | O_CLOEXEC);
	it_expect(h->timeline >= 0, "no sw_sync: error %d", errno);
	it_expect(!ioctl(h->timeline, SW_SYNC_CREATE, &fence), "sw_sync fence: error %d", errno);
	it_emit_end(&b);
	h->waiting = submit(h, 1, &b, &h->import, fence.fence);
	close(fence.fence);
	it_handle_close(h->other, h->other_import);
}

static int fence_status(int fence)
{
	struct pollfd pfd = { .fd = fence, .events = POLLIN };
	struct sync_file_info info = { 0 };

	poll(&pfd, 1, IT_WAIT_NS / 1000000);
	return ioctl(fence, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
}

/* The calls of a client that has not noticed. */
static void expect_no_device(struct held *h)
{
	struct drm_i915_gem_create create = { .size = 4096 };
	struct drm_i915_gem_busy busy = { .handle = h->bo->handle };
	struct drm_i915_gem_wait wait = { .bo_handle = h->bo->handle, .timeout_ns = -1 };
	struct drm_i915_gem_set_domain domain = { .handle = h->import.handle, .read_domains = I915_GEM_DOMAIN_GTT };
	struct drm_i915_gem_userptr userptr = { .user_ptr = (uintptr_t)h->user, .user_size = SIZE };
	struct drm_i915_gem_context_create_ext ctx = { 0 };
	struct drm_i915_gem_context_destroy destroy = { .ctx_id = h->ctx };
	struct drm_i915_gem_vm_control vm = { 0 };
	struct drm_i915_gem_execbuffer2 eb = { 0 };
	struct drm_prime_handle import = { .fd = h->exported };
	struct drm_prime_handle export = { .handle = h->import.handle, .flags = DRM_RDWR };
	const struct {
		const char *name;
		unsigned long request;
		void *arg;
	} calls[] = {
		{ "GEM_CREATE", DRM_IOCTL_I915_GEM_CREATE, &create },
		{ "GEM_BUSY", DRM_IOCTL_I915_GEM_BUSY, &busy },
		{ "GEM_WAIT", DRM_IOCTL_I915_GEM_WAIT, &wait },
		{ "GEM_SET_DOMAIN", DRM_IOCTL_I915_GEM_SET_DOMAIN, &domain },
		{ "GEM_USERPTR", DRM_IOCTL_I915_GEM_USERPTR, &userptr },
		{ "GEM_CONTEXT_CREATE", DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &ctx },
		{ "GEM_CONTEXT_DESTROY", DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy },
		{ "GEM_VM_CREATE", DRM_IOCTL_I915_GEM_VM_CREATE, &vm },
		{ "GEM_EXECBUFFER2", DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb },
		{ "PRIME_FD_TO_HANDLE", DRM_IOCTL_PRIME_FD_TO_HANDLE, &import },
		{ "PRIME_HANDLE_TO_FD", DRM_IOCTL_PRIME_HANDLE_TO_FD, &export },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(calls); i++) {
		int ret = it_ioctl(h->dev->fd, calls[i].request, calls[i].arg);

		it_expect(ret == -ENODEV, "%s without a device: %d", calls[i].name, ret);
	}
}

static bool bus_error_at(volatile uint32_t *address)
{
	if (sigsetjmp(bus_error, 1))
		return true;
	(void)*address;
	return false;
}

/* Mappings of memory stay valid after the unbind; mappings through the device are gone. */
static void expect_memory(struct held *h)
{
	uint32_t *map = h->bo->map, *fresh = h->fresh->map, *shared;
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW };

	it_expect(map[0] == MAGIC, "the object shows %x", map[0]);
	it_expect(!fresh[7], "unused memory is %x", fresh[7]);
	fresh[7] = MAGIC;
	it_expect(h->user[0] == MAGIC, "user memory shows %x", h->user[0]);
	it_expect(h->vgem_map[0] == MAGIC, "vgem's buffer shows %x", h->vgem_map[0]);
	it_expect(bus_error_at(h->aperture + 5), "the aperture of a device that has gone can be read");
	it_expect(bus_error_at(h->import_map), "an import can be read through a device that has gone");

	it_expect(!ioctl(h->exported, DMA_BUF_IOCTL_SYNC, &sync), "the dma-buf's sync: error %d", errno);
	shared = map_at(h->exported, 0, "the dma-buf");
	it_expect(shared[0] == MAGIC, "the dma-buf shows %x", shared[0]);
	munmap(shared, SIZE);
}

static void let_go(struct held *h)
{
	struct drm_gem_close close_arg = { .handle = h->bo->handle };
	uint32_t one = 1;

	/* Even that is too late; closing the file does it. */
	it_ioctl(h->dev->fd, DRM_IOCTL_GEM_CLOSE, &close_arg);
	munmap(h->aperture, SIZE);
	munmap(h->import_map, SIZE);
	munmap(h->vgem_map, SIZE);
	munmap(h->user, SIZE);
	close(h->exported);
	close(h->other);
	it_close(h->dev);

	/* A batch that waits for a foreign fence may wait on, with neither device nor file. */
	it_expect(!ioctl(h->timeline, SW_SYNC_INC, &one), "sw_sync: error %d", errno);
	it_expect(fence_status(h->waiting) < 0, "a batch without a device: %d", fence_status(h->waiting));
	close(h->waiting);
	close(h->spinning);
	close(h->timeline);
	close(h->vgem);
}

static void check_new(void)
{
	struct held h = { .dev = it_open() };
	struct it_bo *bo = it_bo(h.dev, 4096);

	h.ctx = it_ctx_engines(h.dev);
	store(&h, bo);
	it_expect(*(uint32_t *)bo->map == MAGIC, "the new device does not work");
	it_close(h.dev);
}

static unsigned int node_number(struct it_dev *dev)
{
	struct stat st;

	it_expect(!fstat(dev->fd, &st), "fstat: error %d", errno);
	return minor(st.st_rdev);
}

/* The number of the device that is bound now: 0 for the first one. */
static unsigned int number_now(void)
{
	struct it_dev *dev = it_open();
	unsigned int number = node_number(dev) % NODES;

	it_close(dev);
	return number;
}

/*
 * Old devices are released within a moment, and so is all that was held with them: then a new device has the first
 * number again.
 */
static void expect_released(void)
{
	for (int try = 0; try < MAX_TRIES; try++) {
		int err = it_write_file(DRIVER "unbind", DEVICE) ?: it_write_file(DRIVER "bind", DEVICE);

		it_expect(!err, "unbind and bind: error %d", err);
		if (!number_now())
			return;
		usleep(250000);
	}
	it_fail("the old device is not released");
}

/* Opens the device when those of before, which are released later, have left it the first number. */
static struct it_dev *open_first(void)
{
	if (number_now())
		expect_released();
	return it_open();
}

/* Memory whose first use waits for an answer that does not come; of this process, not of its children. NULL: none. */
static char *memory_that_waits(void)
{
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (uffd < 0 || memory == MAP_FAILED)
		return NULL;
	range.range.start = (uintptr_t)memory;
	range.range.len = SIZE;
	if (ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &range))
		return NULL;
	return memory;
}

/* Puts a fence into an object's reservation that is not signaled as long as the timeline is open, which it returns. */
static int make_busy(struct it_dev *dev, struct it_bo *bo)
{
	struct sw_sync_create fence = { .value = 1, .name = "igen-unbind" };
	struct drm_prime_handle prime = { .handle = bo->handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int timeline = open(SW_SYNC_FILE, O_RDWR | O_CLOEXEC);
	struct import_sync_file {
		uint32_t flags;
		int32_t fd;
	} arg = { .flags = DMA_BUF_SYNC_RW };

	it_expect(timeline >= 0, "no sw_sync: error %d", errno);
	must(timeline, SW_SYNC_CREATE, &fence, "sw_sync fence");
	must(dev->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, "exporting");
	arg.fd = fence.fence;
	must(prime.fd, _IOW(DMA_BUF_BASE, 3, struct import_sync_file), &arg, "DMA_BUF_IOCTL_IMPORT_SYNC_FILE");
	close(prime.fd);
	close(fence.fence);
	return timeline;
}

/* Tells when all of them have been asleep for a while, and stays. */
static void run_waiters(struct it_call *waiters, unsigned int num, int ready)
{
	unsigned int steady = 0, i;

	for (i = 0; i < num; i++)
		if (!it_call_start(&waiters[i]))
			_exit(1);
	for (int ms = 0; ms < 60000 && steady < 50; ms += 10) {
		for (i = 0; i < num && it_call_asleep(&waiters[i]); i++)
			;
		if (i < num && !steady && ms == 50000)
			it_note("%s does not wait", waiters[i].name);
		steady = i == num ? steady + 1 : 0;
		usleep(10000);
	}
	if (steady < 50 || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* The process that waits, for fences and for its own memory. */
static void waiting_client(struct it_dev *dev, uint32_t ctx, struct it_bo *busy, struct it_bo *bo, struct it_bo *b,
			   int ready)
{
	char *args = memory_that_waits(), *data = memory_that_waits(), *relocs = memory_that_waits();
	char *list = memory_that_waits(), *user = memory_that_waits();
	struct drm_i915_gem_wait wait = { .bo_handle = busy->handle, .timeout_ns = -1 };
	struct drm_i915_gem_set_domain domain = { .handle = busy->handle, .read_domains = I915_GEM_DOMAIN_GTT,
		.write_domain = I915_GEM_DOMAIN_GTT };
	struct drm_i915_gem_pwrite pwrite_arg = { .handle = bo->handle, .size = 64, .data_ptr = (uintptr_t)data };
	struct drm_i915_gem_pread pread_arg = { .handle = bo->handle, .size = 64, .data_ptr = (uintptr_t)data };
	struct drm_i915_gem_exec_object2 batch = { .handle = b->handle, .offset = b->address,
		.flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS };
	struct drm_i915_gem_exec_object2 moved[2] = { batch, batch }, related = batch, with_user[2] = { batch, batch };
	struct drm_i915_gem_execbuffer2 no_list = { .buffers_ptr = (uintptr_t)list, .buffer_count = 1, .rsvd1 = ctx };
	struct drm_i915_gem_execbuffer2 moves = { .buffers_ptr = (uintptr_t)moved, .buffer_count = 2, .rsvd1 = ctx };
	struct drm_i915_gem_execbuffer2 relocates = { .buffers_ptr = (uintptr_t)&related, .buffer_count = 1,
		.rsvd1 = ctx };
	struct drm_i915_gem_execbuffer2 takes_user = { .buffers_ptr = (uintptr_t)with_user, .buffer_count = 2,
		.rsvd1 = ctx };
	struct drm_i915_gem_userptr userptr = { .user_ptr = (uintptr_t)user, .user_size = SIZE };
	struct it_call waiters[] = {
		{ .name = "WAIT", .request = DRM_IOCTL_I915_GEM_WAIT, .arg = &wait },
		{ .name = "WAIT's argument", .request = DRM_IOCTL_I915_GEM_WAIT, .arg = args },
		{ .name = "SET_DOMAIN", .request = DRM_IOCTL_I915_GEM_SET_DOMAIN, .arg = &domain },
		{ .name = "PWRITE", .request = DRM_IOCTL_I915_GEM_PWRITE, .arg = &pwrite_arg },
		{ .name = "PREAD", .request = DRM_IOCTL_I915_GEM_PREAD, .arg = &pread_arg },
		{ .name = "execbuf's list", .request = DRM_IOCTL_I915_GEM_EXECBUFFER2, .arg = &no_list },
		{ .name = "execbuf of a busy object", .request = DRM_IOCTL_I915_GEM_EXECBUFFER2, .arg = &moves },
		{ .name = "execbuf's relocations", .request = DRM_IOCTL_I915_GEM_EXECBUFFER2, .arg = &relocates },
		{ .name = "execbuf of user memory", .request = DRM_IOCTL_I915_GEM_EXECBUFFER2, .arg = &takes_user },
	};

	if (!args || !data || !relocs || !list || !user || it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &userptr))
		_exit(1);
	with_user[0].handle = userptr.handle;
	with_user[0].offset = 1ull << 41;
	moved[0].handle = busy->handle;
	moved[0].offset = 1ull << 40;
	related.relocs_ptr = (uintptr_t)relocs;
	related.relocation_count = 1;
	for (unsigned int i = 0; i < ARRAY_SIZE(waiters); i++)
		waiters[i].fd = dev->fd;
	run_waiters(waiters, ARRAY_SIZE(waiters), ready);
}

/* An unbind in a process of its own, since it may not return. */
static bool unbinds_soon(void)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(!!it_write_file(DRIVER "unbind", DEVICE));
	for (int ms = 0; ms < SOON_MS && waitpid(pid, &status, WNOHANG) != pid; ms += 10)
		usleep(10000);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Clients that wait, for a fence of another driver or for their own memory, do not keep the device from going. */
static void unbind_waiters(unsigned int unused)
{
	struct it_dev *dev = open_first();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *busy = it_bo(dev, 4096), *bo = it_bo(dev, SIZE);
	struct it_batch b = it_batch(dev, 4096);
	int ready[2], timeline, err;
	bool soon;
	char byte;
	pid_t pid;

	(void)unused;
	it_emit_end(&b);
	it_run_wait(dev, ctx, 0, &b, &busy, 1);
	timeline = make_busy(dev, busy);

	it_expect(!pipe(ready), "pipe: error %d", errno);
	pid = fork();
	it_expect(pid >= 0, "fork: error %d", errno);
	if (!pid)
		waiting_client(dev, ctx, busy, bo, b.bo, ready[1]);
	close(ready[1]);
	soon = read(ready[0], &byte, 1) == 1;
	close(ready[0]);
	if (!soon) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		it_fail("not all calls wait");
	}

	soon = unbinds_soon();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	it_close(dev);
	/* With the waiters gone it is done by then in any case. */
	for (int ms = 0; ms < SOON_MS && (err = it_write_file(DRIVER "bind", DEVICE)); ms += 100)
		usleep(100000);
	it_expect(!err, "bind: error %d", err);
	it_expect(soon, "the device stays while clients wait");
	check_new();
	/* A fence of another driver does not keep it, either. */
	expect_released();
	close(timeline);
}

static void unbind_open(unsigned int round)
{
	struct held h = { .dev = open_first() };
	struct drm_i915_gem_vm_control vm = { 0 };
	int err;

	h.ctx = it_ctx_engines(h.dev);
	it_ctx(h.dev);
	must(h.dev->fd, DRM_IOCTL_I915_GEM_VM_CREATE, &vm, "GEM_VM_CREATE");
	hold_memory(&h);
	hold_shared(&h);
	hold_requests(&h);

	err = it_write_file(DRIVER "unbind", DEVICE);
	it_expect(!err, "unbind: error %d", err);
	it_expect(fence_status(h.spinning) == -EIO, "the batch that ran: %d", fence_status(h.spinning));
	expect_no_device(&h);
	expect_memory(&h);

	err = it_write_file(DRIVER "bind", DEVICE);
	it_expect(!err, "bind: error %d", err);
	if (round) {
		/* The old one goes while the new one is in use. */
		check_new();
		let_go(&h);
		check_new();
	} else {
		let_go(&h);
		check_new();
	}

	expect_released();
	check_new();
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_sigbus };

	sigaction(SIGBUS, &action, NULL);
	it_init(argc, argv);
	it_subtest(unbind_open, 0, "unbind-open");
	it_subtest(unbind_open, 1, "unbind-open-while-in-use");
	it_subtest(unbind_waiters, 0, "unbind-waiters");
	return it_exit();
}
