/* SPDX-License-Identifier: MIT */
/**
 * DOC: The most common shapes
 *
 * Most instructions have up to 8, or 16 channels, a packed destination, packed, scalar or immediate sources of 32 bits,
 * neither saturation nor a condition, and no predicate or one flag a channel. For those fast.c's handlers are written
 * out once more, with nothing to decide and nothing to call.
 * Letters of a name say what the sources are: P packed, S scalar, I immediate.
 */
#ifndef IGEN_MODEL_EU_QUICK_H
#define IGEN_MODEL_EU_QUICK_H

static inline v8i quick_p(const uint8_t *base, const struct eu_fast_source *s, unsigned int group)
{
	v8i v;

	memcpy(&v, base + s->off + 32 * group, 32);
	return v;
}

static inline v8i quick_s(const uint8_t *base, const struct eu_fast_source *s, unsigned int group)
{
	int32_t d;

	(void)group;
	memcpy(&d, base + s->off, 4);
	return (v8i){ 0 } + d;
}

static inline v8i quick_i(const uint8_t *base, const struct eu_fast_source *s, unsigned int group)
{
	(void)base;
	(void)group;
	return (v8i){ 0 } + (int32_t)s->value;
}

static inline v8i quick_int(v8i v, const struct eu_fast_source *s)
{
	(void)s;
	return v;
}

static inline v8i quick_float(v8i v, const struct eu_fast_source *s)
{
	return (v & (int32_t)s->and) ^ (int32_t)s->xor;
}

static inline void quick_store(uint8_t *to, uint32_t mask, const v8i *r, unsigned int groups)
{
	unsigned int g;

	for (g = 0; g < groups; g++) {
		unsigned int bits = mask >> 8 * g & 0xff;
		v8i v = r[g], old;

		if (bits != 0xff) {
			memcpy(&old, to + 32 * g, 32);
			v = choose_lanes(lanes_of(bits), v, old);
		}
		memcpy(to + 32 * g, &v, 32);
	}
}

