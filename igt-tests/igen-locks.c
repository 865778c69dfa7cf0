// SPDX-License-Identifier: MIT
/*
 * Two clients that share nothing take no lock in common when they submit: kprobes on the kernel's functions for locks
 * tell which locks each of them takes within execbuf, interrupts left out, and from where. Locks that the driver, DRM,
 * and the code for fences and reservations take count; locks of the kernel's core do not.
 *
 * Needs root, tracefs and kprobe events.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include "lib/it.h"

#define TRACEFS		"/sys/kernel/tracing/"
#define ROUNDS		20
#define MAX_LOCKS	4096

static const char *const functions[] = {
	"_raw_spin_lock", "_raw_spin_lock_irq", "_raw_spin_lock_irqsave", "_raw_spin_lock_bh", "_raw_spin_trylock",
	"_raw_read_lock", "_raw_write_lock", "mutex_lock", "mutex_lock_interruptible", "mutex_lock_killable",
	"mutex_trylock", "ww_mutex_lock", "ww_mutex_lock_interruptible", "ww_mutex_trylock", "down_read", "down_write",
};

struct lock {
	unsigned long long address;
	char by[96];
};

struct locks {
	struct lock lock[MAX_LOCKS];
	unsigned int n, taken;
};

static struct locks seen[2];

struct client {
	struct it_dev *dev;
	uint32_t ctx;
	unsigned int engine[2];
	struct it_batch spin[2], batch;
	struct it_bo *page, *stop, user;
};

static void trace_write(const char *name, const char *text)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path), TRACEFS "%s", name);
	ret = it_write_file(path, text);
	it_expect(!ret, "writing \"%s\" to %s: error %d", text, path, ret);
}

static void trace_clear(const char *path)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd >= 0)
		close(fd);
}

/* Whatever there is of it. */
static void trace_end(void)
{
	it_write_file(TRACEFS "tracing_on", "0");
	it_write_file(TRACEFS "events/igen_locks/enable", "0");
	trace_clear(TRACEFS "set_event_pid");
	trace_clear(TRACEFS "kprobe_events");
}

static void trace_begin(void)
{
	char text[160];
	ssize_t done;
	int fd;

	trace_end();
	if (access(TRACEFS "trace", F_OK))
		mount("tracefs", TRACEFS, "tracefs", 0, NULL);
	if (access(TRACEFS "kprobe_events", W_OK))
		it_skip("no kprobe events");

	trace_write("tracing_on", "0");
	fd = open(TRACEFS "kprobe_events", O_WRONLY | O_APPEND);
	it_expect(fd >= 0, "kprobe_events: error %d", errno);
	for (unsigned int i = 0; i < ARRAY_SIZE(functions); i++) {
		snprintf(text, sizeof(text), "p:igen_locks/lock%u %s lock=%%di:x64 by=$stack0:symbol\n", i,
			 functions[i]);
		done = write(fd, text, strlen(text));
		it_expect(done == (ssize_t)strlen(text), "no probe of %s: error %d", functions[i], errno);
	}
	close(fd);
	snprintf(text, sizeof(text), "%d", getpid());
	trace_write("set_event_pid", text);
	trace_write("buffer_size_kb", "8192");
	trace_write("events/igen_locks/enable", "1");
}

/* The driver, DRM and reservations. Fences are as many as requests; their memory may be the other client's next. */
static bool counts(const char *by)
{
	return strstr(by, " [") || !strncmp(by, "dma_resv", 8);
}

/* "igen-locks-312 [000] d..1. 20.513: lock0: (mutex_lock+0x0/0x40) lock=0xffff888003c05c40 by=f+0x5c/0x1a0 [igen]" */
static void collect(struct locks *locks)
{
	char line[512], flags[16], by[96];
	FILE *file = fopen(TRACEFS "trace", "r");
	unsigned long long address;
	const char *at;
	unsigned int i;

	it_expect(file, TRACEFS "trace: error %d", errno);
	locks->n = 0;
	locks->taken = 0;
	while (fgets(line, sizeof(line), file)) {
		it_expect(!strstr(line, "LOST"), "the trace is not whole");
		at = strchr(line, '[');
		if (line[0] == '#' || !at || sscanf(at, "[%*u] %15s", flags) != 1)
			continue;
		at = strstr(at, " lock=");
		it_expect(at && sscanf(at, " lock=%llx by=%95[^\n]", &address, by) == 2, "not understood: %s", line);
		/* hard and soft interrupts */
		if (strlen(flags) < 3 || flags[2] != '.' || !counts(by))
			continue;
		locks->taken++;
		for (i = 0; i < locks->n && locks->lock[i].address != address; i++)
			;
		if (i < locks->n)
			continue;
		it_expect(i < MAX_LOCKS, "more than %u locks", MAX_LOCKS);
		locks->lock[i].address = address;
		memcpy(locks->lock[i].by, by, sizeof(by));
		locks->n++;
	}
	fclose(file);
}

