// SPDX-License-Identifier: MIT
/**
 * DOC: Commands of a hostile guest
 *
 * A command is a row of a table: its header, which bits of it vary, and the kinds of its operands. One in sixteen has
 * another length than it says.
 */
#include "cs/cs.h"
#include "fuzz.h"
#include "igen/cmd/blt.h"
#include "igen/cmd/gfx.h"
#include "igen/cmd/mi.h"
#include "igen/regs/engine.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"
#include "igen/regs/irq.h"
#include "igen/regs/workarounds.h"

/*
 * Operands: A an address, two dwords; D a value; R a register; C a coordinate pair; P a pitch; B a blitter's control
 * dword; I immediate data to the end; L pairs of register and value; U one or more ALU instructions.
 */
struct command {
	uint32_t header;
	uint32_t vary;
	const char *operands;
};

static const struct command mi_commands[] = {
	{ MI_NOOP, 0x7fffff, "" },
	{ MI_USER_INTERRUPT, 0, "" },
	{ MI_ARB_CHECK, 0, "" },
	{ MI_ARB_ON_OFF, 3, "" },
	{ MI_BATCH_BUFFER_END, 0, "" },
	{ MI_STORE_DATA_IMM_DW, MI_SDI_GGTT, "ADDDD" },
	{ MI_STORE_DATA_IMM_QW, MI_SDI_GGTT, "ADD" },
	{ MI_STORE_DATA_INDEX, MI_SDX_PPHWSP, "DDD" },
	{ MI_LOAD_REGISTER_IMM(1), 0xf00, "L" },
	{ MI_STORE_REGISTER_MEM, MI_MEM_GGTT | MI_SRM_PREDICATE, "RA" },
	{ MI_LOAD_REGISTER_MEM, MI_MEM_GGTT, "RA" },
	{ MI_LOAD_REGISTER_REG, 0, "RR" },
	{ MI_COPY_MEM_MEM, MI_COPY_SRC_GGTT | MI_COPY_DST_GGTT, "AA" },
	{ MI_BATCH_BUFFER_START, MI_BBS_SECOND_LEVEL | MI_BBS_ADD_OFFSET | MI_BBS_PREDICATE | MI_BBS_PPGTT, "A" },
	{ MI_SEMAPHORE_WAIT, 0x41f000, "DA" },
	{ MI_SEMAPHORE_SIGNAL, MI_SEMAPHORE_SIGNAL_ENGINE_MASK, "D" },
	{ MI_FLUSH_DW, 0x24c180, "ADD" },
	{ MI_CONDITIONAL_BB_END, 0x6c7000, "DA" },
	{ MI_PREDICATE, 0xdb, "" },
	{ MI_SET_PREDICATE, 0xf, "" },
	{ MI_ATOMIC, 0x7bff00, "A" },
	{ MI_ATOMIC_INLINE, 0x5bff00, "ADDDDDDDD" },
	{ MI_MATH(1), 0, "U" },
	{ IGEN_PREP(MI_OPCODE_MASK, MI_OP_REPORT_HEAD), 0, "" },
	{ IGEN_PREP(MI_OPCODE_MASK, MI_OP_UPDATE_GTT), 0x400000, "DDDDD" },
};

static const struct command render_commands[] = {
	{ PIPE_CONTROL, 0, "DADD" },
	{ GPGPU_WALKER | 13, 0x100, "DDDDDDDDDDDDDD" },
	{ PRIMITIVE_3D | 5, 0x100, "DDDDDD" },
	{ MEDIA_OBJECT | 4, 0, "DDDDD" },
};

static const struct {
	uint8_t opcode;
	const char *operands;
} blit_commands[] = {
	{ BLT_OP_XY_COLOR, "BCCAD" },
	{ BLT_OP_XY_PAT, "BCCAA" },
	{ BLT_OP_XY_PAT_BLT_IMMEDIATE, "BCCAI" },
	{ BLT_OP_XY_MONO_PAT, "BCCADDDD" },
	{ BLT_OP_XY_SRC_COPY, "BCCACPA" },
	{ BLT_OP_XY_MONO_SRC_COPY, "BCCAADD" },
	{ BLT_OP_XY_MONO_SRC_COPY_IMMEDIATE, "BCCADDI" },
	{ BLT_OP_XY_FULL, "BCCAPCAA" },
	{ BLT_OP_XY_FULL_IMMEDIATE_PATTERN, "BCCAPCAI" },
	{ BLT_OP_XY_FULL_MONO_SRC, "BCCAADDA" },
	{ BLT_OP_XY_FULL_MONO_PATTERN, "BCCAPCADDDD" },
	{ BLT_OP_XY_FULL_MONO_PATTERN_MONO_SRC, "BCCAADDDDDD" },
	{ BLT_OP_XY_PIXEL, "C" },
	{ BLT_OP_XY_SCANLINES, "CC" },
	{ BLT_OP_XY_TEXT, "CCA" },
	{ BLT_OP_XY_TEXT_IMMEDIATE, "CCI" },
	{ BLT_OP_XY_SETUP, "BCCADDA" },
	{ BLT_OP_XY_SETUP_CLIP, "CC" },
	{ BLT_OP_XY_SETUP_MONO_PATTERN_SL, "BCCADDDD" },
	{ BLT_OP_XY_FAST_COPY, "BCCACPA" },
};

