/* SPDX-License-Identifier: MIT */
/**
 * DOC: What the display scans out
 *
 * igen drives no display, but firmware or another driver may have left one on. It reads memory through the GGTT, so
 * igen has to leave these entries alone (mm/igen_scanout.c). The platform says which they are.
 */
#ifndef _IGEN_SCANOUT_H_
#define _IGEN_SCANOUT_H_

#include <linux/types.h>

struct igen_device;

/* Planes and cursors that a platform may have. */
#define IGEN_MAX_SURFACES	12

/** struct igen_surface - what a plane or a cursor shows */
struct igen_surface {
	/** @pipe: 0 is A */
	u8 pipe;
	/** @plane: 1 is the lowest, 0 the cursor */
	u8 plane;
	/** @start: in the GGTT, a multiple of 4096 */
	u64 start;
	/** @size: bytes, a multiple of 4096, and no less than what is read; may reach beyond the GGTT's end */
	u64 size;
};

unsigned int igen_scanout_gen9(struct igen_device *igen, struct igen_surface *surfaces);

#endif
