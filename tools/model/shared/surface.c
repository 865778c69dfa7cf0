// SPDX-License-Identifier: MIT
/**
 * DOC: Surfaces
 *
 * A message names a surface by an index in the binding table of its thread. The table's entry is where the surface's
 * state is, from the surface state base on (IVB Vol 2 Part 2 and DG1 Vol 2a, "BINDING_TABLE_STATE"). Some indices are
 * no surfaces (public Gen9 PRM Vol 7, "Data Port", "Binding Table Index"):
 *
 * ======== =================================================================
 * 255, 253 all memory, "stateless": offsets count from the general state base
 * 254      the shared local memory of the thread's group
 * 252      bindless (Gen9): the extended descriptor tells of the state
 * ======== =================================================================
 *
 * The state of a surface is read when a thread first uses it, and kept until the next thread group begins or the
 * binding table is another: silicon has a cache for it that the driver invalidates. When it is read again and has not
 * changed, it is not decoded again.
 *
 * Mip levels and slices lie where the public Gen9 and Ivy Bridge PRMs Vol 5, "Memory Views", say: level 1 below level
 * 0, the further ones to the right of level 1, and each slice a number of rows behind the one before. Two layouts are
 * others: a volume's on Ivy Bridge and a linear row's on Gen9. The state tells how many levels there are from the first
 * that programs access on, which "Surface Min LOD" is (BXT Vol 2c, "RENDER_SURFACE_STATE"). Not done: levels and
 * volumes in Yf tiles, Ys and W tiles, multisampled surfaces, and auxiliary surfaces, which read as if they were never
 * compressed.
 */
#include <stdlib.h>
#include <string.h>

#include "neutral_state.h"
#include "shared/shared.h"

#define FORMAT_RAW	0x1ff
#define TYPE_NULL	0xe0000000	/* of a state's first dword */
#define BTI_STATELESS	255
#define BTI_SLM		254
#define BTI_NONCOHERENT	253
#define BTI_BINDLESS	252

static uint32_t align(uint32_t v, uint32_t to)
{
	return to ? (v + to - 1) / to * to : v;
}

/* The size of a level along one axis. */
static uint32_t level_of(uint32_t v, unsigned int level)
{
	v = level < 32 ? v >> level : 0;
	return v ? v : 1;
}

/* Y tiles are Yf tiles in a mode for tiled resources, whose shape depends on the elements. */
static enum tiling y_tiling(const struct render_surface_state *r)
{
	if (r->tiled_resource_mode != RENDER_SURFACE_STATE_TILED_RESOURCE_MODE_TILEYF)
		return TILING_Y;
	switch (format_bytes(r->surface_format)) {
	case 1:
		return TILING_YF_64;
	case 2:
	case 4:
		return TILING_YF_128;
	default:
		return TILING_YF_256;
	}
}

static enum tiling tiling_of(const struct render_surface_state *r)
{
	if (r->tiled_surface)
		return r->tile_walk ? TILING_Y : TILING_X;
	switch (r->tile_mode) {
	case RENDER_SURFACE_STATE_TILE_MODE_XMAJOR:
		return TILING_X;
	case RENDER_SURFACE_STATE_TILE_MODE_YMAJOR:
		return y_tiling(r);
	default:
		return TILING_LINEAR;
	}
}

/*
 * Tiles in which the place of an element is not modelled. Levels in Yf tiles have other places than in Y tiles, the
 * last ones share a tile, and a volume's tiles have three dimensions.
 */
static bool other_tiles(const struct render_surface_state *r)
{
	unsigned int bytes = format_bytes(r->surface_format);

	if (r->tile_mode == RENDER_SURFACE_STATE_TILE_MODE_WMAJOR)
		return true;
	if (!r->tiled_resource_mode)
		return false;
	return y_tiling(r) == TILING_Y || !bytes || bytes & (bytes - 1) || r->surface_min_lod || r->mip_count_lod ||
	       r->surface_type == RENDER_SURFACE_STATE_SURFACE_TYPE_SURFTYPE_3D;
}

static void decode_buffer(const struct render_surface_state *r, struct surface *f)
{
	/* The number of elements less one, in three fields. */
	f->elements = (r->width & 0x7f) | (r->height & 0x3fff) << 7 | r->depth << 21;
	if (f->elements != UINT32_MAX)
		f->elements++;
	f->size = (uint64_t)f->elements * (f->format == FORMAT_RAW && f->kind == SURFACE_BUFFER ? 1 : f->pitch);
	f->width = f->elements;
	f->height = 1;
	f->depth = 1;
}

