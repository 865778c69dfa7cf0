// SPDX-License-Identifier: MIT
/*
 * What a client may not do on Sandy Bridge, where its batches run with privilege, command by command, independent of
 * the parser's tables. What a batch stores has to go through the GGTT, to the object that the judge has there;
 * whatever else names the GGTT is harm.
 */
#include "judge.h"
#include "igen/cmd/blt.h"
#include "igen/cmd/mi.h"

#define BIT_GGTT	(1u << 22)
#define OP_PIPE_CONTROL	0x7a00
/* Bits of a flush: the write, the status page and the interrupt in its first dword, the GGTT in its address. */
#define POST_OP		(3u << 14)
#define POST_INDEX	(1u << 21)
#define POST_NOTIFY	(1u << 8)
#define FLUSH_GGTT	4u

static bool within(u32 reg, u32 first, u32 last)
{
	return reg >= first && reg <= last;
}

static bool gen6_readable(u32 reg)
{
	reg &= 0x7ffffc;
	return judged != JUDGE_GEN6_VCS &&
	       (within(reg, 0x2358, 0x235c) || within(reg, 0x12358, 0x1235c) || within(reg, 0x22358, 0x2235c));
}

/* Statistics, and the blitter's tiling control. */
static bool gen6_writable(u32 reg)
{
	reg &= 0x7ffffc;
	if (judged == JUDGE_GEN6_BCS)
		return reg == 0x22200;
	return judged == JUDGE_GEN6_RCS && within(reg, 0x2310, 0x2354);
}

/* A store of @bytes. */
static const char *harm_of_store(bool ggtt, u32 address, u32 bytes)
{
	if (!ggtt)
		return "a store without an address of the GGTT";
	if (address < STORE_GGTT || address - STORE_GGTT > STORE_BYTES - bytes)
		return "a store to what is not the client's";
	return NULL;
}

static const char *harm_of_flush(const u32 *dw, unsigned int len, u32 flags, unsigned int at)
{
	if (flags & (POST_NOTIFY | POST_INDEX))
		return "status page or interrupt";
	if (!(flags & POST_OP))
		return NULL;
	if (len <= at)
		return "a store without an address";
	return harm_of_store(dw[at] & FLUSH_GGTT, dw[at] & ~7u, 8);
}

static const char *harm_of_mi(const u32 *dw, unsigned int len)
{
	const char *what;

	switch (IGEN_GET(MI_OPCODE_MASK, dw[0])) {
	case MI_OP_NOOP:
	case MI_OP_ARB_CHECK:
	case MI_OP_BATCH_BUFFER_END:
		return NULL;
	case MI_OP_FLUSH:
	case 0x19:	/* MI_URB_CLEAR */
		return judged == JUDGE_GEN6_RCS ? NULL : "a command of the render engine";
	case 0x27:	/* MI_CLFLUSH */
		if (judged != JUDGE_GEN6_RCS)
			return "a command of the render engine";
		return dw[0] & BIT_GGTT ? "global GTT" : NULL;
	case MI_OP_CONDITIONAL_BATCH_BUFFER_END:
		return dw[0] & BIT_GGTT ? "global GTT" : NULL;
	case MI_OP_BATCH_BUFFER_START:
		return dw[0] & 0x100 ? "the privilege ends" : NULL;
	case MI_OP_STORE_DATA_IMM:
		if (judged == JUDGE_GEN6_VCS)
			return "the engine hangs";
		return harm_of_store(dw[0] & BIT_GGTT, dw[2], 4 * (len - 3));
	case MI_OP_FLUSH_DW:
		return judged == JUDGE_GEN6_RCS ? "a command of other engines" : harm_of_flush(dw, len, dw[0], 1);
	case MI_OP_LOAD_REGISTER_IMM:
		for (unsigned int i = 1; i < len; i += 2)
			if (!gen6_writable(dw[i]))
				return "register written";
		return NULL;
	case MI_OP_STORE_REGISTER_MEM:
		what = harm_of_store(dw[0] & BIT_GGTT, dw[2], 4);
		if (what)
			return what;
		return gen6_readable(dw[1]) || gen6_writable(dw[1]) ? NULL : "register read";
	}
	return "command that no client may use";
}

static const char *harm_of_gfx(const u32 *dw, unsigned int len)
{
	if (judged == JUDGE_GEN6_BCS)
		return "a command of another engine";
	if (judged == JUDGE_GEN6_VCS || dw[0] >> 16 != OP_PIPE_CONTROL)
		return NULL;
	return len < 2 ? "cut off" : harm_of_flush(dw, len, dw[1], 2);
}

const char *harm_of_gen6(const u32 *dw, unsigned int len)
{
	switch (IGEN_GET(CMD_TYPE_MASK, dw[0])) {
	case CMD_TYPE_MI:
		return harm_of_mi(dw, len);
	case CMD_TYPE_BLT:
		return judged == JUDGE_GEN6_BCS ? NULL : "a command of another engine";
	case CMD_TYPE_GFX:
		return harm_of_gfx(dw, len);
	}
	return "no command";
}

u32 length_by_facts_gen6(u32 header)
{
	u32 op = header >> 16;

	if (IGEN_GET(CMD_TYPE_MASK, header) == CMD_TYPE_MI) {
		if (IGEN_GET(MI_OPCODE_MASK, header) < 0x10)
			return 1;
		if (IGEN_GET(MI_OPCODE_MASK, header) == MI_OP_LOAD_REGISTER_IMM)
			return (header & 0xff) + 2;
		return (header & 0x3f) + 2;
	}
	if (IGEN_GET(CMD_TYPE_MASK, header) == CMD_TYPE_BLT)
		return (header & 0xff) + 2;
	if (judged == JUDGE_GEN6_VCS)
		/* MFX_WAIT; then the decoder's commands. */
		return op == 0x6800 ? 1 : (header & ((op >> 8 & 7) == 6 ? 0xffff : 0xfff)) + 2;
	/* 3DSTATE_VF_STATISTICS and PIPELINE_SELECT */
	if (op == 0x680b || op == 0x6904)
		return 1;
	return (header & ((op >> 11 & 3) == 2 ? 0xffff : 0xff)) + 2;
}
