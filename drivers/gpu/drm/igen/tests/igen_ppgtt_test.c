// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of page-table entries and PPGTTs
 *
 * The source is part of this file: the tests bind made-up memory through its inner functions and walk the tables as the
 * hardware would (KBL Vol 3, "Memory Object Overview"; public Gen9 PRM Vol 5, "Memory Views").
 */
#include "../igen_device.h"
#include "../mm/igen_mm.h"

/* How many tables there is room for. */
static int room_for_tables = INT_MAX;

#define igen_make_room(igen, pages, flags) (room_for_tables-- > 0)

#include "../mm/igen_ppgtt_gen8.c"

#undef igen_make_room

#include "../uapi/igen_execbuf.h"
#include "igen_mock.h"

#define LAST_PAGE	((1ull << 48) - SZ_4K)

/* Memory that is only an address, in up to four segments. */
struct memory {
	struct igen_bo bo;
	struct igen_vma vma;
	struct sg_table pages;
	struct scatterlist sg[4];
};

static struct memory *new_range(struct kunit *test, u64 start)
{
	struct memory *range = kunit_kzalloc(test, sizeof(*range), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, range);
	sg_init_table(range->sg, ARRAY_SIZE(range->sg));
	range->pages.sgl = range->sg;
	range->bo.pages = &range->pages;
	range->bo.cache_level = IGEN_CACHE_COHERENT;
	range->vma.bo = &range->bo;
	range->vma.node.start = start;
	return range;
}

static void add_segment(struct kunit *test, struct memory *range, u64 dma, u32 bytes)
{
	struct scatterlist *sg = &range->sg[range->pages.nents];

	KUNIT_ASSERT_LT(test, range->pages.nents, (unsigned int)ARRAY_SIZE(range->sg));
	sg_dma_address(sg) = dma;
	sg_dma_len(sg) = bytes;
	range->bo.base.size += bytes;
	range->pages.nents++;
}

static struct memory *one_segment(struct kunit *test, u64 start, u64 dma, u32 bytes)
{
	struct memory *range = new_range(test, start);

	add_segment(test, range, dma, bytes);
	return range;
}

static void bind(struct kunit *test, struct memory *range, u32 flags)
{
	struct igen_mock *mock = test->priv;
	int err;

	mutex_lock(&mock->vm->mutex);
	err = ppgtt_insert(mock->vm, &range->vma, flags);
	mutex_unlock(&mock->vm->mutex);
	KUNIT_ASSERT_EQ(test, 0, err);
}

static void unbind(struct kunit *test, u64 start, u64 bytes)
{
	struct igen_mock *mock = test->priv;

	mutex_lock(&mock->vm->mutex);
	ppgtt_clear(mock->vm, start, bytes);
	mutex_unlock(&mock->vm->mutex);
}

/*
 * The result of a page walk as the hardware does it: the last entry, the level of its table, and whether the entry
 * above (IPS) makes it a table of 64 KB pages.
 */
struct found {
	u64 entry;
	unsigned int level;
	bool ips;
};

static struct found walk(struct kunit *test, u64 addr)
{
	struct igen_mock *mock = test->priv;
	struct igen_pt *pt = to_ppgtt(mock->vm)->top;
	struct found found = { .level = IGEN_PT_TOP };

	for (;; found.level--) {
		unsigned int i = igen_pt_index(addr, found.level);
		u64 entry = pt->entries[i];

		found.entry = entry;
		if (!found.level || !pt->child[i])
			return found;
		/* The entry has the address of the table that the driver has as its child. */
		KUNIT_EXPECT_EQ(test, entry & GEN8_PTE_ADDR_MASK, (u64)pt->child[i]->dma.addr);
		KUNIT_EXPECT_EQ(test, entry & 3, 3ull);
		found.ips = entry & GEN8_PDE_IPS_64K;
		pt = pt->child[i];
	}
}

