// SPDX-License-Identifier: MIT
/**
 * DOC: igen-card
 *
 * Lets the blitter draw a test card into a tiled surface, copies it back into a linear one with the
 * blitter as well, compares every pixel with the CPU's drawing, and writes a PNG.
 *
 *	igen-card [--tiling x|y] FILE.png
 *
 * Rectangles are XY_COLOR_BLT, inverted ones the same with ROP 5Ah (pattern XOR destination),
 * letters XY_TEXT_IMMEDIATE_BLT with a transparent background; the way back is XY_FAST_COPY_BLT. The
 * tiled bytes are looked at by the CPU too, so that two wrongs in the blitter's tiling do not make a
 * right.
 */
#include <getopt.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "card.h"
#include "lib/it.h"

#define PITCH		(CARD_WIDTH * 4)	/* ten X tiles, forty Y tiles */
#define TILED_HEIGHT	736			/* whole rows of tiles of either kind */
#define ROP_INVERT	0x5au
#define MIN_DATA 16u /* dwords of immediate text (DG1 Vol 2a, XY_TEXT_IMMEDIATE_BLT) */
#define MAX_DATA	64u
#define ITEM_DWORDS	(10 + 3 + MAX_DATA)

static bool tile_y = true;
static const char *path;
static unsigned int num_commands;

static size_t tiled_offset(unsigned int x, unsigned int y)
{
	if (tile_y)
		return (y / 32 * (PITCH / 128) + x / 128) * 4096 + x % 128 / 16 * 512 +
		       y % 32 * 16 + x % 16;
	return (y / 8 * (PITCH / 512) + x / 512) * 4096 + y % 8 * 512 + x % 512;
}

static void emit_rect(struct it_batch *b, const struct card_item *item, const struct it_bo *surface)
{
	uint32_t rop = item->kind == CARD_INVERT ? ROP_INVERT : BLT_ROP_PATCOPY;

	it_emit(b, XY_COLOR_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB | XY_DST_TILED);
	it_emit(b, XY_DEPTH_32 | rop << 16 | PITCH / 4);
	it_emit(b, XY_COORD(item->x1, item->y1));
	it_emit(b, XY_COORD(item->x2, item->y2));
	it_emit_address(b, surface->address);
	it_emit(b, item->color);
	num_commands++;
}

static void emit_glyph(struct it_batch *b, const struct card_item *item,
		       const struct it_bo *surface)
{
	const uint8_t *glyph = card_glyph(item->ch);
	unsigned int width = item->x2 - item->x1, height = item->y2 - item->y1,
		     stride = (width + 7) / 8;
	uint32_t data[MAX_DATA] = { 0 };
	unsigned int num = (stride * height + 7) / 8 * 2;
	uint8_t *bytes = (uint8_t *)data;

	num = num < MIN_DATA ? MIN_DATA : num;
	it_expect(num <= MAX_DATA, "a glyph of scale %d has too much data", item->scale);
	for (unsigned int y = 0; y < height; y++) {
		for (unsigned int x = 0; x < width; x++) {
			if (glyph[y / item->scale] & (0x20 >> x / item->scale))
				bytes[y * stride + x / 8] |= 0x80 >> x % 8;
		}
	}
	it_emit(b, XY_SETUP_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB | XY_DST_TILED);
	it_emit(b, XY_CLIP_ENABLE | XY_SRC_TRANSPARENT | XY_DEPTH_32 | BLT_ROP_SRCCOPY << 16 |
			   PITCH / 4);
	it_emit(b, XY_COORD(0, 0));
	it_emit(b, XY_COORD(CARD_WIDTH, CARD_HEIGHT));
	it_emit_address(b, surface->address);
	it_emit(b, 0);
	it_emit(b, item->color);
	it_emit_address(b, 0);
	it_emit(b, XY_TEXT_IMMEDIATE_BLT(num) | XY_TEXT_BYTE_PACKED | XY_DST_TILED);
	it_emit(b, XY_COORD(item->x1, item->y1));
	it_emit(b, XY_COORD(item->x2, item->y2));
	for (unsigned int i = 0; i < num; i++)
		it_emit(b, data[i]);
	num_commands += 2;
}

static void emit_swctrl(struct it_batch *b)
{
	it_emit(b, MI_FLUSH_DW);
	for (int i = 0; i < 4; i++)
		it_emit(b, 0);
	it_emit_load_reg(b, BCS_SWCTRL,
			 IGEN_MASKED_FIELD(BCS_SWCTRL_SRC_Y | BCS_SWCTRL_DST_Y,
					   tile_y ? BCS_SWCTRL_DST_Y : 0));
}

