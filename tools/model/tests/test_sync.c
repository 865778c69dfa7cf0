// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of synchronous submission
 *
 * With sync=on, the register write that gives an engine work returns when the engine is idle again, whichever way the
 * work comes. Waits that only the CPU can end, and a limit, end it earlier.
 */
#include "engine_bench.h"

#define COUNTER		PA_DATA
#define FLAG		(PA_DATA + 0x100)

#define INC(pa)		MI_ATOMIC | IGEN_PREP(MI_ATOMIC_OPCODE_MASK, MI_ATOMIC_INC), PPGTT(pa)
#define WAIT_SET(pa) MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_NEQ_SDD, 0, PPGTT(pa)

static void synchronous(void)
{
	static const char *const sync[] = { "sync=on", NULL };
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
	static const char *const sync[] = { "sync=on", "command_delay_ns=1000000", NULL };
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
	static const char *const sync[] = { "sync=on", "sync_limit_ms=20", "batch_delay_us=1000000", NULL };
	const uint32_t base = BCS0_BASE;
	struct ctx a;

	bench_start(sync);
	ctx_init(&a, 0, base, CTL_FRESH);
	batch(&a, MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	submit(base, &a);
	check(!idle(base), "it returns after sync_limit_ms at the latest");
	check(counter_value("sync_timeouts", "bcs0") == 1, "which is counted");
	check(wait_for(idle(base)), "and the engine goes on");
	bench_stop();
}

int main(void)
{
	synchronous();
	synchronous_ring();
	limit();
	return test_end();
}