/* The bus address that an address leads to. */
static u64 translate(struct kunit *test, u64 addr)
{
	struct found found = walk(test, addr);

	if (found.level == 1)
		return (found.entry & GEN8_PDE_2M_ADDR_MASK) + (addr & (SZ_2M - 1));
	if (found.ips) {
		/* The hardware reads the first of sixteen entries. */
		found = walk(test, addr & ~(u64)(SZ_64K - 1));
		return (found.entry & GEN8_PTE_64K_ADDR_MASK) + (addr & (SZ_64K - 1));
	}
	return (found.entry & GEN8_PTE_ADDR_MASK) + (addr & (SZ_4K - 1));
}

static bool is_scratch(struct kunit *test, u64 addr)
{
	struct igen_mock *mock = test->priv;
	struct found found = walk(test, addr);

	return found.entry == ppgtt_scratch_entry(mock->vm, found.level);
}

static void expect_empty(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_pt *top = to_ppgtt(mock->vm)->top;
	unsigned int i, bad = 0;

	KUNIT_EXPECT_EQ(test, 0u, top->used);
	for (i = 0; i < GEN8_PT_ENTRIES; i++)
		bad += top->child[i] || top->entries[i] != ppgtt_scratch_entry(mock->vm, IGEN_PT_TOP);
	KUNIT_EXPECT_EQ(test, 0u, bad);
}

static void pte_bits(struct kunit *test)
{
	/* Present 0, writable 1, PWT 3, PCD 4, PAT 7: indexes 4, 3 and 2 of the private PAT. */
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pte(0x12345000, IGEN_CACHE_COHERENT, 0), 0x12345083ull);
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pte(0x12345000, IGEN_CACHE_NONE, 0), 0x1234501bull);
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pte(0x12345000, IGEN_CACHE_DISPLAY, 0), 0x12345013ull);
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pte(0x12345000, IGEN_CACHE_COHERENT, IGEN_PTE_READ_ONLY), 0x12345081ull);
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pte(0x7ffffff000, IGEN_CACHE_COHERENT, 0), 0x7ffffff083ull);
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pte(0xffffff8012345fff, IGEN_CACHE_COHERENT, 0), 0x12345083ull);
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pde(0x12345000), 0x12345003ull);
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pde(0xffffff8012345fff), 0x12345003ull);
}

static void pde_2m_bits(struct kunit *test)
{
	/* Bit 7 is the page size there, so that cached memory is index 0. */
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pde_2m(0x40000000, IGEN_CACHE_COHERENT, 0), 0x40000083ull);
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pde_2m(0x40000000, IGEN_CACHE_NONE, 0), 0x4000009bull);
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pde_2m(0x40000000, IGEN_CACHE_COHERENT, IGEN_PTE_READ_ONLY), 0x40000081ull);
	KUNIT_EXPECT_EQ(test, igen_ppgtt_pde_2m(0xffffff80401fffff, IGEN_CACHE_COHERENT, 0), 0x40000083ull);
}

static void indexes_and_ends(struct kunit *test)
{
	unsigned int level;

	for (level = 0; level <= IGEN_PT_TOP; level++) {
		u64 size = 1ull << igen_pt_entry_shift(level);

		KUNIT_EXPECT_EQ(test, igen_pt_entry_shift(level), 12 + 9 * level);
		KUNIT_EXPECT_EQ(test, igen_pt_index(0, level), 0u);
		KUNIT_EXPECT_EQ(test, igen_pt_index(LAST_PAGE, level), 511u);
		KUNIT_EXPECT_EQ(test, igen_pt_index(size, level), 1u);
		KUNIT_EXPECT_EQ(test, igen_pt_index(size - 1, level), 0u);
		/* The sign that a canonical address is extended by changes no index. */
		KUNIT_EXPECT_EQ(test, igen_pt_index(0xffff800000000000, level), igen_pt_index(0x800000000000, level));
		KUNIT_EXPECT_EQ(test, igen_pt_addr_end(0, 1ull << 48, level), size);
		KUNIT_EXPECT_EQ(test, igen_pt_addr_end(size - 1, 1ull << 48, level), size);
		KUNIT_EXPECT_EQ(test, igen_pt_addr_end(size, 1ull << 48, level), min(2 * size, 1ull << 48));
		KUNIT_EXPECT_EQ(test, igen_pt_addr_end(0, SZ_4K, level), (u64)SZ_4K);
		KUNIT_EXPECT_EQ(test, igen_pt_addr_end(LAST_PAGE, 1ull << 48, level), 1ull << 48);
	}
}

