/* SPDX-License-Identifier: MIT */
/**
 * DOC: igen-shim: what address spaces and submission share
 */
#ifndef IGEN_SHIM_GPU_H
#define IGEN_SHIM_GPU_H

#include "mem/mem.h"
#include "shim.h"

/* vm.c */
uint64_t vm_size(void);

/* ggtt.c: the global GTT. */
int ggtt_init(void);
/* A range of it that has pages of the memory at pa; or none, for a directory. */
int ggtt_map(uint64_t pa, uint64_t size, uint64_t *addr);
void ggtt_unmap(uint64_t addr, uint64_t size);
/* Entries again, for a device that begins anew. */
void ggtt_restore(struct gpu *gpu);
/* A directory of an address space of Gen6 and Gen7, among the entries. */
int gpu_directory_new(struct vm *vm);
void gpu_directory_set(struct vm *vm, unsigned int i);
void gpu_directory_free(struct vm *vm);

#define RING_BYTES	(4 * PAGE)
#define BATCH_DWORDS	64		/* that one batch takes of a ring at most */

/* gpu.c: in the global GTT. */
uint64_t gpu_status_page(int engine);
/* The linker leads calls of the model's gpu_page_fault() to the second. */
void __real_gpu_page_fault(struct gpu *g, const struct engine_info *engine, const struct vm_ref *vm, uint64_t addr,
			   enum page_fault what);
void __wrap_gpu_page_fault(struct gpu *g, const struct engine_info *engine, const struct vm_ref *vm, uint64_t addr,
			   enum page_fault what);

/* How work gets to an engine: a file a kind. */
struct submit_ops {
	uint64_t image_bytes[ENGINE_CLASSES];
	/* Contexts share an engine's ring, which begins anew with each batch, and what its TLB holds. */
	bool one_ring;
	/* After each start and reset of an engine. gpu->lock held. */
	void (*setup)(struct gpu *gpu, const struct engine_info *engine);
	/* What the driver decides of an image: where ring and page tables are. */
	void (*image_new)(struct lrc *lrc, struct vm *vm, const struct engine_info *engine, bool fresh);
	/* The commands of one batch, or with NULL of none; gives their number. */
	unsigned int (*emit)(const struct lrc *lrc, const struct engine_info *engine, uint32_t *cs,
			     const struct batch *batch);
	/* Has the engine execute the ring to lrc->tail. gpu->lock held. */
	void (*submit)(struct gpu *gpu, struct lrc *lrc, struct vm *vm, const struct engine_info *engine);
	/* The context goes; NULL: the engine has left it with its batch. gpu->lock held. */
	void (*forget)(struct gpu *gpu, const struct lrc *lrc);
};

extern const struct submit_ops submit_execlists, submit_rings;

#endif
