// SPDX-License-Identifier: MIT
/**
 * DOC: Random legal instructions
 *
 * Which types an opcode takes is a table, made from the manuals' pages (struct rule); regions obey IVB Vol 4 Part 3,
 * 3.3.9 "Register Region Restrictions" and the Broxton Vol 6 section of that name. What the manuals forbid is not made,
 * so that results are defined.
 */
#include <string.h>

#include "draft.h"
#include "made.h"

static unsigned int pick_type(struct judge_random *r, __u32 set)
{
	unsigned int n = judge_below(r, __builtin_popcount(set));

	while (n--)
		set &= set - 1;
	return __builtin_ctz(set);
}

static unsigned int sources_of(const struct isa_gen *isa, const struct rule *rule)
{
	const struct isa_op *op;
	unsigned int i;

	if (rule->op == ISA_OP_MATH) {
		for (i = 0; i < 16; i++)
			if (isa->math[i].name && isa->math[i].id == rule->function)
				return isa->math[i].sources;
		return 0;
	}
	op = judge_op(isa, rule->op);
	return op ? (op->form == ISA_FORM_THREE ? 3 : op->sources) : 0;
}

static bool three_align1(const struct draft *d)
{
	return d->isa->gen >= 110 && d->inst->form == ISA_FORM_THREE;
}

/* A multiplication of a dword and a word has the dword first, on Gen6 second (6.43 "mul"). */
static bool dword_comes_first(const struct draft *d)
{
	unsigned int first = size_of(d->inst->src[0].type), second = size_of(d->inst->src[1].type);

	return first == second || (d->isa->gen < 70 ? first < second : first > second);
}

static bool pick_types(struct draft *d)
{
	struct isa_inst *inst = d->inst;
	unsigned int n, floats = 0;

	inst->dst.type = pick_type(d->r, d->rule->dst);
	for (n = 0; n < inst->nsources; n++) {
		inst->src[n].type = pick_type(d->r, d->rule->src);
		if (d->rule->flags & SAME)
			inst->src[n].type = inst->dst.type;
		else if (d->rule->flags & SAME_SOURCES || (inst->form == ISA_FORM_THREE && d->isa->gen < 110))
			inst->src[n].type = inst->src[0].type;
		floats += is_float(inst->src[n].type);
	}
	if (floats && floats != inst->nsources)
		return false;
	if (d->rule->flags & NARROW_SECOND && !dword_comes_first(d))
		return false;
	if (d->rule->flags & NARROW_SECOND && size_of(inst->src[0].type) + size_of(inst->src[1].type) == 4)
		return false;
	if (d->rule->flags & WORD_FACTOR && (size_of(inst->src[2].type) != 2 || size_of(inst->src[1].type) != 4))
		return false;
	/* Three sources before Gen11 have one type, which is the destination's but for mixed floats. */
	return inst->form != ISA_FORM_THREE || d->isa->gen >= 110 || inst->dst.type == inst->src[0].type;
}

static void find_exec_bytes(struct draft *d)
{
	unsigned int n;

	d->exec_bytes = 2;
	for (n = 0; n < d->inst->nsources; n++)
		if (size_of(d->inst->src[n].type) > d->exec_bytes)
			d->exec_bytes = size_of(d->inst->src[n].type);
	/* Between integers and halves the destination is strided by dwords (Broxton Vol 6). */
	if (is_float(d->inst->dst.type) != is_float(d->inst->src[0].type) && d->exec_bytes < 4 &&
	    (d->inst->dst.type == ISA_TYPE_HF || d->inst->src[0].type == ISA_TYPE_HF))
		d->exec_bytes = 4;
}

static bool has_quad(const struct draft *d)
{
	return d->exec_bytes == 8 || size_of(d->inst->dst.type) == 8;
}

