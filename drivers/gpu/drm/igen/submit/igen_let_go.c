// SPDX-License-Identifier: MIT
/**
 * DOC: Contexts that leave the GGTT
 *
 * Image and ring of a context have addresses in the GGTT, which all clients share, and a client may have any number of
 * contexts. When there is no room for something else, those leave that were not used for the longest time: they have no
 * requests, and nobody holds the LRC but its context. For a port of the hardware does until the engine has saved the
 * image, and so does a request that waits for a seqno of it (igen_semaphore.c). They come back, somewhere else perhaps,
 * with their next request.
 *
 * So a context that keeps working pays nothing for this: a ring that is not in the GGTT looks full.
 */
#include "../igen_device.h"
#include "../mm/igen_vm.h"
#include "igen_submit.h"

/* LRCs that are looked at in vain before it is given up: nobody else gets the GGTT's mutex meanwhile. */
#define MAX_LOOKS 4096

/* The GGTT's mutex and the LRC's context are held. */
static bool let_go(struct igen_lrc *lrc)
{
	struct igen_engine_group *group = lrc->group;
	bool done = false, unused;

	/* The timeline's mutex comes before the GGTT's. */
	if (!mutex_trylock(&lrc->timeline_mutex))
		return false;
	igen_lrc_retire(lrc);
	if (list_empty(&lrc->requests)) {
		/* Whoever takes an LRC finds a request incomplete with this lock held, and there is none any more. */
		spin_lock_irq(&group->lock);
		unused = kref_read(&lrc->ref) == 1;
		spin_unlock_irq(&group->lock);
		done = unused && igen_lrc_unpin(lrc);
	}
	mutex_unlock(&lrc->timeline_mutex);
	return done;
}

static unsigned int let_go_of_group(struct igen_engine_group *group, u64 below, unsigned int count)
{
	struct igen_lrc *lrc, *first = NULL;
	unsigned int done = 0, looks = 0;
	struct igen_context *ctx;

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
		/* On the list, it is in the GGTT, and its context is there, but perhaps on its way out. */
		ctx = NULL;
		if ((igen_vma_start(lrc->image) < below || igen_vma_start(lrc->ring) < below) &&
		    kref_get_unless_zero(&lrc->context->ref))
			ctx = lrc->context;
		spin_unlock(&group->lrcs_lock);

		looks++;
		if (!ctx)
			continue;
		if (let_go(lrc)) {
			done++;
			looks = 0;
			if (first == lrc)
				first = NULL;
		}
		igen_context_put(ctx);
	}
	return done;
}

static unsigned int let_go_of_contexts(struct igen_vm *vm, u64 below, unsigned int count)
{
	struct igen_engine_group *group;
	unsigned int done = 0;

	lockdep_assert_held(&vm->mutex);

	for_each_group(vm->igen, group)
		done += let_go_of_group(group, below, count);
	return done;
}

/**
 * igen_let_go - has all contexts leave the GGTT that are not used
 * @igen: the device
 *
 * May sleep.
 */
void igen_let_go(struct igen_device *igen)
{
	struct igen_vm *vm = &igen->ggtt.vm;

	mutex_lock(&vm->mutex);
	let_go_of_contexts(vm, vm->total, UINT_MAX);
	mutex_unlock(&vm->mutex);
}

/**
 * igen_let_go_init - contexts may leave the GGTT from now on
 * @igen: the device; its engines are there
 */
void igen_let_go_init(struct igen_device *igen)
{
	igen->ggtt.vm.let_go = let_go_of_contexts;
}
