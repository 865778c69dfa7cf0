// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of samples
 *
 * Samples are compared with those of a plain sampler of this file, which works in double precision from the formulas of
 * the manual (SNB Vol 4 Part 1, 2.2) and looks at the pattern's function,
 not at memory. Where the sampler has 8 bits of
 * fraction it may differ by as much.
 */
#include "texture_bench.h"

/* The plain sampler: a texel beyond the edge, from OpenGL's formulas; -1: the border. */
static int plain_wrap(unsigned int mode, int i, int n)
{
	int m;

	switch (mode) {
	case MODE_WRAP:
		return ((i % n) + n) % n;
	case MODE_MIRROR:
		m = ((i % (2 * n)) + 2 * n) % (2 * n) - n;
		return n - 1 - (m >= 0 ? m : -1 - m);
	case MODE_BORDER:
		return i < 0 || i >= n ? -1 : i;
	case MODE_ONCE:
		i = i < 0 ? -1 - i : i;
		break;
	default:
		break;
	}
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Texels of level 0; the border is 0.25, 0.5, 0.75, 1. */
static double plain_texel(unsigned int mode, int x, int y, int z, bool volume, unsigned int c)
{
	static const double border[4] = { 0.25, 0.5, 0.75, 1 };
	int u = plain_wrap(mode, x, WIDTH), v = plain_wrap(mode, y, HEIGHT), w = volume ? plain_wrap(mode, z, 4) : z;

	return u < 0 || v < 0 || w < 0 ? border[c] : pattern(0, (unsigned int)w, (unsigned int)u, (unsigned int)v,
		c) / 255.0;
}

static double plain_sample(unsigned int mode, bool linear, double u, double v, double w, bool volume, unsigned int c)
{
	double x = u * WIDTH, y = v * HEIGHT, z = w * 4, sum = 0;
	int i, j, k;

	if (!linear)
		return plain_texel(mode, (int)floor(x), (int)floor(y), volume ? (int)floor(z) : 0, volume, c);
	x -= 0.5;
	y -= 0.5;
	z -= 0.5;
	i = (int)floor(x);
	j = (int)floor(y);
	k = volume ? (int)floor(z) : 0;
	for (int n = 0; n < (volume ? 8 : 4); n++) {
		double weight = (n & 1 ? x - i : 1 - x + i) * (n & 2 ? y - j : 1 - y + j);

		if (volume)
			weight *= n & 4 ? z - k : 1 - z + k;
		sum += weight * plain_texel(mode, i + (n & 1), j + (n >> 1 & 1), k + (n >> 2), volume, c);
	}
	return sum;
}

static uint32_t random_state;

static double random_between(double a, double b)
{
	random_state = random_state * 1664525 + 1013904223;
	return (double)(float)(a + (b - a) * (random_state >> 8) / 0x1p24);
}

/* The largest difference to the plain sampler in 400 samples. */
static double difference(unsigned int mode, bool linear, bool volume)
{
	double most = 0;

	for (unsigned int n = 0; n < 50; n++) {
		double at[8][3];

		fresh(8);
		for (unsigned int i = 0; i < 8; i++) {
			for (unsigned int a = 0; a < 3; a++) {
				at[i][a] = random_between(-2, 3);
				parameter(a, i, bits((float)at[i][a]));
			}
		}
		if (!sent(SAMPLE_LZ, 3))
			return INFINITY;
		for (unsigned int i = 0; i < 8; i++) {
			for (unsigned int c = 0; c < 4; c++) {
				double d = fabs((double)number(response[8 * c + i]) -
						plain_sample(mode, linear, at[i][0], at[i][1], at[i][2], volume, c));

				most = d > most ? d : most;
			}
		}
	}
	return most;
}

static void filters(void)
{
	static const struct {
		unsigned int mode;
		const char *name;
	} modes[] = { { MODE_WRAP, "wrap" }, { MODE_MIRROR, "mirror" }, { MODE_CLAMP, "clamp" },
		{ MODE_BORDER, "border" }, { MODE_ONCE, "mirror once" } };
	static const struct {
		unsigned int tiles;
		uint32_t pitch;
		const char *name;
	} tiles[] = { { LINEAR_TILES, 80, "linear" }, { X_TILES, 512, "X" }, { Y_TILES, 128, "Y" } };
	struct gen9_render_surface_state s;

	begin("platform=kbl");
	put_border();
	random_state = 1;
	for (unsigned int k = 0; k < ARRAY_SIZE(tiles); k++) {
		fill(tiles[k].tiles, tiles[k].pitch, 4);
		for (unsigned int m = 0; m < ARRAY_SIZE(modes); m++) {
			double nearest, linear;

			picture(0, texture(tiles[k].tiles, tiles[k].pitch));
			sampler_state(with(modes[m].mode, 0, 0));
			nearest = difference(modes[m].mode, false, false);
			sampler_state(with(modes[m].mode, 1, 0));
			linear = difference(modes[m].mode, true, false);
			check(nearest < TINY && linear > 0 && linear < 2.01 / 256,
			      "2D, %s tiles, %s: %g and %g from a plain sampler",
			      tiles[k].name, modes[m].name, nearest, linear);
			s = texture(tiles[k].tiles, tiles[k].pitch);
			s.surface_type = 2;
			s.depth = 3;
			picture(0, s);
			linear = difference(modes[m].mode, true, true);
			sampler_state(with(modes[m].mode, 0, 0));
			nearest = difference(modes[m].mode, false, true);
			check(nearest < TINY && linear > 0 && linear < 3.01 / 256, "3D: %g and %g", nearest, linear);
		}
	}
	end();
}

/* A row of two texels, 0 and 1. */
static void precision(void)
{
	struct gen9_render_surface_state s = texture(LINEAR_TILES, 64);
	struct gen9_sampler_state p = with(MODE_CLAMP, 1, 0);

	begin("platform=kbl");
	s.surface_format = 0x140;
	s.width = 1;
	s.height = 0;
	s.mip_count_lod = 0;
	picture(0, s);
	put(TEXTURE, 0xff00);
	sampler_state(p);
	check(red_at(0.5f, 0.5f) == 0.5f && red_at(0.625f, 0.5f) == 0.75f && !red_at(0.25f, 0.5f) &&
	      red_at(0.75f, 0.5f) == 1,
	      "a linear filter's weight is the distance from a texel's centre");
	check(red_at((1 + 0.9f / 256) / 2, 0.5f) == 128 / 256.0f, "which has 8 bits, and is truncated");
	p.u_address_mag_filter_rounding_enable = true;
	sampler_state(p);
	check(red_at((1 + 0.9f / 256) / 2, 0.5f) == 129 / 256.0f, "or rounded");
	p.u_address_mag_filter_rounding_enable = false;
	p.u_address_min_filter_rounding_enable = true;
	sampler_state(p);
	check(red_at((1 + 0.9f / 256) / 2, 0.5f) == 128 / 256.0f, "in the filter of the kind that is used");
	put_border();
	p = with(MODE_BORDER, 1, 0);
	sampler_state(p);
	check(red_at(1, 0.5f) == (1 + 0.25f) / 2 && red_at(1.25f, 0.5f) == 0.25f &&
	      red_at(-7, 0.5f) == 0.25f,       "beyond the edge is the border's colour");
	p = with(MODE_HALF, 1, 0);
	sampler_state(p);
	check(red_at(1, 0.5f) == (1 + 0.25f) / 2 && red_at(1.25f, 0.5f) == (1 + 0.25f) / 2 &&
	      red_at(-7, 0.5f) == 0.125f,
	      "half a border: no more than that");
	p = with(MODE_HALF, 0, 0);
	sampler_state(p);
	check(red_at(1.25f, 0.5f) == 1 && red_at(-7, 0.5f) == 0, "and none for the nearest filter");
	p = with(MODE_CLAMP, 0, 0);
	p.non_normalized_coordinate_enable = true;
	sampler_state(p);
	check(red_at(0.99f, 0.5f) == 0 && red_at(1, 0.5f) == 1 &&
	      red_at(9, 0.5f) == 1,       "coordinates that count texels");
	p = with(MODE_WRAP, 0, 0);
	sampler_state(p);
	check(red_at(NAN, 0.5f) == 0 && red_at(INFINITY, 0.5f) >= 0 && red_at(-INFINITY, 0.5f) >= 0 &&
	      red_at(1e30f, 0.5f) >= 0,
	      "no number and infinity are somewhere");
	/* A texel without weight has no effect: a NaN beside 1. */
	s.surface_format = 0x0d8;
	picture(0, s);
	put(TEXTURE, 0x7fc00000);
	put(TEXTURE + 4, ONE);
	p = with(MODE_CLAMP, 1, 0);
	sampler_state(p);
	check(red_at(0.75f, 0.5f) == 1 && isnan(red_at(0.7f, 0.5f)), "a texel without weight has no effect");
	end();
}

static void detail(void)
{
	struct gen9_render_surface_state s = texture(Y_TILES, 128);
	struct gen9_sampler_state p = with(MODE_WRAP, 0, 1);
	float a, b;

	begin("platform=kbl");
	fill(Y_TILES, 128, 4);
	picture(0, s);
	sampler_state(p);
	check(is_texel(red_at_lod(0, 0.1f, 0.3f), 0, 0, 1, 2) && is_texel(red_at_lod(1, 0.3f, 0.3f), 1, 0, 2, 1) &&
	      is_texel(red_at_lod(2, 0.3f, 0.6f), 2, 0, 1, 1) && is_texel(red_at_lod(3, 0.6f, 0.6f), 3, 0, 1, 0) &&
	      is_texel(red_at_lod(4, 0.6f, 0.6f), 4, 0, 0, 0), "each level");
	check(is_texel(red_at_lod(9, 0.6f, 0.6f), 4, 0, 0, 0) &&
	      is_texel(red_at_lod(-3, 0.1f, 0.3f), 0, 0, 1, 2),       "beyond the levels are the first and the last");
	check(is_texel(red_at_lod(1.5f, 0.3f, 0.3f), 1, 0, 2, 1) &&
	      is_texel(red_at_lod(1.51f, 0.3f, 0.6f), 2, 0, 1, 1),       "the nearest level");
	check(is_texel(red_of(SAMPLE_LZ, 2, (float[]){ 0.1f, 0.3f }), 0, 0, 1, 2), "sample_lz: the first");
	p.texture_lod_bias = 0x180;
	sampler_state(p);
	check(is_texel(red_at_lod(0.6f, 0.3f, 0.6f), 2, 0, 1, 1), "the sampler's bias");
	p.texture_lod_bias = -0x100;
	sampler_state(p);
	check(is_texel(red_at_lod(2.2f, 0.3f, 0.3f), 1, 0, 2, 1), "which may be negative");
	p = with(MODE_WRAP, 0, 1);
	p.min_lod = 1 << 8;
	p.max_lod = 2 << 8;
	sampler_state(p);
	check(is_texel(red_at_lod(0, 0.3f, 0.3f), 1, 0, 2, 1) &&
	      is_texel(red_at_lod(4, 0.3f, 0.6f), 2, 0, 1, 1),       "the sampler's least and greatest level");
	p = with(MODE_WRAP, 0, 0);
	p.min_lod = 1 << 8;
	sampler_state(p);
	check(is_texel(red_at_lod(3, 0.3f, 0.3f), 1, 0, 2, 1), "without a filter of levels it is the least");
	p = with(MODE_WRAP, 0, 3);
	sampler_state(p);
	a = (float)(pattern(1, 0, 2, 1, 0) / 255.0);
	b = (float)(pattern(2, 0, 1, 0, 0) / 255.0);
	check(fabsf(red_at_lod(1.25f, 0.3f, 0.3f) - (a * 0.75f + b * 0.25f)) < TINY, "two levels are mixed");
	p.trilinear_filter_quality = 3;
	sampler_state(p);
	check(red_at_lod(1.25f, 0.3f, 0.3f) == a && red_at_lod(1.75f, 0.3f, 0.3f) == b, "unless the quality is low");
	p = with(MODE_WRAP, 0, 1);
	p.mag_mode_filter = 1;
	sampler_state(p);
	check(is_texel(red_at_lod(0.25f, 0.1f, 0.3f), 0, 0, 1, 2) && !is_texel(red_at_lod(0, 0.1f, 0.3f), 0, 0, 1, 2),
	      "the filter is that of minification or of magnification");
	s.base_mip_level = 2;
	picture(0, s);
	check(!is_texel(red_at_lod(0.25f, 0.1f, 0.3f), 0, 0, 1, 2), "which begins at the base level");
	s = texture(Y_TILES, 128);
	s.surface_min_lod = 1;
	s.mip_count_lod = 2;
	picture(0, s);
	p = with(MODE_WRAP, 0, 1);
	sampler_state(p);
	check(is_texel(red_at_lod(0, 0.3f, 0.3f), 1, 0, 2, 1) &&
	      is_texel(red_at_lod(9, 0.6f, 0.6f), 3, 0, 1, 0),       "a view of some of the levels");
	end();
}

/* sample, sample_b, sample_d: the LOD is that of neighbours, which lie 2 texels apart along rows, 4 along columns. */
static void gradients(void)
{
	struct gen9_sampler_state p = with(MODE_CLAMP, 0, 1);

	begin("platform=kbl");
	fill(LINEAR_TILES, 80, 1);
	picture(0, texture(LINEAR_TILES, 80));
	sampler_state(p);
	fresh(8);
	for (unsigned int i = 0; i < 8; i++) {
		parameter(0, i, bits(0.01f + (i & 1) * 2.0f / WIDTH));
		parameter(1, i, bits(0.01f + (i >> 1 & 1) * 4.0f / HEIGHT));
	}
	check(sent(SAMPLE, 2) && is_texel(number(response[0]), 2, 0, 0, 0) &&
	      is_texel(number(response[1]), 2, 0, 0, 0) &&
	      is_texel(number(response[3]), 2, 0, 0, 1), "the LOD of a subspan is that of its longer side");
	fresh(8);
	for (unsigned int i = 0; i < 8; i++) {
		parameter(0, i, bits(i < 4 ? -1 : 1));
		parameter(1, i, bits(0.01f + (i & 1) * 2.0f / WIDTH));
		parameter(2, i, bits(0.01f + (i >> 1 & 1) * 4.0f / HEIGHT));
	}
	check(sent(SAMPLE_B, 3) && is_texel(number(response[0]), 1, 0, 0, 0) &&
	      is_texel(number(response[4]), 3, 0, 0, 0),
	      "and the message's bias");
	fresh(8);
	exec_mask = 1;
	parameter(0, 0, bits(0.3f));
	parameter(1, 0, bits(2.0f / WIDTH));
	parameter(3, 0, bits(0.3f));
	check(sent(SAMPLE_D, 6) && is_texel(number(response[0]), 1, 0, 2, 1), "sample_d: along a row");
	parameter(5, 0, bits(4.0f / HEIGHT));
	check(sent(SAMPLE_D, 6) && is_texel(number(response[0]), 2, 0, 1, 0), "along a column");
	p.min_mode_filter = 2;
	sampler_state(p);
	check(!sent(SAMPLE_D, 6) && strstr(threads[0].fault, "anisotropic"), "an anisotropic filter is not modelled");
	fresh(8);
	check(sent(SAMPLE_LZ, 2), "but for a LOD of the message, where it is a linear one");
	end();
}

/* The LODs of a subspan whose neighbours along a row lie so many texels apart: clamped, and as it is. */
static bool lods(float texels, float clamped, float unclamped)
{
	fresh(8);
	exec_mask = 0x0f;
	for (unsigned int i = 0; i < 4; i++) {
		parameter(0, i, bits(0.01f + (float)(i & 1) * texels / WIDTH));
		parameter(1, i, bits(0.5f));
	}
	if (!sent(LOD, 3))
		return false;
	for (unsigned int i = 0; i < 4; i++)
		if (fabsf(number(response[i]) - clamped) > TINY || fabsf(number(response[8 + i]) - unclamped) > TINY)
			return false;
	return fresh_response(4, 4);
}

/* lod: the sum of gradients and bias, and what the filter of levels makes of it. */
static void queries(void)
{
	struct gen9_render_surface_state s = texture(LINEAR_TILES, 80);
	struct gen9_sampler_state p = with(MODE_CLAMP, 0, 3);
	const float odd = log2f(3);

	begin("platform=kbl");
	s.shader_channel_select_red = SELECT_ZERO;
	picture(0, s);
	sampler_state(p);
	check(lods(4, 2, 2) && lods(3, odd, odd), "lod: with a linear filter of levels it has a fraction");
	check(lods(0.5f, 0, -1), "lod: where it magnifies the level is the first");
	check(lods(64, 4, 6), "lod: beyond the last level is the last");
	p.min_lod = 1 << 7;
	p.max_lod = 3 << 7;
	sampler_state(p);
	check(lods(4, 1.5f, 2) && lods(1.125f, 0.5f, log2f(1.125f)), "lod: the sampler's least and greatest");
	p = with(MODE_CLAMP, 0, 1);
	p.texture_lod_bias = -0x80;
	sampler_state(p);
	check(lods(4, 1, 1.5f) && lods(3, 1, odd - 0.5f) && lods(8, 2, 2.5f), "lod: the nearest level, with the bias");
	p = with(MODE_CLAMP, 0, 0);
	sampler_state(p);
	check(lods(4, 0, 2), "lod: without a filter of levels there is the first alone");
	p.min_mode_filter = 2;
	sampler_state(p);
	check(!lods(4, 0, 2) && strstr(threads[0].fault, "anisotropic"), "lod: an anisotropic filter is not modelled");
	end();
}

static void arrays(void)
{
	struct gen9_render_surface_state s = texture(Y_TILES, 128);

	begin("platform=kbl");
	fill(Y_TILES, 128, 5);
	sampler_state(with(MODE_CLAMP, 0, 1));
	s.surface_array = true;
	s.depth = 2;
	s.minimum_array_element = 1;
	picture(0, s);
	check(is_texel(red_of(SAMPLE_LZ, 3, (float[]){ 0.1f, 0.3f, 1.4f }), 0, 2, 1, 2) &&
	      is_texel(red_of(SAMPLE_LZ, 3, (float[]){ 0.1f, 0.3f, 1.6f }), 0, 3, 1, 2), "the nearest slice");
	check(is_texel(red_of(SAMPLE_LZ, 3, (float[]){ 0.1f, 0.3f, -5 }), 0, 1, 1, 2) &&
	      is_texel(red_of(SAMPLE_LZ, 3, (float[]){ 0.1f, 0.3f, 99 }), 0, 3, 1, 2), "of those that there are");
	check(is_texel(red_of(SAMPLE_L, 4, (float[]){ 2, 0.3f, 0.6f, 1 }), 2, 2, 1, 1), "of each level");
	s.surface_array = false;
	s.depth = 0;
	picture(0, s);
	check(is_texel(red_of(SAMPLE_LZ, 3, (float[]){ 0.1f, 0.3f, 1.4f }), 0, 1, 1, 2),
	      "without an array R has no meaning");
	s = texture(Y_TILES, 128);
	s.surface_type = 0;
	s.height = 0;
	s.surface_array = true;
	s.depth = 4;
	s.mip_count_lod = 0;
	picture(0, s);
	check(is_texel(red_of(SAMPLE_LZ, 2, (float[]){ 0.1f, 3 }), 0, 3, 1, 0), "of an array of rows it is V");
	end();
}

/* The six faces of a cube are of one colour each, 16 for +X and so on; 8 x 8 texels. */
static void cubes(void)
{
	struct gen9_render_surface_state s = texture(LINEAR_TILES, 64);
	struct gen9_sampler_state p = with(MODE_CLAMP, 0, 0);
	static const float to[6][3] = { { 1, 0.2f, 0.3f }, { -1, 0.2f, 0.3f }, { 0.2f, 1, 0.3f }, { 0.2f, -1, 0.3f },
		{ 0.2f, 0.3f, 1 }, { 0.2f, 0.3f, -1 } };
	/* S and T of these on their faces, in texels of 8. */
	static const unsigned int x[6] = { 2, 5, 4, 4, 4, 3 }, y[6] = { 3, 3, 5, 2, 2, 2 };
	unsigned int wrong = 0;

	begin("platform=kbl");
	s.surface_type = 3;
	s.surface_format = 0x143;
	s.width = 7;
	s.mip_count_lod = 0;
	s.surface_qpitch = 8 / 4;
	for (unsigned int f = 0; f < 12; f++)
		for (unsigned int i = 0; i < 64; i++)
			ram[TEXTURE + (f * 8 + i / 8) * 64 + i % 8] = (uint8_t)(f * 21 + i);
	picture(0, s);
	sampler_state(p);
	for (unsigned int f = 0; f < 6; f++) {
		fresh(8);
		for (unsigned int i = 0; i < 3; i++)
			parameter(i, 0, bits(to[f][i]));
		exec_mask = 1;
		wrong += !sent(SAMPLE_LZ, 3) || response[0] != ((f * 21 + y[f] * 8 + x[f]) & 255);
	}
	check(!wrong, "a direction leads to a face and a texel of it (%u wrong)", wrong);
	s.surface_array = true;
	s.depth = 1;
	picture(0, s);
	fresh(8);
	exec_mask = 1;
	parameter(0, 0, bits(1));
	parameter(3, 0, bits(1));
	check(sent(SAMPLE_LZ, 4) && response[0] == ((6 * 21 + 4 * 8 + 4) & 255), "of the second cube of an array");
	/* Floats: a face of each colour. */
	s.surface_format = 0x0d8;
	s.surface_array = false;
	s.depth = 0;
	s.surface_pitch = 63;
	for (unsigned int f = 0; f < 6; f++)
		for (unsigned int i = 0; i < 64; i++)
			put(TEXTURE + (f * 8 + i / 8) * 64 + i % 8 * 4, bits((float)(1 << f)));
	picture(0, s);
	p = with(MODE_CUBE, 1, 0);
	sampler_state(p);
	check(red_of(SAMPLE_LZ, 3, (float[]){ 1, 0, 1 }) == (1 + 16) / 2.0f, "half of both faces at an edge");
	check(red_of(SAMPLE_LZ, 3, (float[]){ 0, -1, -1 }) == (8 + 32) / 2.0f, "of the lower side");
	check(fabsf(red_of(SAMPLE_LZ, 3, (float[]){ 1, 1, 1 }) - (1 + 4 + 16) / 3.0f) < TINY,
	      "a third of three at a corner");
	p = with(MODE_CLAMP, 1, 0);
	sampler_state(p);
	check(red_of(SAMPLE_LZ, 3, (float[]){ 1, 0, 1 }) == 1, "not when the mode is another");
	p.cube_surface_control_mode = true;
	sampler_state(p);
	check(red_of(SAMPLE_LZ, 3, (float[]){ 1, 0, 1 }) == 8.5f, "unless it is overridden");
	end();
}

static void gathers(void)
{
	struct gen9_render_surface_state s = texture(LINEAR_TILES, 80);
	struct gen9_sampler_state p = with(MODE_WRAP, 0, 0);

	begin("platform=kbl");
	fill(LINEAR_TILES, 80, 1);
	picture(0, s);
	sampler_state(p);
	fresh(8);
	exec_mask = 1;
	parameter(0, 0, bits(3.0f / WIDTH));
	parameter(1, 0, bits(5.0f / HEIGHT));
	check(sent(GATHER4, 2) && is_texel(number(response[0]), 0, 0, 2, 5) &&
	      is_texel(number(response[8]), 0, 0, 3, 5) &&
	      is_texel(number(response[16]), 0, 0, 3, 4) && is_texel(number(response[24]), 0, 0, 2, 4),
	      "gather4: lower left, lower right, upper right, upper left");
	fresh(8);
	exec_mask = 1;
	payload[2] = 2 << 16 | 1 << 8 | 0xf << 4;
	payload[3] = STATE + SAMPLERS;
	parameter(1, 0, bits(3.0f / WIDTH));
	parameter(2, 0, bits(5.0f / HEIGHT));
	check(send(SAMPLER, DESC(3, 4, 1, SIMD8 | TYPE(GATHER4))) == EU_DONE &&
	      number(response[24]) == (float)(pattern(0, 0, 3, 3, 2) / 255.0), "the header's channel, and its offsets");
	fresh(8);
	exec_mask = 1;
	parameter(0, 0, bits(3.0f / WIDTH));
	parameter(1, 0, bits(5.0f / HEIGHT));
	parameter(2, 0, 5);
	parameter(3, 0, (uint32_t)-3);
	check(sent(GATHER4_PO, 4) && is_texel(number(response[24]), 0, 0, 7, 1), "gather4_po: the channel's offsets");
	/* Depths 0.25 and 0.75. */
	s.surface_format = 0x0d8;
	s.width = 1;
	s.height = 0;
	s.mip_count_lod = 0;
	picture(0, s);
	put(TEXTURE, bits(0.25f));
	put(TEXTURE + 4, bits(0.75f));
	p = with(MODE_CLAMP, 1, 0);
	p.shadow_function = 2;
	sampler_state(p);
	check(red_of(SAMPLE_C_LZ, 3, (float[]){ 0.5f, 0.5f, 0.5f }) == 0.5f,
	      "texels are compared before they are filtered");
	check(red_of(SAMPLE_C_LZ, 3, (float[]){ 0.5f, 0.25f, 0.5f }) == 0 &&
	      red_of(SAMPLE_C_LZ, 3, (float[]){ 0.5f, 0.75f, 0.5f }) == 1, "less gives 0");
	check(red_of(SAMPLE_C, 3, (float[]){ 0.8f, 0.75f, 0.5f }) == 0, "with the LOD of a subspan");
	for (unsigned int f = 0; f < 8; f++) {
		static const float is[8][3] = { { 0, 0, 0 }, { 1, 1, 1 }, { 1, 1, 0 }, { 1, 0, 1 }, { 1, 0, 0 },
			{ 0, 1, 1 }, { 0, 1, 0 }, { 0, 0, 1 } };

		p.shadow_function = f;
		sampler_state(p);
		check(red_of(SAMPLE_C_LZ, 3, (float[]){ 0, 0.25f, 0.5f }) == is[f][0] &&
		      red_of(SAMPLE_C_LZ, 3, (float[]){ 0.25f, 0.25f, 0.5f }) == is[f][1] &&
		      red_of(SAMPLE_C_LZ, 3, (float[]){ 0.5f, 0.25f, 0.5f }) == is[f][2],
		      "shadow function %u: of references below, at and above", f);
	}
	p.shadow_function = 2;
	sampler_state(p);
	check(red_of(GATHER4_C, 3, (float[]){ 0.5f, 0.5f, 0.5f }) == 0 && number(response[8]) == 1,
	      "gather4_c: lower left is 0, lower right 1");
	end();
}

static void mistakes(void)
{
	struct gen9_render_surface_state s = texture(LINEAR_TILES, 80);
	struct gen9_sampler_state p = with(MODE_CLAMP, 1, 0);
	/* SIMD32 and SIMD64, where these types are others. */
	static const struct {
		unsigned int type;
		const char *name;
	} media[] = {
		{ 0, "sample_unorm, which" }, { 2, "sample_unorm_killpix, which" }, { 8, "deinterlace, which" },
		{ 10, "sample_unorm_killpix_media, which" }, { 11, "sample_8x8, which" },
		{ 12, "sample_unorm_media, which" }, { 31, "sampler_flush, which" },
	};
	uint32_t desc = DESC(2, 4, 0, SIMD8 | TYPE(SAMPLE_LZ));

	begin("platform=kbl");
	picture(0, s);
	sampler_state(p);
	fresh(8);
	check(is_bad(SAMPLER, DESC(2, 4, 0, TYPE(SAMPLE_LZ)), "neither SIMD8"), "SIMD4x2");
	check(is_bad(SAMPLER, desc | 3 << 17, "neither SIMD8") && is_bad(SAMPLER, desc | 1 << 29, "neither SIMD8"),
	      "SIMD32");
	for (unsigned int i = 0; i < ARRAY_SIZE(media); i++)
		check(is_bad(SAMPLER, DESC(3, 4, 1, 3 << 17 | TYPE(media[i].type)), media[i].name),
		      "%s is not modelled", media[i].name);
	check(is_bad(SAMPLER, DESC(1, 4, 1, SIMD8 | TYPE(SAMPLE_LZ)), "too short"), "no coordinates");
	payload[2] = 0xf000;
	check(is_bad(SAMPLER, DESC(3, 4, 1, SIMD8 | TYPE(SAMPLE_LZ)), "no channel"), "nothing to return");
	s.surface_format = 0x186;
	picture(0, s);
	check(is_bad(SAMPLER, desc, "format"), "a compressed format");
	s.surface_format = 0x0cb;
	picture(0, s);
	check(is_bad(SAMPLER, desc, "filters integers"), "a linear filter of integers");
	s.surface_format = 0x0c7;
	s.number_of_multisamples = 2;
	picture(0, s);
	check(is_bad(SAMPLER, desc, "multisampled"), "a multisampled surface");
	s.number_of_multisamples = 0;
	s.tile_mode = 1;
	picture(0, s);
	check(is_bad(SAMPLER, desc, "tiles"), "W tiles");
	s.tile_mode = 3;
	s.tiled_resource_mode = 2;
	picture(0, s);
	check(is_bad(SAMPLER, desc, "tiles"), "Ys tiles");
	s = texture(LINEAR_TILES, 80);
	s.surface_type = 4;
	picture(0, s);
	check(is_bad(SAMPLER, desc, "type"), "a sample of a buffer");
	s.surface_type = 3;
	picture(0, s);
	check(is_bad(SAMPLER, DESC(2, 4, 0, SIMD8 | TYPE(LD)), "type"), "a texel of a cube");
	s.surface_type = 2;
	picture(0, s);
	check(is_bad(SAMPLER, DESC(2, 4, 0, SIMD8 | TYPE(GATHER4)), "neither 2D"), "four of a volume");
	s.surface_type = 1;
	s.mip_count_lod = 14;
	s.surface_min_lod = 1;
	picture(0, s);
	check(is_bad(SAMPLER, desc, "15 levels"), "too many levels");
	picture(0, texture(LINEAR_TILES, 80));
	p.mag_mode_filter = 6;
	sampler_state(p);
	check(is_bad(SAMPLER, desc, "filter"), "a filter of monochrome texels");
	p = with(MODE_CUBE, 0, 0);
	sampler_state(p);
	check(is_bad(SAMPLER, desc, "address mode"), "a cube's mode elsewhere");
	p = with(MODE_CLAMP, 0, 0);
	p.chromakey_enable = true;
	sampler_state(p);
	check(is_bad(SAMPLER, desc, "chroma"), "a chroma key");
	p = with(MODE_WRAP, 0, 0);
	p.non_normalized_coordinate_enable = true;
	sampler_state(p);
	check(is_bad(SAMPLER, desc, "not normalised"), "texels that wrap");
	p = with(MODE_CLAMP, 0, 0);
	p.sampler_disable = true;
	sampler_state(p);
	fresh(8);
	check(send(SAMPLER, desc) == EU_DONE && !response[0] && !response[31], "a sampler that is off returns 0");
	end();
}

int main(void)
{
	filters();
	precision();
	detail();
	gradients();
	queries();
	arrays();
	cubes();
	gathers();
	mistakes();
	return test_end();
}
