// SPDX-License-Identifier: MIT
/**
 * DOC: Commands that the blitter's parser shall not see
 *
 * The payload is a list of commands that read a register with a physical address and write a register that no client
 * may write. In plain sight the parser refuses it with EACCES. The attacks hide the payload in the operands of another
 * command, as the parser sees them, behind an end of the batch that the engine skips, or behind a jump.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

#define AT		(256ull << 10)
#define RESULT		(512ull << 20)
#define UNTOUCHED	0x5eed5eedu
#define MI_LOAD_SCAN_LINES(excl, n) ((0x12u + (excl)) << 23 | (n))

static void payload(struct it_batch *b)
{
	it_emit_store_reg(b, RESULT, RING_PDP_LDW(BCS0_BASE, 0));
	it_emit_store_reg(b, RESULT + 4, RING_START(BCS0_BASE));
	it_emit_load_reg(b, RING_NOPID(BCS0_BASE), UNTOUCHED);
}

/* Fills up to a dword of the batch with MI_NOOP. */
static void pad(struct it_batch *b, unsigned int upto)
{
	while (b->n < upto)
		it_emit(b, MI_NOOP);
}

/* A header whose length the engine takes from fewer bits than a careless parser. */
static void hidden(struct it_batch *b, uint32_t header, unsigned int engine_length, unsigned int parser_length)
{
	unsigned int start = b->n;

	it_emit(b, header);
	for (unsigned int i = 1; i < engine_length; i++)
		it_emit(b, 0);
	payload(b);
	pad(b, start + parser_length);
}

/* The other way round: the engine takes more than the parser, which sees the operands as commands. */
static void covered(struct it_batch *b, uint32_t header)
{
	it_emit(b, header);
	it_emit_address(b, RESULT + 2048);
	it_emit(b, 0);
	/* Long operands of a blit for the parser, the end of the store's for the engine. */
	for (unsigned int i = 0; i < 16; i++) {
		it_emit(b, 2u << 29 | 0x50u << 22 | 14);
		for (unsigned int n = 1; n < 16; n++)
			it_emit(b, 0);
	}
	it_emit(b, 2u << 29 | 0x50u << 22 | 62);
	payload(b);
	pad(b, 4 + 16 * 16 + 64);
}

#define WAYS 9
#define NEIGHBOURS 7u			/* objects with the payload, in places where the driver's copy may be */

