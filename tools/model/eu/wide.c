// SPDX-License-Identifier: MIT
/**
 * DOC: Handlers for common operations on integers of any size and place
 *
 * What fast.c does not take, since an operand has 64 bits or is in an accumulator, an architecture register, a message
 * register or where a0 says. These handlers compute modulo 2^64; what needs more bits is left to generic.c. OpenCL's
 * addresses are 64-bit integers, and without a 32-bit multiplier products and carries are in the accumulators.
 *
 * The file is compiled three times, as fast.c is.
 */
#include "vector.h"

#define CELLS 8		/* of an accumulator, of dwords */

typedef int64_t v8l __attribute__((vector_size(64)));
typedef uint64_t v8ul __attribute__((vector_size(64)));

/* The channels of an operand, eight of them a vector. */
union wide {
	uint64_t q[EU_CHANNELS];
	v8ul v[GROUPS];
};

static inline v8l wide_lanes(uint32_t mask, unsigned int group)
{
	return __builtin_convertvector(lanes_of(mask >> 8 * group & 0xff), v8l);
}

static inline uint32_t wide_bits(v8l mask, unsigned int group)
{
	return (uint32_t)bits_of(__builtin_convertvector(mask, v8i)) << 8 * group;
}

/* Eight qwords in a row, of which the enabled ones are written. */
static inline void put_row(uint8_t *to, uint32_t mask, unsigned int group, v8ul v)
{
	v8ul lanes, old;

	if ((mask >> 8 * group & 0xff) != 0xff) {
		lanes = (v8ul)wide_lanes(mask, group);
		memcpy(&old, to, sizeof(old));
		v = (v & lanes) | (old & ~lanes);
	}
	memcpy(to, &v, sizeof(v));
}

static v8ul gather_qwords(const uint8_t *base, const struct eu_fast_source *s, unsigned int group)
{
	union wide to;
	unsigned int n;

	for (n = 0; n < 8; n++)
		memcpy(&to.q[n], base + s->lanes[8 * group + n], sizeof(to.q[n]));
	return to.v[0];
}

static inline v8ul load_wide(const uint8_t *base, const struct eu_fast_source *s, unsigned int group)
{
	uint64_t q;
	v8ul v;
	v8i d;

	switch (s->shape) {
	case EU_QWORDS:
		memcpy(&v, base + s->off + 64 * group, sizeof(v));
		return v;
	case EU_QWORD:
		memcpy(&q, base + s->off, sizeof(q));
		return (v8ul){ 0 } + q;
	case EU_QWORDS_APART:
		return gather_qwords(base, s, group);
	case EU_CELLS:
		memcpy(&v, base + s->off + CELLS_BYTES * group, sizeof(v));
		return v;
	default:
		d = load(base, s, group);
		return s->type == ISA_TYPE_UD ? __builtin_convertvector((v8u)d, v8ul) :
		       (v8ul)__builtin_convertvector(d, v8l);
	}
}

static inline v8ul modified(const struct eu_operand *o, v8ul v)
{
	unsigned int shift = 64 - 8 * o->size;
	v8ul sign;

	if (o->abs && !o->bitwise) {
		sign = (v8ul)((v8l)v < 0);
		v = (v ^ sign) - sign;
	}
	if (!o->negate || (o->bitwise && o->abs))
		return v;
	if (!o->bitwise)
		return -v;
	return o->kind == ISA_SIGNED || o->place == EU_ACC ? ~v : ~v << shift >> shift;
}

/* False: an address is wrong. */
static bool load_each(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop,
		      const struct eu_operand *o, uint32_t mask, union wide *to)
{
	unsigned int n;

	if (!eu_load(core, thread, o, uop->exec, mask, to->q))
		return false;
	for (n = 0; n < uop->exec; n++)
		to->q[n] = (uint64_t)eu_integer_of(o, to->q[n]);
	return true;
}

