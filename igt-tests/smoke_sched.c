// SPDX-License-Identifier: MIT
/*
 * DOC: Who runs when
 *
 * Contexts that are as urgent as each other take turns on an engine, so that one which waits for another on the same
 * engine gets what it waits for; and what does not yield to somebody more urgent is ended, heartbeat or no.
 */
#include <unistd.h>

#include "smoke.h"

/* More than the engine has ports. */
#define WAITERS 4

/* What a waiter waits for is behind it, and behind the others. */
static void turns(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096), *last[WAITERS];
	volatile uint32_t *dw = page->map;
	struct it_batch b;
	int ret;

	for (unsigned int i = 0; i < WAITERS; i++) {
		b = it_batch(dev, 4096);
		it_emit(&b, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_NEQ_SDD);
		it_emit(&b, 0);
		it_emit_address(&b, page->address + 4 * (i + 1));
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
	it_expect(!ret, "execbuf of who lets them go: error %d", ret);

	for (unsigned int i = 0; i < WAITERS; i++) {
		ret = it_bo_wait(last[i], IT_WAIT_NS);
		if (ret)
			dw[WAITERS] = 1;
		it_expect(!ret, "waiter %u never got its turn: error %d", i, ret);
	}
	for (unsigned int i = 0; i < WAITERS; i++)
		it_expect(dw[i] == i + 1, "waiter %u stored %u", i, dw[i]);
}

static void yields(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t stubborn = it_ctx_engines(dev), urgent = it_ctx_priority(dev, 1000);
	struct drm_i915_reset_stats stats = { .ctx_id = stubborn };
	struct it_batch spin = it_batch(dev, 4096), b = it_batch(dev, 4096);
	struct it_bo *page = it_bo(dev, 4096);
	volatile uint32_t *dw = page->map;
	int ret;

	/* No arbitration point in the loop. */
	it_emit(&spin, MI_NOOP);
	it_emit(&spin, MI_NOOP);
	it_emit(&spin, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(&spin, spin.bo->address + 8);
	it_emit_end(&spin);
	it_emit_store(&b, page->address, 1);
	it_emit_end(&b);

	ret = it_run(dev, stubborn, engine, &spin, NULL, 0, 0);
	it_expect(!ret, "execbuf of the spinner: error %d", ret);
	ret = it_run(dev, urgent, engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of the urgent batch: error %d", ret);
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret, "the urgent batch did not run: error %d", ret);
	it_expect(dw[0] == 1, "the urgent batch stored %u", dw[0]);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	it_expect(!ret && stats.batch_active == 1, "the spinner's context counts %u active batches in hangs",
		  stats.batch_active);
}

/* A heartbeat that was far off comes sooner when it is told to, and ends what never would. */
static void hastens(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct drm_i915_reset_stats stats = { .ctx_id = ctx };
	struct it_batch spin = it_batch(dev, 4096);
	int ret;

	it_emit(&spin, MI_NOOP);
	it_emit(&spin, MI_NOOP);
	it_emit(&spin, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(&spin, spin.bo->address + 8);
	it_emit_end(&spin);
	ret = it_run(dev, ctx, engine, &spin, NULL, 0, 0);
	it_expect(!ret, "execbuf of the spinner: error %d", ret);
	/* A beat that was on its way before the subtest is past then. */
	sleep(3);
	it_expect(it_engine_set(dev->engine[engine].name, "heartbeat_interval_ms", "50"), "the interval can't be set");
	ret = it_bo_wait(spin.bo, IT_WAIT_NS);
	it_expect(!ret, "the spinner does not end: error %d", ret);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	it_expect(!ret && stats.batch_active == 1, "the spinner's context counts %u active batches in hangs",
		  stats.batch_active);
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
	for (unsigned int i = 0; i < n; i++) {
		bool off = it_engine_set(engines[i].name, "heartbeat_interval_ms", "0");

		it_subtest(off ? yields : no_heartbeat, i, "yields-%s", engines[i].name);
		if (off)
			it_engine_set(engines[i].name, "heartbeat_interval_ms", NULL);
	}
	slow = it_engine_set(engines[0].name, "heartbeat_interval_ms", "3600000");
	it_subtest(slow ? hastens : no_heartbeat, 0, "hastens-%s", engines[0].name);
	if (slow)
		it_engine_set(engines[0].name, "heartbeat_interval_ms", NULL);
}
