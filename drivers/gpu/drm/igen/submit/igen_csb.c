// SPDX-License-Identifier: MIT
/**
 * DOC: Context status buffer
 *
 * What the hardware did with its lists it says in six entries of the status page, and an interrupt says that there are
 * new ones. From these follows what each port has: a list becomes active with the event that the hardware went from
 * idle to active or preempted what ran; every other event completes the first active context. An event that fits to
 * neither changes nothing and has the engine restarted, since one was lost or made up; nobody is to blame then. Before
 * any reset the stopped engine is asked what it is in, which makes up for the last events, should they have been lost.
 */

#include <igen/regs/context.h>
#include <igen/regs/engine.h>

#include "igen_execlists.h"

/**
 * igen_ports_forget_followed - do not wait any more for who follows what has left the hardware
 * @el: the backend
 *
 * Context: group->lock held, or nobody else is there.
 */
void igen_ports_forget_followed(struct igen_execlists *el)
{
	if (el->followed)
		igen_request_put(el->followed);
	el->followed = NULL;
}

/**
 * igen_ports_note_followed - take note of what has completed and has followers
 * @el: the backend; what runs is about to leave the hardware
 *
 * Followers are told at the latest by the interrupt for that.
 *
 * Context: group->lock held.
 */
void igen_ports_note_followed(struct igen_execlists *el)
{
	struct igen_request *rq;
	unsigned int n;

	for (n = 0; n < NUM_PORTS && el->active[n]; n++) {
		rq = el->active[n];
		if (likely(!atomic_read(&rq->followers)) || !igen_request_completed(rq))
			continue;
		igen_ports_forget_followed(el);
		el->followed = igen_request_get(rq);
	}
}

static void put_port(struct igen_request **port)
{
	if (*port) {
		(*port)->lrc->ports--;
		igen_lrc_put((*port)->lrc);
		igen_request_put(*port);
	}
	*port = NULL;
}

static void put_ports(struct igen_request **ports)
{
	unsigned int n;

	for (n = 0; n < NUM_PORTS; n++)
		put_port(&ports[n]);
}

static void note_change(struct igen_execlists *el)
{
	el->changes++;
	el->since = jiffies;
	el->slice_over = false;
	el->waited = false;
}

/**
 * igen_ports_note_runtimes - ask contexts' images how long they have had the engine
 * @ports: a list, whose contexts the engine may have saved
 *
 * Context: group->lock held.
 */
void igen_ports_note_runtimes(struct igen_request *const *ports)
{
	unsigned int n;

	for (n = 0; n < NUM_PORTS && ports[n]; n++)
		igen_lrc_note_runtime(ports[n]->lrc);
}

/**
 * igen_ports_release - empty all ports
 * @el: the backend; the hardware has forgotten what it was given
 *
 * Context: group->lock held, or nobody else is there.
 */
void igen_ports_release(struct igen_execlists *el)
{
	note_change(el);
	el->moves++;
	igen_ports_forget_followed(el);
	put_ports(el->active);
	put_ports(el->pending);
}

/* The list that was written is what runs now. */
static void promote(struct igen_execlists *el)
{
	bool stays = el->active[0] && el->active[0]->lrc == el->pending[0]->lrc;
	bool waited = el->waited;

	note_change(el);
	/* A lite restore interrupts no wait, which is not told again. */
	el->waited = waited && stays;
	el->moves += !stays;
	igen_ports_note_runtimes(el->active);
	igen_ports_note_followed(el);
	put_ports(el->active);
	memcpy(el->active, el->pending, sizeof(el->active));
	memset(el->pending, 0, sizeof(el->pending));
}

/* The first context that runs has run dry. */
static void complete_port(struct igen_execlists *el)
{
	note_change(el);
	el->moves++;
	igen_lrc_note_runtime(el->active[0]->lrc);
	igen_ports_note_followed(el);
	put_port(&el->active[0]);
	el->active[0] = el->active[1];
	el->active[1] = NULL;
}

/* The list that an event says is running, or the context that has run dry; false when it can't be about either. */
static bool apply_event(struct igen_execlists *el, u32 status, u32 id)
{
	if (status & CSB_RESERVED_MASK)
		return false;

	if (status & (CSB_IDLE_TO_ACTIVE | CSB_PREEMPTED)) {
		if (!el->pending[0] || (status & CSB_PREEMPTED && !el->active[0]))
			return false;
		promote(el);
		return true;
	}

	if (!(status & CSB_CONTEXT_COMPLETE) || !el->active[0] || id != upper_32_bits(el->active[0]->lrc->desc))
		return false;
	complete_port(el);
	return true;
}

/* We no longer know what the engine runs. */
static void lost_track(struct igen_engine *engine, const char *what, u32 value)
{
	struct igen_execlists *el = to_execlists(engine);

	el->strange_events++;
	drm_err_ratelimited(&engine->igen->drm, "%s: %s 0x%x makes no sense, the engine is restarted\n",
			    engine->info->name, what, value);
	igen_heartbeat_fail(engine, IGEN_ENGINE_LOST_TRACK);
}

