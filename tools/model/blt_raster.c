// SPDX-License-Identifier: MIT
/**
 * DOC: Blitter pixels
 *
 * The raster operation is a truth table: bit (pattern << 2 | source << 1 | destination) of the ROP
 * byte is the result bit (public Gen9 PRM Vol 10 "Copy Engine (BLT)", "Ternary raster operations").
 * All 256 are evaluated alike; only the ones that copy one operand are short-cut.
 *
 * A destination pixel keeps its old value where transparency says so or where its channel is not
 * enabled.
 *
 * Overlap: with equal base addresses and source Y1 below destination Y1 rows go bottom up, without
 * a look whether the rectangles meet (DG1 Vol 2a, XY_SRC_COPY_BLT). A row of the source is read
 * whole before the row of the destination is written, which has the effect of the manual's backward
 * X access.
 *
 * Memory is touched in runs: a run is contiguous in the surface (16 bytes in a Y tile, 512 in an X
 * tile) and lies in one 4 KB page. Pages are looked up once a command. A page that faults is
 * reported once; reads of it give zeros, writes are lost. The accesses are plain ones: what another
 * engine or a CPU does with the same pixels at the same time is as undefined as on the hardware.
 */
#include <stdlib.h>
#include <string.h>

#include "blt_raster.h"

#define PAGE		4096u
#define ADDRESS_MASK	((1ull << 48) - 1)

bool rop_uses_pattern(uint8_t rop)
{
	return (rop >> 4) != (rop & 0x0f);
}

bool rop_uses_src(uint8_t rop)
{
	return ((rop >> 2) & 0x33) != (rop & 0x33);
}

bool rop_uses_dst(uint8_t rop)
{
	return ((rop >> 1) & 0x55) != (rop & 0x55);
}

static uint8_t *surface_page(struct blt_ctx *ctx, struct blt_surface *s, uint64_t addr)
{
	uint64_t number = addr / PAGE, pa;
	unsigned int slot = number % SURFACE_PAGES;

	if (s->tag[slot] == number + 1)
		return s->page[slot];
	s->tag[slot] = number + 1;
	s->page[slot] = NULL;
	if (tlb_translate(ctx->tlb, &ctx->vm, number * PAGE, s->write, &pa, NULL))
		s->page[slot] = gmem_ptr(ctx->gpu, pa, PAGE);
	else
		gpu_page_fault(ctx->gpu, ctx->engine, &ctx->vm, number * PAGE, s->write);
	return s->page[slot];
}

/* The run that starts at byte x of row y: its address, and its length up to len. */
static size_t surface_run(const struct blt_surface *s, int64_t x, int64_t y, size_t len,
			  uint64_t *addr)
{
	size_t run;

	switch (s->tiling) {
	case TILING_X:
		*addr = s->base + tiled_offset(TILING_X, x, y, s->pitch);
		run = 512 - x % 512;
		break;
	case TILING_Y:
		*addr = s->base + tiled_offset(TILING_Y, x, y, s->pitch);
		run = 16 - x % 16;
		break;
	default:
		*addr = s->base + y * s->pitch + x;
		run = PAGE;
		break;
	}
	*addr &= ADDRESS_MASK;
	if (run > PAGE - *addr % PAGE)
		run = PAGE - *addr % PAGE;
	return run < len ? run : len;
}

void blt_surface_read(struct blt_ctx *ctx, struct blt_surface *s, int64_t x, int64_t y, void *buf,
		      size_t len)
{
	uint8_t *to = buf;

	while (len) {
		uint64_t addr;
		size_t run = surface_run(s, x, y, len, &addr);
		const uint8_t *page = surface_page(ctx, s, addr);

		if (!page)
			memset(to, 0, run);
		else if (run == 16)
			memcpy(to, page + addr % PAGE, 16);
		else
			memcpy(to, page + addr % PAGE, run);
		to += run;
		x += run;
		len -= run;
	}
}

static void surface_write(struct blt_ctx *ctx, struct blt_surface *s, int64_t x, int64_t y,
			  const void *buf, size_t len)
{
	const uint8_t *from = buf;

	while (len) {
		uint64_t addr;
		size_t run = surface_run(s, x, y, len, &addr);
		uint8_t *page = surface_page(ctx, s, addr);

		if (page && run == 16)
			memcpy(page + addr % PAGE, from, 16);
		else if (page)
			memcpy(page + addr % PAGE, from, run);
		from += run;
		x += run;
		len -= run;
	}
}

static void put_pixel(uint8_t *row, size_t i, unsigned int cpp, uint32_t color)
{
	uint16_t half = color;

	if (cpp == 1)
		row[i] = color;
	else if (cpp == 2)
		memcpy(row + i * 2, &half, 2);
	else
		memcpy(row + i * 4, &color, 4);
}

/* Row buffers of one operation, each of whole 64-bit words. */
struct rows {
	size_t words;
	uint64_t *pat, *src, *dst;
	uint64_t *mask;			/* bits that are written; NULL when all are */
};

static void mask_out(struct rows *rows, size_t i, unsigned int cpp)
{
	put_pixel((uint8_t *)rows->mask, i, cpp, 0);
}

static void gather_pattern(struct blt_op *op, struct rows *rows, int32_t y)
{
	unsigned int line = ((unsigned int)y + op->pat_y) % 8;
	uint8_t *row = (uint8_t *)rows->pat;
	size_t n = op->cx2 - op->cx1;

	for (size_t i = 0; i < n; i++) {
		unsigned int column = ((unsigned int)op->cx1 + i + op->pat_x) % 8;
		bool one;

		switch (op->pattern) {
		case PAT_COLOR:
			memcpy(row + i * op->cpp, op->pat_color + (line * 8 + column) * op->cpp,
			       op->cpp);
			break;
		case PAT_MONO:
			one = op->pat_mono[line] & (0x80 >> column);
			put_pixel(row, i, op->cpp, one ? op->pat_fg : op->pat_bg);
			if (!one && op->pat_transparent)
				mask_out(rows, i, op->cpp);
			break;
		default:
			put_pixel(row, i, op->cpp, op->pat_bg);
			break;
		}
	}
}

