// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of the unified return buffer's messages and of messages between threads
 *
 * IVB Vol 4 Part 2, 1.1 and 2.4; what Gen9 has beyond that from DG1 Vol 2a, "URB Dword Read MSD" and "URB Dword Write
 * MSD". Descriptors have the offset from bit 4 on, on Gen7 from bit 3 on.
 */
#include "message_bench.h"

#define GATEWAY		3
#define URB		6
#define SPAWNER		7
#define HANDLE		5u		/* of entries, in units of 64 bytes */
#define OTHER		9u
#define BYTE(handle)	((handle) * 64u)
#define MASKS		5		/* dword of a header */
#define LAST		(URB_BYTES / 64 - 1)

static uint8_t urb[URB_BYTES];
static unsigned int asked;

static enum eu_reply spawner_message(void *unit, struct send *s)
{
	(void)unit;
	(void)s;
	asked++;
	return EU_AGAIN;
}

/* Thread n has the number 100h + n. */
static struct eu_thread *find(void *unit, uint32_t id)
{
	(void)unit;
	return id >= 0x100 && id < 0x100 + ARRAY_SIZE(threads) ? &threads[id - 0x100] : NULL;
}

static const struct thread_spawner spawner = { .message = spawner_message, .find = find };

static void start(const char *platform)
{
	begin(platform);
	for (unsigned int i = 0; i < URB_BYTES; i++)
		urb[i] = 0xaa;
	shared.urb = urb;
	shared.spawner = &spawner;
	asked = 0;
}

static uint32_t at(uint32_t byte)
{
	uint32_t v;

	memcpy(&v, urb + byte, sizeof(v));
	return v;
}

static void set(uint32_t byte, uint32_t v)
{
	memcpy(urb + byte, &v, sizeof(v));
}

/* A message whose registers behind the header count from 1000h on. */
static void header(void)
{
	fresh(8);
	payload[0] = HANDLE;
	payload[MASKS] = 0xff00;
	for (unsigned int i = 8; i < 64; i++)
		payload[i] = 0x1000 + i - 8;
}

static bool untouched(uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (urb[i] != 0xaa)
			return false;
	return true;
}

static void writes(bool gen7)
{
	unsigned int shift = gen7 ? 3 : 4, swizzle = gen7 ? 1u << 14 : 1u << 15, per_slot = gen7 ? 1u << 16 : 1u << 17;
	unsigned int wrong = 0;

	start(gen7 ? "platform=ivb" : "platform=kbl");
	header();
	check(send(URB, DESC(3, 0, 1, 2 << shift)) == EU_DONE, "URB: two registers are written");
	for (unsigned int i = 0; i < 16; i++)
		wrong += at(BYTE(HANDLE) + 64 + 4 * i) != 0x1000 + i;
	check(!wrong && untouched(0, BYTE(HANDLE) + 64) && untouched(BYTE(HANDLE) + 128, URB_BYTES),
	      "URB: at the offset from the handle, and nothing else (%u wrong)", wrong);

	memset(urb, 0xaa, sizeof(urb));
	header();
	payload[1] = OTHER;
	send(URB, DESC(3, 0, 1, swizzle));
	check(at(BYTE(HANDLE)) == 0x1000 && at(BYTE(HANDLE) + 16) == 0x1008 && at(BYTE(OTHER)) == 0x1004 &&
	      at(BYTE(OTHER) + 28) == 0x100f && untouched(BYTE(HANDLE) + 32, BYTE(OTHER)),
	      "URB: interleaved, two entries get a half of each register");

	memset(urb, 0xaa, sizeof(urb));
	header();
	payload[1] = OTHER;
	payload[3] = 1;
	payload[4] = 2;
	send(URB, DESC(2, 0, 1, swizzle | per_slot | 1 << shift));
	check(at(BYTE(HANDLE) + 64) == 0x1000 && at(BYTE(OTHER) + 96) == 0x1004, "URB: a slot has its own offset");
	header();
	payload[3] = 3;
	send(URB, DESC(2, 0, 1, 0));
	check(at(BYTE(HANDLE)) == 0x1000, "URB: which counts only if the descriptor says so");

	memset(urb, 0xaa, sizeof(urb));
	header();
	payload[MASKS] = 0x7d00;
	exec_mask = 0xfe;
	send(URB, DESC(2, 0, 1, 0));
	check(at(BYTE(HANDLE)) == 0xaaaaaaaa && at(BYTE(HANDLE) + 4) == 0xaaaaaaaa && at(BYTE(HANDLE) + 8) == 0x1002 &&
	      at(BYTE(HANDLE) + 28) == 0xaaaaaaaa, "URB: a dword is written that channel and mask enable");

	memset(urb, 0xaa, sizeof(urb));
	header();
	send(URB, DESC(2, 0, 1, 1 | 3 << shift));
	payload[MASKS] |= 1 << 16;
	payload[0] = OTHER;
	send(URB, DESC(2, 0, 1, 1));
	check(at(BYTE(HANDLE) + 48) == 0x1000 && untouched(BYTE(HANDLE) + 64, BYTE(OTHER)) &&
	      at(BYTE(OTHER)) == 0x1004 && untouched(BYTE(OTHER) + 16, URB_BYTES),
	      "URB: 16 bytes are the lower or the upper half");
	end();
}

