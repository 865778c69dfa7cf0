// SPDX-License-Identifier: MIT
/**
 * DOC: The generic way of an instruction
 *
 * Load all channels of the sources in the execution type's class, with the source modifiers; compute;
 * convert to the destination's type, saturate, set flags and the accumulator, and store the enabled
 * channels. All channels are read before one is written.
 */
#include <float.h>
#include <math.h>

#include "internal.h"

static bool flushes_half(const struct eu_thread *thread)
{
	return !(thread->cr[0] & EU_CR0_DENORM_HF);
}

static float float_of(const struct eu_operand *o, uint64_t raw)
{
	uint32_t low = (uint32_t)raw;
	float f;

	if (o->type == ISA_TYPE_F) {
		memcpy(&f, &low, 4);
		return f;
	}
	if (o->kind == ISA_FLOAT)
		return eu_double_to_float(eu_double_of(o, raw));
	return (float)(int64_t)eu_integer_of(o, raw);
}

/* What passes a source on keeps denormals; with a condition sel is arithmetic. */
static bool copies(const struct eu_uop *uop)
{
	return uop->op == ISA_OP_MOV || uop->op == ISA_OP_CSEL || (uop->op == ISA_OP_SEL && !uop->cond);
}

static uint64_t source_bits(const struct eu_operand *o, uint64_t raw)
{
	return o->place == EU_ACC || o->size == 8 ? raw : raw & ((1ull << 8 * o->size) - 1);
}

static void to_int(const struct eu_operand *o, unsigned int exec, const uint64_t *raw, union eu_lane *lanes)
{
	/* "Not" inverts the source's own bits; it has no abs (KBL Vol 2b, "SrcMod"). */
	bool invert = o->bitwise && o->negate && !o->abs;
	unsigned int n;

	for (n = 0; n < exec; n++)
		lanes[n].i = eu_integer_of(o, invert ? source_bits(o, ~raw[n]) : raw[n]);
	if (o->bitwise || !(o->abs || o->negate))
		return;
	for (n = 0; n < exec; n++) {
		__int128 value = o->abs && lanes[n].i < 0 ? -lanes[n].i : lanes[n].i;

		lanes[n].i = o->negate ? -value : value;
	}
}

static void to_float(const struct eu_operand *o, unsigned int exec, const uint64_t *raw, union eu_lane *lanes)
{
	unsigned int n;

	for (n = 0; n < exec; n++) {
		float f = float_of(o, raw[n]);

		if (o->abs)
			f = fabsf(f);
		lanes[n].f = o->negate ? -f : f;
	}
}

static void to_double(const struct eu_operand *o, unsigned int exec, const uint64_t *raw, union eu_lane *lanes)
{
	unsigned int n;

	for (n = 0; n < exec; n++) {
		double d = eu_double_of(o, raw[n]);

		if (o->abs)
			d = fabs(d);
		lanes[n].d = o->negate ? -d : d;
	}
}

static void to_class(const struct eu_thread *thread, const struct eu_uop *uop, const struct eu_operand *o,
		     uint64_t *raw, union eu_lane *lanes)
{
	/* csel compares its third source. */
	bool compared = uop->op == ISA_OP_CSEL && o == &uop->cold->src[2];
	unsigned int n;

	if ((compared || !copies(uop)) && o->type == ISA_TYPE_HF && flushes_half(thread))
		for (n = 0; n < uop->exec; n++)
			raw[n] = raw[n] & 0x7c00 ? raw[n] : raw[n] & 0x8000;
	if (uop->cold->class == EU_INT)
		to_int(o, uop->exec, raw, lanes);
	else if (uop->cold->class == EU_FLOAT)
		to_float(o, uop->exec, raw, lanes);
	else
		to_double(o, uop->exec, raw, lanes);
}

/* A result and what flags are made of. */
struct finished {
	uint64_t raw;
	bool overflow, unordered;
};

static uint64_t clamp_integer(const struct eu_operand *o, __int128 value, bool saturate, bool *overflow)
{
	bool is_signed = o->kind == ISA_SIGNED;
	__int128 max = ((__int128)1 << (8 * o->size - is_signed)) - 1, min = is_signed ? -max - 1 : 0;

	*overflow = value > max || value < min;
	if (saturate)
		value = value > max ? max : value < min ? min : value;
	return (uint64_t)value;
}

/* Rounds toward zero; what is too large is the largest there is. */
static __int128 double_to_integer(double value)
{
	if (isnan(value))
		return 0;
	if (value >= 0x1p100)
		return (__int128)1 << 100;
	if (value <= -0x1p100)
		return -((__int128)1 << 100);
	return (__int128)value;
}

/* By the sign, since a comparison with zero flushes denormals. */
static double saturated(double value)
{
	return isnan(value) || signbit(value) ? 0 : value < 1 ? value : 1;
}

