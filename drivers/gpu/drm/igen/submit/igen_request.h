/* SPDX-License-Identifier: MIT */
/*
 * DOC: Requests
 *
 * One submission: a dma_fence, its space in a ring and its place in the scheduler. igen_request_create() takes the
 * timeline's mutex and ring space, the caller adds what it depends on and emits, igen_request_add() writes the
 * breadcrumb, gives it to the scheduler and drops the mutex; from then on the fence signals whatever happens.
 */
#ifndef _IGEN_REQUEST_H_
#define _IGEN_REQUEST_H_

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/irq_work.h>

#include "../engine/igen_lrc.h"

#define IGEN_PRIORITY_MIN	(-1024)		/* below every user's */
#define IGEN_PRIORITY_NORMAL	0
#define IGEN_PRIORITY_MAX	1024		/* heartbeats and barriers */

/**
 * struct igen_request - one submission
 */
struct igen_request {
	/** @fence: signals when the breadcrumb was written */
	struct dma_fence fence;
	/** @fence_lock: the fence's lock */
	spinlock_t fence_lock;
	/** @engine: where it runs */
	struct igen_engine *engine;
	/** @lrc: the timeline it belongs to, counted */
	struct igen_lrc *lrc;
	/** @context: counted, for bans and reset statistics */
	struct igen_context *context;
	/** @head: ring offset of its first byte */
	u32 head;
	/** @infix: ring offset where the user's batch starts, for reset reports */
	u32 infix;
	/** @tail: ring offset behind its last byte; what the engine gets */
	u32 tail;
	/** @priority: at submission; under engine->lock afterwards */
	int priority;
	/** @pending: fences it waits for, and one for igen_request_add() */
	atomic_t pending;
	/** @waits: one callback a fence it waits for */
	struct list_head waits;
	/** @link: in engine->queue or engine->inflight; under engine->lock */
	struct list_head link;
	/** @timeline_link: in lrc->requests; under the timeline's mutex */
	struct list_head timeline_link;
	/** @signal_link: in engine->signalers; under engine->irq_lock */
	struct list_head signal_link;
	/** @emitted_jiffies: when it was committed; for throttling */
	unsigned long emitted_jiffies;
	/** @batch_start: PPGTT address of its batch, for error reports */
	u64 batch_start;
	/** @submitted: it was given to the hardware; under engine->lock */
	bool submitted;
};

static inline struct igen_request *to_igen_request(struct dma_fence *fence)
{
	return container_of(fence, struct igen_request, fence);
}

bool igen_fence_is_request(struct dma_fence *fence);

/*
 * A request on lrc, with its mutex held and ring space for dwords plus the driver's own part. Sleeps for ring space
 * (interruptible). ERR_PTR(-ERESTARTSYS, -ENOMEM, -EIO when wedged or banned, -EWOULDBLOCK with nonblock).
 */
struct igen_request *igen_request_create(struct igen_lrc *lrc, unsigned int dwords, bool nonblock);
/* It will not start before fence has signaled. A fence of the same timeline costs nothing. -ENOMEM. */
int igen_request_await(struct igen_request *rq, struct dma_fence *fence);
/* It will not start before fence's request has been given to its engine (FENCE_SUBMIT); a foreign fence: as above. */
int igen_request_await_execution(struct igen_request *rq, struct dma_fence *fence);
/* All fences that a write (or read) of this object must wait for; object locked. */
int igen_request_await_resv(struct igen_request *rq, struct dma_resv *resv, bool write);
/* Emits flush/invalidate and the jump into the user's batch: unprivileged, in the PPGTT, unless secure. */
int igen_request_emit_batch(struct igen_request *rq, u64 address, bool secure);
/* Space for dwords (rounded up to even) in the ring, as taken by igen_request_create(). */
u32 *igen_request_emit(struct igen_request *rq, unsigned int dwords);
/*
 * Commits: breadcrumb, scheduler; drops the timeline's mutex and the creator's reference is kept: the caller puts it.
 * Cannot fail. To give up a request instead: igen_request_cancel(), which turns it into NOOPs with error and commits.
 */
void igen_request_add(struct igen_request *rq);
void igen_request_cancel(struct igen_request *rq, int error);

static inline void igen_request_put(struct igen_request *rq)
{
	dma_fence_put(&rq->fence);
}

/* The breadcrumb was written, whether or not the fence was told yet. */
bool igen_request_completed(const struct igen_request *rq);

/** struct igen_submit_ops - a submission backend */
struct igen_submit_ops {
	/** @init: allocates its state for an engine */
	int (*init)(struct igen_engine *engine);
	/** @fini: frees it; the engine is idle */
	void (*fini)(struct igen_engine *engine);
	/** @resume: programs the engine's registers for submission */
	int (*resume)(struct igen_engine *engine);
	/** @submit: engine->queue changed; engine->lock held, irqs off */
	void (*submit)(struct igen_engine *engine);
	/** @irq: the engine's 16 interrupt bits; hard interrupt */
	void (*irq)(struct igen_engine *engine, u32 bits);
	/** @reset_prepare: stops submission and the engine */
	int (*reset_prepare)(struct igen_engine *engine);
	/** @reset: after the hardware was reset: unwinds what was in flight; stalled: it hung */
	void (*reset)(struct igen_engine *engine, bool stalled);
	/** @reset_finish: submission goes on */
	void (*reset_finish)(struct igen_engine *engine);
};

extern const struct igen_submit_ops igen_execlists_ops;

/* Idle: all requests of all engines completed, or -ETIME after timeout jiffies. */
int igen_wait_for_idle(struct igen_device *igen, long timeout);
/* Engine stuck: reset it (full reset as the fallback, wedged as the last resort); guilty: context at fault. May sleep. */
int igen_engine_reset(struct igen_engine *engine, const char *reason);

#endif
