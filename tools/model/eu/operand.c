// SPDX-License-Identifier: MIT
/**
 * DOC: Operands, channel by channel
 *
 * A region is turned into one offset a channel when the instruction is decoded (IVB Vol 4 Part 3,
 * 3.3 "Register Region"). What runs out of a register file is a fault then. An indirect operand's
 * offsets count from an address in a0, so it is checked for every enabled channel when it executes.
 */
#include "internal.h"

#define ADDRESS 1
#define ACCUMULATOR 2
#define FLAG 3
#define ENABLES 4
#define MESSAGE 5
#define STACK 6
#define STATE 7
#define NOTIFICATION 9
#define IP 10
#define DEPENDENCY 11
#define TIMESTAMP 12
#define DEBUG 15

/* tm0.4: for how long the thread executes nothing. Intel's OpenCL compiler has spin locks write it. */
#define PAUSE 16

/* A float of VF: sign, three bits of exponent with bias 3, four of mantissa. */
static uint32_t restricted_float(unsigned int v)
{
	uint32_t sign = (uint32_t)(v & 0x80) << 24;

	if (!(v & 0x7f))
		return sign;
	return sign | ((v >> 4 & 7) + 124) << 23 | (v & 15) << 19;
}

/*
 * The elements of V and UV are eight words in a row, and a channel takes the one at its place in the destination.
 * Manuals restrict these destinations to words; Intel's OpenCL compiler for Gen9 writes dwords, too, with every second
 * element.
 */
static unsigned int packed_element(const struct isa_inst *inst, unsigned int channel)
{
	unsigned int bytes = inst->dst.type < ISA_TYPES ? inst->dst.hstride * isa_types[inst->dst.type].size : 2;

	return 4 * (bytes > 2 ? channel * bytes / 2 % 8 : channel);
}

static void decode_immediate(const struct isa_inst *inst, const struct isa_operand *from, struct eu_operand *to)
{
	unsigned int i;

	to->place = EU_IMMEDIATE;
	for (i = 0; i < 8; i++) {
		switch (from->type) {
		case ISA_TYPE_V:
			to->imm[i] = (uint16_t)((int8_t)((from->imm >> packed_element(inst, i) & 15) << 4) >> 4);
			to->type = ISA_TYPE_W;
			break;
		case ISA_TYPE_UV:
			to->imm[i] = from->imm >> packed_element(inst, i) & 15;
			to->type = ISA_TYPE_UW;
			break;
		case ISA_TYPE_VF:
			to->imm[i] = restricted_float(from->imm >> 8 * (i % 4) & 0xff);
			to->type = ISA_TYPE_F;
			break;
		default:
			to->imm[i] = to->size < 8 ? from->imm & ((1ull << 8 * to->size) - 1) : from->imm;
			break;
		}
	}
	to->size = isa_types[to->type].size;
	to->kind = isa_types[to->type].kind;
}

/* Bytes from the region's origin to channel n. */
static unsigned int align1_offset(const struct eu_core *core, const struct isa_inst *inst,
				  const struct isa_operand *from, const struct eu_operand *to, unsigned int n,
				  bool is_dst)
{
	unsigned int size = to->size, width = from->width;

	/* Doubles of Ivy Bridge: regions of floats, of which every second one begins a double. */
	if (core->traits->double_pairs && from->type == ISA_TYPE_DF) {
		n *= 2;
		size = 4;
	}
	if (is_dst)
		return n * from->hstride * size;
	if (inst->form == ISA_FORM_THREE) {
		if (from == &inst->src[2])
			return n * from->hstride * size;
		width = from->hstride && from->vstride ? from->vstride / from->hstride : 1;
	}
	if (!width)
		width = 1;
	return ((from->vstride == ISA_VXH ? 0 : n / width * from->vstride) + n % width * from->hstride) * size;
}

