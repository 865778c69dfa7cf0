// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of threads that execute programs on Ivy Bridge
 *
 * The commands, descriptors and surfaces of IVB Vol 2 Part 2, 1.8, and the messages that Gen7 has at other targets. The
 * context is that of a ring, and its addresses those of the directory that the ring has loaded.
 */
#include "igen/batch/clear.h"
#include "media/internal.h"
#include "igen/regs/workarounds.h"

/* As many commands as there are threads fit several times. */
#define RING_PAGES	8u
#include "ring_media.h"

#define CLEAR		0x70000u		/* in RAM: state of the program that clears registers */
#define FOUND		0x200000u		/* in RAM: what threads find in shared local memory */
#define SECRET		0x5ec2e75eu
#define DIVIDE_L3(v)	MI_LOAD_REGISTER_IMM(1), L3CNTLREG2_GEN7, (v), MI_NOOP
#define HARDWARE	128u			/* threads */
#define PITCH		64u

/*
 * Sixteen bytes of a picture get the first byte of r1, at the place that r0.1 (in sixteens) and r0.6 (rows) say:
 *
 *	mul (1|M0)   r2.0<1>:ud    r0.1<0;1,0>:ud   0x10:ud
 *	mov (1|M0)   r2.1<1>:ud    r0.6<0;1,0>:ud
 *	mov (8|M0)   r4.0<1>:ud    r0.0<8;8,1>:ud
 *	mov (2|M0)   r4.0<1>:ud    r2.0<2;2,1>:ud
 *	mov (1|M0)   r4.2<1>:ud    0xF:ud
 *	mov (16|M0)  r5.0<1>:ud    r1.0<0;1,0>:ud
 *	send (16|M0) null:uw       r4:d    0x5    0x040A8000
 *	mov (8|M0)   r112.0<1>:ud  r0.0<8;8,1>:ud
 *	send (16|M0) null:uw       r112:d  0x27   0x02000010
 */
static const uint32_t program[] = {
	0x00000041, 0x20400c21, 0x00000004, 0x00000010, 0x00000001, 0x20440021, 0x00000018, 0x00000000,
	0x00600001, 0x20800021, 0x008d0000, 0x00000000, 0x00200001, 0x20800021, 0x00450040, 0x00000000,
	0x00000001, 0x20880061, 0x00000000, 0x0000000f, 0x00800001, 0x20a00021, 0x00000020, 0x00000000,
	0x05800031, 0x20001ca8, 0x00000080, 0x040a8000, 0x00600001, 0x2e000021, 0x008d0000, 0x00000000,
	0x07800031, 0x20001ca8, 0x00000e00, 0x82000010,
};

/* A picture of 64 x 16 bytes; its width is in dwords. */
static const uint32_t picture[8] = { 1u << 29 | 0x140 << 18, VA + OUT, 15 << 16 | 15, PITCH - 1 };

static const char *workers;

static void begin(bool gpgpu)
{
	const char *const set[] = { "platform=ivb", "group_ns=0", workers, NULL };

	counters_reset();
	bench_start(set);
	put_program(program, sizeof(program), picture);
	put(STATE + CURBE, 0x4c4c4c4c);
	media_state(gpgpu);
}

/* Bytes that are set within and without a rectangle of the picture. */
static bool filled(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
	unsigned int wrong = 0;

	for (uint32_t i = 0; i < 0x1000; i++) {
		bool inside = i % PITCH - x < width && i / PITCH - y < height;

		wrong += ram[OUT + i] != (inside ? 0x4c : 0);
	}
	return !wrong;
}

/* So many media objects at a place, one after the other. */
static bool objects(unsigned int n, uint32_t x)
{
	for (unsigned int i = 0; i < n; i++)
		ring(BASE, 0x71000004, 0, 0, 0, x, 0, MI_NOOP, MI_NOOP);
	ring(BASE, STALL, INVALIDATE);
	return ring_run(BASE);
}

/* mov (8|M0) r20.0<1>:ud r1.0<0;1,0>:ud */
static const uint32_t leave[] = { 0x00600001, 0x22800021, 0x00000020, 0x00000000 };

/* Threads from now on put r1's content in r20, and end. */
static void put_leaver(void)
{
	memcpy(ram + STATE, leave, sizeof(leave));
	memcpy(ram + STATE + sizeof(leave), program + ARRAY_SIZE(program) - 8, 8 * 4);
}

/* They store r20, which they have not written. */
static void put_finder(void)
{
	memcpy(ram + STATE, program, sizeof(program));
	put(STATE + 22 * 4, 20 * 32);	/* the source of the values that are stored */
}

