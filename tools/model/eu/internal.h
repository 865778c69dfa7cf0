/* SPDX-License-Identifier: MIT */
/**
 * DOC: Inside of the execution units' library
 *
 * An instruction is decoded once into a struct eu_uop, which has what every execution needs, and a
 * struct eu_cold with the rest: the decoded instruction, and where each channel's operands are.
 *
 * There are three ways to execute an operation. fast.c has a handler for each common operation on 32
 * bits, which works on eight channels at a time, and quick.h the same once more for the most common
 * operands. wide.c has common operations on other integers, eight of 64 bits at a time. generic.c does everything
 * that there is, channel by channel: it loads the sources as the execution type's class (enum
 * eu_class) has them, computes, and stores with the destination's conversion. decode.c chooses.
 */
#ifndef IGEN_MODEL_EU_INTERNAL_H
#define IGEN_MODEL_EU_INTERNAL_H

#include <string.h>

#include "eu.h"

/* Float modes of the host: no exceptions; denormals of sources and of results are zero; rounding. */
#define EU_MXCSR_DEFAULT	0x1f80u
#define EU_MXCSR_DAZ		0x40u
#define EU_MXCSR_FTZ		0x8000u
#define EU_MXCSR_ROUND_SHIFT	13

#define EU_ARF_CONTROL	8		/* the kind of register, in the upper half of its number */

#define EU_GRF_END	(EU_GRFS * EU_GRF_BYTES)
#define EU_PAGE_BYTES	4096u
#define EU_PAGE_SLOTS	(EU_PAGE_BYTES / 8)

struct eu_uop;
struct eu_core;

/* Executes an instruction; thread->fault is set if it cannot be. */
typedef void (*eu_handler)(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop);

/* How sources are computed with. HALF: all are HF, which double has room for. */
enum eu_class { EU_INT, EU_HALF, EU_FLOAT, EU_DOUBLE };

/* Where an operand is. */
enum eu_place { EU_NULL, EU_IMMEDIATE, EU_GRF, EU_MRF, EU_ACC, EU_ARF };

/* How PMask is made of a flag register. */
enum eu_predicate { EU_ALWAYS, EU_ONE, EU_ANYV, EU_ALLV, EU_ANY, EU_ALL, EU_REPLICATE };

/* A channel's value in a class. */
union eu_lane {
	__int128 i;
	float f;
	double d;
};

/**
 * struct eu_operand - an operand, channel by channel
 * @place: enum eu_place
 * @type: enum isa_type_id
 * @size: of the type in bytes
 * @kind: enum isa_type_kind
 * @reg: number of an architecture register, else of the first register
 * @indirect: @off counts from an address in a0
 * @row: channels are one after the other, without gaps
 * @bitwise: @negate is "not"
 * @abs: source modifier
 * @negate: source modifier
 * @addr_subreg: of a0, for the first row
 * @addr_imm: added to it
 * @off: bytes from the start of the register file, of an architecture register from its own
 * @index: of indirect ones: which word of a0 from @addr_subreg on
 * @imm: immediate as encoded for channel n at n % 8
 * @splat: the same for fast.c, integers extended to 32 bits
 */
struct eu_operand {
	uint8_t place, type, size, kind, reg;
	bool indirect, row, bitwise, abs, negate;
	uint8_t addr_subreg;
	int16_t addr_imm;
	uint16_t off[EU_CHANNELS];
	uint8_t index[EU_CHANNELS];
	uint64_t imm[8];
	uint32_t splat[8];
};

/* What the generic way, flow and messages need. */
struct eu_cold {
	struct isa_inst inst;
	uint8_t class;			/* enum eu_class */
	eu_handler run;			/* of an instruction with a breakpoint: what it does itself */
	bool flow;			/* and does it say where the thread goes on? */
	bool raw;			/* a move of bits */
	bool words;			/* the execution type has 16 bits: accumulators have 33 */
	const char *fault;		/* what is wrong with the instruction, or NULL */
	bool described;			/* @message is what each execution of this send sends, but for its pointers */
	struct eu_message message;	/* that is being sent */
	struct eu_operand dst, src[3];
};

/*
 * How fast.c loads eight channels of a source, or stores them. LOW: words or bytes that are the low bits of consecutive
 * dwords. EVEN: bytes that are the low ones of consecutive words. PAIRS: every second one of consecutive dwords. CELLS:
 * of an accumulator, whose channels have 64 bits. wide.c has qwords, too (packed, one, or anywhere), and leaves OTHER
 * to eu_load() and eu_store().
 */
enum eu_shape {
	EU_SPLAT, EU_VECTOR, EU_SCALAR, EU_PACKED, EU_WORDS, EU_BYTES, EU_LOW, EU_EVEN, EU_PAIRS, EU_GATHER, EU_CELLS,
	EU_QWORDS, EU_QWORD, EU_QWORDS_APART, EU_OTHER
};

