// SPDX-License-Identifier: MIT
/**
 * DOC: Address spaces: placement and eviction
 *
 * drm_mm finds a free range for a VMA. When there is none, the driver makes room in this order:
 *
 * 1. It collects bound VMAs whose objects are idle and not locked, least recently bound first, until drm_mm finds a
 * hole
 *    among them. It evicts the VMAs of that hole.
 * 2. In the GGTT, it evicts idle contexts (submit/igen_evict_contexts.c).
 * 3. It drops the address space's mutex, waits for the oldest busy object, and starts again.
 *
 * In the GGTT, clients compete for places, and a client could always have one more request for its objects. So a
 * search there that meets busy objects claims a range, with the VMAs in it. An execbuf that would use a claimed VMA
 * anew waits, with nothing locked, until the search has ended, but for IGEN_CLAIM_MS at most, however many claims it
 * meets. The search may take longer: clients that do not store to a claimed object may keep it busy. So the search
 * waits for the requests that a busy object has, not for later ones, and looks again for a place.
 *
 * A VMA with a fixed address evicts exactly the VMAs that are in its way.
 */
#include <drm/drm_device.h>
#include <linux/delay.h>
#include <linux/sizes.h>

#include "../igen_device.h"
#include "../igen_trace.h"
#include "igen_ggtt.h"
#include "igen_vm.h"

/* Searches for room, each after waiting for something that was in the way. */
#define MAX_TRIES 1000
/* How many of these tries may wait for a lock that another task holds. */
#define MAX_LOCK_TRIES 100
/* How many idle contexts of a class are evicted at first; each further time twice as many. */
#define FIRST_TO_GO 16

/**
 * igen_vm_init - set up the part that all address spaces have
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
	init_waitqueue_head(&vm->unclaimed);
	INIT_LIST_HEAD(&vm->bound);
	drm_mm_init(&vm->mm, 0, total);
}

/**
 * igen_vm_fini - undo igen_vm_init(); called by the cleanup of a page table format
 * @vm: the address space, empty
 */
void igen_vm_fini(struct igen_vm *vm)
{
	drm_mm_takedown(&vm->mm);
	mutex_destroy(&vm->mutex);
}

/**
 * igen_ppgtt_create - make an empty address space
 * @igen: the device
 * @budget: the budget of the client that owns the address space, or NULL for the driver's own
 *
 * Return: the address space with one reference; ERR_PTR of -ENOMEM, or of -ENODEV when the device has gone.
 * Context: may sleep.
 */
struct igen_vm *igen_ppgtt_create(struct igen_device *igen, struct igen_budget *budget)
{
	struct igen_vm *vm = igen->platform->gtt->ppgtt_create(igen, budget);

	if (!IS_ERR(vm))
		trace_i915_ppgtt_create(vm);
	return vm;
}

/**
 * igen_vm_release - free an address space whose last reference is gone
 * @ref: igen_vm.ref
 *
 * A worker frees the page tables. If a TLB flush has to come first, the worker starts a little later, so that one flush
 * serves several address spaces.
 *
 * Context: any.
 */
