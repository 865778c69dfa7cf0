// SPDX-License-Identifier: MIT
/**
 * DOC: Groups of media threads
 *
 * Neighbouring threads of a MEDIA_OBJECT_WALKER form a group if the command says so. They share a barrier and local
 * memory (DG1 Vol 2a, MEDIA_OBJECT_WALKER, "Group ID Loop Select"). The thread spawner gives both to the group when its
 * first thread starts, and takes them back when the last one has ended (IVB Vol 2 Part 2, 1.5.1.10)::
 *
 *	half-slice       places of threads      local memory, 64 KB
 *	                 group 1   group 2      group 1 | group 2 | free
 *
 * A group lies in one half-slice. One with a barrier is let in when the half-slice has a place for each of its threads,
 * and no other thread takes these: else threads would wait at the barrier for threads that cannot start. Threads
 * without a barrier may end before others of their group start. The order of threads is the walk's, so a group that
 * does not fit holds all threads behind it back.
 *
 * Other media threads have no barrier and no local memory, whatever their interface descriptor says.
 *
 * The threads of a group must be as many as its barrier waits for. A group with another number is a mistake.
 *
 * What no manual at hand says: what of the group the threads' headers have. Here it is what a thread of GPGPU_WALKER
 * has, that there is a barrier and local memory (1.7.1.5). Constants and inline data are the same in all threads.
 */
#include <string.h>

#include "media/internal.h"

/**
 * group_note - a thread of the queue is numbered among the groups
 * @s: the spawner
 * @q: the thread, the newest one
 */
void group_note(struct spawner *s, struct queued_root *q)
{
	q->group = 0;
	if (!q->thread.grouped)
		return;
	if (!s->group_open)
		s->last_group++;
	q->group = s->last_group;
	s->group_open = !q->thread.ends_group;
}

static unsigned int half_of(const struct spawner *s, const struct spawn_group *g)
{
	return (unsigned int)(g - s->group) / HALF_GROUPS;
}

/* Places of a half-slice without a thread, less those that are kept for its groups' threads. */
static unsigned int room(const struct spawner *s, unsigned int half)
{
	unsigned int n = 0, kept = 0;

	for (unsigned int i = 0; i < HALF_THREADS; i++)
		n += !s->slot[half * HALF_THREADS + i].live;
	for (unsigned int i = 0; i < HALF_GROUPS; i++) {
		const struct spawn_group *g = &s->group[half * HALF_GROUPS + i];

		if (g->number && g->group.barrier_threads > g->started)
			kept += g->group.barrier_threads - g->started;
	}
	return n > kept ? n - kept : 0;
}

/**
 * group_spares - has a half-slice a place for a thread that is in none of its groups?
 * @m: with media threads
 * @half: the half-slice
 *
 * Return: true if so.
 */
bool group_spares(const struct media *m, unsigned int half)
{
	return !m->spawner.num_groups || room(&m->spawner, half);
}

static bool has_local(const struct spawn_group *g, const uint8_t *from, uint32_t bytes)
{
	return g->number && g->group.slm < from + bytes && from < g->group.slm + g->group.slm_bytes;
}

/* Local memory of so many bytes that no group of a half-slice has; NULL: there is none. */
static uint8_t *free_local(const struct media *m, unsigned int half, uint32_t bytes)
{
	const struct spawn_group *g = &m->spawner.group[half * HALF_GROUPS];
	uint8_t *base = m->slm + (size_t)half * SLM_BYTES;

	for (uint32_t at = 0; at + bytes <= SLM_BYTES; at += bytes) {
		bool taken = false;

		for (unsigned int i = 0; i < HALF_GROUPS; i++)
			taken = taken || has_local(&g[i], base + at, bytes);
		if (!taken)
			return base + at;
	}
	return NULL;
}

/* The group begins in a half-slice; NULL: it has no room. */
static struct spawn_group *begin(struct media *m, unsigned int half, const struct media_descriptor *d, uint64_t number)
{
	uint32_t bytes = m->state.no_slm ? 0 : d->slm_bytes;
	uint8_t *local = bytes ? free_local(m, half, bytes) : m->slm;
	struct spawner *s = &m->spawner;
	struct spawn_group *g = NULL;

