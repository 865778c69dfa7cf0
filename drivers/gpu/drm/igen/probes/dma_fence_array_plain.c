// SPDX-License-Identifier: MIT
/* By 7.2 dma_fence_array_create() lost its last argument, whether any of the fences is enough. */
#include <linux/dma-fence-array.h>

static struct dma_fence_array *probe(struct dma_fence **fences)
{
#ifdef IGEN_PROBE
	return dma_fence_array_create(1, fences, 1, 1);
#else
	return dma_fence_array_create(1, fences, 1, 1, false);
#endif
}
