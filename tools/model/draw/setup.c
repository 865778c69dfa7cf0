// SPDX-License-Identifier: MIT
/**
 * DOC: Rectangles on the screen
 *
 * A rectangle has three vertices: the lower right, the lower left and the upper left one; the fourth follows from them
 * (SNB Vol 2 Part 1, 1.2, "RECTLIST"). The sides are parallel to the axes. A rectangle with other sides is refused: the
 * manual leaves open what silicon draws.
 *
 * A position is divided by its W, unless the clip state forbids it, and goes through the viewport's matrix where the
 * setup state asks for it. Coordinates are rounded to 1/256 of a pixel, to the nearest (6.3, "Vertex X,Y Clamping and
 * Quantization"), and the origin of the drawing rectangle is added. A pixel is covered if its centre lies within; a
 * centre on the left or upper side does, one on the right or lower side does not (7.3, "Rasterization Rules"). The
 * drawing rectangle and the scissor rectangle, whose sides are inclusive, cut the rest off.
 *
 * A value at a pixel is a0 + b1 * (a1 - a0) + b2 * (a2 - a0), where b1 and b2 are the weights of the second and third
 * vertex. Perspective weights count the vertices by their 1 / W. A flat value is that of the first vertex, which is the
 * provoking one (6.2.8, "Rectangle List Decomposition").
 *
 * Positions that are no numbers draw nothing. Not done: the guardband's and the clipper's tests.
 */
#include <math.h>

#include "draw/draw.h"
#include "neutral_state.h"

#define SUBPIXELS	256
#define FARTHEST	32767.0		/* pixels; what lies further out is moved there */
#define LAST_PIXEL	16383		/* of the largest surface */
#define VIEWPORT_BYTES	64u
#define SCISSOR_BYTES	8u

static double number(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return (double)f;
}

/* What a viewport does to a position. */
static void transform(struct shared *s, const struct draw_state *state, uint32_t viewport, struct draw_rectangle *r)
{
	uint32_t dw[SF_CLIP_VIEWPORT_DWORDS] = { 0 };
	struct sf_clip_viewport v;

	shared_read(s, state->bases.dynamic + state->viewports + (uint64_t)viewport * VIEWPORT_BYTES, dw, sizeof(dw));
	sf_clip_viewport_get(s->gen, dw, &v);
	for (unsigned int i = 0; i < DRAW_VERTICES; i++) {
		r->x[i] = r->x[i] * number(v.viewport_matrix_element_m00) + number(v.viewport_matrix_element_m30);
		r->y[i] = r->y[i] * number(v.viewport_matrix_element_m11) + number(v.viewport_matrix_element_m31);
		r->z[i] = r->z[i] * number(v.viewport_matrix_element_m22) + number(v.viewport_matrix_element_m32);
	}
}

static double snap(double v)
{
	v = v < -FARTHEST ? -FARTHEST : v > FARTHEST ? FARTHEST : v;
	return nearbyint(v * SUBPIXELS);
}

/* The positions, as the vertices have them; false: one is no number. */
static bool positions(const struct draw_state *state, struct draw_rectangle *r)
{
	for (unsigned int i = 0; i < DRAW_VERTICES; i++) {
		const uint32_t *p = r->vertex[i].slot[SLOT_POSITION];
		double w = number(p[3]), by = state->divides ? w : 1;

		r->x[i] = number(p[0]) / by;
		r->y[i] = number(p[1]) / by;
		r->z[i] = number(p[2]) / by;
		r->rhw[i] = state->divides ? 1 / w : w;
		if (!isfinite(r->x[i]) || !isfinite(r->y[i]) || isnan(r->z[i]) || !isfinite(r->rhw[i]))
			return false;
	}
	return true;
}

