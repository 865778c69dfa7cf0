// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of the blitter
 *
 * The blitter runs on a memory of its own whose pages are scattered, and a second, per-pixel
 * implementation written here from the manual says what must come out: pixels in rectangles, the
 * raster operation as a truth table bit by bit, tiles by their definition. What lies outside the
 * destination rectangle must not change.
 */
#include <stdlib.h>
#include <string.h>

#include "igen/cmd/blt.h"
#include "igen/cmd/mi.h"
#include "igen/regs/engine.h"
#include "blt/blt.h"

#define MEM_SIZE	(4u << 20)
#define PAGES		(MEM_SIZE / 4096)
#define UNMAPPED	(64ull << 20)		/* from here on every access faults */

static uint8_t *memory;				/* physical */
static uint8_t *expect;				/* by graphics address */
static unsigned int faults, tests, failures;

static uint64_t scatter(uint64_t page)
{
	return (page * 389 + 17) % PAGES;	/* a permutation: PAGES is a power of two */
}

uint8_t *view_page(struct view *v, const struct vm_ref *vm, uint64_t addr, bool write)
{
	(void)vm;
	(void)write;
	v->error = VIEW_NOT_PRESENT;
	return addr < MEM_SIZE ? memory + scatter(addr / 4096) * 4096 : NULL;
}

bool view_renew(struct view *v)
{
	(void)v;
	return false;
}

/* Without "coherency" no change of memory is reported. */
void view_touch(struct view *v, const struct vm_ref *vm, uint64_t addr, size_t len, enum view_step step)
{
	(void)v;
	(void)vm;
	(void)addr;
	(void)len;
	(void)step;
	abort();
}

void gpu_page_fault(struct gpu *gpu, const struct engine_info *engine, const struct vm_ref *vm,
		    uint64_t addr, enum page_fault fault)
{
	(void)gpu;
	(void)engine;
	(void)vm;
	(void)addr;
	(void)fault;
	faults++;
}

static void check(bool ok, const char *what)
{
	tests++;
	if (!ok)
		failures++;
	printf("%s %u %s\n", ok ? "ok" : "not ok", tests, what);
}

static uint32_t random_state = 12345;

