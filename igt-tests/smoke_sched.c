// SPDX-License-Identifier: MIT
/*
 * DOC: The order in which requests run
 *
 * Contexts of equal priority take turns on an engine, so a batch can wait for a batch of another context on the same
 * engine. A request that an urgent request waits for becomes as urgent. A context whose ring is full holds up no other
 * context. A batch that only waits on a semaphore gives way, however long timeslices are. A batch that does not let an
 * urgent request preempt it is ended, with or without heartbeats. So is a batch that nothing else would end.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "smoke.h"

/* More than the engine has ports. */
#define WAITERS 4

/* Each batch waits for one that is queued behind it, and behind the others. */
static void turns(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096), *last[WAITERS];
	volatile uint32_t *dw = page->map;
	struct it_batch b;
	int ret;

	for (unsigned int i = 0; i < WAITERS; i++) {
		b = it_batch(dev, 4096);
		it_emit_gate(&b, page->address + 4 * (i + 1));
		it_emit_store(&b, page->address + 4 * i, i + 1);
		it_emit_end(&b);
		ret = it_run(dev, it_ctx_engines(dev), engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
		it_expect(!ret, "execbuf of waiter %u: error %d", i, ret);
		last[i] = b.bo;
	}
	b = it_batch(dev, 4096);
	it_emit_store(&b, page->address + 4 * WAITERS, 1);
	it_emit_end(&b);
	ret = it_run(dev, it_ctx_engines(dev), engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of the batch that lets them go: error %d", ret);

	for (unsigned int i = 0; i < WAITERS; i++) {
		ret = it_bo_wait(last[i], IT_WAIT_NS);
		if (ret)
			dw[WAITERS] = 1;
		it_expect(!ret, "waiter %u never got its turn: error %d", i, ret);
	}
	for (unsigned int i = 0; i < WAITERS; i++)
		it_expect(dw[i] == i + 1, "waiter %u stored %u", i, dw[i]);
}

/* Keeps an engine until the page's first dword is set. */
static struct it_batch plug(struct it_dev *dev, struct it_bo *page, unsigned int engine)
{
	struct it_batch b = it_batch(dev, 4096);
	int ret;

	it_emit_gate(&b, page->address);
	it_emit_end(&b);
	ret = it_run(dev, it_ctx_priority(dev, 1000), engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of the batch that keeps the engine: error %d", ret);
	return b;
}

static void store(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *bo, uint32_t value,
		  uint64_t flags)
{
	struct it_batch b = it_batch(dev, 4096);
	int ret;

	it_emit_store(&b, bo->address, value);
	it_emit_end(&b);
	ret = it_run(dev, ctx, engine, &b, &bo, 1, flags);
	it_expect(!ret, "execbuf of a batch that stores %u: error %d", value, ret);
}

/* The most urgent request waits for the least urgent one: both run before the request in between. */
static void inherits(unsigned int engine)
{
	enum { LOW = 1, BETWEEN, HIGH };
	struct it_dev *dev = it_open();
	uint32_t low = it_ctx_priority(dev, -1000), between = it_ctx_priority(dev, -500);
	uint32_t high = it_ctx_priority(dev, 0);
	struct it_bo *page = it_bo(dev, 4096), *link = it_bo(dev, 4096), *last = it_bo(dev, 4096);
	struct it_batch b = plug(dev, page, engine);
	int ret;

	/* The request behind it would be in the hardware already. */
	plug(dev, page, engine);
	store(dev, between, engine, last, BETWEEN, EXEC_OBJECT_ASYNC);
	store(dev, low, engine, last, LOW, EXEC_OBJECT_ASYNC);
	store(dev, low, engine, link, LOW, 0);
	store(dev, high, engine, link, HIGH, 0);
	store(dev, high, engine, last, HIGH, EXEC_OBJECT_ASYNC);
	*(volatile uint32_t *)page->map = 1;
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	if (!ret)
		ret = it_bo_wait(link, IT_WAIT_NS);
	if (!ret)
		ret = it_bo_wait(last, IT_WAIT_NS);
	it_expect(!ret, "waiting for all: error %d", ret);
	it_expect(*(uint32_t *)link->map == HIGH, "%u was the last of those that wait", *(uint32_t *)link->map);
	it_expect(*(uint32_t *)last->map == BETWEEN, "%u was the last", *(uint32_t *)last->map);
}

struct submitter {
	struct it_dev *dev;
	uint32_t ctx;
	unsigned int engine;
	struct it_batch *b;
	struct it_bo *shared;
	int ret;
	bool done;
};

/* Not it_run(), which ends the subtest on an error; nor it_ioctl(), which tries again. */
static void *submit_one(void *arg)
{
	const uint64_t flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	struct submitter *s = arg;
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .handle = s->shared->handle, .offset = s->shared->address, .flags = flags | EXEC_OBJECT_ASYNC },
		{ .handle = s->b->bo->handle, .offset = s->b->bo->address, .flags = flags },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj,
		.buffer_count = ARRAY_SIZE(obj),
		.batch_len = (s->b->n * 4 + 7) & ~7u,
		.flags = s->engine | I915_EXEC_NO_RELOC,
		.rsvd1 = s->ctx,
	};

	s->ret = ioctl(s->dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb) ? -errno : 0;
	__atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
	return NULL;
}

