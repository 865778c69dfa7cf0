// SPDX-License-Identifier: MIT
/* Since 6.3 the flags of a mapping are changed by functions and are else constant. */
#include <linux/mm.h>

static void probe(struct vm_area_struct *area, unsigned long set, unsigned long clear)
{
#ifdef IGEN_PROBE
	vm_flags_mod(area, set, clear);
#else
	area->vm_flags = (area->vm_flags | set) & ~clear;
#endif
}
