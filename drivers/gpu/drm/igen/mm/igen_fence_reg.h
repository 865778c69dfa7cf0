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
void igen_fence_regs_revoke(struct igen_ggtt *ggtt);
void igen_fence_regs_restore(struct igen_ggtt *ggtt);
int igen_fence_map_begin(struct igen_ggtt *ggtt);
void igen_fence_map_end(int idx);
int igen_fence_reg_get(struct igen_vma *vma);
void igen_fence_reg_release(struct igen_vma *vma);

#endif
