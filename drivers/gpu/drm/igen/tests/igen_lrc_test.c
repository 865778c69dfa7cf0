// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of context images
 *
 * The register state against the manual's tables, row by row: KBL Vol 3, "Register/State Context" of the video engine,
 * of "Copy Engine Logical Context Data" and of "Video Enhancement Logical Context Data". The three are the same but for
 * the blitter's tiling register. The render engine's is not in that volume: public Gen9 PRM Vol 2d, "EXECLIST
 * CONTEXT".
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include <igen/cmd/gfx.h>
#include <igen/regs/context.h>
#include <igen/regs/engine.h>

#include "../mm/igen_budget.h"
#include "igen_mock.h"

/* A row: dword where it begins; offset of its register from the engine's base, or the header, when that is not 0. */
struct row {
	u16 dword;
	u16 offset;
	u32 header;
};

static const struct row manual[] = {
	{ 0x01, 0, 0x1100101b },
	{ 0x02, 0x244 }, { 0x04, 0x034 }, { 0x06, 0x030 }, { 0x08, 0x038 }, { 0x0a, 0x03c }, { 0x0c, 0x168 },
	{ 0x0e, 0x140 }, { 0x10, 0x110 }, { 0x12, 0x11c }, { 0x14, 0x114 }, { 0x16, 0x118 }, { 0x18, 0x1c0 },
	{ 0x1a, 0x1c4 }, { 0x1c, 0x1c8 },
	{ 0x21, 0, 0x11001011 },
	{ 0x22, 0x3a8 }, { 0x24, 0x28c }, { 0x26, 0x288 }, { 0x28, 0x284 }, { 0x2a, 0x280 }, { 0x2c, 0x27c },
	{ 0x2e, 0x278 }, { 0x30, 0x274 }, { 0x32, 0x270 },
	{ 0x51, 0, 0x11001057 },
	{ 0x52, 0x028 }, { 0x54, 0x09c }, { 0x56, 0x0c0 }, { 0x58, 0x178 }, { 0x5a, 0x17c }, { 0x5c, 0x358 },
	{ 0x5e, 0x170 }, { 0x60, 0x150 }, { 0x62, 0x154 }, { 0x64, 0x158 }, { 0x66, 0x41c },
	{ 0x68, 0x600 }, { 0x6a, 0x604 }, { 0xa4, 0x678 }, { 0xa6, 0x67c },
	{ 0xa8, 0x068 },
};

#define MANUAL_LENGTH	0xaa

/* One register in the place where only some engines have one. */
static const struct row blitter[] = { { 0x41, 0, 0x11000001 }, { 0x42, 0x200 } };
static const struct row render[] = { { 0x41, 0, 0x11000001 }, { 0x42, 0x0c8 } };

static void expect_rows(struct kunit *test, const u32 *regs, u32 base, const struct row *row, unsigned int n)
{
	for (; n--; row++)
		KUNIT_EXPECT_EQ_MSG(test, regs[row->dword], row->header ?: base + row->offset,
				    "dword 0x%x", row->dword);
}

static void expect_noops(struct kunit *test, const u32 *regs, unsigned int first, unsigned int behind)
{
	for (; first < behind; first++)
		KUNIT_EXPECT_EQ_MSG(test, regs[first], 0u, "dword 0x%x", first);
}

static void layout_is_the_manuals(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine;
	unsigned int id, i;
	u32 *regs;

	regs = kunit_kzalloc(test, SZ_4K, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, regs);

	for_each_engine(mock->igen, id, engine) {
		u32 base = engine->info->base;

		memset(regs, 0, SZ_4K);
		KUNIT_EXPECT_EQ(test, igen_lrc_write_layout(engine, regs), (unsigned int)MANUAL_LENGTH);
		expect_rows(test, regs, base, manual, ARRAY_SIZE(manual));
		/* CS_GPR: sixteen of 64 bits each. */
		for (i = 0; i < 32; i++)
			KUNIT_EXPECT_EQ(test, regs[0x68 + 2 * i], base + 0x600 + 4 * i);

		expect_noops(test, regs, 0x00, 0x01);
		expect_noops(test, regs, 0x1e, 0x21);
		expect_noops(test, regs, 0x34, 0x41);
		expect_noops(test, regs, 0x44, 0x51);
		expect_noops(test, regs, MANUAL_LENGTH, SZ_4K / sizeof(u32));
		if (engine->info->class == IGEN_CLASS_COPY)
			expect_rows(test, regs, base, blitter, ARRAY_SIZE(blitter));
		else if (engine->info->class == IGEN_CLASS_RENDER)
			expect_rows(test, regs, base, render, ARRAY_SIZE(render));
		else
			expect_noops(test, regs, 0x41, 0x44);
	}
}