static void canonical_addresses(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, igen_canonical(0), 0ull);
	KUNIT_EXPECT_EQ(test, igen_canonical(0x7ffffffff000), 0x7ffffffff000ull);
	KUNIT_EXPECT_EQ(test, igen_canonical(0x800000000000), 0xffff800000000000ull);
	KUNIT_EXPECT_EQ(test, igen_canonical(LAST_PAGE), 0xfffffffffffff000ull);
	/* igen_canonical() ignores the given bits above bit 47. */
	KUNIT_EXPECT_EQ(test, igen_canonical(0xabcd000000001000), 0x1000ull);
	KUNIT_EXPECT_EQ(test, igen_noncanonical(0xffff800000000000), 0x800000000000ull);
	KUNIT_EXPECT_EQ(test, igen_noncanonical(igen_canonical(LAST_PAGE)), LAST_PAGE);
}

static void binds_4k(struct kunit *test)
{
	struct memory *range = new_range(test, 0x100001000);
	struct found found;

	add_segment(test, range, 0x10000000, SZ_4K);
	add_segment(test, range, 0x20003000, 2 * SZ_4K);
	bind(test, range, 0);

	KUNIT_EXPECT_EQ(test, translate(test, 0x100001234), 0x10000234ull);
	KUNIT_EXPECT_EQ(test, translate(test, 0x100002fff), 0x20003fffull);
	KUNIT_EXPECT_EQ(test, translate(test, 0x100003000), 0x20004000ull);
	found = walk(test, 0x100001000);
	KUNIT_EXPECT_EQ(test, found.level, 0u);
	KUNIT_EXPECT_FALSE(test, found.ips);
	KUNIT_EXPECT_EQ(test, found.entry, igen_ppgtt_pte(0x10000000, IGEN_CACHE_COHERENT, 0));
	KUNIT_EXPECT_TRUE(test, is_scratch(test, 0x100000fff));
	KUNIT_EXPECT_TRUE(test, is_scratch(test, 0x100004000));

	unbind(test, 0x100001000, 3 * SZ_4K);
	expect_empty(test);
}

static void takes_over_attributes(struct kunit *test)
{
	struct memory *range = one_segment(test, SZ_2M, 0x40000000, SZ_2M);

	range->bo.cache_level = IGEN_CACHE_NONE;
	bind(test, range, IGEN_PTE_READ_ONLY);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_2M).entry,
			igen_ppgtt_pde_2m(0x40000000, IGEN_CACHE_NONE, IGEN_PTE_READ_ONLY));
	unbind(test, SZ_2M, SZ_2M);

	range = one_segment(test, SZ_2M, 0x40001000, SZ_4K);
	range->bo.cache_level = IGEN_CACHE_NONE;
	bind(test, range, IGEN_PTE_READ_ONLY);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_2M).entry,
			igen_ppgtt_pte(0x40001000, IGEN_CACHE_NONE, IGEN_PTE_READ_ONLY));
	unbind(test, SZ_2M, SZ_4K);
	expect_empty(test);
}

