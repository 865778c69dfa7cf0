// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of the commands that the streamers execute
 *
 * Every test is a batch in the PPGTT, or in the GGTT or the ring where privilege matters, and a
 * look at memory, registers, errors and counters afterwards.
 */
#include "engine_bench.h"
#include "igen/regs/workarounds.h"

#define OUT		(PA_DATA + 0x000)
#define IN		(PA_DATA + 0x100)
#define IN2		(PA_DATA + 0x200)
#define GGTT_OUT	(PA_DATA + 0x300)

static struct ctx ctx;
static uint32_t engine_base;

/* An empty context with a batch to fill. */
static void begin(uint32_t base)
{
	engine_base = base;
	ctx_init(&ctx, 0, base, CTL_FRESH);
	memset(ram + PA_DATA, 0, 4096);
}

/* Runs the batch; false when the engine did not come to its end, which is then reset. */
static bool end(bool ppgtt)
{
	bool ok;

	batch(&ctx, MI_BATCH_BUFFER_END);
	ring_batch(&ctx, CTX_BATCH, ppgtt);
	submit(engine_base, &ctx);
	ok = wait_for(idle(engine_base) || rd(RING_ESR(engine_base)) & EIR_INSTRUCTION_ERROR);
	return ok && idle(engine_base);
}

static void lri(uint32_t reg, uint32_t v)
{
	batch(&ctx, MI_LOAD_REGISTER_IMM(1), reg, v);
}

static void gpr(unsigned int n, uint64_t v)
{
	batch(&ctx, MI_LOAD_REGISTER_IMM(2), RING_GPR(engine_base, n), (uint32_t)v,
	      RING_GPR(engine_base, n) + 4, (uint32_t)(v >> 32));
}

static void srm(uint32_t reg, uint32_t pa)
{
	batch(&ctx, MI_STORE_REGISTER_MEM, reg, PPGTT(pa));
}

static void srm64(unsigned int n, uint32_t pa)
{
	srm(RING_GPR(engine_base, n), pa);
	srm(RING_GPR(engine_base, n) + 4, pa + 4);
}

static void store_data(void)
{
	uint32_t n = 40;

	begin(RCS0_BASE);
	batch(&ctx, MI_STORE_DATA_IMM_DW, PPGTT(OUT), 0x11);
	batch(&ctx, MI_STORE_DATA_IMM_QW, PPGTT(OUT + 8), 0x22, 0x33);
	/* Many in one command. */
	batch(&ctx, (MI_STORE_DATA_IMM_DW & ~0x3ffu) | (n + 1), PPGTT(OUT + 0x40));
	for (uint32_t i = 0; i < n; i++)
		batch(&ctx, 0x1000 + i);
	batch(&ctx, MI_STORE_DATA_INDEX, 0x200, 0x44, MI_STORE_DATA_INDEX | MI_SDX_PPHWSP, 0x200,
	      0x55);
	check(end(true), "stores run");
	check(get(OUT) == 0x11 && get64(OUT + 8) == 0x3300000022ull, "dword and qword");
	check(get(OUT + 0x40) == 0x1000 && get(OUT + 0x40 + 4 * (n - 1)) == 0x1000 + n - 1 &&
	      get(OUT + 0x40 + 4 * n) == 0, "a row of dwords");
	check(get(hwsp(RCS0_BASE) + 0x200) == 0x44 && get(ctx.pa + 0x200) == 0x55,
	      "indexed: the global status page and the context's own");
}

static void registers(void)
{
	begin(BCS0_BASE);
	put(IN, 0xabcd);
	gpr(0, 0x1122334455667788ull);
	batch(&ctx, MI_LOAD_REGISTER_MEM, RING_GPR(BCS0_BASE, 1), PPGTT(IN));
	batch(&ctx, MI_LOAD_REGISTER_REG, RING_GPR(BCS0_BASE, 0), RING_GPR(BCS0_BASE, 2));
	/* Masked: through its mask; a copy has none. */
	lri(BCS_SWCTRL, IGEN_MASKED_ENABLE(BCS_SWCTRL_SRC_Y));
	lri(BCS_SWCTRL, BCS_SWCTRL_DST_Y);
	batch(&ctx, MI_LOAD_REGISTER_REG, RING_GPR(BCS0_BASE, 2), BCS_SWCTRL);
	/* All bytes disabled is a NOOP. */
	batch(&ctx, MI_LOAD_REGISTER_IMM(1) | MI_LRI_BYTE_DISABLE_MASK, RING_GPR(BCS0_BASE, 0), 0);
	srm64(0, OUT);
	srm64(1, OUT + 8);
	srm64(2, OUT + 16);
	srm(BCS_SWCTRL, OUT + 24);
	batch(&ctx, MI_COPY_MEM_MEM, PPGTT(OUT + 28), PPGTT(IN));
	check(end(true), "register commands run");
	check(get64(OUT) == 0x1122334455667788ull, "load immediate, store");
	check(get(OUT + 8) == 0xabcd, "load from memory");
	check(get64(OUT + 16) == 0x55667788, "load from a register");
	check(get(OUT + 24) == BCS_SWCTRL_SRC_Y, "masked registers");
	check(get(OUT + 28) == 0xabcd, "copy from memory to memory");
}

