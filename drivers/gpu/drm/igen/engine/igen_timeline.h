/* SPDX-License-Identifier: MIT */
/**
 * DOC: Timelines
 *
 * A timeline orders requests: an engine executes them one after the other, and each has a seqno that is higher than
 * those before it. When a request has completed, the engine writes its seqno into the timeline's page.
 */
#ifndef _IGEN_TIMELINE_H_
#define _IGEN_TIMELINE_H_

#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

/**
 * struct igen_timeline - the order of requests
 */
struct igen_timeline {
	/** @mutex: held from a request's creation to its commit: ring, seqno and order */
	struct mutex mutex;
	/** @fence_context: dma-fence context of the requests; constant */
	u64 fence_context;
	/** @seqno: of the last request; under @mutex */
	u32 seqno;
	/** @page: kernel mapping of the page where seqnos arrive; constant */
	void *page;
	/** @page_ggtt: GGTT address of @page, while the GGTT has it; under @mutex */
	u32 page_ggtt;
	/** @hwsp_seqno: where in @page the last completed request's seqno arrives; another place after a wrap */
	u32 *hwsp_seqno;
	/** @lock: guards the order of @requests, and what these wait for, against walks across timelines */
	spinlock_t lock;
	/**
	 * @requests: not yet retired, oldest first; changes with @mutex and @lock held; while the list is not empty the
	 * context is held
	 */
	struct list_head requests;
	/** @last: the last request committed and not retired, or NULL; RCU */
	struct dma_fence __rcu *last;
};

void igen_timeline_init(struct igen_timeline *tl, void *page);
void igen_timeline_fini(struct igen_timeline *tl);
u32 igen_timeline_next_seqno(struct igen_timeline *tl);
u32 igen_timeline_ggtt(const struct igen_timeline *tl, const u32 *place);

#endif
