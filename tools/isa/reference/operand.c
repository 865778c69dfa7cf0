// SPDX-License-Identifier: MIT
/**
 * DOC: Operands of the reference
 *
 * Where the elements of a region lie, what they are worth, and which channels an instruction writes: IVB Vol 4 Part 3,
 * 3.3.5 "Region Parameters", 3.3.6 "Region Addressing Modes", 3.4 "SIMD Execution Control", 6.2 "Evaluate Write
 * Enable".
 */
#include <math.h>
#include <string.h>

#include "internal.h"

/* The width of a row of three sources in Align1 is not encoded but follows from its strides. */
static unsigned int row_width(const struct ref_context *c, const struct isa_operand *o)
{
	if (c->inst->form != ISA_FORM_THREE || c->isa->gen < 110)
		return o->width ? o->width : 1;
	return o->hstride && o->vstride ? o->vstride / o->hstride : 1;
}

/* The third of three sources has the horizontal stride alone. */
static unsigned int row_stride(const struct ref_context *c, const struct isa_operand *o)
{
	bool last = c->inst->form == ISA_FORM_THREE && c->isa->gen >= 110 && o == &c->inst->src[2];

	return last ? o->hstride : o->vstride;
}

/* Elements from the region's start. */
static unsigned int element_of(const struct ref_context *c, const struct isa_operand *o, unsigned int channel)
{
	unsigned int width = row_width(c, o);

	if (o->replicate)
		return 0;
	if (c->inst->align16)
		return channel / 4 * o->vstride + (o->swizzle >> channel % 4 * 2 & 3);
	if (o->vstride == ISA_VXH)
		return channel % width * o->hstride;
	return channel / width * row_stride(c, o) + channel % width * o->hstride;
}

static int origin_of(const struct ref_context *c, const struct isa_operand *o, unsigned int channel)
{
	unsigned int subreg = o->addr_subreg;

	if (!o->indirect)
		return o->reg * 32 + o->subreg;
	if (o->vstride == ISA_VXH)
		subreg += channel / row_width(c, o);
	return subreg < 16 ? (int)c->before->address[subreg] + o->addr_imm : -1;
}

int ref_source_byte(const struct ref_context *c, unsigned int n, unsigned int channel)
{
	const struct isa_operand *o = &c->inst->src[n];

	return origin_of(c, o, channel) + (int)(element_of(c, o, channel) * ref_size(o->type));
}

/* Bytes of an architecture register's file, from the first register of that kind. */
static int arf_byte(const struct isa_operand *o, int byte)
{
	return byte - (o->reg & 0xf0) * 32;
}

static int destination_byte(const struct ref_context *c, const struct isa_operand *o, unsigned int channel)
{
	unsigned int stride = c->inst->align16 ? 1 : o->hstride;

	if (o->indirect)
		return (int)c->before->address[o->addr_subreg] + o->addr_imm +
		       (int)(channel * stride * ref_size(o->type));
	return o->reg * 32 + o->subreg + (int)(channel * stride * ref_size(o->type));
}

static unsigned int arf_bytes(const struct ref_context *c, unsigned int id)
{
	switch (id) {
	case ISA_REG_ACC:
		return 64;
	case ISA_REG_A:
		return c->isa->gen < 80 ? 16 : 32;
	case ISA_REG_F:
		return c->isa->gen < 70 ? 4 : 64;
	default:
		return 0;
	}
}

static bool fits(const struct ref_context *c, const struct isa_operand *o, int byte)
{
	unsigned int size = ref_size(o->type), id;

	if (byte < 0 || byte % size)
		return false;
	if (o->file == ISA_GRF)
		return byte + size <= EU_REF_GRF_BYTES;
	if (o->file == ISA_MRF)
		return byte + size <= EU_REF_MRF_BYTES;
	id = isa_find_register(c->isa, o->reg)->id;
	if (id == ISA_REG_NULL)
		return true;
	if (arf_byte(o, byte) + size > arf_bytes(c, id))
		return false;
	/* Two flag registers of 32 bits, each at the start of its own register. */
	return id != ISA_REG_F || arf_byte(o, byte) % 32 + size <= 4;
}

