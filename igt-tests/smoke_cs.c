// SPDX-License-Identifier: MIT
/**
 * DOC: The command streamer's commands
 *
 * What MI commands mean (DG1 Vol 2a, MI chapters), on each engine that has them: batches that call
 * and chain, conditional ends, semaphores, the ALU, atomics, predicates. Results are stored and
 * compared with what the CPU computes.
 *
 * Stock i915 parses the batches of Gen9's copy engine and refuses jumps out of them (-EINVAL or
 * -EACCES); a driver may, so those subtests are skipped there.
 */
#include <errno.h>
#include <string.h>

#include "smoke.h"

static uint32_t gpr(const struct it_engine *e, unsigned int n)
{
	return RING_GPR(e->base, n);
}

static void load_gpr(struct it_batch *b, const struct it_engine *e, unsigned int n, uint64_t value)
{
	it_emit_load_reg(b, gpr(e, n), value);
	it_emit_load_reg(b, gpr(e, n) + 4, value >> 32);
}

static void store_gpr(struct it_batch *b, const struct it_engine *e, unsigned int n,
		      uint64_t address)
{
	it_emit_store_reg(b, address, gpr(e, n));
	it_emit_store_reg(b, address + 4, gpr(e, n) + 4);
}

static void emit_start(struct it_batch *b, uint64_t address, uint32_t flags)
{
	it_emit(b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT | flags);
	it_emit_address(b, address);
}

static void run_or_skip(struct it_dev *dev, unsigned int engine, struct it_batch *b,
			struct it_bo **bos, unsigned int n)
{
	int ret = it_run(dev, it_ctx_engines(dev), engine, b, bos, n, 0);

	if ((ret == -EINVAL || ret == -EACCES) &&
	    dev->engine[engine].class == I915_ENGINE_CLASS_COPY)
		it_skip("the driver refuses jumps in the copy engine's batches (%d)", ret);
	it_expect(!ret, "execbuf: error %d", ret);
	ret = it_bo_wait(b->bo, IT_WAIT_NS);
	it_expect(!ret, "GEM_WAIT: error %d", ret);
}

static void second_level(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *out = it_bo(dev, 4096);
	struct it_batch parent = it_batch(dev, 4096), child = it_batch(dev, 4096);
	struct it_bo *bos[] = { out, child.bo };
	uint32_t *dw = out->map;

	it_emit_store(&parent, out->address, 1);
	emit_start(&parent, child.bo->address, MI_BBS_SECOND_LEVEL);
	it_emit_store(&parent, out->address + 8, 3);
	it_emit_end(&parent);
	it_emit_store(&child, out->address + 4, 2);
	it_emit_end(&child);
	run_or_skip(dev, engine, &parent, bos, 2);
	it_expect(dw[0] == 1 && dw[1] == 2 && dw[2] == 3, "stored %u %u %u, expected 1 2 3", dw[0],
		  dw[1], dw[2]);
}

static void chain(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *out = it_bo(dev, 4096);
	struct it_batch a = it_batch(dev, 4096), b = it_batch(dev, 4096);
	struct it_bo *bos[] = { out, b.bo };
	uint32_t *dw = out->map;

	it_emit_store(&a, out->address, 1);
	emit_start(&a, b.bo->address, 0);
	it_emit_store(&a, out->address + 4, 2);
	it_emit_end(&a);
	it_emit_store(&b, out->address + 8, 3);
	it_emit_end(&b);
	run_or_skip(dev, engine, &a, bos, 2);
	it_expect(dw[0] == 1 && !dw[1] && dw[2] == 3, "stored %u %u %u, expected 1 0 3", dw[0],
		  dw[1], dw[2]);
}

/*
 * Memory against inline data, as the compare field of MI_SEMAPHORE_WAIT and of the conditional end
 * numbers them.
 */
static bool compare(unsigned int op, uint32_t memory, uint32_t data)
{
	const bool result[6] = {
		memory > data,	memory >= data, memory < data,
		memory <= data, memory == data, memory != data,
	};

	return result[op];
}

static const uint32_t compared[][2] = {
	{ 5, 7 }, { 7, 7 }, { 9, 7 }, { 0xffffffff, 1 }, { 1, 0x80000000 }
};

