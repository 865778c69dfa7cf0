// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of the command parser of Ivy Bridge
 *
 * Batches, each with what the parser has to say of it: it may run with privilege, it runs without (-EACCES), or it is
 * no batch at all (-EINVAL). The tables are the platform's.
 */
#include <linux/errno.h>

#include <kunit/test.h>

#include <igen/cmd/gfx.h>
#include <igen/cmd/mi.h>
#include <igen/parse/parse.h>
#include <igen/regs/engine.h>
#include <igen/regs/workarounds.h>

#include "../igen_device.h"
#include "../uapi/igen_cmdparser.h"

#define MAX_DW		12
#define SHADOW_DW	64
#define ADDRESS		0x10000

/* Types of commands that no engine has, and an MI opcode of no command. */
#define NO_COMMAND	0x20000000
#define UNKNOWN_MI	0x0e800000
#define GLOBAL_GTT	0x00400000
#define VFE_STATE	0x70000006
#define VFE_MMIO	0x00000010
#define END		MI_BATCH_BUFFER_END

/**
 * struct parser_case - a batch
 * @name: says which it is
 * @engine: the engine for it
 * @dw: the batch
 * @total: how many dwords of @dw there are
 * @err: what the parser returns
 * @registers: a batch that is allowed names registers
 */
struct parser_case {
	const char *name;
	enum igen_engine_id engine;
	u32 dw[MAX_DW];
	u32 total;
	int err;
	bool registers;
};

#define BATCH(id, ...) \
	.engine = (id), .dw = { __VA_ARGS__ }, .total = sizeof((u32[]){ __VA_ARGS__ }) / sizeof(u32)
#define RCS(...)	BATCH(IGEN_RCS0, __VA_ARGS__)
#define BCS(...)	BATCH(IGEN_BCS0, __VA_ARGS__)
#define VCS(...)	BATCH(IGEN_VCS0, __VA_ARGS__)
#define LRI(reg)	MI_LOAD_REGISTER_IMM(1), (reg), 1
#define LRM(reg)	GEN7_MI_LOAD_REGISTER_MEM, (reg), ADDRESS
#define SRM(reg)	GEN7_MI_STORE_REGISTER_MEM, (reg), ADDRESS