static inline bool load_source(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop,
			       unsigned int i, uint32_t mask, union wide *to)
{
	const struct eu_operand *o = &uop->cold->src[i];
	const struct eu_fast_source *s = &uop->src[i];
	unsigned int g, n = groups_of(uop);

	if (s->shape == EU_OTHER && !load_each(core, thread, uop, o, mask, to))
		return false;
	for (g = 0; g < n && s->shape != EU_OTHER; g++)
		to->v[g] = load_wide((const uint8_t *)thread, s, g);
	for (g = 0; g < n && s->and; g++)
		to->v[g] = modified(o, to->v[g]);
	return true;
}

static bool is_logic(const struct eu_uop *uop)
{
	return uop->op == ISA_OP_AND || uop->op == ISA_OP_OR || uop->op == ISA_OP_XOR || uop->op == ISA_OP_NOT;
}

/* An accumulator has the sign in all bits: of logic operations that of the type, of words and bytes 33 bits. */
static bool store_accumulator(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
			      const union wide *r)
{
	const struct eu_operand *o = &uop->cold->dst;
	unsigned int n, shift = 64 - 8 * o->size;
	uint64_t cells[EU_CHANNELS];

	for (n = 0; n < uop->exec; n++) {
		cells[n] = r->q[n];
		if (is_logic(uop))
			cells[n] = o->kind == ISA_SIGNED ? (uint64_t)((int64_t)(r->q[n] << shift) >> shift) :
				   r->q[n] << shift >> shift;
		if (uop->cold->words)
			cells[n] = (uint64_t)((int64_t)(cells[n] << 31) >> 31);
	}
	return eu_store(core, thread, o, uop->exec, mask, cells);
}

static bool store_other(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
			const union wide *r)
{
	const struct eu_operand *o = &uop->cold->dst;

	if (o->place == EU_ACC && uop->op != ISA_OP_CMP)
		return store_accumulator(core, thread, uop, mask, r);
	return eu_store(core, thread, o, uop->exec, mask, r->q);
}

static inline bool store_result(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
				const union wide *r)
{
	uint8_t *base = (uint8_t *)thread;
	unsigned int g, n = groups_of(uop);

	if (uop->dst_shape == EU_OTHER)
		return store_other(core, thread, uop, mask, r);
	for (g = 0; g < n; g++) {
		if (uop->dst_shape == EU_QWORDS)
			put_row(base + uop->dst + 64 * g, mask, g, r->v[g]);
		else if (uop->dst_shape == EU_CELLS)
			put_row(base + uop->dst + CELLS_BYTES * g, mask, g, r->v[g]);
		else
			store(base, uop, g, mask, (v8i)__builtin_convertvector(r->v[g], v8u));
	}
	return true;
}

static inline v8l holds(unsigned int cond, v8l less, v8l equal)
{
	switch (cond) {
	case 1:
		return equal;
	case 2:
		return ~equal;
	case 3:
		return ~(less | equal);
	case 4:
		return ~less;
	case 5:
		return less;
	default:
		return less | equal;
	}
}

/* Flags of results, as the destination's type has them. */
static void set_flags(struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask, const union wide *r)
{
	const struct eu_operand *o = &uop->cold->dst;
	unsigned int g, shift = 64 - 8 * o->size;
	uint32_t flags = 0;

	for (g = 0; g < groups_of(uop); g++) {
		v8l bits = (v8l)(r->v[g] << shift), less = o->kind == ISA_SIGNED ? bits < 0 : (v8l){ 0 };

		flags |= wide_bits(holds(uop->cond, less, bits == 0), g);
	}
	eu_set_flags(thread, uop, mask, flags);
}

/* Are the implicit accumulator's cells those of whole registers, as eu_acc_read() counts them? */
static inline bool whole_accumulators(const struct eu_uop *uop)
{
	return uop->cold->dst.size == 4 && uop->offset % CELLS == 0 && uop->exec <= 2 * CELLS && !uop->cold->words;
}

