// SPDX-License-Identifier: MIT
/*
 * DOC: Clients that want all of an engine
 *
 * A process that has many contexts or files with endless batches takes no more from another process than one with a
 * single context does. Many contexts that poll memory come to rest. What a process leaves behind that hangs costs
 * others one reset and not one for each. Processes whose batches hang again and again leave another process, which
 * sends batch by batch, half of its fair share.
 *
 * Times are the engine's own, and are compared with those beside a single context, or with those that hangs took, in
 * the same guest.
 */
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "smoke.h"

#define ENGINES		2u		/* that are tried */
#define BATCHES		25u		/* of the victim */
#define GREEDY		20u		/* contexts or files */
#define ALLOWED		8u		/* times what one context costs: without shares of processes it is 17 */
#define POLLERS		200u		/* contexts */
#define POLLS_INTERRUPTS 100u		/* in a second: heartbeats, and what else is to be told */
#define ENDLESS_MS	"3600000"
#define LEFTOVERS	60u
#define RESETS		3u
#define HANGS		4u		/* beside the victim */
#define MAX_HANGS	64u
#define HANGS_OF_A_FILE	4u		/* more and it is banned */
#define NO_HANG_TICKS	(60 * 12000000u) /* something else is wrong */
#define DEBT_S		4u		/* igen's longest debt (submit/igen_debt.c) */
#define ENGINE_INFO	"/sys/kernel/debug/dri/0/i915_engine_info"

enum kind { CONTEXTS, FILES, POLLS };

/* A process that does something to an engine and ends when the pipe is closed. */
struct attacker {
	pid_t pid;
	int stop;
};

static void endless(struct it_dev *dev, struct it_bo *page, unsigned int engine)
{
	struct it_batch b = it_batch(dev, 4096);
	int ret;

	it_emit_circle(&b, page->address);
	ret = it_run(dev, it_ctx_engines(dev), engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of an endless batch: error %d", ret);
}

static void poll_memory(struct it_dev *dev, struct it_bo *page, unsigned int engine)
{
	struct it_batch b = it_batch(dev, 4096);
	int ret;

	it_emit_gate(&b, page->address);
	it_emit_end(&b);
	ret = it_run(dev, it_ctx_engines(dev), engine, &b, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of a batch that polls: error %d", ret);
}

/* The process: n endless or polling batches of a context each, until it is told to end them. */
static void attack(enum kind kind, unsigned int engine, unsigned int n, int ready, int stop)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096), *pages[GREEDY] = { page };
	char c = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (kind == FILES && i) {
			dev = it_open();
			pages[i] = it_bo(dev, 4096);
		}
		if (kind == POLLS)
			poll_memory(dev, page, engine);
		else
			endless(dev, kind == FILES ? pages[i] : page, engine);
	}
	if (write(ready, &c, 1) != 1 || read(stop, &c, 1) < 0)
		_exit(1);
	for (unsigned int i = 0; i < (kind == FILES ? n : 1); i++)
		*(volatile uint32_t *)pages[i]->map = 1;
	_exit(0);
}

/* Goes on when the child is ready. */
static struct attacker begin(void (*run)(enum kind kind, unsigned int engine, unsigned int n, int ready, int stop),
			     enum kind kind, unsigned int engine, unsigned int n)
{
	int ready[2], stop[2];
	struct attacker a;
	struct pollfd fd;

	it_expect(!pipe(ready) && !pipe(stop), "no pipe");
	fd = (struct pollfd){ .fd = ready[0], .events = POLLIN };
	fflush(stdout);
	a = (struct attacker){ .pid = fork(), .stop = stop[1] };
	it_expect(a.pid >= 0, "no process");
	if (!a.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(stop[1]);
		close(ready[0]);
		run(kind, engine, n, ready[1], stop[0]);
	}
	close(ready[1]);
	close(stop[0]);
	it_expect(poll(&fd, 1, IT_WAIT_NS / 1000000) == 1 && fd.revents & POLLIN, "the other process does not begin");
	close(ready[0]);
	return a;
}

