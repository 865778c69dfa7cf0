// SPDX-License-Identifier: MIT
/**
 * DOC: Kaby Lake
 *
 * GT1 to GT4, and those of Amber Lake that are Kaby Lake. Workarounds are named as in the public Gen9 PRM Vol 16;
 * values and revisions are stock i915's: 0 and 1 are stepping B0, 2 and 5 are C0, 3 is D0, 6 is D1, 4 is F0 and 7 is
 * G0.
 */
#include "igen_gen9.h"

#define REVISIONS_TO_B0		((u8)GENMASK(1, 0))
#define REVISIONS_FROM_C0	((u8)~GENMASK(1, 0))
#define REVISIONS_TO_D1		(BIT(0) | BIT(1) | BIT(2) | BIT(3) | BIT(5) | BIT(6))

static const struct igen_reg_write kbl_gt_workarounds[] = {
	IGEN_GEN9_CORE_GT_WORKAROUNDS,
	{ .name = "WaDisableKillLogic", .reg = GAM_ECOCHK, .set = ECOCHK_DIS_TLB },
	{ .name = "WaDisableDynamicCreditSharing", .reg = GAMT_CHKN_BIT_REG,
	  .set = GAMT_CHKN_DISABLE_DYNAMIC_CREDIT_SHARING, .revisions = REVISIONS_TO_B0 },
	{ .name = "WaDisableGamClockGating", .reg = UCGCTL1, .set = UCGCTL1_GAM_CLOCK_GATE_DISABLE,
	  .revisions = REVISIONS_TO_B0 },
	{ .name = "WaDisableSDEUnitClockGating", .reg = UCGCTL6, .set = UCGCTL6_SDE_CLOCK_GATE_DISABLE,
	  .revisions = REVISIONS_TO_B0 },
	{ .name = "WaInPlaceDecompressionHang", .reg = GAMT_ECO_REG_RW_IA,
	  .set = GAMT_ECO_ENABLE_IN_PLACE_DECOMPRESS },
	{}
};

static const struct igen_reg_write kbl_rcs_workarounds[] = {
	IGEN_GEN9_CORE_RCS_WORKAROUNDS,
	{}
};

static const struct igen_reg_write kbl_video_workarounds[] = {
	{ .name = "WaKBLVECSSemaphoreWaitPoll", .reg = RING_SEMA_WAIT_POLL(0), .relative = true, .clear = ~0u, .set = 1,
	  .revisions = REVISIONS_TO_D1 },
	{}
};

static const struct igen_reg_write kbl_rcs_ctx_workarounds[] = {
	IGEN_GEN9_CORE_RCS_CTX_WORKAROUNDS,
	{ .name = "WaToEnableHwFixForPushConstHWBug", .reg = COMMON_SLICE_CHICKEN2, .masked = true,
	  .set = COMMON_SLICE_SBE_DISABLE_REPLAY_BUF, .revisions = REVISIONS_FROM_C0 },
	{ .name = "WaDisableSbeCacheDispatchPortSharing", .reg = HALF_SLICE_CHICKEN1, .masked = true,
	  .set = HALF_SLICE1_SBE_SS_CACHE_DISPATCH_PORT_SHARING_DISABLE },
	{}
};

/* L3SQCREG4: WaDisableLSQCROPERFforOCL. */
static const struct igen_nonpriv kbl_rcs_whitelist[] = { IGEN_GEN9_RCS_WHITELIST, { .reg = L3SQCREG4 }, {} };

/* WaForGAMHang: early_emit. */
#define KBL_PLATFORM \
	IGEN_GEN9_CORE_PLATFORM, \
	.early_emit = &igen_emit_gen8_dc_flush_ops, \
	.early_revisions = REVISIONS_TO_B0, \
	.power = &igen_power_gen9_ops, \
	.gt_workarounds = kbl_gt_workarounds, \
	.engine_workarounds = { \
		[IGEN_CLASS_RENDER] = kbl_rcs_workarounds, \
		[IGEN_CLASS_COPY] = kbl_video_workarounds, \
		[IGEN_CLASS_VIDEO] = kbl_video_workarounds, \
		[IGEN_CLASS_VIDEO_ENHANCE] = kbl_video_workarounds, \
	}, \
	.ctx_workarounds = { \
		[IGEN_CLASS_RENDER] = kbl_rcs_ctx_workarounds, \
	}, \
	.whitelist = { \
		[IGEN_CLASS_RENDER] = kbl_rcs_whitelist, \
	}

const struct igen_platform igen_platform_kbl_gt1 = { .name = "Kaby Lake GT1", .gt = 1, IGEN_GEN9_GT2, KBL_PLATFORM };
const struct igen_platform igen_platform_kbl_gt2 = { .name = "Kaby Lake GT2", .gt = 2, IGEN_GEN9_GT2, KBL_PLATFORM };
const struct igen_platform igen_platform_kbl_gt3 = { .name = "Kaby Lake GT3", .gt = 3, IGEN_GEN9_GT3, KBL_PLATFORM };
const struct igen_platform igen_platform_kbl_gt4 = { .name = "Kaby Lake GT4", .gt = 4, IGEN_GEN9_GT3, KBL_PLATFORM };
const struct igen_platform igen_platform_aml_kbl = { .name = "Amber Lake GT2", .gt = 2, IGEN_GEN9_GT2, KBL_PLATFORM };
