// SPDX-License-Identifier: MIT
/**
 * DOC: PIPE_CONTROL
 *
 * Caches are not modelled, so of the flushes nothing is left; what stalls waits for the pipeline (pipeline.c). What
 * follows them is here: TLB invalidation, a write of data, of the depth count or of the timestamp, a register write, an
 * interrupt (DG1 Vol 2a, "PIPE_CONTROL"; public Gen9 PRM Vol 2a). Without a stall, and with work in the pipeline, the
 * write and the interrupt happen when that work has ended, and the command streamer goes on; so does the invalidation
 * that goes with a write ("once the flush operation is complete").
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

/* Waits as the command says. */
static enum cs_result stall(struct engine *e, const struct pipe_control *c, bool queues)
{
	enum cs_result r = CS_CONTINUE;

	if (c->command_streamer_stall_enable || c->lri_post_sync_operation)
		r = cs_pipeline_wait(e, PIPELINE_EMPTY, true);
	else if (c->pipe_control_flush_enable)
		r = cs_pipeline_wait(e, PIPELINE_POSTS, true);
	if (r == CS_CONTINUE && queues)
		r = cs_pipeline_wait(e, PIPELINE_ROOM, true);
	if (r == CS_PREEMPT)
		cs_rewind(e);
	return r;
}

enum cs_result cs_pipe_control(struct engine *e)
{
	struct pipeline_work post = { 0 };
	struct pipe_control c;
	enum cs_result r;
	bool global;
	uint32_t op;

	pipe_control_get(e->gen, e->cs.dw, &c);
	op = c.post_sync_operation;
	global = c.destination_address_type;
	r = stall(e, &c, op || c.notify_enable);
	if (r != CS_CONTINUE)
		return r;
	post.data = c.immediate_data;
	if (c.lri_post_sync_operation)
		cs_reg_write(e, (uint32_t)c.address, (uint32_t)c.immediate_data);
	/* "Bits 31:3 specify the QW address": bit 2, which must be zero, is not looked at. */
	post.addr = c.address & IGEN_MASK64(47, 3);
	if (op && c.store_data_index) {
		if (!cs_may_store_index(e))
			op = 0;
		post.addr = cs_status_page(e, global) + (post.addr & IGEN_MASK(11, 3));
		global = true;
	} else if (op && global && !cs_may_use_ggtt(e)) {
		op = 0;
	}
	post.flags = IGEN_PREP(PIPE_CONTROL_POST_SYNC_MASK, op);
	if (c.tlb_invalidate)
		post.flags |= PIPE_CONTROL_TLB_INVALIDATE;
	if (c.notify_enable)
		post.flags |= PIPE_CONTROL_NOTIFY;
	if (global)
		post.flags |= PIPE_CONTROL_GGTT;
	if (e->pipeline.busy && !e->cs.workaround && (op || c.notify_enable))
		cs_pipeline_queue(e, &post);
	else
		cs_post_sync(e, post.flags, post.addr, post.data);
	return CS_CONTINUE;
}
