// SPDX-License-Identifier: MIT
/*
 * DOC: awake
 *
 * A guest's files come through virtio-9p, whose driver cannot be suspended: its queues are gone after a resume, and
 * a process that opens a file then waits for ever. With this module the virtio devices stay as they are while the
 * machine is suspended, as devices do that the kernel suspends by other means, so that tests may suspend the GPU.
 *
 * Kernels without pm_test have no suspend that ends by itself. With the parameter "wake" set in sysfs, one to idle
 * ("freeze") does: all devices sleep, and the machine is woken where its processors would begin to. That wants
 * tracepoints; in kernels without them the parameter cannot be set.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/suspend.h>
#include <trace/events/power.h>

static bool wake, can_wake;

static int set_wake(const char *value, const struct kernel_param *param)
{
	return can_wake ? param_set_bool(value, param) : -EOPNOTSUPP;
}

static const struct kernel_param_ops wake_ops = {
	.set = set_wake,
	.get = param_get_bool,
};

module_param_cb(wake, &wake_ops, &wake, 0600);
MODULE_PARM_DESC(wake, "Wake the machine as soon as it is suspended to idle");

static int keep_child(struct device *dev, void *data)
{
	dev_pm_syscore_device(dev, true);
	return 0;
}

static void suspend_step(void *unused, const char *step, int state, bool begins)
{
	if (READ_ONCE(wake) && begins && state == (__force int)PM_SUSPEND_TO_IDLE && !strcmp(step, "machine_suspend"))
		pm_system_wakeup();
}

static int __init awake_init(void)
{
	struct pci_dev *pdev = NULL;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_REDHAT_QUMRANET, PCI_ANY_ID, pdev))) {
		dev_pm_syscore_device(&pdev->dev, true);
		device_for_each_child(&pdev->dev, NULL, keep_child);
	}
	can_wake = !register_trace_suspend_resume(suspend_step, NULL);
	return 0;
}
module_init(awake_init);

MODULE_DESCRIPTION("Leaves virtio devices alone when the machine is suspended");
MODULE_LICENSE("Dual MIT/GPL");
