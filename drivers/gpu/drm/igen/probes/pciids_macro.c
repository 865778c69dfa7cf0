// SPDX-License-Identifier: MIT
/* Since 6.11 the lists of PCI ids take a macro and its arguments; before, the data of the driver. */
#include <linux/pci.h>

/* Results of other probes are not there yet. */
#if __has_include("drm/intel/pciids.h")
#include <drm/intel/pciids.h>
#elif __has_include("drm/intel/i915_pciids.h")
#include <drm/intel/i915_pciids.h>
#else
#include <drm/i915_pciids.h>
#endif

#define ID(id, info) { PCI_DEVICE(PCI_VENDOR_ID_INTEL, id), .driver_data = (kernel_ulong_t)(info) }

static const struct pci_device_id probe[] = {
#ifdef IGEN_PROBE
	INTEL_KBL_GT2_IDS(ID, NULL),
#else
	INTEL_KBL_GT2_IDS(NULL),
#endif
};
