/* SPDX-License-Identifier: MIT */
/**
 * DOC: Checking batches on the CPU
 */
#ifndef _IGEN_CMDPARSER_H_
#define _IGEN_CMDPARSER_H_

#include <linux/types.h>

/**
 * struct igen_batch_check - a batch that is copied and checked as it is copied
 */
struct igen_batch_check {
	/** @regs: registers that it may touch, ends with 0 */
	const u32 *regs;
	/** @shadow: the copy */
	u32 *shadow;
	/** @total: dwords of the batch */
	u32 total;
	/** @room: dwords that @shadow has room for, at most @total */
	u32 room;
	/** @copied: dwords of the batch that are in @shadow */
	u32 copied;
	/** @batch_addr: where userspace thinks that it runs, canonical */
	u64 batch_addr;
	/** @shadow_addr: where it will run, canonical */
	u64 shadow_addr;
	/** @copy: copies from @copied up to some end of at least @upto, at most @room, and moves @copied; 0, -EINTR */
	int (*copy)(struct igen_batch_check *check, u32 upto);
};

/* -EACCES: it does what it may not; -EINVAL: it is no batch that can be checked; -ENOBUFS: there is no room for it. */
int igen_check_batch(struct igen_batch_check *check);

#endif
