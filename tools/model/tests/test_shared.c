// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of the shared functions: messages of programs without the program
 *
 * Each message is built as the manuals lay out its descriptor and payload (public Gen9 PRM Vol 7, "Data Port
 * Messages"; SNB Vol 4 Part 1, 3.9) and executed by itself. What it does to memory is compared with what a loop here
 * does.
 */
#include <math.h>

#include "message_bench.h"

static void owords(void)
{
	begin("platform=kbl");
	buffer(0, LEN);
	fresh(16);
	payload[2] = 3;
	check(send(DC0, DESC(1, 1, 1, 2 << 8)) == EU_DONE && response[0] == 0x1000000 + 12 &&
	      response[7] == 0x1000000 + 19,
	      "two OWords are read from an offset in OWords");
	check(fresh_response(8, 8), "and no more");
	fresh(16);
	payload[2] = 3;
	check(send(DC0, DESC(1, 1, 1, 1 << 8)) == EU_DONE && fresh_response(0, 4) && response[4] == 0x1000000 + 12,
	      "a single one goes to the upper half");
	fresh(16);
	payload[2] = 20;
	check(send(DC0, DESC(1, 2, 1, 1 << 14 | 3 << 8)) == EU_DONE && response[0] == 0x1000000 + 5 &&
	      response[15] == 0x1000000 + 20, "four from an offset in bytes");
	fresh(16);
	payload[2] = LEN / 16 - 1;
	check(send(DC0, DESC(1, 1, 1, 2 << 8)) == EU_DONE && response[3] == 0x1000000 + LEN / 4 - 1 && !response[4],
	      "beyond the surface's end there is 0");
	fresh(8);
	payload[2] = 2;
	for (unsigned int i = 0; i < 8; i++)
		payload[8 + i] = 0x77 + i;
	exec_mask = 0x81;
	check(send(DC0, DESC(2, 0, 1, 8 << 14 | 2 << 8)) == EU_DONE && get(BUFFER + 32) == 0x77 &&
	      get(BUFFER + 36) == 0x1000009 && get(BUFFER + 60) == 0x7e,
	      "a write obeys the execution mask by dwords");
	fresh(16);
	payload[2] = LEN / 16 - 1;
	memset(payload + 8, 0x55, 32);
	check(send(DC0, DESC(2, 0, 1, 8 << 14 | 2 << 8)) == EU_DONE && get(BUFFER + LEN - 4) == 0x55555555 &&
	      !get(BUFFER + LEN), "and stops at the surface's end");
	fresh(16);
	payload[2] = 1;
	check(send(9, DESC(1, 1, 1, 2 << 8)) == EU_DONE && response[0] == 0x1000000 + 4,
	      "the constant cache reads the same");
	check(is_bad(DC0, DESC(2, 0, 1, 8 << 14 | 3 << 8), "less data"), "a write with too little data is a fault");
	check(is_bad(DC0, DESC(1, 1, 0, 2 << 8), "without a header"), "so is one without a header");
	check(is_bad(DC0, DESC(1, 1, 1, 7 << 8), "reserved block size"), "and one of a size that there is not");
	fresh(16);
	payload[0] = (uint32_t)(VA + BUFFER + 4);
	check(send(DC1, DESC(1, 1, 1, 20 << 14 | 1 << 11 | 2 << 8)) == EU_DONE && response[0] == 0x1000000 + 1,
	      "A64: an unaligned block is at a dword");
	fresh(16);
	payload[0] = (uint32_t)(VA + BUFFER + 64);
	memset(payload + 8, 0x66, 64);
	check(send(DC1, DESC(3, 0, 1, 21 << 14 | 3 << 11 | 1 << 8)) == EU_DONE && get(BUFFER + 64) == 0x66666666 &&
	      get(BUFFER + 124) == 0x66666666 && get(BUFFER + 128) == 0x1000000 + 32, "A64: a block of two registers");
	end();
}

static void scattered(void)
{
	uint32_t sum = 0;

	begin("platform=kbl");
	buffer(0, LEN);
	fresh(16);
	for (uint32_t i = 0; i < 16; i++)
		payload[i] = 15 - i;
	exec_mask = 0xfffe;
	check(send(DC0, DESC(2, 2, 0, 3 << 14 | 3 << 8)) == EU_DONE && fresh_response(0, 1) &&
	      response[1] == 0x1000000 + 14 && response[15] == 0x1000000,
	      "dword scattered: offsets in dwords, and a channel that is off keeps its part");
	fresh(8);
	for (uint32_t i = 0; i < 8; i++) {
		payload[i] = 0x100 + 8 * i;
		payload[8 + i] = 0xa0 + i;
	}
	check(send(DC0, DESC(2, 0, 0, 11 << 14 | 2 << 8)) == EU_DONE && get(BUFFER + 0x400) == 0xa0 &&
	      get(BUFFER + 0x400 + 7 * 32) == 0xa7 && get(BUFFER + 0x404) == 0x1000000 + 0x101,
	      "dword scattered write");
	fresh(16);
	for (uint32_t i = 0; i < 16; i++)
		payload[i] = 4 * i + 3;
	check(send(DC0, DESC(2, 2, 0, 4 << 14 | 1 << 8)) == EU_DONE && response[0] == 1 && response[15] == 1,
	      "byte scattered: bytes, with zeros above");
	fresh(8);
	for (uint32_t i = 0; i < 8; i++) {
		payload[i] = 0x200 + 2 * i;
		payload[8 + i] = 0xffff0000 + i;
	}
	check(send(DC0, DESC(2, 0, 0, 12 << 14 | 1 << 10)) == EU_DONE && get(BUFFER + 0x200) == 0x10000 &&
	      get(BUFFER + 0x20c) == 0x70006, "byte scattered: words are written");
	fresh(8);
	for (uint32_t i = 0; i < 8; i++) {
		payload[2 * i] = (uint32_t)(VA + BUFFER + 0x300 + 16 * i);
		sum += 0x1000000 + 0xc0 + 4 * i + 1;
	}
	check(send(DC1, DESC(2, 2, 0, 16 << 14 | 1 << 8 | 1 << 10)) == EU_DONE && response[0] == 0x1000000 + 0xc0 &&
	      response[8] == 0x1000000 + 0xc1, "A64 scattered: two dwords for each channel, in a block each");
	for (uint32_t i = 0; i < 8; i++)
		sum -= response[8 + i];
	check(!sum, "of all channels");
	fresh(16);
	for (uint32_t i = 0; i < 16; i++) {
		payload[2 * i] = (uint32_t)(VA + BUFFER + 0x800 + 8 * i);
		second[2 * i] = i;
		second[2 * i + 1] = ~i;
	}
	second_length = 4;
	check(send(DC1, DESC(4, 0, 0, 26 << 14 | 2 << 8 | 1 << 12)) == EU_DONE && get(BUFFER + 0x808) == 1 &&
	      get(BUFFER + 0x87c) == ~15u, "A64 scattered: qwords from the second payload");
	check(is_bad(DC1, DESC(4, 0, 0, 26 << 14 | 3 << 8), "data size"), "a reserved data size is a fault");
	end();
}

/* A message with an address for each channel. */
struct pieces {
	unsigned int target, control;	/* of its descriptor */
	unsigned int n, address;	/* channels, and bytes of the address of each */
	unsigned int size, slot;	/* bytes of an element in memory, and in the registers */
	uint32_t elements;		/* bit e: element e is accessed */
	uint64_t limit;			/* bytes that there are */
	bool write, local;
	uint32_t offset[16];		/* of the channels, from where the space begins */
};

static uint32_t number(uint32_t end)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % end;
}

