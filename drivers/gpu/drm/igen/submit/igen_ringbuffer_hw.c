// SPDX-License-Identifier: MIT
/**
 * DOC: An engine's ring registers (Gen6, Gen7)
 *
 * An engine that was reset is given its status page, its ring and its mode, in stock i915's order: the ring's registers
 * take new values only once the ring was emptied and its head reads 0.
 *
 * The TLBs of an engine are invalidated while its command streamer rests between two commands: MI_MODE stops it there,
 * INSTPM does the rest, and then it goes on.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include <igen/regs/engine.h>
#include <igen/regs/gt.h>

#include "igen_ringbuffer.h"

#define VALID_TIMEOUT_US	50000
#define SYNC_TIMEOUT_US		2000

/* A command that takes longer is one that hangs, for which the engine is reset. */
#define STOP_TIMEOUT		(60 * HZ)

/* Empties the ring and turns it off. */
static bool hw_stop_ring(struct igen_engine *engine)
{
	struct igen_device *igen = engine->igen;
	u32 base = engine->info->base;

	igen_write(igen, RING_HEAD(base), igen_read(igen, RING_TAIL(base)));
	igen_read(igen, RING_HEAD(base));
	igen_write(igen, RING_CTL(base), 0);
	igen_read(igen, RING_CTL(base));
	igen_write(igen, RING_HEAD(base), 0);
	igen_write(igen, RING_TAIL(base), 0);
	return !(igen_read(igen, RING_HEAD(base)) & RING_HEAD_MASK);
}

/* The command streamer is idle or stopped. */
static int hw_invalidate_tlbs(struct igen_engine *engine)
{
	u32 reg = RING_INSTPM(engine->info->base);

	igen_write(engine->igen, reg, IGEN_MASKED_ENABLE(INSTPM_TLB_INVALIDATE | INSTPM_SYNC_FLUSH));
	return igen_wait_reg(engine->igen, reg, INSTPM_SYNC_FLUSH, 0, SYNC_TIMEOUT_US, false);
}

/**
 * igen_ringbuffer_resume - igen_submit_ops.resume
 * @engine: the engine, just reset; forcewake of all domains held
 *
 * Return: 0, or -EIO when the engine does not take its ring.
 */
int igen_ringbuffer_resume(struct igen_engine *engine)
{
	struct igen_device *igen = engine->igen;
	struct igen_ring *ring = &engine->ring;
	u32 base = engine->info->base;

	if (!hw_stop_ring(engine))
		return -EIO;

	igen_write(igen, engine->info->hws_pga, lower_32_bits(igen_vma_start(engine->hwsp)));
	igen_read(igen, engine->info->hws_pga);
	/* Nothing unasked goes into the status page. */
	igen_write(igen, RING_HWSTAM(base), ~0u);
	if (hw_invalidate_tlbs(engine))
		drm_dbg(&igen->drm, "%s: TLB invalidation did not finish\n", engine->info->name);
	/* What was written before has arrived. */
	igen_read(igen, RING_HEAD(base));

	if (to_ringbuffer(engine)->ops->preempt)
		igen_write(igen, RING_UHPTR(base), 0);
	ring->head = 0;
	ring->tail = 0;
	igen_write(igen, RING_START(base), lower_32_bits(igen_vma_start(ring->vma)));
	if (engine->info->mode_reg)
		igen_write(igen, engine->info->mode_reg, IGEN_MASKED_ENABLE(GFX_MODE_PPGTT_ENABLE));
	igen_write(igen, RING_HEAD(base), 0);
	igen_write(igen, RING_TAIL(base), 0);
	igen_read(igen, RING_TAIL(base));
	igen_write(igen, RING_CTL(base), IGEN_PREP(RING_CTL_LENGTH_MASK, ring->size / PAGE_SIZE - 1) | RING_CTL_VALID);
	if (igen_wait_reg(igen, RING_CTL(base), RING_CTL_VALID, RING_CTL_VALID, VALID_TIMEOUT_US, true))
		return -EIO;
	igen_write(igen, RING_MI_MODE(base), IGEN_MASKED_DISABLE(MI_MODE_STOP_RING));

	/* An invalid instruction interrupts. A refused register write does no harm and does not interrupt. */
	igen_write(igen, RING_EMR(base), ~0u);
	igen_write(igen, RING_EIR(base), ~0u);
	igen_write(igen, RING_EMR(base), ~EIR_INSTRUCTION_ERROR);
	igen_irq_engine_resume(engine);
	return 0;
}

/* One look: 1 when the engine has rested and its TLBs are empty, 0 to look again, or -ETIMEDOUT. */
static int hw_try_invalidate(struct igen_engine *engine)
{
	struct igen_device *igen = engine->igen;
	struct igen_ringbuffer *rb = to_ringbuffer(engine);
	u32 base = engine->info->base;
	int ret = 0;

	spin_lock_irq(&engine->group->lock);
	/* A reset stops and starts the engine itself. */
	if (!rb->blocked) {
		igen_write(igen, RING_MI_MODE(base), IGEN_MASKED_ENABLE(MI_MODE_STOP_RING));
		if (igen_read(igen, RING_MI_MODE(base)) & MI_MODE_IDLE)
			ret = hw_invalidate_tlbs(engine) ?: 1;
		if (ret)
			igen_write(igen, RING_MI_MODE(base), IGEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	}
	spin_unlock_irq(&engine->group->lock);
	return ret;
}

/**
 * igen_ringbuffer_tlb_flush - igen_submit_ops.tlb_flush
 * @engine: the engine; forcewake held
 *
 * An engine that is within a long command is waited for. It stops behind that command, and if it does not come to its
 * end the engine is reset, which empties the TLBs, too.
 *
 * Return: 0, or -ETIMEDOUT.
 * Context: may sleep.
 */
int igen_ringbuffer_tlb_flush(struct igen_engine *engine)
{
	unsigned int resets = READ_ONCE(engine->resets);
	unsigned long end = jiffies + STOP_TIMEOUT;
	int ret;

	do {
		ret = hw_try_invalidate(engine);
		if (ret)
			return min(ret, 0);
		usleep_range(20, 100);
		if (READ_ONCE(engine->resets) != resets || READ_ONCE(engine->igen->wedged))
			return 0;
	} while (time_before(jiffies, end));

	spin_lock_irq(&engine->group->lock);
	if (!to_ringbuffer(engine)->blocked)
		igen_write(engine->igen, RING_MI_MODE(engine->info->base), IGEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	spin_unlock_irq(&engine->group->lock);
	drm_err_ratelimited(&engine->igen->drm, "%s: does not stop for a TLB invalidation\n", engine->info->name);
	return -ETIMEDOUT;
}