static void binds_64k(struct kunit *test)
{
	struct memory *range;

	/* One object fills the table, and its memory is contiguous and aligned by 64 KB, not by 2 MB. */
	bind(test, one_segment(test, SZ_2M, 0x40010000, SZ_2M), 0);
	KUNIT_EXPECT_TRUE(test, walk(test, SZ_2M).ips);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_2M).level, 0u);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_2M + 0xf123), 0x4001f123ull);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_4M - 1), 0x4020ffffull);
	unbind(test, SZ_2M, SZ_2M);
	expect_empty(test);

	/* Only the tables that it fills whole: neither the first nor the last here. */
	bind(test, one_segment(test, SZ_64K, 0x40000000, SZ_4M), 0);
	KUNIT_EXPECT_FALSE(test, walk(test, SZ_64K).ips);
	KUNIT_EXPECT_TRUE(test, walk(test, SZ_2M).ips);
	KUNIT_EXPECT_FALSE(test, walk(test, SZ_4M).ips);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_2M - 1), 0x401effffull);
	KUNIT_EXPECT_EQ(test, translate(test, 33 * SZ_64K), 0x40200000ull);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_4M + SZ_64K - 1), 0x403fffffull);
	unbind(test, SZ_64K, SZ_4M);
	expect_empty(test);

	/* A single small page in it, and it shows small pages. */
	range = new_range(test, SZ_2M);
	add_segment(test, range, 0x40010000, SZ_2M - SZ_4K);
	add_segment(test, range, 0x10000000, SZ_4K);
	bind(test, range, 0);
	KUNIT_EXPECT_FALSE(test, walk(test, SZ_2M).ips);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_2M), 0x40010000ull);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_4M - 1), 0x10000fffull);
	unbind(test, SZ_2M, SZ_2M);
	expect_empty(test);
}

/* What leads to the table of the first 2 MB, which shows small pages. */
static u64 small_table(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_pt *pt = to_ppgtt(mock->vm)->top;
	unsigned int level;

	for (level = IGEN_PT_TOP; level > 1; level--) {
		pt = pt->child[0];
		KUNIT_ASSERT_NOT_NULL(test, pt);
	}
	KUNIT_ASSERT_NOT_NULL(test, pt->child[0]);
	KUNIT_EXPECT_EQ(test, pt->entries[0] & GEN8_PDE_IPS_64K, 0ull);
	return pt->entries[0];
}

/*
 * 64 KB of contiguous memory and a 4 KB page in one table, in both orders: a batch that runs may know what leads to the
 * table, so that never changes, and never says 64 KB.
 */
static void mixes_64k_and_4k(struct kunit *test)
{
	unsigned int order, round;

	for (order = 0; order < 2; order++) {
		u64 first = order ? 0x40000 : 0x10000, second = order ? 0x10000 : 0x40000;
		u64 entry;

		bind(test, one_segment(test, first, order ? 0x20001000 : 0x10020000, order ? SZ_4K : SZ_64K), 0);
		entry = small_table(test);
		for (round = 0; round < 2; round++) {
			bind(test, one_segment(test, second, order ? 0x10020000 : 0x20001000,
					       order ? SZ_64K : SZ_4K), 0);
			KUNIT_EXPECT_EQ(test, small_table(test), entry);
			KUNIT_EXPECT_EQ(test, translate(test, 0x1f123), 0x1002f123ull);
			KUNIT_EXPECT_EQ(test, translate(test, 0x40008), 0x20001008ull);
			unbind(test, second, order ? SZ_64K : SZ_4K);
			KUNIT_EXPECT_EQ(test, small_table(test), entry);
		}
		unbind(test, first, order ? SZ_4K : SZ_64K);
		expect_empty(test);
	}
}

/* A table that showed 64 KB pages is one of small pages only when no TLB can remember it. */
static void flushes_before_reuse_of_64k(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	atomic64_t *completed = &mock->igen->mm.tlb.completed;
	u64 large, small;

	/* For the other tests every flush is over. */
	atomic64_set(completed, 0);
	bind(test, one_segment(test, 0, 0x40010000, SZ_2M), 0);
	KUNIT_ASSERT_TRUE(test, walk(test, 0).ips);
	large = to_ppgtt(mock->vm)->top->child[0]->child[0]->child[0]->dma.addr;
	unbind(test, 0, SZ_2M);

	bind(test, one_segment(test, 0x1000, 0x20001000, SZ_4K), 0);
	small = small_table(test) & GEN8_PTE_ADDR_MASK;
	KUNIT_EXPECT_NE(test, small, large);
	/* The one that was not used is in the pool still. */
	KUNIT_EXPECT_EQ(test, 1u, to_ppgtt(mock->vm)->pool_size);

	atomic64_set(completed, igen_tlb_mark(mock->igen));
	bind(test, one_segment(test, SZ_2M, 0x30001000, SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, 0u, to_ppgtt(mock->vm)->pool_size);
	KUNIT_EXPECT_EQ(test, (u64)to_ppgtt(mock->vm)->top->child[0]->child[0]->child[1]->dma.addr, large);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_2M), 0x30001000ull);
	unbind(test, 0, SZ_4M);

	/* A table that had only 4 KB pages can be reused from the pool at once. */
	KUNIT_EXPECT_EQ(test, 4u, to_ppgtt(mock->vm)->pool_size);
	bind(test, one_segment(test, 0, 0x20001000, SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, 1u, to_ppgtt(mock->vm)->pool_size);
	unbind(test, 0, SZ_4K);
	expect_empty(test);
	atomic64_set(completed, S64_MAX);
}