static void read_accumulator(const struct eu_thread *thread, const struct eu_uop *uop, union wide *to)
{
	unsigned int n;

	if (whole_accumulators(uop)) {
		for (n = 0; n < groups_of(uop); n++)
			memcpy(&to->v[n], thread->acc[n], sizeof(to->v[n]));
		return;
	}
	for (n = 0; n < uop->exec; n++)
		to->q[n] = (uint64_t)eu_acc_read(thread, uop, n);
}

static void write_accumulator(struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask, const union wide *r)
{
	unsigned int n;

	if (thread->cr[0] & EU_CR0_ACC_DISABLE)
		return;
	if (whole_accumulators(uop)) {
		for (n = 0; n < groups_of(uop); n++)
			put_row((uint8_t *)thread->acc[n], mask, n, r->v[n]);
		return;
	}
	for (n = 0; n < uop->exec; n++)
		if (mask >> n & 1)
			eu_acc_write(thread, uop, n, r->q[n]);
}

/* Results of enabled channels; further ones to the accumulator, if the instruction writes that too. */
static inline void finish(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
			  const union wide *r, bool to_accumulator)
{
	if (!store_result(core, thread, uop, mask, r))
		return;
	if (uop->cond && uop->op != ISA_OP_CSEL)
		set_flags(thread, uop, mask, r);
	if (uop->acc_write && to_accumulator && uop->cold->dst.place != EU_ACC)
		write_accumulator(thread, uop, mask, r);
}

/* The mask of channels, with the thread's ip moved on if the instruction may write it. */
static inline uint32_t begin(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop)
{
	if (uop->flow)
		thread->ip = uop->ip + uop->size;
	return uop->op == ISA_OP_SEL ? eu_unpredicated(core, uop) : eu_enabled(core, thread, uop);
}

static inline bool load_all(struct eu_core *core, struct eu_thread *thread, const struct eu_uop *uop, uint32_t mask,
			    union wide *s, unsigned int sources)
{
	unsigned int i;

	for (i = 0; i < sources; i++)
		if (!load_source(core, thread, uop, i, mask, &s[i]))
			return false;
	return true;
}

#define HANDLER(name) static void name(struct eu_core *core, struct eu_thread *t, struct eu_uop *u)

/* An operation whose result is @expression of its sources a, b and c: of all channels of one vector. */
#define OP(name, sources, expression) HANDLER(name)			\
{									\
	union wide s[sources], r;					\
	uint32_t mask = begin(core, t, u);				\
	bool loaded = load_all(core, t, u, mask, s, sources);		\
	unsigned int g;							\
									\
	for (g = 0; loaded && g < groups_of(u); g++) {			\
		const v8ul a = s[0].v[g], b = s[sources > 1].v[g], c = s[sources - 1].v[g]; \
									\
		(void)a, (void)b, (void)c;				\
		r.v[g] = (v8ul)(expression);				\
	}								\
	if (loaded)							\
		finish(core, t, u, mask, &r, true);			\
}

/* The same, of one channel. */
#define OP_EACH(name, sources, expression) HANDLER(name)		\
{									\
	union wide s[sources], r;					\
	uint32_t mask = begin(core, t, u);				\
	bool loaded = load_all(core, t, u, mask, s, sources);		\
	unsigned int n;							\
									\
	for (n = 0; loaded && n < u->exec; n++) {			\
		const uint64_t a = s[0].q[n], b = s[sources > 1].q[n], c = s[sources - 1].q[n]; \
									\
		(void)a, (void)b, (void)c;				\
		r.q[n] = (expression);					\
	}								\
	if (loaded)							\
		finish(core, t, u, mask, &r, true);			\
}

