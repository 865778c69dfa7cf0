// SPDX-License-Identifier: MIT
/**
 * DOC: Which opcodes are judged
 */
#include <stdio.h>

#include "made.h"
#include "rules.h"

/* In place of a function of math: an opcode other than math. */
#define NONE -1

/* Opcodes and functions of math that are not judged. */
static const struct {
	__u8 op;
	int function;
	const char *why;
} reasons[] = {
	{ ISA_OP_DIM, NONE, "no manual of Gen7.5 at hand" },
	{ ISA_OP_SMOV, NONE, "no manual at hand has it" },
	{ ISA_OP_MADM, NONE, "no manual at hand says what the bits of its accumulators are" },
	{ ISA_OP_MATH, ISA_MATH_INVM, "no manual at hand says what the bits of its accumulators are" },
	{ ISA_OP_MATH, ISA_MATH_RSQTM, "no manual at hand says what the bits of its accumulators are" },
	{ ISA_OP_MATH, ISA_MATH_SINCOS, "the manual does not have it" },
	{ ISA_OP_CASE, NONE, "the interpreter does not have it, a program stops there" },
	{ ISA_OP_FORK, NONE, "the interpreter does not have it, a program stops there" },
};

static const char *reason(unsigned int op, int function)
{
	unsigned int i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].op == op && reasons[i].function == function)
			return reasons[i].why;
	return NULL;
}

static bool has_rule(const struct isa_gen *isa, unsigned int op, int function)
{
	unsigned int i;

	for (i = 0; i < judge_nrules; i++)
		if (judge_rules[i].op == op && (function < 0 || judge_rules[i].function == function) &&
		    isa->gen >= judge_rules[i].first && isa->gen <= judge_rules[i].last)
			return true;
	return false;
}

static bool judged(const struct isa_gen *isa, unsigned int op, int function)
{
	return has_rule(isa, op, function) || judge_makes_branch(isa, op) || judge_makes_thread(isa, op);
}

static bool list_one(const struct isa_gen *isa, unsigned int op, int function, const char *name, bool wanted,
		     FILE *out)
{
	const char *why = reason(op, function);

	if (judged(isa, op, function) != wanted)
		return true;
	if (wanted)
		fprintf(out, " %s%s", function < 0 ? "" : "math.", name);
	else
		fprintf(out, "  not judged: %s%s: %s\n", function < 0 ? "" : "math.", name, why ? why : "NO REASON");
	return wanted || why;
}

static bool list(const struct judge_part *part, bool wanted, FILE *out)
{
	const struct isa_gen *isa = part->isa;
	bool good = true;
	unsigned int i;

	for (i = 0; i < 128; i++)
		if (isa->ops[i].name && isa->ops[i].form != ISA_FORM_MATH)
			good &= list_one(isa, isa->ops[i].id, NONE, isa->ops[i].name, wanted, out);
	for (i = 0; i < 16; i++)
		if (isa->math[i].name)
			good &= list_one(isa, ISA_OP_MATH, isa->math[i].id, isa->math[i].name, wanted, out);
	return good;
}

bool judge_list(const struct judge_part *part, FILE *out)
{
	fprintf(out, "%s judged:", part->name);
	list(part, true, out);
	fputc('\n', out);
	return list(part, false, out);
}

bool judge_covered(const struct judge_part *part, const struct judge_counts *counts, FILE *out)
{
	const struct isa_gen *isa = part->isa;
	bool good = true;
	unsigned int i, op;

	for (i = 0; i < 128; i++) {
		op = isa->ops[i].id;
		if (!isa->ops[i].name || counts->ops[op] || (!judged(isa, op, NONE) && reason(op, NONE)))
			continue;
		fprintf(out, "# %s: %s was not judged\n", part->name, isa->ops[i].name);
		good = false;
	}
	return good;
}
