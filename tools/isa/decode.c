// SPDX-License-Identifier: MIT
/**
 * DOC: The decoder
 *
 * One function a form of instruction (enum isa_form). All places of fields and values of codes are
 * in the tables; what is here is what the fields mean together.
 */
#include <string.h>

#include "isa.h"

/* An instruction that is being decoded; the first fault counts. */
struct decoder {
	const struct isa_gen *isa;
	struct isa_inst *inst;
	const char *fault;
};

/* The fields of an operand of instructions with one or two sources. */
struct operand_fields {
	__u16 file, imm, type, subreg, reg, abs, negate, indirect, hstride, width, vstride;
	__u16 addr_subreg, addr_imm, subreg16, swizzle, addr_imm16, imm32, imm64;
};

#define OPERAND(n) { \
	ISA_F_##n##_FILE, ISA_F_##n##_IMM, ISA_F_##n##_TYPE, ISA_F_##n##_SUBREG, ISA_F_##n##_REG, ISA_F_##n##_ABS, \
	ISA_F_##n##_NEGATE, ISA_F_##n##_INDIRECT, ISA_F_##n##_HSTRIDE, ISA_F_##n##_WIDTH, ISA_F_##n##_VSTRIDE, \
	ISA_F_##n##_ADDR_SUBREG, ISA_F_##n##_ADDR_IMM, ISA_F_##n##_SUBREG16, ISA_F_##n##_SWIZZLE, \
	ISA_F_##n##_ADDR_IMM16, ISA_F_##n##_IMM32, ISA_F_##n##_IMM64 }

static const struct operand_fields src_fields[2] = { OPERAND(SRC0), OPERAND(SRC1) };

/* Operand fields of instructions with three sources. The middle one has no immediate, the last no vertical stride. */
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

static __u64 get(const struct decoder *d, enum isa_field field)
{
	return isa_get(d->isa, field, d->inst->word);
}

static bool has(const struct decoder *d, enum isa_field field)
{
	return d->isa->fields[field].n;
}

static void fault(struct decoder *d, const char *text)
{
	if (!d->fault)
		d->fault = text;
}

static __s32 extend(__u64 value, unsigned int width)
{
	return (__s32)(value << (32 - width)) >> (32 - width);
}

static __u8 type_of(struct decoder *d, enum isa_type_use use, unsigned int code)
{
	__u8 type = d->isa->types[use][code];

	if (type == ISA_NO_TYPE)
		fault(d, "reserved type");
	return type;
}

/* Register files before Gen12; there one bit says architecture or general. */
static __u8 file_of(const struct decoder *d, unsigned int code)
{
	static const __u8 files[] = { ISA_ARF, ISA_GRF, ISA_MRF, ISA_IMMEDIATE };

	if (code == 2 && d->isa->gen >= 70)
		return ISA_NO_FILE;
	return files[code];
}

/* On Gen12 the address of an indirect operand takes the bit of the file: there are general registers alone. */
static __u8 operand_file(const struct decoder *d, unsigned int code, bool indirect)
{
	return indirect && d->isa->gen >= 120 ? ISA_GRF : file_of(d, code);
}

static void check_register(struct decoder *d, const struct isa_operand *o)
{
	if (o->file == ISA_NO_FILE)
		fault(d, "reserved register file");
	else if (o->file == ISA_ARF && !o->indirect && !isa_find_register(d->isa, o->reg))
		fault(d, "reserved architecture register");
	else if (o->file == ISA_GRF && !o->indirect && o->reg >= 128)
		fault(d, "register beyond r127");
	else if (o->indirect && o->file != ISA_GRF && o->file != ISA_MRF)
		fault(d, "indirect operand outside the general registers");
}

static __u8 hstride_of(unsigned int code)
{
	return code ? 1 << (code - 1) : 0;
}

static void decode_modifiers(const struct decoder *d, struct isa_operand *o, enum isa_field abs, enum isa_field negate)
{
	if (!(d->isa->ops[get(d, ISA_F_OPCODE)].takes & ISA_TAKES_MODS))
		return;
	o->abs = get(d, abs);
	o->negate = get(d, negate);
}

