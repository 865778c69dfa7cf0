// SPDX-License-Identifier: MIT
/**
 * DOC: Registers that only store: chickens, caches, MOCS, L3
 *
 * What a driver programs here changes how silicon caches, gates or works around; the model has none
 * of that, so these keep what was written and give it back. The masked ones keep only the low
 * half's bits that the high half names. Those of the render domain lose their value with it, so a
 * driver that forgets to program them again after a reset is seen to (names and masks: public Gen9
 * PRM Vol 2c, where it has them; the others as stock i915 programs them on Gen9).
 */
#include "core.h"
#include "igen/regs/engine.h"
#include "igen/regs/gt.h"
#include "igen/regs/gtt.h"

#define RENDER	GDRST_RENDER
#define MEDIA	GDRST_MEDIA
#define BLT	GDRST_BLT
#define VECS	GDRST_VECS
#define RW	(~0u)
#define MASKED	0xffffu

static const struct plain_reg memory_regs[] = {
	{ 0x004024, 0, RW, false, "GTT_CACHE_EN" },
	{ 0x004080, 0, RW, false, "RENDER_HWS_PGA (Gen7)" },
	{ 0x004084, 0, RW, false, "ARB_MODE" },
	{ GAM_ECOCHK, 0, RW, false, "GAM_ECOCHK" },
	{ PRIVATE_PAT_LO, 0, RW, false, "PRIVATE_PAT_LO" },
	{ PRIVATE_PAT_HI, 0, RW, false, "PRIVATE_PAT_HI" },
	{ 0x004ab0, 0, RW, false, "GAMT_ECO_REG_RW_IA" },
	{ 0x004ab8, 0, RW, false, "GAMT_CHKN_BIT_REG" },
	{ 0x004dd4, 0, RW, false, "L3_LRA_1_GPGPU" },
	{ 0x004ddc, 0, RW, false, "MMCD_MISC_CTRL" },
	{ 0x004df0, 0, RW, false, "L3_LRA_2" },
};

static const struct plain_reg render_regs[] = {
	{ 0x002088, 0, MASKED, true, "3D_CHICKEN (Gen6)", 0, RENDER },
	{ 0x00208c, 0, MASKED, true, "3D_CHICKEN2", 0, RENDER },
	{ 0x002090, 0, MASKED, true, "FF_THREAD_MODE", 0, RENDER },
	{ 0x0020a0, 0, RW, false, "FF_THREAD_MODE (Gen7)", 0, RENDER },
	{ 0x0020e0, 0, MASKED, true, "FF_SLICE_CS_CHICKEN1", 0, RENDER },
	{ 0x0020e4, 0, MASKED, true, "FF_SLICE_CS_CHICKEN2", 0, RENDER },
	{ 0x0020ec, 0, MASKED, true, "CS_DEBUG_MODE1", 0, RENDER },
	{ 0x0020d8, 0, MASKED, true, "CS_DEBUG_MODE2", 0, RENDER },
	{ 0x002248, 0, RW, false, "CTX_PREEMPT_REG", 0, RENDER },
	{ 0x002580, 0, MASKED, true, "CS_CHICKEN1", 0, RENDER },
	{ 0x007000, 0, MASKED, true, "CACHE_MODE_0", 0, RENDER },
	{ 0x007004, 0, MASKED, true, "CACHE_MODE_1", 0, RENDER },
	{ 0x007008, 0, MASKED, true, "GT_MODE", 0, RENDER },
	{ 0x007010, 0, MASKED, true, "COMMON_SLICE_CHICKEN1", 0, RENDER },
	{ 0x007014, 0, MASKED, true, "COMMON_SLICE_CHICKEN2", 0, RENDER },
	{ 0x007018, 0, MASKED, true, "HIZ_CHICKEN", 0, RENDER },
	{ 0x00701c, 0, MASKED, true, "SLICE_COMMON_ECO_CHICKEN1", 0, RENDER },
	{ 0x007034, 0, RW, false, "L3CNTLREG", 0, RENDER },
	{ 0x007300, 0, MASKED, true, "HDC_CHICKEN0", 0, RENDER },
	{ 0x007304, 0, MASKED, true, "HDC_CHICKEN1", 0, RENDER },
	{ 0x00731c, 0, MASKED, true, "COMMON_SLICE_CHICKEN4", 0, RENDER },
	{ 0x00e100, 0, MASKED, true, "HALF_SLICE_CHICKEN1", 0, RENDER },
	{ 0x00e180, 0, MASKED, true, "HALF_SLICE_CHICKEN2", 0, RENDER },
	{ 0x00e184, 0, MASKED, true, "HALF_SLICE_CHICKEN3", 0, RENDER },
	{ 0x00e188, 0, MASKED, true, "HALF_SLICE_CHICKEN5", 0, RENDER },
	{ 0x00e18c, 0, MASKED, true, "SAMPLER_MODE", 0, RENDER },
	{ 0x00e194, 0, MASKED, true, "HALF_SLICE_CHICKEN7", 0, RENDER },
	{ 0x00e48c, 0, MASKED, true, "ROW_CHICKEN4", 0, RENDER },
	{ 0x00e4c0, 0, MASKED, true, "ROW_CHICKEN3", 0, RENDER },
	{ 0x00e4f0, 0, MASKED, true, "ROW_CHICKEN", 0, RENDER },
	{ 0x00e4f4, 0, MASKED, true, "ROW_CHICKEN2", 0, RENDER },
};

