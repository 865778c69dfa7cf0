// SPDX-License-Identifier: MIT
/*
 * DOC: The validator in the command streamer
 *
 * With the setting "validate" each command is given to tools/decode's checker before it is
 * executed; it knows what the manuals forbid (tools/cmdgen/rules/rules.xml) and cites the section.
 * A finding changes nothing of what the model does. It is counted, by the writer of the command: what
 * stands in a ring, a workaround buffer or a privileged batch is the driver's, what stands in a
 * batch of the PPGTT is the user's. The first of each kind is logged, up to "validate_log" lines.
 *
 * What rules remember belongs to a context: it is kept for the last few of them. A context that was
 * never saved, or that a reset took off its engine, begins anew.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cs/cs.h"
#include "igen/regs/context.h"

#define CONTEXTS	32

struct memory {
	uint64_t lrca;			/* 0: unused */
	uint64_t used;
	__s64 state[IGEN_CHECK_STATE];
};

struct checker {
	struct igen_check check;
	struct memory contexts[CONTEXTS];
	struct memory *now;		/* whose state is in check */
	uint64_t clock;
	__s64 initial[IGEN_CHECK_STATE];
	_Atomic uint64_t *commands;
};

static _Atomic unsigned int logged;

static void report(void *data, const struct igen_finding *f)
{
	struct engine *e = data;
	const char *writer = cs_privileged(e) ? "driver" : "user";
	char group[24], name[400];

	snprintf(group, sizeof(group), "findings.%s", writer);
	snprintf(name, sizeof(name), "%s %s%s%s: %s", f->rule->id, f->cmd ? f->cmd->key : "end",
		 f->field ? ", " : "", f->field ? f->field->name : "", f->section);
	if (atomic_fetch_add_explicit(counter_get(group, name), 1, memory_order_relaxed) ||
	    atomic_fetch_add(&logged, 1) >= e->gpu->config.validate_log)
		return;
	model_log("validator: %s, %s's command at %llx: %s: %s (%s)", e->info->name, writer,
		  (unsigned long long)f->address, name, f->rule->text,
		  f->rule->severity == IGEN_ERROR ? "error" : "warning");
}

/**
 * cs_finding - counts a mistake of the driver that is none of a command
 * @e: the engine
 * @what: the finding: a short name, a colon and what is wrong
 */
void cs_finding(struct engine *e, const char *what)
{
	if (atomic_fetch_add_explicit(counter_get("findings.driver", what), 1, memory_order_relaxed) ||
	    atomic_fetch_add(&logged, 1) >= e->gpu->config.validate_log)
		return;
	model_log("validator: %s: %s", e->info->name, what);
}

/**
 * cs_check_init - makes the engine's checker if the setting wants one
 * @e: the engine, with its decoder
 *
 * Return: false when memory is short.
 */
bool cs_check_init(struct engine *e)
{
	struct checker *c;

	if (!e->gpu->config.validate)
		return true;
	c = calloc(1, sizeof(*c));
	if (!c)
		return false;
	igen_check_init(&c->check, e->decoder->set, e->decoder->engine, report, e);
	memcpy(c->initial, c->check.state, sizeof(c->initial));
	c->commands = counter_own("commands_validated", e->info->name, e->info->id);
	e->checker = c;
	return true;
}

static struct memory *find(struct checker *c, uint64_t lrca)
{
	struct memory *oldest = c->contexts;

	for (unsigned int i = 0; i < CONTEXTS; i++) {
		if (c->contexts[i].lrca == lrca)
			return &c->contexts[i];
		if (c->contexts[i].used < oldest->used)
			oldest = &c->contexts[i];
	}
	oldest->lrca = 0;
	return oldest;
}

/**
 * cs_check_load - a list has loaded a context
 * @e: the engine
 * @lrca: tells contexts apart
 */
void cs_check_load(struct engine *e, uint64_t lrca)
{
	cs_check_enter(e, lrca, reg_get(e, RING_CTX_CTL(0)) & CTX_CTL_RESTORE_INHIBIT);
}

/**
 * cs_check_enter - a context was loaded
 * @e: the engine
 * @lrca: tells contexts apart
 * @fresh: nothing of it was restored
 */
void cs_check_enter(struct engine *e, uint64_t lrca, bool fresh)
{
	struct checker *c = e->checker;

	if (!c)
		return;
	c->now = find(c, lrca);
	if (c->now->lrca != lrca || fresh)
		memcpy(c->check.state, c->initial, sizeof(c->check.state));
	else
		memcpy(c->check.state, c->now->state, sizeof(c->check.state));
	c->now->lrca = lrca;
	c->now->used = ++c->clock;
}

/**
 * cs_check_save - a context is left
 * @e: the engine
 * @how: complete, preempted or waiting, or stopped by a reset
 */
void cs_check_save(struct engine *e, enum cs_result how)
{
	struct checker *c = e->checker;

	if (!c || !c->now)
		return;
	if (how == CS_COMPLETE) {
		c->check.level = 0;
		c->check.unprivileged = false;
		c->check.wa = false;
		igen_check_end(&c->check, cs_address(e));
	}
	if (how == CS_STOPPED)
		c->now->lrca = 0;
	else
		memcpy(c->now->state, c->check.state, sizeof(c->now->state));
	c->now = NULL;
}

/**
 * cs_check_command - looks at the command that is about to be executed
 * @e: the engine; it has a checker
 * @have: dwords of the command that could be fetched
 */
void cs_check_command(struct engine *e, unsigned int have)
{
	const struct cs *cs = &e->cs;
	struct checker *c = e->checker;
	const struct igen_inst inst = {
		.cmd = cs->cmd, .dw = cs->dw, .length = cs->len, .have = have,
	};

	c->check.level = cs->level;
	c->check.unprivileged = !cs_privileged(e);
	c->check.wa = cs->workaround;
	igen_check_inst(&c->check, &inst, cs->addr_before);
	counter_add(c->commands, 1);
}