static void decode_destination(struct decoder *d)
{
	struct isa_operand *o = &d->inst->dst;

	o->indirect = get(d, ISA_F_DST_INDIRECT);
	o->file = operand_file(d, get(d, ISA_F_DST_FILE), o->indirect);
	o->type = type_of(d, ISA_USE_REGISTER, get(d, ISA_F_DST_TYPE));
	o->reg = o->indirect ? 0 : get(d, ISA_F_DST_REG);
	o->hstride = hstride_of(get(d, ISA_F_DST_HSTRIDE));
	o->mme = ISA_NO_MME;
	if (o->file == ISA_IMMEDIATE)
		fault(d, "immediate as destination");
	check_register(d, o);
	if (d->inst->align16) {
		o->subreg = get(d, ISA_F_DST_SUBREG16) * 16;
		o->write_mask = get(d, ISA_F_DST_WRITE_MASK);
		o->hstride = 1;
		o->addr_imm = extend(get(d, ISA_F_DST_ADDR_IMM16), 10);
		if (d->inst->macro && o->write_mask > ISA_NO_MME)
			fault(d, "reserved accumulator of a macro");
		if (d->inst->macro)
			o->mme = o->write_mask;
	} else {
		o->subreg = get(d, ISA_F_DST_SUBREG);
		o->addr_imm = extend(get(d, ISA_F_DST_ADDR_IMM), 10);
		if (!o->hstride)
			fault(d, "destination with stride 0");
		if (d->inst->macro)
			o->mme = o->subreg & 15;
		if (o->mme > ISA_NO_MME)
			fault(d, "reserved accumulator of a macro");
	}
	if (o->indirect) {
		o->subreg = 0;
		o->addr_subreg = get(d, ISA_F_DST_ADDR_SUBREG);
	} else {
		o->addr_imm = 0;
	}
}

static void decode_immediate(struct decoder *d, struct isa_operand *o, const struct operand_fields *f)
{
	o->file = ISA_IMMEDIATE;
	o->type = type_of(d, ISA_USE_IMMEDIATE, get(d, f->type));
	/* Gen7.5 has no immediate doubles but that of dim, whose type is F (HSW's "dim", by Mesa). */
	if (d->inst->op == ISA_OP_DIM)
		o->type = ISA_TYPE_DF;
	if (o->type != ISA_NO_TYPE && isa_types[o->type].size == 8)
		o->imm = get(d, f->imm64);
	else
		o->imm = get(d, f->imm32);
}

static void decode_region(struct decoder *d, struct isa_operand *o, const struct operand_fields *f)
{
	unsigned int vstride = get(d, f->vstride), width = get(d, f->width);

	if (width > 4)
		fault(d, "reserved width of a region");
	if (vstride > 6 && vstride != 15)
		fault(d, "reserved vertical stride");
	o->vstride = vstride == 15 ? ISA_VXH : vstride ? 1 << (vstride - 1) : 0;
	o->width = 1 << width;
	o->hstride = hstride_of(get(d, f->hstride));
	if (o->vstride == ISA_VXH && !o->indirect)
		fault(d, "vertical stride of an indirect operand");
}

static void decode_source(struct decoder *d, unsigned int n, struct isa_operand *o)
{
	const struct operand_fields *f = &src_fields[n];
	unsigned int vstride = get(d, f->vstride);

	o->indirect = get(d, f->indirect);
	o->file = operand_file(d, get(d, f->file), o->indirect);
	if (o->file == ISA_IMMEDIATE || (has(d, f->imm) && get(d, f->imm))) {
		o->indirect = false;
		decode_immediate(d, o, f);
		return;
	}
	o->type = type_of(d, ISA_USE_REGISTER, get(d, f->type));
	o->reg = o->indirect ? 0 : get(d, f->reg);
	decode_modifiers(d, o, f->abs, f->negate);
	o->mme = ISA_NO_MME;
	check_register(d, o);
	if (o->indirect) {
		o->addr_subreg = get(d, f->addr_subreg);
		o->addr_imm = extend(get(d, d->inst->align16 ? f->addr_imm16 : f->addr_imm), 10);
	}
	if (!d->inst->align16) {
		if (!o->indirect)
			o->subreg = get(d, f->subreg);
		if (d->inst->macro)
			o->mme = o->subreg & 15;
		if (o->mme > ISA_NO_MME)
			fault(d, "reserved accumulator of a macro");
		decode_region(d, o, f);
		return;
	}
	if (!o->indirect)
		o->subreg = get(d, f->subreg16) * 16;
	o->swizzle = get(d, f->swizzle);
	if (vstride > 6 && vstride != 15)
		fault(d, "reserved vertical stride");
	o->vstride = vstride == 15 ? ISA_VXH : vstride ? 1 << (vstride - 1) : 0;
	o->width = 4;
	o->hstride = 1;
	if (d->inst->macro) {
		o->mme = o->swizzle & 15;
		if (o->mme > ISA_NO_MME)
			fault(d, "reserved accumulator of a macro");
	}
}

