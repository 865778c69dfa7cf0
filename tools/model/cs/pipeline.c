// SPDX-License-Identifier: MIT
/**
 * DOC: The pipeline behind the command streamer
 *
 * GPGPU_WALKER gives the pipeline its thread groups, and the command streamer goes on. The pipeline has a queue of such
 * work, in order: groups run one after the other, each for "group_ns". The pipeline has no thread of its own. The clock
 * alone drives the groups: a read of a register and a command that waits first count the groups that have run by now.
 *
 * The queue also has the post-sync writes and interrupts of PIPE_CONTROLs without a stall, which happen when the work
 * before them has ended. The engine's thread does them when their time has come, between two commands or while it
 * waits.
 *
 * These commands wait for the pipeline (DG1 Vol 2a, at each command):
 *
 * ========================================== =================================================================
 * PIPE_CONTROL with a CS stall               until all is done
 * PIPE_CONTROL with "Pipe Control Flush      until the post-sync operations of earlier ones are done
 * Enable"
 * PIPE_CONTROL's post-sync write and         in the queue; the command streamer goes on. One with a register
 * notification                               write waits as one with a stall does
 * MEDIA_STATE_FLUSH                          until the last group or media thread has begun ("stalls CS until the
 *                                            TDL has dispatched the last thread", IVB Vol 2 Part 2, 1.8.5)
 * STATE_BASE_ADDRESS and                     until all is done ("causes a full pipeline flush")
 * GPGPU_CSR_BASE_ADDRESS
 * PIPELINE_SELECT                            until all is done; the manual wants a stall before it, which the
 *                                            validator asks for
 * GPGPU_WALKER                               for room in the queue; with "workers=0" for its own groups
 * the end of a ring, a context's save        below
 * ========================================== =================================================================
 *
 * A walker whose context has programs (media.c) gives the pipeline groups that execute them. The engine's thread then
 * runs one group after the other, a slice at a time, between two commands and while it waits. Such a group has run when
 * its threads have ended and its time is over; the next one begins then. If the host takes longer for the threads, the
 * groups behind catch up. A group whose threads never end is never over.
 *
 * With the setting "workers" above 1, groups that have to catch up are executed several at a time (media/workers.c). A
 * group begins no earlier than by the clock, so the clock of a walker is the same with any number of workers. Groups
 * end in any order; each of those that have begun ends before the context leaves the engine between groups. A context
 * at mid-thread level has one group at a time, since its area has room for one.
 *
 * No other command waits: a store, a user interrupt, a semaphore or a register read behind a walker may see that its
 * groups have not run.
 *
 * A context that leaves the engine leaves nothing in the pipeline. At the end of its ring the queue is drained. When
 * it is preempted, CS_CHICKEN1 says what happens (stock i915, GEN9_PREEMPT_GPGPU_*; no text here has the register):
 * at command level the queue is drained; at thread-group level the group that runs when the list comes is the last
 * one, and the rest of the queue goes into the context's image; at mid-thread level the threads of the group that
 * runs stop between two instructions and go to the area that GPGPU_CSR_BASE_ADDRESS names (media/area.c). If the
 * context has named none, if the group has no program, or if a page of the area is not there, it is the thread-group
 * level. Without the per-context control in FF_SLICE_CS_CHICKEN1 the context has no say, and it is the command level.
 * A command that waits for the pipeline is an arbitration point, as PIPE_CONTROL and MEDIA_STATE_FLUSH are in GPGPU
 * mode (DG1 Vol 2a, "MI_BATCH_BUFFER_START", list of preemptible commands); it is parsed again when the context comes
 * back.
 *
 * The queue goes into the context's image and comes back from there (pipeline_image.c). A reset of the engine loses the
 * queue and the group that runs. While the engine is parked the pipeline stands still, and the group that ran begins
 * again afterwards.
 */
#include "cs/cs.h"
#include "igen/cmd/gfx.h"
#include "igen/regs/context.h"
#include "neutral_media.h"

/* A host sleeps for longer than this, however little it is asked for. */
#define SHORT_NS	50000

/* Quanta of instructions (media/group.c) between two locks, and how many are executed at a time. */
#define SLICE		16
#define QUANTA		128

/* Quanta of each thread of the host, where several execute groups. */
#define ROUND		512

#define STUCK_US	1000

static struct pipeline_work *first(struct pipeline *p)
{
	return &p->work[p->first % PIPELINE_DEPTH];
}

