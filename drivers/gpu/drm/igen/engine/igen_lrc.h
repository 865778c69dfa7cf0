/* SPDX-License-Identifier: MIT */
/**
 * DOC: Logical ring contexts
 *
 * One engine's share of a context: the image that the hardware saves to and restores from, the ring that the driver
 * writes requests into, and the timeline that orders them. Image and ring are pinned in the GGTT
 * while there is work for it, and afterwards until somebody else needs the room (submit/igen_let_go.c). They stay in
 * memory, and mapped for the CPU, as long as the LRC lives.
 */
#ifndef _IGEN_LRC_H_
#define _IGEN_LRC_H_

#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/mutex.h>

#include "igen_engine.h"

struct igen_vm;

/* The ring's tail stays a cache line behind the head: equal means empty. */
#define IGEN_RING_GAP	64

/**
 * struct igen_lrc - one engine's share of a context
 */
struct igen_lrc {
	/** @ref: its context holds it */
	struct kref ref;
	/** @group: the engines where it may run */
	struct igen_engine_group *group;
	/** @engine: where it runs; under group->lock if it is balanced, for what siblings have in common READ_ONCE */
	struct igen_engine *engine;
	/** @siblings: between which engines it may move, bits of enum igen_engine_id; 0: it stays; constant */
	u32 siblings;
	/** @ports: how many of its engine's ports it is on, or on the way to; under group->lock */
	unsigned int ports;
	/** @context: whose it is; not counted, the context holds the LRC; NULL while the default state is made */
	struct igen_context *context;
	/** @vm: its address space, counted */
	struct igen_vm *vm;
	/** @image: PPHWSP and register state in the GGTT */
	struct igen_vma *image;
	/** @pphwsp: kernel mapping of the image's first page */
	void *pphwsp;
	/** @regs: kernel mapping of the register state */
	u32 *regs;
	/** @ring: the ring in the GGTT */
	struct igen_vma *ring;
	/** @ring_vaddr: kernel mapping of it */
	void *ring_vaddr;
	/** @pinned: image and ring are in the GGTT, and stay where they are; under @timeline_mutex */
	bool pinned;
	/** @ring_size: bytes, a power of two */
	u32 ring_size;
	/** @ring_tail: where the next request is written; under @timeline_mutex */
	u32 ring_tail;
	/**
	 * @ring_head: what is before it has been executed, as last seen; under @timeline_mutex. While it is not @pinned
	 * the ring looks full, so that whoever has room need not ask
	 */
	u32 ring_head;
	/** @desc: context descriptor for the ELSP; its software id is the image's page number; under group->lock */
	u64 desc;
	/** @hw_tail: ring tail that the hardware was given last; under group->lock */
	u32 hw_tail;
	/** @hw_seqno: of the request that ends there; under group->lock */
	u32 hw_seqno;
	/** @stale: the image is not where its requests are: the next one that starts begins anew; under group->lock */
	bool stale;
	/** @spoilt: of what is stale, the rest of the state is not to be believed either; under group->lock */
	bool spoilt;
	/** @timeline_mutex: held from request creation to commit: ring, seqno and order */
	struct mutex timeline_mutex;
	/** @fence_context: dma-fence context of its requests */
	u64 fence_context;
	/** @seqno: of the last request; under @timeline_mutex */
	u32 seqno;
	/** @hwsp_seqno: where the engine writes the seqno of the last completed request; another place after a wrap */
	u32 *hwsp_seqno;
	/** @hwsp_ggtt: GGTT address of the same, while it is @pinned; under @timeline_mutex */
	u32 hwsp_ggtt;
	/** @requests_lock: guards the order of @requests, and what these wait for, against walks across timelines */
	spinlock_t requests_lock;
	/**
	 * @requests: not yet retired, oldest first; changes with @timeline_mutex and @requests_lock held; while not
	 * empty the context is held
	 */
	struct list_head requests;
	/** @last: the last request committed and not retired, or NULL; RCU */
	struct dma_fence __rcu *last;
	/** @held: requests committed but not queued, since one of them waits; oldest first; under group->lock */
	struct list_head held;
	/** @active_link: in group->active_lrcs while @requests is not empty */
	struct list_head active_link;
	/** @pin_link: in group->pinned_lrcs while it is @pinned and its client's context holds it */
	struct list_head pin_link;
	/** @runtime: ticks that the engine worked on it, as the image has told so far; under group->lock */
	u64 runtime;
	/** @runtime_mark: the image's count at that time; under group->lock */
	u32 runtime_mark;
	/** @request_ticks: what a request of it takes on the average, 0 if none is known to; under group->lock */
	u32 request_ticks;
	/** @ticks_mark: @runtime when that was looked at last; under group->lock */
	u64 ticks_mark;
	/** @seqno_mark: likewise the last request that had completed */
	u32 seqno_mark;
	/** @release_work: the memory goes after an RCU grace period, where one may sleep */
	struct rcu_work release_work;
};

/* Frees what was found to be without a reference where one can't sleep; one a module. */
extern struct workqueue_struct *igen_release_wq;

void igen_release_drain(void);
int igen_lrc_module_init(void);
void igen_lrc_module_exit(void);

struct igen_lrc *igen_lrc_create(struct igen_engine *engine, struct igen_context *context,
				 struct igen_vm *vm, u32 ring_size);
u32 igen_lrc_next_seqno(struct igen_lrc *lrc);
u32 igen_lrc_seqno_ggtt(const struct igen_lrc *lrc, const u32 *place);
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

/* igen_ctx_wa.c */
int igen_ctx_wa_init(struct igen_engine *engine);
void igen_ctx_wa_fini(struct igen_engine *engine);

/* igen_null_state.c */
u32 *igen_null_state_create(const struct igen_engine *engine, unsigned int *dwords);

/* igen_lrc_layout.c: the register state as the manual's tables have it */
unsigned int igen_lrc_write_layout(const struct igen_engine *engine, u32 *regs);

#endif
