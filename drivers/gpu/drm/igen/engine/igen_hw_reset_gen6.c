// SPDX-License-Identifier: MIT
/**
 * DOC: Resets of Gen6 and Gen7
 *
 * There is no handshake before a reset. Gen6 has bits for domains in GDRST too, but only the reset of all of the GT is
 * known to work, and stock i915 offers no other; Gen7 resets engines one by one.
 */
#include <igen/regs/gt.h>

#include "../igen_device.h"

const struct igen_reset_ops igen_reset_gen6_ops = {
	.full = GDRST_FULL,
};

const struct igen_reset_ops igen_reset_gen7_ops = {
	.engines = true,
	.full = GDRST_FULL,
};