static float saturated_float(float value)
{
	return isnan(value) || signbit(value) ? 0 : value < 1 ? value : 1;
}

static float integer_to_float(__int128 value)
{
	if (value > INT64_MAX || value < INT64_MIN)
		return (float)(int64_t)(value >> 1 | (value & 1)) * 2;
	return (float)(int64_t)value;
}

static float to_single(const struct eu_core *core, const struct eu_uop *uop, double d)
{
	float f;

	if (!core->traits->double_to_float_cuts || uop->cold->class != EU_DOUBLE || uop->op == ISA_OP_MATH)
		return eu_double_to_float(d);
	eu_set_mxcsr(EU_MXCSR_DEFAULT | 3u << EU_MXCSR_ROUND_SHIFT);
	f = eu_double_to_float(d);
	eu_set_mxcsr(core->mxcsr_df);
	return f;
}

/* A float result in the type of the destination. */
static void finish_float(const struct eu_core *core, const struct eu_thread *thread, const struct eu_uop *uop,
			 const struct eu_operand *dst, const union eu_lane *l, struct finished *to)
{
	bool single = uop->cold->class == EU_FLOAT;
	double d = single ? eu_float_to_double(l->f) : l->d;
	unsigned int rounding;
	float f;
	uint32_t bits;

	to->unordered = isnan(d);
	switch (dst->type) {
	case ISA_TYPE_F:
		f = single ? l->f : to_single(core, uop, d);
		to->overflow = isinf(f);
		/* Selections are copies. */
		if (isinf(f) && thread->cr[0] & EU_CR0_ALT && (uop->op == ISA_OP_MOV || !copies(uop)))
			f = copysignf(FLT_MAX, f);
		if (uop->saturate)
			f = saturated_float(f);
		memcpy(&bits, &f, 4);
		to->raw = bits;
		return;
	case ISA_TYPE_HF:
		rounding = (thread->cr[0] & EU_CR0_ROUND_MASK) >> EU_CR0_ROUND_SHIFT;
		to->raw = eu_double_to_half(d, rounding);
		/* The largest number stands for what is beyond, too, when that is not rounded up. */
		to->overflow = (to->raw & 0x7fff) == 0x7c00 || fabs(d) >= 0x1p16;
		if (uop->saturate)
			to->raw = eu_double_to_half(saturated(d), rounding);
		if (!copies(uop) && flushes_half(thread) && !(to->raw & 0x7c00))
			to->raw &= 0x8000;
		return;
	default:
		to->overflow = isinf(d);
		if (uop->saturate)
			d = saturated(d);
		memcpy(&to->raw, &d, 8);
		return;
	}
}

static bool is_logic(const struct eu_uop *uop)
{
	return uop->op == ISA_OP_AND || uop->op == ISA_OP_OR || uop->op == ISA_OP_XOR || uop->op == ISA_OP_NOT;
}

/* The low bits of an integer, as its type has them. */
static int64_t integer_in(const struct eu_operand *o, uint64_t raw)
{
	unsigned int shift = 64 - 8 * o->size;

	return o->kind == ISA_SIGNED ? (int64_t)(raw << shift) >> shift : (int64_t)(raw << shift >> shift);
}

static void finish(const struct eu_core *core, const struct eu_thread *thread, const struct eu_uop *uop,
		   const union eu_lane *l, struct finished *to)
{
	const struct eu_operand *dst = &uop->cold->dst;
	union eu_lane converted;

	to->unordered = false;
	if (dst->kind != ISA_FLOAT && uop->cold->class == EU_INT) {
		to->raw = clamp_integer(dst, l->i, uop->saturate, &to->overflow);
		/* The accumulator's further bits are none of a logic operation's. */
		if (is_logic(uop))
			to->raw = (uint64_t)integer_in(dst, to->raw);
		if (dst->place == EU_ACC && uop->cold->words)
			to->raw = (uint64_t)((int64_t)(to->raw << 31) >> 31);
		return;
	}
	if (dst->kind != ISA_FLOAT) {
		double d = uop->cold->class == EU_FLOAT ? eu_float_to_double(l->f) : l->d;

		to->unordered = isnan(d);
		to->raw = clamp_integer(dst, double_to_integer(d), true, &to->overflow);
		return;
	}
	if (uop->cold->class != EU_INT) {
		finish_float(core, thread, uop, dst, l, to);
		return;
	}
	if (dst->type == ISA_TYPE_F) {
		float f = integer_to_float(l->i);
		uint32_t bits;

		if (uop->saturate)
			f = saturated_float(f);
		memcpy(&bits, &f, 4);
		to->raw = bits;
		to->overflow = false;
		return;
	}
	converted.d = (double)l->i;
	finish_float(core, thread, uop, dst, &converted, to);
}

