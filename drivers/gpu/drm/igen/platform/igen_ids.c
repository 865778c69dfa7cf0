// SPDX-License-Identifier: MIT
/**
 * DOC: Which devices igen drives
 *
 * The ids come from the kernel's own list of Intel GPUs, whose header moved and whose macros changed form: they took
 * the driver data, now they take a macro and its arguments (Kbuild finds out which). The PCI core offers a device to
 * a driver only when no other has it, so igen never takes one from i915.
 */
#include <linux/pci.h>

#include "igen_platform.h"

#if defined(IGEN_HAS_INTEL_PCIIDS)
#include <drm/intel/pciids.h>
#elif defined(IGEN_HAS_INTEL_I915_PCIIDS)
#include <drm/intel/i915_pciids.h>
#else
#include <drm/i915_pciids.h>
#endif

#ifndef INTEL_VGA_DEVICE
#define INTEL_VGA_DEVICE(id__, info__) { \
	PCI_DEVICE(PCI_VENDOR_ID_INTEL, id__), \
	.class = PCI_BASE_CLASS_DISPLAY << 16, .class_mask = 0xff << 16, \
	.driver_data = (kernel_ulong_t)(info__) }
#endif

#ifdef IGEN_PCIIDS_TAKE_MACRO
#define IGEN_IDS(list__, platform__)	list__(INTEL_VGA_DEVICE, &(platform__))
#else
#define IGEN_IDS(list__, platform__)	list__(&(platform__))
#endif

const struct pci_device_id igen_pci_ids[] = {
	IGEN_IDS(INTEL_KBL_GT2_IDS, igen_platform_kbl_gt2),
	IGEN_IDS(INTEL_KBL_GT3_IDS, igen_platform_kbl_gt3),
	IGEN_IDS(INTEL_KBL_GT4_IDS, igen_platform_kbl_gt3),
	{}
};
MODULE_DEVICE_TABLE(pci, igen_pci_ids);
