// SPDX-License-Identifier: MIT
/**
 * DOC: Encoding of instructions
 *
 * The inverse of isa_decode(), for what the judge's generators make: instructions with one to three sources, math,
 * branches, calls, messages, wait and sync.
 */
#include <stdlib.h>
#include <string.h>

#include "judge.h"

struct fields {
	__u16 file, imm, type, subreg, reg, abs, negate, indirect, hstride, width, vstride, addr_subreg, addr_imm;
	__u16 subreg16, swizzle, imm32, imm64;
};

#define FIELDS(n) { \
	ISA_F_##n##_FILE, ISA_F_##n##_IMM, ISA_F_##n##_TYPE, ISA_F_##n##_SUBREG, ISA_F_##n##_REG, ISA_F_##n##_ABS, \
	ISA_F_##n##_NEGATE, ISA_F_##n##_INDIRECT, ISA_F_##n##_HSTRIDE, ISA_F_##n##_WIDTH, ISA_F_##n##_VSTRIDE, \
	ISA_F_##n##_ADDR_SUBREG, ISA_F_##n##_ADDR_IMM, ISA_F_##n##_SUBREG16, ISA_F_##n##_SWIZZLE, ISA_F_##n##_IMM32, \
	ISA_F_##n##_IMM64 }

static const struct fields source_fields[2] = { FIELDS(SRC0), FIELDS(SRC1) };

struct three_fields {
	__u16 replicate, swizzle, subreg, reg, abs, negate, file, type, hstride, vstride, imm, imm16;
};

#define THREE(n) \
	ISA_F_THREE_##n##_REPLICATE, ISA_F_THREE_##n##_SWIZZLE, ISA_F_THREE_##n##_SUBREG, ISA_F_THREE_##n##_REG, \
	ISA_F_THREE_##n##_ABS, ISA_F_THREE_##n##_NEGATE, ISA_F_THREE_##n##_FILE, ISA_F_THREE_##n##_TYPE, \
	ISA_F_THREE_##n##_HSTRIDE

static const struct three_fields three_fields[3] = {
	{ THREE(SRC0), ISA_F_THREE_SRC0_VSTRIDE, ISA_F_THREE_SRC0_IMM, ISA_F_THREE_SRC0_IMM16 },
	{ THREE(SRC1), ISA_F_THREE_SRC1_VSTRIDE, ISA_FIELDS, ISA_FIELDS },
	{ THREE(SRC2), ISA_FIELDS, ISA_F_THREE_SRC2_IMM, ISA_F_THREE_SRC2_IMM16 },
};

struct encoder {
	const struct isa_gen *isa;
	const struct isa_inst *inst;
	__u64 *word;
	bool good;
};

static void put(struct encoder *e, unsigned int field, __u64 value)
{
	const struct isa_bits *bits = &e->isa->fields[field];
	unsigned int i = bits->n, bit;

	if (value && !bits->n)
		e->good = false;
	value >>= bits->shift;
	while (i--) {
		const struct isa_piece *p = &bits->pieces[i];

		for (bit = p->start; bit < p->start + p->width; bit++, value >>= 1) {
			e->word[bit / 64] &= ~(1ull << bit % 64);
			e->word[bit / 64] |= (value & 1) << bit % 64;
		}
	}
}

static unsigned int logarithm(unsigned int value)
{
	unsigned int n = 0;

	while (value >>= 1)
		n++;
	return n;
}

/* Strides: 0, 1, 2, 4 and so on are 0, 1, 2, 3. */
static unsigned int stride_code(unsigned int stride)
{
	return stride == ISA_VXH ? 15 : stride ? logarithm(stride) + 1 : 0;
}

static unsigned int type_code(struct encoder *e, enum isa_type_use use, unsigned int type)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		if (e->isa->types[use][i] == type)
			return i;
	e->good = false;
	return 0;
}

static unsigned int opcode(struct encoder *e)
{
	unsigned int i;

	for (i = 0; i < 128; i++)
		if (e->isa->ops[i].name && e->isa->ops[i].id == e->inst->op)
			return i;
	e->good = false;
	return 0;
}

