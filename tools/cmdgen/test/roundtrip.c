// SPDX-License-Identifier: MIT
/**
 * DOC: Round trip of every field of every command
 *
 * Packers and decode tables come from one database by two generators; here they judge one another.
 * For each command and structure of each generation:
 *
 * - zeros pack, the decoder finds the same command on each of its engines, and steps over as many
 * dwords as the packer wrote;
 * - each element of each field, all its bits set, changes exactly the field's bits, and decodes to
 * the value;
 * - what does not fit is refused, and nothing is cut;
 * - every length the command may have packs to that length, no other does, and less room is
 * refused;
 * - random values of all fields together come back.
 *
 * The structures that are the same for all generations are filled from random commands, whole and cut off, of each
 * generation that has them: each member is what the tables decode, and zero where the generation lacks it.
 *
 * A command or structure passes if all its checks do. Random numbers come from a fixed seed,
 * printed; another is taken from the first argument.
 */
#include <stdio.h>
#include <stdlib.h>

#include "decode.h"
#include "shims.h"

#define MAX_VALUES 4096
#define MAX_DWORDS 8192
#define ROUNDS	   64

static unsigned long checks, faults;
static __u64 rng;

static void check(bool ok, const struct igen_cmd_set *set, const struct igen_cmd *cmd,
		  const char *field, const char *what)
{
	checks++;
	if (ok)
		return;
	faults++;
	if (faults < 40)
		printf("gen%u %s%s%s: %s\n", set->gen, cmd->key, field ? ", " : "",
		       field ? field : "", what);
}

/* xorshift64* (Marsaglia 2003; Vigna 2014) */
static __u64 next_random(void)
{
	rng ^= rng >> 12;
	rng ^= rng << 25;
	rng ^= rng >> 27;
	return rng * 0x2545f4914f6cdd1dull;
}

static bool settable(const struct igen_cmd_field *f)
{
	return f->kind <= IGEN_FIELD_LENGTH;
}

/* All ones in the field, as the packer's member takes it. */
static __u64 all_ones(const struct igen_cmd_field *f)
{
	switch (f->kind) {
	case IGEN_FIELD_INT:
	case IGEN_FIELD_SFIXED:
		return ~0ull;
	case IGEN_FIELD_ADDRESS:
		return igen_field_max(f->width) << f->low;
	default:
		return igen_field_max(f->width);
	}
}

static __u64 random_value(const struct igen_cmd_field *f)
{
	__u64 v = next_random() & igen_field_max(f->width), sign = 1ull << (f->width - 1);

	/* The ends are worth more than their share. */
	switch (next_random() % 8) {
	case 0:
		v = 0;
		break;
	case 1:
		v = igen_field_max(f->width);
		break;
	default:
		break;
	}
	if (f->kind == IGEN_FIELD_INT || f->kind == IGEN_FIELD_SFIXED)
		return (v ^ sign) - sign;
	return f->kind == IGEN_FIELD_ADDRESS ? v << f->low : v;
}

/* The smallest value that does not fit, if the packer's member can hold it. */
static bool too_large(const struct igen_cmd_field *f, __u64 *v)
{
	unsigned int member = f->width > 32 ? 64 : 32;

	switch (f->kind) {
	case IGEN_FIELD_BOOL:
	case IGEN_FIELD_LENGTH:
		return false;
	case IGEN_FIELD_ADDRESS:
		if (f->width + f->low >= 64)
			return false;
		*v = 1ull << (f->width + f->low);
		return true;
	case IGEN_FIELD_INT:
	case IGEN_FIELD_SFIXED:
		*v = 1ull << (f->width - 1);
		return f->width < member;
	default:
		if (f->width >= member)
			return false;
		*v = 1ull << f->width;
		return true;
	}
}

/* The form of the command that has all its fields. */
static unsigned int full_dwords(const struct igen_cmd *cmd)
{
	unsigned int n = cmd->extent > cmd->min ? cmd->extent : cmd->min;

	return n > cmd->length ? n : cmd->length;
}

