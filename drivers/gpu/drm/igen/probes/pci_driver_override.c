// SPDX-License-Identifier: MIT
/* In 7.1, and in stable releases of 6.12, a PCI device's driver_override moved to struct device. */
#include <linux/pci.h>

static bool probe(struct pci_dev *pdev)
{
#ifdef IGEN_PROBE
	return device_has_driver_override(&pdev->dev);
#else
	return pdev->driver_override;
#endif
}