static void stop(struct attacker *a)
{
	int status = -1;

	close(a->stop);
	waitpid(a->pid, &status, 0);
	it_expect(!status, "the other process ended with status %x", status);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The engine's ticks from one batch of the victim to its next one, the median. */
static uint32_t ticks_per_batch(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev), ticks[BATCHES - 1];
	struct it_bo *page = it_bo(dev, 4096);
	uint32_t *time = page->map;

	for (unsigned int i = 0; i < BATCHES; i++) {
		struct it_batch b = it_batch(dev, 4096);

		it_emit_store_reg(&b, page->address + 4 * i, RING_TIMESTAMP(dev->engine[engine].base));
		it_emit_end(&b);
		it_run_wait(dev, ctx, engine, &b, &page, 1);
		it_bo_close(b.bo);
	}
	for (unsigned int i = 0; i + 1 < BATCHES; i++)
		ticks[i] = time[i + 1] - time[i];
	it_close(dev);
	qsort(ticks, BATCHES - 1, sizeof(*ticks), compare);
	return ticks[(BATCHES - 1) / 2];
}

static uint32_t ticks_beside(enum kind kind, unsigned int engine, unsigned int n)
{
	struct attacker a = begin(attack, kind, engine, n);
	uint32_t ticks = ticks_per_batch(engine);

	stop(&a);
	return ticks;
}

static void starve(enum kind kind, unsigned int engine, unsigned int n)
{
	uint32_t one = ticks_beside(kind, engine, 1), many = ticks_beside(kind, engine, n);

	it_note("%u ticks a batch beside one context, %u beside %u", one, many, n);
	it_expect(many / ALLOWED <= one, "a batch takes %u ticks beside %u contexts, %u beside one", many, n, one);
}

static void contexts(unsigned int engine)
{
	starve(CONTEXTS, engine, GREEDY);
}

static void files(unsigned int engine)
{
	starve(FILES, engine, GREEDY);
}

/*
 * Many contexts that poll do not hand the engine to each other but at the end of timeslices, which are endless here.
 * So the device comes to rest once each was seen to poll. The victim does not wait for the end of a timeslice.
 */
static void polls(unsigned int engine)
{
	struct it_engine engines[IT_MAX_ENGINES];
	long before = 0, after = 0;
	unsigned int seconds = 0;
	struct attacker a;

	it_engines(engines, IT_MAX_ENGINES);
	it_engine_set(engines[engine].name, "timeslice_duration_ms", ENDLESS_MS);
	a = begin(attack, POLLS, engine, POLLERS);
	do {
		before = smoke_interrupts();
		sleep(1);
		after = smoke_interrupts();
	} while (after - before > POLLS_INTERRUPTS && ++seconds < IT_WAIT_NS / 1000000000);
	ticks_per_batch(engine);
	stop(&a);
	it_note("%ld interrupts in a second, after %u", after - before, seconds);
	it_expect(after - before <= POLLS_INTERRUPTS, "%ld interrupts in a second of %u contexts that poll",
		  after - before, POLLERS);
}

/* How often an engine was reset. */
static unsigned int resets(const char *engine)
{
	static char text[1 << 16];
	unsigned int count;
	const char *line;
	char name[24];
	int ret;

	ret = it_read_file(ENGINE_INFO, text, sizeof(text));
	it_expect(!ret, "reading %s: error %d", ENGINE_INFO, ret);
	snprintf(name, sizeof(name), "\n%s\n", engine);
	line = strstr(text, name);
	line = line ? strstr(line, "Reset count: ") : NULL;
	it_expect(line && sscanf(line, "Reset count: %u", &count) == 1, "no count of resets of %s", engine);
	return count;
}

