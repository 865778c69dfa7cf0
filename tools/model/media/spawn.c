// SPDX-License-Identifier: MIT
/**
 * DOC: Media threads
 *
 * A media command gives the thread spawner a root thread (IVB Vol 2 Part 2, 1.5)::
 *
 *	MEDIA_OBJECT*  -->  root queue  --+
 *	                                  +-->  threads that run in turn, a quantum of instructions each
 *	spawn message  -->  child queue --+
 *
 * The child queue goes first. Its entries start a child thread, or let the root thread start that waits for a "spawn
 * root thread" message at the head of the root queue (1.5.1.5). A thread that sends to a full child queue waits. There
 * are at most as many root threads as MEDIA_VFE_STATE says; children are not counted.
 *
 * A root thread has its data in an entry of the URB. The entry is free when the thread starts, or, of one with
 * "Children Present", when its message gives it back (1.5.1.2). Entries that a thread keeps are free again when all
 * threads have ended. On silicon it is MEDIA_VFE_STATE that frees them.
 *
 * The scoreboard holds a root thread back while a thread of the same colour that came before it, and lies where a delta
 * of its mask says, has not ended (1.8.1). A stalling scoreboard holds all behind it as well; the other one lets them
 * pass, as far as the queue reaches. What that means for groups is in spawn_group.c.
 *
 * A persistent root thread with a fence lets no other root thread start until it sends a "spawn root thread" message
 * (1.8.7). It is never started again, as the command streamer leaves no context while media threads run.
 *
 * What no manual at hand says: how many requests the root queue holds, in which order entries are taken, and whether a
 * thread depends on one that came after it; here it does not.
 */
#include <string.h>

#include "media/internal.h"

#define INTERFACE_ROWS	32u		/* of the URB, before the constants */
#define HALF_SHIFT	12		/* in sr0.0: the half-slice, the execution unit, the thread */
#define UNIT_SHIFT	8

static unsigned int num_entries(const struct media *m)
{
	return m->state.urb_entries < URB_ENTRIES ? m->state.urb_entries : URB_ENTRIES;
}

/* The first entry that is free; beyond the last one if none is. */
static unsigned int free_entry(const struct media *m)
{
	return ~m->spawner.entries ? (unsigned int)__builtin_ctzll(~m->spawner.entries) : URB_ENTRIES;
}

/* A handle counts in two registers, so each entry begins at an even one. */
static uint32_t handle_of(const struct media *m, unsigned int entry)
{
	uint32_t first = (INTERFACE_ROWS + m->state.curbe_registers + 1) / 2;

	return (first + entry * ((m->state.urb_entry_registers + 1) / 2)) & 0xffff;
}

static bool is_busy(const struct spawner *s)
{
	return s->live || s->queued;
}

/**
 * media_has_room - may a media command give another root thread?
 * @m: with media threads, or none
 *
 * Return: false if it has to wait.
 */
bool media_has_room(const struct media *m)
{
	const struct spawner *s = &m->spawner;

	if (!is_busy(s))
		return true;
	if (s->queued == ROOT_QUEUE || (s->fenced && s->fence_at_front))
		return false;
	return !num_entries(m) || free_entry(m) < num_entries(m);
}

/**
 * media_has_queued - are there root threads that have not started?
 * @m: with media threads, or none
 *
 * Return: true if so.
 */
bool media_has_queued(const struct media *m)
{
	return m->spawner.queued;
}

/**
 * media_has_open_groups - is there a group whose last thread no command has given yet?
 * @m: with media threads, or none
 *
 * Return: true if so.
 */
bool media_has_open_groups(const struct media *m)
{
	return m->spawner.num_open;
}

/**
 * media_close_groups - groups that are open get no more threads
 * @m: with media threads that have all ended
 */
void media_close_groups(struct media *m)
{
	if (!is_busy(&m->spawner))
		group_drop(&m->spawner);
}

/**
 * media_awaits_commands - do commands which are not parsed yet matter to a thread?
 * @m: with media threads, or none
 *
 * Return: true if a thread may start others, or its group is open.
 */
