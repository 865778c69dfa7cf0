// SPDX-License-Identifier: MIT
/*
 * DOC: Sleep
 *
 * An idle device goes to D3 if root allows it, and wakes up for requests, register accesses and accesses to the
 * aperture. Objects and mappings from before the sleep are valid afterwards. Changes to them during the sleep have
 * their effect.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "smoke.h"

#define DEVICE		"/sys/class/drm/card0/device/"
#define DEBUGFS		"/sys/kernel/debug/dri/0/"
#define EVENTS		"/sys/bus/event_source/devices/i915/"
#define STRIDE		512
#define ROWS		256
#define SIZE		(STRIDE * ROWS)
#define ROUNDS		2
/* For i915_gem_drop_caches: drop all caches. */
#define DROP		"0x37"

static struct it_bo *tiled_bo(struct it_dev *dev, uint32_t mode)
{
	struct it_bo *bo = it_bo(dev, SIZE);
	struct drm_i915_gem_set_tiling tiling = { .handle = bo->handle, .tiling_mode = mode, .stride = STRIDE };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &tiling);

	it_expect(!ret, "SET_TILING: error %d", ret);
	return bo;
}

/* Through the aperture. */
static uint32_t *map_gtt(struct it_dev *dev, struct it_bo *bo)
{
	struct drm_i915_gem_mmap_gtt arg = { .handle = bo->handle };
	int ret = it_bo_unsnoop(dev->fd, bo->handle) ?: it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_MMAP_GTT, &arg);
	void *map;

	it_expect(!ret, "MMAP_GTT: error %d", ret);
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, (off_t)arg.offset);
	it_expect(map != MAP_FAILED, "mmap: error %d", errno);
	return map;
}

static void fill(uint32_t *map, uint32_t seed)
{
	for (unsigned int i = 0; i < SIZE / 4; i += 16)
		map[i] = seed + i;
}

static void expect(const uint32_t *map, uint32_t seed, const char *when)
{
	for (unsigned int i = 0; i < SIZE / 4; i += 16)
		it_expect(map[i] == seed + i, "%s: dword %u is 0x%x, not 0x%x", when, i, map[i], seed + i);
}

static void store(struct it_dev *dev, uint32_t ctx, unsigned int engine, uint32_t value)
{
	struct it_bo *target = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);

	it_emit_store(&b, target->address, value);
	it_emit_end(&b);
	it_run_wait(dev, ctx, engine, &b, &target, 1);
	it_expect(*(uint32_t *)target->map == value, "%s has not stored 0x%x", dev->engine[engine].name, value);
	it_bo_close(target);
	it_bo_close(b.bo);
}

/* Every engine works after a sleep, in a context that it knows and in a new one. */
static void exec(unsigned int unused)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);

	(void)unused;
	for (unsigned int engine = 0; engine < dev->num_engines; engine++)
		store(dev, ctx, engine, 0x100 + engine);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		it_sleep_now();
		for (unsigned int engine = 0; engine < dev->num_engines; engine++)
			store(dev, ctx, (engine + round) % dev->num_engines, 0x200 + 16 * round + engine);
		store(dev, it_ctx_engines(dev), round % dev->num_engines, 0x300 + round);
	}
}

static void registers(unsigned int unused)
{
	struct drm_i915_reg_read arg = { .offset = 0x2358 | I915_REG_READ_8B_WA };
	struct it_dev *dev = it_open();

	(void)unused;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		uint64_t before;
		int ret;

		it_sleep_now();
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_REG_READ, &arg);
		before = arg.val;
		if (!ret)
			ret = it_ioctl(dev->fd, DRM_IOCTL_I915_REG_READ, &arg);
		it_expect(!ret, "REG_READ: error %d", ret);
		it_expect(arg.val != ~0ull && arg.val > before, "the timestamp went from 0x%llx to 0x%llx",
			  (unsigned long long)before, (unsigned long long)arg.val);
	}
}