/* A thread finds what the thread before it on the same hardware has left. */
static void leftovers(void)
{
	begin(false);
	put_leaver();
	check(objects(1, 0), "a thread writes r20");
	put_finder();
	check(objects(HARDWARE - 1, 1) && filled(0, 0, 0, 0), "the other threads of the hardware do not find it");
	check(objects(1, 2) && filled(32, 0, 16, 1), "the next thread of the same one finds what was left in r20");
	check(counter_value("eu", "threads") == HARDWARE + 1, "each was a thread");
	bench_stop();
}

/* The program of igen/batch/clear.h and its commands. */
static bool clear(void)
{
	static const struct igen_clear halves = { 64, 2 };
	uint32_t dw[128];
	struct igen_batch b;

	igen_batch_init(&b, 7, IGEN_BATCH_MEMORY, ram + CLEAR, IGEN_CLEAR_STATE);
	igen_clear_state(&b, &halves);
	check(!b.error, "the program's state can be built");
	igen_batch_init(&b, 7, IGEN_BATCH_RENDER, dw, sizeof(dw));
	igen_clear(&b, (struct igen_address){ VA + CLEAR }, &halves);
	check(!b.error, "the commands that clear can be built");
	ring(BASE, DIVIDE_L3(IGEN_CLEAR_L3CNTLREG2));
	ring_emit(BASE, dw, b.used);
	return ring_run(BASE);
}

/* They leave nothing in registers, wherever the threads before were. */
static void cleared(unsigned int before)
{
	begin(false);
	put_leaver();
	check(objects(HARDWARE + before, 0), "all threads write r20");
	check(clear() && counter_value("eu", "threads") == 2 * HARDWARE + before, "all threads are cleared");
	media_state(false);
	put_finder();
	check(objects(HARDWARE, 1) && filled(0, 0, 0, 0), "no thread finds anything, %u threads later", before);
	bench_stop();
}

/*
 * Stores 256 bytes of SECRET to shared local memory, where r1 says (eight addresses, four dwords each):
 *
 *	mov (16) r18.0<1>:ud SECRET:ud (also r20, r22, r24)
 *	mov (8)  r16.0<1>:ud r1.0<8;8,1>:ud
 *	add (8)  r17.0<1>:ud r1.0<8;8,1>:ud 128:ud
 *	send (16) null:uw r16:d 0xA 0x140350FE
 */
static const uint32_t local_leaver[] = {
	0x00800001, 0x22400061, 0x00000000, SECRET, 0x00800001, 0x22800061, 0x00000000, SECRET,
	0x00800001, 0x22c00061, 0x00000000, SECRET, 0x00800001, 0x23000061, 0x00000000, SECRET,
	0x00600001, 0x22000021, 0x008d0020, 0x00000000, 0x00600040, 0x22200c21, 0x008d0020, 0x00000080,
	0x0a800031, 0x20001ca8, 0x00000200, 0x140350fe,
};

/*
 * Reads as much there, and stores it to memory from FOUND on, 256 bytes further for each group:
 *
 *	mov (8)  r13.0<1>:ud r1.0<8;8,1>:ud
 *	add (8)  r14.0<1>:ud r1.0<8;8,1>:ud 128:ud
 *	send (16) r18:uw r13:d 0xA 0x048150FE
 *	shl (1)  r2.0<1>:ud r0.1<0;1,0>:ud 8:ud
 *	add (1)  r2.0<1>:ud r2.0<0;1,0>:ud FOUND - STATE:ud
 *	add (16) r16.0<1>:ud r13.0<8;8,1>:ud r2.0<0;1,0>:ud
 *	send (16) null:uw r16:d 0xA 0x140350FF
 */
static const uint32_t local_finder[] = {
	0x00600001, 0x21a00021, 0x008d0020, 0x00000000, 0x00600040, 0x21c00c21, 0x008d0020, 0x00000080,
	0x0a800031, 0x22401ca9, 0x000001a0, 0x048150fe, 0x00000009, 0x20400c21, 0x00000004, 0x00000008,
	0x00000040, 0x20400c21, 0x00000040, FOUND - STATE, 0x00800040, 0x22000421, 0x008d01a0, 0x00000040,
	0x0a800031, 0x20001ca8, 0x00000200, 0x140350ff,
};