/**
 * struct eu_fast_source - a source for fast.c
 * @shape: enum eu_shape
 * @type: enum isa_type_id
 * @off: bytes from the start of the thread
 * @and: of floats, the bits that abs leaves; of integers what is subtracted at last; of wide.c whether there is
 *	a modifier
 * @xor: the bits that negate turns
 * @lanes: offsets of the channels (EU_GATHER) from the start of the thread
 * @value: the immediate (EU_SPLAT)
 * @imm: an immediate of eight channels (EU_VECTOR)
 */
struct eu_fast_source {
	uint8_t shape, type;
	uint16_t off;
	uint32_t and, xor;
	union {
		const uint16_t *lanes;
		uint32_t value;
		const uint32_t *imm;
	};
};

/**
 * struct eu_uop - an instruction, ready to execute: two cache lines, and most handlers need nothing else of it
 * @run: the handler
 * @next: the instruction after it, once that is known
 * @target: of branches, the instruction that came the last time that it was not the one after it
 * @ip: bytes from the program's base
 * @lanes: channels of the instruction, without those that Align16's write mask leaves out
 * @op: enum isa_opcode
 * @size: bytes
 * @exec: channels
 * @offset: the first one's dispatch channel
 * @predicate: enum eu_predicate
 * @group: channels that EU_ANY and EU_ALL combine; the component of EU_REPLICATE
 * @flag_bit: the first channel's bit in f1:f0
 * @cond: code of the condition modifier
 * @no_mask: channels that are off take part
 * @inverse: PMask is inverted
 * @saturate: clamp the result
 * @acc_write: the accumulator gets the result too
 * @flow: the handler has set ip
 * @generic: the handler is not fast.c's
 * @dst_shape: how fast.c stores
 * @dst_type: there: enum isa_type_id of the destination
 * @dst: there: bytes from the start of the thread
 * @src: there: sources
 * @cold: the rest
 */
struct eu_uop {
	_Alignas(64) eu_handler run;
	struct eu_uop *next, *target;
	uint32_t ip, lanes;
	uint8_t op, size, exec, offset, predicate, group, flag_bit, cond;
	bool no_mask : 1, inverse : 1, saturate : 1, acc_write : 1, flow : 1, generic : 1;
	uint8_t dst_shape, dst_type;
	uint16_t dst;
	struct eu_cold *cold;
	struct eu_fast_source src[3];
};

/**
 * struct eu_traits - what generations differ in
 * @isa: the generation
 * @bitwise_negate: negation of logic operations is "not"
 * @mul_low_src0: mul of dwords takes the low word of the first source, else of the second
 * @register_unit: bytes that a jump distance in a register counts
 * @break_after: break's UIP is the while, and the channel goes on behind it
 * @branch_uip: else and single program flow take UIP
 * @anyv_f1: anyv and allv combine f0 with f1, not f0.0 with f0.1
 * @ce_all: ce0 shows channels that were not dispatched
 * @paired_index: the second register of an indirect operand is where the next word of a0 says
 * @double_pairs: regions of DF count floats
 * @low_mask_twice: instructions of 32 channels have the low 16 bits of the mask twice
 * @mach_low: mach that does not write the accumulator gives the low dword
 * @double_to_float_cuts: the conversion of DF to F rounds to zero in every mode
 * @jmpi_next: jmpi's offset in a register counts from the next instruction
 * @keeps_denormals: cr0.0 has denormal modes of F and HF
 * @descriptor_bits: bits that a message descriptor in a0.0 has
 * @pause: tm0.4 has the thread pause
 * @addresses: words of a0
 * @address_bits: bits of a0.2 and the following words
 * @flags: flag registers
 */
struct eu_traits {
	const struct isa_gen *isa;
	bool bitwise_negate, mul_low_src0, break_after, branch_uip, anyv_f1, ce_all, paired_index, double_pairs;
	bool low_mask_twice, keeps_denormals, jmpi_next, mach_low, double_to_float_cuts, pause;
	uint32_t descriptor_bits;
	uint8_t register_unit, addresses, address_bits, flags;
};

/* 4 KB of a program; uops are where instructions begin. */
struct eu_page {
	struct eu_page *next;
	struct eu_chunk *chunks;	/* memory of its uops; the first has room */
	uint64_t base, space;
	uint64_t epoch;			/* in which it was fetched last */
	uint32_t ip;
	uint32_t bytes;			/* that could be fetched */
	struct eu_uop *spanning;	/* memory of its last instruction, if half of that is on the next page */
	uint8_t code[EU_PAGE_BYTES];
	struct eu_uop *slots[EU_PAGE_SLOTS];
};

