/* SPDX-License-Identifier: MIT */
/*
 * DOC: Address spaces and VMAs
 *
 * An address space is a drm_mm over page tables; the GGTT is one, each context has a PPGTT (or shares one).
 * A VMA is one object in one address space at one address. The space's mutex guards its drm_mm and tables and
 * every VMA's placement; lock order: object's reservation, then the space's mutex.
 *
 * Placement and binding of a VMA change only with both its object's reservation and the space's mutex held, so
 * whoever holds one of them may read. Eviction takes the victim's reservation by trylock. A batch therefore needs
 * no pin on what it uses: execbuf holds the reservations while it validates, and its fence in the reservation
 * keeps the VMA in place afterwards (unbinding waits for it).
 *
 * A VMA lives as long as somebody holds it (handle tables, mappings, driver objects); the object's list does not.
 * The last put may come while the GPU still uses it: then it keeps its object until that is idle, is unbound by
 * a worker, and only then drops object and address space. So an address space goes with its contexts and handles,
 * however long shared objects live.
 *
 * A page is never given back while a TLB may hold it: unbinding marks the space's tlb generation, and the object's
 * pages are released only after igen_tlb_flush() has passed that generation.
 */
#ifndef _IGEN_VM_H_
#define _IGEN_VM_H_

#include <drm/drm_mm.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

#include "igen_bo.h"

struct igen_device;
struct igen_vm;

/** enum igen_pte_flags - how a range is mapped */
enum igen_pte_flags {
	IGEN_PTE_READ_ONLY = BIT(0),
};

/** struct igen_vm_ops - page tables of one format */
struct igen_vm_ops {
	/** @insert: maps [vma->node.start, + vma->node.size) to the object's pages; vm->mutex held; may allocate; -ENOMEM leaves nothing */
	int (*insert)(struct igen_vm *vm, struct igen_vma *vma, u32 pte_flags);
	/** @clear: maps the range to scratch; vm->mutex held; cannot fail */
	void (*clear)(struct igen_vm *vm, u64 start, u64 size);
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
	/** @mutex: guards @mm, the tables and @bound; may be taken in reclaim, so no GFP_KERNEL without memalloc_nofs */
	struct mutex mutex;
	/** @mm: what is where */
	struct drm_mm mm;
	/** @bound: VMAs in @mm, oldest use first, under @mutex */
	struct list_head bound;
	/** @vmas: bo to VMA, so that an object has one VMA a space, under @mutex */
	struct xarray vmas;
	/** @total: bytes of address space */
	u64 total;
	/** @is_ggtt: this is the global one */
	bool is_ggtt;
	/** @pd_dma: bus address of the top page directory (PML4), not for the GGTT */
	dma_addr_t pd_dma;
	/** @tables: private to @ops */
	void *tables;
	/** @release_work: the last put may come where one can't sleep */
	struct work_struct release_work;
};

/**
 * struct igen_vma - one object in one address space
 */
struct igen_vma {
	/** @ref: handle tables and users hold it; the last put unbinds it when it is idle */
	struct kref ref;
	/** @vm: the space; holds a reference unless it is the GGTT */
	struct igen_vm *vm;
	/** @bo: the object; no reference: the VMA dies with it */
	struct igen_bo *bo;
	/** @node: its place, allocated or not; changes under bo's resv and vm->mutex */
	struct drm_mm_node node;
	/** @bound: PTEs point at the pages; changes under bo's resv and vm->mutex; implies a pages pin */
	bool bound;
	/** @pin_count: may not be moved or unbound while set; under vm->mutex */
	unsigned int pin_count;
	/** @bo_link: in bo->vmas */
	struct list_head bo_link;
	/** @vm_link: in vm->bound */
	struct list_head vm_link;
	/** @fence_reg: fence register that detiles it in the aperture, or NULL */
	struct igen_fence_reg *fence_reg;
	/** @exec_entry: scratch of execbuf: index of the entry that names it in the call under way + 1, or 0; under bo's resv */
	unsigned int exec_entry;
};

static inline u64 igen_vma_start(const struct igen_vma *vma)
{
	return vma->node.start;
}

struct igen_vm *igen_ppgtt_create(struct igen_device *igen);
void igen_vm_release(struct kref *ref);

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

/* The VMA of bo in vm, made if there is none; a reference for the caller; ERR_PTR. Takes vm->mutex. */
struct igen_vma *igen_vma_lookup(struct igen_bo *bo, struct igen_vm *vm);
void igen_vma_put(struct igen_vma *vma);

#define IGEN_PIN_MAPPABLE	BIT_ULL(0)	/* GGTT: below the aperture's end */
#define IGEN_PIN_FIXED		BIT_ULL(1)	/* at the offset given (bits 63:12) */
#define IGEN_PIN_HIGH		BIT_ULL(2)
#define IGEN_PIN_32B		BIT_ULL(3)	/* below 4 GB */
#define IGEN_PIN_NOEVICT	BIT_ULL(4)
#define IGEN_PIN_OFFSET_BIAS	BIT_ULL(5)	/* not below the offset given */
#define IGEN_PIN_NONFAULT	BIT_ULL(6)
#define IGEN_PIN_OFFSET_MASK	(~0ULL << 12)

/*
 * Binds vma (pages, place, PTEs) and holds it there. bo locked; takes vm->mutex; may sleep. size 0: the
 * object's; alignment 0 or a power of two. IGEN_PIN_FIXED evicts what overlaps unless it is pinned.
 * -ENOSPC, -EINVAL (range), -ENOMEM, -ERESTARTSYS.
 */
int igen_vma_pin(struct igen_vma *vma, u64 size, u64 alignment, u64 flags);
void igen_vma_unpin(struct igen_vma *vma);
/* bo locked: waits for activity, clears PTEs, frees the place. -EBUSY when pinned. */
int igen_vma_unbind(struct igen_vma *vma, bool intr);

/*
 * Convenience for the driver's own objects: locks, pins in the GGTT, maps for the CPU. The offset is vma's start.
 * igen_ggtt_unpin_internal() undoes it and drops the object.
 */
struct igen_vma *igen_ggtt_pin_internal(struct igen_device *igen, u64 size, u64 alignment, void **vaddr);
void igen_ggtt_unpin_internal(struct igen_vma *vma);

/* tlb: makes sure that no TLB holds what was unbound before the call; takes forcewake; may sleep. */
void igen_tlb_flush(struct igen_device *igen);

#endif
