// SPDX-License-Identifier: MIT
/**
 * DOC: Integer operations of the reference
 *
 * Exact in 128 bits. "Extra precision is provided within the hardware, including the accumulators, so that conversions
 * from unsigned to signed do not affect instruction correctness" (IVB Vol 4 Part 3, 3.3.8).
 */
#include "internal.h"

static bool is_quad(unsigned int type)
{
	return ref_size(type) == 8;
}

/* 6.7, 6.58, 6.59: five bits of src1, six "if src0 or dst has the Q or UQ type" (DG1 Vol 2a "asr"). */
static unsigned int shift_count(const struct ref_context *c, __int128 count)
{
	return (unsigned int)count & (is_quad(c->inst->src[0].type) || is_quad(c->inst->dst.type) ? 63 : 31);
}

/* Is a source that was negated, or its magnitude taken, beyond its type? */
static bool left_its_type(const struct ref_context *c, unsigned int n, __int128 value)
{
	unsigned int type = c->inst->src[n].type;

	if (c->inst->src[n].file == ISA_IMMEDIATE || ref_size(type) < 4)
		return false;
	return value > ((__int128)1 << (ref_size(type) * 8 - ref_is_signed(type))) - 1 ||
	       value < (ref_is_signed(type) ? -((__int128)1 << (ref_size(type) * 8 - 1)) : 0);
}

static void shift(struct ref_context *c, __int128 a, __int128 b, struct ref_outcome *o)
{
	unsigned int count = shift_count(c, b);

	if (c->inst->op == ISA_OP_SHL)
		*o = ref_int((__int128)((__uint128_t)a << count), c->exec_type);
	else
		*o = ref_int(a >> count, c->exec_type);
	o->guard_unknown = true;
	if (c->inst->op != ISA_OP_SHL && left_its_type(c, 0, a))
		*o = ref_unknown(*o, EU_REF_WIDE_SOURCE);
	/* 6.58: saturation is right as long as the result has 33 bits. */
	if (c->inst->saturate && (o->v.i >= (__int128)1 << 32 || o->v.i < -((__int128)1 << 32)))
		*o = ref_unknown(*o, EU_REF_WIDE_SHIFT);
}

/* 6.43 mul: of two dwords the low word of one counts, of Gen6's src0, later of src1. */
static void multiply(struct ref_context *c, __int128 a, __int128 b, struct ref_outcome *o)
{
	bool dwords = ref_size(c->inst->src[0].type) == 4 && ref_size(c->inst->src[1].type) == 4;

	if (dwords && c->isa->gen < 70)
		a &= 0xffff;
	else if (dwords && !c->dword_mul)
		b &= 0xffff;
	*o = ref_int(a * b, c->exec_type);
	if (left_its_type(c, 0, a) || left_its_type(c, 1, b)) {
		o->guard_unknown = true;
		o->reason = EU_REF_WIDE_SOURCE;
	}
}

static __int128 to_64_bits(__int128 value)
{
	return (__s64)(__u64)value;
}

/* 6.39 mach, DG1 Vol 2a "mach": with mul, which took the low word, the product of two dwords. */
static void multiply_high(struct ref_context *c, unsigned int channel, __int128 a, __int128 b, struct ref_outcome *o)
{
	__int128 acc = ref_implicit_acc(c, channel, c->inst->dst.type).i, sum, high;

	if (c->isa->gen < 70)
		sum = to_64_bits(acc + (a >> 16) * b * 65536);
	else
		sum = to_64_bits(acc + a * (b >> 16) * 65536);
	high = ref_is_signed(c->inst->dst.type) ? sum >> 32 : (__int128)((__u64)sum >> 32);
	if (c->isa->gen >= 120 && !c->inst->acc_write)
		high = sum & 0xffffffff;
	*o = ref_int(high, c->exec_type);
	if (c->isa->gen < 120 || c->inst->acc_write)
		ref_write_acc(c, channel, sum, 0);
}

