// SPDX-License-Identifier: MIT
/**
 * DOC: The model in the process
 *
 * The device is made when it is opened for the first time, so that its registers can be read; its engines' threads
 * start with the first submission. A submission writes commands into the context's ring, gives the context to the
 * engine as a driver does, and waits until the engine is idle, has stopped, or the time is over. In the last two cases,
 * and after a page fault, the engine is reset and the context is lost.
 *
 * Threads do not survive a fork: the child gets a new device and makes the contexts' images anew from what is in its
 * memory.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine.h"
#include "gpu.h"
#include "igen/regs/engine.h"
#include "main/main.h"
#include "mem/mem.h"
#include "regs/regs.h"

static struct gpu *gpu;
static const struct submit_ops *ops;
static bool running;
static bool forked;			/* the device is that of the process before the fork */
static uint8_t *defaults[NUM_ENGINES];	/* images that new contexts begin with */
static uint64_t status_pages;		/* in the global GTT, one an engine */

/* The first page fault of a submission, as the engine met it. */
static struct {
	pthread_mutex_t lock;
	bool valid;
	uint64_t addr, command;
	uint32_t header;
	bool write, read_only, ggtt;
} fault = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The linker gives the model's reports to this. */
void __wrap_gpu_page_fault(struct gpu *g, const struct engine_info *engine, const struct vm_ref *vm, uint64_t addr,
			   enum page_fault what)
{
	/* Other threads of the host execute its programs only while the engine's own waits for them. */
	struct engine *e = g->engine[engine->id];

	pthread_mutex_lock(&fault.lock);
	if (!fault.valid) {
		fault.valid = true;
		fault.addr = addr;
		fault.ggtt = vm->ggtt;
		fault.write = what != PAGE_FAULT_READ;
		fault.read_only = what == PAGE_FAULT_READ_ONLY;
		fault.command = e->cs.addr_before;
		fault.header = reg_get(e, RING_IPEHR(0));
	}
	pthread_mutex_unlock(&fault.lock);
	__real_gpu_page_fault(g, engine, vm, addr, what);
}

static struct gpu *device_new(void)
{
	struct gpu *g = gpu_new(&shim.settings.model);

	if (!g)
		shim_say("no memory for the model");
	return g;
}

/**
 * gpu_probe() - makes the device that the settings describe, unless it is there
 *
 * shim.lock held.
 *
 * Return: 0; -EINVAL for settings that describe none, -ENODEV for one whose submission the shim does not know, -ENOMEM.
 */
int gpu_probe(void)
{
	uint64_t pa;
	int err;

	if (gpu)
		return 0;
	if (shim.settings.bad)
		return -EINVAL;
	gpu = device_new();
	if (!gpu)
		return -ENOMEM;
	ops = gpu->platform->submission->lists ? &submit_execlists : &submit_rings;
	err = ggtt_init();
	if (err)
		goto fail;
	ggtt_restore(gpu);
	err = -ENOMEM;
	if (!memory_internal(NUM_ENGINES * PAGE, &pa))
		goto fail;
	err = ggtt_map(pa, NUM_ENGINES * PAGE, &status_pages);
	if (!err)
		err = vm_init();
	if (!err)
		return 0;
fail:
	gpu_free(gpu);
	gpu = NULL;
	return err;
}

const struct gpu *gpu_device(void)
{
	return gpu;
}

int gpu_revision(void)
{
	return (int)(gpu->config.revision ? gpu->config.revision : gpu->platform->revision);
}

uint64_t gpu_status_page(int engine)
{
	return status_pages + (uint64_t)engine * PAGE;
}

uint32_t gpu_register(uint32_t offset)
{
	uint32_t v;

	pthread_mutex_lock(&gpu->lock);
	v = mmio_read(gpu, offset, false);
	pthread_mutex_unlock(&gpu->lock);
	return v;
}

uint64_t gpu_clock(void)
{
	return gpu_timestamp(gpu);
}

void gpu_reset_stream_offsets(void)
{
	pthread_mutex_lock(&gpu->lock);
	for (uint32_t i = 0; i < 4; i++)
		mmio_write(gpu, SO_WRITE_OFFSET(i), 0, true);
	pthread_mutex_unlock(&gpu->lock);
}

const struct engine_info *gpu_engine(int engine)
{
	for (unsigned int i = 0; i < gpu->platform->num_engines; i++)
		if ((int)gpu->platform->engines[i].id == engine)
			return &gpu->platform->engines[i];
	return NULL;
}

/* Without the engine's default state. */
static struct lrc *lrc_bare(struct vm *vm, const struct engine_info *info)
{
	struct lrc *lrc = calloc(1, sizeof(*lrc));

