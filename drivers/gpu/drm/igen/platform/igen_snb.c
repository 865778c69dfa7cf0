// SPDX-License-Identifier: MIT
/**
 * DOC: Sandy Bridge
 *
 * Gen6. Engines cannot be reset one by one, and batches cannot be preempted. Bases, interrupts, workarounds and their
 * values are stock i915's.
 *
 * What a batch without privilege stores, and the post-sync writes of its flushes, go through the GGTT on this hardware,
 * though the batch is one of a PPGTT (stock i915's "Sandybridge PPGTT errata"). Stock i915 has all contexts share the
 * addresses of the GGTT, and lets every batch store to each of its pages. Here each context has an address space of its
 * own, no batch of a client's runs without having been checked, and the check leads stores to the object's place in the
 * GGTT (igen_platform.global_stores, uapi/igen_cmdparser.c).
 */
#include <igen/parse/gen6_bcs.h>
#include <igen/parse/gen6_rcs.h>
#include <igen/parse/gen6_vcs.h>

#include "igen_gen6.h"

/* Clients' batches run as copies that the CPU has checked. */
#define SNB_PARSED(tables) \
	.parsed_cmds = tables##_cmds, \
	.parsed_regs = tables##_regs, \
	.privileged_copies = true
#define SNB_PARSED_GFX(tables) \
	SNB_PARSED(tables), \
	.parsed_gfx = tables##_gfx, \
	.num_parsed_gfx = ARRAY_SIZE(tables##_gfx)

/*
 * TIMESTAMP counts 80 ns on the render engine (SNB Vol 1 Part 3, 1.1.10.10), but 640 ns on the blitter (Part 5,
 * 2.1.8.1). The video engine has none (Part 4).
 */
static const struct igen_engine_info snb_engines[IGEN_GEN6_ENGINES] = {
	{
		.id = IGEN_RCS0,
		.class = IGEN_CLASS_RENDER,
		.name = "rcs0",
		.base = RCS0_BASE,
		.hws_pga = HWS_PGA_RCS,
		.emit = &igen_emit_gen6_rcs_ops,
		.switch_ops = &igen_switch_gen6_rcs_ops,
		.timed = true,
		.irq_shift = GT6_IRQ_RCS_SHIFT,
		.reset_domain = GDRST_RENDER,
		.forcewake = FORCEWAKE_DOMAIN_GT,
		.context_pages = IGEN_GEN6_CONTEXT_PAGES,
		SNB_PARSED_GFX(gen6_rcs),
	}, {
		.id = IGEN_BCS0,
		.class = IGEN_CLASS_COPY,
		.name = "bcs0",
		.base = BCS0_BASE,
		.hws_pga = HWS_PGA_BCS_GEN6,
		.emit = &igen_emit_gen6_xcs_ops,
		.switch_ops = &igen_switch_gen6_bcs_ops,
		.irq_shift = GT6_IRQ_BCS_SHIFT,
		.reset_domain = GDRST_BLT,
		.forcewake = FORCEWAKE_DOMAIN_GT,
		SNB_PARSED(gen6_bcs),
	}, {
		.id = IGEN_VCS0,
		.class = IGEN_CLASS_VIDEO,
		.name = "vcs0",
		.base = VCS0_BASE,
		.hws_pga = HWS_PGA_VCS_GEN6,
		.emit = &igen_emit_gen6_vcs_ops,
		.switch_ops = &igen_switch_gen6_vcs_ops,
		.irq_shift = GT6_IRQ_VCS_SHIFT,
		.reset_domain = GDRST_MEDIA,
		.forcewake = FORCEWAKE_DOMAIN_GT,
		SNB_PARSED_GFX(gen6_vcs),
	},
};

static const struct igen_reg_write snb_gt_workarounds[] = {
	{ .name = "clock gating of the blitter and of the command streamer", .reg = UCGCTL1,
	  .set = UCGCTL1_BLBUNIT_CLOCK_GATE_DISABLE | UCGCTL1_CSUNIT_CLOCK_GATE_DISABLE },
	{ .name = "WaDisableRCCUnitClockGating, WaDisableRCPBUnitClockGating", .reg = UCGCTL2,
	  .set = UCGCTL2_RCPBUNIT_CLOCK_GATE_DISABLE | UCGCTL2_RCCUNIT_CLOCK_GATE_DISABLE },
	{}
};

static const struct igen_reg_write snb_rcs_workarounds[] = {
	{ .name = "WaDisableAsyncFlipPerfMode", .reg = RING_MI_MODE(RCS0_BASE), .masked = true,
	  .set = MI_MODE_ASYNC_FLIP_PERF },
	{ .name = "WaTimedSingleVertexDispatch", .reg = RING_MI_MODE(RCS0_BASE), .masked = true,
	  .set = MI_MODE_VS_TIMER_DISPATCH },
	{ .name = "WaEnableFlushTlbInvalidationMode", .reg = GFX_MODE, .masked = true,
	  .set = GFX_MODE_TLB_INVALIDATE_EXPLICIT },
	{ .name = "WaDisableHiZPlanesWhenMSAAEnabled", .reg = CHICKEN_3D_1, .masked = true,
	  .set = CHICKEN_3D_HIZ_PLANE_DISABLE_MSAA_4X },
	{ .name = "WaStripsFansDisableFastClipPerformanceFix", .reg = CHICKEN_3D_3, .masked = true,
	  .set = CHICKEN_3D_SF_DISABLE_FASTCLIP_CULL | CHICKEN_3D_SF_DISABLE_PIPELINED_ATTR_FETCH },
	{ .name = "hashing of 16x4 pixels", .reg = GT_MODE_GEN6, .masked = true,
	  .clear = GT_MODE_GEN6_WIZ_HASHING_LOW, .set = GT_MODE_GEN6_WIZ_HASHING_HIGH },
	{ .name = "WaDisable_RenderCache_OperationalFlush", .reg = CACHE_MODE_0_GEN6, .masked = true,
	  .clear = CACHE_MODE_0_RC_OP_FLUSH | CACHE_MODE_0_STC_EVICT_DISABLE_LRA },
	{}
};

#define SNB_PLATFORM \
	IGEN_GEN6_PLATFORM, \
	.gen = 6, \
	.num_fences = 16, \
	.fence_pitch = SZ_128K, \
	.global_stores = true, \
	.engines = snb_engines, \
	.forcewake = igen_gen6_forcewake, \
	.power = &igen_power_gen6_ops, \
	.reset = &igen_reset_gen6_ops, \
	.gtt = &igen_gtt_gen6_ops, \
	.expect_part = igen_expect_snb, \
	.gt_workarounds = snb_gt_workarounds, \
	.engine_workarounds = { \
		[IGEN_CLASS_RENDER] = snb_rcs_workarounds, \
	}

const struct igen_platform igen_platform_snb_gt1 = { .name = "Sandy Bridge GT1", .gt = 1, SNB_PLATFORM };
const struct igen_platform igen_platform_snb_gt2 = { .name = "Sandy Bridge GT2", .gt = 2, SNB_PLATFORM };
