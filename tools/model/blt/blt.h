/* SPDX-License-Identifier: MIT */
/**
 * DOC: The blitter
 *
 * blt.c turns a command into one struct blt_op; raster.c carries it out. Rows are the unit: a
 * row of each operand is gathered into a buffer, combined, and stored.
 */
#ifndef IGEN_MODEL_BLT_H
#define IGEN_MODEL_BLT_H

#include "decode.h"
#include "mem/mem.h"
#include "neutral_blt.h"

#define BLT_FAULTS	256		/* a power of two */

enum blt_source { SRC_NONE, SRC_COLOR, SRC_MONO, SRC_MONO_IMM };
enum blt_pattern { PAT_NONE, PAT_SOLID, PAT_MONO, PAT_COLOR };

struct blt_clip {
	int32_t x1, y1, x2, y2;		/* right and bottom exclusive */
};

/* What XY_SETUP_BLT and its kind left for XY_PIXEL and friends. */
struct blt_setup {
	enum blt_pattern pattern;	/* the setup's; PAT_NONE: nothing was set up */
	struct xy_blt fields;
	struct blt_clip clip;		/* also XY_SETUP_CLIP_BLT's */
};

struct blt_ctx {
	struct gpu *gpu;
	const struct engine_info *engine;
	struct view view;
	struct vm_ref vm;
	unsigned int gen;		/* of the commands */
	uint32_t swctrl;		/* BCS_SWCTRL */
	bool swizzle;			/* bit 6 of addresses in tiled surfaces */
	struct blt_setup setup;
	const _Atomic uint32_t *request;	/* the engine's, or NULL */
	uint32_t stop_on;		/* bits of it */
	bool stopped;			/* the last command ended early on such a request */
	bool faulted;			/* there is something in fault */
	uint64_t fault[BLT_FAULTS];	/* pages that have faulted in this command: number and access, plus 1 */
};

struct blt_input;

/* Commands of one name, in whatever generations there are. */
struct blt_command {
	const char *name;		/* the manual's; NULL: end of the table */
	const char *(*execute)(struct blt_ctx *ctx, const struct blt_input *in);
	/* NULL: the command has a structure of its own. */
	void (*unpack)(unsigned int gen, const uint32_t *dw, unsigned int n, struct xy_blt *fields);
	enum blt_source source;
	enum blt_pattern pattern;
	bool with_setup;		/* takes control, colors, pattern and clip from the setup */
	bool pixel;			/* draws one pixel */
};

/* blt.c */
extern const struct blt_command blt_commands[];
const struct blt_command *blt_command_of(const char *name);
/*
 * Executes one blitter command (dw[0..len-1]); NULL or an error text for a bad one. The whole command is one access
 * through the view: the caller puts view_enter() and view_leave() around it. At every row it lets invalidations pass,
 * and ends, with stopped set, when its engine is asked for anything of stop_on.
 */
const char *blt_execute(struct blt_ctx *ctx, const struct igen_cmd *def, const struct blt_command *cmd,
			const uint32_t *dw, unsigned int len);

/* A surface in the engine's address space. */
struct blt_surface {
	uint64_t base;			/* graphics address of (0, 0) */
	int32_t pitch;			/* bytes; negative only when linear */
	enum tiling tiling;
	bool write;
	uint64_t tag;			/* the page met last, plus 1; 0: none */
	uint8_t *page;			/* its memory; NULL: it faulted, or is no memory */
};

struct blt_op {
	struct blt_ctx *ctx;
	unsigned int cpp;		/* bytes a pixel: 1, 2, 4; fast copies also 8 and 16 */
	uint8_t rop;
	uint32_t channels;		/* bits of a 32-bit pixel that are written */

	/* Destination rectangle, right and bottom exclusive, and what clipping left of it. */
	int32_t x1, y1, x2, y2;
	int32_t cx1, cy1, cx2, cy2;
	struct blt_surface dst;

	enum blt_source source;
	int32_t src_x, src_y;		/* SRC_COLOR: the pixel that goes to (x1, y1) */
	struct blt_surface src;
	const uint8_t *src_imm;		/* SRC_MONO_IMM: the bits */
	uint64_t src_imm_len;
	unsigned int src_bit;		/* mono: first pixel's bit in a row */
	uint64_t src_stride;		/* mono: bits from row to row */
	uint32_t src_fg, src_bg;
	bool src_transparent;

	enum blt_pattern pattern;
	unsigned int pat_x, pat_y;	/* seeds */
	uint32_t pat_fg, pat_bg;
	bool pat_transparent;
	uint8_t pat_mono[8];
	uint8_t pat_color[8 * 8 * 4];
};

/* Which operands a ternary raster operation depends on. */
bool rop_uses_src(uint8_t rop);
bool rop_uses_dst(uint8_t rop);
bool rop_uses_pattern(uint8_t rop);

/* Reads len bytes from byte x of row y; what faults reads as zero. */
void blt_surface_read(struct blt_ctx *ctx, struct blt_surface *s, int64_t x, int64_t y, void *buf,
		      size_t len);

/* Carries out op; NULL or an error text. */
const char *blt_raster(struct blt_op *op);

#endif