static void timestamps(void)
{
	uint32_t context;

	begin(VCS0_BASE);
	srm(RING_TIMESTAMP(VCS0_BASE), OUT);
	srm(RING_CTX_TIMESTAMP(VCS0_BASE), OUT + 4);
	srm(RING_TIMESTAMP(VCS0_BASE), OUT + 24);
	for (unsigned int i = 0; i < 500; i++)
		batch(&ctx, MI_STORE_DATA_IMM_DW, PPGTT(OUT + 64), i);
	srm(RING_TIMESTAMP(VCS0_BASE), OUT + 8);
	srm(RING_CTX_TIMESTAMP(VCS0_BASE), OUT + 12);
	srm(RING_TIMESTAMP(VCS0_BASE), OUT + 28);
	batch(&ctx, MI_FLUSH_DW | MI_FLUSH_DW_WRITE_TIMESTAMP, PPGTT(OUT + 16), 0, 0);
	check(end(true), "timestamps are read");
	check(get(OUT + 8) > get(OUT) && get(OUT + 12) > get(OUT + 4), "both count");
	/* Each of the context's two reads lies between two reads of the engine's. Both are rounded to ticks. */
	context = get(OUT + 12) - get(OUT + 4);
	check(context + 2 >= get(OUT + 8) - get(OUT + 24) && context <= get(OUT + 28) - get(OUT) + 2,
	      "the context's counts at the same rate");
	check(get(OUT + 16) >= get(OUT + 28), "a flush writes the same clock");
	check(get(image_pa(&ctx, CTX_TIMESTAMP)) >= get(OUT + 12), "the image keeps the context's");
}

