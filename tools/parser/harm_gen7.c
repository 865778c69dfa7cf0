// SPDX-License-Identifier: MIT
/*
 * What a client may not do with privilege on Ivy Bridge, command by command, independent of the parser's tables.
 * Registers and bits are those of stock i915's command parser; timestamps, which other clients read, may be read
 * alone.
 */
#include "judge.h"
#include "igen/cmd/blt.h"
#include "igen/cmd/mi.h"

#define BIT_GGTT	(1u << 22)
/* The upper half of a header of the 3D and media pipelines. */
#define OP_PIPE_CONTROL	0x7a00
#define OP_VFE_STATE	0x7000
/* Dword 1 of PIPE_CONTROL. */
#define POST_LRI	(1u << 23)
#define POST_NOTIFY	(1u << 8)
#define POST_GGTT	(1u << 24)
#define POST_INDEX	(1u << 21)
#define POST_OP		(3u << 14)
/* Dword 2 of MEDIA_VFE_STATE: threads may access registers. */
#define VFE_MMIO	(3u << 3)

static bool within(u32 reg, u32 first, u32 last)
{
	return reg >= first && reg <= last;
}

static bool gen7_readable(u32 reg)
{
	reg &= 0x7ffffc;
	return judged != JUDGE_GEN7_VCS &&
	       (within(reg, 0x2358, 0x235c) || within(reg, 0x12358, 0x1235c) || within(reg, 0x22358, 0x2235c));
}

/* Statistics, what predicates and indirect primitives and walkers use, stream-out, and the division of the L3 cache. */
static bool gen7_writable(u32 reg)
{
	reg &= 0x7ffffc;
	if (judged == JUDGE_GEN7_BCS)
		return reg == 0x22200;
	if (judged == JUDGE_GEN7_VCS)
		return false;
	return within(reg, 0x2290, 0x2294) || within(reg, 0x2300, 0x2354) || within(reg, 0x2400, 0x240c) ||
	       within(reg, 0x2420, 0x2420) || within(reg, 0x2430, 0x2440) || within(reg, 0x2500, 0x2508) ||
	       within(reg, 0x5200, 0x521c) || within(reg, 0x5240, 0x525c) || within(reg, 0x5280, 0x528c) ||
	       reg == 0xb010 || reg == 0xb020 || reg == 0xb024;
}

static const char *harm_of_mi(const u32 *dw, unsigned int len)
{
	switch (IGEN_GET(MI_OPCODE_MASK, dw[0])) {
	case MI_OP_NOOP:
	case MI_OP_ARB_CHECK:
	case MI_OP_BATCH_BUFFER_END:
		return NULL;
	case MI_OP_FLUSH:
	case 0x0c:	/* MI_PREDICATE */
	case 0x0d:	/* MI_TOPOLOGY_FILTER */
	case 0x19:	/* MI_URB_CLEAR */
		return judged == JUDGE_GEN7_RCS ? NULL : "a command of the render engine";
	case 0x27:	/* MI_CLFLUSH */
		if (judged != JUDGE_GEN7_RCS)
			return "a command of the render engine";
		return dw[0] & BIT_GGTT ? "global GTT" : NULL;
	case 0x28:	/* MI_REPORT_PERF_COUNT */
		if (judged != JUDGE_GEN7_RCS)
			return "a command of the render engine";
		return len > 1 && dw[1] & 1 ? "global GTT" : NULL;
	case MI_OP_STORE_DATA_IMM:
	case MI_OP_CONDITIONAL_BATCH_BUFFER_END:
		return dw[0] & BIT_GGTT ? "global GTT" : NULL;
	case MI_OP_FLUSH_DW:
		if (dw[0] & POST_NOTIFY)
			return "interrupt";
		return dw[0] & 1u << 21 || (len > 1 && dw[1] & 4) ? "status page or global GTT" : NULL;
	case MI_OP_LOAD_REGISTER_IMM:
		for (unsigned int i = 1; i < len; i += 2)
			if (!gen7_writable(dw[i]))
				return "register written";
		return NULL;
	case MI_OP_LOAD_REGISTER_MEM:
		return dw[0] & BIT_GGTT ? "global GTT" : gen7_writable(dw[1]) ? NULL : "register written";
	case MI_OP_STORE_REGISTER_MEM:
		if (dw[0] & BIT_GGTT)
			return "global GTT";
		return gen7_readable(dw[1]) || gen7_writable(dw[1]) ? NULL : "register read";
	}
	return "command that no client may use";
}

