// SPDX-License-Identifier: MIT
/**
 * DOC: Random numbers and cases
 *
 * xorshift64*: the same numbers everywhere, so a seed that fails on one machine fails on another.
 */
#include "judge.h"

__u64 judge_next(struct judge_random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dull;
}

unsigned int judge_below(struct judge_random *r, unsigned int n)
{
	return (judge_next(r) >> 32) % n;
}

bool judge_chance(struct judge_random *r, unsigned int percent)
{
	return judge_below(r, 100) < percent;
}

void judge_make(const struct judge_part *part, __u64 seed, struct judge_case *c)
{
	/* Neighbouring seeds have nothing in common. */
	struct judge_random r = { (seed + 1) * 0x9e3779b97f4a7c15ull | 1 };
	unsigned int i;

	for (i = 0; i < 4; i++)
		judge_next(&r);
	c->part = part;
	c->seed = seed;
	while (judge_chance(&r, 5) ? !judge_draft_branch(&r, c) :
	       judge_chance(&r, 4) ? !judge_draft_thread(&r, c) : !judge_draft(&r, c))
		;
}
