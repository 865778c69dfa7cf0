// SPDX-License-Identifier: MIT
/**
 * DOC: Benchmark of the model
 *
 * Runs the model alone, without QEMU, with its default settings (the validator is on) and prints figures with
 * their targets: commands a second, the time of a chain of batches, the bandwidth of blits, the time from a
 * submission to its event, and the instructions that a walker executes by one worker and by two. Commands and blits
 * are measured in processor time of the engine's thread, the others by the clock. An instruction of eight channels
 * counts as one, as in the benchmark of OpenCL. Each figure is the best of some runs, as other work of the machine
 * only makes one worse.
 *
 * The figures depend on the machine, so a missed target is no failure. Wrong results are: the program looks at
 * what the commands left in memory and exits with 1 if that is not what they ask for.
 *
 * usage: bench_model [PART], PART a part of the figures' names
 */
#include <sched.h>

#include "igen/cmd/blt.h"
#include "media_bench.h"
#include "media_programs.h"

#define PA_BIG		0x0800000u		/* long batches */
#define PA_SOURCE	0x1000000u		/* pixels */
#define PA_TARGET	0x1800000u
#define PIXELS_SIZE	0x0400000u		/* 1024 by 1024 of four bytes */
#define COMMANDS	(1u << 14)		/* in a batch: less than a millisecond */
#define CHAIN		256u
#define CHAIN_STRIDE	0x4000u
#define RUNS		40
#define SUBMISSIONS	400
#define WALKS		5
#define LOOP_INSTRUCTIONS (3 * 1000 + 3)	/* of program_loop */

static const char *wanted = "";
static unsigned int wrong;

static bool chosen(const char *name)
{
	return strstr(name, wanted);
}

static void figure(const char *name, double value, const char *unit, bool at_least, double target)
{
	bool met = at_least ? value >= target : value <= target;

	printf("%-44s %9.2f %-12s target %s %g %s\n", name, value, unit, at_least ? ">=" : "<=", target,
	       met ? "met" : "MISSED");
}

static void must(bool right, const char *what)
{
	if (right)
		return;
	printf("wrong: %s\n", what);
	wrong++;
}

/* From the submission to the event of its end, in ns. */
static uint64_t timed(uint32_t base, struct ctx *c)
{
	uint32_t before = csb_pointer(base), events = 2;
	uint64_t start;

	ctx_tail(c);
	start = now_ns();
	elsp(base, c->desc, 0);
	while (csb_pointer(base) != (before + events) % GEN9_CSB_ENTRIES)
		if (now_ns() - start > WAIT_LIMIT_MS * 1000000ull) {
			must(false, "a context does not end");
			exit(1);
		}
	return now_ns() - start;
}

static uint64_t cpu_ns(uint32_t base)
{
	struct timespec t;
	clockid_t clock;

	for (unsigned int i = 0; i < NUM_ENGINES; i++) {
		if (!gpu->engine[i] || gpu->engine[i]->info->base != base)
			continue;
		if (pthread_getcpuclockid(gpu->engine[i]->thread, &clock) || clock_gettime(clock, &t))
			exit(2);
		return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
	}
	exit(2);
}

/* Processor time from the submission to its end, while this thread sleeps. */
static uint64_t worked(uint32_t base, struct ctx *c)
{
	uint64_t before = cpu_ns(base);

	if (!run(base, c)) {
		must(false, "a context does not end");
		exit(1);
	}
	return cpu_ns(base) - before;
}

/* The best of some runs of a batch. */
static uint64_t best(uint32_t base, struct ctx *c, uint32_t pa, unsigned int runs,
		     uint64_t (*measure)(uint32_t base, struct ctx *c))
{
	uint64_t least = ~0ull;

	for (unsigned int i = 0; i < runs; i++) {
		uint64_t ns;

		ring(c, MI_BATCH_BUFFER_START | MI_BBS_PPGTT, PPGTT(pa));
		ns = measure(base, c);
		while (!idle(base))
			sched_yield();
		least = ns < least ? ns : least;
	}
	return least;
}

/* Commands that differ in what they write where: dword `at` is counted up. */
static void commands(const char *name, const uint32_t *dw, unsigned int n, unsigned int at)
{
	const uint32_t base = RCS0_BASE;
	uint32_t pa = PA_BIG;
	struct ctx c;
	uint64_t ns;

	if (!chosen(name))
		return;
	bench_start(NULL);
	put(hwsp(base) + HWSP_CSB_WRITE_PTR_DW * 4, GEN9_CSB_RESET_PTR);
	ctx_init(&c, 0, base, CTL_FRESH);
	for (unsigned int i = 0; i < COMMANDS; i++)
		for (unsigned int k = 0; k < n; k++, pa += 4)
			put(pa, dw[k] + (at && k == at ? i + 1 : 0));
	put(pa, MI_BATCH_BUFFER_END);
	ns = best(base, &c, PA_BIG, RUNS, worked);
	figure(name, (double)COMMANDS * 1000 / (double)ns, "M/s", true, 20);
	must(engine_requests(gpu->engine[RCS0]) == 0, name);
	bench_stop();
}