/* 3.3.9, 1.A: 64 bytes at most. */
static bool pick_exec_size(struct draft *d)
{
	unsigned int widest = d->exec_bytes > size_of(d->inst->dst.type) ? d->exec_bytes : size_of(d->inst->dst.type);
	unsigned int most = 64 / widest, least = 1;

	if (d->rule->flags & EIGHT && most > 8)
		most = 8;
	if (d->isa->gen < 80 && most > 16)
		most = 16;
	if (d->inst->align16 && most > (d->isa->gen >= 80 && d->inst->form == ISA_FORM_THREE ? 16 : 8))
		most = 8;
	if (d->rule->op == ISA_OP_MOVI && most > 8)
		most = 8;
	if (d->rule->op == ISA_OP_MATH && d->isa->gen < 70)
		most = 8;
	if (d->rule->op == ISA_OP_SEL && most > 16)
		most = 16;
	if (d->inst->dst.type == ISA_TYPE_HF && d->inst->src[0].type != ISA_TYPE_HF && most > 8)
		most = 8;
	if (d->inst->align16 || d->rule->flags & FOURS)
		least = 4;
	if (d->rule->flags & PLANE)
		least = 8;
	if (d->rule->flags & PAIRS)
		least = 2;
	if (d->rule->flags & PACKED)
		least = 4;
	if (least > most)
		return false;
	do
		d->inst->exec_size = 1 << judge_below(d->r, 6);
	while (d->inst->exec_size < least || d->inst->exec_size > most);
	if (d->inst->exec_size > 4 && least == 1 && judge_chance(d->r, 5))
		d->inst->exec_size = 1;
	return true;
}

static unsigned int pow2_below(struct judge_random *r, unsigned int most)
{
	unsigned int value = 1;

	while (value < most && judge_chance(r, 65))
		value *= 2;
	return value;
}

/* Byte offset of a channel in a region, from its register. */
static unsigned int offset_in(const struct draft *d, const struct isa_operand *o, unsigned int channel)
{
	unsigned int vstride = o->vstride == ISA_VXH ? 0 : o->vstride;

	(void)d;
	return o->subreg + (channel / o->width * vstride + channel % o->width * o->hstride) * size_of(o->type);
}

/* 3.3.9, 2: general restrictions on regioning parameters. */
static bool region_is_legal(const struct draft *d, const struct isa_operand *o)
{
	unsigned int n = d->inst->exec_size, row, i, size = size_of(o->type);

	if (n < o->width || (n == o->width && o->hstride && o->vstride != o->width * o->hstride))
		return false;
	if (o->width == 1 && o->hstride)
		return false;
	if (n == 1 && o->vstride)
		return false;
	if (!o->vstride && !o->hstride && o->width != 1)
		return false;
	for (row = 0; row < n; row += o->width)
		for (i = row; i < row + o->width; i++)
			if (offset_in(d, o, i) / 32 != offset_in(d, o, row) / 32 || offset_in(d, o, i) % size)
				return false;
	/* 3.A: two registers at most. */
	for (i = 0; i < n; i++)
		if (offset_in(d, o, i) / 32 > 1)
			return false;
	return true;
}

static void scalar(struct isa_operand *o)
{
	o->vstride = 0;
	o->width = 1;
	o->hstride = 0;
}

static void contiguous(const struct draft *d, struct isa_operand *o, unsigned int stride)
{
	unsigned int most = 32 / (size_of(o->type) * stride);

	o->width = d->inst->exec_size;
	while (o->width > most || o->width > 16)
		o->width /= 2;
	o->hstride = o->width == 1 ? 0 : stride;
	o->vstride = o->width * stride;
	if (d->inst->exec_size == 1)
		scalar(o);
}

static bool pick_region(struct draft *d, struct isa_operand *o)
{
	static const unsigned int strides[] = { 0, 1, 2, 4, 8, 16, 32 };
	unsigned int try, size = size_of(o->type);

	for (try = 0; try < 30; try++) {
		o->subreg = 0;
		if (judge_chance(d->r, 20)) {
			scalar(o);
		} else if (judge_chance(d->r, 60)) {
			contiguous(d, o, 1 << judge_below(d->r, 3));
		} else {
			o->width = pow2_below(d->r, d->inst->exec_size < 16 ? d->inst->exec_size : 16);
			o->hstride = strides[judge_below(d->r, 4)];
			o->vstride = strides[judge_below(d->r, 7)];
		}
		if (judge_chance(d->r, 50))
			o->subreg = judge_below(d->r, 32 / size) * size;
		if (o->vstride <= 32 && region_is_legal(d, o))
			return true;
	}
	return false;
}

/* 64 bits (Broxton Vol 6, 6): strides of a qword, the same offset everywhere but with scalars. */
static void quad_region(struct draft *d, struct isa_operand *o)
{
	if (judge_chance(d->r, 25)) {
		scalar(o);
		o->subreg = judge_below(d->r, 32 / size_of(o->type)) * size_of(o->type);
	} else {
		contiguous(d, o, 8 / size_of(o->type));
		o->subreg = 0;
	}
}

