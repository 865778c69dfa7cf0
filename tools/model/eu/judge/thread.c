// SPDX-License-Identifier: MIT
/**
 * DOC: Random messages, waits and exceptions
 *
 * A send of any target, whose lengths and registers the manuals allow: IVB Vol 4 Part 3, 6.56; DG1 Vol 2a "send". What
 * the message means is no matter here: the judge has the shared function's part, the same one on both sides.
 */
#include <string.h>

#include "judge.h"
#include "made.h"

#define IP 64
#define SIP 4096

static const __u8 threads[] = {
	ISA_OP_SEND, ISA_OP_SENDC, ISA_OP_SENDS, ISA_OP_SENDSC, ISA_OP_WAIT, ISA_OP_SYNC, ISA_OP_ILLEGAL,
};

bool judge_makes_thread(const struct isa_gen *isa, unsigned int op)
{
	unsigned int i;

	for (i = 0; i < sizeof(threads); i++)
		if (threads[i] == op)
			return judge_op(isa, op);
	return false;
}

const struct isa_op *judge_op(const struct isa_gen *isa, unsigned int op)
{
	unsigned int i;

	for (i = 0; i < 128; i++)
		if (isa->ops[i].name && isa->ops[i].id == op)
			return &isa->ops[i];
	return NULL;
}

void judge_clear(struct judge_random *r, struct judge_case *c)
{
	unsigned int i;
	__u64 bits;

	memset(&c->inst, 0, sizeof(c->inst));
	memset(&c->state, 0, sizeof(c->state));
	for (i = 0; i < EU_REF_GRF_BYTES; i += 8) {
		bits = judge_next(r);
		memcpy(c->state.grf + i, &bits, 8);
	}
	for (i = 0; i < EU_REF_MRF_BYTES && c->part->isa->gen < 70; i += 8) {
		bits = judge_next(r);
		memcpy(c->state.mrf + i, &bits, 8);
	}
}

void judge_fill_flags(struct judge_random *r, struct judge_case *c)
{
	c->state.flag[0] = judge_next(r);
	c->state.flag[1] = c->part->isa->gen < 70 ? 0 : judge_next(r);
}

void judge_pick_predicate(struct judge_random *r, struct judge_case *c)
{
	struct isa_inst *inst = &c->inst;
	unsigned int gen = c->part->isa->gen;

	inst->predicate = judge_chance(r, 70) ? 1 : 1 + judge_below(r, gen < 70 ? 11 : 13);
	inst->predicate_inverse = judge_chance(r, 30);
	inst->flag = gen < 70 ? 0 : judge_below(r, 2);
	inst->flag_subreg = inst->exec_size <= 16 && inst->channel_offset < 16 && judge_chance(r, 30);
	/* All 32 channels have the whole flag register. */
	if (inst->predicate >= 12)
		inst->flag_subreg = 0;
	if (inst->predicate != 2 && inst->predicate != 3)
		return;
	/* Of any and all across flags the manuals at hand do not tell for Gen7.5. */
	if (gen == 75)
		inst->predicate = 1;
	if (gen < 80) {
		inst->flag = 0;
		inst->flag_subreg = 0;
	}
}

static void pick_masks(struct judge_random *r, struct judge_case *c)
{
	struct eu_ref_state *s = &c->state;
	unsigned int n;

	judge_fill_flags(r, c);
	s->dispatch_mask = judge_chance(r, 50) ? ~0u : (__u32)judge_next(r);
	s->ip = IP;
	for (n = 0; n < EU_REF_CHANNELS; n++)
		s->pcip[n] = judge_chance(r, 75) ? IP : IP + 16 * (1 + judge_below(r, 4));
}

static void pick_channels(struct judge_random *r, struct judge_case *c)
{
	struct isa_inst *inst = &c->inst;

	inst->exec_size = 1u << judge_below(r, c->part->isa->gen < 80 ? 5 : 6);
	inst->no_mask = judge_chance(r, 20);
	if (inst->exec_size == 8 && judge_chance(r, 40))
		inst->channel_offset = judge_below(r, c->part->isa->gen < 70 ? 2 : 4) * 8;
	else if (inst->exec_size == 16 && c->part->isa->gen >= 80 && judge_chance(r, 30))
		inst->channel_offset = 16;
	if (judge_chance(r, 40))
		judge_pick_predicate(r, c);
}

static struct isa_operand register_of(unsigned int file, unsigned int reg)
{
	return (struct isa_operand){ .file = file, .type = ISA_TYPE_UD, .reg = reg, .mme = ISA_NO_MME, .vstride = 8,
				     .width = 8, .hstride = 1, .write_mask = 15 };
}

static unsigned int pick_target(struct judge_random *r, const struct isa_gen *isa)
{
	unsigned int target;

	do
		target = judge_below(r, 16);
	while (!isa->targets[target].name);
	return target;
}

/* A register that a0 names; a0.0 and a0.1 have the descriptor. Steps of addr_imm are 16 bytes from Gen9 on. */
static void make_indirect(struct judge_random *r, struct judge_case *c, struct isa_operand *o)
{
	int imm = ((int)judge_below(r, 32) - 16) * 16;

	/* Up to Gen7 a0 has 12 bits, and nowhere the sum wraps around. */
	if (o->reg * 32 - imm < 0 || o->reg * 32 - imm > 4095)
		imm = 0;
	o->indirect = true;
	o->addr_subreg = 2 + judge_below(r, c->part->isa->gen < 80 ? 6 : 14);
	o->addr_imm = imm;
	c->state.address[o->addr_subreg] = o->reg * 32 - imm;
	o->reg = 0;
}

static void set_address_dword(struct judge_case *c, unsigned int n, __u32 value)
{
	c->state.address[2 * n] = value;
	c->state.address[2 * n + 1] = value >> 16;
}