static uint32_t random32(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

static unsigned int random_below(unsigned int n)
{
	return random32() % n;
}

static void fill_memory(void)
{
	for (unsigned int p = 0; p < PAGES; p++) {
		for (unsigned int i = 0; i < 4096; i += 4) {
			uint32_t v = random32();

			memcpy(expect + p * 4096 + i, &v, 4);
		}
		memcpy(memory + scatter(p) * 4096, expect + p * 4096, 4096);
	}
}

static bool same_memory(void)
{
	for (unsigned int p = 0; p < PAGES; p++) {
		if (memcmp(memory + scatter(p) * 4096, expect + p * 4096, 4096))
			return false;
	}
	return true;
}

/* A surface as the reference sees it. */
struct ref {
	int64_t base;
	int pitch;			/* bytes */
	enum tiling tiling;
	unsigned int cpp;
};

static int64_t ref_addr(const struct ref *s, int x, int y)
{
	int64_t byte = (int64_t)x * s->cpp, tile;

	if (s->tiling == TILING_X) {
		tile = y / 8 * (s->pitch / 512) + byte / 512;
		return s->base + tile * 4096 + y % 8 * 512 + byte % 512;
	}
	if (s->tiling == TILING_Y) {
		tile = y / 32 * (s->pitch / 128) + byte / 128;
		return s->base + tile * 4096 + byte % 128 / 16 * 512 + y % 32 * 16 + byte % 16;
	}
	return s->base + (int64_t)y * s->pitch + byte;
}

static uint32_t ref_get(const uint8_t *mem, const struct ref *s, int x, int y)
{
	uint32_t v = 0;

	memcpy(&v, mem + ref_addr(s, x, y), s->cpp);
	return v;
}

static void ref_put(uint8_t *mem, const struct ref *s, int x, int y, uint32_t v)
{
	memcpy(mem + ref_addr(s, x, y), &v, s->cpp);
}

static uint32_t ref_rop(uint8_t rop, uint32_t p, uint32_t s, uint32_t d)
{
	uint32_t out = 0;

	for (unsigned int b = 0; b < 32; b++) {
		unsigned int index = (p >> b & 1) << 2 | (s >> b & 1) << 1 | (d >> b & 1);

		out |= (uint32_t)(rop >> index & 1) << b;
	}
	return out;
}

static struct blt_ctx ctx;
static struct igen_decoder decoder;

static void reset(void)
{
	memset(&ctx, 0, sizeof(ctx));
	ctx.gen = decoder.set->gen;
	faults = 0;
	fill_memory();
}

static const char *run(const uint32_t *dw)
{
	const struct igen_cmd *def = igen_lookup(&decoder, dw[0]);

	return blt_execute(&ctx, def, blt_command_of(def->name), dw, (dw[0] & 0xff) + 2);
}

static const unsigned int depth_cpp[4] = { 1, 2, 2, 4 };

static uint32_t pitch_field(const struct ref *s)
{
	return (s->tiling == TILING_LINEAR ? s->pitch : s->pitch / 4) & 0xffff;
}

static struct ref random_ref(int64_t base, unsigned int cpp)
{
	struct ref s = { .base = base, .cpp = cpp, .tiling = random_below(3) };

	s.pitch = s.tiling == TILING_X	 ? 512 * (2 + random_below(4))
		  : s.tiling == TILING_Y ? 128 * (8 + random_below(9))
					 : 4 * (200 + random_below(200));
	return s;
}

static uint32_t swctrl_of(const struct ref *src, const struct ref *dst)
{
	return (src && src->tiling == TILING_Y ? BCS_SWCTRL_SRC_Y : 0) |
	       (dst->tiling == TILING_Y ? BCS_SWCTRL_DST_Y : 0);
}

/* Random copies and fills with every ROP, all depths, tilings, masks and clips. */
static void test_rops(void)
{
	bool copies = true, fills = true;

	for (unsigned int rop = 0; rop < 256; rop++) {
		unsigned int depth = rop & 3, cpp = depth_cpp[depth], mask = random_below(4);
		struct ref dst = random_ref(1 << 20, cpp), src = random_ref(2 << 20, cpp);
		int w = 1 + random_below(90), h = 1 + random_below(70);
		int x = random_below(60), y = random_below(60), sx = random_below(60),
		    sy = random_below(60);
		int cx1 = random_below(60), cy1 = random_below(60), cx2 = cx1 + 70, cy2 = cy1 + 70;
		bool clip = rop & 4, uses_p = (rop >> 4) != (rop & 15),
		     uses_s = ((rop >> 2) & 0x33) != (rop & 0x33);
		uint32_t color = random32(),
			 channels = (mask & 2 ? 0xff000000 : 0) | (mask & 1 ? 0xffffff : 0);
		uint32_t clip_cmd[3] = { XY_SETUP_CLIP_BLT, XY_COORD(cx1, cy1),
					 XY_COORD(cx2, cy2) };
		uint32_t br13 = depth << 24 | rop << 16 | pitch_field(&dst) |
				(clip ? XY_CLIP_ENABLE : 0);
		uint32_t copy[10] = {
			XY_SRC_COPY_BLT | mask << 20 | (src.tiling ? XY_SRC_TILED : 0) |
			(dst.tiling ? XY_DST_TILED : 0),
			br13, XY_COORD(x, y), XY_COORD(x + w, y + h), dst.base, 0,
			XY_COORD(sx, sy), pitch_field(&src), src.base, 0,
		};
		uint32_t fill[7] = {
			XY_COLOR_BLT | mask << 20 | (dst.tiling ? XY_DST_TILED : 0),
			br13, XY_COORD(x, y), XY_COORD(x + w, y + h), dst.base, 0, color,
		};
		bool fill_too = !uses_s, copy_too = !uses_p;

		if (depth != 3)
			channels = ~0u;
		for (int is_fill = 0; is_fill < 2; is_fill++) {
			if (is_fill ? !fill_too : !copy_too)
				continue;
			reset();
			run(clip_cmd);
			ctx.swctrl = swctrl_of(&src, &dst);
			for (int j = 0; j < h; j++) {
				for (int i = 0; i < w; i++) {
					uint32_t d = ref_get(expect, &dst, x + i, y + j), s, v;

					if (clip && (x + i < cx1 || x + i >= cx2 || y + j < cy1 ||
						     y + j >= cy2))
						continue;
					s = ref_get(expect, &src, sx + i, sy + j);
					v = ref_rop(rop, color, s, d);
					ref_put(expect, &dst, x + i, y + j,
						(v & channels) | (d & ~channels));
				}
			}
			if (run(is_fill ? fill : copy) || !same_memory() || faults) {
				printf("# rop %02x depth %u fill %d tiling %d to %d\n", rop, depth,
				       is_fill, src.tiling, dst.tiling);
				*(is_fill ? &fills : &copies) = false;
			}
		}
	}
	check(copies, "copies: every ROP without pattern, all depths, tilings, masks, clips");
	check(fills, "fills: every ROP without source, all depths, tilings, masks, clips");
}

static void test_full(void)
{
	bool ok = true;

	for (unsigned int rop = 0; rop < 256; rop++) {
		struct ref dst = { 1 << 20, 1024, TILING_X, 4 },
			   src = { 2 << 20, 640, TILING_LINEAR, 4 };
		struct ref pat = { 3 << 20, 32, TILING_LINEAR, 4 };
		unsigned int px = random_below(8), py = random_below(8);
		uint32_t full[12] = {
			XY_FULL_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB |
				XY_DST_TILED | px << 12 | py << 8,
			XY_DEPTH_32 | rop << 16 | pitch_field(&dst),
			XY_COORD(7, 5),
			XY_COORD(40, 20),
			dst.base,
			0,
			src.pitch,
			XY_COORD(3, 2),
			src.base,
			0,
			pat.base,
			0,
		};

		reset();
		for (int y = 5; y < 20; y++) {
			for (int x = 7; x < 40; x++) {
				uint32_t p = ref_get(expect, &pat, (x + px) % 8, (y + py) % 8);
				uint32_t s = ref_get(expect, &src, x - 7 + 3, y - 5 + 2);

				ref_put(expect, &dst, x, y,
					ref_rop(rop, p, s, ref_get(expect, &dst, x, y)));
			}
		}
		ok &= !run(full) && same_memory();
	}
	check(ok, "XY_FULL_BLT: every ROP of three operands, pattern seeds");
}

static void test_fast_copy(void)
{
	static const unsigned int field[3] = { FAST_COPY_LINEAR, FAST_COPY_TILE_X,
					       FAST_COPY_TILE_Y };
	bool ok = true;

	for (unsigned int n = 0; n < 27; n++) {
		unsigned int depth = n % 3 == 2 ? 3 : n % 3;
		struct ref dst = random_ref(1 << 20, depth_cpp[depth]),
			   src = random_ref(2 << 20, depth_cpp[depth]);
		int w = 1 + random_below(90), h = 1 + random_below(70);
		uint32_t cmd[10];

		dst.tiling = n / 9;
		src.tiling = n / 3 % 3;
		dst.pitch = 1536;
		src.pitch = 1024;
		cmd[0] = XY_FAST_COPY_BLT | field[src.tiling] << 20 | field[dst.tiling] << 13;
		cmd[1] = depth << 24 | pitch_field(&dst);
		cmd[2] = XY_COORD(16, 9);
		cmd[3] = XY_COORD(16 + w, 9 + h);
		cmd[4] = dst.base;
		cmd[5] = 0;
		cmd[6] = XY_COORD(32, 40);
		cmd[7] = pitch_field(&src);
		cmd[8] = src.base;
		cmd[9] = 0;
		reset();
		for (int y = 0; y < h; y++)
			for (int x = 0; x < w; x++)
				ref_put(expect, &dst, 16 + x, 9 + y,
					ref_get(expect, &src, 32 + x, 40 + y));
		ok &= !run(cmd) && same_memory();
		cmd[0] |= 3u << 20;
		ok &= run(cmd) && same_memory();
	}
	check(ok, "XY_FAST_COPY_BLT: linear, X and Y to each other; Ys refused");
}

static void test_overlap(void)
{
	bool ok = true;

	for (int n = 0; n < 64; n++) {
		struct ref s = { 1 << 20, 1024, n % 3, 4 };
		int x = 20 + random_below(20), y = 20 + random_below(20);
		int sx = 20 + random_below(20), sy = 20 + random_below(20);
		uint32_t *before = malloc(60 * 60 * 4);
		uint32_t tiled = s.tiling ? XY_SRC_TILED | XY_DST_TILED : 0;
		uint32_t copy[10] = {
			XY_SRC_COPY_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB | tiled,
			XY_DEPTH_32 | BLT_ROP_SRCCOPY << 16 | pitch_field(&s),
			XY_COORD(x, y),
			XY_COORD(x + 60, y + 60),
			s.base,
			0,
			XY_COORD(sx, sy),
			pitch_field(&s),
			s.base,
			0,
		};

		reset();
		ctx.swctrl = swctrl_of(&s, &s);
		for (int j = 0; j < 60; j++)
			for (int i = 0; i < 60; i++)
				before[j * 60 + i] = ref_get(expect, &s, sx + i, sy + j);
		for (int j = 0; j < 60; j++)
			for (int i = 0; i < 60; i++)
				ref_put(expect, &s, x + i, y + j, before[j * 60 + i]);
		ok &= !run(copy) && same_memory();
		free(before);
	}
	check(ok, "overlapping rectangles of one surface move like memmove");
}

static void test_negative(void)
{
	struct ref dst = { (1 << 20) + 99 * 400, -400, TILING_LINEAR, 4 },
		   src = { 2 << 20, 400, TILING_LINEAR, 4 };
	uint32_t copy[10] = {
		XY_SRC_COPY_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB,
		XY_DEPTH_32 | BLT_ROP_SRCCOPY << 16 | pitch_field(&dst),
		XY_COORD(0, 0),
		XY_COORD(100, 100),
		dst.base,
		0,
		XY_COORD(0, 0),
		400,
		src.base,
		0,
	};
	uint32_t fill[7] = {
		XY_COLOR_BLT,
		XY_DEPTH_8 | BLT_ROP_PATCOPY << 16 | 128,
		XY_COORD(-5, -3),
		XY_COORD(5, 3),
		1 << 20,
		0,
		0x5a,
	};

	reset();
	for (int y = 0; y < 100; y++)
		memcpy(expect + dst.base - y * 400, expect + src.base + y * 400, 400);
	check(!run(copy) && same_memory(), "a negative pitch turns a picture over");

	reset();
	for (int y = -3; y < 3; y++)
		memset(expect + (1 << 20) + y * 128 - 5, 0x5a, 10);
	check(!run(fill) && same_memory(),
	      "negative coordinates of a linear surface lie before its base");
	fill[0] |= XY_DST_TILED;
	check(run(fill) && same_memory(), "negative coordinates of a tiled surface are refused");

	reset();
	fill[0] = XY_COLOR_BLT;
	fill[3] = XY_COORD(-5, 3);
	check(!run(fill) && same_memory(), "an empty rectangle draws nothing");
}

static void test_setup(void)
{
	struct ref dst = { 1 << 20, 512, TILING_LINEAR, 2 };
	uint32_t setup[10] = {
		XY_SETUP_BLT,	XY_DEPTH_565 | BLT_ROP_PATCOPY << 16 | 512,
		XY_COORD(2, 2), XY_COORD(30, 30),
		dst.base,	0,
		0x1234,		0xfedc,
		3 << 20,	0,
	};
	uint32_t clip[3] = { XY_SETUP_CLIP_BLT, XY_COORD(10, 10), XY_COORD(12, 12) };
	uint32_t pixel[2] = { XY_PIXEL_BLT, XY_COORD(10, 10) };
	uint32_t lines[3] = { XY_SCANLINES_BLT | 3 << 12 | 5 << 8, XY_COORD(0, 0),
			      XY_COORD(40, 20) };
	uint32_t text[5] = { XY_TEXT_BLT, XY_COORD(4, 5), XY_COORD(17, 12), 2 << 20, 0 };
	struct ref pat = { 3 << 20, 16, TILING_LINEAR, 2 };
	bool ok;

	reset();
	check(run(pixel) && same_memory(), "XY_PIXEL_BLT without a setup is refused");

	ok = !run(setup);
	for (int y = 8; y < 14; y++) {
		for (int x = 8; x < 14; x++) {
			pixel[1] = XY_COORD(x, y);
			ok &= !run(pixel);
			ref_put(expect, &dst, x, y, 0x1234);
		}
	}
	check(ok && same_memory(), "XY_PIXEL_BLT draws the setup's background color");

	reset();
	ok = !run(setup) && !run(clip);
	for (int y = 8; y < 14; y++) {
		for (int x = 8; x < 14; x++) {
			pixel[1] = XY_COORD(x, y);
			ok &= !run(pixel);
			if (x >= 10 && x < 12 && y >= 10 && y < 12)
				ref_put(expect, &dst, x, y, 0x1234);
		}
	}
	check(ok && same_memory(),
	      "XY_SETUP_CLIP_BLT moves the clip rectangle: left and top in, right and bottom out");

	reset();
	ok = !run(setup) && !run(lines);
	for (int y = 2; y < 20; y++)
		for (int x = 2; x < 30; x++)
			ref_put(expect, &dst, x, y,
				ref_get(expect, &pat, (x + 3) % 8, (y + 5) % 8));
	check(ok && same_memory(), "XY_SCANLINES_BLT draws the setup's color pattern");

	for (int transparent = 0; transparent < 2; transparent++) {
		uint8_t bits[8] = { 0x81, 0x42, 0x24, 0x18, 0xff, 0x00, 0xf0, 0x0f };
		uint32_t mono[10];

		memcpy(mono, setup, sizeof(mono));
		mono[0] = XY_SETUP_MONO_PATTERN_SL_BLT;
		mono[1] |= transparent ? XY_PATTERN_TRANSPARENT : 0;
		memcpy(mono + 8, bits, 8);
		reset();
		ok = !run(mono) && !run(lines);
		for (int y = 2; y < 20; y++) {
			for (int x = 2; x < 30; x++) {
				bool one = bits[(y + 5) % 8] >> (7 - (x + 3) % 8) & 1;

				if (one || !transparent)
					ref_put(expect, &dst, x, y, one ? 0xfedc : 0x1234);
			}
		}
		check(ok && same_memory(),
		      transparent ? "a transparent monochrome pattern" : "a monochrome pattern");

		mono[1] |= XY_SOLID_PATTERN;
		reset();
		ok = !run(mono) && !run(lines);
		for (int y = 2; y < 20; y++)
			for (int x = 2; x < 30; x++)
				ref_put(expect, &dst, x, y, 0x1234);
		check(ok && same_memory(), "a solid pattern is the background color");
	}

	for (int form = 0; form < 4; form++) {
		bool bytes = form & 1, transparent = form & 2;
		unsigned int stride = bytes ? 16 : 13;

		setup[1] = XY_DEPTH_565 | BLT_ROP_SRCCOPY << 16 | 512 |
			   (transparent ? XY_SRC_TRANSPARENT : 0);
		text[0] = XY_TEXT_BLT | (bytes ? XY_TEXT_BYTE_PACKED : 0);
		reset();
		ok = !run(setup) && !run(text);
		for (int y = 5; y < 12; y++) {
			for (int x = 4; x < 17; x++) {
				unsigned int bit = (y - 5) * stride + x - 4;
				bool one = expect[(2 << 20) + bit / 8] >> (7 - bit % 8) & 1;

				if (one || !transparent)
					ref_put(expect, &dst, x, y, one ? 0xfedc : 0x1234);
			}
		}
		check(ok && same_memory(), bytes ? "byte-packed text" : "bit-packed text");
	}
}

static void test_mono_source(void)
{
	struct ref dst = { 1 << 20, 512, TILING_Y, 1 };
	uint32_t cmd[10] = {
		XY_MONO_SRC_COPY_BLT | 3 << 17 | XY_DST_TILED,
		XY_DEPTH_8 | BLT_ROP_SRCCOPY << 16 | 512 / 4,
		XY_COORD(6, 7),
		XY_COORD(35, 19),
		dst.base,
		0,
		2 << 20,
		0,
		0x11,
		0xee,
	};
	uint32_t text[7] = {
		XY_TEXT_IMMEDIATE_BLT(4u), XY_COORD(0, 0), XY_COORD(16, 8), 1, 2, 3, 4
	};
	bool ok;

	reset();
	ctx.swctrl = BCS_SWCTRL_DST_Y;
	ok = !run(cmd);
	for (int y = 7; y < 19; y++) {
		for (int x = 6; x < 35; x++) {
			unsigned int bit = (y - 7) * 32 + 3 + x - 6;

			ref_put(expect, &dst, x, y,
				expect[(2 << 20) + bit / 8] >> (7 - bit % 8) & 1 ? 0xee : 0x11);
		}
	}
	check(ok && same_memory(), "a monochrome source: rows at words, first bit's position");

	reset();
	ok = !run((uint32_t[]) { XY_SETUP_BLT, BLT_ROP_SRCCOPY << 16 | 64, 0, XY_COORD(64, 64),
				 1 << 20, 0, 7, 9, 0, 0 });
	ok &= !run(text);
	for (int y = 0; y < 8; y++)
		for (int x = 0; x < 16; x++)
			expect[(1 << 20) + y * 64 + x] =
				((uint8_t *)(text + 3))[(y * 16 + x) / 8] >> (7 - x % 8) & 1 ? 9
											     : 7;
	check(ok && same_memory(), "immediate text");
	text[0] = XY_TEXT_IMMEDIATE_BLT(3u);
	check(run(text) && same_memory(), "an odd number of immediate dwords is refused");
	text[0] = XY_TEXT_IMMEDIATE_BLT(2u);
	check(run(text) && same_memory(), "too little immediate data is refused");
	/* So short that its fields are not all there: the data would begin behind its end. */
	cmd[0] = CMD_TYPE_BLT << 29 | BLT_OP_XY_MONO_SRC_COPY_IMMEDIATE << 22 | 4u;
	check(run(cmd) && same_memory(), "immediate data behind the command's end is refused");
}

static void test_bad(void)
{
	uint32_t ok_fill[7] = {
		XY_COLOR_BLT | XY_WRITE_RGB | XY_WRITE_ALPHA | XY_DST_TILED,
		XY_DEPTH_32 | BLT_ROP_PATCOPY << 16 | 1024 / 4,
		XY_COORD(0, 0),
		XY_COORD(16, 16),
		1 << 20,
		0,
		1,
	};
	static const struct {
		unsigned int dw;
		uint32_t value;
		const char *what;
	} bad[] = {
		{ 0, XY_COLOR_BLT + 1, "wrong length" },
		{ 1, XY_DEPTH_32 | BLT_ROP_SRCCOPY << 16 | 256, "a fill whose ROP needs a source" },
		{ 1, XY_DEPTH_32 | BLT_ROP_PATCOPY << 16 | 100, "a pitch of no whole tiles" },
		{ 1, XY_DEPTH_32 | BLT_ROP_PATCOPY << 16 | 0xff80,
		  "a negative pitch of a tiled surface" },
		{ 4, (1 << 20) + 64, "a tiled base that is not on a page" },
		{ 0, XY_MONO_PAT_FIXED_BLT, "a command that is not modelled" },
	};
	uint32_t fill[7];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		reset();
		memcpy(fill, ok_fill, sizeof(fill));
		fill[bad[i].dw] = bad[i].value;
		check(run(fill) && same_memory(), bad[i].what);
	}

	reset();
	ok_fill[4] = UNMAPPED;
	check(!run(ok_fill) && same_memory() && faults == 2,
	      "writes to pages that fault are lost, one report a page");

	reset();
	ok_fill[4] = MEM_SIZE - 4096;
	for (unsigned int y = 0; y < 8; y++)
		for (unsigned int x = 0; x < 16; x++)
			memcpy(expect + MEM_SIZE - 4096 + y * 512 + x * 4, &(uint32_t){ 1 }, 4);
	check(!run(ok_fill) && same_memory() && faults == 1,
	      "a fault in the middle leaves the rest drawn");
}