#define EU_HASH		256
#define EU_CHUNK	16
#define EU_MAX_PAGES	2048	/* of an engine; each takes 650 KB if all of it is decoded */

/* Memory of a page's uops. */
struct eu_chunk {
	struct eu_chunk *next;
	unsigned int used;
	struct eu_uop uops[EU_CHUNK];
	struct eu_cold colds[EU_CHUNK];
};

struct eu_fast;

/**
 * struct eu_core - see eu.h
 * @isa: the generation
 * @traits: its row
 * @fast: the handlers of fast.c for this processor; NULL: none
 * @wide: those of wide.c
 * @ops: the caller's functions
 * @dword_mul: EU_DWORD_MUL
 * @emask: running channels of the thread that are enabled
 * @filter: bit ip / 8 % 64 for every ip that a channel waits at
 * @mxcsr: for F
 * @mxcsr_df: for DF
 * @mxcsr_hf: for HF, which double computes: no denormals are flushed
 * @mxcsr_host: the caller's
 * @stop: what eu_run() returns
 * @stopped: the handler ends eu_run() with @stop
 * @counters: see eu.h
 * @hash: pages of programs
 * @npages: how many there are
 * @most_pages: how many there may be
 * @epoch: invalidations so far
 * @code: for a page that is fetched again
 */
struct eu_core {
	const struct isa_gen *isa;
	const struct eu_traits *traits;
	const struct eu_fast *fast, *wide;
	const struct eu_ops *ops;
	bool dword_mul;
	uint32_t emask;
	uint64_t filter;
	uint32_t mxcsr, mxcsr_df, mxcsr_hf, mxcsr_host;
	enum eu_status stop;
	bool stopped;
	struct eu_counters counters;
	struct eu_page *hash[EU_HASH];
	unsigned int npages, most_pages;
	uint64_t epoch;
	uint8_t code[EU_PAGE_BYTES];
};

/* traits.c: NULL for a generation that is not known. */
const struct eu_traits *eu_traits_of(const struct isa_gen *isa);

/* cache.c: are there so many pages that they have to be dropped, between two instructions? That frees all uops. */
bool eu_cache_full(const struct eu_core *core);

/* cache.c: frees all pages and uops. */
void eu_cache_drop(struct eu_core *core);

/* cache.c: the instruction at an ip, or NULL with thread->fault set. */
struct eu_uop *eu_lookup(struct eu_core *core, struct eu_thread *thread, uint32_t ip);

/* decode.c: fills uop and uop->cold, which is zeroed; returns NULL, or what is wrong. */
const char *eu_decode(struct eu_core *core, const void *code, size_t bytes, uint32_t ip, struct eu_uop *uop);

/* operand.c */
void eu_operand_decode(const struct eu_core *core, const struct isa_inst *inst, const struct isa_operand *from,
		       struct eu_operand *to, bool is_dst, const char **fault);
bool eu_load(struct eu_core *core, struct eu_thread *thread, const struct eu_operand *o, unsigned int n,
	     uint32_t mask, uint64_t *raw);
bool eu_store(struct eu_core *core, struct eu_thread *thread, const struct eu_operand *o, unsigned int n,
	      uint32_t mask, const uint64_t *raw);
unsigned int eu_arf_offset(const struct eu_core *core, const struct eu_operand *o, unsigned int exec, bool is_dst);
uint64_t eu_arf_read(struct eu_core *core, const struct eu_thread *thread, unsigned int reg, unsigned int byte,
		     unsigned int size);

/* convert.c */
double eu_double_of(const struct eu_operand *o, uint64_t raw);
double eu_half_to_double(uint16_t half);
uint16_t eu_double_to_half(double value, unsigned int rounding);
double eu_float_to_double(float value);
float eu_double_to_float(double value);
float eu_flush(float value);
double eu_flush_double(double value);

/* generic.c */
void eu_generic(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop);
void eu_int_compute(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
		    union eu_lane s[][EU_CHANNELS], union eu_lane *r);
void eu_float_compute(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
		      union eu_lane s[][EU_CHANNELS], union eu_lane *r);
bool eu_condition_int(unsigned int cond, __int128 value);
bool eu_condition_double(unsigned int cond, double a, double b);
int64_t eu_acc_read(const struct eu_thread *thread, const struct eu_uop *uop, unsigned int channel);
void eu_acc_write(struct eu_thread *thread, const struct eu_uop *uop, unsigned int channel, uint64_t value);

double eu_acc_double(const struct eu_thread *thread, const struct eu_uop *uop, unsigned int channel);
void eu_flush_sources(const struct eu_core *core, const struct eu_uop *uop, union eu_lane s[][EU_CHANNELS]);

