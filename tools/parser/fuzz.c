// SPDX-License-Identifier: MIT
/**
 * DOC: Batches for the command parser
 *
 * Batches that are nearly right: commands of the blitter with random lengths, bits and operands, among them commands
 * in what others take for data, jumps to commands, between them and out of the batch, and lengths that cut off. The
 * same seed makes the same batches.
 */
#include <stdio.h>
#include <string.h>

#include "judge.h"
#include "igen/cmd/blt.h"
#include "igen/cmd/mi.h"
#include "igen/regs/engine.h"

/* Of each command's usual header; with bits that random headers would rarely have. */
static const u32 headers[] = {
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

static const u32 registers[] = {
	0x22200, 0x22600, 0x2267c, 0x22600, 0x22610, 0x22358, 0x2358, 0x223a8, 0x22680, 0x22204, 0x220a8, 0x22094,
	0x24d0,
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

#define ANY(list)	((list)[draw(sizeof(list) / sizeof((list)[0]))])

static u32 operand(u32 at)
{
	switch (draw(8)) {
	case 0:
		return ANY(headers);
	case 1:
		return ANY(registers);
	case 2:
		return 4 * draw(at + 4);
	case 3:
		return draw(1u << 31) << 1 | draw(2);
	default:
		return 0;
	}
}

/* A command at @at; returns its end. Registers, and jumps' targets, are mostly what they have to be. */
static u32 command(u32 *batch, u32 at, const u32 *starts, u32 num)
{
	u32 header = ANY(headers), len, op;
	u64 target;

	if (!draw(12))
		header ^= 1u << draw(32);
	if (!draw(40))
		header = draw(1u << 16) << 16 | draw(1u << 16);
	len = engine_length(header) ?: 1;
	batch[at] = header;
	for (u32 i = 1; i < len && at + i < BATCH_DWORDS; i++)
		batch[at + i] = operand(at);
	if (at + len > BATCH_DWORDS || IGEN_GET(CMD_TYPE_MASK, header) != CMD_TYPE_MI)
		return at + len;

	op = IGEN_GET(MI_OPCODE_MASK, header);
	if (op == MI_OP_BATCH_BUFFER_START && len >= 3) {
		target = BATCH_ADDR + 4 * (draw(3) ? starts[draw(num)] : draw(at + 8));
		if (!draw(16))
			target += draw(4);
		batch[at + 1] = target;
		batch[at + 2] = draw(30) ? target >> 32 : draw(3);
	}
	if (op == MI_OP_FLUSH_DW && len > 1 && draw(8))
		batch[at + 1] &= ~4u;
	if (op == MI_OP_LOAD_REGISTER_IMM || op == MI_OP_LOAD_REGISTER_MEM || op == MI_OP_LOAD_REGISTER_REG ||
	    op == MI_OP_STORE_REGISTER_MEM)
		for (u32 i = 1; i < len; i += op == MI_OP_LOAD_REGISTER_REG ? 1 : 2)
			if (draw(8))
				batch[at + i] = draw(4) ? 0x22600 + 4 * draw(32) : ANY(registers);
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
