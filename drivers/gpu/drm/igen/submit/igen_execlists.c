// SPDX-License-Identifier: MIT
/**
 * DOC: Submission by execlists (Gen8, Gen9)
 *
 * The hardware takes a list of two contexts at a time, by four writes to the ELSP: element 1 first, high dword first
 * (KBL Vol 3, "Logical Contexts"; public Gen9 PRM Vol 2c, EXECLIST_SUBMITPORT). It runs element 0 until its ring is
 * empty or a new list comes, then element 1, and reports each step in the context status buffer (igen_csb.c).
 *
 * A list that the driver has written is "pending" until an event acknowledges it; then it is "active". While a list is
 * pending the driver writes no other: the event that acknowledges it leads to the queue again. ::
 *
 *   queue --igen_dequeue()--> pending --IDLE_TO_ACTIVE, PREEMPTED--> active --COMPLETE--> (port free)
 *     ^                                                                |
 *     +------------------ igen_scheduler_unwind() <--------------------+   (preempted, or timeslice over)
 *
 * Requests of one context that follow each other share a port: the ring's tail in the context image covers them all.
 * When the head of the queue continues the running context, or port 1 is free, the driver writes the running context
 * again with the list (lite restore), and the hardware samples its tail anew.
 *
 * * Such a tail must differ from the last one that the hardware saw, or the hardware may have gone idle for good. So
 *   each request ends with MI_ARB_CHECK and MI_NOOP, which a second submission adds (stock i915 names this
 *   WaIdleLiteRestore). A tail that does not advance asks for a full restore.
 * * The tail never goes back. Once the hardware was given some requests of a context, it is always given all of them,
 *   whatever their priorities: with its head ahead of the tail it would run all around the ring.
 *
 * A request of higher priority than all requests in flight preempts them: the driver unwinds those that have not
 * completed and writes a new list, and the hardware switches to it at its next arbitration point. The same happens
 * when a request in flight is raised above those before it.
 *
 * Contexts of equal priority take turns: when a timer (igen_execlists_timers.c) finds that the running context's
 * timeslice is over, the context goes behind the others of its priority. A batch that waits for a semaphore loses the
 * engine earlier (igen_polls.c).
 *
 * A request that follows another one on the same engine (igen_await.c) is queued when its leader has completed. If it
 * is more urgent than the next request of the queue, the second port stays free for it.
 *
 * An engine whose request only waits for another engine (igen_semaphore.c) takes other work: the driver unwinds the
 * waiting request, and submits it again when the engine has nothing else to do. The driver learns of the wait from an
 * interrupt or from the timer.
 *
 * A list that is to replace a client's context has the preempt timeout to be acknowledged. After that the running
 * context counts as hung, and the engine is reset. The same holds for a client that waits behind the heartbeat's pulse
 * and is more urgent than the running context. A context that nothing waits for may run as long as the heartbeat lets
 * it (igen_heartbeat.c).
 */
#include <linux/slab.h>

#include <igen/regs/context.h>
#include <igen/regs/engine.h>
#include <igen/regs/irq.h>

#include "igen_execlists.h"

static void execlists_submit(struct igen_engine *engine)
{
	lockdep_assert_held(&engine->group->lock);

	igen_csb_process(engine);
	igen_dequeue(engine);
}

static bool execlists_idle(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	igen_csb_process(engine);
	return !el->active[0] && !el->pending[0];
}

static void execlists_irq(struct igen_engine *engine, u32 bits)
{
	struct igen_execlists *el = to_execlists(engine);
	unsigned long flags;

	if (unlikely(bits & GT_IRQ_CS_ERROR))
		igen_command_error(engine);

	/* Also after a context switch (igen_breadcrumbs.c), and first: requests that become ready now go along. */
	igen_breadcrumbs_irq(engine);

	if (bits & (GT_IRQ_CONTEXT_SWITCH | GT_IRQ_WAIT_SEMAPHORE)) {
		spin_lock_irqsave(&engine->group->lock, flags);
		igen_csb_process(engine);
		if (bits & GT_IRQ_CONTEXT_SWITCH) {
			if (unlikely(!el->heard))
				igen_execlists_arm_late(engine);
			el->heard = false;
		}
		if (unlikely(bits & GT_IRQ_WAIT_SEMAPHORE))
			igen_polls_note_wait(engine);
		igen_scheduler_trim(engine);
		igen_dequeue(engine);
		spin_unlock_irqrestore(&engine->group->lock, flags);
	}
}

