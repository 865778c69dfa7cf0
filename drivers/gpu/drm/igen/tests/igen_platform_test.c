// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of the platform tables
 *
 * What a typing error in a table would do to the hardware is hard to find, so each table is looked through: ranges,
 * order, what appears twice, what reaches beyond its field. Tables of further platforms join in ALL.
 */
#include <linux/sizes.h>
#include <linux/slab.h>

#include <igen/cmd/gfx.h>
#include <igen/parse/parse.h>
#include <igen/regs/engine.h>
#include <igen/regs/gt.h>
#include <igen/regs/gtt.h>

#include "../engine/igen_workarounds.h"
#include "../igen_compat.h"
#include "../igen_compat_pciids.h"
#include "igen_mock.h"

#define REGISTERS_END	GTTMMADR_GGTT_OFFSET
#define ENGINE_REGS	0x1000

static const struct igen_platform * const all[] = {
	&igen_platform_snb_gt1, &igen_platform_snb_gt2, &igen_platform_ivb_gt1, &igen_platform_ivb_gt2,
	&igen_platform_skl_gt1, &igen_platform_skl_gt2, &igen_platform_skl_gt3, &igen_platform_skl_gt4,
	&igen_platform_kbl_gt1, &igen_platform_kbl_gt2, &igen_platform_kbl_gt3, &igen_platform_kbl_gt4,
	&igen_platform_cfl_gt1, &igen_platform_cfl_gt2, &igen_platform_cfl_gt3, &igen_platform_whl_gt1,
	&igen_platform_whl_gt2, &igen_platform_whl_gt3, &igen_platform_cml_gt1, &igen_platform_cml_gt2,
	&igen_platform_aml_kbl, &igen_platform_aml_cfl, &igen_platform_bxt, &igen_platform_glk,
};

#define for_each_platform(i__, p__) \
	for ((i__) = 0; (i__) < ARRAY_SIZE(all) && ((p__) = all[i__]); (i__)++)

static bool overlap(u32 a, u32 a_size, u32 b, u32 b_size)
{
	return a < b + b_size && b < a + a_size;
}

/* Whether the engines have one ring each that the contexts share. */
static bool has_shared_rings(const struct igen_platform *p)
{
	return p->submit->copies_requests;
}

static void platforms(struct kunit *test)
{
	const struct igen_platform *p;
	unsigned int i;

	for_each_platform(i, p) {
		KUNIT_EXPECT_NOT_NULL(test, p->name);
		KUNIT_EXPECT_TRUE(test, p->ppgtt_bits == 48 || p->ppgtt_bits == 32 || p->ppgtt_bits == 31);
		KUNIT_EXPECT_TRUE(test, p->dma_bits >= 32 && p->dma_bits <= 46);
		KUNIT_EXPECT_EQ(test, p->address_bytes, p->ppgtt_bits > 31 ? 8 : 4);
		/* Page-table entries have room for an address: those of four bytes for forty bits. */
		if (p->address_bytes == 8)
			KUNIT_EXPECT_EQ(test, GEN8_PTE_ADDR_MASK & ~(BIT_ULL(p->dma_bits) - 1), 0ull);
		else
			KUNIT_EXPECT_EQ(test, p->dma_bits, 40);
		KUNIT_EXPECT_TRUE(test, p->num_fences && p->num_fences <= IGEN_NUM_FENCE_REGS);
		KUNIT_EXPECT_TRUE(test, p->fence_pitch && IS_ALIGNED(p->fence_pitch, 128));
		KUNIT_EXPECT_LE(test, p->max_slices, IGEN_MAX_SLICES);
		KUNIT_EXPECT_LE(test, p->max_subslices, IGEN_MAX_SUBSLICES);
		KUNIT_EXPECT_LE(test, p->max_eus, IGEN_MAX_EUS);
		KUNIT_EXPECT_EQ(test, p->max_slices && p->max_subslices && p->max_eus, !!p->topology);
		KUNIT_EXPECT_EQ(test, p->fifo && p->fifo_mask, has_shared_rings(p));
		KUNIT_EXPECT_EQ(test, !p->forcewake_plain, !p->forcewake_masked);
		KUNIT_EXPECT_TRUE(test, p->timestamp_hz >= 1000000 && p->timestamp_hz <= 100000000);
		KUNIT_EXPECT_NOT_NULL(test, p->submit);
		KUNIT_EXPECT_NOT_NULL(test, p->context);
		KUNIT_EXPECT_NOT_NULL(test, p->irq);
		KUNIT_EXPECT_NOT_NULL(test, p->power);
		KUNIT_EXPECT_NOT_NULL(test, p->reset);
		KUNIT_EXPECT_NOT_NULL(test, p->error);
		KUNIT_EXPECT_NOT_NULL(test, p->bringup);
		KUNIT_EXPECT_NOT_NULL(test, p->expect);
		KUNIT_EXPECT_NOT_NULL(test, p->expect_part);
		KUNIT_EXPECT_TRUE(test, p->num_engines && p->num_engines <= IGEN_NUM_ENGINES);
	}
}

static void engines_by_themselves(struct kunit *test)
{
	const struct igen_platform *p;
	unsigned int i, n;

	for_each_platform(i, p) {
		for (n = 0; n < p->num_engines; n++) {
			const struct igen_engine_info *e = &p->engines[n];

			KUNIT_EXPECT_LT(test, (int)e->id, (int)IGEN_NUM_ENGINES);
			KUNIT_EXPECT_LT(test, (int)e->class, (int)IGEN_NUM_CLASSES);
			KUNIT_EXPECT_NOT_NULL(test, e->name);
			KUNIT_EXPECT_EQ(test, e->base % ENGINE_REGS, 0u);
			KUNIT_EXPECT_TRUE(test, e->base && e->base + ENGINE_REGS <= REGISTERS_END);
			KUNIT_EXPECT_LT(test, (unsigned int)e->irq_group, 4u);
			KUNIT_EXPECT_TRUE(test, has_shared_rings(p) ? e->irq_shift < 32 : e->irq_shift % 16 == 0);
			KUNIT_EXPECT_TRUE(test, e->hws_pga && !(e->hws_pga & 3));
			/* The engine's bit in GDRST is one bit, and not the bit of a full reset. */
			KUNIT_EXPECT_EQ(test, hweight32(e->reset_domain), 1u);
			KUNIT_EXPECT_NE(test, e->reset_domain, GDRST_FULL);
			KUNIT_EXPECT_TRUE(test, e->forcewake && !(e->forcewake & ~FORCEWAKE_DOMAIN_ALL));
			/* With a ring of its own a context has an image on each engine, else on the render engine. */
			if (has_shared_rings(p))
				KUNIT_EXPECT_EQ(test, !!e->context_pages, e->class == IGEN_CLASS_RENDER);
			else
				KUNIT_EXPECT_GE(test, (unsigned int)e->context_pages, 2u);
			KUNIT_EXPECT_EQ(test, !!e->switch_ops, has_shared_rings(p));
			KUNIT_EXPECT_EQ(test, !e->tlb_inv_reg, !!p->submit->tlb_flush);
			KUNIT_EXPECT_EQ(test, !e->mocs_base, !p->num_mocs);
			KUNIT_EXPECT_EQ(test, (e->tlb_inv_reg | e->mocs_base) & 3, 0u);
		}
	}
}

