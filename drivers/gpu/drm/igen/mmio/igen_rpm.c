// SPDX-License-Identifier: MIT
/**
 * DOC: References that keep the device awake
 *
 * A device that is not needed goes to D3 (PCI Power Management Specification 1.2, chapter 5), where it answers no
 * access to its registers, its GGTT or its aperture. A reference keeps it awake: the GT holds one as long as it is not
 * parked, and other code for as long as an access takes. When the last one goes, the power management core's
 * autosuspend delay begins; root allows it by writing "auto" to the device's power/control.
 *
 * igen_rpm_get() wakes the device, so it may sleep and allocate memory. It is called neither in memory reclaim nor with
 * a lock held that waking takes, the first of which is the reset mutex. Code that runs there, or in an interrupt, has
 * two ways to go on without waking the device:
 *
 * * It takes a reference only if the device is awake. A device that sleeps has no TLB to flush and nothing to sample.
 * * It changes the values in memory that waking will write to the hardware: entries of the GGTT, fence registers, masks
 *   of interrupts. It does so under a lock that keeps igen_rpm.asleep unchanged.
 *
 * References are counted here, so that a second one costs an atomic increment and no lock. igen_pm.c has the steps of
 * going to sleep and waking.
 */
#include <linux/pm_runtime.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "../igen_compat.h"
#include "../igen_device.h"

/* Until the device sleeps, root willing; as stock i915. */
#define AUTOSUSPEND_MS	10000

/* A mapping through the aperture stays usable for this long, even if root has set the autosuspend delay to 0. */
#define LINGER_MS	250

static void rpm_linger_work(struct work_struct *work)
{
	igen_rpm_put(container_of(to_delayed_work(work), struct igen_device, rpm.linger));
}

/**
 * igen_rpm_init - the device is awake, and stays so until igen_rpm_enable()
 * @igen: the device, being probed: the PCI core holds a reference, which counts as the first
 */
void igen_rpm_init(struct igen_device *igen)
{
	static struct lock_class_key key;
	struct igen_rpm *rpm = &igen->rpm;

	lockdep_init_map(&rpm->map, "igen_rpm", &key, 0);
	INIT_DELAYED_WORK(&rpm->linger, rpm_linger_work);
	atomic_set(&rpm->users, 1);
}

/**
 * igen_rpm_enable - from now on the device may sleep
 * @igen: the device, at the end of its probe
 *
 * Drops the first reference. D3cold, which would lose more, is not for it; and system sleep wakes it first.
 */
void igen_rpm_enable(struct igen_device *igen)
{
	struct device *dev = igen->drm.dev;

	if (!IS_ENABLED(CONFIG_PM))
		return;
	pci_d3cold_disable(igen->pdev);
	dev_pm_set_driver_flags(dev, DPM_FLAG_NO_DIRECT_COMPLETE);
	pm_runtime_set_autosuspend_delay(dev, AUTOSUSPEND_MS);
	pm_runtime_use_autosuspend(dev);
	igen_rpm_put(igen);
}

/**
 * igen_rpm_disable - wakes the device, which sleeps no more
 * @igen: the device, about to be removed
 *
 * Takes the first reference again, for good: it is the PCI core's afterwards, and no file that outlives the device
 * asks the core for anything. May sleep.
 */
void igen_rpm_disable(struct igen_device *igen)
{
	struct device *dev = igen->drm.dev;

	if (!IS_ENABLED(CONFIG_PM))
		return;
	if (igen_rpm_get(igen)) {
		/* The device cannot be woken; perhaps it was unplugged. Take the reference without waking it. */
		pm_runtime_get_noresume(dev);
		atomic_inc(&igen->rpm.users);
	}
	pm_runtime_dont_use_autosuspend(dev);
	pci_d3cold_enable(igen->pdev);
	flush_delayed_work(&igen->rpm.linger);
}

/**
 * igen_rpm_begin - the caller is going to put the device to sleep or to wake it
 * @igen: the device, without users
 *
 * Until igen_rpm_end() it may use all registers, and gets no reference.
 */
void igen_rpm_begin(struct igen_device *igen)
{
	lock_map_acquire(&igen->rpm.map);
	WRITE_ONCE(igen->rpm.owner, current);
}

