// SPDX-License-Identifier: MIT
/**
 * DOC: The rules that come from the tables, and the bookkeeping of all
 */
#include "check.h"

static const struct igen_rule table_rules[IGEN_TABLE_RULES] = {
	[IGEN_RULE_UNKNOWN] = { "unknown", "DG1 Vol 2a; public facts of other generations",
				"no command of this generation has this header", IGEN_ERROR },
	[IGEN_RULE_ENGINE] = { "engine", NULL, "a command of another engine", IGEN_ERROR },
	[IGEN_RULE_LENGTH] = { "length", NULL, "a length that the command cannot have",
			       IGEN_ERROR },
	[IGEN_RULE_CUT] = { "cut-off", NULL, "the command goes on past the end", IGEN_ERROR },
	[IGEN_RULE_MBZ] = { "reserved-zero", NULL, "reserved bits are set that must be zero",
			    IGEN_WARNING },
	[IGEN_RULE_MBO] = { "reserved-one", NULL, "bits are clear that must be one", IGEN_WARNING },
};

static const struct igen_rule_set *rules_of(unsigned int gen)
{
	switch (gen) {
	case 6:
		return &igen_rules_gen6;
	case 7:
		return &igen_rules_gen7;
	case 9:
		return &igen_rules_gen9;
	default:
		return &igen_rules_gen12;
	}
}

void igen_check_init(struct igen_check *c, const struct igen_cmd_set *set,
		     enum igen_cmd_engine engine,
		     void (*report)(void *data, const struct igen_finding *f), void *data)
{
	unsigned int i;

	memset(c, 0, sizeof(*c));
	c->set = set;
	c->engine = engine;
	c->report = report;
	c->data = data;
	c->rules = rules_of(set->gen);
	for (i = 0; i < c->rules->nstate && i < IGEN_CHECK_STATE; i++)
		c->state[i] = c->rules->initial[i];
}

const struct igen_rule *igen_check_rule(const struct igen_check *c, unsigned int i)
{
	if (i < IGEN_TABLE_RULES)
		return &table_rules[i];
	i -= IGEN_TABLE_RULES;
	return i < c->rules->nrules ? &c->rules->rules[i] : NULL;
}

static void finding(struct igen_check *c, unsigned int i)
{
	const struct igen_rule *rule = igen_check_rule(c, i);

	if (i < IGEN_CHECK_RULES)
		c->counts[i]++;
	if (rule->severity == IGEN_ERROR)
		c->errors++;
	else
		c->warnings++;
	if (!c->report)
		return;
	c->now.rule = rule;
	c->now.section = rule->section ? rule->section : c->now.cmd ? c->now.cmd->section : "";
	c->report(c->data, &c->now);
}

void igen_check_fail(struct igen_check *c, unsigned int rule)
{
	finding(c, IGEN_TABLE_RULES + rule);
}

static void check_reserved(struct igen_check *c, const struct igen_cmd_field *fields,
			   unsigned int nfields, const __u32 *dw, unsigned int have)
{
	unsigned int k, i;

	for (k = 0; k < nfields; k++) {
		const struct igen_cmd_field *f = &fields[k];

		/* Reserved in one of the forms that share the bits says nothing of the other. */
		if (f->kind < IGEN_FIELD_MBZ || f->shared)
			continue;
		for (i = 0; i < f->count && igen_field_present(f, i, have); i++) {
			__u64 v = igen_field_bits(f, i, dw);

			if (f->kind == IGEN_FIELD_MBZ ? v != 0 : v != igen_field_max(f->width)) {
				c->now.field = f;
				finding(c,
					f->kind == IGEN_FIELD_MBZ ? IGEN_RULE_MBZ : IGEN_RULE_MBO);
				c->now.field = NULL;
			}
		}
	}
}

