// SPDX-License-Identifier: MIT
/**
 * DOC: PIPE_CONTROL
 *
 * Caches are not modelled and commands complete in order, so of the flushes and stalls nothing is
 * left; what follows them is here: TLB invalidation, a write of data, of the depth count or of the
 * timestamp, a register write, an interrupt (DG1 Vol 2a, "PIPE_CONTROL"; public Gen9 PRM Vol 2a).
 */
#include "cs/cs.h"
#include "igen/cmd/gfx.h"
#include "igen/regs/irq.h"

void cs_pipe_control(struct engine *e)
{
	struct cs *cs = &e->cs;
	uint32_t flags = cs->len > 1 ? cs->dw[1] : 0;
	uint32_t op = flags & PIPE_CONTROL_POST_SYNC_MASK;
	bool global = flags & PIPE_CONTROL_GGTT;
	uint64_t addr, data;

	/* A command without its address or data has nothing to write; what the flags alone ask for happens. */
	if (cs->len < 5) {
		op = 0;
		flags &= ~PIPE_CONTROL_LRI_POST_SYNC;
	}
	/* IGT's gem_pipe_control_store_loop has commands of five dwords, whose data real ones write. */
	data = cs->dw[4] | (cs->len > 5 ? (uint64_t)cs->dw[5] << 32 : 0);
	if (flags & PIPE_CONTROL_TLB_INVALIDATE)
		tlb_invalidate(e->tlb, true, true);
	if (flags & PIPE_CONTROL_LRI_POST_SYNC)
		cs_reg_write(e, cs->dw[2], cs->dw[4]);
	/* "Bits 31:3 specify the QW address": bit 2, which must be zero, is not looked at. */
	addr = (cs->dw[2] | (uint64_t)cs->dw[3] << 32) & IGEN_MASK64(47, 3);
	if (op && flags & PIPE_CONTROL_STORE_INDEX) {
		if (!cs_may_store_index(e))
			op = 0;
		addr = cs_status_page(e, global) + (addr & IGEN_MASK(11, 3));
		global = true;
	} else if (op && global && !cs_may_use_ggtt(e)) {
		op = 0;
	}
	switch (op) {
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
