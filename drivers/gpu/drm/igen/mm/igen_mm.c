// SPDX-License-Identifier: MIT
/**
 * DOC: What is freed later
 *
 * One worker frees VMAs and objects that were in use when their last reference went, and address spaces. It looks at
 * each, frees what is idle and comes back for the rest: every fence signals sooner or later, as a hanging batch is
 * reset.
 */
#include <linux/workqueue.h>

#include "../igen_device.h"
#include "igen_mm.h"
#include "igen_vm.h"

/* How often it looks whether what was busy is idle now. */
#define BUSY_INTERVAL msecs_to_jiffies(10)

static void free_work(struct work_struct *work)
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
	INIT_DELAYED_WORK(&mm->free_work, free_work);
	init_llist_head(&mm->free_bos);
	init_llist_head(&mm->free_vmas);
	init_llist_head(&mm->free_vms);
	spin_lock_init(&mm->shrink_lock);
	INIT_LIST_HEAD(&mm->shrink_list);
	INIT_LIST_HEAD(&mm->purge_list);
	spin_lock_init(&mm->dma_lock);
	INIT_LIST_HEAD(&mm->dma_list);
	atomic_set(&mm->dma_unmaps, 0);
	INIT_LIST_HEAD(&mm->imports);

	err = igen_shrinker_init(igen);
	if (err)
		return err;
	igen_shmem_init(igen);
	return 0;
}

static bool nothing_left(struct igen_mm *mm)
{
	return llist_empty(&mm->free_bos) && llist_empty(&mm->free_vmas) && llist_empty(&mm->free_vms) &&
	       !delayed_work_pending(&mm->free_work);
}

/**
 * igen_mm_flush - frees all that waits for being freed
 * @igen: the device
 *
 * Waits until the GPU is done with it, at most ten seconds. May sleep.
 */
void igen_mm_flush(struct igen_device *igen)
{
	unsigned long end = jiffies + 10 * HZ;
	struct igen_mm *mm = &igen->mm;

	do {
		mod_delayed_work(igen->wq, &mm->free_work, 0);
		flush_delayed_work(&mm->free_work);
		if (nothing_left(mm))
			return;
		schedule_timeout_uninterruptible(1);
	} while (time_before(jiffies, end));

	drm_err(&igen->drm, "objects were still busy ten seconds after their last use\n");
}

/**
 * igen_mm_fini - last of all on this floor
 * @igen: the device; the GPU is idle, its wq is still there
 *
 * May sleep.
 */
void igen_mm_fini(struct igen_device *igen)
{
	igen_mm_flush(igen);
	cancel_delayed_work_sync(&igen->mm.free_work);
	igen_shrinker_fini(igen);
	igen_shmem_fini(igen);
}
