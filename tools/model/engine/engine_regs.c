// SPDX-License-Identifier: MIT
/**
 * DOC: The register block of an engine
 *
 * All engines have the same block at their own base; the render engine adds statistics, indirect
 * draws and predication (KBL Vol 3, the register state tables of each engine; public Gen9 PRM Vol
 * 2c). The register database says what exists, what can be written and what it is after a reset.
 * Registers that do something, or whose value is made at the moment of reading, are in the two
 * switches below.
 *
 * A register that is not in the database is reported to the dispatcher as not implemented.
 */
#include "engine/engine.h"
#include "registers.h"
#include "regs/regs.h"

#define RCS(r)		((r) - RCS0_BASE)

void engine_regs_init(struct engine *e)
{
	const struct igen_reg_set *set = e->gpu->platform->registers;

	for (unsigned int n = set->nglobal; n < set->nregs; n++) {
		const struct igen_reg *r = &set->regs[n];

		if (!(r->engines & reg_engine(e->info->class)) || !igen_reg_is_of(r, e->gpu->platform->name))
			continue;
		for (unsigned int i = 0; i < r->count; i++)
			for (unsigned int k = 0; k < r->dwords; k++)
				e->def[(r->offset + i * r->stride) / 4 + k] = r;
	}
	engine_regs_reset(e);
}

void engine_regs_reset(struct engine *e)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(e->reg); i++)
		reg_set(e, i * 4, e->def[i] ? e->def[i]->reset : 0);
}

bool engine_reg_masked(struct engine *e, uint32_t r)
{
	return e->def[r / 4] && e->def[r / 4]->masked;
}

uint32_t engine_reg_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	struct engine *e = opaque;
	uint32_t r = offset - e->info->base;
	uint32_t v = reg_get(e, r);

	if (!e->def[r / 4]) {
		mmio_unimplemented(gpu);
		return 0;
	}
	switch (r) {
	case RCS(GPGPU_THREADS_DISPATCHED):
		return (uint32_t)cs_pipeline_channels(e);
	case RCS(GPGPU_THREADS_DISPATCHED) + 4:
		return (uint32_t)(cs_pipeline_channels(e) >> 32);
	case RING_CTL(0):
		if (atomic_load(&e->sema_wait))
			v |= RING_CTL_WAIT_SEMAPHORE;
		break;
	case RING_MI_MODE(0):
		if (engine_is_idle(e) || e->state == ENGINE_PARKED)
			v |= MI_MODE_IDLE;
		break;
	case RING_INSTDONE(0):
		v = engine_is_idle(e) ? ~0u : ~1u;
		break;
	case RING_RESET_CTL(0):
		if (v & RESET_CTL_REQUEST_RESET && e->reset_prepared && engine_ready_to_reset(gpu, e->info->id))
			v |= RESET_CTL_READY_TO_RESET;
		break;
	case RING_EXECLIST_STATUS_LO(0):
		return execlists_status(e, false);
	case RING_EXECLIST_STATUS_HI(0):
		return execlists_status(e, true);
	case RING_RC_PSMI_CONTROL(0):
		return ring_psmi(e, v);
	case RING_TIMESTAMP(0):
		return (uint32_t)gpu_timestamp(gpu);
	case RING_TIMESTAMP_UDW(0):
		/* 36 bits (public Gen9 PRM Vol 2c, "TIMESTAMP"). */
		return (uint32_t)(gpu_timestamp(gpu) >> 32) & 0xf;
	case RING_CTX_TIMESTAMP(0):
		if (atomic_load(&e->ctx_active))
			return (uint32_t)(gpu_timestamp(gpu) + atomic_load(&e->ctx_time_base));
		break;
	case RING_ELSP(0):
		return 0;
	}
	return v;
}

