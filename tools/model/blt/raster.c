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
 * tile) and lies in one 4 KB page, which a tile is. The command's view keeps the pages (mem/view.c), and lets
 * invalidations pass between two rows. A page that faults is reported once; reads of it
 * give zeros, writes are lost. The accesses are plain ones: what another
 * engine or a CPU does with the same pixels at the same time is as undefined as on the hardware.
 */
#include <stdlib.h>
#include <string.h>

#include "igen/cmd/blt.h"
#include "blt/blt.h"

#define PAGE		4096u

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

/* A page that cannot be accessed; true for what this command has met already. */
static bool known_fault(struct blt_ctx *ctx, uint64_t number, bool write)
{
	uint64_t tag = (number << 1 | write) + 1, *at = &ctx->fault[number % BLT_FAULTS];

	if (!ctx->faulted)
		memset(ctx->fault, 0, sizeof(ctx->fault));
	ctx->faulted = true;
	if (*at == tag)
		return true;
	*at = tag;
	return false;
}

static uint8_t *surface_page(struct blt_ctx *ctx, struct blt_surface *s, uint64_t addr)
{
	uint64_t number = (addr & VM_ADDR_MASK) / PAGE;

	if (s->tag == number + 1)
		return s->page;
	s->tag = number + 1;
	s->page = NULL;
	if (ctx->faulted && ctx->fault[number % BLT_FAULTS] == (number << 1 | s->write) + 1)
		return NULL;
	s->page = view_page(&ctx->view, &ctx->vm, number * PAGE, s->write);
	if (!s->page && !known_fault(ctx, number, s->write) && ctx->view.error != VIEW_NO_MEMORY)
		gpu_page_fault(ctx->gpu, ctx->engine, &ctx->vm, number * PAGE,
			       view_page_fault(&ctx->view, s->write));
	return s->page;
}

/*
 * Between two rows: false when the engine is asked to stop. Invalidations pass; what was looked up before may have
 * changed then.
 */
static bool next_row(struct blt_op *op)
{
	struct blt_ctx *ctx = op->ctx;

	if (ctx->request && atomic_load_explicit(ctx->request, memory_order_relaxed) & ctx->stop_on) {
		ctx->stopped = true;
		return false;
	}
	if (view_renew(&ctx->view)) {
		op->src.tag = 0;
		op->dst.tag = 0;
		ctx->faulted = false;
	}
	return true;
}

/* The part of a row that lies in one page: its address, and its length up to len. */
static size_t surface_part(const struct blt_ctx *ctx, const struct blt_surface *s, int64_t x, int64_t y, size_t len,
			   uint64_t *addr)
{
	size_t part;

	switch (s->tiling) {
	case TILING_X:
		*addr = s->base + tiled_offset(TILING_X, x, y, s->pitch);
		part = 512 - x % 512;
		if (ctx->swizzle) {
			*addr = swizzled(TILING_X, *addr);
			part = 64 - x % 64;
		}
		break;
	case TILING_Y:
		/* All columns of the tile. */
		*addr = s->base + (uint64_t)(y / 32) * 32 * s->pitch + (uint64_t)(x / 128) * PAGE;
		part = 128 - x % 128;
		break;
	default:
		*addr = s->base + y * s->pitch + x;
		part = PAGE - *addr % PAGE;
		break;
	}
	return part < len ? part : len;
}

/* Copies a part of a row. For a page memcpy() takes the processor's string instructions, which are slower than this. */
static inline void copy_part(uint8_t *to, const uint8_t *from, size_t len)
{
	for (; len >= 64; to += 64, from += 64, len -= 64)
		memcpy(to, from, 64);
	if (len)
		memcpy(to, from, len);
}

/* Byte x of row y of a Y tile: 16 in a column, whose rows follow each other. Columns of odd number have bit 9. */
static unsigned int in_tile(unsigned int x, unsigned int y, bool swizzle)
{
	return x / 16 * 512 + (y ^ (swizzle ? x / 16 % 2 * 4 : 0)) * 16 + x % 16;
}

static void column_read(uint8_t *to, const uint8_t *tile, unsigned int x, unsigned int y, size_t len, bool swizzle)
{
	for (; len && x % 16; x++, len--)
		*to++ = tile[in_tile(x, y, swizzle)];
	for (; len >= 16; x += 16, to += 16, len -= 16)
		memcpy(to, tile + in_tile(x, y, swizzle), 16);
	for (; len; x++, len--)
		*to++ = tile[in_tile(x, y, swizzle)];
}

