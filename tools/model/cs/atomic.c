// SPDX-License-Identifier: MIT
/**
 * DOC: MI_ATOMIC
 *
 * A read-modify-write of 4, 8 or 16 bytes in memory, atomic against the CPU and the other engines,
 * with operands from the stream or from GPR0 to 3, and the old value to GPR4 and 5 if wanted (DG1
 * Vol 2a, "MI_ATOMIC"; opcodes: public Gen9 PRM Vol 7, "Atomics").
 */
#include <string.h>

#include "cs/cs.h"
#include "igen/cmd/mi.h"
#include "neutral_mi.h"

static __uint128_t truncate(__uint128_t v, unsigned int bits)
{
	return bits == 128 ? v : v & (((__uint128_t)1 << bits) - 1);
}

/* As signed numbers. */
static bool less(__uint128_t a, __uint128_t b, unsigned int bits)
{
	__uint128_t sign = (__uint128_t)1 << (bits - 1);

	return truncate(a ^ sign, bits) < truncate(b ^ sign, bits);
}

static bool operate(unsigned int op, unsigned int bits, __uint128_t old, __uint128_t a,
		    __uint128_t b, __uint128_t *v)
{
	switch (op) {
	case MI_ATOMIC_AND:
		*v = old & a;
		break;
	case MI_ATOMIC_OR:
		*v = old | a;
		break;
	case MI_ATOMIC_XOR:
		*v = old ^ a;
		break;
	case MI_ATOMIC_MOVE:
		*v = a;
		break;
	case MI_ATOMIC_INC:
		*v = old + 1;
		break;
	case MI_ATOMIC_DEC:
	case MI_ATOMIC_PREDEC:
		*v = old - 1;
		break;
	case MI_ATOMIC_ADD:
		*v = old + a;
		break;
	case MI_ATOMIC_SUB:
		*v = old - a;
		break;
	case MI_ATOMIC_RSUB:
		*v = a - old;
		break;
	case MI_ATOMIC_IMAX:
		*v = less(old, a, bits) ? a : old;
		break;
	case MI_ATOMIC_IMIN:
		*v = less(a, old, bits) ? a : old;
		break;
	case MI_ATOMIC_UMAX:
		*v = old < a ? a : old;
		break;
	case MI_ATOMIC_UMIN:
		*v = a < old ? a : old;
		break;
	case MI_ATOMIC_CMPWR:
		*v = old == a ? b : old;
		break;
	default:
		return false;
	}
	*v = truncate(*v, bits);
	return true;
}

/* Inline operands alternate, a dword of the first and one of the second. */
static __uint128_t operand(struct engine *e, const struct mi_atomic *c, unsigned int which, unsigned int bytes)
{
	struct cs *cs = &e->cs;
	__uint128_t v = 0;

	if (!c->inline_data) {
		v = reg_get64(e, RING_GPR(0, 2 * which + 1));
		v = v << 64 | reg_get64(e, RING_GPR(0, 2 * which));
		return truncate(v, bytes * 8);
	}
	for (unsigned int i = 0; i < bytes / 4 && c->operands + which + 2 * i < cs->len; i++)
		v |= (__uint128_t)cs->dw[c->operands + which + 2 * i] << (32 * i);
	return v;
}

/*
 * As the operation behind a flush there are at most two dwords: a qword, or two dwords to compare
 * and write.
 */
static __uint128_t post_sync_operand(const struct mi_atomic *c, unsigned int which, unsigned int bytes,
				     unsigned int op)
{
	uint32_t low = c->operand1_data_dword_0, high = c->operand2_data_dword_0;

	if (op == MI_ATOMIC_CMPWR)
		return which ? high : low;
	return which ? 0 : bytes == 8 ? (uint64_t)high << 32 | low : low;
}

static const char *execute(struct engine *e, const struct mi_atomic *c)
{
	unsigned int code = c->atomic_opcode, size = c->data_size;
	unsigned int bytes = 4u << size;
	unsigned int op = code & 0x1f;
	/* In a batch without privilege the bit is taken for clear. */
	struct vm_ref vm = cs_vm(e, c->memory_type && cs_ggtt_bit_counts(e));
	uint64_t addr = c->memory_address & IGEN_MASK64(47, 2) & ~(bytes - 1ull);
	bool post_sync = c->post_sync_operation && e->info->class == ENGINE_RENDER;
	__uint128_t a, b, old = 0, v;
	bool swapped;

	if (size == 3 || code - op != size * MI_ATOMIC_8B)
		return "MI_ATOMIC with an opcode that does not fit its data size";
	if (post_sync) {
		if (bytes == 16 || !c->inline_data)
			return "MI_ATOMIC as a post-sync operation without inline data";
		a = post_sync_operand(c, 0, bytes, op);
		b = post_sync_operand(c, 1, bytes, op);
	} else {
		a = operand(e, c, 0, bytes);
		b = operand(e, c, 1, bytes);
	}
	/* Another writer makes it start over, for as long as that one likes: a reset ends it. */
	do {
		if (engine_requests(e) & (ENGINE_RESET | ENGINE_QUIT))
			return NULL;
		if (!vm_read(&e->view, &vm, addr, &old, bytes)) {
			gpu_page_fault(e->gpu, e->info, &vm, addr, PAGE_FAULT_WRITE);
			break;
		}
		if (!operate(op, bytes * 8, old, a, b, &v))
			return "MI_ATOMIC with an unknown opcode";
		if (!vm_compare_exchange(&e->view, &vm, addr, bytes, &old, &v, &swapped)) {
			gpu_page_fault(e->gpu, e->info, &vm, addr, view_page_fault(&e->view, true));
			break;
		}
	} while (!swapped);

	if (c->return_data_control && !post_sync) {
		if (bytes == 4)
			reg_set(e, RING_GPR(0, 4), (uint32_t)old);
		else
			reg_set64(e, RING_GPR(0, 4), (uint64_t)old);
		if (bytes == 16)
			reg_set64(e, RING_GPR(0, 5), (uint64_t)(old >> 64));
	}
	return NULL;
}

enum cs_result cs_mi_atomic(struct engine *e)
{
	struct mi_atomic c;

	mi_atomic_get(e->gen, e->cs.dw, &c);
	return cs_refuse(e, execute(e, &c));
}
