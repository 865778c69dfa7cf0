// SPDX-License-Identifier: MIT
/**
 * DOC: VMAs
 *
 * One object in one address space at one address: lookup, binding, unbinding, and the end of its life. The
 * rules of who holds what are in igen_vm.h.
 */
#include <drm/drm_drv.h>
#include <linux/delay.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "igen_fence_reg.h"
#include "igen_ggtt.h"
#include "igen_vm.h"

static struct igen_vma *alloc_vma(struct igen_bo *bo, struct igen_vm *vm)
{
	struct igen_vma *vma = kzalloc(sizeof(*vma), GFP_KERNEL);

	if (!vma)
		return NULL;
	refcount_set(&vma->ref, 1);
	vma->bo = bo;
	vma->vm = vm;
	vma->pages = bo->base.size >> PAGE_SHIFT;
	INIT_LIST_HEAD(&vma->vm_link);
	if (!vm->is_ggtt) {
		igen_bo_get(bo);
		igen_vm_get(vm);
	}
	return vma;
}

/* Drops what alloc_vma() took; nobody finds the VMA any more. */
static void free_vma(struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;
	struct igen_vm *vm = vma->vm;

	WARN_ON(vma->bound || vma->pin_count || vma->fence_reg);
	kfree(vma);
	if (!vm->is_ggtt) {
		igen_vm_put(vm);
		igen_bo_put(bo);
	}
}

/* bo->vma_lock held. A dying VMA gets a new life: its killer looks again before it frees it. */
static struct igen_vma *tree_find(struct igen_bo *bo, struct igen_vm *vm, struct rb_node ***link,
				  struct rb_node **parent)
{
	struct rb_node **at = &bo->vmas.rb_node;
	struct igen_vma *vma;

	*parent = NULL;
	while (*at) {
		*parent = *at;
		vma = rb_entry(*at, struct igen_vma, bo_node);
		if (vma->vm == vm) {
			if (!refcount_inc_not_zero(&vma->ref))
				refcount_set(&vma->ref, 1);
			return vma;
		}
		at = vm < vma->vm ? &(*at)->rb_left : &(*at)->rb_right;
	}
	*link = at;
	return NULL;
}

static struct igen_vma *ggtt_find(struct igen_bo *bo, u32 first, u32 pages, const struct igen_rows *rows)
{
	struct igen_vma *vma;

	igen_for_each_ggtt_vma(vma, bo)
		if (vma->first == first && vma->pages == pages && !memcmp(&vma->rows, rows, sizeof(*rows)))
			break;
	return vma;
}

static struct igen_vma *ggtt_lookup(struct igen_bo *bo, u32 first, u32 pages, const struct igen_rows *rows)
{
	struct igen_vma *vma = ggtt_find(bo, first, pages, rows), *new;

	if (!vma) {
		new = alloc_vma(bo, &to_igen(bo->base.dev)->ggtt.vm);
		if (!new)
			return ERR_PTR(-ENOMEM);
		new->first = first;
		new->pages = pages;
		new->rows = *rows;
		spin_lock(&bo->vma_lock);
		vma = ggtt_find(bo, first, pages, rows);
		if (!vma) {
			vma = new;
			new->ggtt_next = bo->ggtt_vmas;
			/* Paired with the acquire of those who go through them without the lock. */
			smp_store_release(&bo->ggtt_vmas, new);
			new = NULL;
		}
		spin_unlock(&bo->vma_lock);
		kfree(new);
	}
	refcount_inc(&vma->ref);
	return vma;
}

/**
 * igen_vma_lookup_part - the VMA of a part of an object in the GGTT
 * @bo: the object; the caller holds a reference
 * @first: the first page, in units of 4 KB
 * @pages: how many, at least one, all within the object
 *
 * Makes one if there is none; it stays with the object. May sleep; needs no lock.
 *
 * Return: the VMA with a reference for the caller, or ERR_PTR(-ENOMEM).
 */
struct igen_vma *igen_vma_lookup_part(struct igen_bo *bo, u32 first, u32 pages)
{
	return ggtt_lookup(bo, first, pages, &(struct igen_rows){ });
}