#define COMPARE(name, type) HANDLER(name)				\
{									\
	union wide s[2], r;						\
	uint32_t mask = begin(core, t, u), flags = 0;			\
	bool loaded = load_all(core, t, u, mask, s, 2);			\
	unsigned int g;							\
									\
	for (g = 0; loaded && g < groups_of(u); g++) {			\
		v8l on = holds(u->cond, (type)s[0].v[g] < (type)s[1].v[g], s[0].v[g] == s[1].v[g]); \
									\
		r.v[g] = (v8ul)on;					\
		flags |= wide_bits(on, g);				\
	}								\
	if (loaded && store_result(core, t, u, mask, &r))		\
		eu_set_flags(t, u, mask, flags);			\
}

static inline v8ul counts(const struct eu_uop *u, v8ul b)
{
	return b & (u->cold->dst.size == 8 || u->cold->src[0].size == 8 ? 63 : 31);
}

static uint64_t rotated(const struct eu_uop *u, uint64_t v, uint64_t by)
{
	unsigned int bits = 8 * u->cold->src[0].size, n = (unsigned int)by & (bits - 1);

	v &= ~0ull >> (64 - bits);
	return n ? v << n | v >> (bits - n) : v;
}

static bool holds_zero(unsigned int cond, int64_t v)
{
	return holds(cond, (v8l){ 0 } + -(v < 0), (v8l){ 0 } + -!v)[0];
}

OP(wide_mov, 1, a)
OP(wide_not, 1, ~a)
OP_EACH(wide_lzd, 1, (uint32_t)a ? (uint64_t)__builtin_clz((uint32_t)a) : 32)
OP_EACH(wide_cbit, 1, (uint64_t)__builtin_popcountll(a & (~0ull >> (64 - 8 * u->cold->src[0].size))))
OP(wide_and, 2, a & b)
OP(wide_or, 2, a | b)
OP(wide_xor, 2, a ^ b)
OP(wide_add, 2, a + b)
OP(wide_mul, 2, a * b)
OP(wide_mul_low0, 2, (a & 0xffff) * b)
OP(wide_mul_low1, 2, a * (b & 0xffff))
OP_EACH(wide_mac, 2, a * b + (uint64_t)eu_acc_read(t, u, n))
OP(wide_shl, 2, a << counts(u, b))
OP(wide_shr, 2, a >> counts(u, b))
OP(wide_asr, 2, (v8l)a >> (v8l)counts(u, b))
OP_EACH(wide_rol, 2, rotated(u, a, b))
OP_EACH(wide_ror, 2, rotated(u, a, -b))
OP(wide_mad, 3, a + b * c)
OP_EACH(wide_csel, 3, holds_zero(u->cond, (int64_t)c) ? a : b)
COMPARE(wide_compare, v8l)
COMPARE(wide_compare_u, v8ul)

HANDLER(wide_sel)
{
	uint32_t mask = begin(core, t, u), first = eu_pmask(core, t, u);
	union wide s[2];
	unsigned int g;

	if (!load_all(core, t, u, mask, s, 2))
		return;
	for (g = 0; g < groups_of(u); g++) {
		v8ul lanes = (v8ul)wide_lanes(first, g);

		s[0].v[g] = (s[0].v[g] & lanes) | (s[1].v[g] & ~lanes);
	}
	finish(core, t, u, mask, &s[0], true);
}

/* sel.ge and sel.l, whose condition is no predicate and sets no flag. */
static inline void select_by(struct eu_core *core, struct eu_thread *t, const struct eu_uop *u, bool is_signed)
{
	uint32_t mask = begin(core, t, u);
	union wide s[2];
	unsigned int g;

	if (!load_all(core, t, u, mask, s, 2))
		return;
	for (g = 0; g < groups_of(u); g++) {
		v8l less = is_signed ? (v8l)s[0].v[g] < (v8l)s[1].v[g] : s[0].v[g] < s[1].v[g];
		v8ul first = (v8ul)(u->cond == 4 ? ~less : less);

		s[0].v[g] = (s[0].v[g] & first) | (s[1].v[g] & ~first);
	}
	store_result(core, t, u, mask, &s[0]);
}

