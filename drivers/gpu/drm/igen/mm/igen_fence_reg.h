/* SPDX-License-Identifier: MIT */
/**
 * DOC: Fence registers
 *
 * See igen_fence_reg.c.
 */
#ifndef _IGEN_FENCE_REG_H_
#define _IGEN_FENCE_REG_H_

struct igen_ggtt;
struct igen_vma;

void igen_fence_regs_init(struct igen_ggtt *ggtt);
/* Before a full reset: zaps the mappings that count on the registers and lets none be made. */
void igen_fence_regs_revoke(struct igen_ggtt *ggtt);
/* After it, or after a resume: writes all registers anew. */
void igen_fence_regs_restore(struct igen_ggtt *ggtt);
/* Around the making of a mapping that counts on a register: -EAGAIN during a reset, else for igen_fence_map_end(). */
int igen_fence_map_begin(struct igen_ggtt *ggtt);
void igen_fence_map_end(int idx);
/*
 * A register for a bound VMA in the GGTT whose object is tiled; vm->mutex held, object locked. Takes the least recently
 * used one. -EINVAL for what cannot be detiled. Mappings that count on it are made with the mutex still held.
 */
int igen_fence_reg_get(struct igen_vma *vma);
/* The VMA moves or is no longer tiled: its register, if any, is free; vm->mutex held; mappings were zapped. */
void igen_fence_reg_release(struct igen_vma *vma);

#endif
