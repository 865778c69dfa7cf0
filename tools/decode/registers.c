// SPDX-License-Identifier: MIT
/**
 * DOC: Registers by offset
 *
 * Registers that are no engine's are looked for first: some lie within the block of an engine.
 */
#include <stdio.h>
#include <string.h>

#include "registers.h"

const struct igen_reg_set *igen_regs_by_gen(unsigned int gen)
{
	static const struct igen_reg_set *const sets[] = { &igen_regs_gen6, &igen_regs_gen7, &igen_regs_gen9 };
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (sets[i]->gen == gen)
			return sets[i];
	return NULL;
}

static bool covers(const struct igen_reg *r, __u32 offset)
{
	__u32 in = offset - r->offset;

	return offset >= r->offset && in < (__u32)r->count * r->stride && in % r->stride < r->dwords * 4u;
}

static const struct igen_reg *find(const struct igen_reg_set *set, unsigned int from, unsigned int to, __u32 offset,
				   unsigned int engines)
{
	unsigned int i;

	for (i = from; i < to; i++)
		if ((!engines || (set->regs[i].engines & engines)) && covers(&set->regs[i], offset))
			return &set->regs[i];
	return NULL;
}

/* Does a part's name fit the first @len characters of @pattern, a name or how names begin, "bxt*"? */
static bool fits(const char *pattern, size_t len, const char *part)
{
	bool begins = len && pattern[len - 1] == '*';

	return begins ? !strncmp(pattern, part, len - 1) : strlen(part) == len && !strncmp(pattern, part, len);
}

static bool is_among(const char *patterns, const char *part)
{
	while (patterns) {
		if (fits(patterns, strcspn(patterns, "|"), part))
			return true;
		patterns = strchr(patterns, '|');
		if (patterns)
			patterns++;
	}
	return false;
}

bool igen_reg_is_of(const struct igen_reg *r, const char *part)
{
	return r->part ? fits(r->part, strlen(r->part), part) : !is_among(r->others, part);
}

const struct igen_reg *igen_reg_at(const struct igen_reg_set *set, __u32 offset, const struct igen_reg_engine **engine)
{
	const struct igen_reg *r = find(set, 0, set->nglobal, offset, 0);
	unsigned int i;

	*engine = NULL;
	if (r)
		return r;
	for (i = 0; i < set->nengines; i++) {
		const struct igen_reg_engine *e = &set->engines[i];

		if (offset < e->base || offset - e->base >= set->block)
			continue;
		*engine = e;
		return find(set, set->nglobal, set->nregs, offset - e->base, 1u << e->engine);
	}
	return NULL;
}

const char *igen_reg_name(const struct igen_reg_set *set, __u32 offset, char *name, size_t size)
{
	const struct igen_reg_engine *engine;
	const struct igen_reg *r = igen_reg_at(set, offset, &engine);
	char index[16] = "", dword[16] = "";
	bool parens;
	__u32 in;

	if (!r)
		return NULL;
	in = offset - r->offset - (engine ? engine->base : 0);
	if (r->count > 1)
		snprintf(index, sizeof(index), "%u", in / r->stride);
	if (in % r->stride)
		snprintf(dword, sizeof(dword), "+%u", in % r->stride);
	parens = engine || r->count > 1;
	snprintf(name, size, "%s%s%s%s%s%s%s", r->name, parens ? "(" : "", engine ? engine->name : "",
		 engine && r->count > 1 ? ", " : "", index, parens ? ")" : "", dword);
	return name;
}
