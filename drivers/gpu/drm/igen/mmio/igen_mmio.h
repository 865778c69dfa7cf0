/* SPDX-License-Identifier: MIT */
/*
 * DOC: Register access and forcewake
 *
 * BAR 0 is mapped once. igen_read()/igen_write() are raw accesses: whoever reads a register of a power domain
 * that may sleep holds forcewake (igen_forcewake_get()), which is reference counted per domain and released by the
 * last put. The submission path uses neither reads nor forcewake: the ELSP write itself wakes the engine.
 */
#ifndef _IGEN_MMIO_H_
#define _IGEN_MMIO_H_

#include <linux/bits.h>
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/spinlock.h>

struct igen_device;

#define FORCEWAKE_DOMAIN_RENDER	BIT(0)
#define FORCEWAKE_DOMAIN_GT	BIT(1)
#define FORCEWAKE_DOMAIN_MEDIA	BIT(2)
#define FORCEWAKE_DOMAIN_ALL	(FORCEWAKE_DOMAIN_RENDER | FORCEWAKE_DOMAIN_GT | FORCEWAKE_DOMAIN_MEDIA)
#define FORCEWAKE_NUM_DOMAINS	3

/**
 * struct igen_mmio - BAR 0 and its power domains
 */
struct igen_mmio {
	/** @regs: BAR 0, registers in the lower half and the GGTT in the upper one */
	void __iomem *regs;
	/** @size: bytes mapped */
	resource_size_t size;
	/** @fw_lock: guards @fw_count; irq-safe, innermost but for nothing */
	spinlock_t fw_lock;
	/** @fw_count: users of each domain */
	unsigned int fw_count[FORCEWAKE_NUM_DOMAINS];
};

int igen_mmio_init(struct igen_device *igen);
void igen_mmio_fini(struct igen_device *igen);

u32 igen_read(struct igen_device *igen, u32 reg);
void igen_write(struct igen_device *igen, u32 reg, u32 value);
void igen_rmw(struct igen_device *igen, u32 reg, u32 clear, u32 set);
/* Waits until (reg & mask) == value, at most timeout_us (sleeping after the first 50 us when may_sleep); -ETIMEDOUT. */
int igen_wait_reg(struct igen_device *igen, u32 reg, u32 mask, u32 value, unsigned int timeout_us, bool may_sleep);

int igen_forcewake_get(struct igen_device *igen, unsigned int domains);
void igen_forcewake_put(struct igen_device *igen, unsigned int domains);

#endif
