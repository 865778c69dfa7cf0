// SPDX-License-Identifier: MIT
/**
 * DOC: TLB flushes
 *
 * Each engine has TLBs of its own, which a batch starts with emptied (the ring's flush before it asks for that). That
 * is enough to see new translations, but not for giving pages back: a sleeping or idle engine may keep an
 * old entry for as long as it likes. So before pages go, every engine's TLB is invalidated through its register,
 * and the GGTT's by the flush control (registers as stock i915 programs them; public Gen9 PRM Vol 2c). Flushes are
 * numbered, and one serves everybody who unbound before it started.
 */
#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "../igen_device.h"
#include "igen/regs/gtt.h"
#include "igen_mm.h"

/* The hardware answers within 4 ms by i915's experience. */
#define TLB_TIMEOUT_US 4000

/**
 * igen_tlb_mark - which flush will forget what was unbound until now
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

static void flush(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;
	int idx;

	/* Gone hardware knows no pages, and no more does what sleeps: waking resets it. */
	if (!drm_dev_enter(&igen->drm, &idx))
		return;
	if (!igen_rpm_get_if_awake(igen))
		goto out;
	if (igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL))
		goto out_put;

	igen_write(igen, GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
	for_each_engine(igen, id, engine)
		igen_write(igen, engine->info->tlb_inv_reg, TLB_INV_REQUEST);
	for_each_engine(igen, id, engine)
		if (igen_wait_reg(igen, engine->info->tlb_inv_reg, TLB_INV_REQUEST, 0, TLB_TIMEOUT_US, true))
			drm_err_ratelimited(&igen->drm, "%s: TLB invalidation did not finish in %u us\n",
					    engine->info->name, TLB_TIMEOUT_US);

	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
out_put:
	igen_rpm_put(igen);
out:
	drm_dev_exit(idx);
}

/**
 * igen_tlb_flush_to - makes sure that the flush of a mark is over
 * @igen: the device
 * @mark: from igen_tlb_mark(), or 0
 *
 * Returns at once when a flush since then was made for somebody else. May sleep; takes forcewake.
 */
void igen_tlb_flush_to(struct igen_device *igen, u64 mark)
{
	struct igen_tlb *tlb = &igen->mm.tlb;

	if (igen_tlb_passed(igen, mark))
		return;

	mutex_lock(&tlb->mutex);
	if (!igen_tlb_passed(igen, mark)) {
		u64 number = atomic64_inc_return(&tlb->started);

		flush(igen);
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
