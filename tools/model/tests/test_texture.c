// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of texels: formats, addresses, sizes
 *
 * Each texel is loaded by its address, and compared with what the manual's tables make of its bytes (SNB Vol 4 Part 1,
 * 2.11.2.1).
 */
#include "texture_bench.h"

static const struct {
	uint16_t format;
	const char *name;
	uint8_t raw[16];
	uint32_t to[4];
} formats[] = {
	{ 0x0c0, "B8G8R8A8_UNORM", { 0, 0x33, 0xff, 0x66 }, { ONE, 0x3e4ccccd, 0, 0x3ecccccd } },
	{ 0x0c1, "B8G8R8A8_UNORM_SRGB", { 0, 0xbc, 0xff, 0x66 }, { ONE, 0x3f00bd2b, 0, 0x3ecccccd } },
	{ 0x0c8, "R8G8B8A8_UNORM_SRGB", { 0xff, 0x0a, 0, 0xff }, { ONE, 0x3b46eb61, 0, ONE } },
	{ 0x0ea, "B8G8R8X8_UNORM_SRGB", { 0, 0, 0xff, 0x66 }, { ONE, 0, 0, ONE } },
	{ 0x0c2, "R10G10B10A2_UNORM", { 0xff, 0x03, 0, 0x80 }, { ONE, 0, 0, 0x3f2aaaab } },
	{ 0x0c4, "R10G10B10A2_UINT", { 0xff, 0x07, 0, 0x80 }, { 1023, 1, 0, 2 } },
	{ 0x0d1, "B10G10R10A2_UNORM", { 0xff, 0x03, 0, 0x40 }, { 0, 0, ONE, 0x3eaaaaab } },
	{ 0x0d3, "R11G11B10_FLOAT", { 0xc0, 0x03, 0x18, 0x80 }, { ONE, 0x3e000000, 0x40000000, ONE } },
	{ 0x0ed, "R9G9B9E5_SHAREDEXP", { 0x80, 0x01, 0x00, 0x78 }, { 0x3f400000, 0, 0, ONE } },
	{ 0x0cb, "R8G8B8A8_UINT", { 1, 2, 200, 4 }, { 1, 2, 200, 4 } },
	{ 0x0ca, "R8G8B8A8_SINT", { 1, 2, 200, 4 }, { 1, 2, (uint32_t)-56, 4 } },
	{ 0x0c9, "R8G8B8A8_SNORM", { 127, 0x80, 0x81, 0 }, { ONE, 0xbf800000, 0xbf800000, 0 } },
	{ 0x081, "R16G16B16A16_SNORM", { 0xff, 0x7f, 0x00, 0x80, 0, 0, 0x01, 0x80 }, { ONE, 0xbf800000, 0,
		0xbf800000 } },
	{ 0x080, "R16G16B16A16_UNORM", { 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff }, { ONE, 0, 0, ONE } },
	{ 0x084, "R16G16B16A16_FLOAT", { 0, 0x3c, 0, 0xc0, 1, 0, 0, 0x7c }, { ONE, 0xc0000000, 0x33800000,
		0x7f800000 } },
	{ 0x082, "R16G16B16A16_SINT", { 0xff, 0xff, 1, 0, 2, 0, 3, 0 }, { ~0u, 1, 2, 3 } },
	{ 0x000, "R32G32B32A32_FLOAT", { 0, 0, 0x80, 0x3f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 },
		{ ONE, 0x04030201, 0x08070605, 0x0c0b0a09 } },
	{ 0x040, "R32G32B32_FLOAT", { 0, 0, 0x80, 0x3f, 1, 2, 3, 4, 5, 6, 7, 8 }, { ONE, 0x04030201, 0x08070605,
		ONE } },
	{ 0x085, "R32G32_FLOAT", { 0, 0, 0x80, 0x3f, 1, 2, 3, 4 }, { ONE, 0x04030201, 0, ONE } },
	{ 0x0d7, "R32_UINT", { 1, 2, 3, 4 }, { 0x04030201, 0, 0, 1 } },
	{ 0x0d6, "R32_SINT", { 0xff, 0xff, 0xff, 0xff }, { ~0u, 0, 0, 1 } },
	{ 0x0d8, "R32_FLOAT", { 0, 0, 0x80, 0x3f }, { ONE, 0, 0, ONE } },
	{ 0x0d9, "R24_UNORM_X8_TYPELESS", { 0xff, 0xff, 0xff, 0x12 }, { ONE, 0, 0, ONE } },
	{ 0x106, "R8G8_UNORM", { 0xff, 0x33 }, { ONE, 0x3e4ccccd, 0, ONE } },
	{ 0x10a, "R16_UNORM", { 0xff, 0xff }, { ONE, 0, 0, ONE } },
	{ 0x10e, "R16_FLOAT", { 0, 0x3c }, { ONE, 0, 0, ONE } },
	{ 0x10c, "R16_SINT", { 0, 0x80 }, { 0xffff8000, 0, 0, 1 } },
	{ 0x140, "R8_UNORM", { 0x33 }, { 0x3e4ccccd, 0, 0, ONE } },
	{ 0x143, "R8_UINT", { 0x33 }, { 0x33, 0, 0, 1 } },
	{ 0x144, "A8_UNORM", { 0x33 }, { 0, 0, 0, 0x3e4ccccd } },
	{ 0x145, "I8_UNORM", { 0x33 }, { 0x3e4ccccd, 0x3e4ccccd, 0x3e4ccccd, 0x3e4ccccd } },
	{ 0x146, "L8_UNORM", { 0x33 }, { 0x3e4ccccd, 0x3e4ccccd, 0x3e4ccccd, ONE } },
	{ 0x114, "L8A8_UNORM", { 0xff, 0x33 }, { ONE, ONE, ONE, 0x3e4ccccd } },
	{ 0x100, "B5G6R5_UNORM", { 0x1f, 0xf8 }, { ONE, 0, ONE, ONE } },
	{ 0x102, "B5G5R5A1_UNORM", { 0x1f, 0x80 }, { 0, 0, ONE, ONE } },
	{ 0x104, "B4G4R4A4_UNORM", { 0x0f, 0x30 }, { 0, 0, ONE, 0x3e4ccccd } },
};