static void engines_among_each_other(struct kunit *test)
{
	const struct igen_platform *p;
	unsigned int i, n, m;

	for_each_platform(i, p) {
		unsigned int siblings[IGEN_NUM_CLASSES] = {};

		for (n = 0; n < p->num_engines; n++) {
			const struct igen_engine_info *a = &p->engines[n];

			KUNIT_EXPECT_LE(test, ++siblings[a->class], (unsigned int)IGEN_MAX_SIBLINGS);
			for (m = n + 1; m < p->num_engines; m++) {
				const struct igen_engine_info *b = &p->engines[m];

				KUNIT_EXPECT_NE(test, (int)a->id, (int)b->id);
				KUNIT_EXPECT_STRNEQ(test, a->name, b->name);
				KUNIT_EXPECT_FALSE(test, a->class == b->class && a->instance == b->instance);
				KUNIT_EXPECT_FALSE(test, a->class == b->class && a->hw_instance == b->hw_instance);
				KUNIT_EXPECT_FALSE(test, overlap(a->base, ENGINE_REGS, b->base, ENGINE_REGS));
				KUNIT_EXPECT_FALSE(test, a->irq_group == b->irq_group && a->irq_shift == b->irq_shift);
				KUNIT_EXPECT_NE(test, a->reset_domain, b->reset_domain);
				KUNIT_EXPECT_NE(test, a->hws_pga, b->hws_pga);
				if (a->tlb_inv_reg)
					KUNIT_EXPECT_NE(test, a->tlb_inv_reg, b->tlb_inv_reg);
				if (p->num_mocs)
					KUNIT_EXPECT_FALSE(test, overlap(a->mocs_base, MOCS_ENTRIES * 4,
									 b->mocs_base, MOCS_ENTRIES * 4));
			}
		}
	}
}

static void check_sizes_of_emission(struct kunit *test, const struct igen_platform *p, const struct igen_emit_ops *e)
{
	KUNIT_ASSERT_NOT_NULL(test, e);
	KUNIT_EXPECT_EQ(test, (e->semaphore_dw | e->invalidate_dw | e->address_dw | e->batch_start_dw |
			       e->request_dw | e->resubmit_dw) & 1, 0);
	KUNIT_EXPECT_EQ(test, !e->semaphore, !e->semaphore_dw);
	KUNIT_EXPECT_GT(test, (int)e->request_dw,
			e->semaphore_dw + e->invalidate_dw + e->batch_start_dw + e->resubmit_dw);
	/*
	 * @finish ends with resubmit_dw words of NOOPs behind rq->tail. A second submission with the same tail moves
	 * the tail over them (dequeue_update_context()). A backend that copies requests has no use for them.
	 */
	KUNIT_EXPECT_EQ(test, !e->resubmit_dw, p->submit->copies_requests);
}

/* A request has room for all that the driver adds to it, in pairs of dwords, and no operation without its size. */
static void sizes_of_emission(struct kunit *test)
{
	const struct igen_platform *p;
	unsigned int i, n;

	for_each_platform(i, p) {
		for (n = 0; n < p->num_engines; n++)
			check_sizes_of_emission(test, p, p->engines[n].emit);
		KUNIT_EXPECT_EQ(test, !p->early_emit, !p->early_revisions);
		if (p->early_emit)
			check_sizes_of_emission(test, p, p->early_emit);
	}
}

/* Makes the engines again, as of a device of another revision. */
static void make_engines(struct kunit *test, u8 revision)
{
	struct igen_mock *mock = test->priv;

	igen_engines_fini(mock->igen);
	mock->pdev->revision = revision;
	igen_engines_probe(mock->igen);
	KUNIT_ASSERT_EQ(test, 0, igen_engines_init(mock->igen));
}

static void check_emission(struct kunit *test, u32 *cs)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine;
	unsigned int id;

	for_each_engine(mock->igen, id, engine) {
		const struct igen_emit_ops *e = engine->emit;
		long finish = e->finish(engine, cs, 0, 1) - cs;

		KUNIT_EXPECT_EQ(test, e->semaphore(cs, 0, 1) - cs, (long)e->semaphore_dw);
		KUNIT_EXPECT_EQ(test, e->invalidate(engine, cs) - cs, (long)e->invalidate_dw);
		KUNIT_EXPECT_EQ(test, e->address(cs, 0, 0) - cs, (long)e->address_dw);
		KUNIT_EXPECT_EQ(test, e->batch_start(cs, 0) - cs, (long)e->batch_start_dw);
		KUNIT_EXPECT_EQ(test, e->semaphore_dw + e->invalidate_dw + e->batch_start_dw + finish,
				(long)e->request_dw);
	}
}

/* Each operation writes as much as its size says, and a request as a whole as much as was counted, on each engine. */
static void emission_keeps_to_its_sizes(struct kunit *test)
{
	u32 *cs = kunit_kzalloc(test, SZ_4K, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, cs);
	check_emission(test, cs);
	make_engines(test, 0);
	check_emission(test, cs);
}