static void packed_region(struct draft *d, struct isa_operand *o)
{
	if (judge_chance(d->r, 20)) {
		scalar(o);
		o->subreg = judge_below(d->r, 32 / size_of(o->type)) * size_of(o->type);
	} else {
		contiguous(d, o, 1);
	}
}

static bool align16_region(struct draft *d, struct isa_operand *o)
{
	o->subreg = d->inst->exec_size == 4 && judge_chance(d->r, 40) ? 16 : 0;
	o->swizzle = judge_chance(d->r, 40) ? 0xe4 : judge_next(d->r);
	o->vstride = judge_chance(d->r, 15) ? 0 : 4;
	o->width = 4;
	o->hstride = 1;
	return true;
}

/* Three sources in Align16: rows of four, or one element for all channels. */
static void three16_region(struct draft *d, struct isa_operand *o)
{
	unsigned int size = size_of(o->type);

	o->swizzle = judge_chance(d->r, 50) || size == 8 ? 0xe4 : judge_next(d->r);
	o->replicate = judge_chance(d->r, 25);
	if (o->replicate)
		o->subreg = judge_below(d->r, 32 / size) * size;
	else
		o->subreg = d->inst->exec_size * size <= 16 && judge_chance(d->r, 30) ? 16 : 0;
	/* Halves of dwords are encoded on Gen9. */
	if (d->isa->gen < 80)
		o->subreg &= ~3u;
}

/* Three sources in Align1: DG1 Vol 2a; rows have the width that the strides imply. */
static bool three1_region(struct draft *d, unsigned int n, struct isa_operand *o)
{
	static const __u8 strides[] = { 0, 1, 2, 4 };
	static const __u8 shapes[][2] = { { 0, 0 }, { 1, 0 }, { 4, 1 }, { 8, 1 }, { 8, 2 }, { 4, 2 }, { 8, 4 } };
	unsigned int shape = judge_below(d->r, 7), size = size_of(o->type), width, i, at;

	o->subreg = judge_chance(d->r, 50) ? judge_below(d->r, 32 / size) * size : 0;
	if (n == 2) {
		o->vstride = 0;
		o->hstride = strides[judge_below(d->r, 4)];
		if (d->inst->exec_size == 1)
			o->hstride = 0;
		return o->subreg + (d->inst->exec_size - 1) * o->hstride * size + size <= 64;
	}
	o->vstride = shapes[shape][0];
	o->hstride = shapes[shape][1];
	width = o->hstride ? o->vstride / o->hstride : 1;
	if (width > d->inst->exec_size || (d->inst->exec_size == 1 && o->vstride))
		return false;
	for (i = 0; i < d->inst->exec_size; i++) {
		at = o->subreg + (i / width * o->vstride + i % width * o->hstride) * size;
		if (at + size > 64 || (at / 32 != (o->subreg + i / width * o->vstride * size) / 32))
			return false;
	}
	return true;
}

static bool may_be_immediate(const struct draft *d, unsigned int n)
{
	const struct isa_inst *inst = d->inst;
	unsigned int size = size_of(inst->src[n].type);

	if (d->rule->op == ISA_OP_MOVI || inst->src[n].type == ISA_TYPE_UB || inst->src[n].type == ISA_TYPE_B)
		return false;
	if (inst->form == ISA_FORM_THREE)
		return d->isa->gen >= 120 && n != 1 && size == 2 && !inst->src[2 - n].imm;
	if (d->rule->op == ISA_OP_MATH || d->rule->flags & (FOURS | PLANE))
		return false;
	if (d->rule->op == ISA_OP_F16TO32 || n + 1 != inst->nsources)
		return false;
	return size < 8 || (inst->nsources == 1 && d->isa->gen >= 80);
}

static void immediate(struct draft *d, unsigned int n)
{
	struct isa_operand *o = &d->inst->src[n];

	o->file = ISA_IMMEDIATE;
	o->abs = false;
	o->negate = false;
	o->imm = judge_element(d->r, o->type);
	if (d->inst->form == ISA_FORM_THREE) {
		o->imm &= 0xffff;
		return;
	}
	if (o->type == ISA_TYPE_F && d->exec_bytes == 4 && judge_chance(d->r, 20) && d->inst->nsources == 2) {
		o->type = ISA_TYPE_VF;
		o->imm = judge_next(d->r) & 0xffffffff;
	} else if (size_of(o->type) == 2 && o->type != ISA_TYPE_HF && judge_chance(d->r, 30) &&
		   d->inst->exec_size <= 16) {
		o->type = o->type == ISA_TYPE_W ? ISA_TYPE_V : ISA_TYPE_UV;
		o->imm = judge_next(d->r) & 0xffffffff;
	} else if (size_of(o->type) == 2) {
		o->imm = (o->imm & 0xffff) * 0x10001;
	} else if (size_of(o->type) == 4) {
		o->imm &= 0xffffffff;
	}
}

