// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf: placement of objects
 *
 * Nearly always all objects are bound where they have to be. Then a few comparisons are all that placement costs.
 *
 * Otherwise the first pass unbinds the objects that are bound in a wrong place. The second pass binds all unbound
 * objects in this order: objects with an address that userspace chose, objects that need the low 4 GB, and all others.
 * The latter get the address that userspace presumes, if that is free. If there is no room, all of the call's objects
 * without a fixed address are unbound, and the second pass runs again.
 *
 * The call holds the objects' locks. So nothing else moves the objects, and they need no pins.
 */
#include "../igen_killable.h"
#include "igen_execbuf.h"

static bool place_is_wrong(const struct drm_i915_gem_exec_object2 *entry, const struct igen_exec_vma *ev)
{
	const struct drm_mm_node *node = &ev->vma->node;

	if (!ev->vma->bound)
		return true;
	if (node->size < entry->pad_to_size)
		return true;
	if (entry->alignment && !IS_ALIGNED(node->start, entry->alignment))
		return true;
	if (ev->flags & EXEC_OBJECT_PINNED)
		return node->start != entry->offset;
	if (ev->flags & IGEN_EXEC_BIAS && node->start < IGEN_EXEC_BATCH_BIAS)
		return true;
	/* General state and instructions reach 4 GB, and not its last page (Wa32bitGeneralStateOffset). */
	if (!(ev->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS) && (node->start + node->size + 4095) >> 32)
		return true;
	return false;
}

static int place_bind(struct igen_vma *vma, u64 size, u64 alignment, u64 flags)
{
	int err;

	err = igen_vma_pin(vma, size, alignment, flags);
	/* The object's lock holds it in place until the request's fence does. */
	if (!err)
		igen_vma_unpin(vma);
	return err;
}

static bool place_hint_fits(const struct drm_i915_gem_exec_object2 *entry, const struct igen_exec_vma *ev)
{
	u64 size = max_t(u64, entry->pad_to_size, ev->vma->bo->base.size);
	u64 start = entry->offset;

	/*
	 * Clients give 0 for an object that they have never seen bound, so it is no place that they want. In an
	 * address space of 32 bits or less an offset below an object at 0 (IGT's gem_bad_reloc) would lie behind the
	 * last address.
	 */
	if (!start && ev->vma->vm->total <= BIT_ULL(32))
		return false;
	if (start & ~PAGE_MASK || (entry->alignment && !IS_ALIGNED(start, entry->alignment)))
		return false;
	if (ev->flags & IGEN_EXEC_BIAS && start < IGEN_EXEC_BATCH_BIAS)
		return false;
	if (!(ev->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS) && (start + size + 4095) >> 32)
		return false;
	return start < ev->vma->vm->total && size <= ev->vma->vm->total - start;
}

/* Where the part of the address space ends that the object may use. */
static u64 place_end(const struct igen_exec_vma *ev)
{
	u64 total = ev->vma->vm->total;

	return ev->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS ? total : min_t(u64, total, SZ_4G - SZ_4K);
}

static int place_object(const struct drm_i915_gem_exec_object2 *entry, struct igen_exec_vma *ev)
{
	struct igen_vma *vma = ev->vma;
	u64 flags = 0;
	int err;

	if (ev->flags & EXEC_OBJECT_PINNED) {
		u64 size = max_t(u64, entry->pad_to_size, vma->bo->base.size);

		/* The address space has no address at which the object fits. */
		if (size > place_end(ev))
			return -ENOSPC;
		if (entry->alignment && !IS_ALIGNED(entry->offset, entry->alignment))
			return -EINVAL;
		if (!(ev->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS) && (entry->offset + size + 4095) >> 32)
			return -EINVAL;
		return place_bind(vma, entry->pad_to_size, entry->alignment, IGEN_PIN_FIXED | entry->offset);
	}

	if (place_hint_fits(entry, ev)) {
		err = place_bind(vma, entry->pad_to_size, entry->alignment,
				 IGEN_PIN_FIXED | IGEN_PIN_NOEVICT | entry->offset);
		if (err != -ENOSPC)
			return err;
	}

	if (!(ev->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS))
		flags |= IGEN_PIN_32B;
	if (ev->flags & IGEN_EXEC_BIAS)
		flags |= IGEN_PIN_OFFSET_BIAS | IGEN_EXEC_BATCH_BIAS;
	return place_bind(vma, entry->pad_to_size, entry->alignment, flags);
}

