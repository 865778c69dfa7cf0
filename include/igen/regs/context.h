/* SPDX-License-Identifier: MIT */
/**
 * DOC: Layout of a logical context image on Gen9
 *
 * At the LRCA lies the per-process hardware status page, 4 KB; behind it the register state: for the media
 * engines one page, for the render engine 22 pages in all with the pipeline state (KBL Vol 3, "Logical Contexts",
 * "Copy Engine Logical Context Data", "Video Enhancement Logical Context Data"). The register state is a
 * batch of MI_LOAD_REGISTER_IMM commands; image.h has the dword indices of the values. The render engine's
 * differ in the first header alone: it loads one pair less.
 */
#ifndef _IGEN_REGS_CONTEXT_H_
#define _IGEN_REGS_CONTEXT_H_

#include <igen/regs/defs.h>
#include <igen/regs/image.h>

#define LRC_PPHWSP_OFFSET		0
#define LRC_STATE_OFFSET		4096
#define LRC_PPHWSP_SCRATCH		0xd0			/* the driver's own, as stock i915 uses it */
#define GEN9_LRC_RCS_PAGES		22			/* with the PPHWSP; as stock i915 allocates */
#define GEN9_LRC_XCS_PAGES		2
#define GEN9_RCS_INDIRECT_CTX_OFFSET	0x26			/* cache lines; as stock i915 programs it */

/*
 * The hardware status page, in dwords (public Gen9 PRM Vol 2c, HWS_PGA; KBL Vol 3, "Hardware Status
 * Page").
 */
#define HWSP_CSB_DW			0x10
#define HWSP_CSB_WRITE_PTR_DW		0x1f
#define HWSP_DRIVER_DW			0x30			/* from here on the driver's own */
#define HWSP_HEAD_DW			0x04			/* MI_REPORT_HEAD */

/* Timestamps in the PPHWSP, in dwords (public Gen8 PRM Vol 2d, "PPHWSP_LAYOUT"). */
#define PPHWSP_SAVE_FINISHED_DW		0x10
#define PPHWSP_RESTORE_FINISHED_DW	0x11
#define PPHWSP_PREEMPT_REQUEST_DW	0x12
#define PPHWSP_LAST_SWITCH_DW		0x13

/*
 * Context descriptor, what is written to the ELSP (public Gen9 PRM Vol 2d, "Context Descriptor
 * Format"). ELSP takes element 1 high, element 1 low, element 0 high, element 0 low.
 */
#define CTX_DESC_VALID			IGEN_BIT64(0)
#define CTX_DESC_FORCE_PD_RESTORE	IGEN_BIT64(1)
#define CTX_DESC_FORCE_RESTORE		IGEN_BIT64(2)
#define CTX_DESC_ADDRESSING_MASK	IGEN_MASK64(4, 3)
#define   CTX_DESC_LEGACY_48B		  3ull
#define   CTX_DESC_LEGACY_32B		  1ull
#define CTX_DESC_L3LLC_COHERENT		IGEN_BIT64(5)
#define CTX_DESC_FAULT_MASK		IGEN_MASK64(7, 6)
#define CTX_DESC_PRIVILEGE		IGEN_BIT64(8)		/* ring's batches may use the PPGTT */
#define CTX_DESC_LRCA_MASK		IGEN_MASK64(31, 12)
#define CTX_DESC_ID_MASK		IGEN_MASK64(63, 32)
#define   CTX_DESC_SW_ID_MASK		  IGEN_MASK64(52, 32)

#endif
