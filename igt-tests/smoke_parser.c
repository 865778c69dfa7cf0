// SPDX-License-Identifier: MIT
/**
 * DOC: Batches that the driver has to check
 *
 * Gen9's blitter lets a client's batch write any register, so the driver checks batches of the blitter and runs a copy
 * of them. Each subtest hides a command that the driver refuses: in what a command of another length would cover,
 * behind an end of the batch that the engine skips, behind a bit or an index. The driver refuses the batch, or the
 * hidden command has no effect.
 */
#include <errno.h>
#include <string.h>

#include "smoke.h"

#define SECRET		RING_HWS_PGA(BCS0_BASE)	/* a register that no client may read; never 0 */
#define UNTOUCHED	0xfeedf00d
#define PAGE_DWORDS	1024u

static unsigned int copy_engine(const struct it_dev *dev)
{
	for (unsigned int i = 0; i < dev->num_engines; i++)
		if (dev->engine[i].class == I915_ENGINE_CLASS_COPY)
			return i;
	it_skip("no copy engine");
}

static void emit_many(struct it_batch *b, uint32_t dw, unsigned int n)
{
	while (n--)
		it_emit(b, dw);
}

/* The command that the driver has to find: it writes a register that clients may not read. */
static void emit_secret(struct it_batch *b, const struct it_bo *page)
{
	it_emit(b, MI_STORE_REGISTER_MEM);
	it_emit(b, SECRET);
	it_emit_address(b, page->address);
}

/*
 * Two readings of the same dwords: to an engine that takes @engine dwords for the command, the secret comes next; a
 * parser that takes @parser dwords finds commands that are allowed, and the secret within one of them.
 */
struct reading {
	const char *name;
	uint32_t header;
	unsigned int engine, parser;
};

static const struct reading readings[] = {
	{ "flush", MI_OP_FLUSH_DW << 23 | 0x43, 5, 0x45 },
	{ "flush-invalidate", MI_OP_FLUSH_DW << 23 | 0x83, 5, 0x85 },
	{ "scan-lines-incl", MI_OP_LOAD_SCAN_LINES_INCL << 23 | 0x40, 2, 0x42 },
	{ "scan-lines-excl", MI_OP_LOAD_SCAN_LINES_EXCL << 23 | 0x40, 2, 0x42 },
	{ "store", MI_OP_STORE_DATA_IMM << 23 | 0x102, 0x104, 4 },
	{ "update-gtt", MI_OP_UPDATE_GTT << 23 | 0x100, 0x102, 2 },
};

/* Runs the batch; a batch that the driver takes must leave the page as it was. */
static void expect_harmless(struct it_dev *dev, struct it_batch *b, struct it_bo *page)
{
	unsigned int engine = copy_engine(dev);
	const volatile uint32_t *dw = page->map;
	int ret;

	ret = it_run(dev, it_ctx_engines(dev), engine, b, &page, 1, 0);
	if (!ret) {
		ret = it_bo_wait(page, IT_WAIT_NS);
		it_expect(!ret, "the batch did not end: error %d", ret);
	} else {
		it_expect(ret == -EACCES || ret == -EINVAL, "execbuf: error %d", ret);
	}
	for (unsigned int i = 0; i < PAGE_DWORDS; i++)
		it_expect(dw[i] == UNTOUCHED, "the batch has run a command that is not allowed: dword %u is %08x", i,
			  dw[i]);
}

static void expect_refused(struct it_dev *dev, struct it_batch *b, struct it_bo *page, int error)
{
	int ret = it_run(dev, it_ctx_engines(dev), copy_engine(dev), b, &page, 1, 0);

	it_expect(ret == error, "execbuf: error %d, expected %d", ret, error);
}

static struct it_bo *untouched_page(struct it_dev *dev)
{
	struct it_bo *page = it_bo(dev, 4096);

	for (unsigned int i = 0; i < PAGE_DWORDS; i++)
		((uint32_t *)page->map)[i] = UNTOUCHED;
	return page;
}

static void in_the_open(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = untouched_page(dev);
	struct it_batch b = it_batch(dev, 8192);

	(void)unused;
	emit_secret(&b, page);
	it_emit_end(&b);
	expect_refused(dev, &b, page, -EACCES);
}

