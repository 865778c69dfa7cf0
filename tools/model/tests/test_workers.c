// SPDX-License-Identifier: MIT
/**
 * DOC: Tests of thread groups that several threads of the host execute
 *
 * With any number of workers each group is executed once, and atomic operations add up, whatever happens to the context
 * meanwhile. The groups here wait at a gate of memory that the test opens, so a test knows how many of them have begun,
 * however late a thread of the host is. Groups that wait for each other show that they are executed together.
 */
#include "media/internal.h"
#include "media_bench.h"
#include "media_programs.h"

#define ARRIVED		(OUT + 0x400)		/* channels that have begun */
#define GATE		(OUT + 0x404)		/* a group waits until so many have */
#define NUMBERS		(OUT + 0x800)		/* channels by the number of their thread */
#define CELLS		(OUT + 0x1000)		/* channels by their group in X */
#define CHANNELS	16u
#define SHUT		~0u
#define PAGES		0x400000u		/* in RAM: a program of many pages */
#define EU_PAGE		4096u

static unsigned int workers;

static void start_workers(const char *group_ns, unsigned int n)
{
	char set[16];

	snprintf(set, sizeof(set), "workers=%u", n);
	workers = n;
	start(group_ns, set);
}

/* How many groups run together. */
static unsigned int together(void)
{
	return workers ? workers : 1;
}

static uint32_t arrived(void)
{
	return get(ARRIVED) / CHANNELS;
}

/* Groups from X first to last. */
static void walk(struct ctx *a, uint32_t x, uint32_t end)
{
	struct gen9_gpgpu_walker w = one(end);

	w.thread_group_id_starting_x = x;
	walker(a, w);
}

static unsigned int wrong_cells(uint32_t groups)
{
	unsigned int wrong = 0;

	for (uint32_t i = 0; i < groups; i++)
		wrong += get(CELLS + 4 * i) != CHANNELS;
	return wrong + (get(CELLS + 4 * groups) != 0);
}

static bool once_each(uint32_t groups)
{
	return !wrong_cells(groups) && arrived() == groups && counter_value("eu", "threads") == groups &&
	       counter_value("thread_groups", "rcs0") == groups;
}

/* Does a command wait for the pipeline? Then a list that comes stops the walker behind the groups that have begun. */
static bool waits(void)
{
	bool w;

	pthread_mutex_lock(&gpu->lock);
	w = gpu->engine[RCS0]->pipeline.waits;
	pthread_mutex_unlock(&gpu->lock);
	return w;
}

static void other(struct ctx *b)
{
	ctx_init(b, 1, base, CTL_FRESH);
	batch(b, STORE(FLAG + 8, 1), MI_BATCH_BUFFER_END);
	ring_batch(b, CTX_BATCH, true);
	submit(base, b);
}

static void each_once(unsigned int n, const char *group_ns)
{
	const uint32_t groups = 300;
	struct ctx a;

	start_workers(group_ns, n);
	PREPARE(&a, program_gather, 0);
	walk(&a, 0, groups);
	walk(&a, groups, 2 * groups);
	check(done(&a) && once_each(2 * groups), "%u workers: each group of two walkers is executed once (%u wrong)",
	      n, wrong_cells(2 * groups));
	bench_stop();
}

/* Groups that wait for each other end if all of them run, each with a thread number of its own. */
static void meet(unsigned int n)
{
	struct ctx a;

	start_workers(NULL, n);
	PREPARE(&a, program_gather, 0);
	put(GATE, n * CHANNELS);
	walk(&a, 0, n);
	check(done(&a) && once_each(n), "%u workers: so many groups wait for each other, and end", n);
	for (uint32_t i = 0; i < n; i++)
		check(get(NUMBERS + 4 * i) == CHANNELS, "%u workers: a thread has number %u", n, i);
	bench_stop();
}

/* No more threads are there than MEDIA_VFE_STATE has scratch spaces for. */
static void limited(void)
{
	struct ctx a;

	start_workers(NULL, 4);
	vfe.maximum_number_of_threads = 1;
	PREPARE(&a, program_gather, 0);
	put(GATE, SHUT);
	walk(&a, 0, 20);
	finish(&a);
	submit(base, &a);
	check(wait_for(arrived() >= 2 && counter_value("eu", "instructions") > 100000) && arrived() == 2,
	      "two threads at a time are allowed: two run");
	put(GATE, 0);
	check(wait_for(get(FLAG) == 1 && idle(base)) && once_each(20), "and the others then");
	check(get(NUMBERS) + get(NUMBERS + 4) == 20 * CHANNELS && !get(NUMBERS + 8), "by two numbers");
	bench_stop();
}

