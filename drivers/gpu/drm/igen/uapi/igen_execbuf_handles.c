// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf: the objects' handles
 *
 * A relocation names its target by the handle, unless the call has I915_EXEC_HANDLE_LUT. The driver looks the handle up
 * in the list of objects: in a short list one by one, in a longer one by a hash table.
 */
#include <linux/random.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../igen_device.h"
#include "../igen_killable.h"
#include "igen_execbuf.h"
#include "igen_execbuf_handles.h"

/* Object lists up to this many entries are searched one by one. */
#define SHORT_LIST	16

/* A table of handles that is larger is made before anything is locked. */
#define UNLOCKED_BYTES	SZ_64K

static void handles_fill(struct igen_execbuf *eb, u32 *buckets, unsigned int first, unsigned int end)
{
	unsigned int i, slot;

	for (i = first; i < end; i++) {
		slot = igen_execbuf_bucket_of(eb, eb->exec[i].handle);
		/* A handle that is there twice has one bucket, which leads to its first entry. */
		while (buckets[slot] && eb->exec[buckets[slot] - 1].handle != eb->exec[i].handle)
			slot = (slot + 1) & (BIT(eb->bucket_bits) - 1);
		if (!buckets[slot])
			buckets[slot] = i + 1;
	}
}

static bool handles_need_table(const struct igen_execbuf *eb)
{
	return !(eb->args->flags & I915_EXEC_HANDLE_LUT) && eb->count > SHORT_LIST && !eb->buckets;
}

static u64 handles_table_bytes(const struct igen_execbuf *eb)
{
	return sizeof(*eb->buckets) << (order_base_2(eb->count) + 1);
}

/*
 * Entries by handle, for calls without I915_EXEC_HANDLE_LUT: a hash table with open addressing, at most half full.
 * Short lists are searched as they are.
 */
static int handles_build_table(struct igen_execbuf *eb, u32 *buckets)
{
	unsigned int first, end;
	int err = 0;

	if (!buckets)
		return -ENOMEM;
	memset(buckets, 0, handles_table_bytes(eb));
	eb->bucket_bits = order_base_2(eb->count) + 1;
	eb->bucket_factor = get_random_u32() | 1;

	for (first = 0; first < eb->count && !err; first = end) {
		end = min(first + IGEN_KILL_CHECK_ROUNDS, eb->count);
		handles_fill(eb, buckets, first, end);
		err = igen_check_killed();
	}
	if (err) {
		kvfree(buckets);
		return err;
	}
	eb->buckets = buckets;
	return 0;
}

/**
 * igen_execbuf_index_handles - prepares a long list for relocations that name handles
 * @eb: the call, with nothing locked
 *
 * The table of a shorter list is made by igen_execbuf_relocate(), and only if an object is not where userspace thinks.
 * May sleep.
 *
 * Return: 0, -ENOMEM, or -EINTR when the process is being killed; igen_execbuf_free_handles() frees the table.
 */
int igen_execbuf_index_handles(struct igen_execbuf *eb)
{
	if (!eb->has_relocs || !handles_need_table(eb) || handles_table_bytes(eb) <= UNLOCKED_BYTES)
		return 0;
	return handles_build_table(eb, igen_execbuf_alloc(eb, handles_table_bytes(eb)));
}

/**
 * igen_execbuf_index_handles_locked - make the table of a list that has none yet and needs one
 * @eb: the call, with all objects locked
 *
 * Does nothing for a list that igen_execbuf_index_handles() has made a table for. May sleep.
 *
 * Return: 0, -ENOMEM, or -EINTR when the process is being killed; igen_execbuf_free_handles() frees the table.
 */
int igen_execbuf_index_handles_locked(struct igen_execbuf *eb)
{
	if (!handles_need_table(eb))
		return 0;
	return handles_build_table(eb, kvmalloc(handles_table_bytes(eb), GFP_KERNEL | __GFP_NOWARN));
}

/**
 * igen_execbuf_free_handles - free the table of handles, if there is one
 * @eb: the call
 */
void igen_execbuf_free_handles(struct igen_execbuf *eb)
{
	kvfree(eb->buckets);
	eb->buckets = NULL;
}
