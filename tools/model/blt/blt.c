// SPDX-License-Identifier: MIT
/**
 * DOC: Blitter commands
 *
 * Makes a struct blt_op of each 2D command (DG1 Vol 2a, the XY_*_BLT chapters, whose layouts Gen9 shares). All
 * commands but the fast copy are combinations of three operands: a destination; no source, a color one or a monochrome
 * one; and no pattern, a solid, a monochrome or a color one. So a table row a command says which operands it has. Their
 * fields have the names of the manual in struct xy_blt, which is the same for all commands and all generations
 * (tools/cmdgen, "neutral"): they are the blitter's registers BR00 and on.
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

/* "32bpp Byte Mask" */
#define BYTE_MASK_RGB	IGEN_BIT(0)
#define BYTE_MASK_ALPHA	IGEN_BIT(1)

/* A command that is executed. */
struct blt_input {
	const struct blt_command *cmd;
	const uint32_t *dw;
	unsigned int len;
	struct xy_blt fields;
};

/* Bits above the address space are not looked at. */
static uint64_t address(uint64_t field)
{
	return field & IGEN_MASK64(47, 0);
}

static const char *set_surface(struct blt_surface *s, uint64_t base, int32_t pitch,
			       enum tiling tiling, bool write)
{
	s->base = address(base);
	s->tiling = tiling;
	s->pitch = pitch;
	s->write = write;
	if (tiling == TILING_LINEAR)
		return NULL;
	if (s->base & 4095)
		return "base of a tiled surface is not 4 KB aligned";
	if (pitch <= 0)
		return "pitch of a tiled surface is not positive";
	s->pitch = pitch * 4;
	if (s->pitch % (tiling == TILING_X ? 512 : 128))
		return "pitch of a tiled surface is no whole number of tiles";
	return NULL;
}

/* What a tiled surface of the old commands is, by BCS_SWCTRL. */
static enum tiling tiling_of(const struct blt_ctx *ctx, bool tiled, uint32_t y_bit)
{
	if (!tiled)
		return TILING_LINEAR;
	return ctx->swctrl & y_bit ? TILING_Y : TILING_X;
}

static void clip(struct blt_op *op, const struct blt_clip *to)
{
	op->cx1 = op->cx1 > to->x1 ? op->cx1 : to->x1;
	op->cy1 = op->cy1 > to->y1 ? op->cy1 : to->y1;
	op->cx2 = op->cx2 < to->x2 ? op->cx2 : to->x2;
	op->cy2 = op->cy2 < to->y2 ? op->cy2 : to->y2;
}

static void set_rectangle(struct blt_op *op, int32_t x1, int32_t y1, int32_t x2, int32_t y2)
{
	op->x1 = x1;
	op->y1 = y1;
	op->x2 = x2;
	op->y2 = y2;
	op->cx1 = x1;
	op->cy1 = y1;
	op->cx2 = x2;
	op->cy2 = y2;
}

/* Colors, place and length of a monochrome source. */
static const char *set_mono_source(struct blt_op *op, const struct blt_input *in)
{
	const struct xy_blt *c = &in->fields, *setup = &op->ctx->setup.fields;
	uint64_t width = op->x2 > op->x1 ? op->x2 - op->x1 : 0;

	op->src_bg = in->cmd->with_setup ? setup->setup_background_color : c->source_background_color;
	op->src_fg = in->cmd->with_setup ? setup->setup_foreground_color : c->source_foreground_color;
	if (in->cmd->with_setup) {
		op->src_stride = c->byte_packed ? (width + 7) / 8 * 8 : width;
	} else {
		op->src_bit = c->mono_source_bit_position;
		/* Rows start at words; the position counts from the left, where bit 7 is. */
		op->src_stride = (op->src_bit + width + 15) / 16 * 16;
	}
	if (op->source == SRC_MONO)
		return set_surface(&op->src, c->source_base_address, 0, TILING_LINEAR, false);
	if ((in->len - c->immediate) % 2)
		return "odd number of dwords of immediate data";
	op->src_imm = (const uint8_t *)(in->dw + c->immediate);
	op->src_imm_len = (uint64_t)(in->len - c->immediate) * 4;
	if (op->y2 > op->y1 &&
	    (op->src_stride * (op->y2 - op->y1 - 1) + op->src_bit + width + 7) / 8 > op->src_imm_len)
		return "immediate data ends before the rectangle does";
	return NULL;
}

