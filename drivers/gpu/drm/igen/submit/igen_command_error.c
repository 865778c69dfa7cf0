// SPDX-License-Identifier: MIT
/**
 * DOC: Command errors
 *
 * An engine that can't go on says so by an interrupt (public Gen9 PRM Vol 2c, "EIR"). A worker resets it.
 */
#include <igen/regs/engine.h>

#include "../igen_device.h"
#include "igen_submit.h"

/* The upper half has no errors of the batch. */
#define EIR_ERRORS	GENMASK(15, 0)

/**
 * igen_command_error - an engine has met an instruction that it does not know
 * @engine: the engine
 *
 * The error is masked until the reset, so it comes once. If the engine's well does not answer now, the heartbeat finds
 * the engine stopped.
 *
 * Context: the engine's interrupt.
 */
void igen_command_error(struct igen_engine *engine)
{
	u32 base = engine->info->base;
	u32 errors;

	if (igen_forcewake_get(engine->igen, engine->info->forcewake))
		return;
	/* No error any more: the interrupt is late, and the request that runs since the reset is innocent. */
	errors = igen_read(engine->igen, RING_EIR(base)) & EIR_ERRORS;
	if (errors)
		igen_write(engine->igen, RING_EMR(base), ~0u);
	igen_forcewake_put(engine->igen, engine->info->forcewake);
	if (errors)
		igen_heartbeat_fail(engine, IGEN_ENGINE_COMMAND_ERROR);
}
