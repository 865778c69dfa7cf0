/* SPDX-License-Identifier: MIT */
/**
 * DOC: The model's parts and which may call which
 *
 * A folder is a unit. Others see its header of the same name; further headers are its own. A folder
 * calls those above it in this list, and itself, and nothing else; tools/static/model-folders says so.
 *
 * ========= =====================================================================================
 * base      counters, log, clock, faults on purpose, the types that all units share
 * regs      dispatch of register accesses, and the registers of the GT
 * eu        programs of the execution units; a library that needs nothing of the others, see eu/eu.h
 * mem       guest memory, GTT, TLBs, the aperture, page faults
 * shared    shared functions: what messages of programs do; surfaces
 * media     threads of the media and GPGPU pipeline: groups, payloads
 * draw      draws: vertices, rectangles, pixel shaders
 * blt       the blitter's commands
 * cs        the command streamer: parser, commands, and what they need of their engine's thread
 * engine    engines as threads, their registers, submission, context images, resets, snapshots
 * platform  one file a platform
 * bus       PCI configuration space and BARs, and the transports to QEMU
 * main      settings, the device as a whole, the program
 * ========= =====================================================================================
 *
 * What goes the other way goes through pointers: an access of the CPU comes from a transport over
 * bus/pci.c and regs/mmio.c to the block that claimed the register; an interrupt leaves by
 * gpu->raise_msi. Engines run in threads of their own and reach memory only through views (mem/view.c).
 *
 * Locks, outer first: that of posted writes (bus/posted.c), gpu->lock (register state of every
 * block and engine; MMIO is dispatched under it; an engine thread takes it for register accesses,
 * CSB and interrupts, never while it executes a command's memory accesses), the lock of the map of
 * guest memory (not taken together with gpu->lock), the aperture's lock, a TLB's views_lock, an
 * access through a view (it takes part as a lock does, since invalidations wait for it under
 * views_lock), a TLB's lock, then leaf locks (counters, log, MSI).
 * Nothing waits for QEMU while it holds any of them.
 */
#ifndef IGEN_MODEL_BASE_H
#define IGEN_MODEL_BASE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MMIO_SIZE	(2u << 20)		/* where registers can be */

struct gpu;
struct engine;

enum engine_class {
	ENGINE_RENDER,
	ENGINE_COPY,
	ENGINE_VIDEO,
	ENGINE_VIDEO_ENHANCE,
	ENGINE_CLASSES
};
enum engine_id { RCS0, BCS0, VCS0, VCS1, VECS0, NUM_ENGINES };

/* One row an engine in a platform's table (platform/gen9.c). */
struct engine_info {
	const char *name;		/* "rcs0" */
	enum engine_id id;
	enum engine_class class;
	uint32_t base;			/* MMIO base */
	unsigned int irq_group;		/* GT interrupt group and shift in it */
	unsigned int irq_shift;
	uint32_t reset_domain;		/* bit in GDRST */
	uint32_t tlb_inv_reg;		/* 0: there is none */
	uint32_t status_page_reg;	/* 0: it is RING_HWS_PGA, in the engine's block */
	uint32_t mode_reg;		/* of a ring without execlists: which enables its PPGTT */
	bool sleeps;			/* an idle one loses a tail, unless PSMI_SLEEP_MSG_DISABLE has woken it */
	uint8_t fault_id;		/* in RING_FAULT_REG */
	uint8_t signal_id;		/* in MI_SEMAPHORE_SIGNAL */
};

struct igen_cmd_set;			/* tools/cmdgen: commands of a generation */
struct submission;			/* cs/cs.h */
struct irq_ops;				/* regs/regs.h */
struct page_tables;			/* mem/mem.h */
struct fault_ops;			/* mem/mem.h */
struct eu_platform;			/* shared/shared.h */
struct igen_reg_domain;			/* tools/cmdgen: a power domain's registers */
struct igen_reg_set;			/* tools/cmdgen: registers of a generation */

/* The GT's frequencies, in the unit of its registers, and RC6. */
struct rps_range {
	uint32_t reg, cap;		/* the register that tells of them, and what it holds */
	uint32_t request_mask, status_mask;	/* of the frequency in RPNSWREQ and RPSTAT1 */
	uint32_t lowest, highest;
	uint32_t rc6_hz;		/* at which the residency counts */
	bool context_info;		/* RC6_CTX_INFO is there */
};

/* GMCH_CTL: sizes of the GGTT and of stolen memory. */
struct gmch_layout {
	uint16_t ggms_mask, gms_mask;
	uint8_t ggms_mb[4];		/* memory of the GGTT's entries by GGMS; 0: no such value */
	bool small_steps;		/* GMS from f0h on counts 4 MB; else it counts 32 MB */
};

