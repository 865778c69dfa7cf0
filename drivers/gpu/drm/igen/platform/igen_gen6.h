/* SPDX-License-Identifier: MIT */
/**
 * DOC: Rows of Gen6 and Gen7
 *
 * What Sandy Bridge and Ivy Bridge have in common: one render, one video and one blitter engine with a ring each,
 * 32-bit page-table entries, one power well, a cache shared with the CPU. The fuses do not say how many EUs there are.
 * A display there may be, and firmware may have left it on; its engines are not these, and igen keeps off it as far as
 * it is told (mm/igen_scanout.c).
 */
#ifndef _IGEN_GEN6_H_
#define _IGEN_GEN6_H_

#include <linux/sizes.h>

#include <igen/regs/engine.h>
#include <igen/regs/gt.h>
#include <igen/regs/gtt.h>
#include <igen/regs/irq.h>
#include <igen/regs/workarounds.h>

#include "igen_expect.h"
#include "igen_ops.h"
#include "igen_platform.h"

#define IGEN_GEN6_ENGINES	3

/* The largest image that CXT_SIZE can ask for, in pages: up to 190 cache lines. */
#define IGEN_GEN6_CONTEXT_PAGES	3

extern const struct igen_forcewake_domain igen_gen6_forcewake[FORCEWAKE_NUM_DOMAINS];

/* The render engine's contexts begin with this. */
extern const struct igen_reg_write igen_gen6_rcs_ctx_workarounds[];

/* What all rows have. */
#define IGEN_GEN6_PLATFORM \
	.ctx_workarounds = { \
		[IGEN_CLASS_RENDER] = igen_gen6_rcs_ctx_workarounds, \
	}, \
	.has_coherent_access = true, \
	.has_llc = true, \
	.tables_snooped = true, \
	.objects_snooped = true, \
	.page_sizes = SZ_4K, \
	.usual_page_sizes = SZ_4K, \
	.ppgtt_bits = 31, \
	.address_bytes = 4, \
	.dma_bits = 40, \
	.timestamp_hz = 12500000, \
	.num_engines = IGEN_GEN6_ENGINES, \
	.fifo = GTFIFOCTL, \
	.fifo_mask = GTFIFOCTL_FREE_ENTRIES_MASK, \
	.error = &igen_error_gen6_ops, \
	.bringup = &igen_bringup_gen6_ops, \
	.submit = &igen_ringbuffer_ops, \
	.irq = &igen_irq_gen6_ops, \
	.context = &igen_context_gen6_ops, \
	.expect = igen_expect_gen6

#endif
