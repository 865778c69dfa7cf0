/* SPDX-License-Identifier: MIT */
#ifndef IGEN_TESTS_CARD_H
#define IGEN_TESTS_CARD_H

#include <stddef.h>
#include <stdint.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

#define CARD_WIDTH	1280
#define CARD_HEIGHT	720
#define CARD_MAX_SCALE	6

/* One thing to draw. Coordinates are pixels; right and bottom are exclusive. */
struct card_item {
	enum { CARD_RECT, CARD_INVERT, CARD_GLYPH } kind;
	int x1, y1, x2, y2;
	uint32_t color;			/* xRGB */
	char ch;			/* CARD_GLYPH: drawn where the glyph has a dot */
	int scale;			/* pixels a dot */
};

struct card {
	struct card_item *items;
	size_t num, room;
};

#define GLYPH_WIDTH	6		/* dots, with the gap to the next one */
#define GLYPH_HEIGHT	8

/*
 * The glyph's rows from the top; bit 5 is the leftmost dot, bit 0 always clear. Unknown characters
 * are boxes.
 */
const uint8_t *card_glyph(char ch);

/* The display list of the test card; 0, or -1 without memory. */
int card_build(struct card *card, const char *subtitle);
/* Draws it with the CPU into a linear picture of CARD_WIDTH by CARD_HEIGHT pixels. */
void card_render(const struct card *card, uint32_t *pixels);

#endif
