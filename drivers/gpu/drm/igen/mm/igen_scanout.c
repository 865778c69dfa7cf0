// SPDX-License-Identifier: MIT
/**
 * DOC: What a predecessor left in the GGTT
 *
 * Firmware and other drivers leave two things behind.
 *
 * A display that is on scans out a framebuffer through the GGTT, usually in stolen memory, from address 0 on. Its
 * entries stay as they are: objects are placed elsewhere, so the display goes on showing its last picture, and never
 * a client's memory. igen does not turn the display off, which would take a display driver to do in the right order.
 * It goes dark when the device is put to sleep.
 *
 * All other entries may lead to memory that is free or belongs to other programs by now. The driver never uses these
 * entries, but the CPU's write-combining and the command streamers' prefetch read a little beyond what is bound.
 * Behind an IOMMU such a read is a fault, so there the driver leads the entries to the scratch page. Without an IOMMU
 * the read does no harm, and the driver leaves the entries alone: writing all of them takes up to a million writes,
 * milliseconds on a real machine, seconds where a hypervisor traps each write. The parameter fill_ggtt decides
 * otherwise.
 */
#include <drm/drm_print.h>
#include <linux/device.h>
#include <linux/module.h>

#include "../igen_device.h"
#include "igen_ggtt.h"

static int fill_ggtt = -1;
module_param(fill_ggtt, int, 0400);
MODULE_PARM_DESC(fill_ggtt, "Lead the GGTT's unused entries to a scratch page: 1 yes, 0 no, -1 behind an IOMMU (default)");

/**
 * igen_scanout_wants_fill - ask whether the driver has to replace entries that it has never bound
 * @igen: the device
 *
 * Return: true if so.
 */
bool igen_scanout_wants_fill(struct igen_device *igen)
{
	if (fill_ggtt >= 0)
		return fill_ggtt;
	return device_iommu_mapped(igen->drm.dev);
}

/* Reserves what is not reserved yet of a range. Surfaces may overlap: two screens may show the same one. */
static int scanout_reserve(struct igen_ggtt *ggtt, u64 start, u64 end)
{
	struct drm_mm *mm = &ggtt->vm.mm;
	struct drm_mm_node *node, *taken;
	int err;

	while (start < end) {
		node = &ggtt->scanout[ggtt->num_scanout];
		taken = __drm_mm_interval_first(mm, start, end - 1);
		if (drm_mm_node_allocated(taken) && taken->start <= start) {
			start = taken->start + taken->size;
			continue;
		}
		if (ggtt->num_scanout == ARRAY_SIZE(ggtt->scanout))
			return -ENOSPC;
		node->start = start;
		node->size = (drm_mm_node_allocated(taken) ? taken->start : end) - start;
		node->color = IGEN_COLOR_RESERVED;
		err = drm_mm_reserve_node(mm, node);
		if (err)
			return err;
		ggtt->num_scanout++;
		start += node->size;
	}
	return 0;
}

/**
 * igen_scanout_keep - reserve the addresses that the display reads
 * @igen: the device; nothing is allocated in its GGTT yet
 *
 * Return: 0, -ENOSPC.
 */
int igen_scanout_keep(struct igen_device *igen)
{
	struct igen_surface surfaces[IGEN_MAX_SURFACES];
	struct igen_ggtt *ggtt = &igen->ggtt;
	unsigned int n, num;
	u64 end;
	int err;

	num = igen->platform->scanout ? igen->platform->scanout(igen, surfaces) : 0;
	for (n = 0; n < num; n++) {
		end = min(surfaces[n].start + surfaces[n].size, ggtt->vm.total);
		if (surfaces[n].start >= end)
			continue;
		drm_info(&igen->drm, "pipe %c, %s %u shows GGTT 0x%llx to 0x%llx: igen keeps off these addresses\n",
			 'A' + surfaces[n].pipe, surfaces[n].plane ? "plane" : "cursor", surfaces[n].plane,
			 surfaces[n].start, end - 1);
		err = scanout_reserve(ggtt, surfaces[n].start, end);
		if (err)
			return err;
	}
	return 0;
}

/**
 * igen_scanout_release - give the display's addresses back
 * @igen: the device
 */
void igen_scanout_release(struct igen_device *igen)
{
	struct igen_ggtt *ggtt = &igen->ggtt;

	while (ggtt->num_scanout)
		drm_mm_remove_node(&ggtt->scanout[--ggtt->num_scanout]);
}
