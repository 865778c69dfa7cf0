// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of unprivileged batches under each of the model's beliefs
 *
 * Each setting of cs/privilege.c's table is tried both ways: the default, and the other belief, under
 * which a driver has to be safe as well.
 */
#include "engine_bench.h"

#define OUT		(PA_DATA + 0x000)
#define GGTT_OUT	(PA_DATA + 0x300)

static const uint32_t bases[] = { RCS0_BASE, BCS0_BASE, VCS0_BASE, VECS0_BASE };

static struct ctx ctx;

static void begin(uint32_t base)
{
	ctx_init(&ctx, 0, base, CTL_FRESH);
	memset(ram + PA_DATA, 0, 4096);
}

/* Runs the batch without privilege. */
static bool end(uint32_t base)
{
	batch(&ctx, MI_BATCH_BUFFER_END);
	ring_batch(&ctx, CTX_BATCH, true);
	return run(base, &ctx);
}

/* Does the engine let a batch write a register that is not on its list, in each of three ways? */
static bool writes_registers(uint32_t base)
{
	uint32_t reg = RING_FORCE_TO_NONPRIV(base, 1);
	unsigned int written = 0;

	for (unsigned int i = 0; i < 3; i++) {
		begin(base);
		put(OUT, 0x2000);
		batch(&ctx, MI_LOAD_REGISTER_IMM(1), RING_GPR(base, 0), 0x2000);
		if (i == 0)
			batch(&ctx, MI_LOAD_REGISTER_IMM(1), reg, 0x2000);
		else if (i == 1)
			batch(&ctx, MI_LOAD_REGISTER_MEM, reg, PPGTT(OUT));
		else
			batch(&ctx, MI_LOAD_REGISTER_REG, RING_GPR(base, 0), reg);
		check(end(base), "a batch that writes a register runs");
		written += rd(reg) == 0x2000;
		wr(reg, 0);
	}
	check(written == 0 || written == 3, "all ways of writing a register are alike");
	return written;
}

static bool uses_ggtt(uint32_t base)
{
	uint32_t hits = 0;

	begin(base);
	batch(&ctx, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(GGTT_OUT), 1);
	batch(&ctx, MI_STORE_REGISTER_MEM | MI_MEM_GGTT, RING_HWS_PGA(base), GGTT(GGTT_OUT + 4));
	batch(&ctx, MI_COPY_MEM_MEM | MI_COPY_DST_GGTT, GGTT(GGTT_OUT + 8), PPGTT(ctx.pa + CTX_BATCH));
	batch(&ctx, MI_COPY_MEM_MEM | MI_COPY_SRC_GGTT, PPGTT(GGTT_OUT + 12), GGTT(ctx.pa + CTX_BATCH));
	if (base == RCS0_BASE)
		batch(&ctx, PIPE_CONTROL, PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_GGTT, GGTT(GGTT_OUT + 16), 1, 0);
	else
		batch(&ctx, MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW, (GGTT_OUT + 16) | MI_FLUSH_DW_GGTT, 0, 1, 0);
	batch(&ctx, MI_ATOMIC | MI_ATOMIC_GGTT | MI_ATOMIC_INC << 8, GGTT(GGTT_OUT + 24));
	check(end(base), "a batch that asks for the GGTT runs");
	for (unsigned int i = 0; i < 7; i++)
		hits += !!get(GGTT_OUT + 4 * i);
	check(hits == 0 || hits == 6, "all commands with a GGTT bit are alike");
	return hits;
}

