// SPDX-License-Identifier: MIT
/**
 * DOC: Reading the fuses
 *
 * FUSE2 says which slices are enabled and which subslices are disabled, in every slice alike; EU_DISABLE has eight
 * bits per subslice, a register per slice (public Gen9 PRM Vol 2c, "FUSE2" and "EU_DISABLE0"). The fuses are read
 * once, at probe.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>

#include <igen/regs/gt.h>

#include "../igen_device.h"

int igen_topology_init(struct igen_device *igen)
{
	const struct igen_platform *platform = igen->platform;
	struct igen_topology *topo = &igen->topology;
	u32 fuse, disabled;
	unsigned int s, ss;
	u8 subslices;
	int err;

	topo->max_slices = min_t(u8, platform->max_slices, IGEN_MAX_SLICES);
	topo->max_subslices = min_t(u8, platform->max_subslices, IGEN_MAX_SUBSLICES);
	topo->max_eus = min_t(u8, platform->max_eus, IGEN_MAX_EUS);

	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	if (err)
		return err;

	fuse = igen_read(igen, FUSE2);
	topo->slice_mask = IGEN_GET(FUSE2_SLICE_ENABLE_MASK, fuse) & (BIT(topo->max_slices) - 1);
	subslices = ~IGEN_GET(FUSE2_SUBSLICE_DISABLE_MASK, fuse) & (BIT(topo->max_subslices) - 1);

	for (s = 0; s < topo->max_slices; s++) {
		if (!(topo->slice_mask & BIT(s)))
			continue;

		topo->subslice_mask[s] = subslices;
		topo->subslice_total += hweight8(subslices);
		disabled = igen_read(igen, EU_DISABLE(s));
		for (ss = 0; ss < topo->max_subslices; ss++) {
			if (!(subslices & BIT(ss)))
				continue;
			topo->eu_mask[s][ss] = ~(disabled >> (ss * 8)) & (BIT(topo->max_eus) - 1);
			topo->eu_total += hweight8(topo->eu_mask[s][ss]);
		}
	}
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);

	return topo->eu_total ? 0 : -ENODEV;
}
