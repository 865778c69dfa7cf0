// SPDX-License-Identifier: MIT
/**
 * DOC: Context status buffer
 *
 * The hardware reports each step of its lists as an event: it writes one of six entries in the status page, then the
 * index of that entry, then it interrupts. From the events the driver follows what the ports hold:
 *
 * ===================================== ==============================================================================
 * IDLE_TO_ACTIVE, PREEMPTED             the hardware has taken the pending list, which is now active
 * CONTEXT_COMPLETE without these        the first active context has run dry; the second one is now the first
 * any other, or one that does not fit   an event was lost or forged (igen_csb_check.c): the ports stay, and the engine
 *                                       is restarted
 * ===================================== ==============================================================================
 *
 * The index can get to memory before its entry, as stock i915 has met on silicon. So the driver overwrites each entry
 * that it has read with ones. An entry that still has ones has not come yet, and is read from the engine's registers.
 *
 * Before each reset the driver reads from the stopped engine's registers which context the engine is in. So a context
 * that the engine has left keeps its progress even if the last events were lost (igen_csb_catch_up()). If no lost event
 * explains where the engine is, the events were forged so that they fit the lists. Then no context is blamed for this
 * reset, and the driver reads the events from registers for a while: the next hang is its author's.
 *
 * On Gen9 a client's batch can write to the status page (MI_STORE_DATA_INDEX), and so can forge events. The driver
 * believes that the engine has left a context only if the engine has saved the image, or if EXECLIST_STATUS agrees.
 */

#include <igen/regs/context.h>
#include <igen/regs/engine.h>

#include "igen_execlists.h"

/* The bits of the write pointer in the status page. */
#define CSB_WRITE_MASK	0xffu

/* The lower half of an entry that the engine has not written. */
#define CSB_NO_ENTRY	(~0u)

/**
 * igen_ports_forget_followed - do not wait any more for followers of the request that left the hardware last
 * @el: the backend
 *
 * Context: group->lock held, or no other code runs.
 */
void igen_ports_forget_followed(struct igen_execlists *el)
{
	if (el->followed)
		igen_request_put(el->followed);
	el->followed = NULL;
}

/**
 * igen_ports_note_followed - note the request in a port that has completed and has followers
 * @el: the backend; the contexts in its ports are about to leave the hardware
 *
 * The interrupt for their leaving queues the followers at the latest.
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

static void csb_put_port(struct igen_request **port)
{
	if (*port) {
		to_lrc_execlists((*port)->lrc)->ports--;
		igen_lrc_put((*port)->lrc);
		igen_request_put(*port);
	}
	*port = NULL;
}

static void csb_put_ports(struct igen_request **ports)
{
	unsigned int n;

	for (n = 0; n < NUM_PORTS; n++)
		csb_put_port(&ports[n]);
}

static void csb_note_change(struct igen_execlists *el)
{
	el->changes++;
	el->since = jiffies;
	el->slice_over = false;
	el->waited = false;
}

/* A context may have left the engine: its image tells how long it ran, and its client pays for that time. */
static void csb_note_runtime(struct igen_request *rq)
{
	igen_lrc_note_runtime(rq->lrc);
	igen_queue_pay(rq);
}

/**
 * igen_ports_note_runtimes - read from contexts' images how long they have had the engine
 * @ports: a list, whose contexts the engine may have saved
 *
 * Context: group->lock held.
 */
void igen_ports_note_runtimes(struct igen_request *const *ports)
{
	unsigned int n;

	for (n = 0; n < NUM_PORTS && ports[n]; n++)
		csb_note_runtime(ports[n]);
}

/**
 * igen_ports_release - empty all ports
 * @el: the backend; the hardware has forgotten its lists
 *
 * Context: group->lock held, or no other code runs.
 */
void igen_ports_release(struct igen_execlists *el)
{
	csb_note_change(el);
	el->moves++;
	igen_ports_forget_followed(el);
	csb_put_ports(el->active);
	csb_put_ports(el->pending);
	igen_departure_note_reset(el);
}

/* The pending list becomes the active one. */
static void csb_promote(struct igen_execlists *el)
{
	bool stays = el->active[0] && el->active[0]->lrc == el->pending[0]->lrc;
	bool waited = el->waited;

	csb_note_change(el);
	/* A lite restore does not interrupt a semaphore wait, and the engine does not report the wait again. */
	el->waited = waited && stays;
	el->moves += !stays;
	igen_ports_note_runtimes(el->active);
	igen_ports_note_followed(el);
	csb_put_ports(el->active);
	memcpy(el->active, el->pending, sizeof(el->active));
	memset(el->pending, 0, sizeof(el->pending));
}

/* The first active context has run dry. */
static void csb_complete_port(struct igen_execlists *el)
{
	csb_note_change(el);
	el->moves++;
	csb_note_runtime(el->active[0]);
	igen_ports_note_followed(el);
	csb_put_port(&el->active[0]);
	el->active[0] = el->active[1];
	el->active[1] = NULL;
}

