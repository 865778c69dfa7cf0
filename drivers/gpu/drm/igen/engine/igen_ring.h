/* SPDX-License-Identifier: MIT */
/**
 * DOC: Rings
 *
 * A ring is memory in the GGTT from which an engine fetches commands. The engine executes the commands from the head to
 * the tail, and goes on at the ring's start when it comes to its end. The engine moves the head, the driver the tail.
 */
#ifndef _IGEN_RING_H_
#define _IGEN_RING_H_

#include <linux/types.h>

struct igen_vma;

/* The tail stays a cache line behind the head: equal means empty. */
#define IGEN_RING_GAP	64

/**
 * struct igen_ring - commands for an engine; a context's is under the mutex of the timeline whose requests are in it
 */
struct igen_ring {
	/** @vma: the memory, in the GGTT; NULL for a context's ring out of which requests are copied */
	struct igen_vma *vma;
	/** @vaddr: kernel mapping of it */
	void *vaddr;
	/** @size: bytes, a power of two; constant */
	u32 size;
	/** @tail: where the next request is written */
	u32 tail;
	/**
	 * @head: the commands before this offset have been executed, as the driver saw last. While the ring is not in
	 * the GGTT @head is set so that the ring looks full; then code that finds room need not ask
	 */
	u32 head;
};

/**
 * igen_ring_offset - bring an offset that may lie behind the ring's end back into the ring
 * @ring: the ring
 * @offset: bytes from the ring's start, less than twice its size
 *
 * Return: the offset, from 0 to the ring's size.
 */
static inline u32 igen_ring_offset(const struct igen_ring *ring, u32 offset)
{
	return offset & (ring->size - 1);
}

/**
 * igen_ring_free - count the bytes that may be written at the tail
 * @ring: the ring
 *
 * Return: bytes, across the ring's end.
 */
static inline u32 igen_ring_free(const struct igen_ring *ring)
{
	return igen_ring_offset(ring, ring->head - ring->tail - IGEN_RING_GAP);
}

/**
 * igen_ring_bytes_with_wrap - count the bytes of ring that contiguous commands take at the present tail
 * @ring: the ring
 * @bytes: size of the commands
 *
 * Commands that do not fit before the ring's end start at the ring's beginning, and take the bytes up to the end as
 * well.
 *
 * Return: bytes.
 */
static inline u32 igen_ring_bytes_with_wrap(const struct igen_ring *ring, u32 bytes)
{
	u32 to_end = ring->size - ring->tail;

	return bytes <= to_end ? bytes : bytes + to_end;
}

/**
 * igen_ring_advance - move the tail behind what was written
 * @ring: the ring
 * @bytes: how far, up to the ring's end at most
 *
 * Return: the place that was the tail.
 */
static inline void *igen_ring_advance(struct igen_ring *ring, u32 bytes)
{
	void *at = ring->vaddr + ring->tail;

	ring->tail = igen_ring_offset(ring, ring->tail + bytes);
	return at;
}

void igen_ring_blank(struct igen_ring *ring, u32 from, u32 to);
void igen_ring_wrap(struct igen_ring *ring);

#endif