static bool stores_by_index(uint32_t base)
{
	uint32_t hits = 0;

	begin(base);
	put(hwsp(base) + 0x300, 0);
	put(hwsp(base) + 0x308, 0);
	batch(&ctx, MI_STORE_DATA_INDEX, 0x300, 1, MI_STORE_DATA_INDEX | MI_SDX_PPHWSP, 0x300, 1);
	if (base == RCS0_BASE)
		batch(&ctx, PIPE_CONTROL, PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_STORE_INDEX, 0x308, 0, 1, 0,
		      PIPE_CONTROL, PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_STORE_INDEX | PIPE_CONTROL_GGTT,
		      0x308, 0, 1, 0);
	else
		batch(&ctx, MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW | MI_FLUSH_DW_STORE_INDEX, 0x308, 0, 1, 0,
		      MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW | MI_FLUSH_DW_STORE_INDEX,
		      0x308 | MI_FLUSH_DW_GGTT, 0, 1, 0);
	check(end(base), "a batch that stores by index runs");
	for (unsigned int i = 0; i < 2; i++)
		hits += get(hwsp(base) + 0x300 + 8 * i) + get(ctx.pa + 0x300 + 8 * i);
	check(hits == 0 || hits == 4, "all stores by index are alike");
	return hits;
}

/* What follows the batch in the ring shows what it left behind. */
static bool leaves_predication(uint32_t base)
{
	struct ctx next;
	bool ring_skipped, next_skipped;

	begin(base);
	ctx_init(&next, 1, base, CTL_FRESH);
	batch(&ctx, MI_SET_PREDICATE | MI_SET_PREDICATE_ALWAYS, MI_BATCH_BUFFER_END, MI_SET_PREDICATE);
	batch(&ctx, MI_BATCH_BUFFER_END);
	ring_batch(&ctx, CTX_BATCH, true);
	ring(&ctx, MI_STORE_DATA_IMM_DW, PPGTT(OUT), 1);
	check(run(base, &ctx), "a batch with a predicate comes to an end");
	ring(&next, MI_STORE_DATA_IMM_DW, PPGTT(OUT + 4), 1);
	check(run(base, &next), "and so does the next context");
	ring_skipped = !get(OUT);
	next_skipped = !get(OUT + 4);
	check(ring_skipped == next_skipped, "predication lasts until it is ended");
	begin(base);
	ring(&ctx, MI_SET_PREDICATE, MI_STORE_DATA_IMM_DW, PPGTT(OUT), 1);
	check(run(base, &ctx) && get(OUT) == 1, "a ring can end it");
	return ring_skipped;
}

static bool turns_arbitration_off(uint32_t base)
{
	uint64_t before = counter_value("privileged_noops", "MI_ARB_ON_OFF");

	begin(base);
	batch(&ctx, MI_ARB_ON_OFF | MI_ARB_DISABLE);
	check(end(base), "a batch that steers arbitration runs");
	return counter_value("privileged_noops", "MI_ARB_ON_OFF") == before;
}

/* A page whose entry denies writes. */
static bool writes_read_only(uint32_t base)
{
	uint64_t *entry = (uint64_t *)(ram + PA_PD) + 1;
	uint32_t pa = 1 << 21;
	bool written;

	begin(base);
	put(pa, 0);
	*entry &= ~(uint64_t)GEN8_PAGE_RW;
	batch(&ctx, MI_STORE_DATA_IMM_DW, PPGTT(pa), 1);
	check(end(base), "a batch that writes what is read only runs");
	written = get(pa);
	*entry |= GEN8_PAGE_RW;
	return written;
}

/* One guest's life: what each engine does with these settings. */
static void beliefs(const char *const *set, bool turned)
{
	bench_start(set);
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		uint32_t base = bases[i];
		bool copy = base == BCS0_BASE, render = base == RCS0_BASE;

		check(writes_registers(base) == (!render && copy != turned), "registers");
		check(uses_ggtt(base) == (copy && turned), "the GGTT");
		check(stores_by_index(base) == !turned, "stores by index");
		check(leaves_predication(base) == turned, "predication");
		check(turns_arbitration_off(base) == turned, "arbitration");
		check(writes_read_only(base) == turned, "read-only pages");
	}
	bench_stop();
}

int main(void)
{
	static const char *const turned[] = {
		"bcs_checks_registers=on", "video_checks_registers=off", "bcs_checks_ggtt=off",
		"index_privileged=on", "arb_privileged=off", "predicate_confined=off",
		"ppgtt_read_only=off", NULL
	};

	beliefs(NULL, false);
	beliefs(turned, true);
	return test_end();
}
