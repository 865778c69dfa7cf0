// SPDX-License-Identifier: MIT
/**
 * DOC: The GT clock
 *
 * Timestamps count at the platform's frequency from the start of the model, from the host's
 * monotonic clock. They do not stop in RC6 (public Gen9 PRM Vol 2c, "TIMESTAMP").
 *
 * With "clock=virtual" no time passes by itself. A command, an access of the CPU to a register and a thread group take
 * a fixed time each, and a delay is over at once when time has been moved to its end. So timestamps and delays do not
 * depend on the host: they repeat if the CPU's accesses do, and engines do not run beside each other or the CPU
 * ("sync=on"). Polls of a semaphore take no time, since how many there are is the host's.
 *
 * Limits that concern the host, as those of the log and of "sync", always use the host's clock. There is one clock a
 * process.
 */
#include <time.h>

#include "base/base.h"

/* Virtual time of a command, beside command_delay_ns, and of an access of the CPU. */
#define COMMAND_NS	100
#define ACCESS_NS	1000

static _Atomic bool is_virtual;
static _Atomic uint64_t virtual_ns;

uint64_t host_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

uint64_t now_ns(void)
{
	return atomic_load(&is_virtual) ? atomic_load(&virtual_ns) : host_ns();
}

bool clock_pass(uint64_t ns)
{
	if (!atomic_load(&is_virtual))
		return false;
	atomic_fetch_add(&virtual_ns, ns);
	return true;
}

bool clock_reach(uint64_t ns)
{
	uint64_t now = atomic_load(&virtual_ns);

	if (!atomic_load(&is_virtual))
		return false;
	while (now < ns && !atomic_compare_exchange_weak(&virtual_ns, &now, ns))
		;
	return true;
}

void clock_access(void)
{
	clock_pass(ACCESS_NS);
}

void clock_start(struct gpu *gpu)
{
	atomic_store(&is_virtual, gpu->config.clock);
	/* 0 is "never" in places. */
	atomic_store(&virtual_ns, 1000000000);
	if (gpu->config.clock)
		gpu->config.command_delay_ns += COMMAND_NS;
	gpu->start_ns = now_ns();
}

uint64_t gpu_timestamp(struct gpu *gpu)
{
	uint64_t ns = now_ns() - gpu->start_ns;
	uint64_t hz = gpu->platform->timestamp_hz;

	return ns / 1000000000ull * hz + ns % 1000000000ull * hz / 1000000000ull;
}
