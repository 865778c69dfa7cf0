// SPDX-License-Identifier: MIT
/**
 * DOC: PIPE_CONTROL
 *
 * Caches are not modelled and commands complete in order, so of the flushes and stalls nothing is
 * left; what follows them is here: TLB invalidation, a write of data, of the depth count or of the
 * timestamp, a register write, an interrupt (DG1 Vol 2a, "PIPE_CONTROL"; public Gen9 PRM Vol 2a).
 */
#include "cs/cs.h"
#include "igen/regs/irq.h"
#include "neutral_gfx.h"

enum cs_result cs_pipe_control(struct engine *e)
{
	struct pipe_control c;
	uint64_t addr;
	uint32_t op;
	bool global;

	pipe_control_get(e->gen, e->cs.dw, &c);
	op = c.post_sync_operation;
	global = c.destination_address_type;
	if (c.tlb_invalidate)
		tlb_invalidate(e->tlb, true, true);
	if (c.lri_post_sync_operation)
		cs_reg_write(e, (uint32_t)c.address, (uint32_t)c.immediate_data);
	/* "Bits 31:3 specify the QW address": bit 2, which must be zero, is not looked at. */
	addr = c.address & IGEN_MASK64(47, 3);
	if (op && c.store_data_index) {
		if (!cs_may_store_index(e))
			op = 0;
		addr = cs_status_page(e, global) + (addr & IGEN_MASK(11, 3));
		global = true;
	} else if (op && global && !cs_may_use_ggtt(e)) {
		op = 0;
	}
	switch (op) {
	case PIPE_CONTROL_POST_SYNC_OPERATION_WRITE_IMMEDIATE_DATA:
		cs_write64(e, global, addr, c.immediate_data);
		break;
	case PIPE_CONTROL_POST_SYNC_OPERATION_WRITE_PS_DEPTH_COUNT:
		cs_write64(e, global, addr, reg_get64(e, PS_DEPTH_COUNT - RCS0_BASE));
		break;
	case PIPE_CONTROL_POST_SYNC_OPERATION_WRITE_TIMESTAMP:
		cs_write64(e, global, addr, gpu_timestamp(e->gpu) & IGEN_MASK64(35, 0));
		break;
	}
	if (c.notify_enable)
		cs_raise(e, GT_IRQ_PIPE_CONTROL_NOTIFY);
	return CS_CONTINUE;
}
