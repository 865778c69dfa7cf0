// SPDX-License-Identifier: MIT
/**
 * DOC: Two that meet
 *
 * Races that got other drivers a CVE number: an object that another thread finds by guessing its handle before it is
 * complete or while it goes away; the heartbeat against an engine that falls asleep; a reset against fence registers.
 * Threads of one file, so that handles mean the same to all. A thread keeps what went wrong first, and the subtest
 * tells it when all have ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "smoke.h"

#define DEBUGFS		"/sys/kernel/debug/dri/0/"
#define ROUNDS		300		/* objects that are made and destroyed */
#define GUESSERS	2
#define GUESSES		3		/* handles from 1 on: both drivers give out the lowest that is free */
#define PATIENCE	1000		/* times that the maker lets others run until one of them has looked */
#define PRIORITY	(-321)		/* of contexts that are to be found; the default is 0 */

/* The data that the threads of a subtest share. */
struct race {
	struct it_dev *dev;
	atomic_bool over;
	atomic_uint looks, found;
	const char *_Atomic wrong;	/* what went wrong first, and with which error */
	int error;
};

struct guesser {
	struct race *race;
	pthread_t thread;
	unsigned int seed;
	struct it_batch batch;
};

static void blame(struct race *race, const char *what, int error)
{
	const char *none = NULL;

	if (atomic_compare_exchange_strong(&race->wrong, &none, what))
		race->error = error;
}

/* A call about a guessed handle either works or finds nothing there; true when it worked. */
static bool expect(struct race *race, int ret, const char *what)
{
	if (ret && ret != -ENOENT)
		blame(race, what, ret);
	if (!ret)
		atomic_fetch_add(&race->found, 1);
	return !ret;
}

static int exec(struct race *race, struct it_batch *b, uint32_t ctx, unsigned int engine)
{
	struct drm_i915_gem_exec_object2 obj = {
		.handle = b->bo->handle, .offset = b->bo->address,
		.flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS,
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)&obj, .buffer_count = 1, .flags = engine | I915_EXEC_NO_RELOC, .rsvd1 = ctx,
	};

	return it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
}

/* Objects: fresh ones hold zeroes. Handles of the test's own objects are larger than those that are guessed. */
static void make_object(struct race *race, uint32_t *id)
{
	struct drm_i915_gem_create create = { .size = 8192 };
	int ret = it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_CREATE, &create);

	if (ret)
		blame(race, "making an object", ret);
	*id = create.handle;
}

static void drop_object(struct race *race, uint32_t id)
{
	struct drm_gem_close close_arg = { .handle = id };
	int ret = it_ioctl(race->dev->fd, DRM_IOCTL_GEM_CLOSE, &close_arg);

	/* DRM itself says EINVAL for no such handle. */
	if (ret && ret != -EINVAL)
		blame(race, "closing an object", ret);
}

static void guess_object(struct guesser *g, uint32_t id)
{
	struct race *race = g->race;
	struct drm_i915_gem_mmap_offset offset = { .handle = id, .flags = I915_MMAP_OFFSET_WB };
	struct drm_i915_gem_get_tiling tiling = { .handle = id };
	struct drm_i915_gem_busy busy = { .handle = id };
	uint64_t value = 1;
	struct drm_i915_gem_pread pread = {
		.handle = id, .offset = 8184, .size = 8, .data_ptr = (uintptr_t)&value,
	};
	uint64_t *map;

	switch (rand_r(&g->seed) % 5) {
	case 0:
		if (expect(race, it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_PREAD, &pread),
			   "reading a guessed object") && value)
			blame(race, "a guessed object is not empty", 0);
		break;
	case 1:
		if (!expect(race, it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset),
			    "the offset of a guessed object"))
			break;
		/* The object may be closed by now, and its handle and offset may belong to another object. */
		map = mmap(NULL, 8192, PROT_READ, MAP_SHARED, race->dev->fd, offset.offset);
		if (map == MAP_FAILED)
			break;
		if (*map)
			blame(race, "a mapped guessed object is not empty", 0);
		munmap(map, 8192);
		break;
	case 2:
		if (expect(race, it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_GET_TILING, &tiling),
			   "the tiling of a guessed object") && tiling.tiling_mode)
			blame(race, "a guessed object is tiled", tiling.tiling_mode);
		break;
	case 3:
		if (expect(race, it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_BUSY, &busy),
			   "a guessed object's activity") && busy.busy)
			blame(race, "a guessed object is busy", busy.busy);
		break;
	default:
		drop_object(race, id);
		break;
	}
}

