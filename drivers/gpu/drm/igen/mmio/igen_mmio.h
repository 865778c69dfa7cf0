/* SPDX-License-Identifier: MIT */
/**
 * DOC: Register access and forcewake
 *
 * BAR 0 is mapped once. igen_read()/igen_write() (igen_device.h) are raw accesses: code that reads a register of a
 * power domain that may sleep holds forcewake (igen_forcewake_get()), which is reference counted per domain and
 * released by the last put. The submission path uses neither reads nor forcewake: the ELSP write itself wakes the
 * engine.
 */
#ifndef _IGEN_MMIO_H_
#define _IGEN_MMIO_H_

#include <linux/bits.h>
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/spinlock.h>

#include "../platform/igen_platform.h"

struct igen_device;

/**
 * struct igen_mmio - BAR 0 and its power domains
 */
struct igen_mmio {
	/** @regs: the registers, the lower half of BAR 0 */
	void __iomem *regs;
	/** @fw_lock: guards @fw_count; irq-safe, innermost */
	spinlock_t fw_lock;
	/** @fw_count: users of each domain */
	unsigned int fw_count[FORCEWAKE_NUM_DOMAINS];
	/** @fw_plain: the wells are igen_platform.forcewake_plain */
	bool fw_plain;
	/** @fifo_left: writes that the FIFO has room for since its register was read last; see igen_fifo_wait() */
	atomic_t fifo_left;
};

int igen_mmio_init(struct igen_device *igen);
int igen_wait_reg(struct igen_device *igen, u32 reg, u32 mask, u32 value, unsigned int timeout_us, bool may_sleep);

int igen_pcode_write(struct igen_device *igen, u32 command, u32 data);
int igen_pcode_read(struct igen_device *igen, u32 command, u32 *data);

int igen_forcewake_init(struct igen_device *igen);
int igen_forcewake_get(struct igen_device *igen, unsigned int mask);
void igen_forcewake_put(struct igen_device *igen, unsigned int mask);
void igen_fifo_wait(struct igen_device *igen);

#endif
