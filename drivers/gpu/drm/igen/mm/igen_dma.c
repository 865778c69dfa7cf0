// SPDX-License-Identifier: MIT
/**
 * DOC: Memory that the device sees
 *
 * Memory is mapped for DMA on behalf of the PCI device, so no mapping may outlast the driver's binding to it; the
 * memory itself may: open files have objects, objects have mappings into processes, requests that wait for somebody
 * else's fence have their rings. So all that is mapped is on a list, and when the device has gone the list is unmapped,
 * whatever its owners are about. They find out when they free it.
 *
 * What other drivers have mapped for us, imported dma-bufs, is given back by uapi/igen_gem_prime.c.
 */
#include <linux/dma-mapping.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>

#include "../igen_device.h"
#include "igen_dma.h"

static void add(struct igen_device *igen, struct igen_dma *dma)
{
	struct igen_mm *mm = &igen->mm;

	dma->mapped = true;
	spin_lock(&mm->dma_lock);
	list_add_tail(&dma->link, &mm->dma_list);
	spin_unlock(&mm->dma_lock);
}

/* It is nobody else's business any more. */
static void remove(struct igen_device *igen, struct igen_dma *dma)
{
	lockdep_assert_held(&igen->mm.dma_lock);

	list_del(&dma->link);
	WRITE_ONCE(dma->mapped, false);
}

static void unmap(struct igen_device *igen, struct igen_dma *dma)
{
	struct device *dev = igen->drm.dev;

	if (dma->pages)
		dma_unmap_sgtable(dev, dma->pages, DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
	else
		dma_unmap_page(dev, dma->addr, dma->size, DMA_BIDIRECTIONAL);
}

/**
 * igen_dma_map_page - shows the device a page, or several that follow each other
 * @igen: the device, which stays there: the probe, or a drm_dev_enter() section
 * @dma: gets the address
 * @page: the first page
 * @size: bytes
 *
 * Return: 0 or -ENOMEM.
 */
int igen_dma_map_page(struct igen_device *igen, struct igen_dma *dma, struct page *page, u32 size)
{
	dma->addr = dma_map_page(igen->drm.dev, page, 0, size, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(igen->drm.dev, dma->addr))
		return -ENOMEM;
	dma->pages = NULL;
	dma->size = size;
	add(igen, dma);
	return 0;
}

/**
 * igen_dma_map_pages - shows the device a table of pages
 * @igen: the device, which stays there: the probe, or a drm_dev_enter() section
 * @dma: the mapping
 * @pages: the table, which gets the addresses; stays until it is unmapped
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
	add(igen, dma);
	return 0;
}

/**
 * igen_dma_unmap - the device sees it no more
 * @igen: the device, there or gone
 * @dma: the mapping; nothing happens when it is none, or not any more
 *
 * Takes igen_mm.dma_lock, but not for the unmapping itself, which takes long when there is an IOMMU and many pages.
 */
void igen_dma_unmap(struct igen_device *igen, struct igen_dma *dma)
{
	struct igen_mm *mm = &igen->mm;
	bool mapped;

	spin_lock(&mm->dma_lock);
	mapped = dma->mapped;
	if (mapped) {
		remove(igen, dma);
		atomic_inc(&mm->dma_unmaps);
	}
	spin_unlock(&mm->dma_lock);
	if (!mapped)
		return;

	unmap(igen, dma);
	if (atomic_dec_and_test(&mm->dma_unmaps))
		wake_up_var(&mm->dma_unmaps);
}

/**
 * igen_dma_revoke - the device sees nothing more
 * @igen: the device: stopped, and unplugged if it was ever registered, so that nothing is mapped any more
 *
 * The memory stays its owners', who may free it as soon as they find it unmapped: so that is done with the lock held.
 * May sleep.
 */
void igen_dma_revoke(struct igen_device *igen)
{
	struct igen_mm *mm = &igen->mm;

	spin_lock(&mm->dma_lock);
	while (!list_empty(&mm->dma_list)) {
		struct igen_dma *dma = list_first_entry(&mm->dma_list, struct igen_dma, link);

		unmap(igen, dma);
		remove(igen, dma);
		cond_resched_lock(&mm->dma_lock);
	}
	spin_unlock(&mm->dma_lock);
	/* What owners took off the list before is unmapped as well. */
	wait_var_event(&mm->dma_unmaps, !atomic_read(&mm->dma_unmaps));
}
