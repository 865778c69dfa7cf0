// SPDX-License-Identifier: MIT
/**
 * DOC: The display that is not there
 *
 * The fuse register says that every pipe is fused off, so a driver finds no display to drive. Of the registers
 * that a driver touches before it knows, only the power wells do something: they are given at once, so the state
 * bit below each request bit follows it (names as in the public Gen9 PRM Vol 2c and stock i915).
 *
 * Planes hold what is written and show nothing. With the board's fault "scanout" the first plane of pipe A is enabled
 * after a reset, as firmware leaves it that has put a picture on a screen.
 */
#include <string.h>

#include "regs/regs.h"
#include "igen/regs/display.h"

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

static uint32_t *plane_register(struct gpu *gpu, uint32_t offset)
{
	for (unsigned int pipe = 0; pipe < PLANE_PIPES; pipe++) {
		if (offset == PLANE_CTL(pipe))
			return &gpu->gt->plane_ctl[pipe];
		if (offset == PLANE_SURF(pipe))
			return &gpu->gt->plane_surf[pipe];
	}
	return NULL;
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
	memset(gpu->gt->pwr_well, 0, sizeof(gpu->gt->pwr_well));
	memset(gpu->gt->plane_ctl, 0, sizeof(gpu->gt->plane_ctl));
	memset(gpu->gt->plane_surf, 0, sizeof(gpu->gt->plane_surf));
	if (board_has(gpu, BOARD_SCANOUT))
		gpu->gt->plane_ctl[0] = PLANE_CTL_ENABLE;
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

	mmio_claim(gpu, &wells);
	for (unsigned int i = 0; i < 2 * PLANE_PIPES; i++) {
		struct mmio_block plane = {
			.name = i % 2 ? "PLANE_SURF" : "PLANE_CTL",
			.start = i % 2 ? PLANE_SURF(i / 2) : PLANE_CTL(i / 2),
			.read = plane_read,
			.write = plane_write,
		};

		plane.end = plane.start + 4;
		mmio_claim(gpu, &plane);
	}
	display_reset(gpu);
}
