// SPDX-License-Identifier: MIT
/**
 * DOC: The register block of an engine
 *
 * All engines have the same block at their own base; the render engine adds statistics, indirect
 * draws and predication (KBL Vol 3, the register state tables of each engine; public Gen9 PRM Vol
 * 2c). One table says what exists, what can be written and what it is after a reset. Registers that
 * do something, or whose value is made at the moment of reading, are in the two switches below.
 *
 * A register that is not in the table is reported to the dispatcher as not implemented.
 */
#include "engine.h"
#include "igen/regs/context.h"

#define RO	0u
#define RW	(~0u)

#define ON_RCS	IGEN_BIT(ENGINE_RENDER)
#define ON_BCS	IGEN_BIT(ENGINE_COPY)
#define ON_VCS	IGEN_BIT(ENGINE_VIDEO)
#define ON_VECS	IGEN_BIT(ENGINE_VIDEO_ENHANCE)
#define ON_ALL	(ON_RCS | ON_BCS | ON_VCS | ON_VECS)
#define ON_XCS	(ON_BCS | ON_VCS | ON_VECS)

struct engine_reg {
	uint16_t offset;			/* from the base */
	uint16_t count;				/* of dwords */
	uint32_t writable;
	bool masked;
	uint8_t classes;
	uint32_t reset;
};

#define RCS(r)		((r) - RCS0_BASE)

