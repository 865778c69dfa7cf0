// SPDX-License-Identifier: MIT
/**
 * DOC: Scheduler
 *
 * Each engine has one queue of requests that may run: their dependencies have signaled. It is ordered by priority,
 * among equals by rounds, and in a round by age; a backend takes from its head. What the hardware was given stands in
 * engine->inflight, oldest first, until it has completed; a backend that changes its mind unwinds, which puts what has
 * not completed back to the head of its round. Both lists hold a reference to each request and are guarded by
 * group->lock.
 *
 * What something more urgent waits for is raised (igen_inherit.c): it moves forward in the queue; in flight it stays
 * where it is until the backend, which is told, unwinds what is in the wrong order.
 *
 * Rounds share an engine among its clients (start-time fair queueing). A request begins, in the engine's virtual time,
 * where the one before it of the same client ends, but not before the one that the engine works on, so that nobody
 * saves up time; how long it takes is what requests of its context took before. Who sends much at once fills many
 * rounds, and another client's request joins the present one. What the hardware was given ahead of its turn, since
 * nobody else was there, is paid for like the rest. In a round, the requests of a client stay together.
 *
 * Equals take turns: when what runs has had its time and somebody else waits who is as urgent, the backend takes
 * everything back and the one who ran goes behind its equals.
 */

#include <linux/list.h>

#include "../igen_device.h"
#include "igen_submit.h"

/* A round, in ticks: 0.7 ms on Gen9. */
#define ROUND_SHIFT	13
/* What is longer than some rounds is interrupted at the end of its timeslice, and pays for no more in advance. */
#define MOST_TICKS	(4u << ROUND_SHIFT)

