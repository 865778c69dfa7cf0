// SPDX-License-Identifier: MIT
/**
 * DOC: Memory that the device sees
 *
 * A DMA mapping belongs to the PCI device, so it must not outlast the driver's binding to the device. The memory may
 * outlast the binding: open files keep objects, processes keep mappings of objects, and requests that wait for another
 * driver's fence keep their rings. Therefore the driver lists all DMA mappings (igen_mm.dma_list), and an unbind unmaps
 * everything on the list. An owner that frees its memory later finds it unmapped.
 *
 * Imported dma-bufs are mapped by the drivers that export them. uapi/igen_gem_prime.c gives these back.
 */
#include <drm/drm_drv.h>
#include <linux/dma-mapping.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>

#include "../igen_device.h"
#include "igen_dma.h"

static void dma_list_add(struct igen_device *igen, struct igen_dma *dma)
{
	struct igen_mm *mm = &igen->mm;

	dma->mapped = true;
	spin_lock(&mm->dma_lock);
	list_add_tail(&dma->link, &mm->dma_list);
	spin_unlock(&mm->dma_lock);
}

/* Takes a mapping off the list. The caller that has taken it off unmaps it. */
static void dma_list_remove(struct igen_device *igen, struct igen_dma *dma)
{
	lockdep_assert_held(&igen->mm.dma_lock);

	list_del(&dma->link);
	WRITE_ONCE(dma->mapped, false);
}

static void dma_unmap_any(struct igen_device *igen, struct igen_dma *dma)
{
	struct device *dev = igen->drm.dev;

	if (dma->pages)
		dma_unmap_sgtable(dev, dma->pages, DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
	else
		dma_unmap_page(dev, dma->addr, dma->size, DMA_BIDIRECTIONAL);
}

/**
 * igen_dma_map_page - map a page, or several contiguous pages, for DMA
 * @igen: the device
 * @dma: the mapping, which receives the address
 * @page: the first page
 * @size: bytes
 *
 * The caller keeps the device there: it is the probe, or in a drm_dev_enter() section.
 *
 * Return: 0, -ENOMEM, or -ENODEV when the device has gone.
 */
int igen_dma_map_page(struct igen_device *igen, struct igen_dma *dma, struct page *page, u32 size)
{
	int idx, err = 0;

	if (!drm_dev_enter(&igen->drm, &idx))
		return -ENODEV;
	dma->addr = dma_map_page(igen->drm.dev, page, 0, size, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(igen->drm.dev, dma->addr)) {
		err = -ENOMEM;
	} else {
		dma->pages = NULL;
		dma->size = size;
		dma_list_add(igen, dma);
	}
	drm_dev_exit(idx);
	return err;
}

/**
 * igen_dma_map_pages - map a table of pages for DMA
 * @igen: the device; the caller is the probe or a drm_dev_enter() section, so that the device stays
 * @dma: the mapping
 * @pages: the table, which receives the addresses; it stays until igen_dma_unmap()
 *
 * Return: 0 or -errno of dma_map_sgtable().
 */
int igen_dma_map_pages(struct igen_device *igen, struct igen_dma *dma, struct sg_table *pages)
{
	int err;

	err = dma_map_sgtable(igen->drm.dev, pages, DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC | DMA_ATTR_NO_WARN);
	if (err)
		return err;
	dma->pages = pages;
	dma_list_add(igen, dma);
	return 0;
}

/**
 * igen_dma_unmap - unmap memory for DMA
 * @igen: the device, which may have gone
 * @dma: the mapping; nothing happens if the memory was never mapped, or is unmapped already
 *
 * Drops igen_mm.dma_lock before it unmaps, since with an IOMMU that takes long for many pages.
 *
 * Context: may sleep; takes igen_mm.dma_lock.
 */
void igen_dma_unmap(struct igen_device *igen, struct igen_dma *dma)
{
	struct igen_mm *mm = &igen->mm;
	bool mapped;

	spin_lock(&mm->dma_lock);
	mapped = dma->mapped;
	if (mapped) {
		dma_list_remove(igen, dma);
		atomic_inc(&mm->dma_unmaps);
	}
	spin_unlock(&mm->dma_lock);
	if (!mapped)
		return;

	dma_unmap_any(igen, dma);
	if (atomic_dec_and_test(&mm->dma_unmaps))
		wake_up_var(&mm->dma_unmaps);
}

/**
 * igen_dma_revoke - unmap all memory of a device
 * @igen: the device, stopped and, if it was registered, unplugged; so no new mapping is made
 *
 * The owners keep their memory, and may free it as soon as they find it unmapped. So the list's lock is held while
 * memory is unmapped.
 *
 * Context: may sleep; takes igen_mm.dma_lock.
 */
void igen_dma_revoke(struct igen_device *igen)
{
	struct igen_mm *mm = &igen->mm;

	spin_lock(&mm->dma_lock);
	while (!list_empty(&mm->dma_list)) {
		struct igen_dma *dma = list_first_entry(&mm->dma_list, struct igen_dma, link);

		dma_unmap_any(igen, dma);
		dma_list_remove(igen, dma);
		cond_resched_lock(&mm->dma_lock);
	}
	spin_unlock(&mm->dma_lock);
	/* Owners may still be unmapping what they took off the list before. */
	wait_var_event(&mm->dma_unmaps, !atomic_read(&mm->dma_unmaps));
}
