// SPDX-License-Identifier: MIT
/*
 * DOC: igen-storm
 *
 * Many clients keep all engines at work while batches hang, the hardware fails or the device comes and goes. Each batch
 * counts, so that at the end nothing was lost and nothing was done twice; and what memory the kernel has in use is
 * compared with what it had after a first, shorter round. Caches grow once, and a leak grows in each round: a round
 * after which more memory is in use is repeated. No round may leave an object behind.
 *
 * igen-storm [-c CLIENTS] [-g GUILTY] [-s SECONDS] [-m BATCHES] [-n HANGS] [-b BEAT_MS] [-fuq]
 *	-c, -g	clients in all (16), and of them those whose batches hang (4)
 *	-s, -m	ends after so many seconds (20), when so many batches have completed (1): the machine may stand still
 *	-n	ends earlier, when so many batches have hung
 *	-b	heartbeat interval of the engines in ms (100); 0 leaves it alone. For the driver a model hangs that gets
 *		no processor for three of these
 *	-f	the model makes batches fail: any client's may, and the context has to be blamed for it
 *	-u	the device may be taken away, suspended or reset by others meanwhile; implies -q
 *	-q	only one round, and memory is not looked at
 *
 * SIGTERM ends it early. Exit status 0 when all was well. Prints what was done.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "storm.h"

#define MAX_CLIENTS	64
#define MAX_ENGINES	16
#define SETTLE_S	30			/* until what was closed is given back */
#define GROWTH_KB	1536			/* of kernel memory: slabs are filled differently each time */
#define MAX_ROUNDS	3			/* that are followed by more memory in use */
#define LATE_S		300			/* longer than asked for, until enough was done */

static volatile sig_atomic_t told_to_end;
static struct storm_totals *totals;

static void on_sigterm(int number)
{
	told_to_end = number;
}

