// SPDX-License-Identifier: MIT
/**
 * DOC: igen-uhptr
 *
 * Preemption on an engine that has one ring for all contexts (Ivy Bridge's render engine, by UHPTR). Clients of three
 * priorities submit batches of random pieces at random times: the engine is asked to leave a batch in the ring, at any
 * of its arbitration points, within a walker, behind its end, and in a batch that has preempted another one itself.
 *
 * The reference is what the batches leave when each runs alone, from its begin to its end. Each piece stores a value of
 * its own, and its number to a slot that all pieces of the batch share. A piece that has run makes its first command
 * the end of the batch: a piece that runs twice ends its batch, and the values of the pieces behind it are missing.
 * Thread groups leave nothing in memory, so how many there were is printed ("groups N"), for the model's counter.
 *
 * "latency" are preemptions for the model to measure, as those of igen-latency: "bound NAME N".
 *
 * igen-uhptr [-n ROUNDS] [-s SEED] [NAME ...] runs the subtests whose names begin with NAME.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "igen/batch/gpgpu.h"
#include "lib/build.h"
#include "uhptr.h"

#define MAX_PIECES	120u
#define AGAIN		1000u		/* times that an execbuf of stock i915 is repeated, a millisecond each */
#define BATCH_BYTES	16384u
#define JOBS		6u
#define RESETS_EVERY	64u		/* rounds from one look at them to the next */
#define MAX_GROUPS	40u
#define TOKEN		0x51a7b00cu

/* Batches whose preemption is measured. */
#define SAMPLES		400u
#define MAX_LOW		10000u		/* batches for that */
#define DISTANCE	64u		/* commands from one arbitration point to the next */
#define POINTS		200u
#define WALKERS		8u
#define WALKER_GROUPS	50u
#define LONG_GROUPS	3000u
#define MAX_TRIES	20u
/* Dwords of the ring. There is no arbitration in them, or only at their end. */
#define AROUND_BATCH	64u

enum level { LOW, MIDDLE, HIGH, LEVELS };

static const char *const level_names[LEVELS] = { "low", "middle", "high" };

/* A batch that is submitted, and what it has to leave. */
struct job {
	struct it_batch batch;
	struct igen_batch b;
	struct it_bo *bo, *state;
	enum level level;
	uint32_t ctx;
	unsigned int pieces;
	uint32_t want[MAX_PIECES];
};

static unsigned int gen, rounds = 300, seed = 1, now;
static uint64_t groups;

/* Xorshift: the same on all machines. */
static uint32_t random_below(uint32_t *state, uint32_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state % n;
}

static void begin_media(struct igen_batch *b, struct it_bo *state)
{
	struct igen_address at = { state->address, 0, state->size, state->handle };
	struct igen_kernel kernel = { .start = IT_PROGRAM, .constants = 1, .threads = 1 };
	struct igen_media m = { .pipeline = IGEN_PIPELINE_GPGPU, .bases = { at, at, at, at, at, 0 },
				.vfe = { .threads = 36, .urb_entries = 2, .entry_rows = 2, .curbe_rows = 2 },
				.curbe = 64, .curbe_bytes = 64, .num_descriptors = 1 };
	struct igen_batch memory;

	igen_batch_init(&memory, b->gen, IGEN_BATCH_MEMORY, state->map, 4096);
	m.descriptors = igen_media_descriptor(&memory, &kernel);
	it_put_program(state, b->gen);
	it_expect(!memory.error, "no descriptor: %s", memory.why);
	igen_media_begin(b, &m);
}

/* With a flush that takes a request, or, from Ivy Bridge's manual, one that does not. */
static void emit_walker(struct igen_batch *b, uint32_t num, bool preemptible)
{
	struct igen_gpgpu_walk walk = { .simd = 8, .groups = { num, 1, 1 } };

	igen_gpgpu_local_size(&walk, IT_WALKER_CHANNELS);
	groups += num;
	if (preemptible) {
		igen_gpgpu_walk_preemptible(b, &walk);
		return;
	}
	igen_gpgpu_emit(b, &walk, false);
	igen_batch_emit(b, gen7_media_state_flush, .disable_pre_emption = true);
}

/* Over some commands that would end the batch. */
static void emit_jump(struct job *j, uint32_t dwords)
{
	struct igen_batch *b = &j->b;
	struct it_bo *bo = j->batch.bo;

	igen_mi_chain(b, (struct igen_address){ bo->address, (b->used + 2 + dwords) * 4, bo->size, bo->handle });
	for (uint32_t i = 0; i < dwords; i++)
		igen_batch_put(b, &(uint32_t){ MI_BATCH_BUFFER_END }, 1);
}

