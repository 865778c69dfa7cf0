// SPDX-License-Identifier: MIT
/**
 * DOC: The driver's own objects
 *
 * Rings, context images and status pages have pages from the page allocator. These are zeroed, never swapped and never
 * shared with userspace. The shrinker may empty a discardable object while the object is idle and unlocked
 * (uapi/igen_execbuf_shadow.c).
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../igen_device.h"
#include "igen_bo.h"
#include "igen_budget.h"
#include "igen_mm.h"

static void internal_free_pages(struct page **list, unsigned int n)
{
	while (n--)
		__free_page(list[n]);
	kvfree(list);
}

static int internal_get_pages(struct igen_bo *bo)
{
	unsigned int i, n = bo->base.size >> PAGE_SHIFT;
	struct page **list;
	int err;

	/* For a discardable object the shrinker may wait for busy objects, as for objects of userspace. */
	if (!igen_make_room(to_igen(bo->base.dev), n, bo->ops->discardable ? IGEN_SHRINK_ACTIVE : 0))
		return -ENOMEM;
	list = kvmalloc_array(n, sizeof(*list), IGEN_GFP_CLIENT);
	if (!list)
		return -ENOMEM;

	for (i = 0; i < n; i++) {
		list[i] = alloc_page(IGEN_GFP_CLIENT | __GFP_ZERO);
		if (!list[i]) {
			internal_free_pages(list, i);
			return -ENOMEM;
		}
	}

	err = igen_bo_map_pages(bo, list);
	if (err)
		internal_free_pages(list, n);
	return err;
}

static void internal_put_pages(struct igen_bo *bo)
{
	struct page **list = bo->page_list;

	if (is_vmalloc_addr(bo->vaddr))
		vunmap(bo->vaddr);
	bo->vaddr = NULL;
	igen_bo_unmap_pages(bo);
	internal_free_pages(list, bo->base.size >> PAGE_SHIFT);
}

/**
 * igen_bo_charge_copy - charges a place in the GGTT to the client of a discardable object
 * @bo: the object
 * @all: bytes that the objects of all clients may have there
 *
 * Undone by igen_bo_uncharge_copy(), or when the object is freed.
 *
 * Return: 0, or -ENOSPC when the client has used up its share.
 */
int igen_bo_charge_copy(struct igen_bo *bo, u64 all)
{
	int err = igen_budget_charge_ggtt(bo->budget, IGEN_GGTT_COPIES, bo->base.size >> PAGE_SHIFT, all >> PAGE_SHIFT);

	if (!err)
		WRITE_ONCE(bo->charged_copy, true);
	return err;
}

/**
 * igen_bo_uncharge_copy - ends the charge for a place in the GGTT, if there is one
 * @bo: the object, idle: another object may take its place
 */
void igen_bo_uncharge_copy(struct igen_bo *bo)
{
	if (xchg(&bo->charged_copy, false))
		igen_budget_uncharge_ggtt(bo->budget, IGEN_GGTT_COPIES, bo->base.size >> PAGE_SHIFT);
}

/* The pages are charged as long as the object exists, whether it has them at the time or not. */
static void discardable_release(struct igen_bo *bo)
{
	igen_bo_uncharge_copy(bo);
	igen_budget_uncharge(bo->budget, bo->base.size);
}

static const struct igen_bo_ops discardable_ops = {
	.name = "discardable",
	.release = discardable_release,
	.shrinkable = true,
	.discardable = true,
	.get_pages = internal_get_pages,
	.put_pages = internal_put_pages,
};

static const struct igen_bo_ops internal_ops = {
	.name = "internal",
	.get_pages = internal_get_pages,
	.put_pages = internal_put_pages,
};

/**
 * igen_bo_create_internal - an object for the driver's own use
 * @igen: the device
 * @size: bytes, a multiple of 4096
 *
 * For rings, context images and the HWSP. The pages are zeroed and never swapped; userspace gets no handle of them.
 *
 * Return: the object with one reference, or ERR_PTR(-EINVAL, -E2BIG, -ENOMEM).
 */
struct igen_bo *igen_bo_create_internal(struct igen_device *igen, u64 size)
{
	return igen_bo_alloc(igen, &internal_ops, size);
}

/**
 * igen_bo_create_discardable - an object for the driver's own use that the shrinker may empty
 * @igen: the device
 * @size: bytes, a multiple of 4096
 * @budget: of the client for which the object is; the object is charged to it with all of its pages, until it is freed
 *
 * After locking the object, the caller looks at igen_bo.pages. An object without pages has lost its content, and its
 * new pages are zeroed.
 *
 * The shrinker may take the pages while the object is not locked and the GPU does not use it.
 *
 * Return: the object with one reference, or ERR_PTR(-EINVAL, -E2BIG, -ENOMEM).
 */
struct igen_bo *igen_bo_create_discardable(struct igen_device *igen, u64 size, struct igen_budget *budget)
{
	const u64 bytes = size + igen_bo_charged_bytes(false);
	struct igen_bo *bo;

	if (igen_budget_charge_request(budget, bytes))
		return ERR_PTR(-ENOMEM);
	bo = igen_bo_alloc(igen, &discardable_ops, size);
	if (IS_ERR(bo))
		igen_budget_uncharge(budget, bytes);
	else
		bo->budget = budget;
	return bo;
}
