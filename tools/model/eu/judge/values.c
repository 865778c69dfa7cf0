// SPDX-License-Identifier: MIT
/**
 * DOC: Contents of registers
 */
#include <string.h>

#include "draft.h"

/* Numbers at which something happens, as the bits of a type. */
static __u64 interesting(struct judge_random *r, unsigned int type)
{
	static const __u32 floats[] = {
		0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc00000, 0x7f7fffff,
		0xff7fffff, 0x00800000, 0x80800000, 0x00000001, 0x807fffff, 0x3f000000, 0xbf000000, 0x3fc00000,
		0xc0200000, 0x4f000000, 0xcf000000, 0x4f800000, 0x477fff00, 0x33800000, 0x38800000, 0x387fc000,
		0x3f7fffff, 0x40490fdb, 0x40000000, 0x4b800000, 0x4afffffe, 0x00ffffff,
	};
	static const __u32 halves[] = {
		0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e01, 0xfe00, 0x7bff, 0xfbff, 0x0400, 0x8400, 1, 0x83ff,
		0x3800, 0x3e00, 0xc100, 0x6400, 0x3bff, 0x0401,
	};
	static const __u64 doubles[] = {
		0, 1ull << 63, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
		0x7ff8000000000001, 0x7fefffffffffffff, 0x0010000000000000, 1, 0x800fffffffffffff, 0x3fe0000000000000,
		0x41dfffffffc00000, 0x41f0000000000000, 0x47efffffe0000000, 0x47f0000000000000, 0x3810000000000000,
		0x36a0000000000000, 0x43e0000000000000, 0x3ff0000010000000,
	};
	static const __s64 integers[] = {
		0, 1, -1, 2, -2, 7, 127, -128, 128, 255, 256, 32767, -32768, 32768, 65535, 65536, 0x7fffffff,
		-0x80000000ll, 0x80000000ll, 0xffffffffll, 31, 32, 33, 63, 64, 0x7fffffffffffffffll,
		-0x7fffffffffffffffll - 1,
	};

	if (type == ISA_TYPE_F)
		return floats[judge_below(r, sizeof(floats) / 4)];
	if (type == ISA_TYPE_HF)
		return halves[judge_below(r, sizeof(halves) / 4)];
	if (type == ISA_TYPE_DF)
		return doubles[judge_below(r, sizeof(doubles) / 8)];
	return integers[judge_below(r, sizeof(integers) / 8)];
}

__u64 judge_element(struct judge_random *r, unsigned int type)
{
	__u64 bits = judge_next(r);

	if (judge_chance(r, 35))
		return interesting(r, type);
	/* Floats of like magnitude, so that sums are not just the greater one. */
	if (type == ISA_TYPE_F && judge_chance(r, 75))
		bits = (bits & 0x807fffff) | (__u64)(120 + judge_below(r, 16)) << 23;
	if (type == ISA_TYPE_HF && judge_chance(r, 60))
		bits = (bits & 0x83ff) | (__u64)(12 + judge_below(r, 8)) << 10;
	if (type == ISA_TYPE_DF && judge_chance(r, 75))
		bits = (bits & 0x800fffffffffffff) | (__u64)(1015 + judge_below(r, 40)) << 52;
	if (!is_float(type) && judge_chance(r, 40))
		bits = (__s64)bits >> judge_below(r, 64);
	return bits;
}

void judge_fill_acc(struct draft *d, unsigned int type, bool wide)
{
	unsigned int i;

	for (i = 0; i < 32; i++) {
		__u64 bits = judge_element(d->r, type);
		unsigned int unused = wide ? 0 : 32;

		if (is_float(type))
			bits &= 0xffffffff;
		else if (size_of(type) == 2)
			bits = (__s64)(bits << 31) >> 31;
		else if (type == ISA_TYPE_UD && !wide)
			bits &= 0xffffffff;
		else
			bits = (__s64)(bits << unused) >> unused;
		if (d->rule->op == ISA_OP_SADA2)
			bits &= 0xfff;
		d->state->acc[i / 16][i % 16] = bits;
	}
}

