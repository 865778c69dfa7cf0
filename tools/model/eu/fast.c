// SPDX-License-Identifier: MIT
/**
 * DOC: Handlers for common operations on 32 bits
 *
 * An operand of a type of up to 32 bits becomes vectors of eight channels of 32 bits, whatever its region
 * is: most are packed, scalar or immediate, the others are gathered. A handler loads all of its
 * vectors, computes, and stores the enabled channels. Integers are computed modulo 2^32, so what
 * needs more bits (saturation, overflow, comparing signed with unsigned) is left to generic.c; wide.c has other
 * integers. Accumulators are sources of floats and of such integers as need no more than 32 bits, and destinations of
 * floats. DAZ, FTZ and the rounding are in mxcsr.
 *
 * The file is compiled three times, for any x86-64 processor, for those with AVX2 and FMA, and for those with AVX-512,
 * where quick.h has 16 channels in a vector.
 */
#include "vector.h"

static inline void finish_int(struct eu_thread *t, const struct eu_uop *u, uint32_t mask, const v8i *r)
{
	unsigned int g, n = groups_of(u);
	uint32_t flags = 0;

	for (g = 0; g < n; g++) {
		if (u->cond)
			flags |= result_flags(u, r[g]) << 8 * g;
		store((uint8_t *)t, u, g, mask, r[g]);
	}
	if (u->cond)
		eu_set_flags(t, u, mask, flags);
}

/* By the sign, since a comparison with zero flushes denormals. */
static inline v8f clamp_float(v8f v)
{
	v8i positive = ((v8i)v > 0) & (v == v), large = v > 1;

	return (v8f)choose_lanes(large, (v8i)((v8f){ 0 } + 1), (v8i)v & positive);
}

/* Without infinities: the largest float in their place. */
static inline v8f alternative(v8f v)
{
	v8i infinite = ((v8i)v & 0x7fffffff) == 0x7f800000;

	return (v8f)((v8i)v + infinite);
}

/* Saturation makes a number of NaN, but not of its flag. */
static inline unsigned int nan_flags(unsigned int cond, unsigned int flags, unsigned int nans)
{
	return cond == 2 ? flags | nans : flags & ~nans;
}

static inline void finish_float(struct eu_thread *t, const struct eu_uop *u, uint32_t mask, v8f *r)
{
	unsigned int g, nans, n = groups_of(u);
	uint32_t flags = 0;

	for (g = 0; g < n; g++) {
		if (t->cr[0] & EU_CR0_ALT)
			r[g] = alternative(r[g]);
		nans = bits_of(r[g] != r[g]);
		if (u->saturate)
			r[g] = clamp_float(r[g]);
		if (u->cond)
			flags |= nan_flags(u->cond, float_flags(u->cond, r[g]), nans) << 8 * g;
		store((uint8_t *)t, u, g, mask, (v8i)r[g]);
	}
	if (u->cond)
		eu_set_flags(t, u, mask, flags);
}

static inline v8f flushed(const struct eu_core *core, v8f v)
{
	v8i kept = ((v8i)v & 0x7f800000) != 0;

	return core->mxcsr & EU_MXCSR_DAZ ? (v8f)((v8i)v & (kept | (int32_t)0x80000000)) : v;
}

#define HANDLER(name) static void name(struct eu_core *core, struct eu_thread *t, struct eu_uop *u)

/* Operations on one, two or three integers or floats; all loads come before the first store. */
#define INT1(name, expression) HANDLER(name)				\
{									\
	uint32_t mask = eu_enabled(core, t, u);				\
	const uint8_t *base = (const uint8_t *)t;			\
	unsigned int g, n = groups_of(u);				\
	v8i r[GROUPS];							\
									\
	for (g = 0; g < n; g++) {					\
		v8i a = load_int(base, &u->src[0], g);			\
									\
		r[g] = (expression);					\
	}								\
	finish_int(t, u, mask, r);					\
}