static unsigned int align16_offset(const struct isa_inst *inst, const struct isa_operand *from,
				   const struct eu_operand *to, unsigned int n, bool is_dst)
{
	unsigned int row = to->size == 8 ? 2 : 4, channel, stride;

	if (is_dst)
		return n * to->size;
	if (from->replicate)
		return 0;
	if (inst->form == ISA_FORM_THREE || to->size == 8)
		stride = from->vstride || inst->form == ISA_FORM_THREE ? row * to->size : 0;
	else
		stride = from->vstride == ISA_VXH ? 0 : from->vstride * to->size;
	channel = to->size == 8 ? (from->swizzle >> 4 * (n % 2) & 3) / 2 : from->swizzle >> 2 * (n % 4) & 3;
	return n / row * stride + channel * to->size;
}

static unsigned int end_of(const struct eu_operand *o)
{
	switch (o->place) {
	case EU_GRF:
		return EU_GRF_END;
	case EU_MRF:
		return EU_MRFS * EU_GRF_BYTES;
	case EU_ACC:
		return EU_ACCS * EU_GRF_BYTES;
	default:
		return UINT16_MAX;
	}
}

/* Before Gen8 each register of an indirect operand that has two is where its own word of a0 says. */
static void pair_indices(const struct eu_core *core, const struct isa_inst *inst, const struct isa_operand *from,
			 struct eu_operand *to)
{
	unsigned int half = inst->exec_size / 2, n;
	unsigned int dst_size = inst->dst.type < ISA_TYPES ? isa_types[inst->dst.type].size : 4;
	bool scalar = from != &inst->dst && !from->vstride && !from->hstride;

	if (!core->traits->paired_index || scalar || from->vstride == ISA_VXH ||
	    inst->exec_size * inst->dst.hstride * dst_size <= EU_GRF_BYTES)
		return;
	for (n = half; n < inst->exec_size; n++) {
		to->off[n] = to->off[n - half];
		to->index[n] = 1;
	}
}

void eu_operand_decode(const struct eu_core *core, const struct isa_inst *inst, const struct isa_operand *from,
		       struct eu_operand *to, bool is_dst, const char **fault)
{
	static const uint8_t places[] = { EU_NULL, EU_ARF, EU_GRF, EU_MRF, EU_IMMEDIATE };
	unsigned int n, base;
	bool compressed4 = from->file == ISA_MRF && from->reg & 0x80;

	to->type = from->type < ISA_TYPES ? from->type : ISA_TYPE_UD;
	to->size = isa_types[to->type].size;
	to->kind = isa_types[to->type].kind;
	to->abs = from->abs;
	to->negate = from->negate;
	if (from->file == ISA_IMMEDIATE) {
		decode_immediate(inst, from, to);
		return;
	}
	to->place = places[from->file];
	to->reg = from->reg;
	if (from->file == ISA_ARF && !from->indirect && from->reg >> 4 == 0)
		to->place = EU_NULL;
	else if (from->file == ISA_ARF && !from->indirect && from->reg >> 4 == ACCUMULATOR)
		to->place = EU_ACC;
	to->indirect = from->indirect;
	to->addr_subreg = from->addr_subreg;
	to->addr_imm = from->addr_imm;
	base = from->subreg;
	if (to->place == EU_GRF || to->place == EU_MRF)
		base += (from->reg & (compressed4 ? 0x7f : 0xff)) * EU_GRF_BYTES;
	else if (to->place == EU_ACC)
		base += (from->reg & 15) * EU_GRF_BYTES;
	/* A macro names an accumulator with further bits in place of a subregister. */
	if (inst->macro && !inst->align16)
		base -= from->subreg;
	if (from->indirect)
		base = 0;
	for (n = 0; n < inst->exec_size; n++) {
		unsigned int off = base;

		if (inst->macro)
			off += n * to->size;
		else if (inst->align16)
			off += align16_offset(inst, from, to, n, is_dst);
		else
			off += align1_offset(core, inst, from, to, n, is_dst);
		if (compressed4 && n >= inst->exec_size / 2u)
			off += 3 * EU_GRF_BYTES;
		if (!from->indirect && off + to->size > end_of(to)) {
			if (!*fault)
				*fault = to->place == EU_GRF ? "operand beyond r127" :
					 to->place == EU_MRF ? "operand beyond m23" : "operand beyond its register";
			return;
		}
		to->off[n] = off;
		to->row = (!n || to->row) && off == to->off[0] + n * to->size;
		if (from->vstride == ISA_VXH && from->width)
			to->index[n] = n / from->width;
	}
	if (from->indirect) {
		pair_indices(core, inst, from, to);
		for (n = 0; n < inst->exec_size; n++)
			if (to->addr_subreg + to->index[n] >= core->traits->addresses && !*fault)
				*fault = "indirect operand beyond a0";
	}
}