void igen_vm_release(struct kref *ref)
{
	struct igen_vm *vm = container_of(ref, struct igen_vm, ref);
	struct igen_device *igen = vm->igen;
	unsigned long delay = igen_tlb_passed(igen, vm->tlb_mark) ? 0 : IGEN_FREE_DELAY;

	trace_i915_ppgtt_release(vm);
	/* As soon as the address space is on the list, a worker that runs already may free it. */
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

/* The caller has locked the object of @wanted. Has it locked the object @bo as well? */
static bool vm_is_locked_by_caller(const struct igen_vma *wanted, const struct igen_bo *bo)
{
	struct ww_acquire_ctx *own = dma_resv_locking_ctx(wanted->bo->base.resv);

	return bo->base.resv == wanted->bo->base.resv || (own && dma_resv_locking_ctx(bo->base.resv) == own);
}

/* May a VMA be evicted although the caller has its object locked? */
static bool vm_is_unwanted(const struct igen_vma *wanted, const struct igen_vma *vma)
{
	return !refcount_read(&vma->ref) || (vma->vm->is_ggtt && vma->bo == wanted->bo);
}

/*
 * Takes a reference to the object of a bound VMA, and locks the object. vm->mutex is held. An object that the caller
 * itself has locked is in use by the caller, with two exceptions. Two imports of one buffer share a lock, and the first
 * one may be closed, so that its VMA has no users. And the caller wants only one part of an object in the GGTT at a
 * time, which it has pinned, so other parts may go. The object of a VMA in the GGTT may already be without references.
 * The reference may be put with the mutex held: see igen_bo_free_object().
 */
static bool vm_grab(const struct igen_vma *wanted, struct igen_vma *vma)
{
	struct igen_bo *bo = vma->bo;

	if (!kref_get_unless_zero(&bo->base.refcount))
		return false;
	if (vm_is_locked_by_caller(wanted, bo) ? vm_is_unwanted(wanted, vma) : dma_resv_trylock(bo->base.resv))
		return true;
	igen_bo_put(bo);
	return false;
}

static void vm_unlock_grabbed(const struct igen_vma *wanted, struct igen_bo *bo)
{
	if (!vm_is_locked_by_caller(wanted, bo))
		igen_bo_unlock(bo);
}

static void vm_release_grabbed(const struct igen_vma *wanted, struct igen_bo *bo)
{
	vm_unlock_grabbed(wanted, bo);
	igen_bo_put(bo);
}

/* Waits for a busy object that vm_grab() took, and releases it. Drops the address space's mutex meanwhile. */
static int vm_wait_for_bo(struct igen_vm *vm, const struct igen_vma *wanted, struct igen_bo *bo)
{
	int err;

	vm_unlock_grabbed(wanted, bo);
	mutex_unlock(&vm->mutex);
	err = igen_bo_wait_requests(bo);
	mutex_lock(&vm->mutex);
	igen_bo_put(bo);
	return err;
}

/*
 * Waits until another task has unlocked an object that has to be evicted, and puts the reference to it. Drops the
 * address space's mutex meanwhile.
 *
 * Two calls that each want an object which the other has locked must not wait for each other. With an acquire context
 * the older call waits. The younger call gets -EAGAIN and has to unlock its objects; igen_ww.contended keeps the
 * reference. Without an acquire context the call sleeps for a short time, also for an object that is being freed
 * (NULL). In the GGTT it always does: another client may keep the object locked while that client waits for batches.
 */
static int vm_wait_for_lock(struct igen_vm *vm, const struct igen_vma *wanted, struct igen_bo *bo)
{
	struct ww_acquire_ctx *own = vm->is_ggtt ? NULL : dma_resv_locking_ctx(wanted->bo->base.resv);
	int err;

	mutex_unlock(&vm->mutex);
	if (own && bo) {
		err = dma_resv_lock_interruptible(bo->base.resv, own);
	} else {
		usleep_range(20, 100);
		err = signal_pending(current) ? -EINTR : 0;
	}
	mutex_lock(&vm->mutex);

	if (err == -EDEADLK) {
		container_of(own, struct igen_ww, base)->contended = bo;
		return -EAGAIN;
	}
	if (own && bo && !err)
		dma_resv_unlock(bo->base.resv);
	if (bo)
		igen_bo_put(bo);
	return err ? -ERESTARTSYS : 0;
}

/* Why an attempt to make room has failed. */
enum obstacle {
	/* it has not failed, or eviction was not allowed or would not help */
	NOTHING,
	/* a VMA or a range that can't be evicted is in the way */
	FIXED,
	/* another task has locked the object; there is a reference to it unless it is being freed */
	LOCKED,
	/* the GPU uses the object; vm_grab() has taken it */
	BUSY,
};

/* Why vm_grab() has failed. An object that the caller itself has locked stays, however long one waits. */
static enum obstacle vm_why_not_grabbed(const struct igen_vma *wanted, struct igen_bo *bo, struct igen_bo **in_way)
{
	if (vm_is_locked_by_caller(wanted, bo))
		return FIXED;
	*in_way = kref_get_unless_zero(&bo->base.refcount) ? bo : NULL;
	return LOCKED;
}

/* Gives back the object that an obstacle came with. */
static void vm_forget_obstacle(const struct igen_vma *wanted, enum obstacle obstacle, struct igen_bo *bo)
{
	if (obstacle == BUSY)
		vm_release_grabbed(wanted, bo);
	else if (obstacle == LOCKED && bo)
		igen_bo_put(bo);
}

/* Unbinds all VMAs in the range [start, end). Stops at the first obstacle. */
static enum obstacle vm_clear_range(struct igen_vm *vm, const struct igen_vma *wanted, u64 start, u64 end,
				    struct igen_bo **in_way)
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
		if (!vm_grab(wanted, other))
			return vm_why_not_grabbed(wanted, bo, in_way);
		if (igen_bo_has_requests(bo)) {
			*in_way = bo;
			return BUSY;
		}
		igen_vma_unbind_locked(other);
		vm_release_grabbed(wanted, bo);
	}
	return NOTHING;
}

