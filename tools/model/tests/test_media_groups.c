// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of groups of media threads
 *
 * Which threads of a MEDIA_OBJECT_WALKER share a barrier and local memory is what DG1 Vol 2a, MEDIA_OBJECT_WALKER,
 * "Group ID Loop Select" says, written out here for a walk with steps in all of its loops. The program counts its group
 * in local memory between two barriers. So it tells of a thread that came too late, and of memory that groups share.
 */
#include "media_bench.h"
#include "media_programs.h"
#include "spawn_programs.h"

#define SECOND		0x400u		/* from the state's base: the program of the second descriptor */
#define WIDTH		8u		/* of the walk, in blocks of 4 x 4 */
#define COLORS		2u

/* Blocks row by row; in each, pairs of rows from the top, the upper row of the pair first. */
static struct gen9_media_object_walker blocks(uint32_t groups)
{
	return (struct gen9_media_object_walker){
		.dword_length = 15, .global_resolution_x = WIDTH, .global_resolution_y = WIDTH,
		.block_resolution_x = 4, .block_resolution_y = 4, .global_outer_loop_stride_y = 4,
		.global_inner_loop_unit_x = 4, .local_outer_loop_stride_y = 2, .local_mid_loop_unit_y = 1,
		.middle_loop_extra_steps = 1, .local_inner_loop_unit_x = 1, .local_loop_exec_count = 0xfff,
		.global_loop_exec_count = 0xfff, .color_count_minus_one = COLORS - 1, .group_id_loop_select = groups,
	};
}

static struct gen9_media_object_walker row(uint32_t width, uint32_t groups)
{
	return (struct gen9_media_object_walker){
		.dword_length = 15, .global_resolution_x = width, .global_resolution_y = 1, .block_resolution_x = width,
		.block_resolution_y = 1, .global_outer_loop_stride_y = 1, .global_inner_loop_unit_x = width,
		.local_outer_loop_stride_y = 1, .local_inner_loop_unit_x = 1, .local_loop_exec_count = 0xfff,
		.global_loop_exec_count = 0xfff, .group_id_loop_select = groups,
	};
}

static void walk(struct ctx *a, struct gen9_media_object_walker w)
{
	uint32_t dw[17] = { 0 };

	if (gen9_media_object_walker_pack(dw, 17, &w) != 17)
		exit(2);
	batch_emit(a, dw, 17);
}

/* A group has so many threads, and local memory of such a code. */
static void start_groups(uint32_t threads, uint32_t local)
{
	start(NULL, NULL);
	descriptor.barrier_enable = threads;
	descriptor.number_of_threads_in_gpgpu_thread_group = threads;
	descriptor.shared_local_memory_size = local;
	vfe.number_of_urb_entries = 32;
	vfe.maximum_number_of_threads = 255;
}

static uint32_t place_of(uint32_t x, uint32_t y, uint32_t color)
{
	return color << 8 | y << 4 | x;
}

/* The loops' counts at a place, the outer ones above. */
static uint32_t counts(uint32_t x, uint32_t y)
{
	return y / 4 << 16 | x / 4 << 12 | y / 2 % 2 << 8 | y % 2 << 4 | x % 4;
}

/* Does a place belong to the group of another one? */
static bool together(uint32_t groups, uint32_t one, uint32_t other)
{
	return one >> 4 * (groups - 1) == other >> 4 * (groups - 1);
}

/* How many of a walk's threads have told of another group than theirs. */
static unsigned int wrong_threads(uint32_t groups)
{
	unsigned int wrong = 0;

	for (uint32_t i = 0; i < WIDTH * WIDTH; i++) {
		uint32_t threads = 0, greatest = 0;

		for (uint32_t k = 0; k < WIDTH * WIDTH; k++) {
			uint32_t x = k % WIDTH, y = k / WIDTH;

			if (!together(groups, counts(x, y), counts(i % WIDTH, i / WIDTH)))
				continue;
			threads += COLORS;
			if (place_of(x, y, COLORS - 1) > greatest)
				greatest = place_of(x, y, COLORS - 1);
		}
		for (uint32_t color = 0; color < COLORS; color++) {
			uint32_t at = OUT + 8 * place_of(i % WIDTH, i / WIDTH, color);

			wrong += get(at) != threads || get(at + 4) != greatest;
		}
	}
	return wrong;
}

