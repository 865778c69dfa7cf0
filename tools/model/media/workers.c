// SPDX-License-Identifier: MIT
/**
 * DOC: Thread groups on several threads of the host
 *
 * With the setting "workers" above 1 an engine has as many subslices, each a struct media of its own: registers, shared
 * local memory, decoded programs, a view of the address space. A group is on one subslice from its first instruction to
 * its last. So its barrier, its shared local memory and its threads' turns never involve two threads of the host. What
 * groups have in common is memory, where an atomic operation is one of the host, and the unified return buffer.
 *
 * Groups run in rounds. The engine's thread opens a round, executes groups itself, and ends the round when its share is
 * done, when no group is left for it, or when the engine is asked for something. The other threads join an open round::
 *
 *	engine's thread    open  [group 0][group 3   ]  wait   settle   open ...
 *	worker 1                 [group 1       ][gr 4]
 *	worker 2                   [group 2       ]
 *
 * Between two rounds all threads of the host but the engine's stand still. So whatever else the engine does with
 * subslices (a preemption, a reset, an invalidation of the instruction cache) needs no lock. A worker that the host
 * starts late misses the round, and nothing waits for it: subslices belong to no thread, and the engine's thread alone
 * brings all of them to their ends.
 *
 * On Gen7 a thread finds what the thread before it on the same hardware has left in registers, and a group what the
 * group before it has left in shared local memory (igen/batch/clear.h). So subslices have the hardware in common there:
 * each group gets threads of it that no other group has, in turn, and one with shared local memory gets a half-slice.
 *
 * A free subslice gets a new group before the groups that have begun go on. So as many groups as there are subslices
 * get on together, whatever the host does, and groups that wait for each other within that number end.
 *
 * Threads of a walk have numbers that tell their scratch spaces apart, and MEDIA_VFE_STATE says how many numbers there
 * are. The groups that run at a time have no more threads than that. With the setting "coherency" there is one group at
 * a time, since the accesses are judged in their order.
 */
#include <stdlib.h>

#include "media/internal.h"

/* Quanta of a group between two looks at the engine's requests. */
#define SLICE	16u

struct worker_pool {
	pthread_mutex_t lock;		/* of all that follows, and of the subslices' taken */
	pthread_cond_t wake;		/* a round has opened */
	pthread_cond_t left;		/* no worker is in the round */
	struct media *subslice[MEDIA_WORKERS];
	unsigned int num;		/* subslices */
	unsigned int limit;		/* the walk's groups may be on so many of them */
	unsigned int group;		/* threads of each of these groups */
	unsigned int align;		/* their first one is at a multiple of this on the hardware */
	bool local;			/* these groups have shared local memory */
	unsigned int end[HALVES];	/* of each half-slice: behind these groups' newest threads, from its first on */
	unsigned int last;		/* which one's group went on last */
	pthread_t thread[MEDIA_WORKERS];
	unsigned int threads;
	struct media_round *round;	/* the open one, or NULL */
	unsigned int rounds;		/* that have been opened */
	unsigned int inside;		/* workers in the round */
	bool quit;
};

/* Finds a free subslice that a group may begin on. NULL: there is none, or no group may begin. */
static struct media *find_free(struct worker_pool *p, const struct media_round *r)
{
	unsigned int limit = r->alone ? 1 : p->limit;

	for (unsigned int i = 0; i < limit && r->may_begin; i++)
		if (!p->subslice[i]->occupied)
			return p->subslice[i];
	return NULL;
}

/* Does no other group need these threads of the hardware, or the shared local memory of their half? */
static bool is_free(const struct worker_pool *p, const struct media *m, unsigned int at)
{
	for (unsigned int i = 0; i < p->num; i++) {
		const struct media *other = p->subslice[i];

		if (other == m || !other->occupied)
			continue;
		if (p->local ? other->at / HALF_THREADS == at / HALF_THREADS : other->at == at)
			return false;
	}
	return true;
}

static unsigned int align(const struct worker_pool *p, unsigned int at)
{
	return (at + p->align - 1) / p->align * p->align;
}

/*
 * Where on the hardware a group's threads are: behind those that have begun last, or the next ones that are free. With
 * shared local memory those are in the other half-slice, behind its own newest ones.
 */