static const struct parser_case batches[] = {
	{ "nothing", RCS(MI_NOOP, END), 0 },
	{ "write", RCS(LRI(SO_WRITE_OFFSET(0)), END), 0, true },
	{ "write-cache", RCS(LRI(L3CNTLREG2_GEN7), END), 0, true },
	{ "load", RCS(LRM(RING_PREDICATE_SRC0(RCS0_BASE)), END), 0, true },
	{ "read", RCS(SRM(RING_TIMESTAMP(RCS0_BASE)), END), 0, true },
	{ "swctrl", BCS(LRI(BCS_SWCTRL), END), 0, true },
	{ "store", RCS(MI_STORE_DATA_IMM_DW, 0, ADDRESS, 1, END), 0 },
	{ "post-sync", RCS(GEN7_PIPE_CONTROL, PIPE_CONTROL_WRITE_QW, ADDRESS, 1, END), 0 },
	{ "two-writes", RCS(MI_LOAD_REGISTER_IMM(2), SO_WRITE_OFFSET(0), 0, SO_WRITE_OFFSET(1), 0, END), 0, true },
	/* Registers that are another's, and other engines'. */
	{ "write-timestamp", RCS(LRI(RING_TIMESTAMP(RCS0_BASE)), END), -EACCES },
	{ "load-timestamp", RCS(LRM(RING_TIMESTAMP(RCS0_BASE)), END), -EACCES },
	{ "uhptr", RCS(LRI(RING_UHPTR(RCS0_BASE)), END), -EACCES },
	{ "read-ring", RCS(SRM(RING_START(RCS0_BASE)), END), -EACCES },
	{ "swctrl-rcs", RCS(LRI(BCS_SWCTRL), END), -EACCES },
	{ "stream-out-bcs", BCS(LRI(SO_WRITE_OFFSET(0)), END), -EACCES },
	{ "timestamp-vcs", VCS(SRM(RING_TIMESTAMP(VCS0_BASE)), END), -EACCES },
	{ "second-write", RCS(MI_LOAD_REGISTER_IMM(2), SO_WRITE_OFFSET(0), 0, RING_UHPTR(RCS0_BASE), 0, END), -EACCES },
	/* A register without a value. */
	{ "odd-write", RCS(MI_LOAD_REGISTER_IMM(1) + 1, SO_WRITE_OFFSET(0), 0, SO_WRITE_OFFSET(1), END), -EACCES },
	/* The global GTT, interrupts, registers by other ways. */
	{ "store-ggtt", RCS(MI_STORE_DATA_IMM_DW | GLOBAL_GTT, 0, ADDRESS, 1, END), -EACCES },
	{ "read-ggtt", RCS(GEN7_MI_STORE_REGISTER_MEM | GLOBAL_GTT, SO_WRITE_OFFSET(0), ADDRESS, END), -EACCES },
	{ "post-sync-lri", RCS(GEN7_PIPE_CONTROL, PIPE_CONTROL_LRI_POST_SYNC, SO_WRITE_OFFSET(0), 1, END), -EACCES },
	{ "post-sync-ggtt", RCS(GEN7_PIPE_CONTROL, PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_GGTT, ADDRESS, 1, END),
	  -EACCES },
	{ "post-sync-notify", RCS(GEN7_PIPE_CONTROL, PIPE_CONTROL_NOTIFY, 0, 0, END), -EACCES },
	{ "threads", RCS(VFE_STATE, 0, VFE_MMIO, 0, 0, 0, 0, 0, END), -EACCES },
	{ "interrupt", RCS(MI_USER_INTERRUPT, END), -EACCES },
	{ "arbitration", RCS(MI_ARB_ON_OFF, END), -EACCES },
	{ "index", BCS(MI_STORE_DATA_INDEX, 0x100, 1, END), -EACCES },
	{ "flush-index", BCS(GEN7_MI_FLUSH_DW | MI_FLUSH_DW_STORE_INDEX, 0, 0, END), -EACCES },
	/* Out of the copy. */
	{ "jump", RCS(GEN7_MI_BATCH_BUFFER_START, ADDRESS, END), -EACCES },
	{ "jump-unprivileged", RCS(GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT, ADDRESS, END), -EACCES },
	{ "end-with-operand", RCS(END | 1, END), -EACCES },
	{ "unknown", RCS(UNKNOWN_MI, END), -EACCES },
	/* The commands of the 3D pipeline are none of the blitter's. */
	{ "other-engine", BCS(GEN7_PIPE_CONTROL, PIPE_CONTROL_WRITE_QW, ADDRESS, 1, END), -EACCES },
	/* No batches. */
	{ "no-command", RCS(NO_COMMAND, END), -EINVAL },
	{ "no-end", RCS(MI_NOOP, MI_NOOP), -EINVAL },
	{ "cut-off", RCS(LRI(SO_WRITE_OFFSET(0)), MI_LOAD_REGISTER_IMM(1), SO_WRITE_OFFSET(0)), -EINVAL },
	{ "cut-off-header", RCS(MI_LOAD_REGISTER_IMM(1)), -EINVAL },
	{ "cut-off-long", RCS(MI_LOAD_REGISTER_IMM(128), SO_WRITE_OFFSET(0), 0, END), -EINVAL },
};

/** struct parser_copy - a batch that is copied, dword by dword */
struct parser_copy {
	struct igen_batch_check check;
	u32 source[MAX_DW], shadow[SHADOW_DW];
	/** @changed: what every dword of the source becomes when it has been copied, if @changes */
	u32 changed;
	bool changes;
};

