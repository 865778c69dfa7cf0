/* SPDX-License-Identifier: MIT */
/**
 * DOC: Batches: the blitter
 *
 * Fills and copies of rectangles, on surfaces that are linear, X- or Y-tiled. A rectangle includes its
 * left and top edge, and excludes the right and bottom one. What a rectangle touches is checked against
 * the surface's pitch and, if the object's size is known, against its end.
 *
 * In a pitch, bytes are meant here always; the commands want dwords where a surface is tiled. Which
 * tiling "tiled" means to the older commands is BCS_SWCTRL's (public Gen9 PRM Vol 2c): the builders
 * change it, with the flush that it needs before, when a Y-tiled or X-tiled surface comes that it does
 * not fit. It belongs to the context and stays as the batch's last tiled blit left it. Sources: DG1
 * Vol 2a, XY_COLOR_BLT, XY_SRC_COPY_BLT, XY_FAST_COPY_BLT, XY_SETUP_BLT, XY_TEXT_IMMEDIATE_BLT.
 */
#ifndef _IGEN_BATCH_BLT_H_
#define _IGEN_BATCH_BLT_H_

#include "mi.h"
#include "igen/pack/gen6_blt.h"
#include "igen/pack/gen7_blt.h"
#include "igen/pack/gen9_blt.h"
#include "igen/pack/gen12_blt.h"

#define IGEN_BLT_SWCTRL		0x22200u	/* masked: bit 0 the source's Y tiling, bit 1 the destination's */
#define IGEN_BLT_MAX		32767		/* coordinates are signed 16-bit numbers */
#define IGEN_BLT_TEXT_MIN	16u		/* dwords (DG1 Vol 2a, XY_TEXT_IMMEDIATE_BLT) */
#define IGEN_BLT_TEXT_MAX	64u

/* Raster operations: source, pattern (the fill's colour) and destination. */
#define IGEN_ROP_COPY		0xcc		/* source */
#define IGEN_ROP_FILL		0xf0		/* pattern */
#define IGEN_ROP_INVERT		0x5a		/* pattern XOR destination */

enum igen_tiling {
	IGEN_LINEAR,
	IGEN_TILE_X,			/* 512 bytes by 8 rows */
	IGEN_TILE_Y			/* 128 bytes by 32 rows */
};

/**
 * struct igen_blt_surface - where to draw
 * @at: its first byte: a multiple of the pixel's size if it is linear, else of 4096
 * @pitch: bytes from row to row: a multiple of 4, below 32 KB, if it is linear; else a multiple of the tile's
 * width, 512 or 128, below 128 KB
 * @tiling: how rows lie
 * @cpp: bytes of a pixel: 1, 2 (565) or 4
 */
struct igen_blt_surface {
	struct igen_address at;
	__u32 pitch;
	enum igen_tiling tiling;
	__u32 cpp;
};

/**
 * struct igen_rect - a rectangle, in pixels
 * @x: left edge
 * @y: top edge
 * @width: not 0
 * @height: not 0
 */
struct igen_rect {
	__u32 x, y, width, height;
};

/* Bytes from a surface's start to the end of the last thing that a rectangle touches. */
static inline __u64 igen_blt_extent(const struct igen_blt_surface *s, const struct igen_rect *r)
{
	__u64 rows = s->tiling == IGEN_TILE_X ? 8 : 32, bottom = (__u64)r->y + r->height;

	if (s->tiling == IGEN_LINEAR)
		return (bottom - 1) * s->pitch + ((__u64)r->x + r->width) * s->cpp;
	return (bottom + rows - 1) / rows * rows * s->pitch;
}