/* WaForGAMHang: Kaby Lake up to stepping B0 flushes the data cache before an invalidation, and stalls behind it. */
static void invalidation_by_revision(struct kunit *test)
{
	static const u8 revisions[] = { 0, 1, 2, 7 };
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine;
	unsigned int i, n;
	u32 *cs;

	cs = kunit_kzalloc(test, SZ_4K, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cs);
	for (i = 0; i < ARRAY_SIZE(revisions); i++) {
		make_engines(test, revisions[i]);
		engine = mock->igen->engine[IGEN_RCS0];
		n = (engine->emit->invalidate(engine, cs) - cs) / 6;
		KUNIT_ASSERT_EQ(test, n, revisions[i] < 2 ? 4u : 2u);
		KUNIT_EXPECT_EQ(test, cs[1], 0u);
		if (revisions[i] < 2) {
			KUNIT_EXPECT_EQ(test, cs[6 + 1], (u32)PIPE_CONTROL_DC_FLUSH);
			KUNIT_EXPECT_EQ(test, cs[3 * 6 + 1], (u32)PIPE_CONTROL_CS_STALL);
			KUNIT_EXPECT_EQ(test, cs[3 * 6], cs[0]);
		}
		KUNIT_EXPECT_TRUE(test, cs[(n / 2) * 6 + 1] & PIPE_CONTROL_TLB_INVALIDATE);
	}
}

static u32 no_video_enhance(struct igen_device *igen, enum igen_engine_class class)
{
	return class == IGEN_CLASS_VIDEO_ENHANCE ? BIT(0) : 0;
}

/* The driver makes no engine that is fused off, and makes all others. */
static void engines_follow_the_fuses(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_device *igen = mock->igen;
	struct igen_engine *engine;
	unsigned int id, n = 0;

	igen_engines_fini(igen);
	mock->platform.fused_off = no_video_enhance;
	igen_engines_probe(igen);
	KUNIT_EXPECT_FALSE(test, igen->engine_mask & BIT(IGEN_VECS0));
	KUNIT_ASSERT_EQ(test, 0, igen_engines_init(igen));
	for_each_engine(igen, id, engine)
		n++;
	KUNIT_EXPECT_EQ(test, n, mock->platform.num_engines - 1u);
	KUNIT_EXPECT_NULL(test, igen->engine[IGEN_VECS0]);
	KUNIT_EXPECT_NULL(test, igen_engine_lookup(igen, IGEN_CLASS_VIDEO_ENHANCE, 0));
	KUNIT_EXPECT_EQ(test, igen->group[IGEN_CLASS_VIDEO_ENHANCE].num_engines, 0u);
	KUNIT_EXPECT_NOT_NULL(test, igen->engine[IGEN_VCS0]);
}

/* A well that a platform does not have is asked for in vain, without a write; the others are counted. */
static void forcewake_of_fewer_wells(struct kunit *test)
{
	static const struct igen_forcewake_domain wells[FORCEWAKE_NUM_DOMAINS] = {
		[IGEN_FORCEWAKE_GT] = { "GT", FORCEWAKE_GT, FORCEWAKE_ACK_GT },
	};
	struct igen_mock *mock = test->priv;
	struct igen_device *igen = mock->igen;

	mock->platform.forcewake = wells;
	KUNIT_EXPECT_EQ(test, 0, igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL));
	KUNIT_EXPECT_EQ(test, igen->mmio.fw_count[IGEN_FORCEWAKE_GT], 2u);
	KUNIT_EXPECT_EQ(test, igen->mmio.fw_count[IGEN_FORCEWAKE_RENDER], 1u);
	KUNIT_EXPECT_EQ(test, igen->mmio.fw_count[IGEN_FORCEWAKE_MEDIA], 1u);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	KUNIT_EXPECT_EQ(test, igen->mmio.fw_count[IGEN_FORCEWAKE_GT], 1u);
	mock->platform.forcewake = igen_platform_kbl_gt2.forcewake;
}

/* A row by itself; then it and each one below it, as far as revisions have both. */
static void check_rows(struct kunit *test, const struct igen_reg_write *rows, bool by_lri)
{
	const struct igen_reg_write *a, *b;

	for (a = rows; a && a->name; a++) {
		KUNIT_EXPECT_TRUE_MSG(test, a->reg && !(a->reg & 3), "%s: register 0x%x", a->name, a->reg);
		KUNIT_EXPECT_TRUE_MSG(test, a->reg < (a->relative ? ENGINE_REGS : REGISTERS_END), "%s", a->name);
		KUNIT_EXPECT_TRUE_MSG(test, a->set || a->clear, "%s changes nothing", a->name);
		KUNIT_EXPECT_FALSE_MSG(test, by_lri && a->relative, "%s: a batch writes offsets in BAR 0", a->name);
		if (a->masked)
			KUNIT_EXPECT_TRUE_MSG(test, !((a->set | a->clear) >> 16), "%s: beyond 16 bits", a->name);
		else
			KUNIT_EXPECT_FALSE_MSG(test, by_lri, "%s: read before it is written, by a batch", a->name);
		/* A value of a field that is cleared first, or bits beside those that are cleared. */
		if (!a->masked)
			KUNIT_EXPECT_TRUE_MSG(test, !(a->set & a->clear) || !(a->set & ~a->clear),
					      "%s sets some of what it clears", a->name);
		for (b = a + 1; b->name; b++) {
			if (a->reg != b->reg || a->relative != b->relative)
				continue;
			if (a->revisions && b->revisions && !(a->revisions & b->revisions))
				continue;
			/* Only one subslice of a slice is the one that has seven EUs alone. */
			if (a->seven_eus && b->seven_eus && a->seven_eus != b->seven_eus)
				continue;
			KUNIT_EXPECT_TRUE_MSG(test, !(a->set & b->set), "%s and %s set the same bits",
					      a->name, b->name);
			KUNIT_EXPECT_TRUE_MSG(test, !((a->set & b->clear) | (a->clear & b->set & ~a->set)),
					      "%s and %s undo each other", a->name, b->name);
			KUNIT_EXPECT_EQ_MSG(test, a->masked, b->masked, "%s and %s", a->name, b->name);
		}
	}
}

static void workarounds(struct kunit *test)
{
	const struct igen_platform *p;
	unsigned int i, class;

	for_each_platform(i, p) {
		check_rows(test, p->gt_workarounds, false);
		for (class = 0; class < IGEN_NUM_CLASSES; class++) {
			check_rows(test, p->engine_workarounds[class], false);
			check_rows(test, p->ctx_workarounds[class], true);
			check_rows(test, p->switch_workarounds[class], true);
		}
		/* Workarounds of the GT have absolute register offsets, since they belong to no engine. */
		KUNIT_EXPECT_FALSE(test, p->gt_workarounds[0].relative);
	}
}

