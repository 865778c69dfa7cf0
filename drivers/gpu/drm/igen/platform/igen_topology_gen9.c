// SPDX-License-Identifier: MIT
/**
 * DOC: The fuses of Gen9
 *
 * FUSE2 says which slices are enabled and which subslices are disabled, in every slice alike; EU_DISABLE has eight
 * bits per subslice, a register per slice (public Gen9 PRM Vol 2c, "FUSE2" and "EU_DISABLE0").
 */
#include <linux/bitops.h>

#include <igen/regs/gt.h>

#include "../igen_device.h"

/**
 * igen_topology_gen9 - igen_platform.topology of Gen9
 * @igen: the device; forcewake of all domains held
 * @topo: its topology
 */
void igen_topology_gen9(struct igen_device *igen, struct igen_topology *topo)
{
	u32 fuse = igen_read(igen, FUSE2), disabled;
	unsigned int s, ss;
	u8 subslices;

	topo->slice_mask = IGEN_GET(FUSE2_SLICE_ENABLE_MASK, fuse) & (BIT(topo->max_slices) - 1);
	subslices = ~IGEN_GET(FUSE2_SUBSLICE_DISABLE_MASK, fuse) & (BIT(topo->max_subslices) - 1);

	for (s = 0; s < topo->max_slices; s++) {
		if (!(topo->slice_mask & BIT(s)))
			continue;
		topo->subslice_mask[s] = subslices;
		disabled = igen_read(igen, EU_DISABLE(s));
		for (ss = 0; ss < topo->max_subslices; ss++)
			if (subslices & BIT(ss))
				topo->eu_mask[s][ss] = ~(disabled >> (ss * 8)) & (BIT(topo->max_eus) - 1);
	}
}
