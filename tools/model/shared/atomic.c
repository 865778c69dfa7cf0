// SPDX-License-Identifier: MIT
/**
 * DOC: Atomic operations of programs
 *
 * A message has the addresses of its channels, then up to two blocks of operands. Channels that are on follow each
 * other, the lowest first; each operation is atomic against the CPU and other engines. The response, if the descriptor
 * asks for it, is what memory held before, but what it holds now for the decrement that says so (public Gen9 PRM Vol 7,
 * "Atomic Operations"; operands of the comparison: the first is compared, the second written).
 */
#include <math.h>
#include <string.h>

#include "shared/shared.h"

enum {
	OP_CMPWR_PAIR, OP_AND, OP_OR, OP_XOR, OP_MOV, OP_INC, OP_DEC, OP_ADD, OP_SUB, OP_REVSUB, OP_IMAX, OP_IMIN,
	OP_UMAX, OP_UMIN, OP_CMPWR, OP_PREDEC
};

enum { OP_FLOAT_MAX = 1, OP_FLOAT_MIN, OP_FLOAT_CMPWR };

struct operation {
	unsigned int op, size;
	bool is_float;
	uint64_t a, b;
};

static int64_t sign_of(uint64_t v, unsigned int size)
{
	return size == 4 ? (int32_t)v : (int64_t)v;
}

static uint64_t integer(uint64_t old, const void *operands)
{
	const struct operation *o = operands;

	switch (o->op) {
	case OP_AND:
		return old & o->a;
	case OP_OR:
		return old | o->a;
	case OP_XOR:
		return old ^ o->a;
	case OP_MOV:
		return o->a;
	case OP_INC:
		return old + 1;
	case OP_DEC:
	case OP_PREDEC:
		return old - 1;
	case OP_ADD:
		return old + o->a;
	case OP_SUB:
		return old - o->a;
	case OP_REVSUB:
		return o->a - old;
	case OP_IMAX:
		return sign_of(old, o->size) < sign_of(o->a, o->size) ? o->a : old;
	case OP_IMIN:
		return sign_of(o->a, o->size) < sign_of(old, o->size) ? o->a : old;
	case OP_UMAX:
		return old < o->a ? o->a : old;
	case OP_UMIN:
		return o->a < old ? o->a : old;
	default:
		return old == o->a ? o->b : old;
	}
}

