// SPDX-License-Identifier: MIT
/**
 * DOC: Handlers for common operations on integers of any size and place
 *
 * What fast.c does not take, since an operand has 64 bits or is in an accumulator, an architecture register, a message
 * register or where a0 says. These handlers compute modulo 2^64; what needs more bits is left to generic.c. OpenCL's
 * addresses are 64-bit integers, and without a 32-bit multiplier products and carries are in the accumulators.
 */
#include "internal.h"

static void load_registers(const struct eu_thread *thread, const struct eu_operand *o, unsigned int exec, uint64_t *v)
{
	const uint8_t *grf = thread->grf[0];
	unsigned int n, shift = 64 - 8 * o->size;
	bool is_signed = o->kind == ISA_SIGNED;

	switch (o->size) {
	case 8:
		for (n = 0; n < exec && !o->row; n++)
			memcpy(&v[n], grf + o->off[n], 8);
		if (o->row)
			memcpy(v, grf + o->off[0], 8 * exec);
		break;
	case 4:
		for (n = 0; n < exec; n++) {
			uint32_t d;

			memcpy(&d, grf + o->off[n], 4);
			v[n] = is_signed ? (uint64_t)(int32_t)d : d;
		}
		break;
	default:
		for (n = 0; n < exec; n++) {
			v[n] = 0;
			memcpy(&v[n], grf + o->off[n], o->size);
			v[n] = is_signed ? (uint64_t)((int64_t)(v[n] << shift) >> shift) : v[n];
		}
		break;
	}
}

static void modify(const struct eu_operand *o, unsigned int exec, uint64_t *v)
{
	unsigned int n, shift = 64 - 8 * o->size;

	for (n = 0; n < exec && o->abs && !o->bitwise; n++)
		v[n] = (int64_t)v[n] < 0 ? -v[n] : v[n];
	if (!o->negate || (o->bitwise && o->abs))
		return;
	for (n = 0; n < exec; n++) {
		if (!o->bitwise)
			v[n] = -v[n];
		else
			v[n] = o->kind == ISA_SIGNED || o->place == EU_ACC ? ~v[n] : ~v[n] << shift >> shift;
	}
}

/* False: an address is wrong. */
static bool load(struct eu_core *core, struct eu_thread *thread, const struct eu_operand *o, unsigned int exec,
		 uint32_t mask, uint64_t *v)
{
	unsigned int n;

	if (o->place == EU_IMMEDIATE) {
		for (n = 0; n < exec; n++)
			v[n] = (uint64_t)eu_integer_of(o, o->imm[n % 8]);
		return true;
	}
	if (o->place == EU_GRF && !o->indirect) {
		load_registers(thread, o, exec, v);
	} else {
		if (!eu_load(core, thread, o, exec, mask, v))
			return false;
		for (n = 0; n < exec; n++)
			v[n] = (uint64_t)eu_integer_of(o, v[n]);
	}
	modify(o, exec, v);
	return true;
}

/* An accumulator has the sign in all bits: of logic operations that of the type, of words and bytes 33 bits. */
static bool store_accumulator(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
			      const uint64_t *v)
{
	bool logic = uop->op == ISA_OP_AND || uop->op == ISA_OP_OR || uop->op == ISA_OP_XOR || uop->op == ISA_OP_NOT;
	const struct eu_operand *o = &uop->cold->dst;
	unsigned int n, shift = 64 - 8 * o->size;
	uint64_t cells[EU_CHANNELS];

	for (n = 0; n < uop->exec; n++) {
		cells[n] = v[n];
		if (logic)
			cells[n] = o->kind == ISA_SIGNED ? (uint64_t)((int64_t)(v[n] << shift) >> shift) :
				   v[n] << shift >> shift;
		if (uop->cold->words)
			cells[n] = (uint64_t)((int64_t)(cells[n] << 31) >> 31);
	}
	return eu_store(core, thread, o, uop->exec, mask, cells);
}

