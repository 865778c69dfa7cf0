// SPDX-License-Identifier: MIT
/**
 * DOC: Chains of user extensions
 *
 * i915's ioctls take options as a linked list in user memory. The list is walked once, each header is read
 * field by field where it stands, and a chain that does not end is cut off.
 */
#include <linux/nospec.h>

#include "../igen_killable.h"
#include "igen_uapi.h"

#define MAX_EXTENSIONS 512

/**
 * igen_user_extensions - call a function for each extension of a user's chain
 * @ext: the first extension in user memory, or NULL
 * @table: the functions, by the extension's name; NULL for a name that is not known
 * @count: functions in the table
 * @data: passed to each of them
 *
 * A chain has at most 512 extensions. May sleep.
 *
 * Return: 0; -E2BIG for a longer chain; -EINVAL for an unknown name or flag; -EFAULT; -EINTR when the process is being
 * killed; or what a function returned.
 */
int igen_user_extensions(struct i915_user_extension __user *ext, const igen_extension_fn *table,
			 unsigned int count, void *data)
{
	struct i915_user_extension local;
	unsigned int left = MAX_EXTENSIONS;
	unsigned int i;
	int err;

	while (ext) {
		if (!left--)
			return -E2BIG;
		err = igen_check_killed();
		if (err)
			return err;
		if (copy_from_user(&local, ext, sizeof(local)))
			return -EFAULT;
		if (local.flags)
			return -EINVAL;
		for (i = 0; i < ARRAY_SIZE(local.rsvd); i++)
			if (local.rsvd[i])
				return -EINVAL;
		if (local.name >= count)
			return -EINVAL;

		i = array_index_nospec(local.name, count);
		if (!table[i])
			return -EINVAL;
		err = table[i](ext, data);
		if (err)
			return err;

		ext = u64_to_user_ptr(local.next_extension);
	}

	return 0;
}
