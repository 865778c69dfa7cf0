// SPDX-License-Identifier: MIT
/**
 * DOC: Tests: clearing the registers of the execution units and shared local memory
 *
 * What the program does is for the model to show (tools/model/tests/test_media_gen7.c). Here its instructions are
 * looked at one by one: each register from r0 to r127 is written, and no channel is left out. Threads' constants and
 * their messages cover each byte of shared local memory, however many threads there are. The commands are valid, and
 * nothing in them lets the engine be preempted before the threads have ended.
 */
#include "igen/batch/clear.h"
#include "test.h"

#define NO_MASK		(1u << 9)
#define END		0x07600231u

/* An untyped write of sixteen channels to shared local memory. */
#define LOCAL_WRITE	0x140350feu

static const struct igen_clear halves = { 64, 2 }, too_large = { 65, 1 }, too_small = { 31, 1 };

static void build(struct igen_batch *b, const void *arg)
{
	igen_clear(b, random_bo(b->gen, 8192), arg);
}

static void build_state(struct igen_batch *b, const void *arg)
{
	igen_clear_state(b, arg);
}

/* Where the program begins: as the descriptor says. */
static unsigned int start_of(const struct igen_batch *s)
{
	return (unsigned int)(field_of(s->gen, "INTERFACE_DESCRIPTOR_DATA", "Kernel Start Pointer", s->map) / 4);
}

static void program(const struct igen_batch *s)
{
	unsigned int written[128] = { 0 }, missing = 0, masked = 0, i;

	for (i = start_of(s); i < s->used; i += 4) {
		const __u32 *dw = s->map + i;
		unsigned int reg = dw[1] >> 21 & 0xff, n = (dw[0] >> 21 & 7) == 4 ? 2 : 1;

		masked += !(dw[0] & NO_MASK);
		/* To a general register, from its first byte on. */
		if ((dw[1] & 3) == 1 && !(dw[1] >> 16 & 31))
			for (; n && reg < 128; n--)
				written[reg++]++;
	}
	for (i = 0; i < 128; i++)
		missing += !written[i];
	check(!missing, "clear-program", s->gen, "%u registers are not written", missing);
	check(!masked, "clear-program", s->gen, "%u instructions leave channels out", masked);
	check(s->map[s->used - 4] == END, "clear-program", s->gen, "it ends with %08x", s->map[s->used - 4]);
}

/* Each thread's messages clear 256 bytes from its constants on, one behind the other. */
static void local(unsigned int threads)
{
	static __u32 map[IGEN_CLEAR_STATE / 4];
	static __u8 cleared[IGEN_CLEAR_LOCAL];
	const struct igen_clear c = { threads, 1 };
	unsigned int messages = 0, missing = 0, outside = 0, i, t;
	struct igen_batch s;

	igen_batch_init(&s, 7, IGEN_BATCH_MEMORY, map, sizeof(map));
	igen_clear_state(&s, &c);
	check(!s.error, "clear-local", 7, "error %d: %s", s.error, s.why);
	for (i = start_of(&s); i < s.used; i += 4)
		messages += map[i + 3] == LOCAL_WRITE;
	memset(cleared, 0, sizeof(cleared));
	for (t = 0; t < threads; t++) {
		const __u32 *at = map + IGEN_CLEAR_CONSTANTS / 4 + t * 8;

		for (i = 1; i < 8; i++)
			outside += at[i] != at[0] + i * 16;
		if (at[0] + messages * IGEN_CLEAR_STEP <= IGEN_CLEAR_LOCAL)
			memset(cleared + at[0], 1, messages * IGEN_CLEAR_STEP);
		else
			outside++;
	}
	for (i = 0; i < IGEN_CLEAR_LOCAL; i++)
		missing += !cleared[i];
	check(!missing && !outside, "clear-local", 7, "%u threads: %u bytes are not cleared, %u wrong addresses",
	      threads, missing, outside);
}

void test_clear(unsigned int gen)
{
	struct test_case t = { .name = "clear", .gen = gen, .engine = IGEN_BATCH_RENDER, .build = build,
			       .arg = &halves };
	static __u32 map[IGEN_CLEAR_STATE / 4], commands[256];
	struct igen_batch b;
	const __u32 *flush;

	if (gen != 7) {
		check_bad(&t, -EOPNOTSUPP);
		return;
	}
	check_good(&t);
	t.arg = &too_large;
	check_bad(&t, -ERANGE);
	t.arg = &halves;
	t.engine = IGEN_BATCH_COPY;
	check_bad(&t, -EINVAL);

	igen_batch_init(&b, gen, IGEN_BATCH_RENDER, commands, sizeof(commands));
	igen_clear(&b, random_bo(gen, 8192), &halves);
	flush = find_command(&b, "MEDIA_STATE_FLUSH", 0);
	check(flush && field_of(gen, "MEDIA_STATE_FLUSH", "Disable Pre-emption", flush), t.name, gen,
	      "the walker may be preempted");
	check(!find_command(&b, "MEDIA_STATE_FLUSH", 1) && !find_command(&b, "MI_ARB_CHECK", 0), t.name, gen,
	      "a place where the engine may be preempted");

	t = (struct test_case){ .name = "clear-state", .gen = gen, .engine = IGEN_BATCH_RENDER, .build = build_state,
				.arg = &halves };
	check_bad(&t, -EINVAL);
	igen_batch_init(&b, gen, IGEN_BATCH_MEMORY, map, sizeof(map));
	igen_clear_state(&b, &halves);
	check(!b.error, t.name, gen, "error %d: %s", b.error, b.why);
	check_state(t.name, gen, "INTERFACE_DESCRIPTOR_DATA", map);
	program(&b);
	igen_batch_init(&b, gen, IGEN_BATCH_MEMORY, map, sizeof(map));
	igen_clear_state(&b, &too_small);
	check(b.error == -ERANGE, t.name, gen, "error %d for too few threads", b.error);
	for (unsigned int threads = 32; threads <= 64; threads++)
		local(threads);
}
