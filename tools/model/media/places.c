// SPDX-License-Identifier: MIT
/**
 * DOC: The places of a media walk
 *
 * MEDIA_OBJECT_WALKER starts a thread for each place that five nested loops come to: two of a global walk, whose places
 * are upper left corners of blocks, and three of a local walk within each block. The innermost step is repeated for
 * each colour (IVB Vol 2 Part 2, 1.4.3 and 1.8.8). The text names the loops' steps; its flow charts are lost. What
 * it leaves open is decided here so that the patterns come out that the text and public drivers describe (wavefronts of
 * Intel's media driver, whose execution counts are iterations less one):
 *
 * - A block ends where the global resolution does, on each side. A start beyond the block moves to its edge.
 * - An inner loop that starts beyond the block first steps until it is within, and ends where it leaves it. So an
 *   outer loop goes on beyond the edge, as that of a wavefront does.
 * - An outer loop ends with its count, or when it comes to no place within the block any more: after as many empty
 *   rounds as the inner step is long.
 * - A step of zero is done once.
 *
 * The visitor learns how often each loop has stepped. A group of threads is what a loop and those within it visit until
 * the next outer one steps (DG1 Vol 2a, MEDIA_OBJECT_WALKER, "Group ID Loop Select").
 *
 * Not done: the dual and the repelling mode, for which alone the end of the local walk is needed here.
 */
#include <stdlib.h>
#include <string.h>

#include "media/media.h"

struct span {
	int32_t least[2], end[2];	/* of the block: from, and behind the last */
};

static bool within(const struct span *b, const int32_t at[2])
{
	return at[0] >= b->least[0] && at[0] < b->end[0] && at[1] >= b->least[1] && at[1] < b->end[1];
}

static void step(int32_t at[2], const int32_t by[2])
{
	at[0] += by[0];
	at[1] += by[1];
}

/* Steps that bring one coordinate into the block; -1: none do. */
static int64_t steps_into(const struct span *b, const int32_t at[2], const int32_t by[2], unsigned int axis)
{
	int64_t far = 0, step = by[axis];

	if (at[axis] < b->least[axis])
		far = (int64_t)b->least[axis] - at[axis];
	else if (at[axis] >= b->end[axis])
		far = (int64_t)b->end[axis] - 1 - at[axis];
	if (!far)
		return 0;
	return step && (step > 0) == (far > 0) ? (llabs(far) + llabs(step) - 1) / llabs(step) : -1;
}

/* Steps from beyond the block into it, in one go: a walk may have very many of them. False: none come there. */
static bool enter(const struct span *b, int32_t at[2], const int32_t by[2])
{
	int64_t x = steps_into(b, at, by, 0), y = steps_into(b, at, by, 1), n = x > y ? x : y;
	int64_t to[2] = { at[0] + n * by[0], at[1] + n * by[1] };

	if (x < 0 || y < 0)
		return false;
	for (unsigned int i = 0; i < 2; i++) {
		if (to[i] < b->least[i] || to[i] >= b->end[i])
			return false;
		at[i] = (int32_t)to[i];
	}
	return true;
}

static int32_t longest(const int32_t by[2])
{
	return abs(by[0]) > abs(by[1]) ? abs(by[0]) : abs(by[1]);
}

/* A walk, and where it is. */
struct walk {
	const struct media_places *places;
	int32_t corner[2];		/* of the block */
	uint32_t count[MEDIA_LOOPS];	/* of media_place */
	media_visit fn;
	void *arg;
};

/* A place in all its colours; false: the visitor wants no more. */
static bool visit(const struct walk *w, const int32_t at[2])
{
	struct media_place place = { .x = w->corner[0] + at[0], .y = w->corner[1] + at[1] };

	memcpy(place.count, w->count, sizeof(place.count));
	for (; place.color <= w->places->last_color; place.color++)
		if (!w->fn(w->arg, &place))
			return false;
	return true;
}

static bool inner_loop(struct walk *w, const struct span *b, const int32_t from[2], bool *any)
{
	const int32_t *by = w->places->local_inner;
	int32_t at[2] = { from[0], from[1] };

	if (!enter(b, at, by))
		return true;
	*any = true;
	w->count[LOCAL_INNER] = 0;
	do {
		if (!visit(w, at))
			return false;
		step(at, by);
		w->count[LOCAL_INNER]++;
	} while (longest(by) && within(b, at));
	return true;
}

static bool local_walk(struct walk *walk)
{
	const struct media_places *w = walk->places;
	const int32_t *corner = walk->corner;
	int32_t at[2], empty = 0, most = longest(w->local_inner);
	struct span b;

	for (unsigned int i = 0; i < 2; i++) {
		b.least[i] = corner[i] < 0 ? -corner[i] : 0;
		b.end[i] = w->resolution[i] - corner[i] < w->block[i] ? w->resolution[i] - corner[i] : w->block[i];
		at[i] = w->local_start[i] < b.end[i] ? w->local_start[i] : b.end[i] - 1;
		at[i] = at[i] > b.least[i] ? at[i] : b.least[i];
	}
	for (uint32_t n = 0; n <= w->local_rounds && empty <= most; n++) {
		int32_t middle[2] = { at[0], at[1] };
		bool any = false;

		walk->count[LOCAL_OUTER] = n;
		for (uint32_t m = 0; m <= w->middle_steps; m++) {
			walk->count[LOCAL_MIDDLE] = m;
			if (!inner_loop(walk, &b, middle, &any))
				return false;
			step(middle, w->middle);
		}
		empty = any ? 0 : empty + 1;
		step(at, w->local_outer);
	}
	return true;
}

/*
 * Is a part of the block within the global resolution? Then the block has a place, so that a visitor is called now and
 * then, however the walk steps.
 */
static bool overlaps(const struct media_places *w, const int32_t corner[2])
{
	for (unsigned int i = 0; i < 2; i++)
		if (!w->block[i] || !w->resolution[i] || corner[i] >= w->resolution[i] || corner[i] + w->block[i] <= 0)
			return false;
	return true;
}

/**
 * media_places - walks
 * @w: the walk
 * @fn: called for each place, in order; false ends the walk
 * @arg: its argument
 *
 * Return: false if the visitor has ended it.
 */
bool media_places(const struct media_places *w, media_visit fn, void *arg)
{
	int32_t outer[2] = { w->global_start[0], w->global_start[1] };
	struct walk walk = { .places = w, .fn = fn, .arg = arg };

	for (uint32_t n = 0; n <= w->global_rounds && overlaps(w, outer); n++) {
		memcpy(walk.corner, outer, sizeof(outer));
		walk.count[GLOBAL_OUTER] = n;
		walk.count[GLOBAL_INNER] = 0;
		do {
			if (!local_walk(&walk))
				return false;
			step(walk.corner, w->global_inner);
			walk.count[GLOBAL_INNER]++;
		} while (longest(w->global_inner) && overlaps(w, walk.corner));
		step(outer, w->global_outer);
	}
	return true;
}
