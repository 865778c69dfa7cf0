// SPDX-License-Identifier: MIT
/**
 * DOC: Arithmetic and logic of the reference
 *
 * An operation takes a channel's sources and gives the exact result, or for floats the one rounded to the execution
 * type. Each function names its page of the instruction reference: IVB Vol 4 Part 3, chapter 6; SNB Vol 4 Part 2, 8.3
 * for Gen6; DG1 Vol 2a for Gen12.
 */
#include <math.h>

#include "internal.h"

/* A mathematical operation's source: flushed, and never an infinity or NaN in the alternative mode (IVB 2.3.2). */
static bool float_source(const struct ref_context *c, unsigned int n, unsigned int channel, double *value)
{
	struct ref_value v = ref_source(c, n, channel);

	*value = ref_flush(c, v.type, v.f);
	return !(ref_alt(c) && v.type == ISA_TYPE_F && (isnan(v.f) || isinf(v.f)));
}

static void float_binary(struct ref_context *c, unsigned int channel, enum ref_float_op op, struct ref_outcome *o)
{
	double a, b;

	if (!float_source(c, 0, channel, &a) | !float_source(c, 1, channel, &b))
		*o = ref_unknown(ref_float(0, c->exec_type), EU_REF_ALT_INPUT);
	else
		*o = ref_float_op(c, op, a, b, 0);
}

/* mad: src1 * src2 + src0, in one rounding since Gen8; earlier manuals do not say in how many. */
static void float_mad(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	double a, b, d;
	__float128 terms[2];

	if (!float_source(c, 0, channel, &d) | !float_source(c, 1, channel, &a) | !float_source(c, 2, channel, &b)) {
		*o = ref_unknown(ref_float(0, c->exec_type), EU_REF_ALT_INPUT);
	} else if (c->isa->gen >= 80) {
		*o = ref_float_op(c, REF_FMA, a, b, d);
	} else {
		terms[0] = (__float128)a * b;
		terms[1] = d;
		*o = ref_float_sum(c, terms, 2);
	}
}

static void float_mac(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	struct ref_value acc = ref_implicit_acc(c, channel, c->inst->dst.type);
	__float128 terms[2];
	double a, b;

	if (!float_source(c, 0, channel, &a) | !float_source(c, 1, channel, &b) ||
	    (ref_alt(c) && !isfinite(acc.f))) {
		*o = ref_unknown(ref_float(0, c->exec_type), EU_REF_ALT_INPUT);
		return;
	}
	terms[0] = (__float128)a * b;
	terms[1] = ref_flush(c, acc.type, acc.f);
	*o = ref_float_sum(c, terms, 2);
}

/* lrp: src1 * src0 + src2 * (1 - src0) */
static void lrp(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	__float128 terms[3];
	double x, u, v;

	if (!float_source(c, 0, channel, &x) | !float_source(c, 1, channel, &u) | !float_source(c, 2, channel, &v)) {
		*o = ref_unknown(ref_float(0, c->exec_type), EU_REF_ALT_INPUT);
		return;
	}
	terms[0] = (__float128)u * x;
	terms[1] = v;
	terms[2] = -(__float128)v * x;
	*o = ref_float_sum(c, terms, 3);
	/* (1 - x) * v is NaN when v is infinite and x is 1. */
	if (isinf(v) && x == 1)
		o->v.f = NAN;
	else if (isinf(v))
		o->v.f = (double)terms[0] + v * (1 - x);
}

/* rndd, rndu, rnde, rndz, frc: 6.30, 6.49-6.52; the tables have denormals flushed. */
static void round_float(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	double a;

	if (!float_source(c, 0, channel, &a)) {
		*o = ref_unknown(ref_float(0, c->exec_type), EU_REF_ALT_INPUT);
		return;
	}
	*o = ref_float(a, c->exec_type);
	if (ref_is_denormal(c->exec_type, a)) {
		*o = ref_unknown(*o, EU_REF_DENORMAL_ROUND);
		return;
	}
	switch (c->inst->op) {
	case ISA_OP_RNDD:
		o->v.f = floor(a);
		break;
	case ISA_OP_RNDU:
		o->v.f = ceil(a);
		break;
	case ISA_OP_RNDZ:
		o->v.f = trunc(a);
		break;
	default:
		o->v.f = nearbyint(a);
	}
}