#define RING_FULL	10000		/* batches that no ring holds */
#define PATIENCE_MS	120000

/* One client waits for room in its ring. A second client that uses the same object does not wait. */
static void full_ring(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096), *shared = it_bo(dev, 4096);
	struct it_batch b = plug(dev, page, engine), empty[2] = { it_batch(dev, 4096), it_batch(dev, 4096) };
	struct submitter s[2] = {
		{ dev, it_ctx_engines(dev), engine, &empty[0], shared, 0, false },
		{ dev, it_ctx_engines(dev), engine, &empty[1], shared, 0, false },
	};
	int flags = fcntl(dev->fd, F_GETFL), ret;
	unsigned int n = 0, ms = 0;
	pthread_t thread[2];

	it_emit_end(&empty[0]);
	it_emit_end(&empty[1]);
	it_expect(!fcntl(dev->fd, F_SETFL, flags | O_NONBLOCK), "O_NONBLOCK: error %d", errno);
	while (!s[0].ret && n++ < RING_FULL)
		submit_one(&s[0]);
	it_expect(s[0].ret == -EWOULDBLOCK, "batch %u behind one that keeps the engine: error %d", n, s[0].ret);
	it_expect(!fcntl(dev->fd, F_SETFL, flags), "F_SETFL: error %d", errno);

	s[0].done = false;
	it_expect(!pthread_create(&thread[0], NULL, submit_one, &s[0]), "no thread");
	usleep(50000);
	ret = pthread_create(&thread[1], NULL, submit_one, &s[1]);
	while (!ret && !__atomic_load_n(&s[1].done, __ATOMIC_ACQUIRE) && ms++ < PATIENCE_MS)
		usleep(1000);
	*(volatile uint32_t *)page->map = 1;
	pthread_join(thread[0], NULL);
	it_expect(!ret, "no thread");
	pthread_join(thread[1], NULL);
	it_expect(ms <= PATIENCE_MS, "a client that shares an object with it waits, too");
	it_expect(!s[0].ret && !s[1].ret, "execbufs: errors %d, %d", s[0].ret, s[1].ret);
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	if (!ret)
		ret = it_bo_wait(shared, IT_WAIT_NS);
	it_expect(!ret, "waiting for all: error %d", ret);
}

static void yields(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t stubborn = it_ctx_engines(dev), urgent = it_ctx_priority(dev, 1000);
	struct drm_i915_reset_stats before = { .ctx_id = stubborn }, stats = { .ctx_id = stubborn };
	struct it_batch spin = it_batch(dev, 4096), b = it_batch(dev, 4096);
	struct it_bo *page = it_bo(dev, 4096);
	volatile uint32_t *dw = page->map;
	int ret;

	it_emit_store(&spin, page->address + 64, 1);
	it_emit_endless(&spin);
	it_emit_store(&b, page->address, 1);
	it_emit_end(&b);

	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &before);
	it_expect(!ret, "reset statistics: error %d", ret);
	ret = it_run(dev, stubborn, engine, &spin, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of the spinner: error %d", ret);
	/* The engine would take the urgent batch first if it had not begun the spinner yet. */
	it_expect(it_poll(&dw[16], 1), "the spinner does not begin");
	ret = it_run(dev, urgent, engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of the urgent batch: error %d", ret);
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret, "the urgent batch did not run: error %d", ret);
	it_expect(dw[0] == 1, "the urgent batch stored %u", dw[0]);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	it_expect(!ret && stats.batch_active == 1, "the spinner's context counts %u active batches in hangs",
		  stats.batch_active);
	/* Only resets of all engines together are counted there. */
	it_expect(stats.reset_count == before.reset_count, "%u resets instead of %u", stats.reset_count,
		  before.reset_count);
}

