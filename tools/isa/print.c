// SPDX-License-Identifier: MIT
/**
 * DOC: Instructions as text
 *
 * The language is that of Intel's assembler IGA. IGA knows no Align16: it shows such an operand as
 * the Align1 operand that means the same, and so does this where there is one. Where there is none,
 * the operand has its swizzle or its write mask behind the region.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "isa.h"

#define COLUMN_OP 8
#define COLUMN_DST 33
#define COLUMN_SRC 17

/* A line that is being written. */
struct text {
	char s[512];
	size_t n, column;
};

__attribute__((format(printf, 2, 3)))
static void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->s + t->n, sizeof(t->s) - t->n, format, args);
	va_end(args);
	if (n > 0)
		t->n = t->n + n < sizeof(t->s) ? t->n + n : sizeof(t->s) - 1;
}

/* Blanks up to the column, one at least; further columns count from there. */
static void column(struct text *t, size_t width)
{
	t->column += width;
	do
		add(t, " ");
	while (t->n < t->column);
	t->column = t->n;
}

static void add_register(const struct isa_gen *isa, struct text *t, const struct isa_operand *o, bool with_subreg)
{
	const struct isa_register *r;
	unsigned int size = o->type < ISA_TYPES ? isa_types[o->type].size : 1;

	if (o->file == ISA_GRF || o->file == ISA_MRF) {
		add(t, "%c%u", o->file == ISA_GRF ? 'r' : 'm', o->reg);
		if (with_subreg)
			add(t, ".%u", o->subreg / size);
		return;
	}
	r = isa_find_register(isa, o->reg);
	if (!r) {
		add(t, "arf%u", o->reg);
		return;
	}
	add(t, "%s", r->name);
	if (r->count)
		add(t, "%u", (o->reg & 15) - r->first);
	if (with_subreg && (r->size || o->subreg / size))
		add(t, ".%u", o->subreg / size);
}

static void add_place(const struct isa_gen *isa, struct text *t, const struct isa_inst *inst,
		      const struct isa_operand *o)
{
	bool send = inst->form == ISA_FORM_SEND || inst->form == ISA_FORM_SPLIT;

	if (o->indirect) {
		add(t, "%c[a0.%u", o->file == ISA_MRF ? 'm' : 'r', o->addr_subreg);
		if (o->addr_imm)
			add(t, ",%d", o->addr_imm);
		add(t, "]");
		return;
	}
	add_register(isa, t, o, !inst->macro && !send);
	if (!inst->macro)
		return;
	if (o->mme == ISA_NO_MME)
		add(t, ".nomme");
	else
		add(t, ".mme%u", o->mme);
}

static void add_type(struct text *t, const struct isa_operand *o, unsigned int implied)
{
	if (o->type < ISA_TYPES && o->type != implied)
		add(t, ":%s", isa_types[o->type].name);
}

/* The type that need not be told. */
static unsigned int implied_type(const struct isa_gen *isa, const struct isa_inst *inst, const struct isa_operand *o)
{
	switch (inst->form) {
	case ISA_FORM_SEND:
		return o == &inst->dst && isa->gen < 80 ? ISA_TYPES : ISA_TYPE_UD;
	case ISA_FORM_SPLIT:
		return o == &inst->dst ? ISA_TYPES : ISA_TYPE_UD;
	case ISA_FORM_JUMP_REG:
	case ISA_FORM_CALL:
	case ISA_FORM_RET:
		return ISA_TYPE_D;
	default:
		return ISA_TYPES;
	}
}

static void add_mask(struct text *t, unsigned int mask)
{
	unsigned int i;

	add(t, ".");
	for (i = 0; i < 4; i++)
		if (mask & 1 << i)
			add(t, "%c", "xyzw"[i]);
}

/* The channel that an Align16 destination of an instruction with three sources has alone, or -1. */
static int lone_channel(const struct isa_inst *inst)
{
	unsigned int mask = inst->dst.write_mask;

	if (inst->form != ISA_FORM_THREE || !inst->align16 || inst->macro)
		return -1;
	if (inst->exec_size == 2 && inst->dst.type == ISA_TYPE_DF)
		return mask == 3 ? 0 : mask == 12 ? 1 : -1;
	if (inst->exec_size != 4)
		return -1;
	return mask == 1 ? 0 : mask == 2 ? 1 : mask == 4 ? 2 : mask == 8 ? 3 : -1;
}

