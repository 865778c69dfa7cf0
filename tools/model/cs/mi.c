// SPDX-License-Identifier: MIT
/**
 * DOC: MI commands: flow, arbitration, predication
 *
 * The commands that steer the parser (DG1 Vol 2a, MI chapters, for what did not change since Gen9;
 * public Gen9 PRM Vol 2a). dispatch.c says which function executes which command.
 */
#include "cs/cs.h"
#include "igen/regs/irq.h"
#include "neutral_mi.h"

static void start_batch(struct engine *e)
{
	struct mi_batch_buffer_start c;
	struct cs *cs = &e->cs;
	uint64_t addr;
	bool ppgtt;

	mi_batch_buffer_start_get(e->gen, cs->dw, &c);
	addr = c.batch_buffer_start_address;
	ppgtt = c.address_space_indicator;
	if (c.predication_enable && !(reg_get(e, RING_PREDICATE_RESULT_1(0)) & 1))
		return;
	if (c.add_offset_enable)
		addr += reg_get(e, RING_BB_OFFSET(0));
	/* A batch in the PPGTT cannot get out of it. */
	if (cs->level != CS_RING && cs->batch[cs->level].ppgtt)
		ppgtt = true;
	cs_start_batch(e, addr, ppgtt, c.second_level_batch_buffer);
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
	e->takes_time = true;
	while (now_ns() < until && !(engine_requests(e) & ENGINE_STOPS))
		engine_sleep_until(e, until);
	e->takes_time = false;
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

enum cs_result cs_mi_batch_buffer_start(struct engine *e)
{
	bool from_ring = e->cs.level == CS_RING;

	start_batch(e);
	return from_ring && e->cs.level != CS_RING ? batch_started(e) : CS_CONTINUE;
}

enum cs_result cs_mi_batch_buffer_end(struct engine *e)
{
	if (e->cs.level != CS_RING)
		cs_end_batch(e, false);
	return CS_CONTINUE;
}

enum cs_result cs_mi_noop(struct engine *e)
{
	struct mi_noop c;

	mi_noop_get(e->gen, e->cs.dw, &c);
	if (c.identification_number_register_write_enable)
		reg_set(e, RING_NOPID(0), c.identification_number);
	return CS_CONTINUE;
}

enum cs_result cs_mi_user_interrupt(struct engine *e)
{
	engine_count(e, "user_interrupts");
	cs_raise(e, GT_IRQ_USER);
	return CS_CONTINUE;
}

enum cs_result cs_mi_arb_check(struct engine *e)
{
	if (e->submission->arb_check)
		return e->submission->arb_check(e);
	if (engine_requests(e) & ENGINE_LIST && !e->cs.workaround)
		return e->submission->arbitrate(e, true);
	return CS_CONTINUE;
}

enum cs_result cs_mi_arb_on_off(struct engine *e)
{
	struct mi_arb_on_off c;

	if (!cs_may_steer_arbitration(e))
		return CS_CONTINUE;
	mi_arb_on_off_get(e->gen, e->cs.dw, &c);
	e->cs.arbitrate = c.arbitration_enable;
	e->ring_arb_off = !c.arbitration_enable;
	e->cs.no_lite_restore = c.allow_lite_restore_disable;
	/* A list that could not be taken may be now. */
	e->cs.list_seen = atomic_load(&e->list_seq) - 1;
	return CS_CONTINUE;
}

/* Where lists load contexts it has no effect. */
enum cs_result cs_mi_set_context(struct engine *e)
{
	if (e->submission->set_context)
		return e->submission->set_context(e);
	count("commands_without_effect", e->cs.cmd->name, 1);
	return CS_CONTINUE;
}

enum cs_result cs_mi_set_predicate(struct engine *e)
{
	bool result2 = reg_get(e, RING_PREDICATE_RESULT_2(0)) & 1;
	bool result = reg_get(e, RING_PREDICATE_RESULT(0)) & 1;
	struct mi_set_predicate c;

	mi_set_predicate_get(e->gen, e->cs.dw, &c);
	switch (c.predicate_enable) {
	case MI_SET_PREDICATE_PREDICATE_ENABLE_NOOP_ON_RESULT2_CLEAR:
		e->cs.predicated = !result2;
		break;
	case MI_SET_PREDICATE_PREDICATE_ENABLE_NOOP_ON_RESULT2_SET:
		e->cs.predicated = result2;
		break;
	case MI_SET_PREDICATE_PREDICATE_ENABLE_NOOP_ON_RESULT_CLEAR:
		e->cs.predicated = !result;
		break;
	case MI_SET_PREDICATE_PREDICATE_ENABLE_NOOP_ON_RESULT_SET:
		e->cs.predicated = result;
		break;
	case MI_SET_PREDICATE_PREDICATE_ENABLE_NOOP_ALWAYS:
		e->cs.predicated = true;
		break;
	default:
		e->cs.predicated = false;
		break;
	}
	return CS_CONTINUE;
}

enum cs_result cs_mi_predicate(struct engine *e)
{
	uint64_t delta =
		reg_get64(e, RING_PREDICATE_SRC0(0)) - reg_get64(e, RING_PREDICATE_SRC1(0));
	bool state = reg_get(e, RING_PREDICATE_RESULT(0)) & 1;
	struct mi_predicate c;
	bool value = false;

	mi_predicate_get(e->gen, e->cs.dw, &c);
	switch (c.compare_operation) {
	case MI_PREDICATE_COMPARE_OPERATION_TRUE:
		value = true;
		break;
	case MI_PREDICATE_COMPARE_OPERATION_FALSE:
		break;
	case MI_PREDICATE_COMPARE_OPERATION_SRCS_EQUAL:
		reg_set64(e, RING_PREDICATE_DATA(0), delta);
		value = !delta;
		break;
	case MI_PREDICATE_COMPARE_OPERATION_DELTAS_EQUAL:
		value = delta == reg_get64(e, RING_PREDICATE_DATA(0));
		break;
	}
	switch (c.combine_operation) {
	case MI_PREDICATE_COMBINE_OPERATION_AND:
		value = value && state;
		break;
	case MI_PREDICATE_COMBINE_OPERATION_OR:
		value = value || state;
		break;
	case MI_PREDICATE_COMBINE_OPERATION_XOR:
		value = value != state;
		break;
	}
	if (c.load_operation == MI_PREDICATE_LOAD_OPERATION_LOAD)
		reg_set(e, RING_PREDICATE_RESULT(0), value);
	else if (c.load_operation == MI_PREDICATE_LOAD_OPERATION_LOADINV)
		reg_set(e, RING_PREDICATE_RESULT(0), !value);
	return CS_CONTINUE;
}

/* GTT entries from the stream: address, then pairs of dwords. */
enum cs_result cs_mi_update_gtt(struct engine *e)
{
	struct cs *cs = &e->cs;
	struct mi_update_gtt c;
	uint32_t entry;

	if (!cs_may_use_ggtt(e))
		return CS_CONTINUE;
	mi_update_gtt_get(e->gen, cs->dw, &c);
	entry = (uint32_t)(c.entry_address >> 12);
	for (unsigned int i = c.entries; i + 1 < cs->len; i += 2, entry++)
		gtt_write_entry(e->gpu, entry, cs->dw[i] | (uint64_t)cs->dw[i + 1] << 32);
	return CS_CONTINUE;
}