static const struct engine_reg engine_regs[] = {
	{ RING_EXCC(0), 1, 0xffff, true, ON_ALL, 0 },
	{ RING_TAIL(0), 1, RING_TAIL_MASK, false, ON_ALL, 0 },
	{ RING_HEAD(0), 1, RING_HEAD_MASK | RING_HEAD_WRAP_MASK, false, ON_ALL, 0 },
	{ RING_START(0), 1, RING_START_MASK, false, ON_ALL, 0 },
	{ RING_CTL(0), 1, RING_CTL_LENGTH_MASK | RING_CTL_VALID, false, ON_ALL, 0 },
	{ RING_SYNC_0(0), 3, RW, false, ON_ALL, 0 },
	{ RING_RC_PSMI_CONTROL(0), 1, 0xffff, true, ON_ALL, 0 },
	{ RING_MAX_IDLE(0), 1, RW, false, ON_ALL, 0 },
	{ RING_CTX_WA_PTR(0), 1, RW, false, ON_ALL, 0 },
	{ RING_ACTHD_UDW(0), 1, RO, false, ON_ALL, 0 },
	{ RING_DMA_FADD_UDW(0), 1, RO, false, ON_ALL, 0 },
	{ RING_IPEIR(0), 1, RO, false, ON_ALL, 0 },
	{ RING_IPEHR(0), 1, RO, false, ON_ALL, 0 },
	{ RING_INSTDONE(0), 1, RO, false, ON_ALL, 0 },
	{ RING_INSTPS(0), 1, RO, false, ON_ALL, 0 },
	{ RING_ACTHD(0), 1, RO, false, ON_ALL, 0 },
	{ RING_DMA_FADD(0), 1, RO, false, ON_ALL, 0 },
	{ RING_HWS_PGA(0), 1, HWS_PGA_MASK, false, ON_ALL, 0 },
	{ RING_NOPID(0), 1, RW, false, ON_ALL, 0 },
	{ RING_HWSTAM(0), 1, RW, false, ON_ALL, ~0u },
	{ RING_MI_MODE(0), 1, 0xffff & ~MI_MODE_IDLE, true, ON_ALL, 0 },
	{ 0xa0, 1, RW, false, ON_XCS, 0 },	/* GAC_MODE, GAB_MODE */
	{ RING_IMR(0), 1, RW, false, ON_ALL, ~0u },
	{ RING_EIR(0), 1, RW, false, ON_ALL, 0 },
	{ RING_EMR(0), 1, RW, false, ON_ALL, ~0u },
	{ RING_ESR(0), 1, RO, false, ON_ALL, 0 },
	{ RING_INSTPM(0), 1, 0xffff, true, ON_ALL, 0 },
	{ RING_CMD_CCTL(0), 1, 0xffff, true, ON_ALL, 0 },
	{ RING_WAIT_FOR_RC6_EXIT(0), 1, 0xffff, true, ON_ALL, 0 },
	{ RING_RESET_CTL(0), 1, RESET_CTL_REQUEST_RESET | RESET_CTL_CAT_ERROR, true, ON_ALL, 0 },
	{ RING_CSFE_CHICKEN1(0), 1, 0xffff, true, ON_ALL, 0 },
	{ RING_FBC_RT_BASE(0), 1, RW, false, ON_XCS, 0 },
	{ RING_BB_STATE(0), 1, RW, false, ON_ALL, 0 },
	{ RING_SBB_HEAD_L(0), 1, RW, false, ON_ALL, 0 },
	{ RING_SBB_STATE(0), 1, RW, false, ON_ALL, 0 },
	{ RING_SBB_HEAD_U(0), 1, RW, false, ON_ALL, 0 },
	{ RING_UHPTR(0), 1, RW, false, ON_ALL, 0 },
	{ RING_SBB_PREEMPT_ADDR_U(0), 1, RO, false, ON_ALL, 0 },
	{ RING_SBB_PREEMPT_ADDR(0), 1, RO, false, ON_ALL, 0 },
	{ RING_BB_HEAD_L(0), 1, RW, false, ON_ALL, 0 },
	{ RING_BB_PREEMPT_ADDR(0), 1, RO, false, ON_ALL, 0 },
	{ RING_HEAD_PREEMPT(0), 1, RO, false, ON_ALL, 0 },
	{ RING_BB_START_ADDR(0), 1, RW, false, ON_ALL, 0 },
	{ RING_BB_ADDR_DIFF(0), 1, RW, false, ON_ALL, 0 },
	{ RING_BB_OFFSET(0), 1, ~7u, false, ON_ALL, 0 },
	{ RING_BB_HEAD_U(0), 1, RW, false, ON_ALL, 0 },
	{ RING_BB_PREEMPT_ADDR_U(0), 1, RO, false, ON_ALL, 0 },
	{ RING_BB_START_ADDR_U(0), 1, RW, false, ON_ALL, 0 },
	{ RING_PR_CTR_CTL(0), 1, RW, false, ON_ALL, 0 },
	{ RING_PR_CTR_THRSH(0), 1, RW, false, ON_ALL, 0 },
	{ RING_CCID(0), 1, RW, false, ON_ALL, 0 },
	{ RING_BB_PER_CTX_PTR(0), 1, RW, false, ON_ALL, 0 },
	{ RING_INDIRECT_CTX(0), 1, RW, false, ON_ALL, 0 },
	{ RING_INDIRECT_CTX_OFFSET(0), 1, RW, false, ON_ALL, 0 },
	{ RING_PREEMPT_DLY(0), 1, RW, false, ON_ALL, 0 },
	/* In the images of the media engines too, where the blitter has its BCS_SWCTRL. */
	{ BCS_SWCTRL - BCS0_BASE, 1, 0xffff, true, ON_VCS | ON_VECS, 0 },
	{ RING_ELSP(0), 1, RW, false, ON_ALL, 0 },
	{ RING_EXECLIST_STATUS_LO(0), 2, RO, false, ON_ALL, 0 },
	{ RING_IDLEDELAY(0), 1, RW, false, ON_ALL, 0 },
	{ RING_CTX_CTL(0), 1, 0xffff, true, ON_ALL, 0 },
	{ RING_SEMA_WAIT_POLL(0), 1, RW, false, ON_ALL, 0 },
	{ RING_PDP_LDW(0, 0), 8, RW, false, ON_ALL, 0 },
	{ RING_MODE(0), 1, 0xffff, true, ON_ALL, 0 },
	{ RING_SYNC_FLIP_STATUS(0), 1, RW, false, ON_ALL, 0 },
	{ RING_SYNC_FLIP_STATUS_1(0), 1, RW, false, ON_ALL, 0 },
	{ RING_DISPLAY_FORWARD_STATUS(0), 1, RW, false, ON_ALL, 0 },
	{ RING_SYNC_FLIP_STATUS_2(0), 1, RW, false, ON_ALL, 0 },
	{ RING_TIMESTAMP(0), 2, RO, false, ON_ALL, 0 },
	{ RING_CTX_STATUS_BUF_LO(0, 0), 2 * GEN9_CSB_ENTRIES, RO, false, ON_ALL, 0 },
	{ RING_CTX_STATUS_PTR(0), 1, CTX_STATUS_PTR_READ_MASK | CTX_STATUS_PTR_WRITE_MASK, true,
	  ON_ALL, GEN9_CSB_RESET_PTR << 8 | GEN9_CSB_RESET_PTR },
	{ RING_CTX_TIMESTAMP(0), 1, RW, false, ON_ALL, 0 },
	{ RING_PREDICATE_RESULT_2(0), 1, RW, false, ON_ALL, 0 },
	{ RING_PREDICATE_SRC0(0), 6, RW, false, ON_RCS, 0 },
	{ RING_PREDICATE_RESULT(0), 1, 1, false, ON_RCS, 0 },
	{ RING_PREDICATE_RESULT_1(0), 1, RW, false, ON_ALL, 0 },
	{ RING_PREEMPTION_HINT(0), 1, RW, false, ON_ALL, 0 },
	{ RING_PREEMPTION_HINT_U(0), 2, RW, false, ON_ALL, 0 },
	{ RING_FORCE_TO_NONPRIV(0, 0), FORCE_TO_NONPRIV_MAX, FORCE_TO_NONPRIV_ADDR_MASK, false,
	  ON_ALL, 0 },
	{ RING_GPR(0, 0), 2 * RING_GPR_MAX, RW, false, ON_ALL, 0 },

	{ BCS_SWCTRL - BCS0_BASE, 1, BCS_SWCTRL_SRC_Y | BCS_SWCTRL_DST_Y, true, ON_BCS, 0 },

	{ RCS(PGTBL_ER), 1, RO, false, ON_RCS, 0 },
	{ RCS(R_PWR_CLK_STATE), 1, RW, false, ON_RCS, 0 },
	{ RCS(GPGPU_THREADS_DISPATCHED), 2, RW, false, ON_RCS, 0 },
	{ RCS(PS_INVOCATION_COUNT_SLICE0), 2, RW, false, ON_RCS, 0 },
	{ RCS(PS_DEPTH_COUNT_SLICE0), 2, RW, false, ON_RCS, 0 },
	{ RCS(PS_INVOCATION_COUNT_SLICE1), 2, RW, false, ON_RCS, 0 },
	{ RCS(PS_DEPTH_COUNT_SLICE1), 2, RW, false, ON_RCS, 0 },
	{ RCS(HS_INVOCATION_COUNT), 22, RW, false, ON_RCS, 0 },	/* to PS_DEPTH_COUNT */
	{ RCS(OACTXCONTROL), 2, RW, false, ON_RCS, 0 },
	{ RCS(PRIM3D_END_OFFSET), 1, RW, false, ON_RCS, 0 },
	{ RCS(PRIM3D_START_VERTEX), 5, RW, false, ON_RCS, 0 },	/* to PRIM3D_BASE_VERTEX */
	{ RCS(PS_INVOCATION_COUNT_SLICE2), 2, RW, false, ON_RCS, 0 },
	{ RCS(PS_DEPTH_COUNT_SLICE2), 2, RW, false, ON_RCS, 0 },
	{ RCS(GPGPU_DISPATCHDIMX), 3, RW, false, ON_RCS, 0 },
};

