// SPDX-License-Identifier: MIT
/**
 * DOC: What a healthy Gen9 answers
 *
 * Offsets of the engines' registers are in KBL Vol 3 ("BCS Power Context Image" and its neighbours), their fields in
 * the public Gen9 PRM Vol 2c and 2d, "Command Reference: Registers". Some values follow from what the driver has
 * written in the step before. Then the row shows that the write has arrived. A mask leaves out what firmware, the part
 * or its revision may choose.
 */
#include <igen/regs/engine.h>
#include <igen/regs/gt.h>
#include <igen/regs/gtt.h>
#include <igen/regs/irq.h>

#include "igen_expect.h"

#define PWR	"KBL Vol 3, power contexts; "
#define VOL2C	"public Gen9 PRM Vol 2c, "
#define VOL2D	"public Gen9 PRM Vol 2d, "

#define VALUE(mask__, value__)	.mask = (mask__), .min = (value__), .max = (value__)
const struct igen_expect igen_expect_gen9[] = {
	/* The wells are held awake while these are read. */
	{ .step = "registers", .name = "FORCEWAKE_ACK_RENDER", .reg = FORCEWAKE_ACK_RENDER,
	  VALUE(FORCEWAKE_KERNEL, FORCEWAKE_KERNEL), .wrong = "the render well sleeps although it is held",
	  .source = VOL2C "FORCEWAKE_ACK_RENDER" },
	{ .step = "registers", .name = "FORCEWAKE_ACK_MEDIA", .reg = FORCEWAKE_ACK_MEDIA,
	  VALUE(FORCEWAKE_KERNEL, FORCEWAKE_KERNEL), .wrong = "the media well sleeps although it is held",
	  .source = VOL2C "FORCEWAKE_ACK_MEDIA" },
	{ .step = "registers", .name = "FORCEWAKE_ACK_GT", .reg = FORCEWAKE_ACK_GT,
	  VALUE(FORCEWAKE_KERNEL, FORCEWAKE_KERNEL), .wrong = "the GT well sleeps although it is held",
	  .source = VOL2C "FORCEWAKE_ACK_GT" },
	{ .step = "registers", .name = "GDRST", .reg = GDRST, VALUE(0xff, 0),
	  .wrong = "a reset of a driver before this one has not finished", .source = VOL2C "GDRST" },
	{ .step = "registers", .name = "RING_FAULT_REG", .reg = RING_FAULT_REG, .note = true,
	  VALUE(RING_FAULT_VALID, 0), .wrong = "an access of a driver before this one found no page",
	  .source = VOL2C "RING_FAULT_REG" },
	{ .step = "registers", .name = "EXECLIST_STATUS", .reg = RING_EXECLIST_STATUS_LO(0), .relative = true,
	  .note = true, VALUE(EXECLIST_STATUS_ACTIVE_MASK, 0),
	  .wrong = "an engine still runs a context of a driver before this one",
	  .source = PWR VOL2C "EXECLIST_STATUS" },

	{ .step = "reset", .name = "GDRST", .reg = GDRST, VALUE(0xff, 0), .wrong = "the reset does not finish",
	  .source = VOL2C "GDRST" },
	{ .step = "reset", .name = "RING_HEAD", .reg = RING_HEAD(0), .relative = true, VALUE(RING_HEAD_MASK, 0),
	  .wrong = "the reset has not reached the engine", .source = PWR VOL2C "RING_BUFFER_HEAD" },
	{ .step = "reset", .name = "RING_TAIL", .reg = RING_TAIL(0), .relative = true, VALUE(RING_TAIL_MASK, 0),
	  .wrong = "the reset has not reached the engine", .source = PWR VOL2C "RING_BUFFER_TAIL" },
	{ .step = "reset", .name = "RING_CTL", .reg = RING_CTL(0), .relative = true, VALUE(RING_CTL_VALID, 0),
	  .wrong = "the ring is enabled after a reset", .source = PWR VOL2C "RING_BUFFER_CTL" },
	{ .step = "reset", .name = "EXECLIST_STATUS", .reg = RING_EXECLIST_STATUS_LO(0), .relative = true,
	  VALUE(EXECLIST_STATUS_ACTIVE_MASK, 0), .wrong = "a context runs after a reset",
	  .source = PWR VOL2C "EXECLIST_STATUS" },
	{ .step = "reset", .name = "RESET_CTL", .reg = RING_RESET_CTL(0), .relative = true,
	  VALUE(RESET_CTL_REQUEST_RESET | RESET_CTL_CAT_ERROR, 0),
	  .wrong = "the engine still waits for its reset, or has an error",
	  .source = VOL2C "RESET_CTL" },

	{ .step = "power", .name = "RC6_CTX_INFO", .reg = RC6_CTX_INFO, .note = true, .mask = ~0u, .min = 1, .max = ~0u,
	  .wrong = "firmware has given RC6 no memory: igen does not use it", .source = "stock i915" },

	{ .step = "GGTT", .name = "GAMW_ECO_DEV_RW_IA", .reg = GAMW_ECO_DEV_RW_IA,
	  VALUE(GAMW_ECO_ENABLE_64K_IPS_MASK, GAMW_ECO_ENABLE_64K_IPS_MASK), .wrong = "pages of 64 KB stay off",
	  .source = "stock i915" },

	{ .step = "interrupts", .name = "MASTER_INTERRUPT", .reg = MASTER_IRQ,
	  VALUE(MASTER_IRQ_ENABLE, MASTER_IRQ_ENABLE), .wrong = "interrupts stay off",
	  .source = VOL2C "Interrupt Registers" },
	{ .step = "interrupts", .name = "PCU_IMR", .reg = PCU_IMR, VALUE(~0u, ~0u),
	  .wrong = "the power control unit may interrupt, which igen does not handle",
	  .source = VOL2C "Interrupt Registers" },

	{ .step = "start", .name = "GFX_MODE", .reg = RING_MODE(0), .relative = true,
	  VALUE(GFX_MODE_EXECLIST_ENABLE, GFX_MODE_EXECLIST_ENABLE), .wrong = "execlists stay off",
	  .source = PWR VOL2C "GFX_MODE" },
	{ .step = "start", .name = "MI_MODE", .reg = RING_MI_MODE(0), .relative = true,
	  VALUE(MI_MODE_STOP_RING | MI_MODE_IDLE, MI_MODE_IDLE), .wrong = "the engine is stopped or busy",
	  .source = VOL2C "MI_MODE" },
	{ .step = "start", .name = "HWSTAM", .reg = RING_HWSTAM(0), .relative = true, VALUE(~0u, ~0u),
	  .wrong = "the engine writes interrupt status to its page unasked", .source = VOL2C "HWSTAM" },
	{ .step = "start", .name = "EIR", .reg = RING_EIR(0), .relative = true, VALUE(0xffff, 0),
	  .wrong = "the engine has an error before its first command", .source = VOL2C "EIR" },
	{ .step = "start", .name = "EMR", .reg = RING_EMR(0), .relative = true, .note = true,
	  VALUE(EIR_INSTRUCTION_ERROR, 0), .wrong = "invalid instructions are not reported", .source = VOL2C "EMR" },
	{ .step = "start", .name = "CTXT_ST_PTR", .reg = RING_CTX_STATUS_PTR(0), .relative = true,
	  VALUE(CTX_STATUS_PTR_WRITE_MASK, GEN9_CSB_RESET_PTR), .wrong = "an event came before a context was given",
	  .source = PWR VOL2D "Context Status" },

	{ .step = "contexts", .name = "RING_FAULT_REG", .reg = RING_FAULT_REG, VALUE(RING_FAULT_VALID, 0),
	  .wrong = "an access of an engine found no page", .source = VOL2C "RING_FAULT_REG" },
	{ .step = "contexts", .name = "EIR", .reg = RING_EIR(0), .relative = true, VALUE(0xffff, 0),
	  .wrong = "the engine has met an error", .source = VOL2C "EIR" },
	{ .step = "contexts", .name = "EXECLIST_STATUS", .reg = RING_EXECLIST_STATUS_LO(0), .relative = true,
	  VALUE(EXECLIST_STATUS_ACTIVE_MASK, 0), .wrong = "the engine has not become idle",
	  .source = VOL2C "EXECLIST_STATUS" },
	{}
};