bool eu_condition_int(unsigned int cond, __int128 value)
{
	switch (cond) {
	case 1:
		return value == 0;
	case 2:
		return value != 0;
	case 3:
		return value > 0;
	case 4:
		return value >= 0;
	case 5:
		return value < 0;
	case 6:
		return value <= 0;
	default:
		return false;
	}
}

bool eu_condition_double(unsigned int cond, double a, double b)
{
	switch (cond) {
	case 1:
		return a == b;
	case 2:
		return a != b;
	case 3:
		return a > b;
	case 4:
		return a >= b;
	case 5:
		return a < b;
	case 6:
		return a <= b;
	case 9:
		return isnan(a) || isnan(b);
	default:
		return false;
	}
}

/* The flag of a result: it is compared with 0 as the destination has it, and as cmp does, which flushes denormals. */
static bool condition(const struct eu_core *core, const struct eu_uop *uop, const struct finished *from)
{
	const struct eu_operand *dst = &uop->cold->dst;
	double value;

	if (uop->cond == 8)
		return from->overflow;
	/* Saturation makes a number of NaN, but not of its flag. */
	if (uop->cond == 9 || from->unordered)
		return from->unordered && (uop->cond == 9 || uop->cond == 2);
	if (dst->kind == ISA_FLOAT) {
		value = eu_double_of(dst, from->raw);
		if (dst->type == ISA_TYPE_F && core->mxcsr & EU_MXCSR_DAZ && fabs(value) < FLT_MIN)
			value = 0;
		if (dst->type == ISA_TYPE_DF && core->mxcsr_df & EU_MXCSR_DAZ)
			value = eu_flush_double(value);
		return eu_condition_double(uop->cond, value, 0);
	}
	if (dst->place == EU_ACC)
		return eu_condition_int(uop->cond, (int64_t)from->raw);
	return eu_condition_int(uop->cond, eu_integer_of(dst, source_bits(dst, from->raw)));
}

/*
 * The implicit accumulator's cell of a channel: acc0, and acc1 for channels that acc0 has no room for. Floats but
 * DF have acc1 for the second half of the dispatch channels too (IVB Vol 4 Part 3, 3.3.3.5).
 */
static unsigned int acc_cell(const struct eu_uop *uop, unsigned int channel, unsigned int *reg)
{
	const struct eu_operand *dst = &uop->cold->dst;
	unsigned int per = EU_GRF_BYTES / (dst->size < 2 ? 2 : dst->size);
	bool both = dst->kind == ISA_FLOAT && dst->type != ISA_TYPE_DF;

	channel += uop->offset % (both ? 2 * per : per);
	*reg = channel / per % 2;
	return channel % per;
}

int64_t eu_acc_read(const struct eu_thread *thread, const struct eu_uop *uop, unsigned int channel)
{
	unsigned int reg, cell = acc_cell(uop, channel, &reg);

	return (int64_t)thread->acc[reg][cell];
}

void eu_acc_write(struct eu_thread *thread, const struct eu_uop *uop, unsigned int channel, uint64_t value)
{
	unsigned int reg, cell = acc_cell(uop, channel, &reg);

	/* "The accumulator is disabled for all update operations": IVB Vol 4 Part 3, 3.3.3.8. */
	if (thread->cr[0] & EU_CR0_ACC_DISABLE)
		return;
	if (uop->cold->words)
		value = (uint64_t)((int64_t)(value << 31) >> 31);
	thread->acc[reg][cell] = value;
}

/* Operations whose flags are no comparison of the result, and those that write the accumulator themselves. */
static bool selects(const struct eu_uop *uop)
{
	return uop->op == ISA_OP_SEL || uop->op == ISA_OP_CSEL;
}

static bool compares(const struct eu_uop *uop)
{
	return uop->op == ISA_OP_CMP || uop->op == ISA_OP_CMPN;
}

static bool writes_own_acc(const struct eu_uop *uop)
{
	return uop->op == ISA_OP_ADDC || uop->op == ISA_OP_SUBB || uop->op == ISA_OP_MACH;
}

/* Channels whose overflow the result does not tell: it was infinite before, or is the largest number there is. */
struct overflows {
	uint32_t infinite, cut;
};

