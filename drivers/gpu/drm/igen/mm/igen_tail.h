/* SPDX-License-Identifier: MIT */
/**
 * DOC: The tail page of a tiled object
 *
 * igen_tail.c explains which objects need one and why.
 */
#ifndef _IGEN_TAIL_H_
#define _IGEN_TAIL_H_

#include "igen_dma.h"

struct igen_bo;
struct page;

/** struct igen_tail - a page that an object's rows of tiles go on to behind its end */
struct igen_tail {
	/** @page: zeroed when made; written by clients that map the object */
	struct page *page;
	/** @dma: its mapping */
	struct igen_dma dma;
};

int igen_tail_make(struct igen_bo *bo);
void igen_tail_free(struct igen_bo *bo);

#endif