/* Puts a length into the values; the length field's place in them is its place in the table. */
static void set_length(const struct igen_cmd *cmd, __u64 *x, unsigned int dwords)
{
	unsigned int k, at = 0;

	for (k = 0; k < cmd->nfields; k++) {
		if (cmd->fields[k].kind == IGEN_FIELD_LENGTH)
			x[at] = dwords - cmd->bias;
		if (settable(&cmd->fields[k]))
			at += cmd->fields[k].count;
	}
}

static void test_field(const struct igen_cmd_set *set, const struct igen_cmd *cmd,
		       const struct igen_shim *shim, const struct igen_cmd_field *f,
		       unsigned int at, const __u32 *base, unsigned int n)
{
	static __u64 x[MAX_VALUES];
	static __u32 dw[MAX_DWORDS], mask[MAX_DWORDS];
	unsigned int i, k;
	__u64 v = all_ones(f);

	for (i = 0; i < f->count; i++) {
		bool only = true;

		memset(x, 0, shim->nvalues * sizeof(x[0]));
		set_length(cmd, x, n);
		x[at + i] = v;
		check(shim->pack(dw, MAX_DWORDS, x) == (int)n, set, cmd, f->name,
		      "largest value is refused");
		memset(mask, 0, n * sizeof(mask[0]));
		igen_put_bits(mask, f->start + i * f->stride, f->width, igen_field_max(f->width));
		for (k = 0; k < n; k++)
			only &= (dw[k] ^ base[k]) == mask[k];
		check(only, set, cmd, f->name, "touches other bits, or not all of its own");
		check(igen_field_value(f, i, dw) == v, set, cmd, f->name,
		      "does not decode to its value");
		if (too_large(f, &x[at + i]))
			check(shim->pack(dw, MAX_DWORDS, x) == -ERANGE, set, cmd, f->name,
			      "too large a value is taken");
		if (f->kind == IGEN_FIELD_ADDRESS && f->low) {
			x[at + i] = 1ull << (f->low - 1);
			check(shim->pack(dw, MAX_DWORDS, x) == -ERANGE, set, cmd, f->name,
			      "misaligned is taken");
		}
	}
}

/* Does element @i of field @k share a bit with what is in @mask already? */
static bool occupied(const struct igen_cmd_field *f, unsigned int i, const __u32 *mask)
{
	return igen_get_bits(mask, f->start + i * f->stride, f->width);
}

static void test_random(const struct igen_cmd_set *set, const struct igen_cmd *cmd,
			const struct igen_shim *shim, unsigned int n, __u32 *dw)
{
	static __u64 x[MAX_VALUES];
	static bool taken[MAX_VALUES];
	static __u32 mask[MAX_DWORDS];
	unsigned int k, i, at;

	memset(mask, 0, n * sizeof(mask[0]));
	for (k = 0, at = 0; k < cmd->nfields; k++) {
		const struct igen_cmd_field *f = &cmd->fields[k];

		for (i = 0; settable(f) && i < f->count; i++, at++) {
			taken[at] = f->kind != IGEN_FIELD_LENGTH && !occupied(f, i, mask);
			x[at] = taken[at] ? random_value(f) : 0;
			/* One of several alternatives has a value; which comes first is a matter of chance.
			 */
			if (taken[at] && f->shared && next_random() & 1) {
				taken[at] = false;
				x[at] = 0;
			}
			if (taken[at])
				igen_put_bits(mask, f->start + i * f->stride, f->width,
					      igen_field_max(f->width));
		}
	}
	set_length(cmd, x, n);
	check(shim->pack(dw, MAX_DWORDS, x) == (int)n, set, cmd, NULL, "random values are refused");
	for (k = 0, at = 0; k < cmd->nfields; k++) {
		const struct igen_cmd_field *f = &cmd->fields[k];

		for (i = 0; settable(f) && i < f->count; i++, at++)
			if (taken[at])
				check(igen_field_value(f, i, dw) == x[at], set, cmd, f->name,
				      "random value changes");
	}
}

