// SPDX-License-Identifier: MIT
/**
 * DOC: Stopping and resetting the hardware
 *
 * The driver asks an engine to get ready, where the platform has a way to ask (struct igen_reset_ops). Then it resets
 * the engine's domain by GDRST, whose bit clears when the reset is done (public Gen9 PRM Vol 2c, GDRST). All waits are
 * bounded. submit/igen_reset.c decides which engines are reset and what happens to their requests.
 */
#include <linux/delay.h>
#include <linux/math64.h>

#include <igen/regs/engine.h>
#include <igen/regs/gt.h>

#include "../igen_device.h"

#define GDRST_TIMEOUT_US	2000
#define STOP_FAST_US		1000

/* Walks the engines that are there and belong to one of the domains. */
#define for_each_info(igen__, i__, info__, domains__) \
	for ((i__) = 0; (i__) < (igen__)->platform->num_engines && \
	     ((info__) = &(igen__)->platform->engines[i__]); (i__)++) \
		for_each_if((domains__) & (info__)->reset_domain && (igen__)->engine_mask & BIT((info__)->id))

/**
 * igen_reset_hardware - resets engines
 * @igen: the device
 * @domains: igen_engine_info.reset_domain of the engines, or ~0 for the whole GT
 *
 * The engines lose their registers, with the positions in their rings, and the running contexts; memory is untouched.
 * An engine that does not get ready is reset all the same with the whole GT, but not alone, since it could be in the
 * middle of a memory transaction. May sleep.
 *
 * Return: 0, -ETIMEDOUT when the hardware does not finish or get ready, -EIO when power wells don't wake.
 */
int igen_reset_hardware(struct igen_device *igen, u32 domains)
{
	const struct igen_reset_ops *ops = igen->platform->reset;
	const struct igen_engine_info *info;
	bool full = domains == ~0u;
	u32 gdrst = full ? ops->full : domains;
	unsigned int i;
	int err, late, ready = 0;

	err = igen_forcewake_get(igen, FORCEWAKE_DOMAIN_ALL);
	if (err)
		return err;

	for_each_info(igen, i, info, domains) {
		late = ops->request ? ops->request(igen, info) : 0;
		if (late)
			ready = late;
	}

	err = full ? 0 : ready;
	if (!err) {
		/* Twice, as stock i915 does: the first one leaves some state for a moment after it is done. */
		for (i = 0; i < 2 && !err; i++) {
			igen_write(igen, GDRST, gdrst);
			err = igen_wait_reg(igen, GDRST, gdrst, 0, GDRST_TIMEOUT_US, false);
		}
		if (err)
			drm_err(&igen->drm, "reset of domains 0x%x does not finish\n", gdrst);
		/* The engines' state settles a little later than GDRST says (as stock i915 waits). */
		usleep_range(50, 100);
	}

	for_each_info(igen, i, info, domains)
		if (ops->cancel)
			ops->cancel(igen, info);

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
