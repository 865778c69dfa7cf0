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
#include "igen/regs/irq.h"
#include "neutral_mi.h"

/* A wait that lasts looks less often. */
#define POLL_US		50
#define POLL_SLOW_US	200
#define POLL_SLOW_AFTER	64

bool cs_compare(unsigned int op, uint32_t memory, uint32_t inline_data)
{
	switch (op) {
	case MI_SEMAPHORE_WAIT_COMPARE_OPERATION_SAD_GREATER_THAN_SDD:
		return memory > inline_data;
	case MI_SEMAPHORE_WAIT_COMPARE_OPERATION_SAD_GREATER_THAN_OR_EQUAL_SDD:
		return memory >= inline_data;
	case MI_SEMAPHORE_WAIT_COMPARE_OPERATION_SAD_LESS_THAN_SDD:
		return memory < inline_data;
	case MI_SEMAPHORE_WAIT_COMPARE_OPERATION_SAD_LESS_THAN_OR_EQUAL_SDD:
		return memory <= inline_data;
	case MI_SEMAPHORE_WAIT_COMPARE_OPERATION_SAD_EQUAL_SDD:
		return memory == inline_data;
	case MI_SEMAPHORE_WAIT_COMPARE_OPERATION_SAD_NOT_EQUAL_SDD:
		return memory != inline_data;
	}
	return true;
}

static bool satisfied(struct engine *e, const struct mi_semaphore_wait *c)
{
	uint64_t addr = c->semaphore_address & IGEN_MASK64(47, 2);
	uint32_t v;

	if (c->register_poll_mode)
		v = cs_reg_read(e, (uint32_t)addr);
	else
		v = cs_read32(e, c->memory_type && cs_ggtt_bit_counts(e), addr);
	return cs_compare(c->compare_operation, v, c->semaphore_data_dword);
}

