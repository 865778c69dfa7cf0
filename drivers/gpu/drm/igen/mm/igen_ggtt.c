// SPDX-License-Identifier: MIT
/**
 * DOC: The global GTT and the aperture
 *
 * GMCH_CTL in configuration space tells the GGTT's size; its entries lie behind the registers in BAR 0. The platform
 * defines the format of an entry, and how the GPU is made to read changed entries (struct igen_gtt_ops). BAR 2, the
 * aperture, shows the GGTT's lower part to the CPU.
 *
 * The entries of an unbound VMA lead to a page of zeroes. So does the last entry of the GGTT, since the command
 * streamer prefetches beyond the commands that it executes. What firmware left in the other entries is replaced where
 * that matters (igen_scanout.c).
 *
 * While the device sleeps its entries can't be written. The driver notes which units of 1 MB have changed, and writes
 * their entries when the device wakes. Until then no access uses them.
 *
 * An object may be bound in parts, each a VMA of its own, so that the CPU can see an object that is larger than the
 * aperture through the aperture.
 *
 * The driver uses one page of the aperture, the window, to read and write imported objects, a page at a time. Such an
 * object may have no pages that the CPU could map. The exporter's own vmap takes locks that the driver may hold then.
 */
#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <linux/pci.h>
#include <linux/sizes.h>
#include <linux/stop_machine.h>

#include "../igen_device.h"
#include "igen/regs/pci.h"
#include "igen_fence_reg.h"
#include "igen_ggtt.h"
#include "igen_tail.h"

static struct igen_ggtt *to_ggtt(struct igen_vm *vm)
{
	return container_of(vm, struct igen_ggtt, vm);
}

static const struct igen_gtt_ops *ggtt_gtt_ops(const struct igen_ggtt *ggtt)
{
	return ggtt->vm.igen->platform->gtt;
}

static void ggtt_invalidate(struct igen_device *igen)
{
	igen->platform->gtt->ggtt_invalidate(igen);
}

/* Entries that are written in one go with all other CPUs stopped: below a millisecond of uncached writes. */
#define EXCLUSIVE_PAGES	1024

/* Entries to be written: those of an object's pages, or all with one page. */
struct ggtt_update {
	struct igen_ggtt *ggtt;
	u64 start, end;
	struct igen_bo *bo;	/* or NULL */
	unsigned long first;	/* page of the object */
	dma_addr_t page;	/* without an object */
};

static int ggtt_write_entries(void *data)
{
	const struct ggtt_update *update = data;
	const struct igen_gtt_ops *ops = ggtt_gtt_ops(update->ggtt);
	u64 addr = update->start, skip = (u64)update->first << PAGE_SHIFT, end;
	void __iomem *ptes = update->ggtt->ptes;
	struct scatterlist *sg;
	unsigned int i;

	if (!update->bo) {
		ops->ggtt_write(ptes, addr, update->end, update->page, 0);
		return 0;
	}
	for_each_sgtable_dma_sg(update->bo->pages, sg, i) {
		if (skip >= sg_dma_len(sg)) {
			skip -= sg_dma_len(sg);
			continue;
		}
		end = min(addr + sg_dma_len(sg) - skip, update->end);
		ops->ggtt_write(ptes, addr, end, sg_dma_address(sg) + skip, PAGE_SIZE);
		skip = 0;
		addr = end;
		if (addr == update->end)
			break;
	}
	return 0;
}

/*
 * All other CPUs stand still, so none uses the aperture. The read of a register returns when the hardware has the
 * writes.
 */
static int ggtt_write_exclusively(void *data)
{
	const struct ggtt_update *update = data;
	struct igen_ggtt *ggtt = update->ggtt;

	ggtt_write_entries(data);
	ggtt_gtt_ops(ggtt)->flush_writes(ggtt->vm.igen);
	return 0;
}

/*
 * Writes entries. On Apollo Lake behind an IOMMU, an access through the aperture that waits behind such writes hangs
 * the machine (as stock i915 has it, bxt_vtd_ggtt_wa()).
 */
static void ggtt_write(struct ggtt_update *update)
{
	u64 end = update->end;

	if (likely(!update->ggtt->exclusive)) {
		ggtt_write_entries(update);
		return;
	}
	for (; update->start < end; update->start = update->end) {
		update->end = min(update->start + EXCLUSIVE_PAGES * PAGE_SIZE, end);
		stop_machine(ggtt_write_exclusively, update, NULL);
		update->first += EXCLUSIVE_PAGES;
	}
}