/* Checks a surface and the part that a command touches. False after a mistake. */
static inline bool igen_blt_check(struct igen_batch *b, const struct igen_blt_surface *s, const struct igen_rect *r,
				  __u32 align, __u64 *address)
{
	__u32 unit = s->tiling == IGEN_TILE_X ? 512 : s->tiling == IGEN_TILE_Y ? 128 : 4;

	if (!igen_batch_is_for(b, 1u << IGEN_BATCH_COPY, 6, "blits are for the copy engine") ||
	    !igen_batch_expect(b, s->tiling <= IGEN_TILE_Y, -EINVAL, "surfaces are linear, X- or Y-tiled") ||
	    !igen_batch_expect(b, s->cpp == 1 || s->cpp == 2 || s->cpp == 4, -EINVAL,
			       "pixels have one, two or four bytes") ||
	    !igen_batch_expect(b, s->pitch && !(s->pitch % unit), -EINVAL,
			       "a pitch is a whole number of dwords, or of tiles") ||
	    !igen_batch_expect(b, s->pitch / (s->tiling ? 4 : 1) <= IGEN_BLT_MAX, -ERANGE,
			       "a pitch that is too large") ||
	    !igen_batch_expect(b, r->width && r->height, -EINVAL, "an empty rectangle") ||
	    !igen_batch_expect(b, r->x <= IGEN_BLT_MAX && r->width <= IGEN_BLT_MAX - r->x && r->y <= IGEN_BLT_MAX &&
			       r->height <= IGEN_BLT_MAX - r->y, -ERANGE, "coordinates go to 32767") ||
	    !igen_batch_expect(b, ((__u64)r->x + r->width) * s->cpp <= s->pitch, -ERANGE,
			       "a rectangle that is wider than its surface"))
		return false;
	if (s->tiling)
		align = 4096;
	else if (align < s->cpp)
		align = s->cpp;
	return igen_batch_locate(b, s->at, igen_blt_extent(s, r), align, address);
}

/* The commands' idea of a pitch. */
static inline __u32 igen_blt_pitch(const struct igen_blt_surface *s)
{
	return s->tiling ? s->pitch / 4 : s->pitch;
}

/* The commands' colour depth: 8, 565, 32 bits. */
static inline __u32 igen_blt_depth(const struct igen_blt_surface *s)
{
	return s->cpp == 4 ? 3 : s->cpp - 1;
}

/*
 * Lets BCS_SWCTRL say what "tiled" means for the next blit. The blitter must be idle when it changes
 * (public Gen9 PRM Vol 2c, BCS_SWCTRL). Linear surfaces do not care.
 */
static inline void igen_blt_choose(struct igen_batch *b, enum igen_tiling src, enum igen_tiling dst)
{
	int known = b->blt_tiling < 0 ? 0 : b->blt_tiling;
	int want = (src == IGEN_LINEAR ? known & 1 : src == IGEN_TILE_Y) |
		   (dst == IGEN_LINEAR ? known & 2 : (dst == IGEN_TILE_Y) << 1);

	if ((src == IGEN_LINEAR && dst == IGEN_LINEAR) || want == b->blt_tiling)
		return;
	igen_mi_flush(b, 0, NULL, 0);
	igen_mi_load_reg(b, IGEN_BLT_SWCTRL, 3u << 16 | want);
	b->blt_tiling = want;
}

/**
 * igen_blt_fill_rop() - combine a rectangle with a colour
 * @b: the batch, for the copy engine (-EINVAL)
 * @dst: the surface; -EINVAL for one that is not aligned or has no such pitch or pixels
 * @rect: of it; -EINVAL if empty, -ERANGE if it leaves the surface or the object
 * @color: the pixel's bits, @dst->cpp bytes of them
 * @rop: raster operation of pattern and destination (IGEN_ROP_FILL, IGEN_ROP_INVERT); -EINVAL for one that
 * depends on a source
 */
static inline void igen_blt_fill_rop(struct igen_batch *b, const struct igen_blt_surface *dst,
				     const struct igen_rect *rect, __u32 color, unsigned int rop)
{
	__u64 address;

	if (!igen_blt_check(b, dst, rect, 1, &address) ||
	    /* Bits 2, 3, 6 and 7 are the results with a source of one, bits 0, 1, 4 and 5 of zero. */
	    !igen_batch_expect(b, rop <= 0xff && (rop >> 2 & 0x33) == (rop & 0x33), -EINVAL,
			       "a fill's raster operation has no source"))
		return;
	igen_blt_choose(b, IGEN_LINEAR, dst->tiling);
	igen_batch_emit_gen6(b, xy_color_blt, .tiling_enable = dst->tiling != IGEN_LINEAR,
			     ._32bpp_byte_mask = dst->cpp == 4 ? 3 : 0,
			     .destination_pitch_in_dwords = igen_blt_pitch(dst), .raster_operation = rop,
			     .color_depth = igen_blt_depth(dst), .destination_x1_coordinate_left = rect->x,
			     .destination_y1_coordinate_top = rect->y,
			     .destination_x2_coordinate_right = rect->x + rect->width,
			     .destination_y2_coordinate_bottom = rect->y + rect->height,
			     .destination_base_address = address, .solid_pattern_color = color);
	igen_batch_refer(b, 4, dst->at, true);
}

