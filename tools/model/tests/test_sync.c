// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of synchronous submission
 *
 * With sync=on, the register write that gives an engine work returns when the engine is idle again, whichever way the
 * work comes. Waits that only the CPU can end, and a limit, end it earlier. With a clock of the model's own as well,
 * two runs of a program have the same timestamps.
 */
#include "engine_bench.h"
#include "igen/pack/gen9_media.h"

/* The engine's thread may be late by seconds. */
#define LONG_LIMIT	"sync_limit_ms=600000"

#define COUNTER		PA_DATA
#define FLAG		(PA_DATA + 0x100)

#define INC(pa)		MI_ATOMIC | IGEN_PREP(MI_ATOMIC_OPCODE_MASK, MI_ATOMIC_INC), PPGTT(pa)
#define WAIT_SET(pa) MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_NEQ_SDD, 0, PPGTT(pa)

static void synchronous(void)
{
	static const char *const sync[] = { "sync=on", LONG_LIMIT, NULL };
	const uint32_t base = BCS0_BASE;
	struct ctx a;

	bench_start(sync);
	ctx_init(&a, 0, base, CTL_FRESH);
	put(COUNTER, 0);
	for (unsigned int i = 0; i < 50; i++) {
		ring(&a, INC(COUNTER));
		submit(base, &a);
		if (!idle(base) || get(COUNTER) != i + 1)
			break;
	}
	check(get(COUNTER) == 50, "synchronous: the ELSP write returns when all is done");
	ring(&a, WAIT_SET(FLAG));
	put(FLAG, 0);
	submit(base, &a);
	check(!idle(base), "but does not wait for a wait");
	put(FLAG, 1);
	check(wait_for(idle(base)), "which ends");
	bench_stop();
}

static void synchronous_ring(void)
{
	static const char *const sync[] = { "sync=on", LONG_LIMIT, "command_delay_ns=1000000", NULL };
	const uint32_t base = BCS0_BASE;
	struct ctx a;

	bench_start(sync);
	ctx_init(&a, 0, base, CTL_FRESH);
	put(COUNTER, 0);
	wr(RING_MODE(base), IGEN_MASKED_DISABLE(GFX_MODE_EXECLIST_ENABLE));
	wr(RING_START(base), a.pa + CTX_RING);
	wr(RING_CTL(base), (RING_PAGES - 1) << 12 | RING_CTL_VALID);
	for (unsigned int i = 0; i < 5; i++) {
		ring(&a, MI_NOOP, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(COUNTER), i + 1);
		wr(RING_TAIL(base), a.tail);
		if (!idle(base) || get(COUNTER) != i + 1)
			break;
	}
	check(get(COUNTER) == 5, "so does the write of a ring's tail");
	bench_stop();
}

static void limit(void)
{
	static const char *const sync[] = { "sync=on", "sync_limit_ms=20", "batch_delay_us=2000000", NULL };
	const uint32_t base = BCS0_BASE;
	struct ctx a;

	bench_start(sync);
	ctx_init(&a, 0, base, CTL_FRESH);
	batch(&a, MI_BATCH_BUFFER_END);
	/* Minutes, whatever holds up this thread. */
	for (unsigned int i = 0; i < 250; i++)
		ring_batch(&a, CTX_BATCH, true);
	submit(base, &a);
	check(!idle(base), "it returns after sync_limit_ms at the latest");
	check(counter_value("sync_timeouts", "bcs0") == 1, "which is counted");
	pthread_mutex_lock(&gpu->lock);
	gpu->config.batch_delay_us = 0;
	pthread_mutex_unlock(&gpu->lock);
	check(wait_for(idle(base)), "and the engine goes on");
	bench_stop();
}

#define STAMPS		12u

/* Timestamps of a program that uses all that takes time: commands, accesses, groups, delays, latency. */
static void program(uint64_t *stamp)
{
	static const char *const set[] = { "clock=virtual", "sync=on", LONG_LIMIT, "group_ns=100000",
					   "batch_delay_us=7000000", "latency_us=100", "command_delay_ns=77", NULL };
	struct gen9_gpgpu_walker w = { .thread_group_id_x_dimension = 1000000, .thread_group_id_y_dimension = 1,
				       .thread_group_id_z_dimension = 1, .right_execution_mask = ~0u,
				       .bottom_execution_mask = ~0u };
	unsigned int n = 0;
	struct ctx a, b;
	uint32_t dw[15];

	if (gen9_gpgpu_walker_pack(dw, 15, &w) != 15)
		exit(2);
	bench_start(set);
	ctx_init(&a, 0, RCS0_BASE, CTL_FRESH);
	ctx_init(&b, 1, BCS0_BASE, CTL_FRESH);
	batch(&a, MI_STORE_REGISTER_MEM, RING_TIMESTAMP(RCS0_BASE), PPGTT(FLAG));
	batch_emit(&a, dw, 15);
	batch(&a, PIPE_CONTROL, PIPE_CONTROL_WRITE_TIMESTAMP, PPGTT(FLAG + 8), 0, 0);
	batch(&a, MI_STORE_REGISTER_MEM, RING_TIMESTAMP(RCS0_BASE), PPGTT(FLAG + 16));
	batch(&a, PIPE_CONTROL, PIPE_CONTROL_CS_STALL, 0, 0, 0, 0);
	batch(&a, MI_STORE_REGISTER_MEM, RING_TIMESTAMP(RCS0_BASE), PPGTT(FLAG + 24), MI_BATCH_BUFFER_END);
	for (unsigned int i = 0; i < 2; i++) {
		memset(ram + FLAG, 0, 64);
		ring_batch(&a, CTX_BATCH, true);
		ring(&b, MI_NOOP, MI_STORE_REGISTER_MEM, RING_TIMESTAMP(BCS0_BASE), PPGTT(FLAG + 32), MI_NOOP);
		submit(BCS0_BASE, &b);
		submit(RCS0_BASE, &a);
		for (unsigned int k = 0; k < 5; k++)
			stamp[n++] = get64(FLAG + 8 * k);
		wr(PCODE_MAILBOX, PCODE_READY | PCODE_READ_MIN_FREQ_TABLE);
		while (rd(PCODE_MAILBOX) & PCODE_READY)
			;
		stamp[n++] = rd(RING_TIMESTAMP(VCS0_BASE));
	}
	bench_stop();
}

static void virtual_time(void)
{
	uint64_t first[STAMPS], again[STAMPS], start = host_ns();

	program(first);
	program(again);
	check(!memcmp(first, again, sizeof(first)), "virtual: two runs have the same timestamps");
	check(first[0] && first[2] > first[0] && first[2] < first[1], "virtual: the write behind a walker comes later");
	check(first[3] - first[0] >= 100ull * 12000000, "virtual: groups take their time");
	check(first[9] - first[3] >= 107ull * 12000000, "virtual: and so do delays");
	/* The guest's clock has advanced by more than 400 s. */
	check(host_ns() - start < 200000000000ull, "virtual: but not the host's");
}

int main(void)
{
	virtual_time();
	synchronous();
	synchronous_ring();
	limit();
	return test_end();
}
