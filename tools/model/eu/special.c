// SPDX-License-Identifier: MIT
/**
 * DOC: Instructions whose operands are more than their regions say
 *
 * line and pln take the other components of the four that their first source is in, pln the register
 * after each of the second source's too (in this order: channels 0 to 7 of both, channels 8 to 15 of
 * both: DG1 Vol 2a, "mad", which says what pln of 16 channels is). movi takes the bytes of one
 * register by the words of a0. Programs set modes at their start with logic operations of a control register.
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
/* smov of one register or more to registers, by an immediate: each channel's bits. False: an address is wrong. */
static bool smov_registers(struct eu_thread *thread, const struct eu_operand *src, const struct eu_operand *dst,
			   uint32_t mask)
{
	uint8_t *grf = thread->grf[0];
	uint64_t raw[EU_CHANNELS];
	int off[EU_CHANNELS];
	uint32_t left;

	for (left = mask; left; left &= left - 1) {
		unsigned int n = (unsigned int)__builtin_ctz(left);

		off[n] = dst->off[n];
		if (dst->indirect)
			off[n] += thread->address[(dst->addr_subreg + dst->index[n]) % 16] + dst->addr_imm;
		if (off[n] < 0 || off[n] + dst->size > (int)EU_GRF_END)
			return false;
		raw[n] = eu_get(grf + src->off[n], src->size);
	}
	for (left = mask; left; left &= left - 1) {
		unsigned int n = (unsigned int)__builtin_ctz(left);

		eu_put(grf + off[n], dst->size, raw[n]);
	}
	return true;
}

void eu_smov(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	const struct eu_operand *src = uop->cold->src, *dst = &uop->cold->dst;
	uint64_t raw[EU_CHANNELS], channels[EU_CHANNELS];
	uint32_t mask = eu_enabled(core, thread, uop);

	if (uop->cold->src[0].size != uop->cold->dst.size) {
		thread->fault = "smov between types of different sizes";
		return;
	}
	if (!eu_load(core, thread, &uop->cold->src[1], 1, 1, channels))
		return;
	mask &= (uint32_t)channels[0];
	if (src[0].place == EU_GRF && !src[0].indirect && dst->place == EU_GRF) {
		if (!smov_registers(thread, &src[0], dst, mask))
			thread->fault = "address in a0 is outside the registers";
		return;
	}
	core->counters.generic++;
	if (eu_load(core, thread, &uop->cold->src[0], uop->exec, mask, raw))
		eu_store(core, thread, &uop->cold->dst, uop->exec, mask, raw);
}

static bool is_control(const struct eu_operand *o)
{
	return o->place == EU_ARF && !o->indirect && o->reg >> 4 == EU_ARF_CONTROL && o->size == 4 &&
	       o->kind != ISA_FLOAT && o->off[0] <= 8 && o->off[0] % 4 == 0;
}

/* Is it an or, or an and, of a control register with an immediate? Then eu_control() is its handler. */
bool eu_is_control(const struct eu_uop *uop)
{
	const struct eu_operand *dst = &uop->cold->dst, *src = uop->cold->src;

	if (uop->op != ISA_OP_OR && uop->op != ISA_OP_AND)
		return false;
	if (uop->exec != 1 || uop->cond || uop->saturate || uop->acc_write)
		return false;
	return is_control(dst) && is_control(&src[0]) && src[0].off[0] == dst->off[0] && src[0].reg == dst->reg &&
	       !src[0].negate && !src[0].abs && src[1].place == EU_IMMEDIATE && src[1].kind != ISA_FLOAT &&
	       !src[1].negate && !src[1].abs;
}

void eu_control(struct eu_core *core, struct eu_thread *thread, struct eu_uop *uop)
{
	const struct eu_operand *src = uop->cold->src;
	uint32_t *cr = &thread->cr[uop->cold->dst.off[0] / 4], bits = (uint32_t)eu_integer_of(&src[1], src[1].imm[0]);
	bool in_routine = thread->cr[0] & EU_CR0_EXCEPTION;

	thread->ip = uop->ip + uop->size;
	if (!eu_enabled(core, thread, uop))
		return;
	*cr = uop->op == ISA_OP_OR ? *cr | bits : *cr & bits;
	eu_control_written(thread, in_routine);
	eu_refresh(core, thread);
}
