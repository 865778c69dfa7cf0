// SPDX-License-Identifier: MIT
/**
 * DOC: Ring commands of Gen6 and Gen7
 *
 * A request is: invalidation of caches and TLBs, the jump into the user's batch, a flush that ends in the write of the
 * request's seqno, and a user interrupt. The CPU waits for other engines. The render engine flushes by PIPE_CONTROL,
 * the others by MI_FLUSH_DW; seqnos are written to the GGTT.
 *
 * A backend with one ring an engine also writes what changes the context: a page directory, and on the render engine
 * the image (struct igen_switch_ops). The directory is loaded by two registers, whose write has to have arrived before
 * anything uses it: a read of the register into memory waits for that.
 *
 * Workarounds are stock i915's, by the names that it has from the manuals:
 *
 * * Gen6: the video engine hangs the machine by MI_STORE_DATA_IMM (IGT's gem_can_store_dword()). It writes by
 *   MI_FLUSH_DW, to multiples of eight bytes alone, so it writes no addresses into buffers.
 * * Gen6: a PIPE_CONTROL that flushes wants one before it that writes something and does no more, and that one wants a
 *   stall before it ("DevSNB-C+").
 * * Gen7: state caches are invalidated behind a stall. On the other engines a seqno may arrive behind its interrupt,
 *   which 32 stores between them make up for.
 * * MI_SET_CONTEXT stands between MI_NOOPs (WaMiSetContext_Hang), on Gen7 with arbitration off
 *   (WaProgramMiArbOnOffAroundMiSetContext).
 */
#include <linux/kernel.h>

#include <igen/batch/clear.h>
#include <igen/cmd/blt.h>
#include <igen/cmd/gfx.h>
#include <igen/cmd/mi.h>
#include <igen/regs/engine.h>

#include "../igen_device.h"
#include "../mm/igen_vm.h"

/* A place in the status page for commands that must write. The hardware writes only the beginning of the page. */
#define SCRATCH_OFFSET		0x200

/* Until the video engine is awake. */
#define AWAKE_TIMEOUT_US	1000

/* Stores behind a seqno of Gen7. */
#define SEQNO_STORES		32

/* Lengths of commands with addresses of 32 bits. */
#define PIPE_CONTROL_DW		4
#define FLUSH_DW		3
#define STORE_DW		4
#define STORE_INDEX_DW		3
#define STORE_REGISTER_DW	3

#define ADDRESS_DW		STORE_DW
#define BATCH_START_DW		2

#define GEN6_RCS_INVALIDATE_DW	(3 * PIPE_CONTROL_DW)
#define GEN6_RCS_FINISH_DW	(3 * PIPE_CONTROL_DW + 2)
#define GEN6_XCS_INVALIDATE_DW	(FLUSH_DW + 1)
#define GEN6_XCS_FINISH_DW	(FLUSH_DW + 1)
#define GEN7_RCS_INVALIDATE_DW	(2 * PIPE_CONTROL_DW)
#define GEN7_RCS_FINISH_DW	(PIPE_CONTROL_DW + 2)
#define GEN7_XCS_FINISH_DW	(2 * FLUSH_DW + SEQNO_STORES * STORE_INDEX_DW + 2)

#define LRI_DW			3
#define ARRIVE_DW		(LRI_DW + 2 * STORE_REGISTER_DW + PIPE_CONTROL_DW + 1)
#define RESUME_DW		(4 + BATCH_START_DW)
#define MM_DW			(2 * LRI_DW + STORE_REGISTER_DW + LRI_DW + 2)
#define MM_END_DW		(LRI_DW + 1)
#define SETUP_DW		8
#define BCS_CLEAN_DW		(LRI_DW + SETUP_DW + 1)
#define GEN7_RCS_CLEAN_DW	(LRI_DW + 1)

