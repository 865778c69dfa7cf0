/* SPDX-License-Identifier: MIT */
/**
 * DOC: The sampler's parts
 *
 * sampler.c has the messages and says which texels of which levels a channel asks for, filter.c reads and mixes them,
 * and lod.c chooses the levels.
 */
#ifndef IGEN_MODEL_SAMPLER_H
#define IGEN_MODEL_SAMPLER_H

#include "shared/shared.h"

enum { FILTER_NEAREST, FILTER_LINEAR, FILTER_ANISOTROPIC };
enum { MIP_NONE, MIP_NEAREST, MIP_LINEAR = 3 };
enum { WRAP, WRAP_MIRROR, WRAP_CLAMP, WRAP_CUBE, WRAP_BORDER, WRAP_MIRROR_ONCE, WRAP_HALF_BORDER };

/* SAMPLER_STATE. */
struct sampler {
	bool disabled;
	bool pre_clamp;			/* the LOD is clamped before it is known whether it magnifies */
	bool mip_magnified;		/* the mip filter counts when it magnifies, too */
	bool unnormalised;
	uint8_t filter[2];		/* when it minifies, when it magnifies */
	uint8_t mip;
	uint8_t wrap[3];		/* of U, V, R */
	bool round[2][3];		/* addresses are rounded: as for filter */
	uint8_t shadow;
	uint8_t quality;		/* of the mip filter */
	double bias, min_lod, max_lod, base_level;
	uint32_t border[4];
};

/* The levels that a sample is of. */
struct levels {
	bool magnifies;
	unsigned int n;			/* 1 or 2 */
	unsigned int level[2];
	unsigned int weight;		/* of the second, of 256 */
	double clamped, unclamped;	/* LODs that the levels are of */
};

/* What a channel asks for. */
struct point {
	double at[3];			/* U, V, R */
	double index;			/* in an array */
	double lod;
	float ref;
	int32_t offset[3];		/* texels */
};

/* A message, in all its channels. */
struct sampling {
	struct send *s;
	const struct texture *texture;
	struct sampler sampler;
	bool compares;
};

/* lod.c */
void lod_levels(const struct sampler *p, const struct texture *t, double lod, struct levels *l);
double lod_of_gradients(const struct texture *t, const struct sampler *p, double d[3][2]);

/* filter.c */
unsigned int texture_axes(const struct texture *t);
int32_t cube_face(const double at[3], double st[2]);
void cube_on_face(int32_t face, const double at[3], double st[2]);
void filter_sample(const struct sampling *g, const struct point *at, uint32_t out[4]);
void filter_gather(const struct sampling *g, const struct point *at, unsigned int channel, uint32_t out[4]);
void filter_load(const struct sampling *g, const int32_t at[3], uint32_t index, uint32_t lod, uint32_t out[4]);

#endif
