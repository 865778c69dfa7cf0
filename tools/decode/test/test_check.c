// SPDX-License-Identifier: MIT
/**
 * DOC: Test of the validator
 *
 * test/rules.cases has streams that break and keep each rule. A stream that breaks it must be told,
 * one that keeps it must not be; and a rule of any generation without a breaking case is a failure,
 * so that no rule is there that nothing ever broke.
 */
#include <stdlib.h>

#include "check.h"

#define MAX_DWORDS 4096

struct test_case {
	char rule[48];
	struct igen_decoder decoder;
	bool ring, privileged, wa, fresh, open;
	unsigned int level;
};

static unsigned long passed, failed;
static const char *path;
static unsigned int line_number;

static void fail(const char *what, const char *detail)
{
	failed++;
	printf("not ok %s:%u: %s %s\n", path, line_number, what, detail);
}

static char *trim(char *s)
{
	char *end;

	s += strspn(s, " ");
	end = s + strlen(s);
	while (end > s && (end[-1] == ' ' || end[-1] == '\n'))
		*--end = 0;
	return s;
}

/* Puts one "field", "field=value", "#length" or "@dword=value" into a command. */
static bool put_field(const struct igen_cmd *cmd, __u32 *dw, char *text)
{
	char *equals = strrchr(text, '=');
	__u64 v = equals ? strtoull(equals + 1, NULL, 0) : 1;
	const struct igen_cmd_field *f;

	if (equals)
		*equals = 0;
	if (*text == '@') {
		dw[strtoul(text + 1, NULL, 0)] = v;
		return true;
	}
	f = cmd ? igen_find_field(cmd, text) : NULL;
	if (!f) {
		fail("no such field:", text);
		return false;
	}
	if (f->kind == IGEN_FIELD_ADDRESS)
		v >>= f->low;
	igen_put_bits(dw, f->start, f->width, v);
	return true;
}

/* Appends one command of the case's text. Returns its dwords; 0 on a mistake in the text. */
static size_t put_command(const struct test_case *t, __u32 *dw, char *text)
{
	char *rest = text + strcspn(text, " "), *field;
	const struct igen_cmd *cmd;
	unsigned int length;

	if (*rest)
		*rest++ = 0;
	cmd = igen_find_cmd(t->decoder.set, text);
	if (!cmd && strcmp(text, "DWORDS")) {
		fail("no such command:", text);
		return 0;
	}
	length = cmd ? cmd->length : 1;
	rest = trim(rest);
	if (*rest == '#') {
		length = strtoul(rest + 1, &rest, 0);
		rest += strspn(rest, ", ");
	}
	memset(dw, 0, length * sizeof(*dw));
	if (cmd) {
		dw[0] = cmd->match;
		if (cmd->length_bits)
			dw[0] |= length - cmd->bias;
	}
	for (field = strtok(rest, ","); field; field = strtok(NULL, ","))
		if (!put_field(cmd, dw, trim(field)))
			return 0;
	return length;
}

static size_t build(const struct test_case *t, char *text, __u32 *dw)
{
	size_t n = 0, step;
	char *next;

	for (; text; text = next) {
		next = strchr(text, ';');
		if (next)
			*next++ = 0;
		step = put_command(t, dw + n, trim(text));
		if (!step)
			return 0;
		n += step;
	}
	if (!t->open && !t->ring)
		dw[n++] = igen_find_cmd(t->decoder.set, "MI_BATCH_BUFFER_END")->match;
	return n;
}

/* The rule's place in the counts; -1 if this generation has it not. */
static int find_rule(const struct igen_check *c, const char *id)
{
	const struct igen_rule *r;
	int i;

	for (i = 0; (r = igen_check_rule(c, i)); i++)
		if (!strcmp(r->id, id))
			return i;
	return -1;
}

static void stream(const struct test_case *t, const __u32 *dw, size_t n, struct igen_check *c)
{
	struct igen_inst inst;
	size_t i, step;

	igen_check_init(c, t->decoder.set, t->decoder.engine, NULL, NULL);
	c->level = t->level;
	c->unprivileged = !t->ring && !t->privileged;
	c->wa = t->wa;
	c->fresh = t->fresh;
	for (i = 0; i < n; i += step) {
		step = igen_step(&t->decoder, dw + i, n - i, &inst);
		igen_check_inst(c, &inst, i * 4);
	}
	igen_check_end(c, n * 4);
}

static bool begin_case(struct test_case *t, char *text)
{
	char *word = strtok(text, " \n");
	const struct igen_cmd_set *set;
	int engine;

	memset(t, 0, sizeof(*t));
	snprintf(t->rule, sizeof(t->rule), "%s", word);
	word = strtok(NULL, " \n");
	set = word ? igen_set_by_platform(word) : NULL;
	word = strtok(NULL, " \n");
	engine = word ? igen_engine_by_name(word) : -1;
	if (!set || engine < 0)
		return false;
	igen_decoder_init(&t->decoder, set, engine);
	t->level = 1;
	while ((word = strtok(NULL, " \n"))) {
		t->ring |= !strcmp(word, "ring");
		t->privileged |= !strcmp(word, "privileged");
		t->wa |= !strcmp(word, "wa");
		t->fresh |= !strcmp(word, "fresh");
		t->open |= !strcmp(word, "open");
		if (!strncmp(word, "level=", 6))
			t->level = strtoul(word + 6, NULL, 0);
	}
	if (t->ring)
		t->level = 0;
	return true;
}

