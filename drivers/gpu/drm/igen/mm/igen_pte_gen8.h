/* SPDX-License-Identifier: MIT */
/**
 * DOC: Page-table entries of Gen8 and Gen9, and where they are
 *
 * Pure functions of their arguments, so that they can be tested without hardware. Levels count from 0, the table of
 * pages, to 3, the PML4; an address of 48 bits has nine for each level above the lower twelve
 * (include/igen/regs/gtt.h).
 */
#ifndef _IGEN_PTE_GEN8_H_
#define _IGEN_PTE_GEN8_H_

#include <linux/types.h>

#include "igen/regs/gtt.h"
#include "igen/regs/pci.h"
#include "igen_scratch.h"
#include "igen_vm.h"

#define IGEN_PT_SHIFT		9
#define IGEN_PT_TOP		(GEN8_PPGTT_LEVELS - 1)

/* log2 of the bytes that one entry of this level covers */
static inline unsigned int igen_pt_entry_shift(unsigned int level)
{
	return 12 + level * IGEN_PT_SHIFT;
}

static inline unsigned int igen_pt_index(u64 addr, unsigned int level)
{
	return (addr >> igen_pt_entry_shift(level)) & (GEN8_PT_ENTRIES - 1);
}

/* The end of what the entry that addr is in covers, or end if that comes first. */
static inline u64 igen_pt_addr_end(u64 addr, u64 end, unsigned int level)
{
	u64 next = ((addr >> igen_pt_entry_shift(level)) + 1) << igen_pt_entry_shift(level);

	return min(next, end);
}

/*
 * How a page is cached: an index into the private PAT from PAT (4), PCD (2) and PWT (1). The table is stock
 * i915's: 0 write-back in LLC, 2 for scanout from eLLC, 3 uncached, 4 write-back in LLC and eLLC with the age that MOCS
 * may override.
 */
static inline u64 igen_pte_cache_bits(enum igen_cache_level level)
{
	switch (level) {
	case IGEN_CACHE_NONE:
		return GEN8_PAGE_PCD | GEN8_PAGE_PWT;
	case IGEN_CACHE_DISPLAY:
		return GEN8_PAGE_PCD;
	default:
		return GEN8_PTE_PAT;
	}
}

/* An entry for a 4 KB page, or for one of the 16 of a 64 KB page. */
static inline u64 igen_ppgtt_pte(u64 dma, enum igen_cache_level level, u32 flags)
{
	u64 pte = (dma & GEN8_PTE_ADDR_MASK) | GEN8_PAGE_PRESENT | igen_pte_cache_bits(level);

	return flags & IGEN_PTE_READ_ONLY ? pte : pte | GEN8_PAGE_RW;
}

/*
 * A directory's entry for a 2 MB page. Its bit 7 says that it is one, so that it has no PAT bit: what a table's entry
 * caches by index 4 is index 0 here.
 */
static inline u64 igen_ppgtt_pde_2m(u64 dma, enum igen_cache_level level, u32 flags)
{
	u64 pde = (dma & GEN8_PDE_2M_ADDR_MASK) | GEN8_PAGE_PRESENT | GEN8_PDE_PS_2M;

	pde |= igen_pte_cache_bits(level) & ~GEN8_PTE_PAT;
	return flags & IGEN_PTE_READ_ONLY ? pde : pde | GEN8_PAGE_RW;
}

/* An entry that leads to a table. */
static inline u64 igen_ppgtt_pde(u64 dma)
{
	return (dma & GEN8_PTE_ADDR_MASK) | GEN8_PAGE_PRESENT | GEN8_PAGE_RW;
}

/* The GGTT's entries have no rights and no caching but what MOCS and the engine say. */
static inline u64 igen_ggtt_pte(u64 dma)
{
	return (dma & GEN8_PTE_ADDR_MASK) | GEN8_PAGE_PRESENT;
}

/* Bytes of GGTT by GMCH_CTL: 0 when there is none. */
static inline u64 igen_gmch_ggtt_size(u16 gmch_ctl)
{
	unsigned int ggms = IGEN_GET(GMCH_CTL_GGMS_MASK, gmch_ctl);

	/* 1 << n MB of entries of 8 bytes, each for 4 KB. */
	return ggms ? (u64)1 << (20 - 3 + 12 + ggms) : 0;
}

/* The entry of a table of this level (0 is the lowest) that leads to scratch. */
static inline u64 igen_scratch_entry(const struct igen_scratch *scratch, unsigned int level)
{
	if (!level)
		return igen_ppgtt_pte(scratch->dma.addr, IGEN_CACHE_COHERENT, IGEN_PTE_READ_ONLY);
	return igen_ppgtt_pde(scratch->table_dma[level - 1].addr);
}

/* igen_ppgtt_gen8.c */
struct igen_vm *igen_ppgtt_gen8_create(struct igen_device *igen, struct igen_budget *budget);

#endif
