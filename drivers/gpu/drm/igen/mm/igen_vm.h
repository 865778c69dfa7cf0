/* SPDX-License-Identifier: MIT */
/**
 * DOC: Address spaces and VMAs
 *
 * An address space is a drm_mm over page tables; the GGTT is one, each context has a PPGTT (or shares one).
 * A VMA is one object in one address space at one address. The space's mutex guards its drm_mm and tables and
 * every VMA's placement; lock order: object's reservation, then the space's mutex.
 *
 * Placement and binding of a VMA change only with both its object's reservation and the space's mutex held, so
 * a holder of one of them may read. Eviction takes the victim's reservation by trylock. A batch therefore needs
 * no pin on what it uses: execbuf holds the reservations while it validates, and its fence in the reservation
 * keeps the VMA in place afterwards (unbinding waits for it).
 *
 * A VMA in a PPGTT holds its object and its address space, and lives as long as there are references (handle tables,
 * mappings). The last put may come while the GPU still uses it: then a worker unbinds and frees it when it is idle;
 * a lookup in the meantime finds it and gives it a new life. So an address space goes with its contexts and
 * handles, however long shared objects live. The VMAs in the GGTT belong to their object: one of the whole, and where
 * the aperture has no room for that, of parts.
 *
 * The space's mutex is taken in reclaim by trylock only (igen_shrinker.c), so page tables are allocated under it with
 * GFP_KERNEL: the worst that reclaim can do is skip this space. Nothing waits for the GPU with it held.
 *
 * A page is never given back while a TLB may hold it: unbinding notes the next TLB flush in the object (and in the
 * space, for tables), and pages are released only after that flush.
 */
#ifndef _IGEN_VM_H_
#define _IGEN_VM_H_

#include <drm/drm_mm.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/refcount.h>

#include "igen_bo.h"
#include "igen_budget.h"
#include "igen_mm.h"

struct igen_device;
struct igen_fence_reg;
struct igen_vm;

/* Colour of a node that belongs to no VMA. */
#define IGEN_COLOR_RESERVED	(~0ul)

/** enum igen_pte_flags - how a range is mapped */
enum igen_pte_flags {
	IGEN_PTE_READ_ONLY = BIT(0),
};

/** struct igen_vm_ops - page tables of one format */
struct igen_vm_ops {
	/**
	 * @insert: maps [vma->node.start, + vma->node.size) to the object's pages; vm->mutex held; may allocate;
	 * -ENOMEM leaves nothing
	 */
	int (*insert)(struct igen_vm *vm, struct igen_vma *vma, u32 pte_flags);
	/** @clear: maps the range to scratch; vm->mutex held; cannot fail */
	void (*clear)(struct igen_vm *vm, u64 start, u64 size);
	/**
	 * @pin: has the GGTT have what the hardware needs of it there; as igen_vma_pin(); takes the GGTT's mutex. NULL:
	 * nothing, and so for the next
	 */
	int (*pin)(struct igen_vm *vm);
	/** @unpin: undoes one @pin; the GGTT's mutex held */
	void (*unpin)(struct igen_vm *vm);
	/**
	 * @load: the hardware finds in @pd_dma what was inserted until now; any context, the device awake, pinned.
	 * Returns a number that changes when an engine that has the space already has to load it anew. NULL: it never
	 * has to
	 */
	u32 (*load)(struct igen_vm *vm);
	/** @cleanup: frees the tables; last reference gone */
	void (*cleanup)(struct igen_vm *vm);
};

/**
 * struct igen_vm - address space
 */