static void decode_basic(struct decoder *d)
{
	unsigned int i;

	decode_destination(d);
	for (i = 0; i < d->inst->nsources; i++)
		decode_source(d, i, &d->inst->src[i]);
	if (d->inst->nsources == 2 && d->inst->src[0].file == ISA_IMMEDIATE && d->isa->gen < 120)
		fault(d, "immediate as the first of two sources");
}

/* Up to Gen9: Align16, types common to all sources. */
static void decode_three_align16(struct decoder *d)
{
	struct isa_inst *inst = d->inst;
	unsigned int i;
	__u8 type;

	if (!inst->align16)
		fault(d, "three sources in Align1");
	type = type_of(d, ISA_USE_THREE, get(d, ISA_F_THREE_SRC_TYPE));
	inst->dst.file = get(d, ISA_F_THREE_DST_FILE) ? ISA_MRF : ISA_GRF;
	inst->dst.type = type_of(d, ISA_USE_THREE, get(d, ISA_F_THREE_DST_TYPE));
	inst->dst.reg = get(d, ISA_F_THREE_DST_REG);
	inst->dst.subreg = get(d, ISA_F_THREE_DST_SUBREG);
	inst->dst.write_mask = get(d, ISA_F_THREE_DST_WRITE_MASK);
	inst->dst.hstride = 1;
	inst->dst.mme = inst->macro ? inst->dst.write_mask : ISA_NO_MME;
	check_register(d, &inst->dst);
	for (i = 0; i < 3; i++) {
		const struct three_fields *f = &three_fields[i];
		struct isa_operand *o = &inst->src[i];

		o->file = ISA_GRF;
		o->type = type;
		o->reg = get(d, f->reg);
		o->subreg = get(d, f->subreg);
		o->replicate = get(d, f->replicate);
		o->swizzle = get(d, f->swizzle);
		decode_modifiers(d, o, f->abs, f->negate);
		o->vstride = o->replicate ? 0 : 4;
		o->width = o->replicate ? 1 : 4;
		o->hstride = o->replicate ? 0 : 1;
		o->mme = inst->macro ? o->swizzle & 15 : ISA_NO_MME;
		if (inst->macro && (o->mme > ISA_NO_MME || inst->dst.mme > ISA_NO_MME || o->replicate))
			fault(d, "reserved accumulator of a macro");
		check_register(d, o);
	}
	/* Floats of mixed precision: the two last sources have a bit each. */
	if (type == ISA_TYPE_F || type == ISA_TYPE_HF)
		for (i = 1; i < 3; i++)
			if (has(d, i == 1 ? ISA_F_THREE_SRC1_HALF : ISA_F_THREE_SRC2_HALF))
				inst->src[i].type = get(d, i == 1 ? ISA_F_THREE_SRC1_HALF : ISA_F_THREE_SRC2_HALF) ?
							    ISA_TYPE_HF : ISA_TYPE_F;
}