static bool store(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
		  const uint64_t *v)
{
	const struct eu_operand *o = &uop->cold->dst;
	uint8_t *grf = thread->grf[0];
	unsigned int n;

	if (o->place == EU_ACC && uop->op != ISA_OP_CMP)
		return store_accumulator(core, thread, uop, mask, v);
	if (o->place != EU_GRF || o->indirect)
		return eu_store(core, thread, o, uop->exec, mask, v);
	if (o->row && o->size == 8 && mask == (1ull << uop->exec) - 1) {
		memcpy(grf + o->off[0], v, 8 * uop->exec);
		return true;
	}
	for (n = 0; n < uop->exec; n++) {
		if (!(mask >> n & 1))
			continue;
		if (o->size == 8)
			memcpy(grf + o->off[n], &v[n], 8);
		else if (o->size == 4)
			memcpy(grf + o->off[n], &v[n], 4);
		else
			memcpy(grf + o->off[n], &v[n], o->size);
	}
	return true;
}

static bool holds(unsigned int cond, bool less, bool equal)
{
	switch (cond) {
	case 1:
		return equal;
	case 2:
		return !equal;
	case 3:
		return !less && !equal;
	case 4:
		return !less;
	case 5:
		return less;
	default:
		return less || equal;
	}
}

/* Flags of results, as the destination's type has them. */
static void set_flags(struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask, const uint64_t *v)
{
	const struct eu_operand *o = &uop->cold->dst;
	unsigned int n, shift = 64 - 8 * o->size;
	uint32_t flags = 0;

	for (n = 0; n < uop->exec; n++) {
		uint64_t bits = v[n] << shift;

		flags |= (uint32_t)holds(uop->cond, o->kind == ISA_SIGNED && (int64_t)bits < 0, !bits) << n;
	}
	eu_set_flags(thread, uop, mask, flags);
}

/* Results of enabled channels; further ones to the accumulator, if the instruction writes that too. */
static void finish(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
		   const uint64_t *r, bool to_accumulator)
{
	unsigned int n;

	if (!store(core, thread, uop, mask, r))
		return;
	if (uop->cond && uop->op != ISA_OP_CSEL)
		set_flags(thread, uop, mask, r);
	if (!uop->acc_write || !to_accumulator || thread->cr[0] & 2 || uop->cold->dst.place == EU_ACC)
		return;
	for (n = 0; n < uop->exec; n++)
		if (mask >> n & 1)
			eu_acc_write(thread, uop, n, r[n]);
}

/* The mask of channels, with the thread's ip moved on if the instruction may write it. */
static uint32_t begin(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop)
{
	if (uop->flow)
		thread->ip = uop->ip + uop->size;
	return uop->op == ISA_OP_SEL ? eu_unpredicated(core, uop) : eu_enabled(core, thread, uop);
}

static bool load_all(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
		     uint64_t s[][EU_CHANNELS])
{
	unsigned int i;

	for (i = 0; i < uop->cold->inst.nsources; i++)
		if (!load(core, thread, &uop->cold->src[i], uop->exec, mask, s[i]))
			return false;
	return true;
}

#define HANDLER(name) static void name(struct eu_core *core, struct eu_thread *t, struct eu_uop *u)

/* An operation whose result is @expression of its sources a, b and c. */
#define OP(name, sources, expression) HANDLER(name)			\
{									\
	uint64_t s[sources][EU_CHANNELS], r[EU_CHANNELS];		\
	uint32_t mask = begin(core, t, u);				\
	unsigned int n;							\
	bool loaded = load_all(core, t, u, mask, s);			\
									\
	for (n = 0; loaded && n < u->exec; n++) {			\
		const uint64_t a = s[0][n], b = s[sources > 1][n], c = s[sources - 1][n]; \
									\
		(void)a, (void)b, (void)c;				\
		r[n] = (expression);					\
	}								\
	if (loaded)							\
		finish(core, t, u, mask, r, true);			\
}

#define COMPARE(name, type) HANDLER(name)				\
{									\
	uint64_t s[2][EU_CHANNELS], r[EU_CHANNELS];			\
	uint32_t mask = begin(core, t, u), flags = 0;			\
	bool loaded = load_all(core, t, u, mask, s);			\
	unsigned int n;							\
									\
	for (n = 0; loaded && n < u->exec; n++) {			\
		bool on = holds(u->cond, (type)s[0][n] < (type)s[1][n], s[0][n] == s[1][n]); \
									\
		r[n] = on ? ~0ull : 0;					\
		flags |= (uint32_t)on << n;				\
	}								\
	if (loaded && store(core, t, u, mask, r))			\
		eu_set_flags(t, u, mask, flags);			\
}

