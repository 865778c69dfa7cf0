// SPDX-License-Identifier: MIT
/*
 * DOC: Walkers and urgent requests
 *
 * A compute walker of many thread groups is one command, and goes on for seconds. If the context lets itself be
 * preempted between thread groups, an urgent request does not wait for the walker's end. No timeout ends the walker
 * then, and each of its groups runs once. By default the context is preempted behind the walker; a walker that takes
 * too long is ended.
 *
 * A batch that ends behind a walker need not wait for it: the fence of its request does.
 *
 * At mid-thread level a group is preempted in its middle. Its threads are in memory of the context meanwhile.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "igen/cmd/gfx.h"
#include "igen/regs/workarounds.h"
#include "smoke.h"

#define BY_DEFAULT	(-1)
#define THREAD		0
#define GROUP		((int)(CS_CHICKEN1_PREEMPT_GPGPU_LEVEL_MASK & ~CS_CHICKEN1_PREEMPT_GPGPU_COMMAND))
#define COMMAND		((int)CS_CHICKEN1_PREEMPT_GPGPU_COMMAND)

/* A thread group takes a microsecond in the model. */
#define SOME_GROUPS	150000u		/* run for a quarter of the preempt timeout, or all of it on a busy host */
#define MANY_GROUPS	3000000u
#define TOO_MANY_GROUPS	60000000u

#define PREEMPTIONS	16u		/* tried */
#define WALKS		5u		/* tried, until urgent batches have come in */
#define FENCE_S		240		/* timeout; a wait that takes half of it has lost its interrupt */
/* By how much a walk may take longer than another one. Programs run in the host's time, and the host has other work. */
#define SLOWER		4u
#define SHORTEST_OF	3u
#define LEAST_TICKS	(12 * SOME_GROUPS)	/* of any walk in the model, however long others take: 12 MHz or more */
#define NEVER_MS	"3600000"

/* Dwords of the page. */
enum { BEGUN, ENDED, CHANNELS_BEFORE, CHANNELS_AFTER, TIME_BEFORE, TIME_AFTER, URGENT = 16, TIME_URGENT, GO_ON };

struct walk {
	struct it_dev *dev;
	struct it_bo *page, *bos[2];
	volatile uint32_t *dw;
	struct it_batch b, urgent;
	uint32_t low, high;
	unsigned int engine;
};

static void emit_walk(struct walk *w, uint32_t groups, int level)
{
	it_emit_store_reg(&w->b, w->page->address + 4 * CHANNELS_BEFORE, GPGPU_THREADS_DISPATCHED);
	it_emit_store_reg(&w->b, w->page->address + 4 * TIME_BEFORE, RING_TIMESTAMP(RCS0_BASE));
	it_emit_store(&w->b, w->page->address + 4 * BEGUN, 1);
	it_emit_walker(&w->b, w->bos[1], groups, level);
	it_emit_drain(&w->b);
	it_emit_store_reg(&w->b, w->page->address + 4 * TIME_AFTER, RING_TIMESTAMP(RCS0_BASE));
	it_emit_store_reg(&w->b, w->page->address + 4 * CHANNELS_AFTER, GPGPU_THREADS_DISPATCHED);
	it_emit_store(&w->b, w->page->address + 4 * ENDED, 1);
	it_emit_end(&w->b);
}

static void prepare(struct walk *w, unsigned int engine, uint32_t groups, int level)
{
	w->dev = it_open();
	w->engine = engine;
	w->page = it_bo(w->dev, 4096);
	w->bos[0] = w->page;
	w->bos[1] = it_bo(w->dev, 8192);
	w->dw = w->page->map;
	w->low = it_ctx_priority(w->dev, -500);
	w->high = it_ctx_priority(w->dev, 500);

	w->b = it_batch(w->dev, 8192);
	emit_walk(w, groups, level);

	w->urgent = it_batch(w->dev, 4096);
	it_emit_store_reg(&w->urgent, w->page->address + 4 * TIME_URGENT, RING_TIMESTAMP(RCS0_BASE));
	it_emit_store(&w->urgent, w->page->address + 4 * URGENT, 1);
	it_emit_end(&w->urgent);
}

