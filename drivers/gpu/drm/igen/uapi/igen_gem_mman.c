// SPDX-License-Identifier: MIT
/**
 * DOC: Mapping objects
 *
 * Each object has one offset in the device file for each kind of caching. The offset is allocated when userspace first
 * asks for it. Page faults fill a mapping, a window at a time. Unbinding or moving the object, or taking its pages,
 * zaps the mapping, and it faults again. The driver writes page table entries directly: the kernel's helpers for single
 * frames look up how the kernel maps the page, and would turn write-combining into write-back.
 *
 * I915_MMAP_OFFSET_GTT means "as through the aperture". Only two kinds of objects need the aperture: tiled objects,
 * which a fence register detiles there, and objects without pages of their own (imports). A linear object has its pages
 * mapped write-combining instead, whatever its size. An object that would take too much of the aperture is mapped
 * through it in parts of whole rows of tiles, with a fence register for each part.
 *
 * The aperture does not snoop. Where CPU and GPU share no cache, an object that the GPU snoops cannot be mapped "as
 * through the aperture": a fault there is SIGBUS, as with i915.
 *
 * Locks: the object's lock, then the GGTT's mutex. Mappings through the aperture are made under that mutex. So code
 * that moves an object or takes its fence register finds all of its mappings.
 */
#include <drm/drm_cache.h>
#include <drm/drm_drv.h>
#include <drm/drm_vma_manager.h>
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/mman.h>
#include <linux/overflow.h>
#include <linux/sizes.h>

#include "../igen_compat.h"
#include "../igen_device.h"
#include "../igen_trace.h"
#include "../mm/igen_bo.h"
#include "../mm/igen_bo_cache.h"
#include "../mm/igen_budget.h"
#include "../mm/igen_fence_reg.h"
#include "../mm/igen_ggtt.h"
#include "../mm/igen_tail.h"
#include "igen_gem.h"
#include "igen_uapi.h"

/* Bytes that a fault maps at most, aligned by as much. */
#define FAULT_WINDOW SZ_512K

/* Bytes of a part of an object in the aperture, before rounding up to whole rows of tiles. */
#define PART_SIZE SZ_4M

/**
 * igen_gem_mmap_ioctl - DRM_IOCTL_I915_GEM_MMAP
 * @drm: the DRM device
 * @data: struct drm_i915_gem_mmap
 * @file: the caller's file
 *
 * The oldest way: the shmem file itself is mapped, write-back or write-combining.
 *
 * Return: 0, -EINVAL, -ENOENT, -ENXIO for an object without a file, -EINTR, or what mmap() fails with.
 */
int igen_gem_mmap_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_mmap *args = data;
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *area;
	struct igen_bo *bo;
	unsigned long addr;
	u64 end;

	if (args->flags & ~I915_MMAP_WC)
		return -EINVAL;

	bo = igen_gem_lookup(file, args->handle);
	if (!bo)
		return -ENOENT;

	addr = -ENXIO;
	if (!bo->base.filp)
		goto out;
	addr = -EINVAL;
	if (check_add_overflow(args->offset, args->size, &end) || end > bo->base.size)
		goto out;

	/* The mapping holds the file only, and may outlive the object. */
	WRITE_ONCE(bo->file_mapped, true);
	addr = vm_mmap(bo->base.filp, 0, args->size, PROT_READ | PROT_WRITE, MAP_SHARED, args->offset);
	if (IS_ERR_VALUE(addr) || !(args->flags & I915_MMAP_WC))
		goto out;

	if (mmap_write_lock_killable(mm)) {
		addr = -EINTR;
		goto out;
	}
	/* Another thread may have replaced it already. */
	area = find_vma(mm, addr);
	if (area && area->vm_start == addr && area->vm_file == bo->base.filp &&
	    area->vm_end - area->vm_start == PAGE_ALIGN(args->size))
		area->vm_page_prot = pgprot_writecombine(vm_get_page_prot(area->vm_flags));
	else
		addr = -ENOMEM;
	mmap_write_unlock(mm);
out:
	igen_bo_put(bo);
	if (IS_ERR_VALUE(addr))
		return addr;
	args->addr_ptr = addr;
	return 0;
}