static void fill(struct draft *d, unsigned int reg, unsigned int count, unsigned int type)
{
	unsigned int at, size = size_of(type);
	__u64 bits;

	for (at = reg * 32; at < (reg + count) * 32 && at < EU_REF_GRF_BYTES; at += size) {
		bits = judge_element(d->r, type);
		memcpy(d->state->grf + at, &bits, size);
	}
}

void judge_fill_registers(struct draft *d)
{
	unsigned int i, n, type;
	__u64 bits;

	for (i = 0; i < EU_REF_GRF_BYTES; i += 8) {
		bits = judge_next(d->r);
		memcpy(d->state->grf + i, &bits, 8);
	}
	for (i = 0; i < EU_REF_MRF_BYTES && d->isa->gen < 70; i += 8) {
		bits = judge_next(d->r);
		memcpy(d->state->mrf + i, &bits, 8);
	}
	for (n = 0; n < d->inst->nsources; n++) {
		const struct isa_operand *o = &d->inst->src[n];

		type = d->rule->op == ISA_OP_F16TO32 ? ISA_TYPE_HF : o->type;
		if (o->file != ISA_GRF)
			continue;
		if (!o->indirect)
			fill(d, o->reg, d->rule->flags & PLANE ? 4 : 2, type);
		for (i = 0; i < 16 && o->indirect; i++)
			fill(d, ((d->state->address[i] + o->addr_imm) & 4095) / 32, 1, type);
	}
}

void judge_fill_controls(struct draft *d)
{
	struct eu_ref_state *s = d->state;
	bool single = true;
	unsigned int i;

	for (i = 0; i < d->inst->nsources; i++)
		single &= d->inst->src[i].type != ISA_TYPE_HF && d->inst->src[i].type != ISA_TYPE_DF;
	single &= d->inst->dst.type != ISA_TYPE_HF && d->inst->dst.type != ISA_TYPE_DF;
	s->flag[0] = judge_next(d->r);
	s->flag[1] = d->isa->gen < 70 ? 0 : judge_next(d->r);
	if (judge_chance(d->r, 10))
		s->flag[0] = 0;
	if (judge_chance(d->r, 10))
		s->flag[0] = ~0u;
	if (single && judge_chance(d->r, 8) && d->inst->op != ISA_OP_F32TO16 && d->inst->op != ISA_OP_F16TO32 &&
	    d->inst->function != ISA_MATH_FDIV)
		s->cr[0] |= 1;
	if (d->isa->gen >= 70 && judge_chance(d->r, 50) && d->inst->op != ISA_OP_MATH)
		s->cr[0] |= judge_below(d->r, 4) << 4;
	if (d->isa->gen >= 70 && judge_chance(d->r, 50))
		s->cr[0] |= 1 << 6;
	/* No denormals in the alternative mode, so nothing says whether they are flushed then. */
	if (d->isa->gen >= 80 && !(s->cr[0] & 1) && judge_chance(d->r, 50))
		s->cr[0] |= 1 << 7;
	if (d->isa->gen >= 80 && judge_chance(d->r, 50))
		s->cr[0] |= 1 << 10;
	/* Accumulators are not updated. */
	if (judge_chance(d->r, 6))
		s->cr[0] |= 1 << 1;
	/* In single program flow channels of the first quarter run, wherever their PcIP is. */
	if (!d->inst->channel_offset && judge_chance(d->r, 5))
		s->cr[0] |= 1 << 2;
	s->ip = 64;
	s->dispatch_mask = judge_chance(d->r, 50) ? ~0u : (__u32)judge_next(d->r);
	for (i = 0; i < EU_REF_CHANNELS; i++)
		s->pcip[i] = judge_chance(d->r, 75) ? s->ip : s->ip + 16 * (1 + judge_below(d->r, 4));
}
