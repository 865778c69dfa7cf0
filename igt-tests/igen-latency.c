// SPDX-License-Identifier: MIT
/**
 * DOC: igen-latency
 *
 * Preemptions for the model to measure: on each engine an urgent context interrupts, again and again, one whose batches
 * let themselves be interrupted at known distances. For each engine a line says what the distance is, in commands:
 * "bound ENGINE COMMANDS". How long the urgent ones waited is in the model's counters: tools/vm/latency.
 *
 * The copy engine's batches may not jump, so there they are long and have no arbitration point but their end.
 *
 * An interrupted batch goes on where it was: each of its commands runs exactly once. The batches count how often they
 * begin, their rounds, and the commands directly before and behind their arbitration points.
 *
 * On the render engine there are walkers as well, which let themselves be interrupted between thread groups, or at
 * their ends: "bound walker-LEVEL GROUPS".
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "igen/regs/workarounds.h"
#include "lib/it.h"

#define SAMPLES		200u
#define MAX_TRIES	4000u		/* for these, where a batch may end before the urgent one comes */
#define GROUP		2048u		/* commands in a circle, with the two at its end */
#define ARBITRATES	4u		/* of the commands of a distance */
#define STRAIGHT	8192u
#define STRAIGHT_QUEUE	4u
#define WALKER_GROUPS	500u
#define GROUP_LEVEL	((int)(CS_CHICKEN1_PREEMPT_GPGPU_LEVEL_MASK & ~CS_CHICKEN1_PREEMPT_GPGPU_COMMAND))
#define COMMAND_LEVEL	((int)CS_CHICKEN1_PREEMPT_GPGPU_COMMAND)
/* Dwords of the ring, and of what a context restores. There is no arbitration in them, or only at their end. */
#define AROUND_BATCH	64u

/* Where batches count, in bytes of the page. */
#define BEGUN		256u
#define ROUNDS		320u
#define BEFORE		384u
#define BEHIND		448u

static void count(struct it_batch *b, struct it_bo *page, unsigned int where)
{
	it_emit(b, MI_ATOMIC | IGEN_PREP(MI_ATOMIC_OPCODE_MASK, MI_ATOMIC_INC));
	it_emit_address(b, page->address + where);
}

/* Commands from one arbitration point to the next. */
static unsigned int distance_of(const struct it_engine *engine)
{
	switch (engine->class) {
	case I915_ENGINE_CLASS_RENDER:
		return 128;
	case I915_ENGINE_CLASS_VIDEO:
		return GROUP;
	case I915_ENGINE_CLASS_COPY:
		return STRAIGHT;
	default:
		return 512;
	}
}

/*
 * Says that it runs, then GROUP commands in a circle with an arbitration point each distance, until told to end. One
 * that wants to keep the engine switches arbitration off, which means nothing in a batch without privileges.
 */
static struct it_batch circle(struct it_dev *dev, struct it_bo *page, unsigned int distance, bool keep)
{
	struct it_batch b = it_batch(dev, 65536);
	unsigned int loop;

	count(&b, page, BEGUN);
	it_emit_store(&b, page->address, 1);
	if (b.n & 1)
		it_emit(&b, MI_NOOP);
	loop = b.n;
	for (unsigned int i = 0; i < GROUP - 2; i++) {
		if (i % distance == ARBITRATES)
			it_emit(&b, MI_ARB_CHECK);
		else if (i == 0)
			count(&b, page, ROUNDS);
		else if (i % distance == ARBITRATES - 1)
			count(&b, page, BEFORE);
		else if (i % distance == ARBITRATES + 1)
			count(&b, page, BEHIND);
		else if (i % distance == ARBITRATES + 2 && keep)
			it_emit(&b, MI_ARB_ON_OFF | MI_ARB_DISABLE);
		else
			it_emit(&b, MI_NOOP);
	}
	it_emit(&b, MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE | IGEN_PREP(MI_COND_BBE_OP_MASK, 4));
	it_emit(&b, 0);
	it_emit_address(&b, page->address + 64);
	it_emit(&b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(&b, b.bo->address + 4 * loop);
	it_emit_end(&b);
	return b;
}

static struct it_batch straight(struct it_dev *dev, struct it_bo *page)
{
	struct it_batch b = it_batch(dev, 65536);

	count(&b, page, BEGUN);
	it_emit_store(&b, page->address, 1);
	for (unsigned int i = 0; i < STRAIGHT - 3; i++)
		it_emit(&b, MI_NOOP);
	it_emit_end(&b);
	return b;
}

/* Says that it runs, then one walker after the other until told to end. */
static struct it_batch walkers(struct it_dev *dev, struct it_bo *page, int level)
{
	struct it_batch b = it_batch(dev, 8192);
	unsigned int loop;

