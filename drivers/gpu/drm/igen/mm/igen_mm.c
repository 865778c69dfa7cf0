// SPDX-License-Identifier: MIT
/**
 * DOC: Deferred freeing
 *
 * One worker frees address spaces, and VMAs and objects that were busy when their last reference went. The worker frees
 * those that are idle, and comes back for the others. It comes to an end, because every request completes: a batch that
 * hangs is reset.
 */
#include <linux/workqueue.h>

#include "../igen_device.h"
#include "igen_bo_cache.h"
#include "igen_budget.h"
#include "igen_mm.h"
#include "igen_vm.h"

/* How long the worker waits before it looks again at objects that were busy. */
#define BUSY_INTERVAL msecs_to_jiffies(10)

/* How long a call of a client waits for batches that may not end. */
#define BUSY_TIMEOUT (10 * HZ)

static void mm_free_work(struct work_struct *work)
{
	struct igen_mm *mm = container_of(work, struct igen_mm, free_work.work);
	struct igen_device *igen = container_of(mm, struct igen_device, mm);
	bool vmas, bos;

	vmas = igen_vma_free_list(igen);
	bos = igen_bo_free_list(igen);
	/* Last, since the flush for the objects served these too. */
	igen_vm_free_list(igen);
	if (!vmas || !bos)
		queue_delayed_work(igen->wq, &mm->free_work, BUSY_INTERVAL);
}

/**
 * igen_mm_init - first of all on this floor
 * @igen: the device; its wq is there
 *
 * Return: 0 or -ENOMEM.
 */
int igen_mm_init(struct igen_device *igen)
{
	struct igen_mm *mm = &igen->mm;
	int err;

	mutex_init(&mm->tlb.mutex);
	atomic64_set(&mm->tlb.started, 0);
	atomic64_set(&mm->tlb.completed, 0);
	INIT_DELAYED_WORK(&mm->free_work, mm_free_work);
	init_llist_head(&mm->free_bos);
	init_llist_head(&mm->free_vmas);
	init_llist_head(&mm->free_vms);
	spin_lock_init(&mm->shrink_lock);
	INIT_LIST_HEAD(&mm->shrink_list);
	INIT_LIST_HEAD(&mm->purge_list);
	igen_bo_caches_init(igen);
	spin_lock_init(&mm->dma_lock);
	INIT_LIST_HEAD(&mm->dma_list);
	atomic_set(&mm->dma_unmaps, 0);
	INIT_LIST_HEAD(&mm->imports);

	mm->budget = igen_budget_create();
	if (!mm->budget)
		return -ENOMEM;
	err = igen_shrinker_init(igen);
	if (err) {
		igen_budget_put(mm->budget);
		return err;
	}
	igen_page_sizes_init(igen);
	igen_shmem_init(igen);
	return 0;
}

static bool mm_nothing_left(struct igen_mm *mm)
{
	return llist_empty(&mm->free_bos) && llist_empty(&mm->free_vmas) && llist_empty(&mm->free_vms) &&
	       !delayed_work_pending(&mm->free_work);
}

/**
 * igen_mm_free_idle - free the objects, VMAs and address spaces on the free lists, except those that the GPU uses
 * @igen: the device
 *
 * Context: may sleep.
 */
void igen_mm_free_idle(struct igen_device *igen)
{
	mod_delayed_work(igen->wq, &igen->mm.free_work, 0);
	flush_delayed_work(&igen->mm.free_work);
}

/**
 * igen_mm_flush - frees all objects, VMAs and address spaces on the free lists
 * @igen: the device, whose requests have completed
 *
 * Waits for locks of objects, which another device's clients may have, however long that takes: what is on the lists
 * must not outlive the device.
 *
 * Context: may sleep.
 */
void igen_mm_flush(struct igen_device *igen)
{
	for (;;) {
		igen_mm_free_idle(igen);
		if (mm_nothing_left(&igen->mm))
			return;
		schedule_timeout_uninterruptible(1);
	}
}

/**
 * igen_mm_flush_busy - frees objects, VMAs and address spaces on the free lists, also those that the GPU uses
 * @igen: the device
 *
 * Waits until the GPU is done with them, at most ten seconds or until SIGKILL comes. What is busy then stays.
 *
 * Context: may sleep.
 */
void igen_mm_flush_busy(struct igen_device *igen)
{
	unsigned long end = jiffies + BUSY_TIMEOUT;

	do {
		igen_mm_free_idle(igen);
		if (mm_nothing_left(&igen->mm) || fatal_signal_pending(current))
			return;
		schedule_timeout_killable(1);
	} while (time_before(jiffies, end));
}

/**
 * igen_mm_fini - last of all on this floor
 * @igen: the device; the GPU is idle, its wq is still there
 *
 * May sleep.
 */
void igen_mm_fini(struct igen_device *igen)
{
	cancel_delayed_work_sync(&igen->mm.closed_work);
	igen_mm_flush(igen);
	cancel_delayed_work_sync(&igen->mm.free_work);
	igen_shrinker_fini(igen);
	igen_shmem_fini(igen);
	igen_budget_put(igen->mm.budget);
}
