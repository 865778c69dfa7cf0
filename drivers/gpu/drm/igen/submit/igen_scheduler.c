// SPDX-License-Identifier: MIT
/**
 * DOC: Scheduler
 *
 * Each engine has one queue of requests that may run, since their dependencies have signaled (igen_queue.c). A backend
 * takes requests from the head of the queue. Requests that the hardware has are in engine->inflight, oldest first,
 * until they have completed. A backend that decides otherwise unwinds: requests in flight that have not completed go
 * back to their places in the queue. Queue and list hold a reference to each request, under group->lock. ::
 *
 *   igen_scheduler_add()    igen_scheduler_start()    igen_scheduler_trim()
 *           |                        |                         |
 *           v                        v                         v
 *   lrc->held --> queue --------> inflight ----------------> (done)
 *                   ^                |
 *                   +----------------+
 *               igen_scheduler_unwind()
 *
 * A backend may take a request past the queue when its engine has nothing to do and the queue is empty
 * (igen_submit_ops.take). The request's shares pay for it as if it had been queued.
 *
 * If an urgent request waits for a less urgent one, the driver raises the latter (igen_inherit.c). A queued request
 * moves forward. A request in flight keeps its place, and the backend unwinds requests that are in the wrong order.
 *
 * Contexts of equal priority take turns. When the running context's timeslice is over and an equally urgent request of
 * another context waits, the shares of the running context pay for the time. If the other request comes first after
 * that, the backend unwinds, and the running context goes behind the others of its priority.
 */

#include <linux/list.h>
#include <linux/math64.h>

#include "../igen_device.h"
#include "../igen_trace.h"
#include "igen_retire.h"
#include "igen_submit.h"

/* Requests after which the worker turns interrupts on again. It queues all that are ready of one timeline first. */
#define READY_AT_ONCE	64

/**
 * igen_scheduler_raise - raise a request that a more urgent one waits for
 * @rq: a request that was committed; earlier ones of its timeline were raised before
 * @priority: above its own
 *
 * In the queue the request moves forward, but not past its equals. Elsewhere it only gets the priority.
 *
 * Return: true when the backend has to look at the engine again.
 * Context: group->lock and the timeline's lock held.
 */
bool igen_scheduler_raise(struct igen_request *rq, int priority)
{
	lockdep_assert_held(&rq->group->lock);
	lockdep_assert_held(&rq->lrc->timeline.lock);

	if (rq->queued)
		igen_queue_raise(rq->engine, rq, priority);
	else
		WRITE_ONCE(rq->priority, priority);
	return rq->queued || rq->submitted;
}

/* Requests of the driver's own say nothing: the heartbeat's pulses complete beside a batch that does not end. */
static void scheduler_count_completed(struct igen_engine *engine, const struct igen_request *rq)
{
	if (rq->client)
		WRITE_ONCE(engine->completed, engine->completed + 1);
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

	igen_request_note_progress(rq);
	scheduler_count_completed(rq->engine, rq);
	igen_scheduler_begin(rq->engine, rq);
	igen_queue_remove(rq->engine, rq);
	igen_request_put(rq);
}

/* Appends a request to those in flight. group->lock held. */
static void scheduler_inflight_add(struct igen_engine *engine, struct igen_request *rq)
{
	struct igen_request *last;

	if (!list_empty(&engine->inflight)) {
		last = list_last_entry(&engine->inflight, struct igen_request, link);
		/* The LRC of a completed request may be freed, and a new LRC may have its address. That run is over. */
		if (last->lrc == rq->lrc)
			list_del_init(&last->run_link);
	}
	list_add_tail(&rq->link, &engine->inflight);
	list_add_tail(&rq->run_link, &engine->inflight_runs);
}

/**
 * igen_scheduler_land - take a request off those in flight
 * @rq: the first request in flight; or the last, if all of them are taken off before the unlock
 *
 * Its reference is the caller's. An engine's list of runs stays right, as the last request of a run goes last.
 *
 * Context: group->lock held.
 */
void igen_scheduler_land(struct igen_request *rq)
{
	lockdep_assert_held(&rq->group->lock);

	list_del_init(&rq->link);
	list_del_init(&rq->run_link);
}

/**
 * igen_scheduler_trim - drop completed requests from the head of the requests in flight
 * @engine: the engine
 *
 * Context: group->lock held.
 */