static uint64_t saturating_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t saturating_mul(uint64_t a, uint64_t b)
{
	uint64_t v;

	return __builtin_mul_overflow(a, b, &v) ? UINT64_MAX : v;
}

/* Where walks of this context are preempted. */
static enum walker_stop where_stops(struct engine *e)
{
	return e->submission->stops_walkers ? e->submission->stops_walkers(e) : WALKER_ENDS;
}

/* Does a list or UHPTR wait that this wait has to give way to? gpu->lock held. */
static bool interrupted(struct engine *e)
{
	const struct pipeline *p = &e->pipeline;

	if (p->flushes)
		return e->submission->stops_at_flush(e);
	return p->stops && p->waits && engine_requests(e) & ENGINE_LIST && p->refused != atomic_load(&e->list_seq);
}

/* From when on no group begins; UINT64_MAX: they go on. However late the engine's thread is. gpu->lock held. */
static uint64_t stop_ns(struct engine *e)
{
	const struct pipeline *p = &e->pipeline;

	if (p->stop_ns)
		return p->stop_ns;
	if (!interrupted(e))
		return UINT64_MAX;
	return e->request_ns > p->waits_since ? e->request_ns : p->waits_since;
}

/* How many groups of the first work have run by a time. gpu->lock held. */
static uint64_t due(struct engine *e, uint64_t ns)
{
	uint64_t each = e->gpu->config.group_ns, stop = stop_ns(e);
	struct pipeline *p = &e->pipeline;
	const struct pipeline_work *w = first(p);
	uint64_t left = w->total - w->done, n, begun;

	if (w->walk.executes)
		left = p->ended;
	if (!each && (!w->walk.executes || ns >= p->begun_ns))
		return left;
	if (ns <= p->begun_ns)
		return 0;
	n = (ns - p->begun_ns) / each;
	if (w->walk.executes)
		return n < left ? n : left;
	/* The groups that had begun when the pipeline was to stop. */
	begun = stop > p->begun_ns ? (stop - p->begun_ns - 1) / each + 1 : 0;
	if (n > begun)
		n = begun;
	return n < left ? n : left;
}

static void drop_first(struct pipeline *p)
{
	p->known = false;
	p->first++;
	p->n--;
}

/* Counts the groups that have run by a time. A PIPE_CONTROL's work stays, for the engine's thread. gpu->lock held. */
static void settle(struct engine *e, uint64_t ns)
{
	struct pipeline *p = &e->pipeline;

	while (p->runs && p->n && first(p)->total) {
		struct pipeline_work *w = first(p);
		uint64_t n = due(e, ns);

		if (n) {
			w->done += n;
			p->begun_ns += n * e->gpu->config.group_ns;
			p->ended -= w->walk.executes ? n : 0;
			e->groups += n;
			reg_set64(e, GPGPU_THREADS_DISPATCHED - RCS0_BASE,
				  reg_get64(e, GPGPU_THREADS_DISPATCHED - RCS0_BASE) + n * w->channels);
			count("thread_groups", e->info->name, n);
		}
		if (w->done < w->total)
			return;
		drop_first(p);
	}
}

/*
 * How many groups of the first work may begin to execute. The first does when its turn comes, however early that is.
 * The others begin by the clock. gpu->lock held.
 */
static uint64_t may_begin(struct engine *e, uint64_t now)
{
	uint64_t each = e->gpu->config.group_ns;
	const struct pipeline *p = &e->pipeline;
	const struct pipeline_work *w = first(&e->pipeline);
	uint64_t begun = p->running + p->ended, left = w->total - w->done - begun, turns = 1;

	if (stop_ns(e) != UINT64_MAX)
		return 0;
	if (!each)
		return left;
	if (now > p->begun_ns)
		turns = (now - p->begun_ns) / each + 1;
	turns = turns > begun ? turns - begun : 0;
	return turns < left ? turns : left;
}

/* Does the first work have a group that executes, or that may begin to? gpu->lock held. */
static bool may_execute(struct engine *e, uint64_t now)
{
	const struct pipeline *p = &e->pipeline;

	if (!p->runs || !p->n || !first(&e->pipeline)->total || !first(&e->pipeline)->walk.executes)
		return false;
	return p->running || may_begin(e, now);
}

/**
 * cs_pipeline_has_programs - does the queue have programs?
 * @p: a pipeline; gpu->lock is held, if others see it
 *
 * Return: true if so.
 */
