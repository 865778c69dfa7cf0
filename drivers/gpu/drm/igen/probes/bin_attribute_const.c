// SPDX-License-Identifier: MIT
/* Since 6.16 the callbacks of a binary attribute get it as a constant. */
#include <linux/sysfs.h>

#ifdef IGEN_PROBE
#define CONST const
#else
#define CONST
#endif

static ssize_t probe_read(struct file *file, struct kobject *kobj, CONST struct bin_attribute *attr,
			  char *buf, loff_t at, size_t count)
{
	return 0;
}

static struct bin_attribute probe = {
	.read = probe_read,
};
