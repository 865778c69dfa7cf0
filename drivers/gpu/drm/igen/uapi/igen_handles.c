// SPDX-License-Identifier: MIT
/**
 * DOC: Handle tables
 *
 * A context keeps, for each object handle that it has executed with, the VMA of that object in its address space: one
 * xarray lookup an object in execbuf, no allocation and no walk of the file's handle table. An entry holds its
 * VMA. It is forgotten when the handle is closed (the object's list of entries tells where it is named) or
 * when the context is, whichever comes first.
 *
 * Locks: a table is guarded by its context's handles_lock, an object's list of entries by the object's vma_lock,
 * taken inside it; an entry is linked and unlinked with both held. Whoever closes a handle goes from the object's list
 * to a table and so in the other direction: it takes a reference of the context under vma_lock, and drops that
 * lock before it takes handles_lock.
 */
#include <drm/drm_gem.h>
#include <linux/slab.h>

#include "../mm/igen_vm.h"
#include "igen_uapi.h"

static void free_all(struct list_head *gone)
{
	struct igen_lut *lut, *next;

	list_for_each_entry_safe(lut, next, gone, obj_link) {
		igen_vma_put(lut->vma);
		kfree(lut);
	}
	INIT_LIST_HEAD(gone);
}

static struct igen_lut *lut_create(struct igen_context *ctx, struct drm_file *file, struct igen_bo *bo, u32 handle)
{
	struct drm_gem_object *named;
	struct igen_lut *lut;
	int err;

	lut = kzalloc(sizeof(*lut), GFP_KERNEL);
	if (!lut)
		return ERR_PTR(-ENOMEM);

	lut->ctx = ctx;
	lut->file = file;
	lut->handle = handle;
	lut->vma = igen_vma_lookup(bo, ctx->vm);
	if (IS_ERR(lut->vma)) {
		err = PTR_ERR(lut->vma);
		goto err_free;
	}

	err = xa_err(xa_store(&ctx->handles, handle, lut, GFP_KERNEL));
	if (err)
		goto err_vma;

	spin_lock(&bo->vma_lock);
	list_add(&lut->obj_link, &bo->luts);
	spin_unlock(&bo->vma_lock);

	/*
	 * The handle may have been closed since it was looked up. Its closing removes it from the file's table first
	 * and walks the object's list then: either it finds the new entry there, or we find the handle gone.
	 */
	spin_lock(&file->table_lock);
	named = idr_find(&file->object_idr, handle);
	spin_unlock(&file->table_lock);
	if (named != &bo->base) {
		spin_lock(&bo->vma_lock);
		list_del(&lut->obj_link);
		spin_unlock(&bo->vma_lock);
		xa_erase(&ctx->handles, handle);
		err = -ENOENT;
		goto err_vma;
	}

	return lut;

err_vma:
	igen_vma_put(lut->vma);
err_free:
	kfree(lut);
	return ERR_PTR(err);
}

/**
 * igen_handles_lookup - the handle table's entry of a handle
 * @ctx: the context; its handles_lock is held
 * @file: the file whose handle it is
 * @handle: the handle
 *
 * The entry, its VMA and its object stay while the lock is held.
 *
 * Return: the entry, or ERR_PTR(-ENOENT) for no such handle or a closed context, ERR_PTR(-ENOMEM).
 */
struct igen_lut *igen_handles_lookup(struct igen_context *ctx, struct drm_file *file, u32 handle)
{
	struct drm_gem_object *obj;
	struct igen_lut *lut;

	lut = xa_load(&ctx->handles, handle);
	if (likely(lut))
		return lut;

	if (test_bit(IGEN_CONTEXT_CLOSED, &ctx->flags))
		return ERR_PTR(-ENOENT);

	obj = drm_gem_object_lookup(file, handle);
	if (!obj)
		return ERR_PTR(-ENOENT);

	lut = lut_create(ctx, file, to_igen_bo(obj), handle);
	drm_gem_object_put(obj);
	return lut;
}

/* Unlinks ctx's entries of file from the object and from ctx's table; they are left on gone. */
static void forget(struct igen_bo *bo, struct igen_context *ctx, struct drm_file *file, struct list_head *gone)
{
	struct igen_lut *lut, *next;

	mutex_lock(&ctx->handles_lock);
	spin_lock(&bo->vma_lock);
	list_for_each_entry_safe(lut, next, &bo->luts, obj_link)
		if (lut->ctx == ctx && lut->file == file)
			list_move(&lut->obj_link, gone);
	spin_unlock(&bo->vma_lock);

	list_for_each_entry(lut, gone, obj_link)
		xa_erase(&ctx->handles, lut->handle);
	mutex_unlock(&ctx->handles_lock);
}

/**
 * igen_handles_close - empties the handle table of a context that is closing
 * @ctx: the context, with IGEN_CONTEXT_CLOSED set
 *
 * May sleep.
 */
void igen_handles_close(struct igen_context *ctx)
{
	unsigned long handle;
	struct igen_lut *lut;
	struct igen_bo *bo;
	LIST_HEAD(gone);

	mutex_lock(&ctx->handles_lock);
	xa_for_each(&ctx->handles, handle, lut) {
		bo = lut->vma->bo;
		spin_lock(&bo->vma_lock);
		list_move(&lut->obj_link, &gone);
		spin_unlock(&bo->vma_lock);
	}
	xa_destroy(&ctx->handles);
	mutex_unlock(&ctx->handles_lock);

	free_all(&gone);
}

/**
 * igen_gem_close_object - drm_gem_object_funcs.close
 * @obj: the object
 * @file: the file one of whose handles goes away
 *
 * Called after the handle has left the file's table and before its reference of the object is dropped. The object may
 * have other handles in the same file; their entries go too and come back when they are used. May sleep.
 */
void igen_gem_close_object(struct drm_gem_object *obj, struct drm_file *file)
{
	struct igen_bo *bo = to_igen_bo(obj);
	struct igen_context *ctx;
	struct igen_lut *lut;
	LIST_HEAD(gone);

	do {
		ctx = NULL;
		spin_lock(&bo->vma_lock);
		list_for_each_entry(lut, &bo->luts, obj_link) {
			if (lut->file == file) {
				/* Its context empties its table before it goes, so it is alive. */
				ctx = igen_context_get(lut->ctx);
				break;
			}
		}
		spin_unlock(&bo->vma_lock);

		if (ctx) {
			forget(bo, ctx, file, &gone);
			free_all(&gone);
			igen_context_put(ctx);
		}
	} while (ctx);
}
