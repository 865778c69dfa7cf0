/* SPDX-License-Identifier: MIT */
/**
 * DOC: The most common shapes
 *
 * Most instructions have up to 8, or 16 channels, packed, scalar or immediate sources of 32 bits, no saturation, no
 * predicate or one flag a channel, and either a packed destination or a condition. For those fast.c's handlers are
 * written out once more, with nothing to decide and nothing to call.
 * Letters of a name say what the sources are: P packed, N the same negated, S scalar, H a scalar word, I immediate,
 * D every second dword, W unsigned words, L such in the low halves of dwords.
 */
#ifndef IGEN_MODEL_EU_QUICK_H
#define IGEN_MODEL_EU_QUICK_H

#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* No handler calls a function: with a call compilers keep vectors on the stack, and do not clear their upper halves. */
#define QUICK_INLINE inline __attribute__((always_inline))

/*
 * Vectors of up to 8 channels, and of 16: one vector with AVX-512, else two of 8. quick1i and its like are the vectors,
 * QUICK_VECTORS1 and QUICK_VECTORS2 how many there are.
 */
#define quick1i v8i
#define quick1u v8u
#define quick1f v8f
#define QUICK_VECTORS1 1
#ifdef __AVX512F__
typedef int32_t quick2i __attribute__((vector_size(64)));
typedef uint32_t quick2u __attribute__((vector_size(64)));
#define quick2f __attribute__((vector_size(64))) float
#define QUICK_VECTORS2 1
#else
#define quick2i v8i
#define quick2u v8u
#define quick2f v8f
#define QUICK_VECTORS2 2
#endif

#define QUICK_LOADS(groups)						\
static inline quick##groups##i quick_p##groups(const uint8_t *base, const struct eu_fast_source *s, unsigned int at) \
{									\
	quick##groups##i v;						\
									\
	memcpy(&v, base + s->off + sizeof(v) * at, sizeof(v));		\
	return v;							\
}									\
									\
static inline quick##groups##i quick_s##groups(const uint8_t *base, const struct eu_fast_source *s, unsigned int at) \
{									\
	quick##groups##i v = { 0 };					\
	int32_t d;							\
									\
	(void)at;							\
	memcpy(&d, base + s->off, sizeof(d));				\
	return v + d;							\
}									\
									\
static inline quick##groups##i quick_i##groups(const uint8_t *base, const struct eu_fast_source *s, unsigned int at) \
{									\
	quick##groups##i v = { 0 };					\
									\
	(void)base;							\
	(void)at;							\
	return v + (int32_t)s->value;					\
}									\
									\
static inline quick##groups##i quick_int##groups(quick##groups##i v, const struct eu_fast_source *s) \
{									\
	(void)s;							\
	return v;							\
}									\
									\
static inline quick##groups##i quick_float##groups(quick##groups##i v, const struct eu_fast_source *s) \
{									\
	return (v & (int32_t)s->and) ^ (int32_t)s->xor;			\
}

QUICK_LOADS(1)
QUICK_LOADS(2)

#define QUICK_MORE_LOADS(groups)					\
static inline quick##groups##i quick_n##groups(const uint8_t *base, const struct eu_fast_source *s, unsigned int at) \
{									\
	return -quick_p##groups(base, s, at);				\
}									\
									\
static inline quick##groups##i quick_h##groups(const uint8_t *base, const struct eu_fast_source *s, unsigned int at) \
{									\
	quick##groups##i v = { 0 };					\
									\
	(void)at;							\
	return v + scalar(base + s->off, s->type);			\
}									\
									\
static inline quick##groups##i quick_l##groups(const uint8_t *base, const struct eu_fast_source *s, unsigned int at) \
{									\
	return quick_p##groups(base, s, at) & 0xffff;			\
}

QUICK_MORE_LOADS(1)
QUICK_MORE_LOADS(2)

static inline quick1i quick_d1(const uint8_t *base, const struct eu_fast_source *s, unsigned int at)
{
	return load_pairs(base + s->off + 64 * at);
}

