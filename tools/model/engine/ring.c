// SPDX-License-Identifier: MIT
/**
 * DOC: Rings without execlists
 *
 * On Gen6 and Gen7 the driver gives an engine work by moving the tail of its one ring. Contexts, of the render engine
 * alone, and address spaces change by commands in that ring.
 *
 * Address space: a write of PP_DIR_BASE has the engine read the page directory, of which PP_DIR_DCLV says what
 * counts. Batches that are not privileged use it where GFX_MODE (Gen6, for all engines) or the engine's own mode
 * register (Gen7) enables it, which is looked at when the ring begins to run. INSTPM with SYNC_FLUSH and
 * TLB_INVALIDATE empties the TLBs of an idle engine and clears both bits when that is done (as stock i915 waits for).
 *
 * Contexts: MI_SET_CONTEXT saves the context that CCID names, and loads another one unless it is inhibited. The image
 * has registers, state packets and thread groups that have not run, in a layout of the model's own: software never
 * looks into it. The context that is loaded already is not loaded again, unless that is forced (DG1 Vol 2a,
 * "MI_SET_CONTEXT"). It waits for the pipeline.
 *
 * The ring: a write of RING_START resets the head (a remark in a public driver of Gen7's; an assumption). An engine
 * stops at a ring that is disabled, and takes up the next one when that is enabled.
 *
 * Sleep: Gen6's video engine sleeps when it is idle. The driver has to set PSMI_SLEEP_MSG_DISABLE, which wakes it after
 * latency_us, and to wait until PSMI_SLEEP_INDICATOR is clear, before it writes the tail; a tail that is written
 * to an engine that sleeps is lost (as stock i915's workaround for it has it).
 */
#include <string.h>

#include "engine/engine.h"
#include "regs/regs.h"
#include "igen/cmd/mi.h"
#include "igen/regs/gt.h"
#include "neutral_mi.h"

#define CCID_ADDRESS	IGEN_MASK(31, 12)
#define CCID_VALID	IGEN_BIT(0)

static const struct vm_ref ggtt = { .ggtt = true };

static void load_directory(struct engine *e)
{
	/* The register counts in cache lines of the GGTT's table. */
	tlb_load_directory(e->tlb, IGEN_GET(PP_DIR_BASE_MASK, reg_get(e, RING_PP_DIR_BASE(0))) * 64,
			   reg_get(e, RING_PP_DIR_DCLV(0)));
	engine_count(e, "directory_loads");
}

static void ring_space(struct engine *e, struct vm_ref *vm)
{
	vm->ggtt = !(mmio_peek(e->gpu, e->info->mode_reg) & GFX_MODE_PPGTT_ENABLE);
	vm->pml4 = PPGTT_LOADED;
}

/* The sync flush that INSTPM asked for. */
static void sync_flush(struct gpu *gpu, void *opaque, uint32_t arg)
{
	struct engine *e = opaque;
	uint32_t v = reg_get(e, RING_INSTPM(0));

	(void)gpu;
	(void)arg;
	if (v & INSTPM_TLB_INVALIDATE)
		tlb_invalidate(e->tlb, true, true);
	reg_set(e, RING_INSTPM(0), v & ~(INSTPM_SYNC_FLUSH | INSTPM_TLB_INVALIDATE));
}

static void woken(struct gpu *gpu, void *opaque, uint32_t arg)
{
	struct engine *e = opaque;

	(void)gpu;
	(void)arg;
	if (reg_get(e, RING_RC_PSMI_CONTROL(0)) & PSMI_SLEEP_MSG_DISABLE)
		e->ring_asleep = false;
}

/**
 * ring_goes_idle() - the engine has nothing to do
 * @e: the engine; gpu->lock is held
 */
void ring_goes_idle(struct engine *e)
{
	/* A ring that has never run is as firmware left it. */
	if (e->info->sleeps && e->state != ENGINE_IDLE && reg_get(e, RING_CTL(0)) & RING_CTL_VALID &&
	    !(reg_get(e, RING_RC_PSMI_CONTROL(0)) & PSMI_SLEEP_MSG_DISABLE))
		e->ring_asleep = true;
	uhptr_reached(e);
}

uint32_t ring_psmi(struct engine *e, uint32_t value)
{
	if (!e->info->sleeps)
		return value;
	return (value & ~PSMI_SLEEP_INDICATOR) | (e->ring_asleep ? PSMI_SLEEP_INDICATOR : 0);
}

/**
 * ring_register_written() - what a write of a register does to a ring without execlists
 * @e: the engine; gpu->lock is held
 * @r: the register, from the engine's base; it has its new value
 * @old: what it was
 */
void ring_register_written(struct engine *e, uint32_t r, uint32_t old)
{
	uint32_t v = reg_get(e, r);

	switch (r) {
	case RING_START(0):
		reg_set(e, RING_HEAD(0), 0);
		break;
	case RING_CTL(0):
		if (v & RING_CTL_VALID)
			break;
		e->ring_asleep = false;
		if (e->state != ENGINE_IDLE && e->state != ENGINE_HALTED)
			engine_request(e, ENGINE_DISABLED, 0);
		break;
	case RING_PP_DIR_BASE(0):
		load_directory(e);
		break;
	case RING_INSTPM(0):
		if (!(v & ~old & INSTPM_SYNC_FLUSH))
			break;
		if (!engine_is_idle(e) && e->state != ENGINE_PARKED)
			cs_finding(e, "sync-flush-busy: INSTPM_SYNC_FLUSH of a ring that is not idle");
		event_after_latency(e->gpu, sync_flush, e, 0);
		break;
	case RING_RC_PSMI_CONTROL(0):
		if (e->ring_asleep && v & PSMI_SLEEP_MSG_DISABLE)
			event_after_latency(e->gpu, woken, e, 0);
		else if (e->info->sleeps && !(v & PSMI_SLEEP_MSG_DISABLE) && old & PSMI_SLEEP_MSG_DISABLE &&
			 e->state == ENGINE_IDLE && engine_is_idle(e))
			e->ring_asleep = true;
		break;
	case RING_UHPTR(0):
		uhptr_written(e, old);
		break;
	}
}

