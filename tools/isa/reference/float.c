// SPDX-License-Identifier: MIT
/**
 * DOC: Floats of the reference
 *
 * Formats, rounding and flushing. Single and double precision use C's arithmetic under fesetround(); half precision is
 * computed exactly in 128 bits and rounded once. IVB Vol 4 Part 3, 2.2.2 "Floating-Point Numeric Data Types" and 2.3
 * "Floating Point Modes".
 */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "internal.h"

/* Bits of precision, exponents of the smallest and of the greatest normal number. */
struct format {
	int precision, lowest, highest;
};

static struct format format_of(unsigned int type)
{
	if (type == ISA_TYPE_HF)
		return (struct format){ 11, -14, 15 };
	if (type == ISA_TYPE_DF)
		return (struct format){ 53, -1022, 1023 };
	return (struct format){ 24, -126, 127 };
}

/* The last place of numbers from 1 to 2. */
double ref_unit(unsigned int type)
{
	return ldexp(1, 1 - format_of(type).precision);
}

double ref_smallest_normal(unsigned int type)
{
	return ldexp(1, format_of(type).lowest);
}

double ref_greatest(unsigned int type)
{
	struct format f = format_of(type);

	return ldexp(2 - ldexp(1, 1 - f.precision), f.highest);
}

bool ref_is_denormal(unsigned int type, double value)
{
	return value != 0 && fabs(value) < ref_smallest_normal(type);
}

static double decode_half(unsigned int bits)
{
	int exponent = bits >> 10 & 31, fraction = bits & 1023;
	double value;

	if (exponent == 31)
		value = fraction ? NAN : INFINITY;
	else if (!exponent)
		value = ldexp(fraction, -24);
	else
		value = ldexp(1024 + fraction, exponent - 25);
	return bits & 0x8000 ? -value : value;
}

double ref_decode_float(unsigned int type, __u64 bits)
{
	__u32 low = bits;
	double d;
	float f;

	switch (type) {
	case ISA_TYPE_HF:
		return decode_half(bits & 0xffff);
	case ISA_TYPE_DF:
		memcpy(&d, &bits, sizeof(d));
		return d;
	default:
		memcpy(&f, &low, sizeof(f));
		return f;
	}
}

static unsigned int encode_half(double value)
{
	unsigned int sign = signbit(value) ? 0x8000 : 0;
	int exponent;

	value = fabs(value);
	if (isnan(value))
		return sign | 0x7e00;
	if (isinf(value))
		return sign | 0x7c00;
	if (value < ldexp(1, -14))
		return sign | (unsigned int)ldexp(value, 24);
	exponent = ilogb(value);
	return sign | (exponent + 15) << 10 | ((unsigned int)ldexp(value, 10 - exponent) & 1023);
}

__u64 ref_encode_float(unsigned int type, double value)
{
	__u64 bits = 0;
	__u32 low;
	float f;

	switch (type) {
	case ISA_TYPE_HF:
		return encode_half(value);
	case ISA_TYPE_DF:
		memcpy(&bits, &value, sizeof(bits));
		return bits;
	default:
		f = value;
		memcpy(&low, &f, sizeof(low));
		return low;
	}
}

/* The exponent of a finite value, not zero. */
static int exponent_of(__float128 value)
{
	__uint128_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return (int)(bits >> 112 & 0x7fff) - 16383;
}

