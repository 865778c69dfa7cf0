// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of threads that execute programs
 *
 * What a thread starts with is what IVB Vol 2 Part 2, 1.7.1, and the payloads' orders in media/payload.c say. Groups
 * are
 * executed once each, whatever happens to their context; programs that never end, or make mistakes, keep the engine
 * until
 * it is reset, and nothing else.
 */
#include "media_bench.h"
#include "media_programs.h"

/* A register that a thread of a group has told. */
static uint32_t told(unsigned int group, unsigned int thread, unsigned int reg, unsigned int dword)
{
	return get(OUT + group * 1024 + thread * 256 + reg * 32 + dword * 4);
}

static void payloads(void)
{
	struct gen9_gpgpu_walker w = one(2);
	struct ctx a;

	start(NULL, NULL);
	descriptor.constant_urb_entry_read_length = 2;
	descriptor.cross_thread_constant_data_read_length = 1;
	descriptor.constant_urb_entry_read_offset = 1;
	descriptor.sampler_state_pointer = 0x440;
	descriptor.shared_local_memory_size = 3;
	vfe.scratch_space_base_pointer = SCRATCH;
	vfe.per_thread_scratch_space = 1;
	PREPARE(&a, program_dump, 1000);
	w.thread_width_counter_maximum = 2;
	w.thread_group_id_y_dimension = 6;
	w.thread_group_id_starting_y = 5;
	walker(&a, w);
	check(done(&a), "payload: six threads of two groups end");
	check(told(1, 2, 0, 1) == 1 && told(1, 2, 0, 6) == 5 && told(1, 2, 0, 7) == 0, "r0 names the group");
	check(told(0, 2, 0, 2) == 1u << 28, "and says that there is shared memory, and no barrier");
	check(told(0, 0, 0, 3) == (0x440 | 1) && told(0, 0, 0, 4) == TABLE, "the samplers and surfaces");
	check(told(0, 2, 0, 5) == (SCRATCH + 2 * 2048) + 2, "the thread's own scratch space");
	check(told(0, 1, 1, 0) == 1008 && told(1, 0, 1, 7) == 1015, "the constants of all from the read offset on");
	check(told(0, 0, 2, 0) == 1016 && told(0, 2, 2, 0) == 1048 && told(1, 2, 3, 7) == 1063 &&
	      !told(0, 0, 4, 0), "then those of each thread");
	bench_stop();

	start(NULL, NULL);
	descriptor.constant_urb_entry_read_length = 1;
	descriptor.cross_thread_constant_data_read_length = 2;
	PREPARE(&a, program_dump, 500);
	w = one(1);
	w.thread_width_counter_maximum = 1;
	w.indirect_data_length = 128;
	w.indirect_data_start_address = 0;
	walker(&a, w);
	check(done(&a) && told(0, 0, 1, 0) == 516 && told(0, 1, 1, 0) == 524, "indirect data: first the thread's own");
	check(told(0, 1, 2, 0) == 500 && told(0, 1, 3, 7) == 515, "then that of all");
	bench_stop();
}

static void media_objects(void)
{
	struct gen9_media_object o = {
		.dword_length = 13, .scoreboard_x = 2, .scoredboard_y = 5, .indirect_data_length = 32,
	};
	uint32_t dw[6 + 9] = { 0 };
	struct ctx a;

	start(NULL, NULL);
	descriptor.constant_urb_entry_read_length = 1;
	PREPARE(&a, program_dump, 300);
	if (gen9_media_object_pack(dw, 15, &o) != 15)
		exit(2);
	for (uint32_t i = 0; i < 9; i++)
		dw[6 + i] = 0x70 + i;
	batch_emit(&a, dw, 15);
	finish(&a);
	check(run(base, &a) && get(FLAG) == 1, "media: a thread ends");
	/* The program takes r0.1, which has Y above X here, for a group. */
	check(get(OUT) == 0, "media: its place is beyond the buffer");
	bench_stop();

	start(NULL, NULL);
	descriptor.constant_urb_entry_read_length = 1;
	PREPARE(&a, program_dump, 300);
	o.scoredboard_y = 0;
	memset(dw, 0, sizeof(dw));
	if (gen9_media_object_pack(dw, 15, &o) != 15)
		exit(2);
	for (uint32_t i = 0; i < 9; i++)
		dw[6 + i] = 0x70 + i;
	batch_emit(&a, dw, 15);
	check(done(&a) && told(2, 0, 0, 1) == 2, "media: r0 has its place");
	check(told(2, 0, 1, 0) == 300, "then there are constants");
	check(told(2, 0, 2, 0) == 0x70 && told(2, 0, 3, 0) == 0x78 && !told(2, 0, 3, 1),
	      "inline data, filled with zeros");
	check(told(2, 0, 4, 0) == 300 && told(2, 0, 4, 7) == 307, "and indirect data");
	check(counter_value("eu", "threads") == 1 && counter_value("eu", "instructions") == 13, "it counts");
	bench_stop();
}