/* By descriptor: dword scattered, byte scattered, A64 scattered, untyped and A64 untyped, read and written. */
static void random_message(struct pieces *p)
{
	unsigned int wide = number(2), kind = number(5), code = number(kind == 2 ? 3 : kind == 1 ? 3 : 16);
	unsigned int several = number(code == 2 ? 2 : 3), a64 = kind == 2 || kind == 4;

	*p = (struct pieces){
		.target = kind < 2 ? DC0 : DC1, .n = wide ? 16 : 8, .address = a64 ? 8 : 4, .size = 4, .slot = 4,
		.elements = 1, .write = number(2), .local = !a64 && number(2), .limit = a64 ? UINT64_MAX : LEN,
	};
	p->control = p->local ? 254 : 0;
	switch (kind) {
	case 0:
		p->control |= (p->write ? 11 : 3) << 14 | (wide ? 3 : 2) << 8;
		break;
	case 1:
		p->control |= (p->write ? 12 : 4) << 14 | code << 10 | wide << 8;
		p->size = 1u << code;
		break;
	case 2:
		p->control = (p->write ? 26u : 16u) << 14 | code << 8 | several << 10 | wide << 12;
		p->size = code ? 4 * code : 1u << several;
		p->slot = code ? 4 * code : 4;
		p->elements = code ? (1u << (1u << several)) - 1 : 1;
		break;
	default:
		p->control |= (p->write ? (a64 ? 25u : 9u) : (a64 ? 17u : 1u)) << 14 | (wide ? 1 : 2) << 12 | code << 8;
		p->elements = ~code & 15;
		break;
	}
}

/* Together, at a distance, anywhere, or all in one place; at times beyond the end. */
static void random_offsets(struct pieces *p, unsigned int unit)
{
	uint32_t first = number(LEN + 64), pattern = number(4);

	for (unsigned int i = 0; i < p->n; i++) {
		uint32_t at = pattern == 0 ? first + i * p->size : pattern == 1 ? first + i * p->size * 4 :
			      pattern == 2 ? number(LEN + 64) : first;

		p->offset[i] = at / unit * unit;
		if (p->address == 8)
			((uint64_t *)payload)[i] = VA + BUFFER + p->offset[i];
		else
			payload[i] = p->offset[i] / (p->target == DC0 && !(p->control >> 14 & 4) ? 4 : 1);
	}
}

