// SPDX-License-Identifier: MIT
/**
 * DOC: Privileged operations of a batch, and leaks by registers
 *
 * A batch of an ordinary client tries what only the driver may do: registers, the global GTT, arbitration, predication.
 * Then a client reads the engines' registers after another client has left known values in all that a batch can write.
 * The subtests pass under the model's beliefs and under the opposite of most of them (Documentation/model.rst, "What it
 * believes of batches"; tools/tests.d/31-beliefs).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "igen/regs/gt.h"
#include "igen/regs/workarounds.h"
#include "smoke.h"

#define SECRET		0x5ec00000u	/* the upper half of all that a client leaves behind */
#define SECRET_ADDRESS	0x5ec100000000ull
#define NOPID_SECRET	0x2ec123u

/* An object at an address of the test's choice. */
static void move(struct it_bo *bo, uint64_t address)
{
	bo->address = address;
}

/* Runs a batch, which the driver may refuse. Return: false when it did. */
static bool try(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *b, struct it_bo **bos,
		unsigned int num)
{
	int ret = it_run(dev, ctx, engine, b, bos, num, 0);

	it_expect(!ret || ret == -EACCES || ret == -EINVAL, "execbuf on %s: error %d", dev->engine[engine].name, ret);
	if (ret)
		return false;
	ret = it_bo_wait(b->bo, IT_WAIT_NS);
	it_expect(!ret, "the batch on %s did not end: error %d", dev->engine[engine].name, ret);
	return true;
}

/* Reads count registers in a row by the render engine. */
static void read_registers(struct it_dev *dev, uint32_t ctx, uint32_t reg, unsigned int count, uint32_t *values)
{
	struct it_batch b = it_batch(dev, count * 16 + 64);
	struct it_bo *out = it_bo(dev, count * 4);

	for (unsigned int i = 0; i < count; i++)
		it_emit_store_reg(&b, out->address + i * 4, reg + i * 4);
	it_emit_end(&b);
	it_run_wait(dev, ctx, 0, &b, &out, 1);
	memcpy(values, out->map, count * 4);
	it_bo_close(out);
	it_bo_close(b.bo);
}

/* Ways of writing a register from a batch. */
enum way { BY_VALUE, BY_MEMORY, BY_REGISTER, BY_FLUSH, WAYS };

static void emit_write(struct it_batch *b, const struct it_engine *e, enum way way, uint32_t reg, uint32_t value,
		       uint64_t at)
{
	switch (way) {
	case BY_VALUE:
		it_emit_load_reg(b, reg, value);
		break;
	case BY_MEMORY:
		it_emit_store(b, at, value);
		it_emit(b, MI_LOAD_REGISTER_MEM);
		it_emit(b, reg);
		it_emit_address(b, at);
		break;
	case BY_REGISTER:
		it_emit_load_reg(b, RING_GPR(e->base, 0), value);
		it_emit(b, MI_LOAD_REGISTER_REG);
		it_emit(b, RING_GPR(e->base, 0));
		it_emit(b, reg);
		break;
	case BY_FLUSH:
		it_emit(b, PIPE_CONTROL);
		it_emit(b, PIPE_CONTROL_LRI_POST_SYNC | PIPE_CONTROL_CS_STALL);
		it_emit(b, reg);
		it_emit(b, 0);
		it_emit(b, value);
		it_emit(b, 0);
		break;
	default:
		break;
	}
}

