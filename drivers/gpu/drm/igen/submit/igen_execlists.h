/* SPDX-License-Identifier: MIT */
/**
 * DOC: Internal interfaces of the execlists backend
 *
 * igen_execlists.c is the backend, igen_dequeue.c gives the hardware its requests, igen_execlists_timers.c watches the
 * context that runs, igen_csb.c reads the hardware's events, and igen_polls.c knows the contexts that poll.
 */
#ifndef _IGEN_EXECLISTS_H_
#define _IGEN_EXECLISTS_H_

#include <linux/hrtimer.h>
#include <linux/workqueue.h>

#include <igen/regs/engine.h>

#include "../igen_device.h"
#include "igen_submit.h"

#define NUM_PORTS 2

/*
 * So many of the lists that were written last are kept. Each list that the engine takes is an event. So the contexts
 * that the CSB's six events name were in the last nine lists: one for each event, the list that the oldest event ended,
 * the queued list, and one that was written after a forged event. A power of two, since lists_written wraps.
 */
#define LISTS_KEPT 16

/* Waits that are heard of in a jiffy: contexts that poll would hand the engine to each other all the time. */
#define MOST_WAITS 4

/**
 * struct igen_lrc_execlists - what the backend knows of a context; under group->lock
 */
struct igen_lrc_execlists {
	/** @ports: how many of its engine's ports the context is on, or on the way to */
	unsigned int ports;
	/** @given: the context was on a port, and no register has confirmed that its engine has left it */
	bool given;
	/** @last_list: the number of the last list of its engine that the context was in, if @given */
	unsigned int last_list;
	/** @left_mark: the image's CTX_TIMESTAMP when the engine had left the context last */
	u32 left_mark;
};

/**
 * struct igen_kept_element - an element of a list that was written
 */
struct igen_kept_element {
	/**
	 * @lrc: the LRC, or NULL: there was none, or it is freed. Not counted: igen_departure_wait() forgets an LRC
	 * before it is freed
	 */
	struct igen_lrc *lrc;
	/** @id: how events name it; 0: there was none. Another LRC may have the same id later */
	u32 id;
	/** @driver: it is a context of the driver's own */
	bool driver;
};

/**
 * struct igen_execlists - the backend's state for an engine, under group->lock
 */
struct igen_execlists {
	/** @csb: the CSB in the status page, two dwords an entry */
	u32 *csb;
	/** @csb_write: the hardware's index of the entry written last */
	const u32 *csb_write;
	/** @csb_read: the entry that was read last */
	unsigned int csb_read;
	/**
	 * @active: the last request of each port that runs, NULL behind the last. Counted, and its LRC with it: the
	 * engine saves the context after the request has completed
	 */
	struct igen_request *active[NUM_PORTS];
	/** @pending: the contexts of the list that was written to the ELSP and is not acknowledged yet */
	struct igen_request *pending[NUM_PORTS];
	/** @followed: has left the hardware completed, and its followers may not be queued yet; counted, or NULL */
	struct igen_request *followed;
	/** @changes: how often the running context has changed: lists acknowledged, contexts that ran dry, resets */
	unsigned int changes;
	/** @moves: how many of @changes took the hardware to or from a context */
	unsigned int moves;
	/** @slice_work: ends a timeslice */
	struct delayed_work slice_work;
	/** @since: when the running context changed last, in jiffies */
	unsigned long since;
	/** @slice_due: when @slice_work was to run last, in jiffies */
	unsigned long slice_due;
	/** @slice_over: the running context has had its timeslice */
	bool slice_over;
	/** @waited: the running context has begun a semaphore wait during this visit; the wait may be over by now */
	bool waited;
	/** @listens: the engine's interrupt for semaphore waits is unmasked */
	bool listens;
	/** @waits_heard: how often that interrupt came in the jiffy before @heard_until */
	unsigned int waits_heard;
	/** @heard_until: see @waits_heard */
	unsigned long heard_until;
	/** @preempt_work: runs when the running context has not yielded for the preempt timeout */
	struct delayed_work preempt_work;
	/** @preempt_due: when @preempt_work was to run last, in jiffies */
	unsigned long preempt_due;
	/** @preempt_late: the @changes for which @preempt_work came so late that the context got more time */
	unsigned int preempt_late;
	/** @preempt_since: since when the running context is to yield, in jiffies, if @preempt_changes is @changes */
	unsigned long preempt_since;
	/** @preempt_changes: see @preempt_since */
	unsigned int preempt_changes;
	/** @heard: events were read since the last interrupt for a context switch */
	bool heard;
	/** @late_timer: looks for an event whose interrupt came before the event was visible */
	struct hrtimer late_timer;
	/** @late_looks: how often @late_timer has looked for it */
	unsigned int late_looks;
	/** @engine: whose backend this is */
	struct igen_engine *engine;
	/** @strange_events: events that did not fit the lists that were written */
	unsigned int strange_events;
	/** @seen: the events that were read last from the status page, each at its place */
	struct {
		/** @seen.status: the lower half */
		u32 status;
		/** @seen.id: the upper half, the context */
		u32 id;
	} seen[GEN9_CSB_ENTRIES];
	/** @num_seen: how many of @seen were read since the last reset; GEN9_CSB_ENTRIES: all */
	unsigned int num_seen;
	/** @judged: the first event since the last reset that made no sense was looked into (igen_csb_check.c) */
	bool judged;
	/** @distrusted: a batch has written events, or may have, so that they are read from registers */
	bool distrusted;
	/** @distrust_until: @distrusted stays set at least until then, in jiffies */
	unsigned long distrust_until;
	/**
	 * @forger: the LRC whose batch has written events, until the reset for it; NULL: none, or it is not certain
	 * which. Not counted: see @kept
	 */
	struct igen_lrc *forger;
	/** @frozen: the engine is being reset: its registers tell nothing until the CSB was reset, too */
	bool frozen;
	/** @forgeries: how often events were found that the hardware has not written, or cannot have */
	unsigned int forgeries;
	/** @lists_written: how many lists the hardware was given */
	unsigned int lists_written;
	/** @lists_left: the last list that the hardware has left, as EXECLIST_STATUS confirmed, and all before it */
	unsigned int lists_left;
	/** @kept: the elements of the lists that were written last, each list at its number modulo LISTS_KEPT */
	struct igen_kept_element kept[LISTS_KEPT][NUM_PORTS];
	/** @blocked: nothing may be written: reset or parking */
	bool blocked;
	/** @stopped: the engine was stopped within a context of @stop_id, and that was not looked at yet */
	bool stopped;
	/** @stop_status: EXECLIST_STATUS, the lower half, when the engine was stopped */
	u32 stop_status;
	/** @stop_id: EXECLIST_STATUS, the upper half, the context */
	u32 stop_id;
	/** @stop_changes: @changes at that time */
	unsigned int stop_changes;
	/** @astray: the engine was stopped in a context that it has left by the events; until the CSB is reset */
	bool astray;
};

