// SPDX-License-Identifier: MIT
/**
 * DOC: How fast threads execute
 *
 * libigen-shim-profile.so is libigen-shim.so with this file in it, in the way of eu_run() (by the linker's --wrap).
 * Time is measured around whole calls, which execute up to some hundred instructions. Some are over in hardly more time
 * than the clock takes, so the clock's time is taken off. The number of channels of each instruction is not in the
 * counters of the execution units, so for that they execute one instruction a call. Several threads of the host may add
 * to the figures.
 */
#include <time.h>
#include <xmmintrin.h>

#include "eu/internal.h"
#include "profile.h"
#include "profile_wrap.h"

static struct igen_profile figures;
static bool counting;
/* The least time between two looks at the clock. */
static uint64_t clock_ns;

#define CLOCK_LOOKS 1000

static void add(uint64_t *figure, uint64_t n)
{
	__atomic_fetch_add(figure, n, __ATOMIC_RELAXED);
}

static uint64_t take(uint64_t *figure)
{
	return __atomic_exchange_n(figure, 0, __ATOMIC_RELAXED);
}

/*
 * A clock that is read without a system call, since one on either side would slow down what lies between: caches and
 * predictions are then those of the kernel. What others on the machine take shows in it; the least time of some runs,
 * which cl-corpus takes, has the least of that.
 */
static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static uint64_t least_time(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < CLOCK_LOOKS; i++) {
		uint64_t start = now(), ns = now() - start;

		least = ns < least ? ns : least;
	}
	return least;
}

/* Looks at each instruction before it is executed. */
static enum eu_status run_counted(struct eu_core *core, struct eu_thread *thread, uint64_t budget)
{
	enum eu_status status = EU_BUDGET;

	for (; budget && status == EU_BUDGET; budget--) {
		unsigned int mode = _mm_getcsr();
		const struct eu_uop *uop = eu_lookup(core, thread, thread->ip);

		/* A program that is fetched leaves the mode of the thread's floats. */
		_mm_setcsr(mode);
		if (uop)
			add(&figures.simd8, uop->exec > 8 ? uop->exec / 8 : 1);
		status = __real_eu_run(core, thread, 1);
	}
	return status;
}

enum eu_status __wrap_eu_run(struct eu_core *core, struct eu_thread *thread, uint64_t budget)
{
	uint64_t executed = thread->executed, generic = eu_core_counters(core)->generic, start = now();
	enum eu_status status = counting ? run_counted(core, thread, budget) : __real_eu_run(core, thread, budget);
	uint64_t ns = now() - start;

	add(&figures.ns, ns > clock_ns ? ns - clock_ns : 0);
	add(&figures.instructions, thread->executed - executed);
	add(&figures.generic, eu_core_counters(core)->generic - generic);
	return status;
}

__attribute__((visibility("default"))) void igen_profile(struct igen_profile *profile, bool count)
{
	profile->ns = take(&figures.ns);
	profile->instructions = take(&figures.instructions);
	profile->generic = take(&figures.generic);
	profile->simd8 = take(&figures.simd8);
	counting = count;
	clock_ns = least_time();
}
