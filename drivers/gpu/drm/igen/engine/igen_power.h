/* SPDX-License-Identifier: MIT */
/**
 * DOC: Frequency and RC6
 *
 * See engine/igen_power.c.
 */
#ifndef _IGEN_POWER_H_
#define _IGEN_POWER_H_

#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct igen_device;

/** struct igen_power - the GT's clock, all in MHz, and its sleep */
struct igen_power {
	/** @mutex: guards the limits */
	struct mutex mutex;
	/** @rp0: the fastest that the part can */
	u32 rp0;
	/** @rp1: the most efficient */
	u32 rp1;
	/** @rpn: the slowest */
	u32 rpn;
	/** @min: root's limits, and the frequency for requests that are waited for */
	u32 min;
	/** @max: see @min */
	u32 max;
	/** @boost: see @min */
	u32 boost;
	/** @clock: what the load asks for, within the limits; under igen_device.active_lock */
	u32 clock;
	/** @asked: what the hardware was last asked for; under igen_device.active_lock */
	u32 asked;
	/** @boosts: requests that were waited for in vain, and are not retired: they get @boost */
	atomic_t boosts;
	/** @awake: there is work: not parked; under igen_device.active_lock */
	bool awake;
	/** @rc6: the firmware has a place for the GT's state, so that it may sleep */
	bool rc6;
	/** @residency_lock: guards what follows; a leaf, interrupts off */
	spinlock_t residency_lock;
	/** @residency: time in RC6, in units of the counter */
	u64 residency;
	/** @residency_seen: what the counter was then */
	u32 residency_seen;
	/** @asleep_since: when the device went to sleep, or 0 while it is awake */
	ktime_t asleep_since;
	/** @asleep_ns: how long it was asleep before that */
	u64 asleep_ns;
};

int igen_power_init(struct igen_device *igen);
void igen_power_resume(struct igen_device *igen);
void igen_power_unpark(struct igen_device *igen);
void igen_power_park(struct igen_device *igen);
void igen_power_disable(struct igen_device *igen);
void igen_power_keep_asleep(struct igen_device *igen);
void igen_power_ring_clocks(struct igen_device *igen);
void igen_power_limits_changed(struct igen_device *igen);
bool igen_power_set_clock(struct igen_device *igen, u32 mhz);
u32 igen_power_actual_mhz(struct igen_device *igen);
u32 igen_power_clock_mhz(struct igen_device *igen);
u32 igen_power_requested_mhz(struct igen_device *igen);
u64 igen_power_rc6_ns(struct igen_device *igen);
void igen_power_sleep(struct igen_device *igen);
void igen_power_wake(struct igen_device *igen);

#endif