/* Public KBL PRM Vol 4, "Device Attributes": slices of up to three subslices; subslice 3 is on no part. */
#define SLICES(least__, most__) \
	{ .step = "fuses", .name = "FUSE2, slices", .reg = FUSE2, .mask = FUSE2_SLICE_ENABLE_MASK, \
	  .min = IGEN_PREP(FUSE2_SLICE_ENABLE_MASK, least__), .max = IGEN_PREP(FUSE2_SLICE_ENABLE_MASK, most__), \
	  .wrong = "the fuses do not enable the slices of this part", \
	  .source = VOL2C "FUSE2; public KBL PRM Vol 4, Device Attributes" }, \
	{ .step = "fuses", .name = "FUSE2, subslices", .reg = FUSE2, .mask = FUSE2_SUBSLICE_DISABLE_MASK, .min = 0, \
	  .max = IGEN_PREP(FUSE2_SUBSLICE_DISABLE_MASK, 0xeu), .wrong = "the fuses enable no subslice", \
	  .source = VOL2C "FUSE2" }

/* The clock of the timestamps, by its shift of the crystal's, and the greatest clock. */
#define CLOCKS(shift__, hz__, cap__, source__) \
	{ .step = "registers", .name = "CTC_MODE", .reg = CTC_MODE, .note = true, \
	  VALUE(CTC_SOURCE_CRYSTAL | CTC_SHIFT_MASK, IGEN_PREP(CTC_SHIFT_MASK, shift__)), \
	  .wrong = "timestamps do not tick at " hz__, .source = VOL2C "CTC_MODE" }, \
	{ .step = "power", .name = #cap__, .reg = cap__, .note = true, .mask = cap__##_RP0_MASK, \
	  .min = IGEN_PREP(cap__##_RP0_MASK, 1u), .max = cap__##_RP0_MASK, \
	  .wrong = "the part does not tell its clock: igen leaves it alone", .source = (source__) }

const struct igen_expect igen_expect_gen9_gt2[] = {
	SLICES(1u, 1u),
	CLOCKS(2u, "12 MHz", RP_STATE_CAP, VOL2C "RP_STATE_CAP"),
	{}
};

const struct igen_expect igen_expect_gen9_gt3[] = {
	SLICES(3u, 7u),
	CLOCKS(2u, "12 MHz", RP_STATE_CAP, VOL2C "RP_STATE_CAP"),
	{}
};

const struct igen_expect igen_expect_gen9lp[] = {
	SLICES(1u, 1u),
	CLOCKS(3u, "19.2 MHz", RP_STATE_CAP_LP, "stock i915"),
	{}
};
