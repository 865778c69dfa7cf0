// SPDX-License-Identifier: MIT
/**
 * DOC: igen-ring
 *
 * Submission as every generation has it, whether contexts have rings of their own or share an engine's. A context does
 * not reach another context's addresses. The batches of a context run in order. A batch that hangs costs other
 * contexts none of theirs, and contexts that wait leave room for others. A tiled object looks the same through a fence
 * and by the CPU's own calculation. The builders of include/igen/batch build the batches, so they fit the device's
 * generation.
 *
 * igen-ring [NAME ...] runs the subtests whose names begin with NAME.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <igen/regs/engine.h>

#include "igen/batch/pipe.h"
#include "lib/build.h"

#define TOKEN		0x51a7b00cu
#define ROUNDS		100
#define SLOTS		IT_SLOTS
/* Bits of i915_gem_drop_caches: wait for batches, retire, free, wait for idle, as IGT between tests; or free alone. */
#define DROP_SETTLE	"0x5c"
#define DROP_FREED	"0x10"

/* Where objects are that each context has one of, at the same address. */
#define SHARED_ADDRESS	(64ull << 20)

static unsigned int gen;

/* A batch for an engine, of one page. */
static struct it_batch batch_of(struct it_dev *dev, unsigned int engine, struct igen_batch *b)
{
	return it_build(dev, gen, engine, 4096, b);
}

static void submit(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *b, struct it_bo *bo)
{
	int ret = it_run(dev, ctx, engine, b, &bo, 1, 0);

	it_expect(!ret, "execbuf on %s: error %d", dev->engine[engine].name, ret);
}

static void expect_end(struct it_dev *dev, unsigned int engine, const struct it_bo *bo)
{
	int ret = it_bo_wait(bo, IT_WAIT_NS);

	it_expect(!ret, "the batch on %s did not end: error %d", dev->engine[engine].name, ret);
}

/* A batch stores a value, and a wait for the batch returns when it has ended. */
static void stores(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, SLOTS * 8);
	struct igen_batch b;
	struct it_batch batch = batch_of(dev, engine, &b);

	for (unsigned int i = 0; i < 20; i++)
		it_build_store(&b, bo->address, i, TOKEN + i, bo->handle);
	it_build_end(&b, &batch);
	it_run_wait(dev, ctx, engine, &batch, &bo, 1);
	for (unsigned int i = 0; i < 20; i++)
		it_expect(it_slot(bo, i) == TOKEN + i, "slot %u is %08x", i, it_slot(bo, i));
	it_expect(!it_slot(bo, 20), "slot 20 was written");
}

/* Nothing is pinned, and all presumed addresses are wrong. */
static void relocated(unsigned int engine)
{
	struct drm_i915_gem_relocation_entry entries[20] = { 0 };
	struct drm_i915_gem_exec_object2 obj[3] = { 0 };
	struct drm_i915_gem_execbuffer2 eb = { .buffers_ptr = (uintptr_t)obj, .buffer_count = 3 };
	struct igen_batch_reloc relocs[20];
	struct it_dev *dev = it_open();
	struct it_bo *bos[2];
	struct igen_batch b;
	struct it_batch batch;
	int ret;

	eb.rsvd1 = it_ctx_engines(dev);
	eb.flags = engine;
	batch = batch_of(dev, engine, &b);
	igen_batch_record_relocs(&b, relocs, ARRAY_SIZE(relocs));
	for (unsigned int i = 0; i < 2; i++)
		bos[i] = it_bo(dev, SLOTS * 8);
	for (unsigned int i = 0; i < ARRAY_SIZE(relocs); i++)
		it_build_store(&b, 0x7000000 + (i & 1) * 0x10000, i, TOKEN + i, i & 1);
	it_build_end(&b, &batch);
	it_expect(b.num_relocs == ARRAY_SIZE(relocs), "%u records of 20 addresses", b.num_relocs);
	for (unsigned int i = 0; i < b.num_relocs; i++) {
		entries[i].target_handle = bos[relocs[i].bo]->handle;
		entries[i].delta = relocs[i].delta;
		entries[i].offset = relocs[i].at;
		entries[i].presumed_offset = relocs[i].presumed;
		entries[i].write_domain = I915_GEM_DOMAIN_RENDER;
		entries[i].read_domains = I915_GEM_DOMAIN_RENDER;
	}
	for (unsigned int i = 0; i < 3; i++) {
		obj[i].handle = i < 2 ? bos[i]->handle : batch.bo->handle;
		obj[i].flags = i < 2 ? EXEC_OBJECT_WRITE | dev->store_flags : 0;
	}
	obj[2].relocs_ptr = (uintptr_t)entries;
	obj[2].relocation_count = b.num_relocs;
	eb.batch_len = (b.used * 4 + 7) & ~7u;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
	it_expect(!ret, "execbuf with relocations: error %d", ret);
	expect_end(dev, engine, batch.bo);
	for (unsigned int i = 0; i < ARRAY_SIZE(relocs); i++)
		it_expect(it_slot(bos[i & 1], i) == TOKEN + i, "slot %u is %08x", i, it_slot(bos[i & 1], i));
}

