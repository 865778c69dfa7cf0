// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of groups by MEDIA_OBJECT_GRPID
 *
 * What DG1 Vol 2a, MEDIA_OBJECT_GRPID, says of the group id, the end of a group and the payload, and what a client can
 * do against it. The program counts its group in local memory between two barriers, and tells how many threads it found
 * and the greatest place among them.
 */
#include "media_bench.h"
#include "media_programs.h"
#include "spawn_programs.h"

#define SECOND		0x400u		/* from the state's base: the program of the second descriptor */
#define THREADS		8u		/* of a group */
#define OBJECT		7u		/* dwords of the command without inline data */
#define FIELDS(...)	((struct gen9_media_object_grpid){ __VA_ARGS__ })

/* A thread with so many dwords of inline data, which are its place from one on. */
static void object(struct ctx *a, struct gen9_media_object_grpid o, uint32_t dwords)
{
	uint32_t dw[OBJECT + 16] = { 0 };

	o.dword_length = OBJECT - 2 + dwords;
	if (gen9_media_object_grpid_pack(dw, ARRAY_SIZE(dw), &o) != (int)(OBJECT + dwords))
		exit(2);
	for (uint32_t i = 0; i < dwords; i++)
		dw[OBJECT + i] = o.scoreboard_x + i;
	batch_emit(a, dw, OBJECT + dwords);
}

/* A thread of a group: its place in X is its number, that in Y is the group's row. */
static void member(struct ctx *a, uint32_t id, uint32_t row, uint32_t x, uint32_t last)
{
	object(a, FIELDS(.groupid = id, .scoreboard_x = x, .scoreboard_y = row, .end_of_thread_group = x == last), 1);
}

/* All threads of a group, or those from one to another. */
static void members(struct ctx *a, uint32_t id, uint32_t row, uint32_t from, uint32_t to)
{
	for (uint32_t x = from; x <= to; x++)
		member(a, id, row, x, THREADS - 1);
}

static void watermark(struct ctx *a)
{
	pack(a, media_state_flush, 2, .watermark_required = 1);
}

/* A group's barrier is for so many threads, and it has local memory of such a code. */
static void start_groups(uint32_t threads, uint32_t local)
{
	start(NULL, NULL);
	descriptor.barrier_enable = threads;
	descriptor.number_of_threads_in_gpgpu_thread_group = threads;
	descriptor.shared_local_memory_size = local;
	vfe.number_of_urb_entries = 32;
	vfe.maximum_number_of_threads = 255;
}

/* How many of a row's threads have told of another group than theirs. */
static unsigned int wrong(uint32_t row)
{
	unsigned int n = 0;

	for (uint32_t x = 0; x < THREADS; x++) {
		uint32_t at = OUT + 8 * (row << 4 | x);

		n += get(at) != THREADS || get(at + 4) != (row << 4 | (THREADS - 1));
	}
	return n;
}

static void groups(void)
{
	struct ctx a;

	start_groups(THREADS, 1);
	PREPARE(&a, program_group, 0);
	for (uint32_t row = 0; row < 6; row++) {
		watermark(&a);
		members(&a, row << 28 | 5, row, 0, THREADS - 1);
	}
	check(done(&a) && counter_value("eu", "threads") == 6 * THREADS, "groups: all threads end");
	for (uint32_t row = 0; row < 6; row++)
		check(!wrong(row), "groups: threads with an id share a barrier and local memory (row %u)", row);
	bench_stop();

	/* Local memory of a whole half-slice, so that groups wait for each other. */
	start_groups(THREADS, 7);
	PREPARE(&a, program_group, 0);
	for (uint32_t row = 0; row < 6; row++)
		members(&a, row, row, 0, THREADS - 1);
	check(done(&a) && !wrong(0) && !wrong(1) && !wrong(2) && !wrong(3) && !wrong(4) && !wrong(5),
	      "groups: one begins when it has room, without a watermark, too");
	bench_stop();

	start_groups(THREADS, 1);
	PREPARE(&a, program_group, 0);
	for (uint32_t x = 0; x < THREADS; x++) {
		member(&a, 1, 0, x, THREADS - 1);
		member(&a, 2, 1, x, THREADS - 1);
	}
	check(done(&a) && !wrong(0) && !wrong(1), "groups: the id tells threads of two groups apart");
	bench_stop();
}

