// SPDX-License-Identifier: MIT
/**
 * DOC: MI commands: flow, arbitration, predication
 *
 * The dispatcher of the MI commands, and those that steer the parser (DG1 Vol 2a, MI chapters, for
 * what did not change since Gen9; public Gen9 PRM Vol 2a). There is no display: waiting for its
 * events, scan-line windows and flips pass without effect.
 */
#include "cs/cs.h"
#include "igen/cmd/mi.h"
#include "igen/regs/irq.h"

static void batch_buffer_start(struct engine *e)
{
	struct cs *cs = &e->cs;
	uint32_t header = cs->dw[0];
	uint64_t addr = cs->dw[1] | (uint64_t)cs->dw[2] << 32;
	bool ppgtt = header & MI_BBS_PPGTT;

	if (header & MI_BBS_PREDICATE && !(reg_get(e, RING_PREDICATE_RESULT_1(0)) & 1))
		return;
	if (header & MI_BBS_ADD_OFFSET)
		addr += reg_get(e, RING_BB_OFFSET(0));
	/* A batch in the PPGTT cannot get out of it. */
	if (cs->level != CS_RING && cs->batch[cs->level].ppgtt)
		ppgtt = true;
	cs_start_batch(e, addr, ppgtt, header & MI_BBS_SECOND_LEVEL);
}

/* A batch was started from the ring: slowdown and faults on purpose. */
static enum cs_result batch_started(struct engine *e)
{
	struct gpu *gpu = e->gpu;
	struct config *cfg = &gpu->config;
	enum engine_id id = e->info->id;
	bool hang, spin, page_fault;
	uint64_t until = 0;

	pthread_mutex_lock(&gpu->lock);
	engine_count(e, "batches");
	if (e->preempted_ns && e->preempted_walk)
		sample("preemption_walker_ns", e->preempted_walk, now_ns() - e->preempted_ns);
	else if (e->preempted_ns)
		sample("preemption_ns", e->info->name, now_ns() - e->preempted_ns);
	e->preempted_ns = 0;
	hang = fault_hits(gpu, FAULT_HANG, id, "a batch");
	spin = fault_hits(gpu, FAULT_SPIN, id, "a batch");
	page_fault = fault_hits(gpu, FAULT_PAGE_FAULT, id, "a batch");
	if (cfg->batch_delay_us)
		until = now_ns() + cfg->batch_delay_us * 1000ull;
	while (now_ns() < until && !(engine_requests(e) & (ENGINE_RESET | ENGINE_QUIT)))
		engine_sleep_until(e, until);
	pthread_mutex_unlock(&gpu->lock);
	if (hang)
		return engine_halt(e, 0, "hang on purpose");
	if (spin) {
		cs_publish(e, e->cs.dw[0]);
		return engine_spin(e);
	}
	if (page_fault) {
		const struct vm_ref vm = cs_vm(e, !e->cs.batch[e->cs.level].ppgtt);

		cs_publish(e, e->cs.dw[0]);
		gpu_page_fault(gpu, e->info, &vm, e->cs.batch[e->cs.level].addr,
			       PAGE_FAULT_READ);
		return engine_halt(e, EIR_PAGE_TABLE_ERROR, "page fault on purpose");
	}
	return CS_CONTINUE;
}

static enum cs_result arb_check(struct engine *e)
{
	if (engine_requests(e) & ENGINE_LIST && !e->cs.workaround)
		return e->submission->arbitrate(e, true);
	return CS_CONTINUE;
}

static void arb_on_off(struct engine *e)
{
	if (!cs_may_steer_arbitration(e))
		return;
	e->cs.arbitrate = e->cs.dw[0] & MI_ARB_ENABLE;
	e->cs.no_lite_restore = e->cs.dw[0] & MI_ARB_NO_LITE_RESTORE;
	/* A list that could not be taken may be now. */
	e->cs.list_seen = atomic_load(&e->list_seq) - 1;
}

static void set_predicate(struct engine *e)
{
	bool result2 = reg_get(e, RING_PREDICATE_RESULT_2(0)) & 1;
	bool result = reg_get(e, RING_PREDICATE_RESULT(0)) & 1;

	switch (e->cs.dw[0] & MI_SET_PREDICATE_MASK) {
	case MI_SET_PREDICATE_RESULT2_CLEAR:
		e->cs.predicated = !result2;
		break;
	case MI_SET_PREDICATE_RESULT2_SET:
		e->cs.predicated = result2;
		break;
	case MI_SET_PREDICATE_RESULT_CLEAR:
		e->cs.predicated = !result;
		break;
	case MI_SET_PREDICATE_RESULT_SET:
		e->cs.predicated = result;
		break;
	case MI_SET_PREDICATE_ALWAYS:
		e->cs.predicated = true;
		break;
	default:
		e->cs.predicated = false;
		break;
	}
}

