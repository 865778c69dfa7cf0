/* SPDX-License-Identifier: MIT */
/**
 * DOC: The snapshot of a hang
 *
 * A snapshot is taken by igen_capture() before a reset; diag/igen_error.c makes text of it.
 */
#ifndef _IGEN_CAPTURE_H_
#define _IGEN_CAPTURE_H_

#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "../mm/igen_ggtt.h"
#include "../platform/igen_ops.h"
#include "../platform/igen_platform.h"

struct igen_device;

#define IGEN_CAPTURE_REASON	64

/** struct igen_capture_bo - a copy of an object */
struct igen_capture_bo {
	/** @link: in igen_capture_engine.bos */
	struct list_head link;
	/** @name: "batch", "user", "ring", ... as decoders know them */
	const char *name;
	/** @address: in the address space that the engine sees it in */
	u64 address;
	/** @size: its bytes */
	u64 size;
	/** @pages: all of them in order, by page.lru; empty when it could not be copied */
	struct list_head pages;
	/** @missing: why it could not be, or NULL */
	const char *missing;
};

/** struct igen_capture_request - a request on a port */
struct igen_capture_request {
	/** @context: of its fence; 0: there is none */
	u64 context;
	/** @seqno: of its fence */
	u64 seqno;
	/** @pid: the process that made its context */
	pid_t pid;
	/** @priority: as submitted */
	int priority;
	/** @head: ring offset of its begin */
	u32 head;
	/** @tail: ring offset of its end */
	u32 tail;
	/** @completed: the engine is through with it */
	bool completed;
};

/** struct igen_capture_regs - an engine's registers, by the names that error states have for them */
struct igen_capture_regs {
	/** @ccid: what the engine thinks its context is */
	u32 ccid;
	/** @start: the ring: RING_START, _HEAD, _TAIL, _CTL */
	u32 start;
	/** @head: see @start */
	u32 head;
	/** @tail: see @start */
	u32 tail;
	/** @ctl: see @start */
	u32 ctl;
	/** @mode: MI_MODE */
	u32 mode;
	/** @hws: address of the status page */
	u32 hws;
	/** @acthd: where the command streamer is */
	u64 acthd;
	/** @ipeir: error identity of the instruction parser */
	u32 ipeir;
	/** @ipehr: header of the instruction that it is in */
	u32 ipehr;
	/** @esr: errors that are there */
	u32 esr;
	/** @eir: errors that were seen */
	u32 eir;
	/** @emr: errors that are not reported */
	u32 emr;
	/** @instdone: units that are idle */
	u32 instdone;
	/** @bbaddr: where in the batch it is */
	u64 bbaddr;
	/** @bb_state: and how it was started */
	u32 bb_state;
	/** @instps: state of the instruction parser */
	u32 instps;
	/** @instpm: its mode */
	u32 instpm;
	/** @faddr: address of the DMA engine's fetches */
	u64 faddr;
	/** @rc_psmi: power management */
	u32 rc_psmi;
	/** @gfx_mode: RING_MODE */
	u32 gfx_mode;
	/** @execlist_status: both halves */
	u64 execlist_status;
	/** @reset_ctl: RESET_CTL */
	u32 reset_ctl;
	/** @pdp: the page directories' roots */
	u64 pdp[4];
	/** @has_pp_dir: instead of @pdp, @execlist_status, @reset_ctl and @gfx_mode there is @pp_dir */
	bool has_pp_dir;
	/** @pp_dir: PP_DIR_BASE, where the page directory is in the GGTT */
	u32 pp_dir;
};

/** struct igen_capture_engine - one engine that had something to do */
struct igen_capture_engine {
	/** @info: its row in the platform's table, or NULL: nothing here is valid */
	const struct igen_engine_info *info;
	/** @has_request: it was in a request: @rq, @comm and what follows are valid */
	bool has_request;
	/** @hung: the driver is about to reset the engine */
	bool hung;
	/** @regs: its registers */
	struct igen_capture_regs regs;
	/** @rq: the request that it was in */
	struct igen_capture_request rq;
	/** @rq_postfix: ring offset of the driver's end of it */
	u32 rq_postfix;
	/** @batch_start: PPGTT address of its batch, or 0 */
	u64 batch_start;
	/** @given: what the hardware was given, as in struct igen_engine_state */
	struct igen_capture_request given[IGEN_MAX_GIVEN];
	/** @comm: name of the process that made the context */
	char comm[TASK_COMM_LEN];
	/** @guilty: the context's hangs before this one */
	int guilty;
	/** @active: hangs of others that it was part of */
	int active;
	/** @bos: copies of objects */
	struct list_head bos;
	/** @lost: objects that do not appear here even by name, since memory was short */
	unsigned int lost;
};

/**
 * struct igen_snapshot - the GPU as it was before a reset
 */
struct igen_snapshot {
	/** @ref: of the device, and of each reader */
	struct kref ref;
	/** @reason: why there was a reset */
	char reason[IGEN_CAPTURE_REASON];
	/** @time: of day */
	ktime_t time;
	/** @boottime: since boot */
	ktime_t boottime;
	/** @jiffies: at that time */
	unsigned long jiffies;
	/** @reset_count: resets before this one */
	unsigned int reset_count;
	/** @pgtbl_er: PGTBL_ER */
	u32 pgtbl_er;
	/** @fault: RING_FAULT_REG */
	u32 fault;
	/** @fault_data: FAULT_TLB_DATA0 and 1 */
	u32 fault_data[2];
	/** @fences: the fence registers */
	u64 fences[IGEN_NUM_FENCE_REGS];
	/** @engine: by enum igen_engine_id */
	struct igen_capture_engine engine[IGEN_NUM_ENGINES];
	/** @pages_left: how many pages more may be copied */
	unsigned int pages_left;
	/** @text: pages of text, once it was read; under the mutex of diag/igen_error.c */
	struct xarray text;
	/** @text_size: its bytes, or 0 */
	size_t text_size;
};

/** struct igen_error - the first error, until root clears it */
struct igen_error {
	/** @lock: guards @first; a leaf */
	spinlock_t lock;
	/** @first: counted, or NULL */
	struct igen_snapshot *first;
	/** @lost: there was an error, but no memory to keep any of it; under @lock */
	bool lost;
	/** @work: tells of a new @first; diag/ says what it does */
	struct work_struct work;
};

/**
 * struct igen_capture_list - the objects that a client has marked with EXEC_OBJECT_CAPTURE, to see them after a hang
 *
 * Addresses suffice: as long as the request has not completed, nothing of it is unbound.
 */
struct igen_capture_list {
	/** @count: how many */
	unsigned int count;
	/** @room: for how many it was allocated */
	unsigned int room;
	/** @address: of the objects, in the context's address space */
	u64 address[];
};

/* Bytes that a list takes of its client's budget. */
static inline size_t igen_capture_list_bytes(unsigned int room)
{
	return sizeof(struct igen_capture_list) + room * sizeof(u64);
}

void igen_capture(struct igen_device *igen, u32 hung, const char *reason);
struct igen_snapshot *igen_capture_first(struct igen_device *igen);
void igen_capture_clear(struct igen_device *igen);
void igen_snapshot_release(struct kref *ref);

static inline void igen_snapshot_put(struct igen_snapshot *snap)
{
	if (snap)
		kref_put(&snap->ref, igen_snapshot_release);
}

#endif
