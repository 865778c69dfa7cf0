/* SPDX-License-Identifier: MIT */
/**
 * DOC: The driver's command parser, judged by the model's decoder
 *
 * There is one parser for Gen9's blitter, and one for each engine of Ivy Bridge and of Sandy Bridge. judge.c has the
 * parser's source in it and looks at single headers; fuzz.c makes batches, lets the parser check them, and walks
 * through the commands that the engine would execute. harm.c has a list of harmful commands that is independent of the
 * parser's table, so that it notices a mistake in that table.
 */
#ifndef _IGEN_PARSER_JUDGE_H_
#define _IGEN_PARSER_JUDGE_H_

#include "shim.h"
#include "igen_cmdparser.h"

/* The parsers. */
enum judged {
	JUDGE_GEN9_BCS,
	JUDGE_GEN7_RCS,
	JUDGE_GEN7_BCS,
	JUDGE_GEN7_VCS,
	JUDGE_GEN6_RCS,
	JUDGE_GEN6_BCS,
	JUDGE_GEN6_VCS,
};

/* The parser that is judged. */
extern enum judged judged;

/* Dwords of a batch at most, of the guard behind a copy, and of a client's object behind that. */
#define BATCH_DWORDS	512u
#define GUARD_DWORDS	1024u
#define BATCH_ADDR	0x10000000ull
#define SHADOW_ADDR	(judged < JUDGE_GEN6_RCS ? 0xfffff00000000000ull : 0x30000000ull)

/* The object of a client of Gen6 that batches may store to: its address, the one in the GGTT, and its bytes. */
#define STORE_ADDR	0x10300000u
#define STORE_GGTT	0x07654000u
#define STORE_BYTES	0x2000u

/* Why a client's batch may not execute a command of @len dwords on the engine; NULL when it may. */
const char *harm_of(const u32 *dw, unsigned int len);
const char *harm_of_gen7(const u32 *dw, unsigned int len);
const char *harm_of_gen6(const u32 *dw, unsigned int len);

/* The length of a command that is allowed: of Gen7, as stock i915 has it; of Gen6, for which it has no tables. */
u32 length_by_facts_gen7(u32 header);
u32 length_by_facts_gen6(u32 header);

/* Dwords that the engine takes for a command; 0 for a command that the engine does not have. */
unsigned int engine_length(u32 header);

/* Checks a batch as the driver does, and seals its copy, which has BATCH_DWORDS + GUARD_DWORDS; returns the errno. */
int judge_parse(struct igen_batch_check *check, u32 *shadow, const u32 *batch, u32 total);

/* Looks for harm in a batch that the parser has let through: NULL, or a text; sets the number of executed commands. */
const char *judge_walk(const struct igen_batch_check *check, u32 *shadow, unsigned int *executed);

/* Makes batches and judges them; returns how many were wrong. */
unsigned long fuzz(unsigned long count, u64 seed);

#endif