static void reads(bool gen7)
{
	unsigned int shift = gen7 ? 3 : 4, swizzle = gen7 ? 1u << 14 : 1u << 15;

	start(gen7 ? "platform=ivb" : "platform=kbl");
	for (uint32_t i = 0; i < 32; i++) {
		set(BYTE(HANDLE) + 4 * i, 0x2000 + i);
		set(BYTE(OTHER) + 4 * i, 0x3000 + i);
	}
	header();
	payload[1] = OTHER;
	check(send(URB, DESC(1, 2, 1, 2 | 1 << shift)) == EU_DONE && response[0] == 0x2008 && response[15] == 0x2017 &&
	      fresh_response(16, 8), "URB: as many registers are read as the response has");
	header();
	payload[1] = OTHER;
	send(URB, DESC(1, 2, 1, 2 | swizzle));
	check(response[0] == 0x2000 && response[4] == 0x3000 && response[8] == 0x2004 && response[15] == 0x3007,
	      "URB: interleaved, of two entries");
	header();
	payload[MASKS] = 0xff00 | 1 << 16;
	send(URB, DESC(1, 1, 1, 3 | 2 << shift));
	check(fresh_response(0, 4) && response[4] == 0x2008 && response[7] == 0x200b, "URB: 16 bytes go above");
	header();
	payload[MASKS] = 0x100;
	send(URB, DESC(1, 1, 1, 2));
	check(response[0] == 0x2000 && fresh_response(1, 7), "URB: what the mask leaves out keeps its value");

	header();
	payload[0] = LAST;
	set(URB_BYTES - 4, 0x77);
	send(URB, DESC(1, 3, 1, 2));
	check(response[15] == 0x77 && !response[16] && !response[23], "URB: beyond its end it reads 0");
	payload[0] = 0xffff;
	send(URB, DESC(3, 0, 1, 0));
	check(at(URB_BYTES - 4) == 0x77, "URB: and is not written");
	check(is_bad(URB, DESC(1, 1, 0, 2), "without a header"), "URB: a header is needed");
	shared.urb = NULL;
	fresh(8);
	check(is_bad(URB, DESC(1, 1, 1, 2), "no URB entry"), "URB: threads of draws have no entry that is modelled");
	end();
}