/* The registers that divide the L3 of Gen7. */
#define L3_CHANGE_DW		(2 * PIPE_CONTROL_DW + GEN7_RCS_INVALIDATE_DW)
#define L3_STORE_DW		(IGEN_L3_REGS * STORE_REGISTER_DW)
#define L3_DW			(1 + 2 * IGEN_L3_REGS)
#define DIVIDE_L3_DW		(L3_CHANGE_DW + L3_STORE_DW + L3_DW)
#define RESTORE_L3_DW		(L3_CHANGE_DW + L3_STORE_DW + 1)

static u32 emit_scratch(const struct igen_engine *engine)
{
	return lower_32_bits(igen_vma_start(engine->hwsp)) + SCRATCH_OFFSET;
}

static u32 *emit_pipe_control(u32 *cs, u32 flags, u32 address, u32 value)
{
	*cs++ = GEN7_PIPE_CONTROL;
	*cs++ = flags;
	*cs++ = address;
	*cs++ = value;
	return cs;
}

static u32 *emit_flush_dw(u32 *cs, u32 flags, u32 address, u32 value)
{
	*cs++ = GEN7_MI_FLUSH_DW | flags;
	*cs++ = address;
	*cs++ = value;
	return cs;
}

static u32 *emit_lri(u32 *cs, u32 reg, u32 value)
{
	*cs++ = MI_LOAD_REGISTER_IMM(1);
	*cs++ = reg;
	*cs++ = value;
	return cs;
}

#define INVALIDATE_FLAGS	(PIPE_CONTROL_TLB_INVALIDATE | PIPE_CONTROL_INSTRUCTION_INVALIDATE | \
				 PIPE_CONTROL_TEXTURE_INVALIDATE | PIPE_CONTROL_VF_INVALIDATE | \
				 PIPE_CONTROL_CONST_INVALIDATE | PIPE_CONTROL_STATE_INVALIDATE | \
				 PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_CS_STALL)
#define FLUSH_FLAGS		(PIPE_CONTROL_RT_FLUSH | PIPE_CONTROL_DEPTH_FLUSH | PIPE_CONTROL_DC_FLUSH | \
				 PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_CS_STALL)

static u32 *emit_stall(u32 *cs)
{
	return emit_pipe_control(cs, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_SCOREBOARD_STALL, 0, 0);
}

/* Gen6 needs a stall and then a write by PIPE_CONTROL before each flush. */
static u32 *gen6_before_flush(const struct igen_engine *engine, u32 *cs)
{
	cs = emit_stall(cs);
	return emit_pipe_control(cs, PIPE_CONTROL_WRITE_QW, emit_scratch(engine) | GEN6_PIPE_CONTROL_ADDRESS_GGTT, 0);
}

static u32 *gen6_rcs_invalidate(const struct igen_engine *engine, u32 *cs)
{
	cs = gen6_before_flush(engine, cs);
	return emit_pipe_control(cs, INVALIDATE_FLAGS, emit_scratch(engine) | GEN6_PIPE_CONTROL_ADDRESS_GGTT, 0);
}

static u32 *gen7_rcs_invalidate(const struct igen_engine *engine, u32 *cs)
{
	cs = emit_stall(cs);
	return emit_pipe_control(cs, INVALIDATE_FLAGS | PIPE_CONTROL_GGTT, emit_scratch(engine), 0);
}

static u32 *gen6_xcs_invalidate(const struct igen_engine *engine, u32 *cs)
{
	u32 flags = MI_FLUSH_DW_WRITE_QW | MI_FLUSH_DW_TLB_INVALIDATE;

	if (engine->info->class == IGEN_CLASS_VIDEO)
		flags |= MI_FLUSH_DW_INVALIDATE_BSD;
	cs = emit_flush_dw(cs, flags, emit_scratch(engine) | MI_FLUSH_DW_GGTT, 0);
	*cs++ = MI_NOOP;
	return cs;
}

/* The invalidation waits for the store. */
static u32 *gen6_address(u32 *cs, u64 at, u64 value)
{
	*cs++ = MI_STORE_DATA_IMM_DW;
	*cs++ = 0;
	*cs++ = lower_32_bits(at);
	*cs++ = lower_32_bits(value);
	return cs;
}

