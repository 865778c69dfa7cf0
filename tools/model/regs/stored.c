// SPDX-License-Identifier: MIT
/**
 * DOC: Registers that only store
 *
 * Most registers of the GT outside the engines have no effect in the model. What a driver programs in them
 * changes how silicon caches, gates or works around, and the model has none of that. Others only answer: fuses,
 * and units that have no state here. The register database (tools/cmdgen/regs) says what such a register holds
 * after a reset, which bits keep what is written, and with which domain of GDRST the register loses it. A driver
 * that does not program a register again after a reset is noticed that way.
 */
#include "registers.h"
#include "regs/regs.h"

void block_stored_init(struct gpu *gpu)
{
	const struct igen_reg_set *set = gpu->platform->registers;

	for (unsigned int i = 0; i < set->nglobal; i++) {
		const struct igen_reg *r = &set->regs[i];

		if (!r->acts && igen_reg_is_of(r, gpu->platform->name))
			mmio_claim_plain(gpu, r);
	}
}
