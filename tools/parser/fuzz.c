// SPDX-License-Identifier: MIT
/**
 * DOC: Batches for the command parser
 *
 * Batches that are nearly right: commands of the engine with random lengths, bits and operands, among them commands
 * in what others take for data, jumps to commands, between them and out of the batch, and lengths that cut off. The
 * same seed makes the same batches.
 */
#include <stdio.h>
#include <string.h>

#include "judge.h"
#include "igen/cmd/blt.h"
#include "igen/cmd/gfx.h"
#include "igen/cmd/mi.h"
#include "igen/regs/engine.h"

/* The usual headers of each command, with bits that random headers would rarely have. */
static const u32 gen9_bcs_headers[] = {
	MI_NOOP, MI_USER_INTERRUPT, MI_ARB_CHECK, MI_BATCH_BUFFER_END, MI_OP_FLUSH << 23, MI_OP_WAIT_FOR_EVENT << 23,
	MI_OP_REPORT_HEAD << 23, MI_ARB_ON_OFF, MI_OP_SUSPEND_FLUSH << 23, MI_STORE_DATA_IMM_DW, MI_STORE_DATA_IMM_QW,
	MI_STORE_DATA_IMM_DW | 0x100, MI_LOAD_REGISTER_IMM(1), MI_LOAD_REGISTER_IMM(3), MI_LOAD_REGISTER_MEM,
	MI_LOAD_REGISTER_REG, MI_STORE_REGISTER_MEM, MI_FLUSH_DW, MI_FLUSH_DW | 0x40, MI_FLUSH_DW | 0x80,
	MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW, MI_FLUSH_DW | MI_FLUSH_DW_STORE_INDEX, MI_COPY_MEM_MEM, MI_ATOMIC,
	MI_MATH(2u), MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL, MI_CONDITIONAL_BB_END, MI_BATCH_BUFFER_START | MI_BBS_PPGTT,
	MI_BATCH_BUFFER_START | MI_BBS_PPGTT, MI_BATCH_BUFFER_START | MI_BBS_PPGTT | MI_BBS_SECOND_LEVEL,
	MI_SET_PREDICATE | MI_SET_PREDICATE_ALWAYS, MI_STORE_DATA_INDEX, MI_OP_LOAD_SCAN_LINES_INCL << 23,
	MI_OP_LOAD_SCAN_LINES_INCL << 23 | 0x40, MI_OP_LOAD_SCAN_LINES_EXCL << 23 | 0x40,
	MI_OP_UPDATE_GTT << 23 | 0x101,
	XY_COLOR_BLT, XY_SRC_COPY_BLT, XY_FAST_COPY_BLT, XY_SETUP_BLT, XY_PIXEL_BLT, XY_TEXT_IMMEDIATE_BLT(4u),
	XY_TEXT_IMMEDIATE_BLT(60u), XY_FULL_BLT,
};

static const u32 gen9_bcs_registers[] = {
	0x22200, 0x22600, 0x2267c, 0x22600, 0x22610, 0x22358, 0x2358, 0x223a8, 0x22680, 0x22204, 0x220a8, 0x22094,
	0x24d0,
};

static const u32 gen7_rcs_headers[] = {
	MI_NOOP, MI_USER_INTERRUPT, MI_ARB_CHECK, MI_BATCH_BUFFER_END, MI_OP_FLUSH << 23, MI_OP_WAIT_FOR_EVENT <<
	23, MI_OP_REPORT_HEAD << 23, MI_ARB_ON_OFF, MI_OP_SUSPEND_FLUSH << 23, 0x06000000, 0x06800005,
	MI_STORE_DATA_IMM_DW, 0x10000003, MI_STORE_DATA_IMM_DW | 0x400000, MI_STORE_DATA_IMM_DW | 0x40,
	MI_LOAD_REGISTER_IMM(1), MI_LOAD_REGISTER_IMM(1), MI_LOAD_REGISTER_IMM(3), MI_LOAD_REGISTER_IMM(3) - 1,
	GEN7_MI_LOAD_REGISTER_MEM, GEN7_MI_STORE_REGISTER_MEM, GEN7_MI_STORE_REGISTER_MEM | 0x400000,
	GEN7_MI_FLUSH_DW, 0x13800001, 0x13800401, 0x14000001, 0x0c800000, 0x0b000001, 0x0c000000, 0x1b000000,
	0x1b000001, GEN7_MI_BATCH_BUFFER_START, GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT, MI_STORE_DATA_INDEX,
	0x11800001, GEN7_PIPE_CONTROL, GEN7_PIPE_CONTROL, GEN7_PIPE_CONTROL | 3, 0x70000006, 0x70000006, 0x70010002,
	0x70020002, GEN7_MEDIA_STATE_FLUSH, 0x71000004, 0x71040006, 0x71050009, 0x71050509, 0x680b0000, 0x69040001,
	0x61010008, 0x78080003, 0x78170005, 0x79170003, 0x79170103, 0x7b000005, 0x79000002, 0x54000004,
};

