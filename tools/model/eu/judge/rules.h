/* SPDX-License-Identifier: MIT */
/* What the judge's random instructions may be. */
#ifndef EU_JUDGE_RULES_H
#define EU_JUDGE_RULES_H

#include "judge.h"

enum rule_flags {
	SAME = 1 << 0,		/* destination and sources have one type */
	SAME_SOURCES = 1 << 1,
	NO_COND = 1 << 2,
	EQUALITY = 1 << 3,	/* .e and .ne alone */
	NEEDS_COND = 1 << 4,
	NO_SAT = 1 << 5,
	NO_MODS = 1 << 6,
	NO_ALIGN16 = 1 << 7,
	EIGHT = 1 << 8,		/* at most eight channels */
	ACC_WRITE = 1 << 9,	/* may write the accumulator */
	ACC_NEEDED = 1 << 10,	/* must */
	ACC_READ = 1 << 11,	/* reads it implicitly */
	ACC_OPERAND = 1 << 12,	/* src0 or dst may be one */
	PACKED = 1 << 13,	/* regions without gaps, from the start of a register or scalar */
	FOURS = 1 << 14,	/* dot products: at least four channels, horizontal stride 1 */
	PLANE = 1 << 15,	/* line and pln */
	NARROW_SECOND = 1 << 16, /* a dword and a word: the word is src1, on Gen6 src0 */
	STRIDE2 = 1 << 17,	/* destination with stride 2 */
	NO_NARROWING = 1 << 18,	/* the destination is not smaller than the sources */
	NO_WIDENING = 1 << 19,	/* nor greater */
	NO_NULL = 1 << 20,
	PAIRS = 1 << 21,	/* at least two channels */
	WORD_FACTOR = 1 << 22,	/* mad: src2 is a word */
	ABS_OF_SIGNED = 1 << 23, /* lzd: a signed source needs (abs) */
};

/**
 * struct rule - types and restrictions of an opcode
 * @op: enum isa_opcode
 * @function: of math, enum isa_math
 * @first: first generation
 * @last: last generation
 * @dst: types of the destination, a bit each
 * @src: types of the sources
 * @flags: enum rule_flags
 */
struct rule {
	__u8 op, function, first, last;
	__u32 dst, src;
	unsigned int flags;
};

/* Generations 6 to 12 are 60 to 120. */
extern const struct rule judge_rules[];
extern const unsigned int judge_nrules;

#endif
