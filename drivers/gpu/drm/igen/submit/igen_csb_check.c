// SPDX-License-Identifier: MIT
/**
 * DOC: Events that the hardware did not write
 *
 * The status page with the CSB is the engine's, but a user's batch on Gen9 can store into it by an index, and so can
 * write events of its own. Each event is in registers, too (RING_CONTEXT_STATUS_BUF and _PTR; public Gen9 PRM Vol 2d,
 * "Context Status"), which no batch can write. The hardware writes the register first and then the page.
 *
 * When an event makes no sense, the registers are compared with what was read from the page. If they are equal, the
 * hardware has lost an event; no context is guilty. If they differ, a batch wrote the event. From then on the engine's
 * events are read from the registers, which costs MMIO reads but cannot be deceived. The driver returns to the page
 * when the engine is idle and some time has passed, twice as much after each further forgery. So a client that forges
 * again and again costs the others a restart each time, which becomes rare, and gains nothing.
 *
 * Whose batch it was is another question. Below, F forges the entry of the event E that ends context A's visit, "w" is
 * the hardware's write of E to the page, "F" the forger's, "r" the driver's read::
 *
 *	                 E
 *	engine    A A A A|B B B B
 *	1             F  |  r w         A forges E and its number, which the driver reads before the hardware writes
 *	2                |w F r         B overwrites E, which the driver has not read yet
 *	3     F          |  r w         C fills the place before A runs; E's number comes before its entry (igen_csb.c)
 *
 * The driver finds the same in all three: an entry that E's registers contradict, and B on the engine. E names A, and
 * in the third case both A and B are innocent. The number can be forged in ways 1 and 2 as well, a number that there
 * is not included: the event that the engine had not written when the driver read may be in the registers by now.
 *
 * So no single event tells the forger. A context is blamed only if no other one can have run: the registers' six events
 * and EXECLIST_STATUS name the contexts that were on the engine, and that has to be one context alone, beside the
 * driver's own. An entry was overwritten with ones in the round before, when the driver had read the event behind it.
 * The batch that wrote that entry ran later, in a visit that these six events end or that goes on, provided that the
 * entry is the last one that the hardware has written::
 *
 *	             ones to place 2                       the driver reads place 2
 *	                    |                                    |
 *	event       2     3 |   4     5     0     1     2        |
 *	              A     |A     B     B     A     A    |B     |
 *	registers         [ 3     4     5     0     1     2 ] running
 *
 * Here A or B did it. An id may pass from a context to another one, so it counts only if all lists of that time have
 * it for one LRC, which lives. Otherwise no context is blamed.
 */
#include <igen/regs/engine.h>

#include "igen_execlists.h"

/* For how long the registers are read after events were forged for the first time. */
#define DISTRUST_JIFFIES	(10 * HZ)

/* How often that time doubles: 43 minutes. */
#define MOST_DOUBLINGS		8u

#define STATUS_TRIES		3

/** struct csb_truth - the CSB as the registers have it */
struct csb_truth {
	/** @write: where the last event is */
	unsigned int write;
	/** @status: lower half of each event */
	u32 status[GEN9_CSB_ENTRIES];
	/** @id: its upper half, the context */
	u32 id[GEN9_CSB_ENTRIES];
	/** @running: the context that the engine is in, 0 when it is idle */
	u32 running;
};

static unsigned int csb_read_write_pointer(struct igen_engine *engine)
{
	return IGEN_GET(CTX_STATUS_PTR_WRITE_MASK,
			igen_read(engine->igen, RING_CTX_STATUS_PTR(engine->info->base)));
}

/* Reads all registers without an event in between. False if the hardware does not answer or switches all the time. */
static bool csb_read_truth(struct igen_engine *engine, struct csb_truth *truth)
{
	u32 base = engine->info->base, status;
	unsigned int try, n;
	bool stable = false;

	if (igen_forcewake_get(engine->igen, engine->info->forcewake))
		return false;
	for (try = 0; try < STATUS_TRIES && !stable; try++) {
		truth->write = csb_read_write_pointer(engine);
		for (n = 0; n < GEN9_CSB_ENTRIES; n++) {
			truth->status[n] = igen_read(engine->igen, RING_CTX_STATUS_BUF_LO(base, n));
			truth->id[n] = igen_read(engine->igen, RING_CTX_STATUS_BUF_HI(base, n));
		}
		status = igen_read(engine->igen, RING_EXECLIST_STATUS_LO(base));
		truth->running = status & EXECLIST_STATUS_ACTIVE_MASK ?
				 igen_read(engine->igen, RING_EXECLIST_STATUS_HI(base)) : 0;
		stable = csb_read_write_pointer(engine) == truth->write && truth->write < GEN9_CSB_ENTRIES;
	}
	igen_forcewake_put(engine->igen, engine->info->forcewake);
	return stable;
}