bool media_awaits_commands(const struct media *m)
{
	const struct spawner *s = &m->spawner;

	if (s->num_open)
		return true;
	for (unsigned int i = 0; i < s->queued; i++)
		if (s->root[s->queue[i]].thread.parent || s->root[s->queue[i]].thread.synchronized)
			return true;
	for (unsigned int i = 0; i < HARDWARE_THREADS; i++)
		if (s->slot[i].live && s->slot[i].parent)
			return true;
	return s->fenced;
}

/* A place of the queue's entries that nothing is in. There is one. */
static uint8_t free_place(const struct spawner *s)
{
	uint32_t used = 0;

	for (unsigned int i = 0; i < s->queued; i++)
		used |= 1u << s->queue[i];
	return (uint8_t)__builtin_ctz(~used);
}

/* The video front end writes a thread's data to its entry. */
static void fill_entry(struct media *m, const struct queued_root *q)
{
	uint64_t at = (uint64_t)handle_of(m, q->entry) * URB_HANDLE_UNIT;
	uint32_t n = q->registers * EU_GRF_BYTES;

	if (q->has_entry && at < URB_BYTES)
		memcpy(m->shared.urb + at, q->data, n < URB_BYTES - at ? n : URB_BYTES - at);
}

/**
 * media_root - a media command gives a root thread
 * @m: with room; a group of a walker is lost
 * @state: of the context, as for the threads that have not ended
 * @thread: the command's part
 */
void media_root(struct media *m, const struct media_state *state, const struct root_thread *thread)
{
	struct spawner *s = &m->spawner;
	struct media_descriptor d;
	struct queued_root *q;

	if (!is_busy(s) && s->num_open) {
		/* The groups' threads so far have ended, and they have more. */
		s->entries = 0;
	} else if (!is_busy(s)) {
		media_drop(m);
		m->state = *state;
		m->shared.vm = state->vm;
		m->shared.bases = state->bases;
		m->shared.open_gateways = state->open_gateways;
	}
	if (m->bad || !media_has_room(m))
		return;
	q = &s->root[free_place(s)];
	q->thread = *thread;
	q->issued = ++s->issued;
	group_note(m, q, &d);
	if (q->group && thread->numbered && thread->indirect_bytes)
		q->registers = payload_split(&m->shared, state, thread, &d, q->index, q->data);
	else
		q->registers = payload_data(&m->shared, state, thread, q->data);
	q->has_entry = num_entries(m);
	q->entry = q->has_entry ? (uint8_t)free_entry(m) : 0;
	if (q->has_entry)
		s->entries |= 1ull << q->entry;
	fill_entry(m, q);
	s->queue[s->queued++] = (uint8_t)(q - s->root);
}

/* Is there a thread at a place that the scoreboard has? */
static bool outstanding(const struct media *m, uint32_t x, uint32_t y, const struct queued_root *than)
{
	const struct spawner *s = &m->spawner;

	for (unsigned int i = 0; i < HARDWARE_THREADS; i++) {
		const struct slot *t = &s->slot[i];

		if (t->live && t->scored && t->x == x && t->y == y && t->color == than->thread.color &&
		    t->issued < than->issued)
			return true;
	}
	for (unsigned int i = 0; i < s->queued; i++) {
		const struct queued_root *q = &s->root[s->queue[i]];

		if (q->thread.scored && q->thread.x == x && q->thread.y == y && q->issued < than->issued &&
		    q->thread.color == than->thread.color)
			return true;
	}
	return false;
}

static bool depends(const struct media *m, const struct queued_root *q)
{
	uint32_t mask = q->thread.scoreboard_mask & m->state.scoreboard_mask;

	if (!m->state.scoreboard || !q->thread.scored)
		return false;
	for (unsigned int i = 0; i < 8; i++)
		if (mask >> i & 1 &&
		    outstanding(m, q->thread.x + (uint32_t)m->state.dx[i], q->thread.y + (uint32_t)m->state.dy[i], q))
			return true;
	return false;
}

/* The next place of the hardware, if it is free or another one is; NULL: all have threads, or are kept for groups'. */
static struct slot *free_slot(struct media *m)
{
	struct spawner *s = &m->spawner;
	unsigned int at = m->keeps ? m->end : 0;

