/* SPDX-License-Identifier: MIT */
/**
 * DOC: Requests
 *
 * A request is one submission: a dma_fence, space in a ring and a place in the scheduler. igen_request.c tells how one
 * is made.
 */
#ifndef _IGEN_REQUEST_H_
#define _IGEN_REQUEST_H_

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/kref.h>
#include <linux/rbtree.h>

#include "../engine/igen_lrc.h"
#include "../platform/igen_ops.h"
#include "igen_context.h"

#define IGEN_PRIORITY_NORMAL	0
#define IGEN_PRIORITY_MAX	1024		/* heartbeats and barriers */

/* In fence.flags: a wait has raised the clock (igen_governor.c). Set with the fence's lock held, before it signals. */
#define IGEN_REQUEST_BOOSTED	DMA_FENCE_FLAG_USER_BITS
/* In fence.flags: the request is on the list of a walk that raises priorities (igen_inherit.c). */
#define IGEN_REQUEST_WANTED	(DMA_FENCE_FLAG_USER_BITS + 1)

/**
 * struct igen_request - one submission
 *
 * Lifetimes: the engine lives as long as the device. @lrc and @context are valid until the request is retired, that is,
 * while the timeline's mutex is held and the request is on the timeline, or while the request has not completed. Both
 * are freed after an RCU grace period. So code that has found a request incomplete under group->lock may use them until
 * the unlock.
 */
