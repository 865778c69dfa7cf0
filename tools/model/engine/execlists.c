// SPDX-License-Identifier: MIT
/**
 * DOC: Execlists
 *
 * Four writes to the ELSP submit a list of two contexts, the second of which may be absent. An idle
 * engine takes it at once; a busy one when it gets to an arbitration point. If the new list starts
 * with the context that runs, nothing is switched: the engine reads the context's tail again and
 * goes on ("lite restore"), which needs no arbitration point. Otherwise the running context is
 * saved and the list begins ("preemption"). A context is done when its head has reached its tail.
 *
 * Each such step is an event: two dwords, status and context ID, in a ring of six, in registers and
 * in the hardware status page, with the write pointer behind it and an interrupt after it (public
 * Gen9 PRM Vol 2d, "Context Status"; event combinations as stock i915 and GVT-g expect them of Gen8
 * and Gen9):
 *   idle-to-active                    a list was taken by an idle engine; context ID 0
 *   context-complete|element-switch   element 0 is done, element 1 begins
 *   context-complete|active-to-idle   the last element is done
 *   preempted                         another list replaced this one before it was done
 *   preempted|lite-restore            the list was replaced, the context runs on
 *   wait-on-semaphore|...             the context gave up the engine at an unsuccessful wait
 */
#include "engine/engine.h"
#include "igen/regs/irq.h"
#include "igen/regs/workarounds.h"

static bool valid(uint64_t desc)
{
	return desc & CTX_DESC_VALID;
}

static uint32_t context_id(uint64_t desc)
{
	return (uint32_t)(desc >> 32);
}

static bool same_context(uint64_t a, uint64_t b)
{
	return !((a ^ b) & (CTX_DESC_LRCA_MASK | CTX_DESC_ID_MASK));
}

void execlists_elsp_write(struct engine *e, uint32_t value)
{
	struct gpu *gpu = e->gpu;

	e->elsp[e->elsp_count++] = value;
	if (e->elsp_count < ARRAY_SIZE(e->elsp))
		return;
	e->elsp_count = 0;
	engine_count(e, "elsp_writes");
	if (fault_hits(gpu, FAULT_DIE, e->info->id, "an ELSP write"))
		model_die("fault: the model dies at an ELSP write");
	if (fault_hits(gpu, FAULT_OFF_BUS, e->info->id, "an ELSP write")) {
		gpu_off_bus(gpu);
		return;
	}
	if (board_has(gpu, BOARD_ENGINE))
		return;
	if (!execlists_enabled(e)) {
		engine_count(e, "elsp_writes_ignored");
		model_log("%s: ELSP written while execlists are disabled", e->info->name);
		return;
	}
	if (engine_requests(e) & ENGINE_LIST)
		engine_count(e, "elsp_overruns");
	e->pending.desc[1] = (uint64_t)e->elsp[0] << 32 | e->elsp[1];
	e->pending.desc[0] = (uint64_t)e->elsp[2] << 32 | e->elsp[3];
	e->request_ts = gpu_timestamp(gpu);
	e->request_ns = now_ns();
	e->request_groups = cs_pipeline_groups(e, e->request_ns);
	trace("%s: ELSP %016llx %016llx", e->info->name, (unsigned long long)e->pending.desc[0],
	      (unsigned long long)e->pending.desc[1]);
	if (gpu->instructions)
		coherency_doorbell(gpu, e->info->name, e->pending.desc[0]);
	atomic_fetch_add(&e->list_seq, 1);
	engine_request(e, ENGINE_LIST, 0);
	/* The engine parses on meanwhile; before the commands from here on it could see the list. */
	e->request_commands = atomic_load(e->commands);
	engine_synchronize(e);
}

uint32_t execlists_status(struct engine *e, bool high)
{
	uint32_t v = 0;

	if (high)
		return e->active ? context_id(e->list.desc[e->element]) : 0;
	if (e->active) {
		v |= IGEN_PREP(EXECLIST_STATUS_ACTIVE_MASK, e->element + 1u);
		v |= EXECLIST_STATUS_0_VALID | EXECLIST_STATUS_WRITE_PTR;
	}
	if (engine_requests(e) & ENGINE_LIST)
		v |= EXECLIST_STATUS_1_VALID | EXECLIST_STATUS_QUEUE_FULL;
	return v;
}

static void execlists_reset(struct engine *e)
{
	e->active = false;
	e->elsp_count = 0;
	e->element = 0;
	e->list = (struct execlist){ 0 };
	e->pending = (struct execlist){ 0 };
}

