// SPDX-License-Identifier: MIT
/**
 * DOC: What a healthy Gen6 or Gen7 answers
 *
 * No manual at hand has these registers: offsets and fields are those that stock i915 uses.
 */
#include <igen/regs/engine.h>
#include <igen/regs/gt.h>
#include <igen/regs/gtt.h>
#include <igen/regs/irq.h>

#include "igen_expect.h"

#define SOURCE			.source = "stock i915"
#define VALUE(mask__, value__)	.mask = (mask__), .min = (value__), .max = (value__)

const struct igen_expect igen_expect_gen6[] = {
	{ .step = "registers", .name = "GT_THREAD_STATUS", .reg = GT_THREAD_STATUS,
	  VALUE(GT_THREAD_STATUS_CORE_MASK, 0),
	  .wrong = "threads of the GT well sleep although it is held", SOURCE },
	{ .step = "registers", .name = "GDRST", .reg = GDRST, VALUE(0xf, 0),
	  .wrong = "a reset of a driver before this one has not finished", SOURCE },
	{ .step = "registers", .name = "GTFIFODBG", .reg = GTFIFODBG, .note = true, VALUE(0xf, 0),
	  .wrong = "a driver before this one has lost writes to registers", SOURCE },

	{ .step = "reset", .name = "GDRST", .reg = GDRST, VALUE(0xf, 0), .wrong = "the reset does not finish", SOURCE },
	{ .step = "reset", .name = "RING_HEAD", .reg = RING_HEAD(0), .relative = true, VALUE(RING_HEAD_MASK, 0),
	  .wrong = "the reset has not reached the engine", SOURCE },
	{ .step = "reset", .name = "RING_TAIL", .reg = RING_TAIL(0), .relative = true, VALUE(RING_TAIL_MASK, 0),
	  .wrong = "the reset has not reached the engine", SOURCE },
	{ .step = "reset", .name = "RING_CTL", .reg = RING_CTL(0), .relative = true, VALUE(RING_CTL_VALID, 0),
	  .wrong = "the ring is enabled after a reset", SOURCE },

	{ .step = "power", .name = "RP_STATE_CAP", .reg = RP_STATE_CAP, .note = true, .mask = RP_STATE_CAP_RP0_MASK,
	  .min = IGEN_PREP(RP_STATE_CAP_RP0_MASK, 1u), .max = RP_STATE_CAP_RP0_MASK,
	  .wrong = "the part does not tell its clock: igen leaves it alone", SOURCE },

	{ .step = "interrupts", .name = "DEIER", .reg = DEIER, VALUE(~0u, DE_MASTER_IRQ_CONTROL),
	  .wrong = "interrupts stay off, or the display's are on", SOURCE },
	{ .step = "interrupts", .name = "PMIER", .reg = PMIER, VALUE(~0u, 0),
	  .wrong = "power management may interrupt, which igen does not handle", SOURCE },

	{ .step = "start", .name = "RING_CTL", .reg = RING_CTL(0), .relative = true,
	  VALUE(RING_CTL_VALID, RING_CTL_VALID),
	  .wrong = "the engine does not take its ring", SOURCE },
	{ .step = "start", .name = "MI_MODE", .reg = RING_MI_MODE(0), .relative = true,
	  VALUE(MI_MODE_STOP_RING | MI_MODE_IDLE, MI_MODE_IDLE), .wrong = "the engine is stopped or busy", SOURCE },
	{ .step = "start", .name = "HWSTAM", .reg = RING_HWSTAM(0), .relative = true, VALUE(~0u, ~0u),
	  .wrong = "the engine writes interrupt status to its page unasked", SOURCE },
	{ .step = "start", .name = "EIR", .reg = RING_EIR(0), .relative = true, VALUE(0xffff, 0),
	  .wrong = "the engine has an error before its first command", SOURCE },

	{ .step = "contexts", .name = "EIR", .reg = RING_EIR(0), .relative = true, VALUE(0xffff, 0),
	  .wrong = "the engine has met an error", SOURCE },
	{ .step = "contexts", .name = "ENGINE_FAULT, render", .reg = ENGINE_FAULT(0), VALUE(ENGINE_FAULT_VALID, 0),
	  .wrong = "an access of the engine found no page", SOURCE },
	{ .step = "contexts", .name = "ENGINE_FAULT, video", .reg = ENGINE_FAULT(1), VALUE(ENGINE_FAULT_VALID, 0),
	  .wrong = "an access of the engine found no page", SOURCE },
	{ .step = "contexts", .name = "ENGINE_FAULT, blitter", .reg = ENGINE_FAULT(2), VALUE(ENGINE_FAULT_VALID, 0),
	  .wrong = "an access of the engine found no page", SOURCE },
	{ .step = "contexts", .name = "MI_MODE", .reg = RING_MI_MODE(0), .relative = true,
	  VALUE(MI_MODE_IDLE, MI_MODE_IDLE),
	  .wrong = "the engine has not become idle", SOURCE },
	{}
};

const struct igen_expect igen_expect_snb[] = {
	{ .step = "registers", .name = "FORCEWAKE_ACK", .reg = FORCEWAKE_ACK, VALUE(FORCEWAKE_KERNEL, FORCEWAKE_KERNEL),
	  .wrong = "the GT well sleeps although it is held", SOURCE },
	{ .step = "GGTT", .name = "GFX_MODE", .reg = GFX_MODE, VALUE(GFX_MODE_PPGTT_ENABLE, GFX_MODE_PPGTT_ENABLE),
	  .wrong = "page tables of contexts stay off", SOURCE },
	{}
};

const struct igen_expect igen_expect_ivb[] = {
	{ .step = "start", .name = "GFX_MODE", .reg = RING_MODE(0), .relative = true,
	  VALUE(GFX_MODE_PPGTT_ENABLE, GFX_MODE_PPGTT_ENABLE), .wrong = "page tables of contexts stay off", SOURCE },
	{}
};
