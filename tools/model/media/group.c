// SPDX-License-Identifier: MIT
/**
 * DOC: The threads of a group
 *
 * A group's threads are all there at once, and run in turn, a quantum of instructions each, the first thread first. So
 * a run is the same each time, a thread that waits at a barrier waits for threads that run, and a thread that polls
 * memory does not keep the others from writing it. Groups follow each other, unless several are executed at a time
 * (workers.c).
 *
 * A thread that makes a mistake never ends: a message that its target does not have, an instruction that is none. The
 * log and the counters "eu_faults" name the mistake. So the group does not end either; commands that wait for it wait
 * until the engine is reset, as for an endless loop.
 *
 * A group finds in its shared local memory what the groups before it have left, be they another context's: no manual
 * at hand says that anything clears it. It begins at the first of its half-slice's 64 KB, which are all free as groups
 * follow each other (IVB Vol 2 Part 2, 1.5.1.10.2). Where the L3 has to be told that a part of it is shared local
 * memory, and is not, reads give 0 and writes are dropped; the content is kept until then. On Gen9 a PIPE_CONTROL with
 * a flush of the L3 clears it: stock i915 has one at each context switch, by the name WaClearSlmSpaceAtContextSwitch.
 *
 * On Gen7 a thread finds in its registers what the thread before it on the same hardware has left, but for those that
 * its payload fills. A group lies within one half-slice (IVB Vol 2 Part 2, 1.3.3), at a multiple of its size, rounded
 * up to a power of two; the next group is behind it, or at the beginning again. Which threads they are on silicon no
 * manual says. On other generations all registers are 0, and all groups are on the first subslice.
 */
#include <stdlib.h>
#include <string.h>

#include "media/internal.h"

/* Instructions of a thread before it is the next one's turn. The engine looks at its requests in between. */
#define QUANTUM		256

/* What a subslice is made of. */
struct subslice_args {
	struct gpu *gpu;
	const struct engine_info *info;
	struct tlb *tlb;
	unsigned int gen;
	const struct eu_platform *platform;
	uint8_t *urb;
	const struct media *own;	/* the engine's own subslice; NULL: this is it */
};

static void subslice_free(struct media *m)
{
	eu_core_free(m->core);
	shared_fini(&m->shared);
	if (!m->borrows) {
		free(m->hardware);
		free(m->slm);
	}
	free(m);
}

/* NULL without memory. */
static struct media *subslice_new(void *arg)
{
	const struct subslice_args *a = arg;
	struct media *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->core = eu_core_new(a->platform->isa, a->platform->features, &shared_ops);
	m->keeps = a->platform->keeps_registers;
	m->borrows = m->keeps && a->own;
	m->hardware = m->borrows ? a->own->hardware :
				   aligned_alloc(64, HARDWARE_THREADS * sizeof(*m->hardware));
	m->thread = m->hardware;
	m->slm = m->borrows ? a->own->slm : calloc(HALVES, SLM_BYTES);
	shared_init(&m->shared, a->gpu, a->info, a->tlb, a->gen, a->platform);
	m->shared.urb = a->urb;
	m->shared.spawner = &media_spawner;
	m->shared.unit = m;
	if (!m->core || !m->hardware || !m->slm) {
		subslice_free(m);
		return NULL;
	}
	if (!m->borrows)
		memset(m->hardware, 0, HARDWARE_THREADS * sizeof(*m->hardware));
	if (a->gpu->config.workers > 1)
		eu_core_share(m->core, a->gpu->config.workers);
	return m;
}

/**
 * media_new - what an engine executes threads with
 * @gpu: the device
 * @info: the engine
 * @tlb: the engine's
 * @gen: of the structures in memory
 * @platform: of the programs
 *
 * Return: NULL without memory, or without the threads that the setting "workers" asks for.
 */
struct media *media_new(struct gpu *gpu, const struct engine_info *info, struct tlb *tlb, unsigned int gen,
			const struct eu_platform *platform)
{
	struct subslice_args args = { gpu, info, tlb, gen, platform, calloc(1, URB_BYTES), NULL };
	struct media *m = args.urb ? subslice_new(&args) : NULL;

	if (!m) {
		free(args.urb);
		return NULL;
	}
	m->threads = counter_own("eu", "threads", info->id);
	m->instructions = counter_own("eu", "instructions", info->id);
	args.own = m;
	if (!workers_new(m, subslice_new, &args, gpu->config.workers)) {
		media_free(m);
		return NULL;
	}
	return m;
}

/**
 * media_free - gives it back
 * @m: NULL is fine
 */
void media_free(struct media *m)
{
	if (!m)
		return;
	workers_free(m, subslice_free);
	free(m->shared.urb);
	subslice_free(m);
}

/* The threads of a command cannot begin, or cannot go on. */
void media_mistake(struct media *m, const char *why)
{
	count("eu_faults", why, 1);
	model_log("%s: a thread group cannot begin or go on: %s", m->shared.info->name, why);
	m->bad = true;
}

