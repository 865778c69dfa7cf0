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
#include "neutral_mi.h"

/* Bits above the address space are not looked at. */
static uint64_t address(uint64_t field)
{
	return field & IGEN_MASK64(47, 2);
}

/* One or more dwords or qwords in a row. */
enum cs_result cs_mi_store_data_imm(struct engine *e)
{
	struct mi_store_data_imm c;
	struct cs *cs = &e->cs;
	unsigned int i;
	uint64_t addr;
	bool global;

	mi_store_data_imm_get(e->gen, cs->dw, &c);
	i = c.data;
	addr = address(c.address);
	global = c.use_global_gtt;
	if (!cs_may_store(e, &global))
		return CS_CONTINUE;
	if (c.store_qword)
		for (; i + 1 < cs->len; i += 2, addr += 8)
			cs_write64(e, global, addr, cs->dw[i] | (uint64_t)cs->dw[i + 1] << 32);
	else
		for (; i < cs->len; i++, addr += 4)
			cs_write32(e, global, addr, cs->dw[i]);
	return CS_CONTINUE;
}

enum cs_result cs_mi_store_data_index(struct engine *e)
{
	struct mi_store_data_index c;
	uint64_t addr;

	if (!cs_may_store_index(e))
		return CS_CONTINUE;
	mi_store_data_index_get(e->gen, e->cs.dw, &c);
	addr = cs_status_page(e, !c.use_per_process_hardware_status_page) + c.offset * 4;
	/* The longer form stores a qword. */
	if (e->cs.len >= e->cs.cmd->extent)
		cs_write64(e, true, addr, c.data_dword_0 | (uint64_t)c.data_dword_1 << 32);
	else
		cs_write32(e, true, addr, c.data_dword_0);
	return CS_CONTINUE;
}

enum cs_result cs_mi_report_head(struct engine *e)
{
	cs_write32(e, true, cs_status_page(e, false) + HWSP_HEAD_DW * 4, e->cs.head_before);
	return CS_CONTINUE;
}

enum cs_result cs_mi_load_register_imm(struct engine *e)
{
	struct mi_load_register_imm c;
	struct cs *cs = &e->cs;

	mi_load_register_imm_get(e->gen, cs->dw, &c);
	if (c.byte_write_disables == IGEN_GET(MI_LRI_BYTE_DISABLE_MASK, ~0u))
		return CS_CONTINUE;
	for (unsigned int i = c.pairs; i + 1 < cs->len; i += 2)
		cs_reg_write(e, cs->dw[i], cs->dw[i + 1]);
	return CS_CONTINUE;
}

enum cs_result cs_mi_load_register_mem(struct engine *e)
{
	struct mi_load_register_mem c;

	mi_load_register_mem_get(e->gen, e->cs.dw, &c);
	if (c.use_global_gtt && !cs_may_use_ggtt(e))
		return CS_CONTINUE;
	cs_reg_write(e, (uint32_t)c.register_address, cs_read32(e, c.use_global_gtt, address(c.memory_address)));
	return CS_CONTINUE;
}

/* The value of a masked register has no mask: such a copy changes nothing. */
enum cs_result cs_mi_load_register_reg(struct engine *e)
{
	struct mi_load_register_reg c;

	mi_load_register_reg_get(e->gen, e->cs.dw, &c);
	cs_reg_write(e, (uint32_t)c.destination_register_address,
		     cs_reg_read(e, (uint32_t)c.source_register_address));
	return CS_CONTINUE;
}

enum cs_result cs_mi_store_register_mem(struct engine *e)
{
	struct mi_store_register_mem c;
	bool global;

	mi_store_register_mem_get(e->gen, e->cs.dw, &c);
	global = c.use_global_gtt;
	if (!cs_may_store(e, &global))
		return CS_CONTINUE;
	if (c.predicate_enable && !(reg_get(e, RING_PREDICATE_RESULT(0)) & 1))
		return CS_CONTINUE;
	cs_write32(e, global, address(c.memory_address), cs_reg_read(e, (uint32_t)c.register_address));
	return CS_CONTINUE;
}

enum cs_result cs_mi_copy_mem_mem(struct engine *e)
{
	struct mi_copy_mem_mem c;

	mi_copy_mem_mem_get(e->gen, e->cs.dw, &c);
	if ((c.use_global_gtt_source || c.use_global_gtt_destination) && !cs_may_use_ggtt(e))
		return CS_CONTINUE;
	cs_write32(e, c.use_global_gtt_destination, address(c.destination_memory_address),
		   cs_read32(e, c.use_global_gtt_source, address(c.source_memory_address)));
	return CS_CONTINUE;
}

/* The post-sync write of a flush. */
static void post_sync(struct engine *e, const struct mi_flush_dw *c)
{
	uint64_t addr = c->address & IGEN_MASK64(47, 3);
	bool global = c->destination_address_type;

	if (c->store_data_index) {
		if (!cs_may_store_index(e))
			return;
		addr = cs_status_page(e, global) + (addr & IGEN_MASK(11, 3));
		global = true;
	} else if (!cs_may_store(e, &global)) {
		return;
	}
	if (c->post_sync_operation == MI_FLUSH_DW_POST_SYNC_OPERATION_WRITE_TIMESTAMP)
		cs_write64(e, global, addr, gpu_timestamp(e->gpu) & IGEN_MASK64(35, 0));
	else if (c->post_sync_operation != MI_FLUSH_DW_POST_SYNC_OPERATION_WRITE_IMMEDIATE_DATA)
		return;
	/* The shorter form stores a dword. */
	else if (e->cs.len >= e->cs.cmd->extent)
		cs_write64(e, global, addr, c->immediate_data);
	else
		cs_write32(e, global, addr, (uint32_t)c->immediate_data);
}

/*
 * The engines work in order, so a flush has nothing to wait for. The invalidation happens only with
 * a write behind the flush; with an index the address is one in the global status page or the
 * context's own.
 */
enum cs_result cs_mi_flush_dw(struct engine *e)
{
	struct mi_flush_dw c;

	mi_flush_dw_get(e->gen, e->cs.dw, &c);
	/* The short form without address and data has nothing to store. */
	if (c.post_sync_operation && e->cs.len >= e->cs.cmd->min) {
		if (c.tlb_invalidate)
			tlb_invalidate(e->tlb, true, true);
		post_sync(e, &c);
	}
	if (c.notify_enable)
		cs_raise(e, GT_IRQ_PIPE_CONTROL_NOTIFY);
	return CS_CONTINUE;
}
