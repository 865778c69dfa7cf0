// SPDX-License-Identifier: MIT
/**
 * DOC: Messages
 *
 * A send becomes a struct eu_message with checked registers; the caller's function executes it.
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

static void descriptors(const struct eu_thread *thread, struct isa_inst *inst)
{
	if (inst->desc_is_reg)
		memcpy(&inst->desc, &thread->address[0], 4);
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
	m->payload[0] = !m->length[0] ? NULL : mrf ? thread->mrf[reg] : thread->grf[reg];
	if (!m->length[1])
		return true;
	m->payload_reg[1] = second->reg;
	if (!range_ok(thread, second->reg, m->length[1], EU_GRFS, "payload beyond the last register"))
		return false;
	m->payload[1] = thread->grf[second->reg];
	return true;
}

static bool overlap(unsigned int a, unsigned int na, unsigned int b, unsigned int nb)
{
	return a < b + nb && b < a + na;
}

void eu_send(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	const struct isa_inst *inst = &uop->cold->inst;
	struct isa_inst complete;
	uint8_t copies[2][16 * EU_GRF_BYTES];
	struct eu_message m = { .isa = core->isa };
	enum eu_reply reply;
	unsigned int i, reg;

	if (inst->desc_is_reg || inst->ex_desc_is_reg) {
		complete = *inst;
		descriptors(thread, &complete);
		inst = &complete;
	}
	m.inst = inst;
	m.info = inst == &complete ? isa_message(core->isa, inst) : uop->cold->message;
	m.desc = inst->desc;
	m.ex_desc = inst->ex_desc;
	m.target = inst->target;
	m.header = inst->desc >> 19 & 1;
	m.eot = inst->eot;
	m.exec_size = uop->exec;
	m.channel_offset = uop->offset;
	m.exec_mask = eu_enabled(core, thread, uop);
	if (!payloads(thread, inst, &m))
		return;
	m.response_length = inst->desc >> 20 & 31;
	if (!is_null(&inst->dst)) {
		if (!register_of(thread, &inst->dst, &reg) ||
		    !range_ok(thread, reg, m.response_length, EU_GRFS, "response beyond r127"))
			return;
		m.response_reg = reg;
		m.response = m.response_length ? thread->grf[reg] : NULL;
	}
	for (i = 0; i < 2 && m.response; i++) {
		if (!m.length[i] || inst->src[i].file == ISA_MRF ||
		    !overlap(m.payload_reg[i], m.length[i], m.response_reg, m.response_length))
			continue;
		memcpy(copies[i], m.payload[i], m.length[i] * EU_GRF_BYTES);
		m.payload[i] = copies[i];
	}
	eu_set_mxcsr(core->mxcsr_host);
	reply = core->ops->message(thread, &m);
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
	core->counters.messages[m.target & 15]++;
	thread->ip = uop->ip + uop->size;
	if (m.eot) {
		core->stop = EU_END;
		core->stopped = true;
	}
}