bool cs_pipeline_has_programs(const struct pipeline *p)
{
	for (unsigned int i = 0; i < p->n; i++)
		if (p->work[(p->first + i) % PIPELINE_DEPTH].walk.executes)
			return true;
	return false;
}

/* Does one post-sync operation whose turn it is; false if there is none. */
static bool do_post(struct engine *e)
{
	struct pipeline *p = &e->pipeline;
	struct pipeline_work post;
	bool found;

	pthread_mutex_lock(&e->gpu->lock);
	settle(e, now_ns());
	found = p->runs && p->n && !first(p)->total;
	if (found) {
		post = *first(p);
		drop_first(p);
		p->posts--;
	}
	p->busy = p->n;
	p->programs = p->programs && cs_pipeline_has_programs(p);
	pthread_mutex_unlock(&e->gpu->lock);
	if (found)
		cs_post_sync(e, post.flags, post.addr, post.data);
	return found;
}

/* Where the loaded context's area for a group begins; 0: nowhere. */
static uint64_t area_of(struct engine *e)
{
	struct gpgpu_csr_base_address c = { 0 };
	unsigned int len;
	const uint32_t *dw = cs_state_packet(e, CS_PACKET_AREA, &len);

	if (dw)
		gpgpu_csr_base_address_unpack(e->gen, dw, len, &c);
	return c.gpgpu_csr_base_address;
}

/* Is the thread to stop or to park? A list that waits is no reason: the context may have to end its groups first. */
static bool to_stop(struct engine *e)
{
	return engine_requests(e) & ~(uint32_t)ENGINE_LIST;
}

/* Does UHPTR ask for a preemption, for which MEDIA_STATE_FLUSH stops? Any thread. */
static bool asks_flush(struct engine *e)
{
	return e->submission->stops_at_flush && e->submission->stops_at_flush(e);
}

/*
 * What the engine's thread knew of requests when it began to execute groups. A list or a request by UHPTR that comes
 * later ends a round, so that the engine's thread looks at it. One that the thread knew does not, since groups that
 * have begun end before their context leaves.
 */
struct asked {
	struct engine *e;
	unsigned int list_seq;
	bool uhptr;
};

static bool is_asked(void *arg)
{
	const struct asked *a = arg;

	if (to_stop(a->e) || atomic_load(&a->e->list_seq) != a->list_seq)
		return true;
	return asks_flush(a->e) != a->uhptr;
}

/* Tells media/ of the first work's walk, and has the group there that was preempted inside. */
static void begin_walk(struct engine *e, const struct pipeline_work *work, bool known, bool inside)
{
	struct media_state state;

	if (!known) {
		cs_media_state(e, &state);
		media_walk(e->media, &state, &work->walk);
	}
	if (inside)
		media_restore(e->media, area_of(e), &e->pipeline.group);
}

/* A while of executing the first work's groups. gpu->lock held. */
static struct media_round next_round(struct engine *e, uint64_t now, bool alone)
{
	const struct pipeline *p = &e->pipeline;
	struct media_round r = {
		.next = first(&e->pipeline)->done + p->ended + p->running, .may_begin = may_begin(e, now),
		.alone = alone, .quanta = ROUND, .stop = is_asked,
	};

	/* One group at a time: the next begins when the clock says that this one has run. */
	if (alone || e->gpu->config.workers < 2) {
		r.may_begin = r.may_begin && !p->running;
		r.quanta = SLICE;
	}
	return r;
}

/* Executes a round; gpu->lock is held, and dropped meanwhile. */
static void run_round(struct engine *e, struct media_round *r)
{
	struct pipeline *p = &e->pipeline;
	struct pipeline_work work = *first(p);
	bool known = p->known, inside = p->inside;

	p->known = true;
	p->inside = false;
	if (inside) {
		p->running = 1;
		r->may_begin = 0;
	}
	pthread_mutex_unlock(&e->gpu->lock);
	begin_walk(e, &work, known, inside);
	media_round(e->media, r);
	if (r->by_workers)
		count("worker_groups", e->info->name, r->by_workers);
	pthread_mutex_lock(&e->gpu->lock);
	p->running += r->began - r->ended;
	p->ended += r->ended;
	p->stuck = r->stuck;
	if (r->ended)
		settle(e, now_ns());
}

