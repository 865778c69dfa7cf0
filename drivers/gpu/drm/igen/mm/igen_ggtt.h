/* SPDX-License-Identifier: MIT */
/**
 * DOC: The global GTT and the aperture
 *
 * One PTE a page in the upper half of BAR 0. It holds the driver's own objects (rings, context images, status
 * pages) and what the CPU sees through the aperture; never anything of a user's batch.
 */
#ifndef _IGEN_GGTT_H_
#define _IGEN_GGTT_H_

#include <linux/io-mapping.h>
#include <linux/ioport.h>
#include <linux/sizes.h>
#include <linux/types.h>

#include "../platform/igen_scanout.h"
#include "igen_scratch.h"
#include "igen_vm.h"

/* At most; the platform says how many there are. */
#define IGEN_NUM_FENCE_REGS 32

/* Bytes of the GGTT whose entries are written together when the device wakes, and how many times that can be. */
#define IGEN_GGTT_POSTPONE_UNIT SZ_1M
#define IGEN_GGTT_POSTPONE_UNITS 4096

/** struct igen_fence_reg - one fence register */
struct igen_fence_reg {
	/** @id: its number */
	u8 id;
	/** @vma: the VMA that uses the register, or NULL; under ggtt.vm.mutex */
	struct igen_vma *vma;
	/** @value: the register's value, which is written again after a reset; under ggtt.fence_lock */
	u64 value;
	/** @link: least recently used first */
	struct list_head link;
};

/**
 * struct igen_ggtt - the global address space
 */
struct igen_ggtt {
	/** @vm: the address space */
	struct igen_vm vm;
	/** @ptes: the table in BAR 0 */
	void __iomem *ptes;
	/** @aperture: CPU window in BAR 2 */
	struct resource aperture;
	/** @iomap: the window for kernel access */
	struct io_mapping iomap;
	/** @mappable_end: bytes of @vm that the aperture shows */
	u64 mappable_end;
	/** @window: a page below @mappable_end that igen_ggtt_copy() uses; not allocated without an aperture */
	struct drm_mm_node window;
	/** @window_lock: held while @window shows a page; only forcewake's lock is inside */
	struct mutex window_lock;
	/** @scratch: the page that unbound entries point to, here and in each PPGTT */
	struct igen_scratch scratch;
	/** @fence_regs: the fence registers, igen_platform.num_fences of them */
	struct igen_fence_reg fence_regs[IGEN_NUM_FENCE_REGS];
	/** @fence_lock: guards the registers and their values; a leaf */
	spinlock_t fence_lock;
	/** @fences_lost: a full reset is under way, no mapping may count on a register; see igen_fence_map_begin() */
	bool fences_lost;
	/** @fence_lru: least recently used first; under vm.mutex */
	struct list_head fence_lru;
	/** @scanout: addresses that the display reads (mm/igen_scanout.c) */
	struct drm_mm_node scanout[IGEN_MAX_SURFACES];
	/** @num_scanout: of them, how many are reserved */
	unsigned int num_scanout;
	/** @swizzled: the memory controller swizzles tiled memory (igen_gtt_ops.swizzles); constant */
	bool swizzled;
	/** @rewrites: how often all entries were written anew; changes while nothing runs on the device */
	unsigned int rewrites;
	/** @exclusive: entries are written while all other CPUs stand still (struct igen_platform); constant */
	bool exclusive;
	/** @postponed: a bit for each IGEN_GGTT_POSTPONE_UNIT with entries for waking to write; under vm.mutex */
	DECLARE_BITMAP(postponed, IGEN_GGTT_POSTPONE_UNITS);
};

/* igen_scanout.c */
bool igen_scanout_wants_fill(struct igen_device *igen);
int igen_scanout_keep(struct igen_device *igen);
void igen_scanout_release(struct igen_device *igen);

/* igen_ggtt.c */
int igen_ggtt_init(struct igen_device *igen);
void igen_ggtt_fini(struct igen_device *igen);
void igen_ggtt_restore(struct igen_device *igen);
void igen_ggtt_restore_entries(struct igen_device *igen);
void igen_ggtt_restore_postponed(struct igen_device *igen);
int igen_ggtt_copy(struct igen_bo *bo, u64 offset, void *data, size_t size, bool write);
void igen_ggtt_flush_writes(struct igen_device *igen);
void igen_ggtt_zap(struct igen_device *igen);

#endif
