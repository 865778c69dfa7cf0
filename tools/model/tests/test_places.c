// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of a media walk's places
 *
 * The orders are those that the figures' text of IVB Vol 2 Part 2, 1.4.3.2 to 1.4.3.5, describes, written out here.
 */
#include "media/media.h"
#include "test.h"

#define MOST	2048

static struct media_place visited[MOST];
static unsigned int num, stop_at;

static bool note(void *arg, const struct media_place *at)
{
	(void)arg;
	if (num < MOST)
		visited[num] = *at;
	return ++num != stop_at;
}

static bool walk(const struct media_places *w)
{
	num = 0;
	return media_places(w, note, NULL);
}

/* A block of so many places that is all there is, with an outer and an inner step. */
static struct media_places block(int32_t width, int32_t height, int32_t ox, int32_t oy, int32_t ix, int32_t iy)
{
	return (struct media_places){
		.resolution = { width, height }, .block = { width, height }, .global_outer = { width, 0 },
		.global_inner = { 0, height }, .local_outer = { ox, oy }, .local_inner = { ix, iy },
		.local_rounds = 0xfff, .global_rounds = 0xfff,
	};
}

/* The places as text, two digits each. */
static bool is(const struct media_places *w, const char *order)
{
	char text[3 * 64 + 1] = "";

	walk(w);
	for (unsigned int i = 0; i < num && i < 64; i++)
		sprintf(text + 3 * i, "%d%d ", visited[i].x, visited[i].y);
	if (strcmp(text, order))
		printf("# %s\n", text);
	return !strcmp(text, order);
}

static void patterns(void)
{
	struct media_places w = block(3, 2, 0, 1, 1, 0);

	check(is(&w, "00 10 20 01 11 21 "), "rows");
	w = block(3, 2, 1, 0, 0, 1);
	check(is(&w, "00 01 10 11 20 21 "), "columns");
	w = block(4, 4, 0, 2, 2, 0);
	check(is(&w, "00 20 02 22 "), "every other row and column");
	w = block(3, 3, 1, 0, -1, 1);
	check(is(&w, "00 10 01 20 11 02 21 12 22 "), "45 degrees, beyond the upper edge's end");
	w = block(4, 2, 1, 0, -2, 1);
	check(is(&w, "00 10 20 01 30 11 21 31 "), "26.5 degrees");
	w = block(3, 3, 2, 0, -1, 1);
	check(is(&w, "00 20 11 02 22 "), "a checkerboard");
	w = block(3, 2, 0, -1, -1, 0);
	w.local_start[0] = 2;
	w.local_start[1] = 1;
	check(is(&w, "21 11 01 20 10 00 "), "from the lower right corner back");
	/* Upper macroblocks of the pairs of a wavefront, then the lower ones. */
	w = block(3, 4, 1, 0, -2, 2);
	w.middle[1] = 1;
	w.middle_steps = 1;
	check(is(&w, "00 01 10 11 20 02 21 03 12 13 22 23 "), "a middle loop");
}

static void counts(void)
{
	struct media_places w = block(3, 3, 1, 0, -1, 1);
	unsigned int wrong = 0;

	w.local_rounds = 3 + 2 - 1;
	check(is(&w, "00 10 01 20 11 02 21 12 22 "), "as many rounds as a wavefront has");
	w.local_rounds = 1;
	check(is(&w, "00 10 01 "), "and fewer");
	w = block(2, 1, 0, 1, 1, 0);
	w.last_color = 2;
	walk(&w);
	for (unsigned int i = 0; i < num; i++)
		wrong += visited[i].x != (int32_t)i / 3 || visited[i].color != i % 3;
	check(num == 6 && !wrong, "each place in all colours");
	stop_at = 4;
	check(!walk(&w) && num == 4, "until the visitor wants no more");
	stop_at = 0;
	w = block(1, 1, 0, 0, 0, 0);
	w.local_rounds = 0;
	check(is(&w, "00 "), "steps of zero are done once");
	w = block(0, 0, 0, 1, 1, 0);
	check(walk(&w) && !num, "nothing");
	/* Millions of blocks, each with thousands of rounds that come to no second place: the visitor is asked soon. */
	w = (struct media_places){
		.resolution = { 2047, 2047 }, .block = { 1, 1 }, .global_outer = { 0, 1 }, .global_inner = { 1, 0 },
		.local_outer = { 2046, 0 }, .local_inner = { -2047, 0 }, .middle_steps = 31, .local_rounds = 0xfff,
		.global_rounds = 0xfff,
	};
	stop_at = 200;
	check(!walk(&w) && num == 200, "steps that are far beyond a block are no work");
	stop_at = 0;
}