/* One bit says both: in the PPGTT, and without privilege. */
static u32 *gen6_batch_start(u32 *cs, u64 address)
{
	*cs++ = GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT;
	*cs++ = lower_32_bits(address);
	return cs;
}

/* A batch with privilege runs from the GGTT. What it accesses, each of its commands says. */
static u32 *gen6_privileged_start(u32 *cs, u64 address)
{
	*cs++ = GEN7_MI_BATCH_BUFFER_START;
	*cs++ = lower_32_bits(address);
	return cs;
}

static u32 *emit_tell(u32 *cs)
{
	*cs++ = MI_USER_INTERRUPT;
	*cs++ = MI_NOOP;
	return cs;
}

static u32 *gen6_rcs_finish(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 seqno)
{
	cs = gen6_before_flush(engine, cs);
	cs = emit_pipe_control(cs, FLUSH_FLAGS, ggtt | GEN6_PIPE_CONTROL_ADDRESS_GGTT, seqno);
	return emit_tell(cs);
}

static u32 *gen7_rcs_finish(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 seqno)
{
	cs = emit_pipe_control(cs, FLUSH_FLAGS | PIPE_CONTROL_FLUSH_ENABLE | PIPE_CONTROL_GGTT, ggtt, seqno);
	return emit_tell(cs);
}

static u32 *gen6_xcs_finish(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 seqno)
{
	cs = emit_flush_dw(cs, MI_FLUSH_DW_WRITE_QW, ggtt | MI_FLUSH_DW_GGTT, seqno);
	*cs++ = MI_USER_INTERRUPT;
	return cs;
}

static u32 *gen7_xcs_finish(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 seqno)
{
	unsigned int i;

	cs = emit_flush_dw(cs, MI_FLUSH_DW_WRITE_QW | MI_FLUSH_DW_TLB_INVALIDATE, ggtt | MI_FLUSH_DW_GGTT,
			   seqno);
	for (i = 0; i < SEQNO_STORES; i++) {
		*cs++ = MI_STORE_DATA_INDEX;
		*cs++ = SCRATCH_OFFSET;
		*cs++ = seqno;
	}
	cs = emit_flush_dw(cs, 0, 0, 0);
	return emit_tell(cs);
}

/*
 * Both registers, and what waits for them; caches are flushed before and invalidated after. No image has NOPID, which
 * any batch writes.
 */
static u32 *emit_mm(const struct igen_engine *engine, u32 *cs, u32 pd)
{
	u32 base = engine->info->base;

	cs = emit_lri(cs, RING_PP_DIR_DCLV(base), PP_DIR_DCLV_ALL);
	cs = emit_lri(cs, RING_PP_DIR_BASE(base), pd);
	*cs++ = GEN7_MI_STORE_REGISTER_MEM | MI_MEM_GGTT;
	*cs++ = RING_PP_DIR_BASE(base);
	*cs++ = emit_scratch(engine);
	cs = emit_lri(cs, RING_INSTPM(base), IGEN_MASKED_ENABLE(INSTPM_TLB_INVALIDATE));
	*cs++ = MI_NOOP | MI_NOOP_WRITE_NOPID;
	*cs++ = MI_NOOP;
	return cs;
}

static u32 *gen6_rcs_flush(const struct igen_engine *engine, u32 *cs)
{
	cs = gen6_before_flush(engine, cs);
	return emit_pipe_control(cs, FLUSH_FLAGS, emit_scratch(engine) | GEN6_PIPE_CONTROL_ADDRESS_GGTT, 0);
}

static u32 *gen7_rcs_flush(const struct igen_engine *engine, u32 *cs)
{
	return emit_pipe_control(cs, FLUSH_FLAGS | PIPE_CONTROL_FLUSH_ENABLE | PIPE_CONTROL_GGTT,
				 emit_scratch(engine), 0);
}

static u32 *gen6_xcs_flush(const struct igen_engine *engine, u32 *cs)
{
	cs = emit_flush_dw(cs, MI_FLUSH_DW_WRITE_QW, emit_scratch(engine) | MI_FLUSH_DW_GGTT, 0);
	*cs++ = MI_NOOP;
	return cs;
}

