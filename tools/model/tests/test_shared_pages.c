// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of the shared functions: where accesses lie
 *
 * Messages with an address for each channel, to pages that are apart, at the ends of buffers, and to places without
 * memory. They are built as in test_shared.c.
 */
#include "message_bench.h"

/* The pages of a buffer are not next to each other in memory, and accesses begin in one and end in the other. */
static void pages_apart(void)
{
	const uint32_t first = 0x1ff000, other = 0x600000;
	struct gen9_render_surface_state s = {
		.surface_type = 4, .surface_format = 0x1ff, .surface_base_address = VA + first,
		.width = 0x7f, .height = 0x3f,
	};
	uint32_t wrong = 0;

	begin("platform=kbl");
	((uint64_t *)(ram + PA_PD))[1] = other | GEN8_PDE_PS_2M | GEN8_PAGE_PRESENT | GEN8_PAGE_RW;
	tlb_invalidate(gpu->engine[RCS0]->tlb, true, true);
	picture(3, s);
	for (uint32_t i = 0; i < 1024; i++) {
		put(first + 4 * i, 0x10000 + i);
		put(other + 4 * i, 0x10000 + 1024 + i);
		put(0x200000 + 4 * i, 0xbad00000 + i);
	}
	/* Twice, the second time with known pages. */
	for (unsigned int known = 0; known < 2; known++) {
		for (uint32_t low = 0; low < 64; low += 4) {
			fresh(8);
			exec_mask = 3;
			payload[0] = low;
			payload[1] = low + 4092;
			wrong += send(DC1, DESC(1, 4, 0, 1 << 14 | 2 << 12 | 3)) != EU_DONE;
			for (uint32_t e = 0; e < 4; e++)
				wrong += response[8 * e] != 0x10000 + low / 4 + e ||
					 response[8 * e + 1] != 0x10000 + low / 4 + 1023 + e;
		}
	}
	check(!wrong, "an access that ends in a page elsewhere goes there (%u do not)", wrong);
	fresh(8);
	exec_mask = 3;
	payload[1] = 4092;
	memset(payload + 8, 0x77, 128);
	check(send(DC1, DESC(5, 0, 0, 9 << 14 | 2 << 12 | 3)) == EU_DONE && get(0x200000) == 0xbad00000 &&
	      get(other) == 0x77777777 && get(other + 8) == 0x77777777, "and a write does");
	end();
}

/* Channels at the end of their buffer, in its first dwords again, and in one that begins in the middle of a dword. */
static void edges(void)
{
	struct gen9_render_surface_state odd = {
		.surface_type = 4, .surface_format = 0x1ff, .surface_base_address = VA + BUFFER + 2, .width = 63,
	};
	uint64_t faults;

	begin("platform=kbl");
	buffer(3, 64);
	/* The first message finds the page. */
	for (unsigned int known = 0; known < 2; known++) {
		fresh(8);
		exec_mask = 3;
		payload[0] = 63;
		payload[1] = 64;
		check(send(DC0, DESC(1, 1, 0, 4 << 14 | 3)) == EU_DONE && response[0] == 1 && !response[1],
		      "a byte behind the buffer is 0");
	}
	fresh(8);
	for (uint32_t i = 0; i < 8; i++)
		payload[i] = i % 4 * 4;
	check(send(DC1, DESC(1, 1, 0, 1 << 14 | 2 << 12 | 14 << 8 | 3)) == EU_DONE && response[3] == 0x1000003 &&
	      response[4] == 0x1000000 && response[7] == 0x1000003, "four dwords are read twice");
	fresh(8);
	check(send(DC1, DESC(1, 1, 0, 1 << 14 | 2 << 12 | 3)) == EU_DONE && response[7] == 0x1000000 &&
	      fresh_response(8, 24), "what the response has no room for is dropped");
	fresh(8);
	for (uint32_t i = 0; i < 8; i++)
		payload[2 * i] = (uint32_t)(VA + BUFFER);
	check(send(DC1, DESC(2, 1, 0, 17 << 14 | 2 << 12)) == EU_DONE && response[7] == 0x1000000 &&
	      fresh_response(8, 24), "of A64 as well");
	picture(3, odd);
	fresh(8);
	exec_mask = 3;
	payload[0] = 8;
	check(send(DC1, DESC(1, 1, 0, 1 << 14 | 2 << 12 | 14 << 8 | 3)) == EU_DONE && response[0] == 0x00030100 &&
	      response[1] == 0x00010100, "a buffer that begins in the middle of a dword");
	buffer(0, LEN);
	fresh(8);
	payload[2] = 0x104;
	for (uint32_t i = 0; i < 8; i++)
		payload[8 + i] = 4 * (7 - i);
	check(send(DC0, DESC(2, 1, 1, 4 << 14)) == EU_DONE && response[0] == 0x48 && response[7] == 0x41,
	      "byte scattered: a header moves the offsets");
	((uint64_t *)(ram + PA_PD))[1] = 0x200000 | GEN8_PDE_PS_2M | GEN8_PAGE_PRESENT;
	tlb_invalidate(gpu->engine[RCS0]->tlb, true, true);
	put(0x200000, 0x55);
	faults = counter_value("page_faults", "rcs0");
	for (unsigned int write = 0; write < 3; write++) {
		fresh(8);
		exec_mask = 1;
		payload[0] = 0x200000;
		send(DC1, write ? DESC(2, 0, 0, 9 << 14 | 2 << 12 | 14 << 8 | 255) :
		     DESC(1, 1, 0, 1 << 14 | 2 << 12 | 14 << 8 | 255));
	}
	check(get(0x200000) == 0x55 && counter_value("page_faults", "rcs0") == faults + 2,
	      "a page that is read only is not written, which is one fault each time");
	end();
}

/* There is a page, but no memory where it leads. */
static void nowhere(void)
{
	begin("platform=kbl");
	((uint64_t *)(ram + PA_PD))[1] = 0x10000000 | GEN8_PDE_PS_2M | GEN8_PAGE_PRESENT | GEN8_PAGE_RW;
	tlb_invalidate(gpu->engine[RCS0]->tlb, true, true);
	fresh(8);
	exec_mask = 1;
	payload[0] = 0x200000;
	check(send(DC1, DESC(2, 0, 0, 9 << 14 | 2 << 12 | 14 << 8 | 255)) == EU_DONE &&
	      counter_value("memory_misses", "writes") == 1 && !counter_value("memory_misses", "reads"),
	      "a write of a dword to no memory is one, and no read");
	check(send(DC1, DESC(1, 1, 0, 1 << 14 | 2 << 12 | 14 << 8 | 255)) == EU_DONE &&
	      counter_value("memory_misses", "reads") == 1, "a read is one");
	fresh(8);
	check(is_bad(DC1, DESC(0, 1, 1, 1 << 14 | 1 << 12 | 14 << 8 | 255), "too short"), "a message needs a payload");
	end();
}

int main(void)
{
	pages_apart();
	edges();
	nowhere();
	return test_end();
}
