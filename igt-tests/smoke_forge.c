// SPDX-License-Identifier: MIT
/**
 * DOC: Batches that write into status pages
 *
 * Gen9 lets a batch without privilege store into two pages by an index: the status page of its context and that of its
 * engine (MI_STORE_DATA_INDEX; PIPE_CONTROL and MI_FLUSH_DW with an index). So nothing that a client finds there
 * afterwards may make the driver believe that a batch has ended, or that the engine is elsewhere than it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "smoke.h"

#define FORGED		0x40000000u	/* later than any seqno of a new context */
#define PAGE_DW		1024u
#define DRIVER_DW	0x20u		/* of an engine's status page: behind all that the hardware writes */
#define RING_FULL	400u		/* requests that no ring of 16 KB holds */
#define SHORT_NS	100000000ll
#define VICTIM_BATCHES	100u
#define MOST_RESETS	8u		/* that another client may meet while events are forged all the time, */
#define RESET_EVERY_S	5		/* and one more in so many seconds: igen distrusts the page for ten or more */
#define ALONE		20u		/* batches: neither six events nor igen's last 16 lists name another context */

/* What batches do with the page, in dwords. */
enum { STARTED, GATE, COUNT };

/* How a batch stores by an index. */
enum { BY_INDEX, BY_FLUSH, NUM_FORMS };

static const char * const form_names[NUM_FORMS] = { "index", "flush" };

static volatile uint32_t *dword(struct it_bo *bo, unsigned int what)
{
	return (volatile uint32_t *)bo->map + what;
}

static uint64_t address(const struct it_bo *bo, unsigned int what)
{
	return bo->address + 4 * what;
}

/* Stores a dword, or an even dword and the one behind it, into the context's or the engine's status page. */
static void emit_forged(struct it_batch *b, const struct it_engine *engine, unsigned int form, bool global,
			unsigned int index, uint32_t value)
{
	if (form == BY_INDEX) {
		it_emit(b, MI_STORE_DATA_INDEX | (global ? 0 : MI_SDI_QWORD));
		it_emit(b, 4 * index);
		it_emit(b, value);
		return;
	}
	if (engine->class == I915_ENGINE_CLASS_RENDER) {
		it_emit(b, PIPE_CONTROL);
		it_emit(b, PIPE_CONTROL_WRITE_QW | PIPE_CONTROL_STORE_INDEX | PIPE_CONTROL_CS_STALL |
			   (global ? PIPE_CONTROL_GGTT : 0));
		it_emit(b, 4 * index);
		it_emit(b, 0);
	} else {
		it_emit(b, MI_FLUSH_DW | MI_FLUSH_DW_STORE_INDEX | MI_FLUSH_DW_WRITE_QW);
		it_emit(b, 4 * index | (global ? MI_FLUSH_DW_GGTT : 0));
		it_emit(b, 0);
	}
	it_emit(b, value);
	it_emit(b, value);
}

/* Every dword that might be a seqno, in both pages. */
static void emit_forged_pages(struct it_batch *b, const struct it_engine *engine, unsigned int form)
{
	unsigned int step = form == BY_INDEX ? 1 : 2;

	for (unsigned int index = 0; index < PAGE_DW; index += step)
		emit_forged(b, engine, form, false, index, FORGED);
	if (!it_on_igen())		/* stock i915 has seqnos of its own requests in the engine's page */
		return;
	for (unsigned int index = DRIVER_DW; index < PAGE_DW; index += step)
		emit_forged(b, engine, form, true, index, FORGED);
}

/* True if the blitter's parser has refused a batch; other engines run the same batch. */
static bool is_refused(const struct it_engine *engine, int ret)
{
	return engine->class == I915_ENGINE_CLASS_COPY && (ret == -EINVAL || ret == -EACCES);
}

static void count_up(struct it_batch *b, struct it_bo *page)
{
	it_emit(b, MI_ATOMIC | IGEN_PREP(MI_ATOMIC_OPCODE_MASK, MI_ATOMIC_INC));
	it_emit_address(b, address(page, COUNT));
	it_emit_end(b);
}