/**
 * igen_csb_process - read the events that came since the last time
 * @engine: the engine
 *
 * Return: whether there were any.
 * Context: group->lock held.
 */
bool igen_csb_process(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	unsigned int write = READ_ONCE(*el->csb_write);
	unsigned int read = el->csb_read;

	if (read == write)
		return false;
	if (unlikely(write >= GEN9_CSB_ENTRIES)) {
		lost_track(engine, "event number", write);
		return false;
	}

	/* The entries are written before the index. */
	rmb();
	do {
		u32 status;

		read = (read + 1) % GEN9_CSB_ENTRIES;
		status = READ_ONCE(el->csb[2 * read]);
		if (unlikely(!apply_event(el, status, READ_ONCE(el->csb[2 * read + 1]))))
			lost_track(engine, "event", status);
	} while (read != write);
	el->csb_read = read;
	return true;
}

/**
 * igen_csb_reset - bring the CSB to what a reset leaves
 * @engine: the engine, which does not run
 *
 * The next event goes to entry 0.
 *
 * Context: group->lock held, or nobody else is there.
 */
void igen_csb_reset(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	u32 *csb = engine->hwsp_vaddr + HWSP_CSB_DW;

	igen_write(engine->igen, RING_CTX_STATUS_PTR(engine->info->base),
		   IGEN_MASKED_FIELD(0xffffu, IGEN_PREP(CTX_STATUS_PTR_READ_MASK, GEN9_CSB_RESET_PTR) |
				     GEN9_CSB_RESET_PTR));
	memset(csb, 0xff, 2 * GEN9_CSB_ENTRIES * sizeof(*csb));
	engine->hwsp_vaddr[HWSP_CSB_WRITE_PTR_DW] = GEN9_CSB_RESET_PTR;
	el->csb_read = GEN9_CSB_RESET_PTR;
	/* In place before the engine runs. */
	wmb();
}

/* What the engine says that it is in: EXECLIST_STATUS, false when it can't be asked. */
static bool read_status(struct igen_engine *engine, u32 *status, u32 *id)
{
	struct igen_device *igen = engine->igen;
	u32 base = engine->info->base;

	if (igen_forcewake_get(igen, engine->info->forcewake))
		return false;
	*status = igen_read(igen, RING_EXECLIST_STATUS_LO(base));
	*id = igen_read(igen, RING_EXECLIST_STATUS_HI(base));
	igen_forcewake_put(igen, engine->info->forcewake);
	return true;
}

/* The port of a list that has this context, or NUM_PORTS. */
static unsigned int port_of(struct igen_request *const *ports, u32 id)
{
	unsigned int n;

	for (n = 0; n < NUM_PORTS && ports[n]; n++)
		if (upper_32_bits(ports[n]->lrc->desc) == id)
			return n;
	return NUM_PORTS;
}

/**
 * igen_csb_note_stop - ask the engine what it is in, before a reset makes it forget
 * @engine: the engine, stopped, awake
 *
 * Context: group->lock held.
 */
void igen_csb_note_stop(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	igen_csb_process(engine);
	el->stop_changes = el->changes;
	el->stopped = read_status(engine, &el->stop_status, &el->stop_id) &&
		      el->stop_status & EXECLIST_STATUS_ACTIVE_MASK;
}

/**
 * igen_csb_catch_up - make up for events that were lost before the engine was stopped
 * @engine: the engine, for which igen_csb_note_stop() was called, and whose events were read
 *
 * What it has left it has saved, so that this goes on there; what it is in begins anew. An event that came after all
 * counts more.
 *
 * Context: group->lock held.
 */
void igen_csb_catch_up(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	el->stopped = false;
	if (el->changes != el->stop_changes)
		return;
	if (el->pending[0] && !(el->stop_status & EXECLIST_STATUS_QUEUE_FULL) &&
	    port_of(el->pending, el->stop_id) < NUM_PORTS)
		promote(el);
	if (port_of(el->active, el->stop_id) == 1)
		complete_port(el);
}

/**
 * igen_csb_is_misread - ask whether the engine is elsewhere than its events have told
 * @engine: the engine, awake
 *
 * True for a moment while an event is on its way; for longer when one was lost.
 *
 * Context: group->lock held.
 */
bool igen_csb_is_misread(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	u32 status, id;

	lockdep_assert_held(&engine->group->lock);

	if (!read_status(engine, &status, &id))
		return false;
	/* It has taken the list that was written last. */
	if (el->pending[0] && !(status & EXECLIST_STATUS_QUEUE_FULL))
		return true;
	if (!(status & EXECLIST_STATUS_ACTIVE_MASK))
		return el->active[0];
	return port_of(el->active, id) == NUM_PORTS;
}
