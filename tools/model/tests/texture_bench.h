/* SPDX-License-Identifier: MIT */
/**
 * DOC: Textures for tests of the sampler
 *
 * A texture holds a pattern that a function here tells for each level, slice and texel. Its layout stands here as
 * numbers.
 */
#ifndef IGEN_MODEL_TEXTURE_BENCH_H
#define IGEN_MODEL_TEXTURE_BENCH_H

#include <math.h>

#include "message_bench.h"

#define SAMPLERS	0x800u		/* from STATE */
#define BORDER_COLOR	0x900u
#define TEXTURE		0x200000u
#define SAMPLER		2
#define SIMD8		(1 << 17)
#define SIMD16		(2 << 17)
#define TYPE(n)		((n) << 12)
#define TINY		0.000001
#define ONE		0x3f800000u

enum { SAMPLE, SAMPLE_B, SAMPLE_L, SAMPLE_C, SAMPLE_D, LD = 7, GATHER4 = 8, LOD, RESINFO, SAMPLEINFO, GATHER4_C = 16,
	GATHER4_PO = 17, SAMPLE_LZ = 24, SAMPLE_C_LZ, LD_LZ, LD2DMS_W = 28, LD_MCS, LD2DMS, LD2DSS };
enum { LINEAR_TILES, X_TILES = 2, Y_TILES };
enum { MODE_WRAP, MODE_MIRROR, MODE_CLAMP, MODE_CUBE, MODE_BORDER, MODE_ONCE, MODE_HALF };

static inline uint32_t bits(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

static inline float number(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

/* A texture of 16 x 8 texels, 5 levels, and rows of 24 or more from a slice to the next. */
#define WIDTH	16
#define HEIGHT	8
#define SLICE	24
static const unsigned int level_x[5] = { 0, 0, 8, 8, 8 }, level_y[5] = { 0, 8, 8, 12, 16 };

/* A channel of a texel. */
static inline uint8_t pattern(unsigned int level, unsigned int slice, unsigned int x, unsigned int y, unsigned int c)
{
	return (uint8_t)(level * 37 + slice * 53 + x * 29 + y * 71 + c * 101 + x * y * 7);
}

static inline uint32_t place(unsigned int tiles, uint32_t x, uint32_t y, uint32_t pitch)
{
	if (tiles == X_TILES)
		return y / 8 * 8 * pitch + x / 512 * 4096 + y % 8 * 512 + x % 512;
	if (tiles == Y_TILES)
		return y / 32 * 32 * pitch + x / 128 * 4096 + x % 128 / 16 * 512 + y % 32 * 16 + x % 16;
	return y * pitch + x;
}

static inline uint32_t at_least_one(uint32_t v)
{
	return v ? v : 1;
}

static inline void fill(unsigned int tiles, uint32_t pitch, unsigned int slices)
{
	for (unsigned int l = 0; l < 5; l++)
		for (unsigned int z = 0; z < slices; z++)
			for (unsigned int y = 0; y < at_least_one(HEIGHT >> l); y++)
				for (unsigned int x = 0; x < at_least_one(WIDTH >> l); x++)
					for (unsigned int c = 0; c < 4; c++)
						ram[TEXTURE + place(tiles, (level_x[l] + x) * 4 + c,
								    z * SLICE + level_y[l] + y, pitch)] =
							pattern(l, z, x, y, c);
}

/* R8G8B8A8_UNORM, 2D, of five levels. */
static inline struct gen9_render_surface_state texture(unsigned int tiles, uint32_t pitch)
{
	return (struct gen9_render_surface_state){
		.surface_type = 1, .surface_format = 0x0c7, .surface_base_address = VA + TEXTURE,
		.width = WIDTH - 1, .height = HEIGHT - 1, .surface_pitch = pitch - 1, .tile_mode = tiles,
		.surface_horizontal_alignment = 1, .surface_vertical_alignment = 1, .surface_qpitch = SLICE / 4,
		.mip_count_lod = 4,
		.shader_channel_select_red = 4, .shader_channel_select_green = 5, .shader_channel_select_blue = 6,
		.shader_channel_select_alpha = 7,
	};
}

static inline void sampler_state(struct gen9_sampler_state p)
{
	uint32_t dw[4] = { 0 };

	p.border_color_pointer = STATE + BORDER_COLOR;
	gen9_sampler_state_put(dw, &p);
	for (unsigned int i = 0; i < 4; i++)
		put(STATE + SAMPLERS + 4 * i, dw[i]);
	group.sampler_state = STATE + SAMPLERS;
}

/* Three address modes, both filters, and a filter of levels up to the last. */
static inline struct gen9_sampler_state with(unsigned int mode, unsigned int filter, unsigned int mip)
{
	return (struct gen9_sampler_state){
		.tcx_address_control_mode = mode, .tcy_address_control_mode = mode, .tcz_address_control_mode = mode,
		.min_mode_filter = filter, .mag_mode_filter = filter, .mip_mode_filter = mip, .max_lod = 14 << 8,
	};
}

/* A parameter of a lane of a message of 8. */
static inline void parameter(unsigned int n, unsigned int lane, uint32_t v)
{
	payload[n * 8 + lane] = v;
}

static inline bool sent(unsigned int type, unsigned int parameters)
{
	return send(SAMPLER, DESC(parameters, 4, 0, SIMD8 | TYPE(type))) == EU_DONE;
}

static inline void put_border(void)
{
	static const float border[4] = { 0.25, 0.5, 0.75, 1 };

	for (unsigned int i = 0; i < 4; i++)
		put(STATE + BORDER_COLOR + 4 * i, bits(border[i]));
}

/* What a sample of a texture is, in its red channel. */
static inline float red_of(unsigned int type, unsigned int n, const float *parameters)
{
	fresh(8);
	exec_mask = 1;
	for (unsigned int i = 0; i < n; i++)
		parameter(i, 0, bits(parameters[i]));
	return sent(type, n) ? number(response[0]) : NAN;
}

static inline float red_at(float u, float v)
{
	return red_of(SAMPLE_LZ, 2, (float[]){ u, v });
}

static inline float red_at_lod(float lod, float u, float v)
{
	return red_of(SAMPLE_L, 3, (float[]){ lod, u, v });
}

static inline bool is_texel(float v, unsigned int level, unsigned int slice, unsigned int x, unsigned int y)
{
	return v == (float)(pattern(level, slice, x, y, 0) / 255.0);
}

#endif
