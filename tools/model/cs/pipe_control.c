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

/**
 * cs_post_sync - what a PIPE_CONTROL does when the work before it has ended
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

/* Waits as the flags say. */
static enum cs_result stall(struct engine *e, uint32_t flags, bool queues)
{
	enum cs_result r = CS_CONTINUE;

	if (flags & (PIPE_CONTROL_CS_STALL | PIPE_CONTROL_LRI_POST_SYNC))
		r = cs_pipeline_wait(e, PIPELINE_EMPTY, true);
	else if (flags & PIPE_CONTROL_FLUSH_ENABLE)
		r = cs_pipeline_wait(e, PIPELINE_POSTS, true);
	if (r == CS_CONTINUE && queues)
		r = cs_pipeline_wait(e, PIPELINE_ROOM, true);
	if (r == CS_PREEMPT)
		cs_rewind(e);
	return r;
}

enum cs_result cs_pipe_control(struct engine *e)
{
	struct cs *cs = &e->cs;
	uint32_t flags = cs->len > 1 ? cs->dw[1] : 0;
	uint32_t op = flags & PIPE_CONTROL_POST_SYNC_MASK;
	bool global = flags & PIPE_CONTROL_GGTT;
	struct pipeline_work post = { 0 };
	enum cs_result r;

	/* A command without its address or data has nothing to write; what the flags alone ask for happens. */
	if (cs->len < 5) {
		op = 0;
		flags &= ~PIPE_CONTROL_LRI_POST_SYNC;
	}
	r = stall(e, flags, op || flags & PIPE_CONTROL_NOTIFY);
	if (r != CS_CONTINUE)
		return r;
	/* IGT's gem_pipe_control_store_loop has commands of five dwords, whose data real ones write. */
	post.data = cs->dw[4] | (cs->len > 5 ? (uint64_t)cs->dw[5] << 32 : 0);
	if (flags & PIPE_CONTROL_LRI_POST_SYNC)
		cs_reg_write(e, cs->dw[2], cs->dw[4]);
	/* "Bits 31:3 specify the QW address": bit 2, which must be zero, is not looked at. */
	post.addr = (cs->dw[2] | (uint64_t)cs->dw[3] << 32) & IGEN_MASK64(47, 3);
	if (op && flags & PIPE_CONTROL_STORE_INDEX) {
		if (!cs_may_store_index(e))
			op = 0;
		post.addr = cs_status_page(e, global) + (post.addr & IGEN_MASK(11, 3));
		global = true;
	} else if (op && global && !cs_may_use_ggtt(e)) {
		op = 0;
	}
	post.flags = (flags & (PIPE_CONTROL_TLB_INVALIDATE | PIPE_CONTROL_NOTIFY)) | op;
	if (global)
		post.flags |= PIPE_CONTROL_GGTT;
	if (e->pipeline.busy && !cs->workaround && (op || flags & PIPE_CONTROL_NOTIFY))
		cs_pipeline_queue(e, &post);
	else
		cs_post_sync(e, post.flags, post.addr, post.data);
	return CS_CONTINUE;
}