struct igen_vm {
	/** @ref: contexts, VMAs' users and handles that hold it */
	struct kref ref;
	/** @igen: the device */
	struct igen_device *igen;
	/** @ops: the page-table format */
	const struct igen_vm_ops *ops;
	/** @mutex: guards @mm, the tables and @bound; in reclaim only tried */
	struct mutex mutex;
	/** @mm: what is where */
	struct drm_mm mm;
	/** @bound: VMAs in @mm, oldest use first, under @mutex */
	struct list_head bound;
	/** @tlb_mark: the TLB flush that must be over before its tables go, under @mutex */
	u64 tlb_mark;
	/** @budget: of the client that has made it, or NULL: its tables and VMAs are charged to it */
	struct igen_budget *budget;
	/** @total: bytes of address space */
	u64 total;
	/**
	 * @evict_contexts: evicts up to @count idle contexts of each class of engines whose image or ring is below the
	 * address @below, and returns how many it has evicted: contexts of the process that @of is a file's budget of,
	 * or of any if that is NULL. Only the GGTT has contexts; elsewhere NULL. @mutex held
	 */
	unsigned int (*evict_contexts)(struct igen_vm *vm, const struct igen_budget *of, u64 below,
				       unsigned int count);
	/** @unclaimed: calls that wait until a search has ended which has claimed VMAs that they use */
	wait_queue_head_t unclaimed;
	/** @is_ggtt: this is the global one */
	bool is_ggtt;
	/** @pd_dma: bus address of the top page directory (PML4), or its address in the GGTT; not for the GGTT */
	dma_addr_t pd_dma;
	/** @free_node: in igen_mm.free_vms: the last put may come where one can't sleep */
	struct llist_node free_node;
};

/**
 * struct igen_vma - one object in one address space
 */
struct igen_vma {
	/** @ref: handle tables and users hold it; reaches 0 and is raised from there under bo->vma_lock only */
	refcount_t ref;
	/** @vm: the space; holds a reference unless it is the GGTT */
	struct igen_vm *vm;
	/** @bo: the object; holds a reference unless @vm is the GGTT */
	struct igen_bo *bo;
	/** @first: the first page of the object that it shows; 0 but for parts in the GGTT */
	u32 first;
	/** @pages: how many, in 4 KB */
	u32 pages;
	/** @node: its place, allocated or not; changes under bo's resv and vm->mutex */
	struct drm_mm_node node;
	/** @bound: PTEs point at the pages; changes under bo's resv and vm->mutex; implies a pages pin */
	bool bound;
	/** @owns_rest: its owner writes the entries behind its pages before the GPU reads them; set when it is made */
	bool owns_rest;
	/** @dying: it is about to be freed, unless a reference is found; under bo->vma_lock */
	bool dying;
	/** @pin_count: may not be moved or unbound while set; under vm->mutex */
	unsigned int pin_count;
	/** @bo_node: in bo->vmas, for a VMA in a PPGTT */
	struct rb_node bo_node;
	/** @ggtt_next: in bo->ggtt_vmas, for one in the GGTT */
	struct igen_vma *ggtt_next;
	/** @vm_link: in vm->bound */
	struct list_head vm_link;
	/** @evict_link: in the list of a search for room, under vm->mutex */
	struct list_head evict_link;
	/** @claimed_by: the VMA that a search wants its place for, or NULL; changes under vm->mutex */
	const struct igen_vma *claimed_by;
	/** @free_node: in igen_mm.free_vmas */
	struct llist_node free_node;
	/** @fence_reg: fence register that detiles it in the aperture, or NULL; under vm->mutex */
	struct igen_fence_reg *fence_reg;
};

/* The first of an object's VMAs in the GGTT, or NULL. */
static inline struct igen_vma *igen_first_ggtt_vma(const struct igen_bo *bo)
{
	/* Paired with the release of the code that adds one. */
	return smp_load_acquire(&bo->ggtt_vmas);
}

/* Needs no lock: they go with the object only, so the caller needs a reference to it. */
#define igen_for_each_ggtt_vma(vma__, bo__) \
	for ((vma__) = igen_first_ggtt_vma(bo__); (vma__); (vma__) = (vma__)->ggtt_next)

static inline u64 igen_vma_start(const struct igen_vma *vma)
{
	return vma->node.start;
}

struct igen_vm *igen_ppgtt_create(struct igen_device *igen, struct igen_budget *budget);
void igen_vm_release(struct kref *ref);
void igen_vm_free_list(struct igen_device *igen);

void igen_vm_init(struct igen_vm *vm, struct igen_device *igen, const struct igen_vm_ops *ops, u64 total);
void igen_vm_fini(struct igen_vm *vm);

