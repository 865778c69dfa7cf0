// SPDX-License-Identifier: MIT
/**
 * DOC: Scratch
 *
 * The command streamer prefetches beyond the end of a batch, and the samplers read beyond the end of a surface. So
 * every address of an address space is mapped. Addresses without an object lead to the scratch page, which is full of
 * zeroes, by tables that all address spaces share. These entries deny writes, and the hardware drops such writes (KBL
 * Vol 3, "Memory Object Overview"; stock i915 does so too). So no client finds data of another client there. The
 * scratch page has 64 KB, because that is the smallest page of a table with 64 KB pages.
 *
 * Where entries cannot deny writes, each address space has a scratch page of its own, and nothing of this
 * (igen_gtt_ops.scratch_tables).
 *
 * Entries of the GGTT cannot deny writes, so the GGTT has a scratch page of its own. No batch can read that one.
 */
#include <drm/drm_cache.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include "../igen_device.h"
#include "igen_scratch.h"

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
	if (scratch->ggtt_page) {
		igen_dma_unmap(igen, &scratch->ggtt_dma);
		__free_page(scratch->ggtt_page);
		scratch->ggtt_page = NULL;
	}
	if (scratch->page) {
		igen_dma_unmap(igen, &scratch->dma);
		__free_pages(scratch->page, get_order(SZ_64K));
		scratch->page = NULL;
	}
}

static struct page *scratch_alloc_mapped(struct igen_device *igen, u32 size, struct igen_dma *dma)
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
 * igen_scratch_init - makes the pages and the tables
 * @igen: the device
 *
 * Return: 0 or -ENOMEM.
 */
int igen_scratch_init(struct igen_device *igen)
{
	const struct igen_gtt_ops *gtt = igen->platform->gtt;
	struct igen_scratch *scratch = &igen->ggtt.scratch;
	unsigned int i;

	if (gtt->scratch_tables) {
		scratch->page = scratch_alloc_mapped(igen, SZ_64K, &scratch->dma);
		if (!scratch->page)
			return -ENOMEM;
	}
	scratch->ggtt_page = scratch_alloc_mapped(igen, PAGE_SIZE, &scratch->ggtt_dma);
	if (!scratch->ggtt_page) {
		igen_scratch_fini(igen);
		return -ENOMEM;
	}

	for (i = 0; i < gtt->scratch_tables; i++) {
		scratch->tables[i] = scratch_alloc_mapped(igen, PAGE_SIZE, &scratch->table_dma[i]);
		if (!scratch->tables[i]) {
			igen_scratch_fini(igen);
			return -ENOMEM;
		}
		gtt->fill_scratch_table(scratch, page_address(scratch->tables[i]), i);
		if (!igen->platform->tables_snooped)
			drm_clflush_virt_range(page_address(scratch->tables[i]), PAGE_SIZE);
	}
	return 0;
}
