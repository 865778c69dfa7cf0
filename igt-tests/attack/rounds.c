// SPDX-License-Identifier: MIT
/**
 * DOC: Rounds
 *
 * A seed decides the order of the attacks, how many run side by side and what each of them rolls. All attacks are
 * dealt before any comes again. A round is:
 *
 * 1. The victim alone, for its rate. 2. The victim and one to three attacks. 3. SIGKILL for the attackers' processes,
 * which have to be gone: the CPU time that each takes after the signal is bounded,
 *    and so is the time until the last is gone.
 *
 * The fair rate of a round is the victim's rate alone, divided by the number of clients. The victim has to reach half
 * of it. Its rate alone is measured before and after the attacks, and the smaller one counts, since the host has other
 * work. Both are batches per second of the same guest. Over some seconds on one emulated processor they differ by a
 * fifth without any attack; half of the fair rate leaves room for that.
 *
 * What killed attackers leave on the engines (batches without an end of persistent contexts) must not take the engines
 * from living clients: after each round the victim alone has at least a quarter of the rate that it had before the
 * first.
 *
 * The victim is one process for as long as nothing is wrong for it. A round fails when something was wrong for the
 * victim, when the victim has died, when it was too slow, when an attack tells of a defence that failed, and when a
 * process does not go.
 */
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define NOBODY		65534
#define VICTIM_USER	65533
#define MAX_ATTACKS	128
#define SIDE_BY_SIDE	3
#define MAX_PLAYERS	(SIDE_BY_SIDE + 2)	/* and those that take the device away and suspend the machine */
#define SHARE_PERCENT	50
#define LEFT_PERCENT	25			/* of the victim's first rate alone, after an attack */
/* Batches over which the victim's rate alone is measured at least, before attacks and after them, and for how long. */
#define LEAST_ALONE	512ul
#define LEAST_AFTER	64ul
#define MOST_MS		60000

/* The results of one attack, over all of its rounds. */
struct outcome {
	unsigned int runs, slow, broken, stuck, wrong;
	unsigned long done, refused;
	unsigned int worst_percent;		/* of the fair rate */
	unsigned long worst_cpu_ms;
	char why[200], absent[40];
};

struct player {
	unsigned int attack;
	pid_t pid;
	struct attack_told *told;
};

struct game {
	const struct rounds_options *options;
	struct victim_told *victim;
	pid_t victim_pid;
	struct outcome outcome[MAX_ATTACKS];
	unsigned int order[MAX_ATTACKS], chosen, next, seed;
	struct player player[MAX_PLAYERS];
	unsigned int players;
	double first, before;			/* the victim's first and last rate alone, in batches per second */
	unsigned int rounds, failures;
	unsigned long wrong, total;		/* of victims that were replaced */
};

static const struct attack *const families[] = {
	attacks_forge, attacks_parser, attacks_gate, attacks_time, attacks_memory, attacks_turn, attacks_race,
	attacks_share, attacks_watch, attacks_system, attacks_mutant,
};

const struct attack *attack_by_number(unsigned int n)
{
	for (unsigned int f = 0; f < ARRAY_SIZE(families); f++)
		for (const struct attack *a = families[f]; a->name; a++)
			if (!n--)
				return a;
	return NULL;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void *shared_memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("igen-attack: mmap");
		exit(2);
	}
	return p;
}

/* In the child: an ordinary user, with a group of processes of its own, which ends with the parent. */
static void become(uid_t user)
{
	struct rlimit files = { 65536, 65536 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	signal(SIGTERM, SIG_DFL);
	setrlimit(RLIMIT_NOFILE, &files);
	if (getuid() || !user)
		return;
	if (setgroups(0, NULL) || setgid(user) || setuid(user)) {
		perror("igen-attack: setuid");
		_exit(2);
	}
	/* Changing the user clears it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void start_victim(struct game *g)
{
	fflush(stdout);
	g->victim_pid = fork();
	if (!g->victim_pid) {
		become(VICTIM_USER);
		victim_run(g->victim);
		_exit(0);
	}
	for (unsigned int ms = 0; ms < 120000 && !atomic_load(&g->victim->ready); ms += 10) {
		if (atomic_load(&g->victim->wrong))
			return;
		usleep(10000);
	}
}

static void start(struct game *g, unsigned int attack)
{
	const struct attack *what = attack_by_number(attack);
	struct player *p = &g->player[g->players++];
	struct attacker a = { .seed = rand_r(&g->seed), .ring = rand_r(&g->seed) % ATTACK_RINGS };
	unsigned int devices = g->options->devices, device = devices > 1 ? rand_r(&g->seed) % devices : 0;

	a.second = (device + 1) % devices;
	p->attack = attack;
	p->told = shared_memory(sizeof(*p->told));
	a.told = p->told;
	fflush(stdout);
	p->pid = fork();
	if (p->pid) {
		/* The group exists before stop_all() kills it, even if the child has not run yet. */
		setpgid(p->pid, p->pid);
		return;
	}
	become(what->flags & ATTACK_ROOT ? 0 : NOBODY);
	it_use_device(device);
	what->run(&a);
	/* Nothing to attack: waits for its end like the others. */
	for (;;)
		pause();
}

