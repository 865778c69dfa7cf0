// SPDX-License-Identifier: MIT
/*
 * A client for programs that show what uses the GPU: it keeps every engine busy for a third of the time, until SIGTERM
 * comes, for SECONDS at most. "started" is printed when the first batches have run.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lib/it.h"

#define BUSY_US		20000
#define IDLE_US		40000

static volatile sig_atomic_t ended;
static unsigned long seconds;

static void on_term(int signal)
{
	(void)signal;
	ended = 1;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void keep_busy(unsigned int arg)
{
	struct it_dev *dev = it_open();
	struct it_bo *stop = it_bo(dev, 4096);
	struct it_batch batch[IT_MAX_ENGINES];
	uint32_t ctx = it_ctx_engines(dev);
	double end = now() + (double)seconds;
	bool started = false;

	(void)arg;
	for (unsigned int i = 0; i < dev->num_engines; i++) {
		batch[i] = it_batch(dev, 4096);
		it_emit_circle(&batch[i], stop->address);
	}
	while (!ended && now() < end) {
		*(volatile uint32_t *)stop->map = 0;
		for (unsigned int i = 0; i < dev->num_engines; i++) {
			int ret = it_run(dev, ctx, i, &batch[i], &stop, 1, EXEC_OBJECT_ASYNC);

			it_expect(!ret, "execbuf on %s: error %d", dev->engine[i].name, ret);
		}
		usleep(BUSY_US);
		*(volatile uint32_t *)stop->map = 1;
		for (unsigned int i = 0; i < dev->num_engines; i++)
			it_expect(!it_bo_wait(batch[i].bo, IT_WAIT_NS), "%s: it did not end", dev->engine[i].name);
		if (!started)
			puts("started");
		fflush(stdout);
		started = true;
		usleep(IDLE_US);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: igen-busy SECONDS\n");
		return 2;
	}
	seconds = it_number("seconds", argv[1], 1, 3600);
	signal(SIGTERM, on_term);
	it_init(1, argv);
	it_subtest(keep_busy, 0, "busy");
	return it_exit();
}
