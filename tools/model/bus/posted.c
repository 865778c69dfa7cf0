// SPDX-License-Identifier: MIT
/**
 * DOC: Posted writes
 *
 * A write to a memory BAR is posted: the CPU goes on before the device has the write. With the setting "posted_us" the
 * writes to BAR 0, registers and entries of the GGTT, wait in a queue. A write leaves the queue
 *
 * - when the time is over: a thread of its own takes it out,
 * - when a later write finds the queue full,
 * - when a request that may not pass posted writes comes: a read of any BAR, and any access to configuration space or
 *   to an I/O port (PCI Local Bus Specification 3.0, appendix E, "PCI Ordering Rules").
 *
 * Writes arrive in their order. A write to the aperture (BAR 2) arrives at once, behind all that wait: the aperture
 * shows memory, which CPU and GPU see alike on parts with a coherent GGTT. An interrupt message goes the other way and
 * pushes nothing. A reset of the function drops what waits.
 *
 * Not done: combining, and writes that wait in the CPU.
 */
#include <stdlib.h>

#include "bus/bus.h"

#define QUEUE	64			/* a power of two */

struct posted_write {
	uint64_t due_ns;		/* by the host's clock */
	uint64_t value;
	uint32_t offset;
	unsigned int size;
};

struct posted {
	pthread_mutex_t lock;		/* outside of gpu->lock: a write arrives under both */
	pthread_cond_t changed;
	struct posted_write queue[QUEUE];
	unsigned int first, end;	/* numbers that grow; end - first writes wait */
	pthread_t timer;
	bool timed;			/* the timer's thread runs */
	bool stop;
	_Atomic uint64_t *late, *pushed, *full;
};

static void arrive_first(struct gpu *gpu)
{
	struct posted *p = gpu->posted;
	const struct posted_write w = p->queue[p->first++ % QUEUE];

	pci_bar0_arrive(gpu, w.offset, w.size, w.value);
}

static void *timer(void *opaque)
{
	struct gpu *gpu = opaque;
	struct posted *p = gpu->posted;

	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		uint64_t due = p->queue[p->first % QUEUE].due_ns;

		if (p->first == p->end) {
			pthread_cond_wait(&p->changed, &p->lock);
		} else if (host_ns() < due) {
			const struct timespec at = { .tv_sec = due / 1000000000, .tv_nsec = due % 1000000000 };

			pthread_cond_timedwait(&p->changed, &p->lock, &at);
		} else {
			arrive_first(gpu);
			atomic_fetch_add(p->late, 1);
		}
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int posted_init(struct gpu *gpu)
{
	pthread_condattr_t monotonic;
	struct posted *p;

	if (!gpu->config.posted_us)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&p->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	p->late = counter_get("posted_writes", "late");
	p->pushed = counter_get("posted_writes", "pushed");
	p->full = counter_get("posted_writes", "full");
	gpu->posted = p;
	return 0;
}

void posted_fini(struct gpu *gpu)
{
	struct posted *p = gpu->posted;

	if (!p)
		return;
	posted_stop(gpu);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p);
	gpu->posted = NULL;
}

/**
 * posted_start() - from now on writes arrive by themselves when their time is over
 * @gpu: the device; without the setting nothing happens
 *
 * Return: 0, or -1 without a thread.
 */
int posted_start(struct gpu *gpu)
{
	struct posted *p = gpu->posted;

	if (!p)
		return 0;
	p->stop = false;
	if (pthread_create(&p->timer, NULL, timer, gpu))
		return -1;
	p->timed = true;
	return 0;
}

/* The opposite. What waits arrives now. To be called while engines still run. */
void posted_stop(struct gpu *gpu)
{
	struct posted *p = gpu->posted;

	if (!p || !p->timed)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->timer, NULL);
	p->timed = false;
	posted_push(gpu);
}

/**
 * posted_put() - posts a write to BAR 0
 * @gpu: the device
 * @offset: in BAR 0
 * @size: in bytes, 1 to 8
 * @value: to write
 *
 * Return: false without the setting: the write arrives now.
 */
bool posted_put(struct gpu *gpu, uint32_t offset, unsigned int size, uint64_t value)
{
	struct posted *p = gpu->posted;

	if (!p)
		return false;
	pthread_mutex_lock(&p->lock);
	if (p->end - p->first == QUEUE) {
		arrive_first(gpu);
		atomic_fetch_add(p->full, 1);
	}
	p->queue[p->end++ % QUEUE] = (struct posted_write){
		.due_ns = host_ns() + gpu->config.posted_us * 1000ull,
		.value = value,
		.offset = offset,
		.size = size,
	};
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return true;
}

/* All writes that wait arrive. Not under gpu->lock. */
void posted_push(struct gpu *gpu)
{
	struct posted *p = gpu->posted;

	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	while (p->first != p->end) {
		arrive_first(gpu);
		atomic_fetch_add(p->pushed, 1);
	}
	pthread_mutex_unlock(&p->lock);
}

/* Drops all writes that wait. */
void posted_drop(struct gpu *gpu)
{
	struct posted *p = gpu->posted;

	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->first = p->end;
	pthread_mutex_unlock(&p->lock);
}