static void no_64k_when_misaligned(struct kunit *test)
{
	/* The memory is of one piece, but begins within a 64 KB page; or the address does. */
	bind(test, one_segment(test, SZ_2M, 0x10001000, SZ_2M), 0);
	KUNIT_EXPECT_FALSE(test, walk(test, SZ_2M).ips);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_4M - 1), 0x10200fffull);
	unbind(test, SZ_2M, SZ_2M);

	bind(test, one_segment(test, SZ_4K, 0x10000000, SZ_4M), 0);
	KUNIT_EXPECT_FALSE(test, walk(test, SZ_2M).ips);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_4M - 1), 0x103fefffull);
	unbind(test, SZ_4K, SZ_4M);
	expect_empty(test);
}

static void no_64k_without_hardware(struct kunit *test)
{
	struct igen_mock *mock = test->priv;

	mock->igen->mm.page_sizes = SZ_4K;
	bind(test, one_segment(test, SZ_2M, 0x10010000, SZ_2M), 0);
	KUNIT_EXPECT_FALSE(test, walk(test, SZ_2M).ips);
	unbind(test, SZ_2M, SZ_2M);
	expect_empty(test);
}

static void binds_2m(struct kunit *test)
{
	struct igen_mock *mock = test->priv;

	bind(test, one_segment(test, SZ_2M, 0x40000000, SZ_4M), 0);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_2M).level, 1u);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_2M).entry, igen_ppgtt_pde_2m(0x40000000, IGEN_CACHE_COHERENT, 0));
	KUNIT_EXPECT_EQ(test, translate(test, SZ_2M + 0x123456), 0x40123456ull);
	KUNIT_EXPECT_EQ(test, translate(test, 3 * SZ_2M - 1), 0x403fffffull);
	/* No table of pages was made for it, and none is left. */
	unbind(test, SZ_2M, SZ_4M);
	expect_empty(test);
	KUNIT_EXPECT_EQ(test, 2u, to_ppgtt(mock->vm)->pool_size);

	/* By 4 KB off, or one page short: no 2 MB page. */
	bind(test, one_segment(test, SZ_2M, 0x40001000, SZ_2M), 0);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_2M).level, 0u);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_4M - 1), 0x40200fffull);
	unbind(test, SZ_2M, SZ_2M);
	bind(test, one_segment(test, SZ_2M, 0x40000000, SZ_2M - SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_2M).level, 0u);
	KUNIT_EXPECT_TRUE(test, is_scratch(test, SZ_4M - 1));
	unbind(test, SZ_2M, SZ_2M - SZ_4K);
	expect_empty(test);
}

/* Where a table is, a 2 MB page of another object's does not take its place. */
static void no_2m_over_a_table(struct kunit *test)
{
	struct memory *range = new_range(test, SZ_2M - SZ_4K);

	add_segment(test, range, 0x10000000, SZ_4K);
	add_segment(test, range, 0x40000000, SZ_2M);
	add_segment(test, range, 0x50000000, SZ_4K);
	bind(test, range, 0);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_2M - 1), 0x10000fffull);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_2M).level, 1u);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_2M), 0x40000000ull);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_4M), 0x50000000ull);
	unbind(test, SZ_2M - SZ_4K, SZ_2M + 2 * SZ_4K);
	expect_empty(test);
}

