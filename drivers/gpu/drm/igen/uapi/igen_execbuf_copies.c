// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf: copies of relocations
 *
 * With objects locked the driver must not fault on user memory, which may be a mapping of one of the objects. If a page
 * of the relocations is missing, the driver unlocks all objects, copies the relocations, and starts over with the
 * copies. When the call has succeeded it brings the presumed addresses in user memory up to date.
 */
#include <linux/slab.h>

#include "../igen_device.h"
#include "../igen_killable.h"
#include "igen_execbuf.h"
#include "igen_execbuf_handles.h"

/*
 * Marks all presumed addresses of an object as invalid in user memory. If the call fails after it has written some of
 * the relocations, the next call writes all of them again. Userspace whose memory can't be written keeps wrong
 * addresses.
 */
static void reloc_clear_presumed(const struct drm_i915_gem_exec_object2 *entry)
{
	struct drm_i915_gem_relocation_entry __user *user = u64_to_user_ptr(entry->relocs_ptr);
	unsigned int n;

	for (n = 0; n < entry->relocation_count; n++)
		if (put_user(IGEN_RELOC_NOT_YET, &user[n].presumed_offset) || igen_check_killed_at(n))
			return;
}

/**
 * igen_execbuf_copy_relocs - copies all relocations from user memory
 * @eb: the call, with nothing locked
 *
 * Return: 0, -EFAULT, -ENOMEM, -EINTR; igen_execbuf_free_relocs() frees them in every case.
 */
int igen_execbuf_copy_relocs(struct igen_execbuf *eb)
{
	unsigned int i;
	size_t bytes;
	int err;

	eb->copies = igen_execbuf_alloc(eb, (u64)eb->count * sizeof(*eb->copies));
	if (!eb->copies)
		return -ENOMEM;
	memset(eb->copies, 0, eb->count * sizeof(*eb->copies));

	for (i = 0; i < eb->count; i++) {
		err = igen_check_killed_at(i);
		if (err)
			return err;
		if (!eb->exec[i].relocation_count)
			continue;
		bytes = (size_t)eb->exec[i].relocation_count * sizeof(*eb->copies[i].entries);
		if (bytes > INT_MAX)
			return -ENOMEM;
		eb->copies[i].entries = igen_execbuf_alloc(eb, bytes);
		if (!eb->copies[i].entries)
			return -ENOMEM;
		err = igen_copy_from_user_killable(eb->copies[i].entries, u64_to_user_ptr(eb->exec[i].relocs_ptr),
						   bytes);
		if (err)
			return err;
		reloc_clear_presumed(&eb->exec[i]);
	}
	return 0;
}

/**
 * igen_execbuf_return_relocs - brings userspace's presumed addresses up to date
 * @eb: the call, submitted, with nothing locked
 */
void igen_execbuf_return_relocs(struct igen_execbuf *eb)
{
	struct drm_i915_gem_relocation_entry __user *user;
	unsigned int i, n;

	for (i = 0; i < eb->num_writes; i++)
		if (eb->writes[i].presumed && put_user(eb->writes[i].address, eb->writes[i].presumed))
			return;
	for (i = 0; eb->copies && i < eb->count; i++) {
		if (igen_check_killed_at(i))
			return;
		user = u64_to_user_ptr(eb->exec[i].relocs_ptr);
		for (n = 0; n < eb->exec[i].relocation_count; n++)
			if (put_user(eb->copies[i].entries[n].presumed_offset, &user[n].presumed_offset) ||
			    igen_check_killed_at(n))
				return;
	}
}

/**
 * igen_execbuf_free_relocs - frees what relocating allocated, if anything
 * @eb: the call, with relocations
 */
void igen_execbuf_free_relocs(struct igen_execbuf *eb)
{
	unsigned int i;

	kvfree(eb->writes);
	eb->writes = NULL;
	igen_execbuf_free_handles(eb);
	if (!eb->copies)
		return;
	for (i = 0; i < eb->count; i++) {
		kvfree(eb->copies[i].entries);
		igen_check_killed_at(i);
	}
	kvfree(eb->copies);
	eb->copies = NULL;
}