/* Do the channels of an operand come one after the other at this distance? */
static bool strides(const struct eu_operand *o, unsigned int exec, unsigned int bytes)
{
	unsigned int n;

	for (n = 1; n < exec; n++)
		if (o->off[n] != o->off[0] + n * bytes)
			return false;
	return true;
}

enum eu_shape eu_shape_of(const struct eu_operand *o, unsigned int exec)
{
	if (strides(o, exec, 0))
		return EU_SCALAR;
	if (strides(o, exec, o->size))
		return o->size >= 4 ? EU_PACKED : o->size == 2 ? EU_WORDS : EU_BYTES;
	if (o->place == EU_GRF && o->size < 4 && strides(o, exec, 4))
		return EU_LOW;
	if (o->place == EU_GRF && o->size == 1 && strides(o, exec, 2))
		return EU_EVEN;
	return o->place == EU_GRF && o->size == 4 && strides(o, exec, 8) ? EU_PAIRS : EU_GATHER;
}

enum eu_shape eu_dst_shape_of(const struct eu_operand *o, unsigned int exec)
{
	enum eu_shape shape = eu_shape_of(o, exec);

	/* Of one channel: its dword is the first of eight. */
	if (shape == EU_SCALAR && exec == 1)
		return o->size >= 4 ? EU_PACKED : EU_SCALAR;
	return shape == EU_SCALAR || shape == EU_BYTES ? EU_GATHER : shape;
}

void eu_splat(struct eu_operand *o, struct eu_fast_source *s)
{
	bool same = true;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		o->splat[i] = o->kind == ISA_FLOAT ? (uint32_t)o->imm[i] : (uint32_t)eu_integer_of(o, o->imm[i]);
		same &= o->splat[i] == o->splat[0];
	}
	s->shape = same ? EU_SPLAT : EU_VECTOR;
	if (same)
		s->value = o->splat[0];
	else
		s->imm = o->splat;
}

/* A register as bytes; NULL: it is not made of stored bytes. */
static uint8_t *arf_bytes(const struct eu_core *core, struct eu_thread *thread, unsigned int reg, unsigned int *size)
{
	unsigned int n = reg & 15;

	switch (reg >> 4) {
	case ADDRESS:
		*size = core->traits->addresses * 2;
		return (uint8_t *)thread->address;
	case FLAG:
		*size = 4;
		return n < core->traits->flags ? (uint8_t *)&thread->flag[n] : NULL;
	case MESSAGE:
		*size = 4;
		return n < 8 ? (uint8_t *)&thread->msg[n] : NULL;
	case STACK:
		*size = 16;
		return (uint8_t *)thread->sp;
	case STATE:
		*size = 16;
		return n < 2 ? (uint8_t *)&thread->sr[4 * n] : NULL;
	case EU_ARF_CONTROL:
		*size = 12;
		return (uint8_t *)thread->cr;
	case NOTIFICATION:
		*size = 12;
		return (uint8_t *)thread->n;
	case DEPENDENCY:
		*size = 16;
		return (uint8_t *)thread->tdr;
	case DEBUG:
		*size = 8;
		return (uint8_t *)thread->dbg;
	default:
		return NULL;
	}
}