bool ref_operands_defined(struct ref_context *c)
{
	const struct isa_inst *inst = c->inst;
	unsigned int i, n;

	for (i = 0; i < inst->exec_size; i++) {
		for (n = 0; n < inst->nsources; n++)
			if (inst->src[n].file != ISA_IMMEDIATE && !fits(c, &inst->src[n], ref_source_byte(c, n, i)))
				return false;
		if (!fits(c, &inst->dst, destination_byte(c, &inst->dst, i)))
			return false;
	}
	return true;
}

/* Floating-point over integers, wide over narrow, no integer narrower than a word: 3.3.8 "Execution Data Type". */
static unsigned int wider(unsigned int a, unsigned int b)
{
	static const __u8 rank[ISA_TYPES] = {
		[ISA_TYPE_UB] = 0, [ISA_TYPE_B] = 0, [ISA_TYPE_UW] = 0, [ISA_TYPE_W] = 0, [ISA_TYPE_UV] = 0,
		[ISA_TYPE_V] = 0, [ISA_TYPE_UD] = 1, [ISA_TYPE_D] = 1, [ISA_TYPE_UQ] = 2, [ISA_TYPE_Q] = 2,
		[ISA_TYPE_HF] = 3, [ISA_TYPE_VF] = 4, [ISA_TYPE_F] = 4, [ISA_TYPE_DF] = 5,
	};

	return rank[b] > rank[a] ? b : a;
}

void ref_prepare(struct ref_context *c)
{
	static const __u8 executed[ISA_TYPES] = {
		[ISA_TYPE_UB] = ISA_TYPE_W, [ISA_TYPE_B] = ISA_TYPE_W, [ISA_TYPE_UW] = ISA_TYPE_W,
		[ISA_TYPE_W] = ISA_TYPE_W, [ISA_TYPE_UV] = ISA_TYPE_W, [ISA_TYPE_V] = ISA_TYPE_W,
		[ISA_TYPE_UD] = ISA_TYPE_D, [ISA_TYPE_D] = ISA_TYPE_D, [ISA_TYPE_UQ] = ISA_TYPE_Q,
		[ISA_TYPE_Q] = ISA_TYPE_Q, [ISA_TYPE_HF] = ISA_TYPE_HF, [ISA_TYPE_VF] = ISA_TYPE_F,
		[ISA_TYPE_F] = ISA_TYPE_F, [ISA_TYPE_DF] = ISA_TYPE_DF,
	};
	unsigned int i, type;

	if (!c->inst->nsources)
		return;
	type = c->inst->src[0].type;
	for (i = 1; i < c->inst->nsources; i++)
		if (c->inst->src[i].type < ISA_TYPES)
			type = wider(type, c->inst->src[i].type);
	c->exec_type = executed[type];
	/*
	 * "When single precision and half precision floats are mixed between source operands or between source and
	 * destination operand [...] single precision float is the execution datatype" (Cherryview Vol 7, "Execution
	 * Data Type", as Mesa cites it).
	 */
	if (c->exec_type == ISA_TYPE_HF && c->inst->dst.type == ISA_TYPE_F)
		c->exec_type = ISA_TYPE_F;
}

/* V and UV are eight words. A channel takes the element as far on as its place in the destination is, in words. */
static unsigned int packed_element(const struct isa_operand *dst, unsigned int channel)
{
	unsigned int bytes = dst->type < ISA_TYPES ? dst->hstride * ref_size(dst->type) : 2;

	return bytes > 2 ? channel * (bytes / 2) : channel;
}

static __u64 immediate(const struct isa_operand *o, const struct isa_operand *dst, unsigned int channel)
{
	unsigned int small;

	if (o->type == ISA_TYPE_V || o->type == ISA_TYPE_UV)
		channel = packed_element(dst, channel);
	switch (o->type) {
	case ISA_TYPE_UV:
		return o->imm >> channel % 8 * 4 & 15;
	case ISA_TYPE_V:
		small = o->imm >> channel % 8 * 4 & 15;
		return small & 8 ? small | 0xfff0 : small;
	case ISA_TYPE_VF:
		/* 2.2.5 "Packed Restricted Float Vector" */
		small = o->imm >> channel % 4 * 8 & 255;
		if (!(small & 127))
			return (__u64)small << 24;
		return (small & 128) << 24 | ((small >> 4 & 7) + 124) << 23 | (small & 15) << 19;
	default:
		return o->imm;
	}
}

