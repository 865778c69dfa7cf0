// SPDX-License-Identifier: MIT
/*
 * DOC: Tests of the GGTT's table
 *
 * The source is part of this file, so that its inner functions can be tested, and so that the mock gets a GGTT with the
 * driver's own operations over a table in memory.
 */
#include "../mm/igen_ggtt.c"

#include <linux/dma-buf.h>
#include <linux/vmalloc.h>

#include "../mm/igen_pte_gen8.h"
#include "../uapi/igen_gem.h"
#include "../uapi/igen_uapi.h"
#include "igen_mock.h"

#define MOCK_GGTT_SIZE	SZ_64M

int igen_mock_ggtt_init(struct igen_device *igen)
{
	struct igen_ggtt *ggtt = &igen->ggtt;
	void *table;
	int err;

	/* Behind the table, a page that stands for what the window shows. */
	table = vzalloc((MOCK_GGTT_SIZE >> PAGE_SHIFT << 3) + PAGE_SIZE);
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
	WARN_ON(ggtt_init_window(ggtt));
	ggtt->iomap.iomem = ggtt->ptes + (MOCK_GGTT_SIZE >> PAGE_SHIFT << 3) - ggtt->window.start;
	ggtt_fill_scratch(ggtt, ggtt->vm.total, MOCK_GGTT_SIZE);
	return 0;
}

void igen_mock_ggtt_fini(struct igen_device *igen)
{
	struct igen_ggtt *ggtt = &igen->ggtt;

	ggtt_fini_window(ggtt);
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
	/* Public Gen9 PRM Vol 2c, "GMCH Graphics Control": GGMS in bits 7:6. */
	KUNIT_EXPECT_EQ(test, igen_gmch_ggtt_size(0x0000), 0ull);
	KUNIT_EXPECT_EQ(test, igen_gmch_ggtt_size(0x0040), 1ull << 30);
	KUNIT_EXPECT_EQ(test, igen_gmch_ggtt_size(0x0080), 2ull << 30);
	KUNIT_EXPECT_EQ(test, igen_gmch_ggtt_size(0xffff), 4ull << 30);
}

