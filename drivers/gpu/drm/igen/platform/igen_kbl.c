// SPDX-License-Identifier: MIT
/**
 * DOC: Kaby Lake GT2, GT3 and GT4
 *
 * One render, one blitter, one video and one video enhancement engine, execlists, 48-bit PPGTT and a shared last
 * level cache. GT3 and GT4 have a second video engine, which only the device ID tells (as stock i915 has it).
 * Bases, interrupts and reset domains are from the public Gen9 PRM Vol 2c and KBL Vol 3, "Graphics Register Address
 * Map"; workarounds and MOCS are named as in the public Gen9 PRM Vol 16 and hold the values that stock i915 programs.
 * A workaround is one row; rows carry the PCI revisions that they are for.
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

#include "igen_expect.h"
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
static const struct igen_mocs_entry gen9_mocs[] = {
	{ .index = 0, .control = MOCS_LE_UC | MOCS_TC_LLC_ELLC, .l3cc = MOCS_L3_UC },
	{ .index = 1, .control = MOCS_LE_PAGETABLE | MOCS_LRU_AGE(3), .l3cc = MOCS_L3_WB },
	{ .index = 2, .control = MOCS_LE_WB | MOCS_TC_LLC_ELLC | MOCS_LRU_AGE(3), .l3cc = MOCS_L3_WB },
	{ .index = 63, .control = MOCS_LE_WB | MOCS_TC_LLC | MOCS_LRU_AGE(3), .l3cc = MOCS_L3_UC },
};

static const struct igen_reg_write kbl_gt_workarounds[] = {
	{ .name = "WaDisableKillLogic", .reg = GAM_ECOCHK, .set = ECOCHK_DIS_TLB },
	{ .name = "WaDisableHDCInvalidation", .reg = GAM_ECOCHK, .set = ECOCHK_DISABLE_HDC_INVALIDATION },
	{ .name = "WaCompressedResourceSamplerPbeMediaNewHashMode", .reg = MMCD_MISC_CTRL,
	  .set = MMCD_PCLA | MMCD_HOTSPOT_EN },
	{ .name = "WaDisableDynamicCreditSharing", .reg = GAMT_CHKN_BIT_REG,
	  .set = GAMT_CHKN_DISABLE_DYNAMIC_CREDIT_SHARING, .revisions = GENMASK(1, 0) },
	{ .name = "WaDisableGafsUnitClkGating", .reg = UCGCTL4, .set = UCGCTL4_GAFS_CLOCK_GATE_DISABLE },
	{ .name = "WaGttCachingOffByDefault, which 2 MB pages need off", .reg = GTT_CACHE_EN, .clear = ~0u },
	{ .name = "WaIncreaseDefaultTLBEntries", .reg = L3_LRA_1_GPGPU, .clear = ~0u, .set = L3_LRA_1_GPGPU_GEN9 },
	{ .name = "WAC6entrylatency", .reg = FBC_LLC_READ_CTRL, .set = FBC_LLC_FULLY_OPEN },
	{ .name = "WaDisableGamClockGating", .reg = UCGCTL1, .set = UCGCTL1_GAM_CLOCK_GATE_DISABLE,
	  .revisions = GENMASK(1, 0) },
	{ .name = "WaDisableSDEUnitClockGating", .reg = UCGCTL6, .set = UCGCTL6_SDE_CLOCK_GATE_DISABLE,
	  .revisions = GENMASK(1, 0) },
	{ .name = "WaInPlaceDecompressionHang", .reg = GAMT_ECO_REG_RW_IA,
	  .set = GAMT_ECO_ENABLE_IN_PLACE_DECOMPRESS },
	{}
};

static const struct igen_reg_write kbl_rcs_workarounds[] = {
	{ .name = "FtrPerCtxtPreemptionGranularityControl", .reg = FF_SLICE_CS_CHICKEN1, .masked = true,
	  .set = FFSC_PERCTX_PREEMPT_CTRL },
	{ .name = "WaEnableGapsTsvCreditFix", .reg = GARBCNTL, .set = GARBCNTL_GAPS_TSV_CREDIT_DISABLE },
	{ .name = "WaContextSwitchWithConcurrentTLBInvalidate", .reg = RING_CSFE_CHICKEN1(RCS0_BASE), .masked = true,
	  .set = CSFE_CHICKEN1_PREEMPT_GPGPU_SYNC_SWITCH_DISABLE },
	{ .name = "WaEnableLbsSlaRetryTimerDecrement", .reg = L3_SCRATCH1,
	  .set = L3_SCRATCH1_LBS_SLA_RETRY_TIMER_DECREMENT, .clear = L3_SCRATCH1_EVICTION_PERF_FIX },
	{ .name = "WaOCLCoherentLineFlush", .reg = L3SQCREG4, .set = L3SQCREG4_FLUSH_COHERENT_LINES,
	  .clear = L3SQCREG4_NONIA_COHERENT_ATOMICS },
	{ .name = "atomics in L3 off", .reg = L3_SCRATCH_LNCF1, .clear = L3_SCRATCH_LNCF1_NONIA_COHERENT_ATOMICS },
	{}
};

static const struct igen_reg_write kbl_video_workarounds[] = {
	{ .name = "WaKBLVECSSemaphoreWaitPoll", .reg = RING_SEMA_WAIT_POLL(0), .relative = true, .clear = ~0u, .set = 1,
	  .revisions = BIT(0) | BIT(1) | BIT(2) | BIT(3) | BIT(5) | BIT(6) },
	{}
};

/* Part of the context: written once by LRI when the default state is made. */
static const struct igen_reg_write kbl_rcs_ctx_workarounds[] = {
	{ .name = "WaCompressedResourceSamplerPbeMediaNewHashMode", .reg = COMMON_SLICE_CHICKEN2, .masked = true,
	  .set = COMMON_SLICE_PBE_COMPRESSED_HASH },
	{ .name = "WaToEnableHwFixForPushConstHWBug", .reg = COMMON_SLICE_CHICKEN2, .masked = true,
	  .set = COMMON_SLICE_SBE_DISABLE_REPLAY_BUF, .revisions = (u8)~GENMASK(1, 0) },
	{ .name = "WaCompressedResourceSamplerPbeMediaNewHashMode", .reg = HALF_SLICE_CHICKEN7, .masked = true,
	  .set = HALF_SLICE7_SAMPLER_HASH_COMPRESSED },
	{ .name = "WaDisablePartialInstShootdown", .reg = ROW_CHICKEN, .masked = true,
	  .set = ROW_FLOW_CONTROL_ENABLE | ROW_PARTIAL_INSTRUCTION_SHOOTDOWN_DISABLE },
	{ .name = "WaEnableYV12BugFixInHalfSliceChicken7", .reg = HALF_SLICE_CHICKEN7, .masked = true,
	  .set = HALF_SLICE7_YV12_BUGFIX | HALF_SLICE7_GPGPU_PREEMPTION },
	{ .name = "Wa4x4STCOptimizationDisable", .reg = CACHE_MODE_1, .masked = true,
	  .set = CACHE_MODE_4X4_STC_OPTIMIZATION_DISABLE | CACHE_MODE_PARTIAL_RESOLVE_IN_VC_DISABLE },
	{ .name = "WaCcsTlbPrefetchDisable", .reg = HALF_SLICE_CHICKEN5, .masked = true,
	  .clear = HALF_SLICE5_CCS_TLB_PREFETCH_ENABLE },
	{ .name = "WaForceContextSaveRestoreNonCoherent", .reg = HDC_CHICKEN0, .masked = true,
	  .set = HDC_FORCE_CSR_NON_COHERENT | HDC_FORCE_CSR_NON_COHERENT_OVR_DISABLE | HDC_FORCE_NON_COHERENT },
	{ .name = "WaDisableSamplerPowerBypassForSOPingPong", .reg = HALF_SLICE_CHICKEN3, .masked = true,
	  .set = HALF_SLICE3_SAMPLER_POWER_BYPASS_DISABLE },
	{ .name = "WaDisableSTUnitPowerOptimization", .reg = HALF_SLICE_CHICKEN2, .masked = true,
	  .set = HALF_SLICE2_ST_PO_DISABLE },
	{ .name = "WaDisable3DMidCmdPreemption", .reg = CS_CHICKEN1, .masked = true,
	  .clear = CS_CHICKEN1_PREEMPT_3D_OBJECT_LEVEL },
	{ .name = "WaDisableGPGPUMidCmdPreemption", .reg = CS_CHICKEN1, .masked = true,
	  .clear = CS_CHICKEN1_PREEMPT_GPGPU_LEVEL_MASK, .set = CS_CHICKEN1_PREEMPT_GPGPU_COMMAND },
	{ .name = "WaDisableSbeCacheDispatchPortSharing", .reg = HALF_SLICE_CHICKEN1, .masked = true,
	  .set = HALF_SLICE1_SBE_SS_CACHE_DISPATCH_PORT_SHARING_DISABLE },
	{}
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

/*
 * Registers that an unprivileged batch may write: preemption granularity
 * (WaVFEStateAfterPipeControlwithMediaStateClear, WaEnablePreemptionGranularityControlByUMD), HDC_CHICKEN1
 * (WaAllowUMDToModifyHDCChicken1), COMMON_SLICE_CHICKEN2 (WaSendPushConstantsFromMMIO) and L3SQCREG4
 * (WaDisableLSQCROPERFforOCL).
 */
static const u32 kbl_rcs_whitelist[] = {
	CTX_PREEMPT_REG, CS_CHICKEN1, COMMON_SLICE_CHICKEN2, HDC_CHICKEN1, L3SQCREG4, 0
};

/* Public KBL PRM Vol 4, "Device Attributes": slices of up to three subslices; subslice 3 is on no part. */
#define KBL_SLICES(least__, most__) \
	{ .step = "fuses", .name = "FUSE2, slices", .reg = FUSE2, .mask = FUSE2_SLICE_ENABLE_MASK, \
	  .min = IGEN_PREP(FUSE2_SLICE_ENABLE_MASK, least__), .max = IGEN_PREP(FUSE2_SLICE_ENABLE_MASK, most__), \
	  .wrong = "the fuses do not enable the slices of this part", \
	  .source = "public Gen9 PRM Vol 2c, FUSE2; public KBL PRM Vol 4, Device Attributes" }, \
	{ .step = "fuses", .name = "FUSE2, subslices", .reg = FUSE2, .mask = FUSE2_SUBSLICE_DISABLE_MASK, .min = 0, \
	  .max = IGEN_PREP(FUSE2_SUBSLICE_DISABLE_MASK, 0xeu), .wrong = "the fuses enable no subslice", \
	  .source = "public Gen9 PRM Vol 2c, FUSE2" }

static const struct igen_expect kbl_gt2_expect[] = {
	KBL_SLICES(1u, 1u),
	{}
};

static const struct igen_expect kbl_gt3_expect[] = {
	KBL_SLICES(3u, 7u),
	{}
};

/* All but the name and the engines. */
#define KBL_PLATFORM \
	.gen = 9, \
	.has_llc = true, \
	.has_coherent_access = true, \
	.has_64k_pages = true, \
	.ppgtt_bits = 48, \
	.dma_bits = 39, \
	.max_slices = 3, \
	.max_subslices = 4, \
	.max_eus = 8, \
	.timestamp_hz = 12000000, \
	.engines = igen_gen9_engines, \
	.topology = igen_topology_gen9, \
	.scanout = igen_scanout_gen9, \
	.forcewake = igen_gen9_forcewake, \
	.power = &igen_power_gen9_ops, \
	.reset = &igen_reset_gen8_ops, \
	.submit = &igen_execlists_ops, \
	.gtt = &igen_gtt_gen8_ops, \
	.irq = &igen_irq_gen8_ops, \
	.context = &igen_context_gen9_ops, \
	.emit = &igen_emit_gen8_ops, \
	.private_pat = (u64)(PPAT_WB | PPAT_LLC) | \
		       (u64)(PPAT_WC | PPAT_LLCELLC) << 8 | \
		       (u64)PPAT_WB << 16 | \
		       (u64)PPAT_UC << 24 | \
		       (u64)(PPAT_WB | PPAT_LLCELLC | PPAT_AGE(0)) << 32 | \
		       (u64)(PPAT_WB | PPAT_LLCELLC | PPAT_AGE(1)) << 40 | \
		       (u64)(PPAT_WB | PPAT_LLCELLC | PPAT_AGE(2)) << 48 | \
		       (u64)(PPAT_WB | PPAT_LLCELLC | PPAT_AGE(3)) << 56, \
	.mocs = gen9_mocs, \
	.num_mocs = ARRAY_SIZE(gen9_mocs), \
	.mocs_unused = 1, \
	.engine_mocs = igen_mocs_gen9, \
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
	.switch_workarounds = { \
		[IGEN_CLASS_RENDER] = igen_gen9_rcs_switch_workarounds, \
	}, \
	.expect = igen_expect_gen9, \
	.indirect_ctx_offset = GEN9_RCS_INDIRECT_CTX_OFFSET, \
	.whitelist = { \
		[IGEN_CLASS_RENDER] = kbl_rcs_whitelist, \
	}

const struct igen_platform igen_platform_kbl_gt2 = {
	.name = "Kaby Lake GT2",
	.num_engines = IGEN_GEN9_GT2_ENGINES,
	.expect_part = kbl_gt2_expect,
	KBL_PLATFORM,
};

const struct igen_platform igen_platform_kbl_gt3 = {
	.name = "Kaby Lake GT3/GT4",
	.num_engines = IGEN_GEN9_ENGINES,
	.expect_part = kbl_gt3_expect,
	KBL_PLATFORM,
};