/* Gen9's parts multiply dwords. */
static void products(void)
{
	static const char *const platforms[] = { "platform=kbl", "platform=bxt", "platform=glk" };
	uint32_t program[ARRAY_SIZE(program_dump) + 16] = { PROGRAM_PRODUCTS };
	struct ctx a;

	memcpy(program + 16, program_dump, sizeof(program_dump));
	for (unsigned int i = 0; i < ARRAY_SIZE(platforms); i++) {
		start(platforms[i], NULL);
		PREPARE(&a, program, 0);
		walker(&a, one(1));
		check(done(&a), "products: %s: a thread ends", platforms[i]);
		check((told(0, 0, 5, 0) | (uint64_t)told(0, 0, 5, 1) << 32) == 0x12345678ull * 0x9abcdef0,
		      "products: %s: of 64 bits", platforms[i]);
		check(told(0, 0, 6, 0) == 0x12345678u * 0x76543u, "products: %s: of 32 bits", platforms[i]);
		bench_stop();
	}
}

/* Groups of threads of sixteen channels, of which some are off. */
static void masks(void)
{
	struct gen9_gpgpu_walker w = one(3);
	unsigned int wrong = 0;
	struct ctx a;

	start(NULL, NULL);
	descriptor.constant_urb_entry_read_length = 1;
	descriptor.cross_thread_constant_data_read_length = 1;
	PREPARE(&a, program_mark, 0);
	/* 32 channels a group, 3 groups in X, 6 in X and Y; the second thread begins at 16. */
	put(STATE + CURBE, 32);
	put(STATE + CURBE + 4, 3);
	put(STATE + CURBE + 8, 6);
	put(STATE + CURBE + 32, 0);
	put(STATE + CURBE + 64, 16);
	w.thread_group_id_y_dimension = 2;
	w.thread_group_id_z_dimension = 2;
	w.thread_width_counter_maximum = 1;
	w.right_execution_mask = 0xff;
	walker(&a, w);
	check(done(&a), "masks: twelve groups end");
	for (uint32_t i = 0; i < 12 * 32; i++) {
		uint32_t group = i / 32, lane = i % 32;
		uint32_t id = group % 3 | group / 3 % 2 << 8 | group / 6 << 16 | (lane + 1) << 24;

		wrong += get(OUT + 4 * i) != (lane < 24 ? id : 0);
	}
	check(!wrong, "masks: each channel ran once, but those that the mask leaves out (%u wrong)", wrong);
	check(counter_value("thread_groups", "rcs0") == 12 && counter_value("eu", "threads") == 24, "masks: all count");
	bench_stop();
}

#define CHANNELS	64u		/* of a group of walks() */

/* The word of a channel: its place in the group plus 1, and the group's z, y, x; 0: it has not run. */
static unsigned int wrong_channels(const uint32_t start[3], const uint32_t end[3], uint64_t on)
{
	unsigned int wrong = 0;

	for (uint32_t z = 0; z < end[2]; z++)
		for (uint32_t y = 0; y < end[1]; y++)
			for (uint32_t x = 0; x < end[0]; x++)
				for (uint32_t lane = 0; lane < CHANNELS; lane++) {
					bool ran = x >= start[0] && y >= start[1] && z >= start[2] && on >> lane & 1;
					uint32_t at = ((z * end[1] + y) * end[0] + x) * CHANNELS + lane;

					wrong += get(OUT + 4 * at) !=
						 (ran ? x | y << 8 | z << 16 | (lane + 1) << 24 : 0);
				}
	return wrong;
}