/* The rows from a slice to the next. */
static uint32_t slice_rows(const struct shared *s, const struct render_surface_state *r, uint32_t valign)
{
	uint32_t h0 = align(r->height + 1, valign);

	if (s->platform->rows_between_slices)
		return r->surface_qpitch * 4;
	/* An array has room for all levels, or for one. */
	if (r->surface_array_spacing)
		return h0;
	return h0 + align(level_of(r->height + 1, 1), valign) + 12 * valign;
}

/* The first row and element of a level, of which each slice has one. */
static void place_level(const struct shared *s, const struct render_surface_state *r, struct surface *f,
			uint32_t halign, uint32_t valign, unsigned int level)
{
	/* A linear row has its levels side by side, each from a multiple of 64 texels on (Gen9). */
	if (f->kind == SURFACE_1D && s->platform->rows_between_slices && f->tiling == TILING_LINEAR) {
		for (unsigned int i = 0; i < level; i++)
			f->x += align(level_of(r->width + 1, i), 64);
		return;
	}
	if (level)
		f->y += align(r->height + 1, valign);
	for (unsigned int i = 1; i < level; i++) {
		if (i == 1)
			f->x += align(level_of(r->width + 1, 1), halign);
		else
			f->y += align(level_of(r->height + 1, i), valign);
	}
}

/* Until Gen8 a volume's levels are below each other, each with its slices in rows of 2 to the power of the level. */
static void place_volume_level(const struct render_surface_state *r, struct surface *f, uint32_t halign,
			       uint32_t valign, unsigned int level)
{
	for (unsigned int i = 0; i < level; i++)
		f->y += align(level_of(r->height + 1, i), valign) * ((level_of(r->depth + 1, i) + (1u << i) - 1) >> i);
	f->slice = align(f->height, valign);
	f->across = (uint8_t)level;
	f->slice_width = align(f->width, halign);
}

/* A level of detail of a picture, whose kind, format and tiling are known. */
static void surface_level(const struct shared *s, const struct render_surface_state *r, unsigned int level,
			  struct surface *f)
{
	uint32_t halign = s->platform->rows_between_slices ? 2u << r->surface_horizontal_alignment :
							     4u << r->surface_horizontal_alignment;
	uint32_t valign = 2u << r->surface_vertical_alignment;

	f->width = level_of(r->width + 1, level);
	f->height = f->kind == SURFACE_1D ? 1 : level_of(r->height + 1, level);
	f->depth = f->kind == SURFACE_3D ? level_of(r->depth + 1, level) : r->depth + 1;
	if (f->kind == SURFACE_CUBE)
		f->depth *= 6;
	f->slice = slice_rows(s, r, valign);
	f->first_slice = f->kind == SURFACE_3D ? 0 : r->minimum_array_element;
	f->x = r->x_offset * 4;
	f->y = r->y_offset * (s->platform->rows_between_slices ? 4 : 2);
	if (f->kind == SURFACE_3D && !s->platform->rows_between_slices)
		place_volume_level(r, f, halign, valign, level);
	else
		place_level(s, r, f, halign, valign, level);
	f->stride = r->vertical_line_stride;
	f->stride_offset = r->vertical_line_stride_offset;
}

static void decode(const struct shared *s, const struct render_surface_state *r, unsigned int level,
		   struct surface *f)
{
	static const enum surface_kind kinds[8] = {
		SURFACE_1D, SURFACE_2D, SURFACE_3D, SURFACE_CUBE, SURFACE_BUFFER, SURFACE_STRUCTURED, SURFACE_NULL,
		SURFACE_NULL,
	};

	*f = (struct surface){
		.kind = kinds[r->surface_type & 7],
		.format = (uint16_t)r->surface_format,
		.tiling = tiling_of(r),
		.base = r->surface_base_address,
		.pitch = r->surface_pitch + 1,
		.bytes = (uint8_t)format_bytes(r->surface_format),
		.swizzled = gtt_engines_swizzle(s->gpu),
		.other_layout = r->number_of_multisamples || other_tiles(r),
	};
	if (f->kind == SURFACE_BUFFER || f->kind == SURFACE_STRUCTURED)
		decode_buffer(r, f);
	else if (f->kind != SURFACE_NULL)
		surface_level(s, r, level, f);
}

/**
 * surface_decode - what a surface's state says
 * @s: the shared functions
 * @dw: RENDER_SURFACE_STATE of the platform
 * @f: filled with the most detailed level that the state lets programs access
 */
void surface_decode(const struct shared *s, const uint32_t *dw, struct surface *f)
{
	struct render_surface_state r;

	render_surface_state_get(s->gen, dw, &r);
	decode(s, &r, r.surface_min_lod, f);
}

