/* SPDX-License-Identifier: MIT */
/**
 * DOC: Logical ring contexts
 *
 * One engine's share of a context: the image that the hardware saves to and restores from, the ring that the driver
 * writes requests into, and the timeline that orders them. Image and ring are pinned in the GGTT
 * while there is work for it, and afterwards until the GGTT needs the room (submit/igen_evict_contexts.c). They stay
 * in memory, and mapped for the CPU, as long as the LRC lives.
 */
#ifndef _IGEN_LRC_H_
#define _IGEN_LRC_H_

#include <linux/kref.h>

#include "igen_engine.h"
#include "igen_ring.h"
#include "igen_timeline.h"

struct igen_vm;

/**
 * struct igen_lrc_image - the memory that the hardware saves a context to
 */
struct igen_lrc_image {
	/**
	 * @vma: status page and state, as far as the engine has them, and, last, the page where seqnos arrive, in the
	 * GGTT
	 */
	struct igen_vma *vma;
	/** @vaddr: kernel mapping of it; the status page is its first page */
	void *vaddr;
	/** @regs: kernel mapping of the state; NULL on engines without images */
	u32 *regs;
	/** @ticks: counts the time of the engine on the context: in @regs, or igen_lrc.ticks */
	const u32 *ticks;
	/** @desc: context descriptor for the ELSP; its software id is the image's page number; under group->lock */
	u64 desc;
	/** @hw_tail: ring tail that the hardware was given last; under group->lock */
	u32 hw_tail;
	/** @hw_seqno: of the request that ends there; under group->lock */
	u32 hw_seqno;
};

/**
 * struct igen_lrc - one engine's share of a context
 */
struct igen_lrc {
	/** @ref: its context holds it */
	struct kref ref;
	/** @group: the engines where it may run */
	struct igen_engine_group *group;
	/**
	 * @engine: where it runs. If it is balanced under group->lock; READ_ONCE() suffices to get at properties that
	 * siblings have in common
	 */
	struct igen_engine *engine;
	/** @siblings: between which engines it may move, bits of enum igen_engine_id; 0: it stays; constant */
	u32 siblings;
	/** @context: its context; not counted, the context holds the LRC; NULL while the default state is made */
	struct igen_context *context;
	/** @vm: its address space, counted */
	struct igen_vm *vm;
	/** @timeline: its requests, and their order */
	struct igen_timeline timeline;
	/** @ring: where the requests' commands are */
	struct igen_ring ring;
	/** @image: where the hardware saves its state */
	struct igen_lrc_image image;
	/** @stale: the image is not where its requests are: the next one that starts begins anew; under group->lock */
	bool stale;
	/** @state_lost: with @stale: the image's other registers are wrong too and get defaults; under group->lock */
	bool state_lost;
	/** @ticks: what the backend counts where no image does; see igen_context_ops.ticks_dw; under group->lock */
	u32 ticks;
	/** @pinned: what the engine needs of it is in the GGTT, and stays where it is; under @timeline.mutex */
	bool pinned;
	/** @held: requests committed but not queued, since one of them waits; oldest first; under group->lock */
	struct list_head held;
	/** @ready_link: in group->ready while @ready_listed */
	struct llist_node ready_link;
	/** @ready_listed: group->ready has the LRC, with a reference; atomic */
	bool ready_listed;
	/** @queued: requests in the engine's queue, which hold the LRC, oldest first; under group->lock */
	struct list_head queued;
	/** @movable_node: in engine->movable while it is balanced and @queued is not empty; under group->lock */
	struct rb_node movable_node;
	/** @movable_rank: rank of the first of @queued, as of the last look; under group->lock */
	int movable_rank;
	/** @movable_age: age of the same */
	u64 movable_age;
	/** @active_link: in group->active_lrcs while @timeline.requests is not empty */
	struct list_head active_link;
	/** @pin_link: in group->pinned_lrcs while it is @pinned and its client's context holds it */
	struct list_head pin_link;
	/** @runtime: ticks that the engine worked on it, as the image has told so far; under group->lock */
	u64 runtime;
	/** @runtime_mark: the image's count at that time; under group->lock */
	u32 runtime_mark;
	/** @request_ticks: what a request of it takes on the average, 0 if none is known to; under group->lock */
	u32 request_ticks;
	/** @ticks_mark: @runtime when @request_ticks was updated last; under group->lock */
	u64 ticks_mark;
	/** @seqno_mark: seqno of the last completed request when @request_ticks was updated last; under group->lock */
	u32 seqno_mark;
	/** @paid_ticks: what its client has paid for time that is not in @settled_ticks; under group->lock */
	u64 paid_ticks;
	/** @settled_ticks: @runtime when its client paid last; under group->lock */
	u64 settled_ticks;
	/** @polls: its last two visits to the engine ended at the same wait of @polled_seqno; under group->lock */
	bool polls;
	/** @polled_seqno: the request in which the engine has come to wait for a semaphore last; under group->lock */
	u32 polled_seqno;
	/** @polled_at: where in its batch: the lower half of ACTHD; under group->lock */
	u32 polled_at;
	/** @polled_progress: how far its process was by then (igen_share.progress); under group->lock */
	u32 polled_progress;
	/** @polled_visit: the backend's number of that visit; under group->lock */
	unsigned int polled_visit;
	/** @release_work: the memory goes after an RCU grace period, where one may sleep */
	struct rcu_work release_work;
	/** @backend: igen_submit_ops.lrc_bytes for the backend, zeroed at first; under group->lock */
	u64 backend[];
};