static void texels(void)
{
	struct gen9_render_surface_state s = texture(LINEAR_TILES, 64);

	begin("platform=kbl");
	s.mip_count_lod = 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(formats); i++) {
		s.surface_format = formats[i].format;
		picture(0, s);
		memcpy(ram + TEXTURE, formats[i].raw, 16);
		fresh(8);
		exec_mask = 1;
		check(sent(LD_LZ, 2) && response[0] == formats[i].to[0] && response[8] == formats[i].to[1] &&
		      response[16] == formats[i].to[2] && response[24] == formats[i].to[3],
		      "%s: 0x%08x 0x%08x 0x%08x 0x%08x", formats[i].name, response[0], response[8], response[16],
		      response[24]);
	}
	/* sRGB is made linear before it is filtered: half of 0 and 1 is a half. */
	s.surface_format = 0x0c8;
	s.width = 1;
	s.height = 0;
	picture(0, s);
	put(TEXTURE, 0);
	put(TEXTURE + 4, ~0u);
	sampler_state(with(MODE_CLAMP, 1, 0));
	check(red_at(0.5f, 0.5f) == 0.5f, "a gamma curve is undone before texels are filtered");
	s.surface_format = 0x0c7;
	s.shader_channel_select_red = 7;
	s.shader_channel_select_green = 0;
	s.shader_channel_select_blue = 1;
	s.shader_channel_select_alpha = 4;
	picture(0, s);
	put(TEXTURE, 0x33000000);
	fresh(8);
	exec_mask = 1;
	check(sent(LD_LZ, 2) && response[0] == 0x3e4ccccd && !response[8] && response[16] == ONE && !response[24],
	      "channels are selected");
	s.surface_format = 0x0cb;
	picture(0, s);
	check(sent(LD_LZ, 2) && response[0] == 0x33 && response[16] == 1, "of integers 1 is one");
	s = texture(LINEAR_TILES, 64);
	s.mip_count_lod = 0;
	s.surface_format = 0x146;
	picture(0, s);
	put_border();
	sampler_state(with(MODE_BORDER, 0, 0));
	fresh(8);
	exec_mask = 1;
	parameter(0, 0, bits(-1));
	check(sent(SAMPLE_LZ, 2) && response[0] == bits(0.25f) && response[16] == bits(0.25f) && response[24] == ONE,
	      "the border of a luminance is its red");
	s.surface_format = 0x144;
	picture(0, s);
	check(sent(SAMPLE_LZ, 2) && !response[0] && response[24] == bits(1), "of an alpha its alpha");
	s.surface_format = 0x0d7;
	picture(0, s);
	put(STATE + BORDER_COLOR, 77);
	check(sent(SAMPLE_LZ, 2) && response[0] == 77 && !response[8] && response[24] == 1, "of integers an integer");
	end();
}

