/* SPDX-License-Identifier: MIT */
/**
 * DOC: The types of the instruction set's tables
 *
 * One struct isa_gen a generation, made from isa/ of the command database: where instructions have
 * their fields, what opcodes, types, registers and messages there are, and what compact
 * instructions stand for.
 */
#ifndef _IGEN_ISA_TABLES_H_
#define _IGEN_ISA_TABLES_H_

#include <linux/types.h>
#include <stdbool.h>

#include "isa_ids.h"

/* Which fields an instruction has. */
enum isa_form {
	ISA_FORM_NONE,		/* no operands */
	ISA_FORM_BASIC,		/* one or two sources */
	ISA_FORM_MATH,		/* the same; the function says how many */
	ISA_FORM_THREE,
	ISA_FORM_JUMP,		/* one or two offsets */
	ISA_FORM_JUMP_REG,	/* these, or a register */
	ISA_FORM_CALL,		/* a destination, and an offset or a register */
	ISA_FORM_RET,		/* a register */
	ISA_FORM_WAIT,
	ISA_FORM_SYNC,
	ISA_FORM_SEND,
	ISA_FORM_SPLIT,		/* Gen9's send with two payloads */
};

/* Modifiers that an opcode takes. */
enum isa_takes {
	ISA_TAKES_PRED = 1,
	ISA_TAKES_CMOD = 2,
	ISA_TAKES_SAT = 4,
	ISA_TAKES_MODS = 8,
	ISA_TAKES_BRANCH_CTRL = 16,
	ISA_TAKES_BITWISE = 32,	/* negation is "not" from Gen8 on */
};

enum isa_type_kind { ISA_UNSIGNED, ISA_SIGNED, ISA_FLOAT, ISA_VECTOR };

/* Bits that lie together. */
struct isa_piece {
	__u8 start, width;
};

/**
 * struct isa_bits - where something lies
 * @pieces: the most significant first
 * @n: pieces; 0: the generation has none
 * @width: of all pieces
 * @shift: zeros below
 */
struct isa_bits {
	const struct isa_piece *pieces;
	__u8 n, width, shift;
};

/* An opcode; no name: reserved. */
struct isa_op {
	const char *name;
	__u8 id;		/* enum isa_opcode */
	__u8 form;		/* enum isa_form */
	__u8 sources;
	__u8 takes;		/* enum isa_takes */
};

/* A function of math or sync; no name: reserved. */
struct isa_function {
	const char *name;
	__u8 id;		/* enum isa_math, enum isa_sync */
	__u8 sources;
	bool macro;		/* operands have extra bits in an accumulator */
};

struct isa_type {
	const char *name;
	__u8 size, kind;	/* bytes, enum isa_type_kind */
};

/* Architecture registers of one kind. */
struct isa_register {
	const char *name;
	__u8 id;		/* enum isa_register_id */
	__u8 code, first, count, size;
};

enum isa_compact_kind {
	ISA_COMPACT_COPY,
	ISA_COMPACT_TABLE,	/* @from is the index */
	ISA_COMPACT_SIGNED,	/* an immediate, its sign extended */
	ISA_COMPACT_TYPED,	/* an immediate, as its type has it */
};

enum isa_compact_when { ISA_COMPACT_ALWAYS, ISA_COMPACT_REGISTER, ISA_COMPACT_IMMEDIATE };

/* One step of expanding a compact instruction. */
struct isa_compact {
	struct isa_bits from, to;
	const __u64 *table;
	__u8 kind, when;
};

struct isa_compaction {
	const struct isa_compact *steps;
	__u8 n;
};

/* A field of a message's descriptor. */
struct isa_message_bits {
	__u8 id;		/* enum isa_message_field */
	__u8 start, width;
};

/* A message: descriptors with @match in the bits of @mask. */
struct isa_message {
	const char *name;
	__u32 mask, match;
	const struct isa_message_bits *fields;
	__u8 id;		/* enum isa_message_id */
	__u8 nfields;
};

/* A shared function, and its name in Gen12's assembly language; no name: reserved. */
struct isa_target {
	const char *name, *asm_name;
	const struct isa_message *messages;
	__u8 id;		/* enum isa_target_id */
	__u8 n;
};

#define ISA_NO_TYPE 0xff

/* Where an operand's type code is looked up. */
enum isa_type_use {
	ISA_USE_REGISTER,
	ISA_USE_IMMEDIATE,
	ISA_USE_THREE,
	ISA_USE_THREE_INT,
	ISA_USE_THREE_FLOAT,
	ISA_TYPE_USES
};

/**
 * struct isa_gen - the instruction set of a generation
 * @name: as the database has it, "7.5"
 * @gen: times ten, 75
 * @fields: by enum isa_field
 * @ops: by code
 * @math: functions of math by code
 * @sync: functions of sync by code
 * @conditions: names of condition modifiers by code, NULL: reserved
 * @predicates: names of predicates by code in Align1, "one" for the channel's own flag
 * @predicates16: the same in Align16
 * @types: enum isa_type_id by use and code, ISA_NO_TYPE: reserved
 * @registers: architecture registers, ending with one without a name
 * @two: how compact instructions with one or two sources are expanded
 * @three: the same with three; no steps: there are none
 * @targets: of send by code
 */
struct isa_gen {
	const char *name;
	unsigned int gen;
	struct isa_bits fields[ISA_FIELDS];
	struct isa_op ops[128];
	struct isa_function math[16], sync[16];
	const char *conditions[16], *predicates[16], *predicates16[16];
	__u8 types[ISA_TYPE_USES][16];
	const struct isa_register *registers;
	struct isa_compaction two, three;
	struct isa_target targets[16];
};

extern const struct isa_gen isa_gen6, isa_gen7, isa_gen75, isa_gen9, isa_gen12;
extern const struct isa_type isa_types[ISA_TYPES];
extern const char *const isa_message_field_names[ISA_MESSAGE_FIELDS];

#endif
