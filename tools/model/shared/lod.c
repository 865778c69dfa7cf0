// SPDX-License-Identifier: MIT
/**
 * DOC: Levels of detail
 *
 * How the level of detail (LOD) of a sample comes to be one level, or two that are mixed: the pseudo-code of ILK Vol 4
 * Part 1, 4.2.1.5 (public), whose text is SNB Vol 4 Part 1, 2.2.1, with the fields of BXT Vol 2c, "SAMPLER_STATE". A
 * nearest level is the next integer, and of two that are as near, the more detailed one. The second level's weight has
 * 8 bits.
 *
 * A LOD that the message does not have is the binary logarithm of how many texels of the most detailed level lie
 * between neighbours of a subspan: the longer one of its row and column (SNB Vol 4 Part 1, 2.2.1.1).
 */
#include <math.h>

#include "shared/sampler.h"

static double clamped(double v, double least, double most)
{
	v = v > most ? most : v;
	/* The minimum has precedence. */
	return v < least ? least : v;
}

/* A level that counts so little is left out: by the sampler's quality, of 256. */
static unsigned int with_quality(unsigned int quality, unsigned int weight)
{
	static const uint8_t least[4] = { 0, 0, 64, 96 };

	if (weight < least[quality])
		return 0;
	return 256 - weight < least[quality] ? 256 : weight;
}

static unsigned int existing(const struct texture *t, double level)
{
	if (!(level > 0))
		return 0;
	return level < t->levels - 1 ? (unsigned int)level : t->levels - 1;
}

/**
 * lod_levels - the levels that a sample is of
 * @p: the sampler
 * @t: the texture
 * @lod: the LOD, with the message's bias and without the sampler's
 * @l: filled
 */
void lod_levels(const struct sampler *p, const struct texture *t, double lod, struct levels *l)
{
	double level, unclamped;
	uint8_t mip;

	lod = isnan(lod) ? 0 : lod + p->bias;
	unclamped = lod;
	if (p->pre_clamp)
		lod = clamped(lod, p->min_lod, p->max_lod);
	*l = (struct levels){ .magnifies = lod - p->base_level <= 0, .n = 1, .unclamped = unclamped };
	mip = l->magnifies && !p->mip_magnified ? MIP_NONE : p->mip;
	if (mip == MIP_LINEAR) {
		lod = clamped(lod, p->min_lod, p->max_lod);
		level = floor(lod);
		l->weight = with_quality(p->quality, (unsigned int)((lod - level) * 256));
		l->n = l->weight ? 2 : 1;
		l->level[1] = existing(t, level + 1);
		l->clamped = clamped(lod, 0, t->levels - 1);
	} else {
		level = clamped(mip == MIP_NONE ? 0 : lod, floor(p->min_lod), ceil(p->max_lod));
		level = ceil(level + 0.5) - 1;
		l->clamped = existing(t, level);
	}
	l->level[0] = existing(t, level);
}

/**
 * lod_of_gradients - the LOD of neighbours so far apart
 * @t: the texture
 * @p: the sampler
 * @d: of U, V and R how far along a row and along a column
 *
 * Return: the LOD.
 */
double lod_of_gradients(const struct texture *t, const struct sampler *p, double d[3][2])
{
	const struct surface *f = &t->level[0];
	const uint32_t size[3] = { f->width, f->height, f->depth };
	double longest = 0;

	for (unsigned int k = 0; k < 2; k++) {
		double sum = 0;

		for (unsigned int i = 0; i < texture_axes(t); i++) {
			double texels = d[i][k] * (p->unnormalised ? 1 : size[i]);

			sum += texels * texels;
		}
		longest = sum > longest ? sum : longest;
	}
	return log2(longest) / 2;
}
