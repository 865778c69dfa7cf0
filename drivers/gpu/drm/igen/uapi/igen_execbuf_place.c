// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf: a place for every object
 *
 * Nearly always each object is still where it was, which costs a few comparisons. What is not goes through
 * two passes. First all that stands wrong is unbound, then it is bound anew: objects with an address of
 * userspace's choice first, those that need the low 4 GB next, the rest last and where userspace thinks
 * they are, if that is free. Should there be no room, all of the call's objects without a fixed address leave their
 * places and the second pass runs again. The objects' locks are held, so nobody else moves them and no pin is needed.
 */
#include "igen_execbuf.h"

static bool misplaced(const struct drm_i915_gem_exec_object2 *entry, const struct igen_exec_vma *ev)
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

static int bind(struct igen_vma *vma, u64 size, u64 alignment, u64 flags)
{
	int err;

	err = igen_vma_pin(vma, size, alignment, flags);
	/* The object's lock holds it in place until the request's fence does. */
	if (!err)
		igen_vma_unpin(vma);
	return err;
}

static bool hint_fits(const struct drm_i915_gem_exec_object2 *entry, const struct igen_exec_vma *ev)
{
	u64 size = max_t(u64, entry->pad_to_size, ev->vma->bo->base.size);
	u64 start = entry->offset;

	if (start & ~PAGE_MASK || (entry->alignment && !IS_ALIGNED(start, entry->alignment)))
		return false;
	if (ev->flags & IGEN_EXEC_BIAS && start < IGEN_EXEC_BATCH_BIAS)
		return false;
	if (!(ev->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS) && (start + size + 4095) >> 32)
		return false;
	return start < ev->vma->vm->total && size <= ev->vma->vm->total - start;
}

static int place_one(const struct drm_i915_gem_exec_object2 *entry, struct igen_exec_vma *ev)
{
	struct igen_vma *vma = ev->vma;
	u64 flags = 0;
	int err;

	if (ev->flags & EXEC_OBJECT_PINNED) {
		u64 size = max_t(u64, entry->pad_to_size, vma->bo->base.size);

		if (entry->alignment && !IS_ALIGNED(entry->offset, entry->alignment))
			return -EINVAL;
		if (!(ev->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS) && (entry->offset + size + 4095) >> 32)
			return -EINVAL;
		return bind(vma, entry->pad_to_size, entry->alignment, IGEN_PIN_FIXED | entry->offset);
	}

	if (hint_fits(entry, ev)) {
		err = bind(vma, entry->pad_to_size, entry->alignment,
			   IGEN_PIN_FIXED | IGEN_PIN_NOEVICT | entry->offset);
		if (err != -ENOSPC)
			return err;
	}

	if (!(ev->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS))
		flags |= IGEN_PIN_32B;
	if (ev->flags & IGEN_EXEC_BIAS)
		flags |= IGEN_PIN_OFFSET_BIAS | IGEN_EXEC_BATCH_BIAS;
	return bind(vma, entry->pad_to_size, entry->alignment, flags);
}

/* In which round an object is placed: fixed, low, anywhere. */
static unsigned int urgency(const struct igen_exec_vma *ev)
{
	if (ev->flags & EXEC_OBJECT_PINNED)
		return 0;
	return ev->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS ? 2 : 1;
}

static int place_all(struct igen_execbuf *eb)
{
	struct igen_exec_vma *ev;
	unsigned int i, round;
	int err;

	for (i = 0; i < eb->count; i++) {
		ev = &eb->ev[i];
		if (!(ev->flags & IGEN_EXEC_UNPLACED) || !drm_mm_node_allocated(&ev->vma->node))
			continue;
		err = igen_vma_unbind(ev->vma, true);
		if (err)
			return err;
	}

	for (round = 0; round < 3; round++) {
		for (i = 0; i < eb->count; i++) {
			ev = &eb->ev[i];
			if (!(ev->flags & IGEN_EXEC_UNPLACED) || urgency(ev) != round)
				continue;
			/* A second entry of an object that has just been placed. */
			if (ev->vma->bound)
				continue;
			err = place_one(&eb->exec[i], ev);
			if (err)
				return err;
		}
	}

	return 0;
}

/**
 * igen_execbuf_place - binds what is not bound, or not where it has to be
 * @eb: the call, with all objects locked
 *
 * Sets eb->relocate and the entries' offsets when an object is not where userspace thinks it is. May sleep.
 *
 * Return: 0; -ENOSPC when they don't fit together; -EAGAIN when others' locks are in the way, for another try without
 * ours; -EINVAL for an address that cannot be; -ENOMEM, -EFAULT, -EINTR.
 */
int igen_execbuf_place(struct igen_execbuf *eb)
{
	bool unplaced = false;
	unsigned int i;
	int err;

	for (i = 0; i < eb->count; i++) {
		if (likely(!misplaced(&eb->exec[i], &eb->ev[i]))) {
			eb->ev[i].flags &= ~IGEN_EXEC_UNPLACED;
			continue;
		}
		eb->ev[i].flags |= IGEN_EXEC_UNPLACED;
		unplaced = true;
	}

	if (unplaced) {
		err = place_all(eb);
		if (err == -ENOSPC || err == -EAGAIN) {
			/* Perhaps our own objects are in the way, or make room where others' would have to go. */
			for (i = 0; i < eb->count; i++)
				if (!(eb->ev[i].flags & EXEC_OBJECT_PINNED))
					eb->ev[i].flags |= IGEN_EXEC_UNPLACED;
			err = place_all(eb);
		}
		if (err)
			return err;

		/* Two entries of one object may contradict each other. */
		for (i = 0; i < eb->count; i++)
			if (misplaced(&eb->exec[i], &eb->ev[i]))
				return -EINVAL;
	}

	for (i = 0; i < eb->count; i++) {
		u64 start = igen_vma_start(eb->ev[i].vma);

		if (unlikely(eb->exec[i].offset != start)) {
			eb->exec[i].offset = start;
			eb->ev[i].flags |= IGEN_EXEC_UPDATED;
			eb->relocate = true;
		}
	}

	return 0;
}