/* Halts at an image that cannot be reached. */
static enum cs_result no_image(struct engine *e, uint32_t addr, bool write)
{
	gpu_page_fault(e->gpu, e->info, &ggtt, addr, view_page_fault(&e->view, write));
	return engine_halt(e, EIR_PAGE_TABLE_ERROR, "context image is not mapped");
}

static enum cs_result save(struct engine *e, uint32_t addr)
{
	const struct image_layout *image = e->gpu->platform->image;
	uint32_t list[CONTEXT_LIST_DWORDS];
	unsigned int n;

	pthread_mutex_lock(&e->gpu->lock);
	n = context_gather(e, list);
	state_note_context(e, addr, list, n, NULL, 0);
	pthread_mutex_unlock(&e->gpu->lock);
	if (!vm_write(&e->view, &ggtt, addr + image->registers * 4, list, n * 4) ||
	    !cs_state_save(e, addr) || !cs_pipeline_save(e, addr))
		return no_image(e, addr, true);
	return CS_CONTINUE;
}

static enum cs_result load(struct engine *e, uint32_t addr, bool inhibit)
{
	const struct image_layout *image = e->gpu->platform->image;
	uint32_t list[CONTEXT_LIST_DWORDS] = { 0 };
	const char *error = NULL;

	if (!inhibit && !vm_read(&e->view, &ggtt, addr + image->registers * 4, list, sizeof(list)))
		return no_image(e, addr, false);
	if (!inhibit && !list[0])
		cs_finding(e, "context-not-saved: MI_SET_CONTEXT restores an image that no engine has saved");
	pthread_mutex_lock(&e->gpu->lock);
	if (list[0])
		error = context_execute_image(e, list, CONTEXT_LIST_DWORDS);
	pthread_mutex_unlock(&e->gpu->lock);
	if (error)
		return engine_halt(e, EIR_INSTRUCTION_ERROR, error);
	if (!cs_state_load(e, inhibit ? 0 : addr) || !cs_pipeline_load(e, inhibit ? 0 : addr))
		return no_image(e, addr, false);
	pthread_mutex_lock(&e->gpu->lock);
	cs_pipeline_go(e);
	pthread_mutex_unlock(&e->gpu->lock);
	e->pipeline.busy = e->pipeline.n;
	return CS_CONTINUE;
}

static enum cs_result switch_to(struct engine *e, const struct mi_set_context *c)
{
	uint32_t addr = (uint32_t)c->logical_context_address & CCID_ADDRESS, old = reg_get(e, RING_CCID(0));
	enum cs_result r = CS_CONTINUE;

	if (old & CCID_VALID && (old & CCID_ADDRESS) == addr && !c->force_restore)
		return CS_CONTINUE;
	if (old & CCID_VALID) {
		r = save(e, old & CCID_ADDRESS);
		cs_check_save(e, CS_PREEMPT);
	}
	if (r == CS_CONTINUE)
		r = load(e, addr, c->restore_inhibit);
	if (r != CS_CONTINUE)
		return r;
	reg_set(e, RING_CCID(0), addr | CCID_VALID);
	e->loaded_desc = addr;
	cs_check_enter(e, addr, c->restore_inhibit);
	engine_count(e, "context_switches");
	trace("%s: context %08x loaded%s", e->info->name, addr, c->restore_inhibit ? " (nothing restored)" : "");
	return CS_CONTINUE;
}

static enum cs_result ring_set_context(struct engine *e)
{
	struct mi_set_context c;
	enum cs_result r;

	if (!cs_privileged(e)) {
		count("privileged_noops", e->cs.cmd->name, 1);
		return CS_CONTINUE;
	}
	if (e->cs.level != CS_RING)
		return cs_refuse(e, "MI_SET_CONTEXT in a batch");
	if (e->info->class != ENGINE_RENDER)
		return cs_refuse(e, "MI_SET_CONTEXT on an engine without contexts");
	r = cs_pipeline_wait(e, PIPELINE_EMPTY, true);
	if (r != CS_CONTINUE)
		return r;
	mi_set_context_get(e->gen, e->cs.dw, &c);
	return switch_to(e, &c);
}

static void ring_reset(struct engine *e)
{
	e->uhptr_taken = false;
	e->uhptr_checks = 0;
	e->ring_asleep = false;
	tlb_load_directory(e->tlb, 0, 0);
}

/* IVB Vol 2 Part 2, 1.3.5: walkers are preempted between groups. */
static enum walker_stop ring_stop_walkers(struct engine *e)
{
	return uhptr_asks(e) ? WALKER_GROUP : WALKER_ENDS;
}

const struct submission ring_submission_gen6 = {
	.reset = ring_reset,
	.ring_space = ring_space,
	.arb_check = uhptr_arb_check,
	.set_context = ring_set_context,
};

const struct submission ring_submission_gen7 = {
	.reset = ring_reset,
	.ring_space = ring_space,
	.stops_walkers = ring_stop_walkers,
	.stops_at_flush = uhptr_asks,
	.batch_arb_check = true,
	.arb_check = uhptr_arb_check,
	.set_context = ring_set_context,
};
