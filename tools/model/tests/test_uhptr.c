// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of preemption by UHPTR
 *
 * What IVB Vol 2 Part 2, 1.3.5, says of MI_ARB_CHECK, MEDIA_STATE_FLUSH and the commands that the driver writes, and
 * the settings for what no text says.
 */
#include "ring_media.h"

#define DATA		PA_DATA
#define IMAGE(n)	(PA_IMAGES + (n) * 0x4000)
#define STORE(pa, v)	MI_STORE_DATA_IMM_DW | MI_SDI_GGTT, 0, (pa), (v)
#define SAVE_REG(reg, pa) GEN7_MI_STORE_REGISTER_MEM | MI_MEM_GGTT, (reg), (pa)
#define LOAD_REG(reg, v) MI_LOAD_REGISTER_IMM(1), (reg), (v)
#define BATCH(addr)	GEN7_MI_BATCH_BUFFER_START, (addr)
#define SET_CONTEXT(n, flags) MI_SET_CONTEXT, IMAGE(n) | MI_SET_CONTEXT_GGTT | (flags)
#define FRESH		MI_SET_CONTEXT_RESTORE_INHIBIT
#define FLUSH(flags)	GEN7_MEDIA_STATE_FLUSH, (flags)
/* So many groups of one thread in a row. */
#define WALKER(groups)	0x71050009, 0, 0, 0, (groups), 0, 1, 0, 1, 0xff, 0xff

static bool started;

static void begin(const char *part, const char *more, const char *third)
{
	const char *const set[] = { part, "group_ns=1000000000", more ? more : "validate=on", third, NULL };

	if (started)
		bench_stop();
	counters_reset();
	bench_start(set);
	started = true;
}

static uint64_t found(const char *what)
{
	return counter_value("findings.driver", what);
}

/* The ring is held while it is filled. */
static void hold(uint32_t base)
{
	wr(RING_MI_MODE(base), IGEN_MASKED_ENABLE(MI_MODE_STOP_RING));
}

