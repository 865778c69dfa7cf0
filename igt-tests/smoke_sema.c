// SPDX-License-Identifier: MIT
/*
 * DOC: Engines that wait for each other
 *
 * Batches on two engines, each of which writes an object that the one before has written. They run in that order;
 * igen's engines see to that themselves, without the CPU, as the number of interrupts shows. An engine that waits is
 * there for others meanwhile, and no request is to blame for the hang of one that it waits for.
 */
#include "smoke.h"

#define LINKS 64

/* What batches do with the page, in bytes. */
#define VALUE(i)	(4 * (i))
#define SEEN(i)		(1024 + 4 * (i))
#define GATE		2048

#define URGENT		1000

static void emit_gate(struct it_batch *b, const struct it_bo *page)
{
	it_emit_gate(b, page->address + GATE);
}

/* Stores its number, after what it finds as the number of the one before. */
static void emit_link(struct it_batch *b, const struct it_bo *page, unsigned int i)
{
	if (i) {
		it_emit(b, MI_COPY_MEM_MEM);
		it_emit_address(b, page->address + SEEN(i));
		it_emit_address(b, page->address + VALUE(i - 1));
	}
	it_emit_store(b, page->address + VALUE(i), i + 1);
	it_emit_end(b);
}

static unsigned int other_than(struct it_dev *dev, unsigned int engine)
{
	unsigned int other = (engine + 1) % dev->num_engines;

	if (other == engine)
		it_skip("only one engine");
	return other;
}

static void chain(unsigned int engine)
{
	struct it_dev *dev = it_open();
	unsigned int on[] = { engine, other_than(dev, engine) };
	uint32_t ctx = it_ctx_engines(dev);
	struct it_bo *page = it_bo(dev, 4096);
	volatile uint32_t *dw = page->map;
	unsigned int early = 0;
	struct it_batch b;
	long before, after;
	bool ended;
	int ret;

	for (unsigned int i = 0; i < LINKS; i++) {
		b = it_batch(dev, 4096);
		if (!i)
			emit_gate(&b, page);
		emit_link(&b, page, i);
		ret = it_run(dev, ctx, on[i & 1], &b, &page, 1, 0);
		if (ret)
			dw[GATE / 4] = 1;
		it_expect(!ret, "execbuf of link %u: error %d", i, ret);
	}
	for (unsigned int i = 0; i < LINKS; i++)
		early += dw[VALUE(i) / 4] != 0;
	before = smoke_interrupts();
	dw[GATE / 4] = 1;
	/* No waiter needs an interrupt of the GPU. */
	ended = it_poll(&dw[VALUE(LINKS - 1) / 4], LINKS);
	after = smoke_interrupts();

	it_expect(!early, "%u links ran before the first", early);
	it_expect(ended, "the last link did not run");
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret, "the last link did not end: error %d", ret);
	for (unsigned int i = 1; i < LINKS; i++)
		it_expect(dw[SEEN(i) / 4] == i, "link %u saw %u", i, dw[SEEN(i) / 4]);
	it_note("%u links, %ld interrupts", LINKS, after - before);
	/* By way of the CPU each link but the first takes one at least. */
	it_expect(!it_on_igen() || after - before < LINKS / 2, "%ld interrupts for %u links",
		  after - before, LINKS);
}

static void company(unsigned int engine)
{
	struct it_dev *dev = it_open();
	unsigned int other = other_than(dev, engine);
	struct it_batch first = it_batch(dev, 4096), second = it_batch(dev, 4096), b = it_batch(dev, 4096);
	struct it_bo *page = it_bo(dev, 4096), *mine = it_bo(dev, 4096);
	/* i915's give way to their equals only. */
	uint32_t ctx = it_ctx_engines(dev), comes = it_ctx_priority(dev, it_on_igen() ? -100 : 0);
	volatile uint32_t *dw = page->map;
	int ret, ret_first, ret_second;
	bool early;

	emit_gate(&first, page);
	emit_link(&first, page, 0);
	emit_link(&second, page, 1);
	it_emit_store(&b, mine->address, 1);
	it_emit_end(&b);
	ret_first = it_run(dev, ctx, other, &first, &page, 1, 0);
	ret_second = it_run(dev, ctx, engine, &second, &page, 1, 0);
	ret = it_run(dev, comes, engine, &b, &mine, 1, 0);
	ret = ret ?: it_bo_wait(b.bo, IT_WAIT_NS);
	early = dw[VALUE(0) / 4] || dw[VALUE(1) / 4];
	dw[GATE / 4] = 1;
	it_expect(!ret_first && !ret_second, "execbuf: errors %d, %d", ret_first, ret_second);
	it_expect(!ret, "the batch that came did not get the engine: error %d", ret);
	it_expect(!early, "the batch that waits ran before its time");
	ret = it_bo_wait(second.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch that waited did not end: error %d", ret);
	it_expect(dw[VALUE(1) / 4] == 2 && dw[SEEN(1) / 4] == 1, "the batch that waited stored %u after it saw %u",
		  dw[VALUE(1) / 4], dw[SEEN(1) / 4]);
}

/* The batch that the other waits for hangs, and an urgent request has it reset. */
static void hang(unsigned int engine)
{
	struct it_dev *dev = it_open();
	unsigned int other = other_than(dev, engine);
	struct it_batch spin = it_spinner(dev), second = it_batch(dev, 4096), b = it_batch(dev, 4096);
	struct it_bo *page = it_bo(dev, 4096), *mine = it_bo(dev, 4096);
	uint32_t stubborn = it_ctx_engines(dev), waits = it_ctx_engines(dev), urgent = it_ctx_priority(dev, URGENT);
	struct drm_i915_reset_stats stats = { .ctx_id = waits }, guilty = { .ctx_id = stubborn };
	volatile uint32_t *dw = page->map;
	int ret;

	emit_link(&second, page, 0);
	it_emit_store(&b, mine->address, 1);
	it_emit_end(&b);
	ret = it_run(dev, stubborn, other, &spin, &page, 1, 0);
	it_expect(!ret, "execbuf of the spinner: error %d", ret);
	ret = it_run(dev, waits, engine, &second, &page, 1, 0);
	it_expect(!ret, "execbuf of the batch that waits: error %d", ret);
	ret = it_run(dev, urgent, other, &b, &mine, 1, 0);
	it_expect(!ret, "execbuf of the urgent batch: error %d", ret);
	ret = it_bo_wait(b.bo, IT_WAIT_NS);
	it_expect(!ret, "the urgent batch did not run: error %d", ret);
	ret = it_bo_wait(second.bo, IT_WAIT_NS);
	it_expect(!ret, "the batch that waited did not end: error %d", ret);
	ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &guilty);
	ret = ret ?: it_ioctl(dev->fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats);
	it_expect(!ret && guilty.batch_active == 1, "error %d, the spinner's context counts %u active batches in hangs",
		  ret, guilty.batch_active);
	it_expect(!stats.batch_active, "the batch that waited is to blame for %u hangs", stats.batch_active);
	it_expect(!it_on_igen() || dw[0] == 1, "the batch that waited stored %u", dw[0]);
}

void smoke_sema(const struct it_engine *engines, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		it_subtest(chain, i, "sema-chain-%s", engines[i].name);
		it_subtest(company, i, "sema-company-%s", engines[i].name);
		it_subtest(hang, i, "sema-hang-%s", engines[i].name);
	}
}
