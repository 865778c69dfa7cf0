// SPDX-License-Identifier: MIT
/**
 * DOC: Branches of the reference
 *
 * Each channel has an instruction pointer, PcIP; it runs where PcIP is the thread's. IVB Vol 4 Part 3, 6.12-6.14, 6.19,
 * 6.24, 6.25, 6.31-6.34, 6.62; SNB Vol 4 Part 2, 8.3, which alone says that channels that do not run keep theirs;
 * DG1 Vol 2a "goto", "join", "brc", "brd". Offsets are in bytes from the instruction (struct isa_inst.jump). In single
 * program flow (cr0.0, bit 2) a branch moves the thread's pointer alone. Branch control of if and else is not here.
 */
#include "internal.h"

struct flow {
	struct ref_context *c;
	__u32 ip, next, jip, uip;
};

static bool runs(const struct flow *f, unsigned int n)
{
	return ref_runs(f->c, n);
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

/* Does a channel of the instruction have the predicate, or hold the comparison in its place (SNB 8.3.20, 8.3.49)? */
static bool takes(struct flow *f, unsigned int channel)
{
	bool unknown = false, value;

	if (!f->c->inst->cond)
		return ref_predicate(f->c, channel);
	value = ref_compare(f->c, channel, &unknown);
	if (unknown)
		f->c->result->undefined = "a branch by numbers that are not compared";
	return value;
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
		f->c->after->pcip[n] = channel < inst->exec_size && takes(f, channel) ? taken : rest;
	}
}

/* To the next instruction if a channel is there, else on. */
static void go(struct flow *f, __u32 otherwise)
{
	f->c->after->ip = any_at(f, f->next) ? f->next : otherwise;
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

/*
 * Single program flow: "all execution channels branch and/or loop identically", and of break, cont, halt and if "the
 * UIP must be used to update IP; JIP is not used". Gen6's if has one offset.
 */
static __u32 scalar_target(const struct flow *f)
{
	const struct isa_inst *inst = f->c->inst;
	bool taken = ref_predicate(f->c, 0);

	switch (inst->op) {
	case ISA_OP_IF:
		return taken ? f->next : inst->njumps > 1 ? f->uip : f->jip;
	case ISA_OP_ELSE:
		return inst->njumps > 1 ? f->uip : f->jip;
	case ISA_OP_BREAK:
	case ISA_OP_CONT:
	case ISA_OP_HALT:
	case ISA_OP_BRC:
		return taken ? f->uip : f->next;
	case ISA_OP_WHILE:
	case ISA_OP_JMPI:
	case ISA_OP_BRD:
		return taken ? f->jip : f->next;
	case ISA_OP_GOTO:
		return taken == inst->branch_ctrl ? f->uip : f->next;
	default:
		return f->next;
	}
}

static void scalar_flow(struct flow *f)
{
	unsigned int n;

	f->c->after->ip = scalar_target(f);
	for (n = 0; n < EU_REF_CHANNELS; n++)
		f->c->result->unknown.pcip[n] = ~0u;
	f->c->result->silent[EU_REF_SPF_CHANNELS] += EU_REF_CHANNELS;
}

/*
 * Offsets in registers: jmpi counts in units of 8 bytes before Gen7.5, and up to Gen11 from the next instruction; brc
 * has both offsets in a pair of dwords. Gen7's brd and brc cannot have them there (6.12, 6.13, errata).
 */
static void offsets(struct flow *f)
{
	const struct isa_inst *inst = f->c->inst;
	__u32 first;

	f->jip = f->ip + inst->jump[0];
	f->uip = f->ip + inst->jump[1];
	if (inst->njumps || !inst->nsources)
		return;
	first = ref_register_dword(f->c, &inst->src[0], 0);
	if (inst->op == ISA_OP_JMPI) {
		f->jip = (f->c->isa->gen >= 120 ? f->ip : f->next) + first * (f->c->isa->gen < 75 ? 8 : 1);
		return;
	}
	f->jip = f->ip + first;
	f->uip = f->ip + ref_register_dword(f->c, &inst->src[0], 1);
}

/*
 * UIP of break: on Gen6 the instruction behind while, later while itself (6.14). "The break instruction terminates the
 * loop for all execution channels enabled", so from Gen7 on they go on behind while, which has 16 bytes here.
 */
static __u32 loop_end(const struct flow *f)
{
	return f->c->isa->gen < 70 ? f->uip : f->uip + 16;
}

static bool channel_flow(struct flow *f)
{
	const struct isa_inst *inst = f->c->inst;

	switch (inst->op) {
	case ISA_OP_IF:
		split(f, f->next, f->jip);
		go(f, f->jip);
		break;
	case ISA_OP_ELSE:
		split(f, inst->njumps > 1 ? f->uip : f->jip, f->next);
		go(f, f->jip);
		break;
	case ISA_OP_ENDIF:
		split(f, f->next, f->next);
		go(f, f->jip);
		break;
	case ISA_OP_BREAK:
	case ISA_OP_CONT:
	case ISA_OP_HALT:
		split(f, f->uip, f->next);
		go(f, f->jip);
		break;
	case ISA_OP_WHILE:
		flow_while(f);
		break;
	case ISA_OP_GOTO:
		flow_goto(f);
		break;
	case ISA_OP_JOIN:
		flow_join(f);
		break;
	case ISA_OP_JMPI:
		flow_jmpi(f);
		break;
	case ISA_OP_BRD:
		split(f, f->jip, f->next);
		f->c->after->ip = any_at(f, f->jip) ? f->jip : f->next;
		break;
	case ISA_OP_BRC:
		split(f, f->uip, f->next);
		go(f, f->jip);
		break;
	default:
		return false;
	}
	return true;
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
	struct flow f = { c, ip, ip + inst->size, 0, 0 };
	bool jmpi = inst->op == ISA_OP_JMPI;

	if (inst->no_mask != jmpi || (inst->cond && ref_single_flow(c)))
		return false;
	offsets(&f);
	if (inst->op == ISA_OP_BREAK)
		f.uip = loop_end(&f);
	if (!ref_single_flow(c))
		return channel_flow(&f);
	scalar_flow(&f);
	return true;
}
