// SPDX-License-Identifier: MIT
/**
 * DOC: Gemini Lake
 *
 * The LP part after Apollo Lake, with the same engines, caches and coherence (igen_bxt.c). It needs fewer
 * workarounds, and stock i915 stops nothing for it behind an IOMMU. Batches may set the mode of barriers, which
 * userspace has to (as stock i915 has it, "WA #0862").
 */
#include "igen_gen9.h"

static const struct igen_reg_write glk_gt_workarounds[] = {
	IGEN_GEN9LP_GT_WORKAROUNDS,
	{}
};

static const struct igen_reg_write glk_rcs_workarounds[] = {
	IGEN_GEN9LP_RCS_WORKAROUNDS,
	{}
};

static const struct igen_reg_write glk_rcs_ctx_workarounds[] = {
	IGEN_GEN9LP_RCS_CTX_WORKAROUNDS,
	{}
};

static const struct igen_nonpriv glk_rcs_whitelist[] = {
	IGEN_GEN9_RCS_WHITELIST, { .reg = SLICE_COMMON_ECO_CHICKEN1 }, {}
};

const struct igen_platform igen_platform_glk = {
	.name = "Gemini Lake",
	IGEN_GEN9LP_PLATFORM,
	.gt_workarounds = glk_gt_workarounds,
	.engine_workarounds = {
		[IGEN_CLASS_RENDER] = glk_rcs_workarounds,
	},
	.ctx_workarounds = {
		[IGEN_CLASS_RENDER] = glk_rcs_ctx_workarounds,
	},
	.whitelist = {
		[IGEN_CLASS_RENDER] = glk_rcs_whitelist,
	},
};