/* A heartbeat that was far off comes sooner when it is told to, and ends what never would. */
static void hastens(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct drm_i915_reset_stats stats = { .ctx_id = ctx };
	struct it_batch spin = it_spinner(dev);
	int ret;

	ret = it_run(dev, ctx, engine, &spin, NULL, 0, 0);
	it_expect(!ret, "execbuf of the spinner: error %d", ret);
	/* A beat that was on its way before the subtest is past then. */
	sleep(3);
	/* The engine gets some of these intervals to end what is left of the spinner. */
	it_expect(it_engine_set(dev->engine[engine].name, "heartbeat_interval_ms", "1000"), "the interval isn't set");
	ret = it_bo_wait(spin.bo, IT_WAIT_NS);
	it_expect(!ret, "the spinner does not end: error %d", ret);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	it_expect(!ret && stats.batch_active == 1, "the spinner's context counts %u active batches in hangs",
		  stats.batch_active);
}

/* A preempt timeout that is set while an urgent request waits already counts for the batch that runs. */
static void yields_when_told(unsigned int engine)
{
	struct it_dev *dev = it_open();
	const char *name = dev->engine[engine].name;
	uint32_t stubborn = it_ctx_engines(dev), urgent = it_ctx_priority(dev, 1000);
	struct it_batch spin = it_batch(dev, 4096), b = it_batch(dev, 4096);
	struct it_bo *page = it_bo(dev, 4096);
	volatile uint32_t *dw = page->map;
	int ret, ret_b, early;
	bool set;

	it_emit_store(&spin, page->address, 1);
	it_emit_endless(&spin);
	it_emit_store(&b, page->address + 64, 1);
	it_emit_end(&b);

	if (!it_engine_set(name, "preempt_timeout_ms", "0"))
		it_skip("the timeout can't be set");
	ret = it_run(dev, stubborn, engine, &spin, &page, 1, EXEC_OBJECT_ASYNC);
	if (!ret && !it_poll(dw, 1))
		ret = -ETIME;
	ret_b = it_run(dev, urgent, engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	early = it_bo_wait(b.bo, 100000000);
	set = it_engine_set(name, "preempt_timeout_ms", "100");
	if (!ret_b)
		ret_b = it_bo_wait(b.bo, IT_WAIT_NS);
	it_engine_set(name, "preempt_timeout_ms", NULL);
	it_expect(!ret && set, "the batch that keeps the engine: error %d", ret);
	it_expect(early == -ETIME, "the urgent batch does not wait: error %d", early);
	it_expect(!ret_b && dw[16] == 1, "the urgent batch: error %d, stored %u", ret_b, dw[16]);
}

/*
 * A batch of a closed context could hang on an engine without heartbeats for ever. So the batch is ended, whether the
 * heartbeat is switched off before or after the context is closed.
 */
static void abandons(unsigned int arg)
{
	unsigned int engine = arg & 0xff, off_first = arg >> 8;
	struct it_dev *dev = it_open();
	const char *name = dev->engine[engine].name;
	uint32_t ctx = it_ctx_priority(dev, 0);
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);
	int ret, early = -ETIME;
	bool begun;

	if (!off_first)
		it_expect(it_engine_set(name, "heartbeat_interval_ms", "2500"), "the interval can't be set");
	it_emit_store(&b, page->address + 64, 1);
	it_emit_gate(&b, page->address);
	it_emit_store(&b, page->address + 128, 1);
	it_emit_end(&b);
	ret = it_run(dev, ctx, engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf: error %d", ret);
	begun = it_poll((volatile uint32_t *)page->map + 16, 1);

	it_ctx_destroy(dev, ctx);
	if (!off_first) {
		early = it_bo_wait(b.bo, 100000000);
		it_expect(it_engine_set(name, "heartbeat_interval_ms", "0"), "the interval can't be set");
	}
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	*(volatile uint32_t *)page->map = 1;
	it_expect(begun, "the batch did not begin");
	it_expect(early == -ETIME, "what persists does not: error %d", early);
	it_expect(!ret, "what is left of the context does not end: error %d", ret);
	it_expect(!((volatile uint32_t *)page->map)[32], "the batch has come to its end");
}

#define REQUEST_TIMEOUT	"/sys/kernel/debug/dri/0/i915_params/request_timeout_ms"

/* A batch that runs for too long is ended, and the next one runs. A batch that waits as long is not ended. */
static void overdue(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t hog = it_ctx_priority(dev, 1000), other = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch spin = it_batch(dev, 4096), b = it_batch(dev, 4096);
	volatile uint32_t *dw = page->map;
	char before[16];
	int ret, ret_b;
	bool busy;

	it_emit_gate(&spin, page->address);
	it_emit_store(&spin, page->address + 64, 1);
	it_emit_end(&spin);
	it_emit_store(&b, page->address + 128, 2);
	it_emit_end(&b);

	/* i915 gives a context at its first use the limit of that moment; to igen that of the moment is all. */
	if (it_read_file(REQUEST_TIMEOUT, before, sizeof(before)) || it_write_file(REQUEST_TIMEOUT, "1000"))
		it_skip("the time of requests can't be limited");
	ret = it_run(dev, hog, engine, &spin, &page, 1, EXEC_OBJECT_ASYNC);
	it_write_file(REQUEST_TIMEOUT, before);
	if (!ret)
		ret = it_run(dev, other, engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	it_write_file(REQUEST_TIMEOUT, "1000");
	busy = it_bo_busy(spin.bo);
	if (!ret)
		ret = it_bo_wait(spin.bo, IT_WAIT_NS);
	dw[0] = 1;
	it_write_file(REQUEST_TIMEOUT, before);
	ret_b = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret && busy, "what would run for ever: error %d, %s", ret, busy ? "busy" : "idle at once");
	it_expect(!dw[16], "it has come to its end");
	it_expect(!ret_b && dw[32] == 2, "the batch that waited: error %d, stored %u", ret_b, dw[32]);
}

/* Indices of further dwords in the page, behind those that the waiters store to. */
enum { BEGUN = WAITERS, GO };

/* Has a context keep its engine until it is told to go on; what comes next on it is then still to begin. */
static void circle(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *page)
{
	struct it_batch b = it_batch(dev, 4096);
	int ret;

	it_emit_store(&b, page->address + 4 * BEGUN, 1);
	it_emit_circle(&b, page->address + 4 * GO);
	ret = it_run(dev, ctx, engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of the batch that keeps the engine: error %d", ret);
	it_expect(it_poll((uint32_t *)page->map + BEGUN, 1), "the batch that keeps the engine does not begin");
}

/*
 * On one engine each batch but the last waits for the next one. A batch that waits in vain goes behind the others. The
 * others arrive while the first one waits, or are queued before it runs. The timeslice is so long that only the wait
 * can end a turn.
 */
static void give_way(unsigned int engine, unsigned int num, bool later)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096), *last[WAITERS];
	volatile uint32_t *dw = page->map;
	int ret = 0;

	for (unsigned int i = 0; i < num; i++) {
		uint32_t ctx = it_ctx_engines(dev);
		struct it_batch b = it_batch(dev, 4096);

		if (!i && !later)
			circle(dev, ctx, engine, page);
		if (!i && later)
			it_emit_store(&b, page->address + 4 * BEGUN, 1);
		if (i + 1 < num)
			it_emit_gate(&b, page->address + 4 * (i + 1));
		it_emit_store(&b, page->address + 4 * i, 1);
		it_emit_end(&b);
		ret = it_run(dev, ctx, engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
		it_expect(!ret, "execbuf %u: error %d", i, ret);
		it_expect(i || !later || it_poll(&dw[BEGUN], 1), "the first does not begin");
		last[i] = b.bo;
	}
	dw[GO] = 1;
	for (unsigned int i = 0; i < num && !ret; i++)
		ret = it_bo_wait(last[i], IT_WAIT_NS);
	/* Else they would be in the way of the next subtest. */
	for (unsigned int i = 0; i < num; i++)
		dw[i] |= 2;
	it_expect(!ret, "a batch that waits does not give way: error %d", ret);
	for (unsigned int i = 0; i < num; i++)
		it_expect(dw[i] == 3, "number %u stored %u", i, dw[i]);
}

static void gives_way(unsigned int engine)
{
	give_way(engine, 2, false);
}

static void gives_way_later(unsigned int engine)
{
	give_way(engine, 2, true);
}

static void all_give_way(unsigned int engine)
{
	give_way(engine, WAITERS, false);
}

/*
 * A request that starts together with another one does not start before it, even if the hardware has the other one
 * already, behind a batch that keeps the engine. It does not wait for the other one's end, which depends on it.
 */
static void starts_with(unsigned int engine, bool same)
{
	struct it_dev *dev = it_open();
	unsigned int other = (engine + 1) % dev->num_engines;
	uint32_t keeper = it_ctx_engines(dev), ctx = same ? keeper : it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch first = it_batch(dev, 4096), second = it_batch(dev, 4096), third = it_batch(dev, 4096);
	volatile uint32_t *dw = page->map;
	int fence, ret, ret_third;
	uint32_t early;

	it_emit_gate(&first, page->address);
	it_emit_store(&first, page->address + 4, 1);
	it_emit_end(&first);
	it_emit_store(&second, page->address, 1);
	it_emit_end(&second);
	it_emit_store(&third, page->address + 8, 1);
	it_emit_end(&third);

	circle(dev, keeper, engine, page);
	fence = it_run_fence(dev, ctx, engine, &first, page, I915_EXEC_FENCE_OUT, 0);
	it_run_fence(dev, it_ctx_engines(dev), other, &second, page, I915_EXEC_FENCE_SUBMIT, fence);
	close(fence);
	/* On the engine of the second it comes behind that. */
	ret_third = it_run(dev, it_ctx_engines(dev), other, &third, &page, 1, EXEC_OBJECT_ASYNC);
	if (!ret_third)
		ret_third = it_bo_wait(third.bo, IT_WAIT_NS);
	early = dw[0];
	dw[GO] = 1;
	ret = it_bo_wait(first.bo, IT_WAIT_NS);
	dw[0] |= 2;
	it_expect(!ret_third && dw[2] == 1, "the batch behind it: error %d, stored %u", ret_third, dw[2]);
	it_expect(!early, "it has run before what it starts with");
	it_expect(!ret && dw[0] == 3 && dw[1] == 1, "what it starts with: error %d, stored %u", ret, dw[1]);
}

static void starts_with_next(unsigned int engine)
{
	starts_with(engine, false);
}

static void starts_with_own_next(unsigned int engine)
{
	starts_with(engine, true);
}

static void no_timeslice(unsigned int engine)
{
	(void)engine;
	it_skip("the timeslice can't be set");
}

static void no_heartbeat(unsigned int engine)
{
	(void)engine;
	it_skip("the heartbeat's interval can't be set");
}

void smoke_sched(const struct it_engine *engines, unsigned int n)
{
	bool slow;

	for (unsigned int i = 0; i < n; i++)
		it_subtest(turns, i, "turns-%s", engines[i].name);
	for (unsigned int i = 0; i < n; i++)
		it_subtest(inherits, i, "inherits-%s", engines[i].name);
	for (unsigned int i = 0; i < n; i++)
		it_subtest(full_ring, i, "full-ring-%s", engines[i].name);
	for (unsigned int i = 0; i < n; i++) {
		bool off = it_engine_set(engines[i].name, "heartbeat_interval_ms", "0");

		it_subtest(off ? yields : no_heartbeat, i, "yields-%s", engines[i].name);
		it_subtest(off ? yields_when_told : no_heartbeat, i, "yields-when-told-%s", engines[i].name);
		it_subtest(off ? abandons : no_heartbeat, i | 1 << 8, "abandons-new-%s", engines[i].name);
		it_subtest(off ? abandons : no_heartbeat, i, "abandons-old-%s", engines[i].name);
		if (off)
			it_engine_set(engines[i].name, "heartbeat_interval_ms", NULL);
	}
	for (unsigned int i = 0; i < n; i++)
		it_subtest(overdue, i, "overdue-%s", engines[i].name);
	for (unsigned int i = 0; i < n; i++) {
		bool set = it_engine_set(engines[i].name, "timeslice_duration_ms", "3600000");

		it_subtest(set ? gives_way : no_timeslice, i, "gives-way-%s", engines[i].name);
		it_subtest(set ? gives_way_later : no_timeslice, i, "gives-way-later-%s", engines[i].name);
		it_subtest(set ? all_give_way : no_timeslice, i, "all-give-way-%s", engines[i].name);
		it_subtest(set ? starts_with_next : no_timeslice, i, "starts-with-%s", engines[i].name);
		it_subtest(set ? starts_with_own_next : no_timeslice, i, "starts-with-own-%s", engines[i].name);
		if (set)
			it_engine_set(engines[i].name, "timeslice_duration_ms", NULL);
	}
	slow = it_engine_set(engines[0].name, "heartbeat_interval_ms", "3600000");
	it_subtest(slow ? hastens : no_heartbeat, 0, "hastens-%s", engines[0].name);
	if (slow)
		it_engine_set(engines[0].name, "heartbeat_interval_ms", NULL);
}