/* What the message does, byte by byte. */
static void expect(const struct pieces *p, uint8_t *memory, uint8_t *answer)
{
	uint8_t *slot = p->write ? (uint8_t *)payload + p->n * p->address : answer;

	for (unsigned int e = 0; p->elements >> e; e++) {
		for (unsigned int i = 0; i < p->n && p->elements >> e & 1; i++, slot += p->slot) {
			uint32_t at = p->offset[i] + e * p->size;

			if (!(exec_mask >> i & 1))
				continue;
			if (!p->write)
				memset(slot, 0, p->slot);
			for (unsigned int b = 0; b < p->size; b++) {
				if (at + b < p->limit && p->write)
					memory[at + b] = slot[b];
				else if (at + b < p->limit)
					slot[b] = memory[at + b];
			}
		}
	}
}

/* The first time no page is known, so that each element is looked for by itself. */
static bool as_expected(const struct pieces *p, bool known)
{
	static uint8_t memory[3 * 4096], answer[sizeof(response)];
	uint8_t *there = p->local ? slm : ram + BUFFER;
	unsigned int data = (unsigned int)__builtin_popcount(p->elements) * p->n * p->slot;

	if (!known)
		tlb_invalidate(gpu->engine[RCS0]->tlb, true, true);
	memset(response, 0xee, sizeof(response));
	for (unsigned int i = p->n * p->address / 4; i < ARRAY_SIZE(payload); i++)
		payload[i] = number(1u << 24);
	memcpy(memory, there, sizeof(memory));
	memcpy(answer, response, sizeof(answer));
	expect(p, memory, answer);
	return send(p->target, DESC((p->n * p->address + (p->write ? data : 0)) / 32, p->write ? 0 : data / 32, 0,
				    p->control)) == EU_DONE &&
	       !memcmp(there, memory, sizeof(memory)) && !memcmp(response, answer, sizeof(answer));
}

static void random_pieces(void)
{
	bool same[2] = { true, true };
	struct pieces p;

	begin("platform=kbl");
	buffer(0, LEN);
	for (unsigned int i = 0; i < 3000; i++) {
		random_message(&p);
		fresh(p.n);
		random_offsets(&p, p.target == DC0 && !(p.control >> 14 & 4) ? 4 : number(2) ? 4 : 1);
		if (number(2))
			exec_mask &= number(1u << 16);
		for (unsigned int known = 0; known < 2; known++)
			same[known] &= as_expected(&p, known);
	}
	check(same[0], "messages with an address for each channel do what a loop over their bytes does");
	check(same[1], "and the same again when the pages of their data are known");
	end();
}

static void untyped(void)
{
	struct gen9_render_surface_state structured = {
		.surface_type = 5, .surface_format = 0x1ff, .surface_base_address = VA + BUFFER, .width = 3,
		.surface_pitch = 15,
	};

	begin("platform=kbl");
	buffer(3, 64);
	fresh(8);
	for (uint32_t i = 0; i < 8; i++)
		payload[i] = 8 * i;
	/* x and z. */
	check(send(DC1, DESC(1, 2, 0, 1 << 14 | 2 << 12 | 10 << 8 | 3)) == EU_DONE && response[1] == 0x1000000 + 2 &&
	      response[9] == 0x1000000 + 4, "untyped: the enabled channels follow each other");
	check(response[7] == 0x1000000 + 14 && !response[15], "beyond the buffer there is 0");
	fresh(16);
	for (uint32_t i = 0; i < 16; i++) {
		payload[i] = 4 * i;
		payload[16 + i] = 0x500 + i;
	}
	exec_mask = 0x7fff;
	check(send(DC1, DESC(4, 0, 0, 9 << 14 | 1 << 12 | 14 << 8 | 3)) == EU_DONE && get(BUFFER + 56) == 0x50e &&
	      get(BUFFER + 60) == 0x1000000 + 15, "untyped: sixteen channels write but for one that is off");
	fresh(8);
	for (uint32_t i = 0; i < 8; i++)
		payload[i] = 4 * i;
	check(send(DC1, DESC(1, 1, 0, 1 << 14 | 2 << 12 | 14 << 8 | 254)) == EU_DONE && !response[0],
	      "254 is the shared local memory");
	fresh(8);
	payload[0] = 4092;
	payload[1] = 4096;
	payload[8] = 9;
	payload[9] = 9;
	exec_mask = 3;
	check(send(DC1, DESC(2, 0, 0, 9 << 14 | 2 << 12 | 14 << 8 | 254)) == EU_DONE && slm[4092] == 9 && !slm[4096],
	      "of which the group has what it was given");
	fresh(8);
	for (uint32_t i = 0; i < 8; i++)
		payload[i] = BUFFER + 0x100 + 4 * i;
	check(send(DC1, DESC(1, 1, 0, 1 << 14 | 2 << 12 | 14 << 8 | 255)) == EU_DONE && response[7] == 0x1000000 + 0x47,
	      "255 counts from the general state base");
	fresh(8);
	for (uint32_t i = 0; i < 8; i++)
		payload[2 * i] = (uint32_t)(VA + BUFFER + 0x200 + 16 * i);
	check(send(DC1, DESC(2, 4, 0, 17 << 14 | 2 << 12)) == EU_DONE && response[1] == 0x1000000 + 0x84 &&
	      response[25] == 0x1000000 + 0x87, "A64 untyped");
	picture(4, structured);
	fresh(8);
	for (uint32_t i = 0; i < 8; i++) {
		payload[i] = i;
		payload[8 + i] = 4;
	}
	check(send(DC1, DESC(2, 1, 0, 1 << 14 | 2 << 12 | 14 << 8 | 4)) == EU_DONE && response[3] == get(BUFFER + 52) &&
	      !response[4], "a structured buffer has an index and an offset");
	check(is_bad(DC1, DESC(1, 1, 0, 1 << 14 | 14 << 8 | 3), "SIMD4x2"), "SIMD4x2 is a fault");
	check(is_bad(DC1, DESC(0, 1, 0, 1 << 14 | 1 << 12 | 14 << 8 | 3), "too short"), "so is no payload");
	end();
}

