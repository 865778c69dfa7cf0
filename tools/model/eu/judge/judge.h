/* SPDX-License-Identifier: MIT */
/**
 * DOC: The judge of the execution units' interpreter
 *
 * rules.c, draft.c, branch.c and thread.c make random legal instructions, values.c what is in the registers, encode.c
 * encodes them, compare.c runs each on the reference (tools/isa/reference) and on the interpreter (tools/model/eu) and
 * compares the registers and what is sent. answer.c is the shared functions' part, the same for both. program.c makes
 * short structured programs with loops, branches and calls, and compares with what each channel computes alone.
 * opcodes.c lists the opcodes that are judged, and says why the others are not.
 */
#ifndef EU_JUDGE_H
#define EU_JUDGE_H

#include <stdio.h>

#include "isa.h"
#include "reference.h"

/* A part: a generation, and what it has. */
struct judge_part {
	const char *name;
	const struct isa_gen *isa;
	bool dword_mul;
};

extern const struct judge_part judge_parts[];
extern const unsigned int judge_nparts;

/**
 * struct judge_case - an instruction and what it finds
 * @part: the part
 * @seed: it was made from
 * @word: its bits
 * @inst: decoded
 * @state: registers
 */
struct judge_case {
	const struct judge_part *part;
	__u64 seed;
	__u64 word[2];
	struct isa_inst inst;
	struct eu_ref_state state;
};

struct judge_random {
	__u64 state;
};

__u64 judge_next(struct judge_random *r);
unsigned int judge_below(struct judge_random *r, unsigned int n);
bool judge_chance(struct judge_random *r, unsigned int percent);

/* A number of a type: often one at which something happens, as its bits. */
__u64 judge_element(struct judge_random *r, unsigned int type);

bool judge_encode(const struct isa_gen *isa, struct isa_inst *inst, __u64 word[2]);

/* An instruction by the manuals' restrictions, and the registers that it finds; false: try again. */
bool judge_draft(struct judge_random *r, struct judge_case *c);

/* judge_draft() for a branch or call, and for a message, wait or exception. */
bool judge_draft_branch(struct judge_random *r, struct judge_case *c);
bool judge_draft_thread(struct judge_random *r, struct judge_case *c);

/* Does the generation have the opcode, and one of these functions make it? */
bool judge_makes_branch(const struct isa_gen *isa, unsigned int op);
bool judge_makes_thread(const struct isa_gen *isa, unsigned int op);

/* A case from a seed: the same one each time. */
void judge_make(const struct judge_part *part, __u64 seed, struct judge_case *c);

/* Counts of a run. */
struct judge_counts {
	unsigned long cases, undefined, differ;
	unsigned long silent[EU_REF_SILENCES];
	unsigned long ops[ISA_OPS];
};

/* Prints the opcodes and functions of math that are judged, and why others are not; false: one has no reason. */
bool judge_list(const struct judge_part *part, FILE *out);

/* Prints an opcode that should have been judged in a run, and was not; false: there is one. */
bool judge_covered(const struct judge_part *part, const struct judge_counts *counts, FILE *out);

/**
 * judge_answer() - what the shared function does with a message
 * @m: the message; its payload is not used
 * @payload: the blocks of its payload, where the side that is judged has them
 * @response: where the answer goes, or NULL
 *
 * Every dword of the answer that is enabled depends on all of the message. It is written before the next part of the
 * payload is read, so a payload that lies under the answer shows.
 */
void judge_answer(const struct eu_ref_message *m, const __u8 *const payload[2], __u8 *response);

struct judge;

struct judge *judge_new(const struct judge_part *part);
void judge_free(struct judge *judge);

/* Runs a case on both; prints it if they differ, or if @verbose. */
bool judge_compare(struct judge *judge, const struct judge_case *c, bool verbose, struct judge_counts *counts,
		   FILE *out);

/* Runs a program made from a seed on the interpreter, and each channel of it alone. */
bool judge_program(struct judge *judge, __u64 seed, bool verbose, FILE *out);

#endif