static struct client *client_open(unsigned int first, unsigned int second)
{
	struct client *c = calloc(1, sizeof(*c));
	struct drm_i915_gem_userptr user = { .user_size = 4096 };
	void *memory;
	int ret;

	c->dev = it_open();
	c->ctx = it_ctx_engines(c->dev);
	c->engine[0] = first;
	c->engine[1] = second;
	c->page = it_bo(c->dev, 4096);
	c->stop = it_bo(c->dev, 4096);
	c->batch = it_batch(c->dev, 4096);
	it_emit_store(&c->batch, c->page->address, 1);
	it_emit_end(&c->batch);

	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	it_expect(memory != MAP_FAILED, "mmap: error %d", errno);
	user.user_ptr = (uintptr_t)memory;
	ret = it_ioctl(c->dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &user);
	it_expect(!ret, "userptr: error %d", ret);
	c->user = (struct it_bo) { .dev = c->dev, .handle = user.handle, .size = 4096, .address = 1ull << 40 };
	return c;
}

static void client_close(struct client *c)
{
	it_close(c->dev);
	free(c);
}

/* Runs until unspin(); on every engine, those whose batches are copied first included. */
static void spin(struct client *c, unsigned int which)
{
	struct it_batch *b = &c->spin[which];
	int ret;

	*b = it_batch(c->dev, 4096);
	it_emit(b, MI_ARB_CHECK);
	it_emit(b, MI_NOOP);
	it_emit(b, MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE | IGEN_PREP(MI_COND_BBE_OP_MASK, 4));
	it_emit(b, 0);
	it_emit_address(b, c->stop->address);
	it_emit(b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(b, b->bo->address);
	it_emit_end(b);
	ret = it_run(c->dev, c->ctx, c->engine[which], b, &c->stop, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of a batch that runs until it is told: error %d", ret);
}

static void unspin(struct client *c)
{
	*(volatile uint32_t *)c->stop->map = 1;
	for (unsigned int i = 0; i < ARRAY_SIZE(c->spin); i++) {
		int ret = c->spin[i].bo ? it_bo_wait(c->spin[i].bo, IT_WAIT_NS) : 0;

		it_expect(!ret, "it does not end: error %d", ret);
	}
}

/* Each time on both engines, the second after the first, since both write the page. */
static void submit(struct client *c, unsigned int rounds)
{
	struct it_bo *bos[] = { c->page, &c->user };
	int ret;

	for (unsigned int i = 0; i < 2 * rounds; i++) {
		ret = it_run(c->dev, c->ctx, c->engine[i & 1], &c->batch, bos, 2, EXEC_OBJECT_WRITE);
		it_expect(!ret, "execbuf: error %d", ret);
	}
}

static void record(struct client *c, struct locks *locks)
{
	/* Memory, page tables and contexts are there then. */
	submit(c, 2);
	trace_clear(TRACEFS "trace");
	trace_write("tracing_on", "1");
	submit(c, ROUNDS);
	trace_write("tracing_on", "0");
	collect(locks);
	it_note("%u locks, taken %.1f times an execbuf", locks->n, locks->taken / (2.0 * ROUNDS));
	/* The context's, the timeline's, and three objects' at the least. */
	it_expect(locks->n >= 5, "that is too few to be true");
}

static void judge(void)
{
	unsigned int common = 0;

	for (unsigned int i = 0; i < seen[0].n; i++) {
		for (unsigned int k = 0; k < seen[1].n; k++) {
			if (seen[0].lock[i].address != seen[1].lock[k].address)
				continue;
			it_note("both take one in %s and %s", seen[0].lock[i].by, seen[1].lock[k].by);
			common++;
		}
	}
	it_expect(!common, "%u locks in common", common);
}

/*
 * Busy: on two engines each, which have work already and go on with it, so that nothing completes meanwhile. Else on
 * one engine each, which comes to rest in between, and a third client keeps the GPU awake.
 */
static void apart(unsigned int busy)
{
	struct client *c[2], *third = NULL;

	trace_begin();
	for (unsigned int i = 0; i < 2; i++) {
		c[i] = busy ? client_open(2 * i, 2 * i + 1) : client_open(i, i);
		it_expect(c[i]->dev->num_engines >= 4, "%u engines are too few", c[i]->dev->num_engines);
		if (busy) {
			spin(c[i], 0);
			spin(c[i], 1);
		}
	}
	if (!busy) {
		third = client_open(2, 2);
		spin(third, 0);
	}
	for (unsigned int i = 0; i < 2; i++)
		record(c[i], &seen[i]);
	for (unsigned int i = 0; i < 2; i++) {
		unspin(c[i]);
		client_close(c[i]);
	}
	if (third) {
		unspin(third);
		client_close(third);
	}
	judge();
}

int main(int argc, char **argv)
{
	it_init(argc, argv);
	it_subtest(apart, 1, "locks-busy");
	it_subtest(apart, 0, "locks-resting");
	trace_end();
	return it_exit();
}