static void loads(void)
{
	struct gen9_render_surface_state s = texture(X_TILES, 512);
	unsigned int wrong = 0;

	begin("platform=kbl");
	fill(X_TILES, 512, 4);
	s.surface_array = true;
	s.depth = 3;
	picture(0, s);
	for (unsigned int l = 0; l < 7; l++) {
		fresh(16);
		for (unsigned int i = 0; i < 16; i++) {
			payload[i] = i - 2;
			payload[16 + i] = i % 5;
			payload[32 + i] = l;
			payload[48 + i] = i % 6;
		}
		exec_mask = 0x7fff;
		if (send(SAMPLER, DESC(8, 8, 0, SIMD16 | TYPE(LD))) != EU_DONE)
			wrong += 1000;
		for (unsigned int i = 0; i < 16; i++) {
			uint32_t x = i - 2, y = i % 5, z = i % 6, w = at_least_one(WIDTH >> l),
			h = at_least_one(HEIGHT >> l);

			for (unsigned int c = 0; c < 4; c++) {
				uint32_t is = response[c * 16 + i], to = 0;

				if (l < 5 && x < w && y < h && z < 4)
					to = bits((float)(pattern(l, z, x, y, c) / 255.0));
				wrong += is != (i == 15 ? 0xeeeeeeee : to);
			}
		}
	}
	check(!wrong, "ld: texels of levels and slices; beyond there is 0 (%u wrong)", wrong);
	s.surface_format = 0x0e9;
	picture(0, s);
	fresh(8);
	exec_mask = 1;
	parameter(0, 0, 16);
	check(sent(LD, 2) && !response[0] && response[24] == ONE, "and alpha 1 where the format has none");
	s.surface_format = 0x0c7;
	picture(0, s);
	fresh(8);
	exec_mask = 1;
	payload[2] = 2 << 8 | 0xf << 4 | 0xa << 12;
	parameter(1, 0, 3);
	parameter(2, 0, 5);
	check(send(SAMPLER, DESC(3, 2, 1, SIMD8 | TYPE(LD_LZ))) == EU_DONE &&
	      is_texel(number(response[0]), 0, 0, 5, 4) &&
	      number(response[8]) == (float)(pattern(0, 0, 5, 4, 2) / 255.0) && fresh_response(16, 16),
	      "the header's offsets and mask of channels");
	fresh(8);
	exec_mask = 1;
	parameter(0, 0, 3);
	check(send(SAMPLER, DESC(1, 1, 0, SIMD8 | TYPE(LD_LZ))) == EU_DONE &&
	      is_texel(number(response[0]), 0, 0, 3, 0) &&
	      fresh_response(8, 24), "a short response has the first channels");
	fresh(8);
	exec_mask = 3;
	parameter(0, 1, 5);
	check(send(SAMPLER, DESC(1, 4, 0, 1 << 30 | SIMD8 | TYPE(LD_LZ))) == EU_DONE &&
	      response[0] >> 16 == 0x3800 + (uint32_t)lround((pattern(0, 0, 5, 0, 0) / 255.0 - 0.5) * 2048) &&
	      fresh_response(1, 7) && response[24] != 0xeeeeeeee, "16 bits: 8 channels take half a register");
	s.surface_format = 0x0cb;
	picture(0, s);
	fresh(16);
	for (unsigned int i = 0; i < 16; i++)
		payload[i] = i;
	check(send(SAMPLER, DESC(2, 4, 0, 1 << 30 | SIMD16 | TYPE(LD_LZ))) == EU_DONE &&
	      response[7] == ((uint32_t)pattern(0, 0, 15, 0, 0) << 16 | pattern(0, 0, 14, 0, 0)) &&
	      response[8] == ((uint32_t)pattern(0, 0, 1, 0, 1) << 16 | pattern(0, 0, 0, 0, 1)), "and 16 take one");
	s = texture(LINEAR_TILES, 64);
	s.surface_type = 4;
	s.surface_format = 0x0d7;
	s.surface_pitch = 7;
	s.width = 4;
	s.height = 0;
	picture(0, s);
	put(TEXTURE + 8 * 4, 0x1234);
	fresh(8);
	parameter(0, 0, 4);
	parameter(0, 1, 5);
	parameter(0, 2, ~0u);
	check(sent(LD, 1) && response[0] == 0x1234 && !response[1] && !response[2] && response[24] == 1,
	      "elements of a buffer, up to its end");
	s = texture(Y_TILES, 128);
	s.surface_type = 2;
	s.depth = 3;
	fill(Y_TILES, 128, 4);
	picture(0, s);
	fresh(8);
	exec_mask = 3;
	for (unsigned int i = 0; i < 2; i++) {
		parameter(0, i, 2);
		parameter(1, i, 1);
		parameter(2, i, 1);
		parameter(3, i, 1 + i);
	}
	check(sent(LD, 4) && is_texel(number(response[0]), 1, 1, 2, 1) && !response[1],
	      "a volume, whose levels have fewer slices");
	/* Levels of a linear row stand beside each other, at multiples of 64 texels. */
	s = texture(LINEAR_TILES, 1024);
	s.surface_type = 0;
	s.surface_format = 0x0d7;
	s.width = 79;
	s.height = 0;
	picture(0, s);
	put(TEXTURE + (128 + 64 + 3) * 4, 0x4321);
	fresh(8);
	exec_mask = 1;
	parameter(0, 0, 3);
	parameter(2, 0, 2);
	check(sent(LD, 3) && response[0] == 0x4321, "a row's levels");
	end();
}

