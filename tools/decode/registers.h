/* SPDX-License-Identifier: MIT */
/**
 * DOC: Registers by offset
 *
 * The register database's tables, looked up for names in dumps and for what the model asks of a
 * register. Nothing here knows a register's value.
 */
#ifndef _IGEN_REGISTERS_H_
#define _IGEN_REGISTERS_H_

#include <stdbool.h>
#include <stddef.h>

#include "igen_reg.h"

/* A generation's registers; NULL if there are none. */
const struct igen_reg_set *igen_regs_by_gen(unsigned int gen);

/* Is the row about this part, "bxt"? A part may have a row of its own, and the other one does not count for it then. */
bool igen_reg_is_of(const struct igen_reg *r, const char *part);

/*
 * The register that the dword at @offset in BAR 0 belongs to, or NULL; @engine gets the engine whose
 * register it is, or NULL.
 */
const struct igen_reg *igen_reg_at(const struct igen_reg_set *set, __u32 offset, const struct igen_reg_engine **engine);

/*
 * Writes the name of the register at @offset into @name, cut off at @size: "RING_TAIL(bcs0)", "FENCE_REG(3)+4",
 * "RING_GPR(rcs0, 5)", "CS_CHICKEN1". Returns @name, or NULL if there is no such register.
 */
const char *igen_reg_name(const struct igen_reg_set *set, __u32 offset, char *name, size_t size);

#endif
