// SPDX-License-Identifier: MIT
/**
 * DOC: Encoding instructions
 */
#include <stdlib.h>

#include "asm.h"

static void die(const struct isa_gen *isa, const struct isa_inst *inst, const char *what)
{
	fprintf(stderr, "gen%s: %s: %s\n", isa->name, what, inst->op < ISA_OPS ? "cannot encode" : "no opcode");
	isa_print(isa, inst, stderr);
	fprintf(stderr, "\n");
	exit(2);
}

static void set(const struct isa_gen *isa, uint64_t word[2], enum isa_field field, uint64_t value)
{
	const struct isa_bits *bits = &isa->fields[field];
	unsigned int i = bits->n, bit;

	value >>= bits->shift;
	while (i--) {
		const struct isa_piece *p = &bits->pieces[i];

		for (bit = p->start; bit < p->start + p->width; bit++, value >>= 1) {
			word[bit / 64] &= ~(1ull << bit % 64);
			word[bit / 64] |= (value & 1) << bit % 64;
		}
	}
}

static unsigned int type_code(const struct isa_gen *isa, enum isa_type_use use, unsigned int type)
{
	unsigned int code;

	for (code = 0; code < 15 && isa->types[use][code] != type; code++)
		;
	return code;
}

static unsigned int log2_of(unsigned int value)
{
	return value ? (unsigned int)__builtin_ctz(value) : 0;
}

static unsigned int stride_code(unsigned int stride)
{
	return stride == ISA_VXH ? 15 : stride ? log2_of(stride) + 1 : 0;
}

#define SOURCE(n) { \
	ISA_F_##n##_FILE, ISA_F_##n##_IMM, ISA_F_##n##_TYPE, ISA_F_##n##_SUBREG, ISA_F_##n##_REG, ISA_F_##n##_ABS, \
	ISA_F_##n##_NEGATE, ISA_F_##n##_INDIRECT, ISA_F_##n##_HSTRIDE, ISA_F_##n##_WIDTH, ISA_F_##n##_VSTRIDE, \
	ISA_F_##n##_ADDR_SUBREG, ISA_F_##n##_ADDR_IMM, ISA_F_##n##_SUBREG16, ISA_F_##n##_SWIZZLE, \
	ISA_F_##n##_IMM32, ISA_F_##n##_IMM64 }

enum {
	FILE_, IMM_, TYPE_, SUBREG, REG, ABS, NEGATE, INDIRECT, HSTRIDE, WIDTH, VSTRIDE, ADDR_SUBREG, ADDR_IMM,
	SUBREG16, SWIZZLE, IMM32, IMM64
};

static const uint16_t sources[2][17] = { SOURCE(SRC0), SOURCE(SRC1) };

static unsigned int file_code(const struct isa_gen *isa, const struct isa_operand *o)
{
	static const uint8_t codes[] = { 0, 0, 1, 2, 3 };

	return isa->gen >= 120 ? o->file == ISA_GRF : codes[o->file];
}

static void encode_source(const struct isa_gen *isa, uint64_t word[2], const uint16_t *f, const struct isa_operand *o,
			  bool align16)
{
	uint64_t value = o->imm;

	if (o->file == ISA_IMMEDIATE) {
		if (isa->gen >= 120)
			set(isa, word, f[IMM_], 1);
		else
			set(isa, word, f[FILE_], 3);
		set(isa, word, f[TYPE_], type_code(isa, ISA_USE_IMMEDIATE, o->type));
		if (isa_types[o->type].size == 2 && isa_types[o->type].kind != ISA_VECTOR)
			value = (value & 0xffff) * 0x10001;
		set(isa, word, isa_types[o->type].size == 8 ? f[IMM64] : f[IMM32], value);
		return;
	}
	set(isa, word, f[FILE_], o->indirect && isa->gen >= 120 ? 0 : file_code(isa, o));
	set(isa, word, f[TYPE_], type_code(isa, ISA_USE_REGISTER, o->type));
	set(isa, word, f[ABS], o->abs);
	set(isa, word, f[NEGATE], o->negate);
	set(isa, word, f[VSTRIDE], stride_code(o->vstride));
	if (o->indirect) {
		set(isa, word, f[INDIRECT], 1);
		set(isa, word, f[ADDR_SUBREG], o->addr_subreg);
		set(isa, word, f[ADDR_IMM], (uint64_t)o->addr_imm);
	} else {
		set(isa, word, f[REG], o->reg);
	}
	if (align16) {
		set(isa, word, f[SUBREG16], o->subreg / 16);
		set(isa, word, f[SWIZZLE], o->swizzle);
		return;
	}
	if (!o->indirect)
		set(isa, word, f[SUBREG], o->subreg);
	set(isa, word, f[HSTRIDE], stride_code(o->hstride));
	set(isa, word, f[WIDTH], log2_of(o->width));
}