/**
 * igen_rpm_end - the device is asleep or awake
 * @igen: the device
 */
void igen_rpm_end(struct igen_device *igen)
{
	WRITE_ONCE(igen->rpm.owner, NULL);
	lock_map_release(&igen->rpm.map);
}

/* A reference of the power management core's becomes that of all users, or is one too many. */
static void rpm_adopt(struct igen_device *igen)
{
	if (atomic_inc_return(&igen->rpm.users) > 1)
		pm_runtime_put_noidle(igen->drm.dev);
}

/**
 * igen_rpm_get - wakes the device if it sleeps, and keeps it awake until igen_rpm_put()
 * @igen: the device
 *
 * Context: may sleep and allocate memory; neither the reset mutex is held nor what comes below it.
 *
 * Return: 0, or a negative error when the device cannot be woken: -EACCES during system sleep, -EINVAL or -EIO.
 */
int igen_rpm_get(struct igen_device *igen)
{
	int err;

	might_alloc(GFP_KERNEL);
	lock_map_acquire_read(&igen->rpm.map);
	lock_map_release(&igen->rpm.map);

	if (likely(atomic_inc_not_zero(&igen->rpm.users)))
		return 0;

	err = pm_runtime_resume_and_get(igen->drm.dev);
	if (err) {
		drm_err_ratelimited(&igen->drm, "the device cannot be woken: %d\n", err);
		return err;
	}
	rpm_adopt(igen);
	return 0;
}

/**
 * igen_rpm_get_if_awake - keeps the device awake if it is so
 * @igen: the device
 *
 * A device that is just waking counts as asleep, since its registers have not been written again yet.
 *
 * Return: whether it is awake, and there is a reference. Context: any.
 */
bool igen_rpm_get_if_awake(struct igen_device *igen)
{
	if (READ_ONCE(igen->rpm.asleep))
		return false;
	if (atomic_inc_not_zero(&igen->rpm.users))
		return true;
	if (igen_pm_runtime_get_if_active(igen->drm.dev) <= 0)
		return false;
	rpm_adopt(igen);
	return true;
}

/**
 * igen_rpm_get_if_in_use - keep the device awake if there is a reference already
 * @igen: the device
 *
 * Return: whether it is so, and there is another reference. Context: any.
 */
bool igen_rpm_get_if_in_use(struct igen_device *igen)
{
	return !READ_ONCE(igen->rpm.asleep) && atomic_inc_not_zero(&igen->rpm.users);
}

/**
 * igen_rpm_get_more - another reference
 * @igen: the device, which the caller keeps awake
 *
 * Context: any.
 */
void igen_rpm_get_more(struct igen_device *igen)
{
	drm_WARN_ON(&igen->drm, atomic_inc_return(&igen->rpm.users) == 1);
}

/**
 * igen_rpm_put - the caller does not need the device any more
 * @igen: the device
 *
 * Context: any, but where a run queue's lock may be held.
 */
void igen_rpm_put(struct igen_device *igen)
{
	if (!atomic_dec_and_test(&igen->rpm.users))
		return;
	pm_runtime_mark_last_busy(igen->drm.dev);
	pm_runtime_put_autosuspend(igen->drm.dev);
}

/**
 * igen_rpm_put_later - the caller may need the device a moment longer
 * @igen: the device
 *
 * Context: any.
 */
void igen_rpm_put_later(struct igen_device *igen)
{
	/* If the work was pending already, the pending work has a reference of its own, and the caller's is dropped. */
	if (mod_delayed_work(igen->wq, &igen->rpm.linger, msecs_to_jiffies(LINGER_MS)))
		igen_rpm_put(igen);
}

/**
 * igen_rpm_check_awake - warns of an access to a device that may sleep
 * @igen: the device
 *
 * For kernels that look for such errors; says it once.
 */
void igen_rpm_check_awake(struct igen_device *igen)
{
	const struct igen_rpm *rpm = &igen->rpm;

	if (READ_ONCE(rpm->owner) == current)
		return;
	WARN_ONCE(READ_ONCE(rpm->asleep) || !atomic_read(&rpm->users),
		  "igen: a register is used without a reference that keeps the device awake\n");
}
