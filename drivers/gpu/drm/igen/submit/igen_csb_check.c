// SPDX-License-Identifier: MIT
/**
 * DOC: Events that the hardware did not write
 *
 * The status page with the CSB is the engine's, but a user's batch on Gen9 can store into it by an index, and so can
 * write events of its own. Each event is in registers, too (RING_CONTEXT_STATUS_BUF and _PTR; public Gen9 PRM Vol 2d,
 * "Context Status"), which no batch can write. The hardware writes the register first and then the page.
 *
 * When an event makes no sense, the registers are compared with what was read from the page. If they are equal, the
 * hardware has lost an event; no context is guilty. If they differ, a batch wrote the event. That batch belongs to the
 * context which left the engine with the true event of that place; or, while the hardware has not written that place
 * yet, to the context that the engine is in, since it has been in that one ever since its last event.
 *
 * From then on the engine's events are read from the registers, which costs MMIO reads but cannot be deceived. The
 * driver returns to the page when the engine is idle and some time has passed.
 */
#include <igen/regs/engine.h>

#include "igen_execlists.h"

/* For how long the registers are read after events were forged. */
#define DISTRUST_JIFFIES	(10 * HZ)

/* The hardware may be ahead of the driver by so many events. More means that a batch forged the write pointer. */
#define MOST_AHEAD		2

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
 * Whether a batch wrote events, and the context of that batch, 0 if it is not known. The hardware is ahead of the
 * driver by @ahead events, or has not written the last that the driver has read.
 */
static bool csb_find_forger(const struct igen_execlists *el, const struct csb_truth *truth, bool bad_pointer, u32 *id)
{
	unsigned int ahead = (truth->write + GEN9_CSB_ENTRIES - el->csb_read) % GEN9_CSB_ENTRIES;
	unsigned int n, place;

	/* The oldest event that differs. Older events are lost: the hardware has written over their registers. */
	if (ahead <= MOST_AHEAD) {
		for (n = min(el->num_seen, GEN9_CSB_ENTRIES - ahead); n--;) {
			place = (el->csb_read + GEN9_CSB_ENTRIES - n) % GEN9_CSB_ENTRIES;
			if (csb_is_true(el, truth, place))
				continue;
			*id = truth->id[place];
			return true;
		}
		if (!bad_pointer)
			return false;
		*id = ahead ? truth->id[(el->csb_read + 1) % GEN9_CSB_ENTRIES] : truth->running;
		return true;
	}

	/* The driver has read events that the hardware has not written. */
	*id = truth->running;
	return true;
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

	lockdep_assert_held(&engine->group->lock);

	if (el->distrusted || !csb_read_truth(engine, &truth) || !csb_find_forger(el, &truth, bad_pointer, &el->forger))
		return;
	el->forgeries++;
	el->distrusted = true;
	el->distrust_until = jiffies + DISTRUST_JIFFIES;
	/* Until the reset the driver does not know what the engine runs. */
	el->csb_read = truth.write;
}

/**
 * igen_csb_forger - the request whose batch, or one before it of its context, wrote events
 * @engine: the engine
 *
 * Events name contexts of the lists that were written last (LISTS_KEPT). So the search takes as long as the requests in
 * flight and the rings of these contexts have it, whatever else is queued.
 *
 * Return: the oldest request of that context that has not completed, not counted; NULL when there is none.
 * Context: group->lock held.
 */
struct igen_request *igen_csb_forger(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	const struct igen_lrc *lrc, *seen = NULL;
	struct igen_request *rq;
	unsigned int n;

	lockdep_assert_held(&engine->group->lock);

	if (likely(!el->forger))
		return NULL;
	/* The latest list first. */
	for (n = 0; n < LISTS_KEPT * NUM_PORTS; n++) {
		lrc = el->kept[(el->lists_written - n / NUM_PORTS) % LISTS_KEPT][n % NUM_PORTS];
		if (!lrc || lrc == seen || lrc->engine != engine || upper_32_bits(lrc->image.desc) != el->forger)
			continue;
		rq = igen_dequeue_oldest_of(engine, lrc);
		if (rq)
			return rq;
		/* An LRC that was evicted from the GGTT may have had the same id before. */
		seen = lrc;
	}
	return NULL;
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
 * Nothing is got if the hardware has not written the event. Then a batch has written the index.
 *
 * Context: group->lock held.
 */
void igen_csb_late_entry(struct igen_engine *engine, unsigned int place, u32 *status, u32 *id)
{
	u32 base = engine->info->base;
	unsigned int write, ahead;

	lockdep_assert_held(&engine->group->lock);

	/* A reset has cleared the registers. */
	if (to_execlists(engine)->frozen || igen_forcewake_get(engine->igen, engine->info->forcewake))
		return;
	write = csb_read_write_pointer(engine);
	/* This event is counted, too. */
	ahead = (write + 1 + GEN9_CSB_ENTRIES - place) % GEN9_CSB_ENTRIES;
	if (write < GEN9_CSB_ENTRIES && ahead && ahead <= MOST_AHEAD) {
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
