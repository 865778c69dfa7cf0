// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of media threads that wait for each other
 *
 * The scoreboard, child threads, synchronised and persistent root threads as IVB Vol 2 Part 2, 1.5, 1.7.2, 1.8.1 and
 * 1.8.7, have them. Programs take longer than a turn, so that threads which may run at once do.
 */
#include "media_bench.h"
#include "spawn_programs.h"

#define SECOND		0x400u		/* from the state's base: the program of the second descriptor */
#define THIRD		0x600u
#define LONG_WALK	40u		/* more than the root queue holds */

static struct gen9_media_object_walker row(uint32_t width, uint32_t height)
{
	return (struct gen9_media_object_walker){
		.dword_length = 15, .global_resolution_x = width, .global_resolution_y = height,
		.block_resolution_x = width, .block_resolution_y = height, .global_outer_loop_stride_y = height,
		.global_inner_loop_unit_x = width, .local_outer_loop_stride_y = 1, .local_inner_loop_unit_x = 1,
		.local_loop_exec_count = 0xfff, .global_loop_exec_count = 0xfff, .use_scoreboard = 1,
		.scoreboard_mask = 1,
	};
}

static void walk(struct ctx *a, struct gen9_media_object_walker w)
{
	uint32_t dw[17] = { 0 };

	if (gen9_media_object_walker_pack(dw, 17, &w) != 17)
		exit(2);
	batch_emit(a, dw, 17);
}

static void scoreboard(bool non_stalling)
{
	start(NULL, NULL);
	vfe.number_of_urb_entries = 32;
	vfe.scoreboard_enable = true;
	vfe.scoreboard_mask = 1;
	vfe.scoreboard_type = non_stalling;
	vfe.scoreboard_0_delta_x = -1;
}

/* How many of the places of a walk have what a chain of threads leaves. */
static unsigned int chained(uint32_t n)
{
	unsigned int found = 0;

	for (uint32_t i = 0; i < n; i++)
		found += get(OUT + 4 * (i + 1)) == i + 1;
	return found;
}

static uint32_t ticket(uint32_t x, uint32_t y)
{
	return get(OUT + 0x400 + 4 * (16 * y + x));
}

static void chains(void)
{
	struct gen9_media_object_walker w = row(8, 1);
	struct ctx a;

	scoreboard(false);
	PREPARE(&a, program_chain, 0);
	walk(&a, w);
	check(done(&a) && chained(8) == 8, "scoreboard: each thread finds what the one before it has written");
	bench_stop();

	scoreboard(false);
	w = row(LONG_WALK, 1);
	PREPARE(&a, program_chain, 0);
	walk(&a, w);
	check(done(&a) && chained(LONG_WALK) == LONG_WALK, "scoreboard: so it does in a walk that is longer");
	bench_stop();

	w = row(8, 1);
	w.use_scoreboard = 0;
	scoreboard(false);
	PREPARE(&a, program_chain, 0);
	walk(&a, w);
	check(done(&a) && chained(8) == 1, "scoreboard: threads that do not use it run at once");
	bench_stop();

	w = row(8, 1);
	w.scoreboard_mask = 2;
	scoreboard(false);
	vfe.scoreboard_1_delta_x = -1;
	PREPARE(&a, program_chain, 0);
	walk(&a, w);
	check(done(&a) && chained(8) == 1, "scoreboard: so do those whose bit MEDIA_VFE_STATE does not have");
	bench_stop();

	w = row(8, 1);
	scoreboard(false);
	vfe.scoreboard_enable = false;
	PREPARE(&a, program_chain, 0);
	walk(&a, w);
	check(done(&a) && chained(8) == 1, "scoreboard: so do all when it is off");
	bench_stop();

	scoreboard(false);
	vfe.maximum_number_of_threads = 0;
	vfe.scoreboard_enable = false;
	PREPARE(&a, program_chain, 0);
	walk(&a, w);
	check(done(&a) && chained(8) == 8, "a single root thread at a time follows the one before it");
	bench_stop();
}

/* Objects at places of the user's choice, whose colour is the third number. */
static void object(struct ctx *a, uint32_t x, uint32_t y, uint32_t color)
{
	pack(a, media_object, 6, .dword_length = 4, .use_scoreboard = 1, .scoreboard_x = x, .scoredboard_y = y,
	     .scoreboard_mask = 1, .scoreboard_color = color);
}

