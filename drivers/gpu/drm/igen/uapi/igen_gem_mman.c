// SPDX-License-Identifier: MIT
/**
 * DOC: Mapping objects
 *
 * Each object has, for each way of caching, its own offset in the device file, made when first asked for. A
 * mapping is filled by faults, a window at a time; unbinding, moving, or taking pages zaps it, and it faults again. The
 * entries are written directly, since the helpers for single frames look up how the kernel maps the page and would
 * turn write-combining into write-back.
 *
 * I915_MMAP_OFFSET_GTT means "as through the aperture". That needs the aperture only where it does something: a tiled
 * object is detiled by a fence register there. What is linear has its pages mapped write-combining instead, as large as
 * it likes. Objects without pages of their own (imports) go through the aperture as well. One that would take too much
 * of the aperture goes through it in parts of whole rows of tiles, with a fence register each.
 *
 * Locks: the object, then the GGTT's mutex, under which aperture mappings are made, so that whoever moves an object or
 * takes its fence register finds all of them.
 */
#include <drm/drm_drv.h>
#include <drm/drm_vma_manager.h>
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/mman.h>
#include <linux/overflow.h>
#include <linux/sizes.h>

#include "../igen_device.h"
#include "../mm/igen_bo.h"
#include "../mm/igen_fence_reg.h"
#include "../mm/igen_ggtt.h"
#include "igen_gem.h"
#include "igen_uapi.h"

/* Bytes that a fault maps at most, aligned by as much. */
#define FAULT_WINDOW SZ_512K

/* Bytes of a part of an object in the aperture, but for what makes its rows of tiles whole. */
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

/* The object's node of a type, made if there is none, and open to file. */
static struct igen_mmap_offset *attach(struct igen_bo *bo, enum igen_mmap_type type, struct drm_file *file)
{
	struct drm_vma_offset_manager *manager = bo->base.dev->vma_offset_manager;
	struct igen_mmap_offset *mmo = READ_ONCE(bo->mmap[type]), *new;
	int err;

