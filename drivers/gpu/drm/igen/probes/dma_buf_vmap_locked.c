// SPDX-License-Identifier: MIT
/* Since 6.2 the caller of a buffer's vmap() holds its lock: dma_buf_vmap_unlocked() is for those that do not. */
#include <linux/dma-buf.h>

static int probe(struct dma_buf *buf, struct iosys_map *map)
{
#ifdef IGEN_PROBE
	return dma_buf_vmap_unlocked(buf, map);
#else
	return dma_buf_vmap(buf, map);
#endif
}
