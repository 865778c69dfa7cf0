// SPDX-License-Identifier: MIT
/**
 * DOC: igen-stores
 *
 * What a batch stores on Sandy Bridge goes through the global GTT, where the driver's own pages are and other clients'
 * objects may be. A client that knows that tries to reach them: with each command that stores, with and without the bit
 * of the global GTT, at each page that there may be, and by changing a batch behind the driver's back. Another client's
 * object is in the GGTT meanwhile, keeps what it has, and its batches run. A client that has the lower half of the GGTT
 * to itself, and never lets it become idle, does not keep others from storing ("crowded").
 *
 * Stock i915 runs all of these batches.
 *
 * igen-stores [NAME ...] runs the subtests whose names begin with NAME.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/build.h"

#define TOKEN		0x51a7b00cu
#define SECRET		0x5ec2e75eu
#define SLOTS		IT_SLOTS
/* A GGTT of 1 GB, as the model's is; of a larger one the lower half. */
#define GGTT_PAGES	(1u << 18)
#define BIT_GGTT	(1u << 22)
#define FLUSH_GGTT	4u
#define SDI		0x10000002u
#define SRM		0x12000001u
#define RCS_TIMESTAMP	0x2358u
#define FLUSH_DW	0x13004001u
#define PIPE_CONTROL_DW	0x7a000002u
#define PIPE_CONTROL_QW	0x00104000u		/* CS stall, write a qword */

enum how { BY_STORE, BY_REGISTER, BY_FLUSH, NUM_HOW };

static const char *const how_names[NUM_HOW] = { "store", "register", "flush" };

/* Another client, with an object in the GGTT. */
struct victim {
	struct it_dev *dev;
	uint32_t ctx;
	struct it_bo *bo;
};

static struct it_batch batch_of(struct it_dev *dev, unsigned int engine, uint64_t size, struct igen_batch *b)
{
	return it_build(dev, 6, engine, size, b);
}

static void victim_store(struct victim *v, unsigned int engine, unsigned int slot, uint32_t value)
{
	struct igen_batch b;
	struct it_batch batch = batch_of(v->dev, engine, 4096, &b);

	it_build_store(&b, v->bo->address, slot, value, v->bo->handle);
	it_build_end(&b, &batch);
	it_run_wait(v->dev, v->ctx, engine, &batch, &v->bo, 1);
	it_expect(it_slot(v->bo, slot) == value, "the other client's slot %u is %08x", slot, it_slot(v->bo, slot));
}

static struct victim victim_new(unsigned int engine)
{
	struct victim v = { .dev = it_open() };

	v.ctx = it_ctx_engines(v.dev);
	v.bo = it_bo(v.dev, SLOTS * 8);
	for (unsigned int i = 0; i < SLOTS * 2; i++)
		v.bo->dw[i] = SECRET;
	victim_store(&v, engine, 0, 1);
	return v;
}

