// SPDX-License-Identifier: MIT
/**
 * DOC: MI_MATH
 *
 * The command streamer's ALU: two source registers, an accumulator, a zero and a carry flag, and
 * the sixteen general purpose registers to load them from and to store to. A flag is stored as 64
 * equal bits (public Gen9 PRM Vol 7, "Command Streamer (CS) ALU Programming"; codes as Mesa's
 * mi_builder uses them).
 */
#include "cs/cs.h"
#include "igen/cmd/mi.h"
#include "neutral_mi.h"

struct alu {
	uint64_t a, b, accu;
	bool zero, carry;
};

static const char *load(struct engine *e, struct alu *alu, uint32_t to, uint64_t v)
{
	(void)e;
	if (to == MI_ALU_SRCA)
		alu->a = v;
	else if (to == MI_ALU_SRCB)
		alu->b = v;
	else
		return "MI_MATH loads something else than a source";
	return NULL;
}

static const char *load_gpr(struct engine *e, struct alu *alu, uint32_t to, uint32_t from,
			    bool invert)
{
	uint64_t v;

	if (from >= RING_GPR_MAX)
		return "MI_MATH loads from a register that there is not";
	v = reg_get64(e, RING_GPR(0, from));
	return load(e, alu, to, invert ? ~v : v);
}

static const char *store(struct engine *e, struct alu *alu, uint32_t to, uint32_t from, bool invert)
{
	uint64_t v;

	if (to >= RING_GPR_MAX)
		return "MI_MATH stores to a register that there is not";
	switch (from) {
	case MI_ALU_ACCU:
		v = alu->accu;
		break;
	case MI_ALU_ZF:
		v = alu->zero ? ~0ull : 0;
		break;
	case MI_ALU_CF:
		v = alu->carry ? ~0ull : 0;
		break;
	default:
		return "MI_MATH stores something else than the accumulator or a flag";
	}
	reg_set64(e, RING_GPR(0, to), invert ? ~v : v);
	return NULL;
}

static void result(struct alu *alu, uint64_t v, bool carry)
{
	alu->accu = v;
	alu->zero = !v;
	alu->carry = carry;
}

enum cs_result cs_mi_math(struct engine *e)
{
	struct alu alu = { 0 };
	const char *error = NULL;
	struct mi_math c;

	mi_math_get(e->gen, e->cs.dw, &c);
	for (unsigned int i = c.instructions; i < e->cs.len && !error; i++) {
		uint32_t dw = e->cs.dw[i];
		uint32_t a = IGEN_GET(MI_ALU_A_MASK, dw);
		uint32_t b = IGEN_GET(MI_ALU_B_MASK, dw);

		switch (IGEN_GET(MI_ALU_OP_MASK, dw)) {
		case MI_ALU_NOOP:
			break;
		case MI_ALU_LOAD:
			error = load_gpr(e, &alu, a, b, false);
			break;
		case MI_ALU_LOADINV:
			error = load_gpr(e, &alu, a, b, true);
			break;
		case MI_ALU_LOAD0:
			error = load(e, &alu, a, 0);
			break;
		case MI_ALU_LOAD1:
			error = load(e, &alu, a, ~0ull);
			break;
		case MI_ALU_ADD:
			result(&alu, alu.a + alu.b, alu.a + alu.b < alu.a);
			break;
		case MI_ALU_SUB:
			result(&alu, alu.a - alu.b, alu.a < alu.b);
			break;
		case MI_ALU_AND:
			result(&alu, alu.a & alu.b, false);
			break;
		case MI_ALU_OR:
			result(&alu, alu.a | alu.b, false);
			break;
		case MI_ALU_XOR:
			result(&alu, alu.a ^ alu.b, false);
			break;
		case MI_ALU_STORE:
			error = store(e, &alu, a, b, false);
			break;
		case MI_ALU_STOREINV:
			error = store(e, &alu, a, b, true);
			break;
		default:
			error = "MI_MATH holds an unknown ALU instruction";
			break;
		}
	}
	return cs_refuse(e, error);
}