/* A context is preempted behind the groups that have begun, and has the others executed when it comes back. */
static void preempted(unsigned int n)
{
	struct ctx a, b;

	start_workers(NULL, n);
	PREPARE(&a, program_gather, 0);
	put(GATE, SHUT);
	walk(&a, 0, MANY);
	finish(&a);
	submit(base, &a);
	check(wait_for(arrived() == together() && waits()), "%u workers: so many groups begin", n);
	other(&b);
	check(!get(FLAG + 8), "%u workers: another context waits for them", n);
	put(GATE, 0);
	check(wait_for(get(FLAG + 8) == 1 && idle(base)) && !get(FLAG), "%u workers: and runs before the others", n);
	check(arrived() == together() && counter_value("thread_groups", "rcs0") == together() &&
	      counter_value("walkers_preempted", "rcs0") == 1, "%u workers: no group has begun meanwhile (%u)", n,
	      arrived());
	elsp(base, a.desc, 0);
	check(wait_for(get(FLAG) == 1 && idle(base)) && once_each(MANY),
	      "%u workers: each group is executed once (%u wrong)", n, wrong_cells(MANY));
	bench_stop();
}

/* At mid-thread level a group runs alone, and is left between two instructions. */
static void preempted_inside(unsigned int n)
{
	struct ctx a, b;

	start_workers(NULL, n);
	memset(ram + AREA, 0, 0xa0000);
	PREPARE(&a, program_gather, 0);
	put(a.pa + CTX_RING + 8, IGEN_MASKED_FIELD(3 << 1, THREAD << 1));
	pack(&a, gpgpu_csr_base_address, 3, .gpgpu_csr_base_address = VA + AREA);
	put(GATE, SHUT);
	walk(&a, 0, MANY);
	finish(&a);
	submit(base, &a);
	check(wait_for(arrived() == 1 && waits()), "%u workers, inside: a group begins", n);
	other(&b);
	check(wait_for(get(FLAG + 8) == 1 && idle(base)) && !get(FLAG) && arrived() == 1 &&
	      counter_value("groups_preempted", "rcs0") == 1, "%u workers, inside: it is left where it waits", n);
	put(GATE, 0);
	elsp(base, a.desc, 0);
	check(wait_for(get(FLAG) == 1 && idle(base)) && once_each(MANY),
	      "%u workers, inside: each group is executed once (%u wrong)", n, wrong_cells(MANY));
	bench_stop();
}

/* A reset loses the groups that run, and nothing else. */
static void reset(unsigned int n)
{
	struct ctx a;

	start_workers(NULL, n);
	PREPARE(&a, program_gather, 0);
	put(GATE, SHUT);
	walk(&a, 0, MANY);
	finish(&a);
	submit(base, &a);
	check(wait_for(arrived() == together()), "%u workers: groups that never end begin", n);
	check(!idle(base) && render_resets(), "%u workers: the engine is reset", n);
	put(GATE, 0);
	put(ARRIVED, 0);
	counters_reset();
	PREPARE(&a, program_gather, 0);
	walk(&a, 0, MANY);
	check(done(&a) && once_each(MANY), "%u workers: another context has its groups executed (%u wrong)", n,
	      wrong_cells(MANY));
	bench_stop();
}

/* Groups that make a mistake keep the engine, and each is named. */
static void mistakes(unsigned int n)
{
	const char *why = "the message surface_info, which is not modelled";
	struct ctx a;

	start_workers(NULL, n);
	PREPARE(&a, program_bad, 0);
	walk(&a, 0, 20);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("eu_faults", why) == together()), "%u workers: so many groups stop at a mistake",
	      n);
	check(!idle(base) && !get(FLAG) && render_resets(), "%u workers: a reset ends them", n);
	check(counter_value("eu", "threads") == together(), "%u workers: no other has begun", n);
	bench_stop();
}

/* Four threads a group meet at a barrier and read each other's shared memory. */
static void barriers(unsigned int n)
{
	struct gen9_gpgpu_walker w = one(40);
	struct ctx a;

	start_workers(NULL, n);
	descriptor.constant_urb_entry_read_length = 1;
	descriptor.cross_thread_constant_data_read_length = 1;
	descriptor.barrier_enable = true;
	descriptor.number_of_threads_in_gpgpu_thread_group = 4;
	descriptor.shared_local_memory_size = 1;
	PREPARE(&a, program_share, 0);
	for (uint32_t i = 0; i < 4; i++)
		put(STATE + CURBE + 32 + 32 * i, i);
	w.thread_width_counter_maximum = 3;
	walker(&a, w);
	check(done(&a) && counter_value("eu", "threads") == 160, "%u workers: groups with barriers end", n);
	for (uint32_t i = 0; i < 4; i++)
		check(get(OUT + 4 * i) == 100 + (i + 1) % 4,
		      "%u workers: thread %u has read what the next one stored", n, i);
	bench_stop();
}

