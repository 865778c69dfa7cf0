/* SPDX-License-Identifier: MIT */
/**
 * DOC: Memory that the device sees
 *
 * See igen_dma.c.
 */
#ifndef _IGEN_DMA_H_
#define _IGEN_DMA_H_

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/types.h>

struct igen_device;
struct page;
struct sg_table;

/**
 * struct igen_dma - memory and its mapping for the device; zeroed before it is first used
 */
struct igen_dma {
	/** @link: in igen_mm.dma_list while it is mapped, under igen_mm.dma_lock */
	struct list_head link;
	/** @pages: what is mapped, or NULL for a page */
	struct sg_table *pages;
	/** @addr: bus address of a page; keeps its value when it is not mapped any more */
	dma_addr_t addr;
	/** @size: bytes of a page */
	u32 size;
	/** @mapped: the device sees it; set by its owner, cleared under igen_mm.dma_lock */
	bool mapped;
};

int igen_dma_map_page(struct igen_device *igen, struct igen_dma *dma, struct page *page, u32 size);
int igen_dma_map_pages(struct igen_device *igen, struct igen_dma *dma, struct sg_table *pages);
void igen_dma_unmap(struct igen_device *igen, struct igen_dma *dma);
void igen_dma_revoke(struct igen_device *igen);

/* Whether the device sees it; that stays so in a drm_dev_enter() section. */
static inline bool igen_dma_is_mapped(const struct igen_dma *dma)
{
	return READ_ONCE(dma->mapped);
}

#endif