static bool pick_source(struct draft *d, unsigned int n)
{
	struct isa_operand *o = &d->inst->src[n];
	bool good;

	o->file = ISA_GRF;
	o->reg = judge_below(d->r, 124);
	o->mme = ISA_NO_MME;
	if (judge_op(d->isa, d->inst->op)->takes & ISA_TAKES_MODS && !(d->rule->flags & NO_MODS)) {
		o->abs = judge_chance(d->r, 15);
		o->negate = judge_chance(d->r, 20);
	}
	if (d->rule->flags & ABS_OF_SIGNED) {
		o->abs = o->type == ISA_TYPE_D;
		o->negate = false;
	}
	if (judge_chance(d->r, 25) && may_be_immediate(d, n)) {
		immediate(d, n);
		return true;
	}
	if (d->rule->flags & PLANE) {
		scalar(o);
		o->subreg = judge_below(d->r, 2) * 16;
		if (n == 1) {
			contiguous(d, o, 1);
			o->subreg = 0;
		}
		return true;
	}
	if (d->inst->form == ISA_FORM_THREE && d->inst->align16) {
		three16_region(d, o);
		return true;
	}
	if (three_align1(d))
		return three1_region(d, n, o);
	if (d->inst->align16)
		return align16_region(d, o);
	if (has_quad(d)) {
		quad_region(d, o);
		return true;
	}
	if (d->rule->flags & (PACKED | FOURS)) {
		packed_region(d, o);
		/* A dot product takes four elements, not one. */
		if (d->rule->flags & FOURS && !o->hstride)
			contiguous(d, o, 1), o->subreg = 0;
		return true;
	}
	good = pick_region(d, o);
	return good;
}

/* A move of bytes without any change may be packed (3.3.9, 4.A). */
static bool is_raw_move(const struct draft *d)
{
	const struct isa_inst *inst = d->inst;

	return inst->op == ISA_OP_MOV && inst->dst.type == inst->src[0].type && !inst->src[0].abs &&
	       !inst->src[0].negate && !inst->saturate;
}

static bool pick_destination(struct draft *d)
{
	struct isa_operand *o = &d->inst->dst;
	unsigned int size = size_of(o->type), step = size, bytes;

	o->file = ISA_GRF;
	o->reg = judge_below(d->r, 124);
	o->mme = ISA_NO_MME;
	o->hstride = 1;
	o->write_mask = 15;
	if (d->inst->align16) {
		o->write_mask = d->inst->no_mask || size == 8 || judge_chance(d->r, 40) ? 15 :
				1 + judge_below(d->r, 15);
		o->subreg = d->inst->exec_size * size <= 16 && judge_chance(d->r, 30) ? 16 : 0;
		return true;
	}
	if (has_quad(d)) {
		o->hstride = 8 / size;
		o->subreg = 0;
		return o->hstride <= 4;
	}
	if (size < d->exec_bytes && !(size == 1 && is_raw_move(d) && judge_chance(d->r, 50))) {
		o->hstride = d->exec_bytes / size;
		step = d->exec_bytes;
	} else if (d->rule->flags & (PACKED | PLANE) || three_align1(d)) {
		step = 32;
	} else if (size < 4 && judge_chance(d->r, 20)) {
		o->hstride = 2;
	}
	if (d->rule->flags & STRIDE2) {
		o->hstride = 2;
		step = 4;
	}
	if (three_align1(d) && o->hstride > 2)
		return false;
	bytes = d->inst->exec_size * o->hstride * size;
	if (bytes > 64 || o->hstride > 4)
		return false;
	o->subreg = bytes <= 32 && step < 32 && judge_chance(d->r, 50) ?
			    judge_below(d->r, (32 - bytes) / step + 1) * step : 0;
	/* 3.3.9, 4.B: bytes may be the second lowest of their channel. */
	if (size == 1 && o->hstride > 1 && judge_chance(d->r, 30))
		o->subreg++;
	return true;
}