#define INT2(name, expression) HANDLER(name)				\
{									\
	uint32_t mask = eu_enabled(core, t, u);				\
	const uint8_t *base = (const uint8_t *)t;			\
	unsigned int g, n = groups_of(u);				\
	v8i r[GROUPS];							\
									\
	for (g = 0; g < n; g++) {					\
		v8i a = load_int(base, &u->src[0], g);			\
		v8i b = load_int(base, &u->src[1], g);			\
									\
		r[g] = (v8i)(expression);				\
	}								\
	finish_int(t, u, mask, r);					\
}

#define INT3(name, expression) HANDLER(name)				\
{									\
	uint32_t mask = eu_enabled(core, t, u);				\
	const uint8_t *base = (const uint8_t *)t;			\
	unsigned int g, n = groups_of(u);				\
	v8i r[GROUPS];							\
									\
	for (g = 0; g < n; g++) {					\
		v8i a = load_int(base, &u->src[0], g);			\
		v8i b = load_int(base, &u->src[1], g);			\
		v8i c = load_int(base, &u->src[2], g);			\
									\
		r[g] = (v8i)(expression);				\
	}								\
	finish_int(t, u, mask, r);					\
}

#define FLOAT1(name, expression) HANDLER(name)				\
{									\
	uint32_t mask = eu_enabled(core, t, u);				\
	const uint8_t *base = (const uint8_t *)t;			\
	unsigned int g, n = groups_of(u);				\
	v8f r[GROUPS];							\
									\
	for (g = 0; g < n; g++) {					\
		v8f a = load_float(base, &u->src[0], g);		\
									\
		r[g] = (expression);					\
	}								\
	finish_float(t, u, mask, r);					\
}

#define FLOAT2(name, expression) HANDLER(name)				\
{									\
	uint32_t mask = eu_enabled(core, t, u);				\
	const uint8_t *base = (const uint8_t *)t;			\
	unsigned int g, n = groups_of(u);				\
	v8f r[GROUPS];							\
									\
	for (g = 0; g < n; g++) {					\
		v8f a = load_float(base, &u->src[0], g);		\
		v8f b = load_float(base, &u->src[1], g);		\
									\
		r[g] = (expression);					\
	}								\
	finish_float(t, u, mask, r);					\
}

#define FLOAT3(name, expression) HANDLER(name)				\
{									\
	uint32_t mask = eu_enabled(core, t, u);				\
	const uint8_t *base = (const uint8_t *)t;			\
	unsigned int g, n = groups_of(u);				\
	v8f r[GROUPS];							\
									\
	for (g = 0; g < n; g++) {					\
		v8f a = load_float(base, &u->src[0], g);		\
		v8f b = load_float(base, &u->src[1], g);		\
		v8f c = load_float(base, &u->src[2], g);		\
									\
		r[g] = (expression);					\
	}								\
	finish_float(t, u, mask, r);					\
}

/* Comparisons: masks are stored, and are the flags. */
#define COMPARE(name, type, loader, expression) HANDLER(name)		\
{									\
	uint32_t mask = eu_enabled(core, t, u), flags = 0;		\
	const uint8_t *base = (const uint8_t *)t;			\
	unsigned int g, n = groups_of(u);				\
	v8i r[GROUPS];							\
									\
	for (g = 0; g < n; g++) {					\
		type a = (type)loader(base, &u->src[0], g);		\
		type b = (type)loader(base, &u->src[1], g);		\
									\
		r[g] = (v8i)(expression);				\
		flags |= bits_of(r[g]) << 8 * g;			\
	}								\
	for (g = 0; g < n; g++)						\
		store((uint8_t *)t, u, g, mask, r[g]);			\
	eu_set_flags(t, u, mask, flags);				\
}

