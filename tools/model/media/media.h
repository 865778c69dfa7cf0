/* SPDX-License-Identifier: MIT */
/**
 * DOC: The media and GPGPU pipeline's threads
 *
 * What the MEDIA_OBJECT commands and GPGPU_WALKER dispatch: payload.c makes a thread's registers, group.c has the
 * threads of a group and lets them run in turn, workers.c lets groups run, several at a time if that is wanted, area.c
 * stores and loads a group that is preempted inside, places.c has the places of a media walk, spawn.c has media
 * threads, spawn_group.c the groups of those. The command streamer (cs/) says when: cs/pipeline.c has walkers in its
 * queue, and media_round() executes their groups; cs/media.c hands media threads to media_root().
 *
 * All functions are called by the engine's thread. media_run() executes a number of instructions of one thread and
 * returns, media_round() does so for groups. The engine looks at its requests in between: an endless program hangs its
 * engine, and a reset ends it.
 */
#ifndef IGEN_MODEL_MEDIA_H
#define IGEN_MODEL_MEDIA_H

#include "shared/shared.h"

#define MEDIA_THREADS	64u		/* of a group, at most */
#define MEDIA_WORKERS	8u		/* threads of the host that execute groups, at most */
#define MEDIA_INLINE	504u		/* dwords of a MEDIA_OBJECT, at most */

/* What of the context's state threads depend on, beyond what a walker notes. */
struct media_state {
	struct vm_ref vm;
	struct shared_bases bases;
	uint64_t scratch;		/* from the general state base */
	uint32_t scratch_code;		/* of each thread's space */
	uint64_t sip;
	bool no_slm;			/* the L3 has no shared local memory */
	/* Limits of media threads. */
	unsigned int most_roots;	/* root threads at a time */
	uint32_t urb_entries, urb_entry_registers, curbe_registers;
	bool open_gateways;
	bool scoreboard, non_stalling;
	uint8_t scoreboard_mask;
	int8_t dx[8], dy[8];		/* from a thread to those that it depends on */
};

/* Interface descriptors and constants, as the last commands that load them say: from the dynamic state base. */
struct media_loads {
	uint32_t descriptors, descriptor_bytes;
	uint32_t curbe, curbe_bytes;
};

/* A GPGPU_WALKER. A context's image holds these, and the driver can write there what it likes. */
struct media_walk {
	struct media_loads loads;
	uint32_t start[3], end[3];	/* groups: X, Y, Z */
	uint32_t right, bottom;		/* execution masks */
	uint32_t indirect, indirect_bytes;
	uint8_t executes;		/* it has a program to execute */
	uint8_t descriptor, simd;	/* code of the SIMD size */
	uint8_t width, height, depth;	/* threads of a group, less one */
};

/* What of a group that was preempted inside is not in its area. The driver can write these, too. */
struct media_inside {
	uint64_t live, faulty;		/* threads */
	uint32_t arrived;		/* at the barrier */
	uint32_t next;			/* thread whose turn it is */
};

/* A thread of a MEDIA_OBJECT, MEDIA_OBJECT_PRT or MEDIA_OBJECT_GRPID, or of a place of a MEDIA_OBJECT_WALKER. */
struct root_thread {
	struct media_loads loads;
	uint8_t descriptor;
	bool parent;			/* it may start others */
	bool synchronized;		/* another thread's message lets it start */
	bool grouped, ends_group;	/* it shares a barrier and local memory with its neighbours of this kind */
	bool numbered;			/* with the threads of the same group_id instead: MEDIA_OBJECT_GRPID */
	uint32_t group_id;
	uint32_t destination;		/* where it has to run; 0: anywhere */
	bool scored;			/* it waits for threads, and threads for it */
	bool fences, fences_front;	/* a persistent root thread: no other root starts before its message */
	uint32_t scoreboard_mask, color;
	uint32_t x, y;
	uint32_t indirect, indirect_bytes;
	unsigned int num_inline;
	const uint32_t *inline_data;
};

/* A MEDIA_OBJECT_WALKER's loops: pairs are X and Y. */
struct media_places {
	int32_t resolution[2], global_start[2], global_outer[2], global_inner[2];
	int32_t block[2], local_start[2], local_outer[2], local_inner[2], middle[2];
	uint32_t global_rounds, local_rounds;	/* of the outer loops, less one */
	uint32_t middle_steps, last_color;
};

/* The loops of a walk, from the outermost one on. */
enum media_loop { GLOBAL_OUTER, GLOBAL_INNER, LOCAL_OUTER, LOCAL_MIDDLE, LOCAL_INNER, MEDIA_LOOPS };