static void column_write(uint8_t *tile, const uint8_t *from, unsigned int x, unsigned int y, size_t len, bool swizzle)
{
	for (; len && x % 16; x++, len--)
		tile[in_tile(x, y, swizzle)] = *from++;
	for (; len >= 16; x += 16, from += 16, len -= 16)
		memcpy(tile + in_tile(x, y, swizzle), from, 16);
	for (; len; x++, len--)
		tile[in_tile(x, y, swizzle)] = *from++;
}

/* Tells the view, with coherency, what of a page is accessed: len bytes from byte x of row y on, which lie in it. */
static void touch(struct blt_ctx *ctx, const struct blt_surface *s, uint64_t addr, int64_t x, int64_t y, size_t len,
		  enum view_step step)
{
	while (len && s->tiling == TILING_Y) {
		size_t part = 16 - x % 16 < (int64_t)len ? (size_t)(16 - x % 16) : len;

		view_touch(&ctx->view, &ctx->vm, addr + x % 128 / 16 * 512 + y % 32 * 16 + x % 16, part, step);
		x += part;
		len -= part;
	}
	if (len)
		view_touch(&ctx->view, &ctx->vm, addr, len, step);
}

void blt_surface_read(struct blt_ctx *ctx, struct blt_surface *s, int64_t x, int64_t y, void *buf,
		      size_t len)
{
	uint8_t *to = buf;

	while (len) {
		uint64_t addr;
		size_t part = surface_part(ctx, s, x, y, len, &addr);
		const uint8_t *page = surface_page(ctx, s, addr);

		if (page && ctx->view.coherency)
			touch(ctx, s, addr, x, y, part, VIEW_READS);
		if (!page)
			memset(to, 0, part);
		else if (s->tiling == TILING_Y)
			column_read(to, page, x % 128, y % 32, part, ctx->swizzle);
		else
			copy_part(to, page + addr % PAGE, part);
		to += part;
		x += part;
		len -= part;
	}
}

static void surface_write(struct blt_ctx *ctx, struct blt_surface *s, int64_t x, int64_t y,
			  const void *buf, size_t len)
{
	const uint8_t *from = buf;

	while (len) {
		uint64_t addr;
		size_t part = surface_part(ctx, s, x, y, len, &addr);
		uint8_t *page = surface_page(ctx, s, addr);

		if (page && ctx->view.coherency)
			touch(ctx, s, addr, x, y, part, VIEW_WILL_WRITE);
		if (page && s->tiling == TILING_Y)
			column_write(page, from, x % 128, y % 32, part, ctx->swizzle);
		else if (page)
			copy_part(page + addr % PAGE, from, part);
		if (page && ctx->view.coherency)
			touch(ctx, s, addr, x, y, part, VIEW_WROTE);
		from += part;
		x += part;
		len -= part;
	}
}

/*
 * Four rows of a Y tile, from a multiple of four on: a cache line for each of its columns. The rows are stride bytes
 * apart in buf.
 */