/* Registers of an operand, as a mask of what it touches around its first one. */
static unsigned int touched(const struct draft *d, const struct isa_operand *o, bool destination)
{
	unsigned int n, at, last = 0;

	for (n = 0; n < d->inst->exec_size; n++) {
		if (destination)
			at = o->subreg + n * o->hstride * size_of(o->type);
		else if (d->inst->align16 || d->inst->form == ISA_FORM_THREE)
			at = o->subreg + (o->replicate ? 0 : n * size_of(o->type) * (o->hstride ? o->hstride : 1));
		else
			at = offset_in(d, o, n);
		if (at / 32 > last)
			last = at / 32;
	}
	return last + 1;
}

/*
 * With operands of two registers the hardware executes in two steps, so a destination in the way of a source is a
 * matter of order: 3.3.9, and Broxton Vol 6, "Special Restrictions".
 */
static bool overlaps(const struct draft *d)
{
	const struct isa_inst *inst = d->inst;
	unsigned int n, dst = touched(d, &inst->dst, true), src;

	for (n = 0; n < inst->nsources; n++) {
		const struct isa_operand *o = &inst->src[n];

		if (o->file != inst->dst.file || o->file == ISA_IMMEDIATE)
			continue;
		src = d->rule->flags & PLANE ? 4 : touched(d, o, false);
		if ((dst > 1 || src > 1) && o->reg < inst->dst.reg + dst && inst->dst.reg < o->reg + src)
			return true;
	}
	return false;
}

/* 3.3.9, 3.C to 3.E: how sources of two registers go with destinations of one or two. */
static bool halves_match(const struct draft *d)
{
	const struct isa_inst *inst = d->inst;
	unsigned int n, i, half = inst->exec_size / 2, dst = touched(d, &inst->dst, true), two;
	unsigned int size = size_of(inst->dst.type);

	if (inst->align16 || inst->form == ISA_FORM_THREE)
		return true;
	if (dst == 2 && (inst->dst.subreg + half * inst->dst.hstride * size) / 32 != 1)
		return false;
	if (dst == 2 && (inst->dst.subreg + (half - 1) * inst->dst.hstride * size) / 32 != 0)
		return false;
	for (n = 0; n < inst->nsources; n++) {
		const struct isa_operand *o = &inst->src[n];

		if (o->file == ISA_IMMEDIATE || (!o->vstride && !o->hstride))
			continue;
		if (dst == 1 && touched(d, o, false) == 1)
			continue;
		/* Each half of the channels from one register, with the same offset. */
		two = touched(d, o, false) == 2;
		for (i = 0; i < half; i++) {
			if (offset_in(d, o, i) / 32 != 0 || offset_in(d, o, half + i) / 32 != two)
				return false;
			if (two && offset_in(d, o, i) % 32 != offset_in(d, o, half + i) % 32)
				return false;
		}
		/* Two destination registers from one of the source: packed words to packed dwords on Gen7. */
		if (dst == 2 && !two && d->isa->gen < 80 &&
		    !(size_of(o->type) == 2 && size == 4 && o->hstride == 1))
			return false;
	}
	return true;
}

static void pick_flags(struct draft *d)
{
	static const __u8 equality[] = { 1, 2 }, ordered[] = { 1, 2, 3, 4, 5, 6 }, all[] = { 1, 2, 3, 4, 5, 6, 8, 9 };
	struct isa_inst *inst = d->inst;
	const struct isa_op *op = judge_op(d->isa, inst->op);
	bool compares = inst->op == ISA_OP_CMP || inst->op == ISA_OP_SEL || inst->op == ISA_OP_CSEL;
	bool no_overflow = inst->op == ISA_OP_LRP || size_of(inst->dst.type) == 8;
	bool same = inst->op != ISA_OP_MOV || inst->dst.type == inst->src[0].type;

	inst->flag = d->isa->gen < 70 ? 0 : judge_below(d->r, 2);
	inst->flag_subreg = inst->channel_offset < 16 && inst->exec_size <= 16 && judge_chance(d->r, 30);
	if (op->takes & ISA_TAKES_CMOD && !(d->rule->flags & NO_COND) && same &&
	    (d->rule->flags & NEEDS_COND || judge_chance(d->r, 40))) {
		if (d->rule->flags & EQUALITY)
			inst->cond = equality[judge_below(d->r, 2)];
		else if (inst->op == ISA_OP_CMPN)
			inst->cond = 4 + judge_below(d->r, 2);
		else if (compares)
			inst->cond = ordered[judge_below(d->r, 6)];
		else
			inst->cond = all[judge_below(d->r, no_overflow ? 6 : 8)];
	}
	if (inst->exec_size == 32 && d->isa->gen < 80)
		return;
	if (inst->op == ISA_OP_SEL ? !inst->cond : op->takes & ISA_TAKES_PRED && judge_chance(d->r, 35)) {
		inst->predicate_inverse = judge_chance(d->r, 40);
		inst->predicate = 1;
		if (judge_chance(d->r, 50))
			inst->predicate = 1 + judge_below(d->r, inst->align16 ? 7 : d->isa->gen < 70 ? 11 : 13);
		/* All 32 channels have the whole flag register. */
		if (!inst->align16 && inst->predicate >= 12)
			inst->flag_subreg = 0;
		/* The manuals at hand do not describe "any" and "all" across flags of Gen7.5. */
		if (!inst->align16 && (inst->predicate == 2 || inst->predicate == 3)) {
			if (d->isa->gen == 75)
				inst->predicate = 1;
			if (d->isa->gen < 80) {
				inst->flag = 0;
				inst->flag_subreg = 0;
			}
		}
	}
}