/**
 * igen_blt_fill() - fill a rectangle (XY_COLOR_BLT)
 * @b: the batch, as for igen_blt_fill_rop()
 * @dst: the surface
 * @rect: of it
 * @color: the pixel's bits
 */
static inline void igen_blt_fill(struct igen_batch *b, const struct igen_blt_surface *dst,
				 const struct igen_rect *rect, __u32 color)
{
	igen_blt_fill_rop(b, dst, rect, color, IGEN_ROP_FILL);
}

/**
 * igen_blt_copy() - copy a rectangle (XY_SRC_COPY_BLT)
 * @b: the batch, for the copy engine (-EINVAL)
 * @dst: where to; errors as for igen_blt_fill_rop()
 * @rect: of @dst
 * @src: where from, of as many bytes a pixel (-EINVAL)
 * @x: left edge there
 * @y: top edge there
 *
 * Source and destination may overlap (DG1 Vol 2a, XY_SRC_COPY_BLT).
 */
static inline void igen_blt_copy(struct igen_batch *b, const struct igen_blt_surface *dst,
				 const struct igen_rect *rect, const struct igen_blt_surface *src, __u32 x, __u32 y)
{
	struct igen_rect from = { x, y, rect->width, rect->height };
	__u64 to_address, from_address;

	if (!igen_blt_check(b, dst, rect, 1, &to_address) || !igen_blt_check(b, src, &from, 1, &from_address) ||
	    !igen_batch_expect(b, dst->cpp == src->cpp, -EINVAL, "a copy is between pixels of the same size"))
		return;
	igen_blt_choose(b, src->tiling, dst->tiling);
	igen_batch_emit_gen6(b, xy_src_copy_blt, .dest_tiling_enable = dst->tiling != IGEN_LINEAR,
			     .src_tiling_enable = src->tiling != IGEN_LINEAR,
			     ._32bpp_byte_mask = dst->cpp == 4 ? 3 : 0,
			     .destination_pitch_in_dwords = igen_blt_pitch(dst),
			     .raster_operation = IGEN_ROP_COPY, .color_depth = igen_blt_depth(dst),
			     .destination_x1_coordinate_left = rect->x, .destination_y1_coordinate_top = rect->y,
			     .destination_x2_coordinate_right = rect->x + rect->width,
			     .destination_y2_coordinate_bottom = rect->y + rect->height,
			     .destination_base_address = to_address, .source_x1_coordinate_left = x,
			     .source_y1_coordinate_top = y,
			     .source_pitch_double_word_aligned_and_in_dwords = igen_blt_pitch(src),
			     .source_base_address = from_address);
	igen_batch_refer(b, 4, dst->at, true);
	igen_batch_refer(b, b->gen <= 7 ? 7 : 8, src->at, false);
}

/**
 * igen_blt_fast_copy() - copy a rectangle (XY_FAST_COPY_BLT)
 * @b: the batch, for the copy engine (-EINVAL), from generation 9 on (-EOPNOTSUPP)
 * @dst: where to; its address a multiple of 64 (-EINVAL), else as for igen_blt_copy()
 * @rect: of @dst; its left edge a multiple of 16 bytes (-EINVAL)
 * @src: where from; its address a multiple of 64 (-EINVAL), else as for igen_blt_copy()
 * @x: left edge there, a multiple of 16 bytes (-EINVAL)
 * @y: top edge there
 *
 * The tiling is the command's own. Source and destination must not overlap (-EINVAL within one object if
 * the ranges of bytes meet). A flush belongs between copies from different surfaces to the same pixels.
 */
