// SPDX-License-Identifier: MIT
/**
 * DOC: What comes between a preemption's begin and the return of what was preempted
 *
 * Hangs, ends of clients, resets, sleep. Whatever comes, batches that had no part in it end as if it had not been: one
 * that was preempted goes on where it was, and does so once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/build.h"
#include "uhptr.h"

#define TOKEN		0x51a7b00cu
#define DEBUGFS		"/sys/kernel/debug/dri/0/"
#define ALL		"0xffffffff"
#define ROUNDS		2u
#define MAX_LEAD	30u		/* small batches that move the ring's tail */
#define HEARTBEAT_MS	"400"		/* three of these are patience with a model that is late, too */

/* Contexts, from those that give way to those that do not. */
enum { LOWEST = -600, LOW = -500, MIDDLE = 0, URGENT = 500 };

static unsigned int gen;

/* A batch that runs in circles, with an arbitration point in each or with none, until it is let go. */
struct loop {
	struct it_batch batch;
	struct it_bo *bo;
	uint32_t ctx;
	unsigned int jump, behind;	/* dwords: the jump back's address, and what is behind it */
};

/* It makes its first command its end, so it would not come to its last store if it began again. */
static struct loop loop_run(struct it_dev *dev, unsigned int engine, int priority, bool checks)
{
	struct loop l = { .bo = it_bo(dev, IT_SLOTS * 8), .ctx = it_ctx_priority(dev, priority) };
	struct igen_batch b;
	unsigned int circle;
	struct it_bo *bo;
	int ret;

	l.batch = it_build(dev, gen, engine, 4096, &b);
	bo = l.batch.bo;
	igen_mi_noop(&b, 2);
	igen_mi_store_dword(&b, (struct igen_address){ bo->address, 0, bo->size, bo->handle }, MI_BATCH_BUFFER_END);
	it_build_store(&b, l.bo->address, 0, TOKEN, l.bo->handle);
	circle = b.used;
	igen_mi_noop(&b, 10);
	if (checks)
		igen_mi_arb_check(&b);
	l.jump = b.used + 1;
	igen_mi_chain(&b, (struct igen_address){ bo->address, circle * 4, bo->size, bo->handle });
	l.behind = b.used;
	it_build_store(&b, l.bo->address, 1, TOKEN, l.bo->handle);
	it_build_end(&b, &l.batch);
	ret = it_run(dev, l.ctx, engine, &l.batch, &l.bo, 1, 0);
	it_expect(!ret, "execbuf: error %d", ret);
	return l;
}

static struct loop loop_begin(struct it_dev *dev, unsigned int engine, int priority, bool checks)
{
	struct loop l = loop_run(dev, engine, priority, checks);

	it_expect_slot(l.bo, 0, TOKEN);
	return l;
}

static void loop_let_go(struct loop *l)
{
	((volatile uint32_t *)l->batch.dw)[l->jump] = l->batch.bo->address + l->behind * 4;
}

static struct drm_i915_reset_stats stats_of(struct it_dev *dev, uint32_t ctx)
{
	struct drm_i915_reset_stats stats = { .ctx_id = ctx };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);

	it_expect(!ret, "GET_RESET_STATS: error %d", ret);
	return stats;
}

static void expect_end(const struct it_bo *bo, const char *what)
{
	int ret = it_bo_wait(bo, IT_WAIT_NS);

	it_expect(!ret, "%s did not end: error %d", what, ret);
}

/* It had no part in anything. */
static void loop_end(struct it_dev *dev, struct loop *l, const char *what)
{
	it_expect(it_bo_busy(l->batch.bo), "%s has ended", what);
	loop_let_go(l);
	expect_end(l->batch.bo, what);
	it_expect(it_slot(l->bo, 1) == TOKEN, "%s began again, or was not continued", what);
	it_expect(!stats_of(dev, l->ctx).batch_active, "%s is called guilty", what);
}