struct igen_request {
	/** @fence: signals when the engine has written the seqno */
	struct dma_fence fence;
	/** @fence_lock: the fence's lock */
	spinlock_t fence_lock;
	/** @group: the engines that may run the request; freed with the device, which a fence does not keep */
	struct igen_engine_group *group;
	/** @engine: the engine that runs the request; under group->lock once committed, since a queued one may move */
	struct igen_engine *engine;
	/** @info: the platform's description of the request's first engine; lives as long as the module */
	const struct igen_engine_info *info;
	/** @lrc: the LRC with the request's timeline */
	struct igen_lrc *lrc;
	/** @context: the context of @lrc, for bans and reset statistics */
	struct igen_context *context;
	/** @timeline: a copy of the context's name, since the fence may outlive the context */
	char timeline[IGEN_CONTEXT_NAME];
	/** @pid: the process that made the context; a copy, since a request on a port may outlive the context */
	pid_t pid;
	/** @driver: the context is the driver's own, not a client's; a copy for the same reason */
	bool driver;
	/** @hwsp_seqno: where the engine writes the seqno; after retirement the fence's own seqno; RCU */
	const u32 *hwsp_seqno;
	/** @head: ring offset of the request's first byte */
	u32 head;
	/**
	 * @infix: ring offset behind the commands that run in any case: the semaphore and, once the request can't be
	 * cancelled, the relocations that userspace counts on. The user's batch comes next
	 */
	u32 infix;
	/**
	 * @postfix: ring offset of the breadcrumb (flush, seqno, interrupt). igen_request_skip() blanks the ring from
	 * @infix to here
	 */
	u32 postfix;
	/** @tail: ring offset behind the request's last byte; igen_emit_ops.resubmit_dw dwords follow */
	u32 tail;
	/** @reserved: bytes of ring space that igen_request_emit() may still take; under the timeline's mutex */
	u32 reserved;
	/**
	 * @priority: raised by igen_inherit.c only; written under group->lock and lrc->timeline.lock, read under either
	 */
	int priority;
	/**
	 * @followers: requests of the same group that wait for this one's end and have not been told (igen_inherit.c)
	 */
	atomic_t followers;
	/** @follower_priority: the highest priority of its followers, or INT_MIN; atomic */
	int follower_priority;
	/** @client: the context's client, with a reference, or NULL; constant */
	struct igen_client *client;
	/** @share: the client's share of the engine that it was queued on last, or NULL before; under group->lock */
	struct igen_share *share;
	/** @queue_node: in @share while @queued; under group->lock */
	struct rb_node queue_node;
	/** @lrc_link: in lrc->queued while @queued; under group->lock */
	struct list_head lrc_link;
	/** @age: its number among the engine's requests, by when it was queued or raised; under group->lock */
	u64 age;
	/** @start: where it began in the turns of @share and the shares above, when it was taken; under group->lock */
	u64 start[IGEN_SHARE_LEVELS];
	/** @use_noted: when its use of the engine was noted last (igen_debt.c), in jiffies; under group->lock */
	unsigned long use_noted;
	/** @cost: ticks that these pay for it in advance; under group->lock */
	u32 cost;
	/** @pending: waits that are not over, and one until igen_request_add() */
	atomic_t pending;
	/**
	 * @waits: the request's waits (struct igen_wait); under the timeline's mutex, and lrc->timeline.lock once it is
	 * committed
	 */
	struct list_head waits;
	/** @awaited: tree of @waits by fence context, with the latest wait of each; used until the commit */
	struct rb_root awaited;
	/**
	 * @budget: the budget that the request's memory is charged to, or NULL for the driver's own (mm/igen_budget.h)
	 */
	struct igen_budget *budget;
	/** @semaphore: the one of @waits that the engine does itself, or NULL (igen_semaphore.c) */
	struct igen_wait *semaphore;
	/** @semaphore_place: where the seqno of that wait arrives, or NULL; constant once committed; RCU */
	const u32 *semaphore_place;
	/** @semaphore_seqno: the seqno of that wait */
	u32 semaphore_seqno;
	/** @wanted_priority: the highest priority that a walk has asked for, or INT_MIN; atomic */
	int wanted_priority;
	/** @link: in lrc->held or engine->inflight, which hold a reference; under group->lock */
	struct list_head link;
	/** @run_link: in engine->inflight_runs, or empty; under group->lock */
	struct list_head run_link;
	/** @timeline_link: in lrc->timeline.requests, or empty; under the timeline's mutex and lrc->timeline.lock */
	struct list_head timeline_link;
	/** @inherit_link: on the list of the walk that has set IGEN_REQUEST_WANTED, and owned by that walk */
	struct list_head inherit_link;
	/** @signal_link: in group->signalers while @signal_listed, with a reference; under group->irq_lock */
	struct list_head signal_link;
	/** @emitted_jiffies: when the request was committed; for throttling */
	unsigned long emitted_jiffies;
	/** @batch_start: address of the batch, for error reports: in the PPGTT, or in the GGTT if @privileged */
	u64 batch_start;
	/** @original: PPGTT address of the client's batch if a copy is at @batch_start, or 0; for error reports */
	u64 original;
	/** @privileged: bytes of the copy in the GGTT that runs with privilege; 0 for a batch without */
	u32 privileged;
	/** @circle_offset: bytes from @batch_start to what is @circle in the copy */
	u32 circle_offset;
	/** @circle_bytes: bytes from @circle to the jump */
	u32 circle_bytes;
	/** @circle: address of the command that the client's batch jumps back to at its end, if @circles */
	u64 circle;
	/** @circles: the client may write an end there (igen_circle.c); constant once committed */
	bool circles;
	/** @capture: objects that the client wants in an error state, or NULL; constant, freed with the request */
	struct igen_capture_list *capture;
	/** @charged: bytes beside the request that its client pays for until the request is freed */
	size_t charged;
	/** @queued: the request is in its engine's queue, which holds a reference; under group->lock */
	bool queued;
	/** @submitted: the hardware has the request; under group->lock */
	bool submitted;
	/** @started: the hardware had the request at least once; under group->lock */
	bool started;
	/** @expired: the watchdog has found that the request runs for too long; under group->lock */
	bool expired;
	/** @hung: the engine was reset for the request, which only ends; under group->lock */
	bool hung;
	/** @signal_listed: @signal_link is in group->signalers; under group->irq_lock */
	bool signal_listed;
	/** @seconds: how often the watchdog found the request running; under group->lock */
	unsigned int seconds;
	/** @exec_waits: waits of other requests that end when this one is given to the hardware; under group->lock */
	struct list_head exec_waits;
	/** @begin_waits: waits of other requests that end when the engine works on this one; under group->lock */
	struct list_head begin_waits;
	union {
		/** @rcu: frees the request */
		struct rcu_head rcu;
		/** @next_free: the next one in the client's pool, when it is there (igen_request_pool.c) */
		struct igen_request *next_free;
	};
};