void igen_scheduler_trim(struct igen_engine *engine)
{
	struct igen_request *rq, *next;

	lockdep_assert_held(&engine->group->lock);

	/*
	 * Requests complete in the order of this list, also those of two contexts. So the first one that has not
	 * completed ends the walk.
	 */
	list_for_each_entry_safe(rq, next, &engine->inflight, link) {
		if (!igen_request_completed(rq))
			break;
		trace_i915_request_out(rq);
		igen_queue_note_begin(rq);
		igen_request_note_progress(rq);
		scheduler_count_completed(engine, rq);
		igen_scheduler_begin(engine, rq);
		igen_scheduler_land(rq);
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
 * igen_scheduler_unwind - take the requests in flight back to the queue
 * @engine: the engine
 *
 * The engine may still run such a request to its end. Code that takes a completed request from the queue drops it.
 *
 * Context: group->lock held.
 */
void igen_scheduler_unwind(struct igen_engine *engine)
{
	struct igen_request *rq, *next;

	lockdep_assert_held(&engine->group->lock);

	list_for_each_entry_safe_reverse(rq, next, &engine->inflight, link) {
		igen_scheduler_land(rq);
		trace_i915_request_out(rq);
		if (igen_request_completed(rq)) {
			igen_queue_note_begin(rq);
			igen_request_note_progress(rq);
			igen_scheduler_begin(engine, rq);
			igen_request_put(rq);
			continue;
		}
		rq->submitted = false;
		igen_queue_give_back(engine, rq);
	}
}

/**
 * igen_scheduler_rival - find a request that is as urgent as the running one
 * @engine: the engine
 * @busy: of a context that is not known to poll
 *
 * Return: a request of another context than that of igen_scheduler_active() which has at least its rank, queued or in
 * flight, not counted; or NULL.
 * Context: group->lock held.
 */
struct igen_request *igen_scheduler_rival(struct igen_engine *engine, bool busy)
{
	struct igen_request *running = igen_scheduler_active(engine), *rq;

	lockdep_assert_held(&engine->group->lock);

	if (!running)
		return NULL;
	rq = igen_queue_rival(engine, running->lrc, busy);
	if (rq && igen_request_rank(rq) >= igen_request_rank(running))
		return rq;
	rq = running;
	list_for_each_entry_continue(rq, &engine->inflight, link) {
		if (rq->lrc == running->lrc)
			continue;
		if (igen_request_rank(rq) >= igen_request_rank(running) && !igen_request_completed(rq) &&
		    !(busy && igen_request_polls(rq)))
			return rq;
		break;
	}
	return NULL;
}

/**
 * igen_scheduler_take_turns - end the running context's timeslice
 * @engine: the engine
 * @lrc: the context that the hardware runs
 * @since: when its timeslice began, in jiffies; set to now if the context has paid for it
 *
 * The context's shares pay for the time. If another request would come first then, all requests in flight are unwound,
 * and the context goes behind the others of its priority. Otherwise the others have had more of the engine, and the
 * context gets another timeslice.
 *
 * Return: true when the requests in flight were unwound.
 * Context: group->lock held.
 */
bool igen_scheduler_take_turns(struct igen_engine *engine, struct igen_lrc *lrc, unsigned long *since)
{
	struct igen_request *rival = igen_scheduler_rival(engine, false), *running = igen_scheduler_active(engine);
	u64 ticks;

	lockdep_assert_held(&engine->group->lock);

	/* The context may have run dry meanwhile. */
	if (!rival || running->lrc != lrc)
		return false;
	ticks = mul_u64_u32_div(jiffies_to_usecs(jiffies - *since), engine->igen->platform->timestamp_hz, USEC_PER_SEC);
	*since = jiffies;
	if (!igen_queue_would_run(engine, running, ticks, rival)) {
		igen_queue_charge(running, ticks);
		return false;
	}
	igen_scheduler_unwind(engine);
	/* All requests of the context may have completed just now. */
	if (!list_empty(&lrc->queued))
		igen_queue_defer(engine, lrc, ticks);
	return true;
}

/*
 * Queues what a timeline has held back, up to the first that still waits, and adds their number to *queued. True when
 * the backend has to look at the engine again. group->lock held.
 */
static bool scheduler_queue_held(struct igen_lrc *lrc, unsigned int *queued)
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
		/* Even if root gets the GPU to work again before the request is failed. */
		if (unlikely(wedged))
			igen_request_skip(rq, -EIO);
		list_del_init(&rq->link);
		rq->engine = engine;
		/* A request comes here again after its engine's wait by semaphore was replaced by a fence callback. */
		if (trace_i915_request_submit_enabled() && !rq->share)
			trace_i915_request_submit(rq);
		if (!any)
			igen_queue_note_begun(engine);
		igen_queue_add(engine, rq);
		++*queued;
		any = true;
	}

	if (!any)
		return false;
	if (unlikely(wedged)) {
		igen_wedged_kick(engine->igen);
		return false;
	}
	/* The heartbeat rests while there is nothing to run, so it has not watched requests that were held back. */
	igen_heartbeat_arm(engine);
	return true;
}

