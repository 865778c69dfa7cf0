// SPDX-License-Identifier: MIT
/**
 * DOC: Gen9: Skylake to Comet Lake; Apollo Lake and Gemini Lake, its LP parts
 *
 * Engines with their MMIO bases, interrupt groups, reset domains and TLB invalidation registers.
 * A part is a GT of a family: GT1 and GT2 have one slice and one video engine, GT3 two slices and
 * GT4 three, both with a second video engine, which the device ID alone tells: no fuse of Gen9 takes
 * an engine away. The LP parts have one slice of two or three subslices, and no LLC.
 *
 * Amber Lake is Kaby Lake (591c, 87c0) or Coffee Lake (87ca), and Whiskey Lake is Coffee Lake (3ea0
 * and its neighbours), as stock i915's tables have it. The settings device_id and revision make other
 * parts of a family. PCI revisions are of parts that were sold; i915's intel_step.c maps revisions to
 * steppings. Clocks are from Intel's product pages. The command streamers' timestamps count at
 * 12 MHz, on LP parts at 19.2 MHz (stock i915; Mesa, intel_device_info). The fault registers number
 * engines as stock i915's hw ids do. Fuses, eDRAM, and what the LP parts' firmware has to set before
 * a driver may use RC6, are the register database's.
 */
#include "decode.h"
#include "engine/engine.h"
#include "mem/mem.h"
#include "platform/platform.h"
#include "regs/regs.h"
#include "shared/shared.h"
#include "igen/regs/display.h"
#include "igen/regs/engine.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"
#include "igen/regs/irq.h"
#include "igen/regs/pci.h"

/* KBL Vol 3, "Register Address Maps"; the rest as the headers cite. */
static const struct engine_info gen9_engines[] = {
	{
		.name = "rcs0",
		.id = RCS0,
		.class = ENGINE_RENDER,
		.base = RCS0_BASE,
		.irq_group = 0,
		.irq_shift = GT_IRQ_RCS_SHIFT,
		.reset_domain = GDRST_RENDER,
		.tlb_inv_reg = TLB_INV_RCS,
		.fault_id = 0,
		.signal_id = 0,
	}, {
		.name = "bcs0",
		.id = BCS0,
		.class = ENGINE_COPY,
		.base = BCS0_BASE,
		.irq_group = 0,
		.irq_shift = GT_IRQ_BCS_SHIFT,
		.reset_domain = GDRST_BLT,
		.tlb_inv_reg = TLB_INV_BCS,
		.fault_id = 2,
		.signal_id = 2,
	}, {
		.name = "vcs0",
		.id = VCS0,
		.class = ENGINE_VIDEO,
		.base = VCS0_BASE,
		.irq_group = 1,
		.irq_shift = GT_IRQ_VCS0_SHIFT,
		.reset_domain = GDRST_MEDIA,
		.tlb_inv_reg = TLB_INV_VCS0,
		.fault_id = 1,
		.signal_id = 1,
	}, {
		.name = "vecs0",
		.id = VECS0,
		.class = ENGINE_VIDEO_ENHANCE,
		.base = VECS0_BASE,
		.irq_group = 3,
		.irq_shift = GT_IRQ_VECS_SHIFT,
		.reset_domain = GDRST_VECS,
		.tlb_inv_reg = TLB_INV_VECS,
		.fault_id = 3,
		.signal_id = 4,
	}, {
		/* From here on that of GT3 and GT4 alone. */
		.name = "vcs1",
		.id = VCS1,
		.class = ENGINE_VIDEO,
		.base = VCS1_BASE,
		.irq_group = 1,
		.irq_shift = GT_IRQ_VCS1_SHIFT,
		.reset_domain = GDRST_MEDIA2,
		.tlb_inv_reg = TLB_INV_VCS1,
		.fault_id = 4,
		.signal_id = 3,
	},
};

/* Drivers allocate 22 pages for it (stock i915, GEN9_LR_CONTEXT_RENDER_SIZE), of which one is the status page. */
static const struct image_layout gen9_image = {
	.registers = 0x400, .queue = 0x620, .packets = 0x800, .size = 21 * 1024,
};

static const struct gmch_layout gen9_gmch = {
	.ggms_mask = GMCH_CTL_GGMS_MASK, .gms_mask = GMCH_CTL_GMS_MASK, .ggms_mb = { 0, 2, 4, 8 }, .small_steps = true,
};

static const uint8_t gen9_pcode[] = {
	PCODE_READ_MEM_LATENCY, PCODE_CDCLK_CONTROL, PCODE_SAGV_CONTROL, PCODE_READ_MIN_FREQ_TABLE,
	PCODE_WRITE_MIN_FREQ_TABLE, PCODE_DYNAMIC_DUTY_CYCLE, 0
};

#define GT2_ENGINES	(ARRAY_SIZE(gen9_engines) - 1)
#define GT3_ENGINES	ARRAY_SIZE(gen9_engines)

#define GEN9_BLOCKS \
	fence_init, block_forcewake_init, block_gt_init, block_pcode_init, block_rps_init, block_reset_init, \
	block_fault_init, block_stored_init, block_display_init

static void (*const core_register_blocks[])(struct gpu *gpu) = { GEN9_BLOCKS, NULL };
static void (*const lp_register_blocks[])(struct gpu *gpu) = { GEN9_BLOCKS, block_phy_init, NULL };

static const struct display_phy bxt_phys[] = { { PHY0_CL1CM_DW0, 0 }, { PHY1_CL1CM_DW0, 1 }, { 0 } };
static const struct display_phy glk_phys[] = {
	{ PHY0_CL1CM_DW0, 0 }, { PHY1_CL1CM_DW0, 3 }, { PHY2_CL1CM_DW0, 1 }, { 0 }
};