/*
 * Two contexts with an object each at the same address take turns on an engine, and do not wait for each other. Each
 * object gets the values of its own context, all of them.
 */
static void turns(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_batch batch[2][ROUNDS];
	struct it_bo *bo[2];
	struct igen_batch b;
	uint32_t ctx[2];

	for (unsigned int c = 0; c < 2; c++) {
		ctx[c] = it_ctx_engines(dev);
		bo[c] = it_bo(dev, SLOTS * 8);
		bo[c]->address = SHARED_ADDRESS;
		for (unsigned int i = 0; i < ROUNDS; i++) {
			batch[c][i] = batch_of(dev, engine, &b);
			it_build_store(&b, SHARED_ADDRESS, i, TOKEN + c * ROUNDS + i, bo[c]->handle);
			/* The one that is written again by each shows the order. */
			it_build_store(&b, SHARED_ADDRESS, ROUNDS, i, bo[c]->handle);
			it_build_end(&b, &batch[c][i]);
		}
	}
	for (unsigned int i = 0; i < ROUNDS; i++)
		for (unsigned int c = 0; c < 2; c++)
			submit(dev, ctx[c], engine, &batch[c][i], bo[c]);
	for (unsigned int c = 0; c < 2; c++) {
		expect_end(dev, engine, bo[c]);
		for (unsigned int i = 0; i < ROUNDS; i++)
			it_expect(it_slot(bo[c], i) == TOKEN + c * ROUNDS + i, "context %u: slot %u is %08x", c, i,
				  it_slot(bo[c], i));
		it_expect(it_slot(bo[c], ROUNDS) == ROUNDS - 1, "context %u: the last batch was %u", c,
			  it_slot(bo[c], ROUNDS));
	}
}

/* Engines write one object in turn, each when the one before has. */
static void engines_in_turn(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, SLOTS * 8);
	unsigned int n = 0;
	struct igen_batch b;

	(void)arg;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned int engine = i % dev->num_engines;
		struct it_batch batch = batch_of(dev, engine, &b);

		it_build_store(&b, bo->address, 0, i, bo->handle);
		it_build_store(&b, bo->address, 1 + i, TOKEN, bo->handle);
		it_build_end(&b, &batch);
		submit(dev, ctx, engine, &batch, bo);
	}
	expect_end(dev, 0, bo);
	for (unsigned int i = 0; i < ROUNDS; i++)
		n += it_slot(bo, 1 + i) == TOKEN;
	it_expect(n == ROUNDS, "%u of %u batches have written", n, ROUNDS);
	it_expect(it_slot(bo, 0) == ROUNDS - 1, "the last batch was %u", it_slot(bo, 0));
}

/* Commands from the one that a batch jumps back to up to its jump. */
#define CIRCLE_NOOPS	10

/* Gen9's blitter executes a copy, which the CPU cannot change. */
static bool can_be_ended(const struct it_engine *e)
{
	return gen < 9 || e->class != I915_ENGINE_CLASS_COPY;
}

/*
 * Says that it runs, when its turn comes, and then runs in circles until stop() writes an end over the command that it
 * jumps to.
 */
static struct it_batch behind(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *bo,
			      volatile uint32_t **go_on)
{
	struct igen_batch b;
	struct it_batch batch = batch_of(dev, engine, &b);
	uint32_t circle;

	it_build_store(&b, bo->address, 0, TOKEN, bo->handle);
	circle = b.used;
	*go_on = batch.dw + circle;
	igen_mi_noop(&b, CIRCLE_NOOPS);
	igen_mi_chain(&b, (struct igen_address){ batch.bo->address, circle * 4, batch.bo->size, batch.bo->handle });
	it_expect(!b.error, "the batch could not be built: %s", b.why);
	batch.n = b.used;
	submit(dev, ctx, engine, &batch, bo);
	return batch;
}

