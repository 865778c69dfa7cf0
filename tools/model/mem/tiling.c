// SPDX-License-Identifier: MIT
/**
 * DOC: Tiled surfaces
 *
 * A tile is a 4 KB page. An X tile is 512 bytes wide and 8 rows high, stored row by row. A Y tile
 * is 128 bytes wide and 32 rows high, stored as eight columns of 16 bytes (an OWord), each from top
 * to bottom. Tiles follow each other along a row of tiles, so the pitch of a tiled surface is a
 * whole number of tiles (public Gen9 PRM Vol 5, "Tiled Memory"; DG1 Vol 2a, XY_COLOR_BLT,
 * "Destination Pitch", for the widths).
 *
 * Bit-6 swizzling by the memory controller does not exist on Gen9 with its dual-channel DDR4, and i915 reports none
 * there, so an offset is final. On Gen6 and Gen7 it may (gtt_gen6.c).
 *
 * A Yf tile has three shapes. Its offset takes bits of row and column in turn from bit 4 on, the lowest first (public
 * facts: Intel's GmmLib, IGT's intel_bufops and Mesa's isl):
 *
 * ================ ============== =================
 * bytes an element bytes and rows bits from bit 4 on
 * ================ ============== =================
 * 1                64 x 64        y y y y y x y x
 * 2, 4             128 x 32       y y y x y x y x
 * 8, 16            256 x 16       y y x x y x y x
 * ================ ============== =================
 *
 * Ys and W tiles are not done.
 */
#include "mem/mem.h"

/* In a Yf tile whose offset has so many bits of the row above the OWord, before it alternates. */
static uint32_t in_yf_tile(unsigned int rows, uint32_t x, uint32_t y)
{
	uint32_t offset = (x & 15) | (y & ((1u << rows) - 1)) << 4;
	unsigned int bit = 4 + rows;

	x >>= 4;
	y >>= rows;
	/* Elements of 8 and 16 bytes have two bits of the column first. */
	if (rows == 2) {
		offset |= (x & 1) << bit++;
		x >>= 1;
	}
	for (; bit < 12; bit += 2) {
		offset |= (x & 1) << bit | (y & 1) << (bit + 1);
		x >>= 1;
		y >>= 1;
	}
	return offset;
}

/**
 * tiled_offset - where a byte of a surface lies
 * @tiling: how the surface is laid out
 * @x: byte in the row
 * @y: row
 * @pitch: bytes a row; a multiple of 512 for X tiles, of 128 for Y tiles, and of a Yf tile's bytes across
 *
 * Return: the byte's offset from the base of the surface. For a Y or Yf tile 16 bytes from a multiple of
 * 16 on are contiguous, for an X tile 512.
 */
uint64_t tiled_offset(enum tiling tiling, uint32_t x, uint32_t y, uint32_t pitch)
{
	uint64_t row;

	switch (tiling) {
	case TILING_X:
		row = (uint64_t)(y / 8) * 8 * pitch;
		return row + (uint64_t)(x / 512) * 4096 + (y % 8) * 512 + x % 512;
	case TILING_Y:
		row = (uint64_t)(y / 32) * 32 * pitch;
		return row + (uint64_t)(x / 128) * 4096 + (x % 128 / 16) * 512 + (y % 32) * 16 +
		       x % 16;
	case TILING_YF_64:
		row = (uint64_t)(y / 64) * 64 * pitch;
		return row + (uint64_t)(x / 64) * 4096 + in_yf_tile(5, x % 64, y % 64);
	case TILING_YF_128:
		row = (uint64_t)(y / 32) * 32 * pitch;
		return row + (uint64_t)(x / 128) * 4096 + in_yf_tile(3, x % 128, y % 32);
	case TILING_YF_256:
		row = (uint64_t)(y / 16) * 16 * pitch;
		return row + (uint64_t)(x / 256) * 4096 + in_yf_tile(2, x % 256, y % 16);
	case TILING_LINEAR:
		break;
	}
	return (uint64_t)y * pitch + x;
}

/**
 * swizzled - where the memory controller has a byte of a tiled surface
 * @tiling: how the surface is laid out
 * @addr: graphics address of the byte
 *
 * Bit 6 of the address is exchanged for its sum with bits 9 and 10, in Y tiles with bit 9 (as stock i915 reports it to
 * userspace). All of these lie within the page.
 *
 * Return: the graphics address of the byte that the controller accesses.
 */
uint64_t swizzled(enum tiling tiling, uint64_t addr)
{
	switch (tiling) {
	case TILING_X:
		return addr ^ ((addr >> 9 ^ addr >> 10) & 1) << 6;
	case TILING_Y:
		return addr ^ (addr >> 9 & 1) << 6;
	case TILING_YF_64:
	case TILING_YF_128:
	case TILING_YF_256:
	case TILING_LINEAR:
		break;
	}
	return addr;
}
