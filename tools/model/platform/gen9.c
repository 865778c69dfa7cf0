// SPDX-License-Identifier: MIT
/**
 * DOC: Gen9: Kaby Lake GT2 and GT3, Apollo Lake
 *
 * Engines with their MMIO bases, interrupt groups, reset domains and TLB invalidation registers.
 * GT2 and Apollo Lake have one slice and one video engine; GT3 has two of either, told apart by the
 * device ID alone as far as the engines go: no fuse of Gen9 takes one away. The command streamers'
 * timestamps count at 12 MHz, on Apollo Lake at 19.2 MHz (stock i915; Mesa, intel_device_info). The
 * fault registers number engines as stock i915's hw ids do. Fuses, and what Apollo Lake's firmware
 * has to set before a driver may use RC6, are the register database's.
 */
#include <string.h>

#include "decode.h"
#include "engine/engine.h"
#include "mem/mem.h"
#include "platform/platform.h"
#include "regs/regs.h"
#include "igen/regs/engine.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"
#include "igen/regs/irq.h"

/* KBL Vol 3, "Register Address Maps"; the rest as the headers cite. */
static const struct engine_info gen9_engines[] = {
	{
		.name = "rcs0",
		.id = RCS0,
		.class = ENGINE_RENDER,
		.base = RCS0_BASE,
		.irq_group = 0,
		.irq_shift = GT_IRQ_RCS_SHIFT,
		.reset_domain = GDRST_RENDER,
		.tlb_inv_reg = TLB_INV_RCS,
		.fault_id = 0,
		.signal_id = 0,
	}, {
		.name = "bcs0",
		.id = BCS0,
		.class = ENGINE_COPY,
		.base = BCS0_BASE,
		.irq_group = 0,
		.irq_shift = GT_IRQ_BCS_SHIFT,
		.reset_domain = GDRST_BLT,
		.tlb_inv_reg = TLB_INV_BCS,
		.fault_id = 2,
		.signal_id = 2,
	}, {
		.name = "vcs0",
		.id = VCS0,
		.class = ENGINE_VIDEO,
		.base = VCS0_BASE,
		.irq_group = 1,
		.irq_shift = GT_IRQ_VCS0_SHIFT,
		.reset_domain = GDRST_MEDIA,
		.tlb_inv_reg = TLB_INV_VCS0,
		.fault_id = 1,
		.signal_id = 1,
	}, {
		.name = "vecs0",
		.id = VECS0,
		.class = ENGINE_VIDEO_ENHANCE,
		.base = VECS0_BASE,
		.irq_group = 3,
		.irq_shift = GT_IRQ_VECS_SHIFT,
		.reset_domain = GDRST_VECS,
		.tlb_inv_reg = TLB_INV_VECS,
		.fault_id = 3,
		.signal_id = 4,
	}, {
		/* From here on a GT3's only. */
		.name = "vcs1",
		.id = VCS1,
		.class = ENGINE_VIDEO,
		.base = VCS1_BASE,
		.irq_group = 1,
		.irq_shift = GT_IRQ_VCS1_SHIFT,
		.reset_domain = GDRST_MEDIA2,
		.tlb_inv_reg = TLB_INV_VCS1,
		.fault_id = 4,
		.signal_id = 3,
	},
};

/* What drivers allocate for it (stock i915, GEN9_LR_CONTEXT_RENDER_SIZE). */
#define RENDER_IMAGE_PAGES	22

#define GT2_ENGINES	(ARRAY_SIZE(gen9_engines) - 1)

#define GEN9_BLOCKS \
	fence_init, block_forcewake_init, block_gt_init, block_pcode_init, block_rps_init, block_reset_init, \
	block_fault_init, block_stored_init, block_display_init

static void (*const kbl_register_blocks[])(struct gpu *gpu) = { GEN9_BLOCKS, NULL };
static void (*const bxt_register_blocks[])(struct gpu *gpu) = { GEN9_BLOCKS, block_phy_init, NULL };

/* 300 to 1050 MHz, told in units of 50 MHz. */
static const struct rps_range kbl_rps = {
	.reg = RP_STATE_CAP,
	.cap = IGEN_PREP(RP_STATE_CAP_RP0_MASK, 21) | IGEN_PREP(RP_STATE_CAP_RP1_MASK, 6) |
	       IGEN_PREP(RP_STATE_CAP_RPN_MASK, 6),
	.lowest = 6 * 3,
	.highest = 21 * 3,
	.rc6_hz = 781250,
};

/* 100 to 750 MHz. */
static const struct rps_range bxt_rps = {
	.reg = RP_STATE_CAP_LP,
	.cap = IGEN_PREP(RP_STATE_CAP_LP_RP0_MASK, 45) | IGEN_PREP(RP_STATE_CAP_LP_RP1_MASK, 12) |
	       IGEN_PREP(RP_STATE_CAP_LP_RPN_MASK, 6),
	.lowest = 6,
	.highest = 45,
	.rc6_hz = 1200000,
};

#define GEN9_PLATFORM \
	.engines = gen9_engines, \
	.bar0_size = 16u << 20, \
	.ggtt_offset = GTTMMADR_GGTT_OFFSET, \
	.commands = &igen_cmds_gen9, \
	.submission = &execlists_submission, \
	.render_image_pages = RENDER_IMAGE_PAGES, \
	.irq = &irq_groups, \
	.registers = &igen_regs_gen9

#define KBL_PLATFORM \
	.revision = 0x02, \
	.rps = &kbl_rps, \
	.register_blocks = kbl_register_blocks, \
	.timestamp_hz = 12000000, \
	GEN9_PLATFORM

#define BXT_PLATFORM \
	.revision = 0x0b, \
	.num_engines = GT2_ENGINES, \
	.rps = &bxt_rps, \
	.register_blocks = bxt_register_blocks, \
	.bios_rc6 = true, \
	.timestamp_hz = 19200000, \
	GEN9_PLATFORM

static const struct platform platforms[] = {
	{ .name = "kbl", .device_id = 0x5916, .num_engines = GT2_ENGINES, KBL_PLATFORM },
	{ .name = "kbl-gt3", .device_id = 0x5926, .num_engines = ARRAY_SIZE(gen9_engines), KBL_PLATFORM },
	{ .name = "bxt", .device_id = 0x5a84, BXT_PLATFORM },
	{ .name = "bxt-2x6", .device_id = 0x5a85, BXT_PLATFORM },
};

const struct platform *platform_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(platforms); i++)
		if (!strcmp(platforms[i].name, name))
			return &platforms[i];
	return NULL;
}
