// SPDX-License-Identifier: MIT
/**
 * DOC: Scratch
 *
 * The command streamer prefetches beyond the end of a batch, and the samplers beyond that of a surface, so everything
 * in an address space leads somewhere: to a page of zeroes, by tables that are shared by all address spaces. Entries to
 * it deny writes, which are dropped then (KBL Vol 3, "Memory Object Overview"; as stock i915 has it), so that no client
 * reads there what another left. It is 64 KB, because a table with 64 KB pages can't show less.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include "../igen_device.h"
#include "igen_pte.h"
#include "igen_scratch.h"

/**
 * igen_scratch_entry - the entry that leads to scratch
 * @scratch: the scratch
 * @level: of the table in which the entry is to be, 0 the lowest
 */
u64 igen_scratch_entry(const struct igen_scratch *scratch, unsigned int level)
{
	if (!level)
		return igen_ppgtt_pte(scratch->dma.addr, IGEN_CACHE_LLC, IGEN_PTE_READ_ONLY);
	return igen_ppgtt_pde(scratch->table_dma[level - 1].addr);
}

/**
 * igen_scratch_fini - undoes igen_scratch_init(), also when that failed midway
 * @igen: the device
 */
void igen_scratch_fini(struct igen_device *igen)
{
	struct igen_scratch *scratch = &igen->ggtt.scratch;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(scratch->tables); i++) {
		if (!scratch->tables[i])
			continue;
		igen_dma_unmap(igen, &scratch->table_dma[i]);
		__free_page(scratch->tables[i]);
		scratch->tables[i] = NULL;
	}
	if (scratch->page) {
		igen_dma_unmap(igen, &scratch->dma);
		__free_pages(scratch->page, get_order(SZ_64K));
		scratch->page = NULL;
	}
}

static struct page *alloc_mapped(struct igen_device *igen, u32 size, struct igen_dma *dma)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO, get_order(size));

	if (!page)
		return NULL;
	if (igen_dma_map_page(igen, dma, page, size)) {
		__free_pages(page, get_order(size));
		return NULL;
	}
	return page;
}

/**
 * igen_scratch_init - makes the page and its tables
 * @igen: the device
 *
 * Return: 0 or -ENOMEM.
 */
int igen_scratch_init(struct igen_device *igen)
{
	struct igen_scratch *scratch = &igen->ggtt.scratch;
	unsigned int i;

	scratch->page = alloc_mapped(igen, SZ_64K, &scratch->dma);
	if (!scratch->page)
		return -ENOMEM;

	for (i = 0; i < ARRAY_SIZE(scratch->tables); i++) {
		scratch->tables[i] = alloc_mapped(igen, PAGE_SIZE, &scratch->table_dma[i]);
		if (!scratch->tables[i]) {
			igen_scratch_fini(igen);
			return -ENOMEM;
		}
		memset64(page_address(scratch->tables[i]), igen_scratch_entry(scratch, i), GEN8_PT_ENTRIES);
	}
	return 0;
}