static void loops(void)
{
	static const struct {
		const char *what;
		uint32_t threads;	/* of a group */
	} loop[] = {
		{ NULL }, { "colours", 2 }, { "the inner local loop", 8 }, { "the middle local loop", 16 },
		{ "the outer local loop", 32 }, { "the inner global loop", 64 },
	};
	/* 1 KB a group; then all of a half-slice's. */
	static const uint32_t local[] = { 1, 7 };
	struct ctx a;

	for (uint32_t i = 1; i < ARRAY_SIZE(loop); i++) {
		for (unsigned int k = 0; k < ARRAY_SIZE(local); k++) {
			unsigned int wrong;

			start_groups(loop[i].threads, local[k]);
			PREPARE(&a, program_group, 0);
			walk(&a, blocks(i));
			check(done(&a) && counter_value("eu", "threads") == WIDTH * WIDTH * COLORS,
			      "groups of %s: all threads end", loop[i].what);
			wrong = wrong_threads(i);
			check(!wrong, "groups of %s, local memory %u: each has its own threads (%u wrong)",
			      loop[i].what, local[k], wrong);
			bench_stop();
		}
	}
}

static void refused(const char *why, const uint32_t *program, size_t bytes, struct gen9_media_object_walker w)
{
	struct ctx a;

	prepare(&a, program, bytes, 0);
	walk(&a, w);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu_faults", why)), "refused: %s", why);
	check(!idle(base) && render_resets() && !get(FLAG), "which a reset ends");
	/* Nothing is left of the group. */
	vfe.maximum_number_of_threads = 255;
	descriptor.barrier_enable = true;
	descriptor.number_of_threads_in_gpgpu_thread_group = 64;
	PREPARE(&a, program_group, 0);
	walk(&a, blocks(5));
	check(done(&a) && !wrong_threads(5), "and another context's groups have all of the hardware");
	bench_stop();
}

#define REFUSED(why, program, w)	refused(why, program, sizeof(program), w)

static void mistakes(void)
{
	struct gen9_media_object_walker w = row(8, 2);

	start_groups(9, 7);
	REFUSED("a group of media threads that are not as many as its barrier waits for", program_group, w);
	start_groups(7, 7);
	REFUSED("a group of media threads that are not as many as its barrier waits for", program_endless, w);
	start_groups(65, 7);
	REFUSED("a barrier of more threads than a half-slice has", program_group, w);
	start_groups(8, 7);
	vfe.maximum_number_of_threads = 6;
	REFUSED("a barrier of more threads than MEDIA_VFE_STATE allows", program_group, w);
	w.interface_descriptor_offset = 1;
	start_groups(8, 7);
	REFUSED("there is no such interface descriptor", program_group, w);
	start_groups(1, 7);
	REFUSED("a barrier of a thread group that has none", program_group, row(8, 0));
	start_groups(8, 7);
	REFUSED("a media walker whose groups are those of a reserved loop", program_group, row(8, 6));
	w = row(8, 2);
	w.masked_dispatch = 1;
	start_groups(8, 7);
	REFUSED("a media walker with masked dispatch", program_group, w);
}