/* The same, and it runs. */
static struct it_batch circles(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *bo,
			       volatile uint32_t **go_on)
{
	struct it_batch batch = behind(dev, ctx, engine, bo, go_on);

	it_expect_slot(bo, 0, TOKEN);
	return batch;
}

static void stop(volatile uint32_t *go_on)
{
	*go_on = MI_BATCH_BUFFER_END;
}

static struct drm_i915_reset_stats stats_of(struct it_dev *dev, uint32_t ctx)
{
	struct drm_i915_reset_stats stats = { .ctx_id = ctx };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);

	it_expect(!ret, "GET_RESET_STATS: error %d", ret);
	return stats;
}

/*
 * A batch in a circle ends when its client wants, also when it does before the engine has come to it, and if the end is
 * in place of the jump.
 */
static void stopped(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *bo[2] = { it_bo(dev, SLOTS * 8), it_bo(dev, SLOTS * 8) };
	uint32_t ctx[2] = { it_ctx_engines(dev), it_ctx_engines(dev) };
	struct it_batch batch[2];
	volatile uint32_t *go_on[2];

	if (!can_be_ended(&dev->engine[engine]))
		it_skip("a batch that could not be ended");
	it_engine_set(dev->engine[engine].name, "heartbeat_interval_ms", "60000");
	batch[0] = circles(dev, ctx[0], engine, bo[0], &go_on[0]);
	batch[1] = behind(dev, ctx[1], engine, bo[1], &go_on[1]);
	stop(go_on[1] + CIRCLE_NOOPS);
	/* Where batches take turns, the other one may have had its turn. */
	it_expect(it_bo_busy(batch[0].bo) && (gen >= 8 || it_bo_busy(batch[1].bo)), "a batch has ended by itself");
	stop(go_on[0]);
	for (unsigned int i = 0; i < 2; i++) {
		expect_end(dev, engine, batch[i].bo);
		it_expect(!stats_of(dev, ctx[i]).batch_active, "the batch was ended by a reset");
		it_expect_slot(bo[i], 0, TOKEN);
	}
	it_engine_set(dev->engine[engine].name, "heartbeat_interval_ms", NULL);
}

/* A batch that hangs is ended by the driver and is the one that pays. What comes behind it runs, on each engine. */
static void hangs(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t guilty = it_ctx_engines(dev), innocent = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, SLOTS * 8);
	volatile uint32_t *go_on;
	struct it_bo *other[IT_MAX_ENGINES];
	struct it_batch hang, batch;
	struct igen_batch b;

	if (!it_engine_set(dev->engine[engine].name, "heartbeat_interval_ms", "200"))
		it_skip("no heartbeat that could be set");
	hang = circles(dev, guilty, engine, bo, &go_on);
	for (unsigned int e = 0; e < dev->num_engines; e++) {
		other[e] = it_bo(dev, SLOTS * 8);
		batch = batch_of(dev, e, &b);
		it_build_store(&b, other[e]->address, 0, TOKEN, other[e]->handle);
		it_build_end(&b, &batch);
		submit(dev, innocent, e, &batch, other[e]);
	}
	expect_end(dev, engine, hang.bo);
	it_engine_set(dev->engine[engine].name, "heartbeat_interval_ms", NULL);
	for (unsigned int e = 0; e < dev->num_engines; e++) {
		expect_end(dev, e, other[e]);
		it_expect(it_slot(other[e], 0) == TOKEN, "the innocent batch on %s did nothing", dev->engine[e].name);
	}
	it_expect(stats_of(dev, guilty).batch_active == 1, "the context that hung is not the guilty one");
	it_expect(!stats_of(dev, innocent).batch_active, "an innocent context is called guilty");
}

/*
 * What runs on another engine at the time of a hang is not ended by it. It goes on, or where there is no reset of one
 * engine it starts again.
 */
