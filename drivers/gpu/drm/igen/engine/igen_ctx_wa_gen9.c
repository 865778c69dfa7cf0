// SPDX-License-Identifier: MIT
/**
 * DOC: The batch that runs at a context switch
 *
 * While the render engine loads a context it executes a batch from the GGTT that the context image points at
 * (INDIRECT_CTX; KBL Vol 3, "Ring Context"). It has no end command: the register gives its length in cache lines. It
 * flushes coherent lines out of the L3 (WaFlushCoherentL3CacheLinesAtContextSwitch; the register that has the flush do
 * so is a client's as well, so it is saved around that, in the last line of the page), clears the shared local memory,
 * which else shows the previous context's contents (WaClearSlmSpaceAtContextSwitch), writes the platform's switch
 * workarounds, and clears the two registers that any batch may write and that no image holds.
 */
#include <linux/align.h>

#include <igen/cmd/gfx.h>
#include <igen/cmd/mi.h>
#include <igen/regs/context.h>
#include <igen/regs/engine.h>
#include <igen/regs/workarounds.h>

#include "../igen_device.h"
#include "../mm/igen_vm.h"
#include "igen_lrc.h"
#include "igen_workarounds.h"

#define CACHELINE_DW	16
#define MEDIA_POOL_ENABLE	BIT(31)
#define SAVE_OFFSET	(PAGE_SIZE - 64)
/* What L3SQCREG4 is while the lines are flushed, as stock i915 writes it. */
#define L3SQCREG4_AT_FLUSH	(0x40400000u | L3SQCREG4_FLUSH_COHERENT_LINES)

static u32 *ctx_wa_move_l3sqcreg4(u32 *cs, u32 command, u32 ggtt)
{
	*cs++ = command | MI_MEM_GGTT;
	*cs++ = L3SQCREG4;
	*cs++ = ggtt;
	*cs++ = 0;
	return cs;
}

static u32 *ctx_wa_pipe_control(u32 *cs, u32 flags, u32 offset)
{
	*cs++ = PIPE_CONTROL;
	*cs++ = flags;
	*cs++ = offset;
	*cs++ = 0;
	*cs++ = 0;
	*cs++ = 0;
	return cs;
}

static u32 *ctx_wa_flush_coherent_l3(u32 *cs, u32 save)
{
	cs = ctx_wa_move_l3sqcreg4(cs, MI_STORE_REGISTER_MEM, save);
	*cs++ = MI_LOAD_REGISTER_IMM(1);
	*cs++ = L3SQCREG4;
	*cs++ = L3SQCREG4_AT_FLUSH;
	cs = ctx_wa_pipe_control(cs, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_DC_FLUSH, 0);
	return ctx_wa_move_l3sqcreg4(cs, MI_LOAD_REGISTER_MEM, save);
}

/* WaMediaPoolStateCmdInWABB: EUs of three subslices are two pools (BXT Vol 6, "Thread Pools"; values: stock i915). */
static u32 *ctx_wa_pool_eus(u32 *cs, const struct igen_device *igen)
{
	if (!igen_topology_pool_eus(igen))
		return cs;
	*cs++ = MEDIA_POOL_STATE | 4;
	*cs++ = MEDIA_POOL_ENABLE;
	*cs++ = igen->platform->eu_pools;
	*cs++ = 0;
	*cs++ = 0;
	*cs++ = 0;
	return cs;
}

/* One client must not read there what another one left (public Gen9 PRM, "User Mode Non-Privileged Registers"). */
static u32 *ctx_wa_clear_unsaved(u32 *cs, u32 base)
{
	*cs++ = MI_LOAD_REGISTER_IMM(2);
	*cs++ = RING_NOPID(base);
	*cs++ = 0;
	*cs++ = RING_PREDICATE_RESULT_2(base);
	*cs++ = 0;
	return cs;
}

/**
 * igen_ctx_wa_init - makes the engine's batch if its platform has switch workarounds
 * @engine: the engine
 *
 * Return: 0, -ENOMEM, -ENOSPC, or -E2BIG when the platform's table is longer than the page.
 */
int igen_ctx_wa_init(struct igen_engine *engine)
{
	const struct igen_device *igen = engine->igen;
	const struct igen_reg_write *rows = igen->platform->switch_workarounds[engine->info->class];
	struct igen_vma *vma;
	u32 *start, *cs;
	void *vaddr;

	if (!rows)
		return 0;
	if (igen_count_lri(igen, rows) > PAGE_SIZE / sizeof(u32) - 7 * CACHELINE_DW)
		return -E2BIG;

	vma = igen_ggtt_pin_internal(engine->igen, PAGE_SIZE, 0, &vaddr);
	if (IS_ERR(vma))
		return PTR_ERR(vma);

	start = vaddr;
	cs = start;

	/* WaDisableCtxRestoreArbitration: the load must not be preempted. */
	*cs++ = MI_ARB_ON_OFF | MI_ARB_DISABLE;

	cs = ctx_wa_flush_coherent_l3(cs, lower_32_bits(igen_vma_start(vma)) + SAVE_OFFSET);
	cs = ctx_wa_pipe_control(cs, PIPE_CONTROL_FLUSH_L3 | PIPE_CONTROL_STORE_INDEX | PIPE_CONTROL_CS_STALL |
				 PIPE_CONTROL_WRITE_QW, LRC_PPHWSP_SCRATCH);
	cs = igen_emit_lri(igen, rows, cs);
	cs = ctx_wa_pool_eus(cs, igen);
	cs = ctx_wa_clear_unsaved(cs, engine->info->base);

	*cs++ = MI_ARB_ON_OFF | MI_ARB_ENABLE;
	while ((cs - start) % CACHELINE_DW)
		*cs++ = MI_NOOP;

	engine->ctx_wa = vma;
	engine->ctx_wa_size = (cs - start) * sizeof(u32);
	return 0;
}

/**
 * igen_ctx_wa_fini - frees the batch, if there is one
 * @engine: the engine, with no context on it any more
 */
void igen_ctx_wa_fini(struct igen_engine *engine)
{
	if (engine->ctx_wa)
		igen_ggtt_unpin_internal(engine->ctx_wa);
	engine->ctx_wa = NULL;
}