static inline quick1i quick_w1(const uint8_t *base, const struct eu_fast_source *s, unsigned int at)
{
	v8uw words;

	memcpy(&words, base + s->off + sizeof(words) * at, sizeof(words));
	return __builtin_convertvector(words, v8i);
}

#ifdef __AVX512F__
static inline quick2i quick_d2(const uint8_t *base, const struct eu_fast_source *s, unsigned int at)
{
	quick2i low, high;

	(void)at;
	memcpy(&low, base + s->off, sizeof(low));
	memcpy(&high, base + s->off + sizeof(low), sizeof(high));
	return __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}

static inline quick2i quick_w2(const uint8_t *base, const struct eu_fast_source *s, unsigned int at)
{
	__m256i words;

	(void)at;
	memcpy(&words, base + s->off, sizeof(words));
	return (quick2i)_mm512_cvtepu16_epi32(words);
}
#else
#define quick_d2 quick_d1
#define quick_w2 quick_w1
#endif

static inline quick1i quick_lanes1(uint32_t mask)
{
	return lanes_of(mask & 0xff);
}

static inline uint32_t quick_bits1(quick1i mask)
{
	return bits_of(mask);
}

static inline quick1i quick_choose1(uint32_t mask, quick1i a, quick1i b)
{
	return choose_lanes(quick_lanes1(mask), a, b);
}

#ifdef __AVX512F__
static inline uint32_t quick_bits2(quick2i mask)
{
	return _mm512_movepi32_mask((__m512i)mask);
}

static inline quick2i quick_choose2(uint32_t mask, quick2i a, quick2i b)
{
	return (quick2i)_mm512_mask_blend_epi32((__mmask16)mask, (__m512i)b, (__m512i)a);
}
#else
#define quick_bits2 quick_bits1
#define quick_choose2 quick_choose1
#endif

/* A store with a mask would keep the next instruction's load waiting, unless all channels are on. */
#define QUICK_STORE(groups)						\
static inline void quick_store##groups(uint8_t *to, uint32_t mask, const quick##groups##i r[]) \
{									\
	const uint32_t all = (1u << sizeof(r[0]) / 4) - 1;		\
	unsigned int g;							\
									\
	for (g = 0; g < QUICK_VECTORS##groups; g++, mask >>= 8, to += sizeof(r[0])) { \
		quick##groups##i v = r[g], old;				\
									\
		if ((mask & all) != all) {				\
			memcpy(&old, to, sizeof(old));			\
			v = quick_choose##groups(mask, v, old);		\
		}							\
		memcpy(to, &v, sizeof(v));				\
	}								\
}

QUICK_STORE(1)
QUICK_STORE(2)

/* eu_unpredicated(), eu_pmask() and eu_enabled() for these. */
static QUICK_INLINE uint32_t quick_unpredicated(const struct eu_core *core, const struct eu_uop *u)
{
	return u->no_mask ? u->lanes : u->lanes & (core->emask >> u->offset);
}

static QUICK_INLINE uint32_t quick_pmask(const struct eu_thread *t, const struct eu_uop *u)
{
	uint64_t flags;
	uint32_t bits;

	memcpy(&flags, t->flag, sizeof(flags));
	bits = (uint32_t)(flags >> u->flag_bit % 64);
	return (u->inverse ? ~bits : bits) >> u->offset;
}

static QUICK_INLINE uint32_t quick_enabled(const struct eu_core *core, const struct eu_thread *t,
					   const struct eu_uop *u)
{
	uint32_t mask = quick_unpredicated(core, u);

	return u->predicate ? mask & quick_pmask(t, u) : mask;
}

/* Results without infinities (cr0.0 bit 0) are left to the handler that can do everything. */
static inline bool quick_int_differs(const struct eu_thread *t)
{
	(void)t;
	return false;
}

static inline bool quick_float_differs(const struct eu_thread *t)
{
	return t->cr[0] & EU_CR0_ALT;
}

