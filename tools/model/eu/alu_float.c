// SPDX-License-Identifier: MIT
/**
 * DOC: Operations on floats
 *
 * F is computed in float, DF in double, HF in double too, whose results are exact or far finer than
 * HF. Rounding and denormals are in the host's mxcsr. mad, and pln, which later manuals make of mads
 * (DG1 Vol 2a, "mad"), round a product and a sum once; the manuals leave that open for mac, lrp and dot products
 * (IVB Vol 4 Part 3, 2.3.1.2).
 */
#include <math.h>

#include "internal.h"

#define EACH_FLOAT(expression) do {					\
		for (n = 0; n < uop->exec; n++) {			\
			const float a = s[0][n].f, b = s[1][n].f, c = s[2][n].f; \
			(void)a, (void)b, (void)c;			\
			r[n].f = (expression);				\
		}							\
	} while (0)

#define EACH_DOUBLE(expression) do {					\
		for (n = 0; n < uop->exec; n++) {			\
			const double a = s[0][n].d, b = s[1][n].d, c = s[2][n].d; \
			(void)a, (void)b, (void)c;			\
			r[n].d = (expression);				\
		}							\
	} while (0)

#define EACH(f, d) do {							\
		if (uop->cold->class == EU_FLOAT)			\
			EACH_FLOAT(f);					\
		else							\
			EACH_DOUBLE(d);					\
	} while (0)

static double value_of(const struct eu_uop *uop, const union eu_lane *l)
{
	return uop->cold->class == EU_FLOAT ? eu_float_to_double(l->f) : l->d;
}

/* cmp's condition, or cmpn's: with NaN as the second source alone it is true, but ne. */
static bool compare(const struct eu_uop *uop, double a, double b, bool nan_second)
{
	if (nan_second) {
		if (isnan(b))
			return uop->cond != 2;
		if (isnan(a))
			return uop->cond == 2;
	}
	return eu_condition_double(uop->cond, a, b);
}

/* sel.l and sel.ge return the source that is no NaN, and the second of two. */
static bool selects_first(const struct eu_uop *uop, double a, double b)
{
	if (uop->cond == 4 || uop->cond == 5) {
		if (isnan(b))
			return !isnan(a);
		if (isnan(a))
			return false;
	}
	return eu_condition_double(uop->cond, a, b);
}

/* Denormals are zero in what is no plain addition or multiplication, which mxcsr does. */
static void flush_source(const struct eu_core *core, const struct eu_uop *uop, union eu_lane *s)
{
	unsigned int n;

	for (n = 0; n < uop->exec; n++) {
		if (uop->cold->class == EU_FLOAT && core->mxcsr & EU_MXCSR_DAZ)
			s[n].f = eu_flush(s[n].f);
		else if (uop->cold->class == EU_DOUBLE && core->mxcsr_df & EU_MXCSR_DAZ)
			s[n].d = eu_flush_double(s[n].d);
	}
}

void eu_flush_sources(const struct eu_core *core, const struct eu_uop *uop, union eu_lane s[][EU_CHANNELS])
{
	unsigned int i;

	for (i = 0; i < uop->cold->inst.nsources; i++)
		flush_source(core, uop, s[i]);
}

static void select_float(const struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop,
			 union eu_lane s[][EU_CHANNELS], union eu_lane *r)
{
	uint32_t pmask = uop->predicate ? eu_pmask(core, thread, uop) : ~0u;
	unsigned int n;

	if (uop->op == ISA_OP_CSEL)
		flush_source(core, uop, s[2]);
	for (n = 0; n < uop->exec; n++) {
		bool first = pmask >> n & 1;

		if (uop->op == ISA_OP_CSEL)
			first = eu_condition_double(uop->cond, value_of(uop, &s[2][n]), 0);
		else if (uop->cond)
			first = selects_first(uop, value_of(uop, &s[0][n]), value_of(uop, &s[1][n]));
		r[n] = s[!first][n];
	}
}

static void compare_all(const struct eu_uop *uop, union eu_lane s[][EU_CHANNELS], union eu_lane *r)
{
	unsigned int n;

	for (n = 0; n < uop->exec; n++)
		r[n].i = compare(uop, value_of(uop, &s[0][n]), value_of(uop, &s[1][n]), uop->op == ISA_OP_CMPN);
}

/* A sum of products of F, which double has without rounding or overflow on the way. */
static float rounded(const struct eu_core *core, double value)
{
	float f = eu_double_to_float(value);

	return core->mxcsr & EU_MXCSR_FTZ ? eu_flush(f) : f;
}