/* Contexts with one engine, the first, and a priority that is not the default one. */
static void make_context(struct race *race, uint32_t *id)
{
	I915_DEFINE_CONTEXT_PARAM_ENGINES(map, 1) = { 0 };
	struct drm_i915_gem_context_create_ext_setparam engines = {
		.base.name = I915_CONTEXT_CREATE_EXT_SETPARAM,
		.param = { .param = I915_CONTEXT_PARAM_ENGINES, .size = sizeof(map), .value = (uintptr_t)&map },
	};
	struct drm_i915_gem_context_create_ext_setparam priority = {
		.base = { .name = I915_CONTEXT_CREATE_EXT_SETPARAM, .next_extension = (uintptr_t)&engines },
		.param = { .param = I915_CONTEXT_PARAM_PRIORITY, .value = PRIORITY },
	};
	struct drm_i915_gem_context_create_ext create = {
		.flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS, .extensions = (uintptr_t)&priority,
	};
	int ret;

	map.engines[0].engine_class = race->dev->engine[0].class;
	map.engines[0].engine_instance = race->dev->engine[0].instance;
	ret = it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create);
	if (ret)
		blame(race, "making a context", ret);
	*id = create.ctx_id;
}

static void drop_context(struct race *race, uint32_t id)
{
	struct drm_i915_gem_context_destroy destroy = { .ctx_id = id };
	int ret = it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy);

	if (ret && ret != -ENOENT)
		blame(race, "destroying a context", ret);
}

static void drop_vm(struct race *race, uint32_t id)
{
	struct drm_i915_gem_vm_control destroy = { .vm_id = id };
	int ret = it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_VM_DESTROY, &destroy);

	if (ret && ret != -ENOENT)
		blame(race, "destroying an address space", ret);
}

/* For fdinfo the driver goes through all contexts of the file. */
static void read_fdinfo(struct race *race)
{
	char path[64], text[4096];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", race->dev->fd);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text)) <= 0)
		blame(race, "reading fdinfo", -errno);
	if (fd >= 0)
		close(fd);
}

static void guess_context(struct guesser *g, uint32_t id)
{
	struct race *race = g->race;
	struct drm_i915_gem_context_param param = { .ctx_id = id, .param = I915_CONTEXT_PARAM_PRIORITY };
	struct drm_i915_reset_stats stats = { .ctx_id = id };
	int ret;

	switch (rand_r(&g->seed) % 7) {
	case 0:
		if (expect(race, it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &param),
			   "a guessed context's priority") && (int64_t)param.value != PRIORITY)
			blame(race, "a guessed context has not the priority it was made with", param.value);
		break;
	case 1:
		param.param = I915_CONTEXT_PARAM_VM;
		if (expect(race, it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &param),
			   "a guessed context's address space"))
			drop_vm(race, param.value);
		break;
	case 2:
		expect(race, exec(race, &g->batch, id, 0), "a batch in a guessed context");
		break;
	case 3:
		ret = exec(race, &g->batch, id, 1);
		if (ret != -EINVAL && ret != -ENOENT)
			blame(race, "a batch on an engine that a guessed context has not", ret);
		break;
	case 4:
		if (expect(race, it_ioctl(race->dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats),
			   "a guessed context's resets") && stats.batch_active)
			blame(race, "a guessed context was reset", stats.batch_active);
		break;
	case 5:
		read_fdinfo(race);
		break;
	default:
		drop_context(race, id);
		break;
	}
}

static void make_vm(struct race *race, uint32_t *id)
{
	struct drm_i915_gem_vm_control create = { 0 };
	int ret = it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_VM_CREATE, &create);

	if (ret)
		blame(race, "making an address space", ret);
	*id = create.vm_id;
}