static void decode_three_align1(struct decoder *d)
{
	static const __u8 vstrides[] = { 0, 1, 4, 8 };
	enum isa_type_use use = get(d, ISA_F_THREE_EXEC_TYPE) ? ISA_USE_THREE_FLOAT : ISA_USE_THREE_INT;
	struct isa_inst *inst = d->inst;
	unsigned int i;

	inst->dst.file = get(d, ISA_F_THREE_DST_FILE) ? ISA_GRF : ISA_ARF;
	inst->dst.type = type_of(d, use, get(d, ISA_F_THREE_DST_TYPE));
	inst->dst.reg = get(d, ISA_F_THREE_DST_REG);
	inst->dst.subreg = get(d, ISA_F_THREE_DST_SUBREG);
	inst->dst.hstride = get(d, ISA_F_THREE_DST_HSTRIDE) ? 2 : 1;
	inst->dst.mme = ISA_NO_MME;
	check_register(d, &inst->dst);
	for (i = 0; i < 3; i++) {
		const struct three_fields *f = &three_fields[i];
		struct isa_operand *o = &inst->src[i];

		o->type = type_of(d, use, get(d, f->type));
		o->mme = ISA_NO_MME;
		if (f->imm != ISA_FIELDS && get(d, f->imm)) {
			o->file = ISA_IMMEDIATE;
			o->imm = get(d, f->imm16);
			if (o->type == ISA_TYPE_D)
				o->imm = (__u32)extend(o->imm, 16);
			continue;
		}
		o->file = get(d, f->file) ? ISA_GRF : ISA_ARF;
		o->reg = get(d, f->reg);
		o->subreg = get(d, f->subreg);
		decode_modifiers(d, o, f->abs, f->negate);
		o->hstride = hstride_of(get(d, f->hstride));
		o->vstride = f->vstride != ISA_FIELDS ? vstrides[get(d, f->vstride)] : 0;
		check_register(d, o);
	}
}

static __s32 jump(const struct decoder *d, enum isa_field field)
{
	const struct isa_bits *bits = &d->isa->fields[field];

	return extend(get(d, field), bits->width) * (d->isa->gen < 80 ? 8 : 1);
}

static void decode_jump(struct decoder *d)
{
	struct isa_inst *inst = d->inst;
	bool count = has(d, ISA_F_BRANCH_COUNT) && inst->nsources == 1;

	/* Gen6's other jumps have one count in place of the destination; a compare may be in the sources. */
	if (has(d, ISA_F_SRC0_IMM) && !get(d, ISA_F_SRC0_IMM))
		fault(d, "offset in a register");
	inst->njumps = inst->nsources;
	inst->nsources = 0;
	inst->jump[0] = jump(d, count ? ISA_F_BRANCH_COUNT : ISA_F_BRANCH_JIP);
	if (inst->njumps > 1)
		inst->jump[1] = jump(d, ISA_F_BRANCH_UIP);
	if (count && inst->op != ISA_OP_ENDIF && inst->op != ISA_OP_ELSE) {
		inst->cond = get(d, ISA_F_FUNCTION);
		if (inst->cond) {
			inst->nsources = 2;
			decode_source(d, 0, &inst->src[0]);
			decode_source(d, 1, &inst->src[1]);
		}
	}
}

/* Is the operand that may be a register or an offset an offset? */
static bool jump_is_offset(const struct decoder *d, unsigned int n)
{
	const struct operand_fields *f = &src_fields[n];

	return has(d, f->imm) ? get(d, f->imm) : file_of(d, get(d, f->file)) == ISA_IMMEDIATE;
}

/* Gen12: branches have a register and no more. */
static void branch_register(struct decoder *d, struct isa_operand *o, bool general, unsigned int reg,
			    unsigned int subreg)
{
	o->file = general ? ISA_GRF : ISA_ARF;
	o->reg = reg;
	o->subreg = subreg;
	o->type = ISA_TYPE_D;
	o->mme = ISA_NO_MME;
	o->width = 1;
	check_register(d, o);
}

static void decode_jump_register(struct decoder *d, unsigned int n)
{
	const struct operand_fields *f = &src_fields[n];
	struct isa_operand *o = &d->inst->src[0];

	d->inst->nsources = 1;
	if (d->isa->gen < 120) {
		decode_source(d, n, o);
		if (o->type != ISA_TYPE_D && o->type != ISA_TYPE_UD)
			fault(d, "offset of another type than D");
		return;
	}
	branch_register(d, o, get(d, f->file), get(d, f->reg), get(d, f->subreg));
}