/* A revision gets the rows that are for it, and what is counted is what is emitted. */
static void workarounds_by_revision(struct kunit *test)
{
	static const struct igen_reg_write rows[] = {
		{ .name = "all", .reg = 0x1000, .set = 1, .masked = true },
		{ .name = "the first two", .reg = 0x2000, .set = 2, .masked = true, .revisions = BIT(0) | BIT(1) },
		{ .name = "the last", .reg = 0x3000, .clear = 4, .masked = true, .revisions = BIT(7) },
		{}
	};
	struct igen_mock *mock = test->priv;
	u32 cs[16] = {};

	mock->pdev->revision = 1;
	KUNIT_EXPECT_TRUE(test, igen_workaround_applies(mock->igen, &rows[1]));
	KUNIT_EXPECT_FALSE(test, igen_workaround_applies(mock->igen, &rows[2]));
	KUNIT_EXPECT_EQ(test, igen_count_lri(mock->igen, rows), 5u);
	KUNIT_EXPECT_PTR_EQ(test, igen_emit_lri(mock->igen, rows, cs), &cs[5]);
	/* MI_LOAD_REGISTER_IMM with two registers. */
	KUNIT_EXPECT_EQ(test, cs[0], 0x11000003u);
	KUNIT_EXPECT_EQ(test, cs[1], 0x1000u);
	KUNIT_EXPECT_EQ(test, cs[2], 0x00010001u);
	KUNIT_EXPECT_EQ(test, cs[3], 0x2000u);
	KUNIT_EXPECT_EQ(test, cs[4], 0x00020002u);

	/* Later revisions than there are bits count as the last. */
	mock->pdev->revision = 200;
	KUNIT_EXPECT_FALSE(test, igen_workaround_applies(mock->igen, &rows[1]));
	KUNIT_EXPECT_TRUE(test, igen_workaround_applies(mock->igen, &rows[2]));
	igen_emit_lri(mock->igen, rows, cs);
	KUNIT_EXPECT_EQ(test, cs[3], 0x3000u);
	KUNIT_EXPECT_EQ(test, cs[4], 0x00040000u);

	KUNIT_EXPECT_EQ(test, igen_count_lri(mock->igen, NULL), 0u);
	KUNIT_EXPECT_PTR_EQ(test, igen_emit_lri(mock->igen, NULL, cs), &cs[0]);
}

/* The row for the one subslice of a slice that has seven EUs applies, and none of the others. */
static void workarounds_by_fuses(struct kunit *test)
{
	struct igen_reg_write rows[] = {
		{ .name = "slice 0, subslice 1", .seven_eus = IGEN_SEVEN_EUS(0, 1) },
		{ .name = "slice 0, subslice 2", .seven_eus = IGEN_SEVEN_EUS(0, 2) },
		{ .name = "slice 1, subslice 0", .seven_eus = IGEN_SEVEN_EUS(1, 0) },
		{ .name = "slice 2, subslice 3", .seven_eus = IGEN_SEVEN_EUS(2, 3) },
	};
	static const struct {
		u8 slice, subslice, eus, expected;
	} steps[] = {
		{ 0, 1, 0xf7, BIT(0) },
		{ 1, 0, 0x7f, BIT(0) | BIT(2) },
		{ 0, 2, 0xfe, BIT(2) },			/* two of slice 0 have seven */
		{ 0, 1, 0xff, BIT(1) | BIT(2) },
		{ 2, 3, 0xbf, BIT(1) | BIT(2) | BIT(3) },
		{ 0, 2, 0x7e, BIT(2) | BIT(3) },	/* six are not seven */
		{ 1, 0, 0x00, BIT(3) },
	};
	struct igen_mock *mock = test->priv;
	struct igen_topology *topo = &mock->igen->topology;
	unsigned int i, n, applies;

	topo->max_slices = 3;
	topo->max_subslices = 4;
	topo->max_eus = 8;
	memset(topo->eu_mask, 0xff, sizeof(topo->eu_mask));
	for (n = 0; n < ARRAY_SIZE(rows); n++)
		KUNIT_EXPECT_FALSE(test, igen_workaround_applies(mock->igen, &rows[n]));
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		topo->eu_mask[steps[i].slice][steps[i].subslice] = steps[i].eus;
		applies = 0;
		for (n = 0; n < ARRAY_SIZE(rows); n++)
			applies |= igen_workaround_applies(mock->igen, &rows[n]) << n;
		KUNIT_EXPECT_EQ_MSG(test, applies, (unsigned int)steps[i].expected, "step %u", i);
	}
}

static void check_list(struct kunit *test, const u32 *regs, unsigned int most)
{
	unsigned int n, m;

	for (n = 0; regs && regs[n]; n++) {
		KUNIT_ASSERT_LT(test, n, most);
		KUNIT_EXPECT_EQ(test, regs[n] & 3, 0u);
		KUNIT_EXPECT_LT(test, regs[n], (u32)REGISTERS_END);
		for (m = 0; m < n; m++)
			KUNIT_EXPECT_NE_MSG(test, regs[n], regs[m], "places %u and %u", n, m);
	}
}

/* The parser always gets on, and never beyond what it has copied. */
static void check_parsed(struct kunit *test, const struct igen_parse_cmd *cmd)
{
	KUNIT_EXPECT_GE(test, (unsigned int)cmd->bias, 1u);
	KUNIT_EXPECT_GE(test, (unsigned int)cmd->min, (unsigned int)cmd->bias);
	KUNIT_EXPECT_LT(test, (unsigned int)cmd->reg, (unsigned int)cmd->min);
	if (cmd->zero1)
		KUNIT_EXPECT_GE(test, (unsigned int)cmd->min, 2u);
	if (cmd->zero2)
		KUNIT_EXPECT_GE(test, (unsigned int)cmd->min, 3u);
	/* Only a command that may not store at all may be too short for the address. */
	if (cmd->store && !cmd->store_when)
		KUNIT_EXPECT_LT(test, (unsigned int)cmd->store, (unsigned int)cmd->min);
	KUNIT_EXPECT_EQ(test, !cmd->store, !(cmd->store_header | cmd->store_global));
	KUNIT_EXPECT_EQ(test, cmd->store_mask & cmd->store_global, 0u);
	KUNIT_EXPECT_EQ(test, cmd->mask & cmd->store_header, 0u);
}

