// SPDX-License-Identifier: MIT
/**
 * DOC: Isolation of engines, address spaces and contexts
 *
 * The subtests use engines that run at the same time, pages that come and go at one address, contexts that
 * must not see each other's registers or old memory, and a batch that hangs.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "smoke.h"

#define ROUNDS	48
#define DROP_CACHES	"/sys/kernel/debug/dri/0/i915_gem_drop_caches"
#define AWAY_CONTEXTS	12
#define AWAY_ROUNDS	6

static void emit_atomic_inc(struct it_batch *b, uint64_t address)
{
	it_emit(b, MI_ATOMIC | MI_ATOMIC_DWORD | MI_ATOMIC_CS_STALL |
			   IGEN_PREP(MI_ATOMIC_OPCODE_MASK, MI_ATOMIC_INC));
	it_emit_address(b, address);
}

/*
 * Each batch of a round waits until all engines have begun theirs: only possible when they run side
 * by side.
 */
static void concurrent(unsigned int arg)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, 4096), *last[IT_MAX_ENGINES] = { NULL };
	uint32_t *dw = page->map;

	(void)arg;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int e = 0; e < dev->num_engines; e++) {
			struct it_batch b = it_batch(dev, 4096);
			int ret;

			emit_atomic_inc(&b, page->address);
			it_emit(&b,
				MI_SEMAPHORE_WAIT | MI_SEMAPHORE_POLL | MI_SEMAPHORE_SAD_GTE_SDD);
			it_emit(&b, (round + 1) * dev->num_engines);
			it_emit_address(&b, page->address);
			it_emit_store(&b, page->address + 64 + e * 4, round + 1);
			it_emit_end(&b);
			ret = it_run(dev, ctx, e, &b, &page, 1, EXEC_OBJECT_ASYNC);
			it_expect(!ret, "execbuf on %s: error %d", dev->engine[e].name, ret);
			last[e] = b.bo;
		}
	}
	for (unsigned int e = 0; e < dev->num_engines; e++) {
		int ret = it_bo_wait(last[e], IT_WAIT_NS);

		it_expect(!ret, "%s did not end: error %d", dev->engine[e].name, ret);
		it_expect(dw[16 + e] == ROUNDS, "%s came to round %u of %u", dev->engine[e].name,
			  dw[16 + e], ROUNDS);
	}
	it_expect(dw[0] == ROUNDS * dev->num_engines, "%u increments, expected %u", dw[0],
		  ROUNDS * dev->num_engines);
}

/*
 * Objects take turns at one address; a store through a stale translation would land in the one
 * before.
 */
static void remap(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo[8];
	uint64_t address;

	for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++)
		bo[i] = it_bo(dev, 4096);
	address = bo[0]->address;
	for (unsigned int round = 0; round < 64; round++) {
		struct it_bo *now = bo[round * 5 % ARRAY_SIZE(bo)];
		struct it_batch b = it_batch(dev, 4096);

		now->address = address;
		it_emit_store(&b, address + round * 4, 0x1000 + round);
		it_emit_end(&b);
		it_run_wait(dev, ctx, engine, &b, &now, 1);
		for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++) {
			uint32_t v = ((uint32_t *)bo[i]->map)[round],
				 expected = bo[i] == now ? 0x1000 + round : 0;

			it_expect(v == expected, "round %u: object %u has %x, expected %x", round,
				  i, v, expected);
		}
		it_bo_close(b.bo);
	}
}

/* As before, but the previous object is destroyed, so its pages may belong to any process. */
static void remap_freed(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	uint64_t address = 1ull << 32;
	struct it_bo *others[32];

	for (unsigned int round = 0; round < 32; round++) {
		struct it_bo *bo = it_bo(dev, 65536);
		struct it_batch b = it_batch(dev, 4096);
		uint32_t *dw = bo->map;

		bo->address = address;
		for (unsigned int page = 0; page < 16; page++)
			it_emit_store(&b, address + page * 4096 + 8, 0x5000 + round);
		it_emit_end(&b);
		it_run_wait(dev, ctx, engine, &b, &bo, 1);
		for (unsigned int i = 0; i < 65536 / 4; i++) {
			uint32_t expected = i % 1024 == 2 ? 0x5000 + round : 0;

			it_expect(dw[i] == expected, "round %u, dword %u: %x, expected %x", round,
				  i, dw[i], expected);
		}
		it_bo_close(bo);
		it_bo_close(b.bo);
		/*
		 * The CPU gets pages at once, some of which were the object's; nothing may write
		 * them now.
		 */
		others[round] = it_bo(dev, 65536);
		memset(others[round]->map, 0x77, 65536);
	}
	for (unsigned int round = 0; round < 32; round++) {
		const uint8_t *bytes = others[round]->map;

		for (unsigned int i = 0; i < 65536; i++)
			it_expect(bytes[i] == 0x77, "a page that was freed is still written");
	}
}

