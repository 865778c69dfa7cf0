// SPDX-License-Identifier: MIT
/**
 * DOC: Tests that what engines execute holds nothing up
 *
 * The guest gives the engines commands that take as long as commands can. Meanwhile the CPU's accesses, resets and the
 * end of the model get through. What that takes is measured in processor time of this process, which the engine at
 * work uses up while an access waits for it; the limit is a fraction of what the command needs. The engine has many
 * such commands, so that it does not get through while this thread stands still.
 */
#include <sys/resource.h>

#include "engine_bench.h"
#include "igen/cmd/blt.h"

#define BASE		BCS0_BASE
#define LIMIT_S		10.0		/* a blit below needs 20 and more */
#define BLITS		50u
#define PA_PIXELS	0x1000000u	/* with room on both sides: a row begins at -32768 */
#define MOVED		0x8000000u	/* guest physical memory of its own, at the same address in the PPGTT */
#define MOVED_SIZE	0x1000u

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* The largest rectangle, with all three operands, at 32 bits a pixel: four billion pixels; and again. */
static void start_worst_blit(struct ctx *a)
{
	const uint32_t blit[14] = {
		[0] = (XY_FULL_BLT & ~(BLT_OPCODE_MASK | 0xff)) |
		      IGEN_PREP(BLT_OPCODE_MASK, BLT_OP_XY_FULL_MONO_PATTERN_MONO_SRC) | 12 |
		      XY_WRITE_ALPHA | XY_WRITE_RGB,
		[1] = XY_DEPTH_32 | IGEN_PREP(XY_ROP_MASK, 0x69),
		[2] = XY_COORD(-32768, -32768),
		[3] = XY_COORD(32767, 32767),
		[4] = va(PA_PIXELS),
		[6] = va(PA_PIXELS),
	};

	/* As after a reset. */
	wr(RING_MODE(BASE), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
	ctx_init(a, 0, BASE, CTL_FRESH);
	for (unsigned int i = 0; i < BLITS; i++)
		batch_emit(a, blit, ARRAY_SIZE(blit));
	batch(a, MI_BATCH_BUFFER_END);
	ring_batch(a, CTX_BATCH, true);
	submit(BASE, a);
	if (!wait_for(rd(RING_IPEHR(BASE)) == blit[0]))
		exit(2);
}

static void test_blit(void)
{
	static const char *const set[] = { "validate=off", NULL };
	double start;
	struct ctx a;

	bench_start(set);
	start_worst_blit(&a);
	start = cpu_seconds();
	for (unsigned int i = 0; i < 20; i++)
		wr(gpu->platform->engines[BCS0].tlb_inv_reg, TLB_INV_REQUEST);
	wr(GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
	check(cpu_seconds() - start < LIMIT_S && !idle(BASE), "an invalidation waits for a row of a blit");
	start = cpu_seconds();
	wr(RING_MI_MODE(BASE), IGEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	check(cpu_seconds() - start < LIMIT_S && !idle(BASE), "a write that stops the engine does not wait for a blit");
	start = cpu_seconds();
	wr(GDRST, GDRST_BLT);
	check(cpu_seconds() - start < LIMIT_S && idle(BASE), "a reset of the engine ends a blit");
	start_worst_blit(&a);
	start = cpu_seconds();
	pci_reset(gpu);
	check(cpu_seconds() - start < LIMIT_S, "and so does one of the function");
	bench_stop();

	bench_start(set);
	start_worst_blit(&a);
	start = cpu_seconds();
	bench_stop();
	check(cpu_seconds() - start < LIMIT_S, "and the end of the model");
}

/*
 * Fills whose rows all lie in the same page, in a batch that begins again and again: after the memory was taken from
 * the device nothing is written there, not by the fill under way either.
 */
static void test_unmap(void)
{
	static const char *const set[] = { "validate=off", NULL };
	unsigned int filled = 0, unmapped = 0;
	const uint32_t fill[7] = {
		XY_COLOR_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB,
		XY_DEPTH_32 | IGEN_PREP(XY_ROP_MASK, BLT_ROP_PATCOPY),
		XY_COORD(0, -32768), XY_COORD(MOVED_SIZE / 4, 32767), PPGTT(MOVED), 0x41414141,
	};
	int fd = test_memory(MOVED_SIZE);
	uint32_t *memory, left = 0;
	struct ctx a;

	bench_start(set);
	ctx_init(&a, 0, BASE, CTL_FRESH);
	for (unsigned int i = 0; i < 400; i++)
		batch_emit(&a, fill, ARRAY_SIZE(fill));
	batch(&a, MI_BATCH_BUFFER_START | MI_BBS_PPGTT, PPGTT(a.pa + CTX_BATCH));
	ring_batch(&a, CTX_BATCH, true);
	put(PA_PD + (MOVED >> 21) * 8, MOVED | GEN8_PDE_PS_2M | GEN8_PAGE_PRESENT | GEN8_PAGE_RW);
	memory = mmap(NULL, MOVED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		exit(2);
	for (unsigned int round = 0; round < 8; round++) {
		struct gmem_region moved = { .gpa = MOVED, .size = MOVED_SIZE, .fd = dup(fd) };
		uint64_t commands;

		if (gmem_map(gpu, &moved))
			exit(2);
		if (!round)
			submit(BASE, &a);
		filled += wait_for(__atomic_load_n(&memory[MOVED_SIZE / 4 - 1], __ATOMIC_ACQUIRE) == 0x41414141);
		unmapped += !gmem_unmap(gpu, MOVED, MOVED_SIZE, false) && !idle(BASE);
		for (uint32_t i = 0; i < MOVED_SIZE / 4; i++)
			__atomic_store_n(&memory[i], 0, __ATOMIC_RELEASE);
		/* The rest of the fill that runs, and the next fill, must not reach the unmapped memory. */
		commands = counter_value("engine_commands", "bcs0");
		wait_for(counter_value("engine_commands", "bcs0") > commands + 1 || idle(BASE));
		for (uint32_t i = 0; i < MOVED_SIZE / 4; i++)
			left += __atomic_load_n(&memory[i], __ATOMIC_ACQUIRE) != 0;
	}
	check(filled == 8, "blits fill memory");
	check(unmapped == 8, "which is unmapped meanwhile");
	check(!left, "then nothing is written there any more");
	bench_stop();
	munmap(memory, MOVED_SIZE);
	close(fd);
}

static bool is_polling(struct engine *e)
{
	bool polling;

	pthread_mutex_lock(&gpu->lock);
	polling = e->state == ENGINE_POLLING;
	pthread_mutex_unlock(&gpu->lock);
	return polling;
}

/* A tail beyond the ring's end is never reached. */
static void test_endless_ring(void)
{
	static const char *const set[] = { "validate=off", NULL };
	struct engine *e;
	struct ctx a;
	bool rests;

	bench_start(set);
	e = gpu->engine[BCS0];
	ctx_init(&a, 0, BASE, CTL_FRESH);
	put(image_pa(&a, CTX_RING_TAIL), RING_PAGES * 4096 + 8);
	elsp(BASE, a.desc, 0);
	rests = wait_for(is_polling(e));
	check(rests, "an engine in an endless ring rests");
	check(!idle(BASE), "and goes on");
	bench_stop();
}

/* Batches that start each other one after the other are work; two that start each other for ever are a loop. */
static void test_chains_and_loops(void)
{
	static const char *const set[] = { "validate=off", NULL };
	const unsigned int chain = 400;
	uint64_t rested;
	struct ctx a;

	bench_start(set);
	ctx_init(&a, 0, BASE, CTL_FRESH);
	for (unsigned int i = 0; i <= chain; i++) {
		uint32_t pa = PA_PIXELS + i * 64;

		put(pa, i == chain ? MI_BATCH_BUFFER_END : MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
		put(pa + 4, va(pa + 64));
		put(pa + 8, 0);
	}
	rested = counter_value("rests", "bcs0");
	ring(&a, MI_BATCH_BUFFER_START | MI_BBS_PPGTT, PPGTT(PA_PIXELS));
	check(run(BASE, &a) && counter_value("rests", "bcs0") == rested, "a chain of 400 batches has no rest");

	put(PA_PIXELS + 64 * 3, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	put(PA_PIXELS + 64 * 3 + 4, va(PA_PIXELS));
	ring(&a, MI_BATCH_BUFFER_START | MI_BBS_PPGTT, PPGTT(PA_PIXELS));
	submit(BASE, &a);
	check(wait_for(counter_value("rests", "bcs0") > rested + 3), "a loop of four batches rests");
	put(PA_PIXELS + 64 * 2, MI_BATCH_BUFFER_END);
	check(wait_for(idle(BASE)), "and ends when it is let out");
	bench_stop();
}

/* Takes the engine's thread minutes. */
#define MANY_EXCHANGES	10000000000ull

static atomic_ullong exchanges;

/* Another writer is always faster, up to a limit. */
bool __wrap_vm_compare_exchange(struct view *v, const struct vm_ref *vm, uint64_t addr, unsigned int size,
				const void *old, const void *to, bool *swapped)
{
	(void)v;
	(void)vm;
	(void)addr;
	(void)size;
	(void)old;
	(void)to;
	*swapped = atomic_fetch_add(&exchanges, 1) > MANY_EXCHANGES;
	return true;
}

static void test_atomic(void)
{
	struct ctx a;

	bench_start(NULL);
	ctx_init(&a, 0, BASE, CTL_FRESH);
	batch(&a, MI_ATOMIC | IGEN_PREP(MI_ATOMIC_OPCODE_MASK, MI_ATOMIC_INC), PPGTT(PA_DATA));
	batch(&a, MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	submit(BASE, &a);
	check(wait_for(atomic_load(&exchanges) > 1000), "an atomic operation is tried again");
	wr(GDRST, GDRST_BLT);
	check(atomic_load(&exchanges) < MANY_EXCHANGES && idle(BASE), "until a reset");
	bench_stop();
}

int main(void)
{
	test_chains_and_loops();
	test_atomic();
	test_endless_ring();
	test_unmap();
	test_blit();
	return test_end();
}
