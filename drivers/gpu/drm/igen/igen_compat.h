/* SPDX-License-Identifier: MIT */
/**
 * DOC: Differences between kernels
 *
 * The module builds for kernels from 6.1 on. What changed since then stands here and nowhere else. Kbuild finds
 * out which form a kernel has: it compiles the small sources of probes/ with the kernel's own flags, and each gives
 * an IGEN_HAS_<NAME> of 1 or 0 in a generated header. Version numbers are not asked, so distributions' backports
 * need nothing here. The releases in the comments are mainline's.
 */
#ifndef _IGEN_COMPAT_H_
#define _IGEN_COMPAT_H_

#include <linux/dma-fence.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>
#include <linux/shmem_fs.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <uapi/drm/i915_drm.h>

#include "igen_probes.h"

/* The date left struct drm_driver, and with it drmVersion, in 6.14. */
#if IGEN_HAS_DRM_DRIVER_DATE
#define IGEN_DRM_DRIVER_DATE(date__)	.date = (date__),
#else
#define IGEN_DRM_DRIVER_DATE(date__)
#endif

/* Since 6.12 a file with offsets beyond LLONG_MAX says so; before, the DRM core did at open. */
#if IGEN_HAS_FOP_UNSIGNED_OFFSET
#define IGEN_FOPS_UNSIGNED_OFFSET	.fop_flags = FOP_UNSIGNED_OFFSET,
#else
#define IGEN_FOPS_UNSIGNED_OFFSET
#endif

/* Since 6.11 the kernel has a name for variables that CONFIG_INIT_STACK_ALL_ZERO leaves alone. */
#ifndef __uninitialized
#if __has_attribute(__uninitialized__)
#define __uninitialized			__attribute__((__uninitialized__))
#else
#define __uninitialized
#endif
#endif

/* PCI_IRQ_LEGACY was renamed in 6.8. */
#if IGEN_HAS_PCI_IRQ_INTX
#define IGEN_PCI_IRQ_TYPES		(PCI_IRQ_MSI | PCI_IRQ_INTX)
#else
#define IGEN_PCI_IRQ_TYPES		(PCI_IRQ_MSI | PCI_IRQ_LEGACY)
#endif

/* Since 6.11 the kernel's lists of PCI ids take a macro and its arguments; before, the driver's data. */
#if IGEN_HAS_PCIIDS_MACRO
#define IGEN_PCI_IDS(list__, info__)	list__(IGEN_VGA_DEVICE, info__)
#else
#define IGEN_PCI_IDS(list__, info__)	list__(info__)
#endif

/* Since 6.13 the name of a namespace is a string. */
#if IGEN_HAS_IMPORT_NS_IDENTIFIER
#define IGEN_IMPORT_NS(ns__)		MODULE_IMPORT_NS(ns__)
#else
#define IGEN_IMPORT_NS(ns__)		MODULE_IMPORT_NS(#ns__)
#endif

/* Since 6.16 the callbacks of a binary attribute get it as a constant. */
#if IGEN_HAS_BIN_ATTRIBUTE_CONST
#define IGEN_BIN_ATTRIBUTE		const struct bin_attribute
#else
#define IGEN_BIN_ATTRIBUTE		struct bin_attribute
#endif

/* Since 6.2 the caller of a buffer's vmap() and vunmap() holds its lock. */
#define IGEN_DMA_BUF_VMAP_LOCKED	IGEN_HAS_DMA_BUF_VMAP_LOCKED

/* Since 7.0 the flags of a file of shmem are a structure. */
#if IGEN_HAS_SHMEM_VMA_FLAGS
#define IGEN_SHMEM_NORESERVE		mk_vma_flags(VMA_NORESERVE_BIT)
#else
#define IGEN_SHMEM_NORESERVE		VM_NORESERVE
#endif

/* Numbers of the i915 uAPI that headers lack before 6.2, 6.5 and 6.10. They are ABI. */
#ifndef I915_PARAM_OA_TIMESTAMP_FREQUENCY
#define I915_PARAM_OA_TIMESTAMP_FREQUENCY	57
#endif
#ifndef I915_PARAM_PXP_STATUS
#define I915_PARAM_PXP_STATUS			58
#endif
#ifndef I915_PARAM_HAS_CONTEXT_FREQ_HINT
#define I915_PARAM_HAS_CONTEXT_FREQ_HINT	59
#endif

/* Since 6.9 it does not ask any more whether the number of users matters: it does not. */
static inline int igen_pm_runtime_get_if_active(struct device *dev)
{
#if IGEN_HAS_PM_GET_IF_ACTIVE_PLAIN
	return pm_runtime_get_if_active(dev);
#else
	return pm_runtime_get_if_active(dev, true);
#endif
}

/* Whether an administrator has named the device's driver. Since 7.1, and 6.12.y, the name is in struct device. */
static inline bool igen_has_driver_override(struct pci_dev *pdev)
{
#if IGEN_HAS_PCI_DRIVER_OVERRIDE
	return device_has_driver_override(&pdev->dev);
#else
	return pdev->driver_override;
#endif
}

