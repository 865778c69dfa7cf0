// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of page-table entries and PPGTTs of Gen6 and Gen7
 *
 * The source is part of this file: the tests bind made-up memory through its inner functions and walk the tables as the
 * hardware would, from the directory in the GGTT's table.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uidgid.h>

#include "../igen_device.h"
#include "../mm/igen_budget.h"
#include "../mm/igen_mm.h"

/* How many pages there is room for. */
static int room_for_pages = INT_MAX;

#define igen_make_room(igen, pages, flags) (room_for_pages-- > 0)

#include "../mm/igen_ppgtt_gen6.c"

#undef igen_make_room

#include "igen_mock.h"

#define LAST_PAGE	((1ull << 31) - SZ_4K)

static void entry_bits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, igen_gen6_entry(0x12345000), 0x12345001u);
	/* Bits 39:32 of the address are in bits 11:4. */
	KUNIT_EXPECT_EQ(test, igen_gen6_entry(0xab12345000ull), 0x12345ab1u);
	KUNIT_EXPECT_EQ(test, igen_gen6_pte(0x12345000, IGEN_CACHE_COHERENT), 0x12345005u);
	KUNIT_EXPECT_EQ(test, igen_gen6_pte(0xff12345000ull, IGEN_CACHE_NONE), 0x12345ff3u);
}

static void ggtt_sizes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, igen_gen6_ggtt_size(0x0000), 0ull);
	KUNIT_EXPECT_EQ(test, igen_gen6_ggtt_size(0x0100), (u64)SZ_1G);
	KUNIT_EXPECT_EQ(test, igen_gen6_ggtt_size(0x02f8), (u64)SZ_2G);
}

/* Memory that is only an address, in two segments. */
struct memory {
	struct igen_bo bo;
	struct igen_vma vma;
	struct sg_table pages;
	struct scatterlist sg[2];
};

static struct memory *new_memory(struct kunit *test, u64 start, u64 dma, u32 first, u32 second)
{
	struct memory *memory = kunit_kzalloc(test, sizeof(*memory), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	sg_init_table(memory->sg, second ? 2 : 1);
	memory->pages.sgl = memory->sg;
	memory->pages.nents = second ? 2 : 1;
	sg_dma_address(&memory->sg[0]) = dma;
	sg_dma_len(&memory->sg[0]) = first;
	if (second) {
		sg_dma_address(&memory->sg[1]) = dma + SZ_1G;
		sg_dma_len(&memory->sg[1]) = second;
	}
	memory->bo.pages = &memory->pages;
	memory->bo.cache_level = IGEN_CACHE_COHERENT;
	memory->bo.base.size = first + second;
	memory->vma.bo = &memory->bo;
	memory->vma.node.start = start;
	return memory;
}

static int bind(struct kunit *test, struct memory *memory)
{
	struct igen_mock *mock = test->priv;
	int err;

	mutex_lock(&mock->vm->mutex);
	err = ppgtt_insert(mock->vm, &memory->vma, 0);
	mutex_unlock(&mock->vm->mutex);
	return err;
}

static void unbind(struct kunit *test, u64 start, u64 size)
{
	struct igen_mock *mock = test->priv;

	mutex_lock(&mock->vm->mutex);
	ppgtt_clear(mock->vm, start, size);
	mutex_unlock(&mock->vm->mutex);
}

static void unpin(struct igen_vm *vm)
{
	mutex_lock(&vm->igen->ggtt.vm.mutex);
	vm->ops->unpin(vm);
	mutex_unlock(&vm->igen->ggtt.vm.mutex);
}

static u32 directory_entry(struct igen_vm *vm, u64 addr)
{
	const u32 *ptes = (void __force *)vm->igen->ggtt.ptes;

	return ptes[(vm->pd_dma >> PAGE_SHIFT) + addr / SZ_4M];
}

/* What an address leads to, as the hardware walks: the entry of a table whose address the directory's entry has. */
static u32 walk(struct kunit *test, u64 addr)
{
	struct igen_mock *mock = test->priv;
	struct igen_ppgtt_gen6 *ppgtt = to_ppgtt(mock->vm);
	const struct ppgtt_page *table = ppgtt->table[addr / SZ_4M] ?: &ppgtt->scratch_table;

	KUNIT_EXPECT_EQ(test, directory_entry(mock->vm, addr), igen_gen6_entry(table->dma.addr));
	return table->vaddr[addr % SZ_4M >> PAGE_SHIFT];
}

static u32 scratch_of(struct kunit *test)
{
	struct igen_mock *mock = test->priv;

	return igen_gen6_pte(to_ppgtt(mock->vm)->scratch.dma.addr, IGEN_CACHE_COHERENT);
}

/* All addresses lead to the space's own scratch at first, and those without an object always. */
static void bound_pages(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	u32 first;

	KUNIT_ASSERT_EQ(test, mock->vm->ops->pin(mock->vm), 0);
	first = mock->vm->ops->load(mock->vm);
	KUNIT_EXPECT_EQ(test, walk(test, 0), scratch_of(test));
	KUNIT_EXPECT_EQ(test, walk(test, LAST_PAGE), scratch_of(test));

	/* Over the border of two tables, in two segments. */
	KUNIT_ASSERT_EQ(test, bind(test, new_memory(test, SZ_4M - 2 * SZ_4K, 0x10000000, SZ_4K, 2 * SZ_4K)), 0);
	KUNIT_EXPECT_NE(test, mock->vm->ops->load(mock->vm), first);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_4M - 3 * SZ_4K), scratch_of(test));
	KUNIT_EXPECT_EQ(test, walk(test, SZ_4M - 2 * SZ_4K), 0x10000005u);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_4M - SZ_4K), 0x50000005u);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_4M), 0x50001005u);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_4M + SZ_4K), scratch_of(test));

	/* Tables stay, so an engine that has the directory need not load it anew. */
	first = mock->vm->ops->load(mock->vm);
	unbind(test, SZ_4M - 2 * SZ_4K, 3 * SZ_4K);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_4M - 2 * SZ_4K), scratch_of(test));
	KUNIT_EXPECT_EQ(test, walk(test, SZ_4M), scratch_of(test));
	KUNIT_ASSERT_EQ(test, bind(test, new_memory(test, SZ_4M, 0x20000000, SZ_4K, 0)), 0);
	KUNIT_EXPECT_EQ(test, mock->vm->ops->load(mock->vm), first);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_4M), 0x20000005u);

	unpin(mock->vm);
}