/* Is a reserved bit of the fixed dwords other than it must be? */
static bool reserved_broken(const struct igen_cmd *cmd, const __u32 *dw, unsigned int have)
{
	unsigned int i, n = have < cmd->extent ? have : cmd->extent;
	const __u32 *bits = cmd->reserved, *ones = cmd->reserved + cmd->extent;
	__u64 two, in, want, wrong = 0;

	for (i = 0; i + 2 <= n; i += 2) {
		memcpy(&two, dw + i, sizeof(two));
		memcpy(&in, bits + i, sizeof(in));
		memcpy(&want, ones + i, sizeof(want));
		wrong |= (two ^ want) & in;
	}
	if (i < n)
		wrong |= (dw[i] ^ ones[i]) & bits[i];
	return wrong;
}

/* The bits of a list's field that must be zero or one. */
static void tail_field(struct igen_check_tail *t, const struct igen_cmd_field *f)
{
	__u32 *mask = f->kind == IGEN_FIELD_MBZ ? t->zero : t->one;
	unsigned int i, bit;

	if (f->kind < IGEN_FIELD_MBZ || f->shared)
		return;
	for (i = 0; i < f->count; i++)
		for (bit = f->start + i * f->stride; bit < f->start + i * f->stride + f->width; bit++)
			if (bit / 32 < IGEN_CHECK_TAIL)
				mask[bit / 32] |= 1u << bit % 32;
}

/* Checks those bits in each element of a list. Masks are kept: a stream has many lists, of few kinds. */
static bool tail_broken(struct igen_check *c, const struct igen_cmd *cmd, const __u32 *dw, unsigned int have)
{
	struct igen_check_tail *t = &c->tails[(cmd - c->set->cmds) % IGEN_CHECK_TAILS];
	unsigned int at, i;
	__u32 wrong = 0;

	if (cmd->tail_dwords > IGEN_CHECK_TAIL)
		return true;
	if (t->cmd != cmd) {
		memset(t, 0, sizeof(*t));
		t->cmd = cmd;
		for (i = 0; i < cmd->ntail; i++)
			tail_field(t, &cmd->tail[i]);
	}
	for (at = cmd->extent; at + cmd->tail_dwords <= have; at += cmd->tail_dwords)
		for (i = 0; i < cmd->tail_dwords; i++)
			wrong |= (dw[at + i] & t->zero[i]) | (~dw[at + i] & t->one[i]);
	/* An element that is cut off counts with the fields that are there. */
	return wrong || at < have;
}

/* Does another engine of the generation have the command? */
static const struct igen_cmd *elsewhere(const struct igen_cmd_set *set, __u32 header)
{
	unsigned int i;

	for (i = 0; i < set->ncmds; i++)
		if ((header & set->cmds[i].mask) == set->cmds[i].match)
			return &set->cmds[i];
	return NULL;
}

void igen_check_inst(struct igen_check *c, const struct igen_inst *inst, __u64 address)
{
	const struct igen_cmd *cmd = inst->cmd;
	unsigned int at, n = inst->have;

	c->now = (struct igen_finding){ .cmd = cmd, .address = address };
	if (!cmd) {
		c->now.cmd = elsewhere(c->set, *inst->dw);
		finding(c, c->now.cmd ? IGEN_RULE_ENGINE : IGEN_RULE_UNKNOWN);
		return;
	}
	if (inst->length < cmd->min || (cmd->max && inst->length > cmd->max))
		finding(c, IGEN_RULE_LENGTH);
	if (inst->have < inst->length)
		finding(c, IGEN_RULE_CUT);
	if (reserved_broken(cmd, inst->dw, n))
		check_reserved(c, cmd->fields, cmd->nfields, inst->dw, n);
	if (!cmd->tail_dwords || !tail_broken(c, cmd, inst->dw, n))
		n = 0;
	for (at = cmd->extent; at < n; at += cmd->tail_dwords)
		check_reserved(c, cmd->tail, cmd->ntail, inst->dw + at, n - at);
	c->rules->command(c, cmd - c->set->cmds, inst->dw, inst->have);
}

void igen_check_end(struct igen_check *c, __u64 address)
{
	c->now = (struct igen_finding){ .address = address };
	c->rules->end(c);
}

void igen_check_struct(struct igen_check *c, const struct igen_cmd *s, const __u32 *dw,
		       __u64 address)
{
	c->now = (struct igen_finding){ .cmd = s, .address = address };
	check_reserved(c, s->fields, s->nfields, dw, s->extent);
}
