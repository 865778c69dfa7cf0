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
/* Writes all registers anew, after a resume or a full reset. Takes no lock: nothing else runs. */
void igen_fence_regs_restore(struct igen_ggtt *ggtt);
/*
 * A register for a bound VMA in the GGTT whose object is tiled; vm->mutex held, object locked. Takes the least recently
 * used one. -EINVAL for what cannot be detiled. Mappings that count on it are made with the mutex still held.
 */
int igen_fence_reg_get(struct igen_vma *vma);
/* The VMA moves or is no longer tiled: its register, if any, is free; vm->mutex held; mappings were zapped. */
void igen_fence_reg_release(struct igen_vma *vma);

#endif