/* Executes groups of the first work for a while; false when there is nothing to execute. */
static bool execute(struct engine *e)
{
	bool alone = where_stops(e) == WALKER_THREAD, goes_on;
	struct asked asked = { e, atomic_load(&e->list_seq), asks_flush(e) };
	struct pipeline *p = &e->pipeline;
	unsigned int quanta = 0;
	uint64_t now = now_ns();

	pthread_mutex_lock(&e->gpu->lock);
	settle(e, now);
	p->stuck = false;
	while (may_execute(e, now) && !p->stuck && quanta < QUANTA && !is_asked(&asked)) {
		struct media_round r = next_round(e, now, alone);

		r.arg = &asked;
		run_round(e, &r);
		quanta += r.executed;
		now = now_ns();
		settle(e, now);
	}
	goes_on = may_execute(e, now) && !p->stuck;
	pthread_mutex_unlock(&e->gpu->lock);
	return goes_on;
}

/**
 * cs_pipeline_poll - runs the groups and post-sync operations that have become due
 * @e: the engine; this is its thread, and gpu->lock is not held
 */
void cs_pipeline_poll(struct engine *e)
{
	do {
		while (do_post(e))
			;
	} while (e->pipeline.programs && !to_stop(e) && execute(e) && e->pipeline.posts);
}

/**
 * cs_pipeline_queue - hands work to the pipeline, if that has room
 * @e: the engine
 * @work: thread groups, or with none of them what a PIPE_CONTROL does then
 */
void cs_pipeline_queue(struct engine *e, const struct pipeline_work *work)
{
	struct pipeline *p = &e->pipeline;

	pthread_mutex_lock(&e->gpu->lock);
	settle(e, now_ns());
	if (!p->n)
		p->begun_ns = now_ns();
	/* A workaround buffer's does not wait for room. */
	if (p->n < PIPELINE_DEPTH) {
		p->work[(p->first + p->n++) % PIPELINE_DEPTH] = *work;
		p->posts += !work->total;
		p->programs = p->programs || work->walk.executes;
		p->busy = true;
	}
	pthread_mutex_unlock(&e->gpu->lock);
}

/* True if a wait is over: the pipeline has reached the given state. gpu->lock held. */
static bool reached(const struct pipeline *p, enum pipeline_until until)
{
	const struct pipeline_work *w = &p->work[p->first % PIPELINE_DEPTH];

	switch (until) {
	case PIPELINE_ROOM:
		return p->n < PIPELINE_DEPTH;
	case PIPELINE_POSTS:
		return !p->posts;
	case PIPELINE_DISPATCHED:
		if (p->n == 1 && w->walk.executes)
			return w->total - w->done == p->running + p->ended;
		return !p->n || (p->n == 1 && w->total - w->done <= 1);
	default:
		return !p->n;
	}
}

/* Time until the first work in the queue ends, or until the pipeline stops within it. gpu->lock held. */
static uint64_t rest_ns(struct engine *e, enum pipeline_until until, uint64_t now)
{
	uint64_t each = e->gpu->config.group_ns;
	struct pipeline *p = &e->pipeline;
	const struct pipeline_work *w = first(p);
	uint64_t n = w->total - w->done, end;

	if (!w->total)
		return 0;
	if (w->walk.executes)
		n = 1;
	if (n > 1 && (stop_ns(e) != UINT64_MAX || (until == PIPELINE_DISPATCHED && p->n == 1)))
		n = stop_ns(e) != UINT64_MAX ? 1 : n - 1;
	end = saturating_add(p->begun_ns, saturating_mul(n, each));
	return end > now ? end - now : 0;
}

/* Sleeps a moment beside threads that never end: registers are read and requests come meanwhile. gpu->lock held. */
static void rest_beside_stuck(struct engine *e)
{
	if (!(engine_requests(e) & ~(uint32_t)ENGINE_LIST))
		engine_sleep(e, STUCK_US);
}