static inline struct igen_request *to_igen_request(struct dma_fence *fence)
{
	return container_of(fence, struct igen_request, fence);
}

/**
 * igen_request_end - tell where the next request of the ring begins
 * @rq: a committed request that is not retired
 *
 * Some platforms have a few dwords behind a request's tail (igen_emit_ops.resubmit_dw). A context that is submitted
 * again with nothing new to run gets them, so that its tail moves.
 *
 * Return: the ring offset.
 */
static inline u32 igen_request_end(const struct igen_request *rq)
{
	return igen_ring_offset(&rq->lrc->ring, rq->tail + rq->engine->emit->resubmit_dw * sizeof(u32));
}

/* igen_request.c */
bool igen_fence_is_request(const struct dma_fence *fence);
bool igen_fence_is_request_of(const struct igen_device *igen, const struct dma_fence *fence);
int igen_request_make_room(struct igen_lrc *lrc, bool nonblock);
struct igen_request *igen_request_create(struct igen_lrc *lrc, unsigned int dwords, bool nonblock);
struct igen_request *igen_request_create_pulse(struct igen_lrc *lrc);
int igen_request_emit_batch(struct igen_request *rq, u64 address, u32 privileged);
u32 *igen_request_emit(struct igen_request *rq, unsigned int dwords);
int igen_request_charge(struct igen_request *rq, size_t bytes);
void igen_request_add(struct igen_request *rq);
void igen_request_cancel(struct igen_request *rq, int error);
struct igen_request *igen_lrc_newest(struct igen_lrc *lrc, unsigned long limit);
void igen_request_free_charges(struct igen_request *rq);
void igen_request_free_list(struct igen_request *rq);
int igen_request_module_init(void);
void igen_request_module_exit(void);

static inline struct igen_request *igen_request_get(struct igen_request *rq)
{
	dma_fence_get(&rq->fence);
	return rq;
}

static inline void igen_request_put(struct igen_request *rq)
{
	dma_fence_put(&rq->fence);
}

/**
 * igen_request_completed - ask whether a request has completed
 * @rq: a request that the caller holds a reference to
 *
 * Return: true when the engine has written the seqno, even if the fence has not signaled yet.
 * Context: any.
 */
static inline bool igen_request_completed(const struct igen_request *rq)
{
	bool completed;

	if (test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags))
		return true;

	rcu_read_lock();
	completed = (s32)(READ_ONCE(*READ_ONCE(rq->hwsp_seqno)) - lower_32_bits(rq->fence.seqno)) >= 0;
	rcu_read_unlock();
	return completed;
}

/* igen_request_pool.c */
void igen_request_pool_init(struct igen_request_pool *pool);
void igen_request_pool_drain(struct igen_request_pool *pool);
void igen_request_pool_close(struct igen_request_pool *pool);
bool igen_request_pool_put(struct igen_request *rq);
struct igen_request *igen_request_pool_get(struct igen_request_pool *pool);

/* igen_await.c */
int igen_request_await(struct igen_request *rq, struct dma_fence *fence);
int igen_request_await_execution(struct igen_request *rq, struct dma_fence *fence);
int igen_request_await_resv(struct igen_request *rq, struct dma_resv *resv, bool write);

#endif
