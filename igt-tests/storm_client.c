// SPDX-License-Identifier: MIT
/*
 * DOC: A client of igen-storm
 *
 * Each time before the client closes its file it waits for all fences and checks the engines' counters. An engine's
 * counter has one for each batch whose fence signaled without an error, and none for a batch whose fence has an error.
 * It may be higher by as many batches as the context's reset statistics report as hit but innocent, since these run
 * again from their beginning. Where the model makes batches hang, as many fences have an error as the context was
 * blamed for hangs. When the device was unbound in between, a batch that failed may have run.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/sync_file.h>

#include "storm.h"

#define PAGE		4096
#define LIFE		400			/* batches until a client opens anew by itself */
#define COUNTERS	(16ull << 20)		/* addresses in the context */
#define BATCHES		(32ull << 20)
#define TROUBLE		(48ull << 20)
#define COUNTER_STRIDE	64			/* a cache line an engine */
#define GO		(STORM_ENGINES * COUNTER_STRIDE)	/* what a slow batch waits for */
#define FENCE_MS		(5 * 60 * 1000)
#define ATOMIC_INC	(MI_ATOMIC | MI_ATOMIC_INC << 8)
#define NO_SUCH_COMMAND	0xfffffffeu

static const uint64_t rings[STORM_ENGINES] = {
	I915_EXEC_RENDER, I915_EXEC_BLT, I915_EXEC_BSD | I915_EXEC_BSD_RING1, I915_EXEC_VEBOX
};

struct object {
	uint32_t handle;
	uint32_t *map;
};

struct lane {					/* an engine, as the client sees it */
	int fence[STORM_DEPTH];			/* -1: none */
	unsigned int next;
	unsigned long completed, failed;
	struct object batch;
};

struct client {
	const struct storm_options *options;
	struct storm_totals *totals;
	unsigned int seed;
	int fd;
	uint32_t ctx;
	struct object counters;
	struct lane lane[STORM_ENGINES];
	bool gone;				/* the device went in this life */
};

static __thread sigjmp_buf bus_error;

static void on_sigbus(int number)
{
	siglongjmp(bus_error, number);
}

static void wrong(struct client *c, const char *what, long a, long b)
{
	printf("not ok: %s (%ld, %ld)\n", what, a, b);
	atomic_fetch_add(&c->totals->faults, 1);
}

static unsigned int roll(struct client *c, unsigned int sides)
{
	return rand_r(&c->seed) % sides;
}

/* An error of a call: the device was taken away, or something is wrong. */
static void failed(struct client *c, const char *what, int error)
{
	c->gone = true;
	if (c->options->strict || (error != -ENODEV && error != -EIO))
		wrong(c, what, error, 0);
}

static int create(struct client *c, struct object *o)
{
	struct drm_i915_gem_create create = { .size = PAGE };
	struct drm_i915_gem_mmap_offset offset = { .flags = I915_MMAP_OFFSET_WB };
	int ret = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_CREATE, &create);

	if (ret)
		return ret;
	o->handle = create.handle;
	offset.handle = create.handle;
	ret = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset);
	if (ret)
		return ret;
	o->map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, offset.offset);
	if (o->map == MAP_FAILED)
		o->map = NULL;
	return o->map ? 0 : -errno;
}

static void drop(struct client *c, struct object *o)
{
	struct drm_gem_close close_arg = { .handle = o->handle };

	if (o->map)
		munmap(o->map, PAGE);
	if (o->handle)
		it_ioctl(c->fd, DRM_IOCTL_GEM_CLOSE, &close_arg);
	*o = (struct object){ 0 };
}

static int context(struct client *c, uint32_t *ctx)
{
	struct drm_i915_gem_context_create create = { 0 };
	struct drm_i915_gem_context_param p = { .param = I915_CONTEXT_PARAM_BANNABLE, .value = 0 };
	int ret = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create);

	if (ret)
		return ret;
	*ctx = create.ctx_id;
	p.ctx_id = create.ctx_id;
	return it_ioctl(c->fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p);
}

/* Submits a batch with the counters; the fence, or -errno. */
static int submit(struct client *c, uint32_t ctx, unsigned int engine, const struct object *batch, uint64_t address)
{
	struct drm_i915_gem_exec_object2 obj[2] = { 0 };
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = 2, .rsvd1 = ctx,
		.flags = rings[engine] | I915_EXEC_NO_RELOC | I915_EXEC_FENCE_OUT,
	};
	int ret;

	obj[0].handle = c->counters.handle;
	obj[0].offset = COUNTERS;
	/* No batch waits for another engine's batch. */
	obj[0].flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_ASYNC;
	obj[1].handle = batch->handle;
	obj[1].offset = address;
	obj[1].flags = EXEC_OBJECT_PINNED;
	ret = it_ioctl(c->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &eb);
	return ret ?: (int)(eb.rsvd2 >> 32);
}

