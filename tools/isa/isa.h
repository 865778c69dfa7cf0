/* SPDX-License-Identifier: MIT */
/**
 * DOC: Instructions of the execution units
 *
 * isa_decode() turns the bytes of one instruction into struct isa_inst, plain data without pointers
 * into the program: which operation, on which channels, with which operands. A compact instruction
 * is expanded first, so there is one form of everything. isa_print() writes it as text, in the
 * language of Intel's assembler IGA, and isa_message() says what a send does.
 *
 * The tables (igen_isa.h) say where a field lies and what its values are. What a generation has
 * reserved is a fault with a text; nothing is read beyond the bytes that were given.
 */
#ifndef _IGEN_ISA_H_
#define _IGEN_ISA_H_

#include <stddef.h>
#include <stdio.h>

#include "igen_isa.h"

enum isa_file { ISA_NO_FILE, ISA_ARF, ISA_GRF, ISA_MRF, ISA_IMMEDIATE };

/* Region: one address of a0 for each row. */
#define ISA_VXH 0xff
/* A macro's operand without an accumulator. */
#define ISA_NO_MME 8

/**
 * struct isa_operand - a source or the destination
 * @file: enum isa_file
 * @type: enum isa_type_id, ISA_NO_TYPE: it has none
 * @reg: register; of the architecture's the number as it is encoded
 * @subreg: bytes from the start of the register
 * @indirect: the register is where a0.@addr_subreg and @addr_imm say
 * @addr_subreg: subregister of a0, in words
 * @addr_imm: bytes to add to it
 * @abs: source modifier, before @negate
 * @negate: source modifier; of a bitwise operation from Gen8 on it is "not"
 * @vstride: of the region, in elements, or ISA_VXH
 * @width: of the region, in elements
 * @hstride: of the region, in elements; a destination has this alone
 * @swizzle: Align16 source: two bits a channel of four, from the lowest
 * @write_mask: Align16 destination: one bit a channel of four
 * @replicate: a source of three in Align16 is a scalar
 * @mme: of macros, the accumulator with the further bits, or ISA_NO_MME
 * @imm: immediate as encoded; a word stands in both halves of 32 bits
 */
struct isa_operand {
	__u8 file, type, reg, subreg;
	bool indirect, abs, negate, replicate;
	__u8 addr_subreg, vstride, width, hstride;
	__u8 swizzle, write_mask, mme;
	__s16 addr_imm;
	__u64 imm;
};

/**
 * struct isa_inst - a decoded instruction
 * @word: its 128 bits, expanded
 * @op: enum isa_opcode
 * @form: enum isa_form
 * @size: bytes in the program, 8 or 16
 * @exec_size: channels
 * @channel_offset: the first of them
 * @no_mask: channels that are off take part
 * @predicate: code, 0 for none (struct isa_gen.predicates)
 * @predicate_inverse: of the combined predicate
 * @flag: flag register
 * @flag_subreg: half of it
 * @cond: condition modifier, 0 for none (struct isa_gen.conditions)
 * @function: of math or sync
 * @saturate: the result is clamped to the destination's range
 * @acc_write: the accumulator is written too
 * @branch_ctrl: of branches
 * @align16: access mode
 * @macro: math macro; operands have @mme
 * @breakpoint: stops before it when breakpoints are enabled
 * @dependency: bit 0 NoDDClr, bit 1 NoDDChk
 * @thread_control: 1 atomic, 2 switch
 * @swsb: software scoreboard
 * @nsources: sources in @src
 * @njumps: offsets in @jump
 * @jump: JIP, UIP in bytes from the start of this instruction
 * @target: of send, code of the shared function
 * @eot: the thread ends
 * @no_src_dep: of send, nothing waits until it has read its payload
 * @fused_off: of send, the two threads of a pair send one after the other
 * @desc_is_reg: the descriptor is in a0.0
 * @ex_desc_is_reg: the extended descriptor is in a0
 * @ex_desc_subreg: there, in dwords
 * @desc: descriptor
 * @ex_desc: extended descriptor, with the target where instructions have that in it
 * @dst: destination
 * @src: sources
 */
struct isa_inst {
	__u64 word[2];
	__u8 op, form, size, exec_size, channel_offset;
	bool no_mask, predicate_inverse, saturate, acc_write, branch_ctrl, align16, macro, breakpoint;
	__u8 predicate, flag, flag_subreg, cond, function;
	__u8 dependency, thread_control, swsb, nsources, njumps;
	__s32 jump[2];
	__u8 target, ex_desc_subreg;
	bool eot, no_src_dep, fused_off, desc_is_reg, ex_desc_is_reg;
	__u32 desc, ex_desc;
	struct isa_operand dst, src[3];
};

/* Generations by what people write, "gen9", "7.5", "kbl"; NULL if unknown. */
const struct isa_gen *isa_gen_by_name(const char *name);

/* The architecture register with this number, or NULL. */
const struct isa_register *isa_find_register(const struct isa_gen *isa, unsigned int reg);

/**
 * isa_expand() - a compact instruction in 128 bits
 * @isa: the generation
 * @compact: the 64 bits
 * @word: filled
 *
 * Return: NULL, or what is wrong.
 */
const char *isa_expand(const struct isa_gen *isa, __u64 compact, __u64 word[2]);

/**
 * isa_decode() - the instruction at the start of a program
 * @isa: the generation
 * @program: its bytes
 * @left: how many there are
 * @inst: filled as far as the instruction is valid
 * @fault: NULL, or what is wrong with it
 *
 * Return: the bytes to go on by, 8 or 16; @left if there are fewer.
 */
size_t isa_decode(const struct isa_gen *isa, const void *program, size_t left, struct isa_inst *inst,
		  const char **fault);

/**
 * isa_message() - what a send does
 * @isa: the generation
 * @inst: the send
 *
 * Return: the message, or NULL if the descriptor is in a register or names none.
 */
const struct isa_message *isa_message(const struct isa_gen *isa, const struct isa_inst *inst);

/* The value of a field of the message's descriptor; 0 if the message has no such field. */
__u32 isa_message_get(const struct isa_message *message, enum isa_message_field id, __u32 desc);

/**
 * isa_print() - an instruction as text, without the end of the line
 * @isa: the generation
 * @inst: the instruction
 * @out: where to
 */
void isa_print(const struct isa_gen *isa, const struct isa_inst *inst, FILE *out);

/**
 * isa_print_comment() - what the text does not say plainly, as a comment
 * @isa: the generation
 * @inst: the instruction
 * @address: where it is in the program
 * @out: where to
 *
 * Floats in decimal, where jumps lead, the message of a send. Nothing if there is nothing to say.
 */
void isa_print_comment(const struct isa_gen *isa, const struct isa_inst *inst, __u64 address, FILE *out);

/* What a field of the tables holds. */
static inline __u64 isa_get_bits(const struct isa_bits *bits, const __u64 word[2])
{
	__u64 value = 0;
	unsigned int i;

	for (i = 0; i < bits->n; i++) {
		unsigned int start = bits->pieces[i].start, width = bits->pieces[i].width;
		__u64 piece = word[start / 64] >> start % 64;

		if (start < 64 && start + width > 64)
			piece |= word[1] << (64 - start);
		if (width < 64)
			piece &= (1ull << width) - 1;
		value = (width < 64 ? value << width : 0) | piece;
	}
	return value << bits->shift;
}

static inline __u64 isa_get(const struct isa_gen *isa, enum isa_field field, const __u64 word[2])
{
	return isa_get_bits(&isa->fields[field], word);
}

#endif