static const u32 gen7_rcs_registers[] = {
	0x2290, 0x2300, 0x2310, 0x2350, 0x2358, 0x235c, 0x2400, 0x240c, 0x2420, 0x2440, 0x2500, 0x5200, 0x5240,
	0x5280, 0xb010, 0xb020, 0x12358, 0x22358, 0x2134, 0x2148, 0x2360, 0x2410, 0x4080, 0x2220, 0xb024, 0xb030,
	0x22200,
};

static const u32 gen7_rcs_open[] = { 0x2290, 0x2310, 0x2400, 0x2408, 0x2430, 0x2500, 0x5280, 0xb010 };

static const u32 gen7_bcs_headers[] = {
	MI_NOOP, MI_USER_INTERRUPT, MI_ARB_CHECK, MI_BATCH_BUFFER_END, MI_OP_WAIT_FOR_EVENT << 23, MI_ARB_ON_OFF,
	0x06000000, MI_STORE_DATA_IMM_DW, 0x10000003, MI_STORE_DATA_IMM_DW | 0x400000, MI_STORE_DATA_IMM_DW | 0x40,
	MI_STORE_DATA_IMM_DW | 0x100, MI_LOAD_REGISTER_IMM(1), MI_LOAD_REGISTER_IMM(3), GEN7_MI_LOAD_REGISTER_MEM,
	GEN7_MI_STORE_REGISTER_MEM, GEN7_MI_STORE_REGISTER_MEM | 0x400000, GEN7_MI_FLUSH_DW, GEN7_MI_FLUSH_DW_QW,
	GEN7_MI_FLUSH_DW | 0x40, GEN7_MI_FLUSH_DW | MI_FLUSH_DW_STORE_INDEX, GEN7_MI_FLUSH_DW | 0x100, 0x13000000,
	0x0b000001, 0x1b000000, 0x1b000001, GEN7_MI_BATCH_BUFFER_START, GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT,
	MI_STORE_DATA_INDEX, MI_OP_UPDATE_GTT << 23 | 1, 0x40400006, 0x49000000, 0x4c400001, 0x4c40003c, 0x54000004,
	0x54c00006, 0x50000003,
};

static const u32 gen7_bcs_registers[] = { 0x22200, 0x22358, 0x2358, 0x12358, 0x22204, 0x22094, 0x220a8, 0x4280 };

static const u32 gen7_bcs_open[] = { 0x22200 };

static const u32 gen7_vcs_headers[] = {
	MI_NOOP, MI_USER_INTERRUPT, MI_ARB_CHECK, MI_BATCH_BUFFER_END, MI_ARB_ON_OFF, MI_STORE_DATA_IMM_DW,
	0x10000003, MI_STORE_DATA_IMM_DW | 0x400000, MI_STORE_DATA_IMM_DW | 0x40, MI_LOAD_REGISTER_IMM(1),
	GEN7_MI_STORE_REGISTER_MEM, GEN7_MI_FLUSH_DW, GEN7_MI_FLUSH_DW_QW, GEN7_MI_FLUSH_DW | 0x40, GEN7_MI_FLUSH_DW
	| MI_FLUSH_DW_STORE_INDEX, GEN7_MI_FLUSH_DW | 0x100, 0x1b000000, GEN7_MI_BATCH_BUFFER_START,
	MI_STORE_DATA_INDEX, 0x68000000, 0x68000100, 0x70000003, 0x70010004, 0x70020016, 0x71280004, 0x71280104,
	0x70060000, 0x7a000002,
};