static int copy_dwords(struct igen_batch_check *check, u32 upto)
{
	struct parser_copy *copy = container_of(check, struct parser_copy, check);

	for (; check->copied < upto; check->copied++) {
		copy->shadow[check->copied] = copy->source[check->copied];
		if (copy->changes)
			copy->source[check->copied] = copy->changed;
	}
	return 0;
}

static int never_killed(void)
{
	return 0;
}

static const struct igen_engine_info *engine_info(enum igen_engine_id id)
{
	const struct igen_platform *p = &igen_platform_ivb_gt2;
	unsigned int i;

	for (i = 0; i < p->num_engines; i++)
		if (p->engines[i].id == id)
			return &p->engines[i];
	return NULL;
}

static struct parser_copy *prepare(struct kunit *test, const struct parser_case *c)
{
	const struct igen_engine_info *info = engine_info(c->engine);
	struct parser_copy *copy = kunit_kzalloc(test, sizeof(*copy), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, info);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy->source, c->dw, sizeof(c->dw));
	copy->check = (struct igen_batch_check){
		.cmds = info->parsed_cmds,
		.gfx = info->parsed_gfx,
		.num_gfx = info->num_parsed_gfx,
		.regs = info->parsed_regs,
		.privilege = info->privileged_copies,
		.shadow = copy->shadow,
		.total = c->total,
		.room = c->total,
		.copy = copy_dwords,
		.killed = never_killed,
	};
	return copy;
}

static void verdicts(struct kunit *test)
{
	const struct parser_case *c;
	struct parser_copy *copy;

	for (c = batches; c < batches + ARRAY_SIZE(batches); c++) {
		copy = prepare(test, c);
		KUNIT_EXPECT_EQ_MSG(test, igen_check_batch(&copy->check), c->err, "%s", c->name);
		if (c->err)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, copy->check.registers, c->registers, "%s", c->name);
		KUNIT_EXPECT_EQ_MSG(test, copy->check.end, c->total, "%s", c->name);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(copy->shadow, c->dw, c->total * sizeof(u32)), 0, "%s", c->name);
	}
}

/* The client writes into its batch as soon as it was copied: what is checked is what runs. */
static void client_changes_the_batch(struct kunit *test)
{
	static const struct parser_case harmless = { "harmless", RCS(LRI(SO_WRITE_OFFSET(0)), MI_NOOP, END), 0, true };
	static const struct parser_case harmful = { "harmful", RCS(MI_NOOP, LRI(RING_UHPTR(RCS0_BASE)), END) };
	struct parser_copy *copy = prepare(test, &harmless);

	copy->changes = true;
	copy->changed = RING_UHPTR(RCS0_BASE);
	KUNIT_EXPECT_EQ(test, igen_check_batch(&copy->check), 0);
	KUNIT_EXPECT_EQ(test, memcmp(copy->shadow, harmless.dw, harmless.total * sizeof(u32)), 0);

	copy = prepare(test, &harmful);
	copy->changes = true;
	copy->changed = MI_NOOP;
	KUNIT_EXPECT_EQ(test, igen_check_batch(&copy->check), -EACCES);
}

/* A batch that is longer than the room for its copy needs more, and is not judged until then. */
static void room_is_short(struct kunit *test)
{
	static const struct parser_case c = { "long", RCS(LRI(SO_WRITE_OFFSET(0)), LRI(SO_WRITE_OFFSET(1)), END) };
	struct parser_copy *copy;
	u32 room;

	for (room = 0; room < c.total; room++) {
		copy = prepare(test, &c);
		copy->check.room = room;
		KUNIT_EXPECT_EQ(test, igen_check_batch(&copy->check), -ENOBUFS);
		KUNIT_EXPECT_LE(test, copy->check.copied, room);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(verdicts),
	KUNIT_CASE(client_changes_the_batch),
	KUNIT_CASE(room_is_short),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_cmdparser",
	.test_cases = cases,
};

kunit_test_suite(suite);
