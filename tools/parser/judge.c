// SPDX-License-Identifier: MIT
/**
 * DOC: judge: does the command parser decide like the engine?
 *
 * judge PARSER headers [quick|all]: headers, of which the parser and the model's decoder could think otherwise.
 * Exhaustive over the bits 31:23 and 15:0, with none of the bits 22:16, each of them alone, and all of them; "quick":
 * with none and with bit 22, and of commands whose opcode has 16 bits with one of the bits 15:8 at most; "all": all
 * 2^32.
 *
 * judge PARSER fuzz COUNT SEED: batches; see fuzz.c.
 *
 * judge PARSER killed: a caller that is being killed while the parser looks for the target of a jump.
 *
 * PARSER is gen9_bcs, or gen7_ or gen6_ with rcs, bcs or vcs. On Gen7 a batch that the parser does not allow runs
 * without privilege, so that only batches that it allows are looked at. The exit status is 1 when something was wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "../../drivers/gpu/drm/igen/uapi/igen_cmdparser.c"
#include "igen/parse/gen6_bcs.h"
#include "igen/parse/gen6_rcs.h"
#include "igen/parse/gen6_vcs.h"
#include "igen/parse/gen7_bcs.h"
#include "igen/parse/gen7_rcs.h"
#include "igen/parse/gen7_vcs.h"
#include "igen/parse/gen9_bcs.h"
#include "cs/cs.h"

/* As the driver: the copy goes on by chunks, so that it holds what was never checked. */
#define CHUNK_DWORDS	64

#define COUNT(list)	(sizeof(list) / sizeof((list)[0]))

enum judged judged;

/* @open: a register that may be written, or 0 */
static const struct parser {
	const char *name;
	const struct igen_cmd_set *set;
	enum engine_class class;
	const struct igen_parse_cmd *cmds, *gfx;
	u32 num_gfx;
	const struct igen_parse_reg *regs;
	bool privilege;
	u32 open;
} parsers[] = {
	[JUDGE_GEN9_BCS] = { "gen9_bcs", &igen_cmds_gen9, ENGINE_COPY, gen9_bcs_cmds, NULL, 0, gen9_bcs_regs, false,
			     BCS_SWCTRL },
	[JUDGE_GEN7_RCS] = { "gen7_rcs", &igen_cmds_gen7, ENGINE_RENDER, gen7_rcs_cmds, gen7_rcs_gfx,
			     COUNT(gen7_rcs_gfx), gen7_rcs_regs, true, SO_WRITE_OFFSET(0) },
	[JUDGE_GEN7_BCS] = { "gen7_bcs", &igen_cmds_gen7, ENGINE_COPY, gen7_bcs_cmds, NULL, 0, gen7_bcs_regs, true,
			     BCS_SWCTRL },
	[JUDGE_GEN7_VCS] = { "gen7_vcs", &igen_cmds_gen7, ENGINE_VIDEO, gen7_vcs_cmds, gen7_vcs_gfx,
			     COUNT(gen7_vcs_gfx), gen7_vcs_regs, true, 0 },
	[JUDGE_GEN6_RCS] = { "gen6_rcs", &igen_cmds_gen6, ENGINE_RENDER, gen6_rcs_cmds, gen6_rcs_gfx,
			     COUNT(gen6_rcs_gfx), gen6_rcs_regs, true, IA_VERTICES_COUNT },
	[JUDGE_GEN6_BCS] = { "gen6_bcs", &igen_cmds_gen6, ENGINE_COPY, gen6_bcs_cmds, NULL, 0, gen6_bcs_regs, true,
			     BCS_SWCTRL },
	[JUDGE_GEN6_VCS] = { "gen6_vcs", &igen_cmds_gen6, ENGINE_VIDEO, gen6_vcs_cmds, gen6_vcs_gfx,
			     COUNT(gen6_vcs_gfx), gen6_vcs_regs, true, 0 },
};

static const u32 *source;

/* The answer to the parser's question whether its caller is being killed, and how often the parser has asked. */
static int killed_answer;
static unsigned int killed_asked;

static int judge_killed(void)
{
	killed_asked++;
	return killed_answer;
}

unsigned int engine_length(u32 header)
{
	return command_length(command_decoder(parsers[judged].set, parsers[judged].class), header);
}

static int copy_chunk(struct igen_batch_check *check, u32 upto)
{
	u32 end = (upto + CHUNK_DWORDS - 1) / CHUNK_DWORDS * CHUNK_DWORDS;

	if (end > check->room)
		end = check->room;
	memcpy(check->shadow + check->copied, source + check->copied, (end - check->copied) * sizeof(u32));
	check->copied = end;
	return 0;
}

static int place_store(struct igen_batch_check *check, u32 address, u32 *ggtt)
{
	(void)check;
	if (address < STORE_ADDR || address - STORE_ADDR >= STORE_BYTES)
		return -EACCES;
	*ggtt = address - STORE_ADDR + STORE_GGTT;
	return 0;
}