/* A context in a guessed address space, in which a batch has to run: the context keeps it. */
static void guess_vm(struct guesser *g, uint32_t id)
{
	struct race *race = g->race;
	struct drm_i915_gem_context_create_ext_setparam vm = {
		.base.name = I915_CONTEXT_CREATE_EXT_SETPARAM,
		.param = { .param = I915_CONTEXT_PARAM_VM, .value = id },
	};
	struct drm_i915_gem_context_create_ext create = {
		.flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS, .extensions = (uintptr_t)&vm,
	};
	int ret;

	if (rand_r(&g->seed) % 3 == 0) {
		drop_vm(race, id);
		return;
	}
	ret = it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create);
	if (!expect(race, ret, "a context in a guessed address space"))
		return;
	ret = exec(race, &g->batch, create.ctx_id, I915_EXEC_DEFAULT);
	if (ret)
		blame(race, "a batch in a guessed address space", ret);
	drop_context(race, create.ctx_id);
}

static const struct {
	const char *name;
	void (*make)(struct race *race, uint32_t *id);
	void (*drop)(struct race *race, uint32_t id);
	void (*guess)(struct guesser *g, uint32_t id);
} kinds[] = {
	{ "objects", make_object, drop_object, guess_object },
	{ "contexts", make_context, drop_context, guess_context },
	{ "vms", make_vm, drop_vm, guess_vm },
};

struct guesser_arg {
	struct guesser guesser;
	unsigned int kind;
};

static void *guess(void *data)
{
	struct guesser_arg *arg = data;
	struct race *race = arg->guesser.race;

	while (!race->over && !race->wrong) {
		kinds[arg->kind].guess(&arg->guesser, 1 + rand_r(&arg->guesser.seed) % GUESSES);
		atomic_fetch_add(&race->looks, 1);
		sched_yield();
	}
	return NULL;
}

static void tell(struct race *race)
{
	const char *wrong = race->wrong;

	it_expect(!wrong, "%s: %d", wrong, race->error);
}

/*
 * CVE-2023-52913, CVE-2023-52931, CVE-2022-48662: what can be found by its handle is complete, and stays while it is
 * used.
 */
static void found(unsigned int kind)
{
	struct race race = { .dev = it_open() };
	struct guesser_arg args[GUESSERS] = { 0 };
	struct it_bo *spare[GUESSES];
	unsigned int started, looks;
	uint32_t id = 0;

	/* The test's own objects have other handles than those that are guessed. */
	for (unsigned int i = 0; i < GUESSES; i++)
		spare[i] = it_bo(race.dev, 4096);
	for (unsigned int i = 0; i < GUESSERS; i++) {
		args[i].kind = kind;
		args[i].guesser = (struct guesser){ .race = &race, .seed = i + 1, .batch = it_batch(race.dev, 4096) };
		it_emit_end(&args[i].guesser.batch);
	}
	for (unsigned int i = 0; i < GUESSES; i++)
		it_bo_close(spare[i]);

	for (started = 0; started < GUESSERS; started++)
		if (pthread_create(&args[started].guesser.thread, NULL, guess, &args[started])) {
			blame(&race, "no thread", -errno);
			break;
		}
	for (unsigned int round = 0; round < ROUNDS && !race.wrong; round++) {
		looks = race.looks;
		kinds[kind].make(&race, &id);
		/* On one processor, too, another thread looks at it. */
		for (unsigned int i = 0; i < PATIENCE && race.looks == looks; i++)
			sched_yield();
		kinds[kind].drop(&race, id);
	}
	race.over = true;
	while (started)
		pthread_join(args[--started].guesser.thread, NULL);
	tell(&race);
	it_expect(race.found, "in %u looks no guess was right", race.looks);
}

#define BEAT		"100"		/* milliseconds; three of them, and an engine that does not yield is reset */
#define BEATS		25		/* rounds */

static void *fall_asleep(void *data)
{
	struct race *race = data;

	/* DROP_ACTIVE, DROP_RETIRE, DROP_IDLE: waits until the GPU is idle and asleep. */
	while (!race->over && !race->wrong) {
		int ret = it_write_file(DEBUGFS "i915_gem_drop_caches", "0x58");

		if (ret && ret != -EINTR && ret != -EAGAIN)
			blame(race, "waiting for the GPU to sleep", ret);
		usleep(3000);
	}
	return NULL;
}