/* Its object has nothing new, and its batches run, on each engine. */
static void victim_check(struct victim *v)
{
	struct drm_i915_reset_stats stats = { .ctx_id = v->ctx };
	int ret;

	for (unsigned int i = 2; i < SLOTS * 2; i++)
		it_expect(((volatile uint32_t *)v->bo->dw)[i] == SECRET, "dword %u of the other client's is %08x", i,
			  v->bo->dw[i]);
	for (unsigned int e = 0; e < v->dev->num_engines; e++)
		victim_store(v, e, 0, 2 + e);
	ret = it_ioctl(v->dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	it_expect(!ret && !stats.batch_active && !stats.batch_pending, "the other client's batches met a reset");
}

/* The command of the class's that stores in this way; false if it has none. */
static bool emit_how(struct it_batch *b, const struct it_engine *engine, enum how how, bool ggtt, uint32_t address)
{
	const bool render = engine->class == I915_ENGINE_CLASS_RENDER;

	switch (how) {
	case BY_STORE:
		if (engine->class == I915_ENGINE_CLASS_VIDEO)
			return false;
		it_emit(b, SDI | (ggtt ? BIT_GGTT : 0));
		it_emit(b, 0);
		it_emit(b, address);
		it_emit(b, TOKEN);
		return true;
	case BY_REGISTER:
		if (engine->class == I915_ENGINE_CLASS_VIDEO)
			return false;
		it_emit(b, SRM | (ggtt ? BIT_GGTT : 0));
		it_emit(b, RCS_TIMESTAMP);
		it_emit(b, address);
		it_emit(b, 0);
		return true;
	default:
		it_emit(b, render ? PIPE_CONTROL_DW : FLUSH_DW);
		if (render)
			it_emit(b, PIPE_CONTROL_QW);
		it_emit(b, address | (ggtt ? FLUSH_GGTT : 0));
		it_emit(b, TOKEN);
		return true;
	}
}

static void end_batch(struct it_batch *b)
{
	it_emit(b, MI_BATCH_BUFFER_END);
	if (b->n & 1)
		it_emit(b, MI_NOOP);
}

/* The batch is refused, or its stores go nowhere. */
static void run_hostile(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *b, struct it_bo *bo)
{
	int ret = it_run(dev, ctx, engine, b, &bo, 1, 0);

	it_expect(!ret || ret == -EACCES || ret == -EINVAL, "execbuf: error %d", ret);
	if (!ret)
		it_bo_wait(b->bo, IT_WAIT_NS);
}

/* Each command by itself, to what is next to an object and to the GGTT's first and last pages. */
static void single(unsigned int engine)
{
	struct victim v = victim_new(engine);
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, SLOTS * 8);
	const uint32_t targets[] = { bo->address - 8, bo->address + SLOTS * 8, 8, 0x1000, (GGTT_PAGES - 2) << 12,
				     (GGTT_PAGES - 1) << 12, 0x80000000, 0xfffffff8 };

	for (unsigned int how = 0; how < NUM_HOW; how++)
		for (unsigned int i = 0; i < 2 * ARRAY_SIZE(targets); i++) {
			struct it_batch b = it_batch(dev, 4096);

			/* Behind one that is allowed. */
			emit_how(&b, &dev->engine[engine], BY_FLUSH, false, bo->address);
			if (!emit_how(&b, &dev->engine[engine], how, i & 1, targets[i / 2]))
				continue;
			end_batch(&b);
			run_hostile(dev, ctx, engine, &b, bo);
			it_expect(it_slot(bo, 0) != TOKEN, "a store by %s to %08x was let through", how_names[how],
				  targets[i / 2]);
			it_bo_close(b.bo);
		}
	victim_check(&v);
}

/* All pages of the GGTT, the other client's and the driver's. */
static void everywhere(unsigned int engine)
{
	struct victim v = victim_new(engine);
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, SLOTS * 8);

	for (unsigned int ggtt = 0; ggtt < 2; ggtt++) {
		struct it_batch b = it_batch(dev, GGTT_PAGES * 16 + 4096);

		for (unsigned int page = 0; page < GGTT_PAGES; page++)
			emit_how(&b, &dev->engine[engine], BY_FLUSH, ggtt, page << 12 | 64);
		end_batch(&b);
		run_hostile(dev, ctx, engine, &b, bo);
		it_bo_close(b.bo);
	}
	victim_check(&v);
}

/*
 * A batch of the client's that runs in a circle, from the dword that is returned on, until MI_BATCH_BUFFER_END is
 * written there. The heartbeat leaves it alone for a minute.
 */
static volatile uint32_t *run_circle(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *bo,
				     struct it_batch *b)
{
	struct igen_batch build;
	uint32_t circle;
	int ret;

	it_engine_set(dev->engine[engine].name, "heartbeat_interval_ms", "60000");
	*b = batch_of(dev, engine, 4096, &build);
	it_build_store(&build, bo->address, 0, TOKEN, bo->handle);
	circle = build.used;
	igen_mi_noop(&build, 64);
	igen_mi_chain(&build, (struct igen_address){ b->bo->address, circle * 4, b->bo->size, b->bo->handle });
	it_expect(!build.error, "the batch could not be built: %s", build.why);
	b->n = build.used;
	ret = it_run(dev, ctx, engine, b, &bo, 1, 0);
	it_expect(!ret, "execbuf: error %d", ret);
	it_expect_slot(bo, 0, TOKEN);
	return b->dw + circle;
}