/* Values lie behind their registers' offsets: what the driver writes to belongs to the right registers. */
static void indexes_name_their_registers(struct kunit *test)
{
	static const struct {
		unsigned int index;
		u32 offset;
	} values[] = {
		{ CTX_CONTEXT_CONTROL, 0x244 }, { CTX_RING_HEAD, 0x034 }, { CTX_RING_TAIL, 0x030 },
		{ CTX_RING_START, 0x038 }, { CTX_RING_CTL, 0x03c }, { CTX_BB_HEAD_U, 0x168 }, { CTX_BB_HEAD_L, 0x140 },
		{ CTX_BB_STATE, 0x110 }, { CTX_SBB_HEAD_U, 0x11c }, { CTX_SBB_HEAD_L, 0x114 }, { CTX_SBB_STATE, 0x118 },
		{ CTX_BB_PER_CTX_PTR, 0x1c0 }, { CTX_INDIRECT_CTX, 0x1c4 }, { CTX_INDIRECT_CTX_OFFSET, 0x1c8 },
		{ CTX_TIMESTAMP, 0x3a8 }, { CTX_PDP3_UDW, 0x28c }, { CTX_PDP3_LDW, 0x288 }, { CTX_PDP2_UDW, 0x284 },
		{ CTX_PDP2_LDW, 0x280 }, { CTX_PDP1_UDW, 0x27c }, { CTX_PDP1_LDW, 0x278 }, { CTX_PDP0_UDW, 0x274 },
		{ CTX_PDP0_LDW, 0x270 },
	};
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine = mock->igen->engine[IGEN_VCS0];
	unsigned int i;
	u32 *regs;

	regs = kunit_kzalloc(test, SZ_4K, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, regs);
	igen_lrc_write_layout(engine, regs);
	for (i = 0; i < ARRAY_SIZE(values); i++)
		KUNIT_EXPECT_EQ_MSG(test, regs[values[i].index - 1], engine->info->base + values[i].offset,
				    "index 0x%x", values[i].index);
}

/* The register values that the driver writes into a new image. */
static void new_image(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_lrc *lrc;
	unsigned int id;

	for (id = 0; id < IGEN_NUM_ENGINES; id++) {
		if (!mock->igen->engine[id])
			continue;
		ctx->ring_size = SZ_4K << id;
		lrc = igen_mock_lrc(test, ctx, id);

		/* Without a default state the engine restores nothing. The upper half says which bits count. */
		KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_CONTEXT_CONTROL], 0x000f0009u);
		KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_RING_HEAD], 0u);
		KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_RING_TAIL], 0u);
		KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_RING_START], lower_32_bits(igen_vma_start(lrc->ring.vma)));
		/* Length in pages less one from bit 12, valid in bit 0. */
		KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_RING_CTL], (((1u << id) - 1) << 12) | 1);
		KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_BB_STATE], 0u);
		KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_PDP0_UDW], upper_32_bits(mock->vm->pd_dma));
		KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_PDP0_LDW], lower_32_bits(mock->vm->pd_dma));
		KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_PDP1_UDW] | lrc->image.regs[CTX_PDP1_LDW], 0u);
		KUNIT_EXPECT_PTR_EQ(test, (void *)lrc->image.regs, lrc->image.vaddr + 4096);
		KUNIT_EXPECT_EQ(test, lrc->image.vma->bo->base.size, (id == IGEN_RCS0 ? 23 : 3) * PAGE_SIZE);
		/* Seqnos arrive where neither the engine saves to nor an index into a status page reaches. */
		KUNIT_EXPECT_EQ(test, (void *)lrc->timeline.hwsp_seqno - lrc->image.vaddr,
				(id == IGEN_RCS0 ? 22 : 2) * PAGE_SIZE);
	}

	/* The batch at a context switch is the render engine's. */
	lrc = igen_mock_lrc(test, ctx, IGEN_RCS0);
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_INDIRECT_CTX] & ~63u,
			lower_32_bits(igen_vma_start(lrc->engine->ctx_wa)));
	KUNIT_EXPECT_EQ(test, (lrc->image.regs[CTX_INDIRECT_CTX] & 63) * 64, lrc->engine->ctx_wa_size);
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_INDIRECT_CTX_OFFSET], 0x26u << 6);
	lrc = igen_mock_lrc(test, ctx, IGEN_BCS0);
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_INDIRECT_CTX], 0u);
	igen_context_put(ctx);
}