static uint32_t atomic(unsigned int op, uint32_t a, uint32_t b)
{
	fresh(8);
	exec_mask = 1;
	payload[8] = a;
	payload[16] = b;
	return send(DC1, DESC(3, 1, 0, 2 << 14 | 1 << 13 | 1 << 12 | op << 8 | 3)) == EU_DONE ? response[0] : ~0u;
}

static void atomics(void)
{
	static const struct {
		unsigned int op;
		uint32_t old, a, b, new;
	} c[] = {
		{ 1, 0xff, 0x0f, 0, 0x0f }, { 2, 0xf0, 0x0f, 0, 0xff }, { 3, 0xff, 0x0f, 0, 0xf0 }, { 4, 1, 9, 0, 9 },
		{ 5, ~0u, 0, 0, 0 }, { 6, 0, 0, 0, ~0u }, { 7, 5, 6, 0, 11 }, { 8, 5, 6, 0, ~0u }, { 9, 5, 6, 0, 1 },
		{ 10, ~0u, 1, 0, 1 }, { 11, 1, ~0u, 0, ~0u }, { 12, ~0u, 1, 0, ~0u }, { 13, ~0u, 1, 0, 1 },
		{ 14, 4, 4, 8, 8 }, { 14, 5, 4, 8, 5 },
	};
	float f;

	begin("platform=kbl");
	buffer(3, 64);
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		put(BUFFER, c[i].old);
		check(atomic(c[i].op, c[i].a, c[i].b) == c[i].old && get(BUFFER) == c[i].new,
		      "atomic operation %u of %x and %x",
		      c[i].op, c[i].old, c[i].a);
	}
	put(BUFFER, 5);
	check(atomic(15, 0, 0) == 4 && get(BUFFER) == 4, "predec gives what it left");
	fresh(16);
	for (unsigned int i = 0; i < 16; i++)
		payload[16 + i] = i;
	put(BUFFER, 0);
	check(send(DC1, DESC(4, 2, 0, 2 << 14 | 1 << 13 | 7 << 8 | 3)) == EU_DONE && get(BUFFER) == 120 &&
	      response[15] == 105,
	      "sixteen channels add to one dword, one after the other");
	fresh(8);
	exec_mask = 1;
	payload[0] = 64;
	check(send(DC1, DESC(2, 1, 0, 2 << 14 | 1 << 13 | 1 << 12 | 7 << 8 | 3)) == EU_DONE && !response[0] &&
	      get(BUFFER + 64) == 0x1000010, "beyond the buffer nothing is added");
	fresh(8);
	exec_mask = 1;
	payload[0] = (uint32_t)(VA + BUFFER + 8);
	payload[16] = 1;
	payload[17] = 2;
	put(BUFFER + 8, ~0u);
	put(BUFFER + 12, 1);
	check(send(DC1, DESC(4, 2, 0, 18 << 14 | 1 << 13 | 1 << 12 | 7 << 8)) == EU_DONE &&
	      get64(BUFFER + 8) == 0x400000000ull && response[1] == 1, "A64: a qword is added");
	f = 1.5f;
	fresh(8);
	exec_mask = 1;
	memcpy(&payload[8], &f, 4);
	put(BUFFER, 0x3f800000);
	check(send(DC1, DESC(2, 1, 0, 27 << 14 | 1 << 13 | 1 << 12 | 1 << 8 | 3)) == EU_DONE &&
	      get(BUFFER) == 0x3fc00000,
	      "the greater of two floats");
	check(is_bad(DC1, DESC(2, 1, 0, 2 << 14 | 1 << 13 | 1 << 12 | 3), "not modelled"),
	      "operation 0 is not modelled");
	end();
}

/* A byte of a picture whose bytes a loop placed. */
static uint32_t in_picture(enum tiling tiling, uint32_t x, uint32_t y, uint32_t pitch)
{
	return BUFFER + (uint32_t)tiled_offset(tiling, x, y, pitch);
}