static inline struct igen_execlists *to_execlists(struct igen_engine *engine)
{
	return engine->backend;
}

static inline struct igen_lrc_execlists *to_lrc_execlists(const struct igen_lrc *lrc)
{
	return (struct igen_lrc_execlists *)lrc->backend;
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

/* Choosing requests and writing the ELSP (igen_dequeue.c): all with group->lock held. */

void igen_dequeue(struct igen_engine *engine);
bool igen_dequeue_preempts(struct igen_engine *engine);
bool igen_dequeue_preempts_soon(struct igen_engine *engine);
struct igen_request *igen_dequeue_oldest_of(struct igen_engine *engine, const struct igen_lrc *lrc);
struct igen_request *igen_dequeue_running(struct igen_engine *engine);

/* Timers (igen_execlists_timers.c). */

void igen_execlists_arm_timers(struct igen_engine *engine);
void igen_execlists_arm_late(struct igen_engine *engine);
void igen_execlists_timers_init(struct igen_execlists *el);
void igen_execlists_timers_fini(struct igen_execlists *el);

/* Reading context events, and following them with the ports (igen_csb.c). */

bool igen_csb_process(struct igen_engine *engine);
bool igen_csb_has_unread_events(struct igen_engine *engine);
bool igen_csb_mismatches(struct igen_engine *engine);
void igen_csb_note_stop(struct igen_engine *engine);
void igen_csb_catch_up(struct igen_engine *engine);
void igen_csb_reset(struct igen_engine *engine);
bool igen_csb_read_status(struct igen_engine *engine, u32 *status, u32 *id);
void igen_ports_note_runtimes(struct igen_request *const *ports);
void igen_ports_note_followed(struct igen_execlists *el);
void igen_ports_forget_followed(struct igen_execlists *el);
void igen_ports_release(struct igen_execlists *el);

/* Contexts that only wait (igen_polls.c): all with group->lock held. */

bool igen_polls_in_the_way(struct igen_engine *engine);
bool igen_polls_rival(struct igen_engine *engine, bool busy);
bool igen_polls_heard_enough(const struct igen_execlists *el);
void igen_polls_listen(struct igen_engine *engine, bool listens);
void igen_polls_note_wait(struct igen_engine *engine);
bool igen_polls_yield(struct igen_engine *engine);

/* Whether events are the hardware's own (igen_csb_check.c). */

void igen_csb_judge(struct igen_engine *engine, bool bad_pointer);
void igen_csb_distrust(struct igen_execlists *el);
struct igen_lrc *igen_csb_astray(struct igen_engine *engine);
struct igen_request *igen_csb_forger(struct igen_engine *engine);
void igen_csb_late_entry(struct igen_engine *engine, unsigned int place, u32 *status, u32 *id);
bool igen_csb_fetch(struct igen_engine *engine, u32 *status, u32 *id);

/* Asking EXECLIST_STATUS whether the engine has left a context (igen_departure.c). */

void igen_departure_note_list(struct igen_execlists *el);
void igen_departure_note_reset(struct igen_execlists *el);
bool igen_departure_confirm(struct igen_lrc *lrc);
void igen_departure_wait(struct igen_lrc *lrc);

#endif
