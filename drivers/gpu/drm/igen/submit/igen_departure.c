// SPDX-License-Identifier: MIT
/**
 * DOC: When the engine has left a context
 *
 * Events in the status page say when the engine has switched away from a context, and scheduling goes by them. On Gen9
 * a user's batch can write that page (igen_csb.c), so memory is not given back on the word of an event. What belongs to
 * a context is reused only when a register has confirmed that the engine is not in the context and will not come to it:
 * its image and ring leave the GGTT, its memory and its address space are freed, a reset image is written, and another
 * engine gets the context.
 *
 * EXECLIST_STATUS says whether a list is queued, whether the engine is active, in which element of a list, and the id
 * of the context there (KBL Vol 3, "EXECLIST_STATUS"). The engine takes lists in the order in which they were written.
 * So while none is queued the engine is in the list that was written last, or idle, and has left all contexts that are
 * not in that list. One look thus confirms all contexts of earlier lists, and most LRCs are freed without a look of
 * their own. The register is not read on the way of a submission.
 */
#include <linux/delay.h>

#include <igen/regs/context.h>
#include <igen/regs/engine.h>

#include "igen_execlists.h"
#include "igen_reset.h"

/* The driver looks so often, so many ms apart, whether an engine has left a dead context. Then it resets the engine. */
#define LOOK_MS		2
#define MOST_LOOKS	500

/**
 * igen_departure_note_list - note that a list is about to be written
 * @el: the backend; its pending list is what is written
 *
 * Context: group->lock held.
 */
void igen_departure_note_list(struct igen_execlists *el)
{
	struct igen_kept_element *element;
	struct igen_lrc *lrc;
	unsigned int n;

	el->lists_written++;
	for (n = 0; n < NUM_PORTS; n++) {
		element = &el->kept[el->lists_written % LISTS_KEPT][n];
		*element = (struct igen_kept_element) { };
		if (!el->pending[n])
			continue;
		lrc = el->pending[n]->lrc;
		element->lrc = lrc;
		element->id = upper_32_bits(lrc->image.desc);
		element->driver = el->pending[n]->driver;
		to_lrc_execlists(lrc)->given = true;
		to_lrc_execlists(lrc)->last_list = el->lists_written;
		/* An event has told that the engine left it, or the engine has never been in it. */
		if (to_lrc_execlists(lrc)->ports == 1)
			to_lrc_execlists(lrc)->left_mark = READ_ONCE(lrc->image.regs[CTX_TIMESTAMP]);
	}
}

/**
 * igen_departure_note_reset - note that the hardware has forgotten all lists
 * @el: the backend
 *
 * Context: group->lock held, or no other user of the engine exists.
 */
void igen_departure_note_reset(struct igen_execlists *el)
{
	el->lists_left = el->lists_written;
}

static bool departure_left_list(const struct igen_execlists *el, const struct igen_lrc *lrc)
{
	return (int)(el->lists_left - to_lrc_execlists(lrc)->last_list) >= 0;
}

/* Asks the engine, which is awake, where it is. group->lock held. */
static bool departure_look(struct igen_engine *engine, const struct igen_lrc *lrc)
{
	struct igen_execlists *el = to_execlists(engine);
	u32 second = el->kept[el->lists_written % LISTS_KEPT][1].id, status, id;

	/* While a list is queued, EXECLIST_STATUS does not tell which list the engine is in. */
	if (!igen_csb_read_status(engine, &status, &id) || status & EXECLIST_STATUS_QUEUE_FULL)
		return false;
	if (!(status & (EXECLIST_STATUS_ACTIVE_MASK | EXECLIST_STATUS_0_VALID | EXECLIST_STATUS_1_VALID))) {
		el->lists_left = el->lists_written;
		return true;
	}
	el->lists_left = el->lists_written - 1;
	if (departure_left_list(el, lrc))
		return true;
	/* The context was the list's first element, and the engine is in the second one. */
	return second && second != upper_32_bits(lrc->image.desc) && id == second;
}

/**
 * igen_departure_confirm - ask whether the engine has left a context for good
 * @lrc: the LRC, which is not given to the hardware meanwhile
 *
 * Return: true when the hardware neither is in the context nor comes to it. False may be late: it is asked again.
 * Context: group->lock held.
 */
bool igen_departure_confirm(struct igen_lrc *lrc)
{
	struct igen_engine *engine = lrc->engine;
	struct igen_execlists *el = to_execlists(engine);

	lockdep_assert_held(&lrc->group->lock);

	if (!to_lrc_execlists(lrc)->given)
		return true;
	if (to_lrc_execlists(lrc)->ports)
		return false;
	/* A sleeping device has lost its contexts, and is reset when it wakes. */
	if (el && !departure_left_list(el, lrc) && igen_rpm_get_if_awake(engine->igen)) {
		bool left = departure_look(engine, lrc);

		igen_rpm_put(engine->igen);
		if (!left)
			return false;
	}
	to_lrc_execlists(lrc)->given = false;
	return true;
}

/* Is the engine in the context at this moment? group->lock held. */
static bool departure_is_in(struct igen_engine *engine, const struct igen_lrc *lrc)
{
	u32 status, id;
	bool in;

	if (!igen_rpm_get_if_awake(engine->igen))
		return false;
	in = igen_csb_read_status(engine, &status, &id) && status & EXECLIST_STATUS_ACTIVE_MASK &&
	     id == upper_32_bits(lrc->image.desc);
	igen_rpm_put(engine->igen);
	return in;
}

/* Takes an LRC that is about to be freed out of the lists that engines keep. */
static void departure_forget_lrc(struct igen_lrc *lrc)
{
	struct igen_engine_group *group = lrc->group;
	struct igen_execlists *el;
	unsigned int n, list, port;

	spin_lock_irq(&group->lock);
	for (n = 0; n < group->num_engines; n++) {
		el = to_execlists(group->engine[n]);
		if (!el)
			continue;
		for (list = 0; list < LISTS_KEPT; list++) {
			for (port = 0; port < NUM_PORTS; port++) {
				if (el->kept[list][port].lrc == lrc)
					el->kept[list][port].lrc = NULL;
			}
		}
		if (el->forger == lrc)
			el->forger = NULL;
	}
	spin_unlock_irq(&group->lock);
}

/**
 * igen_departure_wait - wait until the engine has left a context
 * @lrc: the LRC, to which no reference is left
 *
 * Events have said that it has. An engine that is in the context a second later all the same is restarted, and so
 * forgets it. While the engine is in another context and has a list queued, that takes as long as the other context
 * does not yield. A wedged GPU is stopped already, so there is no wait.
 *
 * Context: may sleep; takes the reset mutex.
 */
void igen_departure_wait(struct igen_lrc *lrc)
{
	struct igen_engine *engine = lrc->engine;
	unsigned int looks = 0, resets;
	bool left, in = false;

	departure_forget_lrc(lrc);
	while (!READ_ONCE(engine->igen->wedged)) {
		spin_lock_irq(&lrc->group->lock);
		left = igen_departure_confirm(lrc);
		if (!left)
			in = departure_is_in(engine, lrc);
		resets = engine->resets;
		spin_unlock_irq(&lrc->group->lock);
		if (left)
			return;

		looks = in ? looks + 1 : 0;
		if (looks > MOST_LOOKS) {
			igen_engine_restart(engine, resets, "it is in a context that it has left by its events");
			looks = 0;
		}
		msleep(LOOK_MS);
	}
}
