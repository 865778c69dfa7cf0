// SPDX-License-Identifier: MIT
/**
 * DOC: Calls of the reference
 *
 * IVB Vol 4 Part 3, 6.15 "call", 6.48 "ret"; SNB Vol 4 Part 2, 8.3.6, 8.3.36; DG1 Vol 2a "calla". The pseudo-code
 * counts the channels up to the execution size, which up to Gen7 has to be 2, for the two dwords of address and mask.
 * The text has "all enabled channels" jump and return, and so have these functions.
 */
#include "internal.h"

/* Channels that run and have the predicate. */
static __u32 write_enable(const struct ref_context *c)
{
	__u32 mask = 0;
	unsigned int n;

	for (n = 0; n < EU_REF_CHANNELS; n++)
		if (ref_runs(c, n) && (!c->inst->predicate || ref_predicate(c, ref_single_flow(c) ? 0 : n)))
			mask |= 1u << n;
	return mask;
}

/* Channels of @mask go to an address, the others that run to the next instruction. */
static void send_to(struct ref_context *c, __u32 mask, __u32 address, __u32 next)
{
	unsigned int n;

	if (ref_single_flow(c)) {
		for (n = 0; n < EU_REF_CHANNELS; n++)
			c->result->unknown.pcip[n] = ~0u;
		c->result->silent[EU_REF_SPF_CHANNELS] += EU_REF_CHANNELS;
		return;
	}
	for (n = 0; n < EU_REF_CHANNELS; n++)
		if (ref_runs(c, n))
			c->after->pcip[n] = mask >> n & 1 ? address : next;
}

/* The return address and CallMask go to the destination. "If none [...] jump [...], call is treated as a nop". */
static void call(struct ref_context *c, __u32 next)
{
	const struct isa_inst *inst = c->inst;
	__u32 mask = write_enable(c), target = inst->jump[0];

	if (!inst->njumps)
		target = ref_register_dword(c, &inst->src[0], 0);
	if (inst->op == ISA_OP_CALL)
		target += c->before->ip;
	send_to(c, mask, target, next);
	c->after->ip = mask ? target : next;
	if (!mask)
		return;
	c->after->call_mask = mask;
	ref_write(c, &inst->dst, 0, next, 0);
	ref_write(c, &inst->dst, 1, mask, 0);
}

/* When the last channel of CallMask returns, the thread does, with the mask that call has stored. */
static void ret(struct ref_context *c, __u32 next)
{
	__u32 mask = write_enable(c), target = ref_register_dword(c, &c->inst->src[0], 0);

	send_to(c, mask, target, next);
	c->after->call_mask &= ~mask;
	c->after->ip = next;
	if (c->after->call_mask & c->before->dispatch_mask)
		return;
	c->after->ip = target;
	c->after->call_mask = ref_register_dword(c, &c->inst->src[0], 1);
}

/**
 * ref_call() - a call or return
 * @c: the instruction
 *
 * Return: is it one, and known here?
 */
bool ref_call(struct ref_context *c)
{
	__u32 next = c->before->ip + c->inst->size;

	if (c->inst->no_mask || c->inst->channel_offset)
		return false;
	if (c->inst->op == ISA_OP_RET)
		ret(c, next);
	else
		call(c, next);
	return true;
}