static void media_blocks(void)
{
	static const struct {
		enum tiling tiling;
		uint32_t mode, pitch;
		const char *name;
	} c[] = { { TILING_LINEAR, 0, 128, "linear" }, { TILING_X, 2, 512, "X" }, { TILING_Y, 3, 128, "Y" } };
	struct gen9_render_surface_state s = {
		.surface_type = 1, .surface_format = 0x140, .surface_base_address = VA + BUFFER, .width = 15,
		.height = 63,
	};

	begin("platform=kbl");
	for (size_t k = 0; k < ARRAY_SIZE(c); k++) {
		unsigned int wrong = 0, n = 0;

		memset(ram + BUFFER, 0, 0x10000);
		s.tile_mode = c[k].mode;
		s.surface_pitch = c[k].pitch - 1;
		picture(1, s);
		fresh(16);
		payload[0] = 8;
		payload[1] = 40;
		payload[2] = 7 << 16 | 23;
		for (unsigned int i = 0; i < 8 * 32; i++)
			((uint8_t *)payload)[32 + i] = (uint8_t)(i % 32 + i / 32);
		check(send(DC1, DESC(9, 0, 1, 10 << 14 | 1)) == EU_DONE, "%s: a media block of 24 x 8 is written",
		      c[k].name);
		for (uint32_t y = 0; y < 64; y++) {
			for (uint32_t x = 0; x < 64; x++) {
				uint8_t is = ram[in_picture(c[k].tiling, x, y, c[k].pitch)];
				bool inside = x >= 8 && x < 32 && y >= 40 && y < 48;

				wrong += is != (inside ? x - 8 + y - 40 : 0);
				n += is != 0;
			}
		}
		check(!wrong && n == 24 * 8 - 1, "%s: and nothing else (%u wrong, %u set)", c[k].name, wrong, n);
		fresh(16);
		payload[0] = 8;
		payload[1] = 40;
		payload[2] = 7 << 16 | 23;
		check(send(DC1, DESC(1, 8, 1, 4 << 14 | 1)) == EU_DONE && !((uint8_t *)response)[0] &&
		      ((uint8_t *)response)[32 * 7 + 23] == 30 && ((uint8_t *)response)[1] == 1, "%s: and read",
		      c[k].name);
	}
	/* At the edges; the surface is the Y tiled one. */
	fresh(16);
	payload[0] = (uint32_t)-4;
	payload[1] = 62;
	payload[2] = 3 << 16 | 7;
	memset(payload + 8, 0x99, 32);
	check(send(DC1, DESC(2, 0, 1, 10 << 14 | 1)) == EU_DONE && ram[in_picture(TILING_Y, 3, 63, 128)] == 0x99 &&
	      !ram[in_picture(TILING_Y, 4, 63, 128)] && !ram[in_picture(TILING_Y, 0, 64, 128)] &&
	      !ram[in_picture(TILING_Y, 124, 62, 128)], "what a block has beyond the picture is dropped");
	ram[in_picture(TILING_Y, 63, 63, 128)] = 0x42;
	fresh(16);
	payload[0] = 60;
	payload[1] = 63;
	payload[2] = 1 << 16 | 7;
	check(send(DC1, DESC(1, 1, 1, 4 << 14 | 1)) == EU_DONE && response[1] == 0x42424242 &&
	      response[3] == 0x42424242,
	      "a read has the edge's there");
	s.surface_type = 4;
	picture(1, s);
	check(is_bad(DC1, DESC(1, 1, 1, 4 << 14 | 1), "no 2D picture"), "a buffer has no media blocks");
	end();
}

/* Writes one element of a format and reads it back: the four channels. */
static void through_format(uint32_t format, const uint32_t in[4], uint32_t out[4])
{
	struct gen9_render_surface_state s = {
		.surface_type = 1, .surface_format = format, .surface_base_address = VA + BUFFER, .width = 15,
		.height = 15,
		.surface_pitch = 511,
	};

	picture(2, s);
	memset(ram + BUFFER, 0, 0x4000);
	fresh(8);
	exec_mask = 4;
	payload[2] = 5;
	payload[10] = 3;
	for (unsigned int i = 0; i < 4; i++)
		payload[16 + 8 * i + 2] = in[i];
	if (send(DC1, DESC(6, 0, 0, 13 << 14 | 1 << 12 | 2)) != EU_DONE)
		exit(2);
	fresh(8);
	exec_mask = 4;
	payload[2] = 5;
	payload[10] = 3;
	if (send(DC1, DESC(2, 4, 0, 5 << 14 | 1 << 12 | 2)) != EU_DONE)
		exit(2);
	for (unsigned int i = 0; i < 4; i++)
		out[i] = response[8 * i + 2];
}

static bool same(uint32_t format, const uint32_t in[4], uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	const uint32_t want[4] = { a, b, c, d };
	uint32_t out[4];

	through_format(format, in, out);
	return !memcmp(out, want, sizeof(want));
}

/* Another writer turns bits of a dword as soon as a message has read it. */
static struct {
	uint32_t *dword, bits;
	uint64_t addr;
} beside;

bool __wrap_vm_read(struct view *v, const struct vm_ref *vm, uint64_t addr, void *buf, size_t len)
{
	bool there = __real_vm_read(v, vm, addr, buf, len);

	/* Once, since an atomic operation reads again. */
	if (beside.dword && addr < beside.addr + 4 && beside.addr < addr + len) {
		__atomic_fetch_xor(beside.dword, beside.bits, __ATOMIC_ACQ_REL);
		beside.dword = NULL;
	}
	return there;
}