static void math(void)
{
	static const struct { uint64_t a, b; } values[] = {
		{ 5, 3 }, { 3, 5 }, { 7, 7 }, { ~0ull, 1 }, { 0, 0 }, { 1ull << 63, 1ull << 63 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		uint64_t a = values[i].a, b = values[i].b;

		begin(RCS0_BASE);
		gpr(0, a);
		gpr(1, b);
		batch(&ctx, MI_MATH(18));
		batch(&ctx, MI_ALU(MI_ALU_LOAD, MI_ALU_SRCA, 0),
		      MI_ALU(MI_ALU_LOAD, MI_ALU_SRCB, 1));
		batch(&ctx, MI_ALU(MI_ALU_ADD, 0, 0), MI_ALU(MI_ALU_STORE, 2, MI_ALU_ACCU),
		      MI_ALU(MI_ALU_STORE, 3, MI_ALU_CF));
		batch(&ctx, MI_ALU(MI_ALU_SUB, 0, 0), MI_ALU(MI_ALU_STORE, 4, MI_ALU_ACCU),
		      MI_ALU(MI_ALU_STORE, 5, MI_ALU_CF), MI_ALU(MI_ALU_STOREINV, 6, MI_ALU_ZF));
		batch(&ctx, MI_ALU(MI_ALU_XOR, 0, 0), MI_ALU(MI_ALU_STORE, 7, MI_ALU_ACCU),
		      MI_ALU(MI_ALU_AND, 0, 0), MI_ALU(MI_ALU_STOREINV, 8, MI_ALU_ACCU),
		      MI_ALU(MI_ALU_OR, 0, 0), MI_ALU(MI_ALU_STORE, 9, MI_ALU_ACCU));
		batch(&ctx, MI_ALU(MI_ALU_LOAD1, MI_ALU_SRCA, 0),
		      MI_ALU(MI_ALU_LOADINV, MI_ALU_SRCB, 0), MI_ALU(MI_ALU_AND, 0, 0));
		batch(&ctx, MI_MATH(1), MI_ALU(MI_ALU_NOOP, 0, 0));
		for (unsigned int n = 0; n < 16; n++)
			srm64(n, OUT + 8 * n);
		check(end(true), "math %zu runs", i);
		check(get64(OUT + 16) == a + b && get64(OUT + 24) == (a + b < a ? ~0ull : 0),
		      "math %zu: add", i);
		check(get64(OUT + 32) == a - b && get64(OUT + 40) == (a < b ? ~0ull : 0),
		      "math %zu: subtract", i);
		check(get64(OUT + 48) == (a == b ? 0 : ~0ull), "math %zu: zero flag", i);
		check(get64(OUT + 56) == (a ^ b) && get64(OUT + 64) == ~(a & b) &&
		      get64(OUT + 72) == (a | b),
		      "math %zu: bits", i);
		check(get64(OUT) == a && get64(OUT + 8) == b && get64(OUT + 80) == 0,
		      "math %zu: others untouched", i);
	}
}

/* The result of an atomic operation by the manual's text, for 4 and 8 bytes. */
static uint64_t expected(unsigned int op, unsigned int bytes, uint64_t m, uint64_t a, uint64_t b)
{
	int64_t sm = bytes == 4 ? (int32_t)m : (int64_t)m;
	int64_t sa = bytes == 4 ? (int32_t)a : (int64_t)a;

	switch (op) {
	case MI_ATOMIC_AND:
		return m & a;
	case MI_ATOMIC_OR:
		return m | a;
	case MI_ATOMIC_XOR:
		return m ^ a;
	case MI_ATOMIC_MOVE:
		return a;
	case MI_ATOMIC_INC:
		return m + 1;
	case MI_ATOMIC_DEC:
		return m - 1;
	case MI_ATOMIC_ADD:
		return m + a;
	case MI_ATOMIC_SUB:
		return m - a;
	case MI_ATOMIC_RSUB:
		return a - m;
	case MI_ATOMIC_IMAX:
		return sm > sa ? m : a;
	case MI_ATOMIC_IMIN:
		return sm < sa ? m : a;
	case MI_ATOMIC_UMAX:
		return m > a ? m : a;
	case MI_ATOMIC_UMIN:
		return m < a ? m : a;
	case MI_ATOMIC_CMPWR:
		return m == a ? b : m;
	case MI_ATOMIC_PREDEC:
		return m - 1;
	}
	return 0;
}

static void atomics(void)
{
	static const uint64_t mem[] = { 0, 5, 0x80000000, 0xfffffff0 };
	static const uint64_t arg[] = { 5, 0x7fffffff, 0xfffffff0 };

	for (unsigned int op = MI_ATOMIC_AND; op <= MI_ATOMIC_PREDEC; op++)
		for (unsigned int size = 0; size < 2; size++) {
			uint64_t mask = size ? ~0ull : 0xffffffff;
			unsigned int bad = 0, n = 0;
			bool ran;

			begin(RCS0_BASE);
			for (size_t m = 0; m < ARRAY_SIZE(mem); m++)
				for (size_t a = 0; a < ARRAY_SIZE(arg); a++, n++) {
					uint32_t pa = OUT + 8 * n;

					put(pa, (uint32_t)mem[m]);
					put(pa + 4, size ? 0x80000001 : 0x77);
					batch(&ctx,
					      MI_ATOMIC_INLINE | MI_ATOMIC_RETURN | size << 19 |
						      (op + size * MI_ATOMIC_8B) << 8,
					      PPGTT(pa), (uint32_t)arg[a], 0xbb, size ? 0x12 : 0,
					      0xcc, 0, 0, 0, 0);
					srm64(4, IN2 + 8 * n);
				}
			ran = end(true);
			n = 0;
			for (size_t m = 0; m < ARRAY_SIZE(mem); m++)
				for (size_t a = 0; a < ARRAY_SIZE(arg); a++, n++) {
					uint64_t old = mem[m] | (size ? 0x80000001ull << 32 : 0);
					uint64_t v = arg[a] | (size ? 0x12ull << 32 : 0);
					uint64_t b = size ? 0xcc000000bbull : 0xbb;
					uint64_t is = size ? get64(OUT + 8 * n) : get(OUT + 8 * n);

					if (is != (expected(op, 4u << size, old, v, b) & mask))
						bad++;
					if (size ? get64(IN2 + 8 * n) != old :
						   get(IN2 + 8 * n) != old)
						bad++;
					if (!size && get(OUT + 8 * n + 4) != 0x77)
						bad++;
				}
			check(ran && !bad, "atomic %02x, %u bytes: %u wrong", op, 4u << size, bad);
		}

	/* 16 bytes, operands in registers. */
	begin(RCS0_BASE);
	put(OUT, ~0u);
	put(OUT + 4, ~0u);
	put(OUT + 8, 1);
	gpr(0, 1);
	gpr(1, 0);
	batch(&ctx,
	      MI_ATOMIC | MI_ATOMIC_OWORD | MI_ATOMIC_RETURN | (MI_ATOMIC_ADD + MI_ATOMIC_16B) << 8,
	      PPGTT(OUT));
	srm64(4, IN);
	srm64(5, IN + 8);
	check(end(true) && get64(OUT) == 0 && get64(OUT + 8) == 2, "16 bytes: the carry goes up");
	check(get64(IN) == ~0ull >> 0 && get64(IN + 8) == 1, "16 bytes: the old value");
	begin(RCS0_BASE);
	batch(&ctx, MI_ATOMIC | MI_ATOMIC_QWORD | MI_ATOMIC_INC << 8, PPGTT(OUT));
	check(!end(true), "an opcode of another size stops the engine");
	wr(GDRST, GDRST_FULL);
}

/* What stands where no memory is: the operation is a page fault, and the engine goes on. */
static void atomic_nowhere(void)
{
	static const unsigned int ops[] = { MI_ATOMIC_INC, MI_ATOMIC_CMPWR };
	const uint32_t nowhere = RAM_SIZE - 4096;

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		uint64_t misses = counter_value("memory_misses", "reads") + counter_value("memory_misses", "writes");
		uint64_t faults = counter_value("page_faults", "rcs0");

		begin(RCS0_BASE);
		gtt_pte_write(gpu, nowhere / 4096 * 8, 8, (1ull << 38) | GEN8_PAGE_PRESENT);
		put(OUT, 0);
		batch(&ctx, MI_ATOMIC_INLINE | MI_ATOMIC_GGTT | ops[i] << 8, GGTT(nowhere), 0, 0, 0, 0, 0, 0, 0, 0);
		batch(&ctx, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(OUT), 7);
		check(end(false) && get(OUT) == 7, "atomic %02x where no memory is: the engine goes on", ops[i]);
		check(counter_value("page_faults", "rcs0") == faults + 1, "which is a page fault");
		check(counter_value("memory_misses", "reads") + counter_value("memory_misses", "writes") == misses + 1,
		      "and counted");
	}
}