/* They are sorted, by opcodes of which all bits count. */
static void check_parsed_gfx(struct kunit *test, const struct igen_engine_info *info)
{
	const struct igen_parse_cmd *cmd = info->parsed_gfx;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, !info->parsed_gfx, !info->num_parsed_gfx);
	for (i = 0; i < info->num_parsed_gfx; i++, cmd++) {
		KUNIT_EXPECT_NE(test, (unsigned int)cmd->verdict, (unsigned int)IGEN_PARSE_UNKNOWN);
		KUNIT_EXPECT_EQ(test, cmd->mask >> 16, 0xffffu);
		KUNIT_EXPECT_EQ(test, cmd->value >> 29, 3u);
		if (i)
			KUNIT_EXPECT_LT(test, cmd[-1].value >> 16, cmd->value >> 16);
		check_parsed(test, cmd);
	}
}

/* A parser's table has an end of a batch, a jump, and no entry that a header of another opcode would match. */
static void check_parser(struct kunit *test, const struct igen_platform *p, const struct igen_engine_info *info)
{
	const struct igen_parse_cmd *cmd;
	unsigned int i, ends = 0, jumps = 0;
	u32 regs[100] = {};

	KUNIT_ASSERT_EQ(test, !info->parsed_cmds, !info->parsed_regs);
	if (!info->parsed_cmds)
		return;

	for (i = 0; info->parsed_regs[i].offset; i++) {
		KUNIT_ASSERT_LT(test, i, (unsigned int)ARRAY_SIZE(regs) - 1);
		regs[i] = info->parsed_regs[i].offset;
	}
	check_list(test, regs, ARRAY_SIZE(regs));

	for (i = 0; i < IGEN_PARSE_CMDS; i++) {
		cmd = &info->parsed_cmds[i];
		if (cmd->verdict == IGEN_PARSE_UNKNOWN)
			continue;
		ends += cmd->verdict == IGEN_PARSE_END;
		jumps += cmd->verdict == IGEN_PARSE_JUMP;
		if (i < IGEN_PARSE_BLT)
			KUNIT_EXPECT_EQ(test, cmd->value & cmd->mask & IGEN_MASK(31, 23), i << 23);
		else
			KUNIT_EXPECT_EQ(test, cmd->value & cmd->mask & IGEN_MASK(31, 22),
					2u << 29 | (i - IGEN_PARSE_BLT) << 22);
		check_parsed(test, cmd);
	}
	check_parsed_gfx(test, info);
	KUNIT_EXPECT_EQ(test, ends, 1u);
	/* Where a batch can run without the parser, one that jumps does. */
	KUNIT_EXPECT_EQ(test, jumps, info->privileged_copies && !p->global_stores ? 0u : 1u);
	KUNIT_EXPECT_TRUE(test, !p->global_stores || info->privileged_copies);
	KUNIT_EXPECT_TRUE(test, !info->privileged_copies || info->emit->privileged_start);
}

/* A list for FORCE_TO_NONPRIV: registers that are there, each once, and no bits but those of the field. */
static void check_whitelist(struct kunit *test, const struct igen_nonpriv *rows)
{
	u32 regs[FORCE_TO_NONPRIV_MAX + 1] = {};
	unsigned int n;

	for (n = 0; rows && rows[n].reg; n++) {
		KUNIT_ASSERT_LT(test, n, (unsigned int)FORCE_TO_NONPRIV_MAX);
		KUNIT_EXPECT_EQ(test, 0u, rows[n].flags &
				~(FORCE_TO_NONPRIV_ACCESS_MASK | FORCE_TO_NONPRIV_RANGE_MASK));
		if (rows[n].relative)
			KUNIT_EXPECT_LT(test, rows[n].reg, (u32)ENGINE_REGS);
		regs[n] = rows[n].reg;
	}
	check_list(test, regs, FORCE_TO_NONPRIV_MAX);
}

/* What unprivileged batches may write, by the hardware's list and by the driver's. */
static void whitelists(struct kunit *test)
{
	const struct igen_platform *p;
	unsigned int i, n;

	for_each_platform(i, p) {
		for (n = 0; n < IGEN_NUM_CLASSES; n++)
			check_whitelist(test, p->whitelist[n]);
		for (n = 0; n < p->num_engines; n++)
			check_parser(test, p, &p->engines[n]);
	}
}

static void mocs(struct kunit *test)
{
	const struct igen_platform *p;
	unsigned int i, n;

	for_each_platform(i, p) {
		if (p->num_mocs)
			KUNIT_EXPECT_LT(test, p->mocs_unused, p->num_mocs);
		for (n = 0; n < p->num_mocs; n++) {
			KUNIT_EXPECT_LT(test, (unsigned int)p->mocs[n].index, (unsigned int)MOCS_ENTRIES);
			if (n)
				KUNIT_EXPECT_LT(test, p->mocs[n - 1].index, p->mocs[n].index);
		}
	}
}

/* MOCS entries are those of stock i915 on Gen9: userspace relies on what an index means. */
static void mocs_indices_of_userspace(struct kunit *test)
{
	const struct igen_platform *p = &igen_platform_kbl_gt2;

	KUNIT_EXPECT_EQ(test, p->private_pat, 0x3b2b1b0b00030907ull);
	KUNIT_EXPECT_EQ(test, p->mocs[0].control, 0x00000009u);
	KUNIT_EXPECT_EQ(test, p->mocs[1].control, 0x00000030u);
	KUNIT_EXPECT_EQ(test, p->mocs[2].control, 0x0000003bu);
	KUNIT_EXPECT_EQ(test, p->mocs[0].l3cc, 0x0010u);
	KUNIT_EXPECT_EQ(test, p->mocs[1].l3cc, 0x0030u);
	KUNIT_EXPECT_EQ(test, p->mocs[2].l3cc, 0x0030u);
	KUNIT_EXPECT_EQ(test, p->timestamp_hz, 12000000u);
}