/* So many groups of one thread with 64 KB execute a program, for the 256 bytes at an address. */
static bool local(const uint32_t *code, unsigned int dwords, uint32_t at, unsigned int groups)
{
	memset(ram + FOUND, 0, 0x20000);
	memcpy(ram + STATE, code, dwords * 4);
	memcpy(ram + STATE + dwords * 4, program + ARRAY_SIZE(program) - 8, 8 * 4);
	put(STATE + DESCRIPTORS + 5 * 4, 16 << 16 | 1);
	for (uint32_t i = 0; i < 8; i++)
		put(STATE + CURBE + i * 4, at + i * 16);
	media_state(true);
	ring(BASE, 0x71050009, 0, 1u << 30, 0, groups, 0, 1, 0, 1, 0xffff, 0xffff);
	ring(BASE, GEN7_MEDIA_STATE_FLUSH, 0, STALL);
	return ring_run(BASE);
}

#define LOCAL(code, at, groups) local(code, ARRAY_SIZE(code), at, groups)

/* In how many groups of the whole hardware's threads the secret is there as a whole. */
static unsigned int groups_that_find(uint32_t at)
{
	unsigned int whole = 0, words;

	if (!LOCAL(local_finder, at, HARDWARE))
		return ~0u;
	for (uint32_t i = 0; i < HARDWARE; i++) {
		words = 0;
		for (uint32_t k = 0; k < 256; k += 4)
			words += get(FOUND + at + i * 256 + k) == SECRET;
		whole += words == 64;
	}
	return whole;
}

/* A group finds what the group before it on the same half-slice has left in shared local memory. */
static void local_leftovers(uint32_t at)
{
	unsigned int found;

	begin(true);
	ring(BASE, DIVIDE_L3(L3CNTLREG2_SLM_ENABLE));
	check(!groups_that_find(at), "shared local memory is 0 at first");
	check(LOCAL(local_leaver, at, 1), "a group writes to shared local memory at %#x", at);
	found = groups_that_find(at);
	/* Of groups that run together more may be on one half-slice, but at least one is on each. */
	check(workers ? found && found < HARDWARE : found == HARDWARE / 2, "those of its half-slice find that (%u)",
	      found);
	check(LOCAL(local_leaver, at, HARDWARE), "groups of both half-slices write there");
	ring(BASE, DIVIDE_L3(0));
	check(!groups_that_find(at), "none finds it while the L3 has no shared local memory");
	ring(BASE, DIVIDE_L3(L3CNTLREG2_SLM_ENABLE));
	check(groups_that_find(at) == HARDWARE, "all do when it has it again");
	check(clear() && !groups_that_find(at), "none does when it was cleared");
	bench_stop();
}

/* Groups of one thread with shared local memory go on to the next threads of a half-slice, whichever is free. */
static void local_places(void)
{
	const struct eu_thread *t;
	unsigned int used = 0;

	begin(true);
	ring(BASE, DIVIDE_L3(L3CNTLREG2_SLM_ENABLE));
	check(LOCAL(leave, 0x1000, HARDWARE), "groups write r20");
	t = gpu->engine[RCS0]->media->hardware;
	for (unsigned int i = 0; i < HARDWARE; i++)
		used += t[i].grf[20][1] == 0x10;
	/* Of so many groups at least half were on one half-slice, each on its next thread. */
	check(workers ? used >= HARDWARE / 2 : used == HARDWARE, "so many threads of the hardware had one: %u", used);
	bench_stop();
}

/*
 * As program_chain of spawn_programs.h, with the messages of Gen7; a jump counts in 8 bytes:
 *
 *	and (1|M0) r2.0<1>:ud r0.1<0;1,0>:ud 0x1ff:ud
 *	shr (1|M0) r2.1<1>:ud r0.1<0;1,0>:ud 0xc:ud
 *	and (1|M0) r2.1<1>:ud r2.1<0;1,0>:ud 0x1ff0:ud
 *	add (1|M0) r2.2<1>:ud r2.1<0;1,0>:ud r2.0<0;1,0>:ud
 *	shl (1|M0) r2.3<1>:ud r2.2<0;1,0>:ud 2:ud
 *	mov (8|M0) r10.0<1>:ud 0x800:ud
 *	(W) send (1|M0) r12:ud r10:ud 0xA 0x0211B500
 *	add (8|M0) r14.0<1>:ud r2.3<0;1,0>:ud 0x400:ud
 *	mov (8|M0) r15.0<1>:ud r12.0<0;1,0>:ud
 *	(W) send (1|M0) null r14:ud 0xA 0x04036E00
 *	mov (8|M0) r16.0<1>:ud r2.3<0;1,0>:ud
 *	(W) send (1|M0) r18:ud r16:ud 0xA 0x02116E00
 *	mov (1|M0) r3.0<1>:ud 400:ud
 *	L0:
 *	add (1|M0) r3.0<1>:d r3.0<0;1,0>:d -1:d
 *	cmp (8|M0) (gt)f0.0 null:d r3.0<0;1,0>:d 0:d
 *	(W&f0.0) jmpi (1|M0) L0
 *	add (8|M0) r20.0<1>:ud r2.3<0;1,0>:ud 4:ud
 *	add (8|M0) r21.0<1>:ud r18.0<0;1,0>:ud 1:ud
 *	(W) send (1|M0) null r20:ud 0xA 0x04036E00
 *	mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud
 *	(W) send (8|M0) null r112:ud 0x27 0x02000010
 */