static __u64 bytes_at(const __u8 *file, unsigned int byte, unsigned int size)
{
	__u64 bits = 0;

	memcpy(&bits, file + byte, size);
	return bits;
}

static __u64 arf_bits(const struct ref_context *c, const struct isa_operand *o, int byte)
{
	unsigned int size = ref_size(o->type);

	switch (isa_find_register(c->isa, o->reg)->id) {
	case ISA_REG_A:
		return bytes_at((const __u8 *)c->before->address, arf_byte(o, byte), size);
	case ISA_REG_F:
		byte = arf_byte(o, byte);
		return bytes_at((const __u8 *)&c->before->flag[byte / 32], byte % 32, size);
	case ISA_REG_ACC:
		byte = arf_byte(o, byte);
		return c->before->acc[byte / 32][byte % 32 / size];
	default:
		return 0;
	}
}

__u64 ref_source_bits(const struct ref_context *c, unsigned int n, unsigned int channel)
{
	const struct isa_operand *o = &c->inst->src[n];
	int byte;

	if (o->file == ISA_IMMEDIATE)
		return immediate(o, &c->inst->dst, channel);
	byte = ref_source_byte(c, n, channel);
	if (o->file == ISA_ARF)
		return arf_bits(c, o, byte);
	return bytes_at(o->file == ISA_MRF ? c->before->mrf : c->before->grf, byte, ref_size(o->type));
}

float ref_grf_float(const struct ref_context *c, unsigned int byte)
{
	return ref_decode_float(ISA_TYPE_F, bytes_at(c->before->grf, byte, 4));
}

static bool is_acc(const struct ref_context *c, const struct isa_operand *o)
{
	return o->file == ISA_ARF && isa_find_register(c->isa, o->reg)->id == ISA_REG_ACC;
}

static __int128 integer_of(unsigned int type, __u64 bits)
{
	unsigned int unused = 64 - ref_size(type) * 8;

	if (ref_is_signed(type))
		return (__s64)(bits << unused) >> unused;
	return bits << unused >> unused;
}

static bool is_bitwise(const struct ref_context *c)
{
	return c->isa->ops[c->inst->word[0] & 127].takes & ISA_TAKES_BITWISE;
}

/* Modifiers: KBL Vol 2b, "SrcMod"; before Gen8 they are arithmetic with bitwise operations too (IVB 6.6 "and"). */
static void modify(const struct ref_context *c, const struct isa_operand *o, struct ref_value *v)
{
	if (is_bitwise(c) && c->isa->gen >= 80) {
		if (o->negate && !o->abs)
			v->i = integer_of(v->type, ~v->bits);
		return;
	}
	if (v->is_float) {
		if (o->abs)
			v->f = fabs(v->f);
		if (o->negate)
			v->f = -v->f;
		return;
	}
	if (o->abs && v->i < 0)
		v->i = -v->i;
	if (o->negate)
		v->i = -v->i;
}

struct ref_value ref_source(const struct ref_context *c, unsigned int n, unsigned int channel)
{
	const struct isa_operand *o = &c->inst->src[n];
	struct ref_value v = { .type = o->type, .bits = ref_source_bits(c, n, channel) };

	if (o->type == ISA_TYPE_VF)
		v.type = ISA_TYPE_F;
	v.is_float = ref_is_float(v.type);
	if (v.is_float)
		v.f = ref_decode_float(v.type, v.bits);
	else
		v.i = is_acc(c, o) ? (__int128)(__s64)v.bits : integer_of(v.type, v.bits);
	modify(c, o, &v);
	return v;
}

/* 3.3.3.5 "Accumulator Registers": acc0, and acc1 for the second half of floats. */
static __u64 *implicit_cell(const struct ref_context *c, __u64 acc[2][16], unsigned int channel, unsigned int type)
{
	unsigned int cell = c->inst->channel_offset % 16 + channel;

	switch (ref_size(type)) {
	case 8:
		return &acc[0][channel % 4];
	case 4:
		return type == ISA_TYPE_F ? &acc[cell / 8 % 2][cell % 8] : &acc[0][cell % 8];
	default:
		return &acc[0][cell % 16];
	}
}

