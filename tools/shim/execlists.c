// SPDX-License-Identifier: MIT
/**
 * DOC: Gen8 and Gen9: context images and the ELSP
 *
 * The first image of an engine is the least that it needs: what stands behind the page tables' registers is not
 * restored, and the engine saves it itself (KBL Vol 3, "Logical Contexts"). The images of all contexts are copies of
 * that. Around the batch stand the commands that a driver puts there: caches and TLBs are invalidated, the batch
 * starts, and when all of it is done a number arrives.
 */
#include "engine/engine.h"
#include "gpu.h"
#include "igen/cmd/gfx.h"
#include "igen/cmd/mi.h"
#include "igen/regs/context.h"
#include "igen/regs/engine.h"
#include "igen/regs/gt.h"
#include "igen/regs/irq.h"
#include "igen/regs/workarounds.h"
#include "regs/regs.h"

/* What batches of the render engine may write besides the fixed list, as stock i915 has it. */
static const uint32_t nonpriv[] = { CTX_PREEMPT_REG, CS_CHICKEN1, COMMON_SLICE_CHICKEN2, HDC_CHICKEN1, L3SQCREG4 };

static void execlists_setup(struct gpu *gpu, const struct engine_info *engine)
{
	uint32_t base = engine->base;

	/* The status page is the shim's own and has a place for each engine. */
	mmio_write(gpu, RING_HWS_PGA(base), (uint32_t)gpu_status_page(engine->id), true);
	mmio_write(gpu, RING_MODE(base), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE), true);
	for (unsigned int i = 0; engine->class == ENGINE_RENDER && i < FORCE_TO_NONPRIV_MAX; i++)
		mmio_write(gpu, RING_FORCE_TO_NONPRIV(base, i),
			   i < ARRAY_SIZE(nonpriv) ? nonpriv[i] : RING_NOPID(base), true);
}

static void set(uint32_t *image, unsigned int dw, uint32_t reg, uint32_t v)
{
	image[dw - 1] = reg;
	image[dw] = v;
}

/* A fresh image restores nothing but the ring context. Other images are copies of one that an engine has saved. */
static void execlists_image_new(struct lrc *lrc, struct vm *vm, const struct engine_info *engine, bool fresh)
{
	uint32_t *image = (uint32_t *)(lrc->cpu + LRC_STATE_OFFSET), base = engine->base;

	image[CTX_LRI_HEADER_0] = MI_LOAD_REGISTER_IMM(14) | MI_LRI_FORCE_POSTED;
	set(image, CTX_CONTEXT_CONTROL, RING_CTX_CTL(base),
	    IGEN_MASKED_ENABLE(CTX_CTL_INHIBIT_SYN_CTX_SWITCH) |
	    (fresh ? IGEN_MASKED_ENABLE(CTX_CTL_RESTORE_INHIBIT) : IGEN_MASKED_DISABLE(CTX_CTL_RESTORE_INHIBIT)));
	set(image, CTX_RING_HEAD, RING_HEAD(base), 0);
	set(image, CTX_RING_TAIL, RING_TAIL(base), 0);
	set(image, CTX_RING_START, RING_START(base), (uint32_t)(lrc->ggtt + lrc->ring));
	set(image, CTX_RING_CTL, RING_CTL(base),
	    IGEN_PREP(RING_CTL_LENGTH_MASK, (uint32_t)(RING_BYTES / PAGE) - 1) | RING_CTL_VALID);
	set(image, CTX_BB_HEAD_U, RING_BB_HEAD_U(base), 0);
	set(image, CTX_BB_HEAD_L, RING_BB_HEAD_L(base), 0);
	set(image, CTX_BB_STATE, RING_BB_STATE(base), 0);
	set(image, CTX_SBB_HEAD_U, RING_SBB_HEAD_U(base), 0);
	set(image, CTX_SBB_HEAD_L, RING_SBB_HEAD_L(base), 0);
	set(image, CTX_SBB_STATE, RING_SBB_STATE(base), 0);
	set(image, CTX_BB_PER_CTX_PTR, RING_BB_PER_CTX_PTR(base), 0);
	set(image, CTX_INDIRECT_CTX, RING_INDIRECT_CTX(base), 0);
	set(image, CTX_INDIRECT_CTX_OFFSET, RING_INDIRECT_CTX_OFFSET(base), 0);
	image[CTX_LRI_HEADER_1] = MI_LOAD_REGISTER_IMM(9) | MI_LRI_FORCE_POSTED;
	set(image, CTX_TIMESTAMP, RING_CTX_TIMESTAMP(base), 0);
	for (unsigned int i = 0; i < 4; i++) {
		set(image, CTX_PDP0_UDW - 4 * i, RING_PDP_UDW(base, i), i ? 0 : (uint32_t)(vm->root >> 32));
		set(image, CTX_PDP0_LDW - 4 * i, RING_PDP_LDW(base, i), i ? 0 : (uint32_t)vm->root);
	}
}

