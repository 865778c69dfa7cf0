/* SPDX-License-Identifier: MIT */
/**
 * DOC: Address translation on Gen8 and Gen9: GGTT, PPGTT, private PAT, TLB invalidation, fences, faults
 *
 * The upper half of BAR 0 holds the global GTT, one 64-bit entry a 4 KB page. A per-process GTT is a tree
 * of four levels with 512 entries a page; a 2 MB page is a page directory entry with PS set; a directory
 * entry with IPS set says that its table maps 64 KB pages, of which the first of each 16 entries counts
 * (public Gen9 PRM Vol 5, "Memory Views"; KBL Vol 3, "Memory Object Overview").
 */
#ifndef _IGEN_REGS_GTT_H_
#define _IGEN_REGS_GTT_H_

#include "defs.h"

#define GTTMMADR_GGTT_OFFSET		0x800000		/* in BAR 0 of 16 MB */

#define GEN8_PAGE_PRESENT		IGEN_BIT64(0)
#define GEN8_PAGE_RW			IGEN_BIT64(1)
#define GEN8_PAGE_PWT			IGEN_BIT64(3)
#define GEN8_PAGE_PCD			IGEN_BIT64(4)
#define GEN8_PTE_PAT			IGEN_BIT64(7)		/* in a 4 KB or 64 KB PTE */
#define GEN8_PDE_PS_2M			IGEN_BIT64(7)		/* in a PDE */
#define GEN8_PDE_IPS_64K		IGEN_BIT64(11)		/* in a PDE */
#define GEN8_PTE_ADDR_MASK		IGEN_MASK64(38, 12)
#define GEN8_PDE_2M_ADDR_MASK		IGEN_MASK64(38, 21)
#define GEN8_PTE_64K_ADDR_MASK		IGEN_MASK64(38, 16)
#define GEN8_PT_ENTRIES			512
#define GEN8_PPGTT_LEVELS		4

/* Private PAT: eight bytes, picked by PAT, PCD and PWT of the PTE. */
#define PRIVATE_PAT_LO			0x0040e0
#define PRIVATE_PAT_HI			0x0040e4
#define   PPAT_UC			  0x0
#define   PPAT_WC			  0x1
#define   PPAT_WT			  0x2
#define   PPAT_WB			  0x3
#define   PPAT_LLC			  (0x1 << 2)
#define   PPAT_LLCELLC			  (0x2 << 2)
#define   PPAT_AGE(n)			  ((n) << 4)

/* TLB invalidation: GGTT by the flush control, engines' by their own registers (bit clears when done). */
#define GFX_FLSH_CNTL			0x101008
#define   GFX_FLSH_CNTL_EN		  IGEN_BIT(0)
#define TLB_INV_RCS			0x004260
#define TLB_INV_VCS0			0x004264
#define TLB_INV_VCS1			0x004268
#define TLB_INV_BCS			0x00426c
#define TLB_INV_VECS			0x004270
#define   TLB_INV_REQUEST		  IGEN_BIT(0)

#define RING_FAULT_REG			0x004094
#define   RING_FAULT_VALID		  IGEN_BIT(0)
#define   RING_FAULT_TYPE_MASK		  IGEN_MASK(2, 1)
#define   RING_FAULT_SRCID_MASK		  IGEN_MASK(10, 3)
#define   RING_FAULT_GGTT		  IGEN_BIT(11)
#define   RING_FAULT_ENGINE_MASK	  IGEN_MASK(14, 12)
#define FAULT_TLB_DATA0			0x004b10
#define FAULT_TLB_DATA1			0x004b14
/* Whether the IPS bit of a PDE counts, by engine group (as stock i915 programs it on Gen8 and Gen9). */
#define GAMW_ECO_DEV_RW_IA		0x004080
#define   GAMW_ECO_ENABLE_64K_IPS_MASK	  IGEN_MASK(3, 0)
#define GAM_ECOCHK			0x004090

/* Fence registers: 32, 64 bits each; they detile what the CPU does through the aperture. */
#define FENCE_REG(n)			(0x100000 + (n) * 8)
#define   FENCE_REGS			  32
#define   FENCE_PITCH_MASK		  IGEN_MASK64(43, 32)	/* in 128 bytes, minus one */
#define   FENCE_START_MASK		  IGEN_MASK64(31, 12)
#define   FENCE_END_MASK		  IGEN_MASK64(63, 44)	/* last page's address bits 31:12, in the upper dword */
#define   FENCE_TILE_Y			  IGEN_BIT64(1)
#define   FENCE_VALID			  IGEN_BIT64(0)

#endif
