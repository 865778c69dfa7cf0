// SPDX-License-Identifier: MIT
/* Since 6.11 the lists of PCI ids take a macro and its arguments; before, the data of the driver. */
#include "../igen_compat_pciids.h"

static const struct pci_device_id probe[] = {
#ifdef IGEN_PROBE
	INTEL_KBL_GT2_IDS(IGEN_VGA_DEVICE, NULL),
#else
	INTEL_KBL_GT2_IDS(NULL),
#endif
};
