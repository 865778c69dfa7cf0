// SPDX-License-Identifier: MIT
/*
 * Performance counters across an unbind, which IGT does not try: events that are open stay readable and count no
 * further, also once the device is back; new ones are refused meanwhile and count afterwards; the module cannot go as
 * long as one is open. Of two GPUs each has counters of its own. Needs root; ends with the device bound.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/it.h"

#define DRIVER "/sys/bus/pci/drivers/igen/"
#define DEVICE "0000:00:02.0"

#define SECOND "i915_0000_00_03.0"

static int source_type(const char *source)
{
	char path[96];
	FILE *file;
	int type = -1;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", source);
	file = fopen(path, "r");

	if (file) {
		if (fscanf(file, "%d", &type) != 1)
			type = -1;
		fclose(file);
	}
	return type;
}

/* An event's file, or -errno. */
static int open_event_of(const char *source, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = source_type(source), .size = sizeof(attr), .config = config,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	return fd < 0 ? -errno : fd;
}

static int open_event(uint64_t config)
{
	return open_event_of("i915", config);
}

static uint64_t read_event(int fd)
{
	uint64_t value = 0;

	it_expect(read(fd, &value, sizeof(value)) == sizeof(value), "reading an event: error %d", errno);
	return value;
}

static void must_write(const char *path, const char *text)
{
	int ret = it_write_file(path, text);

	it_expect(!ret, "writing %s: error %d", path, ret);
}

/* A batch whose end is waited for, so it takes time and interrupts. */
static void work(void)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_batch b = it_batch(dev, 4096);
	struct it_bo *bo = it_bo(dev, 4096);

	it_emit_store(&b, bo->address, 1);
	it_emit_end(&b);
	it_run_wait(dev, ctx, 0, &b, &bo, 1);
	it_close(dev);
}

static void unbind(unsigned int arg)
{
	static const uint64_t config[] = {
		I915_PMU_ENGINE_BUSY(I915_ENGINE_CLASS_RENDER, 0),
		I915_PMU_ENGINE_SEMA(I915_ENGINE_CLASS_RENDER, 0),
		I915_PMU_REQUESTED_FREQUENCY,
		I915_PMU_SOFTWARE_GT_AWAKE_TIME,
	};
	int old[ARRAY_SIZE(config)], fd;
	uint64_t before[ARRAY_SIZE(config)];
	unsigned int i;

	(void)arg;
	for (i = 0; i < ARRAY_SIZE(config); i++) {
		old[i] = open_event(config[i]);
		it_expect(old[i] >= 0, "event 0x%llx: error %d", (long long)config[i], -old[i]);
	}
	work();
	it_expect(read_event(old[0]) > 0, "a batch ran, and the engine was not busy");
	it_expect(read_event(old[3]) > 0, "a batch ran, and the GPU was not awake");

	must_write(DRIVER "unbind", DEVICE);
	for (i = 0; i < ARRAY_SIZE(config); i++)
		before[i] = read_event(old[i]);
	fd = open_event(config[0]);
	it_expect(fd == -ENODEV, "an event without a device: %d", fd);
	must_write(DRIVER "bind", DEVICE);

	fd = open_event(config[0]);
	it_expect(fd >= 0, "an event after binding again: error %d", -fd);
	work();
	it_expect(read_event(fd) > 0, "a batch ran after binding again, and the engine was not busy");
	for (i = 0; i < ARRAY_SIZE(config); i++) {
		it_expect(read_event(old[i]) == before[i],
			  "event 0x%llx of before the unbind went on", (long long)config[i]);
		close(old[i]);
	}
	it_expect(syscall(SYS_delete_module, "igen", O_NONBLOCK) < 0 && errno == EWOULDBLOCK,
		  "the module was unloaded with an event open");
	close(fd);
}

