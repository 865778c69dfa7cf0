/* SPDX-License-Identifier: MIT */
/**
 * DOC: The command streamer, and the engine as it sees it
 *
 * One engine is one command streamer with its register block, its execlist state and its thread.
 * The thread alone advances it: engine.c waits for work, execlists.c picks the context, context.c
 * loads and saves its image, parser.c parses its commands and cs_*.c execute them.
 *
 * Access: the register values are single atomics, which the thread updates without a
 * lock while it parses (head, ACTHD, IPEHR ...) and all other threads read and write under
 * gpu->lock. gpu->lock guards the fields that are marked "gpu->lock"; struct cs belongs to the thread.
 */
#ifndef IGEN_MODEL_CS_H
#define IGEN_MODEL_CS_H

#include "blt/blt.h"
#include "decode.h"
#include "draw/draw.h"
#include "igen/regs/engine.h"

#define CS_MAX_DWORDS	1040		/* of a command that is executed */

#define CS_LINE_DWORDS	16		/* fetched at a time */
#define CS_NO_LINE	(1ull << 63)	/* beyond all addresses */

#define CS_JUMPS	64		/* places that a batch is seen to jump from again; a power of two */

#define CONTEXT_DWORDS	0xb0		/* of a context's registers that all engines have */

#define PIPELINE_DEPTH	16		/* walkers and what stands between them; a power of two */

enum cs_level { CS_RING, CS_BATCH, CS_SECOND };

/* Why the parser stopped. */
enum cs_result {
	CS_CONTINUE,
	CS_COMPLETE,			/* head reached tail; gpu->lock is held */
	CS_PREEMPT,			/* another list waits and this is an arbitration point */
	CS_WAIT_SEMAPHORE,		/* an unsuccessful wait that may switch */
	CS_STOPPED,			/* reset or the end of the model */
};

/* A batch that is being parsed, or that is returned to. */
struct cs_batch {
	uint64_t addr;			/* of the next command */
	bool ppgtt;			/* in the PPGTT, hence not privileged */
};

/* For messages: what a batch that the ring has started belongs to. */
struct cs_breadcrumb {
	bool known;			/* the next two are */
	uint32_t seqno;			/* that the ring stores behind the batch, */
	uint64_t addr;			/* in the GGTT */
	uint64_t batch;			/* where it begins; 0: not known */
};

struct cs {
	enum cs_level level;
	struct cs_batch batch[3];	/* by level; CS_RING is unused */
	uint64_t ring_start;		/* GGTT */
	uint32_t ring_size;
	struct vm_ref ppgtt;
	bool arbitrate;			/* MI_ARB_ON_OFF */
	bool no_lite_restore;
	bool predicated;		/* MI_SET_PREDICATE: skip what follows */
	bool workaround;		/* in INDIRECT_CTX or BB_PER_CTX: no arbitration */
	bool sema_reported;		/* this wait raised its interrupt */
	bool media_threads;		/* there may be some that have not ended */
	unsigned int list_seen;		/* list_seq that was looked at between arbitration points */
	uint64_t jump_from[CS_JUMPS];	/* where this batch from the ring has jumped from, plus 1; 0: nowhere */
	bool jumped;			/* there is one */
	unsigned int jumps;		/* from places where it had jumped before */
	unsigned int commands;		/* in this batch from the ring */
	uint64_t delay_ns;		/* slowdown that is owed */
	uint32_t head_before;		/* ring head and batch address of the command */
	uint64_t addr_before;
	struct cs_breadcrumb breadcrumb;	/* in a batch */
	uint64_t line_addr;		/* what was fetched last, or CS_NO_LINE */
	uint32_t line_tail;		/* the ring's tail then; nothing was beyond it */
	uint32_t line[CS_LINE_DWORDS];
	uint32_t dw[CS_MAX_DWORDS];	/* the command */
	unsigned int len;
	unsigned int filled;		/* dwords of dw that may not be 0 */
	uint64_t alone;			/* commands since the CPU last wrote a register */
	uint64_t cpu_seen;		/* gpu->cpu_writes then */
	const struct igen_cmd *cmd;	/* what it is */
};