static void test_lengths(const struct igen_cmd_set *set, const struct igen_cmd *cmd,
			 const struct igen_shim *shim)
{
	static __u64 x[MAX_VALUES];
	static __u32 dw[MAX_DWORDS];
	unsigned int low = cmd->min, high = cmd->max ? cmd->max : full_dwords(cmd) + 8, n;

	memset(x, 0, shim->nvalues * sizeof(x[0]));
	for (n = low; n <= high; n++) {
		set_length(cmd, x, n);
		check(shim->pack(dw, MAX_DWORDS, x) == (int)n && igen_cmd_dwords(cmd, dw[0]) == n,
		      set, cmd, NULL, "a length of it does not pack");
		check(shim->pack(dw, n - 1, x) == -ENOSPC, set, cmd, NULL,
		      "too little room is taken");
	}
	if (low != high || !cmd->max) {
		set_length(cmd, x, low - 1);
		if (low > cmd->bias)
			check(shim->pack(dw, MAX_DWORDS, x) == -EINVAL, set, cmd, NULL,
			      "too short a length is taken");
		set_length(cmd, x, high + 1);
		if (cmd->max)
			check(shim->pack(dw, MAX_DWORDS, x) == -EINVAL, set, cmd, NULL,
			      "too long a length is taken");
	}
}

static void test_header(const struct igen_cmd_set *set, const struct igen_cmd *cmd, const __u32 *dw,
			unsigned int n)
{
	static struct igen_decoder decoders[IGEN_CMD_ENGINES];
	static const struct igen_cmd_set *ready;
	struct igen_inst inst;
	int e;

	for (e = 0; e < IGEN_CMD_ENGINES && ready != set; e++)
		igen_decoder_init(&decoders[e], set, e);
	ready = set;
	for (e = 0; e < IGEN_CMD_ENGINES; e++) {
		if (!(cmd->engines & 1 << e))
			continue;
		check(igen_step(&decoders[e], dw, n, &inst) == n && inst.length == n, set, cmd,
		      NULL, "the decoder steps another length");
		check(inst.cmd == cmd, set, cmd, NULL, "the decoder finds another command");
	}
}

static void test_command(const struct igen_cmd_set *set, const struct igen_cmd *cmd,
			 const struct igen_shim *shim)
{
	static __u64 x[MAX_VALUES];
	static __u32 base[MAX_DWORDS], dw[MAX_DWORDS];
	unsigned int n = full_dwords(cmd), k, at = 0;
	int ret;

	if (n > MAX_DWORDS || shim->nvalues > MAX_VALUES) {
		check(false, set, cmd, NULL, "larger than the test");
		return;
	}
	memset(x, 0, shim->nvalues * sizeof(x[0]));
	set_length(cmd, x, n);
	ret = shim->pack(base, MAX_DWORDS, x);
	check(ret == (int)n, set, cmd, NULL, "zeros are refused");
	if (ret != (int)n)
		return;
	if (cmd->engines) {
		test_header(set, cmd, base, n);
		test_lengths(set, cmd, shim);
	}
	for (k = 0; k < cmd->nfields; k++) {
		const struct igen_cmd_field *f = &cmd->fields[k];

		if (settable(f) && f->kind != IGEN_FIELD_LENGTH)
			test_field(set, cmd, shim, f, at, base, n);
		if (settable(f))
			at += f->count;
	}
	check(at == shim->nvalues, set, cmd, NULL, "table and packer have different fields");
	for (k = 0; k < ROUNDS; k++)
		test_random(set, cmd, shim, n, dw);
}

static const struct {
	const struct igen_cmd_set *set;
	const struct igen_shim *shims;
} gens[] = {
	{ &igen_cmds_gen6, igen_shims_gen6 },
	{ &igen_cmds_gen7, igen_shims_gen7 },
	{ &igen_cmds_gen9, igen_shims_gen9 },
	{ &igen_cmds_gen12, igen_shims_gen12 },
};

#define GENS (sizeof(gens) / sizeof(gens[0]))

static const struct igen_cmd *command_of(unsigned int gen, const char *key)
{
	const struct igen_cmd_set *set = igen_set_by_gen(gen);
	unsigned int i;

	for (i = 0; set && i < set->ncmds; i++)
		if (!strcmp(set->cmds[i].key, key))
			return &set->cmds[i];
	for (i = 0; set && i < set->nstructs; i++)
		if (!strcmp(set->structs[i].name, key))
			return &set->structs[i];
	return NULL;
}