/* A group of so many threads begins; false if it cannot. */
static bool begin(struct media *m, unsigned int threads)
{
	const struct media_descriptor *d = &m->descriptor;

	m->live = 0;
	m->bad = false;
	if (!m->described || threads > MEDIA_THREADS) {
		media_mistake(m, m->described ? "a thread group of more than 64 threads" :
					  "there is no such interface descriptor");
		return false;
	}
	shared_forget_surfaces(&m->shared);
	m->thread = m->hardware + m->at;
	m->group = (struct thread_group){
		.shared = &m->shared, .thread = m->thread, .num_threads = threads,
		.binding_table = d->binding_table & ~31u, .sampler_state = d->sampler_state & ~31u,
		.slm_bytes = m->state.no_slm ? 0 : d->slm_bytes, .barrier_threads = d->barrier_threads,
		.slm = m->slm + (size_t)(m->thread - m->hardware) / HALF_THREADS * SLM_BYTES,
	};
	m->slm_used |= m->group.slm_bytes;
	m->shared.bases = m->state.bases;
	m->live = threads == 64 ? ~0ull : (1ull << threads) - 1;
	m->faulty = 0;
	m->next = 0;
	m->waits = 0;
	return true;
}

/* Reads what threads of a command have in common; the threads before are lost. */
static void prepare(struct media *m, const struct media_state *state, const struct media_loads *loads,
		    unsigned int number)
{
	media_drop(m);
	m->state = *state;
	m->number = number;
	m->shared.vm = state->vm;
	m->described = payload_descriptor(&m->shared, state, loads, number, &m->descriptor);
}

/* A thread of a group before its first instruction; its payload is missing. */
struct eu_thread *media_start(struct media *m, struct eu_thread *t, struct thread_group *group, uint32_t mask)
{
	if (m->keeps)
		eu_thread_next(t, m->core, mask);
	else
		eu_thread_init(t, m->core, mask);
	t->group = group;
	t->machine = m;
	return t;
}

static struct eu_thread *start(struct media *m, unsigned int i, uint32_t mask)
{
	return media_start(m, &m->thread[i], &m->group, mask);
}

/* How many there are from a start to an end. */
static uint64_t along(const struct media_walk *w, unsigned int axis)
{
	return w->end[axis] > w->start[axis] ? w->end[axis] - w->start[axis] : 1;
}

/* Threads of each of its groups. */
static unsigned int threads_of(const struct media_walk *w)
{
	return (w->width + 1u) * (w->height + 1u) * (w->depth + 1u);
}

/**
 * media_walk - a walker's groups are next
 * @m: with no threads, or some that are lost
 * @state: of the context
 * @walk: the walker, whose interface descriptor is read now
 */
void media_walk(struct media *m, const struct media_state *state, const struct media_walk *walk)
{
	prepare(m, state, &walk->loads, walk->descriptor);
	m->walk = *walk;
	workers_walk(m, threads_of(walk));
}

/**
 * media_group - a thread group of the walk begins
 * @m: a subslice with no threads, or some that are lost
 * @number: of the group, X first
 */
void media_group(struct media *m, uint64_t number)
{
	const struct media_walk *w = &m->walk;
	unsigned int n = threads_of(w);
	struct media_payload p = { &m->state, &m->shared, &m->descriptor, m->number, m->first_thread };
	uint64_t x = along(w, 0), y = along(w, 1);
	uint32_t id[3];

	if (!begin(m, n))
		return;
	counter_add(m->threads, n);
	id[0] = w->start[0] + (uint32_t)(number % x);
	id[1] = w->start[1] + (uint32_t)(number / x % y);
	id[2] = w->start[2] + (uint32_t)(number / x / y);
	for (unsigned int i = 0; i < n; i++)
		payload_group(&p, w, id, i, start(m, i, payload_mask(w, i)));
}

/**
 * media_save - stores the group that runs, which is preempted inside
 * @m: with a group of a walk and no other
 * @area: where the context's area begins (area.c)
 * @inside: filled with what is not there
 *
 * The group is gone then.
 *
 * Return: false if it could not begin, is on a subslice that workers have brought, or the area has no room for it or
 * is not there: the group is as it was.
 */
bool media_save(struct media *m, uint64_t area, struct media_inside *inside)
{
	const struct thread_group *g = &m->group;

	if (!m->live || m->bad || !area_fits(&m->shared, g->num_threads))
		return false;
	if (!shared_write(&m->shared, area, g->slm, g->slm_bytes))
		return false;
	for (uint64_t left = m->live; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(left);

		if (!area_save_thread(&m->shared, area, i, &m->thread[i]))
			return false;
	}
	*inside = (struct media_inside){
		.live = m->live, .faulty = m->faulty, .arrived = g->arrived, .next = m->next,
	};
	media_drop(m);
	return true;
}

