// SPDX-License-Identifier: MIT
/**
 * DOC: igen-clock
 *
 * The model's "clock=virtual" in a guest: what a batch measures is the same each time. On each engine one batch runs
 * again and again; it stores timestamps with commands and, on the render engine, thread groups in between.
 *
 * The caller gives the model settings by which a command and an access of the CPU take UNIT_US each, and a group and
 * the delay of a batch a multiple of that (tools/tests.d/42-virtual-clock). So time passes in steps of whole ticks: the
 * distances within a batch are equal to the tick in all repetitions. Those from one batch to the next differ by whole
 * accesses, since the driver makes more of them now and then. By the host's clock neither would hold.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/it.h"

#define UNIT_US		1u		/* of a command, and of an access */
#define GROUP_US	5u
#define DELAY_US	500u		/* of a batch */

#define REPEATS		40u
#define WARM_UP		4u		/* the first ones, before which the driver sets the engine up */
#define NOOPS		100u
#define GROUPS		50u
#define MAX_ACCESSES	100u		/* by which a gap is longer than the shortest one */
#define MAX_LONGER	10u		/* gaps in which the driver's workers did more than that */

enum stamp { BEGIN, BEHIND_NOOPS, FLUSHED, BEHIND_GROUPS, END, STAMPS };

static const char *const names[STAMPS] = { "begin", "behind commands", "of a flush", "behind groups", "end" };

static unsigned int ticks_per_us;

static uint64_t place(const struct it_bo *page, enum stamp stamp)
{
	return page->address + 8ull * stamp;
}

static void emit_flush(struct it_batch *b, bool render, uint64_t to)
{
	if (render) {
		it_emit(b, PIPE_CONTROL);
		it_emit(b, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_TIMESTAMP);
		it_emit_address(b, to);
		it_emit(b, 0);
		it_emit(b, 0);
		return;
	}
	it_emit(b, MI_FLUSH_DW | MI_FLUSH_DW_WRITE_TIMESTAMP);
	it_emit_address(b, to);
	it_emit(b, 0);
	it_emit(b, 0);
}

static struct it_batch stamping_batch(struct it_dev *dev, const struct it_engine *engine, struct it_bo *page)
{
	bool render = engine->class == I915_ENGINE_CLASS_RENDER;
	struct it_batch b = it_batch(dev, 16384);
	uint32_t clock = RING_TIMESTAMP(engine->base);

	it_emit_store_reg(&b, place(page, BEGIN), clock);
	for (unsigned int i = 0; i < NOOPS; i++)
		it_emit(&b, MI_NOOP);
	it_emit_store_reg(&b, place(page, BEHIND_NOOPS), clock);
	emit_flush(&b, render, place(page, FLUSHED));
	if (render) {
		it_emit_walker(&b, it_bo(dev, 8192), GROUPS, -1);
		it_emit_drain(&b);
	}
	it_emit_store_reg(&b, place(page, BEHIND_GROUPS), clock);
	it_emit_store_reg(&b, place(page, END), clock);
	it_emit_end(&b);
	return b;
}

static uint32_t ticks(unsigned int us)
{
	return us * ticks_per_us;
}

/* From the first stamp of a repetition to each of its others. */
static void check_distances(uint32_t stamps[REPEATS][STAMPS], const struct it_engine *engine)
{
	bool render = engine->class == I915_ENGINE_CLASS_RENDER;
	const uint32_t *first = stamps[WARM_UP];

	for (unsigned int i = WARM_UP + 1; i < REPEATS; i++)
		for (unsigned int k = 1; k < STAMPS; k++)
			it_expect(stamps[i][k] - stamps[i][BEGIN] == first[k] - first[BEGIN],
				  "the timestamp %s is %u ticks behind the first one, in batch %u it is %u", names[k],
				  first[k] - first[BEGIN], i, stamps[i][k] - stamps[i][BEGIN]);
	it_note("%s: stamps %u, %u, %u and %u ticks behind a batch's first", engine->name, first[1] - first[BEGIN],
		first[2] - first[BEGIN], first[3] - first[BEGIN], first[4] - first[BEGIN]);
	it_expect(first[BEHIND_NOOPS] - first[BEGIN] == ticks((NOOPS + 1) * UNIT_US),
		  "%u commands took %u ticks", NOOPS + 1, first[BEHIND_NOOPS] - first[BEGIN]);
	it_expect(first[FLUSHED] - first[BEHIND_NOOPS] == ticks(UNIT_US), "a flush took %u ticks",
		  first[FLUSHED] - first[BEHIND_NOOPS]);
	it_expect(!render || first[BEHIND_GROUPS] - first[FLUSHED] >= ticks(GROUPS * GROUP_US),
		  "%u thread groups took %u ticks", GROUPS, first[BEHIND_GROUPS] - first[FLUSHED]);
}

/* From the end of a repetition to the begin of the next one. */
static void check_gaps(uint32_t stamps[REPEATS][STAMPS])
{
	uint32_t gap[REPEATS], least = ~0u, most = 0, unit = ticks(UNIT_US);
	unsigned int same = 0, longer = 0;

	for (unsigned int i = WARM_UP; i + 1 < REPEATS; i++) {
		gap[i] = stamps[i + 1][BEGIN] - stamps[i][END];
		least = gap[i] < least ? gap[i] : least;
		most = gap[i] > most ? gap[i] : most;
	}
	for (unsigned int i = WARM_UP; i + 1 < REPEATS; i++) {
		it_expect((gap[i] - least) % unit == 0, "%u ticks to batch %u, %u to another: no whole accesses apart",
			  gap[i], i + 1, least);
		same += gap[i] == least;
		longer += gap[i] - least > MAX_ACCESSES * unit;
	}
	it_note("%u to %u ticks from a batch to the next, %u times the least", least, most, same);
	it_expect(least >= ticks(DELAY_US), "%u ticks from a batch to the next: less than its delay", least);
	/* The driver's workers run by the guest's time, of which more passes in a gap when the host is busy. */
	it_expect(longer <= MAX_LONGER, "%u ticks from a batch to the next, %u times %u and more, at most %u", least,
		  longer, least + MAX_ACCESSES * unit, most);
}

static void test_repeats(unsigned int number)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096);
	const struct it_engine *engine = &dev->engine[number];
	struct it_batch b = stamping_batch(dev, engine, page);
	uint32_t stamps[REPEATS][STAMPS], ctx = it_ctx_engines(dev);

	for (unsigned int i = 0; i < REPEATS; i++) {
		memset(page->map, 0, 8 * STAMPS);
		it_run_wait(dev, ctx, number, &b, &page, 1);
		for (unsigned int k = 0; k < STAMPS; k++)
			stamps[i][k] = page->dw[2 * k];
	}
	check_distances(stamps, engine);
	check_gaps(stamps);
}

int main(int argc, char **argv)
{
	struct it_engine engines[IT_MAX_ENGINES];
	unsigned int n;
	int hz = 0, fd;

	it_init(argc, argv);
	fd = it_open_fd();
	if (fd < 0 || it_getparam(fd, I915_PARAM_CS_TIMESTAMP_FREQUENCY, &hz) || hz < 1000000 || hz % 1000000) {
		fprintf(stderr, "no device, or its clock has no whole ticks a microsecond: %d Hz\n", hz);
		return 1;
	}
	close(fd);
	ticks_per_us = (unsigned int)hz / 1000000;
	n = it_engines(engines, ARRAY_SIZE(engines));
	for (unsigned int i = 0; i < n; i++)
		it_subtest(test_repeats, i, "repeats-%s", engines[i].name);
	return it_exit();
}