/* Takes offsets for an object, of the client's share of them. -ENOSPC, -ENOMEM. */
static int mmap_take_offsets(struct igen_mmap_offset *mmo, struct igen_budget *budget)
{
	struct drm_device *drm = mmo->bo->base.dev;
	unsigned long pages = mmo->bo->base.size >> PAGE_SHIFT;
	int err;

	err = igen_budget_charge(budget, sizeof(*mmo));
	if (err)
		return err;
	err = igen_budget_charge_offsets(budget, pages);
	if (err)
		goto err_uncharge;
	err = drm_vma_offset_add(drm->vma_offset_manager, &mmo->node, pages);
	if (err == -ENOSPC) {
		/* Objects that are kept, or wait for being freed, have offsets, too. */
		igen_bo_caches_drain(to_igen(drm), ULONG_MAX);
		igen_mm_flush_busy(to_igen(drm));
		err = drm_vma_offset_add(drm->vma_offset_manager, &mmo->node, pages);
	}
	if (err)
		goto err_offsets;
	mmo->budget = budget;
	return 0;

err_offsets:
	igen_budget_uncharge_offsets(budget, pages);
err_uncharge:
	igen_budget_uncharge(budget, sizeof(*mmo));
	return err;
}

static void mmap_return_offsets(struct igen_mmap_offset *mmo)
{
	drm_vma_offset_remove(mmo->bo->base.dev->vma_offset_manager, &mmo->node);
	igen_budget_uncharge_offsets(mmo->budget, mmo->bo->base.size >> PAGE_SHIFT);
	igen_budget_uncharge(mmo->budget, sizeof(*mmo));
}

/* The object's node of a type, made if there is none, and open to file. */
static struct igen_mmap_offset *mmap_attach(struct igen_bo *bo, enum igen_mmap_type type, struct drm_file *file)
{
	struct igen_mmap_offset *mmo = READ_ONCE(bo->mmap[type]), *new;
	int err;

	if (!mmo) {
		new = kzalloc(sizeof(*new), IGEN_GFP_CLIENT);
		if (!new)
			return ERR_PTR(-ENOMEM);
		new->bo = bo;
		new->type = type;
		drm_vma_node_reset(&new->node);
		err = mmap_take_offsets(new, to_igen_file(file)->client->budget);
		if (err == -ENOSPC)
			drm_dbg(bo->base.dev, "no mapping offsets left for an object of %zu bytes\n", bo->base.size);
		if (err) {
			kfree(new);
			return ERR_PTR(err);
		}

		spin_lock(&bo->vma_lock);
		mmo = bo->mmap[type];
		if (!mmo) {
			mmo = new;
			/* Pairs with the dependent reads of lookups without the lock. */
			smp_store_release(&bo->mmap[type], new);
			new = NULL;
		}
		spin_unlock(&bo->vma_lock);
		if (new) {
			mmap_return_offsets(new);
			kfree(new);
		}
	}

	err = drm_vma_node_allow_once(&mmo->node, file);
	return err ? ERR_PTR(err) : mmo;
}

static int mmap_offset(struct drm_file *file, u32 handle, enum igen_mmap_type type, u64 *offset)
{
	struct igen_mmap_offset *mmo;
	struct igen_bo *bo, *again;
	int err = 0;

	bo = igen_gem_lookup(file, handle);
	if (!bo)
		return -ENOENT;

	if (!(bo->ops->mmap_types & BIT(type))) {
		err = -ENODEV;
		goto out;
	}

	mmo = mmap_attach(bo, type, file);
	if (IS_ERR(mmo)) {
		err = PTR_ERR(mmo);
		goto out;
	}
	*offset = drm_vma_node_offset_addr(&mmo->node);

	/* If another thread closes the handle now, it may have revoked the access before this call allowed it. */
	again = igen_gem_lookup(file, handle);
	if (again != bo) {
		drm_vma_node_revoke(&mmo->node, file);
		err = -ENOENT;
	}
	igen_bo_put(again);
out:
	igen_bo_put(bo);
	return err;
}

/**
 * igen_gem_dumb_mmap_offset - drm_driver.dumb_map_offset
 * @file: the caller's file
 * @drm: the DRM device
 * @handle: the object
 * @offset: gets where to map it
 *
 * Return: 0, -ENOENT, -ENODEV, -ENOMEM.
 */
int igen_gem_dumb_mmap_offset(struct drm_file *file, struct drm_device *drm, u32 handle, u64 *offset)
{
	return mmap_offset(file, handle, IGEN_MMAP_WC, offset);
}