/* What ran of walkers with each SIMD size, both masks, starts, and ends that come from registers. */
static void walks(void)
{
	static const struct {
		const char *name;
		unsigned int simd, width, height;	/* threads, less one */
		uint32_t right, bottom;
		uint32_t start[3], end[3];
		bool indirect;
		uint64_t on;
	} walk[] = {
		{ "SIMD8", 0, 3, 0, ~0u, ~0u, { 0 }, { 2, 2, 2 }, false, 0x00ff00ff00ff00ff },
		{ "SIMD16", 1, 3, 0, ~0u, ~0u, { 0 }, { 2, 2, 2 }, false, ~0ull },
		/* The program has 16 channels, the lower half; channel n computes for n + 8, and 0 for all. */
		{ "SIMD32", 2, 3, 0, 0xffff3535, ~0u, { 0 }, { 2, 1, 1 }, false, 0x3535ffffffffffff },
		{ "SIMD8 and a mask on the right", 0, 3, 0, 0x35, ~0u, { 0 }, { 3, 1, 1 }, false, 0x003500ff00ff00ff },
		{ "both masks", 1, 1, 1, 0x00ff, 0x0f0f, { 0 }, { 3, 2, 1 }, false, 0x000f0f0f00ffffff },
		{ "starts", 1, 3, 0, ~0u, ~0u, { 1, 2, 1 }, { 3, 4, 2 }, false, ~0ull },
		{ "registers", 1, 3, 0, ~0u, ~0u, { 0 }, { 4, 2, 3 }, true, ~0ull },
		{ "registers, and starts", 1, 3, 0, 1, ~0u, { 2, 0, 1 }, { 4, 2, 3 }, true, 0x0001ffffffffffff },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(walk); i++) {
		struct gen9_gpgpu_walker w = one(1);
		const uint32_t *end = walk[i].end;
		unsigned int wrong;
		struct ctx a;

		start(NULL, NULL);
		descriptor.constant_urb_entry_read_length = 1;
		descriptor.cross_thread_constant_data_read_length = 1;
		PREPARE(&a, program_mark, 0);
		put(STATE + CURBE, CHANNELS);
		put(STATE + CURBE + 4, end[0]);
		put(STATE + CURBE + 8, end[0] * end[1]);
		for (uint32_t t = 0; t < 4; t++)
			put(STATE + CURBE + 32 + 32 * t, 16 * t);
		w.simd_size = walk[i].simd;
		w.thread_width_counter_maximum = walk[i].width;
		w.thread_height_counter_maximum = walk[i].height;
		w.right_execution_mask = walk[i].right;
		w.bottom_execution_mask = walk[i].bottom;
		w.thread_group_id_starting_x = walk[i].start[0];
		w.thread_group_id_starting_y = walk[i].start[1];
		w.thread_group_id_starting_resume_z = walk[i].start[2];
		w.thread_group_id_x_dimension = walk[i].indirect ? 99 : end[0];
		w.thread_group_id_y_dimension = walk[i].indirect ? 99 : end[1];
		w.thread_group_id_z_dimension = walk[i].indirect ? 99 : end[2];
		w.indirect_parameter_enable = walk[i].indirect;
		batch(&a, MI_LOAD_REGISTER_IMM(1), GPGPU_DISPATCHDIMX, end[0], MI_LOAD_REGISTER_IMM(1),
		      GPGPU_DISPATCHDIMY, end[1], MI_LOAD_REGISTER_IMM(1), GPGPU_DISPATCHDIMZ, end[2]);
		walker(&a, w);
		check(done(&a), "walks: %s: all groups end", walk[i].name);
		wrong = wrong_channels(walk[i].start, end, walk[i].on);
		check(!wrong, "walks: %s: the channels that are on ran, no others (%u wrong)", walk[i].name, wrong);
		bench_stop();
	}
}

/* Four threads a group, with a barrier and shared local memory. */
static void start_sharing(void)
{
	start(NULL, NULL);
	descriptor.constant_urb_entry_read_length = 1;
	descriptor.cross_thread_constant_data_read_length = 1;
	descriptor.barrier_enable = true;
	descriptor.number_of_threads_in_gpgpu_thread_group = 4;
	descriptor.shared_local_memory_size = 1;
}

