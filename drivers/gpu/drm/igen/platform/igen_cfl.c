// SPDX-License-Identifier: MIT
/**
 * DOC: Coffee Lake, Whiskey Lake and Comet Lake
 *
 * GT1 to GT3, and those of Amber Lake that are Coffee Lake. All need what later Kaby Lakes need, in every revision,
 * but no WaDisableKillLogic. FORCE_TO_NONPRIV has fields for ranges and for what may only be read: batches may read
 * the counts of pixels, and on Comet Lake the engines' clocks of a context (as stock i915 has it;
 * "WaAllowPMDepthAndInvocationCountAccessFromUMD").
 */
#include "igen_gen9.h"

static const struct igen_reg_write cfl_gt_workarounds[] = {
	IGEN_GEN9_CORE_GT_WORKAROUNDS,
	{ .name = "WaInPlaceDecompressionHang", .reg = GAMT_ECO_REG_RW_IA,
	  .set = GAMT_ECO_ENABLE_IN_PLACE_DECOMPRESS },
	{}
};

static const struct igen_reg_write cfl_rcs_workarounds[] = {
	IGEN_GEN9_CORE_RCS_WORKAROUNDS,
	{}
};

static const struct igen_reg_write cfl_rcs_ctx_workarounds[] = {
	IGEN_GEN9_CORE_RCS_CTX_WORKAROUNDS,
	{ .name = "WaToEnableHwFixForPushConstHWBug", .reg = COMMON_SLICE_CHICKEN2, .masked = true,
	  .set = COMMON_SLICE_SBE_DISABLE_REPLAY_BUF },
	{ .name = "WaDisableSbeCacheDispatchPortSharing", .reg = HALF_SLICE_CHICKEN1, .masked = true,
	  .set = HALF_SLICE1_SBE_SS_CACHE_DISPATCH_PORT_SHARING_DISABLE },
	{}
};

/* Both halves of PS_INVOCATION_COUNT, and of PS_DEPTH_COUNT behind it. */
static const struct igen_nonpriv cfl_rcs_whitelist[] = {
	IGEN_GEN9_RCS_WHITELIST,
	{ .reg = PS_INVOCATION_COUNT, .flags = FORCE_TO_NONPRIV_READ | FORCE_TO_NONPRIV_4_REGS },
	{}
};

static const struct igen_nonpriv cml_clock_whitelist[] = {
	{ .reg = RING_CTX_TIMESTAMP(0), .relative = true, .flags = FORCE_TO_NONPRIV_READ },
	{}
};

#define CFL_TABLES \
	IGEN_GEN9_CORE_PLATFORM, \
	.power = &igen_power_gen9_ops, \
	.gt_workarounds = cfl_gt_workarounds, \
	.engine_workarounds = { \
		[IGEN_CLASS_RENDER] = cfl_rcs_workarounds, \
	}, \
	.ctx_workarounds = { \
		[IGEN_CLASS_RENDER] = cfl_rcs_ctx_workarounds, \
	}

#define CFL_PLATFORM \
	CFL_TABLES, \
	.whitelist = { \
		[IGEN_CLASS_RENDER] = cfl_rcs_whitelist, \
	}

#define CML_PLATFORM \
	CFL_TABLES, \
	.whitelist = { \
		[IGEN_CLASS_RENDER] = cfl_rcs_whitelist, \
		[IGEN_CLASS_COPY] = cml_clock_whitelist, \
		[IGEN_CLASS_VIDEO] = cml_clock_whitelist, \
		[IGEN_CLASS_VIDEO_ENHANCE] = cml_clock_whitelist, \
	}

const struct igen_platform igen_platform_cfl_gt1 = { .name = "Coffee Lake GT1", .gt = 1, IGEN_GEN9_GT2, CFL_PLATFORM };
const struct igen_platform igen_platform_cfl_gt2 = { .name = "Coffee Lake GT2", .gt = 2, IGEN_GEN9_GT2, CFL_PLATFORM };
const struct igen_platform igen_platform_cfl_gt3 = { .name = "Coffee Lake GT3", .gt = 3, IGEN_GEN9_GT3, CFL_PLATFORM };
const struct igen_platform igen_platform_whl_gt1 = { .name = "Whiskey Lake GT1", .gt = 1, IGEN_GEN9_GT2, CFL_PLATFORM };
const struct igen_platform igen_platform_whl_gt2 = { .name = "Whiskey Lake GT2", .gt = 2, IGEN_GEN9_GT2, CFL_PLATFORM };
const struct igen_platform igen_platform_whl_gt3 = { .name = "Whiskey Lake GT3", .gt = 3, IGEN_GEN9_GT3, CFL_PLATFORM };
const struct igen_platform igen_platform_aml_cfl = { .name = "Amber Lake GT2", .gt = 2, IGEN_GEN9_GT2, CFL_PLATFORM };
const struct igen_platform igen_platform_cml_gt1 = { .name = "Comet Lake GT1", .gt = 1, IGEN_GEN9_GT2, CML_PLATFORM };
const struct igen_platform igen_platform_cml_gt2 = { .name = "Comet Lake GT2", .gt = 2, IGEN_GEN9_GT2, CML_PLATFORM };