#define QUICK1(general, kind, letter, x, groups, expression)		\
static void general##_##x##groups(struct eu_core *core, struct eu_thread *t, struct eu_uop *u) \
{									\
	const uint8_t *base = (const uint8_t *)t;			\
	quick##groups##i r[QUICK_VECTORS##groups];			\
	unsigned int g;							\
									\
	if (quick_##kind##_differs(t)) {				\
		general(core, t, u);					\
	} else {							\
		for (g = 0; g < QUICK_VECTORS##groups; g++) {		\
			const quick##groups##letter a = (quick##groups##letter)quick_##kind##groups( \
				quick_##x##groups(base, &u->src[0], g), &u->src[0]); \
									\
			r[g] = (quick##groups##i)(expression);		\
		}							\
		quick_store##groups((uint8_t *)t + u->dst, quick_enabled(core, t, u), r); \
	}								\
}

#define QUICK2(general, kind, letter, x, y, groups, expression)		\
static void general##_##x##y##groups(struct eu_core *core, struct eu_thread *t, struct eu_uop *u) \
{									\
	const uint8_t *base = (const uint8_t *)t;			\
	quick##groups##i r[QUICK_VECTORS##groups];			\
	unsigned int g;							\
									\
	if (quick_##kind##_differs(t)) {				\
		general(core, t, u);					\
	} else {							\
		for (g = 0; g < QUICK_VECTORS##groups; g++) {		\
			const quick##groups##letter a = (quick##groups##letter)quick_##kind##groups( \
				quick_##x##groups(base, &u->src[0], g), &u->src[0]); \
			const quick##groups##letter b = (quick##groups##letter)quick_##kind##groups( \
				quick_##y##groups(base, &u->src[1], g), &u->src[1]); \
									\
			r[g] = (quick##groups##i)(expression);		\
		}							\
		quick_store##groups((uint8_t *)t + u->dst, quick_enabled(core, t, u), r); \
	}								\
}

#define QUICK3(general, kind, letter, x, y, z, groups, function)	\
static void general##_##x##y##z##groups(struct eu_core *core, struct eu_thread *t, struct eu_uop *u) \
{									\
	const uint8_t *base = (const uint8_t *)t;			\
	quick##groups##i r[QUICK_VECTORS##groups];			\
	unsigned int g;							\
									\
	if (quick_##kind##_differs(t)) {				\
		general(core, t, u);					\
	} else {							\
		for (g = 0; g < QUICK_VECTORS##groups; g++) {		\
			const quick##groups##letter a = (quick##groups##letter)quick_##kind##groups( \
				quick_##x##groups(base, &u->src[0], g), &u->src[0]); \
			const quick##groups##letter b = (quick##groups##letter)quick_##kind##groups( \
				quick_##y##groups(base, &u->src[1], g), &u->src[1]); \
			const quick##groups##letter c = (quick##groups##letter)quick_##kind##groups( \
				quick_##z##groups(base, &u->src[2], g), &u->src[2]); \
									\
			r[g] = (quick##groups##i)function##groups(a, b, c);		\
		}							\
		quick_store##groups((uint8_t *)t + u->dst, quick_enabled(core, t, u), r); \
	}								\
}

/* A comparison whose masks go nowhere: the flags alone. */
#define QUICK_COMPARE(general, kind, letter, x, y, groups, expression)	\
static void general##_##x##y##groups(struct eu_core *core, struct eu_thread *t, struct eu_uop *u) \
{									\
	const uint8_t *base = (const uint8_t *)t;			\
	uint32_t flags = 0;						\
	unsigned int g;							\
									\
	for (g = 0; g < QUICK_VECTORS##groups; g++) {			\
		const quick##groups##letter a = (quick##groups##letter)quick_##kind##groups( \
			quick_##x##groups(base, &u->src[0], g), &u->src[0]); \
		const quick##groups##letter b = (quick##groups##letter)quick_##kind##groups( \
			quick_##y##groups(base, &u->src[1], g), &u->src[1]); \
									\
		flags |= quick_bits##groups((quick##groups##i)(expression)) << 8 * g; \
	}								\
	eu_set_flags(t, u, quick_enabled(core, t, u), flags);		\
}

/* sel with a predicate. */
#define QUICK_SELECT(general, kind, x, y, groups)			\
static void general##_##x##y##groups(struct eu_core *core, struct eu_thread *t, struct eu_uop *u) \
{									\
	uint32_t first = quick_pmask(t, u);				\
	const uint8_t *base = (const uint8_t *)t;			\
	quick##groups##i r[QUICK_VECTORS##groups];			\
	unsigned int g;							\
									\
	for (g = 0; g < QUICK_VECTORS##groups; g++)			\
		r[g] = quick_choose##groups(first >> 8 * g,		\
			quick_##kind##groups(quick_##x##groups(base, &u->src[0], g), &u->src[0]), \
			quick_##kind##groups(quick_##y##groups(base, &u->src[1], g), &u->src[1])); \
	quick_store##groups((uint8_t *)t + u->dst, quick_unpredicated(core, u), r); \
}

/* An operation whose result goes nowhere: its flags alone. */
#define QUICK_TEST(general, x, y, groups, expression)			\
static void general##_test_##x##y##groups(struct eu_core *core, struct eu_thread *t, struct eu_uop *u) \
{									\
	const uint8_t *base = (const uint8_t *)t;			\
	uint32_t flags = 0;						\
	unsigned int g;							\
									\
	for (g = 0; g < (groups); g++) {				\
		const v8u a = (v8u)quick_##x##1(base, &u->src[0], g);	\
		const v8u b = (v8u)quick_##y##1(base, &u->src[1], g);	\
									\
		flags |= result_flags(u, (v8i)(expression)) << 8 * g;	\
	}								\
	eu_set_flags(t, u, quick_enabled(core, t, u), flags);		\
}

#define QUICK1_ALL(general, kind, letter, expression)			\
	QUICK1(general, kind, letter, p, 1, expression)			\
	QUICK1(general, kind, letter, p, 2, expression)			\
	QUICK1(general, kind, letter, s, 1, expression)			\
	QUICK1(general, kind, letter, s, 2, expression)			\
	QUICK1(general, kind, letter, i, 1, expression)			\
	QUICK1(general, kind, letter, i, 2, expression)		\
	QUICK1(general, kind, letter, d, 1, expression)			\
	QUICK1(general, kind, letter, d, 2, expression)

#define QUICK2_ALL(general, kind, letter, expression)			\
	QUICK2(general, kind, letter, p, p, 1, expression)		\
	QUICK2(general, kind, letter, p, p, 2, expression)		\
	QUICK2(general, kind, letter, p, s, 1, expression)		\
	QUICK2(general, kind, letter, p, s, 2, expression)		\
	QUICK2(general, kind, letter, p, i, 1, expression)		\
	QUICK2(general, kind, letter, p, i, 2, expression)		\
	QUICK2(general, kind, letter, s, p, 1, expression)		\
	QUICK2(general, kind, letter, s, p, 2, expression)		\
	QUICK2(general, kind, letter, s, s, 1, expression)		\
	QUICK2(general, kind, letter, s, s, 2, expression)		\
	QUICK2(general, kind, letter, s, i, 1, expression)		\
	QUICK2(general, kind, letter, s, i, 2, expression)

#define QUICK_COMPARE_ALL(general, kind, letter, expression)		\
	QUICK_COMPARE(general, kind, letter, p, p, 1, expression)	\
	QUICK_COMPARE(general, kind, letter, p, p, 2, expression)	\
	QUICK_COMPARE(general, kind, letter, p, s, 1, expression)	\
	QUICK_COMPARE(general, kind, letter, p, s, 2, expression)	\
	QUICK_COMPARE(general, kind, letter, p, i, 1, expression)	\
	QUICK_COMPARE(general, kind, letter, p, i, 2, expression)	\
	QUICK_COMPARE(general, kind, letter, s, p, 1, expression)	\
	QUICK_COMPARE(general, kind, letter, s, p, 2, expression)	\
	QUICK_COMPARE(general, kind, letter, s, s, 1, expression)	\
	QUICK_COMPARE(general, kind, letter, s, s, 2, expression)	\
	QUICK_COMPARE(general, kind, letter, s, i, 1, expression)	\
	QUICK_COMPARE(general, kind, letter, s, i, 2, expression)

#define QUICK_SELECT_ALL(general, kind)					\
	QUICK_SELECT(general, kind, p, p, 1)				\
	QUICK_SELECT(general, kind, p, p, 2)				\
	QUICK_SELECT(general, kind, p, s, 1)				\
	QUICK_SELECT(general, kind, p, s, 2)				\
	QUICK_SELECT(general, kind, p, i, 1)				\
	QUICK_SELECT(general, kind, p, i, 2)				\
	QUICK_SELECT(general, kind, s, p, 1)				\
	QUICK_SELECT(general, kind, s, p, 2)				\
	QUICK_SELECT(general, kind, s, s, 1)				\
	QUICK_SELECT(general, kind, s, s, 2)				\
	QUICK_SELECT(general, kind, s, i, 1)				\
	QUICK_SELECT(general, kind, s, i, 2)

#define QUICK_TEST_ALL(general, expression)				\
	QUICK_TEST(general, p, p, 1, expression)			\
	QUICK_TEST(general, p, p, 2, expression)			\
	QUICK_TEST(general, p, i, 1, expression)			\
	QUICK_TEST(general, p, i, 2, expression)

#define QUICK3_ALL(general, kind, letter, function)			\
	QUICK3(general, kind, letter, p, p, p, 1, function)		\
	QUICK3(general, kind, letter, p, p, p, 2, function)		\
	QUICK3(general, kind, letter, s, p, p, 1, function)		\
	QUICK3(general, kind, letter, s, p, p, 2, function)		\
	QUICK3(general, kind, letter, p, s, p, 1, function)		\
	QUICK3(general, kind, letter, p, s, p, 2, function)		\
	QUICK3(general, kind, letter, p, p, s, 1, function)		\
	QUICK3(general, kind, letter, p, p, s, 2, function)		\
	QUICK3(general, kind, letter, s, s, p, 1, function)		\
	QUICK3(general, kind, letter, s, s, p, 2, function)

#define QUICK_SHAPES 9

/* What instructions a row is for: with a packed destination and no flags, or with flags and no destination. */
enum quick_kind { QUICK_NONE, QUICK_STORES, QUICK_FLAGS };

/* The general handlers and the quick ones by their sources; the shorter of a pair is of up to 8 channels. */
struct quick {
	eu_handler general;
	enum quick_kind kind;
	struct {
		char shapes[4];
		eu_handler run[2];
	} by_shape[QUICK_SHAPES];
};

#define QUICK1_ROW(general) { general, QUICK_STORES, {			\
	{ "p", { general##_p1, general##_p2 } },			\
	{ "s", { general##_s1, general##_s2 } },			\
	{ "i", { general##_i1, general##_i2 } },			\
	{ "d", { general##_d1, general##_d2 } } } }

#define QUICK2_SHAPES(general)						\
	{ "pp", { general##_pp1, general##_pp2 } },			\
	{ "ps", { general##_ps1, general##_ps2 } },			\
	{ "pi", { general##_pi1, general##_pi2 } },			\
	{ "sp", { general##_sp1, general##_sp2 } },			\
	{ "ss", { general##_ss1, general##_ss2 } },			\
	{ "si", { general##_si1, general##_si2 } }

#define QUICK2_ROW(general) { general, QUICK_STORES, { QUICK2_SHAPES(general) } }

#define QUICK_COMPARE_ROW(general) { general, QUICK_FLAGS, { QUICK2_SHAPES(general) } }

#define QUICK_TEST_ROW(general) { general, QUICK_FLAGS, {		\
	{ "pp", { general##_test_pp1, general##_test_pp2 } },		\
	{ "pi", { general##_test_pi1, general##_test_pi2 } } } }

#define QUICK3_ROW(general) { general, QUICK_STORES, {			\
	{ "ppp", { general##_ppp1, general##_ppp2 } },			\
	{ "spp", { general##_spp1, general##_spp2 } },			\
	{ "psp", { general##_psp1, general##_psp2 } },			\
	{ "pps", { general##_pps1, general##_pps2 } },			\
	{ "ssp", { general##_ssp1, general##_ssp2 } } } }

QUICK1_ALL(op_mov, int, i, a)
QUICK2_ALL(op_add, int, u, a + b)
QUICK2_ALL(op_and, int, u, a & b)
QUICK2_ALL(op_or, int, u, a | b)
QUICK2_ALL(op_xor, int, u, a ^ b)
QUICK2_ALL(op_mul, int, u, a * b)
QUICK2_ALL(op_mul_low1, int, u, a * (b & 0xffff))
QUICK2_ALL(op_shl, int, u, a << (b & 31))
QUICK2_ALL(op_shr, int, u, a >> (b & 31))
QUICK2_ALL(op_asr, int, i, a >> (b & 31))
QUICK2_ALL(op_add_f, float, f, a + b)
QUICK2_ALL(op_mul_f, float, f, a * b)
QUICK2(op_add, int, u, s, w, 1, a + b)
QUICK2(op_add, int, u, s, w, 2, a + b)
QUICK2(op_add, int, u, p, l, 1, a + b)
QUICK2(op_add, int, u, p, l, 2, a + b)
QUICK2(op_add, int, u, p, n, 1, a + b)
QUICK2(op_add, int, u, p, n, 2, a + b)
QUICK_TEST_ALL(op_and, a & b)
QUICK_COMPARE_ALL(cmp_eq, int, i, a == b)
QUICK_COMPARE_ALL(cmp_ne, int, i, a != b)
QUICK_COMPARE_ALL(cmp_gt, int, i, a > b)
QUICK_COMPARE_ALL(cmp_ge, int, i, a >= b)
QUICK_COMPARE_ALL(cmp_lt, int, i, a < b)
QUICK_COMPARE_ALL(cmp_le, int, i, a <= b)
QUICK_COMPARE_ALL(cmp_gt_u, int, u, a > b)
QUICK_COMPARE_ALL(cmp_ge_u, int, u, a >= b)
QUICK_COMPARE_ALL(cmp_lt_u, int, u, a < b)
QUICK_COMPARE_ALL(cmp_le_u, int, u, a <= b)
QUICK_COMPARE_ALL(cmp_eq_f, float, f, a == b)
QUICK_COMPARE_ALL(cmp_ne_f, float, f, a != b)
QUICK_COMPARE_ALL(cmp_gt_f, float, f, a > b)
QUICK_COMPARE_ALL(cmp_ge_f, float, f, a >= b)
QUICK_COMPARE_ALL(cmp_lt_f, float, f, a < b)
QUICK_COMPARE_ALL(cmp_le_f, float, f, a <= b)
QUICK_SELECT_ALL(sel_pred, int)
QUICK_SELECT(sel_pred, int, h, i, 1)
QUICK_SELECT(sel_pred, int, h, i, 2)
QUICK_SELECT_ALL(sel_pred_f, float)
#ifdef __AVX2__
static inline quick1f quick_mad1(quick1f a, quick1f b, quick1f c)
{
	return fused(b, c, a);
}

#ifdef __AVX512F__
static inline quick2f quick_mad2(quick2f a, quick2f b, quick2f c)
{
	return (quick2f)_mm512_fmadd_ps((__m512)b, (__m512)c, (__m512)a);
}
#else
#define quick_mad2 quick_mad1
#endif

QUICK3_ALL(op_mad_f, float, f, quick_mad)
#endif

static const struct quick quicks[] = {
	{ op_add, QUICK_STORES, { QUICK2_SHAPES(op_add), { "sw", { op_add_sw1, op_add_sw2 } },
		{ "pl", { op_add_pl1, op_add_pl2 } }, { "pn", { op_add_pn1, op_add_pn2 } } } },
	{ sel_pred, QUICK_STORES, { QUICK2_SHAPES(sel_pred), { "hi", { sel_pred_hi1, sel_pred_hi2 } } } },
	QUICK1_ROW(op_mov), QUICK2_ROW(op_and), QUICK2_ROW(op_or), QUICK2_ROW(op_xor), QUICK2_ROW(op_mul),
	QUICK2_ROW(op_mul_low1), QUICK2_ROW(op_shl), QUICK2_ROW(op_shr), QUICK2_ROW(op_asr), QUICK2_ROW(op_add_f),
	QUICK2_ROW(op_mul_f), QUICK2_ROW(sel_pred_f), QUICK_TEST_ROW(op_and),
	QUICK_COMPARE_ROW(cmp_eq), QUICK_COMPARE_ROW(cmp_ne), QUICK_COMPARE_ROW(cmp_gt), QUICK_COMPARE_ROW(cmp_ge),
	QUICK_COMPARE_ROW(cmp_lt), QUICK_COMPARE_ROW(cmp_le),
	QUICK_COMPARE_ROW(cmp_gt_u), QUICK_COMPARE_ROW(cmp_ge_u),
	QUICK_COMPARE_ROW(cmp_lt_u), QUICK_COMPARE_ROW(cmp_le_u),
	QUICK_COMPARE_ROW(cmp_eq_f), QUICK_COMPARE_ROW(cmp_ne_f),
	QUICK_COMPARE_ROW(cmp_gt_f), QUICK_COMPARE_ROW(cmp_ge_f),
	QUICK_COMPARE_ROW(cmp_lt_f), QUICK_COMPARE_ROW(cmp_le_f),
#ifdef __AVX2__
	QUICK3_ROW(op_mad_f),
#endif
};

/* Its letter, or 0. */
static char quick_letter(const struct eu_uop *u, unsigned int n)
{
	const struct eu_fast_source *s = &u->src[n];
	bool is_float = u->cold->class == EU_FLOAT;

	/* A negated dword: its bits turned, and one more. */
	if (!is_float && s->shape == EU_PACKED && s->xor == ~0u && s->and == ~0u)
		return 'n';
	if (!is_float && (s->xor || s->and))
		return 0;
	if (s->shape == EU_SPLAT)
		return 'i';
	if (s->shape == EU_PACKED)
		return 'p';
	if (s->shape == EU_PAIRS)
		return 'd';
	if (s->shape == EU_WORDS && s->type == ISA_TYPE_UW)
		return 'w';
	if (s->shape == EU_LOW && s->type == ISA_TYPE_UW)
		return 'l';
	if (s->shape != EU_SCALAR)
		return 0;
	return isa_types[s->type].size == 4 ? 's' : isa_types[s->type].size == 2 ? 'h' : 0;
}

/* sel's predicate says which source; others' flags are made of a condition. */
static enum quick_kind quick_kind_of(const struct eu_uop *u)
{
	if (u->saturate || u->exec > 16 || u->predicate > EU_ONE)
		return QUICK_NONE;
	if (u->cond)
		return u->dst_shape == EU_SPLAT ? QUICK_FLAGS : QUICK_NONE;
	if (u->op == ISA_OP_SEL && !u->predicate)
		return QUICK_NONE;
	return u->dst_shape == EU_PACKED ? QUICK_STORES : QUICK_NONE;
}

/* The quick handler in place of a general one, if there is one. */
static eu_handler quick_of(const struct eu_uop *u, eu_handler general)
{
	enum quick_kind kind = quick_kind_of(u);
	char shapes[4] = "";
	unsigned int i, n;

	if (!kind)
		return general;
	for (n = 0; n < u->cold->inst.nsources; n++) {
		shapes[n] = quick_letter(u, n);
		if (!shapes[n])
			return general;
	}
	for (i = 0; i < sizeof(quicks) / sizeof(quicks[0]); i++)
		for (n = 0; n < QUICK_SHAPES && quicks[i].general == general && quicks[i].kind == kind; n++)
			if (!memcmp(quicks[i].by_shape[n].shapes, shapes, sizeof(shapes)))
				return quicks[i].by_shape[n].run[u->exec / 16];
	return general;
}

#endif
