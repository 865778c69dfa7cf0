// SPDX-License-Identifier: MIT
/**
 * DOC: Engines as threads
 *
 * Each engine of the platform is a thread that sleeps on a condition until it has work: an execlist
 * in its port, or in ring-buffer mode a tail that is not the head. CPU accesses reach it through
 * its registers only, and through requests, which it looks at before each command: to stop for a
 * reset, to stop parsing (STOP_RING, RESET_CTL), to look at a new list.
 *
 * A reset waits until the thread has let go, so that nothing of the old contexts is written after
 * it. An engine that met an error it cannot go on from (a fetch that faults, an unknown opcode, a
 * hang on purpose) halts: its registers keep what a driver wants to see, and only a reset brings it
 * back (public Gen9 PRM Vol 2c, "GDRST", "RESET_CTRL").
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "engine.h"
#include "igen/regs/irq.h"

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
	pthread_cond_broadcast(&e->changed);
}

void engine_raise(struct engine *e, uint32_t bit)
{
	gt_irq_raise(e->gpu, e->info, bit);
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

enum cs_result engine_park(struct engine *e)
{
	enum cs_result r = CS_CONTINUE;

	pthread_mutex_lock(&e->gpu->lock);
	while (engine_requests(e) & ENGINE_PARK &&
	       !(engine_requests(e) & (ENGINE_RESET | ENGINE_QUIT))) {
		engine_set_state(e, ENGINE_PARKED);
		pthread_cond_wait(&e->wake, &e->gpu->lock);
	}
	if (engine_requests(e) & (ENGINE_RESET | ENGINE_QUIT))
		r = CS_STOPPED;
	else
		engine_set_state(e, ENGINE_RUNNING);
	pthread_mutex_unlock(&e->gpu->lock);
	return r;
}

/*
 * Between two looks of an engine that spins: it burns no processor, and is seen to be alive by who
 * reads its registers.
 */
#define SPIN_US	1000

enum cs_result engine_spin(struct engine *e)
{
	struct gpu *gpu = e->gpu;
	uint32_t r;

	for (;;) {
		r = engine_requests(e);
		if (r & (ENGINE_RESET | ENGINE_QUIT))
			return CS_STOPPED;
		if (r & ENGINE_PARK && engine_park(e) == CS_STOPPED)
			return CS_STOPPED;
		pthread_mutex_lock(&gpu->lock);
		if (!(engine_requests(e) & ~(uint32_t)ENGINE_LIST)) {
			engine_set_state(e, ENGINE_POLLING);
			engine_sleep(e, SPIN_US);
			engine_set_state(e, ENGINE_RUNNING);
		}
		pthread_mutex_unlock(&gpu->lock);
	}
}

/* gpu->lock held: everything of the engine that a reset of its domain brings back. */
static void reset_state(struct engine *e)
{
	execlists_reset(e);
	engine_regs_reset(e);
	atomic_store(&e->ctx_active, false);
	atomic_store(&e->sema_signal, false);
	e->loaded_pml4 = 0;
	e->preempted_ns = 0;
	e->reset_withheld = false;
	e->deaf = false;
	e->cs = (struct cs){ 0 };
	e->walk = (struct walk){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(e->blt.setup); i++)
		e->blt.setup[i] = 0;
	engine_request(e, 0, ENGINE_RESET | ENGINE_PARK | ENGINE_LIST);
	engine_count(e, "engine_resets");
}

/* Ring-buffer mode: the ring is enabled and holds something. gpu->lock held. */
static bool ring_has_work(struct engine *e)
{
	if (execlists_enabled(e) || !(reg_get(e, RING_CTL(0)) & RING_CTL_VALID))
		return false;
	return (reg_get(e, RING_HEAD(0)) & RING_HEAD_MASK) !=
	       (reg_get(e, RING_TAIL(0)) & RING_TAIL_MASK);
}

bool engine_is_idle(struct engine *e)
{
	return e->state == ENGINE_IDLE && !(engine_requests(e) & ENGINE_LIST) && !ring_has_work(e);
}

/* gpu->lock held, and dropped meanwhile. */
static void run_ring(struct engine *e)
{
	enum cs_result r;

	engine_set_state(e, ENGINE_RUNNING);
	cs_start_ring(e);
	pthread_mutex_unlock(&e->gpu->lock);
	r = cs_run(e);
	if (r != CS_COMPLETE)
		pthread_mutex_lock(&e->gpu->lock);
}

