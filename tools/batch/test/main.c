// SPDX-License-Identifier: MIT
/**
 * DOC: Running the builders against the validator
 */
#include <stdarg.h>

#include "check.h"
#include "test.h"

#define MAX_RELOCS 512

unsigned long passed, failed;
const unsigned int all_gens[4] = { 6, 7, 9, 12 };
static __u32 seed = 1;

__u32 random32(void)
{
	/* Marsaglia's xorshift. */
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

struct igen_address random_bo(unsigned int gen, __u64 size)
{
	__u64 presumed = gen <= 7 ? random_in(1, 0x7ffff) : (__u64)random32() << 4 | random_below(16);
	static __u32 name;

	return (struct igen_address){ .presumed = presumed << 12, .size = size, .bo = ++name };
}

void check(bool ok, const char *name, unsigned int gen, const char *fmt, ...)
{
	va_list args;

	if (ok) {
		passed++;
		return;
	}
	if (failed++ % 500 > 20)
		return;
	printf("# %s, gen %u: ", name, gen);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

static const struct igen_decoder *decoder_of(unsigned int gen, enum igen_batch_engine engine)
{
	static const enum igen_cmd_engine engines[] = { IGEN_CMD_RENDER, IGEN_CMD_BLITTER, IGEN_CMD_VIDEO,
							IGEN_CMD_VIDEOENHANCE, IGEN_CMD_COMPUTE };
	static struct igen_decoder decoders[ARRAY_SIZE(engines)];
	struct igen_decoder *d = &decoders[engine];

	if (!d->set || d->set->gen != gen)
		igen_decoder_init(d, igen_set_by_gen(gen), engines[engine]);
	return d;
}

const __u32 *find_command(const struct igen_batch *b, const char *name, unsigned int index)
{
	const struct igen_decoder *d = decoder_of(b->gen, b->engine);
	struct igen_inst inst;
	size_t at, step;

	for (at = 0; at < b->used; at += step) {
		step = igen_step(d, b->map + at, b->used - at, &inst);
		if (inst.cmd && !strcmp(inst.cmd->name, name) && !index--)
			return b->map + at;
	}
	return NULL;
}

__u64 field_of(unsigned int gen, const char *command, const char *field, const __u32 *dw)
{
	const struct igen_cmd *cmd = igen_find_cmd(igen_set_by_gen(gen), command);
	const struct igen_cmd_field *f;

	if (!cmd)
		cmd = igen_find_struct(igen_set_by_gen(gen), command);
	f = cmd ? igen_find_field(cmd, field) : NULL;
	if (!f || !dw) {
		check(false, command, gen, "no field \"%s\", or no command", field);
		return ~0ull;
	}
	return igen_field_value(f, 0, dw);
}

static void report(void *data, const struct igen_finding *f)
{
	const struct test_case *t = data;

	check(false, t->name, t->gen, "%s: %s: %s%s%s", f->cmd ? f->cmd->name : "end", f->rule->id, f->rule->text,
	      f->field ? ": " : "", f->field ? f->field->name : "");
}

/* The validator over a whole batch. False if it found anything. */
static bool validate(const struct test_case *t, const __u32 *dw, size_t n)
{
	const struct igen_decoder *d = decoder_of(t->gen, t->engine);
	struct igen_check c;
	struct igen_inst inst;
	size_t at, step;

	igen_check_init(&c, d->set, d->engine, report, (void *)t);
	c.unprivileged = true;
	c.level = 1;
	c.fresh = !t->midway;
	for (at = 0; at < n; at += step) {
		step = igen_step(d, dw + at, n - at, &inst);
		igen_check_inst(&c, &inst, at * 4);
		if (inst.cmd && !strcmp(inst.cmd->name, "MI_BATCH_BUFFER_END"))
			break;
	}
	igen_check_end(&c, n * 4);
	return !c.errors && !c.warnings;
}

void check_state(const char *name, unsigned int gen, const char *type, const __u32 *dw)
{
	struct test_case t = { .name = name, .gen = gen };
	const struct igen_cmd *s = igen_find_struct(igen_set_by_gen(gen), type);
	struct igen_check c;

	if (!s) {
		check(false, name, gen, "no structure %s", type);
		return;
	}
	igen_check_init(&c, igen_set_by_gen(gen), IGEN_CMD_RENDER, report, &t);
	igen_check_struct(&c, s, dw, 0);
	if (!c.errors && !c.warnings)
		passed++;
}

static int run(const struct test_case *t, struct igen_batch *b, __u32 *map, __u64 bytes,
	       struct igen_batch_reloc *relocs, unsigned int max)
{
	igen_batch_init(b, t->gen, t->engine, map, bytes);
	igen_batch_record_relocs(b, relocs, max);
	t->build(b, t->arg);
	return t->open ? b->error : igen_batch_end(b);
}

/* Do the records say what the batch holds? */
static void check_relocs(const struct test_case *t, const struct igen_batch *b)
{
	for (unsigned int i = 0; i < b->num_relocs; i++) {
		const struct igen_batch_reloc *r = &b->relocs[i];
		__u64 value, presumed = r->presumed;

		if (r->at % 4 || r->at + r->bytes > igen_batch_bytes(b) || r->bytes != (t->gen <= 7 ? 4 : 8)) {
			check(false, t->name, t->gen, "a record at %llu of %u bytes", r->at, r->bytes);
			continue;
		}
		value = b->map[r->at / 4];
		if (r->bytes == 8) {
			value |= (__u64)b->map[r->at / 4 + 1] << 32;
			presumed &= (1ull << 48) - 1;
		}
		check(value == presumed + r->delta && r->delta < 1ull << 32, t->name, t->gen,
		      "a record of %llx + %llx at %llu, where there is %llx", presumed, r->delta, r->at, value);
	}
}

int check_any(const struct test_case *t)
{
	static struct igen_batch_reloc relocs[MAX_RELOCS];
	struct igen_batch b;
	int err = run(t, &b, NULL, 0, relocs, MAX_RELOCS);
	__u64 bytes = igen_batch_bytes(&b);
	unsigned int num = b.num_relocs;
	__u32 *map;

	if (err != -ENOSPC) {
		check(err && b.why && *b.why, t->name, t->gen, "error %d without words", err);
		return err ? err : -EINVAL;
	}
	map = malloc(bytes);
	if (!map)
		exit(2);
	err = run(t, &b, map, bytes, relocs, num);
	check(!err && igen_batch_bytes(&b) == bytes && b.num_relocs == num, t->name, t->gen,
	      "in %llu bytes, as it asked for: %s, %llu bytes", bytes, err ? b.why : "no error", igen_batch_bytes(&b));
	check(t->open || bytes % 8 == 0, t->name, t->gen, "a batch of %llu bytes", bytes);
	if (!err && validate(t, map, bytes / 4))
		passed++;
	check_relocs(t, &b);
	free(map);

	map = malloc(bytes - 4);
	err = run(t, &b, map, bytes - 4, NULL, 0);
	check(err == -ENOSPC && igen_batch_bytes(&b) == bytes, t->name, t->gen,
	      "a dword too little: error %d, asked for %llu, not %llu", err, igen_batch_bytes(&b), bytes);
	free(map);
	if (num) {
		map = malloc(bytes);
		err = run(t, &b, map, bytes, relocs, num - 1);
		check(err == -ENOSPC && b.num_relocs == num, t->name, t->gen, "a record too little: error %d", err);
		free(map);
	}
	return 0;
}

void check_good(const struct test_case *t)
{
	struct igen_batch b;

	if (check_any(t)) {
		run(t, &b, NULL, 0, NULL, 0);
		check(false, t->name, t->gen, "refused: %s", b.why);
	}
}

void check_bad(const struct test_case *t, int error)
{
	struct igen_batch b;
	int err = check_any(t);

	run(t, &b, NULL, 0, NULL, 0);
	check(err == error, t->name, t->gen, "error %d (%s), expected %d", err, err ? b.why : "accepted", error);
}

static const struct {
	const char *name;
	void (*fn)(unsigned int gen);
} groups[] = {
	{ "mi", test_mi },
	{ "blt", test_blt },
	{ "gpgpu", test_gpgpu },
	{ "render", test_render },
	{ "null", test_null },
	{ "clear", test_clear },
	{ "avp", test_avp },
};

int main(void)
{
	unsigned int good = 0, bad = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(groups); i++) {
		for (unsigned int g = 0; g < ARRAY_SIZE(all_gens); g++) {
			unsigned long before = passed, wrong = failed;

			groups[i].fn(all_gens[g]);
			if (failed == wrong && passed > before) {
				good++;
				printf("ok %s-gen%u: %lu checks\n", groups[i].name, all_gens[g], passed - before);
			} else {
				bad++;
				printf("not ok %s-gen%u: %lu of %lu checks failed\n", groups[i].name, all_gens[g],
				       failed - wrong, failed - wrong + passed - before);
			}
		}
	}
	printf("%u passed, %u failed, 0 skipped\n", good, bad);
	return bad != 0;
}
