// SPDX-License-Identifier: MIT
/**
 * DOC: Groups of media threads
 *
 * Neighbouring threads of a MEDIA_OBJECT_WALKER form a group if the command says so, and threads of commands
 * MEDIA_OBJECT_GRPID with the same group id, up to the one with "End of Thread Group". They share a barrier and local
 * memory (DG1 Vol 2a, MEDIA_OBJECT_WALKER, "Group ID Loop Select"; MEDIA_OBJECT_GRPID). The thread spawner gives both
 * to the group when its first thread starts, and takes them back when the last one has ended (IVB Vol 2 Part 2,
 * 1.5.1.10)::
 *
 *	half-slice       places of threads      local memory, 64 KB
 *	                 group 1   group 2      group 1 | group 2 | free
 *
 * A group lies in one half-slice. One with a barrier is let in when the half-slice has a place for each of its threads,
 * and no other thread takes these: else threads would wait at the barrier for threads that cannot start. Threads
 * without a barrier may end before others of their group start. The order of threads is that of the commands, so a
 * group that does not fit holds all threads behind it back, but for those whose places are kept.
 *
 * A non-stalling scoreboard lets threads of a group start before threads of the groups in front of it. But groups begin
 * in the order of the commands, since a MEDIA_STATE_FLUSH with a watermark stands between two of them and holds the
 * commands behind it until the next group has room (1.8.5). Else a group could take the local memory or the places of
 * one in front of it, and wait for the threads of that group.
 *
 * A barrier whose threads do not come hangs the engine until a reset. They may depend on one that waits there, or a
 * command that waits for all threads may stand within the group.
 *
 * A group that no command has ended keeps its barrier and local memory until a command waits for all media threads: a
 * pipe that has drained has all local memory back (1.5.1.10.2). Two groups may be open at a time, as the thread spawner
 * knows them by their ids (1.5.1.10.4). On Gen9 the watermark of MEDIA_STATE_FLUSH has no effect of its own, since the
 * room is looked for in any case before a group begins (BXT Vol 6, "GPGPU Context Switch").
 *
 * Other media threads have no barrier and no local memory, whatever their interface descriptor says.
 *
 * What the manual forbids is a mistake here, since it does not say what silicon does: a group whose threads are not as
 * many as its barrier waits for, and of MEDIA_OBJECT_GRPID an id of a group that still runs, threads of a group with
 * different interface descriptors or places, none or more than one of inline data, indirect data and constants, and an
 * interface descriptor that has neither barrier nor local memory.
 *
 * What no manual at hand says: what of the group the threads' headers have. Here it is what a thread of GPGPU_WALKER
 * has, that there is a barrier and local memory (1.7.1.5). Constants and inline data are the same in all threads of a
 * walk. Which thread of a MEDIA_OBJECT_GRPID gets which part of them is the order of the commands here. A group with a
 * barrier also begins only when MEDIA_VFE_STATE allows as many threads more.
 */
#include <string.h>

#include "media/internal.h"

/* The open group that a thread belongs to; NULL: it is the first one of a group. */
static struct open_group *open_group_of(struct spawner *s, const struct root_thread *t)
{
	for (unsigned int i = 0; i < s->num_open; i++) {
		const struct root_thread *first = &s->open[i].first;

		if (first->numbered == t->numbered && (!t->numbered || first->group_id == t->group_id))
			return &s->open[i];
	}
	return NULL;
}

static bool is_open(const struct spawner *s, uint64_t number)
{
	for (unsigned int i = 0; i < s->num_open; i++)
		if (s->open[i].number == number)
			return true;
	return false;
}

/* Has a group with an id threads that have not ended? */
static bool id_runs(const struct spawner *s, uint32_t id)
{
	for (unsigned int i = 0; i < HALVES * HALF_GROUPS; i++)
		if (s->group[i].number && s->group[i].numbered && s->group[i].group_id == id)
			return true;
	for (unsigned int i = 0; i < s->queued; i++) {
		const struct queued_root *q = &s->root[s->queue[i]];

		if (q->group && q->thread.numbered && q->thread.group_id == id)
			return true;
	}
	return false;
}

/* What is wrong with a thread of MEDIA_OBJECT_GRPID, beside the others of its group; NULL: nothing. */
static const char *mistake_of(struct open_group *o, const struct root_thread *t, const struct media_descriptor *d)
{
	bool constants = !t->indirect_bytes && (d->read_length || d->cross_length);
	unsigned int payloads = (t->num_inline != 0) + (t->indirect_bytes != 0) + constants;

	if (!d->barrier_threads && !d->slm_bytes)
		return "a group of media threads with neither a barrier nor local memory";
	if (payloads != 1)
		return payloads ? "a media thread of a group with more than one kind of payload" :
				  "a media thread of a group without any payload";
	if (t->descriptor != o->first.descriptor)
		return "media threads of a group with different interface descriptors";
	if (t->destination && o->destination && t->destination != o->destination)
		return "media threads of a group that are sent to different subslices";
	o->destination |= t->destination;
	return NULL;
}