static unsigned int shift_by(const struct eu_uop *u, uint64_t count)
{
	return count & (u->cold->dst.size == 8 || u->cold->src[0].size == 8 ? 63 : 31);
}

static uint64_t rotated(const struct eu_uop *u, uint64_t v, uint64_t by)
{
	unsigned int bits = 8 * u->cold->src[0].size, n = (unsigned int)by & (bits - 1);

	v &= ~0ull >> (64 - bits);
	return n ? v << n | v >> (bits - n) : v;
}

OP(wide_mov, 1, a)
OP(wide_not, 1, ~a)
OP(wide_lzd, 1, (uint32_t)a ? (uint64_t)__builtin_clz((uint32_t)a) : 32)
OP(wide_cbit, 1, (uint64_t)__builtin_popcountll(a & (~0ull >> (64 - 8 * u->cold->src[0].size))))
OP(wide_and, 2, a & b)
OP(wide_or, 2, a | b)
OP(wide_xor, 2, a ^ b)
OP(wide_add, 2, a + b)
OP(wide_mul, 2, a * b)
OP(wide_mul_low0, 2, (a & 0xffff) * b)
OP(wide_mul_low1, 2, a * (b & 0xffff))
OP(wide_mac, 2, a * b + (uint64_t)eu_acc_read(t, u, n))
OP(wide_shl, 2, a << shift_by(u, b))
OP(wide_shr, 2, a >> shift_by(u, b))
OP(wide_asr, 2, (uint64_t)((int64_t)a >> shift_by(u, b)))
OP(wide_rol, 2, rotated(u, a, b))
OP(wide_ror, 2, rotated(u, a, -b))
OP(wide_mad, 3, a + b * c)
OP(wide_csel, 3, holds(u->cond, (int64_t)c < 0, !c) ? a : b)
COMPARE(wide_compare, int64_t)
COMPARE(wide_compare_u, uint64_t)

HANDLER(wide_sel)
{
	uint32_t mask = begin(core, t, u), first = eu_pmask(core, t, u);
	uint64_t s[2][EU_CHANNELS];
	unsigned int n;

	if (!load_all(core, t, u, mask, s))
		return;
	for (n = 0; n < u->exec; n++)
		s[0][n] = first >> n & 1 ? s[0][n] : s[1][n];
	finish(core, t, u, mask, s[0], true);
}

/* addc and subb: the accumulator gets the carry of dwords. */
HANDLER(wide_carry)
{
	uint64_t s[2][EU_CHANNELS], r[EU_CHANNELS];
	uint32_t mask = begin(core, t, u);
	unsigned int n;

	if (!load_all(core, t, u, mask, s))
		return;
	for (n = 0; n < u->exec; n++) {
		uint64_t sum = u->op == ISA_OP_ADDC ? s[0][n] + s[1][n] : s[0][n] - s[1][n];

		r[n] = (uint32_t)sum;
		if (mask >> n & 1)
			eu_acc_write(t, u, n, sum > UINT32_MAX);
	}
	finish(core, t, u, mask, r, false);
}

/* mach: the accumulator has the product with the low word of one source, to which that with the high one is added. */
HANDLER(wide_mach)
{
	bool low = core->traits->mach_low && !u->acc_write, first = core->traits->mul_low_src0;
	uint64_t s[2][EU_CHANNELS], r[EU_CHANNELS];
	uint32_t mask = begin(core, t, u);
	unsigned int n;

	if (!load_all(core, t, u, mask, s))
		return;
	for (n = 0; n < u->exec; n++) {
		uint64_t high = (uint64_t)((int64_t)s[!first][n] >> 16) * s[first][n], sum;

		sum = (high << 16) + (uint64_t)eu_acc_read(t, u, n);
		r[n] = (uint64_t)(low ? (int32_t)sum : (int64_t)sum >> 32);
		if (!low && mask >> n & 1)
			eu_acc_write(t, u, n, sum);
	}
	finish(core, t, u, mask, r, false);
}

