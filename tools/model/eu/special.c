// SPDX-License-Identifier: MIT
/**
 * DOC: Instructions whose operands are more than their regions say
 *
 * line and pln take the other components of the four that their first source is in, pln the register
 * after each of the second source's too (in this order: channels 0 to 7 of both, channels 8 to 15 of
 * both: DG1 Vol 2a, "mad", which says what pln of 16 channels is). movi takes the bytes of one
 * register by the words of a0.
 */
#include <math.h>

#include "internal.h"

static float modified(const struct eu_operand *o, float value)
{
	if (o->abs)
		value = fabsf(value);
	return o->negate ? -value : value;
}

static float float_at(const struct eu_thread *thread, const struct eu_operand *o, unsigned int off)
{
	const uint8_t *grf = thread->grf[0];
	float f;

	memcpy(&f, grf + off, 4);
	return modified(o, f);
}

/* The place of channel n of pln's first vector. */
static unsigned int plane_offset(const struct eu_uop *uop, unsigned int n)
{
	return uop->cold->src[1].off[n % 8] + n / 8 * 2 * EU_GRF_BYTES;
}

const char *eu_line_check(const struct eu_uop *uop)
{
	const struct eu_operand *s = uop->cold->src;

	if (s[0].place != EU_GRF || s[0].indirect || s[0].type != ISA_TYPE_F || uop->cold->class != EU_FLOAT)
		return "line or pln whose first source is no float in a register";
	if (uop->op == ISA_OP_LINE)
		return NULL;
	if (s[1].place != EU_GRF || s[1].indirect || s[1].type != ISA_TYPE_F)
		return "pln whose second source is no float in a register";
	if (uop->exec != 8 && uop->exec != 16)
		return "pln of neither 8 nor 16 channels";
	if (plane_offset(uop, uop->exec - 1) + EU_GRF_BYTES + 4 > EU_GRF_END)
		return "operand beyond r127";
	return NULL;
}

void eu_line_compute(struct eu_thread *thread, const struct eu_uop *uop, union eu_lane s[][EU_CHANNELS],
		     union eu_lane *r)
{
	const struct eu_operand *src = uop->cold->src;
	unsigned int four = src[0].off[0] & ~15u, n;
	float p = s[0][0].f, q = float_at(thread, &src[0], four + 4), last = float_at(thread, &src[0], four + 12);

	for (n = 0; n < uop->exec; n++) {
		if (uop->op == ISA_OP_LINE) {
			r[n].f = fmaf(p, s[1][n].f, last);
		} else {
			float u = float_at(thread, &src[1], plane_offset(uop, n));
			float v = float_at(thread, &src[1], plane_offset(uop, n) + EU_GRF_BYTES);

			r[n].f = fmaf(q, v, fmaf(p, u, last));
		}
	}
}

void eu_movi(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	const struct eu_operand *src = &uop->cold->src[0];
	uint32_t mask = eu_enabled(core, thread, uop);
	uint64_t raw[EU_CHANNELS] = { 0 };
	unsigned int n, reg;

	if (!src->indirect) {
		thread->fault = "movi with a direct source";
		return;
	}
	reg = (unsigned int)(thread->address[0] + src->addr_imm) / EU_GRF_BYTES;
	if (reg >= EU_GRFS) {
		thread->fault = "address in a0 is outside the registers";
		return;
	}
	core->counters.generic++;
	for (n = 0; n < uop->exec; n++) {
		unsigned int at = (unsigned int)(thread->address[n % 16] + src->addr_imm) % EU_GRF_BYTES;

		raw[n] = eu_get(&thread->grf[reg][at & ~(src->size - 1u)], src->size);
	}
	eu_store(core, thread, &uop->cold->dst, uop->exec, mask, raw);
}

/*
 * smov: a mov of the channels whose bits are set in the second source. DG1 Vol 2a lacks it. Intel's OpenCL compiler
 * stores to an array in registers with sixteen of them for Gen9: each has one bit, an a0 subregister of its own and a
 * scalar source.
 */
void eu_smov(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	uint64_t raw[EU_CHANNELS] = { 0 }, channels[EU_CHANNELS] = { 0 };
	uint32_t mask = eu_enabled(core, thread, uop);

	if (uop->cold->src[0].size != uop->cold->dst.size) {
		thread->fault = "smov between types of different sizes";
		return;
	}
	if (!eu_load(core, thread, &uop->cold->src[1], 1, 1, channels))
		return;
	mask &= (uint32_t)channels[0];
	core->counters.generic++;
	if (eu_load(core, thread, &uop->cold->src[0], uop->exec, mask, raw))
		eu_store(core, thread, &uop->cold->dst, uop->exec, mask, raw);
}
