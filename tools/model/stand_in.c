// SPDX-License-Identifier: MIT
/*
 * DOC: Stand-ins for parts that are not linked
 *
 * Weak definitions, so that the device without engines (registers, memory, interrupts, transports)
 * links and is tested by itself. Any real definition replaces them.
 */
#include "core.h"

__attribute__((weak)) int engines_start(struct gpu *gpu)
{
	(void)gpu;
	return 0;
}

__attribute__((weak)) void engines_stop(struct gpu *gpu)
{
	(void)gpu;
}

__attribute__((weak)) void engine_reset(struct gpu *gpu, enum engine_id id)
{
	(void)gpu;
	(void)id;
}