/* An object is shown page by page where it was put, and scratch before and behind it. */
static void ggtt_binds_and_clears(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_ggtt *ggtt = &mock->igen->ggtt;
	u64 scratch = igen_ggtt_pte(ggtt->scratch.ggtt_dma.addr);
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

/* PTEs of what is bound and unbound while the device sleeps are written when it wakes, not before. */
static void ggtt_writes_after_sleep(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_ggtt *ggtt = &mock->igen->ggtt;
	u64 scratch = igen_ggtt_pte(ggtt->scratch.ggtt_dma.addr);
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
	/* The VMA @stays lies in a unit whose entries were written anew. */
	KUNIT_EXPECT_EQ(test, entry_at(ggtt, igen_vma_start(stays)),
			igen_ggtt_pte(sg_dma_address(stays->bo->pages->sgl)));
	igen_ggtt_unpin_internal(stays);
	igen_ggtt_unpin_internal(comes);
	igen_mm_flush(mock->igen);
	KUNIT_EXPECT_EQ(test, entry_at(ggtt, fresh), scratch);
}

static u8 *window_page(struct igen_ggtt *ggtt)
{
	return (u8 *)(void __force *)ggtt->iomap.iomem + ggtt->window.start;
}

/* The window lies in the aperture, shows one page of the object at a time, and shows none between two copies. */
static void ggtt_window_shows_pages(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_ggtt *ggtt = &mock->igen->ggtt;
	u64 scratch = igen_ggtt_pte(ggtt->scratch.ggtt_dma.addr), value = 0x0123456789abcdef, back = 0;
	struct sg_dma_page_iter iter;
	unsigned int page = 0;
	struct igen_vma *vma;
	void *vaddr;

	KUNIT_EXPECT_LE(test, ggtt->window.start + PAGE_SIZE, ggtt->mappable_end);
	vma = igen_ggtt_pin_internal(mock->igen, 5 * PAGE_SIZE, 0, &vaddr);
	KUNIT_ASSERT_FALSE(test, IS_ERR(vma));
	for_each_sgtable_dma_page(vma->bo->pages, &iter, 0) {
		KUNIT_EXPECT_EQ(test, ggtt_page_addr(vma->bo, page), sg_page_iter_dma_address(&iter));
		ggtt_show(ggtt, ggtt_page_addr(vma->bo, page++));
		KUNIT_EXPECT_EQ(test, entry_at(ggtt, ggtt->window.start),
				igen_ggtt_pte(sg_page_iter_dma_address(&iter)));
	}

	KUNIT_EXPECT_EQ(test, igen_ggtt_copy(vma->bo, PAGE_SIZE + 24, &value, sizeof(value), true), 0);
	KUNIT_EXPECT_EQ(test, memcmp(window_page(ggtt) + 24, &value, sizeof(value)), 0);
	KUNIT_EXPECT_EQ(test, igen_ggtt_copy(vma->bo, 3 * PAGE_SIZE + 24, &back, sizeof(back), false), 0);
	KUNIT_EXPECT_EQ(test, back, value);
	KUNIT_EXPECT_EQ(test, entry_at(ggtt, ggtt->window.start), scratch);

	/* In two pages, which are both the window's in turn. */
	KUNIT_EXPECT_EQ(test, igen_ggtt_copy(vma->bo, 2 * PAGE_SIZE - 4, &value, sizeof(value), true), 0);
	KUNIT_EXPECT_EQ(test, memcmp(window_page(ggtt) + PAGE_SIZE - 4, &value, 4), 0);
	KUNIT_EXPECT_EQ(test, memcmp(window_page(ggtt), (u8 *)&value + 4, 4), 0);
	igen_ggtt_unpin_internal(vma);
}

/* Another driver, one that locks the reservation itself to map a buffer. */
struct exporter {
	struct page *page;
	bool asked;
};

static struct sg_table *exporter_map(struct dma_buf_attachment *attach, enum dma_data_direction dir)
{
	struct exporter *exporter = attach->dmabuf->priv;
	struct sg_table *pages = kzalloc(sizeof(*pages), GFP_KERNEL);

	if (!pages || sg_alloc_table(pages, 1, GFP_KERNEL)) {
		kfree(pages);
		return ERR_PTR(-ENOMEM);
	}
	sg_set_page(pages->sgl, exporter->page, PAGE_SIZE, 0);
	if (dma_map_sgtable(attach->dev, pages, dir, 0)) {
		sg_free_table(pages);
		kfree(pages);
		return ERR_PTR(-ENOMEM);
	}
	return pages;
}

static void exporter_unmap(struct dma_buf_attachment *attach, struct sg_table *pages, enum dma_data_direction dir)
{
	dma_unmap_sgtable(attach->dev, pages, dir, 0);
	sg_free_table(pages);
	kfree(pages);
}

static void exporter_release(struct dma_buf *buf)
{
}

static int exporter_vmap(struct dma_buf *buf, struct iosys_map *map)
{
	struct exporter *exporter = buf->priv;

	/* Here such a driver would wait for ever. */
	exporter->asked = true;
	return -EDEADLK;
}

static const struct dma_buf_ops exporter_ops = {
	.map_dma_buf = exporter_map,
	.unmap_dma_buf = exporter_unmap,
	.release = exporter_release,
	.vmap = exporter_vmap,
};

static struct dma_buf *exporter_buffer(struct kunit *test, struct exporter *exporter, size_t size)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *buf;

	exporter->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_NOT_NULL(test, exporter->page);
	info.ops = &exporter_ops;
	info.size = size;
	info.flags = O_RDWR;
	info.priv = exporter;
	buf = dma_buf_export(&info);
	KUNIT_ASSERT_FALSE(test, IS_ERR(buf));
	return buf;
}

static struct igen_bo *exporter_import(struct kunit *test, struct igen_device *igen, struct dma_buf *buf)
{
	struct drm_gem_object *obj;

	igen_gem_imports_init(igen);
	obj = igen_gem_prime_import(&igen->drm, buf);
	KUNIT_ASSERT_FALSE(test, IS_ERR(obj));
	return to_igen_bo(obj);
}