static void vm_evict_list(const struct igen_vma *wanted, struct list_head *evict)
{
	struct igen_vma *vma, *next;

	list_for_each_entry_safe(vma, next, evict, evict_link) {
		struct igen_bo *bo = vma->bo;

		igen_vma_unbind_locked(vma);
		vm_release_grabbed(wanted, bo);
	}
}

/*
 * Searches the unpinned VMAs for neighbours whose ranges together are large enough, and unbinds these. If there are
 * none, returns the oldest busy object in @in_way, grabbed, or the oldest locked one, to wait for; one of a claimed VMA
 * if there is any.
 */
static enum obstacle vm_make_room(struct igen_vm *vm, const struct igen_vma *wanted, const struct igen_placement *where,
				  u64 start, u64 end, enum drm_mm_insert_mode mode, struct igen_bo **in_way)
{
	enum obstacle found = FIXED;
	bool found_claimed = false;
	struct igen_vma *vma, *next;
	struct drm_mm_scan scan;
	LIST_HEAD(seen);
	LIST_HEAD(evict);

	drm_mm_scan_init_with_range(&scan, &vm->mm, where->size, where->alignment, 0, start, end, mode);

	list_for_each_entry(vma, &vm->bound, vm_link) {
		if (vma->pin_count)
			continue;
		if (!vm_grab(wanted, vma)) {
			if (found == FIXED)
				found = vm_why_not_grabbed(wanted, vma->bo, in_way);
			continue;
		}
		if (igen_bo_has_requests(vma->bo)) {
			bool claimed = vma->claimed_by == wanted;

			if (found != BUSY || (claimed && !found_claimed)) {
				vm_forget_obstacle(wanted, found, *in_way);
				found = BUSY;
				found_claimed = claimed;
				*in_way = vma->bo;
			} else {
				vm_release_grabbed(wanted, vma->bo);
			}
			continue;
		}
		list_add(&vma->evict_link, &seen);
		if (drm_mm_scan_add_block(&scan, &vma->node)) {
			vm_forget_obstacle(wanted, found, *in_way);
			found = NOTHING;
			break;
		}
	}

	/* drm_mm wants the blocks removed in reverse order, and says of each whether it is part of the hole. */
	list_for_each_entry_safe(vma, next, &seen, evict_link) {
		if (drm_mm_scan_remove_block(&scan, &vma->node) && found == NOTHING)
			list_move(&vma->evict_link, &evict);
		else
			vm_release_grabbed(wanted, vma->bo);
	}
	vm_evict_list(wanted, &evict);
	return found;
}

/* The end of the range in which a VMA with these flags may be placed. */
static u64 vm_end_of(const struct igen_vm *vm, u64 flags)
{
	u64 end = vm->total;

	if (flags & IGEN_PIN_MAPPABLE)
		end = min(end, vm->igen->ggtt.mappable_end);
	if (flags & IGEN_PIN_LOWER_HALF)
		end = min(end, vm->total / 2);
	if (flags & IGEN_PIN_32B)
		end = min_t(u64, end, SZ_4G - PAGE_SIZE);
	return end;
}

