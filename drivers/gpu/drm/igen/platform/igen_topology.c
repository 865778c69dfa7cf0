// SPDX-License-Identifier: MIT
/**
 * DOC: Reading the fuses
 *
 * Which registers say what is enabled is the platform's (igen_platform.topology). They are read once, at probe.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>

#include "../igen_device.h"

/**
 * igen_topology_init - read from fuses which slices, subslices and EUs are there
 * @igen: the device; its registers answer
 *
 * Takes forcewake. May sleep.
 *
 * Return: 0, -ENODEV when there are no EUs, or what waking the GPU fails with.
 */
int igen_topology_init(struct igen_device *igen)
{
	const struct igen_platform *platform = igen->platform;
	struct igen_topology *topo = &igen->topology;
	unsigned int s, ss;
	int err;

	topo->max_slices = min_t(u8, platform->max_slices, IGEN_MAX_SLICES);
	topo->max_subslices = min_t(u8, platform->max_subslices, IGEN_MAX_SUBSLICES);
	topo->max_eus = min_t(u8, platform->max_eus, IGEN_MAX_EUS);

	if (!platform->topology)
		return 0;
	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	if (err)
		return err;
	platform->topology(igen, topo);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);

	for (s = 0; s < topo->max_slices; s++) {
		topo->subslice_total += hweight8(topo->subslice_mask[s]);
		for (ss = 0; ss < topo->max_subslices; ss++)
			topo->eu_total += hweight8(topo->eu_mask[s][ss]);
	}
	return topo->eu_total ? 0 : -ENODEV;
}

/**
 * igen_topology_pool_eus - tell the size of the smaller of two pools of EUs
 * @igen: the device, its topology read
 *
 * Return: EUs, or 0 when they are not pooled.
 */
unsigned int igen_topology_pool_eus(const struct igen_device *igen)
{
	const struct igen_topology *topo = &igen->topology;

	/* Pools are made of three subslices. */
	return igen->platform->eu_pools && topo->subslice_total == 3 ? topo->eu_total / 2 : 0;
}