/* A group begins no earlier than by the clock. */
static void by_the_clock(void)
{
	uint64_t began, from;
	struct ctx a;

	start_workers("group_ns=1000000000", 4);
	PREPARE(&a, program_gather, 0);
	walk(&a, 0, MANY);
	finish(&a);
	from = now_ns();
	submit(base, &a);
	check(wait_for(waits()), "by the clock: a walker's groups run");
	began = counter_value("eu", "threads");
	check(began <= (now_ns() - from) / 1000000000 + 1, "by the clock: none is early (%llu)",
	      (unsigned long long)began);
	bench_hurry();
	check(wait_for(get(FLAG) == 1 && idle(base)) && once_each(MANY), "by the clock: each is executed once");
	bench_stop();
}

/* Other threads than the engine's execute groups. */
static void by_workers(void)
{
	struct ctx a;

	start_workers(NULL, 2);
	PREPARE(&a, program_gather, 0);
	walk(&a, 0, 1u << 30);
	finish(&a);
	submit(base, &a);
	check(wait_for(counter_value("worker_groups", "rcs0")), "a worker executes groups");
	check(!idle(base) && render_resets(), "and stops for a reset");
	bench_stop();

	start_workers(NULL, 1);
	PREPARE(&a, program_gather, 0);
	walk(&a, 0, 1000);
	check(done(&a) && once_each(1000) && !counter_value("worker_groups", "rcs0"),
	      "with one there is no other thread");
	bench_stop();
}

/* Which threads of the host have executed the groups of a round. */
struct told {
	pthread_t engine;
	_Atomic uint64_t by_others;
};

/* A thread of a round has executed a group of one quantum. The engine's thread waits for another thread's first one. */
static bool tell(void *arg)
{
	struct told *t = arg;

	if (pthread_equal(pthread_self(), t->engine))
		return !wait_for(atomic_load(&t->by_others));
	atomic_fetch_add(&t->by_others, 1);
	return false;
}

/* Rounds say exactly how many groups other threads than the engine's have begun. */
static void counts_exactly(void)
{
	struct told told = { .engine = pthread_self() };
	uint64_t began = 0, by_workers = 0, wrong = 0;
	struct media *m;
	struct ctx a;

	start_workers(NULL, 4);
	PREPARE(&a, program_gather, 0);
	walk(&a, 0, 1);
	check(done(&a), "a walker has run");
	m = gpu->engine[RCS0]->media;
	while (began < 4000 && !wrong) {
		struct media_round r = {
			.next = began, .may_begin = 100, .quanta = ~0u, .stop = tell, .arg = &told,
		};
		uint64_t before = atomic_load(&told.by_others);

		media_round(m, &r);
		wrong = r.began != 100 || r.ended != 100 ||
			r.by_workers != atomic_load(&told.by_others) - before;
		began += r.began;
		by_workers += r.by_workers;
	}
	check(!wrong && began == 4000 && by_workers, "the groups that workers begin are counted exactly (%llu of %llu)",
	      (unsigned long long)by_workers, (unsigned long long)atomic_load(&told.by_others));
	bench_stop();
}

/* A program of many pages, which has a jump on each to the next one. */
static void put_pages(uint32_t pages)
{
	static const uint32_t jump[] = { 0x00000020, 0x34000004, 0x0e001400, EU_PAGE - 16 };
	const uint32_t at = PAGES + (pages - 1) * EU_PAGE;

	for (uint32_t i = 0; i + 1 < pages; i++)
		memcpy(ram + PAGES + i * EU_PAGE, jump, sizeof(jump));
	/* The last two instructions, which end the thread. */
	memcpy(ram + at, program_loop + ARRAY_SIZE(program_loop) - 8, 32);
	descriptor.kernel_start_pointer = PAGES - STATE;
}

/* How many pages of a program an engine's own subslice fetches when groups execute it twice. */
static uint64_t fetched(unsigned int n, uint32_t pages)
{
	uint64_t fetches = 0;
	struct ctx a;

	start_workers(NULL, n);
	put_pages(pages);
	PREPARE(&a, program_gather, 0);
	walk(&a, 0, 1);
	walk(&a, 0, 1);
	if (done(&a) && counter_value("eu", "threads") == 2 && counter_value("eu", "instructions") == 2 * (pages + 1))
		fetches = eu_core_counters(gpu->engine[RCS0]->media->core)->fetches;
	bench_stop();
	return fetches;
}

/* All subslices of an engine keep as many decoded programs as one that is alone. */
static void decoded_programs(void)
{
	check(fetched(1, 300) == 300, "an engine keeps the 300 pages of a program");
	check(fetched(8, 200) == 200, "one of eight subslices keeps 200");
	check(fetched(8, 300) > 300, "but not 300, since eight times as many would be too many");
}

int main(void)
{
	static const unsigned int numbers[] = { 0, 1, 4 };

	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
		each_once(numbers[i], NULL);
		each_once(numbers[i], "group_ns=1000");
		preempted(numbers[i]);
		preempted_inside(numbers[i]);
		reset(numbers[i]);
		mistakes(numbers[i]);
		barriers(numbers[i]);
	}
	each_once(8, NULL);
	meet(2);
	meet(8);
	limited();
	by_the_clock();
	by_workers();
	counts_exactly();
	decoded_programs();
	return test_end();
}
