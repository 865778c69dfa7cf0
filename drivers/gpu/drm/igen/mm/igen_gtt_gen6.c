// SPDX-License-Identifier: MIT
/**
 * DOC: Address translation of Gen6 and Gen7
 *
 * The upper half of BAR 0, 2 MB, has the GGTT's entries of 32 bits, which are written through a write-combining
 * mapping. GFX_FLSH_CNTL makes the GPU look at them anew; its uncached write also empties the CPU's combining buffers
 * before. Page directories lie within the GGTT's table (igen_ppgtt_gen6.c). Engines have no register that invalidates
 * their TLBs at any time: the backend does it (igen_submit_ops.tlb_flush).
 *
 * Where both channels have modules of the same size, the memory controller swaps lines by bit 6 of addresses. Then GPU
 * and aperture have to swizzle tiled memory the same way: bit 6 by bits 9 and 10 in X tiles, by bit 9 in Y tiles. All
 * registers are as stock i915 programs them.
 */
#include <linux/io.h>
#include <linux/mm.h>

#include <igen/regs/engine.h>
#include <igen/regs/gt.h>
#include <igen/regs/gtt.h>
#include <igen/regs/pci.h>

#include "../igen_device.h"
#include "igen_pte_gen6.h"

static void gen6_ggtt_write(void __iomem *ptes, u64 start, u64 end, dma_addr_t dma, unsigned int step)
{
	for (; start < end; start += PAGE_SIZE, dma += step)
		writel(igen_gen6_pte(dma, IGEN_CACHE_COHERENT), ptes + (start >> PAGE_SHIFT) * sizeof(u32));
}

static void gen6_ggtt_invalidate(struct igen_device *igen)
{
	igen_raw_write(igen, GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
	igen_raw_read(igen, GFX_FLSH_CNTL);
}

static bool gen6_swizzles(struct igen_device *igen)
{
	u32 sizes = MAD_DIMM_A_SIZE_MASK | MAD_DIMM_B_SIZE_MASK;

	return (igen_read(igen, MAD_DIMM_C0) & sizes) == (igen_read(igen, MAD_DIMM_C1) & sizes);
}

static void gen6_restore_swizzle(struct igen_device *igen, u32 arb_mode)
{
	if (!igen->ggtt.swizzled)
		return;
	igen_rmw(igen, TILECTL, 0, TILECTL_SWZCTL);
	igen_write(igen, ARB_MODE_GEN6, IGEN_MASKED_ENABLE(arb_mode));
}

static void gen6_gtt_restore(struct igen_device *igen)
{
	igen_rmw(igen, GAC_ECO_BITS, 0, GAC_ECO_SNB_BIT | GAC_ECO_PPGTT_CACHE64B);
	igen_rmw(igen, GAB_CTL, 0, GAB_CTL_CONT_AFTER_PAGEFAULT);
	igen_rmw(igen, GAM_ECOCHK, 0, ECOCHK_SNB_BIT | ECOCHK_PPGTT_CACHE64B);
	igen_write(igen, GFX_MODE, IGEN_MASKED_ENABLE(GFX_MODE_PPGTT_ENABLE));
	gen6_restore_swizzle(igen, ARB_MODE_SWIZZLE_GEN6);
}

/* Each engine enables its PPGTT itself. */
static void gen7_gtt_restore(struct igen_device *igen)
{
	igen_rmw(igen, GAC_ECO_BITS, 0, GAC_ECO_PPGTT_CACHE64B);
	igen_rmw(igen, GAM_ECOCHK, ECOCHK_PPGTT_GFDT, ECOCHK_PPGTT_LLC);
	gen6_restore_swizzle(igen, ARB_MODE_SWIZZLE_GEN7);
}

static int gen6_tlb_flush(struct igen_device *igen)
{
	const struct igen_submit_ops *ops = igen->platform->submit;
	struct igen_engine *engine;
	unsigned int id;
	int ret, err = 0;

	gen6_ggtt_invalidate(igen);
	for_each_engine(igen, id, engine) {
		ret = ops->tlb_flush(engine);
		if (ret)
			err = ret;
	}
	return err;
}

#define GEN6_GTT_OPS \
	.ptes_offset = GEN6_GTTMMADR_GGTT_OFFSET, \
	.pte_bytes = sizeof(u32), \
	.map_wc = true, \
	.gms_mask = GEN6_GMCH_CTL_GMS_MASK, \
	.ggtt_size = igen_gen6_ggtt_size, \
	.ggtt_write = gen6_ggtt_write, \
	.ggtt_invalidate = gen6_ggtt_invalidate, \
	.swizzles = gen6_swizzles, \
	.tlb_flush = gen6_tlb_flush, \
	.ppgtt_create = igen_ppgtt_gen6_create

const struct igen_gtt_ops igen_gtt_gen6_ops = {
	GEN6_GTT_OPS,
	.restore = gen6_gtt_restore,
};

const struct igen_gtt_ops igen_gtt_gen7_ops = {
	GEN6_GTT_OPS,
	.restore = gen7_gtt_restore,
};
