// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of the GGTT's table
 *
 * The source is part of this file, so that its inner functions can be tested, and so that the mock gets a GGTT with the
 * driver's own operations over a table in memory.
 */
#include "../mm/igen_ggtt.c"

#include <linux/vmalloc.h>

#include "igen_mock.h"

#define MOCK_GGTT_SIZE	SZ_64M

int igen_mock_ggtt_init(struct igen_device *igen)
{
	struct igen_ggtt *ggtt = &igen->ggtt;
	void *table;
	int err;

	table = vzalloc(MOCK_GGTT_SIZE >> PAGE_SHIFT << 3);
	if (!table)
		return -ENOMEM;
	err = igen_scratch_init(igen);
	if (err) {
		vfree(table);
		return err;
	}
	ggtt->ptes = (void __force __iomem *)table;
	ggtt->vm.is_ggtt = true;
	ggtt->mappable_end = MOCK_GGTT_SIZE / 4;
	igen_vm_init(&ggtt->vm, igen, &ggtt_ops, MOCK_GGTT_SIZE - PAGE_SIZE);
	igen_fence_regs_init(ggtt);
	fill_scratch(ggtt, ggtt->vm.total, MOCK_GGTT_SIZE);
	return 0;
}

void igen_mock_ggtt_fini(struct igen_device *igen)
{
	struct igen_ggtt *ggtt = &igen->ggtt;

	igen_vm_fini(&ggtt->vm);
	igen_scratch_fini(igen);
	vfree((void __force *)ggtt->ptes);
}

static u64 entry_at(struct igen_ggtt *ggtt, u64 addr)
{
	return ((u64 *)(void __force *)ggtt->ptes)[addr >> PAGE_SHIFT];
}

static void ggtt_pte_bits(struct kunit *test)
{
	/* Present alone: rights and caching are not the GGTT's. */
	KUNIT_EXPECT_EQ(test, igen_ggtt_pte(0x12345000), 0x12345001ull);
	/* Addresses have 39 bits; neither what is above nor what is below gets into the entry. */
	KUNIT_EXPECT_EQ(test, igen_ggtt_pte(0x7ffffff000), 0x7ffffff001ull);
	KUNIT_EXPECT_EQ(test, igen_ggtt_pte(0xffffff8012345fff), 0x12345001ull);
}

static void ggtt_sizes_of_gmch_ctl(struct kunit *test)
{
	/* Public Gen9 PRM Vol 2c, "GMCH Graphics Control": GGMS in bits 7:6, GMS in bits 15:8. */
	KUNIT_EXPECT_EQ(test, igen_gmch_ggtt_size(0x0000), 0ull);
	KUNIT_EXPECT_EQ(test, igen_gmch_ggtt_size(0x0040), 1ull << 30);
	KUNIT_EXPECT_EQ(test, igen_gmch_ggtt_size(0x0080), 2ull << 30);
	KUNIT_EXPECT_EQ(test, igen_gmch_ggtt_size(0xffff), 4ull << 30);
	KUNIT_EXPECT_EQ(test, igen_gmch_stolen_size(0x0000), 0ull);
	KUNIT_EXPECT_EQ(test, igen_gmch_stolen_size(0x0100), 32ull << 20);
	KUNIT_EXPECT_EQ(test, igen_gmch_stolen_size(0x0200), 64ull << 20);
	KUNIT_EXPECT_EQ(test, igen_gmch_stolen_size(0xf000), 4ull << 20);
	KUNIT_EXPECT_EQ(test, igen_gmch_stolen_size(0xfe00), 60ull << 20);
}

