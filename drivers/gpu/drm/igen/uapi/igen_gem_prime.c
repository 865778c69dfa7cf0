// SPDX-License-Identifier: MIT
/**
 * DOC: PRIME
 *
 * Export: an object becomes a dma-buf. Its pages are pinned while another device is attached to the buffer.
 *
 * Import: a buffer of another driver becomes an object. The object's pages are the mapping of that buffer. The object
 * shares the buffer's reservation, so each driver waits for the fences of the other one. Importing a buffer that this
 * device has exported gives the original object.
 *
 * The CPU reads and writes an import through the aperture. The exporter's own way to map the buffer may take the lock
 * of the reservation, which is the object's lock.
 *
 * The GPU snoops the CPU's caches when it accesses an import. The aperture does not, on a part that shares no cache
 * with the CPU. There the driver flushes all caches before the first access through the aperture since the buffer was
 * mapped (as stock i915 does when it maps the buffer): the buffer may have no struct pages, whose lines could be
 * flushed. It does not do so for each access, since that would stop all CPUs as often as a client likes. What the
 * exporter or its clients write through the caches later is seen through the aperture once the caches have written it
 * back.
 *
 * When the device goes, the driver detaches from imported buffers. Exported buffers stay as they are: they are memory,
 * which each importer has mapped for itself.
 */
#include <drm/drm_drv.h>
#include <drm/drm_prime.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/iosys-map.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wait_bit.h>

#include <asm/smp.h>

#include "../igen_compat.h"
#include "../igen_device.h"
#include "../mm/igen_bo.h"
#include "../mm/igen_budget.h"
#include "igen_gem.h"
#include "igen_uapi.h"

IGEN_IMPORT_NS(DMA_BUF);

/* How often it is looked whether a buffer's lock is free. */
#define DETACH_INTERVAL msecs_to_jiffies(10)

/* Exporting */

static struct igen_bo *buf_to_bo(struct dma_buf *buf)
{
	return to_igen_bo(buf->priv);
}

static int buf_attach(struct dma_buf *buf, struct dma_buf_attachment *attach)
{
	struct igen_bo *bo = buf_to_bo(buf);
	int err;

	err = igen_bo_pin_pages_unlocked(bo);
	if (!err && bo->ops->copy) {
		igen_bo_unpin_pages_unlocked(bo);
		err = -EOPNOTSUPP;
	}
	return err;
}

static void buf_detach(struct dma_buf *buf, struct dma_buf_attachment *attach)
{
	igen_bo_unpin_pages_unlocked(buf_to_bo(buf));
}

static struct sg_table *buf_map(struct dma_buf_attachment *attach, enum dma_data_direction dir)
{
	struct igen_bo *bo = buf_to_bo(attach->dmabuf);
	struct sg_table *pages;
	int err;

	pages = drm_prime_pages_to_sg(bo->base.dev, bo->page_list, bo->base.size >> PAGE_SHIFT);
	if (IS_ERR(pages))
		return pages;

	err = dma_map_sgtable(attach->dev, pages, dir, DMA_ATTR_SKIP_CPU_SYNC);
	if (err) {
		sg_free_table(pages);
		kfree(pages);
		return ERR_PTR(err);
	}
	return pages;
}

static void buf_unmap(struct dma_buf_attachment *attach, struct sg_table *pages, enum dma_data_direction dir)
{
	dma_unmap_sgtable(attach->dev, pages, dir, DMA_ATTR_SKIP_CPU_SYNC);
	sg_free_table(pages);
	kfree(pages);
}

/* Whether the caller has the buffer's lock changed between kernels. */
static int buf_lock(struct igen_bo *bo)
{
	if (!IGEN_DMA_BUF_VMAP_LOCKED)
		return igen_bo_lock(bo);
	dma_resv_assert_held(bo->base.resv);
	return 0;
}

static void buf_unlock(struct igen_bo *bo)
{
	if (!IGEN_DMA_BUF_VMAP_LOCKED)
		igen_bo_unlock(bo);
}

static int buf_vmap(struct dma_buf *buf, struct iosys_map *map)
{
	struct igen_bo *bo = buf_to_bo(buf);
	void *vaddr;
	int err;

	err = buf_lock(bo);
	if (err)
		return err;
	vaddr = igen_bo_vmap(bo);
	buf_unlock(bo);
	if (IS_ERR(vaddr))
		return PTR_ERR(vaddr);
	iosys_map_set_vaddr(map, vaddr);
	return 0;
}

static void buf_vunmap(struct dma_buf *buf, struct iosys_map *map)
{
	struct igen_bo *bo = buf_to_bo(buf);

	if (!buf_lock(bo)) {
		igen_bo_vunmap(bo);
		buf_unlock(bo);
	}
}

