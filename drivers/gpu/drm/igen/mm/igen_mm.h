/* SPDX-License-Identifier: MIT */
/**
 * DOC: Memory management of a device
 *
 * struct igen_mm is the per-device state of mm/: the TLB generations; the objects, VMAs and address spaces that are
 * freed once the GPU has finished with them; and the objects whose pages the shrinker may take.
 */
#ifndef _IGEN_MM_H_
#define _IGEN_MM_H_

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

struct dma_fence;
struct igen_bo;
struct igen_budget;
struct igen_device;
struct shrinker;
struct vfsmount;

/* Jiffies until igen_mm.free_work runs: frees are gathered, since each TLB flush costs registers of all engines. */
#define IGEN_FREE_DELAY 1

/**
 * struct igen_tlb - generations of TLB flushes
 *
 * Flushes are numbered. The code that has cleared PTEs notes the number of the next flush to start (igen_tlb_mark());
 * once a flush of that number or a later one is over, no TLB knows what was there.
 */
struct igen_tlb {
	/** @mutex: one flush at a time; outside of forcewake, inside of everything else of this floor */
	struct mutex mutex;
	/** @started: number of the flush that started last */
	atomic64_t started;
	/** @failed: a flush has failed: stops the GPU and gives it up; under @mutex, may sleep; NULL: no need */
	void (*failed)(struct igen_device *igen);
	/** @completed: number of the flush that was over last; written under @mutex */
	atomic64_t completed;
};

/**
 * struct igen_mm - memory management of a device
 */
struct igen_mm {
	/** @budget: what all clients together have; set once, kept by what is charged to it */
	struct igen_budget *budget;
	/** @tlb: TLB generations */
	struct igen_tlb tlb;
	/** @is_request: tells the device's requests from other fences; set before there are any; NULL: all are */
	bool (*is_request)(const struct igen_device *igen, const struct dma_fence *fence);
	/** @free_work: unbinds and frees what its last user left busy, or what a TLB may still know */
	struct delayed_work free_work;
	/** @free_bos: objects without a reference, for @free_work */
	struct llist_head free_bos;
	/** @free_vmas: VMAs without a reference, for @free_work */
	struct llist_head free_vmas;
	/** @free_vms: address spaces without a reference, for @free_work */
	struct llist_head free_vms;
	/** @shrink_lock: guards @shrink_list, @purge_list and the counts; a leaf */
	spinlock_t shrink_lock;
	/** @shrink_list: objects with pages that may be swapped out, least recently populated first */
	struct list_head shrink_list;
	/** @purge_list: objects with pages whose content userspace needs no more, or that are discardable */
	struct list_head purge_list;
	/** @shrink_pages: pages of the objects on both lists, in 4 KB */
	unsigned long shrink_pages;
	/** @shrinker: the kernel's handle of us */
	struct shrinker *shrinker;
	/** @closed_lock: guards what clients have closed and may get again (igen_bo_cache.c); a leaf */
	spinlock_t closed_lock;
	/** @closed_caches: the clients' caches that have objects */
	struct list_head closed_caches;
	/** @closed_work: empties those that were not used for a while; queued while there are any */
	struct delayed_work closed_work;
	/** @dma_lock: guards @dma_list, @imports, and whether what is on @dma_list is mapped; a leaf */
	spinlock_t dma_lock;
	/** @dma_list: all that is mapped for the device, see igen_dma.c */
	struct list_head dma_list;
	/** @dma_unmaps: how many that were on it are being unmapped; raised under @dma_lock */
	atomic_t dma_unmaps;
	/** @imports: objects with another driver's pages, which it has mapped for the device */
	struct list_head imports;
	/** @released_imports: of objects that are gone, for @detach_work */
	struct llist_head released_imports;
	/** @detach_work: tells the other drivers, which takes the buffers' locks */
	struct delayed_work detach_work;
	/** @page_sizes: sizes of pages that PPGTTs show, ORed: SZ_4K, SZ_64K, SZ_2M; constant */
	u32 page_sizes;
	/** @shmem_mount: the tmpfs of the objects' files, or NULL for the system's; set once */
	struct vfsmount *shmem_mount;
};

int igen_mm_init(struct igen_device *igen);
void igen_mm_flush(struct igen_device *igen);
void igen_mm_flush_busy(struct igen_device *igen);
void igen_mm_free_idle(struct igen_device *igen);
void igen_mm_fini(struct igen_device *igen);

u64 igen_tlb_mark(struct igen_device *igen);
bool igen_tlb_passed(struct igen_device *igen, u64 mark);
void igen_tlb_flush_to(struct igen_device *igen, u64 mark);
void igen_tlb_flush(struct igen_device *igen);

bool igen_shmem_has_room(struct igen_bo *bo);
void igen_page_sizes_init(struct igen_device *igen);
bool igen_page_sizes_want_huge(const struct igen_device *igen);
void igen_shmem_init(struct igen_device *igen);
void igen_shmem_fini(struct igen_device *igen);

int igen_shrinker_init(struct igen_device *igen);
void igen_shrinker_fini(struct igen_device *igen);
/* igen_shrink(): may wait for the GPU, up to a second in all */
#define IGEN_SHRINK_ACTIVE	BIT(0)
/* igen_shrink(): unbinds and unpins pages even if there is no swap for them; the next use binds them again */
#define IGEN_SHRINK_UNSWAPPABLE	BIT(1)

unsigned long igen_reserve(void);
bool igen_make_room(struct igen_device *igen, unsigned long pages, unsigned int flags);
unsigned long igen_shrink(struct igen_device *igen, unsigned long pages, unsigned int flags);

#endif