static void pick_channels(struct draft *d)
{
	struct isa_inst *inst = d->inst;

	inst->no_mask = judge_chance(d->r, 20);
	if (inst->exec_size == 8 && judge_chance(d->r, 40))
		inst->channel_offset = judge_below(d->r, d->isa->gen < 70 ? 2 : 4) * 8;
	else if (inst->exec_size == 16 && d->isa->gen >= 80 && judge_chance(d->r, 30))
		inst->channel_offset = 16;
	else if (inst->exec_size == 4 && d->isa->gen >= 80 && judge_chance(d->r, 30))
		inst->channel_offset = judge_below(d->r, 8) * 4;
}

static bool can_use_acc(const struct draft *d)
{
	const struct isa_inst *inst = d->inst;
	unsigned int type = inst->dst.type, size = size_of(type);

	if (inst->align16 || size != d->exec_bytes || inst->dst.hstride != 1 || inst->channel_offset % 8)
		return false;
	if (is_float(type))
		return type == ISA_TYPE_F && inst->exec_size + inst->channel_offset % 16 <= 16;
	return size == 4 ? inst->exec_size <= 8 : size == 2 && inst->exec_size <= 16 && inst->channel_offset % 16 == 0;
}

static bool pick_accumulator(struct draft *d)
{
	struct isa_inst *inst = d->inst;
	unsigned int flags = d->rule->flags;

	judge_fill_acc(d, inst->dst.type, true);
	if (flags & (ACC_READ | ACC_NEEDED) && !(inst->op == ISA_OP_SADA2) && !can_use_acc(d))
		return false;
	if (flags & ACC_NEEDED) {
		inst->acc_write = true;
		return true;
	}
	if (inst->op == ISA_OP_SADA2)
		return inst->channel_offset % 16 == 0;
	if (flags & (ACC_WRITE | ACC_READ) && can_use_acc(d) && judge_chance(d->r, 30)) {
		inst->acc_write = true;
		return true;
	}
	if (!(flags & ACC_OPERAND) || !can_use_acc(d) || judge_chance(d->r, 85))
		return true;
	/* An explicit one: acc0, the other operands packed. */
	if (inst->exec_size != 32 / size_of(inst->dst.type))
		return true;
	if (judge_chance(d->r, 50) && inst->dst.file == ISA_GRF) {
		inst->dst.file = ISA_ARF;
		inst->dst.reg = 0x20;
		inst->dst.subreg = 0;
		return true;
	}
	if (inst->src[0].file == ISA_IMMEDIATE || inst->src[0].type != inst->dst.type || inst->op == ISA_OP_MUL)
		return true;
	inst->src[0].file = ISA_ARF;
	inst->src[0].reg = 0x20;
	inst->src[0].subreg = 0;
	inst->src[0].abs = false;
	inst->src[0].negate = false;
	contiguous(d, &inst->src[0], 1);
	inst->dst.subreg = 0;
	judge_fill_acc(d, inst->dst.type, false);
	return true;
}