static void end_circle(struct it_dev *dev, uint32_t ctx, unsigned int engine, const struct it_batch *b,
		       volatile uint32_t *circle)
{
	struct drm_i915_reset_stats stats = { .ctx_id = ctx };
	int ret;

	it_expect(it_bo_busy(b->bo), "the batch has ended by itself");
	*circle = MI_BATCH_BUFFER_END;
	ret = it_bo_wait(b->bo, IT_WAIT_NS);
	it_expect(!ret, "the batch did not end: error %d", ret);
	it_engine_set(dev->engine[engine].name, "heartbeat_interval_ms", NULL);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	it_expect(!ret && !stats.batch_active, "the batch was ended by a reset");
}

/* The batch is changed when the driver has looked at it, and waits behind another one until then. */
static void changed(unsigned int engine)
{
	struct victim v = victim_new(engine);
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, SLOTS * 8), *other = it_bo(dev, SLOTS * 8);
	struct it_batch first, b = it_batch(dev, GGTT_PAGES * 16 + 4096);
	volatile uint32_t *circle = run_circle(dev, ctx, engine, bo, &first);
	int ret;

	for (unsigned int page = 0; page < GGTT_PAGES; page++)
		emit_how(&b, &dev->engine[engine], BY_FLUSH, false, other->address);
	end_batch(&b);
	ret = it_run(dev, ctx, engine, &b, &other, 1, 0);
	it_expect(!ret, "execbuf: error %d", ret);
	b.n = 0;
	for (unsigned int page = 0; page < GGTT_PAGES; page++)
		emit_how(&b, &dev->engine[engine], BY_FLUSH, true, page << 12 | 64);
	end_circle(dev, ctx, engine, &first, circle);
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch did not end: error %d", ret);
	it_expect(it_slot(other, 0) == TOKEN, "the batch that was submitted did nothing");
	victim_check(&v);
}

/* Of what the client writes over the command that a batch jumps back to, the engine gets an end of the batch alone. */
static void circling(unsigned int engine)
{
	struct victim v = victim_new(engine);
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, SLOTS * 8);
	struct it_batch b, hostile = it_batch(dev, 4096);
	volatile uint32_t *circle = run_circle(dev, ctx, engine, bo, &b);

	for (unsigned int how = 0; how < NUM_HOW; how++) {
		hostile.n = 0;
		if (!emit_how(&hostile, &dev->engine[engine], how, false, bo->address + 16))
			continue;
		for (unsigned int i = hostile.n; i--;)
			circle[i] = hostile.dw[i];
		/* Time for some looks of the driver's. */
		usleep(50000);
	}
	end_circle(dev, ctx, engine, &b, circle);
	for (unsigned int i = 1; i < SLOTS; i++)
		it_expect(!it_slot(bo, i), "slot %u has %08x", i, it_slot(bo, i));
	victim_check(&v);
}

/* A store to the client's own object arrives, whatever the command says of the GGTT, and only there. */
static void own(unsigned int engine)
{
	struct victim v = victim_new(engine);
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);

	for (unsigned int how = 0; how < NUM_HOW; how++)
		for (unsigned int ggtt = 0; ggtt < 2; ggtt++) {
			struct it_bo *bo = it_bo(dev, SLOTS * 8);
			struct it_batch b = it_batch(dev, 4096);

			if (!emit_how(&b, &dev->engine[engine], how, ggtt, bo->address + 16))
				continue;
			end_batch(&b);
			it_run_wait(dev, ctx, engine, &b, &bo, 1);
			it_expect(how == BY_REGISTER ? it_slot(bo, 2) : it_slot(bo, 2) == TOKEN,
				  "a store by %s did not arrive", how_names[how]);
			for (unsigned int i = 0; i < SLOTS; i++)
				it_expect(i == 2 || !it_slot(bo, i), "slot %u has %08x", i, it_slot(bo, i));
		}
	victim_check(&v);
}

