// SPDX-License-Identifier: MIT
/**
 * DOC: Blitter commands
 *
 * Decodes the 2D commands of Gen9's blitter into struct blt_op (DG1 Vol 2a, the XY_*_BLT chapters,
 * whose layouts Gen9 shares). All commands but the fast copy are combinations of three operands: a
 * destination; no source, a color one or a monochrome one; and no pattern, a solid, a monochrome or
 * a color one. So a table row a command says which operands it has and in which dwords, and the
 * rest is common.
 *
 * A rectangle includes its left and top edge and excludes the right and bottom one; so does the
 * clip rectangle, which applies to all commands that enable clipping and always to those that draw
 * with the setup (XY_PIXEL, XY_SCANLINES, XY_TEXT). It stays as the last XY_SETUP_*_BLT or
 * XY_SETUP_CLIP_BLT left it.
 *
 * Pitches are bytes for linear surfaces and dwords for tiled ones. Whether "tiled" is X or Y is
 * chosen for the old commands by BCS_SWCTRL (public Gen9 PRM Vol 2c, BCS_SWCTRL), for
 * XY_FAST_COPY_BLT in the command.
 *
 * Refused, with a text, as the hardware's result is not specified: a wrong length, a ROP that needs
 * an operand which the command does not have, a tiled base that is not on a page, a tiled pitch
 * that is no whole number of tiles or negative, a missing setup. Not done: chroma keys,
 * XY_MONO_PAT_FIXED_BLT, the immediate pattern of XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT, Yf and Ys
 * tiles.
 */
#include <string.h>

#include "igen/cmd/blt.h"
#include "igen/regs/engine.h"
#include "blt/blt.h"

struct blt_command {
	uint8_t opcode;
	uint8_t length;			/* dwords; with immediate data, those before the data */
	bool immediate;
	bool with_setup;		/* takes control, colors and clip from the setup */
	enum blt_source source;
	uint8_t src_dw;			/* address of the source or first dword of its data */
	uint8_t src_xy_dw, src_pitch_dw;
	uint8_t src_color_dw;		/* background, then foreground */
	enum blt_pattern pattern;
	uint8_t pat_dw;			/* address or data */
	uint8_t pat_color_dw;
};

static const struct blt_command commands[] = {
	{ BLT_OP_XY_COLOR, 7, .pattern = PAT_SOLID, .pat_color_dw = 6 },
	{ BLT_OP_XY_PAT, 8, .pattern = PAT_COLOR, .pat_dw = 6 },
	{ BLT_OP_XY_PAT_BLT_IMMEDIATE, 6, .immediate = true, .pattern = PAT_COLOR, .pat_dw = 6 },
	{ BLT_OP_XY_MONO_PAT, 10, .pattern = PAT_MONO, .pat_dw = 8, .pat_color_dw = 6 },
	{ BLT_OP_XY_SRC_COPY, 10, .source = SRC_COLOR, .src_xy_dw = 6, .src_pitch_dw = 7,
	  .src_dw = 8 },
	{ BLT_OP_XY_MONO_SRC_COPY, 10, .source = SRC_MONO, .src_dw = 6, .src_color_dw = 8 },
	{ BLT_OP_XY_MONO_SRC_COPY_IMMEDIATE, 8, .immediate = true, .source = SRC_MONO_IMM,
	  .src_color_dw = 6, .src_dw = 8 },
	{ BLT_OP_XY_FULL, 12, .source = SRC_COLOR, .src_pitch_dw = 6, .src_xy_dw = 7, .src_dw = 8,
	  .pattern = PAT_COLOR, .pat_dw = 10 },
	{ BLT_OP_XY_FULL_IMMEDIATE_PATTERN, 10, .immediate = true, .source = SRC_COLOR, .src_pitch_dw = 6,
	  .src_xy_dw = 7, .src_dw = 8, .pattern = PAT_COLOR, .pat_dw = 10 },
	{ BLT_OP_XY_FULL_MONO_SRC, 12, .source = SRC_MONO, .src_dw = 6, .src_color_dw = 8,
	  .pattern = PAT_COLOR, .pat_dw = 10 },
	{ BLT_OP_XY_FULL_MONO_PATTERN, 14, .source = SRC_COLOR, .src_pitch_dw = 6, .src_xy_dw = 7,
	  .src_dw = 8, .pattern = PAT_MONO, .pat_color_dw = 10, .pat_dw = 12 },
	{ BLT_OP_XY_FULL_MONO_PATTERN_MONO_SRC, 14, .source = SRC_MONO, .src_dw = 6, .src_color_dw = 8,
	  .pattern = PAT_MONO, .pat_color_dw = 10, .pat_dw = 12 },
	/* The pattern of these is the setup's; its kind depends on which setup it was. */
	{ BLT_OP_XY_PIXEL, 2, .with_setup = true, .pattern = PAT_SOLID },
	{ BLT_OP_XY_SCANLINES, 3, .with_setup = true, .pattern = PAT_COLOR },
	{ BLT_OP_XY_TEXT, 5, .with_setup = true, .source = SRC_MONO, .src_dw = 3 },
	{ BLT_OP_XY_TEXT_IMMEDIATE, 3, .with_setup = true, .immediate = true,
	  .source = SRC_MONO_IMM, .src_dw = 3 },
};

