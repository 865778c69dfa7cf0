// SPDX-License-Identifier: MIT
/**
 * DOC: Fence registers
 *
 * Through the aperture the CPU can see a tiled object as rows of pixels: a fence register gives a range of the GGTT
 * with its tile format and pitch, and accesses in that range are detiled on the way (public Gen9 PRM Vol 2c, "FENCE";
 * Vol 5, "Tiling"). There are 32. A VMA gets one at the first fault of a mapping through the aperture and keeps
 * it until another needs it more; then its mappings are zapped and fault again. On Gen9 no engine looks at
 * fences, so nothing of a batch depends on them.
 */
#include <drm/drm_drv.h>
#include <uapi/drm/i915_drm.h>

#include "../igen_device.h"
#include "igen/regs/gtt.h"
#include "igen_fence_reg.h"
#include "igen_ggtt.h"
#include "igen_vm.h"

/* Pitches are in units of 128 bytes. */
#define FENCE_PITCH_UNIT 128

static struct igen_device *device_of(struct igen_ggtt *ggtt)
{
	return container_of(ggtt, struct igen_device, ggtt);
}

static u64 fence_value(const struct igen_vma *vma)
{
	u64 start = vma->node.start, last = start + vma->node.size - PAGE_SIZE;
	u64 value;

	value = last << 32 & FENCE_END_MASK;
	value |= IGEN_PREP(FENCE_PITCH_MASK, (u64)vma->bo->stride / FENCE_PITCH_UNIT - 1);
	value |= start & FENCE_START_MASK;
	if (vma->bo->tiling == I915_TILING_Y)
		value |= FENCE_TILE_Y;
	return value | FENCE_VALID;
}

static void fence_write(struct igen_ggtt *ggtt, const struct igen_fence_reg *reg)
{
	struct igen_device *igen = device_of(ggtt);
	u64 value = reg->vma ? fence_value(reg->vma) : 0;
	int idx;

	if (!drm_dev_enter(&igen->drm, &idx))
		return;
	/* Off while its halves differ, and read back so that no access through the aperture passes the change. */
	igen_write(igen, FENCE_REG(reg->id), 0);
	igen_read(igen, FENCE_REG(reg->id));
	if (value) {
		igen_write(igen, FENCE_REG(reg->id) + 4, upper_32_bits(value));
		igen_write(igen, FENCE_REG(reg->id), lower_32_bits(value));
		igen_read(igen, FENCE_REG(reg->id));
	}
	drm_dev_exit(idx);
}

/**
 * igen_fence_regs_init - all registers are free
 * @ggtt: the global address space
 */
void igen_fence_regs_init(struct igen_ggtt *ggtt)
{
	unsigned int i;

	INIT_LIST_HEAD(&ggtt->fence_lru);
	for (i = 0; i < IGEN_NUM_FENCE_REGS; i++) {
		ggtt->fence_regs[i].id = i;
		list_add_tail(&ggtt->fence_regs[i].link, &ggtt->fence_lru);
	}
}

/**
 * igen_fence_regs_restore - writes all registers anew
 * @ggtt: the global address space; nothing else uses it
 */
void igen_fence_regs_restore(struct igen_ggtt *ggtt)
{
	unsigned int i;

	for (i = 0; i < IGEN_NUM_FENCE_REGS; i++)
		fence_write(ggtt, &ggtt->fence_regs[i]);
}

/**
 * igen_fence_reg_get - detiles a VMA in the aperture
 * @vma: the VMA: bound in the GGTT, its mutex and its object's lock held
 *
 * Return: 0, or -EINVAL when hardware can't detile it.
 */
int igen_fence_reg_get(struct igen_vma *vma)
{
	struct igen_ggtt *ggtt = container_of(vma->vm, struct igen_ggtt, vm);
	struct igen_fence_reg *reg = vma->fence_reg;

	lockdep_assert_held(&ggtt->vm.mutex);

	if (!vma->bo->tiling || !vma->bo->stride || vma->bo->stride % FENCE_PITCH_UNIT)
		return -EINVAL;

	if (!reg) {
		reg = list_first_entry(&ggtt->fence_lru, struct igen_fence_reg, link);
		if (reg->vma) {
			/*
			 * Its object is not locked, which does not matter: a mapping that a fault puts back there
			 * waits for the mutex to get a register again.
			 */
			reg->vma->fence_reg = NULL;
			igen_bo_zap_aperture(reg->vma->bo);
		}
		reg->vma = vma;
		vma->fence_reg = reg;
		fence_write(ggtt, reg);
	}
	list_move_tail(&reg->link, &ggtt->fence_lru);
	return 0;
}

/**
 * igen_fence_reg_release - a VMA needs its register no more
 * @vma: the VMA in the GGTT, its mutex held, without mappings through the aperture
 */
void igen_fence_reg_release(struct igen_vma *vma)
{
	struct igen_ggtt *ggtt = container_of(vma->vm, struct igen_ggtt, vm);
	struct igen_fence_reg *reg = vma->fence_reg;

	lockdep_assert_held(&ggtt->vm.mutex);

	if (!reg)
		return;
	vma->fence_reg = NULL;
	reg->vma = NULL;
	fence_write(ggtt, reg);
	list_move(&reg->link, &ggtt->fence_lru);
}
