// SPDX-License-Identifier: MIT
/**
 * DOC: Blitter pixels
 *
 * Fills and copies into and out of linear, X- and Y-tiled surfaces of each depth, compared byte by
 * byte with what the CPU draws into a copy of the surface, so that a pixel too many is found as
 * well.
 */
#include <stdlib.h>
#include <string.h>

#include "smoke.h"

enum tiling { LINEAR, TILE_X, TILE_Y };

static const char * const tiling_name[] = { "linear", "x", "y" };

#define SURFACE_SIZE	(512 * 1024)
#define PITCH		2048		/* bytes; a whole number of tiles of either kind */

/*
 * Public Gen9 PRM Vol 5, "Tiled Memory": X is 512 bytes by 8 rows, Y 128 bytes by 32 rows in OWord
 * columns.
 */
static size_t offset_of(enum tiling tiling, unsigned int x, unsigned int y)
{
	switch (tiling) {
	case TILE_X:
		return (y / 8 * (PITCH / 512) + x / 512) * 4096 + y % 8 * 512 + x % 512;
	case TILE_Y:
		return (y / 32 * (PITCH / 128) + x / 128) * 4096 + x % 128 / 16 * 512 +
		       y % 32 * 16 + x % 16;
	default:
		return (size_t)y * PITCH + x;
	}
}

static void scribble(uint8_t *p, size_t size, uint32_t seed)
{
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		p[i] = seed >> 24;
	}
}

static void emit_swctrl(struct it_batch *b, enum tiling src, enum tiling dst)
{
	uint32_t y = (src == TILE_Y ? BCS_SWCTRL_SRC_Y : 0) |
		     (dst == TILE_Y ? BCS_SWCTRL_DST_Y : 0);

	/* The blitter must be idle when BCS_SWCTRL changes (public Gen9 PRM Vol 2c, BCS_SWCTRL). */
	it_emit(b, MI_FLUSH_DW);
	for (int i = 0; i < 4; i++)
		it_emit(b, 0);
	it_emit_load_reg(b, BCS_SWCTRL, IGEN_MASKED_FIELD(BCS_SWCTRL_SRC_Y | BCS_SWCTRL_DST_Y, y));
}

static uint32_t pitch_of(enum tiling tiling)
{
	return tiling == LINEAR ? PITCH : PITCH / 4;
}

static unsigned int blitter(struct it_dev *dev)
{
	for (unsigned int i = 0; i < dev->num_engines; i++) {
		if (dev->engine[i].class == I915_ENGINE_CLASS_COPY)
			return i;
	}
	it_skip("no copy engine");
}

static void expect_same(const struct it_bo *bo, const uint8_t *expected, enum tiling tiling,
			unsigned int cpp)
{
	for (unsigned int y = 0; y < SURFACE_SIZE / PITCH; y++) {
		for (unsigned int x = 0; x < PITCH; x++) {
			size_t o = offset_of(tiling, x, y);
			uint8_t got = ((uint8_t *)bo->map)[o];

			it_expect(got == expected[o],
				  "byte %u of pixel %u, %u is %02x, expected %02x", x % cpp,
				  x / cpp, y, got, expected[o]);
		}
	}
}

static void fill(unsigned int arg)
{
	enum tiling tiling = arg & 3;
	unsigned int depth = arg >> 2, cpp = depth == 3 ? 4 : depth ? 2 : 1;
	struct it_dev *dev = it_open();
	unsigned int bcs = blitter(dev);
	struct it_bo *dst = it_bo(dev, SURFACE_SIZE);
	struct it_batch b = it_batch(dev, 4096);
	static uint8_t expected[SURFACE_SIZE];
	uint32_t color = 0x89abcdef;

	scribble(dst->map, SURFACE_SIZE, arg);
	memcpy(expected, dst->map, SURFACE_SIZE);
	for (unsigned int y = 13; y < 100; y++)
		for (unsigned int x = 37 * cpp; x < 201 * cpp; x++)
			expected[offset_of(tiling, x, y)] = color >> x % cpp * 8;
	emit_swctrl(&b, LINEAR, tiling);
	it_emit(&b, XY_COLOR_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB | (tiling ? XY_DST_TILED : 0));
	it_emit(&b, IGEN_PREP(XY_DEPTH_MASK, depth) | BLT_ROP_PATCOPY << 16 | pitch_of(tiling));
	it_emit(&b, XY_COORD(37, 13));
	it_emit(&b, XY_COORD(201, 100));
	it_emit_address(&b, dst->address);
	it_emit(&b, color);
	it_emit_end(&b);
	it_run_wait(dev, it_ctx_engines(dev), bcs, &b, &dst, 1);
	expect_same(dst, expected, tiling, cpp);
}

