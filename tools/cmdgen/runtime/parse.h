/* SPDX-License-Identifier: MIT */
/**
 * DOC: Tables of the command parser
 *
 * The driver checks the batches of some engines on the CPU. A table has one entry for each opcode of the engine: how
 * long the command is, which bits of it a client may set, which of its dwords name registers, and whether a client may
 * use it at all. An opcode that the engine does not have is an entry of zeros, IGEN_PARSE_UNKNOWN.
 *
 * The same header serves the kernel and userspace.
 */
#ifndef _IGEN_PARSE_H_
#define _IGEN_PARSE_H_

#include <linux/types.h>

/*
 * MI opcodes (header bits 28:23) come first, then the blitter's (bits 28:22). Commands of the 3D and media pipelines
 * have a table of their own, which is sorted by the upper half of the header.
 */
#define IGEN_PARSE_BLT	64
#define IGEN_PARSE_CMDS	(IGEN_PARSE_BLT + 128)

/* The parser's decision about a command. */
enum igen_parse_verdict {
	/* The engine has no such command: the batch is invalid. */
	IGEN_PARSE_UNKNOWN,
	/* The command runs. */
	IGEN_PARSE_ALLOWED,
	/* A client may not use the command. */
	IGEN_PARSE_REFUSED,
	/* The copy gets MI_NOOP instead; such a command has one dword. */
	IGEN_PARSE_IGNORED,
	/* The command ends the batch. */
	IGEN_PARSE_END,
	/* The command jumps: its target has to be a command that was checked. */
	IGEN_PARSE_JUMP,
};

/**
 * struct igen_parse_cmd - one command of an engine
 * @mask: bits of the header that must be those of @value
 * @value: what these bits must be
 * @zero1: bits of the second dword that must be zero
 * @zero2: bits of the third dword that must be zero
 * @length_mask: the header's length field; 0 for a command of one dword
 * @min: the fewest dwords that are allowed
 * @max: the most
 * @bias: dwords that the length field does not count
 * @verdict: what becomes of the command, enum igen_parse_verdict
 * @reg: the first dword that names a register; 0 if none does
 * @step: dwords from one register to the next, up to the command's end; 0 if there is only one register
 * @reads: how many of the registers, from the first one on, the command reads; it writes all others
 * @store: the dword that holds an address which the command writes; 0 if the parser has nothing to do with it
 * @store_mask: the address's bits of that dword; no other one may be set but those of @store_global
 * @store_header: bits of the header that say that the address is one of the GGTT
 * @store_global: bits of dword @store that do
 * @store_when: bits of the dword before @store; the command writes nothing if all are zero. 0: it always writes
 */
struct igen_parse_cmd {
	__u32 mask, value;
	__u32 zero1, zero2;
	__u16 length_mask;
	__u32 min, max;
	__u8 bias;
	__u8 verdict;
	__u8 reg, step, reads;
	__u8 store;
	__u32 store_mask, store_header, store_global, store_when;
};

/**
 * struct igen_parse_reg - one register that a client's batch may name
 * @offset: its offset in BAR 0; 0 ends a list
 * @writable: 0 if a batch may only read it
 */
struct igen_parse_reg {
	__u32 offset;
	__u32 writable;
};

/* Dwords of a command that is not IGEN_PARSE_UNKNOWN, by its header. */
static inline __u32 igen_parse_length(const struct igen_parse_cmd *cmd, __u32 header)
{
	return (header & cmd->length_mask) + cmd->bias;
}

#endif