static void innocents(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t guilty = it_ctx_engines(dev), innocent = it_ctx_engines(dev);
	unsigned int other = (engine + 1) % dev->num_engines;
	struct it_bo *bo[2] = { it_bo(dev, SLOTS * 8), it_bo(dev, SLOTS * 8) };
	volatile uint32_t *go_on, *kept;
	struct it_batch hang, keeps;

	if (other == engine || !can_be_ended(&dev->engine[other]))
		it_skip("no other engine whose batch could be ended");
	if (!it_engine_set(dev->engine[engine].name, "heartbeat_interval_ms", "200") ||
	    !it_engine_set(dev->engine[other].name, "heartbeat_interval_ms", "60000"))
		it_skip("no heartbeat that could be set");
	keeps = circles(dev, innocent, other, bo[1], &kept);
	hang = circles(dev, guilty, engine, bo[0], &go_on);
	expect_end(dev, engine, hang.bo);
	it_expect(it_bo_busy(keeps.bo), "the batch on %s has ended", dev->engine[other].name);
	stop(kept);
	expect_end(dev, other, keeps.bo);
	it_engine_set(dev->engine[engine].name, "heartbeat_interval_ms", NULL);
	it_engine_set(dev->engine[other].name, "heartbeat_interval_ms", NULL);
	it_expect(!stats_of(dev, innocent).batch_active, "the innocent context is called guilty");
}

/* One batch of a context with that priority, which waits for no other one. */
static void queue_store(struct it_dev *dev, unsigned int engine, int priority, struct it_bo *bo, unsigned int slot,
			uint32_t value)
{
	struct igen_batch b;
	struct it_batch batch = batch_of(dev, engine, &b);
	int ret;

	it_build_store(&b, bo->address, slot, value, bo->handle);
	it_build_end(&b, &batch);
	ret = it_run(dev, it_ctx_priority(dev, priority), engine, &batch, &bo, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf on %s: error %d", dev->engine[engine].name, ret);
}

/*
 * The driver schedules by priority as it says it does: while a batch runs and another one is next, a less urgent batch
 * comes before a more urgent one, which is executed first. No engine of these generations waits in a batch for another
 * one, and not every engine can be preempted.
 */
static void scheduled(unsigned int engine)
{
	const int expected = I915_SCHEDULER_CAP_ENABLED | I915_SCHEDULER_CAP_PRIORITY;
	const int missing = I915_SCHEDULER_CAP_PREEMPTION | I915_SCHEDULER_CAP_SEMAPHORES;
	struct it_dev *dev = it_open();
	struct it_bo *bo = it_bo(dev, SLOTS * 8), *other = it_bo(dev, SLOTS * 8);
	volatile uint32_t *go_on;
	int caps = 0;

	it_getparam(dev->fd, I915_PARAM_HAS_SCHEDULER, &caps);
	if (!caps)
		it_skip("no scheduler");
	it_expect((caps & expected) == expected, "scheduler with %x", caps);
	it_expect(gen >= 8 || !(caps & missing), "scheduler with %x", caps);
	if (!can_be_ended(&dev->engine[engine]))
		it_skip("a batch that could not be ended");
	circles(dev, it_ctx_priority(dev, 0), engine, other, &go_on);
	queue_store(dev, engine, -10, bo, 1, TOKEN);
	queue_store(dev, engine, -10, bo, 0, 2);
	queue_store(dev, engine, 10, bo, 0, 1);
	stop(go_on);
	expect_end(dev, engine, bo);
	it_expect(it_slot(bo, 0) == 2 && it_slot(bo, 1) == TOKEN, "the less urgent batch was executed first");
}

/*
 * More urgent batches take the engine from one that has arbitration points, which then goes on where it was: it has
 * made its first command an end, so it would not come to its last store if it began again.
 */
static void preempted(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t low, urgent = it_ctx_engines(dev), circle, jump;
	struct it_bo *bo = it_bo(dev, SLOTS * 8), *other = it_bo(dev, SLOTS * 8);
	struct it_batch batch, quick;
	struct igen_batch b;

	if (gen < 8 && (!it_on_igen() || gen < 7 || dev->engine[engine].class != I915_ENGINE_CLASS_RENDER))
		it_skip("this engine cannot be preempted");
	if (!can_be_ended(&dev->engine[engine]))
		it_skip("a batch that could not be ended");
	low = it_ctx_priority(dev, -10);
	batch = batch_of(dev, engine, &b);
	igen_mi_noop(&b, 2);
	it_build_store(&b, batch.bo->address, 0, MI_BATCH_BUFFER_END, batch.bo->handle);
	it_build_store(&b, bo->address, 0, TOKEN, bo->handle);
	circle = b.used;
	igen_mi_noop(&b, 10);
	igen_mi_arb_check(&b);
	jump = b.used + 1;
	igen_mi_chain(&b, (struct igen_address){ batch.bo->address, circle * 4, batch.bo->size, batch.bo->handle });
	if (b.used & 1)
		igen_mi_noop(&b, 1);
	circle = b.used;
	it_build_store(&b, bo->address, 1, TOKEN, bo->handle);
	it_build_end(&b, &batch);
	submit(dev, low, engine, &batch, bo);
	it_expect_slot(bo, 0, TOKEN);

	for (unsigned int i = 0; i < 20; i++) {
		quick = batch_of(dev, engine, &b);
		it_build_store(&b, other->address, i, TOKEN + i, other->handle);
		it_build_end(&b, &quick);
		submit(dev, urgent, engine, &quick, other);
		expect_end(dev, engine, quick.bo);
		it_expect(it_slot(other, i) == TOKEN + i, "urgent batch %u did nothing", i);
		it_expect(it_bo_busy(batch.bo), "the batch has ended");
	}
	/* On Gen9 the upper half of the address, which follows, stays 0. */
	((volatile uint32_t *)batch.dw)[jump] = batch.bo->address + circle * 4;
	expect_end(dev, engine, batch.bo);
	it_expect(it_slot(bo, 1) == TOKEN, "the batch began again, or was not continued");
	it_expect(!stats_of(dev, low).batch_active, "the batch cost a reset");
}

/* More batches than fit into any ring, which wraps while they are submitted. */
static void wraps(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, SLOTS * 8);
	struct it_batch batch[4];
	struct igen_batch b;

	for (unsigned int i = 0; i < ARRAY_SIZE(batch); i++) {
		batch[i] = batch_of(dev, engine, &b);
		it_build_store(&b, bo->address, i, TOKEN + i, bo->handle);
		it_build_end(&b, &batch[i]);
	}
	for (unsigned int i = 0; i < 2000; i++)
		submit(dev, ctx, engine, &batch[i % ARRAY_SIZE(batch)], bo);
	expect_end(dev, engine, bo);
	for (unsigned int i = 0; i < ARRAY_SIZE(batch); i++)
		it_expect(it_slot(bo, i) == TOKEN + i, "slot %u is %08x", i, it_slot(bo, i));
}

