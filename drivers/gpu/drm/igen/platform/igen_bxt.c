// SPDX-License-Identifier: MIT
/**
 * DOC: Apollo Lake
 *
 * Apollo Lake (Broxton) has Kaby Lake GT2's engines and registers, one slice of up to three subslices, and no last
 * level cache that CPU and GPU share. Memory that a client has not asked to be snooped is not: the driver writes back
 * what the CPU wrote (uapi/igen_gem_domain.c). Entries of the GGTT have no caching of their own and act as entry 0 of
 * the private PAT, which snoops, so rings, images of contexts and status pages need no flushes. Page tables are never
 * snooped (mm/igen_ppgtt_gen8.c).
 *
 * Workarounds are named as in the public Gen9 PRM Vol 16; values, private PAT and MOCS are as stock i915 programs them.
 * Behind an IOMMU the part hangs when the CPU uses the aperture while entries of the GGTT are written. So the other
 * CPUs stand still meanwhile, as with stock i915 (mm/igen_ggtt.c).
 */
#include "igen_gen9.h"

static const struct igen_reg_write bxt_gt_workarounds[] = {
	IGEN_GEN9LP_GT_WORKAROUNDS,
	{ .name = "WaDisableSDEUnitClockGating", .reg = UCGCTL6, .set = UCGCTL6_SDE_CLOCK_GATE_DISABLE },
	{ .name = "clock gating of the HDC's requests", .reg = UCGCTL6, .set = UCGCTL6_HDC_CLOCK_GATE_DISABLE },
	{}
};

static const struct igen_reg_write bxt_rcs_workarounds[] = {
	IGEN_GEN9LP_RCS_WORKAROUNDS,
	{ .name = "WaDisablePooledEuLoadBalancingFix", .reg = FF_SLICE_CS_CHICKEN2, .masked = true,
	  .set = FFSC_POOLED_EU_LOAD_BALANCING_FIX_DISABLE },
	{}
};

static const struct igen_reg_write bxt_rcs_ctx_workarounds[] = {
	IGEN_GEN9LP_RCS_CTX_WORKAROUNDS,
	{ .name = "WaDisableThreadStallDopClockGating", .reg = ROW_CHICKEN, .masked = true,
	  .set = ROW_STALL_DOP_GATING_DISABLE },
	{}
};

static const struct igen_nonpriv bxt_rcs_whitelist[] = { IGEN_GEN9_RCS_WHITELIST, {} };

const struct igen_platform igen_platform_bxt = {
	.name = "Apollo Lake",
	.exclusive_ggtt = true,
	IGEN_GEN9LP_PLATFORM,
	.gt_workarounds = bxt_gt_workarounds,
	.engine_workarounds = {
		[IGEN_CLASS_RENDER] = bxt_rcs_workarounds,
	},
	.ctx_workarounds = {
		[IGEN_CLASS_RENDER] = bxt_rcs_ctx_workarounds,
	},
	.whitelist = {
		[IGEN_CLASS_RENDER] = bxt_rcs_whitelist,
	},
};
