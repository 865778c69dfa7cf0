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
 * MEDIA_STATE_FLUSH                          until the last group has begun ("stalls CS until the TDL has
 *                                            dispatched the last thread", IVB Vol 2 Part 2, 1.8.5)
 * STATE_BASE_ADDRESS and                     until all is done ("causes a full pipeline flush")
 * GPGPU_CSR_BASE_ADDRESS
 * PIPELINE_SELECT                            until all is done; the manual wants a stall before it, which the
 *                                            validator asks for
 * GPGPU_WALKER                               for room in the queue; with "workers=0" for its own groups
 * the end of a ring, a context's save        below
 * ========================================== =================================================================
 *
 * No other command waits: a store, a user interrupt, a semaphore or a register read behind a walker may see that its
 * groups have not run.
 *
 * A context that leaves the engine leaves nothing in the pipeline. At the end of its ring the queue is drained. When it
 * is preempted, CS_CHICKEN1 says what happens (stock i915, GEN9_PREEMPT_GPGPU_*; no text here has the register): at
 * command level the queue is drained; at thread-group level the group that runs when the list comes is the last one,
 * and the rest of the queue goes into the context's image; at mid-thread level, which in this model is the same, as a
 * group has no inside. Without the per-context control in FF_SLICE_CS_CHICKEN1 the context has no say, and it is the
 * command level. A command that waits for the pipeline is an arbitration point, as PIPE_CONTROL and MEDIA_STATE_FLUSH
 * are in GPGPU mode (DG1 Vol 2a, "MI_BATCH_BUFFER_START", list of preemptible commands); it is parsed again when the
 * context comes back.
 *
 * For the queue silicon has an area of its own (GPGPU_CSR_BASE_ADDRESS). A saved queue is valid only for the place in
 * ring and batch at which the context was preempted: if the driver has moved the context's head, the context begins
 * with an empty queue. A reset of the engine loses the queue and the group that runs. While the engine is parked the
 * pipeline stands still, and the group that ran begins again afterwards.
 */
#include <string.h>

#include "cs/cs.h"
#include "igen/cmd/gfx.h"
#include "igen/regs/context.h"
#include "igen/regs/workarounds.h"

/* In the image's register state, behind what draw_state.c has there. */
#define QUEUE_DW	0x620
#define QUEUE_MAGIC	0x1d5a1ce3u

/* A host sleeps for longer than this, however little it is asked for. */
#define SHORT_NS	50000

struct image_queue {
	uint32_t magic, n;
	uint32_t head, level;			/* where the context goes on */
	uint64_t batch;
	struct pipeline_work work[PIPELINE_DEPTH];
};

static const struct vm_ref ggtt = { .ggtt = true };

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

/* Are walks of this context preempted between groups? */
static bool stops_inside(struct engine *e)
{
	return cs_reg_read(e, FF_SLICE_CS_CHICKEN1) & FFSC_PERCTX_PREEMPT_CTRL &&
	       !(cs_reg_read(e, CS_CHICKEN1) & CS_CHICKEN1_PREEMPT_GPGPU_COMMAND);
}

/* Does a list wait that this wait has to give way to? gpu->lock held. */
static bool interrupted(struct engine *e)
{
	const struct pipeline *p = &e->pipeline;

	return p->stops && p->waits && engine_requests(e) & ENGINE_LIST && p->refused != atomic_load(&e->list_seq);
}

/* From when on no group begins; UINT64_MAX: they go on. gpu->lock held. */
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

	if (!each)
		return left;
	if (ns <= p->begun_ns)
		return 0;
	n = (ns - p->begun_ns) / each;
	/* The groups that had begun when the pipeline was to stop. */
	begun = stop > p->begun_ns ? (stop - p->begun_ns - 1) / each + 1 : 0;
	if (n > begun)
		n = begun;
	return n < left ? n : left;
}

