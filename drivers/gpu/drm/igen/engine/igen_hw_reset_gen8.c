// SPDX-License-Identifier: MIT
/**
 * DOC: How engines of Gen8 and later get ready for a reset
 *
 * RESET_CTL asks an engine to finish its memory transactions, and says when it has (public Gen9 PRM Vol 2c, RESET_CTL).
 * A catastrophic error can't be answered by the handshake: then the error bit itself is the request.
 */
#include <drm/drm_print.h>

#include <igen/regs/engine.h>
#include <igen/regs/gt.h>

#include "../igen_device.h"

#define READY_TIMEOUT_US	700

static int gen8_reset_request(struct igen_device *igen, const struct igen_engine_info *info)
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

static void gen8_reset_cancel(struct igen_device *igen, const struct igen_engine_info *info)
{
	igen_write(igen, RING_RESET_CTL(info->base), IGEN_MASKED_DISABLE(RESET_CTL_REQUEST_RESET));
}

const struct igen_reset_ops igen_reset_gen8_ops = {
	.engines = true,
	.full = GDRST_FULL,
	.request = gen8_reset_request,
	.cancel = gen8_reset_cancel,
};