/* All engines and the CPU add to one counter. */
static void atomic_together(void)
{
	static const uint32_t bases[] = { RCS0_BASE, BCS0_BASE, VCS0_BASE, VECS0_BASE };
	struct ctx c[ARRAY_SIZE(bases)];
	const unsigned int n = 1500;

	begin(RCS0_BASE);
	for (size_t e = 0; e < ARRAY_SIZE(bases); e++) {
		ctx_init(&c[e], (unsigned int)e, bases[e], CTL_FRESH);
		for (unsigned int i = 0; i < n; i++)
			batch(&c[e], MI_ATOMIC | MI_ATOMIC_INC << 8, PPGTT(OUT));
		batch(&c[e], MI_BATCH_BUFFER_END);
		ring_batch(&c[e], CTX_BATCH, true);
	}
	for (size_t e = 0; e < ARRAY_SIZE(bases); e++)
		submit(bases[e], &c[e]);
	for (unsigned int i = 0; i < n; i++)
		__atomic_add_fetch((uint32_t *)(ram + OUT), 1, __ATOMIC_RELAXED);
	check(wait_for(idle(bases[0]) && idle(bases[1]) && idle(bases[2]) && idle(bases[3])) &&
	      get(OUT) == 5 * n, "four engines and the CPU: nothing is lost (%u)", get(OUT));
}

static void flush_dw(void)
{
	static const uint32_t bases[] = { BCS0_BASE, VCS0_BASE, VECS0_BASE };

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		uint64_t before = counter_value("tlb_invalidations", i == 0 ? "bcs0" :
								     i == 1 ? "vcs0" :
									      "vecs0");
		uint64_t after;

		begin(bases[i]);
		batch(&ctx, MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW, PPGTT(OUT), 0x12, 0x34);
		batch(&ctx, MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW | MI_FLUSH_DW_STORE_INDEX, 0x208, 0,
		      0x56, 0x78);
		batch(&ctx, MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW | MI_FLUSH_DW_STORE_INDEX,
		      0x208 | MI_FLUSH_DW_GGTT, 0, 0x9a, 0xbc);
		batch(&ctx, MI_FLUSH_DW | MI_FLUSH_DW_TLB_INVALIDATE, 0, 0, 0, 0);
		batch(&ctx, MI_FLUSH_DW | MI_FLUSH_DW_NOTIFY, 0, 0, 0, 0);
		check(end(true), "engine %zu: flushes run", i);
		check(get64(OUT) == 0x3400000012ull, "engine %zu: write behind a flush", i);
		check(get64(ctx.pa + 0x208) == 0x7800000056ull &&
		      get64(hwsp(bases[i]) + 0x208) == 0xbc0000009aull,
		      "engine %zu: the index goes to the page that dword 1 says", i);
		after = counter_value("tlb_invalidations", i == 0 ? "bcs0" :
							   i == 1 ? "vcs0" :
								    "vecs0");
		begin(bases[i]);
		batch(&ctx, MI_FLUSH_DW | MI_FLUSH_DW_TLB_INVALIDATE | MI_FLUSH_DW_WRITE_QW,
		      PPGTT(OUT), 0, 0);
		check(end(true), "engine %zu: and an invalidation", i);
		/* The second context has the same address space: only the flush invalidates. */
		check(counter_value("tlb_invalidations", i == 0 ? "bcs0" :
							 i == 1 ? "vcs0" :
								  "vecs0") == after + 1,
		      "engine %zu: it invalidates with a write only (%llu)", i,
		      (unsigned long long)(after - before));
	}
	check(rd(GT_IIR(1)) & GT_IRQ_PIPE_CONTROL_NOTIFY, "notify raises its interrupt");
}

static void pipe_control(void)
{
	uint64_t before;

	begin(RCS0_BASE);
	batch(&ctx, PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_QW, PPGTT(OUT), 0x12,
	      0x34);
	batch(&ctx, PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_TIMESTAMP,
	      PPGTT(OUT + 8), 0, 0);
	batch(&ctx, PIPE_CONTROL - 1, PIPE_CONTROL_WRITE_QW, PPGTT(OUT + 44), 0x56);
	lri(PS_DEPTH_COUNT, 0x77);
	batch(&ctx, PIPE_CONTROL, PIPE_CONTROL_WRITE_PS_DEPTH | PIPE_CONTROL_DEPTH_STALL,
	      PPGTT(OUT + 16), 0, 0);
	batch(&ctx, PIPE_CONTROL, PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_STORE_INDEX, 0x210, 0, 1, 2);
	batch(&ctx, PIPE_CONTROL,
	      PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_STORE_INDEX | PIPE_CONTROL_GGTT, 0x210, 0, 3, 4);
	batch(&ctx, PIPE_CONTROL, PIPE_CONTROL_LRI_POST_SYNC, RING_GPR(RCS0_BASE, 3), 0, 0x99, 0);
	batch(&ctx, PIPE_CONTROL, PIPE_CONTROL_NOTIFY, 0, 0, 0, 0);
	srm(RING_GPR(RCS0_BASE, 3), OUT + 24);
	check(end(true), "PIPE_CONTROL runs");
	check(get64(OUT) == 0x3400000012ull, "it writes a qword");
	check(get64(OUT + 40) == 0x56, "also without the data's high half, to the qword's address");
	check(get64(OUT + 8) != 0, "the timestamp");
	check(get64(OUT + 16) == 0x77, "the depth count");
	check(get64(ctx.pa + 0x210) == 0x200000001ull &&
	      get64(hwsp(RCS0_BASE) + 0x210) == 0x400000003ull,
	      "indexed");
	check(get(OUT + 24) == 0x99, "a register");
	check(rd(GT_IIR(0)) & GT_IRQ_PIPE_CONTROL_NOTIFY, "and interrupts");
	before = counter_value("tlb_invalidations", "rcs0");
	begin(RCS0_BASE);
	batch(&ctx, PIPE_CONTROL, PIPE_CONTROL_TLB_INVALIDATE | PIPE_CONTROL_CS_STALL, 0, 0, 0, 0);
	check(end(true) && counter_value("tlb_invalidations", "rcs0") == before + 1,
	      "and invalidates the TLB");
}

