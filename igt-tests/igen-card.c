// SPDX-License-Identifier: MIT
/**
 * DOC: igen-card
 *
 * Lets the blitter draw a test card into a tiled surface, copies it back into a linear one with the
 * blitter as well, compares every pixel with the CPU's drawing, and writes a PNG.
 *
 *	igen-card [--tiling x|y] FILE.png
 *
 * The batch builders make the commands: rectangles are XY_COLOR_BLT, inverted ones the same with ROP
 * 5Ah (pattern XOR destination), letters XY_TEXT_IMMEDIATE_BLT with a transparent background; the way
 * back is XY_FAST_COPY_BLT, before Gen9 XY_SRC_COPY_BLT. The tiled bytes are looked at by the CPU too, so
 * that two wrongs in the blitter's tiling do not make a right.
 *
 * The surface is Y-tiled unless --tiling says otherwise; on Gen6 X-tiled, since a batch without privilege
 * cannot write BCS_SWCTRL there, by which the blitter knows Y tiles from X tiles.
 */
#include <errno.h>
#include <getopt.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "card.h"
#include "igen/batch/blt.h"
#include "lib/build.h"

#define PITCH		(CARD_WIDTH * 4)	/* ten X tiles, forty Y tiles */
#define TILED_HEIGHT	736			/* whole rows of tiles of either kind */
#define MAX_BITS	256		/* bytes of a glyph (DG1 Vol 2a, XY_TEXT_IMMEDIATE_BLT) */
#define ITEM_DWORDS	(10 + 3 + MAX_BITS / 4)

static unsigned int gen;
static uint32_t swizzle;
static bool tile_y;
static const char *path;
static unsigned int num_commands;

/* What the GPU adds to bit 6 of addresses in tiles: I915_BIT_6_SWIZZLE_*. */
static uint32_t swizzle_of(struct it_dev *dev)
{
	struct it_bo *bo = it_bo(dev, 64 * 1024);
	struct drm_i915_gem_set_tiling set = {
		.handle = bo->handle, .tiling_mode = tile_y ? I915_TILING_Y : I915_TILING_X, .stride = 1024,
	};
	struct drm_i915_gem_get_tiling get = { .handle = bo->handle };

	/* A part without fences has no swizzles either. */
	if (it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_SET_TILING, &set) == -EOPNOTSUPP)
		return I915_BIT_6_SWIZZLE_NONE;
	it_expect(!it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_GET_TILING, &get), "GET_TILING fails");
	return get.phys_swizzle_mode;
}

static size_t tiled_offset(unsigned int x, unsigned int y)
{
	return it_tiled_offset(tile_y ? I915_TILING_Y : I915_TILING_X, swizzle, PITCH, x, y);
}

static struct igen_blt_surface surface(const struct it_bo *bo, enum igen_tiling tiling)
{
	return (struct igen_blt_surface){ { bo->address, 0, bo->size, bo->handle }, PITCH, tiling, 4 };
}

static void put_glyph(struct igen_batch *b, const struct card_item *item, const struct igen_blt_surface *dst,
		      const struct igen_rect *rect)
{
	const uint8_t *glyph = card_glyph(item->ch);
	unsigned int stride = (rect->width + 7) / 8;
	uint8_t bits[MAX_BITS] = { 0 };

	it_expect(stride * rect->height <= sizeof(bits), "a glyph of scale %d has too much data", item->scale);
	for (unsigned int y = 0; y < rect->height; y++) {
		for (unsigned int x = 0; x < rect->width; x++) {
			if (glyph[y / item->scale] & (0x20 >> x / item->scale))
				bits[y * stride + x / 8] |= 0x80 >> x % 8;
		}
	}
	igen_blt_glyph(b, dst, rect, item->color, bits, stride * rect->height);
	num_commands += 2;
}

static void put_item(struct igen_batch *b, const struct card_item *item, const struct igen_blt_surface *dst)
{
	struct igen_rect rect = { item->x1, item->y1, item->x2 - item->x1, item->y2 - item->y1 };

	if (item->kind == CARD_GLYPH) {
		put_glyph(b, item, dst, &rect);
		return;
	}
	igen_blt_fill_rop(b, dst, &rect, item->color, item->kind == CARD_INVERT ? IGEN_ROP_INVERT : IGEN_ROP_FILL);
	num_commands++;
}

static void start(struct igen_batch *b, const struct it_batch *memory)
{
	igen_batch_init(b, gen, IGEN_BATCH_COPY, memory->dw, memory->bo->size);
}

static void finish(struct igen_batch *b, struct it_batch *memory)
{
	it_expect(!igen_batch_end(b), "the batch could not be built: %s", b->why);
	memory->n = b->used;
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
	static const struct igen_rect all = { 0, 0, CARD_WIDTH, CARD_HEIGHT };
	struct igen_blt_surface dst, picture;
	struct igen_batch build;
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
	swizzle = swizzle_of(dev);
	it_expect(!card_build(&card, subtitle), "out of memory");
	expected = calloc(CARD_WIDTH * CARD_HEIGHT, sizeof(*expected));
	it_expect(expected, "out of memory");
	card_render(&card, expected);

	tiled = it_bo(dev, PITCH * TILED_HEIGHT);
	linear = it_bo(dev, PITCH * CARD_HEIGHT);
	b = it_batch(dev, (card.num * ITEM_DWORDS + 64) * 4);
	dst = surface(tiled, tile_y ? IGEN_TILE_Y : IGEN_TILE_X);
	start(&build, &b);
	for (size_t i = 0; i < card.num; i++)
		put_item(&build, &card.items[i], &dst);
	finish(&build, &b);
	it_run_wait(dev, ctx, bcs, &b, &tiled, 1);

	back = it_batch(dev, 4096);
	picture = surface(linear, IGEN_LINEAR);
	start(&build, &back);
	if (gen >= 9)
		igen_blt_fast_copy(&build, &picture, &all, &dst, 0, 0);
	else
		igen_blt_copy(&build, &picture, &all, &dst, 0, 0);
	finish(&build, &back);
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
	char tiling = 0;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c != 't' || strlen(optarg) != 1 || !strchr("xy", *optarg))
			goto usage;
		tiling = *optarg;
	}
	if (optind != argc - 1)
		goto usage;
	path = argv[optind];
	it_init(1, argv);
	gen = it_generation();
	tile_y = tiling ? tiling == 'y' : gen != 6;
	it_subtest(draw, 0, "test-card-%c-tiled", tile_y ? 'y' : 'x');
	return it_exit();
usage:
	fprintf(stderr, "usage: igen-card [--tiling x|y] FILE.png\n");
	return 2;
}
