// SPDX-License-Identifier: MIT
/*
 * DOC: A lane
 *
 * A process that makes a program, writes it where the host sees it, runs it, and throws away what it left open; after
 * some programs it ends, and the parent starts another. Calls for other threads are handed to them while the lane goes
 * on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define PROGRAMS_OF_A_LANE	150

/* From here on blocking calls are interrupted again and again; the parent kills what is not over much later. */
#define PATIENCE_US		700000

/**
 * now_ns - monotonic time
 *
 * Return: nanoseconds.
 */
uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void run_call(struct thread *t, const struct call *call)
{
	t->call = call;
	t->arena_used = 0;
	ops[call->op].run(t, call->arg);
}

static void *worker(void *data)
{
	struct thread *t = data;
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	cover_open(&t->cover);
	atomic_store(&t->busy, 0);
	for (;;) {
		while (!atomic_load(&t->busy))
			syscall(SYS_futex, &t->busy, 0 /* wait */, 0, NULL, NULL, 0);
		run_call(t, t->call);
		atomic_store(&t->busy, 0);
		syscall(SYS_futex, &t->busy, 1 /* wake */, 2, NULL, NULL, 0);
	}
	return NULL;
}

/* Waits until a thread has done its call; what blocks is interrupted after a while. */
static void wait_idle(struct thread *t)
{
	struct timespec step = { 0, 50000000 };
	int steps;

	for (steps = 0; atomic_load(&t->busy); steps++) {
		syscall(SYS_futex, &t->busy, 0 /* wait */, 1, &step, NULL, 0);
		if (steps > 8)
			pthread_kill(t->id, SIGUSR1);
	}
}

static void hand_over(struct lane *lane, const struct call *call)
{
	struct thread *t = &lane->thread[call->thread];

	wait_idle(t);
	t->call = call;
	t->parts = lane->thread[0].parts;
	atomic_store(&t->busy, 1);
	syscall(SYS_futex, &t->busy, 1 /* wake */, 1, NULL, NULL, 0);
}