uint64_t fuzz_address(struct input *in)
{
	static const uint64_t bases[] = {
		EDGE_VA, EDGE_VA_64K, EDGE_VA_TABLE, EDGE_VA_2M, EDGE_GGTT, 0x40020000, 0x20000,
		0x41000000, 0x1000000,		/* in the middle of RAM */
		0x40100000, 0x40120000, 0x40128000, 0x40130000,	/* a context: image, ring, batches */
		0x10000, 0x41ff0000, 0xfff0000,
	};
	uint64_t addr;

	switch (below(in, 8)) {
	case 0:
		return take32(in);
	case 1:
		return take64(in);
	case 2:
		/* Near the end of a page, or of what is there of it. */
		addr = bases[below(in, 5)] + below(in, EDGE_PAGES) * 4096ull;
		return addr + (one_in(in, 2) ? 0xa10 : 0x1000) - below(in, 64);
	default:
		addr = bases[below(in, ELEMENTS(bases))] + below(in, EDGE_PAGES) * 4096ull;
		return one_in(in, 2) ? addr : addr + take16(in) % 4096;
	}
}

uint32_t fuzz_register(struct input *in)
{
	static const uint32_t bases[] = { RCS0_BASE, BCS0_BASE, VCS0_BASE, VECS0_BASE };
	static const uint32_t engine[] = {
		RING_TAIL(0), RING_HEAD(0), RING_START(0), RING_CTL(0), RING_HWS_PGA(0), RING_MODE(0), RING_MI_MODE(0),
		RING_IMR(0), RING_EIR(0), RING_EMR(0), RING_ELSP(0), RING_CTX_STATUS_PTR(0), RING_CTX_CTL(0),
		RING_RESET_CTL(0), RING_NOPID(0), RING_PREDICATE_RESULT(0), RING_PREDICATE_RESULT_1(0),
		RING_BB_OFFSET(0), RING_INDIRECT_CTX(0), RING_BB_PER_CTX_PTR(0), RING_PDP_LDW(0, 0),
	};
	static const uint32_t others[] = {
		GDRST, TLB_INV_RCS, TLB_INV_BCS, GFX_FLSH_CNTL, MASTER_IRQ, GT_IMR(0), GT_IIR(0), GT_IER(0), GT_IIR(1),
		FORCEWAKE_RENDER, FORCEWAKE_GT, FORCEWAKE_MEDIA, PCODE_MAILBOX, PCODE_DATA, RPNSWREQ, RC_CONTROL,
		RING_FAULT_REG, FAULT_TLB_DATA0, FUSE2, BCS_SWCTRL, L3CNTLREG, GPGPU_DISPATCHDIMX, CTX_PREEMPT_REG,
	};

	switch (below(in, 8)) {
	case 0:
		return take32(in) & 0x7ffffc;
	case 1:
		return FENCE_REG(below(in, 34)) + 4 * below(in, 2);
	case 2:
		return bases[below(in, 4)] + RING_GPR(0, below(in, 18)) + 4 * below(in, 2);
	case 3:
		return bases[below(in, 4)] + RING_FORCE_TO_NONPRIV(0, below(in, 14));
	case 4:
		return others[below(in, ELEMENTS(others))];
	case 5:
		return RCS0_BASE + (take16(in) & 0xffc);
	default:
		return bases[below(in, 4)] + engine[below(in, ELEMENTS(engine))];
	}
}

static uint32_t coordinate(struct input *in)
{
	static const int16_t edges[] = { 0, 1, 7, 8, 16, 64, 127, 128, 512, 1024, 4096, -1, -8, 32767, -32768 };

	if (one_in(in, 4))
		return take16(in);
	return (uint16_t)(edges[below(in, ELEMENTS(edges))] + (int)below(in, 3) - 1);
}

static uint32_t pitch(struct input *in)
{
	static const int16_t edges[] = { 0, 1, 4, 16, 32, 64, 128, 512, 1024, 4096, 32767, -1, -4, -512, -32768 };

	return one_in(in, 4) ? take16(in) : (uint16_t)edges[below(in, ELEMENTS(edges))];
}

