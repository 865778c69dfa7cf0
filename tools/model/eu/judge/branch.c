// SPDX-License-Identifier: MIT
/**
 * DOC: Random branches, calls and returns
 *
 * One branch, with channels that run and others that wait ahead. The program around it is zeros, which are illegal
 * instructions of 16 bytes; so is the while that break leaves. Offsets are immediate, or in a register where a manual
 * has that. Some are in single program flow, where the flags are the same in all channels.
 */
#include <string.h>

#include "judge.h"
#include "made.h"

#define IP 256

enum branch_flags {
	PREDICATED = 1 << 0,
	BACKWARD = 1 << 1,
	IN_REGISTER = 1 << 2,	/* from Gen9 on; Gen7's errata forbid it for brc and brd */
	ALWAYS_IN_REGISTER = 1 << 3,
	CALLS = 1 << 4,
	ONE_TARGET = 1 << 5,	/* in single program flow the manuals do not say which of two */
};

static const struct {
	__u8 op, first;
	unsigned int flags;
} branches[] = {
	{ ISA_OP_IF, 60, PREDICATED },
	{ ISA_OP_ELSE, 60, 0 },
	{ ISA_OP_ENDIF, 60, 0 },
	{ ISA_OP_WHILE, 60, PREDICATED | BACKWARD },
	{ ISA_OP_BREAK, 60, PREDICATED },
	{ ISA_OP_CONT, 60, PREDICATED },
	{ ISA_OP_HALT, 60, PREDICATED },
	{ ISA_OP_JMPI, 60, PREDICATED | IN_REGISTER },
	{ ISA_OP_BRD, 70, PREDICATED | IN_REGISTER },
	{ ISA_OP_BRC, 70, PREDICATED | IN_REGISTER | ONE_TARGET },
	{ ISA_OP_GOTO, 80, PREDICATED | ONE_TARGET },
	{ ISA_OP_JOIN, 80, 0 },
	{ ISA_OP_CALL, 60, PREDICATED | CALLS | IN_REGISTER },
	{ ISA_OP_CALLA, 75, PREDICATED | CALLS },
	{ ISA_OP_RET, 60, PREDICATED | CALLS | ALWAYS_IN_REGISTER },
};

#define BRANCHES (sizeof(branches) / sizeof(branches[0]))

bool judge_makes_branch(const struct isa_gen *isa, unsigned int op)
{
	unsigned int i;

	for (i = 0; i < BRANCHES; i++)
		if (branches[i].op == op)
			return isa->gen >= branches[i].first && judge_op(isa, op);
	return false;
}

static bool single_flow(const struct judge_case *c)
{
	return c->state.cr[0] & 1 << 2;
}

static void pick_masks(struct judge_random *r, struct judge_case *c, bool calls)
{
	struct eu_ref_state *s = &c->state;
	unsigned int n, width = c->inst.op == ISA_OP_JMPI || calls ? 16 : c->inst.exec_size;

	judge_fill_flags(r, c);
	if (single_flow(c) || judge_chance(r, 15))
		memset(s->flag, judge_chance(r, 50) ? 0xff : 0, sizeof(s->flag));
	if (c->part->isa->gen < 70)
		s->flag[1] = 0;
	s->dispatch_mask = judge_chance(r, 50) ? ~0u : (__u32)judge_next(r);
	s->dispatch_mask = (s->dispatch_mask & ~0u >> (32 - width)) | 1;
	s->call_mask = judge_next(r) & judge_next(r);
	s->ip = IP;
	/* Channel 0 runs; others wait where the branch goes, or ahead of it. */
	for (n = 0; n < EU_REF_CHANNELS; n++) {
		s->pcip[n] = IP;
		if (n && judge_chance(r, 30))
			s->pcip[n] = IP + 16 + 16 * judge_below(r, 5);
		if (s->pcip[n] == IP && judge_chance(r, 80))
			s->call_mask |= 1u << n;
		else if (s->pcip[n] != IP && calls && judge_chance(r, 80))
			s->call_mask &= ~(1u << n);
	}
}

static void put_dword(struct judge_case *c, const struct isa_operand *o, unsigned int n, __u32 value)
{
	memcpy(c->state.grf + o->reg * 32 + o->subreg + 4 * n, &value, 4);
}

/* Two dwords, or the first of them. */
static struct isa_operand pair(struct judge_random *r)
{
	return (struct isa_operand){ .file = ISA_GRF, .type = ISA_TYPE_D, .reg = judge_below(r, 128),
				     .subreg = 8 * judge_below(r, 4), .mme = ISA_NO_MME, .vstride = 2, .width = 2,
				     .hstride = 1 };
}

static void offset_in_register(struct judge_random *r, struct judge_case *c)
{
	struct isa_inst *inst = &c->inst;
	unsigned int unit = inst->op == ISA_OP_JMPI && c->part->isa->gen < 75 ? 8 : 1;
	unsigned int next = inst->op == ISA_OP_JMPI && c->part->isa->gen < 120 ? 16 : 0;

	inst->src[0] = pair(r);
	if (inst->op == ISA_OP_JMPI) {
		inst->src[0].vstride = 0;
		inst->src[0].width = 1;
		inst->src[0].hstride = 0;
	}
	inst->njumps = 0;
	inst->nsources = 1;
	put_dword(c, &inst->src[0], 0, (inst->jump[0] - next) / unit);
	put_dword(c, &inst->src[0], 1, inst->jump[1]);
}

