// SPDX-License-Identifier: MIT
/* Since 7.0 the flags of a file of shmem are a vma_flags_t, a structure. */
#include <linux/mm.h>
#include <linux/shmem_fs.h>

static struct file *probe(void)
{
#ifdef IGEN_PROBE
	return shmem_file_setup("probe", PAGE_SIZE, mk_vma_flags(VMA_NORESERVE_BIT));
#else
	return shmem_file_setup("probe", PAGE_SIZE, VM_NORESERVE);
#endif
}