/* sel with a condition, which is no predicate and sets no flag. */
#define SELECT(name, type, loader, expression) HANDLER(name)		\
{									\
	uint32_t mask = eu_unpredicated(core, u);			\
	const uint8_t *base = (const uint8_t *)t;			\
	unsigned int g, n = groups_of(u);				\
	v8i r[GROUPS];							\
									\
	for (g = 0; g < n; g++) {					\
		type a = (type)loader(base, &u->src[0], g);		\
		type b = (type)loader(base, &u->src[1], g);		\
									\
		r[g] = choose_lanes((v8i)(expression), (v8i)a, (v8i)b);	\
	}								\
	for (g = 0; g < n; g++)						\
		store((uint8_t *)t, u, g, mask, r[g]);			\
}

static inline v8i shift_count(v8i b)
{
	return b & 31;
}

static inline v8u ones(void)
{
	return (v8u){ 0 } + 1;
}

INT1(op_mov, a)
INT1(op_not, ~a)
INT2(op_and, a & b)
INT2(op_or, a | b)
INT2(op_xor, a ^ b)
INT2(op_add, (v8u)a + (v8u)b)
INT2(op_mul, (v8u)a * (v8u)b)
INT2(op_mul_low0, (v8u)(a & 0xffff) * (v8u)b)
INT2(op_mul_low1, (v8u)a * (v8u)(b & 0xffff))
INT2(op_shl, (v8u)a << (v8u)shift_count(b))
INT2(op_shr, (v8u)a >> (v8u)shift_count(b))
INT2(op_asr, a >> shift_count(b))
INT3(op_mad, (v8u)a + (v8u)b * (v8u)c)
INT2(op_bfi1, ((ones() << (v8u)shift_count(a)) - 1) << (v8u)shift_count(b))

FLOAT1(op_mov_f, a)
FLOAT2(op_add_f, a + b)
FLOAT2(op_mul_f, a * b)

COMPARE(cmp_eq, v8i, load_int, a == b)
COMPARE(cmp_ne, v8i, load_int, a != b)
COMPARE(cmp_gt, v8i, load_int, a > b)
COMPARE(cmp_ge, v8i, load_int, a >= b)
COMPARE(cmp_lt, v8i, load_int, a < b)
COMPARE(cmp_le, v8i, load_int, a <= b)
COMPARE(cmp_gt_u, v8u, load_int, a > b)
COMPARE(cmp_ge_u, v8u, load_int, a >= b)
COMPARE(cmp_lt_u, v8u, load_int, a < b)
COMPARE(cmp_le_u, v8u, load_int, a <= b)
COMPARE(cmp_eq_f, v8f, load_float, a == b)
COMPARE(cmp_ne_f, v8f, load_float, a != b)
COMPARE(cmp_gt_f, v8f, load_float, a > b)
COMPARE(cmp_ge_f, v8f, load_float, a >= b)
COMPARE(cmp_lt_f, v8f, load_float, a < b)
COMPARE(cmp_le_f, v8f, load_float, a <= b)

SELECT(sel_ge, v8i, load_int, a >= b)
SELECT(sel_lt, v8i, load_int, a < b)
SELECT(sel_ge_u, v8u, load_int, a >= b)
SELECT(sel_lt_u, v8u, load_int, a < b)

HANDLER(sel_pred)
{
	uint32_t mask = eu_unpredicated(core, u), first = eu_pmask(core, t, u);
	const uint8_t *base = (const uint8_t *)t;
	unsigned int g, n = groups_of(u);
	v8i r[GROUPS];

	for (g = 0; g < n; g++)
		r[g] = choose_lanes(lanes_of(first >> 8 * g & 0xff), load_int(base, &u->src[0], g),
				    load_int(base, &u->src[1], g));
	for (g = 0; g < n; g++)
		store((uint8_t *)t, u, g, mask, r[g]);
}