static void drop_first(struct pipeline *p)
{
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

/**
 * cs_pipeline_poll - runs the groups and post-sync operations that have become due
 * @e: the engine; this is its thread, and gpu->lock is not held
 */
void cs_pipeline_poll(struct engine *e)
{
	struct pipeline *p = &e->pipeline;
	struct pipeline_work post;
	bool found;

	do {
		pthread_mutex_lock(&e->gpu->lock);
		settle(e, now_ns());
		found = p->runs && p->n && !first(p)->total;
		if (found) {
			post = *first(p);
			drop_first(p);
			p->posts--;
		}
		p->busy = p->n;
		pthread_mutex_unlock(&e->gpu->lock);
		if (found)
			cs_post_sync(e, post.flags, post.addr, post.data);
	} while (found);
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
	if (n > 1 && (stop_ns(e) != UINT64_MAX || (until == PIPELINE_DISPATCHED && p->n == 1)))
		n = stop_ns(e) != UINT64_MAX ? 1 : n - 1;
	end = saturating_add(p->begun_ns, saturating_mul(n, each));
	return end > now ? end - now : 0;
}

/* Sleeps until the pipeline gets on. A time that is too short to sleep passes at once, and is slept later. */
static void rest(struct engine *e, enum pipeline_until until)
{
	struct pipeline *p = &e->pipeline;
	uint64_t now, ns, owed = 0;

	pthread_mutex_lock(&e->gpu->lock);
	now = now_ns();
	settle(e, now);
	if (!reached(p, until) && p->n) {
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

	if (requests & (ENGINE_RESET | ENGINE_QUIT))
		return CS_STOPPED;
	if (requests & ENGINE_PARK)
		return engine_park(e);
	if (!(requests & ENGINE_LIST) || e->cs.workaround)
		return CS_CONTINUE;
	pthread_mutex_lock(&e->gpu->lock);
	stop = interrupted(e);
	pthread_mutex_unlock(&e->gpu->lock);
	/* The same context again needs no arbitration point. */
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

	if (!p->busy || !p->runs)
		return CS_CONTINUE;
	cs_pipeline_poll(e);
	point = point && !e->cs.workaround;
	if (!p->busy || !begin_wait(e, until, point && e->cs.arbitrate && stops_inside(e)))
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

/**
 * cs_media_state_flush - MEDIA_STATE_FLUSH waits until the last thread group has begun
 * @e: the render engine; its command is parsed
 *
 * Return: as cs_pipeline_wait(); the command has been rewound for CS_PREEMPT.
 */
enum cs_result cs_media_state_flush(struct engine *e)
{
	return wait_before(e, PIPELINE_DISPATCHED);
}

/**
 * cs_pipeline_go - time runs for the pipeline: the context is loaded, or the engine goes on
 * @e: the engine; gpu->lock is held
 */
void cs_pipeline_go(struct engine *e)
{
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
	return first(p)->total && p->stop_ns && p->begun_ns >= p->stop_ns;
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
	bool stops, rests = false;

	if (!p->busy)
		goto hold;
	stops = stops_inside(e);
	pthread_mutex_lock(&e->gpu->lock);
	if (stops)
		p->stop_ns = p->waits ? stop_ns(e) : now_ns();
	p->stops = stops;
	pthread_mutex_unlock(&e->gpu->lock);
	for (;;) {
		cs_pipeline_poll(e);
		pthread_mutex_lock(&e->gpu->lock);
		rests = at_rest(e, now_ns());
		pthread_mutex_unlock(&e->gpu->lock);
		if (rests)
			break;
		if (engine_requests(e) & (ENGINE_RESET | ENGINE_QUIT))
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
 *
 * Return: the level of preemption if the list came while a walker ran, otherwise NULL.
 */
const char *cs_pipeline_preempted(struct engine *e)
{
	const char *level = e->pipeline.stops ? "group" : "command";
	uint64_t n = e->groups - e->request_groups;

	if (e->pipeline.saved)
		engine_count(e, "walkers_preempted");
	else if (!n)
		return NULL;
	sample("preemption_groups", level, n);
	return level;
}

/**
 * cs_pipeline_save - saves the context's queue in its image
 * @e: the render engine
 * @state: address of the image's register state
 *
 * Return: false on a page fault.
 */
bool cs_pipeline_save(struct engine *e, uint64_t state)
{
	const struct cs *cs = &e->cs;
	struct pipeline *p = &e->pipeline;
	struct image_queue i = { 0 };

	if (p->n) {
		i.magic = QUEUE_MAGIC;
		i.n = p->n;
		i.head = reg_get(e, RING_HEAD(0)) & RING_HEAD_MASK;
		i.level = cs->level;
		i.batch = cs->level == CS_RING ? 0 : cs->batch[cs->level].addr;
	}
	for (unsigned int k = 0; k < p->n; k++)
		i.work[k] = p->work[(p->first + k) % PIPELINE_DEPTH];
	p->saved = p->n;
	p->n = 0;
	p->posts = 0;
	p->busy = false;
	return vm_write(&e->view, &ggtt, state + QUEUE_DW * 4, &i,
			p->saved ? sizeof(i) : offsetof(struct image_queue, work));
}

static bool sound(const struct image_queue *i)
{
	if (i->magic != QUEUE_MAGIC || i->n > PIPELINE_DEPTH)
		return false;
	for (unsigned int k = 0; k < i->n; k++)
		if (i->work[k].done > i->work[k].total)
			return false;
	return true;
}

/**
 * cs_pipeline_load - has it back, if the context goes on where it was left
 * @e: the render engine, whose parser is where the context goes on; the pipeline stands still until cs_pipeline_go()
 * @state: address of the image's register state; 0: nothing is restored
 *
 * Return: false on a page fault.
 */
bool cs_pipeline_load(struct engine *e, uint64_t state)
{
	const struct cs *cs = &e->cs;
	struct image_queue i = { 0 };
	struct pipeline p = { 0 };

	if (state && !vm_read(&e->view, &ggtt, state + QUEUE_DW * 4, &i, sizeof(i)))
		return false;
	if (sound(&i) && i.head == (reg_get(e, RING_HEAD(0)) & RING_HEAD_MASK) && i.level == cs->level &&
	    (cs->level == CS_RING || i.batch == cs->batch[cs->level].addr)) {
		p.n = i.n;
		p.busy = i.n;
		memcpy(p.work, i.work, sizeof(p.work));
		for (unsigned int k = 0; k < i.n; k++)
			p.posts += !i.work[k].total;
	}
	pthread_mutex_lock(&e->gpu->lock);
	e->pipeline = p;
	pthread_mutex_unlock(&e->gpu->lock);
	return true;
}
