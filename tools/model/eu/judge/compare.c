// SPDX-License-Identifier: MIT
/**
 * DOC: One instruction, executed twice
 *
 * The reference says what the registers are afterwards, and which bits it does not know; the interpreter executes the
 * same 128 bits with a budget of one instruction: with the handlers for this processor, with those for AVX2, with those
 * for any, and with the generic one alone. All registers are compared, those too that the instruction does not name.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eu.h"
#include "judge.h"
#include "run.h"

const struct judge_part judge_parts[] = {
	{ "gen6", &isa_gen6, false },
	{ "gen7", &isa_gen7, false },
	{ "gen7.5", &isa_gen75, false },
	{ "gen9", &isa_gen9, true },
	{ "gen9lp", &isa_gen9, false },
	{ "gen12", &isa_gen12, false },
};

const unsigned int judge_nparts = sizeof(judge_parts) / sizeof(judge_parts[0]);

/* Which handlers the interpreter uses. */
static const struct {
	const char *name;
	unsigned int features;
} ways[] = {
	{ "interpreter", 0 },
	{ "interpreter without AVX-512", EU_NO_AVX512 },
	{ "interpreter without AVX2", EU_NO_AVX2 },
	{ "interpreter channel by channel", EU_NO_FAST },
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

/*
 * A program is one instruction, at whatever address; the cores are emptied before it is used again. @sends and @message
 * are of the interpreter's last run.
 */
struct judge {
	const struct judge_part *part;
	struct eu_core *cores[WAYS];
	unsigned int used, sends;
	struct eu_ref_message message;
};

/* Zeros around the program, so that a core may ask for more than it executes. */
static size_t fetch(struct eu_thread *thread, uint64_t address, void *to, size_t size)
{
	const struct judge_code *code = thread->machine;
	uint64_t at = address - thread->base;
	size_t i;

	if (address < thread->base || at >= code->start + code->size + 16)
		return 0;
	for (i = 0; i < size; i++, at++)
		((__u8 *)to)[i] = at - code->start < code->size ? ((const __u8 *)code->bytes)[at - code->start] : 0;
	return size;
}

/* The message in the reference's form, and the answer. */
static enum eu_reply message(struct eu_thread *thread, const struct eu_message *m)
{
	struct judge *judge = thread->group;
	struct eu_ref_message *r = &judge->message;
	unsigned int i;

	*r = (struct eu_ref_message){
		.target = m->target, .header = m->header, .eot = m->eot, .exec_size = m->exec_size,
		.channel_offset = m->channel_offset, .desc = m->desc, .ex_desc = m->ex_desc, .mask = m->exec_mask,
		.response_length = m->response_length, .response = EU_REF_NOWHERE,
	};
	for (i = 0; i < 2; i++) {
		r->length[i] = m->length[i];
		if (m->length[i] && m->length[i] <= 15)
			memcpy(r->payload[i], m->payload[i], m->length[i] * EU_GRF_BYTES);
	}
	if (m->response)
		r->response = m->response - thread->grf[0];
	judge->sends++;
	judge_answer(r, m->payload, m->response);
	return EU_DONE;
}

static const struct eu_ops ops = { .fetch = fetch, .message = message };

struct judge *judge_new(const struct judge_part *part)
{
	unsigned int features = part->dword_mul ? EU_DWORD_MUL : 0, i;
	struct judge *judge = calloc(1, sizeof(*judge));

	if (!judge)
		return NULL;
	judge->part = part;
	for (i = 0; i < WAYS; i++) {
		judge->cores[i] = eu_core_new(part->isa, features | ways[i].features, &ops);
		if (!judge->cores[i]) {
			judge_free(judge);
			return NULL;
		}
	}
	return judge;
}

void judge_free(struct judge *judge)
{
	unsigned int i;

	for (i = 0; i < WAYS; i++)
		eu_core_free(judge->cores[i]);
	free(judge);
}

struct eu_core *judge_core(struct judge *judge)
{
	return judge->cores[0];
}

const struct judge_part *judge_part(const struct judge *judge)
{
	return judge->part;
}

void judge_place(struct judge *judge, struct eu_thread *thread, const struct judge_code *code)
{
	unsigned int i;

	for (i = 0; i < WAYS && judge->used % 256 == 255; i++)
		eu_core_invalidate(judge->cores[i]);
	judge->used++;
	thread->base = (__u64)(judge->used % 256) << 20;
	thread->ip = code->start;
	thread->machine = (void *)code;
	thread->group = judge;
}

static void to_thread(struct judge *judge, const struct judge_case *c, struct eu_thread *thread)
{
	const struct eu_ref_state *s = &c->state;
	unsigned int n;

	eu_thread_init(thread, judge->cores[0], s->dispatch_mask);
	memcpy(thread->grf, s->grf, sizeof(thread->grf));
	memcpy(thread->mrf, s->mrf, sizeof(thread->mrf));
	memcpy(thread->acc, s->acc, sizeof(s->acc));
	memcpy(thread->flag, s->flag, sizeof(thread->flag));
	memcpy(thread->address, s->address, sizeof(thread->address));
	memcpy(thread->cr, s->cr, sizeof(thread->cr));
	memcpy(thread->n, s->n, sizeof(s->n));
	thread->call_mask = s->call_mask;
	thread->sip = s->sip;
	thread->ip = s->ip;
	thread->running = 0;
	for (n = 0; n < EU_CHANNELS; n++) {
		thread->pc[n] = s->pcip[n];
		if (s->pcip[n] == s->ip)
			thread->running |= 1u << n;
	}
}

/* What the interpreter has, in the reference's form. */
static void from_thread(const struct eu_thread *thread, struct eu_ref_state *s)
{
	unsigned int n;

	memset(s, 0, sizeof(*s));
	memcpy(s->grf, thread->grf, sizeof(s->grf));
	memcpy(s->mrf, thread->mrf, sizeof(s->mrf));
	memcpy(s->acc, thread->acc, sizeof(s->acc));
	memcpy(s->flag, thread->flag, sizeof(s->flag));
	memcpy(s->address, thread->address, sizeof(s->address));
	memcpy(s->cr, thread->cr, sizeof(s->cr));
	memcpy(s->n, thread->n, sizeof(s->n));
	s->call_mask = thread->call_mask;
	s->dispatch_mask = thread->dispatch_mask;
	s->ip = thread->ip;
	for (n = 0; n < EU_REF_CHANNELS; n++)
		s->pcip[n] = thread->running >> n & 1 ? thread->ip : thread->pc[n];
}

struct difference {
	FILE *out;
	unsigned int found;
};

static void differ(struct difference *d, const char *file, unsigned int at, unsigned int n, const __u8 *expected,
		   const __u8 *got, const __u8 *unknown)
{
	unsigned int i;

	if (d->found++ >= 8 || !d->out)
		return;
	fprintf(d->out, "  %s%u: expected", file, at);
	for (i = n; i--; )
		fprintf(d->out, "%s%02x", i % 4 == 3 ? " " : "", expected[i]);
	fprintf(d->out, ", interpreter");
	for (i = n; i--; )
		fprintf(d->out, "%s%02x", i % 4 == 3 ? " " : "", got[i]);
	for (i = 0; i < n && !unknown[i]; i++)
		;
	if (i < n) {
		fprintf(d->out, ", not known");
		for (i = n; i--; )
			fprintf(d->out, "%s%02x", i % 4 == 3 ? " " : "", unknown[i]);
	}
	fprintf(d->out, "\n");
}

/* Memory in pieces of @piece bytes; bits that are not known do not count. */
static void compare_bits(struct difference *d, const char *file, const void *expected, const void *got,
			 const void *unknown, unsigned int size, unsigned int piece)
{
	const __u8 *e = expected, *g = got, *u = unknown;
	unsigned int i;

	if (!memcmp(e, g, size))
		return;
	for (i = 0; i < size; i++) {
		if ((e[i] ^ g[i]) & ~u[i]) {
			i = i / piece * piece;
			differ(d, file, i / piece, piece, e + i, g + i, u + i);
			i += piece - 1;
		}
	}
}

static double half(unsigned int bits)
{
	int exponent = bits >> 10 & 31;
	double value = exponent == 31 ? (bits & 1023 ? NAN : INFINITY) :
		       exponent ? ldexp(1024 + (bits & 1023), exponent - 25) : ldexp(bits & 1023, -24);

	return bits & 0x8000 ? -value : value;
}

static double value_at(const struct eu_ref_state *s, const struct eu_ref_range *r)
{
	const __u8 *p = (r->file == EU_REF_MRF ? s->mrf : s->grf) + r->at;
	double d;
	float f;
	__u16 h;

	switch (r->type) {
	case ISA_TYPE_HF:
		memcpy(&h, p, 2);
		return half(h);
	case ISA_TYPE_DF:
		memcpy(&d, p, 8);
		return d;
	default:
		memcpy(&f, p, 4);
		return f;
	}
}

static void compare_ranges(struct difference *d, const struct eu_ref_result *result, const struct eu_ref_state *got)
{
	unsigned int i;

	for (i = 0; i < result->nranges; i++) {
		const struct eu_ref_range *r = &result->ranges[i];
		double value = value_at(got, r);

		if (r->nan ? isnan(value) : value >= r->low && value <= r->high)
			continue;
		if (d->found++ < 8 && d->out)
			fprintf(d->out, "  %s byte %u: expected %s%.9g to %.9g, interpreter %.9g\n",
				r->file == EU_REF_MRF ? "m" : "r", r->at, r->nan ? "NaN, " : "", r->low, r->high,
				value);
	}
}

static void differ_number(struct difference *d, const char *what, __u32 expected, __u32 got)
{
	if (expected != got && d->found++ < 8 && d->out)
		fprintf(d->out, "  %s: expected 0x%x, interpreter 0x%x\n", what, expected, got);
}

/* Channels that were not dispatched have no PcIP that anyone sees. */
static void compare_channels(struct difference *d, const struct eu_ref_state *expected, const struct eu_ref_state *got,
			     const struct eu_ref_state *unknown)
{
	char what[32];
	unsigned int n;

	differ_number(d, "ip", expected->ip, got->ip);
	differ_number(d, "CallMask", expected->call_mask, got->call_mask);
	for (n = 0; n < EU_REF_CHANNELS; n++) {
		snprintf(what, sizeof(what), "PcIP of channel %u", n);
		if (expected->dispatch_mask >> n & 1 && !unknown->pcip[n])
			differ_number(d, what, expected->pcip[n], got->pcip[n]);
	}
}

static void compare_messages(struct difference *d, const struct eu_ref_message *expected,
			     const struct eu_ref_message *got)
{
	static const __u8 all_known[EU_REF_BLOCK_BYTES];
	unsigned int i;

	differ_number(d, "target", expected->target, got->target);
	differ_number(d, "header", expected->header, got->header);
	differ_number(d, "EOT", expected->eot, got->eot);
	differ_number(d, "descriptor", expected->desc, got->desc);
	differ_number(d, "extended descriptor", expected->ex_desc, got->ex_desc);
	differ_number(d, "execution size", expected->exec_size, got->exec_size);
	differ_number(d, "first channel", expected->channel_offset, got->channel_offset);
	differ_number(d, "enabled channels", expected->mask, got->mask);
	differ_number(d, "length of the answer", expected->response_length, got->response_length);
	differ_number(d, "the answer's place", expected->response, got->response);
	for (i = 0; i < 2; i++) {
		differ_number(d, "length of the payload", expected->length[i], got->length[i]);
		compare_bits(d, "payload ", expected->payload[i], got->payload[i], all_known, expected->length[i] * 32,
			     32);
	}
}

static void compare_states(struct difference *d, const struct eu_ref_state *expected,
			   const struct eu_ref_result *result, const struct eu_ref_state *got)
{
	const struct eu_ref_state *u = &result->unknown;

	compare_bits(d, "r", expected->grf, got->grf, u->grf, sizeof(u->grf), 32);
	compare_bits(d, "m", expected->mrf, got->mrf, u->mrf, sizeof(u->mrf), 32);
	compare_bits(d, "acc cell ", expected->acc, got->acc, u->acc, sizeof(u->acc), 8);
	compare_bits(d, "f", expected->flag, got->flag, u->flag, sizeof(u->flag), 4);
	compare_bits(d, "a0.", expected->address, got->address, u->address, sizeof(u->address), 2);
	compare_bits(d, "cr0.", expected->cr, got->cr, u->cr, sizeof(u->cr), 4);
	compare_bits(d, "n0.", expected->n, got->n, u->n, sizeof(u->n), 4);
	compare_ranges(d, result, got);
	compare_channels(d, expected, got, u);
}

static void print_registers(const struct judge_case *c, const struct isa_operand *o, const char *name, FILE *out)
{
	unsigned int reg, i, first = o->reg;

	if (o->file != ISA_GRF)
		return;
	if (o->indirect)
		first = (c->state.address[o->addr_subreg] + o->addr_imm) / 32 & 127;
	for (reg = first; reg < first + 2 && reg < 128; reg++) {
		fprintf(out, "  %s r%u:", name, reg);
		for (i = 32; i--; )
			fprintf(out, "%s%02x", i % 4 == 3 ? " " : "", c->state.grf[reg * 32 + i]);
		fprintf(out, "\n");
	}
}

static void print_case(const struct judge_case *c, FILE *out)
{
	const struct eu_ref_state *s = &c->state;
	unsigned int n;

	fprintf(out, "%s seed 0x%llx: %016llx %016llx\n  ", c->part->name, (unsigned long long)c->seed,
		(unsigned long long)c->word[0], (unsigned long long)c->word[1]);
	isa_print(c->part->isa, &c->inst, out);
	fprintf(out, "\n  f0 %08x f1 %08x cr0.0 %08x dispatched %08x running ", s->flag[0], s->flag[1], s->cr[0],
		s->dispatch_mask);
	for (n = EU_REF_CHANNELS; n--; )
		fputc(s->pcip[n] == s->ip ? '1' : '0', out);
	fprintf(out, "\n  a0");
	for (n = 0; n < 16; n++)
		fprintf(out, " %04x", s->address[n]);
	fprintf(out, "\n");
	for (n = 0; n < 32 && (c->inst.acc_write || c->inst.src[0].reg == 0x20); n++)
		fprintf(out, "%s%016llx%s", n % 4 ? " " : "  acc ", (unsigned long long)s->acc[n / 16][n % 16],
			n % 4 == 3 ? "\n" : "");
	print_registers(c, &c->inst.src[0], "src0", out);
	if (c->inst.nsources > 1)
		print_registers(c, &c->inst.src[1], "src1", out);
	if (c->inst.nsources > 2)
		print_registers(c, &c->inst.src[2], "src2", out);
	print_registers(c, &c->inst.dst, "dst", out);
}

static void count(const struct judge_case *c, const struct eu_ref_result *result, struct judge_counts *counts)
{
	unsigned int i;

	counts->cases++;
	if (result->undefined)
		counts->undefined++;
	else
		counts->ops[c->inst.op]++;
	for (i = 0; i < EU_REF_SILENCES; i++)
		counts->silent[i] += result->silent[i];
}

/* What one core makes of the case: what differs, and how it ended. */
static void interpret(struct judge *judge, unsigned int way, const struct judge_case *c,
		      const struct eu_ref_state *expected, const struct eu_ref_result *result, struct difference *d)
{
	static const enum eu_status statuses[] = {
		[EU_REF_GOES_ON] = EU_BUDGET, [EU_REF_WAITS] = EU_WAIT, [EU_REF_ENDS] = EU_END,
	};
	const struct judge_code code = { c->word, sizeof(c->word), c->state.ip };
	struct eu_ref_state got;
	struct eu_thread thread;
	enum eu_status status;

	to_thread(judge, c, &thread);
	judge_place(judge, &thread, &code);
	judge->sends = 0;
	status = eu_run(judge->cores[way], &thread, 1);
	from_thread(&thread, &got);
	compare_states(d, expected, result, &got);
	differ_number(d, "messages", result->sends, judge->sends);
	if (result->sends && judge->sends)
		compare_messages(d, &result->message, &judge->message);
	if (status != statuses[result->status] && d->found++ < 8 && d->out)
		fprintf(d->out, "  it stops: %d, %s\n", status, thread.fault ? thread.fault : "without a fault");
}

/* The same case on all cores; says how the first that differs does. */
static bool interpret_all(struct judge *judge, const struct judge_case *c, const struct eu_ref_state *expected,
			  const struct eu_ref_result *result, bool verbose, FILE *out)
{
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		struct difference d = { NULL, 0 };

		interpret(judge, i, c, expected, result, &d);
		if (!d.found)
			continue;
		if (!verbose)
			print_case(c, out);
		fprintf(out, "  the %s differs\n", ways[i].name);
		d.out = out;
		d.found = 0;
		interpret(judge, i, c, expected, result, &d);
		return false;
	}
	return true;
}

/* The shared function's part of the reference. */
static void answer(const struct eu_ref_message *m, struct eu_ref_state *state)
{
	const __u8 *const payload[2] = { m->payload[0], m->payload[1] };

	if (m->response != EU_REF_NOWHERE)
		judge_answer(m, payload, state->grf + m->response);
}

bool judge_compare(struct judge *judge, const struct judge_case *c, bool verbose, struct judge_counts *counts,
		   FILE *out)
{
	struct eu_ref_state expected = c->state;
	struct eu_ref_result result;
	bool same;

	eu_ref_step(c->part->isa, c->part->dword_mul, &c->inst, &expected, &result);
	count(c, &result, counts);
	if (verbose || result.undefined)
		print_case(c, out);
	if (result.undefined) {
		fprintf(out, "  undefined: %s\n", result.undefined);
		return false;
	}
	if (result.sends)
		answer(&result.message, &expected);
	same = interpret_all(judge, c, &expected, &result, verbose, out);
	counts->differ += !same;
	return same;
}