	if (!mmo) {
		new = kzalloc(sizeof(*new), GFP_KERNEL);
		if (!new)
			return ERR_PTR(-ENOMEM);
		new->bo = bo;
		new->type = type;
		drm_vma_node_reset(&new->node);
		err = drm_vma_offset_add(manager, &new->node, bo->base.size >> PAGE_SHIFT);
		if (err == -ENOSPC) {
			/* Objects that wait for being freed have offsets, too. */
			igen_mm_flush(to_igen(bo->base.dev));
			err = drm_vma_offset_add(manager, &new->node, bo->base.size >> PAGE_SHIFT);
		}
		if (err) {
			kfree(new);
			return ERR_PTR(err);
		}

		spin_lock(&bo->vma_lock);
		mmo = bo->mmap[type];
		if (!mmo) {
			mmo = new;
			/* Paired with the dependent reads of those who find it without the lock. */
			smp_store_release(&bo->mmap[type], new);
			new = NULL;
		}
		spin_unlock(&bo->vma_lock);
		if (new) {
			drm_vma_offset_remove(manager, &new->node);
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

	/* FIXED is for memory whose caching is nobody's choice; there is none here. */
	if (type == IGEN_MMAP_FIXED || igen_gem_is_userptr(bo) || (type != IGEN_MMAP_GTT && igen_gem_is_import(bo))) {
		err = -ENODEV;
		goto out;
	}

	mmo = attach(bo, type, file);
	if (IS_ERR(mmo)) {
		err = PTR_ERR(mmo);
		goto out;
	}
	*offset = drm_vma_node_offset_addr(&mmo->node);

	/* Who closed the handle meanwhile may have revoked what was not allowed yet, and nobody would do so later. */
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
 * Return: 0, -EINVAL, -ENOENT, -ENODEV for a way that the object can't be mapped, -ENOMEM.
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
 * igen_gem_mmap_revoke - a file may map an object no more
 * @bo: the object
 * @file: the file, whose handle goes
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

static int fill_pte(pte_t *pte, unsigned long addr, void *data)
{
	struct fill *f = data;

	if (f->page)
		f->pfn = page_to_pfn(*f->page++);
	/* A fault at the same time may have been here before. */
	if (pte_none(*pte))
		set_pte_at(f->mm, addr, pte, pte_mkspecial(pfn_pte(f->pfn, f->prot)));
	f->pfn++;
	return 0;
}

/* The part of a mapping that a fault fills: its first page in the object, and bytes. */
static unsigned long window(struct vm_fault *vmf, pgoff_t first, unsigned long *start, unsigned long *size)
{
	struct vm_area_struct *area = vmf->vma;
	unsigned long addr = ALIGN_DOWN(vmf->address, FAULT_WINDOW);
	unsigned long end = min(addr + FAULT_WINDOW, area->vm_end);

	*start = max(addr, area->vm_start);
	*size = end - *start;
	return area->vm_pgoff - first + ((*start - area->vm_start) >> PAGE_SHIFT);
}

static int fill_pages(struct vm_fault *vmf, const struct igen_mmap_offset *mmo)
{
	struct vm_area_struct *area = vmf->vma;
	struct fill f = { .mm = area->vm_mm, .prot = area->vm_page_prot };
	unsigned long start, size;

	f.page = mmo->bo->page_list + window(vmf, drm_vma_node_start(&mmo->node), &start, &size);
	return apply_to_page_range(area->vm_mm, start, size, fill_pte, &f);
}

/* Bytes of a row of tiles; a fence's range has whole ones. */
static u64 row_size(const struct igen_bo *bo)
{
	return bo->tiling ? PAGE_ALIGN((u64)bo->stride * (bo->tiling == I915_TILING_Y ? 32 : 8)) : PAGE_SIZE;
}

/*
 * The VMA through which a page of the object is seen in the aperture, pinned there: of the whole object when that fits
 * well, else of the part that the page is in.
 */
static struct igen_vma *pin_aperture(struct igen_bo *bo, unsigned long page)
{
	struct igen_ggtt *ggtt = &to_igen(bo->base.dev)->ggtt;
	u64 row = row_size(bo), whole = roundup(bo->base.size, row), size = whole;
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
		vma = igen_vma_lookup_part(bo, first, pages);
		if (IS_ERR(vma))
			return vma;

		err = igen_vma_pin(vma, size, 0, IGEN_PIN_MAPPABLE);
		if (!err)
			return vma;
		igen_vma_put(vma);
		/* A part may find room where the whole would have to wait for others' locks. */
		if ((err != -ENOSPC && err != -EAGAIN) || part)
			return ERR_PTR(err);
		part = true;
	}
}

static int fill_aperture(struct vm_fault *vmf, const struct igen_mmap_offset *mmo)
{
	struct igen_bo *bo = mmo->bo;
	struct igen_ggtt *ggtt = &to_igen(bo->base.dev)->ggtt;
	struct vm_area_struct *area = vmf->vma;
	struct fill f = { .mm = area->vm_mm, .prot = area->vm_page_prot };
	unsigned long start, size, page, from, to;
	struct igen_vma *vma;
	int idx, err = 0;

	page = window(vmf, drm_vma_node_start(&mmo->node), &start, &size);
	vma = pin_aperture(bo, page + ((vmf->address - start) >> PAGE_SHIFT));
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
					  fill_pte, &f);
	}
	mutex_unlock(&ggtt->vm.mutex);
	igen_fence_map_end(idx);

out_unpin:
	igen_vma_unpin(vma);
	igen_vma_put(vma);
	return err;
}

static vm_fault_t fault_code(int err)
{
	switch (err) {
	case 0:
	case -EAGAIN:
	case -EINTR:
	case -ERESTARTSYS:
	case -EBUSY:
		/* Signals are looked at on the way back, and whatever was in the way the next fault meets again. */
		return VM_FAULT_NOPAGE;
	case -ENOMEM:
		return VM_FAULT_OOM;
	default:
		return VM_FAULT_SIGBUS;
	}
}

static vm_fault_t fault(struct vm_fault *vmf)
{
	struct igen_mmap_offset *mmo = vmf->vma->vm_private_data;
	struct igen_bo *bo = mmo->bo;
	int err, idx;

	if (dma_resv_lock_interruptible(bo->base.resv, NULL))
		return VM_FAULT_NOPAGE;

	err = igen_bo_pin_pages(bo);
	/* The kernel would come back for ever. */
	if (err == -ENOMEM && !igen_shmem_has_room(bo))
		err = -ENOSPC;
	if (err)
		goto out_unlock;

	if (bo->page_list && !(mmo->type == IGEN_MMAP_GTT && bo->tiling)) {
		err = fill_pages(vmf, mmo);
		if (mmo->type == IGEN_MMAP_WB)
			bo->cpu_dirty = true;
	} else if (drm_dev_enter(bo->base.dev, &idx)) {
		err = igen_rpm_get(to_igen(bo->base.dev));
		if (!err) {
			err = fill_aperture(vmf, mmo);
			/* Else the device might sleep, and take the mapping away, before it is used. */
			igen_rpm_put_later(to_igen(bo->base.dev));
		}
		drm_dev_exit(idx);
	} else {
		err = -ENODEV;
	}

	igen_bo_unpin_pages(bo);
out_unlock:
	igen_bo_unlock(bo);
	return fault_code(err);
}