/* A batch that stores, in a context of its own. */
static struct it_batch store_run(struct it_dev *dev, unsigned int engine, int priority, struct it_bo *bo,
				 uint32_t *ctx)
{
	struct igen_batch b;
	struct it_batch batch = it_build(dev, gen, engine, 4096, &b);
	int ret;

	*ctx = it_ctx_priority(dev, priority);
	it_build_store(&b, bo->address, 0, TOKEN, bo->handle);
	it_build_end(&b, &batch);
	ret = it_run(dev, *ctx, engine, &batch, &bo, 1, 0);
	it_expect(!ret, "execbuf: error %d", ret);
	return batch;
}

static void store_end(struct it_dev *dev, const struct it_batch *batch, const struct it_bo *bo, uint32_t ctx,
		      const char *what)
{
	expect_end(batch->bo, what);
	it_expect(it_slot(bo, 0) == TOKEN, "%s did nothing", what);
	it_expect(!stats_of(dev, ctx).batch_active, "%s is called guilty", what);
}

/* A batch of a new context with the lowest priority runs: no request holds the engine. */
static void expect_free(struct it_dev *dev, unsigned int engine)
{
	struct it_bo *bo = it_bo(dev, IT_SLOTS * 8);
	struct it_batch batch;
	uint32_t ctx;

	batch = store_run(dev, engine, LOWEST, bo, &ctx);
	store_end(dev, &batch, bo, ctx, "a batch afterwards");
}

/* Some batches, so that the next ones are elsewhere in the ring. */
static void lead(struct it_dev *dev, unsigned int engine)
{
	struct it_bo *bo = it_bo(dev, IT_SLOTS * 8);
	unsigned int more = rand() % MAX_LEAD;
	struct it_batch batch;
	uint32_t ctx;
	int ret;

	batch = store_run(dev, engine, LOWEST, bo, &ctx);
	for (unsigned int n = 0; n < more; n++) {
		ret = it_run(dev, ctx, engine, &batch, &bo, 1, 0);
		it_expect(!ret, "execbuf: error %d", ret);
	}
	store_end(dev, &batch, bo, ctx, "a batch before");
}

static void quick_heartbeat(struct it_dev *dev, unsigned int engine, bool quick)
{
	bool set = it_engine_set(dev->engine[engine].name, "heartbeat_interval_ms", quick ? HEARTBEAT_MS : NULL);

	if (quick && !set)
		it_skip("no heartbeat that could be set");
}

/* The running batch hangs. It has no arbitration point, so the urgent one waits, and another one behind it. */
static void hang_asked(unsigned int engine)
{
	struct it_dev *dev = it_open();

	for (unsigned int n = 0; n < ROUNDS; n++) {
		struct it_bo *bo[2] = { it_bo(dev, IT_SLOTS * 8), it_bo(dev, IT_SLOTS * 8) };
		struct it_batch batch[2];
		struct loop hang;
		uint32_t ctx[2];

		lead(dev, engine);
		hang = loop_begin(dev, engine, LOW, false);
		batch[0] = store_run(dev, engine, LOW, bo[0], &ctx[0]);
		batch[1] = store_run(dev, engine, URGENT, bo[1], &ctx[1]);
		/* For this batch alone: on a slow machine the others could be too slow for it. */
		quick_heartbeat(dev, engine, true);
		expect_end(hang.batch.bo, "what hangs");
		quick_heartbeat(dev, engine, false);
		store_end(dev, &batch[1], bo[1], ctx[1], "the urgent batch");
		store_end(dev, &batch[0], bo[0], ctx[0], "the batch behind");
		it_expect(stats_of(dev, hang.ctx).batch_active == 1, "what hangs is not called guilty");
	}
}

/* The urgent batch hangs, when it has preempted one that has preempted another. */
static void hang_urgent(unsigned int engine)
{
	struct it_dev *dev = it_open();

	for (unsigned int n = 0; n < ROUNDS; n++) {
		struct loop low, middle, hang;

		lead(dev, engine);
		low = loop_begin(dev, engine, LOW, true);
		middle = loop_begin(dev, engine, MIDDLE, true);
		hang = loop_begin(dev, engine, URGENT, false);
		/* For this batch alone: on a slow machine the others could be too slow for it. */
		quick_heartbeat(dev, engine, true);
		expect_end(hang.batch.bo, "what hangs");
		quick_heartbeat(dev, engine, false);
		it_expect(stats_of(dev, hang.ctx).batch_active == 1, "what hangs is not called guilty");
		loop_end(dev, &middle, "the batch that was preempted last");
		loop_end(dev, &low, "the batch that was preempted first");
	}
}