/* Structures' come behind those of the commands. */
static const struct igen_shim *shim_of(unsigned int g, const struct igen_cmd *cmd)
{
	const struct igen_cmd_set *set = gens[g].set;

	if (cmd >= set->structs && cmd < set->structs + set->nstructs)
		return &gens[g].shims[set->ncmds + (cmd - set->structs)];
	return &gens[g].shims[cmd - set->cmds];
}

/* A member as the tables decode it; @dw is zero from where the command is cut off. */
static __u64 expected(const struct igen_neutral_member *m, unsigned int gen, const __u32 *dw)
{
	const struct igen_neutral_source *s;
	const struct igen_cmd_field *f;
	const struct igen_cmd *cmd;
	unsigned int i, low;
	__u64 v = 0;

	for (s = m->source; s < m->source + GENS && s->gen != gen; s++)
		;
	if (s == m->source + GENS)
		return 0;
	if (!s->key)
		return s->dword;
	cmd = command_of(s->from, s->key);
	for (i = 0, low = 0; i < 2 && s->part[i].field; i++) {
		f = cmd ? igen_find_field(cmd, s->part[i].field) : NULL;
		if (!f)
			return ~0ull;
		v |= igen_field_value(f, s->part[i].element, dw) << low;
		low += f->width;
		if (m->is_signed)
			v = (__u64)igen_get_int(dw, f->start, f->width);
	}
	return v;
}

/* Do the members of one random command agree with the tables, for each length that it is cut to? */
static void test_members(const struct igen_neutral *t, const struct igen_cmd_set *set, const struct igen_cmd *cmd,
			 const struct igen_shim *shim)
{
	static __u64 x[MAX_VALUES];
	static __u32 dw[MAX_DWORDS], cut[MAX_DWORDS];
	unsigned int n = full_dwords(cmd), have, i;

	test_random(set, cmd, shim, n, dw);
	for (have = n; have; have--) {
		memcpy(cut, dw, have * sizeof(dw[0]));
		memset(cut + have, 0, (n - have) * sizeof(dw[0]));
		memset(x, 0xff, t->nmembers * sizeof(x[0]));
		t->get(set->gen, dw, have, x);
		for (i = 0; i < t->nmembers; i++)
			check(x[i] == expected(&t->members[i], set->gen, cut), set, cmd, t->members[i].name,
			      "the neutral member is another value");
	}
}

static void test_neutral(const struct igen_neutral *t, unsigned int *tested)
{
	unsigned int k, g, round;

	for (k = 0; k < GENS && t->key[k].name; k++) {
		for (g = 0; gens[g].set->gen != t->key[k].gen; g++)
			;
		const struct igen_cmd *cmd = command_of(t->key[k].gen, t->key[k].name);

		check(cmd, gens[g].set, &gens[g].set->cmds[0], t->name, "is not there");
		for (round = 0; cmd && round < ROUNDS; round++)
			test_members(t, gens[g].set, cmd, shim_of(g, cmd));
		*tested += 1;
	}
}

int main(int argc, char **argv)
{
	const struct igen_neutral *t;
	unsigned int tested = 0;
	unsigned long passed = 0, failed = 0, before;
	unsigned int g, i;

	rng = argc > 1 ? strtoull(argv[1], NULL, 0) : 0x16e5916;
	if (!rng)
		rng = 1;
	printf("seed 0x%llx\n", (unsigned long long)rng);
	for (g = 0; g < GENS; g++) {
		const struct igen_cmd_set *set = gens[g].set;
		unsigned long start = checks;

		for (i = 0; i < set->ncmds + set->nstructs; i++) {
			before = faults;
			test_command(set,
				     i < set->ncmds ? &set->cmds[i] : &set->structs[i - set->ncmds],
				     &gens[g].shims[i]);
			if (faults == before)
				passed++;
			else
				failed++;
		}
		printf("gen%u: %u commands, %u structures, %lu checks\n", set->gen, set->ncmds,
		       set->nstructs, checks - start);
	}
	for (t = igen_neutrals; t->name; t++) {
		before = faults;
		test_neutral(t, &tested);
		if (faults == before)
			passed++;
		else
			failed++;
	}
	printf("%u neutral commands and structures in %u layouts\n", (unsigned int)(t - igen_neutrals), tested);
	printf("%lu passed, %lu failed, 0 skipped\n", passed, failed);
	return failed ? 1 : 0;
}