	if (!lrc)
		return NULL;
	lrc->seqno_at = ops->image_bytes[info->class];
	lrc->ring = lrc->seqno_at + PAGE;
	lrc->size = lrc->ring + RING_BYTES;
	lrc->cpu = memory_internal(lrc->size, &lrc->pa);
	if (!lrc->cpu)
		goto fail;
	if (ggtt_map(lrc->pa, lrc->size, &lrc->ggtt)) {
		memory_internal_free(lrc->cpu, lrc->pa, lrc->size);
		goto fail;
	}
	ops->image_new(lrc, vm, info, true);
	return lrc;
fail:
	free(lrc);
	return NULL;
}

void lrc_free(struct lrc *lrc)
{
	if (!lrc)
		return;
	if (ops->forget) {
		pthread_mutex_lock(&gpu->lock);
		ops->forget(gpu, lrc);
		pthread_mutex_unlock(&gpu->lock);
	}
	ggtt_unmap(lrc->ggtt, lrc->size);
	memory_internal_free(lrc->cpu, lrc->pa, lrc->size);
	free(lrc);
}

static void ring_write(struct lrc *lrc, const struct engine_info *info, const struct batch *batch)
{
	uint32_t *ring = (uint32_t *)(lrc->cpu + lrc->ring);
	unsigned int n;

	if (ops->one_ring) {
		lrc->tail = 0;
	} else if (lrc->tail + BATCH_DWORDS * 4 > RING_BYTES) {
		memset((uint8_t *)ring + lrc->tail, 0, RING_BYTES - lrc->tail);
		lrc->tail = 0;
	}
	lrc->seqno++;
	n = ops->emit(lrc, info, ring + lrc->tail / 4, batch);
	/* A tail is a multiple of 8 bytes. */
	if (n % 2)
		ring[lrc->tail / 4 + n++] = 0;
	lrc->tail += n * 4;
	if (lrc->tail == RING_BYTES)
		lrc->tail = 0;
}

/* True when the engine has done all that it was given; false when it has stopped, or when time is over. */
static bool wait_idle(struct engine *e)
{
	uint64_t end = host_ns() + shim.settings.timeout_ms * 1000000ull;

	while (!engine_is_idle(e)) {
		struct timespec t;

		if (e->state == ENGINE_HALTED || host_ns() > end)
			return false;
		clock_gettime(CLOCK_MONOTONIC, &t);
		t.tv_nsec += 5000000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&e->changed, &gpu->lock, &t);
	}
	return true;
}

/* An address in the copy of a batch, as one in the batch itself. */
static uint64_t in_batch(const struct batch *batch, uint64_t addr)
{
	return batch && batch->copy && addr - batch->copy < batch->copy_bytes ? addr - batch->copy + batch->addr : addr;
}

static unsigned long long start_of(const struct batch *batch)
{
	return batch ? batch->addr : 0;
}

static void say_stopped(struct engine *e, bool halted, const struct batch *batch)
{
	uint32_t header = reg_get(e, RING_IPEHR(0));
	const char *name = command_name(e->decoder, header);
	char why[400];

	log_last(why, sizeof(why));
	if (halted && why[0])
		shim_say("%s (%s); context and batch (at 0x%llx) end here", why, name ? name : "no known command",
			 start_of(batch));
	else
		shim_say("%s: batch 0x%llx does not end within %u ms, is at 0x%llx, %s (%08x); its context ends",
			 e->info->name, start_of(batch), shim.settings.timeout_ms,
			 (unsigned long long)in_batch(batch, cs_address(e)), name ? name : "no known command", header);
}

static void say_fault(const struct engine *e, const struct batch *batch)
{
	const char *name = command_name(e->decoder, fault.header);

	shim_say("%s: %s of 0x%llx%s, where %s, by 0x%llx, %s (%08x), of batch 0x%llx; its context ends",
		 e->info->name, fault.write ? "write" : "read", (unsigned long long)fault.addr,
		 fault.ggtt ? " in the global GTT" : "",
		 fault.read_only ? "memory is read-only" : "no object is bound",
		 (unsigned long long)in_batch(batch, fault.command), name ? name : "no known command", fault.header,
		 start_of(batch));
}

/* gpu->lock held, and dropped meanwhile. */
static void reset_engine(struct engine *e)
{
	engine_reset(gpu, e->info->id);
	ops->setup(gpu, e->info);
}

