// SPDX-License-Identifier: MIT
/**
 * DOC: Fence registers
 *
 * Through the aperture the CPU can see a tiled object as rows of pixels: a fence register gives a range of the GGTT
 * with its tile format and pitch, and accesses in that range are detiled on the way (public Gen9 PRM Vol 2c, "FENCE";
 * Vol 5, "Tiling"). There are 32, or 16 on older parts. A VMA gets one at the first fault of a mapping through the
 * aperture and keeps it until another needs it more; then its mappings are zapped and fault again. No engine looks at
 * fences, so nothing of a batch depends on them.
 *
 * A full reset may clear the registers. A write of the CPU through a mapping would then land in the wrong place. So
 * before a full reset the driver zaps all such mappings, and makes no new one until it has written the registers again.
 * The restore uses the saved values of the registers. It does not look at VMAs, which may be freed meanwhile.
 */
#include <drm/drm_drv.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/srcu.h>
#include <uapi/drm/i915_drm.h>

#include "../igen_device.h"
#include "igen/regs/gtt.h"
#include "igen_fence_reg.h"
#include "igen_ggtt.h"
#include "igen_vm.h"

/* Pitches are in units of 128 bytes. */
#define FENCE_PITCH_UNIT 128

/* Held while a mapping that counts on a fence register is made. */
DEFINE_STATIC_SRCU(mapping_srcu);

static struct igen_device *fence_reg_device(struct igen_ggtt *ggtt)
{
	return container_of(ggtt, struct igen_device, ggtt);
}

static u64 fence_reg_value(const struct igen_vma *vma)
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

/* fence_lock held */
static void fence_reg_write_value(struct igen_ggtt *ggtt, const struct igen_fence_reg *reg)
{
	struct igen_device *igen = fence_reg_device(ggtt);
	const u64 value = reg->value;
	int idx;

	/* Waking writes them all. */
	if (READ_ONCE(igen->rpm.asleep))
		return;
	if (!drm_dev_enter(&igen->drm, &idx))
		return;
	/* Off while its halves differ, and read back so that no access through the aperture passes the change. */
	igen_raw_write(igen, FENCE_REG(reg->id), 0);
	igen_raw_read(igen, FENCE_REG(reg->id));
	if (value) {
		igen_raw_write(igen, FENCE_REG(reg->id) + 4, upper_32_bits(value));
		igen_raw_write(igen, FENCE_REG(reg->id), lower_32_bits(value));
		igen_raw_read(igen, FENCE_REG(reg->id));
	}
	drm_dev_exit(idx);
}

static void fence_reg_write(struct igen_ggtt *ggtt, struct igen_fence_reg *reg)
{
	spin_lock(&ggtt->fence_lock);
	reg->value = reg->vma ? fence_reg_value(reg->vma) : 0;
	fence_reg_write_value(ggtt, reg);
	spin_unlock(&ggtt->fence_lock);
}

/**
 * igen_fence_regs_init - all registers are free
 * @ggtt: the global address space
 */
void igen_fence_regs_init(struct igen_ggtt *ggtt)
{
	unsigned int i;

	spin_lock_init(&ggtt->fence_lock);
	INIT_LIST_HEAD(&ggtt->fence_lru);
	for (i = 0; i < fence_reg_device(ggtt)->platform->num_fences; i++) {
		ggtt->fence_regs[i].id = i;
		list_add_tail(&ggtt->fence_regs[i].link, &ggtt->fence_lru);
	}
}

/**
 * igen_fence_regs_revoke - no mapping counts on a register from now on
 * @ggtt: the global address space
 *
 * Before a full reset; igen_fence_regs_restore() allows mappings again. Waits for mappings that are just being made.
 * May sleep.
 */
void igen_fence_regs_revoke(struct igen_ggtt *ggtt)
{
	WRITE_ONCE(ggtt->fences_lost, true);
	synchronize_srcu(&mapping_srcu);
	/* Zaps the mappings of all objects. A mapping that needs no fence faults again, too. */
	unmap_mapping_range(fence_reg_device(ggtt)->drm.anon_inode->i_mapping, 0, 0, 1);
	igen_ggtt_flush_writes(ggtt->vm.igen);
}

/**
 * igen_fence_regs_restore - write all registers again, after a full reset or a resume
 * @ggtt: the global address space
 *
 * Takes no lock that waits for the GPU.
 */
void igen_fence_regs_restore(struct igen_ggtt *ggtt)
{
	unsigned int i;

	spin_lock(&ggtt->fence_lock);
	for (i = 0; i < fence_reg_device(ggtt)->platform->num_fences; i++)
		fence_reg_write_value(ggtt, &ggtt->fence_regs[i]);
	spin_unlock(&ggtt->fence_lock);
	WRITE_ONCE(ggtt->fences_lost, false);
}

/**
 * igen_fence_map_begin - begin to make a mapping that relies on a fence register
 * @ggtt: the global address space
 *
 * A full reset waits until igen_fence_map_end(). So no lock that a reset needs may be taken in between.
 *
 * Return: an index for igen_fence_map_end(), or -EAGAIN, after a short wait, while the device is being reset.
 * Context: may sleep.
 */
int igen_fence_map_begin(struct igen_ggtt *ggtt)
{
	int idx = srcu_read_lock(&mapping_srcu);

	if (likely(!READ_ONCE(ggtt->fences_lost))) {
		/* sparse cannot follow it to igen_fence_map_end(). */
		__release(&mapping_srcu);
		return idx;
	}
	srcu_read_unlock(&mapping_srcu, idx);
	usleep_range(500, 1000);
	return -EAGAIN;
}

/**
 * igen_fence_map_end - the mapping is made
 * @idx: from igen_fence_map_begin()
 */
void igen_fence_map_end(int idx)
{
	__acquire(&mapping_srcu);
	srcu_read_unlock(&mapping_srcu, idx);
}

/**
 * igen_fence_reg_get - detiles a VMA in the aperture
 * @vma: the VMA: bound in the GGTT, its mutex and its object's lock held
 *
 * The object is tiled. The VMA keeps a register that it has; otherwise it gets the least recently used one. A mapping
 * that relies on the register is made before the mutex is dropped.
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
		fence_reg_write(ggtt, reg);
	}
	list_move_tail(&reg->link, &ggtt->fence_lru);
	return 0;
}

/**
 * igen_fence_reg_release - take the fence register from a VMA
 * @vma: the VMA in the GGTT, without mappings through the aperture; the GGTT's mutex is held
 *
 * Called when the VMA moves or is no longer tiled. A VMA without a register stays as it is.
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
	fence_reg_write(ggtt, reg);
	list_move(&reg->link, &ggtt->fence_lru);
}
