// SPDX-License-Identifier: MIT
/**
 * DOC: Skylake
 *
 * GT1 to GT4. Of a Skylake one subslice may have seven EUs of eight; hashing of tiles then gives that subslice less
 * work. GT3 and GT4 do not power render and media engines down on their own. Workarounds are named as in the public
 * Gen9 PRM Vol 16; values and revisions are stock i915's: 6 is stepping G0, 7 is H0, 9 is J0 and 10 is I1.
 */
#include "igen_gen9.h"

#define REVISIONS_TO_G0		((u8)GENMASK(6, 0))

static const struct igen_reg_write skl_gt_workarounds[] = {
	IGEN_GEN9_CORE_GT_WORKAROUNDS,
	{ .name = "WaDisableKillLogic", .reg = GAM_ECOCHK, .set = ECOCHK_DIS_TLB },
	{ .name = "WaDisableDopClockGating", .reg = MISCCPCTL, .clear = MISCCPCTL_DOP_CLOCK_GATE_ENABLE },
	{ .name = "WaInPlaceDecompressionHang", .reg = GAMT_ECO_REG_RW_IA,
	  .set = GAMT_ECO_ENABLE_IN_PLACE_DECOMPRESS, .revisions = REVISIONS_TO_G0 },
	{}
};

static const struct igen_reg_write skl_rcs_workarounds[] = {
	IGEN_GEN9_CORE_RCS_WORKAROUNDS,
	{}
};

/* Which subslice of a slice has seven EUs, if one alone has. Without that, and for subslice 3, the field is zero. */
#define IZ_HASHING(slice__) \
	IZ_HASHING_TO(slice__, 0), IZ_HASHING_TO(slice__, 1), IZ_HASHING_TO(slice__, 2)
#define IZ_HASHING_TO(slice__, subslice__) \
	{ .name = "hashing for a slice with an EU less", .reg = GT_MODE, .masked = true, \
	  .clear = GT_MODE_IZ_HASHING_##slice__##_MASK, \
	  .set = IGEN_PREP(GT_MODE_IZ_HASHING_##slice__##_MASK, 3u - (subslice__)), \
	  .seven_eus = IGEN_SEVEN_EUS(slice__, subslice__) }

static const struct igen_reg_write skl_rcs_ctx_workarounds[] = {
	IGEN_GEN9_CORE_RCS_CTX_WORKAROUNDS,
	IZ_HASHING(0),
	IZ_HASHING(1),
	IZ_HASHING(2),
	{}
};

/* L3SQCREG4: WaDisableLSQCROPERFforOCL. */
static const struct igen_nonpriv skl_rcs_whitelist[] = { IGEN_GEN9_RCS_WHITELIST, { .reg = L3SQCREG4 }, {} };

#define SKL_PLATFORM \
	IGEN_GEN9_CORE_PLATFORM, \
	.gt_workarounds = skl_gt_workarounds, \
	.engine_workarounds = { \
		[IGEN_CLASS_RENDER] = skl_rcs_workarounds, \
	}, \
	.ctx_workarounds = { \
		[IGEN_CLASS_RENDER] = skl_rcs_ctx_workarounds, \
	}, \
	.whitelist = { \
		[IGEN_CLASS_RENDER] = skl_rcs_whitelist, \
	}

const struct igen_platform igen_platform_skl_gt1 = {
	.name = "Skylake GT1", .gt = 1, .power = &igen_power_skl_ops, IGEN_GEN9_GT2, SKL_PLATFORM,
};

const struct igen_platform igen_platform_skl_gt2 = {
	.name = "Skylake GT2", .gt = 2, .power = &igen_power_skl_ops, IGEN_GEN9_GT2, SKL_PLATFORM,
};

const struct igen_platform igen_platform_skl_gt3 = {
	.name = "Skylake GT3", .gt = 3, .power = &igen_power_skl_gt3_ops, IGEN_GEN9_GT3, SKL_PLATFORM,
};

const struct igen_platform igen_platform_skl_gt4 = {
	.name = "Skylake GT4", .gt = 4, .power = &igen_power_skl_gt3_ops, IGEN_GEN9_GT3, SKL_PLATFORM,
};