/* What of a state the sampler does not do. */
static const char *texture_error(const struct render_surface_state *r)
{
	if (r->number_of_multisamples)
		return "a sampler message to a multisampled surface";
	if (other_tiles(r))
		return "a sampler message to a surface of tiles that are not modelled";
	if (r->resource_min_lod)
		return "a sampler message to a surface with a minimum LOD of its resource";
	if (r->surface_min_lod + r->mip_count_lod >= TEXTURE_LEVELS)
		return "a sampler message to a surface of more than 15 levels";
	return NULL;
}

/**
 * texture_decode - what a surface's state says to the sampler
 * @s: the shared functions
 * @dw: RENDER_SURFACE_STATE of the platform
 * @t: filled
 */
void texture_decode(const struct shared *s, const uint32_t *dw, struct texture *t)
{
	struct render_surface_state r;

	render_surface_state_get(s->gen, dw, &r);
	*t = (struct texture){
		.error = texture_error(&r),
		.format = format_sampled(r.surface_format),
		.levels = r.mip_count_lod + 1,
		.array = r.surface_array,
		.samples = (uint8_t)(1u << r.number_of_multisamples),
		.palette = (uint8_t)r.multisample_position_palette_index,
		.base_level = r.base_mip_level,
		.select = {
			(uint8_t)r.shader_channel_select_red, (uint8_t)r.shader_channel_select_green,
			(uint8_t)r.shader_channel_select_blue, (uint8_t)r.shader_channel_select_alpha,
		},
	};
	for (unsigned int i = 0; i < 4 && !s->platform->channel_selects; i++)
		t->select[i] = (uint8_t)(SELECT_RED + i);
	if (t->error)
		t->levels = 1;
	for (unsigned int i = 0; i < t->levels; i++)
		decode(s, &r, t->error ? 0 : r.surface_min_lod + i, &t->level[i]);
}

/* Where the state of a surface is; false: it is not there. */
static bool find_state(struct send *s, unsigned int bti, uint64_t *state)
{
	struct shared *shared = s->shared;
	uint32_t entry = 0;

	if (bti == BTI_BINDLESS) {
		/* The handle's upper 20 bits stand in the descriptor (public facts: Mesa, brw_lower_logical_sends). */
		*state = shared->bases.bindless + (s->msg->ex_desc >> 12 << 6);
		return true;
	}
	if (!shared_read(shared, shared->bases.surface + s->group->binding_table + 4ull * bti, &entry, sizeof(entry)))
		return false;
	*state = shared->bases.surface + (entry & ~31u);
	return true;
}

/* A state that is not there is a null surface: all zeros would be one of a single element. */
static void load(struct send *s, unsigned int bti, uint32_t dw[RENDER_SURFACE_STATE_DWORDS])
{
	uint64_t state;

	memset(dw, 0, RENDER_SURFACE_STATE_DWORDS * sizeof(*dw));
	if (!find_state(s, bti, &state) ||
	    !shared_read(s->shared, state, dw, RENDER_SURFACE_STATE_DWORDS * sizeof(*dw)))
		dw[0] = TYPE_NULL;
}

void shared_forget_surfaces(struct shared *s)
{
	memset(s->cached, 0, sizeof(s->cached));
	memset(s->texture_cached, 0, sizeof(s->texture_cached));
}

/* Is what is known of an entry of the thread's binding table still true? What is not is known from now on. */
static bool is_cached(struct send *s, unsigned int bti, bool *cached)
{
	struct shared *shared = s->shared;
	bool was;

	if (bti == BTI_BINDLESS)
		return false;
	if (shared->binding_table != s->group->binding_table) {
		shared_forget_surfaces(shared);
		shared->binding_table = s->group->binding_table;
	}
	was = cached[bti];
	cached[bti] = true;
	return was;
}

/* Makes the surface of a state, unless the one that is known has the same. */
static void renew(struct shared *shared, unsigned int i, const uint32_t dw[RENDER_SURFACE_STATE_DWORDS])
{
	const size_t bytes = RENDER_SURFACE_STATE_DWORDS * sizeof(*dw);

	_Static_assert(RENDER_SURFACE_STATE_DWORDS <= SHARED_STATE_DWORDS, "there is room for a state");
	if (shared->decoded[i] && !memcmp(shared->state[i], dw, bytes)) {
		shared->surface[i].swizzled = gtt_engines_swizzle(shared->gpu);
		return;
	}
	surface_decode(shared, dw, &shared->surface[i]);
	memcpy(shared->state[i], dw, bytes);
	shared->decoded[i] = true;
}

/**
 * surface_of - a surface of the thread's binding table
 * @s: the send
 * @bti: its index
 *
 * Return: the surface; it is there until the next call.
 */