/* Sets the heartbeat interval of all engines, and notes what it was; without MS it gets that again. */
static void set_heartbeats(const unsigned int *ms)
{
	static char before[MAX_ENGINES][16];
	char text[16];
	glob_t g;

	if (glob("/sys/class/drm/card*/engine/*/heartbeat_interval_ms", 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc && i < MAX_ENGINES; i++) {
		if (ms) {
			snprintf(text, sizeof(text), "%u", *ms);
			it_read_file(g.gl_pathv[i], before[i], sizeof(before[i]));
		} else {
			memcpy(text, before[i], sizeof(text));
		}
		if (it_write_file(g.gl_pathv[i], text))
			fprintf(stderr, "%s: cannot be set to %s\n", g.gl_pathv[i], text);
	}
	globfree(&g);
}

/* Objects of the driver that exist, or -1. */
static long objects(void)
{
	long n = -1;
	glob_t g;
	FILE *f;

	if (glob("/sys/kernel/debug/dri/*/i915_gem_objects", 0, NULL, &g))
		return -1;
	f = fopen(g.gl_pathv[0], "r");
	if (f && fscanf(f, "%ld objects", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	globfree(&g);
	return n;
}

/* The memory of the kernel's own allocations, in kB. */
static long kernel_memory(void)
{
	return it_meminfo("SUnreclaim") + it_meminfo("VmallocUsed") + it_meminfo("Percpu");
}

struct memory {
	long objects, kb;
};

/* The objects and kernel memory in use when all clients have ended; waits while they are more than before. */
static struct memory settle(const struct memory *before)
{
	struct memory now;

	for (unsigned int second = 0; ; second++) {
		it_write_file("/proc/sys/vm/drop_caches", "3");
		sleep(1);
		now = (struct memory){ .objects = objects(), .kb = kernel_memory() };
		if (second >= SETTLE_S || (!before && second >= 2))
			return now;
		if (before && now.objects <= before->objects && now.kb <= before->kb + GROWTH_KB)
			return now;
	}
}

static unsigned int reset_count(void)
{
	struct drm_i915_reset_stats stats = { 0 };
	int fd = it_open_fd();

	if (fd < 0)
		return 0;
	it_ioctl(fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	close(fd);
	return stats.reset_count;
}

static unsigned long hung(void)
{
	return atomic_load(&totals->hangs) + atomic_load(&totals->failed);
}

/* What has to be done at least has been done. */
static bool enough(const struct storm_options *options, unsigned int guilty, unsigned long batches)
{
	return !options->strict ||
	       (atomic_load(&totals->completed) >= batches && (!guilty || atomic_load(&totals->hangs)));
}

/* Clients work until it is time, or enough has hung. */
static int storm(const struct storm_options *options, unsigned int clients, unsigned int guilty, unsigned int seconds,
		 unsigned long batches, unsigned long hangs)
{
	pid_t pid[MAX_CLIENTS];
	time_t end = time(NULL) + seconds;
	int bad = 0, status;

	atomic_store(&totals->stop, false);
	for (unsigned int i = 0; i < clients; i++) {
		pid[i] = fork();
		if (pid[i] < 0)
			return 1;
		if (!pid[i]) {
			storm_client(i, i < guilty ? STORM_GUILTY : STORM_INNOCENT, options, totals);
			exit(0);
		}
	}
	while (!told_to_end && !(hangs && hung() >= hangs) &&
	       (time(NULL) < end || (!enough(options, guilty, batches) && time(NULL) < end + LATE_S)))
		usleep(50000);
	atomic_store(&totals->stop, true);
	for (unsigned int i = 0; i < clients; i++) {
		while (waitpid(pid[i], &status, 0) < 0 && errno == EINTR)
			;
		bad |= !WIFEXITED(status) || WEXITSTATUS(status);
	}
	if (bad)
		printf("not ok: a client died\n");
	return bad;
}

static int usage(void)
{
	fprintf(stderr, "usage: igen-storm [-c CLIENTS] [-g GUILTY] [-s SECONDS] [-m BATCHES] [-n HANGS] [-b BEAT_MS] "
		"[-fuq]\n");
	return 2;
}

int main(int argc, char **argv)
{
	unsigned int clients = 16, guilty = 4, seconds = 20, beat = 100, resets, rounds = 0;
	struct storm_options options = { .strict = true };
	struct sigaction end = { .sa_handler = on_sigterm };
	struct memory before = { 0 }, after = { 0 };
	bool quick = false, grown;
	unsigned long batches = 1, hangs = 0;
	int opt, bad;

	while ((opt = getopt(argc, argv, "c:g:s:m:n:b:fuq")) != -1) {
		switch (opt) {
		case 'c':
			clients = it_number("-c", optarg, 1, MAX_CLIENTS);
			break;
		case 'g':
			guilty = it_number("-g", optarg, 0, MAX_CLIENTS);
			break;
		case 's':
			seconds = it_number("-s", optarg, 1, UINT_MAX);
			break;
		case 'm':
			batches = it_number("-m", optarg, 1, ULONG_MAX);
			break;
		case 'n':
			hangs = it_number("-n", optarg, 0, ULONG_MAX);
			break;
		case 'b':
			beat = it_number("-b", optarg, 0, UINT_MAX);
			break;
		case 'f':
			options.faulty = true;
			break;
		case 'u':
			options.strict = false;
			quick = true;
			break;
		case 'q':
			quick = true;
			break;
		default:
			return usage();
		}
	}
	if (optind != argc || guilty > clients)
		return usage();
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGTERM, &end, NULL);
	totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (totals == MAP_FAILED)
		return 2;
	if (beat)
		set_heartbeats(&beat);
	/* A beat more than the heartbeat's patience, and some. */
	options.slow_us = 1000 * (beat ? 5 * beat : 150);

	resets = reset_count();
	bad = 0;
	if (!quick) {
		bad = storm(&options, clients, guilty, seconds / 4 + 1, batches, hangs ? hangs / 4 + 1 : 0);
		before = settle(NULL);
	}
	do {
		if (rounds)
			before.kb = after.kb;
		bad |= storm(&options, clients, guilty, seconds, batches, hangs);
		if (!quick)
			after = settle(&before);
		grown = !quick && (after.objects > before.objects || after.kb > before.kb + GROWTH_KB);
	} while (grown && ++rounds < MAX_ROUNDS && !bad && !told_to_end);
	if (beat)
		set_heartbeats(NULL);

	printf("storm: %lu batches: %lu completed, %lu in error; %lu more hung; %u resets, %lu ran again; %lu files\n",
	       totals->submitted, totals->completed, totals->failed, totals->hangs, reset_count() - resets,
	       totals->again, totals->lives);
	if (!quick)
		printf("storm: %ld objects before and %ld after, kernel memory %ld kB and %ld kB\n", before.objects,
		       after.objects, before.kb, after.kb);
	if (!totals->completed) {
		printf("not ok: no batch has completed\n");
		bad = 1;
	}
	if (guilty && options.strict && !totals->hangs) {
		printf("not ok: no batch has hung\n");
		bad = 1;
	}
	if (grown) {
		printf("not ok: memory is still in use\n");
		bad = 1;
	}
	return bad || totals->faults;
}
