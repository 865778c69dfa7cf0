// SPDX-License-Identifier: MIT
/**
 * DOC: igen-model, the program
 *
 * Takes the options, makes the device and its transport, starts QEMU as a child that does not
 * outlive it, serves until QEMU goes, writes the counters, and exits with QEMU's status. A thread
 * of its own takes signals: SIGUSR1 writes the counters now, SIGINT and SIGTERM end QEMU and with
 * it the run.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bus/bus.h"
#include "engine/engine.h"
#include "main/main.h"
#include "mem/mem.h"

#define EXIT_USAGE	2
#define EXIT_FAILED	125		/* the model's own failures; QEMU's statuses are small */
#define EXIT_EXEC	127

struct options {
	const char *transport;
	const char *socket;
	const char *counters;
	const char *registers;
	bool print_bdsm;
	bool plugin;
	char **command;
	struct config config;
};

static atomic_int child_pid;
static const char *counters_path;

static const struct option long_options[] = {
	{ "transport", required_argument, NULL, 't' },
	{ "socket", required_argument, NULL, 's' },
	{ "config", required_argument, NULL, 'c' },
	{ "set", required_argument, NULL, 'S' },
	{ "counters", required_argument, NULL, 'C' },
	{ "registers", required_argument, NULL, 'r' },
	{ "log", required_argument, NULL, 'l' },
	{ "trace", required_argument, NULL, 'T' },
	{ "coherency-plugin", no_argument, NULL, 'p' },
	{ "print-bdsm-size", no_argument, NULL, 'b' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void usage(FILE *out)
{
	fputs("Usage: igen-model [OPTION]... -- QEMU-COMMAND...\n"
	      "A model of an Intel GPU that is a PCI device of the QEMU it starts.\n\n"
	      "  --transport proxy      x-pci-proxy-dev on descriptor 100, qtest on 101 (QEMU 7.2)\n"
	      "  --transport vfio-user  vfio-user on a socket (QEMU 10.1 and later); without a\n"
	      "                         command it serves one client and ends\n"
	      "  --socket PATH          the socket of vfio-user\n"
	      "  --config FILE          lines of KEY = VALUE\n"
	      "  --set KEY=VALUE        one key; later ones win\n"
	      "  --counters FILE        write the counters as JSON at the end and on SIGUSR1;\n"
	      "                         - is standard output\n"
	      "  --registers FILE       append what all registers hold when the guest writes a byte\n"
	      "                         to configuration offset 0xf0\n"
	      "  --log FILE             messages go there, not to standard error\n"
	      "  --trace FILE           write a line for every access\n"
	      "  --coherency-plugin     QEMU has the plugin of tools/vm/coherency/plugin: it finds memory\n"
	      "                         that is shared with it as descriptor 102\n"
	      "  --print-bdsm-size      print the size of stolen memory in bytes and end\n"
	      "  --help                 this text\n\n"
	      "Keys:\n", out);
	config_help(out);
	fputs("\nExit status: QEMU's; 2 for a bad option, 125 when the model failed, 127 when\n"
	      "QEMU could not be started, 128 + n when signal n ended QEMU.\n", out);
}

static void bad(const char *why)
{
	fprintf(stderr, "igen-model: %s\nTry 'igen-model --help'.\n", why);
	exit(EXIT_USAGE);
}

static void parse(int argc, char **argv, struct options *o)
{
	char err[512];
	int c;

	memset(o, 0, sizeof(*o));
	o->transport = "proxy";
	config_init(&o->config);
	while ((c = getopt_long(argc, argv, "+h", long_options, NULL)) != -1) {
		switch (c) {
		case 't':
			o->transport = optarg;
			break;
		case 's':
			o->socket = optarg;
			break;
		case 'c':
			if (config_load(&o->config, optarg, err, sizeof(err)))
				bad(err);
			break;
		case 'S':
			if (config_set(&o->config, optarg, err, sizeof(err)))
				bad(err);
			break;
		case 'C':
			o->counters = optarg;
			break;
		case 'r':
			o->registers = optarg;
			break;
		case 'l':
			if (log_open(optarg)) {
				snprintf(err, sizeof(err), "%s: %s", optarg, strerror(errno));
				bad(err);
			}
			break;
		case 'T':
			if (trace_open(optarg)) {
				snprintf(err, sizeof(err), "%s: %s", optarg, strerror(errno));
				bad(err);
			}
			break;
		case 'p':
			o->plugin = true;
			break;
		case 'b':
			o->print_bdsm = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			fputs("Try 'igen-model --help'.\n", stderr);
			exit(EXIT_USAGE);
		}
	}
	o->command = argv[optind] ? argv + optind : NULL;
	if (config_check(&o->config, err, sizeof(err)))
		bad(err);
	if (o->plugin && o->config.coherency == COHERENCY_STALE)
		bad("--coherency-plugin is not for coherency=stale");
	if (o->print_bdsm)
		return;
	if (strcmp(o->transport, "proxy") && strcmp(o->transport, "vfio-user"))
		bad("--transport is proxy or vfio-user");
	if (!strcmp(o->transport, "proxy") && !o->command)
		bad("no QEMU command after --");
	if (!strcmp(o->transport, "proxy") && o->socket)
		bad("--socket is for --transport vfio-user");
	if (!strcmp(o->transport, "vfio-user") && !o->socket)
		bad("--transport vfio-user needs --socket");
}

/* At the end and on a signal, which may come at once. */
static void dump_counters(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	if (counters_path && counters_dump(counters_path))
		model_log("counters: %s: %s", counters_path, strerror(errno));
	pthread_mutex_unlock(&lock);
}

/* Every other thread has these signals blocked. */
static void *take_signals(void *opaque)
{
	const sigset_t *set = opaque;
	int sig;

	while (!sigwait(set, &sig)) {
		pid_t pid = atomic_load(&child_pid);

		if (sig == SIGUSR1) {
			dump_counters();
			continue;
		}
		model_log("signal %d", sig);
		if (pid > 0) {
			/* QEMU blocked in an access does not hear SIGTERM. */
			kill(pid, SIGKILL);
		} else {
			dump_counters();
			log_close();
			_exit(128 + sig);
		}
	}
	return NULL;
}

static pid_t start_qemu(struct transport *t, char **command, const sigset_t *unblock)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid)
		return pid;
	/* The child dies with the model, which may be gone by now. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(EXIT_EXEC);
	sigprocmask(SIG_UNBLOCK, unblock, NULL);
	if (t->child_setup(t)) {
		fprintf(stderr, "igen-model: cannot hand the sockets over: %s\n", strerror(errno));
		_exit(EXIT_EXEC);
	}
	execvp(command[0], command);
	fprintf(stderr, "igen-model: %s: %s\n", command[0], strerror(errno));
	_exit(EXIT_EXEC);
}

/* QEMU's status, as a shell would give it. */
static int wait_for_qemu(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILED;
	atomic_store(&child_pid, 0);
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

static int run(const struct options *o)
{
	enum serve_result result;
	struct transport *t;
	pthread_t signals;
	static sigset_t set;
	struct gpu *gpu;
	int pidfd = -1, status = 0;
	pid_t pid = 0;

	counters_path = o->counters;
	gpu = gpu_new(&o->config);
	if (!gpu)
		model_die("no memory for the device");
	gpu->counters_path = o->counters;
	gpu->registers_path = o->registers;
	if (o->plugin && coherency_share(gpu))
		model_die("--coherency-plugin: %s", strerror(errno));
	if (!strcmp(o->transport, "proxy"))
		t = transport_proxy_new(gpu);
	else
		t = transport_vfio_user_new(gpu, o->socket);
	if (!t) {
		model_log("%s: %s", o->socket ? o->socket : o->transport, strerror(errno));
		gpu_free(gpu);
		return EXIT_FAILED;
	}
	gpu->transport = t;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* The child is started before there are threads that could hold a lock over the fork. */
	if (o->command) {
		pid = start_qemu(t, o->command, &set);
		if (pid < 0)
			model_die("fork: %s", strerror(errno));
		atomic_store(&child_pid, pid);
		pidfd = pidfd_open(pid, 0);
	}
	if (t->parent_setup(t, pidfd) || pthread_create(&signals, NULL, take_signals, &set))
		model_die("cannot start a thread");
	pthread_detach(signals);
	if (engines_start(gpu) || posted_start(gpu))
		model_die("cannot start the engines");

	result = t->serve(t);
	if (pid > 0) {
		if (result == SERVE_BROKEN)
			kill(pid, SIGKILL);
		status = wait_for_qemu(pid);
	}
	if (result == SERVE_BROKEN && status != EXIT_EXEC)
		status = EXIT_FAILED;
	posted_stop(gpu);
	engines_stop(gpu);
	coherency_count(gpu);
	dump_counters();
	t->close(t);
	gpu->transport = NULL;
	gpu_free(gpu);
	if (pidfd >= 0)
		close(pidfd);
	log_close();
	return status;
}

int main(int argc, char **argv)
{
	struct options o;

	parse(argc, argv, &o);
	if (o.print_bdsm) {
		printf("%llu\n", (unsigned long long)config_stolen_bytes(&o.config));
		return fflush(stdout) ? 1 : 0;
	}
	return run(&o);
}