/* As a debugger sees an object; locked. */
static int peek(struct igen_bo *bo, u64 offset, void *buf, int len, bool write)
{
	char *map;
	int err;

	err = igen_bo_pin_pages(bo);
	if (err)
		return err;
	if (!bo->page_list) {
		err = igen_ggtt_copy(bo, offset, buf, len, write);
		goto out_unpin;
	}
	map = igen_bo_vmap(bo);
	if (IS_ERR(map)) {
		err = PTR_ERR(map);
		goto out_unpin;
	}
	if (write)
		memcpy(map + offset, buf, len);
	else
		memcpy(buf, map + offset, len);
	igen_bo_vunmap(bo);
out_unpin:
	igen_bo_unpin_pages(bo);
	return err;
}

/* For debuggers. */
static int vm_access(struct vm_area_struct *area, unsigned long addr, void *buf, int len, int write)
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
	err = peek(bo, offset, buf, len, write);
	igen_bo_unlock(bo);
	return err ?: len;
}

static void vm_open(struct vm_area_struct *area)
{
	struct igen_mmap_offset *mmo = area->vm_private_data;

	igen_bo_get(mmo->bo);
}

static void vm_close(struct vm_area_struct *area)
{
	struct igen_mmap_offset *mmo = area->vm_private_data;

	igen_bo_put(mmo->bo);
}

static const struct vm_operations_struct vm_ops = {
	.fault = fault,
	.access = vm_access,
	.open = vm_open,
	.close = vm_close,
};

static void set_flags(struct vm_area_struct *area, unsigned long set, unsigned long clear)
{
#ifdef IGEN_HAS_VM_FLAGS_SET
	vm_flags_mod(area, set, clear);
#else
	area->vm_flags = (area->vm_flags | set) & ~clear;
#endif
}

static int anon_release(struct inode *inode, struct file *file)
{
	struct igen_device *igen = file->private_data;

	drm_dev_put(&igen->drm);
	return 0;
}

static const struct file_operations anon_fops = {
	.owner = THIS_MODULE,
	.release = anon_release,
};

/*
 * What mappings of a client's objects belong to instead of its file: else the file, and with it its contexts and what
 * they run, would stay as long as something is mapped, however long ago it was closed. It shows the same address space.
 */
static struct file *anon_file(struct igen_file *priv)
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

/**
 * igen_gem_mmap - file_operations.mmap
 * @filp: the device file
 * @area: what is to be mapped: one object or a part of it, from the offset that an ioctl gave
 *
 * Return: 0, -EINVAL when there is no such object, -EACCES when the file has no handle of it, -ENODEV.
 */
int igen_gem_mmap(struct file *filp, struct vm_area_struct *area)
{
	struct drm_file *file = filp->private_data;
	struct drm_device *drm = file->minor->dev;
	struct drm_vma_offset_node *node;
	struct igen_mmap_offset *mmo;
	struct igen_bo *bo = NULL;
	struct file *anon;

	if (drm_dev_is_unplugged(drm))
		return -ENODEV;

	drm_vma_offset_lock_lookup(drm->vma_offset_manager);
	node = drm_vma_offset_lookup_locked(drm->vma_offset_manager, area->vm_pgoff, vma_pages(area));
	if (node && drm_vma_node_is_allowed(node, file)) {
		/* It leaves the manager before it is freed, so it is whole; its object may be going. */
		mmo = container_of(node, struct igen_mmap_offset, node);
		if (kref_get_unless_zero(&mmo->bo->base.refcount))
			bo = mmo->bo;
	}
	drm_vma_offset_unlock_lookup(drm->vma_offset_manager);
	if (!bo)
		return node ? -EACCES : -EINVAL;

	if (bo->read_only) {
		if (area->vm_flags & VM_WRITE) {
			igen_bo_put(bo);
			return -EINVAL;
		}
		set_flags(area, 0, VM_MAYWRITE);
	}

	anon = anon_file(to_igen_file(file));
	if (IS_ERR(anon)) {
		igen_bo_put(bo);
		return PTR_ERR(anon);
	}
	vma_set_file(area, anon);

	set_flags(area, VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | VM_IO, 0);
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
	return 0;
}