/* Further batches of the context until its ring is full: how many. it_ioctl() would try again for as long as it is. */
static int fill_ring(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *page)
{
	const uint64_t flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS | EXEC_OBJECT_ASYNC;
	struct it_batch b = it_batch(dev, 4096);
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .handle = page->handle, .offset = page->address, .flags = flags | EXEC_OBJECT_WRITE },
		{ .handle = b.bo->handle, .offset = b.bo->address, .flags = flags },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj, .buffer_count = ARRAY_SIZE(obj), .flags = engine | I915_EXEC_NO_RELOC,
		.rsvd1 = ctx,
	};
	int n = 0;

	count_up(&b, page);
	it_expect(!fcntl(dev->fd, F_SETFL, fcntl(dev->fd, F_GETFL) | O_NONBLOCK), "O_NONBLOCK: error %d", errno);
	while (n < (int)RING_FULL && !ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb))
		n++;
	it_expect(n == (int)RING_FULL || errno == EWOULDBLOCK, "execbuf %d: error %d", n, errno);
	return n;
}

/* A batch that has written all it can reach is not taken to be over, and its ring is not written over. */
static void forge_seqno(unsigned int arg)
{
	struct it_dev *dev = it_open();
	unsigned int engine = arg / NUM_FORMS, form = arg % NUM_FORMS;
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 16 * 4096);
	int ret, filled;

	emit_forged_pages(&b, &dev->engine[engine], form);
	it_emit_store(&b, address(page, STARTED), 1);
	if (b.n & 1)
		it_emit(&b, MI_NOOP);
	it_emit_circle(&b, address(page, GATE));
	ret = it_run(dev, ctx, engine, &b, &page, 1, 0);
	if (is_refused(&dev->engine[engine], ret))
		return;
	it_expect(!ret, "execbuf: error %d", ret);
	it_expect(it_poll(dword(page, STARTED), 1), "the batch does not start");

	ret = it_bo_wait(b.bo, SHORT_NS);
	filled = ret == -ETIME ? fill_ring(dev, ctx, engine, page) : 0;
	*dword(page, GATE) = 1;
	it_expect(ret == -ETIME, "the driver takes the batch for done while it runs: wait says %d", ret);
	it_expect(filled > 0 && filled < (int)RING_FULL, "%d more requests fit into a ring that is in use", filled);
	ret = it_bo_wait(page, IT_WAIT_NS);
	it_expect(!ret, "the batches do not end: error %d", ret);
	it_expect(*dword(page, COUNT) == (uint32_t)filled, "%u of %d batches ran", *dword(page, COUNT), filled);
}

static void reset_stats(struct it_dev *dev, uint32_t ctx, struct drm_i915_reset_stats *stats)
{
	int ret;

	*stats = (struct drm_i915_reset_stats){ .ctx_id = ctx };
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, stats);
	it_expect(!ret, "GET_RESET_STATS: error %d", ret);
}

/* A client that only counts: every batch runs, exactly once, and no hang is its own. Returns its reset statistics. */
static struct drm_i915_reset_stats run_victim(unsigned int engine, unsigned int count)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);
	struct drm_i915_reset_stats stats;

	count_up(&b, page);
	for (unsigned int i = 0; i < count; i++) {
		it_run_wait(dev, ctx, engine, &b, &page, 1);
		it_expect(*dword(page, COUNT) == i + 1, "batch %u of the other client ran %u times", i,
			  *dword(page, COUNT) - i);
	}
	reset_stats(dev, ctx, &stats);
	it_expect(!stats.batch_active, "the other client is found guilty %u times", stats.batch_active);
	it_close(dev);
	return stats;
}

/* A batch that tells its engine's event number and its own context's id, waits, does what is in the second page, ... */
struct forger {
	struct it_dev *dev;
	uint32_t ctx;
	struct it_bo *page;
	struct it_batch b;
};

enum { POINTER = 64, ID, GO, DONE, RUNS };

static struct forger start_forger(struct it_dev *dev, uint32_t ctx, unsigned int slot, const struct it_engine *engine)
{
	struct forger f = { .dev = dev, .ctx = ctx, .page = it_bo(dev, 4096), .b = it_batch(dev, 8192) };
	int ret;