static __float128 power_of_two(int exponent)
{
	__uint128_t bits = (__uint128_t)(exponent + 16383) << 112;
	__float128 value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Does the magnitude round up to the next multiple of the last place? */
static bool rounds_up(enum ref_rounding rounding, bool negative, bool odd, __float128 rest)
{
	switch (rounding) {
	case REF_NEAREST:
		return rest > 0.5 || (rest == 0.5 && odd);
	case REF_UP:
		return rest > 0 && !negative;
	case REF_DOWN:
		return rest > 0 && negative;
	default:
		return false;
	}
}

/**
 * ref_round() - a value in a format
 * @type: HF, F or DF
 * @value: the exact value
 * @rounding: how
 * @inexact: is it another value?
 * @overflow: is it beyond the greatest finite one?
 *
 * Return: the value, a denormal where the format has these.
 */
double ref_round(unsigned int type, __float128 value, enum ref_rounding rounding, bool *inexact, bool *overflow)
{
	struct format f = format_of(type);
	bool negative = value < 0;
	__float128 quantum, scaled;
	unsigned long long whole;
	double magnitude;
	int exponent;

	*inexact = false;
	*overflow = false;
	if (value == 0 || value != value || value - value != 0)
		return value;
	if (negative)
		value = -value;
	exponent = exponent_of(value);
	if (exponent < f.lowest)
		exponent = f.lowest;
	if (exponent <= f.highest) {
		quantum = power_of_two(exponent - f.precision + 1);
		scaled = value / quantum;
		whole = scaled;
		*inexact = scaled != whole;
		whole += rounds_up(rounding, negative, whole & 1, scaled - whole);
		magnitude = (__float128)whole * quantum;
		*overflow = magnitude > ref_greatest(type);
	} else {
		*inexact = true;
		*overflow = true;
	}
	if (*overflow)
		magnitude = rounding == REF_ZERO || rounding == (negative ? REF_UP : REF_DOWN) ? ref_greatest(type) :
											     INFINITY;
	return negative ? -magnitude : magnitude;
}

/* cr0.0: IVB Vol 4 Part 3, 3.3.3.8 "Control Register"; from Gen8 on bits 7 and 10 too. */
bool ref_alt(const struct ref_context *c)
{
	return c->before->cr[0] & 1;
}

enum ref_rounding ref_rounding(const struct ref_context *c)
{
	return c->before->cr[0] >> 4 & 3;
}

bool ref_flushes(const struct ref_context *c, unsigned int type)
{
	__u32 cr = c->before->cr[0];

	if (type == ISA_TYPE_DF)
		return !(cr & 1 << 6);
	if (c->isa->gen < 80)
		return type == ISA_TYPE_F;
	if (type == ISA_TYPE_F && ref_alt(c))
		return true;
	return !(cr & 1 << (type == ISA_TYPE_HF ? 10 : 7));
}

double ref_flush(const struct ref_context *c, unsigned int type, double value)
{
	return ref_flushes(c, type) && ref_is_denormal(type, value) ? copysign(0, value) : value;
}

static const int native_rounding[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

/* Kept apart from its callers, so that no compiler computes it before the rounding mode is set. */
static __attribute__((noinline)) float native_single(enum ref_float_op op, float a, float b, float d)
{
	return op == REF_ADD ? a + b : op == REF_MUL ? a * b : fmaf(a, b, d);
}

static __attribute__((noinline)) double native_double(enum ref_float_op op, double a, double b, double d)
{
	return op == REF_ADD ? a + b : op == REF_MUL ? a * b : fma(a, b, d);
}

/* The sign of a sum of zeros: IEEE-754 has it positive, but for the rounding down and for -0 + -0. */
static double half_operation(const struct ref_context *c, enum ref_float_op op, double a, double b, double d,
			     bool *inexact, bool *overflow)
{
	__float128 exact = op == REF_ADD ? (__float128)a + b : (__float128)a * b + (op == REF_FMA ? (__float128)d : 0);

	if (op == REF_MUL)
		exact = (__float128)a * b;
	if (exact == 0 && op == REF_ADD && a != 0)
		return ref_rounding(c) == REF_DOWN ? -0.0 : 0.0;
	if (exact == 0 && op == REF_FMA && a * b != 0)
		return ref_rounding(c) == REF_DOWN ? -0.0 : 0.0;
	if (exact == 0)
		return native_double(op, a, b, d);
	return ref_round(ISA_TYPE_HF, exact, ref_rounding(c), inexact, overflow);
}

/**
 * ref_float_op() - a + b, a * b, or a * b + d
 * @c: the instruction
 * @op: which
 * @a: source, flushed
 * @b: source, flushed
 * @d: addend of REF_FMA
 *
 * Return: the result, rounded once to the execution type.
 */
struct ref_outcome ref_float_op(const struct ref_context *c, enum ref_float_op op, double a, double b, double d)
{
	struct ref_outcome o = ref_float(0, c->exec_type);
	int saved = fegetround();

	fesetround(native_rounding[ref_rounding(c)]);
	feclearexcept(FE_ALL_EXCEPT);
	if (c->exec_type == ISA_TYPE_HF) {
		o.v.f = half_operation(c, op, a, b, d, &o.inexact, &o.overflow);
	} else {
		o.v.f = c->exec_type == ISA_TYPE_DF ? native_double(op, a, b, d) : native_single(op, a, b, d);
		o.inexact = fetestexcept(FE_INEXACT);
		o.overflow = fetestexcept(FE_OVERFLOW);
	}
	fesetround(saved);
	feclearexcept(FE_ALL_EXCEPT);
	/* When a result below the smallest normal number is flushed, before its rounding or after, no manual says. */
	if (o.inexact && fabs(o.v.f) == ref_smallest_normal(c->exec_type) && ref_flushes(c, c->exec_type))
		return ref_unknown(o, EU_REF_SMALLEST_NORMAL);
	return o;
}

/**
 * ref_float_sum() - a sum of products whose order and intermediate precision are not specified
 * @c: the instruction
 * @terms: the products
 * @n: how many
 *
 * IVB Vol 4 Part 3, 2.3.1.2: what goes out of range in between may give the result or an infinity.
 *
 * Return: the sum, with the error that rounding each step makes at most as its slack.
 */
struct ref_outcome ref_float_sum(const struct ref_context *c, const __float128 *terms, unsigned int n)
{
	struct ref_outcome o = ref_float(0, c->exec_type);
	__float128 sum = 0, magnitude = 0;
	unsigned int i, infinite = 0;
	double unit = ref_unit(c->exec_type);

	for (i = 0; i < n; i++) {
		sum += terms[i];
		if (terms[i] - terms[i] != 0)
			infinite++;
		else
			magnitude += terms[i] < 0 ? -terms[i] : terms[i];
	}
	o.v.f = sum;
	if (sum != sum || (infinite && magnitude <= ref_greatest(c->exec_type) / 2))
		return o;
	if (magnitude > ref_greatest(c->exec_type) / 2)
		return ref_unknown(o, EU_REF_FUSED_RANGE);
	o.slack = (double)magnitude * unit * (n + 2);
	o.slack += ref_smallest_normal(c->exec_type) * (ref_flushes(c, c->exec_type) ? n : unit * n);
	return o;
}