/* math.c, under the host's default float mode */
void eu_math_compute(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
		     union eu_lane s[][EU_CHANNELS], union eu_lane *r);

/* special.c */
void eu_line_compute(struct eu_thread *thread, const struct eu_uop *uop, union eu_lane s[][EU_CHANNELS],
		     union eu_lane *r);
void eu_movi(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop);
void eu_smov(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop);
bool eu_is_control(const struct eu_uop *uop);
void eu_control(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop);
const char *eu_line_check(const struct eu_uop *uop);

/* run.c: illegal opcodes: an exception if the program has them enabled and there is a system routine */
void eu_illegal(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop);
void eu_breakpoint(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop);
void eu_control_written(struct eu_thread *thread, bool in_routine);

/* flow.c: handlers of instructions that change ip, by opcode; NULL: the opcode is none of them. */
eu_handler eu_flow_handler(unsigned int op);
void eu_arrive(struct eu_core *core, struct eu_thread *thread);
void eu_refresh(struct eu_core *core, struct eu_thread *thread);

/* send.c */
void eu_send(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop);

/* How handlers load and store the channels of a direct operand. */
enum eu_shape eu_shape_of(const struct eu_operand *o, unsigned int exec);
enum eu_shape eu_dst_shape_of(const struct eu_operand *o, unsigned int exec);
/* An immediate as a source. */
void eu_splat(struct eu_operand *o, struct eu_fast_source *s);

/* Handlers of fast.c or wide.c, compiled for the processor. Returns the handler, or NULL: others have to do it. */
struct eu_fast {
	eu_handler (*choose)(const struct eu_core *core, struct eu_uop *uop);
};

extern const struct eu_fast eu_fast_plain, eu_fast_avx2, eu_fast_avx512, eu_wide_plain, eu_wide_avx2, eu_wide_avx512;

/* PMask, from channel 0 of the instruction on. */
uint32_t eu_pmask(const struct eu_core *core, const struct eu_thread *thread, const struct eu_uop *uop);

/* Which channels execute, whatever the predicate is. */
static inline uint32_t eu_unpredicated(const struct eu_core *core, const struct eu_uop *uop)
{
	if (uop->no_mask)
		return uop->lanes;
	if (uop->exec == 32 && core->traits->low_mask_twice)
		return uop->lanes & ((core->emask & 0xffff) | core->emask << 16);
	return uop->lanes & (core->emask >> uop->offset);
}

/* Which channels execute. */
static inline uint32_t eu_enabled(const struct eu_core *core, const struct eu_thread *thread,
				  const struct eu_uop *uop)
{
	uint32_t mask = eu_unpredicated(core, uop);

	return uop->predicate ? mask & eu_pmask(core, thread, uop) : mask;
}

/* Flags of the channels in mask: f1:f0 as one number, of which compilers would make vectors otherwise. */
static inline void eu_set_flags(struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask, uint32_t value)
{
	unsigned int shift = (uop->flag_bit + uop->offset) % 64;
	uint64_t flags;

	memcpy(&flags, thread->flag, sizeof(flags));
	flags = (flags & ~((uint64_t)mask << shift)) | (uint64_t)(value & mask) << shift;
	memcpy(thread->flag, &flags, sizeof(flags));
}

/*
 * A channel's encoded bits, zeros above; size is that of a type. Of a memcpy() whose length varies compilers make
 * string instructions, which take longer than all the rest of most handlers.
 */
static inline uint64_t eu_get(const uint8_t *from, unsigned int size)
{
	uint64_t q;
	uint32_t d;
	uint16_t w;

	switch (size) {
	case 1:
		return *from;
	case 2:
		memcpy(&w, from, 2);
		return w;
	case 4:
		memcpy(&d, from, 4);
		return d;
	default:
		memcpy(&q, from, 8);
		return q;
	}
}

static inline void eu_put(uint8_t *to, unsigned int size, uint64_t bits)
{
	switch (size) {
	case 1:
		memcpy(to, &bits, 1);
		break;
	case 2:
		memcpy(to, &bits, 2);
		break;
	case 4:
		memcpy(to, &bits, 4);
		break;
	default:
		memcpy(to, &bits, 8);
		break;
	}
}

/* An integer of 64 encoded bits; an accumulator has its sign in all of them. */
static inline __int128 eu_integer_of(const struct eu_operand *o, uint64_t raw)
{
	unsigned int shift = 64 - 8 * o->size;

	if (o->place == EU_ACC)
		return (int64_t)raw;
	if (o->kind == ISA_SIGNED)
		return (int64_t)(raw << shift) >> shift;
	return raw;
}

static inline void eu_set_mxcsr(uint32_t value)
{
	__builtin_ia32_ldmxcsr(value);
}

#endif
