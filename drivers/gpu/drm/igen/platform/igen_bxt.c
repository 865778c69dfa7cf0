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
 * Behind an IOMMU the part hangs when the CPU uses the aperture while entries of the GGTT are written; stock i915 stops
 * the machine meanwhile. igen does not drive the part there.
 */
#include <linux/kernel.h>
#include <uapi/drm/i915_drm.h>

#include <igen/regs/context.h>
#include <igen/regs/engine.h>
#include <igen/regs/gt.h>
#include <igen/regs/gtt.h>
#include <igen/regs/workarounds.h>

#include "igen_gen9.h"
#include "igen_ops.h"
#include "igen_scanout.h"

/* As Kaby Lake's (igen_kbl.c), but that what is cached is so in L3 alone. */
static const struct igen_mocs_entry bxt_mocs[] = {
	{ .index = 0, .control = MOCS_LE_UC | MOCS_TC_LLC_ELLC, .l3cc = MOCS_L3_UC },
	{ .index = 1, .control = MOCS_LE_PAGETABLE | MOCS_LRU_AGE(3), .l3cc = MOCS_L3_WB },
	{ .index = 2, .control = MOCS_LE_UC | MOCS_TC_LLC_ELLC | MOCS_LRU_AGE(3), .l3cc = MOCS_L3_WB },
};

static const struct igen_reg_write bxt_gt_workarounds[] = {
	{ .name = "WaDisableKillLogic", .reg = GAM_ECOCHK, .set = ECOCHK_DIS_TLB },
	{ .name = "WaDisableHDCInvalidation", .reg = GAM_ECOCHK, .set = ECOCHK_DISABLE_HDC_INVALIDATION },
	{ .name = "WaGttCachingOffByDefault, which 2 MB pages need off", .reg = GTT_CACHE_EN, .clear = ~0u },
	{ .name = "WaIncreaseDefaultTLBEntries", .reg = L3_LRA_1_GPGPU, .clear = ~0u, .set = L3_LRA_1_GPGPU_BXT },
	{ .name = "WaDisableSDEUnitClockGating", .reg = UCGCTL6, .set = UCGCTL6_SDE_CLOCK_GATE_DISABLE },
	{ .name = "clock gating of the HDC's requests", .reg = UCGCTL6, .set = UCGCTL6_HDC_CLOCK_GATE_DISABLE },
	{}
};

static const struct igen_reg_write bxt_rcs_workarounds[] = {
	{ .name = "FtrPerCtxtPreemptionGranularityControl", .reg = FF_SLICE_CS_CHICKEN1, .masked = true,
	  .set = FFSC_PERCTX_PREEMPT_CTRL },
	{ .name = "WaDisablePooledEuLoadBalancingFix", .reg = FF_SLICE_CS_CHICKEN2, .masked = true,
	  .set = FFSC_POOLED_EU_LOAD_BALANCING_FIX_DISABLE },
	{ .name = "WaContextSwitchWithConcurrentTLBInvalidate", .reg = RING_CSFE_CHICKEN1(RCS0_BASE), .masked = true,
	  .set = CSFE_CHICKEN1_PREEMPT_GPGPU_SYNC_SWITCH_DISABLE },
	{ .name = "WaEnableLbsSlaRetryTimerDecrement", .reg = L3_SCRATCH1,
	  .set = L3_SCRATCH1_LBS_SLA_RETRY_TIMER_DECREMENT, .clear = L3_SCRATCH1_EVICTION_PERF_FIX },
	{ .name = "WaProgramL3SqcReg1DefaultForPerf", .reg = L3SQCREG1,
	  .clear = L3SQCREG1_GENERAL_CREDITS_MASK | L3SQCREG1_HIGH_CREDITS_MASK,
	  .set = IGEN_PREP(L3SQCREG1_GENERAL_CREDITS_MASK, 31) | IGEN_PREP(L3SQCREG1_HIGH_CREDITS_MASK, 1) },
	{ .name = "WaOCLCoherentLineFlush", .reg = L3SQCREG4, .set = L3SQCREG4_FLUSH_COHERENT_LINES,
	  .clear = L3SQCREG4_NONIA_COHERENT_ATOMICS },
	{ .name = "atomics in L3 off", .reg = L3_SCRATCH_LNCF1, .clear = L3_SCRATCH_LNCF1_NONIA_COHERENT_ATOMICS },
	{}
};