/*
 * Flags of one channel, and address registers, that are bytes of the thread like any other: where they are, from the
 * thread's start on. 0: the operand is none of these. Short address registers are cut when they are written.
 */
unsigned int eu_arf_offset(const struct eu_core *core, const struct eu_operand *o, unsigned int exec, bool is_dst)
{
	unsigned int n = o->reg & 15, bytes = o->off[exec - 1] + o->size;

	if (o->place != EU_ARF || o->indirect || o->kind == ISA_FLOAT || !(exec == 1 || (o->row && o->size == 2)))
		return 0;
	if (o->reg >> 4 == FLAG && exec == 1 && n < core->traits->flags && bytes <= sizeof(uint32_t))
		return offsetof(struct eu_thread, flag) + n * sizeof(uint32_t) + o->off[0];
	if (is_dst && core->traits->address_bits < 16)
		return 0;
	if (o->reg >> 4 == ADDRESS && bytes <= core->traits->addresses * 2u)
		return offsetof(struct eu_thread, address) + o->off[0];
	return 0;
}

static void timestamp(struct eu_core *core, struct eu_thread *thread, uint32_t tm[4])
{
	uint64_t now = core->ops->timestamp ? core->ops->timestamp(thread) : thread->executed;

	tm[0] = (uint32_t)now;
	tm[1] = (uint32_t)(now >> 32);
	tm[2] = 0;
	tm[3] = 0;
}

uint64_t eu_arf_read(struct eu_core *core, const struct eu_thread *thread, unsigned int reg, unsigned int byte,
		     unsigned int size)
{
	struct eu_thread *t = (struct eu_thread *)thread;
	uint8_t image[64] = { 0 };
	uint32_t words[8] = { 0 };
	unsigned int length = 0;
	const uint8_t *bytes = arf_bytes(core, t, reg, &length);
	uint64_t value = 0;

	if (bytes) {
		memcpy(image, bytes, length);
		if (reg == STATE << 4) {
			memcpy(image + 8, &thread->dispatch_mask, 4);
			memcpy(image + 12, &thread->vector_mask, 4);
		}
	} else {
		switch (reg >> 4) {
		case ENABLES:
			words[0] = eu_channel_enables(core, thread);
			break;
		case IP:
			words[0] = thread->ip;
			break;
		case TIMESTAMP:
			timestamp(core, t, words);
			break;
		default:
			break;
		}
		memcpy(image, words, sizeof(words));
	}
	if (byte + size <= sizeof(image))
		value = eu_get(image + byte, size);
	return value;
}

static bool arf_write(struct eu_core *core, struct eu_thread *thread, unsigned int reg, unsigned int byte,
		      unsigned int size, uint64_t value)
{
	bool exception = thread->cr[0] & EU_CR0_EXCEPTION;
	unsigned int length = 0, n;
	uint8_t *bytes = arf_bytes(core, thread, reg, &length);

	if (reg >> 4 == IP) {
		if (byte)
			return true;
		thread->ip = (uint32_t)value;
		return true;
	}
	/* Results do not depend on time, so a pause is over at once. */
	if (reg >> 4 == TIMESTAMP && byte == PAUSE && core->traits->pause)
		return true;
	if (!bytes) {
		thread->fault = "write to a register that is read only, or not modelled";
		return false;
	}
	if (byte + size > length)
		return true;
	eu_put(bytes + byte, size, value);
	if (reg >> 4 == ADDRESS && core->traits->address_bits < 16)
		for (n = 2; n < 8; n++)
			thread->address[n] &= (1u << core->traits->address_bits) - 1;
	if (reg >> 4 == EU_ARF_CONTROL) {
		eu_control_written(thread, exception);
		eu_refresh(core, thread);
	}
	if (reg == STATE << 4) {
		thread->dispatch_mask = byte <= 8 && byte + size > 8 ? thread->sr[2] : thread->dispatch_mask;
		thread->vector_mask = byte <= 12 && byte + size > 12 ? thread->sr[3] : thread->vector_mask;
		eu_refresh(core, thread);
	}
	return true;
}

