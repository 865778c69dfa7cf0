/* SPDX-License-Identifier: MIT */
/**
 * DOC: Internal interfaces of the ring-buffer backend
 *
 * igen_ringbuffer.c is the backend, igen_ringbuffer_emit.c writes into the rings, igen_ringbuffer_hw.c programs the
 * engines, igen_uhptr.c preempts, igen_circle.c stops batches that run in a circle.
 */
#ifndef _IGEN_RINGBUFFER_H_
#define _IGEN_RINGBUFFER_H_

#include <linux/workqueue.h>

#include "../igen_device.h"
#include "igen_submit.h"

/* Entries of a ring. */
#define IGEN_RING_ENTRIES	4

/* Requests among them: what is in the ring cannot be taken back, so there is the running one and the next. */
#define IGEN_RING_REQUESTS	2

#define IGEN_RING_NOWHERE	U32_MAX

/**
 * struct igen_lrc_ringbuffer - what the backend knows of a context; under group->lock
 */
struct igen_lrc_ringbuffer {
	/** @given: the context was given to the engine, which has not confirmed that it has left it */
	bool given;
	/** @left_serial: of the entry of the ring for which the engine leaves the context, if that is in the ring */
	u32 left_serial;
	/** @resume: address in a batch at which the engine was preempted, or 0 */
	u32 resume;
	/** @resume_seqno: seqno of the batch's request; @resume is of no use to any other */
	u32 resume_seqno;
};

/** struct igen_ring_entry - what the driver has written into a ring in one piece */
struct igen_ring_entry {
	/** @rq: the request, counted, and its LRC with it; NULL: the engine saves its context and has none then */
	struct igen_request *rq;
	/** @serial: the engine writes this to igen_ringbuffer.begun when it has come to the entry */
	u32 serial;
	/** @check: ring offset behind its first MI_ARB_CHECK, or IGEN_RING_NOWHERE */
	u32 check;
	/** @check_again: behind the one in front of a batch that is resumed, or IGEN_RING_NOWHERE */
	u32 check_again;
	/** @batch: behind the jump into the batch */
	u32 batch;
	/** @end: ring offset behind it */
	u32 end;
	/** @owner: igen_ringbuffer.owner in front of it */
	u64 owner;
	/** @arrival: the engine comes here when it is preempted; @rq is NULL */
	bool arrival;
};

/**
 * struct igen_ringbuffer - the backend's state for an engine, under group->lock
 */
struct igen_ringbuffer {
	/** @engine: whose backend this is */
	struct igen_engine *engine;
	/** @ops: how its contexts are changed; constant */
	const struct igen_switch_ops *ops;
	/** @page: a page that the engine writes and no batch can, in the GGTT; constant */
	struct igen_vma *page;
	/** @told: @page's content */
	struct igen_ring_page *told;
	/** @rest: the image that the engine has while it has no context's; NULL where there are no images; constant */
	struct igen_vma *rest;
	/** @entry: what is in the ring, oldest first */
	struct igen_ring_entry entry[IGEN_RING_ENTRIES];
	/** @count: how many of @entry are used */
	unsigned int count;
	/** @serial: of the entry that was written last */
	u32 serial;
	/** @lrc: the context that the engine has once it is through with the ring, or NULL; not counted */
	struct igen_lrc *lrc;
	/**
	 * @owner: number of the client whose threads may have left something in the execution units' registers, once
	 * the engine is through with the ring; 0: of several, or not known
	 */
	u64 owner;
	/** @generation: of the page directory that the engine has then */
	u32 generation;
	/** @since_ns: up to when its time was counted */
	u64 since_ns;
	/** @last_end: the engine's clock at the end of the entry before the first one; 0: not known */
	u32 last_end;
	/** @shown: how much of the first entry's time was told before its end, in ticks */
	u32 shown;
	/** @since: when it came to the first entry, in jiffies */
	unsigned long since;
	/** @moves: how often it has come to a context, as far as the driver knows */
	unsigned int moves;
	/** @blocked: nothing may be written: reset or parking */
	bool blocked;
	/** @armed: the engine was asked to go on at the arrival in @entry as soon as it can */
	bool armed;
	/** @misread: where the engine was preempted makes no sense */
	bool misread;
	/** @look_work: looks at the queue when a debt ends */
	struct delayed_work look_work;
	/** @circle_work: looks at batches that run in a circle (igen_circle.c) */
	struct delayed_work circle_work;
	/** @circle_looks: how often since the last such batch came into the ring; written without a lock, too */
	unsigned int circle_looks;
};

static inline struct igen_ringbuffer *to_ringbuffer(struct igen_engine *engine)
{
	return engine->backend;
}

static inline struct igen_lrc_ringbuffer *to_lrc_ringbuffer(struct igen_lrc *lrc)
{
	return (struct igen_lrc_ringbuffer *)lrc->backend;
}

/* Writing into the ring (igen_ringbuffer_emit.c): with group->lock held. */

bool igen_ringbuffer_emit_request(struct igen_ringbuffer *rb, struct igen_request *rq, struct igen_ring_entry *entry);
bool igen_ringbuffer_emit_rest(struct igen_ringbuffer *rb, struct igen_ring_entry *entry);
bool igen_ringbuffer_emit_arrival(struct igen_ringbuffer *rb, struct igen_ring_entry *entry, u32 *place);
void igen_ringbuffer_write_tail(struct igen_ringbuffer *rb);

/* The ring's entries (igen_ringbuffer.c): with group->lock held. */

void igen_ringbuffer_note_time(struct igen_ringbuffer *rb, struct igen_request *rq);
void igen_ringbuffer_push(struct igen_ringbuffer *rb, const struct igen_ring_entry *entry);
void igen_ringbuffer_put_entry(struct igen_ring_entry *entry);

/* Preemption (igen_uhptr.c): with group->lock held. */

bool igen_uhptr_wants(struct igen_ringbuffer *rb, const struct igen_request *rq);
bool igen_uhptr_begin(struct igen_ringbuffer *rb, u32 *place);
void igen_uhptr_settle(struct igen_ringbuffer *rb);
bool igen_uhptr_possible(const struct igen_request *rq, u32 batch);

static inline bool igen_request_is_preempted(const struct igen_request *rq)
{
	return to_lrc_ringbuffer(rq->lrc)->resume && to_lrc_ringbuffer(rq->lrc)->resume_seqno == (u32)rq->fence.seqno;
}

/* Batches that run in a circle (igen_circle.c). */

void igen_circle_init(struct igen_ringbuffer *rb);
void igen_circle_watch(struct igen_ringbuffer *rb);

/* The engine's registers (igen_ringbuffer_hw.c). */

int igen_ringbuffer_resume(struct igen_engine *engine);
int igen_ringbuffer_tlb_flush(struct igen_engine *engine);

#endif