/* Registers that would open others to batches, that hold the driver's addresses, and masks of interrupts. */
static void registers(unsigned int engine)
{
	struct it_dev *dev = it_open();
	const struct it_engine *e = &dev->engine[engine];
	const uint32_t regs[] = {
		RING_FORCE_TO_NONPRIV(e->base, 11), RING_FORCE_TO_NONPRIV(RCS0_BASE, 11), RING_EMR(e->base),
		RING_BB_PER_CTX_PTR(e->base),
	};
	struct it_bo *page = it_bo(dev, 4096);
	uint32_t ctx = it_ctx_engines(dev);

	for (unsigned int i = 0; i < ARRAY_SIZE(regs) * WAYS; i++) {
		enum way way = i % WAYS;
		uint32_t reg = regs[i / WAYS], before, after;
		struct it_batch b = it_batch(dev, 4096);
		bool taken;

		if (way == BY_FLUSH && e->class != I915_ENGINE_CLASS_RENDER)
			continue;
		read_registers(dev, ctx, reg, 1, &before);
		emit_write(&b, e, way, reg, before ^ 0x100, page->address);
		it_emit_end(&b);
		taken = try(dev, ctx, engine, &b, &page, 1);
		read_registers(dev, ctx, reg, 1, &after);
		it_expect(before == after, "a batch on %s, %s, has written register %05x in way %u: %08x, now %08x",
			  e->name, taken ? "executed" : "refused", reg, way, before, after);
		it_bo_close(b.bo);
	}
}

/* The global GTT holds other clients' images and rings. A batch can read the address of the engine's status page. */
static void global_memory(unsigned int engine)
{
	struct it_dev *dev = it_open();
	const struct it_engine *e = &dev->engine[engine];
	struct it_bo *page = it_bo(dev, 4096);
	uint32_t ctx = it_ctx_engines(dev), hwsp;
	uint32_t *dw = page->map;

	read_registers(dev, ctx, RING_HWS_PGA(e->base), 1, &hwsp);
	it_expect(hwsp, "no status page of %s", e->name);
	for (unsigned int i = 0; i < 64; i++) {
		struct it_batch b = it_batch(dev, 4096);

		dw[0] = 0;
		it_emit(&b, MI_COPY_MEM_MEM | MI_COPY_SRC_GGTT);
		it_emit_address(&b, page->address);
		it_emit_address(&b, hwsp + i * 4);
		it_emit_end(&b);
		try(dev, ctx, engine, &b, &page, 1);
		it_expect(!dw[0], "a batch on %s copied %08x from the global GTT", e->name, dw[0]);
		b.n = 0;
		it_emit_load_reg(&b, RING_GPR(e->base, 0), 0);
		it_emit(&b, MI_LOAD_REGISTER_MEM | MI_MEM_GGTT);
		it_emit(&b, RING_GPR(e->base, 0));
		it_emit_address(&b, hwsp + i * 4);
		it_emit_store_reg(&b, page->address, RING_GPR(e->base, 0));
		it_emit_end(&b);
		try(dev, ctx, engine, &b, &page, 1);
		it_expect(!dw[0], "a batch on %s loaded %08x from the global GTT", e->name, dw[0]);
		it_bo_close(b.bo);
	}
}

/* A batch of another client's, which has to be executed, once and in time. */
static void neighbour_works(struct it_dev *other, unsigned int engine, const char *when)
{
	struct it_bo *page = it_bo(other, 4096);
	struct it_batch b = it_batch(other, 4096);
	uint32_t ctx = it_ctx_engines(other);
	struct drm_i915_reset_stats stats = { .ctx_id = ctx };

	it_emit_store(&b, page->address, 1);
	it_emit_end(&b);
	it_run_wait(other, ctx, engine, &b, &page, 1);
	it_expect(*(uint32_t *)page->map == 1, "another client's batch was not executed %s", when);
	it_expect(!it_ioctl(other->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats) && !stats.batch_active,
		  "another client was blamed %s", when);
	it_ctx_destroy(other, ctx);
	it_bo_close(b.bo);
	it_bo_close(page);
}

/* A batch that forbids preemption and runs on. */
static void arbitration(unsigned int engine)
{
	struct it_dev *other = it_open(), *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);

	it_emit(&b, MI_ARB_ON_OFF | MI_ARB_DISABLE);
	it_emit_circle(&b, page->address);
	if (it_run(dev, it_ctx_engines(dev), engine, &b, &page, 1, EXEC_OBJECT_ASYNC))
		it_skip("the driver refuses it");
	neighbour_works(other, engine, "beside a batch that forbids preemption");
	*(volatile uint32_t *)page->map = 1;
	it_expect(!it_bo_wait(b.bo, IT_WAIT_NS), "the batch did not end");
	neighbour_works(other, engine, "after a batch that forbids preemption");
	it_close(other);
}

