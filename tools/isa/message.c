// SPDX-License-Identifier: MIT
/**
 * DOC: What messages say
 *
 * The target and bits of the descriptor say which message a send is; the other fields are in the
 * message's table (isa/messages.xml).
 */
#include <inttypes.h>
#include <string.h>

#include "isa.h"

const struct isa_message *isa_message(const struct isa_gen *isa, const struct isa_inst *inst)
{
	const struct isa_target *target = &isa->targets[inst->target & 15];
	unsigned int i;

	if (inst->desc_is_reg)
		return NULL;
	for (i = 0; i < target->n; i++)
		if ((inst->desc & target->messages[i].mask) == target->messages[i].match)
			return &target->messages[i];
	return NULL;
}

__u32 isa_message_get(const struct isa_message *message, enum isa_message_field id, __u32 desc)
{
	unsigned int i;

	for (i = 0; i < message->nfields; i++)
		if (message->fields[i].id == id)
			return desc >> message->fields[i].start & ((1u << message->fields[i].width) - 1);
	return 0;
}

/* The lengths in the descriptors, in registers: of the payload, of its second part, of the response. */
static void print_send(const struct isa_gen *isa, const struct isa_inst *inst, FILE *out)
{
	const struct isa_target *target = &isa->targets[inst->target & 15];
	const struct isa_message *message = isa_message(isa, inst);
	unsigned int i;

	fprintf(out, "%s", inst->ex_desc_is_reg && isa->gen < 120 ? "target in a0" :
		target->name ? target->name : "reserved target");
	if (inst->desc_is_reg)
		return;
	fprintf(out, " %s, length %u", message ? message->name : "message unknown", inst->desc >> 25 & 15);
	if (inst->form == ISA_FORM_SPLIT || isa->gen >= 120) {
		if (inst->ex_desc_is_reg)
			fprintf(out, "+a0.%u", inst->ex_desc_subreg);
		else
			fprintf(out, "+%u", inst->ex_desc >> 6 & 31);
	}
	fprintf(out, ", response %u%s", inst->desc >> 20 & 31, inst->desc >> 19 & 1 ? ", header" : "");
	for (i = 0; message && i < message->nfields; i++) {
		__u32 value = isa_message_get(message, message->fields[i].id, inst->desc);

		if (value)
			fprintf(out, ", %s %u", isa_message_field_names[message->fields[i].id], value);
	}
}

static double half(__u16 h)
{
	unsigned int exponent = h >> 10 & 31, mantissa = h & 1023;
	double value = exponent ? 1 + mantissa / 1024. : mantissa / 512.;
	int power = (int)exponent - 15;

	if (exponent == 31)
		return mantissa ? __builtin_nan("") : h >> 15 ? -__builtin_inf() : __builtin_inf();
	if (!exponent)
		power = -15;
	value *= power < 0 ? 1. / (1 << -power) : 1 << power;
	return h >> 15 ? -value : value;
}

static bool print_float(const struct isa_operand *o, const char *before, FILE *out)
{
	double value;
	float f;
	__u32 bits = o->imm;

	switch (o->file == ISA_IMMEDIATE ? o->type : ISA_NO_TYPE) {
	case ISA_TYPE_F:
		memcpy(&f, &bits, sizeof(f));
		fprintf(out, "%s%.9g", before, f);
		return true;
	case ISA_TYPE_DF:
		memcpy(&value, &o->imm, sizeof(value));
		fprintf(out, "%s%.17g", before, value);
		return true;
	case ISA_TYPE_HF:
		fprintf(out, "%s%.5g", before, half(o->imm));
		return true;
	default:
		return false;
	}
}

void isa_print_comment(const struct isa_gen *isa, const struct isa_inst *inst, __u64 address, FILE *out)
{
	const char *before = " // ";
	unsigned int i;

	for (i = 0; i < inst->nsources; i++)
		if (print_float(&inst->src[i], before, out))
			before = ", ";
	for (i = 0; i < inst->njumps; i++, before = ", ")
		fprintf(out, "%sto 0x%04" PRIx64, before,
			(uint64_t)((inst->op == ISA_OP_CALLA ? 0 : address) + inst->jump[i]));
	if (inst->form == ISA_FORM_SEND || inst->form == ISA_FORM_SPLIT) {
		fputs(before, out);
		print_send(isa, inst, out);
	}
}
