// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of walkers: thread groups, their time, preemption between them
 *
 * What a walker dispatches is what the manuals say of its fields (IVB Vol 2 Part 2, 1.4.2.4; DG1 Vol 2a,
 * "GPGPU_WALKER"), and shows in GPGPU_THREADS_DISPATCHED. However often a context is taken from the engine, its
 * walker's thread groups have each run once when it is done. The command streamer goes on behind a walker; what waits
 * for the pipeline is in cs/pipeline.c, and each is tested with what stands behind it.
 *
 * A test that has to do something while a walker runs gives the walker groups for minutes, since the test's own thread
 * may stand still for seconds. It ends the walker by bench_hurry().
 */
#include "engine_bench.h"
#include "igen/pack/gen9_media.h"
#include "igen/regs/workarounds.h"

#define FLAG		(PA_DATA + 0x040)
#define OUT		(PA_DATA + 0x080)
#define BEFORE		(PA_DATA + 0x0c0)
#define AFTER		(PA_DATA + 0x100)
#define OTHER		(PA_DATA + 0x200)	/* what another context stores */

#define STORE(pa, v)	MI_STORE_DATA_IMM_DW, PPGTT(pa), (v)
#define STORE_REG(pa, reg) MI_STORE_REGISTER_MEM, (reg), PPGTT(pa)
#define SET(reg, v)	MI_LOAD_REGISTER_IMM(1), (reg), (v)
#define LEVEL(v)	SET(CS_CHICKEN1, CS_CHICKEN1_PREEMPT_GPGPU_LEVEL_MASK << 16 | (v))
#define MID_THREAD	0u
#define GROUP		IGEN_BIT(1)
#define COMMAND		CS_CHICKEN1_PREEMPT_GPGPU_COMMAND

#define PIPE(flags, pa, v) PIPE_CONTROL, (flags), PPGTT(pa), (v), 0
#define STALL		PIPE(PIPE_CONTROL_CS_STALL, 0, 0)

#define CHANNELS	8u		/* of a group of one_row() */
#define MANY		20000u		/* groups that do not all run while a test looks */

static const uint32_t base = RCS0_BASE;

static void start_with(const char *group_ns, const char *more)
{
	const char *const set[] = { group_ns, more, NULL };

	counters_reset();
	bench_start(set);
	wr(FF_SLICE_CS_CHICKEN1, IGEN_MASKED_ENABLE(FFSC_PERCTX_PREEMPT_CTRL));
	memset(ram + PA_DATA, 0, 4096);
}

static void start(const char *group_ns)
{
	start_with(group_ns, NULL);
}

static void walker(struct ctx *c, const struct gen9_gpgpu_walker *w)
{
	uint32_t dw[15];

	if (gen9_gpgpu_walker_pack(dw, 15, w) != 15)
		exit(2);
	batch_emit(c, dw, 15);
}

/* Groups of one thread of eight channels. */
static struct gen9_gpgpu_walker one_row(uint32_t groups)
{
	return (struct gen9_gpgpu_walker){
		.thread_group_id_x_dimension = groups, .thread_group_id_y_dimension = 1,
		.thread_group_id_z_dimension = 1, .right_execution_mask = ~0u, .bottom_execution_mask = ~0u };
}

