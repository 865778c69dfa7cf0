/* SPDX-License-Identifier: MIT */
/*
 * Objects that a client has closed and may get again, see igen_bo_cache.c.
 */
#ifndef _IGEN_BO_CACHE_H_
#define _IGEN_BO_CACHE_H_

#include <linux/list.h>
#include <linux/types.h>

struct igen_bo;
struct igen_budget;
struct igen_device;

/** struct igen_bo_cache - closed objects of a client; all under igen_mm.closed_lock */
struct igen_bo_cache {
	/** @link: in igen_mm.closed_caches while there are objects */
	struct list_head link;
	/** @closed: the objects by igen_bo.cache_link, the one that was closed last in front */
	struct list_head closed;
	/** @pages: how many pages of 4 KB they have, or would have */
	unsigned int pages;
	/** @most: how many they may have; 0 once the file is closed */
	unsigned int most;
	/** @used: something was put or taken since igen_mm.closed_work ran last */
	bool used;
};

void igen_bo_cache_init(struct igen_bo_cache *cache);
void igen_bo_cache_put(struct igen_bo_cache *cache, struct igen_bo *bo, const struct igen_budget *budget);
struct igen_bo *igen_bo_cache_get(struct igen_device *igen, struct igen_bo_cache *cache, u64 size);
bool igen_bo_cache_empty(struct igen_device *igen, struct igen_bo_cache *cache);
void igen_bo_cache_close(struct igen_device *igen, struct igen_bo_cache *cache);
unsigned long igen_bo_caches_drain(struct igen_device *igen, unsigned long pages);
void igen_bo_caches_init(struct igen_device *igen);

#endif