/* A blit of so many dwords without effect: its rectangle is empty. */
static void emit_cover(struct it_batch *b, unsigned int dwords)
{
	it_emit(b, (XY_TEXT_IMMEDIATE_BLT(0) & ~0xffu) | (dwords - 2));
}

static void by_length(unsigned int i)
{
	const struct reading *r = &readings[i];
	struct it_dev *dev = it_open();
	struct it_bo *page = untouched_page(dev), *target = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 8192);
	unsigned int at;

	it_emit(&b, r->header);
	if (r->engine < r->parser) {
		/* The parser takes the secret for data of the first command. */
		emit_many(&b, MI_NOOP, r->engine - 1);
		emit_secret(&b, page);
		it_emit_end(&b);
		emit_many(&b, MI_NOOP, r->parser - b.n);
	} else {
		/* The parser takes the end of the first command for a blit, which covers the secret. */
		it_emit_address(&b, target->address);
		if (r->parser > 3)
			it_emit(&b, 0);
		else
			b.n = r->parser;
		for (at = b.n; r->engine - b.n > 0x80; at = b.n) {
			emit_cover(&b, 0x80);
			emit_many(&b, MI_NOOP, 0x80 - (b.n - at));
		}
		at = b.n;
		emit_cover(&b, r->engine - at + 0x20);
		emit_many(&b, MI_NOOP, r->engine - b.n);
		emit_secret(&b, page);
		it_emit_end(&b);
		emit_many(&b, MI_NOOP, 0x20);
	}
	it_emit_end(&b);
	expect_harmless(dev, &b, page);
}

/*
 * The engine skips an end of the batch that is predicated. Objects of the client are wherever the copy may end: behind
 * the batch itself, and at the lowest addresses, where the driver puts what may go anywhere.
 */
static void by_predicate(unsigned int unused)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = untouched_page(dev), *next = it_bo(dev, 65536), *bos[2] = { page, next };
	struct it_batch b = it_batch(dev, 4096);
	uint32_t *dw = next->map;
	int ret;

	(void)unused;
	next->address = (256 + 4) << 10;
	dw[0] = MI_SET_PREDICATE | MI_SET_PREDICATE_NEVER;
	dw[1] = MI_STORE_REGISTER_MEM;
	dw[2] = SECRET;
	dw[3] = page->address;
	dw[4] = page->address >> 32;
	dw[5] = MI_BATCH_BUFFER_END;
	it_emit(&b, MI_SET_PREDICATE | MI_SET_PREDICATE_ALWAYS);
	it_emit_end(&b);
	ret = it_run(dev, it_ctx_engines(dev), copy_engine(dev), &b, bos, 2, 0);
	if (!ret) {
		ret = it_bo_wait(page, IT_WAIT_NS);
		it_expect(!ret, "the batch did not end: error %d", ret);
	}
	it_expect(*(uint32_t *)page->map == UNTOUCHED, "the batch has run a command behind its end: %08x",
		  *(uint32_t *)page->map);
	it_expect(ret == -EACCES, "execbuf: error %d", ret);
}

