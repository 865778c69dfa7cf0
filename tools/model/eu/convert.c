// SPDX-License-Identifier: MIT
/**
 * DOC: Conversions of floats
 *
 * A conversion keeps denormals in every mode (IVB Vol 4 Part 3, 2.3.1.2), where the host's
 * instructions flush them when they flush those of arithmetic. So denormals are converted by hand.
 */
#include <float.h>
#include <math.h>

#include "internal.h"

double eu_half_to_double(uint16_t half)
{
	unsigned int exponent = half >> 10 & 31, mantissa = half & 0x3ff;
	uint64_t bits;
	double value;

	if (exponent == 31) {
		/* NaN keeps its bits, so that selections are copies. */
		bits = 0x7ffull << 52 | (uint64_t)mantissa << 42;
		memcpy(&value, &bits, 8);
	} else if (exponent) {
		value = ldexp(mantissa + 1024, (int)exponent - 25);
	} else {
		value = ldexp(mantissa, -24);
	}
	return half & 0x8000 ? -value : value;
}

/* Does a magnitude that was cut to an integer go up? @rest is what was cut, of 1. */
static bool goes_up(double rest, bool odd, bool negative, unsigned int rounding)
{
	switch (rounding) {
	case 0:
		return rest > 0.5 || (rest == 0.5 && odd);
	case 1:
		return rest > 0 && !negative;
	case 2:
		return rest > 0 && negative;
	default:
		return false;
	}
}

uint16_t eu_double_to_half(double value, unsigned int rounding)
{
	bool negative = signbit(value);
	uint16_t sign = negative ? 0x8000 : 0;
	double magnitude = fabs(value), scaled, whole;
	int exponent;
	unsigned int half;
	uint64_t bits;

	if (isnan(value)) {
		memcpy(&bits, &value, 8);
		half = bits >> 42 & 0x3ff;
		return sign | 0x7c00 | (half ? half : 0x200);
	}
	if (isinf(value))
		return sign | 0x7c00;
	if (magnitude == 0)
		return sign;
	exponent = ilogb(magnitude);
	if (exponent < -14)
		exponent = -14;
	if (exponent > 16)
		exponent = 16;
	scaled = ldexp(magnitude, 10 - exponent);
	whole = floor(scaled);
	if (whole > 2047)
		whole = 2048;
	half = (unsigned int)whole;
	half += goes_up(scaled - whole, half & 1, negative, rounding);
	/* Below 1024 it is a denormal, whose exponent is 0; 2048 carries into the exponent. */
	half += (unsigned int)(exponent + 14) << 10;
	if (half < 0x7c00)
		return sign | half;
	return sign | (goes_up(0.75, true, negative, rounding) ? 0x7c00 : 0x7bff);
}

double eu_float_to_double(float value)
{
	uint32_t bits;
	double magnitude;

	memcpy(&bits, &value, 4);
	if (bits & 0x7f800000 || !(bits & 0x7fffffff))
		return value;
	magnitude = ldexp(bits & 0x7fffff, -149);
	return bits >> 31 ? -magnitude : magnitude;
}

/* The rounding is that of mxcsr. */
float eu_double_to_float(double value)
{
	uint32_t bits;
	float small;

	if (isnan(value) || fabs(value) >= FLT_MIN || value == 0)
		return (float)value;
	bits = (uint32_t)fabs(nearbyint(value * 0x1p149));
	if (signbit(value))
		bits |= 0x80000000;
	memcpy(&small, &bits, 4);
	return small;
}

float eu_flush(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, 4);
	if (!(bits & 0x7f800000))
		bits &= 0x80000000;
	memcpy(&value, &bits, 4);
	return value;
}

double eu_flush_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, 8);
	if (!(bits & 0x7ff0000000000000))
		bits &= 0x8000000000000000;
	memcpy(&value, &bits, 8);
	return value;
}

double eu_double_of(const struct eu_operand *o, uint64_t raw)
{
	uint32_t low = (uint32_t)raw;
	float f;
	double d;

	switch (o->type) {
	case ISA_TYPE_HF:
		return eu_half_to_double((uint16_t)raw);
	case ISA_TYPE_F:
		memcpy(&f, &low, 4);
		return eu_float_to_double(f);
	case ISA_TYPE_DF:
	case ISA_TYPE_NF:
		memcpy(&d, &raw, 8);
		return d;
	default:
		return (double)(int64_t)eu_integer_of(o, raw);
	}
}
