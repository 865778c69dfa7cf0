/* SPDX-License-Identifier: MIT */
/* What the judge's runs of the interpreter share. */
#ifndef EU_JUDGE_RUN_H
#define EU_JUDGE_RUN_H

#include "eu.h"
#include "judge.h"

/* A program, which begins @start bytes from its base. */
struct judge_code {
	const void *bytes;
	size_t size;
	unsigned int start;
};

struct eu_core *judge_core(struct judge *judge);
const struct judge_part *judge_part(const struct judge *judge);

/* Gives a thread a program that the core has not seen; @code stays with the caller. */
void judge_place(struct judge *judge, struct eu_thread *thread, const struct judge_code *code);

#endif
