// SPDX-License-Identifier: MIT
/**
 * DOC: Swizzled addresses of Gen6 and Gen7
 *
 * Where both channels of memory have the same size (MAD_DIMM_C0, _C1), bit 6 of an address in a tiled surface says
 * which channel the line is in, and so that the lines of a tile spread over both, it is exchanged for its sum with
 * bits 9 and 10 (X tiles) or bit 9 (Y tiles). The hardware does not do so by itself: the driver tells the aperture by
 * TILECTL and the engines by ARB_MODE (as stock i915 programs both). Without fences and engines, in an object's
 * pages, the CPU sees what is in memory, and has to exchange the bit itself.
 *
 * The setting "swizzle" says which modules are there.
 */
#include "mem/mem.h"
#include "regs/regs.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"

/* In 256 MB: the second channel lacks its second module when the channels are not the same. */
#define MODULE_SIZE	8u

static uint32_t dimm_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	bool second = offset == MAD_DIMM_C0 || gpu->config.swizzle;

	(void)opaque;
	return IGEN_PREP(MAD_DIMM_A_SIZE_MASK, MODULE_SIZE) |
	       (second ? IGEN_PREP(MAD_DIMM_B_SIZE_MASK, MODULE_SIZE) : 0);
}

static void dimm_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)gpu;
	(void)opaque;
	trace("write of 0x%x to the read-only 0x%x", value, offset);
}

static uint32_t mode_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	return atomic_load(offset == TILECTL ? &gpu->gtt->tilectl : &gpu->gtt->arb_mode);
}

static void mode_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	struct gtt *gtt = gpu->gtt;

	(void)opaque;
	if (offset == TILECTL)
		atomic_store(&gtt->tilectl, value);
	else
		atomic_store(&gtt->arb_mode, (atomic_load(&gtt->arb_mode) & ~(value >> 16)) | (value & (value >> 16)));
}

bool gtt_aperture_swizzles(struct gpu *gpu)
{
	return gpu->platform->arb_mode_swizzle && atomic_load(&gpu->gtt->tilectl) & TILECTL_SWZCTL;
}

bool gtt_engines_swizzle(struct gpu *gpu)
{
	return atomic_load(&gpu->gtt->arb_mode) & gpu->platform->arb_mode_swizzle;
}

void gtt_claim_gen6(struct gpu *gpu)
{
	static const struct mmio_block blocks[] = {
		{ "MAD_DIMM_C0", MAD_DIMM_C0, MAD_DIMM_C0 + 4, dimm_read, dimm_write, NULL },
		{ "MAD_DIMM_C1", MAD_DIMM_C1, MAD_DIMM_C1 + 4, dimm_read, dimm_write, NULL },
		{ "TILECTL", TILECTL, TILECTL + 4, mode_read, mode_write, NULL },
		{ "ARB_MODE", ARB_MODE_GEN6, ARB_MODE_GEN6 + 4, mode_read, mode_write, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		mmio_claim(gpu, &blocks[i]);
}
