// SPDX-License-Identifier: MIT
/**
 * DOC: Stopping and resetting the hardware
 *
 * An engine is asked to get ready (RESET_CTL), then its domain is reset by GDRST, whose bit clears when that is done
 * (public Gen9 PRM Vol 2c, GDRST and RESET_CTL). A catastrophic error can't be answered by the handshake: then the
 * error bit itself is the request. All waits are bounded. What to reset when, and what becomes of the
 * requests, is decided in submit/igen_reset.c.
 */
#include <linux/delay.h>
#include <linux/math64.h>

#include <igen/regs/engine.h>
#include <igen/regs/gt.h>

#include "../igen_device.h"

#define READY_TIMEOUT_US	700
#define GDRST_TIMEOUT_US	2000
#define STOP_FAST_US		1000

static int request_reset(struct igen_device *igen, const struct igen_engine_info *info)
{
	u32 reg = RING_RESET_CTL(info->base);
	u32 ctl = igen_read(igen, reg);
	u32 request = RESET_CTL_REQUEST_RESET, mask = RESET_CTL_READY_TO_RESET, want = RESET_CTL_READY_TO_RESET;
	int err;

	if (ctl & RESET_CTL_CAT_ERROR) {
		request = RESET_CTL_CAT_ERROR;
		mask = RESET_CTL_CAT_ERROR;
		want = 0;
	} else if (ctl & RESET_CTL_READY_TO_RESET) {
		return 0;
	}

	igen_write(igen, reg, IGEN_MASKED_ENABLE(request));
	err = igen_wait_reg(igen, reg, mask, want, READY_TIMEOUT_US, false);
	if (err)
		drm_err(&igen->drm, "%s: does not get ready for a reset (RESET_CTL 0x%08x)\n",
			info->name, igen_read(igen, reg));
	return err;
}

static void cancel_request(struct igen_device *igen, const struct igen_engine_info *info)
{
	igen_write(igen, RING_RESET_CTL(info->base), IGEN_MASKED_DISABLE(RESET_CTL_REQUEST_RESET));
}

/**
 * igen_reset_hardware - resets engines
 * @igen: the device
 * @domains: igen_engine_info.reset_domain of the engines, or ~0 for the whole GT
 *
 * Registers, rings and what ran are lost; memory is untouched. An engine that does not get ready is reset all the same
 * with the whole GT, but not alone, since it could be in the middle of a memory transaction. May sleep.
 *
 * Return: 0, -ETIMEDOUT when the hardware does not finish or get ready, -EIO when power wells don't wake.
 */
int igen_reset_hardware(struct igen_device *igen, u32 domains)
{
	const struct igen_platform *platform = igen->platform;
	bool full = domains == ~0u;
	u32 gdrst = full ? GDRST_FULL : domains;
	unsigned int i;
	int err, late, ready = 0;

	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	if (err)
		return err;

	for (i = 0; i < platform->num_engines; i++) {
		if (!(domains & platform->engines[i].reset_domain))
			continue;
		late = request_reset(igen, &platform->engines[i]);
		if (late)
			ready = late;
	}

	err = full ? 0 : ready;
	if (!err) {
		igen_write(igen, GDRST, gdrst);
		err = igen_wait_reg(igen, GDRST, gdrst, 0, GDRST_TIMEOUT_US, false);
		if (err)
			drm_err(&igen->drm, "reset of domains 0x%x does not finish\n", gdrst);
		/* The engines' state settles a little later than GDRST says (as stock i915 waits). */
		usleep_range(50, 100);
	}

	for (i = 0; i < platform->num_engines; i++) {
		if (domains & platform->engines[i].reset_domain)
			cancel_request(igen, &platform->engines[i]);
	}

	igen_forcewake_put(igen, FORCEWAKE_DOMAIN_ALL);
	return err;
}

/**
 * igen_engine_stop - stops an engine's command streamer at the end of the command it is at
 * @engine: the engine; forcewake held; may sleep
 *
 * Return: 0, or -ETIMEDOUT when it does not become idle: it hangs within a command.
 */
int igen_engine_stop(struct igen_engine *engine)
{
	u32 reg = RING_MI_MODE(engine->info->base);
	/* What root sets may be more microseconds than are counted. */
	u64 timeout_us = STOP_FAST_US + mul_u32_u32(READ_ONCE(engine->props.stop_timeout_ms), USEC_PER_MSEC);

	igen_write(engine->igen, reg, IGEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	return igen_wait_reg(engine->igen, reg, MI_MODE_IDLE, MI_MODE_IDLE, min_t(u64, timeout_us, UINT_MAX), true);
}