/*
 * A monochrome row, most significant bit first, expanded. bits holds the bytes from the row's first
 * one on.
 */
static void gather_mono(struct blt_op *op, struct rows *rows, int32_t y, uint8_t *bits)
{
	uint64_t first = op->src_stride * (uint64_t)(y - op->y1) + op->src_bit +
			 (uint64_t)(op->cx1 - op->x1);
	size_t n = op->cx2 - op->cx1, len = (first % 8 + n + 7) / 8;

	if (op->source == SRC_MONO)
		blt_surface_read(op->ctx, &op->src, first / 8, 0, bits, len);
	else if (first / 8 + len <= op->src_imm_len)
		memcpy(bits, op->src_imm + first / 8, len);
	else
		memset(bits, 0, len);

	for (size_t i = 0; i < n; i++) {
		size_t bit = first % 8 + i;
		bool one = bits[bit / 8] & (0x80 >> (bit % 8));

		put_pixel((uint8_t *)rows->src, i, op->cpp, one ? op->src_fg : op->src_bg);
		if (!one && op->src_transparent)
			mask_out(rows, i, op->cpp);
	}
}

static uint64_t rop_word(uint8_t rop, uint64_t p, uint64_t s, uint64_t d)
{
	uint64_t out = 0;

	for (unsigned int i = 0; i < 8; i++) {
		if (!(rop & (1u << i)))
			continue;
		out |= (i & 4 ? p : ~p) & (i & 2 ? s : ~s) & (i & 1 ? d : ~d);
	}
	return out;
}

/* Combines the gathered row; gives the buffer that holds the result. */
static const uint64_t *combine(const struct blt_op *op, struct rows *rows)
{
	if (!rows->mask && op->rop == 0xcc)
		return rows->src;
	if (!rows->mask && op->rop == 0xf0)
		return rows->pat;
	for (size_t i = 0; i < rows->words; i++) {
		uint64_t old = rows->dst[i], mask = rows->mask ? rows->mask[i] : ~0ull;
		uint64_t new = rop_word(op->rop, rows->pat[i], rows->src[i], old);

		rows->dst[i] = (new & mask) | (old & ~mask);
	}
	return rows->dst;
}

const char *blt_raster(struct blt_op *op)
{
	bool use_src = op->source != SRC_NONE && (rop_uses_src(op->rop) || op->src_transparent);
	bool use_pat = op->pattern != PAT_NONE &&
		       (rop_uses_pattern(op->rop) || op->pat_transparent);
	bool masked = (op->cpp == 4 && op->channels != ~0u) || op->src_transparent ||
		      op->pat_transparent;
	bool use_dst = rop_uses_dst(op->rop) || masked;
	bool up = op->source == SRC_COLOR && op->src.base == op->dst.base && op->src_y < op->y1;
	size_t bytes, height;
	struct rows rows;
	uint8_t *bits;

	if (op->cx1 >= op->cx2 || op->cy1 >= op->cy2)
		return NULL;
	if ((op->cpp == 4 && !op->channels) || (op->rop == 0xaa && !masked))
		return NULL;
	if (op->dst.tiling != TILING_LINEAR && (op->cx1 < 0 || op->cy1 < 0))
		return "negative coordinate in a tiled destination";
	if (op->source == SRC_COLOR && op->src.tiling != TILING_LINEAR &&
	    (op->src_x + (op->cx1 - op->x1) < 0 || op->src_y + (op->cy1 - op->y1) < 0))
		return "negative coordinate in a tiled source";

	bytes = (size_t)(op->cx2 - op->cx1) * op->cpp;
	height = op->cy2 - op->cy1;
	rows.words = (bytes + 7) / 8;
	/* Five areas: pattern, source, destination, mask, monochrome bits. */
	rows.pat = calloc(rows.words + 1, 5 * sizeof(uint64_t));
	if (!rows.pat)
		return "out of memory for the row buffers";
	rows.src = rows.pat + rows.words;
	rows.dst = rows.src + rows.words;
	rows.mask = masked ? rows.dst + rows.words : NULL;
	bits = (uint8_t *)(rows.dst + 2 * rows.words);

	for (size_t i = 0; i < height; i++) {
		int32_t y = up ? op->cy2 - 1 - (int32_t)i : op->cy1 + (int32_t)i;
		int64_t x = (int64_t)op->cx1 * op->cpp;

		if (masked) {
			uint64_t mask = op->cpp == 4 ? op->channels | (uint64_t)op->channels << 32
						     : ~0ull;

			for (size_t w = 0; w < rows.words; w++)
				rows.mask[w] = mask;
		}
		if (use_pat && (op->pattern != PAT_SOLID || !i))
			gather_pattern(op, &rows, y);
		if (use_src && op->source == SRC_COLOR)
			blt_surface_read(op->ctx, &op->src,
					 ((int64_t)op->src_x + op->cx1 - op->x1) * op->cpp,
					 (int64_t)op->src_y + y - op->y1, rows.src, bytes);
		else if (use_src)
			gather_mono(op, &rows, y, bits);
		if (use_dst)
			blt_surface_read(op->ctx, &op->dst, x, y, rows.dst, bytes);
		surface_write(op->ctx, &op->dst, x, y, combine(op, &rows), bytes);
	}
	free(rows.pat);
	return NULL;
}