static uint32_t *pipe_control(uint32_t *cs, uint32_t flags, uint64_t addr, uint32_t value)
{
	*cs++ = PIPE_CONTROL;
	*cs++ = flags;
	*cs++ = (uint32_t)addr;
	*cs++ = (uint32_t)(addr >> 32);
	*cs++ = value;
	*cs++ = 0;
	return cs;
}

static uint32_t *flush_dw(uint32_t *cs, uint32_t flags, uint64_t addr, uint32_t value)
{
	*cs++ = MI_FLUSH_DW | flags;
	*cs++ = (uint32_t)addr;
	*cs++ = 0;
	*cs++ = value;
	*cs++ = 0;
	return cs;
}

static unsigned int execlists_emit(const struct lrc *lrc, const struct engine_info *engine, uint32_t *cs,
				   const struct batch *batch)
{
	uint64_t seqno = lrc->ggtt + lrc->seqno_at;
	bool render = engine->class == ENGINE_RENDER;
	uint32_t *start = cs;

	if (render) {
		/* Gen9 wants an empty one before one that invalidates the vertex fetch cache. */
		cs = pipe_control(cs, 0, 0, 0);
		cs = pipe_control(cs, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_TLB_INVALIDATE |
				  PIPE_CONTROL_INSTRUCTION_INVALIDATE | PIPE_CONTROL_TEXTURE_INVALIDATE |
				  PIPE_CONTROL_VF_INVALIDATE | PIPE_CONTROL_CONST_INVALIDATE |
				  PIPE_CONTROL_STATE_INVALIDATE | PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_STORE_INDEX,
				  LRC_PPHWSP_SCRATCH, 0);
	} else {
		cs = flush_dw(cs, MI_FLUSH_DW_STORE_INDEX | MI_FLUSH_DW_WRITE_QW | MI_FLUSH_DW_TLB_INVALIDATE |
			      (engine->class == ENGINE_VIDEO ? MI_FLUSH_DW_INVALIDATE_BSD : 0),
			      LRC_PPHWSP_SCRATCH, 0);
	}
	if (batch) {
		*cs++ = MI_BATCH_BUFFER_START | MI_BBS_PPGTT;
		*cs++ = (uint32_t)batch->addr;
		*cs++ = (uint32_t)(batch->addr >> 32);
		/* What a batch has left of a predicate ends here. */
		*cs++ = MI_SET_PREDICATE | MI_SET_PREDICATE_NEVER;
	}
	if (render) {
		cs = pipe_control(cs, PIPE_CONTROL_RT_FLUSH | PIPE_CONTROL_DEPTH_FLUSH | PIPE_CONTROL_DC_FLUSH, 0, 0);
		cs = pipe_control(cs, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_FLUSH_ENABLE | PIPE_CONTROL_WRITE_QW |
				  PIPE_CONTROL_GGTT, seqno, lrc->seqno);
	} else {
		cs = flush_dw(cs, MI_FLUSH_DW_WRITE_QW, seqno | MI_FLUSH_DW_GGTT, lrc->seqno);
	}
	return (unsigned int)(cs - start);
}

static void execlists_submit(struct gpu *gpu, struct lrc *lrc, struct vm *vm, const struct engine_info *engine)
{
	uint32_t *image = (uint32_t *)(lrc->cpu + LRC_STATE_OFFSET);
	uint64_t desc = lrc->ggtt | CTX_DESC_VALID | CTX_DESC_PRIVILEGE | CTX_DESC_FORCE_RESTORE |
			IGEN_PREP(CTX_DESC_ADDRESSING_MASK, CTX_DESC_LEGACY_48B) |
			IGEN_PREP(CTX_DESC_SW_ID_MASK, lrc->ggtt / PAGE);

	(void)vm;
	__atomic_store_n(&image[CTX_RING_TAIL], lrc->tail, __ATOMIC_RELEASE);
	mmio_write(gpu, RING_ELSP(engine->base), 0, true);
	mmio_write(gpu, RING_ELSP(engine->base), 0, true);
	mmio_write(gpu, RING_ELSP(engine->base), (uint32_t)(desc >> 32), true);
	mmio_write(gpu, RING_ELSP(engine->base), (uint32_t)desc, true);
}

const struct submit_ops submit_execlists = {
	.image_bytes = {
		[ENGINE_RENDER] = GEN9_LRC_RCS_PAGES * PAGE,
		[ENGINE_COPY] = GEN9_LRC_XCS_PAGES * PAGE,
		[ENGINE_VIDEO] = GEN9_LRC_XCS_PAGES * PAGE,
		[ENGINE_VIDEO_ENHANCE] = GEN9_LRC_XCS_PAGES * PAGE,
	},
	.setup = execlists_setup,
	.image_new = execlists_image_new,
	.emit = execlists_emit,
	.submit = execlists_submit,
};
