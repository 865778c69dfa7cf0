// SPDX-License-Identifier: MIT
/**
 * DOC: The GT clock as the power management unit sees it
 *
 * The command streamer's clock is the crystal's, divided as CTC_MODE says.
 */
#include "regs/regs.h"
#include "igen/regs/gt.h"

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
	const struct mmio_block timestamp = {
		.name = "GUCPMTIMESTAMP",
		.start = GUCPMTIMESTAMP,
		.end = GUCPMTIMESTAMP + 4,
		.read = timestamp_read,
		.write = ignore_write,
	};

	mmio_claim(gpu, &timestamp);
}