/* False on a page fault, which is reported. */
static bool write_entry(struct engine *e, uint32_t index, uint32_t status, uint32_t id)
{
	const struct vm_ref ggtt = { .ggtt = true };
	uint64_t hwsp = reg_get(e, RING_HWS_PGA(0));

	if (vm_write64(&e->view, &ggtt, hwsp + (HWSP_CSB_DW + 2 * index) * 4, status | (uint64_t)id << 32))
		return true;
	gpu_page_fault(e->gpu, e->info, &ggtt, hwsp, view_page_fault(&e->view, true));
	return false;
}

static void write_pointer(struct engine *e, uint32_t index)
{
	const struct vm_ref ggtt = { .ggtt = true };
	uint64_t hwsp = reg_get(e, RING_HWS_PGA(0));

	if (!vm_write32(&e->view, &ggtt, hwsp + HWSP_CSB_WRITE_PTR_DW * 4, index))
		gpu_page_fault(e->gpu, e->info, &ggtt, hwsp, view_page_fault(&e->view, true));
}

/* For late_csb_us; a reset ends it. gpu->lock held, and dropped meanwhile. */
static void be_late(struct engine *e)
{
	uint64_t until = now_ns() + e->gpu->config.late_csb_us * 1000ull;

	e->takes_time = true;
	while (now_ns() < until && !(engine_requests(e) & (ENGINE_RESET | ENGINE_QUIT)))
		engine_sleep_until(e, until);
	e->takes_time = false;
}

static const char *event_name(uint32_t status)
{
	if (status & CSB_PREEMPTED)
		return status & CSB_LITE_RESTORE ? "lite restore" : "preempted";
	if (status & CSB_IDLE_TO_ACTIVE)
		return "idle to active";
	return status & CSB_WAIT_ON_SEMAPHORE ? "wait on semaphore" : "context complete";
}

/* One event. gpu->lock held, and dropped meanwhile for a late one. */
static void csb_event(struct engine *e, uint32_t status, uint32_t id)
{
	uint32_t ptr, index;
	bool disorder;

	if (board_has(e->gpu, BOARD_CSB) || fault_hits(e->gpu, FAULT_LOST_CSB, e->info->id, event_name(status)))
		return;
	if (fault_hits(e->gpu, FAULT_LATE_CSB, e->info->id, event_name(status)))
		be_late(e);
	disorder = fault_hits(e->gpu, FAULT_CSB_ORDER, e->info->id, event_name(status));
	if (engine_requests(e) & ENGINE_RESET)
		return;
	ptr = reg_get(e, RING_CTX_STATUS_PTR(0));
	index = ((ptr & CTX_STATUS_PTR_WRITE_MASK) + 1) % GEN9_CSB_ENTRIES;
	reg_set(e, RING_CTX_STATUS_BUF_LO(0, index), status);
	reg_set(e, RING_CTX_STATUS_BUF_HI(0, index), id);
	reg_set(e, RING_CTX_STATUS_PTR(0), (ptr & ~CTX_STATUS_PTR_WRITE_MASK) | index);
	/* The entry and then the pointer to the status page, unless a fault asks for the other order. */
	if (disorder) {
		write_pointer(e, index);
		engine_raise(e, GT_IRQ_CONTEXT_SWITCH);
		be_late(e);
		if (engine_requests(e) & ENGINE_RESET)
			return;
		write_entry(e, index, status, id);
	} else if (write_entry(e, index, status, id)) {
		write_pointer(e, index);
	}
	engine_count(e, "csb_events");
	trace("%s: CSB[%u] %x context %x", e->info->name, index, status, id);
	engine_raise(e, GT_IRQ_CONTEXT_SWITCH);
}

/* gpu->lock held. */
static void take_pending(struct engine *e)
{
	e->list = e->pending;
	e->element = 0;
	engine_request(e, 0, ENGINE_LIST);
}

static enum cs_result execlists_arbitrate(struct engine *e, bool point)
{
	enum cs_result r = CS_CONTINUE;
	uint64_t now, next;

	pthread_mutex_lock(&e->gpu->lock);
	e->cs.list_seen = atomic_load(&e->list_seq);
	if (!(engine_requests(e) & ENGINE_LIST))
		goto unlock;
	now = e->list.desc[e->element];
	next = e->pending.desc[0];
	if (valid(next) && same_context(now, next) && !(next & CTX_DESC_FORCE_RESTORE)) {
		if (!e->cs.arbitrate && e->cs.no_lite_restore)
			goto unlock;
		if (!context_resample_tail(e, next))
			goto unlock;
		take_pending(e);
		engine_count(e, "lite_restores");
		csb_event(e, CSB_PREEMPTED | CSB_LITE_RESTORE, context_id(now));
	} else if (point && e->cs.arbitrate && !e->deaf) {
		e->deaf = fault_hits(e->gpu, FAULT_NO_PREEMPT, e->info->id, "is not preempted");
		r = e->deaf ? CS_CONTINUE : CS_PREEMPT;
	}
unlock:
	pthread_mutex_unlock(&e->gpu->lock);
	return r;
}

