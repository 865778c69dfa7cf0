/* SPDX-License-Identifier: MIT */
#ifndef _IGEN_EXECBUF_HANDLES_H_
#define _IGEN_EXECBUF_HANDLES_H_

#include <linux/nospec.h>

#include "igen_execbuf.h"

/* Where a handle's search begins. The multiplier is odd and random: no client can choose handles that collide. */
static inline unsigned int igen_execbuf_bucket_of(const struct igen_execbuf *eb, u32 handle)
{
	return (handle * eb->bucket_factor) >> (32 - eb->bucket_bits);
}

/**
 * igen_execbuf_entry_of - find the entry that a relocation's target names
 * @eb: the call, with its table of handles if it needs one
 * @handle: the handle, or the index of the entry
 * @by_index: the call has I915_EXEC_HANDLE_LUT
 *
 * Inlined, since relocating consists of little else.
 *
 * Return: the entry, or NULL when the list has none of that handle.
 */
static inline struct igen_exec_vma *igen_execbuf_entry_of(struct igen_execbuf *eb, u32 handle, bool by_index)
{
	unsigned int i, slot;

	if (by_index) {
		if (handle >= eb->count)
			return NULL;
		return &eb->ev[array_index_nospec(handle, eb->count)];
	}

	if (!eb->buckets) {
		for (i = 0; i < eb->count; i++)
			if (eb->exec[i].handle == handle)
				return &eb->ev[i];
		return NULL;
	}

	slot = igen_execbuf_bucket_of(eb, handle);
	while (eb->buckets[slot]) {
		i = eb->buckets[slot] - 1;
		if (eb->exec[i].handle == handle)
			return &eb->ev[i];
		slot = (slot + 1) & (BIT(eb->bucket_bits) - 1);
	}
	return NULL;
}

int igen_execbuf_index_handles_locked(struct igen_execbuf *eb);
void igen_execbuf_free_handles(struct igen_execbuf *eb);

#endif