static unsigned int math_code(struct encoder *e)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		if (e->isa->math[i].name && e->isa->math[i].id == e->inst->function)
			return i;
	e->good = false;
	return 0;
}

static unsigned int file_code(const struct encoder *e, const struct isa_operand *o)
{
	if (e->isa->gen >= 120)
		return o->file == ISA_GRF;
	return o->file == ISA_GRF ? 1 : o->file == ISA_MRF ? 2 : o->file == ISA_IMMEDIATE ? 3 : 0;
}

static void put_controls(struct encoder *e)
{
	const struct isa_inst *inst = e->inst;

	put(e, ISA_F_OPCODE, opcode(e));
	put(e, ISA_F_ALIGN16, inst->align16);
	put(e, ISA_F_NO_MASK, inst->no_mask);
	put(e, ISA_F_CHANNEL_OFFSET, inst->channel_offset / 4);
	put(e, ISA_F_PREDICATE, inst->predicate);
	put(e, ISA_F_PREDICATE_INVERSE, inst->predicate_inverse);
	put(e, ISA_F_EXEC_SIZE, logarithm(inst->exec_size));
	put(e, ISA_F_ACC_WRITE, inst->acc_write | inst->branch_ctrl);
	put(e, ISA_F_SATURATE, inst->saturate);
	put(e, inst->form == ISA_FORM_THREE ? ISA_F_THREE_FLAG : ISA_F_FLAG, inst->flag << 1 | inst->flag_subreg);
	if (inst->form == ISA_FORM_MATH)
		put(e, ISA_F_FUNCTION, math_code(e));
	else if (inst->cond)
		put(e, ISA_F_FUNCTION, inst->cond);
}

static void put_destination(struct encoder *e)
{
	const struct isa_operand *o = &e->inst->dst;

	put(e, ISA_F_DST_FILE, file_code(e, o));
	put(e, ISA_F_DST_TYPE, type_code(e, ISA_USE_REGISTER, o->type));
	put(e, ISA_F_DST_INDIRECT, o->indirect);
	put(e, ISA_F_DST_HSTRIDE, stride_code(o->hstride));
	if (o->indirect) {
		put(e, ISA_F_DST_ADDR_SUBREG, o->addr_subreg);
		put(e, ISA_F_DST_ADDR_IMM, o->addr_imm & 1023);
		return;
	}
	put(e, ISA_F_DST_REG, o->reg);
	if (e->inst->align16) {
		put(e, ISA_F_DST_SUBREG16, o->subreg / 16);
		put(e, ISA_F_DST_WRITE_MASK, o->write_mask);
	} else {
		put(e, ISA_F_DST_SUBREG, o->subreg);
	}
}

static void put_immediate(struct encoder *e, const struct isa_operand *o, const struct fields *f)
{
	if (e->isa->gen >= 120)
		put(e, f->imm, 1);
	else
		put(e, f->file, 3);
	put(e, f->type, type_code(e, ISA_USE_IMMEDIATE, o->type));
	put(e, isa_types[o->type].size == 8 ? f->imm64 : f->imm32, o->imm);
}

static void put_source(struct encoder *e, const struct isa_operand *o, const struct fields *f)
{
	if (o->file == ISA_IMMEDIATE) {
		put_immediate(e, o, f);
		return;
	}
	put(e, f->file, file_code(e, o));
	put(e, f->type, type_code(e, ISA_USE_REGISTER, o->type));
	put(e, f->abs, o->abs);
	put(e, f->negate, o->negate);
	put(e, f->indirect, o->indirect);
	put(e, f->vstride, stride_code(o->vstride));
	if (o->indirect) {
		put(e, f->addr_subreg, o->addr_subreg);
		put(e, f->addr_imm, o->addr_imm & 1023);
	} else {
		put(e, f->reg, o->reg);
	}
	if (e->inst->align16) {
		put(e, f->subreg16, o->subreg / 16);
		put(e, f->swizzle, o->swizzle);
		return;
	}
	if (!o->indirect)
		put(e, f->subreg, o->subreg);
	put(e, f->width, logarithm(o->width));
	put(e, f->hstride, stride_code(o->hstride));
}

