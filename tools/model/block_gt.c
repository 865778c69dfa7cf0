// SPDX-License-Identifier: MIT
/**
 * DOC: Fuses, topology, and what else of the GT only answers
 *
 * GT2 is one slice with three subslices of eight execution units, GT3 two of them, all enabled (public Gen9 PRM Vol
 * 2c, "FUSE2", "EU_DISABLE"; KBL Vol 3, "Device Overview" has the sizes). The command streamer's
 * clock is the crystal's 24 MHz divided by two. INSTDONE registers of slices read as all done:
 * units below the command streamer have no state of their own here.
 */
#include "core.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"
#include "igen/regs/pci.h"

#define GUCPMTIMESTAMP		0x00c3e8
#define SUBSLICE_3_DISABLED	8u		/* mask of subslices that are not there */

/*
 * What depends on the number of slices, of three at most: fuses, which do not change, and what is
 * powered, which is all (public Gen9 PRM Vol 2c, "SLICE_PG_ACK").
 */
#define SLICES(mask, ack1) { \
	{ FUSE2, IGEN_PREP(FUSE2_SLICE_ENABLE_MASK, mask) | \
		 IGEN_PREP(FUSE2_SUBSLICE_DISABLE_MASK, SUBSLICE_3_DISABLED), 0, false, "FUSE2" }, \
	{ 0x00804c, 0x7, 0, false, "SLICE0_PG_ACK" }, \
	{ 0x008050, ack1, 0, false, "SLICE1_PG_ACK" }, \
	{ 0x008054, 0, 0, false, "SLICE2_PG_ACK" }, \
}

static const struct plain_reg slice_regs[][4] = { SLICES(1u, 0), SLICES(3u, 0x7) };

static const struct plain_reg gt_regs[] = {
	{ EU_DISABLE(0), 0, 0, false, "EU_DISABLE", 3 },
	/* Timestamps from the crystal (0), its 24 MHz shifted right by 3 - 2. */
	{ CTC_MODE, IGEN_PREP(CTC_SHIFT_MASK, 2u), 0, false, "CTC_MODE" },
	{ EDRAM_CAP, 0, 0, false, "EDRAM_CAP" },
	{ MCR_SELECTOR, 0, ~0u, false, "MCR_SELECTOR", 0, GDRST_RENDER },
	/* The GuC is held in reset (as stock i915 reads it) and has no WOPCM. */
	{ GUC_STATUS, GUC_STATUS_MIA_IN_RESET, 0, false, "GUC_STATUS" },
	{ 0x00c050, 0, ~0u, false, "GUC_WOPCM_SIZE" },
	{ 0x00c064, 0, ~0u, false, "GUC_SHIM_CONTROL" },
	{ 0x00c340, 0, ~0u, false, "DMA_GUC_WOPCM_OFFSET" },
	{ 0x00c3e4, 0, ~0u, false, "GUC_MAX_IDLE_COUNT" },
	/* Zero would say that the RC6 context is corrupt (as stock i915 reads it). */
	{ 0x008504, 1, 0, false, "RC6_CTX_INFO" },
	{ 0x000d40, 0, 0, false, "RC6_LOCATION" },
	{ 0x000d48, 0, 0, false, "RC6_CTX_BASE" },
	{ 0x00d00c, 0, 0, false, "MISC_STATUS0" },
	{ 0x00805c, 0x55, 0, false, "SS01_EU_PG_ACK" },
	{ 0x008060, 0x55, 0, false, "SS23_EU_PG_ACK" },
	/* Clock gating and its kind, written once by a driver (names as in stock i915). */
	{ 0x009400, 0, ~0u, false, "UCGCTL1" },
	{ 0x009404, 0, ~0u, false, "UCGCTL2" },
	{ 0x009408, 0, ~0u, false, "UCGCTL3" },
	{ 0x00940c, 0, ~0u, false, "UCGCTL4" },
	{ 0x009430, 0, ~0u, false, "UCGCTL6" },
	{ 0x009424, 0, ~0u, false, "MISCCPCTL" },
	{ 0x009044, 0, ~0u, false, "FBC_LLC_READ_CTRL" },
	{ 0x0090a8, 0, ~0u, false, "RSTCTL" },
	/* INSTDONE of fixed functions, samplers and rows. */
	{ 0x007100, ~0u, 0, false, "SC_INSTDONE" },
	{ 0x00e160, ~0u, 0, false, "SAMPLER_INSTDONE" },
	{ 0x00e164, ~0u, 0, false, "ROW_INSTDONE" },
	{ 0x00e16c, ~0u, 0, false, "EU_INSTDONE" },
	/* Errors of the memory arbiter; none happens here but page faults. */
	{ 0x002024, 0, 0, false, "PGTBL_ER" },
	{ 0x0040a0, 0, ~0u, false, "ERROR_GEN6" },
	{ 0x0040a4, ~0u, 0, false, "GAM_DONE" },
	{ 0x0040b0, ~0u, 0, false, "DONE_REG" },
	/*
	 * System agent: no stolen memory is reserved, no DRAM information (datasheet volume 2,
	 * MCHBAR).
	 */
	{ 0x1082c0, 0, 0, false, "STOLEN_RESERVED", 2 },
	{ 0x145e04, 0, 0, false, "MC_BIOS_DATA" },
	{ 0x14500c, 0, 0, false, "MAD_DIMM_CH0", 2 },
	{ 0x145948, 0, 0, false, "GT_PERF_STATUS" },
};

/* GMCH_CTL again, where the driver of a guest without configuration access reads it. */
static uint32_t gmch_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	(void)offset;
	return pci_cfg_read(gpu, PCI_CFG_GMCH_CTL, 2);
}

/* The GT clock, as the power management unit sees it. */
static uint32_t timestamp_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	(void)offset;
	return (uint32_t)gpu_timestamp(gpu);
}

static void ignore_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)gpu;
	(void)opaque;
	trace("write of 0x%x to the read-only 0x%x", value, offset);
}

void block_gt_init(struct gpu *gpu)
{
	const struct mmio_block gmch = {
		.name = "MIRROR_GMCH_CTL",
		.start = MIRROR_GMCH_CTL,
		.end = MIRROR_GMCH_CTL + 4,
		.read = gmch_read,
		.write = ignore_write,
	};
	const struct mmio_block timestamp = {
		.name = "GUCPMTIMESTAMP",
		.start = GUCPMTIMESTAMP,
		.end = GUCPMTIMESTAMP + 4,
		.read = timestamp_read,
		.write = ignore_write,
	};

	mmio_claim(gpu, &gmch);
	mmio_claim(gpu, &timestamp);
	mmio_claim_plain(gpu, gt_regs, ARRAY_SIZE(gt_regs));
	mmio_claim_plain(gpu, slice_regs[gpu->platform->slices - 1], ARRAY_SIZE(slice_regs[0]));
}