/* New memory is zero for CPU and GPU, whatever was in the pages before. */
static void zeroed(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);

	for (unsigned int round = 0; round < 4; round++) {
		struct it_bo *dirty = it_bo(dev, 4 << 20), *fresh, *out;
		struct it_batch b = it_batch(dev, 65536);
		struct it_bo *bos[2];

		memset(dirty->map, 0xee, dirty->size);
		it_bo_close(dirty);
		fresh = it_bo(dev, 4 << 20);
		out = it_bo(dev, 4096);
		memset(out->map, 0x55, 4096);
		bos[0] = fresh;
		bos[1] = out;
		for (unsigned int page = 0; page < 1024; page++) {
			it_emit(&b, MI_COPY_MEM_MEM);
			it_emit_address(&b, out->address + page * 4);
			it_emit_address(&b, fresh->address + page * 4096 + (page * 52 & 0xffc));
		}
		it_emit_end(&b);
		it_run_wait(dev, ctx, engine, &b, bos, 2);
		for (unsigned int page = 0; page < 1024; page++)
			it_expect(!((uint32_t *)out->map)[page],
				  "the GPU reads %x in page %u of a new object",
				  ((uint32_t *)out->map)[page], page);
		for (unsigned int i = 0; i < fresh->size / 8; i++)
			it_expect(!((uint64_t *)fresh->map)[i],
				  "the CPU reads old data in a new object");
		it_bo_close(fresh);
		it_bo_close(out);
		it_bo_close(b.bo);
	}
}

static void store_gprs(struct it_dev *dev, uint32_t ctx, unsigned int engine, struct it_bo *out)
{
	struct it_batch b = it_batch(dev, 4096);

	for (unsigned int i = 0; i < 32; i++)
		it_emit_store_reg(&b, out->address + i * 4,
				  RING_GPR(dev->engine[engine].base, 0) + i * 4);
	it_emit_end(&b);
	it_run_wait(dev, ctx, engine, &b, &out, 1);
}

static void load_gprs(struct it_dev *dev, uint32_t ctx, unsigned int engine, uint32_t value)
{
	struct it_batch b = it_batch(dev, 4096);

	for (unsigned int i = 0; i < 32; i++)
		it_emit_load_reg(&b, RING_GPR(dev->engine[engine].base, 0) + i * 4, value + i);
	it_emit_end(&b);
	it_run_wait(dev, ctx, engine, &b, NULL, 0);
}

static void isolation(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *out = it_bo(dev, 4096);
	uint32_t mine = it_ctx_engines(dev), other;
	uint32_t *dw = out->map;

	load_gprs(dev, mine, engine, 0xabc00000);
	other = it_ctx_engines(dev);
	memset(dw, 0x55, 4096);
	store_gprs(dev, other, engine, out);
	for (unsigned int i = 0; i < 32; i++)
		it_expect(!dw[i], "a new context sees %x in register half %u", dw[i], i);
	store_gprs(dev, mine, engine, out);
	for (unsigned int i = 0; i < 32; i++)
		it_expect(dw[i] == 0xabc00000 + i, "a context lost its register half %u: %x", i,
			  dw[i]);
}

struct neighbour {
	unsigned int engine;
	atomic_bool over;
	atomic_uint batches;
	int ret;
};

/* A client that works all the time. */
static void *work(void *data)
{
	struct neighbour *n = data;
	struct it_dev *dev = it_open();
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);
	uint32_t ctx = it_ctx_engines(dev);

	emit_atomic_inc(&b, page->address);
	it_emit_end(&b);
	while (!n->over && !n->ret) {
		n->ret = it_run(dev, ctx, n->engine, &b, &page, 1, 0) ?: it_bo_wait(b.bo, IT_WAIT_NS);
		n->batches++;
	}
	if (!n->ret && *(uint32_t *)page->map != n->batches)
		n->ret = -EIO;
	return NULL;
}

