// SPDX-License-Identifier: MIT
/**
 * DOC: Handlers of commands
 *
 * A table names the commands that the model executes; those of the blitter are in blt_commands. At start each command
 * of the platform's set gets the handler of its name, and the shortest length that the database says engines take; the
 * parser then goes from a command's number to its handler. So a handler serves each generation that has a command of
 * that name: it reads the command by the structures that are the same for all generations (tools/cmdgen, "neutral").
 *
 * A name that no generation has is a mistake in the tables, and the model does not start. Of the commands without a
 * row, an MI command and a blitter command stop the engine, one that the database has as state is kept, and all others
 * are parsed without effect.
 */
#include <stdlib.h>
#include <string.h>

#include "cs/cs.h"
#include "igen/cmd/mi.h"

/* Nothing to wait for, to switch to, to filter, to flush or to report here. */
static enum cs_result no_effect(struct engine *e)
{
	count("commands_without_effect", e->cs.cmd->name, 1);
	return CS_CONTINUE;
}

static enum cs_result not_implemented(struct engine *e)
{
	return cs_refuse(e, "MI command that is not implemented");
}

/* Media commands and whatever else the render and video engines parse. */
static enum cs_result parsed(struct engine *e)
{
	(void)e;
	return CS_CONTINUE;
}

/* State that the pipeline's work must not see change waits for that work. */
static enum cs_result flush_and_note(struct engine *e)
{
	enum cs_result r = cs_pipeline_flush(e);

	return r == CS_CONTINUE ? cs_state_note(e) : r;
}

