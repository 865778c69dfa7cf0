// SPDX-License-Identifier: MIT
/**
 * DOC: Branches of the reference
 *
 * Each channel has an instruction pointer, PcIP; it runs where PcIP is the thread's. IVB Vol 4 Part 3, 6.12-6.15, 6.19,
 * 6.24, 6.25, 6.31-6.34, 6.48, 6.62; SNB Vol 4 Part 2, 8.3, which alone says that channels that do not run keep theirs;
 * DG1 Vol 2a "goto", "join". Offsets are in bytes from the instruction (struct isa_inst.jump). Single program flow
 * (cr0.0, bit 2) and branch control of if and else are not here.
 */
#include "internal.h"

struct flow {
	struct ref_context *c;
	__u32 ip, next, jip, uip;
};

static bool runs(const struct flow *f, unsigned int n)
{
	const struct eu_ref_state *s = f->c->before;

	return s->dispatch_mask >> n & 1 && s->pcip[n] == f->ip;
}

/* Is a dispatched channel at this address, after the instruction? */
static bool any_at(const struct flow *f, __u32 ip)
{
	unsigned int n;

	for (n = 0; n < EU_REF_CHANNELS; n++)
		if (f->c->before->dispatch_mask >> n & 1 && f->c->after->pcip[n] == ip)
			return true;
	return false;
}

/* Channels that run and have the predicate go to one address, those that have it not to another. */
static void split(struct flow *f, __u32 taken, __u32 rest)
{
	const struct isa_inst *inst = f->c->inst;
	unsigned int n, channel;

	for (n = 0; n < EU_REF_CHANNELS; n++) {
		if (!runs(f, n))
			continue;
		channel = n - inst->channel_offset;
		f->c->after->pcip[n] = channel < inst->exec_size && ref_predicate(f->c, channel) ? taken : rest;
	}
}

/* To the next instruction if a channel is there, else on. */
static void go(struct flow *f, __u32 otherwise)
{
	f->c->after->ip = any_at(f, f->next) ? f->next : otherwise;
}

/* Gen6's if and while may compare: SNB 8.3.20, 8.3.49. */
static bool embedded_compare(const struct flow *f)
{
	return f->c->inst->cond;
}

static void flow_while(struct flow *f)
{
	split(f, f->jip, f->next);
	f->c->after->ip = any_at(f, f->jip) ? f->jip : f->next;
}

/* Without branch control it is the channels that lack the predicate that wait at UIP: the text of DG1 Vol 2a "goto". */
static void flow_goto(struct flow *f)
{
	if (f->c->inst->branch_ctrl)
		split(f, f->uip, f->next);
	else
		split(f, f->next, f->uip);
	if (f->c->inst->branch_ctrl && any_at(f, f->uip))
		f->c->after->ip = f->uip;
	else
		go(f, f->jip);
}

/* join: channels that wait here go on; those without the predicate keep waiting (DG1 Vol 2a "join"). */
static void flow_join(struct flow *f)
{
	split(f, f->next, f->ip);
	go(f, f->jip);
}

/* jmpi: 6.34; the first channel's predicate counts, and all channels that run go along. */
static void flow_jmpi(struct flow *f)
{
	__u32 to = ref_predicate(f->c, 0) ? f->jip : f->next;
	unsigned int n;

	for (n = 0; n < EU_REF_CHANNELS; n++)
		if (f->c->before->pcip[n] == f->ip)
			f->c->after->pcip[n] = to;
	f->c->after->ip = to;
}

/**
 * ref_flow() - a branch
 * @c: the instruction
 *
 * Return: is it one, and known here?
 */
bool ref_flow(struct ref_context *c)
{
	const struct isa_inst *inst = c->inst;
	__u32 ip = c->before->ip;
	struct flow f = { c, ip, ip + inst->size, ip + inst->jump[0], ip + inst->jump[1] };
	bool jmpi = inst->op == ISA_OP_JMPI;

	if (embedded_compare(&f) || inst->no_mask != jmpi)
		return false;
	switch (inst->op) {
	case ISA_OP_IF:
		split(&f, f.next, f.jip);
		go(&f, f.jip);
		break;
	case ISA_OP_ELSE:
		split(&f, inst->njumps > 1 ? f.uip : f.jip, f.next);
		go(&f, f.jip);
		break;
	case ISA_OP_ENDIF:
		split(&f, f.next, f.next);
		go(&f, f.jip);
		break;
	case ISA_OP_CONT:
	case ISA_OP_HALT:
		split(&f, f.uip, f.next);
		go(&f, f.jip);
		break;
	case ISA_OP_WHILE:
		flow_while(&f);
		break;
	case ISA_OP_GOTO:
		flow_goto(&f);
		break;
	case ISA_OP_JOIN:
		flow_join(&f);
		break;
	case ISA_OP_JMPI:
		flow_jmpi(&f);
		break;
	case ISA_OP_BRD:
		split(&f, f.jip, f.next);
		c->after->ip = any_at(&f, f.jip) ? f.jip : f.next;
		break;
	case ISA_OP_BRC:
		split(&f, f.uip, f.next);
		go(&f, f.jip);
		break;
	default:
		return false;
	}
	return true;
}