/* Other files than the general registers, now and then. */
static bool pick_files(struct draft *d)
{
	struct isa_inst *inst = d->inst;
	bool simple = inst->form == ISA_FORM_BASIC && !inst->align16 && inst->dst.file == ISA_GRF;

	if (inst->dst.file != ISA_GRF)
		return true;
	if (judge_chance(d->r, 8) && !(d->rule->flags & NO_NULL) && inst->form == ISA_FORM_BASIC && !inst->align16) {
		inst->dst.file = ISA_ARF;
		inst->dst.reg = 0;
		inst->dst.subreg = 0;
		return true;
	}
	if (judge_chance(d->r, 5) && d->isa->gen < 70 && inst->op != ISA_OP_MOVI && inst->op != ISA_OP_MATH) {
		inst->dst.file = ISA_MRF;
		inst->dst.reg %= 14;
		return true;
	}
	if (!simple || (inst->op != ISA_OP_MOV && inst->op != ISA_OP_AND && inst->op != ISA_OP_ADD) || inst->cond ||
	    inst->acc_write || is_float(inst->dst.type) || size_of(inst->dst.type) != 2 || inst->dst.hstride != 1)
		return true;
	if (judge_chance(d->r, 30) && inst->exec_size <= (d->isa->gen < 80 ? 8 : 16) && d->exec_bytes == 2) {
		inst->dst.file = ISA_ARF;
		inst->dst.reg = 0x10;
		inst->dst.subreg = 0;
	} else if (judge_chance(d->r, 30) && inst->exec_size == 1 && d->exec_bytes == 2 && !inst->predicate) {
		inst->dst.file = ISA_ARF;
		inst->dst.reg = 0x30 + (d->isa->gen < 70 ? 0 : judge_below(d->r, 2));
		inst->dst.subreg = judge_below(d->r, 2) * 2;
	}
	return true;
}

/* a0 and flags as sources, and indirect operands. */
static void source_from_arf(struct draft *d)
{
	struct isa_operand *o = &d->inst->src[0];
	bool flag = judge_chance(d->r, 50);

	if (d->inst->form != ISA_FORM_BASIC || d->inst->align16 || o->file != ISA_GRF || o->indirect ||
	    o->type != ISA_TYPE_UW || d->inst->op == ISA_OP_CMP || d->rule->flags & (STRIDE2 | FOURS) ||
	    judge_chance(d->r, 70))
		return;
	o->file = ISA_ARF;
	scalar(o);
	o->reg = flag ? 0x30 + (d->isa->gen < 70 ? 0 : judge_below(d->r, 2)) : 0x10;
	o->subreg = judge_below(d->r, flag ? 2 : 8) * 2;
}

static void set_address(struct draft *d, unsigned int subreg, int byte, int imm)
{
	d->state->address[subreg] = byte - imm;
}

static bool make_source_indirect(struct draft *d)
{
	struct isa_inst *inst = d->inst;
	struct isa_operand *o = &inst->src[0];
	unsigned int rows, row, size = size_of(o->type), width;
	int imm = (int)judge_below(d->r, 64) - 32;
	bool many = judge_chance(d->r, 50);

	/* Two registers are two indices before Gen8 (3.3.9, 6.A). */
	if (touched(d, &inst->dst, true) > 1 || touched(d, o, false) > 1)
		return true;
	imm *= size;
	o->reg = 5 + judge_below(d->r, 118);
	o->indirect = true;
	o->addr_imm = imm;
	o->addr_subreg = 0;
	if (!many) {
		set_address(d, 0, o->reg * 32 + o->subreg, imm);
		o->subreg = 0;
		o->reg = 0;
		return true;
	}
	width = o->width;
	rows = inst->exec_size / width;
	if (rows > (d->isa->gen < 80 ? 6 : 14) || inst->exec_size == 32)
		return false;
	o->vstride = ISA_VXH;
	for (row = 0; row < rows; row++) {
		unsigned int span = ((width - 1) * o->hstride + 1) * size;
		unsigned int subreg = judge_below(d->r, (32 - span) / size + 1) * size;

		set_address(d, row, (5 + judge_below(d->r, 118)) * 32 + subreg, imm);
	}
	o->subreg = 0;
	o->reg = 0;
	return true;
}

static bool make_indirect(struct draft *d)
{
	struct isa_inst *inst = d->inst;
	unsigned int last = d->isa->gen < 80 ? 7 : 15;
	int imm;

	if (inst->form != ISA_FORM_BASIC || inst->align16 || has_quad(d) || d->rule->flags & (PLANE | FOURS | STRIDE2))
		return true;
	if (judge_chance(d->r, 10) && inst->src[0].file == ISA_GRF && inst->dst.file == ISA_GRF &&
	    !make_source_indirect(d))
		return false;
	if (judge_chance(d->r, 6) && inst->dst.file == ISA_GRF && touched(d, &inst->dst, true) == 1) {
		imm = ((int)judge_below(d->r, 16) - 8) * 4;
		set_address(d, last, (5 + judge_below(d->r, 118)) * 32 + inst->dst.subreg, imm);
		inst->dst.indirect = true;
		inst->dst.addr_subreg = last;
		inst->dst.addr_imm = imm;
		inst->dst.reg = 0;
		inst->dst.subreg = 0;
	}
	return true;
}

