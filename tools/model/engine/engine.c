// SPDX-License-Identifier: MIT
/**
 * DOC: Engines as threads
 *
 * Each engine of the platform is a thread that sleeps on a condition until it has work: an execlist
 * in its port, or in ring-buffer mode a tail that is not the head. CPU accesses reach it through
 * its registers only, and through requests, which it looks at before each command: to stop for a
 * reset, to stop parsing (STOP_RING, RESET_CTL), to look at a new list.
 *
 * A reset waits until the thread has stopped, so that nothing of the old contexts is written after
 * it. An engine that met an error it cannot go on from (a fetch that faults, an unknown opcode, a
 * hang on purpose) halts: its registers keep what a driver wants to see, and only a reset brings it
 * back (public Gen9 PRM Vol 2c, "GDRST", "RESET_CTRL").
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "engine/engine.h"
#include "regs/regs.h"
#include "igen/regs/context.h"
#include "igen/regs/irq.h"

/* gpu->lock held: everything of the engine that a reset of its domain brings back. */
static void reset_state(struct engine *e)
{
	e->submission->reset(e);
	engine_regs_reset(e);
	atomic_store(&e->ctx_active, false);
	atomic_store(&e->sema_signal, false);
	e->loaded_pml4 = 0;
	atomic_store(&e->status_page, 0);
	e->preempted_ns = 0;
	e->reset_withheld = false;
	e->reset_prepared = false;
	e->deaf = false;
	e->ring_arb_off = false;
	e->cs = (struct cs){ 0 };
	e->pipeline = (struct pipeline){ 0 };
	if (e->media)
		media_drop(e->media);
	if (e->draw)
		draw_drop(e->draw);
	e->blt.setup = (struct blt_setup){ 0 };
	engine_request(e, 0, ENGINE_RESET | ENGINE_PARK | ENGINE_LIST | ENGINE_DISABLED);
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

bool engine_is_at_work(struct engine *e)
{
	return !engine_is_idle(e) && e->state != ENGINE_PARKED && e->state != ENGINE_HALTED;
}

/* How long a write waits for an engine that polls a semaphore or runs in circles, when writes are to be synchronous. */
#define SYNC_POLL_LIMIT_NS	5000000ull

/**
 * engine_synchronize() - lets the engine do what it was just given, if the configuration asks for that
 * @e: the engine; gpu->lock is held, and dropped meanwhile
 *
 * With the setting "sync", the CPU's write of the ELSP or of a ring's tail returns when the engine is idle, stopped, or
 * waits for something that only the CPU may bring about; at the latest after sync_limit_ms, which is counted.
 * An engine's own write does not wait.
 */
void engine_synchronize(struct engine *e)
{
	const struct config *cfg = &e->gpu->config;
	uint64_t start = host_ns();

	while (cfg->sync && !this_engine) {
		bool list = engine_requests(e) & ENGINE_LIST;
		uint64_t waited = host_ns() - start;
		struct timespec t;

		if (e->state == ENGINE_HALTED || e->state == ENGINE_PARKED ||
		    engine_requests(e) & (ENGINE_RESET | ENGINE_QUIT))
			return;
		if (engine_is_idle(e))
			return;
		if (e->state == ENGINE_POLLING && (!list || waited > SYNC_POLL_LIMIT_NS))
			return;
		if (waited > cfg->sync_limit_ms * 1000000ull) {
			engine_count(e, "sync_timeouts");
			return;
		}
		clock_gettime(CLOCK_MONOTONIC, &t);
		t.tv_nsec += 5000000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&e->changed, &e->gpu->lock, &t);
	}
}

/* What an engine needs to come to the end of a command that is not long, in processor time of its thread. */
#define PARK_CPU_NS		5000000ull
/* A limit on a hang. */
#define PARK_HOST_NS		60000000000ull