/* 6.5 addc, 6.60 subb: the carry goes to the accumulator. */
static void add_carry(struct ref_context *c, unsigned int channel, __int128 a, __int128 b, struct ref_outcome *o)
{
	__int128 result = c->inst->op == ISA_OP_ADDC ? a + b : a - b;

	*o = ref_int(result & 0xffffffff, c->exec_type);
	ref_write_acc(c, channel, result != (result & 0xffffffff), 0);
}

static __int128 leading_zeros(__u32 value)
{
	unsigned int count = 0;

	while (count < 32 && !(value & 1u << 31)) {
		count++;
		value <<= 1;
	}
	return count;
}

/* 6.28 fbh: leading zeros, of a negative source leading ones. */
static __int128 first_high(__int128 value)
{
	if (value == 0 || value == -1)
		return 0xffffffff;
	return leading_zeros(value < 0 ? ~(__u32)value : (__u32)value);
}

/* 6.29 fbl */
static __int128 first_low(__u32 value)
{
	unsigned int count = 0;

	if (!value)
		return 0xffffffff;
	while (!(value >> count & 1))
		count++;
	return count;
}

static __int128 count_bits(__u64 value)
{
	unsigned int count = 0;

	for (; value; value >>= 1)
		count += value & 1;
	return count;
}

/* 6.11 bfrev */
static __int128 reversed(__u32 value)
{
	__u32 result = 0;
	unsigned int i;

	for (i = 0; i < 32; i++)
		result |= (value >> (31 - i) & 1) << i;
	return result;
}

/* 6.9 bfe: src0 width, src1 offset, src2 value */
static __int128 extract(__int128 width, __int128 offset, __int128 value, bool sign)
{
	unsigned int w = width & 31, o = offset & 31;
	__u32 field;

	if (!w)
		return 0;
	if (w + o >= 32)
		return value >> o;
	field = (__u32)value << (32 - w - o);
	return sign ? (__int128)((__s32)field >> (32 - w)) : (__int128)(field >> (32 - w));
}

/* 6.9.1 bfi1: the mask */
static __int128 insert_mask(__int128 width, __int128 offset)
{
	return (((__u64)1 << (width & 31)) - 1) << (offset & 31) & 0xffffffff;
}

/* 6.10 bfi2: the offset is "the number of LSB zero bits below the bit mask" */
static __int128 insert(__u32 mask, __u32 value, __u32 base)
{
	unsigned int offset = mask ? (unsigned int)first_low(mask) : 0;

	return (value << offset & mask) | (base & ~mask);
}

/* DG1 Vol 2a "rol", "ror" */
static __int128 rotate(const struct ref_context *c, __u64 value, unsigned int count)
{
	unsigned int bits = ref_size(c->inst->src[0].type) * 8;

	count &= bits - 1;
	if (c->inst->op == ISA_OP_ROR)
		count = (bits - count) & (bits - 1);
	return (value << count | value >> ((bits - count) & (bits - 1))) & (~0ull >> (64 - bits));
}

static __int128 byte_of(unsigned int type, __u32 value, unsigned int n)
{
	return ref_is_signed(type) ? (__int128)(__s8)(value >> n * 8) : (__int128)(__u8)(value >> n * 8);
}

/* DG1 Vol 2a "dp4a" */
static __int128 dot_bytes(const struct ref_context *c, __int128 addend, __u32 a, __u32 b)
{
	unsigned int n;

	for (n = 0; n < 4; n++)
		addend += byte_of(c->inst->src[1].type, a, n) * byte_of(c->inst->src[2].type, b, n);
	return addend;
}

/* Bits above an inverted source. */
static __u64 inverted_bits(const struct ref_context *c)
{
	__u64 bits = 0;
	unsigned int n;

	for (n = 0; n < c->inst->nsources; n++)
		if (c->inst->src[n].negate && !c->inst->src[n].abs && ref_size(c->inst->src[n].type) < 8)
			bits |= ~0ull << ref_size(c->inst->src[n].type) * 8;
	return bits & (~0ull >> (64 - ref_size(c->inst->dst.type) * 8));
}

