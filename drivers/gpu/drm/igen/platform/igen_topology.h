/* SPDX-License-Identifier: MIT */
/**
 * DOC: Topology
 *
 * Which slices, subslices and execution units the fuses left. Userspace sizes its thread counts and scratch space
 * by it; the driver itself only reports it.
 */
#ifndef _IGEN_TOPOLOGY_H_
#define _IGEN_TOPOLOGY_H_

#include <linux/types.h>

struct igen_device;

#define IGEN_MAX_SLICES		3
#define IGEN_MAX_SUBSLICES	4
#define IGEN_MAX_EUS		8

/** struct igen_topology - what the fuses left of the execution units */
struct igen_topology {
	/** @max_slices: that this family may have */
	u8 max_slices;
	/** @max_subslices: per slice */
	u8 max_subslices;
	/** @max_eus: per subslice */
	u8 max_eus;
	/** @slice_mask: slices present */
	u8 slice_mask;
	/** @subslice_mask: subslices present, by slice */
	u8 subslice_mask[IGEN_MAX_SLICES];
	/** @eu_mask: EUs present, by slice and subslice */
	u8 eu_mask[IGEN_MAX_SLICES][IGEN_MAX_SUBSLICES];
	/** @subslice_total: subslices present in all */
	unsigned int subslice_total;
	/** @eu_total: EUs present in all */
	unsigned int eu_total;
	/** @edram_mb: size of the eDRAM, a last level cache of display and GPU; 0: there is none */
	unsigned int edram_mb;
};

int igen_topology_init(struct igen_device *igen);

unsigned int igen_topology_pool_eus(const struct igen_device *igen);

#endif
