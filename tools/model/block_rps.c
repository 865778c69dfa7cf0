// SPDX-License-Identifier: MIT
/**
 * DOC: Frequency and RC6
 *
 * The GT runs at the frequency last asked for, within the limits of RP_STATE_CAP, from the moment
 * it is asked; there is no load to make it go up or down, so no RPS interrupt is raised. RC6
 * residency counts, in units of 1.28 us, while RC6 is enabled and no forcewake is held; an engine
 * at work is not looked at. (Public Gen9 PRM Vol 2c, "RPNSWREQ", "RP_CONTROL"; units as stock i915
 * reads them.)
 */
#include "core.h"
#include "igen/regs/gt.h"

#define RATIO_PER_50MHZ		3u		/* a ratio is 50/3 MHz */
#define CAP_RP0			21u		/* 1050 MHz */
#define CAP_RP1			6u		/* 300 MHz */
#define CAP_RPN			6u

static const struct plain_reg rps_regs[] = {
	{ 0x00a00c, 0, ~0u, false, "RC_VIDEO_FREQ" },
	{ 0x00a010, 0, ~0u, false, "RP_DOWN_TIMEOUT" },
	{ 0x00a014, 0, ~0u, false, "RP_INTERRUPT_LIMITS" },
	{ RP_CONTROL, 0, ~0u, false, "RP_CONTROL" },
	{ 0x00a02c, 0, ~0u, false, "RP_UP_THRESHOLD" },
	{ 0x00a030, 0, ~0u, false, "RP_DOWN_THRESHOLD" },
	{ 0x00a050, 0, 0, false, "RP_CUR_UP_EI to RP_PREV_DOWN", 6 },
	{ 0x00a068, 0, ~0u, false, "RP_UP_EI" },
	{ 0x00a06c, 0, ~0u, false, "RP_DOWN_EI" },
	{ 0x00a070, 0, ~0u, false, "RP_IDLE_HYSTERESIS" },
	{ 0x00a094, 0, ~0u, false, "RC_STATE" },
	{ 0x00a098, 0, ~0u, false, "RC1_WAKE_RATE_LIMIT" },
	{ 0x00a09c, 0, ~0u, false, "RC6_WAKE_RATE_LIMIT" },
	{ 0x00a0a0, 0, ~0u, false, "RC6pp_WAKE_RATE_LIMIT" },
	{ 0x00a0a8, 0, ~0u, false, "RC_EVALUATION_INTERVAL" },
	{ 0x00a0ac, 0, ~0u, false, "RC_IDLE_HYSTERESIS" },
	{ 0x00a0b0, 0, ~0u, false, "RC_SLEEP" },
	{ 0x00a0b4, 0, ~0u, false, "RC1e_THRESHOLD" },
	{ 0x00a0b8, 0, ~0u, false, "RC6_THRESHOLD" },
	{ 0x00a0bc, 0, ~0u, false, "RC6p_THRESHOLD" },
	{ 0x00a0c0, 0, ~0u, false, "VIDEO_SEMA_FREQ" },
	{ 0x00a0c4, 0, ~0u, false, "MEDIA_PG_IDLE_HYSTERESIS" },
	{ 0x00a0c8, 0, ~0u, false, "RENDER_PG_IDLE_HYSTERESIS" },
	{ 0x00a168, 0xffffffff, ~0u, false, "PMINTRMSK" },
	{ GT_PG_ENABLE, 0, ~0u, false, "PG_ENABLE" },
	{ 0x00a294, 0, ~0u, false, "PWRCTX_MAXCNT" },
};

static uint32_t clamp_ratio(uint32_t request)
{
	uint32_t ratio = IGEN_GET(RPNSWREQ_RATIO_MASK, request);

	if (ratio < CAP_RPN * RATIO_PER_50MHZ)
		return CAP_RPN * RATIO_PER_50MHZ;
	if (ratio > CAP_RP0 * RATIO_PER_50MHZ)
		return CAP_RP0 * RATIO_PER_50MHZ;
	return ratio;
}

/* Something that RC6 depends on changed, or somebody asks: brings the residency up to date. */
void rc6_update(struct gpu *gpu)
{
	struct gt *gt = gpu->gt;
	bool asleep = (gt->rc_control & RC_CONTROL_RC6_ENABLE) && !forcewake_any(gpu);
	uint64_t now = now_ns();

	if (gt->rc6_since)
		gt->rc6_ns += now - gt->rc6_since;
	gt->rc6_since = asleep ? now : 0;
}

static uint32_t rps_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	struct gt *gt = gpu->gt;

	(void)opaque;
	switch (offset) {
	case RPNSWREQ:
		return gt->rpnswreq;
	case RPSTAT1:
		return IGEN_PREP(RPSTAT1_RATIO_MASK, clamp_ratio(gt->rpnswreq));
	case RC_CONTROL:
		return gt->rc_control;
	case RP_STATE_CAP:
		return IGEN_PREP(RP_STATE_CAP_RP0_MASK, CAP_RP0) |
		       IGEN_PREP(RP_STATE_CAP_RP1_MASK, CAP_RP1) |
		       IGEN_PREP(RP_STATE_CAP_RPN_MASK, CAP_RPN);
	case GT_GFX_RC6:
		rc6_update(gpu);
		return (uint32_t)(gt->rc6_ns / 1280);
	}
	return 0;
}

static void rps_write(struct gpu *gpu, void *opaque, uint32_t offset, uint32_t value)
{
	(void)opaque;
	switch (offset) {
	case RPNSWREQ:
		gpu->gt->rpnswreq = value;
		break;
	case RC_CONTROL:
		gpu->gt->rc_control = value;
		rc6_update(gpu);
		break;
	}
}

void block_rps_init(struct gpu *gpu)
{
	static const uint32_t live[] = { RPNSWREQ, RPSTAT1, RC_CONTROL, RP_STATE_CAP, GT_GFX_RC6 };

	for (size_t i = 0; i < ARRAY_SIZE(live); i++) {
		const struct mmio_block block = {
			.name = "rps",
			.start = live[i],
			.end = live[i] + 4,
			.read = rps_read,
			.write = rps_write,
		};

		mmio_claim(gpu, &block);
	}
	mmio_claim_plain(gpu, rps_regs, ARRAY_SIZE(rps_regs));
}