/* shim.exec held. */
static int run(struct lrc *lrc, struct vm *vm, int engine, const struct batch *batch)
{
	const struct engine_info *info = gpu_engine(engine);
	bool done, halted;
	struct engine *e;
	int err = 0;

	e = gpu->engine[engine];
	if (__atomic_exchange_n(&vm->stale, false, __ATOMIC_ACQ_REL) || ops->one_ring)
		tlb_invalidate_all(gpu, false, true);
	ring_write(lrc, info, batch);
	fault.valid = false;
	log_forget();

	pthread_mutex_lock(&gpu->lock);
	ops->submit(gpu, lrc, vm, info);
	done = wait_idle(e);
	halted = e->state == ENGINE_HALTED;
	if (done && *(volatile uint32_t *)(lrc->cpu + lrc->seqno_at) != lrc->seqno) {
		shim_say("%s: the batch at 0x%llx has ended without what stands behind it in the ring", info->name,
			 start_of(batch));
		err = -EIO;
	}
	if (fault.valid)
		say_fault(e, batch);
	else if (!done)
		say_stopped(e, halted, batch);
	if (fault.valid || !done)
		err = -EIO;
	if (err)
		reset_engine(e);
	pthread_mutex_unlock(&gpu->lock);
	return err;
}

/* A context that has done nothing, as an engine saves it just after a reset: no program's values are in it. */
static int record_default(struct vm *vm, const struct engine_info *info)
{
	struct lrc *lrc = lrc_bare(vm, info), *other = NULL;
	uint64_t bytes = ops->image_bytes[info->class];
	int err;

	if (!lrc)
		return -ENOMEM;
	err = run(lrc, vm, (int)info->id, NULL);
	/* On a ring a context is saved when another one is loaded. */
	if (!err && ops->one_ring) {
		other = lrc_bare(vm, info);
		err = other ? run(other, vm, (int)info->id, NULL) : -ENOMEM;
	}
	/* Most engines of rings have none. */
	defaults[info->id] = calloc(1, bytes + 1);
	if (defaults[info->id])
		memcpy(defaults[info->id], lrc->cpu, bytes);
	lrc_free(other);
	lrc_free(lrc);
	return err ? err : defaults[info->id] ? 0 : -ENOMEM;
}

static int record_defaults(void)
{
	struct vm *vm = vm_new();
	int err = vm ? 0 : -ENOMEM;

	for (unsigned int i = 0; !err && i < gpu->platform->num_engines; i++)
		if (!defaults[gpu->platform->engines[i].id])
			err = record_default(vm, &gpu->platform->engines[i]);
	if (vm)
		vm_put(vm);
	return err;
}

/* The program's signals are none of the engines' threads' business. */
static int start_engines(void)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = engines_start(gpu);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		shim_say("the model's engines do not start");
		return -ENOMEM;
	}
	pthread_mutex_lock(&gpu->lock);
	for (unsigned int i = 0; i < gpu->platform->num_engines; i++)
		ops->setup(gpu, &gpu->platform->engines[i]);
	pthread_mutex_unlock(&gpu->lock);
	running = true;
	return 0;
}

/* With the first context that an engine is to execute. shim.exec and shim.lock held. */
static int start(void)
{
	int err;

	if (running)
		return 0;
	if (forked) {
		struct gpu *again = device_new();

		if (!again)
			return -ENOMEM;
		gpu = again;
		ggtt_restore(gpu);
		forked = false;
	}
	err = start_engines();
	return err ? err : record_defaults();
}

/**
 * lrc_new() - makes an engine's share of a context
 * @vm: the context's address space
 * @engine: enum engine_id
 *
 * shim.exec and shim.lock held; starts the engines if they have not been started.
 *
 * Return: it, or NULL without memory or room in the global GTT.
 */
struct lrc *lrc_new(struct vm *vm, int engine)
{
	const struct engine_info *info = gpu_engine(engine);
	struct lrc *lrc = start() ? NULL : lrc_bare(vm, info);

	if (!lrc)
		return NULL;
	memcpy(lrc->cpu, defaults[engine], ops->image_bytes[info->class]);
	ops->image_new(lrc, vm, info, false);
	return lrc;
}

/**
 * gpu_execute() - executes a batch
 * @lrc: the engine's share of the context
 * @vm: the context's address space
 * @engine: enum engine_id
 * @batch: where it begins
 *
 * shim.exec held, shim.lock not.
 *
 * Return: 0; -EIO when the context is lost, with a line on standard error that says why; -ENOMEM.
 */
int gpu_execute(struct lrc *lrc, struct vm *vm, int engine, const struct batch *batch)
{
	int err = 0;

	if (!running) {
		pthread_mutex_lock(&shim.lock);
		err = start();
		pthread_mutex_unlock(&shim.lock);
	}
	return err ? err : run(lrc, vm, engine, batch);
}

/* The child of fork() has no engine threads. They held no lock, since the thread that forks holds shim.exec. */
void gpu_forked(void)
{
	forked = running;
	running = false;
}

/* At the end of the program. */
void gpu_finish(void)
{
	if (!running)
		return;
	if (shim.settings.counters && counters_dump(shim.settings.counters))
		shim_say("%s: the counters cannot be written", shim.settings.counters);
}