/* Part of the context: written once by LRI when the default state is made. */
static const struct igen_reg_write bxt_rcs_ctx_workarounds[] = {
	{ .name = "WaToEnableHwFixForPushConstHWBug", .reg = COMMON_SLICE_CHICKEN2, .masked = true,
	  .set = COMMON_SLICE_SBE_DISABLE_REPLAY_BUF },
	{ .name = "WaDisablePartialInstShootdown", .reg = ROW_CHICKEN, .masked = true,
	  .set = ROW_FLOW_CONTROL_ENABLE | ROW_PARTIAL_INSTRUCTION_SHOOTDOWN_DISABLE },
	{ .name = "WaDisableThreadStallDopClockGating", .reg = ROW_CHICKEN, .masked = true,
	  .set = ROW_STALL_DOP_GATING_DISABLE },
	{ .name = "WaEnableYV12BugFixInHalfSliceChicken7", .reg = HALF_SLICE_CHICKEN7, .masked = true,
	  .set = HALF_SLICE7_YV12_BUGFIX | HALF_SLICE7_GPGPU_PREEMPTION },
	{ .name = "Wa4x4STCOptimizationDisable", .reg = CACHE_MODE_1, .masked = true,
	  .set = CACHE_MODE_4X4_STC_OPTIMIZATION_DISABLE | CACHE_MODE_PARTIAL_RESOLVE_IN_VC_DISABLE },
	{ .name = "WaCcsTlbPrefetchDisable", .reg = HALF_SLICE_CHICKEN5, .masked = true,
	  .clear = HALF_SLICE5_CCS_TLB_PREFETCH_ENABLE },
	{ .name = "WaForceContextSaveRestoreNonCoherent", .reg = HDC_CHICKEN0, .masked = true,
	  .set = HDC_FORCE_CSR_NON_COHERENT | HDC_FORCE_CSR_NON_COHERENT_OVR_DISABLE | HDC_FORCE_NON_COHERENT },
	{ .name = "WaDisableSTUnitPowerOptimization", .reg = HALF_SLICE_CHICKEN2, .masked = true,
	  .set = HALF_SLICE2_ST_PO_DISABLE },
	{ .name = "WaDisable3DMidCmdPreemption", .reg = CS_CHICKEN1, .masked = true,
	  .clear = CS_CHICKEN1_PREEMPT_3D_OBJECT_LEVEL },
	{ .name = "WaDisableGPGPUMidCmdPreemption", .reg = CS_CHICKEN1, .masked = true,
	  .clear = CS_CHICKEN1_PREEMPT_GPGPU_LEVEL_MASK, .set = CS_CHICKEN1_PREEMPT_GPGPU_COMMAND },
	{ .name = "clear values of the hierarchical depth buffer", .reg = WM_CHICKEN3, .masked = true,
	  .set = WM_FACTOR_IN_CLEAR_VALUE_HIZ },
	{}
};

/* As Kaby Lake's (igen_kbl.c), without L3SQCREG4. */
static const u32 bxt_rcs_whitelist[] = { CTX_PREEMPT_REG, CS_CHICKEN1, COMMON_SLICE_CHICKEN2, HDC_CHICKEN1, 0 };

const struct igen_platform igen_platform_bxt = {
	.name = "Apollo Lake",
	.gen = 9,
	.has_coherent_access = true,
	.has_64k_pages = true,
	.gates_subslices = true,
	.no_remapping = true,
	.ppgtt_bits = 48,
	.dma_bits = 39,
	.max_slices = 1,
	.max_subslices = 3,
	.max_eus = 8,
	.eu_pools = 0x00777000,
	.timestamp_hz = 19200000,
	.engines = igen_gen9_engines,
	.num_engines = IGEN_GEN9_GT2_ENGINES,
	.topology = igen_topology_gen9,
	.scanout = igen_scanout_gen9,
	.forcewake = igen_gen9_forcewake,
	.power = &igen_power_gen9lp_ops,
	.reset = &igen_reset_gen8_ops,
	.submit = &igen_execlists_ops,
	.gtt = &igen_gtt_gen9lp_ops,
	.irq = &igen_irq_gen8_ops,
	.context = &igen_context_gen9_ops,
	.emit = &igen_emit_gen8_ops,
	.private_pat = (u64)PPAT_SNOOP |
		       (u64)PPAT_SNOOP << 32 | (u64)PPAT_SNOOP << 40 | (u64)PPAT_SNOOP << 48 | (u64)PPAT_SNOOP << 56,
	.mocs = bxt_mocs,
	.num_mocs = ARRAY_SIZE(bxt_mocs),
	.mocs_unused = 1,
	.engine_mocs = igen_mocs_gen9,
	.gt_workarounds = bxt_gt_workarounds,
	.engine_workarounds = {
		[IGEN_CLASS_RENDER] = bxt_rcs_workarounds,
	},
	.ctx_workarounds = {
		[IGEN_CLASS_RENDER] = bxt_rcs_ctx_workarounds,
	},
	.switch_workarounds = {
		[IGEN_CLASS_RENDER] = igen_gen9_rcs_switch_workarounds,
	},
	.indirect_ctx_offset = GEN9_RCS_INDIRECT_CTX_OFFSET,
	.whitelist = {
		[IGEN_CLASS_RENDER] = bxt_rcs_whitelist,
	},
};