static void encode_dst(const struct isa_gen *isa, uint64_t word[2], const struct isa_inst *inst)
{
	const struct isa_operand *o = &inst->dst;

	set(isa, word, ISA_F_DST_FILE, o->indirect && isa->gen >= 120 ? 0 : file_code(isa, o));
	set(isa, word, ISA_F_DST_TYPE, type_code(isa, ISA_USE_REGISTER, o->type));
	set(isa, word, ISA_F_DST_HSTRIDE, stride_code(o->hstride));
	if (o->indirect) {
		set(isa, word, ISA_F_DST_INDIRECT, 1);
		set(isa, word, ISA_F_DST_ADDR_SUBREG, o->addr_subreg);
		set(isa, word, ISA_F_DST_ADDR_IMM, (uint64_t)o->addr_imm);
		return;
	}
	set(isa, word, ISA_F_DST_REG, o->reg);
	if (inst->align16) {
		set(isa, word, ISA_F_DST_SUBREG16, o->subreg / 16);
		set(isa, word, ISA_F_DST_WRITE_MASK, o->write_mask);
	} else {
		set(isa, word, ISA_F_DST_SUBREG, o->subreg);
	}
}

#define THREE(n) { ISA_F_THREE_##n##_REG, ISA_F_THREE_##n##_SUBREG, ISA_F_THREE_##n##_ABS, ISA_F_THREE_##n##_NEGATE, \
	ISA_F_THREE_##n##_REPLICATE, ISA_F_THREE_##n##_SWIZZLE, ISA_F_THREE_##n##_FILE, ISA_F_THREE_##n##_TYPE, \
	ISA_F_THREE_##n##_HSTRIDE }

static const uint16_t threes[3][9] = { THREE(SRC0), THREE(SRC1), THREE(SRC2) };

static void encode_three(const struct isa_gen *isa, uint64_t word[2], struct isa_inst *inst)
{
	enum isa_type_use use = isa_types[inst->dst.type].kind == ISA_FLOAT ? ISA_USE_THREE_FLOAT : ISA_USE_THREE_INT;
	bool align1 = isa->gen >= 120;
	unsigned int i;

	if (!align1)
		use = ISA_USE_THREE;
	inst->align16 = !align1;
	set(isa, word, ISA_F_ALIGN16, !align1);
	set(isa, word, ISA_F_THREE_EXEC_TYPE, use == ISA_USE_THREE_FLOAT);
	set(isa, word, ISA_F_THREE_FLAG, inst->flag * 2 + inst->flag_subreg);
	set(isa, word, ISA_F_THREE_DST_FILE, align1 ? inst->dst.file == ISA_GRF : 0);
	set(isa, word, ISA_F_THREE_DST_TYPE, type_code(isa, use, inst->dst.type));
	set(isa, word, ISA_F_THREE_DST_REG, inst->dst.reg);
	set(isa, word, ISA_F_THREE_DST_SUBREG, inst->dst.subreg);
	set(isa, word, ISA_F_THREE_DST_HSTRIDE, inst->dst.hstride == 2);
	set(isa, word, ISA_F_THREE_DST_WRITE_MASK, inst->dst.write_mask);
	set(isa, word, ISA_F_THREE_SRC_TYPE, type_code(isa, use, inst->src[0].type));
	for (i = 0; i < 3; i++) {
		const struct isa_operand *o = &inst->src[i];
		bool one = !o->vstride;

		set(isa, word, threes[i][0], o->reg);
		set(isa, word, threes[i][1], o->subreg);
		set(isa, word, threes[i][2], o->abs);
		set(isa, word, threes[i][3], o->negate);
		set(isa, word, threes[i][4], one);
		set(isa, word, threes[i][5], one ? 0 : o->swizzle);
		if (!align1)
			continue;
		set(isa, word, threes[i][6], o->file == ISA_GRF);
		set(isa, word, threes[i][7], type_code(isa, use, o->type));
		set(isa, word, threes[i][8], stride_code(o->hstride));
		if (i < 2)
			set(isa, word, i ? ISA_F_THREE_SRC1_VSTRIDE : ISA_F_THREE_SRC0_VSTRIDE, one ? 0 : 3);
	}
}