static void pci_ids(struct kunit *test)
{
	const struct pci_device_id *a, *b;
	unsigned int n = 0;

	for (a = igen_pci_ids; a->vendor; a++, n++) {
		KUNIT_EXPECT_EQ(test, a->vendor, (u32)PCI_VENDOR_ID_INTEL);
		KUNIT_EXPECT_EQ(test, a->class >> 16, (u32)PCI_BASE_CLASS_DISPLAY);
		KUNIT_EXPECT_EQ(test, a->class_mask, 0xff0000u);
		KUNIT_EXPECT_NE(test, a->driver_data, 0ul);
		for (b = a + 1; b->vendor; b++)
			KUNIT_EXPECT_NE(test, a->device, b->device);
		KUNIT_ASSERT_LT(test, n, 1000u);
	}
	KUNIT_EXPECT_GT(test, n, 0u);
}

/* A list of the kernel's header, and what its parts are. */
#define IDS(list__)	(const struct pci_device_id[]) { IGEN_PCI_IDS(list__, NULL), {} }
static const struct {
	const struct pci_device_id *ids;
	const char *name;
	u8 gt, video_engines;
	bool llc;
} lists[] = {
	{ IDS(INTEL_IVB_M_GT1_IDS), "Ivy Bridge GT1", 1, 1, true },
	{ IDS(INTEL_IVB_D_GT1_IDS), "Ivy Bridge GT1", 1, 1, true },
	{ IDS(INTEL_IVB_M_GT2_IDS), "Ivy Bridge GT2", 2, 1, true },
	{ IDS(INTEL_IVB_D_GT2_IDS), "Ivy Bridge GT2", 2, 1, true },
	{ IDS(INTEL_SKL_ULT_GT1_IDS), "Skylake GT1", 1, 1, true },
	{ IDS(INTEL_SKL_ULX_GT1_IDS), "Skylake GT1", 1, 1, true },
	{ IDS(INTEL_SKL_GT1_IDS), "Skylake GT1", 1, 1, true },
	{ IDS(INTEL_SKL_ULT_GT2_IDS), "Skylake GT2", 2, 1, true },
	{ IDS(INTEL_SKL_ULX_GT2_IDS), "Skylake GT2", 2, 1, true },
	{ IDS(INTEL_SKL_GT2_IDS), "Skylake GT2", 2, 1, true },
	{ IDS(INTEL_SKL_ULT_GT3_IDS), "Skylake GT3", 3, 2, true },
	{ IDS(INTEL_SKL_GT3_IDS), "Skylake GT3", 3, 2, true },
	{ IDS(INTEL_SKL_GT4_IDS), "Skylake GT4", 4, 2, true },
	{ IDS(INTEL_KBL_ULT_GT1_IDS), "Kaby Lake GT1", 1, 1, true },
	{ IDS(INTEL_KBL_ULX_GT1_IDS), "Kaby Lake GT1", 1, 1, true },
	{ IDS(INTEL_KBL_GT1_IDS), "Kaby Lake GT1", 1, 1, true },
	{ IDS(INTEL_KBL_ULT_GT2_IDS), "Kaby Lake GT2", 2, 1, true },
	{ IDS(INTEL_KBL_ULX_GT2_IDS), "Kaby Lake GT2", 2, 1, true },
	{ IDS(INTEL_KBL_GT2_IDS), "Kaby Lake GT2", 2, 1, true },
	{ IDS(INTEL_KBL_ULT_GT3_IDS), "Kaby Lake GT3", 3, 2, true },
	{ IDS(INTEL_KBL_GT3_IDS), "Kaby Lake GT3", 3, 2, true },
	{ IDS(INTEL_KBL_GT4_IDS), "Kaby Lake GT4", 4, 2, true },
	{ IDS(INTEL_AML_KBL_GT2_IDS), "Amber Lake GT2", 2, 1, true },
	{ IDS(INTEL_AML_CFL_GT2_IDS), "Amber Lake GT2", 2, 1, true },
	{ IDS(INTEL_CFL_S_GT1_IDS), "Coffee Lake GT1", 1, 1, true },
	{ IDS(INTEL_CFL_S_GT2_IDS), "Coffee Lake GT2", 2, 1, true },
	{ IDS(INTEL_CFL_H_GT1_IDS), "Coffee Lake GT1", 1, 1, true },
	{ IDS(INTEL_CFL_H_GT2_IDS), "Coffee Lake GT2", 2, 1, true },
	{ IDS(INTEL_CFL_U_GT2_IDS), "Coffee Lake GT2", 2, 1, true },
	{ IDS(INTEL_CFL_U_GT3_IDS), "Coffee Lake GT3", 3, 2, true },
	{ IDS(INTEL_WHL_U_GT1_IDS), "Whiskey Lake GT1", 1, 1, true },
	{ IDS(INTEL_WHL_U_GT2_IDS), "Whiskey Lake GT2", 2, 1, true },
	{ IDS(INTEL_WHL_U_GT3_IDS), "Whiskey Lake GT3", 3, 2, true },
	{ IDS(INTEL_CML_GT1_IDS), "Comet Lake GT1", 1, 1, true },
	{ IDS(INTEL_CML_U_GT1_IDS), "Comet Lake GT1", 1, 1, true },
	{ IDS(INTEL_CML_GT2_IDS), "Comet Lake GT2", 2, 1, true },
	{ IDS(INTEL_CML_U_GT2_IDS), "Comet Lake GT2", 2, 1, true },
	{ IDS(INTEL_BXT_IDS), "Apollo Lake", 0, 1, false },
	{ IDS(INTEL_GLK_IDS), "Gemini Lake", 0, 1, false },
};

/* And the lists that the header has of whole families, which have no id that is not in one of the above. */
static const struct pci_device_id * const families[] = {
	IDS(INTEL_SKL_IDS), IDS(INTEL_KBL_IDS), IDS(INTEL_CFL_IDS),
};

static const struct igen_platform *platform_of(u32 device)
{
	const struct pci_device_id *id;

	for (id = igen_pci_ids; id->vendor; id++)
		if (id->device == device)
			return (const struct igen_platform *)id->driver_data;
	return NULL;
}