static void fraction(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	double a;

	if (!float_source(c, 0, channel, &a)) {
		*o = ref_unknown(ref_float(0, c->exec_type), EU_REF_ALT_INPUT);
		return;
	}
	if (ref_is_denormal(c->exec_type, a)) {
		*o = ref_unknown(ref_float(0, c->exec_type), EU_REF_DENORMAL_ROUND);
		return;
	}
	if (isinf(a)) {
		*o = ref_float(NAN, c->exec_type);
		return;
	}
	*o = ref_float_op(c, REF_ADD, a, -floor(a), 0);
	/* -0, and integers when rounding down: the table has +0. */
	if (o->v.f == 0)
		o->v.f = 0;
	/* The table excludes 1, an erratum has it come out where the rounding mode makes it so. */
	if (o->v.f >= 1 || (c->isa->gen < 80 && ref_rounding(c) == REF_DOWN))
		*o = ref_unknown(*o, EU_REF_FRACTION_ONE);
}

/* A comparison of any two sources: less, equal, unordered. */
struct comparison {
	bool less, equal, nan0, nan1, unknown;
};

static struct comparison compare(const struct ref_context *c, struct ref_value a, struct ref_value b)
{
	struct comparison r = { false, false, false, false, false };

	if (!a.is_float) {
		r.less = a.i < b.i;
		r.equal = a.i == b.i;
		return r;
	}
	a.f = ref_flush(c, a.type, a.f);
	b.f = ref_flush(c, b.type, b.f);
	r.nan0 = isnan(a.f);
	r.nan1 = isnan(b.f);
	r.less = a.f < b.f;
	r.equal = a.f == b.f;
	r.unknown = ref_alt(c) && a.type == ISA_TYPE_F && !(isfinite(a.f) && isfinite(b.f));
	return r;
}

/* 3.6: cmpn, and sel with .ge or .l, prefer the source that is not a NaN. */
static bool cmpn_condition(unsigned int code, const struct comparison *r)
{
	if (r->nan0)
		return false;
	return r->nan1 || (code == REF_GE ? !r->less : r->less);
}

static bool cmp_condition(unsigned int code, const struct comparison *r)
{
	return ref_condition(code, r->less, r->equal, r->nan0 || r->nan1, false);
}

/**
 * ref_compare() - the comparison in a branch of Gen6, as cmp does it
 * @c: the instruction
 * @channel: the channel
 * @unknown: set if the manuals do not know the result
 *
 * Return: does the condition hold?
 */
bool ref_compare(struct ref_context *c, unsigned int channel, bool *unknown)
{
	struct comparison r = compare(c, ref_source(c, 0, channel), ref_source(c, 1, channel));

	*unknown |= r.unknown;
	return cmp_condition(c->inst->cond, &r);
}

/* cmp, cmpn: 6.17, 6.18; all bits of the destination's element, on Gen6 the lowest alone (SNB 8.3.8). */
static void cmp(struct ref_context *c, unsigned int channel)
{
	struct comparison r = compare(c, ref_source(c, 0, channel), ref_source(c, 1, channel));
	bool cmpn = c->inst->op == ISA_OP_CMPN, value;
	__u64 unknown = 0;

	value = cmpn ? cmpn_condition(c->inst->cond, &r) : cmp_condition(c->inst->cond, &r);
	if (cmpn && r.nan0 && r.nan1) {
		r.unknown = true;
		ref_silent(c, EU_REF_NAN_SELECT);
	} else if (r.unknown) {
		ref_silent(c, EU_REF_ALT_INPUT);
	}
	if (c->isa->gen < 70) {
		unknown = ~1ull;
		ref_silent(c, EU_REF_COMPARE_BITS);
	}
	ref_write(c, &c->inst->dst, channel, value ? ~0ull : 0, r.unknown ? ~0ull : unknown);
	if (c->inst->align16 && !(c->inst->dst.write_mask >> channel % 4 & 1)) {
		r.unknown = true;
		ref_silent(c, EU_REF_CONDITION_MASKED);
	}
	ref_set_flag(c, channel, value, r.unknown);
}

