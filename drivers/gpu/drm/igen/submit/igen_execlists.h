/* SPDX-License-Identifier: MIT */
/**
 * DOC: What the parts of the execlists backend share
 *
 * igen_execlists.c decides what the hardware gets and gives it; igen_csb.c hears what became of it.
 */
#ifndef _IGEN_EXECLISTS_H_
#define _IGEN_EXECLISTS_H_

#include <linux/workqueue.h>

#include "../igen_device.h"
#include "igen_submit.h"

#define NUM_PORTS 2

/* Waits that are heard of in a jiffy: those who only wait would hand the engine to each other all the time. */
#define MOST_WAITS 4

/**
 * struct igen_execlists - the backend's state for an engine, under group->lock
 */
struct igen_execlists {
	/** @csb: the CSB in the status page, two dwords an entry */
	const u32 *csb;
	/** @csb_write: the hardware's index of the entry written last */
	const u32 *csb_write;
	/** @csb_read: the entry that was read last */
	unsigned int csb_read;
	/**
	 * @active: the last request of each port that runs, NULL behind the last. Counted, and its LRC with it: the
	 * engine saves the context after the request has completed
	 */
	struct igen_request *active[NUM_PORTS];
	/** @pending: likewise for what was written and not acknowledged */
	struct igen_request *pending[NUM_PORTS];
	/** @followed: has left the hardware completed, and who follows it may not be queued yet; counted, or NULL */
	struct igen_request *followed;
	/** @changes: how often what runs has changed: lists acknowledged, contexts that ran dry, resets */
	unsigned int changes;
	/** @moves: how many of these took the hardware to or from a context */
	unsigned int moves;
	/** @slice_work: ends a timeslice */
	struct delayed_work slice_work;
	/** @since: when what runs changed last, in jiffies */
	unsigned long since;
	/** @slice_due: when @slice_work was to run last, in jiffies */
	unsigned long slice_due;
	/** @slice_over: what runs has had its time */
	bool slice_over;
	/** @waited: what runs has come to wait for a semaphore since it has the engine; perhaps it does no longer */
	bool waited;
	/** @listens: an interrupt tells that at once */
	bool listens;
	/** @waits_heard: how often that was told in the jiffy before @heard_until */
	unsigned int waits_heard;
	/** @heard_until: see @waits_heard */
	unsigned long heard_until;
	/** @preempt_work: ends the wait for what runs to yield */
	struct delayed_work preempt_work;
	/** @preempt_due: when @preempt_work was to run last, in jiffies */
	unsigned long preempt_due;
	/** @preempt_since: since when what runs is to yield, in jiffies, if @preempt_changes is @changes */
	unsigned long preempt_since;
	/** @preempt_changes: see @preempt_since */
	unsigned int preempt_changes;
	/** @engine: whose backend this is */
	struct igen_engine *engine;
	/** @strange_events: events that did not fit to what was written */
	unsigned int strange_events;
	/** @blocked: nothing may be written: reset or parking */
	bool blocked;
	/** @stopped: the engine was stopped within a context of @stop_id, and that was not looked at yet */
	bool stopped;
	/** @stop_status: what EXECLIST_STATUS said then */
	u32 stop_status;
	/** @stop_id: its upper half */
	u32 stop_id;
	/** @stop_changes: @changes at that time */
	unsigned int stop_changes;
};

static inline struct igen_execlists *to_execlists(struct igen_engine *engine)
{
	return engine->backend;
}

/* The port that runs a context, or NUM_PORTS. */
static inline unsigned int active_port(const struct igen_execlists *el, const struct igen_lrc *lrc)
{
	unsigned int n;

	for (n = 0; n < NUM_PORTS && el->active[n]; n++) {
		if (el->active[n]->lrc == lrc)
			return n;
	}
	return NUM_PORTS;
}

static inline bool lrc_is_active(const struct igen_execlists *el, const struct igen_lrc *lrc)
{
	return active_port(el, lrc) < NUM_PORTS;
}

/* What the hardware has done (igen_csb.c). */

/* Reads the events that came since the last time; true when there were any. group->lock held. */
bool igen_csb_process(struct igen_engine *engine);
/* The engine is elsewhere than its events have told, for the moment at least. group->lock held. */
bool igen_csb_is_misread(struct igen_engine *engine);
/* What a stopped engine is in is noted before its reset; then the ports become what it says. group->lock held. */
void igen_csb_note_stop(struct igen_engine *engine);
void igen_csb_catch_up(struct igen_engine *engine);
/* The CSB becomes what a reset leaves: the next event goes to entry 0. */
void igen_csb_reset(struct igen_engine *engine);
/* Contexts that were in ports have used the engine for what their images say. group->lock held. */
void igen_ports_note_runtimes(struct igen_request *const *ports);
/* Takes note of what has completed and is about to leave the hardware, if somebody follows it. group->lock held. */
void igen_ports_note_followed(struct igen_execlists *el);
/* Nobody is waited for any more who follows what has left the hardware. group->lock held, or nobody else is there. */
void igen_ports_forget_followed(struct igen_execlists *el);
/* The hardware has nothing any more. group->lock held, or nobody else is there. */
void igen_ports_release(struct igen_execlists *el);

#endif