void cs_mi_predicate(struct engine *e)
{
	uint64_t delta =
		reg_get64(e, RING_PREDICATE_SRC0(0)) - reg_get64(e, RING_PREDICATE_SRC1(0));
	bool state = reg_get(e, RING_PREDICATE_RESULT(0)) & 1;
	uint32_t header = e->cs.dw[0];
	bool value = false;

	switch (header & MI_PREDICATE_COMPARE_MASK) {
	case MI_PREDICATE_TRUE:
		value = true;
		break;
	case MI_PREDICATE_FALSE:
		break;
	case MI_PREDICATE_SRCS_EQUAL:
		reg_set64(e, RING_PREDICATE_DATA(0), delta);
		value = !delta;
		break;
	case MI_PREDICATE_DELTAS_EQUAL:
		value = delta == reg_get64(e, RING_PREDICATE_DATA(0));
		break;
	}
	switch (header & MI_PREDICATE_COMBINE_MASK) {
	case MI_PREDICATE_AND:
		value = value && state;
		break;
	case MI_PREDICATE_OR:
		value = value || state;
		break;
	case MI_PREDICATE_XOR:
		value = value != state;
		break;
	}
	if ((header & MI_PREDICATE_LOAD_MASK) == MI_PREDICATE_LOAD)
		reg_set(e, RING_PREDICATE_RESULT(0), value);
	else if ((header & MI_PREDICATE_LOAD_MASK) == MI_PREDICATE_LOADINV)
		reg_set(e, RING_PREDICATE_RESULT(0), !value);
}

/* GTT entries from the stream: address, then pairs of dwords. */
void cs_mi_update_gtt(struct engine *e)
{
	struct cs *cs = &e->cs;
	uint32_t entry = cs->dw[1] >> 12;

	if (!cs_may_use_ggtt(e))
		return;
	for (unsigned int i = 2; i + 1 < cs->len; i += 2, entry++)
		gtt_pte_write(e->gpu, entry * 8, 8, cs->dw[i] | (uint64_t)cs->dw[i + 1] << 32);
}

static enum cs_result failed(struct engine *e, const char *error)
{
	return error ? engine_halt(e, EIR_INSTRUCTION_ERROR, error) : CS_CONTINUE;
}

enum cs_result cs_mi(struct engine *e)
{
	struct cs *cs = &e->cs;
	uint32_t header = cs->dw[0];
	bool from_ring = cs->level == CS_RING;

	switch (IGEN_GET(MI_OPCODE_MASK, header)) {
	case MI_OP_NOOP:
		if (header & MI_NOOP_WRITE_NOPID)
			reg_set(e, RING_NOPID(0), header & MI_NOOP_NOPID_MASK);
		break;
	case MI_OP_SET_PREDICATE:
		set_predicate(e);
		break;
	case MI_OP_USER_INTERRUPT:
		engine_count(e, "user_interrupts");
		cs_raise(e, GT_IRQ_USER);
		break;
	case MI_OP_ARB_CHECK:
		return arb_check(e);
	case MI_OP_REPORT_HEAD:
		cs_mi_report_head(e);
		break;
	case MI_OP_ARB_ON_OFF:
		arb_on_off(e);
		break;
	case MI_OP_BATCH_BUFFER_END:
		if (!from_ring)
			cs_end_batch(e, false);
		break;
	case MI_OP_PREDICATE:
		cs_mi_predicate(e);
		break;
	case MI_OP_MATH:
		return failed(e, cs_mi_math(e));
	case MI_OP_SEMAPHORE_SIGNAL:
		cs_mi_semaphore_signal(e);
		break;
	case MI_OP_SEMAPHORE_WAIT:
		return cs_mi_semaphore_wait(e);
	case MI_OP_STORE_DATA_IMM:
		cs_mi_store_data_imm(e);
		break;
	case MI_OP_STORE_DATA_INDEX:
		cs_mi_store_data_index(e);
		break;
	case MI_OP_LOAD_REGISTER_IMM:
		cs_mi_load_register_imm(e);
		break;
	case MI_OP_UPDATE_GTT:
		cs_mi_update_gtt(e);
		break;
	case MI_OP_STORE_REGISTER_MEM:
		cs_mi_store_register_mem(e);
		break;
	case MI_OP_FLUSH_DW:
		cs_mi_flush_dw(e);
		break;
	case MI_OP_LOAD_REGISTER_MEM:
		cs_mi_load_register_mem(e);
		break;
	case MI_OP_LOAD_REGISTER_REG:
		cs_mi_load_register_reg(e);
		break;
	case MI_OP_COPY_MEM_MEM:
		cs_mi_copy_mem_mem(e);
		break;
	case MI_OP_ATOMIC:
		return failed(e, cs_mi_atomic(e));
	case MI_OP_BATCH_BUFFER_START:
		batch_buffer_start(e);
		if (from_ring && cs->level != CS_RING)
			return batch_started(e);
		break;
	case MI_OP_CONDITIONAL_BATCH_BUFFER_END:
		cs_mi_conditional_batch_buffer_end(e);
		break;
	/* Nothing to wait for, to switch to, to filter, to flush or to report here. */
	case MI_OP_WAIT_FOR_EVENT:
	case MI_OP_RS_CONTROL:
	case MI_OP_URB_ATOMIC_ALLOC:
	case MI_OP_FLUSH:
	case MI_OP_SUSPEND_FLUSH:
	case MI_OP_TOPOLOGY_FILTER:
	case MI_OP_SET_APPID:
	case MI_OP_RS_CONTEXT:
	case MI_OP_LOAD_SCAN_LINES_INCL:
	case MI_OP_LOAD_SCAN_LINES_EXCL:
	case MI_OP_DISPLAY_FLIP:
	case MI_OP_SET_CONTEXT:
	case MI_OP_FORCE_WAKEUP:
	case MI_OP_CLFLUSH:
	case MI_OP_RS_STORE_DATA_IMM:
	case MI_OP_LOAD_URB_MEM:
	case MI_OP_STORE_URB_MEM:
	case MI_OP_REPORT_PERF_COUNT:
		count("commands_without_effect", cs->cmd->name, 1);
		break;
	default:
		return engine_halt(e, EIR_INSTRUCTION_ERROR, "MI command that is not implemented");
	}
	return CS_CONTINUE;
}