/* The end of a piece that began at that dword. */
static void emit_mark(struct job *j, uint32_t at, uint32_t value)
{
	struct it_bo *bo = j->batch.bo;

	it_expect(j->pieces < MAX_PIECES, "too many pieces");
	j->want[j->pieces] = value;
	it_build_store(&j->b, j->bo->address, 1 + j->pieces, value, j->bo->handle);
	it_build_store(&j->b, j->bo->address, 0, j->pieces, j->bo->handle);
	igen_mi_store_dword(&j->b, (struct igen_address){ bo->address, at * 4, bo->size, bo->handle },
			    MI_BATCH_BUFFER_END);
	j->pieces++;
}

static void emit_piece(struct job *j, uint32_t *random, bool walks)
{
	struct igen_batch *b = &j->b;
	uint32_t at = b->used;

	switch (random_below(random, walks ? 8 : 6)) {
	case 0:
	case 1:
		igen_mi_noop(b, 1 + random_below(random, 24));
		break;
	case 2:
		emit_jump(j, random_below(random, 4));
		break;
	case 3:
		igen_mi_arb_check(b);
		break;
	case 6:
		emit_walker(b, 1 + random_below(random, MAX_GROUPS), random_below(random, 4));
		break;
	case 7:
		emit_walker(b, 1 + random_below(random, MAX_GROUPS), random_below(random, 4));
		igen_pipe_drain(b);
		break;
	default:
		break;
	}
	emit_mark(j, at, 1 + random_below(random, UINT32_MAX - 1));
	if (!random_below(random, 3))
		igen_mi_arb_check(b);
}

static void begin_job(struct it_dev *dev, unsigned int engine, struct job *j)
{
	memset(j->bo->map, 0, j->bo->size);
	it_build_again(dev, gen, engine, &j->batch, &j->b);
	j->pieces = 0;
}

/* An urgent batch is short. */
static void build_job(struct it_dev *dev, unsigned int engine, struct job *j, uint32_t *random)
{
	unsigned int pieces = 1 + random_below(random, j->level == HIGH ? 4 : MAX_PIECES);
	bool walks = j->level != HIGH && random_below(random, 2);

	begin_job(dev, engine, j);
	if (walks)
		begin_media(&j->b, j->state);
	while (j->pieces < pieces)
		emit_piece(j, random, walks);
	it_build_end(&j->b, &j->batch);
}

/* Stock i915 has no priorities here. */
static uint32_t make_context(struct it_dev *dev, int priority)
{
	return it_on_igen() ? it_ctx_priority(dev, priority) : it_ctx_engines(dev);
}

static struct job make_job(struct it_dev *dev, unsigned int engine, uint32_t ctx, enum level level)
{
	struct job j = { .bo = it_bo(dev, IT_SLOTS * 8), .state = it_bo(dev, 8192), .level = level, .ctx = ctx };

	j.batch = it_build(dev, gen, engine, BATCH_BYTES, &j.b);
	j.batch.state = j.state;
	return j;
}

static void run_job(struct it_dev *dev, unsigned int engine, struct job *j)
{
	int ret = it_run(dev, j->ctx, engine, &j->batch, &j->bo, 1, EXEC_OBJECT_ASYNC);

	/*
	 * Stock i915 only tries the lock of an object that lies where another one is to go (6.1, i915_gem_evict.c,
	 * grab_vma()), and fails so when a worker holds it. igen must not.
	 */
	for (unsigned int n = 0; ret == -ENOSPC && !it_on_igen() && n < AGAIN; n++) {
		usleep(1000);
		ret = it_run(dev, j->ctx, engine, &j->batch, &j->bo, 1, EXEC_OBJECT_ASYNC);
	}
	it_expect(!ret, "execbuf: error %d", ret);
}

