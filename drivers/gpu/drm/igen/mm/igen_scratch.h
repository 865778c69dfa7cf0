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

/* Levels of tables below the top of an address space, at most. */
#define IGEN_SCRATCH_TABLES	3

/** struct igen_scratch - a page of zeroes, and a table of each level that leads to nothing else */
struct igen_scratch {
	/** @page: 64 KB of zeroes, shown by entries of PPGTTs alone, which deny writes */
	struct page *page;
	/** @dma: its mapping, at an address aligned to its size */
	struct igen_dma dma;
	/** @ggtt_page: 4 KB for the GGTT, whose entries cannot deny writes */
	struct page *ggtt_page;
	/** @ggtt_dma: its mapping */
	struct igen_dma ggtt_dma;
	/** @tables: one table a level, as many as igen_gtt_ops.scratch_tables says; level 0 shows @page */
	struct page *tables[IGEN_SCRATCH_TABLES];
	/** @table_dma: their mappings */
	struct igen_dma table_dma[IGEN_SCRATCH_TABLES];
};

int igen_scratch_init(struct igen_device *igen);
void igen_scratch_fini(struct igen_device *igen);

#endif