static void conditional_end(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, 4096);
	volatile uint32_t *dw = page->map;

	for (unsigned int op = 0; op < 6; op++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(compared); i++) {
			struct it_batch b = it_batch(dev, 4096);
			bool on = compare(op, compared[i][0], compared[i][1]);

			dw[0] = compared[i][0];
			dw[16] = 0;
			it_emit_store(&b, page->address + 64, 1);
			it_emit(&b, MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE |
					    IGEN_PREP(MI_COND_BBE_OP_MASK, op));
			it_emit(&b, compared[i][1]);
			it_emit_address(&b, page->address);
			it_emit_store(&b, page->address + 64, 2);
			it_emit_end(&b);
			it_run_wait(dev, ctx, engine, &b, &page, 1);
			it_expect(dw[16] == (on ? 2 : 1), "operation %u on %x and %x: %s", op,
				  compared[i][0], compared[i][1], on ? "ended" : "went on");
			it_bo_close(b.bo);
		}
	}
}

static void semaphore(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096);
	uint32_t *dw = page->map;
	struct it_batch b = it_batch(dev, 4096);
	unsigned int slot = 16;

	/* Conditions that hold: the batch must get through all of them. */
	for (unsigned int op = 0; op < 6; op++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(compared); i++) {
			if (!compare(op, compared[i][0], compared[i][1]))
				continue;
			dw[slot] = compared[i][0];
			it_emit(&b, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL |
					    IGEN_PREP(MI_SEMAPHORE_COMPARE_MASK, op));
			it_emit(&b, compared[i][1]);
			it_emit_address(&b, page->address + slot++ * 4);
		}
	}
	it_emit_store(&b, page->address, 1);
	it_emit_end(&b);
	it_run_wait(dev, it_ctx_engines(dev), engine, &b, &page, 1);
	it_expect(dw[0] == 1, "the batch did not get to its end");
}

/* One engine waits, the next one signals; the waiter must not have gone on before. */
static void semaphore_other_engine(unsigned int engine)
{
	struct it_dev *dev = it_open();
	unsigned int other = (engine + 1) % dev->num_engines;
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, 4096);
	volatile uint32_t *dw = page->map;
	struct it_batch waiter = it_batch(dev, 4096), signaler = it_batch(dev, 4096);
	int ret;

	if (other == engine)
		it_skip("only one engine");
	it_emit(&waiter, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GTE_SDD);
	it_emit(&waiter, 100);
	it_emit_address(&waiter, page->address);
	it_emit(&waiter, MI_COPY_MEM_MEM);
	it_emit_address(&waiter, page->address + 64);
	it_emit_address(&waiter, page->address + 128);
	it_emit_end(&waiter);
	it_emit_store(&signaler, page->address + 128, 0xabcd);
	it_emit_store(&signaler, page->address, 99);
	it_emit_store(&signaler, page->address + 128, 0x1234);
	it_emit_store(&signaler, page->address, 100);
	it_emit_end(&signaler);

	ret = it_run(dev, ctx, engine, &waiter, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf: error %d", ret);
	it_expect(it_bo_busy(waiter.bo), "the waiting batch is over before it may be");
	ret = it_run(dev, ctx, other, &signaler, &page, 1, EXEC_OBJECT_ASYNC);
	if (ret)
		dw[0] = 100;
	it_expect(!ret, "execbuf of the signaler: error %d", ret);
	ret = it_bo_wait(waiter.bo, IT_WAIT_NS);
	it_expect(!ret, "the waiter did not end: error %d", ret);
	it_expect(dw[16] == 0x1234, "the waiter copied %x, so it went on too early", dw[16]);
}

static const uint64_t operands[][2] = {
	{ 5, 3 },
	{ 3, 5 },
	{ 7, 7 },
	{ 0, 0 },
	{ ~0ull, 1 },
	{ 0x123456789abcdef0, 0x0fedcba987654321 },
	{ 1ull << 63, 1ull << 63 },
	{ 0xffffffff, 1 },
};