static void copy(unsigned int arg)
{
	enum tiling from = arg & 3, to = arg >> 2 & 3;
	bool fast = arg >> 4 & 1;
	struct it_dev *dev = it_open();
	unsigned int bcs = blitter(dev);
	struct it_bo *src = it_bo(dev, SURFACE_SIZE), *dst = it_bo(dev, SURFACE_SIZE);
	struct it_bo *bos[] = { src, dst };
	struct it_batch b = it_batch(dev, 4096);
	static uint8_t expected[SURFACE_SIZE], source[SURFACE_SIZE];

	scribble(src->map, SURFACE_SIZE, 1);
	scribble(dst->map, SURFACE_SIZE, 2);
	memcpy(expected, dst->map, SURFACE_SIZE);
	memcpy(source, src->map, SURFACE_SIZE);
	for (unsigned int y = 0; y < 120; y++)
		for (unsigned int x = 0; x < 300 * 4; x++)
			expected[offset_of(to, x + 64 * 4, y + 21)] =
				source[offset_of(from, x + 16 * 4, y + 3)];
	if (fast) {
		it_emit(&b, XY_FAST_COPY_BLT | IGEN_PREP(FAST_COPY_SRC_TILING_MASK, from) |
			IGEN_PREP(FAST_COPY_DST_TILING_MASK, to));
		it_emit(&b, IGEN_PREP(FAST_COPY_DEPTH_MASK, 3u) | pitch_of(to));
	} else {
		emit_swctrl(&b, from, to);
		it_emit(&b, XY_SRC_COPY_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB |
				    (from ? XY_SRC_TILED : 0) | (to ? XY_DST_TILED : 0));
		it_emit(&b, XY_DEPTH_32 | BLT_ROP_SRCCOPY << 16 | pitch_of(to));
	}
	it_emit(&b, XY_COORD(64, 21));
	it_emit(&b, XY_COORD(64 + 300, 21 + 120));
	it_emit_address(&b, dst->address);
	it_emit(&b, XY_COORD(16, 3));
	it_emit(&b, pitch_of(from));
	it_emit_address(&b, src->address);
	it_emit_end(&b);
	it_run_wait(dev, it_ctx_engines(dev), bcs, &b, bos, 2);
	expect_same(dst, expected, to, 4);
	expect_same(src, source, from, 4);
}

/* Scrolls a part of a surface within itself. */
static void overlap(unsigned int arg)
{
	static const int shift[][2] = { { 1, 0 }, { -1, 0 },  { 0, 1 },	 { 0, -1 },
					{ 3, 2 }, { -3, -2 }, { 5, -4 }, { -5, 4 } };
	enum tiling tiling = arg;
	struct it_dev *dev = it_open();
	unsigned int bcs = blitter(dev);
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, SURFACE_SIZE);
	static uint8_t before[SURFACE_SIZE], expected[SURFACE_SIZE];

	scribble(bo->map, SURFACE_SIZE, 3);
	for (unsigned int i = 0; i < ARRAY_SIZE(shift); i++) {
		int dx = shift[i][0], dy = shift[i][1];
		struct it_batch b = it_batch(dev, 4096);

		memcpy(before, bo->map, SURFACE_SIZE);
		memcpy(expected, before, SURFACE_SIZE);
		for (int y = 0; y < 64; y++)
			for (int x = 0; x < 100 * 4; x++)
				expected[offset_of(tiling, x + (40 + dx) * 4, y + 30 + dy)] =
					before[offset_of(tiling, x + 40 * 4, y + 30)];
		emit_swctrl(&b, tiling, tiling);
		it_emit(&b, XY_SRC_COPY_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB |
				    (tiling ? XY_SRC_TILED | XY_DST_TILED : 0));
		it_emit(&b, XY_DEPTH_32 | BLT_ROP_SRCCOPY << 16 | pitch_of(tiling));
		it_emit(&b, XY_COORD(40 + dx, 30 + dy));
		it_emit(&b, XY_COORD(140 + dx, 94 + dy));
		it_emit_address(&b, bo->address);
		it_emit(&b, XY_COORD(40, 30));
		it_emit(&b, pitch_of(tiling));
		it_emit_address(&b, bo->address);
		it_emit_end(&b);
		it_run_wait(dev, ctx, bcs, &b, &bo, 1);
		expect_same(bo, expected, tiling, 4);
		it_bo_close(b.bo);
	}
}

