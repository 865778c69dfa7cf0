// SPDX-License-Identifier: MIT
/**
 * DOC: Operations across channels
 *
 * Dot products, lines and planes, sums of absolute differences: IVB Vol 4 Part 3, 6.20-6.23, 6.35, 6.47, 6.53, 6.54.
 */
#include <math.h>

#include "internal.h"

static bool usable(const struct ref_context *c, double value)
{
	return !ref_alt(c) || isfinite(value);
}

static double element(const struct ref_context *c, unsigned int n, unsigned int channel)
{
	return ref_flush(c, ISA_TYPE_F, ref_source(c, n, channel).f);
}

/* dp2, dp3, dp4, dph: of each four channels, to all of them. */
static void dot(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	static const unsigned int counts[ISA_OPS] = {
		[ISA_OP_DP2] = 2, [ISA_OP_DP3] = 3, [ISA_OP_DP4] = 4, [ISA_OP_DPH] = 4,
	};
	unsigned int first = channel / 4 * 4, count = counts[c->inst->op], i;
	__float128 terms[4];
	double a, b;

	for (i = 0; i < count; i++) {
		a = c->inst->op == ISA_OP_DPH && i == 3 ? 1 : element(c, 0, first + i);
		b = element(c, 1, first + i);
		terms[i] = (__float128)a * b;
		if (!usable(c, a) || !usable(c, b)) {
			*o = ref_unknown(ref_float(0, ISA_TYPE_F), EU_REF_ALT_INPUT);
			return;
		}
	}
	*o = ref_float_sum(c, terms, count);
}

/* One of the four scalars that src0 points into, with the modifiers of src0. */
static double scalar(const struct ref_context *c, unsigned int component)
{
	unsigned int byte = ref_source_byte(c, 0, 0);
	double value;

	value = ref_grf_float(c, component ? byte / 16 * 16 + component * 4 : byte);
	if (c->inst->src[0].abs)
		value = fabs(value);
	return ref_flush(c, ISA_TYPE_F, c->inst->src[0].negate ? -value : value);
}

/*
 * pln's vectors: eight channels have the first in a register and the second in the next one, the next eight the same
 * in the two registers behind these. SNB Vol 4 Part 2, 8.3.35, and DG1 Vol 2a, "mad", say so; IVB's pseudo-code has
 * the second vector of 16 channels behind the first one of 16.
 */
static double plane_vector(const struct ref_context *c, unsigned int byte)
{
	double value = ref_grf_float(c, byte);

	if (c->inst->src[1].abs)
		value = fabs(value);
	return ref_flush(c, ISA_TYPE_F, c->inst->src[1].negate ? -value : value);
}

/* line: p * u + q; pln: p * u + q * v + r */
static void line(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	unsigned int n = 2, byte = ref_source_byte(c, 1, 0) + channel / 8 * 64 + channel % 8 * 4;
	double p = scalar(c, 0), last = scalar(c, 3), u, q = 0, v = 0;
	__float128 terms[3];

	if (c->inst->op == ISA_OP_PLN) {
		u = plane_vector(c, byte);
		q = scalar(c, 1);
		v = plane_vector(c, byte + 32);
		terms[n++] = (__float128)q * v;
	} else {
		u = element(c, 1, channel);
	}
	terms[0] = (__float128)p * u;
	terms[1] = last;
	*o = ref_float_sum(c, terms, n);
	if (!usable(c, p) || !usable(c, last) || !usable(c, u) || !usable(c, q) || !usable(c, v))
		*o = ref_unknown(*o, EU_REF_ALT_INPUT);
}

static __int128 difference(const struct ref_context *c, unsigned int channel)
{
	__int128 d = ref_source(c, 0, channel).i - ref_source(c, 1, channel).i;

	return d < 0 ? -d : d;
}

/* sad2, sada2: of each two channels, to the first; what the second gets is undefined. */
static void absolute_differences(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	*o = ref_int(0, ISA_TYPE_W);
	if (channel & 1) {
		*o = ref_unknown(*o, EU_REF_ODD_CHANNEL);
		return;
	}
	o->v.i = difference(c, channel) + difference(c, channel + 1);
	if (c->inst->op == ISA_OP_SADA2)
		o->v.i += ref_implicit_acc(c, channel, c->inst->dst.type).i;
}

bool ref_vector(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	switch (c->inst->op) {
	case ISA_OP_DP2:
	case ISA_OP_DP3:
	case ISA_OP_DP4:
	case ISA_OP_DPH:
		dot(c, channel, o);
		return true;
	case ISA_OP_LINE:
	case ISA_OP_PLN:
		line(c, channel, o);
		return true;
	case ISA_OP_SAD2:
	case ISA_OP_SADA2:
		absolute_differences(c, channel, o);
		return true;
	default:
		return false;
	}
}