/* What the CPU writes through a fence is where the object's tiling says, with the swizzle that the driver tells of. */
static void tiled(unsigned int tiling)
{
	struct drm_i915_gem_set_tiling set = { .tiling_mode = tiling, .stride = 1024 };
	struct drm_i915_gem_get_tiling get = { 0 };
	struct drm_i915_gem_mmap_gtt mapping = { 0 };
	struct it_dev *dev = it_open();
	struct it_bo *bo = it_bo(dev, 64 * 1024);
	volatile uint8_t *fenced;
	int ret;

	set.handle = bo->handle;
	get.handle = bo->handle;
	mapping.handle = bo->handle;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &set);
	if (ret == -EOPNOTSUPP)
		it_skip("no fences");
	it_expect(!ret && set.tiling_mode == tiling, "SET_TILING: error %d", ret);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_GET_TILING, &get);
	it_expect(!ret && get.tiling_mode == tiling, "GET_TILING: error %d", ret);
	it_expect(get.swizzle_mode == set.swizzle_mode, "two kinds of swizzle");
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MMAP_GTT, &mapping);
	it_expect(!ret, "MMAP_GTT: error %d", ret);
	fenced = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, mapping.offset);
	it_expect(fenced != MAP_FAILED, "mapping through the aperture: error %d", errno);
	it_note("swizzle %u", get.swizzle_mode);
	for (unsigned int i = 0; i < bo->size; i += 61)
		fenced[i] = i % 251;
	/* Behind what is on its way to the aperture. */
	(void)fenced[0];
	for (unsigned int i = 0; i < bo->size; i += 61) {
		size_t at = it_tiled_offset(tiling, get.phys_swizzle_mode, 1024, i % 1024, i / 1024);

		it_expect(((volatile uint8_t *)bo->map)[at] == i % 251, "byte %u of row %u is not there", i % 1024,
			  i / 1024);
	}
	munmap((void *)fenced, bo->size);
}