/* The four threads of program_share, or of a program that only reads what such threads have stored. */
static bool share(struct ctx *a, bool stores, bool flushes)
{
	struct gen9_gpgpu_walker w = one(1);

	PREPARE(a, program_share, 0);
	/* The fourth instruction stores to shared local memory. */
	if (!stores)
		put(STATE + 3 * 16, 0x0000007e);
	for (uint32_t i = 0; i < 4; i++)
		put(STATE + CURBE + 32 + 32 * i, i);
	if (flushes)
		batch(a, PIPE_CONTROL, PIPE_CONTROL_CS_STALL | PIPE_CONTROL_FLUSH_L3, 0, 0, 0, 0);
	w.thread_width_counter_maximum = 3;
	memset(ram + OUT, 0, 16);
	put(FLAG, 0);
	walker(a, w);
	return done(a);
}

static void barriers(void)
{
	struct ctx a;

	start_sharing();
	check(share(&a, true, false), "barrier: four threads pass it");
	check(get(OUT) == 101 && get(OUT + 4) == 102 && get(OUT + 8) == 103 && get(OUT + 12) == 100,
	      "barrier: each sees what the next one has stored");
	bench_stop();
}

/* A group finds what was left in shared local memory, also by another context, unless the L3 was flushed. */
static void local_leftovers(void)
{
	struct ctx a;

	start_sharing();
	check(share(&a, true, false) && get(OUT) == 101, "leftovers: a group stores to shared local memory");
	check(share(&a, false, false) && get(OUT) == 101 && get(OUT + 12) == 100, "leftovers: the next one finds it");
	check(share(&a, false, true) && !get(OUT) && !get(OUT + 12), "leftovers: behind a flush of the L3 none does");
	bench_stop();
}

/* Whatever threads do, a reset ends them, and the next context runs. */
static void hangs(const char *what, const uint32_t *program, size_t bytes, bool object, const char *why)
{
	struct ctx a;

	start(NULL, NULL);
	descriptor.barrier_enable = true;
	descriptor.number_of_threads_in_gpgpu_thread_group = 4;
	prepare(&a, program, bytes, 0);
	if (object)
		pack(&a, media_object, 6, .dword_length = 4);
	else
		walker(&a, one(2));
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu", "threads")), "%s: threads begin", what);
	check(!why || wait_for(counter_value("eu_faults", why)), "%s: the mistake is named", what);
	check(!idle(base) && !get(FLAG), "%s: they do not end", what);
	check(render_resets(), "%s: the engine gets ready for a reset", what);
	descriptor.barrier_enable = false;
	PREPARE(&a, program_dump, 0);
	walker(&a, one(1));
	check(done(&a) && told(0, 0, 0, 4) == TABLE, "%s: another context executes its program", what);
	bench_stop();
}

static void no_descriptor(void)
{
	struct gen9_gpgpu_walker w = one(1);
	struct ctx a;

	start(NULL, NULL);
	PREPARE(&a, program_dump, 0);
	w.interface_descriptor_offset = 1;
	walker(&a, w);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu_faults", "there is no such interface descriptor")),
	      "a descriptor that was not loaded is a mistake");
	check(!idle(base) && render_resets(), "which a reset ends");
	bench_stop();

	start(NULL, NULL);
	PREPARE(&a, program_dump, 0);
	w = one(1);
	w.thread_width_counter_maximum = 63;
	w.thread_height_counter_maximum = 1;
	walker(&a, w);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu_faults", "a thread group of more than 64 threads")) && render_resets(),
	      "so is a group that is too large");
	bench_stop();

	start("execute=off", NULL);
	PREPARE(&a, program_dump, 0);
	walker(&a, one(3));
	check(done(&a) && !told(0, 0, 0, 4) && counter_value("thread_groups", "rcs0") == 3,
	      "with execute=off groups take time alone");
	bench_stop();
}

