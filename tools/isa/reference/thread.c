// SPDX-License-Identifier: MIT
/**
 * DOC: What concerns the whole thread
 *
 * Messages: IVB Vol 4 Part 3, 6.56 "send", 6.57 "sendc"; SNB Vol 4 Part 2, 8.3 "send"; DG1 Vol 2a "send", "sendc";
 * Gen9's split sends have no manual at hand, they are as Gen12's send. Notifications: 6.61 "wait", DG1 Vol 2a "sync".
 * Illegal opcodes: 6.33, 4.2 "Invoking the System Routine".
 */
#include <string.h>

#include "internal.h"

static __u32 bits(__u32 value, unsigned int high, unsigned int low)
{
	return value >> low & ((2u << (high - low)) - 1);
}

static unsigned int first_register(const struct ref_context *c, const struct isa_operand *o)
{
	if (!o->indirect)
		return o->reg;
	return (c->before->address[o->addr_subreg] + o->addr_imm) / 32;
}

/* "The leading dword of the address register"; of the extended descriptor any dword of it. */
static __u32 address_dword(const struct ref_context *c, unsigned int n)
{
	return c->before->address[2 * n] | (__u32)c->before->address[2 * n + 1] << 16;
}

/* A block of the payload; false: registers that are not there. */
static bool read_block(struct ref_context *c, unsigned int n, unsigned int length)
{
	const struct isa_operand *o = &c->inst->src[n];
	const __u8 *file = o->file == ISA_MRF ? c->before->mrf : c->before->grf;
	unsigned int first = first_register(c, o), end = o->file == ISA_MRF ? EU_REF_MRF_BYTES : EU_REF_GRF_BYTES;

	if (length > 15 || (first + length) * 32 > end)
		return false;
	c->result->message.length[n] = length;
	memcpy(c->result->message.payload[n], file + first * 32, length * 32);
	return true;
}

static bool message(struct ref_context *c)
{
	const struct isa_inst *inst = c->inst;
	struct eu_ref_message *m = &c->result->message;
	bool two = inst->form == ISA_FORM_SPLIT || inst->nsources > 1;
	unsigned int n, second, first;

	m->target = inst->target;
	m->eot = inst->eot;
	m->exec_size = inst->exec_size;
	m->channel_offset = inst->channel_offset;
	/* "When <desc> is a register operand, only the lower 29 bits of <reg32a> are used." */
	m->desc = inst->desc_is_reg ? address_dword(c, 0) & (c->isa->gen < 80 ? 0x1fffffff : ~0u) : inst->desc;
	m->ex_desc = inst->ex_desc_is_reg ? address_dword(c, inst->ex_desc_subreg) : inst->ex_desc;
	m->header = bits(m->desc, 19, 19);
	for (n = 0; n < inst->exec_size; n++)
		m->mask |= (__u32)ref_write_enable(c, n) << n;
	/* "If it is a null register the Extended Message Length must be 0." */
	second = two ? bits(m->ex_desc, 9, 6) : 0;
	if (inst->src[0].file == ISA_ARF || (inst->src[1].file == ISA_ARF && second))
		return false;
	if (!read_block(c, 0, bits(m->desc, 28, 25)) || (second && !read_block(c, 1, second)))
		return false;
	m->response_length = bits(m->desc, 24, 20);
	m->response = EU_REF_NOWHERE;
	if (inst->dst.file == ISA_ARF)
		return !m->response_length;
	first = first_register(c, &inst->dst);
	if (m->response_length)
		m->response = first * 32;
	return first + m->response_length <= 128 && !inst->eot;
}

/* wait: 6.61; without a notification the thread comes back to it. */
static bool wait(struct ref_context *c)
{
	unsigned int n = c->inst->src[0].subreg / 4;

	if (n > 2)
		return false;
	if (!c->before->n[n])
		c->result->status = EU_REF_WAITS;
	else
		c->after->n[n]--;
	return true;
}

/* sync.bar waits for the bit of barrier 0 in n0, sync.host for bit 0 of n1; they clear it. Others never wait here. */
static bool sync(struct ref_context *c)
{
	unsigned int n = c->inst->function == ISA_SYNC_HOST;

	if (c->inst->function != ISA_SYNC_BAR && c->inst->function != ISA_SYNC_HOST)
		return true;
	if (!(c->before->n[n] & 1))
		c->result->status = EU_REF_WAITS;
	else
		c->after->n[n] &= ~1u;
	return true;
}

/* illegal: bit 28 of cr0.1 is set; with bit 12 set, the System Routine is entered: AIP is this instruction's IP. */
static bool illegal(struct ref_context *c)
{
	c->after->cr[1] |= 1u << 28;
	if (!(c->before->cr[1] >> 12 & 1))
		return true;
	c->after->cr[2] = c->before->ip;
	c->after->cr[0] |= 1u << 31;
	return true;
}

/**
 * ref_thread() - a message, a wait or an exception
 * @c: the instruction
 *
 * Return: is it one, and known here?
 */
bool ref_thread(struct ref_context *c)
{
	switch (c->inst->form) {
	case ISA_FORM_SEND:
	case ISA_FORM_SPLIT:
		c->result->sends = true;
		c->result->status = c->inst->eot ? EU_REF_ENDS : EU_REF_GOES_ON;
		return message(c);
	case ISA_FORM_WAIT:
		return wait(c);
	case ISA_FORM_SYNC:
		return sync(c);
	default:
		return c->inst->op == ISA_OP_ILLEGAL && illegal(c);
	}
}