const struct cs_handler cs_handlers[] = {
	{ "MI_NOOP", cs_mi_noop, CS_MEDIA },
	{ "MI_ARB_CHECK", cs_mi_arb_check },
	{ "MI_ARB_ON_OFF", cs_mi_arb_on_off, CS_MEDIA },
	{ "MI_ATOMIC", cs_mi_atomic },
	{ "MI_BATCH_BUFFER_END", cs_mi_batch_buffer_end, CS_ENDS },
	{ "MI_BATCH_BUFFER_START", cs_mi_batch_buffer_start, CS_STARTS },
	{ "MI_CLFLUSH", no_effect },
	{ "MI_CONDITIONAL_BATCH_BUFFER_END", cs_mi_conditional_batch_buffer_end },
	{ "MI_COPY_MEM_MEM", cs_mi_copy_mem_mem },
	{ "MI_DISPLAY_FLIP", no_effect },
	{ "MI_FLUSH", no_effect },
	{ "MI_FLUSH_DW", cs_mi_flush_dw },
	{ "MI_FORCE_WAKEUP", no_effect },
	{ "MI_LOAD_REGISTER_IMM", cs_mi_load_register_imm },
	{ "MI_LOAD_REGISTER_MEM", cs_mi_load_register_mem },
	{ "MI_LOAD_REGISTER_REG", cs_mi_load_register_reg },
	{ "MI_LOAD_SCAN_LINES_EXCL", no_effect },
	{ "MI_LOAD_SCAN_LINES_INCL", no_effect },
	{ "MI_LOAD_URB_MEM", no_effect },
	{ "MI_MATH", cs_mi_math },
	{ "MI_PREDICATE", cs_mi_predicate },
	{ "MI_REPORT_HEAD", cs_mi_report_head },
	{ "MI_REPORT_PERF_COUNT", no_effect },
	{ "MI_RS_CONTEXT", no_effect },
	{ "MI_RS_CONTROL", no_effect },
	{ "MI_RS_STORE_DATA_IMM", no_effect },
	{ "MI_SEMAPHORE_MBOX", cs_mi_semaphore_mbox },
	{ "MI_SEMAPHORE_SIGNAL", cs_mi_semaphore_signal },
	{ "MI_SEMAPHORE_WAIT", cs_mi_semaphore_wait },
	{ "MI_SET_APPID", no_effect },
	{ "MI_SET_CONTEXT", cs_mi_set_context },
	{ "MI_SET_PREDICATE", cs_mi_set_predicate, CS_PREDICATES },
	{ "MI_STORE_DATA_IMM", cs_mi_store_data_imm },
	{ "MI_STORE_DATA_INDEX", cs_mi_store_data_index },
	{ "MI_STORE_REGISTER_MEM", cs_mi_store_register_mem },
	{ "MI_STORE_URB_MEM", no_effect },
	{ "MI_SUSPEND_FLUSH", no_effect },
	{ "MI_TOPOLOGY_FILTER", no_effect },
	{ "MI_UPDATE_GTT", cs_mi_update_gtt },
	{ "MI_URB_ATOMIC_ALLOC", no_effect },
	{ "MI_URB_CLEAR", no_effect },
	{ "MI_USER_INTERRUPT", cs_mi_user_interrupt },
	{ "MI_WAIT_FOR_EVENT", no_effect },
	/* Pipelined work at whose boundaries the render engine may be preempted has CS_POINT. */
	{ "3DPRIMITIVE", cs_draw, CS_WHOLE | CS_POINT },
	{ "GPGPU_WALKER", cs_walker, CS_WHOLE | CS_POINT },
	/* MEDIA_STATE_FLUSH waits for the pipeline and has no other effect. */
	{ "GPGPU_CSR_BASE_ADDRESS", flush_and_note, CS_WHOLE },
	{ "MEDIA_STATE_FLUSH", cs_media_state_flush, CS_MEDIA },
	{ "PIPELINE_SELECT", flush_and_note, CS_WHOLE },
	{ "STATE_BASE_ADDRESS", flush_and_note, CS_WHOLE },
	{ "MEDIA_VFE_STATE", flush_and_note, CS_WHOLE },
	{ "MEDIA_OBJECT", cs_media_object, CS_WHOLE | CS_POINT | CS_MEDIA },
	{ "MEDIA_OBJECT_PRT", cs_media_object_prt, CS_WHOLE | CS_POINT | CS_MEDIA },
	{ "MEDIA_OBJECT_GRPID", cs_media_object_grpid, CS_WHOLE | CS_POINT | CS_MEDIA },
	{ "MEDIA_OBJECT_WALKER", cs_media_object_walker, CS_WHOLE | CS_POINT | CS_MEDIA },
	/* It is frequent, so each generation has one of its own. */
	{ "PIPE_CONTROL", cs_pipe_control_gen6, CS_WHOLE, &igen_cmds_gen6 },
	{ "PIPE_CONTROL", cs_pipe_control_gen7, CS_WHOLE, &igen_cmds_gen7 },
	{ "PIPE_CONTROL", cs_pipe_control_gen9, CS_WHOLE, &igen_cmds_gen9 },
	{ "PIPE_CONTROL", cs_pipe_control_gen12, CS_WHOLE, &igen_cmds_gen12 },
	{ NULL }
};

static const struct igen_cmd_set *const sets[] = {
	&igen_cmds_gen6, &igen_cmds_gen7, &igen_cmds_gen9, &igen_cmds_gen12,
};

static bool set_has(const struct igen_cmd_set *set, const char *name)
{
	for (unsigned int i = 0; i < set->ncmds; i++)
		if (!strcmp(set->cmds[i].name, name))
			return true;
	return false;
}

/* Is there such a command in any generation? */
static bool is_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		if (set_has(sets[i], name))
			return true;
	return false;
}

/**
 * cs_unknown_handler - looks for a mistake in a table of handlers
 * @handlers: the table; its last row has no name
 *
 * Return: the first name that is no command of any generation, or that is there twice for one; NULL if there is none.
 */
