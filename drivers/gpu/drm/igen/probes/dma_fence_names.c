// SPDX-License-Identifier: MIT
/* Since 6.17 the names of a fence are asked for by functions, under RCU. */
#include <linux/dma-fence.h>

static const char *probe(struct dma_fence *fence)
{
#ifdef IGEN_PROBE
	return (__force const char *)dma_fence_driver_name(fence);
#else
	return fence->ops->get_driver_name(fence);
#endif
}