static void ggtt_fill(struct igen_ggtt *ggtt, dma_addr_t page, u64 start, u64 end)
{
	ggtt_write(&(struct ggtt_update){ .ggtt = ggtt, .start = start, .end = end, .page = page });
}

static void ggtt_fill_scratch(struct igen_ggtt *ggtt, u64 start, u64 end)
{
	ggtt_fill(ggtt, ggtt->scratch.ggtt_dma.addr, start, end);
}

/*
 * Writes the entries of a VMA; entries behind its part of the object lead to the tail page or to scratch. A free place
 * leads to scratch, so what its owner writes needs no entries before that.
 */
static void ggtt_write_vma(struct igen_ggtt *ggtt, struct igen_vma *vma)
{
	u64 behind = vma->node.start + ((u64)vma->pages << PAGE_SHIFT);

	ggtt_write(&(struct ggtt_update){
		.ggtt = ggtt, .start = vma->node.start, .end = behind, .bo = vma->bo, .first = vma->first,
	});
	if (vma->owns_rest)
		return;
	ggtt_fill(ggtt, vma->bo->tail ? vma->bo->tail->dma.addr : ggtt->scratch.ggtt_dma.addr, behind,
		  vma->node.start + vma->node.size);
}

/* Postpones a range until the device wakes, if it sleeps. The mutex keeps the device from falling asleep. */
static bool ggtt_postpone(struct igen_ggtt *ggtt, u64 start, u64 size)
{
	u64 first = start / IGEN_GGTT_POSTPONE_UNIT;

	lockdep_assert_held(&ggtt->vm.mutex);

	if (likely(!READ_ONCE(ggtt->vm.igen->rpm.asleep)))
		return false;
	bitmap_set(ggtt->postponed, first, DIV_ROUND_UP_ULL(start + size, IGEN_GGTT_POSTPONE_UNIT) - first);
	return true;
}

static int ggtt_insert(struct igen_vm *vm, struct igen_vma *vma, u32 flags)
{
	struct igen_ggtt *ggtt = to_ggtt(vm);
	int idx;

	if (!drm_dev_enter(&vm->igen->drm, &idx))
		return -ENODEV;
	if (!ggtt_postpone(ggtt, vma->node.start, vma->node.size)) {
		ggtt_write_vma(ggtt, vma);
		ggtt_invalidate(vm->igen);
	}
	drm_dev_exit(idx);
	return 0;
}

static void ggtt_clear(struct igen_vm *vm, u64 start, u64 size)
{
	struct igen_ggtt *ggtt = to_ggtt(vm);
	int idx;

	if (!drm_dev_enter(&vm->igen->drm, &idx))
		return;
	if (!ggtt_postpone(ggtt, start, size)) {
		ggtt_fill_scratch(ggtt, start, start + size);
		ggtt_invalidate(vm->igen);
	}
	drm_dev_exit(idx);
}

static const struct igen_vm_ops ggtt_ops = {
	.insert = ggtt_insert,
	.clear = ggtt_clear,
};

/**
 * igen_ggtt_restore - programs the GGTT's registers that a full reset clears
 * @igen: the device
 *
 * How page-table entries are read, and fence registers. Forcewake is taken inside; no lock that waits for the GPU.
 *
 * A resume also needs igen_ggtt_restore_entries(), which writes the entries of all bound VMAs.
 */
void igen_ggtt_restore(struct igen_device *igen)
{
	if (igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL))
		return;
	igen->platform->gtt->restore(igen);
	igen_fence_regs_restore(&igen->ggtt);
	ggtt_invalidate(igen);
	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
}

/* Leads all entries to scratch that nothing is bound to or reserved for. vm.mutex held, or no other code runs. */
static void ggtt_fill_holes(struct igen_ggtt *ggtt)
{
	struct drm_mm_node *node;
	u64 start, end;

	drm_mm_for_each_hole(node, &ggtt->vm.mm, start, end)
		ggtt_fill_scratch(ggtt, start, end);
}

/**
 * igen_ggtt_restore_entries - writes the entries of all that is bound anew
 * @igen: the device; nothing runs on it
 *
 * After a resume, when firmware may have had the GGTT. Takes the GGTT's mutex.
 */