int judge_parse(struct igen_batch_check *check, u32 *shadow, const u32 *batch, u32 total)
{
	const struct parser *p = &parsers[judged];
	int err;

	*check = (struct igen_batch_check){
		.cmds = p->cmds,
		.gfx = p->gfx,
		.num_gfx = p->num_gfx,
		.regs = p->regs,
		.privilege = p->privilege,
		.skips = judged >= JUDGE_GEN6_RCS,
		.shadow = shadow,
		.total = total,
		.room = total,
		.batch_addr = BATCH_ADDR,
		.shadow_addr = SHADOW_ADDR,
		.copy = copy_chunk,
		.place_store = place_store,
		.killed = judge_killed,
	};
	source = batch;
	err = igen_check_batch(check);
	if (!err)
		igen_seal_batch(shadow + check->end, BATCH_DWORDS + GUARD_DWORDS - check->end);
	return err;
}

const char *judge_walk(const struct igen_batch_check *check, u32 *shadow, unsigned int *executed)
{
	static u8 seen[BATCH_DWORDS];
	bool predicated = false;
	unsigned int len;
	const char *what;
	u64 target;
	u32 pos = 0;

	memset(seen, 0, check->end);
	for (*executed = 0;; ++*executed) {
		if (pos >= check->end)
			return "the engine goes on behind the last command that was checked";
		/* A loop. */
		if (seen[pos]++)
			return NULL;
		len = engine_length(shadow[pos]);
		if (!len)
			return "the engine stops at a command that it does not have";
		if (len > check->end - pos)
			return "the engine takes a command for longer than what was checked";
		if ((shadow[pos] & (CMD_TYPE_MASK | MI_OPCODE_MASK)) == MI_SET_PREDICATE)
			predicated = shadow[pos] & MI_SET_PREDICATE_MASK;
		what = harm_of(shadow + pos, len);
		/* Commands that predication skips do no harm, but it also skips the end of the batch. */
		if (predicated) {
			pos += len;
			continue;
		}
		if (what)
			return what;
		if (shadow[pos] >> 23 == MI_OP_BATCH_BUFFER_END)
			return NULL;
		if (shadow[pos] >> 23 != MI_OP_BATCH_BUFFER_START) {
			pos += len;
			continue;
		}
		target = (shadow[pos + 1] | (len > 2 ? (u64)shadow[pos + 2] << 32 : 0)) - SHADOW_ADDR;
		if (target % 4 || target / 4 >= check->end)
			return "a jump leaves the copy";
		pos = target / 4;
	}
}

/* The lengths of the commands that are not like the others, as stock i915's table of Gen9's blitter has them. */
static const struct {
	u32 opcode, mask;
} lengths[] = {
	{ MI_OP_LOAD_SCAN_LINES_INCL, 0x3f }, { MI_OP_LOAD_SCAN_LINES_EXCL, 0x3f }, { MI_OP_STORE_DATA_IMM, 0x3ff },
	{ MI_OP_UPDATE_GTT, 0x3ff }, { MI_OP_FLUSH_DW, 0x3f },
};

static u32 length_by_facts(u32 header)
{
	if (judged >= JUDGE_GEN6_RCS)
		return length_by_facts_gen6(header);
	if (judged != JUDGE_GEN9_BCS)
		return length_by_facts_gen7(header);
	if (IGEN_GET(CMD_TYPE_MASK, header) == CMD_TYPE_MI) {
		if (IGEN_GET(MI_OPCODE_MASK, header) < 0x10)
			return 1;
		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
			if (lengths[i].opcode == IGEN_GET(MI_OPCODE_MASK, header))
				return (header & lengths[i].mask) + 2;
	}
	return (header & 0xff) + 2;
}

/* Is a batch of this header alone, with operands of zeros, one that the parser lets through up to its end? */
static bool accepted(const struct igen_parse_cmd *cmd, u32 header)
{
	u32 length = igen_parse_length(cmd, header);

	return cmd->verdict != IGEN_PARSE_REFUSED && (header & cmd->mask) == cmd->value && length >= cmd->min &&
	       length <= cmd->max;
}