static float float_of(uint64_t v)
{
	uint32_t u = (uint32_t)v;
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

static uint64_t floating(uint64_t old, const void *operands)
{
	const struct operation *o = operands;
	float was = float_of(old), a = float_of(o->a);

	switch (o->op) {
	case OP_FLOAT_MAX:
		return isnan(was) || a > was ? o->a : old;
	case OP_FLOAT_MIN:
		return isnan(was) || a < was ? o->a : old;
	default:
		return was == a ? o->b : old;
	}
}

/* Blocks of operands; 3: there is no such operation. */
static unsigned int operands_of(const struct operation *o)
{
	if (o->is_float)
		return o->op == OP_FLOAT_CMPWR ? 2 : o->op >= OP_FLOAT_MAX && o->op <= OP_FLOAT_MIN ? 1 : 3;
	switch (o->op) {
	case OP_INC:
	case OP_DEC:
	case OP_PREDEC:
		return 0;
	case OP_CMPWR:
		return 2;
	case OP_CMPWR_PAIR:
		return 3;
	default:
		return 1;
	}
}

static uint64_t operand(const struct send *s, unsigned int byte, unsigned int size)
{
	return size == 8 ? send_qword(s, byte) : send_dword(s, byte);
}

/* One channel: its operands stand in blocks of lanes from byte at on. */
static void operate(struct send *s, struct operation *o, const struct space *space, uint64_t offset, unsigned int at,
		    unsigned int lanes, unsigned int lane)
{
	uint64_t old;

	o->a = operand(s, at + lane * o->size, o->size);
	o->b = operand(s, at + (lanes + lane) * o->size, o->size);
	old = space_atomic(s, space, offset, o->size, o->is_float ? floating : integer, o);
	if (!o->is_float && o->op == OP_PREDEC)
		old--;
	if (send_field(s, ISA_MSG_F_RETURN))
		send_respond(s, lane * o->size, &old, o->size);
}

static bool is_float(const struct send *s)
{
	return s->info->id == ISA_MSG_UNTYPED_ATOMIC_FLOAT || s->info->id == ISA_MSG_A64_ATOMIC_FLOAT;
}

/* Channels that are on; a header turns further ones off. */
static bool is_on(const struct send *s, unsigned int lane)
{
	return s->msg->exec_mask >> lane & (s->msg->header ? send_dword(s, 28) >> lane : 1) & 1;
}

enum eu_reply message_untyped_atomic(struct send *s)
{
	struct operation o = { .op = send_field(s, ISA_MSG_F_OP), .size = 4, .is_float = is_float(s) };
	unsigned int lanes = send_field(s, ISA_MSG_F_SIMD) ? 8 : 16, bti = send_field(s, ISA_MSG_F_BTI), at;
	const struct surface *f;
	struct space space;
	const char *error = surface_space(s, bti, &space);

	if (error)
		return send_bad(s, error);
	f = untyped_surface(s, bti);
	at = send_body(s) + lanes * 4 * (f && f->kind == SURFACE_STRUCTURED ? 2 : 1);
	if (operands_of(&o) > 2)
		return send_bad(s, "an untyped atomic operation that is not modelled");
	if (send_lacks(s, at + operands_of(&o) * lanes * 4))
		return send_bad(s, "an untyped atomic operation with too short a payload");
	for (unsigned int i = 0; i < lanes; i++)
		if (is_on(s, i))
			operate(s, &o, &space, untyped_offset(s, f, lanes, i), at, lanes, i);
	return EU_DONE;
}

enum eu_reply message_a64_atomic(struct send *s)
{
	struct operation o = {
		.op = send_field(s, ISA_MSG_F_OP), .size = send_field(s, ISA_MSG_F_QWORD) ? 8 : 4,
		.is_float = is_float(s),
	};
	struct space space = { SPACE_MEMORY, 0, UINT64_MAX };
	unsigned int at = send_body(s) + 8 * 8;

	if (operands_of(&o) > 2)
		return send_bad(s, "an A64 atomic operation that is not modelled");
	if (send_lacks(s, at + operands_of(&o) * 8 * o.size))
		return send_bad(s, "an A64 atomic operation with too short a payload");
	for (unsigned int i = 0; i < 8; i++)
		if (s->msg->exec_mask >> i & 1)
			operate(s, &o, &space, send_qword(s, send_body(s) + 8 * i), at, 8, i);
	return EU_DONE;
}

enum eu_reply message_typed_atomic(struct send *s)
{
	struct operation o = { .op = send_field(s, ISA_MSG_F_OP), .size = 4 };
	struct space space = { SPACE_MEMORY, 0, UINT64_MAX };
	const struct surface *f = surface_of(s, send_field(s, ISA_MSG_F_BTI));
	const char *error = typed_error(f);
	unsigned int addresses;
	uint32_t mask = typed_enabled(s, send_field(s, ISA_MSG_F_SLOT_GROUP));

	if (error)
		return send_bad(s, error);
	if (f->kind != SURFACE_NULL && f->bytes != 4)
		return send_bad(s, "a typed atomic operation on elements that are no dwords");
	if (operands_of(&o) > 2)
		return send_bad(s, "a typed atomic operation that is not modelled");
	addresses = typed_addresses(s, operands_of(&o));
	if (!addresses)
		return send_bad(s, "a typed atomic operation with too short a payload");
	for (unsigned int i = 0; i < 8; i++) {
		uint64_t addr = f->kind == SURFACE_NULL ? UINT64_MAX : typed_address(s, f, addresses, i);

		if (mask >> i & 1)
			operate(s, &o, &space, addr, send_body(s) + addresses * EU_GRF_BYTES, 8, i);
	}
	return EU_DONE;
}