static void all_commands(void)
{
	const uint32_t noop[] = { MI_NOOP };
	const uint32_t sdi[] = { MI_STORE_DATA_IMM_DW, PPGTT(PA_DATA), 0 };
	const uint32_t lri[] = { MI_LOAD_REGISTER_IMM(1), RING_GPR(RCS0_BASE, 0), 0 };
	const uint32_t stall[] = { PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_SCOREBOARD_STALL, 0, 0, 0, 0 };
	const uint32_t write[] = {
		PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_QW, PPGTT(PA_DATA + 64), 0, 0,
	};

	commands("MI_NOOP", noop, ARRAY_SIZE(noop), 0);
	commands("MI_STORE_DATA_IMM", sdi, ARRAY_SIZE(sdi), 3);
	commands("MI_LOAD_REGISTER_IMM", lri, ARRAY_SIZE(lri), 2);
	commands("PIPE_CONTROL, a stall", stall, ARRAY_SIZE(stall), 0);
	commands("PIPE_CONTROL, a write", write, ARRAY_SIZE(write), 4);
}

static void chain(void)
{
	const char *name = "256 chained batches";
	const uint32_t base = RCS0_BASE;
	struct ctx c;
	uint64_t ns;

	if (!chosen(name))
		return;
	bench_start(NULL);
	put(hwsp(base) + HWSP_CSB_WRITE_PTR_DW * 4, GEN9_CSB_RESET_PTR);
	ctx_init(&c, 0, base, CTL_FRESH);
	for (unsigned int i = 0; i < CHAIN; i++) {
		uint32_t pa = PA_BIG + i * CHAIN_STRIDE;

		put(pa, MI_NOOP);
		put(pa + 4, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
		put(pa + 8, va(pa + CHAIN_STRIDE));
		put(pa + 12, 0);
	}
	put(PA_BIG + CHAIN * CHAIN_STRIDE, MI_BATCH_BUFFER_END);
	ns = best(base, &c, PA_BIG, RUNS, timed);
	figure(name, (double)ns / 1e6, "ms", false, 1);
	bench_stop();
}

/* A blit of all pixels from one surface to the other, two bytes of which tell where they come from. */
static void blit(const char *name, const uint32_t *dw, unsigned int n, bool tiled, uint32_t expected)
{
	const uint32_t base = BCS0_BASE;
	struct ctx c;
	uint64_t ns;

	if (!chosen(name))
		return;
	bench_start(NULL);
	put(hwsp(base) + HWSP_CSB_WRITE_PTR_DW * 4, GEN9_CSB_RESET_PTR);
	ctx_init(&c, 0, base, CTL_FRESH);
	for (uint32_t i = 0; i < PIXELS_SIZE; i += 4) {
		put(PA_SOURCE + i, i * 0x01010101u);
		put(PA_TARGET + i, 0);
	}
	if (tiled)
		batch(&c, MI_LOAD_REGISTER_IMM(1), BCS_SWCTRL, IGEN_MASKED_ENABLE(BCS_SWCTRL_DST_Y));
	batch_emit(&c, dw, n);
	batch(&c, MI_BATCH_BUFFER_END);
	ns = best(base, &c, c.batch, RUNS + 1, worked);
	figure(name, (double)PIXELS_SIZE / (double)ns, "GB/s", true, 5);
	/* Pixel (36, 33): of a Y tile the second one's second column, in its second row of tiles. */
	must(get(PA_TARGET + (tiled ? 32 * 4096 + 4096 + 512 + 16 : (33 * 1024 + 36) * 4)) == expected, name);
	bench_stop();
}

static void all_blits(void)
{
	const uint32_t source = (33 * 1024 + 36) * 4 * 0x01010101u, odd = 0x12345678;
	const uint32_t copy = XY_SRC_COPY_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB;
	const uint32_t control = XY_DEPTH_32 | IGEN_PREP(XY_PITCH_MASK, 4096);
	const uint32_t linear[] = { copy, control | IGEN_PREP(XY_ROP_MASK, BLT_ROP_SRCCOPY), XY_COORD(0, 0),
				    XY_COORD(1024, 1024), PPGTT(PA_TARGET), 0, 4096, PPGTT(PA_SOURCE) };
	const uint32_t tiled[] = { copy | XY_DST_TILED, XY_DEPTH_32 | IGEN_PREP(XY_PITCH_MASK, 1024) |
				   IGEN_PREP(XY_ROP_MASK, BLT_ROP_SRCCOPY), XY_COORD(0, 0), XY_COORD(1024, 1024),
				   PPGTT(PA_TARGET), 0, 4096, PPGTT(PA_SOURCE) };
	/* Odd times a source that is added is the source. */
	const uint32_t xor[] = { copy, control | IGEN_PREP(XY_ROP_MASK, 0x66), XY_COORD(0, 0),
				 XY_COORD(1024, 1024), PPGTT(PA_TARGET), 0, 4096, PPGTT(PA_SOURCE) };
	/* Pattern, source and destination: the destination stays where the source has ones, else it is the pattern. */
	const uint32_t merge[] = { ((XY_FULL_BLT & ~(BLT_OPCODE_MASK | 0xff)) |
				    IGEN_PREP(BLT_OPCODE_MASK, BLT_OP_XY_FULL_MONO_PATTERN) | 12 |
				    XY_WRITE_ALPHA | XY_WRITE_RGB),
				   control | IGEN_PREP(XY_ROP_MASK, 0xb8), XY_COORD(0, 0), XY_COORD(1024, 1024),
				   PPGTT(PA_TARGET), 4096, 0, PPGTT(PA_SOURCE), odd, odd, 0, 0 };

	blit("copy, linear", linear, ARRAY_SIZE(linear), false, source);
	blit("copy, linear to Y tiles", tiled, ARRAY_SIZE(tiled), true, source);
	blit("copy with ROP 66, source and destination", xor, ARRAY_SIZE(xor), false, source);
	blit("copy with ROP B8, and a pattern", merge, ARRAY_SIZE(merge), false, odd & ~source);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void events(void)
{
	const char *name = "submit to event, median";
	const uint32_t base = RCS0_BASE;
	uint64_t ns[SUBMISSIONS];
	struct ctx c;

	if (!chosen(name))
		return;
	bench_start(NULL);
	put(hwsp(base) + HWSP_CSB_WRITE_PTR_DW * 4, GEN9_CSB_RESET_PTR);
	ctx_init(&c, 0, base, CTL_FRESH);
	for (unsigned int i = 0; i < SUBMISSIONS; i++) {
		ring(&c, MI_NOOP, MI_NOOP);
		ns[i] = timed(base, &c);
		while (!idle(base))
			sched_yield();
		/* The engine's thread goes to sleep. */
		nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	}
	qsort(ns, SUBMISSIONS, sizeof(ns[0]), by_size);
	figure(name, (double)ns[SUBMISSIONS / 2] / 1000, "us", false, 30);
	bench_stop();
}

/* By the clock; this thread sleeps and leaves the processors to the workers. The best rate of some runs in M/s. */
static double walked(const char *workers)
{
	const uint32_t groups = 6000;
	uint64_t before, ns = ~0ull, executed = 0;
	struct ctx a;

	start("group_ns=0", workers);
	PREPARE(&a, program_loop, 0);
	walker(&a, one(groups));
	batch(&a, STALL, MI_BATCH_BUFFER_END);
	for (unsigned int i = 0; i < WALKS; i++) {
		uint64_t took = now_ns();

		before = counter_value("eu", "instructions");
		ring_batch(&a, CTX_BATCH, true);
		must(run(RCS0_BASE, &a), "a walker");
		took = now_ns() - took;
		executed = counter_value("eu", "instructions") - before;
		ns = took < ns ? took : ns;
	}
	must(executed == (uint64_t)groups * LOOP_INSTRUCTIONS, "a walker's instructions");
	bench_stop();
	return (double)executed * 1000 / (double)ns;
}

static void walkers(void)
{
	double alone, two;

	if (!chosen("walker, 1 worker") && !chosen("walker, 2 workers"))
		return;
	alone = walked("workers=1");
	two = walked("workers=2");
	figure("walker, 1 worker", alone, "M SIMD8/s", true, 100);
	figure("walker, 2 workers", two, "M SIMD8/s", true, 100);
	figure("walker, 2 workers, of 1", two / alone, "times", true, 1.6);
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		fprintf(stderr, "usage: bench_model [PART]\n");
		return 2;
	}
	if (argc == 2)
		wanted = argv[1];
	all_commands();
	chain();
	all_blits();
	events();
	walkers();
	return wrong != 0;
}
