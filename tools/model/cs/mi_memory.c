// SPDX-License-Identifier: MIT
/**
 * DOC: MI commands that move data between registers, memory and the stream
 *
 * Addresses are in the context's PPGTT unless the command says GGTT, which a batch without
 * privilege may not (DG1 Vol 2a, MI chapters, for what did not change since Gen9; public Gen9 PRM
 * Vol 2a). A fault is reported, a faulting read gives zeros and a faulting write is dropped.
 */
#include "cs/cs.h"
#include "igen/cmd/mi.h"
#include "igen/regs/irq.h"

static uint64_t address(struct engine *e, unsigned int i)
{
	return (e->cs.dw[i] | (uint64_t)e->cs.dw[i + 1] << 32) & IGEN_MASK64(47, 2);
}

/* One or more dwords or qwords in a row. */
void cs_mi_store_data_imm(struct engine *e)
{
	struct cs *cs = &e->cs;
	bool global = cs->dw[0] & MI_SDI_GGTT;
	uint64_t addr = address(e, 1);
	unsigned int i = 3;

	if (global && !cs_may_use_ggtt(e))
		return;
	if (cs->dw[0] & MI_SDI_QWORD)
		for (; i + 1 < cs->len; i += 2, addr += 8)
			cs_write64(e, global, addr, cs->dw[i] | (uint64_t)cs->dw[i + 1] << 32);
	else
		for (; i < cs->len; i++, addr += 4)
			cs_write32(e, global, addr, cs->dw[i]);
}

void cs_mi_store_data_index(struct engine *e)
{
	struct cs *cs = &e->cs;
	uint64_t addr =
		cs_status_page(e, !(cs->dw[0] & MI_SDX_PPHWSP)) + (cs->dw[1] & IGEN_MASK(11, 2));

	if (!cs_may_store_index(e))
		return;
	if (cs->len > 3)
		cs_write64(e, true, addr, cs->dw[2] | (uint64_t)cs->dw[3] << 32);
	else
		cs_write32(e, true, addr, cs->dw[2]);
}

void cs_mi_report_head(struct engine *e)
{
	cs_write32(e, true, cs_status_page(e, false) + HWSP_HEAD_DW * 4, e->cs.head_before);
}

void cs_mi_load_register_imm(struct engine *e)
{
	struct cs *cs = &e->cs;

	if ((cs->dw[0] & MI_LRI_BYTE_DISABLE_MASK) == MI_LRI_BYTE_DISABLE_MASK)
		return;
	for (unsigned int i = 1; i + 1 < cs->len; i += 2)
		cs_reg_write(e, cs->dw[i], cs->dw[i + 1]);
}

void cs_mi_load_register_mem(struct engine *e)
{
	struct cs *cs = &e->cs;
	bool global = cs->dw[0] & MI_MEM_GGTT;

	if (global && !cs_may_use_ggtt(e))
		return;
	cs_reg_write(e, cs->dw[1], cs_read32(e, global, address(e, 2)));
}

/* The value of a masked register has no mask: such a copy changes nothing. */
void cs_mi_load_register_reg(struct engine *e)
{
	cs_reg_write(e, e->cs.dw[2], cs_reg_read(e, e->cs.dw[1]));
}

void cs_mi_store_register_mem(struct engine *e)
{
	struct cs *cs = &e->cs;
	bool global = cs->dw[0] & MI_MEM_GGTT;

	if (global && !cs_may_use_ggtt(e))
		return;
	if (cs->dw[0] & MI_SRM_PREDICATE && !(reg_get(e, RING_PREDICATE_RESULT(0)) & 1))
		return;
	cs_write32(e, global, address(e, 2), cs_reg_read(e, cs->dw[1]));
}

void cs_mi_copy_mem_mem(struct engine *e)
{
	struct cs *cs = &e->cs;
	bool from = cs->dw[0] & MI_COPY_SRC_GGTT;
	bool to = cs->dw[0] & MI_COPY_DST_GGTT;

	if ((from || to) && !cs_may_use_ggtt(e))
		return;
	cs_write32(e, to, address(e, 1), cs_read32(e, from, address(e, 3)));
}

/*
 * The engines work in order, so a flush has nothing to wait for. The invalidation happens only with
 * a write behind the flush; with an index the address is one in the global status page or the
 * context's own.
 */
void cs_mi_flush_dw(struct engine *e)
{
	struct cs *cs = &e->cs;
	uint32_t header = cs->dw[0];
	uint32_t op = header & MI_FLUSH_DW_POST_SYNC_MASK;
	bool global = cs->dw[1] & MI_FLUSH_DW_GGTT;
	uint64_t addr = address(e, 1) & ~7ull;

	if (op && header & MI_FLUSH_DW_TLB_INVALIDATE)
		tlb_invalidate(e->tlb, true, true);
	if (op && header & MI_FLUSH_DW_STORE_INDEX) {
		if (!cs_may_store_index(e))
			op = 0;
		addr = cs_status_page(e, global) + (addr & IGEN_MASK(11, 3));
		global = true;
	} else if (op && global && !cs_may_use_ggtt(e)) {
		op = 0;
	}
	if (op == MI_FLUSH_DW_WRITE_QW) {
		if (cs->len > 4)
			cs_write64(e, global, addr, cs->dw[3] | (uint64_t)cs->dw[4] << 32);
		else
			cs_write32(e, global, addr, cs->dw[3]);
	} else if (op == MI_FLUSH_DW_WRITE_TIMESTAMP) {
		cs_write64(e, global, addr, gpu_timestamp(e->gpu) & IGEN_MASK64(35, 0));
	}
	if (header & MI_FLUSH_DW_NOTIFY)
		cs_raise(e, GT_IRQ_PIPE_CONTROL_NOTIFY);
}
