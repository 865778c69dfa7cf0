// SPDX-License-Identifier: MIT
#include "igen_timeline.h"

/*
 * Where seqnos arrive: bytes from the start of the page. MI_FLUSH_DW stores to multiples of 8 (DG1 Vol 2a,
 * "MI_FLUSH_DW") at addresses whose bit 5 is 0 (as stock i915 has it, a workaround).
 */
#define SEQNO		0
#define SEQNO_WRAPPED	8

/**
 * igen_timeline_init - set up a timeline
 * @tl: the timeline
 * @page: kernel mapping of the page where seqnos arrive, all zeros, which no client's command can write
 */
void igen_timeline_init(struct igen_timeline *tl, void *page)
{
	mutex_init(&tl->mutex);
	spin_lock_init(&tl->lock);
	INIT_LIST_HEAD(&tl->requests);
	tl->fence_context = dma_fence_context_alloc(1);
	tl->page = page;
	tl->hwsp_seqno = page + SEQNO;
}

/**
 * igen_timeline_fini - end a timeline
 * @tl: the timeline, without requests
 */
void igen_timeline_fini(struct igen_timeline *tl)
{
	mutex_destroy(&tl->mutex);
}

/**
 * igen_timeline_ggtt - tell engines where seqnos arrive
 * @tl: the timeline
 * @place: its hwsp_seqno, or that of one of its requests
 *
 * Return: the address in the GGTT, valid while there are requests, or another reference than the context's.
 */
u32 igen_timeline_ggtt(const struct igen_timeline *tl, const u32 *place)
{
	return tl->page_ggtt + (u32)((const void *)place - tl->page);
}

/**
 * igen_timeline_next_seqno - give the next request its seqno
 * @tl: the timeline; its mutex is held
 *
 * An engine's semaphore compares seqnos as unsigned numbers. Seqnos after a wrap are therefore written to the other of
 * two places, which is set to 0. The first place keeps the last seqno before the wrap until the next wrap, so that
 * waits for earlier seqnos end.
 *
 * Return: the seqno, never 0.
 */
u32 igen_timeline_next_seqno(struct igen_timeline *tl)
{
	u32 *other = tl->page + SEQNO;

	lockdep_assert_held(&tl->mutex);

	if (unlikely(!++tl->seqno)) {
		if (tl->hwsp_seqno == other)
			other = tl->page + SEQNO_WRAPPED;
		WRITE_ONCE(*other, 0);
		WRITE_ONCE(tl->hwsp_seqno, other);
		tl->seqno = 1;
	}
	return tl->seqno;
}
