// SPDX-License-Identifier: MIT
/**
 * DOC: Running one input, and the invariants that are checked after each
 *
 * The first byte chooses the part of the model that the input goes to. Afterwards the bounds are checked that the model
 * keeps against its guest: processor time, lines of the log, names of counters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/base.h"
#include "fuzz.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#endif

/* The time of one input. No input needs a tenth of it; a blit that nothing stops needs a hundred times as much. */
#define CPU_LIMIT_S	20.0
/* Each of the places that log has 64 lines of less than 300 bytes, and one a second. */
#define LOG_LIMIT	(2u << 20)

/* First bytes for programs, and for those on the library alone; the others follow each other in eights. */
#define PROGRAMS	0xe0u
#define LIBRARY		0xf0u

static FILE *log_file;
static off_t log_before;

void fuzz_fail(const char *what)
{
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

double fuzz_cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

void fuzz_poison(const void *p, size_t size)
{
#ifdef WITH_ASAN
	__asan_poison_memory_region(p, size);
#else
	(void)p;
	(void)size;
#endif
}

void fuzz_unpoison(const void *p, size_t size)
{
#ifdef WITH_ASAN
	__asan_unpoison_memory_region(p, size);
#else
	(void)p;
	(void)size;
#endif
}

static void start_log(void)
{
	char path[64];

	log_file = tmpfile();
	if (!log_file)
		exit(2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(log_file));
	if (log_open(path))
		exit(2);
}

static void check_bounds(double cpu)
{
	static const char *const groups[] = {
		"unknown_opcodes", "privileged_noops", "privilege_violations", "commands_without_effect",
		"engine_unimplemented_registers", "forcewake_missing", "engine_halts", "stray_accesses",
		"unchecked", "eu_faults",
	};
	struct stat st;

	if (cpu > CPU_LIMIT_S)
		fuzz_fail("an input took too much processor time");
	if (fstat(fileno(log_file), &st) || st.st_size - log_before > LOG_LIMIT)
		fuzz_fail("an input wrote too much into the log");
	log_before = st.st_size;
	for (size_t i = 0; i < ELEMENTS(groups); i++)
		if (counters_names(groups[i]) > 1025)
			fuzz_fail("a group of counters has too many names");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	double start = fuzz_cpu_seconds();
	unsigned int part;

	if (!log_file)
		start_log();
	part = take8(&in);
	/* Inputs of other parts reach nothing, so that none of them is kept. */
	if (part < PROGRAMS && getenv("IGEN_FUZZ_PROGRAMS"))
		return 0;
	switch (part < PROGRAMS ? part % 8 : part < LIBRARY ? PROGRAMS : LIBRARY) {
	case 0:
		fuzz_proxy(&in);
		break;
	case 1:
		fuzz_vfio_user(&in);
		break;
	case 2:
	case 3:
		fuzz_blit(&in);
		break;
	case PROGRAMS:
		fuzz_programs(&in);
		break;
	case LIBRARY:
		fuzz_eu(&in);
		break;
	default:
		fuzz_engines(&in);
		break;
	}
	check_bounds(fuzz_cpu_seconds() - start);
	return 0;
}
