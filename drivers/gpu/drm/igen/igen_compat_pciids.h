/* SPDX-License-Identifier: MIT */
/* The kernel's lists of PCI ids, for IGEN_PCI_IDS(). Their header moved in 6.12 and was renamed by 7.2. */
#ifndef _IGEN_COMPAT_PCIIDS_H_
#define _IGEN_COMPAT_PCIIDS_H_

#include <linux/pci.h>

#include "igen_probes.h"

#if IGEN_HAS_PCIIDS_INTEL
#include <drm/intel/pciids.h>
#elif IGEN_HAS_PCIIDS_INTEL_I915
#include <drm/intel/i915_pciids.h>
#else
#include <drm/i915_pciids.h>
#endif

#define IGEN_VGA_DEVICE(id__, info__) { \
	PCI_DEVICE(PCI_VENDOR_ID_INTEL, id__), \
	.class = PCI_BASE_CLASS_DISPLAY << 16, .class_mask = 0xff << 16, \
	.driver_data = (kernel_ulong_t)(info__) }

#endif
