// SPDX-License-Identifier: MIT
#include <linux/string.h>

#include "igen_ring.h"

/**
 * igen_ring_blank - replace commands by MI_NOOP, which is 0
 * @ring: the ring
 * @from: offset of the first command
 * @to: offset behind the last one; below @from when the commands go around the ring's end
 *
 * Context: any; the engine does not fetch these commands meanwhile.
 */
void igen_ring_blank(struct igen_ring *ring, u32 from, u32 to)
{
	if (from <= to) {
		memset(ring->vaddr + from, 0, to - from);
		return;
	}
	memset(ring->vaddr + from, 0, ring->size - from);
	memset(ring->vaddr, 0, to);
}

/**
 * igen_ring_wrap - have the next command lie at the ring's beginning
 * @ring: the ring, with room for what is left up to its end
 */
void igen_ring_wrap(struct igen_ring *ring)
{
	memset(ring->vaddr + ring->tail, 0, ring->size - ring->tail);
	ring->tail = 0;
}