/* Claims the range that holds VMAs bound longest ago, busy or not. */
static void vm_claim(struct igen_vm *vm, const struct igen_vma *wanted, const struct igen_placement *where)
{
	u64 start = where->flags & IGEN_PIN_OFFSET_BIAS ? where->flags & IGEN_PIN_OFFSET_MASK : 0;
	struct igen_vma *vma, *next;
	struct drm_mm_scan scan;
	bool found = false;
	LIST_HEAD(seen);

	drm_mm_scan_init_with_range(&scan, &vm->mm, where->size, where->alignment, 0, start,
				    vm_end_of(vm, where->flags), DRM_MM_INSERT_BEST);
	list_for_each_entry(vma, &vm->bound, vm_link) {
		if (vma->pin_count || vm_is_locked_by_caller(wanted, vma->bo))
			continue;
		list_add(&vma->evict_link, &seen);
		found = drm_mm_scan_add_block(&scan, &vma->node);
		if (found)
			break;
	}
	list_for_each_entry_safe(vma, next, &seen, evict_link)
		if (drm_mm_scan_remove_block(&scan, &vma->node) && found && !vma->claimed_by)
			WRITE_ONCE(vma->claimed_by, wanted);
}

static void vm_unclaim(struct igen_vm *vm, const struct igen_vma *wanted)
{
	struct igen_vma *vma;

	list_for_each_entry(vma, &vm->bound, vm_link)
		if (vma->claimed_by == wanted)
			WRITE_ONCE(vma->claimed_by, NULL);
	wake_up_all(&vm->unclaimed);
}

/**
 * igen_vma_await_unclaimed - wait until no search for room wants the place of a VMA any more
 * @vma: a VMA of the GGTT; the caller holds its object, and has nothing locked
 * @left: for how many jiffies the call may wait, at least 1; what is left of them afterwards. At 0 the call need not
 *	  heed claims any more
 *
 * A wait costs a jiffy at least, since one search may claim the place after the other.
 *
 * Return: 0, or -EINTR for a signal.
 * Context: may sleep.
 */
int igen_vma_await_unclaimed(const struct igen_vma *vma, unsigned long *left)
{
	long rest = wait_event_interruptible_timeout(vma->vm->unclaimed, !igen_vma_is_claimed(vma), *left);

	if (rest < 0)
		return -EINTR;
	*left = min_t(unsigned long, rest, *left - 1);
	return 0;
}

static int vm_try_place(struct igen_vm *vm, struct igen_vma *vma, const struct igen_placement *where,
			enum obstacle *obstacle, struct igen_bo **in_way)
{
	enum drm_mm_insert_mode mode = DRM_MM_INSERT_BEST;
	u64 flags = where->flags, start = 0, end = vm_end_of(vm, flags);
	u64 first = max_t(u64, where->alignment, PAGE_SIZE);
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
			trace_i915_gem_evict_node(vma, where);
			*obstacle = vm_clear_range(vm, vma, start, start + where->size, in_way);
			if (*obstacle == NOTHING)
				err = drm_mm_reserve_node(&vm->mm, &vma->node);
		}
		return err;
	}

	if (flags & IGEN_PIN_OFFSET_BIAS)
		start = flags & IGEN_PIN_OFFSET_MASK;
	/*
	 * Clients say of an object that they have never seen bound that it is at 0, and write other addresses into
	 * their batches (IGT's gem_userptr_blits). Such relocations would be taken as right if it was there.
	 */
	if (!start && !vm->is_ggtt && first < end && where->size <= end - first)
		start = first;
	if (start >= end || where->size > end - start)
		/* Without its padding the VMA would fit, so this is a lack of room. */
		return (u64)vma->pages << PAGE_SHIFT > vm->total ? -E2BIG : -ENOSPC;
	if (flags & IGEN_PIN_HIGH)
		mode = DRM_MM_INSERT_HIGH;
	else if (flags & IGEN_PIN_MAPPABLE)
		mode = DRM_MM_INSERT_LOW;

	err = drm_mm_insert_node_in_range(&vm->mm, &vma->node, where->size, where->alignment, 0, start, end, mode);
	if (err == -ENOSPC && !(flags & IGEN_PIN_NOEVICT)) {
		trace_i915_gem_evict(vm, where);
		*obstacle = vm_make_room(vm, vma, where, start, end, mode, in_way);
		if (*obstacle == NOTHING)
			err = drm_mm_insert_node_in_range(&vm->mm, &vma->node, where->size, where->alignment, 0,
							  start, end, DRM_MM_INSERT_EVICT);
	}
	return err;
}