static void exporter_put(struct igen_device *igen, struct exporter *exporter, struct dma_buf *buf, struct igen_bo *bo)
{
	igen_bo_put(bo);
	igen_mm_flush(igen);
	flush_delayed_work(&igen->mm.detach_work);
	dma_buf_put(buf);
	flush_delayed_fput();
	__free_page(exporter->page);
}

/* Operations that hold an import's lock do not call the exporter's vmap, which may wait for that lock. */
static void ggtt_window_instead_of_vmap(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_ggtt *ggtt = &mock->igen->ggtt;
	struct exporter exporter = {};
	struct dma_buf *buf = exporter_buffer(test, &exporter, PAGE_SIZE);
	struct igen_bo *bo = exporter_import(test, mock->igen, buf);
	u32 value = 0xfeedf00d;

	igen_bo_lock(bo);
	KUNIT_ASSERT_EQ(test, igen_bo_pin_pages(bo), 0);
	KUNIT_EXPECT_TRUE(test, IS_ERR(igen_bo_vmap(bo)));
	KUNIT_EXPECT_EQ(test, igen_ggtt_copy(bo, 64, &value, sizeof(value), true), 0);
	KUNIT_EXPECT_EQ(test, memcmp(window_page(ggtt) + 64, &value, sizeof(value)), 0);
	igen_bo_unpin_pages(bo);
	igen_bo_unlock(bo);
	KUNIT_EXPECT_FALSE(test, exporter.asked);

	exporter_put(mock->igen, &exporter, buf, bo);
}

/* The exporter's pages are fewer than the buffer's size says. */
static void import_of_too_few_pages(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct exporter exporter = {};
	struct dma_buf *buf = exporter_buffer(test, &exporter, 2 * PAGE_SIZE);
	struct igen_bo *bo = exporter_import(test, mock->igen, buf);

	igen_bo_lock(bo);
	KUNIT_EXPECT_EQ(test, igen_bo_pin_pages(bo), -EINVAL);
	KUNIT_EXPECT_NULL(test, bo->pages);
	igen_bo_unlock(bo);

	exporter_put(mock->igen, &exporter, buf, bo);
}

/*
 * There is room for one of two: where the other must go and is locked, one shall try again; if that is the
 * caller himself it does not help.
 */
static void ggtt_full_of_locked(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	u64 size = mock->igen->ggtt.mappable_end / 2 + PAGE_SIZE;
	struct igen_bo *here = igen_bo_create_internal(mock->igen, size);
	struct igen_bo *next = igen_bo_create_internal(mock->igen, size);
	struct igen_vma *there, *wanted;
	struct igen_ww ww = {};

	KUNIT_ASSERT_FALSE(test, IS_ERR(here) || IS_ERR(next));
	there = igen_vma_lookup(here, &mock->igen->ggtt.vm);
	wanted = igen_vma_lookup(next, &mock->igen->ggtt.vm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(there) || IS_ERR(wanted));
	igen_bo_lock(here);
	KUNIT_ASSERT_EQ(test, igen_vma_pin(there, 0, 0, IGEN_PIN_MAPPABLE), 0);
	igen_vma_unpin(there);
	igen_bo_unlock(here);

	igen_bo_lock(next);
	KUNIT_ASSERT_TRUE(test, dma_resv_trylock(here->base.resv));
	KUNIT_EXPECT_EQ(test, igen_vma_pin(wanted, 0, 0, IGEN_PIN_MAPPABLE), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, there->bound);
	igen_bo_unlock(here);
	igen_bo_unlock(next);

	ww_acquire_init(&ww.base, &reservation_ww_class);
	KUNIT_ASSERT_EQ(test, dma_resv_lock(next->base.resv, &ww.base), 0);
	KUNIT_ASSERT_EQ(test, dma_resv_lock(here->base.resv, &ww.base), 0);
	KUNIT_EXPECT_EQ(test, igen_vma_pin(wanted, 0, 0, IGEN_PIN_MAPPABLE), -ENOSPC);
	igen_bo_unlock(here);
	KUNIT_EXPECT_EQ(test, igen_vma_pin(wanted, 0, 0, IGEN_PIN_MAPPABLE), 0);
	KUNIT_EXPECT_FALSE(test, there->bound);
	igen_vma_unpin(wanted);
	igen_bo_unlock(next);
	ww_acquire_fini(&ww.base);

	igen_vma_put(there);
	igen_vma_put(wanted);
	igen_bo_put(here);
	igen_bo_put(next);
	igen_mm_flush(mock->igen);
}