/* A directory that was taken out of the GGTT, or written over, is written as a whole when it is used again. */
static void directory_comes_back(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_vma *directory = to_ppgtt(mock->vm)->directory;
	u32 *ptes = (void __force *)mock->igen->ggtt.ptes, generation;

	KUNIT_ASSERT_EQ(test, mock->vm->ops->pin(mock->vm), 0);
	KUNIT_ASSERT_EQ(test, bind(test, new_memory(test, SZ_8M, 0x10000000, SZ_4K, 0)), 0);
	generation = mock->vm->ops->load(mock->vm);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_8M), 0x10000005u);
	KUNIT_EXPECT_TRUE(test, IS_ALIGNED(mock->vm->pd_dma, SZ_64K));

	/* As after a resume. */
	memset(ptes + (mock->vm->pd_dma >> PAGE_SHIFT), 0, GEN6_PD_ENTRIES * sizeof(u32));
	mock->igen->ggtt.rewrites++;
	KUNIT_EXPECT_NE(test, mock->vm->ops->load(mock->vm), generation);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_8M), 0x10000005u);
	KUNIT_EXPECT_EQ(test, walk(test, LAST_PAGE), scratch_of(test));

	unpin(mock->vm);
	igen_bo_lock(directory->bo);
	KUNIT_EXPECT_EQ(test, igen_vma_unbind(directory, false), 0);
	igen_bo_unlock(directory->bo);
	KUNIT_ASSERT_EQ(test, mock->vm->ops->pin(mock->vm), 0);
	generation = mock->vm->ops->load(mock->vm);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_8M), 0x10000005u);
	KUNIT_EXPECT_EQ(test, walk(test, 0), scratch_of(test));

	unpin(mock->vm);
}

