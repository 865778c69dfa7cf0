/* SPDX-License-Identifier: MIT */
/**
 * DOC: The device and its owners
 *
 * A folder of the module is a floor, and calls go down only: uapi, diag, submit, engine, mm, mmio, platform.
 * igen_device ties them together; it lives as long as its drm_device, so files still open after an unbind find
 * it, and drm_dev_enter() tells them that the hardware has gone.
 */
#ifndef _IGEN_DEVICE_H_
#define _IGEN_DEVICE_H_

#include <drm/drm_device.h>
#include <drm/drm_mm.h>
#include <drm/drm_print.h>
#include <drm/drm_util.h>
#include <linux/kfifo.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "engine/igen_engine.h"
#include "engine/igen_power.h"
#include "mm/igen_ggtt.h"
#include "mm/igen_mm.h"
#include "mmio/igen_mmio.h"
#include "mmio/igen_rpm.h"
#include "platform/igen_ops.h"
#include "platform/igen_platform.h"
#include "platform/igen_topology.h"
#include "submit/igen_capture.h"
#include "submit/igen_governor.h"

struct igen_bringup;
struct igen_diag;

/** struct igen_params - what root may change at run time, in debugfs (i915_params, the name IGT looks for) */
struct igen_params {
	/**
	 * @reset: 0: a hang gives the GPU up; 1: the whole GPU is reset; 2 and above: an engine alone, if that helps
	 */
	u32 reset;
	/** @enable_hangcheck: hanging batches are looked for */
	bool enable_hangcheck;
	/** @request_timeout_ms: what a batch may take of an engine's time, about; 0: as long as it wants */
	u32 request_timeout_ms;
	/** @fence_timeout_ms: how long a request waits for a fence that is not this device's; 0: for ever */
	u32 fence_timeout_ms;
};

/** struct igen_reclaim - waits for memory that is on its way back (submit/igen_reclaim.c) */
struct igen_reclaim {
	/** @work: frees what clients have dropped */
	struct work_struct work;
	/** @started: runs of the worker so far */
	atomic64_t started;
	/** @completed: the last run that is over */
	atomic64_t completed;
	/** @wait: for @completed */
	wait_queue_head_t wait;
};

/** struct igen_shadow_owners - contexts with places for checked copies of batches (uapi/igen_execbuf_shadow.c) */
struct igen_shadow_owners {
	/** @lock: guards @contexts; a leaf */
	spinlock_t lock;
	/** @contexts: igen_context.shadows_link, open contexts */
	struct list_head contexts;
	/** @num: how many; under @lock */
	unsigned int num;
};

/**
 * struct igen_device - one GPU
 */
struct igen_device {
	/** @drm: the DRM device; first, so that it may be cast; its release frees all this */
	struct drm_device drm;
	/** @pdev: the PCI device it was probed on */
	struct pci_dev *pdev;
	/** @platform: this device's row of the platform tables, constant */
	const struct igen_platform *platform;
	/** @topology: slices, subslices and EUs that are there */
	struct igen_topology topology;
	/** @mmio: register access and forcewake */
	struct igen_mmio mmio;
	/** @rpm: whether the device may sleep */
	struct igen_rpm rpm;
	/** @ggtt: the global address space */
	struct igen_ggtt ggtt;
	/** @mm: what the memory management keeps */
	struct igen_mm mm;
	/** @engine_mask: which of the platform's engines the fuses left, bits of enum igen_engine_id; constant */
	u32 engine_mask;
	/** @engine: the engines that are there, by enum igen_engine_id, or NULL */
	struct igen_engine *engine[IGEN_NUM_ENGINES];
	/** @group: the same by class */
	struct igen_engine_group group[IGEN_NUM_CLASSES];
	/** @kernel_vm: address space of the driver's own contexts */
	struct igen_vm *kernel_vm;
	/** @probe_steps: steps of the probe that passed, for fault injection */
	int probe_steps;
	/** @bringup: a probe by steps that root runs (igen_bringup.c), or NULL; constant once the device is probed */
	struct igen_bringup *bringup;
	/** @irq: the interrupt vector */
	int irq;
	/** @irq_mask_lock: guards @irq_mask, @irq_enable and the registers for them; irq-safe, a leaf */
	spinlock_t irq_mask_lock;
	/** @irq_mask: which interrupts are masked, see igen_platform.irq */
	u32 irq_mask[IGEN_IRQ_WORDS];
	/** @irq_enable: and which are sent on */
	u32 irq_enable[IGEN_IRQ_WORDS];
	/** @params: changed by root at run time; READ_ONCE */
	struct igen_params params;
	/** @diag: what debugfs and sysfs keep; see diag/ */
	struct igen_diag *diag;
	/** @error: the first hang that was captured, see submit/igen_capture.c */
	struct igen_error error;
	/** @wedged: the driver has stopped using the GPU; submissions get -EIO. Read with READ_ONCE, set once */
	bool wedged;
	/** @reset_count: resets of all engines together so far, for GET_RESET_STATS */
	atomic_t reset_count;
	/** @reset_mutex: one reset at a time; outermost of the driver's locks but the timelines' */
	struct mutex reset_mutex;
	/** @wedged_work: fails requests that came after the GPU was wedged */
	struct work_struct wedged_work;
	/** @tlb_failed_work: gives the GPU up after a TLB flush that failed */
	struct work_struct tlb_failed_work;
	/** @uevents: events about full resets that are not sent yet (submit/igen_uevent.c); put under @reset_mutex */
	DECLARE_KFIFO(uevents, u8, 64);
	/** @uevent_work: tells it */
	struct work_struct uevent_work;
	/**
	 * @active_lock: guards whether @active_count is 0, and whether the GT is parked; takes engines' locks and the
	 * forcewake's
	 */
	spinlock_t active_lock;
	/** @active_count: LRCs that have requests that have not been retired */
	atomic_t active_count;
	/** @power: clock and sleep of the GT */
	struct igen_power power;
	/** @governor: what sets the clock */
	struct igen_governor governor;
	/** @awake_lock: guards @awake_since and @awake_ns; a leaf, interrupts off */
	spinlock_t awake_lock;
	/** @awake_since: when the first request came since the GPU was idle, or 0 while it is */
	ktime_t awake_since;
	/** @awake_ns: how long the GPU was awake before that */
	u64 awake_ns;
	/** @serial: a number that no other device of this module has had; constant */
	u64 serial;
	/** @irq_count: interrupts handled; written by the handler only */
	unsigned long irq_count;
	/** @retire_work: retires completed requests, once a second while there are requests */
	struct delayed_work retire_work;
	/** @clients_mutex: guards @clients; no lock but those of pools is taken inside */
	struct mutex clients_mutex;
	/** @clients: those whose files are open */
	struct list_head clients;
	/** @reclaim: runs when a client was refused memory */
	struct igen_reclaim reclaim;
	/** @shadow_owners: contexts with places for checked copies of batches */
	struct igen_shadow_owners shadow_owners;
	/** @watched_jiffies: when @retire_work last ran the watchdog (igen_watchdog.c); its own */
	unsigned long watched_jiffies;
	/** @urgent_wq: timers of engines, which end timeslices and hangs; as @wq has it, but of high priority */
	struct workqueue_struct *urgent_wq;
	/** @wq: unordered work of the driver that may sleep (retire, free, reset) */
	struct workqueue_struct *wq;
	/** @bo_count: objects alive, for debugfs and the leak check at removal */
	atomic_t bo_count;
};

