// SPDX-License-Identifier: MIT
/**
 * DOC: Address translation of Gen8 and Gen9
 *
 * The upper half of BAR 0 has the GGTT's entries of 64 bits, which are written through a write-combining mapping; on
 * Apollo Lake, which loses such writes, through an uncached one (as stock i915 has it).
 * GFX_FLSH_CNTL makes the GPU look at them anew; its uncached write also empties the CPU's combining buffers before.
 * Each engine's TLBs are invalidated by a register of its own (as stock i915 programs it; public Gen9 PRM Vol 2c). The
 * tables of address spaces are in igen_ppgtt_gen8.c.
 */
#include <drm/drm_print.h>
#include <linux/mm.h>

#include <igen/regs/gtt.h>
#include <igen/regs/workarounds.h>

#include "../igen_device.h"
#include "igen_pte_gen8.h"

/* Stock i915 expects the hardware to answer within 4 ms. */
#define TLB_TIMEOUT_US 4000

static void gen8_ggtt_write(void __iomem *ptes, u64 start, u64 end, dma_addr_t dma, unsigned int step)
{
	for (; start < end; start += PAGE_SIZE, dma += step)
		writeq(igen_ggtt_pte(dma), ptes + (start >> PAGE_SHIFT) * sizeof(u64));
}

static void gen8_ggtt_invalidate(struct igen_device *igen)
{
	igen_raw_write(igen, GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
}

/* A read of a register comes behind all writes (as stock i915 has it). */
static void gen9lp_flush_writes(struct igen_device *igen)
{
	igen_raw_read(igen, GFX_FLSH_CNTL);
}

static void gen8_gtt_restore(struct igen_device *igen)
{
	u64 pat = igen->platform->private_pat;

	igen_write(igen, PRIVATE_PAT_LO, lower_32_bits(pat));
	igen_write(igen, PRIVATE_PAT_HI, upper_32_bits(pat));
	/* WaGttCachingOffByDefault: the cache gives wrong translations for pages of 2 MB. */
	igen_write(igen, GTT_CACHE_EN, igen->mm.page_sizes & SZ_2M ? 0 : GTT_CACHE_EN_ALL);
	if (igen->mm.page_sizes & SZ_64K)
		igen_rmw(igen, GAMW_ECO_DEV_RW_IA, 0, GAMW_ECO_ENABLE_64K_IPS_MASK);
}

static int gen8_tlb_flush(struct igen_device *igen)
{
	struct igen_engine *engine;
	unsigned int id;
	int err = 0;

	igen_write(igen, GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
	for_each_engine(igen, id, engine)
		igen_write(igen, engine->info->tlb_inv_reg, TLB_INV_REQUEST);
	for_each_engine(igen, id, engine) {
		if (!igen_wait_reg(igen, engine->info->tlb_inv_reg, TLB_INV_REQUEST, 0, TLB_TIMEOUT_US, true))
			continue;
		drm_err_ratelimited(&igen->drm, "%s: TLB invalidation did not finish in %u us\n", engine->info->name,
				    TLB_TIMEOUT_US);
		err = -ETIMEDOUT;
	}
	return err;
}

static void gen8_fill_scratch_table(const struct igen_scratch *scratch, void *table, unsigned int level)
{
	memset64(table, igen_scratch_entry(scratch, level), GEN8_PT_ENTRIES);
}

#define GEN8_GTT_OPS \
	.ptes_offset = GTTMMADR_GGTT_OFFSET, \
	.pte_bytes = sizeof(u64), \
	.read_only = true, \
	.scratch_tables = GEN8_PPGTT_LEVELS - 1, \
	.gms_mask = GMCH_CTL_GMS_MASK, \
	.ggtt_size = igen_gmch_ggtt_size, \
	.ggtt_write = gen8_ggtt_write, \
	.ggtt_invalidate = gen8_ggtt_invalidate, \
	.restore = gen8_gtt_restore, \
	.tlb_flush = gen8_tlb_flush, \
	.ppgtt_create = igen_ppgtt_gen8_create, \
	.fill_scratch_table = gen8_fill_scratch_table

const struct igen_gtt_ops igen_gtt_gen8_ops = {
	GEN8_GTT_OPS,
	.map_wc = true,
};

const struct igen_gtt_ops igen_gtt_gen9lp_ops = {
	GEN8_GTT_OPS,
	.flush_writes = gen9lp_flush_writes,
};