/* Commands and bits that reach the global GTT, the status pages or what is not the client's. */
static const struct refused {
	const char *name;
	uint32_t dw[5];
	unsigned int n;
} refused[] = {
	{ "store-ggtt", { MI_STORE_DATA_IMM_DW | MI_SDI_GGTT }, 4 },
	{ "store-register-ggtt", { MI_STORE_REGISTER_MEM | MI_MEM_GGTT, RING_GPR(BCS0_BASE, 0) }, 4 },
	{ "load-register-ggtt", { MI_LOAD_REGISTER_MEM | MI_MEM_GGTT, RING_GPR(BCS0_BASE, 0) }, 4 },
	{ "copy-from-ggtt", { MI_COPY_MEM_MEM | MI_COPY_SRC_GGTT }, 5 },
	{ "copy-to-ggtt", { MI_COPY_MEM_MEM | MI_COPY_DST_GGTT }, 5 },
	{ "atomic-ggtt", { MI_ATOMIC | MI_ATOMIC_GGTT }, 3 },
	{ "semaphore-ggtt", { MI_SEMAPHORE_WAIT | MI_SEMAPHORE_GGTT | MI_SEMAPHORE_SAD_EQ_SDD }, 4 },
	{ "semaphore-register", { MI_SEMAPHORE_WAIT | MI_SEMAPHORE_REGISTER | MI_SEMAPHORE_SAD_EQ_SDD, 0, SECRET }, 4 },
	{ "conditional-end-ggtt", { MI_CONDITIONAL_BB_END | MI_COND_BBE_GGTT }, 4 },
	{ "flush-ggtt", { MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW, MI_FLUSH_DW_GGTT }, 5 },
	{ "flush-index", { MI_FLUSH_DW | MI_FLUSH_DW_WRITE_QW | MI_FLUSH_DW_STORE_INDEX, 0x800 }, 5 },
	{ "store-index", { MI_STORE_DATA_INDEX | MI_SDX_PPHWSP, 0x800 }, 3 },
	{ "store-index-global", { MI_STORE_DATA_INDEX, 0x800 }, 3 },
	{ "update-gtt-entry", { MI_UPDATE_GTT(1) }, 4 },
	{ "timestamp-write", { MI_LOAD_REGISTER_IMM(1), RING_TIMESTAMP(BCS0_BASE), 0 }, 3 },
	{ "run-time-write", { MI_LOAD_REGISTER_IMM(1), RING_CTX_TIMESTAMP(BCS0_BASE), 0 }, 3 },
	{ "second-register", { MI_LOAD_REGISTER_IMM(2), RING_GPR(BCS0_BASE, 0), 0, RING_TAIL(BCS0_BASE), 0 }, 5 },
	{ "register-to-register", { MI_LOAD_REGISTER_REG, RING_GPR(BCS0_BASE, 0), RING_TAIL(BCS0_BASE) }, 3 },
};

static void by_table(unsigned int i)
{
	struct it_dev *dev = it_open();
	struct it_bo *page = untouched_page(dev);
	struct it_batch b = it_batch(dev, 4096);

	for (unsigned int n = 0; n < refused[i].n; n++)
		it_emit(&b, refused[i].dw[n]);
	it_emit_end(&b);
	expect_refused(dev, &b, page, -EACCES);
}

/* Bytes of the address space that clients have, as the context says. */
static uint64_t space_of(struct it_dev *dev, uint32_t ctx)
{
	struct drm_i915_gem_context_param p = { .ctx_id = ctx, .param = I915_CONTEXT_PARAM_GTT_SIZE };
	int ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &p);

	it_expect(!ret, "size of the address space: error %d", ret);
	return p.value;
}

static void emit_peek(struct it_batch *b, uint64_t from, uint64_t to, unsigned int rows)
{
	it_emit(b, XY_SRC_COPY_BLT | XY_WRITE_ALPHA | XY_WRITE_RGB);
	it_emit(b, XY_DEPTH_32 | BLT_ROP_SRCCOPY << 16 | 4096);
	it_emit(b, XY_COORD(0, 0));
	it_emit(b, XY_COORD(PAGE_DWORDS, rows));
	it_emit_address(b, to);
	it_emit(b, XY_COORD(0, 0));
	it_emit(b, 4096);
	it_emit_address(b, from);
	it_emit_end(b);
}

/*
 * The first copy of a new address space lies at three eighths of it, and the batch reads itself there: behind its end
 * are ends of batches, for at least a page more than the batch has. A store to the copy changes nothing. An object that
 * the client wants there gets the place, and the batch runs from elsewhere.
 */
