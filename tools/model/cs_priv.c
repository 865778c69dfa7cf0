// SPDX-License-Identifier: MIT
/**
 * DOC: What a batch without privilege may not do
 *
 * A batch in the PPGTT may write the registers of a fixed list, which hold its own context's state,
 * and those that a driver added in the FORCE_TO_NONPRIV slots; a write to any other is a NOOP (DG1
 * Vol 2a, "MI_LOAD_REGISTER_IMM"). Reading registers is free. An access to the global GTT is a
 * violation: it does not happen, and the engine records it (DG1 Vol 2a, "MI_STORE_REGISTER_MEM" and
 * others, bit "Use Global GTT"); what happens beyond that on silicon is in a table that no text
 * here has.
 *
 * The list is the public Gen9 PRM's "User Mode Non-Privileged Registers", as IGT's
 * gem_ctx_isolation uses it.
 */
#include "engine.h"
#include "igen/cmd/mi.h"
#include "igen/regs/gt.h"

struct range {
	uint32_t offset;
	uint16_t count;
};

static const struct range render_list[] = {
	{ RING_NOPID(RCS0_BASE), 1 },
	{ RING_INSTPM(RCS0_BASE), 1 },
	{ RING_BB_OFFSET(RCS0_BASE), 1 },
	{ GPGPU_THREADS_DISPATCHED, 2 },
	{ PS_INVOCATION_COUNT_SLICE0, 2 },
	{ PS_DEPTH_COUNT_SLICE0, 2 },
	{ PS_INVOCATION_COUNT_SLICE1, 2 },
	{ PS_DEPTH_COUNT_SLICE1, 2 },
	{ HS_INVOCATION_COUNT, 22 },		/* to PS_DEPTH_COUNT */
	{ OACTXCONTROL, 2 },
	{ RING_PREDICATE_RESULT_2(RCS0_BASE), 1 },
	{ RING_PREDICATE_SRC0(RCS0_BASE), 6 },
	{ RING_PREDICATE_RESULT(RCS0_BASE), 2 },
	{ PRIM3D_END_OFFSET, 1 },
	{ PRIM3D_START_VERTEX, 5 },
	{ PS_INVOCATION_COUNT_SLICE2, 2 },
	{ PS_DEPTH_COUNT_SLICE2, 2 },
	{ GPGPU_DISPATCHDIMX, 3 },
	{ SO_NUM_PRIMS_WRITTEN(0), 8 },
	{ SO_PRIM_STORAGE_NEEDED(0), 8 },
	{ SO_WRITE_OFFSET(0), 4 },
	{ CACHE_MODE_0, 3 },			/* with CACHE_MODE_1 and GT_MODE */
	{ L3CNTLREG, 1 },
	{ TD_CTL, 2 },
};

static const struct range copy_list[] = {
	{ BCS_SWCTRL, 1 },
};

static bool listed(const struct range *list, size_t n, uint32_t offset)
{
	for (size_t i = 0; i < n; i++)
		if (offset >= list[i].offset && offset < list[i].offset + list[i].count * 4u)
			return true;
	return false;
}

static bool is_nonpriv(struct engine *e, uint32_t offset)
{
	uint32_t base = e->info->base;

	if (offset >= RING_GPR(base, 0) && offset < RING_GPR(base, RING_GPR_MAX))
		return true;
	if (offset == RING_PREDICATE_RESULT_1(base))
		return true;
	if (e->info->class == ENGINE_RENDER && listed(render_list, ARRAY_SIZE(render_list), offset))
		return true;
	if (e->info->class == ENGINE_COPY && listed(copy_list, ARRAY_SIZE(copy_list), offset))
		return true;
	for (unsigned int i = 0; i < FORCE_TO_NONPRIV_MAX; i++)
		if ((reg_get(e, RING_FORCE_TO_NONPRIV(0, i)) & FORCE_TO_NONPRIV_ADDR_MASK) ==
		    offset)
			return true;
	return false;
}

static void violation(struct engine *e, const char *what)
{
	pthread_mutex_lock(&e->gpu->lock);
	count("privilege_violations", what, 1);
	engine_error(e, EIR_PRIVILEGE_VIOLATION);
	pthread_mutex_unlock(&e->gpu->lock);
}

bool cs_may_use_ggtt(struct engine *e)
{
	if (cs_privileged(e))
		return true;
	violation(e, e->cs.cmd->name);
	return false;
}

bool cs_may_execute(struct engine *e, bool error)
{
	const char *name = e->cs.cmd->name;

	if (cs_privileged(e))
		return true;
	if (error)
		violation(e, name);
	else
		count("privileged_noops", name, 1);
	return false;
}

bool cs_reg_write(struct engine *e, uint32_t offset, uint32_t value)
{
	char name[16];

	offset &= MI_REGISTER_MASK;
	if (!cs_privileged(e) && !is_nonpriv(e, offset)) {
		snprintf(name, sizeof(name), "register %06x", offset);
		count("privileged_noops", name, 1);
		return false;
	}
	pthread_mutex_lock(&e->gpu->lock);
	mmio_write(e->gpu, offset, value, false);
	pthread_mutex_unlock(&e->gpu->lock);
	return true;
}