/* Setup dwords (struct blt_ctx.setup): as the command's own, see XY_SETUP_BLT. */
#define SETUP_CONTROL	1
#define SETUP_CLIP_1	2
#define SETUP_CLIP_2	3
#define SETUP_DST	4
#define SETUP_BG	6
#define SETUP_FG	7
#define SETUP_PATTERN	8

static int32_t coord_x(uint32_t dw)
{
	return (int16_t)dw;
}

static int32_t coord_y(uint32_t dw)
{
	return (int16_t)(dw >> 16);
}

static uint64_t address(const uint32_t *dw)
{
	return dw[0] | (uint64_t)(dw[1] & 0xffff) << 32;
}

static const char *set_surface(struct blt_surface *s, uint64_t base, int32_t pitch,
			       enum tiling tiling, bool write)
{
	s->base = base;
	s->tiling = tiling;
	s->pitch = pitch;
	s->write = write;
	if (tiling == TILING_LINEAR)
		return NULL;
	if (base & 4095)
		return "base of a tiled surface is not 4 KB aligned";
	if (pitch <= 0)
		return "pitch of a tiled surface is not positive";
	s->pitch = pitch * 4;
	if (s->pitch % (tiling == TILING_X ? 512 : 128))
		return "pitch of a tiled surface is no whole number of tiles";
	return NULL;
}

static void clip(struct blt_op *op, uint32_t top_left, uint32_t bottom_right)
{
	int32_t x1 = top_left & 0x7fff, y1 = top_left >> 16 & 0x7fff;
	int32_t x2 = bottom_right & 0x7fff, y2 = bottom_right >> 16 & 0x7fff;

	op->cx1 = op->cx1 > x1 ? op->cx1 : x1;
	op->cy1 = op->cy1 > y1 ? op->cy1 : y1;
	op->cx2 = op->cx2 < x2 ? op->cx2 : x2;
	op->cy2 = op->cy2 < y2 ? op->cy2 : y2;
}

static void set_rectangle(struct blt_op *op, uint32_t top_left, uint32_t bottom_right)
{
	op->x1 = coord_x(top_left);
	op->y1 = coord_y(top_left);
	op->x2 = coord_x(bottom_right);
	op->y2 = coord_y(bottom_right);
	op->cx1 = op->x1;
	op->cy1 = op->y1;
	op->cx2 = op->x2;
	op->cy2 = op->y2;
}

static const char *set_source(struct blt_op *op, const struct blt_command *cmd, const uint32_t *dw,
			      unsigned int len, const uint32_t *colors)
{
	struct blt_ctx *ctx = op->ctx;
	bool text = cmd->with_setup;
	uint64_t width = op->x2 > op->x1 ? op->x2 - op->x1 : 0;

	op->source = cmd->source;
	switch (cmd->source) {
	case SRC_NONE:
		return rop_uses_src(op->rop) ? "ROP needs a source" : NULL;
	case SRC_COLOR:
		op->src_x = coord_x(dw[cmd->src_xy_dw]);
		op->src_y = coord_y(dw[cmd->src_xy_dw]);
		return set_surface(&op->src, address(dw + cmd->src_dw),
				   (int16_t)dw[cmd->src_pitch_dw],
				   !(dw[0] & XY_SRC_TILED)	    ? TILING_LINEAR
				   : ctx->swctrl & BCS_SWCTRL_SRC_Y ? TILING_Y
								    : TILING_X,
				   false);
	case SRC_MONO:
		set_surface(&op->src, address(dw + cmd->src_dw), 0, TILING_LINEAR, false);
		break;
	case SRC_MONO_IMM:
		if ((len - cmd->length) % 2)
			return "odd number of dwords of immediate data";
		op->src_imm = (const uint8_t *)(dw + cmd->src_dw);
		op->src_imm_len = (uint64_t)(len - cmd->length) * 4;
		break;
	}
	op->src_bg = colors[0];
	op->src_fg = colors[1];
	if (!text) {
		op->src_bit = IGEN_GET(XY_MONO_BIT_POSITION_MASK, dw[0]);
		/* Rows start at words; the position counts from the left, where bit 7 is. */
		op->src_stride = (op->src_bit + width + 15) / 16 * 16;
	} else {
		op->src_stride = dw[0] & XY_TEXT_BYTE_PACKED ? (width + 7) / 8 * 8 : width;
	}
	if (cmd->source == SRC_MONO_IMM && op->y2 > op->y1 &&
	    (op->src_stride * (op->y2 - op->y1 - 1) + op->src_bit + width + 7) / 8 >
		    op->src_imm_len)
		return "immediate data ends before the rectangle does";
	return NULL;
}

