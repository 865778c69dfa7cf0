// SPDX-License-Identifier: MIT
/**
 * DOC: The self-test of the judges
 *
 * A victim that finds nothing wrong proves nothing unless its checks can fail. Each case runs one round whose victim
 * damages one thing before its check (enum spoil), or with an attack that misbehaves (a mutant). The run has to fail
 * for that reason: its exit status is 1, and its output has the words of that check. One case damages nothing and has
 * to pass.
 *
 * Attackers are ended by SIGTERM here, since a process cannot refuse SIGKILL, and the bounds of their end are shorter.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define BURN_MS		2500			/* of the CPU, after SIGTERM */
#define CPU_MS		1000			/* the bound for it */
#define SOON_MS		2000			/* bound of cases that reach it */
#define LATE_MS		60000			/* of the others */
#define OUTPUT		"/tmp/igen-attack-selftest"
#define CGROUP		"/tmp/igen-attack-cgroup"

static void idle(struct attacker *a)
{
	(void)a;
}

static void breaks(struct attacker *a)
{
	attack_broken(a, "a mutant says that its defence failed");
}

static void on_term(int number)
{
	struct timespec used, end;

	(void)number;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	end.tv_sec += BURN_MS / 1000;
	end.tv_nsec += BURN_MS % 1000 * 1000000;
	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	} while (used.tv_sec < end.tv_sec || (used.tv_sec == end.tv_sec && used.tv_nsec < end.tv_nsec));
	_exit(0);
}

static void burns(struct attacker *a)
{
	(void)a;
	signal(SIGTERM, on_term);
}

static void stays(struct attacker *a)
{
	(void)a;
	signal(SIGTERM, SIG_IGN);
}

/* A process that the kernel kills for lack of memory, in a control group that has none. */
static void starves(struct attacker *a)
{
	(void)a;
	if (system("mkdir -p " CGROUP " && mount -t cgroup2 none " CGROUP " && cd " CGROUP
		   " && echo +memory > cgroup.subtree_control && mkdir -p small && echo 2M > small/memory.max"
		   " && echo 0 > small/memory.swap.max; exec sh -c 'echo $$ > " CGROUP "/small/cgroup.procs;"
		   " x=$(head -c 64M /dev/zero | tr \"\\\\0\" x)'"))
		return;
}

const struct attack attacks_mutant[] = {
	{ "mutant-idle", 1, ATTACK_MUTANT, idle },
	{ "mutant-broken", 1, ATTACK_MUTANT, breaks },
	{ "mutant-burns", 1, ATTACK_MUTANT, burns },
	{ "mutant-stays", 1, ATTACK_MUTANT, stays },
	{ "mutant-starves", 1, ATTACK_MUTANT | ATTACK_ROOT, starves },
	{ 0 }
};

#define CASE_RATE	0x1u			/* judges the victim's rate */
#define CASE_SOON	0x2u			/* reaches a bound */
#define CASE_GONE	0x4u			/* with the device unbound meanwhile, when errors are no failure */

static const struct selftest {
	const char *name;
	enum spoil spoil;
	const char *attack;
	const char *words;		/* of the output; NULL: the run passes */
	unsigned int flags;
} cases[] = {
	{ "nothing", SPOIL_NOTHING, "mutant-idle", NULL, 0 },
	{ "slot", SPOIL_SLOT, "mutant-idle", "has stored 0", 0 },
	{ "slot-unbound", SPOIL_SLOT, "mutant-idle", "has stored 0", CASE_GONE },
	{ "count", SPOIL_COUNT, "mutant-idle", "have completed", 0 },
	{ "fill", SPOIL_FILL, "mutant-idle", "dword 1023 of a page that the blitter filled is 0", 0 },
	{ "mapping", SPOIL_MAPPING, "mutant-idle", "an object that no batch names: byte", 0 },
	{ "pread", SPOIL_PREAD, "mutant-idle", "an object by pread: byte", 0 },
	{ "zeros", SPOIL_ZEROS, "mutant-idle", "a new object has 1 at 65532", 0 },
	{ "new", SPOIL_NEW, "mutant-idle", "a new object by pread: byte", 0 },
	{ "register", SPOIL_REGISTER, "mutant-idle", "FORCE_TO_NONPRIV 11 was", 0 },
	{ "fence", SPOIL_FENCE, "mutant-idle", "failed: error -5", 0 },
	{ "blame", SPOIL_BLAME, "mutant-idle", "blamed for 1 hangs", 0 },
	{ "context", SPOIL_CONTEXT, "mutant-idle", "submitting to engine 0: error -2", 0 },
	{ "twice", SPOIL_TWICE, "mutant-idle", "batches ran twice", 0 },
	{ "bus", SPOIL_BUS, "mutant-idle", "SIGBUS", 0 },
	{ "death", SPOIL_DEATH, "mutant-idle", "the victim has died: status 9", 0 },
	{ "slow", SPOIL_SLOW, "mutant-idle", "% of its fair rate", CASE_RATE },
	{ "tired", SPOIL_TIRED, "mutant-idle", "% of its first rate afterwards", CASE_RATE },
	{ "stall", SPOIL_STALL, "mutant-idle", "gets no batch done after the attack", CASE_SOON },
	{ "broken", SPOIL_NOTHING, "mutant-broken", "a mutant says that its defence failed", 0 },
	{ "burns", SPOIL_NOTHING, "mutant-burns", "of CPU time after SIGKILL", 0 },
	{ "stays", SPOIL_NOTHING, "mutant-stays", "ms after SIGKILL", CASE_SOON },
};

static unsigned int slowness;

/* The run, as a process of its own, as the command line starts it. */
static int run(const struct selftest *c)
{
	struct rounds_options options = ROUNDS_DEFAULTS;
	int status, fd;
	pid_t pid;

	options.seconds = 1;
	options.each = true;
	options.only = c->attack;
	options.slow = slowness;
	options.rate = c->flags & CASE_RATE;
	options.gone = c->flags & CASE_GONE;
	options.spoil = c->spoil;
	options.stop_signal = SIGTERM;
	options.alone_ms = 1000;
	options.cpu_ms = CPU_MS;
	options.gone_ms = c->flags & CASE_SOON ? SOON_MS : LATE_MS;
	fflush(stdout);
	pid = fork();
	it_expect(pid >= 0, "fork: error %d", errno);
	if (!pid) {
		fd = open(OUTPUT, O_CREAT | O_TRUNC | O_WRONLY, 0600);
		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
			_exit(3);
		exit(rounds_run(&options));
	}
	it_expect(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "the run has died");
	return WEXITSTATUS(status);
}

static void judge(unsigned int number)
{
	const struct selftest *c = &cases[number];
	static char text[1 << 16];
	int status = run(c);

	it_expect(!it_read_file(OUTPUT, text, sizeof(text)), "no output");
	unlink(OUTPUT);
	if (!c->words)
		it_expect(!status, "a run in which nothing is wrong fails:\n%s", text);
	else
		it_expect(status == 1 && strstr(text, c->words), "status %d, expected 1 and \"%s\":\n%s", status,
			  c->words, text);
}

int selftest_run(unsigned int slow)
{
	slowness = slow;
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++)
		it_subtest(judge, i, "selftest-%s", cases[i].name);
	return it_exit();
}