/* Loads, runs and saves one context. gpu->lock held at entry and exit, dropped in between. */
static enum cs_result run_element(struct engine *e, uint64_t desc)
{
	struct gpu *gpu = e->gpu;
	enum cs_result r = CS_STOPPED;
	uint32_t indirect, per_ctx;

	e->deaf = false;
	pthread_mutex_unlock(&gpu->lock);
	engine_count(e, "context_switches");
	if (!context_load(e, desc))
		goto out;
	cs_check_load(e, desc & CTX_DESC_LRCA_MASK);
	indirect = reg_get(e, RING_INDIRECT_CTX(0));
	per_ctx = reg_get(e, RING_BB_PER_CTX_PTR(0));
	r = CS_CONTINUE;
	if (indirect & INDIRECT_CTX_SIZE_MASK)
		r = cs_run_workaround(e, indirect & ~INDIRECT_CTX_SIZE_MASK,
				      (indirect & INDIRECT_CTX_SIZE_MASK) * 64);
	if (r == CS_CONTINUE && !context_load_rest(e, desc))
		r = CS_STOPPED;
	if (r == CS_CONTINUE && per_ctx & BB_PER_CTX_VALID)
		r = cs_run_workaround(e, per_ctx & RING_START_MASK, 0);
	if (r == CS_CONTINUE)
		r = cs_run(e);
	if (r == CS_COMPLETE)
		pthread_mutex_unlock(&gpu->lock);
	if (r == CS_PREEMPT || r == CS_WAIT_SEMAPHORE)
		r = cs_pipeline_leave(e, r);
	cs_check_save(e, r);
	if (r != CS_STOPPED)
		context_save(e, desc);
out:
	pthread_mutex_lock(&gpu->lock);
	return r;
}

/* From a list to idle, through all that replace it, or to a reset. gpu->lock held. */
static void run_list(struct engine *e)
{
	for (;;) {
		uint64_t desc = e->list.desc[e->element];
		uint32_t status = CSB_CONTEXT_COMPLETE;

		switch (run_element(e, desc)) {
		case CS_PREEMPT:
			engine_count(e, "preemptions");
			e->preempted_ns = e->request_ns;
			e->preempted_walk = cs_pipeline_preempted(e, e->pipeline.saved);
			if (!e->preempted_walk)
				sample("preemption_commands", e->info->name,
				       atomic_load(e->commands) - e->request_commands);
			take_pending(e);
			if (valid(e->list.desc[0])) {
				csb_event(e, CSB_PREEMPTED, context_id(desc));
				continue;
			}
			e->active = false;
			csb_event(e, CSB_PREEMPTED | CSB_ACTIVE_TO_IDLE, context_id(desc));
			return;
		case CS_COMPLETE:
			break;
		case CS_WAIT_SEMAPHORE:
			status = CSB_WAIT_ON_SEMAPHORE;
			break;
		default:
			return;
		}
		e->preempted_ns = 0;
		if (e->element == 0 && valid(e->list.desc[1])) {
			e->element = 1;
			csb_event(e, status | CSB_ELEMENT_SWITCH, context_id(desc));
		} else {
			e->active = false;
			csb_event(e, status | CSB_ACTIVE_TO_IDLE, context_id(desc));
			return;
		}
	}
}

static void execlists_run(struct engine *e)
{
	take_pending(e);
	if (!valid(e->list.desc[0])) {
		engine_count(e, "empty_lists");
		return;
	}
	e->active = true;
	engine_set_state(e, ENGINE_RUNNING);
	csb_event(e, CSB_IDLE_TO_ACTIVE, 0);
	run_list(e);
}

/* A ring that runs without lists. */
static void execlists_ring_space(struct engine *e, struct vm_ref *vm)
{
	vm->ggtt = !(reg_get(e, RING_MODE(0)) & GFX_MODE_PPGTT_ENABLE);
	vm->pml4 = reg_get64(e, RING_PDP_LDW(0, 0));
}

static enum walker_stop execlists_stop_walkers(struct engine *e)
{
	uint32_t level = cs_reg_read(e, CS_CHICKEN1);

	if (!(cs_reg_read(e, FF_SLICE_CS_CHICKEN1) & FFSC_PERCTX_PREEMPT_CTRL) ||
	    level & CS_CHICKEN1_PREEMPT_GPGPU_COMMAND)
		return WALKER_ENDS;
	return level & CS_CHICKEN1_PREEMPT_GPGPU_LEVEL_MASK ? WALKER_GROUP : WALKER_THREAD;
}

const struct submission execlists_submission = {
	.lists = true,
	.ring_space = execlists_ring_space,
	.stops_walkers = execlists_stop_walkers,
	.arbitrate = execlists_arbitrate,
	.run = execlists_run,
	.reset = execlists_reset,
};