/* Where a byte is in Yf tiles, whose offset has bits of column and row as the name says, the highest first. */
static uint32_t in_yf_tiles(const char *name, uint32_t x, uint32_t y, uint32_t pitch)
{
	uint32_t offset = 0, width = 0, height = 0;

	for (unsigned int bit = 0; bit < 12; bit++) {
		bool column = name[11 - bit] == 'x';

		offset |= (column ? x >> width : y >> height) % 2 << bit;
		width += column;
		height += !column;
	}
	return (y >> height) * (pitch << height) + (x >> width) * 4096 + offset;
}

/* How many elements of a picture of 100 x 70 the sampler takes from elsewhere, a quarter of them tried. */
static unsigned int misplaced(const char *tile, unsigned int bytes, uint32_t pitch)
{
	unsigned int wrong = 0;

	for (uint32_t y = 0; y < 70; y++)
		for (uint32_t x = 0; x < 100; x++)
			ram[TEXTURE + in_yf_tiles(tile, x * bytes, y, pitch)] = (uint8_t)(x * 7 + y * 13 + (x ^ y));
	for (uint32_t y = 0; y < 70; y++) {
		for (uint32_t x = 0; x < 100; x += 32) {
			fresh(8);
			for (unsigned int i = 0; i < 8; i++) {
				parameter(0, i, x + i);
				parameter(1, i, y);
			}
			if (!sent(LD_LZ, 2))
				return ~0u;
			for (unsigned int i = 0; i < 8 && x + i < 100; i++)
				wrong += (response[i] & 0xff) != (uint8_t)((x + i) * 7 + y * 13 + ((x + i) ^ y));
		}
	}
	return wrong;
}

/* Orders of bits: Intel's GmmLib (CpuSwizzleBlt). */
static void yf_tiles(void)
{
	static const struct {
		unsigned int format, bytes;
		const char *tile;
	} kinds[] = {
		{ 0x143, 1, "xyxyyyyyxxxx" }, { 0x10d, 2, "xyxyxyyyxxxx" }, { 0x0d7, 4, "xyxyxyyyxxxx" },
		{ 0x087, 8, "xyxyxxyyxxxx" }, { 0x002, 16, "xyxyxxyyxxxx" },
	};
	struct gen9_render_surface_state s;

	begin("platform=kbl");
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		unsigned int wrong;

		s = texture(Y_TILES, 2048);
		s.tiled_resource_mode = 1;
		s.mip_count_lod = 0;
		s.surface_format = kinds[i].format;
		s.width = 99;
		s.height = 69;
		picture(0, s);
		wrong = misplaced(kinds[i].tile, kinds[i].bytes, 2048);
		check(!wrong, "Yf tiles of elements of %u bytes: %u are elsewhere", kinds[i].bytes, wrong);
	}
	s.mip_count_lod = 1;
	picture(0, s);
	fresh(8);
	check(!sent(LD_LZ, 2) && strstr(threads[0].fault, "tiles"), "levels in Yf tiles are refused");
	s.mip_count_lod = 0;
	s.surface_type = 2;
	picture(0, s);
	fresh(8);
	check(!sent(LD_LZ, 2) && strstr(threads[0].fault, "tiles"), "and volumes");
	end();
}

