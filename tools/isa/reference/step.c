// SPDX-License-Identifier: MIT
/**
 * DOC: One instruction
 *
 * All channels read the registers as they were before; then each that is enabled writes.
 */
#include <string.h>

#include "internal.h"

const struct eu_ref_silence_text eu_ref_silences[EU_REF_SILENCES] = {
	[EU_REF_ALT_INPUT] = { "infinities and NaNs in the alternative float mode",
			       "IVB Vol 4 Part 3, 2.3.2: not expected; 6.4, 6.43: result undefined" },
	[EU_REF_NAN_SELECT] = { "comparisons of two NaNs, sel.ne with a NaN, bits of a half NaN in a word",
				"IVB Vol 4 Part 3, 3.6: a don't care; 6.55 contradicts 3.6" },
	[EU_REF_DENORMAL_MOVE] = { "denormals moved with a modifier, saturated, or tested, when they are flushed",
				   "IVB Vol 4 Part 3, 6.41.10; DG1 Vol 2a \"sel\" says both" },
	[EU_REF_DENORMAL_CONVERT] = { "conversions of denormals: not rounded to nearest, or flushed from Gen8 on",
				      "IVB Vol 4 Part 3, 2.4.6, 6.27; no manual of Gen9 at hand" },
	[EU_REF_DENORMAL_ROUND] = { "rnd* and frc of denormals that are not flushed",
				    "IVB Vol 4 Part 3, 6.30, 6.49: tables with flushed ones alone" },
	[EU_REF_DOUBLE_TO_SINGLE] = { "Gen7.5: the rounding from DF to F",
				      "IVB Vol 4 Part 3, 2.4.5: to zero; no manual of Gen7.5 at hand" },
	[EU_REF_SMALLEST_NORMAL] = { "results that round up to the smallest normal number, when denormals are flushed",
				     "IVB Vol 4 Part 3, 2.3.1.2: not whether before or after rounding" },
	[EU_REF_FUSED_RANGE] = { "sums of products with intermediate values near the end of the range",
				 "IVB Vol 4 Part 3, 2.3.1.2: correct or infinite" },
	[EU_REF_FRACTION_ONE] = { "frc of small negative numbers, and up to Gen7 when rounding down",
				  "IVB Vol 4 Part 3, 6.30, errata: 1.0 may come out, or a negated result" },
	[EU_REF_WIDE_SOURCE] = { "shifts, products and quadwords of which a source leaves its type by a modifier",
				 "IVB Vol 4 Part 3, 3.3.3.5: unpredictable" },
	[EU_REF_WIDE_SHIFT] = { "shl.sat with a result of more than 33 bits", "IVB Vol 4 Part 3, 6.58: undefined" },
	[EU_REF_NOT_WIDTH] = { "inverted sources that are narrower than the destination: the bits above",
			       "KBL Vol 2b, SrcMod: \"inverting the source bits\"" },
	[EU_REF_NEGATIVE_UNSIGNED] = { "signs of negative results in unsigned destinations",
				       "IVB Vol 4 Part 3, 3.6: post_sign of no sign" },
	[EU_REF_CONDITION_ACCUMULATOR] = { "flags of an accumulator whose value its type has no room for",
					   "IVB Vol 4 Part 3, 3.6" },
	[EU_REF_CONDITION_SATURATED] = { "conditions that saturation changes",
					 "IVB Vol 4 Part 3, 3.6: after clamping, and before .sat" },
	[EU_REF_CONDITION_RANGE] = { "conditions of results that are known to a range", "as for the results" },
	[EU_REF_CONDITION_MASKED] = { "flags of channels that the write mask of Align16 excludes",
				      "IVB Vol 4 Part 3, 3.6, 5.2.4.1: not said" },
	[EU_REF_CONDITION_INFINITE] = { "overflow of infinities that were infinities before",
					"IVB Vol 4 Part 3, 3.6: of the computation, or outside the range" },
	[EU_REF_ACC_GUARD] = { "bits of accumulators above the type", "SNB Vol 4 Part 2, 8.3.2: undefined" },
	[EU_REF_ACC_DISABLED] = { "mach: the accumulator of channels that are off",
				  "IVB Vol 4 Part 3, 6.39 writes it, 3.3.3.5 does not" },
	[EU_REF_ADDRESS_HIGH] = { "the highest four bits of a0.2 and following from Gen8 on",
				  "IVB Vol 4 Part 3, 3.3.3.4: not there; no later manual at hand" },
	[EU_REF_COMPARE_BITS] = { "Gen6: bits of cmp's destination but the lowest",
				  "SNB Vol 4 Part 2, 8.3.8: undefined" },
	[EU_REF_ODD_CHANNEL] = { "sad2, sada2: odd channels", "IVB Vol 4 Part 3, 6.53: written with undefined values" },
	[EU_REF_DIVISION] = { "integer division by zero, and of the least number by -1",
			      "IVB Vol 4 Part 3, 6.41.9: not in the table" },
	[EU_REF_SPF_CHANNELS] = { "PcIP of channels in single program flow",
				  "SNB Vol 4 Part 2, 8.3: not updated; not what they are when it ends" },
	[EU_REF_MATH_CASE] = { "math of kept denormals, powers of special numbers, results at the end of the range",
			       "IVB Vol 4 Part 3, 6.41: not in the tables, or not as in other parts of it" },
};