/**
 * igen_vma_lookup_rows - the VMA of rows of an object in the GGTT, at another stride
 * @bo: the object; the caller holds a reference
 * @first: the first row's first page, in units of 4 KB
 * @rows: the rows
 *
 * As igen_vma_lookup_part(). What it shows in the aperture can have a fence register of the stride that is shown.
 *
 * Return: the VMA with a reference for the caller, ERR_PTR(-ENOMEM), or ERR_PTR(-EINVAL) when a stride is less than the
 * width, the rows are not all within the object, or they are shown in 16 TB or more.
 */
struct igen_vma *igen_vma_lookup_rows(struct igen_bo *bo, u32 first, const struct igen_rows *rows)
{
	u64 pages = (u64)rows->shown_stride * rows->height;

	if (!rows->width || !rows->height || rows->stride < rows->width || rows->shown_stride < rows->width ||
	    pages > U32_MAX ||
	    first + (u64)rows->stride * (rows->height - 1) + rows->width > bo->base.size >> PAGE_SHIFT)
		return ERR_PTR(-EINVAL);
	return ggtt_lookup(bo, first, pages, rows);
}

/**
 * igen_vma_lookup - the VMA of an object in an address space
 * @bo: the object; the caller holds a reference
 * @vm: the address space; likewise
 *
 * Makes one if there is none. May sleep; needs no lock.
 *
 * Return: the VMA with a reference for the caller, or ERR_PTR(-ENOMEM).
 */
struct igen_vma *igen_vma_lookup(struct igen_bo *bo, struct igen_vm *vm)
{
	struct rb_node **link, *parent;
	struct igen_vma *vma, *new;

	if (vm->is_ggtt)
		return igen_vma_lookup_part(bo, 0, bo->base.size >> PAGE_SHIFT);

	spin_lock(&bo->vma_lock);
	vma = tree_find(bo, vm, &link, &parent);
	spin_unlock(&bo->vma_lock);
	if (vma)
		return vma;

	new = alloc_vma(bo, vm);
	if (!new)
		return ERR_PTR(-ENOMEM);

	spin_lock(&bo->vma_lock);
	vma = tree_find(bo, vm, &link, &parent);
	if (!vma) {
		rb_link_node(&new->bo_node, parent, link);
		rb_insert_color(&new->bo_node, &bo->vmas);
	}
	spin_unlock(&bo->vma_lock);

	if (vma) {
		free_vma(new);
		return vma;
	}
	return new;
}

static bool idle(struct igen_bo *bo)
{
	return dma_resv_test_signaled(bo->base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/*
 * Frees a dying VMA, with its object's lock held, and drops that lock. A lookup may have found it since: then it lives
 * on. False when it is still busy.
 */
static bool end_vma(struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;
	bool dead, busy;

	/* Unbound only when really dead: whoever found it again wants it where it is. */
	if (vma->bound && !refcount_read(&vma->ref) && idle(bo)) {
		mutex_lock(&vma->vm->mutex);
		if (!WARN_ON(vma->pin_count))
			igen_vma_unbind_locked(vma);
		mutex_unlock(&vma->vm->mutex);
	}

	spin_lock(&bo->vma_lock);
	dead = !refcount_read(&vma->ref);
	busy = dead && vma->bound;
	if (!busy)
		vma->dying = false;
	if (dead && !busy)
		rb_erase(&vma->bo_node, &bo->vmas);
	spin_unlock(&bo->vma_lock);
	igen_bo_unlock(bo);

	if (dead && !busy)
		free_vma(vma);
	return !busy;
}

static void end_vma_later(struct igen_vma *vma)
{
	struct igen_device *igen = vma->vm->igen;

	if (llist_add(&vma->free_node, &igen->mm.free_vmas))
		queue_delayed_work(igen->wq, &igen->mm.free_work, 1);
}

/**
 * igen_vma_put - drops a reference
 * @vma: the VMA
 *
 * The last one unbinds and frees it: at once when the object is idle and nobody has it locked, else a worker does. May
 * sleep; takes the object's lock by trylock and the address space's mutex.
 */
void igen_vma_put(struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;
	bool last;

	if (vma->vm->is_ggtt) {
		/* The object has one reference itself. */
		WARN_ON(refcount_dec_and_test(&vma->ref));
		return;
	}

	if (refcount_dec_not_one(&vma->ref))
		return;
	/* Who looks the VMA up takes references under the lock only. */
	spin_lock(&bo->vma_lock);
	last = refcount_dec_and_test(&vma->ref) && !vma->dying;
	if (last)
		vma->dying = true;
	spin_unlock(&bo->vma_lock);
	if (!last)
		return;

	if (!dma_resv_trylock(bo->base.resv) || !end_vma(vma))
		end_vma_later(vma);
}

/**
 * igen_vma_free_list - ends the VMAs that wait for it
 * @igen: the device
 *
 * Called by the worker only, which waits for nobody's lock of an object.
 *
 * Return: true when none is left.
 */
bool igen_vma_free_list(struct igen_device *igen)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&igen->mm.free_vmas));
	struct igen_vma *vma, *next;
	bool all = true;

	llist_for_each_entry_safe(vma, next, list, free_node) {
		/* A client may wait for its own batches with the lock held; nobody else has to. */
		if (!dma_resv_trylock(vma->bo->base.resv) || !end_vma(vma)) {
			llist_add(&vma->free_node, &igen->mm.free_vmas);
			all = false;
		}
		cond_resched();
	}
	return all;
}