/* A source that 64 bits have room for, with its sign. */
static bool exact(const struct eu_operand *o)
{
	if (o->size < 8 && o->place != EU_ACC)
		return true;
	return !o->negate && !o->abs && (o->place == EU_ACC || o->kind == ISA_SIGNED);
}

static bool is_dword(const struct eu_operand *o)
{
	return o->size == 4 && o->place != EU_ACC;
}

static bool simple(const struct eu_operand *o)
{
	return o->kind != ISA_FLOAT && o->kind != ISA_VECTOR &&
	       (!o->abs || o->bitwise || (o->size < 8 && o->place != EU_ACC));
}

/* Comparisons are exact if both sources are signed or shorter, or both are unsigned. */
static eu_handler pick_compare(const struct eu_uop *u)
{
	const struct eu_operand *a = &u->cold->src[0], *b = &u->cold->src[1];

	if (!u->cond || u->acc_write)
		return NULL;
	if (exact(a) && exact(b))
		return wide_compare;
	if (a->negate || b->negate || a->abs || b->abs || a->place == EU_ACC || b->place == EU_ACC)
		return NULL;
	return a->kind == ISA_UNSIGNED && b->kind == ISA_UNSIGNED ? wide_compare_u : NULL;
}

static eu_handler pick_product(const struct eu_core *core, const struct eu_uop *u)
{
	if (u->cold->src[0].size != 4 || u->cold->src[1].size != 4 || core->dword_mul)
		return wide_mul;
	return core->traits->mul_low_src0 ? wide_mul_low0 : wide_mul_low1;
}

/* Operations on two or three sources whose bits above the 64th matter, too, or which not all types have. */
static eu_handler pick_exact(const struct eu_uop *u)
{
	const struct eu_operand *a = &u->cold->src[0], *b = &u->cold->src[1];

	switch (u->op) {
	case ISA_OP_SHR:
		return (a->size == 8 && a->place != EU_ACC && !(a->type == ISA_TYPE_UQ && a->negate)) ||
		       (a->place == EU_ACC && !u->cold->words) ? wide_shr : NULL;
	case ISA_OP_ASR:
		return exact(a) ? wide_asr : NULL;
	case ISA_OP_ADDC:
	case ISA_OP_SUBB:
		return is_dword(a) && is_dword(b) ? wide_carry : NULL;
	case ISA_OP_MACH:
		return is_dword(a) && is_dword(b) ? wide_mach : NULL;
	case ISA_OP_CSEL:
		return u->cond && exact(&u->cold->src[2]) ? wide_csel : NULL;
	case ISA_OP_CMP:
		return pick_compare(u);
	default:
		return NULL;
	}
}

eu_handler eu_wide_choose(const struct eu_core *core, const struct eu_uop *u)
{
	static const struct {
		uint8_t op;
		eu_handler run;
	} handlers[] = {
		{ ISA_OP_MOV, wide_mov }, { ISA_OP_NOT, wide_not }, { ISA_OP_AND, wide_and }, { ISA_OP_OR, wide_or },
		{ ISA_OP_XOR, wide_xor }, { ISA_OP_ADD, wide_add }, { ISA_OP_SHL, wide_shl }, { ISA_OP_MAC, wide_mac },
		{ ISA_OP_ROL, wide_rol }, { ISA_OP_ROR, wide_ror }, { ISA_OP_MAD, wide_mad }, { ISA_OP_LZD, wide_lzd },
		{ ISA_OP_CBIT, wide_cbit },
	};
	const struct eu_cold *cold = u->cold;
	unsigned int i;

	if (cold->class != EU_INT || u->saturate || u->cond > 6 || cold->inst.macro || cold->dst.kind == ISA_FLOAT ||
	    (cold->dst.place == EU_ACC && u->cond && u->op != ISA_OP_CMP))
		return NULL;
	for (i = 0; i < cold->inst.nsources; i++)
		if (!simple(&cold->src[i]))
			return NULL;
	if (u->op == ISA_OP_SEL)
		return u->cond ? NULL : wide_sel;
	if (u->op == ISA_OP_MUL)
		return pick_product(core, u);
	for (i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
		if (handlers[i].op == u->op)
			return handlers[i].run;
	return pick_exact(u);
}
