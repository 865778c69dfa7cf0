// SPDX-License-Identifier: MIT
/**
 * DOC: What the driver writes into a ring
 *
 * A request is: a wait for another engine, if need be, invalidation of caches and TLBs, the jump into the user's
 * batch, a flush that ends in the write of the request's seqno, and a user interrupt. Arbitration is on within the
 * user's batch and from the end of a request to there, and off between, so that a request is preempted while it waits,
 * in its batch or behind its seqno. The render engine flushes by PIPE_CONTROL, the others by MI_FLUSH_DW (DG1 Vol 2a,
 * "PIPE_CONTROL", "MI_FLUSH_DW"; public Gen9 PRM Vol 2a).
 *
 * A TLB invalidation needs a command streamer stall and a post-sync write, here into the context's own status page.
 */
#include <linux/kernel.h>

#include <igen/cmd/gfx.h>
#include <igen/cmd/mi.h>
#include <igen/regs/context.h>

#include "igen_emit.h"

static u32 *pipe_control(u32 *cs, u32 flags, u32 address, u32 value)
{
	*cs++ = PIPE_CONTROL;
	*cs++ = flags;
	*cs++ = address;
	*cs++ = 0;
	*cs++ = value;
	*cs++ = 0;
	return cs;
}

static u32 *flush_dw(u32 *cs, u32 flags, u32 address, u32 value)
{
	*cs++ = MI_FLUSH_DW | flags;
	*cs++ = address;
	*cs++ = 0;
	*cs++ = value;
	*cs++ = 0;
	*cs++ = MI_NOOP;
	return cs;
}

static u32 *noops(u32 *cs, unsigned int count)
{
	while (count--)
		*cs++ = MI_NOOP;
	return cs;
}

/**
 * igen_emit_semaphore - has the engine look at memory again and again, until there is no less than a value
 * @cs: where to; IGEN_EMIT_SEMAPHORE_DW
 * @ggtt: address in the GGTT, a multiple of 4
 * @value: what there has to be at least, without sign
 *
 * The engine can be preempted while it waits; it looks anew when the context is back (DG1 Vol 2a, "MI_SEMAPHORE_WAIT";
 * four dwords on Gen9).
 *
 * Return: behind what was written.
 */
u32 *igen_emit_semaphore(u32 *cs, u32 ggtt, u32 value)
{
	*cs++ = MI_SEMAPHORE_WAIT | MI_SEMAPHORE_GGTT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GTE_SDD;
	*cs++ = value;
	*cs++ = ggtt;
	*cs++ = 0;
	return cs;
}

/**
 * igen_emit_invalidate - invalidates the engine's caches and TLBs before a batch
 * @engine: the engine
 * @cs: where to; IGEN_EMIT_INVALIDATE_DW
 *
 * Return: behind what was written.
 */
u32 *igen_emit_invalidate(const struct igen_engine *engine, u32 *cs)
{
	u32 flags = MI_FLUSH_DW_STORE_INDEX | MI_FLUSH_DW_WRITE_QW | MI_FLUSH_DW_TLB_INVALIDATE;

	if (engine->info->class == IGEN_CLASS_RENDER) {
		/* Gen9 wants an empty PIPE_CONTROL before one that invalidates the vertex fetch cache. */
		cs = pipe_control(cs, 0, 0, 0);
		return pipe_control(cs, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_TLB_INVALIDATE |
				    PIPE_CONTROL_INSTRUCTION_INVALIDATE | PIPE_CONTROL_TEXTURE_INVALIDATE |
				    PIPE_CONTROL_VF_INVALIDATE | PIPE_CONTROL_CONST_INVALIDATE |
				    PIPE_CONTROL_STATE_INVALIDATE | PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_STORE_INDEX,
				    LRC_PPHWSP_SCRATCH, 0);
	}

	if (engine->info->class == IGEN_CLASS_VIDEO)
		flags |= MI_FLUSH_DW_INVALIDATE_BSD;
	cs = flush_dw(cs, flags, LRC_PPHWSP_SCRATCH, 0);
	return noops(cs, IGEN_EMIT_INVALIDATE_DW - 6);
}