/* Public Gen9 PRM Vol 2d, "Context Descriptor Format". */
static void descriptors(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0), *other = igen_mock_context(test, 0);
	struct igen_lrc *a = igen_mock_lrc(test, ctx, IGEN_RCS0), *b = igen_mock_lrc(test, other, IGEN_RCS0);

	KUNIT_EXPECT_EQ(test, a->image.desc & 0xfffff000, igen_vma_start(a->image.vma));
	/* Valid, restore forced once, 48-bit addresses, privileged ring. */
	KUNIT_EXPECT_EQ(test, a->image.desc & 0xfff, 0x11dull);
	/* Two contexts that live differ in what an event names. */
	KUNIT_EXPECT_NE(test, upper_32_bits(a->image.desc), upper_32_bits(b->image.desc));
	KUNIT_EXPECT_EQ(test, upper_32_bits(a->image.desc) & ~GENMASK(20, 0), 0u);
	igen_context_put(ctx);
	igen_context_put(other);
}

static void ring_sizes(struct kunit *test)
{
	static const u32 bad[] = { 0, 1, 2048, 4095, 4097, 12288, SZ_1M, 0x80000000, 0xffffffff };
	struct igen_mock *mock = test->priv;
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_lrc *lrc;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		lrc = igen_lrc_create(mock->igen->engine[IGEN_BCS0], ctx, mock->vm, bad[i]);
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(lrc), -EINVAL, "%u", bad[i]);
		if (!IS_ERR(lrc))
			igen_lrc_put(lrc);
	}
	ctx->ring_size = SZ_512K;
	lrc = igen_mock_lrc(test, ctx, IGEN_BCS0);
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_RING_CTL], 0x0007f001u);
	igen_context_put(ctx);
}

/* A process leaves room in the GGTT when its contexts stay there, and may have one more when one is gone. */
static void place_is_charged(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine = mock->igen->engine[IGEN_BCS0];
	struct igen_budget *budget = igen_budget_open(mock->igen, task_tgid(current), KUIDT_INIT(1000));
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_vm *ggtt = &mock->igen->ggtt.vm, *vm;
	u64 total = ggtt->total;
	struct igen_lrc *lrc[3];
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, budget);
	vm = igen_ppgtt_create(mock->igen, budget);
	KUNIT_ASSERT_FALSE(test, IS_ERR(vm));
	/* LRCs may have half, and of that a process half: two. Each has a ring, and three pages beside it. */
	ggtt->total = 2ull * 2 * 2 * (SZ_512K + 3 * PAGE_SIZE);
	for (i = 0; i < 2; i++) {
		lrc[i] = igen_lrc_create(engine, ctx, vm, SZ_512K);
		KUNIT_ASSERT_FALSE(test, IS_ERR(lrc[i]));
	}
	lrc[2] = igen_lrc_create(engine, ctx, vm, SZ_512K);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(lrc[2]), -ENOSPC);
	igen_lrc_put(lrc[0]);
	igen_release_drain();
	lrc[2] = igen_lrc_create(engine, ctx, vm, SZ_512K);
	KUNIT_ASSERT_FALSE(test, IS_ERR(lrc[2]));
	igen_lrc_put(lrc[1]);
	igen_lrc_put(lrc[2]);
	igen_release_drain();
	KUNIT_EXPECT_EQ(test, atomic_long_read(&budget->ggtt[IGEN_GGTT_CONTEXTS]), 0);
	ggtt->total = total;
	igen_vm_put(vm);
	igen_context_put(ctx);
	igen_mm_flush(mock->igen);
	igen_budget_put(budget);
}

/* What a render engine's first context executes fits its ring, begins with a flush and ends with one. */
static void null_state(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine;
	unsigned int id, dwords;
	u32 *state;

	for_each_engine(mock->igen, id, engine) {
		dwords = 1;
		state = igen_null_state_create(engine, &dwords);
		KUNIT_ASSERT_FALSE(test, IS_ERR(state));
		if (engine->info->class != IGEN_CLASS_RENDER) {
			KUNIT_EXPECT_NULL(test, state);
			KUNIT_EXPECT_EQ(test, dwords, 0u);
			continue;
		}
		KUNIT_ASSERT_NOT_NULL(test, state);
		KUNIT_ASSERT_GT(test, dwords, 300u);
		KUNIT_EXPECT_LT(test, dwords, 1900u);
		KUNIT_EXPECT_EQ(test, state[0], PIPE_CONTROL);
		KUNIT_EXPECT_EQ(test, state[dwords - 6], PIPE_CONTROL);
		KUNIT_EXPECT_TRUE(test, state[dwords - 5] & PIPE_CONTROL_CS_STALL);
		kfree(state);
	}
}