static const char *set_source(struct blt_op *op, const struct blt_input *in)
{
	const struct xy_blt *c = &in->fields;

	op->source = in->cmd->source;
	switch (op->source) {
	case SRC_NONE:
		return rop_uses_src(op->rop) ? "ROP needs a source" : NULL;
	case SRC_COLOR:
		op->src_x = c->source_x1_coordinate_left;
		op->src_y = c->source_y1_coordinate_top;
		return set_surface(&op->src, c->source_base_address, c->source_pitch_in_dwords,
				   tiling_of(op->ctx, c->src_tiling_enable, BCS_SWCTRL_SRC_Y), false);
	case SRC_MONO:
	case SRC_MONO_IMM:
		break;
	}
	return set_mono_source(op, in);
}

static void set_pattern_colors(struct blt_op *op, const struct blt_input *in)
{
	const struct xy_blt *c = &in->fields, *setup = &op->ctx->setup.fields;

	op->pat_bg = in->cmd->with_setup ? setup->setup_background_color : c->pattern_background_color;
	op->pat_fg = in->cmd->with_setup ? setup->setup_foreground_color : c->pattern_foreground_color;
}

/* The 8 by 8 pixels of a color pattern. */
static const char *read_pattern(struct blt_op *op, const struct blt_input *in, const struct xy_blt *control)
{
	struct blt_surface s = { 0 };
	size_t bytes = 64 * op->cpp;

	if (in->fields.immediate) {
		if ((size_t)(in->len - in->fields.immediate) * 4 != bytes)
			return "immediate pattern is not 8 by 8 pixels";
		memcpy(op->pat_color, in->dw + in->fields.immediate, bytes);
		return NULL;
	}
	if (!rop_uses_pattern(op->rop))
		return NULL;
	set_surface(&s, control->pattern_base_address, 0, TILING_LINEAR, false);
	blt_surface_read(op->ctx, &s, 0, 0, op->pat_color, bytes);
	return NULL;
}

static const char *set_pattern(struct blt_op *op, const struct blt_input *in, const struct xy_blt *control)
{
	op->pattern = in->cmd->pattern;
	/* XY_SCANLINES uses pattern and kind of pattern of the setup. */
	if (op->pattern == PAT_COLOR && in->cmd->with_setup)
		op->pattern = op->ctx->setup.pattern;
	/* A solid pattern is the background color (public Gen9 PRM Vol 10, BR01, "Solid Pattern Select"). */
	if (op->pattern == PAT_MONO && control->solid_pattern_select)
		op->pattern = PAT_SOLID;
	op->pat_transparent = op->pattern == PAT_MONO && control->mono_pattern_transparency_mode;
	op->pat_x = in->fields.pattern_horizontal_seed;
	op->pat_y = in->fields.pattern_vertical_seed;
	switch (op->pattern) {
	case PAT_NONE:
		return rop_uses_pattern(op->rop) ? "ROP needs a pattern" : NULL;
	case PAT_SOLID:
		set_pattern_colors(op, in);
		return NULL;
	case PAT_MONO:
		set_pattern_colors(op, in);
		memcpy(op->pat_mono, &control->pattern_data_0, 4);
		memcpy(op->pat_mono + 4, &control->pattern_data_1, 4);
		return NULL;
	case PAT_COLOR:
		break;
	}
	return read_pattern(op, in, control);
}

