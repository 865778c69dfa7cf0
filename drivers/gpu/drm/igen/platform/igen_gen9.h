/* SPDX-License-Identifier: MIT */
/**
 * DOC: Rows of Gen9
 *
 * Tables that all parts of Gen9 point to (igen_gen9.c), and workarounds that several families need, as lists of rows
 * for the families' tables. A family's file (igen_skl.c, ...) adds its own workarounds, and has a row for each GT.
 *
 * "Core" parts share the last level cache with the CPU and have up to three slices: Skylake, Kaby Lake, Coffee Lake
 * and Comet Lake. LP parts have neither: Apollo Lake and Gemini Lake.
 */
#ifndef _IGEN_GEN9_H_
#define _IGEN_GEN9_H_

#include <linux/sizes.h>

#include <igen/regs/context.h>
#include <igen/regs/engine.h>
#include <igen/regs/gt.h>
#include <igen/regs/gtt.h>
#include <igen/regs/workarounds.h>

#include "igen_expect.h"
#include "igen_ops.h"
#include "igen_platform.h"
#include "igen_scanout.h"

#define IGEN_GEN9_ENGINES	5
#define IGEN_GEN9_GT2_ENGINES	4	/* all but the second video engine, which comes last */
#define IGEN_GEN9_MOCS		4
#define IGEN_GEN9LP_MOCS	3

extern const struct igen_engine_info igen_gen9_engines[IGEN_GEN9_ENGINES];
extern const struct igen_forcewake_domain igen_gen9_forcewake[FORCEWAKE_NUM_DOMAINS];
extern const struct igen_mocs_entry igen_gen9_mocs[IGEN_GEN9_MOCS];
extern const struct igen_mocs_entry igen_gen9lp_mocs[IGEN_GEN9LP_MOCS];
extern const struct igen_reg_write igen_gen9_rcs_switch_workarounds[];

/* Workarounds in registers of the GT. */
#define IGEN_GEN9_GT_WORKAROUNDS \
	{ .name = "WaDisableHDCInvalidation", .reg = GAM_ECOCHK, .set = ECOCHK_DISABLE_HDC_INVALIDATION }

#define IGEN_GEN9_CORE_GT_WORKAROUNDS \
	IGEN_GEN9_GT_WORKAROUNDS, \
	{ .name = "WaCompressedResourceSamplerPbeMediaNewHashMode", .reg = MMCD_MISC_CTRL, \
	  .set = MMCD_PCLA | MMCD_HOTSPOT_EN }, \
	{ .name = "WaDisableGafsUnitClkGating", .reg = UCGCTL4, .set = UCGCTL4_GAFS_CLOCK_GATE_DISABLE }, \
	{ .name = "WaIncreaseDefaultTLBEntries", .reg = L3_LRA_1_GPGPU, .clear = ~0u, .set = L3_LRA_1_GPGPU_GEN9 }, \
	{ .name = "WAC6entrylatency", .reg = FBC_LLC_READ_CTRL, .set = FBC_LLC_FULLY_OPEN }

#define IGEN_GEN9LP_GT_WORKAROUNDS \
	IGEN_GEN9_GT_WORKAROUNDS, \
	{ .name = "WaDisableKillLogic", .reg = GAM_ECOCHK, .set = ECOCHK_DIS_TLB }, \
	{ .name = "WaIncreaseDefaultTLBEntries", .reg = L3_LRA_1_GPGPU, .clear = ~0u, .set = L3_LRA_1_GPGPU_BXT }

/* Workarounds in registers of the render engine. */
#define IGEN_GEN9_RCS_WORKAROUNDS \
	{ .name = "FtrPerCtxtPreemptionGranularityControl", .reg = FF_SLICE_CS_CHICKEN1, .masked = true, \
	  .set = FFSC_PERCTX_PREEMPT_CTRL }, \
	{ .name = "WaContextSwitchWithConcurrentTLBInvalidate", .reg = RING_CSFE_CHICKEN1(RCS0_BASE), .masked = true, \
	  .set = CSFE_CHICKEN1_PREEMPT_GPGPU_SYNC_SWITCH_DISABLE }, \
	{ .name = "WaEnableLbsSlaRetryTimerDecrement", .reg = L3_SCRATCH1, \
	  .set = L3_SCRATCH1_LBS_SLA_RETRY_TIMER_DECREMENT, .clear = L3_SCRATCH1_EVICTION_PERF_FIX }, \
	{ .name = "WaOCLCoherentLineFlush", .reg = L3SQCREG4, .set = L3SQCREG4_FLUSH_COHERENT_LINES, \
	  .clear = L3SQCREG4_NONIA_COHERENT_ATOMICS }, \
	{ .name = "atomics in L3 off", .reg = L3_SCRATCH_LNCF1, .clear = L3_SCRATCH_LNCF1_NONIA_COHERENT_ATOMICS }