/* How a command is dealt with, before and after its handler. */
#define CS_WHOLE	IGEN_BIT(0)	/* all its dwords are fetched, not the header alone */
#define CS_POINT	IGEN_BIT(1)	/* another list may preempt behind it */
#define CS_STARTS	IGEN_BIT(2)	/* starts a batch */
#define CS_ENDS		IGEN_BIT(3)	/* ends a batch */
#define CS_PREDICATES	IGEN_BIT(4)	/* is executed in spite of a predicate */
#define CS_MEDIA	IGEN_BIT(5)	/* media threads go on beside it */

/* Commands of one name, in whatever generations there are. */
struct cs_handler {
	const char *name;		/* the manual's; NULL: end of the table */
	enum cs_result (*execute)(struct engine *e);
	unsigned int flags;
	const struct igen_cmd_set *set;	/* in this one alone; NULL: in each that has the command */
};

/* One command of a platform's set. */
struct cs_dispatch {
	enum cs_result (*execute)(struct engine *e);
	const struct blt_command *blt;	/* of a blitter command: what the blitter does; NULL: it is not modelled */
	uint16_t least;			/* dwords, or the command is refused */
	uint16_t flags;
};

/* Work of the pipeline: the thread groups of a GPGPU_WALKER, or what a PIPE_CONTROL does behind them. */
struct pipeline_work {
	uint64_t total, done;		/* thread groups; no total: a PIPE_CONTROL's */
	uint32_t channels;		/* of a thread group */
	uint32_t flags;			/* cs_post_sync()'s, like the two below */
	uint64_t addr, data;
	struct media_walk walk;
};

struct pipeline {
	bool busy;			/* may have work; the thread's own */
	unsigned int posts;		/* PIPE_CONTROLs' in the queue; the thread's own */
	bool programs;			/* the queue may have programs to execute; the thread's own */
	/* Changed under gpu->lock. */
	bool runs;			/* now, by the clock */
	bool waits;			/* a command waits for it */
	bool stops;			/* and may be preempted between groups */
	bool saved;			/* the context left something */
	bool saved_inside;		/* a group that was preempted inside, too */
	bool flushes;			/* MEDIA_STATE_FLUSH waits, and stops the walker when UHPTR asks for it */
	bool halted;			/* at a MEDIA_STATE_FLUSH: nothing runs until the walker goes on or is saved */
	bool known;			/* media/ has been told of the first work's walk */
	bool inside;			/* its next group was preempted inside: it goes on when it begins */
	bool stuck;			/* no group that runs gets on, and none may begin */
	bool left;			/* halted, and the ring has jumped: the walker waits to be saved */
	uint64_t running;		/* groups of the first work whose threads execute a program */
	uint64_t ended;			/* groups whose threads have ended, and which may still take time */
	unsigned int refused;		/* list_seq that did not preempt the wait */
	uint64_t waits_since;
	uint64_t waits_groups;		/* the engine's groups that had run when the wait began */
	uint64_t stop_ns;		/* no group begins from then on; 0: they do */
	uint64_t begun_ns;		/* when the group began that is next to end */
	struct media_inside group;	/* with inside: of it, what is not in the context's area */
	unsigned int first, n;		/* the queue's */
	struct pipeline_work work[PIPELINE_DEPTH];
};

enum pipeline_until { PIPELINE_EMPTY, PIPELINE_ROOM, PIPELINE_POSTS, PIPELINE_DISPATCHED };

/* Requests to the thread, read without a lock at every command. */
#define ENGINE_RESET	IGEN_BIT(0)
#define ENGINE_QUIT	IGEN_BIT(1)
#define ENGINE_PARK	IGEN_BIT(2)	/* STOP_RING, or a reset is being prepared */
#define ENGINE_LIST	IGEN_BIT(3)	/* an execlist waits */
#define ENGINE_DISABLED	IGEN_BIT(4)	/* the ring was disabled: what is parsed is not gone on with */
#define ENGINE_STOPS	(ENGINE_RESET | ENGINE_QUIT | ENGINE_DISABLED)