/* Both ends of the address space, and a range across an entry of each level. */
static void ends_of_the_address_space(struct kunit *test)
{
	unsigned int level;

	bind(test, one_segment(test, 0, 0x10000000, SZ_4K), 0);
	bind(test, one_segment(test, LAST_PAGE, 0x20000000, SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, translate(test, 0), 0x10000000ull);
	KUNIT_EXPECT_EQ(test, translate(test, LAST_PAGE + 0xfff), 0x20000fffull);
	KUNIT_EXPECT_TRUE(test, is_scratch(test, SZ_4K));
	KUNIT_EXPECT_TRUE(test, is_scratch(test, LAST_PAGE - 1));
	unbind(test, 0, SZ_4K);
	KUNIT_EXPECT_EQ(test, translate(test, LAST_PAGE), 0x20000000ull);
	unbind(test, LAST_PAGE, SZ_4K);
	expect_empty(test);

	for (level = 1; level <= IGEN_PT_TOP; level++) {
		u64 border = 1ull << igen_pt_entry_shift(level);

		bind(test, one_segment(test, border - SZ_4K, 0x30000000, 2 * SZ_4K), 0);
		KUNIT_EXPECT_EQ(test, translate(test, border - 1), 0x30000fffull);
		KUNIT_EXPECT_EQ(test, translate(test, border), 0x30001000ull);
		unbind(test, border - SZ_4K, 2 * SZ_4K);
		expect_empty(test);
	}
}

/*
 * Each entry of a range that was unbound leads to scratch: in a table that another range keeps hooked, and in the
 * tables of the pool, which are taken for empty.
 */
static void clears_each_page(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_ppgtt *ppgtt = to_ppgtt(mock->vm);
	const u64 first = SZ_2M, second = 3 * SZ_1M;
	unsigned int level, i, bad = 0;
	struct igen_pt *pt;

	bind(test, one_segment(test, first, 0x10001000, 32 * SZ_4K), 0);
	bind(test, one_segment(test, second, 0x20001000, 16 * SZ_4K), 0);
	unbind(test, first, 32 * SZ_4K);
	for (i = 0; i < 32; i++)
		KUNIT_EXPECT_TRUE_MSG(test, is_scratch(test, first + i * SZ_4K), "page %u", i);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, translate(test, second + i * SZ_4K), 0x20001000ull + i * SZ_4K);
	unbind(test, second, 16 * SZ_4K);
	expect_empty(test);

	KUNIT_EXPECT_EQ(test, (unsigned int)IGEN_PT_TOP, ppgtt->pool_size);
	for (level = 0; level < ARRAY_SIZE(ppgtt->pool); level++) {
		list_for_each_entry(pt, &ppgtt->pool[level], link) {
			for (i = 0; i < GEN8_PT_ENTRIES; i++)
				bad += pt->entries[i] != ppgtt_scratch_entry(mock->vm, level);
		}
	}
	KUNIT_EXPECT_EQ(test, 0u, bad);
}

/* Clearing what nothing is bound to, or more than what is, leaves the counts right. */
static void clears_more_than_there_is(struct kunit *test)
{
	unbind(test, 0, 1ull << 48);
	expect_empty(test);
	bind(test, one_segment(test, 0x7000, 0x10000000, SZ_4K), 0);
	unbind(test, 0x5000, SZ_4K);
	KUNIT_EXPECT_EQ(test, translate(test, 0x7000), 0x10000000ull);
	unbind(test, 0, SZ_2M);
	expect_empty(test);
	unbind(test, 0x7000, SZ_4K);
	expect_empty(test);
}