static int execlists_init(struct igen_engine *engine)
{
	struct igen_execlists *el;

	el = kzalloc(sizeof(*el), GFP_KERNEL);
	if (!el)
		return -ENOMEM;
	igen_scheduler_init(engine);
	igen_heartbeat_init(engine);

	el->engine = engine;
	el->csb = engine->hwsp_vaddr + HWSP_CSB_DW;
	el->csb_write = engine->hwsp_vaddr + HWSP_CSB_WRITE_PTR_DW;
	el->csb_read = GEN9_CSB_RESET_PTR;
	igen_execlists_timers_init(el);
	engine->backend = el;
	return 0;
}

static void execlists_fini(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	igen_heartbeat_fini(engine);
	igen_execlists_timers_fini(el);
	igen_scheduler_fini(engine);
	igen_ports_release(el);
	engine->backend = NULL;
	kfree(el);
}

static int execlists_resume(struct igen_engine *engine)
{
	struct igen_device *igen = engine->igen;
	u32 base = engine->info->base;

	/* The engine writes the CSB to the status page in any case, and nothing else unasked. */
	igen_write(igen, RING_HWSTAM(base), ~0u);
	igen_write(igen, RING_MODE(base), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
	igen_write(igen, RING_MI_MODE(base), IGEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	igen_write(igen, engine->info->hws_pga, lower_32_bits(igen_vma_start(engine->hwsp)));

	/* An invalid instruction interrupts. A refused register write does no harm and does not interrupt. */
	igen_write(igen, RING_EMR(base), ~0u);
	igen_write(igen, RING_EIR(base), ~0u);
	igen_write(igen, RING_EMR(base), ~EIR_INSTRUCTION_ERROR);

	igen_csb_reset(engine);
	igen_irq_engine_resume(engine);
	return 0;
}

static int execlists_reset_prepare(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	int err;

	spin_lock_irq(&engine->group->lock);
	el->blocked = true;
	spin_unlock_irq(&engine->group->lock);

	/* An engine that hangs within a command does not stop. */
	err = igen_engine_stop(engine);
	spin_lock_irq(&engine->group->lock);
	igen_csb_note_stop(engine);
	spin_unlock_irq(&engine->group->lock);
	return err;
}

/*
 * The request that the engine hangs in, if it hangs: the oldest one of the first port. The context that should have
 * preempted it is innocent, and so is the second port, since the hardware has not come to it.
 */
static struct igen_request *execlists_port_request(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	return el->active[0] ? igen_dequeue_oldest_of(engine, el->active[0]->lrc) : igen_scheduler_active(engine);
}

static struct igen_request *execlists_active(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_request *before, *rq;
	unsigned int moves;

	lockdep_assert_held(&engine->group->lock);

	igen_csb_process(engine);
	before = execlists_port_request(engine);
	rq = before;
	if (unlikely(el->stopped)) {
		moves = el->moves;
		igen_csb_catch_up(engine);
		rq = execlists_port_request(engine);
		/* The engine is still in the request in which the driver has seen it. */
		if (rq == before)
			el->moves = moves;
	}
	/* The request of the first port is not the one that the engine is in. */
	return unlikely(el->astray) ? NULL : rq;
}

static bool execlists_holds(const struct igen_lrc *lrc)
{
	return to_lrc_execlists(lrc)->ports;
}

/* Asks the engine before and after it reads the count, since the engine may switch contexts at any time. */
static bool execlists_running(struct igen_lrc *lrc, u32 *count)
{
	struct igen_device *igen = lrc->group->igen;
	struct igen_execlists *el = to_execlists(lrc->engine);
	u32 base = lrc->engine->info->base, id = upper_32_bits(lrc->image.desc);

	if (!lrc_is_active(el, lrc) && !(el->pending[0] && el->pending[0]->lrc == lrc))
		return false;
	if (!(igen_read(igen, RING_EXECLIST_STATUS_LO(base)) & EXECLIST_STATUS_ACTIVE_MASK) ||
	    igen_read(igen, RING_EXECLIST_STATUS_HI(base)) != id)
		return false;
	*count = igen_read(igen, RING_CTX_TIMESTAMP(base));
	return igen_read(igen, RING_EXECLIST_STATUS_LO(base)) & EXECLIST_STATUS_ACTIVE_MASK &&
	       igen_read(igen, RING_EXECLIST_STATUS_HI(base)) == id;
}

/* The pending list counts, too: the hardware may run it and not have acknowledged it. */
static u64 execlists_runtime(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_request *const ports[] = { el->active[0], el->active[1], el->pending[0], el->pending[1] };
	unsigned int n;
	u32 count, live = 0;

	lockdep_assert_held(&engine->group->lock);
	igen_ports_note_runtimes(el->active);
	igen_ports_note_runtimes(el->pending);
	/* This does not wake an idle engine. */
	if ((!el->active[0] && !el->pending[0]) || igen_forcewake_get(engine->igen, engine->info->forcewake))
		return engine->runtime;
	for (n = 0; n < ARRAY_SIZE(ports); n++) {
		if (!ports[n] || !execlists_running(ports[n]->lrc, &count))
			continue;
		/* The image is newer than the register when the context is just leaving. */
		live = max((s32)(count - ports[n]->lrc->runtime_mark), 0);
		break;
	}
	igen_forcewake_put(engine->igen, engine->info->forcewake);
	return engine->runtime + live;
}

/* The ports are those of the active list, or of the pending one when the hardware has acknowledged none yet. */
static void execlists_state(struct igen_engine *engine, bool ask, struct igen_engine_state *state)
{
	struct igen_execlists *el = to_execlists(engine);

	BUILD_BUG_ON(ARRAY_SIZE(state->given) != NUM_PORTS);
	state->active = execlists_active(engine);
	state->moves = el->moves;
	state->since = el->since;
	memcpy(state->given, el->active[0] ? el->active : el->pending, sizeof(state->given));
	state->certain = !ask || !igen_csb_mismatches(engine);
}

/* The head in the context's image lies within this request. */
static bool execlists_is_saved_within(const struct igen_request *rq)
{
	const struct igen_lrc *lrc = rq->lrc;

	return igen_ring_offset(&lrc->ring, lrc->image.regs[CTX_RING_HEAD] - rq->head) <
	       igen_ring_offset(&lrc->ring, rq->tail - rq->head);
}

/*
 * The image of a context in a port is as old as the context's last visit. With it, requests that have completed since
 * then would run again, so the context goes on with its oldest request that has not completed, or with the next one
 * that comes. A context keeps its place within a batch if the hardware was not in it, as far as the events have told.
 */
static void execlists_rewind_port(struct igen_engine *engine, const struct igen_request *port, bool was_in)
{
	struct igen_request *rq = igen_dequeue_oldest_of(engine, port->lrc);

	if (was_in || !rq || !execlists_is_saved_within(rq))
		igen_lrc_discard(port->lrc, false);
}

/*
 * The hardware has forgotten both ports, and has saved neither of them. The context that hung starts from the default
 * state again, since its registers cannot be trusted.
 */
static void execlists_reset(struct igen_engine *engine, bool stalled)
{
	struct igen_execlists *el = to_execlists(engine);
	struct igen_request *rq, *forger;
	struct igen_lrc *astray;
	unsigned int n;

	lockdep_assert_held(&engine->group->lock);

	rq = execlists_active(engine);
	/* The engine has not saved the context that it is in, whatever the events say. */
	astray = igen_csb_astray(engine);
	if (unlikely(astray))
		igen_lrc_discard(astray, false);
	forger = igen_csb_forger(engine);
	if (unlikely(forger))
		rq = forger;
	if (rq && stalled) {
		igen_request_skip(rq, -EIO);
		igen_lrc_discard(rq->lrc, true);
	}
	for (n = 0; n < NUM_PORTS; n++) {
		if (el->active[n])
			execlists_rewind_port(engine, el->active[n], !n && !el->astray);
		if (el->pending[n])
			execlists_rewind_port(engine, el->pending[n], false);
	}
	igen_scheduler_unwind(engine);
	igen_ports_release(el);
	igen_csb_reset(engine);
}

static void execlists_reset_finish(struct igen_engine *engine)
{
	struct igen_execlists *el = to_execlists(engine);

	spin_lock_irq(&engine->group->lock);
	el->blocked = false;
	igen_dequeue(engine);
	spin_unlock_irq(&engine->group->lock);
	/* Requests that completed just before the reset may have lost their interrupt. */
	igen_breadcrumbs_signal(engine);
}

const struct igen_submit_ops igen_execlists_ops = {
	.preempts = true,
	.lrc_bytes = sizeof(struct igen_lrc_execlists),
	.init = execlists_init,
	.fini = execlists_fini,
	.resume = execlists_resume,
	.submit = execlists_submit,
	.irq = execlists_irq,
	.idle = execlists_idle,
	.has_unread_events = igen_csb_has_unread_events,
	.state = execlists_state,
	.running = execlists_running,
	.holds = execlists_holds,
	.has_left = igen_departure_confirm,
	.wait_left = igen_departure_wait,
	.forger = igen_csb_forger,
	.runtime = execlists_runtime,
	.reset_prepare = execlists_reset_prepare,
	.reset = execlists_reset,
	.reset_finish = execlists_reset_finish,
};