struct ref_value ref_implicit_acc(const struct ref_context *c, unsigned int channel, unsigned int type)
{
	struct ref_value v = { .type = type, .is_float = ref_is_float(type) };

	v.bits = *implicit_cell(c, ((struct eu_ref_state *)c->before)->acc, channel, type);
	if (v.is_float)
		v.f = ref_decode_float(type, v.bits);
	else
		v.i = (__s64)v.bits;
	return v;
}

void ref_write_acc(struct ref_context *c, unsigned int channel, __u64 cell, __u64 unknown)
{
	/* cr0.0, bit 1: "the accumulator is disabled for all update operations" but explicit ones (IVB 3.3.3.8). */
	if (c->before->cr[0] & 2)
		return;
	*implicit_cell(c, c->after->acc, channel, c->inst->dst.type) = cell;
	*implicit_cell(c, c->result->unknown.acc, channel, c->inst->dst.type) = unknown;
}

static void put_bytes(__u8 *file, __u8 *unknown_file, int byte, unsigned int size, __u64 bits, __u64 unknown)
{
	memcpy(file + byte, &bits, size);
	memcpy(unknown_file + byte, &unknown, size);
}

/* Up to Gen7, a0.2 and the following subregisters have twelve bits (IVB 3.3.3.4); later manuals do not say. */
static void write_address(struct ref_context *c, int byte, unsigned int size, __u64 bits, __u64 unknown)
{
	unsigned int i;

	put_bytes((__u8 *)c->after->address, (__u8 *)c->result->unknown.address, byte, size, bits, unknown);
	for (i = 2; i < 16; i++) {
		if (i * 2 < (unsigned int)byte || i * 2 >= byte + size)
			continue;
		if (c->isa->gen < 80) {
			c->after->address[i] &= 0xfff;
		} else if (c->after->address[i] > 0xfff) {
			c->result->unknown.address[i] |= 0xf000;
			ref_silent(c, EU_REF_ADDRESS_HIGH);
		}
	}
}

/**
 * ref_write() - an element of the destination
 * @c: the instruction
 * @o: the destination
 * @channel: which
 * @bits: the element; of an accumulator its cell
 * @unknown: bits of the element that the manuals leave open
 */
void ref_write(struct ref_context *c, const struct isa_operand *o, unsigned int channel, __u64 bits, __u64 unknown)
{
	struct eu_ref_state *u = &c->result->unknown;
	int byte = destination_byte(c, o, channel);
	unsigned int size = ref_size(o->type);

	if (c->inst->align16 && !(o->write_mask >> channel % 4 & 1))
		return;
	if (o->file == ISA_GRF) {
		put_bytes(c->after->grf, u->grf, byte, size, bits, unknown);
		return;
	}
	if (o->file == ISA_MRF) {
		put_bytes(c->after->mrf, u->mrf, byte, size, bits, unknown);
		return;
	}
	byte = arf_byte(o, byte);
	switch (isa_find_register(c->isa, o->reg)->id) {
	case ISA_REG_A:
		write_address(c, byte, size, bits, unknown);
		break;
	case ISA_REG_F:
		put_bytes((__u8 *)&c->after->flag[byte / 32], (__u8 *)&u->flag[byte / 32], byte % 32, size, bits,
			  unknown);
		break;
	case ISA_REG_ACC:
		c->after->acc[byte / 32][byte % 32 / size] = bits;
		u->acc[byte / 32][byte % 32 / size] = unknown;
		break;
	}
}

void ref_silent(struct ref_context *c, enum eu_ref_silence reason)
{
	c->result->silent[reason]++;
}

/*
 * The bit of the 32 of the flag register that belongs to a channel: the subregister's, from the first channel on.
 * IVB 5.2.3 "QtrCtrl" has the third and fourth quarter use the subregister's bits of the first and second one again;
 * compilers use the flag register's high half for them, so such instructions are undefined with a subregister 1.
 */
static unsigned int flag_bit(const struct ref_context *c, unsigned int channel)
{
	return (c->inst->flag_subreg * 16 + c->inst->channel_offset + channel) % 32;
}

