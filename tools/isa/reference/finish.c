// SPDX-License-Identifier: MIT
/**
 * DOC: From a result to the destination
 *
 * Conversion to the destination's type, saturation, flags and accumulator: IVB Vol 4 Part 3, 2.4 "Type Conversion",
 * 3.6 "Assigning Conditional Flags", 3.3.3.5 "Accumulator Registers", 5.2.3 "Saturate".
 */
#include <math.h>

#include "internal.h"

/* A result as it is written, and what flags see of it. */
struct written {
	__u64 bits, cell, unknown, cell_unknown;
	bool negative, zero, nan, overflow;	/* after saturation */
	bool was_negative, was_zero;		/* before it */
	bool wrapped_unsigned;			/* a negative value in an unsigned destination */
	bool ranged;
	double low, high;
};

static __u64 mask_of(unsigned int type)
{
	return ~0ull >> (64 - ref_size(type) * 8);
}

static __int128 least(unsigned int type)
{
	return ref_is_signed(type) ? -((__int128)1 << (ref_size(type) * 8 - 1)) : 0;
}

static __int128 most(unsigned int type)
{
	return ((__int128)1 << (ref_size(type) * 8 - ref_is_signed(type))) - 1;
}

static __int128 wrap(unsigned int type, __int128 value)
{
	unsigned int unused = 128 - ref_size(type) * 8;
	__uint128_t bits = (__uint128_t)value << unused;

	return ref_is_signed(type) ? (__int128)bits >> unused : (__int128)(bits >> unused);
}

static __int128 clamp(unsigned int type, __int128 value)
{
	return value < least(type) ? least(type) : value > most(type) ? most(type) : value;
}

/* Cells of an accumulator have 33 bits with words, 64 with dwords. */
static void accumulator_cell(const struct ref_outcome *o, unsigned int type, __int128 value, struct written *w)
{
	w->cell = value;
	if (o->guard_unknown || (value < 0 && !ref_is_signed(type)) ||
	    (ref_size(type) <= 2 && (value >= (__int128)1 << 32 || value < -((__int128)1 << 32))))
		w->cell_unknown |= ~mask_of(type);
}

static void integer_result(const struct ref_context *c, const struct ref_outcome *o, struct written *w)
{
	unsigned int type = c->inst->dst.type;
	__int128 value = o->v.i, stored;

	w->overflow = value < least(type) || value > most(type);
	stored = c->inst->saturate ? clamp(type, value) : wrap(type, value);
	w->bits = (__u64)stored & mask_of(type);
	accumulator_cell(o, type, value, w);
	/* Whether an accumulator gets the saturated result no manual says. */
	if (stored != value && c->inst->saturate)
		w->cell_unknown = ~0ull;
	w->negative = stored < 0;
	w->zero = stored == 0;
	w->was_negative = value < 0;
	w->was_zero = value == 0;
	w->wrapped_unsigned = value < 0 && !ref_is_signed(type) && !c->inst->saturate;
}

/* 2.4.1 "Float to Integer": truncated, clamped whether saturated or not, NaN gives 0. */
static __int128 to_integer(unsigned int type, double value)
{
	if (isnan(value))
		return 0;
	if (value >= ldexp(1, 100) || value <= -ldexp(1, 100))
		return value > 0 ? most(type) : least(type);
	return clamp(type, (__int128)value);
}

static void float_to_integer(const struct ref_context *c, const struct ref_outcome *o, struct written *w)
{
	unsigned int type = c->inst->dst.type;
	__int128 value = to_integer(type, o->v.f);

	w->bits = (__u64)value & mask_of(type);
	w->cell = value;
	w->negative = value < 0;
	w->was_negative = w->negative;
	w->zero = value == 0;
	w->was_zero = w->zero;
	w->overflow = !isnan(o->v.f) && (trunc(o->v.f) < (double)least(type) || trunc(o->v.f) > (double)most(type));
	if (o->slack > 0) {
		w->unknown = ~0ull;
		w->cell_unknown = ~0ull;
	}
}

static double saturate(double value)
{
	return isnan(value) || value <= 0 ? 0 : value > 1 ? 1 : value;
}

/* A bound beyond the greatest finite number: that number or an infinity may come out. */
static double within(unsigned int type, double bound, bool high)
{
	double greatest = ref_greatest(type);

	if (bound > greatest)
		return high ? INFINITY : greatest;
	if (bound < -greatest)
		return high ? -greatest : -INFINITY;
	return bound;
}

/* The range of a float whose operation left some freedom, after conversion and saturation. */
static void widen(const struct ref_context *c, const struct ref_outcome *o, double slack,
		  struct written *w)
{
	double normal = ref_smallest_normal(c->inst->dst.type);

