// SPDX-License-Identifier: MIT
/**
 * DOC: Waits and conditions on memory
 *
 * MI_SEMAPHORE_WAIT compares memory, or a register, with inline data. While it does not match the
 * engine either gives the context up (Gen9's default) or, with "inhibit synchronous context
 * switch", stays with it, tells the driver by an interrupt and looks again: periodically in polling
 * mode, at a signal otherwise. Another list may preempt a wait; the command is then parsed again
 * when the context is back (DG1 Vol 2a, "MI_SEMAPHORE_WAIT"; four dwords on Gen9; signals name a
 * context, as in the public Gen8 PRM Vol 2a, "MI_SEMAPHORE_SIGNAL"). The interrupt comes when the
 * command is first found unsuccessful, and not again for as long as it waits (stock i915 says so);
 * RING_CTL says all the while that it does.
 */
#include "cs/cs.h"
#include "igen/cmd/mi.h"
#include "igen/regs/irq.h"

/* A wait that lasts looks less often. */
#define POLL_US		50
#define POLL_SLOW_US	200
#define POLL_SLOW_AFTER	64

bool cs_compare(unsigned int op, uint32_t memory, uint32_t inline_data)
{
	switch (op) {
	case 0:
		return memory > inline_data;
	case 1:
		return memory >= inline_data;
	case 2:
		return memory < inline_data;
	case 3:
		return memory <= inline_data;
	case 4:
		return memory == inline_data;
	case 5:
		return memory != inline_data;
	}
	return true;
}

static bool satisfied(struct engine *e)
{
	struct cs *cs = &e->cs;
	uint32_t header = cs->dw[0];
	uint64_t addr = (cs->dw[2] | (uint64_t)cs->dw[3] << 32) & IGEN_MASK64(47, 2);
	uint32_t v;

	if (header & MI_SEMAPHORE_REGISTER)
		v = cs_reg_read(e, cs->dw[2]);
	else
		v = cs_read32(e, header & MI_SEMAPHORE_GGTT && cs_ggtt_bit_counts(e), addr);
	return cs_compare(IGEN_GET(MI_SEMAPHORE_COMPARE_MASK, header), v, cs->dw[1]);
}

/* gpu->lock held: sleeps once; a signal that came is used up. */
static void wait_once(struct engine *e, unsigned int round)
{
	bool poll = e->cs.dw[0] & (MI_SEMAPHORE_POLL | MI_SEMAPHORE_REGISTER);

	engine_set_state(e, ENGINE_POLLING);
	if (poll)
		engine_sleep(e, round < POLL_SLOW_AFTER ? POLL_US : POLL_SLOW_US);
	else if (!atomic_load(&e->sema_signal) && e->pipeline.posts)
		engine_sleep(e, POLL_SLOW_US);
	else if (!atomic_load(&e->sema_signal))
		pthread_cond_wait(&e->wake, &e->gpu->lock);
	atomic_store(&e->sema_signal, false);
	engine_set_state(e, ENGINE_RUNNING);
}

/* Does this wait never end, on purpose? */
static bool fault_comes(struct engine *e)
{
	bool hit;

	if (!e->gpu->config.fault[FAULT_SEMAPHORE].nth)
		return false;
	pthread_mutex_lock(&e->gpu->lock);
	hit = fault_hits(e->gpu, FAULT_SEMAPHORE, e->info->id, "a wait");
	pthread_mutex_unlock(&e->gpu->lock);
	return hit;
}

static enum cs_result give_way(struct engine *e, enum cs_result r)
{
	cs_rewind(e);
	return r;
}

/* Until it is satisfied, or something else ends it. */
static enum cs_result poll_or_sleep(struct engine *e)
{
	enum cs_result r;