static void leave_spinners(unsigned int engine)
{
	for (unsigned int i = 0; i < LEFTOVERS; i++) {
		struct it_dev *dev = it_open();
		struct it_batch b = it_spinner(dev);

		if (it_run(dev, it_ctx_engines(dev), engine, &b, NULL, 0, 0))
			_exit(1);
		it_close(dev);
	}
	_exit(0);
}

/* A process leaves batches behind that neither end nor yield, each in a file of its own. */
static void leftovers(unsigned int engine)
{
	struct it_engine engines[IT_MAX_ENGINES];
	unsigned int before, after;
	int status = -1;
	pid_t pid;

	it_engines(engines, IT_MAX_ENGINES);
	fflush(stdout);
	pid = fork();
	it_expect(pid >= 0, "no process");
	if (!pid)
		leave_spinners(engine);
	waitpid(pid, &status, 0);
	it_expect(!status, "the other process ended with status %x", status);
	/* On a slow machine its own batches, while it lived, have had others of its ended. */
	before = resets(engines[engine].name);
	ticks_per_batch(engine);
	after = resets(engines[engine].name);
	it_note("%u resets", after - before);
	it_expect(after - before <= RESETS, "%u resets for what one process left behind", after - before);
}

/* When hangs began, in ticks of the engine; the hanging processes write it. */
struct begins {
	atomic_uint n;
	uint32_t ticks[MAX_HANGS];
};

static struct begins *begins;

/* One batch that neither ends nor yields, until it is ended; it says when it begins. */
static void hang(struct it_dev *dev, unsigned int engine)
{
	struct it_batch b = it_batch(dev, 4096);
	struct it_bo *page = it_bo(dev, 4096);
	unsigned int n;

	it_emit_store_reg(&b, page->address, RING_TIMESTAMP(dev->engine[engine].base));
	it_emit_endless(&b);
	if (it_run(dev, it_ctx_engines(dev), engine, &b, &page, 1, 0) || it_bo_wait(b.bo, IT_WAIT_NS))
		_exit(1);
	n = atomic_load(&begins->n);
	if (n == MAX_HANGS)
		_exit(1);
	begins->ticks[n] = *(volatile uint32_t *)page->map;
	atomic_store(&begins->n, n + 1);
	it_bo_close(page);
	it_bo_close(b.bo);
}

/* The process: hangs in fresh contexts, of which a fresh file or, n, a fresh process has some or one. */
static void hang_again(enum kind kind, unsigned int engine, unsigned int n, int ready, int stop)
{
	struct pollfd told = { .fd = stop, .events = POLLIN };
	int status = -1;
	char c = 0;

	(void)kind;
	if (write(ready, &c, 1) != 1)
		_exit(1);
	do {
		pid_t pid = n ? fork() : 0;

		if (!pid) {
			struct it_dev *dev = it_open();

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (unsigned int i = 0; i < (n ? 1 : HANGS_OF_A_FILE); i++)
				hang(dev, engine);
			it_close(dev);
		}
		if (n && !pid)
			_exit(0);
		if (n && (pid < 0 || waitpid(pid, &status, 0) != pid || status))
			_exit(1);
	} while (!poll(&told, 1, 0));
	_exit(0);
}

/* The engine's time when it comes to a batch of the victim, which waits for its end. */
static uint32_t ticks_now(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *page)
{
	struct it_batch b = it_batch(dev, 4096);

	it_emit_store_reg(&b, page->address, RING_TIMESTAMP(dev->engine[engine].base));
	it_emit_end(&b);
	it_run_wait(dev, ctx, engine, &b, &page, 1);
	it_bo_close(b.bo);
	return *(volatile uint32_t *)page->map;
}