HANDLER(wide_select)
{
	select_by(core, t, u, true);
}

HANDLER(wide_select_u)
{
	select_by(core, t, u, false);
}

/* math's quotient and remainder of dwords, with DirectX's results of a zero divisor as math.c has them. */
static inline uint64_t divided(const struct eu_uop *u, int64_t a, int64_t b, bool remainder)
{
	if (!((a | b) >> 32) && b)
		return remainder ? (uint32_t)a % (uint32_t)b : (uint32_t)a / (uint32_t)b;
	if (!b)
		return u->cold->src[0].kind != ISA_SIGNED ? UINT32_MAX : (uint64_t)(a < 0 ? INT32_MIN : INT32_MAX);
	return (uint64_t)(remainder ? a % b : a / b);
}

OP_EACH(wide_quotient, 2, divided(u, (int64_t)a, (int64_t)b, false))
OP_EACH(wide_remainder, 2, divided(u, (int64_t)a, (int64_t)b, true))

/* addc and subb: the accumulator gets the carry of dwords. */
HANDLER(wide_carry)
{
	union wide s[2], r, carry;
	uint32_t mask = begin(core, t, u);
	unsigned int g;

	if (!load_all(core, t, u, mask, s, 2))
		return;
	for (g = 0; g < groups_of(u); g++) {
		v8ul a = s[0].v[g], b = s[1].v[g], sum = u->op == ISA_OP_ADDC ? a + b : a - b;

		r.v[g] = sum & UINT32_MAX;
		carry.v[g] = (v8ul)(sum != r.v[g]) & 1;
	}
	write_accumulator(t, u, mask, &carry);
	finish(core, t, u, mask, &r, false);
}

/* mach: the accumulator has the product with the low word of one source, to which that with the high one is added. */
HANDLER(wide_mach)
{
	bool low = core->traits->mach_low && !u->acc_write, first = core->traits->mul_low_src0;
	union wide s[2], r, sum;
	uint32_t mask = begin(core, t, u);
	unsigned int g;

	if (!load_all(core, t, u, mask, s, 2))
		return;
	read_accumulator(t, u, &sum);
	for (g = 0; g < groups_of(u); g++) {
		sum.v[g] += (v8ul)((v8l)s[!first].v[g] >> 16) * s[first].v[g] << 16;
		r.v[g] = low ? sum.v[g] : (v8ul)((v8l)sum.v[g] >> 32);
	}
	if (!low)
		write_accumulator(t, u, mask, &sum);
	finish(core, t, u, mask, &r, false);
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

/* abs of the least qword has 65 bits, of which some operations need the low 64. */
static bool simple(const struct eu_uop *u, const struct eu_operand *o)
{
	bool low = u->op == ISA_OP_MOV || u->op == ISA_OP_ADD || (u->op == ISA_OP_SEL && !u->cond);

	return o->kind != ISA_FLOAT && o->kind != ISA_VECTOR &&
	       (!o->abs || o->bitwise || (o->place != EU_ACC && (o->size < 8 || (low && o->kind == ISA_SIGNED))));
}

/* Comparisons are exact if both sources are signed or shorter, or both are unsigned. */
static eu_handler pick_compare(const struct eu_uop *u, eu_handler is_signed, eu_handler is_unsigned)
{
	const struct eu_operand *a = &u->cold->src[0], *b = &u->cold->src[1];

	if (!u->cond || u->acc_write)
		return NULL;
	if (exact(a) && exact(b))
		return is_signed;
	if (a->negate || b->negate || a->abs || b->abs || a->place == EU_ACC || b->place == EU_ACC)
		return NULL;
	return a->kind == ISA_UNSIGNED && b->kind == ISA_UNSIGNED ? is_unsigned : NULL;
}

static eu_handler pick_select(const struct eu_uop *u)
{
	if (!u->cond)
		return wide_sel;
	return u->cond == 4 || u->cond == 5 ? pick_compare(u, wide_select, wide_select_u) : NULL;
}

/* The quotient and the remainder alone; idiv has two destinations. */
static eu_handler pick_division(const struct eu_uop *u)
{
	const struct eu_cold *cold = u->cold;

	if (!is_dword(&cold->src[0]) || !is_dword(&cold->src[1]) || !is_dword(&cold->dst) || u->cond || u->acc_write)
		return NULL;
	if (cold->inst.function == ISA_MATH_IQOT)
		return wide_quotient;
	return cold->inst.function == ISA_MATH_IREM ? wide_remainder : NULL;
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
		return pick_compare(u, wide_compare, wide_compare_u);
	default:
		return NULL;
	}
}

