/* SPDX-License-Identifier: MIT */
/**
 * DOC: Engines
 *
 * An engine is a command streamer with its status page, its default context image, its scheduler queue and
 * its submission backend's state. Engines of one class are siblings: a context may be balanced over them, and its
 * queued requests may move from one to the other. So siblings are a group with one lock for all their queues and one
 * list of the requests that are waited for. A request keeps its group for good, but its engine only until it moves.
 */
#ifndef _IGEN_ENGINE_H_
#define _IGEN_ENGINE_H_

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../platform/igen_platform.h"
#include "igen_ring.h"
#include "igen_share.h"

struct igen_context;
struct igen_device;
struct igen_emit_ops;
struct igen_lrc;
struct igen_request;
struct igen_vma;

/** struct igen_engine_props - sysfs tunables, milliseconds, 0 is off */
struct igen_engine_props {
	/** @heartbeat_interval_ms: between heartbeats */
	unsigned int heartbeat_interval_ms;
	/** @preempt_timeout_ms: to reach an arbitration point */
	unsigned int preempt_timeout_ms;
	/** @timeslice_duration_ms: between equals */
	unsigned int timeslice_duration_ms;
	/** @stop_timeout_ms: to stop before a reset */
	unsigned int stop_timeout_ms;
	/** @max_busywait_duration_ns: for which a wait for a running request spins before it sleeps; 0: never */
	unsigned int max_busywait_duration_ns;
};

/** enum igen_engine_failure - bits of igen_engine.failures */
enum igen_engine_failure {
	/** @IGEN_ENGINE_COMMAND_ERROR: the engine has reported a command error; the running request is to blame */
	IGEN_ENGINE_COMMAND_ERROR,
	/** @IGEN_ENGINE_LOST_TRACK: the driver does not know what it runs; no request is guilty */
	IGEN_ENGINE_LOST_TRACK,
	/** @IGEN_ENGINE_OVERDUE: the running request has had all the time that it may have */
	IGEN_ENGINE_OVERDUE,
};

/* Engines of one class: video has two on Gen8 and Gen9. */
#define IGEN_MAX_SIBLINGS	2

/**
 * struct igen_engine_group - the engines of one class
 */
struct igen_engine_group {
	/** @igen: the device */
	struct igen_device *igen;
	/** @lock: guards queues, requests in flight and the backend's state of all its engines; irq-safe */
	spinlock_t lock;
	/** @engine: the engines, @num_engines of them; constant once the device is probed */
	struct igen_engine *engine[IGEN_MAX_SIBLINGS];
	/** @num_engines: how many */
	unsigned int num_engines;
	/** @balanced: LRCs that may move between its engines; under @lock */
	unsigned int balanced;
	/** @begins_awaited: requests with something in begin_waits; under @lock */
	unsigned int begins_awaited;
	/** @ready: LRCs whose requests in lrc->held may run, for @ready_work; lock-less */
	struct llist_head ready;
	/** @ready_work: queues those requests (submit/igen_scheduler.c) */
	struct work_struct ready_work;
	/** @lrcs_lock: guards @active_lrcs and @pinned_lrcs; a leaf */
	spinlock_t lrcs_lock;
	/** @active_lrcs: those with requests that are not retired, less those that are just being retired */
	struct list_head active_lrcs;
	/** @pinned_lrcs: clients' LRCs in the GGTT, roughly by when they were last used */
	struct list_head pinned_lrcs;
	/** @irq_lock: guards the interrupt masks and @signalers; inside @lock or fence locks */
	spinlock_t irq_lock;
	/** @signalers: requests that are waited for, see submit/igen_breadcrumbs.c */
	struct list_head signalers;
	/** @num_signalers: how many; under @irq_lock */
	unsigned int num_signalers;
	/** @irq_armed: the user interrupts are unmasked */
	bool irq_armed;
	/** @irq_kept: they have to be, since the backend goes by them; under @irq_lock */
	bool irq_kept;
};

/* Bytes of igen_engine.eu_clear in front of the commands. */
#define IGEN_EU_CLEAR_START	4096

/**
 * struct igen_engine - one command streamer
 */