static void add_destination(const struct isa_gen *isa, struct text *t, const struct isa_inst *inst)
{
	struct isa_operand o = inst->dst;
	bool send = inst->form == ISA_FORM_SEND || inst->form == ISA_FORM_SPLIT;
	int lone = lone_channel(inst);

	if (inst->saturate)
		add(t, "(sat)");
	if (lone > 0)
		o.subreg += lone * isa_types[o.type].size;
	add_place(isa, t, inst, &o);
	if (send && !o.indirect) {
		add_type(t, &o, implied_type(isa, inst, &inst->dst));
		return;
	}
	if (o.hstride != 1 || !(inst->macro || send || inst->form == ISA_FORM_CALL))
		add(t, "<%u>", o.hstride);
	if (inst->align16 && !inst->macro && o.write_mask != 15 && lone < 0)
		add_mask(t, o.write_mask);
	add_type(t, &o, implied_type(isa, inst, &inst->dst));
}

static void add_immediate(struct text *t, const struct isa_operand *o)
{
	switch (o->type) {
	case ISA_TYPE_B:
		add(t, "%d", (__s8)o->imm);
		break;
	case ISA_TYPE_W:
		add(t, "%d", (__s16)o->imm);
		break;
	case ISA_TYPE_D:
		add(t, "%d", (__s32)o->imm);
		break;
	case ISA_TYPE_Q:
		add(t, "%" PRId64, (int64_t)o->imm);
		break;
	case ISA_TYPE_UB:
		add(t, "0x%X", (__u8)o->imm);
		break;
	case ISA_TYPE_UW:
	case ISA_TYPE_HF:
		add(t, "0x%X", (__u16)o->imm);
		break;
	case ISA_TYPE_UQ:
	case ISA_TYPE_DF:
		add(t, "0x%" PRIX64, (uint64_t)o->imm);
		break;
	default:
		add(t, "0x%X", (__u32)o->imm);
		break;
	}
}

/* Align16 sources that pick their own channel are the same in Align1. */
static bool straight(const struct isa_inst *inst, const struct isa_operand *o)
{
	return inst->macro || o->replicate || o->swizzle == 0xe4;
}

/* A scalar of 64 bits in Align16: its two dwords, twice. */
static int double_scalar(const struct isa_operand *o)
{
	if (o->replicate || o->type >= ISA_TYPES || isa_types[o->type].size != 8)
		return -1;
	return o->swizzle == 0x44 ? 0 : o->swizzle == 0xee ? 1 : -1;
}

static void add_three_source(const struct isa_gen *isa, struct text *t, const struct isa_inst *inst, unsigned int n)
{
	struct isa_operand o = inst->src[n];
	int scalar = inst->align16 ? double_scalar(&o) : -1;

	if (scalar > 0)
		o.subreg += isa_types[o.type].size;
	if (o.abs || o.negate)
		add(t, "%s%s", o.negate ? "-" : "", o.abs ? "(abs)" : "");
	add_place(isa, t, inst, &o);
	if (!inst->align16) {
		if (n < 2)
			add(t, "<%u;%u>", o.vstride, o.hstride);
		else
			add(t, "<%u>", o.hstride);
	} else if (!inst->macro) {
		bool one = o.replicate || scalar >= 0;

		if (n < 2)
			add(t, one ? "<0;0>" : "<2;1>");
		else
			add(t, one ? "<0>" : "<1>");
		if (!straight(inst, &o) && scalar < 0) {
			unsigned int i;

			add(t, ".");
			for (i = 0; i < 4; i++)
				add(t, "%c", "xyzw"[o.swizzle >> 2 * i & 3]);
		}
	}
	add_type(t, &o, ISA_TYPES);
}