static unsigned long cpu_ms_now(pid_t pid)
{
	unsigned long user = 0, system = 0;
	char path[64], text[1024], *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (it_read_file(path, text, sizeof(text)))
		return 0;
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
		return 0;
	return (user + system) * 1000 / sysconf(_SC_CLK_TCK);
}

/* A victim for which something was wrong before has ended by itself, and its reason stays. */
static void note_death(struct game *g, int status)
{
	if (!atomic_fetch_add(&g->victim->wrong, 1))
		snprintf(g->victim->why, sizeof(g->victim->why), "the victim has died: status %x", status);
}

static void note(struct game *g, unsigned int *field_of_outcome, const char *why, struct outcome *o)
{
	(*field_of_outcome)++;
	g->failures++;
	if (!o->why[0])
		snprintf(o->why, sizeof(o->why), "%s", why);
}

/* Kills a round's attackers, and sees them go; false when one does not. */
static void stop_all(struct game *g)
{
	unsigned long limit = (unsigned long)g->options->gone_ms * g->options->slow, cpu[MAX_PLAYERS] = { 0 };
	unsigned int left = g->players;
	char why[200];
	double begin = now_ms();

	for (unsigned int i = 0; i < g->players; i++) {
		cpu[i] = cpu_ms_now(g->player[i].pid);
		kill(-g->player[i].pid, g->options->stop_signal);
	}
	while (left && now_ms() - begin < limit) {
		struct rusage usage;
		int status;
		pid_t pid = wait4(-1, &status, WNOHANG, &usage);

		if (!pid)
			usleep(10000);
		if (pid < 0)
			break;
		for (unsigned int i = 0; i < g->players && pid; i++) {
			struct outcome *o = &g->outcome[g->player[i].attack];
			unsigned long ms = usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000 +
					   usage.ru_stime.tv_sec * 1000 + usage.ru_stime.tv_usec / 1000;

			if (pid != g->player[i].pid)
				continue;
			left--;
			g->player[i].pid = 0;
			ms -= ms < cpu[i] ? ms : cpu[i];
			if (ms > o->worst_cpu_ms)
				o->worst_cpu_ms = ms;
			if (ms <= g->options->cpu_ms * g->options->slow)
				continue;
			snprintf(why, sizeof(why), "%lu ms of CPU time after SIGKILL", ms);
			note(g, &o->stuck, why, o);
		}
		if (pid == g->victim_pid) {
			g->victim_pid = 0;
			note_death(g, status);
		}
	}
	for (unsigned int i = 0; i < g->players; i++) {
		struct outcome *o = &g->outcome[g->player[i].attack];

		if (!g->player[i].pid)
			continue;
		snprintf(why, sizeof(why), "not gone %lu ms after SIGKILL", limit);
		note(g, &o->stuck, why, o);
	}
}

static unsigned long batches(const struct game *g)
{
	return atomic_load(&g->victim->batches);
}

/*
 * The victim's rate over some time, in batches per second; longer, until so many batches are done at least, since the
 * machine may stand still for longer than that time.
 */
static double measure(const struct game *g, unsigned int ms, unsigned long least)
{
	unsigned long first = batches(g);
	double begin = now_ms(), passed = 0;

	while ((passed < ms || (batches(g) < first + least && passed < MOST_MS)) && !atomic_load(&g->victim->wrong)) {
		usleep(20000);
		passed = now_ms() - begin;
	}
	return (batches(g) - first) * 1e3 / (now_ms() - begin);
}

/* After attacks that left work behind: the victim gets batches done again. Fails the round when it does not. */
static bool recovers(const struct game *g)
{
	unsigned long first = batches(g);
	double begin = now_ms();

	while (batches(g) < first + 256 && now_ms() - begin < (double)g->options->gone_ms * g->options->slow) {
		if (atomic_load(&g->victim->wrong))
			return false;
		usleep(20000);
	}
	return batches(g) >= first + 256;
}

