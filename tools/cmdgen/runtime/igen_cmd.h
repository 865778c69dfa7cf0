/* SPDX-License-Identifier: MIT */
/**
 * DOC: The decode tables' types
 *
 * One set a generation. A command's header is its first dword; match and mask lie in bits 31:16 of
 * it, and the same header may name different commands on different engines, so a look-up needs the
 * engine. Fields are listed in the order of their bits, structures followed, arrays kept as a count
 * and a stride.
 */
#ifndef _IGEN_CMD_TABLES_H_
#define _IGEN_CMD_TABLES_H_

#include <linux/types.h>
#include <stdbool.h>

enum igen_cmd_engine {
	IGEN_CMD_RENDER,
	IGEN_CMD_BLITTER,
	IGEN_CMD_VIDEO,
	IGEN_CMD_VIDEOENHANCE,
	IGEN_CMD_COMPUTE,
	IGEN_CMD_POSITION,
	IGEN_CMD_ENGINES
};

enum igen_cmd_kind {
	IGEN_FIELD_UINT,
	IGEN_FIELD_INT,
	IGEN_FIELD_BOOL,
	IGEN_FIELD_ADDRESS, /* keeps its low bits' place: shift left by low */
	IGEN_FIELD_FIXED,   /* frac bits after the point */
	IGEN_FIELD_SFIXED,
	IGEN_FIELD_FLOAT,
	IGEN_FIELD_LENGTH,
	IGEN_FIELD_OPCODE,
	IGEN_FIELD_RESERVED,
	IGEN_FIELD_MBZ,
	IGEN_FIELD_MBO
};

/* What a command does to a pipeline's state. */
enum igen_cmd_state {
	IGEN_STATE_NONE,
	IGEN_STATE_KEPT, /* its last packet is kept with the context */
	IGEN_STATE_DRAWN, /* and a draw depends on it */
	IGEN_STATE_WALKED /* and a walker depends on it */
};

struct igen_cmd_value {
	__u32 value;
	const char *name;
};

/**
 * struct igen_cmd_field - a field, or an array of them
 * @name: as in the manual; a structure's fields as "structure: field"
 * @values: named values, @nvalues of them
 * @start: first bit, from the command's first dword
 * @width: bits of one element
 * @count: elements; 1 if no array
 * @stride: bits from element to element
 * @nvalues: number of named values
 * @kind: enum igen_cmd_kind
 * @frac: bits after the point, of fixed-point kinds
 * @low: bits below an address's field
 * @shared: the bits are another field's too, by the command's other fields
 */
struct igen_cmd_field {
	const char *name;
	const struct igen_cmd_value *values;
	__u16 start, width, count, stride;
	__u16 nvalues;
	__u8 kind, frac, low;
	bool shared;
};

/**
 * struct igen_cmd_merge - a part of a state command that a packet may leave as it was
 * @enable: the packet changes the part when this bit is set
 * @first: the part's first bit, from the command's first dword
 * @last: its last bit
 */
struct igen_cmd_merge {
	__u16 enable, first, last;
};

/**
 * struct igen_cmd - a command or, without engines, a structure
 * @name: the manual's name
 * @key: the name in the database; differs from @name where engines have variants
 * @section: volume and section, and the source when it is not the manual at hand
 * @fields: what the command's fixed dwords hold
 * @reserved: of each of @extent dwords the bits that must be zero or one, then of each those that must be one
 * @tail: fields of what repeats after them
 * @match: the header, under @mask
 * @mask: the header's bits that tell the command
 * @nfields: number of @fields
 * @ntail: number of @tail
 * @tail_dwords: dwords after which the tail's fields repeat
 * @engines: bit mask of enum igen_cmd_engine
 * @length: dwords of its usual form
 * @min: fewest dwords
 * @max: most dwords; 0 for no bound
 * @takes: fewest dwords that engines execute; less than @min where the manual asks for more
 * @extent: dwords that @fields cover
 * @length_bits: width of the header's length, from bit 0; 0 for none
 * @bias: what the length lacks to the dwords
 * @state: enum igen_cmd_state
 * @key_start: first bit of the index, if the command sets one of several
 * @key_width: its bits; 0: the command has one packet
 * @key_in_tail: @key_start counts from each repetition of @tail, and each is a packet of its own
 * @merges: parts that a packet may leave as they were
 * @nmerges: number of @merges
 */
struct igen_cmd {
	const char *name, *key, *section;
	const struct igen_cmd_field *fields, *tail;
	const __u32 *reserved;
	__u32 match, mask;
	__u16 nfields, ntail, tail_dwords;
	__u16 length, min, max, takes, extent;
	__u8 engines, length_bits, bias;
	__u8 state;
	__u16 key_start;
	__u8 key_width;
	bool key_in_tail;
	const struct igen_cmd_merge *merges;
	__u16 nmerges;
};

struct igen_cmd_set {
	const char *name; /* of the platform that the volume describes */
	unsigned int gen;
	const struct igen_cmd *cmds;
	unsigned int ncmds;
	const struct igen_cmd *structs;
	unsigned int nstructs;
};

extern const struct igen_cmd_set igen_cmds_gen6, igen_cmds_gen7, igen_cmds_gen9, igen_cmds_gen12;

#endif