static void math(unsigned int engine)
{
	static const unsigned int results[] = { 2, 3, 4, 15 };
	static const uint32_t ops[] = { MI_ALU_ADD, MI_ALU_SUB, MI_ALU_AND, MI_ALU_OR, MI_ALU_XOR };
	struct it_dev *dev = it_open();
	const struct it_engine *e = &dev->engine[engine];
	struct it_bo *page = it_bo(dev, 8192);
	struct it_batch b = it_batch(dev, 32768);
	uint64_t *out = page->map;
	unsigned int slot = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(operands); i++) {
		for (unsigned int op = 0; op < ARRAY_SIZE(ops); op++, slot += 4) {
			load_gpr(&b, e, 0, operands[i][0]);
			load_gpr(&b, e, 1, operands[i][1]);
			it_emit(&b, MI_MATH(7));
			it_emit(&b, MI_ALU(MI_ALU_LOAD, MI_ALU_SRCA, 0));
			it_emit(&b, MI_ALU(MI_ALU_LOAD, MI_ALU_SRCB, 1));
			it_emit(&b, MI_ALU(ops[op], 0, 0));
			it_emit(&b, MI_ALU(MI_ALU_STORE, 2, MI_ALU_ACCU));
			it_emit(&b, MI_ALU(MI_ALU_STORE, 3, MI_ALU_ZF));
			it_emit(&b, MI_ALU(MI_ALU_STORE, 4, MI_ALU_CF));
			it_emit(&b, MI_ALU(MI_ALU_STOREINV, 15, MI_ALU_ACCU));
			for (unsigned int r = 0; r < 4; r++)
				store_gpr(&b, e, results[r],
					  page->address + (slot + r) * 8);
		}
	}
	it_emit_end(&b);
	it_run_wait(dev, it_ctx_engines(dev), engine, &b, &page, 1);

	slot = 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(operands); i++) {
		uint64_t x = operands[i][0], y = operands[i][1];
		const uint64_t expected[] = { x + y, x - y, x & y, x | y, x ^ y };

		for (unsigned int op = 0; op < ARRAY_SIZE(ops); op++, slot += 4) {
			uint64_t zero = expected[op] ? 0 : ~0ull, carry = op ? x < y : x + y < x;

			it_expect(out[slot] == expected[op],
				  "ALU %03x of %llx and %llx is %llx, expected %llx", ops[op],
				  (unsigned long long)x, (unsigned long long)y,
				  (unsigned long long)out[slot], (unsigned long long)expected[op]);
			it_expect(out[slot + 1] == zero, "ALU %03x of %llx and %llx: ZF %llx",
				  ops[op], (unsigned long long)x, (unsigned long long)y,
				  (unsigned long long)out[slot + 1]);
			it_expect(op > 1 || out[slot + 2] == (carry ? ~0ull : 0),
				  "ALU %03x of %llx and %llx: CF %llx", ops[op],
				  (unsigned long long)x, (unsigned long long)y,
				  (unsigned long long)out[slot + 2]);
			it_expect(out[slot + 3] == ~expected[op], "STOREINV gave %llx",
				  (unsigned long long)out[slot + 3]);
		}
	}
}

static uint64_t atomic_result(unsigned int op, uint64_t d, uint64_t s, uint64_t s2, bool qword)
{
	int64_t sd = qword ? (int64_t)d : (int32_t)d, ss = qword ? (int64_t)s : (int32_t)s;

	switch (op) {
	case MI_ATOMIC_AND:
		return d & s;
	case MI_ATOMIC_OR:
		return d | s;
	case MI_ATOMIC_XOR:
		return d ^ s;
	case MI_ATOMIC_MOVE:
		return s;
	case MI_ATOMIC_INC:
		return d + 1;
	case MI_ATOMIC_DEC:
	case MI_ATOMIC_PREDEC:
		return d - 1;
	case MI_ATOMIC_ADD:
		return d + s;
	case MI_ATOMIC_SUB:
		return d - s;
	case MI_ATOMIC_RSUB:
		return s - d;
	case MI_ATOMIC_IMAX:
		return sd > ss ? d : s;
	case MI_ATOMIC_IMIN:
		return sd < ss ? d : s;
	case MI_ATOMIC_UMAX:
		return d > s ? d : s;
	case MI_ATOMIC_UMIN:
		return d < s ? d : s;
	default:
		return d == s ? s2 : d;		/* CMPWR */
	}
}

static void emit_atomic(struct it_batch *b, unsigned int op, bool qword, uint64_t address,
			uint64_t s, uint64_t s2)
{
	uint32_t code = op + (qword ? MI_ATOMIC_8B : 0);

	it_emit(b, MI_ATOMIC_INLINE | (qword ? MI_ATOMIC_QWORD : MI_ATOMIC_DWORD) |
			   MI_ATOMIC_CS_STALL | MI_ATOMIC_RETURN |
			   IGEN_PREP(MI_ATOMIC_OPCODE_MASK, code));
	it_emit_address(b, address);
	it_emit(b, s);
	it_emit(b, s2);
	it_emit(b, qword ? s >> 32 : 0);
	it_emit(b, qword ? s2 >> 32 : 0);
	for (int i = 0; i < 4; i++)
		it_emit(b, 0);
}

