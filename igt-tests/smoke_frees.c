// SPDX-License-Identifier: MIT
/**
 * DOC: What one client keeps locked does not keep others from freeing
 *
 * A client may wait within a call for as long as it likes: an object that a batch without end uses is to be moved. It
 * has that object's reservation locked meanwhile, and those of all others in its list, perhaps of a buffer that other
 * files have imported. What is freed elsewhere, later and by the driver, must not wait for these locks.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <drm.h>
#include <drm_mode.h>

#include "smoke.h"

#define DEBUGFS		"/sys/kernel/debug/dri/0/"
#define TAINT_WARN	(1ul << 9)
#define ELSEWHERE	(1ull << 40)	/* where an object is moved to, beyond its own address */
#define OBJECTS		64		/* that another client frees */
#define SHARED_ROUNDS	150
#define STEADY		20		/* looks in a row that find a thread asleep */
#define LOOKS		30000		/* of a millisecond each */

/* What is freed while the lock is held. */
enum kind {
	CONTEXT,	/* a context that had the object bound */
	IMPORT,		/* another file's import, never used */
	USED_IMPORT,	/* one that was bound and used */
};

struct call {
	struct it_dev *dev;
	pthread_t thread;
	uint32_t ctx;
	struct it_batch batch;
	struct it_bo *bos[2];
	unsigned int num;
	unsigned long request;
	void *arg;
	atomic_int tid;
	atomic_bool over;
	int ret;
};

static void *execute(void *data)
{
	struct call *call = data;

	call->tid = syscall(SYS_gettid);
	call->ret = it_run(call->dev, call->ctx, 0, &call->batch, call->bos, call->num, 0);
	call->over = true;
	return NULL;
}

static void *control(void *data)
{
	struct call *call = data;

	call->tid = syscall(SYS_gettid);
	call->ret = it_ioctl(call->dev->fd, call->request, call->arg);
	call->over = true;
	return NULL;
}

static bool is_asleep(int tid)
{
	char path[64], text[512], *end;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	if (!tid || it_read_file(path, text, sizeof(text)))
		return false;
	end = strrchr(text, ')');
	return end && (end[2] == 'S' || end[2] == 'D');
}

/* A call that waits for something, or is over. */
static void wait_asleep(struct call *call)
{
	for (unsigned int i = 0, steady = 0; i < LOOKS && steady < STEADY && !call->over; i++) {
		steady = is_asleep(call->tid) ? steady + 1 : 0;
		usleep(1000);
	}
}

static bool wait_over(struct call *call)
{
	for (unsigned int i = 0; i < LOOKS && !call->over; i++)
		usleep(1000);
	return call->over;
}

static unsigned long objects(void)
{
	char text[4096];

	return it_read_file(DEBUGFS "i915_gem_objects", text, sizeof(text)) ? 0 : strtoul(text, NULL, 0);
}

static bool has_warned(void)
{
	char text[32];

	return !it_read_file("/proc/sys/kernel/tainted", text, sizeof(text)) && strtoul(text, NULL, 0) & TAINT_WARN;
}

/* A buffer of another driver's, as a dma-buf; the file stays open, as it may be for others to use. */
int smoke_vgem_buffer(void)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };
	int fd = it_open_driver("vgem", 0), ret;

	if (fd < 0 && !system("/sbin/modprobe -q vgem"))
		fd = it_open_driver("vgem", 0);
	if (fd < 0)
		it_skip("no vgem to import from");
	ret = it_ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);
	prime.handle = dumb.handle;
	ret = ret ?: it_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	close(fd);
	it_expect(!ret, "exporting vgem's buffer: error %d", ret);
	return prime.fd;
}

int smoke_import_buffer(struct it_dev *dev, int buffer, struct it_bo *bo)
{
	struct drm_prime_handle prime = { .fd = buffer };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);

	*bo = (struct it_bo){ .dev = dev, .handle = prime.handle, .size = 64 * 64 * 4, .address = 1ull << 36 };
	return ret;
}

static struct it_batch empty_batch(struct it_dev *dev)
{
	struct it_batch b = it_batch(dev, 4096);

	it_emit_end(&b);
	return b;
}

/* A client uses objects and closes them; true when they are all freed soon. */
static bool others_free(struct it_dev *dev)
{
	unsigned int engine = dev->num_engines - 1;
	uint32_t ctx = it_ctx_engines(dev);
	unsigned long before;
	struct it_bo *bo;

	it_write_file(DEBUGFS "i915_gem_drop_caches", "0x2");
	before = objects();
	for (unsigned int i = 0; i < OBJECTS; i++) {
		struct it_batch b = empty_batch(dev);

		bo = it_bo(dev, 4096);
		it_run_wait(dev, ctx, engine, &b, &bo, 1);
	}
	while (dev->bos)
		it_bo_close(dev->bos);
	for (unsigned int i = 0; i < LOOKS; i++) {
		if (objects() < before + OBJECTS)
			return true;
		usleep(1000);
	}
	return false;
}