/**
 * igen_gem_mmap_offset_ioctl - DRM_IOCTL_I915_GEM_MMAP_OFFSET, and MMAP_GTT, which is the same without its tail
 * @drm: the DRM device
 * @data: struct drm_i915_gem_mmap_offset; the tail is zero for MMAP_GTT
 * @file: the caller's file
 *
 * Padding and the offset are not looked at: i915 never did.
 *
 * Return: 0, -EINVAL, -ENOENT, -ENODEV for a way that the object can't be mapped, -ENOMEM,
 * -ENOSPC when the client has as many offsets as it may have, or the device has none left.
 */
int igen_gem_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_i915_gem_mmap_offset *args = data;
	enum igen_mmap_type type;
	int err;

	err = igen_user_extensions(u64_to_user_ptr(args->extensions), NULL, 0, NULL);
	if (err)
		return err;

	switch (args->flags) {
	case I915_MMAP_OFFSET_GTT:
		if (!to_igen(drm)->ggtt.mappable_end)
			return -ENODEV;
		type = IGEN_MMAP_GTT;
		break;
	case I915_MMAP_OFFSET_WC:
		type = IGEN_MMAP_WC;
		break;
	case I915_MMAP_OFFSET_WB:
		type = IGEN_MMAP_WB;
		break;
	case I915_MMAP_OFFSET_UC:
		type = IGEN_MMAP_UC;
		break;
	case I915_MMAP_OFFSET_FIXED:
		type = IGEN_MMAP_FIXED;
		break;
	default:
		return -EINVAL;
	}

	return mmap_offset(file, args->handle, type, &args->offset);
}

/**
 * igen_gem_mmap_revoke - forbid a file to map an object
 * @bo: the object
 * @file: the file, which closes its handle
 */
void igen_gem_mmap_revoke(struct igen_bo *bo, struct drm_file *file)
{
	enum igen_mmap_type type;

	for (type = 0; type < IGEN_NUM_MMAP_TYPES; type++) {
		struct igen_mmap_offset *mmo = READ_ONCE(bo->mmap[type]);

		if (mmo)
			drm_vma_node_revoke(&mmo->node, file);
	}
}

/* Filling mappings. */

struct fill {
	struct mm_struct *mm;
	pgprot_t prot;
	/* the next page, or NULL when the frames follow each other */
	struct page **page;
	unsigned long pfn;
};

static int mmap_fill_pte(pte_t *pte, unsigned long addr, void *data)
{
	struct fill *f = data;

	if (f->page)
		f->pfn = page_to_pfn(*f->page++);
	/* Another fault at the same time may have filled the entry. */
	if (pte_none(*pte))
		set_pte_at(f->mm, addr, pte, pte_mkspecial(pfn_pte(f->pfn, f->prot)));
	f->pfn++;
	return 0;
}

/* The part of a mapping that a fault fills: its first page in the object, and bytes. */
static unsigned long mmap_window(struct vm_fault *vmf, pgoff_t first, unsigned long *start, unsigned long *size)
{
	struct vm_area_struct *area = vmf->vma;
	unsigned long addr = ALIGN_DOWN(vmf->address, FAULT_WINDOW);
	unsigned long end = min(addr + FAULT_WINDOW, area->vm_end);

	*start = max(addr, area->vm_start);
	*size = end - *start;
	return area->vm_pgoff - first + ((*start - area->vm_start) >> PAGE_SHIFT);
}

static int mmap_fill_pages(struct vm_fault *vmf, const struct igen_mmap_offset *mmo)
{
	struct vm_area_struct *area = vmf->vma;
	struct fill f = { .mm = area->vm_mm, .prot = area->vm_page_prot };
	unsigned long start, size;

	f.page = mmo->bo->page_list + mmap_window(vmf, drm_vma_node_start(&mmo->node), &start, &size);
	return apply_to_page_range(area->vm_mm, start, size, mmap_fill_pte, &f);
}

/* Bytes of a row of tiles; a fence's range has whole ones. */
static u64 mmap_row_size(const struct igen_bo *bo)
{
	return bo->tiling ? PAGE_ALIGN((u64)bo->stride * (bo->tiling == I915_TILING_Y ? 32 : 8)) : PAGE_SIZE;
}

/*
 * Pins the VMA through which the aperture shows a page of the object: the VMA of the whole object if that fits well,
 * else the VMA of the part that contains the page.
 */
