// SPDX-License-Identifier: MIT
/**
 * DOC: The display that is not there
 *
 * The fuse register says that every pipe is fused off, so a driver finds no display to drive; what
 * it still touches while it finds out, and the clock gating it sets up anyway, is here. Power wells
 * are given at once: the state bit below each request bit follows it. Writes with a stored value
 * have no effect (names as in the public Gen9 PRM Vol 2c and stock i915).
 */
#include "core.h"
#include "igen/regs/gt.h"

#define DFSM			0x051000
#define   DFSM_PIPE_A_DISABLE	  IGEN_BIT(30)
#define   DFSM_PIPE_B_DISABLE	  IGEN_BIT(21)
#define   DFSM_PIPE_C_DISABLE	  IGEN_BIT(28)
#define FUSE_STATUS		0x042000
#define   FUSE_DOWNLOAD_DONE	  IGEN_BIT(31)
#define   FUSE_PG0_DIST_DONE	  IGEN_BIT(27)
#define   FUSE_PG1_DIST_DONE	  IGEN_BIT(26)
#define   FUSE_PG2_DIST_DONE	  IGEN_BIT(25)
#define PWR_WELL_CTL(n)		(0x045400 + (n) * 4)	/* BIOS, driver, KVMR, debug */
#define   PWR_WELL_REGS		  4
#define   PWR_WELL_REQUESTS	  0xaaaaaaaau

static const struct plain_reg display_regs[] = {
	{ DFSM, DFSM_PIPE_A_DISABLE | DFSM_PIPE_B_DISABLE | DFSM_PIPE_C_DISABLE, 0, false, "DFSM" },
	{ FUSE_STATUS, FUSE_DOWNLOAD_DONE | FUSE_PG0_DIST_DONE | FUSE_PG1_DIST_DONE |
		       FUSE_PG2_DIST_DONE, ~0u, false, "FUSE_STATUS" },
	{ 0x042004, 0, ~0u, false, "DISPLAY_CHICKEN2" },
	{ 0x042080, 0, ~0u, false, "CHICKEN_PAR1_1" },
	{ 0x042090, 0, ~0u, false, "CHICKEN_PAR2_1" },
	{ 0x0420b0, 0, ~0u, false, "CHICKEN_PIPESL", 3 },
	{ 0x042300, 0, 0, false, "FPGA_DBG" },
	{ 0x043224, 0, ~0u, false, "ILK_DPFC_CHICKEN" },
	{ 0x044050, ~0u, ~0u, false, "DERRMR" },
	{ 0x044070, 0, ~0u, false, "TIMESTAMP_OVERRIDE" },
	{ 0x045000, 0, ~0u, false, "DISP_ARB_CTL" },
	{ 0x045004, 0, ~0u, false, "DISP_ARB_CTL2" },
	{ 0x045270, 0, ~0u, false, "WM_LINETIME", 3 },
	{ 0x045504, 0, ~0u, false, "DC_STATE_EN" },
	{ 0x046408, 0, ~0u, false, "NDE_RSTWRN_OPT" },
	{ 0x046430, 0, ~0u, false, "CHICKEN_DCPR_1" },
	{ 0x046520, 0, ~0u, false, "CLKGATE_DIS_0" },
	{ 0x046530, 0, ~0u, false, "CLKGATE_DIS_PSL_A" },
	/* Where a hypervisor would say that it is there. */
	{ 0x078000, 0, 0, false, "PVINFO", 32 },
	{ 0x0c6204, 0, ~0u, false, "PCH_RAWCLK_FREQ" },
	{ 0x0c2000, 0, ~0u, false, "SOUTH_CHICKEN1", 2 },
};

/* Requests of all four sources give the state that each of them reads. */
static uint32_t well_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	struct gt *gt = gpu->gt;
	uint32_t all = 0;

	(void)opaque;
	for (int i = 0; i < PWR_WELL_REGS; i++)
		all |= gt->pwr_well[i];
	return gt->pwr_well[(offset - PWR_WELL_CTL(0)) / 4] | all >> 1;
}

static void well_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)opaque;
	gpu->gt->pwr_well[(offset - PWR_WELL_CTL(0)) / 4] = value & PWR_WELL_REQUESTS;
}

void block_display_init(struct gpu *gpu)
{
	const struct mmio_block wells = {
		.name = "PWR_WELL_CTL",
		.start = PWR_WELL_CTL(0),
		.end = PWR_WELL_CTL(PWR_WELL_REGS),
		.read = well_read,
		.write = well_write,
	};

	mmio_claim(gpu, &wells);
	mmio_claim_plain(gpu, display_regs, ARRAY_SIZE(display_regs));
}