/* Offsets are of type D, those of 16 bits before Gen8 of type W too. */
static void check_offset(struct decoder *d, unsigned int n)
{
	__u8 type;

	if (d->isa->gen >= 120)
		return;
	type = type_of(d, ISA_USE_IMMEDIATE, get(d, src_fields[n].type));
	if (type != ISA_TYPE_D && !(type == ISA_TYPE_W && d->isa->gen < 80 && d->inst->form == ISA_FORM_JUMP_REG &&
				    d->inst->op != ISA_OP_JMPI))
		fault(d, "offset of another type than D");
}

static void decode_jump_reg(struct decoder *d)
{
	struct isa_inst *inst = d->inst;
	/* Up to Gen11 jmpi has it in the second source, and counts from the next instruction. */
	bool second = inst->op == ISA_OP_JMPI && d->isa->gen < 120;
	/* Gen7's brd and brc have offsets in the second source, a register in the first (IVB Vol 4 Part 3, 6.12). */
	bool apart = !second && d->isa->gen < 80 && jump_is_offset(d, 1);

	if (!apart && !jump_is_offset(d, second)) {
		decode_jump_register(d, second);
		return;
	}
	inst->njumps = inst->nsources;
	inst->nsources = 0;
	check_offset(d, second || apart);
	if (second) {
		/* Bytes from Gen7.5 on, before it units of 8. */
		inst->jump[0] = (__s32)((__u32)get(d, ISA_F_SRC1_IMM32) * (d->isa->gen < 75 ? 8 : 1) + inst->size);
		return;
	}
	inst->jump[0] = jump(d, ISA_F_BRANCH_JIP);
	if (inst->njumps > 1)
		inst->jump[1] = jump(d, ISA_F_BRANCH_UIP);
}

static void decode_call(struct decoder *d)
{
	struct isa_inst *inst = d->inst;
	bool second = d->isa->gen < 120;

	inst->nsources = 0;
	if (d->isa->gen >= 120) {
		branch_register(d, &inst->dst, get(d, ISA_F_DST_FILE), get(d, ISA_F_DST_REG), get(d, ISA_F_DST_SUBREG));
		inst->dst.hstride = 1;
	} else {
		decode_destination(d);
	}
	if (jump_is_offset(d, second)) {
		inst->njumps = 1;
		check_offset(d, second);
		/* 16 bits in units of 8 bytes (IVB Vol 4 Part 3, 6.15); bytes from Gen7.5 on. */
		inst->jump[0] = d->isa->gen < 75 ? jump(d, ISA_F_BRANCH_JIP) : (__s32)get(d, ISA_F_SRC1_IMM32);
	} else {
		decode_jump_register(d, second);
	}
}

static void decode_ret(struct decoder *d)
{
	if (jump_is_offset(d, 0))
		fault(d, "return to an offset");
	decode_jump_register(d, 0);
}

static void decode_wait(struct decoder *d)
{
	decode_source(d, 0, &d->inst->src[0]);
	d->inst->nsources = 1;
}

static void decode_sync(struct decoder *d)
{
	struct isa_operand *o = &d->inst->src[0];

	d->inst->nsources = 1;
	if (get(d, ISA_F_SRC0_IMM)) {
		decode_immediate(d, o, &src_fields[0]);
		if (o->type != ISA_TYPE_UD)
			fault(d, "tokens of another type than UD");
	} else {
		o->file = ISA_ARF;
		o->type = ISA_NO_TYPE;
		o->reg = get(d, ISA_F_SRC0_REG);
		o->mme = ISA_NO_MME;
		if (get(d, ISA_F_SRC0_FILE) || o->reg)
			fault(d, "sync with a register other than null");
	}
}

static void payload(struct decoder *d, struct isa_operand *o, bool general, unsigned int reg, __u8 type)
{
	o->file = general ? ISA_GRF : ISA_ARF;
	o->reg = reg;
	o->type = type;
	o->mme = ISA_NO_MME;
	o->width = 1;
	check_register(d, o);
}