/* The source goes with its last event, so that another driver of the device may have the name. */
static void released(unsigned int arg)
{
	int fd = open_event(I915_PMU_SOFTWARE_GT_AWAKE_TIME);
	int tries;

	(void)arg;
	it_expect(fd >= 0, "an event: error %d", -fd);
	must_write(DRIVER "unbind", DEVICE);
	it_expect(source_type("i915") >= 0, "the source of an open event has gone");
	close(fd);
	for (tries = 0; tries < 600 && source_type("i915") >= 0; tries++)
		usleep(100000);
	it_expect(source_type("i915") < 0, "unbound, and without an event, the source stays");
	must_write(DRIVER "bind", DEVICE);
	it_expect(source_type("i915") >= 0, "bound again, there is no source");
	must_write(DRIVER "unbind", DEVICE);
	it_expect(source_type("i915") < 0, "without an event the unbind leaves the source");
	must_write(DRIVER "bind", DEVICE);
}

/* An event's value when its GPU rests. An engine still saves the context when a batch has ended. */
static uint64_t rest(int fd)
{
	uint64_t value = read_event(fd), last;
	unsigned int steady = 0;

	for (unsigned int tries = 0; tries < 6000 && steady < 3; tries++) {
		usleep(10000);
		last = value;
		value = read_event(fd);
		steady = value == last ? steady + 1 : 0;
	}
	it_expect(steady == 3, "without work an event goes on for a minute");
	return value;
}

/* Each of two GPUs has a source, which counts the work of that GPU alone. */
static void two(unsigned int arg)
{
	static const char * const name[] = { "i915", SECOND };
	int fd[2];

	(void)arg;
	if (source_type(SECOND) < 0 && access("/dev/dri/renderD129", F_OK))
		it_skip("there is one GPU");
	for (unsigned int i = 0; i < 2; i++) {
		fd[i] = open_event_of(name[i], I915_PMU_ENGINE_BUSY(I915_ENGINE_CLASS_RENDER, 0));
		it_expect(fd[i] >= 0, "an event of %s: error %d", name[i], -fd[i]);
	}
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t before[2] = { rest(fd[0]), rest(fd[1]) };

		it_use_device(i);
		work();
		it_expect(read_event(fd[i]) > before[i], "%s did not count its GPU's work", name[i]);
		it_expect(read_event(fd[!i]) == before[!i], "%s counted the other GPU's work", name[!i]);
	}
	it_use_device(0);
	close(fd[0]);
	close(fd[1]);
}

static void refused(unsigned int arg)
{
	int fd;

	(void)arg;
	fd = open_event(I915_PMU_ENGINE_BUSY(I915_ENGINE_CLASS_RENDER, 7));
	it_expect(fd == -ENODEV, "an engine that is not there: %d", fd);
	fd = open_event(I915_PMU_ENGINE_BUSY(I915_ENGINE_CLASS_RENDER, 0) + I915_SAMPLE_SEMA + 1);
	it_expect(fd == -ENOENT, "a fourth event of an engine: %d", fd);
	fd = open_event(I915_PMU_SOFTWARE_GT_AWAKE_TIME + 100);
	it_expect(fd == -ENOENT, "an event that is not there: %d", fd);
}

/* Without work the GPU sleeps, sooner or later, and while there is some it does not. */
static void rc6(unsigned int arg)
{
	int fd = open_event(I915_PMU_RC6_RESIDENCY);
	uint64_t before, now;

	(void)arg;
	it_expect(fd >= 0, "RC6: error %d", -fd);
	work();
	before = read_event(fd);
	for (unsigned int tries = 0; tries < 30; tries++) {
		sleep(1);
		now = read_event(fd);
		if (now != before)
			break;
	}
	close(fd);
	it_expect(now > before, "idle for half a minute, and never in RC6");
}

int main(int argc, char **argv)
{
	it_init(argc, argv);
	it_subtest(rc6, 0, "pmu-rc6");
	it_subtest(refused, 0, "pmu-refused");
	it_subtest(unbind, 0, "pmu-unbind");
	it_subtest(released, 0, "pmu-released");
	it_subtest(two, 0, "pmu-two");
	return it_exit();
}