	for (unsigned int i = 0; i < HARDWARE_THREADS; i++) {
		struct slot *slot = &s->slot[(at + i) % HARDWARE_THREADS];

		if (!slot->live && group_spares(m, (unsigned int)((at + i) % HARDWARE_THREADS / HALF_THREADS)))
			return slot;
	}
	return NULL;
}

static uint8_t free_id(const struct spawner *s)
{
	uint64_t used[2] = { 0 };

	for (unsigned int i = 0; i < HARDWARE_THREADS; i++)
		if (s->slot[i].live && s->slot[i].root)
			used[s->slot[i].id / 64] |= 1ull << s->slot[i].id % 64;
	return (uint8_t)(~used[0] ? __builtin_ctzll(~used[0]) : 64 + __builtin_ctzll(~used[1]));
}

static struct thread_group *group_of(struct slot *slot)
{
	return slot->shares ? &slot->shares->group : &slot->group;
}

static uint32_t place_of(unsigned int i)
{
	return i / HALF_THREADS << HALF_SHIFT | i % HALF_THREADS / 8 << UNIT_SHIFT | i % 8;
}

/* A thread of a descriptor begins at a free place, in a group or in none; NULL: there is no such descriptor. */
static struct eu_thread *occupy(struct media *m, struct slot *slot, struct spawn_group *shares,
				const struct media_loads *loads, uint8_t number, struct media_descriptor *d)
{
	unsigned int i = (unsigned int)(slot - m->spawner.slot);
	struct eu_thread *t = &m->hardware[i];

	if (!payload_descriptor(&m->shared, &m->state, loads, number, d)) {
		media_mistake(m, "there is no such interface descriptor");
		return NULL;
	}
	shared_forget_surfaces(&m->shared);
	m->end = i + 1;
	*slot = (struct slot){
		.live = true, .loads = *loads, .shares = shares,
		.group = {
			.shared = &m->shared, .thread = t, .num_threads = 1, .binding_table = d->binding_table & ~31u,
			.sampler_state = d->sampler_state & ~31u,
		},
	};
	m->spawner.live++;
	counter_add(m->threads, 1);
	media_start(m, t, group_of(slot), 0xffff);
	t->sr[0] |= place_of(i);
	return t;
}

/* What a message names in the URB, which ends somewhere. */
static struct media_data from_urb(const struct media *m, const struct spawn_request *r, uint8_t *to)
{
	uint32_t n = r->registers * EU_GRF_BYTES, left = r->urb < URB_BYTES ? URB_BYTES - r->urb : 0;

	memset(to, 0, n);
	memcpy(to, m->shared.urb + r->urb % URB_BYTES, n < left ? n : left);
	return (struct media_data){ to, r->registers };
}

/*
 * Starts a thread of the root queue, by a message of another thread, or by itself. False: no place that it may have is
 * free.
 */
static bool start_root(struct media *m, unsigned int at, const struct spawn_request *by)
{
	struct spawner *s = &m->spawner;
	const struct queued_root *q = &s->root[s->queue[at]];
	uint8_t message[64 * EU_GRF_BYTES], id = free_id(s);
	struct media_data data[2] = { { message, 0 }, { q->data, q->registers } };
	struct media_descriptor d;
	struct media_payload p = { &m->state, &m->shared, &d, q->thread.descriptor, .index = q->index };
	struct spawn_group *shares;
	struct eu_thread *t;
	struct slot *slot;

	if (q->mistake)
		media_mistake(m, q->mistake);
	if (q->mistake || (!group_keeps(s, q) && s->roots + group_needs(s) >= m->state.most_roots))
		return false;
	shares = q->group ? group_enter(m, q) : NULL;
	if (q->group && !shares)
		return false;
	slot = shares ? group_slot(m, shares) : free_slot(m);
	t = slot ? occupy(m, slot, shares, &q->thread.loads, q->thread.descriptor, &d) : NULL;
	if (!t)
		return false;
	if (by)
		data[0] = from_urb(m, by, message);
	slot->root = true;
	slot->parent = q->thread.parent;
	slot->id = id;
	slot->scored = m->state.scoreboard && q->thread.scored;
	slot->x = q->thread.x;
	slot->y = q->thread.y;
	slot->color = q->thread.color;
	slot->issued = q->issued;
	slot->holds_entry = q->has_entry && q->thread.parent;
	slot->entry = q->entry;
	payload_object(&p, &q->thread, id, q->has_entry ? handle_of(m, q->entry) : 0, data, t);
	s->roots++;
	s->fenced |= q->thread.fences;
	s->fence_at_front = q->thread.fences ? q->thread.fences_front : s->fence_at_front;
	if (q->has_entry && !slot->holds_entry)
		s->entries &= ~(1ull << q->entry);
	s->queued--;
	memmove(s->queue + at, s->queue + at + 1, s->queued - at);
	if (shares)
		group_started(m, shares);
	return true;
}

