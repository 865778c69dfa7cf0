// SPDX-License-Identifier: MIT
/**
 * DOC: PIPE_CONTROL
 *
 * Caches are not modelled, so flushes do nothing, except that on Gen9 a flush of the L3 clears shared local memory
 * (media/group.c). A command that stalls waits for the pipeline (pipeline.c). What follows is here: TLB invalidation, a
 * write of data, of the depth count or of the timestamp, a register write, an interrupt (DG1 Vol 2a, "PIPE_CONTROL";
 * public Gen9 PRM Vol 2a). Without a stall, and with work in the pipeline, the write and the interrupt happen when that
 * work has ended, and the command streamer goes on; so does the invalidation that goes with a write ("once the flush
 * operation is complete").
 */
#include "cs/cs.h"
#include "igen/cmd/gfx.h"
#include "igen/regs/irq.h"
#include "neutral_gfx.h"

/**
 * cs_post_sync - does the post-sync operation of a PIPE_CONTROL, when the work before it has ended
 * @e: the render engine; this is its thread
 * @flags: the command's; PIPE_CONTROL_GGTT says where @addr is, whatever the command said
 * @addr: of the write
 * @data: to write, if it is that
 */
void cs_post_sync(struct engine *e, uint32_t flags, uint64_t addr, uint64_t data)
{
	bool global = flags & PIPE_CONTROL_GGTT;

	if (flags & PIPE_CONTROL_TLB_INVALIDATE)
		tlb_invalidate(e->tlb, true, true);
	switch (flags & PIPE_CONTROL_POST_SYNC_MASK) {
	case PIPE_CONTROL_WRITE_QW:
		cs_write64(e, global, addr, data);
		break;
	case PIPE_CONTROL_WRITE_PS_DEPTH:
		cs_write64(e, global, addr, reg_get64(e, PS_DEPTH_COUNT - RCS0_BASE));
		break;
	case PIPE_CONTROL_WRITE_TIMESTAMP:
		cs_write64(e, global, addr, gpu_timestamp(e->gpu) & IGEN_MASK64(35, 0));
		break;
	}
	if (flags & PIPE_CONTROL_NOTIFY)
		cs_raise(e, GT_IRQ_PIPE_CONTROL_NOTIFY);
}

/* Waits as the command says: until the pipeline is empty, or its flushes have ended, and has room for one more. */
static enum cs_result stall(struct engine *e, bool empty, bool flushed, bool queues)
{
	enum cs_result r = CS_CONTINUE;

	if (empty)
		r = cs_pipeline_wait(e, PIPELINE_EMPTY, true);
	else if (flushed)
		r = cs_pipeline_wait(e, PIPELINE_POSTS, true);
	if (r == CS_CONTINUE && queues)
		r = cs_pipeline_wait(e, PIPELINE_ROOM, true);
	if (r == CS_PREEMPT)
		cs_rewind(e);
	return r;
}

/* The compiler knows the generation, and so takes a field out of the command only where it is used. */
static inline __attribute__((always_inline)) enum cs_result execute(struct engine *e, unsigned int gen)
{
	struct pipe_control c;
	enum cs_result r;
	uint32_t op, flags;
	uint64_t addr;
	bool global;

	pipe_control_get(gen, e->cs.dw, &c);
	/*
	 * Before Gen8 such a command is a NOOP in a batch without privilege. IGT's gen7_exec_parse (bitmasks) expects
	 * that of silicon; the text, IVB Vol 2 Part 1, is not at hand.
	 */
	if (c.lri_post_sync_operation && !cs_may_post_sync_lri(e))
		return CS_CONTINUE;
	op = c.post_sync_operation;
	global = c.destination_address_type;
	if (!cs_pipeline_idle(e)) {
		r = stall(e, c.command_streamer_stall_enable || c.lri_post_sync_operation, c.pipe_control_flush_enable,
			  op || c.notify_enable);
		if (r != CS_CONTINUE)
			return r;
	}
	if (c.instruction_cache_invalidate_enable && e->media)
		media_invalidate_programs(e->media);
	if (c.instruction_cache_invalidate_enable && e->draw)
		draw_invalidate_programs(e->draw);
	if (c.flush_l3 && e->media)
		media_clear_local(e->media);
	if (c.lri_post_sync_operation)
		cs_reg_write(e, (uint32_t)c.address, (uint32_t)c.immediate_data);
	/* "Bits 31:3 specify the QW address": bit 2, which must be zero, is not looked at. */
	addr = c.address & IGEN_MASK64(47, 3);
	if (op && c.store_data_index) {
		if (!cs_may_store_index(e))
			op = 0;
		addr = cs_status_page(e, global) + (addr & IGEN_MASK(11, 3));
		global = true;
	} else if (op && !cs_may_store(e, &global)) {
		op = 0;
	}
	flags = IGEN_PREP(PIPE_CONTROL_POST_SYNC_MASK, op);
	if (c.tlb_invalidate)
		flags |= PIPE_CONTROL_TLB_INVALIDATE;
	if (c.notify_enable)
		flags |= PIPE_CONTROL_NOTIFY;
	if (global)
		flags |= PIPE_CONTROL_GGTT;
	/* A walker that was left begins no group: nothing is ahead of the write. */
	if (e->pipeline.busy && !e->pipeline.left && !e->cs.workaround && (op || c.notify_enable)) {
		const struct pipeline_work post = { .flags = flags, .addr = addr, .data = c.immediate_data };

		cs_pipeline_queue(e, &post);
	} else {
		cs_post_sync(e, flags, addr, c.immediate_data);
	}
	return CS_CONTINUE;
}

enum cs_result cs_pipe_control_gen6(struct engine *e)
{
	return execute(e, 6);
}

enum cs_result cs_pipe_control_gen7(struct engine *e)
{
	return execute(e, 7);
}

enum cs_result cs_pipe_control_gen9(struct engine *e)
{
	return execute(e, 9);
}

enum cs_result cs_pipe_control_gen12(struct engine *e)
{
	return execute(e, 12);
}
