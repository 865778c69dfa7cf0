// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of the platform tables
 *
 * What a typing error in a table would do to the hardware is hard to find, so each table is looked through: ranges,
 * order, what appears twice, what reaches beyond its field. Tables of further platforms join in ALL.
 */
#include <linux/sizes.h>
#include <linux/slab.h>

#include <igen/parse/parse.h>
#include <igen/regs/engine.h>
#include <igen/regs/gt.h>
#include <igen/regs/gtt.h>

#include "../engine/igen_workarounds.h"
#include "igen_mock.h"

#define REGISTERS_END	GTTMMADR_GGTT_OFFSET
#define ENGINE_REGS	0x1000

static const struct igen_platform * const all[] = { &igen_platform_kbl_gt2, &igen_platform_kbl_gt3 };

#define for_each_platform(i__, p__) \
	for ((i__) = 0; (i__) < ARRAY_SIZE(all) && ((p__) = all[i__]); (i__)++)

static bool overlap(u32 a, u32 a_size, u32 b, u32 b_size)
{
	return a < b + b_size && b < a + a_size;
}

static void platforms(struct kunit *test)
{
	const struct igen_platform *p;
	unsigned int i;

	for_each_platform(i, p) {
		KUNIT_EXPECT_NOT_NULL(test, p->name);
		KUNIT_EXPECT_TRUE(test, p->ppgtt_bits == 48 || p->ppgtt_bits == 32 || p->ppgtt_bits == 31);
		KUNIT_EXPECT_TRUE(test, p->dma_bits >= 32 && p->dma_bits <= 46);
		/* Page-table entries have room for an address. */
		KUNIT_EXPECT_EQ(test, GEN8_PTE_ADDR_MASK & ~(BIT_ULL(p->dma_bits) - 1), 0ull);
		KUNIT_EXPECT_TRUE(test, p->max_slices && p->max_slices <= IGEN_MAX_SLICES);
		KUNIT_EXPECT_TRUE(test, p->max_subslices && p->max_subslices <= IGEN_MAX_SUBSLICES);
		KUNIT_EXPECT_TRUE(test, p->max_eus && p->max_eus <= IGEN_MAX_EUS);
		KUNIT_EXPECT_TRUE(test, p->timestamp_hz >= 1000000 && p->timestamp_hz <= 100000000);
		KUNIT_EXPECT_NOT_NULL(test, p->submit);
		KUNIT_EXPECT_NOT_NULL(test, p->context);
		KUNIT_EXPECT_NOT_NULL(test, p->irq);
		KUNIT_EXPECT_NOT_NULL(test, p->power);
		KUNIT_EXPECT_NOT_NULL(test, p->reset);
		KUNIT_EXPECT_NOT_NULL(test, p->topology);
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
			KUNIT_EXPECT_TRUE(test, e->irq_shift == 0 || e->irq_shift == 16);
			/* The engine's bit in GDRST is one bit, and not the bit of a full reset. */
			KUNIT_EXPECT_EQ(test, hweight32(e->reset_domain), 1u);
			KUNIT_EXPECT_NE(test, e->reset_domain, GDRST_FULL);
			KUNIT_EXPECT_TRUE(test, e->forcewake && !(e->forcewake & ~FORCEWAKE_DOMAIN_ALL));
			KUNIT_EXPECT_GE(test, (unsigned int)e->context_pages, 2u);
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
				KUNIT_EXPECT_NE(test, a->tlb_inv_reg, b->tlb_inv_reg);
				KUNIT_EXPECT_FALSE(test, overlap(a->mocs_base, MOCS_ENTRIES * 4, b->mocs_base,
								 MOCS_ENTRIES * 4));
			}
		}
	}
}