/* Stores results of enabled channels, and sets flags and the accumulator. */
static void finish_all(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
		       const struct overflows *overflow, const union eu_lane *r)
{
	const struct eu_operand *dst = &uop->cold->dst;
	uint64_t raw[EU_CHANNELS] = { 0 };
	uint32_t flags = 0;
	unsigned int n;

	for (n = 0; n < uop->exec; n++) {
		struct finished f;

		if (!(mask >> n & 1))
			continue;
		if (compares(uop)) {
			raw[n] = r[n].i ? ~0ull : 0;
			flags |= (uint32_t)(r[n].i != 0) << n;
			continue;
		}
		finish(core, thread, uop, &r[n], &f);
		raw[n] = f.raw;
		f.overflow = (f.overflow || overflow->cut >> n & 1) && !(overflow->infinite >> n & 1);
		flags |= (uint32_t)condition(core, uop, &f) << n;
	}
	if (!eu_store(core, thread, dst, uop->exec, mask, raw))
		return;
	if (uop->cond && !selects(uop))
		eu_set_flags(thread, uop, mask, flags);
	if (uop->acc_write && !writes_own_acc(uop) && dst->place != EU_ACC)
		for (n = 0; n < uop->exec; n++)
			if (mask >> n & 1)
				eu_acc_write(thread, uop, n, dst->kind == ISA_FLOAT || uop->cold->class != EU_INT ?
					     raw[n] : (uint64_t)r[n].i);
}

/* Channels with an infinite source, whose infinite result is no overflow. */
static uint32_t infinities(const struct eu_thread *thread, const struct eu_uop *uop, union eu_lane s[][EU_CHANNELS])
{
	uint32_t mask = 0;
	unsigned int i, n;

	for (i = 0; i < uop->cold->inst.nsources && uop->cold->class != EU_INT; i++)
		for (n = 0; n < uop->exec; n++)
			mask |= (uint32_t)(uop->cold->class == EU_FLOAT ? !!isinf(s[i][n].f) : !!isinf(s[i][n].d)) << n;
	/* A dot product has the sources of four channels. */
	if (uop->op == ISA_OP_DP2 || uop->op == ISA_OP_DP3 || uop->op == ISA_OP_DP4 || uop->op == ISA_OP_DPH)
		mask = ((mask | mask >> 1 | mask >> 2 | mask >> 3) & 0x11111111) * 15;
	for (n = 0; n < uop->exec && uop->op == ISA_OP_MAC; n++)
		mask |= (uint32_t)!!isinf(eu_acc_double(thread, uop, n)) << n;
	return mask;
}

/*
 * Results of F that overflow without becoming infinite, since they are not rounded up: in double they are beyond
 * all floats.
 */
static uint32_t cut_overflows(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
			      union eu_lane s[][EU_CHANNELS])
{
	union eu_lane wide[3][EU_CHANNELS], r[EU_CHANNELS];
	struct eu_cold cold = *uop->cold;
	struct eu_uop copy = *uop;
	uint32_t beyond = 0;
	unsigned int i, n;

	if (cold.class != EU_FLOAT || !(core->mxcsr >> EU_MXCSR_ROUND_SHIFT & 3) || uop->op == ISA_OP_LINE ||
	    uop->op == ISA_OP_PLN)
		return 0;
	copy.cold = &cold;
	cold.class = EU_DOUBLE;
	for (i = 0; i < cold.inst.nsources; i++)
		for (n = 0; n < uop->exec; n++)
			wide[i][n].d = eu_float_to_double(s[i][n].f);
	eu_float_compute(core, thread, &copy, mask, wide, r);
	for (n = 0; n < uop->exec; n++)
		beyond |= (uint32_t)(fabs(r[n].d) >= 0x1p128) << n;
	return beyond;
}

void eu_generic(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	struct eu_cold *cold = uop->cold;
	uint32_t mask = uop->op == ISA_OP_SEL ? eu_unpredicated(core, uop) : eu_enabled(core, thread, uop);
	union eu_lane s[3][EU_CHANNELS], r[EU_CHANNELS];
	struct overflows overflow = { 0 };
	uint64_t raw[EU_CHANNELS];
	unsigned int i;

	if (uop->flow)
		thread->ip = uop->ip + uop->size;
	for (i = 0; i < cold->inst.nsources; i++) {
		if (!eu_load(core, thread, &cold->src[i], uop->exec, mask, raw))
			return;
		to_class(thread, uop, &cold->src[i], raw, s[i]);
	}
	core->counters.generic++;
	if (uop->cond == 8 && cold->class != EU_INT) {
		overflow.infinite = infinities(thread, uop, s);
		overflow.cut = cut_overflows(core, thread, uop, mask, s);
	}
	if (uop->op == ISA_OP_MATH) {
		eu_set_mxcsr(EU_MXCSR_DEFAULT);
		eu_math_compute(core, thread, uop, mask, s, r);
	} else if (cold->class == EU_INT) {
		eu_int_compute(core, thread, uop, mask, s, r);
	} else {
		if (cold->class != EU_FLOAT)
			eu_set_mxcsr(cold->class == EU_HALF ? core->mxcsr_hf : core->mxcsr_df);
		eu_float_compute(core, thread, uop, mask, s, r);
	}
	if (!thread->fault)
		finish_all(core, thread, uop, mask, &overflow, r);
	if (uop->op == ISA_OP_MATH || cold->class == EU_HALF || cold->class == EU_DOUBLE)
		eu_set_mxcsr(core->mxcsr);
}