/* No context of a client goes on when the client has ended. */
static void end_with_client(struct it_dev *dev, uint32_t ctx)
{
	int ret = it_ctx_param(dev->fd, ctx, I915_CONTEXT_PARAM_PERSISTENCE, 0);

	it_expect(!ret, "PERSISTENCE: error %d", ret);
}

static void killed_preempted(unsigned int engine)
{
	for (unsigned int n = 0; n < ROUNDS; n++) {
		struct it_dev *client = it_open(), *dev = it_open();
		struct loop low, urgent;

		lead(dev, engine);
		low = loop_begin(client, engine, LOW, true);
		end_with_client(client, low.ctx);
		urgent = loop_begin(dev, engine, URGENT, true);
		it_close(client);
		loop_end(dev, &urgent, "the urgent batch");
		expect_free(dev, engine);
		it_close(dev);
	}
}

/* The running one does not yield, so its end is a reset. */
static void killed_asked(unsigned int engine)
{
	for (unsigned int n = 0; n < ROUNDS; n++) {
		struct it_dev *client = it_open(), *dev = it_open();
		struct it_bo *bo = it_bo(dev, IT_SLOTS * 8);
		struct it_batch batch;
		struct loop low;
		uint32_t ctx;

		lead(dev, engine);
		low = loop_begin(client, engine, LOW, false);
		end_with_client(client, low.ctx);
		batch = store_run(dev, engine, URGENT, bo, &ctx);
		it_close(client);
		store_end(dev, &batch, bo, ctx, "the urgent batch");
		expect_free(dev, engine);
		it_close(dev);
	}
}

static void killed_urgent(unsigned int engine)
{
	for (unsigned int n = 0; n < ROUNDS; n++) {
		struct it_dev *client = it_open(), *dev = it_open();
		struct loop low, urgent;

		lead(dev, engine);
		low = loop_begin(dev, engine, LOW, false);
		urgent = loop_run(client, engine, URGENT, true);
		end_with_client(client, urgent.ctx);
		it_close(client);
		loop_end(dev, &low, "the batch that runs");
		expect_free(dev, engine);
		it_close(dev);
	}
}

/* All engines are reset while one batch is preempted, and another one waits for an arbitration point. */
static void reset(unsigned int engine)
{
	struct it_dev *dev = it_open();

	if (access(DEBUGFS "i915_wedged", W_OK))
		it_skip("the GPU cannot be reset");
	for (unsigned int n = 0; n < ROUNDS; n++) {
		struct it_bo *bo = it_bo(dev, IT_SLOTS * 8);
		struct loop low, middle;
		struct it_batch batch;
		uint32_t ctx;
		int ret;

		lead(dev, engine);
		low = loop_begin(dev, engine, LOW, true);
		middle = loop_begin(dev, engine, MIDDLE, false);
		batch = store_run(dev, engine, URGENT, bo, &ctx);
		ret = it_write_file(DEBUGFS "i915_wedged", ALL);
		it_expect(!ret, "resetting the GPU: error %d", ret);
		expect_end(middle.batch.bo, "the batch that ran");
		store_end(dev, &batch, bo, ctx, "the urgent batch");
		loop_end(dev, &low, "the batch that was preempted");
	}
}

void uhptr_events(unsigned int generation, unsigned int engine, const char *name)
{
	static const struct {
		void (*fn)(unsigned int engine);
		const char *name;
	} tests[] = {
		{ hang_asked, "hang-asked" }, { hang_urgent, "hang-urgent" }, { killed_preempted, "killed-preempted" },
		{ killed_asked, "killed-asked" }, { killed_urgent, "killed-urgent" }, { reset, "reset" },
	};

	gen = generation;
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++)
		it_subtest(tests[i].fn, engine, "%s-%s", tests[i].name, name);
}