static void colors(void)
{
	struct ctx a;

	scoreboard(false);
	PREPARE(&a, program_chain, 0);
	object(&a, 0, 0, 0);
	object(&a, 1, 0, 1);
	check(done(&a) && chained(2) == 1, "scoreboard: a thread does not wait for one of another colour");
	bench_stop();

	scoreboard(false);
	PREPARE(&a, program_chain, 0);
	object(&a, 0, 0, 3);
	object(&a, 1, 0, 3);
	check(done(&a) && chained(2) == 2, "scoreboard: it waits for one of its own, of another command");
	bench_stop();

	scoreboard(false);
	PREPARE(&a, program_chain, 0);
	object(&a, 1, 0, 0);
	object(&a, 0, 0, 0);
	check(done(&a) && get(OUT + 4) == 1 && get(OUT + 8) == 1, "scoreboard: it does not wait for one behind it");
	bench_stop();
}

/* The second thread waits for the first. The third waits for none, and reads what the first one writes at its end. */
static bool three(struct ctx *a, bool non_stalling)
{
	scoreboard(non_stalling);
	vfe.scoreboard_0_delta_x = 0;
	vfe.scoreboard_0_delta_y = -1;
	PREPARE(a, program_chain, 0);
	object(a, 0, 0, 0);
	object(a, 0, 1, 0);
	object(a, 1, 0, 0);
	return done(a) && get(OUT + 4) == 1;
}

static void stalls(void)
{
	struct ctx a;

	check(three(&a, false) && get(OUT + 8) == 2 && ticket(0, 1) && ticket(1, 0),
	      "a stalling scoreboard holds back all behind");
	bench_stop();
	check(three(&a, true) && get(OUT + 8) == 1 && ticket(0, 1) == 2 && ticket(1, 0) == 1,
	      "a non-stalling one lets a thread pass that waits for none");
	bench_stop();
}

/* A context that has a program for each of two descriptors. */
static void prepare_two(struct ctx *a, const uint32_t *program, size_t bytes, const uint32_t *second,
			size_t second_bytes)
{
	struct gen9_interface_descriptor_data other = descriptor;
	uint32_t dw[8] = { 0 };

	prepare(a, program, bytes, 0);
	memcpy(ram + STATE + SECOND, second, second_bytes);
	other.kernel_start_pointer = SECOND;
	gen9_interface_descriptor_data_put(dw, &other);
	memcpy(ram + STATE + DESCRIPTORS + 32, dw, sizeof(dw));
	pack(a, media_interface_descriptor_load, 4, .interface_descriptor_total_length = 64,
	     .interface_descriptor_data_start_address = DESCRIPTORS);
}

#define PREPARE_TWO(a, first, second)	prepare_two(a, first, sizeof(first), second, sizeof(second))

static void children(void)
{
	unsigned int wrong = 0;
	struct ctx a;

	start(NULL, NULL);
	vfe.urb_entry_allocation_size = 31;
	vfe.maximum_number_of_threads = 0;
	PREPARE_TWO(&a, program_parent, program_child);
	pack(&a, media_object, 6, .dword_length = 4, .children_present = true);
	check(done(&a), "children: their parent ends");
	for (uint32_t i = 0; i < 12; i++)
		wrong += get(OUT + 0x100 + 4 * i) != 500 + i;
	check(!wrong, "children: each has its own data, and writes its parent's registers (%u wrong)", wrong);
	check(counter_value("eu", "threads") == 13, "children: the number of root threads does not bound them");
	bench_stop();

	start(NULL, NULL);
	vfe.urb_entry_allocation_size = 31;
	PREPARE_TWO(&a, program_parent, program_child);
	pack(&a, media_object, 6, .dword_length = 4);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu_faults", "a thread that starts another without Children Present")) &&
	      render_resets(), "children: a command has to say that there will be some");
	bench_stop();

	start(NULL, NULL);
	PREPARE_TWO(&a, program_parent, program_child);
	walker(&a, one(1));
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu_faults", "a thread of a walker that starts another")) && render_resets(),
	      "children: a thread of a walker starts none");
	bench_stop();
}

/* What is behind a stall finds what the threads have written. */
static void stall(void)
{
	struct ctx a;

	start(NULL, NULL);
	PREPARE(&a, program_chain, 0);
	object(&a, 0, 0, 0);
	batch(&a, STALL, MI_COPY_MEM_MEM, PPGTT(FLAG + 12), PPGTT(OUT + 4));
	check(done(&a) && get(FLAG + 12) == 1, "a stall waits until media threads have ended");
	bench_stop();
}

