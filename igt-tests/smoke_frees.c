// SPDX-License-Identifier: MIT
/**
 * DOC: One client's locks do not block frees of others
 *
 * A client can have an execbuf wait for as long as the client likes: the execbuf is to move an object that an endless
 * batch uses. Meanwhile the call has locked the reservations of all objects in its list, perhaps of a buffer that other
 * files have imported. The driver's worker, which frees objects of other clients, must not wait for these locks.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <drm.h>

#include "lib/call.h"
#include "smoke.h"

#define DEBUGFS		"/sys/kernel/debug/dri/0/"
#define TAINT_WARN	(1ul << 9)
#define ELSEWHERE	(1ull << 40)	/* where an object is moved to, beyond its own address */
#define OBJECTS		64		/* that another client frees */
#define VGEM_SIZE	(64 * 64 * 4u)
#define SHARED_ROUNDS	150
#define STEADY		20		/* looks in a row that find a thread asleep */
#define LOOKS		120000		/* of a millisecond each */

/* The kinds of objects that are freed while the lock is held. */
enum kind {
	CONTEXT,	/* a context that had the object bound */
	IMPORT,		/* another file's import, never used */
	USED_IMPORT,	/* one that was bound and used */
};

/* A client's batch with objects, perhaps again and again. */
struct move {
	struct it_dev *dev;
	uint32_t ctx;
	struct it_batch batch;
	struct it_bo *bos[2];
	unsigned int num;
	atomic_bool stop;
};

static int execute(void *data)
{
	struct move *m = data;

	return it_run(m->dev, m->ctx, 0, &m->batch, m->bos, m->num, 0);
}

/* A call that waits for something, or is over. */
static void wait_asleep(struct it_call *call)
{
	for (unsigned int i = 0, steady = 0; i < LOOKS && steady < STEADY && !call->over; i++) {
		steady = it_call_asleep(call) ? steady + 1 : 0;
		usleep(1000);
	}
}

static bool wait_over(struct it_call *call)
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
	int fd = it_vgem_open(), dmabuf;
	uint32_t handle;

	if (fd < 0)
		it_skip("no vgem to import from");
	dmabuf = it_vgem_buffer(fd, VGEM_SIZE, &handle);
	close(fd);
	it_expect(dmabuf >= 0, "exporting vgem's buffer: error %d", dmabuf);
	return dmabuf;
}

int smoke_import_buffer(struct it_dev *dev, int buffer, struct it_bo *bo)
{
	struct drm_prime_handle prime = { .fd = buffer };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);

	*bo = (struct it_bo){ .dev = dev, .fd = dev->fd, .handle = prime.handle, .size = VGEM_SIZE };
	bo->address = 1ull << 36;
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
	struct move move = { .dev = dev, .ctx = it_ctx_engines(dev), .bos = { &moved, &shared }, .num = 1 };
	struct it_call mover = { .run = execute, .arg = &move };
	struct it_call drop = { .fd = dev->fd, .request = DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, .arg = &destroy };
	bool warned = has_warned(), waited, dropped, freed;
	int ret;

	if (!objects())
		it_skip("no count of objects");
	if (kind != CONTEXT) {
		ret = smoke_import_buffer(dev, buffer, &shared) ?: smoke_import_buffer(sharer, buffer, &theirs);
		it_expect(!ret, "importing: error %d", ret);
		close(buffer);
		close_arg.handle = theirs.handle;
		drop = (struct it_call){ .fd = sharer->fd, .request = DRM_IOCTL_GEM_CLOSE, .arg = &close_arg };
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

	it_expect(it_call_start(&mover), "no thread");
	wait_asleep(&mover);
	waited = !mover.over;
	it_expect(it_call_start(&drop), "no thread");
	dropped = wait_over(&drop);
	freed = others_free(other);

	*(volatile uint32_t *)stop->map = 1;
	it_call_end(&mover);
	it_call_end(&drop);
	it_close(dev);
	it_close(sharer);
	it_expect(!mover.ret && !drop.ret, "moving: error %d; closing: error %d", mover.ret, drop.ret);
	it_expect(waited, "a busy object was moved");
	it_expect(dropped, "closing waits for another client of the same object");
	it_expect(freed, "what another client frees stays while one client waits");
	it_expect(warned || !has_warned(), "the kernel has warned");
}

/* Has the buffer's lock most of the time, and waits with it: the import is never where it is wanted next. */
static int keep_moving(void *data)
{
	struct move *m = data;
	struct it_bo at[2] = { *m->bos[0], *m->bos[0] }, *bo;
	int ret = 0;

	at[1].address += ELSEWHERE;
	for (unsigned int i = 0; !m->stop && !ret; i++) {
		bo = &at[i % 2];
		ret = it_run(m->dev, m->ctx, 0, &m->batch, &bo, 1, 0);
	}
	return ret;
}

/* Two files that have the same buffer: one uses it, the other's come and go. */
static void shared_buffer(unsigned int unused)
{
	int buffer = smoke_vgem_buffer(), ret;
	struct it_dev *dev = it_open(), *sharer = it_open();
	struct it_batch b = empty_batch(sharer);
	uint32_t ctx = it_ctx_engines(sharer);
	struct it_bo shared, theirs, *bo = &theirs;
	struct move move = { .dev = dev, .ctx = it_ctx_engines(dev), .batch = empty_batch(dev), .bos = { &shared } };
	struct it_call mover = { .run = keep_moving, .arg = &move };
	bool warned = has_warned();

	(void)unused;
	ret = smoke_import_buffer(dev, buffer, &shared);
	it_expect(!ret, "importing: error %d", ret);
	it_expect(it_call_start(&mover), "no thread");
	for (unsigned int i = 0; i < SHARED_ROUNDS && !ret && !mover.over; i++) {
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
	move.stop = true;
	it_call_end(&mover);
	close(buffer);
	it_close(dev);
	it_expect(!ret && !mover.ret, "the file that comes and goes: error %d; the one that stays: error %d", ret,
		  mover.ret);
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