/* A group without a barrier may have more threads than run at a time, which wait for each other by the scoreboard. */
static void no_barrier(void)
{
	struct gen9_media_object_walker w = row(100, 5);
	unsigned int found = 0;
	struct ctx a;

	start_groups(0, 1);
	vfe.scoreboard_enable = true;
	vfe.scoreboard_mask = 1;
	vfe.scoreboard_0_delta_x = -1;
	w.use_scoreboard = 1;
	w.scoreboard_mask = 1;
	PREPARE(&a, program_chain, 0);
	walk(&a, w);
	check(done(&a), "no barrier: all threads of the group end");
	for (uint32_t i = 0; i < 100; i++)
		found += get(OUT + 4 * (i + 1)) == i + 1;
	check(found == 100, "no barrier: each finds what the one before it has written (%u)", found);
	bench_stop();
}

static void header(void)
{
	struct ctx a;

	start_groups(1, 1);
	vfe.maximum_number_of_threads = 0;
	PREPARE(&a, program_dump, 0);
	walk(&a, row(1, 2));
	check(done(&a) && get(OUT + 8) == (1u << 29 | 1u << 28), "r0 says that there is a barrier and local memory");
	bench_stop();
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

#define ROWS	4u

/*
 * Walks rows, each a group, under a non-stalling scoreboard. A thread waits for the one above it to the right, and what
 * is above the first row, from its second place on, are threads that wait for the CPU, of which there are so many.
 */
static void start_rows(struct ctx *a, const uint32_t *program, size_t bytes, uint32_t barrier, uint32_t width,
		       uint32_t waiters)
{
	struct gen9_media_object_walker w = row(width, 2);

	start_groups(barrier, 7);
	vfe.scoreboard_enable = true;
	vfe.scoreboard_type = 1;
	vfe.scoreboard_mask = 1;
	vfe.scoreboard_0_delta_x = 1;
	vfe.scoreboard_0_delta_y = -1;
	w.global_resolution_y = 1 + ROWS;
	w.global_outer_loop_stride_y = 1 + ROWS;
	w.block_resolution_y = 1 + ROWS;
	w.local_start_y = 1;
	w.use_scoreboard = 1;
	w.scoreboard_mask = 1;
	prepare(a, program, bytes, 0);
	add_pollers(a);
	for (uint32_t x = 1; x <= waiters; x++)
		pack(a, media_object, 6, .dword_length = 4, .interface_descriptor_offset = 1, .use_scoreboard = 1,
		     .scoreboard_x = x);
	walk(a, w);
	finish(a);
	submit(base, a);
}

/*
 * Each row is a group. A thread waits for the one above it to the right, and the first row's for the CPU. So each row's
 * last thread starts first, and without a barrier it ends before another one of its group starts.
 * Then the second row has another thread that need not wait.
 */
static void out_of_order(const char *what, const uint32_t *program, size_t bytes, uint32_t barrier)
{
	const uint32_t rows = ROWS, waiters = WIDTH - 1, early = barrier ? 2 : 3;
	unsigned int wrong = 0;
	uint64_t before;
	struct ctx a;

	start_rows(&a, program, bytes, barrier, WIDTH, waiters);
	check(wait_for(counter_value("eu", "threads") >= waiters + early), "%s: threads of two groups start", what);
	before = counter_value("eu", "instructions");
	check(wait_for(counter_value("eu", "instructions") > before + 100000) &&
	      counter_value("eu", "threads") == waiters + early, "%s: and no other threads", what);
	put(OUT + 0x900, 1);
	check(wait_for(get(FLAG) == 1 && idle(base)) &&
	      counter_value("eu", "threads") == waiters + rows * WIDTH, "%s: all threads end", what);
	for (uint32_t i = 0; i < rows * WIDTH && barrier; i++) {
		uint32_t y = 1 + i / WIDTH, at = OUT + 8 * place_of(i % WIDTH, y, 0);

		wrong += get(at) != WIDTH || get(at + 4) != place_of(WIDTH - 1, y, 0);
	}
	check(!wrong, "%s: each group has its own threads (%u wrong)", what, wrong);
	bench_stop();
}

/*
 * Here the first row's last thread waits for the CPU, too, and the other rows' last ones need not wait. If these groups
 * began, they would have all local memory, and wait for the first row, which could not begin.
 */
static void in_order(const char *what, const uint32_t *program, size_t bytes, uint32_t barrier)
{
	/* Short rows, so that the queue reaches the third one. */
	const uint32_t rows = ROWS, width = 4;
	unsigned int wrong = 0;
	uint64_t before;
	struct ctx a;

	start_rows(&a, program, bytes, barrier, width, width);
	check(wait_for(counter_value("eu", "threads") >= width), "%s: threads wait for the CPU", what);
	before = counter_value("eu", "instructions");
	check(wait_for(counter_value("eu", "instructions") > before + 100000) &&
	      counter_value("eu", "threads") == width, "%s: no group begins before the first one", what);
	put(OUT + 0x900, 1);
	check(wait_for(get(FLAG) == 1 && idle(base)) &&
	      counter_value("eu", "threads") == width + rows * width, "%s: all threads end", what);
	for (uint32_t i = 0; i < rows * width && barrier; i++) {
		uint32_t y = 1 + i / width, at = OUT + 8 * place_of(i % width, y, 0);

		wrong += get(at) != width || get(at + 4) != place_of(width - 1, y, 0);
	}
	check(!wrong, "%s: each group has its own threads (%u wrong)", what, wrong);
	bench_stop();
}

/* A thread that waits for one of its own group, which waits at the barrier: the engine hangs. */
static void circle(bool non_stalling)
{
	struct gen9_media_object_walker w = row(8, 2);

	start_groups(8, 7);
	vfe.scoreboard_enable = true;
	vfe.scoreboard_type = non_stalling;
	vfe.scoreboard_mask = 1;
	vfe.scoreboard_0_delta_x = -1;
	w.use_scoreboard = 1;
	w.scoreboard_mask = 1;
	REFUSED("a barrier of media threads some of which do not come", program_group, w);
}

/* With one entry of the URB each thread ends before the next one of its group comes. */
static void one_by_one(void)
{
	struct ctx a;

	start_groups(8, 1);
	vfe.number_of_urb_entries = 1;
	/* The last two instructions, which end the thread. */
	prepare(&a, program_chain + ARRAY_SIZE(program_chain) - 8, 32, 0);
	walk(&a, row(8, 2));
	walk(&a, row(8, 2));
	check(done(&a) && counter_value("eu", "threads") == 16, "one by one: the threads of two groups end");
	bench_stop();
}

/* Threads that wait for the CPU are in the way of a group, which begins when it has room for all its threads. */
static void room(void)
{
	uint64_t before;
	struct ctx a;

	start_groups(32, 1);
	PREPARE(&a, program_group, 0);
	add_pollers(&a);
	for (unsigned int i = 0; i < 100; i++)
		pack(&a, media_object, 6, .dword_length = 4, .interface_descriptor_offset = 1);
	walk(&a, blocks(4));
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu", "threads") >= 100), "room: other threads run");
	before = counter_value("eu", "instructions");
	check(wait_for(counter_value("eu", "instructions") > before + 100000) &&
	      counter_value("eu", "threads") == 100,
	      "room: no thread of a group starts without a place for the others");
	put(OUT + 0x900, 1);
	check(wait_for(get(FLAG) == 1 && idle(base)) && !wrong_threads(4), "room: they all do when there is");
	bench_stop();
}

int main(void)
{
	loops();
	mistakes();
	no_barrier();
	out_of_order("out of order, a barrier", program_group, sizeof(program_group), WIDTH);
	out_of_order("out of order, no barrier", program_chain, sizeof(program_chain), 0);
	in_order("in order, a barrier", program_group, sizeof(program_group), 4);
	in_order("in order, no barrier", program_chain, sizeof(program_chain), 0);
	circle(false);
	circle(true);
	one_by_one();
	header();
	room();
	return test_end();
}
