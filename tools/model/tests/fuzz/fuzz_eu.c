// SPDX-License-Identifier: MIT
/**
 * DOC: Programs on the execution units' library alone
 *
 * Any bytes are a program of any generation; most have an opcode that there is. A thread with registers of the input
 * runs it from wherever it says, on one of the sets of handlers. Messages are answered without being understood: their
 * payload is read to its end, and their answer is written to its end. Meanwhile the program changes in memory, the
 * instruction cache is invalidated or not, and the thread is moved.
 *
 * What must not happen, besides what the sanitizers find: more instructions than the budget, a fault without a text, a
 * message outside of the registers, or a write behind the general registers, to message registers that Gen6 alone has.
 */
#include <stdlib.h>
#include <string.h>

#include "eu/eu.h"
#include "fuzz.h"

#define INSTRUCTIONS	32u
#define BUDGET		64u
#define TURNS		16u
#define PAGE		4096u

/* The program ends in its second page, whose rest is missing. */
struct program {
	struct input *in;
	uint8_t code[2 * PAGE];
	size_t size;
};

static size_t fetch(struct eu_thread *thread, uint64_t address, void *to, size_t size)
{
	const struct program *p = thread->machine;
	uint64_t at = address - thread->base;

	if (at >= p->size)
		return 0;
	if (size > p->size - at)
		size = p->size - at;
	memcpy(to, p->code + at, size);
	return size;
}

static void read_payload(const struct eu_thread *thread, const struct eu_message *m)
{
	const uint8_t *registers = (const uint8_t *)thread->grf;
	unsigned int i, at;
	uint32_t sum = 0;

	for (i = 0; i < 2; i++) {
		if (m->length[i] > 15)
			fuzz_fail("a message has more than 15 registers");
		for (at = 0; at < m->length[i] * EU_GRF_BYTES; at++)
			sum += m->payload[i][at];
	}
	if (m->response && m->response + m->response_length * EU_GRF_BYTES > registers + sizeof(thread->grf))
		fuzz_fail("a message's answer goes behind the general registers");
	for (at = 0; m->response && at < m->response_length * EU_GRF_BYTES; at++)
		m->response[at] = (uint8_t)(sum + at);
}

static enum eu_reply message(struct eu_thread *thread, const struct eu_message *m)
{
	struct program *p = thread->machine;

	if (m->exec_size > EU_CHANNELS || (m->exec_size < 32 && m->exec_mask >> m->exec_size))
		fuzz_fail("a message has channels that the instruction does not have");
	read_payload(thread, m);
	switch (below(p->in, 16)) {
	case 0:
		return EU_AGAIN;
	case 1:
		return EU_BAD;
	default:
		return EU_DONE;
	}
}

/* Instructions from an address on; most with an opcode that the generation has. */
static void put_code(struct input *in, const struct isa_gen *isa, struct program *p, uint32_t at)
{
	unsigned int n = 1 + below(in, INSTRUCTIONS), i;
	uint32_t dw[4], code;

	for (; n && at + 16 <= sizeof(p->code); n--, at += 16) {
		for (i = 0; i < 4; i++)
			dw[i] = one_in(in, 4) ? take_value(in) : take32(in);
		code = below(in, 128);
		for (i = 0; i < 128 && !isa->ops[code].name; i++)
			code = (code + 1) % 128;
		if (!one_in(in, 8))
			dw[0] = (dw[0] & ~0x7fu) | code;
		/* A quarter stays compact. */
		if (!one_in(in, 2))
			dw[0] &= ~0x20000000u;
		memcpy(p->code + at, dw, sizeof(dw));
	}
	if (at > p->size)
		p->size = at;
}

static void put_registers(struct input *in, struct eu_thread *t)
{
	uint8_t *registers = (uint8_t *)t->grf;
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < sizeof(t->grf); i += 4) {
		if (i % 512 == 0)
			value = take_value(in);
		memcpy(registers + i, &value, 4);
	}
	for (i = 0; i < 16; i++)
		t->address[i] = (uint16_t)(one_in(in, 4) ? take16(in) : below(in, 128) * 32);
	for (i = 0; i < 2; i++)
		t->flag[i] = take_value(in);
	for (i = 0; i < 3; i++)
		t->n[i] = below(in, 3);
	t->cr[0] = one_in(in, 2) ? 0 : take_value(in);
	t->cr[1] = one_in(in, 2) ? EU_CR1_ILLEGAL_ENABLE : 0;
	t->cr[2] = below(in, 64) * 8;
	t->sip = one_in(in, 2) ? PAGE - 64 + below(in, 16) * 8 : 0;
	t->call_mask = take_value(in);
	t->vector_mask = take_value(in);
	/* Channels that wait in the program. */
	for (i = 0; i < EU_CHANNELS && one_in(in, 2); i++) {
		t->running &= ~(1u << i);
		t->pc[i] = PAGE - 64 + below(in, 64) * 8;
	}
}

static void check_thread(const struct eu_thread *t, const struct isa_gen *isa, enum eu_status status, uint64_t before)
{
	static const uint8_t none[sizeof(t->mrf)];
	bool faults = status == EU_FAULT;

	if (t->executed - before > BUDGET)
		fuzz_fail("a thread has executed more than its budget");
	if (faults == !t->fault)
		fuzz_fail("a fault without a text, or a text without a fault");
	if (isa->gen >= 70 && memcmp(t->mrf, none, sizeof(none)))
		fuzz_fail("a thread has written behind its general registers");
}

void fuzz_eu(struct input *in)
{
	static const struct isa_gen *const gens[] = { &isa_gen6, &isa_gen7, &isa_gen75, &isa_gen9, &isa_gen12 };
	static const struct eu_ops ops = { .fetch = fetch, .message = message };
	const struct isa_gen *isa = gens[below(in, 5)];
	struct eu_core *core = eu_core_new(isa, below(in, 8), &ops);
	struct program *p = calloc(1, sizeof(*p));
	enum eu_status status = EU_BUDGET;
	struct eu_thread *t = malloc(sizeof(*t)), *moved;
	uint64_t before;

	if (!core || !p || !t)
		exit(2);
	p->in = in;
	put_code(in, isa, p, PAGE - 64 + below(in, 3) * 8);
	eu_thread_init(t, core, one_in(in, 2) ? ~0u : take_value(in));
	t->ip = one_in(in, 16) ? take_value(in) : PAGE - 64 + below(in, 8) * 8;
	t->machine = p;
	put_registers(in, t);
	for (unsigned int i = 0; i < TURNS && status != EU_END && status != EU_FAULT; i++) {
		before = t->executed;
		status = eu_run(core, t, BUDGET);
		check_thread(t, isa, status, before);
		if (status == EU_WAIT)
			t->n[below(in, 3)]++;
		if (!in->left || !one_in(in, 4))
			continue;
		moved = malloc(sizeof(*moved));
		if (!moved)
			exit(2);
		*moved = *t;
		free(t);
		t = moved;
		put_code(in, isa, p, PAGE - 64 + below(in, 16) * 8);
		if (!one_in(in, 4))
			eu_core_invalidate(core);
	}
	free(t);
	free(p);
	eu_core_free(core);
}
