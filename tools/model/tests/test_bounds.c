// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of the host resources that a guest can make the model use
 *
 * The guest runs what it likes on the engines and writes what it likes to the registers. What that costs the host has
 * a bound: lines of the log, names of counters, snapshots of the registers.
 */
#include <sys/stat.h>

#include "engine_bench.h"

#define BASE	BCS0_BASE

/* A file that is deleted, and its path as long as the test has it open. */
static FILE *scratch(char *path, size_t size)
{
	FILE *f = tmpfile();

	if (!f)
		exit(2);
	snprintf(path, size, "/proc/self/fd/%d", fileno(f));
	return f;
}

static unsigned int lines_of(FILE *f, const char *with)
{
	char line[1024];
	unsigned int n = 0;

	rewind(f);
	while (fgets(line, sizeof(line), f))
		n += !with || strstr(line, with);
	return n;
}

/* Each place in the source has 64 lines and one a second. */
static void test_log_rate(void)
{
	uint64_t start = now_ns();
	unsigned int seconds;
	char path[64];
	FILE *f = scratch(path, sizeof(path));

	gpu = test_gpu(NULL);
	if (log_open(path))
		exit(2);
	for (unsigned int i = 0; i < 20000; i++)
		wr(PCODE_MAILBOX, PCODE_READY | 0xff);
	seconds = (unsigned int)((now_ns() - start) / 1000000000);
	log_close();
	check(lines_of(f, "pcode") >= 64 && lines_of(f, "pcode: unknown") <= 64 + seconds + 1,
	      "the log has a burst of lines from a place, then one a second");
	check(lines_of(f, "were left out") >= 1, "and tells how many were left out");
	fclose(f);
	gpu_free(gpu);
}

/* All places together: last, as nothing is logged afterwards. */
static void test_log_size(void)
{
	static struct log_site sites[5000];
	struct stat st;
	char path[64];
	FILE *f = scratch(path, sizeof(path));

	if (log_open(path))
		exit(2);
	for (size_t i = 0; i < ARRAY_SIZE(sites); i++)
		for (unsigned int k = 0; k < 64; k++)
			model_log_at(&sites[i], "%0100u", k);
	/* The sites' last lines tell what was left out: the log has no room for them either. */
	for (size_t i = 0; i < ARRAY_SIZE(sites); i++)
		sites[i].left_out = 0;
	log_close();
	check(!fstat(fileno(f), &st) && st.st_size > (15 << 20) && st.st_size < (17 << 20),
	      "the log ends at 16 MB");
	check(lines_of(f, "ends here") == 1, "and says so");
	fclose(f);
}

static void test_names(void)
{
	unsigned int wrong = 0;
	char name[32];

	counters_reset();
	for (unsigned int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "%u", i);
		count("bounds", name, 1);
	}
	check(counters_names("bounds") == 1025, "a group has a thousand names and \"other\"");
	check(counter_value("bounds", "other") == 5000 - 1024 && counter_value("bounds", "7") == 1,
	      "which has the rest");
	count("bounds", "7", 1);
	check(counter_value("bounds", "7") == 2, "names from before are counted on");
	/* The table of counters grows: all are found again. */
	for (unsigned int g = 0; g < 12; g++) {
		char group[32];

		snprintf(group, sizeof(group), "bounds%u", g);
		for (unsigned int i = 0; i < 1000; i++) {
			snprintf(name, sizeof(name), "%u", i);
			count(group, name, i);
		}
	}
	for (unsigned int g = 0; g < 12; g++) {
		char group[32];

		snprintf(group, sizeof(group), "bounds%u", g);
		for (unsigned int i = 0; i < 1000; i++) {
			snprintf(name, sizeof(name), "%u", i);
			wrong += counter_value(group, name) != i;
		}
	}
	check(!wrong, "counters are found in a table that has grown");
}

/* The operand bits of an opcode that the decoder does not know make no names. */
static void test_unknown_opcodes(void)
{
	static const char *const lax[] = { "strict=off", "validate=off", NULL };
	struct ctx a;
	unsigned int before = counters_names("unknown_opcodes");

	counters_reset();
	bench_start(lax);
	ctx_init(&a, 0, BASE, CTL_FRESH);
	for (uint32_t i = 0; i < 2000; i++)
		batch(&a, 0xdead0000 | i);
	batch(&a, MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	check(run(BASE, &a) && counter_value("unknown_opcodes", "dead0000") == 2000 &&
	      counters_names("unknown_opcodes") <= before + 1,
	      "unknown opcodes are named by the bits that the decoder looks at");
	bench_stop();
}

/* Registers that a user's batch may not write, on an engine that checks them. */
static void test_registers(void)
{
	struct ctx a;

	counters_reset();
	bench_start((const char *const[]){ "validate=off", NULL });
	ctx_init(&a, 0, RCS0_BASE, CTL_FRESH);
	for (uint32_t i = 0; i < 2500; i++)
		batch(&a, MI_LOAD_REGISTER_IMM(1), 0x100000 + i * 4, 0);
	batch(&a, MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	check(run(RCS0_BASE, &a) && counters_names("privileged_noops") <= 1025 &&
	      counter_value("privileged_noops", "other") >= 2500 - 1024,
	      "registers that batches may not write are counted under a bounded number of names");
	bench_stop();
}

static void test_snapshots(void)
{
	char path[64];
	FILE *f = scratch(path, sizeof(path));

	counters_reset();
	gpu = test_gpu(NULL);
	gpu->registers_path = path;
	for (unsigned int i = 0; i < 70; i++)
		pci_cfg_write(gpu, 0xf0, 1, i);
	check(lines_of(f, "snapshot") == 64 && counter_value("stray_accesses", "snapshots") == 6,
	      "a run writes 64 snapshots of the registers");
	gpu_free(gpu);
	fclose(f);
}

int main(void)
{
	test_names();
	test_unknown_opcodes();
	test_registers();
	test_snapshots();
	test_log_rate();
	test_log_size();
	return test_end();
}
