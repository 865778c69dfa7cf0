// SPDX-License-Identifier: MIT
/**
 * DOC: Command parser
 *
 * Gen9's blitter lets unprivileged batches write any register (CVE-2019-0155), so its batches are copied to where
 * userspace cannot write, checked in the copy, and the copy runs. What is checked, as i915 does it: only MI and blitter
 * commands, each within the batch; registers only from the platform's list; the batch ends with MI_BATCH_BUFFER_END, or
 * with a jump to a command of its own that was checked before, which is redirected into the copy.
 *
 * The hardware's lengths count: MI opcodes below 10h are one dword, all else has its length in bits 7:0 less two
 * (public Gen9 PRM Vol 2a). Nothing behind the last command that was checked is in the copy.
 */
#include <linux/errno.h>

#include <igen/cmd/mi.h>

#include "igen_cmdparser.h"

#define LENGTH_MASK	0xff
#define LENGTH_BIAS	2

/* A jump may say nothing but that it stays in the PPGTT. */
#define BBS_OPERANDS	(IGEN_MASK(22, 0))
#define BBS_EXPECTED	(MI_BBS_PPGTT | 1)

/* MI opcodes from here on have a length field. */
#define FIRST_LONG_OPCODE	0x10

static bool is_mi(u32 header)
{
	return IGEN_GET(CMD_TYPE_MASK, header) == CMD_TYPE_MI;
}

/* Return: dwords of a command, or 0 for one that the blitter does not have. */
static u32 length_of(u32 header)
{
	if (is_mi(header)) {
		if (IGEN_GET(MI_OPCODE_MASK, header) < FIRST_LONG_OPCODE)
			return 1;
	} else if (IGEN_GET(CMD_TYPE_MASK, header) != CMD_TYPE_BLT) {
		return 0;
	}
	return (header & LENGTH_MASK) + LENGTH_BIAS;
}

static bool allowed(const u32 *regs, u32 reg)
{
	for (; *regs; regs++)
		if (*regs == (reg & MI_REGISTER_MASK))
			return true;
	return false;
}

static int check_registers(const struct igen_batch_check *check, const u32 *cmd, u32 length)
{
	u32 i, step;

	switch (IGEN_GET(MI_OPCODE_MASK, *cmd)) {
	case MI_OP_LOAD_REGISTER_IMM:
		step = 2;
		break;
	case MI_OP_LOAD_REGISTER_REG:
		step = 1;
		break;
	case MI_OP_STORE_REGISTER_MEM:
	case MI_OP_LOAD_REGISTER_MEM:
		if (length != 4)
			return -EINVAL;
		step = length;
		break;
	default:
		return 0;
	}

	for (i = 1; i < length; i += step)
		if (!allowed(check->regs, cmd[i]))
			return -EACCES;
	return 0;
}

/* A jump ends what is checked, so its target must have been: the start of a command at or before it. */
static int check_jump(const struct igen_batch_check *check, u32 pos, u32 length)
{
	u32 *cmd = check->shadow + pos;
	u64 target, address;
	u32 at;

	if ((*cmd & BBS_OPERANDS) != BBS_EXPECTED)
		return -EACCES;
	if (length != 3)
		return -EINVAL;

	target = (cmd[1] | (u64)cmd[2] << 32) - check->batch_addr;
	if (target >= (u64)check->total * sizeof(u32) || target % sizeof(u32))
		return -EINVAL;
	target /= sizeof(u32);

	for (at = 0; at < target; at += length_of(check->shadow[at]))
		if (at >= pos)
			return -EINVAL;
	if (at != target)
		return -EINVAL;

	address = check->shadow_addr + target * sizeof(u32);
	cmd[1] = address;
	cmd[2] = address >> 32;
	return 0;
}

static int copy_to(struct igen_batch_check *check, u32 upto)
{
	if (upto <= check->copied)
		return 0;
	if (upto > check->room)
		return -ENOBUFS;
	return check->copy(check, upto);
}

/**
 * igen_check_batch - copies a batch as far as it runs, and checks the copy
 * @check: the batch
 *
 * Return: 0; -EACCES for a register or a jump that is not allowed; -EINVAL for a command that is unknown or cut off, or
 * when there is no end; -ENOBUFS when the copy would be longer than there is room for; what copying returns.
 */
int igen_check_batch(struct igen_batch_check *check)
{
	u32 pos, header, length;
	int err;

	for (pos = 0; pos < check->total; pos += length) {
		err = copy_to(check, pos + 1);
		if (err)
			return err;
		header = check->shadow[pos];
		if (header == MI_BATCH_BUFFER_END)
			return 0;

		length = length_of(header);
		if (!length || length > check->total - pos)
			return -EINVAL;
		err = copy_to(check, pos + length);
		if (err)
			return err;

		if (!is_mi(header))
			continue;
		/* With operands the end is some other command of some other generation. */
		if (IGEN_GET(MI_OPCODE_MASK, header) == MI_OP_BATCH_BUFFER_END)
			return -EINVAL;
		if (IGEN_GET(MI_OPCODE_MASK, header) == MI_OP_BATCH_BUFFER_START)
			return check_jump(check, pos, length);
		err = check_registers(check, check->shadow + pos, length);
		if (err)
			return err;
	}

	return -EINVAL;
}
