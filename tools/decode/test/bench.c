// SPDX-License-Identifier: MIT
/**
 * DOC: Speed of the decoder
 *
 * A batch of all the commands that an engine has, each in its usual length with random fields,
 * repeated to 16 MB. Four measures, each of all of it: stepping; every field's value; the
 * validator; the printed dump. The figures are printed and judge nothing: a machine's load is no
 * fault of the decoder.
 */
#include <stdlib.h>
#include <time.h>

#include "check.h"

#define BATCH_DWORDS (4u << 20)

static __u64 rng = 0x16e5916;

static __u32 next_random(void)
{
	rng ^= rng >> 12;
	rng ^= rng << 25;
	rng ^= rng >> 27;
	return rng * 0x2545f4914f6cdd1dull >> 32;
}

static size_t fill(const struct igen_cmd_set *set, enum igen_cmd_engine engine, __u32 *dw)
{
	unsigned int i, k, length;
	size_t n = 0;

	for (;;) {
		for (i = 0; i < set->ncmds; i++) {
			const struct igen_cmd *cmd = &set->cmds[i];

			length = cmd->length;
			if (!(cmd->engines & 1 << engine) || length > 64)
				continue;
			if (n + length > BATCH_DWORDS)
				return n;
			dw[n] = cmd->match | (cmd->length_bits ? length - cmd->bias : 0);
			for (k = 1; k < length; k++)
				dw[n + k] = next_random();
			n += length;
		}
	}
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

struct work {
	const struct igen_decoder *d;
	struct igen_check check;
	struct igen_print print;
	unsigned long commands, fields;
	__u64 sum;
};

static void step_only(struct work *w, const struct igen_inst *inst)
{
	w->commands++;
	w->sum += inst->length;
}

static void all_fields(struct work *w, const struct igen_inst *inst)
{
	unsigned int k, i;

	for (k = 0; k < inst->cmd->nfields; k++) {
		const struct igen_cmd_field *f = &inst->cmd->fields[k];

		for (i = 0; i < f->count && igen_field_present(f, i, inst->have); i++, w->fields++)
			w->sum += igen_field_bits(f, i, inst->dw);
	}
}

static void checked(struct work *w, const struct igen_inst *inst)
{
	igen_check_inst(&w->check, inst, 0);
}

static void printed(struct work *w, const struct igen_inst *inst)
{
	igen_print_inst(&w->print, inst, 0);
}

static void measure(const char *name, struct work *w, const __u32 *dw, size_t n,
		    void (*what)(struct work *w, const struct igen_inst *inst))
{
	double start = seconds(), took;
	struct igen_inst inst;
	size_t i;

	for (i = 0; i < n;) {
		i += igen_step(w->d, dw + i, n - i, &inst);
		what(w, &inst);
	}
	took = seconds() - start;
	printf("%-12s %8.0f MB/s\n", name, n * 4 / 1e6 / (took > 0 ? took : 1));
}

int main(void)
{
	static struct igen_decoder d;
	static struct work w = { .d = &d };
	__u32 *dw = malloc(BATCH_DWORDS * sizeof(*dw));
	size_t n;

	if (!dw)
		return 2;
	w.print.out = fopen("/dev/null", "w");
	if (!w.print.out) {
		free(dw);
		return 2;
	}
	igen_decoder_init(&d, &igen_cmds_gen12, IGEN_CMD_RENDER);
	igen_check_init(&w.check, d.set, d.engine, NULL, NULL);
	n = fill(d.set, d.engine, dw);
	measure("stepping", &w, dw, n, step_only);
	measure("all fields", &w, dw, n, all_fields);
	measure("validator", &w, dw, n, checked);
	measure("dump", &w, dw, n < (1u << 19) ? n : 1u << 19, printed);
	printf("%lu commands, %lu fields, sum %llx\n", w.commands, w.fields,
	       (unsigned long long)w.sum);
	free(dw);
	return 0;
}
