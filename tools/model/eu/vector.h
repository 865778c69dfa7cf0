/* SPDX-License-Identifier: MIT */
/**
 * DOC: Vectors of eight channels
 *
 * Loads, stores and flags of fast.c's handlers.
 */
#ifndef IGEN_MODEL_EU_VECTOR_H
#define IGEN_MODEL_EU_VECTOR_H

#include "internal.h"

typedef int32_t v8i __attribute__((vector_size(32)));
typedef uint32_t v8u __attribute__((vector_size(32)));
#define v8f __attribute__((vector_size(32))) float
#define v4f __attribute__((vector_size(16))) float
typedef int16_t v8w __attribute__((vector_size(16)));
typedef uint16_t v8uw __attribute__((vector_size(16)));
typedef int8_t v8b __attribute__((vector_size(8)));
typedef uint8_t v8ub __attribute__((vector_size(8)));

#define GROUPS 4
#define CELLS_BYTES (EU_ACC_CELLS * 8)	/* of an accumulator register */

static inline unsigned int groups_of(const struct eu_uop *u)
{
	return (u->exec + 7u) / 8;
}

static inline int32_t scalar(const uint8_t *at, unsigned int type)
{
	int32_t d;
	int16_t w;

	switch (type) {
	case ISA_TYPE_UB:
		return *at;
	case ISA_TYPE_B:
		return (int8_t)*at;
	case ISA_TYPE_UW:
		memcpy(&w, at, 2);
		return (uint16_t)w;
	case ISA_TYPE_W:
		memcpy(&w, at, 2);
		return w;
	default:
		memcpy(&d, at, 4);
		return d;
	}
}

static v8i gather(const uint8_t *base, const struct eu_fast_source *s, unsigned int group)
{
	const uint16_t *lanes = s->lanes + 8 * group;
	unsigned int i;
	v8i v = { 0 };

	for (i = 0; i < 8; i++)
		v[i] = scalar(base + lanes[i], s->type);
	return v;
}

/* The low bits, as a type has them. */
static inline v8i as_type(v8i v, unsigned int type)
{
	switch (type) {
	case ISA_TYPE_UB:
		return v & 0xff;
	case ISA_TYPE_B:
		return (v8i)((v8u)v << 24) >> 24;
	case ISA_TYPE_UW:
		return v & 0xffff;
	case ISA_TYPE_W:
		return (v8i)((v8u)v << 16) >> 16;
	default:
		return v;
	}
}

/* Every second dword. */
static inline v8i load_pairs(const uint8_t *at)
{
	v8i low, high;

	memcpy(&low, at, 32);
	memcpy(&high, at + 32, 32);
	return __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
}

static inline v8i load(const uint8_t *base, const struct eu_fast_source *s, unsigned int group)
{
	v8i v;
	v8w w;
	v8uw uw;
	v8b b;
	v8ub ub;

	switch (s->shape) {
	case EU_SPLAT:
		return (v8i){ 0 } + (int32_t)s->value;
	case EU_VECTOR:
		memcpy(&v, s->imm, 32);
		return v;
	case EU_SCALAR:
		return (v8i){ 0 } + scalar(base + s->off, s->type);
	case EU_PACKED:
		memcpy(&v, base + s->off + 32 * group, 32);
		return v;
	case EU_WORDS:
		if (s->type == ISA_TYPE_W) {
			memcpy(&w, base + s->off + 16 * group, 16);
			return __builtin_convertvector(w, v8i);
		}
		memcpy(&uw, base + s->off + 16 * group, 16);
		return __builtin_convertvector(uw, v8i);
	case EU_BYTES:
		if (s->type == ISA_TYPE_B) {
			memcpy(&b, base + s->off + 8 * group, 8);
			return __builtin_convertvector(b, v8i);
		}
		memcpy(&ub, base + s->off + 8 * group, 8);
		return __builtin_convertvector(ub, v8i);
	case EU_EVEN:
		memcpy(&uw, base + s->off + 16 * group, 16);
		return as_type(__builtin_convertvector(uw, v8i), s->type);
	case EU_CELLS:
		return load_pairs(base + s->off + CELLS_BYTES * group);
	case EU_PAIRS:
		return load_pairs(base + s->off + 64 * group);
	case EU_LOW:
		memcpy(&v, base + s->off + 32 * group, 32);
		return as_type(v, s->type);
	default:
		return gather(base, s, group);
	}
}