/*
 * The bit that emit_mm() has set would stay in the image of the context that the engine has until the driver's next
 * flush by INSTPM, and clients read it.
 */
static u32 *emit_mm_end(const struct igen_engine *engine, u32 *cs)
{
	cs = emit_lri(cs, RING_INSTPM(engine->info->base), IGEN_MASKED_DISABLE(INSTPM_TLB_INVALIDATE));
	*cs++ = MI_NOOP;
	return cs;
}

static u32 *gen6_rcs_switch_mm(const struct igen_engine *engine, u32 *cs, u32 pd)
{
	cs = gen6_rcs_flush(engine, cs);
	cs = emit_mm(engine, cs, pd);
	cs = gen6_rcs_flush(engine, cs);
	cs = emit_mm_end(engine, cs);
	return gen6_rcs_invalidate(engine, cs);
}

static u32 *gen7_rcs_switch_mm(const struct igen_engine *engine, u32 *cs, u32 pd)
{
	cs = gen7_rcs_flush(engine, cs);
	cs = emit_mm(engine, cs, pd);
	cs = gen7_rcs_flush(engine, cs);
	cs = emit_mm_end(engine, cs);
	return gen7_rcs_invalidate(engine, cs);
}

static u32 *gen6_xcs_switch_mm(const struct igen_engine *engine, u32 *cs, u32 pd)
{
	cs = gen6_xcs_flush(engine, cs);
	cs = emit_mm(engine, cs, pd);
	cs = gen6_xcs_flush(engine, cs);
	return gen6_xcs_invalidate(engine, cs);
}

/*
 * BCS_SWCTRL, and the setup that XY_PIXEL_BLT, XY_SCANLINES_BLT and the text commands draw with. A setup of zeroes
 * leads to address 0 of the next client's own memory. The blitter is idle, since the page directory was changed before.
 */
static u32 *gen6_bcs_clean(const struct igen_engine *engine, u32 *cs)
{
	cs = emit_lri(cs, BCS_SWCTRL, IGEN_MASKED_DISABLE(BCS_SWCTRL_SRC_Y | BCS_SWCTRL_DST_Y));
	*cs++ = GEN7_XY_SETUP_BLT;
	memset(cs, 0, (SETUP_DW - 1) * sizeof(*cs));
	cs += SETUP_DW - 1;
	*cs++ = MI_NOOP;
	return cs;
}

/*
 * Hardware has a batch without privilege write INSTPM, as IGT's gem_ctx_isolation has it. No manual at hand says so, or
 * whether images have it. What contexts begin with stays.
 */
static u32 *gen7_rcs_clean(const struct igen_engine *engine, u32 *cs)
{
	cs = emit_lri(cs, RING_INSTPM(engine->info->base),
		      IGEN_MASKED_FIELD(INSTPM_MASK & ~(INSTPM_TLB_INVALIDATE | INSTPM_SYNC_FLUSH),
					INSTPM_FORCE_ORDERING));
	*cs++ = MI_NOOP;
	return cs;
}

static u32 *emit_set_context(u32 *cs, u32 image, bool inhibit)
{
	*cs++ = MI_NOOP;
	*cs++ = MI_SET_CONTEXT;
	*cs++ = image | MI_SET_CONTEXT_GGTT | MI_SET_CONTEXT_SAVE_EXTENDED |
		(inhibit ? MI_SET_CONTEXT_RESTORE_INHIBIT : MI_SET_CONTEXT_RESTORE_EXTENDED);
	*cs++ = MI_NOOP;
	return cs;
}

static u32 *gen7_set_context(u32 *cs, u32 image, bool inhibit)
{
	*cs++ = MI_ARB_ON_OFF | MI_ARB_DISABLE;
	cs = emit_set_context(cs, image, inhibit);
	*cs++ = MI_ARB_ON_OFF | MI_ARB_ENABLE;
	return cs;
}

