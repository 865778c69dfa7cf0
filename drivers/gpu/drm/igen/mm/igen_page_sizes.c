// SPDX-License-Identifier: MIT
/**
 * DOC: Page sizes
 *
 * A PPGTT shows memory that is contiguous in pages of 64 KB and 2 MB, as far as the platform has them and they pay.
 * Objects get such memory from a tmpfs with huge pages. On Gen9, stock i915 uses 4 KB and 64 KB, since pages of 2 MB
 * cost the cache of page table entries. It uses huge pages for objects behind an IOMMU only, since they make some reads
 * slow (i915_pci.c, i915_gemfs.c of Linux 6.1). These are the defaults. The module parameter is for measurements.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/sizes.h>

#include "../igen_device.h"
#include "igen_mm.h"

static unsigned int max_page_kb;

static int page_sizes_set(const char *value, const struct kernel_param *param)
{
	unsigned int kb;
	int err = kstrtouint(value, 0, &kb);

	if (err)
		return err;
	if (kb && kb != SZ_4K / SZ_1K && kb != SZ_64K / SZ_1K && kb != SZ_2M / SZ_1K)
		return -EINVAL;
	max_page_kb = kb;
	return 0;
}

static const struct kernel_param_ops max_page_kb_ops = {
	.set = page_sizes_set,
	.get = param_get_uint,
};

module_param_cb(max_page_kb, &max_page_kb_ops, &max_page_kb, 0400);
MODULE_PARM_DESC(max_page_kb, "Largest page of the GPU's page tables in KiB: 4, 64 or 2048 (default 0: what suits the platform)");

/**
 * igen_page_sizes_init - choose the page sizes of a device's PPGTTs
 * @igen: the device; its platform is known
 *
 * Sets igen->mm.page_sizes.
 */
void igen_page_sizes_init(struct igen_device *igen)
{
	const struct igen_platform *platform = igen->platform;

	if (max_page_kb)
		igen->mm.page_sizes = platform->page_sizes & (2 * max_page_kb * SZ_1K - 1);
	else
		igen->mm.page_sizes = platform->usual_page_sizes;
}

/**
 * igen_page_sizes_want_huge - ask whether objects profit from contiguous memory
 * @igen: the device; igen_page_sizes_init() was called
 *
 * Return: true when a tmpfs with huge pages pays: behind an IOMMU, or when the module parameter allows large pages.
 */
bool igen_page_sizes_want_huge(const struct igen_device *igen)
{
	return max_page_kb ? igen->mm.page_sizes != SZ_4K : device_iommu_mapped(igen->drm.dev);
}
