// SPDX-License-Identifier: MIT
/**
 * DOC: Integer operations
 *
 * Channels are 128 bits wide, so that no operation on sources of up to 64 bits overflows; the result
 * is cut or saturated when it is stored. Formulas: IVB Vol 4 Part 3, chapter 6; DG1 Vol 2a.
 */
#include "internal.h"

#define EACH(expression) do {						\
		for (n = 0; n < uop->exec; n++) {			\
			const __int128 a = s[0][n].i, b = s[1][n].i, c = s[2][n].i; \
			(void)a, (void)b, (void)c;			\
			r[n].i = (expression);				\
		}							\
	} while (0)

/* Bits of the execution type, of which bytes have words. */
static unsigned int exec_bits(const struct eu_cold *cold)
{
	unsigned int i, size = cold->dst.size == 8 ? 8 : 2;

	for (i = 0; i < cold->inst.nsources; i++)
		if (cold->src[i].size > size)
			size = cold->src[i].size;
	return 8 * size;
}

static unsigned int shift_mask(const struct eu_cold *cold)
{
	return cold->dst.size == 8 || cold->src[0].size == 8 ? 63 : 31;
}

/* The value as bits of the execution type, zeros above; an accumulator has all of its bits. */
static __int128 unsigned_bits(const struct eu_cold *cold, __int128 value)
{
	unsigned int bits = cold->src[0].place == EU_ACC ? cold->words ? 33 : 64 : exec_bits(cold);

	return value & (((__int128)1 << bits) - 1);
}

static __int128 rotate(const struct eu_cold *cold, __int128 value, __int128 by, bool left)
{
	unsigned int bits = 8 * cold->src[0].size;
	__uint128_t v = value & (((__uint128_t)1 << bits) - 1);
	unsigned int n = (unsigned int)(left ? by : -by) & (bits - 1);

	return v << n | v >> (bits - n);
}

static __int128 reverse(uint32_t value)
{
	uint32_t result = 0;
	unsigned int i;

	for (i = 0; i < 32; i++)
		result |= (value >> i & 1) << (31 - i);
	return result;
}

static __int128 find_high(bool is_signed, uint32_t value)
{
	if (is_signed && value >> 31)
		value = ~value;
	return value ? (uint32_t)__builtin_clz(value) : 0xffffffff;
}

static __int128 extract(bool is_signed, uint32_t width, uint32_t offset, uint32_t value)
{
	width &= 31;
	offset &= 31;
	if (!width)
		return 0;
	if (width + offset < 32) {
		value <<= 32 - width - offset;
		offset = 32 - width;
	}
	return is_signed ? (uint32_t)((int32_t)value >> offset) : value >> offset;
}

static __int128 insert(uint32_t mask, uint32_t value, uint32_t base)
{
	return ((mask ? value << __builtin_ctz(mask) : 0) & mask) | (base & ~mask);
}

/* Modulo 2^128, which no sum of two products of dwords comes to. */
static __int128 product(__int128 a, __int128 b)
{
	return (__int128)((__uint128_t)a * (__uint128_t)b);
}

static __int128 sum(__int128 a, __int128 b)
{
	return (__int128)((__uint128_t)a + (__uint128_t)b);
}

/* The manual's part of 32-bit parts without a multiplier of 32 x 32 bits: one source gives its low word. */
static __int128 multiply(const struct eu_core *core, const struct eu_cold *cold, __int128 a, __int128 b)
{
	if (cold->src[0].size == 4 && cold->src[1].size == 4 && !core->dword_mul) {
		if (core->traits->mul_low_src0)
			a &= 0xffff;
		else
			b &= 0xffff;
	}
	return product(a, b);
}

static __int128 dot_bytes(const struct eu_cold *cold, uint32_t a, uint32_t b)
{
	bool sa = cold->src[1].kind == ISA_SIGNED, sb = cold->src[2].kind == ISA_SIGNED;
	int total = 0;
	unsigned int i;

	for (i = 0; i < 32; i += 8) {
		int x = sa ? (int8_t)(a >> i) : (uint8_t)(a >> i), y = sb ? (int8_t)(b >> i) : (uint8_t)(b >> i);

		total += x * y;
	}
	return total;
}

static __int128 absolute(__int128 value)
{
	return value < 0 ? -value : value;
}

static void sum_differences(const struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
			    union eu_lane s[][EU_CHANNELS], union eu_lane *r)
{
	unsigned int n;

	for (n = 0; n < uop->exec; n++) {
		unsigned int even = n & ~1u, odd = even + 1 < uop->exec ? even + 1 : even;

		if (!(mask >> n & 1))
			continue;
		r[n].i = absolute(s[0][even].i - s[1][even].i) + absolute(s[0][odd].i - s[1][odd].i);
		if (uop->op == ISA_OP_SADA2)
			r[n].i += eu_acc_read(thread, uop, even);
	}
}

static bool compare(const struct eu_uop *uop, __int128 a, __int128 b)
{
	return eu_condition_int(uop->cond, a - b);
}

static void carries(struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask, union eu_lane s[][EU_CHANNELS],
		    union eu_lane *r)
{
	unsigned int n;

