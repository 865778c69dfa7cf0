// SPDX-License-Identifier: MIT
#include <linux/bitops.h>

#include <igen/regs/gt.h>

#include "../igen_device.h"

/**
 * igen_steer_gen9 - igen_platform.steer of Gen9
 * @igen: the device, its topology known; forcewake of all domains held
 *
 * Registers of a slice or subslice are read through MCR_SELECTOR, which has to point at one that is there
 * (WaProgramMgsrForCorrectSliceSpecificMmioReads).
 */
void igen_steer_gen9(struct igen_device *igen)
{
	const struct igen_topology *topo = &igen->topology;
	unsigned int slice = __ffs(topo->slice_mask);
	unsigned int subslice = __ffs(topo->subslice_mask[slice]);

	igen_rmw(igen, MCR_SELECTOR, MCR_SLICE_MASK | MCR_SUBSLICE_MASK,
		 IGEN_PREP(MCR_SLICE_MASK, slice) | IGEN_PREP(MCR_SUBSLICE_MASK, subslice));
}