#define GEN9_RPS_FIELDS \
	.request_mask = RPNSWREQ_RATIO_MASK, \
	.status_mask = RPSTAT1_RATIO_MASK, \
	.context_info = true

/* Told in units of 50 MHz, run in units of 50/3 MHz. */
#define CORE_RPS(lowest__, highest__) \
	(&(const struct rps_range) { \
		.reg = RP_STATE_CAP, \
		.cap = IGEN_PREP(RP_STATE_CAP_RP0_MASK, (highest__) / 50) | \
		       IGEN_PREP(RP_STATE_CAP_RP1_MASK, (lowest__) / 50) | \
		       IGEN_PREP(RP_STATE_CAP_RPN_MASK, (lowest__) / 50), \
		.lowest = (lowest__) / 50 * 3, \
		.highest = (highest__) / 50 * 3, \
		.rc6_hz = 781250, \
		GEN9_RPS_FIELDS, \
	})

/* In units of 50/3 MHz. */
#define LP_RPS(lowest__, middle__, highest__) \
	(&(const struct rps_range) { \
		.reg = RP_STATE_CAP_LP, \
		.cap = IGEN_PREP(RP_STATE_CAP_LP_RP0_MASK, (highest__) * 3 / 50) | \
		       IGEN_PREP(RP_STATE_CAP_LP_RP1_MASK, (middle__) * 3 / 50) | \
		       IGEN_PREP(RP_STATE_CAP_LP_RPN_MASK, (lowest__) * 3 / 50), \
		.lowest = (lowest__) * 3 / 50, \
		.highest = (highest__) * 3 / 50, \
		.rc6_hz = 1200000, \
		GEN9_RPS_FIELDS, \
	})

#define GEN9_PLATFORM \
	.engines = gen9_engines, \
	.bar0_size = 16u << 20, \
	.ggtt_offset = GTTMMADR_GGTT_OFFSET, \
	.commands = &igen_cmds_gen9, \
	.submission = &execlists_submission, \
	.image = &gen9_image, \
	.tables = &page_tables_gen8, \
	.faults = &fault_ops_gen8, \
	.gmch = &gen9_gmch, \
	.fences = FENCE_REGS, \
	.pcode_commands = gen9_pcode, \
	.inherits = true, \
	.irq = &irq_groups, \
	.registers = &igen_regs_gen9

#define CORE(name__, id__, revision__, engines__, lowest__, highest__) { \
	.name = (name__), \
	.device_id = (id__), \
	.revision = (revision__), \
	.num_engines = (engines__), \
	.rps = CORE_RPS(lowest__, highest__), \
	.register_blocks = core_register_blocks, \
	.eu = &eu_platform_gen9, \
	.timestamp_hz = 12000000, \
	GEN9_PLATFORM, \
}

#define LP(name__, id__, revision__, phys__, lowest__, middle__, highest__) { \
	.name = (name__), \
	.device_id = (id__), \
	.revision = (revision__), \
	.num_engines = GT2_ENGINES, \
	.rps = LP_RPS(lowest__, middle__, highest__), \
	.register_blocks = lp_register_blocks, \
	.eu = &eu_platform_gen9_lp, \
	.phys = (phys__), \
	.bios_rc6 = true, \
	.no_llc = true, \
	.timestamp_hz = 19200000, \
	GEN9_PLATFORM, \
}

const struct platform gen9_platforms[] = {
	CORE("kbl", 0x5916, 0x02, GT2_ENGINES, 300, 1050),
	CORE("kbl-gt1", 0x5902, 0x04, GT2_ENGINES, 350, 1050),
	CORE("kbl-gt3", 0x5926, 0x02, GT3_ENGINES, 300, 1050),
	CORE("kbl-gt4", 0x593b, 0x04, GT3_ENGINES, 350, 1100),
	CORE("skl", 0x1916, 0x07, GT2_ENGINES, 300, 1000),
	/* A GT2 of which one EU is fused off, as some servers' and some Core m's are. */
	CORE("skl-23eu", 0x191d, 0x06, GT2_ENGINES, 350, 1150),
	CORE("skl-gt1", 0x1902, 0x06, GT2_ENGINES, 350, 950),
	CORE("skl-gt3", 0x1926, 0x0a, GT3_ENGINES, 300, 950),
	CORE("skl-gt4", 0x193b, 0x09, GT3_ENGINES, 350, 950),
	CORE("cfl", 0x3e92, 0x00, GT2_ENGINES, 350, 1050),
	CORE("cfl-gt1", 0x3e90, 0x00, GT2_ENGINES, 350, 1050),
	CORE("cfl-gt3", 0x3ea5, 0x01, GT3_ENGINES, 300, 1100),
	CORE("aml", 0x591c, 0x02, GT2_ENGINES, 300, 900),
	CORE("aml-cfl", 0x87ca, 0x02, GT2_ENGINES, 300, 1050),
	CORE("whl", 0x3ea0, 0x02, GT2_ENGINES, 300, 1100),
	CORE("whl-gt1", 0x3ea1, 0x02, GT2_ENGINES, 300, 950),
	CORE("whl-gt3", 0x3ea2, 0x02, GT3_ENGINES, 300, 1100),
	CORE("cml", 0x9b41, 0x02, GT2_ENGINES, 300, 1150),
	CORE("cml-gt1", 0x9ba8, 0x03, GT2_ENGINES, 350, 1050),
	LP("bxt", 0x5a84, 0x0b, bxt_phys, 100, 200, 750),
	LP("bxt-2x6", 0x5a85, 0x0b, bxt_phys, 100, 200, 750),
	LP("glk", 0x3184, 0x03, glk_phys, 100, 250, 800),
	LP("glk-2x6", 0x3185, 0x03, glk_phys, 100, 250, 700),
	{ 0 }
};
