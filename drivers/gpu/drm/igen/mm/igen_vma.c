// SPDX-License-Identifier: MIT
/**
 * DOC: VMAs
 *
 * A VMA is one object at one address of one address space. This file finds, makes, binds, unbinds and frees VMAs.
 * igen_vm.h tells which reference keeps which object.
 */
#include <drm/drm_drv.h>
#include <linux/delay.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../igen_device.h"
#include "../igen_trace.h"
#include "igen_budget.h"
#include "igen_fence_reg.h"
#include "igen_ggtt.h"
#include "igen_vm.h"

/* Bytes of memory for a VMA: the whole slab object, of which the structure fills little more than half. */
static size_t vma_bytes(void)
{
	return kmalloc_size_roundup(sizeof(struct igen_vma));
}

static struct igen_vma *vma_alloc(struct igen_bo *bo, struct igen_vm *vm)
{
	struct igen_vma *vma;

	if (igen_budget_charge_room(vm->igen, vm->budget, vma_bytes()))
		return NULL;
	vma = kzalloc(sizeof(*vma), IGEN_GFP_CLIENT);
	if (!vma) {
		igen_budget_uncharge(vm->budget, vma_bytes());
		return NULL;
	}
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

/* Frees a VMA that lookups do not find any more, and drops the references that vma_alloc() took. */
static void vma_free(struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;
	struct igen_vm *vm = vma->vm;

	WARN_ON(vma->bound || vma->pin_count || vma->fence_reg);
	kfree(vma);
	igen_budget_uncharge(vm->budget, vma_bytes());
	if (!vm->is_ggtt) {
		igen_vm_put(vm);
		igen_bo_put(bo);
	}
}

/* bo->vma_lock held. A dying VMA gets a new life: its killer looks again before it frees it. */
static struct igen_vma *vma_tree_find(struct igen_bo *bo, struct igen_vm *vm, struct rb_node ***link,
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

static struct igen_vma *vma_ggtt_find(struct igen_bo *bo, u32 first, u32 pages)
{
	struct igen_vma *vma;

	igen_for_each_ggtt_vma(vma, bo)
		if (vma->first == first && vma->pages == pages)
			break;
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
	struct igen_vma *vma = vma_ggtt_find(bo, first, pages), *new;

	if (!vma) {
		new = vma_alloc(bo, &to_igen(bo->base.dev)->ggtt.vm);
		if (!new)
			return ERR_PTR(-ENOMEM);
		new->first = first;
		new->pages = pages;
		spin_lock(&bo->vma_lock);
		vma = vma_ggtt_find(bo, first, pages);
		if (!vma) {
			vma = new;
			new->ggtt_next = bo->ggtt_vmas;
			/* Pairs with the acquire in igen_for_each_ggtt_vma(), which walks the list without the lock. */
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
 * igen_vma_lookup - the VMA of an object in an address space
 * @bo: the object; the caller holds a reference
 * @vm: the address space; the caller holds a reference
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
	vma = vma_tree_find(bo, vm, &link, &parent);
	spin_unlock(&bo->vma_lock);
	if (vma)
		return vma;

	new = vma_alloc(bo, vm);
	if (!new)
		return ERR_PTR(-ENOMEM);

	spin_lock(&bo->vma_lock);
	vma = vma_tree_find(bo, vm, &link, &parent);
	if (!vma) {
		rb_link_node(&new->bo_node, parent, link);
		rb_insert_color(&new->bo_node, &bo->vmas);
	}
	spin_unlock(&bo->vma_lock);

	if (vma) {
		vma_free(new);
		return vma;
	}
	return new;
}

/*
 * Frees a dying VMA, with its object's lock held, and drops that lock. A lookup may have found it since: then it lives
 * on. False when it is still busy.
 */
static bool vma_destroy(struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;
	bool dead, busy;

	/* A lookup that found the VMA again wants it bound, so only a VMA without references is unbound. */
	if (vma->bound && !refcount_read(&vma->ref) && !igen_bo_has_requests(bo)) {
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
		vma_free(vma);
	return !busy;
}

static void vma_destroy_later(struct igen_vma *vma)
{
	struct igen_device *igen = vma->vm->igen;

	if (llist_add(&vma->free_node, &igen->mm.free_vmas))
		queue_delayed_work(igen->wq, &igen->mm.free_work, 1);
}

/**
 * igen_vma_put - drop a reference to a VMA
 * @vma: the VMA
 *
 * Dropping the last reference unbinds and frees the VMA, at once if the object is idle and not locked, else by a
 * worker.
 *
 * Context: may sleep; takes the object's lock by trylock, and the address space's mutex.
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
	/* Lookups take references under this lock only. */
	spin_lock(&bo->vma_lock);
	last = refcount_dec_and_test(&vma->ref) && !vma->dying;
	if (last)
		vma->dying = true;
	spin_unlock(&bo->vma_lock);
	if (!last)
		return;

	if (!dma_resv_trylock(bo->base.resv) || !vma_destroy(vma))
		vma_destroy_later(vma);
}

/**
 * igen_vma_free_list - free VMAs whose last reference went while they were busy
 * @igen: the device
 *
 * Called by the worker only. Does not wait for locks of objects.
 *
 * Return: true when none is left.
 */
bool igen_vma_free_list(struct igen_device *igen)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&igen->mm.free_vmas));
	struct igen_vma *vma, *next;
	bool all = true;

	llist_for_each_entry_safe(vma, next, list, free_node) {
		/*
		 * A client may wait for its own batches with the object's lock held. The worker does not wait for it.
		 */
		if (!dma_resv_trylock(vma->bo->base.resv) || !vma_destroy(vma)) {
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
		vma_free(vma);
	}
}

static u64 vma_size_of(const struct igen_vma *vma, u64 size)
{
	return max_t(u64, size, (u64)vma->pages << PAGE_SHIFT);
}

/**
 * igen_vma_is_placed - ask whether a VMA is bound as igen_vma_pin() would bind it
 * @vma: the VMA; its object locked
 * @size: as for igen_vma_pin()
 * @alignment: as for igen_vma_pin()
 * @flags: as for igen_vma_pin()
 *
 * Return: true when it is.
 */
bool igen_vma_is_placed(const struct igen_vma *vma, u64 size, u64 alignment, u64 flags)
{
	u64 start = vma->node.start, end = start + vma->node.size;

	if (!vma->bound || vma->node.size < vma_size_of(vma, size))
		return false;
	if (alignment && start & (alignment - 1))
		return false;
	if (flags & IGEN_PIN_FIXED && start != (flags & IGEN_PIN_OFFSET_MASK))
		return false;
	if (flags & IGEN_PIN_OFFSET_BIAS && start < (flags & IGEN_PIN_OFFSET_MASK))
		return false;
	if (flags & IGEN_PIN_LOWER_HALF && end > vma->vm->total / 2)
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
static u64 vma_natural_alignment(const struct igen_vma *vma, const struct igen_placement *where)
{
	if (vma->vm->is_ggtt || where->flags & (IGEN_PIN_FIXED | IGEN_PIN_32B))
		return where->alignment;
	return max_t(u64, where->alignment, rounddown_pow_of_two(vma->bo->page_sizes));
}

/* Call it after PTEs were cleared: neither the object's pages nor the space's tables go before the next TLB flush. */
static void vma_mark_tlb(struct igen_vma *vma)
{
	u64 mark = igen_tlb_mark(vma->vm->igen);

	vma->bo->tlb_mark = mark;
	vma->vm->tlb_mark = mark;
}

static int vma_bind(struct igen_vma *vma, const struct igen_placement *where)
{
	struct igen_vm *vm = vma->vm;
	int err;

	/* Pages that came while the device was going are not mapped. */
	if (!vma->bo->ops->foreign_mapping && !igen_dma_is_mapped(&vma->bo->dma))
		return -ENODEV;

	err = igen_vm_place(vm, vma, where);
	if (err)
		return err;

	err = vm->ops->insert(vm, vma, vma->bo->read_only ? IGEN_PTE_READ_ONLY : 0);
	if (err) {
		/* A part of the VMA was bound for a while, and a batch in this address space may have used it. */
		vma_mark_tlb(vma);
		drm_mm_remove_node(&vma->node);
		return err;
	}
	list_add_tail(&vma->vm_link, &vm->bound);
	vma->bound = true;
	trace_i915_vma_bind(vma, where);
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
 * IGEN_PIN_FIXED evicts overlapping VMAs. A VMA that is pinned stays, and so does one that is in use and whose object
 * the caller has locked in its acquire context, which has to be an igen_ww.
 *
 * Return: 0, or
 *
 *  * -EINVAL: the range is impossible
 *  * -E2BIG: the address space is smaller than the VMA
 *  * -ENOSPC: there is no place
 *  * -EBUSY: the VMA is pinned at an address that does not fit
 *  * -EAGAIN: the object of an overlapping VMA is locked by another task; the caller drops all locks and tries again
 *    (see igen_ww)
 *  * -EFAULT: the object's content was purged
 *  * -ENOMEM, -ENODEV, -ERESTARTSYS
 */
int igen_vma_pin(struct igen_vma *vma, u64 size, u64 alignment, u64 flags)
{
	struct igen_vm *vm = vma->vm;
	struct igen_placement where = {
		.size = vma_size_of(vma, size),
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
		where.alignment = vma_natural_alignment(vma, &where);
	}

	if (mutex_lock_interruptible(&vm->mutex)) {
		err = -ERESTARTSYS;
	} else {
		err = vma->bound ? 0 : vma_bind(vma, &where);
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
 * igen_vma_give_up_padding - frees the addresses behind what a VMA shows
 * @vma: the VMA, not in the GGTT; its object locked
 *
 * Nothing is bound there. A later igen_vma_pin() with the same size moves the VMA, since its padding is missing then.
 * Takes the address space's mutex; may sleep.
 *
 * Return: whether there were any.
 */
bool igen_vma_give_up_padding(struct igen_vma *vma)
{
	const u64 start = vma->node.start, size = (u64)vma->pages << PAGE_SHIFT;
	bool padded;

	dma_resv_assert_held(vma->bo->base.resv);

	mutex_lock(&vma->vm->mutex);
	padded = vma->bound && vma->node.size > size;
	if (padded) {
		drm_mm_remove_node(&vma->node);
		vma->node.start = start;
		vma->node.size = size;
		/* The range has just become free. */
		WARN_ON(drm_mm_reserve_node(&vma->vm->mm, &vma->node));
	}
	mutex_unlock(&vma->vm->mutex);
	return padded;
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

	trace_i915_vma_unbind(vma);
	if (vm->is_ggtt) {
		igen_bo_zap_aperture(bo);
		igen_fence_reg_release(vma);
	}
	vm->ops->clear(vm, vma->node.start, vma->node.size);
	list_del_init(&vma->vm_link);
	drm_mm_remove_node(&vma->node);
	vma->bound = false;
	WRITE_ONCE(vma->claimed_by, NULL);

	vma_mark_tlb(vma);
	igen_bo_unpin_pages(bo);
}

/**
 * igen_vma_unbind - unbinds a VMA
 * @vma: the VMA; its object locked
 * @intr: signals end the wait for its activity, and so does the removal of the device
 *
 * Takes the address space's mutex; may sleep.
 *
 * Return: 0, -EBUSY when pinned, -ERESTARTSYS, -ENODEV.
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

	/* The lock keeps new fences out, and each present fence signals, since a batch that hangs is reset. */
	left = igen_wait_resv(vma->vm->igen, bo->base.resv, DMA_RESV_USAGE_BOOKKEEP, intr, MAX_SCHEDULE_TIMEOUT);
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
 * The object lies at the top of the GGTT, so that the aperture stays free for objects that the CPU maps. May sleep.
 *
 * igen_ggtt_unpin_internal() undoes this and drops the object. igen_ggtt_put_internal() drops an object that is not
 * pinned any more.
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
 * The VMA has no other pin, and the GPU does not use it. Its pages and its mapping for the CPU stay.
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
 * igen_ggtt_lock_internal - lock an object of the driver's own in the GGTT
 * @vma: its VMA
 *
 * The caller may hold locks that come after this one in the lock order, so the lock is only tried. Other tasks hold it
 * for a short time only.
 *
 * Return: 0 or -ERESTARTSYS.
 * Context: may sleep.
 */
int igen_ggtt_lock_internal(struct igen_vma *vma)
{
	while (!dma_resv_trylock(vma->bo->base.resv)) {
		if (signal_pending(current))
			return -ERESTARTSYS;
		usleep_range(20, 100);
	}
	return 0;
}

/**
 * igen_ggtt_repin_internal - undo igen_ggtt_evict_internal()
 * @vma: the VMA, which may get another address
 *
 * Return: as igen_vma_pin().
 * Context: may sleep, and wait for other objects to leave the GGTT.
 */
int igen_ggtt_repin_internal(struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;
	int err;

	err = igen_ggtt_lock_internal(vma);
	if (err)
		return err;
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
 * igen_ggtt_put_internal - free an object of the driver's own that is not pinned any more
 * @vma: the object's VMA
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

/* Idle contexts leave the GGTT, one of each class of engines: of a process, or of any. False when there are none. */
static bool ggtt_evict_idle(struct igen_vm *ggtt, const struct igen_budget *of)
{
	unsigned int evicted;

	if (!ggtt->evict_contexts)
		return false;
	mutex_lock(&ggtt->mutex);
	evicted = ggtt->evict_contexts(ggtt, of, ggtt->total, 1);
	mutex_unlock(&ggtt->mutex);
	return evicted;
}

/* How often a client tries to get a place. A try for which it waits counts as TRY_MS: it waits for a second at most. */
#define TRIES	1000
#define TRY_MS	10

/**
 * igen_ggtt_charge_place - charge a client for a place in the GGTT that is to stay
 * @vm: the client's address space, or the driver's own
 * @use: what the place is for
 * @bytes: the size, a multiple of 4096
 * @all: bytes that all clients may have for this use
 *
 * Before a client is refused, idle contexts leave the GGTT, but not those of others for a process that would have more
 * than its share. Then the client waits, as its own contexts may come to their ends. Undone by
 * igen_ggtt_uncharge_place().
 *
 * Return: 0; -ENOSPC when the client would have more than it may; -ERESTARTSYS.
 * Context: may sleep; takes the GGTT's mutex.
 */
int igen_ggtt_charge_place(struct igen_vm *vm, enum igen_budget_ggtt use, u64 bytes, u64 all)
{
	unsigned long pages = bytes >> PAGE_SHIFT;
	unsigned int tries = 0;
	bool own;

	while (igen_budget_charge_ggtt(vm->budget, use, pages, all >> PAGE_SHIFT)) {
		own = igen_budget_exceeds_share_of_ggtt(vm->budget, use, pages, all >> PAGE_SHIFT);
		if (!ggtt_evict_idle(&vm->igen->ggtt.vm, own ? vm->budget : NULL)) {
			msleep_interruptible(TRY_MS);
			tries += TRY_MS - 1;
		}
		if (signal_pending(current))
			return -ERESTARTSYS;
		if (++tries >= TRIES)
			return -ENOSPC;
	}
	return 0;
}

/**
 * igen_ggtt_uncharge_place - a place in the GGTT can be taken away
 * @vm: as for igen_ggtt_charge_place()
 * @use: what it is for
 * @bytes: the size
 *
 * Context: any.
 */
void igen_ggtt_uncharge_place(struct igen_vm *vm, enum igen_budget_ggtt use, u64 bytes)
{
	igen_budget_uncharge_ggtt(vm->budget, use, bytes >> PAGE_SHIFT);
}