static void every_id_has_its_row(struct kunit *test)
{
	const struct igen_platform *p;
	const struct pci_device_id *id;
	unsigned int i, e, video;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		KUNIT_EXPECT_NE(test, lists[i].ids->vendor, 0u);
		for (id = lists[i].ids; id->vendor; id++) {
			p = platform_of(id->device);
			KUNIT_ASSERT_NOT_NULL_MSG(test, p, "%04x: %s", id->device, lists[i].name);
			video = 0;
			for (e = 0; e < p->num_engines; e++)
				video += p->engines[e].class == IGEN_CLASS_VIDEO;
			KUNIT_EXPECT_STREQ(test, p->name, lists[i].name);
			KUNIT_EXPECT_EQ_MSG(test, p->gt, lists[i].gt, "%04x", id->device);
			KUNIT_EXPECT_EQ_MSG(test, video, (unsigned int)lists[i].video_engines, "%04x", id->device);
			KUNIT_EXPECT_EQ_MSG(test, p->has_llc, lists[i].llc, "%04x", id->device);
			KUNIT_EXPECT_EQ_MSG(test, p->tables_snooped, lists[i].llc, "%04x", id->device);
			KUNIT_EXPECT_EQ_MSG(test, p->objects_snooped, lists[i].llc, "%04x", id->device);
		}
	}
	for (i = 0; i < ARRAY_SIZE(families); i++)
		for (id = families[i]; id->vendor; id++)
			KUNIT_EXPECT_NOT_NULL_MSG(test, platform_of(id->device), "%04x", id->device);
}

/* Each device that igen knows is asked for by its own id alone, written as lspci does. */
static void force_probe_of_each_id(struct kunit *test)
{
	const struct pci_device_id *a, *b;
	char list[16];

	for (a = igen_pci_ids; a->vendor; a++) {
		snprintf(list, sizeof(list), "%04x", a->device);
		for (b = igen_pci_ids; b->vendor; b++)
			KUNIT_EXPECT_EQ_MSG(test, (int)igen_force_probe_asks(list, b->device),
					    a == b ? IGEN_ASKED : IGEN_UNASKED, "%s, %04x", list, b->device);
		snprintf(list, sizeof(list), "*,!%04X", a->device);
		for (b = igen_pci_ids; b->vendor; b++)
			KUNIT_EXPECT_EQ_MSG(test, (int)igen_force_probe_asks(list, b->device),
					    a == b ? IGEN_FORBIDDEN : IGEN_ASKED, "%s, %04x", list, b->device);
	}
}

/* Fuses: one slice, the third subslice off, and in the second one two EUs. */
static void topology(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_topology *topo = &mock->igen->topology;

	igen_write(mock->igen, FUSE2, IGEN_PREP(FUSE2_SLICE_ENABLE_MASK, 1u) |
		   IGEN_PREP(FUSE2_SUBSLICE_DISABLE_MASK, 0xcu));
	igen_write(mock->igen, EU_DISABLE(0), 0x00008100);
	KUNIT_EXPECT_EQ(test, 0, igen_topology_init(mock->igen));
	KUNIT_EXPECT_EQ(test, topo->slice_mask, 1);
	KUNIT_EXPECT_EQ(test, topo->subslice_mask[0], 3);
	KUNIT_EXPECT_EQ(test, topo->subslice_total, 2u);
	KUNIT_EXPECT_EQ(test, topo->eu_mask[0][0], 0xff);
	KUNIT_EXPECT_EQ(test, topo->eu_mask[0][1], 0x7e);
	KUNIT_EXPECT_EQ(test, topo->eu_total, 14u);
	KUNIT_EXPECT_EQ(test, topo->edram_mb, 0u);

	/* Three slices, and eDRAM of eight banks, sixteen ways and one set. */
	memset(topo, 0, sizeof(*topo));
	igen_write(mock->igen, FUSE2, IGEN_PREP(FUSE2_SLICE_ENABLE_MASK, 7u) |
		   IGEN_PREP(FUSE2_SUBSLICE_DISABLE_MASK, 8u));
	igen_write(mock->igen, EU_DISABLE(0), 0);
	igen_write(mock->igen, EDRAM_CAP, EDRAM_THERE | IGEN_PREP(EDRAM_BANKS_MASK, 8u) |
		   IGEN_PREP(EDRAM_WAYS_MASK, 3u));
	KUNIT_EXPECT_EQ(test, 0, igen_topology_init(mock->igen));
	KUNIT_EXPECT_EQ(test, topo->slice_mask, 7);
	KUNIT_EXPECT_EQ(test, topo->subslice_total, 9u);
	KUNIT_EXPECT_EQ(test, topo->eu_total, 72u);
	KUNIT_EXPECT_EQ(test, topo->edram_mb, 128u);
	igen_write(mock->igen, EDRAM_CAP, 0);

	/* Fuses that leave nothing, or read as all ones. */
	memset(topo, 0, sizeof(*topo));
	igen_write(mock->igen, FUSE2, 0);
	KUNIT_EXPECT_EQ(test, -ENODEV, igen_topology_init(mock->igen));
	memset(topo, 0, sizeof(*topo));
	igen_write(mock->igen, FUSE2, ~0u);
	igen_write(mock->igen, EU_DISABLE(0), ~0u);
	KUNIT_EXPECT_EQ(test, -ENODEV, igen_topology_init(mock->igen));
}

/* Domains are counted: nested users don't put each other's to sleep. Registers remember the last write. */
static void forcewake_counts(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_device *igen = mock->igen;

	igen_write(igen, FORCEWAKE_RENDER, 0x5a5a);
	KUNIT_EXPECT_EQ(test, 0, igen_forcewake_get(igen, FORCEWAKE_DOMAIN_RENDER));
	KUNIT_EXPECT_EQ(test, 0, igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL));
	KUNIT_EXPECT_EQ(test, igen->mmio.fw_count[0], 3u);
	KUNIT_EXPECT_EQ(test, igen->mmio.fw_count[1], 2u);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_RENDER);
	KUNIT_EXPECT_EQ(test, igen->mmio.fw_count[0], 1u);
	KUNIT_EXPECT_EQ(test, igen_read(igen, FORCEWAKE_RENDER), 0x5a5au);
	/* The last one lets it sleep, by a masked write. */
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_RENDER);
	KUNIT_EXPECT_EQ(test, igen_read(igen, FORCEWAKE_RENDER), 0x00010000u);
	KUNIT_EXPECT_EQ(test, igen->mmio.fw_count[1], 1u);
	igen->mmio.fw_count[0] = 1;
}

