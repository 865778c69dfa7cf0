// SPDX-License-Identifier: MIT
/**
 * DOC: Errors as Gen8 and Gen9 tell them
 *
 * One register has the first page fault of all engines (public Gen9 PRM Vol 2c, "FAULT_REG"). Addresses are in two
 * registers each.
 */
#include <igen/regs/engine.h>
#include <igen/regs/gtt.h>

#include "../igen_device.h"
#include "igen_capture.h"

static u64 error_read_halves(struct igen_device *igen, u32 low, u32 high)
{
	return igen_read(igen, low) | (u64)igen_read(igen, high) << 32;
}

static void gen8_capture_engine(struct igen_engine *engine, struct igen_capture_regs *regs)
{
	struct igen_device *igen = engine->igen;
	const u32 base = engine->info->base;
	unsigned int i;

	regs->acthd = error_read_halves(igen, RING_ACTHD(base), RING_ACTHD_UDW(base));
	regs->bbaddr = error_read_halves(igen, RING_BB_HEAD_L(base), RING_BB_HEAD_U(base));
	regs->faddr = error_read_halves(igen, RING_DMA_FADD(base), RING_DMA_FADD_UDW(base));
	regs->gfx_mode = igen_read(igen, RING_MODE(base));
	regs->execlist_status = error_read_halves(igen, RING_EXECLIST_STATUS_LO(base), RING_EXECLIST_STATUS_HI(base));
	regs->reset_ctl = igen_read(igen, RING_RESET_CTL(base));
	for (i = 0; i < ARRAY_SIZE(regs->pdp); i++)
		regs->pdp[i] = error_read_halves(igen, RING_PDP_LDW(base, i), RING_PDP_UDW(base, i));
}

static void gen8_capture_gt(struct igen_device *igen, struct igen_snapshot *snap)
{
	snap->fault = igen_read(igen, RING_FAULT_REG);
	snap->fault_data[0] = igen_read(igen, FAULT_TLB_DATA0);
	snap->fault_data[1] = igen_read(igen, FAULT_TLB_DATA1);
}

static u64 gen8_acthd(struct igen_engine *engine)
{
	u32 base = engine->info->base;

	return error_read_halves(engine->igen, RING_ACTHD(base), RING_ACTHD_UDW(base));
}

static void gen8_clear_faults(struct igen_device *igen)
{
	u32 fault = igen_read(igen, RING_FAULT_REG);

	if (!(fault & RING_FAULT_VALID))
		return;
	drm_dbg(&igen->drm, "fault 0x%08x, data 0x%08x %08x\n", fault, igen_read(igen, FAULT_TLB_DATA1),
		igen_read(igen, FAULT_TLB_DATA0));
	igen_rmw(igen, RING_FAULT_REG, RING_FAULT_VALID, 0);
}

const struct igen_error_ops igen_error_gen8_ops = {
	.acthd = gen8_acthd,
	.clear_faults = gen8_clear_faults,
	.capture_engine = gen8_capture_engine,
	.capture_gt = gen8_capture_gt,
};