static inline struct igen_vm *igen_vm_get(struct igen_vm *vm)
{
	kref_get(&vm->ref);
	return vm;
}

static inline void igen_vm_put(struct igen_vm *vm)
{
	if (vm)
		kref_put(&vm->ref, igen_vm_release);
}

struct igen_vma *igen_vma_lookup(struct igen_bo *bo, struct igen_vm *vm);
struct igen_vma *igen_vma_lookup_part(struct igen_bo *bo, u32 first, u32 pages);
void igen_vma_put(struct igen_vma *vma);

/* Does a search for room want the place of this VMA? Then new uses of it have to wait (igen_vma_await_unclaimed()). */
static inline bool igen_vma_is_claimed(const struct igen_vma *vma)
{
	return READ_ONCE(vma->claimed_by);
}

/* For how long a call lets the claims of others stop it, in all. */
#define IGEN_CLAIM_MS	500

int igen_vma_await_unclaimed(const struct igen_vma *vma, unsigned long *left);

static inline struct igen_vma *igen_vma_get(struct igen_vma *vma)
{
	refcount_inc(&vma->ref);
	return vma;
}

#define IGEN_PIN_MAPPABLE	BIT_ULL(0)	/* GGTT: below the aperture's end */
#define IGEN_PIN_FIXED		BIT_ULL(1)	/* at the offset given (bits 63:12) */
#define IGEN_PIN_HIGH		BIT_ULL(2)
#define IGEN_PIN_32B		BIT_ULL(3)	/* below 4 GB */
#define IGEN_PIN_NOEVICT	BIT_ULL(4)
#define IGEN_PIN_OFFSET_BIAS	BIT_ULL(5)	/* not below the offset given */
#define IGEN_PIN_LOWER_HALF	BIT_ULL(6)	/* of the address space */
#define IGEN_PIN_OFFSET_MASK	(~0ULL << 12)

/*
 * The acquire context of locks of objects that one call takes. When igen_vma_pin() returns -EAGAIN, @contended is NULL
 * or the object, with a reference, that an older call has locked: unlock all, and wait for its lock with
 * dma_resv_lock_slow_interruptible() before anything else is locked.
 */
struct igen_ww {
	struct ww_acquire_ctx base;
	struct igen_bo *contended;
};

/* Where a VMA without a node is to go; see igen_vm_place(). */
struct igen_placement {
	/* bytes, a multiple of 4096 */
	u64 size;
	/* a power of two */
	u64 alignment;
	/* IGEN_PIN_* */
	u64 flags;
};

int igen_vma_pin(struct igen_vma *vma, u64 size, u64 alignment, u64 flags);
void igen_vma_unpin(struct igen_vma *vma);
bool igen_vma_is_placed(const struct igen_vma *vma, u64 size, u64 alignment, u64 flags);
int igen_vma_unbind(struct igen_vma *vma, bool intr);
bool igen_vma_give_up_padding(struct igen_vma *vma);
void igen_vma_unbind_locked(struct igen_vma *vma);

int igen_vm_place(struct igen_vm *vm, struct igen_vma *vma, const struct igen_placement *where);
int igen_vm_evict_all(struct igen_vm *vm, bool intr);
struct igen_vma *igen_vm_find_bound(struct igen_vm *vm, u64 address);

bool igen_vma_free_list(struct igen_device *igen);
void igen_vma_destroy_ggtt(struct igen_bo *bo);
void igen_vma_unbind_ggtt(struct igen_bo *bo);

struct igen_vma *igen_ggtt_pin_internal(struct igen_device *igen, u64 size, u64 alignment, void **vaddr);
void igen_ggtt_unpin_internal(struct igen_vma *vma);
void igen_ggtt_put_internal(struct igen_vma *vma);
void igen_ggtt_evict_internal(struct igen_vma *vma);
int igen_ggtt_repin_internal(struct igen_vma *vma);
int igen_ggtt_charge_place(struct igen_vm *vm, enum igen_budget_ggtt use, u64 bytes, u64 all);
void igen_ggtt_uncharge_place(struct igen_vm *vm, enum igen_budget_ggtt use, u64 bytes);
int igen_ggtt_lock_internal(struct igen_vma *vma);

#endif