/* Channels that a walker dispatches; set: commands before it. */
static uint64_t dispatched(const struct gen9_gpgpu_walker *w, const uint32_t *set, unsigned int n)
{
	uint64_t v;
	struct ctx a;

	start("group_ns=0");
	ctx_init(&a, 0, base, CTL_FRESH);
	batch_emit(&a, set, n);
	walker(&a, w);
	batch(&a, STALL, STORE_REG(OUT, GPGPU_THREADS_DISPATCHED), STORE_REG(OUT + 4, GPGPU_THREADS_DISPATCHED + 4),
	      MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	v = run(base, &a) ? get64(OUT) : UINT64_MAX;
	bench_stop();
	return v;
}

static void groups(void)
{
	static const uint32_t dims[] = { SET(GPGPU_DISPATCHDIMX, 5), SET(GPGPU_DISPATCHDIMY, 3),
					 SET(GPGPU_DISPATCHDIMZ, 2) };
	static const uint32_t predicate[] = { SET(RING_PREDICATE_RESULT(RCS0_BASE), 1) };
	static const uint32_t no_predicate[] = { SET(RING_PREDICATE_RESULT(RCS0_BASE), 0) };
	struct gen9_gpgpu_walker w = {
		.simd_size = 2, .thread_width_counter_maximum = 2, .thread_height_counter_maximum = 1,
		.right_execution_mask = 0x3f3f3f3f, .bottom_execution_mask = 0xffff,
		.thread_group_id_x_dimension = 1, .thread_group_id_y_dimension = 1, .thread_group_id_z_dimension = 1 };

	check(dispatched(&w, NULL, 0) == 132, "22 x 6 channels by threads of 8 x 4: those inside");
	w = one_row(5);
	w.thread_group_id_y_dimension = 3;
	w.thread_group_id_z_dimension = 2;
	w.thread_width_counter_maximum = 11;
	check(dispatched(&w, NULL, 0) == 360 * CHANNELS, "5 x 3 x 2 groups of 12 threads are 360 threads");
	w.thread_width_counter_maximum = 0;
	w.simd_size = 1;
	check(dispatched(&w, NULL, 0) == 30 * 16, "SIMD16 has 16 channels, whatever the masks");
	w.simd_size = 0;
	w.thread_depth_counter_maximum = 3;
	check(dispatched(&w, NULL, 0) == 30 * 4 * CHANNELS, "depth counts");
	w.thread_depth_counter_maximum = 0;
	w.thread_group_id_starting_x = 4;
	w.thread_group_id_starting_y = 1;
	check(dispatched(&w, NULL, 0) == 4 * CHANNELS, "from (4, 1, 0): X and Y begin again at their starts");
	w.thread_group_id_x_dimension = 7;
	w.thread_group_id_y_dimension = 7;
	w.thread_group_id_z_dimension = 7;
	w.indirect_parameter_enable = 1;
	check(dispatched(&w, dims, ARRAY_SIZE(dims)) == 4 * CHANNELS, "indirect: the dimensions, not the starts");
	w = one_row(0);
	check(dispatched(&w, NULL, 0) == 0, "a dimension of 0 is no group");
	w = one_row(~0u);
	w.thread_group_id_y_dimension = 3;
	check(dispatched(&w, NULL, 0) == 3ull * ~0u * CHANNELS, "the count has 64 bits");
	w = one_row(3);
	w.predicate_enable = 1;
	check(dispatched(&w, no_predicate, 3) == 0, "a predicate that is not set skips it");
	check(dispatched(&w, predicate, 3) == 3 * CHANNELS, "one that is set does not");
	w.predicate_enable = 0;
	check(dispatched(&w, no_predicate, 3) == 3 * CHANNELS, "one that is not asked does not");
}

/* A context with a walker of n groups and a stall between a store of FLAG and one of what was dispatched. */
static void prepare(struct ctx *a, uint32_t n, uint32_t level)
{
	struct gen9_gpgpu_walker w = one_row(n);

	ctx_init(a, 0, base, CTL_FRESH);
	ring(a, LEVEL(level));
	batch(a, STORE_REG(BEFORE, RING_TIMESTAMP(RCS0_BASE)), STORE(FLAG, 1));
	walker(a, &w);
	batch(a, STALL, STORE_REG(AFTER, RING_TIMESTAMP(RCS0_BASE)), STORE_REG(OUT, GPGPU_THREADS_DISPATCHED),
	      MI_BATCH_BUFFER_END);
	ring_batch(a, CTX_BATCH, true);
}

static bool walks(void)
{
	return get(FLAG) == 1 && rd(RING_IPEHR(base)) == PIPE_CONTROL;
}

static uint64_t ran_by_now(void)
{
	return rd(GPGPU_THREADS_DISPATCHED) / CHANNELS;
}

/* Another context wants to get in with a batch. */
static void request(struct ctx *b)
{
	ctx_init(b, 1, base, CTL_FRESH);
	put(OTHER, 0);
	batch(b, STORE(OTHER, 1), MI_BATCH_BUFFER_END);
	ring_batch(b, CTX_BATCH, true);
	submit(base, b);
}

/* Another context gets in with a batch; true when it has run and nothing waits. */
static bool interrupt(struct ctx *b)
{
	request(b);
	return wait_for(get(OTHER) == 1 && idle(base));
}

static uint64_t sampled(const char *level, const char *what)
{
	char group[64];

	snprintf(group, sizeof(group), "preemption_groups.%s", level);
	distributions_to_counters();
	return counter_value(group, what);
}

static void time_of_groups(void)
{
	uint64_t ticks;
	struct ctx a;

	start("group_ns=1000000");
	prepare(&a, 20, COMMAND);
	check(run(base, &a) && get(OUT) == 20 * CHANNELS, "time: twenty groups run");
	ticks = get(AFTER) - get(BEFORE);
	check(ticks * 1000000000ull / gpu->platform->timestamp_hz >= 19999000,
	      "in twenty times that of one (%llu ticks)", (unsigned long long)ticks);
	bench_stop();

	start(NULL);
	prepare(&a, 3, COMMAND);
	check(run(base, &a) && get(OUT) == 3 * CHANNELS, "a short one runs as well");
	bench_stop();
}

static void preempted(const char *name, uint32_t level)
{
	const unsigned int times = 4;
	struct ctx a, b;

	start("group_ns=20000000");
	prepare(&a, MANY, level);
	submit(base, &a);
	for (unsigned int i = 0; i < times; i++) {
		check(wait_for(walks()), "%s: it walks", name);
		check(interrupt(&b) && !get(OUT), "%s: another context runs before the end", name);
		check(counter_value("walkers_preempted", "rcs0") == i + 1, "%s: the walker was left", name);
		check(counter_value("thread_groups", "rcs0") < MANY, "%s: with more to do", name);
		check(get(image_pa(&a, CTX_BB_HEAD_L)) == (va(a.batch + 23 * 4) | BB_HEAD_VALID),
		      "%s: the image holds the command that waited", name);
		elsp(base, a.desc, 0);
	}
	bench_hurry();
	check(wait_for(idle(base)) && get(OUT) == MANY * CHANNELS, "%s: each group ran once (%u)", name,
	      get(OUT) / CHANNELS);
	check(counter_value("thread_groups", "rcs0") == MANY, "%s: and is counted once", name);
	check(sampled("group", "samples") == times && sampled("group", "max") <= 1, "%s: none began before the switch",
	      name);
	bench_stop();
}

/* what: why it is not preempted inside. */
static void not_preempted(const char *what, uint32_t level, bool per_context, bool arbitrate)
{
	struct ctx a, b;
	uint64_t ran;

	start("group_ns=10000000");
	if (!per_context)
		wr(FF_SLICE_CS_CHICKEN1, IGEN_MASKED_DISABLE(FFSC_PERCTX_PREEMPT_CTRL));
	prepare(&a, MANY, level);
	if (!arbitrate) {
		a.tail = 0;
		ring(&a, MI_ARB_ON_OFF | MI_ARB_DISABLE, LEVEL(level), MI_NOOP);
		ring_batch(&a, CTX_BATCH, true);
		ring(&a, MI_ARB_ON_OFF | MI_ARB_ENABLE);
	}
	submit(base, &a);
	check(wait_for(walks()), "%s: it walks", what);
	request(&b);
	ran = ran_by_now();
	check(wait_for(ran_by_now() > ran + 12) && !get(OTHER), "%s: groups begin while the list waits", what);
	bench_hurry();
	check(wait_for(get(OTHER) == 1 && idle(base)), "%s: another context runs", what);
	check(counter_value("thread_groups", "rcs0") == MANY && !counter_value("walkers_preempted", "rcs0"),
	      "%s: when all groups have", what);
	elsp(base, a.desc, 0);
	check(wait_for(idle(base)) && get(OUT) == MANY * CHANNELS, "%s: none runs again", what);
	check(!arbitrate || sampled("command", "max") > 10, "%s: that took long", what);
	bench_stop();
}

static void lite_restore(void)
{
	struct ctx a;

	for (unsigned int i = 0; i < 2; i++) {
		start("group_ns=10000000");
		prepare(&a, MANY, i ? COMMAND : GROUP);
		submit(base, &a);
		check(wait_for(walks()), "lite restore: it walks");
		ring(&a, STORE(FLAG, 2));
		submit(base, &a);
		check(wait_for(counter_value("lite_restores", "rcs0") == 1) && walks(),
		      "lite restore: comes while it runs");
		bench_hurry();
		check(wait_for(idle(base)) && get(FLAG) == 2 && get(OUT) == MANY * CHANNELS,
		      "lite restore: each group ran once");
		bench_stop();
	}
}

static void stopped(void)
{
	struct ctx a;

	start("group_ns=10000000");
	prepare(&a, MANY, COMMAND);
	submit(base, &a);
	check(wait_for(walks() && ran_by_now() >= 5), "stop: it walks");
	wr(RING_MI_MODE(base), IGEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	check(wait_for(idle(base)) && !get(OUT), "stop: it stops");
	check(ran_by_now() >= 5, "stop: what has run has run");
	bench_hurry();
	wr(RING_MI_MODE(base), IGEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	check(wait_for(get(OUT)) && get(OUT) == MANY * CHANNELS, "stop: and goes on");
	bench_stop();
}

/* A context whose head was moved after a preemption drops its saved walker and begins with an empty queue. */
static void sent_elsewhere(void)
{
	struct ctx a, b;

	start("group_ns=20000000");
	prepare(&a, MANY, GROUP);
	submit(base, &a);
	check(wait_for(walks() && ran_by_now() >= 1), "elsewhere: a group has run");
	check(interrupt(&b) && counter_value("walkers_preempted", "rcs0") == 1, "elsewhere: it is left");
	/* As a driver does that runs a request again: from the ring, and counting from nothing. */
	put(image_pa(&a, CTX_RING_HEAD), 0);
	put(image_pa(&a, CTX_BB_HEAD_L), 0);
	a.tail = 0;
	ring(&a, SET(GPGPU_THREADS_DISPATCHED, 0), MI_NOOP);
	ring_batch(&a, CTX_BATCH, true);
	submit(base, &a);
	bench_hurry();
	check(wait_for(idle(base)) && get(OUT) == MANY * CHANNELS, "elsewhere: it begins again (%u)",
	      get(OUT) / CHANNELS);
	bench_stop();
}

static void reset(void)
{
	struct ctx a, b;

	start("group_ns=1000000000");
	prepare(&a, 1000, GROUP);
	submit(base, &a);
	check(wait_for(walks()), "reset: it walks");
	wr(RING_RESET_CTL(base), IGEN_MASKED_ENABLE(RESET_CTL_REQUEST_RESET));
	check(wait_for(rd(RING_RESET_CTL(base)) & RESET_CTL_READY_TO_RESET), "reset: it gets ready");
	wr(GDRST, GDRST_RENDER);
	wr(RING_RESET_CTL(base), IGEN_MASKED_DISABLE(RESET_CTL_REQUEST_RESET));
	wr(RING_MODE(base), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
	wr(RING_HWS_PGA(base), hwsp(base));
	check(interrupt(&b) && !get(OUT), "reset: another context runs");
	check(rd(GPGPU_THREADS_DISPATCHED) == 0, "reset: nothing of it is left");
	bench_stop();
}

/* With workers=0 the command streamer is at the walker itself until its groups have run. */
static bool walks_itself(void)
{
	return get(FLAG) == 1 && (rd(RING_IPEHR(base)) & 0xffff0000) == (GPGPU_WALKER & 0xffff0000) && ran_by_now();
}

static void without_workers(void)
{
	struct ctx a, b;

	start_with("group_ns=20000000", "workers=0");
	prepare(&a, MANY, GROUP);
	submit(base, &a);
	for (unsigned int i = 0; i < 3; i++) {
		check(wait_for(walks_itself()), "workers=0: the walker waits for its groups");
		check(interrupt(&b) && !get(OUT), "workers=0: another context runs before the end");
		check(counter_value("walkers_preempted", "rcs0") == i + 1, "workers=0: the walker was left");
		elsp(base, a.desc, 0);
	}
	bench_hurry();
	check(wait_for(idle(base)) && get(OUT) == MANY * CHANNELS && counter_value("thread_groups", "rcs0") == MANY,
	      "workers=0: each group ran once (%u)", get(OUT) / CHANNELS);
	bench_stop();

	start_with("group_ns=10000000", "workers=0");
	prepare(&a, MANY, COMMAND);
	submit(base, &a);
	check(wait_for(walks_itself()), "workers=0: a walker at command level");
	request(&b);
	bench_hurry();
	check(wait_for(get(OTHER) == 1 && idle(base)) && counter_value("thread_groups", "rcs0") == MANY &&
	      !counter_value("walkers_preempted", "rcs0"), "workers=0: is left when its groups have run");
	elsp(base, a.desc, 0);
	check(wait_for(idle(base)) && get(OUT) == MANY * CHANNELS, "workers=0: none runs again");
	bench_stop();

	start_with("group_ns=1000000000", "workers=0");
	prepare(&a, 1000, GROUP);
	submit(base, &a);
	check(wait_for(get(FLAG) == 1), "workers=0: a walker begins");
	wr(RING_RESET_CTL(base), IGEN_MASKED_ENABLE(RESET_CTL_REQUEST_RESET));
	check(wait_for(rd(RING_RESET_CTL(base)) & RESET_CTL_READY_TO_RESET), "workers=0: it gets ready for a reset");
	wr(GDRST, GDRST_RENDER);
	wr(RING_RESET_CTL(base), IGEN_MASKED_DISABLE(RESET_CTL_REQUEST_RESET));
	wr(RING_MODE(base), IGEN_MASKED_ENABLE(GFX_MODE_EXECLIST_ENABLE));
	wr(RING_HWS_PGA(base), hwsp(base));
	check(interrupt(&b) && !get(OUT) && !rd(GPGPU_THREADS_DISPATCHED), "workers=0: nothing of it is left");
	bench_stop();
}

/*
 * Groups that had run when what stands behind a walker of twenty was over, and the command streamer went on. By the
 * virtual clock, in which it is not held up by the host.
 */
static uint32_t ran_behind(const uint32_t *dw, unsigned int n, const char *more)
{
	const char *const set[] = { "clock=virtual", "group_ns=1000000000", more, NULL };
	struct gen9_gpgpu_walker w = one_row(20);
	uint32_t ran = ~0u;
	struct ctx a;

	counters_reset();
	bench_start(set);
	memset(ram + PA_DATA, 0, 4096);
	ctx_init(&a, 0, base, CTL_FRESH);
	walker(&a, &w);
	batch_emit(&a, dw, n);
	batch(&a, STORE_REG(OUT, GPGPU_THREADS_DISPATCHED), STORE(FLAG, 1), STALL,
	      STORE_REG(AFTER, GPGPU_THREADS_DISPATCHED), MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	if (run(base, &a) && get(FLAG) && get(AFTER) == 20 * CHANNELS)
		ran = get(OUT) / CHANNELS;
	bench_stop();
	return ran;
}

static void waits(void)
{
	const struct {
		const char *what;
		uint32_t dw[6], n, least, most;
	} c[] = {
		{ "nothing", { MI_NOOP }, 1, 0, 5 },
		{ "MI_STORE_DATA_IMM", { STORE(BEFORE, 1) }, 4, 0, 5 },
		{ "MI_STORE_REGISTER_MEM", { STORE_REG(BEFORE, RING_TIMESTAMP(RCS0_BASE)) }, 4, 0, 5 },
		{ "MI_USER_INTERRUPT", { MI_USER_INTERRUPT }, 1, 0, 5 },
		{ "PIPE_CONTROL without a stall", { PIPE(PIPE_CONTROL_RT_FLUSH | PIPE_CONTROL_DC_FLUSH, 0, 0) }, 6,
		  0, 5 },
		{ "PIPE_CONTROL with a write", { PIPE(PIPE_CONTROL_WRITE_QW, BEFORE, 1) }, 6, 0, 5 },
		{ "PIPE_CONTROL with a notification", { PIPE(PIPE_CONTROL_NOTIFY, 0, 0) }, 6, 0, 5 },
		{ "PIPE_CONTROL with Flush Enable and no write before it", { PIPE(PIPE_CONTROL_FLUSH_ENABLE, 0, 0) }, 6,
		  0, 5 },
		{ "a CS stall", { STALL }, 6, 20, 20 },
		{ "PIPE_CONTROL with a register write",
		  { PIPE_CONTROL, PIPE_CONTROL_LRI_POST_SYNC, RING_GPR(RCS0_BASE, 0), 0, 1, 0 }, 6, 20, 20 },
		{ "MEDIA_STATE_FLUSH", { MEDIA_STATE_FLUSH, 0 }, 2, 19, 19 },
		{ "PIPELINE_SELECT", { PIPELINE_SELECT | 3 << 8 }, 1, 20, 20 },
		{ "GPGPU_CSR_BASE_ADDRESS", { GPGPU_CSR_BASE_ADDRESS | 1, 0, 0 }, 3, 20, 20 },
	};
	const uint32_t nothing = MI_NOOP;

	for (unsigned int i = 0; i < ARRAY_SIZE(c); i++) {
		uint32_t ran = ran_behind(c[i].dw, c[i].n, NULL);

		check(ran >= c[i].least && ran <= c[i].most, "behind a walker and %s %u of 20 groups have run",
		      c[i].what, ran);
	}
	check(ran_behind(&nothing, 1, "workers=0") == 20, "with workers=0 a walker waits itself");
}

/* A write without a stall comes behind the groups; a user interrupt behind it does not. */
static void post_sync(void)
{
	struct gen9_gpgpu_walker w = one_row(20);
	struct ctx a;

	/* By the virtual clock, in which the engine's thread is never late. The engine itself notes what it sees. */
	start_with("group_ns=1000000000", "clock=virtual");
	ctx_init(&a, 0, base, CTL_FRESH);
	walker(&a, &w);
	batch(&a, PIPE(PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_NOTIFY, BEFORE, 7));
	walker(&a, &w);
	batch(&a, MI_COPY_MEM_MEM, PPGTT(FLAG), PPGTT(BEFORE), STORE_REG(FLAG + 4, GPGPU_THREADS_DISPATCHED),
	      PIPE(PIPE_CONTROL_FLUSH_ENABLE, 0, 0), MI_COPY_MEM_MEM, PPGTT(FLAG + 8), PPGTT(BEFORE),
	      STORE_REG(OUT, GPGPU_THREADS_DISPATCHED), MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	put(FLAG, ~0u);
	check(run(base, &a) && !get(FLAG) && get(FLAG + 4) < 20 * CHANNELS,
	      "post-sync: the command streamer goes on before the write");
	check(get(FLAG + 8) == 7 && get(OUT) >= 20 * CHANNELS && get(OUT) < 25 * CHANNELS,
	      "post-sync: the write comes behind its walker, before the next one's end (%u)", get(OUT) / CHANNELS);
	check(rd(GPGPU_THREADS_DISPATCHED) == 40 * CHANNELS, "post-sync: the end of the ring waits for all");
	bench_stop();

	start("group_ns=5000000");
	ctx_init(&a, 0, base, CTL_FRESH);
	walker(&a, &w);
	batch(&a, PIPE(PIPE_CONTROL_WRITE_QW, BEFORE, 7), STORE(FLAG, 1),
	      MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_EQ_SDD, 7, PPGTT(BEFORE),
	      STORE_REG(OUT, GPGPU_THREADS_DISPATCHED), MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	check(run(base, &a) && get(FLAG) && get(OUT) == 20 * CHANNELS,
	      "post-sync: a semaphore of its own sees the write");
	bench_stop();
}

/* More work than the queue has room for: the command streamer waits. */
static void full(void)
{
	struct gen9_gpgpu_walker w = one_row(2);
	struct ctx a;

	start_with("group_ns=1000000000", "clock=virtual");
	ctx_init(&a, 0, base, CTL_FRESH);
	for (unsigned int i = 0; i < PIPELINE_DEPTH + 4; i++)
		walker(&a, &w);
	batch(&a, STORE_REG(BEFORE, GPGPU_THREADS_DISPATCHED), STALL, STORE_REG(OUT, GPGPU_THREADS_DISPATCHED),
	      MI_BATCH_BUFFER_END);
	ring_batch(&a, CTX_BATCH, true);
	check(run(base, &a), "full: it comes to its end");
	check(get(BEFORE) >= 4 * 2 * CHANNELS && get(BEFORE) < 7 * 2 * CHANNELS, "full: the last four had to wait (%u)",
	      get(BEFORE) / CHANNELS);
	check(get(OUT) == (PIPELINE_DEPTH + 4) * 2 * CHANNELS, "full: all ran");
	bench_stop();
}

/* A context with two walkers and a write between them, of which the one with MANY groups is to be left. */
static void queue(struct ctx *a, uint32_t groups, uint32_t behind)
{
	struct gen9_gpgpu_walker w = one_row(groups), next = one_row(behind);

	start("group_ns=20000000");
	ctx_init(a, 0, base, CTL_FRESH);
	ring(a, LEVEL(GROUP));
	walker(a, &w);
	batch(a, PIPE(PIPE_CONTROL_WRITE_QW, BEFORE, 7));
	walker(a, &next);
	batch(a, STORE(FLAG, 1), STALL, STORE_REG(OUT, GPGPU_THREADS_DISPATCHED), MI_BATCH_BUFFER_END);
	ring_batch(a, CTX_BATCH, true);
	submit(base, a);
}

static void queue_ends(struct ctx *a, uint32_t groups)
{
	elsp(base, a->desc, 0);
	bench_hurry();
	check(wait_for(idle(base)) && get(BEFORE) == 7 && get(OUT) == groups * CHANNELS &&
	      counter_value("thread_groups", "rcs0") == groups, "queue: each group ran once (%u)", get(OUT) / CHANNELS);
	bench_stop();
}

/* Two walkers and a write between them are left, and go on. */
static void queue_preempted(void)
{
	struct ctx a, b;

	queue(&a, MANY, 10);
	check(wait_for(walks() && ran_by_now() >= 1), "queue: the first runs");
	check(interrupt(&b) && !get(BEFORE) && counter_value("walkers_preempted", "rcs0") == 1,
	      "queue: another context runs, both are left");
	check(counter_value("thread_groups", "rcs0") < MANY, "queue: in the first (%llu)",
	      (unsigned long long)counter_value("thread_groups", "rcs0"));
	queue_ends(&a, MANY + 10);

	queue(&a, 2, MANY);
	check(wait_for(walks() && get(BEFORE) == 7) && ran_by_now() < 2 + MANY,
	      "queue: the write comes behind the first");
	check(wait_for(ran_by_now() >= 4) && interrupt(&b) && !get(OUT) &&
	      counter_value("walkers_preempted", "rcs0") == 1, "queue: the second is left");
	queue_ends(&a, 2 + MANY);
}

int main(void)
{
	waits();
	post_sync();
	full();
	queue_preempted();
	groups();
	time_of_groups();
	preempted("thread-group level", GROUP);
	preempted("mid-thread level", MID_THREAD);
	not_preempted("command level", COMMAND, true, true);
	not_preempted("no level per context", GROUP, false, true);
	not_preempted("arbitration off", GROUP, true, false);
	lite_restore();
	stopped();
	sent_elsewhere();
	reset();
	without_workers();
	return test_end();
}