static bool csb_is_true(const struct igen_execlists *el, const struct csb_truth *truth, unsigned int place)
{
	return el->seen[place].status == truth->status[place] && el->seen[place].id == truth->id[place];
}

/*
 * How many events the hardware can have written that the driver has not applied to the ports: that each active context
 * was left, that the pending list was taken, and the same for its contexts. The driver writes no other list before it
 * has read that the pending one was taken.
 */
static unsigned int csb_most_events(const struct igen_execlists *el)
{
	unsigned int n, most = 0;

	for (n = 0; n < NUM_PORTS; n++)
		most += !!el->active[n] + !!el->pending[n];
	BUILD_BUG_ON(2 * NUM_PORTS + 1 >= GEN9_CSB_ENTRIES);
	return most + !!el->pending[0];
}

/* Whether a batch wrote events. @traced: one of the contexts that the registers name did it. */
static bool csb_was_forged(const struct igen_execlists *el, const struct csb_truth *truth, bool bad_pointer,
			   bool *traced)
{
	unsigned int ahead = (truth->write + GEN9_CSB_ENTRIES - el->csb_read) % GEN9_CSB_ENTRIES;
	unsigned int n, place;

	/* Each event of the hardware overwrites the pointer: so the one that was read is younger than the last few. */
	*traced = true;
	if (bad_pointer)
		return true;
	/*
	 * The driver has read events that the hardware has not written. One at least has been read. The registers of
	 * that place have the event of six before, which may be the same.
	 */
	if (ahead >= max(csb_most_events(el), 1u))
		return true;
	/* The oldest event that differs. Older events are lost: the hardware has written over their registers. */
	for (n = min(el->num_seen, GEN9_CSB_ENTRIES - ahead); n--;) {
		place = (el->csb_read + GEN9_CSB_ENTRIES - n) % GEN9_CSB_ENTRIES;
		if (csb_is_true(el, truth, place))
			continue;
		*traced = !n && !ahead;
		return true;
	}
	return false;
}

/**
 * igen_csb_distrust - read events from registers for a while
 * @el: the backend, whose page has events that a batch has written, or may have
 *
 * Context: group->lock held.
 */
void igen_csb_distrust(struct igen_execlists *el)
{
	el->distrusted = true;
	el->distrust_until = jiffies + (DISTRUST_JIFFIES << min(el->forgeries, MOST_DOUBLINGS));
	el->forgeries++;
}

/* The element of the lists that were written last which events name so; NULL if it is not certain which that is. */
static const struct igen_kept_element *csb_element_of(const struct igen_execlists *el, u32 id)
{
	const struct igen_kept_element *element, *found = NULL;
	unsigned int n;

	for (n = 0; n < LISTS_KEPT * NUM_PORTS; n++) {
		element = &el->kept[n / NUM_PORTS][n % NUM_PORTS];
		if (element->id != id)
			continue;
		/* One that is freed has had this id, or another LRC has it. */
		if (!element->lrc || (found && found->lrc != element->lrc))
			return NULL;
		found = element;
	}
	return found;
}

/**
 * igen_csb_astray - tell which context an engine was stopped in that is in no port
 * @engine: the engine
 *
 * Return: the LRC, not counted; NULL when the engine is not astray, or when it is not certain which LRC that is.
 * Context: group->lock held.
 */
struct igen_lrc *igen_csb_astray(struct igen_engine *engine)
{
	const struct igen_execlists *el = to_execlists(engine);
	const struct igen_kept_element *element = el->astray ? csb_element_of(el, el->stop_id) : NULL;

	lockdep_assert_held(&engine->group->lock);

	/* A balanced one may have moved to another engine. */
	return element && element->lrc->engine == engine ? element->lrc : NULL;
}

/* The only context of a client that was on the engine; NULL if there may be several. */
static struct igen_lrc *csb_only_client(const struct igen_execlists *el, const struct csb_truth *truth)
{
	const struct igen_kept_element *element;
	struct igen_lrc *found = NULL;
	unsigned int n;
	u32 id;

	for (n = 0; n <= GEN9_CSB_ENTRIES; n++) {
		id = n < GEN9_CSB_ENTRIES ? truth->id[n] : truth->running;
		if (!id)
			continue;
		element = csb_element_of(el, id);
		if (element && element->driver)
			continue;
		if (!element || (found && found != element->lrc))
			return NULL;
		found = element->lrc;
	}
	return found;
}

/**
 * igen_csb_judge - find out whether a batch wrote the event that makes no sense
 * @engine: the engine; that event was read last, and is the first since the last reset
 * @bad_pointer: it is the number of the event that makes no sense
 *
 * Context: group->lock held.
 */