/* Each place of 20 x 20 once; the first of the blocks as said. */
static bool covers(const struct media_places *w, const char *order)
{
	static unsigned int times[20][20];
	char text[3 * 64 + 1] = "";
	bool all = true;

	memset(times, 0, sizeof(times));
	walk(w);
	for (unsigned int i = 0; i < num && i < MOST; i++) {
		if (visited[i].x < 0 || visited[i].x > 19 || visited[i].y < 0 || visited[i].y > 19)
			return false;
		times[visited[i].y][visited[i].x]++;
	}
	for (unsigned int i = 0; i < 400; i++)
		all = all && times[i / 20][i % 20] == 1;
	for (unsigned int i = 0, n = 0; i < num && n < 9; i++) {
		if (i && visited[i].x / 8 == visited[i - 1].x / 8 && visited[i].y / 8 == visited[i - 1].y / 8)
			continue;
		sprintf(text + 3 * n++, "%d%d ", visited[i].x / 8, visited[i].y / 8);
	}
	if (strcmp(text, order))
		printf("# %s\n", text);
	return all && num == 400 && !strcmp(text, order);
}

/* Blocks of 8 x 8 of which the last of a row and of a column are smaller. */
static void blocks(void)
{
	struct media_places w = {
		.resolution = { 20, 20 }, .block = { 8, 8 }, .global_outer = { 0, 8 }, .global_inner = { 8, 0 },
		.local_outer = { 1, 0 }, .local_inner = { -2, 1 }, .local_rounds = 0xfff, .global_rounds = 0xfff,
	};

	check(covers(&w, "00 10 20 01 11 21 02 12 22 "), "blocks that the edges cut");
	w.global_start[0] = 16;
	w.global_start[1] = 16;
	w.global_outer[1] = -8;
	w.global_inner[0] = -8;
	check(covers(&w, "22 12 02 21 11 01 20 10 00 "), "backwards");
	w.local_outer[0] = 0;
	w.local_outer[1] = -1;
	w.local_inner[0] = -1;
	w.local_inner[1] = 0;
	w.local_start[0] = 7;
	w.local_start[1] = 7;
	check(covers(&w, "22 12 02 21 11 01 20 10 00 "), "each from its own corner, which the edge moves");
	w.global_start[0] = 12;
	w.global_start[1] = 12;
	walk(&w);
	check(num == 400 && visited[0].x == 19 && visited[0].y == 19 && visited[399].x == 0 && visited[399].y == 0,
	      "cut at the left and at the top");
	w.global_rounds = 0;
	walk(&w);
	check(num == 8 * 20, "a global round is a row of blocks");
}

/* Steps of each loop, of a walk with steps in all of them. */
static void steps(void)
{
	struct media_places w = {
		.resolution = { 8, 8 }, .block = { 4, 4 }, .global_outer = { 0, 4 }, .global_inner = { 4, 0 },
		.local_outer = { 0, 2 }, .middle = { 0, 1 }, .middle_steps = 1, .local_inner = { 1, 0 },
		.local_rounds = 0xfff, .global_rounds = 0xfff, .last_color = 1,
	};
	unsigned int wrong = 0;

	check(walk(&w) && num == 128, "a walk with five loops");
	for (unsigned int i = 0; i < num; i++) {
		const struct media_place *p = &visited[i];
		const uint32_t count[] = { p->y / 4, p->x / 4, p->y / 2 % 2, p->y % 2, p->x % 4 };

		wrong += memcmp(count, p->count, sizeof(count)) || p->color != i % 2;
	}
	check(!wrong, "each place has the steps of the loops that came there (%u wrong)", wrong);
}

/* Steps without places take no time: an engine looks at what the driver wants when a place is visited. */
static void nothing(void)
{
	struct media_places w = block(2047, 2047, 0, 1, 2047, 2047);

	w.resolution[0] = 0;
	w.global_start[0] = -2046;
	w.global_outer[0] = 0;
	w.global_inner[0] = 1;
	w.global_inner[1] = 0;
	w.middle_steps = 31;
	check(walk(&w) && !num, "a walk of nothing has no places, and ends at once");
}

int main(void)
{
	patterns();
	counts();
	blocks();
	steps();
	nothing();
	return test_end();
}