static void put_three_align16(struct encoder *e)
{
	const struct isa_inst *inst = e->inst;
	unsigned int n;

	if (e->isa->gen >= 70) {
		put(e, ISA_F_THREE_DST_TYPE, type_code(e, ISA_USE_THREE, inst->dst.type));
		put(e, ISA_F_THREE_SRC_TYPE, type_code(e, ISA_USE_THREE, inst->src[0].type));
	} else {
		put(e, ISA_F_THREE_DST_FILE, inst->dst.file == ISA_MRF);
	}
	if (e->isa->gen >= 80) {
		put(e, ISA_F_THREE_SRC1_HALF, inst->src[1].type == ISA_TYPE_HF);
		put(e, ISA_F_THREE_SRC2_HALF, inst->src[2].type == ISA_TYPE_HF);
	}
	put(e, ISA_F_THREE_DST_REG, inst->dst.reg);
	put(e, ISA_F_THREE_DST_SUBREG, inst->dst.subreg);
	put(e, ISA_F_THREE_DST_WRITE_MASK, inst->dst.write_mask);
	for (n = 0; n < 3; n++) {
		const struct isa_operand *o = &inst->src[n];
		const struct three_fields *f = &three_fields[n];

		put(e, f->reg, o->reg);
		put(e, f->subreg, o->subreg);
		put(e, f->replicate, o->replicate);
		put(e, f->swizzle, o->swizzle);
		put(e, f->abs, o->abs);
		put(e, f->negate, o->negate);
	}
}

static void put_three_align1(struct encoder *e)
{
	static const __u8 vstrides[] = { [0] = 0, [1] = 1, [4] = 2, [8] = 3 };
	const struct isa_inst *inst = e->inst;
	bool floats = isa_types[inst->dst.type].kind == ISA_FLOAT;
	enum isa_type_use use = floats ? ISA_USE_THREE_FLOAT : ISA_USE_THREE_INT;
	unsigned int n;

	put(e, ISA_F_THREE_EXEC_TYPE, floats);
	put(e, ISA_F_THREE_DST_FILE, inst->dst.file == ISA_GRF);
	put(e, ISA_F_THREE_DST_TYPE, type_code(e, use, inst->dst.type));
	put(e, ISA_F_THREE_DST_REG, inst->dst.reg);
	put(e, ISA_F_THREE_DST_SUBREG, inst->dst.subreg);
	put(e, ISA_F_THREE_DST_HSTRIDE, inst->dst.hstride == 2);
	for (n = 0; n < 3; n++) {
		const struct isa_operand *o = &inst->src[n];
		const struct three_fields *f = &three_fields[n];

		put(e, f->type, type_code(e, use, o->type));
		if (o->file == ISA_IMMEDIATE) {
			put(e, f->imm, 1);
			put(e, f->imm16, o->imm & 0xffff);
			continue;
		}
		put(e, f->file, o->file == ISA_GRF);
		put(e, f->reg, o->reg);
		put(e, f->subreg, o->subreg);
		put(e, f->hstride, stride_code(o->hstride));
		if (f->vstride != ISA_FIELDS)
			put(e, f->vstride, vstrides[o->vstride]);
		put(e, f->abs, o->abs);
		put(e, f->negate, o->negate);
	}
}

/* A scalar register of a branch, call or return; Gen12 has the register alone. */
static void put_register(struct encoder *e, const struct isa_operand *o, const struct fields *f)
{
	if (e->isa->gen < 120) {
		put_source(e, o, f);
		return;
	}
	put(e, f->file, o->file == ISA_GRF);
	put(e, f->reg, o->reg);
	put(e, f->subreg, o->subreg);
}

/* Gen6's if and while may compare. */
static void put_compared(struct encoder *e)
{
	unsigned int n;

	for (n = 0; n < e->inst->nsources; n++)
		put_source(e, &e->inst->src[n], &source_fields[n]);
}

