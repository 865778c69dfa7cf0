/* SPDX-License-Identifier: MIT */
/**
 * DOC: Page-table entries of Gen6 and Gen7
 *
 * Entries have 32 bits and the same form in the GGTT, in tables of pages and, without caching, in directories: bits
 * 31:12 of the address, bits 39:32 of it in bits 11:4, and whether the entry is valid (as stock i915 writes them). A
 * table has 1024 entries, for 4 MB; a directory has 512, for the 2 GB that an address space has. Pure functions of
 * their arguments, so that they can be tested without hardware.
 */
#ifndef _IGEN_PTE_GEN6_H_
#define _IGEN_PTE_GEN6_H_

#include <linux/sizes.h>
#include <linux/types.h>

#include <igen/regs/pci.h>
#include <igen/regs/pte.h>

#include "igen_vm.h"

#define IGEN_GEN6_PT_BYTES	SZ_4M		/* of address space, that a table has */
#define IGEN_GEN6_PD_BYTES	SZ_2M		/* of the GGTT, whose entries a directory takes */
#define IGEN_GEN6_PD_ALIGN	(GEN6_PD_ALIGN * SZ_4K)

static inline u32 igen_gen6_entry(u64 dma)
{
	return (lower_32_bits(dma) & GEN6_PTE_ADDR_LOW_MASK) | IGEN_PREP(GEN6_PTE_ADDR_HIGH_MASK, upper_32_bits(dma)) |
	       GEN6_PTE_VALID;
}

/* An entry for a page; how it is cached in L3 is for MOCS to say. */
static inline u32 igen_gen6_pte(u64 dma, enum igen_cache_level level)
{
	return igen_gen6_entry(dma) |
	       IGEN_PREP(GEN6_PTE_CACHE_MASK, level == IGEN_CACHE_NONE ? GEN6_PTE_UNCACHED : GEN6_PTE_CACHE_LLC);
}

/* Bytes of GGTT by GMCH_CTL: 0 when there is none. */
static inline u64 igen_gen6_ggtt_size(u16 gmch_ctl)
{
	/* Megabytes of entries of 4 bytes, each for 4 KB. */
	return (u64)IGEN_GET(GEN6_GMCH_CTL_GGMS_MASK, gmch_ctl) * SZ_1G;
}

/* igen_ppgtt_gen6.c */
struct igen_vm *igen_ppgtt_gen6_create(struct igen_device *igen, struct igen_budget *budget);

#endif
