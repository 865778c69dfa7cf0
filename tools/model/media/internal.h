/* SPDX-License-Identifier: MIT */
/**
 * DOC: What group.c and spawn.c share
 */
#ifndef IGEN_MODEL_MEDIA_INTERNAL_H
#define IGEN_MODEL_MEDIA_INTERNAL_H

#include "media/media.h"

/* Threads that the hardware has room for: 16 execution units of 8 each (IVB Vol 2 Part 2, 1.8.1, GT2). */
#define HARDWARE_THREADS	128u
#define HALF_THREADS		64u	/* of a half-slice, which has shared local memory of its own */
#define HALVES			(HARDWARE_THREADS / HALF_THREADS)
#define HALF_GROUPS		16u	/* of media threads, in a half-slice (1.5.1.10.1) */

/* Requests that the thread spawner holds. The manual has the children's number (IVB Vol 2 Part 2, 1.5.1.7). */
#define CHILD_QUEUE		8u
#define ROOT_QUEUE		16u
#define URB_ENTRIES		64u	/* of MEDIA_VFE_STATE, at most */
#define PAYLOAD_REGISTERS	(EU_GRFS - 1)
/* Each open group has a thread in the queue, or has begun. */
#define OPEN_GROUPS		(ROOT_QUEUE + HALVES * HALF_GROUPS)

/* Media threads of a half-slice that share a barrier and local memory. */
struct spawn_group {
	uint64_t number;		/* among all groups; 0: there is none here */
	unsigned int started, live;	/* threads */
	bool numbered;			/* group_id names it */
	uint32_t group_id;
	struct thread_group group;
};

/* A group of media threads whose last one no command has given yet. */
struct open_group {
	uint64_t number;		/* among all groups */
	unsigned int threads;		/* that commands have given */
	struct root_thread first;	/* of them, without its data */
	uint32_t destination;		/* of its threads; 0: anywhere, so far */
};

/* A place of the hardware, and the media thread that is there. */
struct slot {
	struct thread_group group;	/* of a thread that shares nothing */
	struct spawn_group *shares;	/* else NULL */
	bool live, faulty;
	bool root;			/* a command has started it, not a thread */
	bool parent;			/* it may start others */
	struct media_loads loads;	/* where its children's descriptors and constants are */
	bool holds_entry;		/* of the URB */
	uint8_t entry;
	uint8_t id;			/* FFTID, of a root thread */
	bool scored;			/* the scoreboard has it */
	uint32_t x, y, color;
	uint64_t issued;		/* its place among all root threads */
};

/* A root thread that is not started yet. */
struct queued_root {
	struct root_thread thread;	/* without its data, which is below */
	uint64_t issued;
	uint64_t group;			/* its number; 0: none */
	unsigned int index;		/* in the group, in the order of the commands */
	const char *mistake;		/* for which it cannot start; else NULL */
	bool has_entry;
	uint8_t entry;
	unsigned int registers;		/* of data */
	uint8_t data[PAYLOAD_REGISTERS * EU_GRF_BYTES];
};

/* A message of a thread to the thread spawner. */
struct spawn_request {
	bool root;			/* it lets a synchronised root thread start */
	struct media_loads loads;
	uint8_t descriptor;
	uint32_t urb;			/* byte of the buffer */
	uint8_t registers;
};

struct spawner {
	struct slot slot[HARDWARE_THREADS];
	unsigned int live, roots;	/* slots with a thread */
	unsigned int last;		/* slot whose turn was the last one */
	unsigned int waits;		/* turns in a row that got nothing done */
	struct queued_root root[ROOT_QUEUE];
	uint8_t queue[ROOT_QUEUE];	/* which of them wait, the oldest first */
	unsigned int queued;
	uint64_t issued;
	struct spawn_request child[CHILD_QUEUE];
	unsigned int num_children;
	bool fenced, fence_at_front;	/* until a persistent root thread sends a message */
	uint64_t entries;		/* of the URB that are taken */
	struct spawn_group group[HALVES * HALF_GROUPS];
	unsigned int num_groups;	/* that are there */
	uint64_t last_group;		/* number of the newest one that a command has given threads of */
	struct open_group open[OPEN_GROUPS];
	unsigned int num_open;
};

struct worker_pool;

struct media {
	struct shared shared;
	struct eu_core *core;
	struct thread_group group;
	struct eu_thread *hardware;	/* HARDWARE_THREADS */
	struct eu_thread *thread;	/* the group's, among them */
	bool keeps;			/* registers keep what a thread leaves */
	bool borrows;			/* hardware and slm are those of the engine's own subslice */
	uint8_t *slm;			/* HALVES times SLM_BYTES */
	bool slm_used;			/* it may not be 0 */
	uint64_t live;			/* threads that have not ended */
	uint64_t faulty;		/* those of them that never will */
	unsigned int next;		/* thread whose turn it is */
	unsigned int waits;		/* turns in a row that got nothing done */
	bool bad;			/* the group could not begin */
	/* The state of the command that began the group. */
	struct media_state state;
	struct media_walk walk;		/* if it is a walker */
	struct media_descriptor descriptor;
	unsigned int number;		/* of the descriptor */
	bool described;			/* there is one */
	_Atomic uint64_t *threads, *instructions;
	_Atomic uint64_t own_threads, own_instructions;	/* of a subslice that workers have brought: not yet gathered */
	/* workers.c; what follows changes under the pool's lock, or between rounds. */
	struct worker_pool *pool;	/* of the engine's own subslice; else NULL */
	bool occupied;			/* a group of a walk has begun and has not ended */
	bool begins;			/* that group, when the thread that has taken it executes it */
	bool taken;			/* a thread of the host executes it */
	bool stuck;			/* none of its threads will get on */
	uint64_t place;			/* its number, X first */
	unsigned int at;		/* its first thread on the hardware */
	unsigned int end;		/* of the engine's own: behind the threads that have begun last */
	unsigned int first_thread;	/* number of a group's first thread among those of all subslices */
	struct spawner spawner;
};

/* group.c */
void media_mistake(struct media *m, const char *why);
void media_faulted(struct media *m, unsigned int number, const struct eu_thread *t);
struct eu_thread *media_start(struct media *m, struct eu_thread *t, struct thread_group *group, uint32_t mask);
enum eu_status media_quantum(struct media *m, struct eu_thread *t, bool *waits);

/* spawn_group.c */
void group_note(struct media *m, struct queued_root *q, struct media_descriptor *d);
struct spawn_group *group_enter(struct media *m, const struct queued_root *q);
void group_started(struct media *m, struct spawn_group *g);
void group_ended(struct spawner *s, struct spawn_group *g);
struct slot *group_slot(struct media *m, const struct spawn_group *g);
bool group_spares(const struct media *m, unsigned int half);
unsigned int group_needs(const struct spawner *s);
bool group_keeps(const struct spawner *s, const struct queued_root *q);
bool group_in_order(const struct spawner *s, unsigned int at);
void group_drop(struct spawner *s);

/* spawn.c */
extern const struct thread_spawner media_spawner;
enum media_result spawn_run(struct media *m);
void spawn_drop(struct media *m);

/* workers.c */
bool workers_new(struct media *m, struct media *(*make)(void *arg), void *arg, unsigned int workers);
void workers_free(struct media *m, void (*fn)(struct media *other));
void workers_walk(struct media *m, unsigned int threads);
void workers_place(struct media *m);
void workers_each(struct media *m, void (*fn)(struct media *other));

#endif