static void decode_send_gen12(struct decoder *d)
{
	struct isa_inst *inst = d->inst;

	if (!d->isa->targets[inst->target].name)
		fault(d, "reserved target of a message");
	payload(d, &inst->dst, get(d, ISA_F_SEND_DST_FILE), get(d, ISA_F_SEND_DST_REG), ISA_NO_TYPE);
	payload(d, &inst->src[0], get(d, ISA_F_SEND_SRC0_FILE), get(d, ISA_F_SEND_SRC0_REG), ISA_NO_TYPE);
	payload(d, &inst->src[1], get(d, ISA_F_SEND_SRC1_FILE), get(d, ISA_F_SEND_SRC1_REG), ISA_NO_TYPE);
	inst->fused_off = get(d, ISA_F_SEND_FUSION);
	inst->desc_is_reg = get(d, ISA_F_SEND_DESC_IS_REG);
	inst->ex_desc_is_reg = get(d, ISA_F_SEND_EX_DESC_IS_REG);
	if (inst->ex_desc_is_reg)
		inst->ex_desc_subreg = get(d, ISA_F_SEND_EX_DESC_ADDR);
	else
		inst->ex_desc = get(d, ISA_F_SEND_EX_DESC);
}

static void decode_send(struct decoder *d)
{
	struct isa_inst *inst = d->inst;

	inst->target = get(d, ISA_F_FUNCTION);
	inst->eot = get(d, ISA_F_SEND_EOT);
	inst->no_src_dep = get(d, ISA_F_SEND_NO_SRC_DEP);
	if (d->isa->gen >= 120) {
		decode_send_gen12(d);
	} else {
		decode_destination(d);
		decode_source(d, 0, &inst->src[0]);
		/* From Gen9 on the address of a payload has the bits of Align16's. */
		if (inst->src[0].indirect && d->isa->gen >= 90)
			inst->src[0].addr_imm = extend(get(d, ISA_F_SRC0_ADDR_IMM16), 10);
		if (inst->src[0].file != (d->isa->gen < 70 ? ISA_MRF : ISA_GRF))
			fault(d, "payload outside the general registers");
		inst->desc_is_reg = file_of(d, get(d, ISA_F_SRC1_FILE)) != ISA_IMMEDIATE;
		inst->ex_desc = get(d, ISA_F_SEND_EX_DESC) | inst->target | inst->eot << 5;
	}
	if (!inst->desc_is_reg)
		inst->desc = get(d, ISA_F_SEND_DESC);
}

static void decode_split(struct decoder *d)
{
	struct isa_inst *inst = d->inst;

	inst->target = get(d, ISA_F_FUNCTION);
	inst->eot = get(d, ISA_F_SEND_EOT);
	inst->no_src_dep = get(d, ISA_F_SEND_NO_SRC_DEP);
	payload(d, &inst->dst, get(d, ISA_F_SPLIT_DST_FILE), get(d, ISA_F_SPLIT_DST_REG),
		type_of(d, ISA_USE_REGISTER, get(d, ISA_F_SPLIT_DST_TYPE)));
	payload(d, &inst->src[0], true, get(d, ISA_F_SPLIT_SRC0_REG), ISA_TYPE_UD);
	payload(d, &inst->src[1], get(d, ISA_F_SPLIT_SRC1_FILE), get(d, ISA_F_SPLIT_SRC1_REG), ISA_NO_TYPE);
	if (get(d, ISA_F_SPLIT_DST_INDIRECT) || get(d, ISA_F_SPLIT_SRC0_INDIRECT))
		fault(d, "indirect operand of a split send");
	inst->desc_is_reg = get(d, ISA_F_SPLIT_DESC_IS_REG);
	inst->ex_desc_is_reg = get(d, ISA_F_SPLIT_EX_DESC_IS_REG);
	if (!inst->desc_is_reg)
		inst->desc = get(d, ISA_F_SEND_DESC);
	if (inst->ex_desc_is_reg)
		inst->ex_desc_subreg = get(d, ISA_F_SPLIT_EX_DESC_ADDR);
	else
		inst->ex_desc = get(d, ISA_F_SPLIT_EX_DESC) | get(d, ISA_F_SPLIT_EX_DESC_LENGTH) | inst->target |
				inst->eot << 5;
}

