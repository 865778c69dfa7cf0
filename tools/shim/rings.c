// SPDX-License-Identifier: MIT
/**
 * DOC: Gen6 and Gen7: rings
 *
 * An engine has one ring for all contexts. Since it is idle between two batches, its registers are written anew for
 * each batch: the ring of the context's share, from its start on, and the directory of the context's address space. The
 * render engine's state is saved and loaded by MI_SET_CONTEXT; the other engines have none.
 */
#include "engine/engine.h"
#include "gpu.h"
#include "igen/cmd/gfx.h"
#include "igen/cmd/mi.h"
#include "igen/regs/engine.h"
#include "igen/regs/pte.h"
#include "regs/regs.h"

#define IMAGE_BYTES	(5 * PAGE)	/* of the render engine's; CXT_SIZE says less than three pages */

static void rings_setup(struct gpu *gpu, const struct engine_info *engine)
{
	mmio_write(gpu, engine->status_page_reg, (uint32_t)gpu_status_page(engine->id), false);
	/* Gen6's video engine would sleep, and lose a tail. */
	mmio_write(gpu, RING_RC_PSMI_CONTROL(engine->base), IGEN_MASKED_ENABLE(PSMI_SLEEP_MSG_DISABLE), false);
	mmio_write(gpu, engine->mode_reg, IGEN_MASKED_ENABLE(GFX_MODE_PPGTT_ENABLE), false);
}

/* There is nothing in it that the driver decides; what nothing was saved in is not restored. */
static void rings_image_new(struct lrc *lrc, struct vm *vm, const struct engine_info *engine, bool fresh)
{
	(void)vm;
	(void)engine;
	lrc->fresh = fresh;
}

static unsigned int rings_emit(const struct lrc *lrc, const struct engine_info *engine, uint32_t *cs,
			       const struct batch *batch)
{
	bool render = engine->class == ENGINE_RENDER;
	/* From Gen7 on arbitration is off around MI_SET_CONTEXT. Gen6 alone stores through the global GTT. */
	bool arbitrates = !gpu_device()->platform->stores_global;
	uint32_t *start = cs;

	if (render) {
		if (arbitrates)
			*cs++ = MI_ARB_ON_OFF | MI_ARB_DISABLE;
		*cs++ = MI_SET_CONTEXT;
		*cs++ = (uint32_t)lrc->ggtt | MI_SET_CONTEXT_GGTT | MI_SET_CONTEXT_SAVE_EXTENDED |
			MI_SET_CONTEXT_RESTORE_EXTENDED | (lrc->fresh ? MI_SET_CONTEXT_RESTORE_INHIBIT : 0);
		*cs++ = MI_NOOP;
		if (arbitrates)
			*cs++ = MI_ARB_ON_OFF | MI_ARB_ENABLE;
	}
	/* One bit says both: in the context's address space, and without privilege. */
	if (batch) {
		*cs++ = GEN7_MI_BATCH_BUFFER_START | (batch->copy ? 0 : MI_BBS_PPGTT);
		*cs++ = (uint32_t)(batch->copy ? batch->copy : batch->addr);
	}
	if (render) {
		*cs++ = GEN7_PIPE_CONTROL;
		*cs++ = PIPE_CONTROL_CS_STALL | PIPE_CONTROL_SCOREBOARD_STALL | PIPE_CONTROL_RT_FLUSH |
			PIPE_CONTROL_DEPTH_FLUSH;
		*cs++ = 0;
		*cs++ = 0;
	} else {
		*cs++ = GEN7_MI_FLUSH_DW;
		*cs++ = 0;
		*cs++ = 0;
	}
	/* Gen6 and Gen7 have a reserved dword before the address. */
	*cs++ = MI_STORE_DATA_IMM_DW | MI_SDI_GGTT;
	*cs++ = 0;
	*cs++ = (uint32_t)(lrc->ggtt + lrc->seqno_at);
	*cs++ = lrc->seqno;
	return (unsigned int)(cs - start);
}

static void rings_submit(struct gpu *gpu, struct lrc *lrc, struct vm *vm, const struct engine_info *engine)
{
	uint32_t base = engine->base;

	mmio_write(gpu, RING_CTL(base), 0, false);
	mmio_write(gpu, RING_TAIL(base), 0, false);
	mmio_write(gpu, RING_START(base), (uint32_t)(lrc->ggtt + lrc->ring), false);
	mmio_write(gpu, RING_HEAD(base), 0, false);
	mmio_write(gpu, RING_PP_DIR_DCLV(base), PP_DIR_DCLV_ALL, false);
	mmio_write(gpu, RING_PP_DIR_BASE(base), (uint32_t)(vm->directory_at / PAGE * 4 / 64) << 16, false);
	mmio_write(gpu, RING_CTL(base),
		   IGEN_PREP(RING_CTL_LENGTH_MASK, (uint32_t)(RING_BYTES / PAGE) - 1) | RING_CTL_VALID, false);
	mmio_write(gpu, RING_TAIL(base), lrc->tail, false);
}

/* The engine would save the context when another one comes. */
static void rings_forget(struct gpu *gpu, const struct lrc *lrc)
{
	if ((mmio_read(gpu, RING_CCID(RCS0_BASE), false) & MI_SET_CONTEXT_ADDRESS_MASK) == (uint32_t)lrc->ggtt)
		mmio_write(gpu, RING_CCID(RCS0_BASE), 0, false);
}

const struct submit_ops submit_rings = {
	.image_bytes = { [ENGINE_RENDER] = IMAGE_BYTES },
	.one_ring = true,
	.setup = rings_setup,
	.image_new = rings_image_new,
	.emit = rings_emit,
	.submit = rings_submit,
	.forget = rings_forget,
};
