/* SPDX-License-Identifier: MIT */
/* An instruction that is being made. */
#ifndef EU_JUDGE_DRAFT_H
#define EU_JUDGE_DRAFT_H

#include "rules.h"

/**
 * struct draft - an instruction that is being made
 * @r: random numbers
 * @isa: the generation
 * @rule: what it may be
 * @inst: what is decided
 * @state: registers that it finds
 * @exec_bytes: bytes of its execution type
 */
struct draft {
	struct judge_random *r;
	const struct isa_gen *isa;
	const struct rule *rule;
	struct isa_inst *inst;
	struct eu_ref_state *state;
	unsigned int exec_bytes;
};

static inline unsigned int size_of(unsigned int type)
{
	return isa_types[type].size;
}

static inline bool is_float(unsigned int type)
{
	return isa_types[type].kind == ISA_FLOAT || type == ISA_TYPE_VF;
}

/* Accumulators as their type has them, with what multiplications leave above it if @wide. */
void judge_fill_acc(struct draft *d, unsigned int type, bool wide);

/* Random bits everywhere, and numbers of its type where a source is. */
void judge_fill_registers(struct draft *d);

/* Flags, float modes, masks and instruction pointers. */
void judge_fill_controls(struct draft *d);

#endif
