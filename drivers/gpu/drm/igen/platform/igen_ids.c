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
	IGEN_PCI_IDS(INTEL_SNB_D_GT1_IDS, &igen_platform_snb_gt1),
	IGEN_PCI_IDS(INTEL_SNB_M_GT1_IDS, &igen_platform_snb_gt1),
	IGEN_PCI_IDS(INTEL_SNB_D_GT2_IDS, &igen_platform_snb_gt2),
	IGEN_PCI_IDS(INTEL_SNB_M_GT2_IDS, &igen_platform_snb_gt2),
	IGEN_PCI_IDS(INTEL_IVB_D_GT1_IDS, &igen_platform_ivb_gt1),
	IGEN_PCI_IDS(INTEL_IVB_M_GT1_IDS, &igen_platform_ivb_gt1),
	IGEN_PCI_IDS(INTEL_IVB_D_GT2_IDS, &igen_platform_ivb_gt2),
	IGEN_PCI_IDS(INTEL_IVB_M_GT2_IDS, &igen_platform_ivb_gt2),
	IGEN_PCI_IDS(INTEL_SKL_GT1_IDS, &igen_platform_skl_gt1),
	IGEN_PCI_IDS(INTEL_SKL_GT2_IDS, &igen_platform_skl_gt2),
	IGEN_PCI_IDS(INTEL_SKL_GT3_IDS, &igen_platform_skl_gt3),
	IGEN_PCI_IDS(INTEL_SKL_GT4_IDS, &igen_platform_skl_gt4),
	IGEN_PCI_IDS(INTEL_KBL_GT1_IDS, &igen_platform_kbl_gt1),
	IGEN_PCI_IDS(INTEL_KBL_GT2_IDS, &igen_platform_kbl_gt2),
	IGEN_PCI_IDS(INTEL_KBL_GT3_IDS, &igen_platform_kbl_gt3),
	IGEN_PCI_IDS(INTEL_KBL_GT4_IDS, &igen_platform_kbl_gt4),
	IGEN_PCI_IDS(INTEL_AML_KBL_GT2_IDS, &igen_platform_aml_kbl),
	IGEN_PCI_IDS(INTEL_CFL_S_GT1_IDS, &igen_platform_cfl_gt1),
	IGEN_PCI_IDS(INTEL_CFL_S_GT2_IDS, &igen_platform_cfl_gt2),
	IGEN_PCI_IDS(INTEL_CFL_H_GT1_IDS, &igen_platform_cfl_gt1),
	IGEN_PCI_IDS(INTEL_CFL_H_GT2_IDS, &igen_platform_cfl_gt2),
	IGEN_PCI_IDS(INTEL_CFL_U_GT2_IDS, &igen_platform_cfl_gt2),
	IGEN_PCI_IDS(INTEL_CFL_U_GT3_IDS, &igen_platform_cfl_gt3),
	IGEN_PCI_IDS(INTEL_WHL_U_GT1_IDS, &igen_platform_whl_gt1),
	IGEN_PCI_IDS(INTEL_WHL_U_GT2_IDS, &igen_platform_whl_gt2),
	IGEN_PCI_IDS(INTEL_WHL_U_GT3_IDS, &igen_platform_whl_gt3),
	IGEN_PCI_IDS(INTEL_AML_CFL_GT2_IDS, &igen_platform_aml_cfl),
	IGEN_PCI_IDS(INTEL_CML_GT1_IDS, &igen_platform_cml_gt1),
	IGEN_PCI_IDS(INTEL_CML_U_GT1_IDS, &igen_platform_cml_gt1),
	IGEN_PCI_IDS(INTEL_CML_GT2_IDS, &igen_platform_cml_gt2),
	IGEN_PCI_IDS(INTEL_CML_U_GT2_IDS, &igen_platform_cml_gt2),
	IGEN_PCI_IDS(INTEL_BXT_IDS, &igen_platform_bxt),
	IGEN_PCI_IDS(INTEL_GLK_IDS, &igen_platform_glk),
	{}
};