/* All commands that draw, but the fast copy. */
static const char *draw(struct blt_ctx *ctx, const struct blt_input *in)
{
	static const uint8_t depth_cpp[] = { 1, 2, 2, 4 };
	const struct xy_blt *c = &in->fields;
	bool with_setup = in->cmd->with_setup;
	const struct xy_blt *control = with_setup ? &ctx->setup.fields : c;
	struct blt_op op = { .ctx = ctx };
	const char *err;

	if (with_setup && ctx->setup.pattern == PAT_NONE)
		return "no XY_SETUP_BLT before it";
	op.rop = control->raster_operation;
	op.cpp = depth_cpp[control->color_depth];
	op.channels = (control->byte_mask & BYTE_MASK_ALPHA ? 0xff000000u : 0) |
		      (control->byte_mask & BYTE_MASK_RGB ? 0x00ffffffu : 0);

	if (in->cmd->pixel)
		set_rectangle(&op, c->destination_x1_coordinate_left, c->destination_y1_coordinate_top,
			      c->destination_x1_coordinate_left + 1, c->destination_y1_coordinate_top + 1);
	else
		set_rectangle(&op, c->destination_x1_coordinate_left, c->destination_y1_coordinate_top,
			      c->destination_x2_coordinate_right, c->destination_y2_coordinate_bottom);
	if (with_setup || c->clipping_enabled)
		clip(&op, &ctx->setup.clip);

	err = set_surface(&op.dst, control->destination_base_address, control->destination_pitch_in_dwords,
			  tiling_of(ctx, c->dest_tiling_enable, BCS_SWCTRL_DST_Y), true);
	if (err)
		return err;
	op.src_transparent = control->mono_source_transparency_mode &&
			     (in->cmd->source == SRC_MONO || in->cmd->source == SRC_MONO_IMM);
	err = set_source(&op, in);
	if (!err)
		err = set_pattern(&op, in, control);
	return err ? err : blt_raster(&op);
}

static const char *set_clip(struct blt_ctx *ctx, const struct blt_input *in)
{
	const struct xy_blt *c = &in->fields;

	ctx->setup.clip = (struct blt_clip){
		.x1 = c->cliprect_x1_coordinate_left & 0x7fff, .y1 = c->cliprect_y1_coordinate_top & 0x7fff,
		.x2 = c->cliprect_x2_coordinate_right & 0x7fff, .y2 = c->cliprect_y2_coordinate_bottom & 0x7fff,
	};
	return NULL;
}

static const char *set_up(struct blt_ctx *ctx, const struct blt_input *in)
{
	ctx->setup.fields = in->fields;
	ctx->setup.pattern = in->cmd->pattern;
	return set_clip(ctx, in);
}

static enum tiling fast_copy_tiling(uint32_t method)
{
	switch (method) {
	case XY_FAST_COPY_BLT_SOURCE_TILING_METHOD_X_MAJOR:
		return TILING_X;
	case XY_FAST_COPY_BLT_SOURCE_TILING_METHOD_Y_MAJOR:
		return TILING_Y;
	}
	return TILING_LINEAR;
}

/* The tiles that are not modelled: "Tile Y Type" chooses Yf on Gen9 (public Gen9 PRM Vol 2a). */
static bool fast_copy_other_tiles(uint32_t method, bool y_type)
{
	return method == XY_FAST_COPY_BLT_SOURCE_TILING_METHOD_64_KB ||
	       (method == XY_FAST_COPY_BLT_SOURCE_TILING_METHOD_Y_MAJOR && y_type);
}

static const char *fast_copy(struct blt_ctx *ctx, const struct blt_input *in)
{
	static const unsigned int cpp[8] = { 1, 2, 0, 4, 8, 16, 0, 0 };
	struct blt_op op = {
		.ctx = ctx, .rop = BLT_ROP_SRCCOPY, .source = SRC_COLOR, .channels = ~0u
	};
	struct xy_fast_copy_blt c;
	const char *err;

	xy_fast_copy_blt_unpack(ctx->gen, in->dw, in->len, &c);
	if (fast_copy_other_tiles(c.source_tiling_method, c.tile_y_type_for_source) ||
	    fast_copy_other_tiles(c.destination_tiling_method, c.tile_y_type_for_destination))
		return "Yf and Ys tiles are not modelled";
	op.cpp = cpp[c.color_depth];
	if (!op.cpp)
		return "reserved color depth";
	set_rectangle(&op, c.destination_x1_coordinate_left, c.destination_y1_coordinate_top,
		      c.destination_x2_coordinate_right, c.destination_y2_coordinate_bottom);
	op.src_x = c.source_x1_coordinate_left;
	op.src_y = c.source_y1_coordinate_top;
	err = set_surface(&op.dst, c.destination_base_address, c.destination_pitch,
			  fast_copy_tiling(c.destination_tiling_method), true);
	if (!err)
		err = set_surface(&op.src, c.source_base_address, c.source_pitch,
				  fast_copy_tiling(c.source_tiling_method), false);
	return err ? err : blt_raster(&op);
}