const char *cs_unknown_handler(const struct cs_handler *handlers)
{
	for (const struct cs_handler *h = handlers; h->name; h++) {
		bool known = is_command(h->name);

		for (const struct cs_handler *other = handlers; other < h; other++)
			known = known && (strcmp(other->name, h->name) ||
					  (other->set && h->set && other->set != h->set));
		if (!known)
			return h->name;
	}
	return NULL;
}

/**
 * cs_unknown_blit - looks for a mistake in a table of the blitter's commands
 * @commands: the table; its last row has no name
 *
 * Return: as cs_unknown_handler().
 */
const char *cs_unknown_blit(const struct blt_command *commands)
{
	for (const struct blt_command *c = commands; c->name; c++) {
		bool known = is_command(c->name);

		for (const struct blt_command *other = commands; other < c; other++)
			known = known && strcmp(other->name, c->name);
		if (!known)
			return c->name;
	}
	return NULL;
}

static const struct cs_handler *find(const struct igen_cmd_set *set, const char *name)
{
	for (const struct cs_handler *h = cs_handlers; h->name; h++)
		if (!strcmp(h->name, name) && (!h->set || h->set == set))
			return h;
	return NULL;
}

/* What the model does with a command that has no row in cs_handlers. */
static struct cs_dispatch by_type(const struct igen_cmd *cmd)
{
	unsigned int type = IGEN_GET(CMD_TYPE_MASK, cmd->match);

	if (type == CMD_TYPE_MI)
		return (struct cs_dispatch){ .execute = not_implemented, .flags = CS_WHOLE };
	if (type == CMD_TYPE_BLT)
		return (struct cs_dispatch){ cs_blit, blt_command_of(cmd->name), cmd->takes, CS_WHOLE };
	if (cmd->state != IGEN_STATE_NONE)
		return (struct cs_dispatch){ .execute = cs_state_note, .flags = CS_WHOLE };
	return (struct cs_dispatch){ .execute = parsed };
}

static bool reads_fields(const struct cs_handler *h)
{
	return h->execute != no_effect && h->execute != parsed && h->execute != cs_state_walk &&
	       h->execute != flush_and_note && h->execute != cs_media_state_flush;
}

/* Does not return when the table has a name that no generation has. */
static struct cs_dispatch *dispatch_new(const struct igen_cmd_set *set)
{
	const char *unknown = cs_unknown_handler(cs_handlers);
	struct cs_dispatch *d = calloc(set->ncmds, sizeof(*d));

	if (!unknown)
		unknown = cs_unknown_blit(blt_commands);
	if (unknown)
		model_die("a handler of %s, which is no command, or has another handler", unknown);
	if (!d)
		model_die("no memory for the commands' handlers");
	for (unsigned int i = 0; i < set->ncmds; i++) {
		const struct igen_cmd *cmd = &set->cmds[i];
		const struct cs_handler *h = find(set, cmd->name);

		d[i] = by_type(cmd);
		if (!h)
			continue;
		d[i].execute = h->execute;
		d[i].flags |= (uint16_t)h->flags;
		if (reads_fields(h))
			d[i].least = cmd->takes;
	}
	return d;
}

/* The dispatch tables that were asked for. */
static struct table {
	struct table *next;
	const struct igen_cmd_set *set;
	const struct cs_dispatch *dispatch;
} *tables;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/**
 * cs_dispatch_of - the handlers of a set's commands
 * @set: the commands of the platform
 *
 * Does not return when cs_handlers or blt_commands has a name that no generation has.
 *
 * Return: one entry for each command, in the set's order; it lives as long as the program.
 */
const struct cs_dispatch *cs_dispatch_of(const struct igen_cmd_set *set)
{
	struct table *t;

	pthread_mutex_lock(&lock);
	for (t = tables; t && t->set != set; t = t->next)
		;
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			model_die("no memory for the commands' handlers");
		*t = (struct table){ tables, set, dispatch_new(set) };
		tables = t;
	}
	pthread_mutex_unlock(&lock);
	return t->dispatch;
}