/* An object larger than the aperture is seen through it part by part. The part in use stays. */
static void ggtt_parts_take_turns(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	const u64 size = mock->igen->ggtt.mappable_end;
	const u32 pages = size / 4 >> PAGE_SHIFT;
	struct igen_bo *bo = igen_bo_create_internal(mock->igen, 2 * size);
	struct igen_vma *vma[8];
	unsigned int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(bo));
	igen_bo_lock(bo);
	for (i = 0; i < ARRAY_SIZE(vma); i++) {
		vma[i] = igen_vma_lookup_part(bo, i * pages, pages);
		KUNIT_ASSERT_FALSE(test, IS_ERR(vma[i]));
		KUNIT_EXPECT_EQ(test, igen_vma_pin(vma[i], 0, 0, IGEN_PIN_MAPPABLE), 0);
		/* The first stays for now. */
		if (vma[i]->bound && i)
			igen_vma_unpin(vma[i]);
	}
	KUNIT_EXPECT_TRUE(test, vma[0]->bound);
	KUNIT_EXPECT_FALSE(test, vma[1]->bound);
	dma_resv_assert_held(bo->base.resv);
	igen_vma_unpin(vma[0]);
	igen_bo_unlock(bo);

	for (i = 0; i < ARRAY_SIZE(vma); i++)
		igen_vma_put(vma[i]);
	igen_bo_put(bo);
	igen_mm_flush(mock->igen);
}

static void pin_in_lower_half(struct kunit *test, struct igen_vma *vma)
{
	KUNIT_ASSERT_EQ(test, igen_vma_pin(vma, 0, 0, IGEN_PIN_LOWER_HALF), 0);
	igen_vma_unpin(vma);
	KUNIT_EXPECT_LE(test, igen_vma_start(vma) + vma->bo->base.size, vma->vm->total / 2);
}

/* An object that has to be in the lower half moves there, and finds room there alone. */
static void ggtt_lower_half(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_vma *vma[4];
	struct igen_bo *bo;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vma); i++) {
		/* Two of the large ones fit, with the window between them. */
		bo = igen_bo_create_internal(mock->igen, i ? MOCK_GGTT_SIZE / 16 * 3 : PAGE_SIZE);
		KUNIT_ASSERT_FALSE(test, IS_ERR(bo));
		vma[i] = igen_vma_lookup(bo, &mock->igen->ggtt.vm);
		KUNIT_ASSERT_FALSE(test, IS_ERR(vma[i]));
		igen_bo_lock(bo);
		if (!i) {
			KUNIT_ASSERT_EQ(test, igen_vma_pin(vma[i], 0, 0, IGEN_PIN_HIGH), 0);
			igen_vma_unpin(vma[i]);
			KUNIT_EXPECT_GT(test, igen_vma_start(vma[i]), vma[i]->vm->total / 2);
		}
		pin_in_lower_half(test, vma[i]);
		igen_bo_unlock(bo);
	}
	KUNIT_EXPECT_TRUE(test, vma[3]->bound);
	KUNIT_EXPECT_NE(test, vma[1]->bound, vma[2]->bound);

	for (i = 0; i < ARRAY_SIZE(vma); i++) {
		bo = vma[i]->bo;
		igen_vma_put(vma[i]);
		igen_bo_put(bo);
	}
	igen_mm_flush(mock->igen);
}

/* What was seen of writes of entries, and of the reads behind them. */
static struct {
	unsigned int writes, flushes, beside_others, not_flushed;
	bool unflushed;
	/* A byte of memory, and what it was when the writes were last flushed. */
	const u8 *watched;
	u8 at_flush;
	/* An entry, and what it was then. */
	const u64 *entry;
	u64 entry_at_flush;
} writes;

static void noted_write(void __iomem *ptes, u64 start, u64 end, dma_addr_t dma, unsigned int step)
{
	writes.writes++;
	/* The other CPUs stand still with interrupts off, and so does this one. */
	writes.beside_others += !irqs_disabled();
	writes.unflushed = true;
	igen_gtt_gen8_ops.ggtt_write(ptes, start, end, dma, step);
}

