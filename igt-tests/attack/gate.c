// SPDX-License-Identifier: MIT
/**
 * DOC: Privileged commands in an unprivileged batch
 *
 * The batches have commands with the bit for the global GTT, writes of registers that are not on the hardware's list,
 * and jumps that ask for privilege. The hardware (here the model) does not execute them. The driver must survive the
 * errors that the engine then raises.
 */
#include <unistd.h>

#include "attack.h"

#define AT	(256ull << 20)
#define RESULT	(512ull << 20)
#define SECRET	0x5ec2e7u

/* Loads from the GGTT into a register of the context's own, which has to keep its value. */
static void ggtt_loads(struct it_batch *b, uint32_t base, uint32_t address)
{
	it_emit_load_reg(b, RING_GPR(base, 0), SECRET);
	it_emit(b, MI_LOAD_REGISTER_MEM | MI_MEM_GGTT);
	it_emit(b, RING_GPR(base, 0));
	it_emit_address(b, address);
	it_emit_store_reg(b, RESULT, RING_GPR(base, 0));
}

static void ggtt_stores(struct it_batch *b, unsigned int ring, uint32_t address)
{
	it_emit(b, MI_STORE_DATA_IMM_DW | MI_SDI_GGTT);
	it_emit_address(b, address);
	it_emit(b, 0xdeadu);
	it_emit(b, MI_STORE_REGISTER_MEM | MI_MEM_GGTT);
	it_emit(b, RING_TIMESTAMP(attack_ring_base(ring)));
	it_emit_address(b, address);
	it_emit(b, MI_ATOMIC | MI_ATOMIC_GGTT | MI_ATOMIC_INC << 8);
	it_emit_address(b, address);
	it_emit(b, MI_COPY_MEM_MEM | MI_COPY_DST_GGTT);
	it_emit_address(b, address);
	it_emit_address(b, RESULT);
	it_emit(b, MI_UPDATE_GTT(1));
	it_emit(b, address);
	it_emit_address(b, 0x1003u);
	if (ring) {
		it_emit(b, MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW);
		it_emit_address(b, address | MI_FLUSH_DW_GGTT);
		it_emit_address(b, 0xdeadu);
	} else {
		it_emit(b, PIPE_CONTROL);
		it_emit(b, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_GGTT);
		it_emit_address(b, address & ~7u);
		it_emit_address(b, 0xdeadu);
	}
}

/* What one batch needs. The file is a new one now and then, since contexts that raise errors are banned. */
struct shot {
	int fd;
	unsigned int left;
	struct it_bo page;
	struct it_batch b;
};

static int shot_begin(struct shot *s)
{
	if (!s->left--) {
		if (s->fd > 0)
			close(s->fd);
		s->fd = it_open_fd();
		s->left = 8;
	}
	return it_bo_make(s->fd, ATTACK_PAGE, RESULT, &s->page) ?: it_batch_make(s->fd, 2 * ATTACK_PAGE, AT, &s->b);
}

static void shot_end(struct shot *s)
{
	it_bo_drop(&s->page);
	it_batch_drop(&s->b);
}

/* Submits and waits: 0 when the batch has ended. */
static int shot_fire(struct attacker *a, struct shot *s, uint32_t ctx, unsigned int ring)
{
	int ret;

	it_emit_end(&s->b);
	ret = attack_count(a, attack_submit(s->fd, ctx, attack_rings[ring], &s->b, &s->page, 1));
	return ret ?: it_bo_wait(s->b.bo, 2000000000);
}

static void ggtt(struct attacker *a)
{
	struct shot s = { 0 };

	for (;; shot_end(&s)) {
		unsigned int ring = attack_roll(a, ATTACK_RINGS);
		uint32_t address = attack_roll(a, 1 << 20) * ATTACK_PAGE + attack_roll(a, 64) * 64;

		if (shot_begin(&s))
			continue;
		s.page.dw[0] = SECRET;
		if (attack_roll(a, 2))
			ggtt_loads(&s.b, attack_ring_base(ring), address);
		else
			ggtt_stores(&s.b, ring, address);
		if (!shot_fire(a, &s, 0, ring) && s.page.dw[0] != SECRET)
			attack_broken(a, "engine %u has read %x of the GGTT at %x", ring, s.page.dw[0], address);
	}
}

static void registers(struct attacker *a)
{
	static const uint32_t offsets[] = {
		0x30, 0x34, 0x38, 0x3c, 0x80, 0xa8, 0xb4, 0xd0, 0x230, 0x234, 0x29c, 0x4d0, 0x4f4
	};
	struct shot s = { 0 };

	for (;; shot_end(&s)) {
		unsigned int ring = attack_roll(a, ATTACK_RINGS);
		uint32_t base = attack_ring_base(ring), offset = base + offsets[attack_roll(a, ARRAY_SIZE(offsets))];

		if (shot_begin(&s))
			continue;
		it_emit_load_reg(&s.b, RING_GPR(base, 1), 0xffffffffu);
		switch (attack_roll(a, 4)) {
		case 0:
			it_emit_load_reg(&s.b, offset, attack_roll(a, 1 << 30));
			break;
		case 1:
			it_emit(&s.b, MI_LOAD_REGISTER_MEM);
			it_emit(&s.b, offset);
			it_emit_address(&s.b, RESULT);
			break;
		case 2:
			it_emit(&s.b, MI_LOAD_REGISTER_REG);
			it_emit(&s.b, RING_GPR(base, 1));
			it_emit(&s.b, offset);
			break;
		default:
			it_emit(&s.b, MI_ARB_ON_OFF | MI_ARB_DISABLE);
			it_emit(&s.b, MI_BATCH_BUFFER_START);	/* asks for the GGTT, and privilege with it */
			it_emit_address(&s.b, AT + 128);
			while (s.b.n < 32)
				it_emit(&s.b, MI_NOOP);
			it_emit_load_reg(&s.b, offset, 0x12345678u);
			break;
		}
		shot_fire(a, &s, 0, ring);
	}
}

/* What stands in registers of this client is not another client's: each context begins with zeros. */
static void residue(struct attacker *a)
{
	struct shot s = { 0 };
	uint32_t ctx;

	for (;; shot_end(&s)) {
		unsigned int ring = attack_roll(a, ATTACK_RINGS);
		uint32_t base = attack_ring_base(ring);

		if (shot_begin(&s) || it_ctx_make(s.fd, &ctx))
			continue;
		for (unsigned int i = 0; i < 2 * RING_GPR_MAX && ring != 1; i++)
			it_emit_store_reg(&s.b, RESULT + 4 * i, RING_GPR(base, 0) + 4 * i);
		for (unsigned int i = 0; i < RING_GPR_MAX && ring != 1; i++)
			it_emit_load_reg(&s.b, RING_GPR(base, i), SECRET);
		if (!shot_fire(a, &s, ctx, ring))
			for (unsigned int i = 0; i < 2 * RING_GPR_MAX; i++)
				if (s.page.dw[i])
					attack_broken(a, "a new context on engine %u finds %x in its registers", ring,
						      s.page.dw[i]);
		it_ctx_drop(s.fd, ctx);
	}
}

const struct attack attacks_gate[] = {
	{ "gate-ggtt", 1, 0, ggtt },
	{ "gate-registers", 1, 0, registers },
	{ "gate-residue", 1, 0, residue },
	{ 0 }
};