	for (n = 0; n < uop->exec; n++) {
		if (!(mask >> n & 1))
			continue;
		if (uop->op == ISA_OP_ADDC)
			r[n].i = s[0][n].i + s[1][n].i;
		else
			r[n].i = s[0][n].i - s[1][n].i;
		eu_acc_write(thread, uop, n, r[n].i < 0 || r[n].i > UINT32_MAX);
		r[n].i &= UINT32_MAX;
	}
}

static void multiply_high(const struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
			  union eu_lane s[][EU_CHANNELS], union eu_lane *r)
{
	unsigned int n;

	for (n = 0; n < uop->exec; n++) {
		__int128 a = s[0][n].i, b = s[1][n].i;
		int64_t high;

		if (!(mask >> n & 1))
			continue;
		if (core->traits->mul_low_src0)
			a >>= 16;
		else
			b >>= 16;
		high = (int64_t)(uint64_t)(a * b * 65536 + eu_acc_read(thread, uop, n));
		if (core->traits->mach_low && !uop->acc_write) {
			r[n].i = (int32_t)high;
			continue;
		}
		eu_acc_write(thread, uop, n, (uint64_t)high);
		r[n].i = high >> 32;
	}
}

static void select_or_compare(const struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop,
			      union eu_lane s[][EU_CHANNELS], union eu_lane *r)
{
	uint32_t pmask;
	unsigned int n;

	switch (uop->op) {
	case ISA_OP_CSEL:
		EACH(eu_condition_int(uop->cond, c) ? a : b);
		break;
	case ISA_OP_SEL:
		pmask = uop->predicate ? eu_pmask(core, thread, uop) : ~0u;
		if (uop->cond)
			EACH(compare(uop, a, b) ? a : b);
		else
			EACH(pmask >> n & 1 ? a : b);
		break;
	default:
		EACH(compare(uop, a, b));
		break;
	}
}

void eu_int_compute(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
		    union eu_lane s[][EU_CHANNELS], union eu_lane *r)
{
	const struct eu_cold *cold = uop->cold;
	unsigned int n, shift = shift_mask(cold);
	bool is_signed = cold->src[0].kind == ISA_SIGNED;

	switch (uop->op) {
	case ISA_OP_MOV:
		EACH(a);
		break;
	case ISA_OP_NOT:
		EACH(~a);
		break;
	case ISA_OP_AND:
		EACH(a & b);
		break;
	case ISA_OP_OR:
		EACH(a | b);
		break;
	case ISA_OP_XOR:
		EACH(a ^ b);
		break;
	case ISA_OP_SHR:
		EACH(unsigned_bits(cold, a) >> ((int)b & shift));
		break;
	case ISA_OP_ASR:
		EACH(a >> ((int)b & shift));
		break;
	case ISA_OP_SHL:
		EACH((__int128)((__uint128_t)a << ((int)b & shift)));
		break;
	case ISA_OP_ROR:
		EACH(rotate(cold, a, b, false));
		break;
	case ISA_OP_ROL:
		EACH(rotate(cold, a, b, true));
		break;
	case ISA_OP_ADD:
		EACH(a + b);
		break;
	case ISA_OP_AVG:
		EACH((a + b + 1) >> 1);
		break;
	case ISA_OP_MUL:
		EACH(multiply(core, cold, a, b));
		break;
	case ISA_OP_MAC:
		EACH(sum(product(a, b), eu_acc_read(thread, uop, n)));
		break;
	case ISA_OP_MACH:
		multiply_high(core, thread, uop, mask, s, r);
		break;
	case ISA_OP_MAD:
		EACH(sum(a, product(b, c)));
		break;
	case ISA_OP_ADDC:
	case ISA_OP_SUBB:
		carries(thread, uop, mask, s, r);
		break;
	case ISA_OP_BFREV:
		EACH(reverse((uint32_t)a));
		break;
	case ISA_OP_BFE:
		EACH(extract(cold->src[2].kind == ISA_SIGNED, (uint32_t)a, (uint32_t)b, (uint32_t)c));
		break;
	case ISA_OP_BFI1:
		EACH((uint32_t)(((1u << ((uint32_t)a & 31)) - 1) << ((uint32_t)b & 31)));
		break;
	case ISA_OP_BFI2:
		EACH(insert((uint32_t)a, (uint32_t)b, (uint32_t)c));
		break;
	case ISA_OP_LZD:
		EACH((uint32_t)a ? __builtin_clz((uint32_t)a) : 32);
		break;
	case ISA_OP_FBH:
		EACH(find_high(is_signed, (uint32_t)a));
		break;
	case ISA_OP_FBL:
		EACH((uint32_t)a ? (uint32_t)__builtin_ctz((uint32_t)a) : 0xffffffff);
		break;
	case ISA_OP_CBIT:
		EACH(__builtin_popcountll((uint64_t)a & (~0ull >> (64 - 8 * cold->src[0].size))));
		break;
	case ISA_OP_DP4A:
		EACH(a + dot_bytes(cold, (uint32_t)b, (uint32_t)c));
		break;
	case ISA_OP_SAD2:
	case ISA_OP_SADA2:
		sum_differences(thread, uop, mask, s, r);
		break;
	case ISA_OP_SEL:
	case ISA_OP_CSEL:
	case ISA_OP_CMP:
	case ISA_OP_CMPN:
		select_or_compare(core, thread, uop, s, r);
		break;
	default:
		thread->fault = "operation that integers do not have";
		break;
	}
}
