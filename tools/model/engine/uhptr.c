// SPDX-License-Identifier: MIT
/**
 * DOC: Preemption by UHPTR
 *
 * The driver writes to UHPTR where in the ring the engine is to go on, and sets its valid bit. The engine looks at it
 * when it executes MI_ARB_CHECK, and nowhere else: if the bit is set and arbitration is on, the head moves there. On
 * Ivy Bridge the check may stand in a batch, which is left then; on Sandy Bridge it is a NOOP there (IVB Vol 2 Part 2,
 * 1.3.5; that of SNB has nothing of this). MEDIA_STATE_FLUSH ends when the bit is set, and the walker before it stops
 * behind the groups that run, unless bit 8 of the command says that it does not (cs/pipeline.c). MI_SET_CONTEXT saves
 * what has not run, and loading the context starts it. If no MI_ARB_CHECK makes the ring leave, the walker goes on with
 * the next command that waits for the pipeline; that is counted in "uhptr_flush_without_check".
 *
 * HEAD_PREEMPT gets where the ring would have gone on, and on the render engine BB_PREEMPT_ADDR where the batch would
 * have; 0 if there was none. What these hold is in no text at hand: names alone are.
 *
 * Beliefs, each with a setting: the valid bit stays set (uhptr_selfclear: hardware clears it at the jump, or when the
 * head gets there by itself and the ring is empty); every check counts (uhptr_late: the n-th one); BB_PREEMPT_ADDR is
 * 0 when no batch was left (uhptr_stale: it keeps its value); and uhptr_ignore: the engine never jumps, as under the
 * first GPU virtualisation, which wrote the register back without the bit, and as hardware may do at any time.
 *
 * Mistakes of a driver that are counted as findings: a place outside of the ring or not aligned; a request while
 * another one waits; a request while the GT may enter RC6 ("the driver must keep the device out of RS2", 1.3.5); and a
 * batch that an engine leaves which saves nothing, that is any but the render engine.
 */
#include "engine/engine.h"
#include "regs/regs.h"
#include "igen/regs/gt.h"

/**
 * uhptr_asks() - does the driver want a preemption?
 * @e: the engine; any thread
 */
bool uhptr_asks(struct engine *e)
{
	return reg_get(e, RING_UHPTR(0)) & UHPTR_VALID && !e->gpu->config.uhptr_ignore;
}

/**
 * uhptr_written() - UHPTR has got a value
 * @e: the engine; gpu->lock is held
 * @old: what it had before
 */
void uhptr_written(struct engine *e, uint32_t old)
{
	uint32_t size = (IGEN_GET(RING_CTL_LENGTH_MASK, reg_get(e, RING_CTL(0))) + 1) * 4096;
	uint32_t v = reg_get(e, RING_UHPTR(0)), at = v & UHPTR_HEAD_MASK;

	if (!(v & UHPTR_VALID))
		return;
	if (at >= size || at % 8)
		cs_finding(e, "uhptr-outside: UHPTR is not within the ring, or no multiple of eight bytes");
	if (old & UHPTR_VALID && !e->uhptr_taken)
		cs_finding(e, "uhptr-pending: UHPTR is written while a request waits");
	if (e->gpu->gt->rc_control & RC_CONTROL_RC6_ENABLE && !forcewake_any(e->gpu))
		cs_finding(e, "uhptr-rc6: UHPTR is written while the GT may enter RC6");
	e->uhptr_checks = 0;
	e->uhptr_taken = false;
	e->request_ns = now_ns();
	e->request_groups = cs_pipeline_groups(e, e->request_ns);
	e->request_commands = atomic_load(e->commands);
	/* A MEDIA_STATE_FLUSH may be waiting. */
	pthread_cond_broadcast(&e->wake);
}

/**
 * uhptr_reached() - the ring is empty: has its head come to where UHPTR points?
 * @e: the engine; gpu->lock is held
 */
void uhptr_reached(struct engine *e)
{
	uint32_t v = reg_get(e, RING_UHPTR(0));

	if (e->gpu->config.uhptr_selfclear && v & UHPTR_VALID &&
	    (v & UHPTR_HEAD_MASK) == (reg_get(e, RING_HEAD(0)) & RING_HEAD_MASK))
		reg_set(e, RING_UHPTR(0), v & ~UHPTR_VALID);
}

/* Where the batch would go on. */
static void keep_batch(struct engine *e)
{
	const struct cs *cs = &e->cs;

	if (e->info->class != ENGINE_RENDER) {
		if (cs->level != CS_RING)
			cs_finding(e, "uhptr-batch-lost: a batch was left on an engine that saves nothing");
		return;
	}
	if (cs->level != CS_RING)
		reg_set(e, RING_BB_PREEMPT_ADDR(0), (uint32_t)cs->batch[cs->level].addr);
	else if (!e->gpu->config.uhptr_stale)
		reg_set(e, RING_BB_PREEMPT_ADDR(0), 0);
}

/* How long the request has waited, in commands or, if it came while a walker ran, in thread groups. gpu->lock held. */
static void note_preemption(struct engine *e)
{
	engine_count(e, "preemptions");
	e->preempted_ns = e->request_ns;
	e->preempted_walk = cs_pipeline_preempted(e, e->pipeline.left);
	if (!e->preempted_walk)
		sample("preemption_commands", e->info->name, atomic_load(e->commands) - e->request_commands);
}

/* gpu->lock held. */
static void jump(struct engine *e, uint32_t to)
{
	uint32_t head = reg_get(e, RING_HEAD(0)), wraps = head & RING_HEAD_WRAP_MASK;

	head &= RING_HEAD_MASK;
	reg_set(e, RING_HEAD_PREEMPT(0), head);
	keep_batch(e);
	if (e->cs.level != CS_RING)
		cs_end_batch(e, true);
	if (to < head)
		wraps += IGEN_LSB(RING_HEAD_WRAP_MASK);
	reg_set(e, RING_HEAD(0), (wraps & RING_HEAD_WRAP_MASK) | to);
	e->cs.line_addr = CS_NO_LINE;
	e->uhptr_taken = true;
	cs_pipeline_jumped(e);
	note_preemption(e);
	trace("%s: UHPTR: from 0x%x to 0x%x", e->info->name, head, to);
}

/**
 * uhptr_arb_check() - MI_ARB_CHECK
 * @e: the engine; this is its thread
 *
 * Return: CS_CONTINUE; the ring's head may be elsewhere.
 */
enum cs_result uhptr_arb_check(struct engine *e)
{
	struct gpu *gpu = e->gpu;
	uint32_t v;

	if (!uhptr_asks(e) || !e->cs.arbitrate || (e->cs.level != CS_RING && !e->submission->batch_arb_check))
		return CS_CONTINUE;
	pthread_mutex_lock(&gpu->lock);
	v = reg_get(e, RING_UHPTR(0));
	if (v & UHPTR_VALID && (v & UHPTR_HEAD_MASK) < e->cs.ring_size && ++e->uhptr_checks >= gpu->config.uhptr_late) {
		jump(e, v & UHPTR_HEAD_MASK);
		if (gpu->config.uhptr_selfclear)
			reg_set(e, RING_UHPTR(0), v & ~UHPTR_VALID);
	}
	pthread_mutex_unlock(&gpu->lock);
	return CS_CONTINUE;
}
