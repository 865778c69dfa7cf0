// SPDX-License-Identifier: MIT
/**
 * DOC: Command parser
 *
 * Gen9's blitter lets unprivileged batches write any register (CVE-2019-0155). The driver therefore copies a batch of
 * the blitter to memory that userspace cannot write, checks the copy, and runs the copy.
 *
 * The parser takes a command's length from the same bits as the engine does: a parser that counts otherwise checks
 * other dwords than the engine executes. Lengths, allowed commands, allowed bits and allowed registers are a table that
 * tools/cmdgen makes from the command database (tools/cmdgen/parse/gen9.xml decides what is allowed). The table is a
 * whitelist: the parser refuses a command that the table does not have, a header with a bit that the database does not
 * name, and every access to the global GTT, to the status pages and to registers that are not listed.
 *
 * Gen7 executes commands that access registers in privileged batches alone, and userspace needs some. There a batch
 * that the parser allows runs with privilege, from a copy; and one that it does not allow, or does not know, runs as
 * it is and without privilege: -EACCES says so. Only what is no batch at all is an error (igen_execbuf_shadow.c).
 *
 * Gen6 sends what a batch without privilege stores through the global GTT. There every batch runs with privilege, from
 * a copy. The parser replaces the address of each store by the one that the object has in the GGTT, so a store that
 * leads to none of the call's objects does not run. What accesses a register that is not allowed does nothing, as in a
 * batch without privilege: the copy has MI_NOOP there.
 *
 * The batch ends with MI_BATCH_BUFFER_END, or with a jump to a command of the batch that the parser has checked; the
 * parser redirects the jump into the copy. What follows in the copy is MI_BATCH_BUFFER_END up to its last dword
 * (igen_seal_batch()), so that an engine which went on there would stop at once.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include <igen/cmd/blt.h>
#include <igen/cmd/mi.h>
#include <igen/parse/parse.h>

#include "igen_cmdparser.h"

/* Commands that the search for a jump's target passes between two looks for SIGKILL. */
#define KILL_CHECK_COMMANDS	256