/**
 * igen_emit_address - writes an address into memory of the context's
 * @cs: where to; IGEN_EMIT_ADDRESS_DW
 * @at: where in the context's address space, a multiple of 4
 * @value: what
 *
 * The engine does not wait until it is there: igen_emit_invalidate() does, whose write comes after this one (DG1 Vol
 * 2a, "MI_STORE_DATA_IMM"). A write of 8 bytes would want an address to match.
 *
 * Return: behind what was written.
 */
u32 *igen_emit_address(u32 *cs, u64 at, u64 value)
{
	*cs++ = MI_STORE_DATA_IMM_DW;
	*cs++ = lower_32_bits(at);
	*cs++ = upper_32_bits(at);
	*cs++ = lower_32_bits(value);
	*cs++ = MI_STORE_DATA_IMM_DW;
	*cs++ = lower_32_bits(at + 4);
	*cs++ = upper_32_bits(at + 4);
	*cs++ = upper_32_bits(value);
	return cs;
}

/**
 * igen_emit_batch_start - jumps into a user's batch: in the PPGTT, without privilege, preemptible
 * @cs: where to; IGEN_EMIT_BATCH_DW
 * @address: of the batch in the context's address space, a multiple of 8
 *
 * Return: behind what was written.
 */
u32 *igen_emit_batch_start(u32 *cs, u64 address)
{
	*cs++ = MI_ARB_ON_OFF | MI_ARB_ENABLE;
	*cs++ = MI_BATCH_BUFFER_START | MI_BBS_PPGTT;
	*cs++ = lower_32_bits(address);
	*cs++ = upper_32_bits(address);
	*cs++ = MI_ARB_ON_OFF | MI_ARB_DISABLE;
	*cs++ = MI_NOOP;
	return cs;
}

/**
 * igen_emit_seqno - waits for what was before, flushes caches, then writes a request's seqno
 * @engine: the engine
 * @cs: where to; IGEN_EMIT_SEQNO_DW
 * @ggtt: address in the GGTT, a multiple of 8 with bit 5 clear; 8 bytes are written
 * @seqno: what to write
 *
 * Return: behind what was written.
 */
u32 *igen_emit_seqno(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 seqno)
{
	if (engine->info->class == IGEN_CLASS_RENDER) {
		/* The caches first and the write after them: together they are said to fail on Kaby Lake. */
		cs = pipe_control(cs, PIPE_CONTROL_RT_FLUSH | PIPE_CONTROL_DEPTH_FLUSH | PIPE_CONTROL_DC_FLUSH, 0, 0);
		return pipe_control(cs, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_FLUSH_ENABLE | PIPE_CONTROL_WRITE_QW |
				    PIPE_CONTROL_GGTT, ggtt, seqno);
	}

	cs = flush_dw(cs, MI_FLUSH_DW_WRITE_QW, ggtt | MI_FLUSH_DW_GGTT, seqno);
	return noops(cs, IGEN_EMIT_SEQNO_DW - 6);
}

/**
 * igen_emit_end - tells the driver, if it listens, and allows preemption
 * @cs: where to; IGEN_EMIT_END_DW; behind it is the request's tail
 *
 * Return: behind what was written.
 */
u32 *igen_emit_end(u32 *cs)
{
	*cs++ = MI_USER_INTERRUPT;
	*cs++ = MI_ARB_ON_OFF | MI_ARB_ENABLE;
	return cs;
}

/**
 * igen_emit_wa_tail - what a request that is submitted again has behind its tail
 * @cs: where to; IGEN_EMIT_WA_TAIL_DW
 *
 * The hardware goes astray when a lite restore finds nothing between head and tail (WaIdleLiteRestore), so a second
 * submission moves the tail over this. The check makes sure of one arbitration point a request.
 *
 * Return: behind what was written.
 */
u32 *igen_emit_wa_tail(u32 *cs)
{
	*cs++ = MI_ARB_CHECK;
	*cs++ = MI_NOOP;
	return cs;
}