/* The address to return to and CallMask. */
static void link(struct judge_random *r, struct judge_case *c)
{
	struct isa_inst *inst = &c->inst;

	inst->src[0] = pair(r);
	inst->njumps = 0;
	inst->nsources = 1;
	put_dword(c, &inst->src[0], 0, IP + c->inst.jump[0]);
	put_dword(c, &inst->src[0], 1, judge_next(r));
}

/* Gen6: if and while compare their sources, which have no modifiers and one type. */
static void compare_sources(struct judge_random *r, struct judge_case *c)
{
	static const __u8 types[] = { ISA_TYPE_D, ISA_TYPE_UD, ISA_TYPE_W, ISA_TYPE_UW, ISA_TYPE_F };
	unsigned int type = types[judge_below(r, sizeof(types))], n, at, size = isa_types[type].size;
	__u64 bits;

	c->inst.predicate = 0;
	c->inst.predicate_inverse = false;
	c->inst.cond = 1 + judge_below(r, 6);
	c->inst.nsources = 2;
	for (n = 0; n < 2; n++) {
		struct isa_operand *o = &c->inst.src[n];

		*o = (struct isa_operand){ .file = ISA_GRF, .type = type, .reg = 2 * judge_below(r, 62),
					   .mme = ISA_NO_MME, .width = 8, .vstride = 8, .hstride = 1 };
		if (judge_chance(r, 25)) {
			o->vstride = 0;
			o->width = 1;
			o->hstride = 0;
			o->subreg = judge_below(r, 32 / size) * size;
		}
		for (at = 0; at < 64; at += size) {
			bits = judge_chance(r, 40) ? judge_below(r, 3) : judge_element(r, type);
			memcpy(c->state.grf + o->reg * 32 + at, &bits, size);
		}
		if (n && size == 4 && judge_chance(r, 30)) {
			*o = (struct isa_operand){ .file = ISA_IMMEDIATE, .type = type };
			o->imm = judge_chance(r, 40) ? judge_below(r, 3) : judge_element(r, type) & 0xffffffff;
		}
	}
}

static void pick_jumps(struct judge_random *r, struct judge_case *c, unsigned int flags)
{
	struct isa_inst *inst = &c->inst;

	inst->njumps = judge_op(c->part->isa, inst->op)->sources;
	if (flags & CALLS)
		inst->njumps = 1;
	inst->jump[0] = 32 + 16 * (int)judge_below(r, 3);
	if (flags & BACKWARD || (flags & CALLS && judge_chance(r, 30)))
		inst->jump[0] = -16 * (1 + (int)judge_below(r, 4));
	inst->jump[1] = judge_chance(r, 30) ? inst->jump[0] : inst->jump[0] + 16 * (int)judge_below(r, 2);
	/* Without branch control, else has one target. */
	if (inst->op == ISA_OP_ELSE || (flags & ONE_TARGET && single_flow(c)))
		inst->jump[1] = inst->jump[0];
	inst->branch_ctrl = inst->op == ISA_OP_GOTO && judge_chance(r, 50);
}

static unsigned int pick_size(struct judge_random *r, const struct judge_case *c, unsigned int flags)
{
	if (c->inst.op == ISA_OP_JMPI)
		return 1;
	/* 6.15: "the execution size must be 2". */
	if (flags & CALLS && c->part->isa->gen < 80)
		return 2;
	if (flags & CALLS)
		return 16;
	return 8u << judge_below(r, c->part->isa->gen < 80 ? 2 : 3);
}

static void pick_operands(struct judge_random *r, struct judge_case *c, unsigned int flags)
{
	if (flags & ALWAYS_IN_REGISTER)
		link(r, c);
	else if (flags & IN_REGISTER && (c->part->isa->gen >= 90 || c->inst.op == ISA_OP_JMPI) && judge_chance(r, 30))
		offset_in_register(r, c);
	if (c->inst.op == ISA_OP_CALLA)
		c->inst.jump[0] += IP;
	if (flags & CALLS && !(flags & ALWAYS_IN_REGISTER)) {
		c->inst.dst = pair(r);
		c->inst.dst.reg &= 126;
	}
}

bool judge_draft_branch(struct judge_random *r, struct judge_case *c)
{
	const struct isa_gen *isa = c->part->isa;
	unsigned int n = judge_below(r, BRANCHES), flags = branches[n].flags;

	judge_clear(r, c);
	if (!judge_makes_branch(isa, branches[n].op))
		return false;
	c->inst.op = branches[n].op;
	if (judge_chance(r, 15))
		c->state.cr[0] |= 1 << 2;
	c->inst.exec_size = pick_size(r, c, flags);
	c->inst.no_mask = c->inst.op == ISA_OP_JMPI;
	pick_jumps(r, c, flags);
	pick_operands(r, c, flags);
	if (flags & PREDICATED && judge_chance(r, 80))
		judge_pick_predicate(r, c);
	if (isa->gen < 70 && (c->inst.op == ISA_OP_IF || c->inst.op == ISA_OP_WHILE) && !single_flow(c) &&
	    judge_chance(r, 30))
		compare_sources(r, c);
	pick_masks(r, c, flags & CALLS);
	return judge_encode(isa, &c->inst, c->word);
}