/* Sleeps until the pipeline gets on. A time that is too short to sleep passes at once, and is slept later. */
static void rest(struct engine *e, enum pipeline_until until)
{
	struct pipeline *p = &e->pipeline;
	uint64_t now, ns, owed = 0;

	pthread_mutex_lock(&e->gpu->lock);
	now = now_ns();
	settle(e, now);
	if (may_execute(e, now)) {
		if (p->stuck)
			rest_beside_stuck(e);
	} else if (!reached(p, until) && p->n) {
		bool asked = engine_requests(e) & ~(uint32_t)ENGINE_LIST;

		/* A list that was looked at does not keep it from sleeping. */
		if (engine_requests(e) & ENGINE_LIST && !e->cs.workaround)
			asked = asked || e->cs.list_seen != atomic_load(&e->list_seq);
		ns = rest_ns(e, until, now);
		if (!asked && ns && ns < SHORT_NS && stop_ns(e) == UINT64_MAX) {
			owed = ns;
			settle(e, now + ns);
		} else if (!asked && ns) {
			engine_sleep_until(e, saturating_add(now, ns));
		}
	}
	pthread_mutex_unlock(&e->gpu->lock);
	if (owed)
		cs_owe_delay(e, owed);
}

/* gpu->lock is not held. */
static enum cs_result look_at_requests(struct engine *e)
{
	uint32_t requests = engine_requests(e);
	enum cs_result r;
	bool stop;

	if (requests & ENGINE_STOPS)
		return CS_STOPPED;
	if (requests & ENGINE_PARK)
		return engine_park(e);
	if (!(requests & ENGINE_LIST) || e->cs.workaround)
		return CS_CONTINUE;
	pthread_mutex_lock(&e->gpu->lock);
	stop = interrupted(e);
	pthread_mutex_unlock(&e->gpu->lock);
	/* A list with the running context needs no arbitration point. */
	if (!stop && e->cs.list_seen == atomic_load(&e->list_seq))
		return CS_CONTINUE;
	r = e->submission->arbitrate(e, stop);
	if (r == CS_CONTINUE) {
		pthread_mutex_lock(&e->gpu->lock);
		e->pipeline.refused = e->cs.list_seen;
		pthread_mutex_unlock(&e->gpu->lock);
	}
	return r;
}

/* Begins a wait, unless the pipeline has already reached the state that the wait is for. */
static bool begin_wait(struct engine *e, enum pipeline_until until, bool stops)
{
	struct pipeline *p = &e->pipeline;

	pthread_mutex_lock(&e->gpu->lock);
	/* The groups until now have run whatever comes. */
	p->waits_since = now_ns();
	settle(e, p->waits_since);
	p->waits_groups = e->groups;
	p->waits = !reached(p, until);
	p->stops = stops;
	p->refused = atomic_load(&e->list_seq) - 1;
	pthread_mutex_unlock(&e->gpu->lock);
	return p->waits;
}

/* Has it come to its end? */
static bool end_wait(struct engine *e, enum pipeline_until until, bool early)
{
	struct pipeline *p = &e->pipeline;

	pthread_mutex_lock(&e->gpu->lock);
	p->waits = !early && !reached(p, until);
	pthread_mutex_unlock(&e->gpu->lock);
	return !p->waits;
}

/* A walker that a flush has halted, and that nothing has made the ring leave, goes on. */
static void go_on(struct engine *e)
{
	struct pipeline *p = &e->pipeline;

	if (!p->halted || p->left)
		return;
	engine_count(e, "uhptr_flush_without_check");
	pthread_mutex_lock(&e->gpu->lock);
	p->halted = false;
	p->stop_ns = 0;
	cs_pipeline_go(e);
	pthread_mutex_unlock(&e->gpu->lock);
}

/**
 * cs_pipeline_wait - a command waits for the pipeline
 * @e: the engine
 * @until: for what
 * @point: is this an arbitration point?
 *
 * Return: CS_PREEMPT when another list comes first; the caller rewinds. CS_STOPPED on a reset.
 */
enum cs_result cs_pipeline_wait(struct engine *e, enum pipeline_until until, bool point)
{
	struct pipeline *p = &e->pipeline;
	enum cs_result r = CS_CONTINUE;
	bool goes_on;

	go_on(e);
	if (!p->busy || !p->runs)
		return CS_CONTINUE;
	cs_pipeline_poll(e);
	point = point && !e->cs.workaround;
	if (!p->busy || !begin_wait(e, until, point && e->cs.arbitrate && where_stops(e) != WALKER_ENDS))
		return CS_CONTINUE;
	do {
		if (engine_requests(e))
			r = look_at_requests(e);
		if (r != CS_CONTINUE)
			return r;
		rest(e, until);
		cs_pipeline_poll(e);
		/* A ring that goes on is parsed. */
		goes_on = !point && !e->cs.workaround && !cs_ring_empty(e);
	} while (!end_wait(e, until, goes_on));
	if (point && engine_requests(e) & ENGINE_LIST)
		r = e->submission->arbitrate(e, true);
	return r;
}