/* movi: all indices in one register. */
static void draft_movi(struct draft *d)
{
	struct isa_inst *inst = d->inst;
	struct isa_operand *o = &inst->src[0];
	unsigned int i, size = size_of(o->type), reg = 1 + judge_below(d->r, 120);

	inst->exec_size = 1 << judge_below(d->r, 4);
	inst->cond = 0;
	inst->nsources = 1;
	o->file = ISA_GRF;
	o->indirect = true;
	o->vstride = 1;
	o->width = 1;
	for (i = 0; i < 8; i++)
		d->state->address[i] = reg * 32 + judge_below(d->r, 32 / size) * size;
	inst->dst.file = ISA_GRF;
	inst->dst.reg = 1 + judge_below(d->r, 120);
	inst->dst.hstride = 1;
	pick_flags(d);
	/* Gen12 has an offset in a second source; null: none. */
	if (d->isa->gen >= 120) {
		inst->nsources = 2;
		inst->src[1].file = ISA_ARF;
		inst->src[1].type = o->type;
		inst->src[1].width = 1;
	}
}

static bool draft_operands(struct draft *d)
{
	struct isa_inst *inst = d->inst;
	unsigned int n;

	if (!pick_types(d))
		return false;
	find_exec_bytes(d);
	if (d->rule->flags & NO_WIDENING && size_of(inst->dst.type) > d->exec_bytes)
		return false;
	if (inst->form == ISA_FORM_THREE && d->isa->gen < 110)
		inst->align16 = true;
	else if (d->isa->gen < 110 && !(d->rule->flags & NO_ALIGN16) && d->exec_bytes == 4 &&
		 size_of(inst->dst.type) == 4 && size_of(inst->src[0].type) == 4 &&
		 (inst->nsources < 2 || size_of(inst->src[1].type) == 4))
		inst->align16 = judge_chance(d->r, 20);
	if (!pick_exec_size(d))
		return false;
	if (d->rule->op == ISA_OP_MOVI) {
		draft_movi(d);
		return true;
	}
	pick_channels(d);
	if (judge_op(d->isa, inst->op)->takes & ISA_TAKES_SAT && !(d->rule->flags & NO_SAT))
		inst->saturate = judge_chance(d->r, 25);
	/* Saturated shifts of dwords are not predictable, nor are the sign and overflow of products of dwords. */
	if (inst->op == ISA_OP_SHL && size_of(inst->dst.type) == 4)
		inst->saturate = false;
	for (n = 0; n < inst->nsources; n++)
		if (!pick_source(d, n))
			return false;
	if (!pick_destination(d))
		return false;
	pick_flags(d);
	if (overlaps(d) || !halves_match(d) || !pick_accumulator(d) || !pick_files(d))
		return false;
	source_from_arf(d);
	return make_indirect(d);
}

bool judge_draft(struct judge_random *r, struct judge_case *c)
{
	struct draft d = { r, c->part->isa, NULL, &c->inst, &c->state, 0 };
	unsigned int i;

	memset(&c->inst, 0, sizeof(c->inst));
	memset(&c->state, 0, sizeof(c->state));
	for (i = 0; i < 16; i++)
		c->state.address[i] = i < 8 || d.isa->gen >= 80 ? judge_below(r, 4096) : 0;
	do
		d.rule = &judge_rules[judge_below(r, judge_nrules)];
	while (d.isa->gen < d.rule->first || d.isa->gen > d.rule->last || !judge_op(d.isa, d.rule->op));
	c->inst.op = d.rule->op;
	c->inst.form = judge_op(d.isa, d.rule->op)->form;
	c->inst.function = d.rule->function;
	c->inst.nsources = sources_of(d.isa, d.rule);
	c->inst.exec_size = 1;
	if (c->inst.op != ISA_OP_NOP && !draft_operands(&d))
		return false;
	judge_fill_registers(&d);
	judge_fill_controls(&d);
	return judge_encode(d.isa, &c->inst, c->word);
}