/* Contexts that are killed with their work: each sends a pulse, the heartbeat's own request, outside of its turn. */
static void *kill_contexts(void *data)
{
	struct race *race = data;
	struct guesser g = { .race = race, .seed = 7 };

	while (!race->over && !race->wrong) {
		struct drm_i915_gem_context_param p = { .param = I915_CONTEXT_PARAM_PERSISTENCE };
		struct drm_i915_gem_context_create create = { 0 };
		struct drm_i915_gem_create object = { .size = 4096 };
		/* An endless batch: a preemptible jump to itself. It ends only when the driver bans its context. */
		uint32_t loop[4] = { MI_ARB_CHECK, MI_BATCH_BUFFER_START | MI_BBS_PPGTT, 1u << 30, 0 };
		struct drm_i915_gem_pwrite w = { .size = sizeof(loop), .data_ptr = (uintptr_t)loop };
		struct it_bo bo = { .address = 1u << 30 };
		struct it_batch b = { .bo = &bo };
		struct drm_gem_close close_arg = { 0 };
		int ret;

		ret = it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_CREATE, &object);
		w.handle = object.handle;
		close_arg.handle = object.handle;
		bo.handle = object.handle;
		if (!ret)
			ret = it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_PWRITE, &w);
		if (!ret)
			ret = it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create);
		p.ctx_id = create.ctx_id;
		if (!ret)
			ret = it_ioctl(race->dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p);
		if (!ret)
			ret = exec(race, &b, create.ctx_id, I915_EXEC_DEFAULT);
		if (ret)
			blame(race, "a context that is to be killed", ret);
		usleep(rand_r(&g.seed) % 20000);
		drop_context(race, create.ctx_id);
		it_ioctl(race->dev->fd, DRM_IOCTL_GEM_CLOSE, &close_arg);
		usleep(rand_r(&g.seed) % 60000);
	}
	return NULL;
}

/*
 * CVE-2026-31656: the heartbeat's request has one owner at a time: the beat, a pulse, or an engine that falls
 * asleep. On a slow machine the beats may find a batch too slow, so a reset alone is no failure.
 */
static void heartbeat(unsigned int unused)
{
	struct it_dev *dev = it_open();
	void *(*const functions[])(void *data) = { fall_asleep, kill_contexts };
	struct race race = { .dev = dev };
	struct it_bo *target = it_bo(dev, 4096);
	uint32_t ctx = it_ctx_engines(dev);
	struct drm_i915_gem_context_param bannable = { .ctx_id = ctx, .param = I915_CONTEXT_PARAM_BANNABLE };
	struct drm_i915_reset_stats stats = { .ctx_id = ctx };
	pthread_t threads[ARRAY_SIZE(functions)];
	unsigned int started, seed = 3, round, hangs;
	char path[128], before[32] = "";
	struct stat st;
	glob_t g;
	int ret;

	(void)unused;
	it_expect(!fstat(dev->fd, &st), "fstat: error %d", errno);
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/drm/card*/engine/%s/heartbeat_interval_ms",
		 major(st.st_rdev), minor(st.st_rdev), dev->engine[0].name);
	if (glob(path, 0, NULL, &g))
		it_skip("no file %s", path);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &bannable);
	it_expect(!ret, "a context that is never banned: error %d", ret);
	ret = it_read_file(g.gl_pathv[0], before, sizeof(before)) ?: it_write_file(g.gl_pathv[0], BEAT);
	if (ret)
		it_skip("%s cannot be changed: error %d", g.gl_pathv[0], ret);

	for (started = 0; started < ARRAY_SIZE(functions); started++)
		if (pthread_create(&threads[started], NULL, functions[started], &race)) {
			blame(&race, "no thread", -errno);
			break;
		}
	for (round = 0; round < BEATS && !race.wrong; round++) {
		struct it_batch b = it_batch(dev, 4096);

		it_emit_store(&b, target->address, round + 1);
		it_emit_end(&b);
		/* Idle for as long as it takes from here to beyond the next beat. */
		usleep(rand_r(&seed) % 150000);
		ret = it_run(dev, ctx, 0, &b, &target, 1, 0) ?: it_bo_wait(b.bo, IT_WAIT_NS);
		hangs = stats.batch_active;
		ret = ret ?: it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
		if (ret)
			blame(&race, "a batch", ret);
		else if (*(volatile uint32_t *)target->map != round + 1 && stats.batch_active == hangs)
			blame(&race, "a batch's store is not there", round);
		it_bo_close(b.bo);
	}
	race.over = true;
	while (started)
		pthread_join(threads[--started], NULL);
	it_write_file(g.gl_pathv[0], before);
	globfree(&g);
	tell(&race);
	if (stats.batch_active)
		it_note("%u batches were too slow for the heartbeat", stats.batch_active);
}