const struct blt_command blt_commands[] = {
	{ "XY_COLOR_BLT", draw, xy_color_blt_unpack, .pattern = PAT_SOLID },
	{ "XY_PAT_BLT", draw, xy_pat_blt_unpack, .pattern = PAT_COLOR },
	{ "XY_PAT_BLT_IMMEDIATE", draw, xy_pat_blt_immediate_unpack, .pattern = PAT_COLOR },
	{ "XY_MONO_PAT_BLT", draw, xy_mono_pat_blt_unpack, .pattern = PAT_MONO },
	{ "XY_SRC_COPY_BLT", draw, xy_src_copy_blt_unpack, SRC_COLOR },
	{ "XY_MONO_SRC_COPY_BLT", draw, xy_mono_src_copy_blt_unpack, SRC_MONO },
	{ "XY_MONO_SRC_COPY_IMMEDIATE_BLT", draw, xy_mono_src_copy_immediate_blt_unpack, SRC_MONO_IMM },
	{ "XY_FULL_BLT", draw, xy_full_blt_unpack, SRC_COLOR, PAT_COLOR },
	{ "XY_FULL_IMMEDIATE_PATTERN_BLT", draw, xy_full_immediate_pattern_blt_unpack, SRC_COLOR, PAT_COLOR },
	{ "XY_FULL_MONO_SRC_BLT", draw, xy_full_mono_src_blt_unpack, SRC_MONO, PAT_COLOR },
	{ "XY_FULL_MONO_PATTERN_BLT", draw, xy_full_mono_pattern_blt_unpack, SRC_COLOR, PAT_MONO },
	{ "XY_FULL_MONO_PATTERN_MONO_SRC_BLT", draw, xy_full_mono_pattern_mono_src_blt_unpack, SRC_MONO, PAT_MONO },
	{ "XY_FAST_COPY_BLT", fast_copy },
	/* What these set up: the colors and the pattern, which is a color one or a monochrome one. */
	{ "XY_SETUP_BLT", set_up, xy_setup_blt_unpack, .pattern = PAT_COLOR },
	{ "XY_SETUP_MONO_PATTERN_SL_BLT", set_up, xy_setup_mono_pattern_sl_blt_unpack, .pattern = PAT_MONO },
	{ "XY_SETUP_CLIP_BLT", set_clip, xy_setup_clip_blt_unpack },
	{ "XY_PIXEL_BLT", draw, xy_pixel_blt_unpack, .pattern = PAT_SOLID, .with_setup = true, .pixel = true },
	{ "XY_SCANLINES_BLT", draw, xy_scanlines_blt_unpack, .pattern = PAT_COLOR, .with_setup = true },
	{ "XY_TEXT_BLT", draw, xy_text_blt_unpack, SRC_MONO, .with_setup = true },
	{ "XY_TEXT_IMMEDIATE_BLT", draw, xy_text_immediate_blt_unpack, SRC_MONO_IMM, .with_setup = true },
	{ NULL }
};

/**
 * blt_command_of - finds what the blitter does for a command
 * @name: the manual's name of the command
 *
 * Return: the command's row, or NULL when the command is not modelled.
 */
const struct blt_command *blt_command_of(const char *name)
{
	for (const struct blt_command *cmd = blt_commands; cmd->name; cmd++)
		if (!strcmp(cmd->name, name))
			return cmd;
	return NULL;
}

/**
 * blt_execute - carry out one blitter command
 * @ctx: the engine's address space, TLB, BCS_SWCTRL and setup; setup commands change the latter
 * @def: the command in the database
 * @cmd: what blt_command_of() gives for its name
 * @dw: the command
 * @len: its dwords
 *
 * Called by the engine's thread without gpu->lock; a page fault takes it.
 *
 * Return: NULL, or a constant text that says what is wrong with the command; then nothing was
 * written.
 */
const char *blt_execute(struct blt_ctx *ctx, const struct igen_cmd *def, const struct blt_command *cmd,
			const uint32_t *dw, unsigned int len)
{
	struct blt_input in;

	ctx->faulted = false;
	if (!cmd)
		return "blitter command is not modelled";
	in.cmd = cmd;
	in.dw = dw;
	in.len = len;
	if (cmd->unpack)
		cmd->unpack(ctx->gen, dw, len, &in.fields);
	else
		in.fields.immediate = 0;
	if (in.fields.immediate ? len <= in.fields.immediate : len != def->min)
		return "wrong length";
	return cmd->execute(ctx, &in);
}