static void atomic(unsigned int arg)
{
	unsigned int engine = arg & 0xff;
	bool qword = arg >> 8;
	uint64_t mask = qword ? ~0ull : 0xffffffff, s2 = 0x5555666677778888;
	struct it_dev *dev = it_open();
	const struct it_engine *e = &dev->engine[engine];
	uint32_t ctx = it_ctx_engines(dev);

	for (unsigned int op = MI_ATOMIC_AND; op <= MI_ATOMIC_PREDEC; op++) {
		struct it_bo *page = it_bo(dev, 4096);
		struct it_batch b = it_batch(dev, 4096);
		uint64_t *m = page->map;

		for (unsigned int i = 0; i < ARRAY_SIZE(operands); i++) {
			m[i * 2] = operands[i][0];
			emit_atomic(&b, op, qword, page->address + i * 16, operands[i][1], s2);
			store_gpr(&b, e, 4, page->address + i * 16 + 8);
		}
		it_emit_end(&b);
		it_run_wait(dev, ctx, engine, &b, &page, 1);
		for (unsigned int i = 0; i < ARRAY_SIZE(operands); i++) {
			uint64_t d = operands[i][0], s = operands[i][1];
			uint64_t result = (atomic_result(op, d & mask, s & mask, s2 & mask, qword) &
					   mask) |
					  (d & ~mask);

			it_expect(m[i * 2] == result,
				  "operation %02x on %llx and %llx gives %llx, expected %llx", op,
				  (unsigned long long)d, (unsigned long long)s,
				  (unsigned long long)m[i * 2], (unsigned long long)result);
			it_expect(op == MI_ATOMIC_PREDEC || (m[i * 2 + 1] & mask) == (d & mask),
				  "operation %02x returns %llx instead of the old value %llx", op,
				  (unsigned long long)m[i * 2 + 1], (unsigned long long)d);
		}
		it_bo_close(page);
		it_bo_close(b.bo);
	}
}

/* MI_PREDICATE's state bit, seen by a predicated store of a register. */
static void predicate(unsigned int engine)
{
	static const uint32_t loads[] = { MI_PREDICATE_KEEP, MI_PREDICATE_LOAD,
					  MI_PREDICATE_LOADINV };
	static const uint32_t combines[] = { MI_PREDICATE_SET, MI_PREDICATE_AND, MI_PREDICATE_OR,
					     MI_PREDICATE_XOR };
	static const uint32_t compares[] = { MI_PREDICATE_TRUE, MI_PREDICATE_FALSE,
					     MI_PREDICATE_SRCS_EQUAL };
	struct it_dev *dev = it_open();
	const struct it_engine *e = &dev->engine[engine];
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 32768);
	uint32_t *out = page->map;
	bool expected[144], state = false;
	unsigned int n = 0;

	it_emit(&b, MI_PREDICATE | MI_PREDICATE_LOAD | MI_PREDICATE_SET | MI_PREDICATE_FALSE);
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < 72; i++, n++) {
			unsigned int l = i % 3, c = i / 3 % 4, p = i / 12 % 3, equal = i / 36;
			bool cmp = p == 0 || (p == 2 && equal), bit = cmp;

			it_emit_load_reg(&b, RING_PREDICATE_SRC0(e->base), 0x1111);
			it_emit_load_reg(&b, RING_PREDICATE_SRC0(e->base) + 4, 0);
			it_emit_load_reg(&b, RING_PREDICATE_SRC1(e->base), 0x1111);
			it_emit_load_reg(&b, RING_PREDICATE_SRC1(e->base) + 4, equal ? 0 : 1);
			it_emit(&b, MI_PREDICATE | loads[l] | combines[c] | compares[p]);
			if (c == 1)
				bit = cmp && state;
			else if (c == 2)
				bit = cmp || state;
			else if (c == 3)
				bit = cmp != state;
			state = l == 0 ? state : l == 1 ? bit : !bit;
			expected[n] = state;
			it_emit_load_reg(&b, gpr(e, 0), n + 1);
			it_emit(&b, MI_STORE_REGISTER_MEM | MI_SRM_PREDICATE);
			it_emit(&b, gpr(e, 0));
			it_emit_address(&b, page->address + n * 4);
		}
	}
	it_emit_end(&b);
	it_run_wait(dev, it_ctx_engines(dev), engine, &b, &page, 1);
	for (unsigned int i = 0; i < n; i++)
		it_expect(out[i] == (expected[i] ? i + 1 : 0),
			  "step %u (load %u, combine %u, compare %u): the state bit is %d", i,
			  i % 3, i / 3 % 4, i / 12 % 3, !expected[i]);
}