void igen_ggtt_restore_entries(struct igen_device *igen)
{
	struct igen_ggtt *ggtt = &igen->ggtt;
	struct igen_vma *vma;

	mutex_lock(&ggtt->vm.mutex);
	ggtt_fill_scratch(ggtt, ggtt->vm.total, ggtt->vm.total + PAGE_SIZE);
	if (igen_scanout_wants_fill(igen))
		ggtt_fill_holes(ggtt);
	list_for_each_entry(vma, &ggtt->vm.bound, vm_link)
		ggtt_write_vma(ggtt, vma);
	WRITE_ONCE(ggtt->rewrites, ggtt->rewrites + 1);
	ggtt_invalidate(igen);
	mutex_unlock(&ggtt->vm.mutex);
}

static bool ggtt_is_postponed(const struct igen_ggtt *ggtt, const struct igen_vma *vma)
{
	u64 start = vma->node.start, end = start + vma->node.size;
	unsigned long behind = DIV_ROUND_UP_ULL(end, IGEN_GGTT_POSTPONE_UNIT);

	return find_next_bit(ggtt->postponed, behind, start / IGEN_GGTT_POSTPONE_UNIT) < behind;
}

/**
 * igen_ggtt_restore_postponed - writes the entries that changed while the device slept
 * @igen: the device, which has just been woken; nothing runs on it
 *
 * Takes the GGTT's mutex.
 */
void igen_ggtt_restore_postponed(struct igen_device *igen)
{
	struct igen_ggtt *ggtt = &igen->ggtt;
	unsigned long from, to;
	struct igen_vma *vma;

	mutex_lock(&ggtt->vm.mutex);
	if (!bitmap_empty(ggtt->postponed, IGEN_GGTT_POSTPONE_UNITS)) {
		for_each_set_bitrange(from, to, ggtt->postponed, IGEN_GGTT_POSTPONE_UNITS)
			ggtt_fill_scratch(ggtt, (u64)from * IGEN_GGTT_POSTPONE_UNIT,
					  min_t(u64, (u64)to * IGEN_GGTT_POSTPONE_UNIT, ggtt->vm.total));
		list_for_each_entry(vma, &ggtt->vm.bound, vm_link)
			if (ggtt_is_postponed(ggtt, vma))
				ggtt_write_vma(ggtt, vma);
		bitmap_zero(ggtt->postponed, IGEN_GGTT_POSTPONE_UNITS);
		WRITE_ONCE(ggtt->rewrites, ggtt->rewrites + 1);
		ggtt_invalidate(igen);
	}
	mutex_unlock(&ggtt->vm.mutex);
}

/**
 * igen_ggtt_flush_writes - what the CPU has written through the aperture is in memory
 * @igen: the device
 *
 * On some parts such writes can be overtaken by the GPU's reads. A device that sleeps has none under way.
 */
void igen_ggtt_flush_writes(struct igen_device *igen)
{
	const struct igen_gtt_ops *gtt = igen->platform->gtt;

	if (!gtt->flush_writes)
		return;
	/* The combining buffers first: the read below does not wait for what is still in them. */
	wmb();
	if (!igen_rpm_get_if_awake(igen))
		return;
	gtt->flush_writes(igen);
	igen_rpm_put(igen);
}

/**
 * igen_ggtt_zap - userspace mappings through the aperture fault from now on
 * @igen: the device, awake, perhaps on its way to sleep; no such mapping is being made
 *
 * What clients have written through them is in memory. Takes the GGTT's mutex.
 */
void igen_ggtt_zap(struct igen_device *igen)
{
	const struct igen_gtt_ops *gtt = igen->platform->gtt;
	struct igen_ggtt *ggtt = &igen->ggtt;
	struct igen_vma *vma;

	mutex_lock(&ggtt->vm.mutex);
	list_for_each_entry(vma, &ggtt->vm.bound, vm_link)
		igen_bo_zap_aperture(vma->bo);
	/* For a device on its way to sleep igen_ggtt_flush_writes() does nothing. */
	wmb();
	if (gtt->flush_writes)
		gtt->flush_writes(igen);
	mutex_unlock(&ggtt->vm.mutex);
}

/* A page of an object as the device sees it. */
static dma_addr_t ggtt_page_addr(struct igen_bo *bo, unsigned long page)
{
	struct sg_dma_page_iter iter;

	for_each_sgtable_dma_page(bo->pages, &iter, page)
		return sg_page_iter_dma_address(&iter);
	WARN_ON(1);
	return to_igen(bo->base.dev)->ggtt.scratch.ggtt_dma.addr;
}