static void start_child(struct media *m, struct slot *slot, const struct spawn_request *r)
{
	uint8_t registers[64 * EU_GRF_BYTES];
	struct media_descriptor d;
	struct media_payload p = { &m->state, &m->shared, &d, r->descriptor };
	struct media_data data = from_urb(m, r, registers);
	struct eu_thread *t = occupy(m, slot, NULL, &r->loads, r->descriptor, &d);

	if (!t)
		return;
	slot->parent = true;
	payload_child(&p, &r->loads, &data, t);
}

static void drop_request(struct spawner *s)
{
	s->num_children--;
	memmove(s->child, s->child + 1, s->num_children * sizeof(s->child[0]));
}

/* May another root thread start, as far as its place in the queue does not matter? */
static bool admits_roots(const struct media *m)
{
	return !m->spawner.fenced && m->spawner.roots < m->state.most_roots;
}

/* Starts what is at the head of the child queue. */
static bool serve_child(struct media *m)
{
	struct spawner *s = &m->spawner;
	const struct queued_root *head = s->queued ? &s->root[s->queue[0]] : NULL;
	const struct spawn_request request = s->child[0];
	struct slot *slot;

	if (!request.root) {
		slot = free_slot(m);
		if (!slot)
			return false;
		drop_request(s);
		start_child(m, slot, &request);
		return true;
	}
	if (!head || !head->thread.synchronized || !admits_roots(m) || depends(m, head) || !start_root(m, 0, &request))
		return false;
	drop_request(s);
	return true;
}

/* Starts one thread; false if none can start now. */
static bool dispatch(struct media *m)
{
	struct spawner *s = &m->spawner;
	bool full = false;

	if (m->bad || s->live == HARDWARE_THREADS)
		return false;
	if (s->num_children && serve_child(m))
		return true;
	for (unsigned int i = 0; i < s->queued && admits_roots(m); i++) {
		const struct queued_root *q = &s->root[s->queue[i]];

		/* It stays at the head of the queue. */
		if (q->thread.synchronized)
			return false;
		if (depends(m, q)) {
			if (!m->state.non_stalling)
				return false;
			continue;
		}
		if (!group_in_order(s, i) || (full && !group_keeps(s, q)))
			continue;
		if (start_root(m, i, NULL))
			return true;
		/* Behind it, only those can start whose places are kept. */
		full = group_needs(s);
		if (m->bad || !full)
			return false;
	}
	return false;
}

/* Nothing runs on: if that is for a group, the log names it. */
static enum media_result stuck(struct media *m)
{
	struct spawner *s = &m->spawner;

	if (group_needs(s))
		media_mistake(m, "a barrier of media threads some of which do not come");
	else if (!s->live && s->num_groups)
		media_mistake(m, "a group of media threads without room beside others that are open");
	return MEDIA_STUCK;
}

/* The next slot that has something to execute; NULL: none has. */
static struct slot *choose(struct spawner *s)
{
	for (unsigned int i = 1; i <= HARDWARE_THREADS; i++) {
		unsigned int at = (s->last + i) % HARDWARE_THREADS;

		if (s->slot[at].live && !s->slot[at].faulty) {
			s->last = at;
			return &s->slot[at];
		}
	}
	return NULL;
}

static void ended(struct spawner *s, struct slot *slot)
{
	slot->live = false;
	s->live--;
	s->roots -= slot->root;
	if (slot->shares)
		group_ended(s, slot->shares);
}

