/* SPDX-License-Identifier: MIT */
/**
 * DOC: Entries of the GGTT's and the PPGTT's tables
 *
 * Gen8 and Gen9: the upper half of BAR 0 holds the global GTT, one 64-bit entry a 4 KB page. A per-process GTT is a
 * tree of four levels with 512 entries a page; a 2 MB page is a page directory entry with PS set; a directory entry
 * with IPS set says that its table maps 64 KB pages, of which the first of each 16 entries counts (public Gen9 PRM
 * Vol 5, "Memory Views"; KBL Vol 3, "Memory Object Overview").
 *
 * Gen6 and Gen7: the upper half of BAR 0 holds 32-bit entries. Bits 11:4 of an entry are bits 39:32 of the address. A
 * per-process GTT has one directory of 512 entries, which stand among those of the global GTT, where the entries of 2
 * MB of its addresses would be; each leads to a page of 1024 entries. The directory is read when PP_DIR_BASE is
 * written (as stock i915 programs Gen6 and Gen7).
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
#define GEN8_PDE_2M_PAT			IGEN_BIT64(12)		/* in the PDE of a 2 MB page */
#define GEN8_PDE_IPS_64K		IGEN_BIT64(11)		/* in a PDE */
#define GEN8_PTE_ADDR_MASK		IGEN_MASK64(38, 12)
#define GEN8_PDE_2M_ADDR_MASK		IGEN_MASK64(38, 21)
#define GEN8_PTE_64K_ADDR_MASK		IGEN_MASK64(38, 16)
#define GEN8_PT_ENTRIES			512
#define GEN8_PPGTT_LEVELS		4

#define GEN6_GTTMMADR_GGTT_OFFSET	0x200000		/* in BAR 0 of 4 MB */

#define GEN6_PTE_VALID			IGEN_BIT(0)
#define GEN6_PTE_CACHE_MASK		IGEN_MASK(2, 1)
#define   GEN6_PTE_UNCACHED		  1u
#define   GEN6_PTE_CACHE_LLC		  2u
#define   GEN7_PTE_CACHE_L3_LLC		  3u
#define GEN6_PTE_ADDR_HIGH_MASK		IGEN_MASK(11, 4)	/* bits 39:32 of the address */
#define GEN6_PTE_ADDR_LOW_MASK		IGEN_MASK(31, 12)
#define GEN6_PDE_VALID			IGEN_BIT(0)		/* the entry has its address as a PTE has */
#define GEN6_PT_ENTRIES			1024
#define GEN6_PD_ENTRIES			512
#define GEN6_PD_ALIGN			16			/* entries of a cache line, PP_DIR_BASE's unit */

#endif
