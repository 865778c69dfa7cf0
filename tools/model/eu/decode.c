// SPDX-License-Identifier: MIT
/**
 * DOC: Instructions made ready to execute
 *
 * isa_decode() says what an instruction is; here it becomes a struct eu_uop with a handler.
 */
#include "internal.h"

/* The class that the sources are computed in; a destination of accumulator precision makes it DOUBLE. */
static enum eu_class class_of(const struct eu_cold *cold)
{
	bool single = false, half = false, wide = cold->dst.type == ISA_TYPE_NF;
	unsigned int i, sources = cold->inst.nsources;
	bool other = false;

	for (i = 0; i < sources; i++) {
		switch (cold->src[i].type) {
		case ISA_TYPE_NF:
		case ISA_TYPE_DF:
			wide = true;
			break;
		case ISA_TYPE_F:
			single = true;
			break;
		case ISA_TYPE_HF:
			half = true;
			break;
		default:
			other = true;
			break;
		}
	}
	if (wide)
		return EU_DOUBLE;
	if (single)
		return EU_FLOAT;
	if (!half)
		return EU_INT;
	/* A move of HF to DF or an integer is exact in double. */
	return other || cold->dst.type == ISA_TYPE_F ? EU_FLOAT : EU_HALF;
}

/* A move of bits has integers of the same size, which no conversion changes. */
static void decode_raw(struct eu_cold *cold)
{
	static const uint8_t types[] = { [1] = ISA_TYPE_UB, [2] = ISA_TYPE_UW, [4] = ISA_TYPE_UD, [8] = ISA_TYPE_UQ };
	struct eu_operand *src = &cold->src[0], *dst = &cold->dst;

	if (cold->inst.op != ISA_OP_MOV || cold->inst.saturate || cold->inst.cond || src->type != dst->type ||
	    src->abs || src->negate || src->type == ISA_TYPE_NF)
		return;
	cold->raw = true;
	if (src->kind != ISA_FLOAT)
		return;
	src->type = types[src->size];
	dst->type = src->type;
	src->kind = ISA_UNSIGNED;
	dst->kind = ISA_UNSIGNED;
}

static bool is_logic(unsigned int op)
{
	return op == ISA_OP_AND || op == ISA_OP_OR || op == ISA_OP_XOR || op == ISA_OP_NOT;
}

/* Gen7's conversions of half floats have words in place of a type of their own. */
static void decode_halves(struct eu_uop *uop)
{
	struct eu_cold *cold = uop->cold;
	struct eu_operand *half = uop->op == ISA_OP_F32TO16 ? &cold->dst : &cold->src[0];

	if (uop->op != ISA_OP_F32TO16 && uop->op != ISA_OP_F16TO32)
		return;
	if (half->size == 2) {
		half->type = ISA_TYPE_HF;
		half->kind = ISA_FLOAT;
	}
}

static void decode_predicate(struct eu_uop *uop, const struct isa_inst *inst)
{
	unsigned int code = inst->predicate;

	uop->inverse = inst->predicate_inverse;
	if (!code) {
		uop->predicate = EU_ALWAYS;
	} else if (code == 1) {
		uop->predicate = EU_ONE;
	} else if (inst->align16 && code <= 5) {
		uop->predicate = EU_REPLICATE;
		uop->group = code - 2;
	} else if (inst->align16) {
		uop->predicate = code == 6 ? EU_ANY : EU_ALL;
		uop->group = 4;
	} else if (code <= 3) {
		uop->predicate = code == 2 ? EU_ANYV : EU_ALLV;
	} else {
		uop->predicate = code % 2 ? EU_ALL : EU_ANY;
		uop->group = 1 << (code / 2 - 1);
	}
}

static uint32_t group_bits(unsigned int predicate, unsigned int group, uint32_t bits)
{
	uint32_t result = 0, ones = group < 32 ? (1u << group) - 1 : ~0u;
	unsigned int i;

	for (i = 0; i < 32; i += group) {
		uint32_t part = bits >> i & ones;

		if (predicate == EU_ANY ? part != 0 : part == ones)
			result |= ones << i;
	}
	return result;
}

