// SPDX-License-Identifier: MIT
/* By 7.2 the lists of PCI ids are in drm/intel/pciids.h. */
#ifdef IGEN_PROBE
#include <drm/intel/pciids.h>
#endif
#include <linux/pci.h>