/**
 * igen_vma_unbind_ggtt - takes an object that is being freed out of the GGTT
 * @bo: the object, locked, idle, without users
 */
void igen_vma_unbind_ggtt(struct igen_bo *bo)
{
	struct igen_vma *vma;

	igen_for_each_ggtt_vma(vma, bo) {
		if (!vma->bound)
			continue;
		mutex_lock(&vma->vm->mutex);
		if (!WARN_ON(vma->pin_count))
			igen_vma_unbind_locked(vma);
		mutex_unlock(&vma->vm->mutex);
	}
}

/**
 * igen_vma_destroy_ggtt - ends the GGTT's VMAs of an object that is being freed
 * @bo: the object, locked, idle, without users
 */
void igen_vma_destroy_ggtt(struct igen_bo *bo)
{
	struct igen_vma *vma;

	igen_vma_unbind_ggtt(bo);
	while ((vma = bo->ggtt_vmas)) {
		WARN_ON(refcount_read(&vma->ref) != 1);
		bo->ggtt_vmas = vma->ggtt_next;
		free_vma(vma);
	}
}

static u64 size_of(const struct igen_vma *vma, u64 size)
{
	return max_t(u64, size, (u64)vma->pages << PAGE_SHIFT);
}

/**
 * igen_vma_is_placed - a VMA is bound where it is wanted
 * @vma: the VMA; its object locked
 * @size: as for igen_vma_pin()
 * @alignment: likewise
 * @flags: likewise
 */
bool igen_vma_is_placed(const struct igen_vma *vma, u64 size, u64 alignment, u64 flags)
{
	u64 start = vma->node.start, end = start + vma->node.size;

	if (!vma->bound || vma->node.size < size_of(vma, size))
		return false;
	if (alignment && start & (alignment - 1))
		return false;
	if (flags & IGEN_PIN_FIXED && start != (flags & IGEN_PIN_OFFSET_MASK))
		return false;
	if (flags & IGEN_PIN_OFFSET_BIAS && start < (flags & IGEN_PIN_OFFSET_MASK))
		return false;
	if (flags & IGEN_PIN_32B && end > SZ_4G)
		return false;
	if (flags & IGEN_PIN_MAPPABLE && end > vma->vm->igen->ggtt.mappable_end)
		return false;
	return true;
}

/*
 * The alignment that lets large pages of the object be large in the page tables too. The lower 4 GB, where clients
 * without 48-bit addresses have all they have, are too small to leave gaps in; the GGTT knows 4 KB pages only.
 */
static u64 natural_alignment(const struct igen_vma *vma, const struct igen_placement *where)
{
	if (vma->vm->is_ggtt || where->flags & (IGEN_PIN_FIXED | IGEN_PIN_32B))
		return where->alignment;
	return max_t(u64, where->alignment, rounddown_pow_of_two(vma->bo->page_sizes));
}

/* Call it after PTEs were cleared: neither the object's pages nor the space's tables go before the next TLB flush. */
static void mark_tlb(struct igen_vma *vma)
{
	u64 mark = igen_tlb_mark(vma->vm->igen);

	vma->bo->tlb_mark = mark;
	vma->vm->tlb_mark = mark;
}

