// SPDX-License-Identifier: MIT
/**
 * DOC: The fuses of Gen9
 *
 * FUSE2 says which slices are enabled and which subslices are disabled, in every slice alike; EU_DISABLE has eight
 * bits per subslice, a register per slice (public Gen9 PRM Vol 2c, "FUSE2" and "EU_DISABLE0"). EDRAM_CAP tells how
 * large the eDRAM is, if the part has one (as stock i915 reads it).
 */
#include <linux/bitops.h>

#include <igen/regs/gt.h>

#include "../igen_device.h"

static unsigned int gen9_edram_mb(struct igen_device *igen)
{
	static const u8 ways[] = { 4, 8, 12, 16, 16, 16, 16, 16 }, sets[] = { 1, 1, 2, 2 };
	u32 cap = igen_read(igen, EDRAM_CAP);

	if (!(cap & EDRAM_THERE))
		return 0;
	return IGEN_GET(EDRAM_BANKS_MASK, cap) * ways[IGEN_GET(EDRAM_WAYS_MASK, cap)] *
	       sets[IGEN_GET(EDRAM_SETS_MASK, cap)];
}

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

	topo->edram_mb = gen9_edram_mb(igen);
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