	it_emit(&f.b, MI_ATOMIC | IGEN_PREP(MI_ATOMIC_OPCODE_MASK, MI_ATOMIC_INC));
	it_emit_address(&f.b, address(f.page, RUNS));
	it_emit_store_reg(&f.b, address(f.page, POINTER), RING_CTX_STATUS_PTR(engine->base));
	it_emit_store_reg(&f.b, address(f.page, ID), RING_EXECLIST_STATUS_HI(engine->base));
	it_emit_store(&f.b, address(f.page, STARTED), 1);
	it_emit_gate(&f.b, address(f.page, GO));
	it_emit(&f.b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
	it_emit_address(&f.b, f.b.bo->address + 4096);
	ret = it_run(dev, ctx, slot, &f.b, &f.page, 1, 0);
	it_expect(!ret, "execbuf: error %d", ret);
	it_expect(it_poll(dword(f.page, STARTED), 1), "the batch does not start");
	return f;
}

/* ... here: writes an event about itself behind the last one, and stays, preemptible or not, until it is let go. */
static void forge_event(struct forger *f, const struct it_engine *engine, uint32_t status, bool yields)
{
	unsigned int next = ((*dword(f->page, POINTER) & CTX_STATUS_PTR_WRITE_MASK) + 1) % GEN9_CSB_ENTRIES;
	unsigned int loop;

	f->b.n = 1024;
	emit_forged(&f->b, engine, BY_INDEX, true, HWSP_CSB_DW + 2 * next, status);
	emit_forged(&f->b, engine, BY_INDEX, true, HWSP_CSB_DW + 2 * next + 1, *dword(f->page, ID));
	emit_forged(&f->b, engine, BY_INDEX, true, HWSP_CSB_WRITE_PTR_DW, next);
	it_emit_store(&f->b, address(f->page, DONE), 1);
	if (f->b.n & 1)
		it_emit(&f->b, MI_NOOP);
	if (yields) {
		it_emit_circle(&f->b, address(f->page, GATE));
	} else {
		loop = f->b.n;
		it_emit(&f->b, MI_CONDITIONAL_BB_END | MI_COND_BBE_COMPARE | IGEN_PREP(MI_COND_BBE_OP_MASK, 4));
		it_emit(&f->b, 0);
		it_emit_address(&f->b, address(f->page, GATE));
		it_emit(&f->b, MI_BATCH_BUFFER_START | MI_BBS_PPGTT);
		it_emit_address(&f->b, f->b.bo->address + 4 * loop);
		it_emit_end(&f->b);
	}
	*dword(f->page, GO) = 1;
	it_expect(it_poll(dword(f->page, DONE), 1), "the batch does not forge");
}

/* The driver writes a list for each of these batches, and the engine an event at least. */
static void run_alone(struct it_dev *dev, uint32_t ctx, unsigned int slot)
{
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);

	count_up(&b, page);
	for (unsigned int i = 0; i < ALONE; i++)
		it_run_wait(dev, ctx, slot, &b, &page, 1);
}

/*
 * A forged event says that a batch is over that still runs. As no other client's context can have written it, the
 * forger is to blame, and no other client notices.
 */
static void forge_event_of(unsigned int arg)
{
	struct it_dev *dev = it_open();
	unsigned int slot = arg / 4;
	bool yields = arg & 1, closes = arg & 2;
	uint32_t ctx = it_ctx_engines(dev);
	const struct it_engine *engine = &dev->engine[slot];
	struct drm_i915_reset_stats stats;
	volatile uint32_t *gate;
	struct forger f;

	run_alone(dev, ctx, slot);
	f = start_forger(dev, ctx, slot, engine);
	forge_event(&f, engine, CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, yields);
	gate = dword(f.page, GATE);
	if (closes) {
		/* The mapping outlives the file: a batch that yields would run on for ever. */
		f.page->map = NULL;
		it_close(dev);
	}
	run_victim(slot, VICTIM_BATCHES);
	*gate = 1;
	if (closes)
		return;
	reset_stats(dev, ctx, &stats);
	/* A batch that yields does no harm while the driver does not believe the page any more, and may go on. */
	it_expect(stats.batch_active == 1 || (yields && !stats.batch_active && !stats.batch_pending),
		  "whose batch has forged an event is found guilty %u times, and met %u resets", stats.batch_active,
		  stats.batch_pending);
	it_expect(*dword(f.page, RUNS) == 1, "the batch ran %u times", *dword(f.page, RUNS));
}

