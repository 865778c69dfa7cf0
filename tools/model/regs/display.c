// SPDX-License-Identifier: MIT
/**
 * DOC: A GPU without a display
 *
 * The fuse register says that every pipe is fused off, so a driver finds no display to drive, unless one was inherited
 * (inherit.c), or the board's fault is "scanout": then pipe A is there, and its planes are registers that store. With
 * that fault plane 1 shows a picture after each reset, as firmware leaves it. A driver touches some registers
 * before it reads the fuse. Two kinds of these have an effect. Power wells are granted at once: the state bit below
 * each request bit follows it (names as in the public Gen9 PRM Vol 2c and stock i915). The registers of the LP
 * parts' PHYs read all ones until the PHYs are powered.
 */
#include <string.h>

#include "regs/regs.h"
#include "igen/regs/display.h"

/* What the board's fault shows. */
#define SCREEN_WIDTH	1024u
#define SCREEN_HEIGHT	768u

/* Requests of all four sources give the state that each of them reads. */
static uint32_t well_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	struct gt *gt = gpu->gt;
	uint32_t all = 0;

	(void)opaque;
	for (int i = 0; i < PWR_WELL_REGS; i++)
		all |= gt->pwr_well[i];
	return gt->pwr_well[(offset - PWR_WELL_CTL(0)) / 4] | all >> 1;
}

static void well_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)opaque;
	gpu->gt->pwr_well[(offset - PWR_WELL_CTL(0)) / 4] = value & PWR_WELL_REQUESTS;
}

/* Without a display that was inherited every pipe is fused off. */
static uint32_t dfsm_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	(void)offset;
	return DFSM_PIPE_B_DISABLE | DFSM_PIPE_C_DISABLE |
	       (gpu->config.inherit || board_has(gpu, BOARD_SCANOUT) ? 0 : DFSM_PIPE_A_DISABLE);
}

static void dfsm_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)gpu;
	(void)opaque;
	trace("write of 0x%x to the read-only 0x%x", value, offset);
}

static uint32_t *plane_register(struct gpu *gpu, uint32_t offset)
{
	uint32_t at = offset - CUR_CTL(0);

	return &gpu->gt->plane[at / DISPLAY_PIPE_BYTES][at % DISPLAY_PIPE_BYTES / 4];
}

static uint32_t plane_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	(void)opaque;
	return *plane_register(gpu, offset);
}

static void plane_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)opaque;
	*plane_register(gpu, offset) = value;
}

void display_reset(struct gpu *gpu)
{
	memset(gpu->gt->plane, 0, sizeof(gpu->gt->plane));
	memset(gpu->gt->pwr_well, 0, sizeof(gpu->gt->pwr_well));
	if (!board_has(gpu, BOARD_SCANOUT))
		return;
	*plane_register(gpu, PLANE_STRIDE(0)) = SCREEN_WIDTH * 4 / 64;
	*plane_register(gpu, PLANE_SIZE(0)) = IGEN_PREP(PLANE_HEIGHT_MASK, SCREEN_HEIGHT - 1) |
					      IGEN_PREP(PLANE_WIDTH_MASK, SCREEN_WIDTH - 1);
	*plane_register(gpu, PLANE_CTL(0)) = PLANE_ENABLE;
}

static uint32_t phy_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	const struct display_phy *phy = opaque;

	(void)offset;
	return mmio_read(gpu, DISPLAY_PHY_POWER, false) >> phy->power_bit & 1 ? PHY_POWER_GOOD : ~0u;
}

static void phy_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)gpu;
	(void)opaque;
	trace("write of 0x%x to the read-only 0x%x", value, offset);
}

void block_phy_init(struct gpu *gpu)
{
	for (const struct display_phy *phy = gpu->platform->phys; phy->status; phy++) {
		const struct mmio_block block = {
			.name = "PHY",
			.start = phy->status,
			.end = phy->status + 4,
			.opaque = (void *)phy,
			.read = phy_read,
			.write = phy_write,
		};

		mmio_claim(gpu, &block);
	}
}

void block_display_init(struct gpu *gpu)
{
	const struct mmio_block wells = {
		.name = "PWR_WELL_CTL",
		.start = PWR_WELL_CTL(0),
		.end = PWR_WELL_CTL(PWR_WELL_REGS),
		.read = well_read,
		.write = well_write,
	};
	const struct mmio_block dfsm = {
		.name = "DFSM",
		.start = DFSM,
		.end = DFSM + 4,
		.read = dfsm_read,
		.write = dfsm_write,
	};

	mmio_claim(gpu, &wells);
	mmio_claim(gpu, &dfsm);
	display_reset(gpu);
	for (unsigned int pipe = 0; pipe < PLANE_BLOCKS; pipe++) {
		const struct mmio_block planes = {
			.name = "planes",
			.start = CUR_CTL(pipe),
			.end = CUR_CTL(pipe) + PLANE_BLOCK_BYTES,
			.read = plane_read,
			.write = plane_write,
		};

		mmio_claim(gpu, &planes);
	}
}