static u32 *gen6_mark(u32 *cs, u32 ggtt, u32 value)
{
	*cs++ = MI_STORE_DATA_IMM_DW | MI_SDI_GGTT;
	*cs++ = 0;
	*cs++ = ggtt;
	*cs++ = value;
	return cs;
}

static const u32 gen7_l3_regs[IGEN_L3_REGS] = { L3SQCREG1_GEN7, L3CNTLREG2_GEN7, L3CNTLREG3_GEN7 };

/*
 * The L3 is divided anew while the pipeline is empty and the caches have nothing: a flush that stalls, an invalidation,
 * and one more flush, by which the invalidation is over (Mesa, gen7_l3_state.c; no manual at hand has it).
 */
static u32 *gen7_l3_changes(const struct igen_engine *engine, u32 *cs)
{
	cs = gen7_rcs_flush(engine, cs);
	cs = gen7_rcs_invalidate(engine, cs);
	return gen7_rcs_flush(engine, cs);
}

/* STORE or LOAD: a command of three dwords for each register. */
static u32 *gen7_l3_move(u32 *cs, u32 command, u32 ggtt)
{
	unsigned int i;

	for (i = 0; i < IGEN_L3_REGS; i++) {
		*cs++ = command | MI_MEM_GGTT;
		*cs++ = gen7_l3_regs[i];
		*cs++ = ggtt + offsetof(struct igen_ring_page, l3[i]);
	}
	return cs;
}

static u32 *gen7_divide_l3(const struct igen_engine *engine, u32 *cs, u32 ggtt)
{
	static const u32 values[IGEN_L3_REGS] = {
		IGEN_CLEAR_L3SQCREG1, IGEN_CLEAR_L3CNTLREG2, IGEN_CLEAR_L3CNTLREG3,
	};
	unsigned int i;

	cs = gen7_l3_changes(engine, cs);
	cs = gen7_l3_move(cs, GEN7_MI_STORE_REGISTER_MEM, ggtt);
	*cs++ = MI_LOAD_REGISTER_IMM(IGEN_L3_REGS);
	for (i = 0; i < IGEN_L3_REGS; i++) {
		*cs++ = gen7_l3_regs[i];
		*cs++ = values[i];
	}
	return cs;
}

static u32 *gen7_restore_l3(const struct igen_engine *engine, u32 *cs, u32 ggtt)
{
	cs = gen7_l3_changes(engine, cs);
	cs = gen7_l3_move(cs, GEN7_MI_LOAD_REGISTER_MEM, ggtt);
	*cs++ = MI_NOOP;
	return cs;
}

/* IVB Vol 2 Part 2, 1.3.5: the steps of the place that a preemption leads to. */
static u32 *gen7_arrive(const struct igen_engine *engine, u32 *cs, u32 ggtt, u32 value)
{
	u32 base = engine->info->base;

	cs = emit_lri(cs, RING_UHPTR(base), 0);
	*cs++ = GEN7_MI_STORE_REGISTER_MEM | MI_MEM_GGTT;
	*cs++ = RING_BB_PREEMPT_ADDR(base);
	*cs++ = ggtt + offsetof(struct igen_ring_page, batch);
	*cs++ = GEN7_MI_STORE_REGISTER_MEM | MI_MEM_GGTT;
	*cs++ = RING_HEAD_PREEMPT(base);
	*cs++ = ggtt + offsetof(struct igen_ring_page, ring);
	cs = emit_pipe_control(cs, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_GGTT,
			       ggtt + offsetof(struct igen_ring_page, arrived), value);
	*cs++ = MI_USER_INTERRUPT;
	return cs;
}

/* The batch's own flush behind its walker was executed before: this one stands in for it. */
static u32 *gen7_resume(u32 *cs, u32 address, bool privileged)
{
	*cs++ = GEN7_MEDIA_STATE_FLUSH;
	*cs++ = 0;
	*cs++ = MI_ARB_CHECK;
	*cs++ = MI_NOOP;
	return privileged ? gen6_privileged_start(cs, address) : gen6_batch_start(cs, address);
}