static enum cs_result wait_before(struct engine *e, enum pipeline_until until)
{
	enum cs_result r = e->pipeline.busy ? cs_pipeline_wait(e, until, true) : CS_CONTINUE;

	if (r == CS_PREEMPT)
		cs_rewind(e);
	return r;
}

/**
 * cs_pipeline_flush - a command that waits until the pipeline is empty
 * @e: the render engine; its command is parsed
 *
 * Return: as cs_pipeline_wait(); the command has been rewound for CS_PREEMPT.
 */
enum cs_result cs_pipeline_flush(struct engine *e)
{
	return wait_before(e, PIPELINE_EMPTY);
}

/* Waits as a flush, until the walker may stop between two groups: then it does. */
static enum cs_result flush_or_halt(struct engine *e)
{
	struct pipeline *p = &e->pipeline;
	enum cs_result r = CS_CONTINUE;
	bool done;

	pthread_mutex_lock(&e->gpu->lock);
	p->waits_since = now_ns();
	p->waits_groups = cs_pipeline_groups(e, p->waits_since);
	p->stops = true;
	p->flushes = true;
	pthread_mutex_unlock(&e->gpu->lock);
	while (p->busy && p->runs && r == CS_CONTINUE) {
		cs_pipeline_poll(e);
		pthread_mutex_lock(&e->gpu->lock);
		done = reached(p, PIPELINE_DISPATCHED);
		pthread_mutex_unlock(&e->gpu->lock);
		if (done)
			break;
		if (e->submission->stops_at_flush(e)) {
			r = cs_pipeline_leave(e, CS_CONTINUE);
			p->halted = p->n;
			break;
		}
		if (engine_requests(e))
			r = look_at_requests(e);
		if (r == CS_CONTINUE)
			rest(e, PIPELINE_DISPATCHED);
	}
	pthread_mutex_lock(&e->gpu->lock);
	p->flushes = false;
	pthread_mutex_unlock(&e->gpu->lock);
	return r;
}

/**
 * cs_media_state_flush - MEDIA_STATE_FLUSH waits until the last thread group has begun
 * @e: the render engine; its command is parsed
 *
 * On Ivy Bridge it ends earlier when UHPTR asks for a preemption, unless the command says that it does not: the groups
 * that run are the last ones, and MI_ARB_CHECK is to follow (IVB Vol 2 Part 2, 1.3.5 and 1.8.5).
 *
 * Return: as cs_pipeline_wait(); the command has been rewound for CS_PREEMPT.
 */
enum cs_result cs_media_state_flush(struct engine *e)
{
	struct media_state_flush c;
	enum cs_result r = cs_media_started(e);

	if (r != CS_CONTINUE)
		return r;
	media_state_flush_get(e->gen, e->cs.dw, &c);
	go_on(e);
	if (e->submission->stops_at_flush && !c.disable_pre_emption && !e->cs.workaround)
		return flush_or_halt(e);
	return wait_before(e, PIPELINE_DISPATCHED);
}

/**
 * cs_pipeline_jumped - the ring has left what it executed: a walker that is halted waits to be saved
 * @e: the render engine; gpu->lock is held
 */
void cs_pipeline_jumped(struct engine *e)
{
	e->pipeline.left = e->pipeline.halted;
}

/**
 * cs_pipeline_go - time runs for the pipeline: the context is loaded, or the engine goes on
 * @e: the engine; gpu->lock is held
 */
void cs_pipeline_go(struct engine *e)
{
	if (e->pipeline.left)
		return;
	e->pipeline.begun_ns = now_ns();
	e->pipeline.runs = true;
}

/**
 * cs_pipeline_hold - time stands still for the pipeline
 * @e: the engine; gpu->lock is held
 */
void cs_pipeline_hold(struct engine *e)
{
	settle(e, now_ns());
	e->pipeline.runs = false;
}

/* Nothing runs that has not stopped. gpu->lock held. */
static bool at_rest(struct engine *e, uint64_t now)
{
	struct pipeline *p = &e->pipeline;

	settle(e, now);
	if (!p->n)
		return true;
	if (!first(p)->total || !p->stop_ns)
		return false;
	return first(p)->walk.executes ? !p->running && !p->ended : p->begun_ns >= p->stop_ns;
}