static void noted_flush(struct igen_device *igen)
{
	writes.flushes++;
	if (writes.watched)
		writes.at_flush = *writes.watched;
	if (writes.entry)
		writes.entry_at_flush = *writes.entry;
	writes.not_flushed += !irqs_disabled();
	writes.unflushed = false;
}

/* Behind an IOMMU, entries of Apollo Lake's GGTT are written while no CPU can use the aperture. */
static void ggtt_writes_exclusively(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_ggtt *ggtt = &mock->igen->ggtt;
	struct igen_gtt_ops ops = igen_gtt_gen8_ops;
	u64 scratch = igen_ggtt_pte(ggtt->scratch.ggtt_dma.addr), start, addr;
	const u32 pages = EXCLUSIVE_PAGES + 3;
	struct sg_dma_page_iter iter;
	unsigned int wrong = 0;
	struct igen_vma *vma;
	void *vaddr;

	memset(&writes, 0, sizeof(writes));
	ops.ggtt_write = noted_write;
	ops.flush_writes = noted_flush;
	mock->platform.gtt = &ops;
	ggtt->exclusive = true;

	/* The object's entries in two pieces. */
	vma = igen_ggtt_pin_internal(mock->igen, pages * PAGE_SIZE, 0, &vaddr);
	KUNIT_ASSERT_FALSE(test, IS_ERR(vma));
	KUNIT_EXPECT_EQ(test, writes.flushes, 2u);
	start = igen_vma_start(vma);
	addr = start;
	for_each_sgtable_dma_page(vma->bo->pages, &iter, 0) {
		wrong += entry_at(ggtt, addr) != igen_ggtt_pte(sg_page_iter_dma_address(&iter));
		addr += PAGE_SIZE;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0u);
	KUNIT_EXPECT_EQ(test, addr, start + pages * PAGE_SIZE);

	igen_ggtt_unpin_internal(vma);
	igen_mm_flush(mock->igen);
	for (addr = start; addr < start + pages * PAGE_SIZE; addr += PAGE_SIZE)
		wrong += entry_at(ggtt, addr) != scratch;
	KUNIT_EXPECT_EQ(test, wrong, 0u);
	KUNIT_EXPECT_GE(test, writes.flushes, 4u);
	KUNIT_EXPECT_EQ(test, writes.beside_others, 0u);
	KUNIT_EXPECT_EQ(test, writes.not_flushed, 0u);
	KUNIT_EXPECT_FALSE(test, writes.unflushed);

	ggtt->exclusive = false;
	mock->platform.gtt = &igen_gtt_gen8_ops;
}

/* Domains that a client sets for the object of handle 1. */
static void set_domain(struct kunit *test, struct drm_file *file, u32 domain)
{
	struct igen_mock *mock = test->priv;
	struct drm_i915_gem_set_domain args = { .handle = 1, .read_domains = domain, .write_domain = domain };

	KUNIT_EXPECT_EQ(test, igen_gem_set_domain_ioctl(&mock->igen->drm, &args, file), 0);
}