	w->ranged = true;
	w->low = within(c->inst->dst.type, o->v.f - slack, false);
	w->high = within(c->inst->dst.type, o->v.f + slack, true);
	/* What may be below the smallest normal number may be flushed. */
	if (ref_flushes(c, c->inst->dst.type) && (fabs(w->low) < normal || fabs(w->high) < normal)) {
		w->low = fmin(w->low, 0);
		w->high = fmax(w->high, 0);
	}
	if (c->inst->saturate) {
		w->low = saturate(w->low);
		w->high = saturate(w->high);
	}
}

/* What a float becomes in the destination's format. */
static double convert_float(const struct ref_context *c, double value, struct written *w)
{
	unsigned int type = c->inst->dst.type;
	bool inexact, overflow;

	value = ref_round(type, value, ref_rounding(c), &inexact, &overflow);
	w->overflow |= overflow;
	/* IVB 2.3.2: no infinities come out in the alternative mode. */
	if (type == ISA_TYPE_F && ref_alt(c) && isinf(value))
		value = copysign(ref_greatest(type), value);
	return value;
}

static void float_result(const struct ref_context *c, const struct ref_outcome *o, struct written *w)
{
	unsigned int type = c->inst->dst.type;
	double value = o->v.f, slack = o->slack;

	w->overflow = o->overflow;
	if (o->v.type != type && !o->conversion && o->inexact)
		slack += fabs(value) * ref_unit(type) + ref_smallest_normal(type) * ref_unit(type);
	if (!o->conversion)
		value = ref_flush(c, o->v.type, value);
	/* 2.4.5: rounded to zero, but that is of Gen7, and its successor's manual is not at hand. */
	if (c->isa->gen < 80 && o->v.type == ISA_TYPE_DF && type == ISA_TYPE_F)
		slack += fabs(value) * ref_unit(type) + ref_smallest_normal(type) * ref_unit(type);
	value = convert_float(c, value, w);
	if (!o->conversion)
		value = ref_flush(c, type, value);
	w->nan = isnan(value);
	w->was_negative = signbit(value);
	w->was_zero = value == 0;
	if (c->inst->saturate)
		value = saturate(value);
	w->negative = signbit(value);
	w->zero = value == 0;
	w->bits = ref_encode_float(type, value);
	w->cell = w->bits;
	if (isnan(value)) {
		w->ranged = true;
		w->low = NAN;
		w->high = NAN;
	} else if (slack > 0 && !isinf(o->v.f)) {
		widen(c, o, slack, w);
		w->cell_unknown = ~0ull;
	}
}

/* Integers become floats in one rounding; 64 bits fit into a 128-bit float. */
static void integer_to_float(const struct ref_context *c, const struct ref_outcome *o, struct written *w)
{
	unsigned int type = c->inst->dst.type;
	bool inexact;
	double value = ref_round(type, o->v.i, ref_rounding(c), &inexact, &w->overflow);

	w->was_negative = value < 0;
	w->was_zero = value == 0;
	if (c->inst->saturate)
		value = saturate(value);
	w->negative = value < 0;
	w->zero = value == 0;
	w->bits = ref_encode_float(type, value);
	w->cell = w->bits;
}

static void raw_result(const struct ref_context *c, const struct ref_outcome *o, struct written *w)
{
	w->bits = o->v.bits & mask_of(c->inst->dst.type);
	if (o->v.is_float) {
		w->nan = isnan(o->v.f);
		w->negative = signbit(o->v.f);
		w->zero = o->v.f == 0;
		w->cell = w->bits;
	} else {
		w->negative = o->v.i < 0;
		w->zero = o->v.i == 0;
		accumulator_cell(o, c->inst->dst.type, o->v.i, w);
	}
	w->was_negative = w->negative;
	w->was_zero = w->zero;
}

static void convert(const struct ref_context *c, const struct ref_outcome *o, struct written *w)
{
	bool to_float = ref_is_float(c->inst->dst.type);

	if (o->raw)
		raw_result(c, o, w);
	else if (o->v.is_float)
		(to_float ? float_result : float_to_integer)(c, o, w);
	else
		(to_float ? integer_to_float : integer_result)(c, o, w);
	w->unknown |= o->unknown_bits;
	w->cell_unknown |= o->unknown_bits;
	if (o->unknown) {
		w->unknown = ~0ull;
		w->cell_unknown = ~0ull;
		w->ranged = false;
	}
}