/* Files that tell of the hardware can be read, and none keeps it awake. */
static void files(unsigned int unused)
{
	static const char *const path[] = {
		"/sys/class/drm/card0/gt_act_freq_mhz", "/sys/class/drm/card0/gt_cur_freq_mhz",
		"/sys/class/drm/card0/power/rc6_residency_ms", "/sys/class/drm/card0/gt_min_freq_mhz",
		DEBUGFS "i915_engine_info", DEBUGFS "i915_runtime_pm_status", DEBUGFS "i915_gem_objects",
		DEBUGFS "i915_wa_registers",
	};
	char text[16384], min[24];

	(void)unused;
	for (unsigned int i = 0; i < ARRAY_SIZE(path); i++) {
		it_sleep_now();
		if (access(path[i], R_OK))
			continue;
		it_expect(!it_read_file(path[i], text, sizeof(text)), "%s can't be read", path[i]);
		it_expect(!strstr(text, "0xffffffff\n"), "%s shows a register of a sleeping device", path[i]);
	}
	it_sleep_now();
	it_expect(!it_read_file("/sys/class/drm/card0/gt_min_freq_mhz", min, sizeof(min)), "no lower limit");
	it_expect(!it_write_file("/sys/class/drm/card0/gt_min_freq_mhz", min), "the lower limit can't be set");
	it_sleep_now();
}

/* After a sleep a tiled mapping shows the same rows, and writes go to the same rows. */
static void aperture(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct it_bo *x = tiled_bo(dev, I915_TILING_X), *y = tiled_bo(dev, I915_TILING_Y);
	uint32_t *map_x = map_gtt(dev, x), *map_y = map_gtt(dev, y);
	uint32_t *copy = malloc(SIZE);

	(void)unused;
	it_expect(copy, "no memory");
	fill(map_x, 0x10000000);
	fill(map_y, 0x20000000);
	memcpy(copy, x->map, SIZE);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		it_sleep_now();
		expect(map_y, 0x20000000 + round, "Y after a sleep");
		fill(map_y, 0x20000000 + round + 1);
		it_sleep_now();
		expect(map_x, 0x10000000, "X after a sleep");
		fill(map_x, 0x10000000);
		it_expect(!memcmp(copy, x->map, SIZE), "rows of X went elsewhere after a sleep");
	}
	free(copy);
	munmap(map_x, SIZE);
	munmap(map_y, SIZE);
}

/* Binding, unbinding and untiling while the device sleeps have their effect when it wakes. */
static void changes(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct it_bo *gone = tiled_bo(dev, I915_TILING_X), *stays = tiled_bo(dev, I915_TILING_Y), *flat, *late;
	struct drm_i915_gem_set_tiling linear = { .tiling_mode = I915_TILING_NONE };
	uint32_t *map_gone = map_gtt(dev, gone), *map_stays = map_gtt(dev, stays), *map_flat, *map_late;
	uint32_t ctx = it_ctx_engines(dev), fresh;
	int ret;

	(void)unused;
	flat = tiled_bo(dev, I915_TILING_X);
	map_flat = map_gtt(dev, flat);
	fill(map_gone, 0x10);
	fill(map_stays, 0x20);
	fill(map_flat, 0x30);
	store(dev, ctx, 0, 1);
	it_sleep_now();

	munmap(map_gone, SIZE);
	it_bo_close(gone);
	linear.handle = flat->handle;
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &linear);
	it_expect(!ret, "SET_TILING: error %d", ret);
	it_ctx_destroy(dev, ctx);
	fresh = it_ctx_engines(dev);
	late = tiled_bo(dev, I915_TILING_X);
	map_late = map_gtt(dev, late);
	usleep(300000);
	it_sleep_now();

	fill(map_late, 0x40);
	it_sleep_now();
	expect(map_stays, 0x20, "one that stayed");
	expect(map_late, 0x40, "a new one");
	store(dev, fresh, 0, 2);
	it_sleep_now();
	fill(map_flat, 0x50);
	expect(flat->map, 0x50, "one that is linear now");
	expect(map_late, 0x40, "a new one, later");
	munmap(map_stays, SIZE);
	munmap(map_flat, SIZE);
	munmap(map_late, SIZE);
}