/* A walk of a row of places, each with the command's inline data. */
static void media_walks(void)
{
	struct gen9_media_object_walker o = {
		.dword_length = 16, .global_resolution_x = 6, .global_resolution_y = 1, .block_resolution_x = 3,
		.block_resolution_y = 1, .global_outer_loop_stride_y = 1, .global_inner_loop_unit_x = 3,
		.local_outer_loop_stride_y = 1, .local_inner_loop_unit_x = 1, .color_count_minus_one = 1,
		.local_loop_exec_count = 0xfff, .global_loop_exec_count = 0xfff, .use_scoreboard = 1,
		.scoreboard_mask = 0x81,
	};
	uint32_t dw[18] = { 0 };
	unsigned int wrong = 0;
	struct ctx a;

	start(NULL, NULL);
	descriptor.constant_urb_entry_read_length = 1;
	/* One at a time: threads that run at once have different numbers, by which the program chooses its place. */
	vfe.maximum_number_of_threads = 0;
	PREPARE(&a, program_dump, 300);
	if (gen9_media_object_walker_pack(dw, 18, &o) != 18)
		exit(2);
	dw[17] = 0x4321;
	batch_emit(&a, dw, 18);
	check(done(&a) && counter_value("eu", "threads") == 12, "media walk: a thread for each place and colour");
	for (uint32_t x = 0; x < 6; x++)
		wrong += told(x, 0, 0, 1) != x || told(x, 0, 0, 0) >> 24 != 0x81 || told(x, 0, 0, 2) != 1 ||
			 told(x, 0, 1, 0) != 300 || told(x, 0, 2, 0) != 0x4321;
	check(!wrong, "media walk: each with its place, mask, colour, constants and inline data (%u wrong)",
	      wrong);
	bench_stop();

	start(NULL, NULL);
	vfe.maximum_number_of_threads = 2;
	PREPARE(&a, program_endless, 300);
	memset(dw, 0, sizeof(dw));
	if (gen9_media_object_walker_pack(dw, 18, &o) != 18)
		exit(2);
	batch_emit(&a, dw, 18);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu", "instructions") > 1000) && render_resets() &&
	      counter_value("eu", "threads") == 3, "media walk: a reset ends endless threads, and the walk");
	bench_stop();
}

static void scratch(void)
{
	struct gen9_gpgpu_walker w = one(1);
	struct ctx a;

	start(NULL, NULL);
	descriptor.constant_urb_entry_read_length = 1;
	descriptor.cross_thread_constant_data_read_length = 1;
	vfe.scratch_space_base_pointer = SCRATCH;
	vfe.per_thread_scratch_space = 0;
	PREPARE(&a, program_scratch, 77);
	w.thread_width_counter_maximum = 1;
	walker(&a, w);
	check(done(&a) && get(SCRATCH + 32) == 77 + 8 && get(SCRATCH + 1024 + 32) == 77 + 16,
	      "scratch: each thread has its own space");
	bench_stop();
}

/* Another context gets in between two groups, which are executed once each all the same. */
static void preempted(const char *workers)
{
	struct gen9_gpgpu_walker w = one(MANY);
	unsigned int wrong = 0;
	struct ctx a, b;

	start("group_ns=400000000", workers);
	descriptor.constant_urb_entry_read_length = 1;
	descriptor.cross_thread_constant_data_read_length = 1;
	PREPARE(&a, program_mark, 0);
	put(STATE + CURBE, 16);
	put(STATE + CURBE + 4, MANY);
	put(STATE + CURBE + 8, MANY);
	put(STATE + CURBE + 32, 0);
	walker(&a, w);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu", "threads") >= 3), "preemption: groups run");
	ctx_init(&b, 1, base, CTL_FRESH);
	batch(&b, STORE(FLAG + 8, 1), MI_BATCH_BUFFER_END);
	ring_batch(&b, CTX_BATCH, true);
	submit(base, &b);
	check(wait_for(get(FLAG + 8) == 1 && idle(base)) && !get(FLAG),
	      "preemption: another context runs before their end");
	check(counter_value("walkers_preempted", "rcs0") == 1, "preemption: the walker was left");
	elsp(base, a.desc, 0);
	bench_hurry();
	check(wait_for(get(FLAG) == 1 && idle(base)), "preemption: it goes on");
	for (uint32_t i = 0; i < MANY * 16; i++)
		wrong += get(OUT + 4 * i) != (i / 16 | (i % 16 + 1) << 24);
	check(!wrong && counter_value("eu", "threads") == MANY, "preemption: each group was executed once (%u wrong)",
	      wrong);
	bench_stop();
}