/* In which round an object is placed: fixed, low, anywhere. */
static unsigned int place_order(const struct igen_exec_vma *ev)
{
	if (ev->flags & EXEC_OBJECT_PINNED)
		return 0;
	return ev->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS ? 2 : 1;
}

static int place_objects(struct igen_execbuf *eb)
{
	struct igen_exec_vma *ev;
	unsigned int i, round;
	int err;

	for (i = 0; i < eb->count; i++) {
		ev = &eb->ev[i];
		if (!(ev->flags & IGEN_EXEC_UNPLACED) || !drm_mm_node_allocated(&ev->vma->node))
			continue;
		err = igen_check_killed() ?: igen_vma_unbind(ev->vma, true);
		if (err)
			return err;
	}

	for (round = 0; round < 3; round++) {
		for (i = 0; i < eb->count; i++) {
			ev = &eb->ev[i];
			if (!(ev->flags & IGEN_EXEC_UNPLACED) || place_order(ev) != round)
				continue;
			/* A second entry of an object that has just been placed. */
			if (ev->vma->bound)
				continue;
			err = igen_check_killed() ?: place_object(&eb->exec[i], ev);
			if (err)
				return err;
		}
	}

	return 0;
}

/* Notes which objects are not at the address that userspace presumes. */
static void place_note_offsets(struct igen_execbuf *eb)
{
	unsigned int i;

	for (i = 0; i < eb->count; i++) {
		u64 start = igen_vma_start(eb->ev[i].vma);

		if (unlikely(eb->exec[i].offset != start)) {
			eb->exec[i].offset = start;
			eb->ev[i].flags |= IGEN_EXEC_UPDATED;
			eb->relocate = true;
		}
	}
}

/**
 * igen_execbuf_place - bind all objects of a call where they have to be
 * @eb: the call, with all objects locked
 *
 * If an object is not at the address that userspace presumes, sets eb->relocate and the entry's offset.
 *
 * Return: 0; -ENOSPC when the objects don't fit together; -EAGAIN when other tasks' locks are in the way, and the
 * caller has to unlock its objects and try again; -EINVAL for an impossible address; -ENOMEM, -EFAULT, -EINTR.
 * Context: may sleep.
 */
int igen_execbuf_place(struct igen_execbuf *eb)
{
	bool unplaced = false;
	unsigned int i;
	int err;

	for (i = 0; i < eb->count; i++) {
		err = igen_check_killed_at(i);
		if (err)
			return err;
		if (likely(!place_is_wrong(&eb->exec[i], &eb->ev[i]))) {
			eb->ev[i].flags &= ~IGEN_EXEC_UNPLACED;
			continue;
		}
		eb->ev[i].flags |= IGEN_EXEC_UNPLACED;
		unplaced = true;
	}

	if (unplaced) {
		err = place_objects(eb);
		if (err == -ENOSPC || (err == -EAGAIN && !eb->ww.contended)) {
			/*
			 * The call's own objects may be in the way, or unbinding them may make enough room: place all
			 * of them again.
			 */
			for (i = 0; i < eb->count; i++)
				if (!(eb->ev[i].flags & EXEC_OBJECT_PINNED))
					eb->ev[i].flags |= IGEN_EXEC_UNPLACED;
			err = place_objects(eb);
		}
		if (err)
			return err;

		/* Two entries of one object may contradict each other. */
		for (i = 0; i < eb->count; i++)
			if (place_is_wrong(&eb->exec[i], &eb->ev[i]))
				return -EINVAL;
	}

	if (unlikely(eb->igen->platform->global_stores)) {
		err = igen_execbuf_place_global(eb);
		if (err)
			return err;
	}

	place_note_offsets(eb);
	return 0;
}