/**
 * igen_csb_read_status - ask the engine for its context
 * @engine: the engine, awake
 * @status: the lower half of EXECLIST_STATUS
 * @id: its upper half, the context
 *
 * Return: false when the engine can't be asked.
 * Context: any.
 */
bool igen_csb_read_status(struct igen_engine *engine, u32 *status, u32 *id)
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
static unsigned int csb_port_of(struct igen_request *const *ports, u32 id)
{
	unsigned int n;

	for (n = 0; n < NUM_PORTS && ports[n]; n++)
		if (upper_32_bits(ports[n]->lrc->image.desc) == id)
			return n;
	return NUM_PORTS;
}

/* The list has the context. */
static bool csb_has_lrc(struct igen_request *const *ports, const struct igen_lrc *lrc)
{
	unsigned int n;

	for (n = 0; n < NUM_PORTS && ports[n]; n++)
		if (ports[n]->lrc == lrc)
			return true;
	return false;
}

/*
 * Checks an event that says that the engine has left the first active context. If the engine has left it, it has saved
 * the image, where no batch can write, with a higher count of time. The check costs no register read then. If the image
 * looks unsaved, since the visit was shorter than a tick, the driver asks the engine. @taken: the event also says that
 * the hardware has taken the pending list.
 */
static bool csb_has_left_first(struct igen_engine *engine, bool taken)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_lrc *lrc = el->active[0]->lrc;
	u32 count = READ_ONCE(lrc->image.regs[CTX_TIMESTAMP]), status, id;

	if (likely(count != to_lrc_execlists(lrc)->left_mark)) {
		to_lrc_execlists(lrc)->left_mark = count;
		return true;
	}
	if (!igen_csb_read_status(engine, &status, &id))
		return true;
	if (taken)
		return !(status & EXECLIST_STATUS_QUEUE_FULL);
	/* The context may have come back with the pending list. */
	if (!(status & EXECLIST_STATUS_QUEUE_FULL) && csb_has_lrc(el->pending, lrc))
		return true;
	return !(status & EXECLIST_STATUS_ACTIVE_MASK) || id != upper_32_bits(lrc->image.desc);
}

/* Applies an event to the ports; false when it does not fit them. */
static bool csb_apply_event(struct igen_engine *engine, u32 status, u32 id)
{
	struct igen_execlists *el = to_execlists(engine);

	if (status & CSB_RESERVED_MASK)
		return false;

	if (status & (CSB_IDLE_TO_ACTIVE | CSB_PREEMPTED)) {
		if (!el->pending[0] || (status & CSB_PREEMPTED && !el->active[0]))
			return false;
		if (status & CSB_PREEMPTED && csb_port_of(el->active, id) == NUM_PORTS)
			return false;
		if (el->active[0] && el->active[0]->lrc != el->pending[0]->lrc && !csb_has_left_first(engine, true))
			return false;
		csb_promote(el);
		return true;
	}

	if (!(status & CSB_CONTEXT_COMPLETE) || !el->active[0] ||
	    id != upper_32_bits(el->active[0]->lrc->image.desc) || !csb_has_left_first(engine, false))
		return false;
	csb_complete_port(el);
	return true;
}

/* The driver no longer knows what the engine runs. */
static void csb_lost_track(struct igen_engine *engine, const char *what, u32 value)
{
	struct igen_execlists *el = to_execlists(engine);

	el->strange_events++;
	drm_err_ratelimited(&engine->igen->drm, "%s: %s 0x%x makes no sense, the engine is restarted\n",
			    engine->info->name, what, value);
	igen_heartbeat_fail(engine, IGEN_ENGINE_LOST_TRACK);
}

/* Finds out, once after each reset, whether the hardware or a batch has written a senseless event. */
static void csb_judge_once(struct igen_engine *engine, bool bad_pointer)
{
	struct igen_execlists *el = to_execlists(engine);

	if (!el->judged)
		igen_csb_judge(engine, bad_pointer);
	el->judged = true;
}

static bool csb_process_registers(struct igen_engine *engine)
{
	u32 status, id;
	bool any = false;

	while (igen_csb_fetch(engine, &status, &id)) {
		if (!csb_apply_event(engine, status, id))
			csb_lost_track(engine, "event", status);
		any = true;
		to_execlists(engine)->heard = true;
	}
	return any;
}

static void csb_read_entry(struct igen_engine *engine, unsigned int place, u32 *status, u32 *id)
{
	struct igen_execlists *el = to_execlists(engine);
	unsigned int before = (place + GEN9_CSB_ENTRIES - 1) % GEN9_CSB_ENTRIES;

	*status = READ_ONCE(el->csb[2 * place]);
	*id = READ_ONCE(el->csb[2 * place + 1]);
	if (unlikely(*status == CSB_NO_ENTRY))
		igen_csb_late_entry(engine, place, status, id);
	WRITE_ONCE(el->csb[2 * place], CSB_NO_ENTRY);
	/* The entry before may have come after the driver had overwritten it. */
	WRITE_ONCE(el->csb[2 * before], CSB_NO_ENTRY);
}

/**
 * igen_csb_process - read the new events
 * @engine: the engine
 *
 * Return: true when there were any.
 * Context: group->lock held.
 */