/* Tables go one by one as their last page does; what is unhooked is bounded. */
static void frees_empty_tables(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_ppgtt *ppgtt = to_ppgtt(mock->vm);
	unsigned int i, n = POOL_MAX + 10;

	for (i = 0; i < n; i++)
		bind(test, one_segment(test, (u64)i * SZ_2M, 0x10000000 + i * SZ_4K, SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, 0u, ppgtt->pool_size);
	KUNIT_EXPECT_EQ(test, translate(test, (u64)(n - 1) * SZ_2M), 0x10000000ull + (n - 1) * SZ_4K);

	unbind(test, 0, SZ_4K);
	KUNIT_EXPECT_EQ(test, 1u, ppgtt->pool_size);
	KUNIT_EXPECT_EQ(test, walk(test, 0).level, 1u);
	KUNIT_EXPECT_EQ(test, translate(test, SZ_2M), 0x10001000ull);

	/* The one that is left over is used again. */
	bind(test, one_segment(test, (u64)n * SZ_2M, 0x20000000, SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, 0u, ppgtt->pool_size);

	unbind(test, 0, (u64)(n + 1) * SZ_2M);
	KUNIT_EXPECT_LE(test, ppgtt->pool_size, (unsigned int)POOL_MAX);
	expect_empty(test);
}

/* A binding that runs out of tables half-way leaves no entry, and its pages wait for a TLB flush. */
static void partial_binding_waits_for_a_flush(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_vma *vma;
	struct igen_bo *bo;
	int err;

	bo = igen_bo_create_internal(mock->igen, 2 * PAGE_SIZE);
	KUNIT_ASSERT_FALSE(test, IS_ERR(bo));
	vma = igen_vma_lookup(bo, mock->vm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(vma));

	/* The object's two pages need two tables. There is room for the first table and for the levels above it. */
	room_for_tables = IGEN_PT_TOP;
	igen_bo_lock(bo);
	err = igen_vma_pin(vma, 0, 0, IGEN_PIN_FIXED | (SZ_2M - SZ_4K));
	igen_bo_unlock(bo);
	KUNIT_EXPECT_EQ(test, -1, room_for_tables);
	room_for_tables = INT_MAX;

	KUNIT_EXPECT_EQ(test, -ENOMEM, err);
	KUNIT_EXPECT_FALSE(test, vma->bound);
	expect_empty(test);
	KUNIT_EXPECT_EQ(test, bo->tlb_mark, igen_tlb_mark(mock->igen));
	KUNIT_EXPECT_EQ(test, mock->vm->tlb_mark, igen_tlb_mark(mock->igen));
	igen_vma_put(vma);
	igen_bo_put(bo);
}

/* Tables can't be mapped for a device that has gone: that is what the error says, and not that memory is short. */
static void tables_need_the_device(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_bo *bo = igen_bo_create_shmem(mock->igen, SZ_4K);
	struct igen_vma *vma;
	struct igen_vm *vm;
	int err;

	KUNIT_ASSERT_FALSE(test, IS_ERR(bo));
	vma = igen_vma_lookup(bo, mock->vm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(vma));

	mock->igen->drm.unplugged = true;
	vm = igen_ppgtt_create(mock->igen, NULL);
	igen_bo_lock(bo);
	err = igen_vma_pin(vma, 0, 0, IGEN_PIN_FIXED | SZ_2M);
	igen_bo_unlock(bo);
	mock->igen->drm.unplugged = false;

	KUNIT_EXPECT_EQ(test, -ENODEV, PTR_ERR_OR_ZERO(vm));
	KUNIT_EXPECT_EQ(test, -ENODEV, err);
	igen_vma_put(vma);
	igen_bo_put(bo);
}

static struct igen_vma *bound_at(struct kunit *test, struct igen_bo *bo, u64 start)
{
	struct igen_mock *mock = test->priv;
	struct igen_vma *vma = igen_vma_lookup(bo, mock->vm);

	KUNIT_ASSERT_FALSE(test, IS_ERR(vma));
	KUNIT_EXPECT_EQ(test, igen_vma_pin(vma, 0, 0, IGEN_PIN_FIXED | start), 0);
	igen_vma_unpin(vma);
	return vma;
}

/*
 * Two imports of one buffer share a lock. The first import is closed while the lock is held, and the second is wanted
 * where it was. As long as the first is used it stays.
 */
static void imports_of_one_buffer_take_turns(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_bo *first = igen_bo_create_internal(mock->igen, PAGE_SIZE);
	struct igen_bo *second = igen_bo_create_internal(mock->igen, PAGE_SIZE);
	const u64 start = SZ_2M;
	struct igen_vma *old, *new;

	KUNIT_ASSERT_FALSE(test, IS_ERR(first) || IS_ERR(second));
	second->base.resv = first->base.resv;
	igen_bo_lock(second);
	old = bound_at(test, first, start);
	new = igen_vma_lookup(second, mock->vm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(new));
	KUNIT_EXPECT_EQ(test, igen_vma_pin(new, 0, 0, IGEN_PIN_FIXED | start), -ENOSPC);
	igen_vma_put(old);
	KUNIT_EXPECT_TRUE(test, old->bound);
	KUNIT_EXPECT_EQ(test, igen_vma_pin(new, 0, 0, IGEN_PIN_FIXED | start), 0);
	KUNIT_EXPECT_FALSE(test, old->bound);
	igen_vma_unpin(new);
	dma_resv_assert_held(second->base.resv);
	igen_bo_unlock(second);

	igen_vma_put(new);
	igen_mm_flush(mock->igen);
	second->base.resv = &second->base._resv;
	igen_bo_put(first);
	igen_bo_put(second);
	igen_mm_flush(mock->igen);
}

/* Scratch denies writes, and no level leads elsewhere. */
static void scratch_leads_nowhere(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_scratch *scratch = &mock->igen->ggtt.scratch;
	unsigned int level, i, bad = 0;
	u64 *table;

	KUNIT_EXPECT_EQ(test, scratch->dma.addr & (SZ_64K - 1), 0ull);
	KUNIT_EXPECT_EQ(test, igen_scratch_entry(scratch, 0) & (GEN8_PAGE_RW | GEN8_PAGE_PRESENT), GEN8_PAGE_PRESENT);
	for (level = 0; level < ARRAY_SIZE(scratch->tables); level++) {
		table = page_address(scratch->tables[level]);
		KUNIT_EXPECT_EQ(test, igen_scratch_entry(scratch, level + 1) & GEN8_PTE_ADDR_MASK,
				(u64)scratch->table_dma[level].addr);
		for (i = 0; i < GEN8_PT_ENTRIES; i++)
			bad += table[i] != igen_scratch_entry(scratch, level);
	}
	KUNIT_EXPECT_EQ(test, 0u, bad);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(pte_bits),
	KUNIT_CASE(pde_2m_bits),
	KUNIT_CASE(indexes_and_ends),
	KUNIT_CASE(canonical_addresses),
	KUNIT_CASE(binds_4k),
	KUNIT_CASE(takes_over_attributes),
	KUNIT_CASE(binds_64k),
	KUNIT_CASE(mixes_64k_and_4k),
	KUNIT_CASE(flushes_before_reuse_of_64k),
	KUNIT_CASE(no_64k_when_misaligned),
	KUNIT_CASE(no_64k_without_hardware),
	KUNIT_CASE(binds_2m),
	KUNIT_CASE(no_2m_over_a_table),
	KUNIT_CASE(ends_of_the_address_space),
	KUNIT_CASE(clears_each_page),
	KUNIT_CASE(clears_more_than_there_is),
	KUNIT_CASE(frees_empty_tables),
	KUNIT_CASE(partial_binding_waits_for_a_flush),
	KUNIT_CASE(imports_of_one_buffer_take_turns),
	KUNIT_CASE(scratch_leads_nowhere),
	KUNIT_CASE(tables_need_the_device),
	{}
};

static int with_all_page_sizes(struct kunit *test)
{
	int err = igen_mock_init(test);
	struct igen_mock *mock = test->priv;

	if (!err)
		mock->igen->mm.page_sizes = mock->platform.page_sizes;
	return err;
}

static struct kunit_suite suite = {
	.name = "igen_ppgtt",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = with_all_page_sizes,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
