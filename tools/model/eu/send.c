// SPDX-License-Identifier: MIT
/**
 * DOC: Messages
 *
 * A send becomes a struct eu_message with checked registers; the caller's function executes it. The message of a send
 * whose descriptors and registers are in the instruction is made once, and gets a plan from the caller then.
 */
#include "internal.h"

#define ADDRESS_CODE 1

static bool range_ok(struct eu_thread *thread, unsigned int reg, unsigned int length, unsigned int end,
		     const char *fault)
{
	if (reg + length <= end)
		return true;
	thread->fault = fault;
	return false;
}

/* The register that an indirect operand names. */
static bool register_of(struct eu_thread *thread, const struct isa_operand *o, unsigned int *reg)
{
	int address;

	*reg = o->reg;
	if (!o->indirect)
		return true;
	address = thread->address[o->addr_subreg % 16] + o->addr_imm;
	if (address < 0 || address >= EU_GRF_END) {
		thread->fault = "address in a0 is outside the registers";
		return false;
	}
	*reg = (unsigned int)address / EU_GRF_BYTES;
	return true;
}

/* An architecture register other than null as the destination (acc0 of some programs) gets nothing either. */
static bool is_null(const struct isa_operand *o)
{
	return !o->indirect && o->file == ISA_ARF;
}

static void descriptors(const struct eu_core *core, const struct eu_thread *thread, struct isa_inst *inst)
{
	if (inst->desc_is_reg) {
		memcpy(&inst->desc, &thread->address[0], 4);
		inst->desc &= core->traits->descriptor_bits;
	}
	/* Before Gen12 the target and the end of the thread stay in the instruction. */
	if (inst->ex_desc_is_reg)
		memcpy(&inst->ex_desc, &thread->address[inst->ex_desc_subreg % 8 * 2], 4);
	inst->desc_is_reg = false;
	inst->ex_desc_is_reg = false;
}

static bool payloads(struct eu_thread *thread, const struct isa_inst *inst, struct eu_message *m)
{
	bool split = inst->form == ISA_FORM_SPLIT || inst->nsources > 1;
	const struct isa_operand *first = &inst->src[0], *second = &inst->src[1];
	bool mrf = first->file == ISA_MRF;
	unsigned int reg;

	m->length[0] = inst->desc >> 25 & 15;
	m->length[1] = split && !is_null(second) ? inst->ex_desc >> 6 & 15 : 0;
	if (is_null(first))
		m->length[0] = 0;
	if (!register_of(thread, first, &reg) ||
	    !range_ok(thread, reg, m->length[0], mrf ? EU_MRFS : EU_GRFS, "payload beyond the last register"))
		return false;
	m->payload_reg[0] = reg;
	if (!m->length[1])
		return true;
	m->payload_reg[1] = second->reg;
	return range_ok(thread, second->reg, m->length[1], EU_GRFS, "payload beyond the last register");
}

static bool response(struct eu_thread *thread, const struct isa_inst *inst, struct eu_message *m)
{
	unsigned int reg;

	m->response_length = inst->desc >> 20 & 31;
	m->answered = !is_null(&inst->dst) && m->response_length;
	if (is_null(&inst->dst))
		return true;
	if (!register_of(thread, &inst->dst, &reg) ||
	    !range_ok(thread, reg, m->response_length, EU_GRFS, "response beyond r127"))
		return false;
	m->response_reg = reg;
	return true;
}

/* All of a message but what each execution has of its own. False: its registers are wrong. */
static bool describe(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop,
		     const struct isa_inst *inst, struct eu_message *m)
{
	*m = (struct eu_message){
		.isa = core->isa, .inst = inst, .info = isa_message(core->isa, inst), .desc = inst->desc,
		.ex_desc = inst->ex_desc, .target = inst->target, .header = inst->desc >> 19 & 1, .eot = inst->eot,
		.exec_size = uop->exec, .channel_offset = uop->offset,
	};
	return payloads(thread, inst, m) && response(thread, inst, m);
}

/* The same, of an instruction whose descriptors are in registers, which is completed. */
static bool describe_complete(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop,
			      struct isa_inst *complete, struct eu_message *m)
{
	*complete = uop->cold->inst;
	descriptors(core, thread, complete);
	return describe(core, thread, uop, complete, m);
}

static bool overlap(unsigned int a, unsigned int na, unsigned int b, unsigned int nb)
{
	return a < b + nb && b < a + na;
}

/* Where the registers are; a payload that the response overlaps is copied. */
static void point(struct eu_thread *thread, struct eu_message *m, uint8_t copies[2][16 * EU_GRF_BYTES])
{
	unsigned int i, n;

	m->response = m->answered ? thread->grf[m->response_reg] : NULL;
	for (i = 0; i < 2; i++) {
		unsigned int reg = m->payload_reg[i], length = m->length[i];
		bool mrf = !i && m->inst->src[0].file == ISA_MRF;

		m->payload[i] = !length ? NULL : mrf ? thread->mrf[reg] : thread->grf[reg];
		if (!length || mrf || !m->response || !overlap(reg, length, m->response_reg, m->response_length))
			continue;
		for (n = 0; n < length; n++)
			memcpy(copies[i] + n * EU_GRF_BYTES, thread->grf[reg + n], EU_GRF_BYTES);
		m->payload[i] = copies[i];
	}
}

void eu_send(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	struct eu_cold *cold = uop->cold;
	const struct isa_inst *inst = &cold->inst;
	uint8_t copies[2][16 * EU_GRF_BYTES];
	struct eu_message *m = &cold->message;
	struct isa_inst complete;
	enum eu_reply reply;

	if (!cold->described) {
		if (inst->desc_is_reg || inst->ex_desc_is_reg) {
			if (!describe_complete(core, thread, uop, &complete, m))
				return;
		} else {
			if (!describe(core, thread, uop, inst, m))
				return;
			cold->described = !inst->src[0].indirect && !inst->dst.indirect;
			if (cold->described && core->ops->prepare)
				core->ops->prepare(m);
		}
	}
	m->exec_mask = eu_enabled(core, thread, uop);
	point(thread, m, copies);
	eu_set_mxcsr(core->mxcsr_host);
	reply = core->ops->message(thread, m);
	eu_set_mxcsr(core->mxcsr);
	if (reply == EU_BAD) {
		if (!thread->fault)
			thread->fault = "message failed";
		return;
	}
	if (reply == EU_AGAIN) {
		core->stop = EU_WAIT;
		core->stopped = true;
		return;
	}
	core->counters.messages[m->target & 15]++;
	thread->ip = uop->ip + uop->size;
	if (m->eot) {
		core->stop = EU_END;
		core->stopped = true;
	}
}