static struct igen_vma *mmap_pin_aperture(struct igen_bo *bo, unsigned long page)
{
	struct igen_ggtt *ggtt = &to_igen(bo->base.dev)->ggtt;
	u64 row = mmap_row_size(bo), whole = roundup(bo->base.size, row), size = whole;
	unsigned long first = 0, pages = bo->base.size >> PAGE_SHIFT;
	bool part = whole > ggtt->mappable_end / 4;
	struct igen_vma *vma;
	int err;

	for (;;) {
		if (part) {
			size = roundup(PART_SIZE, row);
			first = rounddown(page, (unsigned long)(size >> PAGE_SHIFT));
			pages = min_t(unsigned long, size >> PAGE_SHIFT, (bo->base.size >> PAGE_SHIFT) - first);
		}
		if (size > pages << PAGE_SHIFT) {
			err = igen_tail_make(bo);
			if (err)
				return ERR_PTR(err);
		}
		vma = igen_vma_lookup_part(bo, first, pages);
		if (IS_ERR(vma))
			return vma;

		err = igen_vma_pin(vma, size, 0, IGEN_PIN_MAPPABLE);
		if (!err)
			return vma;
		igen_vma_put(vma);
		/* A part may find room where the whole object would have to wait for locks of other tasks. */
		if ((err != -ENOSPC && err != -EAGAIN) || part)
			return ERR_PTR(err);
		part = true;
	}
}

static int mmap_fill_aperture(struct vm_fault *vmf, const struct igen_mmap_offset *mmo)
{
	struct igen_bo *bo = mmo->bo;
	struct igen_ggtt *ggtt = &to_igen(bo->base.dev)->ggtt;
	struct vm_area_struct *area = vmf->vma;
	struct fill f = { .mm = area->vm_mm, .prot = area->vm_page_prot };
	unsigned long start, size, page, from, to;
	struct igen_vma *vma;
	int idx, err = 0;

	page = mmap_window(vmf, drm_vma_node_start(&mmo->node), &start, &size);
	vma = mmap_pin_aperture(bo, page + ((vmf->address - start) >> PAGE_SHIFT));
	if (IS_ERR(vma))
		return PTR_ERR(vma);

	idx = igen_fence_map_begin(ggtt);
	if (idx < 0) {
		err = idx;
		goto out_unpin;
	}

	mutex_lock(&ggtt->vm.mutex);
	if (bo->tiling)
		err = igen_fence_reg_get(vma);
	if (!err) {
		/* The window may reach beyond the part. */
		from = max_t(unsigned long, page, vma->first);
		to = min_t(unsigned long, page + (size >> PAGE_SHIFT), vma->first + vma->pages);
		f.pfn = (ggtt->aperture.start + igen_vma_start(vma)) / PAGE_SIZE + from - vma->first;
		err = apply_to_page_range(area->vm_mm, start + ((from - page) << PAGE_SHIFT), (to - from) << PAGE_SHIFT,
					  mmap_fill_pte, &f);
	}
	mutex_unlock(&ggtt->vm.mutex);
	igen_fence_map_end(idx);

out_unpin:
	igen_vma_unpin(vma);
	igen_vma_put(vma);
	return err;
}

static vm_fault_t mmap_fault_code(int err)
{
	switch (err) {
	case 0:
	case -EAGAIN:
	case -EINTR:
	case -ERESTARTSYS:
	case -EBUSY:
		/* The kernel handles signals on the way back to userspace. Then the access faults again. */
		return VM_FAULT_NOPAGE;
	case -ENOMEM:
		return VM_FAULT_OOM;
	default:
		return VM_FAULT_SIGBUS;
	}
}

/* Would the CPU miss, through the aperture, what the GPU finds in the CPU's caches? An import's lines are flushed. */
static bool mmap_is_incoherent(const struct igen_mmap_offset *mmo)
{
	const struct igen_bo *bo = mmo->bo;

	return mmo->type == IGEN_MMAP_GTT && igen_bo_is_coherent(bo) && !bo->ops->copy &&
	       !to_igen(bo->base.dev)->platform->objects_snooped;
}

