/* SPDX-License-Identifier: MIT */
/**
 * DOC: Chicken bits of Gen9 and the memory object control state's fields
 *
 * What the workarounds of public Gen9 PRM Vol 16 ("Workarounds") name; offsets and bits as stock i915 programs them.
 * Registers marked "context" are saved and restored with the render engine's context. MOCS: public Gen9 PRM Vol 2c,
 * "MEMORY_OBJECT_CONTROL_STATE" and LNCFCMOCS0.
 */
#ifndef _IGEN_REGS_WORKAROUNDS_H_
#define _IGEN_REGS_WORKAROUNDS_H_

#include "defs.h"

#define GTT_CACHE_EN				0x004024
#define L3_LRA_1_GPGPU				0x004dd4		/* shares of clients in the L3's LRA */
#define   L3_LRA_1_GPGPU_GEN9			  0x67f1427fu
#define FBC_LLC_READ_CTRL			0x009044
#define   FBC_LLC_FULLY_OPEN			  IGEN_BIT(30)
#define UCGCTL1					0x009400
#define   UCGCTL1_GAM_CLOCK_GATE_DISABLE	  IGEN_BIT(22)
#define UCGCTL6					0x009430
#define   UCGCTL6_SDE_CLOCK_GATE_DISABLE	  IGEN_BIT(14)
#define FF_SLICE_CHICKEN			0x002088		/* masked */
#define   FF_SLICE_CL_PROVOKING_VERTEX_FIX	  IGEN_BIT(1)
#define CHICKEN_3D_3				0x002090		/* masked */
#define   CHICKEN_3D_SF_PROVOKING_VERTEX_FIX	  IGEN_BIT(12)
#define FF_SLICE_CS_CHICKEN1			0x0020e0		/* masked */
#define   FFSC_PERCTX_PREEMPT_CTRL		  IGEN_BIT(14)
#define   CSFE_CHICKEN1_PREEMPT_GPGPU_SYNC_SWITCH_DISABLE IGEN_BIT(2)	/* of RING_CSFE_CHICKEN1 */
#define CTX_PREEMPT_REG				0x002248
#define CS_CHICKEN1				0x002580		/* masked, context */
#define   CS_CHICKEN1_PREEMPT_GPGPU_LEVEL_MASK	  IGEN_MASK(2, 1)
#define   CS_CHICKEN1_PREEMPT_GPGPU_COMMAND	  IGEN_BIT(2)
#define   CS_CHICKEN1_PREEMPT_3D_OBJECT_LEVEL	  IGEN_BIT(0)
#define   ECOCHK_DISABLE_HDC_INVALIDATION	  IGEN_BIT(25)		/* of GAM_ECOCHK */
#define   ECOCHK_DIS_TLB			  IGEN_BIT(8)
#define GAMT_ECO_REG_RW_IA			0x004ab0
#define   GAMT_ECO_ENABLE_IN_PLACE_DECOMPRESS	  IGEN_BIT(18)
#define GAMT_CHKN_BIT_REG			0x004ab8
#define   GAMT_CHKN_DISABLE_DYNAMIC_CREDIT_SHARING IGEN_BIT(28)
#define MMCD_MISC_CTRL				0x004ddc
#define   MMCD_PCLA				  IGEN_BIT(31)
#define   MMCD_HOTSPOT_EN			  IGEN_BIT(27)
#define CACHE_MODE_1				0x007004		/* masked, context */
#define   CACHE_MODE_4X4_STC_OPTIMIZATION_DISABLE  IGEN_BIT(6)
#define   CACHE_MODE_PARTIAL_RESOLVE_IN_VC_DISABLE IGEN_BIT(1)
#define COMMON_SLICE_CHICKEN2			0x007014		/* masked, context */
#define   COMMON_SLICE_PBE_COMPRESSED_HASH	  IGEN_BIT(13)
#define   COMMON_SLICE_DISABLE_GATHER_AT_SET_SHADER IGEN_BIT(12)
#define   COMMON_SLICE_SBE_DISABLE_REPLAY_BUF	  IGEN_BIT(8)
#define HDC_CHICKEN0				0x007300		/* masked, context */
#define   HDC_FORCE_CSR_NON_COHERENT_OVR_DISABLE  IGEN_BIT(15)
#define   HDC_FORCE_CSR_NON_COHERENT		  IGEN_BIT(5)
#define   HDC_FORCE_NON_COHERENT		  IGEN_BIT(4)
#define HDC_CHICKEN1				0x007304		/* masked, context */
#define UCGCTL4					0x00940c
#define   UCGCTL4_GAFS_CLOCK_GATE_DISABLE	  IGEN_BIT(14)
#define GARBCNTL				0x00b004
#define   GARBCNTL_GAPS_TSV_CREDIT_DISABLE	  IGEN_BIT(7)
#define L3_SCRATCH_LNCF1			0x00b008
#define   L3_SCRATCH_LNCF1_NONIA_COHERENT_ATOMICS IGEN_BIT(0)
#define L3SQCREG4				0x00b118
#define   L3SQCREG4_NONIA_COHERENT_ATOMICS	  IGEN_BIT(22)
#define   L3SQCREG4_FLUSH_COHERENT_LINES	  IGEN_BIT(21)
#define L3_SCRATCH1				0x00b11c
#define   L3_SCRATCH1_EVICTION_PERF_FIX		  IGEN_BIT(8)
#define   L3_SCRATCH1_LBS_SLA_RETRY_TIMER_DECREMENT IGEN_BIT(2)
#define HALF_SLICE_CHICKEN1			0x00e100		/* masked, context */
#define   HALF_SLICE1_SBE_SS_CACHE_DISPATCH_PORT_SHARING_DISABLE IGEN_BIT(4)
#define HALF_SLICE_CHICKEN2			0x00e180		/* masked, context */
#define   HALF_SLICE2_ST_PO_DISABLE		  IGEN_BIT(13)
#define HALF_SLICE_CHICKEN3			0x00e184		/* masked, context */
#define   HALF_SLICE3_SAMPLER_POWER_BYPASS_DISABLE IGEN_BIT(1)
#define HALF_SLICE_CHICKEN5			0x00e188		/* masked, context */
#define   HALF_SLICE5_CCS_TLB_PREFETCH_ENABLE	  IGEN_BIT(3)
#define HALF_SLICE_CHICKEN7			0x00e194		/* masked, context */
#define   HALF_SLICE7_SAMPLER_HASH_COMPRESSED	  IGEN_BIT(8)
#define   HALF_SLICE7_YV12_BUGFIX		  IGEN_BIT(4)
#define   HALF_SLICE7_GPGPU_PREEMPTION		  IGEN_BIT(2)
#define ROW_CHICKEN				0x00e4f0		/* masked, context */
#define   ROW_FLOW_CONTROL_ENABLE		  IGEN_BIT(15)
#define   ROW_PARTIAL_INSTRUCTION_SHOOTDOWN_DISABLE IGEN_BIT(8)

/* An entry of an engine's MOCS table. */
#define MOCS_LE_PAGETABLE			0
#define MOCS_LE_UC				1
#define MOCS_LE_WT				2
#define MOCS_LE_WB				3
#define MOCS_TC_PAGETABLE			0
#define MOCS_TC_LLC				IGEN_BIT(2)
#define MOCS_TC_LLC_ELLC			IGEN_BIT(3)
#define MOCS_LRU_AGE(n)				((n) << 4)
/* Half of an LNCF register. */
#define MOCS_L3_UC				IGEN_BIT(4)
#define MOCS_L3_WB				IGEN_MASK(5, 4)

#endif