static uint32_t alu(struct input *in)
{
	static const uint32_t ops[] = {
		MI_ALU_NOOP, MI_ALU_LOAD, MI_ALU_LOADINV, MI_ALU_LOAD0, MI_ALU_LOAD1, MI_ALU_ADD, MI_ALU_SUB,
		MI_ALU_AND, MI_ALU_OR, MI_ALU_XOR, MI_ALU_STORE, MI_ALU_STOREINV,
	};
	static const uint32_t operands[] = {
		MI_ALU_SRCA, MI_ALU_SRCB, MI_ALU_ACCU, MI_ALU_ZF, MI_ALU_CF, 16, 0x3ff, 0x200,
	};
	uint32_t a, b, op;

	if (one_in(in, 16))
		return take32(in);
	a = one_in(in, 2) ? below(in, 16) : operands[below(in, ELEMENTS(operands))];
	b = one_in(in, 2) ? below(in, 16) : operands[below(in, ELEMENTS(operands))];
	op = ops[below(in, ELEMENTS(ops))];
	/* The other operand is mostly one that the instruction takes. */
	if ((op == MI_ALU_STORE || op == MI_ALU_STOREINV) && b < 16)
		b = MI_ALU_ACCU + b % 3;
	if ((op == MI_ALU_LOAD || op == MI_ALU_LOADINV) && a < 16)
		a = MI_ALU_SRCA + a % 2;
	return MI_ALU(op, a, b);
}

/* How much immediate data there is, in dwords: mostly a pattern of 8 by 8 pixels. */
static unsigned int immediate_dwords(struct input *in)
{
	static const uint8_t sizes[] = { 16, 32, 64, 2, 1, 0, 17, 63 };

	return one_in(in, 4) ? below(in, 200) : sizes[below(in, ELEMENTS(sizes))];
}

static unsigned int operands(struct input *in, const char *kinds, uint32_t *dw, unsigned int n)
{
	unsigned int more;
	uint64_t addr;

	for (; *kinds; kinds++) {
		switch (*kinds) {
		case 'A':
			addr = fuzz_address(in);
			dw[n++] = (uint32_t)addr;
			dw[n++] = (uint32_t)(addr >> 32);
			break;
		case 'R':
			dw[n++] = fuzz_register(in);
			break;
		case 'C':
			dw[n] = coordinate(in);
			dw[n++] |= coordinate(in) << 16;
			break;
		case 'P':
			dw[n++] = pitch(in);
			break;
		case 'B':
			dw[n] = pitch(in) | (take8(in) & 0xf3u) << 24;
			dw[n++] |= (uint32_t)take8(in) << 16;
			break;
		case 'I':
			for (more = immediate_dwords(in); more; more--)
				dw[n++] = take8(in) * 0x01010101u;
			break;
		case 'L':
			for (more = 1 + below(in, 8); more; more--) {
				dw[n++] = fuzz_register(in);
				dw[n++] = take_value(in);
			}
			break;
		case 'U':
			for (more = 1 + below(in, 16); more; more--)
				dw[n++] = alu(in);
			break;
		default:
			dw[n++] = take_value(in);
			break;
		}
	}
	return n;
}

/* The length that a command of n dwords has in its header, now and then another. */
static uint32_t length_field(struct input *in, unsigned int n)
{
	return (one_in(in, 16) ? take8(in) : n - 2) & 0xff;
}

unsigned int fuzz_blit_command(struct input *in, uint32_t *dw)
{
	unsigned int i = below(in, ELEMENTS(blit_commands));
	unsigned int n;

	dw[0] = CMD_TYPE_BLT << 29 | IGEN_PREP(BLT_OPCODE_MASK, blit_commands[i].opcode);
	dw[0] |= XY_WRITE_ALPHA | XY_WRITE_RGB;
	if (one_in(in, 2))
		dw[0] ^= take32(in) & 0x3fff00;
	n = operands(in, blit_commands[i].operands, dw, 1);
	dw[0] |= length_field(in, n);
	return n;
}

static unsigned int from_table(struct input *in, const struct command *c, uint32_t *dw)
{
	unsigned int n = operands(in, c->operands, dw, 1);

	dw[0] = c->header | (c->vary && one_in(in, 2) ? take32(in) & c->vary : 0);
	if (c->operands[0] && n > 1)
		dw[0] = (dw[0] & ~0xffu) | length_field(in, n);
	return n;
}

unsigned int fuzz_command(struct input *in, int class, uint32_t *dw)
{
	unsigned int kind = below(in, 16);

	if (kind == 0) {
		dw[0] = take32(in);
		return operands(in, "DDDD", dw, 1);
	}
	if (class == ENGINE_COPY && kind < 10)
		return fuzz_blit_command(in, dw);
	if (class == ENGINE_RENDER && kind < 5)
		return from_table(in, &render_commands[below(in, ELEMENTS(render_commands))], dw);
	return from_table(in, &mi_commands[below(in, ELEMENTS(mi_commands))], dw);
}