static void find_place(struct worker_pool *p, struct media *m)
{
	struct media *own = p->subslice[0];
	unsigned int at = own->end, i = 0, half;

	if (!m->keeps)
		return;
	do {
		at = align(p, at) % HARDWARE_THREADS;
		if (is_free(p, m, at))
			break;
		half = (at / HALF_THREADS + 1) % HALVES;
		at = p->local ? half * HALF_THREADS + align(p, p->end[half]) % HALF_THREADS : at + p->align;
	} while (++i < HARDWARE_THREADS);
	m->at = at % HARDWARE_THREADS;
	own->end = (m->at + p->group) % HARDWARE_THREADS;
	p->end[m->at / HALF_THREADS] = (m->at + p->group) % HALF_THREADS;
}

static bool gets_on(const struct media *m)
{
	return m->occupied && !m->taken && !m->stuck;
}

/* The subslice with the group that this thread executes next. NULL: none is left. */
static struct media *take(struct worker_pool *p, struct media_round *r)
{
	struct media *m = find_free(p, r);

	if (m) {
		m->occupied = true;
		m->begins = true;
		find_place(p, m);
		m->place = r->next++;
		r->may_begin--;
		r->began++;
		return m;
	}
	for (unsigned int i = 1; i <= p->num; i++) {
		unsigned int at = (p->last + i) % p->num;

		if (gets_on(p->subslice[at])) {
			p->last = at;
			return p->subslice[at];
		}
	}
	return NULL;
}

static enum media_result execute(struct media *m, unsigned int *quanta)
{
	enum media_result r;
	unsigned int n = 0;

	if (m->begins)
		media_group(m, m->place);
	m->begins = false;
	do {
		r = media_run(m);
	} while (r == MEDIA_RUNS && ++n < SLICE);
	*quanta += n + 1;
	return r;
}

/* Executes this thread's share of a round. pool->lock held, and dropped meanwhile. Returns the groups that it began. */
static unsigned int work(struct worker_pool *p, struct media_round *r, unsigned int *quanta)
{
	unsigned int began = 0;

	*quanta = 0;
	while (!r->over && *quanta < r->quanta) {
		struct media *m = take(p, r);
		enum media_result result;
		bool stops;

		if (!m) {
			r->over = true;
			break;
		}
		began += m->begins;
		m->taken = true;
		pthread_mutex_unlock(&p->lock);
		result = execute(m, quanta);
		stops = r->stop(r->arg);
		pthread_mutex_lock(&p->lock);
		m->taken = false;
		m->stuck = result == MEDIA_STUCK;
		if (result == MEDIA_DONE) {
			m->occupied = false;
			r->ended++;
		}
		r->over |= stops;
	}
	return began;
}