static const char *set_pattern(struct blt_op *op, enum blt_pattern kind, const uint32_t *colors,
			       const uint32_t *data, bool immediate, unsigned int immediate_len)
{
	struct blt_surface s = { 0 };
	size_t bytes = 64 * op->cpp;

	op->pattern = kind;
	switch (kind) {
	case PAT_NONE:
		return rop_uses_pattern(op->rop) ? "ROP needs a pattern" : NULL;
	case PAT_SOLID:
		op->pat_bg = colors[0];
		return NULL;
	case PAT_MONO:
		op->pat_bg = colors[0];
		op->pat_fg = colors[1];
		memcpy(op->pat_mono, data, 8);
		return NULL;
	case PAT_COLOR:
		break;
	}
	if (immediate) {
		if (immediate_len * 4 != bytes)
			return "immediate pattern is not 8 by 8 pixels";
		memcpy(op->pat_color, data, bytes);
		return NULL;
	}
	if (!rop_uses_pattern(op->rop))
		return NULL;
	set_surface(&s, address(data), 0, TILING_LINEAR, false);
	blt_surface_read(op->ctx, &s, 0, 0, op->pat_color, bytes);
	return NULL;
}

static const char *execute(struct blt_ctx *ctx, const struct blt_command *cmd, const uint32_t *dw,
			   unsigned int len)
{
	static const uint8_t depth_cpp[] = { 1, 2, 2, 4 };
	const uint32_t *setup = ctx->setup;
	const uint32_t *ctl = cmd->with_setup ? setup : dw;
	bool mono_setup = IGEN_GET(BLT_OPCODE_MASK, setup[0]) == BLT_OP_XY_SETUP_MONO_PATTERN_SL;
	const uint32_t *src_colors = cmd->with_setup ? setup + SETUP_BG : dw + cmd->src_color_dw;
	const uint32_t *pat_colors = cmd->with_setup ? setup + SETUP_BG : dw + cmd->pat_color_dw;
	const uint32_t *pat_data = cmd->with_setup ? setup + SETUP_PATTERN : dw + cmd->pat_dw;
	enum blt_pattern pattern = cmd->pattern;
	struct blt_op op = { .ctx = ctx };
	enum tiling tiling = TILING_LINEAR;
	uint32_t br13 = ctl[SETUP_CONTROL];
	const char *err;

	if (cmd->with_setup && !setup[0])
		return "no XY_SETUP_BLT before it";
	op.rop = IGEN_GET(XY_ROP_MASK, br13);
	op.cpp = depth_cpp[IGEN_GET(XY_DEPTH_MASK, br13)];
	op.channels = (ctl[0] & XY_WRITE_ALPHA ? 0xff000000u : 0) |
		      (ctl[0] & XY_WRITE_RGB ? 0x00ffffffu : 0);

	if (cmd->opcode == BLT_OP_XY_PIXEL) {
		set_rectangle(&op, dw[1], dw[1]);
		op.x2 = op.x1 + 1;
		op.y2 = op.y1 + 1;
		op.cx2 = op.x2;
		op.cy2 = op.y2;
	} else {
		set_rectangle(&op, dw[cmd->with_setup ? 1 : 2], dw[cmd->with_setup ? 2 : 3]);
	}
	if (cmd->with_setup || (br13 & XY_CLIP_ENABLE))
		clip(&op, setup[SETUP_CLIP_1], setup[SETUP_CLIP_2]);

	if (dw[0] & XY_DST_TILED)
		tiling = ctx->swctrl & BCS_SWCTRL_DST_Y ? TILING_Y : TILING_X;
	err = set_surface(&op.dst, address(ctl + SETUP_DST), (int16_t)IGEN_GET(XY_PITCH_MASK, br13),
			  tiling, true);
	if (err)
		return err;

	op.src_transparent = br13 & XY_SRC_TRANSPARENT &&
			     (cmd->source == SRC_MONO || cmd->source == SRC_MONO_IMM);
	err = set_source(&op, cmd, dw, len, src_colors);
	if (err)
		return err;

	if (cmd->opcode == BLT_OP_XY_SCANLINES && mono_setup)
		pattern = PAT_MONO;
	/*
	 * A solid pattern is the background color (public Gen9 PRM Vol 10, BR01, "Solid Pattern
	 * Select").
	 */
	if (pattern == PAT_MONO && (br13 & XY_SOLID_PATTERN))
		pattern = PAT_SOLID;
	op.pat_transparent = pattern == PAT_MONO && (br13 & XY_PATTERN_TRANSPARENT);
	op.pat_x = IGEN_GET(XY_PATTERN_X_SEED_MASK, dw[0]);
	op.pat_y = IGEN_GET(XY_PATTERN_Y_SEED_MASK, dw[0]);
	err = set_pattern(&op, pattern, pat_colors, pat_data,
			  cmd->immediate && cmd->pattern == PAT_COLOR, len - cmd->length);
	return err ? err : blt_raster(&op);
}