static bool bitwise(struct ref_context *c, __int128 a, __int128 b, struct ref_outcome *o)
{
	switch (c->inst->op) {
	case ISA_OP_NOT:
		*o = ref_int(~a, c->exec_type);
		break;
	case ISA_OP_AND:
		*o = ref_int(a & b, c->exec_type);
		break;
	case ISA_OP_OR:
		*o = ref_int(a | b, c->exec_type);
		break;
	case ISA_OP_XOR:
		*o = ref_int(a ^ b, c->exec_type);
		break;
	default:
		return false;
	}
	if (c->isa->gen >= 80)
		o->unknown_bits = inverted_bits(c);
	o->reason = EU_REF_NOT_WIDTH;
	/* SNB 8.3.2: "the internal extra-precision bits as well as the sign bit of the accumulator are undefined". */
	o->guard_unknown = true;
	return true;
}

static bool bit_field(struct ref_context *c, const __int128 *s, struct ref_outcome *o)
{
	bool sign = ref_is_signed(c->inst->src[0].type);
	__int128 result;

	switch (c->inst->op) {
	case ISA_OP_BFREV:
		result = reversed(s[0]);
		break;
	case ISA_OP_BFE:
		result = extract(s[0], s[1], s[2], sign);
		break;
	case ISA_OP_BFI1:
		result = insert_mask(s[0], s[1]);
		break;
	case ISA_OP_BFI2:
		result = insert(s[0], s[1], s[2]);
		break;
	case ISA_OP_LZD:
		result = leading_zeros(s[0]);
		break;
	case ISA_OP_FBH:
		result = first_high(s[0]);
		break;
	case ISA_OP_FBL:
		result = first_low(s[0]);
		break;
	case ISA_OP_CBIT:
		result = count_bits(s[0]);
		break;
	case ISA_OP_ROL:
	case ISA_OP_ROR:
		result = rotate(c, s[0], s[1]);
		break;
	default:
		return false;
	}
	*o = ref_int(result, c->exec_type);
	return true;
}

static bool arithmetic(struct ref_context *c, unsigned int channel, const __int128 *s, struct ref_outcome *o)
{
	switch (c->inst->op) {
	case ISA_OP_ADD:
		*o = ref_int(s[0] + s[1], c->exec_type);
		return true;
	case ISA_OP_AVG:
		*o = ref_int((s[0] + s[1] + 1) >> 1, c->exec_type);
		return true;
	case ISA_OP_MUL:
		multiply(c, s[0], s[1], o);
		return true;
	case ISA_OP_MAC:
		*o = ref_int(s[0] * s[1] + ref_implicit_acc(c, channel, c->inst->dst.type).i, c->exec_type);
		return true;
	case ISA_OP_MACH:
		multiply_high(c, channel, s[0], s[1], o);
		return true;
	case ISA_OP_MAD:
		*o = ref_int(s[1] * s[2] + s[0], c->exec_type);
		return true;
	case ISA_OP_DP4A:
		*o = ref_int(dot_bytes(c, s[0], s[1], s[2]), c->exec_type);
		return true;
	case ISA_OP_ADDC:
	case ISA_OP_SUBB:
		add_carry(c, channel, s[0], s[1], o);
		return true;
	case ISA_OP_SHL:
	case ISA_OP_SHR:
	case ISA_OP_ASR:
		shift(c, s[0], s[1], o);
		return true;
	default:
		return false;
	}
}

bool ref_integer_operation(struct ref_context *c, unsigned int channel, struct ref_outcome *o)
{
	__int128 s[3] = { 0, 0, 0 };
	unsigned int n;

	for (n = 0; n < c->inst->nsources; n++)
		s[n] = ref_source(c, n, channel).i;
	return bitwise(c, s[0], s[1], o) || bit_field(c, s, o) || arithmetic(c, channel, s, o);
}
