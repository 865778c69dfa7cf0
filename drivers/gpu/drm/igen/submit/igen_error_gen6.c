// SPDX-License-Identifier: MIT
/**
 * DOC: Errors as Gen6 and Gen7 tell them
 *
 * Each engine has a register for its first page fault, with the page's address (as stock i915 reads them).
 */
#include <igen/regs/engine.h>
#include <igen/regs/gtt.h>

#include "../igen_device.h"
#include "igen_capture.h"

#define FAULTS	3

static void gen6_capture_engine(struct igen_engine *engine, struct igen_capture_regs *regs)
{
	struct igen_device *igen = engine->igen;
	const u32 base = engine->info->base;

	regs->acthd = igen_read(igen, RING_ACTHD(base));
	regs->bbaddr = igen_read(igen, RING_BB_HEAD_L(base));
	regs->faddr = igen_read(igen, RING_DMA_FADD(base));
	regs->pp_dir = igen_read(igen, RING_PP_DIR_BASE(base));
	regs->has_pp_dir = true;
}

static void gen6_capture_gt(struct igen_device *igen, struct igen_snapshot *snap)
{
	unsigned int i;
	u32 fault;

	for (i = 0; i < FAULTS; i++) {
		fault = igen_read(igen, ENGINE_FAULT(i));
		if (fault & ENGINE_FAULT_VALID)
			snap->fault = fault;
	}
}

static u64 gen6_acthd(struct igen_engine *engine)
{
	return igen_read(engine->igen, RING_ACTHD(engine->info->base));
}

static void gen6_clear_faults(struct igen_device *igen)
{
	unsigned int i;
	u32 fault;

	for (i = 0; i < FAULTS; i++) {
		fault = igen_read(igen, ENGINE_FAULT(i));
		if (!(fault & ENGINE_FAULT_VALID))
			continue;
		drm_dbg(&igen->drm, "fault %u: 0x%08x\n", i, fault);
		igen_rmw(igen, ENGINE_FAULT(i), ENGINE_FAULT_VALID, 0);
	}
}

const struct igen_error_ops igen_error_gen6_ops = {
	.acthd = gen6_acthd,
	.clear_faults = gen6_clear_faults,
	.capture_engine = gen6_capture_engine,
	.capture_gt = gen6_capture_gt,
};