static void atomics(void)
{
	start("platform=ivb");
	set(BYTE(HANDLE) + 12, 41);
	header();
	payload[2] = 7;
	send(URB, DESC(1, 1, 1, 5 | 3 << 3));
	check(at(BYTE(HANDLE) + 12) == 42 && response[0] == 41 && fresh_response(1, 7), "URB: a dword counts up");
	header();
	exec_mask = 0;
	payload[2] = 7;
	send(URB, DESC(1, 0, 1, 4 | 3 << 3));
	check(at(BYTE(HANDLE) + 12) == 7, "URB: a dword is replaced, whatever channels are enabled");
	check(is_bad(URB, DESC(1, 1, 1, 6 | 3 << 3), "its target does not have"), "URB: Ivy Bridge does not add");
	end();
	start("platform=kbl");
	set(BYTE(HANDLE) + 12, 41);
	header();
	payload[2] = 7;
	send(URB, DESC(1, 1, 1, 6 | 3 << 4));
	check(at(BYTE(HANDLE) + 12) == 48 && response[0] == 41, "URB: Kaby Lake does");
	end();
}

static void simd8(void)
{
	unsigned int wrong = 0;

	start("platform=kbl");
	fresh(8);
	for (unsigned int i = 0; i < 8; i++) {
		payload[i] = 16 + i;
		payload[8 + i] = i;
		payload[16 + i] = 0x50000;
	}
	for (unsigned int i = 0; i < 24; i++)
		payload[24 + i] = 0x4000 + i;
	exec_mask = 0x7f;
	/* Handles, offsets, masks, and three dwords of each channel; the masks have the first and the third. */
	check(send(URB, DESC(6, 0, 1, 7 | 1 << 15 | 1 << 17 | 1 << 4)) == EU_DONE, "URB: channels write");
	for (unsigned int i = 0; i < 7; i++)
		wrong += at(BYTE(16 + i) + 16 * (i + 1)) != 0x4000 + i ||
			 at(BYTE(16 + i) + 16 * (i + 1) + 4) != 0xaaaaaaaa ||
			 at(BYTE(16 + i) + 16 * (i + 1) + 8) != 0x4010 + i;
	check(!wrong && untouched(BYTE(23) + 128, BYTE(23) + 192), "URB: each at its own place (%u wrong)", wrong);
	exec_mask = 0xff;
	send(URB, DESC(2, 3, 1, 8 | 1 << 17 | 1 << 4));
	check(response[2] == 0x4002 && response[8] == 0xaaaaaaaa && response[22] == 0x4016, "URB: and read");
	fresh(8);
	for (unsigned int i = 0; i < 8; i++)
		payload[i] = 16;
	for (unsigned int i = 0; i < 8; i++)
		payload[8 + i] = 0x60 + i;
	exec_mask = 1;
	send(URB, DESC(2, 0, 1, 7));
	check(at(BYTE(16)) == 0x60 && at(BYTE(16) + 4) == 0xaaaaaaaa, "URB: without offsets and masks, data follow");
	check(is_bad(URB, DESC(2, 0, 1, 7 | 1 << 15 | 1 << 17), "less data"), "URB: which are all to be there");
	end();
}

/* To thread 2: so many bytes of the code, to a byte of its registers. */
static void forward(unsigned int code, uint32_t byte)
{
	fresh(8);
	for (unsigned int i = 0; i < 4; i++)
		payload[i] = 0x61616161 + i;
	payload[4] = 0x102u << 16;
	payload[5] = byte << 16 | code << 8;
}

static uint32_t grf(unsigned int reg, unsigned int dword)
{
	uint32_t v;

	memcpy(&v, threads[2].grf[reg] + 4 * dword, sizeof(v));
	return v;
}

#define ACK	(1u << 14)
#define SAYS(code)	(response[0] == (GATEWAY << 16 | (code)) && fresh_response(1, 7))