/* More parents than the URB has entries, each of which gives its own back. The first thread keeps one all the time. */
static void entries(void)
{
	struct gen9_interface_descriptor_data third = { .kernel_start_pointer = THIRD };
	uint32_t dw[8] = { 0 };
	struct ctx a;

	start(NULL, NULL);
	vfe.urb_entry_allocation_size = 31;
	vfe.number_of_urb_entries = 2;
	third.binding_table_pointer = TABLE;
	PREPARE_TWO(&a, program_parent, program_child);
	memcpy(ram + STATE + THIRD, program_poll, sizeof(program_poll));
	gen9_interface_descriptor_data_put(dw, &third);
	memcpy(ram + STATE + DESCRIPTORS + 64, dw, sizeof(dw));
	pack(&a, media_interface_descriptor_load, 4, .interface_descriptor_total_length = 96,
	     .interface_descriptor_data_start_address = DESCRIPTORS);
	pack(&a, media_object, 6, .dword_length = 4, .interface_descriptor_offset = 2, .children_present = true);
	for (unsigned int i = 0; i < 3; i++)
		pack(&a, media_object, 6, .dword_length = 4, .children_present = true);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu", "threads") == 1 + 3 * 13),
	      "URB: an entry is free again when its thread has given it back");
	put(OUT + 0x900, 1);
	check(wait_for(get(FLAG) == 1 && idle(base)) && get(OUT + 0x100) == 500, "URB: all threads end");
	bench_stop();
}

static void synchronised(void)
{
	uint32_t dw[7] = { 0 };
	struct gen9_media_object o = {
		.dword_length = 5, .interface_descriptor_offset = 1, .thread_synchronization = 1,
	};
	struct ctx a;

	start(NULL, NULL);
	PREPARE_TWO(&a, program_release, program_released);
	if (gen9_media_object_pack(dw, 7, &o) != 7)
		exit(2);
	dw[6] = 0x77;
	pack(&a, media_object, 6, .dword_length = 4, .children_present = true);
	batch_emit(&a, dw, 7);
	check(done(&a) && get(OUT + 0x904) == 7, "a thread waits for the root thread that it lets start");
	check(get(OUT + 0x914) == 5, "which has not begun before");
	check(get(OUT + 0x908) == 0x1234 && get(OUT + 0x90c) == 0x77,
	      "and has the other's message before the data of its command");
	bench_stop();

	/* Without a thread that lets it start, it never does. */
	start(NULL, NULL);
	PREPARE_TWO(&a, program_release, program_released);
	batch_emit(&a, dw, 7);
	finish(&a);
	submit(base, &a);
	check(wait_for(rd(RING_HEAD(base)) & RING_HEAD_MASK) && !idle(base) && render_resets() &&
	      !counter_value("eu", "threads"), "a synchronised thread that none lets start keeps the engine");
	bench_stop();
}

static void persistent(bool front)
{
	struct gen9_media_object_prt p = {
		.children_present = true, .prt_fence_needed = true, .prt_fencetype = front,
	};
	uint32_t dw[16] = { 0 };
	struct ctx a;

	start(NULL, NULL);
	vfe.number_of_urb_entries = 8;
	PREPARE_TWO(&a, program_release, program_released);
	if (gen9_media_object_prt_pack(dw, 16, &p) != 16)
		exit(2);
	batch_emit(&a, dw, 16);
	batch(&a, 0x70040000, 0);
	pack(&a, media_object, 6, .dword_length = 4, .interface_descriptor_offset = 1);
	check(done(&a) && get(OUT + 0x904) == 7 && get(OUT + 0x914) == 5,
	      "a persistent root thread with a fence %s holds the next one back until it says so",
	      front ? "before the pipe" : "in the queue");
	bench_stop();

	start(NULL, NULL);
	vfe.number_of_urb_entries = 8;
	PREPARE_TWO(&a, program_release, program_released);
	p.prt_fence_needed = false;
	memset(dw, 0, sizeof(dw));
	if (gen9_media_object_prt_pack(dw, 16, &p) != 16)
		exit(2);
	batch_emit(&a, dw, 16);
	pack(&a, media_object, 6, .dword_length = 4, .interface_descriptor_offset = 1);
	check(done(&a) && get(OUT + 0x904) == 7 && get(OUT + 0x914) == 0, "without a fence it does not");
	bench_stop();
}

/* A list comes while threads run that may start others: it waits for the command behind them, which is not media's. */
static void preempted(void)
{
	struct ctx a, b;

	start(NULL, NULL);
	PREPARE_TWO(&a, program_release, program_released);
	pack(&a, media_object, 6, .dword_length = 4, .children_present = true);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu", "instructions") > 1000), "preemption: a thread waits for the CPU");
	ctx_init(&b, 1, base, CTL_FRESH);
	batch(&b, STORE(FLAG + 8, 1), MI_BATCH_BUFFER_END);
	ring_batch(&b, CTX_BATCH, true);
	submit(base, &b);
	check(!get(FLAG + 8), "preemption: another context does not run before the thread has ended");
	put(OUT + 0x900, 1);
	check(wait_for(get(FLAG + 8) == 1 && idle(base)) && get(OUT + 0x904) == 7 && get(FLAG) == 1,
	      "preemption: it does then, and the first one ends");
	bench_stop();
}

int main(void)
{
	chains();
	colors();
	stalls();
	stall();
	children();
	entries();
	synchronised();
	persistent(false);
	persistent(true);
	preempted();
	return test_end();
}