/* The offset of a channel of an indirect operand, or a negative number with the fault set. */
static int indirect_offset(struct eu_thread *thread, const struct eu_operand *o, unsigned int n)
{
	int off = thread->address[(o->addr_subreg + o->index[n]) % 16] + o->addr_imm + o->off[n];
	int end = o->place == EU_MRF ? EU_MRFS * EU_GRF_BYTES : EU_GRF_END;

	if (off >= 0 && off + o->size <= end)
		return off;
	thread->fault = "address in a0 is outside the registers";
	return -1;
}

static bool load_indirect(struct eu_thread *thread, const struct eu_operand *o, unsigned int n, uint32_t mask,
			  uint64_t *raw)
{
	const uint8_t *file = o->place == EU_MRF ? thread->mrf[0] : thread->grf[0];
	unsigned int i;

	for (i = 0; i < n; i++) {
		int off;

		raw[i] = 0;
		if (!(mask >> i & 1))
			continue;
		off = indirect_offset(thread, o, i);
		if (off < 0)
			return false;
		raw[i] = eu_get(file + off, o->size);
	}
	return true;
}

bool eu_load(struct eu_core *core, struct eu_thread *thread, const struct eu_operand *o, unsigned int n,
	     uint32_t mask, uint64_t *raw)
{
	const uint8_t *grf = thread->grf[0];
	unsigned int i;

	switch (o->place) {
	case EU_IMMEDIATE:
		for (i = 0; i < n; i++)
			raw[i] = o->imm[i % 8];
		return true;
	case EU_ACC:
		for (i = 0; i < n; i++) {
			unsigned int size = o->size < 2 ? 2 : o->size;

			raw[i] = thread->acc[o->off[i] / 32 % EU_ACCS][o->off[i] % 32 / size];
		}
		return true;
	case EU_ARF:
		for (i = 0; i < n; i++)
			raw[i] = eu_arf_read(core, thread, o->reg, o->off[i], o->size);
		return true;
	case EU_GRF:
	case EU_MRF:
		break;
	default:
		memset(raw, 0, n * sizeof(*raw));
		return true;
	}
	if (o->indirect)
		return load_indirect(thread, o, n, mask, raw);
	if (o->place == EU_MRF)
		grf = thread->mrf[0];
	for (i = 0; i < n; i++)
		raw[i] = eu_get(grf + o->off[i], o->size);
	return true;
}

bool eu_store(struct eu_core *core, struct eu_thread *thread, const struct eu_operand *o, unsigned int n,
	      uint32_t mask, const uint64_t *raw)
{
	uint8_t *file = o->place == EU_MRF ? thread->mrf[0] : thread->grf[0];
	unsigned int i, size = o->size;
	int off[EU_CHANNELS];

	if (o->place == EU_NULL)
		return true;
	if (o->place == EU_GRF || o->place == EU_MRF) {
		for (i = 0; i < n; i++) {
			off[i] = o->off[i];
			if (o->indirect && mask >> i & 1) {
				off[i] = indirect_offset(thread, o, i);
				if (off[i] < 0)
					return false;
			}
		}
	}
	for (i = 0; i < n; i++) {
		if (!(mask >> i & 1))
			continue;
		if (o->place == EU_ACC)
			thread->acc[o->off[i] / 32 % EU_ACCS][o->off[i] % 32 / (size < 2 ? 2 : size)] = raw[i];
		else if (o->place != EU_ARF)
			eu_put(file + off[i], size, raw[i]);
		else if (!arf_write(core, thread, o->reg, o->off[i], size, raw[i]))
			return false;
	}
	return true;
}
