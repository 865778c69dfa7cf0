/* SPDX-License-Identifier: MIT */
/**
 * DOC: Fences that a test signals
 *
 * Of the kernel's sw_sync or of the guest's own module; drivers/dma-buf/sw_sync.c has no header for userspace.
 */
#ifndef IGEN_TESTS_SW_SYNC_H
#define IGEN_TESTS_SW_SYNC_H

#include <stdint.h>
#include <sys/ioctl.h>

/* Opened, a timeline. */
#define SW_SYNC_FILE	"/sys/kernel/debug/sync/sw_sync"

struct sw_sync_create {
	uint32_t value;			/* of the timeline, at which it signals */
	char name[32];
	int32_t fence;			/* the new descriptor */
};

#define SW_SYNC_CREATE	_IOWR('W', 0, struct sw_sync_create)
#define SW_SYNC_INC	_IOW('W', 1, uint32_t)

#endif