/* What of a render context's image the model keeps where, in dwords from the image's register state on. */
struct image_layout {
	unsigned int registers;		/* MI_LOAD_REGISTER_IMM of what the pipeline owns */
	unsigned int queue;		/* thread groups that have not run (cs/pipeline.c) */
	unsigned int packets;		/* the pipelines' state (cs/draw_state.c) */
	unsigned int size;
};

/* A PHY of the display: the register that tells its power, and its bit in DISPLAY_PHY_POWER. */
struct display_phy {
	uint32_t status;
	uint8_t power_bit;
};

/*
 * What tells one GPU from another: data, and tables of operations that the units below platform/
 * call. A unit asks for nothing else: not for a name, an id or a generation.
 */
struct platform {
	const char *name;		/* "kbl"; the parts in the register database */
	uint16_t device_id;
	uint8_t revision;
	const struct engine_info *engines;
	unsigned int num_engines;
	const struct rps_range *rps;
	const struct display_phy *phys;	/* for block_phy_init(), ends with an empty one */
	bool no_llc;			/* CPU and GPU share no cache (mem/tlb.c) */
	bool bios_rc6;			/* the firmware makes room for RC6's context in stolen memory and says so */
	uint32_t timestamp_hz;		/* 12,000,000 on Gen9 */
	uint32_t bar0_size;		/* registers, and from ggtt_offset on the entries of the GGTT */
	uint32_t ggtt_offset;
	const struct igen_cmd_set *commands;	/* what the command streamers parse */
	const struct eu_platform *eu;		/* programs of the execution units; NULL: none is executed */
	const struct submission *submission;	/* how work gets to an engine */
	const struct image_layout *image;	/* of a render context */
	const struct page_tables *tables;	/* the GGTT's entries and per-process tables */
	const struct fault_ops *faults;		/* registers that tell of a page fault */
	const struct gmch_layout *gmch;
	unsigned int fences;
	bool blitter_checks;			/* a user batch's registers, whatever bcs_checks_registers says */
	bool post_sync_lri_privileged;		/* a PIPE_CONTROL that writes a register is a NOOP in a user's batch */
	bool stores_global;			/* what a user's batch stores goes through the GGTT, by that setting */
	const struct igen_reg_domain *legacy_forcewake;	/* instead of the database's; NULL: there is one kind alone */
	const uint8_t *pcode_commands;		/* that the mailbox knows; ends with 0 */
	uint32_t arb_mode_swizzle;		/* in ARB_MODE_GEN6: engines swizzle; 0: memory never does */
	bool inherits;				/* the setting "inherit" has something to leave (mem/inherit.c) */
	const struct irq_ops *irq;		/* how an engine's event gets to the CPU */
	const struct igen_reg_set *registers;	/* what they store, and the power domains that they need */
	/* Each claims registers, when the device is made; ends with NULL. */
	void (*const *register_blocks)(struct gpu *gpu);
};

/*
 * config.c. Every key of --set KEY=VALUE and of a configuration file ("KEY = VALUE" lines, #
 * comments) is a row of one table with type, range, default and help; an unknown key or a bad value
 * is an error that names it. Faults are keys too (faults.c): "3" is the third occurrence, 0 is
 * never; "rcs0:3" the third of that engine; "3+10" the third and every tenth after it.
 */
enum fault {
	FAULT_HANG, FAULT_SPIN, FAULT_SEMAPHORE, FAULT_NO_PREEMPT, FAULT_PAGE_FAULT,
	FAULT_LOST_IRQ, FAULT_LOST_CSB, FAULT_LATE_CSB, FAULT_CSB_ORDER,
	FAULT_FORCEWAKE, FAULT_FORCEWAKE_DEAD,
	FAULT_RESET, FAULT_TLB, FAULT_OFF_BUS, FAULT_DIE,
	NUM_FAULTS
};

#define FAULT_ANY_UNIT	~0u

/*
 * faults.c: what is wrong with a board as long as it has power, by the setting "fault". With "fault=guest" the guest
 * chooses by the number (bus/pci.c).
 */
enum board_fault {
	BOARD_SOUND, BOARD_FUSES, BOARD_FORCEWAKE, BOARD_REGISTERS, BOARD_BAR, BOARD_CONFIG, BOARD_GGTT_SIZE,
	BOARD_STOLEN, BOARD_SCANOUT, BOARD_RESET, BOARD_GGTT_WRITES, BOARD_DMA, BOARD_ENGINE, BOARD_CSB, BOARD_MSI,
	NUM_BOARD_FAULTS,
	BOARD_GUEST = NUM_BOARD_FAULTS	/* of the setting alone: sound until the guest chooses */
};