/* Places the VMA; sets @claims when it has claimed others. */
static int vm_search(struct igen_vm *vm, struct igen_vma *vma, const struct igen_placement *where, bool *claims)
{
	unsigned int tries, locked = 0, to_go = FIRST_TO_GO;
	enum obstacle obstacle;
	struct igen_bo *in_way;
	int err;

	for (tries = 0; tries < MAX_TRIES; tries++) {
		obstacle = NOTHING;
		err = vm_try_place(vm, vma, where, &obstacle, &in_way);
		if (err != -ENOSPC)
			return err;

		if (vm->evict_contexts && obstacle != NOTHING &&
		    vm->evict_contexts(vm, NULL, vm_end_of(vm, where->flags), to_go)) {
			vm_forget_obstacle(vma, obstacle, in_way);
			to_go = min(2 * to_go, UINT_MAX / 4);
			continue;
		}
		/* A fixed range needs none: only the driver has such in the GGTT. */
		if (vm->is_ggtt && !*claims && obstacle != NOTHING && !(where->flags & IGEN_PIN_FIXED)) {
			vm_claim(vm, vma, where);
			*claims = true;
		}

		switch (obstacle) {
		case NOTHING:
		case FIXED:
			return -ENOSPC;
		case LOCKED:
			if (++locked > MAX_LOCK_TRIES) {
				vm_forget_obstacle(vma, obstacle, in_way);
				return -EAGAIN;
			}
			err = vm_wait_for_lock(vm, vma, in_way);
			break;
		case BUSY:
			err = vm_wait_for_bo(vm, vma, in_way);
			break;
		}
		if (err)
			return err;
	}
	return -EAGAIN;
}

/**
 * igen_vm_place - find an address for a VMA and reserve it
 * @vm: the VMA's address space; the mutex is held, and dropped while waiting
 * @vma: the VMA, unbound; its object is locked
 * @where: size, alignment and flags
 *
 * For igen_vma_pin(). Evicts other VMAs if need be.
 *
 * Return: 0, -EINVAL, -E2BIG, -ENOSPC, -EAGAIN or -ERESTARTSYS, as igen_vma_pin().
 */
int igen_vm_place(struct igen_vm *vm, struct igen_vma *vma, const struct igen_placement *where)
{
	bool claims = false;
	int err = vm_search(vm, vma, where, &claims);

	if (unlikely(claims))
		vm_unclaim(vm, vma);
	return err;
}

/**
 * igen_vm_find_bound - what is bound at an address
 * @vm: the address space
 * @address: in it, not canonical
 *
 * Return: the VMA, which stays bound while the mutex is held, or NULL.
 * Context: vm->mutex held.
 */
struct igen_vma *igen_vm_find_bound(struct igen_vm *vm, u64 address)
{
	struct drm_mm_node *node;
	struct igen_vma *vma;

	lockdep_assert_held(&vm->mutex);

	drm_mm_for_each_node_in_range(node, &vm->mm, address, address + 1) {
		if (node->color == IGEN_COLOR_RESERVED)
			continue;
		vma = container_of(node, struct igen_vma, node);
		if (vma->bound)
			return vma;
	}
	return NULL;
}

/**
 * igen_vm_evict_all - evict all VMAs of an address space that are not pinned
 * @vm: the address space
 * @intr: signals end the wait for busy objects
 *
 * Return: 0, -EBUSY when a VMA stays, -ERESTARTSYS.
 * Context: may sleep; the caller holds no object's lock.
 */
int igen_vm_evict_all(struct igen_vm *vm, bool intr)
{
	struct igen_vma *vma;
	struct igen_bo *bo;
	int err = 0;

	trace_i915_gem_evict_vm(vm);
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

		/* The VMA is valid as long as its object is locked and the VMA is bound. */
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