static bool chosen(const struct rounds_options *options, const struct attack *a)
{
	const char *at = options->only;
	size_t length = strlen(a->name);

	if (!at)
		return !(a->flags & (ATTACK_MUTANT | ATTACK_SUSPEND | (options->gone ? ATTACK_ROOT : ATTACK_GONE)));
	while ((at = strstr(at, a->name))) {
		if ((at == options->only || at[-1] == ',') && (!at[length] || at[length] == ','))
			return true;
		at += length;
	}
	return false;
}

static void shuffle(struct game *g)
{
	g->chosen = 0;
	g->next = 0;
	for (unsigned int n = 0; attack_by_number(n); n++)
		if (chosen(g->options, attack_by_number(n)))
			g->order[g->chosen++] = n;
	for (unsigned int i = g->chosen; i > 1; i--) {
		unsigned int with = rand_r(&g->seed) % i, n = g->order[i - 1];

		g->order[i - 1] = g->order[with];
		g->order[with] = n;
	}
}

/* Deals a round: one attack that stands alone, or one to three others. */
static unsigned int deal(struct game *g)
{
	unsigned int want = g->options->each ? 1 : 1 + rand_r(&g->seed) % SIDE_BY_SIDE, clients = 0, first;
	unsigned int always = (g->options->gone ? ATTACK_GONE : 0) | (g->options->suspend ? ATTACK_SUSPEND : 0);

	g->players = 0;
	for (unsigned int n = 0; attack_by_number(n); n++)
		if (attack_by_number(n)->flags & always)
			start(g, n);
	first = g->players;
	while (g->players < first + want) {
		const struct attack *a;

		if (g->next == g->chosen && g->players > first)
			break;
		if (g->next == g->chosen)
			shuffle(g);
		a = attack_by_number(g->order[g->next]);
		if (a->flags & ATTACK_ALONE && g->players > first)
			break;
		start(g, g->order[g->next++]);
		clients += a->clients;
		if (a->flags & ATTACK_ALONE)
			break;
	}
	return clients;
}

static void judge(struct game *g, unsigned int percent, unsigned int left_percent, bool recovered)
{
	bool wrong = atomic_load(&g->victim->wrong);
	char why[200];

	for (unsigned int i = 0; i < g->players; i++) {
		struct player *p = &g->player[i];
		struct outcome *o = &g->outcome[p->attack];

		o->runs++;
		o->done += atomic_load(&p->told->done);
		o->refused += atomic_load(&p->told->refused);
		if (atomic_load(&p->told->broken))
			note(g, &o->broken, p->told->why, o);
		if (wrong)
			note(g, &o->wrong, g->victim->why, o);
		if (!recovered && !wrong)
			note(g, &o->stuck, "the victim gets no batch done after the attack", o);
		if (g->options->rate && !g->options->gone && !g->options->suspend) {
			if (!o->worst_percent || percent + 1 < o->worst_percent)
				o->worst_percent = percent + 1;
			snprintf(why, sizeof(why), "the victim had %u %% of its fair rate", percent);
			if (percent < SHARE_PERCENT)
				note(g, &o->slow, why, o);
			snprintf(why, sizeof(why), "the victim alone has %u %% of its first rate afterwards",
				 left_percent);
			if (recovered && left_percent < LEFT_PERCENT)
				note(g, &o->slow, why, o);
		}
		memcpy(o->absent, p->told->absent, sizeof(o->absent));
		munmap(p->told, sizeof(*p->told));
	}
}

static void play(struct game *g)
{
	unsigned int clients, percent;
	double during, after, alone;
	bool recovered;

	clients = deal(g);
	printf("# round %u:", ++g->rounds);
	for (unsigned int i = 0; i < g->players; i++)
		printf(" %s", attack_by_number(g->player[i].attack)->name);
	atomic_store(&g->victim->phase, PHASE_ATTACKS);
	during = measure(g, g->options->seconds * 1000, 0);
	stop_all(g);
	if (g->options->gone)
		system_bind();
	recovered = recovers(g);
	atomic_store(&g->victim->phase, PHASE_AFTERWARDS);
	after = recovered ? measure(g, g->options->alone_ms * g->options->slow, LEAST_AFTER) : 0;
	alone = after && after < g->before ? after : g->before;
	if (alone < g->first * LEFT_PERCENT / 100)
		alone = g->first * LEFT_PERCENT / 100;
	percent = alone ? during * 100 * (clients + 1) / alone : 0;
	printf(": victim %.0f batches/s of %.0f alone, %u %% of its share among %u\n", during, alone, percent,
	       clients + 1);
	judge(g, percent, g->first ? after * 100 / g->first : 0, recovered);
	if (after)
		g->before = after;
}