static inline struct igen_device *to_igen(struct drm_device *drm)
{
	return container_of(drm, struct igen_device, drm);
}

/**
 * igen_raw_read - reads a register of a device that is awake, as the caller knows without a reference
 * @igen: the device; a lock is held with which igen_rpm.asleep does not change
 * @reg: offset in BAR 0, of no power well that may sleep
 *
 * Return: the value; all ones when the device has gone.
 */
static inline u32 igen_raw_read(struct igen_device *igen, u32 reg)
{
	return readl(igen->mmio.regs + reg);
}

/**
 * igen_raw_write - writes a register of a device that is awake, as the caller knows without a reference
 * @igen: the device; a lock is held with which igen_rpm.asleep does not change
 * @reg: offset in BAR 0, of no power well that may sleep
 * @value: what to write
 */
static inline void igen_raw_write(struct igen_device *igen, u32 reg, u32 value)
{
	writel(value, igen->mmio.regs + reg);
}

/**
 * igen_read - reads a register
 * @igen: the device, which a reference keeps awake (mmio/igen_rpm.c)
 * @reg: offset in BAR 0; forcewake held if its power well may sleep
 *
 * Return: the value; all ones when the device has gone.
 */
static inline u32 igen_read(struct igen_device *igen, u32 reg)
{
	igen_rpm_assert_awake(igen);
	return igen_raw_read(igen, reg);
}

/**
 * igen_write - writes a register
 * @igen: the device, which a reference keeps awake
 * @reg: offset in BAR 0; forcewake held if its power well may sleep
 * @value: what to write
 */
static inline void igen_write(struct igen_device *igen, u32 reg, u32 value)
{
	igen_rpm_assert_awake(igen);
	igen_raw_write(igen, reg, value);
}

/**
 * igen_rmw - changes bits of a register; callers keep others from it
 * @igen: the device, which a reference keeps awake
 * @reg: offset in BAR 0; forcewake held if its power well may sleep
 * @clear: bits to clear
 * @set: bits to set
 */
static inline void igen_rmw(struct igen_device *igen, u32 reg, u32 clear, u32 set)
{
	igen_write(igen, reg, (igen_read(igen, reg) & ~clear) | set);
}

int igen_inject_probe_error(struct igen_device *igen, const char *step);

/* Iterates over the groups of all engine classes, also of classes without engines on this GPU. */
#define for_each_group(igen__, group__) \
	for ((group__) = (igen__)->group; (group__) < (igen__)->group + IGEN_NUM_CLASSES; (group__)++)

#define for_each_engine(igen__, id__, engine__) \
	for ((id__) = 0; (id__) < IGEN_NUM_ENGINES; (id__)++) \
		for_each_if((engine__) = (igen__)->engine[(id__)])

#endif
