// SPDX-License-Identifier: MIT
/**
 * DOC: What the parts of Gen9 have in common
 *
 * One render, one blitter, one video and one video enhancement engine, execlists and 48-bit PPGTT. GT3 and GT4 have
 * a second video engine, which only the device ID tells (as stock i915 has it). Bases, interrupts and reset domains
 * are from the public Gen9 PRM Vol 2c and KBL Vol 3, "Graphics Register Address Map"; workarounds and MOCS are named
 * as in the public Gen9 PRM Vol 16 and hold the values that stock i915 programs. igen_gen9.h has the workarounds
 * that several families need.
 */
#include <linux/kernel.h>
#include <uapi/drm/i915_drm.h>

#include <igen/parse/gen9_bcs.h>
#include <igen/regs/context.h>
#include <igen/regs/engine.h>
#include <igen/regs/gt.h>
#include <igen/regs/gtt.h>
#include <igen/regs/irq.h>
#include <igen/regs/workarounds.h>

#include "igen_gen9.h"
#include "igen_ops.h"
#include "igen_platform.h"
#include "igen_scanout.h"

const struct igen_engine_info igen_gen9_engines[IGEN_GEN9_ENGINES] = {
	{
		.id = IGEN_RCS0,
		.class = IGEN_CLASS_RENDER,
		.name = "rcs0",
		.base = RCS0_BASE,
		.hws_pga = RING_HWS_PGA(RCS0_BASE),
		.emit = &igen_emit_gen8_ops,
		.irq_group = 0,
		.irq_shift = GT_IRQ_RCS_SHIFT,
		.reset_domain = GDRST_RENDER,
		.tlb_inv_reg = TLB_INV_RCS,
		.forcewake = FORCEWAKE_DOMAIN_RENDER,
		.context_pages = GEN9_LRC_RCS_PAGES,
		.mocs_base = GFX_MOCS_RCS(0),
	}, {
		.id = IGEN_BCS0,
		.class = IGEN_CLASS_COPY,
		.name = "bcs0",
		.base = BCS0_BASE,
		.hws_pga = RING_HWS_PGA(BCS0_BASE),
		.emit = &igen_emit_gen8_ops,
		.irq_group = 0,
		.irq_shift = GT_IRQ_BCS_SHIFT,
		.reset_domain = GDRST_BLT,
		.tlb_inv_reg = TLB_INV_BCS,
		.forcewake = FORCEWAKE_DOMAIN_GT,
		.context_pages = GEN9_LRC_XCS_PAGES,
		.mocs_base = GFX_MOCS_BCS(0),
		.parsed_cmds = gen9_bcs_cmds,
		.parsed_regs = gen9_bcs_regs,
	}, {
		.id = IGEN_VCS0,
		.class = IGEN_CLASS_VIDEO,
		.name = "vcs0",
		.base = VCS0_BASE,
		.hws_pga = RING_HWS_PGA(VCS0_BASE),
		.emit = &igen_emit_gen8_ops,
		.irq_group = 1,
		.irq_shift = GT_IRQ_VCS0_SHIFT,
		.reset_domain = GDRST_MEDIA,
		.tlb_inv_reg = TLB_INV_VCS0,
		.forcewake = FORCEWAKE_DOMAIN_MEDIA,
		.context_pages = GEN9_LRC_XCS_PAGES,
		.mocs_base = GFX_MOCS_VCS0(0),
		.uabi_capabilities = I915_VIDEO_CLASS_CAPABILITY_HEVC |
				     I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC,
	}, {
		.id = IGEN_VECS0,
		.class = IGEN_CLASS_VIDEO_ENHANCE,
		.name = "vecs0",
		.base = VECS0_BASE,
		.hws_pga = RING_HWS_PGA(VECS0_BASE),
		.emit = &igen_emit_gen8_ops,
		.irq_group = 3,
		.irq_shift = GT_IRQ_VECS_SHIFT,
		.reset_domain = GDRST_VECS,
		.tlb_inv_reg = TLB_INV_VECS,
		.forcewake = FORCEWAKE_DOMAIN_MEDIA,
		.context_pages = GEN9_LRC_XCS_PAGES,
		.mocs_base = GFX_MOCS_VECS(0),
		.uabi_capabilities = I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC,
	}, {
		/* GT3 and GT4 alone; without HEVC and SFC, as stock i915 tells userspace. */
		.id = IGEN_VCS1,
		.class = IGEN_CLASS_VIDEO,
		.instance = 1,
		.hw_instance = 1,
		.name = "vcs1",
		.base = VCS1_BASE,
		.hws_pga = RING_HWS_PGA(VCS1_BASE),
		.emit = &igen_emit_gen8_ops,
		.irq_group = 1,
		.irq_shift = GT_IRQ_VCS1_SHIFT,
		.reset_domain = GDRST_MEDIA2,
		.tlb_inv_reg = TLB_INV_VCS1,
		.forcewake = FORCEWAKE_DOMAIN_MEDIA,
		.context_pages = GEN9_LRC_XCS_PAGES,
		.mocs_base = GFX_MOCS_VCS1(0),
	},
};

