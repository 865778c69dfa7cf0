// SPDX-License-Identifier: MIT
/**
 * DOC: Surface formats
 *
 * A typed message has four channels of 32 bits for each element, red to alpha: floats for normalised and float formats,
 * integers for integer formats. What a format lacks reads 0, alpha 1; what does not fit is clamped (public Gen9 PRM Vol
 * 7, "Typed Surface Read", and Vol 5, "Surface Formats"; the codes: public facts, Mesa's isl_format). A normalised
 * value is rounded to the nearest, and not a number gives 0.
 *
 * Some formats are the sampler's alone (SNB Vol 4 Part 1, 2.11.2.1, "Surface Formats" and "Sampler Output Channel
 * Mapping"): those with a gamma curve, whose alpha has none, those with a luminance or an intensity, which stands in
 * several channels, and those with a common exponent. Some are the vertex fetch's alone: integers that become floats of
 * the same value, and elements of three bytes or words. Not done: compressed and packed video formats, palettes.
 */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "shared/shared.h"

enum format_kind {
	KIND_UNORM, KIND_SNORM, KIND_UINT, KIND_SINT, KIND_FLOAT, KIND_RAW, KIND_SRGB, KIND_SHARED, KIND_USCALED,
	KIND_SSCALED
};

/* What has a format beside the vertex fetch: typed messages and the sampler, the sampler alone, or nothing. */
enum format_users { USERS_ALL, USERS_SAMPLER, USERS_VERTICES };

struct field {
	uint8_t start, bits;		/* bits 0: the format lacks the channel */
};

struct format {
	uint16_t code;
	uint8_t bytes, kind;
	struct field field[4];		/* red to alpha */
	uint8_t users;			/* enum format_users */
};

#define RGBA(bits)	{ { 0, bits }, { bits, bits }, { 2 * (bits), bits }, { 3 * (bits), bits } }
#define RGB(bits)	{ { 0, bits }, { bits, bits }, { 2 * (bits), bits }, { 0, 0 } }
#define RG(bits)	{ { 0, bits }, { bits, bits } }
#define R(bits)		{ { 0, bits } }
#define BGRA8		{ { 16, 8 }, { 8, 8 }, { 0, 8 }, { 24, 8 } }
#define BGRX8		{ { 16, 8 }, { 8, 8 }, { 0, 8 }, { 0, 0 } }
#define RGB10A2		{ { 0, 10 }, { 10, 10 }, { 20, 10 }, { 30, 2 } }
#define BGR10A2		{ { 20, 10 }, { 10, 10 }, { 0, 10 }, { 30, 2 } }
#define RGBX(bits)	RGB(bits)
#define BGR5A1		{ { 10, 5 }, { 5, 5 }, { 0, 5 }, { 15, 1 } }
#define BGR5X1		{ { 10, 5 }, { 5, 5 }, { 0, 5 }, { 0, 0 } }
#define BGRA4		{ { 8, 4 }, { 4, 4 }, { 0, 4 }, { 12, 4 } }
#define B5G6R5		{ { 11, 5 }, { 5, 6 }, { 0, 5 } }
#define L(bits)		{ { 0, bits }, { 0, bits }, { 0, bits }, { 0, 0 } }
#define I(bits)		{ { 0, bits }, { 0, bits }, { 0, bits }, { 0, bits } }
#define A(bits)		{ { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, bits } }
#define LA(bits)	{ { 0, bits }, { 0, bits }, { 0, bits }, { bits, bits } }