#define IGEN_GEN9_CORE_RCS_WORKAROUNDS \
	IGEN_GEN9_RCS_WORKAROUNDS, \
	{ .name = "WaEnableGapsTsvCreditFix", .reg = GARBCNTL, .set = GARBCNTL_GAPS_TSV_CREDIT_DISABLE }

#define IGEN_GEN9LP_RCS_WORKAROUNDS \
	IGEN_GEN9_RCS_WORKAROUNDS, \
	{ .name = "WaProgramL3SqcReg1DefaultForPerf", .reg = L3SQCREG1, \
	  .clear = L3SQCREG1_GENERAL_CREDITS_MASK | L3SQCREG1_HIGH_CREDITS_MASK, \
	  .set = IGEN_PREP(L3SQCREG1_GENERAL_CREDITS_MASK, 31) | IGEN_PREP(L3SQCREG1_HIGH_CREDITS_MASK, 1) }

/* Workarounds in the render engine's contexts: LRI writes them once, when the default state is made. */
#define IGEN_GEN9_RCS_CTX_WORKAROUNDS \
	{ .name = "WaDisablePartialInstShootdown", .reg = ROW_CHICKEN, .masked = true, \
	  .set = ROW_FLOW_CONTROL_ENABLE | ROW_PARTIAL_INSTRUCTION_SHOOTDOWN_DISABLE }, \
	{ .name = "WaEnableYV12BugFixInHalfSliceChicken7", .reg = HALF_SLICE_CHICKEN7, .masked = true, \
	  .set = HALF_SLICE7_YV12_BUGFIX | HALF_SLICE7_GPGPU_PREEMPTION }, \
	{ .name = "Wa4x4STCOptimizationDisable", .reg = CACHE_MODE_1, .masked = true, \
	  .set = CACHE_MODE_4X4_STC_OPTIMIZATION_DISABLE | CACHE_MODE_PARTIAL_RESOLVE_IN_VC_DISABLE }, \
	{ .name = "WaCcsTlbPrefetchDisable", .reg = HALF_SLICE_CHICKEN5, .masked = true, \
	  .clear = HALF_SLICE5_CCS_TLB_PREFETCH_ENABLE }, \
	{ .name = "WaForceContextSaveRestoreNonCoherent", .reg = HDC_CHICKEN0, .masked = true, \
	  .set = HDC_FORCE_CSR_NON_COHERENT | HDC_FORCE_CSR_NON_COHERENT_OVR_DISABLE | HDC_FORCE_NON_COHERENT }, \
	{ .name = "WaDisableSTUnitPowerOptimization", .reg = HALF_SLICE_CHICKEN2, .masked = true, \
	  .set = HALF_SLICE2_ST_PO_DISABLE }, \
	{ .name = "WaDisable3DMidCmdPreemption", .reg = CS_CHICKEN1, .masked = true, \
	  .clear = CS_CHICKEN1_PREEMPT_3D_OBJECT_LEVEL }, \
	{ .name = "WaDisableGPGPUMidCmdPreemption", .reg = CS_CHICKEN1, .masked = true, \
	  .clear = CS_CHICKEN1_PREEMPT_GPGPU_LEVEL_MASK, .set = CS_CHICKEN1_PREEMPT_GPGPU_COMMAND }

#define IGEN_GEN9_CORE_RCS_CTX_WORKAROUNDS \
	IGEN_GEN9_RCS_CTX_WORKAROUNDS, \
	{ .name = "WaCompressedResourceSamplerPbeMediaNewHashMode", .reg = COMMON_SLICE_CHICKEN2, .masked = true, \
	  .set = COMMON_SLICE_PBE_COMPRESSED_HASH }, \
	{ .name = "WaCompressedResourceSamplerPbeMediaNewHashMode", .reg = HALF_SLICE_CHICKEN7, .masked = true, \
	  .set = HALF_SLICE7_SAMPLER_HASH_COMPRESSED }, \
	{ .name = "WaDisableSamplerPowerBypassForSOPingPong", .reg = HALF_SLICE_CHICKEN3, .masked = true, \
	  .set = HALF_SLICE3_SAMPLER_POWER_BYPASS_DISABLE }

#define IGEN_GEN9LP_RCS_CTX_WORKAROUNDS \
	IGEN_GEN9_RCS_CTX_WORKAROUNDS, \
	{ .name = "WaToEnableHwFixForPushConstHWBug", .reg = COMMON_SLICE_CHICKEN2, .masked = true, \
	  .set = COMMON_SLICE_SBE_DISABLE_REPLAY_BUF }, \
	{ .name = "clear values of the hierarchical depth buffer", .reg = WM_CHICKEN3, .masked = true, \
	  .set = WM_FACTOR_IN_CLEAR_VALUE_HIZ }

