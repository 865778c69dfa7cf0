// SPDX-License-Identifier: MIT
/*
 * DOC: Contexts that are balanced over several engines
 *
 * A slot that names two engines runs its batches on the engine that is free, keeps their order, and is punished for its
 * own hangs alone. The tests keep engines busy by batches that cannot be preempted. Timeslices, preemption and
 * heartbeats are off, so that only the driver's choice of an engine brings a batch onto it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "smoke.h"

#define BALANCED	0u		/* slots of a context made by ctx_balanced() */
#define PHYSICAL(n)	(1 + (n))
#define MAX_SIBLINGS	4
#define IN_ORDER	48

static struct it_engine sibling[MAX_SIBLINGS];
static unsigned int num_siblings;

/* A context whose slot 0 is balanced over the siblings, which are the slots behind it. */
static uint32_t ctx_balanced(struct it_dev *dev)
{
	I915_DEFINE_CONTEXT_ENGINES_LOAD_BALANCE(balance, MAX_SIBLINGS) = {
		.base.name = I915_CONTEXT_ENGINES_EXT_LOAD_BALANCE,
		.engine_index = BALANCED,
		.num_siblings = num_siblings,
	};
	I915_DEFINE_CONTEXT_PARAM_ENGINES(engines, 1 + MAX_SIBLINGS) = { .extensions = (uintptr_t)&balance };
	struct drm_i915_gem_context_create_ext_setparam set = {
		.base.name = I915_CONTEXT_CREATE_EXT_SETPARAM,
		.param = {
			.param = I915_CONTEXT_PARAM_ENGINES,
			.size = sizeof(uint64_t) + (1 + num_siblings) * sizeof(engines.engines[0]),
			.value = (uintptr_t)&engines,
		},
	};
	struct drm_i915_gem_context_create_ext create = {
		.flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS, .extensions = (uintptr_t)&set,
	};
	int ret;

	engines.engines[BALANCED].engine_class = I915_ENGINE_CLASS_INVALID;
	engines.engines[BALANCED].engine_instance = I915_ENGINE_CLASS_INVALID_NONE;
	for (unsigned int i = 0; i < num_siblings; i++) {
		balance.engines[i].engine_class = sibling[i].class;
		balance.engines[i].engine_instance = sibling[i].instance;
		engines.engines[PHYSICAL(i)] = balance.engines[i];
	}
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create);
	it_expect(!ret, "GEM_CONTEXT_CREATE_EXT with a balanced map: error %d", ret);
	return create.ctx_id;
}

/* Flags are apart from each other, and 0 to begin with. */
static uint64_t flag_at(const struct it_bo *page, unsigned int flag)
{
	return page->address + 64 * flag;
}

static volatile uint32_t *flag_of(struct it_bo *page, unsigned int flag)
{
	return (volatile uint32_t *)page->map + 16 * flag;
}

/* A batch that sets the first flag and then is on its engine, and can't be preempted, until the second one is set. */
static struct it_batch keeper(struct it_dev *dev, struct it_bo *page, unsigned int set, unsigned int until)
{
	struct it_batch b = it_batch(dev, 4096);
	unsigned int loop;

	it_emit_store(&b, flag_at(page, set), 1);
	if (b.n & 1)
		it_emit(&b, MI_NOOP);
	loop = b.n;
	it_emit(&b, MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE | IGEN_PREP(MI_COND_BBE_OP_MASK, 4));
	it_emit(&b, 0);
	it_emit_address(&b, flag_at(page, until));
	it_emit(&b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(&b, b.bo->address + 4 * loop);
	it_emit_end(&b);
	return b;
}

static struct it_batch setter(struct it_dev *dev, struct it_bo *page, unsigned int set)
{
	struct it_batch b = it_batch(dev, 4096);

	it_emit_store(&b, flag_at(page, set), 1);
	it_emit_end(&b);
	return b;
}

static void run(struct it_dev *dev, uint32_t ctx, unsigned int slot, struct it_batch *b, struct it_bo *page)
{
	int ret = it_run(dev, ctx, slot, b, &page, 1, EXEC_OBJECT_ASYNC);

	it_expect(!ret, "execbuf: error %d", ret);
}

/* Waits. When that fails, batches that keep engines are let go first, so that the next subtest finds them idle. */
static void wait_for(struct it_batch *b, struct it_bo *page, const char *what)
{
	int ret = it_bo_wait(b->bo, IT_WAIT_NS);

	if (ret)
		memset(page->map, 1, page->size);
	it_expect(!ret, "%s did not end: error %d", what, ret);
}

static void not_guilty(struct it_dev *dev, uint32_t ctx)
{
	struct drm_i915_reset_stats stats = { .ctx_id = ctx };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);

