// SPDX-License-Identifier: MIT
/**
 * DOC: What an access to a register costs
 *
 * Usage: access THREADS
 *
 * Reads and writes a register of the GPU in a guest without a driver, with a thread on each of several
 * processors. The host may have other work, which adds time to some accesses, so accesses are timed in short
 * runs: the least and the median time of a run count. Prints one line, in nanoseconds an access: "read LEAST
 * MEDIAN write LEAST MEDIAN". With several threads it is the time between two accesses of one thread while all
 * of them go on.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define DEVICE		"/sys/bus/pci/devices/0000:00:02.0/"
#define BAR_SIZE	0x1000000
/* GEN8_MASTER_IRQ: needs no forcewake, and without a driver it is 0, which is also what is written. */
#define REGISTER	0x44200
#define ROUNDS		200
#define ACCESSES	64
#define MOST_THREADS	8

static volatile uint32_t *bar;
static pthread_barrier_t barrier;

struct worker {
	pthread_t thread;
	unsigned int cpu;
	uint64_t ns[2][ROUNDS];			/* of reads and of writes, a run each */
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void *work(void *data)
{
	struct worker *w = data;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(w->cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		exit(1);
	}
	for (int write = 0; write < 2; write++) {
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < ROUNDS; i++) {
			uint64_t begun = now();

			for (int j = 0; j < ACCESSES; j++) {
				if (write)
					bar[REGISTER / 4] = 0;
				else
					(void)bar[REGISTER / 4];
			}
			w->ns[write][i] = now() - begun;
		}
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* All threads' runs together. */
static void print(const char *name, struct worker *workers, unsigned int n, int write)
{
	static uint64_t all[MOST_THREADS * ROUNDS];
	unsigned int count = 0;

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; j < ROUNDS; j++)
			all[count++] = workers[i].ns[write][j];
	qsort(all, count, sizeof(all[0]), compare);
	printf("%s %llu %llu", name, (unsigned long long)all[0] / ACCESSES,
	       (unsigned long long)all[count / 2] / ACCESSES);
}

int main(int argc, char **argv)
{
	static struct worker workers[MOST_THREADS];
	int n = argc == 2 ? atoi(argv[1]) : 0, fd;

	if (n < 1 || n > MOST_THREADS) {
		fprintf(stderr, "usage: access THREADS (1 to %d)\n", MOST_THREADS);
		return 2;
	}
	fd = open(DEVICE "enable", O_WRONLY);
	if (fd < 0 || write(fd, "1", 1) != 1) {
		perror(DEVICE "enable");
		return 1;
	}
	close(fd);
	fd = open(DEVICE "resource0", O_RDWR | O_SYNC);
	bar = fd < 0 ? MAP_FAILED : mmap(NULL, BAR_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bar == MAP_FAILED) {
		perror(DEVICE "resource0");
		return 1;
	}
	pthread_barrier_init(&barrier, NULL, (unsigned int)n);
	for (int i = 0; i < n; i++) {
		workers[i].cpu = (unsigned int)i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
			perror("pthread_create");
			return 1;
		}
	}
	for (int i = 0; i < n; i++)
		pthread_join(workers[i].thread, NULL);
	print("read", workers, (unsigned int)n, 0);
	print(" write", workers, (unsigned int)n, 1);
	printf("\n");
	return 0;
}