static int buf_mmap(struct dma_buf *buf, struct vm_area_struct *area)
{
	struct igen_bo *bo = buf_to_bo(buf);
	int err;

	if (bo->base.size < area->vm_end - area->vm_start)
		return -EINVAL;
	if (!bo->base.filp)
		return -ENODEV;
	err = igen_vfs_mmap(bo->base.filp, area);
	if (!err)
		vma_set_file(area, bo->base.filp);
	return err;
}

static int buf_begin_cpu_access(struct dma_buf *buf, enum dma_data_direction dir)
{
	struct igen_bo *bo = buf_to_bo(buf);
	int err;

	err = igen_gem_lock(bo);
	if (err)
		return err;
	err = igen_bo_pin_pages(bo);
	if (!err) {
		err = igen_gem_prepare_cpu(bo, dir == DMA_BIDIRECTIONAL || dir == DMA_TO_DEVICE);
		igen_bo_unpin_pages(bo);
	}
	igen_bo_unlock(bo);
	return err;
}

static int buf_end_cpu_access(struct dma_buf *buf, enum dma_data_direction dir)
{
	struct igen_bo *bo = buf_to_bo(buf);
	int err;

	err = igen_gem_lock(bo);
	if (err)
		return err;
	if (bo->pages)
		igen_bo_prepare_gpu(bo);
	/* A client that writes the object again has to set the domain again. */
	bo->write_domain &= ~I915_GEM_DOMAIN_CPU;
	igen_bo_unlock(bo);
	return 0;
}

static const struct dma_buf_ops buf_ops = {
	.attach = buf_attach,
	.detach = buf_detach,
	.map_dma_buf = buf_map,
	.unmap_dma_buf = buf_unmap,
	.release = drm_gem_dmabuf_release,
	.mmap = buf_mmap,
	.vmap = buf_vmap,
	.vunmap = buf_vunmap,
	.begin_cpu_access = buf_begin_cpu_access,
	.end_cpu_access = buf_end_cpu_access,
};

/**
 * igen_gem_prime_export - drm_gem_object_funcs.export
 * @obj: the object
 * @flags: of the file
 *
 * Return: the dma-buf, -EINVAL for user memory, -ENOMEM.
 */
struct dma_buf *igen_gem_prime_export(struct drm_gem_object *obj, int flags)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);

	if (igen_gem_is_userptr(to_igen_bo(obj)))
		return ERR_PTR(-EINVAL);

	info.ops = &buf_ops;
	info.size = obj->size;
	info.flags = flags;
	info.priv = obj;
	info.resv = obj->resv;
	return drm_gem_dmabuf_export(obj->dev, &info);
}

/* Importing */

/**
 * struct igen_import - the provider's state
 */
struct igen_import {
	/** @link: in igen_mm.imports while it is attached, under igen_mm.dma_lock */
	struct list_head link;
	/** @free_node: in igen_mm.released_imports */
	struct llist_node free_node;
	/** @bo: the object, or NULL when it was freed; changes under igen_mm.dma_lock */
	struct igen_bo *bo;
	/** @buf: the buffer, counted */
	struct dma_buf *buf;
	/** @attach: the device's attachment to the buffer, or NULL when the device has gone; under resv */
	struct dma_buf_attachment *attach;
	/** @flushed: the CPU's caches were flushed since the buffer was mapped, or need not be; pages pinned */
	bool flushed;
};

static struct igen_import *to_import(const struct igen_bo *bo)
{
	return bo->provider;
}

/* Translations take whole pages, as many as the object has: more would go past its place in an address space. */
static bool import_fits(const struct igen_bo *bo, struct sg_table *pages)
{
	struct scatterlist *sg;
	unsigned int i;
	u64 bytes = 0;

	for_each_sgtable_dma_sg(pages, sg, i) {
		if (!PAGE_ALIGNED(sg_dma_address(sg) | sg_dma_len(sg)))
			return false;
		bytes += sg_dma_len(sg);
	}
	return bytes == bo->base.size;
}

static int import_get_pages(struct igen_bo *bo)
{
	struct igen_import *import = to_import(bo);
	struct sg_table *pages;

	if (!import->attach)
		return -ENODEV;
	pages = dma_buf_map_attachment(import->attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(pages))
		return PTR_ERR(pages);
	if (!import_fits(bo, pages)) {
		drm_dbg(bo->base.dev, "the pages of an imported buffer of %zu bytes are not whole, or not as many\n",
			bo->base.size);
		dma_buf_unmap_attachment(import->attach, pages, DMA_BIDIRECTIONAL);
		return -EINVAL;
	}
	igen_bo_set_pages(bo, pages);
	import->flushed = to_igen(bo->base.dev)->platform->objects_snooped;
	bo->cpu_dirty = true;
	return 0;
}

