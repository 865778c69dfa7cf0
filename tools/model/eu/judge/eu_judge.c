// SPDX-License-Identifier: MIT
/**
 * DOC: The execution units' interpreter against its reference
 *
 *	eu_judge			each part, COUNT random instructions and programs
 *	eu_judge COUNT [FIRST]	the same with another count, from another seed on
 *	eu_judge --part PART [COUNT [FIRST]]	one part alone
 *	eu_judge PART SEED		one instruction again, with all registers
 *	eu_judge PART program SEED	one program again
 *	eu_judge --list [PART]	which opcodes are judged, and why others are not
 */
#include <stdlib.h>
#include <string.h>

#include "judge.h"

#define COUNT 20000
#define PROGRAMS 400
#define SHOWN 10

static unsigned int failures;

static const struct judge_part *find_part(const char *name)
{
	unsigned int i;

	for (i = 0; i < judge_nparts; i++)
		if (!strcmp(judge_parts[i].name, name))
			return &judge_parts[i];
	return NULL;
}

static void result(unsigned int n, bool good, const char *part, const char *what)
{
	printf("%sok %u %s %s\n", good ? "" : "not ", n, part, what);
	failures += !good;
}

static void print_counts(const struct judge_part *part, const struct judge_counts *counts)
{
	unsigned int i, ops = 0;

	for (i = 0; i < ISA_OPS; i++)
		ops += counts->ops[i] != 0;
	printf("# %s: %lu instructions of %u opcodes, %lu differ\n", part->name, counts->cases, ops, counts->differ);
	for (i = 0; i < EU_REF_SILENCES; i++)
		if (counts->silent[i])
			printf("#   %lu channels not compared: %s (%s)\n", counts->silent[i], eu_ref_silences[i].what,
			       eu_ref_silences[i].where);
}

/* Random instructions; the first that differ are shown. */
static bool instructions(struct judge *judge, const struct judge_part *part, unsigned long count, __u64 first)
{
	struct judge_counts counts = { 0 };
	struct judge_case c;
	FILE *none = fopen("/dev/null", "w");
	unsigned long i;

	for (i = 0; i < count && none; i++) {
		judge_make(part, first + i, &c);
		judge_compare(judge, &c, false, &counts, counts.differ + counts.undefined < SHOWN ? stderr : none);
	}
	if (none)
		fclose(none);
	print_counts(part, &counts);
	/* A run of the usual length has each opcode that can be made. */
	return counts.cases == count && !counts.differ && !counts.undefined &&
	       (count < COUNT || judge_covered(part, &counts, stdout));
}

static bool programs(struct judge *judge, const struct judge_part *part, unsigned long count, __u64 first)
{
	unsigned long i, failed = 0;

	for (i = 0; i < count && failed < SHOWN; i++)
		failed += !judge_program(judge, first + i, false, stderr);
	printf("# %s: %lu programs, %lu differ\n", part->name, i, failed);
	return !failed;
}

static void run_part(const struct judge_part *part, unsigned int n, unsigned long count, __u64 first)
{
	struct judge *judge = judge_new(part);

	result(n, judge && instructions(judge, part, count, first), part->name, "instructions");
	result(n + 1, judge && programs(judge, part, count / (COUNT / PROGRAMS), first), part->name, "programs");
	if (judge)
		judge_free(judge);
}

/* All parts, or one. */
static int run(const struct judge_part *only, unsigned long count, __u64 first)
{
	unsigned int i;

	printf("1..%u\n", only ? 2 : judge_nparts * 2);
	if (only)
		run_part(only, 1, count, first);
	for (i = 0; i < judge_nparts && !only; i++)
		run_part(&judge_parts[i], 2 * i + 1, count, first);
	return failures != 0;
}

static int again(const struct judge_part *part, bool program, __u64 seed)
{
	struct judge *judge = judge_new(part);
	struct judge_counts counts = { 0 };
	struct judge_case c;
	bool good;

	if (!judge)
		return 1;
	if (program) {
		good = judge_program(judge, seed, true, stdout);
	} else {
		judge_make(part, seed, &c);
		good = judge_compare(judge, &c, true, &counts, stdout);
	}
	judge_free(judge);
	printf("%s\n", good ? "the same" : "different");
	return !good;
}

/* Of all parts, or one; fails if an opcode is neither judged nor has a reason why not. */
static int list_opcodes(const struct judge_part *only)
{
	unsigned int i;
	bool good = true;

	for (i = 0; i < judge_nparts; i++)
		if (!only || only == &judge_parts[i])
			good &= judge_list(&judge_parts[i], stdout);
	return !good;
}

int main(int argc, char **argv)
{
	bool lists = argc > 1 && !strcmp(argv[1], "--list");
	bool alone = argc > 2 && !strcmp(argv[1], "--part");
	const struct judge_part *part = argc > 1 ? find_part(argv[1 + alone]) : NULL;

	if (lists && (argc == 2 || (argc == 3 && find_part(argv[2]))))
		return list_opcodes(argc > 2 ? find_part(argv[2]) : NULL);
	if (alone && part && argc < 6)
		return run(part, argc > 3 ? strtoul(argv[3], NULL, 0) : COUNT,
			   argc > 4 ? strtoull(argv[4], NULL, 0) : 1);
	if (part && argc == 3)
		return again(part, false, strtoull(argv[2], NULL, 0));
	if (part && argc == 4 && !strcmp(argv[2], "program"))
		return again(part, true, strtoull(argv[3], NULL, 0));
	if (lists || alone || argc > 3 || part || (argc > 1 && !strtoul(argv[1], NULL, 0))) {
		fprintf(stderr, "usage: %s [[--part PART] [COUNT [FIRST]]] | PART [program] SEED | --list [PART]\n",
			argv[0]);
		return 2;
	}
	return run(NULL, argc > 1 ? strtoul(argv[1], NULL, 0) : COUNT, argc > 2 ? strtoull(argv[2], NULL, 0) : 1);
}