/*
 * The group that runs is left between two instructions of its threads, if it has a program and an area. Only the
 * engine's thread begins and ends such groups.
 */
static void leave_group(struct engine *e)
{
	struct pipeline *p = &e->pipeline;
	uint64_t area = area_of(e);
	bool runs, several;

	pthread_mutex_lock(&e->gpu->lock);
	settle(e, now_ns());
	runs = p->n && first(p)->total && first(p)->walk.executes && p->running;
	several = p->running > 1;
	pthread_mutex_unlock(&e->gpu->lock);
	if (!runs)
		return;
	if (!area) {
		engine_count(e, "groups_without_area");
		return;
	}
	if (several || !media_save(e->media, area, &p->group))
		return;
	engine_count(e, "groups_preempted");
	pthread_mutex_lock(&e->gpu->lock);
	p->running = 0;
	p->stuck = false;
	p->inside = true;
	pthread_mutex_unlock(&e->gpu->lock);
}

/**
 * cs_pipeline_leave - a context leaves the engine: the pipeline stops as its level of preemption says, or is drained
 * @e: the engine
 * @why: CS_PREEMPT or CS_WAIT_SEMAPHORE
 *
 * Return: @why, or CS_STOPPED on a reset.
 */
enum cs_result cs_pipeline_leave(struct engine *e, enum cs_result why)
{
	struct pipeline *p = &e->pipeline;
	enum walker_stop stops;
	bool rests = false;

	if (!p->busy)
		goto hold;
	stops = where_stops(e);
	pthread_mutex_lock(&e->gpu->lock);
	if (stops != WALKER_ENDS)
		p->stop_ns = p->waits || p->flushes ? stop_ns(e) : now_ns();
	p->stops = stops != WALKER_ENDS;
	pthread_mutex_unlock(&e->gpu->lock);
	if (stops == WALKER_THREAD)
		leave_group(e);
	for (;;) {
		cs_pipeline_poll(e);
		pthread_mutex_lock(&e->gpu->lock);
		rests = at_rest(e, now_ns());
		pthread_mutex_unlock(&e->gpu->lock);
		if (rests)
			break;
		if (engine_requests(e) & ENGINE_STOPS)
			return CS_STOPPED;
		if (engine_requests(e) & ENGINE_PARK && engine_park(e) == CS_STOPPED)
			return CS_STOPPED;
		/* Whatever list comes, this context leaves. */
		e->cs.list_seen = atomic_load(&e->list_seq);
		rest(e, PIPELINE_EMPTY);
	}
hold:
	pthread_mutex_lock(&e->gpu->lock);
	p->runs = false;
	pthread_mutex_unlock(&e->gpu->lock);
	return why;
}

/**
 * cs_pipeline_groups - thread groups that have run
 * @e: the engine; gpu->lock is held
 * @ns: by when, which is not in the past
 *
 * Return: their number since the engine is there.
 */
uint64_t cs_pipeline_groups(struct engine *e, uint64_t ns)
{
	settle(e, ns);
	return e->groups;
}

/**
 * cs_pipeline_channels - GPGPU_THREADS_DISPATCHED as it is now
 * @e: the render engine; gpu->lock is held
 */
uint64_t cs_pipeline_channels(struct engine *e)
{
	settle(e, now_ns());
	return reg_get64(e, GPGPU_THREADS_DISPATCHED - RCS0_BASE);
}

/**
 * cs_pipeline_preempted - a context is preempted: notes the groups of its walkers that have not run
 * @e: the engine; gpu->lock is held
 * @inside: a walker has stopped within its groups
 *
 * Return: the level of preemption if the request came while a walker ran, otherwise NULL.
 */
const char *cs_pipeline_preempted(struct engine *e, bool inside)
{
	const struct pipeline *p = &e->pipeline;
	const char *level = p->saved_inside ? "thread" : p->stops ? "group" : "command";
	uint64_t since = e->request_groups, n;

	/*
	 * A walker stops where a command waits for it. The commands in front of that one are counted as such: how many
	 * groups run meanwhile depends on how late the engine's thread is on the host.
	 */
	if (p->stops && p->waits_groups > since)
		since = p->waits_groups;
	n = e->groups - since;
	if (inside)
		engine_count(e, "walkers_preempted");
	else if (!n)
		return NULL;
	sample("preemption_groups", level, n);
	return level;
}