	it_expect(!ret && !stats.batch_active, "context %u: error %d, %u hangs", ctx, ret, stats.batch_active);
}

/* Each lets the other go, so both have to be on an engine at the same time. */
static void both_at_once(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx[2] = { ctx_balanced(dev), ctx_balanced(dev) };
	struct it_bo *page = it_bo(dev, 4096);

	(void)arg;
	for (unsigned int round = 0; round < 8; round++) {
		struct it_batch a = keeper(dev, page, 0, 1), b = keeper(dev, page, 1, 0);

		*flag_of(page, 0) = 0;
		*flag_of(page, 1) = 0;
		run(dev, ctx[0], BALANCED, &a, page);
		run(dev, ctx[1], BALANCED, &b, page);
		wait_for(&a, page, "the first");
		wait_for(&b, page, "the second");
		it_bo_close(a.bo);
		it_bo_close(b.bo);
	}
	not_guilty(dev, ctx[0]);
	not_guilty(dev, ctx[1]);
}

/* With all engines kept, the balanced batch runs on the one that is let go. */
static void goes_where_free(unsigned int which)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch keep[MAX_SIBLINGS], b[4];
	uint32_t ctx = ctx_balanced(dev);

	for (unsigned int i = 0; i < num_siblings; i++) {
		keep[i] = keeper(dev, page, i, 16 + i);
		run(dev, ctx_balanced(dev), PHYSICAL(i), &keep[i], page);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(b); i++) {
		b[i] = setter(dev, page, 32 + i);
		run(dev, ctx, BALANCED, &b[i], page);
	}
	*flag_of(page, 16 + which) = 1;
	for (unsigned int i = 0; i < ARRAY_SIZE(b); i++)
		wait_for(&b[i], page, "what may run on either");
	for (unsigned int i = 0; i < num_siblings; i++) {
		bool busy = it_bo_busy(keep[i].bo);

		*flag_of(page, 16 + i) = 1;
		wait_for(&keep[i], page, "what keeps an engine");
		it_expect(busy == (i != which), "%s was %s", sibling[i].name, busy ? "busy" : "idle");
	}
	not_guilty(dev, ctx);
}

/* Each batch notes what the one before it left; meanwhile others keep its engines in turn, so that it has to move. */
static void in_order(unsigned int arg)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096), *keep = it_bo(dev, 65536);
	const uint32_t *dw = page->map;
	struct it_batch b[IN_ORDER], k[IN_ORDER / 4];
	uint32_t ctx = ctx_balanced(dev), other = ctx_balanced(dev);

	(void)arg;
	for (unsigned int i = 0; i < IN_ORDER; i++) {
		b[i] = it_batch(dev, 4096);
		it_emit(&b[i], MI_COPY_MEM_MEM);
		it_emit_address(&b[i], page->address + 4 * (16 + i));
		it_emit_address(&b[i], page->address);
		it_emit_store(&b[i], page->address, i + 1);
		it_emit_end(&b[i]);
	}
	for (unsigned int i = 0; i < IN_ORDER; i++) {
		if (i % 4 == 0) {
			k[i / 4] = keeper(dev, keep, 2 * i, 2 * i + 1);
			run(dev, other, PHYSICAL(i / 4 % num_siblings), &k[i / 4], keep);
		}
		run(dev, ctx, BALANCED, &b[i], page);
		if (i % 4 == 2)
			*flag_of(keep, 2 * (i - 2) + 1) = 1;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(k); i++)
		wait_for(&k[i], keep, "what keeps an engine");
	for (unsigned int i = 0; i < IN_ORDER; i++) {
		wait_for(&b[i], page, "one of many");
		it_expect(dw[16 + i] == i, "number %u came behind %u", i, dw[16 + i]);
	}
	not_guilty(dev, ctx);
}

/*
 * The second batch of a pair starts once the first one runs, and the first one ends only because of the second. The
 * second does not start earlier. To show that, a third batch waits for the start of the first one too, and has an idle
 * engine of another class for itself: when it runs, an engine has been released for the first one.
 */
