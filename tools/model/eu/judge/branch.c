// SPDX-License-Identifier: MIT
/**
 * DOC: Random branches
 *
 * One branch, with channels that run and others that wait ahead. break is left to programs: where its channels go, the
 * instruction behind while, is not in the instruction. So are call and ret.
 */
#include <string.h>

#include "judge.h"

#define IP 256

static const struct {
	__u8 op, first;
	bool predicated, backward;
} branches[] = {
	{ ISA_OP_IF, 60, true, false }, { ISA_OP_ELSE, 60, false, false }, { ISA_OP_ENDIF, 60, false, false },
	{ ISA_OP_WHILE, 60, true, true }, { ISA_OP_CONT, 60, true, false }, { ISA_OP_HALT, 60, true, false },
	{ ISA_OP_JMPI, 60, true, false }, { ISA_OP_BRD, 70, true, false }, { ISA_OP_BRC, 70, true, false },
	{ ISA_OP_GOTO, 80, true, false }, { ISA_OP_JOIN, 80, false, false },
};

static unsigned int jumps_of(const struct isa_gen *isa, unsigned int op)
{
	unsigned int i;

	for (i = 0; i < 128; i++)
		if (isa->ops[i].name && isa->ops[i].id == op)
			return isa->ops[i].sources;
	return 0;
}

static void pick_masks(struct judge_random *r, struct judge_case *c)
{
	struct eu_ref_state *s = &c->state;
	unsigned int n, width = c->inst.op == ISA_OP_JMPI ? 16 : c->inst.exec_size;

	s->flag[0] = judge_next(r);
	s->flag[1] = c->part->isa->gen < 70 ? 0 : judge_next(r);
	if (judge_chance(r, 15))
		memset(s->flag, 0, sizeof(s->flag));
	if (judge_chance(r, 15))
		memset(s->flag, 0xff, sizeof(s->flag));
	if (c->part->isa->gen < 70)
		s->flag[1] = 0;
	s->dispatch_mask = judge_chance(r, 50) ? ~0u : (__u32)judge_next(r);
	s->dispatch_mask = (s->dispatch_mask & ~0u >> (32 - width)) | 1;
	s->ip = IP;
	/* Channel 0 runs; others wait where the branch goes, or ahead of it. */
	for (n = 0; n < EU_REF_CHANNELS; n++) {
		s->pcip[n] = IP;
		if (n && judge_chance(r, 30))
			s->pcip[n] = IP + 16 + 16 * judge_below(r, 5);
	}
}

bool judge_draft_branch(struct judge_random *r, struct judge_case *c)
{
	const struct isa_gen *isa = c->part->isa;
	unsigned int n = judge_below(r, sizeof(branches) / sizeof(branches[0])), shift;

	memset(&c->inst, 0, sizeof(c->inst));
	memset(&c->state, 0, sizeof(c->state));
	if (isa->gen < branches[n].first)
		return false;
	shift = c->part->isa->gen < 80 ? 2 : 3;
	c->inst.op = branches[n].op;
	c->inst.exec_size = c->inst.op == ISA_OP_JMPI ? 1 : 8u << judge_below(r, shift);
	c->inst.no_mask = c->inst.op == ISA_OP_JMPI;
	c->inst.njumps = jumps_of(isa, c->inst.op);
	c->inst.jump[0] = branches[n].backward ? -16 * (1 + (int)judge_below(r, 4)) : 32 + 16 * (int)judge_below(r, 3);
	c->inst.jump[1] = judge_chance(r, 30) ? c->inst.jump[0] : c->inst.jump[0] + 16 * (int)judge_below(r, 2);
	/* Without branch control, else has one target. */
	if (c->inst.op == ISA_OP_ELSE)
		c->inst.jump[1] = c->inst.jump[0];
	c->inst.branch_ctrl = c->inst.op == ISA_OP_GOTO && judge_chance(r, 50);
	if (branches[n].predicated && judge_chance(r, 80)) {
		c->inst.predicate = 1;
		c->inst.predicate_inverse = judge_chance(r, 30);
		c->inst.flag = isa->gen < 70 ? 0 : judge_below(r, 2);
		c->inst.flag_subreg = c->inst.exec_size <= 16 && judge_chance(r, 30);
	}
	pick_masks(r, c);
	return judge_encode(isa, &c->inst, c->word);
}