/* Where a branch has its offsets, in units of 8 bytes before Gen8. */
static void put_jump(struct encoder *e)
{
	const struct isa_inst *inst = e->inst;
	int unit = e->isa->gen < 80 ? 8 : 1;
	bool count = e->isa->fields[ISA_F_BRANCH_COUNT].n && inst->njumps == 1;

	if (inst->form == ISA_FORM_JUMP_REG && !inst->njumps) {
		put_register(e, &inst->src[0], &source_fields[0]);
		return;
	}
	if (e->isa->gen >= 120) {
		put(e, ISA_F_SRC0_IMM, 1);
	} else if (inst->cond) {
		put_compared(e);
	} else {
		put(e, ISA_F_SRC1_FILE, 3);
		put(e, ISA_F_SRC1_TYPE, type_code(e, ISA_USE_IMMEDIATE, e->isa->gen < 80 ? ISA_TYPE_W : ISA_TYPE_D));
		if (e->isa->gen >= 80 && (inst->njumps > 1 || inst->form == ISA_FORM_JUMP_REG)) {
			put(e, ISA_F_SRC0_FILE, 3);
			put(e, ISA_F_SRC0_TYPE, type_code(e, ISA_USE_IMMEDIATE, ISA_TYPE_D));
		}
	}
	if (inst->njumps > 1)
		put(e, ISA_F_BRANCH_UIP, inst->jump[1] / unit);
	put(e, count ? ISA_F_BRANCH_COUNT : ISA_F_BRANCH_JIP, inst->jump[0] / unit);
}

/* jmpi: relative to the next instruction up to Gen11, in bytes from Gen7.5 on. */
static void put_jmpi(struct encoder *e)
{
	const struct isa_inst *inst = e->inst;

	if (!inst->njumps) {
		put_register(e, &inst->src[0], &source_fields[e->isa->gen < 120]);
		return;
	}
	if (e->isa->gen >= 120) {
		put(e, ISA_F_SRC0_IMM, 1);
		put(e, ISA_F_BRANCH_JIP, inst->jump[0]);
		return;
	}
	put(e, ISA_F_DST_FILE, 0);
	put(e, ISA_F_DST_HSTRIDE, 1);
	put(e, ISA_F_SRC1_FILE, 3);
	put(e, ISA_F_SRC1_TYPE, type_code(e, ISA_USE_IMMEDIATE, ISA_TYPE_D));
	put(e, ISA_F_SRC1_IMM32, (__u32)((inst->jump[0] - 16) / (e->isa->gen < 75 ? 8 : 1)));
}

/* call and calla: the offset is where jmpi has it, up to Gen7 16 bits in units of 8 bytes (IVB 6.15), later bytes. */
static void put_call(struct encoder *e)
{
	const struct isa_inst *inst = e->inst;
	bool old = e->isa->gen < 75;

	if (e->isa->gen >= 120) {
		put(e, ISA_F_DST_FILE, inst->dst.file == ISA_GRF);
		put(e, ISA_F_DST_REG, inst->dst.reg);
		put(e, ISA_F_DST_SUBREG, inst->dst.subreg);
	} else {
		put_destination(e);
	}
	if (!inst->njumps) {
		put_register(e, &inst->src[0], &source_fields[e->isa->gen < 120]);
	} else if (e->isa->gen >= 120) {
		put(e, ISA_F_SRC0_IMM, 1);
		put(e, ISA_F_BRANCH_JIP, inst->jump[0]);
	} else {
		put(e, ISA_F_SRC1_FILE, 3);
		put(e, ISA_F_SRC1_TYPE, type_code(e, ISA_USE_IMMEDIATE, ISA_TYPE_D));
		put(e, old ? ISA_F_BRANCH_JIP : ISA_F_SRC1_IMM32, (__u32)(inst->jump[0] / (old ? 8 : 1)));
	}
}

