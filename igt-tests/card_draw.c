// SPDX-License-Identifier: MIT
/**
 * DOC: The test card, drawn by the CPU
 *
 * The card is a list of rectangles, inverted rectangles and glyphs, all with the blitter's sense of
 * a rectangle (right and bottom edge excluded). Circles are rows of spans. card_render() is what
 * the GPU's picture is compared with.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"

#define WHITE	0xffffffffu
#define BLACK	0xff000000u
#define CX	(CARD_WIDTH / 2)
#define CY	(CARD_HEIGHT / 2)
#define RADIUS	300

static int add(struct card *card, struct card_item item)
{
	if (item.x1 >= item.x2 || item.y1 >= item.y2)
		return 0;
	if (card->num == card->room) {
		size_t room = card->room ? card->room * 2 : 1024;
		struct card_item *items = realloc(card->items, room * sizeof(*items));

		if (!items)
			return -1;
		card->items = items;
		card->room = room;
	}
	card->items[card->num++] = item;
	return 0;
}

static int rect(struct card *card, int x1, int y1, int x2, int y2, uint32_t color)
{
	return add(card, (struct card_item){ CARD_RECT, x1, y1, x2, y2, .color = color });
}

static int invert(struct card *card, int x1, int y1, int x2, int y2, uint32_t color)
{
	return add(card, (struct card_item){ CARD_INVERT, x1, y1, x2, y2, .color = color });
}

static int text_width(const char *text, int scale)
{
	return (int)strlen(text) * GLYPH_WIDTH * scale;
}

static int text(struct card *card, int x, int y, int scale, uint32_t color, const char *s)
{
	int err = 0;

	for (; *s; s++, x += GLYPH_WIDTH * scale) {
		err |= add(card, (struct card_item){
			CARD_GLYPH, x, y, x + GLYPH_WIDTH * scale, y + GLYPH_HEIGHT * scale,
			.color = color, .ch = *s, .scale = scale,
		});
	}
	return err;
}

static int centered(struct card *card, int x, int y, int scale, uint32_t color, const char *s)
{
	return text(card, x - text_width(s, scale) / 2, y, scale, color, s);
}

/* Half the width of a circle's row; -1 outside. The rows' middles are at half pixels. */
static int half_width(int radius, int dy)
{
	double y = dy + 0.5, square = (double)radius * radius - y * y;

	return square < 0 ? -1 : (int)lround(sqrt(square));
}

static int ring(struct card *card, int cx, int cy, int radius, int width, uint32_t color)
{
	int err = 0;

	for (int dy = -radius; dy < radius; dy++) {
		int outer = half_width(radius, dy), inner = half_width(radius - width, dy);

		if (outer < 0)
			continue;
		if (inner < 0) {
			err |= rect(card, cx - outer, cy + dy, cx + outer, cy + dy + 1, color);
			continue;
		}
		err |= rect(card, cx - outer, cy + dy, cx - inner, cy + dy + 1, color);
		err |= rect(card, cx + inner, cy + dy, cx + outer, cy + dy + 1, color);
	}
	return err;
}

/* A span of the row dy of the big circle, cut to it. */
static int circle_span(struct card *card, int dy, int x1, int x2, uint32_t color)
{
	int half = half_width(RADIUS, dy);

	if (half < 0)
		return 0;
	x1 = x1 < CX - half ? CX - half : x1;
	x2 = x2 > CX + half ? CX + half : x2;
	return rect(card, x1, CY + dy, x2, CY + dy + 1, color);
}

static uint32_t grey(int v)
{
	return 0xff000000u | v << 16 | v << 8 | v;
}

static int background(struct card *card)
{
	int err = rect(card, 0, 0, CARD_WIDTH, CARD_HEIGHT, grey(0x50));

	for (int x = 20; x < CARD_WIDTH; x += 40)
		err |= rect(card, x - 1, 0, x + 1, CARD_HEIGHT, grey(0xc8));
	for (int y = 20; y < CARD_HEIGHT; y += 40)
		err |= rect(card, 0, y - 1, CARD_WIDTH, y + 1, grey(0xc8));
	/* Castellations around the edge. */
	for (int x = 0; x < CARD_WIDTH; x += 40) {
		uint32_t color = x / 40 % 2 ? WHITE : BLACK;

		err |= rect(card, x, 0, x + 40, 12, color);
		err |= rect(card, x, CARD_HEIGHT - 12, x + 40, CARD_HEIGHT, color);
	}
	for (int y = 0; y < CARD_HEIGHT; y += 40) {
		uint32_t color = y / 40 % 2 ? BLACK : WHITE;

		err |= rect(card, 0, y, 12, y + 40, color);
		err |= rect(card, CARD_WIDTH - 12, y, CARD_WIDTH, y + 40, color);
	}
	return err;
}