static void frees(unsigned int kind)
{
	int buffer = kind == CONTEXT ? -1 : smoke_vgem_buffer();
	struct it_dev *dev = it_open(), *sharer = it_open(), *other = it_open();
	struct it_bo *busy = it_bo(dev, 4096), *stop = it_bo(dev, 4096), shared, theirs;
	struct it_bo moved = *busy;
	struct it_batch spin = it_batch(dev, 4096), used = empty_batch(dev);
	uint32_t second = it_ctx_engines(dev);
	struct drm_i915_gem_context_destroy destroy = { .ctx_id = second };
	struct drm_gem_close close_arg = { 0 };
	struct call move = { .dev = dev, .ctx = it_ctx_engines(dev), .bos = { &moved, &shared }, .num = 1 };
	struct call drop = { .dev = dev, .request = DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, .arg = &destroy };
	bool warned = has_warned(), waited, dropped, freed;
	int ret;

	if (!objects())
		it_skip("no count of objects");
	if (kind != CONTEXT) {
		ret = smoke_import_buffer(dev, buffer, &shared) ?: smoke_import_buffer(sharer, buffer, &theirs);
		it_expect(!ret, "importing: error %d", ret);
		close(buffer);
		close_arg.handle = theirs.handle;
		drop = (struct call){ .dev = sharer, .request = DRM_IOCTL_GEM_CLOSE, .arg = &close_arg };
		move.num = 2;
	}
	if (kind == USED_IMPORT) {
		struct it_batch b = empty_batch(sharer);
		struct it_bo *bo = &theirs;

		it_run_wait(sharer, it_ctx_engines(sharer), 0, &b, &bo, 1);
	}
	it_run_wait(dev, second, 0, &used, &busy, 1);
	move.batch = empty_batch(dev);
	moved.address += ELSEWHERE;
	it_emit_circle(&spin, stop->address);
	ret = it_run(dev, move.ctx, 0, &spin, (struct it_bo *[]){ busy, stop }, 2, 0);
	it_expect(!ret, "a batch without end: error %d", ret);

	it_expect(!pthread_create(&move.thread, NULL, execute, &move), "no thread");
	wait_asleep(&move);
	waited = !move.over;
	it_expect(!pthread_create(&drop.thread, NULL, control, &drop), "no thread");
	dropped = wait_over(&drop);
	freed = others_free(other);

	*(volatile uint32_t *)stop->map = 1;
	pthread_join(move.thread, NULL);
	pthread_join(drop.thread, NULL);
	it_close(dev);
	it_close(sharer);
	it_expect(!move.ret && !drop.ret, "moving: error %d; closing: error %d", move.ret, drop.ret);
	it_expect(waited, "a busy object was moved");
	it_expect(dropped, "closing waits for who uses the same elsewhere");
	it_expect(freed, "what another client frees stays while one client waits");
	it_expect(warned || !has_warned(), "the kernel has warned");
}

/* Has the buffer's lock most of the time, and waits with it: the import is never where it is wanted next. */
static void *keep_moving(void *data)
{
	struct call *call = data;
	struct it_bo at[2] = { *call->bos[0], *call->bos[0] }, *bo;

	at[1].address += ELSEWHERE;
	for (unsigned int i = 0; !call->over && !call->ret; i++) {
		bo = &at[i % 2];
		call->ret = it_run(call->dev, call->ctx, 0, &call->batch, &bo, 1, 0);
	}
	return NULL;
}

/* Two files that have the same buffer: one uses it, the other's come and go. */
static void shared_buffer(unsigned int unused)
{
	int buffer = smoke_vgem_buffer(), ret;
	struct it_dev *dev = it_open(), *sharer = it_open();
	struct it_batch b = empty_batch(sharer);
	uint32_t ctx = it_ctx_engines(sharer);
	struct it_bo shared, theirs, *bo = &theirs;
	struct call move = { .dev = dev, .ctx = it_ctx_engines(dev), .batch = empty_batch(dev), .bos = { &shared } };
	bool warned = has_warned();

	(void)unused;
	ret = smoke_import_buffer(dev, buffer, &shared);
	it_expect(!ret, "importing: error %d", ret);
	it_expect(!pthread_create(&move.thread, NULL, keep_moving, &move), "no thread");
	for (unsigned int i = 0; i < SHARED_ROUNDS && !ret && !move.ret; i++) {
		struct drm_gem_close close_arg = { 0 };

		ret = smoke_import_buffer(sharer, buffer, &theirs);
		close_arg.handle = theirs.handle;
		/* The last one may still be where it was. */
		theirs.address += (uint64_t)i << 20;
		if (!ret && i % 3)
			ret = it_run(sharer, ctx, sharer->num_engines - 1, &b, &bo, 1, 0);
		if (!ret && i % 3 == 2)
			ret = it_bo_wait(&theirs, IT_WAIT_NS);
		ret = ret ?: it_ioctl(sharer->fd, DRM_IOCTL_GEM_CLOSE, &close_arg);
	}
	move.over = true;
	pthread_join(move.thread, NULL);
	close(buffer);
	it_close(dev);
	it_expect(!ret && !move.ret, "the one who comes and goes: error %d; who stays: error %d", ret, move.ret);
	it_expect(warned || !has_warned(), "the kernel has warned");
}

void smoke_frees(const struct it_engine *engines, unsigned int n)
{
	static const char * const names[] = { "context", "import", "used-import" };

	(void)engines;
	(void)n;
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		it_subtest(frees, i, "frees-%s", names[i]);
	it_subtest(shared_buffer, 0, "frees-shared");
}