static void put_sync(struct encoder *e)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		if (e->isa->sync[i].name && e->isa->sync[i].id == e->inst->function)
			put(e, ISA_F_FUNCTION, i);
}

static void put_send_gen12(struct encoder *e)
{
	const struct isa_inst *inst = e->inst;

	put(e, ISA_F_SEND_DST_FILE, inst->dst.file == ISA_GRF);
	put(e, ISA_F_SEND_DST_REG, inst->dst.reg);
	put(e, ISA_F_SEND_SRC0_FILE, inst->src[0].file == ISA_GRF);
	put(e, ISA_F_SEND_SRC0_REG, inst->src[0].reg);
	put(e, ISA_F_SEND_SRC1_FILE, inst->src[1].file == ISA_GRF);
	put(e, ISA_F_SEND_SRC1_REG, inst->src[1].reg);
	put(e, ISA_F_SEND_DESC_IS_REG, inst->desc_is_reg);
	put(e, ISA_F_SEND_EX_DESC_IS_REG, inst->ex_desc_is_reg);
	put(e, inst->ex_desc_is_reg ? ISA_F_SEND_EX_DESC_ADDR : ISA_F_SEND_EX_DESC,
	    inst->ex_desc_is_reg ? inst->ex_desc_subreg : inst->ex_desc);
}

/* The address of an indirect payload has the bits of Align16's from Gen9 on. */
static void put_payload(struct encoder *e, const struct isa_operand *o)
{
	bool coarse = o->indirect && e->isa->gen >= 90;
	struct isa_operand fine = *o;

	if (coarse)
		fine.addr_imm = 0;
	put_source(e, &fine, &source_fields[0]);
	if (coarse)
		put(e, ISA_F_SRC0_ADDR_IMM16, o->addr_imm & 1023);
}

static void put_send(struct encoder *e)
{
	const struct isa_inst *inst = e->inst;

	put(e, ISA_F_FUNCTION, inst->target);
	put(e, ISA_F_SEND_EOT, inst->eot);
	if (e->isa->gen >= 120) {
		put_send_gen12(e);
	} else {
		put_destination(e);
		put_payload(e, &inst->src[0]);
		put(e, ISA_F_SRC1_FILE, inst->desc_is_reg ? 0 : 3);
		put(e, ISA_F_SRC1_TYPE, type_code(e, ISA_USE_IMMEDIATE, ISA_TYPE_UD));
		if (inst->desc_is_reg)
			put(e, ISA_F_SRC1_REG, 0x10);
		put(e, ISA_F_SEND_EX_DESC, e->isa->fields[ISA_F_SEND_EX_DESC].n ? inst->ex_desc : 0);
	}
	if (!inst->desc_is_reg)
		put(e, ISA_F_SEND_DESC, inst->desc);
}

static void put_split(struct encoder *e)
{
	const struct isa_inst *inst = e->inst;

	put(e, ISA_F_FUNCTION, inst->target);
	put(e, ISA_F_SEND_EOT, inst->eot);
	put(e, ISA_F_SPLIT_DST_FILE, inst->dst.file == ISA_GRF);
	put(e, ISA_F_SPLIT_DST_TYPE, type_code(e, ISA_USE_REGISTER, inst->dst.type));
	put(e, ISA_F_SPLIT_DST_REG, inst->dst.reg);
	put(e, ISA_F_SPLIT_SRC0_REG, inst->src[0].reg);
	put(e, ISA_F_SPLIT_SRC1_FILE, inst->src[1].file == ISA_GRF);
	put(e, ISA_F_SPLIT_SRC1_REG, inst->src[1].reg);
	put(e, ISA_F_SPLIT_DESC_IS_REG, inst->desc_is_reg);
	put(e, ISA_F_SPLIT_EX_DESC_IS_REG, inst->ex_desc_is_reg);
	if (!inst->desc_is_reg)
		put(e, ISA_F_SEND_DESC, inst->desc);
	if (inst->ex_desc_is_reg) {
		put(e, ISA_F_SPLIT_EX_DESC_ADDR, inst->ex_desc_subreg);
	} else {
		put(e, ISA_F_SPLIT_EX_DESC, inst->ex_desc & 0xffff0000);
		put(e, ISA_F_SPLIT_EX_DESC_LENGTH, inst->ex_desc & 0x3c0);
	}
}

