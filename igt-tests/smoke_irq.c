// SPDX-License-Identifier: MIT
/**
 * DOC: Interrupts of requests
 *
 * A driver may mask the interrupt of a request's end while no fence is waited for. The write that unmasks it is posted:
 * a driver that does not wait for it to arrive loses the interrupt of a batch that ends at once. Other interrupts and
 * workers find that batch later. So these tests count interrupts, while nothing else of the GPU raises one::
 *
 *	first batch    waits ---- poll() of its fence ---- the CPU lets it end    seqno, interrupt
 *	second batch   behind it in the same context                              waits until the interrupt was seen
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "smoke.h"

#define ROUNDS		8
#define SETTLED_US	50000		/* usually enough for the interrupts of a batch's start */
#define END_MS		180000		/* bound for a fence that must signal */
#define INTERRUPT_S	60		/* bound for the interrupt, which is there or was lost */

/* What batches do with the page: the index of a dword. */
enum { STARTED, END_FIRST, END_SECOND };

long smoke_interrupts(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[512], *next;
	long n, sum = -1;

	while (file && fgets(line, sizeof(line), file)) {
		if (!strstr(line, "igen") && !strstr(line, "i915"))
			continue;
		next = strchr(line, ':');
		/* A column for each processor, then words. */
		for (sum = 0; next && sscanf(next + 1, "%ld", &n) == 1; next = strchr(next + 1, ' ')) {
			sum += n;
			for (next++; *next == ' '; next++)
				;
		}
		break;
	}
	if (file)
		fclose(file);
	it_expect(sum >= 0, "no line of the GPU in /proc/interrupts");
	return sum;
}

/* Waits until there are more interrupts than before; false: in vain. */
static bool interrupted(long before)
{
	time_t until = time(NULL) + INTERRUPT_S;

	while (smoke_interrupts() == before) {
		if (time(NULL) >= until)
			return false;
		usleep(20000);
	}
	return true;
}

/* Runs both batches once. Returns what was wrong, or NULL. */
static const char *unmask_once(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *first,
			       struct it_batch *second, struct it_bo *page)
{
	struct pollfd fence = { .events = POLLIN };
	volatile uint32_t *dw = page->map;
	bool started, seen;
	long before;
	int ret, early, over;

	dw[STARTED] = 0;
	dw[END_FIRST] = 0;
	dw[END_SECOND] = 0;
	fence.fd = it_run_fence(dev, ctx, engine, first, page, I915_EXEC_FENCE_OUT, -1);
	ret = it_run(dev, ctx, engine, second, &page, 1, 0);
	started = it_poll(&dw[STARTED], 1);
	usleep(SETTLED_US);

	before = smoke_interrupts();
	early = poll(&fence, 1, 0);	/* the fence has a waiter from now on */
	dw[END_FIRST] = 1;
	over = poll(&fence, 1, END_MS);
	seen = interrupted(before);
	dw[END_SECOND] = 1;
	close(fence.fd);
	if (ret || it_bo_wait(second->bo, IT_WAIT_NS))
		return "the second batch did not run";
	if (!started || early)
		return "the first batch did not wait";
	if (over != 1)
		return "the fence did not signal";
	return seen ? NULL : "the interrupt was lost";
}

static void unmasked(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_batch first = it_batch(dev, 4096), second = it_batch(dev, 4096);
	struct it_bo *page = it_bo(dev, 4096);
	const char *name = dev->engine[engine].name, *wrong = NULL;
	unsigned int round = 0;

	it_emit_store(&first, page->address + 4 * STARTED, 1);
	it_emit_circle(&first, page->address + 4 * END_FIRST);
	it_emit_circle(&second, page->address + 4 * END_SECOND);
	/* A heartbeat raises interrupts of its own. */
	if (!it_engine_set(name, "heartbeat_interval_ms", "0"))
		it_skip("no heartbeat_interval_ms");
	while (!wrong && round++ < ROUNDS)
		wrong = unmask_once(dev, it_ctx_engines(dev), engine, &first, &second, page);
	it_engine_set(name, "heartbeat_interval_ms", NULL);
	it_expect(!wrong, "round %u: %s", round, wrong);
}

void smoke_irq(const struct it_engine *engines, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		it_subtest(unmasked, i, "irq-unmasked-%s", engines[i].name);
}