static void predicates(void)
{
	static const struct {
		uint32_t op;
		bool state, result;
	} table[] = {
		{ MI_PREDICATE_LOAD | MI_PREDICATE_SET | MI_PREDICATE_TRUE, false, true },
		{ MI_PREDICATE_LOAD | MI_PREDICATE_SET | MI_PREDICATE_FALSE, true, false },
		{ MI_PREDICATE_LOADINV | MI_PREDICATE_SET | MI_PREDICATE_FALSE, false, true },
		{ MI_PREDICATE_KEEP | MI_PREDICATE_SET | MI_PREDICATE_TRUE, false, false },
		{ MI_PREDICATE_LOAD | MI_PREDICATE_AND | MI_PREDICATE_TRUE, false, false },
		{ MI_PREDICATE_LOAD | MI_PREDICATE_OR | MI_PREDICATE_FALSE, true, true },
		{ MI_PREDICATE_LOAD | MI_PREDICATE_XOR | MI_PREDICATE_TRUE, true, false },
		{ MI_PREDICATE_LOAD | MI_PREDICATE_SET | MI_PREDICATE_SRCS_EQUAL, true, false },
		{ MI_PREDICATE_LOAD | MI_PREDICATE_SET | MI_PREDICATE_DELTAS_EQUAL, false, true },
	};
	unsigned int bad = 0;

	begin(RCS0_BASE);
	for (unsigned int i = 0; i < 8; i++)
		lri(RING_PREDICATE_SRC0(RCS0_BASE) + 4 * i, 0);
	lri(RING_PREDICATE_SRC0(RCS0_BASE), 9);
	lri(RING_PREDICATE_SRC1(RCS0_BASE), 4);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		lri(RING_PREDICATE_RESULT(RCS0_BASE), table[i].state);
		batch(&ctx, MI_PREDICATE | table[i].op);
		srm(RING_PREDICATE_RESULT(RCS0_BASE), OUT + 4 * (uint32_t)i);
	}
	srm(RING_PREDICATE_DATA(RCS0_BASE), IN);
	check(end(true), "predicates run");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		bad += get(OUT + 4 * (uint32_t)i) != table[i].result;
	check(!bad && get(IN) == 5, "%zu combinations, %u wrong", ARRAY_SIZE(table), bad);

	begin(RCS0_BASE);
	lri(RING_PREDICATE_RESULT(RCS0_BASE), 0);
	lri(RING_PREDICATE_RESULT_1(RCS0_BASE), 0);
	lri(RING_PREDICATE_RESULT_2(RCS0_BASE), 1);
	batch(&ctx, MI_STORE_REGISTER_MEM | MI_SRM_PREDICATE, RING_PREDICATE_RESULT_2(RCS0_BASE),
	      PPGTT(OUT));
	batch(&ctx, MI_BATCH_BUFFER_START | MI_BBS_PPGTT | MI_BBS_PREDICATE, PPGTT(0));
	batch(&ctx, MI_SET_PREDICATE | MI_SET_PREDICATE_RESULT2_SET, MI_STORE_DATA_IMM_DW,
	      PPGTT(OUT + 4), 1, MI_SET_PREDICATE | MI_SET_PREDICATE_RESULT2_CLEAR,
	      MI_STORE_DATA_IMM_DW, PPGTT(OUT + 8), 1, MI_SET_PREDICATE | MI_SET_PREDICATE_ALWAYS,
	      MI_STORE_DATA_IMM_DW, PPGTT(OUT + 12), 1,
	      MI_SET_PREDICATE | MI_SET_PREDICATE_RESULT_SET, MI_STORE_DATA_IMM_DW, PPGTT(OUT + 16),
	      1, MI_SET_PREDICATE | MI_SET_PREDICATE_NEVER, MI_STORE_DATA_IMM_DW, PPGTT(OUT + 20),
	      1);
	check(end(true), "predicated commands run");
	check(get(OUT) == 0, "a predicated store does not happen");
	check(!get(OUT + 4) && get(OUT + 8) && !get(OUT + 12) && get(OUT + 16) && get(OUT + 20),
	      "MI_SET_PREDICATE skips what it says");
}