static const u32 gen7_vcs_registers[] = { 0x12358, 0x2358, 0x12094 };

static const u32 gen6_rcs_headers[] = {
	MI_NOOP, MI_USER_INTERRUPT, MI_ARB_CHECK, MI_BATCH_BUFFER_END, MI_OP_FLUSH << 23, MI_OP_WAIT_FOR_EVENT << 23,
	MI_OP_REPORT_HEAD << 23, MI_ARB_ON_OFF, MI_STORE_DATA_IMM_DW, MI_STORE_DATA_IMM_DW, 0x10000003, 0x10400003,
	MI_STORE_DATA_IMM_DW | 0x400000, MI_STORE_DATA_IMM_DW | 0x40, MI_LOAD_REGISTER_IMM(1), MI_LOAD_REGISTER_IMM(3),
	GEN7_MI_STORE_REGISTER_MEM, GEN7_MI_STORE_REGISTER_MEM | 0x400000, GEN7_MI_LOAD_REGISTER_MEM,
	GEN7_MI_FLUSH_DW, 0x13800001, 0x0c800000, 0x0b000001, 0x0c000000, 0x1b000001, 0x1b200001, 0x1b600001,
	GEN7_MI_BATCH_BUFFER_START, GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT,
	GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT, MI_STORE_DATA_INDEX, 0x11800001, 0x09800000, GEN7_PIPE_CONTROL,
	GEN7_PIPE_CONTROL, GEN7_PIPE_CONTROL | 3, 0x70000006, 0x70010002, 0x70020002, 0x71000004, 0x680b0000,
	0x69040001, 0x61010008, 0x78080003, 0x7b000004, 0x79000002, 0x54000004,
};

static const u32 gen6_rcs_registers[] = {
	0x2310, 0x2350, 0x2358, 0x235c, 0x2354, 0x12358, 0x22358, 0x2134, 0x2148, 0x4080, 0x2220, 0x2030, 0x22200,
};

static const u32 gen6_rcs_open[] = { 0x2310, 0x2318, 0x2354 };

static const u32 gen6_bcs_headers[] = {
	MI_NOOP, MI_USER_INTERRUPT, MI_ARB_CHECK, MI_BATCH_BUFFER_END, MI_ARB_ON_OFF, MI_STORE_DATA_IMM_DW,
	MI_STORE_DATA_IMM_DW, 0x10000003, MI_STORE_DATA_IMM_DW | 0x400000, MI_STORE_DATA_IMM_DW | 0x40,
	MI_LOAD_REGISTER_IMM(1), GEN7_MI_STORE_REGISTER_MEM, GEN7_MI_STORE_REGISTER_MEM | 0x400000, GEN7_MI_FLUSH_DW,
	GEN7_MI_FLUSH_DW_QW, GEN7_MI_FLUSH_DW_QW | MI_FLUSH_DW_WRITE_QW, GEN7_MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW,
	GEN7_MI_FLUSH_DW | MI_FLUSH_DW_STORE_INDEX, 0x13000000, 0x13004000, 0x0b000001, 0x1b200001,
	GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT, GEN7_MI_BATCH_BUFFER_START, MI_STORE_DATA_INDEX, 0x40400006,
	0x49000000, 0x4c400001, 0x4c40003c, 0x54000004, 0x54c00006, 0x50000003,
};

static const u32 gen6_bcs_registers[] = { 0x22200, 0x22358, 0x2358, 0x12358, 0x22204, 0x22094, 0x24080 };

static const u32 gen6_vcs_headers[] = {
	MI_NOOP, MI_USER_INTERRUPT, MI_ARB_CHECK, MI_BATCH_BUFFER_END, MI_ARB_ON_OFF, MI_STORE_DATA_IMM_DW,
	MI_LOAD_REGISTER_IMM(1), GEN7_MI_STORE_REGISTER_MEM, GEN7_MI_FLUSH_DW, GEN7_MI_FLUSH_DW_QW,
	GEN7_MI_FLUSH_DW_QW | MI_FLUSH_DW_WRITE_QW, GEN7_MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW, 0x13004000,
	GEN7_MI_FLUSH_DW | MI_FLUSH_DW_STORE_INDEX, GEN7_MI_FLUSH_DW | 0x100, 0x1b200001,
	GEN7_MI_BATCH_BUFFER_START | MI_BBS_PPGTT, MI_STORE_DATA_INDEX, 0x68000000, 0x70000002, 0x70010004,
	0x70020016, 0x71280004, 0x70060000, 0x7a000002,
};

