// SPDX-License-Identifier: MIT
/*
 * What a client may not do on Gen9's blitter, command by command, independent of the parser's table; harm_gen7.c and
 * harm_gen6.c have what it may not do on Gen7 and Gen6.
 */
#include "judge.h"
#include "igen/cmd/blt.h"
#include "igen/cmd/mi.h"
#include "igen/regs/engine.h"

#define BIT_GGTT	(1u << 22)

static bool readable(u32 reg)
{
	static const u32 timestamps[] = { 0x2358, 0x235c, 0x12358, 0x1235c, 0x22358, 0x2235c, 0x223a8 };

	for (unsigned int i = 0; i < sizeof(timestamps) / sizeof(timestamps[0]); i++)
		if ((reg & 0x7ffffc) == timestamps[i])
			return true;
	return false;
}

/* The tiling control and the general purpose registers. */
static bool writable(u32 reg)
{
	reg &= 0x7ffffc;
	return reg == 0x22200 || (reg >= 0x22600 && reg < 0x22680);
}

static const char *harm_of_mi(const u32 *dw, unsigned int len)
{
	switch (IGEN_GET(MI_OPCODE_MASK, dw[0])) {
	case MI_OP_NOOP:
	case MI_OP_USER_INTERRUPT:
	case MI_OP_WAIT_FOR_EVENT:
	case MI_OP_FLUSH:
	case MI_OP_ARB_CHECK:
	case MI_OP_BATCH_BUFFER_END:
	case MI_OP_LOAD_SCAN_LINES_INCL:
	case MI_OP_LOAD_SCAN_LINES_EXCL:
	case MI_OP_MATH:
		return NULL;
	case MI_OP_STORE_DATA_IMM:
	case MI_OP_ATOMIC:
	case MI_OP_CONDITIONAL_BATCH_BUFFER_END:
		return dw[0] & BIT_GGTT ? "global GTT" : NULL;
	case MI_OP_SEMAPHORE_WAIT:
		return dw[0] & BIT_GGTT ? "global GTT" : dw[0] & 1u << 16 ? "register polled" : NULL;
	case MI_OP_COPY_MEM_MEM:
		return dw[0] & 3u << 21 ? "global GTT" : NULL;
	case MI_OP_FLUSH_DW:
		return dw[0] & 1u << 21 || (len > 1 && dw[1] & 4) ? "status page or global GTT" : NULL;
	case MI_OP_LOAD_REGISTER_IMM:
		for (unsigned int i = 1; i < len; i += 2)
			if (!writable(dw[i]))
				return "register written";
		return NULL;
	case MI_OP_LOAD_REGISTER_MEM:
		return dw[0] & BIT_GGTT ? "global GTT" : writable(dw[1]) ? NULL : "register written";
	case MI_OP_STORE_REGISTER_MEM:
		return dw[0] & BIT_GGTT ? "global GTT" : readable(dw[1]) || writable(dw[1]) ? NULL : "register read";
	case MI_OP_LOAD_REGISTER_REG:
		if (!writable(dw[2]))
			return "register written";
		return readable(dw[1]) || writable(dw[1]) ? NULL : "register read";
	case MI_OP_BATCH_BUFFER_START:
		/* In the PPGTT, at the same level, without predicate and offset. */
		return (dw[0] & 0x7fff00) == 0x100 ? NULL : "jump with operands";
	}
	return "command that no client may use";
}

const char *harm_of(const u32 *dw, unsigned int len)
{
	if (judged >= JUDGE_GEN6_RCS)
		return harm_of_gen6(dw, len);
	if (judged != JUDGE_GEN9_BCS)
		return harm_of_gen7(dw, len);
	return IGEN_GET(CMD_TYPE_MASK, dw[0]) == CMD_TYPE_BLT ? NULL : harm_of_mi(dw, len);
}