struct execlist {
	uint64_t desc[2];
};

enum engine_state { ENGINE_IDLE, ENGINE_RUNNING, ENGINE_POLLING, ENGINE_PARKED, ENGINE_HALTED };

/* Where a walker that is preempted stops: at its end, behind the group that runs, inside that group. */
enum walker_stop { WALKER_ENDS, WALKER_GROUP, WALKER_THREAD };

/*
 * How work gets to an engine: what a platform's kind of submission does. Operations of rings without execlists are NULL
 * where there are lists, and the other way round.
 */
struct submission {
	bool lists;			/* the engine takes lists, once RING_MODE enables them */
	/*
	 * ENGINE_LIST is set: a lite restore happens, or at an arbitration point CS_PREEMPT is given, or
	 * not now. Takes gpu->lock.
	 */
	enum cs_result (*arbitrate)(struct engine *e, bool point);
	/* Runs what was submitted until nothing is; gpu->lock held at entry and exit, dropped in between. */
	void (*run)(struct engine *e);
	/* Forgets what was submitted. gpu->lock held. */
	void (*reset)(struct engine *e);
	/* The address space of batches that a ring starts which no list has loaded. gpu->lock held. */
	void (*ring_space)(struct engine *e, struct vm_ref *vm);
	/* Where a walker may leave the engine now; NULL: at its end. The engine's thread. */
	enum walker_stop (*stops_walkers)(struct engine *e);
	/* MEDIA_STATE_FLUSH lets a walker stop that has not ended; NULL: never. The engine's thread. */
	bool (*stops_at_flush)(struct engine *e);
	bool batch_arb_check;		/* MI_ARB_CHECK of a batch looks at UHPTR, not that of the ring alone */
	/* MI_ARB_CHECK and MI_SET_CONTEXT of a ring without lists; NULL: as lists have it. */
	enum cs_result (*arb_check)(struct engine *e);
	enum cs_result (*set_context)(struct engine *e);
};

struct igen_reg;			/* of the register database */

struct engine {
	struct gpu *gpu;
	const struct engine_info *info;
	const struct submission *submission;
	struct tlb *tlb;
	struct view view;		/* the command streamer's */
	pthread_t thread;
	pthread_cond_t wake;		/* to the thread */
	pthread_cond_t changed;		/* from it: state or requests changed */
	_Atomic uint32_t request;	/* ENGINE_*; changed under gpu->lock */
	enum engine_state state;	/* gpu->lock */
	bool reset_withheld;		/* gpu->lock: the fault "never ready" hit */
	bool reset_prepared;		/* gpu->lock: a request in RESET_CTL has had its time */
	bool deaf;			/* gpu->lock: what runs is not preempted, on purpose */
	bool takes_time;		/* gpu->lock: it is slow on purpose, and does not stop before */

	_Atomic uint32_t status_page;	/* with a register of its own outside of the block */
	bool ring_arb_off;		/* MI_ARB_ON_OFF; the thread */
	unsigned int uhptr_checks;	/* MI_ARB_CHECKs since UHPTR was written; gpu->lock, like the next */
	bool uhptr_taken;		/* the ring has jumped since then */
	bool ring_asleep;		/* gpu->lock: idle, and nothing keeps it awake (engine_info.sleeps) */

	_Atomic uint32_t reg[ENGINE_MMIO_SIZE / 4];
	const struct igen_reg *def[ENGINE_MMIO_SIZE / 4];	/* NULL: no such register */
	_Atomic uint64_t ctx_time_base;	/* CTX_TIMESTAMP less the GT clock, while a context runs */
	_Atomic bool ctx_active;