static unsigned int random_index(void)
{
	return HWSP_CSB_DW + rand() % (HWSP_CSB_WRITE_PTR_DW - HWSP_CSB_DW + 1);
}

static uint32_t random_event(void)
{
	static const uint32_t some[] = {
		CSB_IDLE_TO_ACTIVE, CSB_PREEMPTED, CSB_PREEMPTED | CSB_LITE_RESTORE, 0, ~0u,
		CSB_CONTEXT_COMPLETE | CSB_ACTIVE_TO_IDLE, CSB_CONTEXT_COMPLETE | CSB_ELEMENT_SWITCH,
	};

	return rand() % 2 ? some[rand() % ARRAY_SIZE(some)] : (uint32_t)rand() % 8;
}

/* A client of its own process that writes random events, as fast as it can; with a new file when it is banned. */
static void __attribute__((noreturn)) forge_at_random(unsigned int slot, unsigned int form)
{
	for (;;) {
		struct it_dev *dev = it_open();
		uint32_t ctx = it_ctx_engines(dev);
		struct it_bo *page = it_bo(dev, 4096);
		int ret = 0;

		while (!ret) {
			struct it_batch b = it_batch(dev, 4096);

			for (unsigned int i = 0; i < 64; i++)
				emit_forged(&b, &dev->engine[slot], form, true, random_index(), random_event());
			it_emit_end(&b);
			ret = it_run(dev, ctx, slot, &b, &page, 1, 0);
			if (is_refused(&dev->engine[slot], ret))
				_exit(0);
			if (!ret)
				it_bo_wait(b.bo, IT_WAIT_NS);
			it_bo_close(b.bo);
		}
		it_close(dev);
	}
}

/* Events at random do not cost another client its turn: resets stay few, however many events are forged. */
static void forge_events(unsigned int arg)
{
	unsigned int slot = arg / NUM_FORMS, form = arg % NUM_FORMS;
	struct drm_i915_reset_stats stats;
	time_t seconds = time(NULL);
	pid_t child;

	child = fork();
	it_expect(child >= 0, "fork: error %d", errno);
	if (!child)
		forge_at_random(slot, form);
	stats = run_victim(slot, 4 * VICTIM_BATCHES);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	seconds = time(NULL) - seconds;
	it_note("%u resets in %u batches, %ld s", stats.batch_pending, 4 * VICTIM_BATCHES, (long)seconds);
	it_expect(stats.batch_pending <= MOST_RESETS + seconds / RESET_EVERY_S,
		  "%u batches of the other client met a reset in %ld s", stats.batch_pending, (long)seconds);
}

void smoke_forge(const struct it_engine *engines, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int form = 0; form < NUM_FORMS; form++)
			it_subtest(forge_seqno, i * NUM_FORMS + form, "forge-seqno-%s-%s", form_names[form],
				   engines[i].name);
	/* Stock i915 believes such events. */
	if (!it_on_igen())
		return;
	for (unsigned int i = 0; i < n; i++) {
		/* The blitter's parser does not let a batch see the registers that it needs for that. */
		if (engines[i].class != I915_ENGINE_CLASS_COPY) {
			for (unsigned int how = 0; how < 4; how++)
				it_subtest(forge_event_of, 4 * i + how, "forge-end%s%s-%s", how & 2 ? "-closed" : "",
					   how & 1 ? "" : "-unyielding", engines[i].name);
		}
		for (unsigned int form = 0; form < NUM_FORMS; form++)
			it_subtest(forge_events, i * NUM_FORMS + form, "forge-events-%s-%s", form_names[form],
				   engines[i].name);
	}
}