static void draw(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	unsigned int bcs = 0, wrong = 0, wrong_tiled = 0;
	struct card card = { 0 };
	char subtitle[64];
	int device = 0, revision = 0;
	struct it_bo *tiled, *linear, *bos[2];
	struct it_batch b, back;
	uint32_t *expected;
	png_image image = { .version = PNG_IMAGE_VERSION,
			    .width = CARD_WIDTH,
			    .height = CARD_HEIGHT,
			    .format = PNG_FORMAT_BGRA };
	char temporary[4096];

	(void)arg;
	while (bcs < dev->num_engines && dev->engine[bcs].class != I915_ENGINE_CLASS_COPY)
		bcs++;
	it_expect(bcs < dev->num_engines, "no copy engine");
	it_getparam(dev->fd, I915_PARAM_CHIPSET_ID, &device);
	it_getparam(dev->fd, I915_PARAM_REVISION, &revision);
	snprintf(subtitle, sizeof(subtitle), "8086:%04X REV %d, %s, %c-TILED", device, revision,
		 dev->engine[bcs].name, tile_y ? 'Y' : 'X');
	it_expect(!card_build(&card, subtitle), "out of memory");
	expected = calloc(CARD_WIDTH * CARD_HEIGHT, sizeof(*expected));
	it_expect(expected, "out of memory");
	card_render(&card, expected);

	tiled = it_bo(dev, PITCH * TILED_HEIGHT);
	linear = it_bo(dev, PITCH * CARD_HEIGHT);
	b = it_batch(dev, (card.num * ITEM_DWORDS + 64) * 4);
	emit_swctrl(&b);
	for (size_t i = 0; i < card.num; i++) {
		if (card.items[i].kind == CARD_GLYPH)
			emit_glyph(&b, &card.items[i], tiled);
		else
			emit_rect(&b, &card.items[i], tiled);
	}
	it_emit_end(&b);
	it_run_wait(dev, ctx, bcs, &b, &tiled, 1);

	back = it_batch(dev, 4096);
	it_emit(&back, XY_FAST_COPY_BLT | IGEN_PREP(FAST_COPY_SRC_TILING_MASK,
						    tile_y ? FAST_COPY_TILE_Y : FAST_COPY_TILE_X));
	it_emit(&back, IGEN_PREP(FAST_COPY_DEPTH_MASK, 3u) | PITCH);
	it_emit(&back, XY_COORD(0, 0));
	it_emit(&back, XY_COORD(CARD_WIDTH, CARD_HEIGHT));
	it_emit_address(&back, linear->address);
	it_emit(&back, XY_COORD(0, 0));
	it_emit(&back, PITCH / 4);
	it_emit_address(&back, tiled->address);
	it_emit_end(&back);
	bos[0] = tiled;
	bos[1] = linear;
	it_run_wait(dev, ctx, bcs, &back, bos, 2);

	for (unsigned int y = 0; y < CARD_HEIGHT; y++) {
		for (unsigned int x = 0; x < CARD_WIDTH; x++) {
			uint32_t want = expected[y * CARD_WIDTH + x],
				 got = ((uint32_t *)linear->map)[y * CARD_WIDTH + x];
			uint32_t in_tile = *(uint32_t *)((char *)tiled->map +
							 tiled_offset(x * 4, y));

			if (got != want && !wrong++)
				it_note("first wrong pixel: %u, %u is %08x, expected %08x", x, y,
					got, want);
			if (in_tile != want && !wrong_tiled++)
				it_note("first wrong one in the tiles: %u, %u is %08x, expected %08x",
					x, y, in_tile, want);
		}
	}
	/*
	 * The picture is written even when it is wrong: it is the best description of what went
	 * wrong.
	 */
	snprintf(temporary, sizeof(temporary), "%s.tmp", path);
	it_expect(png_image_write_to_file(&image, temporary, 0, linear->map, PITCH, NULL), "%s: %s",
		  path, image.message);
	it_expect(!rename(temporary, path), "%s: cannot be written", path);
	it_note("%zu items, %u blitter commands, batch of %u bytes, picture in %s", card.num,
		num_commands, b.n * 4, path);
	free(card.items);
	free(expected);
	it_expect(!wrong, "%u pixels differ from the CPU's drawing", wrong);
	it_expect(!wrong_tiled, "%u pixels are wrong in the tiled surface", wrong_tiled);
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "tiling", required_argument, NULL, 't' },
						 { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c != 't' || strlen(optarg) != 1 || !strchr("xy", *optarg))
			goto usage;
		tile_y = *optarg == 'y';
	}
	if (optind != argc - 1)
		goto usage;
	path = argv[optind];
	it_init(1, argv);
	it_subtest(draw, 0, "test-card-%c-tiled", tile_y ? 'y' : 'x');
	return it_exit();
usage:
	fprintf(stderr, "usage: igen-card [--tiling x|y] FILE.png\n");
	return 2;
}