/* What the CPU has written through the aperture, by itself or for a client, is in memory before others use it. */
static void ggtt_flushes_writes(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_gtt_ops ops = igen_gtt_gen8_ops;
	struct drm_file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);
	struct igen_bo *bo = igen_bo_create_internal(mock->igen, PAGE_SIZE);
	u8 value = 0x5a;

	KUNIT_ASSERT_NOT_NULL(test, file);
	KUNIT_ASSERT_FALSE(test, IS_ERR(bo));
	memset(&writes, 0, sizeof(writes));
	ops.flush_writes = noted_flush;
	mock->platform.gtt = &ops;
	writes.watched = window_page(&mock->igen->ggtt) + 24;

	igen_bo_lock(bo);
	KUNIT_ASSERT_EQ(test, igen_bo_pin_pages(bo), 0);
	KUNIT_EXPECT_EQ(test, igen_ggtt_copy(bo, 24, &value, sizeof(value), true), 0);
	KUNIT_EXPECT_EQ(test, writes.flushes, 1u);
	KUNIT_EXPECT_EQ(test, writes.at_flush, value);
	/* What is read needs none. */
	KUNIT_EXPECT_EQ(test, igen_ggtt_copy(bo, 24, &value, sizeof(value), false), 0);
	KUNIT_EXPECT_EQ(test, writes.flushes, 1u);
	igen_bo_unpin_pages(bo);
	igen_bo_unlock(bo);

	spin_lock_init(&file->table_lock);
	idr_init(&file->object_idr);
	KUNIT_ASSERT_EQ(test, idr_alloc(&file->object_idr, &bo->base, 1, 0, GFP_KERNEL), 1);
	set_domain(test, file, I915_GEM_DOMAIN_GTT);
	KUNIT_EXPECT_EQ(test, writes.flushes, 1u);
	set_domain(test, file, I915_GEM_DOMAIN_CPU);
	KUNIT_EXPECT_EQ(test, writes.flushes, 2u);
	set_domain(test, file, I915_GEM_DOMAIN_CPU);
	KUNIT_EXPECT_EQ(test, writes.flushes, 2u);

	idr_destroy(&file->object_idr);
	mock->platform.gtt = &igen_gtt_gen8_ops;
	igen_bo_put(bo);
	igen_mm_flush(mock->igen);
}

/* What a client has written through the aperture has arrived before the entries change. */
static void ggtt_flushes_before_unbind(struct kunit *test)
{
	struct igen_mock *mock = test->priv;
	struct igen_ggtt *ggtt = &mock->igen->ggtt;
	struct igen_gtt_ops ops = igen_gtt_gen8_ops;
	struct igen_mmap_offset *mapping = kunit_kzalloc(test, sizeof(*mapping), GFP_KERNEL);
	struct igen_bo *bo = igen_bo_create_internal(mock->igen, PAGE_SIZE);
	struct igen_vma *vma;
	u64 bound = 0;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, mapping);
	KUNIT_ASSERT_FALSE(test, IS_ERR(bo));
	vma = igen_vma_lookup(bo, &ggtt->vm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(vma));
	drm_vma_node_reset(&mapping->node);
	memset(&writes, 0, sizeof(writes));
	ops.flush_writes = noted_flush;
	mock->platform.gtt = &ops;

	igen_bo_lock(bo);
	/* Without a mapping nothing is flushed. */
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, igen_vma_pin(vma, 0, 0, IGEN_PIN_MAPPABLE), 0);
		igen_vma_unpin(vma);
		writes.entry = (u64 *)(void __force *)ggtt->ptes + (igen_vma_start(vma) >> PAGE_SHIFT);
		bound = *writes.entry;
		WRITE_ONCE(bo->mmap[IGEN_MMAP_GTT], i ? mapping : NULL);
		KUNIT_EXPECT_EQ(test, igen_vma_unbind(vma, false), 0);
		KUNIT_EXPECT_EQ(test, writes.flushes, i);
	}
	KUNIT_EXPECT_EQ(test, writes.entry_at_flush, bound);
	KUNIT_EXPECT_NE(test, *writes.entry, bound);
	WRITE_ONCE(bo->mmap[IGEN_MMAP_GTT], NULL);
	igen_bo_unlock(bo);

	mock->platform.gtt = &igen_gtt_gen8_ops;
	igen_vma_put(vma);
	igen_bo_put(bo);
	igen_mm_flush(mock->igen);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ggtt_pte_bits),
	KUNIT_CASE(ggtt_sizes_of_gmch_ctl),
	KUNIT_CASE(ggtt_binds_and_clears),
	KUNIT_CASE(ggtt_writes_after_sleep),
	KUNIT_CASE(ggtt_writes_exclusively),
	KUNIT_CASE(ggtt_flushes_writes),
	KUNIT_CASE(ggtt_flushes_before_unbind),
	KUNIT_CASE(ggtt_full_of_locked),
	KUNIT_CASE(ggtt_parts_take_turns),
	KUNIT_CASE(ggtt_lower_half),
	KUNIT_CASE(ggtt_window_shows_pages),
	KUNIT_CASE(ggtt_window_instead_of_vmap),
	KUNIT_CASE(import_of_too_few_pages),
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
