/* SPDX-License-Identifier: MIT */
/* What the makers of instructions without a rule share: branch.c and thread.c. */
#ifndef EU_JUDGE_MADE_H
#define EU_JUDGE_MADE_H

#include "judge.h"

/* The row of an opcode, or NULL. */
const struct isa_op *judge_op(const struct isa_gen *isa, unsigned int op);

/* Nothing is decided; random bits in the general and message registers. */
void judge_clear(struct judge_random *r, struct judge_case *c);

/* Random flags. */
void judge_fill_flags(struct judge_random *r, struct judge_case *c);

/* A predicate that the manuals define for the execution size. */
void judge_pick_predicate(struct judge_random *r, struct judge_case *c);

#endif