/*
 * The hog's objects, of the same pages, leave less of the lower half of a GGTT of 1 GB than the other client needs: of
 * the aperture, which is 256 MB, and of what is behind it.
 */
#define HOG_OBJECTS	12u
#define HOG_SIZE	(40ull << 20)
#define LARGE		(24ull << 20)
/* How often the hog may go on before the other client gets room, on a slow machine, and how often it does at most. */
#define HOG_FEW		1500u
#define HOG_ROUNDS	3000u
#define STUCK_US	100000

struct hog {
	struct it_dev *dev;
	struct it_bo *bos[HOG_OBJECTS + 1];	/* the last has the gates */
	struct it_batch batch[2];
	uint32_t ctx;
	unsigned int engine;
	unsigned int entered, left;		/* calls that it has made, and that have returned */
	bool stop;
	int error;
};

/* An object of that size, whose pages are the user's. */
static struct it_bo *user_bo(struct it_dev *dev, void *user, uint64_t size)
{
	struct drm_i915_gem_userptr arg = { .user_ptr = (uintptr_t)user, .user_size = size };
	struct drm_gem_close empty = { 0 };
	struct it_bo *bo = it_bo(dev, size);
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &arg);

	it_expect(!ret, "USERPTR: error %d", ret);
	empty.handle = bo->handle;
	it_ioctl(dev->fd, DRM_IOCTL_GEM_CLOSE, &empty);
	bo->handle = arg.handle;
	return bo;
}

static void *user_memory(uint64_t size)
{
	void *user = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	it_expect(user != MAP_FAILED, "no memory: error %d", errno);
	return user;
}

static void hog_gate(struct hog *h, unsigned int round, uint32_t value)
{
	((volatile uint32_t *)h->bos[HOG_OBJECTS]->dw)[(round & 1) * 2] = value;
}

/* Each batch stores to all of its objects, and ends when the next one has been submitted: so they are never idle. */
static void *hog_run(void *arg)
{
	struct hog *h = arg;
	unsigned int i;

	for (i = 0; i < HOG_ROUNDS && !h->error && !__atomic_load_n(&h->stop, __ATOMIC_ACQUIRE); i++) {
		hog_gate(h, i, 1);
		__atomic_store_n(&h->entered, i + 1, __ATOMIC_RELEASE);
		/* All of its objects together fit into what is left by the other client's at some times only. */
		do {
			h->error = it_run(h->dev, h->ctx, h->engine, &h->batch[i & 1], h->bos, HOG_OBJECTS + 1,
					  EXEC_OBJECT_ASYNC);
		} while (h->error == -ENOSPC && !__atomic_load_n(&h->stop, __ATOMIC_ACQUIRE));
		__atomic_store_n(&h->left, i + 1, __ATOMIC_RELEASE);
		if (!i || h->error)
			continue;
		hog_gate(h, i - 1, 0);
		h->error = it_bo_wait(h->batch[(i - 1) & 1].bo, IT_WAIT_NS);
	}
	if (h->error == -ENOSPC)
		h->error = 0;
	hog_gate(h, 0, 0);
	hog_gate(h, 1, 0);
	return NULL;
}

/* A call that waits for room may wait for the batch before it. */
static void *hog_help(void *arg)
{
	struct hog *h = arg;
	unsigned int before = 0, now;

	while (!__atomic_load_n(&h->stop, __ATOMIC_ACQUIRE)) {
		usleep(STUCK_US);
		now = __atomic_load_n(&h->entered, __ATOMIC_ACQUIRE);
		if (now == before && now > 1 && __atomic_load_n(&h->left, __ATOMIC_ACQUIRE) != now)
			hog_gate(h, now - 2, 0);
		before = now;
	}
	return NULL;
}