/* The threads of a group that was preempted; false if they are not there. */
static bool restore_threads(struct media *m, uint64_t area, const struct media_inside *inside)
{
	struct media_payload p = { &m->state, &m->shared, &m->descriptor, m->number };

	if (inside->live & ~m->live || !inside->live || inside->next > MEDIA_THREADS ||
	    (inside->arrived && inside->arrived >= m->group.barrier_threads))
		return false;
	m->live = inside->live;
	m->faulty = inside->faulty & inside->live;
	m->next = inside->next;
	m->group.arrived = inside->arrived;
	if (!shared_read(&m->shared, area, m->group.slm, m->group.slm_bytes))
		return false;
	for (uint64_t left = m->live; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(left);
		struct eu_thread *t = start(m, i, 0);

		payload_program(&p, t);
		if (!area_load_thread(&m->shared, area, i, t))
			return false;
	}
	return true;
}

/**
 * media_restore - a thread group of the walk goes on where it was preempted
 * @m: with no threads, or some that are lost
 * @area: where the context's area begins
 * @inside: what media_save() has said
 *
 * If there is no such group, the walk's threads never end, as those of a program that makes a mistake.
 */
void media_restore(struct media *m, uint64_t area, const struct media_inside *inside)
{
	unsigned int n = threads_of(&m->walk);

	m->occupied = true;
	workers_place(m);
	if (begin(m, n) && (!area_fits(&m->shared, n) || !restore_threads(m, area, inside)))
		media_mistake(m, "the area of a preempted group does not have its threads");
}

/* Counts and logs a thread's mistake. */
void media_faulted(struct media *m, unsigned int number, const struct eu_thread *t)
{
	const char *why = t->fault ? t->fault : "a fault without a text";

	count("eu_faults", why, 1);
	model_log("%s: thread %u stops at instruction 0x%x from 0x%llx: %s", m->shared.info->name, number, t->ip,
		  (unsigned long long)t->base, why);
}

/* Executes a quantum of a thread. Does it go on waiting? Then it has executed its wait instruction alone. */
enum eu_status media_quantum(struct media *m, struct eu_thread *t, bool *waits)
{
	uint64_t before = t->executed;
	enum eu_status status = eu_run(m->core, t, QUANTUM);

	*waits = status == EU_WAIT && t->executed - before <= 1;
	counter_add(m->instructions, t->executed - before);
	return status;
}

/* The next thread that has something to execute. */
static bool choose(struct media *m)
{
	uint64_t able = m->live & ~m->faulty, later;

	if (!able)
		return false;
	later = m->next < 64 ? able & ~0ull << m->next : 0;
	m->next = (unsigned int)__builtin_ctzll(later ? later : able);
	return true;
}

/**
 * media_run - executes a quantum of the thread whose turn it is
 * @m: with a group, with media threads, or with none
 *
 * Return: MEDIA_DONE when no thread is left.
 */
enum media_result media_run(struct media *m)
{
	enum eu_status status;
	struct eu_thread *t;
	bool waits;

	if (m->bad)
		return MEDIA_STUCK;
	if (!m->live)
		return spawn_run(m);
	if (!choose(m) || m->waits > MEDIA_THREADS)
		return MEDIA_STUCK;
	t = &m->thread[m->next];
	status = media_quantum(m, t, &waits);
	m->waits = waits ? m->waits + 1 : 0;
	if (status == EU_END)
		m->live &= ~(1ull << m->next);
	if (status == EU_FAULT) {
		media_faulted(m, m->next, t);
		m->faulty |= 1ull << m->next;
	}
	m->next++;
	return m->live ? MEDIA_RUNS : MEDIA_DONE;
}

/* The group of a subslice is lost. */
static void drop_group(struct media *m)
{
	m->live = 0;
	m->bad = false;
	m->occupied = false;
	m->stuck = false;
}

/**
 * media_drop - the threads are lost
 * @m: with groups, with media threads, or with none
 */
void media_drop(struct media *m)
{
	drop_group(m);
	workers_each(m, drop_group);
	spawn_drop(m);
}

/**
 * media_refuse - a command asks for threads that are not modelled
 * @m: with no threads, or some that are lost
 * @why: what it asks for
 */
void media_refuse(struct media *m, const char *why)
{
	media_drop(m);
	media_mistake(m, why);
}

static void clear_local(struct media *m)
{
	if (m->live || m->spawner.live)
		return;
	if (m->slm_used)
		memset(m->slm, 0, (size_t)HALVES * SLM_BYTES);
	m->slm_used = false;
}

/**
 * media_clear_local - shared local memory is 0, unless threads run that may have it
 * @m: with groups, with media threads, or with none
 */
void media_clear_local(struct media *m)
{
	clear_local(m);
	workers_each(m, clear_local);
}

static void invalidate(struct media *m)
{
	eu_core_invalidate(m->core);
}

/* The instruction caches are invalidated: programs are read again. */
void media_invalidate_programs(struct media *m)
{
	invalidate(m);
	workers_each(m, invalidate);
}