/**
 * group_note - a thread of the queue is numbered among the groups
 * @m: with the thread not yet in its queue
 * @q: the thread, the newest one
 * @d: filled for a thread of MEDIA_OBJECT_GRPID: its interface descriptor
 */
void group_note(struct media *m, struct queued_root *q, struct media_descriptor *d)
{
	const struct root_thread *t = &q->thread;
	struct spawner *s = &m->spawner;
	struct open_group *o = t->grouped ? open_group_of(s, t) : NULL;

	*d = (struct media_descriptor){ 0 };
	q->group = 0;
	q->index = 0;
	q->mistake = NULL;
	if (!t->grouped)
		return;
	if (!o) {
		if (t->numbered && id_runs(s, t->group_id))
			q->mistake = "a group of media threads with the id of one that runs";
		o = &s->open[s->num_open++];
		*o = (struct open_group){ .number = ++s->last_group, .first = *t };
	}
	q->group = o->number;
	q->index = o->threads++;
	if (t->numbered && !q->mistake && payload_descriptor(&m->shared, &m->state, &t->loads, t->descriptor, d))
		q->mistake = mistake_of(o, t, d);
	if (t->ends_group)
		*o = s->open[--s->num_open];
}

/* The index of a group that has begun; behind the last one if it has not. */
static unsigned int index_of(const struct spawner *s, uint64_t number)
{
	unsigned int i = 0;

	while (i < HALVES * HALF_GROUPS && s->group[i].number != number)
		i++;
	return i;
}

static bool has_begun(const struct spawner *s, uint64_t number)
{
	return index_of(s, number) < HALVES * HALF_GROUPS;
}

static unsigned int needs(const struct spawn_group *g)
{
	return g->number && g->group.barrier_threads > g->started ? g->group.barrier_threads - g->started : 0;
}

/**
 * group_needs - for how many threads are places kept?
 * @s: the spawner
 *
 * Return: threads that the barriers of groups wait for, and that have not started.
 */
unsigned int group_needs(const struct spawner *s)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < HALVES * HALF_GROUPS && s->num_groups; i++)
		n += needs(&s->group[i]);
	return n;
}

/**
 * group_keeps - is a place kept for a thread of the queue?
 * @s: the spawner
 * @q: the thread
 *
 * Return: true if so.
 */
bool group_keeps(const struct spawner *s, const struct queued_root *q)
{
	return q->group && has_begun(s, q->group) && needs(&s->group[index_of(s, q->group)]);
}

/**
 * group_in_order - have all groups begun that come before that of a thread?
 * @s: the spawner
 * @at: the thread's place in the queue
 *
 * Return: true if so, or if the thread is in no group, or in one that has begun.
 */
bool group_in_order(const struct spawner *s, unsigned int at)
{
	uint64_t group = s->root[s->queue[at]].group;

	if (!group || has_begun(s, group))
		return true;
	for (unsigned int i = 0; i < at; i++) {
		uint64_t other = s->root[s->queue[i]].group;

		if (other && other != group && !has_begun(s, other))
			return false;
	}
	return true;
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
	for (unsigned int i = 0; i < HALF_GROUPS; i++)
		kept += needs(&s->group[half * HALF_GROUPS + i]);
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
static struct spawn_group *begin(struct media *m, unsigned int half, const struct media_descriptor *d,
				 const struct queued_root *q)
{
	unsigned int threads = d->barrier_threads ? d->barrier_threads : 1;
	uint32_t bytes = m->state.no_slm ? 0 : d->slm_bytes;
	uint8_t *local = bytes ? free_local(m, half, bytes) : m->slm;
	struct spawner *s = &m->spawner;
	struct spawn_group *g = NULL;

	for (unsigned int i = 0; i < HALF_GROUPS && !g; i++)
		if (!s->group[half * HALF_GROUPS + i].number)
			g = &s->group[half * HALF_GROUPS + i];
	if (!g || !local || room(s, half) < threads || s->roots + group_needs(s) + threads > m->state.most_roots)
		return NULL;
	*g = (struct spawn_group){
		.number = q->group, .numbered = q->thread.numbered, .group_id = q->thread.group_id,
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

	if (has_begun(s, q->group))
		return &s->group[index_of(s, q->group)];
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
		g = begin(m, i, &d, q);
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

	if (!needs(g) && !room(&m->spawner, half))
		return NULL;
	for (unsigned int i = 0; i < HALF_THREADS; i++)
		if (!first[i].live)
			return &first[i];
	return NULL;
}

/* Have all threads of a group started? The scoreboard may let the walk's last one start before others. */
static bool is_complete(const struct spawner *s, const struct spawn_group *g)
{
	if (is_open(s, g->number))
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
	s->num_open = 0;
}