static inline v8i load_int(const uint8_t *base, const struct eu_fast_source *s, unsigned int group)
{
	return (v8i)((v8u)(load(base, s, group) ^ (int32_t)s->xor) - s->and);
}

static inline v8f load_float(const uint8_t *base, const struct eu_fast_source *s, unsigned int group)
{
	return (v8f)((load(base, s, group) & (int32_t)s->and) ^ (int32_t)s->xor);
}

static inline v8i lanes_of(unsigned int bits)
{
	const v8i bit = { 1, 2, 4, 8, 16, 32, 64, 128 };

	return (((v8i){ 0 } + (int32_t)bits) & bit) == bit;
}

static inline unsigned int bits_of(v8i mask)
{
#ifdef __AVX2__
	return (unsigned int)__builtin_ia32_movmskps256((v8f)mask);
#else
	union {
		v8i v;
		v4f half[2];
	} u = { .v = mask };

	return (unsigned int)(__builtin_ia32_movmskps(u.half[0]) | __builtin_ia32_movmskps(u.half[1]) << 4);
#endif
}

static inline v8i choose_lanes(v8i mask, v8i a, v8i b)
{
	return (a & mask) | (b & ~mask);
}

static void scatter(uint8_t *base, const struct eu_uop *u, unsigned int group, unsigned int bits, v8i v)
{
	const uint16_t *off = u->cold->dst.off + 8 * group;
	unsigned int i, size = u->cold->dst.size;

	for (i = 0; i < 8; i++) {
		int32_t value = v[i];

		if (!(bits >> i & 1))
			continue;
		if (size == 4)
			memcpy(base + off[i], &value, 4);
		else if (size == 2)
			memcpy(base + off[i], &value, 2);
		else
			memcpy(base + off[i], &value, 1);
	}
}

/* Floats in an accumulator have zeros above. */
static void store_cells(uint8_t *to, v8i lanes, v8i v)
{
	const v8i zeros = { 0 };
	v8i old;

	memcpy(&old, to, 32);
	old = choose_lanes(__builtin_shufflevector(lanes, lanes, 0, 0, 1, 1, 2, 2, 3, 3),
			   __builtin_shufflevector(v, zeros, 0, 8, 1, 8, 2, 8, 3, 8), old);
	memcpy(to, &old, 32);
	memcpy(&old, to + 32, 32);
	old = choose_lanes(__builtin_shufflevector(lanes, lanes, 4, 4, 5, 5, 6, 6, 7, 7),
			   __builtin_shufflevector(v, zeros, 4, 8, 5, 8, 6, 8, 7, 8), old);
	memcpy(to + 32, &old, 32);
}

/* Every second dword, four of them. */
static inline void store_half_pairs(uint8_t *to, v8i lanes, v8i v)
{
	const v8i even = { -1, 0, -1, 0, -1, 0, -1, 0 };
	v8i old;

	memcpy(&old, to, 32);
	old = choose_lanes(lanes & even, v, old);
	memcpy(to, &old, 32);
}

static inline void store_pairs(uint8_t *to, v8i lanes, v8i v)
{
	store_half_pairs(to, __builtin_shufflevector(lanes, lanes, 0, 0, 1, 1, 2, 2, 3, 3),
			 __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3));
	store_half_pairs(to + 32, __builtin_shufflevector(lanes, lanes, 4, 4, 5, 5, 6, 6, 7, 7),
			 __builtin_shufflevector(v, v, 4, 4, 5, 5, 6, 6, 7, 7));
}