/* Gen12: distances, tokens to wait for or to set, which instructions without a fixed latency alone do. */
static void check_swsb(struct decoder *d, const struct isa_op *op)
{
	bool variable = op->form == ISA_FORM_SEND || op->form == ISA_FORM_MATH;
	unsigned int kind = d->inst->swsb >> 4;

	if (d->inst->swsb >= 0x80 || d->inst->swsb < 8 || kind == 2 || kind == 3 || (kind == 4 && variable))
		return;
	fault(d, "reserved software scoreboard");
}

/* What every instruction has. */
static void decode_controls(struct decoder *d, const struct isa_op *op)
{
	struct isa_inst *inst = d->inst;
	unsigned int exec_size = get(d, ISA_F_EXEC_SIZE), flag;
	const char *const *predicates;

	if (exec_size > 5)
		fault(d, "reserved execution size");
	inst->exec_size = exec_size > 5 ? 1 : 1 << exec_size;
	inst->channel_offset = get(d, ISA_F_CHANNEL_OFFSET) * 4;
	inst->no_mask = get(d, ISA_F_NO_MASK);
	inst->align16 = get(d, ISA_F_ALIGN16);
	inst->breakpoint = get(d, ISA_F_BREAKPOINT);
	if (op->form != ISA_FORM_SEND && op->form != ISA_FORM_SPLIT)
		inst->dependency = get(d, ISA_F_DEPENDENCY);
	inst->thread_control = has(d, ISA_F_ATOMIC) ? get(d, ISA_F_ATOMIC) : get(d, ISA_F_THREAD_CONTROL);
	if (inst->thread_control == 3)
		fault(d, "reserved thread control");
	inst->swsb = get(d, ISA_F_SWSB);
	check_swsb(d, op);
	flag = get(d, op->form == ISA_FORM_THREE ? ISA_F_THREE_FLAG : ISA_F_FLAG);
	inst->flag = flag >> 1;
	inst->flag_subreg = flag & 1;
	if (op->takes & ISA_TAKES_PRED) {
		inst->predicate = get(d, ISA_F_PREDICATE);
		inst->predicate_inverse = get(d, ISA_F_PREDICATE_INVERSE);
		predicates = inst->align16 ? d->isa->predicates16 : d->isa->predicates;
		if (inst->predicate && !predicates[inst->predicate])
			fault(d, "reserved predicate");
	}
	if (op->takes & ISA_TAKES_SAT)
		inst->saturate = get(d, ISA_F_SATURATE);
	if (op->takes & ISA_TAKES_BRANCH_CTRL)
		inst->branch_ctrl = get(d, ISA_F_ACC_WRITE);
	else if (op->form == ISA_FORM_BASIC || op->form == ISA_FORM_MATH || op->form == ISA_FORM_THREE ||
		 op->form == ISA_FORM_WAIT)
		inst->acc_write = get(d, ISA_F_ACC_WRITE);
}

static void decode_function(struct decoder *d, const struct isa_op *op)
{
	const struct isa_function *f = op->form == ISA_FORM_SYNC ? d->isa->sync : d->isa->math;
	unsigned int code = get(d, ISA_F_FUNCTION);

	d->inst->function = f[code].id;
	if (!f[code].name) {
		fault(d, op->form == ISA_FORM_SYNC ? "reserved function of sync" : "reserved function of math");
		return;
	}
	d->inst->nsources = f[code].sources;
	d->inst->macro = f[code].macro;
	if (d->inst->macro && has(d, ISA_F_ALIGN16) && !d->inst->align16)
		fault(d, "math macro in Align1");
}

/* With an immediate of 64 bits Gen12 has no room for the condition. */
static bool condition_has_room(const struct decoder *d)
{
	unsigned int type = get(d, ISA_F_SRC0_TYPE);

	return d->isa->gen < 120 || !get(d, ISA_F_SRC0_IMM) || d->isa->types[ISA_USE_IMMEDIATE][type] == ISA_NO_TYPE ||
	       isa_types[d->isa->types[ISA_USE_IMMEDIATE][type]].size < 8;
}