static void import_flush(struct igen_bo *bo)
{
	struct igen_import *import = to_import(bo);

	if (READ_ONCE(import->flushed))
		return;
	wbinvd_on_all_cpus();
	WRITE_ONCE(import->flushed, true);
}

static int import_copy(struct igen_bo *bo, u64 offset, void *data, size_t size, bool write)
{
	import_flush(bo);
	return igen_ggtt_copy(bo, offset, data, size, write);
}

static void import_put_pages(struct igen_bo *bo)
{
	dma_buf_unmap_attachment(to_import(bo)->attach, bo->pages, DMA_BIDIRECTIONAL);
	bo->pages = NULL;
}

/*
 * Detaches from the buffer, so that its driver unmaps it for this device. The object keeps its reference to the buffer,
 * since both share the buffer's reservation. The caller holds no locks.
 */
static void import_detach(struct igen_import *import)
{
	struct dma_buf_attachment *attach;
	struct igen_bo *bo = import->bo;

	igen_bo_lock(bo);
	/* The object may still be bound or pinned. The device has gone, so the GPU uses none of its pages. */
	if (bo->pages)
		import_put_pages(bo);
	attach = import->attach;
	import->attach = NULL;
	bo->base.import_attach = NULL;
	igen_bo_unlock(bo);
	if (attach)
		dma_buf_detach(import->buf, attach);
}

/* Nothing is locked. */
static void import_free(struct igen_mm *mm, struct igen_import *import)
{
	if (import->attach)
		dma_buf_detach(import->buf, import->attach);
	spin_lock(&mm->dma_lock);
	list_del(&import->link);
	spin_unlock(&mm->dma_lock);
	wake_up_var(&mm->imports);
	dma_buf_put(import->buf);
	kfree(import);
}

/*
 * dma_buf_detach() takes the buffer's lock, with which another client may wait for its own batches. So it is left for
 * later while that is locked; and should it be locked just then, nothing but other imports waits for that.
 */
static void import_detach_work(struct work_struct *work)
{
	struct igen_mm *mm = container_of(work, struct igen_mm, detach_work.work);
	struct igen_device *igen = container_of(mm, struct igen_device, mm);
	struct llist_node *list = llist_del_all(&mm->released_imports);
	struct igen_import *import, *next;
	bool all = true;

	llist_for_each_entry_safe(import, next, list, free_node) {
		if (dma_resv_is_locked(import->buf->resv)) {
			llist_add(&import->free_node, &mm->released_imports);
			all = false;
		} else {
			import_free(mm, import);
		}
		cond_resched();
	}
	if (!all)
		queue_delayed_work(igen->wq, &mm->detach_work, DETACH_INTERVAL);
}

static void import_release(struct igen_bo *bo)
{
	struct igen_device *igen = to_igen(bo->base.dev);
	struct igen_import *import = to_import(bo);
	struct igen_mm *mm = &igen->mm;

	if (!import)
		return;
	/* The object has no references. Its reservation is the buffer's, so it is dropped before the buffer. */
	bo->base.import_attach = NULL;
	bo->base.resv = &bo->base._resv;
	spin_lock(&mm->dma_lock);
	import->bo = NULL;
	spin_unlock(&mm->dma_lock);

	/* The caller may have locks with which one does not wait for the buffer's. */
	if (!import->attach)
		import_free(mm, import);
	else if (llist_add(&import->free_node, &mm->released_imports))
		queue_delayed_work(igen->wq, &mm->detach_work, 0);
}

static const struct igen_bo_ops import_ops = {
	.name = "dmabuf",
	.foreign_mapping = true,
	.flush_foreign = import_flush,
	.copy = import_copy,
	.mmap_types = BIT(IGEN_MMAP_GTT),
	.not_captured = "its pages are another device's",
	.get_pages = import_get_pages,
	.put_pages = import_put_pages,
	.release = import_release,
};

static struct igen_bo *import_create(struct igen_device *igen, struct dma_buf *buf)
{
	struct igen_import *import;
	struct igen_bo *bo;
	int err;

	bo = igen_bo_alloc(igen, &import_ops, buf->size);
	if (IS_ERR(bo))
		return bo;

	err = -ENOMEM;
	import = kzalloc(sizeof(*import), IGEN_GFP_CLIENT);
	if (!import)
		goto err_put;
	import->bo = bo;
	import->buf = buf;
	import->attach = dma_buf_attach(buf, igen->drm.dev);
	if (IS_ERR(import->attach)) {
		err = PTR_ERR(import->attach);
		kfree(import);
		goto err_put;
	}