/* An object is shown page by page where it was put, and scratch before and behind it. */
static void ggtt_binds_and_clears(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_ggtt *ggtt = &mock->igen->ggtt;
	u64 scratch = igen_ggtt_pte(ggtt->scratch.dma.addr);
	struct sg_dma_page_iter iter;
	struct igen_vma *vma;
	u64 start, addr;
	void *vaddr;

	/* Behind the end of what may be used lies a page of scratch. */
	KUNIT_EXPECT_EQ(test, ggtt->vm.total, (u64)MOCK_GGTT_SIZE - PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, entry_at(ggtt, ggtt->vm.total), scratch);

	vma = igen_ggtt_pin_internal(mock->igen, 5 * PAGE_SIZE, 0, &vaddr);
	KUNIT_ASSERT_FALSE(test, IS_ERR(vma));
	start = igen_vma_start(vma);
	KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(start));
	KUNIT_EXPECT_LE(test, start + 5 * PAGE_SIZE, ggtt->vm.total);
	/* The aperture is left to what the CPU sees through it. */
	KUNIT_EXPECT_GE(test, start, ggtt->mappable_end);
	addr = start;
	for_each_sgtable_dma_page(vma->bo->pages, &iter, 0) {
		KUNIT_EXPECT_EQ(test, entry_at(ggtt, addr), igen_ggtt_pte(sg_page_iter_dma_address(&iter)));
		KUNIT_EXPECT_NE(test, entry_at(ggtt, addr), scratch);
		addr += PAGE_SIZE;
	}
	KUNIT_EXPECT_EQ(test, addr, start + 5 * PAGE_SIZE);

	igen_ggtt_unpin_internal(vma);
	igen_mm_flush(mock->igen);
	for (addr = start; addr < start + 5 * PAGE_SIZE; addr += PAGE_SIZE)
		KUNIT_EXPECT_EQ(test, entry_at(ggtt, addr), scratch);
}

static void set_asleep(struct igen_device *igen, bool asleep)
{
	mutex_lock(&igen->ggtt.vm.mutex);
	igen->rpm.asleep = asleep;
	mutex_unlock(&igen->ggtt.vm.mutex);
}

/* What is bound and unbound while the device sleeps is written when it wakes, and nothing before. */
static void ggtt_postpones(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_ggtt *ggtt = &mock->igen->ggtt;
	u64 scratch = igen_ggtt_pte(ggtt->scratch.dma.addr);
	struct igen_vma *stays, *goes, *comes;
	u64 first, gone, fresh;
	void *vaddr;

	stays = igen_ggtt_pin_internal(mock->igen, 2 * PAGE_SIZE, 0, &vaddr);
	goes = igen_ggtt_pin_internal(mock->igen, 2 * PAGE_SIZE, 0, &vaddr);
	KUNIT_ASSERT_FALSE(test, IS_ERR(stays) || IS_ERR(goes));
	gone = igen_vma_start(goes);
	first = entry_at(ggtt, gone);

	set_asleep(mock->igen, true);
	igen_ggtt_unpin_internal(goes);
	igen_mm_flush(mock->igen);
	KUNIT_EXPECT_EQ(test, entry_at(ggtt, gone), first);
	/* Somewhere else, and across the border of two units. */
	comes = igen_ggtt_pin_internal(mock->igen, IGEN_GGTT_POSTPONE_UNIT + PAGE_SIZE, SZ_2M, &vaddr);
	KUNIT_ASSERT_FALSE(test, IS_ERR(comes));
	fresh = igen_vma_start(comes);
	KUNIT_EXPECT_NE(test, fresh, gone);
	first = entry_at(ggtt, fresh);
	set_asleep(mock->igen, false);
	KUNIT_EXPECT_EQ(test, entry_at(ggtt, fresh), first);

	igen_ggtt_restore_postponed(mock->igen);
	KUNIT_EXPECT_TRUE(test, bitmap_empty(ggtt->postponed, IGEN_GGTT_POSTPONE_UNITS));
	KUNIT_EXPECT_EQ(test, entry_at(ggtt, gone), scratch);
	KUNIT_EXPECT_EQ(test, entry_at(ggtt, gone + PAGE_SIZE), scratch);
	KUNIT_EXPECT_EQ(test, entry_at(ggtt, fresh), igen_ggtt_pte(sg_dma_address(comes->bo->pages->sgl)));
	KUNIT_EXPECT_NE(test, entry_at(ggtt, fresh + IGEN_GGTT_POSTPONE_UNIT), scratch);
	KUNIT_EXPECT_NE(test, entry_at(ggtt, fresh + IGEN_GGTT_POSTPONE_UNIT), 0ull);
	/* It lies in a unit that was written anew. */
	KUNIT_EXPECT_EQ(test, entry_at(ggtt, igen_vma_start(stays)),
			igen_ggtt_pte(sg_dma_address(stays->bo->pages->sgl)));
	igen_ggtt_unpin_internal(stays);
	igen_ggtt_unpin_internal(comes);
	igen_mm_flush(mock->igen);
	KUNIT_EXPECT_EQ(test, entry_at(ggtt, fresh), scratch);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ggtt_pte_bits),
	KUNIT_CASE(ggtt_sizes_of_gmch_ctl),
	KUNIT_CASE(ggtt_binds_and_clears),
	KUNIT_CASE(ggtt_postpones),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_ggtt",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
