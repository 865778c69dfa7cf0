// SPDX-License-Identifier: MIT
/**
 * DOC: Texels and filters
 *
 * A coordinate becomes a texel's address with 8 bits of fraction, which is rounded or truncated as the sampler says.
 * The nearest filter takes the texel that it lies in; the linear one mixes the two on each axis whose centres it lies
 * between, by the fraction. Texels beyond the edge are those that the address mode says (SNB Vol 4 Part 1, 2.2.2 and
 * 2.2.3). Half a border is what OpenGL's GL_CLAMP has: the coordinate ends at the edge, so that a linear filter mixes
 * no more than half of the border in, and a nearest one none.
 *
 * The sum of texels and weights is made in double precision, and rounded once. A texel without weight is not looked at,
 * so that what is no number there has no effect. The manuals do not tell how silicon rounds.
 *
 * A cube's face is that of the largest coordinate, which the others are divided by; of two that are as large, X is
 * before Y, and Y before Z. In the cube mode a texel beyond an edge is the adjacent face's, and one beyond a corner, of
 * which there is none, is the mean of the three that meet there.
 */
#include <math.h>
#include <string.h>

#include "shared/sampler.h"

#define FRACTION	256		/* of a texel's address */
#define FAR		0x1p40		/* texels: coordinates are cut there */
#define BORDER		UINT32_MAX

/* A texel along one axis, and how much of it. */
struct tap {
	int64_t at;
	unsigned int weight;		/* of FRACTION */
};

