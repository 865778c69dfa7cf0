// SPDX-License-Identifier: MIT
/*
 * DOC: Which state a context has set
 *
 * The 3D pipeline is parsed and not executed, but a draw depends on all of its state, and what a context has never set
 * is whatever the pipeline had: on silicon that may hang, or show another context's. So the model remembers for each
 * context which 3DSTATE commands it has executed, keeps that in the context's image, as silicon keeps the state itself
 * there, and has it back when the image is loaded. A context that starts from the copy of an image has what is set
 * there; one that restores nothing has nothing.
 *
 * At a draw each state command that the context has not is counted in "undefined_state". Not asked for are commands
 * that are of use only with pools that a context switches on itself, and those that do something rather than set it.
 */
#include <stdlib.h>
#include <string.h>

#include "cs/cs.h"
#include "igen/regs/context.h"

/* In the image's register state, behind what the pipeline's registers take. */
#define STATE_SET_DW		0x600
#define STATE_SET_MAGIC		0x1d57a7e5u
#define MAX_STATES		(STATE_SET_DWORDS * 32u)

static const char *const not_asked[] = {
	"3DSTATE_BINDING_TABLE_EDIT_", "3DSTATE_URB_CLEAR", "3DSTATE_DX9_CONSTANT", "3DSTATE_DX9_LOCAL_VALID_",
	"3DSTATE_DX9_GENERATE_ACTIVE_", "3DSTATE_GATHER_CONSTANT_", "3DSTATE_RS_CONSTANT_POINTER",
};

static const struct vm_ref ggtt = { .ggtt = true };

static bool is_asked(const char *name)
{
	if (strncmp(name, "3DSTATE_", 8))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(not_asked); i++)
		if (!strncmp(name, not_asked[i], strlen(not_asked[i])))
			return false;
	return true;
}

/**
 * cs_state_init - finds the state commands among those of the platform
 * @e: the render engine, with its decoder
 *
 * Return: false without memory.
 */
bool cs_state_init(struct engine *e)
{
	const struct igen_cmd_set *set = e->decoder->set;

	e->states = calloc(MAX_STATES, sizeof(*e->states));
	e->state_counters = calloc(MAX_STATES, sizeof(*e->state_counters));
	e->state_of = calloc(set->ncmds, sizeof(*e->state_of));
	if (!e->states || !e->state_counters || !e->state_of)
		return false;
	for (unsigned int i = 0; i < set->ncmds; i++) {
		if (!is_asked(set->cmds[i].name))
			continue;
		if (e->num_states == MAX_STATES)
			model_die("more than %u state commands", MAX_STATES);
		e->states[e->num_states++] = &set->cmds[i];
		e->state_of[i] = (uint8_t)e->num_states;
	}
	e->states_missing = e->num_states;
	return true;
}

static bool is_set(const struct engine *e, unsigned int state)
{
	return e->state_set[state / 32] & 1u << state % 32;
}

/**
 * cs_state_note - a command of the 3D pipeline is executed
 * @e: the render engine; its command is parsed
 */
enum cs_result cs_state_note(struct engine *e)
{
	unsigned int state = e->state_of ? e->state_of[e->cs.cmd - e->decoder->set->cmds] : 0;

	if (!state-- || is_set(e, state))
		return CS_CONTINUE;
	e->state_set[state / 32] |= 1u << state % 32;
	e->states_missing--;
	return CS_CONTINUE;
}

/**
 * cs_state_draw - a draw is executed: counts what it depends on and the context has not set
 * @e: the render engine
 */
enum cs_result cs_state_draw(struct engine *e)
{
	for (unsigned int i = 0; e->states_missing && i < e->num_states; i++) {
		if (is_set(e, i))
			continue;
		if (!e->state_counters[i])
			e->state_counters[i] = counter_own("undefined_state", e->states[i]->name, e->info->id);
		counter_add(e->state_counters[i], 1);
	}
	return CS_CONTINUE;
}

/**
 * cs_state_save - keeps what is set in the context's image
 * @e: the render engine
 * @state: address of the image's register state
 *
 * Return: false on a page fault.
 */
bool cs_state_save(struct engine *e, uint64_t state)
{
	uint32_t dw[1 + STATE_SET_DWORDS] = { STATE_SET_MAGIC };

	memcpy(dw + 1, e->state_set, sizeof(e->state_set));
	return vm_write(&e->view, &ggtt, state + STATE_SET_DW * 4, dw, sizeof(dw));
}

/**
 * cs_state_load - has it back
 * @e: the render engine
 * @state: address of the image's register state; 0: nothing is restored
 *
 * Return: false on a page fault.
 */
bool cs_state_load(struct engine *e, uint64_t state)
{
	uint32_t dw[1 + STATE_SET_DWORDS] = { 0 };

	if (state && !vm_read(&e->view, &ggtt, state + STATE_SET_DW * 4, dw, sizeof(dw)))
		return false;
	/* An image that no engine has saved has no state either. */
	if (dw[0] != STATE_SET_MAGIC)
		memset(dw, 0, sizeof(dw));
	memcpy(e->state_set, dw + 1, sizeof(e->state_set));
	e->states_missing = e->num_states;
	for (unsigned int i = 0; i < e->num_states; i++)
		e->states_missing -= is_set(e, i);
	return true;
}