bool igen_csb_process(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	/* Stock i915 takes the low byte alone, too. */
	unsigned int write = READ_ONCE(*el->csb_write) & CSB_WRITE_MASK;
	u32 status, id;

	if (unlikely(el->distrusted))
		return csb_process_registers(engine);
	if (el->csb_read == write)
		return false;
	if (unlikely(write >= GEN9_CSB_ENTRIES)) {
		csb_lost_track(engine, "event number", write);
		csb_judge_once(engine, true);
		return false;
	}

	el->heard = true;
	/* The index first, then its entry. */
	rmb();
	do {
		el->csb_read = (el->csb_read + 1) % GEN9_CSB_ENTRIES;
		csb_read_entry(engine, el->csb_read, &status, &id);
		el->seen[el->csb_read].status = status;
		el->seen[el->csb_read].id = id;
		if (el->num_seen < GEN9_CSB_ENTRIES)
			el->num_seen++;
		if (likely(csb_apply_event(engine, status, id)))
			continue;
		csb_lost_track(engine, "event", status);
		csb_judge_once(engine, false);
		if (el->distrusted)
			break;
	} while (el->csb_read != write);
	return true;
}

/**
 * igen_csb_has_unread_events - ask whether there are unread events
 * @engine: the engine
 *
 * Return: true when there are; false for an engine whose events are read from registers, which happens often anyway.
 * Context: group->lock held.
 */
bool igen_csb_has_unread_events(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	return !el->distrusted && el->csb_read != (READ_ONCE(*el->csb_write) & CSB_WRITE_MASK);
}

/**
 * igen_csb_reset - put the CSB into the state that a reset leaves
 * @engine: the engine, which does not run
 *
 * The next event goes to entry 0.
 *
 * Context: group->lock held, or no other code runs.
 */
void igen_csb_reset(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	u32 *csb = engine->hwsp_vaddr + HWSP_CSB_DW;

	igen_write(engine->igen, RING_CTX_STATUS_PTR(engine->info->base),
		   IGEN_MASKED_FIELD(0xffffu, IGEN_PREP(CTX_STATUS_PTR_READ_MASK, GEN9_CSB_RESET_PTR) |
				     GEN9_CSB_RESET_PTR));
	/* The hardware takes the write pointer before it writes events. */
	igen_read(engine->igen, RING_CTX_STATUS_PTR(engine->info->base));
	memset(csb, 0xff, 2 * GEN9_CSB_ENTRIES * sizeof(*csb));
	engine->hwsp_vaddr[HWSP_CSB_WRITE_PTR_DW] = GEN9_CSB_RESET_PTR;
	el->csb_read = GEN9_CSB_RESET_PTR;
	el->num_seen = 0;
	el->judged = false;
	el->forger = NULL;
	el->frozen = false;
	el->astray = false;
	/* The engine must not run before this is in memory. */
	wmb();
}

/**
 * igen_csb_note_stop - ask the engine for its context before a reset makes it forget
 * @engine: the engine, stopped, awake
 *
 * After the reset, igen_csb_catch_up() brings the ports into agreement with that context.
 *
 * Context: group->lock held.
 */
void igen_csb_note_stop(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	igen_csb_process(engine);
	el->frozen = true;
	el->stop_changes = el->changes;
	el->stopped = igen_csb_read_status(engine, &el->stop_status, &el->stop_id) &&
		      el->stop_status & EXECLIST_STATUS_ACTIVE_MASK;
}

/**
 * igen_csb_catch_up - follow the stopped engine's registers where events were lost
 * @engine: the engine, for which igen_csb_note_stop() was called, and whose events were read
 *
 * The engine has saved a context that it has left, and that context resumes from the saved state. The context that the
 * engine is in starts again. If an event has arrived meanwhile, the driver follows the event instead. If the engine is
 * in a context that no lost event leads to, it is astray.
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
	    csb_port_of(el->pending, el->stop_id) < NUM_PORTS)
		csb_promote(el);
	if (csb_port_of(el->active, el->stop_id) == 1)
		csb_complete_port(el);
	/* Events that were read from registers were not forged. */
	if (!csb_port_of(el->active, el->stop_id) || (el->distrusted && !el->judged))
		return;
	el->astray = true;
	if (!el->distrusted)
		igen_csb_distrust(el);
}

/**
 * igen_csb_mismatches - ask whether EXECLIST_STATUS contradicts the events that the driver has read
 * @engine: the engine, awake
 *
 * True for a moment while an event is on its way; for longer when one was lost.
 *
 * Context: group->lock held.
 */
bool igen_csb_mismatches(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	u32 status, id;

	lockdep_assert_held(&engine->group->lock);

	if (!igen_csb_read_status(engine, &status, &id))
		return false;
	/* The hardware has taken the pending list. */
	if (el->pending[0] && !(status & EXECLIST_STATUS_QUEUE_FULL))
		return true;
	if (!(status & EXECLIST_STATUS_ACTIVE_MASK))
		return el->active[0];
	return csb_port_of(el->active, id) == NUM_PORTS;
}
