/* SPDX-License-Identifier: MIT */
/**
 * DOC: Entries of the GGTT's and the PPGTT's tables on Gen8 and Gen9
 *
 * The upper half of BAR 0 holds the global GTT, one 64-bit entry a 4 KB page. A per-process GTT is a tree
 * of four levels with 512 entries a page; a 2 MB page is a page directory entry with PS set; a directory
 * entry with IPS set says that its table maps 64 KB pages, of which the first of each 16 entries counts
 * (public Gen9 PRM Vol 5, "Memory Views"; KBL Vol 3, "Memory Object Overview").
 */
#ifndef _IGEN_REGS_PTE_H_
#define _IGEN_REGS_PTE_H_

#include <igen/regs/defs.h>

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

#endif
