// SPDX-License-Identifier: MIT
/* Since 7.1 the lock of a fence may be within it, and dma_fence_spinlock() tells which it is. */
#include <linux/dma-fence.h>

static spinlock_t *probe(struct dma_fence *fence)
{
#ifdef IGEN_PROBE
	return dma_fence_spinlock(fence);
#else
	return fence->lock;
#endif
}