/* A victim for which something was wrong is replaced by a fresh one, so that the other attacks run, too. */
static void replace_victim(struct game *g)
{
	printf("not ok victim: %s\n", g->victim->why);
	if (g->victim_pid) {
		kill(g->victim_pid, SIGKILL);
		waitpid(g->victim_pid, NULL, 0);
	}
	g->wrong += g->victim->wrong;
	g->total += g->victim->batches;
	memset(g->victim, 0, sizeof(*g->victim));
	atomic_store(&g->victim->lenient, g->options->gone);
	start_victim(g);
	g->before = measure(g, g->options->alone_ms * g->options->slow, LEAST_ALONE);
}

static void table(const struct game *g)
{
	printf("\n%-22s %5s %10s %10s %7s %8s  %s\n", "attack", "runs", "calls", "refused", "share", "CPU ms",
	       "outcome");
	for (unsigned int n = 0; attack_by_number(n); n++) {
		const struct outcome *o = &g->outcome[n];
		bool bad = o->slow || o->broken || o->stuck || o->wrong;
		char share[16] = "-";

		if (!o->runs)
			continue;
		if (o->worst_percent)
			snprintf(share, sizeof(share), "%u %%", o->worst_percent - 1);
		printf("%-22s %5u %10lu %10lu %7s %8lu  %s%s\n", attack_by_number(n)->name, o->runs, o->done,
		       o->refused, share, o->worst_cpu_ms, bad ? "FAILED: " : o->absent[0] ? "not run: no " : "held",
		       bad ? o->why : o->absent);
	}
	printf("share: the victim's least share of its fair rate; CPU ms: the most after SIGKILL\n");
}

static bool has_devices(unsigned int devices)
{
	for (unsigned int n = devices; n--;) {
		int fd;

		it_use_device(n);
		fd = it_open_fd();
		if (fd < 0) {
			fprintf(stderr, "igen-attack: there are not %u devices\n", devices);
			return false;
		}
		close(fd);
	}
	return true;
}

int rounds_run(const struct rounds_options *options)
{
	double end = now_ms() + options->minutes * 60e3;
	static struct game g;
	int status;

	g.options = options;
	g.seed = options->seed;
	g.victim = shared_memory(sizeof(*g.victim));
	atomic_store(&g.victim->lenient, options->gone);
	g.victim->spoil = options->spoil;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	system_open_nodes();
	shuffle(&g);
	if (!g.chosen) {
		fprintf(stderr, "igen-attack: no attack of that name (see --list)\n");
		return 2;
	}
	if (!has_devices(options->devices))
		return 2;
	printf("igen-attack: seed %u, %u attacks\n", options->seed, g.chosen);
	start_victim(&g);
	g.first = measure(&g, options->alone_ms * options->slow, LEAST_ALONE);
	g.before = g.first;
	while (options->each ? g.rounds < g.chosen : now_ms() < end) {
		play(&g);
		if (!atomic_load(&g.victim->wrong))
			continue;
		replace_victim(&g);
		if (!atomic_load(&g.victim->ready))
			break;
	}

	atomic_store(&g.victim->stop, true);
	if (g.victim_pid && waitpid(g.victim_pid, &status, 0) == g.victim_pid &&
	    (!WIFEXITED(status) || WEXITSTATUS(status)))
		note_death(&g, status);
	if (atomic_load(&g.victim->wrong)) {
		printf("not ok victim: %s\n", g.victim->why);
		g.failures++;
	}
	table(&g);
	printf("victim: %lu batches, %lu comparisons of silent memory, %lu batches again, %lu files, %lu wrong\n",
	       g.total + g.victim->batches, g.victim->checks, g.victim->again, g.victim->lives,
	       g.wrong + g.victim->wrong);
	if (!g.total && !g.victim->batches) {
		printf("not ok: the victim has got no batch done\n");
		g.failures++;
	}
	printf("attack: %u rounds, %u failures\n", g.rounds, g.failures);
	return g.failures || !g.rounds;
}