static vm_fault_t mmap_fault(struct vm_fault *vmf)
{
	struct igen_mmap_offset *mmo = vmf->vma->vm_private_data;
	struct igen_bo *bo = mmo->bo;
	int err, idx;

	trace_i915_gem_object_fault(mmo, vmf);
	if (dma_resv_lock_interruptible(bo->base.resv, NULL))
		return VM_FAULT_NOPAGE;

	err = igen_bo_pin_pages(bo);
	/* For VM_FAULT_OOM the kernel would retry the fault for ever. */
	if (err == -ENOMEM && !igen_shmem_has_room(bo))
		err = -ENOSPC;
	if (err)
		goto out_unlock;

	if (mmap_is_incoherent(mmo)) {
		err = -EFAULT;
	} else if (!bo->ops->copy && !(mmo->type == IGEN_MMAP_GTT && bo->tiling)) {
		err = mmap_fill_pages(vmf, mmo);
		if (mmo->type == IGEN_MMAP_WB)
			bo->cpu_dirty = true;
	} else if (drm_dev_enter(bo->base.dev, &idx)) {
		err = igen_rpm_get(to_igen(bo->base.dev));
		if (!err) {
			if (bo->ops->copy)
				igen_bo_flush_cpu(bo);
			err = mmap_fill_aperture(vmf, mmo);
			/*
			 * Keeps the device awake for a moment: going to sleep zaps the mapping, perhaps before the
			 * access.
			 */
			igen_rpm_put_later(to_igen(bo->base.dev));
		}
		drm_dev_exit(idx);
	} else {
		err = -ENODEV;
	}

	igen_bo_unpin_pages(bo);
out_unlock:
	igen_bo_unlock(bo);
	return mmap_fault_code(err);
}

/* As a debugger sees an object; locked. */
static int mmap_peek(struct igen_bo *bo, u64 offset, void *buf, int len, bool write)
{
	bool flush;
	char *map;
	int err;

	err = igen_bo_pin_pages(bo);
	if (err)
		return err;
	if (bo->ops->copy) {
		err = bo->ops->copy(bo, offset, buf, len, write);
		goto out_unpin;
	}
	map = igen_bo_vmap(bo);
	if (IS_ERR(map)) {
		err = PTR_ERR(map);
		goto out_unpin;
	}
	/* The GPU, and perhaps the process's mapping, writes and reads such memory past the CPU's caches. */
	flush = !igen_bo_is_coherent(bo);
	if (flush)
		drm_clflush_virt_range(map + offset, len);
	if (write)
		memcpy(map + offset, buf, len);
	else
		memcpy(buf, map + offset, len);
	if (flush && write)
		drm_clflush_virt_range(map + offset, len);
	igen_bo_vunmap(bo);
out_unpin:
	igen_bo_unpin_pages(bo);
	return err;
}

/* For debuggers. */
static int mmap_access(struct vm_area_struct *area, unsigned long addr, void *buf, int len, int write)
{
	struct igen_mmap_offset *mmo = area->vm_private_data;
	struct igen_bo *bo = mmo->bo;
	u64 offset;
	int err;

	if (write && bo->read_only)
		return -EACCES;

	offset = ((u64)(area->vm_pgoff - drm_vma_node_start(&mmo->node)) << PAGE_SHIFT) + (addr - area->vm_start);
	if (len < 1 || offset >= bo->base.size || len > bo->base.size - offset)
		return -EINVAL;

	err = igen_gem_lock(bo);
	if (err)
		return err;
	err = mmap_peek(bo, offset, buf, len, write);
	igen_bo_unlock(bo);
	return err ?: len;
}

static void mmap_open(struct vm_area_struct *area)
{
	struct igen_mmap_offset *mmo = area->vm_private_data;

	igen_bo_get(mmo->bo);
}

static void mmap_close(struct vm_area_struct *area)
{
	struct igen_mmap_offset *mmo = area->vm_private_data;

	igen_bo_put(mmo->bo);
}

static const struct vm_operations_struct vm_ops = {
	.fault = mmap_fault,
	.access = mmap_access,
	.open = mmap_open,
	.close = mmap_close,
};

static int mmap_anon_release(struct inode *inode, struct file *file)
{
	struct igen_device *igen = file->private_data;

	drm_dev_put(&igen->drm);
	return 0;
}

static const struct file_operations anon_fops = {
	.owner = THIS_MODULE,
	.release = mmap_anon_release,
};

/*
 * The file that mappings of objects hold instead of the client's own file. Otherwise a mapping would keep the client's
 * file, its contexts and their requests, however long ago the client closed the file. Both files share one address
 * space.
 */