/* A generation that the builder does not have: no commands, and it says so. */
static void null_state_refused(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	unsigned int dwords = 1;
	u32 *state;

	mock->platform.gen = 12;
	state = igen_null_state_create(mock->igen->engine[IGEN_RCS0], &dwords);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(state), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, dwords, 0u);
}

static u32 recorded_value(unsigned int id, unsigned int dword)
{
	return 0xda7a0000 + (id << 20) + dword;
}

/* All of the state that a context had when it was recorded is in a new context's image, to the last dword. */
static void default_state(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_context *recorded = igen_mock_context(test, 0), *new = igen_mock_context(test, 0);
	struct igen_engine *engine;
	struct igen_lrc *lrc;
	unsigned int id, i;

	for_each_engine(mock->igen, id, engine) {
		/* The page before the state is the status page of the context. */
		unsigned int dwords = (engine->info->context_pages - 1) * PAGE_SIZE / sizeof(u32), bad = 0;

		lrc = igen_mock_lrc(test, recorded, id);
		/* Before that are ring and page tables, which the driver writes into every image. */
		for (i = MANUAL_LENGTH; i < dwords; i++)
			lrc->image.regs[i] = recorded_value(id, i);
		KUNIT_ASSERT_EQ(test, igen_lrc_record_default(lrc), 0);

		lrc = igen_mock_lrc(test, new, id);
		/* There is something to restore. */
		KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_CONTEXT_CONTROL], 0x000f0008u);
		for (i = MANUAL_LENGTH; i < dwords; i++)
			bad += lrc->image.regs[i] != recorded_value(id, i);
		KUNIT_EXPECT_EQ_MSG(test, 0u, bad, "engine %u, of %u dwords", id, dwords);
	}
	igen_context_put(recorded);
	igen_context_put(new);
}

/* After a reset the context goes on at a place in its ring, outside of any batch, and is restored in full. */
static void reset_image(struct kunit *test)
{
	struct igen_context *ctx = igen_mock_context(test, 0);
	struct igen_lrc *lrc = igen_mock_lrc(test, ctx, IGEN_VCS0);

	lrc->image.desc &= ~CTX_DESC_FORCE_RESTORE;
	lrc->image.regs[CTX_BB_STATE] = 0x20;
	lrc->image.regs[CTX_BB_HEAD_L] = 0x1234;
	lrc->image.regs[CTX_PDP0_LDW] = 0xdead;
	lrc->image.regs[0x53] = 0xbeef;

	spin_lock_irq(&lrc->group->lock);
	igen_lrc_reset(lrc, 0x100, false);
	KUNIT_EXPECT_EQ(test, lrc->image.regs[0x53], 0xbeefu);
	igen_lrc_reset(lrc, 0x140, true);
	spin_unlock_irq(&lrc->group->lock);

	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_RING_HEAD], 0x140u);
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_RING_TAIL], 0x140u);
	KUNIT_EXPECT_EQ(test, lrc->image.hw_tail, 0x140u);
	KUNIT_EXPECT_EQ(test, lrc->image.hw_seqno, *lrc->timeline.hwsp_seqno);
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_BB_STATE], 0u);
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_BB_HEAD_L], 0u);
	KUNIT_EXPECT_EQ(test, lrc->image.regs[CTX_PDP0_LDW], lower_32_bits(lrc->vm->pd_dma));
	KUNIT_EXPECT_TRUE(test, lrc->image.desc & CTX_DESC_FORCE_RESTORE);
	igen_context_put(ctx);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(layout_is_the_manuals),
	KUNIT_CASE(indexes_name_their_registers),
	KUNIT_CASE(new_image),
	KUNIT_CASE(descriptors),
	KUNIT_CASE(ring_sizes),
	KUNIT_CASE(place_is_charged),
	KUNIT_CASE(null_state),
	KUNIT_CASE(null_state_refused),
	KUNIT_CASE(default_state),
	KUNIT_CASE(reset_image),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_lrc",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
