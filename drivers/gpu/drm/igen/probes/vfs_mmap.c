// SPDX-License-Identifier: MIT
/* In 6.17 call_mmap() became vfs_mmap(). */
#include <linux/fs.h>

static int probe(struct file *file, struct vm_area_struct *area)
{
#ifdef IGEN_PROBE
	return vfs_mmap(file, area);
#else
	return call_mmap(file, area);
#endif
}