	get_dma_buf(buf);
	bo->provider = import;
	bo->base.import_attach = import->attach;
	bo->base.resv = buf->resv;
	bo->read_domains = I915_GEM_DOMAIN_GTT;
	spin_lock(&igen->mm.dma_lock);
	list_add_tail(&import->link, &igen->mm.imports);
	spin_unlock(&igen->mm.dma_lock);
	return bo;

err_put:
	igen_bo_put(bo);
	return ERR_PTR(err);
}

/**
 * igen_gem_prime_import - drm_driver.gem_prime_import
 * @drm: the DRM device
 * @buf: a buffer of another driver or of this one
 *
 * Return: the object with a reference, -EINVAL, -E2BIG, -ENOMEM, -ENODEV, or what attaching fails with.
 */
struct drm_gem_object *igen_gem_prime_import(struct drm_device *drm, struct dma_buf *buf)
{
	struct igen_bo *bo;
	int idx;

	if (buf->ops == &buf_ops) {
		bo = buf_to_bo(buf);
		if (bo->base.dev == drm) {
			/* The buffer's reference keeps the object until this one is taken. */
			drm_gem_object_get(&bo->base);
			return &bo->base;
		}
	}

	/* In a drm_dev_enter() section, so that igen_gem_imports_revoke() finds every import. */
	if (!drm_dev_enter(drm, &idx))
		return ERR_PTR(-ENODEV);
	bo = import_create(to_igen(drm), buf);
	drm_dev_exit(idx);
	return IS_ERR(bo) ? ERR_CAST(bo) : &bo->base;
}

/**
 * igen_gem_prime_fd_to_handle - drm_driver.prime_fd_to_handle
 * @drm: the DRM device
 * @file: the importing file, to whose client the object is charged
 * @fd: the buffer
 * @handle: the object's handle
 *
 * Return: 0, -ENOMEM when the client has used up its share, or the error of drm_gem_prime_fd_to_handle(). May sleep.
 */
int igen_gem_prime_fd_to_handle(struct drm_device *drm, struct drm_file *file, int fd, u32 *handle)
{
	struct igen_budget *budget = to_igen_file(file)->client->budget;
	size_t bytes = igen_bo_charged_bytes(false);
	struct igen_bo *bo;
	int err;

	/* Another thread can use the handle as soon as DRM has made it, so a refusal has to come before that. */
	err = igen_budget_charge_room(to_igen(drm), budget, bytes);
	if (err)
		return err;
	err = drm_gem_prime_fd_to_handle(drm, file, fd, handle);
	bo = err ? NULL : igen_gem_lookup(file, *handle);
	/* The object may be this device's own, or imported by this file before. Then it has been charged already. */
	if (!bo || bo->ops != &import_ops || cmpxchg(&bo->budget, NULL, budget))
		igen_budget_uncharge(budget, bytes);
	if (bo)
		igen_bo_put(bo);
	return err;
}

/* The next import that is attached, with a reference to its object, off the list; or NULL. */
static struct igen_import *import_next(struct igen_mm *mm)
{
	struct igen_import *import, *found = NULL;

	spin_lock(&mm->dma_lock);
	list_for_each_entry(import, &mm->imports, link) {
		/* If the object has no reference the import is being released; without an object it was released. */
		if (import->bo && kref_get_unless_zero(&import->bo->base.refcount)) {
			list_del_init(&import->link);
			found = import;
			break;
		}
	}
	spin_unlock(&mm->dma_lock);
	return found;
}

static bool import_none_left(struct igen_mm *mm)
{
	bool none;

	spin_lock(&mm->dma_lock);
	none = list_empty(&mm->imports);
	spin_unlock(&mm->dma_lock);
	return none;
}

/**
 * igen_gem_imports_init - objects may be imported from now on
 * @igen: the device, being probed; there are no objects yet
 */
void igen_gem_imports_init(struct igen_device *igen)
{
	init_llist_head(&igen->mm.released_imports);
	INIT_DELAYED_WORK(&igen->mm.detach_work, import_detach_work);
}

/**
 * igen_gem_imports_revoke - detach from all imported buffers
 * @igen: the device, unplugged and stopped
 *
 * The objects stay, without pages. Waits for objects that are being freed; their last batches are over. Another
 * device's client may have the lock of a buffer for as long as a batch of its own takes.
 *
 * Context: may sleep.
 */
void igen_gem_imports_revoke(struct igen_device *igen)
{
	struct igen_mm *mm = &igen->mm;
	struct igen_import *import;

	while ((import = import_next(mm))) {
		import_detach(import);
		igen_bo_put(import->bo);
	}
	wait_var_event(&mm->imports, import_none_left(mm));
	/* The worker that has freed the last one may still run. */
	cancel_delayed_work_sync(&mm->detach_work);
}
