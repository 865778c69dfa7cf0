// SPDX-License-Identifier: MIT
/**
 * DOC: Sleeping and waking
 *
 * Two ways lead to D3. System sleep takes everything off the hardware, lost or not, and waking writes all anew, since
 * firmware may have had the machine. Runtime suspend comes when no reference is left (mmio/igen_rpm.c): the GT
 * is parked, all contexts are saved in memory and nothing is lost. Then mappings through the aperture are taken away,
 * so that the next access faults and wakes the device, and interrupts are off.
 *
 * D3hot keeps the GGTT, which lies in memory. The return from D3hot resets the function's registers unless the function
 * says No_Soft_Reset (PCI Power Management Specification 1.2, 3.2.4), which Gen9 does not say. Some registers survive
 * nevertheless, but the driver does not rely on that: it resets the GT and programs it as after a full reset.
 *
 * A hibernation is a system sleep with a copy of memory in between. The CPU makes the copy and restores it through its
 * caches. Where the GPU does not snoop all memory, the driver flushes all caches before the copy is made and after it
 * was restored. Then the copy has what the GPU wrote, and the GPU reads page tables and objects as restored.
 */
#include <linux/interrupt.h>
#include <linux/pm_runtime.h>
#include <linux/suspend.h>

#include <asm/smp.h>

#include "igen_bringup.h"
#include "igen_device.h"
#include "igen_pm.h"
#include "submit/igen_retire.h"
#include "submit/igen_submit.h"

/* Jiffies that work under way gets at most before the machine sleeps. */
#define DRAIN_TIMEOUT	(10l * HZ)

/* From here on, or no longer, entries of the GGTT, fence registers and interrupts' masks are for waking to write. */
static void pm_set_asleep(struct igen_device *igen, bool asleep)
{
	struct igen_ggtt *ggtt = &igen->ggtt;

	mutex_lock(&ggtt->vm.mutex);
	spin_lock(&ggtt->fence_lock);
	spin_lock_irq(&igen->irq_mask_lock);
	WRITE_ONCE(igen->rpm.asleep, asleep);
	spin_unlock_irq(&igen->irq_mask_lock);
	spin_unlock(&ggtt->fence_lock);
	mutex_unlock(&ggtt->vm.mutex);
}

static void pm_go_to_sleep(struct igen_device *igen)
{
	igen_irq_disable(igen);
	igen_power_sleep(igen);
	pm_set_asleep(igen, true);
	/* A handler that began before, on a shared line perhaps, is over. */
	synchronize_irq(igen->irq);
}

/* Makes registers answer again. The caller restores the rest of the hardware's state. */
static int pm_come_back(struct igen_device *igen)
{
	int err;

	err = igen_forcewake_init(igen);
	pm_set_asleep(igen, false);
	igen_power_wake(igen);
	return err;
}

/* The machine does not suspend between the steps of a bring-up. */
static int igen_pm_prepare(struct device *dev)
{
	struct igen_device *igen = dev_get_drvdata(dev);

	if (!igen_bringup_unfinished(igen))
		return 0;
	drm_notice(&igen->drm, "the machine stays awake during a bring-up\n");
	return -EBUSY;
}

/*
 * Jiffies without a completed request after which a suspend drops the work under way. The preempt timeout is part of
 * them: a hung engine that others wait for is reset by then.
 */
static long pm_patience(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id, ms = 0;

	for_each_engine(igen, id, engine)
		ms = max(ms, READ_ONCE(engine->props.preempt_timeout_ms));
	return min_t(long, 2 * HZ + msecs_to_jiffies(ms), DRAIN_TIMEOUT);
}

static int igen_suspend(struct device *dev)
{
	struct igen_device *igen = dev_get_drvdata(dev);
	int err;

	/* Until it is awake again, so that nothing of runtime suspend comes between. */
	err = igen_rpm_get(igen);
	if (err)
		return err;

	/* Userspace is frozen. A batch that does not end keeps the machine awake for the patience and no longer. */
	if (igen_drain(igen, pm_patience(igen), DRAIN_TIMEOUT))
		drm_notice(&igen->drm, "the GPU is not idle: work under way is lost by suspending\n");

	igen_submit_stop(igen);
	/* In s2idle the firmware does not run, and the machine reaches deep sleep only while the GT is in RC6. */
	if (pm_suspend_target_state == PM_SUSPEND_TO_IDLE)
		igen_power_keep_asleep(igen);
	pm_go_to_sleep(igen);
	return 0;
}

static int igen_resume(struct device *dev)
{
	struct igen_device *igen = dev_get_drvdata(dev);
	int err;

	igen_rpm_begin(igen);
	err = pm_come_back(igen);
	igen_rpm_end(igen);
	if (err) {
		drm_err(&igen->drm, "the GPU does not come back from suspend: %d\n", err);
		goto out;
	}

	igen_ggtt_restore(igen);
	igen_ggtt_restore_postponed(igen);
	igen_ggtt_restore_entries(igen);
	igen_power_ring_clocks(igen);
	igen_irq_enable(igen);
	if (!igen_unwedge(igen))
		drm_err(&igen->drm, "the GPU does not work after suspend\n");
out:
	igen_rpm_put(igen);
	return 0;
}

static void pm_flush_caches(struct igen_device *igen)
{
	if (!igen->platform->tables_snooped || !igen->platform->objects_snooped)
		wbinvd_on_all_cpus();
}

static int igen_freeze(struct device *dev)
{
	int err = igen_suspend(dev);

	if (!err)
		pm_flush_caches(dev_get_drvdata(dev));
	return err;
}

static int igen_restore(struct device *dev)
{
	pm_flush_caches(dev_get_drvdata(dev));
	return igen_resume(dev);
}

static int igen_runtime_suspend(struct device *dev)
{
	struct igen_device *igen = dev_get_drvdata(dev);

	/* An awake GT holds a runtime PM reference, so the PM core cannot have called this function. */
	if (drm_WARN_ON(&igen->drm, READ_ONCE(igen->power.awake)))
		return -EBUSY;

	igen_rpm_begin(igen);
	igen_ggtt_zap(igen);
	pm_go_to_sleep(igen);
	igen_rpm_end(igen);
	return 0;
}

static int igen_runtime_resume(struct device *dev)
{
	struct igen_device *igen = dev_get_drvdata(dev);
	int err;

	igen_rpm_begin(igen);
	err = pm_come_back(igen);
	if (!err) {
		igen_ggtt_restore_postponed(igen);
		err = igen_submit_restart(igen);
		igen_irq_enable(igen);
	}
	if (err)
		igen_wedge(igen, "it does not come back from runtime suspend");
	igen_rpm_end(igen);
	/* Requests that wait get -EIO; a device that counts as asleep would not even be asked again. */
	return 0;
}

const struct dev_pm_ops igen_pm_ops = {
	.prepare = pm_sleep_ptr(igen_pm_prepare),
	.suspend = pm_sleep_ptr(igen_suspend),
	.resume = pm_sleep_ptr(igen_resume),
	.freeze = pm_sleep_ptr(igen_freeze),
	.thaw = pm_sleep_ptr(igen_resume),
	.poweroff = pm_sleep_ptr(igen_suspend),
	.restore = pm_sleep_ptr(igen_restore),
	RUNTIME_PM_OPS(igen_runtime_suspend, igen_runtime_resume, NULL)
};
