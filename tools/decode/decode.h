/* SPDX-License-Identifier: MIT */
/**
 * DOC: The decoder library
 *
 * A decoder is a generation and an engine. It steps over a batch command by command, gives each
 * command's fields, and never reads past what it was given: a command that is cut off is reported
 * with the dwords that are there; a header that no command matches is stepped over by the length
 * its type would have.
 */
#ifndef _IGEN_DECODE_H_
#define _IGEN_DECODE_H_

#include <stddef.h>
#include <stdio.h>

#include "igen_cmd.h"
#include "pack.h"

#define IGEN_NO_CMD 0xffff

/* A decoder; initialise with igen_decoder_init(), nothing to release. */
struct igen_decoder {
	const struct igen_cmd_set *set;
	enum igen_cmd_engine engine;
	__u16 lookup[1 << 16]; /* header's bits 31:16 to index of the command */
};

/**
 * struct igen_inst - one command in a batch
 * @cmd: what it is; NULL if unknown
 * @dw: its first dword
 * @length: dwords it has by its header; at least 1
 * @have: dwords of it that are in the buffer; less than @length if it is cut off
 */
struct igen_inst {
	const struct igen_cmd *cmd;
	const __u32 *dw;
	unsigned int length, have;
};

/* A platform's name as people write it, its PCI ids' generation. */
const struct igen_cmd_set *igen_set_by_platform(const char *name);
const struct igen_cmd_set *igen_set_by_gen(unsigned int gen);
const struct igen_cmd_set *igen_set_by_pci_id(unsigned int id);
/*
 * Returns the engine, or -1. Takes rcs, bcs, vcs, vecs, ccs with or without a number, and the
 * manual's names.
 */
int igen_engine_by_name(const char *name);
const char *igen_engine_name(enum igen_cmd_engine engine);

void igen_decoder_init(struct igen_decoder *d, const struct igen_cmd_set *set,
		       enum igen_cmd_engine engine);

/* Looks a header up; NULL if no command of the engine has it. */
static inline const struct igen_cmd *igen_lookup(const struct igen_decoder *d, __u32 header)
{
	__u16 i = d->lookup[header >> 16];

	return i == IGEN_NO_CMD ? NULL : &d->set->cmds[i];
}

/* Dwords of the command by its header, not looking at what follows. At least 1. */
static inline unsigned int igen_cmd_dwords(const struct igen_cmd *cmd, __u32 header)
{
	if (!cmd->length_bits)
		return cmd->length;
	return (header & (__u32)igen_field_max(cmd->length_bits)) + cmd->bias;
}

/* The length that a header of no known command has by its type. */
unsigned int igen_unknown_dwords(__u32 header);

/**
 * igen_step() - the command at the start of a buffer
 * @d: the decoder
 * @dw: the buffer
 * @left: dwords in it, at least 1
 * @inst: filled
 *
 * Return: dwords to go on by, 1 to @left.
 */
static inline size_t igen_step(const struct igen_decoder *d, const __u32 *dw, size_t left,
			       struct igen_inst *inst)
{
	inst->dw = dw;
	inst->cmd = igen_lookup(d, *dw);
	inst->length = inst->cmd ? igen_cmd_dwords(inst->cmd, *dw) : igen_unknown_dwords(*dw);
	inst->have = inst->length <= left ? inst->length : left;
	return inst->have;
}

/* Is element @i of the field within @have dwords? */
static inline bool igen_field_present(const struct igen_cmd_field *f, unsigned int i,
				      unsigned int have)
{
	return f->start + i * f->stride + f->width <= have * 32;
}

/* Element @i's bits; it must be present. */
static inline __u64 igen_field_bits(const struct igen_cmd_field *f, unsigned int i, const __u32 *dw)
{
	return igen_get_bits(dw, f->start + i * f->stride, f->width);
}

/* The value as the packer takes it: addresses in place, signed ones extended. */
__u64 igen_field_value(const struct igen_cmd_field *f, unsigned int i, const __u32 *dw);
/* The value's name, or NULL. */
const char *igen_value_name(const struct igen_cmd_field *f, __u64 value);
/* Finds a field by name; NULL if there is none. */
const struct igen_cmd_field *igen_find_field(const struct igen_cmd *cmd, const char *name);
const struct igen_cmd *igen_find_cmd(const struct igen_cmd_set *set, const char *name);
const struct igen_cmd *igen_find_struct(const struct igen_cmd_set *set, const char *name);

struct igen_reg_set;

/* How a dump looks. */
struct igen_print {
	FILE *out;
	bool colour;
	bool zeros; /* fields that are zero too */
	const struct igen_reg_set *regs; /* names registers (registers.h); NULL: offsets alone */
};

/* One command at an address, one line a dword, the fields below the dword they begin in. */
void igen_print_inst(const struct igen_print *p, const struct igen_inst *inst, __u64 address);
void igen_print_struct(const struct igen_print *p, const struct igen_cmd *s, const __u32 *dw,
		       unsigned int n, __u64 address);

#endif
