// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of the validator in the command streamer
 *
 * Commands that the manuals forbid are counted for the driver or the client that wrote them. Allowed commands are not
 * counted. State that a rule remembers stays with its context. The validator never changes what the model executes.
 */
#include "engine_bench.h"

#define OUT	(PA_DATA + 0x000)

#define TLB_WITHOUT_SYNC	MI_FLUSH_DW | MI_FLUSH_DW_TLB_INVALIDATE, 0, 0, 0, 0
#define TLB_RULE "flush-dw-tlb MI_FLUSH_DW: "
#define ARB_RULE "arb-on-at-end end: "

static struct ctx a, b;

/* Findings whose counters' names begin so, from the dump. */
static unsigned long found(const char *who, const char *rule)
{
	char *dump = NULL, *at, group[40], wanted[80];
	size_t size = 0;
	unsigned long n = 0;
	FILE *out = open_memstream(&dump, &size);

	if (!out || counters_write(out) || fclose(out))
		exit(2);
	snprintf(group, sizeof(group), "\"%s\": {", who);
	snprintf(wanted, sizeof(wanted), "\"%s", rule);
	at = strstr(dump, "\"findings\": {");
	at = at ? strstr(at, group) : NULL;
	if (at) {
		*strchr(at, '}') = 0;
		at = strstr(at, wanted);
		if (at)
			n = strtoul(strstr(at, "\": ") + 3, NULL, 10);
	}
	free(dump);
	return n;
}

static unsigned long any(const char *who)
{
	return found(who, "");
}

static void start(struct ctx *c, unsigned int n)
{
	ctx_init(c, n, BCS0_BASE, CTL_NORMAL);
}

static void attribution(void)
{
	start(&a, 0);
	ring(&a, MI_FLUSH_DW, 0, 0, 0, 0);
	check(run(BCS0_BASE, &a) && !any("driver") && !any("user"), "nothing is found in what is allowed");

	start(&a, 0);
	ring(&a, TLB_WITHOUT_SYNC);
	check(run(BCS0_BASE, &a) && found("driver", TLB_RULE) == 1 && !any("user"), "a ring is the driver's");

	start(&a, 0);
	batch(&a, TLB_WITHOUT_SYNC, MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, false);
	check(run(BCS0_BASE, &a) && found("driver", TLB_RULE) == 2 && !any("user"),
	      "a privileged batch is the driver's");

	start(&a, 0);
	batch(&a, TLB_WITHOUT_SYNC, TLB_WITHOUT_SYNC, MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	check(run(BCS0_BASE, &a) && found("driver", TLB_RULE) == 2 && found("user", TLB_RULE) == 2,
	      "a batch of the PPGTT is the user's");

	ctx_init(&a, 0, RCS0_BASE, CTL_NORMAL);
	batch(&a, MI_ARB_CHECK);
	for (unsigned int i = 1; i < 16; i++)
		batch(&a, MI_NOOP);
	image_set(&a, CTX_INDIRECT_CTX, RING_INDIRECT_CTX(RCS0_BASE), a.batch | 1);
	ring(&a, MI_NOOP, MI_NOOP);
	check(run(RCS0_BASE, &a) && found("driver", "arb-check-in-wa MI_ARB_CHECK: ") == 1,
	      "a workaround buffer is the driver's, and known as such");
}

/* Every dword counts, of commands that are skipped too. */
static void whole_commands(void)
{
	ctx_init(&a, 0, RCS0_BASE, CTL_NORMAL);
	batch(&a, 0x70010002, 0, 33, 64, MI_BATCH_BUFFER_END); /* MEDIA_CURBE_LOAD */
	ring_batch(&a, CTX_BATCH, true);
	check(run(RCS0_BASE, &a) && found("user", "curbe-length-aligned MEDIA_CURBE_LOAD: ") == 1,
	      "a command that is skipped is looked at");
	check(!found("user", "cut-off MEDIA_CURBE_LOAD: "), "all of it");
}

static void contexts(void)
{
	unsigned long before;

	start(&a, 0);
	ring(&a, MI_ARB_ON_OFF | MI_ARB_DISABLE, MI_NOOP);
	check(run(BCS0_BASE, &a) && found("driver", ARB_RULE) == 1, "a ring's end is looked at");

	start(&b, 1);
	ring(&b, MI_NOOP, MI_NOOP);
	check(run(BCS0_BASE, &b) && found("driver", ARB_RULE) == 1, "another context has a state of its own");

	image_set(&a, CTX_CONTEXT_CONTROL, RING_CTX_CTL(BCS0_BASE), CTL_NORMAL);
	ring(&a, MI_NOOP, MI_NOOP);
	check(run(BCS0_BASE, &a) && found("driver", ARB_RULE) == 2, "the first one's is kept");

	before = found("driver", ARB_RULE);
	ctx_init(&a, 0, BCS0_BASE, CTL_FRESH);
	ring(&a, MI_NOOP, MI_NOOP);
	check(run(BCS0_BASE, &a) && found("driver", ARB_RULE) == before, "a context that was never saved begins anew");
}

static void effects(void)
{
	start(&a, 0);
	ring(&a, TLB_WITHOUT_SYNC);
	ring(&a, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, GGTT(OUT), 0x1234);
	check(run(BCS0_BASE, &a) && get(OUT) == 0x1234, "a finding does not stop the engine");
	check(counter_value("commands_validated", "bcs0") > 10, "commands that were looked at are counted");
}

static void off(void)
{
	static const char *const set[] = { "validate=off", NULL };

	counters_reset();
	bench_start(set);
	start(&a, 0);
	ring(&a, TLB_WITHOUT_SYNC);
	check(run(BCS0_BASE, &a) && !any("driver") && !counter_value("commands_validated", "bcs0"),
	      "switched off it does nothing");
	bench_stop();
}

int main(void)
{
	bench_start(NULL);
	attribution();
	whole_commands();
	contexts();
	effects();
	bench_stop();
	off();
	return test_end();
}
