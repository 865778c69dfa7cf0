// SPDX-License-Identifier: MIT
/**
 * DOC: Planes of Gen9's display
 *
 * DFSM says which pipes the fuses left. Each has three planes and a cursor, with a control register and the address of
 * a surface (public Gen9 PRM Vol 2c, PLANE_CTL, PLANE_STRIDE, PLANE_SIZE, PLANE_SURF, PLANE_OFFSET, CUR_CTL, CUR_BASE).
 * Pipes B and C are in power well 2; while it is off they show nothing, and their registers are not there.
 *
 * The size of a surface is taken too large rather than too small: lines are rounded up to the tallest tile, and a
 * cursor counts as the largest. Not done: second surfaces of planar or compressed formats, which firmware does not use.
 */
#include <linux/align.h>
#include <linux/minmax.h>
#include <linux/sizes.h>

#include <igen/regs/display.h>

#include "../igen_device.h"
#include "igen_scanout.h"

/* Lines of the tallest tile, and bytes of a cursor of 256 x 256. */
#define TALLEST_TILE	64
#define LARGEST_CURSOR	SZ_256K

/* Bytes of a unit of PLANE_STRIDE: a tile's width, or 64 without tiling. An unknown tiling counts as the widest. */
static unsigned int plane_stride_unit(u32 ctl)
{
	switch (IGEN_GET(PLANE_TILING_MASK, ctl)) {
	case 0:
		return 64;
	case 4:
	case 5:
		return 128;
	default:
		return 512;
	}
}

/* A plane that is on. @at: offset of its registers from those of plane 1 of pipe A. */
static bool plane_read(struct igen_device *igen, u32 at, struct igen_surface *surface)
{
	u32 ctl = igen_read(igen, PLANE_CTL(0) + at), size, lines;

	if (!(ctl & PLANE_ENABLE))
		return false;
	size = igen_read(igen, PLANE_SIZE(0) + at);
	lines = IGEN_GET(PLANE_HEIGHT_MASK, size) + 1;
	/* The surface of a rotated plane lies on its side. */
	if (ctl & PLANE_ROTATED)
		lines = max(lines, IGEN_GET(PLANE_WIDTH_MASK, size) + 1);
	lines += IGEN_GET(PLANE_Y_MASK, igen_read(igen, PLANE_OFFSET(0) + at));
	surface->start = igen_read(igen, PLANE_SURF(0) + at) & PLANE_ADDRESS_MASK;
	surface->size = ALIGN((u64)IGEN_GET(PLANE_STRIDE_MASK, igen_read(igen, PLANE_STRIDE(0) + at)) *
			      plane_stride_unit(ctl) * ALIGN(lines, TALLEST_TILE), SZ_4K);
	return surface->size;
}

static bool cursor_read(struct igen_device *igen, unsigned int pipe, struct igen_surface *surface)
{
	if (!(igen_read(igen, CUR_CTL(pipe)) & CUR_MODE_MASK))
		return false;
	surface->start = igen_read(igen, CUR_BASE(pipe)) & PLANE_ADDRESS_MASK;
	surface->size = LARGEST_CURSOR;
	return true;
}

static bool pipe_is_there(struct igen_device *igen, u32 fuses, bool well_2, unsigned int pipe)
{
	static const u32 disabled[DISPLAY_PIPES] = { DFSM_PIPE_A_DISABLE, DFSM_PIPE_B_DISABLE, DFSM_PIPE_C_DISABLE };

	return !(fuses & disabled[pipe]) && (!pipe || well_2);
}

/**
 * igen_scanout_gen9 - igen_platform.scanout of Gen9
 * @igen: the device; its registers are mapped
 * @surfaces: IGEN_MAX_SURFACES, to be filled
 *
 * Return: how many surfaces are scanned out.
 */
unsigned int igen_scanout_gen9(struct igen_device *igen, struct igen_surface *surfaces)
{
	/* All requesters of a well read the same state. */
	bool well_2 = igen_read(igen, PWR_WELL_CTL(0)) & PWR_WELL_2_STATE;
	u32 fuses = igen_read(igen, DFSM);
	unsigned int pipe, plane, n = 0;

	BUILD_BUG_ON(DISPLAY_PIPES * (DISPLAY_PLANES + 1) > IGEN_MAX_SURFACES);
	for (pipe = 0; pipe < DISPLAY_PIPES; pipe++) {
		if (!pipe_is_there(igen, fuses, well_2, pipe))
			continue;
		for (plane = 0; plane <= DISPLAY_PLANES; plane++) {
			surfaces[n].pipe = pipe;
			surfaces[n].plane = plane;
			if (plane ? plane_read(igen, pipe * DISPLAY_PIPE_BYTES + (plane - 1) * DISPLAY_PLANE_BYTES,
					       &surfaces[n]) :
				    cursor_read(igen, pipe, &surfaces[n]))
				n++;
		}
	}
	return n;
}
