// SPDX-License-Identifier: MIT
/**
 * DOC: Frequency and RC6
 *
 * The GT runs at the frequency last requested, within the limits of RP_STATE_CAP, from the moment
 * of the request; there is no load to make it go up or down, so no RPS interrupt is raised. RC6
 * residency counts, in the platform's unit, while RC6 is enabled and no forcewake is held; an engine
 * at work is not looked at. (Public Gen9 PRM Vol 2c, "RPNSWREQ", "RP_CONTROL"; units as stock i915
 * reads them.)
 */
#include "regs/regs.h"
#include "igen/regs/gt.h"

static uint32_t clamp_ratio(const struct rps_range *range, uint32_t request)
{
	uint32_t ratio = IGEN_GET(range->request_mask, request);

	if (ratio < range->lowest)
		return range->lowest;
	return ratio > range->highest ? range->highest : ratio;
}

/* Brings the residency up to date: something that RC6 depends on has changed, or it is read. */
void rc6_update(struct gpu *gpu)
{
	struct gt *gt = gpu->gt;
	bool asleep = (gt->rc_control & RC_CONTROL_RC6_ENABLE) && !forcewake_any(gpu);
	uint64_t now = now_ns();

	bool woken = gt->rc6_since && !asleep;

	if (gt->rc6_since)
		gt->rc6_ns += now - gt->rc6_since;
	gt->rc6_since = asleep ? now : 0;
	if (woken && gpu->config.rc6_forgets && !gpu->busy_engines && gpu->rc6_forgets)
		gpu->rc6_forgets(gpu);
}

static uint32_t rps_read(struct gpu *gpu, void *opaque, uint32_t offset)
{
	struct gt *gt = gpu->gt;

	(void)opaque;
	switch (offset) {
	case RPNSWREQ:
		return gt->rpnswreq;
	case RPSTAT1:
		return IGEN_PREP(gpu->platform->rps->status_mask, clamp_ratio(gpu->platform->rps, gt->rpnswreq));
	case RC_CONTROL:
		return gt->rc_control;
	case RP_STATE_CAP:
	case RP_STATE_CAP_LP:
		return gpu->platform->rps->cap;
	case RC6_CTX_INFO:
		return !gpu->config.rc6_forgets;
	case GT_GFX_RC6:
		rc6_update(gpu);
		return (uint32_t)(gt->rc6_ns / 10 * (gpu->platform->rps->rc6_hz / 10) / 10000000);
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

void rps_reset(struct gpu *gpu)
{
	gpu->gt->rpnswreq = 0;
	gpu->gt->rc_control = 0;
	rc6_update(gpu);
}

void block_rps_init(struct gpu *gpu)
{
	const uint32_t live[] = { RPNSWREQ, RPSTAT1, RC_CONTROL, gpu->platform->rps->reg, GT_GFX_RC6, RC6_CTX_INFO };

	for (size_t i = 0; i < ARRAY_SIZE(live); i++) {
		if (live[i] == RC6_CTX_INFO && !gpu->platform->rps->context_info)
			continue;
		const struct mmio_block block = {
			.name = "rps",
			.start = live[i],
			.end = live[i] + 4,
			.read = rps_read,
			.write = rps_write,
		};

		mmio_claim(gpu, &block);
	}
}