static void open_gateways(void)
{
	start("platform=kbl");
	shared.open_gateways = true;
	forward(4, 7 * 32 + 16);
	check(send(GATEWAY, DESC(1, 1, 0, 2 | ACK)) == EU_DONE && SAYS(0), "gateway: a message is forwarded");
	check(grf(7, 4) == 0x61616161 && grf(7, 7) == 0x61616164 && !grf(7, 3) && !grf(8, 0) && !threads[2].n[0],
	      "gateway: as data to the registers of the thread that is named");
	forward(0, 9 * 32 + 3);
	send(GATEWAY, DESC(1, 0, 0, 2 | 1 << 15));
	check(grf(9, 0) == 0x61000000 && threads[2].n[0] == 1 && !threads[2].n[2], "gateway: a byte, and it notifies");
	forward(2, 9 * 32 + 4);
	send(GATEWAY, DESC(1, 0, 0, 2 | 2 << 15));
	check(grf(9, 1) == 0x61616161 && threads[2].n[0] == 1 && threads[2].n[2] == 1, "gateway: the other register");
	forward(5, 64);
	send(GATEWAY, DESC(1, 1, 0, 2 | ACK));
	check(SAYS(6) && !grf(2, 0), "gateway: a length that is reserved is an error");
	forward(2, 64);
	payload[4] = 0x104u << 16;
	send(GATEWAY, DESC(1, 1, 0, 2 | ACK));
	check(SAYS(2), "gateway: so is a thread that there is not");
	forward(2, 128 * 32);
	send(GATEWAY, DESC(1, 1, 0, 2 | ACK));
	check(SAYS(4), "gateway: so is a register that there is not");
	forward(2, 66);
	check(is_bad(GATEWAY, DESC(1, 0, 0, 2), "not aligned"), "gateway: a place is aligned to the length");
	forward(2, 4);
	check(is_bad(GATEWAY, DESC(1, 0, 0, 2), "to r0"), "gateway: r0 is not written");
	end();
}

static void closed_gateways(void)
{
	start("platform=ivb");
	forward(2, 32);
	send(GATEWAY, DESC(1, 1, 0, 2 | ACK));
	check(SAYS(2) && !grf(1, 0), "gateway: it is closed until its thread opens it");
	fresh(8);
	payload[5] = 40 << 21 | 1 << 8;
	check(sends(&threads[2], GATEWAY, DESC(1, 1, 0, ACK)) == EU_DONE && SAYS(0), "gateway: which it does");
	forward(2, 32);
	send(GATEWAY, DESC(1, 1, 0, 2 | ACK));
	check(SAYS(0) && grf(41, 0) == 0x61616161 && !grf(1, 0), "gateway: places count from its base");
	forward(2, 64);
	send(GATEWAY, DESC(1, 1, 0, 2 | ACK));
	check(SAYS(4) && !grf(42, 0), "gateway: it has a size");
	fresh(8);
	sends(&threads[2], GATEWAY, DESC(1, 0, 0, 1));
	forward(2, 36);
	send(GATEWAY, DESC(1, 1, 0, 2 | ACK));
	check(SAYS(2) && !grf(41, 1), "gateway: it closes");
	fresh(8);
	payload[5] = 6 << 8;
	check(is_bad(GATEWAY, DESC(1, 0, 0, 0), "reserved size"), "gateway: sizes from 64 registers on are reserved");
	shared.spawner = NULL;
	forward(2, 32);
	check(is_bad(GATEWAY, DESC(1, 0, 0, 2), "not the media pipeline's"), "gateway: others have none");
	end();
}

static void spawns(void)
{
	start("platform=kbl");
	fresh(8);
	check(send(SPAWNER, DESC(1, 0, 0, 1)) == EU_AGAIN && asked == 1, "spawner: a request goes to its unit");
	check(send(SPAWNER, DESC(1, 0, 0, 0x10)) == EU_AGAIN && asked == 2, "spawner: so does what one gives back");
	check(is_bad(SPAWNER, DESC(0, 0, 0, 1), "without its register") && asked == 2, "spawner: a request has data");
	shared.spawner = NULL;
	check(is_bad(SPAWNER, DESC(1, 0, 0, 1), "not the media pipeline's"), "spawner: others start no thread");
	check(is_bad(SPAWNER, DESC(1, 0, 0, 0x10), "does not end the thread"), "spawner: and give nothing back");
	end();
}

int main(void)
{
	writes(false);
	writes(true);
	reads(false);
	reads(true);
	atomics();
	simd8();
	open_gateways();
	closed_gateways();
	spawns();
	return test_end();
}