static void encode_jump(const struct isa_gen *isa, uint64_t word[2], const struct isa_inst *inst,
			const struct isa_op *op)
{
	int unit = isa->gen < 80 ? 8 : 1;
	bool count = isa->fields[ISA_F_BRANCH_COUNT].n && op->sources == 1;

	if (inst->op == ISA_OP_JMPI && isa->gen < 120) {
		unit = isa->gen < 75 ? 8 : 1;
		set(isa, word, ISA_F_SRC1_FILE, 3);
		set(isa, word, ISA_F_SRC1_TYPE, type_code(isa, ISA_USE_IMMEDIATE, ISA_TYPE_D));
		set(isa, word, ISA_F_SRC1_IMM32, (uint32_t)((inst->jump[0] - 16) / unit));
		return;
	}
	if (inst->op == ISA_OP_CALL && isa->gen < 120) {
		set(isa, word, ISA_F_SRC1_FILE, 3);
		set(isa, word, ISA_F_SRC1_TYPE, type_code(isa, ISA_USE_IMMEDIATE, ISA_TYPE_D));
		if (isa->gen < 75)
			set(isa, word, ISA_F_BRANCH_JIP, (uint64_t)(inst->jump[0] / 8));
		else
			set(isa, word, ISA_F_SRC1_IMM32, (uint32_t)inst->jump[0]);
		return;
	}
	if (isa->fields[ISA_F_SRC0_IMM].n) {
		set(isa, word, ISA_F_SRC0_IMM, 1);
	} else if (op->form == ISA_FORM_JUMP_REG) {
		set(isa, word, ISA_F_SRC0_FILE, 3);
		set(isa, word, ISA_F_SRC0_TYPE, type_code(isa, ISA_USE_IMMEDIATE, ISA_TYPE_D));
	}
	set(isa, word, count ? ISA_F_BRANCH_COUNT : ISA_F_BRANCH_JIP, (uint64_t)(inst->jump[0] / unit));
	if (op->sources > 1)
		set(isa, word, ISA_F_BRANCH_UIP, (uint64_t)(inst->jump[1] / unit));
}

static void encode_send(const struct isa_gen *isa, uint64_t word[2], const struct isa_inst *inst)
{
	set(isa, word, ISA_F_FUNCTION, inst->target);
	set(isa, word, ISA_F_SEND_EOT, inst->eot);
	set(isa, word, ISA_F_SEND_DESC, inst->desc);
	if (isa->gen >= 120) {
		set(isa, word, ISA_F_SEND_DST_FILE, inst->dst.file == ISA_GRF);
		set(isa, word, ISA_F_SEND_DST_REG, inst->dst.reg);
		set(isa, word, ISA_F_SEND_SRC0_FILE, 1);
		set(isa, word, ISA_F_SEND_SRC0_REG, inst->src[0].reg);
		set(isa, word, ISA_F_SEND_SRC1_FILE, inst->src[1].file == ISA_GRF);
		set(isa, word, ISA_F_SEND_SRC1_REG, inst->src[1].reg);
		set(isa, word, ISA_F_SEND_EX_DESC, inst->ex_desc);
		return;
	}
	encode_dst(isa, word, inst);
	encode_source(isa, word, sources[0], &inst->src[0], false);
	if (isa->gen < 70)
		set(isa, word, ISA_F_SRC0_FILE, 2);
	set(isa, word, ISA_F_SRC1_FILE, inst->desc_is_reg ? 0 : 3);
	set(isa, word, ISA_F_SRC1_TYPE, type_code(isa, ISA_USE_IMMEDIATE, ISA_TYPE_UD));
}

