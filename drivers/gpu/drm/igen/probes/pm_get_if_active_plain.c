// SPDX-License-Identifier: MIT
/* Since 6.9 pm_runtime_get_if_active() does not ask any more whether the number of users matters. */
#include <linux/pm_runtime.h>

static int probe(struct device *dev)
{
#ifdef IGEN_PROBE
	return pm_runtime_get_if_active(dev);
#else
	return pm_runtime_get_if_active(dev, true);
#endif
}