/* The driver takes idle contexts out of the GGTT while another one works; they keep their state and go on later. */
static void away(unsigned int engine)
{
	struct it_dev *dev = it_open();
	struct it_bo *out = it_bo(dev, 4096);
	struct neighbour n = { .engine = engine };
	uint32_t ctx[AWAY_CONTEXTS], *dw = out->map;
	pthread_t thread;

	for (unsigned int c = 0; c < AWAY_CONTEXTS; c++) {
		ctx[c] = it_ctx_engines(dev);
		load_gprs(dev, ctx[c], engine, 0xab000000 + c * 0x100);
	}
	it_expect(!pthread_create(&thread, NULL, work, &n), "no thread");
	for (unsigned int i = 0; i < AWAY_ROUNDS * AWAY_CONTEXTS; i++) {
		unsigned int round = i / AWAY_CONTEXTS, c = (i * 5 + round) % AWAY_CONTEXTS;

		/* DROP_UNBOUND, DROP_BOUND, DROP_RETIRE: of all, and of some between the others. */
		if (i % 7 == 0 && it_write_file(DROP_CACHES, "0x7"))
			it_skip("no way to have contexts leave the GGTT");
		store_gprs(dev, ctx[c], engine, out);
		for (unsigned int r = 0; r < 32; r++)
			it_expect(dw[r] == 0xab000000 + c * 0x100 + r, "context %u lost its register half %u: %x", c, r,
				  dw[r]);
	}
	n.over = true;
	pthread_join(thread, NULL);
	it_expect(!n.ret, "the client that works all the time: error %d after %u batches", n.ret, n.batches);
}

static void reset_stats(struct it_dev *dev, uint32_t ctx, struct drm_i915_reset_stats *stats)
{
	int ret;

	*stats = (struct drm_i915_reset_stats){ .ctx_id = ctx };
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, stats);
	it_expect(!ret, "GET_RESET_STATS: error %d", ret);
}

/*
 * A batch that never ends, in a context that does not want to go on after that: it ends with an
 * error, its context is closed for business, and the others notice nothing.
 */
static void hang(unsigned int engine)
{
	struct it_dev *dev = it_open();
	unsigned int other = (engine + 1) % dev->num_engines;
	uint32_t guilty = it_ctx_engines(dev), innocent = it_ctx_engines(dev);
	struct drm_i915_gem_context_param p = {
		.ctx_id = guilty, .param = I915_CONTEXT_PARAM_RECOVERABLE, .value = 0,
	};
	struct it_batch spin = it_spinner(dev), b1 = it_batch(dev, 4096),
			b2 = it_batch(dev, 4096);
	struct it_bo *page = it_bo(dev, 4096);
	volatile uint32_t *dw = page->map;
	struct drm_i915_reset_stats stats;
	int ret;

	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &p);
	it_expect(!ret, "setting RECOVERABLE: error %d", ret);
	it_emit_store(&b1, page->address, 1);
	it_emit_end(&b1);
	it_emit_store(&b2, page->address + 4, 2);
	it_emit_end(&b2);

	ret = it_run(dev, guilty, engine, &spin, NULL, 0, 0);
	it_expect(!ret, "execbuf of the spinner: error %d", ret);
	/* Another engine is not disturbed; the same engine serves another context afterwards. */
	if (other != engine) {
		it_run_wait(dev, innocent, other, &b1, &page, 1);
		it_expect(dw[0] == 1, "the batch on another engine did not run");
	}
	ret = it_run(dev, innocent, engine, &b2, &page, 1, EXEC_OBJECT_ASYNC);
	it_expect(!ret, "execbuf of the innocent context: error %d", ret);
	ret = it_bo_wait(spin.bo, IT_WAIT_NS);
	it_expect(!ret, "the spinner was not stopped: error %d", ret);
	ret = it_bo_wait(b2.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch behind the spinner did not end: error %d", ret);
	it_expect(dw[1] == 2, "the batch behind the spinner did not run");

	reset_stats(dev, guilty, &stats);
	it_expect(stats.batch_active == 1, "the guilty context counts %u active batches in hangs",
		  stats.batch_active);
	reset_stats(dev, innocent, &stats);
	it_expect(!stats.batch_active, "the innocent context counts %u active batches in hangs",
		  stats.batch_active);
	ret = it_run(dev, guilty, engine, &b1, &page, 1, 0);
	it_expect(ret == -EIO, "execbuf in the guilty context: %d, expected %d", ret, -EIO);
	it_run_wait(dev, innocent, engine, &b2, &page, 1);
}