/* Negative when @a goes before @b, 0 when age decides. */
static int compare(const struct igen_request *a, const struct igen_request *b)
{
	u64 round_a = a->turn >> ROUND_SHIFT, round_b = b->turn >> ROUND_SHIFT;

	if (a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	return round_a < round_b ? -1 : round_a > round_b;
}

/* The engine's virtual time has come to where a request began that has completed. */
static void note_turn(struct igen_engine *engine, const struct igen_request *rq)
{
	engine->turn = max(engine->turn, rq->turn);
}

/* Where the engine's virtual time is. group->lock held. */
static u64 virtual_time(const struct igen_engine *engine)
{
	const struct igen_request *rq;
	u64 turn = engine->turn;

	list_for_each_entry(rq, &engine->inflight, link) {
		turn = max(turn, rq->turn);
		if (!igen_request_completed(rq))
			break;
	}
	return turn;
}

/**
 * igen_scheduler_set_turn - decide when it is a request's turn among those of other clients
 * @engine: the engine
 * @rq: the request, which is about to join its queue; what its client sent before has joined it
 *
 * Context: group->lock held.
 */
void igen_scheduler_set_turn(struct igen_engine *engine, struct igen_request *rq)
{
	struct igen_client *client = rq->context->client;
	u64 now, *turn;

	lockdep_assert_held(&engine->group->lock);

	now = virtual_time(engine);
	rq->turn = now;
	rq->has_turn = true;
	if (!client)
		return;
	turn = &client->turn[engine->info->id];
	rq->turn = max(*turn, now);
	*turn = rq->turn + min(rq->lrc->request_ticks ?: BIT(ROUND_SHIFT), MOST_TICKS);
}

/**
 * igen_scheduler_insert - put a request into its engine's queue
 * @engine: the engine
 * @rq: the request; the queue takes over the caller's reference
 * @front: before its equals of the same round, for what was taken back from the hardware
 *
 * A request never overtakes another of its own timeline, whatever their priorities: a ring has one tail. The walk for a
 * new request starts at the tail, where nearly every one belongs.
 *
 * Context: group->lock held.
 */
void igen_scheduler_insert(struct igen_engine *engine, struct igen_request *rq, bool front)
{
	struct igen_request *pos;

	lockdep_assert_held(&engine->group->lock);

	if (front) {
		list_for_each_entry(pos, &engine->queue, link) {
			if (pos->lrc == rq->lrc || compare(rq, pos) <= 0)
				break;
		}
		list_add_tail(&rq->link, &pos->link);
	} else {
		list_for_each_entry_reverse(pos, &engine->queue, link) {
			if (pos->lrc == rq->lrc || compare(pos, rq) <= 0)
				break;
		}
		list_add(&rq->link, &pos->link);
	}
	rq->queued = true;
}

/**
 * igen_scheduler_raise - something more urgent waits for a request
 * @rq: a request that was committed; earlier ones of its timeline were raised before
 * @priority: above its own
 *
 * In the queue it moves forward, but not past its equals. One that is held back or has completed only takes note.
 *
 * Return: true when the backend has to look at the engine again.
 * Context: group->lock and the timeline's requests_lock held.
 */
bool igen_scheduler_raise(struct igen_request *rq, int priority)
{
	struct igen_engine *engine = rq->engine;
	struct igen_request *pos = rq;

	lockdep_assert_held(&engine->group->lock);
	lockdep_assert_held(&rq->lrc->requests_lock);

	WRITE_ONCE(rq->priority, priority);
	if (rq->queued) {
		list_for_each_entry_continue_reverse(pos, &engine->queue, link) {
			if ((pos->lrc == rq->lrc && !igen_request_completed(pos)) || compare(pos, rq) <= 0)
				break;
		}
		list_move(&rq->link, &pos->link);
	}
	return rq->queued || rq->submitted;
}

/**
 * igen_scheduler_drop - take a request that has completed out of the queue
 * @rq: the request; the queue's reference is put
 *
 * Context: group->lock held.
 */
void igen_scheduler_drop(struct igen_request *rq)
{
	lockdep_assert_held(&rq->group->lock);

	note_turn(rq->engine, rq);
	igen_scheduler_begin(rq->engine, rq);
	list_del_init(&rq->link);
	rq->queued = false;
	igen_request_put(rq);
}

/**
 * igen_scheduler_trim - drop what has completed from the head of the requests in flight
 * @engine: the engine
 *
 * Context: group->lock held.
 */
void igen_scheduler_trim(struct igen_engine *engine)
{
	struct igen_request *rq, *next;

	lockdep_assert_held(&engine->group->lock);

	/*
	 * Requests of two contexts may be in flight, of which the younger's can only complete after the older's: the
	 * first that has not completed ends the walk.
	 */
	list_for_each_entry_safe(rq, next, &engine->inflight, link) {
		if (!igen_request_completed(rq))
			break;
		note_turn(engine, rq);
		igen_scheduler_begin(engine, rq);
		list_del_init(&rq->link);
		igen_request_put(rq);
	}
}

/**
 * igen_scheduler_active - the request that the engine is working on
 * @engine: the engine
 *
 * Return: the oldest request in flight that has not completed, not counted, or NULL.
 * Context: group->lock held.
 */
struct igen_request *igen_scheduler_active(struct igen_engine *engine)
{
	struct igen_request *rq;

	lockdep_assert_held(&engine->group->lock);

	list_for_each_entry(rq, &engine->inflight, link) {
		if (!igen_request_completed(rq))
			return rq;
	}
	return NULL;
}

/**
 * igen_scheduler_unwind - take back what has not completed
 * @engine: the engine
 *
 * The engine may still run and complete some of it: who takes such a request from the queue later finds it completed
 * and drops it.
 *
 * Context: group->lock held.
 */
void igen_scheduler_unwind(struct igen_engine *engine)
{
	struct igen_request *rq, *next;

	lockdep_assert_held(&engine->group->lock);

	list_for_each_entry_safe_reverse(rq, next, &engine->inflight, link) {
		list_del_init(&rq->link);
		if (igen_request_completed(rq)) {
			note_turn(engine, rq);
			igen_scheduler_begin(engine, rq);
			igen_request_put(rq);
			continue;
		}
		rq->submitted = false;
		igen_scheduler_insert(engine, rq, true);
	}
}

/**
 * igen_scheduler_rival - ask whether somebody waits who is as urgent as what runs
 * @engine: the engine
 *
 * Return: true when a request of another context than that of igen_scheduler_active() has at least its priority.
 * Context: group->lock held.
 */
bool igen_scheduler_rival(struct igen_engine *engine)
{
	struct igen_request *running = igen_scheduler_active(engine), *rq;

	lockdep_assert_held(&engine->group->lock);

	if (!running)
		return false;
	rq = list_first_entry_or_null(&engine->queue, struct igen_request, link);
	if (rq && rq->lrc != running->lrc && rq->priority >= running->priority)
		return true;
	rq = running;
	list_for_each_entry_continue(rq, &engine->inflight, link) {
		if (rq->lrc != running->lrc)
			return rq->priority >= running->priority && !igen_request_completed(rq);
	}
	return false;
}

/**
 * igen_scheduler_defer - a context has had its turn
 * @engine: the engine
 * @lrc: the context on it, of which nothing is in flight
 *
 * Its requests in the queue go behind their equals of the round that is the next one's now, and one more.
 *
 * Context: group->lock held.
 */
void igen_scheduler_defer(struct igen_engine *engine, const struct igen_lrc *lrc)
{
	struct igen_request *rq, *next, *first;
	LIST_HEAD(later);

	lockdep_assert_held(&engine->group->lock);

	list_for_each_entry_safe(rq, next, &engine->queue, link) {
		if (rq->lrc == lrc)
			list_move_tail(&rq->link, &later);
	}
	first = list_first_entry_or_null(&engine->queue, struct igen_request, link);
	list_for_each_entry_safe(rq, next, &later, link) {
		list_del(&rq->link);
		if (first && rq->priority == first->priority)
			rq->turn = max(rq->turn, first->turn + BIT(ROUND_SHIFT));
		igen_scheduler_insert(engine, rq, false);
	}
}

/*
 * Queues what a timeline has held back, up to the first that still waits. What had its turn, and was held back again,
 * need not get in line. group->lock held.
 */
static void flush_held(struct igen_lrc *lrc)
{
	struct igen_engine *engine = lrc->engine;
	bool any = false, wedged = READ_ONCE(engine->igen->wedged);
	struct igen_request *rq, *next;

	lockdep_assert_held(&engine->group->lock);

	list_for_each_entry_safe(rq, next, &lrc->held, link) {
		if (atomic_read(&rq->pending))
			break;
		if (unlikely(igen_semaphore_obstructs(engine, rq))) {
			igen_semaphore_give_up(engine, rq);
			break;
		}
		/* Even if somebody gets the GPU to work again before it is failed. */
		if (unlikely(wedged))
			igen_request_skip(rq, -EIO);
		list_del_init(&rq->link);
		rq->engine = engine;
		if (rq->has_turn)
			rq->turn = max(rq->turn, virtual_time(engine));
		else
			igen_scheduler_set_turn(engine, rq);
		igen_scheduler_insert(engine, rq, false);
		any = true;
	}

	if (!any)
		return;
	if (unlikely(wedged)) {
		igen_wedged_kick(engine->igen);
		return;
	}
	/* What was held back has had nobody look after it: the heartbeat rests while there is nothing to run. */
	igen_heartbeat_arm(engine);
	engine->igen->platform->submit->submit(engine);
}

/**
 * igen_scheduler_add - take over a committed request
 * @rq: the request
 *
 * It is queued once all that it waits for has signaled, and what its timeline had before it is queued. From then on
 * it completes, by the engine or by a reset.
 *
 * Context: any; takes group->lock.
 */
void igen_scheduler_add(struct igen_request *rq)
{
	struct igen_engine_group *group = rq->group;
	unsigned long flags;

	spin_lock_irqsave(&group->lock, flags);
	igen_request_get(rq);
	list_add_tail(&rq->link, &rq->lrc->held);
	if (atomic_dec_and_test(&rq->pending))
		flush_held(rq->lrc);
	spin_unlock_irqrestore(&group->lock, flags);
}

/**
 * igen_scheduler_ready - the last fence that a request waited for has signaled
 * @rq: a committed request
 *
 * Context: any; takes group->lock.
 */
void igen_scheduler_ready(struct igen_request *rq)
{
	struct igen_engine_group *group = rq->group;
	unsigned long flags;

	spin_lock_irqsave(&group->lock, flags);
	flush_held(rq->lrc);
	spin_unlock_irqrestore(&group->lock, flags);
}

/**
 * igen_scheduler_start - move a request from the queue to those in flight
 * @engine: the engine
 * @rq: the request, which is being given to the hardware
 *
 * Context: group->lock held.
 */
void igen_scheduler_start(struct igen_engine *engine, struct igen_request *rq)
{
	lockdep_assert_held(&engine->group->lock);

	list_move_tail(&rq->link, &engine->inflight);
	rq->queued = false;
	rq->submitted = true;
	rq->started = true;
	if (unlikely(!list_empty(&rq->exec_waits))) {
		/* Those waits end with the locks of other engines. */
		list_splice_tail_init(&rq->exec_waits, &engine->exec_waits);
		irq_work_queue(&engine->exec_work);
	}
}

/**
 * igen_scheduler_begin - the engine works on a request, or has
 * @engine: the engine
 * @rq: the request
 *
 * Context: group->lock held.
 */
void igen_scheduler_begin(struct igen_engine *engine, struct igen_request *rq)
{
	lockdep_assert_held(&engine->group->lock);

	if (likely(list_empty(&rq->begin_waits)))
		return;
	engine->group->begins_awaited--;
	list_splice_tail_init(&rq->begin_waits, &engine->exec_waits);
	irq_work_queue(&engine->exec_work);
}

/**
 * igen_scheduler_look - have the backend see whether a request has begun
 * @rq: a committed request
 *
 * Context: any; takes group->lock.
 */
void igen_scheduler_look(struct igen_request *rq)
{
	struct igen_engine_group *group = rq->group;
	unsigned long flags;

	spin_lock_irqsave(&group->lock, flags);
	group->igen->platform->submit->submit(rq->engine);
	spin_unlock_irqrestore(&group->lock, flags);
}

static void exec_work(struct irq_work *work)
{
	struct igen_engine *engine = container_of(work, struct igen_engine, exec_work);
	unsigned long flags;
	LIST_HEAD(waits);

	spin_lock_irqsave(&engine->group->lock, flags);
	list_splice_init(&engine->exec_waits, &waits);
	spin_unlock_irqrestore(&engine->group->lock, flags);
	igen_await_run_started(&waits);
}

/**
 * igen_scheduler_init - prepare an engine's queue
 * @engine: the engine
 */
void igen_scheduler_init(struct igen_engine *engine)
{
	INIT_LIST_HEAD(&engine->queue);
	INIT_LIST_HEAD(&engine->inflight);
	INIT_LIST_HEAD(&engine->exec_waits);
	init_irq_work(&engine->exec_work, exec_work);
}

/**
 * igen_scheduler_fini - end it
 * @engine: the engine, to which nothing comes any more
 *
 * Context: may sleep.
 */
void igen_scheduler_fini(struct igen_engine *engine)
{
	irq_work_sync(&engine->exec_work);
}

/**
 * igen_engine_submit - have the backend look at an engine again
 * @engine: the engine
 *
 * It takes in what the hardware has told, and gives it what there is room for.
 *
 * Context: any; takes group->lock.
 */
void igen_engine_submit(struct igen_engine *engine)
{
	unsigned long flags;

	spin_lock_irqsave(&engine->group->lock, flags);
	engine->igen->platform->submit->submit(engine);
	spin_unlock_irqrestore(&engine->group->lock, flags);
}

/**
 * igen_engine_is_idle - ask whether an engine has nothing to do
 * @engine: the engine
 *
 * Return: true when nothing is queued, and the hardware has switched away from all that it was given.
 * Context: any; takes group->lock.
 */
bool igen_engine_is_idle(struct igen_engine *engine)
{
	unsigned long flags;
	bool idle;

	spin_lock_irqsave(&engine->group->lock, flags);
	igen_scheduler_trim(engine);
	idle = list_empty(&engine->queue) && list_empty(&engine->inflight) &&
	       engine->igen->platform->submit->idle(engine);
	spin_unlock_irqrestore(&engine->group->lock, flags);
	return idle;
}

/* The youngest request of an engine, counted, or NULL. */
static struct igen_request *engine_last_request(struct igen_engine *engine)
{
	struct igen_request *rq = NULL;
	struct list_head *list;

	spin_lock_irq(&engine->group->lock);
	igen_scheduler_trim(engine);
	list = list_empty(&engine->queue) ? &engine->inflight : &engine->queue;
	if (!list_empty(list)) {
		rq = list_last_entry(list, struct igen_request, link);
		dma_fence_get(&rq->fence);
	}
	spin_unlock_irq(&engine->group->lock);
	return rq;
}

/**
 * igen_wait_for_idle - wait until no engine has work
 * @igen: the device
 * @timeout: jiffies, at least 1
 *
 * Work that comes in meanwhile is waited for too, as far as the time goes.
 *
 * Return: 0; -ETIME when there was still work after @timeout; -ERESTARTSYS.
 * Context: may sleep.
 */
int igen_wait_for_idle(struct igen_device *igen, long timeout)
{
	struct igen_engine *engine;
	struct igen_request *rq;
	unsigned int id;
	bool waited;

	/* Once more after a wait: what was on one engine may have moved to another that was looked at before. */
	do {
		waited = false;
		for_each_engine(igen, id, engine) {
			while ((rq = engine_last_request(engine))) {
				waited = true;
				timeout = dma_fence_wait_timeout(&rq->fence, true, timeout);
				igen_request_put(rq);
				if (timeout < 0)
					return timeout;
				if (!timeout)
					return -ETIME;
			}
		}
	} while (waited);
	return 0;
}