/* The directory's entries are written when it is loaded, and not before: its place needs no others. */
static void directory_is_written_once(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	u32 *ptes = (void __force *)mock->igen->ggtt.ptes;
	unsigned int i, first;

	memset32(ptes, 0xa5a5a5a5, mock->igen->ggtt.vm.total >> PAGE_SHIFT);
	KUNIT_ASSERT_EQ(test, mock->vm->ops->pin(mock->vm), 0);
	first = mock->vm->pd_dma >> PAGE_SHIFT;
	KUNIT_EXPECT_NE(test, ptes[first], 0xa5a5a5a5u);
	for (i = 1; i < GEN6_PD_ENTRIES; i++)
		KUNIT_ASSERT_EQ(test, ptes[first + i], 0xa5a5a5a5u);
	mock->vm->ops->load(mock->vm);
	for (i = 0; i < GEN6_PD_ENTRIES; i++)
		KUNIT_ASSERT_EQ(test, ptes[first + i],
				igen_gen6_entry(to_ppgtt(mock->vm)->scratch_table.dma.addr));
	unpin(mock->vm);
}

/*
 * Of the GGTT a process leaves half when its directories stay, however often each is pinned, and may have one more when
 * it has given one back.
 */
static void directories_are_charged(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_ggtt *ggtt = &mock->igen->ggtt;
	struct igen_budget *budget = igen_budget_open(mock->igen, task_tgid(current), KUIDT_INIT(1000));
	struct igen_vm *vm[5];
	unsigned int n, last = ARRAY_SIZE(vm) - 1;
	u64 total;

	KUNIT_ASSERT_NOT_NULL(test, budget);
	for (n = 0; n < ARRAY_SIZE(vm); n++) {
		vm[n] = igen_ppgtt_create(mock->igen, budget);
		KUNIT_ASSERT_FALSE(test, IS_ERR(vm[n]));
	}
	/* As if the GGTT had room for eight directories. */
	total = ggtt->vm.total;
	ggtt->vm.total = 8 * IGEN_GEN6_PD_BYTES;
	for (n = 0; n < last; n++) {
		KUNIT_EXPECT_EQ(test, vm[n]->ops->pin(vm[n]), 0);
		KUNIT_EXPECT_EQ(test, vm[n]->ops->pin(vm[n]), 0);
	}
	KUNIT_EXPECT_EQ(test, vm[last]->ops->pin(vm[last]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, to_ppgtt(vm[last])->directory->pin_count, 0u);
	KUNIT_EXPECT_EQ(test, mock->vm->ops->pin(mock->vm), 0);
	unpin(vm[0]);
	KUNIT_EXPECT_EQ(test, vm[last]->ops->pin(vm[last]), -ENOSPC);
	unpin(vm[0]);
	KUNIT_EXPECT_EQ(test, vm[last]->ops->pin(vm[last]), 0);

	unpin(mock->vm);
	for (n = 1; n < last; n++) {
		unpin(vm[n]);
		unpin(vm[n]);
	}
	unpin(vm[last]);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&budget->ggtt[IGEN_GGTT_DIRECTORIES]), 0);
	ggtt->vm.total = total;
	for (n = 0; n < ARRAY_SIZE(vm); n++)
		igen_vm_put(vm[n]);
	igen_mm_flush(mock->igen);
	igen_budget_put(budget);
}

/* Without memory for a table nothing stays bound. */
static void no_room_for_a_table(struct kunit *test)
{
	struct igen_mock *mock = test->priv;

	KUNIT_ASSERT_EQ(test, mock->vm->ops->pin(mock->vm), 0);
	room_for_pages = 1;
	KUNIT_EXPECT_EQ(test, bind(test, new_memory(test, SZ_4M - SZ_4K, 0x10000000, 2 * SZ_4K, 0)), -ENOMEM);
	room_for_pages = INT_MAX;
	mock->vm->ops->load(mock->vm);
	KUNIT_EXPECT_EQ(test, walk(test, SZ_4M - SZ_4K), scratch_of(test));
	KUNIT_EXPECT_EQ(test, walk(test, SZ_4M), scratch_of(test));
	unpin(mock->vm);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(entry_bits),
	KUNIT_CASE(ggtt_sizes),
	KUNIT_CASE(bound_pages),
	KUNIT_CASE(directory_comes_back),
	KUNIT_CASE(directory_is_written_once),
	KUNIT_CASE(directories_are_charged),
	KUNIT_CASE(no_room_for_a_table),
	{}
};

static struct kunit_suite suite = {
	.name = "igen_ppgtt_gen6",
	.suite_init = igen_mock_suite_init,
	.suite_exit = igen_mock_suite_exit,
	.init = igen_mock_init_ringbuffer,
	.exit = igen_mock_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
