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
 * A Yf tile of elements of two or four bytes is as large as a Y tile. From bit 4 on, its offset takes bits of row and
 * column in the order y y y x y x y x, the lowest first (public facts: IGT's intel_bufops and Mesa's isl). Yf tiles of
 * other elements, Ys and W tiles are not done.
 */
#include "mem/mem.h"

static uint32_t in_yf_tile(uint32_t x, uint32_t y)
{
	return (x & 15) | (y & 7) << 4 | (x & 16) << 3 | (y & 8) << 5 | (x & 32) << 4 | (y & 16) << 6 | (x & 64) << 5;
}

/**
 * tiled_offset - where a byte of a surface lies
 * @tiling: how the surface is laid out
 * @x: byte in the row
 * @y: row
 * @pitch: bytes a row; a multiple of 512 for X tiles and of 128 for Y and Yf tiles
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
	case TILING_YF:
		row = (uint64_t)(y / 32) * 32 * pitch;
		return row + (uint64_t)(x / 128) * 4096 + in_yf_tile(x % 128, y % 32);
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
	case TILING_YF:
	case TILING_LINEAR:
		break;
	}
	return addr;
}