void engine_regs_init(struct engine *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(engine_regs); i++) {
		const struct engine_reg *r = &engine_regs[i];

		if (!(r->classes & (1u << e->info->class)))
			continue;
		for (unsigned int k = 0; k < r->count; k++)
			e->def[r->offset / 4 + k] = r;
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
		return (uint32_t)cs_walker_channels(e);
	case RCS(GPGPU_THREADS_DISPATCHED) + 4:
		return (uint32_t)(cs_walker_channels(e) >> 32);
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
		if (v & RESET_CTL_REQUEST_RESET && engine_ready_to_reset(gpu, e->info->id))
			v |= RESET_CTL_READY_TO_RESET;
		break;
	case RING_EXECLIST_STATUS_LO(0):
		return execlists_status(e, false);
	case RING_EXECLIST_STATUS_HI(0):
		return execlists_status(e, true);
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

	if (park != !!(engine_requests(e) & ENGINE_PARK))
		engine_request(e, park ? ENGINE_PARK : 0, park ? 0 : ENGINE_PARK);
}

static void reset_ctl_written(struct engine *e, uint32_t old)
{
	uint32_t v = reg_get(e, RING_RESET_CTL(0));

	if (v & ~old & RESET_CTL_REQUEST_RESET) {
		e->reset_withheld = fault_hits(e->gpu, FAULT_RESET, e->info->id,
					       "does not get ready");
	}
	if (old & ~v & RESET_CTL_REQUEST_RESET)
		e->reset_withheld = false;
	update_park(e);
}

void engine_reg_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	struct engine *e = opaque;
	uint32_t r = offset - e->info->base;
	const struct engine_reg *def = e->def[r / 4];
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
	reg_set(e, r, (old & ~mask) | (value & mask));
	switch (r) {
	case RING_MI_MODE(0):
		update_park(e);
		break;
	case RING_RESET_CTL(0):
		reset_ctl_written(e, old);
		break;
	case RING_TAIL(0):
	case RING_CTL(0):
		pthread_cond_broadcast(&e->wake);
		break;
	}
}