static const u32 gen6_vcs_registers[] = { 0x12358, 0x2358, 0x12094 };

#define LIST(name)	name, sizeof(name) / sizeof((name)[0])

/* What batches are made of, by parser; @open: registers that are allowed, where they are no range */
static const struct {
	const u32 *headers;
	u32 num_headers;
	const u32 *registers;
	u32 num_registers;
	const u32 *open;
	u32 num_open;
} kinds[] = {
	[JUDGE_GEN9_BCS] = { LIST(gen9_bcs_headers), LIST(gen9_bcs_registers), NULL, 0 },
	[JUDGE_GEN7_RCS] = { LIST(gen7_rcs_headers), LIST(gen7_rcs_registers), LIST(gen7_rcs_open) },
	[JUDGE_GEN7_BCS] = { LIST(gen7_bcs_headers), LIST(gen7_bcs_registers), LIST(gen7_bcs_open) },
	[JUDGE_GEN7_VCS] = { LIST(gen7_vcs_headers), LIST(gen7_vcs_registers), NULL, 0 },
	[JUDGE_GEN6_RCS] = { LIST(gen6_rcs_headers), LIST(gen6_rcs_registers), LIST(gen6_rcs_open) },
	[JUDGE_GEN6_BCS] = { LIST(gen6_bcs_headers), LIST(gen6_bcs_registers), LIST(gen7_bcs_open) },
	[JUDGE_GEN6_VCS] = { LIST(gen6_vcs_headers), LIST(gen6_vcs_registers), NULL, 0 },
};

static u64 state;

/* xorshift64* */
static u32 draw(u32 below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (u32)(((state * 0x2545f4914f6cdd1dull) >> 32) * below >> 32);
}

static u32 any_header(void)
{
	return kinds[judged].headers[draw(kinds[judged].num_headers)];
}

static u32 any_register(void)
{
	return kinds[judged].registers[draw(kinds[judged].num_registers)];
}

/* One that may be written, where there is one: of Gen9's blitter, a general purpose register. */
static u32 open_register(void)
{
	if (judged == JUDGE_GEN9_BCS)
		return 0x22600 + 4 * draw(32);
	return kinds[judged].num_open ? kinds[judged].open[draw(kinds[judged].num_open)] : any_register();
}

static u32 operand(u32 at)
{
	switch (draw(8)) {
	case 0:
		return any_header();
	case 1:
		return any_register();
	case 2:
		return 4 * draw(at + 4);
	case 3:
		return draw(1u << 31) << 1 | draw(2);
	default:
		return 0;
	}
}

/* On Gen6, mostly an address in the client's object, often in its last dwords or around its end. */
static u32 store_address(void)
{
	switch (draw(12)) {
	case 0:
		return operand(0);
	case 1:
		return STORE_GGTT + 4 * draw(8);
	case 2:
		return STORE_ADDR + STORE_BYTES - 16 + 4 * draw(6);
	case 3:
		return STORE_ADDR - 8 + 4 * draw(4);
	default:
		return STORE_ADDR + 4 * draw(STORE_BYTES / 4);
	}
}

/* The dword that has the address of what a command stores; 0: it stores nothing. */
static u32 store_dword(u32 header)
{
	if (header >> 16 == 0x7a00)
		return 2;
	if (IGEN_GET(CMD_TYPE_MASK, header) != CMD_TYPE_MI)
		return 0;
	switch (IGEN_GET(MI_OPCODE_MASK, header)) {
	case MI_OP_STORE_DATA_IMM:
	case MI_OP_STORE_REGISTER_MEM:
		return 2;
	case MI_OP_FLUSH_DW:
		return 1;
	}
	return 0;
}

