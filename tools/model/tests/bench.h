/* SPDX-License-Identifier: MIT */
/**
 * DOC: What the benches for engines have in common
 *
 * A device, memory that both it and the test use, and its registers. A wait is for a condition, and ends with a failure
 * after WAIT_LIMIT_MS.
 */
#ifndef IGEN_MODEL_BENCH_H
#define IGEN_MODEL_BENCH_H

#include <time.h>

#include "test.h"

#define RAM_SIZE	(32u << 20)
#define WAIT_LIMIT_MS	120000

static struct gpu *gpu;
static uint8_t *ram;

static inline uint32_t get(uint32_t pa)
{
	return __atomic_load_n((uint32_t *)(ram + pa), __ATOMIC_ACQUIRE);
}

static inline void put(uint32_t pa, uint32_t v)
{
	__atomic_store_n((uint32_t *)(ram + pa), v, __ATOMIC_RELEASE);
}

static inline uint32_t rd(uint32_t offset)
{
	uint32_t v;

	pthread_mutex_lock(&gpu->lock);
	v = mmio_read(gpu, offset, true);
	pthread_mutex_unlock(&gpu->lock);
	return v;
}

static inline void wr(uint32_t offset, uint32_t v)
{
	pthread_mutex_lock(&gpu->lock);
	mmio_write(gpu, offset, v, true);
	pthread_mutex_unlock(&gpu->lock);
}

#define wait_for(cond) ({						\
		unsigned int ms_ = 0;					\
		bool ok_;						\
		while (!(ok_ = (cond)) && ms_ < WAIT_LIMIT_MS * 10) {	\
			nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL); \
			ms_++;						\
		}							\
		ok_;							\
	})

/* A device with the default configuration and the assignments given, and its memory. Its engines do not run yet. */
static inline void bench_device(const char *const *set)
{
	struct gmem_region region = { .gpa = 0, .size = RAM_SIZE };

	gpu = test_gpu(set);
	region.fd = test_memory(RAM_SIZE);
	ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, region.fd, 0);
	if (ram == MAP_FAILED || gmem_set(gpu, &region, 1))
		exit(2);
}

/* Thread groups take no time from now on: those that are left run at once. */
static inline void bench_hurry(void)
{
	pthread_mutex_lock(&gpu->lock);
	gpu->config.group_ns = 0;
	for (unsigned int i = 0; i < NUM_ENGINES; i++)
		if (gpu->engine[i])
			pthread_cond_broadcast(&gpu->engine[i]->wake);
	pthread_mutex_unlock(&gpu->lock);
}

static inline void bench_stop(void)
{
	engines_stop(gpu);
	gpu_free(gpu);
	munmap(ram, RAM_SIZE);
	gpu = NULL;
}

#endif
