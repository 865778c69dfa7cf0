// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of the command parser of Ivy Bridge and of Sandy Bridge
 *
 * Batches, each with what the parser has to say of it: it may run with privilege, it runs without (-EACCES), or it is
 * no batch at all (-EINVAL). On Sandy Bridge both errors say that the batch does not run, and what batches store gets
 * addresses of the GGTT. The tables are the platforms'.
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
/* MI_CONDITIONAL_BATCH_BUFFER_END with an address, and as long as the manuals' default value of its length says. */
#define COMPARE		0x1b200001
#define COMPARE_SHORT	0x1b200000
#define VFE_STATE	0x70000006
#define VFE_MMIO	0x00000010
#define END		MI_BATCH_BUFFER_END

/* Where a client's object is in its address space, and in the GGTT. */
#define OBJECT		0x200000
#define IN_GGTT		0x7000000

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
	{ "compare", RCS(COMPARE, 0, ADDRESS, END), 0 },
	{ "two-writes", RCS(MI_LOAD_REGISTER_IMM(2), SO_WRITE_OFFSET(0), 0, SO_WRITE_OFFSET(1), 0, END), 0, true },
	/* Registers that are another's, and other engines'. */
	{ "write-timestamp", RCS(LRI(RING_TIMESTAMP(RCS0_BASE)), END), -EACCES },
	{ "load-timestamp", RCS(LRM(RING_TIMESTAMP(RCS0_BASE)), END), -EACCES },
	{ "uhptr", RCS(LRI(RING_UHPTR(RCS0_BASE)), END), -EACCES },
	{ "read-ring", RCS(SRM(RING_START(RCS0_BASE)), END), -EACCES },
	{ "swctrl-rcs", RCS(LRI(BCS_SWCTRL), END), -EACCES },
	{ "stream-out-bcs", BCS(LRI(SO_WRITE_OFFSET(0)), END), -EACCES },
	{ "timestamp-vcs", VCS(SRM(RING_TIMESTAMP(VCS0_BASE)), END), -EACCES },
	/* The engine may take a third dword for an address. */
	{ "short-compare", RCS(COMPARE_SHORT, 0, END), -EACCES },
	{ "short-compare-hides", BCS(COMPARE_SHORT, 0, LRI(BCS_SWCTRL), END), -EACCES },
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

static const struct igen_engine_info *engine_info(const struct igen_platform *p, enum igen_engine_id id)
{
	unsigned int i;

	for (i = 0; i < p->num_engines; i++)
		if (p->engines[i].id == id)
			return &p->engines[i];
	return NULL;
}