/* Writes all bits of a channel of the second element. False: they are not set, or what the other writer did is lost. */
static bool writes_alone(uint32_t format, unsigned int channel, uint32_t full, uint32_t bits)
{
	unsigned int bytes = format_bytes(format);
	struct gen9_render_surface_state s = {
		.surface_type = 4, .surface_format = format, .surface_base_address = VA + BUFFER, .width = 7,
		.surface_pitch = bytes - 1,
	};
	const uint32_t at = BUFFER + (bytes & 4), before = 0xa5a5a5a5;
	uint32_t after = before;

	picture(2, s);
	put(at, before);
	fresh(8);
	exec_mask = 1;
	payload[0] = 1;
	payload[8] = full;
	beside.dword = (uint32_t *)(ram + at);
	beside.bits = ~bits;
	beside.addr = VA + at;
	if (send(DC1, DESC(2, 0, 0, 13 << 14 | 1 << 12 | (15 ^ 1u << channel) << 8 | 2)) != EU_DONE)
		return false;
	if (!beside.dword)
		after ^= ~bits;
	beside.dword = NULL;
	return get(at) == (after | bits);
}

/* A write of one channel to an element that is the last dword of the 64 bits that a base address has. */
static bool ends_at_the_top(uint32_t format)
{
	struct gen9_render_surface_state s = {
		.surface_type = 4, .surface_format = format, .surface_base_address = UINT64_MAX & ~3ull,
		.surface_pitch = format_bytes(format) - 1,
	};

	picture(2, s);
	fresh(8);
	exec_mask = 1;
	payload[0] = 0;
	payload[8] = ~0u;
	return send(DC1, DESC(2, 0, 0, 13 << 14 | 1 << 12 | (15 ^ 2) << 8 | 2)) == EU_DONE;
}

/* A message with some of the channels writes no others. */
static void typed_channels(void)
{
	const uint32_t one = 0x3f800000;

	begin("platform=kbl");
	check(writes_alone(0x0cb, 1, ~0u, 0xff00), "green of R8G8B8A8_UINT is written alone");
	check(writes_alone(0x0cf, 0, ~0u, 0xffff), "red of R16G16_UINT is");
	check(writes_alone(0x109, 0, ~0u, 0xff0000), "red of R8G8_UINT is");
	check(writes_alone(0x0e9, 0, one, 0xff0000), "red of B8G8R8X8_UNORM is");
	check(writes_alone(0x0c4, 1, ~0u, 0xffc00), "green of R10G10B10A2_UINT, which shares bytes, is");
	check(writes_alone(0x100, 1, one, 0x7e00000), "green of B5G6R5_UNORM is");
	check(ends_at_the_top(0x0c4) && ends_at_the_top(0x100), "an element in the last dword of all addresses ends");
	check(writes_alone(0x143, 1, ~0u, 0), "green of R8_UINT, which has none, changes nothing");
	end();
}

static void typed(void)
{
	const uint32_t one = 0x3f800000, half = 0x3f000000, big = 0x40000000;
	const uint32_t floats[4] = { one, half, big, 0xbf800000 }, ints[4] = { 1, 300, 70000, ~0u };
	struct gen9_render_surface_state s = {
		.surface_type = 4, .surface_format = 0xd7, .surface_base_address = VA + BUFFER, .width = 7,
		.surface_pitch = 3,
	};

	begin("platform=kbl");
	check(same(0x000, floats, one, half, big, 0xbf800000), "R32G32B32A32_FLOAT");
	check(get(BUFFER + 3 * 512 + 5 * 16 + 4) == half, "lies where U and V say");
	check(same(0x0c7, floats, one, 0x3f008081, one, 0), "R8G8B8A8_UNORM is clamped to 0 to 1 and rounded");
	check(get(BUFFER + 3 * 512 + 5 * 4) == 0x00ff80ff, "red is its lowest byte");
	check(same(0x0c0, floats, one, 0x3f008081, one, 0) && get(BUFFER + 3 * 512 + 5 * 4) == 0x00ff80ff,
	      "B8G8R8A8_UNORM: blue is");
	check(same(0x0c9, floats, one, 0x3f010204, one, 0xbf800000), "R8G8B8A8_SNORM");
	check(same(0x0cb, ints, 1, 255, 255, 255), "R8G8B8A8_UINT is clamped");
	check(same(0x0ca, ints, 1, 127, 127, ~0u), "R8G8B8A8_SINT");
	check(same(0x0d7, ints, 1, 0, 0, 1), "R32_UINT has one channel; alpha is 1");
	check(same(0x10e, floats, one, 0, 0, one), "R16_FLOAT");
	check(same(0x084, floats, one, half, big, 0xbf800000), "R16G16B16A16_FLOAT");
	check(same(0x0c4, ints, 1, 300, 1023, 3), "R10G10B10A2_UINT");
	check(same(0x143, ints, 1, 0, 0, 1), "R8_UINT");
	picture(2, s);
	fresh(16);
	for (uint32_t i = 0; i < 8; i++) {
		payload[i] = i + 1;
		payload[8 + i] = 0x90 + i;
	}
	exec_mask = 0xff00;
	check(send(DC1, DESC(2, 0, 0, 13 << 14 | 2 << 12 | 14 << 8 | 2)) == EU_DONE && get(BUFFER + 4) == 0x90 &&
	      get(BUFFER + 28) == 0x96 && get(BUFFER + 32) != 0x97, "the upper slots of a typed buffer, up to its end");
	fresh(8);
	channel_offset = 8;
	payload[0] = 1;
	payload[8] = 7;
	exec_mask = 1;
	check(send(DC1, DESC(2, 1, 0, 6 << 14 | 1 << 13 | 1 << 12 | 7 << 8 | 2)) == EU_DONE && response[0] == 0x90 &&
	      get(BUFFER + 4) == 0x97, "a typed atomic of channels 8 to 15");
	fresh(8);
	channel_offset = 8;
	payload[0] = 1;
	exec_mask = 1;
	check(send(DC1, DESC(1, 1, 0, 5 << 14 | 1 << 12 | 14 << 8 | 2)) == EU_DONE && response[0] == 0x97,
	      "channels 8 to 15 are the lower slots, too");
	s.surface_format = 0x1ff;
	picture(2, s);
	check(is_bad(DC1, DESC(2, 0, 0, 13 << 14 | 1 << 12 | 14 << 8 | 2), "format"), "RAW has no channels");
	s.surface_type = 7;
	picture(2, s);
	fresh(8);
	check(send(DC1, DESC(1, 4, 0, 5 << 14 | 1 << 12 | 2)) == EU_DONE && !response[0] && !response[31],
	      "a null surface reads 0");
	end();
}