static void pair_starts_together(unsigned int arg)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch keep[MAX_SIBLINGS], a = keeper(dev, page, 32, 33), b = setter(dev, page, 33);
	uint32_t first = ctx_balanced(dev), second = ctx_balanced(dev);
	struct it_batch c = it_batch(dev, 4096);
	unsigned int other = 0;
	int fence;

	(void)arg;
	while (dev->engine[other].class == sibling[0].class)
		other++;
	it_emit(&c, MI_COPY_MEM_MEM);
	it_emit_address(&c, flag_at(page, 34));
	it_emit_address(&c, flag_at(page, 16));
	it_emit_end(&c);
	for (unsigned int i = 0; i < num_siblings; i++) {
		keep[i] = keeper(dev, page, i, 16 + i);
		run(dev, ctx_balanced(dev), PHYSICAL(i), &keep[i], page);
	}
	fence = it_run_fence(dev, first, BALANCED, &a, page, I915_EXEC_FENCE_OUT, 0);
	it_run_fence(dev, second, BALANCED, &b, page, I915_EXEC_FENCE_SUBMIT, fence);
	it_run_fence(dev, it_ctx_engines(dev), other, &c, page, I915_EXEC_FENCE_SUBMIT, fence);
	close(fence);
	*flag_of(page, 16) = 1;
	wait_for(&keep[0], page, "what kept the first engine");
	*flag_of(page, 17) = 1;
	for (unsigned int i = 1; i < num_siblings; i++)
		wait_for(&keep[i], page, "what kept the other engine");
	wait_for(&a, page, "the first of the pair");
	wait_for(&b, page, "the second of the pair");
	wait_for(&c, page, "the third");
	it_expect(*flag_of(page, 34) == 1, "the third did not wait for the first to start");
	not_guilty(dev, first);
	not_guilty(dev, second);
}

/* A batch that hangs is ended for a more urgent request; all work of other contexts is done. */
static void hang(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t guilty = ctx_balanced(dev), innocent = ctx_balanced(dev), urgent = ctx_balanced(dev);
	struct drm_i915_gem_context_param p = {
		.ctx_id = urgent, .param = I915_CONTEXT_PARAM_PRIORITY, .value = 1000,
	};
	struct drm_i915_reset_stats stats = { .ctx_id = guilty };
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch spin = keeper(dev, page, 0, 63), b[8], u[MAX_SIBLINGS];
	int ret;

	(void)arg;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p);
	it_expect(!ret, "setting PRIORITY: error %d", ret);
	run(dev, guilty, BALANCED, &spin, page);
	for (unsigned int i = 0; i < ARRAY_SIZE(b); i++) {
		b[i] = setter(dev, page, 8 + i);
		run(dev, innocent, BALANCED, &b[i], page);
	}
	for (unsigned int i = 0; i < num_siblings; i++) {
		u[i] = setter(dev, page, 24 + i);
		run(dev, urgent, PHYSICAL(i), &u[i], page);
	}
	for (unsigned int i = 0; i < num_siblings; i++)
		wait_for(&u[i], page, "what is urgent");
	for (unsigned int i = 0; i < ARRAY_SIZE(b); i++) {
		wait_for(&b[i], page, "another context's batch");
		it_expect(*flag_of(page, 8 + i) == 1, "batch %u was not run", i);
	}
	wait_for(&spin, page, "what hangs");
	not_guilty(dev, innocent);
	not_guilty(dev, urgent);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	it_expect(!ret && stats.batch_active == 1, "the hung context: error %d, %u hangs", ret, stats.batch_active);
}

/* An attribute of all siblings: a value, or NULL for the default. */
static bool set_all(const char *attribute, const char *value)
{
	bool ok = true;

	for (unsigned int i = 0; i < num_siblings; i++)
		ok &= it_engine_set(sibling[i].name, attribute, value);
	return ok;
}

static void no_tunables(unsigned int arg)
{
	(void)arg;
	it_skip("timeslices, preemption or heartbeat can't be switched off");
}

void smoke_balance(const struct it_engine *engines, unsigned int n)
{
	static const char *const off[] = { "timeslice_duration_ms", "preempt_timeout_ms", "heartbeat_interval_ms" };
	bool ok = true;

	num_siblings = 0;
	for (unsigned int i = 0; i < n && num_siblings < MAX_SIBLINGS; i++)
		if (engines[i].class == I915_ENGINE_CLASS_VIDEO)
			sibling[num_siblings++] = engines[i];
	/* A GPU with one video engine has nothing to balance. */
	if (num_siblings < 2)
		return;

	for (unsigned int i = 0; i < ARRAY_SIZE(off); i++)
		ok &= set_all(off[i], "0");
	it_subtest(ok ? both_at_once : no_tunables, 0, "balance-both-at-once");
	for (unsigned int i = 0; i < num_siblings; i++)
		it_subtest(ok ? goes_where_free : no_tunables, i, "balance-goes-to-%s", sibling[i].name);
	it_subtest(ok ? in_order : no_tunables, 0, "balance-in-order");
	it_subtest(ok ? pair_starts_together : no_tunables, 0, "balance-pair");
	for (unsigned int i = 0; i < ARRAY_SIZE(off); i++)
		set_all(off[i], NULL);
	it_subtest(hang, 0, "balance-hang");
}
