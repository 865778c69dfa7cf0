// SPDX-License-Identifier: MIT
/* In 6.12 the lists of PCI ids went to drm/intel/i915_pciids.h. */
#ifdef IGEN_PROBE
#include <drm/intel/i915_pciids.h>
#endif
#include <linux/pci.h>
