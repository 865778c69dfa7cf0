// SPDX-License-Identifier: MIT
/**
 * DOC: Context images of Gen9
 *
 * The register state lies 4 KB behind the address that the descriptor names, after the PPHWSP (KBL Vol 3, "Overall
 * Context Layout", "Ring Context"). This file writes the registers whose values the driver decides. The list of all
 * registers in the image is in igen_lrc_layout_gen9.c, the batch that a restore executes in igen_ctx_wa_gen9.c.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>

#include <igen/cmd/mi.h>
#include <igen/regs/context.h>
#include <igen/regs/engine.h>

#include "../igen_device.h"
#include "../mm/igen_vm.h"
#include "igen_lrc.h"

/*
 * All slices, and all EUs of a subslice, shall be powered while the context runs; else the hardware may gate some
 * (public Gen9 PRM Vol 2c, "R_PWR_CLK_STATE"). Where there is one slice, or a subslice has two EUs or fewer, there is
 * nothing to gate; some parts gate subslices, too (all as stock i915 has it).
 */
static u32 gen9_power_clock_state(const struct igen_device *igen)
{
	const struct igen_topology *topo = &igen->topology;
	unsigned int s, ss;
	u32 slices = hweight8(topo->slice_mask), subslices = topo->subslice_total, eus = 0, state = 0;

	for (s = 0; s < topo->max_slices; s++)
		for (ss = 0; ss < topo->max_subslices; ss++)
			eus = max_t(u32, eus, hweight8(topo->eu_mask[s][ss]));
	if (slices > 1)
		state |= PWR_CLK_ENABLE | PWR_CLK_SLICE_COUNT_ENABLE | IGEN_PREP(PWR_CLK_SLICE_COUNT_MASK, slices);
	if (igen->platform->gates_subslices && subslices > 1)
		state |= PWR_CLK_ENABLE | PWR_CLK_SUBSLICE_COUNT_ENABLE |
			 IGEN_PREP(PWR_CLK_SUBSLICE_COUNT_MASK, subslices);
	if (eus > 2)
		state |= PWR_CLK_ENABLE | IGEN_PREP(PWR_CLK_EU_MAX_MASK, (u32)topo->max_eus) |
			 IGEN_PREP(PWR_CLK_EU_MIN_MASK, (u32)topo->max_eus);
	return state;
}

static void gen9_set_switch_batch(const struct igen_engine *engine, u32 *regs)
{
	regs[CTX_BB_PER_CTX_PTR] = 0;
	regs[CTX_INDIRECT_CTX] = 0;
	regs[CTX_INDIRECT_CTX_OFFSET] = 0;
	if (engine->ctx_wa) {
		regs[CTX_INDIRECT_CTX] = lower_32_bits(igen_vma_start(engine->ctx_wa)) |
			IGEN_PREP(INDIRECT_CTX_SIZE_MASK, engine->ctx_wa_size / 64);
		regs[CTX_INDIRECT_CTX_OFFSET] =
			IGEN_PREP(INDIRECT_CTX_OFFSET_MASK, (u32)engine->igen->platform->indirect_ctx_offset);
	}
}

static void gen9_update(struct igen_lrc *lrc, u32 head, u32 tail)
{
	const struct igen_engine *engine = lrc->engine;
	u32 *regs = lrc->image.regs;

	regs[CTX_CONTEXT_CONTROL] = IGEN_MASKED_ENABLE(CTX_CTL_INHIBIT_SYN_CTX_SWITCH) |
		IGEN_MASKED_FIELD(CTX_CTL_RESTORE_INHIBIT | CTX_CTL_SAVE_INHIBIT | CTX_CTL_RS_ENABLE,
				  engine->default_state ? 0 : CTX_CTL_RESTORE_INHIBIT);

	regs[CTX_RING_HEAD] = head;
	regs[CTX_RING_TAIL] = tail;
	regs[CTX_RING_START] = lower_32_bits(igen_vma_start(lrc->ring.vma));
	regs[CTX_RING_CTL] = IGEN_PREP(RING_CTL_LENGTH_MASK, lrc->ring.size / PAGE_SIZE - 1) | RING_CTL_VALID;

	/* The engine resumes no batch. */
	regs[CTX_BB_HEAD_U] = 0;
	regs[CTX_BB_HEAD_L] = 0;
	regs[CTX_BB_STATE] = 0;
	regs[CTX_SBB_HEAD_U] = 0;
	regs[CTX_SBB_HEAD_L] = 0;
	regs[CTX_SBB_STATE] = 0;

	/*
	 * With 48-bit addresses PDP0 is the root and the others are unused (public Gen9 PRM Vol 2d, "EXECLIST
	 * CONTEXT").
	 */
	regs[CTX_PDP0_UDW] = upper_32_bits(lrc->vm->pd_dma);
	regs[CTX_PDP0_LDW] = lower_32_bits(lrc->vm->pd_dma);

	if (engine->info->class == IGEN_CLASS_RENDER)
		regs[CTX_R_PWR_CLK_STATE] = gen9_power_clock_state(engine->igen);

	gen9_set_switch_batch(engine, regs);
	lrc->image.desc |= CTX_DESC_FORCE_RESTORE;
	lrc->image.hw_tail = tail;
	lrc->image.hw_seqno = READ_ONCE(*READ_ONCE(lrc->timeline.hwsp_seqno));
}

/*
 * The page number in the GGTT is unique among contexts that are there, so it serves as the software id. The image that
 * was at this address before could still be the engine's: the first submission forces a restore.
 */
static void gen9_set_addresses(struct igen_lrc *lrc)
{
	u64 start = igen_vma_start(lrc->image.vma);

	lrc->image.desc = start | CTX_DESC_VALID | CTX_DESC_PRIVILEGE | CTX_DESC_FORCE_RESTORE |
		    IGEN_PREP(CTX_DESC_ADDRESSING_MASK, CTX_DESC_LEGACY_48B) |
		    IGEN_PREP(CTX_DESC_SW_ID_MASK, start >> PAGE_SHIFT);
	lrc->image.regs[CTX_RING_START] = lower_32_bits(igen_vma_start(lrc->ring.vma));
}

static void gen9_init(const struct igen_engine *engine, u32 *state)
{
	unsigned int length = igen_lrc_write_layout(engine, state);

	state[length] = MI_BATCH_BUFFER_END;
}

static void gen9_set_engine(struct igen_lrc *lrc)
{
	igen_lrc_write_layout(lrc->engine, lrc->image.regs);
	gen9_set_switch_batch(lrc->engine, lrc->image.regs);
	lrc->image.desc |= CTX_DESC_FORCE_RESTORE;
}

const struct igen_context_ops igen_context_gen9_ops = {
	.state_offset = LRC_STATE_OFFSET,
	.ticks_dw = CTX_TIMESTAMP,
	.engine_init = igen_ctx_wa_init,
	.init = gen9_init,
	.update = gen9_update,
	.set_addresses = gen9_set_addresses,
	.set_engine = gen9_set_engine,
};