static void store_on_each(struct it_dev *dev, uint32_t ctx, struct it_bo *bo, uint32_t value)
{
	for (unsigned int e = 0; e < dev->num_engines; e++) {
		struct igen_batch b;
		struct it_batch batch = batch_of(dev, e, &b);

		it_build_store(&b, bo->address, e, value + e, bo->handle);
		it_build_end(&b, &batch);
		it_run_wait(dev, ctx, e, &batch, &bo, 1);
		it_expect(it_slot(bo, e) == value + e, "%s: slot %u is %08x", dev->engine[e].name, e, it_slot(bo, e));
		it_bo_close(batch.bo);
	}
}

/* Writes a statistic of the render engine, which the context's image has; or stores it to the object. */
static uint32_t statistic(struct it_dev *dev, uint32_t ctx, struct it_bo *bo, uint32_t value)
{
	struct igen_batch b;
	struct it_batch batch = batch_of(dev, 0, &b);

	if (value)
		igen_mi_load_reg(&b, IA_VERTICES_COUNT, value);
	igen_mi_store_reg(&b, (struct igen_address){ bo->address, 0, bo->size, bo->handle }, IA_VERTICES_COUNT);
	it_build_end(&b, &batch);
	it_run_wait(dev, ctx, 0, &batch, &bo, 1);
	return it_slot(bo, 0);
}

/* The device goes to sleep by itself when nothing runs, and comes back with each engine and with what contexts have. */
static void sleeps(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev), other = it_ctx_engines(dev), has;
	struct it_bo *bo = it_bo(dev, SLOTS * 8);

	(void)arg;
	if (!it_on_igen())
		it_skip("stock i915's own matter");
	it_expect(dev->engine[0].class == I915_ENGINE_CLASS_RENDER, "the first engine is no render engine");
	store_on_each(dev, ctx, bo, TOKEN);
	statistic(dev, other, bo, TOKEN + 1);
	statistic(dev, ctx, bo, TOKEN);
	for (unsigned int round = 1; round <= 3; round++) {
		it_sleep_now();
		has = statistic(dev, ctx, bo, 0);
		it_expect(has == TOKEN, "after a sleep the context that ran last has %08x", has);
		has = statistic(dev, other, bo, 0);
		it_expect(has == TOKEN + 1, "after a sleep another context has %08x", has);
		statistic(dev, ctx, bo, TOKEN);
		it_sleep_now();
		store_on_each(dev, round == 2 ? it_ctx_engines(dev) : ctx, bo, TOKEN + round * 16);
	}
	it_write_file("/sys/class/drm/card0/device/power/control", "on");
}

static unsigned long residency(void)
{
	char text[32];

	it_expect(!it_read_file("/sys/class/drm/card0/power/rc6_residency_ms", text, sizeof(text)), "no file of RC6");
	return strtoul(text, NULL, 10);
}

/* A device that is kept from sleeping rests in RC6 while nothing runs, and works afterwards. */
static void rests(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, SLOTS * 8);
	unsigned long before;

	(void)arg;
	if (!it_on_igen() || it_write_file("/sys/class/drm/card0/device/power/control", "on"))
		it_skip("stock i915's own matter");
	store_on_each(dev, ctx, bo, TOKEN);
	before = residency();
	for (unsigned int ms = 0; residency() <= before; ms += 10) {
		it_expect(ms < 120000, "the GPU does not rest");
		usleep(10000);
	}
	it_expect(!it_is_asleep(), "the device sleeps");
	store_on_each(dev, ctx, bo, TOKEN + 16);
}

static unsigned long objects(void)
{
	char text[4096];

	it_expect(!it_read_file("/sys/kernel/debug/dri/0/i915_gem_objects", text, sizeof(text)), "no file of objects");
	return strtoul(text, NULL, 10);
}

static void drop_caches(const char *bits)
{
	int ret = it_write_file("/sys/kernel/debug/dri/0/i915_gem_drop_caches", bits);

	it_expect(!ret, "caches are not dropped: error %d", ret);
}