/* At command level the list waits for all groups, which are executed meanwhile. */
static void drained(void)
{
	struct ctx a, b;

	start("group_ns=2000000", NULL);
	PREPARE(&a, program_dump, 0);
	/* Behind the write of thread-group level in the ring. */
	put(a.pa + CTX_RING + 8, CS_CHICKEN1_PREEMPT_GPGPU_LEVEL_MASK << 16 | CS_CHICKEN1_PREEMPT_GPGPU_COMMAND);
	walker(&a, one(40));
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu", "threads") >= 3), "drain: groups run");
	ctx_init(&b, 1, base, CTL_FRESH);
	batch(&b, STORE(FLAG + 8, 1), MI_BATCH_BUFFER_END);
	ring_batch(&b, CTX_BATCH, true);
	submit(base, &b);
	check(wait_for(get(FLAG + 8) == 1 && idle(base)), "drain: another context runs");
	check(counter_value("thread_groups", "rcs0") == 40 && !counter_value("walkers_preempted", "rcs0"),
	      "drain: when all groups have been executed");
	bench_stop();
}

#define NO_AREA		(~0ull)

/*
 * A group of two threads, one at a barrier and one that waits for a dword of memory, at a level of preemption, in a
 * context whose area is there.
 */
static void gated(struct ctx *a, const char *workers, unsigned int level, uint64_t area)
{
	struct gen9_gpgpu_walker w = one(1);

	start(NULL, workers);
	memset(ram + AREA, 0, 0xa0000);
	descriptor.constant_urb_entry_read_length = 1;
	descriptor.cross_thread_constant_data_read_length = 1;
	descriptor.barrier_enable = true;
	descriptor.number_of_threads_in_gpgpu_thread_group = 2;
	descriptor.shared_local_memory_size = 1;
	PREPARE(a, program_gate, 0);
	put(a->pa + CTX_RING + 8, IGEN_MASKED_FIELD(3 << 1, level << 1));
	if (area != NO_AREA)
		pack(a, gpgpu_csr_base_address, 3, .gpgpu_csr_base_address = area);
	put(STATE + CURBE + 32, 0);
	put(STATE + CURBE + 64, 1);
	put(OUT + 0x400, 1);
	w.thread_width_counter_maximum = 1;
	walker(a, w);
	finish(a);
	submit(base, a);
	check(wait_for(get(OUT + 0x500) && get(OUT + 0x504)), "inside: the threads of a group run");
}

/* Another context, with a program of its own. */
static void other(struct ctx *b)
{
	ctx_init(b, 1, base, CTL_FRESH);
	batch(b, STORE(FLAG + 8, 1), MI_BATCH_BUFFER_END);
	ring_batch(b, CTX_BATCH, true);
	submit(base, b);
}

static void ends_right(const char *what)
{
	check(wait_for(get(FLAG) == 1 && idle(base)) && get(OUT) == 1101 && get(OUT + 4) == 1103 &&
	      counter_value("thread_groups", "rcs0") == 1, "%s: the group ends as if nothing had been (%u, %u)", what,
	      get(OUT), get(OUT + 4));
}

/* A group is left between two instructions and goes on there, as often as it takes. */
static void preempted_inside(const char *workers)
{
	const uint32_t threads = AREA + 3 * 0x10000, second = threads + 7 * 0x2000;
	uint64_t executed;
	struct ctx a, b;

	gated(&a, workers, THREAD, VA + AREA);
	for (unsigned int i = 1; i <= 2; i++) {
		put(FLAG + 8, 0);
		other(&b);
		check(wait_for(get(FLAG + 8) == 1 && idle(base)) && !get(FLAG) &&
		      counter_value("groups_preempted", "rcs0") == i &&
		      counter_value("walkers_preempted", "rcs0") == i,
		      "inside: another context runs in the middle of a group, time %u", i);
		check(get(AREA) == 100 && get(AREA + 4) == 101, "inside: its shared memory is in the area");
		check(get(threads + 20 * 32) == 1000 && get(second + 20 * 32) == 1003,
		      "inside: and its threads' registers, at their places");
		/* What the group left in the engine is lost. */
		memset(ram + OUT + 0x500, 0, 8);
		executed = counter_value("eu", "instructions");
		elsp(base, a.desc, 0);
		check(wait_for(counter_value("eu", "instructions") > executed + 100) && !get(OUT + 0x500) &&
		      !get(OUT + 0x504), "inside: no thread begins again");
	}
	put(OUT + 0x404, 1);
	ends_right("inside");
	check(counter_value("eu", "threads") == 2, "inside: threads count once");
	distributions_to_counters();
	check(counter_value("preemption_groups.thread", "samples") == 2,
	      "inside: the preemptions count as those of that level");
	bench_stop();
}

