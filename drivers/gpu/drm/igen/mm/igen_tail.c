// SPDX-License-Identifier: MIT
/**
 * DOC: The tail page behind an object in the aperture
 *
 * A fence register covers whole rows of tiles. An object that ends within a row of tiles therefore has addresses behind
 * its end in the aperture. A client reaches these addresses through its mapping, because each line of pixels goes
 * across all tiles of the row. Entries of the GGTT cannot deny writes. So these addresses lead to a page that belongs
 * to the object. If all objects shared that page, clients could read each other's data there.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "igen_bo.h"
#include "igen_tail.h"

/**
 * igen_tail_make - give an object a tail page if it has none
 * @bo: the object, locked
 *
 * Called before the driver binds a VMA of the object in the GGTT that is larger than the object's part in it.
 *
 * Return: 0 or -ENOMEM.
 * Context: may sleep; in a drm_dev_enter() section.
 */
int igen_tail_make(struct igen_bo *bo)
{
	struct igen_device *igen = to_igen(bo->base.dev);
	struct igen_tail *tail;

	dma_resv_assert_held(bo->base.resv);

	if (bo->tail)
		return 0;
	tail = kzalloc(sizeof(*tail), GFP_KERNEL_ACCOUNT);
	if (!tail)
		return -ENOMEM;
	tail->page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!tail->page || igen_dma_map_page(igen, &tail->dma, tail->page, PAGE_SIZE)) {
		if (tail->page)
			__free_page(tail->page);
		kfree(tail);
		return -ENOMEM;
	}
	bo->tail = tail;
	return 0;
}

/**
 * igen_tail_free - frees an object's tail, if it has one
 * @bo: the object, without references; no VMA of it is in the GGTT, and a TLB flush has passed since
 */
void igen_tail_free(struct igen_bo *bo)
{
	struct igen_tail *tail = bo->tail;

	if (!tail)
		return;
	igen_dma_unmap(to_igen(bo->base.dev), &tail->dma);
	__free_page(tail->page);
	kfree(tail);
	bo->tail = NULL;
}