HANDLER(sel_pred_f)
{
	uint32_t mask = eu_unpredicated(core, u), first = eu_pmask(core, t, u);
	const uint8_t *base = (const uint8_t *)t;
	unsigned int g, n = groups_of(u);
	v8f r[GROUPS];

	for (g = 0; g < n; g++) {
		r[g] = (v8f)choose_lanes(lanes_of(first >> 8 * g & 0xff), (v8i)load_float(base, &u->src[0], g),
					 (v8i)load_float(base, &u->src[1], g));
		if (u->saturate)
			r[g] = clamp_float(r[g]);
	}
	for (g = 0; g < n; g++)
		store((uint8_t *)t, u, g, mask, (v8i)r[g]);
}

/* sel.ge and sel.l of floats: the source that is no NaN, denormals flushed. */
HANDLER(sel_minmax_f)
{
	uint32_t mask = eu_unpredicated(core, u);
	const uint8_t *base = (const uint8_t *)t;
	unsigned int g, n = groups_of(u);
	v8f r[GROUPS];

	for (g = 0; g < n; g++) {
		v8f a = flushed(core, load_float(base, &u->src[0], g));
		v8f b = flushed(core, load_float(base, &u->src[1], g));
		v8i first = u->cond == 4 ? a >= b : a < b;

		first |= (b != b) & (a == a);
		r[g] = (v8f)choose_lanes(first, (v8i)a, (v8i)b);
		if (t->cr[0] & EU_CR0_ALT)
			r[g] = alternative(r[g]);
		if (u->saturate)
			r[g] = clamp_float(r[g]);
	}
	for (g = 0; g < n; g++)
		store((uint8_t *)t, u, g, mask, (v8i)r[g]);
}

/* bfe of unsigned and signed dwords. */
static inline v8i extract(v8i width, v8i offset, v8i value, bool is_signed)
{
	v8i left, right, inside;

	width &= 31;
	offset &= 31;
	inside = width + offset < 32;
	left = (32 - width - offset) & inside;
	right = choose_lanes(inside, 32 - width, offset);
	value = (v8i)((v8u)value << (v8u)left);
	/* A width of 0 is a shift by 32. */
	right &= 31;
	value = is_signed ? value >> right : (v8i)((v8u)value >> (v8u)right);
	return value & (width != 0);
}

INT3(op_bfe_u, extract(a, b, c, false))
INT3(op_bfe_s, extract(a, b, c, true))

/* Integers to floats; an unsigned dword is two halves, of which only the sum is rounded. */
HANDLER(int_to_float)
{
	uint32_t mask = eu_enabled(core, t, u);
	const uint8_t *base = (const uint8_t *)t;
	unsigned int g, n = groups_of(u);
	v8f r[GROUPS];

	for (g = 0; g < n; g++)
		r[g] = __builtin_convertvector(load_int(base, &u->src[0], g), v8f);
	finish_float(t, u, mask, r);
}

HANDLER(unsigned_to_float)
{
	uint32_t mask = eu_enabled(core, t, u);
	const uint8_t *base = (const uint8_t *)t;
	unsigned int g, n = groups_of(u);
	v8f r[GROUPS];

	for (g = 0; g < n; g++) {
		v8u a = (v8u)load_int(base, &u->src[0], g);
		v8f high = __builtin_convertvector((v8i)(a >> 16), v8f);

		r[g] = high * 65536 + __builtin_convertvector((v8i)(a & 0xffff), v8f);
	}
	finish_float(t, u, mask, r);
}

/* mov of one channel to bytes or a word, or to what is no register of vectors. */
HANDLER(op_mov_one)
{
	const struct eu_fast_source *s = &u->src[0];
	const uint8_t *base = (const uint8_t *)t;
	uint32_t v = s->shape == EU_SPLAT ? s->value : (uint32_t)scalar(base + s->off, s->type);

	if (eu_enabled(core, t, u))
		eu_put((uint8_t *)t + u->dst, u->cold->dst.size, (v ^ s->xor) - s->and);
}