static const struct format formats[] = {
	{ 0x000, 16, KIND_FLOAT, RGBA(32) },
	{ 0x001, 16, KIND_SINT, RGBA(32) },
	{ 0x002, 16, KIND_UINT, RGBA(32) },
	{ 0x006, 16, KIND_FLOAT, RGB(32) },
	{ 0x080, 8, KIND_UNORM, RGBA(16) },
	{ 0x081, 8, KIND_SNORM, RGBA(16) },
	{ 0x082, 8, KIND_SINT, RGBA(16) },
	{ 0x083, 8, KIND_UINT, RGBA(16) },
	{ 0x084, 8, KIND_FLOAT, RGBA(16) },
	{ 0x085, 8, KIND_FLOAT, RG(32) },
	{ 0x086, 8, KIND_SINT, RG(32) },
	{ 0x087, 8, KIND_UINT, RG(32) },
	{ 0x08f, 8, KIND_FLOAT, RGB(16) },
	{ 0x0c0, 4, KIND_UNORM, BGRA8 },
	{ 0x0c2, 4, KIND_UNORM, RGB10A2 },
	{ 0x0c4, 4, KIND_UINT, RGB10A2 },
	{ 0x0c7, 4, KIND_UNORM, RGBA(8) },
	{ 0x0c9, 4, KIND_SNORM, RGBA(8) },
	{ 0x0ca, 4, KIND_SINT, RGBA(8) },
	{ 0x0cb, 4, KIND_UINT, RGBA(8) },
	{ 0x0cc, 4, KIND_UNORM, RG(16) },
	{ 0x0cd, 4, KIND_SNORM, RG(16) },
	{ 0x0ce, 4, KIND_SINT, RG(16) },
	{ 0x0cf, 4, KIND_UINT, RG(16) },
	{ 0x0d0, 4, KIND_FLOAT, RG(16) },
	{ 0x0d1, 4, KIND_UNORM, BGR10A2 },
	{ 0x0d6, 4, KIND_SINT, R(32) },
	{ 0x0d7, 4, KIND_UINT, R(32) },
	{ 0x0d8, 4, KIND_FLOAT, R(32) },
	{ 0x0e9, 4, KIND_UNORM, BGRX8 },
	{ 0x0eb, 4, KIND_UNORM, RGB(8) },
	{ 0x100, 2, KIND_UNORM, B5G6R5 },
	{ 0x106, 2, KIND_UNORM, RG(8) },
	{ 0x107, 2, KIND_SNORM, RG(8) },
	{ 0x108, 2, KIND_SINT, RG(8) },
	{ 0x109, 2, KIND_UINT, RG(8) },
	{ 0x10a, 2, KIND_UNORM, R(16) },
	{ 0x10b, 2, KIND_SNORM, R(16) },
	{ 0x10c, 2, KIND_SINT, R(16) },
	{ 0x10d, 2, KIND_UINT, R(16) },
	{ 0x10e, 2, KIND_FLOAT, R(16) },
	{ 0x140, 1, KIND_UNORM, R(8) },
	{ 0x141, 1, KIND_SNORM, R(8) },
	{ 0x142, 1, KIND_SINT, R(8) },
	{ 0x143, 1, KIND_UINT, R(8) },
	{ 0x144, 1, KIND_UNORM, A(8) },
	/* Two luminances and a pair of colours in a dword: media messages take a dword for an element of two pixels. */
	{ 0x182, 2, KIND_RAW, { { 0, 0 } } },
	{ 0x183, 2, KIND_RAW, { { 0, 0 } } },
	{ 0x18f, 2, KIND_RAW, { { 0, 0 } } },
	{ 0x190, 2, KIND_RAW, { { 0, 0 } } },
	{ 0x1ff, 1, KIND_RAW, { { 0, 0 } } },
	/* The sampler's. */
	{ 0x040, 12, KIND_FLOAT, RGB(32), USERS_SAMPLER },
	{ 0x041, 12, KIND_SINT, RGB(32), USERS_SAMPLER },
	{ 0x042, 12, KIND_UINT, RGB(32), USERS_SAMPLER },
	{ 0x08a, 8, KIND_FLOAT, LA(32), USERS_SAMPLER },
	{ 0x08e, 8, KIND_UNORM, RGBX(16), USERS_SAMPLER },
	{ 0x0c1, 4, KIND_SRGB, BGRA8, USERS_SAMPLER },
	{ 0x0c3, 4, KIND_SRGB, RGB10A2, USERS_SAMPLER },
	{ 0x0c8, 4, KIND_SRGB, RGBA(8), USERS_SAMPLER },
	{ 0x0d2, 4, KIND_SRGB, BGR10A2, USERS_SAMPLER },
	{ 0x0d3, 4, KIND_FLOAT, { { 0, 11 }, { 11, 11 }, { 22, 10 } }, USERS_SAMPLER },
	{ 0x0d9, 4, KIND_UNORM, R(24), USERS_SAMPLER },
	{ 0x0df, 4, KIND_UNORM, LA(16), USERS_SAMPLER },
	{ 0x0e3, 4, KIND_FLOAT, I(32), USERS_SAMPLER },
	{ 0x0e4, 4, KIND_FLOAT, L(32), USERS_SAMPLER },
	{ 0x0e5, 4, KIND_FLOAT, A(32), USERS_SAMPLER },
	{ 0x0ea, 4, KIND_SRGB, BGRX8, USERS_SAMPLER },
	{ 0x0ec, 4, KIND_SRGB, RGBX(8), USERS_SAMPLER },
	{ 0x0ed, 4, KIND_SHARED, { { 0, 9 }, { 9, 9 }, { 18, 9 } }, USERS_SAMPLER },
	{ 0x0ee, 4, KIND_UNORM, { { 20, 10 }, { 10, 10 }, { 0, 10 } }, USERS_SAMPLER },
	{ 0x0f0, 4, KIND_FLOAT, LA(16), USERS_SAMPLER },
	{ 0x101, 2, KIND_SRGB, B5G6R5, USERS_SAMPLER },
	{ 0x102, 2, KIND_UNORM, BGR5A1, USERS_SAMPLER },
	{ 0x103, 2, KIND_SRGB, BGR5A1, USERS_SAMPLER },
	{ 0x104, 2, KIND_UNORM, BGRA4, USERS_SAMPLER },
	{ 0x105, 2, KIND_SRGB, BGRA4, USERS_SAMPLER },
	{ 0x111, 2, KIND_UNORM, I(16), USERS_SAMPLER },
	{ 0x112, 2, KIND_UNORM, L(16), USERS_SAMPLER },
	{ 0x113, 2, KIND_UNORM, A(16), USERS_SAMPLER },
	{ 0x114, 2, KIND_UNORM, LA(8), USERS_SAMPLER },
	{ 0x115, 2, KIND_FLOAT, I(16), USERS_SAMPLER },
	{ 0x116, 2, KIND_FLOAT, L(16), USERS_SAMPLER },
	{ 0x117, 2, KIND_FLOAT, A(16), USERS_SAMPLER },
	{ 0x118, 2, KIND_SRGB, LA(8), USERS_SAMPLER },
	{ 0x11a, 2, KIND_UNORM, BGR5X1, USERS_SAMPLER },
	{ 0x11b, 2, KIND_SRGB, BGR5X1, USERS_SAMPLER },
	{ 0x145, 1, KIND_UNORM, I(8), USERS_SAMPLER },
	{ 0x146, 1, KIND_UNORM, L(8), USERS_SAMPLER },
	{ 0x14c, 1, KIND_SRGB, L(8), USERS_SAMPLER },
	/* The vertex fetch's. */
	{ 0x003, 16, KIND_UNORM, RGBA(32), USERS_VERTICES },
	{ 0x004, 16, KIND_SNORM, RGBA(32), USERS_VERTICES },
	{ 0x007, 16, KIND_SSCALED, RGBA(32), USERS_VERTICES },
	{ 0x008, 16, KIND_USCALED, RGBA(32), USERS_VERTICES },
	{ 0x045, 12, KIND_SSCALED, RGB(32), USERS_VERTICES },
	{ 0x046, 12, KIND_USCALED, RGB(32), USERS_VERTICES },
	{ 0x093, 8, KIND_SSCALED, RGBA(16), USERS_VERTICES },
	{ 0x094, 8, KIND_USCALED, RGBA(16), USERS_VERTICES },
	{ 0x095, 8, KIND_SSCALED, RG(32), USERS_VERTICES },
	{ 0x096, 8, KIND_USCALED, RG(32), USERS_VERTICES },
	{ 0x0f4, 4, KIND_SSCALED, RGBA(8), USERS_VERTICES },
	{ 0x0f5, 4, KIND_USCALED, RGBA(8), USERS_VERTICES },
	{ 0x0f6, 4, KIND_SSCALED, RG(16), USERS_VERTICES },
	{ 0x0f7, 4, KIND_USCALED, RG(16), USERS_VERTICES },
	{ 0x0f8, 4, KIND_SSCALED, R(32), USERS_VERTICES },
	{ 0x0f9, 4, KIND_USCALED, R(32), USERS_VERTICES },
	{ 0x11c, 2, KIND_SSCALED, RG(8), USERS_VERTICES },
	{ 0x11d, 2, KIND_USCALED, RG(8), USERS_VERTICES },
	{ 0x11e, 2, KIND_SSCALED, R(16), USERS_VERTICES },
	{ 0x11f, 2, KIND_USCALED, R(16), USERS_VERTICES },
	{ 0x149, 1, KIND_SSCALED, R(8), USERS_VERTICES },
	{ 0x14a, 1, KIND_USCALED, R(8), USERS_VERTICES },
	{ 0x193, 3, KIND_UNORM, RGB(8), USERS_VERTICES },
	{ 0x194, 3, KIND_SNORM, RGB(8), USERS_VERTICES },
	{ 0x195, 3, KIND_SSCALED, RGB(8), USERS_VERTICES },
	{ 0x196, 3, KIND_USCALED, RGB(8), USERS_VERTICES },
	{ 0x19b, 6, KIND_FLOAT, RGB(16), USERS_VERTICES },
	{ 0x19c, 6, KIND_UNORM, RGB(16), USERS_VERTICES },
	{ 0x19d, 6, KIND_SNORM, RGB(16), USERS_VERTICES },
	{ 0x19e, 6, KIND_SSCALED, RGB(16), USERS_VERTICES },
	{ 0x19f, 6, KIND_USCALED, RGB(16), USERS_VERTICES },
};

