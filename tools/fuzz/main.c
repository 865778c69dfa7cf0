// SPDX-License-Identifier: MIT
/*
 * DOC: The parent
 *
 * Starts lanes, starts them again when they end, reads the kernel's messages, and stops at the first that is a report.
 * A program that takes too long is killed; one that even so does not end is a finding.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

/* A program gets this long for each lane there is; after SIGKILL user memory may keep its process for a while. */
#define PROGRAM_NS	(5 * 1000000000ull)
#define DEATH_NS	(100 * 1000000000ull)

/* More resets in ten seconds than this, and for the next ten no batch is made that hangs on purpose. */
#define RESETS_OF_10_S	8

enum { CLEAN, REPORT, USAGE, HANG };

static const char usage[] =
	"usage: igen-fuzz [--seconds N] [--seed N] [--lanes N] [--scratch DIR] [--corpus FILE] [--reports REGEX]\n"
	"       igen-fuzz --replay FILE [--rounds N] [--lanes N] [--scratch DIR] [--reports REGEX]\n"
	"       igen-fuzz --calls | --parse FILE\n"
	"\n"
	"Runs random programs of ioctls on igen, in a guest, for some seconds, or those of a file. Ends at the first kernel\n"
	"message that matches REGEX. The scratch folder gets the last programs of each lane, the corpus, and what was done.\n"
	"  --plant     the call \"crash\" crashes the kernel when its object and its context exist\n"
	"  --no-cover  without KCOV\n"
	"  --results   prints what each ioctl came to\n"
	"  --calls     lists the calls and their arguments; --parse reads a file of programs and prints it\n"
	"Exit status: 0 nothing found, 1 a kernel report, 2 wrong usage or no device, 3 a program that does not end.\n";

struct options {
	unsigned int seconds, lanes, rounds;
	uint64_t seed;
	const char *scratch, *corpus, *replay, *reports;
};

static struct shared *shared;
static uint64_t killed, wedged, first_resets;

static char *file_text(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t room = 1 << 20, n = 0, more;
	char *text = malloc(room);

	if (!file || !text) {
		fprintf(stderr, "igen-fuzz: %s: %s\n", path, strerror(errno));
		exit(USAGE);
	}
	while ((more = fread(text + n, 1, room - n - 1, file)) > 0) {
		n += more;
		if (n + 1 == room) {
			room *= 2;
			text = realloc(text, room);
			if (!text)
				exit(USAGE);
		}
	}
	text[n] = 0;
	fclose(file);
	return text;
}

/* Reads programs; returns how many. */
static uint32_t read_programs(const char *path, struct program *to, uint32_t most)
{
	char *text = file_text(path), error[200];
	const char *next = text;
	uint32_t n = 0;

	while (n < most) {
		next = program_parse(&to[n], next, error, sizeof(error));
		if (!next)
			break;
		n++;
	}
	if (!next && error[0]) {
		fprintf(stderr, "igen-fuzz: %s, program %u: %s\n", path, n, error);
		exit(USAGE);
	}
	free(text);
	return n;
}

static void write_corpus(const char *dir)
{
	uint32_t count = atomic_load(&shared->corpus_count), n;
	static char text[RECORD_BYTES];
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/corpus", dir);
	file = fopen(path, "w");
	if (!file)
		return;
	for (n = 0; n < count && n < CORPUS_MAX; n++) {
		if (!atomic_load(&shared->ready[n]))
			continue;
		program_print(&shared->corpus[n], text, sizeof(text));
		fputs(text, file);
	}
	fclose(file);
}

static void print_counts(FILE *to)
{
	uint32_t corpus = atomic_load(&shared->corpus_count);
	uint64_t resets = files_resets();

	fprintf(to, "programs=%llu calls=%llu edges=%llu corpus=%u resets=%llu killed=%llu wedged=%llu\n",
		(unsigned long long)atomic_load(&shared->programs), (unsigned long long)atomic_load(&shared->calls),
		(unsigned long long)atomic_load(&shared->edges), corpus < CORPUS_MAX ? corpus : CORPUS_MAX,
		(unsigned long long)(resets > first_resets ? resets - first_resets : 0), (unsigned long long)killed,
		(unsigned long long)wedged);
}

static void write_status(const char *dir)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/status", dir);
	file = fopen(path, "w");
	if (!file)
		return;
	print_counts(file);
	fclose(file);
}

/* Writes the program that each lane was running, as a help to find the cause. */
static void write_running(const char *dir, const char *why, unsigned int lanes)
{
	char path[512];
	unsigned int i;
	FILE *file;

	snprintf(path, sizeof(path), "%s/running", dir);
	file = fopen(path, "w");
	if (!file)
		return;
	fprintf(file, "%s\n", why);
	for (i = 0; i < lanes; i++)
		fprintf(file, "lane %u program %llu call %u%s\n", i,
			(unsigned long long)atomic_load(&shared->lane[i].number), atomic_load(&shared->lane[i].at),
			atomic_load(&shared->lane[i].started) ? "" : " done");
	fclose(file);
}

