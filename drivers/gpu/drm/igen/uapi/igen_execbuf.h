/* SPDX-License-Identifier: MIT */
/**
 * DOC: One EXECBUFFER2 call
 */
#ifndef _IGEN_EXECBUF_H_
#define _IGEN_EXECBUF_H_

#include <linux/dma-resv.h>
#include <linux/ww_mutex.h>

#include "../engine/igen_lrc.h"
#include "../mm/igen_vm.h"
#include "../submit/igen_request.h"
#include "igen_uapi.h"

struct drm_syncobj;
struct igen_shadow;
struct dma_fence_chain;
struct sync_file;

/* Calls with up to this many objects keep their entries on the stack and allocate nothing for them. */
#define IGEN_EXEC_INLINE	8

/* Batches with relocations stay away from address 0, as in i915: some clients' deltas are negative. */
#define IGEN_EXEC_BATCH_BIAS	SZ_256K

/* Flags of struct igen_exec_vma, above those of the ABI. */
#define IGEN_EXEC_LOCKED	BIT(31)	/* this entry took its object's lock */
#define IGEN_EXEC_UPDATED	BIT(30)	/* the address is not the one that userspace gave */
#define IGEN_EXEC_BIAS		BIT(29)	/* keep away from address 0 */
#define IGEN_EXEC_UNPLACED	BIT(28)	/* has to be bound, or bound elsewhere */
#define IGEN_EXEC_GLOBAL	BIT(27)	/* has to be bound in the GGTT as well */

/** struct igen_exec_vma - what the driver knows of one entry of the object list */
struct igen_exec_vma {
	/** @vma: the object in the context's address space; counted, and so is its object */
	struct igen_vma *vma;
	/** @global: the object in the GGTT, bound while the object is locked; NULL without IGEN_EXEC_GLOBAL */
	struct igen_vma *global;
	/** @flags: EXEC_OBJECT_* and IGEN_EXEC_* */
	u32 flags;
};

/** struct igen_exec_relocs - a copy of one entry's relocations, for when they cannot be read under locks */
struct igen_exec_relocs {
	/** @entries: the copy, or NULL */
	struct drm_i915_gem_relocation_entry *entries;
};

/** struct igen_exec_write - an address that the engine writes before the batch */
struct igen_exec_write {
	/** @vma: of the object that it is written into */
	struct igen_vma *vma;
	/** @offset: where in it */
	u64 offset;
	/** @value: what */
	u64 value;
	/** @address: of the target, which userspace is told when the request is submitted */
	u64 address;
	/** @presumed: where it is told so; NULL when it gets all of a copy back */
	__u64 __user *presumed;
};

/** struct igen_exec_fence - one syncobj of FENCE_ARRAY or the timeline extension */
struct igen_exec_fence {
	/** @syncobj: counted */
	struct drm_syncobj *syncobj;
	/** @wait: what to wait for, counted, or NULL */
	struct dma_fence *wait;
	/** @chain: link for a point to signal, allocated ahead, or NULL */
	struct dma_fence_chain *chain;
	/** @point: on a timeline */
	u64 point;
	/** @signal: it gets the request's fence */
	bool signal;
};

/**
 * struct igen_execbuf - one call
 */
struct igen_execbuf {
	/** @igen: the device */
	struct igen_device *igen;
	/** @file: the file */
	struct igen_file *file;
	/** @args: the ioctl's argument, in kernel memory */
	struct drm_i915_gem_execbuffer2 *args;
	/** @exec: the object list, copied once */
	struct drm_i915_gem_exec_object2 *exec;
	/** @ev: as long as @exec */
	struct igen_exec_vma *ev;
	/** @count: entries in both */
	unsigned int count;
	/** @looked_up: entries of @ev that are filled */
	unsigned int looked_up;
	/** @batch: index of the batch */
	unsigned int batch;
	/** @ctx: counted */
	struct igen_context *ctx;
	/** @lrc: the context's share of the engine */
	struct igen_lrc *lrc;
	/** @ww: of the objects' locks */
	struct igen_ww ww;
	/** @has_userptr: some object is over user memory */
	bool has_userptr;
	/** @has_relocs: some entry has relocations */
	bool has_relocs;
	/** @has_capture: an error state has to include some of the objects */
	bool has_capture;
	/** @relocate: relocations have to be looked at */
	bool relocate;
	/** @relocated: some may have been written */
	bool relocated;
	/** @allocated: bytes that igen_execbuf_alloc() has given */
	u64 allocated;
	/** @needs_copies: relocations could not be read with objects locked */
	bool needs_copies;
	/** @copies: relocations by entry, or NULL while they are read from user memory */
	struct igen_exec_relocs *copies;
	/** @writes: into objects that are busy, or NULL; see igen_execbuf_reloc.c */
	struct igen_exec_write *writes;
	/** @num_writes: how many */
	unsigned int num_writes;
	/** @buckets: entry + 1 by hash of its handle, or NULL; see igen_execbuf_handles.c */
	u32 *buckets;
	/** @bucket_bits: log2 of its size */
	unsigned int bucket_bits;
	/** @bucket_factor: what handles are multiplied with for their hash */
	u32 bucket_factor;
	/** @shadow: the checked copy of the batch, locked, or NULL */
	struct igen_shadow *shadow;
	/** @by_address: indices of @ev, sorted by the addresses that the objects have, or NULL */
	u32 *by_address;
	/** @stores_at: place in @by_address of the object that the batch stores to last */
	unsigned int stores_at;
	/** @claimed: a VMA that the call would use, and whose place another call waits for; or NULL */
	const struct igen_vma *claimed;
	/** @claim_left: for how many jiffies the call may still wait for others' claims; 0: it ignores them */
	unsigned long claim_left;
	/** @unplaced_stores: the batch stores to an object that has no place in the GGTT yet */
	bool unplaced_stores;
	/** @has_fences: the call brings fences or takes one away; set by igen_execbuf_parse_fences() */
	bool has_fences;
	/** @in_fence: of FENCE_IN or FENCE_SUBMIT, counted */
	struct dma_fence *in_fence;
	/** @out_fd: reserved for FENCE_OUT, or -1 */
	int out_fd;
	/** @out_file: the sync file that the descriptor gets */
	struct sync_file *out_file;
	/** @fences: syncobjs */
	struct igen_exec_fence *fences;
	/** @num_fences: how many */
	unsigned int num_fences;
	/** @num_links: of timelines that were allocated for @fences */
	unsigned int num_links;
	/** @fences_room: how many @fences has room for */
	unsigned int fences_room;
};