	for (unsigned int i = 0; i < HALF_GROUPS && !g; i++)
		if (!s->group[half * HALF_GROUPS + i].number)
			g = &s->group[half * HALF_GROUPS + i];
	if (!g || !local || room(s, half) < (d->barrier_threads ? d->barrier_threads : 1))
		return NULL;
	*g = (struct spawn_group){
		.number = number,
		.group = {
			.shared = &m->shared, .thread = m->hardware + half * HALF_THREADS, .num_threads = HALF_THREADS,
			.binding_table = d->binding_table & ~31u, .sampler_state = d->sampler_state & ~31u,
			.slm_bytes = bytes, .barrier_threads = d->barrier_threads, .slm = local,
		},
	};
	s->num_groups++;
	m->slm_used |= bytes;
	return g;
}

/**
 * group_enter - the group of a thread that is to start, which begins if there is room
 * @m: with the thread in its queue
 * @q: the thread
 *
 * Return: NULL if the thread has to wait, or if the group is a mistake.
 */
struct spawn_group *group_enter(struct media *m, const struct queued_root *q)
{
	struct spawner *s = &m->spawner;
	struct spawn_group *g = NULL;
	struct media_descriptor d;

	for (unsigned int i = 0; i < HALVES * HALF_GROUPS; i++)
		if (s->group[i].number == q->group)
			return &s->group[i];
	if (!payload_descriptor(&m->shared, &m->state, &q->thread.loads, q->thread.descriptor, &d)) {
		media_mistake(m, "there is no such interface descriptor");
		return NULL;
	}
	if (d.barrier_threads > HALF_THREADS) {
		media_mistake(m, "a barrier of more threads than a half-slice has");
		return NULL;
	}
	if (d.barrier_threads > m->state.most_roots) {
		media_mistake(m, "a barrier of more threads than MEDIA_VFE_STATE allows");
		return NULL;
	}
	for (unsigned int i = 0; i < HALVES && !g; i++)
		g = begin(m, i, &d, q->group);
	return g;
}

/**
 * group_slot - a free place for a thread of a group
 * @m: with the group
 * @g: the group
 *
 * Return: NULL if there is none.
 */
struct slot *group_slot(struct media *m, const struct spawn_group *g)
{
	unsigned int half = half_of(&m->spawner, g);
	struct slot *first = &m->spawner.slot[half * HALF_THREADS];

	if (g->started >= g->group.barrier_threads && !room(&m->spawner, half))
		return NULL;
	for (unsigned int i = 0; i < HALF_THREADS; i++)
		if (!first[i].live)
			return &first[i];
	return NULL;
}

/* Have all threads of a group started? The scoreboard may let the walk's last one start before others. */
static bool is_complete(const struct spawner *s, const struct spawn_group *g)
{
	if (s->group_open && g->number == s->last_group)
		return false;
	for (unsigned int i = 0; i < s->queued; i++)
		if (s->root[s->queue[i]].group == g->number)
			return false;
	return true;
}

/**
 * group_started - a thread of a group has started
 * @m: with the group; the thread has left the queue
 * @g: the group
 */
void group_started(struct media *m, struct spawn_group *g)
{
	unsigned int barrier = g->group.barrier_threads;

	g->started++;
	g->live++;
	if (barrier && (g->started > barrier || (g->started < barrier && is_complete(&m->spawner, g))))
		media_mistake(m, "a group of media threads that are not as many as its barrier waits for");
}

/**
 * group_ended - a thread of a group has ended
 * @s: the spawner
 * @g: the group, which is gone if that was its last thread
 */
void group_ended(struct spawner *s, struct spawn_group *g)
{
	g->live--;
	if (g->live || !is_complete(s, g))
		return;
	g->number = 0;
	s->num_groups--;
}

/**
 * group_drop - all groups are lost
 * @s: the spawner
 */
void group_drop(struct spawner *s)
{
	for (unsigned int i = 0; i < HALVES * HALF_GROUPS && s->num_groups; i++)
		s->group[i].number = 0;
	s->num_groups = 0;
	s->group_open = false;
}
