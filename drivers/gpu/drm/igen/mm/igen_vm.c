// SPDX-License-Identifier: MIT
/**
 * DOC: Address spaces: who is where, and who must go
 *
 * Room is found by drm_mm. When there is none, bound VMAs that are idle and that nobody has locked are
 * collected, least recently bound first, until drm_mm sees a hole among them; when that is not enough, the mutex is
 * dropped to wait for a busy one, and the search begins anew. A fixed address evicts exactly what is in the way. In
 * the GGTT contexts that are not used give way before anything is waited for.
 */
#include <drm/drm_device.h>
#include <linux/delay.h>
#include <linux/sizes.h>

#include "../igen_device.h"
#include "igen_ggtt.h"
#include "igen_vm.h"

/* Searches for room, each after waiting for something that was in the way. */
#define MAX_TRIES 1000
/* Of which this many for somebody else's lock. */
#define MAX_LOCK_TRIES 100
/* Contexts of a class that leave the GGTT at a time, at first; then twice as many each time. */
#define FIRST_TO_GO 16

/**
 * igen_vm_init - the part that all address spaces have
 * @vm: the address space, zeroed
 * @igen: the device
 * @ops: the format of its tables
 * @total: its size in bytes
 */
void igen_vm_init(struct igen_vm *vm, struct igen_device *igen, const struct igen_vm_ops *ops, u64 total)
{
	kref_init(&vm->ref);
	vm->igen = igen;
	vm->ops = ops;
	vm->total = total;
	mutex_init(&vm->mutex);
	INIT_LIST_HEAD(&vm->bound);
	drm_mm_init(&vm->mm, 0, total);
}

/**
 * igen_vm_fini - undoes igen_vm_init(); for the formats' cleanup
 * @vm: the address space, empty
 */
void igen_vm_fini(struct igen_vm *vm)
{
	drm_mm_takedown(&vm->mm);
	mutex_destroy(&vm->mutex);
}

/**
 * igen_vm_release - the last reference is gone
 * @ref: igen_vm.ref
 *
 * May be called where one can't sleep; a worker frees the tables, a little later when a TLB flush has to come first,
 * which then may be one for others as well.
 */
void igen_vm_release(struct kref *ref)
{
	struct igen_vm *vm = container_of(ref, struct igen_vm, ref);
	struct igen_device *igen = vm->igen;
	unsigned long delay = igen_tlb_passed(igen, vm->tlb_mark) ? 0 : IGEN_FREE_DELAY;

	/* Once it is in the list, a worker that runs already may free it. */
	if (llist_add(&vm->free_node, &igen->mm.free_vms))
		queue_delayed_work(igen->wq, &igen->mm.free_work, delay);
}

/**
 * igen_vm_free_list - frees the address spaces whose last reference is gone
 * @igen: the device
 *
 * Called by the worker only.
 */
void igen_vm_free_list(struct igen_device *igen)
{
	struct llist_node *list = llist_del_all(&igen->mm.free_vms);
	struct igen_vm *vm, *next;

	llist_for_each_entry_safe(vm, next, list, free_node) {
		vm->ops->cleanup(vm);
		cond_resched();
	}
}

