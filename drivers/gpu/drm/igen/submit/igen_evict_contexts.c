// SPDX-License-Identifier: MIT
/**
 * DOC: Eviction of idle contexts from the GGTT
 *
 * The image and the ring of a context have addresses in the GGTT. All clients share the GGTT, and a client may have
 * many contexts. When the GGTT has no room for something else, the driver evicts the images and rings of idle contexts,
 * those first that were not used for the longest time. The next request of an evicted context binds its image and ring
 * again, perhaps at other addresses.
 *
 * A context is idle on an engine if three conditions hold. Its timeline has no requests. Only the context itself holds
 * a reference to the LRC: a hardware port holds the LRC until the engine has saved the image, and a request that waits
 * for a seqno of the LRC holds it too (igen_semaphore.c). A register has confirmed that the engine has left the context
 * (igen_departure.c).
 *
 * The submission of a context that stays in the GGTT has no check for this. An evicted ring looks full, so
 * igen_request_create() comes to the slow path, which binds it again.
 */
#include "../igen_device.h"
#include "../mm/igen_budget.h"
#include "../mm/igen_vm.h"
#include "igen_retire.h"
#include "igen_submit.h"

/* LRCs in a row that could not be evicted before the search ends, since it blocks other users of the GGTT's mutex. */
#define MAX_LOOKS 4096

/* Evicts an LRC if it is idle. The caller holds the GGTT's mutex and a reference to the LRC's context. */
static bool evict_lrc(struct igen_lrc *lrc)
{
	struct igen_engine_group *group = lrc->group;
	bool done = false, unused;

	/* The lock order is the timeline's mutex, then the GGTT's; so here it is only tried. */
	if (!mutex_trylock(&lrc->timeline.mutex))
		return false;
	igen_lrc_retire(lrc);
	if (list_empty(&lrc->timeline.requests)) {
		/*
		 * A new reference to the LRC is taken only under this lock, by way of a request that has not
		 * completed. The timeline has no such request, so the count cannot rise after this check.
		 */
		spin_lock_irq(&group->lock);
		unused = kref_read(&lrc->ref) == 1 && igen_lrc_has_left(lrc);
		spin_unlock_irq(&group->lock);
		done = unused && igen_lrc_unpin(lrc);
	}
	mutex_unlock(&lrc->timeline.mutex);
	return done;
}

/* Something of the LRC is below an address. */
static bool evict_is_below(const struct igen_lrc *lrc, u64 below)
{
	return igen_vma_start(lrc->image.vma) < below || (lrc->ring.vma && igen_vma_start(lrc->ring.vma) < below);
}

/* The driver's own contexts, which have no budget, are not listed. */
static bool evict_is_of(const struct igen_lrc *lrc, const struct igen_budget *of)
{
	return !of || (lrc->vm->budget && igen_budget_same_process(lrc->vm->budget, of));
}

static unsigned int evict_from_group(struct igen_engine_group *group, const struct igen_budget *of, u64 below,
				     unsigned int count)
{
	struct igen_lrc *lrc, *first = NULL;
	unsigned int done = 0, looks = 0;
	struct igen_context *ctx;

	igen_retire_let_go(group);
	while (done < count && looks < MAX_LOOKS) {
		spin_lock(&group->lrcs_lock);
		lrc = list_first_entry_or_null(&group->pinned_lrcs, struct igen_lrc, pin_link);
		if (!lrc || lrc == first) {
			spin_unlock(&group->lrcs_lock);
			break;
		}
		list_move_tail(&lrc->pin_link, &group->pinned_lrcs);
		if (!first)
			first = lrc;
		/* A listed LRC has its context in memory, but that may have lost its last reference. */
		ctx = NULL;
		if (evict_is_of(lrc, of) && evict_is_below(lrc, below) && kref_get_unless_zero(&lrc->context->ref))
			ctx = lrc->context;
		spin_unlock(&group->lrcs_lock);

		looks++;
		if (!ctx)
			continue;
		if (evict_lrc(lrc)) {
			done++;
			looks = 0;
			if (first == lrc)
				first = NULL;
		}
		igen_context_put(ctx);
	}
	return done;
}

static unsigned int evict_from_vm(struct igen_vm *vm, const struct igen_budget *of, u64 below, unsigned int count)
{
	struct igen_engine_group *group;
	unsigned int done = 0;

	lockdep_assert_held(&vm->mutex);

	for_each_group(vm->igen, group)
		done += evict_from_group(group, of, below, count);
	return done;
}

/**
 * igen_evict_contexts - evict all idle contexts from the GGTT
 * @igen: the device
 *
 * Context: may sleep; takes the GGTT's mutex.
 */
void igen_evict_contexts(struct igen_device *igen)
{
	struct igen_vm *vm = &igen->ggtt.vm;

	mutex_lock(&vm->mutex);
	evict_from_vm(vm, NULL, vm->total, UINT_MAX);
	mutex_unlock(&vm->mutex);
}

/**
 * igen_evict_contexts_init - let the GGTT evict contexts from now on
 * @igen: the device, whose engines exist
 */
void igen_evict_contexts_init(struct igen_device *igen)
{
	igen->ggtt.vm.evict_contexts = evict_from_vm;
}