/* Accumulators of dwords as registers of cells. */
static bool is_cells(const struct eu_operand *o, unsigned int exec)
{
	return o->place == EU_ACC && o->size == 4 && o->row && o->off[0] % EU_GRF_BYTES == 0 &&
	       o->off[0] / EU_GRF_BYTES + (exec + 7) / 8 <= EU_ACCS;
}

static unsigned int cells_at(const struct eu_operand *o)
{
	return offsetof(struct eu_thread, acc) + o->off[0] / EU_GRF_BYTES * CELLS_BYTES;
}

static enum eu_shape qwords_shape(enum eu_shape shape)
{
	return shape == EU_PACKED ? EU_QWORDS : shape == EU_SCALAR ? EU_QWORD : EU_QWORDS_APART;
}

/* How the handlers load a source. An immediate of 64 bits has no vector; eu_load() gives it. */
static void prepare_source(struct eu_operand *o, unsigned int exec, struct eu_fast_source *s)
{
	s->type = o->type;
	s->lanes = o->off;
	s->off = o->off[0];
	s->shape = EU_OTHER;
	s->and = o->negate || o->abs;
	if (o->place == EU_IMMEDIATE && o->size < 8) {
		eu_splat(o, s);
	} else if (is_cells(o, exec)) {
		s->shape = EU_CELLS;
		s->off = cells_at(o);
	} else if (o->place == EU_GRF && !o->indirect) {
		s->shape = eu_shape_of(o, exec);
		if (o->size == 8)
			s->shape = qwords_shape(s->shape);
	}
}

static void prepare_destination(struct eu_uop *u)
{
	const struct eu_operand *o = &u->cold->dst;

	u->dst_type = o->type;
	u->dst = o->off[0];
	u->dst_shape = EU_OTHER;
	if (is_cells(o, u->exec) && !is_logic(u) && !u->cold->words && u->op != ISA_OP_CMP) {
		u->dst_shape = EU_CELLS;
		u->dst = cells_at(o);
	} else if (o->place == EU_GRF && !o->indirect && o->size == 8) {
		u->dst_shape = o->row ? EU_QWORDS : EU_OTHER;
	} else if (o->place == EU_GRF && !o->indirect) {
		u->dst_shape = eu_dst_shape_of(o, u->exec);
	} else if (o->place == EU_NULL) {
		u->dst_shape = EU_SPLAT;
	}
}

static eu_handler pick(const struct eu_core *core, const struct eu_uop *u)
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
		if (!simple(u, &cold->src[i]))
			return NULL;
	if (u->op == ISA_OP_SEL)
		return pick_select(u);
	if (u->op == ISA_OP_MATH)
		return pick_division(u);
	if (u->op == ISA_OP_MUL)
		return pick_product(core, u);
	for (i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
		if (handlers[i].op == u->op)
			return handlers[i].run;
	return pick_exact(u);
}

static eu_handler choose(const struct eu_core *core, struct eu_uop *u)
{
	eu_handler run = pick(core, u);
	unsigned int i;

	for (i = 0; run && i < u->cold->inst.nsources; i++)
		prepare_source(&u->cold->src[i], u->exec, &u->src[i]);
	if (run)
		prepare_destination(u);
	return run;
}

const struct eu_fast EU_WIDE = { choose };