/* The clock goes up and down in growing steps, and starts small when it turns. */
static void governor_steps(struct kunit *test)
{
	struct igen_governor governor = { .up = 95, .down = 85 };
	static const struct {
		unsigned int load;
		int step;
	} expected[] = {
		{ 100, 50 }, { 96, 100 }, { 100, 200 }, { 100, 400 }, { 100, 800 }, { 100, 800 },
		{ 95, 0 }, { 85, 0 }, { 100, 50 },
		{ 84, -50 }, { 0, -100 }, { 50, -200 }, { 0, -400 }, { 0, -800 }, { 0, -800 }, { 96, 50 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		governor.step = igen_governor_step(&governor, expected[i].load);
		KUNIT_EXPECT_EQ_MSG(test, governor.step, expected[i].step, "step %u", i);
	}

	/* Root may want it to rise at full load only, to rise at any, or never to fall. */
	governor.step = 0;
	governor.up = 100;
	KUNIT_EXPECT_EQ(test, 50, igen_governor_step(&governor, 100));
	KUNIT_EXPECT_EQ(test, 0, igen_governor_step(&governor, 99));
	governor.up = 0;
	governor.down = 0;
	KUNIT_EXPECT_EQ(test, 50, igen_governor_step(&governor, 1));
	KUNIT_EXPECT_EQ(test, 0, igen_governor_step(&governor, 0));
}

/* On LP parts RC6 is used if the firmware has set it up, and not if any part of that is missing. */
static void rc6_of_lp(struct kunit *test)
{
	static const struct {
		u32 reg, prepared, missing;
	} set[] = {
		{ RC6_LOCATION, RC6_LOCATION_IN_DRAM, 0 },
		{ STOLEN_RESERVED, 0x7ff00000 | STOLEN_RESERVED_ENABLE, 0x7ff00000 },
		{ RC6_CTX_BASE, 0x7ff00001, 0x7fe00001 },
		{ RC6_CTX_BASE, 0x7fffe001, 0x7ffff001 },
		{ GFX_PAUSE, 1, 0 }, { MISC_CTRL0, 1, 0 },
		{ PUSHBUS_CONTROL, 1, 0 }, { PUSHBUS_ENABLE, 1, 0 }, { PUSHBUS_SHIFT, 1, 0 },
		{ RING_MAX_IDLE(RCS0_BASE), 2, 1 }, { RING_MAX_IDLE(BCS0_BASE), 2, 1 },
		{ RING_MAX_IDLE(VCS0_BASE), 2, 1 }, { RING_MAX_IDLE(VECS0_BASE), 2, 0x100001 },
		{ RC6_CTX_INFO, 1, 0 },
	};
	struct igen_mock *mock = test->priv;
	struct igen_device *igen = mock->igen;
	unsigned int i;

	mock->platform.power = &igen_power_gen9lp_ops;
	for (i = 0; i < ARRAY_SIZE(set); i++)
		igen_write(igen, set[i].reg, set[i].prepared);
	for (i = 0; i < ARRAY_SIZE(set); i++) {
		KUNIT_EXPECT_EQ(test, igen_power_init(igen), 0);
		KUNIT_EXPECT_TRUE(test, igen->power.rc6);
		igen_write(igen, set[i].reg, set[i].missing);
		KUNIT_EXPECT_EQ(test, igen_power_init(igen), 0);
		KUNIT_EXPECT_FALSE_MSG(test, igen->power.rc6, "register %#x", set[i].reg);
		igen_write(igen, set[i].reg, set[i].prepared);
	}
}

/* Engines that share the work count together: half of the second busiest one, a quarter of the third. */
static void governor_load(struct kunit *test)
{
	static const struct {
		u64 busy[4];
		unsigned int load;
	} expected[] = {
		{ { 0, 0, 0, 0 }, 0 }, { { 1000 }, 100 }, { { 667 }, 66 }, { { 0, 0, 667 }, 66 },
		{ { 400, 400 }, 60 }, { { 100, 600, 0, 200 }, 72 }, { { 200, 0, 100, 600 }, 72 },
		{ { 400, 400, 400 }, 70 }, { { 400, 400, 400, 400 }, 70 }, { { 500, 500, 500, 500 }, 87 },
		{ { 667, 667 }, 100 }, { { 667, 667, 667, 667 }, 100 }, { { 1000, 1000, 1000 }, 100 },
		{ { 1200 }, 100 },
	};
	static const u64 one[4] = { 667 }, two[4] = { 667, 667 };
	const struct igen_governor governor = { .up = 95, .down = 85 };
	unsigned int i, load;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		load = igen_governor_load(expected[i].busy, 4, 1000);
		KUNIT_EXPECT_EQ_MSG(test, load, expected[i].load, "load %u", i);
	}

	/* Two thirds of the time on one engine is little, and on each of two engines all that the GPU can do. */
	KUNIT_EXPECT_LT(test, igen_governor_step(&governor, igen_governor_load(one, 4, 1000)), 0);
	KUNIT_EXPECT_GT(test, igen_governor_step(&governor, igen_governor_load(two, 4, 1000)), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(platforms),
	KUNIT_CASE(engines_by_themselves),
	KUNIT_CASE(engines_among_each_other),
	KUNIT_CASE(sizes_of_emission),
	KUNIT_CASE(emission_keeps_to_its_sizes),
	KUNIT_CASE(invalidation_by_revision),
	KUNIT_CASE(engines_follow_the_fuses),
	KUNIT_CASE(forcewake_of_fewer_wells),
	KUNIT_CASE(workarounds),
	KUNIT_CASE(workarounds_by_revision),
	KUNIT_CASE(workarounds_by_fuses),
	KUNIT_CASE(whitelists),
	KUNIT_CASE(mocs),
	KUNIT_CASE(mocs_indices_of_userspace),
	KUNIT_CASE(pci_ids),
	KUNIT_CASE(every_id_has_its_row),
	KUNIT_CASE(force_probe_of_each_id),
	KUNIT_CASE(topology),
	KUNIT_CASE(forcewake_counts),
	KUNIT_CASE(rc6_of_lp),
	KUNIT_CASE(governor_steps),
	KUNIT_CASE(governor_load),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_platform",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