	/* gpu->lock */
	uint32_t elsp[4];
	unsigned int elsp_count;
	struct execlist pending;
	struct execlist list;		/* the list that runs */
	unsigned int element;		/* of list */
	bool active;			/* an element is loaded or about to be */
	uint64_t request_ts;		/* when pending came */
	uint64_t request_ns;		/* the same in nanoseconds */
	uint64_t request_commands;	/* how many commands had been executed by then */
	uint64_t request_groups;	/* and thread groups */
	uint64_t groups;		/* thread groups that have run */
	_Atomic unsigned int list_seq;	/* lists that came */
	_Atomic bool sema_signal;	/* MI_SEMAPHORE_SIGNAL came */
	_Atomic bool sema_wait;		/* within MI_SEMAPHORE_WAIT, unsuccessful so far */

	/* the thread */
	struct cs cs;
	struct pipeline pipeline;
	struct blt_ctx blt;
	uint64_t loaded_pml4;
	uint64_t loaded_desc;		/* of the context that is loaded, for messages */
	uint32_t loaded_image[CONTEXT_DWORDS];	/* with image_checks: as it was loaded */
	bool restore_render;		/* the context that is loaded has more to load */
	struct cs_state *draw_state;		/* draw_state.c; of the render engine, otherwise NULL */
	struct media *media;		/* threads of the render engine; NULL: none are executed */
	struct draw *draw;		/* draws of the render engine; NULL: they have no effect */
	uint64_t switch_ts;
	uint64_t preempted_ns;		/* when the list came that preempted and has not begun a batch; or 0 */
	const char *preempted_walk;	/* of a walker: its level of preemption */
	_Atomic uint64_t *commands;
	const struct igen_decoder *decoder;
	unsigned int gen;			/* of the decoder's commands */
	const struct cs_dispatch *dispatch;	/* by the command's place in the decode table */
	_Atomic uint64_t **command_counters;	/* by the command's place in the decode table */
	struct saved *saved;			/* engine/snapshot.c; gpu->lock */
	struct checker *checker;		/* validate.c; NULL: nothing is validated */
};

/* control.c */
extern __thread struct engine *this_engine;	/* in an engine's thread */
static inline uint32_t reg_get(struct engine *e, uint32_t r)
{
	return atomic_load_explicit(&e->reg[r / 4], memory_order_acquire);
}

static inline void reg_set(struct engine *e, uint32_t r, uint32_t v)
{
	atomic_store_explicit(&e->reg[r / 4], v, memory_order_release);
}

static inline uint64_t reg_get64(struct engine *e, uint32_t r)
{
	return reg_get(e, r) | (uint64_t)reg_get(e, r + 4) << 32;
}

static inline void reg_set64(struct engine *e, uint32_t r, uint64_t v)
{
	reg_set(e, r, (uint32_t)v);
	reg_set(e, r + 4, (uint32_t)(v >> 32));
}

static inline uint32_t engine_requests(struct engine *e)
{
	return atomic_load_explicit(&e->request, memory_order_acquire);
}

void engine_count(struct engine *e, const char *what);
/* gpu->lock held for these. */
void engine_request(struct engine *e, uint32_t set, uint32_t clear);
void engine_set_state(struct engine *e, enum engine_state state);
void engine_raise(struct engine *e, uint32_t bit);
/* Sleeps up to us; a request ends it early. gpu->lock held, and dropped meanwhile. */
void engine_sleep(struct engine *e, unsigned int us);
/*
 * Sleeps until ns, or for a second; a request ends the sleep early. gpu->lock held, and dropped meanwhile. With
 * "clock=virtual" moves the clock to ns without a sleep.
 */
void engine_sleep_until(struct engine *e, uint64_t ns);
/* Stops until a reset; why is logged and counted. Takes gpu->lock. */
enum cs_result engine_halt(struct engine *e, uint32_t eir, const char *why);
/* Sets error bits and raises the interrupt for those that EMR lets through. gpu->lock held. */
void engine_error(struct engine *e, uint32_t eir);
/* While ENGINE_PARK is asked for: waits. CS_STOPPED on a reset. Takes gpu->lock. */
enum cs_result engine_park(struct engine *e);
/*
 * Runs on without getting anywhere, to a reset; STOP_RING gets through, lists do not. Takes
 * gpu->lock.
 */