/* Dot products of groups of four channels, which all get the sum. */
static void dot(const struct eu_core *core, const struct eu_uop *uop, union eu_lane s[][EU_CHANNELS], union eu_lane *r)
{
	unsigned int terms = uop->op == ISA_OP_DP2 ? 2 : uop->op == ISA_OP_DP4 ? 4 : 3, n, i;

	eu_flush_sources(core, uop, s);
	for (n = 0; n < uop->exec; n++) {
		unsigned int first = n & ~3u;
		double sum = value_of(uop, &s[0][first]) * value_of(uop, &s[1][first]);

		for (i = 1; i < terms && first + i < uop->exec; i++)
			sum += value_of(uop, &s[0][first + i]) * value_of(uop, &s[1][first + i]);
		if (uop->op == ISA_OP_DPH && first + 3 < uop->exec)
			sum += value_of(uop, &s[1][first + 3]);
		if (uop->cold->class == EU_FLOAT)
			r[n].f = rounded(core, sum);
		else
			r[n].d = sum;
	}
}

static void interpolate(const struct eu_core *core, const struct eu_uop *uop, union eu_lane s[][EU_CHANNELS],
			union eu_lane *r)
{
	unsigned int n;

	eu_flush_sources(core, uop, s);
	for (n = 0; n < uop->exec; n++) {
		double a = value_of(uop, &s[0][n]), b = value_of(uop, &s[1][n]), c = value_of(uop, &s[2][n]);

		if (uop->cold->class == EU_FLOAT)
			r[n].f = rounded(core, a * b + c * (1 - a));
		else
			r[n].d = a * b + c * (1 - a);
	}
}

/* Never -0, whatever the rounding is, and 0 for denormals that are kept too (IVB Vol 4 Part 3, 6.30). */
static float fraction(float value)
{
	float f = fabsf(eu_flush(value) - floorf(eu_flush(value)));

	return f < 1 || isnan(f) ? f : 0.99999994f;
}

static float acc_float(const struct eu_thread *thread, const struct eu_uop *uop, unsigned int n)
{
	uint32_t bits = (uint32_t)eu_acc_read(thread, uop, n);
	float f;

	memcpy(&f, &bits, 4);
	return f;
}

double eu_acc_double(const struct eu_thread *thread, const struct eu_uop *uop, unsigned int n)
{
	uint64_t bits = (uint64_t)eu_acc_read(thread, uop, n);
	double d;

	if (uop->cold->dst.type == ISA_TYPE_F)
		return eu_float_to_double(acc_float(thread, uop, n));
	if (uop->cold->dst.type == ISA_TYPE_HF)
		return eu_half_to_double((uint16_t)bits);
	memcpy(&d, &bits, 8);
	return d;
}

void eu_float_compute(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
		      union eu_lane s[][EU_CHANNELS], union eu_lane *r)
{
	unsigned int n;

	(void)mask;
	switch (uop->op) {
	case ISA_OP_MOV:
		/* Modifiers and saturation keep denormals (DG1 Vol 2a, "mov"). */
		memcpy(r, s[0], sizeof(s[0]));
		break;
	case ISA_OP_ADD:
		EACH(a + b, a + b);
		break;
	case ISA_OP_MUL:
		EACH(a * b, a * b);
		break;
	case ISA_OP_MAD:
	case ISA_OP_MADM:
		EACH(fmaf(b, c, a), fma(b, c, a));
		break;
	case ISA_OP_MAC:
		EACH(fmaf(a, b, acc_float(thread, uop, n)), fma(a, b, eu_acc_double(thread, uop, n)));
		break;
	case ISA_OP_LRP:
		interpolate(core, uop, s, r);
		break;
	case ISA_OP_FRC:
		EACH(fraction(a), fabs(a - floor(a)));
		break;
	case ISA_OP_RNDU:
		eu_flush_sources(core, uop, s);
		EACH(ceilf(a), ceil(a));
		break;
	case ISA_OP_RNDD:
		eu_flush_sources(core, uop, s);
		EACH(floorf(a), floor(a));
		break;
	case ISA_OP_RNDE:
		eu_flush_sources(core, uop, s);
		EACH(roundevenf(a), roundeven(a));
		break;
	case ISA_OP_RNDZ:
		eu_flush_sources(core, uop, s);
		EACH(truncf(a), trunc(a));
		break;
	case ISA_OP_DP2:
	case ISA_OP_DP3:
	case ISA_OP_DP4:
	case ISA_OP_DPH:
		dot(core, uop, s, r);
		break;
	case ISA_OP_SEL:
	case ISA_OP_CSEL:
		if (uop->cond && uop->op == ISA_OP_SEL)
			eu_flush_sources(core, uop, s);
		select_float(core, thread, uop, s, r);
		break;
	case ISA_OP_CMP:
	case ISA_OP_CMPN:
		eu_flush_sources(core, uop, s);
		compare_all(uop, s, r);
		break;
	case ISA_OP_LINE:
	case ISA_OP_PLN:
		eu_line_compute(thread, uop, s, r);
		break;
	default:
		thread->fault = "operation that floats do not have";
		break;
	}
}