static inline void igen_blt_fast_copy(struct igen_batch *b, const struct igen_blt_surface *dst,
				      const struct igen_rect *rect, const struct igen_blt_surface *src, __u32 x,
				      __u32 y)
{
	struct igen_rect from = { x, y, rect->width, rect->height };
	__u64 to_address, from_address;

	if (!igen_batch_is_for(b, 1u << IGEN_BATCH_COPY, 9, "blits are for the copy engine") ||
	    !igen_blt_check(b, dst, rect, 64, &to_address) || !igen_blt_check(b, src, &from, 64, &from_address) ||
	    !igen_batch_expect(b, dst->cpp == src->cpp, -EINVAL, "a copy is between pixels of the same size") ||
	    !igen_batch_expect(b, !(rect->x * dst->cpp % 16) && !(x * src->cpp % 16), -EINVAL,
			       "a fast copy begins at a multiple of 16 bytes") ||
	    !igen_batch_expect(b, dst->at.bo != src->at.bo || dst->at.presumed != src->at.presumed ||
			       to_address + igen_blt_extent(dst, rect) <= from_address ||
			       from_address + igen_blt_extent(src, &from) <= to_address, -EINVAL,
			       "a fast copy's surfaces must not overlap"))
		return;
	igen_batch_emit_gen9(b, xy_fast_copy_blt, .destination_tiling_method = dst->tiling,
			     .source_tiling_method = src->tiling, .destination_pitch = igen_blt_pitch(dst),
			     .color_depth = dst->cpp == 4 ? 3 : dst->cpp - 1,
			     .destination_x1_coordinate_left = rect->x, .destination_y1_coordinate_top = rect->y,
			     .destination_x2_coordinate_right = rect->x + rect->width,
			     .destination_y2_coordinate_bottom = rect->y + rect->height,
			     .destination_base_address = to_address, .source_x1_coordinate_left = x,
			     .source_y1_coordinate_top = y, .source_pitch = igen_blt_pitch(src),
			     .source_base_address = from_address);
	igen_batch_refer(b, 4, dst->at, true);
	igen_batch_refer(b, 8, src->at, false);
}

/**
 * igen_blt_glyph() - draw where a bitmap has ones (XY_SETUP_BLT, XY_TEXT_IMMEDIATE_BLT)
 * @b: the batch, for the copy engine (-EINVAL)
 * @dst: the surface, as for igen_blt_fill_rop()
 * @rect: of it
 * @color: of the ones; where zeros are the surface stays
 * @bits: rows of the bitmap, each of whole bytes, the highest bit leftmost
 * @bytes: of it: (width + 7) / 8 * height (-EINVAL), at most 256 (-ERANGE)
 */
static inline void igen_blt_glyph(struct igen_batch *b, const struct igen_blt_surface *dst,
				  const struct igen_rect *rect, __u32 color, const void *bits, __u32 bytes)
{
	__u32 n = (bytes + 7) / 8 * 2;
	__u64 address;
	int length;

	if (!igen_blt_check(b, dst, rect, 1, &address) ||
	    !igen_batch_expect(b, bytes == (rect->width + 7) / 8 * rect->height, -EINVAL,
			       "a bitmap's rows are whole bytes, as many as the rectangle needs") ||
	    !igen_batch_expect(b, bytes <= IGEN_BLT_TEXT_MAX * 4, -ERANGE, "a bitmap that is too large"))
		return;
	n = n < IGEN_BLT_TEXT_MIN ? IGEN_BLT_TEXT_MIN : n;
	igen_blt_choose(b, IGEN_LINEAR, dst->tiling);
	igen_batch_emit_gen6(b, xy_setup_blt, .tiling_enable = dst->tiling != IGEN_LINEAR,
			     ._32_bpp_byte_mask = dst->cpp == 4 ? 3 : 0,
			     .destination_pitch_in_dwords = igen_blt_pitch(dst), .raster_operation = IGEN_ROP_COPY,
			     .color_depth = igen_blt_depth(dst), .mono_source_transparency_mode = 1,
			     .clipping_enabled = 1, .cliprect_x1_coordinate_left = 0,
			     .cliprect_x2_coordinate_right = rect->x + rect->width,
			     .cliprect_y2_coordinate_bottom = rect->y + rect->height,
			     .destination_base_address = address, .setup_foreground_color = color);
	igen_batch_refer(b, 4, dst->at, true);
#define IGEN_TEXT(gen)                                                                                  \
	gen##_xy_text_immediate_blt_pack(b->command, IGEN_BATCH_COMMAND,                                \
		&(const struct gen##_xy_text_immediate_blt){                                            \
			.dword_length = n + 1, .tiling_enable = dst->tiling != IGEN_LINEAR,             \
			.bit_byte_packed = 1, .destination_x1_coordinate_left = rect->x,                \
			.destination_y1_coordinate_top = rect->y,                                       \
			.destination_x2_coordinate_right = rect->x + rect->width,                       \
			.destination_y2_coordinate_bottom = rect->y + rect->height })
	length = b->gen == 6 ? IGEN_TEXT(gen6) : b->gen == 7 ? IGEN_TEXT(gen7) : b->gen == 9 ? IGEN_TEXT(gen9) :
												 IGEN_TEXT(gen12);
#undef IGEN_TEXT
	if (length > 0)
		memcpy(b->command + 3, bits, bytes);
	igen_batch_commit(b, length);
}

#endif