static const char *judge_header(const struct igen_batch_check *check, u32 header)
{
	static u32 operands[(1 << 16) + 2];
	const struct igen_parse_cmd *cmd = cmdparser_lookup(check, header);
	bool end = header >> 23 == MI_OP_BATCH_BUFFER_END, jump = header >> 23 == MI_OP_BATCH_BUFFER_START;
	u32 length = engine_length(header);
	unsigned int want;
	const char *what;

	if (!cmd || (parsers[judged].privilege && !accepted(cmd, header)))
		return NULL;
	if (igen_parse_length(cmd, header) != length || length_by_facts(header) != length)
		return "another length";
	if (!accepted(cmd, header))
		return NULL;
	/* Gen6's parser skips such a command, which is for the judge of batches to see. */
	if (cmd->reg && !parsers[judged].open)
		return judged < JUDGE_GEN6_RCS ? "registers, of which none is open" : NULL;
	want = end ? IGEN_PARSE_END : jump ? IGEN_PARSE_JUMP : cmd->verdict;
	if (cmd->verdict != want || (!end && want == IGEN_PARSE_END) || (!jump && want == IGEN_PARSE_JUMP))
		return "another end or jump";
	if (cmd->verdict == IGEN_PARSE_IGNORED)
		return length == 1 ? NULL : "ignored, but not as a whole";
	if (cmd->reg)
		operands[cmd->reg] = parsers[judged].open;
	for (u32 i = cmd->reg; cmd->step && i < length; i += cmd->step)
		operands[i] = parsers[judged].open;
	operands[0] = header;
	/* What the parser makes of a store and of a jump. */
	if (cmd->store && length > cmd->store) {
		operands[0] |= cmd->store_header;
		operands[cmd->store] = STORE_GGTT | cmd->store_global;
	}
	if (parsers[judged].privilege && jump)
		operands[0] &= ~MI_BBS_PPGTT;
	what = harm_of(operands, length);
	memset(operands, 0, length * sizeof(u32));
	return what;
}

static unsigned long judge_headers(const char *extent)
{
	bool all = !strcmp(extent, "all"), quick = !strcmp(extent, "quick");
	const struct parser *p = &parsers[judged];
	const struct igen_batch_check check = {
		.cmds = p->cmds,
		.gfx = p->gfx,
		.num_gfx = p->num_gfx,
		.regs = p->regs,
	};
	unsigned long wrong = 0, looked = 0;
	const char *what;

	for (u32 high = 0; high < 1u << 16; high++) {
		/* Bits 22:16: a part of the opcode of commands of the 3D and media pipelines. */
		bool gfx = p->gfx && IGEN_GET(CMD_TYPE_MASK, high << 16) == CMD_TYPE_GFX;

		if (!all && !gfx && __builtin_popcount(high & 0x7f) > 1 && (high & 0x7f) != 0x7f)
			continue;
		if (quick && !gfx && high & 0x3f)
			continue;
		for (u32 low = 0; low < 1u << 16; low++) {
			if (quick && gfx && __builtin_popcount(low & 0xff00) > 1)
				continue;
			what = judge_header(&check, high << 16 | low);
			looked++;
			if (what && wrong++ < 3)
				printf("# header %08x: %s\n", high << 16 | low, what);
		}
	}
	printf("# %lu headers, %lu wrong\n", looked, wrong);
	return wrong;
}

/* Checks a batch of NOOPs that ends in a jump to one of its commands. */
static int parse_jump(u32 target)
{
	static u32 batch[BATCH_DWORDS], shadow[BATCH_DWORDS + GUARD_DWORDS];
	const u32 jump = BATCH_DWORDS - 3;
	struct igen_batch_check check;

	batch[jump] = MI_BATCH_BUFFER_START | MI_BBS_PPGTT;
	batch[jump + 1] = BATCH_ADDR + target * sizeof(u32);
	killed_asked = 0;
	return judge_parse(&check, shadow, batch, BATCH_DWORDS);
}

/* A client decides how far behind the batch's start the target of a jump is. */
static unsigned long judge_kills(void)
{
	static const struct {
		int answer;
		u32 target;
		int err;
		bool asks;
	} cases[] = {
		{ -EINTR, 8, 0, false },
		{ 0, BATCH_DWORDS - 3, 0, true },
		{ -EINTR, BATCH_DWORDS - 3, -EINTR, true },
	};
	unsigned long wrong = 0;
	int err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		killed_answer = cases[i].answer;
		err = parse_jump(cases[i].target);
		if (err == cases[i].err && !killed_asked == !cases[i].asks)
			continue;
		wrong++;
		printf("# jump to %u, asked %u times, answer %d: result %d\n", cases[i].target, killed_asked,
		       cases[i].answer, err);
	}
	return wrong;
}

static bool choose(const char *name)
{
	for (size_t i = 0; i < COUNT(parsers); i++) {
		judged = i;
		if (!strcmp(parsers[i].name, name))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	if (argc > 2 && choose(argv[1])) {
		argc--;
		argv++;
	} else {
		argc = 0;
	}
	if (argc > 1 && !strcmp(argv[1], "headers"))
		return judge_headers(argc > 2 ? argv[2] : "") != 0;
	if (argc > 3 && !strcmp(argv[1], "fuzz"))
		return fuzz(strtoul(argv[2], NULL, 0), strtoull(argv[3], NULL, 0)) != 0;
	if (argc > 1 && !strcmp(argv[1], "killed"))
		return judge_kills() != 0;
	fprintf(stderr, "usage: judge PARSER headers [quick|all] | fuzz COUNT SEED | killed\n");
	return 2;
}