static void *engine_thread(void *arg)
{
	struct engine *e = arg;
	struct gpu *gpu = e->gpu;

	this_engine = e;
	pthread_mutex_lock(&gpu->lock);
	for (;;) {
		uint32_t r = engine_requests(e);

		if (r & ENGINE_QUIT)
			break;
		if (r & ENGINE_RESET) {
			reset_state(e);
			engine_set_state(e, ENGINE_IDLE);
			pthread_cond_broadcast(&e->changed);
		} else if (r & ENGINE_PARK) {
			engine_set_state(e, ENGINE_PARKED);
			pthread_cond_wait(&e->wake, &gpu->lock);
		} else if (r & ENGINE_LIST) {
			execlists_run(e);
		} else if (ring_has_work(e)) {
			run_ring(e);
		} else {
			engine_set_state(e, ENGINE_IDLE);
			pthread_cond_wait(&e->wake, &gpu->lock);
		}
	}
	pthread_mutex_unlock(&gpu->lock);
	return NULL;
}

void engine_reset(struct gpu *gpu, enum engine_id id)
{
	struct engine *e = gpu->engine[id];

	if (!e)
		return;
	engine_request(e, ENGINE_RESET, 0);
	/* A command stream that resets engines cannot wait: it may be what they wait for. */
	if (this_engine)
		return;
	while (engine_requests(e) & ENGINE_RESET)
		pthread_cond_wait(&e->changed, &gpu->lock);
}

bool engine_ready_to_reset(struct gpu *gpu, enum engine_id id)
{
	struct engine *e = gpu->engine[id];

	if (!e)
		return true;
	return !e->reset_withheld && (e->state == ENGINE_IDLE || e->state == ENGINE_PARKED ||
				      e->state == ENGINE_HALTED);
}

static struct engine *engine_new(struct gpu *gpu, const struct engine_info *info)
{
	const struct mmio_block block = {
		.name = info->name,
		.start = info->base,
		.end = info->base + ENGINE_MMIO_SIZE,
		.read = engine_reg_read,
		.write = engine_reg_write,
	};
	struct mmio_block claim = block;
	struct engine *e = calloc(1, sizeof(*e));
	pthread_condattr_t attr;

	if (!e)
		return NULL;
	e->gpu = gpu;
	e->info = info;
	e->decoder = command_decoder(info->class);
	e->command_counters = calloc(e->decoder->set->ncmds, sizeof(*e->command_counters));
	e->tlb = tlb_new(gpu, info->name);
	if (!e->tlb || !e->command_counters || !cs_check_init(e)) {
		free(e->command_counters);
		free(e);
		return NULL;
	}
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&e->wake, &attr);
	pthread_cond_init(&e->changed, &attr);
	pthread_condattr_destroy(&attr);
	e->commands = counter_get("engine_commands", info->name);
	e->blt.gpu = gpu;
	e->blt.engine = info;
	e->blt.tlb = e->tlb;
	engine_regs_init(e);
	claim.opaque = e;
	mmio_claim(gpu, &claim);
	return e;
}

static void engine_free(struct engine *e)
{
	pthread_cond_destroy(&e->wake);
	pthread_cond_destroy(&e->changed);
	free(e->command_counters);
	free(e->checker);
	free(e->saved);
	free(e);
}

/**
 * engines_start() - makes the engines of the platform and starts their threads
 * @gpu: the device, whose registers and memory exist; its lock is not held
 *
 * Return: 0, or -1 when memory or threads are short.
 */
int engines_start(struct gpu *gpu)
{
	const struct platform *p = gpu->platform;

	pthread_mutex_lock(&gpu->lock);
	context_claim_registers(gpu);
	for (unsigned int i = 0; i < p->num_engines; i++) {
		struct engine *e = engine_new(gpu, &p->engines[i]);

		if (e && pthread_create(&e->thread, NULL, engine_thread, e)) {
			engine_free(e);
			e = NULL;
		}
		gpu->engine[p->engines[i].id] = e;
		if (!e) {
			pthread_mutex_unlock(&gpu->lock);
			engines_stop(gpu);
			return -1;
		}
	}
	pthread_mutex_unlock(&gpu->lock);
	return 0;
}

/**
 * engines_stop() - ends the threads and frees the engines
 * @gpu: the device; its lock is not held, and nothing accesses engine registers any more
 */
void engines_stop(struct gpu *gpu)
{
	struct engine *gone[NUM_ENGINES] = { NULL };

	/* All of them first, so that one that waits for another ends too. */
	pthread_mutex_lock(&gpu->lock);
	for (unsigned int i = 0; i < NUM_ENGINES; i++)
		if (gpu->engine[i])
			engine_request(gpu->engine[i], ENGINE_QUIT, 0);
	pthread_mutex_unlock(&gpu->lock);
	for (unsigned int i = 0; i < NUM_ENGINES; i++)
		if (gpu->engine[i])
			pthread_join(gpu->engine[i]->thread, NULL);
	pthread_mutex_lock(&gpu->lock);
	for (unsigned int i = 0; i < NUM_ENGINES; i++) {
		gone[i] = gpu->engine[i];
		gpu->engine[i] = NULL;
	}
	pthread_mutex_unlock(&gpu->lock);
	for (unsigned int i = 0; i < NUM_ENGINES; i++)
		if (gone[i])
			engine_free(gone[i]);
}
