// SPDX-License-Identifier: MIT
/**
 * DOC: Stops, errors and sleeps of an engine's thread
 *
 * The parser and the commands call these functions to halt their thread at an error until a reset, to park
 * it while STOP_RING or RESET_CTL is set, to let it spin or sleep where silicon would poll, and to raise
 * the engine's interrupts. engine/engine.c has the thread's own loop.
 */
#include <time.h>

#include "cs/cs.h"
#include "regs/regs.h"
#include "igen/regs/irq.h"

/* Longest sleep; requests end it early. */
#define LONG_US	1000000

__thread struct engine *this_engine;

void engine_count(struct engine *e, const char *what)
{
	count(what, e->info->name, 1);
}

void engine_request(struct engine *e, uint32_t set, uint32_t clear)
{
	uint32_t v = atomic_load_explicit(&e->request, memory_order_relaxed);

	atomic_store_explicit(&e->request, (v & ~clear) | set, memory_order_release);
	pthread_cond_broadcast(&e->wake);
}

void engine_set_state(struct engine *e, enum engine_state state)
{
	if (e->state == state)
		return;
	e->state = state;
	e->gpu->busy_engines &= ~(1u << e->info->id);
	if (state != ENGINE_IDLE)
		e->gpu->busy_engines |= 1u << e->info->id;
	pthread_cond_broadcast(&e->changed);
}

void engine_raise(struct engine *e, uint32_t bit)
{
	e->gpu->platform->irq->raise(e->gpu, e->info, bit);
}

void engine_sleep(struct engine *e, unsigned int us)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += (long)(us % 1000000) * 1000;
	t.tv_sec += us / 1000000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&e->wake, &e->gpu->lock, &t);
}

void engine_sleep_until(struct engine *e, uint64_t ns)
{
	uint64_t now = now_ns();

	if (clock_reach(ns) || ns <= now)
		return;
	ns = (ns - now) / 1000 + 1;
	engine_sleep(e, ns < LONG_US ? (unsigned int)ns : LONG_US);
}

void engine_error(struct engine *e, uint32_t eir)
{
	uint32_t emr = reg_get(e, RING_EMR(0));

	reg_set(e, RING_ESR(0), reg_get(e, RING_ESR(0)) | eir);
	eir &= ~emr;
	if (!eir)
		return;
	reg_set(e, RING_EIR(0), reg_get(e, RING_EIR(0)) | eir);
	engine_raise(e, GT_IRQ_CS_ERROR);
}

/* gpu->lock held. */
static enum cs_result wait_for_reset(struct engine *e)
{
	engine_set_state(e, ENGINE_HALTED);
	while (!(engine_requests(e) & (ENGINE_RESET | ENGINE_QUIT)))
		pthread_cond_wait(&e->wake, &e->gpu->lock);
	return CS_STOPPED;
}

enum cs_result engine_halt(struct engine *e, uint32_t eir, const char *why)
{
	struct gpu *gpu = e->gpu;
	enum cs_result r;

	pthread_mutex_lock(&gpu->lock);
	count("engine_halts", why, 1);
	model_log("%s: stops: %s (header %08x at %s 0x%llx)", e->info->name, why,
		  reg_get(e, RING_IPEHR(0)), e->cs.level == CS_RING ? "ring" : "batch",
		  (unsigned long long)cs_address(e));
	if (eir)
		engine_error(e, eir);
	r = wait_for_reset(e);
	pthread_mutex_unlock(&gpu->lock);
	return r;
}

bool execlists_enabled(struct engine *e)
{
	return e->submission->lists && reg_get(e, RING_MODE(0)) & GFX_MODE_EXECLIST_ENABLE;
}

enum cs_result engine_park(struct engine *e)
{
	enum cs_result r = CS_CONTINUE;
	bool ran;

	pthread_mutex_lock(&e->gpu->lock);
	ran = e->pipeline.runs;
	cs_pipeline_hold(e);
	while (engine_requests(e) & ENGINE_PARK &&
	       !(engine_requests(e) & ENGINE_STOPS)) {
		engine_set_state(e, ENGINE_PARKED);
		pthread_cond_wait(&e->wake, &e->gpu->lock);
	}
	if (engine_requests(e) & ENGINE_STOPS)
		r = CS_STOPPED;
	else
		engine_set_state(e, ENGINE_RUNNING);
	if (ran)
		cs_pipeline_go(e);
	pthread_mutex_unlock(&e->gpu->lock);
	return r;
}

/*
 * Between two looks of an engine that spins: it burns no processor, and a driver that reads its
 * registers sees it alive.
 */
#define SPIN_US	1000

enum cs_result engine_spin(struct engine *e)
{
	struct gpu *gpu = e->gpu;
	uint32_t r;

	for (;;) {
		r = engine_requests(e);
		if (r & ENGINE_STOPS)
			return CS_STOPPED;
		if (r & ENGINE_PARK && engine_park(e) == CS_STOPPED)
			return CS_STOPPED;
		if (cs_pipeline_needs_thread(e))
			cs_pipeline_poll(e);
		pthread_mutex_lock(&gpu->lock);
		if (!(engine_requests(e) & ~(uint32_t)ENGINE_LIST)) {
			engine_set_state(e, ENGINE_POLLING);
			engine_sleep(e, SPIN_US);
			engine_set_state(e, ENGINE_RUNNING);
		}
		pthread_mutex_unlock(&gpu->lock);
	}
}