/* 6.42 movi: the register of the first index, the subregisters of all. */
static void movi(struct ref_context *c, unsigned int channel)
{
	const struct isa_operand *src = &c->inst->src[0];
	const __u16 *address = c->before->address + src->addr_subreg;
	unsigned int reg = (address[0] + src->addr_imm) >> 5 & 127;
	unsigned int subreg = (address[channel] + src->addr_imm) & 31;
	__u64 bits = 0;

	memcpy(&bits, c->before->grf + reg * 32 + subreg, ref_size(src->type));
	ref_write(c, &c->inst->dst, channel, bits, 0);
}

/* math.idiv: the remainder goes to the register behind that of the quotient. */
static void write_remainder(struct ref_context *c, unsigned int channel, const struct ref_outcome *o,
			    __int128 remainder)
{
	struct isa_operand next = c->inst->dst;

	next.reg++;
	ref_write(c, &next, channel, remainder, o->unknown ? ~0ull : 0);
}

/* 64 bits have no guard bits. */
static bool quad_left_its_type(const struct ref_context *c, unsigned int channel)
{
	unsigned int n;
	__int128 i;

	for (n = 0; n < c->inst->nsources; n++) {
		if (ref_is_float(c->inst->src[n].type) || ref_size(c->inst->src[n].type) < 8)
			continue;
		i = ref_source(c, n, channel).i;
		if (ref_is_signed(c->inst->src[n].type) ? i != (__s64)i : i != (__int128)(__u64)i)
			return true;
	}
	return false;
}

static void execute_channel(struct ref_context *c, unsigned int channel)
{
	struct ref_outcome o = { .unknown = false };
	__int128 remainder = 0;

	if (c->inst->op == ISA_OP_MOVI) {
		movi(c, channel);
	} else if (c->inst->form == ISA_FORM_MATH) {
		ref_math(c, channel, &o, &remainder);
		ref_finish(c, channel, &o);
		if (c->inst->function == ISA_MATH_IDIV)
			write_remainder(c, channel, &o, remainder);
	} else if (ref_operation(c, channel, &o)) {
		if (quad_left_its_type(c, channel))
			o = ref_unknown(o, EU_REF_WIDE_SOURCE);
		ref_finish(c, channel, &o);
	}
}

static void execute(struct ref_context *c)
{
	unsigned int channel;

	for (channel = 0; channel < c->inst->exec_size && !c->result->undefined; channel++) {
		if (ref_write_enable(c, channel)) {
			execute_channel(c, channel);
		} else if (c->inst->op == ISA_OP_MACH && c->isa->gen < 120) {
			ref_write_acc(c, channel, 0, ~0ull);
			ref_silent(c, EU_REF_ACC_DISABLED);
		}
	}
}

/* To another instruction, with all channels that run. */
static void advance(struct ref_context *c, __u32 next)
{
	struct eu_ref_state *state = c->after;
	unsigned int n;

	for (n = 0; n < EU_REF_CHANNELS; n++) {
		if (ref_single_flow(c)) {
			c->result->unknown.pcip[n] = ~0u;
			ref_silent(c, EU_REF_SPF_CHANNELS);
		} else if (state->pcip[n] == state->ip) {
			state->pcip[n] = next;
		}
	}
	state->ip = next;
}

static bool uses_flags(const struct isa_inst *inst)
{
	return inst->predicate || inst->cond;
}

static bool has_operands(const struct isa_inst *inst)
{
	return inst->form == ISA_FORM_BASIC || inst->form == ISA_FORM_MATH || inst->form == ISA_FORM_THREE;
}

static const char *undefined(struct ref_context *c)
{
	const struct isa_inst *inst = c->inst;

	if (uses_flags(inst) && inst->flag_subreg && inst->channel_offset >= 16)
		return "flags of the third and fourth quarter in the second subregister";
	/* "Only H1/Q1/N1 are allowed in SPF mode" (IVB Vol 4 Part 3, 3.3.3.8). */
	if (ref_single_flow(c) && inst->channel_offset)
		return "channels behind the first quarter in single program flow";
	if (!has_operands(inst))
		return NULL;
	return inst->macro || !ref_operands_defined(c) ? "operands outside the registers" : NULL;
}

/* Where the next instruction is, when this one does not say: a thread that waits comes back. */
static __u32 next_of(const struct ref_context *c)
{
	if (c->result->status == EU_REF_WAITS)
		return c->before->ip;
	if (c->inst->op == ISA_OP_ILLEGAL && c->before->cr[1] >> 12 & 1)
		return c->before->sip;
	return c->before->ip + c->inst->size;
}

/* Branches, calls and what concerns the thread; false: there is no rule. */
static bool execute_other(struct ref_context *c)
{
	switch (c->inst->form) {
	case ISA_FORM_JUMP:
	case ISA_FORM_JUMP_REG:
		return ref_flow(c);
	case ISA_FORM_CALL:
	case ISA_FORM_RET:
		return ref_call(c);
	default:
		if (c->inst->op != ISA_OP_NOP && !ref_thread(c))
			return false;
		advance(c, next_of(c));
		return true;
	}
}

void eu_ref_step(const struct isa_gen *isa, bool dword_mul, const struct isa_inst *inst, struct eu_ref_state *state,
		 struct eu_ref_result *result)
{
	const struct eu_ref_state before = *state;
	struct ref_context c = { isa, inst, dword_mul, &before, state, result, 0 };

	memset(result, 0, sizeof(*result));
	result->undefined = undefined(&c);
	if (result->undefined)
		return;
	if (has_operands(inst)) {
		ref_prepare(&c);
		execute(&c);
		advance(&c, next_of(&c));
	} else if (!execute_other(&c) && !result->undefined) {
		result->undefined = "an instruction without a rule in the reference";
	}
	if (result->undefined)
		*state = before;
}