static void behind_the_copy(unsigned int unused)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	uint64_t copy = space_of(dev, ctx) / 8 * 3;
	struct it_bo *out = it_bo(dev, 8192), *instead = it_bo(dev, 8192);
	struct it_batch b = it_batch(dev, 4096), store = it_batch(dev, 4096);
	const uint32_t *dw = out->map;
	unsigned int rcs, end;

	(void)unused;
	for (rcs = 0; rcs < dev->num_engines; rcs++)
		if (dev->engine[rcs].class == I915_ENGINE_CLASS_RENDER)
			break;
	it_expect(rcs < dev->num_engines, "no render engine");

	emit_peek(&b, copy, out->address, 2);
	it_run_wait(dev, ctx, copy_engine(dev), &b, &out, 1);
	for (end = 0; b.dw[end] != MI_BATCH_BUFFER_END; end++)
		it_expect(dw[end] == b.dw[end], "the copy is not where it should be: dword %u is %08x", end, dw[end]);
	for (unsigned int i = end; i < 2 * PAGE_DWORDS; i++)
		it_expect(dw[i] == MI_BATCH_BUFFER_END, "dword %u of the copy is %08x", i, dw[i]);

	it_emit_store(&store, copy + 4096, MI_NOOP);
	it_emit_store(&store, copy + 8188, MI_NOOP);
	it_emit_end(&store);
	it_run_wait(dev, ctx, rcs, &store, NULL, 0);
	memset(out->map, 0, 8192);
	it_run_wait(dev, ctx, copy_engine(dev), &b, &out, 1);
	it_expect(dw[PAGE_DWORDS] == MI_BATCH_BUFFER_END && dw[2 * PAGE_DWORDS - 1] == MI_BATCH_BUFFER_END,
		  "a store has changed the page behind the copy: %08x", dw[PAGE_DWORDS]);

	memset(instead->map, 0x5a, 8192);
	instead->address = copy;
	it_run_wait(dev, ctx, copy_engine(dev), &b, (struct it_bo *[]){ out, instead }, 2);
	it_expect(!memcmp(out->map, instead->map, 8192), "dword 0 of what the client wanted there is %08x", dw[0]);
}

/* A client that has every address in use, as padding, leaves room for the copy all the same: now and the next time. */
static void full_space(unsigned int unused)
{
	struct it_dev *dev = it_open();
	uint32_t ctx = it_ctx_engines(dev);
	uint64_t space = space_of(dev, ctx);
	struct it_bo *page = it_bo(dev, 4096);
	struct it_batch b = it_batch(dev, 4096);
	struct drm_i915_gem_exec_object2 obj[2] = {
		{ .handle = page->handle, .pad_to_size = space - 4096 },
		{ .handle = b.bo->handle, .offset = (uint64_t)((int64_t)((space - 4096) << 16) >> 16) },
	};
	struct drm_i915_gem_execbuffer2 eb = {
		.buffers_ptr = (uintptr_t)obj,
		.buffer_count = 2,
		.flags = copy_engine(dev),
		.rsvd1 = ctx,
	};
	int ret;

	(void)unused;
	obj[0].flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS | EXEC_OBJECT_PAD_TO_SIZE;
	obj[1].flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
	it_emit_store(&b, 0, 1);
	it_emit_end(&b);
	eb.batch_len = (b.n * 4 + 7) & ~7u;
	for (unsigned int i = 0; i < 2; i++) {
		*(uint32_t *)page->map = 0;
		ret = it_ioctl(dev->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &eb);
		it_expect(!ret, "execbuf: error %d", ret);
		ret = it_bo_wait(b.bo, IT_WAIT_NS);
		it_expect(!ret, "the batch did not end: error %d", ret);
		it_expect(*(uint32_t *)page->map == 1, "the batch has not run");
	}
}

/* Stock i915 leaves what these subtests ask for to the engine. */
static void not_on_i915(unsigned int unused)
{
	(void)unused;
	it_skip("this driver leaves it to the engine");
}

void smoke_parser(void)
{
	bool igen = it_on_igen();

	it_subtest(in_the_open, 0, "parser-direct");
	for (unsigned int i = 0; i < ARRAY_SIZE(readings); i++)
		it_subtest(by_length, i, "parser-length-%s", readings[i].name);
	it_subtest(igen ? by_predicate : not_on_i915, 0, "parser-predicate");
	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++)
		it_subtest(igen ? by_table : not_on_i915, i, "parser-refuses-%s", refused[i].name);
	it_subtest(igen ? behind_the_copy : not_on_i915, 0, "parser-copy");
	it_subtest(igen ? full_space : not_on_i915, 0, "parser-full-space");
}
