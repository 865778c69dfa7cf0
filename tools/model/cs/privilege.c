// SPDX-License-Identifier: MIT
/**
 * DOC: Checks of an unprivileged batch
 *
 * A batch in the PPGTT has no privilege. It may write the registers of a fixed list, which hold its
 * own context's state, and those that a driver added in the FORCE_TO_NONPRIV slots; a write to any
 * other is a NOOP (DG1 Vol 2a, "MI_LOAD_REGISTER_IMM", "MI_LOAD_REGISTER_MEM",
 * "MI_LOAD_REGISTER_REG"). Reading registers is free. An access to the global GTT is a violation: it
 * does not happen, and the engine records it (DG1 Vol 2a, "MI_STORE_REGISTER_MEM" and others, bit
 * "Use Global GTT"); MI_ATOMIC and MI_SEMAPHORE_WAIT ignore the bit. What happens beyond that on
 * silicon is in a table, "User Mode Privileged Commands", that no text here has.
 *
 * The fixed list is the public Gen9 PRM's "User Mode Non-Privileged Registers", as IGT's
 * gem_ctx_isolation uses it; that of the blitter is also in the public TGL PRM Vol 10. It is in the
 * register database (tools/cmdgen/regs, "nonpriv"). The one of Gen6 and Gen7 is an assumption: what IGT's
 * gem_ctx_isolation writes from Gen4 or Gen7 on, and stock i915's batch that clears what contexts leave.
 *
 * Where the manuals are silent, or are of another generation, a setting turns the belief round, so
 * that tests can show that a driver does not depend on it. "Cited" names the text; the others are
 * assumptions.
 *
 *   bcs_checks_registers    off: stock i915 parses each batch of Gen9's blitter, since that engine
 *                           writes any register (comment on gen9_blt_cmds in i915_cmd_parser.c,
 *                           CVE-2019-0155). The manuals of Gen12 say on.
 *                           On Gen6 and Gen7 it is always on: stock i915 runs batches that it has not
 *                           parsed there.
 *   video_checks_registers  on: an assumption. Stock i915 parses no batch of these engines. No text
 *                           at hand has their list, so it is the general purpose registers alone.
 *   bcs_checks_ggtt         on: cited, the same comment ("rely on the h/w to enforce cmd security").
 *   index_privileged        off: an assumption, against the driver. DG1 Vol 2a ("MI_STORE_DATA_INDEX",
 *                           "MI_FLUSH_DW", "PIPE_CONTROL") forbid it to no batch.
 *   arb_privileged          on: cited, DG1 Vol 2a, "MI_ARB_ON_OFF".
 *   predicate_confined      on: cited for a batch's end, DG1 Vol 2a, "MI_SET_PREDICATE" ("the only
 *                           command executed"); an assumption for the context's end.
 *   ppgtt_read_only         on: cited, stock i915 (gen8_ppgtt.c: "From bdw, there is hw support").
 *   stores_global           on: cited, stock i915's "Sandybridge PPGTT errata" ("the gpu doesn't properly redirect
 *                           them through the ppgtt for non_secure batchbuffers"): on Sandy Bridge what such a batch
 *                           stores goes through the GGTT, whatever the command says. That loads do not is an
 *                           assumption.
 */
#include "cs/cs.h"
#include "registers.h"
#include "regs/regs.h"
#include "igen/cmd/mi.h"

/* Does a slot have a batch write the register? Its range is of 1, 4, 16 or 64 registers from its address on. */
static bool slot_opens(uint32_t slot, uint32_t offset)
{
	uint32_t access = IGEN_GET(FORCE_TO_NONPRIV_ACCESS_MASK, slot);
	uint32_t dwords = 1u << 2 * IGEN_GET(FORCE_TO_NONPRIV_RANGE_MASK, slot);

	return (access == 0 || access == 2) && offset - (slot & FORCE_TO_NONPRIV_ADDR_MASK) < 4 * dwords;
}

/* The database's list, and what the driver added to it. */
static bool is_nonpriv(struct engine *e, uint32_t offset)
{
	uint32_t in_block = offset - e->info->base;
	const struct igen_reg_engine *other;
	const struct igen_reg *r = NULL;

	if (in_block < ENGINE_MMIO_SIZE)
		r = e->def[in_block / 4];
	if (!r) {
		r = igen_reg_at(e->gpu->platform->registers, offset, &other);
		if (other)
			r = NULL;		/* another engine's */
	}
	if (r && r->nonpriv & reg_engine(e->info->class))
		return true;
	for (unsigned int i = 0; i < FORCE_TO_NONPRIV_MAX; i++)
		if (slot_opens(reg_get(e, RING_FORCE_TO_NONPRIV(0, i)), offset))
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

static bool checks_registers(const struct engine *e)
{
	const struct config *cfg = &e->gpu->config;

	switch (e->info->class) {
	case ENGINE_COPY:
		return cfg->bcs_checks_registers || e->gpu->platform->blitter_checks;
	case ENGINE_VIDEO:
	case ENGINE_VIDEO_ENHANCE:
		return cfg->video_checks_registers;
	default:
		return true;
	}
}

static bool checks_ggtt(const struct engine *e)
{
	return e->info->class != ENGINE_COPY || e->gpu->config.bcs_checks_ggtt;
}

bool cs_ggtt_bit_counts(struct engine *e)
{
	if (cs_privileged(e))
		return true;
	if (checks_ggtt(e))
		return false;
	count("unchecked", e->cs.cmd->name, 1);
	return true;
}

bool cs_may_use_ggtt(struct engine *e)
{
	if (cs_ggtt_bit_counts(e))
		return true;
	violation(e, e->cs.cmd->name);
	return false;
}

bool cs_may_store(struct engine *e, bool *global)
{
	if (e->gpu->platform->stores_global && e->gpu->config.stores_global && !cs_privileged(e)) {
		*global = true;
		return true;
	}
	return !*global || cs_may_use_ggtt(e);
}

/* A command that only a ring or a batch in the GGTT may hold, if it is believed to be one. */
static bool may_execute(struct engine *e, bool privileged)
{
	if (!privileged || cs_privileged(e))
		return true;
	count("privileged_noops", e->cs.cmd->name, 1);
	return false;
}

bool cs_may_store_index(struct engine *e)
{
	return may_execute(e, e->gpu->config.index_privileged);
}

bool cs_may_post_sync_lri(struct engine *e)
{
	return may_execute(e, e->gpu->platform->post_sync_lri_privileged);
}

bool cs_may_steer_arbitration(struct engine *e)
{
	return may_execute(e, e->gpu->config.arb_privileged);
}

bool cs_reg_write(struct engine *e, uint32_t offset, uint32_t value)
{
	bool checked = checks_registers(e);
	char name[16];

	offset &= MI_REGISTER_MASK;
	if (!cs_privileged(e) && !is_nonpriv(e, offset)) {
		snprintf(name, sizeof(name), "register %06x", offset);
		count(checked ? "privileged_noops" : "unchecked", name, 1);
		if (checked)
			return false;
	}
	/* The general purpose registers only store, and belong to the engine's thread while a context runs. */
	if (offset - RING_GPR(e->info->base, 0) < 8 * RING_GPR_MAX) {
		reg_set(e, (offset - e->info->base) & ~3u, value);
		return true;
	}
	pthread_mutex_lock(&e->gpu->lock);
	mmio_write(e->gpu, offset, value, false);
	pthread_mutex_unlock(&e->gpu->lock);
	return true;
}