/* Queues the requests that a timeline has held back, and has the backend submit them. group->lock held. */
static void scheduler_flush_held(struct igen_lrc *lrc)
{
	unsigned int queued = 0;

	if (scheduler_queue_held(lrc, &queued))
		lrc->group->igen->platform->submit->submit(lrc->engine);
}

/* Gives a request that waits for nothing to its engine, past the queue, if that has nothing to do. group->lock held. */
static bool scheduler_pass(struct igen_request *rq)
{
	struct igen_device *igen = rq->group->igen;
	struct igen_lrc *lrc = rq->lrc;
	struct igen_engine *engine = lrc->engine;

	if (!igen->platform->submit->take || !igen_queue_is_empty(engine) || !list_empty(&lrc->held))
		return false;
	if (unlikely(lrc->siblings || rq->semaphore || READ_ONCE(igen->wedged)))
		return false;
	rq->engine = engine;
	if (!igen->platform->submit->take(engine, rq))
		return false;
	igen_heartbeat_arm(engine);
	return true;
}

/**
 * igen_scheduler_add - take over a committed request
 * @rq: the request
 *
 * It is queued once all that it waits for has signaled, and what its timeline had before it is queued. From then on
 * it completes, by the engine or by a reset.
 *
 * Takes the reference for the lists of the engine.
 *
 * Context: any; takes group->lock.
 */
void igen_scheduler_add(struct igen_request *rq)
{
	struct igen_engine_group *group = rq->group;
	unsigned long flags;

	spin_lock_irqsave(&group->lock, flags);
	igen_request_get(rq);
	if (!atomic_dec_and_test(&rq->pending)) {
		list_add_tail(&rq->link, &rq->lrc->held);
	} else if (!scheduler_pass(rq)) {
		list_add_tail(&rq->link, &rq->lrc->held);
		scheduler_flush_held(rq->lrc);
	}
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
	scheduler_flush_held(rq->lrc);
	spin_unlock_irqrestore(&group->lock, flags);
}

/**
 * igen_scheduler_ready_later - as igen_scheduler_ready(), but a worker queues the request
 * @rq: a committed request
 *
 * Takes no lock of the engine. One run of the worker serves all requests that become ready before it.
 *
 * Context: any; the caller is in an RCU read-side section in which the request had not completed.
 */
void igen_scheduler_ready_later(struct igen_request *rq)
{
	struct igen_engine_group *group = rq->group;
	struct igen_lrc *lrc = rq->lrc;

	/* Pairs with the worker's: if it finds the LRC listed here, it reads rq->pending after that. */
	if (xchg(&lrc->ready_listed, true))
		return;
	/* The last reference goes only after another flush of the timeline has had the request run to its end. */
	if (!kref_get_unless_zero(&lrc->ref))
		return;
	llist_add(&lrc->ready_link, &group->ready);
	queue_work(group->igen->wq, &group->ready_work);
}

/**
 * igen_scheduler_look_later - as igen_scheduler_look(), but a worker has the backend look
 * @rq: a committed request
 *
 * Context: any; takes no lock of the engine.
 */
void igen_scheduler_look_later(struct igen_request *rq)
{
	queue_work(rq->group->igen->wq, &rq->group->ready_work);
}

/* Queues requests that timelines have held back, in one section without interrupts. Returns the next LRC, or NULL. */
static struct llist_node *scheduler_ready_some(struct igen_engine_group *group, struct llist_node *node)
{
	struct igen_lrc *lrc, *done[READY_AT_ONCE];
	unsigned int n, num_done = 0, queued = 0;

	spin_lock_irq(&group->lock);
	/* A timeline may have nothing to queue, since another of its requests was flushed meanwhile. */
	while (node && num_done < READY_AT_ONCE && queued < READY_AT_ONCE) {
		lrc = llist_entry(node, struct igen_lrc, ready_link);
		done[num_done++] = lrc;
		/* As soon as ready_listed is false, the LRC may be listed again. */
		node = node->next;
		xchg(&lrc->ready_listed, false);
		scheduler_queue_held(lrc, &queued);
	}
	for (n = 0; n < group->num_engines; n++)
		group->igen->platform->submit->submit(group->engine[n]);
	spin_unlock_irq(&group->lock);

	for (n = 0; n < num_done; n++)
		igen_lrc_put(done[n]);
	return node;
}

static void scheduler_ready_work(struct work_struct *work)
{
	struct igen_engine_group *group = container_of(work, struct igen_engine_group, ready_work);
	struct llist_node *node = llist_reverse_order(llist_del_all(&group->ready));
	bool cookie = dma_fence_begin_signalling();

	/* At least once: igen_scheduler_look_later() lists nothing. */
	while ((node = scheduler_ready_some(group, node)))
		cond_resched();
	dma_fence_end_signalling(cookie);
}