/*
 * A batch that turns predication on and ends, so that the commands behind it are skipped. On engines where predication
 * skips the batch's end as well, further commands behind that end turn predication off and end the batch.
 */
static void predication(unsigned int engine)
{
	struct it_dev *other = it_open(), *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);

	for (unsigned int i = 0; i < 4; i++) {
		struct it_batch b = it_batch(dev, 4096);

		it_emit(&b, MI_SET_PREDICATE | MI_SET_PREDICATE_ALWAYS);
		it_emit_end(&b);
		it_emit(&b, MI_SET_PREDICATE);
		it_emit_end(&b);
		if (!try(dev, ctx, engine, &b, NULL, 0))
			it_skip("the driver refuses it");
		neighbour_works(other, engine, "after a batch that has what follows skipped");
		it_bo_close(b.bo);
	}
	it_close(other);
}

struct range {
	uint32_t offset;
	unsigned int count;
};

/* Registers of the render engine that any batch may write ("User Mode Non-Privileged Registers"). */
static const struct range render_writable[] = {
	{ RING_INSTPM(RCS0_BASE), 1 }, { RING_BB_OFFSET(RCS0_BASE), 1 }, { GPGPU_THREADS_DISPATCHED, 2 },
	{ PS_INVOCATION_COUNT_SLICE0, 2 }, { PS_DEPTH_COUNT_SLICE0, 2 }, { PS_INVOCATION_COUNT_SLICE1, 2 },
	{ PS_DEPTH_COUNT_SLICE1, 2 }, { HS_INVOCATION_COUNT, 22 }, { OACTXCONTROL, 2 },
	{ RING_PREDICATE_RESULT_2(RCS0_BASE), 1 }, { RING_PREDICATE_SRC0(RCS0_BASE), 6 },
	{ RING_PREDICATE_RESULT_1(RCS0_BASE), 1 }, { PRIM3D_END_OFFSET, 1 }, { PRIM3D_START_VERTEX, 5 },
	{ PS_INVOCATION_COUNT_SLICE2, 2 }, { PS_DEPTH_COUNT_SLICE2, 2 }, { GPGPU_DISPATCHDIMX, 3 },
	{ SO_NUM_PRIMS_WRITTEN(0), 8 }, { SO_PRIM_STORAGE_NEEDED(0), 8 }, { SO_WRITE_OFFSET(0), 4 }, { TD_CTL, 2 },
};

/* The register ranges that are read: the engine's block, and for the render engine all of its units below 64 KB. */
static const struct range block = { 0, 0x800 / 4 };
static const struct range render_blocks[] = {
	{ 0x2800, 0x800 / 4 }, { 0x4000, 0x1000 / 4 }, { 0x5000, 0x1000 / 4 }, { 0x7000, 0x400 / 4 },
	{ 0x8000, 0x400 / 4 }, { 0xb000, 0x400 / 4 }, { 0xe000, 0x600 / 4 },
};

static void leave_secrets(struct it_dev *dev, uint32_t ctx, unsigned int engine)
{
	const struct it_engine *e = &dev->engine[engine];
	struct it_batch b = it_batch(dev, 65536);
	struct it_bo *page = it_bo(dev, 4096);
	uint32_t n = 0;

	move(b.bo, SECRET_ADDRESS);
	move(page, SECRET_ADDRESS + (1 << 20));
	for (unsigned int i = 0; i < 2 * RING_GPR_MAX; i++)
		it_emit_load_reg(&b, RING_GPR(e->base, 0) + i * 4, SECRET + ++n);
	if (e->class == I915_ENGINE_CLASS_RENDER)
		for (unsigned int r = 0; r < ARRAY_SIZE(render_writable); r++)
			for (unsigned int i = 0; i < render_writable[r].count; i++)
				it_emit_load_reg(&b, render_writable[r].offset + i * 4, SECRET + ++n);
	it_emit(&b, MI_NOOP | MI_NOOP_WRITE_NOPID | NOPID_SECRET);
	/* The batch ends while it does something at an address that is a secret. */
	it_emit_store(&b, page->address, SECRET + ++n);
	it_emit_end(&b);
	it_run_wait(dev, ctx, engine, &b, &page, 1);
	it_bo_close(page);
	it_bo_close(b.bo);
}

