// SPDX-License-Identifier: MIT
/*
 * DOC: awake
 *
 * A guest's files come through virtio-9p, whose driver cannot be suspended: its queues are gone after a resume, and
 * whoever opens a file then waits for ever. With this module the virtio devices stay as they are while the machine
 * is suspended, as devices do that the kernel suspends by other means, so that tests may suspend the GPU.
 */
#include <linux/module.h>
#include <linux/pci.h>

static int keep_child(struct device *dev, void *data)
{
	dev_pm_syscore_device(dev, true);
	return 0;
}

static int __init awake_init(void)
{
	struct pci_dev *pdev = NULL;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_REDHAT_QUMRANET, PCI_ANY_ID, pdev))) {
		dev_pm_syscore_device(&pdev->dev, true);
		device_for_each_child(&pdev->dev, NULL, keep_child);
	}
	return 0;
}
module_init(awake_init);

MODULE_DESCRIPTION("Leaves virtio devices alone when the machine is suspended");
MODULE_LICENSE("Dual MIT/GPL");
