// SPDX-License-Identifier: MIT
/**
 * DOC: PRIME
 *
 * An object leaves as a dma-buf whose pages are pinned while somebody is attached. What comes in from
 * another driver becomes an object whose pages are that buffer's mapping, and which shares its reservation, so
 * that fences of either side are waited for. Coming home, a buffer is the object that it was.
 */
#include <drm/drm_drv.h>
#include <drm/drm_prime.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/iosys-map.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "../mm/igen_bo.h"
#include "igen_gem.h"
#include "igen_uapi.h"

#ifdef IGEN_IMPORT_NS_STRING
MODULE_IMPORT_NS("DMA_BUF");
#else
MODULE_IMPORT_NS(DMA_BUF);
#endif

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
	if (!err && !bo->page_list) {
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
#ifdef IGEN_DMA_BUF_VMAP_LOCKED
	dma_resv_assert_held(bo->base.resv);
	return 0;
#else
	return igen_bo_lock(bo);
#endif
}

static void buf_unlock(struct igen_bo *bo)
{
#ifndef IGEN_DMA_BUF_VMAP_LOCKED
	igen_bo_unlock(bo);
#endif
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
	err = call_mmap(bo->base.filp, area);
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

static int import_get_pages(struct igen_bo *bo)
{
	struct sg_table *pages;

	pages = dma_buf_map_attachment(bo->base.import_attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(pages))
		return PTR_ERR(pages);
	igen_bo_set_pages(bo, pages);
	return 0;
}

static void import_put_pages(struct igen_bo *bo)
{
	dma_buf_unmap_attachment(bo->base.import_attach, bo->pages, DMA_BIDIRECTIONAL);
	bo->pages = NULL;
}

static void *import_vmap(struct igen_bo *bo)
{
	struct dma_buf *buf = bo->base.import_attach->dmabuf;
	struct iosys_map map;
	int err;

	err = dma_buf_vmap(buf, &map);
	if (err)
		return ERR_PTR(err);
	if (map.is_iomem) {
		dma_buf_vunmap(buf, &map);
		return ERR_PTR(-EINVAL);
	}
	return map.vaddr;
}

static void import_vunmap(struct igen_bo *bo)
{
	struct iosys_map map = IOSYS_MAP_INIT_VADDR(bo->vaddr);

	dma_buf_vunmap(bo->base.import_attach->dmabuf, &map);
}

static void import_release(struct igen_bo *bo)
{
	struct dma_buf_attachment *attach = bo->base.import_attach;
	struct dma_buf *buf = attach->dmabuf;

	/* The reservation is the buffer's: let go of it before the buffer. */
	bo->base.resv = &bo->base._resv;
	bo->base.import_attach = NULL;
	dma_buf_detach(buf, attach);
	dma_buf_put(buf);
}

static const struct igen_bo_ops import_ops = {
	.name = "dmabuf",
	.get_pages = import_get_pages,
	.put_pages = import_put_pages,
	.vmap = import_vmap,
	.vunmap = import_vunmap,
	.release = import_release,
};

/**
 * igen_gem_prime_import - drm_driver.gem_prime_import
 * @drm: the DRM device
 * @buf: somebody's buffer, or our own
 *
 * Return: the object with a reference, -EINVAL, -E2BIG, -ENOMEM, or what attaching fails with.
 */
struct drm_gem_object *igen_gem_prime_import(struct drm_device *drm, struct dma_buf *buf)
{
	struct dma_buf_attachment *attach;
	struct igen_bo *bo;

	if (buf->ops == &buf_ops) {
		bo = buf_to_bo(buf);
		if (bo->base.dev == drm) {
			/* Its reference keeps the object, and the object needs no buffer. */
			drm_gem_object_get(&bo->base);
			return &bo->base;
		}
	}

	attach = dma_buf_attach(buf, drm->dev);
	if (IS_ERR(attach))
		return ERR_CAST(attach);

	bo = igen_bo_alloc(to_igen(drm), &import_ops, buf->size);
	if (IS_ERR(bo)) {
		dma_buf_detach(buf, attach);
		return ERR_CAST(bo);
	}
	get_dma_buf(buf);
	bo->base.import_attach = attach;
	bo->base.resv = buf->resv;
	bo->read_domains = I915_GEM_DOMAIN_GTT;
	return &bo->base;
}
