// SPDX-License-Identifier: MIT
/**
 * DOC: Ivy Bridge
 *
 * Gen7. Engines are reset one by one. Bases, interrupts, workarounds and their values are stock i915's.
 */
#include <igen/parse/gen7_bcs.h>
#include <igen/parse/gen7_rcs.h>
#include <igen/parse/gen7_vcs.h>

#include "igen_gen6.h"

/* Clients' batches that need privilege get it from a check by the CPU. */
#define IVB_PARSED(tables) \
	.parsed_cmds = tables##_cmds, \
	.parsed_regs = tables##_regs, \
	.privileged_copies = true
#define IVB_PARSED_GFX(tables) \
	IVB_PARSED(tables), \
	.parsed_gfx = tables##_gfx, \
	.num_parsed_gfx = ARRAY_SIZE(tables##_gfx)

/* TIMESTAMP counts 80 ns on each (IVB Vol 1 Part 3, 1.1.15.12; Part 4, 2.1.12.2; Part 5, 1.1.9.5). */
static const struct igen_engine_info ivb_engines[IGEN_GEN6_ENGINES] = {
	{
		.id = IGEN_RCS0,
		.class = IGEN_CLASS_RENDER,
		.name = "rcs0",
		.base = RCS0_BASE,
		.hws_pga = HWS_PGA_RCS,
		.emit = &igen_emit_gen7_rcs_ops,
		.switch_ops = &igen_switch_gen7_rcs_ops,
		.timed = true,
		.mode_reg = RING_MODE(RCS0_BASE),
		.irq_shift = GT6_IRQ_RCS_SHIFT,
		.reset_domain = GDRST_RENDER,
		.forcewake = FORCEWAKE_DOMAIN_GT,
		.context_pages = IGEN_GEN6_CONTEXT_PAGES,
		IVB_PARSED_GFX(gen7_rcs),
	}, {
		.id = IGEN_BCS0,
		.class = IGEN_CLASS_COPY,
		.name = "bcs0",
		.base = BCS0_BASE,
		.hws_pga = HWS_PGA_BCS,
		.emit = &igen_emit_gen7_xcs_ops,
		.switch_ops = &igen_switch_gen6_bcs_ops,
		.timed = true,
		.mode_reg = RING_MODE(BCS0_BASE),
		.irq_shift = GT6_IRQ_BCS_SHIFT,
		.reset_domain = GDRST_BLT,
		.forcewake = FORCEWAKE_DOMAIN_GT,
		IVB_PARSED(gen7_bcs),
	}, {
		.id = IGEN_VCS0,
		.class = IGEN_CLASS_VIDEO,
		.name = "vcs0",
		.base = VCS0_BASE,
		.hws_pga = HWS_PGA_VCS,
		.emit = &igen_emit_gen7_xcs_ops,
		.switch_ops = &igen_switch_gen6_xcs_ops,
		.timed = true,
		.mode_reg = RING_MODE(VCS0_BASE),
		.irq_shift = GT6_IRQ_VCS_SHIFT,
		.reset_domain = GDRST_MEDIA,
		.forcewake = FORCEWAKE_DOMAIN_GT,
		IVB_PARSED_GFX(gen7_vcs),
	},
};

static const struct igen_forcewake_domain ivb_forcewake[FORCEWAKE_NUM_DOMAINS] = {
	[IGEN_FORCEWAKE_GT] = { "GT", FORCEWAKE_MT, FORCEWAKE_MT_ACK, .threads = GT_THREAD_STATUS },
};

/* Values of registers that no manual at hand has. */
#define L3CNTLREG1_WA			0x3c47ff8cu
#define L3_CHICKEN_MODE_WA		0x20000000u
#define COMMON_SLICE1_RHWO_DISABLE	BIT(10)
#define ROW2_DOP_CLOCK_GATING_DISABLE	BIT(0)
#define HALF_SLICE1_PSD_SINGLE_PORT	BIT(3)
#define FF_THREAD_MODE_SCHEDULERS	0x00077070u
#define CACHE_MODE_1_SUBSPAN_DISABLE	BIT(6)

#define IVB_GT_WORKAROUNDS \
	{ .name = "WaDisableRHWOOptimizationForRenderHang", .reg = COMMON_SLICE_CHICKEN1, .masked = true, \
	  .clear = COMMON_SLICE1_RHWO_DISABLE }, \
	{ .name = "WaApplyL3ControlAndL3ChickenMode", .reg = L3CNTLREG1_GEN7, .clear = ~0u, .set = L3CNTLREG1_WA }, \
	{ .name = "WaApplyL3ControlAndL3ChickenMode", .reg = L3_CHICKEN_MODE, .clear = ~0u, \
	  .set = L3_CHICKEN_MODE_WA }, \
	{ .name = "WaForceL3Serialization", .reg = L3SQCREG4_GEN7, .clear = L3SQCREG4_URB_READ_CAM_MATCH_DISABLE }, \
	{ .name = "WaDisableDopClockGating", .reg = ROW_CHICKEN2, .masked = true, \
	  .set = ROW2_DOP_CLOCK_GATING_DISABLE }, \
	{ .name = "WaDisableRCZUnitClockGating", .reg = UCGCTL2, .set = UCGCTL2_RCZUNIT_CLOCK_GATE_DISABLE }, \
	{ .name = "WaCatErrorRejectionIssue", .reg = SQ_CHICKEN_MBCUNIT_CONFIG, \
	  .set = SQ_CHICKEN_MBCUNIT_SQINTMOB }, \
	{ .name = "share of the last level cache", .reg = MBCUNIT_SNPCR, .clear = MBCUNIT_SNPCR_MASK, \
	  .set = IGEN_PREP(MBCUNIT_SNPCR_MASK, 1u) }

#define IVB_RCS_WORKAROUNDS \
	{ .name = "WaDisableEarlyCull", .reg = CHICKEN_3D_3, .masked = true, \
	  .set = CHICKEN_3D_SF_DISABLE_OBJEND_CULL }, \
	{ .name = "WaVSThreadDispatchOverride", .reg = FF_THREAD_MODE, .clear = FF_THREAD_MODE_SCHEDULERS }, \
	{ .name = "WaBCSVCSTlbInvalidationMode", .reg = RING_MODE(RCS0_BASE), .masked = true, \
	  .set = GFX_MODE_TLB_INVALIDATE_EXPLICIT | GFX_MODE_REPLAY_MODE }, \
	{ .name = "WaDisable_RenderCache_OperationalFlush", .reg = CACHE_MODE_0, .masked = true, \
	  .clear = CACHE_MODE_0_RC_OP_FLUSH }, \
	{ .name = "WaDisable4x2SubspanOptimization", .reg = CACHE_MODE_1, .masked = true, \
	  .set = CACHE_MODE_1_SUBSPAN_DISABLE }, \
	{ .name = "hashing of 16x4 pixels", .reg = GT_MODE, .masked = true, \
	  .clear = GT_MODE_GEN6_WIZ_HASHING_LOW, .set = GT_MODE_GEN6_WIZ_HASHING_HIGH }, \
	{ .name = "WaDisableAsyncFlipPerfMode", .reg = RING_MI_MODE(RCS0_BASE), .masked = true, \
	  .set = MI_MODE_ASYNC_FLIP_PERF }

static const struct igen_reg_write ivb_gt1_workarounds[] = { IVB_GT_WORKAROUNDS, {} };

/* Both halves of the slice have to be written. */
static const struct igen_reg_write ivb_gt2_workarounds[] = {
	IVB_GT_WORKAROUNDS,
	{ .name = "WaDisableDopClockGating", .reg = ROW_CHICKEN2_GT2, .masked = true,
	  .set = ROW2_DOP_CLOCK_GATING_DISABLE },
	{}
};

static const struct igen_reg_write ivb_gt1_rcs_workarounds[] = {
	IVB_RCS_WORKAROUNDS,
	{ .name = "WaDisablePSDDualDispatchEnable", .reg = HALF_SLICE_CHICKEN1, .masked = true,
	  .set = HALF_SLICE1_PSD_SINGLE_PORT },
	{}
};

static const struct igen_reg_write ivb_gt2_rcs_workarounds[] = { IVB_RCS_WORKAROUNDS, {} };

#define IVB_PLATFORM \
	IGEN_GEN6_PLATFORM, \
	.gen = 7, \
	.num_fences = 32, \
	.fence_pitch = SZ_256K, \
	.engines = ivb_engines, \
	.forcewake = ivb_forcewake, \
	.forcewake_plain = igen_gen6_forcewake, \
	.forcewake_choice = ECOBUS, \
	.forcewake_masked = ECOBUS_FORCEWAKE_MT, \
	.power = &igen_power_gen7_ops, \
	.reset = &igen_reset_gen7_ops, \
	.gtt = &igen_gtt_gen7_ops, \
	.expect_part = igen_expect_ivb

const struct igen_platform igen_platform_ivb_gt1 = {
	.name = "Ivy Bridge GT1",
	.gt = 1,
	IVB_PLATFORM,
	.eu_clear_threads = 36,
	.eu_clear_groups = 1,
	.gt_workarounds = ivb_gt1_workarounds,
	.engine_workarounds = {
		[IGEN_CLASS_RENDER] = ivb_gt1_rcs_workarounds,
	},
};

const struct igen_platform igen_platform_ivb_gt2 = {
	.name = "Ivy Bridge GT2",
	.gt = 2,
	IVB_PLATFORM,
	.eu_clear_threads = 64,
	.eu_clear_groups = 2,
	.gt_workarounds = ivb_gt2_workarounds,
	.engine_workarounds = {
		[IGEN_CLASS_RENDER] = ivb_gt2_rcs_workarounds,
	},
};
