// SPDX-License-Identifier: MIT
/**
 * DOC: Requests that fail
 *
 * A request that must not run, or has hung, still completes in its place: its ring commands become NOOPs, up to the
 * breadcrumb, and its fence reports an error. So whatever waits for the request goes on.
 */
#include "../igen_device.h"
#include "igen_reset.h"
#include "igen_submit.h"

/**
 * igen_request_is_skipped - ask whether a request does nothing but complete
 * @rq: the request
 *
 * Return: true when it failed before it was done.
 * Context: any.
 */
bool igen_request_is_skipped(const struct igen_request *rq)
{
	int error = READ_ONCE(rq->fence.error);

	/* A request whose wait for a foreign fence has timed out (igen_await.c) runs all the same. */
	return error && error != -ETIMEDOUT;
}

/**
 * igen_request_set_error - note the error that a request's fence will report
 * @rq: the request
 * @error: a negative error number
 *
 * A fence that has signaled, or has another error, keeps what it has.
 *
 * Context: any; group->lock held once the request was handed to the scheduler.
 */
void igen_request_set_error(struct igen_request *rq, int error)
{
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &rq->fence.flags) && !igen_request_is_skipped(rq))
		dma_fence_set_error(&rq->fence, error);
}

/**
 * igen_request_check_run - check whether a request may run
 * @rq: the request, not completed
 * @engine: the engine
 *
 * Return: 0; -EIO when the request's context is banned, when it is closed and the engine has no heartbeat to notice a
 * hang, or when it is closed and another closed context of its process has hung; -EINTR when it has run for too long.
 * Context: any.
 */
int igen_request_check_run(const struct igen_request *rq, const struct igen_engine *engine)
{
	unsigned long flags = READ_ONCE(rq->context->flags);

	if (unlikely(flags & BIT(IGEN_CONTEXT_BANNED)))
		return -EIO;
	if (unlikely(flags & BIT(IGEN_CONTEXT_CLOSED)) &&
	    (!READ_ONCE(engine->props.heartbeat_interval_ms) || igen_leftover_is_doomed(rq)))
		return -EIO;
	return unlikely(rq->expired) ? -EINTR : 0;
}

/**
 * igen_request_skip - make a request do nothing but complete
 * @rq: the request, not on the hardware, unless the engine is stopped
 * @error: the error that its fence reports
 *
 * NOOPs overwrite the request's commands from its infix to its postfix: its batch, and the driver's commands around it.
 * The waits before the infix and the breadcrumb behind the postfix stay, so the request completes in its turn.
 *
 * Context: any; group->lock held once the request was handed to the scheduler.
 */
void igen_request_skip(struct igen_request *rq, int error)
{
	igen_request_set_error(rq, error);
	igen_ring_blank(&rq->lrc->ring, rq->infix, rq->postfix);
}
