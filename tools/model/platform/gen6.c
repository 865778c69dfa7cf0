// SPDX-License-Identifier: MIT
/**
 * DOC: Gen6 and Gen7: Sandy Bridge and Ivy Bridge
 *
 * The generations of rings without execlists: three engines, one domain of power, one level of page tables below a
 * directory in the GGTT, 32-bit addresses in commands. Sandy Bridge is a desktop's GT2 (8086:0112), Ivy Bridge a mobile
 * GT2 (8086:0166) with its display fused off. Offsets, bits and numbers are as stock i915 programs these GPUs, where no
 * text at hand has them; IVB Vol 2 Part 2 and SNB Vol 2 Part 2 have the media pipeline alone.
 *
 * Clocks are from Intel's product pages (Core i7-2600K, i7-3770M). Timestamps count at 12.5 MHz, the residency of RC6
 * in 1.28 us.
 */
#include "decode.h"
#include "engine/engine.h"
#include "igen_reg.h"
#include "mem/mem.h"
#include "platform/platform.h"
#include "regs/regs.h"
#include "shared/shared.h"
#include "igen/regs/engine.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"
#include "igen/regs/irq.h"
#include "igen/regs/pci.h"

#define RENDER_ENGINE(...) { \
	.name = "rcs0", \
	.id = RCS0, \
	.class = ENGINE_RENDER, \
	.base = RCS0_BASE, \
	.irq_shift = GT6_IRQ_RCS_SHIFT, \
	.reset_domain = GDRST_RENDER, \
	.fault_id = 0, \
	__VA_ARGS__ \
}

#define VIDEO_ENGINE(...) { \
	.name = "vcs0", \
	.id = VCS0, \
	.class = ENGINE_VIDEO, \
	.base = VCS0_BASE, \
	.irq_shift = GT6_IRQ_VCS_SHIFT, \
	.reset_domain = GDRST_MEDIA, \
	.fault_id = 1, \
	__VA_ARGS__ \
}

#define COPY_ENGINE(...) { \
	.name = "bcs0", \
	.id = BCS0, \
	.class = ENGINE_COPY, \
	.base = BCS0_BASE, \
	.irq_shift = GT6_IRQ_BCS_SHIFT, \
	.reset_domain = GDRST_BLT, \
	.fault_id = 2, \
	__VA_ARGS__ \
}

static const struct engine_info snb_engines[] = {
	RENDER_ENGINE(.status_page_reg = HWS_PGA_RCS, .mode_reg = GFX_MODE),
	VIDEO_ENGINE(.status_page_reg = HWS_PGA_VCS_GEN6, .mode_reg = GFX_MODE, .sleeps = true),
	COPY_ENGINE(.status_page_reg = HWS_PGA_BCS_GEN6, .mode_reg = GFX_MODE),
};

static const struct engine_info ivb_engines[] = {
	RENDER_ENGINE(.status_page_reg = HWS_PGA_RCS, .mode_reg = RING_MODE(RCS0_BASE)),
	VIDEO_ENGINE(.status_page_reg = HWS_PGA_VCS, .mode_reg = RING_MODE(VCS0_BASE)),
	COPY_ENGINE(.status_page_reg = HWS_PGA_BCS, .mode_reg = RING_MODE(BCS0_BASE)),
};

/* In the lines of 64 bytes that CXT_SIZE says: 189 on Sandy Bridge, 190 on Ivy Bridge. */
static const struct image_layout image = {
	.registers = 0, .queue = 0x110, .packets = 0x2e0, .size = 189 * 16,
};

static const struct gmch_layout gmch = {
	.ggms_mask = GEN6_GMCH_CTL_GGMS_MASK, .gms_mask = GEN6_GMCH_CTL_GMS_MASK, .ggms_mb = { 0, 1, 2, 0 },
};

static const uint8_t pcode[] = {
	PCODE_WRITE_RC6VIDS, PCODE_READ_RC6VIDS, PCODE_WRITE_MIN_FREQ_TABLE, PCODE_READ_OC_PARAMS, 0
};

/* In 50 MHz. */
#define RPS(lowest__, middle__, highest__) \
	(&(const struct rps_range) { \
		.reg = RP_STATE_CAP, \
		.cap = IGEN_PREP(RP_STATE_CAP_RP0_MASK, (highest__) / 50) | \
		       IGEN_PREP(RP_STATE_CAP_RP1_MASK, (middle__) / 50) | \
		       IGEN_PREP(RP_STATE_CAP_RPN_MASK, (lowest__) / 50), \
		.lowest = (lowest__) / 50, \
		.highest = (highest__) / 50, \
		.rc6_hz = 781250, \
		.request_mask = RPNSWREQ_GEN6_RATIO_MASK, \
		.status_mask = RPSTAT1_GEN6_RATIO_MASK, \
	})

static void (*const register_blocks[])(struct gpu *gpu) = {
	fence_init, block_forcewake_init, block_fifo_init, block_pcode_init, block_rps_init, block_reset_init,
	block_fault_init, block_stored_init, NULL
};

static const struct igen_reg_domain legacy_forcewake = { "render", FORCEWAKE, FORCEWAKE_ACK };

#define RING_PLATFORM \
	.num_engines = 3, \
	.register_blocks = register_blocks, \
	.timestamp_hz = 12500000, \
	.bar0_size = 4u << 20, \
	.ggtt_offset = GEN6_GTTMMADR_GGTT_OFFSET, \
	.image = &image, \
	.tables = &page_tables_gen6, \
	.faults = &fault_ops_gen6, \
	.gmch = &gmch, \
	.blitter_checks = true, \
	.post_sync_lri_privileged = true, \
	.pcode_commands = pcode, \
	.irq = &irq_banks

const struct platform gen6_platforms[] = {
	{
		.name = "ivb",
		.device_id = 0x0166,
		.revision = 0x09,
		.engines = ivb_engines,
		.rps = RPS(350, 650, 1250),
		.commands = &igen_cmds_gen7,
		.eu = &eu_platform_gen7,
		.submission = &ring_submission_gen7,
		.registers = &igen_regs_gen7,
		.legacy_forcewake = &legacy_forcewake,
		.arb_mode_swizzle = ARB_MODE_SWIZZLE_GEN7,
		.fences = 32,
		RING_PLATFORM
	}, {
		.name = "snb",
		.device_id = 0x0112,
		.revision = 0x09,
		.engines = snb_engines,
		.rps = RPS(850, 850, 1350),
		.commands = &igen_cmds_gen6,
		.submission = &ring_submission_gen6,
		.registers = &igen_regs_gen6,
		.arb_mode_swizzle = ARB_MODE_SWIZZLE_GEN6,
		.fences = 16,
		.stores_global = true,
		RING_PLATFORM
	},
	{ 0 }
};
