// SPDX-License-Identifier: MIT
/**
 * DOC: Ring commands of a request (Gen8, Gen9)
 *
 * A request is: a wait for another engine, if need be, invalidation of caches and TLBs, the jump into the user's
 * batch, a flush that ends in the write of the request's seqno, and a user interrupt. Arbitration is on within the
 * user's batch and from the end of a request to there, and off between, so that a request is preempted while it waits,
 * in its batch or behind its seqno. The render engine flushes by PIPE_CONTROL, the others by MI_FLUSH_DW (DG1 Vol 2a,
 * "PIPE_CONTROL", "MI_FLUSH_DW"; public Gen9 PRM Vol 2a).
 *
 * Two things that a batch leaves in the command streamer are in no context image. MI_SET_PREDICATE behind the batch
 * ends predication, which would otherwise skip the rest of the request and the commands of later contexts. A MI_NOOP
 * clears the register NOPID, which any batch may write and read.
 *
 * A TLB invalidation needs a command streamer stall and a post-sync write, here into the context's own status page.
 */
#include <linux/kernel.h>

#include <igen/cmd/gfx.h>
#include <igen/cmd/mi.h>
#include <igen/regs/context.h>

#include "../platform/igen_ops.h"
#include "igen_engine.h"

#define SEMAPHORE_DW	4
#define INVALIDATE_DW	12
#define DC_FLUSH_DW	12
#define ADDRESS_DW	8
#define BATCH_START_DW	6
#define SEQNO_DW	12
#define RESUBMIT_DW	2
#define FINISH_DW	(SEQNO_DW + 2 + RESUBMIT_DW)

static u32 *gen8_pipe_control(u32 *cs, u32 flags, u32 address, u32 value)
{
	*cs++ = PIPE_CONTROL;
	*cs++ = flags;
	*cs++ = address;
	*cs++ = 0;
	*cs++ = value;
	*cs++ = 0;
	return cs;
}

static u32 *gen8_flush_dw(u32 *cs, u32 flags, u32 address, u32 value)
{
	*cs++ = MI_FLUSH_DW | flags;
	*cs++ = address;
	*cs++ = 0;
	*cs++ = value;
	*cs++ = 0;
	*cs++ = MI_NOOP | MI_NOOP_WRITE_NOPID;
	return cs;
}

static u32 *gen8_noops(u32 *cs, unsigned int count)
{
	while (count--)
		*cs++ = MI_NOOP;
	return cs;
}

/*
 * The engine can be preempted while it waits; it looks anew when the context is back (DG1 Vol 2a, "MI_SEMAPHORE_WAIT";
 * four dwords on Gen9).
 */
static u32 *gen8_semaphore(u32 *cs, u32 ggtt, u32 value)
{
	*cs++ = MI_SEMAPHORE_WAIT | MI_SEMAPHORE_GGTT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GTE_SDD;
	*cs++ = value;
	*cs++ = ggtt;
	*cs++ = 0;
	return cs;
}

static u32 *gen8_pipe_control_invalidate(u32 *cs)
{
	return gen8_pipe_control(cs, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_TLB_INVALIDATE |
				 PIPE_CONTROL_INSTRUCTION_INVALIDATE | PIPE_CONTROL_TEXTURE_INVALIDATE |
				 PIPE_CONTROL_VF_INVALIDATE | PIPE_CONTROL_CONST_INVALIDATE |
				 PIPE_CONTROL_STATE_INVALIDATE | PIPE_CONTROL_WRITE_QW |
				 PIPE_CONTROL_STORE_INDEX,
				 LRC_PPHWSP_SCRATCH, 0);
}

static u32 *gen8_invalidate(const struct igen_engine *engine, u32 *cs)
{
	u32 flags = MI_FLUSH_DW_STORE_INDEX | MI_FLUSH_DW_WRITE_QW | MI_FLUSH_DW_TLB_INVALIDATE;

	if (engine->info->class == IGEN_CLASS_RENDER) {
		/* Gen9 wants an empty PIPE_CONTROL before one that invalidates the vertex fetch cache. */
		cs = gen8_pipe_control(cs, 0, 0, 0);
		return gen8_pipe_control_invalidate(cs);
	}

	if (engine->info->class == IGEN_CLASS_VIDEO)
		flags |= MI_FLUSH_DW_INVALIDATE_BSD;
	cs = gen8_flush_dw(cs, flags, LRC_PPHWSP_SCRATCH, 0);
	return gen8_noops(cs, INVALIDATE_DW - 6);
}

