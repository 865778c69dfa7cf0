// SPDX-License-Identifier: MIT
/**
 * DOC: Memory of requests
 *
 * Readers of an object's reservation look at fences under RCU, so the memory of a request can serve another one only
 * after a grace period. If each request went back to its slab then, hundreds would go back at the end of each grace
 * period. Slabs would become empty, go back to the kernel's pages, and be cleared and filled again for the next
 * requests. That took an eighth of the instructions of an execbuf.
 *
 * So a client keeps the memory of some of its freed requests. ::
 *
 *	igen_request_pool_put()                       igen_request_pool_get()
 *	        |                                                 ^
 *	        v                                                 |
 *	    released --grace period begins--> resting --ends--> ready
 *
 * There is one grace period at a time for all requests that rest. The memory stays charged to the client's budget. What
 * comes when the pool is full goes back to its slab, as do requests of the driver's own.
 *
 * A pool gives back what its client does not need: some of it at the end of a grace period in which nothing was
 * released, all that is ready when the GPU has nothing to do, when a client was refused memory, or the file is closed.
 *
 * A request holds its client until it is ready. So the pool is freed with the client, when nothing rests.
 */
#include <linux/kconfig.h>

#include "igen_client.h"
#include "igen_request.h"
#include "igen_submit.h"

/*
 * So many requests of a client, some 600 KiB, serve 40 ms, a few grace periods, at 25,000 a second. KASAN finds
 * the use of a freed request only when its memory goes back to the slab.
 */
#define MOST_KEPT	(IS_ENABLED(CONFIG_KASAN) ? 0 : 1024)
/* So many are kept of a client that needs fewer. */
#define FEW_KEPT	32u

/**
 * igen_request_pool_init - a pool without requests
 * @pool: the client's, zeroed
 */
void igen_request_pool_init(struct igen_request_pool *pool)
{
	spin_lock_init(&pool->lock);
	pool->most = MOST_KEPT;
}

/**
 * igen_request_pool_drain - free the requests of a pool that may be used again
 * @pool: the pool of a client that the caller holds, or that is going
 *
 * Of those that rest now few are kept.
 *
 * Context: any.
 */
void igen_request_pool_drain(struct igen_request_pool *pool)
{
	struct igen_request *unwanted;
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	unwanted = pool->ready;
	pool->ready = NULL;
	pool->num -= pool->num_ready;
	pool->num_ready = 0;
	memset(pool->taken, 0, sizeof(pool->taken));
	spin_unlock_irqrestore(&pool->lock, flags);
	igen_request_free_list(unwanted);
}

/**
 * igen_request_pool_close - have a pool keep nothing any more
 * @pool: the pool of a client whose file is closed
 *
 * Context: any.
 */
void igen_request_pool_close(struct igen_request_pool *pool)
{
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	pool->most = 0;
	spin_unlock_irqrestore(&pool->lock, flags);
	igen_request_pool_drain(pool);
}

/* Takes out what is more than twice what the client has taken lately. pool->lock is held. */
static struct igen_request *request_pool_shrink(struct igen_request_pool *pool)
{
	unsigned int most = min(max3(2 * pool->taken[0], 2 * pool->taken[1], FEW_KEPT), pool->most);
	struct igen_request *rq, *unwanted = NULL;

	while (pool->num_ready > most) {
		rq = pool->ready;
		pool->ready = rq->next_free;
		pool->num_ready--;
		pool->num--;
		rq->next_free = unwanted;
		unwanted = rq;
	}
	return unwanted;
}

/* A grace period is over, and the next one begins if requests were released meanwhile. */
static void request_pool_rested(struct rcu_head *rcu)
{
	struct igen_request_pool *pool = container_of(rcu, struct igen_request_pool, rcu);
	struct igen_client *client = container_of(pool, struct igen_client, pool);
	struct igen_request *last = pool->resting, *unwanted = NULL;
	unsigned int num = 1;
	unsigned long flags;
	bool more;

	igen_request_free_charges(last);
	for (; last->next_free; num++) {
		last = last->next_free;
		igen_request_free_charges(last);
	}
	spin_lock_irqsave(&pool->lock, flags);
	last->next_free = pool->ready;
	pool->ready = pool->resting;
	pool->num_ready += num;
	pool->resting = pool->released;
	pool->released = NULL;
	more = pool->resting;
	if (!more)
		unwanted = request_pool_shrink(pool);
	pool->taken[0] = pool->taken[1];
	pool->taken[1] = 0;
	spin_unlock_irqrestore(&pool->lock, flags);
	if (more)
		call_rcu(&pool->rcu, request_pool_rested);
	igen_request_free_list(unwanted);
	/* The last of them may free the pool. */
	while (num--)
		igen_client_put(client);
}

/**
 * igen_request_pool_put - keep the memory of a request for its client
 * @rq: a request that nothing refers to but readers under RCU
 *
 * Return: true when the pool has it; false when it is the driver's own, or the pool is full.
 * Context: any.
 */
bool igen_request_pool_put(struct igen_request *rq)
{
	struct igen_request_pool *pool;
	bool fits, begins = false;
	unsigned long flags;

	if (!rq->client || rq->budget != rq->client->budget)
		return false;
	pool = &rq->client->pool;
	spin_lock_irqsave(&pool->lock, flags);
	fits = pool->num < pool->most;
	if (likely(fits)) {
		pool->num++;
		rq->next_free = pool->released;
		pool->released = rq;
		begins = !pool->resting;
		if (begins) {
			pool->resting = rq;
			pool->released = NULL;
		}
	}
	spin_unlock_irqrestore(&pool->lock, flags);
	/* The requests that rest hold the client, and no other than the caller has their grace period begin. */
	if (begins)
		call_rcu(&pool->rcu, request_pool_rested);
	return fits;
}

/**
 * igen_request_pool_get - take a request's memory from a pool
 * @pool: the pool of a client that the caller holds
 *
 * Return: a request that is charged to the client's budget and all of whose fields but that and its lock are stale; or
 * NULL.
 * Context: any.
 */
struct igen_request *igen_request_pool_get(struct igen_request_pool *pool)
{
	struct igen_request *rq;
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	rq = pool->ready;
	if (likely(rq)) {
		pool->ready = rq->next_free;
		pool->num_ready--;
		pool->num--;
		pool->taken[1]++;
	}
	spin_unlock_irqrestore(&pool->lock, flags);
	return rq;
}