/* Memory is given back while the device sleeps, and nothing is missed. */
static void memory(unsigned int unused)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev), value = 0xcafe;
	struct it_bo *tiled = tiled_bo(dev, I915_TILING_X);
	uint32_t *map = map_gtt(dev, tiled);
	void *user = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_i915_gem_userptr userptr = { .user_ptr = (uintptr_t)user, .user_size = SIZE };
	int ret;

	(void)unused;
	it_expect(user != MAP_FAILED, "no memory");
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &userptr);
	it_expect(!ret, "USERPTR: error %d", ret);
	fill(map, 7);
	store(dev, ctx, 0, value);
	it_sleep_now();
	munmap(user, SIZE);
	if (access(DEBUGFS "i915_gem_drop_caches", W_OK) == 0)
		it_expect(!it_write_file(DEBUGFS "i915_gem_drop_caches", DROP), "caches can't be dropped");
	it_sleep_now();
	expect(map, 7, "after memory was given back");
	store(dev, ctx, dev->num_engines - 1, value + 1);
}

/* A reset that root asks for wakes the device, and harms nothing. */
static void reset(unsigned int unused)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);

	(void)unused;
	if (access(DEBUGFS "i915_wedged", W_OK))
		it_skip("no file %s", DEBUGFS "i915_wedged");
	store(dev, ctx, 0, 1);
	it_sleep_now();
	it_expect(!it_write_file(DEBUGFS "i915_wedged", "1"), "no reset");
	store(dev, ctx, 0, 2);
	it_sleep_now();
	store(dev, ctx, dev->num_engines - 1, 3);
}

static int counter(uint64_t config)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .config = config };
	char type[24], cpu[24];

	if (it_read_file(EVENTS "type", type, sizeof(type)) || it_read_file(EVENTS "cpumask", cpu, sizeof(cpu)))
		return -1;
	attr.type = (uint32_t)atoi(type);
	return (int)syscall(SYS_perf_event_open, &attr, -1, atoi(cpu), -1, 0);
}

static uint64_t counted(int fd)
{
	uint64_t value = 0;

	it_expect(read(fd, &value, sizeof(value)) == sizeof(value), "a counter can't be read");
	return value;
}

/* Counters go on, and reading them wakes nothing. */
static void counters(unsigned int unused)
{
	int rc6 = counter(I915_PMU_RC6_RESIDENCY), busy = counter(I915_PMU_ENGINE_BUSY(I915_ENGINE_CLASS_RENDER, 0));
	int mhz = counter(I915_PMU_ACTUAL_FREQUENCY);
	uint64_t rested, worked;
	bool slept;

	(void)unused;
	if (rc6 < 0 || busy < 0 || mhz < 0)
		it_skip("no such counters");
	it_sleep_now();
	rested = counted(rc6);
	worked = counted(busy);
	counted(mhz);
	usleep(200000);
	slept = it_is_asleep();
	rested = counted(rc6) - rested;
	worked = counted(busy) - worked;
	counted(mhz);
	slept = slept && it_is_asleep();
	close(rc6);
	close(busy);
	close(mhz);
	it_expect(slept, "reading counters wakes the device");
	it_expect(rested > 100000000, "%llu ns of rest in 200 ms of sleep", (unsigned long long)rested);
	it_expect(!worked, "%llu ns of work in its sleep", (unsigned long long)worked);
}

void smoke_sleep(void)
{
	it_subtest(exec, 0, "sleep-exec");
	it_subtest(registers, 0, "sleep-registers");
	it_subtest(files, 0, "sleep-files");
	it_subtest(aperture, 0, "sleep-aperture");
	it_subtest(changes, 0, "sleep-changes");
	it_subtest(memory, 0, "sleep-memory");
	it_subtest(reset, 0, "sleep-reset");
	it_subtest(counters, 0, "sleep-counters");
	/* However they ended. */
	it_write_file(DEVICE "power/control", "on");
	it_write_file(DEVICE "power/autosuspend_delay_ms", "10000");
}