static void put_operands(struct encoder *e)
{
	unsigned int n;

	put_destination(e);
	for (n = 0; n < e->inst->nsources; n++)
		put_source(e, &e->inst->src[n], &source_fields[n]);
}

static void put_form(struct encoder *e)
{
	switch (e->inst->form) {
	case ISA_FORM_BASIC:
	case ISA_FORM_MATH:
	case ISA_FORM_WAIT:
		put_operands(e);
		break;
	case ISA_FORM_THREE:
		if (e->isa->gen < 110)
			put_three_align16(e);
		else
			put_three_align1(e);
		break;
	case ISA_FORM_JUMP:
	case ISA_FORM_JUMP_REG:
		if (e->inst->op == ISA_OP_JMPI)
			put_jmpi(e);
		else
			put_jump(e);
		break;
	case ISA_FORM_CALL:
		put_call(e);
		break;
	case ISA_FORM_RET:
		put_register(e, &e->inst->src[0], &source_fields[0]);
		break;
	case ISA_FORM_SYNC:
		put_sync(e);
		break;
	case ISA_FORM_SEND:
		put_send(e);
		break;
	case ISA_FORM_SPLIT:
		put_split(e);
		break;
	default:
		e->good = e->inst->form == ISA_FORM_NONE;
	}
}

static bool same_operand(const struct isa_operand *a, const struct isa_operand *b)
{
	return a->file == b->file && a->indirect == b->indirect && a->reg == b->reg &&
	       a->addr_subreg == b->addr_subreg && a->addr_imm == b->addr_imm;
}

/* Both sides share the decoder, so offsets and descriptors are compared with what they were made from. */
static void check_decoded(const struct isa_inst *inst, const struct isa_inst *decoded)
{
	bool sends = inst->form == ISA_FORM_SEND || inst->form == ISA_FORM_SPLIT, good;
	unsigned int n;

	good = inst->op == decoded->op && inst->no_mask == decoded->no_mask && inst->predicate == decoded->predicate &&
	       inst->function == decoded->function;
	for (n = 0; n < inst->njumps; n++)
		good &= n < decoded->njumps && inst->jump[n] == decoded->jump[n];
	if (sends)
		good &= inst->target == decoded->target && inst->eot == decoded->eot &&
			inst->desc_is_reg == decoded->desc_is_reg && inst->ex_desc_is_reg == decoded->ex_desc_is_reg &&
			(inst->desc_is_reg || inst->desc == decoded->desc) && same_operand(&inst->dst, &decoded->dst) &&
			same_operand(&inst->src[0], &decoded->src[0]);
	if (good)
		return;
	fprintf(stderr, "opcode %u with offsets %d, %d and descriptor %x is decoded as %u, %d, %d, %x\n", inst->op,
		inst->jump[0], inst->jump[1], inst->desc, decoded->op, decoded->jump[0], decoded->jump[1],
		decoded->desc);
	exit(1);
}

/**
 * judge_encode() - an instruction's 128 bits
 * @isa: the generation
 * @inst: what it is; form is set here
 * @word: filled
 *
 * Return: does the generation have it, and does it decode without a fault?
 */
bool judge_encode(const struct isa_gen *isa, struct isa_inst *inst, __u64 word[2])
{
	struct encoder e = { isa, inst, word, true };
	struct isa_inst decoded;
	const char *fault;

	word[0] = 0;
	word[1] = 0;
	inst->form = isa->ops[opcode(&e)].form;
	if (!e.good)
		return false;
	put_controls(&e);
	put_form(&e);
	if (!e.good)
		return false;
	isa_decode(isa, word, 16, &decoded, &fault);
	if (fault)
		return false;
	check_decoded(inst, &decoded);
	*inst = decoded;
	return true;
}