static void set_predicate(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);
	uint32_t *out = page->map;

	it_emit_store(&b, page->address, 1);
	it_emit(&b, MI_SET_PREDICATE | MI_SET_PREDICATE_ALWAYS);
	it_emit_store(&b, page->address + 4, 2);
	it_emit(&b, MI_SET_PREDICATE | MI_SET_PREDICATE_NEVER);
	it_emit_store(&b, page->address + 8, 3);
	it_emit_end(&b);
	it_run_wait(dev, it_ctx_engines(dev), engine, &b, &page, 1);
	it_expect(out[0] == 1 && !out[1] && out[2] == 3, "stored %u %u %u, expected 1 0 3", out[0],
		  out[1], out[2]);
}

/* Copies between registers and memory, and a store of a quadword. */
static void registers(unsigned int engine)
{
	struct it_dev *dev = it_open();
	const struct it_engine *e = &dev->engine[engine];
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);
	uint32_t *dw = page->map;

	dw[100] = 0xdeadbeef;
	load_gpr(&b, e, 0, 0x1122334455667788);
	it_emit(&b, MI_LOAD_REGISTER_REG);
	it_emit(&b, gpr(e, 0));
	it_emit(&b, gpr(e, 5));
	it_emit(&b, MI_LOAD_REGISTER_MEM);
	it_emit(&b, gpr(e, 5) + 4);
	it_emit_address(&b, page->address + 400);
	store_gpr(&b, e, 5, page->address);
	it_emit(&b, MI_COPY_MEM_MEM);
	it_emit_address(&b, page->address + 8);
	it_emit_address(&b, page->address + 400);
	it_emit(&b, MI_STORE_DATA_IMM_QW);
	it_emit_address(&b, page->address + 16);
	it_emit(&b, 0x01234567);
	it_emit(&b, 0x89abcdef);
	it_emit_end(&b);
	it_run_wait(dev, it_ctx_engines(dev), engine, &b, &page, 1);
	it_expect(dw[0] == 0x55667788, "MI_LOAD_REGISTER_REG: %x", dw[0]);
	it_expect(dw[1] == 0xdeadbeef, "MI_LOAD_REGISTER_MEM: %x", dw[1]);
	it_expect(dw[2] == 0xdeadbeef, "MI_COPY_MEM_MEM: %x", dw[2]);
	it_expect(dw[4] == 0x01234567 && dw[5] == 0x89abcdef,
		  "MI_STORE_DATA_IMM of a quadword: %x %x", dw[4], dw[5]);
}

/* The timestamp moves forward. */
static void timestamp(unsigned int engine)
{
	struct it_dev *dev = it_open();
	const struct it_engine *e = &dev->engine[engine];
	struct it_bo *page = it_bo(dev, 4096);
	uint32_t ctx = it_ctx_engines(dev);
	uint32_t *dw = page->map;

	for (unsigned int i = 0; i < 8; i++) {
		struct it_batch b = it_batch(dev, 4096);

		it_emit_store_reg(&b, page->address + i * 4, RING_TIMESTAMP(e->base));
		it_emit_end(&b);
		it_run_wait(dev, ctx, engine, &b, &page, 1);
		it_expect(!i || (int32_t)(dw[i] - dw[i - 1]) > 0, "%u after %u", dw[i], dw[i - 1]);
		it_bo_close(b.bo);
	}
}

void smoke_cs(const struct it_engine *engines, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const char *name = engines[i].name;

		it_subtest(second_level, i, "second-level-batch-%s", name);
		it_subtest(chain, i, "chained-batch-%s", name);
		it_subtest(registers, i, "registers-%s", name);
		it_subtest(timestamp, i, "timestamp-%s", name);
		it_subtest(conditional_end, i, "conditional-end-%s", name);
		it_subtest(semaphore, i, "semaphore-%s", name);
		it_subtest(semaphore_other_engine, i, "semaphore-other-engine-%s", name);
		it_subtest(math, i, "math-%s", name);
		it_subtest(atomic, i, "atomic-dword-%s", name);
		it_subtest(atomic, i | 1 << 8, "atomic-qword-%s", name);
		if (engines[i].class != I915_ENGINE_CLASS_RENDER)
			continue;
		it_subtest(predicate, i, "predicate-%s", name);
		it_subtest(set_predicate, i, "set-predicate-%s", name);
	}
}