static const struct format *find(unsigned int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (formats[i].code == code)
			return &formats[i];
	return NULL;
}

/**
 * format_bytes - the size of an element
 * @format: the surface's
 *
 * Return: bytes; 0 for a format that is not known.
 */
unsigned int format_bytes(unsigned int format)
{
	const struct format *f = find(format);

	return f ? f->bytes : 0;
}

static uint32_t bits_of(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

static float float_of(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

/* A float of 16 bits as one of 32: every value has an exact one. */
static uint32_t from_half(uint32_t h)
{
	uint32_t sign = (h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;

	if (exponent == 31)
		return sign | 0x7f800000 | mantissa << 13;
	if (exponent)
		return sign | (exponent + 112) << 23 | mantissa << 13;
	return sign | bits_of((float)mantissa / 0x1p24f);
}

/* To the nearest, ties to even. */
static uint32_t to_half(uint32_t v)
{
	uint32_t sign = v >> 16 & 0x8000, magnitude = v & 0x7fffffff;
	float f = float_of(magnitude);

	if (magnitude > 0x7f800000)
		return sign | 0x7e00;
	if (magnitude >= 0x477ff000)
		return sign | 0x7c00;
	if (magnitude < 0x38800000)
		return sign | (uint32_t)lrintf(f * 0x1p24f);
	magnitude += 0xfff + (magnitude >> 13 & 1);
	return sign | (magnitude - (112u << 23)) >> 13;
}

/* A float of 32 bits as one of 16, to the nearest. */
uint16_t format_half(uint32_t f)
{
	return (uint16_t)to_half(f);
}

static uint64_t get_bits(const uint8_t *from, unsigned int bytes, struct field b)
{
	uint64_t v = 0;
	unsigned int first = b.start / 8, n = (b.start % 8 + b.bits + 7u) / 8;

	memcpy(&v, from + first, first + n <= bytes ? n : bytes - first);
	return v >> b.start % 8 & ((1ull << b.bits) - 1);
}

/* To bits that are 0. */
static void put_bits(uint8_t *to, struct field b, uint32_t value)
{
	uint64_t v = 0;
	unsigned int first = b.start / 8, n = (b.start % 8 + b.bits + 7u) / 8;

	memcpy(&v, to + first, n);
	v |= (value & ((1ull << b.bits) - 1)) << b.start % 8;
	memcpy(to + first, &v, n);
}

static int32_t extend(uint32_t v, unsigned int bits)
{
	return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

/* What a value of a gamma curve is in linear space, for 8 bits (IEC 61966-2-1). */
static float linear[256];

static void fill_linear(void)
{
	for (unsigned int i = 0; i < 256; i++) {
		double v = i / 255.0;

		linear[i] = (float)(v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
	}
}

static uint32_t from_curve(uint32_t v, unsigned int bits)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, fill_linear);
	/* Colours of other sizes are made to 8 bits first. */
	return bits_of(linear[bits == 8 ? v : (v * 255 + ((1u << bits) - 1) / 2) / ((1u << bits) - 1)]);
}

/* Floats without a sign have an exponent of 5 bits, as halves do. */
static uint32_t from_small_float(uint32_t v, unsigned int bits)
{
	switch (bits) {
	case 10:
		return from_half(v << 5);
	case 11:
		return from_half(v << 4);
	case 16:
		return from_half(v);
	default:
		return v;
	}
}

static uint32_t unpack(enum format_kind kind, uint32_t v, unsigned int bits)
{
	float f;

	switch (kind) {
	case KIND_SRGB:
		return from_curve(v, bits);
	case KIND_UNORM:
		return bits_of((float)((double)v / (double)((1ull << bits) - 1)));
	case KIND_SNORM:
		f = (float)((double)extend(v, bits) / (double)((1ull << (bits - 1)) - 1));
		return bits_of(f < -1 ? -1 : f);
	case KIND_SINT:
		return (uint32_t)extend(v, bits);
	case KIND_SSCALED:
		return bits_of((float)extend(v, bits));
	case KIND_USCALED:
		return bits_of((float)v);
	case KIND_FLOAT:
		return from_small_float(v, bits);
	default:
		return v;
	}
}

static uint32_t normalise(uint32_t v, double least, double most)
{
	double d = (double)float_of(v);

	if (isnan(d))
		return 0;
	d *= most;
	d = d < least ? least : d > most ? most : d;
	return (uint32_t)(int64_t)nearbyint(d);
}

static uint32_t pack(enum format_kind kind, uint32_t v, unsigned int bits)
{
	uint64_t most = (1ull << bits) - 1, half = most >> 1;

	switch (kind) {
	case KIND_UNORM:
		return normalise(v, 0, (double)most);
	case KIND_SNORM:
		return normalise(v, 0 - (double)half, (double)half);
	case KIND_UINT:
		return v > most ? (uint32_t)most : v;
	case KIND_SINT:
		if ((int32_t)v > (int64_t)half)
			return (uint32_t)half;
		return (int32_t)v < -1 - (int64_t)half ? (uint32_t)(-1 - (int64_t)half) : v;
	case KIND_FLOAT:
		return bits == 16 ? to_half(v) : v;
	default:
		return v;
	}
}

static uint32_t one_of(enum format_kind kind)
{
	return kind == KIND_UINT || kind == KIND_SINT ? 1 : bits_of(1);
}

static void unpack_all(const struct format *f, const uint8_t *from, uint32_t to[4])
{
	for (unsigned int i = 0; i < 4; i++) {
		enum format_kind kind = f->kind == KIND_SRGB && i == 3 ? KIND_UNORM : f->kind;
		struct field b = f->field[i];

		if (b.bits)
			to[i] = unpack(kind, (uint32_t)get_bits(from, f->bytes, b), b.bits);
		else
			to[i] = i == 3 ? one_of(f->kind) : 0;
	}
}

/**
 * format_unpack - an element's channels
 * @format: of the surface
 * @from: the element, format_bytes()
 * @to: red, green, blue, alpha
 *
 * Return: false if typed messages cannot have this format.
 */
bool format_unpack(unsigned int format, const uint8_t *from, uint32_t to[4])
{
	const struct format *f = find(format);

	if (!f || f->kind == KIND_RAW || f->users != USERS_ALL)
		return false;
	unpack_all(f, from, to);
	return true;
}

/**
 * format_sampled - a format of the sampler
 * @format: the surface's
 *
 * Return: what format_texel() and its neighbours take; NULL: the sampler cannot have this format here.
 */
const struct format *format_sampled(unsigned int format)
{
	const struct format *f = find(format);

	return f && f->kind != KIND_RAW && f->users != USERS_VERTICES ? f : NULL;
}

/**
 * format_vertex - an element of a vertex buffer
 * @format: of the vertex element
 * @from: the element, format_bytes()
 * @to: its four components; what the format lacks is 0, and the last one 1
 *
 * Return: false if the vertex fetch cannot have this format here.
 */
bool format_vertex(unsigned int format, const uint8_t *from, uint32_t to[4])
{
	const struct format *f = find(format);

	if (!f || f->kind == KIND_RAW || f->kind == KIND_SHARED)
		return false;
	unpack_all(f, from, to);
	return true;
}

/**
 * format_texel - a texel's channels
 * @f: the format
 * @from: the texel, format_bytes()
 * @to: red, green, blue, alpha
 */
void format_texel(const struct format *f, const uint8_t *from, uint32_t to[4])
{
	unpack_all(f, from, to);
	if (f->kind != KIND_SHARED)
		return;
	/* The fractions' unit is the 9th bit, and the exponent's bias 15. */
	for (unsigned int i = 0; i < 3; i++)
		to[i] = bits_of(ldexpf((float)to[i], (from[3] >> 3) - 24));
}

/**
 * format_border - a border colour as a texel has it
 * @f: the format
 * @color: red, green, blue, alpha
 * @to: filled: what the format lacks is as in a texel, and a luminance or an intensity is the colour's red
 */
void format_border(const struct format *f, const uint32_t color[4], uint32_t to[4])
{
	for (unsigned int i = 0; i < 4; i++) {
		struct field b = f->field[i];
		bool red = b.bits && f->field[0].bits && b.start == f->field[0].start;

		if (b.bits)
			to[i] = color[red ? 0 : i];
		else
			to[i] = i == 3 ? one_of(f->kind) : 0;
	}
}

/* Channels are integers; a filter cannot mix them. */
bool format_is_integer(const struct format *f)
{
	return f->kind == KIND_UINT || f->kind == KIND_SINT;
}

/* The depth of a shadow map that is normalised, as the reference value is then, too. */
bool format_is_normalised(const struct format *f)
{
	return f->kind == KIND_UNORM || f->kind == KIND_SRGB;
}

/**
 * format_pack - an element from its channels
 * @format: of the surface
 * @from: red, green, blue, alpha
 * @to: the element, format_bytes()
 *
 * Return: false if typed messages cannot have this format.
 */
bool format_pack(unsigned int format, const uint32_t from[4], uint8_t *to)
{
	const struct format *f = find(format);

	if (!f || f->kind == KIND_RAW || f->users != USERS_ALL)
		return false;
	memset(to, 0, f->bytes);
	for (unsigned int i = 0; i < 4; i++)
		if (f->field[i].bits)
			put_bits(to, f->field[i], pack(f->kind, from[i], f->field[i].bits));
	return true;
}

/**
 * format_bits - the bits of an element that channels have
 * @format: one that format_pack() knows
 * @channels: bit 0: red
 * @to: format_bytes(), with these bits set
 */
void format_bits(unsigned int format, unsigned int channels, uint8_t *to)
{
	const struct format *f = find(format);

	memset(to, 0, f->bytes);
	for (unsigned int i = 0; i < 4; i++)
		if (channels >> i & 1 && f->field[i].bits)
			put_bits(to, f->field[i], ~0u);
}