/* STOP_RING and the preparation of a reset both end parsing at the next command. */
static void update_park(struct engine *e)
{
	bool park = reg_get(e, RING_MI_MODE(0)) & MI_MODE_STOP_RING ||
		    reg_get(e, RING_RESET_CTL(0)) & RESET_CTL_REQUEST_RESET;

	if (park == !!(engine_requests(e) & ENGINE_PARK))
		return;
	engine_request(e, park ? ENGINE_PARK : 0, park ? 0 : ENGINE_PARK);
	if (park)
		engine_wait_parked(e);
}

/* The request that is there by now has been taken notice of. */
static void prepared(struct gpu *gpu, void *opaque, uint32_t arg)
{
	struct engine *e = opaque;

	(void)gpu;
	(void)arg;
	e->reset_prepared = reg_get(e, RING_RESET_CTL(0)) & RESET_CTL_REQUEST_RESET;
}

static void reset_ctl_written(struct engine *e, uint32_t old)
{
	uint32_t v = reg_get(e, RING_RESET_CTL(0));

	if (v & ~old & RESET_CTL_REQUEST_RESET) {
		e->reset_withheld = fault_hits(e->gpu, FAULT_RESET, e->info->id,
					       "does not get ready");
		e->reset_prepared = false;
		event_after_latency(e->gpu, prepared, e, 0);
	}
	if (old & ~v & RESET_CTL_REQUEST_RESET) {
		e->reset_withheld = false;
		e->reset_prepared = false;
	}
	update_park(e);
}

/* A tail of a ring without execlists gives the engine work, if it gets there. */
static bool submitted(struct engine *e)
{
	if (e->submission->lists)
		return true;
	engine_count(e, "tail_writes");
	if (fault_hits(e->gpu, FAULT_DIE, e->info->id, "a tail write"))
		model_die("fault: the model dies at a tail write");
	if (fault_hits(e->gpu, FAULT_OFF_BUS, e->info->id, "a tail write")) {
		gpu_off_bus(e->gpu);
		return false;
	}
	if (board_has(e->gpu, BOARD_ENGINE))
		return false;
	if (!e->ring_asleep)
		return true;
	cs_finding(e, "tail-asleep: the ring sleeps, and no PSMI_SLEEP_MSG_DISABLE has woken it");
	return false;
}

void engine_reg_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	struct engine *e = opaque;
	uint32_t r = offset - e->info->base;
	const struct igen_reg *def = e->def[r / 4];
	uint32_t old = reg_get(e, r);
	uint32_t mask;

	if (!def) {
		mmio_unimplemented(gpu);
		return;
	}
	switch (r) {
	case RING_ELSP(0):
		execlists_elsp_write(e, value);
		return;
	case RCS(GPGPU_THREADS_DISPATCHED):
	case RCS(GPGPU_THREADS_DISPATCHED) + 4:
		old = cs_pipeline_channels(e) >> (r - RCS(GPGPU_THREADS_DISPATCHED)) * 8;
		break;
	case RING_EIR(0):
		reg_set(e, r, old & ~value);	/* written bits are cleared */
		return;
	case RING_CTX_TIMESTAMP(0):
		atomic_store(&e->ctx_time_base, value - gpu_timestamp(gpu));
		break;
	}
	mask = def->writable;
	if (def->masked)
		mask &= value >> 16;
	if (r == RING_TAIL(0) && !submitted(e))
		return;
	reg_set(e, r, (old & ~mask) | (value & mask));
	if (!e->submission->lists)
		ring_register_written(e, r, old);
	switch (r) {
	case RING_MI_MODE(0):
		update_park(e);
		break;
	case RING_RESET_CTL(0):
		reset_ctl_written(e, old);
		break;
	case RING_TAIL(0):
		if (!this_engine)
			cs_check_tail(e, old, reg_get(e, r));
		pthread_cond_broadcast(&e->wake);
		engine_synchronize(e);
		break;
	case RING_CTL(0):
		pthread_cond_broadcast(&e->wake);
		engine_synchronize(e);
		break;
	}
}
