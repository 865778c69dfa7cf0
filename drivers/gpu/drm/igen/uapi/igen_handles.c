// SPDX-License-Identifier: MIT
/**
 * DOC: Handle tables
 *
 * A context has a table from object handles to VMAs in its address space, with an entry for each handle that execbuf
 * has used. So execbuf needs one xarray lookup for an object, no allocation, and no walk of the file's handle table. An
 * entry holds its VMA. It is removed when the handle or the context is closed. Each object lists its entries, so that
 * closing a handle finds them.
 *
 * Locks: the context's handles_lock guards the table. The object's vma_lock guards the object's list of entries and
 * nests inside handles_lock. Linking and unlinking an entry takes both. Closing a handle goes from the object's list to
 * a table, against that order: it takes a reference to the context under vma_lock, and drops vma_lock before it takes
 * handles_lock.
 */
#include <drm/drm_gem.h>
#include <linux/slab.h>

#include "../mm/igen_budget.h"
#include "../mm/igen_vm.h"
#include "igen_uapi.h"

/* The VMA holds a reference to its address space, so the space is there even if the context is gone. */
static void lut_free(struct igen_lut *lut)
{
	igen_budget_uncharge(lut->vma->vm->budget, sizeof(*lut));
	igen_vma_put(lut->vma);
	kfree(lut);
}

static void lut_free_all(struct list_head *gone)
{
	struct igen_lut *lut, *next;

	list_for_each_entry_safe(lut, next, gone, obj_link)
		lut_free(lut);
	INIT_LIST_HEAD(gone);
}

/* The handle is in the file's table, and of this object. */
static bool lut_is_of_handle(struct drm_file *file, const struct igen_bo *bo, u32 handle)
{
	const struct drm_gem_object *named;

	spin_lock(&file->table_lock);
	named = idr_find(&file->object_idr, handle);
	spin_unlock(&file->table_lock);
	return named == &bo->base;
}

/*
 * The handle may have been closed since the caller has looked it up. Closing removes the handle from the file's table
 * first, and then walks the object's list. So either that walk finds the new entry, or the last look here finds no
 * handle.
 */
static struct igen_lut *lut_create(struct igen_context *ctx, struct drm_file *file, struct igen_bo *bo, u32 handle)
{
	struct igen_lut *lut;
	int err;

	err = igen_budget_charge(ctx->vm->budget, sizeof(*lut));
	if (err)
		return ERR_PTR(err);
	err = -ENOMEM;
	lut = kzalloc(sizeof(*lut), IGEN_GFP_CLIENT);
	if (!lut)
		goto err_uncharge;

	lut->ctx = ctx;
	lut->file = file;
	lut->handle = handle;
	lut->vma = igen_vma_lookup(bo, ctx->vm);
	if (IS_ERR(lut->vma)) {
		err = PTR_ERR(lut->vma);
		goto err_free;
	}

	err = xa_err(xa_store(&ctx->handles, handle, lut, IGEN_GFP_CLIENT));
	if (err)
		goto err_vma;

	spin_lock(&bo->vma_lock);
	list_add(&lut->obj_link, &bo->luts);
	spin_unlock(&bo->vma_lock);

	if (!lut_is_of_handle(file, bo, handle)) {
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
err_uncharge:
	igen_budget_uncharge(ctx->vm->budget, sizeof(*lut));
	return ERR_PTR(err);
}

/**
 * igen_handles_lookup - find or make the entry of a handle in a context's table
 * @ctx: the context; its handles_lock is held
 * @file: the file with the handle
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

/* Unlinks an object's entry from the object and from ctx's table, unless that has been done meanwhile. */
static void lut_forget(struct igen_bo *bo, struct igen_context *ctx, u32 handle)
{
	struct igen_lut *lut;

	mutex_lock(&ctx->handles_lock);
	lut = xa_load(&ctx->handles, handle);
	if (lut && lut->vma->bo == bo) {
		xa_erase(&ctx->handles, handle);
		spin_lock(&bo->vma_lock);
		list_del(&lut->obj_link);
		spin_unlock(&bo->vma_lock);
	} else {
		lut = NULL;
	}
	mutex_unlock(&ctx->handles_lock);
	if (lut)
		lut_free(lut);
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

	lut_free_all(&gone);
}

/**
 * igen_gem_close_object - drm_gem_object_funcs.close
 * @obj: the object
 * @file: the file, which closes one of its handles
 *
 * Called after the handle has left the file's table and before its reference of the object is dropped. The object may
 * have other handles in the same file; their entries go too and come back when they are used. May sleep.
 *
 * As many contexts as a client likes may have entries of the object. Entries of other files that the search has passed
 * go to the end of the list, so that the next search does not pass them again.
 */
void igen_gem_close_object(struct drm_gem_object *obj, struct drm_file *file)
{
	struct igen_bo *bo = to_igen_bo(obj);
	struct igen_context *ctx;
	struct igen_lut *lut;
	u32 handle = 0;

	do {
		ctx = NULL;
		spin_lock(&bo->vma_lock);
		list_for_each_entry(lut, &bo->luts, obj_link) {
			if (lut->file == file) {
				/*
				 * A context empties its table before it is freed, so the context of a listed entry is
				 * alive.
				 */
				ctx = igen_context_get(lut->ctx);
				handle = lut->handle;
				list_rotate_to_front(&lut->obj_link, &bo->luts);
				break;
			}
		}
		spin_unlock(&bo->vma_lock);

		if (ctx) {
			lut_forget(bo, ctx, handle);
			igen_context_put(ctx);
		}
	} while (ctx);
}