enum cs_result engine_spin(struct engine *e);
/* Does the engine take execlists, or its ring registers? */
bool execlists_enabled(struct engine *e);

/*
 * command.c: total dwords of the command that starts with this dword, 0 for an unknown one; and
 * its name.
 */
unsigned int command_length(const struct igen_decoder *decoder, uint32_t header);
const char *command_name(const struct igen_decoder *decoder, uint32_t header);

/* command.c */
const struct igen_decoder *command_decoder(const struct igen_cmd_set *set, enum engine_class class);

/* validate.c */
/* Counts a mistake of the driver as the validator counts its findings. */
void cs_finding(struct engine *e, const char *what);
bool cs_check_init(struct engine *e);
void cs_check_load(struct engine *e, uint64_t lrca);
void cs_check_enter(struct engine *e, uint64_t lrca, bool fresh);
void cs_check_save(struct engine *e, enum cs_result how);
void cs_check_command(struct engine *e, unsigned int have);

/* draw_state.c */
bool cs_state_init(struct engine *e);
void cs_state_free(struct engine *e);
enum cs_result cs_state_note(struct engine *e);
void cs_state_draw(struct engine *e);
enum cs_result cs_state_walk(struct engine *e);
/* State commands of which the last packet is asked for. */
enum cs_packet {
	CS_PACKET_BASES, CS_PACKET_SIP, CS_PACKET_VFE, CS_PACKET_CURBE, CS_PACKET_DESCRIPTORS,
	CS_PACKET_AREA,
	/* State of draws. */
	CS_PACKET_TOPOLOGY, CS_PACKET_VERTEX_FETCH, CS_PACKET_INSTANCING, CS_PACKET_GENERATED_VALUES,
	CS_PACKET_VERTEX_BUFFERS, CS_PACKET_VERTEX_ELEMENTS, CS_PACKET_INDEX_BUFFER,
	CS_PACKET_VS, CS_PACKET_HS, CS_PACKET_TE, CS_PACKET_DS, CS_PACKET_GS, CS_PACKET_STREAMOUT,
	CS_PACKET_CLIP, CS_PACKET_SF, CS_PACKET_RASTER, CS_PACKET_SBE, CS_PACKET_VIEWPORTS, CS_PACKET_SCISSORS,
	CS_PACKET_DRAWING_RECTANGLE, CS_PACKET_MULTISAMPLE, CS_PACKET_SAMPLE_MASK,
	CS_PACKET_WM, CS_PACKET_DEPTH_STENCIL, CS_PACKET_DEPTH_STATE, CS_PACKET_HZ_OP, CS_PACKET_CHROMA_KEY,
	CS_PACKET_PS, CS_PACKET_PS_EXTRA, CS_PACKET_PS_BLEND, CS_PACKET_PS_TABLE, CS_PACKET_PS_SAMPLERS,
	CS_PACKET_BLEND, CS_PACKETS
};

const uint32_t *cs_state_packet(const struct engine *e, enum cs_packet which, unsigned int *len);
const uint32_t *cs_state_indexed(const struct engine *e, enum cs_packet which, unsigned int index, unsigned int *len);
bool cs_state_save(struct engine *e, uint64_t state);
bool cs_state_load(struct engine *e, uint64_t state);

/* walker.c */
enum cs_result cs_walker(struct engine *e);

/* media.c */
bool cs_media_executes(struct engine *e, struct media_loads *loads);
void cs_media_state(struct engine *e, struct media_state *state);
enum cs_result cs_media_object(struct engine *e);
enum cs_result cs_media_object_prt(struct engine *e);
enum cs_result cs_media_object_grpid(struct engine *e);
enum cs_result cs_media_object_walker(struct engine *e);
enum cs_result cs_media_drain(struct engine *e);
enum cs_result cs_media_started(struct engine *e);
enum cs_result cs_media_yields(struct engine *e, bool *yields);
/* Executes what an engine's threads have to do until it is done, or the engine is reset. */
struct cs_threads {
	enum media_result (*run)(struct engine *e);	/* does a part of it */
	void (*drop)(struct engine *e);			/* the rest is lost */
	enum cs_result (*leave)(struct engine *e);	/* a list waits: CS_PREEMPT if the rest goes on later */
};