static void hog_prepare(struct hog *h, unsigned int engine)
{
	void *user = user_memory(HOG_SIZE);
	struct igen_batch b;

	h->dev = it_open();
	h->engine = engine;
	h->ctx = it_ctx_engines(h->dev);
	for (unsigned int i = 0; i < HOG_OBJECTS; i++)
		h->bos[i] = user_bo(h->dev, user, HOG_SIZE);
	h->bos[HOG_OBJECTS] = it_bo(h->dev, SLOTS * 8);
	for (unsigned int k = 0; k < 2; k++) {
		const struct igen_address gate = { h->bos[HOG_OBJECTS]->address, k * 8, SLOTS * 8,
						   h->bos[HOG_OBJECTS]->handle };
		struct igen_address back;

		h->batch[k] = batch_of(h->dev, engine, 4096, &b);
		for (unsigned int i = 0; i < HOG_OBJECTS; i++)
			it_build_store(&b, h->bos[i]->address, i, TOKEN, h->bos[i]->handle);
		back = (struct igen_address){ h->batch[k].bo->address, b.used * 4, h->batch[k].bo->size,
					      h->batch[k].bo->handle };
		igen_mi_end_unless_greater(&b, gate, 0);
		igen_mi_chain(&b, back);
		it_expect(!b.error, "the batch could not be built: %s", b.why);
		h->batch[k].n = b.used;
	}
}

static unsigned int hog_rounds(struct hog *h, unsigned int at_least)
{
	unsigned int now;

	do {
		now = __atomic_load_n(&h->left, __ATOMIC_ACQUIRE);
	} while (now < at_least && now < HOG_ROUNDS && !h->error && !usleep(1000));
	return now;
}

/* A client keeps most of the lower half of the GGTT busy, for ever. Another one needs more than what is left. */
static void crowded(unsigned int engine)
{
	static struct hog h;
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	void *user = user_memory(LARGE);
	struct it_bo *bo = user_bo(dev, user, LARGE);
	unsigned int before = 0, waited, most = 0;
	pthread_t hog, help;
	int ret = 0;

	h = (struct hog){ .error = 0 };
	hog_prepare(&h, engine);
	it_expect(!pthread_create(&hog, NULL, hog_run, &h) && !pthread_create(&help, NULL, hog_help, &h), "no thread");
	for (unsigned int i = 0; i < 3 && !ret; i++) {
		struct igen_batch b;
		struct it_batch batch = batch_of(dev, engine, 4096, &b);

		before = hog_rounds(&h, i ? before + most + 3 : 3);
		it_build_store(&b, bo->address, i, TOKEN + i, bo->handle);
		it_build_end(&b, &batch);
		ret = it_run(dev, ctx, engine, &batch, &bo, 1, 0);
		waited = hog_rounds(&h, 0) - before;
		most = waited > most ? waited : most;
	}
	__atomic_store_n(&h.stop, true, __ATOMIC_RELEASE);
	pthread_join(hog, NULL);
	pthread_join(help, NULL);
	it_expect(!ret, "a call that needs room in the GGTT: error %d", ret);
	it_expect(!h.error, "the client that has most of the GGTT: error %d", h.error);
	it_note("room after %u rounds of the other client at most", most);
	it_expect(most <= HOG_FEW, "no room while the other client went on %u times", most);
	ret = it_bo_wait(bo, IT_WAIT_NS);
	it_expect(!ret, "the batch did not end: error %d", ret);
	for (unsigned int i = 0; i < 3; i++)
		it_expect(((volatile uint32_t *)user)[i * 2] == TOKEN + i, "store %u did not arrive", i);
	munmap(user, LARGE);
}

int main(int argc, char **argv)
{
	static const struct {
		void (*fn)(unsigned int engine);
		const char *name;
	} tests[] = {
		{ own, "own" }, { single, "single" }, { everywhere, "everywhere" }, { changed, "changed" },
		{ circling, "circling" },
	};
	struct it_engine engines[IT_MAX_ENGINES];
	unsigned int num;

	it_init(argc, argv);
	num = it_engines(engines, ARRAY_SIZE(engines));
	if (!num || it_generation() != 6) {
		printf("skip everything: stores of batches do not go through the GGTT here\n");
		return IT_SKIPPED;
	}
	for (unsigned int t = 0; t < ARRAY_SIZE(tests); t++)
		for (unsigned int e = 0; e < num; e++)
			it_subtest(tests[t].fn, e, "%s-%s", tests[t].name, engines[e].name);
	it_subtest(crowded, 0, "crowded");
	return it_exit();
}