/* Frees what was found to be without a reference where one can't sleep; one a module. */
extern struct workqueue_struct *igen_release_wq;

void igen_release_drain(void);
int igen_lrc_module_init(void);
void igen_lrc_module_exit(void);

struct igen_lrc *igen_lrc_create(struct igen_engine *engine, struct igen_context *context,
				 struct igen_vm *vm, u32 ring_size);
void igen_lrc_release(struct kref *ref);
void igen_lrc_track(struct igen_lrc *lrc);
void igen_lrc_untrack(struct igen_lrc *lrc);
int igen_lrc_pin(struct igen_lrc *lrc);
bool igen_lrc_unpin(struct igen_lrc *lrc);
void igen_lrc_reset(struct igen_lrc *lrc, u32 head, bool clean);
void igen_lrc_discard(struct igen_lrc *lrc, bool clean);
void igen_lrc_balance(struct igen_lrc *lrc, u32 siblings);
void igen_lrc_set_engine(struct igen_lrc *lrc, struct igen_engine *engine);
int igen_lrc_record_default(struct igen_lrc *lrc);
void igen_lrc_note_runtime(struct igen_lrc *lrc);
bool igen_lrc_has_left(struct igen_lrc *lrc);

static inline struct igen_lrc *igen_lrc_get(struct igen_lrc *lrc)
{
	kref_get(&lrc->ref);
	return lrc;
}

/* Any context. */
static inline void igen_lrc_put(struct igen_lrc *lrc)
{
	if (lrc)
		kref_put(&lrc->ref, igen_lrc_release);
}

/* igen_ctx_wa_gen9.c */
int igen_ctx_wa_init(struct igen_engine *engine);
void igen_ctx_wa_fini(struct igen_engine *engine);

/* igen_eu_clear.c */
int igen_eu_clear_create(struct igen_engine *engine);
void igen_eu_clear_destroy(struct igen_engine *engine);
bool igen_eu_clear_is_on(void);

/* igen_null_state.c */
u32 *igen_null_state_create(const struct igen_engine *engine, unsigned int *dwords);

/* igen_lrc_layout_gen9.c */
unsigned int igen_lrc_write_layout(const struct igen_engine *engine, u32 *regs);

#endif