/* Points the window's GGTT entry to the page at @addr. CPU writes through the old entry reach memory first. */
static void ggtt_show(struct igen_ggtt *ggtt, dma_addr_t addr)
{
	/* Empties the write-combining buffers, which the CPU empties in any order, before the entry changes. */
	wmb();
	ggtt_fill(ggtt, addr, ggtt->window.start, ggtt->window.start + PAGE_SIZE);
	ggtt_invalidate(ggtt->vm.igen);
	/* Reads through the window must not start before the entry has changed. */
	mb();
}

static void ggtt_copy_in_window(struct igen_ggtt *ggtt, unsigned int in_page, void *data, size_t n, bool write)
{
	void __iomem *map = io_mapping_map_local_wc(&ggtt->iomap, ggtt->window.start);

	if (write)
		memcpy_toio(map + in_page, data, n);
	else
		memcpy_fromio(data, map + in_page, n);
	io_mapping_unmap_local(map);
}

/**
 * igen_ggtt_copy - reads or writes an object through the aperture
 * @bo: the object, its pages pinned, idle as far as the caller needs it
 * @offset: where in it
 * @data: the kernel's buffer
 * @size: bytes, all within the object
 * @write: into the object
 *
 * For objects without pages that the CPU could map. May sleep; no user memory is touched.
 *
 * Return: 0, -ENODEV when there is no aperture, or the device or the pages have gone, or what waking the device fails
 * with.
 */
int igen_ggtt_copy(struct igen_bo *bo, u64 offset, void *data, size_t size, bool write)
{
	struct igen_device *igen = to_igen(bo->base.dev);
	struct igen_ggtt *ggtt = &igen->ggtt;
	dma_addr_t addr;
	int idx, err;
	size_t n;

	/* The removal of the device, which takes the pages of pinned objects, waits for this section. */
	if (!drm_mm_node_allocated(&ggtt->window) || !drm_dev_enter(&igen->drm, &idx))
		return -ENODEV;
	err = igen_rpm_get(igen);
	if (err)
		goto out_exit;

	for (; size; offset += n, data += n, size -= n) {
		n = min_t(size_t, size, PAGE_SIZE - offset_in_page(offset));
		/* The page is searched in a list. Others may use the window meanwhile. */
		addr = ggtt_page_addr(bo, offset >> PAGE_SHIFT);
		mutex_lock(&ggtt->window_lock);
		ggtt_show(ggtt, addr);
		ggtt_copy_in_window(ggtt, offset_in_page(offset), data, n, write);
		/* The page may soon belong to another object. */
		ggtt_show(ggtt, ggtt->scratch.ggtt_dma.addr);
		mutex_unlock(&ggtt->window_lock);
	}
	if (write)
		igen_ggtt_flush_writes(igen);

	igen_rpm_put(igen);
out_exit:
	drm_dev_exit(idx);
	return err;
}

static int ggtt_init_window(struct igen_ggtt *ggtt)
{
	mutex_init(&ggtt->window_lock);
	if (!ggtt->mappable_end)
		return 0;
	return drm_mm_insert_node_in_range(&ggtt->vm.mm, &ggtt->window, PAGE_SIZE, 0, IGEN_COLOR_RESERVED, 0,
					   ggtt->mappable_end, DRM_MM_INSERT_HIGH);
}

static void ggtt_fini_window(struct igen_ggtt *ggtt)
{
	if (drm_mm_node_allocated(&ggtt->window))
		drm_mm_remove_node(&ggtt->window);
	mutex_destroy(&ggtt->window_lock);
}

static int ggtt_probe_sizes(struct igen_device *igen, u64 *total)
{
	const struct igen_gtt_ops *gtt = igen->platform->gtt;
	struct igen_ggtt *ggtt = &igen->ggtt;
	struct pci_dev *pdev = igen->pdev;
	resource_size_t bar, table;
	u16 ctl;

	if (pci_read_config_word(pdev, PCI_CFG_GMCH_CTL, &ctl))
		return -EIO;

	*total = gtt->ggtt_size(ctl);
	if (!*total) {
		drm_err(&igen->drm, "firmware has set up no GGTT (GMCH_CTL 0x%04x)\n", ctl);
		return -ENODEV;
	}

	bar = pci_resource_len(pdev, IGEN_PCI_GTTMMADR_BAR);
	table = (*total >> PAGE_SHIFT) * gtt->pte_bytes;
	if (bar < gtt->ptes_offset || bar - gtt->ptes_offset < table) {
		drm_err(&igen->drm, "BAR 0 has %pa bytes, too few for a GGTT of %llu MB\n", &bar, *total >> 20);
		return -ENODEV;
	}

	ggtt->aperture.start = pci_resource_start(pdev, IGEN_PCI_GMADR_BAR);
	ggtt->aperture.end = ggtt->aperture.start + pci_resource_len(pdev, IGEN_PCI_GMADR_BAR) - 1;
	ggtt->aperture.flags = IORESOURCE_MEM;
	ggtt->aperture.name = "aperture";
	ggtt->mappable_end = min_t(u64, *total, resource_size(&ggtt->aperture));
	return 0;
}