enum cs_result cs_run_threads(struct engine *e, const struct cs_threads *threads);

/* draw.c */
enum cs_result cs_draw(struct engine *e);

/* pipeline_image.c */
bool cs_pipeline_save(struct engine *e, uint64_t state);
bool cs_pipeline_load(struct engine *e, uint64_t state);

/* pipeline.c */
/* Is there something that the engine's thread does for the pipeline? */
static inline bool cs_pipeline_needs_thread(const struct engine *e)
{
	return e->pipeline.posts || e->pipeline.programs;
}

/* Is there nothing that a command could wait for? */
static inline bool cs_pipeline_idle(const struct engine *e)
{
	return !e->pipeline.busy && !e->pipeline.halted;
}

void cs_pipeline_poll(struct engine *e);
void cs_pipeline_queue(struct engine *e, const struct pipeline_work *work);
enum cs_result cs_pipeline_wait(struct engine *e, enum pipeline_until until, bool point);
enum cs_result cs_pipeline_flush(struct engine *e);
enum cs_result cs_media_state_flush(struct engine *e);
void cs_pipeline_jumped(struct engine *e);
enum cs_result cs_pipeline_leave(struct engine *e, enum cs_result why);
bool cs_pipeline_has_programs(const struct pipeline *p);
/* gpu->lock held for these. */
void cs_pipeline_go(struct engine *e);
void cs_pipeline_hold(struct engine *e);
uint64_t cs_pipeline_groups(struct engine *e, uint64_t ns);
uint64_t cs_pipeline_channels(struct engine *e);
const char *cs_pipeline_preempted(struct engine *e, bool inside);

/* parser.c */
void cs_start_ring(struct engine *e);
enum cs_result cs_run(struct engine *e);
/* A workaround buffer of size bytes, or to its MI_BATCH_BUFFER_END when size is 0; in the GGTT. */
enum cs_result cs_run_workaround(struct engine *e, uint64_t addr, uint32_t size);
/* Where the parser is, for a driver that looks at a hang: registers that name the command with this header. */
void cs_publish(struct engine *e, uint32_t header);
void cs_save_batches(struct engine *e);
void cs_restore_batches(struct engine *e);
bool cs_privileged(const struct engine *e);
void cs_start_batch(struct engine *e, uint64_t addr, bool ppgtt, bool second);
void cs_end_batch(struct engine *e, bool all_levels);
/* breadcrumb.c */
void cs_find_breadcrumb(struct engine *e, uint64_t batch);
/* The graphics address of the command. */
uint64_t cs_address(const struct engine *e);
/* Delays the engine by ns. A delay too short to sleep for adds to the next one. */
void cs_owe_delay(struct engine *e, uint64_t ns);
void cs_check_tail(struct engine *e, uint32_t old, uint32_t new);
bool cs_ring_empty(struct engine *e);
/* The parser parses the command again when the context returns. */
void cs_rewind(struct engine *e);

/* Memory on behalf of a command: a fault is reported, reads give 0, writes are dropped. */
struct vm_ref cs_vm(const struct engine *e, bool ggtt);
uint32_t cs_read32(struct engine *e, bool ggtt, uint64_t addr);
uint64_t cs_read64(struct engine *e, bool ggtt, uint64_t addr);
void cs_write32(struct engine *e, bool ggtt, uint64_t addr, uint32_t v);
void cs_write64(struct engine *e, bool ggtt, uint64_t addr, uint64_t v);
/* The status page that an index goes to: the global one or the context's own. */
uint64_t cs_status_page(const struct engine *e, bool global);
uint32_t cs_reg_read(struct engine *e, uint32_t offset);
void cs_raise(struct engine *e, uint32_t bit);