static void gen7_preempt(struct igen_engine *engine, u32 place)
{
	u32 reg = RING_UHPTR(engine->info->base);
	struct igen_device *igen = engine->igen;

	if (igen_forcewake_get(igen, engine->info->forcewake))
		return;
	igen_write(igen, reg, place | UHPTR_VALID);
	igen_read(igen, reg);
	igen_forcewake_put(igen, engine->info->forcewake);
}

/* What follows waits for the write. */
static u32 *gen6_vcs_mark(u32 *cs, u32 ggtt, u32 value)
{
	cs = emit_flush_dw(cs, MI_FLUSH_DW_WRITE_QW, ggtt | MI_FLUSH_DW_GGTT, value);
	*cs++ = MI_NOOP;
	return cs;
}

const struct igen_emit_ops igen_emit_gen6_rcs_ops = {
	.request_dw = GEN6_RCS_INVALIDATE_DW + BATCH_START_DW + GEN6_RCS_FINISH_DW,
	.invalidate_dw = GEN6_RCS_INVALIDATE_DW,
	.address_dw = ADDRESS_DW,
	.batch_start_dw = BATCH_START_DW,
	.invalidate = gen6_rcs_invalidate,
	.address = gen6_address,
	.batch_start = gen6_batch_start,
	.privileged_start = gen6_privileged_start,
	.finish = gen6_rcs_finish,
};

const struct igen_emit_ops igen_emit_gen6_xcs_ops = {
	.request_dw = GEN6_XCS_INVALIDATE_DW + BATCH_START_DW + GEN6_XCS_FINISH_DW,
	.invalidate_dw = GEN6_XCS_INVALIDATE_DW,
	.address_dw = ADDRESS_DW,
	.batch_start_dw = BATCH_START_DW,
	.invalidate = gen6_xcs_invalidate,
	.address = gen6_address,
	.batch_start = gen6_batch_start,
	.privileged_start = gen6_privileged_start,
	.finish = gen6_xcs_finish,
};

const struct igen_emit_ops igen_emit_gen6_vcs_ops = {
	.request_dw = GEN6_XCS_INVALIDATE_DW + BATCH_START_DW + GEN6_XCS_FINISH_DW,
	.invalidate_dw = GEN6_XCS_INVALIDATE_DW,
	.batch_start_dw = BATCH_START_DW,
	.invalidate = gen6_xcs_invalidate,
	.batch_start = gen6_batch_start,
	.privileged_start = gen6_privileged_start,
	.finish = gen6_xcs_finish,
};

const struct igen_emit_ops igen_emit_gen7_rcs_ops = {
	.request_dw = GEN7_RCS_INVALIDATE_DW + BATCH_START_DW + GEN7_RCS_FINISH_DW,
	.invalidate_dw = GEN7_RCS_INVALIDATE_DW,
	.address_dw = ADDRESS_DW,
	.batch_start_dw = BATCH_START_DW,
	.invalidate = gen7_rcs_invalidate,
	.address = gen6_address,
	.batch_start = gen6_batch_start,
	.privileged_start = gen6_privileged_start,
	.finish = gen7_rcs_finish,
};

const struct igen_emit_ops igen_emit_gen7_xcs_ops = {
	.request_dw = GEN6_XCS_INVALIDATE_DW + BATCH_START_DW + GEN7_XCS_FINISH_DW,
	.invalidate_dw = GEN6_XCS_INVALIDATE_DW,
	.address_dw = ADDRESS_DW,
	.batch_start_dw = BATCH_START_DW,
	.invalidate = gen6_xcs_invalidate,
	.address = gen6_address,
	.batch_start = gen6_batch_start,
	.privileged_start = gen6_privileged_start,
	.finish = gen7_xcs_finish,
};

static void gen6_tail(struct igen_engine *engine, u32 tail)
{
	igen_fifo_wait(engine->igen);
	igen_write(engine->igen, RING_TAIL(engine->info->base), tail);
}

/*
 * Gen6's video engine loses a tail that it gets while it sleeps. It is kept from telling that it is idle, and so wakes;
 * then it gets the tail.
 */
