// SPDX-License-Identifier: MIT
/**
 * DOC: Extended math of the reference
 *
 * The precise value and the error that the manual allows: IVB Vol 4 Part 3, 6.41.1-6.41.9, rounded to nearest always.
 */
#include <math.h>

#include "internal.h"

/* Units in the last place. */
static double ulps(unsigned int type, double value, double n)
{
	return fabs(value) * ref_unit(type) * n + ref_smallest_normal(type) * ref_unit(type);
}

static bool is_special(double value)
{
	return value == 0 || !isfinite(value);
}

/* 6.41.6 POW of IEEE mode: |src0| to the power of src1; what the table has for infinities and zeros is not compared. */
static void power(double base, double exponent, unsigned int type, struct ref_outcome *o)
{
	const double error = ldexp(1, -20);
	double value, product;

	base = fabs(base);
	if (isnan(base) || isnan(exponent)) {
		*o = ref_float(NAN, type);
		return;
	}
	if (is_special(base) || is_special(exponent) || base == 1) {
		*o = ref_unknown(*o, EU_REF_MATH_CASE);
		return;
	}
	value = pow(base, exponent);
	product = fabs(exponent * log2(base));
	*o = ref_float(value, type);
	/* The manual has no figure: that of exp, and that of log times what exp makes of it. */
	o->slack = ulps(type, value, 4) + fabs(value) * (exp2(product * error + error) - 1);
}

/* 6.41.2: absolute 2^-21 between 1/2 and 2, else relative */
static void logarithm(double a, unsigned int type, struct ref_outcome *o)
{
	const double error = ldexp(1, -21);
	double value = log2(a);

	*o = ref_float(value, type);
	if (isfinite(value))
		o->slack = a >= 0.5 && a <= 2 ? error : fabs(value) * error;
	if (isfinite(value) && type == ISA_TYPE_HF)
		o->slack += ulps(type, value, 1);
}

/* 6.41.7, 6.41.8: absolute 0.0008 within 100 pi, beyond it between -1 and 1 */
static void periodic(double a, unsigned int type, bool cosine, struct ref_outcome *o)
{
	*o = ref_float(isfinite(a) ? (cosine ? cos(a) : sin(a)) : NAN, type);
	if (!isfinite(a))
		return;
	if (fabs(a) > 100 * M_PI) {
		o->v.f = 0;
		o->slack = 1;
	} else {
		o->slack = 0.0008;
	}
}

static void exact_zero_or(double value, unsigned int type, double n, struct ref_outcome *o)
{
	*o = ref_float(value, type);
	if (!is_special(value))
		o->slack = ulps(type, value, n);
}

static void function(struct ref_context *c, double a, double b, struct ref_outcome *o)
{
	unsigned int type = c->exec_type;
	bool alt = ref_alt(c) && type == ISA_TYPE_F;

	switch (c->inst->function) {
	case ISA_MATH_INV:
		exact_zero_or(1 / a, type, 1, o);
		break;
	case ISA_MATH_LOG:
		logarithm(alt ? fabs(a) : a, type, o);
		break;
	case ISA_MATH_EXP:
		exact_zero_or(exp2(a), type, 3, o);
		break;
	case ISA_MATH_SQT:
		exact_zero_or(sqrt(alt ? fabs(a) : a), type, 1, o);
		break;
	case ISA_MATH_RSQT:
		/* -0 gives -infinity. */
		exact_zero_or(1 / sqrt(alt ? fabs(a) : a), type, 3, o);
		break;
	case ISA_MATH_SIN:
	case ISA_MATH_COS:
		periodic(a, type, c->inst->function == ISA_MATH_COS, o);
		break;
	case ISA_MATH_FDIV:
		/* A/B = A * (1/B), each to one unit (2.3.1.1, 2.3.1.2): the reciprocal must not leave the range. */
		exact_zero_or(a / b, type, 3, o);
		if (fabs(b) > ref_greatest(type) / 4 || (b != 0 && fabs(b) < ref_smallest_normal(type) * 4))
			*o = ref_unknown(*o, EU_REF_MATH_CASE);
		break;
	case ISA_MATH_POW:
		power(a, b, type, o);
		if (alt)
			*o = ref_unknown(*o, EU_REF_MATH_CASE);
		break;
	default:
		*o = ref_unknown(*o, EU_REF_MATH_CASE);
	}
}

/* 6.41.9: truncated; the remainder has the numerator's sign. What a division by zero gives is not said. */
static void divide(struct ref_context *c, unsigned int channel, struct ref_outcome *o, __int128 *remainder)
{
	__int128 a = ref_source(c, 0, channel).i, b = ref_source(c, 1, channel).i;

	*o = ref_int(0, c->exec_type);
	if (b == 0 || (a == -((__int128)1 << 31) && b == -1)) {
		*o = ref_unknown(*o, EU_REF_DIVISION);
		return;
	}
	*remainder = a % b;
	o->v.i = c->inst->function == ISA_MATH_IREM ? *remainder : a / b;
}

/**
 * ref_math() - math on one channel
 * @c: the instruction
 * @channel: the channel
 * @o: the result
 * @remainder: of ISA_MATH_IDIV, for the register behind the destination
 */
void ref_math(struct ref_context *c, unsigned int channel, struct ref_outcome *o, __int128 *remainder)
{
	struct ref_value a, b = { .f = 0 };

	*o = ref_float(0, c->exec_type);
	if (!ref_is_float(c->exec_type)) {
		divide(c, channel, o, remainder);
		return;
	}
	a = ref_source(c, 0, channel);
	if (c->inst->nsources > 1)
		b = ref_source(c, 1, channel);
	a.f = ref_flush(c, a.type, a.f);
	b.f = ref_flush(c, b.type, b.f);
	if (ref_is_denormal(a.type, a.f) || (c->inst->nsources > 1 && ref_is_denormal(b.type, b.f)))
		*o = ref_unknown(*o, EU_REF_MATH_CASE);
	else if (ref_alt(c) && !(isfinite(a.f) && isfinite(b.f)))
		*o = ref_unknown(*o, EU_REF_ALT_INPUT);
	else
		function(c, a.f, b.f, o);
	/* A result around the smallest normal number may be flushed or not. */
	if (!o->unknown && isfinite(o->v.f) && o->v.f != 0 && fabs(o->v.f) < 2 * ref_smallest_normal(c->exec_type))
		o->slack += fabs(o->v.f);
	/* One that is around the greatest may be infinite. */
	if (!o->unknown && isfinite(o->v.f) && fabs(o->v.f) + o->slack > ref_greatest(c->exec_type) * 0.996)
		*o = ref_unknown(*o, EU_REF_MATH_CASE);
}