struct igen_engine {
	/** @igen: the device */
	struct igen_device *igen;
	/** @group: the engines of its class, whose lock guards most of what follows */
	struct igen_engine_group *group;
	/** @info: its row in the platform's table */
	const struct igen_engine_info *info;
	/** @emit: what is written into its rings, the same for all engines of its class; constant */
	const struct igen_emit_ops *emit;
	/** @props: tunables; READ_ONCE */
	struct igen_engine_props props;
	/** @hwsp: its hardware status page, pinned in the GGTT */
	struct igen_vma *hwsp;
	/** @hwsp_vaddr: kernel mapping of it */
	u32 *hwsp_vaddr;
	/**
	 * @ring: its only ring, if the backend copies requests (igen_submit_ops.copies_requests); under group->lock
	 */
	struct igen_ring ring;
	/** @queue: the root of the tree of requests ready to run (submit/igen_queue.c); under group->lock */
	struct igen_share queue;
	/** @own: requests that belong to no client; below @queue */
	struct igen_share own;
	/** @movable: balanced LRCs with queued requests, by their first request; under group->lock */
	struct rb_root_cached movable;
	/** @queued_lrcs: LRCs with queued requests; under group->lock */
	unsigned int queued_lrcs;
	/** @age: of the request that was queued last; under group->lock */
	u64 age;
	/** @inflight: requests given to the hardware, oldest first; under group->lock */
	struct list_head inflight;
	/**
	 * @inflight_runs: in @inflight, requests of one context follow each other in runs: the last of each run, oldest
	 * run first; under group->lock
	 */
	struct list_head inflight_runs;
	/** @runtime: ticks that it worked on contexts, as their images have told so far; under group->lock */
	u64 runtime;
	/** @busy_shown: nanoseconds as last told, which never decrease; under group->lock */
	u64 busy_shown;
	/** @backend: private to the submission backend */
	void *backend;
	/** @arm_work: looks at the requests that are waited for once more when the user interrupt has been unmasked */
	struct irq_work arm_work;
	/** @exec_waits: waits for requests that have started or begun by now, for @exec_work; under group->lock */
	struct list_head exec_waits;
	/** @exec_work: ends them, outside of the lock */
	struct irq_work exec_work;
	/** @signal_work: signals what an interrupt has left over (submit/igen_breadcrumbs.c) */
	struct work_struct signal_work;
	/** @ctx_wa: the batch that runs at each context switch, in the GGTT, or NULL */
	struct igen_vma *ctx_wa;
	/** @ctx_wa_size: its bytes, a multiple of 64 */
	u32 ctx_wa_size;
	/** @heartbeat: looks after the engine while it has work (submit/igen_heartbeat.c) */
	struct delayed_work heartbeat;
	/** @failures: why @fail_work was queued, bits of enum igen_engine_failure; atomic */
	unsigned long failures;
	/** @fail_work: resets the engine, which can't go on, or makes it yield */
	struct work_struct fail_work;
	/** @pulse: the heartbeat's request under way, counted, or NULL; under @heartbeat_mutex */
	struct igen_request *pulse;
	/** @pulse_patience: beats that it has left to complete; under @heartbeat_mutex */
	unsigned int pulse_patience;
	/** @pulse_urgent: it is to end something, whatever the interval becomes; under @heartbeat_mutex */
	bool pulse_urgent;
	/** @pulse_due: when the time of an urgent pulse is over, in jiffies; under @heartbeat_mutex */
	unsigned long pulse_due;
	/** @pulse_late: an urgent pulse has got its time once more, since the beat came late; under @heartbeat_mutex */
	bool pulse_late;
	/** @pulse_resets: @resets when its patience began; under @heartbeat_mutex */
	unsigned int pulse_resets;
	/** @resets: how often it was reset; changes under reset_mutex and group->lock */
	unsigned int resets;
	/** @completed: clients' requests that the scheduler has seen complete; written under group->lock */
	unsigned int completed;
	/** @suspect: alone to blame in the reset under way, or NULL: whatever runs; under reset_mutex */
	const struct igen_suspect *suspect;
	/** @innocent_context: fence context of the last suspect that was found innocent; under reset_mutex */
	u64 innocent_context;
	/** @innocent_seqno: that suspect's seqno; under reset_mutex */
	u64 innocent_seqno;
	/** @times_innocent: how often in a row that suspect was found innocent; under reset_mutex */
	unsigned int times_innocent;
	/** @csb_mismatch: idle, but EXECLIST_STATUS disagrees with the last CSB event; owned by the retire worker */
	bool csb_mismatch;
	/** @csb_mismatch_moves: igen_engine_state.moves when @csb_mismatch was set; owned by the retire worker */
	unsigned int csb_mismatch_moves;
	/** @heartbeat_mutex: guards @pulse */
	struct mutex heartbeat_mutex;
	/** @kernel_context: the driver's own context for this engine */
	struct igen_context *kernel_context;
	/**
	 * @eu_clear: pages of the driver's own address space whose commands, behind the first IGEN_EU_CLEAR_START
	 * bytes, clear the registers of the execution units and shared local memory; NULL where that is not done;
	 * constant
	 */
	struct igen_vma *eu_clear;
	/** @default_state: register state that a new context starts from, or NULL before it was recorded */
	void *default_state;
};

/* igen_engine.c */
void igen_engines_probe(struct igen_device *igen);
int igen_engines_init(struct igen_device *igen);
int igen_engines_resume(struct igen_device *igen);
int igen_engine_resume(struct igen_engine *engine);
void igen_gt_resume(struct igen_device *igen);
void igen_engines_fini(struct igen_device *igen);
struct igen_engine *igen_engine_lookup(struct igen_device *igen, u16 class, u16 instance);

/* igen_hw_reset.c */
int igen_reset_hardware(struct igen_device *igen, u32 domains);
int igen_engine_stop(struct igen_engine *engine);

/* igen_irq.c */
void igen_irq_init(struct igen_device *igen);
void igen_irq_quiesce_group(struct igen_device *igen, u32 isr);
void igen_irq_user(struct igen_engine *engine, bool open);
void igen_irq_user_arrived(struct igen_engine *engine);
void igen_irq_semaphore(struct igen_engine *engine, bool open);
void igen_irq_engine_resume(struct igen_engine *engine);
void igen_irq_restore(struct igen_device *igen);
int igen_irq_install(struct igen_device *igen);
void igen_irq_uninstall(struct igen_device *igen);
void igen_irq_enable(struct igen_device *igen);
void igen_irq_disable(struct igen_device *igen);

#endif