/* The setting "coherency": what becomes of memory that the CPU caches and the GPU does not snoop. */
enum coherency_mode { COHERENCY_OFF, COHERENCY_CHECK, COHERENCY_STALE };

struct fault_at {
	unsigned int unit;		/* enum engine_id, or a forcewake domain; FAULT_ANY_UNIT */
	unsigned int nth;		/* 0: never */
	unsigned int every;		/* 0: once */
};

struct fault_seen {
	uint64_t occurrences;
	unsigned int logged;
};

struct config {
	const char *platform;
	unsigned int device_id;
	unsigned int revision;
	unsigned int ggms_mb;		/* size of the GGTT's memory; 0: the platform's least */
	unsigned int stolen_mb;
	unsigned int aperture_mb;
	unsigned int command_delay_ns;	/* slowdown: per command executed */
	unsigned int group_ns;		/* time of a thread group */
	bool execute;			/* threads execute their programs */
	unsigned int workers;		/* 0: the command streamer waits for each walker */
	unsigned int batch_delay_us;	/* slowdown: per batch started */
	bool clock;			/* "virtual": time does not pass by itself */
	bool sync;			/* writes that give an engine work return when it is idle again */
	unsigned int sync_limit_ms;	/* how long such a write waits at most */
	bool strict;			/* an unknown opcode or a short command stops the engine (default on) */
	bool validate;			/* what the manuals forbid is counted (default on) */
	unsigned int validate_log;	/* kinds of findings that are logged */
	bool inherit;			/* the device was used before the driver */
	bool d3_forgets;		/* registers are lost in D3hot */
	bool aperture_checks;		/* the aperture is not used behind unflushed writes of GGTT entries */
	bool rc6_forgets;		/* and in RC6, which has no power context */
	unsigned int latency_us;	/* how long acknowledgments take */
	unsigned int posted_us;		/* how long writes to BAR 0 are on their way */
	bool forcewake;			/* "strict": an access without it does nothing */
	bool ring_checks;		/* mistakes with rings are counted */
	unsigned int prefetch_lines;	/* of 64 bytes that a batch's parser reads ahead */
	/* What is believed of UHPTR; engine/uhptr.c has the sources. */
	bool uhptr_selfclear;		/* hardware clears the valid bit when it has jumped, or gets there by itself */
	bool uhptr_ignore;		/* it never jumps */
	unsigned int uhptr_late;	/* which check after the request jumps */
	bool uhptr_stale;		/* BB_PREEMPT_ADDR keeps what it had when no batch was left */
	bool swizzle;			/* memory has two channels of the same size */
	bool legacy_forcewake;		/* firmware has not chosen masked requests, where there are both */
	bool image_checks;		/* context images that change while the context runs are counted */
	unsigned int coherency;		/* enum coherency_mode */
	/* What silicon is believed to do; cs/privilege.c has the sources. */
	bool bcs_checks_registers;
	bool video_checks_registers;
	bool bcs_checks_ggtt;
	bool index_privileged;
	bool arb_privileged;
	bool predicate_confined;
	bool ppgtt_read_only;
	bool stores_global;
	unsigned int late_csb_us;	/* how late FAULT_LATE_CSB or _CSB_ORDER makes an event or its entry */
	struct fault_at fault[NUM_FAULTS];
	unsigned int board_fault;	/* enum board_fault */
};

/* faults.c: of forcewake, as keys name them. */
#define NUM_DOMAINS	3
extern const char *const fault_domains[NUM_DOMAINS];

/*
 * faults.c. Something that a fault may happen to: does it, now? gpu->lock held.
 */
bool fault_hits(struct gpu *gpu, enum fault fault, unsigned int unit, const char *what);

/* faults.c: the names of board faults, as the setting has them, up to BOARD_GUEST. */
extern const char *const board_faults[NUM_BOARD_FAULTS + 1];
void board_choose(struct gpu *gpu, enum board_fault fault);
/* Has the board this fault? Any thread. */
static inline bool board_has(struct gpu *gpu, enum board_fault fault);

/* counters.c. Named counters for the JSON dump; thread-safe; names are created at first use. */
void count(const char *group, const char *name, uint64_t n);	/* "commands", "MI_NOOP", 1 */
/* distribution.c: a figure of which each matters; "preemption_ns", "rcs0". Thread-safe. */
void sample(const char *what, const char *name, uint64_t value);
/*
 * The counter itself, for paths that count often: look it up once, then add with a relaxed atomic.
 */
_Atomic uint64_t *counter_get(const char *group, const char *name);
/* The part of it that an engine's thread alone adds to, with counter_add(). */
_Atomic uint64_t *counter_own(const char *group, const char *name, enum engine_id id);
static inline void counter_add(_Atomic uint64_t *own, uint64_t n)
{
	atomic_store_explicit(own, atomic_load_explicit(own, memory_order_relaxed) + n, memory_order_relaxed);
}