static const uint32_t program_chain[] = {
	0x00000005, 0x20400c21, 0x00000004, 0x000001ff, 0x00000008, 0x20440c21, 0x00000004, 0x0000000c,
	0x00000005, 0x20440c21, 0x00000044, 0x00001ff0, 0x00000040, 0x20480421, 0x00000044, 0x00000040,
	0x00000009, 0x204c0c21, 0x00000048, 0x00000002, 0x00600001, 0x21400061, 0x00000000, 0x00000800,
	0x0a000231, 0x21800c21, 0x00000140, 0x0211b500, 0x00600040, 0x21c00c21, 0x0000004c, 0x00000400,
	0x00600001, 0x21e00021, 0x00000180, 0x00000000, 0x0a000231, 0x20000c20, 0x000001c0, 0x04036e00,
	0x00600001, 0x22000021, 0x0000004c, 0x00000000, 0x0a000231, 0x22400c21, 0x00000200, 0x02116e00,
	0x00000001, 0x20600061, 0x00000000, 0x00000190, 0x00000040, 0x20601ca5, 0x00000060, 0xffffffff,
	0x03600010, 0x20001ca4, 0x00000060, 0x00000000, 0x00010220, 0x34001c00, 0x00001400, 0xfffffffa,
	0x00600040, 0x22800c21, 0x0000004c, 0x00000004, 0x00600040, 0x22a00c21, 0x00000240, 0x00000001,
	0x0a000231, 0x20000c20, 0x00000280, 0x04036e00, 0x00600001, 0x2e000021, 0x008d0000, 0x00000000,
	0x07600231, 0x20000c20, 0x00000e00, 0x82000010,
};

/* Threads at three places of a row, each of which waits for the one at its left if the scoreboard is on. */
static bool chained(bool on)
{
	bool ran;

	begin(false);
	put_buffer_program(program_chain, sizeof(program_chain));
	ring(BASE, INVALIDATE);
	ring(BASE, 0x70000006, 0, 35 << 16 | 8 << 8, 0, 2 << 16 | 2, on ? 1u << 31 | 1 : 1, 0xf, 0);
	for (uint32_t x = 0; x < 3; x++)
		ring(BASE, 0x71000004, 0, 1 << 21, 0, x, 1, MI_NOOP, MI_NOOP);
	ring(BASE, STALL, INVALIDATE);
	ran = ring_run(BASE) && get(OUT + 4) == 1 && get(OUT + 8) == (on ? 2 : 1) && get(OUT + 12) == (on ? 3 : 1);
	bench_stop();
	return ran;
}

static void scoreboard(void)
{
	check(chained(true), "a scoreboard lets each thread find what the one at its left has written");
	check(chained(false), "without it threads run at once");
}

static void walks(void)
{
	begin(true);
	ring(BASE, 0x71050009, 0, 1u << 30, 1, 3, 4, 9, 0, 1, 0xffff, 0xffff);
	ring(BASE, GEN7_MEDIA_STATE_FLUSH, 0, STALL);
	check(ring_run(BASE) && filled(16, 4, 32, 5), "a walker of 2 x 5 groups fills as many blocks");
	check(counter_value("eu", "threads") == 10 && counter_value("thread_groups", "rcs0") == 10, "each group once");
	bench_stop();
}

static void media_objects(void)
{
	begin(false);
	for (unsigned int i = 1; i < 4; i++)
		ring(BASE, 0x71000004, 0, 0, 0, i, 0, MI_NOOP, MI_NOOP);
	ring(BASE, STALL);
	check(ring_run(BASE) && filled(16, 0, 48, 1), "three media objects fill three blocks");
	check(counter_value("eu", "instructions") == 27, "each executes nine instructions");
	bench_stop();
}

int main(void)
{
	static const char *const settings[] = { NULL, "workers=2", "workers=4" };

	for (unsigned int i = 0; i < ARRAY_SIZE(settings); i++) {
		workers = settings[i];
		leftovers();
		cleared(0);
		cleared(1);
		cleared(65);
		local_leftovers(0);
		local_leftovers(0x8300);
		local_leftovers(0xff00);
		local_places();
		walks();
		media_objects();
		scoreboard();
	}
	return test_end();
}