/* Gradients of the three colors on the left, of the mixed ones on the right, one row a step. */
static int gradients(struct card *card)
{
	int err = 0;

	for (int i = 0; i < 256; i++) {
		int y = CY + 128 - i;

		for (int c = 0; c < 3; c++) {
			uint32_t color = 0xff000000u | (uint32_t)i << (16 - 8 * c);
			uint32_t mixed = 0xff000000u | (0x010101u * i & ~(0xffu << (16 - 8 * c)));

			err |= rect(card, 100 + c * 60, y - 1, 160 + c * 60, y, color);
			err |= rect(card, 1000 + c * 60, y - 1, 1060 + c * 60, y, mixed);
		}
	}
	return err;
}

static int circle(struct card *card, const char *subtitle)
{
	static const uint32_t bars[] = {
		0xffbfbfbf, 0xffbfbf00, 0xff00bfbf, 0xff00bf00,
		0xffbf00bf, 0xffbf0000, 0xff0000bf, 0xff000000,
	};
	static const int gratings[] = { 1, 2, 3, 4, 6, 8 };
	int err = 0;

	for (int dy = -RADIUS; dy < RADIUS; dy++) {
		if (dy < -180) {
			err |= circle_span(card, dy, 0, CARD_WIDTH, WHITE);
		} else if (dy < -10) {
			for (int i = 0; i < 8; i++)
				err |= circle_span(card, dy, CX - 300 + i * 75, CX - 225 + i * 75,
						   bars[i]);
		} else if (dy >= 70 && dy < 120) {
			for (int i = 0; i < 64; i++)
				err |= circle_span(card, dy, CX - 288 + i * 9, CX - 279 + i * 9,
						   grey(i * 255 / 63));
		} else if (dy >= 120) {
			err |= circle_span(card, dy, 0, CARD_WIDTH, grey(0x20));
		}
	}
	/*
	 * Gratings of 1, 2, 3, 4, 6 and 8 pixels: rectangles that span the whole height of their
	 * band.
	 */
	err |= rect(card, CX - 288, CY - 10, CX + 288, CY + 70, BLACK);
	for (int i = 0; i < 6; i++) {
		int width = gratings[i];

		for (int x = 0; x + width <= 96; x += 2 * width)
			err |= rect(card, CX - 288 + i * 96 + x, CY - 10,
				    CX - 288 + i * 96 + x + width, CY + 70, WHITE);
	}
	err |= ring(card, CX, CY, RADIUS + 2, 4, WHITE);
	err |= centered(card, CX, CY - 262, 6, BLACK, "IGEN");
	err |= centered(card, CX, CY - 204, 2, BLACK, "GRAPHICS WITHOUT THE GRAPHICS CARD");
	err |= centered(card, CX, CY + 138, 3, WHITE, "TEST CARD");
	err |= centered(card, CX, CY + 180, 2, 0xffffd040, subtitle);
	err |= centered(card, CX, CY + 210, 1, grey(0xc0),
			"EVERY PIXEL IS COMPARED WITH THE CPU'S");
	return err;
}

int card_build(struct card *card, const char *subtitle)
{
	static const int corner[4][2] = { { 90, 90 },
					  { CARD_WIDTH - 90, 90 },
					  { 90, CARD_HEIGHT - 90 },
					  { CARD_WIDTH - 90, CARD_HEIGHT - 90 } };
	int err = background(card);

	err |= gradients(card);
	err |= circle(card, subtitle);
	for (int i = 0; i < 4; i++) {
		for (int r = 60; r >= 15; r -= 15)
			err |= ring(card, corner[i][0], corner[i][1], r, 4, WHITE);
		err |= invert(card, corner[i][0] - 60, corner[i][1] - 60, corner[i][0],
			      corner[i][1], 0x00ffff00);
		err |= invert(card, corner[i][0], corner[i][1], corner[i][0] + 60,
			      corner[i][1] + 60, 0x00ff00ff);
	}
	/* A cross through the middle that inverts what is below it. */
	err |= invert(card, CX - 1, CY - 180, CX + 1, CY + 120, 0x00ffffff);
	err |= invert(card, CX - 300, CY + 29, CX + 300, CY + 31, 0x00ffffff);
	err |= text(card, 190, 40, 2, WHITE, "0123456789");
	err |= text(card, 970, 40, 2, WHITE, "ABCDEFGHIJ");
	err |= text(card, 190, 660, 2, WHITE, "KLMNOPQRST");
	err |= text(card, 970, 660, 2, WHITE, "UVWXYZ!?+-");
	return err ? -1 : 0;
}

void card_render(const struct card *card, uint32_t *pixels)
{
	for (size_t i = 0; i < card->num; i++) {
		const struct card_item *item = &card->items[i];
		const uint8_t *glyph = item->kind == CARD_GLYPH ? card_glyph(item->ch) : NULL;

		for (int y = item->y1; y < item->y2; y++) {
			for (int x = item->x1; x < item->x2; x++) {
				uint32_t *p = &pixels[y * CARD_WIDTH + x];

				if (item->kind == CARD_INVERT) {
					*p ^= item->color;
				} else if (!glyph) {
					*p = item->color;
				} else {
					int column = (x - item->x1) / item->scale,
					    row = (y - item->y1) / item->scale;

					if (glyph[row] & (0x20 >> column))
						*p = item->color;
				}
			}
		}
	}
}