static void batches(void)
{
	begin(RCS0_BASE);
	/* Chained: no way back. Second level: back to behind it. */
	batch(&ctx, MI_BATCH_BUFFER_START | MI_BBS_PPGTT | MI_BBS_SECOND_LEVEL,
	      PPGTT(ctx.pa + CTX_BATCH2), MI_STORE_DATA_IMM_DW, PPGTT(OUT), 1,
	      MI_BATCH_BUFFER_START | MI_BBS_PPGTT, PPGTT(ctx.pa + CTX_BATCH2 + 0x100),
	      MI_STORE_DATA_IMM_DW, PPGTT(OUT + 4), 1);
	ctx.batch_dw = 0;
	batch_at(&ctx, CTX_BATCH2);
	batch(&ctx, MI_STORE_DATA_IMM_DW, PPGTT(OUT + 8), 1, MI_BATCH_BUFFER_END);
	batch_at(&ctx, CTX_BATCH2 + 0x100);
	batch(&ctx, MI_STORE_DATA_IMM_DW, PPGTT(OUT + 12), 1, MI_BATCH_BUFFER_END);
	ring_batch(&ctx, CTX_BATCH, true);
	ring(&ctx, MI_STORE_DATA_IMM_DW, PPGTT(OUT + 16), 1);
	check(run(RCS0_BASE, &ctx), "batches that call and chain run");
	check(get(OUT) && !get(OUT + 4) && get(OUT + 8) && get(OUT + 12) && get(OUT + 16),
	      "in the right order");

	/* Conditional end, this level or all; the address is a dword's. */
	for (unsigned int all = 0; all < 2; all++) {
		begin(RCS0_BASE);
		put(IN, 0);
		put(IN + 4, 5);
		batch(&ctx, MI_BATCH_BUFFER_START | MI_BBS_PPGTT | MI_BBS_SECOND_LEVEL,
		      PPGTT(ctx.pa + CTX_BATCH2), MI_STORE_DATA_IMM_DW, PPGTT(OUT), 1,
		      MI_BATCH_BUFFER_END);
		batch_at(&ctx, CTX_BATCH2);
		/* 5 > 4: on. Without the compare bit: on. 5 > 5: end. */
		batch(&ctx, MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE, 4, PPGTT(IN + 4));
		batch(&ctx, MI_CONDITIONAL_BB_END, 9, PPGTT(IN + 4));
		batch(&ctx, MI_STORE_DATA_IMM_DW, PPGTT(OUT + 4), 1);
		batch(&ctx,
		      MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE |
			      (all ? 0 : MI_COND_BBE_THIS_LEVEL),
		      5, PPGTT(IN + 4));
		batch(&ctx, MI_STORE_DATA_IMM_DW, PPGTT(OUT + 8), 1, MI_BATCH_BUFFER_END);
		ring_batch(&ctx, CTX_BATCH, true);
		check(run(RCS0_BASE, &ctx) && get(OUT) == !all && get(OUT + 4) && !get(OUT + 8),
		      "a conditional end ends %s", all ? "all levels" : "its level");
	}

	/* All comparisons of a wait that holds. */
	begin(RCS0_BASE);
	put(IN, 5);
	batch(&ctx, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GT_SDD, 4, PPGTT(IN),
	      MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GTE_SDD, 5, PPGTT(IN),
	      MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_LT_SDD, 6, PPGTT(IN),
	      MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_LTE_SDD, 5, PPGTT(IN),
	      MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_EQ_SDD, 5, PPGTT(IN),
	      MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_NEQ_SDD, 4, PPGTT(IN));
	check(end(true), "waits that hold do not wait");
}

static void signals(void)
{
	struct ctx b;

	begin(RCS0_BASE);
	ctx_init(&b, 1, BCS0_BASE, CTL_FRESH);
	ring(&ctx, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_SAD_EQ_SDD, 1, PPGTT(IN),
	     MI_STORE_DATA_IMM_DW, PPGTT(OUT), 1);
	submit(RCS0_BASE, &ctx);
	check(wait_for(rd(GT_IIR(0)) & GT_IRQ_WAIT_SEMAPHORE), "a wait in signal mode");
	put(IN, 1);
	/* To a context that does not run, then to the right one. */
	ring(&b, MI_SEMAPHORE_SIGNAL, 0x9999);
	check(run(BCS0_BASE, &b) && !idle(RCS0_BASE), "another context's signal does not wake it");
	ring(&b, MI_SEMAPHORE_SIGNAL, id(&ctx));
	check(run(BCS0_BASE, &b) && wait_for(idle(RCS0_BASE)) && get(OUT) == 1, "its own does");
}

/* A driver's wait for another engine: in the ring, for a seqno in the GGTT, which a flush writes at the other's end. */
static void other_engine(void)
{
	struct ctx b, c;

	begin(RCS0_BASE);
	ctx_init(&b, 1, BCS0_BASE, CTL_FRESH);
	ctx_init(&c, 2, RCS0_BASE, CTL_FRESH);
	put(GGTT_OUT, 0xffffffff);
	ring(&ctx, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_GGTT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GTE_SDD, 0x80000001,
	     GGTT(GGTT_OUT), MI_STORE_DATA_IMM_DW, PPGTT(OUT), 1);
	check(run(RCS0_BASE, &ctx) && get(OUT) == 1, "the comparison knows no sign");

	put(GGTT_OUT, 5);
	ring(&ctx, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_GGTT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GTE_SDD, 7,
	     GGTT(GGTT_OUT), MI_STORE_DATA_IMM_DW, PPGTT(OUT), 2);
	submit(RCS0_BASE, &ctx);
	check(wait_for(rd(RING_IPEHR(RCS0_BASE)) >> 23 == MI_OP_SEMAPHORE_WAIT), "an engine waits");
	ring(&b, MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW, GGTT_OUT | MI_FLUSH_DW_GGTT, 0, 6, 0);
	check(run(BCS0_BASE, &b) && get(GGTT_OUT) == 6 && !idle(RCS0_BASE) && get(OUT) == 1,
	      "an earlier seqno does not release it");
	/* Another context gets the engine meanwhile. */
	ring(&c, MI_STORE_DATA_IMM_DW, PPGTT(OUT + 4), 1);
	ctx_tail(&c);
	elsp(RCS0_BASE, c.desc, ctx.desc);
	check(wait_for(get(OUT + 4) == 1) && get(OUT) == 1, "it gives way");
	ring(&b, MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW, GGTT_OUT | MI_FLUSH_DW_GGTT, 0, 8, 0);
	check(run(BCS0_BASE, &b) && wait_for(idle(RCS0_BASE)) && get(OUT) == 2, "a later one does, once it is back");
}