/* Where the group cannot be left inside, the list waits for its end. */
static void not_inside(const char *what, unsigned int level, uint64_t area)
{
	struct ctx a, b;

	gated(&a, NULL, level, area);
	other(&b);
	check(counter_value("groups_without_area", "rcs0") <= 1 && !get(FLAG + 8), "%s: the list waits", what);
	put(OUT + 0x404, 1);
	check(wait_for(get(FLAG + 8) == 1), "%s: the other context runs when the group has ended", what);
	check(!counter_value("groups_preempted", "rcs0"), "%s: it was not left inside", what);
	elsp(base, a.desc, 0);
	ends_right(what);
	bench_stop();
}

/* The client has written something else to the area: its group never ends, and other contexts run after a reset. */
static void area_lost(const char *what, uint32_t at, uint8_t value, uint32_t bytes)
{
	struct ctx a, b;

	gated(&a, NULL, THREAD, VA + AREA);
	other(&b);
	check(wait_for(get(FLAG + 8) == 1 && idle(base)), "%s: another context runs", what);
	memset(ram + at, value, bytes);
	elsp(base, a.desc, 0);
	check(wait_for(counter_value("eu_faults", "the area of a preempted group does not have its threads")),
	      "%s: that is a mistake", what);
	check(!idle(base) && !get(FLAG) && render_resets(), "%s: a reset ends it", what);
	bench_stop();
}

/* All of a thread's registers have any value but the mark: it runs somewhere, or stops, in its own address space. */
static void area_forged(uint8_t value)
{
	const uint32_t arf = AREA + 3 * 0x10000 + 7 * 0x2000 + 128 * 32;
	struct ctx a, b;

	gated(&a, NULL, THREAD, VA + AREA);
	other(&b);
	check(wait_for(get(FLAG + 8) == 1 && idle(base)), "forged: another context runs");
	memset(ram + arf + 4, value, 0x1000 - 4);
	elsp(base, a.desc, 0);
	check(wait_for(!idle(base)), "forged %02x: the context is there again", value);
	/* For whatever it does. */
	nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	check(render_resets(), "forged %02x: a reset ends whatever it does", value);
	put(FLAG + 8, 0);
	other(&b);
	check(wait_for(get(FLAG + 8) == 1 && idle(base)), "forged %02x: other contexts go on", value);
	bench_stop();
}

/* The command streamer goes on while groups are executed. */
static void behind(void)
{
	struct ctx a;

	start("group_ns=1000000000", NULL);
	PREPARE(&a, program_dump, 0);
	walker(&a, one(100));
	batch(&a, STORE(FLAG + 4, 1));
	finish(&a);
	submit(base, &a);
	check(wait_for(get(FLAG + 4)) && counter_value("thread_groups", "rcs0") < 100,
	      "a store behind a walker does not wait");
	bench_hurry();
	check(wait_for(get(FLAG)) && counter_value("thread_groups", "rcs0") == 100 && told(99, 0, 0, 1) == 99,
	      "a stall does");
	bench_stop();
}

int main(void)
{
	payloads();
	media_objects();
	products();
	masks();
	walks();
	barriers();
	local_leftovers();
	hangs("an endless program", program_endless, sizeof(program_endless), false, NULL);
	hangs("an endless media thread", program_endless, sizeof(program_endless), true, NULL);
	hangs("a barrier that others miss", program_share, sizeof(program_share), false, NULL);
	hangs("an unknown message", program_bad, sizeof(program_bad), false,
	      "the message surface_info, which is not modelled");
	hangs("an unknown message of a media thread", program_bad, sizeof(program_bad), true, NULL);
	media_walks();
	no_descriptor();
	scratch();
	preempted(NULL);
	preempted("workers=0");
	preempted("workers=4");
	drained();
	preempted_inside(NULL);
	preempted_inside("workers=0");
	preempted_inside("workers=4");
	not_inside("group level", GROUP, VA + AREA);
	not_inside("no area", THREAD, NO_AREA);
	not_inside("an area without memory", THREAD, VA + 0x7f0000000ull);
	area_lost("an empty area", AREA + 3 * 0x10000 + 7 * 0x2000, 0, 0x2000);
	area_forged(0xff);
	area_forged(0x5a);
	behind();
	return test_end();
}