/* A context that runs on each engine and is closed. Nothing waits for its batches, so no interrupt need tell of it. */
static void run_context(struct it_dev *dev, struct it_bo *bo, uint32_t value)
{
	uint32_t ctx = it_ctx_engines(dev);

	for (unsigned int e = 0; e < dev->num_engines; e++) {
		struct igen_batch b;
		struct it_batch batch = batch_of(dev, e, &b);

		it_build_store(&b, bo->address, e, value + e, bo->handle);
		it_build_end(&b, &batch);
		submit(dev, ctx, e, &batch, bo);
		for (unsigned int ms = 0; it_slot(bo, e) != value + e; ms++) {
			it_expect(ms < 120000, "the batch on %s does not store", dev->engine[e].name);
			usleep(1000);
		}
		it_bo_close(batch.bo);
	}
	it_ctx_destroy(dev, ctx);
}

/* A context that has run and is closed is freed with dropped caches, though nothing runs on its engines after it. */
static void dropped(unsigned int arg)
{
	struct it_dev *dev = it_open();
	struct it_bo *bo = it_bo(dev, SLOTS * 8);
	unsigned long before, after;

	(void)arg;
	if (!it_on_igen())
		it_skip("stock i915 frees contexts later");
	run_context(dev, bo, TOKEN);
	drop_caches(DROP_SETTLE);
	/* In that time the driver's workers free contexts by themselves. */
	sleep(4);
	drop_caches(DROP_SETTLE);
	before = objects();
	for (unsigned int round = 1; round < 5; round++) {
		run_context(dev, bo, TOKEN + 16 * round);
		/* Free alone passes over a timeline that a worker has locked, so it gets three tries. */
		for (unsigned int n = 0; n < 3; n++)
			drop_caches(round & 1 ? DROP_SETTLE : DROP_FREED);
		after = objects();
		it_expect(after <= before, "%lu objects, before the contexts were made %lu", after, before);
	}
}

/* How many contexts of a client wait for a batch: more than there is room for in the GGTT. */
#define CROWD		1200

/* Makes contexts which each have a batch that waits, until the driver refuses one. Returns how many there are. */
static unsigned int fill(struct it_dev *dev, struct it_bo *bo, uint32_t *ids)
{
	struct igen_batch b;
	struct it_batch batch = batch_of(dev, 0, &b);
	unsigned int num;
	int ret = 0;

	it_build_store(&b, bo->address, 0, TOKEN, bo->handle);
	it_build_end(&b, &batch);
	for (num = 0; num < CROWD; num++) {
		ids[num] = it_ctx_engines(dev);
		ret = it_run(dev, ids[num], 0, &batch, &bo, 1, 0);
		if (ret)
			break;
	}
	if (ret)
		it_ctx_destroy(dev, ids[num]);
	it_note("%u contexts wait, then error %d", num, ret);
	return num;
}

/* Contexts that wait for a batch that goes on. Tells how many there are, and ends when the pipe has no reader. */
static void crowd(int tell)
{
	struct it_dev *dev = it_open();
	struct it_bo *bo = it_bo(dev, SLOTS * 8);
	static uint32_t ids[CROWD];
	volatile uint32_t *go_on;
	unsigned int num;

	it_engine_set(dev->engine[0].name, "heartbeat_interval_ms", "60000");
	circles(dev, it_ctx_engines(dev), 0, bo, &go_on);
	num = fill(dev, bo, ids);
	fflush(stdout);
	while (write(tell, &num, sizeof(num)) == sizeof(num))
		;
	stop(go_on);
	it_engine_set(dev->engine[0].name, "heartbeat_interval_ms", NULL);
	it_close(dev);
}

/*
 * A client whose contexts wait, but for one, may make one after the other in its place, and close each, though it takes
 * a while until a closed one is freed.
 */
