// SPDX-License-Identifier: MIT
/* Since 6.12 a file with offsets beyond LLONG_MAX says so; before, the DRM core did at open. */
#include <linux/fs.h>

static const struct file_operations probe = {
#ifdef IGEN_PROBE
	.fop_flags = FOP_UNSIGNED_OFFSET,
#else
	.open = NULL,
#endif
};