static void privilege(void)
{
	uint64_t pte = gtt_pte_read(gpu, 100 * 8, 8);

	/* In the PPGTT: nothing of this may happen. */
	begin(RCS0_BASE);
	batch(&ctx, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(GGTT_OUT), 1);
	batch(&ctx, MI_STORE_REGISTER_MEM | MI_MEM_GGTT, RING_TIMESTAMP(RCS0_BASE), GGTT(GGTT_OUT));
	put(GGTT_OUT + 16, 7);
	batch(&ctx, MI_LOAD_REGISTER_MEM | MI_MEM_GGTT, RING_GPR(RCS0_BASE, 0),
	      GGTT(GGTT_OUT + 16));
	batch(&ctx, MI_COPY_MEM_MEM | MI_COPY_DST_GGTT, GGTT(GGTT_OUT), PPGTT(GGTT_OUT + 16));
	batch(&ctx, MI_COPY_MEM_MEM | MI_COPY_SRC_GGTT, PPGTT(GGTT_OUT + 4), GGTT(GGTT_OUT + 16));
	batch(&ctx, PIPE_CONTROL, PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_GGTT, GGTT(GGTT_OUT), 1, 1);
	batch(&ctx, MI_UPDATE_GTT(1) | IGEN_BIT(22), 100 << 12, 0, 0);
	lri(RING_HWS_PGA(RCS0_BASE), 0);
	lri(RING_FORCE_TO_NONPRIV(RCS0_BASE, 0), HDC_CHICKEN1);
	batch(&ctx, MI_ARB_ON_OFF | MI_ARB_DISABLE);
	srm(RING_GPR(RCS0_BASE, 0), OUT);
	/* This is allowed. */
	lri(CACHE_MODE_1, IGEN_MASKED_ENABLE(0x4u));
	srm(CACHE_MODE_1, OUT + 4);
	lri(HDC_CHICKEN1, IGEN_MASKED_ENABLE(0x8u));
	srm(HDC_CHICKEN1, OUT + 8);
	/* The bit is ignored: this is the PPGTT, where this address is not mapped. */
	batch(&ctx, MI_ATOMIC | MI_ATOMIC_GGTT | MI_ATOMIC_INC << 8, GGTT(GGTT_OUT + 16));
	check(end(true), "a batch without privilege runs");
	check(get(GGTT_OUT) == 0 && get(GGTT_OUT + 4) == 0 && get(OUT) == 0,
	      "it does not get at the GGTT");
	check(gtt_pte_read(gpu, 100 * 8, 8) == pte, "nor at its entries");
	check(rd(RING_HWS_PGA(RCS0_BASE)) == hwsp(RCS0_BASE) &&
	      rd(RING_FORCE_TO_NONPRIV(RCS0_BASE, 0)) == 0, "nor at registers");
	check(get(OUT + 4) == 0x4 && get(OUT + 8) == 0, "but at those of the list");
	check(get(GGTT_OUT + 16) == 7, "an atomic's GGTT bit is ignored");
	check(rd(RING_ESR(RCS0_BASE)) & EIR_PRIVILEGE_VIOLATION, "violations are recorded");
	check(counter_value("privilege_violations", "MI_STORE_DATA_IMM") == 1 &&
	      counter_value("privilege_violations", "MI_COPY_MEM_MEM") == 2 &&
	      counter_value("privilege_violations", "MI_UPDATE_GTT") == 1 &&
	      counter_value("privileged_noops", "MI_ARB_ON_OFF") == 1, "and counted by command");

	/* A slot opens a register. */
	wr(RING_FORCE_TO_NONPRIV(RCS0_BASE, 5), HDC_CHICKEN1);
	begin(RCS0_BASE);
	lri(HDC_CHICKEN1, IGEN_MASKED_ENABLE(0x8u));
	srm(HDC_CHICKEN1, OUT + 8);
	check(end(true) && get(OUT + 8) == 0x8, "FORCE_TO_NONPRIV opens a register");

	/* A slot that lets a register be read leaves it closed to writes; one with a range opens those behind it. */
	wr(RING_FORCE_TO_NONPRIV(RCS0_BASE, 5), HDC_CHICKEN1 | FORCE_TO_NONPRIV_READ);
	begin(RCS0_BASE);
	lri(HDC_CHICKEN1, IGEN_MASKED_DISABLE(0x8u));
	srm(HDC_CHICKEN1, OUT + 8);
	check(end(true) && get(OUT + 8) == 0x8, "FORCE_TO_NONPRIV opens a register for reads alone");
	wr(RING_FORCE_TO_NONPRIV(RCS0_BASE, 5), (HDC_CHICKEN0 - 8) | FORCE_TO_NONPRIV_4_REGS);
	begin(RCS0_BASE);
	lri(HDC_CHICKEN1, IGEN_MASKED_DISABLE(0x8u));
	srm(HDC_CHICKEN1, OUT + 8);
	check(end(true) && get(OUT + 8) == 0, "FORCE_TO_NONPRIV opens four registers");
	wr(RING_FORCE_TO_NONPRIV(RCS0_BASE, 5), (HDC_CHICKEN1 - 16) | FORCE_TO_NONPRIV_4_REGS);
	begin(RCS0_BASE);
	lri(HDC_CHICKEN1, IGEN_MASKED_ENABLE(0x8u));
	srm(HDC_CHICKEN1, OUT + 8);
	check(end(true) && get(OUT + 8) == 0, "and not the fifth");

	/* A PPGTT batch cannot start one in the GGTT. */
	begin(RCS0_BASE);
	batch(&ctx, MI_BATCH_BUFFER_START, PPGTT(ctx.pa + CTX_BATCH2));
	batch_at(&ctx, CTX_BATCH2);
	batch(&ctx, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(GGTT_OUT), 1, MI_STORE_DATA_IMM_DW,
	      PPGTT(OUT), 1, MI_BATCH_BUFFER_END);
	ring_batch(&ctx, CTX_BATCH, true);
	check(run(RCS0_BASE, &ctx) && get(OUT) == 1 && get(GGTT_OUT) == 0,
	      "a PPGTT batch's child stays in the PPGTT");

	/* With privilege all of it happens. */
	begin(RCS0_BASE);
	batch(&ctx, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(GGTT_OUT), 1);
	batch(&ctx, MI_UPDATE_GTT(1) | IGEN_BIT(22), 4000 << 12, 0x5001, 0);
	lri(RING_FORCE_TO_NONPRIV(RCS0_BASE, 6), 0x7018);
	check(end(false) && get(GGTT_OUT) == 1 && gtt_pte_read(gpu, 4000 * 8, 8) == 0x5001 &&
	      rd(RING_FORCE_TO_NONPRIV(RCS0_BASE, 6)) == 0x7018,
	      "a batch in the GGTT may all this");
}

