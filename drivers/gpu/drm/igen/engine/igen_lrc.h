/* SPDX-License-Identifier: MIT */
/*
 * DOC: Logical ring contexts
 *
 * One engine's share of a context: the image that the hardware saves to and restores from, the ring that the driver
 * writes requests into, and the timeline that orders them. Image and ring are pinned in the GGTT while the LRC
 * lives in its first form.
 */
#ifndef _IGEN_LRC_H_
#define _IGEN_LRC_H_

#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/mutex.h>

#include "igen_engine.h"

struct igen_vm;

/**
 * struct igen_lrc - one engine's share of a context
 */
struct igen_lrc {
	/** @ref: context and requests hold it */
	struct kref ref;
	/** @engine: where it runs */
	struct igen_engine *engine;
	/** @context: whose it is; not counted (the context outlives it by request references) */
	struct igen_context *context;
	/** @vm: its address space, counted */
	struct igen_vm *vm;
	/** @image: PPHWSP and register state in the GGTT */
	struct igen_vma *image;
	/** @pphwsp: kernel mapping of the image's first page */
	void *pphwsp;
	/** @regs: kernel mapping of the register state */
	u32 *regs;
	/** @ring: the ring in the GGTT */
	struct igen_vma *ring;
	/** @ring_vaddr: kernel mapping of it */
	void *ring_vaddr;
	/** @ring_size: bytes, a power of two */
	u32 ring_size;
	/** @ring_tail: where the next request is written; under @timeline_mutex */
	u32 ring_tail;
	/** @ring_space: bytes free as last seen; under @timeline_mutex */
	u32 ring_space;
	/** @desc: context descriptor for the ELSP, with a unique software id */
	u64 desc;
	/** @timeline_mutex: held from request creation to commit: ring, seqno and order */
	struct mutex timeline_mutex;
	/** @fence_context: dma-fence context of its requests */
	u64 fence_context;
	/** @seqno: of the last request; under @timeline_mutex */
	u32 seqno;
	/** @hwsp_seqno: where the engine writes the seqno of the last completed request */
	u32 *hwsp_seqno;
	/** @hwsp_ggtt: GGTT address of the same */
	u32 hwsp_ggtt;
	/** @requests: not yet retired, oldest first; under @timeline_mutex */
	struct list_head requests;
	/** @last: the last request committed, or NULL; RCU */
	struct dma_fence __rcu *last;
};

/* ring_size: bytes, power of two, 4096..524288. ERR_PTR(-ENOMEM, -ENOSPC, -EINVAL). May sleep. */
struct igen_lrc *igen_lrc_create(struct igen_engine *engine, struct igen_context *context,
				 struct igen_vm *vm, u32 ring_size);
void igen_lrc_get(struct igen_lrc *lrc);
void igen_lrc_put(struct igen_lrc *lrc);

#endif
