/* SPDX-License-Identifier: MIT */
/**
 * DOC: Following a stream through its batches
 *
 * Memory is a list of buffers at addresses. A walk begins somewhere in it, in the ring or in a
 * batch, and goes where MI_BATCH_BUFFER_START and MI_BATCH_BUFFER_END lead, as the command streamer
 * does when no condition holds: a conditional end is passed over. What a batch starts that is in no
 * buffer is reported and passed over. A walk ends: every jump counts against a bound.
 */
#ifndef _IGEN_WALK_H_
#define _IGEN_WALK_H_

#include "check.h"

#define IGEN_WALK_LEVELS 4
#define IGEN_WALK_JUMPS	 1024

struct igen_buffer {
	__u64 address;
	const __u32 *dw;
	size_t n;
};

struct igen_memory {
	struct igen_buffer *buffers;
	size_t nbuffers;
};

enum igen_walk_event {
	IGEN_WALK_COMMAND,
	IGEN_WALK_ENTER,   /* a batch begins at the address */
	IGEN_WALK_CHAIN,   /* the batch goes on at the address */
	IGEN_WALK_RETURN,  /* back at the caller's address */
	IGEN_WALK_MISSING, /* the address that a batch was started at is in no buffer */
	IGEN_WALK_TOO_DEEP,
	IGEN_WALK_TOO_MANY, /* jumps: a loop */
	IGEN_WALK_END	    /* the buffer's end, without an end of the batch */
};

/**
 * struct igen_walk - a walk
 * @d: decoder
 * @memory: where batches are
 * @level: of batches at the start: 0 in the ring
 * @unprivileged: is the start in a process's address space? Its batches are then, whatever they ask
 * for.
 * @visit: called for each event; @inst is the command of IGEN_WALK_COMMAND, else NULL. False stops
 * the walk.
 * @data: for @visit
 */
struct igen_walk {
	const struct igen_decoder *d;
	const struct igen_memory *memory;
	unsigned int level;
	bool unprivileged;
	bool (*visit)(struct igen_walk *w, enum igen_walk_event event, const struct igen_inst *inst,
		      __u64 address);
	void *data;
};

/* Walks from @address over the @n dwords at @dw, and on. */
void igen_walk(struct igen_walk *w, const __u32 *dw, size_t n, __u64 address);
/* The dwords from an address on; NULL if it is in no buffer or no multiple of four. */
const __u32 *igen_memory_at(const struct igen_memory *m, __u64 address, size_t *n);

#endif