/* A source is passed on: as it is, or with a condition as an arithmetic result. */
static void pass(struct ref_context *c, const struct ref_value *v, const struct isa_operand *from, bool computed,
		 struct ref_outcome *o)
{
	bool modified = from->file != ISA_IMMEDIATE && (from->abs || from->negate);

	*o = (struct ref_outcome){ .v = *v };
	if (!v->is_float)
		return;
	o->raw = !computed && !modified && !c->inst->saturate;
	if (o->raw)
		return;
	if (ref_alt(c) && v->type == ISA_TYPE_F && !isfinite(v->f)) {
		*o = ref_unknown(*o, EU_REF_ALT_INPUT);
	} else if (ref_is_denormal(v->type, v->f) && ref_flushes(c, v->type)) {
		if (computed)
			o->v.f = copysign(0, v->f);
		else
			*o = ref_unknown(*o, EU_REF_DENORMAL_MOVE);
	}
	o->conversion = true;
}

/* sel: 6.55 */
static void sel(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	struct ref_value a = ref_source(c, 0, channel), b = ref_source(c, 1, channel);
	unsigned int code = c->inst->cond;
	struct comparison r;
	bool first;

	if (!code) {
		first = ref_predicate(c, channel);
		pass(c, first ? &a : &b, &c->inst->src[!first], false, o);
		return;
	}
	r = compare(c, a, b);
	first = code == REF_GE || code == REF_L ? cmpn_condition(code, &r) : cmp_condition(code, &r);
	pass(c, first ? &a : &b, &c->inst->src[!first], true, o);
	/* "If either source is NaN then src1 is selected", with .ne too, of which cmp's rule says the opposite. */
	if (r.unknown)
		*o = ref_unknown(*o, EU_REF_ALT_INPUT);
	else if ((r.nan0 || r.nan1) && code == REF_NE)
		*o = ref_unknown(*o, EU_REF_NAN_SELECT);
}

/* csel: DG1 Vol 2a; src2 is compared with 0. */
static void csel(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	struct ref_value a = ref_source(c, 0, channel), b = ref_source(c, 1, channel), s = ref_source(c, 2, channel);
	struct ref_value none = { .is_float = s.is_float, .type = s.type };
	struct comparison r = compare(c, s, none);
	bool first = cmp_condition(c->inst->cond, &r);

	pass(c, first ? &a : &b, &c->inst->src[!first], false, o);
	/* A NaN is one, but its bits need not stay: this is no raw move. */
	if (o->v.is_float && isnan(o->v.f))
		o->raw = false;
	if (o->v.is_float && ref_is_denormal(o->v.type, o->v.f) && ref_flushes(c, o->v.type))
		*o = ref_unknown(*o, EU_REF_DENORMAL_MOVE);
	if (r.unknown)
		*o = ref_unknown(*o, EU_REF_ALT_INPUT);
}

/*
 * mov: 6.41.10. Between equal types without modifier and saturation it is raw; else denormals are kept by conversions
 * ("not flushed for format conversions", 2.3.1.2) up to Gen7, of later generations no manual at hand says so.
 */
