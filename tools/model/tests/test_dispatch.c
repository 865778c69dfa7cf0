// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of handlers that are found by name, and of commands that are too short for theirs
 *
 * A mistake in a table of handlers is found, each command of the platform has what its table says, and a command that
 * is shorter than engines take is refused before its handler sees it.
 */
#include "engine_bench.h"
#include "igen/cmd/blt.h"

#define OUT	(PA_DATA + 0x000)

static const struct {
	const char *name;
	uint32_t base, header;
	unsigned int dwords;		/* the most that is too short */
} shorter[] = {
	{ "MI_STORE_DATA_IMM", RCS0_BASE, MI_STORE_DATA_IMM_DW, 3 },
	{ "MI_STORE_DATA_INDEX", RCS0_BASE, MI_STORE_DATA_INDEX, 2 },
	{ "MI_LOAD_REGISTER_IMM", VECS0_BASE, MI_LOAD_REGISTER_IMM(1), 2 },
	{ "MI_LOAD_REGISTER_MEM", RCS0_BASE, MI_LOAD_REGISTER_MEM, 3 },
	{ "MI_STORE_REGISTER_MEM", BCS0_BASE, MI_STORE_REGISTER_MEM, 3 },
	{ "MI_COPY_MEM_MEM", RCS0_BASE, MI_COPY_MEM_MEM, 4 },
	{ "MI_ATOMIC", RCS0_BASE, MI_ATOMIC, 2 },
	{ "MI_SEMAPHORE_WAIT", RCS0_BASE, MI_SEMAPHORE_WAIT, 3 },
	{ "MI_BATCH_BUFFER_START", RCS0_BASE, MI_BATCH_BUFFER_START, 2 },
	{ "PIPE_CONTROL", RCS0_BASE, PIPE_CONTROL, 4 },
	{ "GPGPU_WALKER", RCS0_BASE, GPGPU_WALKER, 14 },
	{ "XY_COLOR_BLT", BCS0_BASE, XY_COLOR_BLT, 6 },
	{ "XY_FAST_COPY_BLT", BCS0_BASE, XY_FAST_COPY_BLT, 9 },
	{ "XY_SRC_COPY_BLT", BCS0_BASE, XY_SRC_COPY_BLT, 9 },
};

static uint32_t with_length(uint32_t header, unsigned int dwords)
{
	return (header & ~0xffu) | (dwords - 2);
}

/* Names that are none, twice there, and of another generation than the platform's. */
static void test_names(void)
{
	static const struct cs_handler typo[] = { { "MI_NOOP" }, { "MI_STORE_DATE_IMM" }, { NULL } };
	static const struct cs_handler twice[] = { { "MI_NOOP" }, { "MI_ATOMIC" }, { "MI_NOOP" }, { NULL } };
	static const struct cs_handler again[] = {
		{ "MI_NOOP", .set = &igen_cmds_gen9 }, { "MI_NOOP", .set = &igen_cmds_gen9 }, { NULL },
	};
	static const struct cs_handler all[] = { { "MI_NOOP", .set = &igen_cmds_gen9 }, { "MI_NOOP" }, { NULL } };
	static const struct cs_handler each[] = {
		{ "MI_NOOP", .set = &igen_cmds_gen9 }, { "MI_NOOP", .set = &igen_cmds_gen12 }, { NULL },
	};
	static const struct cs_handler other[] = { { "MI_SEMAPHORE_MBOX" }, { NULL } };
	static const struct blt_command blits[] = { { "XY_COLOR_BLT" }, { "XY_COLOUR_BLT" }, { NULL } };
	static const struct blt_command same[] = { { "XY_TEXT_BLT" }, { "XY_TEXT_BLT" }, { NULL } };
	const char *name;

	name = cs_unknown_handler(typo);
	check(name && !strcmp(name, "MI_STORE_DATE_IMM"), "a name that no generation has is found");
	name = cs_unknown_handler(twice);
	check(name && !strcmp(name, "MI_NOOP"), "a name that is there twice is found");
	check(cs_unknown_handler(again) && cs_unknown_handler(all), "and one that is there twice for a generation");
	check(!cs_unknown_handler(each), "each generation may have a handler of its own");
	check(!cs_unknown_handler(other), "a command that other generations alone have is no mistake");
	check(!cs_unknown_handler(cs_handlers), "the model's own table has no mistake");
	name = cs_unknown_blit(blits);
	check(name && !strcmp(name, "XY_COLOUR_BLT"), "a blitter command that no generation has is found");
	check(cs_unknown_blit(same), "a blitter command that is there twice is found");
	check(!cs_unknown_blit(blt_commands), "the blitter's own table has no mistake");
}