/* Waits for a fence and closes it: 1, or the error that it completed with. */
static int fence_end(struct client *c, int fence)
{
	struct pollfd pfd = { .fd = fence, .events = POLLIN };
	struct sync_file_info info = { 0 };
	int ret;

	do {
		ret = poll(&pfd, 1, FENCE_MS);
	} while (ret < 0 && errno == EINTR);
	ret = ioctl(fence, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
	close(fence);
	if (!ret)
		wrong(c, "a fence did not signal in five minutes", fence, 0);
	return ret;
}

/* The oldest batch in flight on an engine ends. */
static void reap(struct client *c, struct lane *l)
{
	int *fence = &l->fence[l->next];
	int status;

	if (*fence < 0)
		return;
	status = fence_end(c, *fence);
	*fence = -1;
	if (status == 1) {
		l->completed++;
		atomic_fetch_add(&c->totals->completed, 1);
		return;
	}
	l->failed++;
	atomic_fetch_add(&c->totals->failed, 1);
	if (c->options->strict && !c->options->faulty)
		wrong(c, "an innocent batch failed", status, 0);
}

static void send(struct client *c, unsigned int engine)
{
	struct lane *l = &c->lane[engine];
	int fence;

	reap(c, l);
	fence = submit(c, c->ctx, engine, &l->batch, BATCHES + engine * PAGE);
	if (fence < 0) {
		failed(c, "submitting failed", fence);
		return;
	}
	atomic_fetch_add(&c->totals->submitted, 1);
	l->fence[l->next] = fence;
	l->next = (l->next + 1) % STORM_DEPTH;
}

/* A batch that hangs: a loop without an arbitration point, or a command that is none. */
static unsigned int write_hang(struct client *c, uint32_t *dw, unsigned int engine)
{
	unsigned int n = 0;

	/* The blitter's batches are looked through first. */
	if (rings[engine] != I915_EXEC_BLT && roll(c, 2)) {
		dw[n++] = NO_SUCH_COMMAND;
	} else {
		dw[n++] = MI_BATCH_BUFFER_START | MI_BBS_PPGTT;
		dw[n++] = TROUBLE;
		dw[n++] = 0;
	}
	dw[n++] = MI_BATCH_BUFFER_END;
	return n;
}

/* A batch that takes longer than the heartbeat has patience for, but may be preempted. */
static void write_slow(uint32_t *dw)
{
	dw[0] = MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_NEQ_SDD;
	dw[1] = 0;
	dw[2] = COUNTERS + GO;
	dw[3] = 0;
	dw[4] = MI_BATCH_BUFFER_END;
}

/* One batch that hangs, or is slow, in a context of its own. */
static void trouble(struct client *c)
{
	struct drm_i915_gem_context_destroy destroy = { 0 };
	struct drm_i915_reset_stats stats = { 0 };
	unsigned int engine = roll(c, STORM_ENGINES);
	bool slow = !roll(c, 4);
	struct object o = { 0 };
	int ret, status;

	ret = create(c, &o) ?: context(c, &destroy.ctx_id);
	if (ret)
		goto out;
	if (slow)
		write_slow(o.map);
	else
		write_hang(c, o.map, engine);
	c->counters.map[GO / 4] = 0;
	ret = submit(c, destroy.ctx_id, engine, &o, TROUBLE);
	if (ret < 0)
		goto out;
	if (slow) {
		usleep(c->options->slow_us);
		c->counters.map[GO / 4] = 1;
	}
	status = fence_end(c, ret);
	stats.ctx_id = destroy.ctx_id;
	ret = it_ioctl(c->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	if (!ret && c->options->strict) {
		if (slow && status != 1 && !c->options->faulty)
			wrong(c, "a slow batch was ended", status, 0);
		if (!slow && (status != -EIO || stats.batch_active != 1))
			wrong(c, "a batch that hangs was not blamed", status, stats.batch_active);
	}
	if (status < 0)
		atomic_fetch_add(&c->totals->hangs, 1);
out:
	if (destroy.ctx_id)
		it_ioctl(c->fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy);
	drop(c, &o);
	if (ret < 0)
		failed(c, "a batch that is to hang", ret);
}

static int begin(struct client *c)
{
	int ret = create(c, &c->counters) ?: context(c, &c->ctx);

	for (unsigned int e = 0; e < STORM_ENGINES && !ret; e++) {
		struct lane *l = &c->lane[e];
		uint32_t *dw;

		ret = create(c, &l->batch);
		if (ret)
			break;
		dw = l->batch.map;
		/* A wait that is over at once: one more thing that the model can make fail. */
		*dw++ = MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GTE_SDD;
		*dw++ = 0;
		*dw++ = COUNTERS + e * COUNTER_STRIDE;
		*dw++ = 0;
		*dw++ = ATOMIC_INC;
		*dw++ = COUNTERS + e * COUNTER_STRIDE;
		*dw++ = 0;
		*dw++ = MI_BATCH_BUFFER_END;
	}
	return ret;
}

static void judge(struct client *c)
{
	struct drm_i915_reset_stats stats = { .ctx_id = c->ctx };
	int ret = it_ioctl(c->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	unsigned long failures = 0, more = 0;

	for (unsigned int e = 0; e < STORM_ENGINES; e++) {
		struct lane *l = &c->lane[e];
		unsigned long count = c->counters.map[e * COUNTER_STRIDE / 4];

		if (count < l->completed)
			wrong(c, "a batch is said to have completed and never ran: ran, said", count, l->completed);
		else
			more += count - l->completed;
		failures += l->failed;
	}
	if (!c->options->strict || c->gone || ret) {
		if (more > failures + stats.batch_pending)
			wrong(c, "batches ran twice: more than completed, failed", more, failures);
		return;
	}
	if (more > stats.batch_pending)
		wrong(c, "batches ran twice, or after they failed: how many, allowed", more,
		      stats.batch_pending);
	atomic_fetch_add(&c->totals->again, more);
	if (failures != stats.batch_active)
		wrong(c, "failed batches are not the hangs of the context", failures, stats.batch_active);
}

static void live(struct client *c, enum storm_kind kind)
{
	int ret;

	c->gone = false;
	ret = begin(c);
	if (ret)
		failed(c, "a client cannot begin", ret);
	for (unsigned int n = 0; n < LIFE && !c->gone && !atomic_load(&c->totals->stop); n++) {
		if (kind == STORM_GUILTY && !roll(c, 8))
			trouble(c);
		else
			send(c, roll(c, STORM_ENGINES));
	}
	for (unsigned int e = 0; e < STORM_ENGINES; e++)
		for (unsigned int i = 0; i < STORM_DEPTH; i++) {
			reap(c, &c->lane[e]);
			c->lane[e].next = (c->lane[e].next + 1) % STORM_DEPTH;
		}
	if (!ret)
		judge(c);
}

void storm_client(unsigned int number, enum storm_kind kind, const struct storm_options *options,
		  struct storm_totals *totals)
{
	struct sigaction action = { .sa_handler = on_sigbus, .sa_flags = SA_NODEFER };
	struct client c = { .options = options, .totals = totals, .seed = number + 1 };
	struct client *kept = &c;

	sigaction(SIGBUS, &action, NULL);
	while (!atomic_load(&totals->stop)) {
		c.fd = it_open_fd();
		if (c.fd < 0) {
			if (options->strict) {
				wrong(&c, "no device", errno, 0);
				return;
			}
			usleep(20000);
			continue;
		}
		atomic_fetch_add(&totals->lives, 1);
		for (unsigned int e = 0; e < STORM_ENGINES; e++) {
			memset(&c.lane[e], 0, sizeof(c.lane[e]));
			memset(c.lane[e].fence, 0xff, sizeof(c.lane[e].fence));
		}
		if (!sigsetjmp(bus_error, 1))
			live(kept, kind);
		else if (options->strict)
			wrong(kept, "a mapping has lost its memory", 0, 0);
		/* After a jump fences may still be there. */
		for (unsigned int e = 0; e < STORM_ENGINES; e++)
			for (unsigned int i = 0; i < STORM_DEPTH; i++)
				if (c.lane[e].fence[i] >= 0)
					fence_end(kept, c.lane[e].fence[i]);
		for (unsigned int e = 0; e < STORM_ENGINES; e++)
			drop(kept, &c.lane[e].batch);
		drop(kept, &c.counters);
		close(c.fd);
	}
}