/* Words, or the bits of them that are set in @bits. */
static inline void store_words(uint8_t *to, v8i lanes, v8i v, int16_t bits)
{
	v8w mask = __builtin_convertvector(lanes, v8w) & bits, new = __builtin_convertvector(v, v8w), old;

	memcpy(&old, to, 16);
	old = (new & mask) | (old & ~mask);
	memcpy(to, &old, 16);
}

/* Shapes other than packed ones. */
static void store_shape(uint8_t *base, const struct eu_uop *u, unsigned int group, unsigned int bits, v8i v)
{
	uint8_t *to = base + u->dst + 32 * group;
	v8i old;

	switch (u->dst_shape) {
	case EU_LOW:
		memcpy(&old, to, 32);
		v = choose_lanes(lanes_of(bits) & (u->cold->dst.size == 2 ? 0xffff : 0xff), v, old);
		memcpy(to, &v, 32);
		break;
	case EU_WORDS:
		store_words(base + u->dst + 16 * group, lanes_of(bits), v, -1);
		break;
	case EU_EVEN:
		store_words(base + u->dst + 16 * group, lanes_of(bits), v, 0xff);
		break;
	case EU_SCALAR:
		if (bits)
			eu_put(base + u->dst, u->cold->dst.size, (uint32_t)v[0]);
		break;
	case EU_PAIRS:
		store_pairs(base + u->dst + 64 * group, lanes_of(bits), v);
		break;
	case EU_CELLS:
		store_cells(base + u->dst + CELLS_BYTES * group, lanes_of(bits), v);
		break;
	default:
		scatter(base, u, group, bits, v);
		break;
	}
}

static inline void store(uint8_t *base, const struct eu_uop *u, unsigned int group, uint32_t mask, v8i v)
{
	unsigned int bits = mask >> 8 * group & 0xff;
	uint8_t *to = base + u->dst + 32 * group;
	v8i old;

	if (u->dst_shape == EU_PACKED) {
		if (bits != 0xff) {
			memcpy(&old, to, 32);
			v = choose_lanes(lanes_of(bits), v, old);
		}
		memcpy(to, &v, 32);
	} else if (u->dst_shape != EU_SPLAT) {
		store_shape(base, u, group, bits, v);
	}
}

/* The channels whose value meets the condition, compared with zero. */
static inline unsigned int int_flags(unsigned int cond, v8i v)
{
	switch (cond) {
	case 1:
		return bits_of(v == 0);
	case 2:
		return bits_of(v != 0);
	case 3:
		return bits_of(v > 0);
	case 4:
		return bits_of(v >= 0);
	case 5:
		return bits_of(v < 0);
	default:
		return bits_of(v <= 0);
	}
}

static inline unsigned int float_flags(unsigned int cond, v8f v)
{
	switch (cond) {
	case 1:
		return bits_of(v == 0);
	case 2:
		return bits_of(v != 0);
	case 3:
		return bits_of(v > 0);
	case 4:
		return bits_of(v >= 0);
	case 5:
		return bits_of(v < 0);
	default:
		return bits_of(v <= 0);
	}
}

/* Conditions of unsigned dwords: greater is not equal, less is never. */
static inline unsigned int unsigned_cond(unsigned int cond)
{
	static const uint8_t other[] = { 0, 1, 2, 2, 10, 11, 1 };

	return other[cond % 7];
}

static inline unsigned int result_flags(const struct eu_uop *u, v8i v)
{
	unsigned int cond = u->cond;

	if (u->dst_type == ISA_TYPE_UD) {
		cond = unsigned_cond(cond);
		if (cond >= 10)
			return cond == 10 ? 0xff : 0;
	}
	return int_flags(cond, as_type(v, u->dst_type));
}

#endif
