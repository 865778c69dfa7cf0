// SPDX-License-Identifier: MIT
/**
 * DOC: Extended math functions
 *
 * Computed in double and rounded to nearest even, whatever cr0.0 says (IVB Vol 4 Part 3, 6.41), which is
 * within the manual's error of every function. invm and rsqtm are the first step of a division or
 * square root that goes on with madm where their flag is off; here they give the final result, and
 * set the flag of every channel.
 */
#include <math.h>

#include "internal.h"

/* pow(|x|, y) by the manual's table, which these two functions' own special values give. */
static double power(double x, double y)
{
	return exp2(y * log2(fabs(x)));
}

static double function(unsigned int id, double a, double b, bool alt)
{
	if (alt && (id == ISA_MATH_LOG || id == ISA_MATH_SQT || id == ISA_MATH_RSQT))
		a = fabs(a);
	switch (id) {
	case ISA_MATH_INV:
		return 1 / a;
	case ISA_MATH_LOG:
		return log2(a);
	case ISA_MATH_EXP:
		return exp2(a);
	case ISA_MATH_SQT:
	case ISA_MATH_RSQTM:
		return sqrt(a);
	case ISA_MATH_RSQT:
		return a == 0 ? copysign((double)INFINITY, a) : 1 / sqrt(a);
	case ISA_MATH_SIN:
		return sin(a);
	case ISA_MATH_COS:
		return cos(a);
	case ISA_MATH_FDIV:
	case ISA_MATH_INVM:
		return a / b;
	case ISA_MATH_POW:
		return power(a, b);
	default:
		return NAN;
	}
}

/* The manuals say nothing of a zero divisor; these are DirectX's results. */
static void divide(bool is_signed, int64_t a, int64_t b, int64_t *quotient, int64_t *remainder)
{
	if (!b) {
		*quotient = !is_signed ? (int64_t)UINT32_MAX : a < 0 ? INT32_MIN : INT32_MAX;
		*remainder = *quotient;
		return;
	}
	*quotient = a / b;
	*remainder = a % b;
}

static void divide_all(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
		       union eu_lane s[][EU_CHANNELS], union eu_lane *r)
{
	unsigned int function = uop->cold->inst.function, n;
	struct eu_operand second = uop->cold->dst;
	uint64_t remainders[EU_CHANNELS] = { 0 };

	for (n = 0; n < uop->exec; n++) {
		int64_t quotient, remainder;

		divide(uop->cold->src[0].kind == ISA_SIGNED, (int64_t)s[0][n].i, (int64_t)s[1][n].i, &quotient,
		       &remainder);
		r[n].i = function == ISA_MATH_IREM ? remainder : quotient;
		remainders[n] = (uint64_t)remainder;
		second.off[n] += EU_GRF_BYTES;
	}
	if (function == ISA_MATH_IDIV)
		eu_store(core, thread, &second, uop->exec, mask, remainders);
}

void eu_math_compute(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
		     union eu_lane s[][EU_CHANNELS], union eu_lane *r)
{
	unsigned int id = uop->cold->inst.function, n;
	bool alt = thread->cr[0] & EU_CR0_ALT;

	if (id == ISA_MATH_IDIV || id == ISA_MATH_IQOT || id == ISA_MATH_IREM) {
		if (uop->cold->class != EU_INT)
			thread->fault = "integer division of floats";
		else
			divide_all(core, thread, uop, mask, s, r);
		return;
	}
	if (uop->cold->class == EU_INT) {
		thread->fault = "math function of integers";
		return;
	}
	eu_flush_sources(core, uop, s);
	for (n = 0; n < uop->exec; n++) {
		if (uop->cold->class != EU_FLOAT) {
			r[n].d = function(id, s[0][n].d, s[1][n].d, alt);
			continue;
		}
		r[n].f = (float)function(id, eu_float_to_double(s[0][n].f), eu_float_to_double(s[1][n].f), alt);
		if (core->mxcsr & EU_MXCSR_DAZ)
			r[n].f = eu_flush(r[n].f);
	}
	if (uop->cold->inst.macro)
		eu_set_flags(thread, uop, mask, mask);
}