const struct igen_forcewake_domain igen_gen9_forcewake[FORCEWAKE_NUM_DOMAINS] = {
	[IGEN_FORCEWAKE_RENDER] = { "render", FORCEWAKE_RENDER, FORCEWAKE_ACK_RENDER, .fallback = true },
	[IGEN_FORCEWAKE_GT] = { "GT", FORCEWAKE_GT, FORCEWAKE_ACK_GT, .fallback = true },
	[IGEN_FORCEWAKE_MEDIA] = { "media", FORCEWAKE_MEDIA, FORCEWAKE_ACK_MEDIA, .fallback = true },
};

/*
 * Userspace names the first three by index (uncached, as the page table says, cached); the L3 uses the last for its
 * evictions. An entry that is not here behaves as the page table says, uncached in L3.
 */
const struct igen_mocs_entry igen_gen9_mocs[IGEN_GEN9_MOCS] = {
	{ .index = 0, .control = MOCS_LE_UC | MOCS_TC_LLC_ELLC, .l3cc = MOCS_L3_UC },
	{ .index = 1, .control = MOCS_LE_PAGETABLE | MOCS_LRU_AGE(3), .l3cc = MOCS_L3_WB },
	{ .index = 2, .control = MOCS_LE_WB | MOCS_TC_LLC_ELLC | MOCS_LRU_AGE(3), .l3cc = MOCS_L3_WB },
	{ .index = 63, .control = MOCS_LE_WB | MOCS_TC_LLC | MOCS_LRU_AGE(3), .l3cc = MOCS_L3_UC },
};

/* Without a shared cache what is cached is so in L3 alone. */
const struct igen_mocs_entry igen_gen9lp_mocs[IGEN_GEN9LP_MOCS] = {
	{ .index = 0, .control = MOCS_LE_UC | MOCS_TC_LLC_ELLC, .l3cc = MOCS_L3_UC },
	{ .index = 1, .control = MOCS_LE_PAGETABLE | MOCS_LRU_AGE(3), .l3cc = MOCS_L3_WB },
	{ .index = 2, .control = MOCS_LE_UC | MOCS_TC_LLC_ELLC | MOCS_LRU_AGE(3), .l3cc = MOCS_L3_WB },
};

/* Not saved with the context, or lost on its way: written at each switch to one. */
const struct igen_reg_write igen_gen9_rcs_switch_workarounds[] = {
	{ .name = "WaDisableGatherAtSetShaderCommonSlice", .reg = COMMON_SLICE_CHICKEN2, .masked = true,
	  .clear = COMMON_SLICE_DISABLE_GATHER_AT_SET_SHADER },
	{ .name = "provoking vertex fix of the clipper", .reg = FF_SLICE_CHICKEN, .masked = true,
	  .set = FF_SLICE_CL_PROVOKING_VERTEX_FIX },
	{ .name = "provoking vertex fix of the strips and fans unit", .reg = CHICKEN_3D_3, .masked = true,
	  .set = CHICKEN_3D_SF_PROVOKING_VERTEX_FIX },
	{}
};