uint32_t eu_pmask(const struct eu_core *core, const struct eu_thread *thread, const struct eu_uop *uop)
{
	uint64_t flags = thread->flag[0] | (uint64_t)thread->flag[1] << 32;
	uint32_t bits = (uint32_t)(flags >> uop->flag_bit % 64), other;

	switch (uop->predicate) {
	case EU_ALWAYS:
		return ~0u;
	case EU_ANYV:
	case EU_ALLV:
		if (core->traits->anyv_f1) {
			bits = thread->flag[0] >> uop->flag_bit % 32;
			other = thread->flag[1] >> uop->flag_bit % 32;
		} else {
			bits = thread->flag[0] & 0xffff;
			other = thread->flag[0] >> 16;
		}
		bits = uop->predicate == EU_ANYV ? bits | other : bits & other;
		if (!core->traits->anyv_f1)
			bits |= bits << 16;
		break;
	case EU_ANY:
	case EU_ALL:
		bits = group_bits(uop->predicate, uop->group, bits);
		break;
	case EU_REPLICATE:
		bits = (bits >> uop->group & 0x11111111) * 15;
		break;
	default:
		break;
	}
	return (uop->inverse ? ~bits : bits) >> uop->offset;
}

/* Channels that Align16's write mask leaves. */
static uint32_t written_channels(const struct eu_cold *cold)
{
	const struct isa_inst *inst = &cold->inst;
	unsigned int four = inst->dst.write_mask, n;
	uint32_t lanes = inst->exec_size < 32 ? (1u << inst->exec_size) - 1 : ~0u, mask = 0;

	if (!inst->align16 || inst->macro || inst->form == ISA_FORM_SEND || inst->form == ISA_FORM_SPLIT)
		return lanes;
	for (n = 0; n < inst->exec_size; n++) {
		if (cold->dst.size == 8)
			mask |= (uint32_t)((four >> n % 2 * 2 & 3) != 0) << n;
		else
			mask |= (four >> n % 4 & 1) << n;
	}
	return mask;
}

static bool is_alu(const struct isa_inst *inst)
{
	return inst->form == ISA_FORM_BASIC || inst->form == ISA_FORM_MATH || inst->form == ISA_FORM_THREE;
}

static const char *decode_alu(struct eu_core *core, struct eu_uop *uop)
{
	struct eu_cold *cold = uop->cold;
	struct isa_inst *inst = &cold->inst;
	const char *fault = NULL;
	bool pairs = false;
	unsigned int i;

	for (i = 0; i < inst->nsources; i++)
		pairs |= inst->src[i].file != ISA_IMMEDIATE && inst->src[i].type == ISA_TYPE_DF;
	if (core->traits->double_pairs && (pairs || inst->dst.type == ISA_TYPE_DF)) {
		inst->exec_size = inst->exec_size > 1 ? inst->exec_size / 2 : 1;
		uop->exec = inst->exec_size;
	}
	eu_operand_decode(core, inst, &inst->dst, &cold->dst, true, &fault);
	for (i = 0; i < inst->nsources; i++) {
		eu_operand_decode(core, inst, &inst->src[i], &cold->src[i], false, &fault);
		cold->src[i].bitwise = is_logic(uop->op) && core->traits->bitwise_negate;
	}
	if (fault)
		return fault;
	uop->lanes = written_channels(cold);
	decode_halves(uop);
	decode_raw(cold);
	if (uop->op == ISA_OP_DIM || uop->op == ISA_OP_F32TO16 || uop->op == ISA_OP_F16TO32)
		uop->op = ISA_OP_MOV;
	cold->class = class_of(cold);
	cold->words = cold->class == EU_INT;
	for (i = 0; i < inst->nsources; i++)
		cold->words &= cold->src[i].size <= 2;
	if (uop->op == ISA_OP_SAD2 || uop->op == ISA_OP_SADA2)
		uop->lanes &= 0x55555555;
	if (inst->form == ISA_FORM_MATH && inst->function == ISA_MATH_IDIV && cold->dst.place == EU_GRF &&
	    cold->dst.off[uop->exec - 1] + EU_GRF_BYTES + 4 > EU_GRF_END)
		return "operand beyond r127";
	/* A write of ip, or of cr0 when a system routine ends, goes elsewhere. */
	uop->flow = cold->dst.place == EU_ARF && (cold->dst.reg >> 4 == 8 || cold->dst.reg >> 4 == 10);
	if (uop->op == ISA_OP_LINE || uop->op == ISA_OP_PLN)
		fault = eu_line_check(uop);
	uop->run = uop->op == ISA_OP_MOVI ? eu_movi : uop->op == ISA_OP_SMOV ? eu_smov : NULL;
	if (!uop->run && core->fast && eu_is_control(uop))
		uop->run = eu_control;
	if (!uop->run && !uop->flow && core->fast)
		uop->run = core->fast->choose(core, uop);
	if (!uop->run && core->wide)
		uop->run = core->wide->choose(core, uop);
	uop->generic = !uop->run;
	if (!uop->run)
		uop->run = eu_generic;
	return fault;
}