/* An id may be used again when the group does not run any more. */
static void reused(void)
{
	struct ctx a;

	start_groups(THREADS, 1);
	PREPARE(&a, program_group, 0);
	members(&a, 3, 0, 0, THREADS - 1);
	batch(&a, STALL);
	members(&a, 3, 1, 0, THREADS - 1);
	check(done(&a) && !wrong(0) && !wrong(1), "an id is used again behind a flush");
	bench_stop();
}

/* What is between the commands of a group, and does not wait for its threads. */
static void between(void)
{
	struct ctx a;

	start_groups(THREADS, 1);
	PREPARE(&a, program_group, 0);
	batch(&a, MI_ARB_ON_OFF);
	members(&a, 0, 0, 0, 2);
	pack(&a, media_state_flush, 2, 0);
	members(&a, 0, 0, 3, 4);
	batch(&a, MI_NOOP, MI_BATCH_BUFFER_START | MI_BBS_PPGTT, PPGTT(a.pa + CTX_BATCH2));
	batch_at(&a, CTX_BATCH2);
	members(&a, 0, 0, 5, 7);
	batch(&a, MI_ARB_ON_OFF | 1, STALL, STORE(FLAG, 1), MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	check(run(base, &a) && get(FLAG) == 1 && !wrong(0), "a group goes on behind a flush and in a chained batch");
	bench_stop();
}

/* Where a thread at a place has told its registers; 0: nowhere. */
static uint32_t told(uint32_t x)
{
	for (uint32_t id = 0; id < 4; id++)
		if ((get(OUT + 1024 * x + 256 * id + 4) & 0x1ff) == x)
			return OUT + 1024 * x + 256 * id;
	return 0;
}

/* Three threads, whose places are from one on. */
static void dumps(struct ctx *a, struct gen9_media_object_grpid o, uint32_t dwords)
{
	for (uint32_t x = 1; x <= 3; x++) {
		o.scoreboard_x = x;
		o.end_of_thread_group = x == 3;
		object(a, o, dwords);
	}
}

static void start_dumps(uint32_t cross, uint32_t own)
{
	start_groups(3, 1);
	descriptor.cross_thread_constant_data_read_length = cross;
	descriptor.constant_urb_entry_read_length = own;
	descriptor.constant_urb_entry_read_offset = own ? 1 : 0;
}

/* The constants of both groups begin with the first thread's. */
static void constants(void)
{
	struct ctx a;

	start_dumps(2, 3);
	PREPARE(&a, program_dump, 1000);
	dumps(&a, FIELDS(.groupid = 4), 0);
	batch(&a, STALL);
	dumps(&a, FIELDS(.groupid = 5, .scoreboard_y = 1), 0);
	check(done(&a), "constants: all threads end");
	for (uint32_t x = 1; x <= 3; x++) {
		uint32_t at = told(x);

		check(get(at + 8) == (1u << 29 | 1u << 28), "r0 of thread %u has its barrier and local memory", x);
		check(get(at + 32) == 1008 && get(at + 64) == 1016,
		      "constants: thread %u begins with those of the group", x);
		check(get(at + 96) == 1024 + (x - 1) * 24 && get(at + 160) == 1040 + (x - 1) * 24 && !get(at + 192),
		      "constants: behind them thread %u has its own part", x);
	}
	bench_stop();
}

static void indirect(void)
{
	struct ctx a;

	start_dumps(2, 1);
	PREPARE(&a, program_dump, 500);
	dumps(&a, FIELDS(.groupid = 4, .indirect_data_start_address = 64, .indirect_data_length = 160), 0);
	check(done(&a), "indirect data: all threads end");
	for (uint32_t x = 1; x <= 3; x++) {
		uint32_t at = told(x);

		check(get(at + 32) == 532 + (x - 1) * 8, "indirect data: thread %u begins with its own part", x);
		check(get(at + 64) == 516 && get(at + 96) == 524 && !get(at + 128),
		      "indirect data: behind it thread %u has the group's", x);
	}
	bench_stop();

	/* The third thread's part lies beyond the data. */
	start_dumps(0, 2);
	PREPARE(&a, program_dump, 500);
	dumps(&a, FIELDS(.groupid = 4, .indirect_data_length = 160), 0);
	check(done(&a) && get(told(2) + 32) == 516 && get(told(3) + 32) == 532 && !get(told(3) + 64),
	      "indirect data: what lies beyond it is 0");
	bench_stop();
}

static void inline_data(void)
{
	struct ctx a;

	start_dumps(0, 0);
	PREPARE(&a, program_dump, 500);
	dumps(&a, FIELDS(.groupid = 4, .scoreboard_color = 9, .scoreboard_mask = 3), 9);
	check(done(&a), "inline data: all threads end");
	for (uint32_t x = 1; x <= 3; x++)
		check(get(told(x) + 32) == x && get(told(x) + 64) == x + 8 && !get(told(x) + 68),
		      "inline data: thread %u has that of its command", x);
	check((get(told(1) + 8) & 15) == 9 && get(told(1)) >> 24 == 3, "r0 has the scoreboard's color and mask");
	bench_stop();
}

/* Threads of a group without a barrier wait for each other by the scoreboard. */
static void scoreboard(void)
{
	unsigned int found = 0;
	struct ctx a;

	start_groups(0, 1);
	vfe.scoreboard_enable = true;
	vfe.scoreboard_mask = 1;
	vfe.scoreboard_0_delta_x = -1;
	PREPARE(&a, program_chain, 0);
	for (uint32_t x = 0; x < 24; x++)
		object(&a, FIELDS(.groupid = 1, .use_scoreboard = 1, .scoreboard_mask = 1, .scoreboard_x = x,
				  .end_of_thread_group = x == 23), 1);
	check(done(&a), "scoreboard: all threads end");
	for (uint32_t i = 0; i < 24; i++)
		found += get(OUT + 4 * (i + 1)) == i + 1;
	check(found == 24, "scoreboard: each finds what the one before it has written (%u)", found);
	bench_stop();
}

/* The engine hangs, a reset ends that, and nothing is left: another context has all groups of the hardware. */
static void stops(struct ctx *a, const char *why)
{
	struct ctx b;

	finish(a);
	submit(base, a);
	check(wait_for(counter_value("eu_faults", why)), "stopped: %s", why);
	check(!idle(base) && render_resets() && !get(FLAG), "which a reset ends");
	memset(ram + OUT, 0, OUT_BYTES);
	descriptor = (struct gen9_interface_descriptor_data){
		.binding_table_pointer = TABLE, .barrier_enable = true, .shared_local_memory_size = 7,
		.number_of_threads_in_gpgpu_thread_group = THREADS,
	};
	vfe.maximum_number_of_threads = 255;
	PREPARE(&b, program_group, 0);
	for (uint32_t row = 0; row < 4; row++)
		members(&b, row, row, 0, THREADS - 1);
	check(done(&b) && !wrong(0) && !wrong(1) && !wrong(2) && !wrong(3), "and another context's groups run");
	bench_stop();
}

static void wrong_payloads(void)
{
	struct ctx a;

	start_groups(1, 1);
	PREPARE(&a, program_group, 0);
	object(&a, FIELDS(.end_of_thread_group = 1), 0);
	stops(&a, "a media thread of a group without any payload");

	start_groups(1, 1);
	PREPARE(&a, program_group, 0);
	object(&a, FIELDS(.end_of_thread_group = 1, .indirect_data_length = 32), 8);
	stops(&a, "a media thread of a group with more than one kind of payload");

	start_groups(1, 1);
	descriptor.constant_urb_entry_read_length = 1;
	PREPARE(&a, program_group, 0);
	object(&a, FIELDS(.end_of_thread_group = 1), 8);
	stops(&a, "a media thread of a group with more than one kind of payload");
}

static void wrong_groups(void)
{
	const char *const number = "a group of media threads that are not as many as its barrier waits for";
	struct ctx a;

	start_groups(0, 0);
	PREPARE(&a, program_group, 0);
	members(&a, 0, 0, 0, THREADS - 1);
	stops(&a, "a group of media threads with neither a barrier nor local memory");

	start_groups(THREADS, 1);
	PREPARE(&a, program_endless, 0);
	members(&a, 0, 0, 1, THREADS - 1);
	stops(&a, number);

	start_groups(THREADS, 1);
	PREPARE(&a, program_endless, 0);
	members(&a, 0, 0, 0, THREADS - 2);
	members(&a, 0, 0, 0, 1);
	stops(&a, number);

	start_groups(65, 1);
	PREPARE(&a, program_group, 0);
	members(&a, 0, 0, 0, THREADS - 1);
	stops(&a, "a barrier of more threads than a half-slice has");

	start_groups(THREADS, 1);
	vfe.maximum_number_of_threads = THREADS - 2;
	PREPARE(&a, program_group, 0);
	members(&a, 0, 0, 0, THREADS - 1);
	stops(&a, "a barrier of more threads than MEDIA_VFE_STATE allows");

	start_groups(THREADS, 1);
	PREPARE(&a, program_group, 0);
	members(&a, 0, 0, 0, THREADS - 1);
	members(&a, 0, 1, 0, THREADS - 1);
	stops(&a, "a group of media threads with the id of one that runs");

	start_groups(THREADS, 1);
	PREPARE(&a, program_group, 0);
	object(&a, FIELDS(.interface_descriptor_offset = 1), 1);
	stops(&a, "there is no such interface descriptor");
}

/* All threads of a group have the same descriptor, and run on the same subslice. */
static void apart(void)
{
	struct ctx a;

	start_groups(2, 1);
	PREPARE(&a, program_group, 0);
	pack(&a, media_interface_descriptor_load, 4, .interface_descriptor_total_length = 64,
	     .interface_descriptor_data_start_address = DESCRIPTORS);
	memcpy(ram + STATE + DESCRIPTORS + 32, ram + STATE + DESCRIPTORS, 32);
	object(&a, FIELDS(.groupid = 1), 1);
	object(&a, FIELDS(.groupid = 1, .interface_descriptor_offset = 1, .end_of_thread_group = 1), 1);
	stops(&a, "media threads of a group with different interface descriptors");

	start_groups(2, 1);
	PREPARE(&a, program_group, 0);
	object(&a, FIELDS(.groupid = 1, .force_destination = 1, .subslice_destination_select = 1), 1);
	object(&a, FIELDS(.groupid = 1, .force_destination = 1, .end_of_thread_group = 1), 1);
	stops(&a, "media threads of a group that are sent to different subslices");
}

/* A group that no command ends. */
static void left_open(void)
{
	struct ctx a;

	start_groups(THREADS, 1);
	PREPARE(&a, program_group, 0);
	members(&a, 0, 0, 0, THREADS - 2);
	stops(&a, "a barrier of media threads some of which do not come");

	/* All have come to the barrier. The flush ends the group, so that its id is free and so is its local memory. */
	start_groups(THREADS, 7);
	PREPARE(&a, program_group, 0);
	for (uint32_t row = 0; row < 4; row++) {
		for (uint32_t x = 0; x < THREADS; x++)
			member(&a, 9, row, x, THREADS);
		batch(&a, STALL);
	}
	check(done(&a) && !wrong(0) && !wrong(1) && !wrong(2) && !wrong(3), "a flush closes a group that is open");
	bench_stop();

	/* Without a flush they keep what they have: both half-slices. */
	start_groups(THREADS, 7);
	PREPARE(&a, program_group, 0);
	for (uint32_t row = 0; row < 3; row++)
		for (uint32_t x = 0; x < THREADS; x++)
			member(&a, row, row, x, THREADS);
	stops(&a, "a group of media threads without room beside others that are open");
}

/* The second descriptor is that of threads which wait until the CPU sets 900h. */
static void add_pollers(struct ctx *a)
{
	struct gen9_interface_descriptor_data other = descriptor;
	uint32_t dw[8] = { 0 };

	memcpy(ram + STATE + SECOND, program_poll, sizeof(program_poll));
	other.kernel_start_pointer = SECOND;
	gen9_interface_descriptor_data_put(dw, &other);
	memcpy(ram + STATE + DESCRIPTORS + 32, dw, sizeof(dw));
	pack(a, media_interface_descriptor_load, 4, .interface_descriptor_total_length = 64,
	     .interface_descriptor_data_start_address = DESCRIPTORS);
}

/*
 * Ten threads may run. One waits for the CPU, and four of the first group for that one. If the second group began,
 * each of the two would wait for threads that may not start.
 */
static void limited(void)
{
	uint64_t before;
	struct ctx a;

	start_groups(THREADS, 1);
	vfe.maximum_number_of_threads = THREADS + 1;
	vfe.scoreboard_enable = true;
	vfe.scoreboard_type = 1;
	vfe.scoreboard_mask = 15;
	vfe.scoreboard_0_delta_x = -1;
	vfe.scoreboard_1_delta_x = -2;
	vfe.scoreboard_2_delta_x = -3;
	vfe.scoreboard_3_delta_x = -4;
	vfe.scoreboard_0_delta_y = -1;
	vfe.scoreboard_1_delta_y = -1;
	vfe.scoreboard_2_delta_y = -1;
	vfe.scoreboard_3_delta_y = -1;
	PREPARE(&a, program_group, 0);
	add_pollers(&a);
	pack(&a, media_object, 6, .dword_length = 4, .interface_descriptor_offset = 1, .use_scoreboard = 1);
	for (uint32_t x = 0; x < THREADS; x++)
		object(&a, FIELDS(.groupid = 1, .scoreboard_x = x, .scoreboard_y = 1, .end_of_thread_group = x == 7,
				  .use_scoreboard = x >= 1 && x <= 4,
				  .scoreboard_mask = x >= 1 && x <= 4 ? 1u << (x - 1) : 0), 1);
	members(&a, 2, 2, 0, THREADS - 1);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu", "threads") >= 5), "limited: threads of the first group run");
	before = counter_value("eu", "instructions");
	check(wait_for(counter_value("eu", "instructions") > before + 100000) && counter_value("eu", "threads") == 5,
	      "limited: the second group does not begin before all of it may run");
	put(OUT + 0x900, 1);
	check(wait_for(get(FLAG) == 1 && idle(base)) && !wrong(1) && !wrong(2), "limited: both groups end");
	bench_stop();
}

/* A thread of no group waits in front of one whose place is kept. */
static void kept(void)
{
	struct ctx a;

	start_groups(THREADS, 1);
	vfe.maximum_number_of_threads = THREADS - 1;
	PREPARE(&a, program_group, 0);
	add_pollers(&a);
	put(OUT + 0x900, 1);
	members(&a, 1, 0, 0, THREADS - 2);
	pack(&a, media_object, 6, .dword_length = 4, .interface_descriptor_offset = 1);
	members(&a, 1, 0, THREADS - 1, THREADS - 1);
	check(done(&a) && !wrong(0) && counter_value("eu", "threads") == THREADS + 1,
	      "kept: a thread for which a place is kept passes another one");
	bench_stop();
}

/* A list that comes within a group waits for its end. A reset within a group leaves nothing of it. */
static void interrupted(void)
{
	struct ctx a, b;

	start_groups(THREADS, 7);
	PREPARE(&a, program_group, 0);
	add_pollers(&a);
	members(&a, 0, 0, 0, 4);
	/* They fill hardware and queue, so the group's other commands come when the CPU lets them go. */
	for (unsigned int i = 0; i < 150; i++)
		pack(&a, media_object, 6, .dword_length = 4, .interface_descriptor_offset = 1);
	members(&a, 0, 0, 5, 7);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu", "threads") >= 100), "a list within a group: threads run");
	ctx_init(&b, 1, base, CTL_FRESH);
	batch(&b, STORE(FLAG + 8, 1), MI_BATCH_BUFFER_END);
	ring_batch(&b, CTX_BATCH, true);
	ctx_tail(&b);
	elsp(base, b.desc, a.desc);
	check(!get(FLAG + 8) && !get(OUT), "a list within a group does not run before the group has ended");
	put(OUT + 0x900, 1);
	check(wait_for(get(FLAG + 8) == 1 && idle(base)) && get(FLAG) == 1 && !wrong(0), "it does then");
	bench_stop();

	start_groups(THREADS, 7);
	PREPARE(&a, program_endless, 0);
	members(&a, 0, 0, 0, 4);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu", "threads") == 5), "a reset within a group: threads run");
	check(render_resets() && !get(FLAG), "a reset ends them");
	PREPARE(&b, program_group, 0);
	members(&b, 0, 0, 0, THREADS - 1);
	members(&b, 1, 1, 0, THREADS - 1);
	check(done(&b) && !wrong(0) && !wrong(1), "a reset within a group: its id and its local memory are free");
	bench_stop();
}

int main(void)
{
	groups();
	reused();
	between();
	constants();
	indirect();
	inline_data();
	scoreboard();
	wrong_payloads();
	wrong_groups();
	apart();
	left_open();
	limited();
	kept();
	interrupted();
	return test_end();
}