/* A request has room for all that the driver adds to it, in pairs of dwords, and no operation without its size. */
static void sizes_of_emission(struct kunit *test)
{
	const struct igen_platform *p;
	unsigned int i;

	for_each_platform(i, p) {
		const struct igen_emit_ops *e = p->emit;

		KUNIT_ASSERT_NOT_NULL(test, e);
		KUNIT_EXPECT_EQ(test, (e->semaphore_dw | e->invalidate_dw | e->address_dw | e->batch_start_dw |
				       e->request_dw | e->resubmit_dw) & 1, 0);
		KUNIT_EXPECT_EQ(test, !e->semaphore, !e->semaphore_dw);
		KUNIT_EXPECT_GT(test, (int)e->request_dw,
				e->semaphore_dw + e->invalidate_dw + e->batch_start_dw + e->resubmit_dw);
		/*
		 * @finish ends with resubmit_dw words of NOOPs behind rq->tail. A second submission with the same tail
		 * moves the tail over them (dequeue_update_context()), by IGEN_REQUEST_WA_BYTES.
		 */
		KUNIT_EXPECT_EQ(test, e->resubmit_dw * sizeof(u32), (size_t)IGEN_REQUEST_WA_BYTES);
	}
}

/* Each operation writes as much as its size says, and a request as a whole as much as was counted, on each engine. */
static void emission_keeps_to_its_sizes(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_engine *engine;
	unsigned int id;
	u32 *cs;

	cs = kunit_kzalloc(test, SZ_4K, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cs);
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
		if (a->masked)
			KUNIT_EXPECT_TRUE_MSG(test, !((a->set | a->clear) >> 16), "%s: beyond 16 bits", a->name);
		else
			KUNIT_EXPECT_FALSE_MSG(test, by_lri, "%s: read before it is written, by a batch", a->name);
		if (a->clear != ~0u && !a->masked)
			KUNIT_EXPECT_TRUE_MSG(test, !(a->set & a->clear), "%s sets what it clears", a->name);
		for (b = a + 1; b->name; b++) {
			if (a->reg != b->reg || a->relative != b->relative)
				continue;
			if (a->revisions && b->revisions && !(a->revisions & b->revisions))
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

/* A parser's table has an end of a batch, a jump, and no entry that a header of another opcode would match. */
static void check_parser(struct kunit *test, const struct igen_engine_info *info)
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
		/* The parser always gets on, and never beyond what it has copied. */
		KUNIT_EXPECT_GE(test, (unsigned int)cmd->bias, 1u);
		KUNIT_EXPECT_GE(test, (unsigned int)cmd->min, (unsigned int)cmd->bias);
		KUNIT_EXPECT_LT(test, (unsigned int)cmd->reg, (unsigned int)cmd->min);
		if (cmd->zero1)
			KUNIT_EXPECT_GE(test, (unsigned int)cmd->min, 2u);
	}
	KUNIT_EXPECT_EQ(test, ends, 1u);
	KUNIT_EXPECT_EQ(test, jumps, 1u);
}

/* What unprivileged batches may write, by the hardware's list and by the driver's. */
static void whitelists(struct kunit *test)
{
	const struct igen_platform *p;
	unsigned int i, n;

	for_each_platform(i, p) {
		for (n = 0; n < IGEN_NUM_CLASSES; n++)
			check_list(test, p->whitelist[n], FORCE_TO_NONPRIV_MAX);
		for (n = 0; n < p->num_engines; n++)
			check_parser(test, &p->engines[n]);
	}
}

static void mocs(struct kunit *test)
{
	const struct igen_platform *p;
	unsigned int i, n;

	for_each_platform(i, p) {
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

static struct kunit_case cases[] = {
	KUNIT_CASE(platforms),
	KUNIT_CASE(engines_by_themselves),
	KUNIT_CASE(engines_among_each_other),
	KUNIT_CASE(sizes_of_emission),
	KUNIT_CASE(emission_keeps_to_its_sizes),
	KUNIT_CASE(engines_follow_the_fuses),
	KUNIT_CASE(forcewake_of_fewer_wells),
	KUNIT_CASE(workarounds),
	KUNIT_CASE(workarounds_by_revision),
	KUNIT_CASE(whitelists),
	KUNIT_CASE(mocs),
	KUNIT_CASE(mocs_indices_of_userspace),
	KUNIT_CASE(pci_ids),
	KUNIT_CASE(topology),
	KUNIT_CASE(forcewake_counts),
	KUNIT_CASE(governor_steps),
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