static void sizes(void)
{
	struct gen9_render_surface_state s = texture(LINEAR_TILES, 80);

	begin("platform=kbl");
	picture(0, s);
	fresh(8);
	for (unsigned int i = 0; i < 8; i++)
		parameter(0, i, i);
	check(sent(RESINFO, 1) && response[0] == 16 && response[8] == 8 && !response[16] && response[24] == 5,
	      "resinfo: width, height and levels");
	check(response[4] == 1 && response[12] == 1 && response[1] == 8 && response[9] == 4, "of each level");
	check(!response[5] && !response[13] && response[29] == 5, "beyond which there is only their number");
	s.surface_array = true;
	s.depth = 6;
	picture(0, s);
	check(sent(RESINFO, 1) && response[16] == 7, "an array's length");
	s.surface_type = 2;
	s.surface_array = false;
	picture(0, s);
	check(sent(RESINFO, 1) && response[16] == 7 && response[17] == 3, "a volume's depth");
	s.surface_type = 0;
	picture(0, s);
	check(sent(RESINFO, 1) && response[0] == 16 && !response[8], "a row's width");
	s.surface_type = 4;
	s.width = 9;
	s.height = 1;
	s.depth = 0;
	picture(0, s);
	check(sent(RESINFO, 1) && response[0] == 138, "a buffer's elements");
	s.surface_type = 7;
	picture(0, s);
	check(sent(RESINFO, 1) && !response[0] && !response[24], "a null surface's zeros");
	check(sent(SAMPLE_LZ, 2) && !response[0] && !response[24] && sent(LD, 2) && !response[24],
	      "which are also its texels");
	end();
}

/* How many samples a surface has, and by which palette they are placed. */
static void samples(void)
{
	struct gen9_render_surface_state s = texture(LINEAR_TILES, 80);
	unsigned int wrong = 0;

	begin("platform=kbl");
	s.shader_channel_select_red = SELECT_ZERO;
	for (unsigned int log2 = 0; log2 <= 4; log2++) {
		for (unsigned int palette = 0; palette < 8; palette += 5) {
			s.number_of_multisamples = log2;
			s.multisample_position_palette_index = palette;
			picture(0, s);
			fresh(8);
			exec_mask = 0x81;
			wrong += !sent(SAMPLEINFO, 1) || response[0] != 1u << log2 || response[24] != palette + 1 ||
				 response[7] != response[0] || response[31] != response[24] || !fresh_response(1, 6);
		}
	}
	check(!wrong, "sampleinfo: number and palette, whatever the channels are (%u wrong)", wrong);
	s.surface_type = 7;
	picture(0, s);
	check(sent(SAMPLEINFO, 1) && !response[0] && !response[24], "sampleinfo: a null surface's zeros");
	end();
}

/* Messages for a sample of a pixel, of a surface whose pixels have one. */
static void single_samples(void)
{
	static const struct {
		unsigned int type, at;
		const char *name;
	} loads[] = { { LD2DSS, 1, "ld2dss" }, { LD2DMS, 2, "ld2dms" }, { LD2DMS_W, 3, "ld2dms_w" } };
	struct gen9_render_surface_state s = texture(Y_TILES, 128);

	begin("platform=kbl");
	fill(Y_TILES, 128, 4);
	s.surface_array = true;
	s.depth = 3;
	picture(0, s);
	for (unsigned int k = 0; k < ARRAY_SIZE(loads); k++) {
		unsigned int wrong = 0;

		fresh(8);
		for (unsigned int i = 0; i < 8; i++) {
			/* What a control surface tells has no effect: there is none. */
			for (unsigned int n = 0; n < loads[k].at; n++)
				parameter(n, i, n ? 0x76543210 : i);
			parameter(loads[k].at, i, 3 * i);
			parameter(loads[k].at + 1, i, i);
			parameter(loads[k].at + 2, i, i % 4);
		}
		wrong += !sent(loads[k].type, loads[k].at + 3);
		for (unsigned int i = 0; i < 8; i++)
			wrong += i < 6 ? !is_texel(number(response[i]), 0, i % 4, 3 * i, i) : response[i] != 0;
		check(!wrong, "%s: the pixel's only sample, whichever is asked for (%u wrong)", loads[k].name, wrong);
		s.number_of_multisamples = 2;
		picture(0, s);
		check(is_bad(SAMPLER, DESC(loads[k].at + 3, 4, 0, SIMD8 | TYPE(loads[k].type)), "multisampled"),
		      "%s: of several there are none", loads[k].name);
		s.number_of_multisamples = 0;
		s.surface_type = 2;
		picture(0, s);
		check(is_bad(SAMPLER, DESC(loads[k].at + 3, 4, 0, SIMD8 | TYPE(loads[k].type)), "type"),
		      "%s: a volume's", loads[k].name);
		s.surface_type = 1;
		picture(0, s);
	}
	fresh(8);
	check(sent(LD_MCS, 3) && !response[0] && !response[31], "ld_mcs: no control surface, no data");
	s.number_of_multisamples = 2;
	picture(0, s);
	check(is_bad(SAMPLER, DESC(3, 4, 0, SIMD8 | TYPE(LD_MCS)), "multisampled"), "ld_mcs: of several samples");
	end();
}