/* Since 6.13 a timer gets its function when it is set up. */
static inline void igen_hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
				      clockid_t clock, enum hrtimer_mode mode)
{
#if IGEN_HAS_HRTIMER_SETUP
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

/* There is timer_delete() since 6.2, and since 6.1.84; del_timer() went in 6.15. */
static inline int igen_timer_delete(struct timer_list *timer)
{
#if IGEN_HAS_TIMER_DELETE
	return timer_delete(timer);
#else
	return del_timer(timer);
#endif
}

static inline int igen_timer_delete_sync(struct timer_list *timer)
{
#if IGEN_HAS_TIMER_DELETE
	return timer_delete_sync(timer);
#else
	return del_timer_sync(timer);
#endif
}

/* Since 6.3 the flags of a mapping are constant but for functions. */
static inline void igen_vm_flags_mod(struct vm_area_struct *area, unsigned long set, unsigned long clear)
{
#if IGEN_HAS_VM_FLAGS_MOD
	vm_flags_mod(area, set, clear);
#else
	area->vm_flags = (area->vm_flags | set) & ~clear;
#endif
}

/* call_mmap() was renamed in 6.17. */
static inline int igen_vfs_mmap(struct file *file, struct vm_area_struct *area)
{
#if IGEN_HAS_VFS_MMAP
	return vfs_mmap(file, area);
#else
	return call_mmap(file, area);
#endif
}

/* Since 7.1 a fence's lock may be within the fence. */
static inline spinlock_t *igen_fence_spinlock(struct dma_fence *fence)
{
#if IGEN_HAS_DMA_FENCE_SPINLOCK
	return dma_fence_spinlock(fence);
#else
	return fence->lock;
#endif
}

/* Since 7.1 a fence's operations are under RCU: a signaled fence loses those that lack wait() and release(). */
static inline bool igen_fence_has_ops(const struct dma_fence *fence, const struct dma_fence_ops *ops)
{
#if IGEN_HAS_DMA_FENCE_SPINLOCK
	return rcu_access_pointer(fence->ops) == ops;
#else
	return fence->ops == ops;
#endif
}

/*
 * The names of a fence of any driver, for messages; under rcu_read_lock(). Since 6.17 the kernel has functions that
 * know whether the fence has signaled: its driver may be gone then. Before, nothing keeps a driver from freeing a
 * name once its fence has signaled, so the fence is looked at first.
 */
static inline const char *igen_fence_driver_name(struct dma_fence *fence)
{
#if IGEN_HAS_DMA_FENCE_NAMES
	return (__force const char *)dma_fence_driver_name(fence);
#else
	if (test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags))
		return "signaled";
	return fence->ops->get_driver_name(fence);
#endif
}

static inline const char *igen_fence_timeline_name(struct dma_fence *fence)
{
#if IGEN_HAS_DMA_FENCE_NAMES
	return (__force const char *)dma_fence_timeline_name(fence);
#else
	if (test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags))
		return "signaled";
	return fence->ops->get_timeline_name(fence);
#endif
}

/* dma_fence_enable_sw_signaling() was renamed in 7.3. */
static inline void igen_fence_enable_signaling(struct dma_fence *fence)
{
#if IGEN_HAS_DMA_FENCE_ENABLE_SIGNALING
	dma_fence_enable_signaling(fence);
#else
	dma_fence_enable_sw_signaling(fence);
#endif
}

/* By 7.2 it lost the argument that says whether any one of the fences is enough. Here all have to signal. */
#if IGEN_HAS_DMA_FENCE_ARRAY_PLAIN
#define igen_fence_array_create(count__, fences__, context__, seqno__) \
	dma_fence_array_create(count__, fences__, context__, seqno__)
#else
#define igen_fence_array_create(count__, fences__, context__, seqno__) \
	dma_fence_array_create(count__, fences__, context__, seqno__, false)
#endif

/* Whether a task waits for a mutex, for tests. By 7.3 it has its first waiter; before, a list of waiters. */
static inline bool igen_mutex_is_waited_for(const struct mutex *lock)
{
#if IGEN_HAS_MUTEX_FIRST_WAITER
	return READ_ONCE(lock->first_waiter);
#else
	return !list_empty(&lock->wait_list);
#endif
}

/* Since 6.7 the kernel allocates shrinkers and keeps a pointer for their users; before, users embedded them. */
#if IGEN_HAS_SHRINKER_ALLOC
static inline struct shrinker *igen_compat_shrinker_alloc(void *data)
{
	struct shrinker *shrinker = shrinker_alloc(0, "drm-igen");

	if (shrinker)
		shrinker->private_data = data;
	return shrinker;
}

static inline void *igen_compat_shrinker_data(const struct shrinker *shrinker)
{
	return shrinker->private_data;
}

static inline int igen_compat_shrinker_register(struct shrinker *shrinker)
{
	shrinker_register(shrinker);
	return 0;
}

/* It may be registered or not. */
static inline void igen_compat_shrinker_free(struct shrinker *shrinker)
{
	shrinker_free(shrinker);
}
#else
struct igen_compat_shrinker {
	struct shrinker base;
	void *data;
};

static inline struct shrinker *igen_compat_shrinker_alloc(void *data)
{
	struct igen_compat_shrinker *shrinker = kzalloc(sizeof(*shrinker), GFP_KERNEL);

	if (!shrinker)
		return NULL;
	shrinker->data = data;
	return &shrinker->base;
}

static inline void *igen_compat_shrinker_data(const struct shrinker *shrinker)
{
	return container_of(shrinker, struct igen_compat_shrinker, base)->data;
}

static inline int igen_compat_shrinker_register(struct shrinker *shrinker)
{
	return register_shrinker(shrinker, "drm-igen");
}

static inline void igen_compat_shrinker_free(struct shrinker *shrinker)
{
	unregister_shrinker(shrinker);
	kfree(container_of(shrinker, struct igen_compat_shrinker, base));
}
#endif

#endif