/* A command at @at; returns its end. Registers, and jumps' targets, are mostly what they have to be. */
static u32 command(u32 *batch, u32 at, const u32 *starts, u32 num)
{
	u32 header = any_header(), len, op;
	u64 target;

	if (!draw(12))
		header ^= 1u << draw(32);
	if (!draw(40))
		header = draw(1u << 16) << 16 | draw(1u << 16);
	len = engine_length(header) ?: 1;
	batch[at] = header;
	for (u32 i = 1; i < len && at + i < BATCH_DWORDS; i++)
		batch[at + i] = operand(at);
	if (at + len > BATCH_DWORDS)
		return at + len;
	if (judged >= JUDGE_GEN6_RCS && store_dword(header) && store_dword(header) < len)
		batch[at + store_dword(header)] = store_address();
	if (judged == JUDGE_GEN6_RCS && header >> 16 == 0x7a00 && draw(4))
		batch[at + 1] &= ~0x00200100u;
	/* Bits of PIPE_CONTROL and of MEDIA_VFE_STATE that are mostly refused. */
	if (judged == JUDGE_GEN7_RCS && header >> 16 == 0x7a00 && draw(4))
		batch[at + 1] &= ~0x01a00100u;
	if (judged == JUDGE_GEN7_RCS && header >> 16 == 0x7000 && len > 2 && draw(4))
		batch[at + 2] &= ~0x3bu;
	if (IGEN_GET(CMD_TYPE_MASK, header) != CMD_TYPE_MI)
		return at + len;

	op = IGEN_GET(MI_OPCODE_MASK, header);
	if (op == MI_OP_BATCH_BUFFER_START && len >= 2) {
		target = BATCH_ADDR + 4 * (draw(3) ? starts[draw(num)] : draw(at + 8));
		if (!draw(16))
			target += draw(4);
		batch[at + 1] = target;
		if (len > 2)
			batch[at + 2] = draw(30) ? target >> 32 : draw(3);
	}
	if (op == MI_OP_FLUSH_DW && len > 1 && judged < JUDGE_GEN6_RCS && draw(8))
		batch[at + 1] &= ~4u;
	if (op == MI_OP_LOAD_REGISTER_IMM || op == MI_OP_LOAD_REGISTER_MEM || op == MI_OP_LOAD_REGISTER_REG ||
	    op == MI_OP_STORE_REGISTER_MEM)
		for (u32 i = 1; i < len; i += op == MI_OP_LOAD_REGISTER_REG ? 1 : 2)
			if (draw(8))
				batch[at + i] = draw(4) ? open_register() : any_register();
	return at + len;
}

static u32 make_batch(u32 *batch)
{
	u32 starts[BATCH_DWORDS], num = 0, at = 0, wanted = 1 + draw(24), total;

	while (num < wanted && at < BATCH_DWORDS) {
		starts[num++] = at;
		at = command(batch, at, starts, num);
	}
	if (at >= BATCH_DWORDS)
		return BATCH_DWORDS;
	batch[at++] = MI_BATCH_BUFFER_END;
	/* Commands behind the end of the batch. */
	total = at + draw(16);
	for (total = total < BATCH_DWORDS ? total : BATCH_DWORDS; at < total; at++)
		batch[at] = operand(at);
	return draw(16) ? total : 1 + draw(total);
}

static void show(const u32 *batch, u32 total, const char *what, unsigned long number)
{
	printf("# batch %lu: %s:", number, what);
	for (u32 i = 0; i < total; i++)
		printf(" %08x", batch[i]);
	printf("\n");
}

unsigned long fuzz(unsigned long count, u64 seed)
{
	static u32 batch[BATCH_DWORDS], shadow[BATCH_DWORDS + GUARD_DWORDS];
	unsigned long allowed = 0, wrong = 0, commands = 0;
	struct igen_batch_check check;
	unsigned int executed;
	const char *what;
	u32 total;

	state = seed ?: 1;
	for (unsigned long n = 0; n < count; n++) {
		total = make_batch(batch);
		if (judge_parse(&check, shadow, batch, total))
			continue;
		allowed++;
		what = judge_walk(&check, shadow, &executed);
		commands += executed;
		if (what && wrong++ < 3)
			show(batch, total, what, n);
	}
	printf("# %lu batches, %lu of them allowed, %lu commands of these executed, %lu wrong\n", count, allowed,
	       commands, wrong);
	/* A parser that lets nothing through is not judged. */
	return allowed > count / 50 ? wrong : wrong + 1;
}
