// SPDX-License-Identifier: MIT
#include "igen_gen6.h"

/* The well's one bit, as Sandy Bridge has it, and Ivy Bridge where firmware has not chosen masked requests. */
const struct igen_forcewake_domain igen_gen6_forcewake[FORCEWAKE_NUM_DOMAINS] = {
	[IGEN_FORCEWAKE_GT] = { "GT", FORCEWAKE, FORCEWAKE_ACK, .plain = true, .threads = GT_THREAD_STATUS },
};

const struct igen_reg_write igen_gen6_rcs_ctx_workarounds[] = {
	{ .name = "order of commands", .reg = RING_INSTPM(RCS0_BASE), .masked = true,
	  .set = INSTPM_FORCE_ORDERING },
	{}
};