static void add_region(struct text *t, const struct isa_inst *inst, const struct isa_operand *o)
{
	unsigned int i;

	if (inst->macro || inst->form == ISA_FORM_SEND || inst->form == ISA_FORM_SPLIT ||
	    inst->form == ISA_FORM_JUMP_REG || inst->form == ISA_FORM_CALL || inst->form == ISA_FORM_RET ||
	    inst->form == ISA_FORM_SYNC)
		return;
	if (!inst->align16) {
		if (o->vstride == ISA_VXH)
			add(t, "<%u,%u>", o->width, o->hstride);
		else
			add(t, "<%u;%u,%u>", o->vstride, o->width, o->hstride);
		return;
	}
	if (straight(inst, o) && o->vstride == 4) {
		add(t, "<1;1,0>");
		return;
	}
	add(t, o->vstride == ISA_VXH ? "<VxH>." : "<%u>.", o->vstride);
	for (i = 0; i < 4; i++)
		add(t, "%c", "xyzw"[o->swizzle >> 2 * i & 3]);
}

/* The tokens that sync.allrd and sync.allwr wait for. */
static void add_tokens(struct text *t, __u32 tokens)
{
	const char *before = "(";
	unsigned int i;

	for (i = 0; i < 32; i++)
		if (tokens >> i & 1) {
			add(t, "%s$%u", before, i);
			before = ",";
		}
	add(t, tokens ? ")" : "()");
}

static void add_source(const struct isa_gen *isa, struct text *t, const struct isa_inst *inst, unsigned int n)
{
	const struct isa_operand *o = &inst->src[n];
	bool bitwise = isa->ops[isa_get(isa, ISA_F_OPCODE, inst->word)].takes & ISA_TAKES_BITWISE;

	if (o->file == ISA_IMMEDIATE && inst->form == ISA_FORM_SYNC &&
	    (inst->function == ISA_SYNC_ALLRD || inst->function == ISA_SYNC_ALLWR)) {
		add_tokens(t, o->imm);
		return;
	}
	if (o->file == ISA_IMMEDIATE) {
		add_immediate(t, o);
		if (inst->form != ISA_FORM_SYNC)
			add_type(t, o, implied_type(isa, inst, o));
		return;
	}
	if (inst->form == ISA_FORM_THREE) {
		add_three_source(isa, t, inst, n);
		return;
	}
	if (o->abs || o->negate)
		add(t, "%s%s", !o->negate ? "" : bitwise && isa->gen >= 80 && !o->abs ? "~" : "-",
		    o->abs ? "(abs)" : "");
	add_place(isa, t, inst, o);
	add_region(t, inst, o);
	add_type(t, o, implied_type(isa, inst, o));
}

static void add_predicate(const struct isa_gen *isa, struct text *t, const struct isa_inst *inst)
{
	const char *name = (inst->align16 ? isa->predicates16 : isa->predicates)[inst->predicate];

	if (!inst->no_mask && !inst->predicate)
		return;
	add(t, "(%s", inst->no_mask ? "W" : "");
	if (inst->predicate) {
		add(t, "%s%sf%u.%u", inst->no_mask ? "&" : "", inst->predicate_inverse ? "~" : "", inst->flag,
		    inst->flag_subreg);
		if (name && inst->predicate != 1)
			add(t, ".%s", name);
	}
	add(t, ")");
}

static void add_operation(const struct isa_gen *isa, struct text *t, const struct isa_inst *inst)
{
	unsigned int code = isa_get(isa, ISA_F_FUNCTION, inst->word);
	const struct isa_op *op = &isa->ops[isa_get(isa, ISA_F_OPCODE, inst->word)];
	const char *sub = NULL;

	add(t, "%s", op->name ? op->name : "?");
	if (inst->form == ISA_FORM_MATH)
		sub = isa->math[code].name;
	else if (inst->form == ISA_FORM_SYNC)
		sub = isa->sync[code].name;
	else if (inst->form == ISA_FORM_SEND && isa->gen >= 120)
		sub = isa->targets[code].asm_name;
	else if (inst->branch_ctrl)
		sub = "b";
	if (sub)
		add(t, ".%s", sub);
	if (inst->form != ISA_FORM_NONE && inst->form != ISA_FORM_WAIT && inst->form != ISA_FORM_SYNC &&
	    inst->op != ISA_OP_JMPI)
		add(t, " (%u|M%u)", lone_channel(inst) < 0 ? inst->exec_size : 1, inst->channel_offset);
	if (inst->cond || (inst->macro && inst->form == ISA_FORM_MATH)) {
		const char *name = inst->cond ? isa->conditions[inst->cond] : "eo";

		add(t, " (%s)f%u.%u", name ? name : "?", inst->flag, inst->flag_subreg);
	}
}