	for (unsigned int round = 0; ; round++) {
		uint32_t requests = engine_requests(e);

		if (requests & (ENGINE_RESET | ENGINE_QUIT))
			return give_way(e, CS_STOPPED);
		if (requests & ENGINE_PARK && engine_park(e) == CS_STOPPED)
			return give_way(e, CS_STOPPED);
		if (e->pipeline.posts)
			cs_pipeline_poll(e);
		if (requests & ENGINE_LIST && !e->cs.workaround) {
			r = e->submission->arbitrate(e, true);
			if (r != CS_CONTINUE)
				return give_way(e, r);
		}
		pthread_mutex_lock(&e->gpu->lock);
		/* A list that cannot be taken does not keep it from sleeping. */
		if (!(engine_requests(e) & ~(uint32_t)ENGINE_LIST) &&
		    (e->cs.workaround || e->cs.list_seen == atomic_load(&e->list_seq) ||
		     !(engine_requests(e) & ENGINE_LIST)))
			wait_once(e, round);
		pthread_mutex_unlock(&e->gpu->lock);
		if (satisfied(e))
			return CS_CONTINUE;
	}
}

enum cs_result cs_mi_semaphore_wait(struct engine *e)
{
	bool in_memory = !(e->cs.dw[0] & MI_SEMAPHORE_REGISTER);
	bool for_ever = fault_comes(e);
	enum cs_result r;

	if (!for_ever) {
		if (satisfied(e))
			return CS_CONTINUE;
		engine_count(e, "semaphore_waits");
		e->cs.line_addr = 1;	/* what follows may change meanwhile */
		if (in_memory && execlists_enabled(e) && !e->cs.workaround &&
		    !(reg_get(e, RING_CTX_CTL(0)) & CTX_CTL_INHIBIT_SYN_CTX_SWITCH))
			return give_way(e, CS_WAIT_SEMAPHORE);
	}
	/* The driver that gets the interrupt finds the engine waiting. */
	atomic_store(&e->sema_wait, true);
	if (in_memory && !for_ever)
		cs_raise(e, GT_IRQ_WAIT_SEMAPHORE);
	r = for_ever ? engine_spin(e) : poll_or_sleep(e);
	atomic_store(&e->sema_wait, false);
	return r;
}

/* Wakes a waiter in signal mode on the engine that the command names. */
void cs_mi_semaphore_signal(struct engine *e)
{
	unsigned int target = IGEN_GET(MI_SEMAPHORE_SIGNAL_ENGINE_MASK, e->cs.dw[0]);
	const struct platform *p = e->gpu->platform;
	struct engine *to = NULL;

	pthread_mutex_lock(&e->gpu->lock);
	for (unsigned int i = 0; i < p->num_engines; i++)
		if (p->engines[i].signal_id == target)
			to = e->gpu->engine[p->engines[i].id];
	/* A context ID other than the running one's has no effect. */
	if (to && to->active && (uint32_t)(to->list.desc[to->element] >> 32) == e->cs.dw[1]) {
		atomic_store(&to->sema_signal, true);
		pthread_cond_broadcast(&to->wake);
	}
	pthread_mutex_unlock(&e->gpu->lock);
}

/* A comparison that is true goes on; one that is false ends the batch. */
void cs_mi_conditional_batch_buffer_end(struct engine *e)
{
	struct cs *cs = &e->cs;
	uint32_t header = cs->dw[0];
	uint64_t addr = (cs->dw[2] | (uint64_t)cs->dw[3] << 32) & IGEN_MASK64(47, 3);
	bool global = header & MI_COND_BBE_GGTT;
	uint32_t v;

	if (!(header & MI_COND_BBE_COMPARE) || cs->level == CS_RING)
		return;
	if (global && !cs_may_use_ggtt(e))
		return;
	if (header & MI_COND_BBE_MASK_MODE) {
		uint64_t pair = cs_read64(e, global, addr);

		v = (uint32_t)pair & (uint32_t)(pair >> 32);
	} else {
		v = cs_read32(e, global,
			      (cs->dw[2] | (uint64_t)cs->dw[3] << 32) & IGEN_MASK64(47, 2));
	}
	if (!cs_compare(IGEN_GET(MI_COND_BBE_OP_MASK, header), v, cs->dw[1]))
		cs_end_batch(e, !(header & MI_COND_BBE_THIS_LEVEL));
}
