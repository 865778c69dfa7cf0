/* SPDX-License-Identifier: MIT */
/* What the parts of the reference share. */
#ifndef _EU_REFERENCE_INTERNAL_H_
#define _EU_REFERENCE_INTERNAL_H_

#include "reference.h"

/* Condition modifiers by their codes. */
enum ref_condition { REF_E = 1, REF_NE, REF_G, REF_GE, REF_L, REF_LE, REF_O = 8, REF_U };

enum ref_rounding { REF_NEAREST, REF_UP, REF_DOWN, REF_ZERO };

/**
 * struct ref_value - an operand's element, or a result
 * @is_float: it is a float
 * @type: enum isa_type_id; of a result the execution type, floats are representable in it
 * @bits: as encoded, before modifiers
 * @i: an integer
 * @f: a float
 */
struct ref_value {
	bool is_float;
	__u8 type;
	__u64 bits;
	__int128 i;
	double f;
};

/**
 * struct ref_outcome - what an operation gives for a channel
 * @v: the result, exact or rounded to the execution type
 * @slack: floats: the result may be off by this much, either way
 * @overflow: a finite result was out of the execution type's range
 * @inexact: the result was rounded
 * @raw: @v.bits are copied
 * @conversion: nothing was computed but the destination's type
 * @unknown: nothing is known of the result
 * @reason: if so, or if bits of it are not known
 * @unknown_bits: bits of the destination that are not known
 * @guard_unknown: of an accumulator, bits above the destination's type are not known
 */
struct ref_outcome {
	struct ref_value v;
	double slack;
	bool overflow, inexact, raw, conversion, unknown, guard_unknown;
	enum eu_ref_silence reason;
	__u64 unknown_bits;
};

/**
 * struct ref_context - an instruction that is executed
 * @isa: the generation
 * @inst: the instruction
 * @dword_mul: as for eu_ref_step()
 * @before: registers, as all channels read them
 * @after: registers, as they are written
 * @result: the caller's
 * @exec_type: execution type
 */
struct ref_context {
	const struct isa_gen *isa;
	const struct isa_inst *inst;
	bool dword_mul;
	const struct eu_ref_state *before;
	struct eu_ref_state *after;
	struct eu_ref_result *result;
	__u8 exec_type;
};

static inline bool ref_is_float(unsigned int type)
{
	return type == ISA_TYPE_F || type == ISA_TYPE_HF || type == ISA_TYPE_DF || type == ISA_TYPE_VF;
}

static inline bool ref_is_signed(unsigned int type)
{
	return isa_types[type].kind == ISA_SIGNED || type == ISA_TYPE_V;
}

static inline unsigned int ref_size(unsigned int type)
{
	return isa_types[type].size;
}

/* float.c: formats, modes, arithmetic */
double ref_decode_float(unsigned int type, __u64 bits);
__u64 ref_encode_float(unsigned int type, double value);
double ref_round(unsigned int type, __float128 value, enum ref_rounding rounding, bool *inexact, bool *overflow);
double ref_unit(unsigned int type);
double ref_smallest_normal(unsigned int type);
double ref_greatest(unsigned int type);
bool ref_is_denormal(unsigned int type, double value);
bool ref_flushes(const struct ref_context *c, unsigned int type);
bool ref_alt(const struct ref_context *c);
enum ref_rounding ref_rounding(const struct ref_context *c);
double ref_flush(const struct ref_context *c, unsigned int type, double value);

enum ref_float_op { REF_ADD, REF_MUL, REF_FMA };
struct ref_outcome ref_float_op(const struct ref_context *c, enum ref_float_op op, double a, double b, double d);
struct ref_outcome ref_float_sum(const struct ref_context *c, const __float128 *terms, unsigned int n);

/* operand.c: registers and regions */
void ref_prepare(struct ref_context *c);
bool ref_operands_defined(struct ref_context *c);
struct ref_value ref_source(const struct ref_context *c, unsigned int n, unsigned int channel);
__u64 ref_source_bits(const struct ref_context *c, unsigned int n, unsigned int channel);
float ref_grf_float(const struct ref_context *c, unsigned int byte);
int ref_source_byte(const struct ref_context *c, unsigned int n, unsigned int channel);
struct ref_value ref_implicit_acc(const struct ref_context *c, unsigned int channel, unsigned int type);
void ref_finish(struct ref_context *c, unsigned int channel, const struct ref_outcome *o);
void ref_write(struct ref_context *c, const struct isa_operand *o, unsigned int channel, __u64 bits, __u64 unknown);
void ref_set_flag(struct ref_context *c, unsigned int channel, bool value, bool unknown);
void ref_write_acc(struct ref_context *c, unsigned int channel, __u64 cell, __u64 unknown);
void ref_silent(struct ref_context *c, enum eu_ref_silence reason);
bool ref_condition(unsigned int code, bool negative, bool zero, bool nan, bool overflow);
bool ref_predicate(const struct ref_context *c, unsigned int channel);
bool ref_write_enable(const struct ref_context *c, unsigned int channel);

/* alu.c, math.c, vector.c: operations; flow.c: branches; call.c: calls; thread.c: what concerns the whole thread */
bool ref_operation(struct ref_context *c, unsigned int channel, struct ref_outcome *o);
bool ref_integer_operation(struct ref_context *c, unsigned int channel, struct ref_outcome *o);
void ref_math(struct ref_context *c, unsigned int channel, struct ref_outcome *o, __int128 *remainder);
bool ref_vector(struct ref_context *c, unsigned int channel, struct ref_outcome *o);
bool ref_compare(struct ref_context *c, unsigned int channel, bool *unknown);
bool ref_flow(struct ref_context *c);
bool ref_call(struct ref_context *c);
bool ref_thread(struct ref_context *c);
bool ref_runs(const struct ref_context *c, unsigned int n);
bool ref_single_flow(const struct ref_context *c);
__u32 ref_register_dword(const struct ref_context *c, const struct isa_operand *o, unsigned int n);

static inline struct ref_outcome ref_int(__int128 value, unsigned int type)
{
	return (struct ref_outcome){ .v = { .type = type, .i = value } };
}

static inline struct ref_outcome ref_float(double value, unsigned int type)
{
	return (struct ref_outcome){ .v = { .is_float = true, .type = type, .f = value } };
}

static inline struct ref_outcome ref_unknown(struct ref_outcome o, enum eu_ref_silence reason)
{
	o.unknown = true;
	o.reason = reason;
	return o;
}

#endif