/* Points with the setup's clip rectangle: half of them must not appear. */
static void pixels(unsigned int arg)
{
	struct it_dev *dev = it_open();
	unsigned int bcs = blitter(dev);
	struct it_bo *dst = it_bo(dev, SURFACE_SIZE);
	struct it_batch b = it_batch(dev, 8192);
	static uint8_t expected[SURFACE_SIZE];
	uint32_t color = 0x1234abcd;

	(void)arg;
	scribble(dst->map, SURFACE_SIZE, 4);
	memcpy(expected, dst->map, SURFACE_SIZE);
	it_emit(&b, XY_SETUP_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB);
	it_emit(&b, XY_CLIP_ENABLE | XY_DEPTH_32 | BLT_ROP_PATCOPY << 16 | PITCH);
	it_emit(&b, XY_COORD(0, 0));
	it_emit(&b, XY_COORD(64, 48));
	it_emit_address(&b, dst->address);
	it_emit(&b, color);
	it_emit(&b, color);
	it_emit_address(&b, 0);
	for (unsigned int i = 0; i < 128; i++) {
		unsigned int x = i, y = i * 3 / 4;

		it_emit(&b, XY_PIXEL_BLT);
		it_emit(&b, XY_COORD(x, y));
		if (x < 64 && y < 48)
			memcpy(expected + offset_of(LINEAR, x * 4, y), &color, 4);
	}
	it_emit_end(&b);
	it_run_wait(dev, it_ctx_engines(dev), bcs, &b, &dst, 1);
	expect_same(dst, expected, LINEAR, 4);
}

/*
 * A driver that checks the blitter's batches in a copy may limit the copy's size: commands straddle each such size. The
 * words behind MI_BATCH_BUFFER_END are not executed.
 */
static void long_batch(unsigned int all)
{
	static const unsigned int edges[] = { 4096, 16384, 65536, 262144, 1048576 };
	struct it_dev *dev = it_open();
	unsigned int bcs = blitter(dev);
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *out = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 2 * 1048576);
	const uint32_t *got = out->map;

	memset(b.dw, 0xff, 2 * 1048576);
	memset(b.dw, 0, 1048576 + 4096);
	for (unsigned int i = 0; i < ARRAY_SIZE(edges); i++) {
		b.n = edges[i] / sizeof(uint32_t) - 2;
		it_emit_store(&b, out->address + i * sizeof(uint32_t), edges[i]);
	}
	it_emit_end(&b);
	/* Without a length it is all of the object. */
	if (all)
		b.n = 0;
	it_run_wait(dev, ctx, bcs, &b, &out, 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(edges); i++)
		it_expect(got[i] == edges[i], "behind %u bytes %u was stored", edges[i], got[i]);

	/* A shorter batch runs at the same place. */
	b.n = 0;
	it_emit_store(&b, out->address, 7);
	it_emit_end(&b);
	it_run_wait(dev, ctx, bcs, &b, &out, 1);
	it_expect(got[0] == 7, "%u was stored by a short batch behind a long one", got[0]);
}

void smoke_blt(const struct it_engine *engines, unsigned int n)
{
	static const char * const depth_name[] = { "8", "565", "1555", "32" };

	(void)engines;
	(void)n;
	for (unsigned int d = 0; d < 4; d++)
		for (unsigned int t = 0; t < 3; t++)
			it_subtest(fill, t | d << 2, "blt-fill-%s-%s", depth_name[d],
				   tiling_name[t]);
	for (unsigned int fast = 0; fast < 2; fast++)
		for (unsigned int from = 0; from < 3; from++)
			for (unsigned int to = 0; to < 3; to++)
				it_subtest(copy, from | to << 2 | fast << 4, "blt-%s-%s-to-%s",
					   fast ? "fast-copy" : "copy", tiling_name[from],
					   tiling_name[to]);
	for (unsigned int t = 0; t < 3; t++)
		it_subtest(overlap, t, "blt-overlap-%s", tiling_name[t]);
	it_subtest(pixels, 0, "blt-pixels");
	it_subtest(long_batch, 0, "blt-long-batch");
	it_subtest(long_batch, 1, "blt-long-batch-of-all");
}