/* gpu->lock held: sleeps once; a signal that came is used up. */
static void wait_once(struct engine *e, const struct mi_semaphore_wait *c, unsigned int round)
{
	bool poll = c->wait_mode || c->register_poll_mode;

	engine_set_state(e, ENGINE_POLLING);
	if (poll)
		engine_sleep(e, round < POLL_SLOW_AFTER ? POLL_US : POLL_SLOW_US);
	else if (!atomic_load(&e->sema_signal) && cs_pipeline_needs_thread(e))
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
static enum cs_result poll_or_sleep(struct engine *e, const struct mi_semaphore_wait *c)
{
	enum cs_result r;

	for (unsigned int round = 0; ; round++) {
		uint32_t requests = engine_requests(e);

		if (requests & ENGINE_STOPS)
			return give_way(e, CS_STOPPED);
		if (requests & ENGINE_PARK && engine_park(e) == CS_STOPPED)
			return give_way(e, CS_STOPPED);
		if (cs_pipeline_needs_thread(e))
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
			wait_once(e, c, round);
		pthread_mutex_unlock(&e->gpu->lock);
		if (satisfied(e, c))
			return CS_CONTINUE;
	}
}

enum cs_result cs_mi_semaphore_wait(struct engine *e)
{
	bool for_ever = fault_comes(e), in_memory;
	struct mi_semaphore_wait c;
	enum cs_result r;

	mi_semaphore_wait_get(e->gen, e->cs.dw, &c);
	in_memory = !c.register_poll_mode;
	if (!for_ever) {
		if (satisfied(e, &c))
			return CS_CONTINUE;
		engine_count(e, "semaphore_waits");
		e->cs.line_addr = CS_NO_LINE;	/* what follows may change meanwhile */
		if (in_memory && execlists_enabled(e) && !e->cs.workaround &&
		    !(reg_get(e, RING_CTX_CTL(0)) & CTX_CTL_INHIBIT_SYN_CTX_SWITCH))
			return give_way(e, CS_WAIT_SEMAPHORE);
	}
	/* The driver that gets the interrupt finds the engine waiting. */
	atomic_store(&e->sema_wait, true);
	if (in_memory && !for_ever)
		cs_raise(e, GT_IRQ_WAIT_SEMAPHORE);
	r = for_ever ? engine_spin(e) : poll_or_sleep(e, &c);
	atomic_store(&e->sema_wait, false);
	return r;
}

/* MI_SEMAPHORE_MBOX of the engines' SYNC registers, by which engine they are of and by whom they are written. */
static uint32_t sync_register(const struct engine *e, unsigned int select)
{
	static const uint32_t offset[] = { RING_SYNC_0(0), RING_SYNC_1(0), RING_SYNC_2(0) };

	return e->info->base + offset[select < ARRAY_SIZE(offset) ? select : 0];
}

static bool mailbox_reached(struct engine *e, const struct mi_semaphore_mbox *c)
{
	/* "Greater than": the mailbox has to be beyond the data (as stock i915 of Linux 4.18 used it). */
	return cs_reg_read(e, sync_register(e, c->register_select)) > c->semaphore_data_dword;
}

/*
 * Gen6 and Gen7: signals another engine, by a register that the address names, or waits until the mailbox of this one
 * is beyond the data. Only what is privileged may.
 */
enum cs_result cs_mi_semaphore_mbox(struct engine *e)
{
	struct mi_semaphore_mbox c;

	if (!cs_privileged(e)) {
		count("privileged_noops", e->cs.cmd->name, 1);
		return CS_CONTINUE;
	}
	mi_semaphore_mbox_get(e->gen, e->cs.dw, &c);
	if (c.update_semaphore) {
		cs_reg_write(e, (uint32_t)c.semaphore_address, c.semaphore_data_dword);
		return CS_CONTINUE;
	}
	if (!c.compare_semaphore || mailbox_reached(e, &c))
		return CS_CONTINUE;
	engine_count(e, "semaphore_waits");
	e->cs.line_addr = CS_NO_LINE;	/* what follows may change meanwhile */
	atomic_store(&e->sema_wait, true);
	while (!mailbox_reached(e, &c)) {
		uint32_t requests = engine_requests(e);

		if (requests & ENGINE_STOPS ||
		    (requests & ENGINE_PARK && engine_park(e) == CS_STOPPED)) {
			cs_rewind(e);
			atomic_store(&e->sema_wait, false);
			return CS_STOPPED;
		}
		pthread_mutex_lock(&e->gpu->lock);
		if (!engine_requests(e)) {
			engine_set_state(e, ENGINE_POLLING);
			engine_sleep(e, POLL_US);
			engine_set_state(e, ENGINE_RUNNING);
		}
		pthread_mutex_unlock(&e->gpu->lock);
	}
	atomic_store(&e->sema_wait, false);
	return CS_CONTINUE;
}

/* Wakes a waiter in signal mode on the engine that the command names. */
enum cs_result cs_mi_semaphore_signal(struct engine *e)
{
	const struct platform *p = e->gpu->platform;
	struct mi_semaphore_signal c;
	struct engine *to = NULL;

	mi_semaphore_signal_get(e->gen, e->cs.dw, &c);
	pthread_mutex_lock(&e->gpu->lock);
	for (unsigned int i = 0; i < p->num_engines; i++)
		if (p->engines[i].signal_id == c.target_engine_select)
			to = e->gpu->engine[p->engines[i].id];
	/* A context ID other than the running one's has no effect. */
	if (to && to->active && (uint32_t)(to->list.desc[to->element] >> 32) == c.target_context_id) {
		atomic_store(&to->sema_signal, true);
		pthread_cond_broadcast(&to->wake);
	}
	pthread_mutex_unlock(&e->gpu->lock);
	return CS_CONTINUE;
}

/* A comparison that is true goes on; one that is false ends the batch. */
enum cs_result cs_mi_conditional_batch_buffer_end(struct engine *e)
{
	struct mi_conditional_batch_buffer_end c;
	uint64_t addr;
	uint32_t v;

	mi_conditional_batch_buffer_end_get(e->gen, e->cs.dw, &c);
	addr = c.compare_address & IGEN_MASK64(47, 2);
	if (!c.compare_semaphore || e->cs.level == CS_RING)
		return CS_CONTINUE;
	if (c.use_global_gtt && !cs_may_use_ggtt(e))
		return CS_CONTINUE;
	if (c.compare_mask_mode) {
		uint64_t pair = cs_read64(e, c.use_global_gtt, addr & ~7ull);

		v = (uint32_t)pair & (uint32_t)(pair >> 32);
	} else {
		v = cs_read32(e, c.use_global_gtt, addr);
	}
	if (!cs_compare(c.compare_operation, v, c.compare_data_dword))
		cs_end_batch(e, !c.end_current_batch_buffer_level);
	return CS_CONTINUE;
}