static void surface_write_4(struct blt_ctx *ctx, struct blt_surface *s, int64_t x, int64_t y,
			    const uint8_t *buf, size_t stride, size_t len)
{
	if (ctx->view.coherency) {
		for (unsigned int r = 0; r < 4; r++)
			surface_write(ctx, s, x, y + r, buf + r * stride, len);
		return;
	}
	while (len) {
		uint64_t addr;
		size_t part = surface_part(ctx, s, x, y, len, &addr);
		uint8_t *page = surface_page(ctx, s, addr);

		if (page && x % 16 == 0 && part % 16 == 0) {
			for (unsigned int i = 0; i < part; i += 16) {
				uint8_t *to = page + in_tile(x % 128 + i, y % 32, ctx->swizzle);

				memcpy(to, buf + i, 16);
				memcpy(to + 16, buf + stride + i, 16);
				memcpy(to + 32, buf + 2 * stride + i, 16);
				memcpy(to + 48, buf + 3 * stride + i, 16);
			}
		} else if (page) {
			for (unsigned int r = 0; r < 4; r++)
				column_write(page, buf + r * stride, x % 128, y % 32 + r, part, ctx->swizzle);
		}
		buf += part;
		x += part;
		len -= part;
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

/* Some bytes of a row at once, as the processor's vector units like it. */
typedef uint64_t rop_vector __attribute__((vector_size(32), aligned(1), may_alias));

/* Eight pixels of a pattern, which has as many, at four bytes each; with less bytes they are there more than once. */
#define PATTERN_BYTES	32u

/* Row buffers of one operation, each of whole patterns. */
struct rows {
	size_t words;
	uint64_t *pat;			/* whole with BLT_ROP_PATCOPY, else the first PATTERN_BYTES of what repeats */
	uint64_t *src, *dst;
	uint64_t *mask;			/* bits that are written; NULL when all are */
};

static void mask_out(struct rows *rows, size_t i, unsigned int cpp)
{
	put_pixel((uint8_t *)rows->mask, i, cpp, 0);
}

/* A row whose first bytes are there, again and again up to len. */
static void repeat(void *row, size_t first, size_t len)
{
	uint8_t *to = row;

	for (size_t have = first; have < len; have *= 2)
		memcpy(to + have, to, have < len - have ? have : len - have);
}

static void gather_pattern(struct blt_op *op, struct rows *rows, int32_t y)
{
	unsigned int line = ((unsigned int)y + op->pat_y) % 8;
	uint8_t *row = (uint8_t *)rows->pat;
	size_t n = op->cx2 - op->cx1;
	const size_t period = 8;

	for (size_t i = 0; i < period; i++) {
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
			if (!one && op->pat_transparent && i < n)
				mask_out(rows, i, op->cpp);
			break;
		default:
			put_pixel(row, i, op->cpp, op->pat_bg);
			break;
		}
	}
	repeat(row, period * op->cpp, op->rop == BLT_ROP_PATCOPY && !rows->mask ? n * op->cpp : PATTERN_BYTES);
	if (op->pat_transparent)
		repeat(rows->mask, (n < period ? n : period) * op->cpp, n * op->cpp);
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

/* Compiled into each of its callers, for what they know and for their processor. */
#define rop_inline inline __attribute__((always_inline))

/* Takes the bits of the word "set" where choice is set, else those of "clear". */
#define CHOOSE(choice, set, clear) ((clear) ^ ((choice) & ((set) ^ (clear))))

/*
 * The truth table as choices: by the pattern between its upper and its lower half, by the source between the quarters
 * of each, by the destination between the bits of these.
 */
static rop_inline void rop_vectors(const rop_vector *v, const rop_vector *pat, const uint8_t *src, const uint8_t *mask,
				   uint8_t *dst)
{
	rop_vector s = *(const rop_vector *)src, d = *(const rop_vector *)dst;
	rop_vector out = CHOOSE(s, CHOOSE(d, v[3], v[2]), CHOOSE(d, v[1], v[0]));

	if (pat)
		out = CHOOSE(*pat, CHOOSE(s, CHOOSE(d, v[7], v[6]), CHOOSE(d, v[5], v[4])), out);
	if (mask)
		out = CHOOSE(*(const rop_vector *)mask, out, d);
	*(rop_vector *)dst = out;
}

/* Combines len bytes of the gathered row, from byte at on, with as many of the destination. */
static rop_inline void rop_bytes(uint8_t rop, const struct rows *rows, size_t at, uint8_t *dst, size_t len,
				 bool use_pat, bool masked)
{
	const uint8_t *src = (const uint8_t *)rows->src + at, *mask = masked ? (const uint8_t *)rows->mask + at : NULL;
	const size_t step = sizeof(rop_vector), whole = len - len % step;
	uint8_t twice[2 * PATTERN_BYTES], last[sizeof(rop_vector)] = { 0 };
	rop_vector pat, v[8];

	memcpy(twice, rows->pat, PATTERN_BYTES);
	memcpy(twice + PATTERN_BYTES, rows->pat, PATTERN_BYTES);
	pat = *(const rop_vector *)(twice + at % PATTERN_BYTES);
	for (unsigned int i = 0; i < 8; i++)
		memset(&v[i], rop >> i & 1 ? 0xff : 0, sizeof(v[i]));
	for (size_t i = 0; i < whole; i += step)
		rop_vectors(v, use_pat ? &pat : NULL, src + i, masked ? mask + i : NULL, dst + i);
	if (whole == len)
		return;
	/* The row's buffers go on behind it, the destination does not. */
	memcpy(last, dst + whole, len - whole);
	rop_vectors(v, use_pat ? &pat : NULL, src + whole, masked ? mask + whole : NULL, last);
	memcpy(dst + whole, last, len - whole);
}

static rop_inline void rop_part(uint8_t rop, const struct rows *rows, size_t at, uint8_t *dst, size_t len)
{
	bool use_pat = rop_uses_pattern(rop);

	if (use_pat && rows->mask)
		rop_bytes(rop, rows, at, dst, len, true, true);
	else if (use_pat)
		rop_bytes(rop, rows, at, dst, len, true, false);
	else if (rows->mask)
		rop_bytes(rop, rows, at, dst, len, false, true);
	else
		rop_bytes(rop, rows, at, dst, len, false, false);
}

static void rop_part_any(uint8_t rop, const struct rows *rows, size_t at, uint8_t *dst, size_t len)
{
	rop_part(rop, rows, at, dst, len);
}

/* rop_part() for processors with vectors of 32 bytes. */
#ifdef __x86_64__
__attribute__((target("avx2")))
static void rop_part_avx2(uint8_t rop, const struct rows *rows, size_t at, uint8_t *dst, size_t len)
{
	rop_part(rop, rows, at, dst, len);
}
#else
#define rop_part_avx2 rop_part_any
#endif

static bool has_avx2(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

static void combine(const struct blt_op *op, const struct rows *rows, size_t at, uint8_t *dst, size_t len)
{
	if (has_avx2())
		rop_part_avx2(op->rop, rows, at, dst, len);
	else
		rop_part_any(op->rop, rows, at, dst, len);
}

/* Combines the gathered row with that of the destination where it lies, which is no Y tile. */
static void combine_in_place(struct blt_op *op, const struct rows *rows, int64_t x, int64_t y, size_t len)
{
	for (size_t at = 0; at < len;) {
		uint64_t addr;
		size_t part = surface_part(op->ctx, &op->dst, x + at, y, len - at, &addr);
		uint8_t *page = surface_page(op->ctx, &op->dst, addr);

		if (page)
			combine(op, rows, at, page + addr % PAGE, part);
		at += part;
	}
}

/* The destination's row is what the operation makes of the gathered one, and of the old one if it uses that. */
static void write_row(struct blt_op *op, struct rows *rows, int64_t x, int64_t y, size_t len, bool use_dst)
{
	if (!rows->mask && op->rop == BLT_ROP_SRCCOPY) {
		surface_write(op->ctx, &op->dst, x, y, rows->src, len);
	} else if (!rows->mask && op->rop == BLT_ROP_PATCOPY) {
		surface_write(op->ctx, &op->dst, x, y, rows->pat, len);
	} else if (op->dst.tiling != TILING_Y && !op->ctx->view.coherency) {
		combine_in_place(op, rows, x, y, len);
	} else {
		if (use_dst)
			blt_surface_read(op->ctx, &op->dst, x, y, rows->dst, len);
		combine(op, rows, 0, (uint8_t *)rows->dst, len);
		surface_write(op->ctx, &op->dst, x, y, rows->dst, len);
	}
}

/* Copies four rows; what is read is not what is written. */
static void copy_4(struct blt_op *op, struct rows *rows, int32_t y, size_t bytes)
{
	uint8_t *buf = (uint8_t *)rows->pat;	/* and all that is behind it */
	size_t stride = rows->words * sizeof(uint64_t);

	for (int32_t r = 0; r < 4; r++)
		blt_surface_read(op->ctx, &op->src, ((int64_t)op->src_x + op->cx1 - op->x1) * op->cpp,
				 (int64_t)op->src_y + y + r - op->y1, buf + (size_t)r * stride, bytes);
	surface_write_4(op->ctx, &op->dst, (int64_t)op->cx1 * op->cpp, y, buf, stride, bytes);
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
	bool in_fours = op->rop == BLT_ROP_SRCCOPY && !masked && op->source == SRC_COLOR &&
			op->dst.tiling == TILING_Y && op->src.base != op->dst.base;
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
	rows.words = (bytes + PATTERN_BYTES - 1) / PATTERN_BYTES * (PATTERN_BYTES / sizeof(uint64_t));
	/* Five areas: pattern, source, destination, mask, monochrome bits. */
	rows.pat = calloc(rows.words + 1, 5 * sizeof(uint64_t));
	if (!rows.pat)
		return "out of memory for the row buffers";
	rows.src = rows.pat + rows.words;
	rows.dst = rows.src + rows.words;
	rows.mask = masked ? rows.dst + rows.words : NULL;
	bits = (uint8_t *)(rows.dst + 2 * rows.words);

	for (size_t i = 0; i < height && next_row(op); i++) {
		int32_t y = up ? op->cy2 - 1 - (int32_t)i : op->cy1 + (int32_t)i;
		int64_t x = (int64_t)op->cx1 * op->cpp;

		if (in_fours && y % 4 == 0 && height - i >= 4) {
			copy_4(op, &rows, y, bytes);
			i += 3;
			continue;
		}
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
		write_row(op, &rows, x, y, bytes, use_dst);
	}
	free(rows.pat);
	return NULL;
}