static bool idle(struct igen_bo *bo)
{
	return dma_resv_test_signaled(bo->base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/* The caller, who has the object of @wanted locked, has this one locked as well. */
static bool is_callers(const struct igen_vma *wanted, const struct igen_bo *bo)
{
	struct ww_acquire_ctx *own = dma_resv_locking_ctx(wanted->bo->base.resv);

	return bo->base.resv == wanted->bo->base.resv || (own && dma_resv_locking_ctx(bo->base.resv) == own);
}

/* Of what the caller has locked: it need not stay. */
static bool is_unwanted(const struct igen_vma *wanted, const struct igen_vma *vma)
{
	return !refcount_read(&vma->ref) || (vma->vm->is_ggtt && vma->bo == wanted->bo);
}

/*
 * A reference and the lock of the object of a bound VMA; vm->mutex held. What the caller himself has locked he wants,
 * unless nobody has a use for the VMA any more: two imports of one buffer share a lock, and the first may be closed. Of
 * parts of one object in the GGTT he wants one at a time, and has pinned it. An object in the GGTT may be on its way
 * out already. Putting the reference is safe with the mutex held: see igen_bo_free_object().
 */
static bool grab(const struct igen_vma *wanted, struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;

	if (!kref_get_unless_zero(&bo->base.refcount))
		return false;
	if (is_callers(wanted, bo) ? is_unwanted(wanted, vma) : dma_resv_trylock(bo->base.resv))
		return true;
	igen_bo_put(bo);
	return false;
}

static void unlock_grabbed(const struct igen_vma *wanted, struct igen_bo *bo)
{
	if (!is_callers(wanted, bo))
		igen_bo_unlock(bo);
}

static void release(const struct igen_vma *wanted, struct igen_bo *bo)
{
	unlock_grabbed(wanted, bo);
	igen_bo_put(bo);
}

/* Waits for a busy object, grabbed before and released here, without the mutex. */
static int wait_for(struct igen_vm *vm, const struct igen_vma *wanted, struct igen_bo *bo)
{
	long left;

	unlock_grabbed(wanted, bo);
	mutex_unlock(&vm->mutex);
	left = dma_resv_wait_timeout(bo->base.resv, DMA_RESV_USAGE_BOOKKEEP, true, MAX_SCHEDULE_TIMEOUT);
	mutex_lock(&vm->mutex);
	igen_bo_put(bo);
	return min(left, 0L);
}

/* Gives way to whoever has the lock of what is in the way. */
static int wait_for_lock(struct igen_vm *vm)
{
	mutex_unlock(&vm->mutex);
	usleep_range(20, 100);
	mutex_lock(&vm->mutex);
	return signal_pending(current) ? -ERESTARTSYS : 0;
}

/* What keeps a range from being freed, after one look. */
enum obstacle {
	/* nothing, or nobody looked: it is no use, or not wanted */
	NOTHING,
	/* something that is to stay */
	FIXED,
	/* somebody else's lock */
	LOCKED,
	/* activity: the object is grabbed */
	BUSY,
};

/* Why an object could not be grabbed: what the caller itself has locked stays, however long one waits. */
static enum obstacle not_grabbed(const struct igen_vma *wanted, const struct igen_bo *bo)
{
	return is_callers(wanted, bo) ? FIXED : LOCKED;
}

/* Unbinds what is in [start, end); what could not be is the obstacle. */
static enum obstacle clear_range(struct igen_vm *vm, const struct igen_vma *wanted, u64 start, u64 end,
				 struct igen_bo **busy)
{
	struct drm_mm_node *node, *next;
	struct igen_vma *other;
	struct igen_bo *bo;

	for (node = __drm_mm_interval_first(&vm->mm, start, end - 1); node->start < end; node = next) {
		next = list_next_entry(node, node_list);
		if (node->color == IGEN_COLOR_RESERVED)
			return FIXED;
		other = container_of(node, struct igen_vma, node);
		bo = other->bo;
		if (other->pin_count)
			return FIXED;
		if (!grab(wanted, other))
			return not_grabbed(wanted, bo);
		if (!idle(bo)) {
			*busy = bo;
			return BUSY;
		}
		igen_vma_unbind_locked(other);
		release(wanted, bo);
	}
	return NOTHING;
}

/*
 * Looks among the unpinned VMAs for neighbours whose going would make room, and unbinds those. Without any, the
 * oldest busy one (grabbed) is what to wait for.
 */
static enum obstacle make_room(struct igen_vm *vm, const struct igen_vma *wanted, const struct igen_placement *where,
			       u64 start, u64 end, enum drm_mm_insert_mode mode, struct igen_bo **busy)
{
	enum obstacle found = FIXED;
	struct igen_vma *vma, *next;
	struct drm_mm_scan scan;
	LIST_HEAD(seen);
	LIST_HEAD(evict);

	drm_mm_scan_init_with_range(&scan, &vm->mm, where->size, where->alignment, 0, start, end, mode);

	list_for_each_entry(vma, &vm->bound, vm_link) {
		if (vma->pin_count)
			continue;
		if (!grab(wanted, vma)) {
			if (found == FIXED)
				found = not_grabbed(wanted, vma->bo);
			continue;
		}
		if (!idle(vma->bo)) {
			if (found != BUSY) {
				found = BUSY;
				*busy = vma->bo;
			} else {
				release(wanted, vma->bo);
			}
			continue;
		}
		list_add(&vma->evict_link, &seen);
		if (drm_mm_scan_add_block(&scan, &vma->node)) {
			if (found == BUSY)
				release(wanted, *busy);
			found = NOTHING;
			break;
		}
	}

	/* Blocks leave the scan in the reverse order of their coming, each telling whether it is in the hole. */
	list_for_each_entry_safe(vma, next, &seen, evict_link) {
		if (drm_mm_scan_remove_block(&scan, &vma->node) && found == NOTHING)
			list_move(&vma->evict_link, &evict);
		else
			release(wanted, vma->bo);
	}
	list_for_each_entry_safe(vma, next, &evict, evict_link) {
		struct igen_bo *bo = vma->bo;

		igen_vma_unbind_locked(vma);
		release(wanted, bo);
	}
	return found;
}

/* Where what may be placed anywhere ends. */
static u64 end_of(const struct igen_vm *vm, u64 flags)
{
	u64 end = vm->total;

	if (flags & IGEN_PIN_MAPPABLE)
		end = min(end, vm->igen->ggtt.mappable_end);
	if (flags & IGEN_PIN_32B)
		end = min_t(u64, end, SZ_4G - PAGE_SIZE);
	return end;
}

static int try_place(struct igen_vm *vm, struct igen_vma *vma, const struct igen_placement *where,
		     enum obstacle *obstacle, struct igen_bo **busy)
{
	enum drm_mm_insert_mode mode = DRM_MM_INSERT_BEST;
	u64 flags = where->flags, start = 0, end = end_of(vm, flags);
	int err;

	if (flags & IGEN_PIN_FIXED) {
		start = flags & IGEN_PIN_OFFSET_MASK;
		if (!IS_ALIGNED(start, where->alignment) || start >= end || where->size > end - start)
			return -EINVAL;
		vma->node.start = start;
		vma->node.size = where->size;
		vma->node.color = 0;
		err = drm_mm_reserve_node(&vm->mm, &vma->node);
		if (err == -ENOSPC && !(flags & IGEN_PIN_NOEVICT)) {
			*obstacle = clear_range(vm, vma, start, start + where->size, busy);
			if (*obstacle == NOTHING)
				err = drm_mm_reserve_node(&vm->mm, &vma->node);
		}
		return err;
	}

	if (flags & IGEN_PIN_OFFSET_BIAS)
		start = flags & IGEN_PIN_OFFSET_MASK;
	if (start >= end || where->size > end - start)
		/* Padding is a matter of room. */
		return (u64)vma->pages << PAGE_SHIFT > vm->total ? -E2BIG : -ENOSPC;
	if (flags & IGEN_PIN_HIGH)
		mode = DRM_MM_INSERT_HIGH;
	else if (flags & IGEN_PIN_MAPPABLE)
		mode = DRM_MM_INSERT_LOW;

	err = drm_mm_insert_node_in_range(&vm->mm, &vma->node, where->size, where->alignment, 0, start, end, mode);
	if (err == -ENOSPC && !(flags & IGEN_PIN_NOEVICT)) {
		*obstacle = make_room(vm, vma, where, start, end, mode, busy);
		if (*obstacle == NOTHING)
			err = drm_mm_insert_node_in_range(&vm->mm, &vma->node, where->size, where->alignment, 0,
							  start, end, DRM_MM_INSERT_EVICT);
	}
	return err;
}

/**
 * igen_vm_place - gives a VMA a node
 * @vm: its address space; the mutex is held, and dropped while waiting
 * @vma: the VMA, unbound; its object locked
 * @where: where it may go
 *
 * Return: 0, -EINVAL, -E2BIG, -ENOSPC, -EAGAIN or -ERESTARTSYS, as in igen_vm.h.
 */
int igen_vm_place(struct igen_vm *vm, struct igen_vma *vma, const struct igen_placement *where)
{
	unsigned int tries, locked = 0, to_go = FIRST_TO_GO;
	enum obstacle obstacle;
	struct igen_bo *busy;
	int err;

	for (tries = 0; tries < MAX_TRIES; tries++) {
		obstacle = NOTHING;
		err = try_place(vm, vma, where, &obstacle, &busy);
		if (err != -ENOSPC)
			return err;

		if (vm->let_go && obstacle != NOTHING && vm->let_go(vm, end_of(vm, where->flags), to_go)) {
			if (obstacle == BUSY)
				release(vma, busy);
			to_go = min(2 * to_go, UINT_MAX / 4);
			continue;
		}

		switch (obstacle) {
		case NOTHING:
		case FIXED:
			return -ENOSPC;
		case LOCKED:
			if (++locked > MAX_LOCK_TRIES)
				return -EAGAIN;
			err = wait_for_lock(vm);
			break;
		case BUSY:
			err = wait_for(vm, vma, busy);
			break;
		}
		if (err)
			return err;
	}
	return -EAGAIN;
}

/**
 * igen_vm_evict_all - empties an address space
 * @vm: the address space
 * @intr: signals end the wait for activity
 *
 * What is pinned stays. The caller holds no object's lock. May sleep.
 *
 * Return: 0, -EBUSY when something stays, -ERESTARTSYS.
 */
int igen_vm_evict_all(struct igen_vm *vm, bool intr)
{
	struct igen_vma *vma;
	struct igen_bo *bo;
	int err = 0;

	mutex_lock(&vm->mutex);
	for (;;) {
		bool stays = false;

		bo = NULL;
		list_for_each_entry(vma, &vm->bound, vm_link) {
			if (!vma->pin_count && kref_get_unless_zero(&vma->bo->base.refcount)) {
				bo = vma->bo;
				break;
			}
			stays = true;
		}
		if (!bo) {
			err = stays ? -EBUSY : 0;
			break;
		}

		/* It is this object's VMA, so it lives as long as that is locked and bound. */
		mutex_unlock(&vm->mutex);
		igen_bo_lock(bo);
		err = igen_bo_unbind_all(bo, intr);
		igen_bo_unlock(bo);
		igen_bo_put(bo);
		mutex_lock(&vm->mutex);
		if (err && err != -EBUSY)
			break;
	}
	mutex_unlock(&vm->mutex);
	return err;
}