/* Maps the entries, and the aperture if there is one. */
static int ggtt_map(struct igen_device *igen, u64 total)
{
	const struct igen_gtt_ops *gtt = igen->platform->gtt;
	struct igen_ggtt *ggtt = &igen->ggtt;
	resource_size_t table = pci_resource_start(igen->pdev, IGEN_PCI_GTTMMADR_BAR) + gtt->ptes_offset;
	u64 bytes = (total >> PAGE_SHIFT) * gtt->pte_bytes;

	ggtt->ptes = gtt->map_wc ? ioremap_wc(table, bytes) : ioremap(table, bytes);
	if (!ggtt->ptes)
		return -ENOMEM;
	if (ggtt->mappable_end && !io_mapping_init_wc(&ggtt->iomap, ggtt->aperture.start, ggtt->mappable_end)) {
		iounmap(ggtt->ptes);
		return -ENOMEM;
	}
	return 0;
}

static void ggtt_unmap(struct igen_ggtt *ggtt)
{
	if (ggtt->mappable_end)
		io_mapping_fini(&ggtt->iomap);
	iounmap(ggtt->ptes);
}

/**
 * igen_ggtt_init - find the GGTT and map its entries
 * @igen: the device; its registers are mapped, igen_mm_init() was called
 *
 * Undone by igen_ggtt_fini().
 *
 * Reads the size from the PCI bridge, makes the scratch page and programs the PAT.
 *
 * Return: 0, -ENODEV when there is no usable GGTT, -EIO, -ENOMEM.
 */
int igen_ggtt_init(struct igen_device *igen)
{
	const struct igen_gtt_ops *gtt = igen->platform->gtt;
	struct igen_ggtt *ggtt = &igen->ggtt;
	u64 total;
	int err;

	err = ggtt_probe_sizes(igen, &total);
	if (err)
		return err;

	err = ggtt_map(igen, total);
	if (err)
		return err;

	err = igen_scratch_init(igen);
	if (err)
		goto err_map;

	ggtt->vm.is_ggtt = true;
	ggtt->swizzled = gtt->swizzles && gtt->swizzles(igen);
	ggtt->exclusive = igen->platform->exclusive_ggtt && device_iommu_mapped(igen->drm.dev);
	igen_vm_init(&ggtt->vm, igen, &ggtt_ops, total - PAGE_SIZE);
	igen_fence_regs_init(ggtt);
	err = igen_scanout_keep(igen);
	if (err)
		goto err_vm;

	if (igen_scanout_wants_fill(igen))
		ggtt_fill_holes(ggtt);
	ggtt_fill_scratch(ggtt, ggtt->vm.total, total);
	err = ggtt_init_window(ggtt);
	if (err)
		goto err_vm;

	igen_ggtt_restore(igen);

	drm_dbg(&igen->drm, "GGTT %llu MB, aperture %pR\n", total >> 20, &ggtt->aperture);
	return 0;

err_vm:
	ggtt_fini_window(ggtt);
	igen_scanout_release(igen);
	igen_vm_fini(&ggtt->vm);
	igen_scratch_fini(igen);
err_map:
	ggtt_unmap(ggtt);
	return err;
}

/**
 * igen_ggtt_fini - gives the GGTT up
 * @igen: the device; its engines are stopped and the driver's own objects are gone
 *
 * Unbinds the VMAs that userspace's objects still have in the GGTT. May sleep.
 */
void igen_ggtt_fini(struct igen_device *igen)
{
	struct igen_ggtt *ggtt = &igen->ggtt;

	igen_mm_flush(igen);
	if (igen_vm_evict_all(&ggtt->vm, false))
		drm_err(&igen->drm, "objects of the driver's own are still bound in the GGTT\n");
	igen_mm_flush(igen);

	ggtt_fini_window(ggtt);
	igen_scanout_release(igen);
	igen_vm_fini(&ggtt->vm);
	igen_scratch_fini(igen);
	ggtt_unmap(ggtt);
}