/* Another call waits for the place of this VMA, and the call has to wait until that one has it. */
static inline bool igen_execbuf_heeds_claim(const struct igen_execbuf *eb, const struct igen_vma *vma)
{
	return unlikely(igen_vma_is_claimed(vma)) && eb->claim_left;
}

/* Waits, with nothing locked, for the place that another call has claimed. The caller holds the VMA's object. */
static inline int igen_execbuf_await_claimed(struct igen_execbuf *eb)
{
	int err = igen_vma_await_unclaimed(eb->claimed, &eb->claim_left);

	eb->claimed = NULL;
	return err;
}

static inline u64 igen_canonical(u64 address)
{
	return sign_extend64(address, 47);
}

static inline u64 igen_noncanonical(u64 address)
{
	return address & GENMASK_ULL(47, 0);
}

/* igen_execbuf_place.c */
int igen_execbuf_place(struct igen_execbuf *eb);

/* The presumed address of a relocation that may not have been written: not a valid address. */
#define IGEN_RELOC_NOT_YET	(~0ull)

/* igen_execbuf_handles.c */
int igen_execbuf_index_handles(struct igen_execbuf *eb);

/* igen_execbuf_reloc.c */
int igen_execbuf_relocate(struct igen_execbuf *eb);
unsigned int igen_execbuf_reloc_dwords(const struct igen_execbuf *eb);
void igen_execbuf_emit_relocs(const struct igen_execbuf *eb, struct igen_request *rq);
void *igen_execbuf_alloc(struct igen_execbuf *eb, u64 bytes);

/* igen_execbuf_copies.c */
int igen_execbuf_copy_relocs(struct igen_execbuf *eb);
void igen_execbuf_return_relocs(struct igen_execbuf *eb);
void igen_execbuf_free_relocs(struct igen_execbuf *eb);

/* igen_execbuf_stores.c */
int igen_execbuf_place_global(struct igen_execbuf *eb);
int igen_execbuf_sort_stores(struct igen_execbuf *eb);
void igen_execbuf_free_stores(struct igen_execbuf *eb);
int igen_execbuf_store(struct igen_execbuf *eb, u32 address, u32 *ggtt);

/* igen_execbuf_shadow.c */
int igen_execbuf_shadow(struct igen_execbuf *eb);
u64 igen_execbuf_shadow_start(const struct igen_execbuf *eb);
u32 igen_execbuf_shadow_privileged(const struct igen_execbuf *eb);
void igen_execbuf_shadow_activate(struct igen_execbuf *eb, struct igen_request *rq);
void igen_execbuf_shadow_done(struct igen_execbuf *eb);
int igen_execbuf_shadow_yield(struct igen_execbuf *eb);

/* igen_execbuf_fences.c */
int igen_execbuf_parse_fences(struct igen_execbuf *eb);
/* The call has fences of its own, or its context has a syncobj for all calls. */
static inline bool igen_execbuf_has_fences(const struct igen_execbuf *eb)
{
	return eb->has_fences || eb->ctx->syncobj;
}

int igen_execbuf_await_fences(struct igen_execbuf *eb, struct igen_request *rq);
void igen_execbuf_signal_fences(struct igen_execbuf *eb, struct igen_request *rq);
void igen_execbuf_free_fences(struct igen_execbuf *eb);

#endif