static enum tiling fast_copy_tiling(uint32_t field)
{
	return field == FAST_COPY_TILE_X   ? TILING_X
	       : field == FAST_COPY_TILE_Y ? TILING_Y
					   : TILING_LINEAR;
}

/*
 * DG1 Vol 2a, XY_FAST_COPY_BLT; bits 31 and 30 of dword 1 choose Yf on Gen9 (public Gen9 PRM Vol
 * 2a).
 */
static const char *fast_copy(struct blt_ctx *ctx, const uint32_t *dw)
{
	static const unsigned int cpp[8] = { 1, 2, 0, 4, 8, 16, 0, 0 };
	struct blt_op op = {
		.ctx = ctx, .rop = BLT_ROP_SRCCOPY, .source = SRC_COLOR, .channels = ~0u
	};
	uint32_t src = IGEN_GET(FAST_COPY_SRC_TILING_MASK, dw[0]);
	uint32_t dst = IGEN_GET(FAST_COPY_DST_TILING_MASK, dw[0]);
	const char *err;

	if (src == FAST_COPY_TILE_YS || dst == FAST_COPY_TILE_YS ||
	    (src == FAST_COPY_TILE_Y && (dw[1] & FAST_COPY_SRC_YF)) ||
	    (dst == FAST_COPY_TILE_Y && (dw[1] & FAST_COPY_DST_YF)))
		return "Yf and Ys tiles are not modelled";
	op.cpp = cpp[IGEN_GET(FAST_COPY_DEPTH_MASK, dw[1])];
	if (!op.cpp)
		return "reserved color depth";
	set_rectangle(&op, dw[2], dw[3]);
	op.src_x = coord_x(dw[6]);
	op.src_y = coord_y(dw[6]);
	err = set_surface(&op.dst, address(dw + 4), (int16_t)dw[1], fast_copy_tiling(dst), true);
	if (!err)
		err = set_surface(&op.src, address(dw + 8), (int16_t)dw[7], fast_copy_tiling(src),
				  false);
	return err ? err : blt_raster(&op);
}

static const char *check_length(unsigned int len, unsigned int expected)
{
	return len == expected ? NULL : "wrong length";
}

/**
 * blt_execute - carry out one blitter command
 * @ctx: the engine's address space, TLB, BCS_SWCTRL and setup; setup commands change the latter
 * @dw: the command
 * @len: its dwords
 *
 * Called by the engine's thread without gpu->lock; a page fault takes it.
 *
 * Return: NULL, or a constant text that says what is wrong with the command; then nothing was
 * written.
 */
const char *blt_execute(struct blt_ctx *ctx, const uint32_t *dw, unsigned int len)
{
	unsigned int opcode = IGEN_GET(BLT_OPCODE_MASK, dw[0]);
	const char *err;

	ctx->faulted = false;
	switch (opcode) {
	case BLT_OP_XY_SETUP:
	case BLT_OP_XY_SETUP_MONO_PATTERN_SL:
		err = check_length(len, 10);
		if (!err)
			memcpy(ctx->setup, dw, 10 * sizeof(*dw));
		return err;
	case BLT_OP_XY_SETUP_CLIP:
		err = check_length(len, 3);
		if (!err) {
			ctx->setup[SETUP_CLIP_1] = dw[1];
			ctx->setup[SETUP_CLIP_2] = dw[2];
		}
		return err;
	case BLT_OP_XY_FAST_COPY:
		err = check_length(len, 10);
		return err ? err : fast_copy(ctx, dw);
	}

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct blt_command *cmd = &commands[i];

		if (cmd->opcode != opcode)
			continue;
		if (cmd->immediate ? len <= cmd->length : len != cmd->length)
			return "wrong length";
		return execute(ctx, cmd, dw, len);
	}
	return "blitter command is not modelled";
}