/*
 * Registers that an unprivileged batch may write: preemption granularity
 * (WaVFEStateAfterPipeControlwithMediaStateClear, WaEnablePreemptionGranularityControlByUMD), HDC_CHICKEN1
 * (WaAllowUMDToModifyHDCChicken1) and COMMON_SLICE_CHICKEN2 (WaSendPushConstantsFromMMIO).
 */
#define IGEN_GEN9_RCS_WHITELIST \
	{ .reg = CTX_PREEMPT_REG }, { .reg = CS_CHICKEN1 }, { .reg = COMMON_SLICE_CHICKEN2 }, { .reg = HDC_CHICKEN1 }

/* What all rows have. */
#define IGEN_GEN9_PLATFORM \
	.gen = 9, \
	.has_coherent_access = true, \
	.page_sizes = SZ_4K | SZ_64K | SZ_2M, \
	/* As stock i915: pages of 2 MB cost the cache of page table entries. */ \
	.usual_page_sizes = SZ_4K | SZ_64K, \
	.ppgtt_bits = 48, \
	.address_bytes = 8, \
	.num_fences = FENCE_REGS, \
	.fence_pitch = SZ_256K, \
	.dma_bits = 39, \
	.max_eus = 8, \
	.null_state = true, \
	.engines = igen_gen9_engines, \
	.topology = igen_topology_gen9, \
	.scanout = igen_scanout_gen9, \
	.forcewake = igen_gen9_forcewake, \
	.reset = &igen_reset_gen8_ops, \
	.error = &igen_error_gen8_ops, \
	.bringup = &igen_bringup_gen8_ops, \
	.submit = &igen_execlists_ops, \
	.irq = &igen_irq_gen8_ops, \
	.context = &igen_context_gen9_ops, \
	.mocs_unused = 1, \
	.engine_mocs = igen_mocs_gen9, \
	.steer = igen_steer_gen9, \
	.switch_workarounds = { \
		[IGEN_CLASS_RENDER] = igen_gen9_rcs_switch_workarounds, \
	}, \
	.indirect_ctx_offset = GEN9_RCS_INDIRECT_CTX_OFFSET, \
	.expect = igen_expect_gen9

/* What rows of core parts have; power, workarounds and whitelist are the family's. */
#define IGEN_GEN9_CORE_PLATFORM \
	IGEN_GEN9_PLATFORM, \
	.has_llc = true, \
	.tables_snooped = true, \
	.objects_snooped = true, \
	.max_slices = 3, \
	.max_subslices = 4, \
	.timestamp_hz = 12000000, \
	.gtt = &igen_gtt_gen8_ops, \
	.private_pat = (u64)(PPAT_WB | PPAT_LLC) | \
		       (u64)(PPAT_WC | PPAT_LLCELLC) << 8 | \
		       (u64)PPAT_WB << 16 | \
		       (u64)PPAT_UC << 24 | \
		       (u64)(PPAT_WB | PPAT_LLCELLC | PPAT_AGE(0)) << 32 | \
		       (u64)(PPAT_WB | PPAT_LLCELLC | PPAT_AGE(1)) << 40 | \
		       (u64)(PPAT_WB | PPAT_LLCELLC | PPAT_AGE(2)) << 48 | \
		       (u64)(PPAT_WB | PPAT_LLCELLC | PPAT_AGE(3)) << 56, \
	.mocs = igen_gen9_mocs, \
	.num_mocs = IGEN_GEN9_MOCS

/* One slice of up to three subslices. */
#define IGEN_GEN9_GT2 \
	.num_engines = IGEN_GEN9_GT2_ENGINES, \
	.expect_part = igen_expect_gen9_gt2

/* GT3 and GT4: two or three slices, and a second video engine. */
#define IGEN_GEN9_GT3 \
	.num_engines = IGEN_GEN9_ENGINES, \
	.expect_part = igen_expect_gen9_gt3

/* What rows of LP parts have; workarounds and whitelist are the family's. Timestamps: 19.2 MHz, as Mesa counts. */
#define IGEN_GEN9LP_PLATFORM \
	IGEN_GEN9_PLATFORM, \
	.gates_subslices = true, \
	.max_slices = 1, \
	.max_subslices = 3, \
	.eu_pools = 0x00777000, \
	.timestamp_hz = 19200000, \
	.num_engines = IGEN_GEN9_GT2_ENGINES, \
	.power = &igen_power_gen9lp_ops, \
	.gtt = &igen_gtt_gen9lp_ops, \
	.private_pat = (u64)PPAT_SNOOP | (u64)PPAT_SNOOP << 32 | (u64)PPAT_SNOOP << 40 | (u64)PPAT_SNOOP << 48 | \
		       (u64)PPAT_SNOOP << 56, \
	.mocs = igen_gen9lp_mocs, \
	.num_mocs = IGEN_GEN9LP_MOCS, \
	.expect_part = igen_expect_gen9lp

#endif