/* The destination is an accumulator. */
static bool writes_accumulator(const struct ref_context *c)
{
	return c->inst->dst.file == ISA_ARF && isa_find_register(c->isa, c->inst->dst.reg)->id == ISA_REG_ACC;
}

/*
 * "The post conditional signals" come after all clamping, says 3.6, and also that the bits "are before the .sat": where
 * these differ the flag is not known. Nor is the sign of a result that wrapped in an unsigned destination.
 */
static void set_condition(struct ref_context *c, unsigned int channel, const struct ref_outcome *o,
			  const struct written *w)
{
	unsigned int code = c->inst->cond;
	bool after = ref_condition(code, w->negative, w->zero, w->nan && !c->inst->saturate, w->overflow);
	bool before = ref_condition(code, w->was_negative, w->was_zero, w->nan, w->overflow);
	bool unknown = o->unknown;

	/* Whether the sign of an explicit accumulator is that of its type or of all its bits no manual says. */
	if (after != before && writes_accumulator(c)) {
		unknown = true;
		ref_silent(c, EU_REF_CONDITION_ACCUMULATOR);
	}
	if (after != before && c->inst->saturate) {
		unknown = true;
		ref_silent(c, EU_REF_CONDITION_SATURATED);
	}
	if (w->wrapped_unsigned && code >= REF_G && code <= REF_LE) {
		unknown = true;
		ref_silent(c, EU_REF_NEGATIVE_UNSIGNED);
	}
	if (code <= REF_LE && (w->unknown || (o->slack > 0 && fabs(o->v.f) <= o->slack))) {
		unknown = true;
		ref_silent(c, EU_REF_CONDITION_RANGE);
	}
	if (code == REF_O && !w->overflow && o->v.is_float && isinf(o->v.f)) {
		unknown = true;
		ref_silent(c, EU_REF_CONDITION_INFINITE);
	}
	if (c->inst->align16 && !(c->inst->dst.write_mask >> channel % 4 & 1)) {
		unknown = true;
		ref_silent(c, EU_REF_CONDITION_MASKED);
	}
	if (code == REF_O && o->slack > 0 && fabs(o->v.f) > ref_greatest(c->exec_type) / 4)
		unknown = true;
	ref_set_flag(c, channel, after, unknown);
}

static void add_range(struct ref_context *c, unsigned int channel, const struct written *w)
{
	const struct isa_operand *o = &c->inst->dst;
	struct eu_ref_range *r = &c->result->ranges[c->result->nranges];
	unsigned int byte;

	if (o->file == ISA_ARF)
		return;
	if (c->inst->align16 && !(o->write_mask >> channel % 4 & 1))
		return;
	byte = o->indirect ? c->before->address[o->addr_subreg] + o->addr_imm : o->reg * 32 + o->subreg;
	r->file = o->file == ISA_MRF ? EU_REF_MRF : EU_REF_GRF;
	r->type = o->type;
	r->at = byte + channel * (c->inst->align16 ? 1 : o->hstride) * ref_size(o->type);
	r->nan = isnan(w->low);
	r->low = w->low;
	r->high = w->high;
	c->result->nranges++;
}

/* The accumulator gets something else than the destination. */
static bool writes_acc_itself(unsigned int op)
{
	return op == ISA_OP_MACH || op == ISA_OP_ADDC || op == ISA_OP_SUBB;
}

/**
 * ref_finish() - write a channel's result
 * @c: the instruction
 * @channel: the channel, which is enabled
 * @o: what the operation gave
 */
void ref_finish(struct ref_context *c, unsigned int channel, const struct ref_outcome *o)
{
	bool to_acc = writes_accumulator(c);
	struct written w = { 0 };
	__u64 unknown;

	convert(c, o, &w);
	if (o->unknown || o->unknown_bits)
		ref_silent(c, o->reason);
	unknown = w.ranged ? ~0ull : w.unknown;
	if (to_acc)
		ref_write(c, &c->inst->dst, channel, w.cell, w.ranged ? ~0ull : w.cell_unknown);
	else
		ref_write(c, &c->inst->dst, channel, w.bits, unknown);
	if (w.ranged)
		add_range(c, channel, &w);
	if (c->inst->acc_write && !writes_acc_itself(c->inst->op) &&
	    (!c->inst->align16 || c->inst->dst.write_mask >> channel % 4 & 1))
		ref_write_acc(c, channel, w.cell, w.ranged ? ~0ull : w.cell_unknown);
	if (c->inst->cond && c->inst->op != ISA_OP_SEL && c->inst->op != ISA_OP_CSEL && c->inst->form != ISA_FORM_MATH)
		set_condition(c, channel, o, &w);
}