static void test_speed(void)
{
	uint32_t copy[10] = {
		XY_FAST_COPY_BLT | FAST_COPY_TILE_Y << 13,
		3u << 24 | 3840 / 4,
		XY_COORD(0, 0),
		XY_COORD(960, 270),
		1 << 20,
		0,
		XY_COORD(0, 0),
		3840,
		2 << 20,
		0,
	};
	struct ref dst = { 1 << 20, 3840, TILING_Y, 4 }, src = { 2 << 20, 3840, TILING_LINEAR, 4 };

	reset();
	for (int y = 0; y < 270; y++)
		for (int x = 0; x < 960; x++)
			ref_put(expect, &dst, x, y, ref_get(expect, &src, x, y));
	check(!run(copy) && same_memory(), "a large copy into Y tiles");
}

int main(void)
{
	memory = malloc(MEM_SIZE);
	expect = malloc(MEM_SIZE);
	if (!memory || !expect)
		return 2;
	igen_decoder_init(&decoder, &igen_cmds_gen9, IGEN_CMD_BLITTER);
	check(tiled_offset(TILING_LINEAR, 5, 3, 100) == 305, "linear offset");
	check(tiled_offset(TILING_X, 513, 9, 1024) == 8 * 1024 + 4096 + 512 + 1, "X tile offset");
	check(tiled_offset(TILING_Y, 128 + 17, 33, 256) == 32 * 256 + 4096 + 512 + 16 + 1,
	      "Y tile offset");
	test_rops();
	test_full();
	test_fast_copy();
	test_overlap();
	test_negative();
	test_setup();
	test_mono_source();
	test_bad();
	test_speed();
	printf("1..%u\n", tests);
	free(memory);
	free(expect);
	return failures != 0;
}