static void faults(void)
{
	uint64_t before = counter_value("page_faults", "rcs0");

	begin(RCS0_BASE);
	put(IN, 3);
	batch(&ctx, MI_STORE_DATA_IMM_DW, 0x1000, 0, 1);
	gpr(0, 0x55);
	batch(&ctx, MI_LOAD_REGISTER_MEM, RING_GPR(RCS0_BASE, 0), 0x2000, 0);
	srm(RING_GPR(RCS0_BASE, 0), OUT);
	batch(&ctx, MI_STORE_DATA_IMM_DW, PPGTT(OUT + 4), 1);
	check(end(true), "faults of data do not stop the engine");
	check(get(OUT) == 0 && get(OUT + 4) == 1, "reads give zeros, writes are dropped");
	check(counter_value("page_faults", "rcs0") == before + 2, "and both are counted");
}

/* The type of the fault that a write to this address is recorded with. */
static uint32_t type_of_write(uint64_t addr)
{
	wr(RING_FAULT_REG, 0);
	begin(RCS0_BASE);
	batch(&ctx, MI_STORE_DATA_IMM_DW, (uint32_t)addr, (uint32_t)(addr >> 32), 1);
	if (!end(true) || !(rd(RING_FAULT_REG) & RING_FAULT_VALID))
		return ~0u;
	return IGEN_GET(RING_FAULT_TYPE_MASK, rd(RING_FAULT_REG));
}

static void fault_types(void)
{
	uint64_t *directory = (uint64_t *)(ram + PA_PD);
	unsigned int after = RAM_SIZE >> 21;

	directory[after] = GEN8_PDE_PS_2M | GEN8_PAGE_PRESENT;
	directory[after + 1] = RAM_SIZE | GEN8_PDE_PS_2M | GEN8_PAGE_PRESENT | GEN8_PAGE_RW;
	check(type_of_write(0x1000) == 0, "a write to a page that is not present is a fault of type 0");
	check(type_of_write(VA + RAM_SIZE) == 1, "a write to a read-only page is one of type 1");
	check(type_of_write(VA + RAM_SIZE + (2u << 20)) == 0, "a write to a page without memory is one of type 0");
}

static void skipped(void)
{
	uint64_t before = counter_value("commands", "MEDIA_CURBE_LOAD");

	begin(RCS0_BASE);
	batch(&ctx, 0x70010002, 0, 0xdeadbeef, 0xdeadbeef);
	batch(&ctx, MI_STORE_DATA_IMM_DW, PPGTT(OUT), 1);
	check(end(true) && get(OUT) == 1, "a state command is skipped by its length");
	check(counter_value("commands", "MEDIA_CURBE_LOAD") == before + 1,
	      "and counted by its name on this engine");
	begin(VCS0_BASE);
	before = counter_value("commands", "MFX_SURFACE_STATE");
	batch(&ctx, 0x70010002, 0, 0, 0);
	check(end(true) && counter_value("commands", "MFX_SURFACE_STATE") == before + 1,
	      "on another one it is another");
}

int main(void)
{
	bench_start(NULL);
	store_data();
	registers();
	timestamps();
	math();
	atomic_together();
	flush_dw();
	pipe_control();
	predicates();
	batches();
	signals();
	other_engine();
	privilege();
	faults();
	fault_types();
	skipped();
	atomic_nowhere();
	atomics();
	bench_stop();
	return test_end();
}