/* True if a call takes the parts that earlier calls have collected (an execbuf, a context's parameters, ...). */
static bool takes_parts(const struct call *call)
{
	static void (* const takers[])(struct thread *t, const uint64_t *a) = {
		run_exec, run_ctx_create, run_ctx_setparam, run_query, run_gem_create_ext, run_vm_create,
	};
	unsigned int i;

	for (i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		if (ops[call->op].run == takers[i])
			return true;
	return false;
}

static void run_program(struct lane *lane, const struct program *p)
{
	struct itimerval patience = {
		.it_value = { 0, PATIENCE_US }, .it_interval = { 0, 100000 },
	}, none = { 0 };
	struct thread *main = &lane->thread[0];
	uint32_t i;
	int fd;

	memset(lane->slot, 0, sizeof(lane->slot));
	memset(&main->parts, 0, sizeof(main->parts));
	fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	atomic_store(&lane->slot[K_FD][0], fd);
	setitimer(ITIMER_REAL, &patience, NULL);

	for (i = 0; i < p->count; i++) {
		const struct call *call = &p->call[i];

		atomic_store(&lane->state->at, i);
		if (call->thread && call->thread < NTHREADS && !ops[call->op].collects)
			hand_over(lane, call);
		else
			run_call(main, call);
		if (takes_parts(call))
			memset(&main->parts, 0, sizeof(main->parts));
	}
	for (i = 1; i < NTHREADS; i++)
		wait_idle(&lane->thread[i]);

	cover_begin(&main->cover);
	close_range(lane->first_fd, ~0u, 0);
	if (cover_end(&main->cover, lane->shared))
		lane->new_edges = true;
	memory_reset(lane);
	setitimer(ITIMER_REAL, &none, NULL);
}

/* The program is on the host before it runs: a crash may be the next thing that happens. */
static void write_record(struct lane *lane, const struct program *p, uint64_t number)
{
	char text[RECORD_BYTES];
	size_t n;

	if (lane->record < 0)
		return;
	n = snprintf(text, 64, "# program %llu lane %d\n", (unsigned long long)number, lane->index);
	n += program_print(p, text + n, sizeof(text) - n - 1);
	text[n++] = 0;
	if (pwrite(lane->record, text, n, (off_t)(lane->state->records++ % RECORDS) * RECORD_BYTES) != (ssize_t)n)
		lane->record = -1;
}

static void keep(struct lane *lane, const struct program *p)
{
	struct shared *shared = lane->shared;
	uint32_t n = atomic_fetch_add(&shared->corpus_count, 1);

	/* A full corpus loses an old program for a new one. */
	if (n >= CORPUS_MAX) {
		atomic_store(&shared->corpus_count, CORPUS_MAX);
		n = random_next(&lane->random) % CORPUS_MAX;
	}
	atomic_store(&shared->ready[n], 0);
	shared->corpus[n] = *p;
	atomic_store(&shared->ready[n], 1);
}

/* Returns whether it is one that the corpus has already. */
static bool next_program(struct lane *lane, struct program *p)
{
	uint32_t first = atomic_load(&lane->shared->firsts);

	/* Each program that the corpus was loaded with runs once unchanged. */
	while (first && !atomic_compare_exchange_strong(&lane->shared->firsts, &first, first - 1))
		;
	if (first)
		*p = lane->shared->corpus[first - 1];
	else if (atomic_load(&lane->shared->corpus_count) < 20 || random_next(&lane->random) % 8 == 0)
		program_new(lane, p);
	else
		program_change(lane, p);
	return first;
}

static bool start_threads(struct lane *lane)
{
	int i;

	for (i = 0; i < NTHREADS; i++) {
		lane->thread[i].lane = lane;
		lane->thread[i].index = i;
		atomic_store(&lane->thread[i].busy, i > 0);
		if (i && pthread_create(&lane->thread[i].id, NULL, worker, &lane->thread[i]))
			return false;
	}
	/* Each thread opens its coverage first. */
	for (i = 1; i < NTHREADS; i++)
		while (atomic_load(&lane->thread[i].busy))
			usleep(100);
	return true;
}

/**
 * lane_main - runs programs until it is told to stop, or for a while
 * @shared: shared with the parent
 * @index: which lane
 * @seed: of its random numbers
 * @scratch_dir: folder for what it is about to run
 * @rounds: 0 to fuzz; else the programs to replay are run so often
 * @first: of these runs is the first to make
 *
 * Does not return.
 */
void lane_main(struct shared *shared, int index, uint64_t seed, const char *scratch_dir, unsigned int rounds,
	       unsigned int first)
{
	static struct lane lane;
	struct program p;
	uint64_t number;
	unsigned int n, limit;
	char path[512];
	bool known;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lane.index = index;
	lane.shared = shared;
	lane.state = &shared->lane[index];
	lane.random = seed * 0x9e3779b97f4a7c15ull + 1;
	snprintf(path, sizeof(path), "%s/lane-%d", scratch_dir, index);
	lane.record = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	memory_handlers();
	if (!memory_init(&lane) || !start_threads(&lane)) {
		perror("igen-fuzz: a lane cannot start");
		_exit(2);
	}
	cover_open(&lane.thread[0].cover);
	lane.first_fd = dup(lane.record);
	close(lane.first_fd);

	limit = rounds ? rounds * shared->replays : PROGRAMS_OF_A_LANE;
	for (n = first; n < limit && !atomic_load(&shared->stop); n++) {
		known = rounds > 0;
		if (rounds)
			p = shared->replay[n % shared->replays];
		else
			known = next_program(&lane, &p);
		number = rounds ? n : atomic_fetch_add(&shared->number, 1);
		lane.new_edges = false;
		atomic_store(&lane.state->number, number);
		write_record(&lane, &p, number);
		if (say_results)
			printf("program %llu of lane %d\n", (unsigned long long)number, index);
		atomic_store(&lane.state->started, now_ns());
		run_program(&lane, &p);
		atomic_store(&lane.state->started, 0);
		atomic_fetch_add(&shared->programs, 1);
		if (lane.new_edges && !known)
			keep(&lane, &p);
	}
	_exit(0);
}