static const struct igen_parse_cmd *cmdparser_lookup_gfx(const struct igen_batch_check *check, u32 header)
{
	u32 low = 0, high = check->num_gfx;

	while (low < high) {
		u32 middle = (low + high) / 2, opcode = check->gfx[middle].value >> 16;

		if (opcode == header >> 16)
			return check->gfx + middle;
		if (opcode < header >> 16)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The table's entry for a header; NULL for a command of another engine. */
static const struct igen_parse_cmd *cmdparser_lookup(const struct igen_batch_check *check, u32 header)
{
	const struct igen_parse_cmd *cmd;

	switch (IGEN_GET(CMD_TYPE_MASK, header)) {
	case CMD_TYPE_MI:
		cmd = check->cmds + IGEN_GET(MI_OPCODE_MASK, header);
		break;
	case CMD_TYPE_BLT:
		cmd = check->cmds + IGEN_PARSE_BLT + IGEN_GET(BLT_OPCODE_MASK, header);
		break;
	case CMD_TYPE_GFX:
		return cmdparser_lookup_gfx(check, header);
	default:
		return NULL;
	}
	return cmd->verdict == IGEN_PARSE_UNKNOWN ? NULL : cmd;
}

static bool cmdparser_register_allowed(const struct igen_parse_reg *regs, u32 offset, bool write)
{
	for (; regs->offset; regs++)
		if (regs->offset == (offset & MI_REGISTER_MASK))
			return !write || regs->writable;
	return false;
}

/* What is no command of the table's may be one that the hardware knows. */
static int cmdparser_doubt(const struct igen_batch_check *check)
{
	return check->privilege ? -EACCES : -EINVAL;
}

/* Whether a batch may access all registers that the command of @length dwords at @dw names. */
static bool cmdparser_registers_allowed(const struct igen_batch_check *check, const struct igen_parse_cmd *cmd,
					const u32 *dw, u32 length)
{
	u32 i, n, step = cmd->step ?: length;

	for (i = cmd->reg, n = 0; i < length; i += step, n++)
		if (!cmdparser_register_allowed(check->regs, dw[i], n >= cmd->reads))
			return false;
	return true;
}

/*
 * The parser ends at a jump, so the target has to be a command that the parser has checked: one that starts at @pos,
 * where the jump is, or before. Lengths are known there.
 */
static int cmdparser_check_jump(struct igen_batch_check *check, u32 pos, u32 length)
{
	u32 *cmd = check->shadow + pos;
	bool wide = length > 2;
	u32 at, passed = 0;
	u64 target, address;

	target = (cmd[1] | (wide ? (u64)cmd[2] << 32 : 0)) - check->batch_addr;
	if (target >= (u64)check->total * sizeof(u32) || target % sizeof(u32))
		return -EINVAL;
	target /= sizeof(u32);
	if (target > pos)
		return -EINVAL;

	for (at = 0; at < target;) {
		if (++passed % KILL_CHECK_COMMANDS == 0 && check->killed())
			return -EINTR;
		at += igen_parse_length(cmdparser_lookup(check, check->shadow[at]), check->shadow[at]);
	}
	if (at != target)
		return -EINVAL;

	check->circle = target;
	check->jump = pos;
	check->circles = true;
	address = check->shadow_addr + target * sizeof(u32);
	cmd[1] = address;
	if (wide)
		cmd[2] = address >> 32;
	/* A jump to the PPGTT would end the privilege. */
	if (check->privilege)
		cmd[0] &= ~MI_BBS_PPGTT;
	return 0;
}

static int cmdparser_copy_up_to(struct igen_batch_check *check, u32 upto)
{
	if (upto <= check->copied)
		return 0;
	if (upto > check->room)
		return -ENOBUFS;
	return check->copy(check, upto);
}

/* Has the store at @dw go through the GGTT, where the object is that the client means. */
static int cmdparser_place_store(struct igen_batch_check *check, const struct igen_parse_cmd *cmd, u32 *dw, u32 length)
{
	u32 *address = dw + cmd->store;
	int err;

	if (cmd->store_when && !(address[-1] & cmd->store_when))
		return 0;
	if (length <= cmd->store || *address & ~(cmd->store_mask | cmd->store_global))
		return -EACCES;
	/* Two dwords of data. Objects begin and end with pages, so an aligned store does not cross an end. */
	if (length > cmd->store + 2u && *address & cmd->store_mask & sizeof(u32))
		return -EACCES;
	err = check->place_store(check, *address & cmd->store_mask, address);
	*address |= cmd->store_global;
	dw[0] |= cmd->store_header;
	return err;
}

/* Checks one command, with all of its dwords in the copy. */
static int cmdparser_check_command(struct igen_batch_check *check, const struct igen_parse_cmd *cmd, u32 pos,
				   u32 length)
{
	u32 *dw = check->shadow + pos;

	if ((cmd->zero1 && dw[1] & cmd->zero1) || (cmd->zero2 && dw[2] & cmd->zero2))
		return -EACCES;
	if (cmd->verdict == IGEN_PARSE_IGNORED)
		dw[0] = MI_NOOP;
	/* The last register would have no value. */
	if (cmd->step && (length - cmd->reg) % cmd->step)
		return cmdparser_doubt(check);
	if (cmd->reg && !cmdparser_registers_allowed(check, cmd, dw, length)) {
		if (!check->skips)
			return -EACCES;
		/* All dwords: the engine and the search for a jump's target take each for a command now. */
		memset32(dw, MI_NOOP, length);
		return 0;
	}
	return cmd->store ? cmdparser_place_store(check, cmd, dw, length) : 0;
}

/* A type that no engine has is no command. */
static int cmdparser_unknown(const struct igen_batch_check *check, u32 header)
{
	switch (IGEN_GET(CMD_TYPE_MASK, header)) {
	case CMD_TYPE_MI:
	case CMD_TYPE_BLT:
	case CMD_TYPE_GFX:
		return cmdparser_doubt(check);
	default:
		return -EINVAL;
	}
}

/**
 * igen_check_batch - copies a batch as far as it runs, and checks the copy
 * @check: the batch; its end is set when the batch may run
 *
 * Return: 0; -EACCES for a command, a bit or a jump that is not allowed, and for such a register unless the check
 * skips it; -EINVAL for a command that is unknown, cut off or of a wrong length, for a jump to anything but a checked
 * command, or when there is no end; -ENOBUFS when the copy would be longer than there is room for; -EINTR when the
 * caller is being killed; what copying returns.
 */
int igen_check_batch(struct igen_batch_check *check)
{
	const struct igen_parse_cmd *cmd;
	u32 pos, header, length;
	int err;

	for (pos = 0; pos < check->total; pos += length) {
		err = cmdparser_copy_up_to(check, pos + 1);
		if (err)
			return err;

		header = check->shadow[pos];
		cmd = cmdparser_lookup(check, header);
		if (!cmd)
			return cmdparser_unknown(check, header);
		length = igen_parse_length(cmd, header);
		if (check->privilege && length > check->total - pos)
			return -EINVAL;
		/* With operands it would be some other command of some other generation. */
		if (cmd->verdict == IGEN_PARSE_END && header != MI_BATCH_BUFFER_END)
			return cmdparser_doubt(check);
		if (cmd->verdict == IGEN_PARSE_REFUSED || (header & cmd->mask) != cmd->value)
			return -EACCES;

		if (length < cmd->min || length > cmd->max || length > check->total - pos)
			return cmdparser_doubt(check);
		err = cmdparser_copy_up_to(check, pos + length);
		if (err)
			return err;

		check->end = pos + length;
		if (cmd->verdict == IGEN_PARSE_END)
			return 0;
		if (cmd->verdict == IGEN_PARSE_JUMP)
			return cmdparser_check_jump(check, pos, length);
		err = cmdparser_check_command(check, cmd, pos, length);
		if (err)
			return err;
		check->registers |= !!cmd->reg;
	}

	return -EINVAL;
}

/**
 * igen_seal_batch - makes the dwords behind a checked batch ends of a batch
 * @dw: the first of the dwords
 * @num: how many
 */
void igen_seal_batch(u32 *dw, u32 num)
{
	memset32(dw, MI_BATCH_BUFFER_END, num);
}