static float float_of(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

static uint32_t bits_of(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

/* How many axes a picture has that are filtered. */
unsigned int texture_axes(const struct texture *t)
{
	switch (t->level[0].kind) {
	case SURFACE_1D:
		return 1;
	case SURFACE_3D:
		return 3;
	default:
		return 2;
	}
}

/* The mode's texel for one that may lie beyond the edge; BORDER: the border colour. */
static uint32_t wrapped(unsigned int mode, int64_t at, int64_t size)
{
	switch (mode) {
	case WRAP:
		at %= size;
		return (uint32_t)(at < 0 ? at + size : at);
	case WRAP_MIRROR:
		at %= 2 * size;
		at = at < 0 ? at + 2 * size : at;
		return (uint32_t)(at < size ? at : 2 * size - 1 - at);
	case WRAP_BORDER:
	case WRAP_HALF_BORDER:
		return at < 0 || at >= size ? BORDER : (uint32_t)at;
	case WRAP_MIRROR_ONCE:
		at = at < 0 ? -1 - at : at;
		break;
	default:
		break;
	}
	at = at < 0 ? 0 : at;
	return (uint32_t)(at < size ? at : size - 1);
}

static int64_t fixed(double texels, bool rounds)
{
	if (!(texels > -FAR))
		return isnan(texels) ? 0 : -(int64_t)FAR * FRACTION;
	return (int64_t)floor((texels < FAR ? texels : FAR) * FRACTION + (rounds ? 0.5 : 0));
}

/* The texels along an axis; how many. */
static unsigned int taps_of(const struct sampling *g, const struct point *p, unsigned int axis, bool magnifies,
			    bool linear, uint32_t size, struct tap tap[2])
{
	const struct sampler *sampler = &g->sampler;
	double at = sampler->unnormalised ? p->at[axis] : p->at[axis] * size;
	unsigned int mode = sampler->wrap[axis], fraction;
	int64_t address;

	if (mode == WRAP_HALF_BORDER)
		at = at < 0 ? 0 : at > size ? size : at;
	address = fixed(at + p->offset[axis], sampler->round[magnifies][axis]);
	if (!linear) {
		address = address >> 8;
		tap[0] = (struct tap){ mode == WRAP_HALF_BORDER ? wrapped(WRAP_CLAMP, address, size) : address,
				       FRACTION };
		return 1;
	}
	address -= FRACTION / 2;
	fraction = (unsigned int)(address & (FRACTION - 1));
	tap[0] = (struct tap){ address >> 8, FRACTION - fraction };
	tap[1] = (struct tap){ (address >> 8) + 1, fraction };
	return 2;
}

/* Which coordinate is a face's S, T and its own, and whether each is negative. */
static const struct {
	uint8_t s, t, major;
	int8_t s_sign, t_sign, major_sign;
} faces[6] = {
	{ 2, 1, 0, -1, -1, 1 }, { 2, 1, 0, 1, -1, -1 }, { 0, 2, 1, 1, 1, 1 },
	{ 0, 2, 1, 1, -1, -1 }, { 0, 1, 2, 1, -1, 1 }, { 0, 1, 2, -1, -1, -1 },
};

/**
 * cube_on_face - where a direction meets the plane of a face
 * @face: 0 to 5: +X, -X, +Y, -Y, +Z, -Z
 * @at: the direction
 * @st: filled: from 0 to 1 on the face
 */
void cube_on_face(int32_t face, const double at[3], double st[2])
{
	double major = fabs(at[faces[face].major]);

	st[0] = (faces[face].s_sign * at[faces[face].s] / major + 1) / 2;
	st[1] = (faces[face].t_sign * at[faces[face].t] / major + 1) / 2;
}

/**
 * cube_face - the face that a direction meets
 * @at: the direction
 * @st: filled: where, from 0 to 1
 *
 * Return: its number.
 */
int32_t cube_face(const double at[3], double st[2])
{
	double x = fabs(at[0]), y = fabs(at[1]), z = fabs(at[2]);
	int32_t axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2, face = 2 * axis + (at[axis] < 0);

	cube_on_face(face, at, st);
	return face;
}

/* The face and texel beyond one edge of a face: its centre lies in the cube's other side. */
static int32_t cross_edge(int32_t face, int64_t x, int64_t y, int64_t size, uint32_t to[2])
{
	double s = (2 * (double)x + 1) / (double)size - 1, t = (2 * (double)y + 1) / (double)size - 1, st[2], at[3];
	double inside = 1 - 1.0 / (double)size;

	at[faces[face].s] = faces[face].s_sign * (s < -1 ? -1 : s > 1 ? 1 : s);
	at[faces[face].t] = faces[face].t_sign * (t < -1 ? -1 : t > 1 ? 1 : t);
	at[faces[face].major] = faces[face].major_sign * inside;
	face = cube_face(at, st);
	for (unsigned int i = 0; i < 2; i++)
		to[i] = wrapped(WRAP_CLAMP, (int64_t)floor(st[i] * (double)size), size);
	return face;
}

static void read_texel(const struct sampling *g, const struct surface *f, uint32_t x, uint32_t y, uint32_t slice,
		       uint32_t out[4])
{
	const struct texture *t = g->texture;
	uint8_t element[16] = { 0 };

	if (x == BORDER || y == BORDER || slice == BORDER) {
		format_border(t->format, g->sampler.border, out);
		return;
	}
	if (f->kind == SURFACE_BUFFER)
		shared_read(g->s->shared, f->base + (uint64_t)x * f->pitch, element, f->bytes);
	else
		shared_read(g->s->shared, surface_address(f, x * f->bytes, y, slice), element, f->bytes);
	format_texel(t->format, element, out);
}

/* What a comparison makes of a texel: the functions tell when it is 0 (SNB Vol 4 Part 1, 2.4). */
static void compare(const struct sampling *g, float ref, uint32_t out[4])
{
	float texel = float_of(out[0]);
	uint32_t v[4];
	bool zero;

	if (format_is_normalised(g->texture->format))
		ref = ref < 0 ? 0 : ref > 1 ? 1 : ref;
	switch (g->sampler.shadow) {
	case 0:
		zero = true;
		break;
	case 1:
		zero = false;
		break;
	case 2:
		zero = texel < ref;
		break;
	case 3:
		zero = texel == ref;
		break;
	case 4:
		zero = texel <= ref;
		break;
	case 5:
		zero = texel > ref;
		break;
	case 6:
		zero = texel != ref;
		break;
	default:
		zero = texel >= ref;
		break;
	}
	for (unsigned int i = 0; i < 4; i++)
		v[i] = bits_of(zero ? 0 : 1);
	format_border(g->texture->format, v, out);
}

/* The mean of the three texels at a corner of a cube. */
static void read_corner(const struct sampling *g, const struct surface *f, uint32_t cube, int32_t face,
			const int64_t at[2], uint32_t out[4])
{
	int64_t size = f->width, x = wrapped(WRAP_CLAMP, at[0], size), y = wrapped(WRAP_CLAMP, at[1], size);
	const int64_t of[3][2] = { { x, y }, { at[0], y }, { x, at[1] } };
	uint32_t texel[3][4], to[2] = { (uint32_t)x, (uint32_t)y };

	for (unsigned int i = 0; i < 3; i++) {
		int32_t on = i ? cross_edge(face, of[i][0], of[i][1], size, to) : face;

		read_texel(g, f, to[0], to[1], cube + (uint32_t)on, texel[i]);
	}
	for (unsigned int i = 0; i < 4; i++)
		out[i] = bits_of((float)(((double)float_of(texel[0][i]) + (double)float_of(texel[1][i]) +
					  (double)float_of(texel[2][i])) / 3));
	/* Integers are not mixed. */
	if (format_is_integer(g->texture->format))
		memcpy(out, texel[0], 4 * sizeof(*out));
}

/* A texel at a tap of each axis. */
static void read_tap(const struct sampling *g, const struct surface *f, const int64_t at[3], uint32_t slice,
		     int32_t face, float ref, uint32_t out[4])
{
	const uint8_t *wrap = g->sampler.wrap;
	uint32_t to[3] = { 0, 0, slice };
	bool x = at[0] < 0 || at[0] >= f->width, y = at[1] < 0 || at[1] >= f->height;

	if (face >= 0 && wrap[0] == WRAP_CUBE && x && y) {
		read_corner(g, f, slice, face, at, out);
	} else if (face >= 0 && wrap[0] == WRAP_CUBE && (x || y)) {
		face = cross_edge(face, at[0], at[1], f->width, to);
		read_texel(g, f, to[0], to[1], slice + (uint32_t)face, out);
	} else {
		to[0] = wrapped(wrap[0], at[0], f->width);
		if (texture_axes(g->texture) > 1)
			to[1] = wrapped(wrap[1], at[1], f->height);
		if (f->kind == SURFACE_3D)
			to[2] = wrapped(wrap[2], at[2], f->depth);
		else if (face >= 0)
			to[2] += (uint32_t)face;
		read_texel(g, f, to[0], to[1], to[2], out);
	}
	if (g->compares)
		compare(g, ref, out);
}

/* The slice that a sample's index names: the nearest one that there is. */
static uint32_t slice_of(const struct texture *t, double index)
{
	uint32_t n = t->level[0].kind == SURFACE_CUBE ? t->level[0].depth / 6 : t->level[0].depth;

	if (!t->array || !(index > 0))
		return 0;
	index = nearbyint(index);
	return index < n ? (uint32_t)index : n - 1;
}

/* A sample's place in a level: texels along each axis, its slice and face. */
struct place {
	struct tap tap[3][2];
	unsigned int n[3];
	uint32_t slice;
	int32_t face;			/* -1: no cube */
};

static void place_of(const struct sampling *g, const struct surface *f, const struct point *p, bool magnifies,
		     bool linear, struct place *to)
{
	const uint32_t size[3] = { f->width, f->height, f->depth };
	struct point at = *p;

	*to = (struct place){ .n = { 1, 1, 1 }, .slice = slice_of(g->texture, p->index), .face = -1 };
	for (unsigned int i = 0; i < 3; i++)
		to->tap[i][0] = (struct tap){ 0, FRACTION };
	if (f->kind == SURFACE_CUBE) {
		to->face = cube_face(p->at, at.at);
		to->slice *= 6;
	}
	for (unsigned int i = 0; i < texture_axes(g->texture); i++)
		to->n[i] = taps_of(g, &at, i, magnifies, linear, size[i], to->tap[i]);
}

/* The sum of a level's texels and weights, of FRACTION to the power of 3. */
static void mix(const struct sampling *g, const struct surface *f, const struct place *at, float ref, double sum[4])
{
	uint32_t texel[4];

	for (unsigned int i = 0; i < 8; i++) {
		unsigned int k[3] = { i & 1, i >> 1 & 1, i >> 2 };
		double weight = 1;
		int64_t to[3];
		bool is = true;

		for (unsigned int a = 0; a < 3; a++) {
			is = is && k[a] < at->n[a];
			weight *= at->tap[a][k[a]].weight;
			to[a] = at->tap[a][k[a]].at;
		}
		if (!is || !weight)
			continue;
		read_tap(g, f, to, at->slice, at->face, ref, texel);
		for (unsigned int c = 0; c < 4; c++)
			sum[c] += weight * (double)float_of(texel[c]);
	}
}

static void put_selected(const struct sampling *g, const uint32_t from[4], uint32_t out[4])
{
	for (unsigned int i = 0; i < 4; i++) {
		uint8_t select = g->texture->select[i];

		if (select >= SELECT_RED)
			out[i] = from[select - SELECT_RED];
		else if (select == SELECT_ONE)
			out[i] = format_is_integer(g->texture->format) ? 1 : bits_of(1);
		else
			out[i] = 0;
	}
}

/**
 * filter_sample - a sample
 * @g: the message
 * @at: the channel's point
 * @out: filled: red to alpha
 */
void filter_sample(const struct sampling *g, const struct point *at, uint32_t out[4])
{
	double sum[2][4] = { { 0 } };
	struct levels l;
	uint32_t texel[4];
	struct place p;
	bool linear;

	lod_levels(&g->sampler, g->texture, at->lod, &l);
	linear = g->sampler.filter[l.magnifies] == FILTER_LINEAR;
	for (unsigned int i = 0; i < l.n; i++) {
		const struct surface *f = &g->texture->level[l.level[i]];

		place_of(g, f, at, l.magnifies, linear, &p);
		if (!linear && l.n == 1) {
			const int64_t to[3] = { p.tap[0][0].at, p.tap[1][0].at, p.tap[2][0].at };

			read_tap(g, f, to, p.slice, p.face, at->ref, texel);
			put_selected(g, texel, out);
			return;
		}
		mix(g, f, &p, at->ref, sum[i]);
	}
	for (unsigned int c = 0; c < 4; c++) {
		/* A level without weight has no effect, whatever it has. */
		double v = l.n == 1 ? sum[0][c] * FRACTION : l.weight == FRACTION ? sum[1][c] * FRACTION :
			   sum[0][c] * (FRACTION - l.weight) + sum[1][c] * l.weight;

		texel[c] = bits_of((float)(v / ((double)FRACTION * FRACTION * FRACTION * FRACTION)));
	}
	put_selected(g, texel, out);
}

/**
 * filter_gather - four texels' channel
 * @g: the message
 * @at: the channel's point
 * @channel: of the texels, 0 to 3
 * @out: filled: lower left, lower right, upper right and upper left
 */
void filter_gather(const struct sampling *g, const struct point *at, unsigned int channel, uint32_t out[4])
{
	static const uint8_t of[4][2] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
	const struct surface *f;
	struct levels l;
	struct place p;

	lod_levels(&g->sampler, g->texture, 0, &l);
	f = &g->texture->level[l.level[0]];
	place_of(g, f, at, l.magnifies, true, &p);
	for (unsigned int i = 0; i < 4; i++) {
		const int64_t to[3] = { p.tap[0][of[i][0]].at, p.tap[1][of[i][1]].at, 0 };
		uint32_t texel[4], selected[4];

		read_tap(g, f, to, p.slice, p.face, at->ref, texel);
		put_selected(g, texel, selected);
		out[i] = selected[channel];
	}
}

/**
 * filter_load - a texel by its address
 * @g: the message
 * @at: X, Y, Z
 * @index: of the slice
 * @lod: the level
 * @out: filled: beyond the surface 0, and alpha 1 if the format has none
 */
void filter_load(const struct sampling *g, const int32_t at[3], uint32_t index, uint32_t lod, uint32_t out[4])
{
	static const uint32_t nothing[4];
	const struct texture *t = g->texture;
	const struct surface *f = &t->level[lod < t->levels ? lod : 0];
	uint32_t axes = f->kind == SURFACE_BUFFER ? 1 : texture_axes(t), x = (uint32_t)at[0], y = 0, slice = 0;
	uint32_t texel[4];

	if (axes > 1)
		y = (uint32_t)at[1];
	if (f->kind == SURFACE_3D)
		slice = (uint32_t)at[2];
	else if (t->array)
		slice = index;
	if ((lod >= t->levels && f->kind != SURFACE_BUFFER) || x >= f->width || y >= f->height || slice >= f->depth)
		format_border(t->format, nothing, texel);
	else
		read_texel(g, f, x, y, slice, texel);
	put_selected(g, texel, out);
}