	it_emit_store(&b, page->address, 1);
	if (b.n & 1)
		it_emit(&b, MI_NOOP);
	loop = b.n;
	it_emit_walker(&b, it_bo(dev, 8192), WALKER_GROUPS, level);
	it_emit_drain(&b);
	it_emit(&b, MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE | IGEN_PREP(MI_COND_BBE_OP_MASK, 4));
	it_emit(&b, 0);
	it_emit_address(&b, page->address + 64);
	it_emit(&b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(&b, b.bo->address + 4 * loop);
	it_emit_end(&b);
	return b;
}

static void run(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_batch *b, struct it_bo *page)
{
	int ret = it_run(dev, ctx, engine, b, &page, 1, EXEC_OBJECT_ASYNC);

	it_expect(!ret, "execbuf: error %d", ret);
}

static void wait_until_it_runs(volatile uint32_t *flag)
{
	it_expect(it_poll(flag, 1), "the batch to be interrupted does not run");
}

/* The urgent batch has ended. A late model comes back to the other one when the next urgent batch is there already. */
static void wait_until_it_goes_on(const volatile uint32_t *rounds)
{
	const uint32_t before = *rounds;
	const time_t until = time(NULL) + IT_WAIT_NS / 1000000000;

	while (*rounds == before && time(NULL) < until)
		usleep(500);
	it_expect(*rounds != before, "what was interrupted does not go on");
}

static void expect_each_once(volatile uint32_t *dw, uint32_t begun, uint32_t points)
{
	uint32_t rounds = dw[ROUNDS / 4], before = dw[BEFORE / 4], behind = dw[BEHIND / 4];

	it_expect(dw[BEGUN / 4] == begun, "%u batches began %u times", begun, dw[BEGUN / 4]);
	it_expect(!points == !rounds, "%u rounds", rounds);
	it_expect(before == rounds * points && behind == rounds * points,
		  "in %u rounds %u commands ran before and %u behind %u arbitration points", rounds, before, behind,
		  rounds * points);
}

/* A model that gets no processor in time is a hang for the driver. Here commands count, and not time. */
static void bound_preemption(const struct it_engine *engine, bool bound)
{
	it_engine_set(engine->name, "preempt_timeout_ms", bound ? NULL : "0");
}

static void latency(unsigned int engine)
{
	struct it_dev *dev = it_open();
	const struct it_engine *e = &dev->engine[engine];
	uint32_t low = it_ctx_priority(dev, -500), urgent = it_ctx_priority(dev, 500);
	struct it_bo *page = it_bo(dev, 4096);
	volatile uint32_t *dw = page->map;
	bool jumps = e->class != I915_ENGINE_CLASS_COPY;
	struct it_batch b, u = it_batch(dev, 4096);
	unsigned int tries, n = 0;
	int ret = 0;

	it_emit_store(&u, page->address + 128, 1);
	it_emit_end(&u);
	bound_preemption(e, false);
	if (jumps) {
		b = circle(dev, page, distance_of(e), e->class == I915_ENGINE_CLASS_VIDEO_ENHANCE);
		run(dev, low, engine, &b, page);
		wait_until_it_runs(&dw[0]);
	} else {
		b = straight(dev, page);
	}
	for (tries = 0; tries < MAX_TRIES && n < SAMPLES && !ret; tries++) {
		if (jumps) {
			wait_until_it_goes_on(&dw[ROUNDS / 4]);
		} else {
			dw[0] = 0;
			for (unsigned int n = 0; n < STRAIGHT_QUEUE; n++)
				run(dev, low, engine, &b, page);
			wait_until_it_runs(&dw[0]);
		}
		run(dev, urgent, engine, &u, page);
		ret = it_bo_wait(u.bo, IT_WAIT_NS);
		n += it_bo_busy(b.bo);
	}
	dw[16] = 1;
	it_expect(!ret, "what is urgent did not run: error %d", ret);
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	bound_preemption(e, true);
	it_expect(!ret, "what was interrupted did not end: error %d", ret);
	it_expect(n == SAMPLES, "%u urgent batches came before the end of another one %u times", tries, n);
	expect_each_once(dw, jumps ? 1 : tries * STRAIGHT_QUEUE, jumps ? GROUP / distance_of(e) : 0);
	printf("bound %s %u\n", e->name, distance_of(e) + AROUND_BATCH);
}

static void latency_of_walkers(unsigned int arg)
{
	bool command = arg & 0x100;
	unsigned int engine = arg & 0xff;
	struct it_dev *dev = it_open();
	uint32_t low = it_ctx_priority(dev, -500), urgent = it_ctx_priority(dev, 500);
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = walkers(dev, page, command ? COMMAND_LEVEL : GROUP_LEVEL), u = it_batch(dev, 4096);
	volatile uint32_t *dw = page->map;
	int ret = 0;

	it_emit_store(&u, page->address + 128, 1);
	it_emit_end(&u);
	bound_preemption(&dev->engine[engine], false);
	run(dev, low, engine, &b, page);
	wait_until_it_runs(&dw[0]);
	for (unsigned int i = 0; i < SAMPLES && !ret; i++) {
		run(dev, urgent, engine, &u, page);
		ret = it_bo_wait(u.bo, IT_WAIT_NS);
	}
	dw[16] = 1;
	it_expect(!ret, "what is urgent did not run: error %d", ret);
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	bound_preemption(&dev->engine[engine], true);
	it_expect(!ret, "what was interrupted did not end: error %d", ret);
	printf("bound walker-%s %u\n", command ? "command" : "group", command ? WALKER_GROUPS : 1);
}

int main(int argc, char **argv)
{
	struct it_engine engines[IT_MAX_ENGINES];
	unsigned int n;

	it_init(argc, argv);
	n = it_engines(engines, IT_MAX_ENGINES);
	for (unsigned int i = 0; i < n; i++)
		it_subtest(latency, i, "latency-%s", engines[i].name);
	for (unsigned int i = 0; i < n; i++) {
		if (engines[i].class != I915_ENGINE_CLASS_RENDER)
			continue;
		it_subtest(latency_of_walkers, i, "latency-%s-group", engines[i].name);
		it_subtest(latency_of_walkers, i | 0x100, "latency-%s-command", engines[i].name);
	}
	return it_exit();
}