bool cs_compare(unsigned int op, uint32_t memory, uint32_t inline_data);
/* An instruction error if there is a text that says what is wrong. */
enum cs_result cs_refuse(struct engine *e, const char *error);

/* dispatch.c */
extern const struct cs_handler cs_handlers[];
const char *cs_unknown_handler(const struct cs_handler *handlers);
const char *cs_unknown_blit(const struct blt_command *commands);
const struct cs_dispatch *cs_dispatch_of(const struct igen_cmd_set *set);

/* Handlers: mi.c */
enum cs_result cs_mi_noop(struct engine *e);
enum cs_result cs_mi_user_interrupt(struct engine *e);
enum cs_result cs_mi_arb_check(struct engine *e);
enum cs_result cs_mi_arb_on_off(struct engine *e);
enum cs_result cs_mi_batch_buffer_start(struct engine *e);
enum cs_result cs_mi_batch_buffer_end(struct engine *e);
enum cs_result cs_mi_set_predicate(struct engine *e);
enum cs_result cs_mi_predicate(struct engine *e);
enum cs_result cs_mi_update_gtt(struct engine *e);
enum cs_result cs_mi_set_context(struct engine *e);
/* mi_memory.c */
enum cs_result cs_mi_store_data_imm(struct engine *e);
enum cs_result cs_mi_store_data_index(struct engine *e);
enum cs_result cs_mi_load_register_imm(struct engine *e);
enum cs_result cs_mi_load_register_mem(struct engine *e);
enum cs_result cs_mi_load_register_reg(struct engine *e);
enum cs_result cs_mi_store_register_mem(struct engine *e);
enum cs_result cs_mi_copy_mem_mem(struct engine *e);
enum cs_result cs_mi_flush_dw(struct engine *e);
enum cs_result cs_mi_report_head(struct engine *e);
/* wait.c, atomic.c, math.c */
enum cs_result cs_mi_semaphore_wait(struct engine *e);
enum cs_result cs_mi_semaphore_signal(struct engine *e);
enum cs_result cs_mi_semaphore_mbox(struct engine *e);
enum cs_result cs_mi_conditional_batch_buffer_end(struct engine *e);
enum cs_result cs_mi_atomic(struct engine *e);
enum cs_result cs_mi_math(struct engine *e);
/* pipe_control.c, parser.c */
enum cs_result cs_pipe_control_gen6(struct engine *e);
enum cs_result cs_pipe_control_gen7(struct engine *e);
enum cs_result cs_pipe_control_gen9(struct engine *e);
enum cs_result cs_pipe_control_gen12(struct engine *e);
void cs_post_sync(struct engine *e, uint32_t flags, uint64_t addr, uint64_t data);
enum cs_result cs_blit(struct engine *e);

/* privilege.c */
/*
 * A write from the stream, with the rights of where it stands; false when it was turned into a
 * NOOP.
 */
bool cs_reg_write(struct engine *e, uint32_t offset, uint32_t value);
/* May this command use the GGTT? Otherwise the violation is recorded and false given. */
bool cs_may_use_ggtt(struct engine *e);
/* May a command store, and does it store to the GGTT, as *global says? Changes that where the engine does otherwise. */
bool cs_may_store(struct engine *e, bool *global);
/* Does the GGTT bit of a command count? Without privilege some engines ignore it. */
bool cs_ggtt_bit_counts(struct engine *e);
/* May this command write a status page by index? Otherwise it is counted as a NOOP. */
bool cs_may_store_index(struct engine *e);
/* May a PIPE_CONTROL that writes a register be executed? Otherwise it is a NOOP, which is counted. */
bool cs_may_post_sync_lri(struct engine *e);
/* May this MI_ARB_ON_OFF be executed? Otherwise it is counted as a NOOP. */
bool cs_may_steer_arbitration(struct engine *e);

#endif