static uint64_t thread_ns(struct engine *e)
{
	struct timespec t;
	clockid_t clock;

	if (pthread_getcpuclockid(e->thread, &clock) || clock_gettime(clock, &t))
		return UINT64_MAX;
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static bool has_stopped(struct engine *e)
{
	return e->state == ENGINE_PARKED || e->state == ENGINE_HALTED || engine_is_idle(e);
}

/**
 * engine_wait_parked() - lets the engine stop, as it was just asked to
 * @e: the engine; gpu->lock is held, and dropped meanwhile
 *
 * On silicon an engine stops within microseconds, for which drivers wait. Here its thread may be late by seconds, since
 * the host is busy. So the CPU's write waits until the engine has stopped, or until its thread has had the time to.
 */
void engine_wait_parked(struct engine *e)
{
	uint64_t start = host_ns(), until = thread_ns(e);
	struct timespec t;

	if (this_engine || until == UINT64_MAX)
		return;
	until += PARK_CPU_NS;
	while (engine_requests(e) & ENGINE_PARK && !(engine_requests(e) & (ENGINE_RESET | ENGINE_QUIT)) &&
	       !e->takes_time && !has_stopped(e)) {
		if (thread_ns(e) >= until || host_ns() - start > PARK_HOST_NS)
			return;
		clock_gettime(CLOCK_MONOTONIC, &t);
		t.tv_nsec += 1000000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&e->changed, &e->gpu->lock, &t);
	}
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
		} else if (r & ENGINE_DISABLED) {
			e->pipeline = (struct pipeline){ 0 };
			if (e->media)
				media_drop(e->media);
			if (e->draw)
				draw_drop(e->draw);
			engine_request(e, 0, ENGINE_DISABLED);
		} else if (r & ENGINE_PARK) {
			engine_set_state(e, ENGINE_PARKED);
			pthread_cond_wait(&e->wake, &gpu->lock);
		} else if (r & ENGINE_LIST) {
			e->submission->run(e);
		} else if (ring_has_work(e)) {
			run_ring(e);
		} else {
			if (!e->submission->lists)
				ring_goes_idle(e);
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

static void engine_free_memory(struct engine *e)
{
	free(e->command_counters);
	cs_state_free(e);
	free(e->checker);
	free(e->saved);
	free(e);
}

static void engine_free(struct engine *e)
{
	pthread_cond_destroy(&e->wake);
	pthread_cond_destroy(&e->changed);
	view_fini(&e->view);
	view_fini(&e->blt.view);
	media_free(e->media);
	draw_free(e->draw);
	engine_free_memory(e);
}

/* For messages about an access of the engine's thread. */
static void describe(void *opaque, char *text, size_t size)
{
	const struct engine *e = opaque;
	const struct cs_breadcrumb *b = &e->cs.breadcrumb;
	char request[64] = "", batch[40] = "";

	if (e->cs.level != CS_RING && !e->cs.workaround && b->known)
		snprintf(request, sizeof(request), ", request with seqno %u for 0x%llx", b->seqno,
			 (unsigned long long)b->addr);
	if (e->cs.level != CS_RING && !e->cs.workaround && b->batch)
		snprintf(batch, sizeof(batch), ", batch at 0x%llx", (unsigned long long)b->batch);
	snprintf(text, size, "%s, context %08llx%s%s, command at 0x%llx, ring head 0x%x", e->info->name,
		 (unsigned long long)(e->loaded_desc & CTX_DESC_LRCA_MASK), request, batch,
		 (unsigned long long)e->cs.addr_before, e->cs.head_before & RING_HEAD_MASK);
}

static uint32_t status_page_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	struct engine *e = opaque;

	(void)gpu;
	(void)offset;
	return atomic_load(&e->status_page);
}

static void status_page_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	struct engine *e = opaque;

	(void)gpu;
	(void)offset;
	atomic_store(&e->status_page, value & HWS_PGA_RCS_MASK);
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
	e->submission = gpu->platform->submission;
	e->decoder = command_decoder(gpu->platform->commands, info->class);
	e->dispatch = cs_dispatch_of(gpu->platform->commands);
	e->gen = gpu->platform->commands->gen;
	e->command_counters = calloc(e->decoder->set->ncmds, sizeof(*e->command_counters));
	e->tlb = tlb_new(gpu, info->name);
	if (!e->tlb || !e->command_counters || !cs_check_init(e) ||
	    (info->class == ENGINE_RENDER && !cs_state_init(e))) {
		engine_free_memory(e);
		return NULL;
	}
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&e->wake, &attr);
	pthread_cond_init(&e->changed, &attr);
	pthread_condattr_destroy(&attr);
	e->commands = counter_own("engine_commands", info->name, info->id);
	e->blt.gpu = gpu;
	e->blt.gen = e->gen;
	e->blt.engine = info;
	tlb_describe_by(e->tlb, describe, e);
	view_init(&e->view, e->tlb, MEM_CS);
	view_init(&e->blt.view, e->tlb, MEM_BLT);
	if (info->class == ENGINE_RENDER && gpu->platform->eu && gpu->config.execute) {
		e->media = media_new(gpu, info, e->tlb, e->gen, gpu->platform->eu);
		e->draw = draw_new(gpu, info, e->tlb, e->gen, gpu->platform->eu);
		if (!e->media || !e->draw) {
			engine_free(e);
			return NULL;
		}
	}
	e->blt.request = &e->request;
	e->blt.stop_on = ENGINE_RESET | ENGINE_QUIT;
	engine_regs_init(e);
	claim.opaque = e;
	mmio_claim(gpu, &claim);
	if (info->status_page_reg) {
		const struct mmio_block page = {
			.name = "HWS_PGA",
			.start = info->status_page_reg,
			.end = info->status_page_reg + 4,
			.read = status_page_read,
			.write = status_page_write,
			.opaque = e,
		};

		mmio_claim(gpu, &page);
	}
	return e;
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
		gpu->busy_engines &= ~(1u << i);
	}
	/* Some are theirs. */
	events_forget(gpu);
	pthread_mutex_unlock(&gpu->lock);
	for (unsigned int i = 0; i < NUM_ENGINES; i++)
		if (gone[i])
			engine_free(gone[i]);
}