static void refilled(unsigned int arg)
{
	struct it_dev *dev = it_open();
	struct it_bo *bo[2] = { it_bo(dev, SLOTS * 8), it_bo(dev, SLOTS * 8) };
	uint32_t ctx[2] = { it_ctx_engines(dev), it_ctx_engines(dev) };
	static uint32_t ids[CROWD];
	volatile uint32_t *go_on[2];
	unsigned int num;

	(void)arg;
	if (gen > 7 || !it_on_igen())
		it_skip("so many contexts all have room");
	if (!can_be_ended(&dev->engine[1]) || !it_engine_set(dev->engine[1].name, "heartbeat_interval_ms", "60000"))
		it_skip("a batch that could not be ended");
	it_engine_set(dev->engine[0].name, "heartbeat_interval_ms", "60000");
	circles(dev, it_ctx_engines(dev), 0, bo[0], &go_on[0]);
	circles(dev, ctx[0], 1, bo[1], &go_on[1]);
	num = fill(dev, bo[0], ids);
	it_expect(num && num < CROWD, "%u contexts wait", num);
	stop(go_on[1]);
	expect_end(dev, 1, bo[1]);
	it_ctx_destroy(dev, ctx[0]);
	for (unsigned int i = 0; i < 50; i++) {
		struct igen_batch b;
		struct it_batch batch = batch_of(dev, 1, &b);
		int ret;

		it_build_store(&b, bo[1]->address, 1, TOKEN + i, bo[1]->handle);
		it_build_end(&b, &batch);
		ret = it_run(dev, ctx[1], 1, &batch, &bo[1], 1, 0);
		it_expect(!ret, "context %u: error %d", i, ret);
		expect_end(dev, 1, bo[1]);
		it_ctx_destroy(dev, ctx[1]);
		ctx[1] = it_ctx_engines(dev);
		it_bo_close(batch.bo);
	}
	stop(go_on[0]);
	expect_end(dev, 0, bo[0]);
	it_engine_set(dev->engine[0].name, "heartbeat_interval_ms", NULL);
	it_engine_set(dev->engine[1].name, "heartbeat_interval_ms", NULL);
}

/* A client whose contexts all wait leaves room in the GGTT for another client's. */
static void crowded(unsigned int arg)
{
	unsigned int num = 0;
	struct it_dev *dev;
	struct it_bo *bo;
	int fd[2], status;
	pid_t pid;

	(void)arg;
	if (gen > 7 || !it_on_igen())
		it_skip("so many contexts all have room");
	signal(SIGPIPE, SIG_IGN);
	it_expect(!pipe(fd), "pipe: error %d", errno);
	fflush(stdout);
	pid = fork();
	it_expect(pid >= 0, "fork: error %d", errno);
	if (!pid) {
		close(fd[0]);
		crowd(fd[1]);
		_exit(0);
	}
	close(fd[1]);
	it_expect(read(fd[0], &num, sizeof(num)) == sizeof(num) && num, "no context waits");
	dev = it_open();
	bo = it_bo(dev, SLOTS * 8);
	for (unsigned int e = 1; e < dev->num_engines; e++) {
		uint32_t ctx = it_ctx_engines(dev);
		struct igen_batch b;
		struct it_batch batch = batch_of(dev, e, &b);

		it_build_store(&b, bo->address, e, TOKEN + e, bo->handle);
		it_build_end(&b, &batch);
		submit(dev, ctx, e, &batch, bo);
		expect_end(dev, e, bo);
	}
	close(fd[0]);
	it_expect(waitpid(pid, &status, 0) == pid && !status, "the other client: status 0x%x", status);
}

int main(int argc, char **argv)
{
	static const struct {
		void (*fn)(unsigned int engine);
		const char *name;
	} tests[] = {
		{ stores, "store" }, { relocated, "relocated" }, { turns, "turns" }, { wraps, "wraps" },
		{ stopped, "stopped" }, { hangs, "hang" }, { innocents, "innocent" }, { scheduled, "scheduled" },
		{ preempted, "preempted" },
	};
	struct it_engine engines[IT_MAX_ENGINES];
	unsigned int num;

	it_init(argc, argv);
	gen = it_generation();
	num = it_engines(engines, ARRAY_SIZE(engines));
	if (!gen || !num) {
		printf("skip everything: no GPU with an i915 uAPI whose commands are known\n");
		return IT_SKIPPED;
	}
	for (unsigned int t = 0; t < ARRAY_SIZE(tests); t++)
		for (unsigned int e = 0; e < num; e++)
			it_subtest(tests[t].fn, e, "%s-%s", tests[t].name, engines[e].name);
	it_subtest(engines_in_turn, 0, "engines-in-turn");
	it_subtest(tiled, I915_TILING_X, "tiled-x");
	it_subtest(tiled, I915_TILING_Y, "tiled-y");
	it_subtest(crowded, 0, "crowded");
	it_subtest(refilled, 0, "refilled");
	it_subtest(dropped, 0, "dropped");
	it_subtest(rests, 0, "rests");
	it_subtest(sleeps, 0, "sleeps");
	return it_exit();
}