struct media_place {
	int32_t x, y;
	uint32_t color;
	uint32_t count[MEDIA_LOOPS];	/* steps of each loop since it began */
};

typedef bool (*media_visit)(void *arg, const struct media_place *at);

/* MEDIA_RUNS: there is more to do. MEDIA_STUCK: there is, and nothing but a reset will change that. */
enum media_result { MEDIA_DONE, MEDIA_RUNS, MEDIA_STUCK };

/* A while of executing a walk's groups. */
struct media_round {
	uint64_t next;			/* number of the group that begins next */
	uint64_t may_begin;		/* so many may; afterwards, what is left of that */
	bool alone;			/* a group begins when no other runs, on the engine's own subslice */
	unsigned int quanta;		/* of instructions, for each thread of the host */
	bool (*stop)(void *arg);	/* asked by any thread: is the engine wanted for something else? */
	void *arg;
	/* Filled. */
	uint64_t began, ended;		/* groups */
	uint64_t by_workers;		/* of those that began: in another thread than the engine's */
	unsigned int executed;		/* quanta, by the engine's thread */
	bool stuck;			/* nothing but a reset lets any group get on, and none may begin */
	bool over;
};

struct media;

/* group.c */
struct media *media_new(struct gpu *gpu, const struct engine_info *info, struct tlb *tlb, unsigned int gen,
			const struct eu_platform *platform);
void media_free(struct media *m);
void media_walk(struct media *m, const struct media_state *state, const struct media_walk *walk);
void media_group(struct media *m, uint64_t number);
bool media_save(struct media *m, uint64_t area, struct media_inside *inside);
void media_restore(struct media *m, uint64_t area, const struct media_inside *inside);
enum media_result media_run(struct media *m);
void media_drop(struct media *m);
void media_refuse(struct media *m, const char *why);
void media_clear_local(struct media *m);
void media_invalidate_programs(struct media *m);

/* workers.c */
void media_round(struct media *m, struct media_round *round);

/* spawn.c */
void media_root(struct media *m, const struct media_state *state, const struct root_thread *thread);
bool media_has_room(const struct media *m);
bool media_has_queued(const struct media *m);
bool media_awaits_commands(const struct media *m);
bool media_has_open_groups(const struct media *m);
void media_close_groups(struct media *m);

/* places.c */
bool media_places(const struct media_places *w, media_visit fn, void *arg);

/* payload.c: within media/ */
struct media_descriptor {
	uint64_t kernel;
	uint32_t binding_table, sampler_state;
	uint32_t cr0, cr1;
	uint32_t read_offset, read_length, cross_length; /* constants, in registers */
	uint32_t slm_bytes;
	uint32_t barrier_threads;	/* 0: no barrier */
};

struct media_payload {
	const struct media_state *state;
	struct shared *shared;
	const struct media_descriptor *descriptor;
	unsigned int number;		/* of the descriptor */
	unsigned int first_thread;	/* number of a group's first thread */
	unsigned int index;		/* of a media thread, in its group */
};

bool payload_descriptor(struct shared *s, const struct media_state *state, const struct media_loads *loads,
			unsigned int number, struct media_descriptor *d);
void payload_group(const struct media_payload *p, const struct media_walk *walk, const uint32_t id[3],
		   unsigned int index, struct eu_thread *thread);
/* What stands behind the constants of a media thread, in registers. */
struct media_data {
	const uint8_t *data;
	unsigned int registers;
};

unsigned int payload_data(struct shared *s, const struct media_state *state, const struct root_thread *object,
			  uint8_t *to);
unsigned int payload_split(struct shared *s, const struct media_state *state, const struct root_thread *object,
			   const struct media_descriptor *d, unsigned int index, uint8_t *to);
void payload_object(const struct media_payload *p, const struct root_thread *object, unsigned int id, uint32_t handle,
		    const struct media_data data[2], struct eu_thread *thread);
void payload_child(const struct media_payload *p, const struct media_loads *loads, const struct media_data *data,
		   struct eu_thread *thread);
uint32_t payload_mask(const struct media_walk *walk, unsigned int index);
void payload_program(const struct media_payload *p, struct eu_thread *thread);

/* area.c: within media/ */
bool area_fits(const struct shared *s, unsigned int threads);
bool area_save_thread(struct shared *s, uint64_t area, unsigned int index, const struct eu_thread *thread);
bool area_load_thread(struct shared *s, uint64_t area, unsigned int index, struct eu_thread *thread);

#endif
