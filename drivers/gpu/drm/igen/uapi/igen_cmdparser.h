/* SPDX-License-Identifier: MIT */
/**
 * DOC: Checking batches on the CPU
 */
#ifndef _IGEN_CMDPARSER_H_
#define _IGEN_CMDPARSER_H_

#include <linux/types.h>

struct igen_parse_cmd;
struct igen_parse_reg;

/**
 * struct igen_batch_check - a batch that is copied and checked as it is copied
 */
struct igen_batch_check {
	/** @cmds: the engine's commands, IGEN_PARSE_CMDS of them */
	const struct igen_parse_cmd *cmds;
	/** @gfx: its commands of the 3D and media pipelines, sorted; or NULL */
	const struct igen_parse_cmd *gfx;
	/** @num_gfx: how many */
	u32 num_gfx;
	/** @regs: registers that the batch may name, ends with offset 0 */
	const struct igen_parse_reg *regs;
	/** @shadow: the copy */
	u32 *shadow;
	/** @total: dwords of the batch */
	u32 total;
	/** @room: dwords that @shadow has room for, at most @total */
	u32 room;
	/** @copied: dwords of the batch that are in @shadow */
	u32 copied;
	/** @end: dwords up to and with the batch's last command, once it is checked */
	u32 end;
	/** @circle: where its last command jumps to, in dwords, if @circles */
	u32 circle;
	/** @jump: where its last command is, in dwords, if @circles */
	u32 jump;
	/** @circles: its last command is a jump, and it is checked */
	bool circles;
	/** @batch_addr: where userspace thinks that it runs, canonical */
	u64 batch_addr;
	/** @shadow_addr: where it will run, canonical */
	u64 shadow_addr;
	/** @copy: copies from @copied up to some end of at least @upto, at most @room, and moves @copied; 0, -EINTR */
	int (*copy)(struct igen_batch_check *check, u32 upto);
	/**
	 * @place_store: sets @ggtt to the address in the GGTT of what is at @address in the batch's address space; 0,
	 * or -EACCES when the batch may not store there. Only for tables with such commands
	 */
	int (*place_store)(struct igen_batch_check *check, u32 address, u32 *ggtt);
	/** @privilege: the copy will run with privilege, and in the GGTT */
	bool privilege;
	/**
	 * @skips: a command that accesses a register which is not allowed is MI_NOOP in the copy; without this the
	 * batch may not run
	 */
	bool skips;
	/** @registers: the batch names registers that it may */
	bool registers;
	/** @killed: lets other threads have the CPU; 0, or an error when the caller is being killed */
	int (*killed)(void);
};

int igen_check_batch(struct igen_batch_check *check);
void igen_seal_batch(u32 *dw, u32 num);

#endif