void igen_csb_judge(struct igen_engine *engine, bool bad_pointer)
{
	struct igen_execlists *el = to_execlists(engine);
	struct csb_truth truth;
	bool traced;

	lockdep_assert_held(&engine->group->lock);

	/* A reset has cleared the registers, or is about to. */
	if (el->distrusted || el->frozen || !csb_read_truth(engine, &truth) ||
	    !csb_was_forged(el, &truth, bad_pointer, &traced))
		return;
	el->forger = traced ? csb_only_client(el, &truth) : NULL;
	igen_csb_distrust(el);
	/* Until the reset the driver does not know what the engine runs. */
	el->csb_read = truth.write;
}

/**
 * igen_csb_forger - the request whose batch, or one before it of its context, wrote events
 * @engine: the engine
 *
 * Return: the oldest request of that context that has not completed, not counted; NULL when there is none, or when it
 * is not certain which context wrote the events.
 * Context: group->lock held.
 */
struct igen_request *igen_csb_forger(struct igen_engine *engine)
{
	const struct igen_lrc *lrc = to_execlists(engine)->forger;

	lockdep_assert_held(&engine->group->lock);

	/* A balanced one may have moved to another engine. */
	return lrc && lrc->engine == engine ? igen_dequeue_oldest_of(engine, lrc) : NULL;
}

/* The driver believes the page again: no context was on the engine that could have written it. */
static void csb_trust(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	el->distrusted = false;
	memset(engine->hwsp_vaddr + HWSP_CSB_DW, 0xff, 2 * GEN9_CSB_ENTRIES * sizeof(u32));
	engine->hwsp_vaddr[HWSP_CSB_WRITE_PTR_DW] = el->csb_read;
	el->num_seen = 0;
}

/**
 * igen_csb_late_entry - read an event from the registers whose index has come to the status page before it
 * @engine: the engine
 * @place: of the event
 * @status: gets the event
 * @id: gets its context
 *
 * Nothing is got if the hardware has not written the event. Then a batch has written the index. However many contexts
 * a client has, the hardware is no further ahead than the lists that it was given allow (csb_most_events()), so each
 * of its own events is got.
 *
 * Context: group->lock held.
 */
void igen_csb_late_entry(struct igen_engine *engine, unsigned int place, u32 *status, u32 *id)
{
	struct igen_execlists *el = to_execlists(engine);
	u32 base = engine->info->base;
	unsigned int write, ahead;

	lockdep_assert_held(&engine->group->lock);

	/* A reset has cleared the registers. */
	if (el->frozen || igen_forcewake_get(engine->igen, engine->info->forcewake))
		return;
	write = csb_read_write_pointer(engine);
	/* This event is counted, too. */
	ahead = (write + 1 + GEN9_CSB_ENTRIES - place) % GEN9_CSB_ENTRIES;
	if (write < GEN9_CSB_ENTRIES && ahead && ahead <= csb_most_events(el)) {
		*status = igen_read(engine->igen, RING_CTX_STATUS_BUF_LO(base, place));
		*id = igen_read(engine->igen, RING_CTX_STATUS_BUF_HI(base, place));
	}
	igen_forcewake_put(engine->igen, engine->info->forcewake);
}

/**
 * igen_csb_fetch - read the next event from the registers
 * @engine: the engine, whose status page is not believed
 * @status: the event
 * @id: its context
 *
 * Return: true when there was one.
 * Context: group->lock held.
 */
bool igen_csb_fetch(struct igen_engine *engine, u32 *status, u32 *id)
{
	struct igen_execlists *el = to_execlists(engine);
	u32 base = engine->info->base;
	unsigned int write;
	bool found;

	lockdep_assert_held(&engine->group->lock);

	if (el->frozen)
		return false;
	/* An engine without contexts writes no events and may be asleep, so its registers are not read. */
	if (!el->active[0] && !el->pending[0]) {
		if (time_after(jiffies, el->distrust_until))
			csb_trust(engine);
		return false;
	}
	if (igen_forcewake_get(engine->igen, engine->info->forcewake))
		return false;
	write = csb_read_write_pointer(engine);
	found = write < GEN9_CSB_ENTRIES && write != el->csb_read;
	if (found) {
		el->csb_read = (el->csb_read + 1) % GEN9_CSB_ENTRIES;
		*status = igen_read(engine->igen, RING_CTX_STATUS_BUF_LO(base, el->csb_read));
		*id = igen_read(engine->igen, RING_CTX_STATUS_BUF_HI(base, el->csb_read));
	}
	igen_forcewake_put(engine->igen, engine->info->forcewake);
	return found;
}
