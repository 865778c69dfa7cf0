// SPDX-License-Identifier: MIT
/**
 * DOC: Execbuf: stores through the GGTT
 *
 * On platforms with igen_platform.global_stores the engine sends what batches store through the GGTT. An object that
 * a batch stores to is therefore bound twice: in the address space of the context, where everything else finds the
 * object, and in the GGTT. The two addresses have nothing to do with each other. The check of the batch
 * (igen_cmdparser.c) asks here for each address that the batch stores to, and writes the one in the GGTT into the copy.
 *
 * A client may say which objects these are (EXEC_OBJECT_NEEDS_GTT), but the check finds the others, too: igen_execbuf()
 * then places the objects again and starts a new copy.
 *
 * The object stays in the GGTT as long as its lock is held, and then until the request's fence signals. A client that
 * has always one more request for large objects could so keep the whole GGTT. The upper half is closed to such objects,
 * so that contexts of others, whose rings, images and page directories are there, can begin and run. In the lower half
 * a call that finds no room claims the places of busy objects (mm/igen_vm.c), and their next users wait for it.
 */
#include <linux/sort.h>

#include "../igen_killable.h"
#include "../mm/igen_ggtt.h"
#include "igen_execbuf.h"

/**
 * igen_execbuf_place_global - binds those objects in the GGTT that a batch stores to
 * @eb: the call, with all objects locked and placed
 *
 * Return: 0, or an error as igen_execbuf_place()'s; -EAGAIN with eb->claimed set when another call waits for a place.
 * Context: may sleep.
 */
int igen_execbuf_place_global(struct igen_execbuf *eb)
{
	struct igen_exec_vma *ev;
	struct igen_vma *vma;
	unsigned int i;
	int err;

	for (i = 0; i < eb->count; i++) {
		ev = &eb->ev[i];
		if (!(ev->flags & IGEN_EXEC_GLOBAL))
			continue;
		err = igen_check_killed_at(i);
		if (err)
			return err;
		vma = igen_vma_lookup(ev->vma->bo, &eb->igen->ggtt.vm);
		if (IS_ERR(vma))
			return PTR_ERR(vma);
		/* The object, to which there is a reference, keeps its VMAs of the GGTT. */
		igen_vma_put(vma);
		if (igen_execbuf_heeds_claim(eb, vma)) {
			eb->claimed = vma;
			return -EAGAIN;
		}
		err = igen_vma_pin(vma, 0, 0, IGEN_PIN_LOWER_HALF);
		if (err)
			return err;
		igen_vma_unpin(vma);
		ev->global = vma;
	}
	return 0;
}

static int stores_compare(const void *a, const void *b, const void *data)
{
	const struct igen_execbuf *eb = data;
	u64 first, second;

	/* The list is as long as the client likes. A killed call does not use it, so its order means nothing. */
	if (igen_check_killed())
		return 0;
	first = igen_vma_start(eb->ev[*(const u32 *)a].vma);
	second = igen_vma_start(eb->ev[*(const u32 *)b].vma);
	return first < second ? -1 : first > second;
}

/**
 * igen_execbuf_sort_stores - lets igen_execbuf_store() find objects by their addresses
 * @eb: the call, with all objects locked and placed; igen_execbuf_free_stores() ends it
 *
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 * Context: may sleep.
 */
int igen_execbuf_sort_stores(struct igen_execbuf *eb)
{
	unsigned int i;
	int err;

	igen_execbuf_free_stores(eb);
	eb->by_address = igen_execbuf_alloc(eb, (u64)eb->count * sizeof(*eb->by_address));
	if (!eb->by_address)
		return -ENOMEM;
	for (i = 0; i < eb->count; i++) {
		err = igen_check_killed_at(i);
		if (err)
			return err;
		eb->by_address[i] = i;
	}
	sort_r(eb->by_address, eb->count, sizeof(*eb->by_address), stores_compare, NULL, eb);
	eb->stores_at = 0;
	eb->unplaced_stores = false;
	return igen_check_killed();
}

/**
 * igen_execbuf_free_stores - undoes igen_execbuf_sort_stores(), if it was called
 * @eb: the call
 */
void igen_execbuf_free_stores(struct igen_execbuf *eb)
{
	kvfree(eb->by_address);
	eb->by_address = NULL;
}

/* The last of the sorted objects that does not begin behind the address; 0 if there is none. */
static unsigned int stores_find(const struct igen_execbuf *eb, u32 address)
{
	unsigned int low = 0, high = eb->count, middle;

	while (high - low > 1) {
		middle = (low + high) / 2;
		if (igen_vma_start(eb->ev[eb->by_address[middle]].vma) <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static bool stores_within(const struct igen_execbuf *eb, unsigned int at, u32 address)
{
	const struct igen_vma *vma = eb->ev[eb->by_address[at]].vma;
	u64 start = igen_vma_start(vma);

	return address >= start && address - start < vma->bo->base.size;
}

/**
 * igen_execbuf_store - tells where in the GGTT a store of the batch goes
 * @eb: the call, after igen_execbuf_sort_stores()
 * @address: where the batch stores to, in the context's address space
 * @ggtt: gets the address in the GGTT; 0 with eb->unplaced_stores set if the object has none yet
 *
 * Return: 0, or -EACCES when there is no object of the call's, or one that may only be read.
 */
int igen_execbuf_store(struct igen_execbuf *eb, u32 address, u32 *ggtt)
{
	struct igen_exec_vma *ev;

	if (!stores_within(eb, eb->stores_at, address))
		eb->stores_at = stores_find(eb, address);
	if (!stores_within(eb, eb->stores_at, address))
		return -EACCES;
	ev = &eb->ev[eb->by_address[eb->stores_at]];
	if (ev->vma->bo->read_only)
		return -EACCES;

	*ggtt = 0;
	if (ev->global) {
		*ggtt = igen_vma_start(ev->global) + (address - igen_vma_start(ev->vma));
	} else {
		ev->flags |= IGEN_EXEC_GLOBAL;
		eb->unplaced_stores = true;
	}
	return 0;
}