static void encode(const struct isa_gen *isa, struct isa_inst *inst, uint64_t word[2])
{
	const struct isa_op *op = NULL;
	unsigned int code, i;

	memset(word, 0, 16);
	for (code = 0; code < 128; code++)
		if (isa->ops[code].name && isa->ops[code].id == inst->op)
			break;
	if (code == 128)
		die(isa, inst, "an opcode that the generation does not have");
	op = &isa->ops[code];
	if (op->form == ISA_FORM_NONE) {
		word[0] = code;
		return;
	}
	if (op->form == ISA_FORM_SEND)
		encode_send(isa, word, inst);
	else if (op->form == ISA_FORM_THREE)
		encode_three(isa, word, inst);
	else if (op->form == ISA_FORM_JUMP || op->form == ISA_FORM_JUMP_REG || op->form == ISA_FORM_CALL)
		encode_jump(isa, word, inst, op);
	if (op->form == ISA_FORM_CALL && isa->gen >= 120) {
		set(isa, word, ISA_F_DST_FILE, 1);
		set(isa, word, ISA_F_DST_REG, inst->dst.reg);
		set(isa, word, ISA_F_DST_SUBREG, inst->dst.subreg);
	} else if (op->form == ISA_FORM_CALL) {
		encode_dst(isa, word, inst);
	} else if (op->form == ISA_FORM_RET || op->form == ISA_FORM_WAIT) {
		encode_source(isa, word, sources[0], &inst->src[0], false);
	} else if (op->form == ISA_FORM_BASIC || op->form == ISA_FORM_MATH) {
		encode_dst(isa, word, inst);
		for (i = 0; i < 2 && inst->src[i].file; i++)
			encode_source(isa, word, sources[i], &inst->src[i], inst->align16);
		set(isa, word, ISA_F_ALIGN16, inst->align16);
	}
	word[0] |= code;
	set(isa, word, ISA_F_EXEC_SIZE, log2_of(inst->exec_size));
	set(isa, word, ISA_F_CHANNEL_OFFSET, inst->channel_offset / 4);
	set(isa, word, ISA_F_NO_MASK, inst->no_mask);
	set(isa, word, ISA_F_PREDICATE, inst->predicate);
	set(isa, word, ISA_F_PREDICATE_INVERSE, inst->predicate_inverse);
	if (op->form == ISA_FORM_MATH) {
		for (code = 0; code < 15 && !(isa->math[code].name && isa->math[code].id == inst->function); code++)
			;
		set(isa, word, ISA_F_FUNCTION, code);
	} else if (inst->cond) {
		set(isa, word, ISA_F_FUNCTION, inst->cond);
	}
	if (op->form != ISA_FORM_THREE && op->form != ISA_FORM_SEND)
		set(isa, word, ISA_F_FLAG, inst->flag * 2 + inst->flag_subreg);
	if (op->takes & ISA_TAKES_SAT)
		set(isa, word, ISA_F_SATURATE, inst->saturate);
	if (inst->acc_write || inst->branch_ctrl)
		set(isa, word, ISA_F_ACC_WRITE, 1);
}

static void check_word(const struct isa_gen *isa, const struct isa_inst *inst, const uint64_t word[2])
{
	struct isa_inst again;
	const char *fault;
	unsigned int i;

	isa_decode(isa, word, 16, &again, &fault);
	if (fault)
		die(isa, inst, fault);
	if (again.op != inst->op || (inst->exec_size && again.exec_size != inst->exec_size) ||
	    again.no_mask != inst->no_mask || again.predicate != inst->predicate || again.saturate != inst->saturate ||
	    (again.form != ISA_FORM_MATH && again.cond != inst->cond) || again.jump[0] != inst->jump[0] ||
	    again.jump[1] != inst->jump[1] || again.channel_offset != inst->channel_offset)
		die(isa, &again, "decoded otherwise");
	if (again.form != ISA_FORM_BASIC && again.form != ISA_FORM_THREE && again.form != ISA_FORM_MATH)
		return;
	if (again.dst.reg != inst->dst.reg || again.dst.subreg != inst->dst.subreg || again.dst.type != inst->dst.type)
		die(isa, &again, "destination decoded otherwise");
	for (i = 0; i < again.nsources; i++)
		if (again.src[i].type != inst->src[i].type || again.src[i].reg != inst->src[i].reg ||
		    again.src[i].subreg != inst->src[i].subreg || again.src[i].negate != inst->src[i].negate)
			die(isa, &again, "source decoded otherwise");
}

void asm_put(struct program *p, uint32_t at, struct isa_inst inst)
{
	encode(p->isa, &inst, p->words + at / 8);
	check_word(p->isa, &inst, p->words + at / 8);
}

uint32_t asm_add(struct program *p, struct isa_inst inst)
{
	uint32_t at = p->bytes;

	if (at / 8 + 2 > ASM_WORDS)
		exit(2);
	p->bytes += 16;
	asm_put(p, at, inst);
	return at;
}

uint32_t asm_eot(struct program *p)
{
	struct isa_inst send = {
		.op = ISA_OP_SEND, .exec_size = 8, .no_mask = true, .eot = true, .target = p->isa->gen < 70 ? 5 : 7,
		.dst = null_dst(ISA_TYPE_UW), .desc = 1 << 25 | 1 << 19 | 0x10,
	};

	send.src[0] = packed(p->isa->gen < 70 ? 1 : 112, ISA_TYPE_UD);
	return asm_add(p, send);
}