/* The lengths are @first, @second and @response registers. */
static void pick_descriptors(struct judge_random *r, struct judge_case *c, unsigned int first, unsigned int second,
			     unsigned int response)
{
	struct isa_inst *inst = &c->inst;
	unsigned int gen = c->part->isa->gen;
	bool two = inst->form == ISA_FORM_SPLIT || gen >= 120;
	__u32 desc = (judge_next(r) & 0xfffff) | response << 20 | first << 25;
	__u32 ex_desc = (judge_next(r) & 0xffff0000) | second << 6;

	inst->desc_is_reg = judge_chance(r, 30);
	inst->desc = desc;
	if (inst->desc_is_reg)
		set_address_dword(c, 0, desc | (__u32)judge_next(r) << 29);
	inst->ex_desc = two || gen >= 90 ? ex_desc : 0;
	if (!two)
		return;
	inst->ex_desc_is_reg = judge_chance(r, 30);
	inst->ex_desc_subreg = 1 + judge_below(r, 7);
	if (inst->ex_desc_is_reg)
		set_address_dword(c, inst->ex_desc_subreg, ex_desc | (judge_next(r) & 31));
}

/* The payload, in two blocks that do not overlap, with at most 15 registers together. */
static unsigned int pick_payload(struct judge_random *r, struct judge_case *c, unsigned int *second)
{
	struct isa_inst *inst = &c->inst;
	unsigned int gen = c->part->isa->gen, first = 1 + judge_below(r, 15), least = inst->eot ? 112 : 0, other;
	bool two = inst->form == ISA_FORM_SPLIT || gen >= 120;

	*second = two && first < 15 && judge_chance(r, 60) ? 1 + judge_below(r, 15 - first) : 0;
	if (gen < 70) {
		inst->src[0] = register_of(ISA_MRF, judge_below(r, 24 - first + 1));
		return first;
	}
	inst->src[0] = register_of(ISA_GRF, least + judge_below(r, 128 - least - first + 1));
	if (!two)
		return first;
	inst->nsources = 2;
	inst->src[1] = register_of(ISA_ARF, 0);
	if (!*second)
		return first;
	other = least + judge_below(r, 128 - least - *second + 1);
	if (other < inst->src[0].reg + first && inst->src[0].reg < other + *second)
		*second = 0;
	else
		inst->src[1] = register_of(ISA_GRF, other);
	return first;
}

static bool draft_send(struct judge_random *r, struct judge_case *c)
{
	struct isa_inst *inst = &c->inst;
	unsigned int first, second, response = 0;
	bool fixed = inst->form == ISA_FORM_SPLIT || c->part->isa->gen >= 120;

	pick_channels(r, c);
	inst->target = pick_target(r, c->part->isa);
	inst->eot = judge_chance(r, 10);
	first = pick_payload(r, c, &second);
	inst->dst = register_of(ISA_ARF, 0);
	if (!inst->eot && judge_chance(r, 70)) {
		response = 1 + judge_below(r, 16);
		inst->dst = register_of(ISA_GRF, judge_below(r, 128 - response + 1));
	}
	pick_descriptors(r, c, first, second, response);
	if (!fixed && !inst->eot && judge_chance(r, 20) && inst->src[0].file == ISA_GRF)
		make_indirect(r, c, &inst->src[0]);
	else if (!fixed && response && judge_chance(r, 20))
		make_indirect(r, c, &inst->dst);
	return true;
}

/* Counts of notifications: none, one, many. */
static __u32 pick_count(struct judge_random *r)
{
	return judge_chance(r, 70) ? judge_below(r, 3) : judge_next(r) & 0xffff;
}

static void draft_wait(struct judge_random *r, struct judge_case *c)
{
	struct isa_operand *o = &c->inst.src[0];

	c->inst.exec_size = 1;
	c->inst.nsources = 1;
	*o = register_of(ISA_ARF, 0x90);
	o->subreg = 4 * judge_below(r, 3);
	o->vstride = 0;
	o->width = 1;
	o->hstride = 0;
	c->inst.dst = *o;
	c->inst.dst.hstride = 1;
}

static void draft_sync(struct judge_random *r, struct judge_case *c)
{
	const struct isa_function *f;

	do
		f = &c->part->isa->sync[judge_below(r, 16)];
	while (!f->name);
	c->inst.function = f->id;
	c->inst.exec_size = 1;
}

bool judge_draft_thread(struct judge_random *r, struct judge_case *c)
{
	unsigned int op = threads[judge_below(r, sizeof(threads))], i;

	judge_clear(r, c);
	if (!judge_makes_thread(c->part->isa, op))
		return false;
	for (i = 0; i < 16; i++)
		c->state.address[i] = i < 8 || c->part->isa->gen >= 80 ? judge_below(r, 4096) : 0;
	for (i = 0; i < 3; i++)
		c->state.n[i] = pick_count(r);
	c->inst.op = op;
	c->inst.form = judge_op(c->part->isa, op)->form;
	if (op == ISA_OP_WAIT)
		draft_wait(r, c);
	else if (op == ISA_OP_SYNC)
		draft_sync(r, c);
	else if (op != ISA_OP_ILLEGAL && !draft_send(r, c))
		return false;
	c->inst.exec_size = c->inst.exec_size ? c->inst.exec_size : 1;
	c->state.cr[1] = judge_chance(r, 50) ? 1 << 12 : 0;
	c->state.sip = SIP;
	pick_masks(r, c);
	if (!c->inst.channel_offset && judge_chance(r, 15))
		c->state.cr[0] |= 1 << 2;
	return judge_encode(c->part->isa, &c->inst, c->word);
}