static void option(struct text *t, bool *first, const char *text)
{
	add(t, "%s%s", *first ? " {" : ",", text);
	*first = false;
}

/* Gen12's software scoreboard: a distance, a token, or both (public facts: Mesa, brw_ir.h). */
static void add_swsb(struct text *t, bool *first, const struct isa_inst *inst)
{
	bool sets = inst->form == ISA_FORM_SEND || inst->form == ISA_FORM_MATH;
	unsigned int kind = inst->swsb >> 4, low = inst->swsb & 15;
	char text[24];

	if (!inst->swsb)
		return;
	if (inst->swsb & 0x80)
		snprintf(text, sizeof(text), "@%u,$%u%s", kind & 7, low, sets ? "" : ".dst");
	else if (kind == 0)
		snprintf(text, sizeof(text), "@%u", low);
	else
		snprintf(text, sizeof(text), "$%u%s", low, kind == 2 ? ".dst" : kind == 3 ? ".src" : "");
	option(t, first, text);
}

static void add_options(struct text *t, const struct isa_inst *inst)
{
	bool first = true;

	if (inst->acc_write)
		option(t, &first, "AccWrEn");
	if (inst->thread_control == 1)
		option(t, &first, "Atomic");
	if (inst->breakpoint)
		option(t, &first, "Breakpoint");
	if (inst->size == 8)
		option(t, &first, "Compacted");
	if (inst->eot)
		option(t, &first, "EOT");
	if (inst->dependency & 2)
		option(t, &first, "NoDDChk");
	if (inst->dependency & 1)
		option(t, &first, "NoDDClr");
	if (inst->no_src_dep)
		option(t, &first, "NoSrcDepSet");
	if (inst->thread_control == 2)
		option(t, &first, "Switch");
	if (inst->fused_off)
		option(t, &first, "Serialize");
	add_swsb(t, &first, inst);
	if (!first)
		add(t, "}");
}

static bool has_destination(const struct isa_inst *inst)
{
	switch (inst->form) {
	case ISA_FORM_BASIC:
	case ISA_FORM_MATH:
	case ISA_FORM_THREE:
	case ISA_FORM_CALL:
	case ISA_FORM_SEND:
	case ISA_FORM_SPLIT:
		return true;
	default:
		return false;
	}
}

static void add_descriptors(struct text *t, const struct isa_inst *inst)
{
	column(t, COLUMN_SRC);
	if (inst->ex_desc_is_reg)
		add(t, "a0.%u", inst->ex_desc_subreg);
	else
		add(t, "0x%X", inst->ex_desc);
	column(t, COLUMN_SRC - 4);
	if (inst->desc_is_reg)
		add(t, "a0.0");
	else
		add(t, "0x%08X", inst->desc);
}

void isa_print(const struct isa_gen *isa, const struct isa_inst *inst, FILE *out)
{
	struct text t = { .column = 0 };
	unsigned int i;

	add_predicate(isa, &t, inst);
	column(&t, COLUMN_OP);
	add_operation(isa, &t, inst);
	t.column = COLUMN_OP;
	if (has_destination(inst)) {
		column(&t, COLUMN_DST - COLUMN_OP);
		add_destination(isa, &t, inst);
	} else if (inst->nsources || inst->njumps) {
		column(&t, COLUMN_DST - COLUMN_OP);
	}
	for (i = 0; i < inst->nsources; i++) {
		column(&t, COLUMN_SRC);
		add_source(isa, &t, inst, i);
	}
	for (i = 0; i < inst->njumps; i++) {
		column(&t, COLUMN_SRC);
		add(&t, "%d", inst->jump[i]);
	}
	if (inst->form == ISA_FORM_SEND || inst->form == ISA_FORM_SPLIT)
		add_descriptors(&t, inst);
	add_options(&t, inst);
	fputs(t.s, out);
}