#ifdef __AVX2__
static inline v8f fused(v8f a, v8f b, v8f c)
{
	return __builtin_ia32_vfmaddps256(a, b, c);
}

static inline v8i truncated(v8f a)
{
	v8i r = __builtin_ia32_cvttps2dq256(a), large = a >= 0x1p31f, number = a == a;

	return choose_lanes(large, (v8i){ 0 } + INT32_MAX, r) & number;
}

static inline v8i truncated_unsigned(v8f a)
{
	v8i upper = a >= 0x1p31f, huge = a >= 0x1p32f, positive = a > 0;
	v8f low = (v8f)choose_lanes(upper, (v8i)(a - 0x1p31f), (v8i)a);
	v8i r = __builtin_ia32_cvttps2dq256(low) ^ (upper & INT32_MIN);

	return (r | huge) & positive;
}

static inline v8i limited(v8i v, int32_t low, int32_t high)
{
	v = choose_lanes(v < low, (v8i){ 0 } + low, v);
	return choose_lanes(v > high, (v8i){ 0 } + high, v);
}

HANDLER(float_to_int)
{
	uint32_t mask = eu_enabled(core, t, u);
	const uint8_t *base = (const uint8_t *)t;
	unsigned int g, n = groups_of(u);
	v8i r[GROUPS];

	for (g = 0; g < n; g++) {
		v8f a = load_float(base, &u->src[0], g);

		switch (u->dst_type) {
		case ISA_TYPE_UD:
			r[g] = truncated_unsigned(a);
			break;
		case ISA_TYPE_W:
			r[g] = limited(truncated(a), INT16_MIN, INT16_MAX);
			break;
		case ISA_TYPE_UW:
			r[g] = limited(truncated(a), 0, UINT16_MAX);
			break;
		case ISA_TYPE_B:
			r[g] = limited(truncated(a), INT8_MIN, INT8_MAX);
			break;
		case ISA_TYPE_UB:
			r[g] = limited(truncated(a), 0, UINT8_MAX);
			break;
		default:
			r[g] = truncated(a);
			break;
		}
	}
	finish_int(t, u, mask, r);
}

FLOAT3(op_mad_f, fused(b, c, a))
FLOAT1(op_rndd_f, __builtin_ia32_roundps256(flushed(core, a), 9))
FLOAT1(op_rndu_f, __builtin_ia32_roundps256(flushed(core, a), 10))
FLOAT1(op_rndz_f, __builtin_ia32_roundps256(flushed(core, a), 11))
FLOAT1(op_rnde_f, __builtin_ia32_roundps256(flushed(core, a), 8))

