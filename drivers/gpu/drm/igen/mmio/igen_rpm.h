/* SPDX-License-Identifier: MIT */
/**
 * DOC: References that keep the device awake
 *
 * See mmio/igen_rpm.c.
 */
#ifndef _IGEN_RPM_H_
#define _IGEN_RPM_H_

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/lockdep.h>
#include <linux/workqueue.h>

struct igen_device;
struct task_struct;

/** struct igen_rpm - whether the device may sleep, and whether it does */
struct igen_rpm {
	/** @users: references; as long as there are any, one of the power management core's is held for all of them */
	atomic_t users;
	/**
	 * @asleep: the device answers no access, and waking writes the state that it loses. Changes with
	 * ggtt.vm.mutex, ggtt.fence_lock and irq_mask_lock held; a holder of any of them can rely on the value
	 */
	bool asleep;
	/** @owner: the task that is just putting the device to sleep or waking it, or NULL */
	struct task_struct *owner;
	/** @linger: drops the reference of igen_rpm_put_later() */
	struct delayed_work linger;
	/** @map: has lockdep report an igen_rpm_get() with a lock held that waking takes */
	struct lockdep_map map;
};

void igen_rpm_init(struct igen_device *igen);
void igen_rpm_enable(struct igen_device *igen);
void igen_rpm_disable(struct igen_device *igen);
void igen_rpm_begin(struct igen_device *igen);
void igen_rpm_end(struct igen_device *igen);

int igen_rpm_get(struct igen_device *igen);
bool igen_rpm_get_if_awake(struct igen_device *igen);
bool igen_rpm_get_if_in_use(struct igen_device *igen);
void igen_rpm_get_more(struct igen_device *igen);
void igen_rpm_put(struct igen_device *igen);
void igen_rpm_put_later(struct igen_device *igen);

void igen_rpm_check_awake(struct igen_device *igen);

/* In kernels for debugging each access to a register asks whether it may. */
static inline void igen_rpm_assert_awake(struct igen_device *igen)
{
	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		igen_rpm_check_awake(igen);
}

#endif