/* Half floats: all that there are, and what lies between two. */
static void halves(void)
{
	unsigned int wrong = 0;
	uint32_t c[4];
	uint8_t element[2];

	for (uint32_t h = 0; h < 0x10000; h++) {
		uint16_t back;

		memcpy(element, &h, 2);
		if (!format_unpack(0x10e, element, c) || !format_pack(0x10e, c, element))
			exit(2);
		memcpy(&back, element, 2);
		wrong += (h & 0x7fff) <= 0x7c00 && back != h;
	}
	check(!wrong, "every half float is itself again (%u are not)", wrong);
	wrong = 0;
	for (uint32_t h = 1; h < 0x7bff; h++) {
		uint32_t next[4], mid;
		uint16_t n = (uint16_t)(h + 1), back;
		float a, b, m;

		memcpy(element, &h, 2);
		format_unpack(0x10e, element, c);
		memcpy(element, &n, 2);
		format_unpack(0x10e, element, next);
		memcpy(&a, &c[0], 4);
		memcpy(&b, &next[0], 4);
		m = a + (b - a) / 2;
		memcpy(&mid, &m, 4);
		c[0] = mid;
		format_pack(0x10e, c, element);
		memcpy(&back, element, 2);
		wrong += back != (h & 1 ? n : h);
	}
	check(!wrong, "what lies in the middle goes to the even one (%u do not)", wrong);
}

static void levels(void)
{
	struct gen9_render_surface_state s = {
		.surface_type = 1, .surface_format = 0x0d7, .surface_base_address = VA, .width = 31, .height = 31,
		.surface_pitch = 255, .surface_horizontal_alignment = 1, .surface_vertical_alignment = 1,
		.surface_qpitch = 12,
		.surface_array = true, .depth = 3,
	};
	struct surface f;
	uint32_t dw[16] = { 0 };

	begin("platform=kbl");
	gen9_render_surface_state_put(dw, &s);
	surface_decode(&shared, dw, &f);
	check(surface_address(&f, 8, 2, 3) == VA + (3 * 48 + 2) * 256 + 8, "a slice is QPitch rows further");
	s.surface_min_lod = 3;
	s.minimum_array_element = 1;
	memset(dw, 0, sizeof(dw));
	gen9_render_surface_state_put(dw, &s);
	surface_decode(&shared, dw, &f);
	check(f.width == 4 && f.height == 4, "level 3 of 32 x 32 is 4 x 4");
	check(surface_address(&f, 0, 0, 0) == VA + (48 + 32 + 8) * 256 + 16 * 4,
	      "it lies below level 2, which is to the right of level 1, below level 0");
	end();
}

static void page_faults(void)
{
	begin("platform=kbl");
	buffer(0, LEN);
	fresh(8);
	for (uint32_t i = 0; i < 8; i++)
		payload[2 * i + 1] = 0x7000 + i;
	check(send(DC1, DESC(2, 4, 0, 17 << 14 | 2 << 12)) == EU_DONE && !response[0] && !response[31],
	      "an address that is not mapped reads 0");
	check(counter_value("page_faults", "rcs0") > 0, "and is a page fault of the engine");
	fresh(8);
	payload[1] = 0xffff8000;
	payload[0] = (uint32_t)(VA + BUFFER);
	exec_mask = 1;
	check(send(DC1, DESC(2, 1, 0, 17 << 14 | 2 << 12 | 14 << 8)) == EU_DONE && !response[0],
	      "an address has 48 bits");
	fresh(8);
	exec_mask = 1;
	payload[0] = 0xfffffffc;
	check(send(DC1, DESC(1, 4, 0, 1 << 14 | 2 << 12 | 255)) == EU_DONE && !response[8],
	      "stateless addresses end at 4 GB");
	group.binding_table = 0xffe0;
	fresh(8);
	check(is_bad(DC1, DESC(1, 4, 0, 1 << 14 | 2 << 12 | 7), "the surface is none"), "a binding table of zeros");
	shared.bases.surface = 0xffffffff0000ull;
	shared_forget_surfaces(&shared);
	fresh(8);
	check(send(DC1, DESC(1, 4, 0, 1 << 14 | 2 << 12 | 7)) == EU_DONE && !response[0],
	      "one that is not there: nothing is read");
	check(is_bad(9, DESC(1, 1, 0, 6 << 14), "surface_info, which is not modelled"),
	      "a message that is not modelled is named");
	check(is_bad(DC0, DESC(1, 1, 0, 6 << 14), "does not have"), "one that is none is a fault");
	end();
}