/* Each command of a generation has the handler of its row, if it has one. */
static void test_sets(void)
{
	static const struct igen_cmd_set *const sets[] = {
		&igen_cmds_gen6, &igen_cmds_gen7, &igen_cmds_gen9, &igen_cmds_gen12,
	};

	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		const struct cs_dispatch *d = cs_dispatch_of(sets[i]);
		unsigned int named = 0, blits = 0, wrong = 0;

		for (unsigned int k = 0; k < sets[i]->ncmds; k++) {
			const struct igen_cmd *cmd = &sets[i]->cmds[k];

			wrong += !d[k].execute || (d[k].least && d[k].least != cmd->takes);
			for (const struct cs_handler *h = cs_handlers; h->name; h++) {
				if (strcmp(h->name, cmd->name) || (h->set && h->set != sets[i]))
					continue;
				named++;
				wrong += d[k].execute != h->execute;
			}
			for (const struct blt_command *b = blt_commands; b->name; b++) {
				if (strcmp(b->name, cmd->name))
					continue;
				blits++;
				wrong += d[k].execute != cs_blit || d[k].blt != b;
			}
		}
		check(!wrong && named > 15, "Gen%u: %u commands have handlers of their names", sets[i]->gen, named);
		/* Gen6 and Gen7 have no fast copy. */
		check(blits >= 19, "Gen%u: %u blitter commands have what is done for their names", sets[i]->gen, blits);
	}
}

/* A batch with one command that is too short, and a store behind it. Does the engine come to the end? */
static bool runs(struct ctx *c, uint32_t base, uint32_t header, unsigned int dwords)
{
	ctx_init(c, 0, base, CTL_FRESH);
	put(OUT, 0);
	batch(c, with_length(header, dwords));
	for (unsigned int i = 1; i < dwords; i++)
		batch(c, MI_NOOP);
	batch(c, MI_STORE_DATA_IMM_DW, PPGTT(OUT), 1, MI_BATCH_BUFFER_END);
	ring_batch(c, CTX_BATCH, true);
	submit(base, c);
	return wait_for(idle(base) || rd(RING_ESR(base)) & EIR_INSTRUCTION_ERROR) && idle(base);
}

static void test_refused(bool strict)
{
	static const char *const lax[] = { "strict=off", NULL };
	struct ctx c;

	for (size_t i = 0; i < ARRAY_SIZE(shorter); i++) {
		uint64_t before;
		bool end;

		bench_start(strict ? NULL : lax);
		before = counter_value("short_commands", shorter[i].name);
		end = runs(&c, shorter[i].base, shorter[i].header, shorter[i].dwords);
		if (strict)
			check(!end && get(OUT) == 0, "%s of %u dwords stops its engine", shorter[i].name,
			      shorter[i].dwords);
		else
			check(end && get(OUT) == 1, "%s of %u dwords is skipped if the model is not strict",
			      shorter[i].name, shorter[i].dwords);
		check(counter_value("short_commands", shorter[i].name) == before + 1, "and counted");
		bench_stop();
	}
}

/* Blitter commands of their full length that the blitter has no row for. */
static void test_not_modelled(void)
{
	static const uint32_t headers[] = {
		XY_MONO_PAT_FIXED_BLT, CMD_TYPE_BLT << 29 | BLT_OP_XY_PAT_CHROMA << 22 | 8,
	};
	struct ctx c;

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		bench_start(NULL);
		check(!runs(&c, BCS0_BASE, headers[i], (headers[i] & 0xff) + 2) && get(OUT) == 0,
		      "a blitter command that is not modelled stops its engine");
		bench_stop();
	}
}

/* A predicate skips a command whatever its length is. */
static void test_predicated(void)
{
	struct ctx c;

	bench_start(NULL);
	ctx_init(&c, 0, RCS0_BASE, CTL_FRESH);
	put(OUT, 0);
	batch(&c, MI_SET_PREDICATE | MI_SET_PREDICATE_ALWAYS, with_length(MI_STORE_DATA_IMM_DW, 2), 0);
	batch(&c, MI_SET_PREDICATE, MI_STORE_DATA_IMM_DW, PPGTT(OUT), 1, MI_BATCH_BUFFER_END);
	ring_batch(&c, CTX_BATCH, true);
	check(run(RCS0_BASE, &c) && get(OUT) == 1, "a short command that a predicate skips is not refused");
	bench_stop();
}

/* Dwords that the short form of a command lacks do not come from the command before. */
static void test_left_out(void)
{
	struct ctx c;

	bench_start(NULL);
	ctx_init(&c, 0, RCS0_BASE, CTL_FRESH);
	put(OUT + 12, 0xffff);
	batch(&c, PIPE_CONTROL, PIPE_CONTROL_WRITE_QW, PPGTT(OUT), 0x12, 0x34);
	batch(&c, PIPE_CONTROL - 1, PIPE_CONTROL_WRITE_QW, PPGTT(OUT + 8), 0x56);
	batch(&c, MI_BATCH_BUFFER_END);
	ring_batch(&c, CTX_BATCH, true);
	check(run(RCS0_BASE, &c) && get64(OUT) == 0x3400000012ull && get64(OUT + 8) == 0x56,
	      "a short form takes nothing over from the command before");
	bench_stop();
}

int main(void)
{
	test_names();
	test_sets();
	test_refused(true);
	test_refused(false);
	test_not_modelled();
	test_predicated();
	test_left_out();
	return test_end();
}