/* Math rounds to nearest; with another mode in mxcsr the generic way changes it. */
#define MATH(name, form, expression)					\
form(name##_nearest, expression)					\
HANDLER(name)								\
{									\
	if (core->mxcsr >> EU_MXCSR_ROUND_SHIFT & 3)			\
		eu_generic(core, t, u);					\
	else								\
		name##_nearest(core, t, u);				\
}

static inline v8f square_root(const struct eu_thread *t, v8f a)
{
	return __builtin_ia32_sqrtps256(t->cr[0] & EU_CR0_ALT ? (v8f)((v8i)a & 0x7fffffff) : a);
}

MATH(math_inv, FLOAT1, 1 / a)
MATH(math_fdiv, FLOAT2, a / b)
MATH(math_sqt, FLOAT1, square_root(t, a))
MATH(math_rsqt, FLOAT1, 1 / square_root(t, a))

static inline v8f splat_at(const uint8_t *base, unsigned int off, const struct eu_fast_source *s)
{
	int32_t bits;

	memcpy(&bits, base + off, 4);
	return (v8f)((((v8i){ 0 } + bits) & (int32_t)s->and) ^ (int32_t)s->xor);
}

/* pln: registers of the two vectors take turns. */
HANDLER(op_pln)
{
	uint32_t mask = eu_enabled(core, t, u);
	const uint8_t *base = (const uint8_t *)t;
	unsigned int g, n = groups_of(u), four = u->src[0].off & ~15u;
	v8f p = splat_at(base, u->src[0].off, &u->src[0]), q = splat_at(base, four + 4, &u->src[0]);
	v8f last = splat_at(base, four + 12, &u->src[0]), r[GROUPS];

	for (g = 0; g < n; g++)
		r[g] = fused(q, load_float(base, &u->src[1], 2 * g + 1),
			     fused(p, load_float(base, &u->src[1], 2 * g), last));
	finish_float(t, u, mask, r);
}

static eu_handler pick_avx2(const struct eu_uop *u)
{
	const struct eu_cold *cold = u->cold;

	if (u->op == ISA_OP_MATH) {
		switch (cold->inst.function) {
		case ISA_MATH_INV:
			return math_inv;
		case ISA_MATH_FDIV:
			return math_fdiv;
		case ISA_MATH_SQT:
			return math_sqt;
		case ISA_MATH_RSQT:
			return math_rsqt;
		default:
			return NULL;
		}
	}
	switch (u->op) {
	case ISA_OP_MAD:
		return op_mad_f;
	case ISA_OP_RNDD:
		return op_rndd_f;
	case ISA_OP_RNDU:
		return op_rndu_f;
	case ISA_OP_RNDZ:
		return op_rndz_f;
	case ISA_OP_RNDE:
		return op_rnde_f;
	case ISA_OP_PLN:
		return u->src[1].shape == EU_PACKED ? op_pln : NULL;
	default:
		return NULL;
	}
}
#else
static eu_handler pick_avx2(const struct eu_uop *u)
{
	(void)u;
	return NULL;
}
#endif

#include "quick.h"

static eu_handler pick_float(const struct eu_uop *u)
{
	static const eu_handler compares[] = {
		NULL, cmp_eq_f, cmp_ne_f, cmp_gt_f, cmp_ge_f, cmp_lt_f, cmp_le_f,
	};

	if (u->op == ISA_OP_CMP)
		return u->cond < 7 ? compares[u->cond] : NULL;
	if (u->dst_type != ISA_TYPE_F) {
#ifdef __AVX2__
		if (u->op == ISA_OP_MOV && !u->cond)
			return float_to_int;
#endif
		return NULL;
	}
	switch (u->op) {
	case ISA_OP_MOV:
		return op_mov_f;
	case ISA_OP_ADD:
		return op_add_f;
	case ISA_OP_MUL:
		return op_mul_f;
	case ISA_OP_SEL:
		if (!u->cond)
			return sel_pred_f;
		return u->cond == 4 || u->cond == 5 ? sel_minmax_f : NULL;
	default:
		return pick_avx2(u);
	}
}

static bool is_dword(const struct eu_operand *o)
{
	return o->size == 4;
}

/* Do the two sources compare as signed dwords, or (is_unsigned) as unsigned ones? */
static bool comparable(const struct eu_cold *cold, bool *is_unsigned)
{
	const struct eu_operand *a = &cold->src[0], *b = &cold->src[1];
	bool ua = a->type == ISA_TYPE_UD, ub = b->type == ISA_TYPE_UD;

	if ((a->negate && is_dword(a)) || (b->negate && is_dword(b)))
		return false;
	*is_unsigned = ua || ub;
	if (!*is_unsigned)
		return true;
	return !a->negate && !b->negate && a->kind == ISA_UNSIGNED && b->kind == ISA_UNSIGNED;
}

static eu_handler pick_compare(const struct eu_uop *u)
{
	static const eu_handler compares[2][7] = {
		{ NULL, cmp_eq, cmp_ne, cmp_gt, cmp_ge, cmp_lt, cmp_le },
		{ NULL, cmp_eq, cmp_ne, cmp_gt_u, cmp_ge_u, cmp_lt_u, cmp_le_u },
	};
	bool is_unsigned = false;

	if (u->op == ISA_OP_SEL && !u->cond)
		return sel_pred;
	if (u->cond > 6 || !comparable(u->cold, &is_unsigned))
		return NULL;
	if (u->op == ISA_OP_CMP)
		return compares[is_unsigned][u->cond];
	if (u->cond == 4)
		return is_unsigned ? sel_ge_u : sel_ge;
	if (u->cond == 5)
		return is_unsigned ? sel_lt_u : sel_lt;
	return NULL;
}

static bool is_mov_one(const struct eu_uop *u)
{
	unsigned int shape = u->src[0].shape;

	return u->dst_shape == EU_SCALAR && !u->cond && (shape == EU_SPLAT || shape == EU_SCALAR);
}

static eu_handler pick_int(const struct eu_core *core, const struct eu_uop *u)
{
	const struct eu_operand *a = &u->cold->src[0], *b = &u->cold->src[1];

	if (u->op == ISA_OP_CMP || (u->op == ISA_OP_SEL && u->dst_type != ISA_TYPE_F))
		return pick_compare(u);
	if (u->dst_type == ISA_TYPE_F) {
		if (u->op != ISA_OP_MOV || (a->negate && is_dword(a)))
			return NULL;
		return a->type == ISA_TYPE_UD ? unsigned_to_float : int_to_float;
	}
	switch (u->op) {
	case ISA_OP_MOV:
		return is_mov_one(u) ? op_mov_one : op_mov;
	case ISA_OP_NOT:
		return op_not;
	case ISA_OP_AND:
		return op_and;
	case ISA_OP_OR:
		return op_or;
	case ISA_OP_XOR:
		return op_xor;
	case ISA_OP_ADD:
		return op_add;
	case ISA_OP_MUL:
		if (!is_dword(a) || !is_dword(b) || core->dword_mul)
			return op_mul;
		return core->traits->mul_low_src0 ? op_mul_low0 : op_mul_low1;
	case ISA_OP_SHL:
		return op_shl;
	case ISA_OP_SHR:
		return (a->kind == ISA_UNSIGNED && !a->negate) || is_dword(a) ? op_shr : NULL;
	case ISA_OP_ASR:
		if (a->negate && is_dword(a))
			return NULL;
		return a->type == ISA_TYPE_UD ? op_shr : op_asr;
	case ISA_OP_MAD:
		return op_mad;
	case ISA_OP_BFE:
		return u->cold->src[2].kind == ISA_SIGNED ? op_bfe_s : op_bfe_u;
	case ISA_OP_BFI1:
		return op_bfi1;
	default:
		return NULL;
	}
}

/* Where the first channel is, in bytes from the start of the thread; 0 if it is not in a register file. */
static unsigned int offset_in_thread(const struct eu_core *core, const struct eu_operand *o, unsigned int exec,
				     bool is_dst, uint8_t *shape)
{
	unsigned int reg = o->off[0] / EU_GRF_BYTES, at = o->off[0] % EU_GRF_BYTES;

	switch (o->place) {
	case EU_GRF:
		return o->off[0];
	case EU_MRF:
		return *shape == EU_GATHER ? 0 : offsetof(struct eu_thread, mrf) + o->off[0];
	case EU_ACC:
		if (o->size != 4 || (*shape != EU_PACKED && *shape != EU_SCALAR) || at % 4 ||
		    (*shape == EU_PACKED && (at || reg + (exec + 7) / 8 > EU_ACCS)))
			return 0;
		if (*shape == EU_PACKED)
			*shape = EU_CELLS;
		return offsetof(struct eu_thread, acc) + reg * CELLS_BYTES + at / 4 * 8;
	case EU_ARF:
		if (is_dst && exec == 1)
			*shape = EU_SCALAR;
		return eu_arf_offset(core, o, exec, is_dst);
	default:
		return 0;
	}
}

static bool prepare_source(const struct eu_core *core, const struct eu_uop *u, struct eu_operand *o,
			   struct eu_fast_source *s)
{
	bool is_float = o->type == ISA_TYPE_F, in_float = u->cold->class == EU_FLOAT;

	if (o->size > 4 || (o->kind == ISA_FLOAT && !is_float) || o->kind == ISA_VECTOR || o->indirect)
		return false;
	if (is_float != in_float || (o->abs && !is_float && !o->bitwise))
		return false;
	s->type = o->type;
	s->xor = 0;
	s->and = is_float ? ~0u : 0;
	if (is_float && o->abs)
		s->and = 0x7fffffff;
	if (o->negate && !(o->bitwise && o->abs))
		s->xor = is_float ? 0x80000000 : ~0u;
	if (s->xor && o->bitwise && o->kind == ISA_UNSIGNED && o->size < 4)
		s->xor = (1u << 8 * o->size) - 1;
	if (o->negate && !is_float && !o->bitwise)
		s->and = ~0u;
	if (o->place == EU_IMMEDIATE) {
		eu_splat(o, s);
		return true;
	}
	s->lanes = o->off;
	s->shape = eu_shape_of(o, u->exec);
	s->off = offset_in_thread(core, o, u->exec, false, &s->shape);
	return s->off || o->place == EU_GRF;
}

/* Operations whose result's 32 bits are made of the low 32 bits of an accumulator. */
static bool takes_low_bits(const struct eu_uop *u)
{
	switch (u->op) {
	case ISA_OP_MOV:
	case ISA_OP_NOT:
	case ISA_OP_AND:
	case ISA_OP_OR:
	case ISA_OP_XOR:
	case ISA_OP_ADD:
	case ISA_OP_SHL:
	case ISA_OP_MAD:
		return u->cold->dst.kind != ISA_FLOAT;
	default:
		return false;
	}
}

/* Where the handlers store, and how; false: they do not. */
static bool prepare_destination(const struct eu_core *core, struct eu_uop *u)
{
	const struct eu_operand *dst = &u->cold->dst;

	u->dst_type = dst->type;
	u->dst_shape = EU_SPLAT;
	if (dst->place == EU_NULL)
		return true;
	u->dst_shape = eu_dst_shape_of(dst, u->exec);
	u->dst = offset_in_thread(core, dst, u->exec, true, &u->dst_shape);
	if (dst->place == EU_GRF)
		return true;
	if (dst->place == EU_ARF)
		return u->dst;
	if (dst->place == EU_MRF)
		return u->dst_shape == EU_PACKED;
	return u->dst_shape == EU_CELLS && dst->kind == ISA_FLOAT && u->op != ISA_OP_CMP;
}

static eu_handler choose(const struct eu_core *core, struct eu_uop *u)
{
	struct eu_cold *cold = u->cold;
	struct eu_operand *dst = &cold->dst;
	unsigned int i;

	if (cold->class > EU_FLOAT || cold->class == EU_HALF || u->acc_write || u->cond > 6 || cold->inst.macro)
		return NULL;
	if (dst->size > 4 || dst->indirect || (dst->kind == ISA_FLOAT && dst->type != ISA_TYPE_F) ||
	    (u->saturate && dst->kind != ISA_FLOAT))
		return NULL;
	/* sel does not convert, and a compare's masks have the destination's size. */
	for (i = 0; i < cold->inst.nsources; i++) {
		if (!prepare_source(core, u, &cold->src[i], &u->src[i]))
			return NULL;
		if (cold->class == EU_INT && cold->src[i].place == EU_ACC && !takes_low_bits(u))
			return NULL;
	}
	if (!prepare_destination(core, u))
		return NULL;
	return quick_of(u, cold->class == EU_FLOAT ? pick_float(u) : pick_int(core, u));
}

const struct eu_fast EU_FAST = { choose };