static void begin(struct walk *w)
{
	int ret = it_run(w->dev, w->low, w->engine, &w->b, w->bos, 2, EXEC_OBJECT_ASYNC);

	it_expect(!ret, "execbuf of the walker: error %d", ret);
	it_expect(it_poll(&w->dw[BEGUN], 1), "the walker does not begin");
}

static void interrupt(struct walk *w)
{
	int ret;

	w->dw[URGENT] = 0;
	ret = it_run(w->dev, w->high, w->engine, &w->urgent, &w->page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of the urgent batch: error %d", ret);
	ret = it_bo_wait(w->urgent.bo, IT_WAIT_NS);
	it_expect(!ret && w->dw[URGENT] == 1, "the urgent batch: error %d, stored %u", ret, w->dw[URGENT]);
}

static uint32_t resets(struct walk *w)
{
	struct drm_i915_reset_stats stats = { .ctx_id = w->low };
	int ret = it_ioctl(w->dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);

	it_expect(!ret, "reset statistics: error %d", ret);
	return stats.batch_active;
}

static void expect_whole(struct walk *w, uint32_t groups)
{
	int ret = it_bo_wait(w->b.bo, IT_WAIT_NS);
	uint32_t ran = (w->dw[CHANNELS_AFTER] - w->dw[CHANNELS_BEFORE]) / IT_WALKER_CHANNELS;

	it_expect(!ret && w->dw[ENDED], "the walker's batch did not end: error %d", ret);
	it_expect(ran == groups, "%u thread groups ran, of %u", ran, groups);
	it_expect(!resets(w), "it counts as hung");
}

/*
 * Urgent batches preempt the walker again and again, and so do heartbeats. A guest that stands still may miss a walk.
 */
static void preempted(unsigned int engine)
{
	unsigned int n = 0;
	struct walk w;

	prepare(&w, engine, MANY_GROUPS, GROUP);
	for (unsigned int walk = 0; walk < WALKS && n < 2; walk++) {
		w.dw[BEGUN] = 0;
		w.dw[ENDED] = 0;
		begin(&w);
		n = 0;
		for (unsigned int i = 0; i < PREEMPTIONS && !w.dw[ENDED]; i++) {
			interrupt(&w);
			n += !w.dw[ENDED];
			usleep(20000);
		}
		expect_whole(&w, MANY_GROUPS);
	}
	it_expect(n >= 2, "urgent batches came in %u times before the end", n);
}

/*
 * Prepares walks of SOME_GROUPS, and lets some run to their ends. Returns how long a walk takes at least, in ticks of
 * the GT clock. The shortest of them tells: the others may have waited for a processor of the host.
 */
static uint32_t time_of_a_walk(struct walk *w, unsigned int engine, int level)
{
	uint32_t ticks, least = UINT32_MAX;

	prepare(w, engine, SOME_GROUPS, level);
	for (unsigned int i = 0; i < SHORTEST_OF; i++) {
		w->dw[BEGUN] = 0;
		w->dw[ENDED] = 0;
		begin(w);
		expect_whole(w, SOME_GROUPS);
		ticks = w->dw[TIME_AFTER] - w->dw[TIME_BEFORE];
		least = ticks < least ? ticks : least;
	}
	least /= SLOWER;
	return least < LEAST_TICKS ? least : LEAST_TICKS;
}

/* An urgent batch waits for the end of the walker, whose length others have told. */
static void to_its_end(unsigned int arg)
{
	int level = arg & 0x100 ? COMMAND : BY_DEFAULT;
	unsigned int engine = arg & 0xff;
	struct walk w;
	uint32_t ticks;

	ticks = time_of_a_walk(&w, engine, level);

	w.dw[BEGUN] = 0;
	w.dw[ENDED] = 0;
	begin(&w);
	interrupt(&w);
	it_expect(w.dw[TIME_URGENT] - w.dw[TIME_BEFORE] >= ticks,
		  "the urgent batch ran after %u ticks of the %u and more that the walker takes",
		  w.dw[TIME_URGENT] - w.dw[TIME_BEFORE], ticks);
	expect_whole(&w, SOME_GROUPS);
}

/* The render engine's clock, as the CPU reads it. */
static uint32_t time_now(struct walk *w)
{
	struct drm_i915_reg_read read = { .offset = RING_TIMESTAMP(RCS0_BASE) | I915_REG_READ_8B_WA };
	int ret = it_ioctl(w->dev->fd, DRM_IOCTL_I915_REG_READ, &read);

	it_expect(!ret, "reading the clock: error %d", ret);
	return (uint32_t)read.val;
}

/*
 * No command in the batch waits for its walker; others have shown how long it takes. The batch's fence signals
 * after the last group, and signals even if later batches keep the engine busy.
 */
static void fence(unsigned int engine)
{
	struct it_batch open, behind;
	uint32_t ticks, passed;
	time_t waited;
	struct walk w;
	int ret;

	ticks = time_of_a_walk(&w, engine, BY_DEFAULT);

	open = it_batch(w.dev, 8192);
	it_emit_store_reg(&open, w.page->address + 4 * TIME_BEFORE, RING_TIMESTAMP(RCS0_BASE));
	it_emit_walker(&open, w.bos[1], SOME_GROUPS, BY_DEFAULT);
	it_emit_end(&open);
	behind = it_batch(w.dev, 4096);
	it_emit_circle(&behind, w.page->address + 4 * GO_ON);
	ret = it_run(w.dev, w.low, engine, &open, w.bos, 2, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of the walker: error %d", ret);
	ret = it_run(w.dev, w.low, engine, &behind, &w.page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of what follows: error %d", ret);

	waited = time(NULL);
	ret = it_bo_wait(open.bo, FENCE_S * 1000000000ll);
	waited = time(NULL) - waited;
	passed = time_now(&w) - w.dw[TIME_BEFORE];
	w.dw[GO_ON] = 1;
	it_expect(!ret && waited < FENCE_S / 2, "the walker's fence does not come: error %d after %d s", ret,
		  (int)waited);
	it_expect(passed >= ticks, "the fence came after %u ticks of the %u and more that the walker takes", passed,
		  ticks);
	ret = it_bo_wait(behind.bo, IT_WAIT_NS);
	it_expect(!ret, "what follows does not end: error %d", ret);
}

/* What does not give way in time is ended. */
static void ended(unsigned int engine)
{
	struct walk w;
	int ret;

	prepare(&w, engine, TOO_MANY_GROUPS, COMMAND);
	begin(&w);
	interrupt(&w);
	ret = it_bo_wait(w.b.bo, IT_WAIT_NS);
	it_expect(!ret && !w.dw[ENDED], "the walker has come to its end: error %d", ret);
	it_expect(resets(&w) == 1, "it counts as hung %u times", resets(&w));
}

/*
 * Takes a number from its constants, tells that it runs, waits until a dword of its state is set, and tells the sum:
 *
 *	add (8|M0) r20.0<1>:ud r1.0<0;1,0>:ud 1000:ud
 *	mov (8|M0) r10.0<1>:ud 0x1800:ud
 *	mov (8|M0) r11.0<1>:ud 1:ud
 *	(W) send (8|M0) null r10:ud 0xC 0x04026EFF
 *	mov (8|M0) r12.0<1>:ud 0x1804:ud
 *	L0:
 *	(W) send (8|M0) r13:ud r12:ud 0xC 0x02106EFF
 *	cmp (8|M0) (eq)f0.0 null:ud r13.0<0;1,0>:ud 0:ud
 *	(W&f0.0) jmpi (1|M0) L0
 *	mov (8|M0) r14.0<1>:ud 0x1808:ud
 *	add (8|M0) r15.0<1>:ud r20.0<8;8,1>:ud r13.0<8;8,1>:ud
 *	(W) send (8|M0) null r14:ud 0xC 0x04026EFF
 *	mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud
 *	(W) send (8|M0) null r112:ud 0x27 0x02000010
 */
static const uint32_t gate[] = {
	0x00600040, 0x22800208, 0x06000020, 0x000003e8, 0x00600001, 0x21400608, 0x00000000, 0x00001800,
	0x00600001, 0x21600608, 0x00000000, 0x00000001, 0x0c600031, 0x20000204, 0x06000140, 0x04026eff,
	0x00600001, 0x21800608, 0x00000000, 0x00001804, 0x0c600031, 0x21a0020c, 0x06000180, 0x02106eff,
	0x01600010, 0x20000200, 0x060001a0, 0x00000000, 0x00010020, 0x34000004, 0x0e001400, 0xffffffd0,
	0x00600001, 0x21c00608, 0x00000000, 0x00001808, 0x00600040, 0x21e00208, 0x028d0280, 0x008d01a0,
	0x0c600031, 0x20000204, 0x060001c0, 0x04026eff, 0x00600001, 0x2e000208, 0x008d0000, 0x00000000,
	0x07600031, 0x20000204, 0x06000e00, 0x82000010,
};

/* Dwords of the state that the program of the gate reads and writes. */
enum { CONSTANTS = 64 / 4, GATE_RUNS = 0x1800 / 4, GATE_OPEN, GATE_SUM };

#define AREA_SIZE	(1u << 20)	/* for shared memory and threads of a group */

/*
 * A group that waits for the CPU is preempted in its middle, by urgent batches and by heartbeats: with mid-thread level
 * and an area for the threads. It is not ended, and goes on with its registers.
 */
static void inside(unsigned int engine)
{
	volatile uint32_t *state;
	struct it_bo *bos[3];
	struct it_bo *area;
	struct walk w;
	int ret;

	prepare(&w, engine, 1, THREAD);
	area = it_bo(w.dev, AREA_SIZE);
	state = w.bos[1]->map;
	state[CONSTANTS] = 77;
	/* The batch anew, with the area in front. */
	w.b.n = 0;
	it_emit(&w.b, GPGPU_CSR_BASE_ADDRESS | 1);
	it_emit_address(&w.b, area->address);
	emit_walk(&w, 1, THREAD);
	memcpy((char *)w.bos[1]->map + IT_PROGRAM, gate, sizeof(gate));
	bos[0] = w.page;
	bos[1] = w.bos[1];
	bos[2] = area;
	ret = it_run(w.dev, w.low, w.engine, &w.b, bos, 3, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of the walker: error %d", ret);
	it_expect(it_poll(&state[GATE_RUNS], 1), "the group does not begin");
	for (unsigned int i = 0; i < 3; i++) {
		interrupt(&w);
		it_expect(!w.dw[ENDED], "the group has ended before it may");
		usleep(20000);
	}
	state[GATE_OPEN] = 5;
	expect_whole(&w, 1);
	it_expect(state[GATE_SUM] == 77 + 1000 + 5, "the group has told %u", state[GATE_SUM]);
}

static void none(unsigned int arg)
{
	(void)arg;
	it_skip("sysfs has no such attribute");
}

/* A subtest with an attribute of its engine set. */
static void subtest_with(const char *attribute, const char *value, void (*fn)(unsigned int arg), unsigned int arg,
			 const char *test, const char *engine)
{
	bool set = it_engine_set(engine, attribute, value);

	it_subtest(set ? fn : none, arg, "walker-%s-%s", test, engine);
	if (set)
		it_engine_set(engine, attribute, NULL);
}

void smoke_walker(const struct it_engine *engines, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const char *name = engines[i].name;

		if (engines[i].class != I915_ENGINE_CLASS_RENDER)
			continue;
		/* The engine yields, however late the host lets it: three beats in a row are its time for that. */
		it_engine_set(name, "preempt_timeout_ms", NEVER_MS);
		subtest_with("heartbeat_interval_ms", "1000", preempted, i, "preempted", name);
		subtest_with("heartbeat_interval_ms", "1000", inside, i, "inside", name);
		it_engine_set(name, "preempt_timeout_ms", NULL);
		subtest_with("preempt_timeout_ms", NEVER_MS, to_its_end, i, "default", name);
		subtest_with("preempt_timeout_ms", NEVER_MS, to_its_end, i | 0x100, "command", name);
		subtest_with("preempt_timeout_ms", "100", ended, i, "ended", name);
		/* No beat finds that the interrupt was lost. */
		subtest_with("heartbeat_interval_ms", NEVER_MS, fence, i, "fence", name);
	}
}