static struct parser_copy *prepare_for(struct kunit *test, const struct igen_platform *platform,
				       const struct parser_case *c)
{
	const struct igen_engine_info *info = engine_info(platform, c->engine);
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

static struct parser_copy *prepare(struct kunit *test, const struct parser_case *c)
{
	return prepare_for(test, &igen_platform_ivb_gt2, c);
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

/* A client's object has a page, and another place in the GGTT. */
static int place_store(struct igen_batch_check *check, u32 address, u32 *ggtt)
{
	if (address - OBJECT >= PAGE_SIZE)
		return -EACCES;
	*ggtt = address - OBJECT + IN_GGTT;
	return 0;
}

/**
 * struct store_case - a batch that stores on Sandy Bridge
 * @batch: the batch, with err
 * @dw: the expected copy
 */
struct store_case {
	struct parser_case batch;
	u32 dw[MAX_DW];
};

#define SDI(header, to, ...)	MI_STORE_DATA_IMM_DW | (header), 0, (to), __VA_ARGS__
#define SDI_QW(header, to)	(MI_STORE_DATA_IMM_DW + 1) | (header), 0, (to), 1, 2
#define POST_SYNC(flags, to)	GEN7_PIPE_CONTROL, (flags), (to), 1
#define FLUSH(flags, to)	GEN7_MI_FLUSH_DW | (flags), (to), 1
#define POST_WRITE		PIPE_CONTROL_WRITE_QW
#define FLUSH_WRITE		MI_FLUSH_DW_WRITE_QW
#define FLUSH_GGTT		GEN6_PIPE_CONTROL_ADDRESS_GGTT
#define NOOP_3			MI_NOOP, MI_NOOP, MI_NOOP
#define RUNS(...)		.dw = { __VA_ARGS__ }

static const struct store_case stores[] = {
	{ { "store", RCS(SDI(0, OBJECT, 1), END) }, RUNS(SDI(GLOBAL_GTT, IN_GGTT, 1), END) },
	/* The client may have heard that addresses are the same in both. */
	{ { "store-ggtt", RCS(SDI(GLOBAL_GTT, OBJECT + 8, 1), END) }, RUNS(SDI(GLOBAL_GTT, IN_GGTT + 8, 1), END) },
	{ { "store-last", BCS(SDI(0, OBJECT + 0xffc, 1), END) }, RUNS(SDI(GLOBAL_GTT, IN_GGTT + 0xffc, 1), END) },
	{ { "store-qword", RCS(SDI_QW(0, OBJECT + 0xff8), END) }, RUNS(SDI_QW(GLOBAL_GTT, IN_GGTT + 0xff8), END) },
	{ { "store-two", RCS(SDI(0, OBJECT, 1), SDI(0, OBJECT + 4, 1), END) },
	  RUNS(SDI(GLOBAL_GTT, IN_GGTT, 1), SDI(GLOBAL_GTT, IN_GGTT + 4, 1), END) },
	{ { "read", RCS(MI_NOOP, GEN7_MI_STORE_REGISTER_MEM, RING_TIMESTAMP(RCS0_BASE), OBJECT, END) },
	  RUNS(MI_NOOP, GEN7_MI_STORE_REGISTER_MEM | GLOBAL_GTT, RING_TIMESTAMP(RCS0_BASE), IN_GGTT, END) },
	{ { "post-sync", RCS(POST_SYNC(POST_WRITE, OBJECT + 16), END) },
	  RUNS(POST_SYNC(POST_WRITE, IN_GGTT + 16 + FLUSH_GGTT), END) },
	{ { "post-sync-ggtt", RCS(POST_SYNC(POST_WRITE, OBJECT + FLUSH_GGTT), END) },
	  RUNS(POST_SYNC(POST_WRITE, IN_GGTT + FLUSH_GGTT), END) },
	{ { "post-sync-nothing", RCS(POST_SYNC(0, 0x123456), END) }, RUNS(POST_SYNC(0, 0x123456), END) },
	{ { "flush", BCS(FLUSH(FLUSH_WRITE, OBJECT), END) }, RUNS(FLUSH(FLUSH_WRITE, IN_GGTT + FLUSH_GGTT), END) },
	{ { "flush-video", VCS(FLUSH(FLUSH_WRITE, OBJECT), END) },
	  RUNS(FLUSH(FLUSH_WRITE, IN_GGTT + FLUSH_GGTT), END) },
	{ { "flush-nothing", BCS(0x13000000, 0, END) }, RUNS(0x13000000, 0, END) },
	{ { "short-flush", BCS(0x13000000 | FLUSH_WRITE, OBJECT, END) },
	  RUNS(0x13000000 | FLUSH_WRITE, IN_GGTT + FLUSH_GGTT, END) },
	{ { "compare", VCS(COMPARE, 0, OBJECT, END) }, RUNS(COMPARE, 0, OBJECT, END) },
	/* What accesses another register is skipped, wherever it would store, and with it what it does beside that. */
	{ { "write-ring", RCS(LRI(RING_START(RCS0_BASE)), END) }, RUNS(NOOP_3, END) },
	{ { "write-two", RCS(MI_LOAD_REGISTER_IMM(2), CL_INVOCATION_COUNT, 1, RING_START(RCS0_BASE), 1, END) },
	  RUNS(NOOP_3, MI_NOOP, MI_NOOP, END) },
	{ { "read-ring", RCS(SRM(RING_START(RCS0_BASE)), LRI(CL_INVOCATION_COUNT), END) },
	  RUNS(NOOP_3, LRI(CL_INVOCATION_COUNT), END) },
	{ { "write-video", VCS(LRI(RING_START(VCS0_BASE)), SRM(RING_TIMESTAMP(VCS0_BASE)), END) },
	  RUNS(NOOP_3, NOOP_3, END) },
	{ { "odd-write", RCS(MI_LOAD_REGISTER_IMM(1) + 1, RING_START(RCS0_BASE), 1, 1, END), -EACCES } },
	/* The jump stays in the copy, which is at 0, and has privilege. */
	{ { "jump", RCS(MI_NOOP, GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT, 0) },
	  RUNS(MI_NOOP, GEN7_MI_BATCH_BUFFER_START, 0) },
	/* Beyond the object, and across its end. */
	{ { "outside", RCS(SDI(0, OBJECT + 0x1000, 1), END), -EACCES } },
	{ { "before", RCS(SDI(0, OBJECT - 4, 1), END), -EACCES } },
	{ { "outside-ggtt", RCS(SDI(GLOBAL_GTT, IN_GGTT, 1), END), -EACCES } },
	{ { "outside-second", RCS(SDI(0, OBJECT, 1), SDI(0, IN_GGTT, 1), END), -EACCES } },
	{ { "across-end", RCS(SDI_QW(0, OBJECT + 0xffc), END), -EACCES } },
	{ { "outside-read", RCS(SRM(RING_TIMESTAMP(RCS0_BASE)), END), -EACCES } },
	{ { "outside-post-sync", RCS(POST_SYNC(POST_WRITE, IN_GGTT), END), -EACCES } },
	{ { "outside-post-sync-ggtt", RCS(POST_SYNC(POST_WRITE, IN_GGTT + FLUSH_GGTT), END), -EACCES } },
	{ { "outside-flush", BCS(FLUSH(FLUSH_WRITE, IN_GGTT), END), -EACCES } },
	{ { "outside-flush-video", VCS(FLUSH(FLUSH_WRITE, IN_GGTT + FLUSH_GGTT), END), -EACCES } },
	/* The engine hangs the machine. */
	{ { "store-video", VCS(SDI(0, OBJECT, 1), END), -EACCES } },
	{ { "index", BCS(MI_STORE_DATA_INDEX, 0x100, 1, END), -EACCES } },
	{ { "flush-index", BCS(FLUSH(FLUSH_WRITE | MI_FLUSH_DW_STORE_INDEX, OBJECT), END), -EACCES } },
	{ { "post-sync-index", RCS(POST_SYNC(POST_WRITE | PIPE_CONTROL_STORE_INDEX, OBJECT), END), -EACCES } },
	{ { "post-sync-notify", RCS(POST_SYNC(POST_WRITE | PIPE_CONTROL_NOTIFY, OBJECT), END), -EACCES } },
	{ { "compare-ggtt", RCS(COMPARE | GLOBAL_GTT, 0, OBJECT, END), -EACCES } },
	/* If the engine takes a third dword for an address, it executes what the next command stores. */
	{ { "short-compare", RCS(COMPARE_SHORT, 0, SDI(0, OBJECT, END), END), -EACCES } },
	{ { "short-compare-bcs", BCS(COMPARE_SHORT, 0, END), -EACCES } },
	{ { "short-compare-video", VCS(COMPARE_SHORT, 0, END), -EACCES } },
	{ { "mailbox", BCS(MI_SEMAPHORE_MBOX, 0, OBJECT, END), -EACCES } },
	{ { "context", RCS(MI_SET_CONTEXT, OBJECT, END), -EACCES } },
	{ { "privileged-jump", RCS(MI_NOOP, GEN7_MI_BATCH_BUFFER_START, 0), -EACCES } },
	{ { "far-jump", RCS(MI_NOOP, GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT, OBJECT), -EINVAL } },
};

static void stores_go_through_the_ggtt(struct kunit *test)
{
	const struct store_case *c;
	struct parser_copy *copy;

	for (c = stores; c < stores + ARRAY_SIZE(stores); c++) {
		copy = prepare_for(test, &igen_platform_snb_gt2, &c->batch);
		copy->check.place_store = place_store;
		copy->check.skips = true;
		KUNIT_EXPECT_EQ_MSG(test, igen_check_batch(&copy->check), c->batch.err, "%s", c->batch.name);
		if (!c->batch.err)
			KUNIT_EXPECT_EQ_MSG(test, memcmp(copy->shadow, c->dw, c->batch.total * sizeof(u32)), 0, "%s",
					    c->batch.name);
	}
}

/* Where a batch jumps back to at its end, the client may write an end of the batch. */
static void a_circle_is_known(struct kunit *test)
{
	static const struct parser_case circle = {
		"circle", RCS(MI_NOOP, MI_NOOP, GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT, sizeof(u32)),
	}, line = { "line", RCS(MI_NOOP, END) };
	struct parser_copy *copy = prepare_for(test, &igen_platform_snb_gt2, &circle);

	KUNIT_EXPECT_EQ(test, igen_check_batch(&copy->check), 0);
	KUNIT_EXPECT_TRUE(test, copy->check.circles);
	KUNIT_EXPECT_EQ(test, copy->check.circle, 1u);

	copy = prepare_for(test, &igen_platform_snb_gt2, &line);
	KUNIT_EXPECT_EQ(test, igen_check_batch(&copy->check), 0);
	KUNIT_EXPECT_FALSE(test, copy->check.circles);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(stores_go_through_the_ggtt),
	KUNIT_CASE(a_circle_is_known),
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