/*
 * No context image holds the first two. The third is where a batch has begun (BB_START_ADDR, upper half), which a batch
 * of the blitter finds from the one before it. Stock i915 leaves all three alone.
 */
static bool is_unsaved(const struct it_engine *e, uint32_t reg)
{
	return reg == RING_NOPID(e->base) || reg == RING_PREDICATE_RESULT_2(e->base) ||
	       reg == RING_BB_START_ADDR_U(e->base);
}

/* The engine's clock, its upper half, and its context's clock hold any value at some time. No batch can write them. */
static bool is_clock(const struct it_engine *e, uint32_t reg)
{
	return reg == RING_TIMESTAMP(e->base) || reg == RING_TIMESTAMP(e->base) + 4 ||
	       reg == RING_CTX_TIMESTAMP(e->base);
}

static void look_for_secrets(const struct it_engine *e, uint32_t reg, const uint32_t *values, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		uint32_t v = values[i];

		if (is_clock(e, reg + i * 4) || (is_unsaved(e, reg + i * 4) && !it_on_igen()))
			continue;
		it_expect((v & 0xffff0000) != SECRET && v != SECRET_ADDRESS >> 32 && (v & 0x3fffff) != NOPID_SECRET,
			  "register %05x tells a client of %s what another one left: %08x", reg + i * 4, e->name, v);
	}
}

/* The second client's batch scans; where the driver keeps registers from its batches the render engine does it. */
static void scan(unsigned int engine)
{
	struct it_dev *other = it_open(), *dev = it_open();
	const struct it_engine *e = &dev->engine[engine];
	uint32_t ctx, others = it_ctx_engines(other);
	struct it_batch b = it_batch(dev, 65536);
	struct it_bo *out = it_bo(dev, 16384);

	it_expect(!strcmp(dev->engine[0].name, "rcs0"), "the first engine is no render engine");
	for (unsigned int round = 0; round < 2; round++) {
		leave_secrets(other, others, engine);
		ctx = it_ctx_engines(dev);
		b.n = 0;
		for (unsigned int i = 0; i < block.count; i++)
			it_emit_store_reg(&b, out->address + i * 4, e->base + i * 4);
		it_emit_end(&b);
		if (try(dev, ctx, engine, &b, &out, 1)) {
			look_for_secrets(e, e->base, out->map, block.count);
		} else {
			b.n = 0;
			it_emit_end(&b);
			it_run_wait(dev, ctx, engine, &b, NULL, 0);
			read_registers(dev, ctx, e->base, block.count, out->map);
			look_for_secrets(e, e->base, out->map, block.count);
		}
		if (e->class != I915_ENGINE_CLASS_RENDER)
			continue;
		for (unsigned int r = 0; r < ARRAY_SIZE(render_blocks); r++) {
			const struct range *range = &render_blocks[r];

			read_registers(dev, ctx, range->offset, range->count, out->map);
			look_for_secrets(e, range->offset, out->map, range->count);
		}
	}
	it_close(other);
}

void smoke_told(const struct it_engine *engines, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		it_subtest(registers, i, "told-registers-%s", engines[i].name);
		it_subtest(global_memory, i, "told-global-memory-%s", engines[i].name);
		it_subtest(arbitration, i, "told-arbitration-%s", engines[i].name);
		it_subtest(predication, i, "told-predication-%s", engines[i].name);
		it_subtest(scan, i, "told-scan-%s", engines[i].name);
	}
}