static void decode_condition(struct decoder *d, const struct isa_op *op)
{
	if (!(op->takes & ISA_TAKES_CMOD) || (op->form == ISA_FORM_BASIC && !condition_has_room(d)))
		return;
	d->inst->cond = get(d, ISA_F_FUNCTION);
	if (d->inst->cond && !d->isa->conditions[d->inst->cond])
		fault(d, "reserved condition modifier");
}

static void decode_form(struct decoder *d)
{
	static void (*const forms[])(struct decoder *d) = {
		[ISA_FORM_BASIC] = decode_basic,
		[ISA_FORM_MATH] = decode_basic,
		[ISA_FORM_JUMP] = decode_jump,
		[ISA_FORM_JUMP_REG] = decode_jump_reg,
		[ISA_FORM_CALL] = decode_call,
		[ISA_FORM_RET] = decode_ret,
		[ISA_FORM_WAIT] = decode_wait,
		[ISA_FORM_SYNC] = decode_sync,
		[ISA_FORM_SEND] = decode_send,
		[ISA_FORM_SPLIT] = decode_split,
	};
	const struct isa_op *op = &d->isa->ops[get(d, ISA_F_OPCODE)];

	if (!op->name) {
		fault(d, "reserved opcode");
		return;
	}
	d->inst->op = op->id;
	d->inst->form = op->form;
	d->inst->nsources = op->sources;
	d->inst->macro = op->id == ISA_OP_MADM;
	d->inst->exec_size = 1;
	if (op->form == ISA_FORM_NONE) {
		d->inst->breakpoint = op->id != ISA_OP_ILLEGAL && get(d, ISA_F_BREAKPOINT);
		d->inst->swsb = op->id != ISA_OP_ILLEGAL ? get(d, ISA_F_SWSB) : 0;
		check_swsb(d, op);
		return;
	}
	decode_controls(d, op);
	decode_condition(d, op);
	if (op->form == ISA_FORM_MATH || op->form == ISA_FORM_SYNC)
		decode_function(d, op);
	if (op->form == ISA_FORM_THREE && d->isa->gen < 110)
		decode_three_align16(d);
	else if (op->form == ISA_FORM_THREE)
		decode_three_align1(d);
	else
		forms[op->form](d);
}

size_t isa_decode(const struct isa_gen *isa, const void *program, size_t left, struct isa_inst *inst,
		  const char **fault)
{
	struct decoder d = { .isa = isa, .inst = inst };
	__u64 compact;

	memset(inst, 0, sizeof(*inst));
	if (left < 8) {
		*fault = "the program is cut off";
		return left;
	}
	memcpy(&compact, program, 8);
	inst->size = compact >> 29 & 1 ? 8 : 16;
	if (left < inst->size) {
		*fault = "the program is cut off";
		return left;
	}
	if (inst->size == 8)
		d.fault = isa_expand(isa, compact, inst->word);
	else
		memcpy(inst->word, program, 16);
	if (!d.fault)
		decode_form(&d);
	*fault = d.fault;
	return inst->size;
}

const struct isa_register *isa_find_register(const struct isa_gen *isa, unsigned int reg)
{
	const struct isa_register *r;
	unsigned int n = reg & 15;

	for (r = isa->registers; r->name; r++)
		if (r->code == reg >> 4 && n >= r->first && n - r->first < (r->count ? r->count : 1u))
			return r;
	return NULL;
}

const struct isa_gen *isa_gen_by_name(const char *name)
{
	static const struct {
		const char *name;
		const struct isa_gen *isa;
	} names[] = {
		{ "6", &isa_gen6 }, { "7", &isa_gen7 }, { "7.5", &isa_gen75 }, { "9", &isa_gen9 },
		{ "12", &isa_gen12 }, { "snb", &isa_gen6 }, { "ivb", &isa_gen7 }, { "hsw", &isa_gen75 },
		{ "skl", &isa_gen9 }, { "kbl", &isa_gen9 }, { "bxt", &isa_gen9 }, { "apl", &isa_gen9 },
		{ "glk", &isa_gen9 }, { "cfl", &isa_gen9 }, { "tgl", &isa_gen12 }, { "dg1", &isa_gen12 },
	};
	unsigned int i;

	if (!strncmp(name, "gen", 3))
		name += 3;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i].name))
			return names[i].isa;
	return NULL;
}