static const struct plain_reg l3_regs[] = {
	{ 0x00b004, 0, RW, false, "GARBCNTL", 0, RENDER },
	{ 0x00b008, 0, RW, false, "SCRATCH_LNCF1", 0, RENDER },
	{ 0x00b010, 0, RW, false, "L3SQCREG0", 0, RENDER },
	{ LNCF_MOCS(0), 0, RW, false, "LNCF_MOCS", LNCF_MOCS_REGS, RENDER },
	{ 0x00b100, 0, RW, false, "L3SQCREG1", 0, RENDER },
	{ 0x00b110, 0, RW, false, "L3SQCREG2", 0, RENDER },
	{ 0x00b114, 0, RW, false, "L3SQCREG3", 0, RENDER },
	{ 0x00b118, 0, RW, false, "L3SQCREG4", 0, RENDER },
	{ 0x00b11c, 0, RW, false, "SCRATCH1", 0, RENDER },
	{ 0x00b124, 0, RW, false, "LNCF_CHICKEN", 0, RENDER },
};

static const struct plain_reg mocs_regs[] = {
	{ GFX_MOCS_RCS(0), 0, RW, false, "GFX_MOCS_RCS", MOCS_ENTRIES, RENDER },
	{ GFX_MOCS_VCS0(0), 0, RW, false, "GFX_MOCS_VCS0", MOCS_ENTRIES, MEDIA },
	{ GFX_MOCS_VCS1(0), 0, RW, false, "GFX_MOCS_VCS1", MOCS_ENTRIES, MEDIA },
	{ GFX_MOCS_VECS(0), 0, RW, false, "GFX_MOCS_VECS", MOCS_ENTRIES, VECS },
	{ GFX_MOCS_BCS(0), 0, RW, false, "GFX_MOCS_BCS", MOCS_ENTRIES, BLT },
};

void block_plain_init(struct gpu *gpu)
{
	mmio_claim_plain(gpu, memory_regs, ARRAY_SIZE(memory_regs));
	mmio_claim_plain(gpu, render_regs, ARRAY_SIZE(render_regs));
	mmio_claim_plain(gpu, l3_regs, ARRAY_SIZE(l3_regs));
	mmio_claim_plain(gpu, mocs_regs, ARRAY_SIZE(mocs_regs));
}