static const char *harm_of_gfx(const u32 *dw, unsigned int len)
{
	if (judged == JUDGE_GEN7_BCS)
		return "a command of another engine";
	if (judged == JUDGE_GEN7_VCS)
		return NULL;
	if (dw[0] >> 16 == OP_VFE_STATE)
		return len < 3 ? "cut off" : dw[2] & VFE_MMIO ? "threads that access registers" : NULL;
	if (dw[0] >> 16 != OP_PIPE_CONTROL)
		return NULL;
	if (len < 2 || dw[1] & (POST_LRI | POST_NOTIFY))
		return "register written, or interrupt";
	return dw[1] & POST_OP && dw[1] & (POST_GGTT | POST_INDEX) ? "status page or global GTT" : NULL;
}

const char *harm_of_gen7(const u32 *dw, unsigned int len)
{
	switch (IGEN_GET(CMD_TYPE_MASK, dw[0])) {
	case CMD_TYPE_MI:
		return harm_of_mi(dw, len);
	case CMD_TYPE_BLT:
		return judged == JUDGE_GEN7_BCS ? NULL : "a command of another engine";
	case CMD_TYPE_GFX:
		return harm_of_gfx(dw, len);
	}
	return "no command";
}

/* MI commands whose lengths are not those of bits 5:0, as stock i915's tables of Gen7 have them. */
static u32 length_of_mi(u32 header)
{
	switch (IGEN_GET(MI_OPCODE_MASK, header)) {
	case MI_OP_STORE_REGISTER_MEM:
	case MI_OP_LOAD_REGISTER_MEM:
		return 3;
	case MI_OP_LOAD_REGISTER_IMM:
	case MI_OP_CONDITIONAL_BATCH_BUFFER_END:
	case 0x19:
		return (header & 0xff) + 2;
	case MI_OP_STORE_DATA_IMM:
		return (header & (judged == JUDGE_GEN7_RCS ? 0x3f : judged == JUDGE_GEN7_VCS ? 0xff : 0x3ff)) + 2;
	case 0x27:
		return (header & 0x3ff) + 2;
	}
	return IGEN_GET(MI_OPCODE_MASK, header) < 0x10 ? 1 : (header & 0x3f) + 2;
}

u32 length_by_facts_gen7(u32 header)
{
	u32 op = header >> 16;

	if (IGEN_GET(CMD_TYPE_MASK, header) == CMD_TYPE_MI)
		return length_of_mi(header);
	if (IGEN_GET(CMD_TYPE_MASK, header) == CMD_TYPE_BLT)
		return (header & 0xff) + 2;
	if (judged == JUDGE_GEN7_VCS)
		/* MFX_WAIT; then the decoder's commands. */
		return op == 0x6800 ? 1 : (header & ((op >> 8 & 7) == 6 ? 0xffff : 0xfff)) + 2;
	switch (op) {
	case 0x680b:	/* 3DSTATE_VF_STATISTICS */
	case 0x6904:	/* PIPELINE_SELECT */
		return 1;
	case 0x7104:	/* GPGPU_OBJECT */
	case 0x7105:	/* GPGPU_WALKER */
		return (header & 0xff) + 2;
	case 0x7917:	/* 3DSTATE_SO_DECL_LIST */
		return (header & 0x1ff) + 2;
	}
	return (header & ((op >> 11 & 3) == 2 ? 0xffff : 0xff)) + 2;
}