static struct file *mmap_anon_file(struct igen_file *priv)
{
	struct file *file = READ_ONCE(priv->mmap_file), *old;

	if (file)
		return file;

	file = anon_inode_getfile("igen.gem", &anon_fops, priv->igen, O_RDWR);
	if (IS_ERR(file))
		return file;
	drm_dev_get(&priv->igen->drm);
	file->f_mapping = priv->igen->drm.anon_inode->i_mapping;

	old = cmpxchg(&priv->mmap_file, NULL, file);
	if (old) {
		fput(file);
		file = old;
	}
	return file;
}

/* Finds the place of a mapping; its object is counted, the place stays with the object. ERR_PTR as igen_gem_mmap(). */
static struct igen_mmap_offset *mmap_lookup(struct drm_file *file, struct vm_area_struct *area)
{
	struct drm_vma_offset_manager *manager = file->minor->dev->vma_offset_manager;
	struct igen_mmap_offset *mmo = NULL;
	struct drm_vma_offset_node *node;

	drm_vma_offset_lock_lookup(manager);
	node = drm_vma_offset_lookup_locked(manager, area->vm_pgoff, vma_pages(area));
	if (node) {
		/*
		 * An offset leaves the manager before it is freed, so with the lookup lock held it is valid. Its object
		 * may already have lost its last reference.
		 */
		mmo = container_of(node, struct igen_mmap_offset, node);
		if (!kref_get_unless_zero(&mmo->bo->base.refcount))
			mmo = NULL;
	}
	drm_vma_offset_unlock_lookup(manager);
	/*
	 * The reference comes first. Closing the handle ends the permission and then looks for references: it has to
	 * see this one if the file was still allowed to map the object (igen_bo_cache_put()).
	 */
	if (mmo && !drm_vma_node_is_allowed(&mmo->node, file)) {
		igen_bo_put(mmo->bo);
		mmo = NULL;
	}
	return mmo ?: ERR_PTR(node ? -EACCES : -EINVAL);
}

static int mmap_leave_pte(pte_t *pte, unsigned long addr, void *data)
{
	return 0;
}

/*
 * Makes the page table with the start of a mapping. The kernel makes one before it calls mmap_fault() if there is none
 * (__do_fault()), which it gives to its own helpers only: apply_to_page_range() would make a second one, and the first
 * one would be freed unused, after all of both was cleared. Where memory is short for it, the fault makes two.
 */
static void mmap_make_table(struct vm_area_struct *area)
{
	apply_to_page_range(area->vm_mm, area->vm_start, PAGE_SIZE, mmap_leave_pte, NULL);
}

/**
 * igen_gem_mmap - file_operations.mmap
 * @filp: the device file
 * @area: the mapping: one object or a part of it, from the offset that an ioctl gave
 *
 * Return: 0, -EINVAL when there is no such object, -EACCES when the file has no handle of it, -ENODEV.
 */
int igen_gem_mmap(struct file *filp, struct vm_area_struct *area)
{
	struct drm_file *file = filp->private_data;
	struct igen_mmap_offset *mmo;
	struct file *anon;

	if (drm_dev_is_unplugged(file->minor->dev))
		return -ENODEV;

	mmo = mmap_lookup(file, area);
	if (IS_ERR(mmo))
		return PTR_ERR(mmo);

	if (mmo->bo->read_only) {
		if (area->vm_flags & VM_WRITE) {
			igen_bo_put(mmo->bo);
			return -EINVAL;
		}
		igen_vm_flags_mod(area, 0, VM_MAYWRITE);
	}

	anon = mmap_anon_file(to_igen_file(file));
	if (IS_ERR(anon)) {
		igen_bo_put(mmo->bo);
		return PTR_ERR(anon);
	}
	vma_set_file(area, anon);

	igen_vm_flags_mod(area, VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | VM_IO, 0);
	area->vm_private_data = mmo;
	area->vm_ops = &vm_ops;
	area->vm_page_prot = vm_get_page_prot(area->vm_flags);
	switch (mmo->type) {
	case IGEN_MMAP_WB:
		break;
	case IGEN_MMAP_UC:
		area->vm_page_prot = pgprot_noncached(area->vm_page_prot);
		break;
	default:
		area->vm_page_prot = pgprot_writecombine(area->vm_page_prot);
		break;
	}
	area->vm_page_prot = pgprot_decrypted(area->vm_page_prot);
	mmap_make_table(area);
	return 0;
}