const struct surface *surface_of(struct send *s, unsigned int bti)
{
	uint32_t dw[RENDER_SURFACE_STATE_DWORDS];

	bti %= SHARED_SURFACES;
	if (!is_cached(s, bti, s->shared->cached)) {
		load(s, bti, dw);
		renew(s->shared, bti, dw);
	}
	return &s->shared->surface[bti];
}

/**
 * surface_target - the render target that is a surface of the thread's binding table
 * @s: the send
 * @bti: its index
 *
 * Of a render target the state names the level that is drawn to, "MIP Count / LOD", counted from the surface's first
 * one; "Surface Min LOD" has no effect (BXT Vol 2c, "RENDER_SURFACE_STATE").
 *
 * Return: that level; it is there until the next call.
 */
const struct surface *surface_target(struct send *s, unsigned int bti)
{
	uint32_t dw[RENDER_SURFACE_STATE_DWORDS];
	struct shared *shared = s->shared;
	struct render_surface_state r;

	load(s, bti % SHARED_SURFACES, dw);
	if (!shared->target_decoded || memcmp(shared->target_state, dw, sizeof(dw)) != 0) {
		render_surface_state_get(shared->gen, dw, &r);
		decode(shared, &r, r.mip_count_lod, &shared->target);
		memcpy(shared->target_state, dw, sizeof(dw));
		shared->target_decoded = true;
	}
	shared->target.swizzled = gtt_engines_swizzle(shared->gpu);
	return &shared->target;
}

/**
 * texture_of - a surface of the thread's binding table, as the sampler has it
 * @s: the send
 * @bti: its index
 *
 * Return: the texture, which is there until the next call; NULL without memory.
 */
const struct texture *texture_of(struct send *s, unsigned int bti)
{
	struct texture **t = &s->shared->texture[bti % SHARED_SURFACES];
	uint32_t dw[RENDER_SURFACE_STATE_DWORDS];

	if (!*t)
		*t = calloc(1, sizeof(**t));
	if (*t && !is_cached(s, bti % SHARED_SURFACES, s->shared->texture_cached)) {
		load(s, bti, dw);
		texture_decode(s->shared, dw, *t);
	}
	return *t;
}

/* The stateless buffer's base, which a header may move. */
static uint64_t stateless_base(const struct send *s)
{
	uint64_t base = s->shared->bases.general;

	return s->msg->header ? base + (send_dword(s, 20) & ~1023u) : base;
}

/**
 * surface_space - what the offsets of a buffer's message count in
 * @s: the send
 * @bti: the index of its descriptor
 * @space: filled
 *
 * Return: NULL, or why the message cannot be executed.
 */
const char *surface_space(struct send *s, unsigned int bti, struct space *space)
{
	const struct surface *f;

	*space = (struct space){ SPACE_NOTHING, 0, 0 };
	switch (bti) {
	case BTI_SLM:
		*space = (struct space){ SPACE_SLM, 0, s->group->slm_bytes };
		return NULL;
	case BTI_STATELESS:
	case BTI_NONCOHERENT:
		*space = (struct space){ SPACE_MEMORY, stateless_base(s), 1ull << 32 };
		return NULL;
	default:
		f = surface_of(s, bti);
	}
	switch (f->kind) {
	case SURFACE_NULL:
		return NULL;
	case SURFACE_BUFFER:
	case SURFACE_STRUCTURED:
		*space = (struct space){ SPACE_MEMORY, f->base, f->size };
		return NULL;
	default:
		return "a message for buffers, and the surface is none";
	}
}

/**
 * surface_address - where a byte of a picture is
 * @f: the surface
 * @x: byte in the row of the level
 * @y: row of the level
 * @slice: of the view
 *
 * Return: its graphics address.
 */
uint64_t surface_address(const struct surface *f, uint32_t x, uint32_t y, uint32_t slice)
{
	uint32_t row = f->y + y + (f->first_slice + (slice >> f->across)) * f->slice;
	uint32_t column = f->x + (slice & ((1u << f->across) - 1)) * f->slice_width;
	uint64_t addr = f->base + tiled_offset(f->tiling, column * f->bytes + x, row, f->pitch);

	return f->swizzled ? swizzled(f->tiling, addr) : addr;
}

/**
 * surface_run - how many bytes of a row are contiguous in memory
 * @f: the surface
 * @x: from which byte on
 * @len: how many are asked for
 *
 * Return: at least 1, at most @len.
 */
uint32_t surface_run(const struct surface *f, uint32_t x, uint32_t len)
{
	/* An OWord is, in any tile. */
	uint32_t left = 16 - (f->x * f->bytes + x) % 16;

	return f->tiling == TILING_LINEAR || left > len ? len : left;
}