static void barriers(void)
{
	begin("platform=kbl");
	fresh(1);
	check(is_bad(3, DESC(1, 0, 0, 4), "has none"), "a barrier needs one");
	group.barrier_threads = 4;
	/* Barrier Count Enable, and a count of one. */
	payload[2] = 1 << 15 | 1 << 9;
	check(is_bad(3, DESC(1, 0, 0, 4), "changes the number") && !group.arrived, "it is no thread's to change");
	payload[2] = 0x0f000000 | 1 << 9;
	for (unsigned int i = 0; i < 4; i++)
		check(sends(&threads[i], 3, DESC(1, 0, 0, 4)) == EU_DONE && threads[0].n[0] == (i == 3),
		      "thread %u comes to the barrier", i);
	check(threads[3].n[0] == 1 && !group.arrived, "which opens for all, and is closed again");
	check(send(DC0, DESC(1, 1, 1, 7 << 14 | 1 << 13)) == EU_DONE && !response[0], "a fence commits at once");
	check(is_bad(7, DESC(1, 0, 0, 1), "not the media pipeline's"), "threads are not spawned");
	check(is_bad(7, DESC(1, 0, 0, 0), "does not end"), "and end with EOT alone");
	end();
}

static void scratch(void)
{
	begin("platform=kbl");
	fresh(16);
	payload[5] = BUFFER | 3;
	payload[8] = 0x1234;
	check(send(DC0, DESC(3, 0, 1, 1 << 18 | 1 << 17 | 1 << 16 | 1 << 12 | 2)) == EU_DONE &&
	      get(BUFFER + 64) == 0x1234 &&
	      !get(BUFFER + 124) && get(BUFFER + 128) == 0x1000020, "scratch: two registers are written");
	fresh(16);
	payload[5] = BUFFER;
	check(send(DC0, DESC(1, 4, 1, 1 << 18 | 1 << 16 | 2 << 12 | 2)) == EU_DONE && response[0] == 0x1234 &&
	      response[31] == 0x1000000 + 16 + 31, "scratch: four are read");
	end();
}

/* Ivy Bridge: the messages that are elsewhere, and its surface states. */
static void gen7(void)
{
	struct gen7_render_surface_state s = {
		.surface_type = 4, .surface_format = 0x1ff, .surface_base_address = BUFFER, .width = 63,
	};
	uint32_t dw[16] = { 0 };

	begin("platform=ivb");
	gen7_render_surface_state_put(dw, &s);
	surface(0, dw);
	fresh(8);
	for (uint32_t i = 0; i < 8; i++)
		payload[i] = 12 * i;
	check(send(DC0, DESC(1, 1, 0, 5 << 14 | 2 << 12 | 14 << 8)) == EU_DONE && response[5] == 0x1000000 + 15 &&
	      !response[6],
	      "gen7: untyped reads are the data cache's");
	s = (struct gen7_render_surface_state){
		.surface_type = 1, .surface_format = 0x140, .surface_base_address = BUFFER, .width = 15, .height = 63,
		.surface_pitch = 511, .tiled_surface = true,
	};
	memset(dw, 0, sizeof(dw));
	gen7_render_surface_state_put(dw, &s);
	surface(0, dw);
	fresh(16);
	payload[0] = 8;
	payload[1] = 9;
	payload[2] = 15;
	memset(payload + 8, 0x31, 32);
	check(send(5, DESC(2, 0, 1, 10 << 14)) == EU_DONE && ram[in_picture(TILING_X, 23, 9, 512)] == 0x31 &&
	      ram[in_picture(TILING_X, 24, 9, 512)] != 0x31, "gen7: media blocks are the render cache's");
	fresh(8);
	payload[5] = BUFFER;
	check(is_bad(DC0, DESC(1, 4, 1, 1 << 18 | 2 << 12), "reserved block size"), "gen7: no scratch blocks of three");
	fresh(8);
	payload[0] = 0xfffffff0;
	shared.bases.general = BUFFER + 0x10;
	check(send(DC0, DESC(1, 1, 0, 5 << 14 | 2 << 12 | 14 << 8 | 255)) == EU_DONE && response[0] == get(BUFFER),
	      "gen7: addresses wrap at 32 bits");
	end();
}

int main(void)
{
	owords();
	scattered();
	random_pieces();
	untyped();
	atomics();
	media_blocks();
	typed();
	typed_channels();
	halves();
	levels();
	page_faults();
	barriers();
	scratch();
	gen7();
	return test_end();
}