/* An opcode that no engine knows. */
static void bad_opcode(unsigned int engine)
{
	struct it_dev *dev = it_open();
	uint32_t guilty = it_ctx_engines(dev), innocent = it_ctx_engines(dev);
	struct it_batch bad = it_batch(dev, 4096), good = it_batch(dev, 4096);
	struct it_bo *page = it_bo(dev, 4096);
	volatile uint32_t *dw = page->map;
	int ret;

	it_emit(&bad, 0xc0000000);
	it_emit_store(&bad, page->address, 1);
	it_emit_end(&bad);
	it_emit_store(&good, page->address + 4, 2);
	it_emit_end(&good);
	ret = it_run(dev, guilty, engine, &bad, &page, 1, 0);
	if (ret == -EINVAL && dev->engine[engine].class == I915_ENGINE_CLASS_COPY)
		it_skip("the driver refuses the batch");
	it_expect(!ret, "execbuf: error %d", ret);
	ret = it_bo_wait(bad.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch was not stopped: error %d", ret);
	it_expect(!dw[0], "the engine went on after a command that it does not know");
	it_run_wait(dev, innocent, engine, &good, &page, 1);
	it_expect(dw[1] == 2, "the engine does not work afterwards");
}

/*
 * A large object at addresses that suit pages of 2 MB, of 64 KB and of 4 KB: each dword stored is where it should be,
 * and nothing else changes, whatever the pages are. Which sizes were used the model's counters tell.
 */
static void large_pages(unsigned int engine)
{
	static const uint64_t offsets[] = { 0, 0x10000, 0x1000 };
	const uint64_t two_mb = 2 << 20;
	const unsigned int step = 0x11004, stores = 64;
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *bo = it_bo(dev, 3 * two_mb + 0x21000);
	uint64_t base = (dev->next_address + two_mb - 1) & ~(two_mb - 1);
	volatile uint32_t *dw = bo->map;

	dev->next_address = base + 8 * two_mb;
	for (unsigned int at = 0; at < ARRAY_SIZE(offsets); at++) {
		struct it_batch b = it_batch(dev, 4096);
		uint64_t sum = 0, expected = 0;

		bo->address = base + offsets[at];
		for (unsigned int i = 0; i < stores; i++) {
			it_emit_store(&b, bo->address + i * step, (at << 16) + i);
			expected += (at << 16) + i;
		}
		it_emit_store(&b, bo->address + bo->size - 4, 1);
		expected += 1;
		it_emit_end(&b);
		it_run_wait(dev, ctx, engine, &b, &bo, 1);
		for (unsigned int i = 0; i < stores; i++)
			it_expect(dw[i * step / 4] == (at << 16) + i, "0x%x at 0x%x of an object at 0x%llx",
				  dw[i * step / 4], i * step, (unsigned long long)bo->address);
		for (size_t i = 0; i < bo->size / 4; i++)
			sum += dw[i];
		it_expect(sum == expected, "stores went elsewhere with the object at 0x%llx",
			  (unsigned long long)bo->address);
	}
}

/*
 * A running batch has used a page table in which only a large object is bound so far. Then the CPU binds small objects
 * in the same table. From then on the batch reads their contents at their addresses.
 */
static void small_beside_large(unsigned int engine)
{
	const uint64_t two_mb = 2 << 20;
	struct it_dev *dev = it_open();
	unsigned int other = engine ? 0 : 1;
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, 4096), *large = it_bo(dev, two_mb), *small[12];
	struct it_batch b = it_batch(dev, 4096), binds = it_batch(dev, 4096);
	uint64_t base = (dev->next_address + two_mb - 1) & ~(two_mb - 1);
	volatile uint32_t *dw = page->map;
	time_t until = time(NULL) + IT_WAIT_NS / 1000000000;
	int ret;

	if (dev->num_engines < 2)
		it_skip("there is no second engine");
	dev->next_address = base + 4 * two_mb;
	large->address = base + 0x10000;
	it_emit_store(&b, large->address + two_mb - 4, 1);
	it_emit_store(&b, page->address, 1);
	it_emit_gate(&b, page->address + 4);
	for (unsigned int i = 0; i < ARRAY_SIZE(small); i++) {
		small[i] = it_bo(dev, 4096);
		small[i]->address = base + two_mb + 0x20000 + i * 0x10000;
		*(uint32_t *)small[i]->map = 0x7000 + i;
		it_emit(&b, MI_COPY_MEM_MEM);
		it_emit_address(&b, page->address + 64 + i * 4);
		it_emit_address(&b, small[i]->address);
	}
	it_emit_end(&b);
	it_emit_end(&binds);

	ret = it_run(dev, ctx, engine, &b, (struct it_bo *[]){ page, large }, 2, 0);
	it_expect(!ret, "execbuf: error %d", ret);
	while (!dw[0] && time(NULL) < until)
		sched_yield();
	it_expect(dw[0], "the batch did not start");
	it_run_wait(dev, ctx, other, &binds, small, ARRAY_SIZE(small));
	dw[1] = 1;
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch did not end: error %d", ret);
	for (unsigned int i = 0; i < ARRAY_SIZE(small); i++)
		it_expect(dw[16 + i] == 0x7000 + i, "the batch reads %x in small object %u", dw[16 + i], i);
	it_expect(((uint32_t *)large->map)[two_mb / 4 - 1] == 1, "the store to the large object is not there");
}

