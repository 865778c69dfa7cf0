// SPDX-License-Identifier: MIT
/**
 * DOC: The GT clock
 *
 * Timestamps count at the platform's frequency from the start of the model, from the host's
 * monotonic clock. They do not stop in RC6 (public Gen9 PRM Vol 2c, "TIMESTAMP").
 */
#include <time.h>

#include "base/base.h"

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

void clock_start(struct gpu *gpu)
{
	gpu->start_ns = now_ns();
}

uint64_t gpu_timestamp(struct gpu *gpu)
{
	uint64_t ns = now_ns() - gpu->start_ns;
	uint64_t hz = gpu->platform->timestamp_hz;

	return ns / 1000000000ull * hz + ns % 1000000000ull * hz / 1000000000ull;
}