/* Which is earlier of two times that lie less than three minutes apart? */
static bool earlier(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/*
 * Hangs that have begun, and the victim's first batches behind them: how long each hang took from the victim, and how
 * long it left the engine to the victim behind the first one. A hang behind which another one begins before any batch
 * of the victim has left it nothing.
 */
static void lost_and_kept(const uint32_t *ends, unsigned int n, uint64_t *lost, uint64_t *kept)
{
	unsigned int hangs = atomic_load(&begins->n), k = 0;
	uint32_t free_since = 0;
	bool is_free = false;

	for (unsigned int i = 0; i < hangs; i++) {
		uint32_t began = begins->ticks[i];

		while (k < n && earlier(ends[k], began))
			k++;
		if (k == n)
			return;
		if (is_free)
			*kept += began - free_since;
		is_free = i + 1 == hangs || earlier(ends[k], begins->ticks[i + 1]);
		free_since = ends[k];
		if (i)
			*lost += (is_free ? free_since : begins->ticks[i + 1]) - began;
	}
}

/*
 * The victim's fair share is half of the time, and half of that is a quarter of all. A hang takes the time from its own
 * beginning to the victim's next batch. What lies between that batch and the next hang is the victim's, however much of
 * it the victim uses: a machine under load may not come to send a batch in it.
 *
 * A process that opens its first file while a process of the same user owes time begins with that debt, and no other
 * process waits for it. So the victim opens its file when the debts of former subtests have ended.
 */
static void share_beside_hangs(unsigned int engine, unsigned int processes)
{
	unsigned int before, batches = 0, hangs = 0;
	uint32_t ctx, last_hang, ends[HANGS + 1];
	uint64_t lost = 0, kept = 0;
	struct attacker a;
	struct it_bo *page;
	struct it_dev *dev;
	const char *name;

	sleep(DEBT_S);
	begins = mmap(NULL, sizeof(*begins), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	it_expect(begins != MAP_FAILED, "no memory");
	dev = it_open();
	name = dev->engine[engine].name;
	page = it_bo(dev, 4096);
	ctx = it_ctx_engines(dev);
	last_hang = ticks_now(dev, ctx, engine, page);
	a = begin(hang_again, CONTEXTS, engine, processes);
	before = resets(name);
	while (hangs <= HANGS) {
		uint32_t ticks = ticks_now(dev, ctx, engine, page);
		unsigned int after = resets(name);

		it_expect(after != before || ticks - last_hang < NO_HANG_TICKS, "the other process does not hang");
		batches += !!hangs;
		if (after != before) {
			last_hang = ticks;
			ends[hangs++] = ticks;
		}
		before = after;
	}
	stop(&a);
	lost_and_kept(ends, hangs, &lost, &kept);
	it_expect(lost && kept, "%u hangs, none of which the victim has seen", atomic_load(&begins->n));
	it_note("%u batches beside %u hangs, which took %u %% of the time", batches, hangs - 1,
		(unsigned int)(lost * 100 / (lost + kept)));
	it_expect(kept * 3 >= lost, "hangs took %llu ticks of another process and left it %llu",
		  (unsigned long long)lost, (unsigned long long)kept);
}

static void hangs(unsigned int engine)
{
	share_beside_hangs(engine, 0);
}

static void hangs_of_processes(unsigned int engine)
{
	share_beside_hangs(engine, 1);
}

void smoke_starve(const struct it_engine *engines, unsigned int n)
{
	if (!it_on_igen())
		return;
	for (unsigned int i = 0; i < n && i < ENGINES; i++) {
		it_subtest(contexts, i, "starve-contexts-%s", engines[i].name);
		it_subtest(files, i, "starve-files-%s", engines[i].name);
		it_subtest(polls, i, "starve-polls-%s", engines[i].name);
		it_engine_set(engines[i].name, "timeslice_duration_ms", NULL);
		it_subtest(hangs, i, "starve-hangs-%s", engines[i].name);
		it_subtest(hangs_of_processes, i, "starve-forked-hangs-%s", engines[i].name);
		it_subtest(leftovers, i, "starve-leftovers-%s", engines[i].name);
	}
}
