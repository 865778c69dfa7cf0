/* SPDX-License-Identifier: MIT */
/**
 * DOC: The register tables' types
 *
 * One set a generation, made from the register database. Registers outside the engines stand first,
 * in the order of their offsets in BAR 0; then those of the engines, in the order of their offsets
 * from the engine's base.
 */
#ifndef _IGEN_REG_TABLES_H_
#define _IGEN_REG_TABLES_H_

#include <linux/types.h>
#include <stdbool.h>

#include "igen_cmd.h"

/* When a register needs no forcewake, wherever it lies. */
enum igen_reg_awake {
	IGEN_REG_SLEEPS,
	IGEN_REG_AWAKE_WRITE,
	IGEN_REG_AWAKE
};

/**
 * struct igen_reg - a register, or an array of them
 * @name: as in include/igen/regs/
 * @source: volume and section
 * @offset: in BAR 0; of an engine's from its base
 * @reset: value after a reset
 * @writable: bits that keep what is written
 * @domains: bits of GDRST with which it is lost; an engine's are lost with the engine
 * @count: elements, 1 if no array
 * @stride: bytes from one to the next
 * @dwords: of one element
 * @engines: bit mask of enum igen_cmd_engine, the engines that have it; 0 for a register outside of them
 * @nonpriv: bit mask of enum igen_cmd_engine, the engines whose unprivileged batches may write it
 * @part: it is so on this part alone, or on those whose names begin so: "bxt*"; NULL: on all without a row of their own
 * @others: those that have one, "bxt*|kbl-gt3", or NULL
 * @awake: enum igen_reg_awake
 * @masked: the upper half of what is written says which bits of the lower half change
 * @acts: reading or writing it does more than that
 * @in_render_image: it is saved with the render engine's pipeline
 */
struct igen_reg {
	const char *name, *source;
	__u32 offset, reset, writable, domains;
	__u16 count, stride;
	__u8 dwords, engines, nonpriv;
	const char *part, *others;
	__u8 awake;
	bool masked, acts, in_render_image;
};

/* Where an engine's block lies. */
struct igen_reg_engine {
	const char *name;
	__u32 base;
	__u8 engine;			/* enum igen_cmd_engine */
};

/* A list of registers in a context image: an MI_LOAD_REGISTER_IMM at a dword of the register state. */
struct igen_reg_list {
	const __u16 *offsets;		/* from the engine's base */
	__u16 count, dword;
	__u8 engines;			/* bit mask of enum igen_cmd_engine */
	bool posted;
};

/* Forcewake: a domain's registers; and domains, a bit each, that offsets up to the last one need. */
struct igen_reg_domain {
	const char *name;
	__u32 request, ack;
};

struct igen_reg_range {
	__u32 last;
	__u8 needs;
};

struct igen_reg_set {
	const char *name;
	unsigned int gen;
	__u32 block;			/* bytes of an engine's registers */
	const struct igen_reg *regs;
	unsigned int nregs;
	unsigned int nglobal;		/* how many of these are outside the engines */
	const struct igen_reg_engine *engines;
	unsigned int nengines;
	const struct igen_reg_list *lists;
	unsigned int nlists;
	const struct igen_reg_domain *domains;
	unsigned int ndomains;
	const struct igen_reg_range *ranges;
	unsigned int nranges;
	bool fifo;			/* writes need no forcewake: a FIFO takes them */
};

extern const struct igen_reg_set igen_regs_gen6, igen_regs_gen7, igen_regs_gen9;

#endif
