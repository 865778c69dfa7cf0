// SPDX-License-Identifier: MIT
/* In 7.3 dma_fence_enable_sw_signaling() became dma_fence_enable_signaling(). */
#include <linux/dma-fence.h>

static void probe(struct dma_fence *fence)
{
#ifdef IGEN_PROBE
	dma_fence_enable_signaling(fence);
#else
	dma_fence_enable_sw_signaling(fence);
#endif
}