static int bind(struct igen_vma *vma, const struct igen_placement *where)
{
	struct igen_vm *vm = vma->vm;
	int err;

	/* Pages that came while the device was going, or another driver's, which has mapped them. */
	if (vma->bo->page_list && !igen_dma_is_mapped(&vma->bo->dma))
		return -ENODEV;

	err = igen_vm_place(vm, vma, where);
	if (err)
		return err;

	err = vm->ops->insert(vm, vma, vma->bo->read_only ? IGEN_PTE_READ_ONLY : 0);
	if (err) {
		/* A part of it was bound for a while, and what runs in this space may have looked. */
		mark_tlb(vma);
		drm_mm_remove_node(&vma->node);
		return err;
	}
	list_add_tail(&vma->vm_link, &vm->bound);
	vma->bound = true;
	return 0;
}

/**
 * igen_vma_pin - binds a VMA and holds it there
 * @vma: the VMA; its object locked
 * @size: bytes, or 0 for what it shows; what is beyond that leads to scratch
 * @alignment: of the address, a power of two, or 0
 * @flags: IGEN_PIN_*
 *
 * A VMA that is elsewhere is moved, which waits for its activity. Takes the address space's mutex; may sleep. Each
 * success needs an igen_vma_unpin().
 *
 * Return: 0, or -EINVAL, -E2BIG, -ENOSPC, -ENOMEM, -EFAULT, -EBUSY, -EAGAIN, -ENODEV, -ERESTARTSYS, as in igen_vm.h.
 */
int igen_vma_pin(struct igen_vma *vma, u64 size, u64 alignment, u64 flags)
{
	struct igen_vm *vm = vma->vm;
	struct igen_placement where = {
		.size = size_of(vma, size),
		.alignment = alignment ?: PAGE_SIZE,
		.flags = flags,
	};
	int err;

	dma_resv_assert_held(vma->bo->base.resv);

	if (where.alignment & (where.alignment - 1) || !IS_ALIGNED(where.size, PAGE_SIZE))
		return -EINVAL;

	if (!igen_vma_is_placed(vma, size, alignment, flags) && vma->bound) {
		err = igen_vma_unbind(vma, true);
		if (err)
			return err;
	}

	if (!vma->bound) {
		err = igen_bo_pin_pages(vma->bo);
		if (err)
			return err;
		where.alignment = natural_alignment(vma, &where);
	}

	if (mutex_lock_interruptible(&vm->mutex)) {
		err = -ERESTARTSYS;
	} else {
		err = vma->bound ? 0 : bind(vma, &where);
		if (!err)
			vma->pin_count++;
		mutex_unlock(&vm->mutex);
	}

	if (err && !vma->bound)
		igen_bo_unpin_pages(vma->bo);
	return err;
}

/**
 * igen_vma_unpin - a VMA may be moved again
 * @vma: the VMA
 *
 * Takes the address space's mutex; may sleep.
 */
void igen_vma_unpin(struct igen_vma *vma)
{
	mutex_lock(&vma->vm->mutex);
	if (!WARN_ON(!vma->pin_count))
		vma->pin_count--;
	mutex_unlock(&vma->vm->mutex);
}

/**
 * igen_vma_unbind_locked - unbinds a VMA now
 * @vma: the VMA: bound, not pinned, its object locked and idle, its address space's mutex held
 */
void igen_vma_unbind_locked(struct igen_vma *vma)
{
	struct igen_vm *vm = vma->vm;
	struct igen_bo *bo = vma->bo;

	lockdep_assert_held(&vm->mutex);
	dma_resv_assert_held(bo->base.resv);

	if (vm->is_ggtt) {
		igen_bo_zap_aperture(bo);
		igen_fence_reg_release(vma);
	}
	vm->ops->clear(vm, vma->node.start, vma->node.size);
	list_del_init(&vma->vm_link);
	drm_mm_remove_node(&vma->node);
	vma->bound = false;

	mark_tlb(vma);
	igen_bo_unpin_pages(bo);
}

/**
 * igen_vma_unbind - unbinds a VMA
 * @vma: the VMA; its object locked
 * @intr: signals end the wait for its activity
 *
 * Takes the address space's mutex; may sleep.
 *
 * Return: 0, -EBUSY when pinned, -ERESTARTSYS.
 */