static void build(struct attacker *a, struct it_batch *b, unsigned int way)
{
	b->n = 0;
	memset(b->bo->dw, 0, b->bo->size);
	switch (way) {
	case 0:
		payload(b);
		break;
	case 1:
		hidden(b, MI_FLUSH_DW | 0x40, 5, 69);
		break;
	case 2:
	case 3:
		hidden(b, MI_LOAD_SCAN_LINES(way - 2, 0x40), 2, 66);
		break;
	case 4:
		covered(b, MI_STORE_DATA_IMM_DW | 0x100);
		break;
	case 5:
		covered(b, MI_UPDATE_GTT(1) | 0x100);
		break;
	case 6:
		/* The end is skipped, and the object behind the copy is the client's own. */
		it_emit(b, MI_SET_PREDICATE | MI_SET_PREDICATE_ALWAYS);
		break;
	case 7:
		/* A jump into the operands of a blit. */
		it_emit(b, 2u << 29 | 0x50u << 22 | 14);
		payload(b);
		pad(b, 16);
		it_emit(b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
		it_emit_address(b, b->bo->address + 4);
		break;
	default:
		/* Any header, with the payload inside. */
		it_emit(b, attack_roll(a, 2) << 30 | attack_roll(a, 0x80) << 22 | attack_roll(a, 0x100));
		payload(b);
		pad(b, 300);
		break;
	}
	it_emit_end(b);
}

static void escape(struct attacker *a)
{
	int fd = it_open_fd(), ret;
	struct it_batch b, behind[NEIGHBOURS];
	struct it_bo page, more[NEIGHBOURS + 1];
	uint32_t ctx;

	for (unsigned int round = 0; ; round++) {
		unsigned int way = round % WAYS;

		if (it_ctx_make(fd, &ctx) || it_bo_make(fd, ATTACK_PAGE, RESULT, &page) ||
		    it_batch_make(fd, ATTACK_PAGE, (1 << 20) + AT, &b))
			return;
		/* Objects wherever the copy's neighbour may be. */
		memset(more, 0, sizeof(more));
		for (unsigned int i = 0; i < NEIGHBOURS; i++) {
			uint64_t at = AT + (round / WAYS % 8 * NEIGHBOURS + i) * ATTACK_PAGE;

			if (it_batch_make(fd, ATTACK_PAGE, at, &behind[i]))
				continue;
			payload(&behind[i]);
			it_emit_end(&behind[i]);
			more[i] = *behind[i].bo;
		}
		page.dw[0] = UNTOUCHED;
		page.dw[1] = UNTOUCHED;
		build(a, &b, way);
		more[NEIGHBOURS] = page;
		ret = attack_count(a, attack_submit(fd, ctx, I915_EXEC_BLT, &b, more, NEIGHBOURS + 1));
		if (!ret)
			it_bo_wait(b.bo, 2000000000);
		if (page.dw[0] != UNTOUCHED || page.dw[1] != UNTOUCHED)
			attack_broken(a, "the blitter has run a hidden command: way %u of round %u (%x, %x)", way,
				      round, page.dw[0], page.dw[1]);
		for (unsigned int i = 0; i < NEIGHBOURS; i++)
			it_batch_drop(&behind[i]);
		it_bo_drop(&page);
		it_batch_drop(&b);
		it_ctx_drop(fd, ctx);
	}
}

/* Batches of random commands, some valid; nothing is known of them but that the register stays. */
static void random_blits(struct attacker *a)
{
	static const uint32_t headers[] = {
		MI_NOOP, MI_ARB_CHECK, MI_FLUSH_DW, MI_STORE_DATA_IMM_DW, MI_STORE_DATA_IMM_QW,
		MI_LOAD_REGISTER_IMM(1),
		MI_LOAD_REGISTER_IMM(3), MI_STORE_REGISTER_MEM, MI_LOAD_REGISTER_MEM, MI_LOAD_REGISTER_REG,
		MI_COPY_MEM_MEM,
		MI_ATOMIC, MI_MATH(4), MI_BATCH_BUFFER_START, MI_USER_INTERRUPT,
		MI_ARB_ON_OFF, MI_STORE_DATA_INDEX,
		XY_COLOR_BLT, MI_SET_PREDICATE, MI_PREDICATE, MI_BATCH_BUFFER_END, MI_UPDATE_GTT(1),
	};
	int fd = it_open_fd();
	struct it_bo page;
	struct it_batch b;

	if (it_bo_make(fd, ATTACK_PAGE, RESULT, &page) || it_batch_make(fd, ATTACK_PAGE, AT, &b))
		return;
	for (;;) {
		b.n = 0;
		page.dw[0] = UNTOUCHED;
		for (unsigned int i = 0; i < 24; i++) {
			uint32_t header = headers[attack_roll(a, ARRAY_SIZE(headers))];
			unsigned int operands = (header & 0xff) + (header >> 28 ? 1 : 0);

			if (attack_roll(a, 4))
				header ^= 1u << attack_roll(a, 23);
			it_emit(&b, header);
			for (unsigned int n = 0; n < operands && n < 8; n++)
				it_emit(&b, attack_roll(a, 2) ? RING_PDP_LDW(BCS0_BASE, 0) : (uint32_t)RESULT);
		}
		it_emit_end(&b);
		if (!attack_count(a, attack_submit(fd, 0, I915_EXEC_BLT, &b, &page, 1)))
			it_bo_wait(b.bo, 2000000000);
	}
}

const struct attack attacks_parser[] = {
	{ "parser-escape", 1, 0, escape },
	{ "parser-random", 1, 0, random_blits },
	{ 0 }
};
