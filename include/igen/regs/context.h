/* SPDX-License-Identifier: MIT */
/**
 * DOC: Layout of a logical context image on Gen9
 *
 * At the LRCA lies the per-process hardware status page, 4 KB; behind it the register state: for the media
 * engines one page, for the render engine 22 pages in all with the pipeline state (KBL Vol 3, "Logical Contexts",
 * "Copy Engine Logical Context Data", "Video Enhancement Logical Context Data"). The register state is a
 * batch of MI_LOAD_REGISTER_IMM commands; these are the dword indices of the values. The render engine's
 * differ in the first header alone: it loads one pair less.
 */
#ifndef _IGEN_REGS_CONTEXT_H_
#define _IGEN_REGS_CONTEXT_H_

#include "defs.h"

#define LRC_PPHWSP_OFFSET		0
#define LRC_STATE_OFFSET		4096
#define LRC_PPHWSP_SCRATCH		0xd0			/* the driver's own, as stock i915 uses it */
#define LRC_PPHWSP_SEQNO		0x200			/* likewise; bit 5 has to be 0 for MI_FLUSH_DW */
#define LRC_PPHWSP_SEQNO_WRAPPED	0x208			/* where it is after an odd number of wraps */
#define GEN9_LRC_RCS_PAGES		22			/* with the PPHWSP; as stock i915 allocates */
#define GEN9_LRC_XCS_PAGES		2

#define CTX_LRI_HEADER_0		0x01
#define CTX_CONTEXT_CONTROL		0x03
#define CTX_RING_HEAD			0x05
#define CTX_RING_TAIL			0x07
#define CTX_RING_START			0x09
#define CTX_RING_CTL			0x0b
#define CTX_BB_HEAD_U			0x0d
#define CTX_BB_HEAD_L			0x0f
#define CTX_BB_STATE			0x11
#define CTX_SBB_HEAD_U			0x13
#define CTX_SBB_HEAD_L			0x15
#define CTX_SBB_STATE			0x17
#define CTX_BB_PER_CTX_PTR		0x19			/* RCS only from here to the next */
#define CTX_INDIRECT_CTX		0x1b
#define CTX_INDIRECT_CTX_OFFSET		0x1d
#define CTX_LRI_HEADER_1		0x21
#define CTX_TIMESTAMP			0x23
#define CTX_PDP3_UDW			0x25
#define CTX_PDP3_LDW			0x27
#define CTX_PDP2_UDW			0x29
#define CTX_PDP2_LDW			0x2b
#define CTX_PDP1_UDW			0x2d
#define CTX_PDP1_LDW			0x2f
#define CTX_PDP0_UDW			0x31			/* 48 bit: the PML4, high half */
#define CTX_PDP0_LDW			0x33			/* 48 bit: the PML4, low half */
#define CTX_LRI_HEADER_2		0x41
#define CTX_R_PWR_CLK_STATE		0x43			/* RCS; BCS_SWCTRL on BCS */
#define CTX_LRI_HEADER_ENGINE		0x51			/* engine context: 44 pairs */
#define GEN9_RCS_INDIRECT_CTX_OFFSET	0x26			/* cache lines; as stock i915 programs it */
#define R_PWR_CLK_STATE			0x0020c8
#define   PWR_CLK_ENABLE		  IGEN_BIT(31)		/* what follows counts */
#define   PWR_CLK_SLICE_COUNT_ENABLE	  IGEN_BIT(18)
#define   PWR_CLK_SLICE_COUNT_MASK	  IGEN_MASK(17, 15)
#define   PWR_CLK_EU_MAX_MASK		  IGEN_MASK(7, 4)	/* EUs of a subslice that are powered, at most */
#define   PWR_CLK_EU_MIN_MASK		  IGEN_MASK(3, 0)	/* and at least */

#endif