/* Every rule of every generation has to have been broken, by some generation's case. */
static void coverage(const bool (*broken)[IGEN_CHECK_RULES])
{
	static const unsigned int gens[] = { 6, 7, 9, 12 };
	const struct igen_rule *r;
	struct igen_check c;
	unsigned int g, h, i;
	int k;

	for (g = 0; g < 4; g++) {
		igen_check_init(&c, igen_set_by_gen(gens[g]), IGEN_CMD_RENDER, NULL, NULL);
		for (i = 0; (r = igen_check_rule(&c, i)); i++) {
			bool any = false;

			for (h = 0; h < 4; h++) {
				struct igen_check other;

				igen_check_init(&other, igen_set_by_gen(gens[h]), IGEN_CMD_RENDER,
						NULL, NULL);
				k = find_rule(&other, r->id);
				any |= k >= 0 && broken[h][k];
			}
			if (any)
				passed++;
			else
				fail("no case breaks the rule", r->id);
		}
	}
}

static bool is_one(const struct igen_cmd_field *field)
{
	return field->kind == IGEN_FIELD_MBO;
}

/* Findings of reserved bits in a command with a list of three elements, one field of the last of them turned round. */
static unsigned long list_findings(struct igen_check *c, const struct igen_cmd *cmd,
				   const struct igen_cmd_field *turned)
{
	unsigned int i, k, n = cmd->extent + 3 * cmd->tail_dwords;
	unsigned long before = c->counts[IGEN_RULE_MBZ] + c->counts[IGEN_RULE_MBO];
	static __u32 dw[MAX_DWORDS];
	const struct igen_inst inst = { .cmd = cmd, .dw = dw, .length = n, .have = n };

	for (i = 0; i < cmd->extent; i++)
		dw[i] = cmd->reserved[cmd->extent + i];
	memset(dw + cmd->extent, 0, (n - cmd->extent) * sizeof(*dw));
	for (k = 0; k < 3; k++)
		for (i = 0; i < cmd->ntail; i++)
			if (is_one(&cmd->tail[i]) != (k == 2 && turned == &cmd->tail[i]))
				igen_put_bits(dw + cmd->extent + k * cmd->tail_dwords, cmd->tail[i].start,
					      cmd->tail[i].width, igen_field_max(cmd->tail[i].width));
	igen_check_inst(c, &inst, 0);
	return c->counts[IGEN_RULE_MBZ] + c->counts[IGEN_RULE_MBO] - before;
}

/* Reserved bits of the elements of a list: each is looked at, in whatever order commands come. */
static void lists(void)
{
	static const unsigned int gens[] = { 6, 7, 9, 12 };
	unsigned int g, i, k, round;
	struct igen_check c;

	for (g = 0; g < 4; g++) {
		const struct igen_cmd_set *set = igen_set_by_gen(gens[g]);

		igen_check_init(&c, set, IGEN_CMD_RENDER, NULL, NULL);
		for (round = 0; round < 2; round++) {
			for (i = 0; i < set->ncmds; i++) {
				const struct igen_cmd *cmd = &set->cmds[i];

				if (!cmd->tail_dwords)
					continue;
				if (list_findings(&c, cmd, NULL))
					fail("a list that is as it should be:", cmd->key);
				for (k = 0; k < cmd->ntail; k++) {
					const struct igen_cmd_field *f = &cmd->tail[k];

					if (f->kind < IGEN_FIELD_MBZ || f->shared || f->count != 1)
						continue;
					if (list_findings(&c, cmd, f) == 1)
						passed++;
					else
						fail("reserved bits in a list:", cmd->key);
				}
			}
		}
	}
}

static unsigned int gen_index(unsigned int gen)
{
	return gen == 6 ? 0 : gen == 7 ? 1 : gen == 9 ? 2 : 3;
}

int main(int argc, char **argv)
{
	static bool broken[4][IGEN_CHECK_RULES];
	static struct igen_check check;
	static __u32 dw[MAX_DWORDS];
	static struct test_case t;
	bool ready = false;
	char line[1024];
	FILE *f;
	int rule;
	size_t n;

	path = argc > 1 ? argv[1] : "test/rules.cases";
	f = fopen(path, "r");
	if (!f) {
		perror(path);
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		line_number++;
		if (*line == '#' || *line == '\n')
			continue;
		if (*line != '-' && *line != '+') {
			ready = begin_case(&t, line);
			if (!ready)
				fail("platform or engine is not known:", line);
			continue;
		}
		n = ready ? build(&t, line + 1, dw) : 0;
		if (!n)
			continue;
		stream(&t, dw, n, &check);
		rule = find_rule(&check, t.rule);
		if (rule < 0) {
			fail("the generation has no rule", t.rule);
		} else if (!!check.counts[rule] == (*line == '-')) {
			passed++;
			broken[gen_index(t.decoder.set->gen)][rule] |= *line == '-';
		} else {
			fail(*line == '-' ? "is not found:" : "is found wrongly:", t.rule);
		}
	}
	fclose(f);
	lists();
	coverage((const bool(*)[IGEN_CHECK_RULES])broken);
	printf("%lu passed, %lu failed, 0 skipped\n", passed, failed);
	return failed ? 1 : 0;
}