static int32_t smaller(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static void cut(struct draw_bounds *b, const struct draw_bounds *by)
{
	b->x_min = larger(b->x_min, by->x_min);
	b->y_min = larger(b->y_min, by->y_min);
	b->x_max = smaller(b->x_max, by->x_max);
	b->y_max = smaller(b->y_max, by->y_max);
}

/* The first pixel whose centre does not lie before a coordinate. */
static int32_t first_from(double v)
{
	return (int32_t)ceil((v - SUBPIXELS / 2) / SUBPIXELS);
}

static void cover(struct shared *s, const struct draw_state *state, uint32_t viewport, struct draw_rectangle *r)
{
	static const struct draw_bounds all = { 0, 0, LAST_PIXEL, LAST_PIXEL };
	uint32_t dw[SCISSOR_RECT_DWORDS] = { 0 };
	struct scissor_rect c;

	r->covered = (struct draw_bounds){
		.x_min = first_from(fmin(r->x[0], r->x[2])), .y_min = first_from(fmin(r->y[0], r->y[2])),
		.x_max = first_from(fmax(r->x[0], r->x[2])) - 1, .y_max = first_from(fmax(r->y[0], r->y[2])) - 1,
	};
	cut(&r->covered, &all);
	cut(&r->covered, &state->bounds);
	if (!state->scissors)
		return;
	shared_read(s, state->bases.dynamic + state->scissor + (uint64_t)viewport * SCISSOR_BYTES, dw, sizeof(dw));
	scissor_rect_get(s->gen, dw, &c);
	cut(&r->covered, &(struct draw_bounds){
		(int32_t)c.scissor_rectangle_x_min, (int32_t)c.scissor_rectangle_y_min,
		(int32_t)c.scissor_rectangle_x_max, (int32_t)c.scissor_rectangle_y_max,
	});
}

/**
 * setup_rectangle - where a rectangle is
 * @s: the shared functions, which read viewports and scissor rectangles
 * @state: of the draw
 * @r: with its vertices; filled. Its covered pixels may be none: then x_min is larger than x_max, or y_min than y_max
 *
 * Return: NULL, or why the rectangle cannot be drawn.
 */
const char *setup_rectangle(struct shared *s, const struct draw_state *state, struct draw_rectangle *r)
{
	const uint32_t *header = r->vertex[0].slot[SLOT_HEADER];
	uint32_t viewport = header[2] <= state->last_viewport ? header[2] : 0;

	r->covered = (struct draw_bounds){ 0, 0, -1, -1 };
	r->slice = state->first_slice ? 0 : header[1] & 0x7ff;
	if (!positions(state, r))
		return NULL;
	if (state->transforms)
		transform(s, state, viewport, r);
	for (unsigned int i = 0; i < DRAW_VERTICES; i++) {
		if (!isfinite(r->x[i]) || !isfinite(r->y[i]))
			return NULL;
		r->x[i] = snap(r->x[i]) + state->origin_x * SUBPIXELS;
		r->y[i] = snap(r->y[i]) + state->origin_y * SUBPIXELS;
	}
	if (!((r->x[1] == r->x[2] && r->y[1] == r->y[0]) || (r->x[1] == r->x[0] && r->y[1] == r->y[2])))
		return "a rectangle whose sides are not parallel to the axes";
	r->determinant = (r->x[1] - r->x[0]) * (r->y[2] - r->y[0]) - (r->x[2] - r->x[0]) * (r->y[1] - r->y[0]);
	if (r->determinant != 0)
		cover(s, state, viewport, r);
	return NULL;
}

/**
 * setup_lit - the pixels of a subspan that are drawn
 * @r: the rectangle
 * @x: of the subspan's upper left pixel
 * @y: of the same
 *
 * Return: a bit for each: upper left, upper right, lower left, lower right.
 */
uint32_t setup_lit(const struct draw_rectangle *r, int32_t x, int32_t y)
{
	const struct draw_bounds *b = &r->covered;
	uint32_t columns = (x >= b->x_min && x <= b->x_max) | (uint32_t)(x + 1 >= b->x_min && x + 1 <= b->x_max) << 1;

	return (y >= b->y_min && y <= b->y_max ? columns : 0) |
	       (y + 1 >= b->y_min && y + 1 <= b->y_max ? columns << 2 : 0);
}

/**
 * setup_weights - what interpolates values at a pixel
 * @r: the rectangle, which covers a pixel
 * @x: of the pixel, whose centre counts; it need not be covered
 * @y: of the same
 * @w: filled
 */
void setup_weights(const struct draw_rectangle *r, int32_t x, int32_t y, struct draw_weights *w)
{
	double px = (x + 0.5) * SUBPIXELS - r->x[0], py = (y + 0.5) * SUBPIXELS - r->y[0];
	double b1 = (px * (r->y[2] - r->y[0]) - py * (r->x[2] - r->x[0])) / r->determinant;
	double b2 = (py * (r->x[1] - r->x[0]) - px * (r->y[1] - r->y[0])) / r->determinant;
	double rhw = r->rhw[0] + b1 * (r->rhw[1] - r->rhw[0]) + b2 * (r->rhw[2] - r->rhw[0]);

	w->linear[0] = (float)b1;
	w->linear[1] = (float)b2;
	w->perspective[0] = (float)(b1 * r->rhw[1] / rhw);
	w->perspective[1] = (float)(b2 * r->rhw[2] / rhw);
	w->z = (float)(r->z[0] + b1 * (r->z[1] - r->z[0]) + b2 * (r->z[2] - r->z[0]));
	w->rhw = (float)rhw;
}