/*
 * WaForGAMHang: early revisions of Kaby Lake flush the data cache before the invalidation and stall after it, each by a
 * PIPE_CONTROL of its own (as stock i915).
 */
static u32 *gen8_invalidate_dc_flush(const struct igen_engine *engine, u32 *cs)
{
	if (engine->info->class != IGEN_CLASS_RENDER)
		return gen8_noops(gen8_invalidate(engine, cs), DC_FLUSH_DW);

	cs = gen8_pipe_control(cs, 0, 0, 0);
	cs = gen8_pipe_control(cs, PIPE_CONTROL_DC_FLUSH, 0, 0);
	cs = gen8_pipe_control_invalidate(cs);
	return gen8_pipe_control(cs, PIPE_CONTROL_CS_STALL, 0, 0);
}

/*
 * The engine does not wait until the address is there: the invalidation does, whose write comes after this one (DG1 Vol
 * 2a, "MI_STORE_DATA_IMM"). A write of 8 bytes would want an address to match.
 */
static u32 *gen8_address(u32 *cs, u64 at, u64 value)
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

static u32 *gen8_batch_start(u32 *cs, u64 address)
{
	*cs++ = MI_ARB_ON_OFF | MI_ARB_ENABLE;
	*cs++ = MI_BATCH_BUFFER_START | MI_BBS_PPGTT;
	*cs++ = lower_32_bits(address);
	*cs++ = upper_32_bits(address);
	*cs++ = MI_SET_PREDICATE | MI_SET_PREDICATE_NEVER;
	*cs++ = MI_ARB_ON_OFF | MI_ARB_DISABLE;
	return cs;
}

static u32 *gen8_seqno(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 seqno)
{
	if (engine->info->class == IGEN_CLASS_RENDER) {
		/* The caches first and the write after them: together they are said to fail on Kaby Lake. */
		cs = gen8_pipe_control(cs, PIPE_CONTROL_RT_FLUSH | PIPE_CONTROL_DEPTH_FLUSH | PIPE_CONTROL_DC_FLUSH,
				       0, 0);
		return gen8_pipe_control(cs, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_FLUSH_ENABLE | PIPE_CONTROL_WRITE_QW |
					 PIPE_CONTROL_GGTT, ggtt, seqno);
	}

	cs = gen8_flush_dw(cs, MI_FLUSH_DW_WRITE_QW, ggtt | MI_FLUSH_DW_GGTT, seqno);
	return gen8_noops(cs, SEQNO_DW - 6);
}

/*
 * The hardware goes astray when a lite restore finds nothing between head and tail (WaIdleLiteRestore), so a second
 * submission moves the tail over the last two dwords. The check makes sure of one arbitration point a request.
 */
static u32 *gen8_finish(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 seqno)
{
	cs = gen8_seqno(engine, cs, ggtt, seqno);
	*cs++ = MI_USER_INTERRUPT;
	*cs++ = MI_ARB_ON_OFF | MI_ARB_ENABLE;
	/* Here is the request's tail. */
	*cs++ = MI_ARB_CHECK;
	*cs++ = MI_NOOP;
	return cs;
}

#define GEN8_EMIT_OPS(invalidate__, invalidate_dw__) { \
	.request_dw = SEMAPHORE_DW + (invalidate_dw__) + BATCH_START_DW + FINISH_DW, \
	.semaphore_dw = SEMAPHORE_DW, \
	.invalidate_dw = (invalidate_dw__), \
	.address_dw = ADDRESS_DW, \
	.batch_start_dw = BATCH_START_DW, \
	.resubmit_dw = RESUBMIT_DW, \
	.semaphore = gen8_semaphore, \
	.invalidate = invalidate__, \
	.address = gen8_address, \
	.batch_start = gen8_batch_start, \
	.finish = gen8_finish, \
}

const struct igen_emit_ops igen_emit_gen8_ops = GEN8_EMIT_OPS(gen8_invalidate, INVALIDATE_DW);
const struct igen_emit_ops igen_emit_gen8_dc_flush_ops =
	GEN8_EMIT_OPS(gen8_invalidate_dc_flush, INVALIDATE_DW + DC_FLUSH_DW);