void ref_set_flag(struct ref_context *c, unsigned int channel, bool value, bool unknown)
{
	__u32 bit = 1u << flag_bit(c, channel), *flag = &c->after->flag[c->inst->flag];

	*flag = value ? *flag | bit : *flag & ~bit;
	if (unknown)
		c->result->unknown.flag[c->inst->flag] |= bit;
}

/* 3.6 "Assigning Conditional Flags", of instructions other than cmpn. */
bool ref_condition(unsigned int code, bool negative, bool zero, bool nan, bool overflow)
{
	switch (code) {
	case REF_E:
		return zero && !nan;
	case REF_NE:
		return !(zero && !nan);
	case REF_G:
		return !negative && !zero && !nan;
	case REF_GE:
		return (!negative || zero) && !nan;
	case REF_L:
		return negative && !zero && !nan;
	case REF_LE:
		return (negative || zero) && !nan;
	case REF_O:
		return overflow;
	default:
		return nan;
	}
}

/* All or any of a group of flag bits around a channel's, by 3.4.3 "Predication with Horizontal Combination". */
static bool group(const struct ref_context *c, unsigned int bit, unsigned int size, bool all)
{
	__u32 flag = c->before->flag[c->inst->flag];
	unsigned int i, first = bit / size * size, set = 0;

	for (i = first; i < first + size; i++)
		set += flag >> i & 1;
	return all ? set == size : set > 0;
}

static bool combined(const struct ref_context *c, unsigned int channel)
{
	unsigned int bit = flag_bit(c, channel), code = c->inst->predicate, first = bit & ~3u;
	const struct eu_ref_state *s = c->before;
	bool one = s->flag[c->inst->flag] >> bit & 1, other;

	if (code == 1)
		return one;
	if (c->inst->align16)
		return code < 6 ? s->flag[c->inst->flag] >> (first + code - 2) & 1 : group(c, bit, 4, code == 7);
	if (code > 3)
		return group(c, bit, 1 << (code / 2 - 1), code & 1);
	/* 3.4.4 "Predication with Vertical Combination": of f0.0 and f0.1, from Gen8 on of f0 and f1 (KBL Vol 2b). */
	if (c->isa->gen < 80) {
		one = s->flag[0] >> bit % 16 & 1;
		other = s->flag[0] >> (bit % 16 + 16) & 1;
	} else {
		one = s->flag[0] >> bit & 1;
		other = s->flag[1] >> bit & 1;
	}
	return code == 2 ? one || other : one && other;
}

bool ref_predicate(const struct ref_context *c, unsigned int channel)
{
	return !c->inst->predicate || combined(c, channel) != c->inst->predicate_inverse;
}

/* cr0.0, bit 2: "single program flow, a mode in which every execution channel uses the common instruction pointer". */
bool ref_single_flow(const struct ref_context *c)
{
	return c->before->cr[0] & 1 << 2;
}

/**
 * ref_runs() - is a channel at the instruction?
 * @c: the instruction
 * @n: the channel, among the thread's
 *
 * "Whether the channel is on the instruction (if not in Single Program Flow mode [...])": IVB Vol 4 Part 3, 1.1.
 *
 * Return: was it dispatched, and runs?
 */
bool ref_runs(const struct ref_context *c, unsigned int n)
{
	return n < EU_REF_CHANNELS && c->before->dispatch_mask >> n & 1 &&
	       (ref_single_flow(c) || c->before->pcip[n] == c->before->ip);
}

/* Is the channel on before predication? */
static bool enabled(const struct ref_context *c, unsigned int channel)
{
	return c->inst->no_mask || ref_runs(c, c->inst->channel_offset + channel);
}

/* Dword @n from an operand's origin on, whatever its region is: "regioning being <2;2,1>". */
__u32 ref_register_dword(const struct ref_context *c, const struct isa_operand *o, unsigned int n)
{
	return bytes_at(c->before->grf, origin_of(c, o, 0) + 4 * n, 4);
}

/* With sel the predicate selects and masks nothing (6.55 "sel"). */
bool ref_write_enable(const struct ref_context *c, unsigned int channel)
{
	return enabled(c, channel) && (c->inst->op == ISA_OP_SEL || ref_predicate(c, channel));
}
