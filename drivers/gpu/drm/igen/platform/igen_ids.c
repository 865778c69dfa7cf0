// SPDX-License-Identifier: MIT
/**
 * DOC: Which devices igen drives
 *
 * The ids come from the kernel's own list of Intel GPUs (igen_compat.h). The PCI core offers a device to a driver only
 * when no other has it, so igen never takes one from i915. The list is no MODULE_DEVICE_TABLE: udev would load igen on
 * every machine with such a GPU.
 */
#include <linux/pci.h>

#include "../igen_compat.h"
#include "../igen_compat_pciids.h"
#include "igen_platform.h"

const struct pci_device_id igen_pci_ids[] = {
	IGEN_PCI_IDS(INTEL_KBL_GT2_IDS, &igen_platform_kbl_gt2),
	IGEN_PCI_IDS(INTEL_KBL_GT3_IDS, &igen_platform_kbl_gt3),
	IGEN_PCI_IDS(INTEL_KBL_GT4_IDS, &igen_platform_kbl_gt3),
	IGEN_PCI_IDS(INTEL_BXT_IDS, &igen_platform_bxt),
	{}
};