static bool go(uint32_t base)
{
	ring_tail(base);
	wr(RING_MI_MODE(base), IGEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	return wait_for(idle(base));
}

/* Commands that count which of them ran: a check and a store, then urgent work at the place that is given back. */
static uint32_t check_then_urgent(uint32_t base)
{
	uint32_t urgent;

	memset(ram + DATA, 0, 64);
	ring(base, MI_ARB_CHECK, MI_NOOP, STORE(DATA, 1));
	urgent = tails[ring_number(base)];
	ring(base, LOAD_REG(RING_UHPTR(base), 0), STORE(DATA + 4, 2));
	return urgent;
}

static void in_the_ring(const char *part, uint32_t base)
{
	uint32_t from, to;

	begin(part, NULL, NULL);
	hold(base);
	from = tails[ring_number(base)];
	to = check_then_urgent(base);
	check(go(base) && get(DATA) == 1 && get(DATA + 4) == 2, "without UHPTR everything is executed");
	hold(base);
	from = tails[ring_number(base)];
	to = check_then_urgent(base);
	wr(RING_UHPTR(base), to | UHPTR_VALID);
	check(go(base) && get(DATA) == 0 && get(DATA + 4) == 2, "%s: MI_ARB_CHECK jumps over the rest", part);
	check(counter_value("preemptions", base == BASE ? "rcs0" : "bcs0") == 1, "that is counted");
	if (strcmp(part, "platform=snb"))
		check(rd(RING_HEAD_PREEMPT(base)) == from + 4, "where the ring would have gone on is kept");
	hold(base);
	ring(base, MI_ARB_ON_OFF, MI_NOOP);
	to = check_then_urgent(base);
	ring(base, MI_ARB_ON_OFF | MI_ARB_ENABLE, MI_NOOP);
	wr(RING_UHPTR(base), to | UHPTR_VALID);
	check(go(base) && get(DATA) == 1 && get(DATA + 4) == 2, "not while arbitration is off");
	check(!(rd(RING_UHPTR(base)) & UHPTR_VALID), "MI_LOAD_REGISTER_IMM takes the request back");
}

static void wraps(void)
{
	const uint32_t base = BCS0_BASE;

	begin("platform=ivb", NULL, NULL);
	while (tails[2] < RING_PAGES * 4096 - 64)
		ring(base, MI_NOOP, MI_NOOP);
	check(ring_run(base), "a ring is near its end");
	hold(base);
	ring(base, MI_ARB_CHECK, MI_NOOP);
	while (tails[2])
		ring(base, MI_NOOP, MI_NOOP);
	ring(base, STORE(DATA, 5));
	wr(RING_UHPTR(base), 0 | UHPTR_VALID);
	check(go(base) && get(DATA) == 5 && rd(RING_HEAD(base)) >> 21 == 1, "a jump back counts a wrap");
}

static void settings(void)
{
	const uint32_t base = BASE;
	uint32_t to;

	begin("platform=ivb", "uhptr_selfclear=on", NULL);
	hold(base);
	memset(ram + DATA, 0, 64);
	ring(base, MI_ARB_CHECK, MI_NOOP, STORE(DATA, 1));
	to = tails[0];
	ring(base, SAVE_REG(RING_UHPTR(base), DATA + 8));
	wr(RING_UHPTR(base), to | UHPTR_VALID);
	check(go(base) && !get(DATA) && get(DATA + 8) == to, "selfclear: the jump clears the bit");
	wr(RING_UHPTR(base), tails[0] | UHPTR_VALID);
	ring(base, MI_NOOP, MI_NOOP);
	wr(RING_UHPTR(base), tails[0] | UHPTR_VALID);
	check(ring_run(base) && wait_for(!(rd(RING_UHPTR(base)) & UHPTR_VALID)), "and so does an arrival");

	begin("platform=ivb", "uhptr_ignore=on", NULL);
	hold(base);
	to = check_then_urgent(base);
	wr(RING_UHPTR(base), to | UHPTR_VALID);
	check(go(base) && get(DATA) == 1 && get(DATA + 4) == 2, "ignore: the ring falls through");

	begin("platform=ivb", "uhptr_late=2", NULL);
	hold(base);
	memset(ram + DATA, 0, 64);
	ring(base, MI_ARB_CHECK, MI_NOOP, STORE(DATA, 1), MI_ARB_CHECK, MI_NOOP, STORE(DATA + 4, 1));
	to = tails[0];
	ring(base, LOAD_REG(RING_UHPTR(base), 0));
	wr(RING_UHPTR(base), to | UHPTR_VALID);
	check(go(base) && get(DATA) == 1 && !get(DATA + 4), "late: the second check jumps");
}

/* A batch that stores and checks; it is left, and gone on with at the kept address. */
static void in_a_batch(const char *more)
{
	const uint32_t base = BASE;
	uint32_t at, to, end;

	begin("platform=ivb", more, NULL);
	hold(base);
	memset(ram + DATA, 0, 64);
	at = commands(PA_BATCH, STORE(DATA, 1), MI_ARB_CHECK);
	end = commands(at, STORE(DATA + 4, 1));
	commands(end, MI_BATCH_BUFFER_END);
	ring(base, BATCH(PA_BATCH), STORE(DATA + 8, 1));
	to = tails[0];
	ring(base, LOAD_REG(RING_UHPTR(base), 0), SAVE_REG(RING_BB_PREEMPT_ADDR(base), DATA + 12),
	     SAVE_REG(RING_HEAD_PREEMPT(base), DATA + 16));
	wr(RING_UHPTR(base), to | UHPTR_VALID);
	check(go(base) && get(DATA) == 1 && !get(DATA + 4) && !get(DATA + 8), "a batch is left at MI_ARB_CHECK");
	check(get(DATA + 12) == at && get(DATA + 16) == 8, "where batch and ring would have gone on is kept");
	distributions_to_counters();
	/* The jump into the batch, its store and its check. */
	check(counter_value("preemption_commands.rcs0", "samples") == 1 &&
	      counter_value("preemption_commands.rcs0", "max") == 3, "the commands until then are counted");
	ring(base, BATCH(at));
	check(ring_run(base) && get(DATA + 4) == 1, "and the batch goes on from there");
	hold(base);
	to = check_then_urgent(base);
	wr(RING_UHPTR(base), to | UHPTR_VALID);
	check(go(base) && rd(RING_BB_PREEMPT_ADDR(base)) == (more ? at : 0),
	      more ? "stale: the address stays when the ring jumps" :
	      "the address is 0 when the ring jumps");
}

static void batches_of_others(void)
{
	uint32_t to;

	begin("platform=snb", NULL, NULL);
	hold(BASE);
	memset(ram + DATA, 0, 64);
	commands(commands(PA_BATCH, MI_ARB_CHECK, STORE(DATA, 1)), MI_BATCH_BUFFER_END);
	ring(BASE, BATCH(PA_BATCH));
	to = tails[0];
	ring(BASE, LOAD_REG(RING_UHPTR(BASE), 0));
	wr(RING_UHPTR(BASE), to | UHPTR_VALID);
	check(go(BASE) && get(DATA) == 1, "Sandy Bridge does not look in a batch");
	begin("platform=ivb", NULL, NULL);
	hold(BCS0_BASE);
	commands(commands(PA_BATCH, MI_ARB_CHECK, STORE(DATA, 2)), MI_BATCH_BUFFER_END);
	ring(BCS0_BASE, BATCH(PA_BATCH));
	to = tails[2];
	ring(BCS0_BASE, LOAD_REG(RING_UHPTR(BCS0_BASE), 0));
	wr(RING_UHPTR(BCS0_BASE), to | UHPTR_VALID);
	check(go(BCS0_BASE) && found("uhptr-batch-lost: a batch was left on an engine that saves nothing") == 1,
	      "a batch that the blitter leaves is lost, which is found");
}

#define GROUPS	6u
/* A second a group, by a clock that passes when the engine waits. */
#define VIRTUAL	"clock=virtual"

/* A walker, a flush and a check in a batch; the request is there when the flush is executed. */
static void walkers(uint32_t flush, const char *more)
{
	const uint32_t base = BASE;
	uint32_t at, to;
	uint64_t before;

	begin("platform=ivb", VIRTUAL, more);
	hold(base);
	memset(ram + DATA, 0, 64);
	at = commands(PA_BATCH, WALKER(GROUPS), FLUSH(flush));
	/* No check may go with a flush that takes no request. */
	at = commands(at, flush ? MI_NOOP : MI_ARB_CHECK);
	commands(at, STALL, STORE(DATA, 1), MI_BATCH_BUFFER_END);
	ring(base, MI_ARB_ON_OFF, MI_NOOP, SET_CONTEXT(0, FRESH), MI_NOOP, MI_NOOP, MI_ARB_ON_OFF | MI_ARB_ENABLE,
	     BATCH(PA_BATCH), STORE(DATA + 4, 1));
	/* The manual's order: UHPTR, the commands, the tail. */
	to = tails[0];
	wr(RING_UHPTR(base), to | UHPTR_VALID);
	ring(base, LOAD_REG(RING_UHPTR(base), 0), MI_NOOP, SAVE_REG(RING_BB_PREEMPT_ADDR(base), DATA + 8), MI_NOOP,
	     GEN7_PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_GGTT, DATA + 24, 1, 0,
	     MI_ARB_ON_OFF, SET_CONTEXT(1, FRESH), MI_NOOP, MI_ARB_ON_OFF | MI_ARB_ENABLE, STORE(DATA + 12, 1));
	check(go(base), "urgent work ends");
	if (flush || more) {
		check(counter_value("thread_groups", "rcs0") == GROUPS && get(DATA) == 1 && get(DATA + 4) == 1,
		      "a walker that may not be preempted runs to its end");
		return;
	}
	before = counter_value("thread_groups", "rcs0");
	check(get(DATA + 12) == 1 && !get(DATA) && before >= 1 && before < GROUPS,
	      "the walker was left between two groups");
	check(get(DATA + 8) == at, "and the batch behind the check");
	check(get(DATA + 24) == 1, "PIPE_CONTROL does not wait for the groups that are left");
	distributions_to_counters();
	check(counter_value("preemption_groups.group", "samples") == 1 &&
	      counter_value("preemption_groups.group", "max") == 1 && counter_value("walkers_preempted", "rcs0") == 1,
	      "the groups until then are counted");
	ring(base, STORE(DATA + 16, 1));
	check(ring_run(base) && counter_value("thread_groups", "rcs0") == before, "its rest waits for its context");
	ring(base, MI_ARB_ON_OFF, MI_NOOP, SET_CONTEXT(0, 0), MI_NOOP, MI_NOOP, MI_ARB_ON_OFF | MI_ARB_ENABLE, FLUSH(0),
	     MI_ARB_CHECK, MI_NOOP, BATCH(at), STORE(DATA + 20, 1));
	check(ring_run(base) && get(DATA) == 1 && get(DATA + 20) == 1, "the context comes back");
	check(counter_value("thread_groups", "rcs0") == GROUPS, "each group ran once");
}

#define MANY		600u
#define CHANNELS	16u
#define ARRIVED		(OUT + 0x400)		/* channels that have begun */
#define GATE		(OUT + 0x404)		/* a group waits until so many have */
#define CELLS		(OUT + 0x1000)		/* channels by their group in X */
#define SHUT		~0u

/*
 * As program_gather of media_programs.h without the numbers of threads, with the messages of Gen7:
 *
 *	mov (16|M0) r10.0<1>:ud 0x400:ud
 *	send (16|M0) null r10:ud 0xA 0x04018500
 *	mov (8|M0) r12.0<1>:ud 0x400:ud
 *	mov (8|M0) r14.0<1>:ud 0x404:ud
 *	L0:
 *	(W) send (8|M0) r13:ud r12:ud 0xA 0x02116E00
 *	(W) send (8|M0) r15:ud r14:ud 0xA 0x02116E00
 *	cmp (8|M0) (lt)f0.0 null:ud r13.0<0;1,0>:ud r15.0<0;1,0>:ud
 *	(W&f0.0) jmpi (1|M0) L0
 *	mov (16|M0) r10.0<1>:ud r0.1<0;1,0>:ud
 *	shl (16|M0) r10.0<1>:ud r10.0<8;8,1>:ud 2:ud
 *	add (16|M0) r10.0<1>:ud r10.0<8;8,1>:ud 0x1000:ud
 *	send (16|M0) null r10:ud 0xA 0x04018500
 *	mov (8|M0) r112.0<1>:ud r0.0<8;8,1>:ud
 *	(W) send (8|M0) null r112:ud 0x27 0x02000010
 */
static const uint32_t program_gather[] = {
	0x00800001, 0x21400061, 0x00000000, 0x00000400, 0x0a800031, 0x20000c20, 0x00000140, 0x04018500,
	0x00600001, 0x21800061, 0x00000000, 0x00000400, 0x00600001, 0x21c00061, 0x00000000, 0x00000404,
	0x0a600231, 0x21a00c21, 0x00000180, 0x02116e00, 0x0a600231, 0x21e00c21, 0x000001c0, 0x02116e00,
	0x05600010, 0x20000420, 0x000001a0, 0x000001e0, 0x00010220, 0x34001c00, 0x00001400, 0xfffffff8,
	0x00800001, 0x21400021, 0x00000004, 0x00000000, 0x00800009, 0x21400c21, 0x008d0140, 0x00000002,
	0x00800040, 0x21400c21, 0x008d0140, 0x00001000, 0x0a800031, 0x20000c20, 0x00000140, 0x04018500,
	0x00600001, 0x2e000021, 0x008d0000, 0x00000000, 0x07600231, 0x20000c20, 0x00000e00, 0x82000010,
};

static uint32_t arrived(void)
{
	return get(ARRIVED) / CHANNELS;
}

/* Groups that have not run exactly once. */
static unsigned int wrong_cells(void)
{
	unsigned int wrong = 0;

	for (uint32_t i = 0; i < MANY; i++)
		wrong += get(CELLS + 4 * i) != CHANNELS;
	return wrong;
}

/* Does MEDIA_STATE_FLUSH wait? */
static bool flushes(void)
{
	bool f;

	pthread_mutex_lock(&gpu->lock);
	f = gpu->engine[RCS0]->pipeline.flushes;
	pthread_mutex_unlock(&gpu->lock);
	return f;
}

/*
 * Groups that execute a program, so many at a time. The request comes while they wait at the gate. Until the engine's
 * thread looks at the request, each thread of the host may begin one more group.
 */
static void programs(const char *workers, unsigned int together)
{
	const uint32_t base = BASE;
	uint32_t at, ran;

	begin("platform=ivb", "group_ns=0", workers);
	memset(ram + DATA, 0, 64);
	put_buffer_program(program_gather, sizeof(program_gather));
	put(GATE, SHUT);
	/* Groups of one thread of 16 channels in a row. */
	at = commands(PA_BATCH, 0x71050009, 0, 1u << 30, 0, MANY, 0, 1, 0, 1, 0xffff, 0xffff, FLUSH(0), MI_ARB_CHECK);
	commands(at, STALL, STORE(DATA, 1), MI_BATCH_BUFFER_END);
	ring(base, MI_ARB_ON_OFF, MI_NOOP, SET_CONTEXT(0, FRESH), MI_NOOP, MI_NOOP, MI_ARB_ON_OFF | MI_ARB_ENABLE);
	media_state(true);
	ring(base, BATCH(PA_BATCH), STORE(DATA + 4, 1));
	ring_tail(base);
	check(wait_for(arrived() == together && flushes()), "%s: %u groups begin", workers, together);
	wr(RING_UHPTR(base), tails[0] | UHPTR_VALID);
	put(GATE, 0);
	ring(base, LOAD_REG(RING_UHPTR(base), 0), MI_NOOP, MI_ARB_ON_OFF, SET_CONTEXT(1, FRESH), MI_NOOP,
	     MI_ARB_ON_OFF | MI_ARB_ENABLE, STORE(DATA + 12, 1));
	check(ring_run(base) && get(DATA + 12) == 1 && !get(DATA), "%s: urgent work ends before the walker", workers);
	ran = arrived();
	check(ran <= 2 * together && counter_value("thread_groups", "rcs0") == ran,
	      "%s: the groups that had begun have ended, and few others (%u)", workers, ran);
	ring(base, MI_ARB_ON_OFF, MI_NOOP, SET_CONTEXT(0, 0), MI_NOOP, MI_NOOP, MI_ARB_ON_OFF | MI_ARB_ENABLE, FLUSH(0),
	     MI_ARB_CHECK, MI_NOOP, BATCH(at), STORE(DATA + 20, 1));
	check(ring_run(base) && get(DATA) == 1 && get(DATA + 20) == 1, "%s: the context comes back", workers);
	check(!wrong_cells() && arrived() == MANY && counter_value("eu", "threads") == MANY &&
	      counter_value("thread_groups", "rcs0") == MANY, "%s: each group ran once (%u wrong)", workers,
	      wrong_cells());
}

/* The flush halts the walker, and nothing leaves it. */
static void flush_without_check(void)
{
	const uint32_t base = BASE;
	uint32_t at;

	begin("platform=ivb", VIRTUAL, NULL);
	hold(base);
	memset(ram + DATA, 0, 64);
	at = commands(PA_BATCH, WALKER(GROUPS), FLUSH(0), STORE(DATA, 1));
	commands(at, STALL, STORE(DATA + 4, 1), MI_BATCH_BUFFER_END);
	ring(base, BATCH(PA_BATCH));
	wr(RING_UHPTR(base), tails[0] | UHPTR_VALID);
	check(go(base) && get(DATA + 4) == 1 && counter_value("thread_groups", "rcs0") == GROUPS,
	      "a walker that no check leaves goes on");
	check(counter_value("uhptr_flush_without_check", "rcs0") == 1, "which is counted");
}

static void mistakes(void)
{
	const uint32_t base = BASE;

	begin("platform=ivb", NULL, NULL);
	wr(RING_UHPTR(base), RING_PAGES * 4096 | UHPTR_VALID);
	check(found("uhptr-outside: UHPTR is not within the ring, or no multiple of eight bytes") == 1,
	      "a place outside is found");
	wr(RING_UHPTR(base), 64 | UHPTR_VALID);
	check(found("uhptr-pending: UHPTR is written while a request waits") == 1, "a second request is found");
	wr(RING_UHPTR(base), 0);
	wr(RC_CONTROL, RC_CONTROL_RC6_ENABLE);
	wr(RING_UHPTR(base), 64 | UHPTR_VALID);
	check(!found("uhptr-rc6: UHPTR is written while the GT may enter RC6"), "forcewake keeps the GT awake");
	wr(RING_UHPTR(base), 0);
	wr(FORCEWAKE_MT, IGEN_MASKED_DISABLE(1));
	wr(RING_UHPTR(base), 64 | UHPTR_VALID);
	check(found("uhptr-rc6: UHPTR is written while the GT may enter RC6") == 1, "without it the mistake is found");
}

int main(void)
{
	in_the_ring("platform=ivb", RCS0_BASE);
	in_the_ring("platform=ivb", BCS0_BASE);
	in_the_ring("platform=snb", RCS0_BASE);
	wraps();
	settings();
	in_a_batch(NULL);
	in_a_batch("uhptr_stale=on");
	batches_of_others();
	walkers(0, NULL);
	walkers(GEN7_MEDIA_STATE_FLUSH_NO_PREEMPTION, NULL);
	walkers(0, "uhptr_ignore=on");
	programs("workers=1", 1);
	programs("workers=4", 4);
	flush_without_check();
	mistakes();
	bench_stop();
	return test_end();
}