/* eu_enabled() for these. */
static inline uint32_t quick_enabled(const struct eu_core *core, const struct eu_thread *t, const struct eu_uop *u)
{
	uint32_t mask = u->no_mask ? u->lanes : u->lanes & (core->emask >> u->offset), bits;

	if (!u->predicate)
		return mask;
	bits = (uint32_t)((t->flag[0] | (uint64_t)t->flag[1] << 32) >> u->flag_bit % 64);
	return mask & ((u->inverse ? ~bits : bits) >> u->offset);
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

#define QUICK1(general, kind, type, x, groups, expression)		\
static void general##_##x##groups(struct eu_core *core, struct eu_thread *t, struct eu_uop *u) \
{									\
	const uint8_t *base = (const uint8_t *)t;			\
	v8i r[groups];							\
	unsigned int g;							\
									\
	if (quick_##kind##_differs(t)) {				\
		general(core, t, u);					\
	} else {							\
		for (g = 0; g < groups; g++) {				\
			type a = (type)quick_##kind(quick_##x(base, &u->src[0], g), &u->src[0]); \
									\
			r[g] = (v8i)(expression);			\
		}							\
		quick_store((uint8_t *)t + u->dst, quick_enabled(core, t, u), r, groups); \
	}								\
}

#define QUICK2(general, kind, type, x, y, groups, expression)		\
static void general##_##x##y##groups(struct eu_core *core, struct eu_thread *t, struct eu_uop *u) \
{									\
	const uint8_t *base = (const uint8_t *)t;			\
	v8i r[groups];							\
	unsigned int g;							\
									\
	if (quick_##kind##_differs(t)) {				\
		general(core, t, u);					\
	} else {							\
		for (g = 0; g < groups; g++) {				\
			type a = (type)quick_##kind(quick_##x(base, &u->src[0], g), &u->src[0]); \
			type b = (type)quick_##kind(quick_##y(base, &u->src[1], g), &u->src[1]); \
									\
			r[g] = (v8i)(expression);			\
		}							\
		quick_store((uint8_t *)t + u->dst, quick_enabled(core, t, u), r, groups); \
	}								\
}

#define QUICK3(general, kind, type, x, y, z, groups, expression)	\
static void general##_##x##y##z##groups(struct eu_core *core, struct eu_thread *t, struct eu_uop *u) \
{									\
	const uint8_t *base = (const uint8_t *)t;			\
	v8i r[groups];							\
	unsigned int g;							\
									\
	if (quick_##kind##_differs(t)) {				\
		general(core, t, u);					\
	} else {							\
		for (g = 0; g < groups; g++) {				\
			type a = (type)quick_##kind(quick_##x(base, &u->src[0], g), &u->src[0]); \
			type b = (type)quick_##kind(quick_##y(base, &u->src[1], g), &u->src[1]); \
			type c = (type)quick_##kind(quick_##z(base, &u->src[2], g), &u->src[2]); \
									\
			r[g] = (v8i)(expression);			\
		}							\
		quick_store((uint8_t *)t + u->dst, quick_enabled(core, t, u), r, groups); \
	}								\
}

#define QUICK1_ALL(general, kind, type, expression)			\
	QUICK1(general, kind, type, p, 1, expression)			\
	QUICK1(general, kind, type, p, 2, expression)			\
	QUICK1(general, kind, type, s, 1, expression)			\
	QUICK1(general, kind, type, s, 2, expression)			\
	QUICK1(general, kind, type, i, 1, expression)			\
	QUICK1(general, kind, type, i, 2, expression)

#define QUICK2_ALL(general, kind, type, expression)			\
	QUICK2(general, kind, type, p, p, 1, expression)		\
	QUICK2(general, kind, type, p, p, 2, expression)		\
	QUICK2(general, kind, type, p, s, 1, expression)		\
	QUICK2(general, kind, type, p, s, 2, expression)		\
	QUICK2(general, kind, type, p, i, 1, expression)		\
	QUICK2(general, kind, type, p, i, 2, expression)		\
	QUICK2(general, kind, type, s, p, 1, expression)		\
	QUICK2(general, kind, type, s, p, 2, expression)		\
	QUICK2(general, kind, type, s, s, 1, expression)		\
	QUICK2(general, kind, type, s, s, 2, expression)		\
	QUICK2(general, kind, type, s, i, 1, expression)		\
	QUICK2(general, kind, type, s, i, 2, expression)

#define QUICK3_ALL(general, kind, type, expression)			\
	QUICK3(general, kind, type, p, p, p, 1, expression)		\
	QUICK3(general, kind, type, p, p, p, 2, expression)		\
	QUICK3(general, kind, type, s, p, p, 1, expression)		\
	QUICK3(general, kind, type, s, p, p, 2, expression)		\
	QUICK3(general, kind, type, p, s, p, 1, expression)		\
	QUICK3(general, kind, type, p, s, p, 2, expression)		\
	QUICK3(general, kind, type, p, p, s, 1, expression)		\
	QUICK3(general, kind, type, p, p, s, 2, expression)

#define QUICK_SHAPES 6

/* The general handlers and the quick ones by their sources; the shorter of a pair is of up to 8 channels. */
struct quick {
	eu_handler general;
	struct {
		char shapes[4];
		eu_handler run[2];
	} by_shape[QUICK_SHAPES];
};

#define QUICK1_ROW(general) { general, {				\
	{ "p", { general##_p1, general##_p2 } },			\
	{ "s", { general##_s1, general##_s2 } },			\
	{ "i", { general##_i1, general##_i2 } } } }

#define QUICK2_ROW(general) { general, {				\
	{ "pp", { general##_pp1, general##_pp2 } },			\
	{ "ps", { general##_ps1, general##_ps2 } },			\
	{ "pi", { general##_pi1, general##_pi2 } },			\
	{ "sp", { general##_sp1, general##_sp2 } },			\
	{ "ss", { general##_ss1, general##_ss2 } },			\
	{ "si", { general##_si1, general##_si2 } } } }

#define QUICK3_ROW(general) { general, {				\
	{ "ppp", { general##_ppp1, general##_ppp2 } },			\
	{ "spp", { general##_spp1, general##_spp2 } },			\
	{ "psp", { general##_psp1, general##_psp2 } },			\
	{ "pps", { general##_pps1, general##_pps2 } } } }

QUICK1_ALL(op_mov, int, v8i, a)
QUICK2_ALL(op_add, int, v8u, a + b)
QUICK2_ALL(op_and, int, v8u, a & b)
QUICK2_ALL(op_or, int, v8u, a | b)
QUICK2_ALL(op_xor, int, v8u, a ^ b)
QUICK2_ALL(op_mul, int, v8u, a * b)
QUICK2_ALL(op_mul_low1, int, v8u, a * (b & 0xffff))
QUICK2_ALL(op_shl, int, v8u, a << (b & 31))
QUICK2_ALL(op_shr, int, v8u, a >> (b & 31))
QUICK2_ALL(op_asr, int, v8i, a >> (b & 31))
QUICK2_ALL(op_add_f, float, v8f, a + b)
QUICK2_ALL(op_mul_f, float, v8f, a * b)
#ifdef __AVX2__
QUICK3_ALL(op_mad_f, float, v8f, fused(b, c, a))
#endif

static const struct quick quicks[] = {
	QUICK1_ROW(op_mov), QUICK2_ROW(op_add), QUICK2_ROW(op_and), QUICK2_ROW(op_or), QUICK2_ROW(op_xor),
	QUICK2_ROW(op_mul), QUICK2_ROW(op_mul_low1), QUICK2_ROW(op_shl), QUICK2_ROW(op_shr), QUICK2_ROW(op_asr),
	QUICK2_ROW(op_add_f), QUICK2_ROW(op_mul_f),
#ifdef __AVX2__
	QUICK3_ROW(op_mad_f),
#endif
};

/* Its letter, or 0. */
static char quick_letter(const struct eu_uop *u, unsigned int n)
{
	const struct eu_fast_source *s = &u->src[n];
	bool is_float = u->cold->class == EU_FLOAT;

	if (!is_float && (s->xor || s->and))
		return 0;
	if (s->shape == EU_SPLAT)
		return 'i';
	if (s->shape == EU_PACKED)
		return 'p';
	return s->shape == EU_SCALAR && isa_types[s->type].size == 4 ? 's' : 0;
}

/* The quick handler in place of a general one, if there is one. */
static eu_handler quick_of(const struct eu_uop *u, eu_handler general)
{
	char shapes[4] = "";
	unsigned int i, n;

	if (u->saturate || u->cond || u->dst_shape != EU_PACKED || u->exec > 16 || u->predicate > EU_ONE)
		return general;
	for (n = 0; n < u->cold->inst.nsources; n++) {
		shapes[n] = quick_letter(u, n);
		if (!shapes[n])
			return general;
	}
	for (i = 0; i < sizeof(quicks) / sizeof(quicks[0]); i++)
		for (n = 0; n < QUICK_SHAPES && quicks[i].general == general; n++)
			if (!memcmp(quicks[i].by_shape[n].shapes, shapes, sizeof(shapes)))
				return quicks[i].by_shape[n].run[u->exec / 16];
	return general;
}

#endif