static void eu_nop(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	(void)core;
	(void)thread;
	(void)uop;
}

/* Operands of flow instructions are scalars in the architecture's or general registers. */
static const char *decode_flow(struct eu_core *core, struct eu_uop *uop)
{
	struct eu_cold *cold = uop->cold;
	struct isa_inst scalar = cold->inst;
	const char *fault = NULL;
	unsigned int i;

	uop->flow = true;
	/* Two dwords: the address and the mask of call and ret. */
	scalar.exec_size = uop->op == ISA_OP_CALL || uop->op == ISA_OP_CALLA || uop->op == ISA_OP_RET ? 2 : 1;
	if (uop->op == ISA_OP_CALL || uop->op == ISA_OP_CALLA) {
		scalar.dst.hstride = 1;
		eu_operand_decode(core, &scalar, &scalar.dst, &cold->dst, true, &fault);
	}
	for (i = 0; i < cold->inst.nsources; i++) {
		/* Every channel counts in the compare of Gen6's if and while. */
		struct isa_inst *inst = cold->inst.cond ? &cold->inst : &scalar;
		struct isa_operand *src = &inst->src[i];

		if (!cold->inst.cond) {
			src->vstride = 2;
			src->width = 2;
			src->hstride = 1;
		}
		eu_operand_decode(core, inst, src, &cold->src[i], false, &fault);
	}
	cold->class = class_of(cold);
	return fault;
}

static const char *decode(struct eu_core *core, const void *code, size_t bytes, uint32_t ip, struct eu_uop *uop)
{
	struct isa_inst *inst = &uop->cold->inst;
	const char *fault;

	isa_decode(core->isa, code, bytes, inst, &fault);
	uop->ip = ip;
	uop->size = inst->size ? inst->size : 16;
	uop->op = inst->op;
	uop->exec = inst->exec_size ? inst->exec_size : 1;
	uop->lanes = uop->exec < 32 ? (1u << uop->exec) - 1 : ~0u;
	uop->offset = inst->channel_offset;
	uop->cond = inst->cond;
	uop->no_mask = inst->no_mask;
	uop->saturate = inst->saturate;
	uop->acc_write = inst->acc_write;
	uop->flag_bit = inst->flag * 32 + inst->flag_subreg * 16;
	decode_predicate(uop, inst);
	if (fault)
		return fault;
	if (is_alu(inst))
		return decode_alu(core, uop);
	if (inst->form == ISA_FORM_SEND || inst->form == ISA_FORM_SPLIT) {
		uop->run = eu_send;
		uop->flow = true;
		return NULL;
	}
	uop->run = eu_flow_handler(uop->op);
	if (uop->run)
		return decode_flow(core, uop);
	if (uop->op == ISA_OP_ILLEGAL) {
		uop->run = eu_illegal;
		uop->flow = true;
		return NULL;
	}
	if (uop->op != ISA_OP_NOP && uop->op != ISA_OP_SYNC)
		return "instruction that is not modelled";
	uop->run = eu_nop;
	return NULL;
}

const char *eu_decode(struct eu_core *core, const void *code, size_t bytes, uint32_t ip, struct eu_uop *uop)
{
	const char *fault = decode(core, code, bytes, ip, uop);

	if (fault || !uop->cold->inst.breakpoint)
		return fault;
	uop->cold->run = uop->run;
	uop->cold->flow = uop->flow;
	uop->run = eu_breakpoint;
	uop->flow = true;
	return NULL;
}
