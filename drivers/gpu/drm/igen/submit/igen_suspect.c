// SPDX-License-Identifier: MIT
/**
 * DOC: Suspects
 *
 * A heartbeat or a timeout finds that an engine hangs; the reset may come much later. Another request may run by then,
 * and the hang may be no more than a lost event. So the code that finds the hang notes the request that the engine is
 * in (the suspect), and the reset compares it with the request that the engine is in by then.
 */
#include <linux/delay.h>

#include "../igen_device.h"
#include "igen_reset.h"
#include "igen_submit.h"

/* The longest time that an event takes from the engine to memory. */
#define EVENT_LATENCY_US	1000

/* A suspect is innocent when an event was lost, but not more often than this in a row. */
#define MAX_INNOCENT	2

/**
 * igen_suspect_note - note the request that an engine seems to hang in
 * @engine: the engine
 * @suspect: the suspect, filled here; igen_suspect_drop() releases it
 *
 * Context: group->lock held.
 */
void igen_suspect_note(struct igen_engine *engine, struct igen_suspect *suspect)
{
	struct igen_engine_state state;

	engine->igen->platform->submit->state(engine, false, &state);
	*suspect = (struct igen_suspect) {
		.rq = state.active ? igen_request_get(state.active) : NULL,
		.moves = state.moves,
		.resets = engine->resets,
	};
}

/**
 * igen_suspect_drop - release a suspect
 * @suspect: what igen_suspect_note() filled
 *
 * Context: any.
 */
void igen_suspect_drop(struct igen_suspect *suspect)
{
	if (suspect->rq)
		igen_request_put(suspect->rq);
	suspect->rq = NULL;
}

/**
 * igen_suspect_is_in - ask whether an engine is still in the request that it seemed to hang in
 * @state: the engine's state now
 * @suspect: the suspect
 *
 * Return: true when the engine has neither left the suspect's context nor come to it anew.
 * Context: group->lock held, since @state was taken.
 */
bool igen_suspect_is_in(const struct igen_engine_state *state, const struct igen_suspect *suspect)
{
	return state->active == suspect->rq && state->moves == suspect->moves;
}

/**
 * igen_suspect_is_over - ask whether a hang is over
 * @engine: the engine
 * @suspect: the suspect
 *
 * Several parts of the driver may find the same hang. The one that comes late must not reset the request that runs now.
 *
 * Return: true when the engine was reset meanwhile or has left the suspect by itself.
 * Context: reset_mutex held; takes group->lock.
 */
bool igen_suspect_is_over(struct igen_engine *engine, const struct igen_suspect *suspect)
{
	struct igen_engine_state state;
	bool over;

	if (suspect->certain)
		return suspect->resets != engine->resets;
	spin_lock_irq(&engine->group->lock);
	engine->igen->platform->submit->state(engine, false, &state);
	over = suspect->resets != engine->resets || !igen_suspect_is_in(&state, suspect);
	spin_unlock_irq(&engine->group->lock);
	return over;
}

/**
 * igen_suspect_is_innocent - ask whether the engine has left the suspect, and only the event was lost
 * @engine: the engine
 * @suspect: the suspect
 *
 * The function looks twice, EVENT_LATENCY_US apart, so that an event on its way can arrive. The same suspect is
 * innocent MAX_INNOCENT times in a row. After that the suspect is guilty: its batch may keep the engine from sending
 * events.
 *
 * Return: true when the suspect is innocent.
 * Context: may sleep; reset_mutex held; takes group->lock.
 */
bool igen_suspect_is_innocent(struct igen_engine *engine, const struct igen_suspect *suspect)
{
	struct igen_engine_state state;
	u64 context = 0, seqno = 0;
	unsigned int look;

	if (suspect->certain)
		return false;
	for (look = 0; look < 2; look++) {
		if (look)
			usleep_range(EVENT_LATENCY_US, 2 * EVENT_LATENCY_US);
		spin_lock_irq(&engine->group->lock);
		engine->igen->platform->submit->state(engine, true, &state);
		spin_unlock_irq(&engine->group->lock);
		if (!igen_suspect_is_in(&state, suspect) || state.certain)
			return false;
	}

	/* Without a request the engine seems to be in a context that has nothing left to do. */
	if (suspect->rq) {
		context = suspect->rq->fence.context;
		seqno = suspect->rq->fence.seqno;
	}
	if (engine->innocent_context != context || engine->innocent_seqno != seqno)
		engine->times_innocent = 0;
	engine->innocent_context = context;
	engine->innocent_seqno = seqno;
	return engine->times_innocent++ < MAX_INNOCENT;
}