/* Userptr ranges without user memory are refused, each mistake with its own error. */
static void bad_userptr(unsigned int unused)
{
	static const struct {
		const char *what;
		uint64_t ptr, size;
		uint32_t flags;
		int error;
	} bad[] = {
		{ "nothing", 1 << 20, 0, 0, -EINVAL },
		{ "half a page", 1 << 20, 2048, 0, -EINVAL },
		{ "an address within a page", (1 << 20) + 64, 4096, 0, -EINVAL },
		{ "a flag that there is not", 1 << 20, 4096, 1 << 20, -EINVAL },
		{ "a range that wraps", -4096ull, 8192, 0, -EFAULT },
		{ "the kernel's memory", 0xffff888000000000, 4096, 0, -EFAULT },
	};
	struct it_dev *dev = it_open();

	(void)unused;
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		struct drm_i915_gem_userptr user = {
			.user_ptr = bad[i].ptr, .user_size = bad[i].size, .flags = bad[i].flags,
		};
		int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_USERPTR, &user);

		it_expect(ret == bad[i].error, "%s: error %d, not %d", bad[i].what, ret, bad[i].error);
	}
}

static int give_up(struct it_bo *bo, uint32_t advice, uint32_t *retained)
{
	struct drm_i915_gem_madvise arg = { .handle = bo->handle, .madv = advice };
	int ret = it_ioctl(bo->dev->fd, DRM_IOCTL_I915_GEM_MADVISE, &arg);

	*retained = arg.retained;
	return ret;
}

static int peek(struct it_bo *bo, uint32_t *value)
{
	struct drm_i915_gem_pread arg = { .handle = bo->handle, .size = sizeof(*value), .data_ptr = (uintptr_t)value };

	return it_ioctl(bo->dev->fd, DRM_IOCTL_I915_GEM_PREAD, &arg);
}

/* A DONTNEED object can be used while its pages are there, and no more once they were taken. */
static void given_up(unsigned int unused)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev), retained, value = 0;
	struct it_bo *bo = it_bo(dev, 4096);
	int ret;

	(void)unused;
	for (uint32_t stored = 1; stored <= 2; stored++) {
		struct it_batch b = it_batch(dev, 4096);

		it_emit_store(&b, bo->address, stored);
		it_emit_end(&b);
		it_run_wait(dev, ctx, 0, &b, &bo, 1);
		ret = give_up(bo, I915_MADV_DONTNEED, &retained);
		it_expect(!ret && retained, "giving up: error %d, retained %u", ret, retained);
		ret = peek(bo, &value);
		it_expect(!ret && value == stored, "given up, with its pages: error %d, %u", ret, value);
	}

	ret = it_write_file(DROP_CACHES, "0x77");
	if (ret)
		it_skip("caches are not dropped: error %d", ret);
	ret = peek(bo, &value);
	it_expect(ret == -EFAULT, "given up, without its pages: error %d", ret);
	ret = give_up(bo, I915_MADV_WILLNEED, &retained);
	it_expect(!ret && !retained, "wanted again: error %d, retained %u", ret, retained);
	ret = peek(bo, &value);
	it_expect(ret == -EFAULT, "wanted again, without its pages: error %d", ret);
}

void smoke_mem(const struct it_engine *engines, unsigned int n)
{
	it_subtest(concurrent, 0, "concurrent-engines");
	it_subtest(bad_userptr, 0, "bad-userptr");
	it_subtest(given_up, 0, "given-up");
	for (unsigned int i = 0; i < n; i++) {
		it_subtest(remap, i, "remap-%s", engines[i].name);
		it_subtest(remap_freed, i, "remap-freed-%s", engines[i].name);
		it_subtest(large_pages, i, "large-pages-%s", engines[i].name);
		it_subtest(small_beside_large, i, "small-beside-large-%s", engines[i].name);
		it_subtest(zeroed, i, "zeroed-%s", engines[i].name);
		it_subtest(isolation, i, "isolation-%s", engines[i].name);
		it_subtest(away, i, "away-%s", engines[i].name);
	}
	for (unsigned int i = 0; i < n; i++)
		it_subtest(hang, i, "hang-%s", engines[i].name);
	for (unsigned int i = 0; i < n; i++)
		it_subtest(bad_opcode, i, "bad-opcode-%s", engines[i].name);
}