static void gen6_vcs_tail(struct igen_engine *engine, u32 tail)
{
	struct igen_device *igen = engine->igen;
	u32 base = engine->info->base, psmi = RING_RC_PSMI_CONTROL(base);

	if (igen_forcewake_get(igen, engine->info->forcewake))
		return;
	igen_write(igen, psmi, IGEN_MASKED_ENABLE(PSMI_SLEEP_MSG_DISABLE));
	igen_write(igen, VCS_RNCID, 0);
	igen_write(igen, VCS_RNCID + 4, 0);
	if (igen_wait_reg(igen, psmi, PSMI_SLEEP_INDICATOR, 0, AWAKE_TIMEOUT_US, false))
		drm_err_ratelimited(&igen->drm, "%s: does not wake\n", engine->info->name);
	igen_write(igen, RING_TAIL(base), tail);
	igen_read(igen, RING_TAIL(base));
	igen_write(igen, psmi, IGEN_MASKED_DISABLE(PSMI_SLEEP_MSG_DISABLE));
	igen_forcewake_put(igen, engine->info->forcewake);
}

/* The other engines have no images. */
#define SET_CONTEXT_DW		4

const struct igen_switch_ops igen_switch_gen6_rcs_ops = {
	.mm_dw = 2 * GEN6_RCS_INVALIDATE_DW + MM_DW + MM_END_DW + GEN6_RCS_INVALIDATE_DW,
	.context_dw = SET_CONTEXT_DW,
	.mark_dw = STORE_DW,
	.mm = gen6_rcs_switch_mm,
	.context = emit_set_context,
	.mark = gen6_mark,
	.tail = gen6_tail,
};

const struct igen_switch_ops igen_switch_gen6_xcs_ops = {
	.mm_dw = 2 * GEN6_XCS_INVALIDATE_DW + MM_DW + GEN6_XCS_INVALIDATE_DW,
	.mark_dw = STORE_DW,
	.mm = gen6_xcs_switch_mm,
	.mark = gen6_mark,
	.tail = gen6_tail,
};

const struct igen_switch_ops igen_switch_gen6_bcs_ops = {
	.mm_dw = 2 * GEN6_XCS_INVALIDATE_DW + MM_DW + GEN6_XCS_INVALIDATE_DW,
	.clean_dw = BCS_CLEAN_DW,
	.mark_dw = STORE_DW,
	.mm = gen6_xcs_switch_mm,
	.clean = gen6_bcs_clean,
	.mark = gen6_mark,
	.tail = gen6_tail,
};

const struct igen_switch_ops igen_switch_gen7_rcs_ops = {
	.mm_dw = 2 * PIPE_CONTROL_DW + MM_DW + MM_END_DW + GEN7_RCS_INVALIDATE_DW,
	.clean_dw = GEN7_RCS_CLEAN_DW,
	.context_dw = SET_CONTEXT_DW + 2,
	.mark_dw = STORE_DW,
	.mm = gen7_rcs_switch_mm,
	.clean = gen7_rcs_clean,
	.context = gen7_set_context,
	.jump_dw = BATCH_START_DW,
	.jump = gen6_batch_start,
	.divide_l3_dw = DIVIDE_L3_DW,
	.divide_l3 = gen7_divide_l3,
	.restore_l3_dw = RESTORE_L3_DW,
	.restore_l3 = gen7_restore_l3,
	.mark = gen6_mark,
	.tail = gen6_tail,
	.preempt = gen7_preempt,
	.arrive_dw = ARRIVE_DW,
	.arrive = gen7_arrive,
	.resume_dw = RESUME_DW,
	.resume = gen7_resume,
};

const struct igen_switch_ops igen_switch_gen6_vcs_ops = {
	.mm_dw = 2 * GEN6_XCS_INVALIDATE_DW + MM_DW + GEN6_XCS_INVALIDATE_DW,
	.mark_dw = FLUSH_DW + 1,
	.mm = gen6_xcs_switch_mm,
	.mark = gen6_vcs_mark,
	.tail = gen6_vcs_tail,
};
