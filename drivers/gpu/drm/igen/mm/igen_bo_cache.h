/* SPDX-License-Identifier: MIT */
/*
 * Objects that a client has closed and may get again, see igen_bo_cache.c.
 */
#ifndef _IGEN_BO_CACHE_H_
#define _IGEN_BO_CACHE_H_

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct igen_bo;
struct igen_budget;

/** struct igen_bo_cache - closed objects of a client */
struct igen_bo_cache {
	/** @lock: guards what follows; a leaf */
	spinlock_t lock;
	/** @closed: the objects by igen_bo.cache_link, the one that was closed last in front */
	struct list_head closed;
	/** @num: how many there are */
	unsigned int num;
	/** @most: how many there may be; 0 once the file is closed */
	unsigned int most;
};

void igen_bo_cache_init(struct igen_bo_cache *cache);
void igen_bo_cache_put(struct igen_bo_cache *cache, struct igen_bo *bo, const struct igen_budget *budget);
struct igen_bo *igen_bo_cache_get(struct igen_bo_cache *cache, u64 size);
void igen_bo_cache_drain(struct igen_bo_cache *cache);
void igen_bo_cache_close(struct igen_bo_cache *cache);

#endif