static void *worker(void *arg)
{
	struct worker_pool *p = arg;
	unsigned int seen = 0, quanta, began;
	struct media_round *r;

	pthread_mutex_lock(&p->lock);
	while (!p->quit) {
		if (!p->round || p->rounds == seen) {
			pthread_cond_wait(&p->wake, &p->lock);
			continue;
		}
		seen = p->rounds;
		p->inside++;
		/* It may close while this thread is inside, and is there until this thread leaves. */
		r = p->round;
		/* work() drops the lock, so the sum is read behind it. */
		began = work(p, r, &quanta);
		r->by_workers += began;
		if (!--p->inside)
			pthread_cond_signal(&p->left);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* How many threads of the host find something to execute. pool->lock held. */
static unsigned int useful(const struct worker_pool *p, const struct media_round *r)
{
	unsigned int limit = r->alone ? 1 : p->limit, n = 0, room = 0;

	for (unsigned int i = 0; i < p->num; i++) {
		n += gets_on(p->subslice[i]);
		room += i < limit && !p->subslice[i]->occupied;
	}
	return n + (unsigned int)(r->may_begin < room ? r->may_begin : room);
}

static bool has_groups(const struct worker_pool *p)
{
	for (unsigned int i = 0; i < p->num; i++)
		if (p->subslice[i]->occupied)
			return true;
	return false;
}

/* What the other subslices have counted. Only the engine's thread adds to its part of a counter. */
static void gather(struct media *m)
{
	for (unsigned int i = 1; i < m->pool->num; i++) {
		struct media *other = m->pool->subslice[i];

		counter_add(m->threads, atomic_exchange_explicit(&other->own_threads, 0, memory_order_relaxed));
		counter_add(m->instructions,
			    atomic_exchange_explicit(&other->own_instructions, 0, memory_order_relaxed));
	}
}

/**
 * media_round - executes groups of the walk for a while
 * @m: the engine's; its thread calls
 * @round: how many may begin, and for how long; filled with what came of it
 */
void media_round(struct media *m, struct media_round *round)
{
	struct worker_pool *p = m->pool;

	pthread_mutex_lock(&p->lock);
	p->round = round;
	p->rounds++;
	for (unsigned int n = useful(p, round), i = 0; i < p->threads && i + 1 < n; i++)
		pthread_cond_signal(&p->wake);
	work(p, round, &round->executed);
	p->round = NULL;
	round->over = true;
	while (p->inside)
		pthread_cond_wait(&p->left, &p->lock);
	round->stuck = !useful(p, round) && has_groups(p);
	pthread_mutex_unlock(&p->lock);
	gather(m);
}

/* How many groups the hardware has room for. */
static unsigned int places(const struct worker_pool *p)
{
	unsigned int n = HARDWARE_THREADS / p->align;

	return p->local && n > HALVES ? HALVES : n;
}

/**
 * workers_walk - a walker's groups are next, which begin with what the engine's subslice has read
 * @m: the engine's; it has the walk
 * @threads: of a group
 */
void workers_walk(struct media *m, unsigned int threads)
{
	struct worker_pool *p = m->pool;
	unsigned int limit = m->state.most_roots / threads;

	if (limit > p->num)
		limit = p->num;
	p->group = threads;
	for (p->align = 1; p->align < threads; p->align *= 2)
		;
	p->local = m->described && m->descriptor.slm_bytes && !m->state.no_slm;
	if (m->keeps && limit > places(p))
		limit = places(p);
	p->limit = limit && !m->shared.view.coherency ? limit : 1;
	for (unsigned int i = 1; i < p->num; i++) {
		struct media *other = p->subslice[i];

		other->state = m->state;
		other->walk = m->walk;
		other->number = m->number;
		other->descriptor = m->descriptor;
		other->described = m->described;
		other->shared.vm = m->shared.vm;
		other->first_thread = i * threads;
	}
}

/**
 * workers_place - a group of the walk begins that no round has begun
 * @m: the engine's, which has the group; no round is open
 */
void workers_place(struct media *m)
{
	find_place(m->pool, m);
}

/**
 * workers_each - does something to the subslices that workers have brought
 * @m: the engine's
 * @fn: what
 */
void workers_each(struct media *m, void (*fn)(struct media *other))
{
	for (unsigned int i = 1; i < m->pool->num; i++)
		fn(m->pool->subslice[i]);
}

/**
 * workers_new - makes the subslices and threads of an engine
 * @m: the engine's own subslice, which is there
 * @make: makes another one, or returns NULL
 * @arg: for @make
 * @workers: the setting
 *
 * Return: false without memory or threads. workers_free() frees what there is then.
 */
bool workers_new(struct media *m, struct media *(*make)(void *arg), void *arg, unsigned int workers)
{
	struct worker_pool *p = calloc(1, sizeof(*p));

	if (!p)
		return false;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	pthread_cond_init(&p->left, NULL);
	p->subslice[0] = m;
	p->num = 1;
	p->limit = 1;
	p->align = 1;
	m->pool = p;
	while (p->num < workers) {
		struct media *other = make(arg);

		if (!other)
			return false;
		other->threads = &other->own_threads;
		other->instructions = &other->own_instructions;
		p->subslice[p->num++] = other;
		if (pthread_create(&p->thread[p->threads], NULL, worker, p))
			return false;
		p->threads++;
	}
	return true;
}

/**
 * workers_free - ends the threads, and frees the subslices that workers have brought
 * @m: the engine's; no round is open
 * @fn: frees a subslice
 */
void workers_free(struct media *m, void (*fn)(struct media *other))
{
	struct worker_pool *p = m->pool;

	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->quit = true;
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
	for (unsigned int i = 0; i < p->threads; i++)
		pthread_join(p->thread[i], NULL);
	workers_each(m, fn);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->wake);
	pthread_cond_destroy(&p->left);
	free(p);
	m->pool = NULL;
}
