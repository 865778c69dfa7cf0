/* SPDX-License-Identifier: MIT */
/**
 * DOC: A small assembler for tests
 *
 * asm_emit() encodes a struct isa_inst by the same tables that isa_decode() reads, for all generations:
 * what the decoder makes of the words has to be the instruction again, else the test stops.
 *
 *	asm_add(&p, (struct isa_inst){ .op = ISA_OP_ADD, .exec_size = 8, .dst = grf(4, ISA_TYPE_F),
 *		.src = { grf_src(5, ISA_TYPE_F), imm_f(1.5f) } });
 */
#ifndef IGEN_MODEL_EU_ASM_H
#define IGEN_MODEL_EU_ASM_H

#include <string.h>

#include "eu.h"

#define ASM_WORDS 4096

/* A program that is being written. */
struct program {
	const struct isa_gen *isa;
	uint64_t words[ASM_WORDS];
	uint32_t bytes;
};

/* Appends an instruction; returns its offset. */
uint32_t asm_add(struct program *p, struct isa_inst inst);

/* Writes an instruction at an offset that was returned before, for jumps forward. */
void asm_put(struct program *p, uint32_t at, struct isa_inst inst);

/* A send with EOT, by which the thread ends. */
uint32_t asm_eot(struct program *p);

static inline struct isa_operand grf(unsigned int reg, unsigned int type)
{
	return (struct isa_operand){ .file = ISA_GRF, .type = type, .reg = reg, .hstride = 1, .width = 1,
				     .write_mask = 15, .mme = ISA_NO_MME };
}

static inline struct isa_operand region(unsigned int reg, unsigned int subreg, unsigned int type, unsigned int v,
					unsigned int w, unsigned int h)
{
	return (struct isa_operand){ .file = ISA_GRF, .type = type, .reg = reg, .subreg = subreg, .vstride = v,
				     .width = w, .hstride = h, .swizzle = 0xe4, .mme = ISA_NO_MME };
}

/* <8;8,1>, which a source of three in Align16 is too. */
static inline struct isa_operand packed(unsigned int reg, unsigned int type)
{
	return region(reg, 0, type, 8, 8, 1);
}

static inline struct isa_operand scalar(unsigned int reg, unsigned int subreg, unsigned int type)
{
	return region(reg, subreg, type, 0, 1, 0);
}

static inline struct isa_operand arf(unsigned int reg, unsigned int subreg, unsigned int type)
{
	return (struct isa_operand){ .file = ISA_ARF, .type = type, .reg = reg, .subreg = subreg, .hstride = 1,
				     .vstride = 8, .width = 8, .write_mask = 15, .swizzle = 0xe4, .mme = ISA_NO_MME };
}

static inline struct isa_operand null_dst(unsigned int type)
{
	return arf(0, 0, type);
}

static inline struct isa_operand imm(unsigned int type, uint64_t value)
{
	return (struct isa_operand){ .file = ISA_IMMEDIATE, .type = type, .imm = value };
}

static inline struct isa_operand imm_f(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, 4);
	return imm(ISA_TYPE_F, bits);
}

#endif