static void mov(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	struct ref_value v = ref_source(c, 0, channel);
	const struct isa_operand *src = &c->inst->src[0], *dst = &c->inst->dst;
	bool same = v.type == dst->type, denormal, target;

	*o = (struct ref_outcome){ .v = v, .conversion = true };
	if (!v.is_float)
		return;
	if (same) {
		pass(c, &v, src, false, o);
		/* DG1 Vol 2a "mov": a source modifier keeps denormals, and so does saturation. */
		if (o->unknown && c->isa->gen >= 120)
			*o = (struct ref_outcome){ .v = v, .conversion = true };
		if (c->inst->cond && ref_is_denormal(v.type, v.f))
			*o = ref_unknown(*o, EU_REF_DENORMAL_MOVE);
	}
	if (ref_alt(c) && !isfinite(v.f) && (v.type == ISA_TYPE_F || dst->type == ISA_TYPE_F))
		*o = ref_unknown(*o, EU_REF_ALT_INPUT);
	if (same || !ref_is_float(dst->type))
		return;
	denormal = ref_is_denormal(v.type, v.f);
	target = fabs(v.f) > 0 && fabs(v.f) <= ref_smallest_normal(dst->type);
	if (c->isa->gen >= 80 ? (denormal && ref_flushes(c, v.type)) || (target && ref_flushes(c, dst->type)) :
				denormal && ref_rounding(c) != REF_NEAREST)
		*o = ref_unknown(*o, EU_REF_DENORMAL_CONVERT);
}

/* f32to16, f16to32: 6.26, 6.27; the half is in a word. */
static void half(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	struct ref_value v = ref_source(c, 0, channel);
	const struct isa_operand *src = &c->inst->src[0];
	bool inexact, overflow;
	double value;

	if (c->inst->op == ISA_OP_F16TO32) {
		value = ref_decode_float(ISA_TYPE_HF, v.bits);
		value = src->abs ? fabs(value) : value;
		*o = ref_float(src->negate ? -value : value, ISA_TYPE_F);
		o->conversion = true;
		return;
	}
	value = ref_round(ISA_TYPE_HF, v.f, ref_rounding(c), &inexact, &overflow);
	*o = ref_int(ref_encode_float(ISA_TYPE_HF, value), ISA_TYPE_UW);
	if (ref_is_denormal(ISA_TYPE_F, v.f) && ref_rounding(c) != REF_NEAREST)
		*o = ref_unknown(*o, EU_REF_DENORMAL_CONVERT);
	/* Any NaN: the judge cannot tell in an integer destination. */
	if (isnan(v.f)) {
		o->unknown_bits = 0x83ff;
		o->reason = EU_REF_NAN_SELECT;
	}
}

static bool float_operation(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	switch (c->inst->op) {
	case ISA_OP_ADD:
		float_binary(c, channel, REF_ADD, o);
		return true;
	case ISA_OP_MUL:
		float_binary(c, channel, REF_MUL, o);
		return true;
	case ISA_OP_MAD:
		float_mad(c, channel, o);
		return true;
	case ISA_OP_MAC:
		float_mac(c, channel, o);
		return true;
	case ISA_OP_LRP:
		lrp(c, channel, o);
		return true;
	case ISA_OP_RNDD:
	case ISA_OP_RNDU:
	case ISA_OP_RNDE:
	case ISA_OP_RNDZ:
		round_float(c, channel, o);
		return true;
	case ISA_OP_FRC:
		fraction(c, channel, o);
		return true;
	default:
		return false;
	}
}

/**
 * ref_operation() - an instruction on one channel
 * @c: the instruction
 * @channel: the channel, which is enabled
 * @o: the result; not touched if the instruction wrote itself what there is
 *
 * Return: is there a result to finish?
 */
bool ref_operation(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	switch (c->inst->op) {
	case ISA_OP_MOV:
		mov(c, channel, o);
		return true;
	case ISA_OP_SEL:
		sel(c, channel, o);
		return true;
	case ISA_OP_CSEL:
		csel(c, channel, o);
		return true;
	case ISA_OP_CMP:
	case ISA_OP_CMPN:
		cmp(c, channel);
		return false;
	case ISA_OP_F32TO16:
	case ISA_OP_F16TO32:
		half(c, channel, o);
		return true;
	}
	if (ref_is_float(c->exec_type) ? float_operation(c, channel, o) : ref_integer_operation(c, channel, o))
		return true;
	if (ref_vector(c, channel, o))
		return true;
	c->result->undefined = "an instruction without a rule in the reference";
	return false;
}