#define STRIDE		1024u		/* two X tiles */
#define ROWS		32u
#define TILED		40u		/* more than there are fence registers */
#define RESETS		15u

static void *reset_all(void *data)
{
	struct race *race = data;

	for (unsigned int i = 0; i < RESETS && !race->wrong; i++) {
		int ret = it_write_file(DEBUGFS "i915_wedged", "0xffffffff");

		if (ret)
			blame(race, "asking for a reset", ret);
		usleep(10000);
	}
	race->over = true;
	return NULL;
}

static uint32_t pixel(unsigned int round, unsigned int object, unsigned int row, unsigned int column)
{
	return round << 24 | object << 16 | row << 8 | column;
}

/* CVE-2024-41092: a full reset empties fence registers that are in use, given away and taken while it runs. */
static void fence_registers(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct race race = { .dev = dev };
	struct it_bo *bo[TILED];
	uint32_t *detiled[TILED];
	char before[32] = "";
	unsigned int round;
	pthread_t thread;
	int ret;

	(void)unused;
	for (unsigned int i = 0; i < TILED; i++) {
		struct drm_i915_gem_set_tiling tiling = { .tiling_mode = I915_TILING_X, .stride = STRIDE };
		struct drm_i915_gem_mmap_offset offset = { .flags = I915_MMAP_OFFSET_GTT };

		bo[i] = it_bo(dev, STRIDE * ROWS);
		offset.handle = bo[i]->handle;
		tiling.handle = bo[i]->handle;
		ret = it_bo_unsnoop(dev->fd, bo[i]->handle) ?:
		      it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &tiling) ?:
		      it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset);
		it_expect(!ret, "a tiled object: error %d", ret);
		detiled[i] = mmap(NULL, bo[i]->size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, offset.offset);
		it_expect(detiled[i] != MAP_FAILED, "mmap through the aperture: error %d", errno);
	}
	/* Without resets of single engines each reset is a full one. */
	ret = it_read_file(DEBUGFS "i915_params/reset", before, sizeof(before)) ?:
	      it_write_file(DEBUGFS "i915_params/reset", "1");
	if (ret)
		it_skip("the kind of reset cannot be chosen: error %d", ret);

	if (pthread_create(&thread, NULL, reset_all, &race))
		blame(&race, "no thread", -errno);
	for (round = 1; !race.wrong && !race.over; round++) {
		for (unsigned int i = 0; i < TILED; i++)
			for (unsigned int y = 0; y < ROWS; y += 5)
				for (unsigned int x = 0; x < STRIDE / 4; x += 41)
					detiled[i][y * STRIDE / 4 + x] = pixel(round, i, y, x);
		for (unsigned int i = 0; i < TILED; i++)
			for (unsigned int y = 0; y < ROWS; y += 5)
				for (unsigned int x = 0; x < STRIDE / 4; x += 41) {
					/* An X tile has 8 rows of 512 bytes. */
					unsigned int tile = y / 8 * (STRIDE / 512) + x / 128;
					volatile uint32_t *map = bo[i]->map;

					if (map[tile * 1024 + y % 8 * 128 + x % 128] != pixel(round, i, y, x))
						blame(&race, "a pixel is not where its tile is; round", round);
				}
	}
	pthread_join(thread, NULL);
	it_write_file(DEBUGFS "i915_params/reset", before);
	for (unsigned int i = 0; i < TILED; i++)
		munmap(detiled[i], bo[i]->size);
	tell(&race);
}

void smoke_race(const struct it_engine *engines, unsigned int n)
{
	(void)engines;
	(void)n;
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		it_subtest(found, i, "found-%s", kinds[i].name);
	it_subtest(heartbeat, 0, "heartbeat-asleep");
	it_subtest(fence_registers, 0, "reset-fence-registers");
}
