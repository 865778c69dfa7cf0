// SPDX-License-Identifier: MIT
/*
 * DOC: The clock
 *
 * The frequency that the driver asks for follows the load and the waiters, within the limits that root sets. The tests
 * do not look at how soon.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "smoke.h"

#define CARD		"/sys/class/drm/card0/"
#define PATIENCE_MS	120000

static long value(const char *name)
{
	char path[96], text[24];
	int ret;

	snprintf(path, sizeof(path), CARD "%s", name);
	ret = it_read_file(path, text, sizeof(text));
	if (ret == -ENOENT)
		it_skip("no file %s", path);
	it_expect(!ret && text[0], "%s can't be read: error %d", path, ret);
	return atol(text);
}

static bool set(const char *name, long to)
{
	char path[96], text[24];
	int ret;

	snprintf(path, sizeof(path), CARD "%s", name);
	snprintf(text, sizeof(text), "%ld", to);
	ret = it_write_file(path, text);
	if (ret == -ENOENT)
		it_skip("no file %s", path);
	return !ret;
}

static bool writable(const char *name)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), CARD "%s", name);
	fd = open(path, O_WRONLY);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Whether a clock comes to lie between the two. */
static bool comes_to(const char *name, long low, long high)
{
	for (unsigned int ms = 0; ms < PATIENCE_MS; ms += 10) {
		long mhz = value(name);

		if (mhz >= low && mhz <= high)
			return true;
		usleep(10000);
	}
	return false;
}

/* The clock that the driver asks for, and the clock that the GPU runs at. */
#define ASKED	"gt_cur_freq_mhz"
#define ACTUAL	"gt_act_freq_mhz"

/* A batch that runs until spin_end(). */
static struct it_batch spin(struct it_dev *dev, uint32_t ctx)
{
	struct it_batch b = it_batch(dev, 4096);
	int ret;

	it_emit(&b, MI_ARB_CHECK);
	it_emit(&b, MI_NOOP);
	it_emit(&b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(&b, b.bo->address);
	it_emit_end(&b);
	ret = it_run(dev, ctx, 0, &b, NULL, 0, 0);
	it_expect(!ret, "execbuf: error %d", ret);
	return b;
}

static void spin_end(struct it_batch *b)
{
	int ret;

	*(volatile uint32_t *)b->dw = MI_BATCH_BUFFER_END;
	ret = it_bo_wait(b->bo, IT_WAIT_NS);
	it_expect(!ret, "the spinner did not end: error %d", ret);
}

/* An engine that never rests gets the most, and one with nothing to do no more than the least that root wants. */
static void load(unsigned int unused)
{
	struct it_dev *dev = it_open();
	long min = value("gt_min_freq_mhz"), max = value("gt_max_freq_mhz");
	struct it_batch b = spin(dev, it_ctx_engines(dev));

	(void)unused;
	it_expect(comes_to(ASKED, max, max), "%ld MHz under load, not %ld", value(ASKED), max);
	spin_end(&b);
	it_expect(comes_to(ACTUAL, 0, min), "%ld MHz without load, not %ld", value(ACTUAL), min);
}

/* A wait for a batch that has not begun raises the clock to the boost frequency until the batch has ended. */
static void boost(unsigned int unused)
{
	struct it_dev *dev = it_open();
	long min = value("gt_min_freq_mhz"), max = value("gt_max_freq_mhz"), top = value("gt_boost_freq_mhz");
	uint32_t ctx = it_ctx_engines(dev);
	struct it_batch first, second;
	long seen;
	int ret;

	(void)unused;
	it_expect(set("gt_max_freq_mhz", min), "the limit can't be set to %ld", min);
	first = spin(dev, ctx);
	second = spin(dev, ctx);
	ret = it_bo_wait(second.bo, 50 * 1000 * 1000);
	seen = comes_to(ASKED, top, top) ? top : value(ASKED);
	set("gt_max_freq_mhz", max);
	it_expect(ret == -ETIME, "waiting for the second spinner: error %d", ret);
	it_expect(seen == top, "%ld MHz during a wait, not %ld", seen, top);
	spin_end(&first);
	spin_end(&second);
	it_expect(comes_to(ACTUAL, 0, min), "%ld MHz after the boost, not %ld", value(ACTUAL), min);
}

/* The limits at the start, which each subtest restores. */
static void defaults(unsigned int unused)
{
	static const char *const name[] = { "rps_min_freq_mhz", "rps_max_freq_mhz" };
	long is[] = { value("gt_min_freq_mhz"), value("gt_max_freq_mhz") };
	char path[64];
	unsigned int i;

	(void)unused;
	it_expect(!access(CARD "gt/gt0/.defaults", F_OK), "no directory of defaults: error %d", errno);
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "gt/gt0/.defaults/%s", name[i]);
		/* Stock i915 6.1 tells the hardware's units, 50/3 MHz, in spite of the name. */
		it_expect(value(path) == is[i] || value(path) * 50 / 3 == is[i], "%s is %ld, not %ld", path,
			  value(path), is[i]);
		it_expect(!writable(path), "%s can be written", path);
	}
}

/* What makes no sense is refused and changes nothing. */
static void limits(unsigned int unused)
{
	long min = value("gt_min_freq_mhz"), max = value("gt_max_freq_mhz"), lowest = value("gt_RPn_freq_mhz");
	long highest = value("gt_RP0_freq_mhz");

	(void)unused;
	it_expect(lowest <= min && min <= max && max <= highest, "%ld <= %ld <= %ld <= %ld is not true", lowest, min,
		  max, highest);
	it_expect(!set("gt_max_freq_mhz", highest + 50), "a limit above the part's was taken");
	it_expect(!set("gt_min_freq_mhz", lowest - 50), "a limit below the part's was taken");
	it_expect(!set("gt_min_freq_mhz", max + 50), "a minimum above the maximum was taken");
	it_expect(!writable(ASKED), "the clock itself was taken");
	it_expect(value("gt_min_freq_mhz") == min && value("gt_max_freq_mhz") == max, "a refused value had effect");
}

void smoke_power(void)
{
	it_subtest(defaults, 0, "clock-defaults");
	it_subtest(load, 0, "clock-load");
	it_subtest(boost, 0, "clock-boost");
	it_subtest(limits, 0, "clock-limits");
}
