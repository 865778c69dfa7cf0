/* SPDX-License-Identifier: MIT */
/**
 * DOC: Scratch
 *
 * See igen_scratch.c.
 */
#ifndef _IGEN_SCRATCH_H_
#define _IGEN_SCRATCH_H_

#include "igen_dma.h"

struct igen_device;
struct page;

/** struct igen_scratch - a page of zeroes, and a table of each level that leads to nothing else */
struct igen_scratch {
	/** @page: 64 KB of zeroes; what it shows is never written by a user's batch */
	struct page *page;
	/** @dma: its mapping, at an address aligned to its size */
	struct igen_dma dma;
	/** @tables: one table a level; level 0 shows @page */
	struct page *tables[3];
	/** @table_dma: their mappings */
	struct igen_dma table_dma[3];
};

int igen_scratch_init(struct igen_device *igen);
void igen_scratch_fini(struct igen_device *igen);

/* The entry of a PPGTT table of this level (0 is the lowest) that leads to scratch. */
u64 igen_scratch_entry(const struct igen_scratch *scratch, unsigned int level);

#endif