static void start_lane(const struct options *o, unsigned int lane, unsigned int generation)
{
	/* A replay goes on behind the program that was killed, which would be the next time as well. */
	const uint64_t first = o->rounds && generation ? atomic_load(&shared->lane[lane].number) + 1 : 0;
	pid_t pid;

	atomic_store(&shared->lane[lane].started, 0);
	pid = fork();
	if (!pid)
		lane_main(shared, lane, o->seed + 1000003ull * generation + 7919ull * lane, o->scratch, o->rounds,
			  first);
	atomic_store(&shared->lane[lane].pid, pid);
}

/* Reads what the kernel says; the first report is left in text. */
static bool kernel_report(int kmsg, const regex_t *reports, char *text, size_t bytes)
{
	char record[8192], *message;
	ssize_t n;

	for (;;) {
		n = read(kmsg, record, sizeof(record) - 1);
		/* EPIPE: messages were lost; those that are there come next. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			return false;
		record[n] = 0;
		message = strchr(record, ';');
		if (!message || regexec(reports, message + 1, 0, NULL, 0))
			continue;
		snprintf(text, bytes, "%.*s", (int)strcspn(message + 1, "\n"), message + 1);
		return true;
	}
}

/* Kills what takes too long: a program, or to end when told to (0: not yet). Returns whether a process would not go. */
static bool watch_lane(unsigned int lane, unsigned int lanes, uint64_t told, uint64_t *killed_at)
{
	const uint64_t started = atomic_load(&shared->lane[lane].started) ?: told, now = now_ns();
	const int pid = atomic_load(&shared->lane[lane].pid);

	if (*killed_at)
		return now > *killed_at + DEATH_NS;
	if (pid > 0 && started && now > started + lanes * PROGRAM_NS) {
		kill(pid, SIGKILL);
		*killed_at = now;
		killed++;
	}
	return false;
}

static void show_blocked(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);

	/* The stacks of all that blocks go into the kernel log. */
	if (fd >= 0) {
		if (write(fd, "w", 1) != 1)
			perror("igen-fuzz: sysrq");
		close(fd);
	}
}

static int supervise(const struct options *o, int kmsg, const regex_t *reports)
{
	uint64_t killed_at[MAX_LANES] = { 0 }, end = now_ns() + o->seconds * 1000000000ull;
	uint64_t second = 0, ten = 0, last_resets = files_resets(), resets;
	unsigned int generation[MAX_LANES] = { 0 }, alive = o->lanes, i;
	struct pollfd wait = { .fd = kmsg, .events = POLLIN };
	bool stopping = false;
	char text[400];
	int status;

	for (i = 0; i < o->lanes; i++)
		start_lane(o, i, 0);
	while (alive) {
		poll(&wait, 1, 50);
		if (kernel_report(kmsg, reports, text, sizeof(text))) {
			write_running(o->scratch, text, o->lanes);
			printf("igen-fuzz: kernel report: %s\n", text);
			return REPORT;
		}
		if (!o->rounds && !stopping && now_ns() > end) {
			atomic_store(&shared->stop, 1);
			stopping = true;
		}
		for (i = 0; i < o->lanes; i++) {
			const int pid = atomic_load(&shared->lane[i].pid);

			if (!pid)
				continue;
			if (waitpid(pid, &status, WNOHANG) == pid) {
				killed_at[i] = 0;
				atomic_store(&shared->lane[i].pid, 0);
				if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
					return USAGE;
				if (stopping || (o->rounds && WIFEXITED(status)))
					alive--;
				else
					start_lane(o, i, ++generation[i]);
			} else if (watch_lane(i, o->lanes, stopping ? end : 0, &killed_at[i])) {
				snprintf(text, sizeof(text), "lane %u did not end %llu s after SIGKILL", i,
					 DEATH_NS / 1000000000);
				write_running(o->scratch, text, o->lanes);
				show_blocked();
				printf("igen-fuzz: hang: %s\n", text);
				return HANG;
			}
		}
		if (now_ns() < second)
			continue;
		second = now_ns() + 1000000000ull;
		wedged += files_repair();
		write_status(o->scratch);
		if (now_ns() < ten)
			continue;
		ten = now_ns() + 10 * 1000000000ull;
		resets = files_resets();
		atomic_store(&shared->calm, resets > last_resets + RESETS_OF_10_S);
		last_resets = resets;
		if (!o->rounds)
			write_corpus(o->scratch);
	}
	return CLEAN;
}

static void list_calls(void)
{
	static const char * const types[] = { "new", "slot", "one of", "flags", "number", "size", "place" };
	unsigned int i, j;

	for (i = 0; i < num_ops; i++) {
		printf("%s", ops[i].name);
		for (j = 0; j < MAX_ARGS && ops[i].arg[j].name; j++)
			printf(" %s(%s)", ops[i].arg[j].name, types[ops[i].arg[j].type]);
		printf("\n");
	}
}

static int parse_only(const char *path)
{
	static char text[RECORD_BYTES];
	uint32_t n = read_programs(path, shared->replay, CORPUS_MAX), i;

	for (i = 0; i < n; i++) {
		program_print(&shared->replay[i], text, sizeof(text));
		fputs(text, stdout);
	}
	return CLEAN;
}

static unsigned int whole(const char *text, unsigned int least, unsigned int most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (*end || end == text || value < least || value > most) {
		fprintf(stderr, "igen-fuzz: '%s' is not a number from %u to %u\n", text, least, most);
		exit(USAGE);
	}
	return value;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seconds", 1, NULL, 's' }, { "seed", 1, NULL, 'S' }, { "lanes", 1, NULL, 'l' },
		{ "scratch", 1, NULL, 'd' }, { "corpus", 1, NULL, 'c' }, { "replay", 1, NULL, 'r' },
		{ "rounds", 1, NULL, 'n' }, { "reports", 1, NULL, 'e' }, { "plant", 0, NULL, 'p' },
		{ "no-cover", 0, NULL, 'x' }, { "calls", 0, NULL, 'C' }, { "parse", 1, NULL, 'P' },
		{ "results", 0, NULL, 'R' },
		{ "help", 0, NULL, 'h' }, { 0 }
	};
	struct options o = { .seconds = 60, .lanes = 2, .seed = 1, .scratch = "/tmp", .reports = "BUG:|WARNING:" };
	const char *parse = NULL;
	struct cover cover;
	regex_t reports;
	int option, kmsg, ret;

	o.rounds = 1;
	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (option) {
		case 's':
			o.seconds = whole(optarg, 1, 1000000);
			break;
		case 'S':
			o.seed = whole(optarg, 0, ~0u);
			break;
		case 'l':
			o.lanes = whole(optarg, 1, MAX_LANES);
			break;
		case 'n':
			o.rounds = whole(optarg, 1, 1000000);
			break;
		case 'd':
			o.scratch = optarg;
			break;
		case 'c':
			o.corpus = optarg;
			break;
		case 'r':
			o.replay = optarg;
			break;
		case 'e':
			o.reports = optarg;
			break;
		case 'p':
			may_crash = true;
			break;
		case 'x':
			no_cover = true;
			break;
		case 'P':
			parse = optarg;
			break;
		case 'R':
			say_results = true;
			setlinebuf(stdout);
			break;
		case 'C':
			list_calls();
			return CLEAN;
		case 'h':
			fputs(usage, stdout);
			return CLEAN;
		default:
			fputs(usage, stderr);
			return USAGE;
		}
	}
	if (regcomp(&reports, o.reports, REG_EXTENDED | REG_NOSUB)) {
		fprintf(stderr, "igen-fuzz: '%s' is no regular expression\n", o.reports);
		return USAGE;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		perror("igen-fuzz: memory");
		return USAGE;
	}
	if (parse)
		return parse_only(parse);
	if (!o.replay)
		o.rounds = 0;
	if (access("/dev/dri/renderD128", R_OK | W_OK)) {
		perror("igen-fuzz: /dev/dri/renderD128");
		return USAGE;
	}
	if (o.replay) {
		shared->replays = read_programs(o.replay, shared->replay, CORPUS_MAX);
		if (!shared->replays) {
			fprintf(stderr, "igen-fuzz: no program in %s\n", o.replay);
			return USAGE;
		}
	}
	if (o.corpus) {
		uint32_t n, count = read_programs(o.corpus, shared->corpus, CORPUS_MAX);

		atomic_store(&shared->corpus_count, count);
		atomic_store(&shared->firsts, count);
		for (n = 0; n < count; n++)
			atomic_store(&shared->ready[n], 1);
	}
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0) {
		perror("igen-fuzz: /dev/kmsg");
		return USAGE;
	}
	/* In a child: the parent's own calls are not what is of interest. */
	if (!fork())
		_exit(!cover_open(&cover));
	if (wait(&ret) > 0 && ret) {
		printf("igen-fuzz: no coverage\n");
		no_cover = true;
	}
	files_find();
	files_repair();
	first_resets = files_resets();
	ret = supervise(&o, kmsg, &reports);
	if (!o.replay)
		write_corpus(o.scratch);
	write_status(o.scratch);
	printf("igen-fuzz: ");
	print_counts(stdout);
	return ret;
}