/* Ivy Bridge: its states, the order of ld, and a volume's levels. */
static void gen7(void)
{
	struct gen7_render_surface_state s = {
		.surface_type = 2, .surface_format = 0x0d7, .surface_base_address = TEXTURE, .width = 15, .height = 7,
		.depth = 7, .surface_pitch = 127, .mip_count_lod = 2, .tiled_surface = false,
	};
	struct gen7_sampler_state p = { .min_mode_filter = 1, .mag_mode_filter = 1, .max_lod = 14 << 8,
		.tcx_address_control_mode = MODE_BORDER, .border_color_pointer = STATE + BORDER_COLOR };
	uint32_t dw[16] = { 0 };

	begin("platform=ivb");
	gen7_render_surface_state_put(dw, &s);
	surface(0, dw);
	/* Level 1 is behind 8 slices of 8 rows, two slices of 8 texels in a row; level 2 behind 2 x 4 rows. */
	put(TEXTURE + (64 + 4 + 3) * 128 + (8 + 5) * 4, 0x111);
	put(TEXTURE + (64 + 8 + 1) * 128 + (4 + 2) * 4, 0x222);
	fresh(8);
	exec_mask = 3;
	parameter(0, 0, 5);
	parameter(1, 0, 1);
	parameter(2, 0, 3);
	parameter(3, 0, 3);
	parameter(0, 1, 2);
	parameter(1, 1, 2);
	parameter(2, 1, 1);
	parameter(3, 1, 1);
	check(sent(LD, 4) && response[0] == 0x111 && response[1] == 0x222 && response[24] == 1,
	      "gen7: a volume's levels, 0x%x 0x%x",
	      response[0], response[1]);
	s = (struct gen7_render_surface_state){
		.surface_type = 1, .surface_format = 0x0d8, .surface_base_address = TEXTURE, .width = 1,
		.surface_pitch = 63,
	};
	memset(dw, 0, sizeof(dw));
	gen7_render_surface_state_put(dw, &s);
	surface(0, dw);
	put(TEXTURE, bits(2));
	put(TEXTURE + 4, bits(4));
	put_border();
	memset(dw, 0, sizeof(dw));
	gen7_sampler_state_put(dw, &p);
	for (unsigned int i = 0; i < 4; i++)
		put(STATE + SAMPLERS + 4 * i, dw[i]);
	group.sampler_state = STATE + SAMPLERS;
	check(red_at(0.5f, 0.5f) == 3 && red_at(1, 0.5f) == (4 + 0.25f) / 2, "gen7: a linear filter and a border");
	fresh(8);
	check(!sent(LD_LZ, 2) && strstr(threads[0].fault, "does not have"), "gen7 has no ld_lz");
	s.number_of_multisamples = 3;
	s.multisample_position_palette_index = 2;
	memset(dw, 0, sizeof(dw));
	gen7_render_surface_state_put(dw, &s);
	surface(0, dw);
	fresh(8);
	check(sent(SAMPLEINFO, 1) && response[0] == 8 && response[24] == 3, "gen7: sampleinfo");
	end();
}

int main(void)
{
	texels();
	loads();
	yf_tiles();
	sizes();
	samples();
	single_samples();
	gen7();
	return test_end();
}