/**
 * igen_scheduler_flush - wait until all requests that are ready are queued
 * @igen: the device
 *
 * Context: may sleep; the reset mutex is not held.
 */
void igen_scheduler_flush(struct igen_device *igen)
{
	struct igen_engine_group *group;

	for_each_group(igen, group) {
		if (group->num_engines)
			flush_work(&group->ready_work);
	}
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

	trace_i915_request_execute(rq);
	igen_queue_take(engine, rq);
	scheduler_inflight_add(engine, rq);
	rq->submitted = true;
	rq->started = true;
	if (unlikely(!list_empty(&rq->exec_waits))) {
		/* Ending a wait for this request's start takes the locks of the engines of the waiting requests. */
		list_splice_tail_init(&rq->exec_waits, &engine->exec_waits);
		irq_work_queue(&engine->exec_work);
	}
}

/**
 * igen_scheduler_begin - the engine works on a request, or has
 * @engine: the engine
 * @rq: the request
 *
 * A backend calls it when it learns of that.
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

static void scheduler_exec_work(struct irq_work *work)
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
	igen_queue_init(engine);
	INIT_LIST_HEAD(&engine->inflight);
	INIT_LIST_HEAD(&engine->inflight_runs);
	INIT_LIST_HEAD(&engine->exec_waits);
	init_irq_work(&engine->exec_work, scheduler_exec_work);
	/* The group's first engine. */
	if (!engine->group->num_engines)
		INIT_WORK(&engine->group->ready_work, scheduler_ready_work);
	igen_breadcrumbs_init(engine);
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
	flush_work(&engine->group->ready_work);
	igen_breadcrumbs_fini(engine);
}

/**
 * igen_engine_submit - have the backend look at an engine again
 * @engine: the engine
 *
 * The backend reads the hardware's events, and gives the hardware as many requests as it has room for.
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
	idle = igen_queue_is_empty(engine) && list_empty(&engine->inflight) &&
	       engine->igen->platform->submit->idle(engine);
	spin_unlock_irqrestore(&engine->group->lock, flags);
	return idle;
}

/* A request of an engine that has not ended, of those in flight the youngest, counted; or NULL. */
static struct igen_request *scheduler_engine_request(struct igen_engine *engine)
{
	struct igen_request *rq;

	spin_lock_irq(&engine->group->lock);
	igen_scheduler_trim(engine);
	/* A request that was unwound may have completed all the same. */
	while ((rq = igen_queue_first(engine)) && igen_request_completed(rq))
		igen_scheduler_drop(rq);
	if (!rq && !list_empty(&engine->inflight))
		rq = list_last_entry(&engine->inflight, struct igen_request, link);
	if (rq)
		igen_request_get(rq);
	spin_unlock_irq(&engine->group->lock);
	return rq;
}

/* How many requests of clients all engines have completed so far. */
static unsigned int scheduler_completed(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id, sum = 0;

	for_each_engine(igen, id, engine)
		sum += READ_ONCE(engine->completed);
	return sum;
}

/* As igen_wait_for_idle(); -ERESTARTSYS only if @interruptible. */
static int scheduler_wait_for_idle(struct igen_device *igen, bool interruptible, long timeout)
{
	struct igen_engine *engine;
	struct igen_request *rq;
	unsigned int id;
	bool waited;

	/* Once more after a wait: a request may have moved to a sibling engine that was looked at before. */
	do {
		waited = false;
		igen_scheduler_flush(igen);
		for_each_engine(igen, id, engine) {
			while ((rq = scheduler_engine_request(engine))) {
				waited = true;
				timeout = dma_fence_wait_timeout(&rq->fence, interruptible, timeout);
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

/**
 * igen_drain - wait until no engine has work, as long as clients' work gets done
 * @igen: the device; clients submit nothing
 * @patience: jiffies in which at least one request of a client has to complete
 * @timeout: jiffies in all, rounded up to a multiple of @patience
 *
 * A batch that does not end costs @patience, and not all of @timeout. Signals of the process that suspends the machine
 * do not end the wait.
 *
 * Return: 0, or -ETIME when there was still work.
 * Context: may sleep.
 */
int igen_drain(struct igen_device *igen, long patience, long timeout)
{
	unsigned int before;
	long waited;
	int ret;

	for (waited = 0; waited < timeout; waited += patience) {
		before = scheduler_completed(igen);
		ret = scheduler_wait_for_idle(igen, false, patience);
		if (ret != -ETIME)
			return ret;
		if (scheduler_completed(igen) == before)
			break;
	}
	return -ETIME;
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
	return scheduler_wait_for_idle(igen, true, timeout);
}