void count_mmio(uint32_t offset, bool write, bool implemented);
int counters_dump(const char *path);

/* log.c. A place in the source that logs; log.c's lock guards what changes. */
struct log_site {
	const char *file;
	unsigned int line;
	bool known;			/* is in log.c's list */
	struct log_site *next;
	unsigned int tokens;		/* lines that it may write at once */
	uint64_t refilled_ns;		/* when the last token came */
	uint64_t left_out;		/* lines since the last one that was written */
};

void model_log_at(struct log_site *site, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line for the user; each place in the source writes a bounded number of them. */
#define model_log(...) do {						\
		static struct log_site site_ = { .file = __FILE__, .line = __LINE__ }; \
		model_log_at(&site_, __VA_ARGS__);			\
	} while (0)
void model_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* One line of --trace; cheap when that is off. */
extern bool trace_enabled;
void trace_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define trace(...)	do { if (trace_enabled) trace_line(__VA_ARGS__); } while (0)

/* counters.c */
int counters_write(FILE *out);
void counters_reset(void);
uint64_t counter_value(const char *group, const char *name);
unsigned int counters_names(const char *group);
extern const char *counters_platform;

/* distribution.c */
void distributions_to_counters(void);
void distributions_reset(void);

/* log.c */
int log_open(const char *path);
int trace_open(const char *path);
void log_close(void);

/* clock.c */
void clock_start(struct gpu *gpu);

/* The GT clock: ticks of platform->timestamp_hz since start. */
uint64_t gpu_timestamp(struct gpu *gpu);
uint64_t now_ns(void);
/* The host's time, whatever the setting "clock" says. */
uint64_t host_ns(void);
/* With "clock=virtual" time passes, or comes to a moment; false without. */
bool clock_pass(uint64_t ns);
bool clock_reach(uint64_t ns);
/* The CPU has accessed a register. */
void clock_access(void);

/*
 * latency.c: what a register write brings about after latency_us, or at once without that. gpu->lock held for all.
 */
#define EVENTS	64			/* that wait at a time; a power of two */

struct event {
	uint64_t due_ns;
	void (*happen)(struct gpu *gpu, void *opaque, uint32_t arg);
	void *opaque;
	uint32_t arg;
};

struct events {
	struct event event[EVENTS];
	unsigned int first, end;	/* numbers that grow; end - first events wait */
};

void event_after_latency(struct gpu *gpu, void (*happen)(struct gpu *gpu, void *opaque, uint32_t arg),
			 void *opaque, uint32_t arg);
/* Runs the events that are due. Not for an engine's thread. */
void events_happen(struct gpu *gpu);
/* Drops all events that wait, so that none of them happens. */
void events_forget(struct gpu *gpu);

struct gpu {
	const struct platform *platform;
	struct config config;
	pthread_mutex_t lock;
	struct engine *engine[NUM_ENGINES];	/* engine.c */
	uint32_t busy_engines;			/* a bit for each that is not idle; lock */
	struct pci *pci;			/* pci.c */
	struct posted *posted;			/* bus/posted.c; NULL: writes arrive at once */
	void (*raise_msi)(struct gpu *gpu);	/* pci.c: msi_raise() */
	void (*rc6_forgets)(struct gpu *gpu);	/* engine/reset.c: registers are lost; lock */
	struct transport *transport;
	struct gmem *gmem;
	struct gtt *gtt;
	struct coherency *coherency;		/* mem/coherency.c; NULL: there are no caches */
	struct coherency_state *instructions;	/* mem/coherency_plugin.c; NULL: there is no plugin */
	struct mmio *mmio;
	struct irq *irq;			/* regs/irq.c */
	struct gt *gt;				/* regs/gt.c and its neighbours */
	const char *counters_path;
	const char *registers_path;		/* of snapshots, NULL: none are made */
	_Atomic uint64_t snapshots;		/* asked for so far */
	uint64_t start_ns;			/* of the GT clock */
	struct fault_seen fault_seen[NUM_FAULTS];	/* faults.c; lock */
	struct events events;			/* latency.c; lock */
	_Atomic uint64_t cpu_writes;		/* to registers; lock */
	_Atomic bool off_bus;			/* changed under the lock */
	_Atomic bool asleep;			/* in D3hot; pci.c, its lock */
	_Atomic unsigned int board;		/* enum board_fault; faults.c */
};

static inline bool board_has(struct gpu *gpu, enum board_fault fault)
{
	return atomic_load_explicit(&gpu->board, memory_order_relaxed) == fault;
}

#endif