/**
 * spawn_run - starts the threads that can start, and executes a quantum of the one whose turn it is
 * @m: with media threads, or none
 *
 * Return: as media_run().
 */
enum media_result spawn_run(struct media *m)
{
	struct spawner *s = &m->spawner;
	enum eu_status status;
	struct slot *slot;
	unsigned int at;
	bool waits;

	while (dispatch(m))
		s->waits = 0;
	if (m->bad)
		return MEDIA_STUCK;
	if (!is_busy(s))
		return MEDIA_DONE;
	slot = choose(s);
	if (!slot || s->waits > 2 * HARDWARE_THREADS)
		return stuck(m);
	at = (unsigned int)(slot - s->slot);
	status = media_quantum(m, &m->hardware[at], &waits);
	s->waits = waits ? s->waits + 1 : 0;
	if (status == EU_END)
		ended(s, slot);
	if (status == EU_FAULT) {
		media_faulted(m, at, &m->hardware[at]);
		slot->faulty = true;
	}
	return is_busy(s) ? MEDIA_RUNS : MEDIA_DONE;
}

/**
 * spawn_drop - the media threads are lost, those too that have not started
 * @m: with media threads, or none
 */
void spawn_drop(struct media *m)
{
	struct spawner *s = &m->spawner;

	for (unsigned int i = 0; i < HARDWARE_THREADS && s->live; i++)
		s->slot[i].live = false;
	s->live = 0;
	s->roots = 0;
	s->queued = 0;
	s->num_children = 0;
	s->fenced = false;
	s->entries = 0;
	s->waits = 0;
	s->last = HARDWARE_THREADS - 1;
	group_drop(s);
}

static struct slot *slot_of(struct media *m, const struct eu_thread *t)
{
	struct slot *slot = &m->spawner.slot[t - m->hardware];

	return slot->live && t->group == group_of(slot) ? slot : NULL;
}

/* A thread gives back its entry of the URB, or ends, or both. */
static enum eu_reply dereference(struct media *m, struct send *s, struct slot *slot)
{
	bool gives = slot && slot->root && !send_field(s, ISA_MSG_F_KEEP_HANDLE);

	if (!s->msg->eot && !gives)
		return send_bad(s, "a message to the thread spawner that does not end the thread");
	if (!s->msg->eot && !slot->holds_entry)
		return send_bad(s, "a thread that gives back an entry of the URB that it does not have");
	if (gives && slot->holds_entry) {
		m->spawner.entries &= ~(1ull << slot->entry);
		slot->holds_entry = false;
	}
	return EU_DONE;
}

static enum eu_reply message(void *unit, struct send *s)
{
	struct media *m = unit;
	struct spawner *sp = &m->spawner;
	struct slot *slot = slot_of(m, s->thread);
	bool root = send_field(s, ISA_MSG_F_ROOT);
	uint32_t where = send_dword(s, 16), registers = where >> 10 & 63;

	if (s->info->id == ISA_MSG_END_THREAD)
		return dereference(m, s, slot);
	if (!slot)
		return send_bad(s, "a thread of a walker that starts another");
	if (root && sp->fenced) {
		sp->fenced = false;
		return EU_DONE;
	}
	if (!slot->parent)
		return send_bad(s, "a thread that starts another without Children Present");
	if (sp->num_children == CHILD_QUEUE)
		return EU_AGAIN;
	/* A child has its header at least. */
	if (!root && !registers)
		registers = 1;
	sp->child[sp->num_children++] = (struct spawn_request){
		.root = root, .descriptor = send_dword(s, 8) >> 4 & 63,
		.urb = (send_dword(s, 0) & 0xffff) * URB_HANDLE_UNIT + (where & 1023) * EU_GRF_BYTES,
		.registers = (uint8_t)registers, .loads = slot->loads,
	};
	return EU_DONE;
}

static struct eu_thread *find(void *unit, uint32_t id)
{
	struct media *m = unit;

	for (unsigned int i = 0; i < HARDWARE_THREADS; i++)
		if (m->spawner.slot[i].live && (m->hardware[i].sr[0] & 0xffff) == id)
			return &m->hardware[i];
	return NULL;
}

const struct thread_spawner media_spawner = { .message = message, .find = find };