int igen_vma_unbind(struct igen_vma *vma, bool intr)
{
	struct igen_bo *bo = vma->bo;
	long left;
	int err = 0;

	dma_resv_assert_held(bo->base.resv);

	if (!vma->bound)
		return 0;
	if (READ_ONCE(vma->pin_count))
		return -EBUSY;

	/* Nobody adds a fence while we have the lock, and each that is there signals: hanging batches are reset. */
	left = dma_resv_wait_timeout(bo->base.resv, DMA_RESV_USAGE_BOOKKEEP, intr, MAX_SCHEDULE_TIMEOUT);
	if (left < 0)
		return left;

	mutex_lock(&vma->vm->mutex);
	if (vma->pin_count)
		err = -EBUSY;
	else
		igen_vma_unbind_locked(vma);
	mutex_unlock(&vma->vm->mutex);
	return err;
}

/**
 * igen_ggtt_pin_internal - an object of the driver's own in the GGTT, mapped for the CPU
 * @igen: the device
 * @size: bytes, a multiple of 4096
 * @alignment: of its GGTT address, a power of two, or 0
 * @vaddr: gets the kernel mapping; may be NULL
 *
 * It lies at the top, so that the aperture remains for what the CPU sees through it. May sleep.
 *
 * Return: the VMA (its start is the GGTT address), or ERR_PTR.
 */
struct igen_vma *igen_ggtt_pin_internal(struct igen_device *igen, u64 size, u64 alignment, void **vaddr)
{
	struct igen_vma *vma;
	struct igen_bo *bo;
	void *map = NULL;
	int err;

	bo = igen_bo_create_internal(igen, size);
	if (IS_ERR(bo))
		return ERR_CAST(bo);

	vma = igen_vma_lookup(bo, &igen->ggtt.vm);
	if (IS_ERR(vma)) {
		igen_bo_put(bo);
		return vma;
	}

	igen_bo_lock(bo);
	if (vaddr) {
		map = igen_bo_vmap(bo);
		if (IS_ERR(map)) {
			err = PTR_ERR(map);
			goto err_unlock;
		}
	}
	err = igen_vma_pin(vma, 0, alignment, IGEN_PIN_HIGH);
	if (err)
		goto err_unmap;
	igen_bo_unlock(bo);

	if (vaddr)
		*vaddr = map;
	return vma;

err_unmap:
	if (vaddr)
		igen_bo_vunmap(bo);
err_unlock:
	igen_bo_unlock(bo);
	igen_vma_put(vma);
	igen_bo_put(bo);
	return ERR_PTR(err);
}

/**
 * igen_ggtt_evict_internal - takes an object of the driver's own out of the GGTT
 * @vma: what igen_ggtt_pin_internal() gave; its object locked, the GGTT's mutex held
 *
 * Its pages and its mapping for the CPU stay.
 */
void igen_ggtt_evict_internal(struct igen_vma *vma)
{
	lockdep_assert_held(&vma->vm->mutex);

	if (WARN_ON(vma->pin_count != 1))
		return;
	vma->pin_count = 0;
	igen_vma_unbind_locked(vma);
}

/**
 * igen_ggtt_repin_internal - undoes igen_ggtt_evict_internal()
 * @vma: the VMA
 *
 * Its address may be another one now. May sleep, and wait for what is in the GGTT instead.
 *
 * Return: as igen_vma_pin().
 */
int igen_ggtt_repin_internal(struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;
	int err;

	/* The caller may have locks that come after this one; nobody has it for longer than it takes to look. */
	while (!dma_resv_trylock(bo->base.resv)) {
		if (signal_pending(current))
			return -ERESTARTSYS;
		usleep_range(20, 100);
	}
	err = igen_vma_pin(vma, 0, 0, IGEN_PIN_HIGH);
	igen_bo_unlock(bo);
	return err;
}

/**
 * igen_ggtt_unpin_internal - undoes igen_ggtt_pin_internal()
 * @vma: what it gave, or NULL
 *
 * The object is freed when it is idle and the TLBs have forgotten it. May sleep.
 */
void igen_ggtt_unpin_internal(struct igen_vma *vma)
{
	if (IS_ERR_OR_NULL(vma))
		return;
	igen_vma_unpin(vma);
	igen_ggtt_put_internal(vma);
}

/**
 * igen_ggtt_put_internal - the same for what is not pinned any more
 * @vma: the VMA
 */
void igen_ggtt_put_internal(struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;

	igen_bo_lock(bo);
	while (bo->vmap_count)
		igen_bo_vunmap(bo);
	igen_bo_unlock(bo);
	igen_vma_put(vma);
	igen_bo_put(bo);
}