static void end_job(const struct job *j)
{
	int ret = it_bo_wait(j->batch.bo, IT_WAIT_NS);

	it_expect(!ret, "seed %u, round %u: a batch of %s priority did not end: error %d", seed, now,
		  level_names[j->level], ret);
	for (unsigned int i = 0; i < j->pieces; i++)
		it_expect(it_slot(j->bo, 1 + i) == j->want[i],
			  "seed %u, round %u, %s priority: piece %u of %u left %08x, not %08x", seed, now,
			  level_names[j->level], i, j->pieces, it_slot(j->bo, 1 + i), j->want[i]);
	it_expect(it_slot(j->bo, 0) == j->pieces - 1, "seed %u, round %u, %s priority: the last of %u pieces was %u",
		  seed, now, level_names[j->level], j->pieces, it_slot(j->bo, 0));
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Lets a random time pass; or, until a random piece has run of a batch that was submitted. */
static void let_pass(const struct job *j, uint32_t *random)
{
	uint64_t until = now_ns() + (1ull << random_below(random, 21));
	unsigned int slot = 1 + random_below(random, j->pieces);

	switch (random_below(random, 3)) {
	case 0:
		break;
	case 1:
		while (now_ns() < until)
			;
		break;
	default:
		for (until = now_ns() + 20000000; now_ns() < until && !it_slot(j->bo, slot);)
			;
	}
}

static void fuzz_round(struct it_dev *dev, unsigned int engine, struct job *jobs, uint32_t *random)
{
	unsigned int first = random_below(random, 3), last = 4 + random_below(random, JOBS - 3);

	/* The less urgent ones first, now and then with one of the urgent ones in between. */
	for (unsigned int i = first; i < last; i++)
		build_job(dev, engine, &jobs[i], random);
	for (unsigned int i = first; i < last; i++) {
		run_job(dev, engine, &jobs[i]);
		let_pass(&jobs[i], random);
	}
	for (unsigned int i = last; i-- > first;)
		end_job(&jobs[i]);
}

/* How often the render engine, which is the first one, was reset; 0 if that is not told. */
static unsigned int resets(void)
{
	static char text[65536];
	const char *at;

	if (it_read_file("/sys/kernel/debug/dri/0/i915_engine_info", text, sizeof(text)))
		return 0;
	at = strstr(text, "Reset count: ");
	return at ? strtoul(at + strlen("Reset count: "), NULL, 10) : 0;
}

static void fuzz(unsigned int engine)
{
	struct it_dev *dev = it_open();
	static const struct {
		enum level level;
		bool other;
	} kinds[JOBS] = { { LOW, false }, { LOW, true }, { LOW, false },
			  { MIDDLE, false }, { HIGH, false }, { HIGH, true } };
	static const int priorities[LEVELS] = { -500, 0, 500 };
	uint32_t ctx[LEVELS][2], random = seed * 2654435761u | 1;
	unsigned int before = resets();
	struct job jobs[JOBS];

	for (unsigned int i = 0; i < LEVELS * 2; i++)
		ctx[i / 2][i & 1] = make_context(dev, priorities[i / 2]);
	for (unsigned int i = 0; i < JOBS; i++)
		jobs[i] = make_job(dev, engine, ctx[kinds[i].level][kinds[i].other], kinds[i].level);
	for (unsigned int n = 0; n < rounds; n++) {
		now = n;
		fuzz_round(dev, engine, jobs, &random);
		it_expect((n + 1) % RESETS_EVERY || resets() == before,
			  "seed %u, round %u: the engine was reset", seed, now);
	}
	it_expect(resets() == before, "seed %u: the engine was reset", seed);
}

/*
 * More urgent batches, each of which the other one has to give way to; until it has ended. Returns how many have ended
 * before it: on a slow machine the last one may come behind it.
 */
static unsigned int interrupt(struct it_dev *dev, unsigned int engine, struct job *j, struct job *urgent)
{
	unsigned int n = 0;

	run_job(dev, engine, j);
	while (it_bo_busy(j->batch.bo)) {
		begin_job(dev, engine, urgent);
		emit_mark(urgent, 0, 1);
		it_build_end(&urgent->b, &urgent->batch);
		run_job(dev, engine, urgent);
		end_job(urgent);
		n += it_bo_busy(j->batch.bo);
	}
	end_job(j);
	return n;
}

static void latency(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct job low = make_job(dev, engine, make_context(dev, -500), LOW);
	struct job urgent = make_job(dev, engine, make_context(dev, 500), HIGH);
	unsigned int n = 0;

	low.batch = it_build(dev, gen, engine, POINTS * (DISTANCE + 32) * 4, &low.b);
	low.batch.state = low.state;
	for (unsigned int tries = 0; tries < MAX_LOW && n < SAMPLES; tries++) {
		begin_job(dev, engine, &low);
		for (unsigned int i = 0; i < POINTS; i++) {
			uint32_t at = low.b.used;

			igen_mi_noop(&low.b, DISTANCE - 4);
			/* A value for each, as long as there are any. */
			if (low.pieces < MAX_PIECES)
				emit_mark(&low, at, i + 1);
			else
				igen_mi_noop(&low.b, 3);
			igen_mi_arb_check(&low.b);
		}
		it_build_end(&low.b, &low.batch);
		n += interrupt(dev, engine, &low, &urgent);
	}
	it_expect(n >= SAMPLES, "%u batches were preempted %u times", MAX_LOW, n);
	printf("bound %s %u\n", dev->engine[engine].name, DISTANCE + AROUND_BATCH);
}

static void latency_of_walkers(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct job low = make_job(dev, engine, make_context(dev, -500), LOW);
	struct job urgent = make_job(dev, engine, make_context(dev, 500), HIGH);
	unsigned int n = 0;

	for (unsigned int tries = 0; tries < MAX_LOW && n < SAMPLES; tries++) {
		begin_job(dev, engine, &low);
		begin_media(&low.b, low.state);
		for (unsigned int i = 0; i < WALKERS; i++) {
			uint32_t at = low.b.used;

			emit_walker(&low.b, WALKER_GROUPS, true);
			emit_mark(&low, at, i + 1);
		}
		it_build_end(&low.b, &low.batch);
		n += interrupt(dev, engine, &low, &urgent);
	}
	it_expect(n >= SAMPLES, "%u batches were preempted %u times", MAX_LOW, n);
	printf("bound walker-group 1\n");
}

/* As far as the devices, or to idle in a kernel without pm_test, where the guest's module awake ends it. */
static void suspend(void)
{
	bool test = !access("/sys/power/pm_test", F_OK);
	int ret = test ? it_write_file("/sys/power/pm_test", "devices") ?:
			 it_write_file("/sys/module/suspend/parameters/pm_test_delay", "0") :
			 it_write_file("/sys/module/awake/parameters/wake", "1");

	if (ret)
		it_skip("no suspend that ends by itself: error %d", ret);
	ret = it_write_file("/sys/power/state", test ? "mem" : "freeze");
	it_expect(!ret, "suspending the machine: error %d", ret);
}

/* One walker is preempted while another one runs. */
static void run_both(struct it_dev *dev, unsigned int engine, struct job jobs[2])
{
	for (unsigned int i = 0; i < 2; i++) {
		struct job *j = &jobs[i];

		begin_job(dev, engine, j);
		begin_media(&j->b, j->state);
		emit_mark(j, 0, TOKEN);
		for (unsigned int n = 0; n < WALKERS; n++) {
			uint32_t at = j->b.used;

			emit_walker(&j->b, LONG_GROUPS, true);
			emit_mark(j, at, n + 1);
		}
		it_build_end(&j->b, &j->batch);
		run_job(dev, engine, j);
		it_expect_slot(j->bo, 1, TOKEN);
	}
}

static void end_both(const struct job jobs[2])
{
	end_job(&jobs[1]);
	end_job(&jobs[0]);
}

static bool both_busy(const struct job jobs[2])
{
	return it_bo_busy(jobs[0].batch.bo) && it_bo_busy(jobs[1].batch.bo);
}

/* The machine is suspended while one walker is preempted and another one runs. */
static void suspended(unsigned int engine)
{
	struct it_dev *dev = it_open();
	unsigned int tries = 1;
	struct job jobs[2];

	for (unsigned int i = 0; i < 2; i++)
		jobs[i] = make_job(dev, engine, make_context(dev, i ? 500 : -500), i ? HIGH : LOW);
	run_both(dev, engine, jobs);
	/* A slow machine may come too late. */
	for (; !both_busy(jobs) && tries < MAX_TRIES; tries++) {
		end_both(jobs);
		run_both(dev, engine, jobs);
	}
	it_expect(both_busy(jobs), "the batches have ended before, %u times", tries);
	suspend();
	end_both(jobs);
}

int main(int argc, char **argv)
{
	struct it_engine engines[IT_MAX_ENGINES];
	unsigned int num;
	int opt;

	while ((opt = getopt(argc, argv, "n:s:")) != -1) {
		if (opt == 'n')
			rounds = it_number("ROUNDS", optarg, 1, 10000000);
		else if (opt == 's')
			seed = it_number("SEED", optarg, 0, UINT32_MAX);
		else
			return 2;
	}
	argv[optind - 1] = argv[0];
	it_init(argc - optind + 1, argv + optind - 1);
	gen = it_generation();
	num = it_engines(engines, ARRAY_SIZE(engines));
	if (gen != 7 || !num) {
		printf("skip everything: no engine that could be preempted by UHPTR\n");
		return IT_SKIPPED;
	}
	for (unsigned int e = 0; e < num; e++) {
		if (engines[e].class != I915_ENGINE_CLASS_RENDER)
			continue;
		it_subtest(fuzz, e, "fuzz-%s", engines[e].name);
		if (!it_on_igen())
			continue;
		it_subtest(latency, e, "latency-%s", engines[e].name);
		it_subtest(latency_of_walkers, e, "latency-%s-walkers", engines[e].name);
		it_subtest(suspended, e, "suspended-%s", engines[e].name);
		uhptr_events(gen, e, engines[e].name);
	}
	printf("groups %llu\n", (unsigned long long)groups);
	return it_exit();
}
