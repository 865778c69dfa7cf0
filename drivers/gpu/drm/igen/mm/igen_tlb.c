// SPDX-License-Identifier: MIT
/**
 * DOC: TLB flushes
 *
 * Each engine has TLBs of its own. The ring invalidates them before each batch. That is enough for a batch to see new
 * translations, but not for giving pages back: a sleeping or idle engine may keep an old entry for any time. So the
 * driver invalidates every engine's TLBs and the GGTT's (igen_gtt_ops.tlb_flush) before it frees pages. Flushes are
 * numbered. One flush serves all unbinds that came before its start.
 *
 * A flush that fails leaves entries of pages that are about to be freed. Then the driver resets the whole GPU, which
 * empties the TLBs and stops all work that could use them, and wedges it (igen_tlb.failed).
 */
#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "../igen_device.h"
#include "igen_mm.h"

/**
 * igen_tlb_mark - get the number of the flush that covers all unbinds until now
 * @igen: the device
 *
 * Call it after PTEs were cleared.
 *
 * Return: the number to give to igen_tlb_flush_to() before the pages are released.
 */
u64 igen_tlb_mark(struct igen_device *igen)
{
	/* The cleared PTEs are visible before the number of the flush that forgets them is chosen. */
	smp_mb();
	return atomic64_read(&igen->mm.tlb.started) + 1;
}

/**
 * igen_tlb_passed - the flush of a mark is over
 * @igen: the device
 * @mark: from igen_tlb_mark(), or 0
 */
bool igen_tlb_passed(struct igen_device *igen, u64 mark)
{
	return atomic64_read(&igen->mm.tlb.completed) >= mark;
}

static void tlb_flush_engines(struct igen_device *igen)
{
	int idx, err;

	/* Neither removed nor sleeping hardware has translations: waking resets it. */
	if (!drm_dev_enter(&igen->drm, &idx))
		return;
	if (!igen_rpm_get_if_awake(igen))
		goto out;
	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	if (!err) {
		err = igen->platform->gtt->tlb_flush(igen);
		igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	}
	/* Without a callback the probe has not set up submission yet, so nothing has run since its reset. */
	if (unlikely(err) && igen->mm.tlb.failed)
		igen->mm.tlb.failed(igen);
	igen_rpm_put(igen);
out:
	drm_dev_exit(idx);
}

/**
 * igen_tlb_flush_to - makes sure that the flush of a mark is over
 * @igen: the device
 * @mark: from igen_tlb_mark(), or 0
 *
 * Returns at once when there was another flush since then. May sleep; takes forcewake.
 */
void igen_tlb_flush_to(struct igen_device *igen, u64 mark)
{
	struct igen_tlb *tlb = &igen->mm.tlb;

	if (igen_tlb_passed(igen, mark))
		return;

	mutex_lock(&tlb->mutex);
	if (!igen_tlb_passed(igen, mark)) {
		u64 number = atomic64_inc_return(&tlb->started);

		tlb_flush_engines(igen);
		atomic64_set(&tlb->completed, number);
	}
	mutex_unlock(&tlb->mutex);
}

/**
 * igen_tlb_flush - forgets all that was unbound before the call
 * @igen: the device
 *
 * May sleep; takes forcewake.
 */
void igen_tlb_flush(struct igen_device *igen)
{
	igen_tlb_flush_to(igen, igen_tlb_mark(igen));
}
